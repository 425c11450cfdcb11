"""Callbacks that cannot take the arguments that they are called with: refused when the executor, agent, model or tool is made."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any
from unittest.mock import AsyncMock, MagicMock, Mock, create_autospec

import pytest

from fcregistry import Executor, FunctionCall, PlanAndSolveAgent, ReactAgent, Registry, ReWOOAgent, Tool
from fcregistry.agents import Conversation
from fcregistry.errors import DefinitionError
from fcregistry.execution import Approve, Retry
from fcregistry.models import CallableModel, OpenAIChat, TextModel


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def model(messages: Any) -> str:
    return "done"


def expect_refusal(take: Callable[[], object], text: str) -> None:
    with pytest.raises(TypeError) as caught:
        take()
    assert f"{text}; give it the parameters that it is called with" in str(caught.value)


MAKERS: dict[str, Callable[[Any], object]] = {
    "executor": lambda approve: Executor([add], approve=approve),
    "function call": lambda approve: FunctionCall(model, [add], approve=approve),
    "react": lambda approve: ReactAgent(model, [add], approve=approve),
    "plan and solve": lambda approve: PlanAndSolveAgent(model, [add], approve=approve),
    "rewoo": lambda approve: ReWOOAgent(model, [add], approve=approve),
    "conversation": lambda approve: Conversation(model, [add], approve=approve),
}


class Desk:
    def __init__(self, *args: object) -> None: ...

    def __call__(self, tool: Any, call: Any) -> bool:
        return True

    def approve(self, tool: Any, call: Any) -> bool:
        return True

    def wrong(self, call: Any) -> bool:
        return True

    @classmethod
    def of_class(cls, tool: Any, call: Any) -> bool:
        return True

    @staticmethod
    def static(tool: Any, call: Any) -> bool:
        return True


class NeedsOne:
    def __init__(self, tool: Any) -> None: ...


async def aapprove(tool: Any, call: Any) -> bool:
    return True


async def awrong(tool: Any) -> bool:
    return True


def three(first: Any, tool: Any, call: Any) -> bool:
    return True


GOOD: dict[str, Any] = {
    "function": lambda tool, call: True,
    "other names": lambda a, b: True,
    "any arguments": lambda *args: True,
    "any arguments, by name, too": lambda *args, **kwargs: True,
    "defaults": lambda tool, call=None, more=None: True,
    "async": aapprove,
    "bound method": Desk().approve,
    "method of a class": Desk.of_class,
    "static method": Desk.static,
    "object": Desk(),
    "class": Desk,
    "partial": functools.partial(three, 1),
    "mock": Mock(),
    "magic mock": MagicMock(),
    "async mock": AsyncMock(),
    "autospec": create_autospec(aapprove),
    "builtin": max,
    "builtin with a known signature": print,
    "type without a signature": dict,
}

BAD: dict[str, tuple[Any, str]] = {
    "the call alone": (lambda call: True, "call"),
    "nothing": (lambda: True, ""),
    "three": (three, "first, tool, call"),
    "by name only": (lambda *, tool, call: True, "tool, call"),
    "a name that is required, too": (lambda *args, question: True, "*args, question"),
    "async": (awrong, "tool"),
    "bound method": (Desk().wrong, "call"),
    "method without its instance": (Desk.approve, "self, tool, call"),
    "class": (NeedsOne, "tool"),
    "partial": (functools.partial(three, 1, 2), "call"),
    "autospec": (create_autospec(awrong), "tool"),
    "builtin": (len, "obj"),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_an_approver_that_cannot_take_the_tool_and_the_call_is_refused(maker: str) -> None:
    for given, takes in BAD.values():
        expect_refusal(lambda: MAKERS[maker](given), f"approve is called with (tool, call), but takes ({takes})")  # noqa: B023
    for good in GOOD.values():
        MAKERS[maker](good)


@pytest.mark.parametrize(
    ("option", "wrong", "text"),
    [
        ("requires_approval", lambda: True, "requires_approval=… is called with (arguments), but takes ()"),
        ("requires_approval", lambda tool, call: True, "requires_approval=… is called with (arguments), but takes (tool, call)"),
        ("available", lambda tool: True, "available=… is called with (), but takes (tool)"),
        ("reads", lambda a, b: "x", "reads=… is called with (arguments), but takes (a, b)"),
        ("writes", lambda: "x", "writes=… is called with (arguments), but takes ()"),
    ],
)  # fmt: skip
def test_a_function_in_an_option_that_takes_other_arguments_is_refused_when_its_tool_is_used(
    option: str, wrong: Any, text: str
) -> None:
    tool = Tool.from_function(add, **{option: wrong})
    problem = f"{text}; give it the parameters that it is called with"
    assert tool.definition_error is not None
    assert tool.definition_error.problems == (problem,)
    registry = Registry()
    registry.register(add, **{option: wrong})
    for take in (
        lambda: Executor([tool]),
        lambda: Executor(["add"], registry=registry),
        lambda: FunctionCall(model, [tool]),
    ):
        with pytest.raises(DefinitionError, match=re.escape(problem)):
            take()


@pytest.mark.parametrize("option", ["requires_approval", "available", "reads", "writes"])
def test_options_take_callables_without_a_known_signature(option: str) -> None:
    for given in (lambda *args: True, Mock(return_value=True), functools.partial(lambda *args: True)):
        tool = Tool.from_function(add, **{option: given})
        assert tool.definition_error is None
        assert "add" in Executor([tool]).tools


def test_other_callbacks_that_take_other_arguments_are_refused() -> None:
    expect_refusal(lambda: Retry(on=lambda: True), "on is called with (exception), but takes ()")
    expect_refusal(
        lambda: Conversation(model, count_tokens=lambda: 1), "count_tokens is called with (message), but takes ()"
    )
    expect_refusal(
        lambda: FunctionCall(model, [add], summary=lambda call: ""),
        "summary is called with (call, result), but takes (call)",
    )
    expect_refusal(lambda: OpenAIChat("m", client=lambda key: None), "client is called with (), but takes (key)")
    with pytest.raises(TypeError, match="count_tokens cannot be called"):
        Conversation(model, count_tokens=3)  # type: ignore[arg-type]
    Retry(on=lambda *exceptions: True)
    Conversation(model, count_tokens=len)  # type: ignore[arg-type]


class NoDefault:
    def get(self, key: str) -> None: ...

    def set(self, key: str, value: object) -> None: ...


def test_a_cache_whose_methods_cannot_take_key_and_value_is_refused() -> None:
    problem = "has a method get that is called with (key, default), but takes (key)"
    expect_refusal(lambda: Executor([add], cache=NoDefault()), problem)  # type: ignore[arg-type]
    expect_refusal(lambda: Executor([Tool.from_function(add, cache=NoDefault())]), problem)
    Executor([add], cache=Mock())


def test_a_function_that_cannot_be_called_as_a_model_is_refused() -> None:
    name = "the function of the model callable:<lambda>"
    expect_refusal(lambda: CallableModel(lambda: ""), f"{name} is called with (messages), but takes ()")
    expect_refusal(
        lambda: ReactAgent(lambda messages, tools, key: "", [add]),
        f"{name} is called with (messages, tools=…), but takes (messages, tools, key)",
    )
    expect_refusal(lambda: TextModel(lambda: "", "hermes"), f"{name} is called with (prompt), but takes ()")
    CallableModel(Mock(return_value="x"))
    CallableModel(lambda messages, tools=None, tool_choice=None, more=1: "")


def test_a_hook_that_takes_other_arguments_is_refused() -> None:
    from fcregistry import hookimpl

    @hookimpl
    def fc_before_call(nonsense: object) -> None: ...

    with pytest.raises(TypeError, match="nonsense"):
        Executor([add], hooks=fc_before_call)


def test_an_approver_that_is_accepted_is_asked_with_the_tool_and_the_call() -> None:
    asked = []

    def approve(tool: Tool, call: Any) -> Any:
        asked.append((tool.name, call.arguments))
        return Approve({"a": 2, "b": 2})

    executor = Executor([Tool.from_function(add, requires_approval=True)], approve=approve)
    assert executor.call("add", a=1, b=2).value == 4
    assert asked == [("add", {"a": 1, "b": 2})]
