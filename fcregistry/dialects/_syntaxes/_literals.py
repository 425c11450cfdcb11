"""Which values does a piece of Python hold? Literals alone are read; nothing is compiled, and nothing is evaluated.

Python's own parser is not asked: hostile text can make it slow, or exhaust the stack of the interpreter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.json import MAX_DEPTH

if TYPE_CHECKING:
    from fcregistry.dialects._syntaxes._tokens import Token


class NotLiteralError(ValueError):
    """Python that is more than literals."""


class Literals:
    """Reads values from tokens.

    Args:
        tokens: What stands between the brackets of a call.
    """

    __slots__ = ("_kind", "_next", "_text")

    def __init__(self, tokens: list[Token]) -> None:
        self._next: Iterator[Token] = iter(tokens)
        self._step()

    def _step(self) -> None:
        self._kind, self._text = next(self._next, ("", ""))

    def take(self, kind: str) -> bool:
        """Take the next token if it is of a kind; the kind of the end is empty."""
        if self._kind != kind:
            return False
        if kind:
            self._step()
        return True

    def take_word(self) -> str:
        """Take a word, and return it; nothing where none comes next."""
        word = self._text
        return word if self.take("word") else ""

    def value(self) -> Any:
        """Take a value, and return it.

        Raises:
            NotLiteralError: What comes next is none.
        """
        kind, text = self._kind, self._text
        self._step()
        if kind == "string":
            return self._joined(text)
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
        """Return what a word stands for.

        Raises:
            NotLiteralError: It is no constant.
        """
        if word not in _CONSTANTS:
            raise NotLiteralError
        return _CONSTANTS[word]

    def _joined(self, first: str) -> str:
        """Return what a string says, and those beside it, which are one with it."""
        texts = [_text_of(first)]
        while self._kind == "string":
            texts.append(_text_of(self._text))
            self._step()
        return "".join(texts)

    def _items(self, closes: str) -> tuple[list[Any], bool]:
        """Take what a bracket closes; return it, and whether it is more than one value in brackets."""
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


_CONSTANTS: Final = {"True": True, "False": False, "None": None, "true": True, "false": False, "null": None}


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


def _text_of(written: str) -> str:
    """Return what a string says, by the way that it is written."""
    start = next(place for place, character in enumerate(written) if character in "'\"")
    prefix = written[:start].lower()
    width = 3 if written.startswith(written[start] * 3, start) and len(written) >= start + 6 else 1
    text = written[start + width : -width]
    if prefix not in ("", "r", "u"):
        raise NotLiteralError
    return text if prefix == "r" or "\\" not in text else unescaped(text)


_ESCAPE: Final = re.compile(
    r"\\(?:(?P<plain>[\\'\"abfnrtv\n/])|(?P<octal>[0-7]{1,3})|x(?P<x>[\da-fA-F]{2})|u(?P<u>[\da-fA-F]{4})|U(?P<U>00[\da-fA-F]{6}))"
)
_PLAIN: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\n": ""}
"""What a backslash makes of the character behind it; others stand for themselves."""


def unescaped(text: str) -> str:
    """Return text whose escapes are read as Python reads them; those of JSON too, of which two may make one character."""
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


def written(value: Any, depth: int = 0) -> str:
    """Return a JSON value as a literal of Python.

    Raises:
        ValueError: It is none, or nested too deeply.
    """
    if value is None or isinstance(value, (bool, str, int)):
        return repr(value)
    if depth >= MAX_DEPTH:
        raise ValueError("the arguments are nested too deeply")
    if isinstance(value, float) and isfinite(value):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(written(each, depth + 1) for each in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name!r}: {written(each, depth + 1)}' for name, each in value.items())}}}"
    raise ValueError(f"{value!r} cannot be written as a literal")
