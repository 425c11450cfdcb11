"""OpenAI's two formats: chat completions and responses.

Many other servers support chat completions too (vLLM, Ollama, llama.cpp, …).

Sources: OpenAI API reference, "Chat Completions" and "Responses"; OpenAI guides "Function calling", "Structured model outputs", "Images and vision"
and "File inputs".

Without strict mode any JSON Schema of an object may be sent; the API's own error message lists what it refuses at the top. In strict mode every
property is required and every object closed. What the guide does not list as supported (`oneOf`, `prefixItems`, `uniqueItems`, `minLength`,
`default`, …) makes the request fail, so it is not sent.

A chat message of a tool holds text only. In the responses API `strict` is always sent: without it, the API would make the schema strict if it can.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats._finish import parse_message
from fcregistry.formats._format import Format, call_id, data_url, encode_content
from fcregistry.formats._profile import COMPOSITION, Profile

if TYPE_CHECKING:
    from fcregistry._results.content import Content
    from fcregistry._results.result import ToolResult
    from fcregistry.formats._format import RenderInput


_TOP_WITHOUT: Final = COMPOSITION | {"enum", "const", "not"}

LOOSE: Final = Profile(provider="OpenAI", top_without=_TOP_WITHOUT)

STRICT: Final = Profile(
    provider="OpenAI's strict mode",
    keywords=frozenset(
        {
            *("type", "enum", "anyOf", "$ref", "title", "description"),
            *("properties", "required", "additionalProperties"),
            *("items", "minItems", "maxItems"),
            *("pattern", "format"),
            *("multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        }
    ),
    formats=frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}),
    references="bare",
    recursion="free",
    closed=True,
    complete=True,
    top_without=_TOP_WITHOUT,
    limits={"properties": 5000, "depth": 10, "choices": 1000, "characters": 120_000},
)
"""Guide "Structured model outputs", section "Supported schemas"."""


# --- Chat completions ---


def render_chat_tool(rendering: RenderInput) -> dict[str, Any]:
    """Return `{"type": "function", "function": {name, description, parameters, strict}}`."""
    function = rendering.named("parameters") | ({"strict": True} if rendering.strict else {})
    return {"type": "function", "function": function}


def report_to_chat(results: Sequence[ToolResult]) -> list[dict[str, Any]]:
    """Return a message of the role `tool` for each result: its text, with words for other content."""
    return [{"role": "tool", "tool_call_id": call_id(result), "content": result.content} for result in results]


CHAT = Format(
    name="openai",
    source="OpenAI API reference, chat completions",
    render=render_chat_tool,
    profile=LOOSE,
    strict_profile=STRICT,
    parse=parse_message,
    report=report_to_chat,
)


# --- Responses ---


def render_responses_tool(rendering: RenderInput) -> dict[str, Any]:
    """Return `{"type": "function", name, description, parameters, strict}`."""
    return {"type": "function", **rendering.named("parameters"), "strict": rendering.strict}


def report_to_responses(results: Sequence[ToolResult]) -> list[dict[str, Any]]:
    """Return an item of the type `function_call_output` for each result."""
    return [
        {
            "type": "function_call_output",
            "call_id": call_id(result),
            "output": encode_content(result, _text, media) or result.content,
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
"""Guide "File inputs". Text files are sent as text, so that none of it is summarised."""


def _text(text: str) -> dict[str, Any]:
    """Return an item of the type `input_text` with `text` in it."""
    return {"type": "input_text", "text": text}


def media(part: Content) -> dict[str, Any] | None:
    """Return `part` as an item if it is an image or a document that the API accepts, else None."""
    if part.kind == "image" and part.media_type in IMAGES:
        return {"type": "input_image", "image_url": data_url(part)}
    if part.kind == "file" and part.media_type in FILES:
        return {"type": "input_file", "filename": part.name, "file_data": data_url(part)}
    return None


FIELDS: Final = frozenset({"allowed_callers", "async", "defer_loading", "output_schema"})
"""API reference, "Responses", `tools`. Functions of chat completions have no other fields."""

RESPONSES = Format(
    name="openai-responses",
    source="OpenAI API reference, responses",
    render=render_responses_tool,
    profile=LOOSE,
    strict_profile=STRICT,
    fields=FIELDS,
    parse=parse_message,
    report=report_to_responses,
)
