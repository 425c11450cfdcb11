"""The values of very small models are copied from what the user says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fcregistry import Tool
from fcregistry.models import messages_of

from fcregistry_llama import LlamaModel, _answering  # the requests are recorded
from fcregistry_llama._asking import Reply, ask
from fcregistry_llama._narrowing import BETWEEN_VALUES, Narrowing, nearest


def tool(name: str, properties: dict[str, Any], required: list[str] | None = None, description: str = "") -> Tool:
    """A tool with this schema."""
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
    }
    return Tool.from_function(lambda **given: given, name=name, description=description or name, parameters=parameters)


def copied(model: LlamaModel, question: str, tool: Tool) -> Any:
    (call,) = model.complete(question, [tool], tool_choice="required").message.tool_calls
    assert tool.validator().is_valid(call.arguments)
    return call.arguments


TEXT, NUMBER = {"type": "string"}, {"type": "number"}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("3 apples at $2.50, minus -4", [3, 2.5, -4]),
        ("$10,000 at 5% for two years", [10_000, 5, 0.05, 2]),
        ("on 2022-04-27 at 8:30", None),
        ("x^2 from x=1 to x=3", [1, 3]),
    ],
)
def test_a_number_is_one_of_the_question(text: str, numbers: list[float] | None) -> None:
    narrow = Narrowing(text).narrow(NUMBER)
    assert narrow.get("enum") == numbers


def test_a_list_of_numbers_is_in_brackets_or_one_after_the_other() -> None:
    schema = {"type": "array", "items": {"type": "integer"}}
    assert Narrowing("points (3,4) and (1,2)").narrow(schema) == {"enum": [[3, 4], [1, 2]]}
    assert Narrowing("from 1 to 3").narrow(schema) == {"enum": [[1, 3]]}


@pytest.mark.parametrize(
    ("value", "matches"),
    [("Louvre Museum", True), ("Louvre Museum in Paris", False), ("Paris", True), ("in", False), ("London", False)],
)
def test_a_text_is_a_run_of_words_that_ends_at_links_where_another_value_follows(value: str, matches: bool) -> None:
    narrow = Narrowing("When is the Louvre Museum in Paris open?").narrow(TEXT, breaks=BETWEEN_VALUES)
    assert bool(re.search(narrow["pattern"], value)) == matches


def test_optional_parameters_are_asked_for_if_the_question_mentions_them() -> None:
    properties = {
        "city": TEXT,
        "unit": {"enum": ["celsius", "fahrenheit"]},
        "days": {"type": "integer"},
        "include_wind": {"type": "boolean"},
        "language": TEXT,
    }
    parameters = {"type": "object", "properties": properties, "required": ["city"]}
    assert Narrowing("The weather in Oslo?").names_to_ask(parameters) == ["city"]
    assert Narrowing("The weather in Oslo in Celsius for 3 days including wind?").names_to_ask(parameters) == [
        *("unit", "include_wind", "days"),
        "city",
    ]


def test_the_value_of_one_parameter_is_not_offered_to_the_next() -> None:
    narrowing = Narrowing("Add 3 and 4.")
    narrowing.take(3)
    assert narrowing.narrow(NUMBER) == {"enum": [4]}


def test_the_tools_that_share_the_most_words_are_nearest() -> None:
    weather, stock = tool("get_weather", {"city": TEXT}), tool("stock_price", {"company": TEXT})
    assert nearest([weather, stock], "What is the price of the stock of Siemens?") == [stock]
    assert nearest([weather, stock], "Hello!") == [weather, stock]


CALCULATOR = {
    "add_up": "Add up numbers, such as 12 and 13.",
    "calculate": "Calculate the value of an arithmetic expression.",
    "divide": "Divide a by b.",
    "get_weather": "Get the weather of a city.",
    "multiply": "Multiply a and b.",
    "power": "Raise base to the power of exponent.",
    "subtract": "Subtract b from a.",
    "time_difference": "Tell how much time passes between two instants.",
}


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is 12 × 13?", "multiply"),  # noqa: RUF001  # as people write it
        ("What is 12 times 13?", "multiply"),
        ("How much is 100 divided by 4?", "divide"),
        ("What is 50 - 8?", "subtract"),
        ("How much is 1.5 plus 2?", "add_up"),
        ("What is 2 to the power of 10?", "power"),
        ("What is the weather in Oslo?", "get_weather"),
    ],
)
def test_of_many_tools_the_best_few_of_a_search_are_compared(question: str, name: str) -> None:
    tools = [tool(each, {"a": NUMBER, "b": NUMBER}, description=text) for each, text in CALCULATOR.items()]
    found = [each.name for each in nearest(tools, question)]
    assert found[0] == name
    assert len(found) <= 3
    assert nearest(tools, "Hello!") == tools


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What is the weather in Oslo on May 10 - 12?", "get_weather"),
        ("Resize the photo to 800x600", "resize_photo"),
        ("Show the prices of rooms 3 + 4", "list_prices"),
    ],
)
def test_numbers_that_look_like_an_operation_do_not_hide_the_tool_of_the_other_words(question: str, name: str) -> None:
    described = {**CALCULATOR, "resize_photo": "Change the size of a photo.", "list_prices": "List prices of rooms."}
    tools = [tool(each, {"a": NUMBER, "b": NUMBER}, description=text) for each, text in described.items()]
    found = [each.name for each in nearest(tools, question)]
    assert name in found
    assert len(found) <= 3


def test_a_model_that_is_not_very_small_sees_every_tool(
    write_model: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[set[str]] = []

    def record(asked: Any, prompt: Any, settings: Any, **more: Any) -> Any:
        if names := {name for name in CALCULATOR if f"- {name}: " in prompt[0]["content"]}:
            shown.append(names)
        return ask(asked, prompt, settings, **more)

    monkeypatch.setattr(_answering, "ask", record)
    tools = [tool(each, {}, description=text) for each, text in CALCULATOR.items()]
    path = write_model({"llama.context_length": 4096})
    for copies in (False, True):
        with LlamaModel(path, threads=1, context=4096, copies=copies, max_tokens=20) as model:
            model.complete("Raise the base to the power of the exponent.", tools)
    assert shown == [set(CALCULATOR), {"power"}]


def test_a_very_small_model_copies_from_the_question(model: LlamaModel) -> None:
    route = tool(
        "find_route",
        {"origin": TEXT, "destination": TEXT, "avoid_tolls": {"type": "boolean"}},
        ["origin", "destination"],
    )
    found = copied(model, "How do I get from Hamburg to Munich and avoid tolls?", route)
    assert found == {"avoid_tolls": True, "origin": "Hamburg", "destination": "Munich"}
    area = tool(
        "triangle_area", {"base": {"type": "integer"}, "height": {"type": "integer"}, "unit": TEXT}, ["base", "height"]
    )
    assert copied(model, "The area of a triangle with a base of 10 and a height of 5?", area) == {
        "base": 10,
        "height": 5,
    }


def test_values_that_cannot_be_copied_are_written(model: LlamaModel) -> None:
    node = {"type": "object", "properties": {"next": {"type": "null"}}, "required": ["next"]}
    code = {"type": "string", "pattern": "^[A-Z]{3}$"}
    parameters = {
        "type": "object",
        "properties": {"code": code, "node": {"$ref": "#/$defs/n"}},
        "required": ["code", "node"],
    }
    take = Tool.from_function(
        lambda **given: given, name="take", description="Take.", parameters={**parameters, "$defs": {"n": node}}
    )
    assert copied(model, "Take any.", take)["node"] == {"next": None}


def test_after_a_result_a_very_small_model_answers(model: LlamaModel) -> None:
    weather, stock = tool("get_weather", {"city": TEXT}), tool("stock_price", {"company": TEXT})
    function = {"name": "get_weather", "arguments": '{"city": "Oslo"}'}
    conversation = [
        {"role": "user", "content": "What is the weather in Oslo?"},
        {"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "1", "name": "get_weather", "content": "18 degrees"},
    ]
    assert model.complete(messages_of(conversation), [weather, stock]).message.tool_calls == ()


@pytest.mark.parametrize(
    ("text", "repeats"),
    [
        ("The answer is 42. It is a number.", False),
        ("It is one. " + "It is a large number. " * 3, True),
        ("na " * 40, True),
        ("| --- | --- | --- | --- |", False),
    ],
)
def test_an_answer_ends_at_repetition(text: str, repeats: bool) -> None:
    assert Reply(text=text).repeats == repeats
