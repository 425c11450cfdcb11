"""Times one call, from JSON text to its result, beside the same work written by hand."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from _clock import awaited, compare, medians, plain
from _tables import Row, Table, present, times
from _tools import (
    ORDER,
    SIMPLE,
    WRONG,
    get_current_weather,
    get_weather_async,
    order_by_hand,
    place_order,
    weather_by_hand,
    wrong_by_hand,
)

from fcregistry import Executor, Tool, ToolCall

CALL = ToolCall("get_current_weather", SIMPLE)
ASYNC_CALL = ToolCall("get_weather_async", SIMPLE)
ORDER_CALL = ToolCall("place_order", ORDER)
CALL_AS_DICT = {"name": "get_current_weather", "arguments": SIMPLE}
CALL_OF_OPENAI = {"id": "call_1", "type": "function", "function": CALL_AS_DICT}
ORDER_AS_DICT = {"name": "place_order", "arguments": ORDER}
WRONG_CALL = ToolCall("get_current_weather", WRONG)


def plain_calls(executor: Executor) -> list[Row]:
    """Time `run`, with arguments that fit and arguments that do not."""
    for call in (CALL, CALL_AS_DICT, CALL_OF_OPENAI):
        assert executor.run(call).content == "Tokyo: 20 celsius"
    for call in (ORDER_CALL, ORDER_AS_DICT):
        assert '"Customer"' in executor.run(call).content
    assert "celsius" in executor.run(WRONG_CALL).content
    run = executor.run
    return [
        times("simple tool", *compare(weather_by_hand, lambda: run(CALL)), "µs", most=1.6),
        times("simple tool, the call a dict", *compare(weather_by_hand, lambda: run(CALL_AS_DICT)), "µs", most=1.6),
        times(
            "simple tool, the call as OpenAI sends it",
            *compare(weather_by_hand, lambda: run(CALL_OF_OPENAI)),
            "µs",
            most=1.6,
        ),
        times(
            "complex tool, its records constructed", *compare(order_by_hand, lambda: run(ORDER_CALL)), "µs", most=2.5
        ),
        times("complex tool, the call a dict", *compare(order_by_hand, lambda: run(ORDER_AS_DICT)), "µs", most=2.5),
        # 8 µs where the same by hand takes 2.8 µs; on a slow machine the factor grows to 4.3.
        times("one argument wrong, with its message", *compare(wrong_by_hand, lambda: run(WRONG_CALL)), "µs", most=5),
    ]


def async_calls(runner: asyncio.Runner, executor: Executor) -> list[Row]:
    """Time `arun`: an async tool against the same tool in plain form, and a plain tool that need not leave the loop."""
    in_line = Executor([Tool.from_function(get_current_weather, blocking=False)])
    timers = {
        "run": plain(lambda: executor.run(CALL)),
        "arun": awaited(runner, lambda: executor.arun(ASYNC_CALL)),
        "in line": awaited(runner, lambda: in_line.arun(CALL)),
    }
    assert runner.run(executor.arun(ASYNC_CALL)).content == "Tokyo: 20 celsius"
    assert runner.run(in_line.arun(CALL)).content == "Tokyo: 20 celsius"
    took = medians(timers)
    # 1 µs beyond the plain tool, which takes 2 µs.
    return [
        times(
            "async tool through `arun` (floor: the plain tool through `run`)", took["run"], took["arun"], "µs", most=1.8
        ),
        times(
            "plain tool through `arun`, `blocking=False` (the same floor)", took["run"], took["in line"], "µs", most=1.5
        ),
    ]


def threaded_calls(runner: asyncio.Runner, executor: Executor) -> list[Row]:
    """Time a plain tool from async code, which needs a thread, against a thread of the loop and nothing else."""

    async def bare() -> str:
        return await asyncio.get_running_loop().run_in_executor(pool, weather_by_hand)

    with ThreadPoolExecutor(1) as pool:
        took = medians({"bare": awaited(runner, bare), "ours": awaited(runner, partial(executor.arun, CALL))})
    return [
        times(
            "plain tool through `arun`, on a thread (floor: `run_in_executor`)",
            took["bare"],
            took["ours"],
            "µs",
            most=1.2,
        )
    ]


def main() -> None:
    """Show what was measured."""
    executor = Executor([get_current_weather, get_weather_async, place_order])
    with asyncio.Runner() as runner:
        rows = [*plain_calls(executor), *async_calls(runner, executor), *threaded_calls(runner, executor)]
    words = (
        "The time from the text of the arguments to the text of the result. The floor is code written by hand "
        "for the same tool: `json.loads`, the call, and `json.dumps` of the result. For the complex tool, it "
        "also makes the dataclasses and the Enum. The floor validates nothing, except in the row with a wrong "
        "argument: there it makes the one check that fails, and writes the path and the allowed values."
    )
    present(Table(title="One call", words=words, rows=rows))


if __name__ == "__main__":
    main()
