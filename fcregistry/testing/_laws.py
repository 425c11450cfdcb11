"""Does what arrives fit the function, leave the caller's objects alone, and become the same call again? Tried with many arguments."""

from __future__ import annotations

import copy
import inspect
import json
from contextlib import suppress
from typing import Any

from fcregistry._base.annotations import signature_of
from fcregistry._tools.parameters import Parameter
from fcregistry.errors import said_by
from fcregistry.testing._case import Case
from fcregistry.testing._failures import REPORT, Failure, Verdict, call_text, python_text, shown
from fcregistry.testing._stand_in import Arrival
from fcregistry.types import Refusal
from fcregistry.types._codec import walk

# --- delivers-annotated-types -------------------------------------------------------------------------------------


def delivers_annotated_types(case: Case) -> Verdict:
    """Bind what arrives to the function's own signature, as Python would, and look at each argument."""
    signature = _of_models(case)
    return case.each(lambda arguments: _misdelivered(case, signature, arguments))


def _misdelivered(case: Case, signature: inspect.Signature, arguments: dict[str, Any]) -> Failure | None:
    """Return what is wrong with what arrives of some arguments, or None."""
    trial = case.call(arguments)
    if trial.arrival is None:
        return None
    try:
        bound = signature.bind(*trial.arrival.args, **trial.arrival.kwargs)
    except TypeError as error:
        return Failure(
            arguments=arguments,
            expected=f"a call that the function takes: {signature}",
            got=f"{call_text(trial.arrival)}: {said_by(error)}",
            advice="make the schema of the parameters ask for what the function needs",
        )
    arrived = _by_name(bound)
    for each in case.tool.signature.parameters:
        if failure := _wrong_delivery(each, arguments, arrived, signature):
            return failure
        arrived.pop(each.name, None)
    return None


def _of_models(case: Case) -> inspect.Signature:
    """Return the function's signature without the context that the executor fills in."""
    signature, context = signature_of(case.tool.function), case.tool.signature.context
    if context is None:
        return signature
    return signature.replace(parameters=[each for each in signature.parameters.values() if each.name != context.name])


def _by_name(bound: inspect.BoundArguments) -> dict[str, Any]:
    """Return what arrived under each name that a model writes: `*args` as a list, what is in `**kwargs` each by itself."""
    parameters = bound.signature.parameters.values()
    arrived: dict[str, Any] = {each.name: [] for each in parameters if each.kind is inspect.Parameter.VAR_POSITIONAL}
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            arrived |= value
        else:
            arrived[name] = list(value) if kind is inspect.Parameter.VAR_POSITIONAL else value
    return arrived


def _wrong_delivery(
    parameter: Parameter, arguments: dict[str, Any], arrived: dict[str, Any], signature: inspect.Signature
) -> Failure | None:
    """Return what is wrong with what arrived for one parameter; the parameters before it have been taken out."""
    name, codec = parameter.name, parameter.codec
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
        wrong = [each for each in arrived.values() if not codec.handles(each)]
    elif name not in arguments:
        return None
    elif name not in arrived:
        return Failure(
            arguments=arguments, expected=f"{name!r} arrives", got="it does not, or under another name", advice=REPORT
        )
    else:
        wrong = [] if codec.handles(arrived[name]) else [arrived[name]]
    if not wrong:
        return None
    annotation = signature.parameters[name].annotation if name in signature.parameters else inspect.Parameter.empty
    wanted = "its type" if annotation is inspect.Parameter.empty else inspect.formatannotation(annotation)
    return Failure(
        arguments=arguments,
        expected=f"{name!r} arrives as {wanted}",
        got=f"{python_text(wrong[0])}, of the type {type(wrong[0]).__name__}",
        advice=f"decode() makes what handles() does not know; {REPORT}",
    )


# --- leaves-its-input-alone ---------------------------------------------------------------------------------------


def leaves_its_input_alone(case: Case) -> Verdict:
    """Give the caller's own objects, have everything that arrives emptied, and compare the caller's with a copy."""
    return case.each(lambda arguments: _spoiled(case, arguments))


def _spoiled(case: Case, arguments: dict[str, Any]) -> Failure | None:
    """Return what was done to the caller's own arguments, or None."""
    given, decoded = copy.deepcopy(arguments), copy.deepcopy(arguments)
    trial = case.stand_in.call(given)
    if trial.arrival is not None:
        _empty(trial.arrival.args, trial.arrival.kwargs)
    with suppress(Refusal):
        case.tool.signature.binding.decode(decoded)
    for changed, who in ((given, "the call"), (decoded, "decoding")):
        if json.dumps(changed) != json.dumps(arguments):
            return Failure(
                arguments=arguments,
                expected="the caller's arguments stay as they were",
                got=f"{who} made them {shown(changed)}",
                advice="decode() must make a new value, and leave the one that it is given alone",
            )
    return None


def _empty(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Do what a careless function does with its arguments."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, (list, dict, set)):
            value.clear()


# --- gives-the-call-back ------------------------------------------------------------------------------------------


def gives_the_call_back(case: Case) -> Verdict:
    """Write the call that arrived as JSON again: it is valid, and the same call, however often that is done."""
    if any(codec.withholds for codec in walk(each.codec for each in case.tool.signature.parameters)):
        return Verdict(skipped="its types keep a part of what they are given to themselves, such as a secret")
    return case.each(lambda arguments: _other_call(case, arguments))


def _other_call(case: Case, arguments: dict[str, Any]) -> Failure | None:
    """Return what comes back in place of the same call, or None."""
    trial = case.call(arguments)
    if trial.arrival is None:
        return None
    try:
        first = _written(case, trial.arrival)
        again = case.call(first)
        second = None if again.arrival is None else _written(case, again.arrival)
    except Exception as error:  # foreign code: encoding a value runs its author's  # noqa: BLE001
        return _not_given_back(arguments, f"{type(error).__name__}: {said_by(error)}")
    if problems := case.validator.problems(first):
        return _not_given_back(arguments, f"{shown(first)}, which is not valid: {'; '.join(map(str, problems))}")
    if second is None or json.dumps(first, sort_keys=True) != json.dumps(second, sort_keys=True):
        said = again.result.content if second is None else shown(second)
        return _not_given_back(arguments, f"{shown(first)}, and of that: {said}")
    return None


def _written(case: Case, arrival: Arrival) -> Any:
    return case.tool.make_call(*arrival.args, **arrival.kwargs).arguments


def _not_given_back(arguments: Any, got: str) -> Failure:
    return Failure(
        arguments=arguments,
        expected="make_call writes the call that arrived as a model would: valid, and the same when it is called",
        got=got,
        advice="let encode() write what decode() reads; and give a record that checks its fields values that pass",
    )
