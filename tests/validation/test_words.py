"""Problems with arguments of external schemas, worded so that a model can fix them."""

from __future__ import annotations

from typing import Any

import pytest

from .both_engines import of, problems_by_both

IN_THE_US = {"properties": {"country": {"const": "US"}}, "required": ["country"]}
ADDRESS = {"if": IN_THE_US, "then": {"required": ["zip"]}, "else": {"required": ["region"]}}


@pytest.mark.parametrize(
    ("schema", "value", "problems"),
    [
        (ADDRESS, {"country": "US"}, ['$.zip: is required (where $.country is "US")']),
        (ADDRESS, {"country": "DE"}, ['$.region: is required (unless $.country is "US")']),
        ({"properties": {"to": ADDRESS}}, {"to": {"country": "US"}}, ['$.to.zip: is required (where $.to.country is "US")']),
        ({"items": {"if": {"minimum": 5}, "then": {"multipleOf": 5}}}, [1, 7],
         ['$[1]: must be a multiple of 5, not 7 (where $[1] is of the form {"minimum": 5})']),
        ({"dependentRequired": {"card": ["cvc", "name"]}}, {"card": 1},
         ["$.cvc: is required (where $.card is given)", "$.name: is required (where $.card is given)"]),
        ({"dependentSchemas": {"card": {"properties": {"sum": {"minimum": 1}}}}}, {"card": 1, "sum": 0},
         ["$.sum: must be at least 1, not 0 (where $.card is given)"]),
        (of("7", {"dependencies": {"a": ["b"], "c": False}}), {"a": 1, "c": 1},
         ["$: must not be there (where $.c is given)", "$.b: is required (where $.a is given)"]),
        ({"contains": {"type": "integer"}}, ["a"], ['$: must have at least 1 item of the form {"type": "integer"}, not ["a"]']),
        ({"contains": {"type": "integer"}, "minContains": 2, "maxContains": 2}, [1, 2, 3],
         ['$: must have at most 2 items of the form {"type": "integer"}, not [1, 2, 3]']),
        ({"not": {"required": ["a", "b"]}}, {"a": 1, "b": 2}, ['$: must not have "a" together with "b", and is {"a": 1, "b": 2}']),
        ({"properties": {"user": {"not": {"enum": ["root", "admin"]}}}}, {"user": "root"},
         ['$.user: must not be one of "root", "admin", and is "root"']),
        ({"allOf": [{"properties": {"name": {}}}], "unevaluatedProperties": False}, {"nmae": 1},
         ['$.nmae: is not a known name; did you mean "name"?']),
        ({"unevaluatedProperties": {"type": "string"}}, {"a": 1}, ["$.a: must be a string, not 1"]),
        ({"prefixItems": [{}], "unevaluatedItems": False}, [1, 2], ["$[1]: must not be there"]),
        ({"unevaluatedItems": {"type": "null"}}, [None, 1], ["$[1]: must be null, not 1"]),
        (of("7", {"items": [{}], "additionalItems": False}), [1, 2], ["$: must have no more items"]),
        (of("4", {"minimum": 1, "exclusiveMinimum": True}), 1, ["$: must be greater than 1, not 1"]),
        (of("4", {"maximum": 1, "exclusiveMaximum": True}), 1, ["$: must be less than 1, not 1"]),
        ({"properties": {"a": False}}, {"a": 1}, ["$.a: must not be there"]),
        ({"patternProperties": {"^x": False}}, {"x1": 1}, ["$.x1: must not be there"]),
        ({"prefixItems": [True, False]}, [1, 2], ["$[1]: must not be there"]),
        ({"additionalProperties": {"anyOf": [False, False]}}, {"a": 1}, ["$.a: must not be there, not 1"]),
        ({"propertyNames": False}, {"a": 1}, ["$.a: is not an allowed name"]),
        ({"anyOf": [{"required": ["id"]}, {"required": ["name"]}]}, {}, ['$: must have "id" or "name"']),
        ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"a": 1, "b": 2},
         ['$: must be of exactly one of the allowed forms, and is of several: {"a": 1, "b": 2}']),
        ({"enum": [{"b": 1, "a": [1]}, "x"]}, 1, ['$: must be one of {"b": 1, "a": [1]}, "x", not 1']),
        ({"maxLength": 2.0}, "abc", ['$: must have at most 2 characters, not "abc"']),
        ({"propertyNames": {"$ref": "#/$defs/short"}, "$defs": {"short": {"maxLength": 1}}}, {"ab": 1}, ["$.ab: is not an allowed name"]),
    ],
)  # fmt: skip
def test_a_keyword_of_any_draft_is_reported_so_that_it_can_be_fixed(
    schema: dict[str, Any], value: Any, problems: list[str]
) -> None:
    assert problems_by_both(schema, value) == problems


# --- where the gate alone would say something else ---------------------------------------------------------------


@pytest.mark.parametrize("limit", [2**63, 2.0**64, 10**23, 1e23, -(2**63) - 1, 2**70 + 1])
@pytest.mark.parametrize("keyword", ["const", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"])
def test_large_numbers_are_compared_exactly(keyword: str, limit: float) -> None:
    schema = {keyword: [limit] if keyword == "enum" else limit}
    for value in (2**63, 2.0**63, 2**64, 2.0**64, 10**23, 1e23, -(2**63), -(2.0**63), 2**70, 2**70 + 1, 2.0**70):
        expected = {
            "const": value == limit,
            "enum": value == limit,
            "minimum": value >= limit,
            "maximum": value <= limit,
            "exclusiveMinimum": value > limit,
            "exclusiveMaximum": value < limit,
        }[keyword]
        assert (problems_by_both(schema, value) == []) == expected


def test_keywords_that_only_describe_a_text_are_not_enforced() -> None:
    for draft in ("6", "7", "2019-09", "2020-12"):
        schema = of(draft, {"properties": {"a": {"contentEncoding": "base64", "contentMediaType": "application/json"}}})
        assert problems_by_both(schema, {"a": "%%%"}) == []
