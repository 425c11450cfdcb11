"""Whatever a model answers, an agent does not hang, fail or do more than it may, however it is run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcregistry import ReactAgent, ToolCall
from fcregistry.agents import RunResult, StopReason
from fcregistry.execution import CancellationToken, Content
from fcregistry.models import Completion, Message, Model

from .every_agent import AGENTS, LOOPS, MOST_CALLS, MOST_REQUESTS, ROUNDS
from .scripts import ONE, WAYS, Counting, Script, aran, calls, check_history, ran, says, streamed

STOP_REASONS = get_args(StopReason)

HERE = settings(max_examples=20)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
ARGUMENTS = st.one_of(
    st.sampled_from(
        ['{"a": 1, "b": 2}', "", "{", "[]", "null", "\x00", '{"a": "1", "b": 2}', '{"a": 1, "b": 2, "c": 3}']
    ),
    st.none(),
    st.dictionaries(st.sampled_from(["a", "b", "why"]), JSON, max_size=3),
    st.text(max_size=10),
)
CALLS = st.builds(
    ToolCall,
    st.sampled_from(["add", "add", "fail", "no_such", "", "ADD", "a" * 100, "\ud800"]),
    ARGUMENTS,
    st.sampled_from([None, "", "1", "1", "2", "call_1", "\ud800"]),
)
TEXTS = st.one_of(
    st.none(),
    st.sampled_from(["", " ", "5", "[]", "Action: add", "1. add\n2. fail"]),
    st.sampled_from(["#E1 = add[#E1]", '#E1 = add[{"a": 1, "b": 2}]']),
    st.sampled_from(
        ["add(x, add(1, b=2))", "[add(1, 2), fail(why='no')]", "add(a=", "[fail(), no_such(), add(x.y, 1)]"]
    ),
    st.text(max_size=10),
)
MESSAGES = st.builds(
    Message,
    role=st.just("assistant"),
    content=TEXTS | st.tuples(st.builds(Content.text, st.text(max_size=5))) | st.just(()),
    tool_calls=st.lists(CALLS, max_size=4).map(tuple),
    reasoning=st.none() | st.sampled_from(["", "Let me think."]),
)
COMPLETIONS = st.builds(
    Completion,
    message=MESSAGES,
    finish_reason=st.sampled_from(["stop", "tool_calls", "length", "content_filter", "other"]),
    usage=st.just(ONE),
)
SAID = st.lists(COMPLETIONS | st.just(RuntimeError("offline")), min_size=1, max_size=5)


def tried(name: str, said: list[Any], way: Callable[..., RunResult]) -> RunResult:
    """Run an agent on what a model says, and see that it kept to its limits."""
    model, counting = Script(*said), Counting()
    result = way(AGENTS[name](model, [counting.add, counting.fail]), "What is 1 + 2?")
    assert len(model.heard) <= MOST_REQUESTS.get(name, ROUNDS)
    assert counting.ran <= MOST_CALLS.get(name, counting.ran)
    for heard in model.heard:
        check_history([message for message in heard if message.role != "system"])
    check_history(result.messages)
    assert result.stop_reason in STOP_REASONS
    return result


def told(result: RunResult) -> Any:
    """Return what is the same however an agent is run."""
    return (
        result.answer,
        result.stop_reason,
        result.messages,
        result.usage,
        type(result.error),
        [(step.kind, step.message, step.texts, [each.content for each in step.results]) for step in result.steps],
    )


@pytest.mark.parametrize("name", AGENTS)
@HERE
@given(said=SAID)
def test_whatever_a_model_says_a_run_ends_within_its_limits_and_the_same_in_every_way(
    name: str, said: list[Any]
) -> None:
    plain = told(tried(name, said, ran))

    assert told(tried(name, said, aran)) == plain
    assert told(tried(name, said, streamed)) == plain


@pytest.mark.parametrize("name", AGENTS)
@HERE
@given(said=JSON, fields=st.dictionaries(st.sampled_from(["role", "content", "tool_calls", "type", "parts"]), JSON))
def test_whatever_a_function_returns_a_run_ends(name: str, said: Any, fields: dict[str, Any]) -> None:
    for answer in (
        said,
        fields,
        {"role": "assistant", "tool_calls": said},
        {"role": "assistant", "tool_calls": [fields]},
    ):
        counting = Counting()
        result = AGENTS[name](lambda messages, answer=answer: answer, [counting.add]).run("?")
        check_history(result.messages)
        assert result.stop_reason in STOP_REASONS


@pytest.mark.parametrize(("name", "way"), [*((name, ran) for name in LOOPS), *(("react", way) for way in WAYS[1:])])
def test_a_thousand_calls_at_once_are_all_answered(name: str, way: Callable[..., RunResult]) -> None:
    said = calls(*(ToolCall("add", {"a": n, "b": n}, None) for n in range(1000)))

    result = tried(name, [said, says("5")], way)
    assert len(result.tool_results) == 1000
    assert sum(each.ok for each in result.tool_results) == MOST_CALLS.get(name, 1000)


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("way", WAYS)
def test_a_model_that_fails_is_in_the_result(name: str, way: Callable[..., RunResult]) -> None:
    result = tried(name, [ConnectionError("offline")], way)
    assert (result.stop_reason, result.answer, repr(result.error)) == (
        "model_error",
        None,
        "ConnectionError('offline')",
    )


class Gives(Model):
    """A model of somebody's own class, whose answer is anything."""

    name = "test:gives"

    def __init__(self, said: Any) -> None:
        self.said = said

    async def acomplete(self, messages: Any, tools: Any = (), *, tool_choice: Any = "auto") -> Any:
        return self.said


class Streams(Gives):
    """The same, piece by piece."""

    async def astream(self, messages: Any, tools: Any = (), *, tool_choice: Any = "auto") -> Any:
        yield self.said
        yield says("Too late.")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("model", [Gives, Streams])
@pytest.mark.parametrize(
    ("said", "why"),
    [
        (None, "test:gives returned NoneType, not a Completion"),
        ("Hello.", "test:gives returned str, not a Completion"),
        (Completion(message="Hello."), "test:gives returned a Completion whose message is str, not a Message"),  # type: ignore[arg-type]
    ],
)
def test_a_model_of_a_users_class_may_return_anything(
    said: Any, why: str, model: Callable[..., Model], way: Callable[..., RunResult]
) -> None:
    for budget in (None, 1e6):
        result = way(ReactAgent(model(said)), "?", time_budget=budget)
        assert (result.stop_reason, str(result.error)) == ("model_error", why)


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("way", WAYS)
def test_a_run_ends_when_its_time_is_over_or_the_caller_cancels(name: str, way: Callable[..., RunResult]) -> None:
    async def never(messages: Any) -> str:
        return str(await asyncio.get_running_loop().create_future())

    token = CancellationToken()
    token.cancel()
    agent = AGENTS[name](never, [Counting().add])
    assert way(agent, "?", time_budget=0.01).stop_reason == "time_budget"
    assert way(agent, "?", cancellation=token).stop_reason == "cancelled"


@pytest.mark.parametrize("name", AGENTS)
def test_an_empty_list_of_calls_is_no_call(name: str) -> None:
    heard: list[Any] = []

    def model(messages: Any) -> Any:
        heard.append(messages)
        return {"role": "assistant", "content": "5", "tool_calls": []}

    result = AGENTS[name](model, [Counting().add]).run("?")
    assert str(result.answer) == "5"
    assert len(heard) == 1 or name not in LOOPS


@pytest.mark.parametrize("name", LOOPS)
def test_one_agent_can_be_asked_by_many_at_once(name: str) -> None:
    counting = Counting()

    def model(messages: Any) -> Any:
        if messages[-1]["role"] == "user":
            return {"tool_calls": [{"name": "add", "arguments": {"a": 1, "b": 2}}]}
        return messages[-1]["content"].split("\n")[0]

    agent = AGENTS[name](model, [counting.add])

    async def ask() -> list[RunResult]:
        return await asyncio.gather(*(agent.arun("?") for _ in range(20)))

    results = asyncio.run(ask())
    assert all(result.ok for result in results)
    assert counting.ran == 20
