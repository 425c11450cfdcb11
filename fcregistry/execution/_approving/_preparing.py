"""How do calls become prepared ones? They are judged, and what is validated of them is written down."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import TYPE_CHECKING

from fcregistry._base.call import CallError
from fcregistry._results.result import ToolResult
from fcregistry._tools.selectors import HINTS
from fcregistry.execution._approving._prepared import AnsweredCall, Asked, PreparedCalls, ValidCall
from fcregistry.execution._approving._questions import Question
from fcregistry.execution._reading._digits import exact_text
from fcregistry.execution._writing._outcome import failure

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._approving._approval import Gate
    from fcregistry.execution._steps import Step


def prepared_of(steps: Iterable[Step | ToolResult], gate: Gate) -> PreparedCalls:
    """Judge calls, and keep them for later.

    Args:
        steps: What came of preparing each.
        gate: Judges them; nobody is asked.
    """
    given = list(steps)
    keys = distinct_keys([None if step.call is None else step.call.id for step in given])
    return PreparedCalls(_judged(key, step, gate) for key, step in zip(keys, given, strict=True))


def _judged(key: str, step: Step | ToolResult, gate: Gate) -> ValidCall | AnsweredCall:
    if isinstance(step, ToolResult):
        return AnsweredCall(key=key, result=step)
    judgement = gate.weigh(step)
    tool = step.bound.tool
    try:
        arguments = exact_text(step.arguments)
    except ValueError:
        judgement = CallError("malformed_call", "the arguments hold a number of more digits than can be written")
    if isinstance(judgement, CallError):
        return AnsweredCall(key=key, result=failure(step.call, judgement, tool, step.repairs, step.decoded))
    return ValidCall(
        key=key,
        name=step.call.name,
        id=step.call.id,
        arguments=arguments,
        tool=tool.id,
        schema_digest=tool.schema_digest,
        repairs=step.repairs,
        asked=None if judgement is None else _asked(judgement, tool),
    )


def _asked(question: Question, tool: Tool) -> Asked:
    said = {hint: getattr(tool.options, hint) for hint in HINTS}
    hints = {hint: value for hint, value in said.items() if value is not None}
    return Asked(reason=question.reason, title=tool.title, description=tool.summary, hints=hints)


def distinct_keys(ids: list[str | None]) -> list[str]:
    """Return a name for each of some calls, no two alike: its id, where it has one that none before it has."""
    taken = {each for each in ids if each}
    used: set[str] = set()
    keys: list[str] = []
    for place, given in enumerate(ids, 1):
        free = (name for n in count(place) if (name := f"{given or 'call'}-{n}") not in taken)
        key = given if given and given not in used else next(free)
        used.add(key)
        taken.add(key)
        keys.append(key)
    return keys
