"""The exact value of a number, and the number of an exact result."""

import math
from fractions import Fraction
from typing import TypeAlias

from fcregistry.errors import ToolError

Number: TypeAlias = int | float

MOST_DIGITS = 300
"""The most digits of a whole number, given or computed: no more than a `float` reaches, and not too many for a reader."""

EXACT_BELOW = 2**53
"""Every whole number below this has its own `float` (IEEE 754, binary64)."""


def exact(number: Number) -> Fraction:
    """Return the value of `number` as it is written: `0.1` is one tenth, not the nearest binary fraction.

    Raises:
        ToolError: It is infinite, not a number, or has too many digits.
    """
    if isinstance(number, int):
        if abs(number) >= 10**MOST_DIGITS:
            raise ToolError(f"A number has more than {MOST_DIGITS} digits. Calculate with smaller numbers.")
        return Fraction(number)
    if not math.isfinite(number):
        raise ToolError(f"{number} is not a number to calculate with. Use finite numbers.")
    return Fraction(repr(number))  # the shortest decimal that means this float, which is what was written


def number_of(value: Fraction, *, whole: bool) -> Number:
    """Return the exact result `value` as a whole number if it is one, else as the nearest `float`.

    Args:
        value: The result.
        whole: Whether all numbers that it was computed from are whole. Then a whole result has all of its digits; otherwise
            a result of 2**53 or more is no more exact than its parts, and is a `float`.

    Raises:
        ToolError: The result has too many digits, or is beyond what a `float` reaches.
    """
    if value.denominator == 1 and (whole or abs(value) < EXACT_BELOW):
        if abs(value) >= 10**MOST_DIGITS:
            raise ToolError(f"The result has more than {MOST_DIGITS} digits. Calculate with smaller numbers.")
        return value.numerator
    return nearest(value)


def are_whole(*numbers: Number) -> bool:
    """Return whether all of `numbers` are whole numbers that were written as such."""
    return all(isinstance(number, int) for number in numbers)


def nearest(value: Fraction) -> float:
    """Return the `float` nearest to `value`.

    Raises:
        ToolError: It is too large, or too close to zero.
    """
    try:
        result = float(value)
    except OverflowError as exc:
        raise ToolError("The result is too large: beyond about 1.8e308. Calculate with smaller numbers.") from exc
    if result == 0:
        raise ToolError("The result is not zero, but too close to zero to be written. Calculate with larger numbers.")
    return result
