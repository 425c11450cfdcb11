"""What is repaired in a model's arguments, because the schema leaves no doubt, and what is not?"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import pytest

from fcregistry import Executor, Tool, ToolCall, ToolResult


@dataclass
class Point:
    x: int
    tags: list[str] | None = None


def take(
    items: list[int] | None = None,
    point: Point | None = None,
    text: str = "default",
    either: str | list[int] = "default",
    count: int = 7,
) -> list[Any]:
    """Return what arrives."""
    return [items, point, text, either, count]


EXECUTOR = Executor([take])
NOTHING = [None, None, "default", "default", 7]


def run(arguments: object) -> ToolResult:
    return EXECUTOR.run({"name": "take", "arguments": arguments})


@pytest.mark.parametrize(
    ("arguments", "place", "value", "repair"),
    [
        ({"items": "[1, 2]"}, 0, [1, 2], "$.items was JSON text: taken as the array that it holds"),
        ({"point": '{"x": 1}'}, 1, Point(1), "$.point was JSON text: taken as the object that it holds"),
        (
            {"point": {"x": 1, "tags": '["a"]'}},
            1,
            Point(1, ["a"]),
            "$.point.tags was JSON text: taken as the array that it holds",
        ),
        ({"count": None}, 4, 7, "$.count was null: taken as left out"),
        ({"text": None}, 2, "default", "$.text was null: taken as left out"),
    ],
)
def test_what_is_meant_without_doubt_is_repaired_and_recorded(
    arguments: dict[str, Any], place: int, value: object, repair: str
) -> None:
    before = copy.deepcopy(arguments)
    result = run(arguments)

    assert result.ok, result.content
    assert result.value == [*NOTHING[:place], value, *NOTHING[place + 1 :]]
    assert result.repairs == (repair,)
    assert arguments == before
    assert result.to_json()["repairs"] == [repair]


@pytest.mark.parametrize("arguments", [{"text": "[1, 2]"}, {"either": "[1, 2]"}, {"items": None}, {"text": "null"}])
def test_what_is_valid_stays_as_it_is(arguments: dict[str, Any]) -> None:
    result = run(arguments)

    assert result.ok
    assert result.repairs == ()
    assert result.arguments == arguments


@pytest.mark.parametrize(
    "arguments",
    [
        {"count": "5"},
        {"count": "true"},
        {"count": 5.5},
        {"count": True},
        {"items": "1, 2"},
        {"items": "[1, 2"},
        {"items": '[1, "2"]'},
        {"items": "[NaN]"},
        {"point": '{"x": 1, "x": 2}'},
        {"point": '{"x": 1'},
        {"point": {"x": None}},
        {"text": 5},
    ],
)
def test_what_would_have_to_be_guessed_is_refused(arguments: dict[str, Any]) -> None:
    result = run(arguments)

    assert result.error is not None
    assert result.error.code == "invalid_arguments"


def test_a_repair_is_shown_to_whoever_is_asked_for_approval() -> None:
    shown: list[ToolCall] = []

    def approve(tool: Tool, call: ToolCall) -> bool:
        shown.append(call)
        return True

    executor = Executor([Tool.from_function(take, requires_approval=True)], approve=approve)
    assert executor.run({"name": "take", "arguments": {"items": "[1]", "count": None}}).ok
    assert shown == [ToolCall("take", {"items": [1]})]
