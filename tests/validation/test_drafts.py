"""Each draft of JSON Schema, with either engine."""

from __future__ import annotations

from typing import Any

import pytest

from .both_engines import URIS, of, problem_of, problems_by_both, published

CASES: list[tuple[str, dict[str, Any], list[Any], list[Any]]] = [
    ("4", {"minimum": 3, "exclusiveMinimum": True}, [4, "x"], [3, 2.5]),
    ("4", {"maximum": 3, "exclusiveMaximum": False}, [3], [4]),
    ("4", {"type": "integer"}, [5], [5.0, True]),  # a number with a fraction part is none, even if that is zero
    ("4", {"items": [{"type": "string"}, {"type": "null"}], "additionalItems": False}, [["a"], ["a", None]], [["a", None, 1]]),
    ("4", {"items": [{}], "additionalItems": {"type": "null"}}, [[1, None], []], [[1, 2]]),
    ("4", {"dependencies": {"a": ["b", "c"]}}, [{}, {"a": 1, "b": 2, "c": 3}, "a"], [{"a": 1, "b": 2}]),
    ("4", {"dependencies": {"a": {"maxProperties": 1}}}, [{"a": 1}, {"b": 1, "c": 2}], [{"a": 1, "b": 2}]),
    ("4", {"properties": {"x": {"$ref": "#/definitions/n", "minimum": 9}}, "definitions": {"n": {"type": "integer"}}},
     [{"x": 1}], [{"x": "1"}]),
    ("4", {"id": "urn:example:top", "definitions": {"n": {"id": "#number", "type": "number"}}, "items": {"$ref": "#number"}},
     [[1]], [["1"]]),
    ("4", {"const": 1, "contains": {}}, [2, []], []),  # no keywords yet
    ("6", {"exclusiveMinimum": 3}, [3.5], [3]),
    ("6", {"const": [1, {"a": None}]}, [[1.0, {"a": None}]], [[1, {"a": 0}], [True, {"a": None}]]),
    ("6", {"contains": {"minimum": 5}}, [[1, 5], "x"], [[], [4]]),
    ("6", {"propertyNames": {"maxLength": 2}}, [{"ab": 1}, {}], [{"abc": 1}]),
    ("6", {"items": True, "additionalItems": False}, [[1, 2]], []),  # additionalItems is of the list form only
    ("6", {"items": False}, [[]], [[1]]),
    ("6", {"if": False, "then": False, "else": False}, [1], []),  # no keywords yet
    ("7", {"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"type": "null"}}, ["ab", None], ["a", 1]),
    ("7", {"if": {"type": "string"}, "else": {"type": "null"}}, ["", None], [1]),
    ("7", {"dependencies": {"a": False, "b": True}}, [{"b": 1}, {}], [{"a": 1}]),
    ("7", {"contains": {"type": "null"}, "minContains": 2, "maxContains": 0}, [[None]], [[1]]),  # counted from 2019-09 on
    ("7", {"contentEncoding": "base64", "contentMediaType": "application/json"}, ["{", "%%%", 1], []),
    ("7", {"$ref": "#/definitions/o", "required": ["b"], "definitions": {"o": {"required": ["a"]}}}, [{"a": 1}], [{"b": 1}]),
    ("7", {"definitions": {"s": {"$id": "#text", "type": "string"}}, "items": {"$ref": "#text"}}, [["a"]], [[1]]),
    ("2019-09", {"dependentRequired": {"a": ["b"]}}, [{"b": 1}], [{"a": 1}]),
    ("2019-09", {"dependentSchemas": {"a": {"required": ["b"]}}}, [{"a": 1, "b": 1}], [{"a": 1}]),
    ("2019-09", {"dependencies": {"a": ["b"]}}, [{"b": 1}], [{"a": 1}]),  # kept for schemas of before
    ("2019-09", {"contains": {"type": "null"}, "minContains": 0, "maxContains": 1}, [[], [None, 1]], [[None, None]]),
    ("2019-09", {"items": [{"type": "string"}], "unevaluatedItems": False}, [["a"], []], [["a", 1]]),
    ("2019-09", {"items": [{}], "additionalItems": {"type": "null"}, "unevaluatedItems": False}, [[1, None]], [[1, 2]]),
    ("2019-09", {"additionalProperties": {"type": "null"}, "unevaluatedProperties": False}, [{"a": None}], [{"type": 1}]),
    ("2019-09", {"$recursiveAnchor": True, "properties": {"x": {"$recursiveRef": "#"}}, "additionalProperties": False},
     [{"x": {"x": {}}}], [{"x": {"y": 1}}]),
    ("2019-09", {"$dynamicRef": "#/nowhere", "unevaluatedProperties": False}, [{}], [{"a": 1}]),  # no keyword yet
    ("2019-09", {"$ref": "#/$defs/o", "required": ["b"], "$defs": {"o": {"required": ["a"]}}}, [{"a": 1, "b": 2}], [{"a": 1}]),
    ("2020-12", {"prefixItems": [{"type": "string"}], "items": {"type": "null"}}, [["a", None], []], [["a", 1], [1]]),
    ("2020-12", {"$defs": {"n": {"$anchor": "number", "type": "number"}}, "items": {"$ref": "#number"}}, [[1]], [["1"]]),
    ("2020-12", {"definitions": {"n": {"type": "number"}}, "items": {"$ref": "#/definitions/n"}}, [[1]], [["1"]]),
    ("2020-12", {"dependencies": {"a": {"required": ["b"]}}}, [{"a": 1, "b": 1}], [{"a": 1}]),
    ("2020-12", {"type": ["integer", "null"], "minimum": 2}, [2, None, 2.0], [1, "2", True]),
    ("2020-12", {"allOf": [{"properties": {"a": {}}}], "properties": {"b": {}}, "unevaluatedProperties": False},
     [{"a": 1, "b": 2}, 5], [{"c": 1}]),
    ("2020-12", {"anyOf": [{"properties": {"a": {"const": 1}}}, {"properties": {"b": {}}}], "unevaluatedProperties": False},
     [{"a": 1, "b": 2}, {"b": 2}], [{"a": 2}]),  # what a branch that does not hold has looked at does not count
    ("2020-12", {"if": {"properties": {"k": {"const": 1}}, "required": ["k"]}, "then": {"properties": {"t": {}}},
                 "else": {"properties": {"e": {}}}, "unevaluatedProperties": False},
     [{"k": 1, "t": 2}, {"e": 1}], [{"k": 1, "e": 1}, {"k": 2, "e": 1}, {"t": 1}]),
    ("2020-12", {"dependentSchemas": {"a": {"properties": {"b": {}}}}, "properties": {"a": {}}, "unevaluatedProperties": False},
     [{"a": 1, "b": 2}], [{"b": 2}]),
    ("2020-12", {"patternProperties": {"^x-": {"type": "integer"}}, "unevaluatedProperties": {"type": "string"}},
     [{"x-a": 1, "b": "c"}], [{"x-a": "1"}, {"b": 1}]),
    ("2020-12", {"contains": {"type": "integer"}, "unevaluatedItems": {"type": "string"}}, [[1, "a"], [1]], [[1, None], ["a"]]),
    ("2020-12", {"prefixItems": [{}], "unevaluatedItems": False}, [[1], []], [[1, 2]]),
    ("2020-12", {"allOf": [{"unevaluatedItems": True}], "unevaluatedItems": False}, [[1, 2]], []),
    ("2020-12", {"allOf": [{"unevaluatedProperties": {"type": "null"}}], "unevaluatedProperties": False}, [{"a": None}], [{"a": 1}]),
    ("2020-12", {"not": {"not": {"properties": {"a": {}}}}, "unevaluatedProperties": False}, ["x", {}], [{"a": 1}]),
    ("2020-12", {"$id": "https://example.org/tree", "$dynamicAnchor": "node", "type": "object",
                 "properties": {"below": {"items": {"$dynamicRef": "#node"}}}, "additionalProperties": False},
     [{"below": [{"below": []}]}], [{"below": [{"beneath": 1}]}]),
    ("2020-12", {"properties": {"$ref": {"type": "string"}, "$schema": {"type": "string"}, "if": {"type": "null"}}},
     [{"$ref": "#", "$schema": "x", "if": None}], [{"$ref": 1}, {"$schema": 1}, {"if": 1}]),
    ("2020-12", {"const": {"$ref": "#/nowhere"}}, [{"$ref": "#/nowhere"}], [{}]),
]  # fmt: skip


@pytest.mark.parametrize(("draft", "schema", "good", "bad"), CASES)
def test_a_schema_is_validated_by_its_draft(
    draft: str, schema: dict[str, Any], good: list[Any], bad: list[Any]
) -> None:
    wrong = [value for value in good if problems_by_both(of(draft, schema), value)]
    missed = [value for value in bad if not problems_by_both(of(draft, schema), value)]
    assert (wrong, missed) == ([], [])


@pytest.mark.parametrize("draft", URIS)
@pytest.mark.parametrize("schema", [
    {"type": "object", "properties": {"s": {"enum": ["pending", "approved", "rejected"]}, "p": {"enum": [1, 2, 3]}},
     "required": ["s"]},
])  # fmt: skip
def test_choices_mean_the_same_in_each_draft(draft: str, schema: dict[str, Any]) -> None:
    assert problems_by_both(of(draft, schema), {"s": "approved", "p": 2}) == []
    assert problems_by_both(of(draft, schema), {"s": "done", "p": 2}) == [
        '$.s: must be one of "pending", "approved", "rejected", not "done"'
    ]
    assert problems_by_both(of(draft, schema), {"s": "pending", "p": 4}) == ["$.p: must be one of 1, 2, 3, not 4"]
    assert problems_by_both(of(draft, schema), {"p": 1}) == ["$.s: is required"]


@pytest.mark.parametrize("draft", URIS)
def test_texts_numbers_and_arrays_have_bounds_in_each_draft(draft: str) -> None:
    text = of(draft, {"type": "string", "minLength": 3, "maxLength": 10, "pattern": "^[a-zA-Z0-9_]+$"})
    whole = of(draft, {"type": "integer", "minimum": 18, "maximum": 99})
    items = of(draft, {"type": "array", "minItems": 1, "maxItems": 3})
    for schema, value in [
        (text, "user_123"),
        (text, "abc"),
        (whole, 18),
        (whole, 99),
        (items, ["a"]),
        (items, [1, 2, 3]),
    ]:
        assert problems_by_both(schema, value) == []
    for schema, value in [(text, ""), (text, "ab"), (text, "toolongusername"), (text, "in valid"), (whole, 17), (whole, 100),
                          (whole, -1), (items, []), (items, [1, 2, 3, 4])]:  # fmt: skip
        assert len(problems_by_both(schema, value)) >= 1


# --- which draft it is -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("draft", URIS)
@pytest.mark.parametrize("scheme", ["http://", "https://"])
@pytest.mark.parametrize("end", ["", "#"])
def test_a_draft_is_known_however_its_name_is_written(draft: str, scheme: str, end: str) -> None:
    uri = scheme + URIS[draft].split("://")[1].removesuffix("#") + end
    assert published({"$schema": uri, "properties": {"a": {}}})["$schema"] == uri
    # 2019-09 is where `dependentRequired` begins
    refused = problems_by_both({"$schema": uri, "dependentRequired": {"a": ["b"]}}, {"a": 1}) != []
    assert refused == (draft in ("2019-09", "2020-12"))


@pytest.mark.parametrize(
    ("properties", "draft"),
    [
        ({"n": {"minimum": 1, "exclusiveMinimum": True}}, "4"),
        ({"pair": {"items": [{}, {}], "additionalItems": False}}, "2019-09"),
        ({"n": {"exclusiveMinimum": 1}}, None),
        ({"n": {"$ref": "#/definitions/n"}}, None),
    ],
)
def test_a_schema_without_a_draft_is_read_by_the_newest_that_accepts_it(
    properties: dict[str, Any], draft: str | None
) -> None:
    given = {"properties": properties, "definitions": {"n": {}}}
    read = published(given)
    assert read.get("$schema") == (draft and URIS[draft])
    assert problems_by_both(read, {}) == []


def test_a_schema_without_a_draft_is_enforced_by_the_one_that_accepts_it() -> None:
    read = published({"properties": {"n": {"minimum": 1, "exclusiveMinimum": True}}})
    assert problems_by_both(read, {"n": 1}) == ["$.n: must be greater than 1, not 1"]
    read = published({"properties": {"pair": {"items": [{}, {"type": "null"}], "additionalItems": False}}})
    assert problems_by_both(read, {"pair": [1, 2]}) == ["$.pair[1]: must be null, not 2"]
    assert problems_by_both(read, {"pair": [1, None, 3]}) == ["$.pair: must have no more items"]


@pytest.mark.parametrize(
    "uri", ["http://json-schema.org/draft-03/schema#", "https://json-schema.org/draft-02/hyper-schema"]
)
def test_a_draft_before_4_is_refused(uri: str) -> None:
    problem = problem_of({"$schema": uri, "properties": {"a": {"required": True}}})
    assert problem == f'"$schema" is "{uri}", and drafts before 4 are not read: write the schema in a later one'
    inside = {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$id": "urn:example:a", "$schema": uri}}}
    assert problem_of(inside) == problem


def test_a_draft_that_is_not_a_uri_is_refused() -> None:
    assert problem_of({"$schema": 7}) == '"$schema" must be a string, the URI of a draft of JSON Schema'


def test_a_dialect_that_is_unknown_is_read_as_the_newest_draft() -> None:
    schema = {"$schema": "https://example.org/dialect", "properties": {"a": {"prefixItems": [{"type": "null"}]}}}
    assert problem_of(schema) is None
    assert published(schema)["$schema"] == "https://example.org/dialect"
    assert problems_by_both(schema, {"a": [1]}) == ["$.a[0]: must be null, not 1"]


def test_a_schema_is_checked_by_its_own_draft() -> None:
    assert problem_of(of("7", {"properties": {"a": {"items": [{}]}}})) is None
    assert problem_of(of("2020-12", {"properties": {"a": {"items": [{}]}}})) == (
        "$.properties.a.items: must be a boolean or an object, not [{}]"
    )
    assert problem_of(of("4", {"properties": {"a": True}})) == "$.properties.a: must be an object, not true"
    assert problem_of(of("4", {"required": []})) == "$.required: must have at least 1 item, not []"


def test_a_bundle_may_hold_schemas_of_several_drafts() -> None:
    schema = of(
        "2020-12",
        {
            "properties": {"old": {"$ref": "urn:example:old"}, "new": {"prefixItems": [{"type": "null"}]}},
            "$defs": {
                "old": {
                    "$id": "urn:example:old",
                    "$schema": URIS["7"],
                    "items": [{"type": "string", "pattern": "^[a-z]$"}, {"$ref": "#/definitions/n", "minimum": 5}],
                    "definitions": {"n": {"type": "integer"}},
                }
            },
        },
    )
    assert problem_of(schema) is None
    assert problems_by_both(schema, {"old": ["a", 1], "new": [None]}) == []
    assert problems_by_both(schema, {"old": [1, "a"], "new": [1]}) == [
        "$.new[0]: must be null, not 1",
        "$.old[0]: must be a string, not 1",
        '$.old[1]: must be an integer, not "a"',
    ]
    assert problems_by_both(schema, {"old": ["a\n"]}) == ['$.old[0]: must match the pattern "^[a-z]$", not "a\\n"']
    schema["$defs"]["old"]["definitions"]["n"]["type"] = "nope"
    assert "nope" in str(problem_of(schema))


def test_a_schema_inside_another_is_of_the_draft_that_it_names() -> None:
    # With or without an `$id` of its own: before 2019-09, what stands beside a `$ref` is ignored.
    old = {"$schema": URIS["7"], "$ref": "#/$defs/n", "minimum": 5}
    schema = {"properties": {"a": old, "b": {"$ref": "#/$defs/n", "minimum": 5}}, "$defs": {"n": {"type": "integer"}}}
    assert problems_by_both(schema, {"a": 1, "b": 1}) == ["$.b: must be at least 5, not 1"]


def test_the_keyword_for_ids_depends_on_the_draft() -> None:
    # `id` is no keyword of draft 6, so anything may stand there; nor is `$id` one of draft 4.
    inner = {"$schema": URIS["6"], "id": True, "type": "null"}
    schema = of("4", {"$id": 5, "properties": {"a": inner}})
    assert problem_of(schema) is None
    assert problems_by_both(schema, {"a": 1}) == ["$.a: must be null, not 1"]
    newest = {"$ref": "#/$defs/a", "unevaluatedProperties": False, "$defs": {"a": {**inner, "type": "object"}}}
    assert problems_by_both(newest, {"x": 1}) == ["$.x: is not a known name; there are none"]
