"""What would a call do, if it were made? A recorder of the same signature finds out; the function itself is never run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from fcregistry._base.call import ToolCall
from fcregistry._results.result import ToolResult
from fcregistry._tools.tool import Tool
from fcregistry.execution import Executor


class Arrival(NamedTuple):
    """What the function would have been called with."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


class Trial(NamedTuple):
    """What came of a call.

    Attributes:
        arrival: What the function would have been called with; None if it would not have been called.
        result: What the caller got.
    """

    arrival: Arrival | None
    result: ToolResult

    @property
    def code(self) -> str:
        """The code of the failed call; empty for one that went well."""
        return self.result.error.code if self.result.error is not None else ""


class StandIn:
    """A tool whose function is a recorder. Calls take the way of real ones: the same executor, validator, codecs and binding."""

    def __init__(self, tool: Tool) -> None:
        self._name = tool.name
        self._arrivals: list[Arrival] = []
        self._executor = Executor([tool._standing_in(self._record)])

    def _record(self, /, *args: Any, **kwargs: Any) -> None:
        self._arrivals.append(Arrival(args, kwargs))

    def call(self, arguments: Mapping[str, Any] | str) -> Trial:
        """Try a call.

        Args:
            arguments: A mapping, or JSON text as a model writes it.

        Raises:
            Exception: Whatever a codec or a class of the author's raises where it should refuse.
        """
        self._arrivals.clear()
        result = self._executor.run(ToolCall(self._name, arguments))
        return Trial(self._arrivals[0] if self._arrivals else None, result)
