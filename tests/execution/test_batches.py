"""Calls of one batch run together, come back in order, and do not disturb each other."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from fcregistry import Executor, Tool, ToolResult


def echo(number: int) -> int:
    return number


def fails(number: int) -> int:
    raise ValueError(f"no {number}")


async def aecho(number: int) -> int:
    await asyncio.sleep(0)
    return number


def batch(executor: Executor, calls: list[Any], is_async: bool) -> list[ToolResult]:
    """Run a batch by `run_all` or `arun_all`."""
    return asyncio.run(executor.arun_all(calls)) if is_async else executor.run_all(calls)


ways = pytest.mark.parametrize("is_async", [False, True], ids=["run_all", "arun_all"])


@ways
@pytest.mark.parametrize("size", [0, 1, 2, 200])
def test_results_come_in_the_order_of_the_calls(size: int, is_async: bool) -> None:
    executor = Executor([echo, aecho])
    calls = [{"name": ("echo", "aecho")[number % 2], "arguments": {"number": number}} for number in range(size)]

    results = batch(executor, calls, is_async)
    assert [result.value for result in results] == list(range(size))
    assert [result.call.name for result in results if result.call] == [call["name"] for call in calls]


@ways
def test_results_come_in_order_although_the_last_call_ends_first(is_async: bool) -> None:
    last_is_done = threading.Event()

    def first() -> str:
        assert last_is_done.wait(30)
        return "first"

    def last() -> str:
        last_is_done.set()
        return "last"

    results = batch(Executor([first, last]), [{"name": "first"}, {"name": "last"}], is_async)
    assert [result.value for result in results] == ["first", "last"]


@ways
def test_blocking_tools_of_one_batch_run_together(is_async: bool) -> None:
    together = threading.Barrier(8)

    def meets() -> int:
        return together.wait(30)  # ends only when eight are here

    results = batch(Executor([meets]), [{"name": "meets"}] * 8, is_async)
    assert sorted(result.value for result in results) == list(range(8))


@ways
def test_async_tools_of_one_batch_run_together(is_async: bool) -> None:
    here: list[int] = []
    all_here: list[asyncio.Event] = []

    async def meets() -> bool:
        here.append(1)
        if not all_here:
            all_here.append(asyncio.Event())
        if len(here) == 8:
            all_here[0].set()
        await all_here[0].wait()
        return True

    results = batch(Executor([meets]), [{"name": "meets"}] * 8, is_async)
    assert [result.value for result in results] == [True] * 8


@ways
def test_no_more_than_max_concurrency_calls_run_at_the_same_time(is_async: bool) -> None:
    lock, active, most = threading.Lock(), [0], [0]
    pairs = threading.Barrier(2)

    def meets() -> None:
        with lock:
            active[0] += 1
            most[0] = max(most[0], active[0])
        pairs.wait(30)
        with lock:
            active[0] -= 1

    results = batch(Executor([meets], max_concurrency=2), [{"name": "meets"}] * 10, is_async)
    assert all(result.ok for result in results)
    assert most[0] == 2


@ways
def test_a_call_that_fails_does_not_affect_the_others(is_async: bool) -> None:
    calls: list[Any] = [
        {"name": "echo", "arguments": {"number": 0}},
        {"name": "fails", "arguments": {"number": 1}},
        None,
        {"name": "unknown"},
        {"name": "echo", "arguments": "{cut"},
        {"name": "echo", "arguments": {}},
        {"name": "exits"},
        {"name": "aecho", "arguments": {"number": 7}},
    ]
    executor = Executor([echo, aecho, fails, Tool.from_function(lambda: exit(3), name="exits")])

    results = batch(executor, calls, is_async)
    assert [result.error.code if result.error else result.value for result in results] == [
        0,
        "tool_failed",
        "malformed_call",
        "unknown_tool",
        "malformed_call",
        "invalid_arguments",
        "tool_failed",
        7,
    ]


@ways
def test_calls_may_come_from_any_iterable(is_async: bool) -> None:
    executor = Executor([echo])
    results = batch(executor, ({"name": "echo", "arguments": {"number": number}} for number in range(3)), is_async)  # type: ignore[arg-type]

    assert [result.value for result in results] == [0, 1, 2]


@ways
def test_two_equal_calls_both_run(is_async: bool) -> None:
    ran: list[int] = []
    tool = Tool.from_function(lambda: ran.append(1), name="counts")

    batch(Executor([tool]), [{"name": "counts"}] * 5, is_async)
    assert len(ran) == 5


def test_a_batch_within_a_running_loop_does_not_wait_for_that_loop() -> None:
    executor = Executor([echo, aecho])

    async def scenario() -> list[ToolResult]:
        return executor.run_all([{"name": "aecho", "arguments": {"number": number}} for number in range(3)])

    assert [result.value for result in asyncio.run(scenario())] == [0, 1, 2]


def test_a_cancelled_batch_cancels_its_calls() -> None:
    async def scenario() -> int:
        started, cancelled = asyncio.Semaphore(0), []

        async def waits() -> None:
            started.release()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.append(1)
                raise

        task = asyncio.ensure_future(Executor([waits]).arun_all([{"name": "waits"}] * 3))
        for _ in range(3):
            await started.acquire()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return len(cancelled)

    assert asyncio.run(scenario()) == 3


@ways
def test_a_thousand_calls_wait_for_each_other(is_async: bool) -> None:
    """Each ends only once all have begun."""
    begun = 0
    all_there: asyncio.Event | None = None

    async def wait() -> int:
        nonlocal begun, all_there
        all_there = all_there or asyncio.Event()
        begun += 1
        if begun == 1000:
            all_there.set()
        await asyncio.wait_for(all_there.wait(), 30)
        return begun

    results = batch(Executor(wait, max_concurrency=1000), [{"name": "wait"}] * 1000, is_async)
    assert {result.value for result in results} == {1000}


@ways
def test_a_hundred_blocking_calls_wait_for_each_other(is_async: bool) -> None:
    barrier = threading.Barrier(100)

    def wait() -> int:
        return barrier.wait(30)

    results = batch(Executor(wait, max_concurrency=100), [{"name": "wait"}] * 100, is_async)
    assert all(result.ok for result in results)
