"""Tools with an external schema: how it fits the function, is published, and validates calls."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fcregistry import Executor, Tool
from fcregistry.errors import DefinitionError

from .both_engines import ENGINES, URIS, Engine, of


def greet(name: str = "you", **more: Any) -> str:
    return f"hello {name} {more}".strip()


def move(x: Any, y: Any = 0) -> list[Any]:
    return [x, y]


def pair(first: Any, second: Any, /) -> list[Any]:
    return [first, second]


def gather(*items: Any) -> list[Any]:
    return list(items)


def problems_of(function: Any, parameters: dict[str, Any]) -> tuple[str, ...]:
    tool = Tool.from_function(function, parameters=parameters)
    with pytest.raises(DefinitionError) as caught:
        tool.parameters  # noqa: B018  # made at first use
    return caught.value.problems


# --- what is published -------------------------------------------------------------------------------------------


def test_the_schema_is_kept_with_titles_and_descriptions() -> None:
    given = {
        "title": "Greeting",
        "properties": {"name": {"title": "Name", "description": "Who.", "x-order": 1}},
        "required": ["name"],
    }
    tool = Tool.from_function(greet, parameters=given)
    assert tool.parameters == {"type": "object", **given}


def test_the_draft_by_which_a_schema_is_valid_is_published_with_it() -> None:
    given = {"properties": {"x": {"minimum": 0, "exclusiveMinimum": True}}}
    tool = Tool.from_function(move, parameters=given)
    assert tool.parameters == {"$schema": URIS["4"], "type": "object", **given}


def test_the_schema_is_the_same_text_each_time() -> None:
    given = of("7", {"properties": {"y": {}, "x": {}}, "required": ["x"]})
    first, second = (Tool.from_function(move, parameters=given) for _ in range(2))
    assert json.dumps(first.parameters) == json.dumps(second.parameters)


# --- what fits the function --------------------------------------------------------------------------------------


def test_a_schema_that_does_not_fit_the_function_is_a_definition_error() -> None:
    assert problems_of(move, {"properties": {"z": {}, "y": {}}}) == (
        "the schema has the property 'z', and the function takes no such argument",
        "the function needs 'x', and the schema has no such property",
    )


POINT = {"type": "object", "properties": {"x": {}, "y": {}}, "required": ["x"]}


@pytest.mark.parametrize(
    "top",
    [
        {"$ref": "#/$defs/point"},
        {"allOf": [{"$ref": "#/$defs/point"}]},
        {"anyOf": [{"properties": {"x": {}}}, {"properties": {"y": {}}}]},
        {"oneOf": [{"$ref": "#/$defs/point"}]},
        {"if": {"properties": {"z": {}}}, "then": {"properties": {"x": {}}}},
        {"dependentSchemas": {"y": {"properties": {"x": {}}}}},
        {"properties": {"x": {}, "z": False}},  # what may not be there need not be taken
        {"patternProperties": {"^[xy]$": {}}},
        {"patternProperties": {"(?=x)": {}}},  # nobody knows
        {"$ref": "https://json-schema.org/draft/2020-12/schema"},
        of("7", {"$ref": "#/$defs/point", "properties": {"z": {}}}),  # what stands beside is ignored
    ],
)
def test_properties_are_found_wherever_the_top_declares_them(top: dict[str, Any]) -> None:
    tool = Tool.from_function(move, parameters={**top, "$defs": {"point": POINT}})
    assert tool.definition_error is None
    assert Executor([tool]).run({"name": "move", "arguments": {"x": 1}}).value == [1, 0]


@pytest.mark.parametrize(
    "top",
    [
        {"$ref": "#/$defs/other"},
        {"allOf": [{"properties": {"x": {}}}, {"$ref": "#/$defs/other"}]},
        {"properties": {"x": {}}, "anyOf": [{}, {"$ref": "#/$defs/other"}]},
    ],
)
def test_a_property_behind_a_reference_that_the_function_does_not_take_is_reported(top: dict[str, Any]) -> None:
    problems = problems_of(move, {**top, "$defs": {"other": {"properties": {"z": {}}}}})
    assert "the schema has the property 'z', and the function takes no such argument" in problems


NOT_FETCHED = 'that is outside the schema and is not fetched: copy it under "$defs", and refer to it there'
WITHOUT_END = (
    "applies itself to the same value again, without end: what refers to itself does so below a keyword for "
    'parts of the value, such as "properties" or "items"'
)


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"type": "array"}, 'the parameters of a tool are an object, so its schema says "type": "object", not "array"'),
        ({"properties": {"x": {"$ref": "a.json"}}}, f"$.properties.x['$ref'] is \"a.json\", and {NOT_FETCHED}"),
        ({"$ref": "#/$defs/point", "$defs": {"point": {"$ref": "#"}}}, f"the schema {WITHOUT_END}"),
        ({"properties": {"x": {"minLength": "1"}}}, '$.properties.x.minLength: must be an integer, not "1"'),
        ({"$schema": "http://json-schema.org/draft-03/schema#"},
         '"$schema" is "http://json-schema.org/draft-03/schema#", and drafts before 4 are not read: write the schema in a later one'),
    ],
)  # fmt: skip
def test_a_schema_that_cannot_be_used_is_a_definition_error(parameters: dict[str, Any], problem: str) -> None:
    assert problems_of(move, parameters) == (f"parameters=…: {problem}",)


@pytest.mark.parametrize("given", [True, False, "x", ["x"]])
def test_parameters_that_are_not_an_object_are_refused_at_definition(given: Any) -> None:
    with pytest.raises(DefinitionError, match="a JSON Schema as a dict"):
        Tool.from_function(move, parameters=given)


# --- how calls are judged ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_values_reach_the_function_as_json_values(engine: Engine) -> None:
    tool = Tool.from_function(greet, parameters={"properties": {"name": {"enum": ["a", "b"]}}})
    executor = Executor([tool], validator=engine)
    assert executor.call("greet", name="a", extra={"x": [1]}).value == "hello a {'extra': {'x': [1]}}"
    result = executor.call("greet", name="c")
    assert result.error is not None
    assert [str(problem) for problem in result.error.problems] == ['$.name: must be one of "a", "b", not "c"']


@pytest.mark.parametrize("engine", ENGINES)
def test_calls_are_validated_by_the_draft_of_the_schema(engine: Engine) -> None:
    parameters = of("4", {"properties": {"x": {"minimum": 0, "exclusiveMinimum": True}}, "dependencies": {"x": ["y"]}})
    result = Executor([Tool.from_function(move, parameters=parameters)], validator=engine).call("move", x=0)
    assert result.error is not None
    assert [str(problem) for problem in result.error.problems] == [
        "$.x: must be greater than 0, not 0",
        "$.y: is required (where $.x is given)",
    ]


def test_a_null_for_an_optional_property_is_left_out_even_behind_a_reference() -> None:
    point = {"properties": {"x": {}, "y": {"type": "integer"}}, "required": ["x"]}
    tool = Tool.from_function(move, parameters={"$ref": "#/$defs/point", "$defs": {"point": point}})
    result = Executor([tool]).run({"name": "move", "arguments": {"x": 1, "y": None}})
    assert result.value == [1, 0]
    assert result.repairs == ("$.y was null: taken as left out",)


@pytest.mark.parametrize(
    ("function", "schema", "arguments", "problem"),
    [
        (pair, {"properties": {"first": {}, "second": {}}}, {"second": 1}, "$.first: is required"),
        (
            pair,
            {"properties": {"first": {}, "second": {}}},
            {"first": 1, "second": 2, "x": 3},
            "$.x: is not a known name",
        ),
        (gather, {"properties": {"items": {"type": "string"}}}, {"items": "abc"}, "$.items: must be an array"),
    ],
)
def test_arguments_that_the_schema_accepts_and_the_function_does_not_are_invalid(
    function: Any, schema: dict[str, Any], arguments: dict[str, Any], problem: str
) -> None:
    tool = Tool.from_function(function, parameters=schema)
    result = Executor([tool]).run({"name": tool.name, "arguments": arguments})
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    assert [str(each) for each in result.error.problems] == [problem]
