"""What goes into a batch of calls, and what comes out of it?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from fcregistry._calls import ToolCall

if TYPE_CHECKING:
    from fcregistry._results import ToolResult


def listed(calls: Iterable[object]) -> list[object]:
    """Return calls as a list.

    Raises:
        TypeError: It is one call, and not several.
    """
    if isinstance(calls, (Mapping, str, ToolCall)):
        raise TypeError(f"give a list of calls, or use run for one, not {type(calls).__name__}")
    return list(calls)


def uninterrupted(results: Iterable[ToolResult | KeyboardInterrupt]) -> list[ToolResult]:
    """Return the results, or raise the interrupt that is among them."""
    checked = []
    for result in results:
        if isinstance(result, KeyboardInterrupt):
            raise result
        checked.append(result)
    return checked
