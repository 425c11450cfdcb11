"""What are calls that need each other's results? A graph: whoever approves of it sees it whole, before any of it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry.types import Codec

MARK: Final = "$result"
"""The one name of the object that stands in arguments for a result: `{"$result": "call-1"}`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A place in the arguments of a call where the result of another is to stand.

    Attributes:
        path: The place: names and positions, from the arguments inwards.
        call: The id of the other call.
        codec: The codec that writes the result, of the type that is expected there.
    """

    path: tuple[str | int, ...]
    call: str
    codec: Codec = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallGraph:
    """Calls of which some need the results of others.

    Attributes:
        calls: The calls, each behind those whose results it needs, with ids of their own; the last one is the outermost. Where a result is to
            stand in the arguments, there is `{"$result": "the id of its call"}`.
        references: Where that is, by the id of the call whose arguments they are.
    """

    calls: tuple[ToolCall, ...]
    references: Mapping[str, tuple[Reference, ...]]

    @property
    def call(self) -> ToolCall:
        """The outermost call, whose result is that of the whole."""
        return self.calls[-1]

    @property
    def name(self) -> str:
        """The name of the outermost call's tool."""
        return self.call.name


def mark(call: str) -> dict[str, str]:
    """Return what stands in arguments for the result of a call."""
    return {MARK: call}


def filled(arguments: Any, values: Mapping[tuple[str | int, ...], Any], path: tuple[str | int, ...] = ()) -> Any:
    """Return arguments with values in their places; the arguments stay as they are.

    Args:
        arguments: A JSON value.
        values: JSON values by their place.
        path: Where `arguments` stand themselves.
    """
    if path in values:
        return values[path]
    if isinstance(arguments, dict):
        return {name: filled(value, values, (*path, name)) for name, value in arguments.items()}
    if isinstance(arguments, list):
        return [filled(value, values, (*path, place)) for place, value in enumerate(arguments)]
    return arguments
