"""Functions as models: `CallableModel`, calling a function, and reading what it returns or yields.

A plain function runs on the caller's thread. If the caller is a coroutine, the function runs on another thread, so that it does not block the
event loop. An async function runs on the event loop. The function returns its whole answer, or an iterator of pieces, plain or async, which is
closed when the caller stops. It may return messages in the shape of any provider.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar, cast

from fcregistry._base.source import callback_problem, signature_of
from fcregistry._results.content import Content
from fcregistry.errors import ModelError
from fcregistry.execution import NoThreadError, blocking_threads, running_loop
from fcregistry.formats import finish_reason, finish_reason_in, has_field, read_calls, read_field, tools_of
from fcregistry.models._messages import Message, call_of, chat_message, copied_json, messages_of, part_of, text_of
from fcregistry.models._model import (
    Completion,
    Delta,
    Model,
    SurrogateJoiner,
    Usage,
    offered_tools,
    pieces_of,
    stream_sync,
)
from fcregistry.models._streamed_calls import StreamedCalls

if TYPE_CHECKING:
    from concurrent.futures import Future

    from fcregistry._base.call import CancellationToken
    from fcregistry._tools.tool import Tool
    from fcregistry.formats import FinishReason
    from fcregistry.models._messages import MessageLike
    from fcregistry.models._model import ToolChoice, ToolOrDefinition


T = TypeVar("T")
_END: Final = object()


class AnswerReader(Protocol):
    """Reads what a function returned or yielded as the answer of a model."""

    def read(self, answer: object) -> Completion:
        """Return the completion of a whole answer."""

    def add(self, piece: object) -> Delta | None:
        """Take the next piece of an answer, and return what to yield for it."""

    def finish(self) -> Iterable[Delta | Completion]:
        """Return what to yield after the last piece; the completion is the last of it."""


class FunctionRequest(NamedTuple):
    """A function bound to its arguments, and the reader of its answer."""

    call: Callable[[], Any]
    reader: AnswerReader


class FunctionModel(Model):
    """A model that is a function.

    Exceptions of the function are not caught. `TypeError` is raised if it does not return an answer. `complete` and `stream` run a plain function
    on the caller's thread.

    Args:
        function: Plain or async.
        name: The name of the model; by default, `callable:` and the function's name.
    """

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        self._function = function
        self._name = name or f"callable:{_name_of(function)}"
        self._is_async = _is_async(function)

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._name

    @abstractmethod
    def _request(self, messages: Sequence[Message], tools: Sequence[Tool], tool_choice: ToolChoice) -> FunctionRequest:
        """Return a `FunctionRequest`: the function bound to its arguments, and the reader of its answer."""

    async def acomplete(
        self,
        messages: MessageLike | Iterable[MessageLike],
        tools: Sequence[ToolOrDefinition] = (),
        *,
        tool_choice: ToolChoice = "auto",
        cancellation: CancellationToken | None = None,  # `Model` ends the request
    ) -> Completion:
        """Like `complete`, on the running event loop. A plain function runs on one of fcregistry's threads."""
        async with aclosing(self.astream(messages, tools, tool_choice=tool_choice)) as pieces:
            return cast("Completion", [piece async for piece in pieces][-1])  # a reader ends with it

    async def astream(
        self,
        messages: MessageLike | Iterable[MessageLike],
        tools: Sequence[ToolOrDefinition] = (),
        *,
        tool_choice: ToolChoice = "auto",
        cancellation: CancellationToken | None = None,  # `Model` ends the request
    ) -> AsyncGenerator[Delta | Completion]:
        """Like `stream`, on the running event loop. A plain function runs on fcregistry's threads."""
        request = self._request(messages_of(messages), tools_of(tools), tool_choice)
        answer = request.call() if self._is_async else await _wait_for(_on_thread(request.call))
        async with aclosing(_astream_answer(answer, request.reader)) as pieces:
            async for piece in pieces:
                yield piece

    def _complete_sync(self, messages: Sequence[Message], tools: Sequence[Tool], tool_choice: ToolChoice) -> Completion:
        """Return the completion at the end of the function's answer.

        A plain function runs on this thread, an async one on the background loop.
        """
        *_, last = self._stream_sync(messages, tools, tool_choice)
        return cast("Completion", last)

    def _stream_sync(
        self, messages: Sequence[Message], tools: Sequence[Tool], tool_choice: ToolChoice
    ) -> Generator[Delta | Completion, None, None]:
        """Return a generator of the pieces of the function's answer, and of its completion last.

        A plain function runs on this thread, an async one on the background loop.
        """
        request = self._request(messages, tools, tool_choice)
        if self._is_async:
            return stream_sync(lambda: _astream_answer(request.call(), request.reader))
        return _stream_answer(request)


def _stream_answer(request: FunctionRequest) -> Generator[Delta | Completion, None, None]:
    """Call the function of `request` on this thread; yield pieces of its answer, and its completion last.

    An answer that is awaitable or an async iterator is read on the background loop. A plain iterator is closed at the end.
    """
    answer = request.call()
    if inspect.isawaitable(answer) or isinstance(answer, AsyncIterator):
        yield from stream_sync(lambda: _astream_answer(answer, request.reader))
    elif isinstance(answer, Iterator):
        try:
            for piece in answer:
                if (delta := request.reader.add(piece)) is not None:
                    yield delta
        finally:
            _close(answer)
        yield from request.reader.finish()
    else:
        yield from pieces_of(request.reader.read(answer))


async def _astream_answer(answer: Any, reader: AnswerReader) -> AsyncGenerator[Delta | Completion, None]:
    """Yield the pieces of `answer`, which a function returned, and then its completion.

    An awaitable is awaited first. An iterator, plain or async, is read piece by piece by `reader`; any other answer is read as a whole.
    """
    if inspect.isawaitable(answer):
        answer = await answer
    if not isinstance(answer, (Iterator, AsyncIterator)):
        for piece in pieces_of(reader.read(answer)):
            yield piece
        return
    async with aclosing(_iterate(answer)) as pieces:
        async for piece in pieces:
            if (delta := reader.add(piece)) is not None:
                yield delta
    for last in reader.finish():
        yield last


async def _iterate(answer: Iterator[T] | AsyncIterator[T]) -> AsyncGenerator[T, None]:
    """Yield the items of `answer`, and close it at the end.

    A plain iterator runs, and is closed, on fcregistry's threads. Raise `ModelError` if no thread is free.
    """
    if isinstance(answer, AsyncIterator):
        from asyncio import sleep  # a loop is running, so asyncio is loaded

        try:
            async for piece in answer:
                yield piece
                await sleep(0)  # an iterator that never waits could not be stopped
        finally:
            if hasattr(answer, "aclose"):
                await answer.aclose()
        return
    made: Future[Any] | None = None
    try:
        while True:
            made = _on_thread(lambda: next(answer, _END))
            each = await _wait_for(made)
            if each is _END:
                return
            yield each
    finally:
        if made is not None:  # a generator that is running cannot be closed before it yields
            made.add_done_callback(lambda _: _close(answer))


def _on_thread(function: Callable[[], Any]) -> Future[Any]:
    """Start `function` on one of fcregistry's threads, and return its future.

    Raise `ModelError` if no thread is free, and `RuntimeError` if no event loop of asyncio is running.
    """
    running_loop()  # raises on another library's loop, with what to do
    try:
        return blocking_threads.submit(lambda: _call_guarded(function))
    except NoThreadError as error:
        raise ModelError(f"the model has no thread to run on: {error}", retryable=True) from error


def _call_guarded(function: Callable[[], Any]) -> Any:
    """Return what `function` returns, or raise what it raises; `StopIteration` becomes `RuntimeError`."""
    try:
        return function()
    except StopIteration as error:  # no future can carry it
        raise RuntimeError("the model raised StopIteration") from error


async def _wait_for(future: Future[Any]) -> Any:
    """Wait for `future`, of a function on a thread, and return its result, or raise its exception.

    If the wait is cancelled, the thread is abandoned: the function may run on, and its result is ignored.
    """
    from asyncio import wrap_future  # a loop is running, so asyncio is loaded

    try:
        return await wrap_future(future)
    finally:
        blocking_threads.abandon(future)


def _close(answer: object) -> None:
    """Call the method `close` of `answer`, such as a generator; do nothing if it has none."""
    close = getattr(answer, "close", None)
    if callable(close):
        close()


def _is_async(function: Callable[..., Any]) -> bool:
    """Return whether `function` or its `__call__` is a coroutine function or an async generator function."""
    call = getattr(type(function), "__call__", None)  # noqa: B004  # it is known to be callable
    return any(inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each) for each in (function, call))


def _name_of(function: Callable[..., Any]) -> str:
    """Return the `__name__` of `function`, or of the function in a partial, or else the name of its class."""
    inner = getattr(function, "func", function)  # of a partial
    return str(getattr(inner, "__name__", None) or type(inner).__name__)


def parameters_of(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Return the parameters of `function` by name; an empty dict if its signature is not known."""
    try:
        return dict(signature_of(function).parameters)
    except (TypeError, ValueError):  # a callable written in C: it gets only the messages
        return {}


# --- CallableModel ---


class CallableModel(FunctionModel):
    """A function as a model.

    The function is given the messages as a list of dicts in the shape of OpenAI's chat, which it may change. A message that it returned as such a
    dict comes back as it was written, with its other fields.

    It returns a text, or a message in the shape of any provider, as a dict or an SDK object; or a `Completion`. Or it yields its answer: texts,
    or `Delta`, and optionally a `Completion` last. It may be async. A plain function runs on the caller's thread; if the caller is a
    coroutine, on another thread, so that it does not block the event loop.

    Args:
        function: The function. If it has a parameter `tools`, or `**` parameters, it receives the tools' definitions in OpenAI's shape by that
            name. If it has a parameter `tool_choice`, it receives the choice as OpenAI writes it; if it has `**` parameters, only a choice
            other than `auto`. If it has no such parameter, it receives only the tools that the choice allows: none for `none`, one for the
            name of a tool.
        name: The name of the model; by default, `callable:` and the function's name.

    Raises:
        TypeError: It cannot be called.
    """

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        if not callable(function):
            raise TypeError(f"llm is a callable from messages to a message or text, not {function!r}")
        super().__init__(function, name)
        parameters = parameters_of(function)
        self._takes_any = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
        self._takes_tools = "tools" in parameters or self._takes_any
        self._takes_choice = "tool_choice" in parameters
        named = {"tools": self._takes_tools, "tool_choice": self._takes_choice}
        if problem := callback_problem(function, "messages", named=[name for name, takes in named.items() if takes]):
            raise TypeError(f"the function of the model {self.name} {problem}")

    def _request(self, messages: Sequence[Message], tools: Sequence[Tool], tool_choice: ToolChoice) -> FunctionRequest:
        """Return a `FunctionRequest`: the function bound to `messages` as dicts, and the reader of its answer."""
        written = [self._message_for_function(message) for message in messages]
        options = self._options(tools, tool_choice)
        return FunctionRequest(lambda: self._function(written, **options), _Reader(self.name, tools))

    def _message_for_function(self, message: Message) -> dict[str, Any]:
        """Return a new dict of `message` for the function.

        It is the dict that the function itself returned for the message, if it did, or else has the fields of OpenAI's chat.
        """
        own = message.native.get(self._name) if message.native else None
        return chat_message(message) if own is None else dict(copied_json(own))

    def _options(self, tools: Sequence[Tool], tool_choice: ToolChoice) -> dict[str, Any]:
        """Return the keyword arguments for the function: `tools` and `tool_choice`, in OpenAI's shape.

        Each is left out if the function has no parameter for it; with only `**` parameters, a choice of `auto` is left out, too. A function
        that does not get the choice gets only the tools that the choice allows; then a choice that is neither known nor the name
        of a tool raises `ValueError`.
        """
        options: dict[str, Any] = {}
        says_choice = self._takes_choice or (self._takes_any and tool_choice != "auto")
        if self._takes_tools:
            from fcregistry.formats import get  # with the renderer of schemas, which not every function needs

            options["tools"] = get("openai").describe(tools if says_choice else offered_tools(tools, tool_choice))
        if says_choice:
            is_name = tool_choice not in ("auto", "required", "none")
            options["tool_choice"] = {"type": "function", "function": {"name": tool_choice}} if is_name else tool_choice
        return options


class _Reader:
    """Reads the answers of a function: texts, messages and pieces."""

    def __init__(self, name: str, tools: Sequence[Tool]) -> None:
        self._name = name
        self._tools = tools
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._calls: StreamedCalls | None = None
        self._completion: Completion | None = None
        self._joiner = SurrogateJoiner()

    def read(self, answer: object) -> Completion:
        """Return the completion of `answer`; a dict is kept in `native`, for the function's next request."""
        completion = completion_of(answer, self._name)
        if isinstance(answer, Mapping) and _is_openai(answer):
            message = completion.message
            own = {"role": "assistant", "content": None, **deepcopy(dict(answer))}
            if {name: value for name, value in own.items() if value or name == "content"} != message.to_dict():
                completion = replace(completion, message=message.replaced(native={self._name: own}))
        return completion

    def add(self, piece: object) -> Delta | None:
        """Take a text, a `Delta`, or the completion, and return the piece to yield, or None if there is none.

        Raises:
            TypeError: `piece` is none of these.
        """
        if isinstance(piece, Completion):
            self._completion = piece
            return None
        if not isinstance(piece, (str, Delta)):
            raise TypeError(f"the model yielded a {type(piece).__name__}; a piece of an answer is a text or a Delta")
        delta = Delta(content=piece) if isinstance(piece, str) else piece
        self._texts.append(delta.content)
        self._thoughts.append(delta.reasoning)
        if delta.tool_calls:
            self._calls = self._calls or StreamedCalls(self._tools)
            self._calls.add_delta(delta)
        return self._joiner.add(delta)

    def finish(self) -> Iterable[Delta | Completion]:
        """Return what was held back, and the completion: the function's own, or that of all pieces."""
        rest = self._joiner.rest()
        return (*([rest] if rest is not None else []), self._completion or self._completed())

    def _completed(self) -> Completion:
        """Return the completion of all pieces so far: their text, thinking and calls.

        Raise `ValueError` if it is not certain to which call a piece belongs.
        """
        calls = self._calls.calls() if self._calls else ()
        text = "".join(self._texts)
        message = Message(
            role="assistant",
            content=text or (None if calls else ""),
            tool_calls=calls,
            reasoning="".join(self._thoughts) or None,
        )
        return completed(message, self._name)


def _is_openai(answer: Mapping[str, Any]) -> bool:
    """Return whether `answer` is a message of the assistant in the shape of OpenAI's chat.

    A missing role counts as `assistant`. There must be a field `content` or a call; the content must be text or None, and each call an
    object whose field `function` is an object.
    """
    if answer.get("role", "assistant") != "assistant" or not isinstance(answer.get("content"), str | None):
        return False
    calls = answer.get("tool_calls") or []
    return (
        ("content" in answer or bool(calls))
        and isinstance(calls, list)
        and all(isinstance(call, Mapping) and isinstance(call.get("function"), Mapping) for call in calls)
    )


# --- Messages of any provider as completions ---

_MESSAGE_FIELDS: Final = ("role", "content", "tool_calls", "output", "type", "parts", "candidates")
_CONTENT_FIELDS: Final = ("candidates", "content", "parts", "output", "message")
"""The fields with the content, in this order of: Gemini's responses, most messages, Gemini's messages, OpenAI's responses, Bedrock's responses."""
_MAX_DEPTH: Final = 6
_CALL_FIELDS: Final = ("name", "function", "functionCall", "function_call", "toolUse", "arguments", "input", "args")
_REASONING_FIELDS: Final = ("reasoning_content", "reasoning")
"""The fields with the model's thinking, on servers that speak OpenAI's chat protocol."""


def completion_of(answer: object, name: str) -> Completion:
    """Return `answer` as a completion.

    Args:
        answer: A `Completion`, a `Message`, a text, or a message of any provider as a dict or an SDK object.
        name: The name of the model.

    Raises:
        TypeError: `answer` is none of these, but for example a whole response, or None.
    """
    if isinstance(answer, Completion):
        return answer
    return completed(_message_of(answer), name, finish_reason_in(answer))


def completed(message: Message, name: str, finish: FinishReason | None = None) -> Completion:
    """Return the completion of `message`.

    Args:
        message: The message.
        name: The name of the model.
        finish: Why the model stopped, if it is known.
    """
    reason = finish_reason(finish or "stop", bool(message.tool_calls))
    return Completion(message=message, finish_reason=reason, usage=Usage(requests=1), model=name)


def _message_of(answer: object) -> Message:
    """Return `answer`, a text, a `Message` or a provider's message, as a message of the role `assistant`.

    Calls that cannot be read are kept; the executor refuses them.

    Raises:
        TypeError: `answer` is none of these, but for example a whole response, or None.
    """
    if isinstance(answer, str):
        return Message(role="assistant", content=answer)
    if isinstance(answer, Message):
        return answer if answer.role == "assistant" else answer.replaced(role="assistant")
    check_is_message(answer)
    if not _has_any(answer, _MESSAGE_FIELDS) and not isinstance(answer, (list, tuple)):
        answer = read_field(answer, "message")  # of a choice
    calls = tuple(map(call_of, read_calls(answer))) if _may_call(answer) else ()
    content, reasoning = _content_and_reasoning(answer)
    if not calls and content is None and not _has_any(answer, ("role", "content")):
        raise TypeError(f"the model returned a {type(answer).__name__}, neither a text nor a message")
    return Message(role="assistant", content=content, tool_calls=calls, reasoning=reasoning)


def _has_any(value: object, names: Sequence[str]) -> bool:
    """Return whether `value`, a dict or an SDK object, has a field of at least one of `names`."""
    return any(has_field(value, name) for name in names)


def _may_call(answer: object) -> bool:
    """Return False if `answer` is a list without an item that has a field of a call; else True."""
    return not isinstance(answer, (list, tuple)) or any(_has_any(item, _CALL_FIELDS) for item in answer)


def check_is_message(message: object) -> None:
    """Check that `message` is a message.

    Another value would be taken for a message without calls, which ends a run.

    Raises:
        TypeError: It is not a message; for a whole response, the error says where its message is.
    """
    if isinstance(message, (str, list, tuple)) or _has_any(message, _MESSAGE_FIELDS):
        return
    if _has_any(
        read_field(message, "message"), _MESSAGE_FIELDS
    ):  # a choice of OpenAI's chat completions, a response of Ollama
        return
    if _has_any(message, ("choices",)):
        raise TypeError("pass the message, response.choices[0].message, not the whole response")
    kind = type(message).__name__
    raise TypeError(f"a message is a text, or an object with a role and content, not {kind}")


def _content_and_reasoning(message: object) -> tuple[str | tuple[Content, ...] | None, str | None]:
    """Return the content of `message`, and the model's thinking; None for either if there is none.

    The content is a text, or a tuple of parts if some are not text; a refusal counts only if there is no other content. Calls and unknown
    blocks are left out. Of a list, neither is read.
    """
    thoughts = [text for name in _REASONING_FIELDS if (text := text_of(read_field(message, name)))][:1]
    content: Any = read_field(message, "content")
    if not isinstance(content, str):
        blocks = [] if isinstance(message, (list, tuple)) else list(_blocks(message))
        thoughts += filter(None, map(_thought_text, blocks))
        parts = [part for part in map(_part, blocks) if part is not None]
        if not parts:
            content = text_of(read_field(message, "refusal")) or None
        elif all(isinstance(part, str) for part in parts):
            content = "".join(map(str, parts))
        else:
            content = tuple(Content.text(part) if isinstance(part, str) else part for part in parts)
    return content, "".join(thoughts) or None


def _blocks(value: Any, depth: int = 0) -> Iterator[Any]:
    """Yield the texts and content blocks in `value`: a message, a response around it, or a list of these.

    Of several candidates, only the first is read. Nothing is yielded for None, nor from more than `_MAX_DEPTH` levels below the top.
    """
    if depth > _MAX_DEPTH or value is None:
        return
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _blocks(each, depth + 1)
        return
    if read_field(value, "type") in (None, "message"):
        for place in _CONTENT_FIELDS:
            inner = read_field(value, place)
            if inner is not None:
                inner = inner[:1] if place == "candidates" and isinstance(inner, (list, tuple)) else inner
                yield from _blocks(inner, depth + 1)
                return
    yield value


def _part(block: Any) -> str | Content | None:
    """Return the content of `block`, a text or a `Content`, or None for any other block.

    Calls, thoughts and unknown blocks are such other blocks.
    """
    if isinstance(block, (str, Content)):
        return block
    if _thought_text(block):
        return None
    text = read_field(block, "text")
    if isinstance(text, str):
        return text
    try:
        return part_of(block)
    except ValueError:
        return None


def _thought_text(block: Any) -> str:
    """Return the model's thinking in `block`, of any provider; an empty text if it is not a thought.

    It may be a block of Anthropic, Bedrock or OpenAI, whose summaries are joined by line ends, or a part of Gemini.
    """
    if read_field(block, "thought") is True:
        return text_of(read_field(block, "text"))
    kind = read_field(block, "type")
    if kind == "thinking":
        return text_of(read_field(block, "thinking"))
    if kind == "reasoning":
        summary = read_field(block, "summary")
        parts = summary if isinstance(summary, (list, tuple)) else ()
        return "\n".join(text_of(read_field(each, "text")) for each in parts)
    return text_of(read_field(read_field(read_field(block, "reasoningContent"), "reasoningText"), "text"))
