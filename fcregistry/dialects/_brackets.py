"""Text between brackets: its end in text that comes in pieces, and the values in it.

`take_balanced` takes text up to the closing bracket. A `Notation` says what strings and comments look like there, since brackets in them do
not count. `TokenCursor` reads the values of notations other than JSON.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, TypeVar

from fcregistry._base.json import MAX_DEPTH
from fcregistry.dialects._source import TextMarks

if TYPE_CHECKING:
    from fcregistry.dialects._source import Reading, TextSource

T = TypeVar("T")

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
        usual: The pattern of strings with the text before them, in one group, and of the text after them, in another. Values in brackets that
            contain no other bracket may take the place of strings.
        deepest: The same without such values.
        plain: The same without strings, too: an empty group, and the text.
        strings: The mark that opens a string or a comment -> the one that closes it; an empty one if nothing after that mark is looked at.
        may_follow: Returns whether a mark may follow the text after the last bracket or string.
        is_strict: Whether any other mark ends the search; else it is a part of the text.
        between: The pattern of the text that may be between two brackets that open.
        opened: The pattern of an opening bracket, and of those that may follow it, as deep as values may be.
    """

    usual: re.Pattern[str]
    deepest: re.Pattern[str]
    plain: re.Pattern[str]
    strings: Mapping[str, str]
    may_follow: Callable[[str, str], bool]
    is_strict: bool = False
    between: str = r"\s*+"
    opened: re.Pattern[str] = field(init=False)
    _bracket: re.Pattern[str] = field(init=False)
    _first: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        nested = "".join(re.escape(mark) for mark in _CLOSING if self.may_follow(mark, ""))
        opened = rf".(?:{self.between}[{nested}]){{0,{MAX_DEPTH}}}+"
        object.__setattr__(self, "opened", re.compile(opened, re.DOTALL))
        object.__setattr__(self, "_bracket", re.compile(rf"{self.between}([{nested}])", re.DOTALL))
        object.__setattr__(self, "_first", frozenset(mark[0] for mark in self.strings))

    def may_open(self, character: str) -> bool:
        """Return whether a string or a comment may begin with `character`."""
        return character in self._first

    def brackets(self, text: str, most: int) -> tuple[str, int]:
        """Return the first `most` brackets in `text`, and the place after the last of them.

        `opened` has matched `text`.
        """
        found, end = "", 0
        while len(found) < most and (bracket := self._bracket.match(text, end)):
            found += bracket[1]
            end = bracket.end()
        return found, end


def take_balanced(source: TextSource, notation: Notation) -> Reading[str | None]:
    """Take text from an opening bracket to the one that closes it, and return it.

    Returns:
        The text; None if the notation does not allow what follows, or the text ends before.
    """
    taken = _BalancedText(source, notation)
    while True:
        if taken.due:
            taken.take_strings_and_text()
        if source.place == len(source.text):
            if source.ended:
                return None
            yield
            continue
        mark = source.text[source.place]
        if mark in _CLOSING and notation.may_follow(mark, taken.outside):
            is_allowed = taken.take_opening()
        elif mark in ")]}":
            is_allowed = taken.take_closing(mark)
            if is_allowed and not taken.due:
                return "".join(taken.pieces)
        else:
            is_allowed = yield from taken.take_other(mark)
        if not is_allowed:
            return None


class _BalancedText:
    """The text taken so far from an opening bracket on, and what may follow it.

    Args:
        source: The text that it is taken from.
        notation: What may be between the brackets.

    Attributes:
        pieces: The pieces of the text.
        due: The brackets that close the ones that are open, the innermost last.
        outside: The end of the text after the last bracket or string; empty right behind one, where a string may begin.
    """

    __slots__ = ("_notation", "_source", "due", "outside", "pieces")

    def __init__(self, source: TextSource, notation: Notation) -> None:
        self._source = source
        self._notation = notation
        self.pieces: list[str] = []
        self.due: list[str] = []
        self.outside = ""

    def take_strings_and_text(self) -> None:
        """Take the strings and the text that come next, up to a character that must be looked at by itself."""
        source, notation, outside = self._source, self._notation, self.outside
        is_deepest = len(self.due) > MAX_DEPTH
        pattern = notation.plain if outside else notation.deepest if is_deepest else notation.usual
        if found := pattern.match(source.text, source.place):
            self.pieces.append(found[0])
            source.place = found.end()
            outside = found[2] if found[1] else outside + found[2]
            self.outside = outside and _last_of(outside)

    def take_opening(self) -> bool:
        """Take an opening bracket and those directly in it; return False if they are nested too deeply."""
        source, notation, due = self._source, self._notation, self.due
        if len(due) > MAX_DEPTH:
            return False
        opened = notation.opened.match(source.text, source.place)
        run = opened[0] if opened else source.text[source.place]
        brackets, end = run, 1
        if len(run) > 1:
            brackets, end = notation.brackets(run, MAX_DEPTH + 1 - len(due))
        due += [_CLOSING[each] for each in brackets]
        self.pieces.append(source.take_characters(end))
        self.outside = ""
        return end == len(run)

    def take_closing(self, mark: str) -> bool:
        """Take the closing bracket `mark` and return True; return False if another bracket is due."""
        if self.due.pop() != mark:
            return False
        self.pieces.append(self._source.take_characters(1))
        self.outside = ""
        return True

    def take_other(self, mark: str) -> Reading[bool]:
        """Take the string, comment or character that begins with `mark`, and return True.

        Return False if the notation does not allow it, or the string does not end.
        """
        source, notation = self._source, self._notation
        string = (yield from source.is_next(*notation.strings)) if notation.may_open(mark) else ""
        if string and notation.may_follow(string, self.outside):
            text = yield from _take_string(source, string, notation.strings[string])
            self.outside = ""
        else:
            text = None if notation.is_strict else source.take_characters(1)
            self.outside += mark
        if text is None:
            return False
        self.pieces.append(text)
        return True


def _last_of(text: str) -> str:
    """Return the last three characters before trailing white space, and the first character of that."""
    words = text.rstrip()
    return words[-3:] + text[len(words) :][:1]


def _take_string(source: TextSource, opens: str, closes: str) -> Reading[str | None]:
    """Take the string or comment between the marks `opens` and `closes`, and return it with both marks.

    Return None if the text ends before `closes`, or if `closes` is empty; an empty `closes` takes nothing.
    """
    if not closes:
        return None
    pieces = [source.take_characters(len(opens))]
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
        pieces.append(source.take_characters(1))  # a quote within three of them


class MalformedError(ValueError):
    """Raised for tokens that are not a value."""


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
        """Take the next token if it is `token`, and return whether it was."""
        is_next = self.token == token
        if is_next:
            self.token = next(self._rest, "")
        return is_next

    def take_items(self, closes: str, take: Callable[[], T]) -> tuple[list[T], bool]:
        """Take items with commas between them, and the token after them.

        Args:
            closes: The token after the items.
            take: Takes an item, and returns it.

        Returns:
            The items, and whether a comma precedes `closes`; also True if there are no items.

        Raises:
            MalformedError: Something else follows an item.
        """
        items: list[T] = []
        ends_item = True
        while self.token != closes:
            if not ends_item:
                raise MalformedError
            items.append(take())
            if ends_item := self.token == ",":  # in place of `take`, since a list has hundreds of items
                self.token = next(self._rest, "")
        self.step()
        return items, ends_item


def unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return `pairs` of a name and a value as a dict.

    Raises:
        MalformedError: A name occurs twice.
    """
    members = dict(pairs)
    if len(members) < len(pairs):
        raise MalformedError
    return members


def number(text: str, base: int = 10) -> int | float:
    """Return the number that `text` represents: an integer to `base`, or a float.

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
