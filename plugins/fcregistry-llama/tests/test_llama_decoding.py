"""What the model may write is bounded, and valid against the tool's schema; all of this is known without a model."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from fcregistry_llama._bounds import Limits
from fcregistry_llama._decoding import arguments_schema, choice_schema, is_empty


def closed(**properties: Any) -> dict[str, Any]:
    """The schema of parameters that are all required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def of_value(schema: Any, root: dict[str, Any] | None = None, **limits: Any) -> dict[str, Any]:
    """The whole form of parameters of which one, `value`, has a schema."""
    return arguments_schema({**closed(value=schema), **(root or {})}, Limits(**limits))


def takes(written: dict[str, Any], value: object) -> bool:
    return jsonschema.Draft202012Validator(written).is_valid({"value": value})


def test_a_choice_is_one_of_the_names() -> None:
    schema = choice_schema(["get_weather", "answer"])
    assert (schema["type"], schema["enum"]) == ("string", ["get_weather", "answer"])


BOUNDED = [
    ({"type": "string"}, "a" * 200, "a" * 201),
    ({"type": "string", "maxLength": 300}, "a" * 200, "a" * 201),
    ({"type": "string", "maxLength": 9}, "a" * 9, "a" * 10),
    ({"type": "string", "minLength": 250}, "a" * 250, "a" * 251),
    ({"type": "array", "items": {"type": "integer"}}, [1] * 8, [1] * 9),
    ({"type": "array", "items": {"type": "integer"}, "maxItems": 10}, [1] * 10, [1] * 11),
    ({"type": "array", "items": {"type": "integer"}, "minItems": 12}, [1] * 12, [1] * 13),
    ({"type": "array"}, ["a", 1, None, True], [[]]),
    ({"type": "integer"}, 10**15, 10**15 + 1),
    ({"type": "integer"}, -(10**15), -(10**15) - 1),
    ({"type": "integer", "minimum": 10**16}, 10**16, 3 * 10**16),
    ({"type": "integer", "maximum": -(10**16)}, -(10**16), -3 * 10**16),
    ({"type": "integer", "minimum": 3, "exclusiveMaximum": 5}, 4, 5),
    ({"type": "number"}, 0.25, 0.00000025),
    ({"type": "number", "multipleOf": 0.5}, 1.5, 1.25),
    ({"type": ["string", "null"]}, None, 1),
    (True, "text", {}),
    ({}, 1, []),
    ({"minimum": 3}, 4, 2),
]


@pytest.mark.parametrize(("schema", "accepted", "refused"), BOUNDED, ids=repr)
def test_every_value_comes_to_an_end(schema: Any, accepted: object, refused: object) -> None:
    """Where the schema states no bound there is one, and its own are kept."""
    written = of_value(schema)
    assert takes(written, accepted)
    assert not takes(written, refused)


UNION = {"oneOf": [{"type": "integer", "minimum": 5}, {"const": "all"}]}
PARTS = {
    "allOf": [
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
        {"properties": {"a": {"maximum": 9}, "b": {"type": "boolean"}}, "required": ["b"]},
    ]
}
EITHER = {
    "type": "object",
    "properties": {"a": {"type": "boolean"}, "b": {"type": "boolean"}},
    "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
}
KEPT = [
    ({"enum": ["a", 1, None]}, [1, None], ["b", 2]),
    ({"const": {"k": 1}}, [{"k": 1}], [{}]),
    (UNION, [7, "all"], [4, "some"]),
    (PARTS, [{"a": 9, "b": True}], [{"a": 10, "b": True}, {"a": 9}]),
    (EITHER, [{"a": True}, {"b": True}], [{}]),
    ({"type": "array", "prefixItems": [{"type": "integer"}], "items": False}, [[1]], [["a"], [1, 2]]),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, [{}, {"a": 1}], [{"a": "b"}]),
    ({"type": "object", "required": ["a"]}, [{"a": 1}], [{}, {"a": 1, "b": 2}]),
    (closed(a={"type": "boolean"}), [{"a": True}], [{}, {"a": True, "b": 1}]),
    ({"type": "string", "pattern": "^[a-z]+$"}, ["abc"], ["ABC"]),
]


def test_texts_are_longer_where_there_is_room() -> None:
    assert takes(of_value({"type": "string"}, characters=500), "a" * 500)


@pytest.mark.parametrize(("schema", "accepted", "refused"), KEPT, ids=repr)
def test_what_a_schema_says_of_values_is_kept(schema: Any, accepted: list[object], refused: list[object]) -> None:
    written = of_value(schema)
    assert [value for value in accepted if not takes(written, value)] == []
    assert [value for value in refused if takes(written, value)] == []
    assert all(jsonschema.Draft202012Validator(schema).is_valid(value) for value in accepted)


def test_parameters_keep_their_order_which_is_the_order_of_writing() -> None:
    written = arguments_schema(closed(zone={"type": "string"}, city={"type": "string"}))
    assert list(written["properties"]) == ["zone", "city"]


TREE = closed(name={"type": "string"}, children={"type": "array", "items": {"$ref": "#/$defs/tree"}})


def nested(depth: int) -> dict[str, Any]:
    return {"name": "n", "children": [nested(depth - 1)] if depth else []}


def test_a_schema_that_refers_to_itself_ends_after_some_levels() -> None:
    written = of_value({"$ref": "#/$defs/tree"}, {"$defs": {"tree": TREE}})
    assert takes(written, nested(2))
    assert not takes(written, nested(20))


def test_references_that_end_alike_lead_where_they_lead() -> None:
    """And so do those whose names hold what a reference has to escape."""
    text, number = {"type": "string"}, {"type": "integer"}
    schema = closed(a={"$ref": "#/$defs/x"}, b={"$ref": "#/definitions/x"}, c={"$ref": "#/$defs/x~1y"})
    written = arguments_schema({**schema, "$defs": {"x": text, "x/y": number}, "definitions": {"x": number}})
    validator = jsonschema.Draft202012Validator(written)
    assert validator.is_valid({"a": "text", "b": 1, "c": 1})
    assert not validator.is_valid({"a": 1, "b": 1, "c": 1})
    assert not validator.is_valid({"a": "text", "b": "text", "c": 1})


def test_of_records_that_hold_each_other_the_optional_one_is_left_out_at_the_end() -> None:
    person = {"type": "object", "properties": {"home": {"$ref": "#/$defs/home"}}}
    home = closed(owner={"$ref": "#/$defs/person"})
    written = of_value({"$ref": "#/$defs/person"}, {"$defs": {"person": person, "home": home}})
    assert takes(written, {"home": {"owner": {}}})


def test_of_a_schema_that_never_ends_nothing_is_promised() -> None:
    endless = closed(next={"$ref": "#/$defs/endless"})
    written = of_value({"$ref": "#/$defs/endless"}, {"$defs": {"endless": endless}})
    assert "properties" not in written
    assert not is_empty(written)


@pytest.mark.parametrize("pattern", [r"^(?!x)y$", r"\bword\b", r"(a)\1"])
def test_a_pattern_that_decoders_cannot_read_is_left_to_validation(pattern: str) -> None:
    assert "pattern" not in of_value({"type": "string", "pattern": pattern})["properties"]["value"]


def test_texts_are_free_of_patterns_and_formats_where_these_are_not_wanted() -> None:
    schema = {"type": "string", "pattern": "^a$", "format": "date"}
    assert of_value(schema)["properties"]["value"].keys() >= {"pattern", "format"}
    assert of_value(schema, texts=False)["properties"]["value"].keys() == {"type", "minLength", "maxLength"}


OF_FORMATS = [
    ("decimal", ["-12.50", "0"], ["007", "1e9", "abc"]),
    ("fraction", ["2/3", "-4"], ["2/0", "a"]),
    ("byte", ["", "aGVsbG8h"], ["a", "=bcd"]),
    ("duration", ["PT2H30M", "P3D", "P1DT5S", "P2W"], ["P", "PT", "P1M", "PT99999H"]),
    ("date", ["2026-01-31", "0800-12-25"], ["0000-01-31"]),
    ("time", ["10:00:00Z"], ["10:00:60Z"]),
    ("date-time", ["2026-01-31T10:00:00Z"], ["2026-01-31T10:00:60Z", "0000-01-31T10:00:00Z"]),
]


@pytest.mark.parametrize(("form", "accepted", "refused"), OF_FORMATS)
def test_a_format_that_decoders_do_not_know_has_a_pattern(form: str, accepted: list[str], refused: list[str]) -> None:
    written = of_value({"type": "string", "format": form})
    assert [text for text in accepted if not takes(written, text)] == []
    assert [text for text in refused if takes(written, text)] == []


def test_names_of_properties_follow_their_own_pattern_and_number() -> None:
    numbers = {"type": "object", "propertyNames": {"pattern": "^[0-9]+$"}, "additionalProperties": True}
    written = of_value({**numbers, "minProperties": 1, "maxProperties": 2})
    assert takes(written, {"1": 0, "2": 0})
    assert not any(takes(written, value) for value in ({}, {"a": 0}, {"1": 0, "2": 0, "3": 0}))
    dated = of_value({"type": "object", "propertyNames": {"format": "date"}})
    assert takes(dated, {})
    assert not takes(dated, {"2026-01-31": 0})


def test_tight_limits_keep_the_texts_that_a_pattern_requires() -> None:
    tight = Limits().tightened().tightened().tightened()
    assert (tight.characters, tight.items, tight.properties) == (4, 1, 1)
    pattern = {"type": "string", "pattern": "^[A-Z]{9}$"}
    written = arguments_schema(closed(value=pattern, text={"type": "string"}, day={"format": "date"}), tight)
    validator = jsonschema.Draft202012Validator(written)
    assert validator.is_valid({"value": "A" * 9, "text": "four", "day": "2026-01-31"})
    assert not validator.is_valid({"value": "A" * 9, "text": "fives", "day": "2026-01-31"})


def test_a_reference_that_leads_nowhere_accepts_anything() -> None:
    assert takes(of_value({"$ref": "#/$defs/missing"}), "text")


def test_a_tool_without_parameters_leaves_nothing_to_write() -> None:
    assert is_empty(arguments_schema(closed()))
    assert not is_empty(arguments_schema(closed(a={"type": "boolean"})))


def test_the_same_schema_gives_the_same_text() -> None:
    schema = {**closed(value={"$ref": "#/$defs/tree"}), "$defs": {"tree": TREE}}
    assert json.dumps(arguments_schema(schema)) == json.dumps(arguments_schema(schema))
