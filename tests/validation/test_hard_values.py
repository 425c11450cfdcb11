"""Values whose errors a validator would list in exponential time, or far too slowly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from fcregistry._schema.drafts import NEWEST, declared_draft
from fcregistry._schema.engine_rs import TextChecker, has_unenforced_patterns
from fcregistry._schema.validator import Validator
from fcregistry._schema.violations import MOST_STEPS, TooManyStepsError, ViolationFinder

from .both_engines import of_argument, tool_of
from .external_schemas import SCHEMAS, VALUES
from .nested_unions import by_hand, nested

CALLS = 2 * (4 * 7 + 4)


def problems_of(schema: dict[str, Any], value: Any) -> list[str]:
    """Return the problems of a tool's arguments, or of one argument."""
    if not isinstance(value, dict):
        return [said.replace("$.value_", "$") for said in problems_of(of_argument(schema), {"value_": value})]
    return [str(problem) for problem in tool_of(schema).validator().problems(value)]


@pytest.mark.parametrize("depth", [14, 40])
def test_deeply_nested_unions_are_validated_decoded_and_encoded_in_time_and_memory(depth: int) -> None:
    script = Path(__file__).with_name("nested_unions.py")
    run = subprocess.run([sys.executable, script, str(depth)], capture_output=True, text=True, timeout=120, check=False)
    assert run.stderr == ""
    lines = run.stdout.splitlines()
    assert len(lines) == CALLS
    assert {line for line in lines if not line.endswith("True")} == set()
    wrong = [line for line in lines if " invalid_arguments " in line]
    assert len(wrong) == CALLS - 18  # what is valid, a null that is left out, and texts where a text may be


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
def test_the_steps_that_are_taken_grow_with_the_depth_and_no_faster(keyword: str) -> None:
    validator = by_hand(keyword).validator()
    for depth in (8, 20, 40):
        assert validator.violations({"e": nested(depth, "x", {})}, most_steps=20 * depth)
        with pytest.raises(TooManyStepsError):
            validator.violations({"e": nested(depth, "x", {})}, most_steps=depth)


@given(SCHEMAS, st.lists(VALUES, min_size=1, max_size=5))
@settings(max_examples=400)
def test_a_value_has_violations_exactly_if_it_is_not_valid(schema: dict[str, Any], values: list[Any]) -> None:
    draft = declared_draft(schema) or NEWEST
    finder = ViolationFinder(schema, draft, TextChecker({}, draft, has_unenforced_patterns(schema)))
    for value in values:
        note(f"{schema} / {value!r}")
        assert Validator(schema).is_valid(value) == (not finder.find(value))


def test_problems_that_were_found_before_too_many_steps_are_reported() -> None:
    many = {"items": {"anyOf": [{"type": "string"}, {"type": "array"}, {"type": "null"}]}}
    schema = {"properties": {"a": many, "b": many}}
    value = {"a": ["x"] * MOST_STEPS + [1], "b": [2]}
    too_large = "must match the schema, and is too large to say where it does not: send less at once"
    assert problems_of(schema, value) == [f"$: {too_large}"]
    assert (
        problems_of(schema, {"a": [3, *value["a"]], "b": [2]})[0]
        == "$.a[0]: must be a string or an array or null, not 3"
    )


def test_the_branch_that_a_constant_selects_among_thousands_is_reported() -> None:
    forms = [
        {"type": "object", "properties": {"k": {"const": kind}, "v": {"type": "integer"}}, "required": ["k", "v"]}
        for kind in range(2_000)
    ]
    schema = {
        "properties": {"a": {"anyOf": forms}, "b": {"oneOf": [{"$ref": f"#/$defs/f{at}"} for at in range(2_000)]}}
    }
    schema["$defs"] = {f"f{at}": form for at, form in enumerate(forms)}
    assert problems_of(schema, {"a": {"k": 1_999, "v": "x"}}) == ['$.a.v: must be an integer, not "x"']
    assert problems_of(schema, {"b": {"k": 1_999, "v": "x"}}) == ['$.b.v: must be an integer, not "x"']
    (said,) = problems_of(schema, {"a": {"k": "x", "v": 1}})
    assert said.startswith("$.a.k: must be 0 or 1 or 2")
    assert said.endswith('29 or … (100 forms), not "x"')


def test_a_name_among_thousands_that_no_keyword_evaluates_is_reported() -> None:
    groups = [
        {"anyOf": [{"properties": {f"p{at}_{each}": {"type": "integer"}}} for each in range(100)]} for at in range(10)
    ]
    schema = {"allOf": groups, "unevaluatedProperties": False}
    value = {f"q{number}": 1 for number in range(1_000)}
    problems = problems_of(schema, value)
    assert len(problems) == 26
    assert problems[0].startswith("$.q0: is not a known name; ")


def test_the_last_of_many_records_is_reported() -> None:
    record = {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}}
    value = [{"x": 1, "y": 2}] * 40_000 + [{"x": 1, "y": "z"}]
    assert problems_of({"items": record}, value) == ['$[40000].y: must be an integer, not "z"']


def test_a_value_is_compared_with_all_choices_at_once() -> None:
    """One by one, a thousand choices and 20,000 items took minutes.

    An object is written as JSON first, so there are fewer.
    """
    for choices, count in (([*range(1_000)], 20_000), ([{"a": number} for number in range(1_000)], 2_000)):
        value = [choices[-1]] * count
        assert problems_of({"items": {"enum": choices}}, [*value, "x"])[0].startswith(f"$[{count}]: must be one of ")
        assert problems_of({"contains": {"enum": [*choices, "x"]}, "maxContains": 5}, value)


def test_names_that_are_matched_with_patterns_count_as_steps() -> None:
    patterns = {f"^p{number}$": {} for number in range(200)}
    value = {f"q{number}": 1 for number in range(2_000)}
    (said,) = problems_of({"patternProperties": patterns, "additionalProperties": False}, value)
    assert said.startswith("$: must match the schema, and is too large to say where it does not")


def test_a_hundred_thousand_wrong_items_are_reported_as_the_first_few() -> None:
    problems = problems_of({"items": {"type": "integer"}}, ["x"] * 100_000)
    assert problems[0] == '$[0]: must be an integer, not "x"'
    assert problems[-1] == "$: and at least 75 more problems"


def test_wording_problems_does_not_import_jsonschema_even_with_a_parameter_called_id() -> None:
    program = (
        "import sys\n"
        "from fcregistry import Executor\n"
        "def get(id: int, next: 'Link | None' = None) -> None: ...\n"
        "from dataclasses import dataclass\n"
        "@dataclass\n"
        "class Link:\n"
        "    id: str\n"
        "    next: 'Link | None' = None\n"
        "result = Executor([get]).run({'name': 'get', 'arguments': '{\"id\": \"x\", \"next\": {\"id\": 1}}'})\n"
        "assert len(result.error.problems) == 2, result.content\n"
        "print({'jsonschema', 'referencing', 'jsonschema_specifications'} & sys.modules.keys())\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (run.stdout, run.stderr) == ("set()\n", "")
