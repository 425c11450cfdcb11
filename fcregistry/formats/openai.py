"""How does OpenAI's chat completions API describe tools, calls and results?

Source: OpenAI API reference, "Chat Completions" and guide "Function calling". Spoken by many others too (vLLM, Ollama, llama.cpp, …).
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
    """Return `{"type": "function", "function": {name, description, parameters}}`."""
    function: dict[str, Any] = {"name": tool.name}
    if text := told(tool):
        function["description"] = text
    return {"type": "function", "function": {**function, "parameters": tool.parameters}}


def report(results: Sequence[ToolResult]) -> list[dict[str, Any]]:
    """Return a message of the role `tool` for each result."""
    return [
        {"role": "tool", "tool_call_id": (result.call.id if result.call else None) or "", "content": result.content}
        for result in results
    ]


FORMAT = Format(
    name="openai",
    source="OpenAI API reference, chat completions",
    describe_one=describe,
    parse=parse_message,
    report=report,
)
