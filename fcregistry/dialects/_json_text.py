"""Where does a JSON object or array end that stands in other text, and what does it hold? Told string-aware, also where it has slips.

Text that is all there is read by Python's own parser at once. Otherwise, and where that refuses it, the end is looked for token by token:
braces in strings count for nothing, and what cannot stand in JSON, not even with the slips that are put right, ends the search.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from fcregistry._calls import ToolCall
from fcregistry._json import SLIPS, ArgumentsError, NotJsonError, read_text
from fcregistry._json._strict import MAX_DEPTH, STRICT_DECODER, is_too_deep
from fcregistry.dialects._source import MOST_FAILURES, Marks

if TYPE_CHECKING:
    from fcregistry.dialects._source import Reading, Source

FAILED: Final = object()
"""Stands for a value that is not there: None is one of JSON."""

_OUTSIDE: Final = re.compile(r"[\w\s$.+\-:,]*")
_AWAITED_OUTSIDE: Final = re.compile(r"[^\w\s$.+\-:,]").search
_IN_DOUBLE: Final = re.compile(r'(?>[^"\\]+|\\.)*', re.DOTALL)
_IN_SINGLE: Final = re.compile(r"(?>[^'\\]+|\\.)*", re.DOTALL)
_INSIDE: Final = {'"': _IN_DOUBLE, "'": _IN_SINGLE}
_AWAITED_INSIDE: Final = {'"': re.compile('"').search, "'": re.compile("'").search}
_CLOSING: Final = {"{": "}", "[": "]"}
_COMMENTS: Final = frozenset("/#")
_BEFORE_VALUES: Final = frozenset(("", ",", ":"))


def json_value(source: Source, opening: str = "{[") -> Reading[Any]:
    """Take the JSON object or array that comes next, after white space, and return it; `FAILED` if none does, or it is cut off.

    One that is JSON and refused all the same is a `Refused`.
    What slips were put right is said in `source.repairs`.

    Args:
        source: The text.
        opening: Which it may be: `{`, `[` or both.
    """
    yield from source.space()
    if (yield from source.is_next(*opening)) == "":
        return FAILED
    value = _at_once(source)
    if value is not FAILED:
        return value
    text = yield from balanced(source)
    return FAILED if text is None else read_value(text, source.repairs)


def _at_once(source: Source) -> Any:
    """Take a value that is all there, and strictly JSON; leave everything else."""
    if source.failures > MOST_FAILURES:
        return FAILED
    try:
        value, end = STRICT_DECODER.raw_decode(source.text, source.place)
    except (ValueError, RecursionError):
        source.failures += 1
        return FAILED
    text = source.text[source.place : end]
    if text.count("{") + text.count("[") > MAX_DEPTH and is_too_deep(value):
        return FAILED  # how deep it may be is told bracket by bracket, as of text that comes in pieces
    source.place = end
    return value


def read_value(text: str, repairs: list[str]) -> Any:
    """Return the value of text that is JSON but for slips; `FAILED` for any other."""
    try:
        value, slips = read_text(text, False, SLIPS, "a call")
    except NotJsonError:
        return FAILED
    except ArgumentsError:
        return Refused(text)
    repairs += slips
    return value


class Refused:
    """JSON that is refused for what it holds: a name twice, a number that is not finite, too many levels. The executor says so to the model.

    Args:
        text: The text of an object or an array.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    @property
    def text(self) -> str:
        """What was written."""
        return self._text

    def calls(self, names: tuple[str, ...], arguments: tuple[str, ...]) -> list[ToolCall] | None:
        """Return the calls that it is, one or an array of them, with the text of their arguments; None where it, or anything in it, is none.

        Args:
            names: What the tool's name may be called.
            arguments: What the arguments may be called.
        """
        try:
            value = json.loads(self._text, object_pairs_hook=_Pairs)
        except (ValueError, RecursionError):
            return None
        calls = [_call(each, names, arguments) for each in ([value] if isinstance(value, _Pairs) else value)]
        return None if None in calls else [call for call in calls if call is not None]


def _call(pairs: object, names: tuple[str, ...], arguments: tuple[str, ...]) -> ToolCall | None:
    members = dict(pairs) if isinstance(pairs, _Pairs) else {}
    name = next((members[key] for key in names if key in members), None)
    held = next((members[key] for key in arguments if key in members), None)
    return ToolCall(name, _written(held)) if isinstance(name, str) and name and held is not None else None


class _Pairs(list[tuple[str, Any]]):
    """The members of an object, also those of one name."""


def _written(value: Any) -> str:
    if isinstance(value, _Pairs):
        return "{" + ", ".join(f"{json.dumps(name)}: {_written(item)}" for name, item in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def balanced(source: Source) -> Reading[str | None]:
    """Take text from an opening bracket to the one that closes it, and return it; None where what follows cannot be JSON, or ends before."""
    pieces: list[str] = []
    open_brackets: list[str] = []
    while True:
        outside = yield from source.run(_OUTSIDE, _AWAITED_OUTSIDE)
        pieces.append(outside)
        mark = source.text[source.place : source.place + 1]
        if not _may_follow(mark, outside):
            return None
        if mark in _CLOSING:
            open_brackets.append(_CLOSING[mark])
            if len(open_brackets) > MAX_DEPTH + 1:
                return None
        elif mark in ("}", "]") and open_brackets and open_brackets[-1] == mark:
            open_brackets.pop()
        elif mark in _INSIDE or mark in _COMMENTS:
            text = yield from (_string(source, mark) if mark in _INSIDE else _comment(source))
            if text is None:
                return None
            pieces.append(text)
            continue
        else:
            return None
        source.place += 1
        pieces.append(mark)
        if not open_brackets:
            return "".join(pieces)


def _may_follow(mark: str, outside: str) -> bool:
    """Tell whether a value or a comment may begin behind what stands outside of strings: "[don't" and "[see http://" are prose."""
    if mark in _CLOSING or mark in _INSIDE:
        return outside.rstrip()[-1:] in _BEFORE_VALUES
    if mark in _COMMENTS:
        return outside[-1:].isspace() or outside[-1:] == "," or (not outside and mark == "/")
    return bool(mark)


def _string(source: Source, quote: str) -> Reading[str | None]:
    """Take a string with its quotes; return it, or None if it is cut off."""
    source.place += 1
    inside = yield from source.run(_INSIDE[quote], _AWAITED_INSIDE[quote], "\\")
    if not source.text.startswith(quote, source.place):
        return None
    source.place += 1
    return f"{quote}{inside}{quote}"


def _comment(source: Source) -> Reading[str | None]:
    """Take a comment: to the end of the line after `//` or `#`, to `*/` after `/*`."""
    start = yield from source.take("//", "#", "/*")
    if not start:
        return None
    inside, end = yield from source.until(Marks("*/") if start == "/*" else Marks("\n"))
    return f"{start}{inside}{end}" if end else None
