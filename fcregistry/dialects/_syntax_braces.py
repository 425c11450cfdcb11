"""The syntax of calls with bare names in braces: `call:name{key:<escape>text<escape>,n:1}`, where a mark replaces the quotes of strings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

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
from fcregistry.dialects._parsed import Calls, Syntax
from fcregistry.dialects._source import none_of
from fcregistry.dialects._syntax_json import arguments_of

if TYPE_CHECKING:
    from fcregistry.dialects._parsed import CallReader, CallWriter
    from fcregistry.dialects._source import Reading, TextSource

# --- Reading ---

_NAME: Final = re.compile(r"[\w.\-]*")
_BARE: Final = re.compile(r"[\w.\-]++").fullmatch
_NUMBER: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?").fullmatch


def braces(quote: str, opens: str, closes: str) -> Syntax:
    """Return the syntax of calls with names in braces, each between marks.

    Args:
        quote: The mark before and after a string.
        opens: The mark before a call.
        closes: The mark after it.
    """
    return Syntax(
        (Calls(opens=(opens,), read=_reader(quote, opens, closes), words=rf"\s*+{none_of('call:', ':')}"),),
        _writer(quote, opens, closes),
        (quote, opens, closes),
    )


def _reader(quote: str, opens: str, closes: str) -> CallReader:
    """Return a reader of calls with names in braces.

    Args:
        quote: The mark before and after a string.
        opens: The mark that opens a section. Within arguments, but not in a string, it shows that the call is malformed.
        closes: The mark that closes the section. If it is missing, complete calls are calls nevertheless.
    """
    first = re.escape("".join({mark[0] for mark in (quote, opens, closes)}))
    mark = re.escape(quote)
    string = rf"{mark}(?:[^{first}]|(?!{mark})[{first}])*+{mark}"
    plain = rf"(?:[^{{}}\[\]{first}]++|{none_of(quote, opens, closes)}[{first}])*+"
    value = rf"(?:{string}|\{{{plain}\}}|\[{plain}\])"
    notation = Notation(
        usual=re.compile(rf"((?:{plain}{value})*+)({plain})", re.DOTALL),
        deepest=re.compile(rf"((?:{plain}{string})*+)({plain})", re.DOTALL),
        plain=re.compile(rf"()({plain})"),
        strings={quote: quote, opens: "", closes: ""},
        may_follow=lambda mark, outside: True,
    )
    find_tokens = re.compile(rf"{string}|[{{}}\[\],]|(?:(?!{mark})[^{{}}\[\],])++", re.DOTALL).findall

    def read(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
        """Read calls from the end of `mark`; return None if one is malformed or cut off, or there are none."""
        calls: list[ToolCall] = []
        yield from source.space()
        while (yield from source.take("call:", ":")):  # models forget the word
            name = yield from source.run(_NAME)
            is_opened = bool(name) and (yield from source.is_next("{"))
            text = (yield from take_balanced(source, notation)) if is_opened else None
            if text is None:
                return None
            tokens = (token.strip() for token in find_tokens(text) if not token.isspace())
            try:
                calls.append(ToolCall(name, _Values(tokens, quote).value()))
            except ValueError:
                return None
            yield from source.space()
        if calls:
            yield from source.close(closes)
        return calls or None

    return read


class _Values(TokenCursor):
    """Reads values from tokens.

    Args:
        tokens: The tokens: strings with their marks, brackets, commas, and the text between these.
        quote: The mark before and after a string.
    """

    __slots__ = ("_quote",)

    def __init__(self, tokens: Iterable[str], quote: str) -> None:
        super().__init__(tokens)
        self._quote = quote

    def value(self) -> Any:
        """Take the tokens of a value, and return the value.

        Raises:
            MalformedError: The next tokens are not a value.
        """
        token = self.step()
        if token == "{":
            return unique_members(self.take_items("}", self._member)[0])
        if token == "[":
            return self.take_items("]", self.value)[0]
        if token.startswith(self._quote):
            return self._text(token)
        if token in ("", ",", "}", "]"):
            raise MalformedError
        return _scalar(token)

    def _text(self, token: str) -> str:
        """Return the text of the string `token`, without the `quote` marks around it."""
        return token[len(self._quote) : -len(self._quote)]

    def _member(self) -> tuple[str, Any]:
        """Take a member of an object: a name, a colon and a value; return the name and the value.

        The name may be a string or bare, and a bare value is in the token of the colon.

        Raises:
            MalformedError: The next tokens are not a member.
        """
        quoted = self._text(self.step()) if self.token.startswith(self._quote) else None
        name, colon, bare = self.step().partition(":")
        if not colon or bool(name) == (quoted is not None):
            raise MalformedError
        bare = bare.strip()
        return name.strip() if quoted is None else quoted, _scalar(bare) if bare else self.value()


def _scalar(text: str) -> Any:
    """Return the value of the bare `text`: a constant, a number, or the text itself.

    Raises:
        MalformedError: It is a number that has too many digits or is not finite.
    """
    if text in CONSTANTS:
        return CONSTANTS[text]
    return number(text) if _NUMBER(text) else text


# --- Writing ---


def _writer(quote: str, opens: str, closes: str) -> CallWriter:
    """Return a writer of calls with names in braces, each between the marks `opens` and `closes`.

    Args:
        quote: The mark before and after a string.
        opens: The mark before a call.
        closes: The mark after it.
    """

    def write(calls: Sequence[ToolCall]) -> str:
        """Return the text of `calls` with names in braces, each between the marks; empty without calls.

        Raises:
            ValueError: A name or a value cannot be written so.
        """
        return "".join(
            f"{opens}call:{_checked_name(call.name)}{braces_text(arguments_of(call), quote)}{closes}" for call in calls
        )

    return write


def _checked_name(name: str) -> str:
    """Return `name`; raise `ValueError` if it cannot be written before braces."""
    if not _BARE(name):
        raise ValueError(f"the name {name!r} cannot be written before braces")
    return name


def braces_text(value: Any, quote: str, depth: int = 0) -> str:
    """Return the JSON value `value` as text with bare names, and strings between marks `quote`.

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
    raise ValueError(f"{value!r} is not a JSON value")
