"""What stands in a model's text beside words for people? Sections, each opened by a mark: calls, thoughts, and what is left out.

MERGED: How is text handed on piece by piece without the space around it?
MERGED: What does a model's text say? Words for people, thoughts, and calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from fcregistry.dialects._source import TextMarks, TextSource

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry.dialects._source import Reading

# --- dialects._sections ---

CallReader: TypeAlias = "Callable[[TextSource, str], Reading[list[ToolCall] | None]]"
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
        whole: Whether texts are never cut, as for `TextMarks`.
    """

    __slots__ = ("has_lines", "leading", "marks", "of_calls", "sections")

    def __init__(self, sections: tuple[Section, ...], *, whole: bool = False) -> None:
        self.sections: Final[dict[str, Section]] = {}
        for section in sections:
            for mark in section.opens:
                self.sections.setdefault(mark, section)
        self.marks: Final = TextMarks(*self.sections, whole=whole)
        calls = [each for each in sections if isinstance(each, Calls)]
        self.has_lines: Final = any(not isinstance(each, EndOfThoughts) and each.at == "line" for each in sections)
        self.leading: Final = next((each for each in calls if not each.opens), None)
        self.of_calls: Final = TextMarks(
            *dict.fromkeys(mark for each in calls for mark in each.opens), whole=whole
        ).find


@cache
def closing_marks(section: Words) -> TextMarks | None:
    """Return what ends a section of words; None for a mark that stands alone."""
    ends = (*section.closes, *section.before, *(section.opens if section.nests else ()))
    return TextMarks(*ends) if ends else None


# --- dialects._trimmed ---


class TrimmedText:
    """Text without the space before its first word and after its last one; what stands between words is handed on with the next."""

    __slots__ = ("_held", "_is_broken_off", "_is_cut", "_is_running", "_told", "is_blank", "new")

    def __init__(self) -> None:
        self._told: list[str] = []
        self._held: list[str] = []
        self._is_cut = False
        self._is_broken_off = False
        self._is_running = False  # what comes next stands behind words that are handed on
        self.is_blank = True
        """Whether there was no word yet."""
        self.new: list[str] = []
        """What can be handed on."""

    def add(self, text: str) -> None:
        """Take more text."""
        if self._is_broken_off:
            text = text.lstrip()
            if not text:
                return
            self._is_broken_off = False
        words = text.rstrip()
        space = text[len(words) :]
        if words:
            if words[0].isspace():
                bare = words.lstrip()
                self._held.append(words[: len(words) - len(bare)])
                words = bare
            if not self.is_blank and self._held:
                self.new.append(self._space())
            self.is_blank = False
            self._held.clear()
            self._is_cut = self._is_running = False
            self.new.append(words)
        if space:
            self._held.append(space)

    def added(self, text: str) -> str:
        """Take more text, and return what can be handed on of all that was not yet."""
        if not self._is_running:
            self.add(text)
            return self.take_new()
        words = bare = text.rstrip()
        if bare:
            if self._held:
                words = "".join([*self._held, bare])
                self._held.clear()
            self._told.append(words)
        if bare != text:
            self._held.append(text[len(bare) :])
        return words

    def cut(self) -> None:
        """Say that something else stands here, so that the space around it becomes one."""
        self._is_cut = True
        self._is_running = False

    def _space(self) -> str:
        space = "".join(self._held)
        return "\n\n" if self._is_cut and space.count("\n") > 1 else space

    def break_off(self) -> None:
        """Begin a new paragraph, if there was text before."""
        if not self.is_blank:
            self._held = ["\n\n"]
            self._is_broken_off = True
            self._is_running = False

    def take_new(self) -> str:
        """Return what was not yet handed on, as far as that is known."""
        if not self.new:
            return ""
        self._is_running = not (self._is_cut or self._is_broken_off)
        new = "".join(self.new)
        self.new.clear()
        self._told.append(new)
        return new

    def text(self) -> str:
        """Return all that was handed on."""
        return "".join(self._told)

    def clear(self) -> None:
        """Forget all text."""
        self.__init__()  # type: ignore[misc]  # to be as it was at first


# --- dialects._parsed ---


class Parsed:
    """What a text of a model says, or a piece of it. Immutable.

    Args:
        content: The text outside of calls and thoughts, without space around it.
        reasoning: What the model thought, without space around it.
        tool_calls: The calls, in the order of the text. A name need not be that of a tool: an executor answers that.
        repairs: What was put right in the text of calls: a sentence each.
    """

    __slots__ = ("_content", "_reasoning", "_repairs", "_tool_calls")

    def __init__(
        self,
        content: str = "",
        reasoning: str = "",
        tool_calls: tuple[ToolCall, ...] = (),
        repairs: tuple[str, ...] = (),
    ) -> None:
        self._content = content
        self._reasoning = reasoning
        self._tool_calls = tool_calls
        self._repairs = repairs

    @property
    def content(self) -> str:
        """The text outside of calls and thoughts."""
        return self._content

    @property
    def reasoning(self) -> str:
        """What the model thought."""
        return self._reasoning

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls, in the order of the text."""
        return self._tool_calls

    @property
    def repairs(self) -> tuple[str, ...]:
        """What was put right in the text of calls."""
        return self._repairs

    def _key(self) -> tuple[object, ...]:
        return (self._content, self._reasoning, self._tool_calls, self._repairs)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Parsed) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # the arguments of calls are dicts

    def __bool__(self) -> bool:
        """Whether it says anything."""
        return bool(self._content or self._reasoning or self._tool_calls)

    def __repr__(self) -> str:
        said = {"content": self._content, "reasoning": self._reasoning, "tool_calls": self._tool_calls}
        return f"Parsed({', '.join(f'{name}={value!r}' for name, value in said.items() if value)})"


class _ContentOnly(Parsed):
    """Words alone: made for most pieces of a text, and so without the steps of making one that says more."""

    __slots__ = ()
    __init__ = object.__init__
    _content: str
    _reasoning = ""
    _tool_calls = ()
    _repairs = ()


def content_only(words: str) -> Parsed:
    """Return what says these words and nothing else."""
    said: Parsed = _ContentOnly()
    said._content = words
    return said


NOTHING: Final = Parsed()
"""What a piece of text says that ends in the middle of something."""
