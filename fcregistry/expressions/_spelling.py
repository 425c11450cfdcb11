"""By which names may a tool be called in an expression? Not each of ours is one of Python's."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry._tools.tool import Tool

_NO_NAME: Final = re.compile(r"\W")


def identifier(name: str) -> str:
    """Return what a tool is called in Python: with underscores for what no name has there."""
    written = _NO_NAME.sub("_", name)
    if keyword.iskeyword(written):
        return f"{written}_"
    return f"_{written}" if written[:1].isdigit() else written


def called(tools: Iterable[Tool]) -> dict[str, Tool]:
    """Return tools by the names that a model is told: each has one of its own, with a number where another has it already."""
    plain = {each.name: each for each in tools if identifier(each.name) == each.name}
    others: dict[str, Tool] = {}
    for each in tools:
        if plain.get(each.name) is not each:
            name = written = identifier(each.name)
            number = 1
            while written in plain or written in others:
                number += 1
                written = f"{name}_{number}"
            others[written] = each
    return plain | others


def other_names(tools: Iterable[Tool]) -> dict[str, Tool | None]:
    """Return tools by the names that they have beside those; None for a name that means several."""
    known: dict[str, Tool | None] = {}
    for spell in _SPELLINGS:
        found: dict[str, Tool | None] = {}
        for each in tools:
            for name in spell(each):
                found[name] = each if found.get(name, each) is each else None
        known = found | known
    return known


def spellings(tool: Tool) -> list[str]:
    """Return the names that may mean a tool."""
    return [tool.name, identifier(tool.name), *(name for spell in _SPELLINGS for name in spell(tool))]


def _told(tool: Tool) -> Iterable[str]:
    """Yield what the format `python` calls a tool, where Python has no such name."""
    if identifier(tool.name) != tool.name or "_x" in tool.name:  # with which begins what the format writes otherwise
        from fcregistry.formats.python import NAMES  # some milliseconds, for few names

        yield NAMES.wire_name(tool.name)


def _grouped(tool: Tool) -> Iterable[str]:
    return (".".join(map(identifier, (*tool.group.split("."), tool.declared_name))),)


def _aliases(tool: Tool) -> Iterable[str]:
    return map(identifier, tool.options.aliases)


_SPELLINGS: Final[tuple[Callable[[Tool], Iterable[str]], ...]] = (_told, _grouped, _aliases)
"""The kinds of other names; an earlier one beats a later one of another tool."""
