"""Powers, computed exactly where the result stays small."""

from fractions import Fraction

from fcregistry.errors import ToolError

from fcregistry_calculator._numbers import MOST_DIGITS, Number, are_whole, exact, number_of

MOST_BITS = 20_000
"""The size up to which exact powers are computed: about 6,000 digits, which takes microseconds."""


def raise_to(base: Number, exponent: Number) -> Number:
    """Return `base` to the power of `exponent`.

    Raises:
        ToolError: The power does not exist, is not a real number, or is too large or too small to be written.
    """
    power, is_whole = power_of(exact(base), exact(exponent), whole=are_whole(base, exponent))
    return number_of(power, whole=is_whole)


def power_of(value: Fraction, times: Fraction, *, whole: bool) -> tuple[Fraction, bool]:
    """Return `value` to the power of `times`, and whether it is computed exactly from whole numbers alone.

    Args:
        value: The base.
        times: The exponent.
        whole: Whether both were computed from whole numbers alone.

    Raises:
        ToolError: The power does not exist, is not a real number, or is too large or too small to be written.
    """
    if value == 0 and times < 0:
        raise ToolError("Zero has no negative powers, since that would divide by zero. Use an exponent of 0 or more.")
    if value < 0 and times.denominator != 1:
        raise ToolError(
            "A negative number has no real power with a fraction in the exponent. Use a whole exponent, or a base of 0 or more."
        )
    if times.denominator == 1 and least_bits(value, times) <= MOST_BITS:
        return value**times.numerator, whole
    if value.denominator == times.denominator == 1 and times > 0:
        raise ToolError(f"The result has more than {MOST_DIGITS} digits. Calculate with smaller numbers.")
    return _round_power(value, times), False


def least_bits(value: Fraction, times: Fraction) -> int:
    """Return the least size, in bits, of the numerator or denominator of `value` to the power of `times`.

    It is 0 for powers of 0 and 1.
    """
    longer = max(abs(value.numerator), value.denominator)
    return (longer.bit_length() - 1) * abs(times.numerator)


def _round_power(value: Fraction, times: Fraction) -> Fraction:
    """Return `value` to the power of `times`, rounded to a `float`.

    Raise `ToolError` if it is too large or too small.
    """
    try:
        power = float(abs(value)) ** float(times)
    except (OverflowError, ZeroDivisionError) as exc:  # also where the base is too close to zero for a float
        raise ToolError("The result is too large: beyond about 1.8e308. Calculate with smaller numbers.") from exc
    if power == 0 and value != 0:
        raise ToolError("The result is not zero, but too close to zero to be written. Calculate with larger numbers.")
    is_negative = value < 0 and times.numerator % 2 == 1  # a large exponent, as a float, does not show this any more
    return exact(-power if is_negative else power)
