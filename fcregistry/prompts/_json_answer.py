"""Which JSON values stand in a model's answer? Bare, in code blocks, or among prose; brackets and fences inside of strings are text.

A value is read from its first bracket to the one that closes it, and never completed. What does not close may hold all that follows, so
nothing is taken out of it; only a code block that begins on a line of its own after it shows that it was a bracket of prose.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from fcregistry._base.json import MAX_DEPTH, SLIPS, ArgumentsError, NotJsonError, read_text
from fcregistry._base.messages import show
from fcregistry.prompts._found import Found, Value, Wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

_ALLOWED: Final = SLIPS - {"fences"}  # which are read here, where their language counts
_LANGUAGES: Final = frozenset({"", "json", "json5", "jsonc"})
_OPENING: Final = re.compile(r"`{3,}+(?:json[5c]?)?(?=[\s{\[])", re.IGNORECASE)
_MARK: Final = re.compile(
    r"""
    ^[ \t]* (?P<fence>`{3,}) [ \t]* (?P<language>[\w+.-]*)
    # A bracket that a value begins with, and not one of prose.
    | (?P<bracket>[{\[]) (?= \s* (?: ["'{\[}\]\d-] | // | /\* | \# | (?:true|false|null|True|False|None)\b | [\w$-]+ \s* : ) )
    """,
    re.MULTILINE | re.VERBOSE,
)
_PART: Final = re.compile(
    r""" "[^"\\]*+(?:\\.[^"\\]*+)*+" | '[^'\\]*+(?:\\.[^'\\]*+)*+' | //[^\n]* | \#[^\n]* | /\*(?:.*?\*/)? | [{}\[\]"'] """,
    re.DOTALL | re.VERBOSE,
)
_SINGULAR: Final = {"are": "is", "hold": "holds"}
_CLOSING: Final = {"{": "}", "[": "]"}
_MOST: Final = 100
"""Values of one answer: to look at more is of no use, and takes time."""

_CUT_OFF: Final = "is cut off before it is complete; write all of it again, shorter if need be"


def json_values(text: str, exact: bool) -> list[Found]:
    """Return the JSON values of an answer, and what would be one, in their order.

    Args:
        text: The answer.
        exact: Whether numbers keep the digits they are written with, as `ExactFloat`s.
    """
    whole = text.strip()
    opening = _OPENING.match(whole) if whole.endswith("```") else None
    if opening is not None:
        whole = whole[opening.end() :].rstrip("`")
    found = _read(whole, exact, fenced=opening is not None)
    if isinstance(found, Value):  # also a number or a text by itself, which could not be told from prose
        return [found]
    values = list(islice(_scanned(text, exact), _MOST + 1))
    if len(values) > _MOST:
        return [Wrong(f"has more than {_MOST} JSON values; write one", open=True)]
    return values


def _scanned(text: str, exact: bool) -> Iterator[Found]:
    """Yield what is found from the left to the right; each character is looked at a few times at most."""
    place, fenced = 0, False
    while mark := _MARK.search(text, place):
        place = mark.end()
        if mark["fence"]:
            language = mark["language"].lower()
            fenced = language in _LANGUAGES and (not fenced or bool(language))
            if language not in _LANGUAGES:
                place = _end_of_block(text, place, mark["fence"])
            continue
        start = mark.start("bracket")
        end, reason = _extent(text, start)
        if not reason:
            yield _read(text[start:end], exact, fenced)
            place = end
            continue
        yield Wrong(reason, fenced, open=True)
        after = next((each for each in _MARK.finditer(text, place) if _opens_json(each)), None)
        if after is None:
            return
        place, fenced = after.start(), False


def _opens_json(mark: re.Match[str]) -> bool:
    return bool(mark["fence"] and mark["language"] and mark["language"].lower() in _LANGUAGES)


def _end_of_block(text: str, place: int, fence: str) -> int:
    """Return where a code block of another language ends: at a fence as long on a line of its own, or with the text."""
    end = re.compile(rf"^[ \t]*{fence}`*[ \t]*$", re.MULTILINE).search(text, place)
    return len(text) if end is None else end.end()


class _Extent(NamedTuple):
    """How far a bracket reaches.

    Attributes:
        end: Where the value ends.
        reason: Why it does not; empty if it does.
    """

    end: int
    reason: str = ""


def _extent(text: str, start: int) -> _Extent:
    """Find the bracket that closes one, past strings and comments."""
    awaited: list[str] = []
    for part in _PART.finditer(text, start):
        sign = part[0]
        if sign in _CLOSING:
            awaited.append(_CLOSING[sign])
            if len(awaited) > MAX_DEPTH:
                return _Extent(part.end(), f"is nested too deeply: at most {MAX_DEPTH} levels")
        elif sign in ("}", "]"):
            if sign != awaited.pop():
                near = show(text[max(start, part.start() - 20) : part.end()])
                return _Extent(part.end(), f"has brackets that do not match: a {sign} comes too early, near {near}")
            if not awaited:
                return _Extent(part.end())
        elif sign in ('"', "'", "/*"):  # of a string or a comment without an end
            break
    return _Extent(len(text), _CUT_OFF)


def _read(text: str, exact: bool, fenced: bool) -> Found:
    """Return the value of a text, or what is wrong with it."""
    try:
        value, repairs = read_text(text, exact, _ALLOWED, "the JSON")
    except NotJsonError as error:
        near = show(text[max(0, error.place - 20) : error.place + 20])
        return Wrong(f"is no valid JSON: {error.reason} at character {error.place + 1}, near {near}", fenced)
    except ArgumentsError as error:
        verb, _, rest = str(error).removeprefix("the arguments ").partition(" ")  # it speaks of arguments
        return Wrong(f"{_SINGULAR.get(verb, verb)} {rest}", fenced)
    return Value(value, repairs, fenced)
