"""Names of available tools for an error, found with few calls of the functions that decide about it (`available=`).

A model may write many unknown names in one message, and such a function may take milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._tools.selectors import nearest
from fcregistry._tools.tool import definition_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fcregistry._tools.tool import Tool

_MOST_LISTED: Final = 20
_MOST_ASKED: Final = 20
_MOST_NEAR: Final = 6


def has_check(tool: Tool) -> bool:
    """Return whether a function decides if `tool` is available; False if only the index describes it."""
    return callable(definition_of(tool).declaration.options.get("available"))


def available_near(name: str, tools: Mapping[str, Tool]) -> Iterator[str]:
    """Yield the names of available tools that a caller who wrote `name` may have meant, the nearest first.

    Args:
        name: The name that no tool has.
        tools: The tools, by name.
    """
    return (each for each in nearest(name, sorted(tools), most=_MOST_NEAR) if not tools[each].unavailable)


def available_list(tools: Mapping[str, Tool]) -> str:
    """Return the names of the available tools, sorted: at most 20; empty if none is found.

    An ellipsis stands for more, and the number of all follows if it is known. At most 20 tools with such a function are asked for; the others
    are left out.

    Args:
        tools: The tools, by name.
    """
    asked = set([name for name in sorted(tools) if has_check(tools[name])][:_MOST_ASKED])
    unasked = any(has_check(tools[name]) for name in tools if name not in asked)
    found = [
        name for name in sorted(tools) if (name in asked or not has_check(tools[name])) and not tools[name].unavailable
    ]
    if len(found) <= _MOST_LISTED and not unasked:
        return ", ".join(found)
    number = "" if unasked else f" ({len(found)} tools)"
    return f"{', '.join(found[:_MOST_LISTED])}, …{number}" if found else ""
