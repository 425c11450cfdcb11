"""The syntax of calls with bare names in braces: `call:name{key:<escape>text<escape>,n:1}`, where a mark replaces the quotes of strings.

Most arguments are all there and become JSON by adding quotes; Python's JSON parser then reads them. All others are read token by token.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._base.call import ToolCall
from fcregistry._base.json import MAX_DEPTH, STRICT_DECODER
from fcregistry.dialects._json_text import CONSTANTS
from fcregistry.dialects._source import MOST_FAILURES, TextMarks, Wake, wake_on_characters, wake_on_pattern
from fcregistry.dialects._syntax_json import arguments_of

if TYPE_CHECKING:
    from fcregistry.dialects._parsed import CallReader, CallWriter
    from fcregistry.dialects._source import Reading, TextSource

# --- Reading token by token ---

Token: TypeAlias = "tuple[str, str]"
"""The kind of a token and its text: a `string`, bare `text`, a bracket, or a comma."""

_CLOSING: Final = {"[": "]", "{": "}"}
_NAME: Final = re.compile(r"[\w.\-]*")
_PAST_NAME: Final = wake_on_pattern(r"[^\w.\-]")
_BARE: Final = re.compile(r"[\w.\-]++").fullmatch
_NUMBER: Final = re.compile(r"-?[0-9]+(?P<rest>\.[0-9]+)?(?P<power>[eE][+-]?[0-9]+)?").fullmatch


def read_braces(quote: str, opens: str, closes: str) -> CallReader:
    """Return a reader of calls with names in braces.

    Args:
        quote: The mark before and after a string.
        opens: The mark that opens a section; it ends one that is malformed.
        closes: The mark that closes the section. If it is missing, complete calls are calls nevertheless.
    """
    marks = TextMarks("{", "}", "[", "]", ",", quote, opens, closes)
    end_of_string = TextMarks(quote)
    wake = wake_on_characters(("}", opens[-1], closes[-1]))  # these end a call, or show that it is not one

    def read(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
        calls: list[ToolCall] = []
        yield from source.space()
        while (yield from source.take("call:")):
            name = yield from source.run(_NAME, _PAST_NAME)
            arguments = braces_at_once(source, quote, closes) if name else None
            if arguments is None:
                is_opened = bool(name) and (yield from source.take("{"))
                tokens = (yield from _take_tokens(source, marks, end_of_string, wake, opens)) if is_opened else None
                arguments = None if tokens is None else _arguments(tokens)
            if arguments is None:
                return None
            calls.append(ToolCall(name, arguments))
            yield from source.space()
        if calls:
            yield from source.close(closes)
        return calls or None

    return read


def _take_tokens(
    source: TextSource, marks: TextMarks, end_of_string: TextMarks, wake: Wake, opens: str
) -> Reading[list[Token] | None]:
    """Take text up to the brace that closes an opened one, and return its tokens.

    Return None if it is never closed.
    """
    tokens: list[Token] = []
    open_brackets = ["}"]
    while True:
        text, mark = _until(source, marks) or (yield from source.until(marks, wake))
        if text and not text.isspace():
            tokens.append(("text", text.strip()))
        if mark in end_of_string.texts:
            text, end = _until(source, end_of_string) or (yield from source.until(end_of_string, wake))
            if not end:
                return None
            tokens.append(("string", text))
        elif mark in _CLOSING:
            open_brackets.append(_CLOSING[mark])
            if len(open_brackets) > MAX_DEPTH + 1:
                return None
            tokens.append((mark, mark))
        elif mark == ",":
            tokens.append((mark, mark))
        elif mark != open_brackets.pop():
            if mark == opens:
                source.place -= len(mark)  # the next section begins there
            return None
        else:
            tokens.append((mark, mark))
            if not open_brackets:
                return tokens


def _until(source: TextSource, marks: TextMarks) -> tuple[str, str] | None:
    """Do what `until` does, for text that is all there, as most is."""
    found = marks.find(source.text, source.place)
    if found is None:
        return None
    text = source.text[source.place : found.start()]
    source.place = found.end()
    return text, found[0]


class _MalformedError(ValueError):
    """Tokens that do not make a value."""


def _arguments(tokens: list[Token]) -> dict[str, Any] | None:
    try:
        return _Values(tokens).members()
    except _MalformedError:
        return None


class _Values:
    """Reads values from tokens.

    Args:
        tokens: The tokens after an opening brace, with the closing one.
    """

    __slots__ = ("_kind", "_next", "_text")

    def __init__(self, tokens: list[Token]) -> None:
        self._next: Iterator[Token] = iter(tokens)
        self._step()

    def _step(self) -> None:
        self._kind, self._text = next(self._next, ("", ""))

    def _take(self, kind: str) -> bool:
        if self._kind != kind:
            return False
        self._step()
        return True

    def members(self) -> dict[str, Any]:
        """Take the members of an object, and the brace after them."""
        found: dict[str, Any] = {}

        def member() -> None:
            name, bare = self._name()
            if name in found:
                raise _MalformedError
            found[name] = _scalar(bare) if bare else self._value()

        self._each("}", member)
        return found

    def _each(self, closes: str, take: Callable[[], object]) -> None:
        while not self._take(closes):
            take()
            if not self._take(","):
                if not self._take(closes):
                    raise _MalformedError
                return

    def _name(self) -> tuple[str, str]:
        """Take a name and the colon after it; return the name, and the text after the colon in the same token."""
        quoted = self._text if self._kind == "string" else None
        if quoted is not None:
            self._step()
        name, colon, bare = self._text.partition(":")
        if self._kind != "text" or not colon or (bool(name) == (quoted is not None)):
            raise _MalformedError
        self._step()
        return name.strip() if quoted is None else quoted, bare.strip()

    def _value(self) -> Any:
        kind, text = self._kind, self._text
        self._step()
        if kind == "string":
            return text
        if kind == "text":
            return _scalar(text)
        if kind == "{":
            return self.members()
        if kind == "[":
            items: list[Any] = []
            self._each("]", lambda: items.append(self._value()))
            return items
        raise _MalformedError


def _scalar(text: str) -> Any:
    """Return the value of bare text: a constant, a number, or the text itself."""
    if text in CONSTANTS:
        return CONSTANTS[text]
    number = _NUMBER(text)
    if not number:
        return text
    try:
        value = float(text) if number["rest"] or number["power"] else int(text)
    except ValueError:  # more digits than Python reads
        raise _MalformedError from None
    if not isfinite(value):
        raise _MalformedError  # JSON has no such number
    return value


# --- Reading at once ---


def braces_at_once(source: TextSource, quote: str, closes: str) -> dict[str, Any] | None:
    """Take arguments that are all there and become JSON by adding quotes; take nothing otherwise."""
    if source.failures > MOST_FAILURES:
        return None
    end = source.text.find(closes, source.place)
    text = source.text[source.place : end].rstrip() if end >= 0 else ""
    value = _read_as_json(text.split(quote)) if text.startswith("{") else None
    if value is None:
        source.failures += 1
        return None
    source.place += len(text)
    return value


def _read_as_json(parts: list[str]) -> dict[str, Any] | None:
    """Return the object written in parts, of which every second one is a string.

    Return None if more than quotes is missing.
    """
    between = "\0".join(parts[::2])
    if not len(parts) % 2 or '"' in between or between.count("\0") != len(parts) // 2:
        return None  # quotes do not mark strings here
    parts[::2] = _quote_names(between).split("\0")
    parts[1::2] = map(_quote_string, parts[1::2])
    text = "".join(parts)
    try:
        value = STRICT_DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    is_plain = type(value) is dict and between.count("{") + between.count("[") <= MAX_DEPTH
    return value if is_plain else None


def _quote_names(text: str) -> str:
    """Return text with quotes around its bare names: those between a brace or a comma and a colon."""
    *heads, last = text.split(":")
    for place, head in enumerate(heads):
        start = max(head.rfind("{"), head.rfind(",")) + 1
        name = head[start:].strip()
        if name.isidentifier() or _BARE(name):  # the second takes longer
            heads[place] = f'{head[:start]}"{name}"'
    return ":".join([*heads, last])


_quote_string: Final = json.encoder.encode_basestring

# --- Writing ---


def write_braces(quote: str, opens: str, closes: str) -> CallWriter:
    """Return a writer of calls with names in braces, each between marks."""

    def write(calls: Sequence[ToolCall]) -> str:
        return "".join(
            f"{opens}call:{_checked_name(call.name)}{braces_text(arguments_of(call), quote)}{closes}" for call in calls
        )

    return write


def _checked_name(name: str) -> str:
    if not _BARE(name):
        raise ValueError(f"the name {name!r} cannot stand before braces")
    return name


def braces_text(value: Any, quote: str, depth: int = 0) -> str:
    """Return a JSON value with bare names in braces.

    Raises:
        ValueError: A string contains the mark that replaces quotes, or the value is not JSON, or nested too deeply.
    """
    if depth > MAX_DEPTH:
        raise ValueError("the arguments are nested too deeply")
    if isinstance(value, str):
        if quote in value:
            raise ValueError(f"a string with {quote} in it cannot be written")
        return f"{quote}{value}{quote}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) or (isinstance(value, float) and isfinite(value)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{','.join(braces_text(each, quote, depth + 1) for each in value)}]"
    if isinstance(value, dict):
        members = (
            f"{name if _BARE(name) else braces_text(name, quote)}:{braces_text(each, quote, depth + 1)}"
            for name, each in value.items()
        )
        return f"{{{','.join(members)}}}"
    raise ValueError(f"{value!r} is no value of JSON")
