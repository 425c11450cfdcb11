"""When has a step of a plan failed? When its loop comes to no answer, or the model says so: `FAILED: why`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from fcregistry.agents._result import WORDED
from fcregistry.agents._rules import End

if TYPE_CHECKING:
    from fcregistry.agents._answers import Answers
    from fcregistry.agents._rules import Talk
    from fcregistry.models import Completion

_FAILED: Final = re.compile(r"[\s*_`]*FAILED[*_`]*:[\s*_`]*(.*)", re.DOTALL)

_OF_THE_STEP: Final = frozenset({"answered", "max_rounds", "length", "content_filter", "invalid_answer"})
"""How a loop ends of a step that has failed, where another plan may help: not if the run is over, or there is no model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failure:
    """Stands for the answer of a step that could not be done."""

    reason: str


class StepAnswers:
    """Takes `FAILED: why` for the end of a step, whatever else its answer has to be."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self.instructions = answers.instructions

    def end(self, talk: Talk, completion: Completion) -> End | None:
        found = _FAILED.match(completion.message.text)
        if found is None:
            return self._answers.end(talk, completion)
        return End(reason="answered", answer=_Failure(reason=found[1].strip() or "no reason was given"))


def failure_of(end: End) -> str | None:
    """Return why a step has no result; None where it has one."""
    if isinstance(end.answer, _Failure):
        return end.answer.reason
    if end.reason == "answered":
        return None
    return f"{WORDED[end.reason]}: {end.error}" if end.error is not None else WORDED[end.reason]


def given_up(step: str, end: End) -> End:
    """Return how a run ends in which a step fails, and no other plan is made."""
    if not isinstance(end.answer, _Failure):
        return replace(end, answer=None)
    return End(reason="step_failed", error=RuntimeError(f"{step!r:.200} could not be done: {end.answer.reason}"))


def may_go_on(end: End) -> bool:
    """Tell whether another plan may help where a step ended like this."""
    return end.reason in _OF_THE_STEP
