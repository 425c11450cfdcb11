from __future__ import annotations

from typing import Any

import pytest

from fcregistry import Problem
from fcregistry._base.messages import MOST_PROBLEMS, MOST_VIOLATIONS, Condition, Violation, json_path, show, worded


def messages(*violations: Violation) -> list[str]:
    return [str(problem) for problem in worded(violations)]


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
    assert json_path(path) == written


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("é", '"é"'),
        (None, "null"),
        (True, "true"),
        ({"a": [1, 2.5]}, '{"a": [1, 2.5]}'),
        ("\ud800", '"\\ud800"'),
        ("x" * 100, '"' + "x" * 59 + "… (102 characters)"),
        (object(), "a object"),
    ],
)
def test_a_value_is_shown_as_bounded_json_that_can_be_printed(value: object, shown: str) -> None:
    assert show(value) == shown
    show(value).encode()


@pytest.mark.parametrize(
    ("keyword", "limit", "instance", "message"),
    [
        ("type", "integer", "5", 'must be an integer, not "5"'),
        ("type", ["string", "null"], 5, "must be null or a string, not 5"),
        ("enum", ["a", "b"], "c", 'must be one of "a", "b", not "c"'),
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
        ("format", "date", "x", 'must be a string of the format "date" (such as "2026-01-31"), not "x"'),
        ("format", "byte", "!", 'must be a string of the format "byte" (such as "aGVsbG8="), not "!"'),
        ("format", "email", "x", 'must be a string of the format "email", not "x"'),
        ("uniqueItems", True, [1, 1], "must have no item twice, not [1, 1]"),
        ("items", False, [1, 2], "must have no more items"),
        ("not", {"minimum": 1}, 1, 'must not be of the form {"minimum": 1}, and is 1'),
        ("not", {"type": "object", "required": ["a"]}, {"a": 1}, 'must not have "a", and is {"a": 1}'),
        ("not", {"required": ["a", "b"]}, {}, 'must not have "a" together with "b", and is {}'),
        ("not", {"const": 5}, 5, "must not be 5, and is 5"),
        ("not", {"enum": ["a", "b"]}, "a", 'must not be one of "a", "b", and is "a"'),
        ("enum", [], 1, "must be one of no values, not 1"),
        ("maxItems", 1.0, [1, 2], "must have at most 1 item, not [1, 2]"),
        ("minContains", (1, {"type": "null"}), [], 'must have at least 1 item of the form {"type": "null"}, not []'),
        ("maxContains", (2.0, True), [1, 2, 3], "must have at most 2 items of the form true, not [1, 2, 3]"),
        ("oneOf", [{}, {}], 1, "must be of exactly one of the allowed forms, and is of several: 1"),
        ("false schema", None, 1, "must not be there"),
        ("propertyNames", {"type": "string", "enum": ["a"]}, "b", 'is not an allowed name; names must be "a"'),
        ("propertyNames", False, "b", "is not an allowed name"),
        ("propertyNames", {"maxContains": 1, "minimum": 2}, "b", "is not an allowed name"),
        (
            "propertyNames",
            {"description": "Short.", "maxLength": 1},
            "bb",
            "is not an allowed name; names must have at most 1 character",
        ),
        ("someNewKeyword", 1, 2, "must satisfy someNewKeyword, not 2"),
    ],
)
def test_every_keyword_has_its_words(keyword: str, limit: Any, instance: Any, message: str) -> None:
    assert worded([Violation(("x",), keyword, limit, instance)]) == (Problem("$.x", message),)


def test_a_long_enum_is_cut_and_counted() -> None:
    (message,) = messages(Violation((), "enum", list(range(40)), "x"))
    assert message.endswith('28, 29, … (40 values), not "x"')


def test_missing_and_unknown_names_have_paths_of_their_own_and_the_nearest_name() -> None:
    assert messages(
        Violation((), "required", ["query"], {}),
        Violation((), "additionalProperties", ["qurey", "other"], {}, known=("limit", "query")),
    ) == [
        '$.other: is not a known name; the known ones are "limit", "query"',
        "$.query: is required",
        '$.qurey: is not a known name; did you mean "query"?',
    ]


def test_an_unknown_name_where_there_are_none_says_so() -> None:
    assert messages(Violation((), "additionalProperties", ["x"], {"x": 1})) == [
        "$.x: is not a known name; there are none"
    ]


def test_problems_stand_once_each_sorted_by_path_with_positions_as_numbers() -> None:
    found = [Violation(("items", place), "type", "integer", "x") for place in (10, 9, 2, 10)]
    assert [problem.path for problem in worded([*found, Violation(("a",), "type", "null", 1)])] == [
        "$.a",
        "$.items[2]",
        "$.items[9]",
        "$.items[10]",
    ]


def test_problems_are_bounded_and_the_last_says_how_many_more_there_are() -> None:
    found = [Violation((place,), "type", "integer", "x") for place in range(MOST_VIOLATIONS)]
    problems = worded(found[:-1])
    assert len(problems) == MOST_PROBLEMS + 1
    assert problems[-1] == Problem("$", "and 74 more problems")
    assert worded(found)[-1] == Problem("$", "and at least 75 more problems")  # no more than a hundred are collected
    assert [problem.path for problem in problems[:-1]] == [f"$[{place}]" for place in range(MOST_PROBLEMS)]


def test_a_hundred_thousand_unknown_names_are_worded_as_the_first_few() -> None:
    names = [f"limits{number}" for number in range(100_000)]
    problems = worded([Violation((), "additionalProperties", names, {}, known=("limit",))])
    assert len(problems) == MOST_PROBLEMS + 1
    assert all(problem.message.endswith('did you mean "limit"?') for problem in problems[:-1])


# --- unions ------------------------------------------------------------------------------------------------------


def union(*branches: tuple[Violation, ...], path: tuple[str | int, ...] = (), instance: Any = None) -> list[str]:
    return messages(Violation(path, "anyOf", [], instance, branches=branches))


def test_a_value_of_no_allowed_kind_is_told_all_of_them() -> None:
    kinds = ((Violation((), "type", "integer", "x"),), (Violation((), "type", "null", "x"),))
    assert union(*kinds, instance="x") == ['$: must be an integer or null, not "x"']


def test_the_only_branch_of_the_kind_is_meant() -> None:
    null = (Violation(("a",), "type", "null", [1]),)
    items = (Violation(("a", 0), "type", "string", 1),)
    assert union(null, items, path=("a",), instance=[1]) == ["$.a[0]: must be a string, not 1"]


def test_branches_that_are_about_the_value_itself_are_joined() -> None:
    low, high = (Violation((), "maximum", 1, 5),), (Violation((), "minimum", 9, 5),)
    assert union(low, high, instance=5) == ["$: must be at most 1 or at least 9, not 5"]


def test_a_tag_that_no_branch_has_is_told_all_tags() -> None:
    branches = [(Violation(("kind",), "enum", [tag], "c"), Violation((), "required", [tag], {})) for tag in "ab"]
    assert union(*branches, instance={"kind": "c"}) == ['$.kind: must be "a" or "b", not "c"']


def test_the_branch_with_the_right_tag_is_meant_however_much_is_wrong_with_it() -> None:
    right = tuple(Violation((), "required", [name], {}) for name in ("x", "y", "z"))
    wrong = (Violation(("kind",), "enum", ["b"], "a"),)
    assert union(wrong, right) == ["$.x: is required", "$.y: is required", "$.z: is required"]


def test_a_wrong_choice_is_no_tag_if_the_other_branch_does_not_know_the_name() -> None:
    by_city = (Violation(("unit",), "enum", ["c", "f"], "k"),)
    by_place = (Violation((), "required", ["place"], {}), Violation((), "additionalProperties", ["city", "unit"], {}))
    assert union(by_city, by_place) == ['$.unit: must be one of "c", "f", not "k"']


def test_the_branch_with_the_least_wrong_is_meant() -> None:
    near = (Violation(("point", "x"), "type", "integer", "1"),)
    far = (Violation((), "required", ["a"], {}), Violation((), "additionalProperties", ["point"], {}))
    assert union(far, near) == ['$.point.x: must be an integer, not "1"']


def test_of_equally_near_branches_what_they_share_is_told() -> None:
    branches = [(Violation((), "required", ["kind"], {}), Violation((), "required", [name], {})) for name in "xy"]
    assert union(*branches) == ["$.kind: is required"]


def test_one_of_several_names_that_is_missing_is_told_with_the_others() -> None:
    by_name = (Violation((), "required", ["name"], {}),)
    by_place = (Violation((), "required", ["lat"], {}), Violation((), "required", ["lon"], {}))
    assert union(by_name, (Violation((), "required", ["id"], {}),)) == ['$: must have "name" or "id"']
    assert union(by_place, (Violation((), "required", ["x", "y"], {}),)) == [
        '$: must have "lat" and "lon" or "x" and "y"'
    ]


# --- conditions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "holds", "said"),
    [
        ({"required": ["card"]}, True, "where $.o.card is given"),
        ({"properties": {"kind": {"const": "a"}}}, True, 'where $.o.kind is "a"'),
        ({"properties": {"kind": {"enum": [1, 2]}}, "required": ["kind"]}, False, "unless $.o.kind is 1 or 2"),
        ({"properties": {"k": {"type": "string", "const": "a"}}, "required": ["k", "n"]}, True, 'where $.o.k is "a" and $.o.n is given'),
        ({"properties": {"n": {"minimum": 3}}}, True, 'where $.o is of the form {"properties": {"n": {"minimum": 3}}}'),
        ({"minProperties": 2}, True, 'where $.o is of the form {"minProperties": 2}'),
        ({"type": "object"}, True, 'where $.o is of the form {"type": "object"}'),
        (True, False, "unless $.o is of the form true"),
    ],
)  # fmt: skip
def test_a_problem_says_what_made_it_one(schema: Any, holds: bool, said: str) -> None:
    conditions = (Condition(("o",), schema, holds),)
    violation = Violation(("o",), "required", ["cvc"], {}, conditions=conditions)
    assert messages(violation) == [f"$.o.cvc: is required ({said})"]


def test_conditions_in_each_other_are_all_told_once() -> None:
    outer, inner = Condition((), {"required": ["a"]}, True), Condition((), {"required": ["b"]}, False)
    violation = Violation(("x",), "type", "integer", "y", conditions=(outer, inner, outer))
    assert messages(violation) == ['$.x: must be an integer, not "y" (where $.a is given and unless $.b is given)']
