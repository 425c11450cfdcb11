"""Calls are written so that a model that is shown them writes calls that can be read."""

from __future__ import annotations

import enum
import keyword
from collections import deque
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any, TypedDict
from uuid import UUID

import pydantic
import pytest

from fcregistry import Tool
from fcregistry.expressions import parse_call, render


class Color(enum.Enum):
    RED = "red"


class Level(enum.StrEnum):
    LOW = "low"


@dataclass
class Point:
    x: int
    y: int


@dataclass
class Shape:
    corners: list[Point]
    color: Color | None = None


@dataclass
class Pixel(Point):
    color: Color = Color.RED


class Movie(TypedDict):
    title: str
    released: date


def add_points(p1: Point, p2: Point) -> Point:
    """Add points."""
    return Point(p1.x + p2.x, p1.y + p2.y)


def draw(shape: Shape | None, levels: dict[Level, set[Color]] | None = None) -> None:
    """Draw."""


def many(first: int, /, second: str, *rest: float, key: str = "", **others: Point) -> None:
    """Take many."""


def either(one: Point | Pixel) -> None:
    """Take either."""


def echo(v: Any) -> None:
    """Take it."""


def typed(
    day: date | None = None,
    when: datetime | None = None,
    at: time | None = None,
    wait: timedelta | None = None,
    price: Decimal | None = None,
    key: UUID | None = None,
    path: PurePosixPath | None = None,
    movie: Movie | None = None,
    row: tuple[Point, ...] = (),
    last: deque[int] | None = None,
) -> None:
    """Take values."""


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "expected"),
    [
        (add_points, (Point(1, 2), Point(3, 4)), {}, "add_points(p1=Point(x=1, y=2), p2=Point(x=3, y=4))"),
        (draw, (Shape([Point(1, 2)], Color.RED),), {}, "draw(shape=Shape(corners=[Point(x=1, y=2)], color=Color.RED))"),
        (draw, (None, {Level.LOW: {Color.RED}}), {}, "draw(shape=None, levels={'low': {Color.RED}})"),
        (draw, (None, {Level.LOW: set()}), {}, "draw(shape=None, levels={'low': []})"),
        (either, (Point(1, 2),), {}, "either(one=Point(x=1, y=2))"),
        (either, (Pixel(1, 2),), {}, "either(one=Pixel(x=1, y=2, color=Color.RED))"),
        (many, (1, "a"), {"key": "k"}, "many(1, second='a', key='k')"),
        (many, (1, "a", 2.5, 3.0), {}, "many(1, 'a', 2.5, 3.0)"),
        (many, (1, "a"), {"p": Point(1, 2)}, "many(1, second='a', p=Point(x=1, y=2))"),
        (many, (1, "a"), {"from": Point(1, 2)}, "many(1, second='a', **{'from': Point(x=1, y=2)})"),
        (
            echo,
            ([1, 2.5, "it's", None, True, b"a", {"k": (1,)}],),
            {},
            """echo(v=[1, 2.5, "it's", None, True, 'YQ==', {'k': (1,)}])""",
        ),
        (typed, (date(2024, 1, 2),), {}, "typed(day=date(2024, 1, 2))"),
        (typed, (), {"when": datetime(2024, 1, 2, 3)}, "typed(when=datetime(2024, 1, 2, 3, 0))"),  # noqa: DTZ001  # without a time zone
        (
            typed,
            (),
            {"when": datetime(2024, 1, 2, tzinfo=UTC)},
            "typed(when=datetime.fromisoformat('2024-01-02T00:00:00+00:00'))",
        ),
        (typed, (), {"at": time(1, 2)}, "typed(at=time(1, 2))"),
        (typed, (), {"wait": timedelta(days=-1, seconds=5)}, "typed(wait=timedelta(days=-1, seconds=5))"),
        (typed, (), {"price": Decimal("1.10")}, "typed(price=Decimal('1.10'))"),
        (typed, (), {"key": UUID(int=1)}, "typed(key=UUID('00000000-0000-0000-0000-000000000001'))"),
        (typed, (), {"path": PurePosixPath("a/b")}, "typed(path=PurePosixPath('a/b'))"),
        (
            typed,
            (),
            {"movie": {"title": "Alien", "released": date(1979, 5, 25)}},
            "typed(movie={'title': 'Alien', 'released': date(1979, 5, 25)})",
        ),
        (typed, (), {"row": (Point(1, 2),)}, "typed(row=(Point(x=1, y=2),))"),
        (typed, (), {"last": deque([1, 2])}, "typed(last=[1, 2])"),
    ],
)
def test_a_call_is_written_as_a_model_should_write_it(function: Any, args: Any, kwargs: Any, expected: str) -> None:
    assert render(function, *args, **kwargs) == expected
    assert parse_call(expected, tools=function) == Tool.from_function(function).make_call(*args, **kwargs)


def test_a_tool_is_written_by_its_wire_name_as_python_can_write_it() -> None:
    tool = Tool.from_function(add_points, name="add-points").renamed("add-all-points")
    written = render(tool, Point(1, 2), Point(3, 4))
    assert written == "add_all_points(p1=Point(x=1, y=2), p2=Point(x=3, y=4))"
    assert parse_call(written, tools=[tool]).name == "add-all-points"


@pytest.mark.parametrize("name", ["import", "True", "2x", "a-x"])
def test_a_tool_whose_name_is_not_an_identifier_can_be_written_and_read(name: str) -> None:
    tool = Tool.from_function(add_points, name=name)
    assert parse_call(render(tool, Point(1, 2), Point(3, 4)), tools=[tool]).name == name


@pytest.mark.parametrize("word", sorted({*keyword.kwlist} - {"True", "False", "None"}))
def test_an_argument_named_like_a_keyword_can_be_written_and_read(word: str) -> None:
    written = render(many, 1, "a", **{word: Point(1, 2)})
    assert parse_call(written, tools=many) == Tool.from_function(many).make_call(1, "a", **{word: Point(1, 2)})


@pytest.mark.parametrize(("args", "message"), [((), "add_points needs a value"), ((1, 2), "cannot take 1 as")])
def test_arguments_that_the_function_does_not_take_raise(args: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        render(add_points, *args)


class Aliased(pydantic.BaseModel):
    data: pydantic.Base64Str = pydantic.Field(alias="my-data")


class Open(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    data: pydantic.Base64Str


@pytest.mark.parametrize(
    ("annotation", "value", "written"),
    [
        (deque[pydantic.Base64Str], deque(["a"]), "['a']"),
        (Aliased, Aliased.model_validate({"my-data": "YQ=="}), "{'my-data': 'a'}"),
        (Open, Open.model_validate({"data": "YQ==", "more": 1}), "{'data': 'a', 'more': 1}"),
    ],
)
def test_decoded_values_can_be_written_at_any_depth(annotation: Any, value: Any, written: str) -> None:
    """Reading encodes them: JSON in their place would be encoded twice."""

    def take(value: Any) -> None: ...

    take.__annotations__["value"] = annotation
    tool = Tool.from_function(take)
    assert render(tool, value) == f"take(value={written})"
    assert parse_call(render(tool, value), tools=tool) == tool.make_call(value)
