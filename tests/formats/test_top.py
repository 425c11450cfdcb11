"""Schemas whose top combines others, for providers that need a plain object there."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from fcregistry import Executor, Tool
from fcregistry.formats import Definition

from .shapes import DEFS, objects, shapes, values

PLAIN_TOPS = ("anthropic", "bedrock", "gemini", "openai", "openai-responses")


def take(**given: Any) -> dict[str, Any]:
    return given


def definition(schema: dict[str, Any], format_name: str = "anthropic", **options: Any) -> Definition:
    made = Tool.from_function(take, parameters=schema).definition(format_name, **options)
    assert isinstance(made, Definition)
    return made


def said(schema: dict[str, Any], **options: Any) -> dict[str, Any]:
    return definition(schema, **options)["input_schema"]  # type: ignore[no-any-return]


EITHER = {
    "properties": {"route": {"type": "string"}, "file": {"type": "string"}},
    "anyOf": [{"required": ["route"]}, {"required": ["file"]}],
    "additionalProperties": False,
}


def test_alternatives_at_the_top_are_written_as_one_object_and_in_words() -> None:
    made = definition(EITHER)

    assert made["input_schema"] == {
        "type": "object",
        "properties": EITHER["properties"],
        "additionalProperties": False,
        "description": '(anyOf: [{"required": ["route"]}, {"required": ["file"]}])',
    }
    assert [(each.path, each.keyword, each.value) for each in made.dropped] == [("$", "anyOf", EITHER["anyOf"])]
    assert made.dropped[0].reason == "Anthropic takes a plain object at the top"


def test_calls_are_still_held_to_the_alternatives() -> None:
    executor = Executor([Tool.from_function(take, parameters=EITHER)])

    assert executor.call("take", file="x").ok
    assert not executor.call("take").ok


def test_the_properties_of_all_alternatives_are_there_and_what_all_require_is_required() -> None:
    schema = {
        "oneOf": [
            {
                "type": "object",
                "properties": {"kind": {"const": "a"}, "x": {"type": "integer"}, "n": {"type": "string"}},
                "required": ["kind", "n", "x"],
                "additionalProperties": False,
            },
            {"$ref": "#/$defs/B"},
        ],
        "$defs": {
            "B": {
                "allOf": [{"required": ["n", "kind"]}],
                "properties": {"kind": {"const": "b"}, "n": {"type": "string"}},
                "additionalProperties": False,
            }
        },
    }
    assert said(schema) == {
        "type": "object",
        "properties": {
            "kind": {"anyOf": [{"const": "a"}, {"const": "b"}]},
            "x": {"type": "integer"},
            "n": {"type": "string"},
        },
        "required": ["kind", "n"],
        "additionalProperties": False,
        "$defs": schema["$defs"],
    }
    strict = definition(schema, "openai", strict=True)["function"]["parameters"]
    assert strict["required"] == ["kind", "x", "n"]
    assert strict["properties"]["x"] == {"type": ["integer", "null"]}


def test_where_one_alternative_takes_other_names_the_whole_does() -> None:
    closed = {"properties": {"a": {"type": "string"}}, "additionalProperties": False}
    opened = {"properties": {"b": {"type": "string"}}}

    assert "additionalProperties" not in said({"anyOf": [closed, opened]})
    assert said({"anyOf": [closed, closed]})["additionalProperties"] is False


@pytest.mark.parametrize(
    ("schema", "properties", "required", "unsaid"),
    [
        (
            {"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"a": {"type": "string"}}, "required": ["a"]}}},
            {"a": {"type": "string"}},
            ["a"],
            [],
        ),
        (
            {
                "properties": {"a": {"type": "string"}},
                "required": ["a"],
                "allOf": [{"properties": {"b": {"type": "null"}}, "required": ["b"]}, {"$ref": "#/$defs/C"}],
                "$defs": {"C": {"$id": "c", "properties": {"c": {}}}},
            },
            {"a": {"type": "string"}, "b": {"type": "null"}, "c": {}},
            ["a", "b"],
            [],
        ),
        (
            {
                "properties": {"a": {}},
                "allOf": [{"properties": {"b": {"type": "null"}}, "required": ["b"], "minProperties": 1}, {"additionalProperties": {}}],
            },
            {"a": {}, "b": {"type": "null"}},
            ["b"],
            [],
        ),
        (
            {
                "properties": {"a": {}},
                "allOf": [{"properties": {"b": {}}, "required": ["b"], "additionalProperties": False}],
            },
            {"a": {}, "b": {}},
            ["b"],
            ["allOf"],
        ),
    ],
)  # fmt: skip
def test_what_is_joined_at_the_top_is_written_in_one(
    schema: dict[str, Any], properties: dict[str, Any], required: list[str], unsaid: list[str]
) -> None:
    made = definition(schema)
    plain = made["input_schema"]

    assert (plain["properties"], plain.get("required", [])) == (properties, required)
    assert not {"$ref", "allOf", "anyOf", "oneOf"} & set(plain)
    assert [each.keyword for each in made.dropped] == unsaid


@pytest.mark.parametrize(
    ("format_name", "strict"),
    [*((name, False) for name in PLAIN_TOPS), *((name, True) for name in PLAIN_TOPS if name != "gemini")],
)
def test_no_provider_is_sent_what_it_refuses_at_the_top(format_name: str, strict: bool) -> None:
    schema = {
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "additionalProperties": False,
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
        "allOf": [{"required": ["a"]}],
        "not": {"required": ["z"]},
    }
    made = definition(schema, format_name, strict=strict)
    body = made.get("function") or made.get("toolSpec") or made
    top = (
        body.get("parameters")
        or body.get("input_schema")
        or body.get("parametersJsonSchema")
        or body["inputSchema"]["json"]
    )

    assert not {"anyOf", "oneOf", "allOf", "$ref"} & set(top)
    assert "not" not in top or format_name in ("anthropic", "bedrock")
    assert "a" in top["required"]
    assert {"anyOf", "oneOf"} <= {each.keyword for each in made.dropped}


@pytest.mark.parametrize("format_name", ["mcp", "json-schema", "yaml"])
def test_other_formats_say_the_top_as_it_is(format_name: str) -> None:
    assert "anyOf" in str(Tool.from_function(take, parameters=EITHER).definition(format_name))


@pytest.mark.parametrize("format_name", ["text", "python", "typescript"])
def test_a_prompt_shows_the_parameters_in_any_place(format_name: str) -> None:
    schema = {
        "$ref": "#/$defs/A",
        "$defs": {"A": {"properties": {"place": {"type": "string"}}, "additionalProperties": False}},
    }
    text = Tool.from_function(take, parameters=schema).definition(format_name)

    assert "place" in text.split("$defs")[0]
    assert Tool.from_function(take, parameters=EITHER).definition(format_name).dropped[0].keyword == "anyOf"


def test_a_reference_with_other_keywords_is_merged_with_its_target() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/A", "properties": {"y": {"type": "integer"}}, "required": ["y"]}},
        "required": ["a"],
        "additionalProperties": False,
        "$defs": {"A": {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}},
    }
    assert said(schema, strict=True)["properties"]["a"] == {
        "properties": {"y": {"type": "integer"}, "x": {"type": "string"}},
        "required": ["y", "x"],
        "type": "object",
        "additionalProperties": False,
    }


@given(st.data())
@settings(deadline=None, database=None, max_examples=100)
def test_what_the_schema_accepts_its_plain_form_accepts_too(data: st.DataObject) -> None:
    keyword = data.draw(st.sampled_from(["anyOf", "allOf", "$ref"]))
    branches = data.draw(st.lists(objects(shapes), min_size=1, max_size=3))
    arguments = data.draw(values(data.draw(st.sampled_from(branches))))
    schema: dict[str, Any] = {"$defs": {**DEFS, "Top": branches[0]}}
    schema[keyword] = "#/$defs/Top" if keyword == "$ref" else branches
    note(f"{schema} {arguments}")
    whole = Draft202012Validator({"type": "object", **schema})
    assume(whole.is_valid(arguments))
    plain = definition(schema)["input_schema"]
    Draft202012Validator.check_schema(plain)
    assert Draft202012Validator(plain).is_valid(arguments)
