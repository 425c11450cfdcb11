"""Sync calls of an async model: they wait, and can be stopped."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from typing import Any

import pytest

from fcregistry import Tool
from fcregistry.errors import ModelError
from fcregistry.models import Completion, Delta, Message, Model, messages_of

TOOL = Tool.from_function(len)
USER: ContextVar[str] = ContextVar("user", default="nobody")


class Whole(Model):
    """A model that says its answer at once."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.heard: list[Any] = []

    @property
    def name(self) -> str:
        return "test:whole"

    async def acomplete(self, messages: Any, tools: Any = (), *, tool_choice: Any = "auto") -> Completion:
        await asyncio.sleep(0)
        self.heard.append((messages, tools, tool_choice, USER.get()))
        return Completion(message=self.message)


class Pieces(Model):
    """A model that counts for ever, and notices when nobody listens."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.fails_at = fails_at
        self.closed = threading.Event()
        self.tasks: set[Any] = set()

    @property
    def name(self) -> str:
        return "test:pieces"

    async def acomplete(self, messages: Any, tools: Any = (), *, tool_choice: Any = "auto") -> Completion:
        raise ModelError("ask piece by piece", retryable=True)

    async def astream(
        self, messages: Any, tools: Any = (), *, tool_choice: Any = "auto"
    ) -> AsyncIterator[Delta | Completion]:
        try:
            number = 0
            while number != self.fails_at:
                self.tasks.add(asyncio.current_task())
                yield Delta(content=str(number))
                number += 1
                await asyncio.sleep(0)
            raise ModelError("the connection was cut", retryable=True)
        finally:
            self.tasks.add(asyncio.current_task())
            self.closed.set()


ANSWER = Message(role="assistant", content="hi", reasoning="hm")


def test_plain_code_waits_for_the_completion_in_its_own_context() -> None:
    model = Whole(ANSWER)
    USER.set("Ann")
    assert model.complete("hello", [TOOL], tool_choice="required").message == ANSWER
    assert model.heard == [((Message(role="user", content="hello"),), [TOOL], "required", "Ann")]


def test_a_model_that_only_completes_streams_in_one_piece() -> None:
    model = Whole(ANSWER)
    told = list(model.stream("hello"))
    assert told == [Delta(content="hi", reasoning="hm"), Completion(message=ANSWER)]
    nothing = Message(role="assistant", content=None)
    assert list(Whole(nothing).stream("hello")) == [Completion(message=nothing)]


def test_a_mistake_in_the_conversation_raises_before_the_model_is_asked() -> None:
    model = Whole(ANSWER)
    ask: list[Callable[[Any], Any]] = [model.complete, model.stream]
    for each in ask:
        with pytest.raises(TypeError, match="a message is"):
            each([5])
    assert model.heard == []


def test_a_stream_that_is_closed_early_ends_the_answer_and_its_task_is_one() -> None:
    model = Pieces()
    pieces = model.stream("?")
    assert [next(pieces), next(pieces)] == [Delta(content="0"), Delta(content="1")]
    pieces.close()  # type: ignore[attr-defined]
    assert model.closed.wait(10)
    assert len(model.tasks) == 1


def test_a_stream_that_is_never_started_sends_no_request() -> None:
    model = Pieces()
    model.stream("?")
    assert not model.tasks


def test_an_error_in_a_stream_is_raised_after_the_pieces_before_it() -> None:
    pieces = Pieces(fails_at=3).stream("?")
    assert [next(pieces) for _ in range(3)] == [Delta(content=str(number)) for number in range(3)]
    with pytest.raises(ModelError, match="the connection was cut") as raised:
        next(pieces)
    assert raised.value.retryable


def test_an_error_of_the_model_reaches_plain_code() -> None:
    with pytest.raises(ModelError, match="ask piece by piece"):
        Pieces().complete("?")


def test_a_sync_call_works_beside_a_loop_and_on_the_background_loop() -> None:
    """A tool that asks a model is such code."""
    model, outer = Whole(ANSWER), Whole(ANSWER)

    class Asks(Whole):
        async def acomplete(self, messages: Any, tools: Any = (), *, tool_choice: Any = "auto") -> Completion:
            return model.complete(messages)

    async def beside() -> Completion:
        return model.complete("?")

    assert asyncio.run(beside()).message == ANSWER
    assert Asks(ANSWER).complete("?").message == ANSWER
    assert outer.heard == []
    assert asyncio.run(model.acomplete(messages_of("?"))).message == ANSWER
