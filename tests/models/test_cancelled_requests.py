"""A token that is cancelled ends the request of a model, in each of its forms and of each kind of model."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import pytest

from fcregistry import Context, Executor
from fcregistry.errors import CallCancelledError, ModelError
from fcregistry.execution import CancellationToken
from fcregistry.models import CallableModel, Completion, Delta, Message, Model

from . import anthropic_wire, openai_wire
from .provider_server import ProviderServer, Reply, Request

MODELS: dict[str, Callable[[ProviderServer], Model]] = {
    "chat": openai_wire.chat,
    "responses": openai_wire.responses,
    "anthropic": anthropic_wire.model_at,
}


async def _astream(model: Model, token: CancellationToken) -> list[object]:
    return [piece async for piece in model.astream("?", cancellation=token)]


FORMS: dict[str, Callable[[Model, CancellationToken], Any]] = {
    "complete": lambda model, token: model.complete("?", cancellation=token),
    "stream": lambda model, token: list(model.stream("?", cancellation=token)),
    "acomplete": lambda model, token: asyncio.run(model.acomplete("?", cancellation=token)),
    "astream": lambda model, token: asyncio.run(_astream(model, token)),
}
forms = pytest.mark.parametrize("ask", FORMS.values(), ids=FORMS)


class CancellingServer(ProviderServer):
    """A server that never answers, and cancels a token when it has a request."""

    def __init__(self, token: CancellationToken) -> None:
        super().__init__(Reply(silent=True))
        self._token = token

    def answer_to(self, request: Request) -> Reply:
        self._token.cancel("the user left")
        return super().answer_to(request)


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
@forms
def test_a_cancelled_token_ends_a_request_that_waits(make: Callable[[ProviderServer], Model], ask: Any) -> None:
    token = CancellationToken()
    with CancellingServer(token) as server:
        with pytest.raises(CallCancelledError, match=r"^the user left$"):
            ask(make(server), token)
        with pytest.raises(CallCancelledError):  # it is cancelled already: nothing is sent
            ask(make(server), token)
        assert len(server.requests) == 1


@forms
def test_a_token_that_is_not_cancelled_changes_nothing(ask: Any) -> None:
    token = CancellationToken()
    answer = ask(CallableModel(lambda messages: "Fine."), token)
    last = answer[-1] if isinstance(answer, list) else answer
    assert last.message.text == "Fine."
    token.cancel()


@forms
def test_a_function_that_hangs_is_left(ask: Any) -> None:
    token, released = CancellationToken(), threading.Event()

    def hang(messages: Any) -> str:
        token.cancel()
        released.wait()
        return "late"

    try:
        with pytest.raises(CallCancelledError, match="the call was cancelled"):
            ask(CallableModel(hang), token)
    finally:
        released.set()


class Own(Model):
    """A model that does not know of tokens, and cancels one when it is asked."""

    name = "own"

    def __init__(self, token: CancellationToken) -> None:
        self.token = token
        self.has_ended = False

    async def acomplete(self, messages: Any, tools: Any = (), *, tool_choice: Any = "auto") -> Completion:
        self.token.cancel()
        try:
            await asyncio.Event().wait()
        finally:
            self.has_ended = True
        raise AssertionError


class Streaming(Own):
    """A model that stops after its first piece."""

    async def astream(
        self, messages: Any, tools: Any = (), *, tool_choice: Any = "auto"
    ) -> AsyncIterator[Delta | Completion]:
        try:
            yield Delta(content="a")
            await asyncio.Event().wait()
        finally:
            self.has_ended = True


@forms
def test_a_model_of_another_class_takes_a_token(ask: Any) -> None:
    token = CancellationToken()
    model = Own(token)
    with pytest.raises(CallCancelledError):
        ask(model, token)
    assert model.has_ended


class Answering:
    """A mixin with the methods of a model that does not know of tokens."""

    async def acomplete(self, messages: Any, tools: Any = (), *, tool_choice: Any = "auto") -> Completion:
        return Completion(message=Message(role="assistant", content="Fine."))


class StreamingToo(Answering):
    async def astream(
        self, messages: Any, tools: Any = (), *, tool_choice: Any = "auto"
    ) -> AsyncIterator[Delta | Completion]:
        yield await self.acomplete(messages, tools, tool_choice=tool_choice)


@pytest.mark.parametrize("mixin", [Answering, StreamingToo])
@forms
def test_a_model_whose_methods_come_from_a_mixin_takes_a_token(ask: Any, mixin: type) -> None:
    model: Model = type("Mixed", (mixin, Model), {"name": "mixed"})()
    for each in (model, type("Derived", (type(model),), {})()):
        answer = ask(each, CancellationToken())
        last = answer[-1] if isinstance(answer, list) else answer
        assert last.message.text == "Fine."
        assert [*each.stream("?")][-1] == last
        token = CancellationToken()
        token.cancel()
        with pytest.raises(CallCancelledError):
            ask(each, token)


@pytest.mark.parametrize("error", [None, ModelError("the request was cut off")])
@pytest.mark.parametrize("streams", [False, True])
def test_a_model_that_catches_its_cancellation_gives_no_answer(streams: bool, error: Exception | None) -> None:
    token = CancellationToken()

    class Catching(Own):
        async def acomplete(self, messages: Any, tools: Any = (), *, tool_choice: Any = "auto") -> Completion:
            with suppress(asyncio.CancelledError):
                await super().acomplete(messages)
            if error is not None:
                raise error
            return Completion(message=Message(role="assistant", content="late"))

    async def ask() -> int:
        model = Catching(token)
        with pytest.raises(CallCancelledError):
            await (_astream(model, token) if streams else model.acomplete("?", cancellation=token))
        task = asyncio.current_task()
        assert task is not None
        return task.cancelling()

    assert asyncio.run(ask()) == 0


def test_a_stream_ends_at_the_next_piece_and_is_closed() -> None:
    token = CancellationToken()
    model = Streaming(token)
    pieces = model.stream("?", cancellation=token)
    assert next(pieces) == Delta(content="a")
    token.cancel("enough")
    with pytest.raises(CallCancelledError, match=r"^enough$"):
        next(pieces)
    assert model.has_ended


def test_an_async_stream_ends_at_the_next_piece_and_is_closed() -> None:
    token = CancellationToken()
    model = Streaming(token)

    async def ask() -> None:
        pieces = model.astream("?", cancellation=token)
        assert await anext(pieces) == Delta(content="a")
        token.cancel("enough")
        with pytest.raises(CallCancelledError, match=r"^enough$"):
            await anext(pieces)

    asyncio.run(ask())
    assert model.has_ended


def test_a_cancelled_task_is_not_taken_for_a_cancelled_token() -> None:
    token = CancellationToken()

    async def ask() -> None:
        started = asyncio.Event()

        async def hang(messages: Any) -> str:
            started.set()
            await asyncio.Event().wait()
            return ""

        task = asyncio.create_task(CallableModel(hang).acomplete("?", cancellation=token))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        token.cancel()

    asyncio.run(ask())


def test_the_task_goes_on_after_a_request_that_was_cancelled() -> None:
    token = CancellationToken()

    async def ask() -> int:
        with pytest.raises(CallCancelledError):
            await Own(token).acomplete("?", cancellation=token)
        await asyncio.sleep(0)
        task = asyncio.current_task()
        assert task is not None
        return task.cancelling()

    assert asyncio.run(ask()) == 0


def test_a_tool_that_asks_a_model_with_its_own_token_is_cancelled() -> None:
    token = CancellationToken()

    def ask(context: Context) -> str:
        """Ask a model."""
        return Own(token).complete("?", cancellation=context.cancellation).message.text

    result = Executor([ask]).run({"name": "ask", "arguments": {}}, cancellation=token)
    assert result.error is not None
    assert result.error.code == "cancelled"
