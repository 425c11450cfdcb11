"""Where does a JSON object or array end that stands in other text, and what does it hold? Told string-aware, also where it has slips.

Text that is all there is read by Python's own parser at once. Otherwise, and where that refuses it, the end is looked for token by token:
braces in strings count for nothing, and what cannot stand in JSON, not even with the slips that are put right, ends the search.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import ToolCall
from fcregistry._base.json import MAX_DEPTH, SLIPS, STRICT_DECODER, ArgumentsError, NotJsonError, is_too_deep, read_text
from fcregistry.dialects._brackets import balanced
from fcregistry.dialects._source import MOST_FAILURES

if TYPE_CHECKING:
    from fcregistry.dialects._source import Reading, Source

FAILED: Final = object()
"""Stands for a value that is not there: None is one of JSON."""

_CLOSING: Final = {"{": "}", "[": "]"}

_BEFORE: Final = {opening: re.compile(rf"\s*+(?=[{re.escape(opening)}])") for opening in ("{[", "{", "[")}


def json_value(source: Source, opening: str = "{[") -> Reading[Any]:
    """Take the JSON object or array that comes next, after white space, and return it; `FAILED` if none does, or it is cut off.

    One that is JSON and refused all the same is a `Refused`.
    What slips were put right is said in `source.repairs`.

    Args:
        source: The text.
        opening: Which it may be: `{`, `[` or both.
    """
    if not source.at_once(_BEFORE[opening]):
        yield from source.space()
        if not (yield from source.is_next(*opening)):
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
        source.text.index(
            _CLOSING[source.text[source.place]], source.place
        )  # the parser takes longer to say that it is cut off
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
        value, end = STRICT_DECODER.raw_decode(text)
        if end == len(text) and text.count("{") + text.count("[") <= MAX_DEPTH:
            return value
    except (ValueError, RecursionError):
        pass  # which the reader of slips says more exactly
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
