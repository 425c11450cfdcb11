"""Rows about constraints and texts."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any

import annotated_types as at
from hypothesis import strategies as st
from typing_extensions import Doc

from .row import INTEGER, STRING, Example, Rows
from .values import TEXT, WHOLE

_NUMBER = {"type": "number"}
_DATE = {"type": "string", "format": "date"}
MOMENT = {"type": "string", "format": "date-time"}
NOON = "2024-02-29T12:00:00"
AT_NOON = datetime(2024, 2, 29, 12)  # noqa: DTZ001  # without an offset, as JSON has it
_DIGITS = "0.1234567890123456789012345678"
_EVEN = st.integers(-99, 99).map(lambda number: 2 * number)


def plainly(
    annotation: Any, schema: dict[str, Any], values: st.SearchStrategy[Any], *json: Any, alone: bool = False
) -> Example:
    """Return a type whose values are what they are in JSON; after one ellipsis, what is refused, after another, what is unfit."""
    first = json.index(...)
    rest = json[first + 1 :]
    second = rest.index(...) if ... in rest else len(rest)
    return Example(
        annotation=annotation,
        schema=schema,
        accepted=tuple((each, each) for each in json[:first]),
        refused=rest[:second],
        values=values,
        unfit=rest[second + 1 :],
        alone=alone,
    )


def is_even(number: int) -> bool:
    return number % 2 == 0


class Digit(at.GroupedMetadata):
    """A group of an author's own."""

    def __iter__(self) -> Any:
        yield at.Ge(0)
        yield at.Lt(10)


class Above(at.Gt):
    """A marker that derives from one that is known."""


CONSTRAINTS: Rows = {
    '`Annotated[T, "text"]`, `Annotated[T, Doc("text")]`': tuple(
        plainly(Annotated[int, marker], {**INTEGER, "description": "text"}, WHOLE, 1, ..., "1", None)
        for marker in ("text", Doc("text"))
    ),
    "`Annotated[T, Ge(1), Lt(5)]`, also `Gt`, `Le`, `Interval`": (
        plainly(
            Annotated[int, at.Ge(1), at.Lt(5)],
            {**INTEGER, "minimum": 1, "exclusiveMaximum": 5},
            st.integers(1, 4),
            *(1, 4, ..., 0, 5, "1", None),
        ),
        plainly(
            Annotated[float, at.Interval(gt=-1.5, le=1.5)],
            {**_NUMBER, "exclusiveMinimum": -1.5, "maximum": 1.5},
            st.floats(-1.5, 1.5, exclude_min=True),
            *(-1.4, 1.5, ..., -1.5, 1.6),
        ),
        plainly(
            Annotated[int, Digit()],
            {**INTEGER, "minimum": 0, "exclusiveMaximum": 10},
            st.integers(0, 9),
            9,
            ...,
            10,
            -1,
        ),
        plainly(Annotated[int, Above(2)], {**INTEGER, "exclusiveMinimum": 2}, st.integers(3), 3, ..., 2),
        plainly(
            Annotated[int | None, at.Ge(1)],
            {"anyOf": [INTEGER, {"type": "null"}], "minimum": 1},
            st.none() | st.integers(1),
            *(None, 1, ..., 0, "1"),
        ),
        Example(
            annotation=Annotated[date | None, at.Ge(date(2024, 1, 1))],
            schema={"anyOf": [_DATE, {"type": "null"}]},
            accepted=(("2024-01-01", date(2024, 1, 1)), (None, None)),
            refused=("2024", 1),
            values=st.none() | st.dates(date(2024, 1, 1)),
            unfit=("2023-12-31",),
        ),
        Example(
            annotation=Annotated[Decimal, at.Ge(Decimal("0.1")), at.Lt(10)],
            schema={"type": ["number", "string"], "format": "decimal", "minimum": 0.1, "maximum": 10},
            accepted=(("0.1", Decimal("0.1")), (_DIGITS, Decimal(_DIGITS))),
            refused=(0.05, 11, "x", None),
            values=st.decimals(Decimal("0.1"), Decimal("9.99"), allow_nan=False),
            unfit=("0.05", "10", "11", 10, "1e999"),
        ),
    ),
    "`Annotated[T, MultipleOf(0.5)]`": (
        plainly(
            Annotated[float, at.MultipleOf(0.01)],
            {**_NUMBER, "multipleOf": 0.01},
            st.integers(-999, 999).map(lambda cents: cents / 100),
            *(0.07, 19.99, 0.0, ..., 0.071, 0.005),
        ),
        plainly(Annotated[int, at.MultipleOf(2)], {**INTEGER, "multipleOf": 2}, _EVEN, -2, 0, ..., 1, 3),
        Example(
            annotation=Annotated[timedelta, at.MultipleOf(timedelta(minutes=1))],
            schema={"type": "string", "format": "duration"},
            accepted=(("PT2M", timedelta(minutes=2)),),
            refused=("2", 2),
            values=st.integers(-99, 99).map(lambda minutes: timedelta(minutes=minutes)),
            unfit=("PT30S",),
        ),
    ),
    "`Annotated[T, Len(1, 3)]`, `MinLen`, `MaxLen`": (
        plainly(
            Annotated[str, at.Len(1, 3)],
            {**STRING, "minLength": 1, "maxLength": 3},
            st.text(min_size=1, max_size=3),
            *("a", "é😀", ..., "", "abcd", 1),
        ),
        plainly(
            Annotated[list[int], at.MinLen(1), at.MaxLen(2)],
            {"type": "array", "items": INTEGER, "minItems": 1, "maxItems": 2},
            st.lists(WHOLE, min_size=1, max_size=2),
            *([1], [1, 2], ..., [], [1, 2, 3]),
        ),
        plainly(
            Annotated[dict[str, int], at.MinLen(1)],
            {"type": "object", "additionalProperties": INTEGER, "minProperties": 1},
            st.dictionaries(TEXT, WHOLE, min_size=1, max_size=2),
            *({"a": 1}, ..., {}),
        ),
        Example(
            annotation=Annotated[bytes | None, at.Len(1, 2)],
            schema={
                "anyOf": [{"type": "string", "format": "byte", "contentEncoding": "base64"}, {"type": "null"}],
            },
            accepted=(("QQ==", b"A"), ("QUE=", b"AA"), (None, None)),
            refused=("Q", 1),
            values=st.none() | st.binary(min_size=1, max_size=2),
            unfit=("", "QUFB"),
        ),
    ),
    "`Annotated[T, Predicate(f)]`, also `Not`, `LowerCase[str]`, `IsFinite[float]`": (
        plainly(Annotated[int, at.Predicate(is_even)], INTEGER, _EVEN, 2, ..., "2", ..., 3),
        plainly(
            Annotated[str, at.Predicate(at.Not(str.islower))],
            *(STRING, st.just("A"), "A", "", ..., 1, ..., "a"),
            alone=True,  # before Python 3.12, no union holds what has no hash
        ),
        plainly(at.LowerCase[str], STRING, st.text("ab", min_size=1, max_size=3), "a", ..., 1, ..., "A"),
        plainly(at.IsFinite[float], _NUMBER, st.floats(0, 1), 1.5, ..., "1"),
    ),
    "`Annotated[datetime, Timezone(…)]`": (
        Example(
            annotation=Annotated[datetime, at.Timezone(None)],
            schema=MOMENT,
            accepted=((NOON, AT_NOON),),
            refused=("noon",),
            values=st.datetimes(),
            unfit=(f"{NOON}Z",),
        ),
        Example(
            annotation=Annotated[datetime, at.Timezone(...)],
            schema=MOMENT,
            accepted=((f"{NOON}+00:00", AT_NOON.replace(tzinfo=UTC)),),
            refused=("noon",),
            values=st.datetimes(timezones=st.just(UTC)),
            unfit=(NOON,),
        ),
        Example(
            annotation=Annotated[datetime, at.Timezone("UTC")],
            schema=MOMENT,
            accepted=((f"{NOON}+00:00", AT_NOON.replace(tzinfo=UTC)),),
            refused=("noon",),
            values=st.datetimes(timezones=st.just(UTC)),
            unfit=(NOON, f"{NOON}+01:00"),
        ),
    ),
    '`Annotated[T, Unit("m")]`': (plainly(Annotated[int, at.Unit("m")], INTEGER, WHOLE, 1, ..., "1"),),
}
