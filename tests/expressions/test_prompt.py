"""The prompt for a model that calls tools by expressions."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from fcregistry import Tool
from fcregistry.expressions import ExpressionError, parse_call, parse_calls, prompt, render


@dataclass
class Point:
    x: int
    y: int


def add_points(p1: Point, p2: Point) -> Point:
    """Add two points."""
    return Point(p1.x + p2.x, p1.y + p2.y)


def multiply(a: int, b: int) -> int:
    """Multiply two numbers."""
    return a * b


def test_the_prompt_has_the_tools_an_example_and_the_names() -> None:
    example = f"[{render(add_points, Point(1, 2), Point(3, 4))}]"
    told = prompt(
        [add_points, multiply], examples=[example], context={"x": 2, "Point": Point}, allow={"np.array": list}
    )
    assert told == (
        "You can call these tools:\n\n"
        "class Point(TypedDict):\n    x: int\n    y: int\n\n\n"
        'def add_points(p1: Point, p2: Point) -> Point:\n    """Add two points."""\n\n\n'
        'def multiply(a: int, b: int) -> int:\n    """Multiply two numbers."""\n\n'
        "To call tools, answer with nothing but a list of Python calls, such as\n"
        "[add_points(p1=Point(x=1, y=2), p2=Point(x=3, y=4))]\n"
        "The arguments are literals, lists, dicts, and types with their fields; numbers may be computed, and texts joined with +.\n"
        "A call may be an argument of another. Nothing else of Python is allowed: no variables of your own, attributes,\n"
        "subscripts, comprehensions, conditions or f-strings.\n"
        "These names are known: Point (a type), x (int), np.array(…).\n"
        "To answer without a tool, write your answer as plain text."
    )
    assert len(parse_calls(example, tools=add_points)) == 1


def test_without_examples_one_is_made_from_the_tools_names() -> None:
    assert "[add_points(…), multiply(…)]" in prompt([add_points, multiply])


NAMES = ["search-web", "import", "2x", "9" * 64, "add-it-up", "add_it-up", "a-b", "a_b", "a_x2d_b"]


def test_each_tool_has_a_name_in_the_prompt_that_means_it() -> None:
    tools = [Tool.from_function(multiply, name=name) for name in NAMES]
    told = re.findall(r"^def (\w+)\(", prompt(tools), re.MULTILINE)
    assert {parse_call(f"{name}(1, 2)", tools=tools).name for name in told} == set(NAMES)
    assert {"search_web", "import_", "_2x", "a_b", "a_b_2"} < set(told)


def test_every_format_and_the_example_show_the_same_names() -> None:
    tool = Tool.from_function(multiply, name="search-web")
    for each in ("python", "typescript", "yaml", "text"):
        assert prompt(tool, format=each).count("search_web") == 2


def test_braces_in_a_tools_description_stay_as_they_are() -> None:
    def show(text: str) -> None:
        """Show {text}, or {0}."""

    assert "Show {text}, or {0}." in prompt(show)


def test_another_format_of_text_can_describe_the_tools() -> None:
    assert "multiply" in prompt(multiply, format="typescript")
    with pytest.raises(TypeError, match="the format 'openai' does not write text; use python"):
        prompt(multiply, format="openai")


def test_an_example_that_cannot_be_read_raises() -> None:
    with pytest.raises(ExpressionError) as caught:
        prompt(multiply, examples=["multiply(1"])
    assert caught.value.__notes__ == ["in the example 'multiply(1'"]
