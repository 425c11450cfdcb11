"""The result of a server's tool, for the program and for the model.

Source: Model Context Protocol specification, "Server features: Tools", section "Tool result".
"""

from __future__ import annotations

from typing import Any, Final

from fcregistry.errors import ToolError
from fcregistry.execution import Content, ToolOutput
from mcp.types import CallToolResult

from fcregistry_mcp._returns import Returns

_SILENT: Final = "the server reports a failure, without a reason"
_FOR_USER: Final = "the server reports a failure, and gives the reason to the user alone"


def answer_of(result: CallToolResult, returns: Returns) -> Any:
    """Return `result`, that of a server's tool: a text unchanged, anything else as content.

    The program gets `structuredContent` if the server sends it; otherwise the text or the content. Content for the user alone stays content:
    that value can become an argument, which a model reads.

    Args:
        result: The result, as the server sends it.
        returns: The schema of the tool's results.

    Raises:
        ToolError: The server reports that the call failed. The message is the server's.
    """
    parts = [part_of(block.model_dump(by_alias=True, exclude_none=True, mode="json")) for block in result.content]
    read = [part for part in parts if not part.for_user]
    if result.is_error:
        silent = _SILENT if len(read) == len(parts) else _FOR_USER
        raise ToolError("\n".join(filter(None, map(str, read))) or silent)
    text = "\n".join(map(str, read)) if all(part.kind == "text" for part in read) else None
    is_text_alone = text is not None and len(read) == len(parts)
    if result.structured_content is None:
        returns.missing()
        return text if is_text_alone else ToolOutput(value=read if text is None else text, content=parts)
    value = returns.value(result.structured_content, text if is_text_alone else None)
    if is_text_alone:
        return ToolOutput(value=value, content=text or "") if text and text != value else value
    if not any(map(str, read)):
        parts.append(Content.json(value))  # else the model would read nothing, as above
    return ToolOutput(value=value, content=parts)


def part_of(block: dict[str, Any]) -> Content:
    """Return `block` as content, or a text that says that it cannot be read."""
    try:
        return Content.from_block(block)
    except ValueError as error:
        words = {"type": "text", "text": f"[a part that cannot be shown: {error}]"}
        return Content.from_block({**words, "annotations": block.get("annotations")})
