"""What do arguments in braces hold that are all there, and become JSON by quotes alone? Most do, and then Python's parser reads them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.json import MAX_DEPTH, STRICT_DECODER
from fcregistry.dialects._source import MOST_FAILURES

if TYPE_CHECKING:
    from fcregistry.dialects._source import Source


def braces_at_once(source: Source, quote: str, closes: str) -> dict[str, Any] | None:
    """Take arguments that are all there and become JSON by quotes alone, up to what closes the section; leave everything else to the tokens."""
    if source.failures > MOST_FAILURES:
        return None
    end = source.text.find(closes, source.place)
    text = source.text[source.place : end].rstrip() if end >= 0 else ""
    value = _in_quotes(text.split(quote)) if text.startswith("{") else None
    if value is None:
        source.failures += 1
        return None
    source.place += len(text)
    return value


def _in_quotes(parts: list[str]) -> dict[str, Any] | None:
    """Return the object that is written in parts, of which every second one is a string; None where more than quotes is missing."""
    between = "\0".join(parts[::2])
    if not len(parts) % 2 or '"' in between or between.count("\0") != len(parts) // 2:
        return None  # quotes are no mark of strings here
    parts[::2] = _with_quoted_names(between).split("\0")
    parts[1::2] = map(_quoted, parts[1::2])
    text = "".join(parts)
    try:
        value = STRICT_DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    is_plain = type(value) is dict and between.count("{") + between.count("[") <= MAX_DEPTH
    return value if is_plain else None


def _with_quoted_names(text: str) -> str:
    """Return text with quotes around the bare names in it: those that stand between a brace or a comma and a colon."""
    *heads, last = text.split(":")
    for place, head in enumerate(heads):
        start = max(head.rfind("{"), head.rfind(",")) + 1
        name = head[start:].strip()
        if name.isidentifier() or _IS_NAME(name):  # which takes longer
            heads[place] = f'{head[:start]}"{name}"'
    return ":".join([*heads, last])


_IS_NAME: Final = re.compile(r"[\w.\-]++").fullmatch
_quoted: Final = json.encoder.encode_basestring
