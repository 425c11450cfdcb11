from __future__ import annotations

from typing import Any, LiteralString

import pytest

from fcregistry.types import codec_of, schema_of

from .cases import assert_accepts, assert_refuses, assert_round_trip


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (None, {"type": "null"}),
        (type(None), {"type": "null"}),
        (bool, {"type": "boolean"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (str, {"type": "string"}),
        (LiteralString, {"type": "string"}),
        (Any, {}),
        (object, {}),
    ],
)
def test_a_scalar_has_the_schema_of_its_json_type(annotation: Any, schema: dict[str, Any]) -> None:
    assert schema_of(annotation) == schema


def test_none_is_null_and_nothing_else() -> None:
    assert_round_trip(None, None, None)
    assert_refuses(None, False, 0, "", "null", [], {})


def test_bool_is_never_a_number() -> None:
    assert_round_trip(bool, True, True)
    assert_round_trip(bool, False, False)
    assert_refuses(bool, 0, 1, 1.0, "true", None)


def test_int_is_never_a_boolean_a_string_or_a_fraction() -> None:
    assert_round_trip(int, 5, 5)
    assert_round_trip(int, -(10**30), -(10**30))
    assert_refuses(int, True, False, "5", 5.5, None, [5])


def test_a_whole_float_is_an_integer_in_json_and_an_int_in_python() -> None:
    assert_accepts(int, 2.0, -0.0, 1e300)
    decoded = codec_of(int).decode(2.0)
    assert decoded == 2
    assert type(decoded) is int


def test_float_takes_every_number_and_gives_floats() -> None:
    assert_round_trip(float, 2.5, 2.5)
    assert type(codec_of(float).decode(2)) is float
    assert_refuses(float, True, "2.5", None)


def test_a_whole_number_too_large_for_a_float_stays_an_int() -> None:
    assert_accepts(float, 10**400)
    assert codec_of(float).decode(10**400) == 10**400


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_float_that_is_not_finite_has_no_json_form(value: float) -> None:
    assert not codec_of(float).handles(value)
    assert not codec_of(float).accepts(value)


def test_str_takes_strings_as_they_are() -> None:
    for text in ("", "5", "é😀", "\x00", "\ud800", " a\n"):
        assert_round_trip(str, text, text)
    assert_refuses(str, 5, True, None, ["a"], {})


@pytest.mark.parametrize("annotation", [Any, object])
@pytest.mark.parametrize("value", [None, True, 1, 1.5, "a", [1, [None]], {"a": {"b": []}}])
def test_any_returns_every_json_value_unchanged(annotation: Any, value: Any) -> None:
    assert_round_trip(annotation, value, value)


def test_any_encodes_python_values_by_their_own_types() -> None:
    assert codec_of(Any).encode({"tags": {"b", "a"}, "pair": (1, 2)}) == {"tags": ["a", "b"], "pair": [1, 2]}
