"""External schemas as the schema of a tool's arguments: which are accepted, and why others are not."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from fcregistry.errors import DefinitionError

from .both_engines import ENGINES, of, of_argument, problem_of, problems_by_both, published, tool_of


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(levels):
        schema = {"items": schema}
    return {"properties": {"a": schema}}


# --- the top -----------------------------------------------------------------------------------------------------


def test_the_type_and_properties_of_the_top_are_added() -> None:
    assert published({}) == {"type": "object", "properties": {}}
    given = {"title": "T", "properties": {"a": {"description": "A.", "x-vendor": [1]}}, "required": ["a"]}
    assert published(given) == {"type": "object", **given}
    assert published({"type": ["object", "null"]})["type"] == "object"


def test_a_schema_that_is_read_shares_nothing_with_the_given_one() -> None:
    given = {"properties": {"a": {"enum": ("x", "y")}}}
    read = published(given)
    given["properties"]["a"]["enum"] = ("z",)
    assert read["properties"] == {"a": {"enum": ["x", "y"]}}


@pytest.mark.parametrize("kind", ["array", ["string", "null"], []])
def test_only_an_object_can_be_the_arguments_of_a_tool(kind: Any) -> None:
    assert problem_of({"type": kind}) == (
        f'the parameters of a tool are an object, so its schema says "type": "object", not {json.dumps(kind)}'
    )


@pytest.mark.parametrize(
    "top",
    [
        {"$ref": "#/$defs/point"},
        {"allOf": [{"$ref": "#/$defs/point"}]},
        {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/point"}]},
        {"oneOf": [{"$ref": "#/$defs/point"}, {"required": ["name"]}]},
        {"allOf": [{"allOf": [{"$ref": "#/$defs/point"}]}, {"maxProperties": 3}]},
    ],
)
def test_the_top_may_be_a_conjunction(top: dict[str, Any]) -> None:
    schema = {**top, "$defs": {"point": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}}}
    read = published(schema)
    assert problems_by_both(read, {"x": 1}) == []
    assert len(problems_by_both(read, {"x": "1"})) == 1


@pytest.mark.parametrize(
    ("top", "place"),
    [
        ({"$ref": "#/$defs/list"}, "$['$defs'].list"),
        ({"allOf": [{}, {"type": "array"}]}, "$.allOf[1]"),
        ({"anyOf": [{"type": "string"}, {"$ref": "#/$defs/list"}]}, "$.anyOf[0]"),
        ({"oneOf": [False]}, "$.oneOf[0]"),
        ({"const": 5}, "$"),
        ({"enum": ["a", 1]}, "$"),
    ],
)
def test_a_schema_that_no_object_fits_is_refused(top: dict[str, Any], place: str) -> None:
    schema = {**top, "$defs": {"list": {"type": "array"}}}
    assert problem_of(schema) == (f"the parameters of a tool are an object, and the schema at {place} accepts none")


# --- what is no schema -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"properties": {"x": {"enum": 5}}}, "$.properties.x.enum: must be an array, not 5"),
        ({"required": "x"}, '$.required: must be an array, not "x"'),
        ({"properties": {"a": {"minLength": -1}, "b": {"pattern": 5}}},
         "$.properties.a.minLength: must be at least 0, not -1; $.properties.b.pattern: must be a string, not 5"),
        ({"properties": []}, "$.properties: must be an object, not []"),
        ({"properties": {"x": {"default": object()}}}, "it is not JSON: $.properties.x.default is a Python object"),
        ({"properties": {"x": {"enum": {1, 2}}}}, "it is not JSON: $.properties.x.enum is a Python set"),
        ({"properties": {1: {}}}, "it is not JSON: $.properties has a name that is not a string: 1"),
        ({"properties": {"x": {"maximum": float("inf")}}}, "it is not JSON: $.properties.x.maximum is inf"),
        ({"description": "\ud800"}, "it is not JSON: it has half of a surrogate pair, which no text can carry"),
        ({"properties": {"x": {"maximum": 10**5000}}}, "it is not JSON: "),
    ],
)  # fmt: skip
def test_the_place_that_is_not_a_schema_is_reported(schema: dict[str, Any], problem: str) -> None:
    said = problem_of(schema)
    assert said is not None
    assert said == problem or (problem.endswith(": ") and said.startswith(problem))


def test_not_more_than_a_few_of_many_mistakes_are_reported() -> None:
    problem = str(problem_of({"properties": {f"p{number}": {"type": "nope"} for number in range(100)}}))
    assert problem.count("must be one of") == 5


def test_a_schema_that_contains_itself_is_refused() -> None:
    schema: dict[str, Any] = {"properties": {}}
    schema["properties"]["again"] = schema
    assert problem_of(schema) == "it is nested too deeply: at most 200 levels"


def test_a_schema_may_be_nested_as_deeply_as_both_engines_can_walk() -> None:
    assert problem_of(nested(5_000)) == "it is nested too deeply: at most 200 levels"
    deepest = nested(196)
    assert problem_of(deepest) is None
    assert problems_by_both(deepest, {"a": [[[1]]]}) == []


# --- what is a schema --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("property_", "good", "bad"),
    [
        ({}, [1, "a", None, [], {}], []),
        (True, [1, None], []),
        (False, [], [1, None]),
        ({"description": "Anything."}, [1, {}], []),
        ({"minLength": 2}, ["ab", 5, None], ["a"]),  # without a type, of texts only
        ({"properties": {"b": {"type": "null"}}, "required": ["b"]}, [{"b": None}, 5], [{}, {"b": 1}]),
        ({"format": "no-such-format"}, ["x", 1], []),
        ({"type": ["string", "null"], "format": "email"}, ["a@example.org", None], ["a", 1]),
        ({"const": {"a": [1, None]}}, [{"a": [1.0, None]}], [{"a": [1]}, None]),
        ({"const": None}, [None], [0, False, ""]),
        ({"enum": [2**60, "x", [1]]}, [2**60, "x", [1.0]], [2**60 + 1, [True]]),
        ({"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "array", "items": {"type": "string"}}]},
         [[1, 2], ["a"], []], [[1, "a"], "a"]),
        ({"allOf": [{"$ref": "#/$defs/low"}, {"$ref": "#/$defs/high"}]}, [5, "x"], [0, 11]),
        ({"allOf": [{"allOf": [{"minimum": 1}, {"allOf": [{"maximum": 3}]}]}]}, [2], [0, 4]),
        ({"oneOf": [{"$ref": "#/$defs/cat"}, {"$ref": "#/$defs/dog"}],
          "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/$defs/cat", "dog": "#/$defs/dog"}}},
         [{"kind": "cat", "lives": 9}, {"kind": "dog"}], [{"kind": "cat"}, {"kind": "fish"}, {}, "cat"]),
        ({"if": {"properties": {"kind": {"const": "cat"}}}, "then": {"required": ["lives"]}}, [{"kind": "dog"}], [{"kind": "cat"}]),
        ({"not": {"type": ["string", "number"]}}, [None, []], ["a", 1]),
        ({"contains": {"const": 1}, "uniqueItems": True}, [[1, 2]], [[2], [1, 1]]),
    ],
)  # fmt: skip
def test_an_external_schema_is_accepted_and_validated(property_: Any, good: list[Any], bad: list[Any]) -> None:
    schema = {
        "properties": {"a": property_},
        "$defs": {
            "low": {"minimum": 1},
            "high": {"maximum": 10},
            "cat": {
                "type": "object",
                "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}},
                "required": ["kind", "lives"],
            },
            "dog": {"type": "object", "properties": {"kind": {"const": "dog"}}, "required": ["kind"]},
        },
    }
    assert problem_of(schema) is None
    wrong = [value for value in good if problems_by_both(schema, {"a": value})]
    missed = [value for value in bad if not problems_by_both(schema, {"a": value})]
    assert (wrong, missed) == ([], [])


def test_the_branch_that_a_tag_selects_is_reported() -> None:
    forms = [
        {"type": "object", "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}}, "required": ["kind", "lives"]},
        {"type": "object", "properties": {"kind": {"const": "dog"}, "name": {"type": "string"}}, "required": ["kind"]},
    ]  # fmt: skip
    schema = {"properties": {"pet": {"oneOf": forms, "discriminator": {"propertyName": "kind"}}}}
    assert problems_by_both(schema, {"pet": {"kind": "cat"}}) == ["$.pet.lives: is required"]
    assert problems_by_both(schema, {"pet": {"kind": "dog", "name": 5}}) == ["$.pet.name: must be a string, not 5"]
    assert problems_by_both(schema, {"pet": {"kind": "fish"}}) == ['$.pet.kind: must be "cat" or "dog", not "fish"']


def test_all_problems_are_reported_at_once_with_their_places() -> None:
    schema = of(
        "7",
        {
            "properties": {
                "id": {"type": "string", "format": "uuid"},
                "email": {"type": "string", "format": "email"},
                "age": {"type": "integer", "minimum": 18},
                "address": {"$ref": "#/definitions/address"},
            },
            "definitions": {"address": {"type": "object", "required": ["street", "zipcode"]}},
        },
    )
    value = {"id": "not-a-uuid", "email": "not-an-email", "age": 17, "address": {"street": "Main"}}
    assert [said.split(":")[0] for said in problems_by_both(schema, value)] == [
        "$.address.zipcode",
        "$.age",
        "$.email",
        "$.id",
    ]


def test_five_thousand_properties_are_read_and_validated() -> None:
    names = [f"p{number}" for number in range(5_000)]
    schema = {
        "properties": {name: {"$ref": f"#/$defs/d{place % 50}"} for place, name in enumerate(names)},
        "required": names[:-1],
        "additionalProperties": False,
        "$defs": {f"d{number}": {"type": "string", "minLength": number % 2} for number in range(50)},
    }
    assert problem_of(schema) is None
    value: dict[str, Any] = dict.fromkeys(names, "x")
    assert problems_by_both(schema, value) == []
    assert problems_by_both(schema, {**value, "p1": "", "p4999_": 1}) == [
        '$.p1: must have at least 1 character, not ""',
        '$.p4999_: is not a known name; did you mean "p4999"?',
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_value_that_is_too_deep_for_the_engine_gives_an_answer(engine: Any) -> None:
    schema = {"$ref": "#/$defs/l", "$defs": {"l": {"allOf": [{"items": {"$ref": "#/$defs/l"}}]}}}
    validator = tool_of(of_argument(schema)).validator(engine)
    value: list[Any] = []
    for _ in range(100):
        value = [value]
    try:
        assert validator.is_valid({"value_": value})
    except RecursionError:  # which the executor answers with: it is nested too deeply
        assert engine == "jsonschema"


def test_a_tool_cannot_be_defined_without_the_validator_that_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)  # as in a broken environment
    with pytest.raises(DefinitionError, match="ModuleNotFoundError: import of jsonschema_rs"):
        tool_of(of_argument({"type": "string", "format": "date"})).parameters  # noqa: B018


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (["object", "nope"], "$.type"),
        (["object", 5], "$.type"),
        (["object", "object"], "$.type"),
    ],
)
def test_a_list_of_types_at_the_top_is_judged_as_it_was_given(kind: Any, problem: str) -> None:
    assert (problem_of({"type": kind}) or "").startswith(problem)
    nested = problem_of({"properties": {"a": {"type": kind}}}) or ""
    assert nested.startswith(problem.replace("$", "$.properties.a"))
