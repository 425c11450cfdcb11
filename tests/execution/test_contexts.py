"""What a tool's context has, and which of the given objects are its `deps`."""

from __future__ import annotations

import asyncio
from typing import Any, Protocol, runtime_checkable

import pytest

from fcregistry import Context, Executor, Tool, ToolCall
from fcregistry.errors import DefinitionError


class Shop:
    def __init__(self, name: str = "shop") -> None:
        self.name = name


class BookShop(Shop):
    pass


class Clock:
    name = "clock"


@runtime_checkable
class Named(Protocol):
    name: str


def in_shop(context: Context[Shop]) -> str:
    return context.deps.name


async def in_shop_async(context: Context[Shop]) -> str:
    return context.deps.name


def at_the_clock(context: Context[Clock]) -> str:
    return context.deps.name


def of_anything(context: Context) -> Any:
    return repr(context.deps)


def of_a_protocol(context: Context[Named]) -> str:
    return context.deps.name


def test_each_tool_gets_the_deps_of_the_type_that_it_asks_for() -> None:
    executor = Executor([in_shop, at_the_clock, of_anything], deps=[Clock(), Shop()])
    assert executor.call("in_shop").value == "shop"
    assert executor.call("at_the_clock").value == "clock"
    assert executor.call("of_anything").value == "None"
    assert asyncio.run(Executor(in_shop_async, deps=[Shop()]).arun(ToolCall("in_shop_async"))).value == "shop"


@pytest.mark.parametrize("way", ["run", "arun", "run_all", "arun_all", "stream", "astream"])
def test_the_deps_of_a_call_are_preferred_to_those_of_the_executor(way: str) -> None:
    executor = Executor(in_shop, deps=[Shop("of the executor")])
    call, deps = ToolCall("in_shop"), [Shop("of the call")]

    async def follow() -> Any:
        return [event async for event in executor.astream(call, deps=deps)][-1]

    given: Any = {
        "run": lambda: executor.run(call, deps=deps),
        "arun": lambda: asyncio.run(executor.arun(call, deps=deps)),
        "run_all": lambda: executor.run_all([call, call], deps=deps)[1],
        "arun_all": lambda: asyncio.run(executor.arun_all([call, call], deps=deps))[1],
        "stream": lambda: list(executor.stream(call, deps=deps))[-1],
        "astream": lambda: asyncio.run(follow()),
    }[way]
    assert given().value == "of the call"
    assert executor.run(call).value == "of the executor"


def test_an_object_of_exactly_the_class_is_preferred_to_one_of_a_derived_class() -> None:
    assert Executor(in_shop, deps=[BookShop("books"), Shop("all")]).call("in_shop").value == "all"
    assert Executor(in_shop, deps=[BookShop("books")]).call("in_shop").value == "books"


def test_an_object_with_the_members_of_a_protocol_fits_it() -> None:
    assert Executor(of_a_protocol, deps=[object(), Clock()]).call("of_a_protocol").value == "clock"


def test_deps_that_are_missing_are_reported_when_the_executor_is_made_all_together() -> None:
    with pytest.raises(DefinitionError) as error:
        Executor([in_shop, at_the_clock, of_anything], deps=[object()])
    assert str(error.value) == (
        "these tools need objects that are missing from deps=[…]; add each object, or its class if you pass the object with every call:\n"
        "  - at_the_clock asks for Clock\n"
        "  - in_shop asks for Shop"
    )


def test_with_a_class_in_deps_every_call_passes_the_object() -> None:
    executor = Executor(in_shop, deps=[BookShop])
    assert executor.run(ToolCall("in_shop"), deps=[BookShop("books")]).value == "books"
    with pytest.raises(DefinitionError, match=r"^in_shop asks for Shop: give one in deps=\[…\]$"):
        executor.run(ToolCall("in_shop"))
    with pytest.raises(DefinitionError, match="in_shop asks for Shop"):
        executor.run_all([ToolCall("in_shop"), ToolCall("in_shop")], deps=[Clock()])


def test_a_class_in_deps_is_not_passed_in_place_of_an_object() -> None:
    """It has the members that the protocol asks for, as its objects have."""
    executor = Executor(of_a_protocol, deps=[Clock])
    assert executor.run(ToolCall("of_a_protocol"), deps=[Clock()]).value == "clock"
    with pytest.raises(DefinitionError, match="of_a_protocol asks for Named"):
        executor.run(ToolCall("of_a_protocol"))


def test_a_context_knows_its_call_and_its_tool() -> None:
    seen: list[Context] = []

    def look(context: Context, text: str) -> str:
        seen.append(context)
        return text

    tool = Tool.from_function(look)
    Executor(tool).run(ToolCall("look", '{"text": "x"}', "c1"))
    (context,) = seen
    assert context.call == ToolCall("look", '{"text": "x"}', "c1")
    assert context.call_id == "c1"
    assert context.tool is tool
    assert not context.cancellation.cancelled


def test_each_call_has_a_context_of_its_own() -> None:
    seen: list[Context] = []

    def look(context: Context) -> None:
        seen.append(context)

    executor = Executor(look)
    executor.run_all([ToolCall("look"), ToolCall("look"), ToolCall("look")])
    assert len({id(context) for context in seen}) == 3
    assert len({id(context.cancellation) for context in seen}) == 3


def test_the_arguments_of_a_result_are_those_of_the_model_alone() -> None:
    result = Executor(in_shop, deps=[Shop()]).run(ToolCall("in_shop", "{}"))
    assert result.arguments == {}


def test_a_call_with_an_argument_for_the_context_is_refused() -> None:
    result = Executor(in_shop, deps=[Shop()]).run(ToolCall("in_shop", '{"context": {"deps": 1}}'))
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    assert "$.context: is not a known name" in result.content
