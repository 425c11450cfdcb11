"""The syntax of calls as Python writes them: `f(a=1, b="x")`, several in a list, or one after the other.

Only literals are read; nothing is compiled or evaluated. Python's own parser is not used: hostile text can make it slow, or exhaust the
stack of the interpreter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._base.call import ToolCall
from fcregistry._base.json import MAX_DEPTH
from fcregistry.dialects._brackets import (
    CONSTANTS,
    MalformedError,
    Notation,
    TokenCursor,
    number,
    take_balanced,
    unique_members,
)
from fcregistry.dialects._source import TextSource
from fcregistry.dialects._syntax_json import NAME, arguments_of, read_objects

if TYPE_CHECKING:
    from fcregistry.dialects._parsed import CallReader, CallWriter
    from fcregistry.dialects._source import KnownTools, Reading

# --- Reading calls ---

_NAME: Final = re.compile(r"[\w.\-]+").fullmatch
_KEYWORD: Final = re.compile(r"[^\W\d]\w*").fullmatch
_FENCES: Final = ("```python", "```py", "```")
_IN_ARRAY: Final = read_objects("]", opening="{")


NO_PYTHON: Final = r"\s*+(?![\w.\-\[{`]|\Z)"
"""The pattern of what follows a mark if `read_python` finds nothing that a call may begin with."""


def read_python(*closes: str) -> CallReader:
    """Return a reader of calls as Python writes them: a list of calls, or calls one after the other.

    The reader reads them in a code fence, too, and reads JSON objects, also in an array.

    Args:
        *closes: The marks that close the section. If none does, complete calls are calls nevertheless.
    """
    read_json = read_objects(*closes, opening="{")

    def read(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
        """Read calls from the end of `mark`; return None if there are none.

        If text after the calls turns out not to be one of them, `source.left` gets it, as content.
        """
        yield from source.space()
        if (yield from source.is_next("{")):
            return (yield from read_json(source, mark))
        fence = yield from source.take(*_FENCES)
        yield from source.space()
        calls = yield from (read_list if (yield from source.take("[")) else _read_sequence)(source, mark)
        if calls is None:
            return None
        yield from source.space()
        if fence and (yield from source.close("```")):
            yield from source.space()
        if not (yield from source.close(*closes)) and source.left:
            source.left = source.since()
        return calls

    return read


def read_list(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a list of calls, from the end of its opening bracket.

    If the list is cut off, or contains anything but calls, it has no calls.
    """
    yield from source.space()
    if mark != "[" and (yield from source.is_next("{")):
        return (yield from _IN_ARRAY(source, mark))
    written: list[tuple[str, str]] = []
    while found := (yield from _take_call(source)):
        written.append(found)
        yield from source.space()
        separator = yield from source.take(",", "]")
        if separator == ",":
            yield from source.space()
            separator = yield from source.take("]")
        elif not separator:
            return None
        if separator == "]":
            calls = [_bind(name, text, source.shapes) for name, text in written]
            return None if None in calls else [call for call in calls if call]
    return None


def _read_sequence(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read calls one after the other, up to the first text that is not a call.

    Return None if there are no calls. The text that was taken after the last call is put into `source.left`.
    """
    calls: list[ToolCall] = []
    while True:
        found = yield from _take_call(source)
        call = _bind(*found, source.shapes) if found else None
        if call is None:
            source.left = source.since() if calls else ""
            return calls or None
        calls.append(call)
        yield from source.space()
        yield from source.take(",", ";")
        yield from source.space()
        source.begin(source.place)


def _take_call(source: TextSource) -> Reading[tuple[str, str] | None]:
    """Take a call; return its name, and its arguments as text with the round brackets around them.

    Return None if no call comes next, or it is cut off.
    """
    name = yield from source.run(NAME)
    if not name or not (yield from source.is_next("(")):
        return None
    text = yield from take_balanced(source, _PYTHON)
    return None if text is None else (name, text)


class WrittenCall(NamedTuple):
    """A call that a text begins with.

    Attributes:
        name: The name of the tool.
        arguments: The text from the opening bracket on.
        is_closed: Whether the text ends with the closing bracket; if not, it ends before that.
        call: The call, if the arguments are literals.
    """

    name: str
    arguments: str
    is_closed: bool
    call: ToolCall | None


def call_of_text(text: str, shapes: KnownTools) -> WrittenCall | None:
    """Return the call that `text` is, as Python writes it, or None if it is not a call.

    A call that is not complete counts; text after a call does not.
    """
    name = NAME.match(text)
    size = name.end() if name else 0
    if not size or text[size : size + 1] != "(":
        return None
    source = TextSource(shapes)
    source.add(text)
    source.ended = True
    try:
        next(_take_call(source))
    except StopIteration as end:
        if end.value is None:
            return WrittenCall(text[:size], text[size:], is_closed=False, call=None)
        if source.place == len(text):
            called, arguments = end.value
            return WrittenCall(called, arguments, is_closed=True, call=_bind(called, arguments, shapes))
    return None


def _bind(name: str, text: str, shapes: KnownTools) -> ToolCall | None:
    """Return the call of `name` with the arguments in `text`, which begins with the opening bracket.

    Return None if they are not literals, a name occurs twice, or arguments by position do not fit the parameters in `shapes`.
    """
    try:
        by_place, by_name = _Literals(_FIND_TOKENS(text[1:])).arguments()
    except ValueError:
        return None
    names = _parameters(shapes.of(name))[: len(by_place)] if by_place else []
    if len(names) < len(by_place) or not by_name.keys().isdisjoint(names):
        return None
    return ToolCall(name, {**dict(zip(names, by_place, strict=True)), **by_name})


def _parameters(schema: Mapping[str, Any]) -> list[str]:
    """Return the names of the properties in `schema`, in order; empty if it has none."""
    properties = schema.get("properties")
    return list(properties) if isinstance(properties, Mapping) else []


# --- Writing calls ---


def write_list(before: str = "", after: str = "") -> CallWriter:
    """Return a writer of calls as one list between the texts `before` and `after`; no text without calls."""
    return lambda calls: f"{before}[{', '.join(map(_call_text, calls))}]{after}" if calls else ""


def write_lines(before: str, after: str) -> CallWriter:
    """Return a writer of calls, each on its own line, between the texts `before` and `after`.

    Without calls, it writes no text.
    """
    return lambda calls: before + "\n".join(map(_call_text, calls)) + after if calls else ""


def _call_text(call: ToolCall) -> str:
    """Return `call` as Python writes it; arguments whose names are not identifiers follow in `**{…}`.

    Raises:
        ValueError: The name or a value cannot be written in Python, or the arguments are text that is not a JSON object.
    """
    if not _NAME(call.name):
        raise ValueError(
            f"a call of {call.name!r} cannot be written as Python, since that is not the name of a Python function"
        )
    arguments = arguments_of(call)
    named = [f"{name}={literal_text(value)}" for name, value in arguments.items() if _KEYWORD(name)]
    others = {name: value for name, value in arguments.items() if not _KEYWORD(name)}
    return f"{call.name}({', '.join([*named, *([f'**{literal_text(others)}'] if others else [])])})"


def literal_text(value: Any, depth: int = 0) -> str:
    """Return the JSON value `value` as a literal of Python.

    Raises:
        ValueError: `value` is not a JSON value, or is nested too deeply.
    """
    if value is None or isinstance(value, (bool, str, int)):
        return repr(value)
    if depth >= MAX_DEPTH:
        raise ValueError("the arguments are nested too deeply")
    if isinstance(value, float) and isfinite(value):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(literal_text(each, depth + 1) for each in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name!r}: {literal_text(each, depth + 1)}' for name, each in value.items())}}}"
    raise ValueError(f"{value!r} cannot be written as a literal")


# --- Literals ---

_QUOTED: Final = r"""(?:
      '''(?>[^'\\]+|\\.|'(?!''))*+'''
    | \"\"\"(?>[^"\\]+|\\.|"(?!""))*+\"\"\"
    | '(?!')(?>[^'\\]+|\\.)*+' | ''(?=[^'])
    | "(?!")(?>[^"\\]+|\\.)*+" | ""(?=[^"]))"""
"""A string without its prefix, as far as no further text can change its end."""
_AFTER_PREFIX: Final = r"(?:(?<!\w)|(?<=(?<!\w)[rRuUbBfF])|(?<=(?<!\w)[rRuUbBfF]{2}))"
_MAY_OPEN_STRING: Final = re.compile(r"(?<!\w)[rRuUbBfF]{0,2}\Z").search
_OUTSIDE: Final = r"""[^\[\](){}'"]*+"""

_STRINGS: Final = rf"(?:{_OUTSIDE}{_AFTER_PREFIX}{_QUOTED})*+{_OUTSIDE}"
_FLAT: Final = rf"\[{_STRINGS}\]|\({_STRINGS}\)|\{{{_STRINGS}\}}"

_PYTHON: Final = Notation(
    usual=re.compile(rf"((?:{_OUTSIDE}(?:{_AFTER_PREFIX}{_QUOTED}|{_FLAT}))*+)({_OUTSIDE})", re.VERBOSE | re.DOTALL),
    deepest=re.compile(rf"((?:{_OUTSIDE}{_AFTER_PREFIX}{_QUOTED})*+)({_OUTSIDE})", re.VERBOSE | re.DOTALL),
    plain=re.compile(rf"()({_OUTSIDE})"),
    strings={mark: mark for mark in ("'", '"', "'''", '"""')},
    between=_OUTSIDE,
    # An apostrophe within a word opens no string, so that prose in the place of a value hides nothing behind it.
    may_follow=lambda mark, outside: mark in "([{" or _MAY_OPEN_STRING(outside) is not None,
)

_CALL: Final = re.sub(r"\s", "", rf"[\w.\-]++\({_STRINGS}\)")
_NO_CALL_BEGINS: Final = r"(?![\w.\-]++(?:\(|\Z)|\Z"
_CALLS: Final = rf"(?:\s*+{_CALL}\s*+,)"
NO_LIST: Final = (
    rf"(?:\s*+{_NO_CALL_BEGINS})|{_CALLS}++\s*+{_NO_CALL_BEGINS}|\])|{_CALLS}*+\s*+{_CALL}\s*+(?![,\]]|\Z))[\w.\-]*+"
)
"""The pattern of the text after a bracket that opens no list of calls."""

_FIND_TOKENS: Final = re.compile(
    rf"""([\[\](){{}},:=]
    | [+-]?\.?[0-9](?:[eE][+-]?(?=[0-9])|[\w.])*+
    | [rRuUbBfF]{{0,2}}{_QUOTED}
    | \w[\w.\-]*+ | \*\* | \S)\s*+""",
    re.VERBOSE | re.DOTALL,
).findall
_STRING_PARTS: Final = re.compile(r"""(\w*)('{3}|"{3}|['"])(.*)\2""", re.DOTALL).fullmatch
_WORD: Final = re.compile(r"\d*+[^\W\d][\w.\-]*+").fullmatch
_NUMBER: Final = re.compile(
    r"[+-]?(?:0[xX][\da-fA-F_]++|0[oO][0-7_]++|0[bB][01_]++"
    r"|(?:(?:0|[1-9][0-9_]*+)(?:\.[0-9_]*+)?|\.[0-9][0-9_]*+)(?:[eE][+-]?[0-9]++)?)"
).fullmatch


class _Literals(TokenCursor):
    """Reads the arguments of a call, and the values of Python's literals, from tokens."""

    __slots__ = ()

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        """Take arguments and the bracket after them; return the arguments by position, and those by name.

        Raises:
            ValueError: An argument is not a literal, has the name of another one, or follows one by name without a name.
        """
        by_place: list[Any] = []
        by_name: dict[str, Any] = {}

        def take_argument() -> None:
            """Take an argument, and add it to `by_place` or `by_name`; `**` adds each member of its dict.

            Raises:
                ValueError: It is not a literal, has the name of another, or follows one by name without a name.
            """
            token = self.step()
            if token != "**" and not self.take("="):
                if by_name:
                    raise MalformedError
                by_place.append(self.value(token))
                return
            if token != "**" and not _WORD(token):
                raise MalformedError
            more = self.value() if token == "**" else {token: self.value()}
            if not isinstance(more, dict) or not by_name.keys().isdisjoint(more):
                raise MalformedError
            by_name.update(more)

        self.take_items(")", take_argument)
        return by_place, by_name

    def value(self, token: str = "") -> Any:
        """Take the tokens of a value, and return the value.

        Args:
            token: The first token, if it was taken already.

        Raises:
            ValueError: The next tokens are not a literal.
        """
        token = token or self.step()
        if _is_string(token):
            text = _string_value(token)
            while _is_string(self.token):
                text += _string_value(self.step())
            return text
        if _NUMBER(token):
            return number(token, 0)
        if token in CONSTANTS:
            return CONSTANTS[token]
        if token == "{":
            return unique_members(self.take_items("}", self._member)[0])
        if token == "[":
            return self.take_items("]", self.value)[0]
        if token == "(":
            items, is_tuple = self.take_items(")", self.value)
            return items if is_tuple or len(items) > 1 else items[0]
        raise MalformedError

    def _member(self) -> tuple[str, Any]:
        """Take a member of a dict, and return its name and its value.

        Raises:
            ValueError: The name is not a string, a colon is missing, or the value is not a literal.
        """
        name = self.value()
        if not isinstance(name, str) or not self.take(":"):
            raise MalformedError
        return name, self.value()


def _is_string(token: str) -> bool:
    """Return whether `token`, of at least two characters, ends with a quote, as string literals do."""
    return len(token) > 1 and token[-1] in "'\""


def _string_value(written: str) -> str:
    """Return the text of `written`, a string literal, with its escapes replaced unless it is raw.

    Raises:
        MalformedError: It is of bytes, formatted, or no string literal.
    """
    found = _STRING_PARTS(written)
    prefix = found[1].lower() if found else "?"
    if found is None or prefix not in ("", "r", "u"):
        raise MalformedError
    return found[3] if prefix == "r" or "\\" not in found[3] else unescape(found[3])


_ESCAPE: Final = re.compile(
    r"\\(?:(?P<plain>[\\'\"abfnrtv\n/])|(?P<octal>[0-7]{1,3})|x(?P<x>[\da-fA-F]{2})|u(?P<u>[\da-fA-F]{4})|U(?P<U>00[\da-fA-F]{6}))"
)
_PLAIN: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\n": ""}
"""Character after a backslash -> its meaning; any other is itself."""


def unescape(text: str) -> str:
    """Return `text` with its escapes replaced by their characters, as in Python.

    Two escapes of surrogates, as JSON has them, become one character.
    """
    plain = _ESCAPE.sub(_character, text)
    if any("\ud800" <= character <= "\udfff" for character in plain):
        return plain.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return plain


def _character(found: re.Match[str]) -> str:
    """Return the character of the escape `found`, or the escape itself if its number is not a character.

    A backslash before a line break becomes an empty text.
    """
    kind = found.lastgroup or ""
    if kind == "plain":
        return _PLAIN.get(found[kind], found[kind])
    number = int(found[kind], 8 if kind == "octal" else 16)
    return chr(number) if number <= 0x10FFFF else found[0]
