"""What happens while an agent runs? Events, in the order in which they do.

`to_json` writes each for a program that listens elsewhere, a page in a browser say; its `type` is the name of the event.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._results.result import ToolResult
    from fcregistry.agents._result import RunResult
    from fcregistry.execution import Partial, Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """More of what the model thinks."""

    text: str

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "thinking", "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """More of what the model says. Only the `Finished` at the end tells which of it is the answer."""

    text: str

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "text", "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Calling:
    """The model has made a call, which is going to be carried out, or refused."""

    call: ToolCall

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "calling", "call": _written(self.call)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressed:
    """A tool says how far it is, or has yielded something."""

    call: ToolCall
    progress: Progress | Partial

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object.

        Raises:
            EncodingError: What the tool yielded has no JSON form.
        """
        return {"type": "progressed", "call": _written(self.call), "progress": self.progress.to_json()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """A call has its result."""

    result: ToolResult

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "returned", "result": self.result.to_json()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning:
    """A plan is being made, or another one: what the model says from now on is a draft of it, until it is `Planned`."""

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "planning"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """There is a plan, or a new one: its steps, in words."""

    steps: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "planned", "steps": list(self.steps)}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepBegan:
    """A step of the plan begins.

    Attributes:
        index: Which, from 0.
        text: What it is.
    """

    index: int
    text: str

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "step_began", "index": self.index, "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEnded:
    """A step of the plan is done.

    Attributes:
        index: Which, from 0.
        text: What came of it: its failure too.
        ok: Whether it went well.
    """

    index: int
    text: str
    ok: bool = True

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "step_ended", "index": self.index, "text": self.text, "ok": self.ok}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The run is over, or waits for somebody's decision. The last event."""

    result: RunResult

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object.

        Raises:
            EncodingError: The answer is of a type that was asked for, and has no JSON form.
        """
        return {"type": "finished", "result": self.result.to_json()}


def _written(call: ToolCall) -> dict[str, Any]:
    """Return a call as a JSON object, its arguments as text: as the model wrote it, where it wrote text."""
    from fcregistry.models._messages import arguments_text  # which only those need who write events

    return {"id": call.id, "name": call.name, "arguments": arguments_text(call)}


Event: TypeAlias = (
    "Thinking | Text | Calling | Progressed | Returned | Planning | Planned | StepBegan | StepEnded | Finished"
)
