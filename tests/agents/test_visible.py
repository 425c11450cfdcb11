"""The tools that a model sees in one conversation, and the results of calls to the others."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcregistry import Executor, FunctionCall, Registry
from fcregistry.agents import OnDemand, VisibleTools
from fcregistry.errors import GroupNotFoundError
from fcregistry.execution import Policy


def alpha(x: int = 0) -> str:
    """Do the first thing."""
    return f"alpha {x}"


def beta() -> str:
    """Do the second thing."""
    return "beta"


def leaf() -> str:
    """Do the innermost thing."""
    return "leaf"


def plain() -> str:
    """Do a plain thing."""
    return "plain"


REGISTRY = Registry()
REGISTRY.register(alpha, group="grp")
REGISTRY.register(beta, group="grp")
REGISTRY.register(leaf, group="grp.inner")
REGISTRY.register(plain)

LAZY = OnDemand("*", groups=["grp"], registry=REGISTRY)
NESTED = OnDemand("*", groups=["grp", "grp.inner"], registry=REGISTRY)
SEARCHED = OnDemand("*", registry=REGISTRY)


def visible(tools: Any = LAZY, **settings: Any) -> VisibleTools:
    return VisibleTools(Executor(tools, **settings))


def call(name: str, identity: str = "1", **arguments: Any) -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def names(definitions: list[dict[str, Any]]) -> list[str]:
    return [each["function"]["name"] for each in definitions]


# --- what is visible ------------------------------------------------------------------------------


def test_a_group_is_behind_its_gateway_until_that_is_called() -> None:
    """The gateway is gone then: it has nothing more to show."""
    conversation = visible()
    assert names(conversation.describe("openai")) == ["get_grp_methods", "plain"]
    (result,) = conversation.run_all([call("get_grp_methods")])
    assert result.content.startswith('Activated Toolkit "grp".')
    assert names(conversation.describe("openai")) == ["alpha", "beta", "leaf", "plain"]
    assert conversation.run_all([call("alpha", x=2)])[0].value == "alpha 2"


def test_of_nested_groups_the_outer_one_shows_the_gateway_of_the_inner_one() -> None:
    conversation = visible(NESTED)
    assert list(conversation.tools) == ["get_grp_methods", "plain"]
    conversation.run_all([call("get_grp_methods")])
    assert list(conversation.tools) == ["alpha", "beta", "get_grp_inner_methods", "plain"]
    conversation.run_all([call("get_grp_inner_methods")])
    assert list(conversation.tools) == ["alpha", "beta", "leaf", "plain"]


def test_found_tools_are_loaded_one_by_one() -> None:
    conversation = visible(SEARCHED)
    assert list(conversation.tools) == ["load_tools", "search_tools"]
    conversation.run_all([call("search_tools", query="thing")])
    assert list(conversation.tools) == ["load_tools", "search_tools"]
    conversation.run_all([call("load_tools", names=["leaf", "nix"])])
    assert list(conversation.tools) == ["leaf", "load_tools", "search_tools"]


def test_search_reaches_into_lazy_groups() -> None:
    conversation = visible(OnDemand("*", groups=["grp"], search=True, registry=REGISTRY))
    assert list(conversation.tools) == ["get_grp_methods", "load_tools", "search_tools"]
    conversation.run_all([call("load_tools", names=["leaf"])])
    assert list(conversation.tools) == ["get_grp_methods", "leaf", "load_tools", "search_tools"]


def test_without_gateways_everything_is_visible() -> None:
    conversation = visible(OnDemand("*", groups=[], search=False, registry=REGISTRY))
    assert list(conversation.tools) == ["alpha", "beta", "leaf", "plain"]
    assert conversation.describe() == Executor("*", registry=REGISTRY).describe()


def test_a_tool_is_hidden_while_its_environment_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is set later shows it, with the same executor."""
    registry = Registry()
    registry.register(alpha, requires_env="ACME_KEY")
    conversation = visible("alpha", registry=registry)
    function_call = FunctionCall(tools="alpha", registry=registry)
    assert conversation.describe() == function_call.visible().describe() == []
    monkeypatch.setenv("ACME_KEY", "x")
    assert names(conversation.describe()) == names(function_call.visible().describe()) == ["alpha"]


def test_an_application_opens_groups_by_rules_of_its_own() -> None:
    """Those around them too."""
    conversation = visible(NESTED)
    conversation.activate("grp.inner")
    assert list(conversation.tools) == ["alpha", "beta", "leaf", "plain"]
    with pytest.raises(GroupNotFoundError, match=r"there is no lazy group 'grp\.iner'; did you mean 'grp\.inner'\?"):
        conversation.activate("grp.iner")
    with pytest.raises(GroupNotFoundError, match="there is no lazy group 'grp'"):
        visible("plain", registry=REGISTRY).activate("grp")


def test_conversations_share_nothing() -> None:
    executor = Executor(LAZY)
    one, other = VisibleTools(executor), VisibleTools(executor)
    one.run_all([call("get_grp_methods")])
    assert list(other.tools) == list(one.fresh().tools) == ["get_grp_methods", "plain"]
    assert list(one.tools) == ["alpha", "beta", "leaf", "plain"]


# --- calls ----------------------------------------------------------------------------------------


def test_a_tool_cannot_be_called_in_the_message_that_shows_it() -> None:
    """It was not described to the model then. In the next message it can, and results stand in the order of the calls."""
    conversation = visible()
    results = conversation.run_all([call("alpha", "1"), call("get_grp_methods", "2"), call("plain", "3")])
    assert [result.ok for result in results] == [False, True, True]
    assert [result.call.id for result in results if result.call] == ["1", "2", "3"]
    assert results[0].error is not None
    assert results[0].error.code == "unknown_tool"
    assert results[0].content == (
        "alpha cannot be called yet: call get_grp_methods first, and alpha in a message after that"
    )
    assert conversation.run_all([call("alpha", x=1)])[0].value == "alpha 1"


@pytest.mark.parametrize(
    ("tools", "name", "text"),
    [
        (NESTED, "leaf", "leaf cannot be called yet: call get_grp_methods first, and leaf in a message after that"),
        (
            NESTED,
            "get_grp_inner_methods",
            "get_grp_inner_methods cannot be called yet: call get_grp_methods first, and",
        ),
        (
            SEARCHED,
            "leaf",
            "leaf cannot be called yet: call load_tools with its name first, and leaf in a message after",
        ),
        (LAZY, "plian", "there is no tool 'plian'; did you mean 'plain'?"),
        (LAZY, "x", "there is no tool 'x'; the tools are get_grp_methods, plain"),
    ],
)
def test_the_error_of_a_call_to_a_hidden_tool_says_how_to_open_it(tools: OnDemand, name: str, text: str) -> None:
    """And of what there is not at all, what is visible."""
    (result,) = visible(tools).run_all([call(name)])
    assert result.error is not None
    assert result.error.code == "unknown_tool"
    assert result.content.startswith(text)


def test_a_gateway_that_was_called_says_so() -> None:
    conversation = visible()
    conversation.run_all([call("get_grp_methods")])
    (result,) = conversation.run_all([call("get_grp_methods")])
    assert result.content == "get_grp_methods was called before: the tools of grp can be called now"


def test_the_executor_answers_a_value_that_is_not_a_call() -> None:
    (result,) = visible().run_all([{"name": 5}])
    assert result.error is not None
    assert result.error.code == "malformed_call"


def test_an_asynchronous_conversation_is_the_same() -> None:
    async def converse() -> list[bool]:
        conversation = visible()
        first = await conversation.arun_all([call("alpha"), call("get_grp_methods")])
        second = await conversation.arun_all([call("alpha")])
        return [result.ok for result in (*first, *second)]

    assert asyncio.run(converse()) == [False, True, True]


def test_policies_hooks_and_approvals_hold_for_gateways_and_for_what_they_show() -> None:
    asked = []

    def approve(tool: Any, _: Any) -> bool:
        asked.append(tool.name)
        return bool(tool.name != "get_grp_methods")

    policy = Policy(ask=["get_grp_methods", "beta"], deny=["alpha"])
    conversation = visible(LAZY, policy=policy, approve=approve)
    (denied,) = conversation.run_all([call("get_grp_methods")])
    assert denied.error is not None
    assert list(conversation.tools) == ["get_grp_methods", "plain"]
    conversation.activate("grp")
    results = conversation.run_all([call("alpha"), call("beta")])
    assert [result.ok for result in results] == [False, True]
    assert asked == ["get_grp_methods", "beta"]


def test_a_gateway_whose_call_fails_shows_nothing() -> None:
    conversation = visible(SEARCHED)
    conversation.run_all([call("load_tools", names=[]), call("load_tools", names=["nix"]), {"name": "load_tools"}])
    assert list(conversation.tools) == ["load_tools", "search_tools"]


def test_a_refused_call_is_logged_as_others_are(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "fcregistry.calls"):
        visible().run_all([call("alpha")])
    assert len(caplog.records) == 1
    assert "unknown_tool" in caplog.text


def test_a_caller_of_other_methods_uses_refusal_and_note() -> None:
    """Prepared and streamed calls, say."""
    conversation = visible()
    assert conversation.refusal(call("alpha")) is not None
    assert conversation.refusal(call("get_grp_methods")) is None
    prepared = conversation.executor.prepare([call("get_grp_methods")])
    conversation.note(conversation.executor.resume(prepared))
    assert conversation.refusal(call("alpha")) is None


# --- what is kept ---------------------------------------------------------------------------------

ANSWER = {"role": "tool", "tool_call_id": "1", "content": "done"}

HISTORIES: dict[str, Callable[[str, dict[str, Any]], Any]] = {
    "openai": lambda name, given: {"role": "assistant", "content": None, "tool_calls": [call(name, **given)]},
    "openai-responses": lambda name, given: {
        "type": "function_call",
        "call_id": "1",
        "name": name,
        "arguments": json.dumps(given),
    },
    "anthropic": lambda name, given: {
        "role": "assistant",
        "content": [{"type": "text", "text": "…"}, {"type": "tool_use", "id": "1", "name": name, "input": given}],
    },
    "gemini": lambda name, given: {"role": "model", "parts": [{"functionCall": {"name": name, "args": given}}]},
    "bedrock": lambda name, given: {
        "role": "assistant",
        "content": [{"toolUse": {"toolUseId": "1", "name": name, "input": given}}],
    },
    "sdk": lambda name, given: SimpleNamespace(
        role="assistant",
        content=None,
        tool_calls=[
            SimpleNamespace(id="1", type="function", function=SimpleNamespace(name=name, arguments=json.dumps(given)))
        ],
    ),
}


@pytest.mark.parametrize("shape", HISTORIES)
def test_a_history_says_what_is_open(shape: str) -> None:
    conversation = visible()
    conversation.restore([{"role": "user", "content": "hello"}, HISTORIES[shape]("get_grp_methods", {}), ANSWER])
    assert list(conversation.tools) == ["alpha", "beta", "leaf", "plain"]
    loaded = visible(SEARCHED)
    loaded.restore([HISTORIES[shape]("load_tools", {"names": ["leaf", "nix"]}), ANSWER])
    assert list(loaded.tools) == ["leaf", "load_tools", "search_tools"]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "Previously called get_grp_methods."},
        {"role": "assistant", "content": '{"tool_calls": [{"name": "get_grp_methods", "arguments": {}}]}'},
        {"role": "assistant", "content": [{"type": "text", "text": "get_grp_methods()"}]},
        {"role": "user", "content": [{"type": "tool_use", "id": "1", "name": "get_grp_methods", "input": {}}]},
        {"role": "user", "tool_calls": [call("get_grp_methods")]},
        {"role": "tool", "content": 'Activated Toolkit "grp".'},
        {"role": "assistant", "tool_calls": [call("get_grp_methods", x=1), call("alpha"), {"name": None}]},
        "get_grp_methods",
        None,
        [],
    ],
)
def test_a_value_that_is_not_a_call_of_a_model_opens_nothing(message: Any) -> None:
    """Nor does a text that tells of one, nor a call that was not valid."""
    conversation = visible()
    conversation.restore([message])
    assert list(conversation.tools) == ["get_grp_methods", "plain"]


def test_a_gateway_that_the_policy_denies_is_not_taken_from_a_history() -> None:
    conversation = visible(LAZY, policy=Policy(deny=["get_grp_methods"]))
    conversation.restore([HISTORIES["openai"]("get_grp_methods", {})])
    assert list(conversation.tools) == ["get_grp_methods", "plain"]


def test_what_was_opened_is_kept_as_json() -> None:
    """What the executor no longer has is left out."""
    conversation = visible(OnDemand("*", groups=["grp"], search=True, registry=REGISTRY))
    conversation.run_all([call("get_grp_methods"), call("load_tools", names=["plain"])])
    state = json.loads(json.dumps(conversation.to_json()))
    assert state == {"groups": ["grp"], "tools": ["plain"]}
    again = VisibleTools.from_json(conversation.executor, state)
    assert list(again.tools) == list(conversation.tools)
    assert again.to_json() == state
    other = VisibleTools.from_json(Executor(LAZY), {"groups": ["grp", "gone"], "tools": ["gone"]})
    assert other.to_json() == {"groups": ["grp"], "tools": []}
    inner = VisibleTools.from_json(Executor(NESTED), {"groups": ["grp.inner"], "tools": []})
    assert inner.to_json() == {"groups": ["grp", "grp.inner"], "tools": []}


@pytest.mark.parametrize(
    "state", [None, [], {"group": ["grp"]}, {"groups": "grp", "tools": []}, {"groups": [1], "tools": []}]
)
def test_a_value_that_is_not_a_state_is_an_error(state: Any) -> None:
    with pytest.raises(ValueError, match="state is what to_json returned"):
        VisibleTools.from_json(Executor(LAZY), state)


@settings(max_examples=25, deadline=None, database=None)
@given(
    st.lists(st.sampled_from(["get_grp_methods", "get_grp_inner_methods", "alpha", "leaf", "plain", "x"]), max_size=8)
)
def test_what_runs_is_what_is_described_and_a_history_says_it_all(wanted: list[str]) -> None:
    """In every round, exactly the described tools can be called; and the history of the rounds so far shows the same tools to anybody."""
    conversation = visible(NESTED)
    history: list[Any] = []
    for name in wanted:
        described = names(conversation.describe())
        inspected = conversation.fresh()
        inspected.restore(history)
        assert inspected.describe() == conversation.describe()
        (result,) = conversation.run_all([call(name)])
        assert result.ok == (name in described)
        if result.ok:
            history += [{"role": "assistant", "tool_calls": [call(name)]}, ANSWER]


def test_it_shows_what_it_is() -> None:
    assert repr(visible()) == "<VisibleTools get_grp_methods, plain of 5>"


# --- in an agent ----------------------------------------------------------------------------------


class Model:
    """A model with prepared answers, which keeps what it was offered."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.offered: list[list[str]] = []

    def __call__(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Any:
        self.offered.append(names(tools))
        return self.answers.pop(0)


def test_a_round_shows_what_its_conversation_has_opened() -> None:
    """The history decides: two conversations with one agent do not mix."""
    model = Model(
        {"tool_calls": [call("get_grp_methods"), call("alpha", "2")]}, {"tool_calls": [call("alpha")]}, "done", "hello"
    )
    agent = FunctionCall(model, tools=LAZY)
    history: list[Any] = [{"role": "user", "content": "go"}]
    first = agent(history)
    assert isinstance(first, dict)
    assert first["tool_calls_results"][1].startswith("alpha cannot be called yet: call get_grp_methods first")
    history.append(first)
    second = agent(history)
    assert isinstance(second, dict)
    assert second["tool_calls_results"] == ["alpha 0"]
    assert agent([*history, second]) == "done"
    assert agent("somebody else") == "hello"
    lazy, opened = ["get_grp_methods", "plain"], ["alpha", "beta", "leaf", "plain"]
    assert model.offered == [lazy, opened, opened, lazy]


def test_a_loop_of_ones_own_gives_the_history() -> None:
    """With the message at its end or without; a message never counts for itself."""
    agent = FunctionCall(tools=LAZY)
    opening = {"role": "assistant", "tool_calls": [call("get_grp_methods"), call("alpha", "2")]}
    for history in ([], [opening], [dict(opening)]):
        answers = agent.execute(opening, history)
        assert answers[0]["content"].startswith('Activated Toolkit "grp".')
        assert answers[1]["content"].startswith("alpha cannot be called yet")
    after = {"role": "assistant", "tool_calls": [call("alpha", x=4)]}
    assert agent.execute(after, [opening, *answers])[0]["content"] == "alpha 4"
    assert agent.execute(after)[0]["content"].startswith("alpha cannot be called yet")
    assert names(agent.visible([opening, *answers]).describe()) == ["alpha", "beta", "leaf", "plain"]
