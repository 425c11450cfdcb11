"""What is a dialect? How the models of a family write tool calls in their text, and how they are told of tools there.

MERGED: How are the models of a family told of tools, and of results? As data: what stands before, between and after them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from fcregistry import formats
from fcregistry.dialects._parsed import Calls, EndOfThoughts, Openers, Words
from fcregistry.dialects._stream import DialectStream

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._tools.tool import Tool
    from fcregistry.dialects._json_text import ToolShape
    from fcregistry.dialects._parsed import CallWriter, Parsed

# --- dialects._dialect ---

_SHORT: Final = 3
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
        return (Words(opens=(opens,), closes=(closes,), kind="reasoning", nests=True), EndOfThoughts(opens=(closes,)))

    def _guarded(self) -> tuple[str, ...]:
        """Return what strangers must not write in what is told: a brace or a bracket alone they may."""
        return (*self.prompt.marks, *(mark for mark in self.openers.marks.texts if len(mark) > _SHORT))

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

Told: TypeAlias = "Literal['openai', 'function'] | Callable[[Tool], str]"
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
    each: Told = "openai"
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
        return self.result(name, _broken(content, marks, _spaced), id)

    def _told(self, tool: Tool, marks: tuple[str, ...]) -> str:
        if self.each in ("openai", "function"):
            definition = formats.get("openai").describe_one(tool)
            return _broken(json_text(definition if self.each == "openai" else _function(definition)), marks, _escaped)
        assert callable(self.each)
        return _broken(self.each(tool), marks, _spaced)


def _function(definition: Any) -> Any:
    return definition["function"]


def typescript(tool: Tool) -> str:
    """Tell of a tool as a type of TypeScript."""
    return str(formats.get("typescript").describe_one(tool))


def json_text(value: Any) -> str:
    """Return a value as JSON on one line, as models are shown it: with a space after commas and colons, and letters as they are."""
    return json.dumps(value, ensure_ascii=False)


def _broken(text: str, marks: tuple[str, ...], new: Callable[[str], str]) -> str:
    for mark in marks:
        if mark in text:
            text = text.replace(mark, new(mark[0]) + mark[1:])
    return text


def _escaped(character: str) -> str:
    return f"\\u{ord(character):04x}"


def _spaced(character: str) -> str:
    return f"{character} "
