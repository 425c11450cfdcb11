"""Which arguments of a call of Python can be read at once? Those that JSON writes alike: Python's parser of JSON is the fastest there is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from fcregistry._json._strict import MAX_DEPTH, PLAIN_DECODER, STRICT_DECODER
from fcregistry.dialects._source import MOST_FAILURES

if TYPE_CHECKING:
    from fcregistry.dialects._source import Source

_ARGUMENTS: Final = re.compile(r"""(?>[^()'"]+|'(?>[^'\\]+|\\.)*+'|"(?>[^"\\]+|\\.)*+")*+\)""", re.DOTALL).match
_NAME: Final = re.compile(r"\s*([^\W\d]\w*)\s*=\s*").match
_NEXT: Final = re.compile(r"\s*(?:,|\Z)\s*").match
_IS_CONSTANT: Final = re.compile(r"\b(?:True|False|None)\b(?!\s*=)")
_OF_JSON: Final = {"True": "true", "False": "false", "None": "null"}
_STRING: Final = re.compile(r'("(?>[^"\\]+|\\.)*+")', re.DOTALL)
_BETWEEN: Final = "\0"


def arguments_at_once(source: Source) -> dict[str, Any] | None:
    """Take the arguments of a call, and the bracket behind them, if they are all there, and JSON but for its quotes; take nothing otherwise."""
    if source.failures > MOST_FAILURES:
        return None
    found = _ARGUMENTS(source.text, source.place)
    text = _as_json(source.text[source.place : found.end() - 1]) if found else None
    arguments = None if text is None else _read(text)
    if found is None or arguments is None:
        source.failures += 1
        return None
    source.place = found.end()
    return arguments


def _as_json(text: str) -> str | None:
    """Return text with the quotes of JSON, where its own mean the same."""
    if text.count("[") + text.count("{") > MAX_DEPTH:
        return None
    if "'" in text:
        if '"' in text or "\\'" in text:
            return None
        text = text.replace("'", '"')
    return _with_constants(text) if any(word in text for word in _OF_JSON) else text


def _with_constants(text: str) -> str | None:
    """Return text with the constants of JSON in the place of Python's, outside of strings."""
    if _BETWEEN in text:
        return None
    pieces = _STRING.split(text)
    pieces[::2] = _IS_CONSTANT.sub(lambda found: _OF_JSON[found[0]], _BETWEEN.join(pieces[::2])).split(_BETWEEN)
    return "".join(pieces)


def _read(text: str) -> dict[str, Any] | None:
    read = (STRICT_DECODER if "{" in text else PLAIN_DECODER).raw_decode
    arguments: dict[str, Any] = {}
    place = 0
    while place < len(text):
        named = _NAME(text, place)
        if not named or named[1] in arguments:
            return None
        try:
            value, end = read(text, named.end())
        except (ValueError, RecursionError):
            return None
        following = _NEXT(text, end)
        if not following:
            return None
        arguments[named[1]] = value
        place = following.end()
    return arguments
