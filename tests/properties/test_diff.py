"""A change of a type that breaks a caller is never called compatible."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import given, note, settings
from hypothesis import strategies as st

from fcregistry._schema.validator import Validator
from fcregistry.inspection._schema_diff import schema_differences  # a law for all pairs of schemas, without tools
from fcregistry.types import STRING_FORMATS, codec_of, schema_of

from .samples import Sample, altered, json_values, samples

TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")


def places(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema in a schema of ours."""
    if not isinstance(schema, dict):
        return
    yield schema
    for keyword, value in schema.items():
        if keyword in ("$defs", "properties"):
            for each in value.values():
                yield from places(each)
        elif keyword in ("anyOf", "prefixItems"):
            for each in value:
                yield from places(each)
        elif keyword in ("additionalProperties", "items", "propertyNames"):
            yield from places(value)


def without(draw: st.DrawFn, place: dict[str, Any]) -> None:
    if keywords := sorted(place.keys() - {"$defs"}):
        del place[draw(st.sampled_from(keywords))]


def moved(draw: st.DrawFn, place: dict[str, Any]) -> None:
    for keyword, value in place.items():
        if isinstance(value, int) and not isinstance(value, bool) and keyword != "default":
            place[keyword] = max(value + draw(st.sampled_from([-1, 1])), 0 if keyword.startswith("m") else -5)


def retyped(draw: st.DrawFn, place: dict[str, Any]) -> None:
    place["type"] = draw(st.sampled_from(TYPES))


def chosen(draw: st.DrawFn, place: dict[str, Any]) -> None:
    for keyword in ("enum", "anyOf", "prefixItems", "required"):
        if keyword in place:
            kept = draw(st.lists(st.sampled_from(place[keyword]), unique_by=json.dumps))
            place[keyword] = kept or place[keyword]
    if "enum" in place:
        place["enum"] = [*place["enum"], draw(st.sampled_from(["new", 7, None]))]


def shaped(draw: st.DrawFn, place: dict[str, Any]) -> None:
    properties = place.get("properties")
    if not isinstance(properties, dict):
        return
    place["additionalProperties"] = draw(st.sampled_from([True, False, {"type": "integer"}]))
    if properties and draw(st.booleans()):
        del properties[draw(st.sampled_from(sorted(properties)))]
    if draw(st.booleans()):
        properties["x"] = {"type": draw(st.sampled_from(TYPES))}
    place["required"] = draw(st.lists(st.sampled_from([*sorted(properties), "x"]), unique=True))


def wrapped(draw: st.DrawFn, place: dict[str, Any]) -> None:
    inner = {keyword: value for keyword, value in place.items() if keyword != "$defs"}
    for keyword in inner:
        del place[keyword]
    place["anyOf"] = draw(st.permutations([inner, {"type": draw(st.sampled_from(TYPES))}]))


WAYS: tuple[Callable[[st.DrawFn, dict[str, Any]], None], ...] = (without, moved, retyped, chosen, shaped, wrapped)


@st.composite
def changes(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any], list[Any]]:
    """Draw a schema, the same changed in a place or two, and values that may be of one and not of the other."""
    sample: Sample = draw(samples)
    old = schema_of(sample.annotation)
    new = copy.deepcopy(old)
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.sampled_from([*places(new)]))
        draw(st.sampled_from(WAYS))(draw, place)
    value = json.loads(json.dumps(codec_of(sample.annotation).encode(draw(sample.values))))
    return (
        old,
        new,
        [value, *draw(st.lists(altered(value), min_size=3, max_size=6)), *draw(st.lists(json_values, max_size=2))],
    )


def assert_reported(old: dict[str, Any], new: dict[str, Any], values: list[Any]) -> None:
    """Check that whatever one takes and the other refuses is not passed over."""
    found = schema_differences(old, new)
    before, after = (Validator(each, STRING_FORMATS) for each in (old, new))
    for value in values:
        note(f"{old} / {new} / {value!r} / {found}")
        if before.is_valid(value) and not after.is_valid(value):
            assert any(each.narrows is not False for each in found)
        if after.is_valid(value) and not before.is_valid(value):
            assert any(each.widens is not False for each in found)


@given(changes())
@settings(max_examples=60)
def test_what_breaks_a_call_or_a_result_is_never_called_compatible(
    change: tuple[dict[str, Any], dict[str, Any], list[Any]],
) -> None:
    """Arguments that were valid and are not narrow; results that were not valid and are widen. Both ways round, since there is one walk."""
    old, new, values = change
    assert_reported(old, new, values)
    assert_reported(new, old, values)


@given(samples)
@settings(max_examples=30)
def test_nothing_changes_between_a_schema_and_itself(sample: Sample) -> None:
    """Where its definitions have other names, nothing is called breaking: which alternative is which may be unknown then."""
    old = schema_of(sample.annotation)
    assert schema_differences(old, copy.deepcopy(old)) == []
    renamed = json.loads(json.dumps(old).replace('"#/$defs/', '"#/$defs/Renamed'))
    if "$defs" in renamed:
        renamed["$defs"] = {f"Renamed{name}": each for name, each in renamed["$defs"].items()}
    assert not any(each.narrows or each.widens for each in schema_differences(old, renamed))
