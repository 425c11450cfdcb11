"""Streams of Anthropic's messages API that break off, over real HTTP, with the real SDK."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterable
from contextlib import aclosing

import pytest

from fcregistry.errors import ModelError
from fcregistry.models import Completion, Delta, Message

from .anthropic_wire import block, ended, event_of, model_at, refusal, started, stream, texts
from .provider_server import Piece, ProviderServer, Reply

FLOOD = b":" + b"." * (16 << 20) + b"\n\n"
"""A comment that no buffer takes: it can be sent only while somebody reads it, or has gone."""


def failure(reply: Reply) -> tuple[list[Delta | Completion], ModelError]:
    """Return what a model says before it fails, and how."""
    said: list[Delta | Completion] = []
    with ProviderServer(reply) as server, pytest.raises(ModelError) as raised:
        said.extend(model_at(server).stream("Hi"))
    return said, raised.value


@pytest.mark.parametrize(
    ("kind", "is_retryable"), [("overloaded_error", True), ("api_error", True), ("invalid_request_error", False)]
)
def test_an_error_in_the_middle_of_a_stream_is_raised(kind: str, is_retryable: bool) -> None:
    error = event_of("error", error={"type": kind, "message": "Overloaded"})

    said, raised = failure(stream(started(), texts(0, "It"), error))

    assert said == [Delta(content="It")]
    assert re.match("anthropic:claude-test .*: Overloaded; ", str(raised))
    assert raised.retryable is is_retryable


@pytest.mark.parametrize(
    "events", [[], [started()], [started(), *texts(0, "It")], [started(), *texts(0, "It"), ended()[0]]]
)
@pytest.mark.parametrize("is_cut", [True, False])
def test_a_stream_that_breaks_off_gives_no_completion(events: list[str], is_cut: bool) -> None:
    said, raised = failure(stream(events, cut=is_cut))

    assert not any(isinstance(piece, Completion) for piece in said)
    assert re.match("anthropic:claude-test.* broke off .*try again", str(raised))
    assert raised.retryable is True


MALFORMED: list[Iterable[Piece]] = [
    ["event: message_start\ndata: {not JSON\n\n"],
    [event_of("message_start")],
    [started(), event_of("content_block_start", index=0)],
    [started(), event_of("content_block_start", content_block={"type": "text", "text": ""})],
    [started(), event_of("content_block_delta", index=3, delta={"type": "text_delta", "text": "Hi"})],
    [started(), *block(0, {"type": "text", "text": ""}, {"type": "text_delta"})],
    [started(), *block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": 5})],
    [started(), event_of("message_delta")],
    [b"event: message_start\ndata: \xff\xfe\n\n"],
]


@pytest.mark.parametrize("events", MALFORMED)
def test_a_malformed_event_is_an_error_that_says_so(events: Iterable[Piece]) -> None:
    _, raised = failure(stream(events))

    assert str(raised).startswith("anthropic:claude-test sent an answer that cannot be read: ")


def test_a_refusal_before_the_stream_is_raised_as_without_one() -> None:
    said, raised = failure(refusal(529, "overloaded_error", "Overloaded"))

    assert (said, raised.status, raised.retryable) == ([], 529, True)


def test_pieces_come_as_they_are_sent_and_closing_the_stream_closes_the_connection() -> None:
    gate = threading.Event()
    with ProviderServer(stream(started(), texts(0, "It "), [gate, FLOOD], ended())) as server:
        pieces = model_at(server).stream("Hi")
        assert next(pieces) == Delta(content="It ")
        pieces.close()  # type: ignore[attr-defined]  # a generator
        gate.set()
        assert server.broken.wait(10)


def test_a_task_that_is_cancelled_hangs_up() -> None:
    gate = threading.Event()

    async def listen() -> None:
        async with aclosing(model_at(server).astream([Message(role="user", content="Hi")])) as pieces:  # type: ignore[type-var]
            async for _ in pieces:
                task.cancel()

    async def main() -> None:
        nonlocal task
        task = asyncio.create_task(listen())
        with pytest.raises(asyncio.CancelledError):
            await task
        gate.set()

    task: asyncio.Task[None]
    with ProviderServer(stream(started(), texts(0, "It "), [gate, FLOOD], ended())) as server:
        asyncio.run(main())
        assert server.broken.wait(10)
