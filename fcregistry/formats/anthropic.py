"""How does Anthropic's messages API describe tools, calls and results?

Source: Anthropic API reference, "Messages", and guide "Tool use".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fcregistry.formats._core import Format, told
from fcregistry.formats._reading import parse_message

if TYPE_CHECKING:
    from fcregistry._results import ToolResult
    from fcregistry._tool import Tool


def describe(tool: Tool) -> dict[str, Any]:
    """Return `{name, description, input_schema}`."""
    described: dict[str, Any] = {"name": tool.name}
    if text := told(tool):
        described["description"] = text
    return {**described, "input_schema": tool.parameters}


def report(results: Sequence[ToolResult]) -> list[dict[str, Any]]:
    """Return one user message with a `tool_result` block for each result; nothing for no results."""
    blocks = []
    for result in results:
        block: dict[str, Any] = {
            "type": "tool_result",
            "tool_use_id": (result.call.id if result.call else None) or "",
            "content": result.content,
        }
        blocks.append(block if result.ok else {**block, "is_error": True})
    return [{"role": "user", "content": blocks}] if blocks else []


FORMAT = Format(
    name="anthropic",
    source="Anthropic API reference, messages",
    describe_one=describe,
    parse=parse_message,
    report=report,
)
