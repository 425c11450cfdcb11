"""Every sort of function keeps its type when it is declared. Read by the type checker, never run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any, assert_type

from fcregistry import Registry, Tool, fc_register, types
from fcregistry.errors import DefinitionError


@dataclass
class Point:
    x: int
    y: int = 0


@fc_register
async def fetch(url: str, /, *, retries: int = 3) -> bytes:
    return url.encode() * retries


@fc_register("numbers")
def count(start: int, *more: int, **named: float) -> Iterator[float]:
    yield from (start, *more, *named.values())


@fc_register("numbers", name="stream", tags=("a",), timeout=1.0)
async def stream(to: int) -> AsyncIterator[int]:
    for number in range(to):
        yield number


@fc_register()
def move(point: Point, by: Point | None = None) -> Point:
    return by or point


assert_type(asyncio.run(fetch("x", retries=1)), bytes)
assert_type(count(1, 2, half=0.5), Iterator[float])
assert_type(stream(3), AsyncIterator[int])
assert_type(move(Point(1)), Point)

assert_type(fc_register(move, name="move_soon", timeout=1.0)(Point(1)), Point)
fc_register(move, tag="a")  # type: ignore[call-overload] # misspelt, as anywhere
again = fc_register("points")(move)
assert_type(again(Point(1), Point(2)), Point)
again("elsewhere")  # type: ignore[arg-type] # declared twice, checked still

shout: Callable[[str], str] = str.upper
assert_type(fc_register("text", name="shout")(shout)("x"), str)


class Clock:
    @fc_register("clock")
    def now(self) -> float:
        return 0.0

    @fc_register("clock")
    @classmethod
    def zones(cls) -> list[str]:
        return []


assert_type(Clock().now(), float)


def register(registry: Registry) -> None:
    assert_type(Tool.from_function(move, name="other"), Tool)
    registry.register(move, group="points", name="move_point")


def describe(error: DefinitionError) -> None:
    assert_type(types.schema_of(Point), dict[str, Any])
    assert_type(types.codec_of(list[Point]), types.Codec)
    assert_type(types.to_json_text(Point(1)), str)
    assert_type(error.problems, tuple[str, ...])
