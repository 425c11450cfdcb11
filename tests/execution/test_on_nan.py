"""Numbers that are not finite in results: refused by default, or written as null."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, TypedDict

import pytest
from annotated_types import Ge

from fcregistry import Executor, Registry, Tool, ToolResult
from fcregistry.execution import Content, Partial, ToolOutput
from fcregistry.types import to_json_text

NAN, INFINITY = float("nan"), float("inf")

HINT = '; with on_nan="null" for the tool or the executor, it is written as null'


@dataclass
class Reading:
    place: str
    value: float
    error: float | None = None
    price: Decimal = Decimal(1)
    positive: Annotated[float, Ge(0)] = 0.0


class Row(TypedDict):
    values: list[float]


def tool_returning(value: Any, annotation: Any = None, **options: Any) -> Tool:
    def measure() -> Any:
        """Measure it."""
        return value

    measure.__annotations__["return"] = Any if annotation is None else annotation
    return Tool.from_function(measure, **options)


def measured(value: Any, annotation: Any = None, **settings: Any) -> ToolResult:
    return Executor([tool_returning(value, annotation)], **settings).call("measure")


VALUES: list[tuple[Any, Any, str]] = [
    (NAN, float, "null"),
    (NAN, None, "null"),
    (-INFINITY, float | None, "null"),
    ([1.5, NAN, 2], list[float], "[1.5, null, 2]"),
    ({"a": {"b": [INFINITY]}}, dict[str, Any], '{"a": {"b": [null]}}'),
    ((NAN, "NaN", 1), tuple[float, str, int], '[null, "NaN", 1]'),
    ({"values": [NAN, 0.1]}, Row, '{"values": [null, 0.1]}'),
    (
        Reading("é", NAN, NAN, Decimal("NaN"), NAN),
        Reading,
        '{"place": "é", "value": null, "error": null, "price": null, "positive": null}',
    ),
    (
        [Reading("a", INFINITY, price=Decimal("-Infinity"))],
        list[Reading],
        '[{"place": "a", "value": null, "error": null, "price": null, "positive": 0.0}]',
    ),
    ({1.0, NAN}, set[float], "[1.0, null]"),
    (Decimal("sNaN"), Decimal, "null"),
    ({"\ud800": NAN}, dict[str, float], '{"\\ud800": null}'),
]


@pytest.mark.parametrize(("value", "annotation", "text"), VALUES)
def test_null_is_written_where_the_executor_or_the_tool_asks_for_it(value: Any, annotation: Any, text: str) -> None:
    refused = measured(value, annotation)
    assert (refused.ok, refused.value) == (False, None)
    assert refused.content.startswith("measure ran, but its result cannot be shown: ")
    assert refused.content.endswith(HINT)

    for executor in (
        Executor([tool_returning(value, annotation)], on_nan="null"),
        Executor([tool_returning(value, annotation, on_nan="null")]),
        Executor([tool_returning(value, annotation)], on_nan="null", check_results=True),
        Executor([tool_returning(value, annotation, on_nan="null")], check_results=True, validator="jsonschema"),
    ):
        result = executor.call("measure")
        assert (result.content, result.value) == (text, value)


def test_the_option_of_the_tool_takes_precedence() -> None:
    tools = [tool_returning(NAN, on_nan="refuse"), tool_returning(NAN, on_nan="null").renamed("other")]
    executor = Executor(tools, on_nan="null")
    assert [executor.call(name).ok for name in ("measure", "other")] == [False, True]


@pytest.mark.parametrize("on_nan", ["refuse", "null"])
def test_other_values_are_written_as_ever(on_nan: Any) -> None:
    for value in (1.5, [1e308, -0.0, 10**400], {"a": "NaN"}, "Infinity", None, Reading("a", 1.0)):
        assert measured(value, on_nan=on_nan).content == (value if isinstance(value, str) else to_json_text(value))


def test_null_does_not_hide_other_mistakes() -> None:
    assert "has no JSON form" in measured([NAN, object()], on_nan="null").content
    assert "both become '1'" in measured({1: NAN, "1": 2}, on_nan="null").content


def test_content_and_items_of_generators_have_null_too() -> None:
    def both() -> Any:
        """Return both."""
        return [Content.text("read"), {"value": NAN}]

    def items() -> Iterator[float]:
        """Yield some."""
        yield 1.0
        yield NAN

    executor = Executor([both, items], on_nan="null")
    assert executor.call("both").content == 'read\n{"value": null}'
    streamed = [*executor.stream({"name": "items"})]
    assert [each.content for each in streamed if isinstance(each, Partial)] == ["1.0", "null"]
    assert streamed[-1].content == "[1.0, null]"  # type: ignore[union-attr]  # a result

    async def events() -> list[Any]:
        return [
            event async for event in Executor([Tool.from_function(items, on_nan="null")]).astream({"name": "items"})
        ]

    assert [each.content for each in asyncio.run(events())] == ["1.0", "null", "[1.0, null]"]


def test_the_checked_value_beside_content_has_null_too() -> None:
    output = ToolOutput(content="about 1", value={"a": NAN})
    schema = {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]}
    tool = tool_returning(output, ToolOutput, on_nan="null", returns=schema)
    result = Executor(tool, check_results=True).call(tool.name)
    assert (result.error, result.content) == (None, "about 1")
    refused = tool_returning(output, ToolOutput, returns=schema)
    assert HINT in Executor(refused, check_results=True).call(refused.name).content


def test_content_for_the_model_that_the_tool_has_made_is_left_alone() -> None:
    assert measured(ToolOutput(value=NAN, content="NaN"), on_nan="null").content == "NaN"


@pytest.mark.parametrize("way", ["run", "arun", "run_all", "arun_all"])
def test_it_holds_for_every_way_of_running_calls(way: str) -> None:
    executor, call = Executor([tool_returning([NAN])], on_nan="null"), {"name": "measure", "arguments": "{}"}
    done = getattr(executor, way)(call if way.endswith("run") else [call])
    result = asyncio.run(done) if way.startswith("a") else done
    assert (result if isinstance(result, ToolResult) else result[0]).content == "[null]"


def test_an_expression_passes_null_on() -> None:
    def count(values: list[float | None]) -> int:
        """Count the numbers."""
        return sum(value is not None for value in values)

    executor = Executor([tool_returning([1.0, NAN, 2.0]), count], on_nan="null")
    assert executor.run_expression("count(measure())").content == "2"
    strict = Executor([tool_returning([1.0, NAN, 2.0]), count])
    assert strict.run_expression("count(measure())").error is not None


def test_the_schema_of_the_result_says_that_numbers_may_be_null() -> None:
    tool = tool_returning(None, Reading, on_nan="null")
    assert tool.returns is not None
    properties = tool.returns["properties"]
    assert properties["value"]["type"] == ["number", "null"]
    assert properties["positive"] == {**properties["positive"], "type": ["number", "null"], "minimum": 0}
    assert tool.definition("mcp")["outputSchema"] == tool.returns
    plain = tool_returning(None, Reading).returns
    assert plain is not None
    assert plain["properties"]["value"]["type"] == "number"


def test_views_pickles_and_registered_tools_keep_the_option() -> None:
    registry = Registry()
    tool = tool_returning([NAN], on_nan="null")
    registry.register([tool, tool.renamed("second")])
    views = Executor([registry.select("measure").prefixed("a_"), registry.get("second")]).tools
    assert [each.options.on_nan for each in views.values()] == ["null", "null"]
    assert [Executor([each]).call(each.name).content for each in views.values()] == ["[null]", "[null]"]
    assert pickle.loads(pickle.dumps(Partial(value=NAN, nulls=True))).content == "null"


def test_a_value_that_is_not_valid_is_refused() -> None:
    with pytest.raises(ValueError, match='on_nan must be "refuse" or "null", not None'):
        Executor(on_nan=None)  # type: ignore[arg-type]
    with pytest.raises(Exception, match="option 'on_nan' takes \"refuse\" or \"null\", not 'nan'"):
        tool_returning(1, on_nan="nan")


def test_a_result_with_null_is_valid_json_everywhere() -> None:
    result = measured({"values": [NAN]}, on_nan="null")
    assert json.loads(result.content) == {"values": [None]}
    assert json.loads(json.dumps(result.to_json(), allow_nan=False))["content"] == '{"values": [null]}'
