"""How does the Model Context Protocol describe tools, calls and results?

Source: MCP specification, 2025-06-18, "Server features: Tools".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats._core import Format, told
from fcregistry.formats._reading import field, is_absent, read_call

if TYPE_CHECKING:
    from fcregistry._calls import ToolCall
    from fcregistry._results import ToolResult
    from fcregistry._tool import Tool

_HINTS: Final = {
    "read_only": "readOnlyHint",
    "destructive": "destructiveHint",
    "idempotent": "idempotentHint",
    "open_world": "openWorldHint",
}


def describe(tool: Tool) -> dict[str, Any]:
    """Return `{name, title, description, inputSchema, outputSchema, annotations}`, as far as there are such."""
    described: dict[str, Any] = {"name": tool.name}
    if tool.title:
        described["title"] = tool.title
    if text := told(tool):
        described["description"] = text
    described["inputSchema"] = tool.parameters
    returns = tool.returns
    if returns is not None and returns.get("type") == "object":  # the protocol takes no other results
        described["outputSchema"] = returns
    hints = {hint: getattr(tool.options, option) for option, hint in _HINTS.items()}
    given = {hint: value for hint, value in hints.items() if value is not None}
    return {**described, "annotations": given} if given else described


def parse(message: Any) -> list[ToolCall]:
    """Return the call of a `tools/call` request, or of its `params`.

    Raises:
        MalformedCallError: It is no call.
    """
    params = field(message, "params")
    return [read_call(message if is_absent(params) else params)]


def report(results: Sequence[ToolResult]) -> list[dict[str, Any]]:
    """Return a `CallToolResult` for each result."""
    return [{"content": list(result.blocks), "isError": not result.ok} for result in results]


FORMAT = Format(
    name="mcp",
    source="Model Context Protocol specification 2025-06-18, tools",
    describe_one=describe,
    join=lambda tools: {"tools": tools},
    parse=parse,
    report=report,
)
