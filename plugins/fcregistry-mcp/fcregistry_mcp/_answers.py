"""The result of a server's tool, for the program and for the model.

Source: Model Context Protocol specification, "Server features: Tools", section "Tool result".
"""

from __future__ import annotations

from typing import Any, Final

from fcregistry.errors import ToolError
from fcregistry.execution import Content, ToolOutput
from mcp.types import CallToolResult

_SILENT: Final = "the server reports a failure, without a reason"


def answer_of(result: CallToolResult) -> Any:
    """Return `result`, that of a server's tool: a text unchanged, anything else as content.

    The program gets `structuredContent` if the server sends it; otherwise the text or the content.

    Raises:
        ToolError: The server reports that the call failed. The message is the server's.
    """
    parts = [_part(block.model_dump(by_alias=True, exclude_none=True, mode="json")) for block in result.content]
    if result.is_error:
        raise ToolError("\n".join(filter(None, map(str, parts))) or _SILENT)
    structured = result.structured_content
    if all(part.kind == "text" for part in parts):
        text = "\n".join(map(str, parts))
        if structured is None:
            return text
        return ToolOutput(value=structured, content=text) if text else structured
    return ToolOutput(value=parts if structured is None else structured, content=parts)


def _part(block: dict[str, Any]) -> Content:
    """Return `block` as content, or a text that says that it cannot be read."""
    try:
        return Content.from_block(block)
    except ValueError as error:
        return Content.text(f"[a part that cannot be shown: {error}]")
