from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pytest

from fcregistry import Problem
from fcregistry.types import schema_of

from .validation.both_engines import ENGINES, Engine, problem_of, problems_by_both, tool_of

both = pytest.mark.parametrize("engine", ENGINES)

PERSON = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "format": "uuid"},
        "email": {"type": "string", "format": "email"},
        "age": {"type": "integer", "minimum": 18},
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "zipcode": {"type": "string"}},
            "required": ["street", "zipcode"],
        },
    },
    "required": ["id", "email"],
}

USERNAME = {"type": "string", "minLength": 3, "maxLength": 10, "pattern": "^[a-zA-Z0-9_]+$"}
ONE_OF = {"oneOf": [{"properties": {"k": {"const": "a"}}, "required": ["k"]}, {"required": ["z"]}]}
ALL_OF = {
    "allOf": [{"$ref": "#/$defs/base"}, {"allOf": [{"required": ["y"]}]}],
    "$defs": {"base": {"required": ["x"]}},
}


@dataclass
class Circle:
    kind: Literal["circle"]
    radius: float


@dataclass
class Square:
    kind: Literal["square"]
    side: float


# --- messages ------------------------------------------------------------------------------------------------


def test_all_problems_are_reported_at_once_sorted_by_path() -> None:
    value = {"id": "not-a-uuid", "email": "not-an-email", "age": 17, "address": {"street": "Main"}}
    assert problems_by_both(PERSON, value) == [
        "$.address.zipcode: is required",
        "$.age: must be at least 18, not 17",
        '$.email: must be a string of the format "email", not "not-an-email"',
        '$.id: must be a string of the format "uuid" (such as "123e4567-e89b-12d3-a456-426614174000"), not "not-a-uuid"',
    ]


def test_a_valid_value_has_no_problems() -> None:
    value = {"id": "12345678-1234-5678-1234-567812345678", "email": "a@example.org", "age": 18}
    assert problems_by_both(PERSON, value) == []


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"type": "integer"}, True, "$: must be an integer, not true"),
        ({"type": ["string", "null"]}, 5, "$: must be null or a string, not 5"),
        ({"enum": [1, "a"]}, True, '$: must be one of 1, "a", not true'),
        ({"const": {"b": 1, "a": 2}}, 1, '$: must be {"b": 1, "a": 2}, not 1'),
        ({"minimum": 3}, 2.5, "$: must be at least 3, not 2.5"),
        ({"exclusiveMaximum": 1}, 1.0, "$: must be less than 1, not 1.0"),
        ({"multipleOf": 0.01}, 0.075, "$: must be a multiple of 0.01, not 0.075"),
        ({"maxLength": 2}, "abc", '$: must have at most 2 characters, not "abc"'),
        ({"pattern": "^[a-z]+$"}, "A", '$: must match the pattern "^[a-z]+$", not "A"'),
        ({"items": {"type": "string"}}, ["a", 1], "$[1]: must be a string, not 1"),
        ({"prefixItems": [{}], "items": False}, [1, 2], "$: must have no more items"),
        ({"uniqueItems": True}, [1, 1.0], "$: must have no item twice, not [1, 1.0]"),
        ({"minProperties": 1}, {}, "$: must have at least 1 property, not {}"),
        ({"required": ["a"]}, {}, "$.a: is required"),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "$.b: is required (where $.a is given)"),
        ({"not": {"type": "string"}}, "x", '$: must not be of the form {"type": "string"}, and is "x"'),
        ({"contains": {"type": "null"}}, [1], '$: must have at least 1 item of the form {"type": "null"}, not [1]'),
        (
            {"propertyNames": {"maxLength": 1}},
            {"ab": 1},
            "$.ab: is not an allowed name; names must have at most 1 character",
        ),
        ({"additionalProperties": False}, {"a": 1}, "$.a: is not a known name; there are none"),
        (
            {"oneOf": [{"type": "integer"}, {"minimum": 2}]},
            3,
            "$: must be of exactly one of the allowed forms, and is of several: 3",
        ),
    ],
)
def test_a_keyword_is_worded_alike_by_both_validators(schema: dict[str, Any], value: Any, message: str) -> None:
    assert problems_by_both(schema, value) == [message]


@both
def test_a_second_violation_is_reported_with_its_own_value(engine: Engine) -> None:
    """The requirement of a place in a schema is worded once, but the values that violate it differ."""
    either = {"anyOf": [{"enum": ["a", "b"]}, {"maxItems": 1}]}
    schema = {"properties": {"numbers": {"items": {"minimum": 3}}, "either": {"items": either}}}
    validator = tool_of(schema).validator(engine)
    for _ in range(2):
        assert [str(each) for each in validator.problems({"numbers": [1, 2, 3], "either": ["a", [1, 2], [3, 4]]})] == [
            '$.either[1]: must be one of "a", "b" or must have at most 1 item, not [1, 2]',
            '$.either[2]: must be one of "a", "b" or must have at most 1 item, not [3, 4]',
            "$.numbers[0]: must be at least 3, not 1",
            "$.numbers[1]: must be at least 3, not 2",
        ]


def test_definitions_whose_names_are_numbers_are_distinguished() -> None:
    limits = {"1": {"maximum": 3}, "01": {"maximum": 5}, "+1": {"maximum": 7}, "": {"maximum": 9}}
    schema = {"properties": {f"p{name}": {"$ref": f"#/$defs/{name}"} for name in limits}, "$defs": limits}
    value = {f"p{name}": 10 for name in limits}
    assert problems_by_both(schema, value) == [
        "$['p+1']: must be at most 7, not 10",
        "$.p: must be at most 9, not 10",
        "$.p01: must be at most 5, not 10",
        "$.p1: must be at most 3, not 10",
    ]


def test_the_problem_of_an_unknown_name_has_the_nearest_known_one() -> None:
    schema = {"properties": {"query": {}, "limit": {}}, "additionalProperties": False}
    assert problems_by_both(schema, {"qurey": 1, "zzz": 2}) == [
        '$.qurey: is not a known name; did you mean "query"?',
        '$.zzz: is not a known name; the known ones are "query", "limit"',
    ]


def test_names_that_a_pattern_allows_are_not_reported_as_unknown() -> None:
    schema = {"properties": {"a": {}}, "patternProperties": {"^x-": {"type": "integer"}}, "additionalProperties": False}
    assert problems_by_both(schema, {"x-1": 1, "b": 1}) == ['$.b: is not a known name; the known one is "a"']
    assert problems_by_both(schema, {"x-1": "1"}) == ["$['x-1']: must be an integer, not \"1\""]


@pytest.mark.parametrize("name", ["1", "01", "", "+1", "18446744073709551616", "a/b", "a~b", "a.b", "é"])
def test_a_property_is_named_as_it_is_however_it_looks(name: str) -> None:
    schema = {"additionalProperties": {"additionalProperties": {"type": "integer"}}}
    written = name if name.isalpha() and name.isascii() else f"['{name}']"
    assert problems_by_both(schema, {name: {"x": "y"}}) == [f'${written}.x: must be an integer, not "y"']
    assert problems_by_both(schema, {"x": {name: "y"}}) == [f'$.x{written}: must be an integer, not "y"']


def test_the_branch_of_a_union_that_was_meant_is_reported() -> None:
    schema = schema_of(Circle | Square | None)
    assert problems_by_both(schema, {"kind": "circle"}) == ["$.radius: is required"]
    assert problems_by_both(schema, {"kind": "square", "radius": 1}) == [
        '$.radius: is not a known name; the known ones are "kind", "side"',
        "$.side: is required",
    ]
    assert problems_by_both(schema, {"kind": "cube"}) == ['$.kind: must be "circle" or "square", not "cube"']
    assert problems_by_both(schema, {}) == ["$.kind: is required"]
    assert problems_by_both(schema, "circle") == ['$: must be an object or null, not "circle"']


def test_the_known_names_of_a_record_behind_a_reference_are_reported() -> None:
    schema = schema_of(tuple[Circle, Circle])
    assert problems_by_both(
        schema, [{"kind": "circle", "radius": 1, "radios": 2}, {"kind": "circle", "radius": 1}]
    ) == ['$[0].radios: is not a known name; did you mean "radius"?']


@both
def test_problems_are_bounded(engine: Engine) -> None:
    problems = (
        tool_of({"properties": {"a": {"items": {"type": "integer"}}}}).validator(engine).problems({"a": ["x"] * 1000})
    )
    assert len(problems) == 26
    assert problems[-1] == Problem("$", "and at least 75 more problems")


# --- where a plain validator would be wrong ----------------------------------------------------------------------


def test_a_pattern_is_linear_in_the_length_of_the_text() -> None:
    # A backtracking engine would hold the interpreter for longer than anyone waits.
    assert problems_by_both({"pattern": "(a+)+$"}, "a" * 5_000 + "!") != []
    assert problems_by_both({"patternProperties": {"(a+)+$": False}}, {"a" * 5_000 + "!": 1}) == []
    assert (
        problems_by_both({"patternProperties": {"(a+)+$": {}}, "additionalProperties": False}, {"a" * 5_000 + "!": 1})
        != []
    )


def test_a_dollar_is_the_end_of_the_text_and_not_of_a_line_before_it() -> None:
    schema = {"pattern": "^[a-z]+$"}
    assert problems_by_both(schema, "rm") == []
    assert problems_by_both(schema, "rm\n") != []
    assert problems_by_both(schema, "a\nrm") != []


def test_multiples_are_exact() -> None:
    schema = {"multipleOf": 0.01}
    for value in (0.07, 19.99, 1.1, 0.29, 4.35, 1, 10**30, 0):
        assert problems_by_both(schema, value) == []
    for value in (0.075, 1.001):
        assert problems_by_both(schema, value) != []


def test_equal_items_are_found_among_items_that_are_equal_only_in_python() -> None:
    assert problems_by_both({"uniqueItems": True}, [[True], [1], [True]]) != []
    assert problems_by_both({"uniqueItems": True}, [{"a": 1}, {"a": True}, 1, True, 0, False]) == []


def test_half_a_surrogate_pair_is_validated_like_any_text() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 3, "pattern": "^[^b]*$"}}}
    assert problems_by_both(schema, {"a": "x\ud800"}) == []
    assert problems_by_both(schema, {"a": "b\ud800"}) == ['$.a: must match the pattern "^[^b]*$", not "b\\ud800"']
    (said,) = problems_by_both({"additionalProperties": False}, {"\udfff": 1})
    said.encode()


def test_whole_numbers_of_any_size_are_compared_exactly() -> None:
    assert problems_by_both({"maximum": 2**64}, 2**64) == []
    assert problems_by_both({"maximum": 2**64}, 2**64 + 1) != []
    assert problems_by_both({"type": "integer"}, 10**400) == []
    assert problems_by_both({"enum": [2**70]}, 2**70 + 1) != []


def test_formats_of_fcregistry_are_the_same_functions_in_both_validators() -> None:
    assert problems_by_both({"format": "date-time"}, "2024-02-29T12:30:00") == []
    assert problems_by_both({"format": "date-time"}, "2023-02-29T12:30:00") != []
    assert problems_by_both({"format": "decimal"}, "1e5") == []
    assert problems_by_both({"format": "decimal"}, "NaN") != []


# --- foreign schemas ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"format": "no-such-format"}, ["x", 1], []),
        ({"title": "T", "description": "D", "x-vendor": 1}, [1, "a", None, {}], []),
        ({"minLength": 2}, ["ab", 5, None, []], ["a"]),
        (USERNAME, ["user_123", "abc"], ["", "ab", "invalid!char", "toolongusername123"]),
        ({"type": "integer", "minimum": 18, "maximum": 99}, [18, 25, 99], [17, 100, -1]),
        ({"type": "number", "minimum": 0, "exclusiveMaximum": 1}, [0.0, 0.5, 0.999], [-0.1, 1.0, 2.5]),
        ({"type": "array", "minItems": 1, "maxItems": 3}, [["a"], ["x", "y", "z"]], [[], [1, 2, 3, 4]]),
        (ONE_OF, [{"k": "a"}, {"z": 1}], [{}, {"k": "a", "z": 1}]),
        (ALL_OF, [{"x": 1, "y": 2}], [{"x": 1}, {"y": 2}]),
        ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, [{}, {"a": 1, "b": 2}], [{"a": 1}]),
        ({"anyOf": [False, {"type": "integer"}]}, [1], ["a"]),
        ({"anyOf": [False, False]}, [], [1]),
        ({"contains": {"type": "integer"}, "minContains": 2}, [[1, 2]], [[1]]),
        ({"unevaluatedProperties": False, "properties": {"a": {}}}, [{"a": 1}], [{"b": 1}]),
    ],
)  # fmt: skip
def test_external_schemas_are_usable(schema: dict[str, Any], good: list[Any], bad: list[Any]) -> None:
    for value in good:
        assert problems_by_both(schema, value) == []
    for value in bad:
        assert problems_by_both(schema, value) != []


@pytest.mark.parametrize(
    "schema", [{"required": "x"}, {"$schema": 5}, {"properties": {"x": 1}}, {"properties": {"x": {"type": "nope"}}}]
)
def test_an_invalid_schema_is_refused_in_one_line(schema: dict[str, Any]) -> None:
    problem = problem_of(schema)
    assert problem is not None
    assert "\n" not in problem


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {}, "b": {}}, "required": ["a"]},
        {"$ref": "#/$defs/x", "$defs": {"x": {"properties": {"a": {}, "b": {}}, "required": ["a"]}}},
        {
            "allOf": [{"required": ["a"]}, {"properties": {"a": {}}}],
            "anyOf": [{"properties": {"b": {}}, "required": ["b"]}],
        },
    ],
)
def test_the_properties_of_the_top_are_known_wherever_they_are_declared(schema: dict[str, Any]) -> None:
    validator = tool_of(schema).validator()
    assert validator.properties == {"a", "b"}
    assert validator.required == {"a"}
