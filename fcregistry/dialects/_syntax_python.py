"""The syntax of calls as Python writes them: `f(a=1, b="x")`, several in a list, or one after the other.

Only literals are read; nothing is compiled or evaluated. Python's own parser is not used: hostile text can make it slow, or exhaust the
stack of the interpreter. Arguments that JSON writes alike are read by Python's JSON parser, which is the fastest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._base.call import ToolCall
from fcregistry._base.json import MAX_DEPTH, STRICT_DECODER
from fcregistry.dialects._json_text import CONSTANTS
from fcregistry.dialects._source import MOST_FAILURES, Wake, wake_on_characters
from fcregistry.dialects._syntax_json import arguments_of, read_objects

if TYPE_CHECKING:
    from fcregistry.dialects._parsed import CallReader, CallWriter
    from fcregistry.dialects._source import KnownTools, Reading, TextSource

# --- Reading calls ---

_CALLED: Final = re.compile(r"([\w.\-]++)\(").match
_PAST_NAME: Final = re.compile(r"[^\w.\-]").search
_TO_PAST_NAME: Final = Wake(search=_PAST_NAME)
_TO_BRACKET: Final = wake_on_characters(")")
_NAME: Final = re.compile(r"[\w.\-]+").fullmatch
_KEYWORD: Final = re.compile(r"[^\W\d]\w*").fullmatch
_BEHIND_CALL: Final = re.compile(r"\s*+([,\]])")
_FENCES: Final = ("```python", "```py", "```")
_IN_ARRAY: Final = read_objects("]", opening="{")


def read_python(*closes: str) -> CallReader:
    """Return a reader of calls between marks.

    They are a list of calls, or calls one after the other, also in a code fence; or an array of JSON objects.

    Args:
        *closes: The marks that close the section. If none does, complete calls are calls nevertheless.
    """

    def read(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
        yield from source.space()
        fence = yield from source.take(*_FENCES)
        yield from source.space()
        calls = yield from (read_list if (yield from source.take("[")) else _read_row)(source, mark)
        if calls is None:
            return None
        yield from source.space()
        if fence and (yield from source.close("```")):
            yield from source.space()
        yield from source.close(*closes)
        return calls

    return read


def read_list(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a list of calls from after its opening bracket.

    A list that is cut off, or holds anything else, makes none.
    """
    yield from source.space()
    if mark != "[" and (yield from source.is_next("{")):
        return (yield from _IN_ARRAY(source, mark))
    calls: list[ToolCall | None] = []
    while found := (yield from _take_call(source)):
        calls += found
        if behind := source.at_once(_BEHIND_CALL):
            separator = behind[1]
        else:
            yield from source.space()
            separator = yield from source.take(",", "]")
        if separator == ",":
            yield from source.space()
            separator = yield from source.take("]")
        elif not separator:
            return None
        if separator == "]":
            return None if None in calls else [call for call in calls if call]
    return None


def _read_row(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read calls one after the other, up to the first text that is not a call."""
    calls: list[ToolCall] = []
    while True:
        found = yield from _take_call(source)
        call = found[0] if found else None
        if call is None:
            return calls or None
        calls.append(call)
        yield from source.space()
        yield from source.take(",", ";")
        yield from source.space()


def _take_call(source: TextSource) -> Reading[list[ToolCall | None]]:
    """Take a call, and return it in a list.

    The item is None for a call that holds more than literals. The list is empty if no call begins, or it is cut off.
    """
    name = yield from _take_name(source)
    if not name:
        return []
    if source.failures <= MOST_FAILURES and not source.ended and source.text.find(")", source.place) < 0:
        yield _TO_BRACKET
    arguments = arguments_at_once(source)
    if arguments is not None:
        return [ToolCall(name, arguments)]
    tokens = yield from take_tokens(source)
    return [] if tokens is None else [_bind(name, tokens, source.shapes)]


def _take_name(source: TextSource) -> Reading[str]:
    """Take a name and the bracket after it, and return the name; take nothing if they do not come next."""
    while True:
        found = _CALLED(source.text, source.place)
        if found:
            source.place = found.end()
            return found[1]
        if source.ended or _PAST_NAME(source.text, source.place):
            return ""
        yield _TO_PAST_NAME


def _bind(name: str, tokens: list[Token], shapes: KnownTools) -> ToolCall | None:
    try:
        by_place, by_name = _read_arguments(Literals(tokens))
    except NotLiteralError:
        return None
    names = _parameters(shapes.of(name))[: len(by_place)] if by_place else []
    if len(names) < len(by_place) or not by_name.keys().isdisjoint(names):
        return None
    return ToolCall(name, {**dict(zip(names, by_place, strict=True)), **by_name})


def _parameters(schema: Mapping[str, Any]) -> list[str]:
    """Return the names of parameters, in order."""
    properties = schema.get("properties")
    return list(properties) if isinstance(properties, Mapping) else []


def _read_arguments(literals: Literals) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments by position, and those by name.

    Raises:
        NotLiteralError: One is not a literal, has the name of another, or is at a place where none may be.
    """
    by_place: list[Any] = []
    by_name: dict[str, Any] = {}
    while not literals.take(""):
        if literals.take("**"):
            _add(by_name, literals.value())
        else:
            word = literals.take_word()
            if word and literals.take("="):
                _add(by_name, {word: literals.value()})
            elif by_name:
                raise NotLiteralError
            else:
                by_place.append(literals.constant(word) if word else literals.value())
        if not literals.take(",") and not literals.take(""):
            raise NotLiteralError
    return by_place, by_name


def _add(by_name: dict[str, Any], more: Any) -> None:
    if not isinstance(more, dict) or not by_name.keys().isdisjoint(more):
        raise NotLiteralError
    by_name.update(more)


# --- Writing calls ---


def write_list(before: str = "", after: str = "") -> CallWriter:
    """Return a writer of calls as one list, between marks."""
    return lambda calls: f"{before}[{', '.join(map(_call_text, calls))}]{after}" if calls else ""


def write_rows(before: str, after: str) -> CallWriter:
    """Return a writer of calls on a line each, between marks."""
    return lambda calls: before + "\n".join(map(_call_text, calls)) + after if calls else ""


def _call_text(call: ToolCall) -> str:
    """Return a call as Python writes it.

    Raises:
        ValueError: Its name, or a value, cannot be written so.
    """
    if not _NAME(call.name):
        raise ValueError(f"the name {call.name!r} cannot be written as that of a function")
    arguments = arguments_of(call)
    named = [f"{name}={literal_text(value)}" for name, value in arguments.items() if _KEYWORD(name)]
    others = {name: value for name, value in arguments.items() if not _KEYWORD(name)}
    return f"{call.name}({', '.join([*named, *([f'**{literal_text(others)}'] if others else [])])})"


def literal_text(value: Any, depth: int = 0) -> str:
    """Return a JSON value as a literal of Python.

    Raises:
        ValueError: It is not a JSON value, or nested too deeply.
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


# --- Reading at once ---

_KEYWORD_BEGIN: Final = re.compile(r"\s*+,\s*+([^\W\d]\w*+)\s*+=\s*+").match
_END: Final = re.compile(r"\s*+,?\s*+\Z").match
_JSON_CONSTANTS: Final = {"True": "true", "False": "false", "None": "null"}
_HIDDEN: Final = {"\\\\": "\1", '\\"': "\2", "\\'": "\3"}
"""Escape -> the character that replaces it while quotes are counted; no JSON string contains these."""
_SHOWN: Final = {"\1": "\\\\", "\2": '\\"', "\3": "'"}
"""The same character -> what JSON writes for the escape."""


def arguments_at_once(source: TextSource) -> dict[str, Any] | None:
    """Take the arguments of a call and the bracket after them.

    They are taken if they are all there and JSON apart from quotes; otherwise nothing is.
    """
    if source.failures > MOST_FAILURES:
        return None
    end = _closing_bracket(source.text, source.place)
    text = None if end < 0 else _as_json(source.text[source.place : end])
    arguments = None if text is None else _decode_arguments(text)
    if arguments is None:
        source.failures += 1
        return None
    source.place = end + 1
    return arguments


def _closing_bracket(text: str, start: int) -> int:
    """Return the place of the first closing bracket outside strings; -1 if there is none.

    Only the first kind of quote marks strings: the other one is an ordinary character inside them, and outside JSON refuses it.
    """
    quote, is_inside = "", False
    while (end := text.find(")", start)) >= 0:
        piece = _hide_escapes(text[start:end])
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


def _hide_escapes(text: str) -> str:
    return _replace_all(text, _HIDDEN) if "\\" in text else text


def _replace_all(text: str, by: dict[str, str]) -> str:
    for old, new in by.items():
        text = text.replace(old, new)
    return text


def _as_json(text: str) -> str | None:
    """Return text with the quotes and the constants of JSON; None if that might change its meaning."""
    is_escaped = "\\" in text
    if is_escaped and any(each in text for each in _SHOWN):
        return None
    text = _hide_escapes(text)
    quote = _quote_of(text)
    pieces = text.split(quote)
    between = '"'.join(pieces[::2])
    if between.count('"') != len(pieces) // 2:
        return None  # it occurs outside strings, too
    if between.count("[") + between.count("{") > MAX_DEPTH:
        return None
    if quote == "'" and '"' in text:
        pieces[1::2] = [piece.replace('"', '\\"') for piece in pieces[1::2]]
    if (constant := _replace_all(between, _JSON_CONSTANTS)) != between:
        pieces[::2] = constant.split('"')
    joined = '"'.join(pieces)
    return _replace_all(joined, _SHOWN) if is_escaped else joined


def _decode_arguments(text: str) -> dict[str, Any] | None:
    """Return the arguments in a JSON text.

    Return None if it has none, or a name may have been mistaken for a constant.
    """
    read = STRICT_DECODER.raw_decode
    arguments: dict[str, Any] = {}
    text = f",{text}"
    end = 0
    try:
        while named := _KEYWORD_BEGIN(text, end):
            if named[1] in arguments:
                return None
            arguments[named[1]], end = read(text, named.end())
    except (ValueError, RecursionError):
        return None
    names = " ".join(arguments)
    is_renamed = "true" in names or "false" in names or "null" in names
    return arguments if _END(text, end) and not is_renamed else None


# --- Tokens ---

Token: TypeAlias = "tuple[str, str]"
"""The kind of a token and its text: a `number`, `string` or `word`, a bracket, `,`, `:`, `=` or `**`, or `odd`, which no literal has."""

_TOKEN: Final = re.compile(
    r"""\s*+(?:
      (?P<mark>[\[\](){},:=]|\*\*)
    | (?P<string>[rRuUbBfF]{0,2}+(?:
          '''(?>[^'\\]+|\\.|'(?!''))*+'''
        | \"\"\"(?>[^"\\]+|\\.|"(?!""))*+\"\"\"
        | '(?!'')(?>[^'\\]+|\\.)*+'
        | "(?!"")(?>[^"\\]+|\\.)*+"))
    | (?P<opened>[rRuUbBfF]{0,2}+['"])
    | (?P<number>[+-]?(?:0[xX][\da-fA-F_]++|0[oO][0-7_]++|0[bB][01_]++
        |(?:(?:0|[1-9][0-9_]*+)(?:\.[0-9_]*+)?|\.[0-9][0-9_]*+)(?:[eE][+-]?[0-9]++)?)(?![\w.'"]))
    | (?P<word>\w[\w.\-]*+(?!['"]))
    | (?P<odd>\w[\w.\-]*+['"]|\S))""",
    re.VERBOSE | re.DOTALL,
).match
_LOOSE: Final = re.compile(r"\s*+[\w.+\-]*+\Z").match
"""A number or a word at the end of the text, which may continue."""
_WAKE_ON_BRACKET: Final = wake_on_characters(")]}")
"""A call is complete only with a closing bracket."""
_LONGEST_DOUBT: Final = 3
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}

_INSIDE: Final = {
    "'": re.compile(r"(?>[^'\\]+|\\.)*", re.DOTALL),
    '"': re.compile(r'(?>[^"\\]+|\\.)*', re.DOTALL),
}
_WAKE_ON_QUOTE: Final = {"'": wake_on_characters("'"), '"': wake_on_characters('"')}
_PREFIX: Final = re.compile("[a-zA-Z]*")


def take_tokens(source: TextSource) -> Reading[list[Token] | None]:
    """Take text up to the bracket that closes an opened `(`, and return its tokens.

    Return None if it is never closed.

    An apostrophe within a word opens no string, so that prose in the place of a value hides nothing behind it.
    """
    tokens: list[Token] = []
    open_brackets = [")"]
    while True:
        found = _TOKEN(source.text, source.place)
        if found is None or found.lastgroup == "opened" or found.end() > len(source.text) - _LONGEST_DOUBT:
            found = yield from _next_token(source)
            if found is None:
                return None
        kind = found.lastgroup or ""
        source.place = found.start(kind)
        if kind == "opened":
            whole = yield from _take_string(source)
            if whole is None:
                return None
            tokens.append(("string", whole))
            continue
        text = found[kind]
        source.place = found.end()
        if kind != "mark":
            tokens.append((kind, text))
            continue
        if text in _CLOSING:
            open_brackets.append(_CLOSING[text])
            if len(open_brackets) > MAX_DEPTH + 1:
                return None
        elif text in ")]}":
            if open_brackets.pop() != text:
                return None
            if not open_brackets:
                return tokens
        tokens.append((text, text))


def _next_token(source: TextSource) -> Reading[re.Match[str] | None]:
    """Return the next token once no further text can change it; None if there is none."""
    while True:
        found = _TOKEN(source.text, source.place)
        if source.ended or (found and found.lastgroup in ("mark", "opened")):
            return found
        loose = _LOOSE(source.text, source.place)
        if found and found.end() < len(source.text) and not loose:
            return found
        yield _WAKE_ON_BRACKET


def _take_string(source: TextSource) -> Reading[str | None]:
    """Take a string that is not all there yet, and return it as it is written; None if it is cut off."""
    pieces = [(yield from source.run(_PREFIX))]
    quote = source.text[source.place]
    mark = (yield from source.take(quote * 3)) or quote
    if mark == quote:
        source.place += 1
    pieces.append(mark)
    while True:
        pieces.append((yield from source.run(_INSIDE[quote], _WAKE_ON_QUOTE[quote], "\\")))
        if (yield from source.take(mark)):
            return "".join([*pieces, mark])
        if not source.text.startswith(quote, source.place):
            return None
        source.place += 1
        pieces.append(quote)


# --- Literals ---


class NotLiteralError(ValueError):
    """Python that is more than literals."""


class Literals:
    """Reads values from tokens.

    Args:
        tokens: The tokens between the brackets of a call.
    """

    __slots__ = ("_kind", "_next", "_text")

    def __init__(self, tokens: list[Token]) -> None:
        self._next: Iterator[Token] = iter(tokens)
        self._step()

    def _step(self) -> None:
        self._kind, self._text = next(self._next, ("", ""))

    def take(self, kind: str) -> bool:
        """Take the next token if it is of a kind, and return whether it was; the kind of the end is empty."""
        if self._kind != kind:
            return False
        if kind:
            self._step()
        return True

    def take_word(self) -> str:
        """Take a word, and return it; empty if none comes next."""
        word = self._text
        return word if self.take("word") else ""

    def value(self) -> Any:
        """Take a value, and return it.

        Raises:
            NotLiteralError: The next token begins none.
        """
        kind, text = self._kind, self._text
        self._step()
        if kind == "string":
            return self._join_strings(text)
        if kind == "number":
            return _number(text)
        if kind == "word":
            return self.constant(text)
        if kind == "[":
            return self._items("]")[0]
        if kind == "(":
            items, is_tuple = self._items(")")
            return items if is_tuple else items[0]
        if kind == "{":
            return self._members()
        raise NotLiteralError

    def constant(self, word: str) -> Any:
        """Return the value of a word.

        Raises:
            NotLiteralError: It is not a constant.
        """
        if word not in CONSTANTS:
            raise NotLiteralError
        return CONSTANTS[word]

    def _join_strings(self, first: str) -> str:
        """Return the text of a string, joined with the strings directly after it."""
        texts = [_string_value(first)]
        while self._kind == "string":
            texts.append(_string_value(self._text))
            self._step()
        return "".join(texts)

    def _items(self, closes: str) -> tuple[list[Any], bool]:
        """Take items up to a closing bracket, and return them.

        The second value is whether they are more than one value in brackets.
        """
        items: list[Any] = []
        while not self.take(closes):
            items.append(self.value())
            if not self.take(","):
                if not self.take(closes):
                    raise NotLiteralError
                return items, len(items) > 1
        return items, True

    def _members(self) -> dict[str, Any]:
        members: dict[str, Any] = {}
        while not self.take("}"):
            name = self.value()
            if not isinstance(name, str) or name in members or not self.take(":"):
                raise NotLiteralError
            members[name] = self.value()
            if not self.take(","):
                if not self.take("}"):
                    raise NotLiteralError
                break
        return members


def _number(text: str) -> int | float:
    try:
        return int(text, 0)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        raise NotLiteralError from None
    if not isfinite(number):
        raise NotLiteralError  # JSON has no such number
    return number


def _string_value(written: str) -> str:
    """Return the text of a string, from the way it is written."""
    start = next(place for place, character in enumerate(written) if character in "'\"")
    prefix = written[:start].lower()
    width = 3 if written.startswith(written[start] * 3, start) and len(written) >= start + 6 else 1
    text = written[start + width : -width]
    if prefix not in ("", "r", "u"):
        raise NotLiteralError
    return text if prefix == "r" or "\\" not in text else unescape(text)


_ESCAPE: Final = re.compile(
    r"\\(?:(?P<plain>[\\'\"abfnrtv\n/])|(?P<octal>[0-7]{1,3})|x(?P<x>[\da-fA-F]{2})|u(?P<u>[\da-fA-F]{4})|U(?P<U>00[\da-fA-F]{6}))"
)
_PLAIN: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\n": ""}
"""Character after a backslash -> its meaning; any other stands for itself."""


def unescape(text: str) -> str:
    """Return text with escapes read as Python reads them.

    So are those of JSON, of which two may make one character.
    """
    plain = _ESCAPE.sub(_character, text)
    if any("\ud800" <= character <= "\udfff" for character in plain):
        return plain.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return plain


def _character(found: re.Match[str]) -> str:
    kind = found.lastgroup or ""
    if kind == "plain":
        return _PLAIN.get(found[kind], found[kind])
    number = int(found[kind], 8 if kind == "octal" else 16)
    return chr(number) if number <= 0x10FFFF else found[0]
