"""Does one schema take all that another takes, as far as that can be told?"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from fcregistry._schema.containment import accepts_all_of
from fcregistry._schema.drafts import DRAFTS, NEWEST
from fcregistry._schema.validator import Validator
from fcregistry.inspection._schema_diff import schema_differences
from fcregistry.types._strings import STRING_FORMATS

from .foreign import VALUES, _of_draft
from .told import URIS


@pytest.mark.parametrize(
    ("wider", "narrower", "told"),
    [
        (True, {"type": "string"}, True),
        ({}, {"type": "string"}, True),
        ({"type": "string"}, False, True),
        ({"type": "number"}, {"type": "integer"}, True),
        ({"type": "string"}, {"type": ["string", "null"]}, False),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": ["string", "null"]}, True),
        ({"minimum": 0}, {"minimum": 1}, True),
        ({"type": "string"}, {"type": "string", "format": "date"}, True),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "string"}}}, {"type": "string", "minLength": 1}, True),
    ],
)
def test_the_canonical_form_proves_it(wider: Any, narrower: Any, told: bool) -> None:
    assert accepts_all_of(wider, narrower, NEWEST, STRING_FORMATS) is told


@pytest.mark.parametrize(
    ("wider", "values", "told"),
    [
        ({"type": "string", "format": "decimal"}, ["1.5"], True),
        ({"type": "string", "format": "decimal"}, ["one"], False),
        ({"type": "string", "format": "date-time"}, ["2024-01-01 12:00"], True),  # which the standard's does not take
        ({"pattern": "^a+$"}, ["a", "aa"], True),
        ({"pattern": "^a+$"}, ["a", "b"], False),
    ],
)
def test_listed_values_are_asked_one_by_one(wider: Any, values: list[Any], told: bool) -> None:
    """Formats and patterns are beyond the canonical form, and a few values are not beyond the validator."""
    assert accepts_all_of(wider, {"enum": values}, NEWEST, STRING_FORMATS) is told
    assert accepts_all_of(wider, {"enum": [*values, 5], "type": "string"}, NEWEST, STRING_FORMATS) is told


@pytest.mark.parametrize(
    ("wider", "narrower"),
    [
        ({"type": "string", "pattern": "^[ab]+$"}, {"type": "string", "pattern": "^a+$"}),
        ({"type": "string", "format": "time"}, {"type": "string", "format": "decimal"}),
        ({"maximum": 2**70}, {"maximum": 2**65}),
        ({"type": 7}, {"type": "string"}),
        ({"$ref": "#/nowhere"}, {"type": "string"}),
        ({"$ref": "https:elsewhere"}, {"type": "string"}),
    ],
)
def test_what_cannot_be_told_is_not_guessed(wider: Any, narrower: Any) -> None:
    """Patterns, formats of ours, numbers that the gate reads otherwise, and what is no schema."""
    assert accepts_all_of(wider, narrower, NEWEST, STRING_FORMATS) is None


def test_a_property_called_format_is_no_format() -> None:
    wider = {"properties": {"format": {"not": {"const": "date"}}}}
    assert (
        accepts_all_of(
            wider, {"type": "object", "required": ["format"], "const": {"format": "date"}}, NEWEST, STRING_FORMATS
        )
        is False
    )


@st.composite
def pairs(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw a schema of somebody, and the same with some keywords of another, or without."""
    draft = draw(st.sampled_from(["2020-12", "2020-12", "2019-09", "7", "4"]))
    old, other = draw(_of_draft(draft)), draw(_of_draft(draft))
    new = dict(old)
    for keyword in sorted(old.keys() | other.keys()):
        way = draw(st.integers(0, 5))
        if way == 0 and keyword not in ("$schema", "definitions"):
            new.pop(keyword, None)
        elif way == 1 and keyword in other:
            new[keyword] = other[keyword]
    for bound in ("minimum", "maximum"):
        if draft == "4" and bound not in new:  # where the one is no schema without the other
            new.pop(f"exclusive{bound.title()}", None)
    return old, new


@given(pairs(), st.lists(VALUES, min_size=3, max_size=6))
@settings(max_examples=25)
def test_nothing_is_called_compatible_that_is_not(
    pair: tuple[dict[str, Any], dict[str, Any]], values: list[Any]
) -> None:
    """Of whatever others write: neither by the canonical form nor by the walk that puts its answers together."""
    old, new = pair
    found = schema_differences(old, new)
    draft = next(each for each in DRAFTS if old["$schema"] == URIS[each.name])
    proven = accepts_all_of(new, old, draft, STRING_FORMATS)
    before, after = (Validator(each, STRING_FORMATS, "jsonschema") for each in pair)
    for value in values:
        note(f"{value!r} {found}")
        if before.is_valid(value) and not after.is_valid(value):
            assert proven is not True
            assert any(each.narrows is not False for each in found)
        if after.is_valid(value) and not before.is_valid(value):
            assert any(each.widens is not False for each in found)
