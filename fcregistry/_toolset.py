"""What may one executor or agent call? A frozen set of tools, by wire name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from fcregistry._tool import Tool
from fcregistry.errors import DuplicateToolError

_LISTED: Final = 20
"""Names of tools that an error lists."""


class Toolset(Mapping[str, Tool]):
    """A frozen mapping from wire name to tool, sorted by name: what one executor or agent may call.

    Args:
        tools: The tools; each stands under its wire name.

    Raises:
        DuplicateToolError: Two tools have one wire name.
    """

    __slots__ = ("_tools",)

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        by_name: dict[str, Tool] = {}
        clashes = []
        for tool in tools:
            other = by_name.setdefault(tool.name, tool)
            if other._definition is not tool._definition:
                clashes.append(f"{tool.name!r} is {other.id} ({other.origin}) and {tool.id} ({tool.origin})")
            elif not other._is_same_as(tool):
                clashes.append(f"{tool.name!r} is {other.id} ({other.origin}) with two descriptions")
        if clashes:
            raise DuplicateToolError(
                f"two tools have one name: {'; '.join(clashes)}. Leave one out, or use .renamed({{…}}) or .prefixed(…) on a toolset"
            )
        self._tools = dict(sorted(by_name.items()))

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def renamed(self, names: Mapping[str, str]) -> Toolset:
        """Return the same tools, some under other names.

        Args:
            names: Old wire name -> new one.

        Raises:
            KeyError: There is no tool of an old name; names the nearest.
        """
        self._check_known(names, "rename")
        return Toolset(tool.renamed(names[name]) if name in names else tool for name, tool in self._tools.items())

    def prefixed(self, prefix: str) -> Toolset:
        """Return the same tools with a prefix before each name."""
        return Toolset(tool.renamed(prefix + name) for name, tool in self._tools.items())

    def described(self, descriptions: Mapping[str, str]) -> Toolset:
        """Return the same tools, some with other descriptions. Their ids, origins and options stay, so policies see the same tools.

        Args:
            descriptions: Wire name -> what the model is told of the tool.

        Raises:
            KeyError: There is no tool of a name; names the nearest.
            DefinitionError: A description is not a string.
        """
        self._check_known(descriptions, "describe")
        return Toolset(
            tool.described(descriptions[name]) if name in descriptions else tool for name, tool in self._tools.items()
        )

    def filtered(self, predicate: Callable[[Tool], bool]) -> Toolset:
        """Return the tools that a predicate holds for."""
        return Toolset(tool for tool in self._tools.values() if predicate(tool))

    def _check_known(self, names: Iterable[str], purpose: str) -> None:
        unknown = sorted(set(names) - set(self._tools))
        if not unknown:
            return
        from fcregistry._naming import nearest  # only on the way to an error

        near = dict.fromkeys(found for name in unknown for found in nearest(name, self._tools))
        meant = f"did you mean {', '.join(near)}? " if near else ""
        listed = ", ".join(islice(self._tools, _LISTED)) + (", …" if len(self._tools) > _LISTED else "")
        raise KeyError(f"no tool {', '.join(unknown)} to {purpose}; {meant}there are {listed or 'none'}")

    def __repr__(self) -> str:
        return f"Toolset({', '.join(self._tools)})"
