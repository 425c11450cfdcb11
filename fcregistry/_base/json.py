"""JSON text and values: a strict reader, a reader that repairs slips, numbers with all digits.

The strict reader refuses text that is not JSON (RFC 8259), a name that occurs twice in an object, and a number that is not finite. The
lenient reader first repairs the text, and then has the strict reader read the result. So the strict reader's grammar decides: nothing is
completed, no value is guessed, and every other mistake is refused. A slip that is repaired has only one reading: a code fence around the text,
comments, trailing commas, single quotes, names without quotes, control characters in strings, and Python's literals.

No library does this (November 2026). json-repair completes text that is cut off, and guesses; json5, pyjson5, hjson, demjson3, dirtyjson and
chompjs know some of the slips each, and all of them take the last of two equal names; most read `NaN` and `0x10` as numbers, and dirtyjson and
chompjs ignore text after the object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import islice
from typing import Any, Final, NamedTuple

from fcregistry._base.wording import show

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


MAX_DEPTH: Final = 100
"""Levels that arguments may nest: far more than any tool has, and few enough for every validator and interpreter."""


class ArgumentsError(ValueError):
    """Arguments that cannot be read as JSON; the message tells the model what to send."""


class NotJsonError(ArgumentsError):
    """Text that is not valid JSON.

    Attributes:
        reason: The parser's message.
        place: The position at which the parser stopped, in characters from 0.
    """

    def __init__(self, text: str, reason: str, place: int) -> None:
        super().__init__(_error_text(text, reason, place))
        self.reason = reason
        self.place = place


def read_json(text: str, exact: bool = False) -> Any:
    """Return the value of JSON text.

    Args:
        text: The text.
        exact: Whether numbers keep all their digits, as `ExactFloat`s.

    Raises:
        NotJsonError: The text is malformed or cut off.
        ArgumentsError: The value is nested too deeply, has a name twice, or has a number that is not finite.
    """
    decoder, unique_decoder = _EXACT_DECODERS if exact else _DECODERS
    try:
        value = decoder.decode(text)
        # Each name in an object needs a colon: as many colons as names means that no name occurs twice.
        if text.count(":") != (len(value) if type(value) is dict else 0):
            value = unique_decoder.decode(text)
    except json.JSONDecodeError as error:
        raise NotJsonError(text, error.msg, error.pos) from None
    except RecursionError:
        raise too_deep_error() from None
    except ValueError as error:
        if "integer string conversion" in str(error):  # Python's message, which addresses programmers
            raise ArgumentsError("the arguments contain a whole number that has too many digits to be read") from None
        raise ArgumentsError(f"the arguments must be valid JSON: {str(error)[:200]}") from None
    if text.count("{") + text.count("[") > MAX_DEPTH and is_too_deep(value):
        raise too_deep_error()
    return value


def too_deep_error() -> ArgumentsError:
    """Return the error for arguments that nest deeper than `MAX_DEPTH`."""
    return ArgumentsError(f"the arguments are nested too deeply: at most {MAX_DEPTH} levels")


def is_too_deep(value: object) -> bool:
    """Return whether `value` nests deeper than `MAX_DEPTH`."""
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


def _refuse_constant(name: str) -> Any:
    """Raise `ValueError` that `name`, which is `NaN`, `Infinity` or `-Infinity`, is not a JSON number."""
    raise ValueError(f"{name} is not a JSON number")


def _object_of_unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the dict of `pairs`, the names and values of a JSON object.

    Raises:
        ValueError: A name occurs twice.
    """
    read = dict(pairs)
    if len(read) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise ValueError(f"the name {json.dumps(name[:60])} occurs twice in one object")
            seen.add(name)
    return read


def _error_text(text: str, reason: str, place: int) -> str:
    """Return the message about `text`, at whose index `place` the parser stopped for `reason`.

    It says that the arguments are cut off, if they are, or else where they are not valid JSON, and how to write a backslash.
    """
    if reason.startswith("Unterminated string") or _is_cut_off(text[place:]):
        return (
            f"the arguments are cut off: the JSON ends at character {len(text)} before it is complete. "
            "Nothing was run; send the whole call again, shorter if need be"
        )
    near = text[max(0, place - 20) : place + 20]
    hint = r"; in a JSON string, write \\ for a backslash" if reason.startswith("Invalid \\") else ""
    return f"the arguments must be valid JSON: {reason} at character {place + 1}, near {show(near)}{hint}"


# The rest of a text from where the parser stopped, if the text ends in a literal, a number, an escape or the begin of a comment;
# empty between tokens.
_UNFINISHED: Final = re.compile(
    r"(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|T|Tr|Tru|F|Fa|Fal|Fals|N|No|Non|-|\.|[eE][+-]?|\\?u[0-9a-fA-F]{0,4}|/)?"
)


def _is_cut_off(rest: str) -> bool:
    """Return whether a text ends within the token at which the parser stopped.

    `rest` is the text from that token on.
    """
    if rest.startswith("/*"):
        return "*/" not in rest[2:]
    return _UNFINISHED.fullmatch(rest.rstrip()) is not None


# --- Values and numbers ---

JSON_KINDS: Final = frozenset({"null", "boolean", "number", "string", "array", "object"})


class ExactFloat(float):
    """A JSON number with the digits of its text, so that a Decimal of it has all of them."""

    __slots__ = ("text",)

    text: str

    def __new__(cls, text: str) -> ExactFloat:
        """Return the number of a JSON text."""
        number = super().__new__(cls, text)
        number.text = text
        return number


_KINDS: Final = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    ExactFloat: "number",
    list: "array",
    dict: "object",
}


def kind_of(value: object) -> str | None:
    """Return the JSON kind of a parsed value, such as `number` for 1 and for 1.0; None if it is not JSON."""
    if value is None:
        return "null"
    return _KINDS.get(type(value))


def with_plain_floats(value: Any) -> Any:
    """Return `value`, a JSON value, with floats in place of its `ExactFloat`s.

    Validators get such a value, and so do parameters whose values do not become a Decimal.
    """
    if isinstance(value, ExactFloat):
        return float(value)
    if type(value) is dict:
        return {name: with_plain_floats(item) for name, item in value.items()}
    return [with_plain_floats(item) for item in value] if type(value) is list else value


# --- Decoders ---


def _decoders(number: Callable[[str], float]) -> tuple[json.JSONDecoder, json.JSONDecoder]:
    """Return a decoder, and a second one that also refuses a name that occurs twice in an object.

    Both refuse `NaN`, `Infinity`, and any other number that is not finite. To refuse is to raise `ValueError`.

    Args:
        number: Returns the number for the text of a number that has a fraction or an exponent.
    """

    def read_float(text: str) -> float:
        """Return the number that `text` writes.

        Raises:
            ValueError: It is too large to be finite.
        """
        value = number(text)
        if value - value != 0:
            raise ValueError("a number is too large for JSON to carry (it is not finite)")
        return value

    plain = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=read_float)
    return plain, json.JSONDecoder(
        parse_constant=_refuse_constant, parse_float=read_float, object_pairs_hook=_object_of_unique_names
    )


_DECODERS: Final = _decoders(float)
PLAIN_DECODER: Final = _DECODERS[0]
STRICT_DECODER: Final = _DECODERS[1]
_EXACT_DECODERS: Final = _decoders(ExactFloat)

# --- Repairing slips ---

MAX_REPAIRED_LENGTH: Final = 1_000_000
"""Characters of the longest text that is repaired: more than any model writes at once."""

MAX_TOKENS: Final = 50_000
"""Most tokens of a text that are repaired; a string is one token. Reading this many takes some 0.15 s."""

MAX_CHANGES: Final = 100_000
"""Most changes that are made in one text."""

_SLIP_NOTES: Final = {
    "comments": "had comments: left out",
    "fences": "had a code fence: left out",
    "missing-commas": "had no commas between some values: added",
    "python-literals": "had True, False or None: taken as true, false or null",
    "raw-control-characters": "had line ends, tabs or other control characters in strings: taken as escaped",
    "single-quotes": "had single quotes that JSON does not know: taken as JSON writes them",
    "trailing-commas": "had trailing commas: left out",
    "unquoted-names": "had names without quotes: taken as quoted",
}
"""Slip -> the note about it, after the name of the text."""

SLIPS: Final = frozenset(_SLIP_NOTES) - {"missing-commas"}
"""The names of all slips that are repaired unless the caller says otherwise: a missing comma may be a quote that was not escaped."""


def read_lenient_json(text: str, exact: bool, allowed: Collection[str], where: str) -> tuple[Any, tuple[str, ...]]:
    """Return the value of JSON text, after repairs if it needs them, and a note about each slip.

    Args:
        text: The text.
        exact: Whether numbers keep all their digits, as `ExactFloat`s.
        allowed: The names of the slips that may be repaired.
        where: What to call the text in notes, such as `the arguments`.

    Raises:
        NotJsonError: The text cannot be repaired; the place is the one in the original text.
        ArgumentsError: The value is nested too deeply, has a name twice, or has a number that is not finite.
    """
    try:
        return read_json(text, exact), ()
    except NotJsonError:
        if len(text) > MAX_REPAIRED_LENGTH:
            raise
        changes = [*islice((change for change in _all_changes(text) if change.slip in allowed), MAX_CHANGES)]
        if not changes:
            raise
    parts, done = [], 0
    for change in changes:
        parts += [text[done : change.start], change.new]
        done = change.end
    notes = sorted(f"{where} {_SLIP_NOTES[slip]}" for slip in {change.slip for change in changes})
    try:
        return read_json("".join([*parts, text[done:]]), exact), tuple(notes)
    except NotJsonError as error:
        raise NotJsonError(text, error.reason, _original_position(changes, error.place)) from None


class _Change(NamedTuple):
    """A change that repairs a slip: the text from start to end is replaced by a new one."""

    slip: str
    start: int
    end: int
    new: str


def _original_position(changes: list[_Change], place: int) -> int:
    """Return the position in the original text of `place`, a position in the repaired text.

    `changes` are sorted. For a position inside a replacement, it is the start of the replaced text.
    """
    longer = 0
    for _, start, end, new in changes:
        if place < start + longer:
            break
        if place < start + longer + len(new):
            return start
        longer += len(new) - (end - start)
    return place - longer


_OPENING_FENCE: Final = re.compile(r"[ \t\n\r]*(`{3,}(?:[A-Za-z][\w+.-]*)?)")

# A line with U+2028 or U+2029 is not a comment: JavaScript would end the line there, and Python would not.
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


def _all_changes(text: str) -> Iterator[_Change]:
    """Yield the changes that repair slips in `text`, in order of position.

    They are those of every kind of slip, whether the caller allows it or not.
    """
    opening = _OPENING_FENCE.match(text)
    if opening:
        yield _Change("fences", opening.start(1), opening.end(1), "")
    # The tokens before and after it, comments left out, say what a token means.
    before: re.Match[str] | None = None
    token: re.Match[str] | None = None
    comments: list[_Change] = []
    for after in _tokens(text, opening.end() if opening else 0):
        if after is not None and after.lastgroup == "comment":
            comments.append(_Change("comments", after.start(), after.end(), " "))
            continue
        if token is not None:
            yield from _changes_of(token, before, after)
            if _ends_value(token) and after is not None and _begins_value(after):
                yield _Change("missing-commas", token.end(), token.end(), ",")
        yield from comments
        comments.clear()
        before, token = token, after


def _tokens(text: str, place: int) -> Iterator[re.Match[str] | None]:
    """Yield the tokens of `text` from `place` on as matches, without white space, and then None.

    They end with the text, after `MAX_TOKENS` (white space included), or before text that no change makes valid.
    """
    for _ in range(MAX_TOKENS):
        token = _TOKEN.match(text, place)
        if token is None:
            break
        if token.lastgroup != "space":
            yield token
        place = token.end()
    yield None


def _changes_of(token: re.Match[str], before: re.Match[str] | None, after: re.Match[str] | None) -> Iterator[_Change]:
    """Yield the changes that repair `token`, if it needs any.

    `before` and `after` are the tokens around it, or None at an end of the text.
    """
    start, end = token.span()
    match token.lastgroup:
        case "string" | "cut":
            yield from _changes_in_string(token)
        case "word":
            if _is_mark(after, ":"):
                if token[0] not in _LITERALS:
                    yield _Change("unquoted-names", start, end, f'"{token[0]}"')
            elif token[0] in _LITERALS:
                yield _Change("python-literals", start, end, _LITERALS[token[0]])
        case "mark":
            if token[0] == "," and _is_mark(after, "}]") and not _is_mark(before, "{["):
                yield _Change("trailing-commas", start, end, "")
        case "closing":
            yield _Change("fences", start, end, "")


def _ends_value(token: re.Match[str]) -> bool:
    """Return whether a value may end with `token`: a text, a number, a literal, `}` or `]`."""
    is_literal = token[0] in ("true", "false", "null", *_LITERALS)
    return token.lastgroup in ("string", "number") or is_literal or _is_mark(token, "}]")


def _begins_value(token: re.Match[str]) -> bool:
    """Return whether a value may begin with `token`: a text, a number, a word, `{` or `[`."""
    return token.lastgroup in ("string", "number", "word") or _is_mark(token, "{[")


def _is_mark(token: re.Match[str] | None, marks: str) -> bool:
    """Return whether `token` is a punctuation mark that is in `marks`; False for None."""
    return token is not None and token.lastgroup == "mark" and token[0] in marks


def _changes_in_string(token: re.Match[str]) -> Iterator[_Change]:
    """Yield the changes that make `token`, a string in single or double quotes, a JSON string.

    A JSON string needs none. An escape that JSON does not know, or a missing end, is left for the strict reader to refuse.
    """
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


# --- Names that occur twice ---


def has_unique_names(text: str, value: dict[str, Any] | list[Any]) -> bool:
    """Return whether counting shows that no name occurs twice in an object of a JSON text.

    It shows that if the text has as many colons as there are names, beside the colons in strings. False may also mean that counting shows
    nothing.

    Args:
        text: The text.
        value: Its value.
    """
    count = text.count(":")
    if count == (len(value) if type(value) is dict else 0):  # all names are in the outermost object, as in most calls
        return True
    return count == _count_names(value) or ("\\u003" not in text and count == _count_names(value, with_colons=True))


def _count_names(value: dict[str, Any] | list[Any], with_colons: bool = False) -> int:
    """Return the number of names in all objects of a JSON value, at any depth.

    Args:
        value: The value.
        with_colons: Whether to add the number of colons in names and other texts.
    """
    count = 0
    inside: list[Any] = [value]
    for each in inside:  # the list grows in the loop
        items = each
        if type(each) is dict:
            count += len(each)
            items = each.values()
            if with_colons:
                count += sum([name.count(":") for name in each])
        for item in items:
            if type(item) in _CONTAINERS:
                inside.append(item)
            elif with_colons and type(item) is str:
                count += item.count(":")
    return count


_CONTAINERS: Final = frozenset({dict, list})
