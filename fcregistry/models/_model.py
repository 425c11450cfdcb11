"""Which tools may a model call? What a choice leaves of them, for a model that can only be shown tools.

MERGED: What is a model? Something that answers a conversation, at once or piece by piece, and may ask for tools.
MERGED: What does a model answer? A message, why it stopped there, and what it took; or pieces of these as they come.
MERGED: How does plain code ask a model, which answers in coroutines? On the process's background loop, in a copy of the caller's context.
"""

from __future__ import annotations

import asyncio
import queue
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Generator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast

from fcregistry.execution._event_loop import background_loop
from fcregistry.models._messages import Message
from fcregistry.models._surrogates import in_texts, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable

    from fcregistry._tools.tool import Tool
    from fcregistry.models._messages import MessageLike

# --- models._offered ---


def offered(tools: Sequence[Tool], tool_choice: ToolChoice) -> Sequence[Tool]:
    """Return the tools that may be called: none of them for `none`, one for a name.

    Raises:
        ValueError: The choice is the name of none of them.
    """
    if tool_choice in ("auto", "required"):
        return tools
    chosen = [tool for tool in tools if tool.name == tool_choice]
    if not chosen and tool_choice != "none":
        names = ", ".join(tool.name for tool in tools) or "none"
        raise ValueError(
            f"tool_choice is auto, required, none or the name of a tool, not {tool_choice!r}; the tools are {names}"
        )
    return chosen


# --- models._model ---

ToolChoice: TypeAlias = "Literal['auto', 'required', 'none'] | str"
"""Whether a model may call (`auto`), must (`required`) or must not (`none`), or the name of the one tool that it must call."""


class Model(ABC):
    """A model that can be asked. To add one, write `acomplete`; and `astream`, if it can say its answer piece by piece.

    Every way of asking raises `errors.ModelError` where no answer is to be had: the provider refuses, or cannot be reached.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """What the model is called, with its provider: `openai:gpt-5`."""

    @abstractmethod
    async def acomplete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> Completion:
        """Answer a conversation.

        Args:
            messages: The conversation, as `messages_of` gives it.
            tools: What may be called.
            tool_choice: Whether it may, must or must not call, or the name of the tool that it must.

        Raises:
            ModelError: There is no answer to be had.
        """

    async def astream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> AsyncIterator[Delta | Completion]:
        """Answer a conversation piece by piece: any number of `Delta`, and the whole `Completion` last.

        The arguments and errors are those of `acomplete`. A model that cannot say its answer in pieces says it in one.
        """
        completion = checked_completion(await self.acomplete(messages, tools, tool_choice=tool_choice), self.name)
        message = completion.message
        if message.text or message.reasoning:
            yield Delta(content=message.text, reasoning=message.reasoning or "")
        yield completion

    def complete(
        self,
        messages: MessageLike | Iterable[MessageLike],
        tools: Sequence[Tool] = (),
        *,
        tool_choice: ToolChoice = "auto",
    ) -> Completion:
        """Answer a question, a message or a conversation, and wait for it.

        Args:
            messages: A text of the user, a message, or a conversation.
            tools: As for `acomplete`.
            tool_choice: As for `acomplete`.

        Raises:
            ModelError: There is no answer to be had.
            TypeError, ValueError: As for `Message.of`.
        """
        from fcregistry.models._messages import messages_of  # a subclass that only completes has it already

        conversation = messages_of(messages)
        return run_sync(lambda: self.acomplete(conversation, tools, tool_choice=tool_choice))

    def stream(
        self,
        messages: MessageLike | Iterable[MessageLike],
        tools: Sequence[Tool] = (),
        *,
        tool_choice: ToolChoice = "auto",
    ) -> Generator[Delta | Completion, None, None]:
        """Answer piece by piece, as `astream` does, to plain code; closing the iterator ends the answer.

        The arguments and errors are those of `complete`.
        """
        from fcregistry.models._messages import messages_of  # as above

        conversation = messages_of(messages)
        return stream_sync(lambda: self.astream(conversation, tools, tool_choice=tool_choice))

    def __repr__(self) -> str:
        return f"<Model {self.name}>"


# --- models._completion ---

FinishReason: TypeAlias = Literal["stop", "tool_calls", "length", "content_filter", "other"]
"""Why a model stopped: it was done; it called; the limit of tokens; a filter of the provider; something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """How many tokens a model read and wrote; nothing where the provider does not say. Usages can be added.

    Attributes:
        input_tokens: Tokens of the request, those read from a cache included.
        output_tokens: Tokens of the answer, those of its thinking included.
        cached_tokens: Those of the input that were read from a cache.
        reasoning_tokens: Those of the output that were thinking.
        requests: How many answers these are of.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    requests: int = 0

    @property
    def total_tokens(self) -> int:
        """Tokens of input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            requests=self.requests + other.requests,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallDelta:
    """A piece of a tool call, as it is written.

    Attributes:
        index: Which call of the answer it is, from 0.
        id: The call's id, once it is known.
        name: The tool's name, once it is known.
        arguments: The next piece of the text of its arguments.
    """

    index: int
    id: str | None = None
    name: str | None = None
    arguments: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """The next piece of an answer.

    Attributes:
        content: More of its text.
        reasoning: More of its thinking.
        tool_calls: Pieces of its calls. They are for showing only: run what the `Completion` at the end has.
    """

    content: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCallDelta, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A model's whole answer.

    Attributes:
        message: What it said, of the role `assistant`.
        finish_reason: Why it stopped.
        usage: What it took.
        model: What the provider calls the model that answered.
        details: What else the provider says: its own word for why it stopped, the id of the answer.
    """

    message: Message
    finish_reason: FinishReason = "stop"
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Keep halves of characters out of what is said beside the message, as that keeps them out of itself."""
        object.__setattr__(self, "model", in_texts(joined, self.model))
        object.__setattr__(self, "details", in_texts(joined, self.details))


def checked_completion(value: object, model: str) -> Completion:
    """Return the completion that a model gave, whose class may be anybody's.

    Args:
        value: What it gave.
        model: What it is called.

    Raises:
        TypeError: That is no `Completion` with a `Message`.
    """
    if not isinstance(value, Completion):
        raise TypeError(f"{model} gave {type(value).__name__} where a Completion is due")
    if not isinstance(value.message, Message):
        raise TypeError(f"{model} gave a Completion whose message is no Message but {type(value.message).__name__}")
    return value


class WholeDeltas:
    """Joins the halves of characters that the pieces of an answer have cut in two."""

    def __init__(self) -> None:
        self._halves: dict[object, str] = {}  # the last half of each text, which is held back: it may begin a pair

    def add(self, delta: Delta) -> Delta | None:
        """Take the next piece, and return it with whole characters; None where nothing of it can be told yet."""
        calls = tuple(
            replace(each, name=each.name and joined(each.name), arguments=self.text(each.index, each.arguments))
            for each in delta.tool_calls
        )
        content, reasoning = self.text("content", delta.content), self.text("reasoning", delta.reasoning)
        return (
            replace(delta, content=content, reasoning=reasoning, tool_calls=calls)
            if content or reasoning or calls
            else None
        )

    def rest(self) -> Delta | None:
        """Return what was held back of the text and the thoughts, once they have ended; None where nothing was."""
        content, reasoning = self.end("content"), self.end("reasoning")
        return Delta(content=content, reasoning=reasoning) if content or reasoning else None

    def text(self, which: object, piece: str) -> str:
        """Take the next piece of one of the texts, and return what is certain of it."""
        if piece.isascii() and not self._halves:
            return piece
        text = self._halves.pop(which, "") + piece
        if "\ud800" <= text[-1:] <= "\udbff":
            self._halves[which] = text[-1]
            text = text[:-1]
        return joined(text)

    def end(self, which: object) -> str:
        """Return what was held back of one of the texts, once it has ended."""
        return joined(self._halves.pop(which, ""))


# --- models._plainly ---

T = TypeVar("T")


def run_sync(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine, and wait for what it returns; an interrupt while waiting cancels it.

    Args:
        make: Makes the coroutine.
    """
    return cast("T", background_loop.run(make))


def stream_sync(make: Callable[[], AsyncIterator[T]]) -> Generator[T, None, None]:
    """Yield what an asynchronous iterator yields; whoever stops listening cancels it.

    One task carries the whole iteration, since clients of providers do not bear to be taken up by another.

    Args:
        make: Makes the iterator.
    """
    said: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()

    async def pump() -> None:
        async with aclosing(cast("Any", make())) as pieces:
            async for piece in pieces:
                said.put((True, piece))
                await asyncio.sleep(0)  # an iterator that never waits would hold the loop, and could not be stopped

    pumping = background_loop.submit(pump)
    pumping.add_done_callback(lambda _: said.put((False, None)))
    try:
        while (told := said.get())[0]:
            yield told[1]
        pumping.result()
    finally:
        pumping.cancel()
