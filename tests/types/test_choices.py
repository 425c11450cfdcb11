from __future__ import annotations

import enum
from typing import Any, Literal

import pytest
import typing_extensions

from fcregistry.types import codec_of, schema_of

from .cases import assert_accepts, assert_refuses, assert_round_trip, why_unsupported


class Colour(enum.Enum):
    RED = "red"
    GREEN = "green"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mode(enum.StrEnum):
    FAST = enum.auto()
    SLOW = enum.auto()


class Shape(enum.Enum):
    POINT = (0, 0)
    LINE = (0, 1)


class Mixed(enum.Enum):
    NAME = "x"
    NUMBER = 2
    YES = True
    NOTHING = None


class Alias(enum.Enum):
    FIRST = 1
    UNO = 1  # noqa: PIE796


class Permission(enum.Flag):
    READ = 1
    WRITE = 2


class Clash(enum.Enum):
    PAIR = "OTHER"
    OTHER = (1,)


class Empty(enum.Enum):
    pass


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal[3, 1, 2], {"type": "integer", "enum": [3, 1, 2]}),
        (Literal[True], {"type": "boolean", "enum": [True]}),
        (Literal["a", 1, None], {"enum": ["a", 1, None]}),
        (typing_extensions.Literal["a"], {"type": "string", "enum": ["a"]}),
        (Colour, {"type": "string", "enum": ["red", "green"]}),
        (Level, {"type": "integer", "enum": [1, 2]}),
        (Mode, {"type": "string", "enum": ["fast", "slow"]}),
        (Shape, {"type": "string", "enum": ["POINT", "LINE"]}),
        (Mixed, {"enum": ["x", 2, True, None]}),
        (Alias, {"type": "integer", "enum": [1]}),
        (Literal[Colour.RED, "other"], {"type": "string", "enum": ["red", "other"]}),
    ],
)
def test_choices_are_an_enum_in_declared_order_with_their_common_type(annotation: Any, schema: Any) -> None:
    assert schema_of(annotation) == schema


def test_a_literal_is_decoded_as_the_declared_value() -> None:
    assert_round_trip(Literal["a", 1, None], "a", "a")
    assert_round_trip(Literal["a", 1, None], 1, 1)
    assert_refuses(Literal["a", 1], "A", "", "b", 2, None, ["a"], {"a": 1})


def test_one_is_never_true_and_zero_never_false() -> None:
    assert_refuses(Literal[1, 0], True, False)
    assert_refuses(Literal[True, False], 1, 0, 1.0)
    assert_round_trip(Literal[True, 1], True, True)
    assert_round_trip(Literal[True, 1], 1, 1)


def test_a_whole_float_is_the_integer_it_equals() -> None:
    assert_accepts(Literal[1], 1.0)
    assert type(codec_of(Literal[1]).decode(1.0)) is int
    assert codec_of(Level).decode(2.0) is Level.HIGH


@pytest.mark.parametrize(
    ("annotation", "encoded", "member"),
    [
        (Colour, "green", Colour.GREEN),
        (Level, 2, Level.HIGH),
        (Mode, "slow", Mode.SLOW),
        (Shape, "LINE", Shape.LINE),
        (Mixed, None, Mixed.NOTHING),
        (Mixed, True, Mixed.YES),
        (Mixed, 2, Mixed.NUMBER),
        (Literal[Colour.RED], "red", Colour.RED),
    ],
)
def test_a_member_is_its_value_or_its_name_if_the_value_is_not_json(
    annotation: Any, encoded: Any, member: enum.Enum
) -> None:
    assert_round_trip(annotation, encoded, member)
    assert codec_of(annotation).decode(encoded) is member


def test_an_enum_refuses_names_of_members_that_have_a_value_and_plain_values_from_python() -> None:
    assert_refuses(Colour, "RED", "blue", 1, None)
    assert_refuses(Shape, [0, 1], "point")
    assert not codec_of(Colour).handles("red")


def test_a_flag_is_refused_with_the_advice_to_take_a_set_of_an_enum() -> None:
    assert why_unsupported(Permission) == (
        "Permission is a Flag, whose members combine; take set[…] of an Enum instead"
    )
    assert "IntFlag" not in why_unsupported(enum.IntFlag("Bits", "A B"))


def test_members_with_the_same_json_are_refused_by_name() -> None:
    assert why_unsupported(Clash) == "Clash.PAIR and .OTHER are both 'OTHER' in JSON; rename one"


def test_an_enum_or_literal_without_values_is_refused() -> None:
    assert why_unsupported(Empty) == "Empty has no members"
    assert why_unsupported(Literal[()]) == (
        "Literal[()] allows no value at all; name the values, as in Literal['a', 'b']"
    )


def test_a_literal_of_something_without_json_form_is_refused() -> None:
    assert why_unsupported(Literal[b"x"]) == (
        "Literal[b'x'] holds b'x', which has no JSON form; use strings, numbers, booleans or None"
    )
