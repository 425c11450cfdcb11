"""The `Model` protocol and its records: a model answers a conversation, and may call tools."""

from __future__ import annotations

import asyncio
import queue
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Generator, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, fields, replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast

from fcregistry.errors import CallCancelledError
from fcregistry.execution import background_loop
from fcregistry.formats import CUT_OFF, FinishReason, cut_off_calls, tools_of
from fcregistry.models._messages import Message, join_surrogates, map_texts, messages_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
    from types import TracebackType
    from typing import Self

    from fcregistry._base.call import CancellationToken
    from fcregistry._tools.tool import Tool
    from fcregistry.models._messages import MessageLike


T = TypeVar("T")

ToolOrDefinition: TypeAlias = "Tool | Mapping[str, Any]"
"""A tool, or its definition as a dict in the shape of a provider: a model needs no function."""

ToolChoice: TypeAlias = "Literal['auto', 'required', 'none'] | str"
"""Whether a model may call (`auto`), must (`required`) or must not (`none`), or the name of the one tool that it must call."""


class Model(ABC):
    """A model that can be asked. To add one, write `acomplete`; and `astream`, if it can stream.

    The `cancellation` of a request does not reach these two methods of a subclass: it cancels the task that awaits them.

    The sync methods accept a text, a message or a conversation, and pass the messages that `messages_of` returns to the async ones. They
    accept definitions of tools, too, and pass `Tool`s. The async methods of fcregistry's own models accept all of these themselves.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the model with its provider: `openai:gpt-5`."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, cancellable in (("acomplete", _cancellable_completion), ("astream", _cancellable_stream)):
            owner = next(each for each in cls.__mro__ if name in vars(each))
            if owner is cls or not issubclass(owner, Model):  # a mixin's method is not wrapped yet
                setattr(cls, name, cancellable(vars(owner)[name]))

    @abstractmethod
    async def acomplete(
        self,
        messages: Any,
        tools: Sequence[Any] = (),
        *,
        tool_choice: ToolChoice = "auto",
        cancellation: CancellationToken | None = None,
    ) -> Completion:
        """Like `complete`, on the running event loop; a subclass may take only `Message`s and `Tool`s."""
        # Any, so that such a class can narrow the types, and callers of the other models can pass what `complete` accepts

    async def astream(
        self,
        messages: Any,
        tools: Sequence[Any] = (),
        *,
        tool_choice: ToolChoice = "auto",
        cancellation: CancellationToken | None = None,
    ) -> AsyncIterator[Delta | Completion]:
        """Like `stream`, on the running event loop."""
        asked = self.acomplete(
            messages_of(messages), tools_of(tools), tool_choice=tool_choice, cancellation=cancellation
        )
        completion = checked_completion(await asked, self.name)
        for piece in pieces_of(completion):
            yield piece

    def complete(
        self,
        messages: MessageLike | Iterable[MessageLike],
        tools: Sequence[ToolOrDefinition] = (),
        *,
        tool_choice: ToolChoice = "auto",
        cancellation: CancellationToken | None = None,
    ) -> Completion:
        """Answer a question, a message or a conversation, and wait for it.

        Args:
            messages: A text of the user, a message, or a conversation.
            tools: The tools that may be called; or their definitions as dicts, in the shape of a provider.
            tool_choice: Whether the model may (`auto`), must (`required`) or must not (`none`) call, or the name of the tool that it must call.
            cancellation: A token. Cancelling it, from any thread, ends the request.

        Raises:
            ModelError: There is no answer: the provider refuses, or cannot be reached.
            CallCancelledError: The token was cancelled before the answer was there.
            MissingDependencyError: The provider's SDK is not installed.
            DefinitionError: A tool cannot be described to the provider.
            TypeError, ValueError: `messages` is not a conversation, or `tool_choice` is not the name of one of the tools.
        """
        given, offered = messages_of(messages), tools_of(tools)
        if cancellation is None:
            return self._complete_sync(given, offered, tool_choice)
        asked = partial(self.acomplete, given, offered, tool_choice=tool_choice, cancellation=cancellation)
        return cast("Completion", background_loop.run(asked))

    def _complete_sync(self, messages: Sequence[Message], tools: Sequence[Tool], tool_choice: ToolChoice) -> Completion:
        """Run `acomplete` on the background loop, wait for it, and return its completion."""
        return cast("Completion", background_loop.run(lambda: self.acomplete(messages, tools, tool_choice=tool_choice)))

    def stream(
        self,
        messages: MessageLike | Iterable[MessageLike],
        tools: Sequence[ToolOrDefinition] = (),
        *,
        tool_choice: ToolChoice = "auto",
        cancellation: CancellationToken | None = None,
    ) -> Generator[Delta | Completion, None, None]:
        """Answer piece by piece: yield any number of `Delta`, and the whole `Completion` last.

        Closing the generator ends the answer. A model that cannot answer in pieces yields one piece.

        Args:
            messages: A text of the user, a message, or a conversation.
            tools: The tools that may be called; or their definitions as dicts, in the shape of a provider.
            tool_choice: Whether the model may (`auto`), must (`required`) or must not (`none`) call, or the name of the tool that it must call.
            cancellation: A token. Cancelling it, from any thread, ends the request.

        Raises:
            ModelError: There is no answer, or it broke off.
            CallCancelledError: The token was cancelled before the end of the answer.
            MissingDependencyError: The provider's SDK is not installed.
            DefinitionError: A tool cannot be described to the provider.
            TypeError, ValueError: `messages` is not a conversation, or `tool_choice` is not the name of one of the tools.
        """
        given, offered = messages_of(messages), tools_of(tools)
        if cancellation is None:
            return self._stream_sync(given, offered, tool_choice)
        return stream_sync(lambda: self.astream(given, offered, tool_choice=tool_choice, cancellation=cancellation))

    def _stream_sync(
        self, messages: Sequence[Message], tools: Sequence[Tool], tool_choice: ToolChoice
    ) -> Generator[Delta | Completion, None, None]:
        """Return a generator that yields what `astream` yields, which runs on the background loop."""
        return stream_sync(lambda: self.astream(messages, tools, tool_choice=tool_choice))

    def with_answer_schema(self, schema: Mapping[str, Any]) -> Model:
        """Return a model like this one that writes only JSON of a schema where it answers without a call.

        Agents with an `answer_type` ask the model that this method returns. A model that cannot constrain its answers returns itself, which is
        the default: agents check each answer anyway.

        Args:
            schema: The JSON Schema of the answers.
        """
        return self

    def close(self) -> None:  # noqa: B027  # most models have nothing to close
        """Free what the model holds, such as connections or memory; the next request opens it again.

        A `with` block closes the model at its end.
        """

    async def aclose(self) -> None:
        """Like `close`, on the running event loop. An `async with` block does it at its end."""
        await asyncio.to_thread(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"<Model {self.name}>"


def offered_tools(tools: Sequence[ToolOrDefinition], tool_choice: ToolChoice) -> Sequence[Tool]:
    """Return the tools that may be called: none of them for `none`, one for a name.

    Args:
        tools: The tools of a request, or their definitions as dicts.
        tool_choice: The choice of the request.

    Raises:
        ValueError: The choice is not the name of one of them.
    """
    every = tools_of(tools)
    if tool_choice in ("auto", "required"):
        return every
    chosen = [tool for tool in every if tool.name == tool_choice]
    if not chosen and tool_choice != "none":
        names = ", ".join(tool.name for tool in every) or "none"
        raise ValueError(
            f"tool_choice is auto, required, none or the name of a tool, not {tool_choice!r}; the tools are {names}"
        )
    return chosen


def best_tools(tools: Sequence[ToolOrDefinition], words: str, limit: int) -> tuple[Tool, ...]:
    """Return the tools that match words best, best first, as the search of a registry ranks them; may be empty.

    Args:
        tools: The tools of a request, or their definitions as dicts.
        words: Any text, such as the question of the user.
        limit: How many tools at most.

    Raises:
        MissingDependencyError: This Python's SQLite was built without full-text search.
    """
    from fcregistry._tools.search import search_tools  # and SQLite, which only a search needs

    return search_tools(tools_of(tools), words, limit)


# --- Cancellation ---


def _cancellable_completion(method: Callable[..., Awaitable[Completion]]) -> Callable[..., Awaitable[Completion]]:
    """Return the `acomplete` of a class in a form that takes `cancellation`, and does not pass it on."""

    @wraps(method)
    async def acomplete(
        self: Model, *args: Any, cancellation: CancellationToken | None = None, **options: Any
    ) -> Completion:
        """Return the completion of `method`; raise `CallCancelledError` if the token is cancelled before."""
        with nullcontext() if cancellation is None else _cancelled_by(cancellation):
            return await method(self, *args, **options)

    return acomplete


def _cancellable_stream(method: Callable[..., AsyncIterator[Any]]) -> Callable[..., AsyncIterator[Any]]:
    """Return the `astream` of a class in a form that takes `cancellation`, and does not pass it on."""

    @wraps(method)
    def astream(
        self: Model, *args: Any, cancellation: CancellationToken | None = None, **options: Any
    ) -> AsyncIterator[Any]:
        """Return the iterator of `method`, in a form that ends when the token is cancelled if there is one."""
        ask = partial(method, self, *args, **options)
        return ask() if cancellation is None else _stream_unless_cancelled(ask, cancellation)

    return astream


async def _stream_unless_cancelled(ask: Callable[[], AsyncIterator[T]], token: CancellationToken) -> AsyncGenerator[T]:
    """Yield the pieces of `ask`; raise `CallCancelledError` if `token` is cancelled before or while one is awaited."""
    end = object()
    async with aclosing(cast("AsyncGenerator[Any]", ask())) as pieces:
        while True:
            with _cancelled_by(token):
                piece: Any = await anext(pieces, end)
            if piece is end:
                return
            yield piece


@contextmanager
def _cancelled_by(token: CancellationToken) -> Iterator[None]:
    """Cancel the running task when `token` is cancelled, and raise `CallCancelledError` in place of its cancellation.

    It raises that error too if the model catches the cancellation. As in `asyncio.timeout`, a cancellation by the task's own caller passes
    through.
    """
    token.check()
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    requests, cancelled, is_over = task.cancelling(), False, False

    def cancel() -> None:
        """Cancel the task, on the thread of its loop, unless the work is over."""
        nonlocal cancelled
        if not is_over:
            cancelled = True
            task.cancel()

    def cancel_soon() -> None:
        """Let the loop call `cancel`, unless it is closed."""
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(cancel)

    def end() -> bool:
        """Take the cancellation of the task back; return whether there was one, and none by its caller."""
        nonlocal is_over
        is_over = True
        remove()
        return cancelled and task.uncancel() <= requests

    remove = token.on_cancel(cancel_soon)
    try:
        yield
    except BaseException as error:  # whatever it is, the cancellation is taken back
        if end() and isinstance(error, (Exception, asyncio.CancelledError)):
            raise CallCancelledError(token.reason) from None
        raise
    if end():
        raise CallCancelledError(token.reason)


# --- Answers ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """How many tokens a model read and wrote; 0 if the provider does not say. Usages can be added.

    Attributes:
        input_tokens: Tokens of the request, those read from a cache included.
        output_tokens: Tokens of the answer, those of its thinking included.
        cached_tokens: Those of the input that were read from a cache.
        reasoning_tokens: Those of the output that were thinking.
        requests: The number of answers.
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
        return Usage(**{each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(self)})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallDelta:
    """A piece of a tool call, as it is written.

    Attributes:
        index: The index of the call in the answer, from 0.
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

    If the finish reason is `length` or `content_filter`, no executor runs the last call of the message, nor an earlier one that has no arguments
    yet: they may be cut off.

    Attributes:
        message: The message, of the role `assistant`.
        finish_reason: Why the model stopped.
        usage: The tokens of the request and the answer.
        model: The provider's name of the model that answered.
        details: More from the provider: its own word for the finish reason, the id of the answer.
    """

    message: Message
    finish_reason: FinishReason = "stop"
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Replace halves of surrogate pairs in the fields, and prevent calls that are cut off from running.

        The message has replaced those in its own fields.
        """
        object.__setattr__(self, "model", map_texts(join_surrogates, self.model))
        object.__setattr__(self, "details", map_texts(join_surrogates, self.details))
        if self.finish_reason in CUT_OFF and isinstance(self.message, Message):
            calls = cut_off_calls(self.message.tool_calls, self.finish_reason)
            if calls is not self.message.tool_calls:
                object.__setattr__(self, "message", self.message.replaced(tool_calls=calls))


def checked_completion(value: object, model: str) -> Completion:
    """Return the completion of a model, whose class may be from another package.

    Args:
        value: The value that the model returned.
        model: The name of the model.

    Raises:
        TypeError: The value is not a `Completion` with a `Message`.
    """
    if not isinstance(value, Completion):
        raise TypeError(f"{model} returned {type(value).__name__}, not a Completion")
    if not isinstance(value.message, Message):
        raise TypeError(f"{model} returned a Completion whose message is {type(value.message).__name__}, not a Message")
    return value


def pieces_of(completion: Completion) -> Iterator[Delta | Completion]:
    """Yield `completion` as a stream: a piece with its text and reasoning, and the completion.

    Without text and reasoning, there is no such piece.
    """
    message = completion.message
    if message.text or message.reasoning:
        yield Delta(content=message.text, reasoning=message.reasoning or "")
    yield completion


class SurrogateJoiner:
    """Joins the halves of surrogate pairs that the pieces of an answer have cut in two."""

    def __init__(self) -> None:
        self._halves: dict[object, str] = {}  # the last half of each text, which is held back: it may begin a pair

    def add(self, delta: Delta) -> Delta | None:
        """Take the next piece of an answer, and return it with whole characters.

        Return None if all of it is held back.
        """
        calls = tuple(
            replace(
                each, name=each.name and join_surrogates(each.name), arguments=self.text(each.index, each.arguments)
            )
            for each in delta.tool_calls
        )
        content, reasoning = self.text("content", delta.content), self.text("reasoning", delta.reasoning)
        return (
            replace(delta, content=content, reasoning=reasoning, tool_calls=calls)
            if content or reasoning or calls
            else None
        )

    def rest(self) -> Delta | None:
        """Return the text and the reasoning that were held back, or None if nothing was.

        Both have ended.
        """
        content, reasoning = self.end("content"), self.end("reasoning")
        return Delta(content=content, reasoning=reasoning) if content or reasoning else None

    def text(self, which: object, piece: str) -> str:
        """Take the next piece of the text `which`, and return it with whole characters.

        Half of a pair at its end is held back.
        """
        if piece.isascii() and not self._halves:
            return piece
        text = self._halves.pop(which, "") + piece
        if "\ud800" <= text[-1:] <= "\udbff":
            self._halves[which] = text[-1]
            text = text[:-1]
        return join_surrogates(text)

    def end(self, which: object) -> str:
        """Return what was held back of the text `which`, which has ended; empty if nothing was held back."""
        return join_surrogates(self._halves.pop(which, ""))


# --- Sync callers of async models, on the background loop ---


def stream_sync(make: Callable[[], AsyncIterator[T]]) -> Generator[T, None, None]:
    """Yield what an asynchronous iterator yields; closing the generator cancels the iterator.

    The whole iteration is one task, since the clients of providers cannot be continued in another task.

    Args:
        make: Returns the iterator.
    """
    pieces_made: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()

    async def pump() -> None:
        """Put `(True, piece)` into the queue for each piece of the iterator, and close the iterator."""
        async with aclosing(cast("Any", make())) as pieces:
            async for piece in pieces:
                pieces_made.put((True, piece))
                await asyncio.sleep(0)  # an iterator that never waits would hold the loop, and could not be stopped

    pumping = background_loop.submit(pump)
    pumping.add_done_callback(lambda _: pieces_made.put((False, None)))
    try:
        while (made := pieces_made.get())[0]:
            yield made[1]
        pumping.result()
    finally:
        pumping.cancel()
