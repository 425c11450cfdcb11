"""Reading an arithmetic expression, and computing it: no part of it is ever evaluated as code.

Packages that compute expressions give binary floating-point results, or let an expression name things; this parser knows numbers, operators
and the functions of `_functions.py`. It keeps exact values, and its time is bounded by the length of the text.
"""

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

from fcregistry.errors import ToolError

from fcregistry_calculator._functions import NAMES, call, factorial
from fcregistry_calculator._numbers import MOST_DIGITS, Number, number_of
from fcregistry_calculator._powers import power_of
from fcregistry_calculator._values import Value

MOST_CHARACTERS: Final = 1_000
"""The longest expression."""

_MOST_NESTED: Final = 50
"""The most brackets, signs and powers inside each other."""

_TOKEN: Final = re.compile(
    r"[ \t\r\n\u00a0]*(?:(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)|(?P<name>[^\W\d]\w*)|(?P<sign>\*\*|//|[-+*/%^!(),×·÷−]))",  # noqa: RUF001  # a minus sign, too
)
"""Matches a number, a name or an operator. No two of its parts can match the same text."""

_PLAIN: Final = {"×": "*", "·": "*", "÷": "/", "−": "-", "^": "**"}  # noqa: RUF001  # as models write them
"""Operator -> the same one as Python writes it."""


def compute(expression: str) -> Number:
    """Return the result of an arithmetic expression.

    Raises:
        ToolError: It is not an expression, has no result, or one that cannot be written.
    """
    if len(expression) > MOST_CHARACTERS:
        raise ToolError(f"The expression has more than {MOST_CHARACTERS} characters. Calculate it in parts.")
    reader = _Reader(expression)
    value = reader.sum()
    reader.check_end()
    return number_of(value.exact, whole=value.is_whole)


class _Reader:
    """Reads an expression and computes it, by recursive descent: one method for each precedence."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self._depth = 0
        self._token = ""
        self._kind = ""
        self._advance()

    def _advance(self) -> None:
        """Read the next token, which is empty at the end."""
        match = _TOKEN.match(self._text, self._place)
        if match is None:
            rest = self._text[self._place :].strip()
            if rest:
                raise ToolError(f"{rest[:20]!r} cannot be read as a part of an expression.")
            self._token, self._kind, self._place = "", "", len(self._text)
            return
        self._kind = match.lastgroup or ""
        self._token = _PLAIN.get(match[self._kind], match[self._kind])
        self._place = match.end()

    def _take(self, *tokens: str) -> str:
        """Return the present token and go on if it is one of `tokens`; otherwise return an empty text."""
        token = self._token
        if token not in tokens:
            return ""
        self._advance()
        return token

    def _nest(self) -> None:
        """Count one more part inside another."""
        self._depth += 1
        if self._depth > _MOST_NESTED:
            raise ToolError(
                f"The expression has more than {_MOST_NESTED} parts inside each other. Calculate it in parts."
            )

    def check_end(self) -> None:
        """Raise `ToolError` if the expression goes on."""
        if not self._token:
            return
        if self._token == ",":
            raise ToolError("A comma is only between the arguments of a function: write 1000, not 1,000.")
        if self._token == ")":
            raise ToolError("There is a ) without its (.")
        raise ToolError(f"An operator is missing before {self._token!r}: write 2 * (3 + 4), not 2 (3 + 4).")

    def sum(self) -> Value:
        """Read and return terms with `+` and `-` between them."""
        value = self._product()
        while sign := self._take("+", "-"):
            other = self._product()
            result = value.exact + other.exact if sign == "+" else value.exact - other.exact
            value = Value(result, value.is_whole and other.is_whole)
        return value

    def _product(self) -> Value:
        """Read and return factors with `*`, `/`, `//` and `%` between them."""
        value = self._signed()
        while sign := self._take("*", "/", "//", "%"):
            if sign == "%" and self._kind not in ("number", "name") and self._token != "(":
                raise ToolError("'%' is the remainder of a division. Write 5/100 for five per cent.")
            other = self._signed()
            if sign != "*" and other.exact == 0:
                raise ToolError("Nothing can be divided by zero. Check the divisor, or say that there is no quotient.")
            value = Value(_PRODUCTS[sign](value.exact, other.exact), value.is_whole and other.is_whole)
        return value

    def _signed(self) -> Value:
        """Read and return a power with signs before it: `-2**2` is -4."""
        self._nest()
        if sign := self._take("+", "-"):
            value = self._signed()
            value = value if sign == "+" else Value(-value.exact, value.is_whole)
        else:
            value = self._power()
        self._depth -= 1
        return value

    def _power(self) -> Value:
        """Read and return a base with a power: `2**3**2` is 2**9."""
        base = self._with_factorial()
        if not self._take("**"):
            return base
        times = self._signed()
        return Value(*power_of(base.exact, times.exact, whole=base.is_whole and times.is_whole))

    def _with_factorial(self) -> Value:
        """Read and return a number, brackets or a call, with `!` after it."""
        value = self._atom()
        if self._take("!"):
            if self._token == "!":
                raise ToolError("'!!' may mean two things. Write (n!)! for the factorial of a factorial.")
            return factorial(value)
        return value

    def _atom(self) -> Value:
        """Read and return a number, an expression in brackets, or the result of a function."""
        if self._kind == "number":
            return _number(self._take(self._token))
        if self._kind == "name":
            name = self._take(self._token)
            if not self._take("("):
                raise ToolError(
                    f"There is nothing with the name {name[:40]!r}. An expression has numbers and functions ({', '.join(NAMES)}): "
                    "write the number itself, such as 3.141592653589793 for pi."
                )
            return call(name, self._arguments())
        if not self._take("("):
            what = f"before {self._token!r}" if self._token else "at the end of the expression"
            raise ToolError(f"A number is missing {what}.")
        value = self.sum()
        self._close()
        return value

    def _arguments(self) -> list[Value]:
        """Read and return the arguments of a function, up to its closing bracket."""
        if self._take(")"):
            return []
        values = [self.sum()]
        while self._take(","):
            values.append(self.sum())
        self._close()
        return values

    def _close(self) -> None:
        """Read a closing bracket."""
        if not self._take(")"):
            raise ToolError(
                f"A ) is missing {f'before {self._token!r}' if self._token else 'at the end of the expression'}."
            )


_PRODUCTS: Final[Mapping[str, Callable[[Fraction, Fraction], Fraction]]] = {
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: Fraction(a // b),
    "%": lambda a, b: a % b,
}


def _number(text: str) -> Value:
    """Return the value of a number as it is written.

    Raises:
        ToolError: It has too many digits, or is beyond what a `float` reaches.
    """
    digits, _, exponent = text.lower().partition("e")
    if len(digits) > MOST_DIGITS:
        raise ToolError(f"A number has more than {MOST_DIGITS} digits. Calculate with smaller numbers.")
    size = exponent.lstrip("+-").lstrip("0")  # the digits of the exponent, of which there may be many
    if len(size) > len(str(MOST_DIGITS)) or int(size or 0) > MOST_DIGITS:
        raise ToolError(f"The number {text[:40]} is too large, or too close to zero. Calculate with other numbers.")
    return Value(Fraction(text), text.isdecimal())
