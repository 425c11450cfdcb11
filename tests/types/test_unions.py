from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Literal, Optional, TypedDict, Union

import annotated_types as at
import pytest

from fcregistry.types import codec_of, schema_of

from .cases import assert_refuses, assert_round_trip, why_unsupported


@dataclass
class Circle:
    kind: Literal["circle"]
    radius: float


@dataclass
class Square:
    kind: Literal["square"]
    side: float


@dataclass
class Metres:
    value: float


@dataclass
class Feet:
    value: Annotated[float, "in feet"]


class Sum(TypedDict):
    left: Sum | Product | int
    right: int


class Product(TypedDict):
    first: Sum | Product | int
    second: int


@pytest.mark.parametrize("annotation", [Optional[int], Union[int, None], int | None])  # noqa: UP007, UP045
def test_optional_in_every_spelling_is_any_of_the_type_and_null(annotation: Any) -> None:
    assert schema_of(annotation) == {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    assert_round_trip(annotation, 1, 1)
    assert_round_trip(annotation, None, None)
    assert_refuses(annotation, "1", True, [])


def test_members_of_one_schema_are_written_once() -> None:
    assert schema_of(str | LiteralAlias) == {"type": "string"}


LiteralAlias = Annotated[str, object()]


def test_the_first_declared_member_that_takes_a_value_wins() -> None:
    moment = "2024-05-01T00:00:00"
    assert codec_of(datetime | str).decode(moment) == datetime(2024, 5, 1)  # noqa: DTZ001
    assert codec_of(str | datetime).decode(moment) == moment
    assert codec_of(datetime | str).decode("soon") == "soon"
    assert codec_of(date | str).decode("2024-05-01") == date(2024, 5, 1)


def test_a_member_whose_predicate_refuses_leaves_the_value_to_the_next() -> None:
    annotation = Annotated[int, at.Predicate(lambda number: number > 9)] | float
    assert codec_of(annotation).decode(5) == 5.0
    assert type(codec_of(annotation).decode(5)) is float
    assert type(codec_of(annotation).decode(50)) is int


def test_records_with_a_tag_are_told_apart_by_it() -> None:
    assert_round_trip(Circle | Square, {"kind": "circle", "radius": 1.5}, Circle("circle", 1.5))
    assert_round_trip(Circle | Square, {"kind": "square", "side": 1.5}, Square("square", 1.5))
    assert_refuses(Circle | Square, {"kind": "square", "radius": 1.5}, {"radius": 1.5}, {})


def test_a_value_is_encoded_by_the_member_that_it_is_of() -> None:
    assert codec_of(int | Circle).encode(Circle("circle", 2.0)) == {"kind": "circle", "radius": 2.0}
    with pytest.raises(TypeError, match="a bytes is of none of the union's types"):
        codec_of(int | Circle).encode(b"")


def test_records_of_the_same_fields_are_refused_naming_both() -> None:
    assert why_unsupported(Metres | Feet) == (
        f"in {Metres.__module__}.Metres | {Feet.__module__}.Feet: Metres and Feet have the same fields, so their JSON cannot be "
        "told apart; give each a field such as `kind: Literal['…']`"
    )


def test_records_of_the_same_fields_are_refused_inside_other_types_too() -> None:
    assert "Metres and Feet have the same fields" in why_unsupported(list[Metres | Feet | None])


def test_records_that_refer_to_each_other_are_compared_when_all_their_fields_are_known() -> None:
    term = {"left": {"first": 1, "second": 2}, "right": 3}
    assert_round_trip(Sum | Product, term, term)
    assert_refuses(Sum | Product, {"left": {"first": 1, "right": 2}, "right": 3})


def test_members_that_python_calls_equal_and_json_does_not_both_stand() -> None:
    codec = codec_of(Literal[1, "a"] | Literal[True, "a"])
    assert schema_of(Literal[1, "a"] | Literal[True, "a"])["anyOf"] == [{"enum": [1, "a"]}, {"enum": [True, "a"]}]
    assert codec.decode(True) is True
