"""How are the models of a family told of tools, and of results? As data: what stands before, between and after them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fcregistry import formats

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool

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
