"""How does OpenAI's responses API describe tools, calls and results?

Sources: OpenAI API reference, "Responses"; OpenAI guides "Function calling" and "Structured model outputs". `strict` is always said: left
out, the API would make the schema strict by itself where it can.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fcregistry.formats._core import Format
from fcregistry.formats._messages import parse_message
from fcregistry.formats.openai import LOOSE, STRICT

if TYPE_CHECKING:
    from fcregistry._results import ToolResult
    from fcregistry.formats._core import Rendering


def render(rendering: Rendering) -> dict[str, Any]:
    """Return `{"type": "function", name, description, parameters, strict}`."""
    described: dict[str, Any] = {"type": "function", "name": rendering.name}
    if rendering.text:
        described["description"] = rendering.text
    return {**described, "parameters": rendering.parameters, "strict": rendering.strict}


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
    render=render,
    profile=LOOSE,
    strict_profile=STRICT,
    parse=parse_message,
    report=report,
)
