"""The dialect `auto`, which reads texts whose dialect is not known."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Final

from fcregistry.dialects._dialect import Dialect
from fcregistry.dialects._parsed import NOTHING, Parsed
from fcregistry.dialects._recognition import detect, more_marks, recognized
from fcregistry.dialects._source import Marks
from fcregistry.dialects._stream import DialectStream
from fcregistry.dialects._table import get, names
from fcregistry.dialects._trimmed import Trimmed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry.dialects._shapes import ToolShape

__all__ = ["AutoDialect", "AutoStream", "auto", "detect"]


def _layers(marks: set[str]) -> list[Marks]:
    """Return marks in groups, in none of which one stands inside of another."""
    layers = []
    while marks:
        layer = {mark for mark in marks if not any(mark != other and other in mark for other in marks)}
        layers.append(Marks(*sorted(layer)))
        marks = marks - layer
    return layers


class _Families:
    """The marks of all dialects, to be looked for at once."""

    __slots__ = ("may_begin", "of_sections")

    def __init__(self) -> None:
        marks = {*more_marks(), *(mark for name in names() for mark in get(name).openers.marks.texts)}
        self.of_sections: Final = _layers(marks)
        self.may_begin: Final = re.compile(f"[{re.escape(''.join(sorted({mark[0] for mark in marks})))}]").search

    def first(self, text: str) -> tuple[int, bool]:
        """Return where the first mark of any section begins in a text, or what may become one, and whether it is all there."""
        first = len(text), False
        for marks in self.of_sections:
            whole = marks.find(text)
            found = whole or marks.beginning(text)
            if found and found.start() < first[0]:
                first = found.start(), whole is not None
        return first


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
            self.dialect, whole = recognized("".join(self._pieces), self._tools)
            self._whole = whole
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
