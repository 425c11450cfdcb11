"""How is a function asked, and its answer followed? A plain one on the caller's thread, or on one of ours beside a loop; an async one on the loop.

An answer is whole, or an iterator of pieces, plain or async. Who stops listening closes it.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar, cast

from fcregistry._base.annotations import signature_of
from fcregistry.errors import ModelError
from fcregistry.execution._threads import NoThreadError, running_loop, threads
from fcregistry.models._completion import Completion, Delta
from fcregistry.models._model import Model
from fcregistry.models._plainly import stream_plainly

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from concurrent.futures import Future

    from fcregistry._tools.tool import Tool
    from fcregistry.models._messages import Message, MessageLike
    from fcregistry.models._model import ToolChoice

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


class Question(NamedTuple):
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
    def _question(self, messages: Sequence[Message], tools: Sequence[Tool], tool_choice: ToolChoice) -> Question:
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
            return stream_plainly(lambda: _afollowed(question, is_async=True))
        return _followed(question)


def _followed(question: Question) -> Generator[Delta | Completion, None, None]:
    """Ask a plain function here, and yield what its answer tells; what is async in it is followed on the background loop."""
    answer = question.call()
    if inspect.isawaitable(answer) or isinstance(answer, AsyncIterator):
        yield from stream_plainly(lambda: _atold(answer, question.listener))
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


async def _afollowed(question: Question, is_async: bool) -> AsyncGenerator[Delta | Completion, None]:
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
        return threads.submit(lambda: _called(function))
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
        threads.abandon(future)


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
