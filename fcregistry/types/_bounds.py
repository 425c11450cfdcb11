"""Does a value keep to a bound? Numbers are compared by their decimal digits, not their binary ones: 0.1 is a tenth."""

from __future__ import annotations

import operator
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable


def is_number(value: object) -> bool:
    """Tell whether a Python value is a real number, which a boolean is not."""
    return isinstance(value, (int, float, Decimal, Fraction)) and not isinstance(value, bool)


def is_multiple(value: Any, step: Any) -> bool:
    """Tell whether a number is a multiple of another, or a duration of another, exactly."""
    if isinstance(value, Decimal):
        return _is_decimal_multiple(value, _by_digits(step))
    if is_number(value):
        return _fraction(value) % _fraction(step) == 0
    return not value % step


def _is_decimal_multiple(value: Decimal, step: Decimal) -> bool:
    """Tell it of a Decimal, whose exponent may be so large that no Fraction of it could be made."""
    digits = value.adjusted() - step.adjusted() + len(value.as_tuple().digits) + len(step.as_tuple().digits)
    if digits > _MOST_DIGITS:
        return False
    return not Context(max(digits, 1), Emin=MIN_EMIN, Emax=MAX_EMAX).remainder(value, step)


_MOST_DIGITS: Final = 5000
"""Of a quotient: a stranger wrote the value, and may have written an exponent of 17 digits."""


def _by_digits(number: Any) -> Any:
    """Return a number that compares as it is written."""
    return Decimal(float.__repr__(number)) if isinstance(number, float) else number


def _fraction(number: Any) -> Fraction:
    return Fraction(_by_digits(number))


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def holds(value: Any, limit: Any) -> bool:
        if isinstance(value, Fraction) or isinstance(limit, Fraction):
            return compare(_fraction(value), _fraction(limit))
        return compare(_by_digits(value), _by_digits(limit))

    return holds


HOLDS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "minimum": _ordered(operator.ge),
    "exclusiveMinimum": _ordered(operator.gt),
    "maximum": _ordered(operator.le),
    "exclusiveMaximum": _ordered(operator.lt),
    "multipleOf": is_multiple,
}
"""Keyword -> whether a Python value keeps to it (JSON Schema validation, 6.2)."""


def as_json_number(limit: Any) -> float | None:
    """Return the JSON number that is exactly a limit, or None."""
    if not is_number(limit):
        return None
    if type(limit) in (int, float):
        return limit if limit - limit == 0 else None
    try:
        number = int(limit) if limit == int(limit) else float(limit)
        return number if _fraction(number) == _fraction(limit) else None
    except (ValueError, ArithmeticError):  # not finite, or beyond what a float carries
        return None
