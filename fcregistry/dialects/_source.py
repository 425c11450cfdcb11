"""Which pieces of text may change anything? Most cannot, and are laid by without a look at what came before them.

MERGED: How is text taken that comes in pieces? Forward only, so that whatever it is cut into gives the same, in time that grows with its length.

A reader of some syntax is a generator: where it needs more text it yields what to wait for, a `Wake`, and goes on when that has come. What it
takes is not read again: if it turns out to be no call, it is content.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, Final, Protocol, TypeAlias, TypeVar

# --- dialects._waking ---


def _always(_: str) -> bool:
    return True


class Wake:
    """Which pieces of text a reader waits for: those that hold a sign, and in which a search finds something.

    Args:
        sign: The sign. It is looked for first, as that is fastest; any piece holds an empty one.
        search: The search; by default it finds something in any piece.
    """

    __slots__ = ("search", "sign")

    def __init__(self, sign: str = "", search: Callable[[str], object] = _always) -> None:
        self.sign = sign
        self.search = search


WAKE_ALWAYS: Final = Wake()
"""Every piece may change something."""


def wake_on_pattern(pattern: str) -> Wake:
    """Return what waits for what a pattern of one character matches."""
    return Wake(search=re.compile(pattern).search)


WAKE_NEVER: Final = wake_on_pattern("(?!)")
"""Nothing changes anything before the end."""


def wake_on_characters(characters: Iterable[str]) -> Wake:
    """Return what waits for any of some characters."""
    signs = "".join(sorted(set(characters)))
    return Wake(signs) if len(signs) == 1 else wake_on_pattern(f"[{re.escape(signs)}]")


def wake_when_decided(texts: tuple[str, ...], begun: str) -> Wake | None:
    """Return what waits until it is told which of some texts it is that has begun, if it is any; None where it is told that none has.

    Args:
        texts: The texts.
        begun: All that is there of one.
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
"""Characters of a text whose beginnings are kept: that of any mark, but not of any text that a model takes for one."""


@lru_cache(maxsize=256)
def _proper_beginnings(texts: tuple[str, ...]) -> frozenset[str]:
    """Return what may go on as one of some texts: their proper beginnings, of which one is empty."""
    return frozenset(text[:end] for text in texts for end in range(len(text)))


# --- dialects._source ---

T = TypeVar("T")

Reading: TypeAlias = "Generator[Wake, None, T]"
"""A reader that gives a T once it has seen enough."""


MOST_FAILURES: Final = 8
"""How often one text may be tried in vain to be read faster than step by step: each time, all of it may be looked at."""


class TextMarks:
    """Some literal texts, of which the first to come is looked for.

    Args:
        marks: The texts. None may stand inside of another: which comes first would depend on how the text is cut.
        whole: Whether texts are never cut. Then one may stand inside of another, and the longer of two at one place is found.

    Raises:
        ValueError: One stands inside of another, or is empty.
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
        """Return what to wait for, for one to begin, or, where the text ends with the beginning of one, for that to be one or none."""
        return (begun and wake_when_decided(self.texts, begun[0])) or self._begins

    def skip(self, text: str, start: int) -> int:
        """Return a place from `start` on before which no mark begins: the first character that one begins with, or the end of the text.

        It is found many times faster than a mark, but each time all of the text may be looked at: it is for the beginning of a text.
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
    """Return the pattern of white space and the one of some marks that follows it; for `Source.at_once`."""
    return re.compile(rf"\s*+(?:{'|'.join(map(re.escape, TextMarks(*marks).texts))})")


class KnownTools(Protocol):
    """The tools that may be called, as `Shapes` knows them."""

    @property
    def are_known(self) -> bool: ...
    def __contains__(self, name: str) -> bool: ...
    def of(self, name: str) -> Mapping[str, Any]: ...
    def value(self, tool: str, parameter: str, text: str) -> Any: ...


class TextSource:
    """Text that comes in pieces, and how far it is taken.

    Attributes:
        text: What is there and may still be needed.
        place: From where on it is not taken.
        ended: Whether no more text comes.
        shapes: The schemas of the tools that may be called.
        repairs: What was put right in calls.
        failures: How often it was tried in vain to read something at once.
        waiting: The pieces that came and are not looked at: they change nothing.
        dropped: What was taken before the last `begin`, as far as someone keeps it.
        left: What a reader took behind calls and found to be none of them: it is content.
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

    # What the stream does

    def add(self, more: str) -> None:
        """Let more text come."""
        if self.place:
            self._spent.append(self.text[self._start : self.place])
            self.text = self.text[self.place :] + more
            self.place = self._start = 0
        else:
            self.text += more

    def add_waiting(self) -> None:
        """Let the pieces come that waited."""
        self.add("".join(self.waiting))
        self.waiting.clear()

    def begin(self, start: int) -> None:
        """Have `since` return what is taken from a place on."""
        self.dropped += (*self._spent, self.text[self._start : start])
        self._spent.clear()
        self._start = start

    def since(self) -> str:
        """Return what was taken since `begin`."""
        return "".join([*self._spent, self.text[self._start : self.place]])

    # What readers do

    def at_once(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Take what a pattern matches, if it is there already. It must end with a mark, so that more text would not change what it matches."""
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
        """Return which of some texts comes next, which is not taken; nothing if none does. Of two that do, the longer one."""
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
        """Take the one of some texts that comes next, and return it; nothing if none does."""
        found = yield from self.is_next(*texts)
        self.place += len(found)
        return found

    def close(self, *marks: str) -> Reading[bool]:
        """Take the one of some closing marks that comes next, or the beginning of one that ends the text; tell whether one did."""
        found = yield from self.take(*marks)
        left = len(self.text) - self.place
        if not found and self.ended and any(0 < left < len(mark) and self.text.endswith(mark[:left]) for mark in marks):
            self.place += left
        return bool(found)

    def run(self, characters: re.Pattern[str], wake: Wake = WAKE_ALWAYS, unfinished: str = "") -> Reading[str]:
        """Take what a pattern of single characters, such as `[a-z]*`, matches as far as it goes, and return it.

        Args:
            characters: The pattern; it matches anywhere, if only nothing.
            wake: What to wait for, where the text may go on.
            unfinished: What the pattern leaves at the end of a text that may go on, such as a backslash.
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
        """Take text up to the first of some marks, and the mark; return both. The mark is empty if the text ends first.

        Args:
            marks: The marks.
            wake: What to wait for; by default what any of the marks may end with.
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


_NO_SPACE: Final = re.compile(r"\S").search
_WAKE_ON_NO_SPACE: Final = Wake(search=_NO_SPACE)
