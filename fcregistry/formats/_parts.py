"""How are the results of a tool told to a provider that takes some kinds of content, and not others?

What a provider does not take is named in words, with its media type and size: a model that is not told of an image cannot ask for it in
another way.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fcregistry._results.content import Content
    from fcregistry._results.result import ToolResult


def call_id(result: ToolResult) -> str:
    """Return the id of the call that a result belongs to; nothing where it had none."""
    return (result.call.id if result.call else None) or ""


def json_of(text: str) -> Any:
    """Return the JSON value of a text; the text itself where it is none, because it was cut, or worded anew by somebody."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def told_in(
    result: ToolResult, text: Callable[[str], dict[str, Any]], media: Callable[[Content], dict[str, Any] | None]
) -> list[dict[str, Any]]:
    """Return what a provider is told of content, piece by piece, with words where it does not take one.

    Args:
        result: A result with parts.
        text: Makes the provider's shape of a text; an empty one is left out, because providers refuse it.
        media: Makes its shape of a piece that is no text, or None where it takes no such.
    """
    told = []
    for part in result.parts:
        shown = None if part.kind == "text" else media(part)
        if shown is None:
            words = str(part)
            shown = text(words) if words else None
        if shown is not None:
            told.append(shown)
    return told


def data_url(part: Content) -> str:
    """Return the bytes of a piece of content as a URL (RFC 2397)."""
    return f"data:{part.media_type};base64,{base64_of(part)}"


def base64_of(part: Content) -> str:
    """Return the bytes of a piece of content in base64 (RFC 4648, 4)."""
    from binascii import b2a_base64  # only where there are bytes

    return b2a_base64(part.data, newline=False).decode()
