"""`Parsed`, the content of a model's text, and the sections that a dialect divides such a text into."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from fcregistry.dialects._source import TextMarks, TextSource

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry.dialects._source import Reading


@dataclass(frozen=True, slots=True, repr=False)
class Parsed:
    """The content of a model's text, or of a piece of it. Immutable.

    Args:
        content: The text outside calls and thoughts, without space around it.
        reasoning: What the model thought, without space around it.
        tool_calls: The calls, in the order of the text. A name need not be a tool's: an executor answers such a call.
        repairs: What was corrected in the text of calls: a sentence each.
    """

    content: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    repairs: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is any content, thought or call."""
        return bool(self.content or self.reasoning or self.tool_calls)

    def __repr__(self) -> str:
        parts = {"content": self.content, "reasoning": self.reasoning, "tool_calls": self.tool_calls}
        return f"Parsed({', '.join(f'{name}={value!r}' for name, value in parts.items() if value)})"


NOTHING: Final = Parsed()
"""The content of a piece that ends in the middle of something."""

# --- Sections ---

CallReader: TypeAlias = "Callable[[TextSource, str], Reading[list[ToolCall] | None]]"
"""Reads calls from the end of the mark that opened the section; returns None if there is no call, or it is cut off.

The arguments are the text and the mark.
"""

CallWriter: TypeAlias = "Callable[[Sequence[ToolCall]], str]"
"""Writes calls as a model does. Raises `ValueError` for a call that the syntax cannot express."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """A section of calls.

    Attributes:
        opens: The marks that open it; none for a section that a text may begin with.
        read: Reads it. The text that it took when it returns None is content.
        at: Where it may be opened: anywhere, at the beginning of a line, or at the beginning of the text, thoughts aside.
        words: The pattern of the text after a mark which `read` would take, and return None. It must not match where the text ends too
            early to know. A text may hold a mark very often: a reader is not started for each of them.
    """

    opens: tuple[str, ...]
    read: CallReader
    at: Literal["anywhere", "line", "start"] = "anywhere"
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Words:
    """A section of words.

    Attributes:
        opens: The marks that open it.
        closes: The marks that close it; none for a mark that is a section by itself.
        before: Marks that end it as well, and may open the next section.
        kind: Whether the words are content, thoughts, or left out.
        at: Where it may be opened, as for `Calls`.
        nests: Whether its opening marks may occur in it, so that as many marks close it.
    """

    opens: tuple[str, ...]
    closes: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    kind: Literal["content", "reasoning", "nothing"] = "nothing"
    at: Literal["anywhere", "line", "start"] = "anywhere"
    nests: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EndOfThoughts:
    """The mark that closes thoughts that the prompt opened: all text before it was thought.

    Attributes:
        opens: The mark.
    """

    opens: tuple[str, ...]


Section: TypeAlias = "Calls | Words | EndOfThoughts"


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a model writes calls.

    Attributes:
        sections: The sections of calls.
        write: Writes calls.
        marks: Marks of the syntax beside those that open sections.
    """

    sections: tuple[Section, ...]
    write: CallWriter
    marks: tuple[str, ...] = ()


def syntax_after(mark: str, read: CallReader, write: CallWriter, words: str = "") -> Syntax:
    """Return the syntax of calls that follow `mark`, with the reader and the writer of these calls."""
    return Syntax((Calls(opens=(mark,), read=read, words=words),), write)


_BEGUN: Final = {"{": r"""(?=\s*+(?:["'/#]|[\w$\-]++\s*+:))""", "[": r"(?=\s*+(?:[{/#]|[\w.\-]++\())"}
"""Bracket -> what follows it if a call begins there: a member of an object, an object, a call of Python, or a comment before one."""


class Openers:
    """The marks that open the sections of a dialect.

    Args:
        sections: The sections; of two with one mark, the first.
        whole: Whether texts never come in pieces, as for `TextMarks`.
        words: Mark -> the pattern of the text after it, where it opens no section; by default, as the sections say.
    """

    __slots__ = ("has_lines", "leading", "marks", "sections")

    def __init__(
        self, sections: tuple[Section, ...], *, whole: bool = False, words: Mapping[str, str] | None = None
    ) -> None:
        self.sections: Final[dict[str, Section]] = {}
        for section in sections:
            for mark in section.opens:
                self.sections.setdefault(mark, section)
        if words is None:
            words = {mark: each.words for mark, each in self.sections.items() if isinstance(each, Calls) and each.words}
        self.marks: Final = TextMarks(
            *self.sections, whole=whole, opening=not whole, before=_BEGUN if whole else {}, words=words
        )
        calls = [each for each in sections if isinstance(each, Calls)]
        self.has_lines: Final = any(not isinstance(each, EndOfThoughts) and each.at == "line" for each in sections)
        self.leading: Final = next((each for each in calls if not each.opens), None)


@cache
def closing_marks(section: Words) -> TextMarks | None:
    """Return the marks that end or nest in `section`, or None if there are none.

    Without them, its opening mark is a section by itself.
    """
    ends = (*section.closes, *section.before, *(section.opens if section.nests else ()))
    return TextMarks(*ends) if ends else None


# --- Text without space around it ---


class TrimmedText:
    """Text without the space before its first word and after its last one.

    Space between words is passed on with the next word.
    """

    __slots__ = ("_held", "_is_broken_off", "_passed_on", "is_blank", "is_cut", "new")

    def __init__(self) -> None:
        self._passed_on: list[str] = []
        self._held: list[str] = []
        self._is_broken_off = False
        self.is_cut = False
        """Whether something else was at this place, and no word since."""
        self.is_blank = True
        """Whether there was no word yet."""
        self.new: list[str] = []
        """The text that can be passed on."""

    def add(self, text: str) -> None:
        """Add `text`: hold its trailing space back, and let the rest be passed on."""
        if self._is_broken_off:
            text = text.lstrip()
            if not text:
                return
            self._is_broken_off = False
        words = text.rstrip()
        size = len(words)
        if words:
            if words[0].isspace():
                bare = words.lstrip()
                self._held.append(words[: len(words) - len(bare)])
                words = bare
            if self._held:
                if not self.is_blank:
                    self.new.append(self._space())
                self._held.clear()
            self.is_blank = self.is_cut = False
            self.new.append(words)
        if size < len(text):
            self._held.append(text[size:])

    def cut(self) -> None:
        """Note that something else is at this place, so that the space on both sides of it becomes one."""
        self.is_cut = True

    def _space(self) -> str:
        """Return the space that was held back; after `cut`, two line breaks if it has several."""
        space = "".join(self._held)
        return "\n\n" if self.is_cut and space.count("\n") > 1 else space

    def break_off(self) -> None:
        """Begin a new paragraph, if there was text before."""
        if not self.is_blank:
            self._held = ["\n\n"]
            self._is_broken_off = True

    def take_new(self) -> str:
        """Return the text that can be passed on, and was not passed on before."""
        if not self.new:
            return ""
        new = "".join(self.new)
        self.new.clear()
        self._passed_on.append(new)
        return new

    def text(self) -> str:
        """Return all text that was passed on."""
        return "".join(self._passed_on)

    def clear(self) -> None:
        """Forget all text."""
        self.__init__()  # type: ignore[misc]  # to be as it was at first
