"""What is a format?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fcregistry._calls import ToolCall
    from fcregistry._results import ToolResult
    from fcregistry._tool import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A wire shape, or a text, in which tools are described.

    Attributes:
        name: What it is asked for by.
        source: The specification or provider page it follows.
        describe_one: Renders one tool.
        join: Makes what is sent of the rendered tools; a list by default.
        parse: Reads the calls of a model's message; None where the format has no messages of its own.
        report: Makes the messages that tell the model of results; None likewise.
    """

    name: str
    source: str
    describe_one: Callable[[Tool], Any]
    join: Callable[[list[Any]], Any] = list
    parse: Callable[[Any], list[ToolCall]] | None = None
    report: Callable[[Sequence[ToolResult]], list[dict[str, Any]]] | None = None

    def describe(self, tools: Iterable[Tool]) -> Any:
        """Render tools, in the order given."""
        return self.join([self.describe_one(tool) for tool in tools])


def told(tool: Tool) -> str:
    """Return what a model is told of a tool: its description, and whether it is deprecated."""
    deprecated = tool.options.deprecated
    if not deprecated:
        return tool.description
    notice = "Deprecated." if deprecated is True else f"Deprecated: {deprecated}"
    return f"{tool.description}\n\n{notice}".strip()
