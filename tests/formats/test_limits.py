"""Limits of providers on the size of one schema, and of several in one request."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from fcregistry import Executor, Tool
from fcregistry.errors import DefinitionError


def take(**given: Any) -> None: ...


def tool(schema: dict[str, Any], name: str = "take") -> Tool:
    return Tool.from_function(take, name=name, parameters={"additionalProperties": False, **schema})


def refusal(schema: dict[str, Any], format_name: str) -> tuple[str, ...]:
    with pytest.raises(DefinitionError) as caught:
        tool(schema).definition(format_name, strict=True)
    return caught.value.problems


def padded(characters: int) -> dict[str, Any]:
    """Return a schema in which the names of properties and types, and the choices, have so many characters together."""
    types = {
        "Rec": {
            "type": "object",
            "properties": {
                "d": {"type": "array", "items": {"$ref": "#/$defs/Rec"}},
                "e": {"type": "integer", "const": 12},
            },
            "required": ["d", "e"],
            "additionalProperties": False,
        }
    }
    counted = len("Rec" + "ab" + "c" + "d" + "e" + "None" + "12")
    choices = {"type": ["string", "null"], "enum": ["x" * (characters - counted), None]}
    return {"properties": {"ab": choices, "c": {"$ref": "#/$defs/Rec"}}, "required": ["ab", "c"], "$defs": types}


def test_characters_are_those_of_names_and_choices_in_definitions_too() -> None:
    assert tool(padded(120_000)).definition("openai", strict=True)
    assert refusal(padded(120_001), "openai") == (
        "$: the parameters have 120,001 characters in names and choices, and OpenAI's strict mode accepts 120,000; use fewer",
    )


def test_a_property_may_be_a_boolean_schema_where_the_size_is_measured() -> None:
    held = {"additionalProperties": {"properties": {"a": False, "b": True}}}
    described = tool({"properties": {"a": held}}).definition("gemini")
    assert described["parametersJsonSchema"]["properties"] == {"a": {"additionalProperties": {"properties": {"b": {}}}}}


def test_a_type_that_refers_to_itself_is_one_level() -> None:
    def nested(levels: int) -> dict[str, Any]:
        """Return a schema of so many levels: of the parameters, of objects in each other, and of a type that refers to itself."""
        rest: dict[str, Any] = {"type": "object", "required": ["a"], "additionalProperties": False}
        inner: dict[str, Any] = {"$ref": "#/$defs/Rec"}
        for _ in range(levels - 2):
            inner = {**rest, "properties": {"a": inner}}
        recursive = {**rest, "properties": {"a": {"anyOf": [{"$ref": "#/$defs/Rec"}, {"type": "null"}]}}}
        return {"properties": {"a": inner}, "required": ["a"], "$defs": {"Rec": recursive}}

    assert tool(nested(10)).definition("openai", strict=True)
    assert "11 levels of nested objects" in refusal(nested(11), "openai")[0]


def test_openais_limits() -> None:
    many = {"properties": {f"p{at}": {"type": "string"} for at in range(5001)}}
    assert refusal(many, "openai") == (
        "$: the parameters have 5,001 properties, and OpenAI's strict mode accepts 5,000; use fewer",
    )
    choices = {"properties": {"a": {"type": "integer", "enum": list(range(1001))}}, "required": ["a"]}
    assert "1,001 choices" in refusal(choices, "openai")[0]
    characters = {"properties": {"a": {"enum": [f"{at}{'x' * 200}" for at in range(600)]}}, "required": ["a"]}
    assert "characters in names and choices" in refusal(characters, "openai")[0]
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(11):
        deep = {"type": "object", "properties": {"a": deep}, "required": ["a"], "additionalProperties": False}
    assert "11 levels of nested objects, and OpenAI's strict mode accepts 10" in refusal(deep, "openai")[0]


def test_a_schema_of_five_thousand_properties_is_described() -> None:
    many = tool({"properties": {f"p{at}": {"type": "string", "minLength": 1} for at in range(5000)}})

    assert len(many.definition("openai", strict=True).dropped) == 5000
    assert len(many.definition("gemini")["parametersJsonSchema"]["properties"]) == 5000
    assert len(many.definition("python")) > 5000


def test_anthropics_limits_hold_for_one_tool() -> None:
    optional = {"properties": {f"p{at}": {"type": "string"} for at in range(25)}}
    assert refusal(optional, "anthropic") == (
        "$: the parameters have 25 optional parameters in tools described strictly, and Anthropic's strict mode accepts 24; use fewer",
    )
    assert tool(optional).definition("bedrock", strict=True)


def test_anthropics_limits_hold_for_all_tools_of_a_request_together() -> None:
    def either(value: int | str, mode: Literal["a", "b"] = "a") -> None: ...

    tools = [Tool.from_function(either, name=f"either_{at}") for at in range(25)]
    with pytest.raises(DefinitionError) as caught:
        Executor(tools).describe("anthropic", strict=True)

    assert str(caught.value).startswith(
        "these tools cannot be described together in the format 'anthropic' with strict=True:"
    )
    assert caught.value.problems == (
        "the request has 25 tools described strictly, and Anthropic's strict mode accepts 20; use fewer",
        "the request has 25 optional parameters in tools described strictly, and Anthropic's strict mode accepts 24; use fewer",
        "the request has 25 parameters of several types in tools described strictly, and Anthropic's strict mode accepts 16; use fewer",
    )
    assert len(Executor(tools).describe("anthropic")) == 25
    assert len(Executor(tools).describe("openai", strict=True)) == 25
    assert len(Executor(tools[:16]).describe("anthropic", strict=True)) == 16
