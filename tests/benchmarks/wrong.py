"""What it costs to say what is wrong with arguments that are hard to judge: deeply nested unions, long texts, thousands of forms."""

from __future__ import annotations

import asyncio
import json
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, Literal

from _clock import compare
from _tables import Row, Table, present, ratio, within

from fcregistry import Executor, Tool, ToolCall

DEPTHS = (8, 20, 40)


@dataclass
class Lit:
    """A number."""

    kind: Literal["lit"]
    value: int


@dataclass
class Add:
    """A sum."""

    kind: Literal["add"]
    left: Expr
    right: Expr


@dataclass
class Neg:
    """A negation."""

    kind: Literal["neg"]
    of: Expr


@dataclass
class Abs:
    """An absolute value."""

    kind: Literal["abs"]
    of: Expr


Expr = Lit | Add | Neg | Abs


def evaluate(e: Expr) -> str:
    """Evaluate an expression."""
    return "evaluated"


def take(items: list[int], a: int = 1) -> str:
    """Take integers."""
    return "taken"


def anything(**arguments: Any) -> str:
    """Take anything."""
    return "taken"


def schema_tool(name: str, value: dict[str, Any], **definitions: Any) -> Tool:
    """Return a tool with a schema written by hand."""
    schema = {"type": "object", "properties": {"e": value}, "$defs": definitions}
    return Tool.from_function(anything, name=name, parameters=schema)


def forms() -> Tool:
    """Return a tool whose schema has branches that no tag tells apart."""
    inner = {"type": "object", "required": ["of"], "properties": {"of": {"$ref": "#/$defs/e"}}}
    branches = [{"type": "integer"}, inner, {**inner, "maxProperties": 1}, {**inner, "minProperties": 1}]
    return schema_tool("by_hand", {"$ref": "#/$defs/e"}, e={"anyOf": branches})


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


def nested(depth: int, bottom: object, **layer: object) -> object:
    """Return so many objects in each other."""
    for _ in range(depth):
        bottom = {**layer, "of": bottom}
    return bottom


def generated_call(depth: int) -> ToolCall:
    """Return a call of `evaluate` that is wrong at the bottom."""
    return call("evaluate", e=nested(depth, {"kind": "lit", "value": "x"}, kind="neg"))


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
        ("written by hand, without tags", lambda depth: call("by_hand", e=nested(depth, "x"))),
    ):
        for depth in DEPTHS:
            asked = made(depth)
            took = compare(partial(json.loads, asked.arguments), partial(executor.run, asked), rounds=15)
            rows.append(within(f"a union {what}, {depth} deep", *took, "ms", most=50))
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
        took = compare(partial(lenient, asked.arguments), partial(executor.run, asked), rounds=5)
        rows.append(within(what, *took, "ms", most=1_000))
    return rows


def lenient(text: str) -> object:
    """Read JSON, or find that it is not JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return None


async def longest_hold(executor: Executor, asked: ToolCall) -> float:
    """Return the longest time, in seconds, that a call keeps its event loop from turning."""
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
    assert not (await executor.arun(asked)).ok
    ended = True
    await turning
    return longest


def holds(executor: Executor) -> list[Row]:
    """Time how long `arun` holds its loop, in the best of five, since others may hold the machine."""
    rows = []
    asked = {f"a union generated from four dataclasses, {max(DEPTHS)} deep": generated_call(max(DEPTHS)), **LONG}
    for what, each in asked.items():
        idle = min(asyncio.run(longest_hold(executor, ToolCall("nobody"))) for _ in range(5))
        held = min(asyncio.run(longest_hold(executor, each)) for _ in range(5))
        rows.append(within(f"longest hold of the loop: {what}", idle, held, "ms", most=50))
    return rows


def main() -> None:
    """Show what was measured."""
    executor = Executor([evaluate, take, forms(), constants(), unevaluated()], timeout=None)
    limited = Executor(list(executor.tools.values()), timeout=1)
    words = (
        "From the text of arguments to what is wrong with them, with its message; the deep ones are wrong at the bottom. The "
        "floor is `json.loads` of the arguments, and of the loop a call of a tool that does not exist. The loop waits for `arun` "
        "with `timeout=1`."
    )
    rows = [*deep(executor), *memory(executor), *long(executor), *holds(limited)]
    present(Table(title="Arguments that are hard to judge", words=words, rows=rows))


if __name__ == "__main__":
    main()
