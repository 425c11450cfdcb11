"""Parts of an external schema that are not enforced, and the notes about them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from .both_engines import ENGINES, notes_of, of, problem_of, problems_by_both, tool_of

NO_LETTER = "^(?!.*[a-z])"
"""A look-ahead: what it says is not known."""
NOT_TAKEN = "the linear-time engine does not support it (no look-around, no back-references)"
NOT_LINEAR = f"is not enforced: {NOT_TAKEN}"


# --- messages --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "notes"),
    [
        ({"properties": {"a": {"type": "string", "pattern": "(?=x)"}}}, [f'$.properties.a.pattern: "(?=x)" {NOT_LINEAR}']),
        ({"properties": {"a": {"items": {"pattern": "(a)\\1"}}}}, [f'$.properties.a.items.pattern: "(a)\\\\1" {NOT_LINEAR}']),
        ({"properties": {"a": {"pattern": "(unclosed"}}}, [f'$.properties.a.pattern: "(unclosed" {NOT_LINEAR}']),
        ({"properties": {"a": {"patternProperties": {"(?<!x)y": {}, "^z": {}}}}},
         [f'$.properties.a.patternProperties: names that match "(?<!x)y" are not checked: {NOT_TAKEN}']),
        ({"properties": {"a": {"format": "colour"}}}, ['$.properties.a.format: "colour" is not enforced: no such format is known']),
        ({"properties": {"a": {"format": "email"}, "b": {"format": "decimal"}}}, []),
        (of("4", {"properties": {"a": {"format": "uri-template"}}}),
         ['$.properties.a.format: "uri-template" is not enforced: no such format is known']),
        (of("7", {"properties": {"a": {"$ref": "#/definitions/a", "minLength": 3, "title": "A"}}, "definitions": {"a": {}}}),
         ['$.properties.a.minLength: is not enforced: draft 7 ignores what is beside "$ref"']),
        (of("7", {"dependentRequired": {"a": ["b"]}}), ["$.dependentRequired: is not enforced: it is not a keyword of draft 7"]),
        ({"properties": {"a": {"additionalItems": False, "minContains": 2, "then": {}}}},
         ["$.properties.a.additionalItems: is not enforced: it is not a keyword of draft 2020-12",
          '$.properties.a.minContains: is not enforced: there is no "contains" beside it',
          '$.properties.a.then: is not enforced: there is no "if" beside it']),
        ({"$schema": "https://example.org/mine"},
         ["$['$schema']: \"https://example.org/mine\" is not a known draft; the schema is read as draft 2020-12"]),
        ({"properties": {"a": {"$ref": "#/$defs/b"}, "c": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"format": "x"}, "d": {"format": "y"}}},
         ["$['$defs'].b.format: \"x\" is not enforced: no such format is known"]),
        ({"properties": {"pattern": {"const": "(?=x)"}, "format": {"default": {"format": "x"}}}, "x-pattern": "(?=x)"}, []),
        ({"$ref": "#"}, []),
    ],
)  # fmt: skip
def test_keywords_that_are_not_enforced_are_noted_with_their_path(schema: dict[str, Any], notes: list[str]) -> None:
    assert notes_of(schema) == notes


# --- not enforced ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "string", "pattern": NO_LETTER, "maxLength": 3}, ["ab1", "1"], ["abcd", 1]),
        ({"not": {"pattern": NO_LETTER}}, ["a", "1"], [1]),  # a number is matched by any pattern, whatever it says
        ({"not": {"type": "string", "pattern": NO_LETTER}}, ["a", "1", 1], []),
        ({"not": {"not": {"pattern": NO_LETTER}}}, ["a", "1", 1], []),
        ({"oneOf": [{"pattern": NO_LETTER}, {"maxLength": 3}]}, ["abcd", "ab"], [5]),
        ({"oneOf": [{"type": "string", "pattern": NO_LETTER}, {"type": "integer"}]}, ["a", "1", 5], [None]),
        ({"anyOf": [{"pattern": NO_LETTER}, False]}, ["a", "1"], []),
        ({"if": {"pattern": NO_LETTER}, "then": {"maxLength": 2}, "else": {"minLength": 2}}, ["a", "ab", "abc"], []),
        ({"if": {"pattern": NO_LETTER}, "then": {"maxLength": 1}, "else": {"const": "ab"}}, ["a", "ab"], ["abc"]),
        ({"if": {"pattern": NO_LETTER}, "then": {"maxLength": 1}}, ["abc"], []),
        ({"contains": {"type": "string", "pattern": NO_LETTER}}, [["a"]], [[1], []]),
        ({"contains": {"type": "string", "pattern": NO_LETTER}, "maxContains": 1}, [["a", "1", "2"]], [[1]]),
        ({"patternProperties": {NO_LETTER: {"type": "null"}}}, [{"a": 1, "1": 2}], []),
        ({"patternProperties": {NO_LETTER: {}, "^a": {"type": "null"}}, "additionalProperties": False}, [{"a": None, "b": 1}], [{"a": 1}]),
        ({"patternProperties": {NO_LETTER: {}}, "unevaluatedProperties": False}, [{"a": 1}], []),
        ({"not": {"patternProperties": {NO_LETTER: {"type": "null"}}}}, [{"a": 1}], [{"a": None}, {}]),
        ({"not": {"patternProperties": {NO_LETTER: {}}, "additionalProperties": False}}, [{"a": 1}], [{}]),
        ({"propertyNames": {"pattern": NO_LETTER, "maxLength": 2}}, [{"ab": 1, "1": 1}], [{"abc": 1}]),
        ({"items": {"$ref": "#/$defs/p"}, "not": {"contains": {"$ref": "#/$defs/p"}}, "$defs": {"p": {"pattern": NO_LETTER}}}, [["a"]], [[1]]),
    ],
)  # fmt: skip
def test_a_pattern_that_is_not_enforced_refuses_nothing_that_it_may_allow(
    schema: dict[str, Any], good: list[Any], bad: list[Any]
) -> None:
    assert problem_of({"properties": {"x": schema}} | {"$defs": schema.get("$defs", {})}) is None
    wrong = [value for value in good if problems_by_both(schema, value)]
    missed = [value for value in bad if not problems_by_both(schema, value)]
    assert (wrong, missed) == ([], [])


_PARTS = st.sampled_from(
    [
        {"pattern": NO_LETTER},
        {"pattern": NO_LETTER, "maxLength": 1},
        {"minLength": 2},
        {"type": "string"},
        {"const": "ab"},
    ]
)


def _joined(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.fixed_dictionaries({"not": inner}),
        st.fixed_dictionaries({"allOf": several}),
        st.fixed_dictionaries({"anyOf": several}),
        st.fixed_dictionaries({"oneOf": several}),
        st.fixed_dictionaries({"if": inner, "then": inner}, optional={"else": inner}),
    )


def _with(schema: Any, pattern: dict[str, Any]) -> Any:
    """Return a schema with another value in place of the pattern that is not supported."""
    if isinstance(schema, list):
        return [_with(each, pattern) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        name: _with(each, pattern)
        for name, each in schema.items()
        if schema.get("pattern") != NO_LETTER or name != "pattern"
    }
    return {"allOf": [kept, pattern]} if "pattern" in schema else kept


@given(st.recursive(_PARTS, _joined, max_leaves=6), st.sampled_from(["", "a", "ab", "1", "12", 5]))
@settings(max_examples=300)
def test_a_value_that_is_valid_whether_the_pattern_matches_or_not_is_valid(schema: dict[str, Any], value: Any) -> None:
    matching, refusing = {}, {"not": {"type": "string"}}
    note(f"{schema} / {value!r}")
    either = any(problems_by_both(_with(schema, pattern), value) == [] for pattern in (matching, refusing))
    assert either <= (problems_by_both(schema, value) == [])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_text_is_matched_in_linear_time_also_beside_a_pattern_that_is_not_enforced(engine: Any) -> None:
    schema = {
        "properties": {"a": {"pattern": "(?=x)"}},
        "patternProperties": {"(x+)+$": {}},
        "unevaluatedProperties": False,
    }
    # A backtracking engine would hold the interpreter for longer than anyone waits.
    assert not tool_of(schema).validator(engine).is_valid({"x" * 5_000 + "!": 1})
