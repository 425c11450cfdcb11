"""Rows about scalars, choices and unions."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal, LiteralString, Optional, Union

from hypothesis import strategies as st

from .row import INTEGER, STRING, Example, Rows, an_object

WHOLE = st.integers(-(2**70), 2**70) | st.integers(-10, 10)
REAL = st.floats(allow_nan=False, allow_infinity=False)
TEXT = st.text(max_size=6)
JSON = st.recursive(
    st.none() | st.booleans() | WHOLE | REAL | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False)


class Colour(enum.Enum):
    RED = "red"
    GREEN = "green"
    BLUE = 3


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mode(enum.StrEnum):
    FAST = "fast"
    SLOW = "slow"


class Opaque(enum.Enum):
    """Members whose values are no JSON: they go by name."""

    PAIR = (1, 2)
    NAN = float("nan")


@dataclass
class Circle:
    kind: Literal["circle"]
    radius: float


@dataclass
class Square:
    kind: Literal["square"] = "square"
    radius: float = 1.0


@dataclass
class ByMember:
    level: Literal[Level.HIGH]
    size: int


@dataclass
class ByNumber:
    level: Literal[1]
    size: int


def _scalar(annotation: Any, schema: dict[str, Any], values: st.SearchStrategy[Any], *json: Any) -> Example:
    """Return a type whose values are what they are in JSON; None stands before what is refused."""
    between = json.index(...)
    accepted = tuple((each, each) for each in json[:between])
    return Example(annotation=annotation, schema=schema, accepted=accepted, refused=json[between + 1 :], values=values)


SCALARS: Rows = {
    "`None`": (_scalar(None, {"type": "null"}, st.none(), None, ..., False, 0, "", "null", [], {}),),
    "`bool`": (_scalar(bool, {"type": "boolean"}, st.booleans(), True, False, ..., 0, 1, 1.0, "true", None),),
    "`int`": (_scalar(int, INTEGER, WHOLE, 5, -(10**30), 2**53 + 1, ..., True, "5", 5.5, None, [5]),),
    "`float`": (_scalar(float, {"type": "number"}, REAL, 2.5, -0.5, 1e300, ..., True, "2.5", None),),
    "`Decimal`": (
        Example(
            annotation=Decimal,
            schema={"type": ["number", "string"], "format": "decimal"},
            accepted=(("1.50", Decimal("1.50")), ("-0", Decimal("-0")), ("1E+400", Decimal("1e400"))),
            refused=(
                "NaN",
                "Infinity",
                "1_000",
                "٣",
                "1.",
                ".5",
                "01",
                " 1",
                "",
                "1e999999999999999999",
                True,
                None,
                [1],
            ),
            values=DECIMALS,
        ),
    ),
    "`str`, `LiteralString`": tuple(
        _scalar(annotation, STRING, TEXT, "", "5", "é😀", "\x00", " a\n", ..., 5, True, None, ["a"], {})
        for annotation in (str, LiteralString)
    ),
    "`Any`, `object`": tuple(
        _scalar(annotation, {}, JSON, None, True, 1, 1.5, "a", [1, [None]], {"a": {"b": []}}, ...)
        for annotation in (Any, object)
    ),
}

CHOICES: Rows = {
    '`Literal["a", "b"]`': (
        _scalar(
            Literal["a", "b"],
            {"type": "string", "enum": ["a", "b"]},
            st.sampled_from(["a", "b"]),
            *("a", "b", ..., "A", "", None, 1, ["a"]),
        ),
        _scalar(
            Literal["a", "b", 1, True, None],
            {"enum": ["a", "b", 1, True, None]},
            st.sampled_from(["a", "b", 1, True, None]),
            *("a", 1, True, None, ..., "c", 0, False, 2, [], {}),
        ),
        Example(
            annotation=Literal[Level.LOW, "none"],
            schema={"enum": [1, "none"]},
            accepted=((1, Level.LOW), ("none", "none")),
            refused=(2, "LOW", True),
            values=st.sampled_from([Level.LOW, "none"]),
        ),
    ),
    "an `Enum`, also `IntEnum`, `StrEnum`": (
        Example(
            annotation=Colour,
            schema={"enum": ["red", "green", 3]},
            accepted=(("green", Colour.GREEN), (3, Colour.BLUE)),
            refused=("RED", "blue", 1, None),
            values=st.sampled_from(Colour),
        ),
        Example(
            annotation=Level,
            schema={"type": "integer", "enum": [1, 2]},
            accepted=((2, Level.HIGH),),
            refused=("HIGH", 3, True),
            values=st.sampled_from(Level),
        ),
        Example(
            annotation=Mode,
            schema={"type": "string", "enum": ["fast", "slow"]},
            accepted=(("slow", Mode.SLOW),),
            refused=("SLOW", 1),
            values=st.sampled_from(Mode),
        ),
        Example(
            annotation=Opaque,
            schema={"type": "string", "enum": ["PAIR", "NAN"]},
            accepted=(("PAIR", Opaque.PAIR),),
            refused=([1, 2], "pair"),
            values=st.sampled_from(Opaque),
        ),
    ),
}

_OPTIONAL = {"anyOf": [INTEGER, {"type": "null"}]}
_CIRCLE = an_object("kind", "radius", kind={"type": "string", "enum": ["circle"]}, radius={"type": "number"})
_SQUARE = an_object(
    kind={"type": "string", "enum": ["square"], "default": "square"}, radius={"type": "number", "default": 1.0}
)
_TAGGED = {
    level: an_object("level", "size", level={"type": "integer", "enum": [level]}, size=INTEGER) for level in (2, 1)
}

UNIONS: Rows = {
    r"`int \| None`, `Optional[int]`": tuple(
        _scalar(annotation, _OPTIONAL, WHOLE | st.none(), 1, None, ..., "1", True, [])
        for annotation in (int | None, Optional[int])  # noqa: UP045  # both spellings are the point
    ),
    r"`int \| str`, `Union[int, str]`": (
        _scalar(int | str, {"anyOf": [INTEGER, STRING]}, WHOLE | TEXT, 1, "1", ..., 1.5, None, True, []),
        _scalar(Union[int, str], {"anyOf": [INTEGER, STRING]}, WHOLE | TEXT, 1, "1", ..., 1.5, None, []),  # noqa: UP007
        Example(
            annotation=date | str,
            schema={"anyOf": [{"type": "string", "format": "date"}, STRING]},
            accepted=(("2024-02-29", date(2024, 2, 29)), ("2023-02-29", "2023-02-29")),
            refused=(1, None),
            values=st.dates() | st.text("ab", max_size=3),
        ),
    ),
    r'`Circle \| Square`, records with a field such as `kind: Literal["circle"]`': (
        Example(
            annotation=Circle | Square,
            schema={"anyOf": [_CIRCLE, _SQUARE]},
            accepted=(
                ({"kind": "circle", "radius": 1.5}, Circle("circle", 1.5)),
                ({"kind": "square", "radius": 1.5}, Square("square", 1.5)),
            ),
            refused=({"kind": "triangle", "radius": 1.5}, {"kind": "circle"}, {"kind": ["circle"], "radius": 1.5}, []),
            values=st.builds(Circle, st.just("circle"), REAL) | st.builds(Square, st.just("square"), REAL),
        ),
        Example(
            annotation=list[ByMember | Annotated[ByNumber, "by number"]],
            schema={"type": "array", "items": {"anyOf": [_TAGGED[2], {**_TAGGED[1], "description": "by number"}]}},
            accepted=(([{"level": 2, "size": 1}, {"level": 1, "size": 2}], [ByMember(Level.HIGH, 1), ByNumber(1, 2)]),),
            refused=([{"level": True, "size": 1}], [{"level": 3, "size": 1}], [{"size": 1}], {"level": 2, "size": 1}),
            values=st.lists(
                st.builds(ByMember, st.just(Level.HIGH), st.integers())
                | st.builds(ByNumber, st.just(1), st.integers()),
                max_size=2,
            ),
        ),
    ),
}
