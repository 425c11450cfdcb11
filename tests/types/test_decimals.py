from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

import annotated_types as at
import pytest

from fcregistry import Executor, Tool
from fcregistry.types import Refusal, codec_of, schema_of

from .cases import assert_accepts, assert_refuses, assert_round_trip

DIGITS = "0.1234567890123456789012345678"


@dataclass
class Price:
    amount: Decimal
    note: Any = None


def echo(amount: Decimal, note: Any = None, **more: Any) -> str:
    return repr((amount, note, more))


def run(tool: Any, arguments: str) -> Any:
    return Executor([tool]).run({"name": Tool.from_function(tool).name, "arguments": arguments})


def test_a_decimal_is_a_number_or_a_string_and_is_written_as_a_string() -> None:
    assert schema_of(Decimal) == {"type": ["number", "string"], "format": "decimal"}
    assert_round_trip(Decimal, "1.50", Decimal("1.50"))
    assert codec_of(Decimal).decode(1.5) == Decimal("1.5")
    assert codec_of(Decimal).decode(3) == Decimal(3)
    assert str(codec_of(Decimal).decode(0.1)) == "0.1"


@pytest.mark.parametrize("text", ["0", "-0", "1.50", "0.1", "1E+5", "-12.5e-3"])
def test_a_string_keeps_its_digits(text: str) -> None:
    assert str(codec_of(Decimal).decode(text)) == str(Decimal(text))


@pytest.mark.parametrize("number", [DIGITS, "-1.10", "123456789012345678901234567890.5", "1e3", "1E-30", "7"])
def test_a_number_in_json_text_keeps_its_digits(number: str) -> None:
    assert run(echo, f'{{"amount": {number}}}').value == repr((Decimal(number), None, {}))
    assert run(echo, f'{{"amount": "{number}"}}').value == repr((Decimal(number), None, {}))


def test_digits_are_kept_inside_of_records_and_containers() -> None:
    def add(prices: list[Price], by_name: dict[str, Decimal | None]) -> Decimal:
        return sum((each.amount for each in prices), Decimal(0)) + (by_name["a"] or 0)

    result = run(add, f'{{"prices": [{{"amount": {DIGITS}}}], "by_name": {{"a": 1.10}}}}')
    assert result.value == Decimal(DIGITS) + Decimal("1.10")
    assert result.content == f'"{result.value}"'


def test_numbers_of_other_types_are_plain_floats() -> None:
    def kinds(price: Price, note: Any, items: set[Any], ratio: float | int | None, **more: Any) -> list[str]:
        values = (note["a"][0], *items, ratio, more["b"], price.note["c"])
        return [type(each).__name__ for each in values]

    text = (
        '{"price": {"amount": 1.5, "note": {"c": 2.5}}, "note": {"a": [1.5]}, "items": [2.5], "ratio": 0.5, "b": 3.5}'
    )
    assert run(kinds, text).value == ["float"] * 5


def test_a_text_that_is_not_a_finite_decimal_is_refused() -> None:
    assert_refuses(
        Decimal, "NaN", "Infinity", "1_000", "٣", "1.", ".5", "01", " 1", "", "1e999999999999999999", True, None
    )
    with pytest.raises(ValueError, match="a Decimal that is not finite"):
        codec_of(Decimal).encode(Decimal("NaN"))


# --- bounds ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marker", "good", "bad"),
    [
        (at.Ge(0), ["0", "0.1", 0, 1.5], ["-0.1", "-1e9999"]),
        (at.Gt(Decimal("0.1")), ["0.11", 0.2], ["0.1", "0.09"]),
        (at.Ge(0.1), ["0.1", 0.1], ["0.0999999999999999999999999"]),
        (at.Lt(10), ["9.999999999999999999999999", 9], ["10", "1e400", 10]),
        (at.MultipleOf(Decimal("0.05")), ["0.15", 0.15, "1e300", "-7"], ["0.16", 0.16, "1e-400"]),
        (
            at.MultipleOf(0.1),
            ["0.3", 0.3, "12345678901234567890123456789.1"],
            ["0.35", "12345678901234567890123456789.15"],
        ),
    ],
)
def test_bounds_hold_for_the_number_and_for_the_string_by_their_digits(
    marker: Any, good: list[Any], bad: list[Any]
) -> None:
    annotation = Annotated[Decimal, marker]
    codec = codec_of(annotation)
    for value in good:
        assert_accepts(annotation, value)
        codec.decode(value)
    for value in bad:
        with pytest.raises(Refusal, match=f"must satisfy {type(marker).__name__}"):
            codec.decode(value)


def test_a_bound_that_a_float_would_round_to_is_exact() -> None:
    def pay(amount: Annotated[Decimal, at.Lt(10)]) -> str:
        return str(amount)

    assert run(pay, '{"amount": 9.99999999999999999999999999}').value == "9.99999999999999999999999999"
    assert run(pay, '{"amount": 10.00000000000000000000000001}').error.code == "invalid_arguments"
    assert run(pay, '{"amount": 10}').error.code == "invalid_arguments"


def test_a_bound_that_no_schema_states_exactly_is_noted_for_the_author() -> None:
    annotation = Annotated[Decimal | None, at.Gt(0), at.Le(9.5)]
    assert schema_of(annotation) == {
        "anyOf": [{"type": ["number", "string"], "format": "decimal"}, {"type": "null"}],
        "minimum": 0,
        "maximum": 9.5,
    }
    assert codec_of(annotation).unsaid == (
        "the schema cannot express that a value must satisfy Gt(0): it is checked after decoding",
        "the schema cannot express that a value must satisfy Le(9.5): it is checked after decoding",
    )
    assert codec_of(annotation).decode(None) is None
    with pytest.raises(Refusal):
        codec_of(annotation).decode("-1")


def test_a_large_exponent_takes_no_memory() -> None:
    codec = codec_of(Annotated[Decimal, at.MultipleOf(0.5), at.Lt(Decimal("1e30"))])
    with pytest.raises(Refusal):
        codec.decode("1e99999999999999999")
    with pytest.raises(Refusal):
        codec.decode("1e-99999999999999999")
