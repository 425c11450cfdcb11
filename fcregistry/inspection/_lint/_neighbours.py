"""Which other tools have the same name, or one that looks like it?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from fcregistry._tools.tool import Tool

Key = TypeVar("Key")


class Neighbours:
    """The tools that may stand beside the ones at hand, these included.

    Args:
        tools: All of them.
    """

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._by_id: dict[str, list[Tool]] = {}
        self._by_look: dict[tuple[str, str], list[Tool]] = {}
        self._by_name: dict[str, list[Tool]] = {}
        self._by_alias: dict[str, list[Tool]] = {}
        for tool in tools:
            self._by_id.setdefault(tool.id, []).append(tool)
            self._by_look.setdefault((tool.group, blurred(tool.declared_name)), []).append(tool)
            self._by_name.setdefault(tool.declared_name, []).append(tool)
            for alias in tool.options.aliases:
                self._by_alias.setdefault(alias, []).append(tool)

    def twins(self, tool: Tool) -> list[Tool]:
        """Return the others of the same id."""
        return [each for each in self._by_id.get(tool.id, ()) if each is not tool]

    def lookalikes(self, tool: Tool) -> list[Tool]:
        """Return those of the group whose name is another, and differs only in case, `-` and `_`."""
        name = tool.declared_name
        alike = self._by_look.get((tool.group, blurred(name)), ())
        return [each for each in alike if each.declared_name != name]

    def named(self, name: str) -> list[Tool]:
        """Return those of a name, in any group."""
        return self._by_name.get(name, [])

    def aliased(self, alias: str) -> list[Tool]:
        """Return those of an alias, in any group."""
        return self._by_alias.get(alias, [])


def blurred(name: str) -> str:
    """Return what is left of a name for somebody who does not look closely."""
    return name.casefold().replace("-", "").replace("_", "")
