"""Does a name stand twice in an object of a JSON text? Told without reading the text again, where that can be told.

MERGED: How is JSON read that a model wrote? Strictly; where it is told so, also but for slips that leave one reading.
MERGED: Reads text that would be JSON but for slips of writing: they are put right in the text, and the strict reader reads the outcome.

So the strict reader's grammar has the last word: nothing is completed, no value is guessed, and what is wrong in any other way is refused.
The slips are those that leave one reading only: a code fence around the text, comments, trailing commas, single quotes, names without
quotes, control characters as they are in strings, and Python's literals.

No library does this (November 2026). json-repair completes what is cut off, and guesses; json5, pyjson5, hjson, demjson3, dirtyjson and
chompjs know a part of the slips each, and all of them let the last of two equal names win; most read `NaN` and `0x10` as numbers,
and dirtyjson and chompjs leave unread what follows the object.
MERGED: Which value does JSON text hold? Read strictly: what is not JSON (RFC 8259) is refused, never guessed at.
MERGED: JSON values: their kinds, and numbers with the digits they were written with.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from itertools import islice
from typing import Any, Final, NamedTuple

from fcregistry._base.messages import show

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

# --- _json._once ---


def has_each_name_once(text: str, value: dict[str, Any] | list[Any]) -> bool:
    """Tell whether no name stands twice in an object of a JSON text: as many colons as names say so, beside those inside of strings."""
    count = text.count(":")
    if count == (len(value) if type(value) is dict else 0):  # every name stands right here, as in most calls
        return True
    return count == _names_in(value) or ("\\u003" not in text and count == _colons_in(value))


def _colons_in(value: dict[str, Any] | list[Any]) -> int:
    """Return how many colons the text of a JSON value has at least, if none is written as an escape."""
    count = 0
    inside: list[Any] = [value]
    for each in inside:  # which grows on the way
        items = each
        if type(each) is dict:
            count += len(each) + sum([name.count(":") for name in each])
            items = each.values()
        for item in items:
            if type(item) is str:
                count += item.count(":")
            elif type(item) in _HOLDERS:
                inside.append(item)
    return count


def _names_in(value: dict[str, Any] | list[Any]) -> int:
    """Return how many names the objects in a JSON value have."""
    count = 0
    inside: list[Any] = [value]
    for each in inside:  # which grows on the way
        if type(each) is dict:
            count += len(each)
            each = each.values()  # noqa: PLW2901  # to be looked at like the items of an array
        for item in each:
            if type(item) in _HOLDERS:
                inside.append(item)  # noqa: PERF401  # it is the list that is iterated
    return count


_HOLDERS: Final = frozenset({dict, list})

# --- _json._loose ---

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


# --- _json._strict ---

MAX_DEPTH: Final = 100
"""How deep arguments may nest: far beyond any tool's, and within what every validator and interpreter can walk."""


class ArgumentsError(ValueError):
    """Arguments that are no JSON object; the message tells the model what to send."""


class NotJsonError(ArgumentsError):
    """Text that is not written as JSON is.

    Attributes:
        reason: What the parser says.
        place: Where in the text it stopped, in characters from 0.
    """

    def __init__(self, text: str, reason: str, place: int) -> None:
        super().__init__(_explain(text, reason, place))
        self.reason = reason
        self.place = place


def read_json(text: str, exact: bool = False) -> Any:
    """Return the value of JSON text.

    Args:
        text: The text.
        exact: Whether numbers keep the digits they are written with, as `ExactFloat`s.

    Raises:
        NotJsonError: It is malformed, or cut off.
        ArgumentsError: It is nested too deeply, or has a name twice or a number that is not finite.
    """
    decoder, unique_decoder = _EXACT_DECODERS if exact else _DECODERS
    try:
        value = decoder.decode(text)
        # Each name in an object needs a colon: as many colons as names means that no name stands twice.
        if text.count(":") != (len(value) if type(value) is dict else 0):
            value = unique_decoder.decode(text)
    except json.JSONDecodeError as error:
        raise NotJsonError(text, error.msg, error.pos) from None
    except RecursionError:
        raise too_deep() from None
    except ValueError as error:
        raise ArgumentsError(_bounded(error)) from None
    if text.count("{") + text.count("[") > MAX_DEPTH and is_too_deep(value):
        raise too_deep()
    return value


def too_deep() -> ArgumentsError:
    """Return what is said of arguments that nest deeper than `MAX_DEPTH`."""
    return ArgumentsError(f"the arguments are nested too deeply: at most {MAX_DEPTH} levels")


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    return _checked(float(text))


def _exactly(text: str) -> float:
    return _checked(ExactFloat(text))


def _checked(number: float) -> float:
    if number - number != 0:
        raise ValueError("a number is too large for JSON to carry (it is not finite)")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise ValueError(f"the name {json.dumps(name[:60])} stands twice in one object")
            seen.add(name)
    return read


def _decoders(read_float: Callable[[str], float]) -> tuple[json.JSONDecoder, json.JSONDecoder]:
    """Return a decoder, and one that also sees that no name stands twice in an object."""
    plain = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=read_float)
    return plain, json.JSONDecoder(parse_constant=_refuse_constant, parse_float=read_float, object_pairs_hook=_unique)


_DECODERS: Final = _decoders(_finite)
PLAIN_DECODER: Final = _DECODERS[0]
STRICT_DECODER: Final = _DECODERS[1]
_EXACT_DECODERS: Final = _decoders(_exactly)


# What is left of a text that ends within a literal, a number or an escape, or before a comment, from where the parser stopped; nothing,
# between tokens.
_UNFINISHED: Final = re.compile(
    r"(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|T|Tr|Tru|F|Fa|Fal|Fals|N|No|Non|-|\.|[eE][+-]?|\\?u[0-9a-fA-F]{0,4}|/)?"
)


def _explain(text: str, reason: str, place: int) -> str:
    if reason.startswith("Unterminated string") or _is_cut_off(text[place:]):
        return (
            f"the arguments are cut off: the JSON ends at character {len(text)} before it is complete. "
            "Nothing was run; send the whole call again, shorter if need be"
        )
    near = text[max(0, place - 20) : place + 20]
    return f"the arguments must be valid JSON: {reason} at character {place + 1}, near {show(near)}"


def _is_cut_off(rest: str) -> bool:
    """Tell whether text ends within the token where the parser stopped."""
    if rest.startswith("/*"):
        return "*/" not in rest[2:]
    return _UNFINISHED.fullmatch(rest.rstrip()) is not None


def _bounded(error: Exception) -> str:
    if "integer string conversion" in str(error):  # the words of Python, which say what to do in a program
        return "the arguments hold a whole number of more digits than can be read"
    return f"the arguments must be valid JSON: {str(error)[:200]}"


def is_too_deep(value: object) -> bool:
    """Tell whether a value nests deeper than arguments may."""
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH + 1:
            return True
        level = [
            inner
            for each in level
            if isinstance(each, (dict, list))
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return False


# --- _json._values ---

JSON_KINDS: Final = frozenset({"null", "boolean", "number", "string", "array", "object"})


def kind_of(value: object) -> str | None:
    """Return the JSON kind of a parsed value: `number` for 1 and 1.0, `boolean` for true; None if it is no JSON at all."""
    if value is None:
        return "null"
    return _KINDS.get(type(value))


class ExactFloat(float):
    """A JSON number with the digits it was written with, so that a Decimal of it has them all."""

    __slots__ = ("text",)

    text: str

    def __new__(cls, text: str) -> ExactFloat:
        """Return the number of a JSON text."""
        number = super().__new__(cls, text)
        number.text = text
        return number


def with_plain_floats(value: Any) -> Any:
    """Return a JSON value without `ExactFloat`s: what no Decimal is made of, and what validators know."""
    if isinstance(value, ExactFloat):
        return float(value)
    if type(value) is dict:
        return {name: with_plain_floats(item) for name, item in value.items()}
    return [with_plain_floats(item) for item in value] if type(value) is list else value


_KINDS: Final = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    ExactFloat: "number",
    list: "array",
    dict: "object",
}
