"""How is a function asked, and its answer followed? A plain one on the caller's thread, or on one of ours beside a loop; an async one on the loop.

An answer is whole, or an iterator of pieces, plain or async. Who stops listening closes it.

MERGED: When is a function a model? When it takes messages and returns a message or a text.
MERGED: What did a function answer? A text or a message, in whichever provider's shape, read as a message of ours.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar, cast

from fcregistry._base.annotations import signature_of
from fcregistry._results.content import Content
from fcregistry.errors import ModelError
from fcregistry.execution._threads import NoThreadError, blocking_threads, running_loop
from fcregistry.formats import read_calls
from fcregistry.formats._read import is_absent, read_field
from fcregistry.models._messages import Message, call_of, part_of
from fcregistry.models._model import Completion, Delta, Model, Usage, WholeDeltas, offered, stream_sync
from fcregistry.models._streamed_calls import StreamedCalls

if TYPE_CHECKING:
    from concurrent.futures import Future

    from fcregistry._tools.tool import Tool
    from fcregistry.models._messages import MessageLike
    from fcregistry.models._model import FinishReason, ToolChoice

# --- models._asking ---

T = TypeVar("T")
_END: Final = object()


class Listener(Protocol):
    """What makes a model's answer of what a function returned."""

    def whole(self, answer: object) -> Completion:
        """Return the completion that a whole answer is."""

    def heard(self, piece: object) -> Delta | None:
        """Take the next piece of an answer, and return what is to be told of it."""

    def ended(self) -> Iterable[Delta | Completion]:
        """Return what is left to be told once the pieces have come to an end: the completion, last."""


class ModelQuestion(NamedTuple):
    """A function with what it is given, ready to be called, and what listens to it."""

    call: Callable[[], Any]
    listener: Listener


class FunctionModel(Model):
    """A model that is a function.

    What the function raises is the caller's.

    Args:
        function: Plain or async.
        name: What the model is called; by default, `callable:` and the function's name.
    """

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        self._function = function
        self._name = name or f"callable:{_name_of(function)}"
        self._is_async = _is_async(function)

    @property
    def name(self) -> str:
        """What it is called."""
        return self._name

    @abstractmethod
    def _question(self, messages: Sequence[Message], tools: Sequence[Tool], tool_choice: ToolChoice) -> ModelQuestion:
        """Return the function with what it is given, and what listens to it."""

    async def acomplete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> Completion:
        """Answer a conversation; see `Model.acomplete`."""
        async with aclosing(_afollowed(self._question(messages, tools, tool_choice), self._is_async)) as pieces:
            return cast("Completion", [piece async for piece in pieces][-1])  # a listener ends with it

    async def astream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> AsyncIterator[Delta | Completion]:
        """Answer a conversation piece by piece; see `Model.astream`."""
        async with aclosing(_afollowed(self._question(messages, tools, tool_choice), self._is_async)) as pieces:
            async for piece in pieces:
                yield piece

    def complete(
        self,
        messages: MessageLike | Iterable[MessageLike],
        tools: Sequence[Tool] = (),
        *,
        tool_choice: ToolChoice = "auto",
    ) -> Completion:
        """Answer, and wait for it; see `Model.complete`. A plain function runs on the caller's thread."""
        *_, last = self.stream(messages, tools, tool_choice=tool_choice)
        return cast("Completion", last)

    def stream(
        self,
        messages: MessageLike | Iterable[MessageLike],
        tools: Sequence[Tool] = (),
        *,
        tool_choice: ToolChoice = "auto",
    ) -> Generator[Delta | Completion, None, None]:
        """Answer piece by piece; see `Model.stream`. A plain function runs on the caller's thread."""
        from fcregistry.models._messages import messages_of  # as in Model

        question = self._question(messages_of(messages), tools, tool_choice)
        if self._is_async:
            return stream_sync(lambda: _afollowed(question, is_async=True))
        return _followed(question)


def _followed(question: ModelQuestion) -> Generator[Delta | Completion, None, None]:
    """Ask a plain function here, and yield what its answer tells; what is async in it is followed on the background loop."""
    answer = question.call()
    if inspect.isawaitable(answer) or isinstance(answer, AsyncIterator):
        yield from stream_sync(lambda: _atold(answer, question.listener))
    elif isinstance(answer, Iterator):
        try:
            for piece in answer:
                if (delta := question.listener.heard(piece)) is not None:
                    yield delta
        finally:
            _close(answer)
        yield from question.listener.ended()
    else:
        yield from _whole(question.listener.whole(answer))


async def _afollowed(question: ModelQuestion, is_async: bool) -> AsyncGenerator[Delta | Completion, None]:
    answer = question.call() if is_async else await _waited(_on_thread(question.call))
    async with aclosing(_atold(answer, question.listener)) as pieces:
        async for piece in pieces:
            yield piece


async def _atold(answer: Any, listener: Listener) -> AsyncGenerator[Delta | Completion, None]:
    if inspect.isawaitable(answer):
        answer = await answer
    if not isinstance(answer, (Iterator, AsyncIterator)):
        for told in _whole(listener.whole(answer)):
            yield told
        return
    async with aclosing(_pieces(answer)) as pieces:
        async for piece in pieces:
            if (delta := listener.heard(piece)) is not None:
                yield delta
    for told in listener.ended():
        yield told


def _whole(completion: Completion) -> Iterator[Delta | Completion]:
    message = completion.message
    if message.text or message.reasoning:
        yield Delta(content=message.text, reasoning=message.reasoning or "")
    yield completion


async def _pieces(answer: Iterator[T] | AsyncIterator[T]) -> AsyncGenerator[T, None]:
    """Yield the pieces of an answer. Those of a plain iterator are made on our threads; it is closed where it stands."""
    if isinstance(answer, AsyncIterator):
        from asyncio import sleep  # there is a loop, so it is imported

        try:
            async for piece in answer:
                yield piece
                await sleep(0)  # one that waits for nothing could never be stopped
        finally:
            if hasattr(answer, "aclose"):
                await answer.aclose()
        return
    made: Future[Any] | None = None
    try:
        while True:
            made = _on_thread(lambda: next(answer, _END))
            said = await _waited(made)
            if said is _END:
                return
            yield said
    finally:
        if made is not None:  # a generator that is running cannot be closed before it has said its piece
            made.add_done_callback(lambda _: _close(answer))


def _on_thread(function: Callable[[], Any]) -> Future[Any]:
    running_loop()  # says what to do from another library's loop
    try:
        return blocking_threads.submit(lambda: _called(function))
    except NoThreadError as error:
        raise ModelError(f"the model has no thread to run on: {error}", retryable=True) from error


def _called(function: Callable[[], Any]) -> Any:
    try:
        return function()
    except StopIteration as error:  # no future can carry it
        raise RuntimeError("the model raised StopIteration") from error


async def _waited(future: Future[Any]) -> Any:
    """Wait for what runs on a thread; it is left to itself when nobody waits any more."""
    from asyncio import wrap_future  # there is a loop, so it is imported

    try:
        return await wrap_future(future)
    finally:
        blocking_threads.abandon(future)


def _close(answer: object) -> None:
    close = getattr(answer, "close", None)
    if callable(close):
        close()


def _is_async(function: Callable[..., Any]) -> bool:
    """Tell whether calling a function runs nothing of it: it is async, or an async generator, or an object that is called as one."""
    call = getattr(type(function), "__call__", None)  # noqa: B004  # it is known to be callable; the question is how
    return any(inspect.iscoroutinefunction(each) or inspect.isasyncgenfunction(each) for each in (function, call))


def _name_of(function: Callable[..., Any]) -> str:
    inner = getattr(function, "func", function)  # of a partial
    return str(getattr(inner, "__name__", None) or type(inner).__name__)


def takes(function: Callable[..., Any], name: str) -> bool:
    """Tell whether a function has a parameter of a name."""
    return name in _parameters(function)


def takes_any(function: Callable[..., Any]) -> bool:
    """Tell whether a function takes arguments by any name."""
    return any(each.kind is inspect.Parameter.VAR_KEYWORD for each in _parameters(function).values())


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    try:
        return dict(signature_of(function).parameters)
    except (TypeError, ValueError):  # a callable written in C: it is given messages alone
        return {}


# --- models._callable ---


class CallableModel(FunctionModel):
    """A function as a model.

    It is given the messages as a list of dicts in the shape of OpenAI's chat, its own to change. A message that it returned as such a dict
    comes back to it as it wrote it, with whatever else it put there.

    It returns a text, or a message in the shape of any provider, as a dict or an SDK object; or a `Completion`. Or it yields its answer: texts,
    or `Delta`, and a `Completion` last if it likes. It may be async. A plain one runs on the caller's thread, and on one of ours
    where a loop would wait for it.

    Args:
        function: The function. One with a parameter `tools`, or with `**` parameters, is given the tools' definitions in OpenAI's shape by
            that name. One with a parameter `tool_choice` is given that as OpenAI writes it; one with `**` parameters, where it is not `auto`.
            One without is shown the tools that may be called, which are none for `none`, and one for a name.
        name: What the model is called; by default, `callable:` and the function's name.

    Raises:
        TypeError: It cannot be called.
    """

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        if not callable(function):
            raise TypeError(f"llm is a callable from messages to a message or text, not {function!r}")
        super().__init__(function, name)
        self._takes_any = takes_any(function)
        self._takes_tools = takes(function, "tools") or self._takes_any
        self._takes_choice = takes(function, "tool_choice")

    def _question(self, messages: Sequence[Message], tools: Sequence[Tool], tool_choice: ToolChoice) -> ModelQuestion:
        told = [self._written(message) for message in messages]
        options = self._options(tools, tool_choice)
        return ModelQuestion(lambda: self._function(told, **options), _Listener(self.name))

    def _written(self, message: Message) -> dict[str, Any]:
        """Return a message as the function is given it: its own as it wrote it, others with what the shape has a place for."""
        own = message.native.get(self.name)
        if own is not None:
            return dict(deepcopy(own))
        return message.replaced(reasoning=None, is_error=False, continues=False, native={}).to_dict()

    def _options(self, tools: Sequence[Tool], tool_choice: ToolChoice) -> dict[str, Any]:
        options: dict[str, Any] = {}
        says_choice = self._takes_choice or (self._takes_any and tool_choice != "auto")
        if self._takes_tools:
            from fcregistry.formats import get  # with what a schema is written with, which not every function needs

            options["tools"] = get("openai").describe(tools if says_choice else offered(tools, tool_choice))
        if says_choice:
            options["tool_choice"] = _written_choice(tool_choice)
        return options


def _written_choice(tool_choice: ToolChoice) -> str | dict[str, Any]:
    if tool_choice in ("auto", "required", "none"):
        return tool_choice
    return {"type": "function", "function": {"name": tool_choice}}


class _Listener:
    """Makes a completion of what a function returned or yielded."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._calls = StreamedCalls()
        self._completion: Completion | None = None
        self._whole = WholeDeltas()

    def whole(self, answer: object) -> Completion:
        """Return the completion that an answer is, which keeps a dict of the function's for when it is asked again."""
        completion = completion_of(answer, self._name)
        if isinstance(answer, Mapping) and _is_openai(answer):
            message = completion.message
            own = {"role": "assistant", "content": None, **deepcopy(dict(answer))}
            if {name: said for name, said in own.items() if said or name == "content"} != message.to_dict():
                completion = completed(message.replaced(native={self._name: own}), self._name)
        return completion

    def heard(self, piece: object) -> Delta | None:
        """Take a text, a `Delta`, or the completion.

        Raises:
            TypeError: It is none of these.
        """
        if isinstance(piece, Completion):
            self._completion = piece
            return None
        if not isinstance(piece, (str, Delta)):
            raise TypeError(f"the model yielded a {type(piece).__name__}; a piece of an answer is a text or a Delta")
        delta = Delta(content=piece) if isinstance(piece, str) else piece
        self._texts.append(delta.content)
        self._thoughts.append(delta.reasoning)
        self._calls.add_delta(delta)
        return self._whole.add(delta)

    def ended(self) -> Iterable[Delta | Completion]:
        """Return what was held back, and the completion: the function's own, or what its pieces come to."""
        rest = self._whole.rest()
        return (*([rest] if rest is not None else []), self._completion or self._completed())

    def _completed(self) -> Completion:
        calls = self._calls.calls()
        text = "".join(self._texts)
        message = Message(
            role="assistant",
            content=text or (None if calls else ""),
            tool_calls=calls,
            reasoning="".join(self._thoughts) or None,
        )
        return completed(message, self._name)


def _is_openai(answer: Mapping[str, Any]) -> bool:
    """Tell whether a message can go back into a conversation in the shape of OpenAI's chat as it is."""
    if answer.get("role", "assistant") != "assistant" or not isinstance(answer.get("content"), str | None):
        return False
    calls = answer.get("tool_calls") or []
    return ("content" in answer or bool(calls)) and isinstance(calls, list) and all(_is_call(call) for call in calls)


def _is_call(call: object) -> bool:
    return isinstance(call, Mapping) and isinstance(call.get("function"), Mapping)


# --- models._answers ---

_OF_MESSAGES: Final = ("role", "content", "tool_calls", "output", "type", "parts", "candidates")
_PLACES: Final = ("candidates", "content", "parts", "output", "message")
"""Where messages, and what holds messages, have what they say: a response of Gemini, most, Gemini, OpenAI's responses, a response of Bedrock."""
_DEEPEST: Final = 6
_OF_CALLS: Final = ("name", "function", "functionCall", "function_call", "toolUse", "arguments", "input", "args")
_REASONING: Final = ("reasoning_content", "reasoning")
"""Where servers of OpenAI's chat protocol put what a model thought."""


def completion_of(answer: object, name: str) -> Completion:
    """Return the completion that an answer is.

    Args:
        answer: A `Completion`, a `Message`, a text, or a message of any provider as a dict or an SDK object.
        name: What the model is called.

    Raises:
        TypeError: It is none of these: a whole response of OpenAI's, say, or nothing.
    """
    return answer if isinstance(answer, Completion) else completed(message_of(answer), name)


def completed(message: Message, name: str) -> Completion:
    """Return the completion that a message is all of."""
    reason: FinishReason = "tool_calls" if message.tool_calls else "stop"
    return Completion(message=message, finish_reason=reason, usage=Usage(requests=1), model=name)


def message_of(answer: object) -> Message:
    """Return the model's message that an answer is; calls that cannot be read are kept for the executor to answer.

    Raises:
        TypeError: As for `completion_of`.
    """
    if isinstance(answer, str):
        return Message(role="assistant", content=answer)
    if isinstance(answer, Message):
        return answer if answer.role == "assistant" else answer.replaced(role="assistant")
    check_is_message(answer)
    calls = tuple(map(call_of, read_calls(answer))) if _may_call(answer) else ()
    content, reasoning = _said(answer)
    if not calls and content is None and all(is_absent(read_field(answer, name)) for name in ("role", "content")):
        raise TypeError(f"the model returned a {type(answer).__name__}, neither a text nor a message")
    return Message(role="assistant", content=content, tool_calls=calls, reasoning=reasoning)


def _may_call(answer: object) -> bool:
    """Tell whether an answer may make calls: not if it is a list of texts or messages, in which nothing has anything of a call."""
    if not isinstance(answer, (list, tuple)):
        return True
    return any(not is_absent(read_field(item, name)) for item in answer for name in _OF_CALLS)


def check_is_message(message: object) -> None:
    """Refuse what is no message: that it has no calls would be taken for the end of the conversation.

    Raises:
        TypeError: It is none; of a whole response, says where its message is.
    """
    if isinstance(message, (str, list, tuple)) or any(
        not is_absent(read_field(message, name)) for name in _OF_MESSAGES
    ):
        return
    if not is_absent(read_field(message, "choices")):
        raise TypeError("the message is a whole response: give its message, response.choices[0].message")
    kind = type(message).__name__
    raise TypeError(
        f"the message is a {kind}, not a message of a model: give a text, or a message with its role and content"
    )


def _said(message: object) -> tuple[str | tuple[Content, ...] | None, str | None]:
    """Return what a message says, and what its model thought."""
    content = read_field(message, "content")
    refusal = read_field(message, "refusal")
    thoughts = [text for name in _REASONING if isinstance(text := read_field(message, name), str) and text][:1]
    if isinstance(content, str):
        return content, "".join(thoughts) or None
    blocks = list(_blocks(message)) if not isinstance(message, (list, tuple)) else []
    thoughts += [thought for thought in map(_thought, blocks) if thought]
    parts = [part for part in map(_part, blocks) if part is not None]
    if all(isinstance(part, str) for part in parts):
        text = "".join(map(str, parts)) if parts else refusal if isinstance(refusal, str) else None
        return text, "".join(thoughts) or None
    kept = tuple(Content.text(part) if isinstance(part, str) else part for part in parts)
    return kept, "".join(thoughts) or None


def _blocks(value: Any, depth: int = 0) -> Iterator[Any]:
    """Yield the texts and blocks of a message, or of what holds messages."""
    if depth > _DEEPEST or value is None or is_absent(value):
        return
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _blocks(each, depth + 1)
        return
    kind = read_field(value, "type")
    if is_absent(kind) or kind is None or kind == "message":
        for place in _PLACES:
            inner = read_field(value, place)
            if not is_absent(inner) and inner is not None:
                inner = inner[:1] if place == "candidates" and isinstance(inner, (list, tuple)) else inner
                yield from _blocks(inner, depth + 1)
                return
    yield value


def _part(block: Any) -> str | Content | None:
    """Return what a block says to others; None for a call, a thought, and what is not known."""
    if isinstance(block, (str, Content)):
        return block
    if _thought(block):
        return None
    text = read_field(block, "text")
    if isinstance(text, str):
        return text
    try:
        return part_of(block)
    except ValueError:
        return None


def _thought(block: Any) -> str:
    """Return what a block says that the model thought: a block of Anthropic, an item of OpenAI's, a part of Gemini, a block of Bedrock."""
    if read_field(block, "thought") is True:
        return _text(read_field(block, "text"))
    kind = read_field(block, "type")
    if kind == "thinking":
        return _text(read_field(block, "thinking"))
    if kind == "reasoning":
        summary = read_field(block, "summary")
        return (
            "\n".join(_text(read_field(each, "text")) for each in summary) if isinstance(summary, (list, tuple)) else ""
        )
    return _text(read_field(read_field(read_field(block, "reasoningContent"), "reasoningText"), "text"))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
