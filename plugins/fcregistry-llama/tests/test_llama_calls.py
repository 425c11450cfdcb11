"""Every call that the model makes is valid against its tool's schema; one that is cut off is malformed, and is told so.

Nothing here says that a call is right: the model is small, and often wrong.
"""

from __future__ import annotations

import asyncio
import gc
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from annotated_types import Ge, Le, MinLen
from fcregistry import Executor, Tool, ToolCall
from fcregistry.errors import ModelError
from fcregistry.models import Completion, Delta, Message

from fcregistry_llama import LlamaModel, _answering  # calls of the model are counted
from fcregistry_llama._asking import Settings, ask
from fcregistry_llama._decoding import arguments_schema
from fcregistry_llama._servers import Loading, server


def get_weather(city: str, unit: Literal["celsius", "fahrenheit"] = "celsius") -> str:
    """Tell the weather of a city.

    Args:
        city: The city.
        unit: The unit of temperature.
    """
    return f"18 degrees in {city} ({unit})"


def add(a: float, b: float) -> float:
    """Add two numbers.

    Args:
        a: The first.
        b: The second.
    """
    return a + b


def book_table(people: Annotated[int, Ge(1), Le(20)], day: date, outside: bool) -> str:
    """Book a table.

    Args:
        people: How many come.
        day: On which day.
        outside: Whether to sit outside.
    """
    return f"{people} on {day}, {outside}"


class Drink(Enum):
    COFFEE = "coffee"
    TEA = "tea"


@dataclass
class Order:
    """Something to drink.

    Attributes:
        drink: Which drink.
        count: How many.
    """

    drink: Drink
    count: Annotated[int, Ge(1)]


def order_drinks(orders: Annotated[list[Order], MinLen(1)]) -> int:
    """Order drinks.

    Args:
        orders: What to drink.
    """
    return len(orders)


def now() -> str:
    """Tell the time."""
    return "12:00"


TOOLS = tuple(map(Tool.from_function, (get_weather, add, book_table, order_drinks, now)))
NAMED = {tool.name: tool for tool in TOOLS}
TABLE = [
    ("What is the weather in Oslo?", "get_weather"),
    ("How much is 12.5 plus 30?", "add"),
    ("A table outside for four people on 3 May 2025, please.", "book_table"),
    ("Bring us three coffees and a tea.", "order_drinks"),
    ("What time is it?", "now"),
]


def schema_tool(properties: dict[str, Any], **root: Any) -> Tool:
    """A tool whose schema somebody else has written."""
    parameters = {"type": "object", "properties": properties, "required": list(properties), **root}
    return Tool.from_function(lambda **arguments: arguments, name="take", description="Take it.", parameters=parameters)


def only_call(completion: Completion) -> ToolCall:
    (call,) = completion.message.tool_calls
    return call


def is_valid(tool: Tool, call: ToolCall) -> bool:
    return isinstance(call.arguments, dict) and tool.validator().is_valid(call.arguments)


@pytest.mark.parametrize(("question", "name"), TABLE)
def test_a_call_of_a_tool_that_must_be_called_is_valid(model: LlamaModel, question: str, name: str) -> None:
    completion = model.complete(question, TOOLS, tool_choice=name)
    call = only_call(completion)
    assert (call.name, completion.finish_reason) == (name, "tool_calls")
    assert is_valid(NAMED[name], call)
    assert Executor(list(TOOLS)).run(call).ok


def test_where_it_must_call_it_calls_one_of_the_tools(model: LlamaModel) -> None:
    completion = model.complete("What is the weather in Oslo?", TOOLS, tool_choice="required")
    call = only_call(completion)
    assert is_valid(NAMED[call.name], call)
    assert completion.usage.output_tokens > 0


def test_where_it_may_call_it_calls_or_answers(model: LlamaModel) -> None:
    """Which of both is the model's choice; a tool may have the name that stands for an answer."""
    tool = Tool.from_function(now, name="answer")
    completion = model.complete("What time is it?", [tool])
    calls = completion.message.tool_calls
    assert [call.name for call in calls] in ([], ["answer"])
    assert calls or completion.message.text


def test_where_it_must_not_call_it_answers_in_words(model: LlamaModel) -> None:
    completion = model.complete("Say hello.", TOOLS, tool_choice="none")
    assert completion.message.tool_calls == ()
    assert completion.message.text
    assert completion.finish_reason == "stop"
    assert completion.model.startswith("SmolLM2")


def test_a_choice_that_is_not_a_tool_raises(model: LlamaModel) -> None:
    with pytest.raises(ValueError, match="the tools are now"):
        model.complete("Say hello.", [NAMED["now"]], tool_choice="later")


NODE = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}},
    "required": ["name", "next"],
    "additionalProperties": False,
}
HARD: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {
            "node": {"$ref": "#/$defs/node"},
            "others": {"type": "object", "additionalProperties": {"type": "integer"}},
            "either": {
                "oneOf": [{"type": "integer"}, {"type": "array", "prefixItems": [{"const": "a"}], "items": False}]
            },
        },
        {"$defs": {"node": NODE}},
    ),
    (
        {
            "code": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"},
            "when": {"type": "string", "format": "date-time"},
            "address": {"type": "string", "format": "email"},
        },
        {"additionalProperties": False},
    ),
    (
        {
            "seventh": {"type": "integer", "multipleOf": 7, "exclusiveMinimum": 100, "maximum": 1000},
            "between": {"type": "number", "exclusiveMinimum": 2.5, "maximum": 2.75},
            "pair": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 99}, "maxItems": 2},
        },
        {},
    ),
]


@pytest.mark.parametrize(("properties", "root"), HARD, ids=["nested", "texts", "numbers"])
def test_arguments_are_valid_for_schemas_that_are_hard_to_write(
    model: LlamaModel, properties: dict[str, Any], root: dict[str, Any]
) -> None:
    tool = schema_tool(properties, **root)
    assert is_valid(tool, only_call(model.complete("Take any values, such as 5.", [tool], tool_choice="take")))


def test_one_of_many_values_is_written_as_in_the_schema(model: LlamaModel, smollm2: Path) -> None:
    """Asked without the tool's description, which lists as many of them as there is room for."""
    values = [f"item {number}" for number in range(2000)]
    schema = arguments_schema({"type": "object", "properties": {"value": {"enum": values}}, "required": ["value"]})
    asked = server(Loading(path=smollm2, context=4096, threads=1))
    reply = ask(
        asked, [{"role": "user", "content": "Take one."}], Settings(temperature=0, seed=0, max_tokens=50), schema=schema
    )
    assert json.loads(reply.text)["value"] in values


def test_arguments_that_break_a_rule_no_decoder_knows_are_asked_for_again(
    model: LlamaModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No decoder knows `not`; what comes is validated all the same, and here nothing can be valid."""
    seeds: list[int] = []

    def counted(asked: Any, told: Any, settings: Any, **more: Any) -> Any:
        seeds.append(settings.seed)
        return ask(asked, told, settings, **more)

    monkeypatch.setattr(_answering, "ask", counted)
    tool = schema_tool({"value": {"type": "string", "maxLength": 4, "not": {"maxLength": 9}}})
    with pytest.raises(ModelError, match=r"no valid arguments for take in 3 attempts; in the last, \$\.value"):
        model.complete("Take any value.", [tool], tool_choice="take")
    assert seeds == [0, 0, 1, 2]  # the first copies from the question


def test_a_call_that_the_limit_cuts_off_is_malformed_and_the_model_reads_so(smollm2: Path) -> None:
    model = LlamaModel(smollm2, threads=1, context=4096, max_tokens=4)
    completion = model.complete("What is the weather in Oslo?", TOOLS, tool_choice="get_weather")
    assert completion.finish_reason == "length"
    call = only_call(completion)
    assert isinstance(call.arguments, str)
    result = Executor([get_weather]).run(call)
    assert result.error is not None
    assert result.error.code == "malformed_call"


def test_text_that_the_limit_cuts_off_says_so(smollm2: Path) -> None:
    completion = LlamaModel(smollm2, threads=1, context=4096, max_tokens=3).complete("Tell me a long story.")
    assert (completion.finish_reason, completion.usage.output_tokens) == ("length", 3)


def test_a_conversation_with_results_goes_on_with_calls_of_other_ids(model: LlamaModel) -> None:
    call = ToolCall("get_weather", {"city": "Oslo"}, "call_1")
    function = {"name": call.name, "arguments": "{}"}
    conversation = [
        {"role": "system", "content": "You are brief."},
        {"role": "user", "content": "What is the weather in Oslo?"},
        {"role": "assistant", "tool_calls": [{"id": call.id, "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": call.id, "content": "18 degrees"},
    ]
    again = only_call(model.complete(conversation, TOOLS, tool_choice="get_weather"))
    assert again.id == "call_2"


def test_text_comes_in_pieces_and_whole_at_the_end(model: LlamaModel) -> None:
    *deltas, last = model.stream("Say hello.")
    assert isinstance(last, Completion)
    pieces = [delta.content for delta in deltas if isinstance(delta, Delta)]
    assert len(pieces) > 1
    assert "".join(pieces) == last.message.text


def test_a_call_is_yielded_once_it_is_valid(model: LlamaModel) -> None:
    delta, last = model.stream("How much is 1 plus 2?", TOOLS, tool_choice="add")
    assert isinstance(delta, Delta)
    assert isinstance(last, Completion)
    assert [(piece.name, piece.id) for piece in delta.tool_calls] == [("add", only_call(last).id)]


def test_the_same_question_has_the_same_answer(model: LlamaModel) -> None:
    first, second = (model.complete("How much is 3 plus 4?", TOOLS, tool_choice="add") for _ in range(2))
    assert first.message == second.message


def test_threads_may_ask_at_once(model: LlamaModel) -> None:
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(model.complete, f"Add {n} and 1.", TOOLS, tool_choice="add") for n in range(3)]
    assert all(is_valid(NAMED["add"], only_call(each.result())) for each in asked)


def test_a_cancelled_answer_ends_and_the_next_one_is_not_kept_waiting(model: LlamaModel) -> None:
    async def asked() -> Completion:
        pieces = model.astream("Count from 1 to 1000.").__aiter__()
        waiting = asyncio.ensure_future(anext(pieces))
        while not (await asyncio.wait([waiting], timeout=0))[1]:  # the next piece may be there already
            waiting = asyncio.ensure_future(anext(pieces))
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return await model.acomplete({"role": "user", "content": "Add 1 and 2."}, TOOLS, tool_choice="add")

    assert is_valid(NAMED["add"], only_call(asyncio.run(asked())))


def test_a_closed_model_is_loaded_again_and_the_error_for_an_unreadable_conversation_says_what_to_do(
    smollm2: Path,
) -> None:
    model = LlamaModel(smollm2, threads=1, context=512, max_tokens=5)
    first = model.complete("Say hello.").message
    model.close()
    gc.collect()
    assert model.complete("Say hello.").message == first
    with pytest.raises(ModelError, match=r"the context has 512; make it shorter, or give LlamaModel a larger context"):
        model.complete("word " * 600)
    with pytest.raises(ModelError, match=r"a lone surrogate, which is not valid Unicode; replace it"):
        model.complete("a\udcff.txt")
    model.close()


# --- knowing when to stop -------------------------------------------------------------------------


def test_a_model_that_may_not_call_again_answers_once_it_has_called(smollm2: Path) -> None:
    """Very small models call for ever: SmolLM2, by its name, calls each tool once for each thing that the user says."""
    asked = Message(role="user", content="What is the weather in Oslo?")
    called = Message(role="assistant", tool_calls=(ToolCall("get_weather", {"city": "Oslo"}, "call_1"),))
    told = Message(role="tool", content="18 degrees in Oslo", tool_call_id="call_1", name="get_weather")
    model = LlamaModel(smollm2, threads=1, context=4096, max_tokens=40, calls_again=False)
    tools = [Tool.from_function(get_weather)]
    answered = model.complete([asked, called, told], tools)
    assert answered.message.tool_calls == ()
    assert answered.message.text
    assert model.complete([asked, called, told], tools, tool_choice="required").message.tool_calls
