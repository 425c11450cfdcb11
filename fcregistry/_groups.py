"""What is a group of a registry, seen as a mapping?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from fcregistry._tools.tool import Tool

if TYPE_CHECKING:
    from fcregistry._registry import Registry


class Group(Mapping[str, Tool]):
    """The tools of one group, by name; groups below it are reached through the registry.

    Args:
        registry: The registry it is a view of.
        name: Its dotted name.
    """

    def __init__(self, registry: Registry, name: str) -> None:
        self._registry = registry
        self.name = name

    def __getitem__(self, name: str) -> Tool:
        return self._registry.get(f"{self.name}.{name}")

    def __iter__(self) -> Iterator[str]:
        tools = self._registry.find()
        return iter(sorted({tool.declared_name for tool in tools if tool.group == self.name}))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<Group {self.name}: {', '.join(self) or 'empty'}>"
