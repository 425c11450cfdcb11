"""Which arguments of a call of Python can be read at once? Those that JSON writes alike: Python's parser of JSON is the fastest there is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.json import MAX_DEPTH, STRICT_DECODER
from fcregistry.dialects._source import MOST_FAILURES

if TYPE_CHECKING:
    from fcregistry.dialects._source import Source

_NAMED: Final = re.compile(r"\s*+,\s*+([^\W\d]\w*+)\s*+=\s*+").match
_END: Final = re.compile(r"\s*+,?\s*+\Z").match
_CONSTANTS: Final = {"True": "true", "False": "false", "None": "null"}
_HIDDEN: Final = {"\\\\": "\1", '\\"': "\2", "\\'": "\3"}
"""What stands for escapes while strings are told by their quotes: characters that no string of JSON holds."""
_SHOWN: Final = {"\1": "\\\\", "\2": '\\"', "\3": "'"}
"""What JSON writes for these."""


def arguments_at_once(source: Source) -> dict[str, Any] | None:
    """Take the arguments of a call, and the bracket behind them, if they are all there, and JSON but for its quotes; take nothing otherwise."""
    if source.failures > MOST_FAILURES:
        return None
    end = _bracket(source.text, source.place)
    text = None if end < 0 else _as_json(source.text[source.place : end])
    arguments = None if text is None else _read(text)
    if arguments is None:
        source.failures += 1
        return None
    source.place = end + 1
    return arguments


def _bracket(text: str, start: int) -> int:
    """Return where the first closing bracket stands outside of strings; -1 where there is none.

    Strings are told by the first quote alone: the other one is like any character inside of them, and outside JSON will not have it.
    """
    quote, is_inside = "", False
    while (end := text.find(")", start)) >= 0:
        piece = _with_escapes_hidden(text[start:end])
        quote = quote or _quote_of(piece)
        is_inside ^= piece.count(quote) % 2 == 1
        if not is_inside:
            return end
        start = end + 1
    return -1


def _quote_of(text: str) -> str:
    """Return the first quote in a text."""
    single, double = text.find("'"), text.find('"')
    return "'" if 0 <= single < double or double < 0 else '"'


def _with_escapes_hidden(text: str) -> str:
    return _replaced(text, _HIDDEN) if "\\" in text else text


def _replaced(text: str, by: dict[str, str]) -> str:
    for old, new in by.items():
        text = text.replace(old, new)
    return text


def _as_json(text: str) -> str | None:
    """Return text with the quotes and the constants of JSON, where its own mean the same; None where they may not."""
    is_escaped = "\\" in text
    if is_escaped and any(each in text for each in _SHOWN):
        return None
    text = _with_escapes_hidden(text)
    quote = _quote_of(text)
    pieces = text.split(quote)
    between = '"'.join(pieces[::2])
    if between.count('"') != len(pieces) // 2:
        return None  # it stands outside of strings, too
    if between.count("[") + between.count("{") > MAX_DEPTH:
        return None
    if quote == "'" and '"' in text:
        pieces[1::2] = [piece.replace('"', '\\"') for piece in pieces[1::2]]
    if (constant := _replaced(between, _CONSTANTS)) != between:
        pieces[::2] = constant.split('"')
    joined = '"'.join(pieces)
    return _replaced(joined, _SHOWN) if is_escaped else joined


def _read(text: str) -> dict[str, Any] | None:
    """Return the arguments that a text of JSON holds; None where it is none, or a name may have been taken for a constant."""
    read = STRICT_DECODER.raw_decode
    arguments: dict[str, Any] = {}
    text = f",{text}"
    end = 0
    try:
        while named := _NAMED(text, end):
            if named[1] in arguments:
                return None
            arguments[named[1]], end = read(text, named.end())
    except (ValueError, RecursionError):
        return None
    names = " ".join(arguments)
    is_renamed = "true" in names or "false" in names or "null" in names
    return arguments if _END(text, end) and not is_renamed else None
