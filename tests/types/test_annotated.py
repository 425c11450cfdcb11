from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any, NewType

import annotated_types as at
import pytest
from typing_extensions import Doc

from fcregistry.types import Refusal, codec_of, schema_of

from .cases import assert_accepts, assert_refuses, assert_round_trip, why_unsupported

Small = NewType("Small", Annotated[int, at.Gt(5), "a small one"])
Even = Annotated[int, at.Predicate(lambda number: number % 2 == 0)]


def is_upper(text: str) -> bool:
    return text.isupper()


def explode(value: object) -> bool:
    raise RuntimeError


@dataclass
class Point:
    x: int


# --- texts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("marker", ["Where.", Doc("Where.")])
def test_a_string_or_doc_describes(marker: Any) -> None:
    assert schema_of(Annotated[str, marker]) == {"type": "string", "description": "Where."}


def test_the_last_text_wins_and_other_markers_add_none() -> None:
    assert schema_of(Annotated[str, "first", 5, object(), "last"]) == {"type": "string", "description": "last"}
    assert schema_of(Annotated[str, 5]) == {"type": "string"}


def test_a_text_is_written_beside_a_reference() -> None:
    schema = schema_of(tuple[Annotated[Point, "from"], Annotated[Point, "to"]])
    assert schema["prefixItems"][1] == {"$ref": "#/$defs/Point", "description": "to"}


# --- bounds ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marker", "bounds", "good", "bad"),
    [
        (at.Ge(2), {"minimum": 2}, [2, 2.0, 3], [1, 1.9]),
        (at.Gt(2), {"exclusiveMinimum": 2}, [2.1, 3], [2, 2.0]),
        (at.Le(2), {"maximum": 2}, [2, 1.5], [3, 2.1]),
        (at.Lt(2), {"exclusiveMaximum": 2}, [1.9], [2, 2.0]),
        (at.Interval(ge=1, lt=3), {"minimum": 1, "exclusiveMaximum": 3}, [1, 2.9], [0.9, 3]),
        (at.MultipleOf(0.01), {"multipleOf": 0.01}, [0.07, 1, 19.99, 0], [0.071, 0.005]),
        (at.MultipleOf(3), {"multipleOf": 3}, [-3, 0, 9.0], [1, 4.5]),
    ],
)
def test_bounds_of_numbers_are_in_the_schema_and_are_enforced(
    marker: Any, bounds: Any, good: list[Any], bad: list[Any]
) -> None:
    annotation = Annotated[float, marker]
    assert schema_of(annotation) == {"type": "number", **bounds}
    assert_accepts(annotation, *good)
    assert_refuses(annotation, *bad, "2", None)


@pytest.mark.parametrize(
    ("annotation", "bounds", "good", "bad"),
    [
        (str, {"minLength": 1, "maxLength": 2}, ["a", "é😀"], ["", "abc"]),
        (list[int], {"minItems": 1, "maxItems": 2}, [[1], [1, 2]], [[], [1, 2, 3]]),
        (set[int], {"minItems": 1, "maxItems": 2}, [[1], [1, 2]], [[], [1, 2, 3], [1, 1]]),
        (dict[str, int], {"minProperties": 1, "maxProperties": 2}, [{"a": 1}], [{}, {"a": 1, "b": 1, "c": 1}]),
    ],
)
def test_bounds_of_lengths_are_in_the_schema_and_are_enforced(
    annotation: Any, bounds: Any, good: list[Any], bad: list[Any]
) -> None:
    bounded = Annotated[annotation, at.Len(1, 2)]
    assert schema_of(bounded) == {**schema_of(annotation), **bounds}
    assert schema_of(Annotated[annotation, at.MinLen(1), at.MaxLen(2)]) == schema_of(bounded)
    assert_accepts(bounded, *good)
    assert_refuses(bounded, *bad)


def test_a_bound_applies_only_to_the_kinds_that_have_it() -> None:
    assert_accepts(Annotated[int | None, at.Ge(2)], None, 2)
    assert_refuses(Annotated[int | None, at.Ge(2)], 1)
    assert_accepts(Annotated[int | str, at.MinLen(2)], 1, "ab")
    assert_refuses(Annotated[int | str, at.MinLen(2)], "a")


def test_the_tighter_of_two_bounds_counts() -> None:
    annotation = Annotated[Annotated[int, at.Ge(2), at.Le(9)], at.Ge(4), at.Le(20)]
    assert schema_of(annotation) == {"type": "integer", "minimum": 4, "maximum": 9}


@pytest.mark.parametrize(
    ("annotation", "good", "bad"),
    [
        (Annotated[Small, at.Gt(3)], [6], [4, 5]),
        (Annotated[Small, at.Gt(8)], [9], [6, 8]),
        (Annotated[tuple[int, int], at.MinLen(1)], [[1, 2]], [[1], []]),
    ],
)
def test_a_bound_never_loosens_one_that_the_type_has_itself(annotation: Any, good: list[Any], bad: list[Any]) -> None:
    assert_accepts(annotation, *good)
    assert_refuses(annotation, *bad)


def test_a_value_outside_its_bounds_is_not_of_the_type() -> None:
    codec = codec_of(Annotated[int, at.Ge(2)])
    assert codec.handles(2)
    assert not codec.handles(1)
    assert not codec.handles("2")


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (Annotated[str, at.Gt(5)], "Gt(5) bounds a number, which str is not"),
        (Annotated[int, at.MinLen(5)], "MinLen bounds a length, which int does not have"),
        (Annotated[int, at.MultipleOf(0)], "MultipleOf(0): the step must be greater than 0"),
        (
            Annotated[int, at.MultipleOf(2), at.MultipleOf(3)],
            "two steps, MultipleOf(2) and MultipleOf(3); give their common one",
        ),
    ],
)
def test_a_bound_that_the_type_cannot_have_is_refused(annotation: Any, message: str) -> None:
    assert why_unsupported(annotation) == message


# --- checks that no schema can say -------------------------------------------------------------------------------


def test_a_predicate_is_checked_after_decoding_and_named() -> None:
    annotation = Annotated[str, at.Predicate(is_upper)]
    assert schema_of(annotation) == {"type": "string"}
    assert_round_trip(annotation, "A", "A")
    with pytest.raises(Refusal, match="must satisfy is_upper"):
        codec_of(annotation).decode("a")


def test_a_refusal_by_a_predicate_names_the_path() -> None:
    with pytest.raises(Refusal) as caught:
        codec_of(dict[str, list[Even]]).decode({"a": [2], "b": [2, 3]})
    assert caught.value.path == ("b", 1)


def test_a_predicate_that_raises_is_not_satisfied() -> None:
    with pytest.raises(Refusal, match="must satisfy explode"):
        codec_of(Annotated[int, at.Predicate(explode)]).decode(1)


def test_a_bound_on_a_type_that_is_not_a_number_in_json_is_checked_after_decoding() -> None:
    annotation = Annotated[timedelta, at.Gt(timedelta(0))]
    assert schema_of(annotation) == {"type": "string", "format": "duration"}
    assert_round_trip(annotation, "PT5S", timedelta(seconds=5))
    with pytest.raises(Refusal, match="must satisfy Gt"):
        codec_of(annotation).decode("PT0S")


# --- new types and strings ---------------------------------------------------------------------------------------


def test_a_new_type_is_its_supertype() -> None:
    assert schema_of(NewType("UserId", int)) == {"type": "integer"}
    assert schema_of(Small) == {"type": "integer", "exclusiveMinimum": 5, "description": "a small one"}
    assert_round_trip(NewType("Corner", Point), {"x": 1}, Point(1))
