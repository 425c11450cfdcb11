"""Text that comes in pieces: `TextSource`, from which readers take it, and `Wake`, which says what pieces a reader waits for.

A reader of some syntax is a generator: where it needs more text it yields a `Wake`, and continues when such a piece has come. Text that it
has taken is not read again: if it turns out not to be a call, it is content. So the same text gives the same result however it is cut into
pieces, in time that grows with its length. Most pieces change nothing, and are put aside without another look at the text before them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, Final, Protocol, TypeAlias, TypeVar

T = TypeVar("T")

Reading: TypeAlias = "Generator[Wake, None, T]"
"""A reader that returns a T once it has seen enough."""

# --- Waiting for a piece ---


def _always(_: str) -> bool:
    return True


class Wake:
    """The pieces of text that a reader waits for.

    They contain a sign, and a search finds something in them.

    Args:
        sign: The sign. It is looked for first, as that is fastest; every piece contains an empty one.
        search: The search; by default it finds something in every piece.
    """

    __slots__ = ("search", "sign")

    def __init__(self, sign: str = "", search: Callable[[str], object] = _always) -> None:
        self.sign = sign
        self.search = search


WAKE_ALWAYS: Final = Wake()
"""Waits for every piece."""


def wake_on_pattern(pattern: str) -> Wake:
    """Return a wake on what a pattern of one character matches."""
    return Wake(search=re.compile(pattern).search)


WAKE_NEVER: Final = wake_on_pattern("(?!)")
"""Waits for the end of the text."""


def wake_on_characters(characters: Iterable[str]) -> Wake:
    """Return a wake on any of some characters."""
    signs = "".join(sorted(set(characters)))
    return Wake(signs) if len(signs) == 1 else wake_on_pattern(f"[{re.escape(signs)}]")


def wake_when_decided(texts: tuple[str, ...], begun: str) -> Wake | None:
    """Return a wake on the piece that decides which of some texts has begun.

    Return None if it is decided that none has.

    Args:
        texts: The texts.
        begun: The part of one that is there.
    """
    if max(map(len, texts)) > _LONGEST:
        return WAKE_ALWAYS if any(len(text) > len(begun) and text.startswith(begun) for text in texts) else None
    undecided = _proper_beginnings(texts)
    if begun not in undecided:
        return None

    def search(piece: str) -> bool:
        nonlocal begun
        begun += piece
        return begun not in undecided

    return Wake(search=search)


_LONGEST: Final = 64
"""The longest text whose beginnings are kept: any mark is shorter, but not any text that a model takes for one."""


@lru_cache(maxsize=256)
def _proper_beginnings(texts: tuple[str, ...]) -> frozenset[str]:
    """Return the beginnings that may continue as one of some texts; the empty one is among them."""
    return frozenset(text[:end] for text in texts for end in range(len(text)))


# --- Looking for marks ---


class TextMarks:
    """Some literal texts, of which the first occurrence is looked for.

    Args:
        marks: The texts. None may be part of another: which one comes first would depend on how the text is cut.
        whole: Whether texts never come in pieces. Then one may be part of another, and the longer of two at one place is found.

    Raises:
        ValueError: One is part of another, or is empty.
    """

    __slots__ = ("_begins", "_first", "beginning", "ends", "find", "texts")

    def __init__(self, *marks: str, whole: bool = False) -> None:
        for one in marks:
            if not one or (not whole and any(one is not other and one in other for other in marks)):
                raise ValueError(f"the mark {one!r} is empty, or stands inside of another")
        if whole:
            marks = tuple(sorted(marks, key=lambda mark: (-len(mark), mark)))
        self.texts: Final = marks
        self.find: Final = re.compile("|".join(map(re.escape, marks))).search
        self._begins: Final = wake_on_characters(mark[0] for mark in marks)
        self.ends: Final = wake_on_characters(mark[-1] for mark in marks)
        self.beginning: Final = re.compile("|".join(sorted({_beginning_pattern(mark) for mark in marks}))).search
        self._first: Final = sorted({mark[0] for mark in marks})

    def awaited(self, begun: re.Match[str] | None) -> Wake:
        """Return what to wait for: the beginning of a mark.

        If the text ends with the beginning of one, it is the piece that decides whether it is one.
        """
        return (begun and wake_when_decided(self.texts, begun[0])) or self._begins

    def skip(self, text: str, start: int) -> int:
        """Return a place from `start` on before which no mark begins.

        It is the first character of a mark, or the end of the text.

        This is many times faster than finding a mark, but it may look at the whole text each time: use it at the beginning of a text.
        """
        end = len(text)
        for first in self._first:
            found = text.find(first, start, end)
            if found >= 0:
                end = found
        return end


def _beginning_pattern(mark: str) -> str:
    """Return the pattern of a proper beginning of a mark, at the end of a text."""
    pattern = ""
    for character in reversed(mark[1:-1]):
        pattern = f"(?:{re.escape(character)}{pattern})?"
    return rf"{re.escape(mark[0])}{pattern}\Z"


@cache
def after_space(*marks: str) -> re.Pattern[str]:
    """Return the pattern of white space and one of some marks after it; for `TextSource.at_once`."""
    return re.compile(rf"\s*+(?:{'|'.join(map(re.escape, TextMarks(*marks).texts))})")


# --- Taking text ---

MOST_FAILURES: Final = 8
"""The number of failed attempts at reading faster than step by step: each one may look at the whole text."""


class KnownTools(Protocol):
    """The tools that may be called, as `Shapes` provides them."""

    @property
    def are_known(self) -> bool: ...
    def __contains__(self, name: str) -> bool: ...
    def of(self, name: str) -> Mapping[str, Any]: ...
    def value(self, tool: str, parameter: str, text: str) -> Any: ...


_NO_SPACE: Final = re.compile(r"\S").search
_WAKE_ON_NO_SPACE: Final = Wake(search=_NO_SPACE)


class TextSource:
    """Text that comes in pieces, and how far it is taken.

    Attributes:
        text: The text that is there and may still be needed.
        place: The place up to which it is taken.
        ended: Whether no more text comes.
        shapes: The schemas of the tools that may be called.
        repairs: What was corrected in calls.
        failures: The number of failed attempts at reading something at once.
        waiting: The pieces that came and were not looked at, because they change nothing.
        dropped: The text that was taken before the last `begin`.
        left: Text after calls that a reader took and that turned out not to be one of them: it is content.
    """

    __slots__ = (
        "_spent",
        "_start",
        "dropped",
        "ended",
        "failures",
        "left",
        "place",
        "repairs",
        "shapes",
        "text",
        "waiting",
    )

    def __init__(self, shapes: KnownTools) -> None:
        self.text = ""
        self.place = 0
        self.ended = False
        self.shapes = shapes
        self.repairs: list[str] = []
        self.failures = 0
        self.left = ""
        self.dropped: list[str] = []
        self.waiting: list[str] = []
        self._spent: list[str] = []
        self._start = 0

    # For the stream

    def add(self, more: str) -> None:
        """Add text."""
        if self.place:
            self._spent.append(self.text[self._start : self.place])
            self.text = self.text[self.place :] + more
            self.place = self._start = 0
        else:
            self.text += more

    def add_waiting(self) -> None:
        """Add the pieces that waited."""
        self.add("".join(self.waiting))
        self.waiting.clear()

    def begin(self, start: int) -> None:
        """Let `since` return the text that is taken from a place on."""
        self.dropped += (*self._spent, self.text[self._start : start])
        self._spent.clear()
        self._start = start

    def since(self) -> str:
        """Return the text that was taken since `begin`."""
        return "".join([*self._spent, self.text[self._start : self.place]])

    # For readers

    def at_once(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Take the text that a pattern matches, if all of it is there.

        The pattern must end with a mark, so that more text would not change the match.
        """
        found = pattern.match(self.text, self.place)
        if found:
            self.place = found.end()
        return found

    def space(self) -> Reading[None]:
        """Take white space, if there is any."""
        while True:
            if self.place < len(self.text) and not self.text[self.place].isspace():
                return
            found = _NO_SPACE(self.text, self.place)
            if found:
                self.place = found.start()
                return
            self.place = len(self.text)
            if self.ended:
                return
            yield _WAKE_ON_NO_SPACE

    def is_next(self, *texts: str) -> Reading[str]:
        """Return the one of some texts that comes next, without taking it.

        Of several it is the longest, and it is empty if none comes next.
        """
        while True:
            found = ""
            for text in texts:
                if self.text.startswith(text, self.place) and len(text) > len(found):
                    found = text
            if self.ended:
                return found
            wake = wake_when_decided(texts, self.text[self.place : self.place + max(map(len, texts))])
            if wake is None:
                return found
            yield wake

    def take(self, *texts: str) -> Reading[str]:
        """Take the one of some texts that comes next, and return it; empty if none does."""
        found = yield from self.is_next(*texts)
        self.place += len(found)
        return found

    def close(self, *marks: str) -> Reading[bool]:
        """Take the closing mark that comes next, and return whether one did.

        The beginning of a mark that ends the text is taken, too.
        """
        found = yield from self.take(*marks)
        left = len(self.text) - self.place
        if not found and self.ended and any(0 < left < len(mark) and self.text.endswith(mark[:left]) for mark in marks):
            self.place += left
        return bool(found)

    def rest(self) -> Reading[None]:
        """Take all text up to the end."""
        while True:
            self.place = len(self.text)
            if self.ended:
                return
            yield WAKE_NEVER

    def run(self, characters: re.Pattern[str], wake: Wake = WAKE_ALWAYS, unfinished: str = "") -> Reading[str]:
        """Take text as far as a pattern of single characters, such as `[a-z]*`, matches, and return it.

        Args:
            characters: The pattern; it matches anywhere, if only the empty text.
            wake: What to wait for, if the text may continue.
            unfinished: What the pattern leaves at the end of a text that may continue, such as a backslash.
        """
        pieces = []
        while True:
            found = characters.match(self.text, self.place)
            end = found.end() if found else self.place
            pieces.append(self.text[self.place : end])
            self.place = end
            left = len(self.text) - end
            if self.ended or (left and not (left == len(unfinished) and self.text.endswith(unfinished))):
                return "".join(pieces)
            yield wake

    def until(self, marks: TextMarks, wake: Wake | None = None) -> Reading[tuple[str, str]]:
        """Take text up to the first of some marks, and the mark; return both.

        The mark is empty if the text ends first.

        Args:
            marks: The marks.
            wake: What to wait for; by default the last character of any mark.
        """
        pieces: list[str] = []
        while True:
            found = marks.find(self.text, self.place)
            if found:
                pieces.append(self.text[self.place : found.start()])
                self.place = found.end()
                return "".join(pieces), found[0]
            begun = None if self.ended else marks.beginning(self.text, self.place)
            end = begun.start() if begun else len(self.text)
            pieces.append(self.text[self.place : end])
            self.place = end
            if self.ended:
                return "".join(pieces), ""
            yield wake or marks.ends
