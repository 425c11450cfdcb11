"""What does an agent ask for while it runs? Answers of a model, and results of calls: what it is told, plain and asynchronous code see to."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._tools.tool import Tool
    from fcregistry.agents._result import Event
    from fcregistry.agents._visible_tools import VisibleTools
    from fcregistry.execution import PreparedCalls
    from fcregistry.execution._graph import CallNode
    from fcregistry.execution._suspended import Decision
    from fcregistry.models import Message, Model, ToolChoice

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskModel:
    """Ask a model. What comes back is its `Completion`, a `Failed`, or `Stopped`."""

    model: Model
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    tool_choice: ToolChoice = "auto"
    quiet: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Carry:
    """Carry out calls. What comes back is their results, in their order; where somebody has to decide first, `PreparedCalls`."""

    visible: VisibleTools
    calls: tuple[ToolCall, ...]
    suspends: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Resume:
    """Carry out calls that waited. What comes back is the results of all calls of their message that may be carried out, in their order.

    Attributes:
        calls: These calls: the prepared ones, and between them those of tools that are not visible.
    """

    visible: VisibleTools
    calls: tuple[ToolCall, ...]
    prepared: PreparedCalls
    decisions: Mapping[str, Decision] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Express:
    """Carry out the calls of expressions. What comes back is the results of all, in their order; nobody is waited for."""

    visible: VisibleTools
    nodes: tuple[CallNode, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A model gave no answer.

    Attributes:
        error: What was raised.
    """

    error: Exception


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The run is to end.

    Attributes:
        reason: Why.
    """

    reason: str


Effect: TypeAlias = "AskModel | Carry | Resume | Express | Event"

Course: TypeAlias = Generator[Any, Any, T]
"""Yields effects, is sent what came of each (nothing of an event), and returns a T."""
