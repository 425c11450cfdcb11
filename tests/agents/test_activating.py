"""Groups that become visible by the words of a question."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from fcregistry import (
    Executor,
    FunctionCall,
    PlanAndSolveAgent,
    ReactAgent,
    Registry,
    ReWOOAgent,
    Tool,
    ToolCall,
)
from fcregistry.agents import Conversation, OnDemand, RunState, VisibleTools
from fcregistry.errors import DefinitionError, GroupNotFoundError
from fcregistry.execution import Approve, Content, Policy
from fcregistry.models import Message
from tests.agents.scripts import Script, add, adds, calls, says

KEY = b"0123456789abcdef"


def send_note(text: str = "") -> str:
    """Send a note."""
    return "sent"


def find_event() -> str:
    """Find an event."""
    return "found"


def read_file() -> str:
    """Read a file."""
    return "read"


REGISTRY = Registry()
REGISTRY.register(send_note, group="feishu")
REGISTRY.register(find_event, group="feishu.calendar")
REGISTRY.register(read_file, group="files")

FEISHU = OnDemand("*", activate={"feishu": "(?i)feishu|lark|飞书"}, registry=REGISTRY)
CLOSED = ["get_feishu_methods", "read_file"]
OPEN = ["find_event", "read_file", "send_note"]


def seen(tools: Any, *history: Any, **settings: Any) -> list[str]:
    """Return the names of the tools that a model sees after a history."""
    visible = VisibleTools(Executor(tools, **settings))
    visible.restore(history)
    return list(visible.tools)


# --- The questions of agents ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "offered"),
    [
        ("Send it with Feishu.", OPEN),
        ("用飞书发送", OPEN),
        ("Send it with mail.", CLOSED),
        (Message(role="user", content=(Content.text("See here:"), Content.text("a LARK"))), OPEN),
        ({"role": "user", "content": [{"type": "text", "text": "a lark"}]}, OPEN),
        (["Hello.", {"role": "assistant", "content": "Hello."}, "With feishu."], OPEN),
        (["With feishu.", {"role": "assistant", "content": "Sent."}, "Thanks."], OPEN),
    ],
)
def test_a_question_that_matches_shows_the_group_from_the_first_round_on(question: Any, offered: list[str]) -> None:
    model = Script(says("Done."))
    ReactAgent(model, FEISHU).run(question)
    assert model.offered == [offered]


@pytest.mark.parametrize(
    ("make", "script"),
    [
        (FunctionCall, [calls(ToolCall("send_note", "{}", "1"))]),
        (ReactAgent, [calls(ToolCall("send_note", "{}", "1")), says("Done.")]),
        (PlanAndSolveAgent, [says("1. Send."), calls(ToolCall("send_note", "{}", "1")), says("Done.")]),
        (ReWOOAgent, [says("#E1 = send_note()"), says("Done.")]),
    ],
)
@pytest.mark.parametrize("tools", [FEISHU, [FEISHU, add]])
def test_every_agent_can_call_the_tools_of_the_group_at_once(
    make: Callable[..., Any], script: list[Any], tools: Any
) -> None:
    result = make(Script(*script), tools).run("Send it with Feishu.")
    assert [each.value for each in result.tool_results] == ["sent"]


def test_the_group_stays_visible_in_the_conversation_and_in_no_other() -> None:
    model = Script(says("Done."))
    agent = ReactAgent(model, FEISHU)
    first, second = Conversation(agent), Conversation(agent)
    first.say("Send it with Feishu.")
    second.say("Send it with mail.")
    first.say("And again.")
    result = agent.run([*first.messages, "Once more."])
    agent.run("Something else.")
    assert result.answer == "Done."
    assert model.offered == [OPEN, CLOSED, OPEN, OPEN, CLOSED]


def test_a_resumed_run_still_sees_the_group() -> None:
    guarded = Tool.from_function(add, requires_approval=True)
    model = Script(calls(adds(1, 2)), says("Done."))
    agent = ReactAgent(model, [FEISHU, guarded])
    waiting = agent.run("Send 1 + 2 with Feishu.")
    assert waiting.state is not None
    agent.resume(RunState.from_json(waiting.state.to_json(key=KEY), key=KEY), {"1": Approve()})
    assert model.offered == [["add", *OPEN]] * 2


def test_an_application_with_its_own_loop_passes_the_history() -> None:
    fc = FunctionCall(tools=FEISHU)
    message = {"role": "assistant", "tool_calls": [{"id": "1", "name": "send_note", "arguments": {}}]}
    question = {"role": "user", "content": "With feishu."}
    assert list(fc.visible([question]).tools) == OPEN
    assert fc.execute(message, [question])[0]["content"] == "sent"
    assert fc.execute(message)[0]["content"].startswith("send_note cannot be called yet: call get_feishu_methods first")


# --- The text that is looked at -------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        "with feishu",
        {"role": "user", "content": "with feishu"},
        {"role": "user", "content": ["with feishu"]},
        {"role": "user", "content": [{"type": "input_text", "text": "with feishu"}]},
        {"role": "user", "parts": [{"text": "with feishu"}]},
        {"role": "user", "content": [{"text": "with feishu"}]},
        SimpleNamespace(role="user", content=[SimpleNamespace(text="with feishu")]),
        Message(role="user", content="with feishu"),
    ],
)
def test_the_user_s_text_is_read_in_the_shape_of_every_provider(message: Any) -> None:
    assert seen(FEISHU, message) == OPEN


@pytest.mark.parametrize(
    "message",
    [
        {"role": "system", "content": "feishu"},
        {"role": "developer", "content": "feishu"},
        {"role": "assistant", "content": "feishu"},
        {"role": "tool", "tool_call_id": "1", "content": "feishu"},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "feishu"}]},
        {"role": "user", "content": [{"type": "tool_result", "content": [{"type": "text", "text": "feishu"}]}]},
        {"role": "user", "parts": [{"function_response": {"name": "x", "response": {"text": "feishu"}}}]},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://feishu"}}]},
        {"role": "user", "name": "feishu", "content": None},
        {"type": "function_call_output", "call_id": "1", "output": "feishu"},
        Message(role="user", content="feishu", continues=True),
        {"role": "user", "content": "feishu", "continues": True},
        {"role": "user", "content": 3},
        None,
        3,
    ],
)
def test_no_other_text_shows_a_group(message: Any) -> None:
    assert seen(FEISHU, message) == CLOSED


def test_what_tools_and_models_write_in_a_run_shows_no_group() -> None:
    def talk() -> str:
        """Talk of feishu."""
        return "feishu"

    model = Script(calls(ToolCall("talk", "{}", "1"), text="feishu"), says("feishu"))
    agent = ReactAgent(model, [FEISHU, talk], instructions="feishu")
    result = agent.run("Talk.")
    agent.run([*result.messages, "Again."])
    assert model.offered == [["get_feishu_methods", "read_file", "talk"]] * 3


def test_a_long_text_is_searched_in_linear_time() -> None:
    tools = OnDemand("*", activate={"feishu": "(a+)+$"}, registry=REGISTRY)
    assert seen(tools, "a" * 100_000 + "!") == CLOSED  # a search of Python's `re` would not end


# --- Groups ---------------------------------------------------------------------------------------


def test_a_group_in_another_opens_the_one_around_it() -> None:
    patterns = {"feishu": "feishu", "feishu.calendar": "event"}
    tools = OnDemand("*", activate=patterns, registry=REGISTRY)
    assert seen(tools) == CLOSED
    assert seen(tools, "feishu") == ["get_feishu_calendar_methods", "read_file", "send_note"]
    assert seen(tools, "an event") == OPEN
    assert seen(tools, "feishu", "an event") == OPEN


def test_a_name_may_be_a_pattern_and_other_groups_keep_their_gateways() -> None:
    tools = OnDemand("*", groups=["files"], activate={"feishu*": "feishu", "*.calendar": "event"}, registry=REGISTRY)
    assert seen(tools) == ["get_feishu_methods", "get_files_methods"]
    assert seen(tools, "feishu") == ["find_event", "get_files_methods", "send_note"]
    assert seen(tools, "event") == ["find_event", "get_files_methods", "send_note"]


def test_the_model_can_still_call_the_gateway_and_the_search() -> None:
    tools = OnDemand("*", search=True, activate={"feishu": "feishu"}, registry=REGISTRY)
    visible = VisibleTools(Executor(tools))
    assert list(visible.tools) == ["get_feishu_methods", "load_tools", "search_tools"]
    visible.run_all([{"name": "get_feishu_methods", "arguments": {}}])
    assert list(visible.tools) == ["find_event", "load_tools", "search_tools", "send_note"]


def test_words_do_not_show_a_group_whose_gateway_is_denied() -> None:
    assert seen(FEISHU, "feishu", policy=Policy(deny=["get_feishu_methods"])) == CLOSED
    assert seen(FEISHU, "feishu", policy=Policy(ask=["get_feishu_methods"])) == OPEN


LINEAR = r"is not a pattern that the linear-time engine supports \(no look-around, no back-references\)"


@pytest.mark.parametrize(
    ("activate", "error", "text"),
    [
        ({"feishu": "("}, DefinitionError, rf"activate\['feishu'\]: \"\(\" {LINEAR}"),
        ({"feishu": "(?=a)b"}, DefinitionError, LINEAR),
        (
            {"feishu": "(lark)?"},
            DefinitionError,
            (
                r"activate\['feishu'\]: '\(lark\)\?' matches every question, since it matches the empty text; "
                r"pass the tools of the group as shown=… if they are always visible"
            ),
        ),
        ({"feishu": ""}, DefinitionError, "matches every question"),
        ({"feishu": None}, TypeError, r"activate\['feishu'\] is a regular expression as text, not None"),
        ({"lark": "lark"}, GroupNotFoundError, "none of the tools is in a group 'lark'"),
        ({3: "lark"}, TypeError, "groups are given by names, or patterns of names, not 3"),
        (["feishu"], TypeError, r'activate is a dict such as \{"mail": "\(\?i\)mail\|inbox"\}, not \[\'feishu\'\]'),
    ],
)
def test_a_wrong_pattern_is_an_error_where_the_toolset_is_made(
    activate: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        OnDemand("*", activate=activate, registry=REGISTRY)


def test_tools_that_may_be_hidden_are_offered_in_the_order_of_their_names() -> None:
    registry = Registry()
    names = [f"read_{letter}" for letter in "abcdefgh"]
    for name in reversed(names):
        registry.register(read_file, name, available=lambda: True)
    model = Script(says("Done."))
    ReactAgent(model, OnDemand("*", shown="*", registry=registry)).run("Hello?")
    assert model.offered == [["load_tools", *names, "search_tools"]]


# --- Gateways of groups that have no tool now -----------------------------------------------------


def test_a_gateway_that_would_show_no_tool_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ACME_KEY", raising=False)
    registry = Registry()
    registry.register(send_note, group="feishu", requires_env="ACME_KEY")
    registry.register(find_event, group="feishu.calendar", requires_env="ACME_KEY")
    registry.register(read_file, group="files")
    visible = VisibleTools(Executor(OnDemand("*", groups=["*"], registry=registry)))
    model = Script(says("Done."))
    agent = ReactAgent(model, OnDemand("*", groups=["*"], registry=registry))
    agent.run("Hello?")
    assert list(visible.tools) == model.offered[0] == ["get_files_methods"]
    monkeypatch.setenv("ACME_KEY", "secret")
    agent.run("Hello?")
    assert list(visible.tools) == model.offered[1] == ["get_feishu_methods", "get_files_methods"]
    (result,) = visible.run_all([{"name": "get_feishu_methods", "arguments": {}}])
    assert "- get_feishu_calendar_methods: " in result.content
    assert list(visible.tools) == ["get_feishu_calendar_methods", "get_files_methods", "send_note"]
    monkeypatch.delenv("ACME_KEY")
    assert list(visible.tools) == ["get_files_methods"]
    (result,) = visible.executor.run_all([{"name": "get_feishu_methods", "arguments": {}}])
    assert result.content == 'Activated Toolkit "feishu". None of its tools is available here.'
