"""Errors for expressions that are not a call: what is wrong, where, and what to write."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

import pytest

from fcregistry import Tool
from fcregistry.errors import FcregistryError
from fcregistry.execution import Toolset
from fcregistry.expressions import ExpressionError, parse_call, parse_calls


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int
    y: int


@dataclass(kw_only=True)
class Box:
    width: int


class Secret:
    """An object of the application's, whose attributes no expression may read."""

    key = "s3cret"


def echo(v: Any) -> Any:
    """Return it."""
    return v


def take(data: bytes) -> None:
    """Take bytes."""


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def paint(point: Point, color: Color, box: Box | None = None) -> None:
    """Paint."""


def fails(*values: Any) -> None:
    raise OSError("no such file")


TOOLS = Toolset([Tool.from_function(each) for each in (add, echo, paint)])
CONTEXT = {"x": 10, "obj": Secret(), "Point": Point, "big": "a" * 60_000}


def problems(text: str) -> list[str]:
    """Return the problems of a text."""
    with pytest.raises(ExpressionError) as caught:
        parse_call(text, tools=TOOLS, context=CONTEXT, allow={"fails": fails})
    return [f"{each.code} {each}" for each in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("echo(lambda: 1)", 6, "a function (`lambda`) is not allowed"),
        ("echo([c for c in x])", 9, "a loop or comprehension (`for`) is not allowed"),
        ("echo(1 if x else 2)", 8, "a condition (`if`) is not allowed"),
        ("echo(not x)", 6, "a boolean operator (`not`) is not allowed"),
        ("await echo(1)", 1, "`await` is not allowed"),
        ("import os", 1, "an import is not allowed"),
        ("echo(class=1)", 6, '`class` is not allowed; for an argument of that name, write **{"class": …}'),
        ("echo(f'{x}')", 6, "an f-string is not allowed; write the text, or join texts with +"),
        ("echo((a := 1))", 7, "an assignment is not allowed"),
        ("a = echo(1)", 1, "an assignment is not allowed; write a call, f(a=1)"),
        ("match x: pass", 8, "a statement is not allowed; write a call, f(a=1)"),
        ("echo(x[0])", 6, "a subscript is not allowed"),
        ("echo(1 < 2)", 6, "a comparison is not allowed"),
        ("echo(obj.key)", 6, "an attribute is not allowed: 'obj.key'"),
        ("echo(obj.__class__.__mro__)", 6, "an attribute is not allowed: 'obj.__class__.__mro__'"),
        ("echo(().__class__)", 6, "an attribute is not allowed, except for the member of an Enum: Color.RED"),
        ("echo(obj.key())", 6, "an attribute is not allowed: 'obj.key'"),
        ("echo('{0.key}'.format(obj))", 6, "an attribute cannot be called; call a tool or a type by its name"),
        ("obj.key()", 1, "an attribute is not allowed: 'obj.key'; call a tool by its name"),
        ("[echo][0]()", 1, "a subscript cannot be called; call a tool by its name"),
        ("echo(x)()", 1, "a call cannot be called; call a tool by its name"),
        ("3 + 4", 1, "arithmetic is not a call of a tool; write a call, f(a=1)"),
        ("echo", 1, "a name is not a call of a tool; write echo(…)"),
        ("echo(Point)", 6, "Point is a type; write Point(…)"),
        ("echo(x())", 6, "x cannot be called: it is a value"),
        ("echo(...)", 6, "`...` is not a value; write the whole"),
        ("echo([*[1]])", 7, "unpacking here is not allowed"),
        ("echo({**{'a': 1}})", 9, "unpacking is not allowed in a dict; write its items out"),
        ("echo(*x)", 6, "only a list that is written out can be unpacked, as in f(*[1, 2]), not a name"),
        ("echo(**x)", 8, "only a dict that is written out can be unpacked, as in f(**{'a': 1}), not a name"),
        ("echo(**{x: 1})", 9, "the names of arguments are texts, as in f(**{'a': 1})"),
        ("echo({'a': 1, 'a': 2})", 15, "the key occurs twice in one dict"),
        ("echo({1: 'a', '1': 'b'})", 15, "the key occurs twice in one dict"),
        ("echo([{None: 1, 'null': 2}])", 17, "the key occurs twice in one dict"),
        ("echo({[1]: 2})", 7, "a list cannot be the key of a dict; write a text or a number"),
        ("echo(~1)", 6, "only + and - are allowed before a value, and only before a number"),
        ("echo(-'a')", 6, "only + and - are allowed before a value, and only before a number"),
        ("echo('a' * 9)", 6, "* is allowed between two numbers, not between a text and a number"),
        (
            "echo('a' + 1)",
            6,
            "+ is allowed between two numbers, and + between two texts, not between a text and a number",
        ),
        ("echo([1] * 9)", 6, "* is allowed between two numbers, not between a list and a number"),
        ("echo('%d' % x)", 6, "% is allowed between two numbers, not between a text and a number"),
        ("echo(1 @ 2)", 6, "@ is allowed between two numbers, not between a number and a number"),
        ("echo(9 ** 9 ** 9)", 11, None),
        ("echo(2 ** 5000)", 6, "the result of ** is too large: at most 4096 bits"),
        ("echo(1 << 5000)", 6, "the result of << is too large: at most 4096 bits"),
        ("echo(2.0 ** 5000)", 6, "the result of ** is too large"),
        ("echo(1 / 0)", 6, "this divides by zero"),
        ("echo(1 << -1)", 6, "<< cannot be computed here: negative shift count"),
        ("echo(big + big)", 6, "the joined text is too long: at most 100000 characters"),
        (
            "echo(add(1, 2) + 1)",
            6,
            "the result of add is not known yet, so nothing can be computed with it; pass it to a tool",
        ),
        ("add(1", 4, "'(' is never closed: the expression is cut off, or a bracket is missing"),
        ("add(1]", 6, "']' closes nothing, and '(' is open"),
        ("echo('a)", 6, "the text that ' opens is never closed: the expression is cut off, or a quote is missing"),
        (
            "echo('''a'')",
            6,
            "the text that ''' opens is never closed: the expression is cut off, or a quote is missing",
        ),
        ("echo(1abc)", 6, "'1a' is not a number"),
        (f"echo({'9' * 2000})", 6, "a number of 2000 characters is too long; 1300 are allowed"),
        ("echo(\0)", 6, "the character U+0000 is not allowed"),
        ("echo('\ud800')", 6, "the text holds half a character (a lone surrogate)"),
        ("", 1, "there is no call in it; write one, f(a=1)"),
        ("I will add them.", 3, None),
        ("echo(1), echo(2)", 1, "there are 2 calls; write one"),
    ],
)
def test_the_error_for_an_expression_that_is_not_a_call_names_the_place(
    text: str, column: int, message: str | None
) -> None:
    (first, *_) = problems(text)
    start = "malformed_call line 1, column "
    assert first.startswith(start)
    if message is not None:
        assert first == f"{start}{column}: {message}"


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("mystery(1)", 1, "there is no tool 'mystery'; the tools are add, echo, paint"),
        ("ecko(1)", 1, "there is no tool 'ecko'; did you mean 'echo'?"),
        ("__import__('os')", 1, "there is no tool '__import__'; the tools are add, echo, paint"),
        ("os.system('id')", 1, "there is no tool 'os.system'; the tools are add, echo, paint"),
        ("echo(mystery(1))", 6, "there is no tool or type 'mystery'; the tools are add, echo, paint"),
        (
            "paint(Pixel(1))",
            7,
            "there is no tool or type 'Pixel'; the tools are add, echo, paint; the types are Box, Point",
        ),
    ],
)
def test_an_unknown_tool_is_reported_with_the_known_ones(text: str, column: int, message: str) -> None:
    assert problems(text) == [f"unknown_tool line 1, column {column}: {message}"]


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("echo(y)", 6, "there is no name 'y'; the names are Point, big, obj, x. Write a text in quotes"),
        ("echo(echo)", 6, "echo is a tool; call it, echo(…)"),
        ("echo(true)", 6, "'true' is not a value in Python; write True"),
        ("add(1, 2, 3)", 1, "add takes 2 arguments by position, not 3; they are a, b"),
        ("add(1, a=2)", 1, "add is given 'a' twice"),
        ("paint(Point(1, 2), Color.GREEN)", 20, "Color has no member 'GREEN'; it has RED, BLUE"),
        ("paint(Point(1, 2, 3), Color.RED)", 7, "Point takes 2 values by position, not 3; write Point(x=…, y=…)"),
        ("paint(Point(1, x=2), Color.RED)", 7, "Point is given 'x' twice"),
        ("paint(box=Box(3))", 11, "Box takes its fields by name, not 1; write Box(width=…)"),
        ("echo(datetime(2024, 2, 30))", 6, None),
        ("echo(fails(1))", 6, "fails cannot make a value of this: OSError: no such file"),
        ("echo(fails(add(1, 2)))", 6, "the result of add is not known yet; pass it to a tool"),
        ("echo(1e999)", 6, "the value holds a number that is not finite (NaN or infinity), which JSON does not allow"),
        ("echo(1j)", 6, "a value of type builtins.complex has no JSON form"),
        ("echo(obj)", 6, "a value of type tests.Secret has no JSON form"),
    ],
)
def test_a_wrong_argument_is_reported(text: str, column: int, message: str | None) -> None:
    (first,) = problems(text)
    start = f"invalid_arguments line 1, column {column}: "
    assert first.startswith(start)
    if message is not None:
        assert first.removeprefix(start).replace(__name__, "tests") == message


def test_several_problems_are_reported_together_in_the_order_of_the_text() -> None:
    found = problems("add(a=y, b=[\n  x[0],\n  echo(1 / 0)])")
    assert [each.split(": ")[0] for each in found] == [
        "invalid_arguments line 1, column 7",
        "malformed_call line 2, column 3",
        "malformed_call line 3, column 8",
    ]


def test_the_places_are_those_of_the_text_as_it_was_written() -> None:
    """They count characters, not bytes, and an escape that Python does not know as two characters."""
    assert problems("echo('äöü€😀', y)")[-1].startswith("invalid_arguments line 1, column 15")
    assert problems(r"echo(['\d\w', y])")[-1].startswith("invalid_arguments line 1, column 15")
    assert problems("echo('''\nä''', y)")[-1].startswith("invalid_arguments line 2, column 7")


def test_a_problem_of_an_argument_has_its_path() -> None:
    with pytest.raises(ExpressionError) as caught:
        parse_call("paint(Point(x=1j, y=2), Color.RED)", tools=TOOLS)
    assert [each.path for each in caught.value.problems] == ["$.point.x"]


def test_an_error_is_a_value_error_with_the_worst_code() -> None:
    with pytest.raises(ExpressionError) as caught:
        parse_calls("[mystery(1), add(y, 2)]", tools=TOOLS)
    error = caught.value
    assert isinstance(error, ValueError)
    assert isinstance(error, FcregistryError)
    assert error.code == "unknown_tool"
    assert str(error) == (
        "the expression is not a valid call; nothing was run:\n"
        "- line 1, column 2: there is no tool 'mystery'; the tools are add, echo, paint\n"
        "- line 1, column 18: there is no name 'y'; there are none. Write a text in quotes"
    )


@pytest.mark.parametrize(
    "text",
    ["echo(" + "(" * 100 + "1" + ")" * 100 + ")", f"echo({'-' * 100}1)", f"echo(1{' + 1' * 100})", f"x{'.a' * 101}()"],
)
def test_an_expression_that_is_nested_too_deeply_is_refused(text: str) -> None:
    (found,) = problems(text)
    assert found.endswith("the expression is nested too deeply: at most 100 levels of brackets and signs")


@pytest.mark.parametrize(
    "text", ["echo(" + "[" * 98 + "]" * 98 + ")", f"echo({'-' * 98}1)", f"echo([{'1 + 1,' * 1000}])"]
)
def test_an_expression_of_allowed_depth_is_read(text: str) -> None:
    assert parse_call(text, tools=TOOLS).name == "echo"


def test_reported_problems_are_limited() -> None:
    with pytest.raises(ExpressionError) as caught:
        parse_call(f"echo([{'y,' * 500}])", tools=TOOLS)
    assert len(caught.value.problems) == 20


def test_similar_names_are_suggested_a_few_times_only() -> None:
    found = problems("echo([f(1), g(1), h(1), i(1)])")
    assert [each.endswith("the tools are add, echo, paint") for each in found] == [True, True, True, False]


def test_a_message_is_bounded_whatever_it_names() -> None:
    (found,) = problems(f"add(1, **{{'{'a' * 5000}': 1, 'b': 2}}, {'a' * 5000}=1)")
    assert len(found) < 1100


def test_calls_in_one_expression_and_beside_each_other_are_limited() -> None:
    for text, message in (
        (f"echo([{'add(1, 2),' * 101}])", "there are more than 100 calls in one expression"),
        ("add(1, 2)\n" * 101, "there are 101 calls; 100 are allowed"),
    ):
        with pytest.raises(ExpressionError, match=message):
            parse_calls(text, tools=TOOLS)


def test_a_context_value_that_contains_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    for text in ("echo(loop)", "echo({'k': [loop]})", "add(1, fails(loop))"):
        with pytest.raises(ExpressionError) as caught:
            parse_call(text, tools=TOOLS, context={"loop": endless}, allow={"fails": fails})
        (problem,) = caught.value.problems
        assert (problem.code, problem.message) == ("invalid_arguments", "a value that it names is nested too deeply")


def test_large_sets_and_dicts_may_contain_only_texts() -> None:
    texts = [f"'{number}'" for number in range(1_001)]
    numbers = ", ".join(map(str, range(1_001)))
    for text in (f"{{{', '.join(texts)}}}", f"{{{', '.join(f'{each}: 1' for each in texts)}}}"):
        assert parse_call(f"echo({text})", tools=TOOLS).name == "echo"
    (found,) = problems(f"echo({{{numbers}}})")
    assert found.endswith("a set of more than 1000 items is too large; write a list")
    (found,) = problems(f"echo({{{numbers.replace(',', ': 1,')}: 1}})")
    assert found.endswith("a dict of more than 1000 items is too large, unless its keys are texts")


def test_attributes_of_the_context_are_not_read() -> None:
    seen: list[str] = []

    class Watched:
        def __getattribute__(self, name: str) -> Any:
            seen.append(name)
            return object.__getattribute__(self, name)

    with pytest.raises(ExpressionError):
        parse_calls(
            "[echo(w.a), echo(w.a.b()), echo(w[0]), echo(w()), w.c(), echo(-w), echo(w + 1)]",
            tools=TOOLS,
            context={"w": Watched()},
        )
    assert [name for name in seen if name != "__class__"] == []


def test_parsing_raises_no_python_warnings() -> None:
    """Warnings are errors here. An escape that Python does not know means its own characters."""
    assert parse_call(r"echo(['\d', '\777'])", tools=TOOLS).name == "echo"
    assert parse_call(r"take(data=b'\d')", tools=[take]).name == "take"
