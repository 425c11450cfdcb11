"""Differences between external schemas: a change that breaks a value is never called compatible."""

from __future__ import annotations

from typing import Any

from hypothesis import given, note, settings
from hypothesis import strategies as st

from fcregistry._schema.validator import Validator
from fcregistry.inspection._schema_diff import schema_differences  # a law for all pairs of schemas, without tools
from fcregistry.types import STRING_FORMATS

from .external_schemas import VALUES, _of_draft


@st.composite
def pairs(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw an external schema, and the same schema with some keywords replaced or left out."""
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
def test_no_incompatible_change_is_called_compatible(
    pair: tuple[dict[str, Any], dict[str, Any]], values: list[Any]
) -> None:
    old, new = pair
    found = schema_differences(old, new)
    before, after = (Validator(each, STRING_FORMATS, "jsonschema") for each in pair)
    for value in values:
        note(f"{value!r} {found}")
        if before.is_valid(value) and not after.is_valid(value):
            assert any(each.narrows is not False for each in found)
        if after.is_valid(value) and not before.is_valid(value):
            assert any(each.widens is not False for each in found)
