"""Is what is called just what the schema accepts, both ways? The first law of a tool."""

from __future__ import annotations

import copy
import inspect
import json
from contextlib import suppress
from typing import Any, Final

from fcregistry.testing._case import Case
from fcregistry.testing._failures import REPORT, Failure, Verdict, call_text, shown
from fcregistry.testing._runs import drawn
from fcregistry.testing._schemas import Document
from fcregistry.testing._stand_in import Arrival, Trial
from fcregistry.types import Refusal

_SEARCH: Final = 1000
"""How many argument objects are looked through for some that types take, where all that were tried are refused."""


def accepts_what_its_schema_says(case: Case) -> Verdict:
    """Try arguments that the schema accepts, and others that differ in one place: what is called is what is valid, both ways."""
    asked = _Acceptance(case)
    valid = case.each(asked.examine)
    if valid.skipped:
        return Verdict(failures=(_no_arguments(),))
    failures = [*valid.failures, *asked.all_refused()]
    failures += case.each(asked.examine, nearly=True).failures if not failures else ()
    return Verdict(failures=tuple(failures), remarks=asked.remarks())


class _Acceptance:
    """Compares the executor's answer with the validator's, and counts what no schema can say."""

    def __init__(self, case: Case) -> None:
        self._case = case
        document = Document(case.tool.parameters)
        properties = document.schema["properties"]
        brings_schema = case.tool._definition.declaration.options.get("parameters") is not None
        self._parts = [
            (each, document.validator_of(properties[each.name]))
            for each in case.tool.signature.parameters
            # Where the tool brings its own schema, there are no types beside it.
            if not brings_schema and each.kind is not inspect.Parameter.VAR_KEYWORD and each.name in properties
        ]
        self.accepted = 0
        self.refusals: dict[str, int] = {}

    def examine(self, arguments: dict[str, Any]) -> Failure | None:
        is_valid = self._case.validator.is_valid(arguments)
        trial, mapped = self._case.call(json.dumps(arguments)), self._case.call(arguments)
        if (trial.arrival is None, trial.code) != (mapped.arrival is None, mapped.code):
            return Failure(
                arguments=arguments,
                expected="one answer, whether they come as JSON text or as a mapping",
                got=f"{_answer(trial)}, and then {_answer(mapped)}",
                advice=REPORT,
            )
        wrong = self._against_schema(arguments, trial) if is_valid else self._against_refusal(arguments, trial)
        return wrong or self._against_types(arguments)

    def _against_schema(self, arguments: dict[str, Any], trial: Trial) -> Failure | None:
        """Return what is wrong with the answer to arguments that the schema accepts."""
        if trial.result.repairs:
            return Failure(
                arguments=arguments,
                expected="taken as they are: the schema accepts them",
                got=f"repaired: {'; '.join(trial.result.repairs)}",
                advice=REPORT,
            )
        if trial.code == "invalid_arguments" and (reason := self._refusal(arguments)):
            self.refusals[reason] = self.refusals.get(reason, 0) + 1
            return None
        if not trial.result.ok:
            return Failure(
                arguments=arguments,
                expected="accepted: the schema accepts them",
                got=f"{trial.code}: {trial.result.content}",
                advice="let the type refuse only what its schema refuses, or say it in the schema",
            )
        self.accepted += 1
        return None

    def _refusal(self, arguments: dict[str, Any]) -> str:
        """Return why types refuse arguments that both validators accept; nothing if they do not.

        Raises:
            Exception: What a codec raises that should refuse; the executor says that it refuses.
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

    def _against_refusal(self, arguments: dict[str, Any], trial: Trial) -> Failure | None:
        """Return what is wrong with the answer to arguments that the schema does not accept."""
        problems = "; ".join(map(str, self._case.validator.problems(arguments)))
        if trial.arrival is None and trial.code == "invalid_arguments" and trial.result.error is not None:
            if trial.result.error.problems:
                return None
            return Failure(
                arguments=arguments, expected=f"told why: {problems}", got="refused without a problem", advice=REPORT
            )
        if trial.arrival is None:
            return Failure(
                arguments=arguments, expected=f"invalid_arguments: {problems}", got=trial.code, advice=REPORT
            )
        if trial.result.repairs and (left := self._invalid_after_repair(trial.arrival)) is None:
            return None
        got = f"called with {call_text(trial.arrival)}"
        if trial.result.repairs:
            got += f" after a repair ({'; '.join(trial.result.repairs)}) that left this: {left}"
        return Failure(arguments=arguments, expected=f"refused: {problems}", got=got, advice=REPORT)

    def _invalid_after_repair(self, arrival: Arrival) -> str | None:
        """Return what is still wrong with a repaired call, written as JSON again; None if it is valid."""
        try:
            written = self._case.tool.make_call(*arrival.args, **arrival.kwargs).arguments
        except (TypeError, ValueError) as error:
            return str(error)
        problems = self._case.validator.problems(written)
        return "; ".join(map(str, problems)) or None

    def _against_types(self, arguments: dict[str, Any]) -> Failure | None:
        """Return where a type by itself says something else than its schema: unions go by what types say."""
        for parameter, is_valid in self._parts:
            value = arguments.get(parameter.name)
            if parameter.name not in arguments or parameter.codec.accepts(value) == is_valid(value):
                continue
            says = "accepts" if is_valid(value) else "refuses"
            return Failure(
                arguments=arguments,
                expected=f"the type of {parameter.name!r} says what its schema says, which {says} {shown(value)}",
                got=f"its codec's accepts() says {parameter.codec.accepts(value)}",
                advice=REPORT,
            )
        return None

    def all_refused(self) -> list[Failure]:
        """Return the failure of a tool that no arguments reach."""
        if self.accepted or not self.refusals or self._is_taken_in_parts():
            return []
        count = sum(self.refusals.values())
        return [
            Failure(
                expected="some of the arguments that the schema accepts reach the function",
                got=f"all {count} that were tried are refused after decoding: {_most_frequent(self.refusals)}",
                advice="say in the schema what is asked for (bounds, a pattern, an enum), or declare arguments that do with examples=[…]",
            )
        ]

    def _is_taken_in_parts(self) -> bool:
        """Tell whether a call is accepted that is put together of what each parameter takes: one that takes few strings is not hit with others."""
        codecs = {each.name: each.codec for each in self._case.tool.signature.parameters}
        taken: dict[str, Any] = {}
        for arguments in drawn(self._case.arguments, _SEARCH):
            for name in [name for name in arguments if name in codecs and name not in taken]:
                with suppress(Refusal):
                    codecs[name].decode(copy.deepcopy(arguments[name]))
                    taken[name] = arguments[name]
        needed = self._case.tool.parameters.get("required", ())
        return (
            all(name in taken for name in needed) and self._case.call({name: taken[name] for name in needed}).result.ok
        )

    def remarks(self) -> tuple[str, ...]:
        """Return how many valid arguments were refused by what no schema can say."""
        refused = sum(self.refusals.values())
        if not refused:
            return ()
        text = f"{refused} of {refused + self.accepted} argument objects that its schema accepts are refused after decoding"
        return (f"{text}: {_most_frequent(self.refusals)}",)


def _no_arguments() -> Failure:
    return Failure(
        expected="arguments that the schema accepts",
        got="none could be made of it",
        advice="if there are any, declare some with examples=[…], of which more will be made; if not, its bounds exclude each other",
    )


def _answer(trial: Trial) -> str:
    return trial.code or "accepted"


def _most_frequent(refusals: dict[str, int]) -> str:
    return max(refusals, key=lambda reason: (refusals[reason], reason))
