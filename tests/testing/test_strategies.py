"""Values made for a schema: the schema accepts them, and they are of all sorts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st

from fcregistry._schema.validator import Validator
from fcregistry.testing import _strategies as _texts  # laws of the values that the kit makes
from fcregistry.testing._case import NoExamplesError, drawn  # laws of the values that the kit makes
from fcregistry.testing._schemas import SchemaReader  # laws of the values that the kit makes
from fcregistry.testing._strategies import Values  # laws of the values that the kit makes
from fcregistry.types import STRING_FORMATS, schema_of

from ..properties.samples import samples  # noqa: TID252  # they lie beside this folder

STANDARD_FORMATS = (
    "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri", "uri-reference", "iri", "iri-reference",
    "uri-template", "json-pointer", "relative-json-pointer", "regex", "date-time", "date", "time", "duration", "uuid",
)  # fmt: skip


def values_of(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    document = SchemaReader(schema)
    return Values(document, {}).of(document.schema)


def is_valid(schema: dict[str, Any]) -> Callable[[object], bool]:
    return Validator(schema, STRING_FORMATS, "jsonschema").is_valid


def depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(depth, inner), default=0)


NODE = {"type": "object", "properties": {"value": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}}}
TREE = {
    "$defs": {
        "leaf": {"type": "object", "properties": {"leaf": True}, "required": ["leaf"], "additionalProperties": False},
        "fork": {
            "type": "object",
            "properties": {"left": {"$ref": "#/$defs/tree"}, "right": {"$ref": "#/$defs/tree"}},
            "required": ["left", "right"],
            "additionalProperties": False,
        },
        "tree": {"anyOf": [{"$ref": "#/$defs/fork"}, {"$ref": "#/$defs/leaf"}]},
    },
    "$ref": "#/$defs/tree",
}

# A schema, and what must be among the values made for it: what tells them from the few that anybody would think of.
CASES: dict[str, tuple[dict[str, Any], list[Callable[[Any], bool]]]] = {
    "no type": ({}, [lambda v: isinstance(v, dict), lambda v: v is None, lambda v: isinstance(v, list)]),
    "types": ({"type": ["null", "boolean"]}, [lambda v: v is None, lambda v: v is True]),
    "integer": ({"type": "integer"}, [lambda v: v < 0, lambda v: abs(v) > 2**31, lambda v: type(v) is float]),
    "integer bounds": (
        {"type": "integer", "minimum": -3, "exclusiveMaximum": 2},
        [lambda v: v == -3, lambda v: v == 1],
    ),
    "integer, both bounds": (
        {"type": "integer", "minimum": 1, "exclusiveMinimum": 3, "maximum": 9, "exclusiveMaximum": 9},
        [lambda v: v == 4, lambda v: v == 8],
    ),
    "number step, up to": ({"type": "number", "multipleOf": 0.5, "maximum": -1}, [lambda v: v % 1 == 0.5]),
    "pattern that Python does not read": ({"type": "string", "pattern": r"^\p{Lu}+$"}, [lambda v: v.isupper()]),
    "reference into a list": (
        {"type": "array", "prefixItems": [{"type": "null"}], "items": {"$ref": "#/prefixItems/0"}},
        [lambda v: len(v) > 1],
    ),
    "reference by anchor into a list": (
        {"anyOf": [{"$anchor": "n", "type": "null"}, {"type": "array", "items": {"$ref": "#n"}, "minItems": 1}]},
        [lambda v: v is None, lambda v: v and v[0] is None],
    ),
    "integer step": ({"type": "integer", "multipleOf": 7, "minimum": 100, "maximum": 119}, [lambda v: v == 105]),
    "integer half step": ({"type": "integer", "multipleOf": 2.5}, [lambda v: v % 5 == 0 and v != 0]),
    "number": ({"type": "number"}, [lambda v: v != int(v), lambda v: type(v) is int]),
    "number between": (
        {"type": "number", "exclusiveMinimum": 0.1, "maximum": 0.2},
        [lambda v: 0.1 < v < 0.15, lambda v: 0.15 < v <= 0.2],
    ),
    "number step": ({"type": "number", "multipleOf": 0.01, "minimum": 0, "maximum": 1}, [lambda v: 0 < v < 1]),
    "number far": ({"type": "number", "minimum": 10**400}, [lambda v: v >= 10**400]),
    "number of draft 4": (
        {"$schema": "http://json-schema.org/draft-04/schema#", "type": "number", "minimum": 1, "exclusiveMinimum": True},
        [lambda v: 1 < v < 2],
    ),
    "string": ({"type": "string"}, [lambda v: v == "", lambda v: not v.isprintable(), lambda v: not v.isascii()]),
    "string length": ({"type": "string", "minLength": 2, "maxLength": 40}, [lambda v: len(v) == 2, lambda v: len(v) == 40]),
    "pattern": ({"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"}, [lambda v: len(v) > 4]),
    "pattern inside": ({"type": "string", "pattern": "b+"}, [lambda v: v[0] != "b", lambda v: v[-1] != "b"]),
    "enum": ({"enum": ["a", 1, None, {"b": []}]}, [lambda v: v == {"b": []}, lambda v: v is None]),
    "enum of a type": ({"type": "string", "enum": ["a", 1]}, [lambda v: v == "a"]),
    "const": ({"const": [1]}, [lambda v: v == [1]]),
    "items": (
        {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 3},
        [lambda v: len(v) == 3, lambda v: len(v) == 1],
    ),
    "prefix items": (
        {"type": "array", "prefixItems": [{"type": "null"}, {"type": "integer"}], "items": {"type": "string"}},
        [lambda v: len(v) == 1, lambda v: len(v) > 2],
    ),
    "a tuple": (
        {"type": "array", "prefixItems": [{"type": "null"}], "items": False, "minItems": 1},
        [lambda v: v == [None]],
    ),
    "items of draft 7": (
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "array",
            "items": [{"type": "integer"}],
            "additionalItems": {"type": "null"},
        },
        [lambda v: len(v) > 1],
    ),
    "unique items": ({"type": "array", "items": {"enum": [1, True, "a"]}, "uniqueItems": True}, [lambda v: len(v) == 3]),
    "contains": ({"type": "array", "contains": {"const": 1}, "maxItems": 3}, [lambda v: len(v) > 1]),
    "properties": (
        {"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "null"}}, "required": ["b"]},
        [lambda v: "a" not in v, lambda v: "a" in v, lambda v: set(v) - {"a", "b"}],
    ),
    "closed": (
        {"type": "object", "properties": {"a": {"type": "null"}}, "additionalProperties": False},
        [lambda v: v == {}, lambda v: v == {"a": None}],
    ),
    "required and not named": (
        {"type": "object", "required": ["x"], "additionalProperties": {"type": "integer"}},
        [lambda v: len(v) > 1],
    ),
    "number of properties": (
        {"type": "object", "minProperties": 2, "maxProperties": 3, "additionalProperties": {"type": "null"}},
        [lambda v: len(v) == 2, lambda v: len(v) == 3],
    ),
    "all there are": (
        {
            "type": "object",
            "properties": {name: {"type": "null"} for name in "abc"},
            "additionalProperties": False,
            "minProperties": 3,
        },
        [lambda v: len(v) == 3],
    ),
    "names": (
        {"type": "object", "propertyNames": {"enum": ["red", "green"]}, "additionalProperties": {"type": "integer"}},
        [lambda v: "red" in v, lambda v: len(v) == 2],
    ),
    "names by pattern": (
        {"type": "object", "patternProperties": {"^x-": {"type": "null"}}, "additionalProperties": False},
        [lambda v: any(name.startswith("x-") for name in v)],
    ),
    "no names": ({"type": "object", "propertyNames": False}, [lambda v: v == {}]),
    "dependent": (
        {"type": "object", "properties": {"a": True, "b": True}, "dependentRequired": {"a": ["b"]}},
        [lambda v: "a" in v, lambda v: "a" not in v],
    ),
    "any of": ({"anyOf": [{"type": "null"}, {"type": "integer"}]}, [lambda v: v is None, lambda v: type(v) is int]),
    "any of, besides": (
        {"type": "integer", "anyOf": [{"maximum": -5}, {"minimum": 5}]},
        [lambda v: v <= -5, lambda v: v >= 5],
    ),
    "one of": (
        {"oneOf": [{"type": "integer", "maximum": 5}, {"type": "integer", "minimum": 3}]},
        [lambda v: v < 3, lambda v: v > 5],
    ),
    "all of": (
        {"allOf": [{"type": "integer", "minimum": 1}, {"type": "number", "maximum": 3}, {"enum": [2, 3, 4]}]},
        [lambda v: v == 2, lambda v: v == 3],
    ),
    "all of objects": (
        {
            "allOf": [
                {"properties": {"a": {"type": "integer"}}, "required": ["a"]},
                {"type": "object", "properties": {"a": {"minimum": 7}, "b": {"type": "null"}}},
            ]
        },
        [lambda v: v["a"] >= 7, lambda v: "b" in v],
    ),
    "not": ({"type": "integer", "not": {"multipleOf": 2}}, [lambda v: v % 2 == 1]),
    "if": (
        {"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"type": "null"}},
        [lambda v: v is None, lambda v: isinstance(v, str)],
    ),
    "unevaluated": (
        {
            "type": "object",
            "oneOf": [
                {"properties": {"a": {"type": "null"}}, "required": ["a"]},
                {"properties": {"b": {"type": "null"}}, "required": ["b"]},
            ],
            "unevaluatedProperties": False,
        },
        [lambda v: v == {"a": None}, lambda v: v == {"b": None}],
    ),
    "reference": (
        {"$defs": {"a/b": {"type": "null"}}, "type": "array", "items": {"$ref": "#/$defs/a~1b"}, "minItems": 1},
        [lambda v: len(v) > 1],
    ),
    "reference by anchor": ({"$defs": {"x": {"$anchor": "here", "type": "null"}}, "$ref": "#here"}, [lambda v: v is None]),
    "reference to a property": (
        {
            "type": "object",
            "properties": {"a": {"type": "null"}, "b": {"$ref": "#/properties/a"}},
            "required": ["b"],
        },
        [lambda v: v["b"] is None],
    ),
    "reference, and more": (
        {"$defs": {"n": {"type": "integer"}}, "$ref": "#/$defs/n", "minimum": 9},
        [lambda v: v > 9],
    ),
    "recursion": ({"$defs": {"node": NODE}, "$ref": "#/$defs/node"}, [lambda v: "next" in v.get("next", {})]),
    "recursion of a whole": (
        {"type": "object", "properties": {"inner": {"$ref": "#"}}, "additionalProperties": False},
        [lambda v: v.get("inner", {}).get("inner") is not None],
    ),
    "recursion without a short way": (TREE, [lambda v: "leaf" in v, lambda v: depth(v) > 2]),
    "recursion through a union": (
        {
            "$defs": {
                "any": {"type": ["array", "object"], "anyOf": [{"$ref": "#/$defs/many"}, {"$ref": "#/$defs/one"}]},
                "many": {"type": "array", "items": {"$ref": "#/$defs/any"}, "minItems": 2},
                "one": {"type": "object", "properties": {"any": {"$ref": "#/$defs/any"}}, "additionalProperties": False},
            },
            "$ref": "#/$defs/any",
        },
        [lambda v: v == {}, lambda v: isinstance(v, list) and isinstance(v[0], dict)],
    ),
    "annotations": ({"type": "null", "title": "T", "writeOnly": True, "default": None}, [lambda v: v is None]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_values_of_a_schema_are_valid_and_varied(name: str) -> None:
    schema, sorts = CASES[name]
    made = drawn(values_of(schema), 100)
    assert all(map(is_valid(schema), made)), next(value for value in made if not is_valid(schema)(value))
    assert [any(map(sort, made)) for sort in sorts] == [True] * len(sorts)
    assert max(map(depth, made)) < 20
    assert json.loads(json.dumps(made, allow_nan=False)) == made


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer", "minimum": 2, "maximum": 1},
        {"enum": []},
        {"allOf": [{"type": "string"}, {"type": "integer"}]},
        {"type": "object", "properties": {"a": False}, "required": ["a"]},
        {
            "$defs": {"n": {"properties": {"n": {"$ref": "#/$defs/n"}}, "required": ["n"], "type": "object"}},
            "$ref": "#/$defs/n",
        },
    ],
    ids=["bounds", "choices", "types", "a property", "for ever"],
)
def test_a_schema_without_values_has_none(schema: dict[str, Any]) -> None:
    """The strategy is empty; it does not search without end."""
    with pytest.raises(NoExamplesError, match="no arguments could be made that its schema accepts"):
        drawn(values_of(schema), 10)


@pytest.mark.parametrize("name", sorted({*STRING_FORMATS, *STANDARD_FORMATS}))
def test_every_format_that_is_known_has_strings(name: str) -> None:
    """These are the formats of the standard and of the type table.

    A new format is a row in `_strategies.FORMATS`.
    """
    made = drawn(_texts.FORMATS[name], 50)
    assert all(map(is_valid({"type": "string", "format": name}), made))
    assert len(set(made)) > 3


def test_a_format_that_is_unknown_is_any_string() -> None:
    schema = {"type": "string", "format": "acme-code"}
    assert all(map(is_valid(schema), drawn(values_of(schema), 20)))


def test_a_large_schema_has_values_too() -> None:
    """Each value has some of its many properties."""
    schema = {"type": "object", "properties": {f"p{n}": {"type": "string", "pattern": "^x"} for n in range(5000)}}
    made = drawn(values_of(schema), 20)
    assert any(len(value) > 1 for value in made)
    assert all(map(is_valid(schema), made))


@pytest.mark.parametrize("keyword", ["exclusiveMinimum", "exclusiveMaximum"])
@pytest.mark.parametrize("kind", ["integer", "number"])
def test_an_exclusive_bound_of_zero_excludes_zero(kind: str, keyword: str) -> None:
    """It does below `anyOf` too, where values are not filtered again."""
    made = drawn(values_of({"anyOf": [{"type": kind, keyword: 0}]}), 100)
    assert 0 not in made


def test_values_can_be_made_for_every_type() -> None:
    """They are made from the keywords of its schema alone."""
    schemas = samples.map(lambda sample: schema_of(sample.annotation))
    pairs = drawn(schemas.flatmap(lambda schema: st.tuples(st.just(schema), values_of(schema))), 150)
    assert [(schema, value) for schema, value in pairs if not is_valid(schema)(value)] == []
