"""The types that a user of the public names sees. Read by the type checker, never run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import aclosing, closing
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, assert_type

from hypothesis.strategies import SearchStrategy

from fcregistry import (
    Executor,
    FunctionCall,
    Problem,
    ReactAgent,
    Registry,
    Tool,
    ToolCall,
    ToolResult,
    __version__,
    fc_register,
    hookimpl,
    load_plugins,
    registry,
)
from fcregistry.agents import Conversation, Event
from fcregistry.discovery import TypeFamilies
from fcregistry.execution import Partial, Progress, Toolset
from fcregistry.formats import read_call
from fcregistry.models import Completion, Delta, Model
from fcregistry.prompts import OutputFormat, calls_of
from fcregistry.testing import Report, Verdict, arguments_of, check_tool
from fcregistry.types import Codec, TypeReader

assert_type(__version__, str)


# --- declaring: whatever the form, the function keeps its type ----------------------------------------------


@fc_register
def bare(x: int) -> str:
    return str(x)


@fc_register("search.web", name="lookup", tags=("web",), timeout=5.0, read_only=True)
async def with_options(query: str, *, limit: int = 10) -> list[str]:
    return [query] * limit


@fc_register("tool")
def with_group(location: str, unit: Literal["fahrenheit", "celsius"] = "fahrenheit") -> dict[str, Any]:
    return {location: unit}


assert_type(bare(1), str)
assert_type(asyncio.run(with_options("x", limit=2)), list[str])
assert_type(with_group("Tokyo", unit="celsius"), dict[str, Any])
bare("1")  # type: ignore[arg-type] # the parameters are still checked
with_group("Tokyo", unit="kelvin")  # type: ignore[arg-type] # literals too

second = fc_register("tool")(bare, "second_name")
assert_type(second(1), str)
assert_type(fc_register("tool")(partial(bare, 1), "one"), partial[str])


class Account:
    @fc_register("accounts", requires_approval=True)
    def close(self, reason: str) -> bool:
        return bool(reason)


assert_type(Account().close("moved"), bool)

fc_register("tool", nmae="x")  # type: ignore[call-overload] # an unknown option is seen before it runs
fc_register("tool", timeout="5")  # type: ignore[call-overload] # and so is a wrong value


# --- extending: what is added is checked, and the hook stays a function --------------------------------------


def read_nothing(annotation: Any, reader: TypeReader) -> Codec | None:
    return None


@hookimpl
def fc_register_types(types: TypeFamilies) -> None:
    types.add(read_nothing)
    types.add(str)  # type: ignore[arg-type] # no family


assert_type(fc_register_types(TypeFamilies()), None)


# --- looking up ---------------------------------------------------------------------------------------------


def look_up(name: str) -> None:
    assert_type(registry, Registry)
    tool = registry.get(name)
    assert_type(tool, Tool)
    assert_type(registry["tool"][name], Tool)
    assert_type(list(registry), list[Tool])
    assert_type(name in registry, bool)
    assert_type(len(registry), int)
    assert_type(tool.name, str)
    assert_type(tool.description, str)
    assert_type(tool.parameters, dict[str, Any])
    assert_type(tool.make_call("Tokyo"), ToolCall)
    assert_type(Tool.from_function(bare, name="other"), Tool)
    for wire_name, one in registry.select("weather_*", "!acme:*").items():
        assert_type(wire_name, str)
        assert_type(one, Tool)
    load_plugins()


# --- calling ------------------------------------------------------------------------------------------------


def call(executor: Executor) -> None:
    result = executor.run(ToolCall("bare", {"x": 1}))
    assert_type(result, ToolResult)
    assert_type(result.ok, bool)
    assert_type(result.content, str)
    assert_type(result.call, ToolCall | None)
    assert_type(result.arguments, Mapping[str, Any] | None)
    assert_type(result.repairs, tuple[str, ...])
    assert_type(executor.run_all([{"name": "bare", "arguments": '{"x": 1}'}]), list[ToolResult])
    assert_type(executor.call("bare", x=1), ToolResult)
    if result.error is not None:
        assert_type(result.error.code, str)
        assert_type(result.error.message, str)
        assert_type(result.error.retryable, bool)
        assert_type(result.error.problems, tuple[Problem, ...])


async def acall(executor: Executor) -> None:
    assert_type(await executor.arun({"name": "bare"}), ToolResult)
    assert_type(await executor.arun_all([{"name": "bare"}]), list[ToolResult])


def ask(llm: Callable[..., Any]) -> None:
    fc = FunctionCall(llm, tools=["bare", with_group])
    assert_type(fc("What is the weather in Tokyo?"), str | dict[str, Any])
    assert_type(FunctionCall(tools=[bare]).execute({"tool_calls": []}), list[dict[str, Any]])


def follow(agent: ReactAgent, model: Model) -> None:
    with (
        closing(agent.stream("?")) as events,
        closing(model.stream("?")) as pieces,
    ):  # both can be left before their end
        assert_type(next(events), Event)
        assert_type(next(pieces), Delta | Completion)


async def afollow(agent: ReactAgent, model: Model) -> None:
    async with aclosing(agent.astream("?")) as events:
        assert_type(await anext(events), Event)
    assert_type(await model.acomplete("?"), Completion)
    assert_type(await anext(model.astream({"role": "user", "content": "?"})), Delta | Completion)


def follow_here(executor: Executor, conversation: Conversation) -> None:
    with closing(executor.stream(ToolCall("bare"))) as reported, closing(conversation.stream("?")) as events:
        assert_type(next(reported), Progress | Partial | ToolResult)
        assert_type(next(events), Event)


def take_up(text: str) -> None:
    options_of_a_model = Conversation.from_json(text, "openai:gpt-5", max_messages=20, instructions="Be brief.")
    assert_type(options_of_a_model, Conversation[str])
    assert_type(Conversation.from_json(text, "openai:gpt-5", answer_type=int), Conversation[int])
    assert_type(
        Conversation.from_json(text, ReactAgent("openai:gpt-5", answer_type=int), max_tokens=9), Conversation[int]
    )
    Conversation.from_json(text, "openai:gpt-5", max_mesages=20)  # type: ignore[call-overload] # a misspelt option is seen


async def afollow_here(executor: Executor, conversation: Conversation) -> None:
    async with aclosing(executor.astream(ToolCall("bare"))) as reported, aclosing(conversation.astream("?")) as events:
        assert_type(await anext(reported), Progress | Partial | ToolResult)
        assert_type(await anext(events), Event)


def views(tool: Tool, tools: Toolset) -> None:
    assert_type(tool.described("Says it."), Tool)
    assert_type(tools.described({"say": "Says it."}), Toolset)
    tool.described(None)  # type: ignore[arg-type] # an empty text is no description
    tools.described(say="Says it.")  # type: ignore[call-arg] # a mapping, since names of tools may have hyphens


@dataclass
class Action:
    name: str
    kwargs: dict[str, Any]


def calls_by_prompt(value: object) -> None:
    output = OutputFormat(Action, arguments_field="kwargs")
    assert_type(output.arguments_field, str | tuple[str, str] | None)
    assert_type(output.parse("{}"), Action)
    assert_type(calls_of(value, arguments_field="kwargs"), tuple[ToolCall, ...])
    assert_type(calls_of(value, arguments_field=("args", "kwargs"), tools=["f"]), tuple[ToolCall, ...])
    assert_type(read_call(value, arguments_field="kwargs"), ToolCall)
    OutputFormat(Action, arguments_field=5)  # type: ignore[call-overload] # the name of a field


def conform(tool: Tool) -> None:
    assert_type(check_tool(tool, examples=10, invoke=True, without=["documents-its-parameters"]), Report)
    assert_type(check_tool("bare").remarks, tuple[str, ...])
    assert_type(check_tool(bare).verdicts, dict[str, Verdict])
    assert_type(arguments_of(tool), SearchStrategy[dict[str, Any]])


Executor(["bare", bare, with_options], max_concurrency=4)
Executor([1])  # type: ignore[list-item] # neither a name, a function nor a tool
