"""What stands in a model's text beside words for people? Sections, each opened by a mark: calls, thoughts, and what is left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from fcregistry.dialects._source import Marks

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry.dialects._source import Reading, Source

CallReader: TypeAlias = "Callable[[Source, str], Reading[list[ToolCall] | None]]"
"""Reads calls from behind what opened the section, which it is given; None where there is no call after all, or one that is cut off."""


CallWriter: TypeAlias = "Callable[[Sequence[ToolCall]], str]"
"""Writes calls as a model does. Raises `ValueError` for what cannot be said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """A section of calls.

    Attributes:
        opens: What opens it; nothing for one that a text may begin with, without a mark.
        read: Reads it. What it has taken when it gives None is content.
        at: Where it may be opened: anywhere, where a line begins, or where the text begins, thoughts aside.
    """

    opens: tuple[str, ...]
    read: CallReader
    at: Literal["anywhere", "line", "start"] = "anywhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A section of words.

    Attributes:
        opens: What opens it.
        closes: What closes it; nothing for a mark that stands alone.
        before: What ends it as well, and may open the next section.
        kind: What the words are.
        at: Where it may be opened, as for `Calls`.
        nests: Whether what opens it may stand in it, so that as many marks close it.
    """

    opens: tuple[str, ...]
    closes: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    kind: Literal["content", "reasoning", "nothing"] = "nothing"
    at: Literal["anywhere", "line", "start"] = "anywhere"
    nests: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EndOfThoughts:
    """What closes thoughts that were opened before the text began, in the prompt: all before it was thought.

    Attributes:
        opens: The mark.
    """

    opens: tuple[str, ...]


Section: TypeAlias = "Calls | Words | EndOfThoughts"


class Openers:
    """What may open a section of some dialect.

    Args:
        sections: The sections; of two with one mark, the first.
        whole: Whether texts are never cut, as for `Marks`.
    """

    __slots__ = ("has_lines", "leading", "marks", "of_calls", "sections")

    def __init__(self, sections: tuple[Section, ...], *, whole: bool = False) -> None:
        self.sections: Final[dict[str, Section]] = {}
        for section in sections:
            for mark in section.opens:
                self.sections.setdefault(mark, section)
        self.marks: Final = Marks(*self.sections, whole=whole)
        calls = [each for each in sections if isinstance(each, Calls)]
        self.has_lines: Final = any(not isinstance(each, EndOfThoughts) and each.at == "line" for each in sections)
        self.leading: Final = next((each for each in calls if not each.opens), None)
        self.of_calls: Final = Marks(*dict.fromkeys(mark for each in calls for mark in each.opens), whole=whole).find


@cache
def closing(section: Words) -> Marks | None:
    """Return what ends a section of words; None for a mark that stands alone."""
    ends = (*section.closes, *section.before, *(section.opens if section.nests else ()))
    return Marks(*ends) if ends else None
