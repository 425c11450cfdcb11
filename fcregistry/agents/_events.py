"""The events of a streamed run, in the order of a run.

Each has `to_json`, for a program that listens elsewhere, such as a page in a browser; its `type` is the name of the event.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Generic, TypeAlias

from fcregistry._base.call import ToolCall
from fcregistry.agents._run import AnswerT_co

if TYPE_CHECKING:
    from fcregistry._results.result import ToolResult
    from fcregistry.agents._run import RunResult
    from fcregistry.execution import Partial, Progress


class _Event:
    """What all events have in common."""

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object; its `type` is the name of the event.

        Raises:
            EncodingError: A tool yielded, or the agent answered with, a value that has no JSON form.
        """
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(self).__name__).lower()
        return {"type": name} | {field.name: _written(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]  # each event is a dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking(_Event):
    """The next piece of the model's thinking.

    Attributes:
        text: The piece.
    """

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(_Event):
    """The next piece of the model's text. Only the `Finished` at the end says which text is the answer.

    Attributes:
        text: The piece.
    """

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Calling(_Event):
    """The model has made a call, which will run or be refused.

    Attributes:
        call: The call.
    """

    call: ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressed(_Event):
    """A tool has reported progress, or yielded a part of its result.

    Attributes:
        call: The call of the tool.
        progress: The progress, or the part.
    """

    call: ToolCall
    progress: Progress | Partial


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned(_Event):
    """A call has its result.

    Attributes:
        result: The result.
    """

    result: ToolResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning(_Event):
    """A planner begins a plan: the model's text is a draft of it until `Planned`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned(_Event):
    """A plan is ready.

    Attributes:
        steps: The steps of the plan, in words.
    """

    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepBegan(_Event):
    """A step of the plan begins.

    Attributes:
        index: Its index, from 0.
        text: The step in words.
    """

    index: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEnded(_Event):
    """A step of the plan ends.

    Attributes:
        index: Its index, from 0.
        text: Its result, or its failure.
        ok: Whether it succeeded.
    """

    index: int
    text: str
    ok: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished(_Event, Generic[AnswerT_co]):
    """The run is over, or waits for a decision. The last event.

    Attributes:
        result: The result of the run.
    """

    result: RunResult[AnswerT_co]


def _written(value: Any) -> Any:
    """Return the value of a field as JSON.

    The arguments of a call are text, as the model wrote them if it wrote text.
    """
    if isinstance(value, ToolCall):
        from fcregistry.models import arguments_text  # only for writing events

        return {"id": value.id, "name": value.name, "arguments": arguments_text(value)}
    if isinstance(value, tuple):
        return list(value)
    return value.to_json() if hasattr(value, "to_json") else value


Event: TypeAlias = "Thinking | Text | Calling | Progressed | Returned | Planning | Planned | StepBegan | StepEnded | Finished[AnswerT_co]"
