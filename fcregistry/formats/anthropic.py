"""Anthropic's format: the messages API.

Sources: Anthropic API reference, "Messages"; Claude guides "Define tools", "Handle tool calls", "Vision", "PDF support", "Strict tool use" and
"Structured outputs" (section "JSON Schema limitations"). The rules for names of parameters and for the top of a schema are from the API's own
error messages.

Without strict mode any JSON Schema of an object may be sent. In strict mode every object is closed, an optional parameter may stay optional,
and what the guide does not list as supported makes the request fail, so it is not sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats._finish import parse_message
from fcregistry.formats._format import Format, base64_of, call_id, encode_content
from fcregistry.formats._profile import COMPOSITION, Profile

if TYPE_CHECKING:
    from fcregistry._results.content import Content
    from fcregistry._results.result import ToolResult
    from fcregistry.formats._format import RenderInput


_NAMES: Final = r"[a-zA-Z0-9_.-]{1,64}"
_NAMES_RULE: Final = 'ASCII letters, digits, "_", "." and "-", up to 64 characters'

LOOSE: Final = Profile(provider="Anthropic", top_without=COMPOSITION, names=_NAMES, names_rule=_NAMES_RULE)

STRICT: Final = Profile(
    provider="Anthropic's strict mode",
    keywords=frozenset(
        {
            *("type", "enum", "const", "anyOf", "$ref", "title", "description", "default"),
            *("properties", "required", "additionalProperties"),
            *("items", "minItems"),
            *("pattern", "format"),
        }
    ),
    formats=frozenset({"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}),
    references="bare",
    recursion="no",
    closed=True,
    top_without=COMPOSITION,
    highest={"minItems": 1},
    pattern_without=r"\\[1-9bB]|\(\?[=!<]|\{\d*,?\d{3,}",
    names=_NAMES,
    names_rule=_NAMES_RULE,
    limits={"tools": 20, "optional": 24, "unions": 16},
)
"""Guide "Structured outputs", sections "JSON Schema limitations" and "Schema complexity limits"."""


def render(rendering: RenderInput) -> dict[str, Any]:
    """Return `{name, description, input_schema, strict}`."""
    described = rendering.named("input_schema")
    return {**described, "strict": True} if rendering.strict else described


def report(results: Sequence[ToolResult]) -> list[dict[str, Any]]:
    """Return one user message with a `tool_result` block for each result; nothing for no results."""
    blocks = []
    for result in results:
        content = encode_content(result, _text_block, media) or result.content
        block = {"type": "tool_result", "tool_use_id": call_id(result), "content": content}
        blocks.append(block if result.ok else {**block, "is_error": True})
    return [{"role": "user", "content": blocks}] if blocks else []


IMAGES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Guide "Vision"."""


def media(part: Content) -> dict[str, Any] | None:
    """Return `part` as a block if it is an image, a PDF or a text file; None for anything else."""
    if part.kind == "image" and part.media_type in IMAGES:
        return {"type": "image", "source": _source("base64", part.media_type, base64_of(part))}
    if part.kind != "file":
        return None
    if part.media_type == "application/pdf":
        source = _source("base64", part.media_type, base64_of(part))
    elif part.plain:
        source = _source("text", "text/plain", part.plain)
    else:
        return None
    return {"type": "document", "source": source, "title": part.name}


def _text_block(text: str) -> dict[str, Any]:
    """Return a block of the type `text` with `text` in it."""
    return {"type": "text", "text": text}


def _source(sort: str, media_type: str, data: str) -> dict[str, Any]:
    """Return the value of a block's field `source`: `data` of the type `sort` ("base64" or "text")."""
    return {"type": sort, "media_type": media_type, "data": data}


FIELDS: Final = frozenset(
    {"allowed_callers", "cache_control", "defer_loading", "eager_input_streaming", "input_examples"}
)
"""API reference, "Messages", `tools`."""

FORMAT = Format(
    name="anthropic",
    source="Anthropic API reference, messages",
    render=render,
    profile=LOOSE,
    strict_profile=STRICT,
    fields=FIELDS,
    parse=parse_message,
    report=report,
)
