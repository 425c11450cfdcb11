"""What does a model's text say? Words for people, thoughts, and calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall


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


class _Words(Parsed):
    """Words alone: made for most pieces of a text, and so without the steps of making one that says more."""

    __slots__ = ()
    __init__ = object.__init__
    _content: str
    _reasoning = ""
    _tool_calls = ()
    _repairs = ()


def of_words(words: str) -> Parsed:
    """Return what says these words and nothing else."""
    said: Parsed = _Words()
    said._content = words
    return said


NOTHING: Final = Parsed()
"""What a piece of text says that ends in the middle of something."""
