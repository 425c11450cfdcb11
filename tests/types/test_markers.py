"""Markers of annotated-types, classes that derive from them, and unknown markers."""

from __future__ import annotations

import collections.abc
import enum
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from fractions import Fraction
from typing import Annotated, Any, Literal, NewType
from zoneinfo import available_timezones

import annotated_types as at
import msgspec
import pydantic
import pytest

from fcregistry import Executor
from fcregistry.types import Refusal, codec_of, schema_of

from .cases import assert_accepts, assert_refuses, assert_round_trip, why_unsupported


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 5


class Digit(at.GroupedMetadata):
    """A group of an author's own, as annotated-types describes them."""

    def __iter__(self) -> collections.abc.Iterator[Any]:
        yield at.Ge(0)
        yield at.Interval(lt=10)


class Above(at.Gt):
    """A bound of an author's own, which is one of annotated-types'."""


class DivisibleBy(at.Predicate):
    """A predicate of an author's own."""


@dataclass(frozen=True)
class Secret(at.BaseMetadata):
    """A marker without an effect on values."""

    owner: str


class Wordy:
    def __repr__(self) -> str:
        return "Wordy(" + "x" * 99 + ")"


def refused(annotation: Any, value: Any) -> str:
    """Return the reason a value that the schema accepts is refused."""
    assert_accepts(annotation, value)
    with pytest.raises(Refusal) as caught:
        codec_of(annotation).decode(value)
    return caught.value.reason


# --- groups, and classes that derive from known ones --------------------------------------------------------------


def test_a_group_means_its_markers_and_those_of_groups_inside_it() -> None:
    assert schema_of(Annotated[int, Digit()]) == {"type": "integer", "minimum": 0, "exclusiveMaximum": 10}
    assert schema_of(Annotated[list[int], at.Len(2, 3)])["minItems"] == 2
    assert schema_of(Annotated[str, at.Len(0, 3)]) == {"type": "string", "maxLength": 3}


def test_a_class_that_derives_from_a_marker_means_that_marker() -> None:
    assert schema_of(Annotated[int, Above(3)]) == {"type": "integer", "exclusiveMinimum": 3}
    assert refused(Annotated[int, DivisibleBy(lambda number: number % 2 == 0)], 3) == "must satisfy <lambda>"


def test_a_unit_has_no_effect() -> None:
    assert schema_of(Annotated[int, at.Unit("m")]) == {"type": "integer"}
    assert codec_of(Annotated[int, at.Unit("m")]).unsaid == ()


def test_markers_of_several_libraries_work_together() -> None:
    annotation = Annotated[int, pydantic.Field(gt=0), msgspec.Meta(lt=9), at.MultipleOf(2), "An even one."]
    assert schema_of(annotation) == {
        "type": "integer",
        "exclusiveMinimum": 0,
        "exclusiveMaximum": 9,
        "multipleOf": 2,
        "description": "An even one.",
    }


# --- markers that nobody knows -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marker", "shown"),
    [
        (5, "5"),
        (Secret("me"), "Secret(owner='me')"),
        ({"description": "x"}, "{'description': 'x'}"),
        (slice(1, 3), "slice(1, 3, None)"),
        (object(), "object"),
        (Wordy(), "Wordy"),
        (at.Ge, "Ge"),
    ],
)
def test_an_unknown_marker_has_no_effect_and_its_author_learns_of_it(marker: Any, shown: str) -> None:
    codec = codec_of(Annotated[int, marker])
    assert schema_of(Annotated[int, marker]) == {"type": "integer"}
    assert codec.unsaid == (f"the marker {shown} of int is not known, and has no effect",)


def test_a_group_that_raises_is_a_problem_of_its_parameter() -> None:
    class Broken:
        __is_annotated_types_grouped_metadata__ = True

        def __iter__(self) -> Any:
            raise RuntimeError("boom")

    def use(n: Any) -> None: ...

    use.__annotations__ = {"n": Annotated[int, Broken()]}
    with pytest.raises(Exception, match=r"parameter 'n': .*RuntimeError: boom"):
        Executor([use]).run({"name": "use", "arguments": {}})


# --- what no schema can say --------------------------------------------------------------------------------------


def test_a_predicate_is_named_as_its_author_named_it() -> None:
    def is_even(number: int) -> bool:
        return number % 2 == 0

    assert refused(Annotated[int, at.Predicate(is_even)], 1) == "must satisfy is_even"
    assert refused(Annotated[str, at.Predicate(at.Not(str.islower))], "a") == "must satisfy not str.islower"
    assert refused(at.LowerCase[str], "A") == "must satisfy str.islower"
    assert codec_of(at.LowerCase[str]).unsaid == (
        "the schema cannot express that a value must satisfy str.islower: it is checked after decoding",
    )


def test_a_model_reads_what_a_value_must_satisfy() -> None:
    def use(word: at.LowerCase[str]) -> None: ...

    result = Executor([use]).run({"name": "use", "arguments": {"word": "A"}})
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    assert result.content.endswith("- $.word: must satisfy str.islower")


def test_a_marker_for_finite_numbers_changes_nothing() -> None:
    for annotation in (at.IsFinite[float], at.IsNotNan[float], at.IsNotInfinite[float]):
        assert_round_trip(annotation, 1.5, 1.5)


@pytest.mark.parametrize(
    ("annotation", "good", "bad", "reason"),
    [
        (Annotated[date, at.Ge(date(2024, 1, 1))], "2024-01-01", "2023-12-31", "must satisfy Ge(2024-01-01)"),
        (Annotated[timedelta, at.Gt(timedelta(0))], "PT1S", "PT0S", "must satisfy Gt(PT0S)"),
        (Annotated[timedelta, at.MultipleOf(timedelta(minutes=1))], "PT2M", "PT90S", "must satisfy MultipleOf(PT1M)"),
        (Annotated[Fraction, at.Ge(0)], "1/2", "-1/2", "must satisfy Ge(0)"),
        (Annotated[Fraction, at.Ge(0.1)], "1/10", "1/11", "must satisfy Ge(0.1)"),
        (Annotated[Fraction, at.MultipleOf(Fraction(1, 3))], "2/3", "1/2", "must satisfy MultipleOf(1/3)"),
        (Annotated[str, at.Ge("b")], "c", "a", "must satisfy Ge(b)"),
        (Annotated[int, at.Gt(Fraction(1, 3))], 1, 0, "must satisfy Gt(1/3)"),
        (Annotated[bytes, at.MinLen(2)], "QUE=", "QQ==", "must satisfy MinLen(2)"),
        (Annotated[bytes | str, at.MaxLen(1)], "QQ==", "QUE=", "must satisfy MaxLen(1)"),
    ],
)
def test_a_bound_on_a_value_that_is_not_a_number_in_json_is_checked_after_decoding(
    annotation: Any, good: Any, bad: Any, reason: str
) -> None:
    codec_of(annotation).decode(good)
    assert refused(annotation, bad) == reason


@pytest.mark.parametrize(
    "annotation", [Annotated[date | None, at.Ge(date(2024, 1, 1))], Annotated[bytes | None, at.MinLen(1)]]
)
def test_null_has_no_bounds(annotation: Any) -> None:
    assert codec_of(annotation).decode(None) is None


def test_the_length_of_a_value_is_bounded_and_not_that_of_its_text() -> None:
    annotation = Annotated[bytes | list[int] | None, at.Len(1, 2)]
    assert schema_of(annotation)["minItems"] == 1
    assert "minLength" not in schema_of(annotation)
    assert codec_of(annotation).decode("QUE=") == b"AA"
    assert refused(annotation, "") == "must satisfy MinLen(1)"
    assert_refuses(annotation, [])


def test_a_bound_finds_its_type_behind_texts_names_and_unions() -> None:
    described = Annotated[bytes, "some bytes"]
    for annotation in (NewType("Some", described), described | None):
        bounded = Annotated[annotation, at.MinLen(2)]
        assert "minLength" not in str(schema_of(bounded))
        assert refused(bounded, "QQ==") == "must satisfy MinLen(2)"


def test_bounds_that_are_exactly_a_json_number_are_in_the_schema() -> None:
    assert schema_of(Annotated[int, at.Ge(Fraction(3, 2))]) == {"type": "integer", "minimum": 1.5}
    assert schema_of(Annotated[Level, at.Ge(2)]) == {"type": "integer", "enum": [1, 5], "minimum": 2}
    assert_refuses(Annotated[Level, at.Ge(2)], 1)
    assert_refuses(Annotated[Literal[1, 2, 3], at.Ge(2)], 1)


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (Annotated[bool, at.Ge(1)], "Ge(1) bounds a number, which bool is not"),
        (Annotated[date, at.Ge(1)], "Ge(1) bounds a number, which date is not"),
        (Annotated[int, at.Ge("x")], "Ge('x') bounds a str, which int is not"),
        (Annotated[timedelta, at.MultipleOf(2)], "MultipleOf(2) bounds a number, which timedelta is not"),
        (Annotated[date, at.MinLen(1)], "MinLen bounds a length, which date does not have"),
        (Annotated[int, pydantic.Field(pattern="a")], "the pattern 'a' needs a text, which int is not"),
    ],
)
def test_a_bound_that_a_type_cannot_have_is_refused(annotation: Any, message: str) -> None:
    assert why_unsupported(annotation) == message


# --- time zones --------------------------------------------------------------------------------------------------

NOON = "2024-07-01T12:00:00"


@pytest.mark.parametrize(
    ("zone", "good", "bad", "name"),
    [
        (None, NOON, f"{NOON}Z", "having no UTC offset"),
        (..., f"{NOON}+05:45", NOON, "having a UTC offset"),
        ("UTC", f"{NOON}Z", f"{NOON}+01:00", "being in the time zone UTC"),
        (UTC, f"{NOON}+00:00", NOON, "being in the time zone UTC"),
        (timezone(timedelta(hours=1)), f"{NOON}+01:00", f"{NOON}Z", "being in the time zone UTC+01:00"),
    ],
)
def test_a_time_zone_is_checked_after_decoding(zone: Any, good: str, bad: str, name: str) -> None:
    annotation = Annotated[datetime, at.Timezone(zone)]
    assert schema_of(annotation) == {"type": "string", "format": "date-time"}
    codec_of(annotation).decode(good)
    assert refused(annotation, bad) == f"must satisfy {name}"


@pytest.mark.skipif("Europe/Berlin" not in available_timezones(), reason="this machine has no time zones")
def test_a_named_zone_requires_the_offset_that_it_has_at_that_time() -> None:
    annotation = Annotated[datetime | None, at.Timezone("Europe/Berlin")]
    assert codec_of(annotation).decode("2024-07-01T12:00:00+02:00") is not None
    assert codec_of(annotation).decode("2024-01-01T12:00:00+01:00") is not None
    assert codec_of(annotation).decode(None) is None
    assert refused(annotation, "2024-01-01T12:00:00+02:00") == "must satisfy being in the time zone Europe/Berlin"


def test_a_time_of_day_has_an_offset_or_none_and_no_zone() -> None:
    assert refused(Annotated[time, at.Timezone(None)], "12:00Z") == "must satisfy having no UTC offset"
    assert why_unsupported(Annotated[time, at.Timezone("UTC")]) == (
        "being in the time zone UTC needs a point in time, which time is not"
    )


@pytest.mark.parametrize("annotation", [int, date, str])
def test_a_time_zone_of_a_type_without_one_is_refused(annotation: Any) -> None:
    assert why_unsupported(Annotated[annotation, at.Timezone(None)]) == (
        f"having no UTC offset needs a point in time, which {annotation.__name__} is not"
    )


def test_an_unknown_time_zone_is_refused() -> None:
    assert why_unsupported(Annotated[datetime, at.Timezone("../../etc/passwd")]) == (
        "Timezone('../../etc/passwd') names no time zone that is known here"
    )


# --- patterns ----------------------------------------------------------------------------------------------------


def test_a_pattern_runs_in_linear_time_and_matches_anywhere() -> None:
    annotation = Annotated[str, pydantic.Field(pattern="(a+)+$")]
    assert_refuses(annotation, "a" * 50 + "!")
    assert_accepts(annotation, "a" * 50, "!a")
    assert_refuses(Annotated[str, pydantic.Field(pattern="^[a-z]+$")], "rm\n")


def test_two_patterns_both_apply() -> None:
    annotation = Annotated[str, pydantic.Field(pattern="^a"), pydantic.Field(pattern="b$")]
    assert_accepts(annotation, "ab")
    assert_refuses(annotation, "a", "b")


@pytest.mark.parametrize("pattern", ["(?=a)b", r"(a)\1"])
def test_a_pattern_that_the_linear_engine_does_not_support_is_refused(pattern: str) -> None:
    assert "not a pattern that the linear-time engine supports" in why_unsupported(
        Annotated[str, pydantic.Field(pattern=pattern)]
    )


# --- texts -------------------------------------------------------------------------------------------------------


def test_examples_of_the_type_are_written_as_json() -> None:
    moment = datetime(2024, 1, 1)  # noqa: DTZ001  # as JSON has it
    annotation = Annotated[datetime, pydantic.Field(examples=[moment, "2024-01-02T00:00:00", "soon", 5])]
    assert schema_of(annotation)["examples"] == ["2024-01-01T00:00:00", "2024-01-02T00:00:00"]
    assert "examples" not in schema_of(Annotated[int, pydantic.Field(examples=["x"])])


def test_the_nearest_text_wins() -> None:
    assert schema_of(Annotated[Annotated[int, "inner"], "outer"])["description"] == "outer"
    assert schema_of(Annotated[int, "first", pydantic.Field(description="last")])["description"] == "last"
    assert schema_of(Annotated[int, msgspec.Meta(description="first"), "last"])["description"] == "last"
