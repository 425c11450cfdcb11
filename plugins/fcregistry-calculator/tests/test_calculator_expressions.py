"""`calculate` computes expressions exactly, says what is wrong with others, and evaluates nothing."""

import math
import random
from fractions import Fraction

import pytest
from fcregistry.errors import ToolError

from fcregistry_calculator.tools import calculate


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1+1", 2),
        ("0.1 + 0.2", 0.3),
        (".5*2.", 1),
        ("(12.5 + 7.5) * 3 / 2^2", 15),
        ("(1/3)**2*9", 1),
        ("1e3", 1000),
        ("1e+0000000000000000002", 100),
        ("7 % (-4)", 7 % -4),
        ("-2^2", -4),
        ("2^3^2", 512),
        ("2**-1", 0.5),
        ("--1", 1),
        ("7//2", 3),
        ("-7%3", 2),
        ("5!", 120),
        ("2^3!", 64),
        ("100!/98!", 9900),
        ("3×4÷2−1·1", 5),  # noqa: RUF001  # a minus sign
        ("sqrt(16/9)*3", 4),
        ("sqrt(2)", 2**0.5),
        ("round(2.5)", 3),
        ("round(-2.345, 2)", -2.35),
        ("round(1250, -2)", 1300),
        ("ceil(1.2) + floor(1.8) + abs(-1)", 4),
        ("max(1, 2/3, -1) - min(4)", -3),
        ("gcd(12, 18) + lcm(4, 6)", 18),
        ("log(8, 2) + log(2**1000, 2)", 1003),
        ("log10(1000)", 3),
        ("log2(10)", math.log2(10)),
        ("log(10, 3)", math.log(10) / math.log(3)),
        ("ln(exp(1))", 1),
        ("sin(radians(30))", math.sin(math.radians(30))),
        ("factorial(4)", 24),
        ("9999999999999999999 + 1", 10**19),
        ("1/3", 1 / 3),
    ],
)
def test_an_expression_is_computed_exactly_where_that_is_possible(expression: str, expected: float) -> None:
    """Numbers count as they are written, and the result is rounded once."""
    result = calculate(expression)
    assert (result, type(result)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("2**10**9", "The result has more than 300 digits. Calculate with smaller numbers."),
        ("9^9^9^9", "The result has more than 300 digits. Calculate with smaller numbers."),
        ("9!!", "'!!' may mean two things. Write (n!)! for the factorial of a factorial."),
        ("1001!", "A factorial is computed of whole numbers from 0 to 1000."),
        ("0.5!", "A factorial is computed of whole numbers from 0 to 1000."),
        ("(" * 60 + "1" + ")" * 60, "The expression has more than 50 parts inside each other. Calculate it in parts."),
        ("(" * 5_000 + ")" * 5_000, "The expression has more than 1000 characters. Calculate it in parts."),
        ("-" * 900 + "1", "The expression has more than 50 parts inside each other. Calculate it in parts."),
        ("1,000", "A comma is only between the arguments of a function: write 1000, not 1,000."),
        ("2(3)", "An operator is missing before '(': write 2 * (3 + 4), not 2 (3 + 4)."),
        ("1)", "There is a ) without its (."),
        ("(1", "A ) is missing at the end of the expression."),
        ("1 + ", "A number is missing at the end of the expression."),
        ("* 2", "A number is missing before '*'."),
        ("1 = 1", "'= 1' cannot be read as a part of an expression."),
        ("1e999", "The number 1e999 is too large, or too close to zero. Calculate with other numbers."),
        (
            "1e" + "0" * 400 + "1000",
            "The number 1e00000000000000000000000000000000000000 is too large, or too close to zero. Calculate with other numbers.",
        ),
        (
            "1e-" + "0" * 20 + "99999999",
            "The number 1e-0000000000000000000099999999 is too large, or too close to zero. Calculate with other numbers.",
        ),
        ("200 * 5% + 3", "'%' is the remainder of a division. Write 5/100 for five per cent."),
        ("50%", "'%' is the remainder of a division. Write 5/100 for five per cent."),
        ("(1e-300*1e-300)**-0.5", "The result is too large: beyond about 1.8e308. Calculate with smaller numbers."),
        (
            "sqrt(2*1e-300*1e-300)",
            "The argument of sqrt is not zero, but too close to zero. Calculate with larger numbers.",
        ),
        (
            "sin(1e-300*1e-300)",
            "The argument of sin is not zero, but too close to zero. Calculate with larger numbers.",
        ),
        ("ln(10**400)", "The argument of ln is too large. Calculate with smaller numbers."),
        ("exp(-746)", "The result of exp is not zero, but too close to zero. Calculate with larger numbers."),
        (
            "lcm(" + ",".join(f"{n}!+1" for n in range(990, 900, -1)) + ")",
            "The result of lcm is too large. Calculate with smaller numbers.",
        ),
        ("1" * 301, "A number has more than 300 digits. Calculate with smaller numbers."),
        ("1/0", "Nothing can be divided by zero. Check the divisor, or say that there is no quotient."),
        ("5 % (1 - 1)", "Nothing can be divided by zero. Check the divisor, or say that there is no quotient."),
        ("0 ** -1", "Zero has no negative powers, since that would divide by zero. Use an exponent of 0 or more."),
        ("sqrt(-1)", "A negative number has no square root. Check the argument of sqrt."),
        ("asin(2)", "asin has no value for 2. Check the argument."),
        ("exp(1000)", "The result of exp is too large. Calculate with smaller numbers."),
        ("log(2)", "log does not take 1 arguments; write log(x, base), ln(x) or log10(x)."),
        ("log(2, 1)", "There is no logarithm to the base 1. Check the base."),
        ("min()", "min does not take 0 arguments."),
        ("round(1, 0.5)", "The number of decimals is a whole number from -300 to 300."),
        ("gcd(1.5, 2)", "gcd takes whole numbers."),
        (
            "1e-300 * 1e-300",
            "The result is not zero, but too close to zero to be written. Calculate with larger numbers.",
        ),
    ],
)
def test_what_has_no_value_is_refused_with_the_reason(expression: str, message: str) -> None:
    """A model corrects its call by it."""
    with pytest.raises(ToolError) as refused:
        calculate(expression)
    assert str(refused.value) == message


@pytest.mark.parametrize("name", ["pi", "x", "_", "__import__", "open", "calculate", "self", "π", "True"])
def test_no_name_means_anything(name: str) -> None:
    """Nothing is looked up: neither a value nor a function of Python."""
    with pytest.raises(ToolError, match=r"There is nothing with the name .*: write the number itself"):
        calculate(f"{name} + 1")
    with pytest.raises(ToolError, match=r"There is no function .* The functions are abs, acos"):
        calculate(f"{name}(1)")


def test_random_expressions_agree_with_python_on_fractions() -> None:
    """The operators have Python's precedence."""
    draw = random.Random(7)
    for _ in range(2_000):
        words = [str(draw.randint(1, 9))]
        for _ in range(draw.randint(1, 7)):
            sign = draw.choice(["+", "-", "*", "/", "//", "%"])
            before = "" if sign == "%" else draw.choice(["", "", "-"])  # a sign after % is refused
            words += [sign, before + str(draw.randint(1, 9))]
        written = "".join(words)
        exact = eval("".join(f"Fraction({each})" if each[-1].isdecimal() else each for each in words))  # noqa: S307  # the words of this test
        assert calculate(written) == (exact if Fraction(exact).denominator == 1 else float(exact)), written


def test_random_texts_have_a_value_or_a_reason() -> None:
    """No text raises anything else."""
    draw = random.Random(11)
    pieces = [*"0123456789+-*/%^!(),. e", "sqrt(", "min(", "**", "1000!", "2**9999", "1/3", "÷", "log("]
    for _ in range(3_000):
        text = "".join(draw.choices(pieces, k=draw.randint(1, 40)))
        assert value_or_reason(text), text


def value_or_reason(text: str) -> bool:
    """Return whether a text has a value, or is refused with a sentence."""
    try:
        return type(calculate(text)) in (int, float)
    except ToolError as refused:
        return str(refused)[-1] in ".)"
