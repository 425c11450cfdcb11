from __future__ import annotations

from typing import Any

import pytest

from .validation.both_engines import problems_by_both


def wrong_at(path: tuple[str | int, ...]) -> tuple[dict[str, Any], Any]:
    """Return a schema, and a value that is wrong at a path only."""
    schema: dict[str, Any] = {"type": "null"}
    value: Any = 1
    for segment in reversed(path):
        if isinstance(segment, int):
            schema, value = {"prefixItems": [{}] * segment + [schema]}, [None] * segment + [value]
        else:
            schema, value = {"additionalProperties": schema}, {segment: value}
    return schema, value


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ((), "$"),
        (("items", 2, "qty"), "$.items[2].qty"),
        (("odd key",), "$['odd key']"),
        (("1",), "$['1']"),
        (("",), "$['']"),
        (("it's",), r"$['it\'s']"),
        (("back\\slash",), r"$['back\\slash']"),
        (('say "hi"',), """$['say "hi"']"""),
        (("é",), "$['é']"),
        (("line\nend",), r"$['line\nend']"),
        (("\x1b[31mred",), r"$['\u001b[31mred']"),
        (("a\ud800",), r"$['a\ud800']"),
        (("x" * 60,), "$." + "x" * 60),
        (("x" * 61,), "$['" + "x" * 60 + "…']"),
    ],
)
def test_a_path_is_written_as_jsonschema_does_bounded_and_printable(path: tuple[str | int, ...], written: str) -> None:
    assert problems_by_both(*wrong_at(path)) == [f"{written}: must be null, not 1"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("é", '"é"'),
        (None, "null"),
        (True, "true"),
        ({"a": [1, 2.5]}, '{"a": [1, 2.5]}'),
        ("\ud800", '"\\ud800"'),
        ("x" * 100, '"' + "x" * 59 + "… (102 characters)"),
    ],
)
def test_a_value_is_shown_as_bounded_json_that_can_be_printed(value: object, shown: str) -> None:
    (said,) = problems_by_both({"properties": {"x": {"not": {}}}}, {"x": value})
    assert said == f"$.x: must not be of the form {{}}, and is {shown}"
    said.encode()


@pytest.mark.parametrize(
    ("keyword", "limit", "value", "message"),
    [
        ("type", "integer", "5", 'must be an integer, not "5"'),
        ("type", ["string", "null"], 5, "must be null or a string, not 5"),
        ("enum", ["a"], "c", 'must be "a", not "c"'),
        ("const", 5, 6, "must be 5, not 6"),
        ("minimum", 1, 0, "must be at least 1, not 0"),
        ("maximum", 1, 2, "must be at most 1, not 2"),
        ("exclusiveMinimum", 1, 1, "must be greater than 1, not 1"),
        ("exclusiveMaximum", 1, 1, "must be less than 1, not 1"),
        ("multipleOf", 0.01, 0.005, "must be a multiple of 0.01, not 0.005"),
        ("minLength", 2, "a", 'must have at least 2 characters, not "a"'),
        ("maxLength", 2, "abc", 'must have at most 2 characters, not "abc"'),
        ("minItems", 1, [], "must have at least 1 item, not []"),
        ("maxItems", 1, [1, 2], "must have at most 1 item, not [1, 2]"),
        ("minProperties", 1, {}, "must have at least 1 property, not {}"),
        ("maxProperties", 0, {"a": 1}, 'must have at most 0 properties, not {"a": 1}'),
        ("pattern", "^a$", "b", 'must match the pattern "^a$", not "b"'),
        ("format", "date", "2026-11-31", 'must be a date that exists, not "2026-11-31"'),
        ("format", "date", "x", 'must be a string of the format "date" (such as "2026-01-31"), not "x"'),
        ("format", "byte", "!", 'must be a string of the format "byte" (such as "aGVsbG8="), not "!"'),
        ("format", "email", "x", 'must be a string of the format "email", not "x"'),
        ("uniqueItems", True, [1, 1], "must have no item twice, not [1, 1]"),
        ("items", False, [1, 2], "must have no more items"),
        ("not", {"minimum": 1}, 1, 'must not be of the form {"minimum": 1}, and is 1'),
        ("not", {"type": "object", "required": ["a"]}, {"a": 1}, 'must not have "a", and is {"a": 1}'),
        (
            "not",
            {"required": ["a", "b"]},
            {"a": 1, "b": 2},
            'must not have "a" together with "b", and is {"a": 1, "b": 2}',
        ),
        ("not", {"const": 5}, 5, "must not be 5, and is 5"),
        ("not", {"enum": ["a", "b"]}, "a", 'must not be one of "a", "b", and is "a"'),
        ("enum", [], 1, "must be one of no values, not 1"),
        ("maxItems", 1.0, [1, 2], "must have at most 1 item, not [1, 2]"),
        ("contains", {"type": "null"}, [], 'must have at least 1 item of the form {"type": "null"}, not []'),
        ("oneOf", [{}, {}], 1, "must be of exactly one of the allowed forms, and is of several: 1"),
    ],
)
def test_every_keyword_has_its_message(keyword: str, limit: Any, value: Any, message: str) -> None:
    assert problems_by_both({"properties": {"x": {keyword: limit}}}, {"x": value}) == [f"$.x: {message}"]


def test_forbidden_and_repeated_values_have_their_message() -> None:
    assert problems_by_both({"properties": {"x": False}}, {"x": 1}) == ["$.x: must not be there"]
    assert problems_by_both({"contains": True, "maxContains": 2.0}, [1, 2, 3]) == [
        "$: must have at most 2 items of the form true, not [1, 2, 3]"
    ]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"type": "string", "enum": ["a"]}, 'is not an allowed name; names must be "a"'),
        (False, "is not an allowed name"),
        ({"allOf": [{"maxLength": 1}]}, "is not an allowed name"),
        ({"description": "Short.", "maxLength": 1}, "is not an allowed name; names must have at most 1 character"),
    ],
)
def test_the_problem_of_a_name_says_what_names_must_be(names: Any, message: str) -> None:
    assert problems_by_both({"propertyNames": names}, {"bb": 1}) == [f"$.bb: {message}"]


def test_a_long_enum_is_cut_and_counted() -> None:
    (message,) = problems_by_both({"enum": list(range(40))}, "x")
    assert message.endswith('28, 29, … (40 values), not "x"')


def test_missing_and_unknown_names_have_paths_of_their_own_and_the_nearest_name() -> None:
    schema = {"properties": {"limit": {}, "query": {}}, "required": ["query"], "additionalProperties": False}
    assert problems_by_both(schema, {"qurey": 1, "other": 2}) == [
        '$.other: is not a known name; the known ones are "limit", "query"',
        "$.query: is required",
        '$.qurey: is not a known name; did you mean "query"?',
    ]


def test_an_unknown_name_in_an_object_without_names_says_so() -> None:
    assert problems_by_both({"additionalProperties": False}, {"x": 1}) == ["$.x: is not a known name; there are none"]


def test_problems_occur_once_each_sorted_by_path_with_positions_as_numbers() -> None:
    whole = {"items": {"type": "integer"}}
    schema = {"properties": {"items": {"allOf": [whole, whole]}, "a": {"type": "null"}}}
    items = ["x" if place in (2, 9, 10) else place for place in range(12)]
    assert [said.split(":")[0] for said in problems_by_both(schema, {"items": items, "a": 1})] == [
        "$.a",
        "$.items[2]",
        "$.items[9]",
        "$.items[10]",
    ]


def test_problems_are_bounded_and_the_last_says_how_many_more_there_are() -> None:
    problems = problems_by_both({"items": {"type": "integer"}}, ["x"] * 99)
    assert len(problems) == 26
    assert problems[-1] == "$: and 74 more problems"
    assert [problem.split(":")[0] for problem in problems[:-1]] == [f"$[{place}]" for place in range(25)]
    more = problems_by_both({"items": {"type": "integer"}}, ["x"] * 100)
    assert more[-1] == "$: and at least 75 more problems"  # no more than a hundred are collected


def test_a_hundred_thousand_unknown_names_are_worded_as_the_first_few() -> None:
    value = {f"limits{number}": 1 for number in range(100_000)}
    problems = problems_by_both({"properties": {"limit": {}}, "additionalProperties": False}, value)
    assert len(problems) == 26
    assert all(problem.endswith('did you mean "limit"?') for problem in problems[:-1])


# --- unions ------------------------------------------------------------------------------------------------------


def union(*branches: dict[str, Any], value: Any) -> list[str]:
    return problems_by_both({"anyOf": [*branches]}, value)


def test_the_problem_of_a_wrong_type_names_all_types() -> None:
    assert union({"type": "integer"}, {"type": "null"}, value="x") == ['$: must be an integer or null, not "x"']


def test_the_only_branch_of_the_kind_is_meant() -> None:
    branches = [{"type": "null"}, {"type": "array", "items": {"type": "string"}}]
    schema = {"properties": {"a": {"anyOf": branches}}}
    assert problems_by_both(schema, {"a": [1]}) == ["$.a[0]: must be a string, not 1"]


def test_branches_that_are_about_the_value_itself_are_joined() -> None:
    assert union({"maximum": 1}, {"minimum": 9}, value=5) == ["$: must be at most 1 or at least 9, not 5"]


def test_the_problem_of_an_unknown_tag_names_all_tags() -> None:
    branches = [{"properties": {"kind": {"enum": [tag]}}, "required": ["kind", tag]} for tag in "ab"]
    assert union(*branches, value={"kind": "c"}) == ['$.kind: must be "a" or "b", not "c"']


def test_the_branch_with_the_right_tag_is_meant_however_much_is_wrong_with_it() -> None:
    right = {"properties": {"kind": {"enum": ["a"]}}, "required": ["x", "y", "z"]}
    wrong = {"properties": {"kind": {"enum": ["b"]}}}
    assert union(wrong, right, value={"kind": "a"}) == ["$.x: is required", "$.y: is required", "$.z: is required"]


def test_a_wrong_choice_is_no_tag_if_the_other_branch_does_not_know_the_name() -> None:
    by_city = {"properties": {"city": {}, "unit": {"enum": ["c", "f"]}}}
    by_place = {"properties": {"place": {}}, "required": ["place"], "additionalProperties": False}
    assert union(by_city, by_place, value={"city": "Oslo", "unit": "k"}) == ['$.unit: must be one of "c", "f", not "k"']


def test_the_branch_with_the_least_wrong_is_meant() -> None:
    near = {"properties": {"point": {"properties": {"x": {"type": "integer"}}}}}
    far = {"properties": {"a": {}}, "required": ["a"], "additionalProperties": False}
    assert union(far, near, value={"point": {"x": "1"}}) == ['$.point.x: must be an integer, not "1"']


def test_of_equally_near_branches_the_shared_problems_are_returned() -> None:
    assert union({"required": ["kind", "x"]}, {"required": ["kind", "y"]}, value={}) == ["$.kind: is required"]


def test_the_problem_of_a_missing_name_has_the_alternatives() -> None:
    assert union({"required": ["name"]}, {"required": ["id"]}, value={}) == ['$: must have "name" or "id"']
    assert union({"required": ["lat", "lon"]}, {"required": ["x", "y"]}, value={}) == [
        '$: must have "lat" and "lon" or "x" and "y"'
    ]


# --- conditions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        ({"required": ["card"]}, {"card": 1}, "where $.o.card is given"),
        ({"properties": {"kind": {"const": "a"}}}, {"kind": "a"}, 'where $.o.kind is "a"'),
        ({"properties": {"kind": {"enum": [1, 2]}}, "required": ["kind"]}, {}, "unless $.o.kind is 1 or 2"),
        ({"properties": {"k": {"type": "string", "const": "a"}}, "required": ["k", "n"]}, {"k": "a", "n": 1},
         'where $.o.k is "a" and $.o.n is given'),
        ({"properties": {"n": {"minimum": 3}}}, {}, 'where $.o is of the form {"properties": {"n": {"minimum": 3}}}'),
        ({"minProperties": 2}, {"a": 1, "b": 2}, 'where $.o is of the form {"minProperties": 2}'),
        ({"type": "object"}, {}, 'where $.o is of the form {"type": "object"}'),
        (False, {}, "unless $.o is of the form false"),
    ],
)  # fmt: skip
def test_a_problem_names_its_condition(schema: Any, value: Any, said: str) -> None:
    branch = "then" if said.startswith("where") else "else"
    document = {"properties": {"o": {"if": schema, branch: {"required": ["cvc"]}}}}
    assert problems_by_both(document, {"o": value}) == [f"$.o.cvc: is required ({said})"]


def test_nested_conditions_are_each_named_once() -> None:
    wrong = {"properties": {"x": {"type": "integer"}}}
    for part in ({"a": True}, {"b": False}, {"a": True}):
        ((name, holds),) = part.items()
        wrong = {"if": {"required": [name]}, "then" if holds else "else": wrong}
    assert problems_by_both(wrong, {"a": 1, "x": "y"}) == [
        '$.x: must be an integer, not "y" (where $.a is given and unless $.b is given)'
    ]
