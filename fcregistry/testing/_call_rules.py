"""The rules that try calls with many arguments.

A call reaches the function exactly if the schema accepts its arguments; what arrives fits the function, does not share objects with the
caller's arguments, and can be written as the same call again.
"""

from __future__ import annotations

import copy
import inspect
import json
from contextlib import suppress
from typing import Any, Final

from fcregistry._base.source import signature_of
from fcregistry._base.wording import word_problems
from fcregistry._tools.parameters import Parameter
from fcregistry._tools.tool import definition_of
from fcregistry.errors import exception_message
from fcregistry.testing._case import Arrival, CallTrial, Case, drawn
from fcregistry.testing._report import REPORT, Failure, Verdict, arguments_text, python_text
from fcregistry.testing._schemas import SchemaReader
from fcregistry.types import Refusal, walk_codecs

# --- accepts-what-its-schema-says ---

_SEARCHES: Final = (50, 1000)
"""The numbers of argument objects to search for accepted values, if all that were tried are refused."""


def accepts_what_its_schema_says(case: Case) -> Verdict:
    """Check that exactly the arguments that the schema accepts reach the function."""
    acceptance = _Acceptance(case)
    valid = case.check_each(acceptance.examine)
    if valid.skipped:
        return Verdict(failures=(_no_arguments(),))
    failures = [*valid.failures, *acceptance.all_refused()]
    failures += case.check_each(acceptance.examine, nearly=True).failures if not failures else ()
    return Verdict(failures=tuple(failures), remarks=acceptance.remarks())


class _Acceptance:
    """Compares the executor's answer with the validator's, and counts refusals that no schema can express."""

    def __init__(self, case: Case) -> None:
        self._case = case
        document = SchemaReader(case.tool.parameters)
        properties = document.schema["properties"]
        brings_schema = definition_of(case.tool).declaration.options.get("parameters") is not None
        self._parts = [
            (each, document.validator_of(properties[each.name]))
            for each in case.tool.signature.parameters
            # A tool with a schema of its own has no types to compare with
            if not brings_schema and each.kind is not inspect.Parameter.VAR_KEYWORD and each.name in properties
        ]
        self.accepted = 0
        self.refusals: dict[str, int] = {}

    def examine(self, arguments: dict[str, Any]) -> Failure | None:
        """Return what is wrong with the executor's answer to `arguments`, or None; count the answer."""
        is_valid = self._case.validator.is_valid(arguments)
        trial, mapped = self._case.call(json.dumps(arguments)), self._case.call(arguments)
        if (trial.arrival is None, trial.code) != (mapped.arrival is None, mapped.code):
            return Failure(
                expected="one answer, whether they come as JSON text or as a mapping",
                got=f"{trial.code or 'accepted'}, and then {mapped.code or 'accepted'}",
            )
        wrong = self._against_schema(arguments, trial) if is_valid else self._against_refusal(arguments, trial)
        return wrong or self._against_types(arguments)

    def _against_schema(self, arguments: dict[str, Any], trial: CallTrial) -> Failure | None:
        """Return what is wrong with the answer to arguments that the schema accepts, or None.

        Count the answer: `accepted`, or `refusals` by reason if only a type refuses them, which is not wrong.
        """
        if trial.result.repairs:
            return Failure(
                expected="accepted unchanged: the schema accepts them",
                got=f"repaired: {'; '.join(trial.result.repairs)}",
            )
        if trial.code == "invalid_arguments" and (reason := self._refusal(arguments)):
            self.refusals[reason] = self.refusals.get(reason, 0) + 1
            return None
        if not trial.result.ok:
            return Failure(
                expected="accepted: the schema accepts them",
                got=f"{trial.code}: {trial.result.content}",
                advice="let the type refuse only what its schema refuses, or say it in the schema",
            )
        self.accepted += 1
        return None

    def _refusal(self, arguments: dict[str, Any]) -> str:
        """Return the reason that types refuse arguments which both validators accept.

        Empty if they accept them, or if the tool's own validator does not.

        Raises:
            Exception: A codec raised it where it should refuse; the executor reports a refusal.
        """
        if not self._case.tool.validator().is_valid(arguments):
            return ""
        signature, given = self._case.tool.signature, copy.deepcopy(arguments)
        codecs = {each.name: each.codec for each in signature.parameters}
        try:
            for name in [name for name in given if name in codecs]:
                codecs[name].decode(copy.deepcopy(given[name]))
            signature.binding.decode(given)
        except Refusal as refusal:
            return refusal.reason
        return ""

    def _against_refusal(self, arguments: dict[str, Any], trial: CallTrial) -> Failure | None:
        """Return what is wrong with the answer to arguments that the schema does not accept, or None.

        None if they are refused with problems, or repaired to a call that is valid.
        """
        problems = "; ".join(map(str, self._case.validator.problems(arguments)))
        if trial.arrival is None and trial.code == "invalid_arguments" and trial.result.error is not None:
            if trial.result.error.problems:
                return None
            return Failure(
                expected=f"refused with the reasons: {problems}",
                got="refused without a problem",
            )
        if trial.arrival is None:
            return Failure(expected=f"invalid_arguments: {problems}", got=trial.code)
        if trial.result.repairs and (left := self._invalid_after_repair(trial.arrival)) is None:
            return None
        got = f"called with {call_text(trial.arrival)}"
        if trial.result.repairs:
            got += f" after a repair ({'; '.join(trial.result.repairs)}) that left this: {left}"
        return Failure(expected=f"refused: {problems}", got=got)

    def _invalid_after_repair(self, arrival: Arrival) -> str | None:
        """Return what is still wrong with a repaired call, written as JSON again; None if it is valid.

        It is the error's text if the call cannot be written. What a type withholds does not count.
        """
        try:
            written = self._case.tool.make_call(*arrival.args, **arrival.kwargs).arguments
        except (TypeError, ValueError) as error:
            return str(error)
        if self._case.validator.is_valid(written):
            return None
        known = {each.name for each in self._case.tool.signature.parameters}
        withholding = {
            None if each.kind is inspect.Parameter.VAR_KEYWORD else each.name
            for each in self._case.tool.signature.parameters
            if _withholds(each)
        }
        violations = [
            each
            for each in self._case.validator.violations(written)
            # What a type withholds is missing in what is written
            if (each.path[0] if each.path and each.path[0] in known else None) not in withholding
        ]
        return "; ".join(map(str, word_problems(violations))) or None

    def _against_types(self, arguments: dict[str, Any]) -> Failure | None:
        """Return the first parameter whose type disagrees with its own schema on its value, or None.

        Unions rely on what types accept.
        """
        for parameter, is_valid in self._parts:
            value = arguments.get(parameter.name)
            if parameter.name not in arguments or parameter.codec.accepts(value) == is_valid(value):
                continue
            says = "accepts" if is_valid(value) else "refuses"
            return Failure(
                expected=f"the type of {parameter.name!r} says what its schema says, which {says} {arguments_text(value)}",
                got=f"its codec's accepts() says {parameter.codec.accepts(value)}",
            )
        return None

    def all_refused(self) -> list[Failure]:
        """Return a list with the failure of a tool that refuses all arguments; empty if it accepts some."""
        if self.accepted or not self.refusals or self._accepts_combined():
            return []
        count = sum(self.refusals.values())
        return [
            Failure(
                expected="some of the arguments that the schema accepts reach the function",
                got=f"all {count} that were tried are refused after decoding: {_most_frequent(self.refusals)}",
                advice="say in the schema what is asked for (bounds, a pattern, an enum), or declare arguments that do with examples=[…]",
            )
        ]

    def _accepts_combined(self) -> bool:
        """Return whether a call with the required arguments, each a value that its type accepts, is accepted.

        False if no such value is found for one of them.
        """
        codecs = {each.name: each.codec for each in self._case.tool.signature.parameters}
        needed = self._case.tool.parameters.get("required", ())
        accepted: dict[str, Any] = {}
        for count in _SEARCHES:
            for arguments in drawn(self._case.arguments, count):
                for name in [name for name in arguments if name in codecs and name not in accepted]:
                    with suppress(Refusal):
                        codecs[name].decode(copy.deepcopy(arguments[name]))
                        accepted[name] = arguments[name]
            if all(name in accepted for name in needed):
                return self._case.call({name: accepted[name] for name in needed}).result.ok
        return False

    def remarks(self) -> tuple[str, ...]:
        """Return a sentence on how many valid arguments were refused, if any were.

        Their reasons are such as no schema can express.
        """
        refused = sum(self.refusals.values())
        if not refused:
            return ()
        text = f"{refused} of {refused + self.accepted} argument objects that its schema accepts are refused after decoding"
        return (f"{text}: {_most_frequent(self.refusals)}",)


def _no_arguments() -> Failure:
    """Return the failure of a tool for whose schema no arguments could be made."""
    return Failure(
        expected="arguments that the schema accepts",
        got="none could be made of it",
        advice="if there are any, declare some with examples=[…], of which more will be made; if not, its bounds exclude each other",
    )


def _most_frequent(refusals: dict[str, int]) -> str:
    """Return the reason with the highest count in `refusals`; of several, the last in alphabetical order."""
    return max(refusals, key=lambda reason: (refusals[reason], reason))


# --- delivers-annotated-types ---


def delivers_annotated_types(case: Case) -> Verdict:
    """Check that each argument arrives at the function with its annotated type.

    The arguments are bound to the function's own signature, as Python would.
    """
    signature = _signature_without_context(case)
    return case.check_each(lambda arguments: _delivery_failure(case, signature, arguments))


def _delivery_failure(case: Case, signature: inspect.Signature, arguments: dict[str, Any]) -> Failure | None:
    """Return what is wrong with the values that arrive for `arguments`; None if nothing, or none arrive."""
    trial = case.call(arguments)
    if trial.arrival is None:
        return None
    try:
        bound = signature.bind(*trial.arrival.args, **trial.arrival.kwargs)
    except TypeError as error:
        return Failure(
            expected=f"a call that the function accepts: {signature}",
            got=f"{call_text(trial.arrival)}: {exception_message(error)}",
            advice="make the schema of the parameters ask for what the function needs",
        )
    arrived = _values_by_name(bound)
    for each in case.tool.signature.parameters:
        if failure := _parameter_failure(each, arguments, arrived, signature):
            return failure
        arrived.pop(each.name, None)
    return None


def _signature_without_context(case: Case) -> inspect.Signature:
    """Return the function's signature, without the parameter for the context that the executor fills in."""
    signature, context = signature_of(case.tool.function), case.tool.signature.context
    if context is None:
        return signature
    return signature.replace(parameters=[each for each in signature.parameters.values() if each.name != context.name])


def _values_by_name(bound: inspect.BoundArguments) -> dict[str, Any]:
    """Return the bound values by the names that a model writes: `*args` as a list, `**kwargs` one by one.

    A list for `*args` is always there, maybe empty.
    """
    parameters = bound.signature.parameters.values()
    arrived: dict[str, Any] = {each.name: [] for each in parameters if each.kind is inspect.Parameter.VAR_POSITIONAL}
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            arrived |= value
        else:
            arrived[name] = list(value) if kind is inspect.Parameter.VAR_POSITIONAL else value
    return arrived


def _parameter_failure(
    parameter: Parameter, arguments: dict[str, Any], arrived: dict[str, Any], signature: inspect.Signature
) -> Failure | None:
    """Return what is wrong with the value of one parameter; None if nothing, or the call does not give it.

    Args:
        parameter: The parameter.
        arguments: The arguments of the call, as JSON.
        arrived: The values that arrived, by name, without those of earlier parameters.
        signature: The signature of the function.
    """
    name, codec = parameter.name, parameter.codec
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
        wrong = [each for each in arrived.values() if not codec.handles(each)]
    elif name not in arguments:
        return None
    elif name not in arrived:
        return Failure(expected=f"{name!r} arrives", got="it does not, or under another name")
    else:
        wrong = [] if codec.handles(arrived[name]) else [arrived[name]]
    if not wrong:
        return None
    annotation = signature.parameters[name].annotation if name in signature.parameters else inspect.Parameter.empty
    wanted = "its type" if annotation is inspect.Parameter.empty else inspect.formatannotation(annotation)
    return Failure(
        expected=f"{name!r} arrives as {wanted}",
        got=f"{python_text(wrong[0])}, of the type {type(wrong[0]).__name__}",
        advice=f"decode() makes what handles() does not know; {REPORT}",
    )


# --- leaves-its-input-alone ---


def leaves_its_input_alone(case: Case) -> Verdict:
    """Check that a call leaves the objects of the caller as they are, even if its function empties them."""
    return case.check_each(lambda arguments: _change_failure(case, arguments))


def _change_failure(case: Case, arguments: dict[str, Any]) -> Failure | None:
    """Return how a call, or decoding, changed the caller's own arguments; None if it did not.

    What arrives at the function is emptied before the arguments are compared.
    """
    given, decoded = copy.deepcopy(arguments), copy.deepcopy(arguments)
    trial = case.stand_in.call(given)
    if trial.arrival is not None:
        _empty(trial.arrival.args, trial.arrival.kwargs)
    with suppress(Refusal):
        case.tool.signature.binding.decode(decoded)
    for changed, what in ((given, "the call"), (decoded, "decoding")):
        if json.dumps(changed) != json.dumps(arguments):
            return Failure(
                expected="the caller's arguments stay as they were",
                got=f"{what} made them {arguments_text(changed)}",
                advice="decode() must make a new value, and leave the one that it is given alone",
            )
    return None


def _empty(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Empty the lists, dicts and sets among some arguments themselves, as a careless function may."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, (list, dict, set)):
            value.clear()


# --- gives-the-call-back ---


def gives_the_call_back(case: Case) -> Verdict:
    """Check that the call that arrived, written as JSON again, is valid, and the same call each time."""
    if any(map(_withholds, case.tool.signature.parameters)):
        return Verdict(skipped="its types hide a part of their values, such as a secret")
    return case.check_each(lambda arguments: _round_trip_failure(case, arguments))


def _withholds(parameter: Parameter) -> bool:
    """Return whether the type of a parameter, or a type inside it, hides a part of its value."""
    return any(codec.withholds for codec in walk_codecs([parameter.codec]))


def _round_trip_failure(case: Case, arguments: dict[str, Any]) -> Failure | None:
    """Return how the call that is written again differs from the call that arrived.

    None if it does not, or if the call does not arrive. It differs, too, if it cannot be written or is not valid.
    """
    trial = case.call(arguments)
    if trial.arrival is None:
        return None
    try:
        first = _call_arguments(case, trial.arrival)
        again = case.call(first)
        second = None if again.arrival is None else _call_arguments(case, again.arrival)
    except Exception as error:  # foreign code: encoding a value runs its author's  # noqa: BLE001
        return _other_call_failure(f"{type(error).__name__}: {exception_message(error)}")
    if problems := case.validator.problems(first):
        return _other_call_failure(f"{arguments_text(first)}, which is not valid: {'; '.join(map(str, problems))}")
    if second is None or json.dumps(first, sort_keys=True) != json.dumps(second, sort_keys=True):
        other = again.result.content if second is None else arguments_text(second)
        return _other_call_failure(f"{arguments_text(first)}, and of that: {other}")
    return None


def _call_arguments(case: Case, arrival: Arrival) -> Any:
    """Return the arguments of the call that arrived as `make_call` writes them: as JSON.

    Raises:
        Exception: Encoding a value raised it.
    """
    return case.tool.make_call(*arrival.args, **arrival.kwargs).arguments


def _other_call_failure(got: str) -> Failure:
    """Return the failure of a tool whose call, written again, is `got`."""
    return Failure(
        expected="make_call writes the call that arrived as a model would: valid, and the same when it is called",
        got=got,
        advice="let encode() write what decode() reads; and give a record that checks its fields values that pass",
    )


def call_text(arrival: Arrival) -> str:
    """Return the arguments of a call as Python writes them."""
    named = (f"{name}={python_text(value)}" for name, value in arrival.kwargs.items())
    return f"({', '.join([*map(python_text, arrival.args), *named])})"
