"""How does OpenAI's responses API describe tools, calls and results?

Source: OpenAI API reference, "Responses", and guide "Function calling".
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
    """Return `{"type": "function", name, description, parameters, "strict": false}`."""
    described: dict[str, Any] = {"type": "function", "name": tool.name}
    if text := told(tool):
        described["description"] = text
    return {**described, "parameters": tool.parameters, "strict": False}


def report(results: Sequence[ToolResult]) -> list[dict[str, Any]]:
    """Return an item of the type `function_call_output` for each result."""
    return [
        {
            "type": "function_call_output",
            "call_id": (result.call.id if result.call else None) or "",
            "output": result.content,
        }
        for result in results
    ]


FORMAT = Format(
    name="openai-responses",
    source="OpenAI API reference, responses",
    describe_one=describe,
    parse=parse_message,
    report=report,
)
