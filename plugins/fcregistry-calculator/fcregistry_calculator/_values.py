"""Exact values while an expression is computed: fractions, which are rounded only where they would grow too large."""

from dataclasses import dataclass
from fractions import Fraction

from fcregistry_calculator._numbers import exact, nearest
from fcregistry_calculator._powers import MOST_BITS


@dataclass(frozen=True, slots=True)
class Value:
    """A part of an expression, computed.

    Attributes:
        exact: Its value.
        is_whole: Whether it was computed from whole numbers alone: see `number_of`.
    """

    exact: Fraction
    is_whole: bool

    def __post_init__(self) -> None:
        longer = max(abs(self.exact.numerator), self.exact.denominator)
        if longer.bit_length() > MOST_BITS:
            object.__setattr__(self, "exact", exact(nearest(self.exact)))
            object.__setattr__(self, "is_whole", False)
