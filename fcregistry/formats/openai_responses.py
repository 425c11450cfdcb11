"""How does OpenAI's responses API describe tools, calls and results?

Sources: OpenAI API reference, "Responses"; OpenAI guides "Function calling", "Structured model outputs", "Images and vision" and "File inputs".
`strict` is always said: left out, the API would make the schema strict by itself where it can.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats._format import Format
from fcregistry.formats._parts import call_id, data_url, told_in
from fcregistry.formats._read import parse_message
from fcregistry.formats.openai import LOOSE, STRICT

if TYPE_CHECKING:
    from fcregistry._results.content import Content
    from fcregistry._results.result import ToolResult
    from fcregistry.formats._format import RenderInput


def render(rendering: RenderInput) -> dict[str, Any]:
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
            "call_id": call_id(result),
            "output": told_in(result, _text, _media) or result.content,
        }
        for result in results
    ]


IMAGES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Guide "Images and vision"."""

_OFFICE: Final = "application/vnd.openxmlformats-officedocument."
FILES: Final = frozenset(
    {
        *("application/pdf", "application/msword", "application/rtf", "application/vnd.oasis.opendocument.text"),
        *("application/vnd.ms-excel", "application/vnd.ms-powerpoint"),
        *(f"{_OFFICE}wordprocessingml.document", f"{_OFFICE}spreadsheetml.sheet"),
        f"{_OFFICE}presentationml.presentation",
    }
)
"""Guide "File inputs". Files that are text are given as text, so that none of it is summarised."""


def _text(text: str) -> dict[str, Any]:
    return {"type": "input_text", "text": text}


def _media(part: Content) -> dict[str, Any] | None:
    """Return an image or a document as an item; None for what is not taken."""
    if part.kind == "image" and part.media_type in IMAGES:
        return {"type": "input_image", "image_url": data_url(part)}
    if part.kind == "file" and part.media_type in FILES:
        return {"type": "input_file", "filename": part.name, "file_data": data_url(part)}
    return None


FORMAT = Format(
    name="openai-responses",
    source="OpenAI API reference, responses",
    render=render,
    profile=LOOSE,
    strict_profile=STRICT,
    parse=parse_message,
    report=report,
)
