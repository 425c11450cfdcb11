from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from ipaddress import IPv4Address, IPv4Network, IPv6Address
from typing import Annotated, Any, Literal, Optional, TypedDict, Union
from uuid import UUID

import annotated_types as at
import pytest

from fcregistry.types import Refusal, codec_of, schema_of

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


def test_a_tag_distinguishes_records() -> None:
    assert_round_trip(Circle | Square, {"kind": "circle", "radius": 1.5}, Circle("circle", 1.5))
    assert_round_trip(Circle | Square, {"kind": "square", "side": 1.5}, Square("square", 1.5))
    assert_refuses(Circle | Square, {"kind": "square", "radius": 1.5}, {"radius": 1.5}, {})


def test_a_value_is_encoded_by_the_member_of_its_type() -> None:
    assert codec_of(int | Circle).encode(Circle("circle", 2.0)) == {"kind": "circle", "radius": 2.0}
    with pytest.raises(TypeError, match="a bytes is of none of the union's types"):
        codec_of(int | Circle).encode(b"")


def test_records_of_the_same_fields_are_refused_naming_both() -> None:
    assert why_unsupported(Metres | Feet) == (
        f"in {Metres.__module__}.Metres | {Feet.__module__}.Feet: Metres and Feet have the same fields, so nothing in their "
        "JSON distinguishes them; give each a field such as `kind: Literal['…']`"
    )


def test_records_of_the_same_fields_are_refused_inside_other_types_too() -> None:
    assert "Metres and Feet have the same fields" in why_unsupported(list[Metres | Feet | None])


def test_records_that_refer_to_each_other_are_compared_when_all_their_fields_are_known() -> None:
    term = {"left": {"first": 1, "second": 2}, "right": 3}
    assert_round_trip(Sum | Product, term, term)
    assert_refuses(Sum | Product, {"left": {"first": 1, "right": 2}, "right": 3})


def test_members_that_are_equal_in_python_and_not_in_json_are_both_kept() -> None:
    codec = codec_of(Literal[1, "a"] | Literal[True, "a"])
    assert schema_of(Literal[1, "a"] | Literal[True, "a"])["anyOf"] == [{"enum": [1, "a"]}, {"enum": [True, "a"]}]
    assert codec.decode(True) is True


# --- tags --------------------------------------------------------------------------------------------------------


class Shape(enum.Enum):
    LINE = "line"
    AREA = "area"


@dataclass
class Line:
    shape: Literal[Shape.LINE]
    size: int


@dataclass
class Area:
    shape: Literal[Shape.AREA]
    size: int


@dataclass
class One:
    level: Literal[1]
    size: int


@dataclass
class Yes:
    level: Literal[True]
    size: int


@dataclass
class Default:
    kind: Literal["default"] = "default"
    size: int = 0


@dataclass
class Other:
    kind: Literal["other"] = "other"
    size: int = 0


@dataclass
class Small:
    x: int


@dataclass
class Large(Small):
    y: int = 0


@dataclass
class Wide:
    x: str


def test_a_tag_may_be_the_member_of_an_enum() -> None:
    assert_round_trip(Line | Area, {"shape": "area", "size": 1}, Area(Shape.AREA, 1))
    assert_refuses(Line | Area, {"shape": "AREA", "size": 1}, {"size": 1})


def test_the_tag_1_is_not_the_tag_true() -> None:
    assert_round_trip(One | Yes, {"level": True, "size": 1}, Yes(True, 1))
    assert codec_of(One | Yes).decode({"level": 1.0, "size": 1}) == One(1, 1)
    assert_refuses(One | Yes, {"level": [1], "size": 1}, {"level": None, "size": 1})


def test_a_tag_is_found_behind_texts_and_bounds() -> None:
    annotation = Annotated[Annotated[Line, "a line"] | Annotated[Area, "an area"], at.Predicate(lambda it: it.size > 0)]
    assert [each["description"] for each in schema_of(annotation)["anyOf"]] == ["a line", "an area"]
    assert codec_of(annotation).decode({"shape": "line", "size": 1}) == Line(Shape.LINE, 1)
    with pytest.raises(Refusal):
        codec_of(annotation).decode({"shape": "line", "size": 0})


def test_a_refusal_by_the_record_that_a_tag_names_has_a_path() -> None:
    @dataclass
    class Strict:
        kind: Literal["strict"]
        size: Annotated[int, at.Predicate(bool)]

    with pytest.raises(Refusal) as caught:
        codec_of(list[Strict | Other]).decode([{"kind": "strict", "size": 0}])
    assert caught.value.path == (0, "size")


def test_a_tag_may_have_a_default_and_the_first_record_wins_without_it() -> None:
    assert_round_trip(Default | Other, {"kind": "other", "size": 1}, Other(size=1))
    assert codec_of(Default | Other).decode({"size": 1}) == Default(size=1)
    assert codec_of(Default | Other).unsaid == ()


def test_tags_distinguish_unions_inside_of_others() -> None:
    annotation = dict[str, list[Line | Area | None] | Line]
    assert_round_trip(annotation, {"a": [None, {"shape": "area", "size": 1}]}, {"a": [None, Area(Shape.AREA, 1)]})


# --- what overlaps -----------------------------------------------------------------------------------------------


def test_a_value_of_a_derived_class_is_encoded_by_the_member_of_its_own_class() -> None:
    assert_round_trip(Small | Large, {"x": 1, "y": 2}, Large(1, 2))
    assert codec_of(Small | Large).encode(Small(1)) == {"x": 1}


@pytest.mark.parametrize(
    ("annotation", "first", "second"),
    [
        (datetime | str, "datetime", "str"),
        (int | float, "int", "float"),
        (set[int] | list[int], "set[int]", "list[int]"),
        (list[date] | list[str], "list[date]", "list[str]"),
        (date | Literal["2024-01-01"], "date", "Literal['2024-01-01']"),
        (Fraction | Decimal, "Fraction", "Decimal"),
        (IPv4Address | IPv4Network, "IPv4Address", "IPv4Network"),
        (Small | dict[str, int], "Small", "dict[str, int]"),
        (Small | Large, "Small", "Large"),
    ],
)
def test_members_whose_json_overlaps_are_reported_to_the_author(annotation: Any, first: str, second: str) -> None:
    said = codec_of(annotation).unsaid
    shown = said[0].replace("datetime.datetime", "datetime").replace("datetime.date", "date")
    assert shown == (
        f"some JSON is both {first} and {second}: it is decoded as the first, "
        "so that a value of the second comes back as the first"
    )


@pytest.mark.parametrize(
    "annotation",
    [
        int | str,
        bool | int,
        str | Literal["a"],
        list[int] | list[str],
        date | datetime | UUID | timedelta,
        IPv4Address | IPv6Address,
        Literal["soon"] | date,
        Circle | Square,
        Small | Wide,
        Default | Other,
        dict[str, int] | list[int] | None,
    ],
)
def test_members_whose_values_come_back_are_not_reported(annotation: Any) -> None:
    assert codec_of(annotation).unsaid == ()
