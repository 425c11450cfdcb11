"""Reads text that would be JSON but for slips of writing: they are put right in the text, and the strict reader reads the outcome.

So the strict reader's grammar has the last word: nothing is completed, no value is guessed, and what is wrong in any other way is refused.
The slips are those that leave one reading only: a code fence around the text, comments, trailing commas, single quotes, names without
quotes, control characters as they are in strings, and Python's literals.

No library does this (November 2026). json-repair completes what is cut off, and guesses; json5, pyjson5, hjson, demjson3, dirtyjson and
chompjs know a part of the slips each, and all of them let the last of two equal names win; most read `NaN` and `0x10` as numbers,
and dirtyjson and chompjs leave unread what follows the object.
"""

from __future__ import annotations

import io
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._json._strict import NotJsonError, read_json

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

LONGEST: Final = 1_000_000
"""Characters of the longest text in which slips are put right: more than any model writes at once."""
MOST_TOKENS: Final = 50_000
"""Tokens of the longest such text, a string being one: reading so many takes some 0.15 s."""
MOST_CHANGES: Final = 100_000
"""Changes that are made in a text at the most."""

_SAID: Final = {
    "comments": "had comments: left out",
    "fences": "stood in a code fence: taken without it",
    "python-literals": "had True, False or None: taken as true, false or null",
    "raw-control-characters": "had line ends, tabs or other control characters in strings: taken as escaped",
    "single-quotes": "had single quotes that JSON does not know: taken as JSON writes them",
    "trailing-commas": "had trailing commas: left out",
    "unquoted-names": "had names without quotes: taken as quoted",
}
"""What is said of each slip."""

SLIPS: Final = frozenset(_SAID)
"""The names of all slips."""


def read_text(text: str, exact: bool, allowed: Collection[str], where: str) -> tuple[Any, tuple[str, ...]]:
    """Return the value of text that is JSON, or is but for slips that may be put right, and what is said of those.

    Args:
        text: The text.
        exact: Whether numbers keep the digits they are written with, as `ExactFloat`s.
        allowed: The names of the slips that may be put right.
        where: What to call the text: `the arguments`.

    Raises:
        ArgumentsError: As for `read_json`; the place is the one in the text as it was written.
    """
    try:
        return read_json(text, exact), ()
    except NotJsonError:
        if len(text) > LONGEST:
            raise
        mended, slips = _mended(text, allowed)
        if not slips:
            raise
    try:
        return read_json(mended, exact), tuple(sorted(f"{where} {_SAID[slip]}" for slip in slips))
    except NotJsonError as error:
        place = _place(text, allowed, error.place)
        raise NotJsonError(text, error.reason, place) from None


class _TooManyTokensError(Exception):
    """A text has more tokens than are read."""


class _Change(NamedTuple):
    """A change of the text that puts a slip right: what stands from start to end becomes something new."""

    slip: str
    start: int
    end: int
    new: str


def _mended(text: str, allowed: Collection[str]) -> tuple[str, set[str]]:
    """Return the text with all changes that are allowed, and the slips that these put right; no slips where that takes too long."""
    slips: set[str] = set()
    mended, done = io.StringIO(), 0
    try:
        changes = list(islice(_changes(text, allowed), MOST_CHANGES + 1))
    except _TooManyTokensError:
        changes = []
    for slip, start, end, new in changes if len(changes) <= MOST_CHANGES else ():
        mended.write(text[done:start])
        mended.write(new)
        slips.add(slip)
        done = end
    mended.write(text[done:])
    return mended.getvalue(), slips


def _place(text: str, allowed: Collection[str], place: int) -> int:
    """Return where in the text as it was written a place of the mended one is; of something new, where that begins."""
    longer = 0
    for _, start, end, new in _changes(text, allowed):
        if place < start + longer:
            break
        if place < start + longer + len(new):
            return start
        longer += len(new) - (end - start)
    return place - longer


_OPENING: Final = re.compile(r"[ \t\n\r]*(`{3,}(?:[A-Za-z][\w+.-]*)?)")
# A line that JavaScript would end and Python would not, at U+2028 or U+2029, is no comment: who knows where it ends?
_TOKEN: Final = re.compile(
    r"""
    (?P<space> [ \t\n\r]+ )
    | (?P<string> "[^"\\]*(?:\\.[^"\\]*)*" | '[^'\\]*(?:\\.[^'\\]*)*' )
    | (?P<mark> [{}\[\]:,] )
    | (?P<comment> (?://|\#)[^\n\r\u2028\u2029]*(?=[\n\r]|\Z) | /\*.*?\*/ )
    | (?P<word> (?:[^\W\d]|\$)[\w$]*(?:-[\w$]+)* )
    | (?P<number> -?\d[\w.+-]* )
    | (?P<closing> `{3,}(?=[ \t\n\r]*\Z) )
    | (?P<cut> "[^"\\]*(?:\\.[^"\\]*)*\\?\Z | '[^'\\]*(?:\\.[^'\\]*)*\\?\Z )
    """,
    re.DOTALL | re.VERBOSE,
)
_IN_STRING: Final = re.compile(r"""\\.|["\x00-\x1f]""", re.DOTALL)
_LITERALS: Final = {"True": "true", "False": "false", "None": "null"}


def _changes(text: str, allowed: Collection[str]) -> Iterator[_Change]:
    """Yield the changes that are allowed, from first to last."""
    return (change for change in _all_changes(text) if change.slip in allowed)


def _all_changes(text: str) -> Iterator[_Change]:
    opening = _OPENING.match(text)
    if opening:
        yield _Change("fences", opening.start(1), opening.end(1), "")
    # A token is understood by what stands before and after it, comments aside.
    before: re.Match[str] | None = None
    token: re.Match[str] | None = None
    comments: list[_Change] = []
    for after in _tokens(text, opening.end() if opening else 0):
        if after is not None and after.lastgroup == "comment":
            comments.append(_Change("comments", after.start(), after.end(), " "))
            continue
        if token is not None:
            yield from _changes_of(token, before, after)
        yield from comments
        comments.clear()
        before, token = token, after


def _tokens(text: str, place: int) -> Iterator[re.Match[str] | None]:
    """Yield the tokens up to the end, or to what cannot stand in JSON, whatever is changed; then None."""
    count = 0
    while token := _TOKEN.match(text, place):
        count += 1
        if count > MOST_TOKENS:
            raise _TooManyTokensError
        if token.lastgroup != "space":
            yield token
        place = token.end()
    yield None


def _changes_of(token: re.Match[str], before: re.Match[str] | None, after: re.Match[str] | None) -> Iterator[_Change]:
    start, end = token.span()
    match token.lastgroup:
        case "string" | "cut":
            yield from _changes_in_string(token)
        case "word":
            if _is(after, ":"):
                if token[0] not in _LITERALS:
                    yield _Change("unquoted-names", start, end, f'"{token[0]}"')
            elif token[0] in _LITERALS:
                yield _Change("python-literals", start, end, _LITERALS[token[0]])
        case "mark":
            if token[0] == "," and _is(after, "}]") and not _is(before, "{["):
                yield _Change("trailing-commas", start, end, "")
        case "closing":
            yield _Change("fences", start, end, "")


def _is(token: re.Match[str] | None, marks: str) -> bool:
    return token is not None and token.lastgroup == "mark" and token[0] in marks


def _changes_in_string(token: re.Match[str]) -> Iterator[_Change]:
    """Yield what makes a string one of JSON. What JSON does not know of escapes, and an end that is cut off, is left to be refused."""
    start, end = token.span()
    quote = token.string[start]
    if quote == "'":
        yield _Change("single-quotes", start, start + 1, '"')
    for found in _IN_STRING.finditer(token.string, start + 1, end):
        place = found.start()
        if found[0] == '"' and quote == "'":
            yield _Change("single-quotes", place, place, "\\")
        elif found[0] == "\\'":
            yield _Change("single-quotes", place, place + 1, "")
        elif found[0] < " ":
            yield _Change("raw-control-characters", place, place + 1, f"\\u{ord(found[0]):04x}")
    if quote == "'" and token.lastgroup == "string":
        yield _Change("single-quotes", end - 1, end, '"')
