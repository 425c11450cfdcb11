"""Which tools can run in another process? Those that a worker finds by itself: it is sent a name, and never a function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry._tools.tool import Tool


def check_can_travel(tools: Iterable[Tool], because: str) -> None:
    """See that workers can run tools.

    Args:
        tools: What is to run in other processes.
        because: What asks for that, as its author writes it: `pool=…`.

    Raises:
        DefinitionError: Some cannot; names each, and what to do.
    """
    problems = tuple(f"{tool.name}: {problem}" for tool in tools if (problem := why_not(tool)))
    if problems:
        raise DefinitionError(
            f"{because} runs tools in other processes, which find them by name in installed plugins; these cannot:",
            problems,
        )


def why_not(tool: Tool) -> str | None:
    """Return why no worker can run a tool, with the fix, or None if one can."""
    if tool.origin.distribution is None:
        return (
            f"{tool.origin.module}.{tool.origin.qualname} is the application's own, and no worker has it; "
            "ship it in a distribution with an fcregistry entry point"
        )
    if tool._definition.asks_for_context:
        return "it asks for the context of its call, which stays in this process; drop that parameter"
    if tool.options.blocking == "caller":
        return 'it is declared with blocking="caller", so it runs on the caller\'s thread; drop one of the two'
    return None
