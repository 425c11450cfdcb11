"""Times saying what is wrong with arguments that are hard to judge: deeply nested unions, long texts, thousands of choices."""

from __future__ import annotations

import asyncio
import json
import sys
import tracemalloc
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from _clock import compare, walk, walk_and_parse
from _tables import Row, Table, present, ratio, times

from fcregistry import Executor, Tool, ToolCall

sys.path.append(str(Path(__file__).parents[1] / "validation"))  # last: what is installed goes before
from nested_unions import by_hand, evaluate, nested

DEPTHS = (8, 20, 40)
BUSY = "x" * 1_000_000
"""A text that a thread walks over for some 20 ms, which is longer than a thread may run at a time."""


def take(items: list[int], a: int = 1) -> str:
    """Take integers."""
    return "taken"


def anything(**arguments: Any) -> str:
    """Take anything."""
    return "taken"


def schema_tool(name: str, value: dict[str, Any]) -> Tool:
    """Return a tool with a schema written by hand."""
    return Tool.from_function(anything, name=name, parameters={"type": "object", "properties": {"e": value}})


def constants() -> Tool:
    """Return a tool that takes one of 20,000 constants."""
    return schema_tool("constants", {"anyOf": [{"const": number} for number in range(20_000)]})


def unevaluated() -> Tool:
    """Return a tool whose schema has 30 x 300 branches to look for the properties that are evaluated."""
    groups = [
        {"anyOf": [{"properties": {f"p{at}_{each}": {"type": "integer"}}} for each in range(300)]} for at in range(30)
    ]
    return schema_tool("unevaluated", {"allOf": groups, "unevaluatedProperties": False})


def call(name: str, **arguments: object) -> ToolCall:
    """Return a call."""
    return ToolCall(name, json.dumps(arguments))


def generated_call(depth: int) -> ToolCall:
    """Return a call of `evaluate` that is wrong at the bottom."""
    return call("evaluate", e=nested(depth, {"kind": "lit", "value": "x"}, {"kind": "neg"}))


LONG = {
    "70,000 unknown names": call("take", items=[], **{f"n{number}": 1 for number in range(70_000)}),
    "80,000 wrong items": call("take", items=["x"] * 80_000),
    "300,000 commas": ToolCall("take", '{"items": [1' + "," * 300_000 + "]}"),
    "one of 20,000 constants": call("constants", e=-1),
    "a name that 30 x 300 branches do not evaluate": call("unevaluated", e={"q": 1}),
}


def deep(executor: Executor) -> list[Row]:
    """Time unions nested in each other."""
    rows = []
    for what, made in (
        ("generated from four dataclasses", generated_call),
        ("written by hand, without tags", lambda depth: call("anyOf", e=nested(depth, "x", {}))),
    ):
        for depth in DEPTHS:
            asked = made(depth)
            floor = partial(walk_and_parse, asked.arguments, asked.arguments)
            took = compare(floor, partial(executor.run, asked), rounds=15)
            # It may grow as the text does, and no faster.
            rows.append(times(f"a union {what}, {depth} deep", *took, "ms", most=250))
    return rows


def memory(executor: Executor) -> list[Row]:
    """Weigh what saying what is wrong takes at its peak."""
    asked = generated_call(max(DEPTHS))
    floor, ours = (peak(function) for function in (partial(json.loads, asked.arguments), partial(executor.run, asked)))
    return [
        Row(
            what=f"memory for a union generated from four dataclasses, {max(DEPTHS)} deep",
            floor=f"{floor:.2f} MB",
            ours=f"{ours:.2f} MB",
            beside=ratio(floor, ours),
            aim="≤ 50 MB",
            kept=ours <= 50,
        )
    ]


def peak(function: Callable[[], object]) -> float:
    """Return the most megabytes that a call holds at a time."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def long(executor: Executor) -> list[Row]:
    """Time arguments that are long, or have many forms."""
    rows = []
    for what, asked in LONG.items():
        assert not executor.run(asked).ok
        # A second where the walk takes 40 ms. Each is read, or has choices to try, once or a few times.
        schema = json.dumps(executor.tools[asked.name].parameters)
        took = compare(partial(walk, asked.arguments + schema), partial(executor.run, asked), rounds=5)
        rows.append(times(what, *took, "ms", most=25))
    return rows


def lenient(text: str) -> object:
    """Read JSON, or find that it is not JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return None


async def longest_hold(work: Callable[[], Awaitable[object]]) -> float:
    """Return the longest time, in seconds, that the event loop does not turn while something is awaited."""
    ended, longest = False, 0.0

    async def turn() -> None:
        nonlocal longest
        last = perf_counter()
        while not ended:
            await asyncio.sleep(0.001)
            now = perf_counter()
            last, longest = now, max(longest, now - last - 0.001)

    turning = asyncio.create_task(turn())
    await asyncio.sleep(0.01)
    await work()
    ended = True
    await turning
    return longest


def check_by_hand(asked: ToolCall) -> None:
    """Read arguments, then be busy: what a check on a thread of its own does, whatever it checks."""
    lenient(asked.arguments)
    walk(BUSY)


def holds(executor: Executor) -> list[Row]:
    """Time how long `arun` holds its loop, in the best of five, since other programs may hold the machine."""
    rows = []
    hard = {f"a union generated from four dataclasses, {max(DEPTHS)} deep": generated_call(max(DEPTHS)), **LONG}
    for what, asked in hard.items():
        assert not asyncio.run(executor.arun(asked)).ok
        works = partial(asyncio.to_thread, check_by_hand, asked), partial(executor.arun, asked)
        turns = [[asyncio.run(longest_hold(work)) for work in works] for _ in range(5)]
        floor, held = map(min, zip(*turns, strict=True))
        # The floor is the switch interval of threads, 5 ms, on every machine; what is held takes three times as long on a slow one.
        rows.append(times(f"longest time that the loop waits: {what}", floor, held, "ms", most=8))
    return rows


def main() -> None:
    """Show what was measured."""
    executor = Executor([evaluate, take, by_hand("anyOf"), constants(), unevaluated()], timeout=None)
    limited = Executor(list(executor.tools.values()), timeout=1)
    words = (
        "The time from the text of the arguments to the message that says what is wrong with them. In the "
        "first rows, values are nested, and the mistake is in the innermost one; the floor is `json.loads` of "
        "the arguments and a walk over their characters. In the next rows, arguments are long; the floor is a "
        "walk over all characters of the arguments and of the schema. In the last rows, an event loop awaits `arun` with `timeout=1`; the "
        "floor is a thread that is busy while the loop waits."
    )
    rows = [*deep(executor), *memory(executor), *long(executor), *holds(limited)]
    present(Table(title="Arguments that are hard to judge", words=words, rows=rows))


if __name__ == "__main__":
    main()
