"""Rows about the markers of pydantic and msgspec."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import msgspec
import pydantic
from hypothesis import strategies as st

from .constraints import AT_NOON, MOMENT, NOON, plainly
from .row import INTEGER, STRING, Example, Rows
from .values import WHOLE


def shout(text: str) -> str:
    if not text:
        raise ValueError("nothing to shout")
    return text.upper()


_FIELD = pydantic.Field(ge=1, lt=9, title="N", description="How many.", examples=[3, "x"], deprecated=True)
_META = msgspec.Meta(ge=1, lt=9, title="N", description="How many.", examples=[3, "x"])
_SAID = {**INTEGER, "minimum": 1, "exclusiveMaximum": 9, "title": "N", "description": "How many."}

LIBRARIES: Rows = {
    "`Annotated[T, Field(…)]` of pydantic": (
        plainly(
            Annotated[int, _FIELD],
            {**_SAID, "deprecated": True, "examples": [3]},
            st.integers(1, 8),
            *(1, 8, ..., 0, 9, "1"),
        ),
        plainly(
            Annotated[str, pydantic.Field(pattern="^[ab]+$", max_length=3)],
            {**STRING, "maxLength": 3, "pattern": "^[ab]+$"},
            st.text("ab", min_size=1, max_size=3),
            *("ab", ..., "", "abab", "c", "a\n"),
        ),
        plainly(
            Annotated[str, pydantic.StringConstraints(min_length=2, pattern="a")],
            {**STRING, "minLength": 2, "pattern": "a"},
            st.just("ba"),
            *("ba", ..., "a", "bb"),
        ),
        plainly(pydantic.PositiveInt, {**INTEGER, "exclusiveMinimum": 0}, st.integers(1), 1, ..., 0),
        plainly(
            pydantic.conlist(int, max_length=1),
            {"type": "array", "items": INTEGER, "maxItems": 1},
            st.lists(WHOLE, max_size=1),
            *([], [1], ..., [1, 2]),
        ),
    ),
    "`Annotated[T, AfterValidator(f)]` and other validators of pydantic, `FilePath`, `UUID4`, …": (
        plainly(
            Annotated[str, pydantic.AfterValidator(shout)],
            STRING,
            st.text("AB", min_size=1, max_size=3),
            *("A", ..., 1, ..., ""),
        ),
        Example(
            annotation=pydantic.DirectoryPath,
            schema=STRING,
            accepted=(("/", Path("/")),),
            refused=(1, None),
            values=st.just(Path("/")),
            unfit=("/no such folder",),
        ),
        Example(
            annotation=Annotated[Decimal, pydantic.Field(max_digits=3, decimal_places=1)],
            schema={"type": ["number", "string"], "format": "decimal"},
            accepted=(("1.5", Decimal("1.5")),),
            refused=("x", None),
            values=st.integers(-99, 99).map(lambda tenths: Decimal(tenths) / 10),
            unfit=("1.55", 1234),
        ),
    ),
    "`Annotated[T, Meta(…)]` of msgspec": (
        plainly(Annotated[int, _META], {**_SAID, "examples": [3]}, st.integers(1, 8), 1, 8, ..., 0, 9, "1"),
        plainly(
            Annotated[str, msgspec.Meta(min_length=1, pattern="^a")],
            {**STRING, "minLength": 1, "pattern": "^a"},
            st.just("ab"),
            *("ab", ..., "b", ""),
        ),
        Example(
            annotation=Annotated[datetime, msgspec.Meta(tz=True)],
            schema=MOMENT,
            accepted=((f"{NOON}+00:00", AT_NOON.replace(tzinfo=UTC)),),
            refused=("noon",),
            values=st.datetimes(timezones=st.just(UTC)),
            unfit=(NOON,),
        ),
    ),
}
