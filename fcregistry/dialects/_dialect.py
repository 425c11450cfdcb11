"""A dialect: how the models of a family write tool calls in their text, and how a prompt shows them tools and results.

`Dialect` is a row of a table, and `DialectStream` reads a text in a dialect as it comes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry import formats
from fcregistry.dialects._json_text import Shapes, map_texts
from fcregistry.dialects._parsed import (
    NOTHING,
    Calls,
    EndOfThoughts,
    Openers,
    Parsed,
    TrimmedText,
    Words,
    closing_marks,
)
from fcregistry.dialects._source import TextSource, break_marks

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._tools.tool import Tool
    from fcregistry.dialects._json_text import ToolShape
    from fcregistry.dialects._parsed import Section, Syntax
    from fcregistry.dialects._source import Reading, TextMarks

LONGEST_PLAIN_MARK: Final = 3
"""Marks of at most this many characters are braces, brackets and code fences, which any text may hold."""


ToolForm: TypeAlias = "str | Callable[[dict[str, Any]], str]"
"""The form of a tool in a prompt: a format's name, `function` for the function in the format `openai`, or what returns a text for that."""

ResultText: TypeAlias = "str | Callable[[str, str, str | None], str]"
"""The text that shows a result, with `{name}`, `{content}` and `{id}` in it, or a function of these that returns it."""

TOOL_RESPONSE: Final = "<tool_response>\n{content}\n</tool_response>"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dialect:
    """A syntax of tool calls in text, with the models that write it. It is data: a row of a table.

    Attributes:
        name: Its name, for `get`.
        models: The models that write it.
        source: The publication that it follows.
        syntax: How the models write calls. Writing raises `ValueError` for a call that the syntax cannot express.
        more: What a text may contain in addition to words, thoughts and calls.
        before_tools: The text before the tools in a prompt.
        after_tools: The text after them.
        between_tools: The text between two tools.
        tool_form: The form of one tool.
        result: The text that shows a result.
        marks: Marks that the texts of tools and results must not contain, beside those in the fields above.
        thinks: The marks that open and close thoughts; None if it has no such marks.
        ends_thoughts: Marks that end thoughts, too, if the model forgets the mark that closes them.
        stops: Marks that end an answer: the model generates nothing after them, and they are not part of the content.
        limits: What cannot be expressed, in a sentence; empty if nothing.
    """

    name: str
    models: str
    source: str
    syntax: Syntax
    before_tools: str
    after_tools: str
    between_tools: str = "\n"
    tool_form: ToolForm = "openai"
    result: ResultText = "{content}"
    marks: tuple[str, ...] = ()
    more: tuple[Section, ...] = ()
    thinks: tuple[str, str] | None = ("<think>", "</think>")
    ends_thoughts: tuple[str, ...] = ()
    stops: tuple[str, ...] = ()
    limits: str = ""
    # Made at first use: most dialects are never used.
    _openers: list[Openers] = field(default_factory=list, init=False, repr=False)

    @property
    def openers(self) -> Openers:
        """The marks that may open a section of it."""
        if not self._openers:
            self._openers.append(Openers(self._sections()))
        return self._openers[0]

    def _sections(self) -> tuple[Section, ...]:
        """Return the sections of a text in this dialect: of calls, of `more`, of stop marks and of thoughts.

        There are none of thoughts if `thinks` is None.
        """
        sections = (*self.syntax.sections, *self.more, Words(opens=self.stops))
        if self.thinks is None:
            return sections
        opens, closes = self.thinks
        thoughts = Words(opens=(opens,), closes=(closes,), before=self.ends_thoughts, kind="reasoning", nests=True)
        return (*sections, thoughts, EndOfThoughts(opens=(closes,)))

    def guarded_marks(self) -> tuple[str, ...]:
        """Return the marks that the texts of tools and results must not contain.

        Others may have written these texts. If a text contains a mark, the dialect changes it, so that the text cannot end the section that
        contains it: in JSON by an escape, in other text by a space after the first character.
        """
        result = self.result if isinstance(self.result, str) else self.result("", "", "")
        shown = _MARKS("\n".join((self.before_tools, self.between_tools, self.after_tools, result)))
        opening = (mark for mark in self.openers.marks.texts if len(mark) > LONGEST_PLAIN_MARK)
        return tuple(dict.fromkeys((*self.marks, *shown, *self.syntax.marks, *opening)))

    def render(self, tools: Iterable[Tool]) -> str:
        """Return the description of tools for the models of the family: a section of the system prompt.

        Args:
            tools: The tools, in the order in which they are shown; without any, the text is empty.
        """
        marks = self.guarded_marks()
        texts = [self._tool_text(tool, marks) for tool in tools]
        return f"{self.before_tools}{self.between_tools.join(texts)}{self.after_tools}" if texts else ""

    def _tool_text(self, tool: Tool, marks: tuple[str, ...]) -> str:
        """Return `tool` in the form of this dialect, with each of `marks` in its texts broken or escaped.

        Raises:
            DefinitionError: The format cannot express the tool.
        """
        form = self.tool_form
        if isinstance(form, str) and form not in ("openai", "function"):
            return break_marks(str(formats.get(form).describe_one(tool)), marks, _add_space)
        definition: Any = formats.get("openai").describe_one(tool)
        if callable(form):
            return form(map_texts(definition["function"], lambda text: break_marks(text, marks, _add_space)))
        return break_marks(json_text(definition if form == "openai" else definition["function"]), marks, _escape)

    def render_calls(self, calls: Sequence[ToolCall]) -> str:
        """Return the text in which a model of the family makes these calls, which `parse` reads.

        Args:
            calls: The calls.

        Raises:
            ValueError: The syntax cannot express one of them.
        """
        return self.syntax.write(calls)

    def render_result(self, name: str, content: str, id: str | None = None) -> str:
        """Return the text that shows a result to a model of the family.

        Args:
            name: The tool.
            content: The text of the result.
            id: The id of the call, for families that write one.
        """
        marks = self.guarded_marks()
        name, content = (break_marks(text, marks, _add_space) for text in (name, content))
        call_id = id and break_marks(id, marks, _add_space)
        if isinstance(self.result, str):
            return self.result.format(name=name, content=content, id=call_id or name)
        return self.result(name, content, call_id)

    def parse(self, text: str, tools: Iterable[ToolShape] | None = None) -> Parsed:
        """Return the content of a whole text. It raises nothing, whatever the text is.

        Args:
            text: What the model wrote.
            tools: The tools that may be called, if they are known: syntaxes that write values as bare text take their types from the schemas.
        """
        return self.stream(tools).whole(text)

    def stream(self, tools: Iterable[ToolShape] | None = None) -> DialectStream:
        """Return a reader of text that arrives in pieces. At the end, it returns the same as `parse`.

        Args:
            tools: The tools that may be called, as for `parse`.
        """
        return DialectStream(self, tools)

    def detect(self, text: str) -> bool:
        """Return whether a text makes a call in this dialect.

        Args:
            text: What the model wrote.
        """
        return bool(self.parse(text).tool_calls)

    def __repr__(self) -> str:
        return f"<Dialect {self.name}>"


class UseByOneThread:
    """A context manager that raises `RuntimeError` while another thread is in its block."""

    __slots__ = ("lock",)

    def __init__(self) -> None:
        self.lock = Lock()

    def __enter__(self) -> None:
        if not self.lock.acquire(blocking=False):
            raise self.error()

    def __exit__(self, *exception: object) -> None:
        self.lock.release()

    @staticmethod
    def error() -> RuntimeError:
        """Return the error for the other thread."""
        return RuntimeError(
            "another thread is using this stream: feed each text on one thread, to a stream of its own, or use a lock"
        )


class DialectStream:
    """Reads a text as it comes.

    Each text needs a stream of its own, which several threads must not use at once: `feed` and `close` raise `RuntimeError` then.

    Args:
        dialect: The dialect of the text.
        tools: The tools that may be called, or their definitions, if they are known.
    """

    __slots__ = (
        "_calls",
        "_content",
        "_in_use",
        "_is_blank_line",
        "_new_calls",
        "_not_thoughts",
        "_openers",
        "_parsed",
        "_passed_repairs",
        "_reader",
        "_reasoning",
        "_source",
        "dialect",
        "rest",
    )

    def __init__(self, dialect: Dialect, tools: Iterable[ToolShape] | None = None) -> None:
        self._in_use = UseByOneThread()
        self._openers = dialect.openers
        self._source = TextSource(Shapes(tools))
        self._content = TrimmedText()
        self._reasoning = TrimmedText()
        self._calls: list[ToolCall] = []
        self._new_calls: list[ToolCall] = []
        self._passed_repairs = 0
        # All text but thoughts, which may turn out to be thoughts, too.
        self._not_thoughts: list[str] | None = [] if dialect.thinks else None
        self._is_blank_line = True
        self._parsed: Parsed | None = None
        self._reader = self._read()
        self.rest: Parsed = NOTHING
        """What `close` added to what `feed` had returned."""
        self.dialect: Dialect | None = dialect
        """The dialect in which the text is read. For `auto`, it is that of the calls once the stream is closed, or None if there are none."""

    def feed(self, chunk: str) -> Parsed:
        """Add a piece of the text.

        Args:
            chunk: The piece.

        Returns:
            What is new: content and thoughts as soon as it is certain that they are not part of a call, and calls once they are complete.

        Raises:
            ValueError: The text was closed.
            RuntimeError: Another thread uses the stream.
        """
        lock = self._in_use.lock
        if not lock.acquire(False):  # a `with` block, or a keyword, takes a good part of the time of a short piece
            raise self._in_use.error()
        try:
            if self._parsed is not None:
                raise ValueError("the text was closed: another one needs a stream of its own")
            self._source.add(chunk)
            next(self._reader)
            return self._new()
        finally:
            lock.release()

    def close(self) -> Parsed:
        """End the text, and return all of its content.

        A call that is cut off is content, never a call. Closing again changes nothing.

        Raises:
            RuntimeError: Another thread uses the stream.
        """
        with self._in_use:
            if self._parsed is None:
                self._source.ended = True
                next(self._reader, None)
                self.rest = self._new()
                repairs = self._source.repairs and sorted(set(self._source.repairs))
                self._parsed = Parsed(self._content.text(), self._reasoning.text(), tuple(self._calls), tuple(repairs))
            return self._parsed

    def whole(self, text: str) -> Parsed:
        """Read a whole text, and return its content.

        Args:
            text: The text.

        Raises:
            TypeError: It is not text.
        """
        if not isinstance(text, str):
            raise TypeError(f"what a model wrote is text, not {text!r:.80}")
        self._source.add(text)
        return self.close()

    def _new(self) -> Parsed:
        """Return the content, thoughts and calls that were read since the last call of this method.

        Return `NOTHING` if there are none. Repairs are returned only together with calls.
        """
        content, reasoning, calls = self._content, self._reasoning, self._new_calls
        if not (content.new or reasoning.new or calls):
            return NOTHING
        if not calls:
            return Parsed(content.take_new(), reasoning.take_new())
        self._new_calls = []
        self._calls += calls
        repairs = tuple(self._source.repairs[self._passed_repairs :])
        self._passed_repairs = len(self._source.repairs)
        return Parsed(content.take_new(), reasoning.take_new(), tuple(calls), repairs)

    # Reading, in one pass

    def _read(self) -> Reading[None]:
        """Read the text up to its end: first calls that need no opening mark, and then section by section.

        It yields where it needs more text, and puts what it reads into the content, the thoughts and the calls.
        """
        if self._openers.leading is not None:
            yield from self._source.space()
            self._source.begin(self._source.place)
            yield from self._read_calls(self._openers.leading, "")
        while mark := (yield from self._up_to_section()):
            yield from self._read_section(self._openers.sections[mark], mark)

    def _read_section(self, section: Section, mark: str) -> Reading[None]:
        """Read `section`, which `mark` has opened, into the calls, the thoughts or the content.

        A mark that ends thoughts turns all text before it into thoughts.
        """
        if isinstance(section, Calls):
            yield from self._read_calls(section, mark)
        elif isinstance(section, EndOfThoughts):
            self._take_for_thoughts()
            self._is_blank_line = True
        else:
            yield from self._read_words(section, mark)
            self._is_blank_line = True

    def _up_to_section(self) -> Reading[str]:
        """Add the text up to the next section to the content, and take the mark that opens the section.

        Return the mark, or an empty string if the text ends first. A mark that opens no section at its place is content.
        """
        source, marks = self._source, self._openers.marks
        searched = source.place
        while True:
            found = marks.find(source.text, searched)
            if found and (source.ended or not marks.may_grow(found)):
                if found.lastindex:
                    searched = found.end()
                    continue
                self._add_content_up_to(found.start())
                if self._may_open(self._openers.sections[found[0]]):
                    source.begin(found.start())
                    source.place = found.end()
                    return found[0]
                mark = found[0]  # if it is `~~~` within a line, the next `~` opens nothing either
                searched = found.end() - len(mark.lstrip(mark[0]))
                continue
            begun = None if source.ended else marks.beginning(source.text, searched)
            self._add_content_up_to(begun.start() if begun else len(source.text))
            if source.ended:
                return ""
            yield
            searched = source.place

    def _may_open(self, section: Section) -> bool:
        """Return whether `section` may be opened here, as its `at` says.

        "line" requires that there is only white space before it on the line, "start" that there was no content yet. A mark that ends thoughts,
        and "anywhere", require nothing.
        """
        if isinstance(section, EndOfThoughts) or section.at == "anywhere":
            return True
        return self._is_blank_line if section.at == "line" else self._content.is_blank

    def _add_content_up_to(self, end: int) -> None:
        """Take the text up to the position `end`, and add it to the content; do nothing if `end` was passed."""
        source = self._source
        if end > source.place:
            self._add_content(source.text[source.place : end])
            source.place = end

    def _add_content(self, text: str) -> None:
        """Add `text`, which was taken, to the content, and note whether its last line is blank.

        It is also kept in case a later mark shows that it was thoughts.
        """
        self._content.add(text)
        self._keep(text)
        if self._openers.has_lines:
            self._follow_line(text)

    def _keep(self, text: str) -> None:
        """Keep `text`, which is not thoughts, in case a later mark shows that it is.

        Do nothing if the dialect has no marks of thoughts.
        """
        if self._not_thoughts is not None:
            self._not_thoughts.append(text)

    def _follow_line(self, text: str) -> None:
        """Set `_is_blank_line` to whether the line at the end of `text`, which was taken, is blank so far."""
        if self._is_blank_line or "\n" in text:
            self._is_blank_line = not text.rpartition("\n")[2].strip()

    def _read_calls(self, section: Calls, mark: str) -> Reading[None]:
        """Read a section of calls after `mark`, and accept the calls, with the content after them.

        If its reader finds none and returns None, its text is content, and its repairs are dropped.
        """
        repairs = len(self._source.repairs)
        self._source.dropped.clear()
        calls = yield from section.read(self._source, mark)
        self._keep("".join([*self._source.dropped, self._source.since()]))
        if calls is None:
            del self._source.repairs[repairs:]
            self._content.add(self._source.since())
            self._follow_line(self._source.since())
        else:
            self._content.cut()
            self._accept(calls)
            self._is_blank_line = True

    def _accept(self, calls: Iterable[ToolCall]) -> None:
        """Add `calls` to the calls, and the text after them that their reader took (`left`) to the content."""
        self._new_calls += calls
        self._content.add(self._source.left)
        self._source.left = ""

    def _read_words(self, section: Words, opened: str) -> Reading[None]:
        """Read a section of words, which the mark `opened` has opened, up to and with the mark that closes it.

        The words are added to the content or the thoughts, or dropped, as the section says. A mark of `before` ends the section, but is not
        taken. A section without closing marks is its opening mark alone. If the text ends first, the section ends, too.
        """
        into = self._reasoning if section.kind == "reasoning" else self._content
        closes = closing_marks(section)
        if closes is None:
            return
        into.break_off()
        if not section.nests:
            yield from self._source.take(opened)  # models write it twice by mistake
        if section.kind == "nothing":
            _, mark = yield from self._source.until(closes)
            self._keep(self._source.since())
        else:
            depth, mark = 1, ""
            while depth:
                mark = yield from self._pass_on(closes, into)
                if not mark:
                    return
                if mark in section.before:
                    break
                depth += 1 if section.nests and mark in section.opens else -1
        if mark in section.before:
            self._source.place -= len(mark)

    def _pass_on(self, closes: TextMarks, into: TrimmedText) -> Reading[str]:
        """Take the text up to the first mark of `closes`, and that mark; add the text to `into` as it comes.

        Return the mark, or an empty string if the text ends first.
        """
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
            yield

    def _take_for_thoughts(self) -> None:
        """Move all text so far to the thoughts, and drop all calls and repairs so far.

        The thoughts were opened in the prompt, which is not part of this text, or closed too early. Do nothing if the dialect has no marks of
        thoughts.
        """
        if self._not_thoughts is None:
            return
        self._content.clear()
        self._reasoning.break_off()
        self._reasoning.add("".join(self._not_thoughts))
        self._not_thoughts = []
        self._calls.clear()
        self._new_calls.clear()
        self._source.repairs.clear()
        self._passed_repairs = 0


# --- Tools and results in a prompt ---

_MARKS: Final = re.compile(r"<[|｜/]?[\w:｜▁|]+(?:=|>|(?=\s))|\[/?[A-Z_]+\]").findall
"""Finds the tags and special tokens in the texts of a prompt."""


def json_text(value: Any) -> str:
    """Return `value` as JSON on one line, as prompts show it.

    A space follows commas and colons, and letters are not escaped.
    """
    return json.dumps(value, ensure_ascii=False)


def _escape(mark: str) -> str:
    """Return `mark` with its first character as an escape of JSON."""
    return f"\\u{ord(mark[0]):04x}{mark[1:]}"


def _add_space(mark: str) -> str:
    """Return `mark` with a space after its first character."""
    return f"{mark[0]} {mark[1:]}"
