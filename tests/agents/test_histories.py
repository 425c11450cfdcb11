"""Histories from elsewhere: what is sent has one result for each call, right after it, and what is kept is what the caller gave."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcregistry import PlanAndSolveAgent, ReWOOAgent, Tool, ToolCall
from fcregistry.agents import Conversation, FunctionCall, ReactAgent, RunResult, RunState
from fcregistry.errors import ApprovalError, ModelError
from fcregistry.execution import Approve, Content
from fcregistry.models import Message, TextModel, messages_of

from ..models import anthropic_wire, openai_wire  # noqa: TID252  # the tests are no package
from ..models.strict_providers import (  # noqa: TID252
    StrictServer,
    chat_problem,
    messages_problem,
    responses_problem,
    texts_in,
)
from .every_agent import AGENTS
from .scripts import WAYS, Script, add, adds, calls, check_history, says

NOT_KNOWN = "The call has no result in this conversation: its result is not known, and it may have run."
ASKED = {"role": "user", "content": "1 + 2?"}
NEXT = {"role": "user", "content": "And now?"}
KEY = b"a key that only the host's own processes know"


def asks(*ids: str, name: str = "add") -> dict[str, Any]:
    """Return a message with calls."""
    function = {"name": name, "arguments": '{"a": 1, "b": 2}'}
    made = [{"id": each, "type": "function", "function": function} for each in ids]
    return {"role": "assistant", "content": None, "tool_calls": made}


def result(id: str, content: Any = "3", **more: Any) -> dict[str, Any]:
    """Return the result of a call."""
    return {"role": "tool", "tool_call_id": id, "content": content, **more}


def lone(text: str, tool: str = "a tool") -> str:
    """Return how a result without a call is sent."""
    return f"user: A result of {tool}, whose call is not in this conversation:\n{text}"


HISTORIES: dict[str, tuple[list[Any], list[str]]] = {
    "a call without a result": ([ASKED, asks("a"), NEXT], ["user: 1 + 2?", "a()", f"a: {NOT_KNOWN}", "user: And now?"]),
    "a call at the end": ([ASKED, asks("a")], ["user: 1 + 2?", "a()", f"a: {NOT_KNOWN}"]),
    "one of two calls without a result": (
        [ASKED, asks("a", "b"), result("b", "4"), NEXT],
        ["user: 1 + 2?", "a() b()", f"a: {NOT_KNOWN}", "b: 4", "user: And now?"],
    ),
    "a result without a call": (
        [ASKED, result("z", "7", name="add"), NEXT],
        ["user: 1 + 2?", lone("7", "add"), "user: And now?"],
    ),
    "a result at the beginning": ([result("z", "7"), NEXT], [lone("7"), "user: And now?"]),
    "a result without a call, beside one that has its call": (
        [ASKED, asks("a"), result("z", "7"), result("a"), NEXT],
        ["user: 1 + 2?", "a()", "a: 3", lone("7"), "user: And now?"],
    ),
    "a message of the user between a call and its result": (
        [ASKED, asks("a"), {"role": "user", "content": "Quick!"}, result("a"), NEXT],
        ["user: 1 + 2?", "a()", "a: 3", "user: Quick!", "user: And now?"],
    ),
    "messages of others between calls and their results": (
        [
            ASKED,
            asks("a", "b"),
            {"role": "assistant", "content": "I add."},
            result("b", "4"),
            {"role": "system", "content": "Be brief."},
            result("a"),
        ],
        ["user: 1 + 2?", "a() b()", "a: 3", "b: 4", "assistant: I add.", "system: Be brief."],
    ),
    "a result after other calls": (
        [ASKED, asks("a"), asks("b"), result("b", "4"), result("a"), NEXT],
        ["user: 1 + 2?", "a()", "a: 3", "b()", "b: 4", "user: And now?"],
    ),
    "a result twice": (
        [ASKED, asks("a"), result("a"), result("a", "still 3"), NEXT],
        ["user: 1 + 2?", "a()", "a: 3", lone("still 3"), "user: And now?"],
    ),
    "two calls of one id in a message": (
        [ASKED, asks("a", "a"), result("a"), result("a", "4"), NEXT],
        ["user: 1 + 2?", "a() call_1()", "a: 3", "call_1: 4", "user: And now?"],
    ),
    "two calls of one id in two messages, the first without a result": (
        [ASKED, asks("a"), ASKED, asks("a"), result("a"), NEXT],
        ["user: 1 + 2?", "a()", f"a: {NOT_KNOWN}", "user: 1 + 2?", "call_1()", "call_1: 3", "user: And now?"],
    ),
    "empty ids, and a result too few": (
        [ASKED, asks("", ""), result(""), NEXT],
        ["user: 1 + 2?", "call_1() call_2()", "call_1: 3", f"call_2: {NOT_KNOWN}", "user: And now?"],
    ),
    "a call that lost the id that its result has": (
        [ASKED, asks(""), result("a"), NEXT],
        ["user: 1 + 2?", "call_1()", "call_1: 3", "user: And now?"],
    ),
    "results in another order": (
        [ASKED, asks("a", "b"), result("b", "4"), result("a"), NEXT],
        ["user: 1 + 2?", "a() b()", "a: 3", "b: 4", "user: And now?"],
    ),
}
histories = pytest.mark.parametrize(("history", "sent"), HISTORIES.values(), ids=HISTORIES)


def written(messages: Any) -> list[str]:
    """Return a line for each message: its calls, or who says what."""
    return [
        " ".join(f"{call.id}()" for call in each.tool_calls)
        or f"{each.tool_call_id if each.role == 'tool' else each.role}: {each.text}"
        for each in messages
    ]


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.levelno == logging.WARNING]


# --- what is sent, and what is kept ---------------------------------------------------------------


@histories
def test_a_history_is_sent_with_a_result_for_each_call(history: list[Any], sent: list[str]) -> None:
    model = Script(calls(adds(1, 2, "c")), says("Done."))
    done = ReactAgent(model, [add]).run(history)

    assert written(model.heard[0]) == sent
    assert written(model.heard[1])[: len(sent) + 1] == [*sent, "c()"]
    for heard in model.heard:
        check_history(heard)
    assert done.messages[: len(history)] == messages_of(history)
    assert len(done.messages) == len(history) + 3


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("way", WAYS)
def test_every_agent_sends_it_in_each_request_and_logs_it_once(
    name: str, way: Callable[..., RunResult], caplog: pytest.LogCaptureFixture
) -> None:
    model = Script(says("1. add"), says("#E1 = add(a=1, b=2)"), says("7"), says("8"))
    way(AGENTS[name](model, [add]), [ASKED, asks("secret"), result("other", "a secret"), NEXT])

    assert model.heard
    for heard in model.heard:
        check_history(heard)
        assert f"secret: {NOT_KNOWN}" in written(heard)
        assert lone("a secret") in written(heard)
    (warning,) = warnings(caplog)
    assert warning == (
        "test:script is sent a conversation that was repaired (calls without a result: 1, results without a call: 1); "
        "the conversation itself is not changed"
    )
    assert {each.name for each in caplog.records if each.levelno == logging.WARNING} == {"fcregistry"}


@pytest.mark.parametrize(
    ("history", "repair"),
    [
        ("a message of the user between a call and its result", "results that were not right after their call: 1"),
        ("two calls of one id in a message", "calls with the id of an earlier call: 1"),
    ],
)
def test_the_log_says_what_was_repaired(history: str, repair: str, caplog: pytest.LogCaptureFixture) -> None:
    ReactAgent(Script(says("Done.")), [add]).run(HISTORIES[history][0])
    (warning,) = warnings(caplog)
    assert f"({repair})" in warning


def test_a_history_that_providers_accept_is_sent_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    history = messages_of([ASKED, asks("a", "b"), result("a"), result("b"), asks("c"), result("c"), NEXT])
    model = Script(says("Done."))
    ReactAgent(model, [add]).run(history)
    assert all(sent is given for sent, given in zip(model.heard[0], history, strict=True))
    ReactAgent(model, [add]).run(HISTORIES["results in another order"][0])
    assert not warnings(caplog)


def test_parts_of_a_result_without_a_call_are_sent() -> None:
    image = Content.image(b"\x89PNG\r\n\x1a\n", media_type="image/png")
    model = Script(says("A cat."))
    ReactAgent(model, [add]).run([Message(role="tool", content=(image,), tool_call_id="z"), "What is it?"])
    assert isinstance(model.heard[0][0].content, tuple)
    assert model.heard[0][0].content[1] == image


def test_new_calls_get_other_ids_than_those_that_are_sent() -> None:
    model = Script(calls(adds(1, 2, None)), says("3"))
    ReactAgent(model, [add]).run([ASKED, asks("a", "a"), NEXT])
    check_history(model.heard[1])


def test_a_function_gets_results_in_a_shape_of_its_own_as_they_are() -> None:
    """Here Anthropic's, in which the results of calls are blocks in a message of the user."""
    heard: list[Any] = []

    def model(messages: list[Any]) -> str:
        heard.extend(messages)
        return "Done."

    use = {"type": "tool_use", "id": "a", "name": "add", "input": {"a": 1, "b": 2}}
    block = {"type": "tool_result", "tool_use_id": "a", "content": "3"}
    history = [ASKED, {"role": "assistant", "content": [use]}, {"role": "user", "content": [block]}]
    assert ReactAgent(model, [add]).run(history).answer == "Done."
    assert heard == history


MADE = st.sampled_from(["", "a", "b", "c"])
MESSAGES = st.lists(
    st.one_of(
        st.builds(lambda ids: messages_of([asks(*ids)])[0], st.lists(MADE, max_size=3)),
        st.builds(lambda call, name: Message.of(result(call, "r", name=name)), MADE, st.sampled_from(["add", "other"])),
        st.sampled_from([Message(role="user", content="u"), Message(role="system", content="s")]),
    ),
    max_size=8,
)


@settings(max_examples=200)
@given(history=MESSAGES)
def test_any_history_is_sent_with_a_result_for_each_call_and_loses_nothing(history: list[Message]) -> None:
    model = Script(says("Done."))
    done = ReactAgent(model, [add]).run(history)
    (heard,) = model.heard
    if all(call.id for message in heard for call in message.tool_calls):  # clients complete missing ids
        check_history(heard)
    assert len([each for each in heard if each.text.endswith("r")]) == sum(each.role == "tool" for each in history)
    assert sum(len(each.tool_calls) for each in heard) == sum(len(each.tool_calls) for each in history)
    assert done.messages[:-1] == tuple(history)


# --- providers ------------------------------------------------------------------------------------

PROVIDERS: dict[str, tuple[Any, Callable[..., Any], Any]] = {
    "openai": (chat_problem, openai_wire.chat, openai_wire.chat_reply()),
    "openai-responses": (
        responses_problem,
        openai_wire.responses,
        openai_wire.json_reply(openai_wire.response([openai_wire.text_item("Hello!")])),
    ),
    "anthropic": (messages_problem, anthropic_wire.model_at, anthropic_wire.answer({"type": "text", "text": "Hello!"})),
}
providers = pytest.mark.parametrize("provider", PROVIDERS)

MOVED = {
    "a message of the user between a call and its result",
    "messages of others between calls and their results",
    "a result after other calls",
}
ACCEPTED = {
    "openai": {"results in another order"},
    "openai-responses": {"results in another order", *MOVED},
    "anthropic": {"results in another order", "two calls of one id in a message", *MOVED},
}
"""The histories that a client sends so that the provider accepts them."""


@providers
@histories
def test_providers_accept_what_is_sent(provider: str, history: list[Any], sent: list[str]) -> None:
    problem, model, reply = PROVIDERS[provider]
    with StrictServer(problem, reply) as server:
        done = ReactAgent(model(server), [add]).run(history)
        assert (done.answer, done.error, server.refusals) == ("Hello!", None, [])
        (request,) = server.requests
    texts = list(texts_in(request.json))
    for line in sent:
        if ": " in line:
            assert any(line.partition(": ")[2] in text for text in texts)


@providers
def test_providers_refuse_these_histories_as_they_are(provider: str) -> None:
    """So that the servers of the test above show something. Clients order what some APIs accept in any order, and complete missing ids."""
    problem, model, reply = PROVIDERS[provider]
    refused = set()
    for name, (history, _) in HISTORIES.items():
        with StrictServer(problem, reply) as server, suppress(ModelError):
            model(server).complete(history)
        refused.update([name] * len(server.refusals))
    assert refused == HISTORIES.keys() - ACCEPTED[provider]


def test_a_prompt_has_a_result_for_each_call() -> None:
    prompts: list[str] = []

    def model(prompt: str) -> str:
        prompts.append(prompt)
        return "Done."

    history = HISTORIES["one of two calls without a result"][0]
    assert ReactAgent(TextModel(model, "hermes", "chatml"), [add]).run(history).answer == "Done."
    (prompt,) = prompts
    assert prompt.count("</tool_response>") == 2
    assert prompt.index("is not known") < prompt.index("And now?")


# --- conversations --------------------------------------------------------------------------------


def test_a_conversation_sends_what_it_loaded_repaired_and_keeps_it_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    history = [ASKED, asks("a"), NEXT, result("z", "7")]
    model = Script(says("First."), says("Second."))
    conversation = Conversation(model, [add], messages=history)
    assert conversation.messages == messages_of(history)

    assert conversation.say("Well?").answer == "First."
    again = Conversation.from_json(conversation.to_json(), model, [add])
    assert again.say("And?").answer == "Second."
    assert again.say("And?").ok
    for heard in model.heard:
        assert written(heard)[:5] == ["user: 1 + 2?", "a()", f"a: {NOT_KNOWN}", "user: And now?", lone("7")]
        check_history(heard)
    assert again.messages[:4] == messages_of(history)
    assert len(warnings(caplog)) == 2  # once for each conversation


def test_a_conversation_that_drops_a_call_sends_its_result_as_text() -> None:
    model = Script(says("Done."))
    history = [ASKED, asks("a"), NEXT, result("a")]
    Conversation(model, [add], messages=history, max_messages=3).say("Well?")
    assert written(model.heard[0]) == ["user: And now?", lone("3"), "user: Well?"]


# --- suspended runs -------------------------------------------------------------------------------

GUARDED = Tool.from_function(add, requires_approval=True)
REFUSED = (
    r"^calls of this conversation wait for a decision: '1'; resume it first, with the state of its run \(agent\.resume\), "
    "or leave out the message that makes them$"
)


def suspended() -> tuple[ReactAgent[str], RunResult]:
    """Return an agent, and a run of it that waits."""
    agent = ReactAgent(Script(calls(adds(1, 2)), says("3"), says("Bye.")), [GUARDED])
    waiting = agent.run("1 + 2?")
    assert waiting.stop_reason == "approval"
    return agent, waiting


@pytest.mark.parametrize("way", WAYS)
def test_the_history_of_a_suspended_run_is_refused(way: Callable[..., RunResult]) -> None:
    agent, waiting = suspended()
    for history in ([*waiting.messages, NEXT], waiting.messages, waiting.to_json()["messages"]):
        with pytest.raises(ApprovalError, match=REFUSED):
            way(agent, history)
    assert agent.resume(waiting.state, {"1": Approve()}).answer == "3"  # type: ignore[arg-type]  # it waits


def test_a_suspended_run_can_go_on_once_it_was_resumed() -> None:
    agent, waiting = suspended()
    assert waiting.state is not None
    state = RunState.from_json(waiting.state.to_json(key=KEY), key=KEY)
    resumed = agent.resume(state, {"1": Approve()})
    before = [message.replaced(suspended=False) for message in waiting.messages]
    assert list(resumed.messages[: len(before)]) == before
    saved = json.loads(json.dumps([message.to_dict() for message in resumed.messages]))
    assert agent.run([*saved, NEXT]).answer == "Bye."


@pytest.mark.parametrize("make", [FunctionCall, PlanAndSolveAgent, ReWOOAgent])
def test_other_agents_refuse_it_too(make: Callable[..., Any]) -> None:
    _, waiting = suspended()
    with pytest.raises(ApprovalError, match=REFUSED):
        make(Script(says("3")), [add]).run([*waiting.messages, NEXT])


@pytest.mark.parametrize("make", [PlanAndSolveAgent, ReWOOAgent])
def test_the_history_of_a_plan_that_waits_is_refused(make: Callable[..., Any]) -> None:
    plans = {PlanAndSolveAgent: [says("1. Add."), calls(adds(1, 2))], ReWOOAgent: [says("#E1 = add(a=1, b=2)")]}
    waiting = make(Script(*plans[make]), [GUARDED]).run("1 + 2?")
    assert waiting.stop_reason == "approval"
    with pytest.raises(ApprovalError, match="resume it first"):
        ReactAgent(Script(says("3")), [add]).run([*waiting.messages, NEXT])


def test_a_conversation_refuses_it_as_it_does_its_own() -> None:
    _, waiting = suspended()
    conversation = Conversation(Script(says("3")), [add], messages=waiting.messages)
    with pytest.raises(ApprovalError, match=REFUSED):
        conversation.say("Well?")
    without_state = json.dumps({"version": 1, "messages": [message.to_dict() for message in waiting.messages]})
    with pytest.raises(ApprovalError, match=REFUSED):
        Conversation.from_json(without_state, Script(says("3")), [add]).say("Well?")


RESUMED = {
    FunctionCall: [calls(adds(1, 2))],
    ReactAgent: [calls(adds(1, 2)), says("3")],
    PlanAndSolveAgent: [says("1. Add."), calls(adds(1, 2)), says("3")],
    ReWOOAgent: [says("#E1 = add(a=1, b=2)"), says("3")],
}


@pytest.mark.parametrize("make", RESUMED)
def test_the_mark_of_a_suspended_run_is_gone_once_it_was_resumed(make: Callable[..., Any]) -> None:
    agent = make(Script(*RESUMED[make]), [GUARDED])
    waiting = agent.run("1 + 2?")
    done = agent.resume(waiting.state, {waiting.pending[0].id: Approve()})
    assert [message.suspended for message in waiting.messages].count(True) == 1
    assert not any(message.suspended for message in done.messages)
    model = Script(says("Done."))  # is sent the history after a program has dropped the results
    without_results = [message for message in done.messages if message.role != "tool"]
    assert ReactAgent(model, [add]).run([*without_results, NEXT]).answer == "Done."
    assert ": The call has no result in this conversation" in "\n".join(written(model.heard[0]))


def test_a_message_of_calls_can_be_made_and_stored_with_the_mark() -> None:
    message = Message(role="assistant", tool_calls=(ToolCall("add", "{}", "1"),), suspended=True)
    assert message.to_dict()["suspended"] is True
    assert Message.of(message.to_dict()) == message
