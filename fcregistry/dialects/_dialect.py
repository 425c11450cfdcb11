"""What is a dialect? How the models of a family write tool calls in their text, and how they are told of tools there.

MERGED: How are the models of a family told of tools, and of results? As data: what stands before, between and after them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from fcregistry import formats
from fcregistry.dialects._json_text import Shapes
from fcregistry.dialects._parsed import (
    NOTHING,
    Calls,
    EndOfThoughts,
    Openers,
    Parsed,
    TrimmedText,
    Words,
    closing_marks,
    content_only,
)
from fcregistry.dialects._source import WAKE_ALWAYS, TextSource

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry._base.call import ToolCall
    from fcregistry._tools.tool import Tool
    from fcregistry.dialects._json_text import ToolShape
    from fcregistry.dialects._parsed import CallWriter, Section
    from fcregistry.dialects._source import Reading, TextMarks

# --- dialects._dialect ---

LONGEST_PLAIN_MARK: Final = 3
"""Characters of marks that are no structure of their own: braces, code fences."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dialect:
    """A syntax of tool calls in text, and whose it is. A row of a table; what it does is told by what it is made of.

    Attributes:
        name: What it is asked for by.
        models: The models that write it.
        source: The publication that it follows.
        sections: What stands in a text beside words.
        write: Writes calls as the models do. Raises `ValueError` for what cannot be said.
        prompt: How tools and results are told.
        thinks: What opens and closes thoughts; none where it has no such marks.
        stops: What ends an answer: not to be generated any further, and no part of what is said.
        limits: What cannot be expressed, in a sentence; empty if nothing.
    """

    name: str
    models: str
    source: str
    sections: tuple[Calls | Words, ...]
    write: CallWriter
    prompt: Prompt
    thinks: tuple[str, str] | None = ("<think>", "</think>")
    stops: tuple[str, ...] = ()
    limits: str = ""
    _openers: list[Openers] = field(
        default_factory=list, init=False, repr=False
    )  # made at first use: most dialects never are

    @property
    def openers(self) -> Openers:
        """What may open a section of it."""
        if not self._openers:
            self._openers.append(Openers((*self.sections, Words(opens=self.stops), *self._of_thoughts())))
        return self._openers[0]

    def _of_thoughts(self) -> tuple[Words | EndOfThoughts, ...]:
        if self.thinks is None:
            return ()
        opens, closes = self.thinks
        return (
            Words(opens=(opens,), closes=(closes,), kind="reasoning", nests=True),
            EndOfThoughts(opens=(closes,)),
        )

    def _guarded(self) -> tuple[str, ...]:
        """Return what strangers must not write in what is told: a brace or a bracket alone they may."""
        return (*self.prompt.marks, *(mark for mark in self.openers.marks.texts if len(mark) > LONGEST_PLAIN_MARK))

    def render(self, tools: Iterable[Tool]) -> str:
        """Return what the models of the family are told of tools: a section of the system prompt, in the order given; nothing of none."""
        return self.prompt.tools_text(tuple(tools), self._guarded())

    def render_calls(self, calls: Sequence[ToolCall]) -> str:
        """Return the text in which a model of the family makes these calls, which `parse` reads.

        Raises:
            ValueError: The syntax cannot express one of them.
        """
        return self.write(calls)

    def render_result(self, name: str, content: str, id: str | None = None) -> str:
        """Return what a model of the family is told of a result.

        Args:
            name: The tool.
            content: The text of the result.
            id: The id of the call, for families that write one.
        """
        return self.prompt.result_text(name, content, id, self._guarded())

    def parse(self, text: str, tools: Iterable[ToolShape] | None = None) -> Parsed:
        """Return what a whole text says. Whatever the text, it raises nothing.

        Args:
            text: What the model wrote.
            tools: What may be called, where that is known: syntaxes that write values as bare text take their types from the schemas.
        """
        return self.stream(tools).whole(text)

    def stream(self, tools: Iterable[ToolShape] | None = None) -> DialectStream:
        """Return a reader of text that comes in pieces, which gives the same as `parse` in the end."""
        return DialectStream(self, tools)

    def detect(self, text: str) -> bool:
        """Tell whether a text makes a call in this dialect."""
        return (self.openers.leading is not None or self.openers.of_calls(text) is not None) and bool(
            self.parse(text).tool_calls
        )

    def __repr__(self) -> str:
        return f"<Dialect {self.name}>"


# --- dialects._prompt ---

ToolForm: TypeAlias = "Literal['openai', 'function'] | Callable[[Tool], str]"
"""How one tool is told: as JSON in the shape of OpenAI's chat, as the function in that, or by a function of the dialect's own."""

ResultText: TypeAlias = "Callable[[str, str, str | None], str]"
"""Makes the text that tells of a result, of the tool's name, the content, and the id of the call."""


def bare_result(name: str, content: str, id: str | None) -> str:
    """Tell of a result by its content alone."""
    return content


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """How tools and results are told.

    What tools and results say comes from strangers: where a mark of the prompt stands in it, the mark is broken, in JSON by an escape that means
    the same, in other text by a space behind its first character. So nothing that is told can end the place where it is told.

    Attributes:
        before: What stands before the tools.
        each: How one tool is told.
        between: What stands between two.
        after: What stands after them.
        result: Makes what is told of a result.
        marks: What must not stand in what strangers wrote: the marks of the prompt and of the dialect.
    """

    before: str
    after: str
    each: ToolForm = "openai"
    between: str = "\n"
    result: ResultText = bare_result
    marks: tuple[str, ...] = ()

    def tools_text(self, tools: tuple[Tool, ...], marks: tuple[str, ...]) -> str:
        """Return what is told of tools; nothing of none.

        Args:
            tools: The tools.
            marks: What is broken where strangers wrote it.
        """
        if not tools:
            return ""
        return f"{self.before}{self.between.join(self._told(tool, marks) for tool in tools)}{self.after}"

    def result_text(self, name: str, content: str, id: str | None, marks: tuple[str, ...]) -> str:
        """Return what is told of a result; the marks are broken in it."""
        return self.result(name, _break_marks(content, marks, _add_space), id)

    def _told(self, tool: Tool, marks: tuple[str, ...]) -> str:
        if self.each in ("openai", "function"):
            definition = formats.get("openai").describe_one(tool)
            return _break_marks(
                json_text(definition if self.each == "openai" else _function(definition)), marks, _escape
            )
        assert callable(self.each)
        return _break_marks(self.each(tool), marks, _add_space)


def _function(definition: Any) -> Any:
    return definition["function"]


def typescript(tool: Tool) -> str:
    """Tell of a tool as a type of TypeScript."""
    return str(formats.get("typescript").describe_one(tool))


def json_text(value: Any) -> str:
    """Return a value as JSON on one line, as models are shown it: with a space after commas and colons, and letters as they are."""
    return json.dumps(value, ensure_ascii=False)


def _break_marks(text: str, marks: tuple[str, ...], new: Callable[[str], str]) -> str:
    for mark in marks:
        if mark in text:
            text = text.replace(mark, new(mark[0]) + mark[1:])
    return text


def _escape(character: str) -> str:
    return f"\\u{ord(character):04x}"


def _add_space(character: str) -> str:
    return f"{character} "


class DialectStream:
    """Reads a text as it comes. One text has one; it is not for several threads at once.

    Args:
        dialect: What it is written in.
        tools: The tools that may be called, or their definitions, where those are known.
    """

    __slots__ = (
        "_calls",
        "_content",
        "_course",
        "_fed",
        "_is_blank_line",
        "_new_calls",
        "_openers",
        "_parsed",
        "_plain",
        "_reasoning",
        "_source",
        "_told_repairs",
        "_waiting",
        "_wake",
        "dialect",
        "rest",
    )

    def __init__(self, dialect: Dialect, tools: Iterable[ToolShape] | None = None) -> None:
        self._openers = dialect.openers
        self._source = TextSource(Shapes(tools))
        self._waiting = self._source.waiting
        self._content = TrimmedText()
        self._reasoning = TrimmedText()
        self._calls: list[ToolCall] = []
        self._new_calls: list[ToolCall] = []
        self._told_repairs = 0
        self._fed: list[str] | None = (
            [] if dialect.thinks else None
        )  # all text but thoughts, as it may turn out to be thoughts, too
        self._plain: TrimmedText | None = None  # where text goes that changes nothing, if it is words
        self._is_blank_line = True
        self._parsed: Parsed | None = None
        self._course = self._read()
        self._wake = WAKE_ALWAYS
        self.rest = NOTHING
        """What `close` added to what `feed` had returned."""
        self.dialect: Dialect | None = dialect
        """The dialect that the text is read in; of `auto`, once it is closed, that of its calls, and None where it makes none."""

    def feed(self, chunk: str) -> Parsed:
        """Take more of the text.

        Returns:
            What is new: content and thoughts as soon as they are told to be none of a call, calls when they are complete. What goes on as
            JSON does is told where the bracket that is due may come.

        Raises:
            ValueError: The text was closed.
        """
        wake = self._wake
        if wake.sign not in chunk or not wake.search(chunk):
            plain = self._plain
            if plain is None:
                self._waiting.append(chunk)
                return NOTHING
            if self._openers.has_lines:
                self._follow_line(chunk)
            new = plain.added(chunk)
            if plain is self._content:
                if self._fed is not None:
                    self._fed.append(chunk)
                return content_only(new) if new else NOTHING
            return Parsed(reasoning=new) if new else NOTHING
        if self._parsed is not None:
            raise ValueError("the text was closed: another one needs a stream of its own")
        self._waiting.append(chunk)
        self._advance()
        return self._new()

    def close(self) -> Parsed:
        """End the text, and return all that it says. What is cut off is content, and never a call. Closing again changes nothing."""
        if self._parsed is None:
            self._source.ended = True
            self._advance()
            self.rest = self._new()
            repairs = self._source.repairs and sorted(set(self._source.repairs))
            self._parsed = Parsed(self._content.text(), self._reasoning.text(), tuple(self._calls), tuple(repairs))
        return self._parsed

    def whole(self, text: str) -> Parsed:
        """Take a text that is all there, and return what it says."""
        if not isinstance(text, str):
            raise TypeError(f"what a model wrote is text, not {text!r:.80}")
        self._waiting.append(text)
        return self.close()

    def _advance(self) -> None:
        self._source.add_waiting()
        self._plain = None
        self._wake = next(self._course, WAKE_ALWAYS)

    def _new(self) -> Parsed:
        if not (self._content.new or self._reasoning.new or self._new_calls):
            return NOTHING
        content, reasoning, calls = self._content.take_new(), self._reasoning.take_new(), tuple(self._new_calls)
        self._calls += calls
        self._new_calls.clear()
        repairs = tuple(self._source.repairs[self._told_repairs :])
        self._told_repairs = len(self._source.repairs)
        return Parsed(content, reasoning, calls, repairs)

    # What is read, in one pass

    def _read(self) -> Reading[None]:
        if self._openers.leading is not None:
            yield from self._source.space()
            self._source.begin(self._source.place)
            yield from self._read_calls(self._openers.leading, "")
        searched = self._openers.marks.skip(self._source.text, self._source.place)
        while mark := (yield from self._up_to_section(searched)):
            yield from self._read_section(self._openers.sections[mark], mark)
            searched = self._source.place

    def _read_section(self, section: Section, mark: str) -> Reading[None]:
        if isinstance(section, Calls):
            yield from self._read_calls(section, mark)
        elif isinstance(section, EndOfThoughts):
            self._take_for_thoughts()
        else:
            yield from self._read_words(section)
        self._is_blank_line = True

    def _up_to_section(self, searched: int) -> Reading[str]:
        """Take text up to where a section begins, and what opens it; return that, or nothing if the text ends first.

        Args:
            searched: Where to begin to look for it.
        """
        source, marks = self._source, self._openers.marks
        while True:
            found = marks.find(source.text, searched)
            if found:
                self._say_up_to(found.start())
                if self._may_open(self._openers.sections[found[0]]):
                    source.begin(found.start())
                    source.place = found.end()
                    return found[0]
                searched = found.start() + 1
                continue
            begun = None if source.ended else marks.beginning(source.text, searched)
            self._say_up_to(begun.start() if begun else len(source.text))
            if source.ended:
                return ""
            self._plain = None if begun else self._content
            yield marks.awaited(begun)
            searched = source.place

    def _may_open(self, section: Section) -> bool:
        if isinstance(section, EndOfThoughts) or section.at == "anywhere":
            return True
        return self._is_blank_line if section.at == "line" else self._content.is_blank

    def _say_up_to(self, end: int) -> None:
        source = self._source
        if end > source.place:
            self._say(source.text[source.place : end])
            source.place = end

    def _say(self, text: str) -> None:
        self._content.add(text)
        self._keep(text)
        if self._openers.has_lines:
            self._follow_line(text)

    def _keep(self, text: str) -> None:
        """Keep text that is taken for anything but thoughts."""
        if self._fed is not None:
            self._fed.append(text)

    def _follow_line(self, text: str) -> None:
        _, ends, last = text.rpartition("\n")
        self._is_blank_line = (bool(ends) or self._is_blank_line) and not last.strip()

    def _read_calls(self, section: Calls, mark: str) -> Reading[None]:
        repairs = len(self._source.repairs)
        self._content.cut()
        self._source.dropped.clear()
        calls = yield from section.read(self._source, mark)
        self._keep("".join([*self._source.dropped, self._source.since()]))
        if calls is None:
            del self._source.repairs[repairs:]
            self._content.add(self._source.since())
        else:
            self._new_calls += calls
            if self._source.left:
                self._content.add(self._source.left)
                self._source.left = ""

    def _read_words(self, section: Words) -> Reading[None]:
        into = self._reasoning if section.kind == "reasoning" else self._content
        closes = closing_marks(section)
        if closes is None:
            return
        into.break_off()
        if section.kind == "nothing":
            _, mark = yield from self._source.until(closes)
            self._keep(self._source.since())
        else:
            mark = yield from self._pour(closes, into)
            while section.nests and mark in section.opens:
                mark = yield from self._pour_nested(section, closes)
        if mark in section.before:
            self._source.place -= len(mark)

    def _pour_nested(self, section: Words, closes: TextMarks) -> Reading[str]:
        """Take thoughts in which others were opened, up to behind the end of those; return what comes next, as `_pour` does."""
        depth = 1
        while depth:
            mark = yield from self._pour(closes, self._reasoning)
            if not mark:
                return ""
            depth += 1 if mark in section.opens else -1
        return (yield from self._pour(closes, self._reasoning))

    def _pour(self, closes: TextMarks, into: TrimmedText) -> Reading[str]:
        """Take text up to the first of some marks, and the mark, and hand the text on as it comes; return the mark, or nothing."""
        source = self._source
        while True:
            found = closes.find(source.text, source.place)
            begun = found or (None if source.ended else closes.beginning(source.text, source.place))
            end = begun.start() if begun else len(source.text)
            into.add(source.text[source.place : end])
            if into is self._content:
                self._keep(source.text[source.place : end])
            source.place = found.end() if found else end
            if found or source.ended:
                return found[0] if found else ""
            self._plain = None if begun else into
            yield closes.awaited(begun)

    def _take_for_thoughts(self) -> None:
        """Take all text so far for thoughts: they were opened in the prompt, where this text does not show it, or closed too early."""
        if self._fed is None:
            return
        self._content.clear()
        self._reasoning.break_off()
        self._reasoning.add("".join(self._fed))
        self._fed = []
        self._calls.clear()
        self._new_calls.clear()
        self._source.repairs.clear()
        self._told_repairs = 0
