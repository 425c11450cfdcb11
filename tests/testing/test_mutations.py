"""Nearly valid arguments: wrong in one place, in every way in which models are wrong."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

from fcregistry import Tool
from fcregistry.testing._strategies import Mutations  # a law of the values that the kit makes

from .drawing import drawn

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "count": {"type": "integer", "minimum": 1, "maximum": 5},
        "share": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5},
        "unit": {"enum": ["celsius", "fahrenheit"]},
        "code": {"type": "string", "minLength": 2, "maxLength": 4, "pattern": "^[a-z]+$"},
        "day": {"type": "string", "format": "date"},
        "flag": {"type": "boolean"},
        "some": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 3, "uniqueItems": True},
        "inner": {
            "type": "object",
            "properties": {"a": {"type": "null"}},
            "required": ["a"],
            "additionalProperties": False,
        },
        "either": {"anyOf": [{"type": "null"}, {"type": "integer"}]},
    },
    "required": ["count"],
    "additionalProperties": False,
}
VALID: dict[str, Any] = {
    "count": 2,
    "share": 1.5,
    "unit": "celsius",
    "code": "abc",
    "day": "2024-02-29",
    "flag": True,
    "some": [1, 2],
    "inner": {"a": None},
    "either": None,
}


def take(**arguments: Any) -> None:
    """Take anything."""


TOOL = Tool.from_function(take, parameters=SCHEMA)
near = Mutations(SCHEMA).of(st.just(VALID))


def differences(first: Any, second: Any) -> int:
    """Count the places in which two JSON values differ; a value of another kind is one place."""
    if isinstance(first, dict) and isinstance(second, dict):
        renamed = len(first.keys() - second.keys()) == len(second.keys() - first.keys()) == 1
        own = 1 if renamed else len(first.keys() ^ second.keys())
        return own + sum(differences(first[name], second[name]) for name in first.keys() & second.keys())
    return 0 if first == second and type(first) is type(second) else 1


def test_a_near_miss_differs_in_one_place() -> None:
    """So a failure has one cause."""
    assert [value for value in drawn(near, 300) if differences(VALID, value) > 1] == []


def test_making_a_near_miss_does_not_change_its_source() -> None:
    before = copy.deepcopy(VALID)
    drawn(near, 100)
    assert before == VALID


def test_every_keyword_is_broken_in_some_near_miss() -> None:
    """In each place there are all kinds of wrong values that models write there."""
    validator = TOOL.validator("jsonschema")
    misses = drawn(near, 1500)
    violations = [(miss, validator.violations(miss)) for miss in misses]
    broken = {(violation.keyword, violation.path[:1]) for _, found in violations for violation in found}
    assert {keyword for keyword, _ in broken} >= {
        *("type", "required", "additionalProperties", "minimum", "maximum", "exclusiveMinimum", "multipleOf"),
        *("enum", "minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "anyOf"),
    }
    assert {path for keyword, path in broken if keyword == "type"} >= {
        (name,) for name in ("count", "flag", "some", "inner")
    }
    sent = [
        (name, value) for miss, found in violations if found for name, value in miss.items() if value != VALID.get(name)
    ]
    assert any(name in ("count", "share") and isinstance(value, bool) for name, value in sent)
    assert ("count", "2") in sent
    assert ("some", "[1, 2]") in sent
    assert any(name[:-1] in VALID for name, _ in sent)
    assert {"abc\n", " abc", "abcx", "ab", "ABC"} <= set(Mutations(SCHEMA)._texts_near("abc"))


def test_some_near_misses_are_valid() -> None:
    """They must be accepted: the rule holds for valid and for invalid arguments."""
    validator = TOOL.validator("jsonschema")
    verdicts = [validator.is_valid(value) for value in drawn(near, 300)]
    assert 0.5 < verdicts.count(False) / len(verdicts) < 1


def test_an_empty_object_has_near_misses_too() -> None:
    made = drawn(Mutations({"type": "object", "properties": {}}).of(st.just({})), 50)
    assert any(made)
