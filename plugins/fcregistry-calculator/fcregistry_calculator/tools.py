"""The tools: sums, differences, products, quotients, powers and whole expressions, exact where that is possible."""

from typing import Annotated

from annotated_types import Len
from fcregistry import fc_register
from fcregistry.errors import ToolError

from fcregistry_calculator._expression import MOST_CHARACTERS, compute
from fcregistry_calculator._numbers import Number, are_whole, exact, number_of
from fcregistry_calculator._powers import raise_to

__all__ = ["add_up", "calculate", "divide", "multiply", "power", "subtract"]


@fc_register(
    "tool",
    title="Add up numbers",
    examples=[{"numbers": [12, 13, 0.5]}],
    tags=("math",),
    read_only=True,
    idempotent=True,
    open_world=False,
    blocking=False,
)
def add_up(numbers: Annotated[list[Number], Len(1, 1000)]) -> Number:
    """Add up numbers.

    Args:
        numbers: The numbers to add, e.g. [12, 13, 0.5].

    Returns:
        The sum.

    Raises:
        ToolError: A number, or the sum, is too large.
    """
    return number_of(sum(map(exact, numbers), exact(0)), whole=are_whole(*numbers))


@fc_register(
    "tool",
    title="Subtract",
    examples=[{"a": 20, "b": 8}],
    tags=("math",),
    read_only=True,
    idempotent=True,
    open_world=False,
    blocking=False,
)
def subtract(a: Number, b: Number) -> Number:
    """Subtract b from a.

    Args:
        a: The number to subtract from.
        b: The number to subtract.

    Returns:
        The difference.

    Raises:
        ToolError: A number, or the difference, is too large.
    """
    return number_of(exact(a) - exact(b), whole=are_whole(a, b))


@fc_register(
    "tool",
    title="Multiply",
    examples=[{"a": 12, "b": 13}],
    tags=("math",),
    read_only=True,
    idempotent=True,
    open_world=False,
    blocking=False,
)
def multiply(a: Number, b: Number) -> Number:
    """Multiply a and b.

    Args:
        a: The first factor.
        b: The second factor.

    Returns:
        The product.

    Raises:
        ToolError: A number is too large, or the product too large or too close to zero.
    """
    return number_of(exact(a) * exact(b), whole=are_whole(a, b))


@fc_register(
    "tool",
    title="Divide",
    examples=[{"a": 7, "b": 2}],
    tags=("math",),
    read_only=True,
    idempotent=True,
    open_world=False,
    blocking=False,
)
def divide(a: Number, b: Number) -> Number:
    """Divide a by b.

    Args:
        a: The number to divide.
        b: The number to divide by, which must not be zero.

    Returns:
        The quotient: a whole number if it is one, otherwise a decimal number.

    Raises:
        ToolError: The divisor is zero, a number is too large, or the quotient too large or too close to zero.
    """
    divisor = exact(b)
    if divisor == 0:
        raise ToolError("Nothing can be divided by zero. Check the divisor, or say that there is no quotient.")
    return number_of(exact(a) / divisor, whole=are_whole(a, b))


@fc_register(
    "tool",
    title="Raise to a power",
    examples=[{"base": 2, "exponent": 10}, {"base": 2, "exponent": 0.5}],
    tags=("math",),
    read_only=True,
    idempotent=True,
    open_world=False,
    blocking=False,
)
def power(base: Number, exponent: Number) -> Number:
    """Raise base to the power of exponent.

    Args:
        base: The number to raise.
        exponent: The power to raise it to; 0.5 for the square root.

    Returns:
        The power.

    Raises:
        ToolError: The power does not exist, is not a real number, or is too large or too close to zero; a number is too large.
    """
    return raise_to(base, exponent)


@fc_register(
    "tool",
    title="Calculate",
    examples=[{"expression": "(12.5 + 7.5) * 3 / 2^2"}, {"expression": "sqrt(2) + max(1, 2/3)"}],
    tags=("math",),
    read_only=True,
    idempotent=True,
    open_world=False,
    blocking=False,
)
def calculate(expression: Annotated[str, Len(1, MOST_CHARACTERS)]) -> Number:
    """Calculate the value of an arithmetic expression.

    Operators: + - * / ( ), ** or ^ for powers, // and % for the whole quotient and its remainder, ! for factorials.
    Functions: abs, ceil, floor, round(x, decimals), min, max, gcd, lcm, sqrt, exp, ln, log10, log2, log(x, base), factorial, and in
    radians sin, cos, tan, asin, acos, atan, with degrees and radians to convert. There are no other names: pi is 3.141592653589793.

    Args:
        expression: The expression, e.g. (12.5 + 7.5) * 3 / 2^2.

    Returns:
        The value: a whole number if it is one, otherwise a decimal number.

    Raises:
        ToolError: It is not an expression, or has no value that can be written.
    """
    return compute(expression)
