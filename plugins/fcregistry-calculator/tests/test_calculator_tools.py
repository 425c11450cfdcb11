"""The calculator is exact on whole numbers and decimals, and says what has no result, or none that can be written."""

from collections.abc import Callable
from typing import Any

import pytest
from fcregistry.errors import ToolError
from hypothesis import given
from hypothesis import strategies as st

from fcregistry_calculator.tools import add_up, divide, multiply, power, subtract

WHOLE = st.integers(-(10**100), 10**100)
CENTS = st.integers(-(10**12), 10**12).map(lambda cents: cents / 100)

TOO_LONG = "The result has more than 300 digits. Calculate with smaller numbers."
TOO_LARGE = "The result is too large: beyond about 1.8e308. Calculate with smaller numbers."
TOO_SMALL = "The result is not zero, but too close to zero to be written. Calculate with larger numbers."


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        (multiply, (12, 13), 156),
        (multiply, (2.5, 4), 10),
        (multiply, (-0.0, 3), 0),
        (multiply, (10**149, 10**150), 10**299),
        (multiply, (1e300, 1), 1e300),
        (multiply, (0.1, 3), 0.3),
        (subtract, (20, 8), 12),
        (subtract, (0.3, 0.1), 0.2),
        (subtract, (10**299, 1), int("9" * 299)),
        (add_up, ([12, 13, 0.5],), 25.5),
        (add_up, ([0.1] * 10,), 1),
        (add_up, ([1e16, 1, -1e16],), 1),
        (add_up, ([7],), 7),
        (divide, (12, 4), 3),
        (divide, (7, 2), 3.5),
        (divide, (1, 3), 1 / 3),
        (divide, (10**40, 10**39), 10),
        (divide, (0, 5), 0),
        (divide, (0.3, 0.1), 3),
        (power, (2, 10), 1024),
        (power, (2, 0.5), 2**0.5),
        (power, (4, 0.5), 2),
        (power, (10, -2), 0.01),
        (power, (1.1, 2), 1.21),
        (power, (0, 0), 1),
        (power, (-1, 10**18 + 1), -1),
        (power, (1, 10**299), 1),
        (power, (1.0000001, 10**9), 2.6881038582144647e43),
    ],
)
def test_a_result_is_exact_and_whole_where_it_is_whole(
    tool: Callable[..., Any], arguments: tuple[Any, ...], expected: float
) -> None:
    """Decimals count as they are written; a result that is not a whole number is the nearest that JSON readers share."""
    result = tool(*arguments)
    assert result == (pytest.approx(expected, rel=1e-12) if expected > 1e40 and type(expected) is float else expected)
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        (divide, (1, 0), "Nothing can be divided by zero. Check the divisor, or say that there is no quotient."),
        (divide, (0, -0.0), "Nothing can be divided by zero. Check the divisor, or say that there is no quotient."),
        (divide, (1e-200, 1e200), TOO_SMALL),
        (multiply, (10**150, 10**150), TOO_LONG),
        (multiply, (1e200, 1e200), TOO_LARGE),
        (multiply, (1e-200, 1e-200), TOO_SMALL),
        (multiply, (10**300, 1), "A number has more than 300 digits. Calculate with smaller numbers."),
        (multiply, (10**9000, 1), "A number has more than 300 digits. Calculate with smaller numbers."),
        (multiply, (float("inf"), 0), "inf is not a number to calculate with. Use finite numbers."),
        (add_up, ([float("nan")],), "nan is not a number to calculate with. Use finite numbers."),
        (add_up, ([1e308] * 3,), TOO_LARGE),
        (subtract, (10**299 * 9, -(10**299) * 9), TOO_LONG),
        (power, (10, 300), TOO_LONG),
        (power, (9, 10**18), TOO_LONG),
        (power, (1.5, 10**18), TOO_LARGE),
        (power, (0.5, 10**18), TOO_SMALL),
        (power, (10.5, -1000), TOO_SMALL),
        (
            power,
            (0, -1),
            "Zero has no negative powers, since that would divide by zero. Use an exponent of 0 or more.",
        ),
        (
            power,
            (-8, 1 / 3),
            "A negative number has no real power with a fraction in the exponent. Use a whole exponent, or a base of 0 or more.",
        ),
    ],
)
def test_what_has_no_result_is_refused(tool: Callable[..., Any], arguments: tuple[Any, ...], message: str) -> None:
    """Nothing overflows, is rounded to zero or made up; the message says what to send instead."""
    with pytest.raises(ToolError) as caught:
        tool(*arguments)
    assert str(caught.value) == message


def test_the_sign_of_a_power_is_that_of_its_exponent_where_a_float_has_no_odd_numbers_any_more() -> None:
    assert power(-1.00000000000001, 10**16 + 1) < 0 < power(-1.00000000000001, 10**16 + 2)


@given(WHOLE, WHOLE)
def test_whole_numbers_are_computed_as_python_does(a: int, b: int) -> None:
    """To the last digit, far beyond where a float has every whole number."""
    assert multiply(a, b) == a * b
    assert subtract(a, b) == a - b
    assert add_up([a, b]) == a + b


@given(WHOLE, WHOLE.filter(bool))
def test_a_product_divided_by_a_factor_is_the_other(a: int, b: int) -> None:
    """The way back is exact too, and stays whole."""
    quotient = divide(multiply(a, b), b)
    assert quotient == a
    assert type(quotient) is int


@given(st.lists(CENTS, min_size=1))
def test_a_sum_does_not_depend_on_the_order(numbers: list[float]) -> None:
    """Which sums of floats do; and cents add up to cents."""
    total = add_up(numbers)
    assert total == add_up(sorted(numbers))
    assert total == round(total, 2)
