"""A batch of plain calls takes the fast path, and has the same results."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fcregistry import Executor, ToolCall, ToolResult
from fcregistry.execution import CancellationToken

from .test_short import ARGUMENTS, TOOLS, seen

EXECUTOR = Executor(TOOLS, max_concurrency=2)
NAMES = [function.__name__ for function in TOOLS if function.__name__ != "exact"]


@settings(max_examples=40)  # a loop for each
@given(st.lists(st.tuples(st.sampled_from(NAMES), ARGUMENTS.map(json.dumps)), max_size=4))
@example([("text", '{"text": "a",}'), ("text", "{"), ("coroutine", '{"value": 13}'), ("coroutine", '{"value": "13"}')])
def test_a_batch_gives_the_same_both_ways(written: list[tuple[str, str]]) -> None:
    calls = [ToolCall(name, text, str(place)) for place, (name, text) in enumerate(written)]

    async def both() -> tuple[list[ToolResult], list[ToolResult]]:
        return await EXECUTOR.arun_all(calls), await EXECUTOR.arun_all(calls, cancellation=CancellationToken())

    short, long = asyncio.run(both())
    assert list(map(seen, short)) == list(map(seen, long))


async def echo(number: int) -> int:
    await asyncio.sleep(0)
    return number


def call_of(name: str, arguments: str = "{}") -> ToolCall:
    return ToolCall(name, arguments)


def test_no_more_than_max_concurrency_plain_calls_run_at_the_same_time() -> None:
    """Whether their arguments are read on the fast path, or must be repaired first."""
    inside: list[int] = []
    most = 0

    async def waits(number: int) -> int:
        nonlocal most
        inside.append(number)
        most = max(most, len(inside))
        await asyncio.sleep(0)
        inside.remove(number)
        return number

    calls = [call_of("waits", f'{{"number": {number}{"," * (number % 2)}}}') for number in range(20)]
    results = asyncio.run(Executor(waits, max_concurrency=3).arun_all(calls))
    assert [result.value for result in results] == list(range(20))
    assert [bool(result.repairs) for result in results] == [False, True] * 10
    assert most == 3


def test_an_interrupt_in_a_plain_call_is_raised_and_does_not_affect_other_calls() -> None:
    ended: list[int] = []

    async def interrupts(number: int) -> int:
        await asyncio.sleep(0)
        if number == 0:
            raise KeyboardInterrupt
        ended.append(number)
        return number

    async def main() -> None:
        with pytest.raises(KeyboardInterrupt):
            await executor.arun_all(calls)
        assert (await executor.arun(calls[2])).value == 2

    executor = Executor(interrupts)
    calls = [call_of("interrupts", f'{{"number": {number}}}') for number in range(3)]
    asyncio.run(main())
    assert ended == [1, 2, 2]


def test_cancelling_a_plain_batch_cancels_its_calls() -> None:
    cancelled: list[str] = []

    async def waits(name: str) -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(name)
            raise

    begun = asyncio.Event()

    async def main() -> None:
        calls = [call_of("waits", json.dumps({"name": name})) for name in "ab"]
        task = asyncio.create_task(Executor(waits).arun_all(calls))
        await begun.wait()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert cancelled == ["a", "b"]


def test_the_error_without_a_loop_of_asyncio_says_what_to_do() -> None:
    """As under trio: the coroutine is driven by hand."""
    batch: Any = Executor(echo).arun_all([call_of("echo", '{"number": 1}')] * 2)
    with pytest.raises(RuntimeError, match="no event loop of asyncio is running here"):
        batch.send(None)


def test_a_call_that_fails_in_a_plain_batch_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def fails() -> None:
        raise ValueError("no")

    caplog.set_level("WARNING", "fcregistry.calls")
    asyncio.run(Executor([fails, echo]).arun_all([call_of("fails"), call_of("echo"), call_of("echo", '{"number": 1}')]))
    assert [record.fc_code for record in caplog.records] == ["tool_failed", "invalid_arguments"]  # type: ignore[attr-defined]
