"""Schemas that our own types or an author write are accepted; others are refused with the place of the mistake."""

from __future__ import annotations

from typing import Any

import pytest

from fcregistry._schema.document import malformed_place


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {
            "type": ["object", "null"],
            "properties": {"type": {"type": "string"}, "required": False},
            "required": ["type"],
        },
        {"items": [{"type": "string"}, True], "additionalItems": False},
        {"prefixItems": [{"const": {"type": 5}}], "items": {"enum": [{"properties": 5}]}, "default": {"type": 5}},
        {"minimum": 0, "maximum": 1.5, "exclusiveMinimum": True, "minLength": 2.0, "multipleOf": 0.01},
        {"$defs": {"a": {"$ref": "#/$defs/a"}}, "dependencies": {"a": ["b"], "b": {"required": ["a"]}}},
        {"x-of-somebody": {"type": 5}, "examples": [{"properties": 5}]},
    ],
)
def test_what_is_a_schema_in_any_draft_is_none_the_worse(schema: Any) -> None:
    assert malformed_place(schema) is None


@pytest.mark.parametrize(
    ("schema", "place"),
    [
        (None, "$"),
        ([], "$"),
        ({"properties": []}, "$.properties"),
        ({"properties": {"a b": 5}}, "$.properties['a b']"),
        ({"items": {"anyOf": [{}, {"required": "a"}]}}, "$.items.anyOf[1].required"),
        ({"items": [None]}, "$.items[0]"),
        ({"allOf": {}}, "$.allOf"),
        ({"not": None}, "$.not"),
        ({"type": {"a": 1}}, "$.type"),
        ({"enum": "ab"}, "$.enum"),
        ({"description": ["a"]}, "$.description"),
        ({"minLength": "2"}, "$.minLength"),
        ({"maximum": True}, "$.maximum"),
        ({"$ref": 5}, "$['$ref']"),
        ({"dependencies": {"a": "b"}}, "$.dependencies.a"),
    ],
)
def test_what_a_keyword_cannot_hold_is_named_by_its_place(schema: Any, place: str) -> None:
    assert malformed_place(schema) == place


def test_a_schema_may_be_nested_however_deep() -> None:
    deep: Any = 5
    for _ in range(20_000):
        deep = {"items": deep}
    assert str(malformed_place(deep)).endswith(".items.items")
