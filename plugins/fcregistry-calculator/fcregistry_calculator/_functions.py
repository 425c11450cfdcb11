"""The functions that an expression may call."""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from fcregistry.errors import ToolError

from fcregistry_calculator._numbers import exact
from fcregistry_calculator._powers import MOST_BITS, least_bits
from fcregistry_calculator._values import Value

_MOST_FACTORIAL: Final = 1_000
"""The largest number whose factorial is computed: it has 2,568 digits."""

_MOST_DECIMALS: Final = 300
"""The most decimals that a number is rounded to."""


def call(name: str, arguments: Sequence[Value]) -> Value:
    """Return the result of the function `name`.

    Raises:
        ToolError: There is no such function, it takes another number of arguments, or it has no value for these.
    """
    if name == "log":
        arguments = _check_count(name, arguments, 2, "write log(x, base), ln(x) or log10(x)")
        return _logarithm(*arguments)
    if name == "round":
        arguments = _check_count(name, arguments, 1, most=2)
        return _round(arguments[0], arguments[1] if len(arguments) > 1 else Value(Fraction(0), True))
    if name in _OF_MANY:
        return _OF_MANY[name](_check_count(name, arguments, 1, most=len(arguments)))
    if name in _EXACT:
        return _EXACT[name](*_check_count(name, arguments, 1))
    if name in _ROUNDED:
        return _rounded(name, *_check_count(name, arguments, 1))
    raise ToolError(f"There is no function {name!r}. The functions are {', '.join(NAMES)}.")


def factorial(value: Value) -> Value:
    """Return the product of the whole numbers from 1 to `value`.

    Raises:
        ToolError: It is not a whole number from 0 to 1,000.
    """
    number = value.exact
    if number.denominator != 1 or not 0 <= number <= _MOST_FACTORIAL:
        raise ToolError(f"A factorial is computed of whole numbers from 0 to {_MOST_FACTORIAL}.")
    return Value(Fraction(math.factorial(number.numerator)), value.is_whole)


def _check_count(
    name: str, arguments: Sequence[Value], least: int, advice: str = "", *, most: int | None = None
) -> Sequence[Value]:
    """Return `arguments` if there are `least` to `most` of them; `most` is `least` by default."""
    if least <= len(arguments) <= (least if most is None else most):
        return arguments
    raise ToolError(f"{name} does not take {len(arguments)} arguments{f'; {advice}' if advice else ''}.")


def _rounded(name: str, value: Value) -> Value:
    """Return the result of a function of `math`, which is rounded to a `float`."""
    argument = _argument(name, value)
    try:
        result = _ROUNDED[name](argument)
    except (ValueError, ZeroDivisionError):
        raise ToolError(f"{name} has no value for {argument:.6g}. Check the argument.") from None
    except OverflowError:
        raise ToolError(f"The result of {name} is too large. Calculate with smaller numbers.") from None
    if name == "exp" and result == 0:
        raise ToolError("The result of exp is not zero, but too close to zero. Calculate with larger numbers.")
    return Value(exact(result), False)


def _argument(name: str, value: Value) -> float:
    """Return `value` as the argument of a function of `math`.

    Raises:
        ToolError: It is beyond what a `float` reaches, or not zero and too close to it.
    """
    try:
        argument = float(value.exact)
    except OverflowError:
        raise ToolError(f"The argument of {name} is too large. Calculate with smaller numbers.") from None
    if argument == 0 != value.exact:
        raise ToolError(f"The argument of {name} is not zero, but too close to zero. Calculate with larger numbers.")
    return argument


def _root(value: Value) -> Value:
    """Return the square root of `value`, exact where it is a fraction."""
    number = value.exact
    if number < 0:
        raise ToolError("A negative number has no square root. Check the argument of sqrt.")
    parts = math.isqrt(number.numerator), math.isqrt(number.denominator)
    root = Fraction(*parts)
    return Value(root, value.is_whole) if root * root == number else _rounded("sqrt", value)


def _logarithm(value: Value, base: Value) -> Value:
    """Return the logarithm of `value` to `base`, exact where it is a whole number."""
    logarithm, divisor = _rounded("ln", value).exact, _rounded("ln", base).exact
    if divisor == 0:
        raise ToolError("There is no logarithm to the base 1. Check the base.")
    result = logarithm / divisor
    near = round(result)
    if least_bits(base.exact, Fraction(near)) <= MOST_BITS and base.exact**near == value.exact:
        return Value(Fraction(near), value.is_whole and base.is_whole)
    return Value(exact(float(result)), False)


def _round(value: Value, decimals: Value) -> Value:
    """Return `value` with that many decimals; a half goes away from zero, as in school."""
    places = decimals.exact
    if places.denominator != 1 or abs(places) > _MOST_DECIMALS:
        raise ToolError(f"The number of decimals is a whole number from {-_MOST_DECIMALS} to {_MOST_DECIMALS}.")
    scale = Fraction(10) ** places.numerator
    scaled = math.floor(abs(value.exact) * scale + Fraction(1, 2)) / scale
    return Value(Fraction(scaled if value.exact >= 0 else -scaled), value.is_whole)


def _of_whole_numbers(name: str, function: Callable[..., int]) -> Callable[[Sequence[Value]], Value]:
    """Return a function of whole numbers as one of values, which refuses others."""

    def of_values(values: Sequence[Value]) -> Value:
        if any(each.exact.denominator != 1 for each in values):
            raise ToolError(f"{name} takes whole numbers.")
        numbers = (each.exact.numerator for each in values)
        return Value(Fraction(function(*numbers)), all(each.is_whole for each in values))

    return of_values


def _lcm(*numbers: int) -> int:
    """Return the least common multiple of `numbers`.

    Raises:
        ToolError: It becomes too large on the way.
    """
    multiple = 1
    for each in numbers:
        multiple = math.lcm(multiple, each)
        if multiple.bit_length() > MOST_BITS:
            raise ToolError("The result of lcm is too large. Calculate with smaller numbers.")
    return multiple


def _mapped(function: Callable[[Fraction], Fraction | int]) -> Callable[[Value], Value]:
    """Return a function of fractions as one of values."""
    return lambda value: Value(Fraction(function(value.exact)), value.is_whole)


_EXACT: Final[Mapping[str, Callable[[Value], Value]]] = MappingProxyType(
    {
        "abs": _mapped(abs),
        "ceil": _mapped(math.ceil),
        "factorial": factorial,
        "floor": _mapped(math.floor),
        "sqrt": _root,
    }
)

_OF_MANY: Final[Mapping[str, Callable[[Sequence[Value]], Value]]] = MappingProxyType(
    {
        "gcd": _of_whole_numbers("gcd", math.gcd),
        "lcm": _of_whole_numbers("lcm", _lcm),
        "max": lambda values: max(values, key=lambda each: each.exact),
        "min": lambda values: min(values, key=lambda each: each.exact),
    }
)

_ROUNDED: Final[Mapping[str, Callable[[float], float]]] = MappingProxyType(
    {
        **{name: getattr(math, name) for name in ("acos", "asin", "atan", "cos", "degrees", "exp", "log10", "log2")},
        **{name: getattr(math, name) for name in ("radians", "sin", "sqrt", "tan")},
        "ln": math.log,
    }
)

NAMES: Final = tuple(sorted({*_EXACT, *_OF_MANY, *_ROUNDED, "log", "round"}))
"""The names of the functions, sorted."""
