"""Annotations of a function that was defined inside another one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from fcregistry import Executor, FunctionCall, Tool
from fcregistry.errors import DefinitionError

GIVEN = {"p": {"x": 1}}


def tool_of(function: Callable[..., Any]) -> Tool:
    """Make a tool where the function was not written."""
    return Tool.from_function(function)


def test_a_function_may_take_a_class_that_was_written_beside_it() -> None:
    @dataclass
    class Point:
        x: int

    class Plane:
        def shift(self, p: Point) -> Point:
            return p

    def double(p: Point) -> Point:
        return Point(p.x * 2)

    async def count(points: list[Point]) -> int:
        return len(points)

    executor = Executor([double, count, Plane().shift, Tool.from_function(functools.partial(double), name="doubled")])
    assert executor.call("double", p=Point(1)).value == Point(2)
    assert executor.run({"name": "doubled", "arguments": GIVEN}).value == Point(2)
    assert executor.run({"name": "shift", "arguments": GIVEN}).value == Point(1)
    assert executor.run({"name": "count", "arguments": {"points": [{"x": 1}]}}).value == 1
    assert executor.tools["double"].returns == {
        "type": "object",
        "properties": {"x": {"type": "integer"}},
        "required": ["x"],
        "additionalProperties": False,
    }
    assert "double" in FunctionCall(tools=[double]).visible([]).tools


def test_a_tool_that_is_made_in_another_function_meanwhile_uses_these_classes_too() -> None:
    @dataclass
    class Outer:
        y: int

    def inner() -> Tool:
        @dataclass
        class Point:
            x: int

        def name(p: Point, o: Outer) -> str:
            return f"{p}{o}"

        return tool_of(name)

    tool = inner()
    assert list(tool.parameters["properties"]) == ["p", "o"]


def test_names_are_searched_only_in_the_functions_around_the_function() -> None:
    def made() -> Callable[..., Any]:
        class Point:
            pass

        def name(p: Point) -> str:
            return ""

        return name

    @dataclass
    class Point:
        """Another one, which the function does not mean."""

        x: int

    with pytest.raises(DefinitionError, match="the annotation 'Point' cannot be resolved"):
        _ = Tool.from_function(made()).parameters


def test_the_locals_of_a_function_of_the_same_name_in_another_module_are_not_used() -> None:
    @dataclass
    class Point:
        x: int

    here = "test_the_locals_of_a_function_of_the_same_name_in_another_module_are_not_used"
    elsewhere: dict[str, Any] = {"__name__": "elsewhere"}
    source = f"def {here}():\n    def name(p: 'Point') -> str: ...\n    return name"
    exec(compile(source, "elsewhere", "exec", dont_inherit=True), elsewhere)

    with pytest.raises(DefinitionError, match="the annotation 'Point' cannot be resolved"):
        _ = Tool.from_function(elsewhere[here]()).parameters
