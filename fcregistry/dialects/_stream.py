"""What does a text say that comes piece by piece? One pass over it, whatever it is cut into: a whole text is one piece."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry.dialects._json_text import Shapes
from fcregistry.dialects._parsed import NOTHING, Calls, EndOfThoughts, Parsed, Trimmed, closing, of_words
from fcregistry.dialects._source import EVERY, Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry._base.call import ToolCall
    from fcregistry.dialects._dialect import Dialect
    from fcregistry.dialects._json_text import ToolShape
    from fcregistry.dialects._parsed import Section, Words
    from fcregistry.dialects._source import Marks, Reading


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
        self._source = Source(Shapes(tools))
        self._waiting = self._source.waiting
        self._content = Trimmed()
        self._reasoning = Trimmed()
        self._calls: list[ToolCall] = []
        self._new_calls: list[ToolCall] = []
        self._told_repairs = 0
        self._fed: list[str] | None = (
            [] if dialect.thinks else None
        )  # all text but thoughts, as it may turn out to be thoughts, too
        self._plain: Trimmed | None = None  # where text goes that changes nothing, if it is words
        self._is_blank_line = True
        self._parsed: Parsed | None = None
        self._course = self._read()
        self._wake = EVERY
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
                return of_words(new) if new else NOTHING
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
        self._wake = next(self._course, EVERY)

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
        closes = closing(section)
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

    def _pour_nested(self, section: Words, closes: Marks) -> Reading[str]:
        """Take thoughts in which others were opened, up to behind the end of those; return what comes next, as `_pour` does."""
        depth = 1
        while depth:
            mark = yield from self._pour(closes, self._reasoning)
            if not mark:
                return ""
            depth += 1 if mark in section.opens else -1
        return (yield from self._pour(closes, self._reasoning))

    def _pour(self, closes: Marks, into: Trimmed) -> Reading[str]:
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
