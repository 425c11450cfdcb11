"""What do two numbers, or two texts, come to? Only as much as stays small: it is known before it is computed."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any, Final

MOST_BITS: Final = 4096
"""How large a whole number may become."""

MOST_TEXT: Final = 100_000
"""How many characters joined texts may have."""

_OPERATORS: Final[dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow),
    ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift),
    ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_),
    ast.BitXor: ("^", operator.xor),
}
_SIGNS: Final[dict[type[ast.unaryop], Callable[[Any], Any]]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}


class ArithmeticProblem(ValueError):
    """What cannot be computed, or is not; the message tells the model why."""


def signed(sign: ast.unaryop, value: object) -> Any:
    """Return a number with its sign.

    Raises:
        ArithmeticProblem: It is no number, or another operator.
    """
    apply = _SIGNS.get(type(sign))
    if apply is None or not _is_number(value):
        raise ArithmeticProblem("only + and - may stand before a value, and only before a number")
    return apply(value)


def computed(operation: ast.operator, left: Any, right: Any) -> Any:
    """Return what an operator makes of two values.

    Raises:
        ArithmeticProblem: They are not two numbers, or two texts to be joined; the result is too large, or there is none.
    """
    sign, compute = _OPERATORS.get(type(operation), ("@", operator.matmul))
    if sign == "+" and type(left) is type(right) is str:
        if len(left) + len(right) > MOST_TEXT:
            raise ArithmeticProblem(f"the joined text is too long: at most {MOST_TEXT} characters")
        return left + right
    if not (_is_number(left) and _is_number(right)) or sign == "@":
        raise ArithmeticProblem(
            f"{sign} is allowed between two numbers"
            + (", and + between two texts" if sign == "+" else "")
            + f", not between {_kind(left)} and {_kind(right)}"
        )
    if type(left) is type(right) is int and _bits(sign, left, right) > MOST_BITS:
        raise ArithmeticProblem(f"the result of {sign} is too large: at most {MOST_BITS} bits")
    try:
        return compute(left, right)
    except ZeroDivisionError:
        raise ArithmeticProblem("this divides by zero") from None
    except OverflowError:
        raise ArithmeticProblem(f"the result of {sign} is too large") from None
    except (TypeError, ValueError) as error:  # a shift of floats, or by a negative number
        raise ArithmeticProblem(f"{sign} cannot be computed here: {error}") from None


def _bits(sign: str, left: int, right: int) -> int:
    """Return how many bits the result of two whole numbers has at the most."""
    if sign == "**":
        return (abs(left) - 1).bit_length() * right + 1 if right > 0 and abs(left) > 1 else 1
    if sign == "<<":
        return left.bit_length() + max(right, 0) if left else 0
    return left.bit_length() + right.bit_length() if sign == "*" else max(left.bit_length(), right.bit_length())


def _is_number(value: object) -> bool:
    return type(value) in (int, float, complex)


def _kind(value: object) -> str:
    if isinstance(value, str):
        return "a text"
    return "a number" if _is_number(value) else f"a {type(value).__name__}"
