"""Text between brackets: its end in text that comes in pieces, and the values in it.

`take_balanced` takes text up to the closing bracket. A `Notation` says what strings and comments look like there, since brackets in them do
not count. `TokenCursor` reads the values of notations other than JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Final

from fcregistry._base.json import MAX_DEPTH
from fcregistry.dialects._source import TextMarks

if TYPE_CHECKING:
    from fcregistry.dialects._source import Reading, TextSource

CONSTANTS: Final = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
"""Word -> value, in JSON and in Python."""

_CLOSING: Final = {"{": "}", "[": "]", "(": ")"}
_INSIDE: Final = {
    "'": re.compile(r"(?>[^'\\]+|\\.)*+", re.DOTALL),
    '"': re.compile(r'(?>[^"\\]+|\\.)*+', re.DOTALL),
}
"""Quote -> the pattern of text that does not end a string."""

_marks: Final = cache(TextMarks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notation:
    """What may be between brackets.

    Attributes:
        usual: The pattern of strings with the text before them, in one group, and of the text after them, in another.
        plain: The same without strings: an empty group, and the text.
        strings: The mark that opens a string or a comment -> the one that closes it; an empty one if nothing after that mark is looked at.
        may_follow: Returns whether a mark may follow the text after the last bracket or string.
        is_strict: Whether any other mark ends the search; else it is a part of the text.
    """

    usual: re.Pattern[str]
    plain: re.Pattern[str]
    strings: Mapping[str, str]
    may_follow: Callable[[str, str], bool]
    is_strict: bool = False


def take_balanced(source: TextSource, notation: Notation) -> Reading[str | None]:
    """Take text from an opening bracket to the one that closes it, and return it.

    Returns:
        The text; None if the notation does not allow what follows, or the text ends before.
    """
    pieces: list[str] = []
    due: list[str] = []  # the closing brackets
    outside = ""  # the end of the text after the last bracket or string
    while True:
        found = (notation.plain if outside else notation.usual).match(source.text, source.place)
        if found:
            pieces.append(found[0])
            source.place = found.end()
            outside = found[2] if found[1] else outside + found[2]
        if source.place == len(source.text):
            if source.ended:
                return None
            words = outside.rstrip()
            outside = words[-3:] + outside[len(words) :][:1]
            yield
            continue
        mark = source.text[source.place]
        if mark in _CLOSING and notation.may_follow(mark, outside):
            due.append(_CLOSING[mark])
            if len(due) > MAX_DEPTH + 1:
                return None
        elif mark in ")]}":
            if due.pop() != mark:
                return None
        else:
            string = yield from source.is_next(*notation.strings)
            if string and notation.may_follow(string, outside):
                text = yield from _take_string(source, string, notation.strings[string])
                if text is None:
                    return None
                pieces.append(text)
                outside = ""
                continue
            if notation.is_strict:
                return None
            outside += mark
        pieces.append(mark)
        source.place += 1
        if mark in _CLOSING or mark in ")]}":
            outside = ""
            if not due:
                return "".join(pieces)


def _take_string(source: TextSource, opens: str, closes: str) -> Reading[str | None]:
    """Take a string or a comment, and return it with its marks; None if it does not end."""
    if not closes:
        return None
    pieces = [opens]
    source.place += len(opens)
    inside = _INSIDE.get(closes[0])
    if inside is None:
        text, end = yield from source.until(_marks(closes))
        return f"{opens}{text}{end}" if end else None
    while True:
        pieces.append((yield from source.run(inside, "\\")))
        if (yield from source.take(closes)):
            return "".join([*pieces, closes])
        if source.place == len(source.text):
            return None
        pieces.append(source.text[source.place])  # a quote within three of them
        source.place += 1


class MalformedError(ValueError):
    """Tokens that are not a value."""


class TokenCursor:
    """Reads values from tokens.

    Args:
        tokens: The tokens, none of which is empty.

    Attributes:
        token: The next token; empty after the last one.
    """

    __slots__ = ("_rest", "token")

    def __init__(self, tokens: Iterable[str]) -> None:
        self._rest = iter(tokens)
        self.token = next(self._rest, "")

    def step(self) -> str:
        """Take the next token, and return it."""
        token, self.token = self.token, next(self._rest, "")
        return token

    def take(self, token: str) -> bool:
        """Take the next token if it is the given one, and return whether it was."""
        is_next = self.token == token
        if is_next:
            self.token = next(self._rest, "")
        return is_next

    def each(self, closes: str, take: Callable[[], object]) -> bool:
        """Take items with commas between them, and the token after them.

        Args:
            closes: That token.
            take: Takes an item.

        Returns:
            Whether a comma, or nothing, precedes the last token.

        Raises:
            MalformedError: Something else follows an item.
        """
        while not self.take(closes):
            take()
            if not self.take(","):
                if not self.take(closes):
                    raise MalformedError
                return False
        return True


def number(text: str, base: int = 10) -> int | float:
    """Return the number that a text is.

    Raises:
        MalformedError: It has more digits than Python reads, or is not finite: JSON has no such number.
    """
    try:
        return int(text, base)
    except ValueError:
        value = float(text)
    if not isfinite(value):
        raise MalformedError
    return value
