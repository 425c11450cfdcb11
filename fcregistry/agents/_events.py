"""What happens while an agent runs? Events, in the order in which they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from fcregistry._calls import ToolCall
    from fcregistry._results import ToolResult
    from fcregistry.agents._result import RunResult
    from fcregistry.execution import Partial, Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """More of what the model thinks."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """More of what the model says. Only the `Finished` at the end tells which of it is the answer."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Calling:
    """The model has made a call, which is going to be carried out, or refused."""

    call: ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressed:
    """A tool says how far it is, or has yielded something."""

    call: ToolCall
    progress: Progress | Partial


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """A call has its result."""

    result: ToolResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning:
    """A plan is being made, or another one: what the model says from now on is a draft of it, until it is `Planned`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """There is a plan, or a new one: its steps, in words."""

    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepBegan:
    """A step of the plan begins.

    Attributes:
        index: Which, from 0.
        text: What it is.
    """

    index: int
    text: str


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The run is over, or waits for somebody's decision. The last event."""

    result: RunResult


Event: TypeAlias = (
    "Thinking | Text | Calling | Progressed | Returned | Planning | Planned | StepBegan | StepEnded | Finished"
)
