"""Which numbers does a JSON Schema accept?"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Mapping

_EXACT = 2**53
"""Up to here every whole number is a float too."""


class _Range(NamedTuple):
    """Between which numbers, and whether these belong to it; None where there is no end."""

    low: Fraction | None
    high: Fraction | None
    low_excluded: bool
    high_excluded: bool


def integers(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Return the whole numbers that the keywords of a schema accept, some of them written as floats: `2.0` is an integer (JSON Schema 6.1.1)."""
    within = _range(schema)
    step = _step(schema)
    # A whole multiple of p/q, in lowest terms, is a multiple of p.
    unit = 1 if step is None else step.numerator
    low = None if within.low is None else _first_above(within.low / unit, within.low_excluded)
    high = None if within.high is None else -_first_above(-within.high / unit, within.high_excluded)
    if low is not None and high is not None and low > high:
        return st.nothing()
    whole = st.integers(low, high).map(lambda count: count * unit)
    as_floats = whole.filter(lambda number: abs(number) < _EXACT).map(float)
    return st.one_of(whole, whole, whole, as_floats)


def numbers(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Return the numbers that the keywords of a schema accept, whole ones and others."""
    step = _step(schema)
    if step is not None:
        return st.one_of(integers(schema), _multiples(step, _range(schema)))
    within = _range(schema)
    low = None if within.low is None else _float_above(within.low, within.low_excluded)
    high = None if within.high is None else -_float_above(-within.high, within.high_excluded)
    if low == math.inf or high == -math.inf or (low is not None and high is not None and low > high):
        return integers(schema)
    ends = [None if end is None or math.isinf(end) else end for end in (low, high)]
    return st.one_of(st.floats(*ends, allow_nan=False, allow_infinity=False), integers(schema))


def _range(schema: Mapping[str, Any]) -> _Range:
    low, low_excluded = _end(schema.get("minimum"), schema.get("exclusiveMinimum"), max)
    high, high_excluded = _end(schema.get("maximum"), schema.get("exclusiveMaximum"), min)
    return _Range(low, high, low_excluded, high_excluded)


def _end(bound: Any, exclusive: Any, tighter: Any) -> tuple[Fraction | None, bool]:
    """Join an inclusive and an exclusive bound; draft 4 says by `true` that the inclusive one is exclusive."""
    if exclusive is None or isinstance(exclusive, bool):
        return (None if bound is None else Fraction(bound)), exclusive is True
    if bound is None:
        return Fraction(exclusive), True
    both = Fraction(bound), Fraction(exclusive)
    return tighter(both), tighter(both) == both[1]


def _step(schema: Mapping[str, Any]) -> Fraction | None:
    step = schema.get("multipleOf")
    if step is None or step <= 0:
        return None
    return Fraction(repr(step)) if isinstance(step, float) else Fraction(step)


def _first_above(number: Fraction, excluded: bool) -> int:
    return math.floor(number) + 1 if excluded else math.ceil(number)


def _float_above(number: Fraction, excluded: bool) -> float:
    """Return the smallest float from a number on."""
    try:
        nearest = float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
    while Fraction(nearest) < number or (excluded and Fraction(nearest) == number):
        nearest = math.nextafter(nearest, math.inf)
    return nearest


def _multiples(step: Fraction, within: _Range) -> st.SearchStrategy[Any]:
    low = -1000 if within.low is None else _first_above(within.low / step, within.low_excluded)
    high = low + 2000 if within.high is None else -_first_above(-within.high / step, within.high_excluded)
    if within.low is None and within.high is not None:
        low = high - 2000
    return st.nothing() if low > high else st.integers(low, high).map(lambda count: float(count * step))
