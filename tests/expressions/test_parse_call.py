"""Calls that a model can write as Python does, and their values."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, Literal, NamedTuple, TypedDict
from uuid import UUID

import pytest

from fcregistry import Tool, ToolCall
from fcregistry.execution import Toolset
from fcregistry.expressions import CallGraph, ExpressionError, parse_call, parse_calls


class Color(enum.Enum):
    RED = "red"
    MIXED = (1, 2)


@dataclass
class Point:
    x: int
    y: int = 0

    def __post_init__(self) -> None:
        made.append(self)


class Span(NamedTuple):
    start: Point
    end: Point


class Movie(TypedDict, total=False):
    title: str
    released: date


@dataclass(kw_only=True)
class Box:
    items: list[Point | Color]
    label: str | None = None


made: list[Point] = []


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def power(x: int, y: int) -> int:
    """Raise."""
    return int(x**y)


def echo(v: Any) -> Any:
    """Return it."""
    return v


def add_points(p1: Point, p2: Point) -> Point:
    """Add points."""
    return Point(p1.x + p2.x, p1.y + p2.y)


def many(first: int, /, *rest: float, key: str = "", **others: Point) -> None:
    """Take many."""


def typed(
    span: Span | None = None,
    movie: Movie | None = None,
    box: Box | None = None,
    color: Color | None = None,
    shade: Literal[Color.RED] | None = None,
    colors: set[Color] | None = None,
    points: dict[Color, Point] | None = None,
    when: datetime | None = None,
    day: date | None = None,
    wait: timedelta | None = None,
    price: Decimal | None = None,
    key: UUID | None = None,
    data: bytes | None = None,
    pair: tuple[Point, str] | None = None,
) -> None:
    """Take values of types."""


TOOLS = Toolset(Tool.from_function(each) for each in (add, power, echo, add_points, many, typed))
CONTEXT: dict[str, Any] = {
    "x": 10,
    "y": 5,
    "origin": Point(0, 0),
    "Point": Point,
    "P": Point,
    "Hue": Color,
    "np.pi": 3.14,
}
ALLOW: dict[str, Any] = {"np.array": tuple, "scale": lambda point, by: [point.x * by, point.y * by]}


def arguments(text: str) -> Any:
    """Return the arguments of the call in a text."""
    call = parse_call(text, tools=TOOLS, context=CONTEXT, allow=ALLOW)
    assert isinstance(call, ToolCall)
    return call.arguments


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("add(3, 4)", {"a": 3, "b": 4}),
        ("power(3, y=3)", {"x": 3, "y": 3}),
        ("add(x, b=y)", {"a": 10, "b": 5}),
        ("add(**{'a': 1}, b=2)", {"a": 1, "b": 2}),
        ("add(*[1, 2])", {"a": 1, "b": 2}),
        ("add(x, c=5)", {"a": 10, "c": 5}),  # for validation to refuse
        ("many(1, 2.5, 3, key='k', p=Point(1))", {"first": 1, "rest": [2.5, 3.0], "key": "k", "p": {"x": 1}}),
        ("many(first=1)", {"first": 1}),
        ("many(1, **{'from': Point(x=1)})", {"first": 1, "from": {"x": 1}}),
        (" add(\n  3,\n  4,\n) # both ", {"a": 3, "b": 4}),
        ("```python\nadd(3, 4)\n```", {"a": 3, "b": 4}),
        ("``` python \r\n\r\nadd(3, 4)\r\n  ```\r\n", {"a": 3, "b": 4}),
        ("```\nadd(3, 4)", {"a": 3, "b": 4}),
        ("[add(3, 4)]", {"a": 3, "b": 4}),
    ],
)
def test_arguments_are_bound_by_the_signature(text: str, expected: Any) -> None:
    assert arguments(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[x]", [10]),
        ("{'k': x}", {"k": 10}),
        ("(x, 1)", [10, 1]),
        ("'a)b'", "a)b"),
        ("-10", -10),
        ("10 + 5", 15),
        ("2024 - 2017", 7),
        ("-(7 // 2) * 2 ** 3 % 5", 1),
        ("1 << 4 | 3", 19),
        ("1 / 4", 0.25),
        ("2 ** 4095", 2**4095),
        ("2 ** -1", 0.5),
        ("'a' + 'b' 'c'", "abc"),
        ("[1, [2, 3], {'a': 4, 'b': [5, (6,)]}]", [1, [2, 3], {"a": 4, "b": [5, [6]]}]),
        ("{3, 1, 3}", [1, 3]),
        ("{1: 'a', 2.5: 'b', None: 'c'}", {"1": "a", "2.5": "b", "null": "c"}),
        (r"'\d+\n'", "\\d+\n"),
        (r"r'\d+\n'", "\\d+\\n"),
        ("'''a\r\nb'''", "a\nb"),
        ("True", True),
        ("None", None),
        ("origin", {"x": 0, "y": 0}),
        ("np.pi", 3.14),
        ("np.array([1, x])", [1, 10]),
        ("datetime(2024, 1, 2)", "2024-01-02T00:00:00"),
        ("Point(1, y=2)", {"x": 1, "y": 2}),
        ("scale(Point(1, 2), by=3)", [3, 6]),
    ],
)
def test_a_literal_has_the_value_that_it_has_in_python(text: str, expected: Any) -> None:
    assert arguments(f"echo({text})") == {"v": expected}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("span", "Span(Point(1, 2), end=Point(x=3))", {"start": {"x": 1, "y": 2}, "end": {"x": 3}}),
        ("span", "{'start': Point(1), 'end': origin}", {"start": {"x": 1}, "end": {"x": 0, "y": 0}}),
        ("movie", "Movie(title='Alien', released=date(1979, 5, 25))", {"title": "Alien", "released": "1979-05-25"}),
        ("box", "Box(items=[P(1, 2), Color.RED])", {"items": [{"x": 1, "y": 2}, "red"]}),
        ("color", "Color.MIXED", "MIXED"),
        ("color", "Color('red')", "red"),
        ("color", "Hue.RED", "red"),
        ("color", "'red'", "red"),
        ("shade", "Color.RED", "red"),
        ("colors", "{Color.RED, Color.MIXED, Color.RED}", ["MIXED", "red"]),
        ("points", "{Color.RED: Point(1)}", {"red": {"x": 1}}),
        ("when", "datetime.datetime(2024, 1, 2, 3, tzinfo=timezone.utc)", "2024-01-02T03:00:00+00:00"),
        ("when", "datetime(2024, 1, 2, tzinfo=timezone(timedelta(hours=2)))", "2024-01-02T00:00:00+02:00"),
        ("when", "datetime.fromisoformat('2024-01-02T03:04:05')", "2024-01-02T03:04:05"),
        ("when", "'2024-01-02T03:04:05Z'", "2024-01-02T03:04:05Z"),
        ("day", "date(2024, 2, 29)", "2024-02-29"),
        ("wait", "timedelta(days=1, hours=2)", "P1DT2H"),
        ("price", "Decimal('1.10')", "1.10"),
        ("key", "UUID('12345678-1234-5678-1234-567812345678')", "12345678-1234-5678-1234-567812345678"),
        ("data", "b'\\x00\\xff'", "AP8="),
        ("pair", "(Point(1), 'a')", [{"x": 1}, "a"]),
    ],
)
def test_a_value_is_encoded_by_the_type_of_its_parameter(name: str, text: str, expected: Any) -> None:
    assert arguments(f"typed({name}={text})") == {name: expected}


def test_no_instance_of_a_parameters_type_is_made() -> None:
    made.clear()
    arguments("add_points(Point(1, 2), Point(x=3, y=4))")
    assert made == []


def test_times_of_the_context_mean_the_types_of_the_standard_library() -> None:
    call = parse_call("echo(datetime(2024, 1, 2))", tools=TOOLS, context={"datetime": datetime, "timezone": timezone})
    assert call == ToolCall("echo", {"v": "2024-01-02T00:00:00"})


def test_nested_calls_are_a_graph_whose_arguments_name_the_results() -> None:
    graph = parse_call("add(power(2, 3), power(add(1, 1), 2))", tools=TOOLS)
    assert isinstance(graph, CallGraph)
    assert graph.calls == (
        ToolCall("power", {"x": 2, "y": 3}, "call-1"),
        ToolCall("add", {"a": 1, "b": 1}, "call-2"),
        ToolCall("power", {"x": {"$result": "call-2"}, "y": 2}, "call-3"),
        ToolCall("add", {"a": {"$result": "call-1"}, "b": {"$result": "call-3"}}, "call-4"),
    )
    assert graph.name == "add"
    assert graph.call is graph.calls[-1]
    assert [(each.path, each.call) for each in graph.references["call-4"]] == [(("a",), "call-1"), (("b",), "call-3")]


def test_a_result_may_be_anywhere_in_an_argument() -> None:
    graph = parse_call("echo([1, {'k': Point(add(1, 2))}])", tools=TOOLS, context=CONTEXT)
    assert isinstance(graph, CallGraph)
    assert graph.call.arguments == {"v": [1, {"k": {"x": {"$result": "call-1"}}}]}
    assert [each.path for each in graph.references["call-2"]] == [("v", 1, "k", "x")]


@pytest.mark.parametrize(
    "text", ["[add(1, 2), power(3, 4)]", "add(1, 2)\npower(3, 4)", "add(1, 2); power(3, 4)", "add(1, 2), power(3, 4)"]
)
def test_several_calls_are_in_a_list_or_one_after_the_other(text: str) -> None:
    assert parse_calls(text, tools=TOOLS) == [ToolCall("add", {"a": 1, "b": 2}), ToolCall("power", {"x": 3, "y": 4})]


def test_no_two_calls_of_one_text_have_one_id() -> None:
    graphs = parse_calls("[add(add(1, 2), 3), power(1, 2), add(4, add(5, 6))]", tools=TOOLS)
    ids = [call.id for graph in graphs if isinstance(graph, CallGraph) for call in graph.calls]
    assert ids == ["call-1", "call-2", "call-3", "call-4"]


def test_an_empty_list_has_no_call() -> None:
    assert parse_calls("[]", tools=TOOLS) == []


def test_a_tool_is_found_by_the_name_that_python_can_write() -> None:
    tool = Tool.from_function(add, name="add-up", aliases=("plus",))
    for name in ("add_up", "plus", f"{tool.group}.add_up", "add_x2d_up"):
        assert parse_call(f"{name}(1, 2)", tools=[tool]).name == "add-up"


def test_the_name_of_a_tool_beats_the_alias_of_another() -> None:
    tools = [Tool.from_function(add, name="first", aliases=("plus-it",)), Tool.from_function(add, name="plus-it")]
    assert parse_call("plus_it(1, 2)", tools=tools).name == "plus-it"


def test_an_alias_of_several_tools_names_none_of_them() -> None:
    tools = [Tool.from_function(add, name=name, aliases=("plus",)) for name in ("add-up", "sum")]
    with pytest.raises(ExpressionError, match="there is no tool 'plus'; the tools are add_up, sum"):
        parse_call("plus(1, 2)", tools=tools)


def test_a_tool_of_a_schema_takes_its_properties_by_position() -> None:
    def anything(**given: Any) -> None:
        """Take anything."""

    schema = {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}
    tool = Tool.from_function(anything, parameters=schema)
    assert parse_call("anything('Oslo', 3)", tools=tool) == ToolCall("anything", {"city": "Oslo", "days": 3})


def test_tools_may_be_passed_as_functions() -> None:
    assert parse_call("add(1, 2)", tools=add) == parse_call("add(1, 2)", tools=[add]) == add_call()


def add_call() -> ToolCall:
    return Tool.from_function(add).make_call(1, 2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tools": "add"}, "registry.select"),
        ({"tools": ["add"]}, "registry.select"),
        ({"tools": 3}, "not 3"),
        ({"context": ["x"]}, "context is a dict from names"),
        ({"allow": {"f": 3}}, r"allow\['f'\] is a function or a class, not 3; values belong in context"),
    ],
)
def test_the_programmers_mistakes_raise(given: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        parse_call("add(1, 2)", **{"tools": TOOLS, **given})


def test_an_expression_that_is_not_a_text_raises() -> None:
    with pytest.raises(TypeError, match="an expression is a text, not int"):
        parse_call(3, tools=TOOLS)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["b'a'", "[1, b'a']", "{'k': (b'a',)}", "{b'a': 1}", "data", "{b'a'}"])
def test_bytes_are_refused_for_a_parameter_of_another_type(text: str) -> None:
    """A function would receive their base64 text, and could not know that."""
    for call in (f"echo({text})", f"many(1, key={text})"):
        with pytest.raises(ExpressionError, match=r"type bytes; write a text|keys of a dict are texts"):
            parse_call(call, tools=TOOLS, context={"data": b"a"})
    assert parse_call("typed(data=b'a')", tools=TOOLS).arguments == {"data": "YQ=="}
