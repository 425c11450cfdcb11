"""What is a dialect? How the models of a family write tool calls in their text, and how they are told of tools there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from fcregistry.dialects._sections import Calls, EndOfThoughts, Openers, Words
from fcregistry.dialects._stream import DialectStream

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._tools.tool import Tool
    from fcregistry.dialects._parsed import Parsed
    from fcregistry.dialects._prompt import Prompt
    from fcregistry.dialects._sections import CallWriter
    from fcregistry.dialects._shapes import ToolShape


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
