"""Text that comes in pieces: `TextSource`, from which readers take it, and `TextMarks`, the marks that they look for.

A reader of some syntax is a generator: where it needs more text it yields, and it continues when a piece has come. Text that it has taken
is not read again: if it turns out not to be a call, it is content. So the same text gives the same result however it is cut into pieces,
in time that grows with its length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from fcregistry._base.forks import cached_attribute

T = TypeVar("T")

Reading: TypeAlias = "Generator[None, None, T]"
"""A reader that yields where it needs more text, and returns a T."""


_ANY: Final[Mapping[str, str]] = {}


class TextMarks:
    """Some literal texts, of which the first occurrence is looked for.

    Args:
        marks: The texts. None may be part of another: which one comes first would depend on how the text is cut.
        whole: Whether texts never come in pieces. Then one may be part of another, and the longer of two at one place is found.
        opening: Whether one may be the beginning of another. `may_grow` then says whether the longer one may come.
        before: Mark -> the pattern of what must follow it.
        words: Mark -> the pattern of what follows it where it is a word. `find` then returns both, with a group that matches.

    Raises:
        ValueError: One is part of another, or is empty.
    """

    def __init__(
        self,
        *marks: str,
        whole: bool = False,
        opening: bool = False,
        before: Mapping[str, str] = _ANY,
        words: Mapping[str, str] = _ANY,
    ) -> None:
        for one in marks:
            others = [mark[1:] if opening and mark.startswith(one) else mark for mark in marks if mark is not one]
            if not one or (not whole and any(one in other for other in others)):
                raise ValueError(f"the mark {one!r} is empty, or part of another")
        if whole:
            marks = tuple(sorted(marks, key=lambda mark: (-len(mark), mark)))
        self.texts: Final = marks
        self._longest: Final = max(map(len, marks), default=0)
        self._before: Final = before
        self._words: Final = words
        self._shorter: Final = {
            one for one in marks if opening and any(each != one and each.startswith(one) for each in marks)
        }

    # The patterns are compiled at first use, since most marks of most dialects are never looked for

    @cached_attribute
    def find(self) -> Callable[..., re.Match[str] | None]:
        """The function that finds the first mark in a text, from a place on; it returns a match or None."""
        words = {mark: f"(?:{pattern}())?" for mark, pattern in self._words.items()}
        ends = {mark: self._before.get(mark, "") + words.get(mark, "") for mark in self.texts}
        return re.compile(_marks_pattern(ends)).search

    @cached_attribute
    def _beginning(self) -> re.Pattern[str]:
        """The pattern of the beginning of any mark, at the end of a text."""
        return re.compile("|".join(sorted({_beginning_pattern(mark) for mark in self.texts})))

    def beginning(self, text: str, place: int = 0) -> re.Match[str] | None:
        """Find what may be the beginning of a mark at the end of `text`, from `place` on.

        Return a match, or None.
        """
        return self._beginning.search(text, max(place, len(text) - self._longest + 1))

    def may_grow(self, found: re.Match[str]) -> bool:
        """Return whether text that is still to come may make a longer mark of the mark `found`."""
        return found[0] in self._shorter and self._beginning.match(found.string, found.start()) is not None


def _marks_pattern(marks: Mapping[str, str]) -> str:
    """Return the pattern that matches any of `marks`, the longest first; shared beginnings occur once.

    Args:
        marks: Mark -> the pattern of what follows it.
    """
    by_first: dict[str, dict[str, str]] = {}
    for mark, end in marks.items():
        if mark:
            by_first.setdefault(mark[0], {})[mark[1:]] = end
    branches = [re.escape(first) + _marks_pattern(rest) for first, rest in by_first.items()]
    branches += [marks[""]] if "" in marks else []
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"


def _beginning_pattern(mark: str) -> str:
    """Return the pattern that matches a beginning of `mark`, but not all of it, at the end of a text.

    At least its first character must be there; that is all of a mark of one character.
    """
    pattern = ""
    for character in reversed(mark[1:-1]):
        pattern = f"(?:{re.escape(character)}{pattern})?"
    return rf"{re.escape(mark[0])}{pattern}\Z"


def none_of(*texts: str) -> str:
    """Return the pattern of a place where none of `texts` begins, and enough text follows to know this."""
    longest = max(map(len, texts))
    return rf"(?!{'|'.join(map(re.escape, texts))})(?=[\s\S]{{{longest}}})"


def break_marks(text: str, marks: Iterable[str], broken: Callable[[str], str]) -> str:
    """Return `text` with each of `marks` in it replaced by the text that `broken` returns for it.

    A change may show another mark that overlapped the first, `[e~[e~[`, or, if it adds a space, make one that has a space. So the text is changed
    until it has no mark. Each turn splits all marks in it or makes the space in them longer, so there are few turns.

    Args:
        text: The text.
        marks: The marks.
        broken: Returns the replacement of a mark. If the replacement still contains the mark, the mark is left as it is.
    """
    marks = tuple(marks)
    while found := [mark for mark in marks if mark in text]:
        changes = {mark: new for mark in found if mark not in (new := broken(mark))}
        if not changes:
            break
        for mark, new in changes.items():
            text = text.replace(mark, new)
    return text


class KnownTools(Protocol):
    """The tools that may be called, as `Shapes` provides them."""

    @property
    def are_known(self) -> bool: ...
    def __contains__(self, name: str) -> bool: ...
    def of(self, name: str) -> Mapping[str, Any]: ...
    def resolve(self, written: str, others: Iterable[str], repairs: list[str]) -> str: ...
    def value(self, tool: str, parameter: str, text: str) -> Any: ...
    def unwrapped(self, tool: str, arguments: dict[str, Any], repairs: list[str]) -> dict[str, Any]: ...


_SPACE: Final = re.compile(r"\s*+")
_ANYTHING: Final = re.compile(r".*+", re.DOTALL)


class TextSource:
    """Text that comes in pieces, and how far it is taken.

    Attributes:
        text: The text that is there and may still be needed.
        place: The place up to which it is taken.
        ended: Whether no more text comes.
        shapes: The schemas of the tools that may be called.
        repairs: What was corrected in calls.
        dropped: The text that was taken before the last `begin`.
        value: The last JSON value, once no more text comes: its place, its end, and its repairs. Several dialects may read it.
        left: Text after calls that a reader took and that turned out not to be one of them: it is content.
        is_assumed: Whether the caller did not choose the dialect, so the text may be in another one.
    """

    __slots__ = (
        "_spent",
        "_start",
        "dropped",
        "ended",
        "is_assumed",
        "left",
        "place",
        "repairs",
        "shapes",
        "text",
        "value",
    )

    def __init__(self, shapes: KnownTools) -> None:
        self.text = ""
        self.place = 0
        self.ended = False
        self.shapes = shapes
        self.repairs: list[str] = []
        self.left = ""
        self.is_assumed = False
        self.value: tuple[int, int, Any, list[str]] = (-1, 0, None, [])
        self.dropped: list[str] = []
        self._spent: list[str] = []
        self._start = 0

    # For the stream

    def add(self, more: str) -> None:
        """Add `more` at the end of the text, and drop the text that was taken."""
        place = self.place
        self._spent.append(self.text[self._start : place])
        self.text = self.text[place:] + more
        self.place = self._start = 0

    def begin(self, start: int) -> None:
        """Let `since` return the text that is taken from the place `start` on."""
        self.dropped += (*self._spent, self.text[self._start : start])
        self._spent.clear()
        self._start = start

    def since(self) -> str:
        """Return the text that was taken since `begin`."""
        return "".join([*self._spent, self.text[self._start : self.place]])

    # For readers

    def take_characters(self, count: int) -> str:
        """Take the next `count` characters, which must be there, and return them."""
        start = self.place
        self.place += count
        return self.text[start : self.place]

    def space(self) -> Reading[str]:
        """Take white space, if there is any, and return it."""
        return self.run(_SPACE)

    def is_next(self, *texts: str) -> Reading[str]:
        """Return which of `texts` comes next, without taking it.

        Return the longest if several do, and an empty text if none does.
        """
        while (found := self._next(texts)) is None:
            yield
        return found

    def take(self, *texts: str) -> Reading[str]:
        """Take whichever of `texts` comes next, the longest if several do, and return it; empty if none does."""
        while (found := self._next(texts)) is None:
            yield
        self.place += len(found)
        return found

    def _next(self, texts: tuple[str, ...]) -> str | None:
        """Return the longest of `texts` that comes next, without taking it, or an empty text if none does.

        Return None if more text is needed to know.
        """
        text, place = self.text, self.place
        found = ""
        if text.startswith(texts, place):
            found = (
                texts[0] if len(texts) == 1 else max([each for each in texts if text.startswith(each, place)], key=len)
            )
        if self.ended:
            return found
        left = len(text) - place
        if any(len(each) > left and each.startswith(text[place:]) for each in texts):
            return None
        return found

    def pass_repeated(self, mark: str) -> Reading[None]:
        """Consume all but the last of consecutive repetitions of `mark`."""
        while mark and (yield from self.is_next(mark * 2)):
            self.place += len(mark)

    def close(self, *marks: str) -> Reading[bool]:
        """Take whichever of the closing `marks` comes next, and return whether one of them did.

        If the text ends with the beginning of a mark, that is taken, too, and the result is False.
        """
        found = yield from self.take(*marks)
        left = len(self.text) - self.place
        if not found and self.ended and any(0 < left < len(mark) and self.text.endswith(mark[:left]) for mark in marks):
            self.place += left
        return bool(found)

    def rest(self) -> Reading[str]:
        """Take all text up to the end, and return it."""
        return self.run(_ANYTHING)

    def run(self, characters: re.Pattern[str], unfinished: str = "") -> Reading[str]:
        """Take the text that a pattern of single characters, such as `[a-z]*`, matches, and return it.

        Args:
            characters: The pattern; it matches anywhere, if only the empty text.
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
            yield

    def until(self, marks: TextMarks) -> Reading[tuple[str, str]]:
        """Take the text up to the first of `marks`, and that mark; return both.

        The mark is empty if the text ends first.

        Args:
            marks: The marks.
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
            yield
