"""Tools for a model without an interface for them: prompt, answer, calls, results, and another try."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from fcregistry import Executor, Tool
from fcregistry.errors import ToolError
from fcregistry.prompts import OutputError, OutputFormat, ToolPrompt


@dataclass
class Point:
    x: int
    y: int


def add_points(p1: Point, p2: Point) -> Point:
    """Add two points."""
    return Point(p1.x + p2.x, p1.y + p2.y)


def divide(a: float, b: float) -> float:
    """Divide two numbers."""
    if b == 0:
        raise ToolError("b must not be 0")
    return a / b


@dataclass
class Step:
    thought: str
    name: Literal["add_points", "divide"]
    arguments: dict[str, Any]


Model = Callable[[list[dict[str, str]]], str]


def scripted(*answers: str) -> tuple[Model, list[list[dict[str, str]]]]:
    """Return a model that gives these answers one after the other, and the conversations that it is shown."""
    left: Iterator[str] = iter(answers)
    shown: list[list[dict[str, str]]] = []

    def model(messages: list[dict[str, str]]) -> str:
        shown.append([dict(each) for each in messages])
        return next(left)

    return model, shown


@pytest.mark.parametrize("format_name", ["json", "yaml", "text"])
def test_a_model_is_shown_tools_and_its_calls_are_made(format_name: str) -> None:
    tool = Tool.from_function(add_points)
    prompt = ToolPrompt([tool, divide], format=format_name, examples=[tool.make_call(p1=Point(1, 2), p2=Point(3, 4))])
    model, shown = scripted(
        "I need two tools.\n```json\n"
        '[{"name": "add_points", "arguments": {"p1": {"x": 1, "y": 1}, "p2": {"x": 2, "y": 2}}},\n'
        ' {"name": "divide", "arguments": {"a": 1, "b": 0}}]\n```',
        "The sum is (3, 3); one cannot divide by zero.",
    )
    messages = [
        {"role": "system", "content": str(prompt)},
        {"role": "user", "content": "Add (1, 1) and (2, 2), divide 1 by 0."},
    ]
    parsed = prompt.parse(model(messages))
    with Executor(prompt.tools) as executor:
        results = executor.run_all(parsed.tool_calls)
    assert [result.value for result in results] == [Point(3, 3), None]
    assert [result.content for result in results] == ['{"x": 3, "y": 3}', "b must not be 0"]
    messages += [{"role": "user", "content": result.content} for result in results]
    last = prompt.parse(model(messages))
    assert (last.content, last.tool_calls) == ("The sum is (3, 3); one cannot divide by zero.", ())
    assert '"p1": {"x": 1, "y": 2}' in shown[0][0]["content"]


def test_a_typed_answer_is_asked_for_again_until_it_is_right_and_run_as_it_is() -> None:
    steps = OutputFormat(list[Step], examples=[[Step("They want a quotient.", "divide", {"a": 1, "b": 2})]])
    prompt = ToolPrompt([add_points, divide], output=steps)
    model, shown = scripted(
        '[{"name": "divide", "arguments": {"a": 6, "b": 3}}]',
        '[{"thought": "Six by three.", "name": "devide", "arguments": {"a": 6, "b": 3}}]',
        '```json\n[{"thought": "Six by three.", "name": "divide", "arguments": {"a": 6, "b": 3}}]\n```',
    )
    messages = [{"role": "system", "content": str(prompt)}, {"role": "user", "content": "What is 6 / 3?"}]
    for _ in range(3):
        answer = model(messages)
        try:
            value = steps.parse(answer)
            break
        except OutputError as error:
            messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": str(error)}]
    sent_back = [messages[-1]["content"].splitlines() for messages in shown[1:]]
    assert [lines[1:-1] for lines in sent_back] == [
        ["- $[0].thought: is required"],
        ['- $[0].name: must be one of "add_points", "divide", not "devide"'],
    ]
    assert value[0].thought == "Six by three."
    assert [result.value for result in Executor(prompt.tools).run_all(value)] == [2.0]
