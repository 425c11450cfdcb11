"""Which tool does a model mean by a name? By our own, or by the one that a format gives it on the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry.formats._table import wire_names

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool, Toolset


class ToolFinder:
    """Finds tools of a toolset by name; the names of the wire are looked for only where there is no other.

    Args:
        tools: The toolset.
    """

    __slots__ = ("_by_wire_name", "_tools")

    def __init__(self, tools: Toolset) -> None:
        self._tools = tools
        self._by_wire_name: dict[str, str] | None = None

    def find(self, name: str) -> Tool | None:
        """Return the tool of a name, or None."""
        tool = self._tools.get(name)
        if tool is not None:
            return tool
        if self._by_wire_name is None:
            self._by_wire_name = wire_names(self._tools)
        return self._tools.get(self._by_wire_name.get(name, ""))
