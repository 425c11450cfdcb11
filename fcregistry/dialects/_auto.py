"""Which dialect is a text written in? Those whose marks stand in it are tried, the most specific first; `auto` reads any text so."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Final

from fcregistry.dialects._dialect import Dialect
from fcregistry.dialects._parsed import NOTHING, Parsed
from fcregistry.dialects._sections import Calls
from fcregistry.dialects._source import Marks
from fcregistry.dialects._stream import DialectStream
from fcregistry.dialects._table import get, names
from fcregistry.dialects._trimmed import Trimmed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry.dialects._shapes import ToolShape

_PLAIN: Final = ("react", "json", "pythonic")
"""The dialects whose marks stand in any text: tried last, in this order."""
_PLAIN_LENGTH: Final = 3
"""Marks of so many characters are those of plain text: braces, brackets and fences. What other dialects write so, `json` reads too."""
_WITHOUT: Final = "json"
"""The dialect that texts without calls are read in."""
_ELDEST: Final = ("hermes", "lfm2", "claude-xml", "qwen3-coder")
"""Which of several dialects with the same marks in the text is tried first; the others follow by name."""
_TOKEN: Final = re.compile("<[|｜]")
"""What marks begin with that are tokens of their own, and stand in no other text."""


def detect(text: str, tools: Iterable[ToolShape] | None = None) -> Dialect | None:
    """Return the dialect that a text makes calls in, or None where it makes none.

    Of several that would do, the one with the longest mark in the text, and of these the one with the most marks.
    A dialect without any mark, `glm-4`, is never found.

    Args:
        text: What the model wrote.
        tools: What may be called, where that is known.
    """
    return _found(text, tuple(tools) if tools is not None else None)[0]


def _found(text: str, tools: tuple[ToolShape, ...] | None) -> tuple[Dialect | None, Parsed]:
    """Return the dialect that a text makes calls in, and what the text says in it, or else in the one whose tokens it has."""
    said: Parsed | None = None
    plain: Parsed | None = None
    for name, mark in _families().candidates(text):
        dialect = get(name)
        parsed = dialect.parse(text, tools)
        if parsed.tool_calls:
            return dialect, parsed
        if said is None and _TOKEN.match(mark):
            said = parsed
        if name == _WITHOUT:
            plain = parsed
    return None, said or plain or get(_WITHOUT).parse(text, tools)


class _Families:
    """The marks of all dialects, to be looked for at once."""

    __slots__ = ("_found_in", "_search", "may_begin", "of_sections")

    def __init__(self) -> None:
        of_calls: dict[str, list[str]] = {}
        of_sections: set[str] = set()
        for name in names():
            dialect = get(name)
            of_sections.update(dialect.openers.marks.texts)
            for mark in (mark for section in dialect.sections if isinstance(section, Calls) for mark in section.opens):
                of_calls.setdefault(mark, []).append(name)
        marks = sorted(of_calls, key=lambda mark: (-len(mark), mark))
        self._search: Final = re.compile("|".join(map(re.escape, marks))).findall
        self._found_in: Final = {
            mark: [(inner, name) for inner in marks if inner in mark for name in of_calls[inner]] for mark in marks
        }
        self.of_sections: Final = _layers(of_sections)
        self.may_begin: Final = re.compile(f"[{re.escape(''.join(sorted({mark[0] for mark in of_sections})))}]").search

    def candidates(self, text: str) -> list[tuple[str, str]]:
        """Return the dialects with a mark of a call in a text, in the order to try them, and the longest mark of each."""
        longest: dict[str, str] = {}
        for found in set(self._search(text)):
            for mark, name in self._found_in[found]:
                longest[name] = max(longest.get(name, ""), mark, key=len)
        tried = [(name, mark) for name, mark in longest.items() if name in _PLAIN or len(mark) > _PLAIN_LENGTH]
        return sorted(tried, key=lambda candidate: _rank(candidate[0], candidate[1], text))

    def first(self, text: str) -> tuple[int, bool]:
        """Return where the first mark of any section begins in a text, or what may become one, and whether it is all there."""
        first = len(text), False
        for marks in self.of_sections:
            whole = marks.find(text)
            found = whole or marks.beginning(text)
            if found and found.start() < first[0]:
                first = found.start(), whole is not None
        return first


def _rank(name: str, mark: str, text: str) -> tuple[int, int, int, int, str]:
    """Return what says when a dialect is tried: how long its mark is, how many of all its marks stand in the text, how old it is."""
    is_plain = name == "react" or len(mark) <= _PLAIN_LENGTH
    marks = sum(len(each) > _PLAIN_LENGTH and each in text for each in get(name).openers.marks.texts)
    eldest = _ELDEST.index(name) if name in _ELDEST else len(_ELDEST)
    return _PLAIN.index(name) + 1 if is_plain else 0, -len(mark), -marks, eldest, name


def _layers(marks: set[str]) -> list[Marks]:
    """Return marks in groups, in none of which one stands inside of another."""
    layers = []
    while marks:
        layer = {mark for mark in marks if not any(mark != other and other in mark for other in marks)}
        layers.append(Marks(*sorted(layer)))
        marks = marks - layer
    return layers


_families: Final = cache(_Families)


class AutoStream(DialectStream):
    """Reads a text whose dialect is not known as it comes: words up to the first mark of any dialect, and the rest when it ends.

    Args:
        dialect: The dialect `auto`.
        tools: The tools that may be called, or their definitions, where those are known.
    """

    __slots__ = ("_is_held", "_pieces", "_tail", "_tools", "_whole", "_words")

    def __init__(self, dialect: Dialect, tools: Iterable[ToolShape] | None = None) -> None:
        super().__init__(dialect)
        self._tools = tuple(tools) if tools is not None else None
        self._pieces: list[str] = []
        self._tail = ""  # what may become a mark
        self._is_held = False
        self._words = Trimmed()
        self._whole: Parsed | None = None

    def feed(self, chunk: str) -> Parsed:
        """Take more of the text; return the words that are certain to be none of a call or a thought."""
        if self._whole is not None:
            raise ValueError("the text was closed: another one needs a stream of its own")
        self._pieces.append(chunk)
        if self._is_held:
            return NOTHING
        words = self._tail + chunk
        if self._tail or _families().may_begin(chunk):
            words = self._up_to_mark(words)
        new = self._words.added(words)
        return Parsed(new) if new else NOTHING

    def _up_to_mark(self, text: str) -> str:
        end, self._is_held = _families().first(text)
        self._tail = text[end:]
        return text[:end]

    def close(self) -> Parsed:
        """End the text, and return all that it says. Closing again changes nothing."""
        if self._whole is None:
            self._whole = whole = _found("".join(self._pieces), self._tools)[1]
            content = whole.content.removeprefix(self._words.text())
            self.rest = Parsed(content, whole.reasoning, whole.tool_calls, whole.repairs)
        return self._whole

    def whole(self, text: str) -> Parsed:
        """Take a text that is all there, and return what it says."""
        self._pieces.append(text)
        return self.close()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class AutoDialect(Dialect):
    """The dialect of texts whose dialect is not known: told and written as `json`, and read as what is found in them."""

    def stream(self, tools: Iterable[ToolShape] | None = None) -> DialectStream:
        """Return a reader of text that comes in pieces: words are handed on up to the first mark of any dialect, all else at the end."""
        return AutoStream(self, tools)

    def detect(self, text: str) -> bool:
        """Tell whether a text makes a call in any dialect."""
        return detect(text) is not None


@cache
def auto() -> Dialect:
    """Return the dialect `auto`."""
    told = {each.name: getattr(get("json"), each.name) for each in fields(Dialect) if each.init}
    return AutoDialect(
        **{
            **told,
            "name": "auto",
            "models": "any, where its dialect is not known",
            "source": "the dialects of this table, in the order of their marks",
            "limits": f"A dialect without marks, `glm-4`, is not found. Told and written as `json`. {told['limits']}".strip(),
        }
    )
