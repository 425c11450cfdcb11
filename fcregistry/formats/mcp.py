"""The format of the Model Context Protocol.

Source: MCP specification, 2025-06-18, "Server features: Tools". A tool whose result is an object has an `outputSchema`, and
each of its results has `structuredContent` beside the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from fcregistry._schema.document import References
from fcregistry.formats._format import Format, json_value_of
from fcregistry.formats._read import read_call, read_field

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool
    from fcregistry.formats._format import RenderInput

_HINTS: Final = {
    "read_only": "readOnlyHint",
    "destructive": "destructiveHint",
    "idempotent": "idempotentHint",
    "open_world": "openWorldHint",
}


def render(rendering: RenderInput) -> dict[str, Any]:
    """Return `{name, title, description, inputSchema, outputSchema, annotations}`.

    Fields that the tool lacks are left out.
    """
    tool = rendering.tool
    described = rendering.named("inputSchema")
    if tool.title:
        described["title"] = tool.title
    if returns := output_schema(tool):
        described["outputSchema"] = returns
    hints = {hint: getattr(tool.options, option) for option, hint in _HINTS.items()}
    given = {hint: value for hint, value in hints.items() if value is not None}
    return {**described, "annotations": given} if given else described


def output_schema(tool: Tool) -> dict[str, Any] | None:
    """Return the schema of the results of `tool` if they are objects, otherwise None.

    The protocol accepts no other results.
    """
    returns = tool.returns
    if returns is not None and "$ref" in returns:  # a record that refers to itself
        place = References(returns).place(returns["$ref"])
        target = None if place is None else References(returns).at(place)
        if isinstance(target, dict):
            returns = {**{name: value for name, value in returns.items() if name != "$ref"}, **target}
    return returns if returns is not None and returns.get("type") == "object" else None


def parse(message: Any) -> list[ToolCall]:
    """Return a list of the call in `message`, a `tools/call` request or its `params`.

    Raises:
        MalformedCallError: `message` is not a call.
    """
    params = read_field(message, "params")
    return [read_call(message if params is None else params)]


def report(results: Sequence[ToolResult]) -> list[dict[str, Any]]:
    """Return a `CallToolResult` for each result."""
    return [_result(result) for result in results]


def _result(result: ToolResult) -> dict[str, Any]:
    """Return `result` as a `CallToolResult`.

    It has `structuredContent` if it is an object and its tool has an `outputSchema`; `isError` says whether the call failed.
    """
    blocks = [part.to_block() for part in result.parts]  # a client shows those for its user alone
    shown: dict[str, Any] = {"content": blocks, "isError": not result.ok}
    structured = _structured(result)
    return shown if structured is None else {**shown, "structuredContent": structured}


def _structured(result: ToolResult) -> dict[str, Any] | None:
    """Return the object in `result` if its tool has an `outputSchema`, or else None.

    It is also None for a failure, for a value that is not an object, and for one that a run has dropped. The object is not cut, since programs
    read it.
    """
    if not result.ok or result.dropped or result.tool is None or output_schema(result.tool) is None:
        return None
    value = json_value_of(result)
    return value if isinstance(value, dict) else None


FIELDS: Final = frozenset({"_meta", "annotations", "execution", "icons", "outputSchema", "title"})
"""Specification, 2025-11-25, "Tool"."""

FORMAT = Format(
    name="mcp",
    source="Model Context Protocol specification 2025-06-18, tools",
    render=render,
    join=lambda tools: {"tools": tools},
    fields=FIELDS,
    parse=parse,
    report=report,
)
