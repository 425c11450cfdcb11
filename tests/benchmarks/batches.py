"""Times 100 calls of 50 ms at once, beside 100 threads and beside `asyncio.gather`."""

from __future__ import annotations

import asyncio
import threading
import time

from _clock import compare
from _tables import Row, Table, present, times

from fcregistry import Executor, ToolCall, ToolResult

CALLS = 100
SECONDS = 0.05
ROUNDS = 9


def wait_here(place: int) -> int:
    """Wait in a thread.

    Args:
        place: Which call it is.
    """
    time.sleep(SECONDS)
    return place


async def wait_there(place: int) -> int:
    """Wait on the loop.

    Args:
        place: Which call it is.
    """
    await asyncio.sleep(SECONDS)
    return place


def calls_of(name: str) -> list[ToolCall]:
    """Return as many calls of a tool as a batch has."""
    return [ToolCall(name, f'{{"place": {place}}}') for place in range(CALLS)]


def complete(results: list[ToolResult]) -> bool:
    """Tell whether every call gave its result, in order."""
    return [result.value for result in results] == list(range(CALLS))


def blocking(executor: Executor) -> Row:
    """Time blocking calls against as many threads, started for them."""
    calls = calls_of("wait_here")

    def threads() -> None:
        started = [threading.Thread(target=wait_here, args=(place,)) for place in range(CALLS)]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()

    assert complete(executor.run_all(calls))
    took = compare(threads, lambda: executor.run_all(calls), rounds=ROUNDS)
    return times("100 blocking calls, `run_all` (floor: 100 threads)", *took, "ms", most=1.3)


def on_the_loop(executor: Executor) -> Row:
    """Time async calls against gathering them."""
    calls = calls_of("wait_there")

    async def gather() -> None:
        await asyncio.gather(*(wait_there(place) for place in range(CALLS)))

    with asyncio.Runner() as runner:
        assert complete(runner.run(executor.arun_all(calls)))
        took = compare(
            lambda: runner.run(gather()),
            lambda: runner.run(executor.arun_all(calls)),
            rounds=ROUNDS,
        )
    return times("100 async calls, `arun_all` (floor: `asyncio.gather`)", *took, "ms", most=1.2)


def main() -> None:
    """Show what was measured."""
    executor = Executor([wait_here, wait_there], max_concurrency=CALLS)
    words = (
        f"{CALLS} calls of {SECONDS * 1000:g} ms at the same time, with `max_concurrency={CALLS}`. The floors "
        "read, validate and write nothing."
    )
    present(Table(title="A batch", words=words, rows=[blocking(executor), on_the_loop(executor)]))


if __name__ == "__main__":
    main()
