"""Ends of messages that are not answers: empty messages, calls that are announced and missing, refusals; and the former `function_call`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest

from fcregistry import Tool, ToolCall
from fcregistry.agents import Conversation, FunctionCall, PlanAndSolveAgent, ReactAgent, ReWOOAgent, RunState
from fcregistry.errors import ModelError, UnfinishedRunError
from fcregistry.execution import Approve
from fcregistry.models import Completion, Message

from ..models import anthropic_wire, openai_wire  # noqa: TID252  # the tests are no package
from ..models.provider_server import ProviderServer, Reply, json_reply, stream_reply  # noqa: TID252
from .scripts import ONE, WAYS, Counting, Script, add, adds, calls, says

EMPTY = [says(""), says(None), says(" \n"), says(None, reasoning="Let me think."), says("", "other")]
NOTE = "Your last message was empty: answer, or call a tool."


# --- messages without text and calls --------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("empty", EMPTY)
def test_after_an_empty_message_the_model_is_asked_once_more(empty: Completion, way: Callable[..., Any]) -> None:
    model = Script(empty, says("3"))
    result = way(ReactAgent(model, [add]), "1 + 2?")

    assert (result.answer, result.stop_reason, result.usage.requests) == ("3", "answered", 2)
    assert [message.text for message in result.messages] == ["1 + 2?", "3"]
    assert [message.text for message in model.heard[1]] == [f"1 + 2?\n\n{NOTE}"]
    assert [step.kind for step in result.steps] == ["model", "model"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("empty", EMPTY)
def test_a_second_empty_message_in_a_row_is_not_an_answer(empty: Completion, way: Callable[..., Any]) -> None:
    model = Script(empty)
    agent = ReactAgent(model, [add])
    result = way(agent, "?")

    assert (result.stop_reason, result.ok, result.answer, result.usage.requests) == ("empty", False, None, 2)
    assert str(result) == "the model's message had neither text nor calls"
    with pytest.raises(UnfinishedRunError, match="the model's message had neither text nor calls"):
        agent("?")


@pytest.mark.parametrize(("retries", "requests"), [(0, 1), (1, 2), (3, 4), (9, 5)])
def test_how_often_the_model_is_asked_again_can_be_set_and_counts_as_a_round(retries: int, requests: int) -> None:
    model = Script(says(""))
    result = ReactAgent(model, [add], retry_empty=retries).run("?")
    assert (result.stop_reason, len(model.heard), result.usage.requests) == ("empty", requests, requests)


@pytest.mark.parametrize("value", [-1, 1.5, True, "1"])
def test_an_invalid_number_of_retries_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=f"retry_empty takes a whole number of 0 or more, not {value!r}"):
        ReactAgent(Script(says("")), retry_empty=value)


def test_empty_messages_that_are_not_in_a_row_are_counted_anew() -> None:
    model = Script(says(""), calls(adds(1, 2)), says(""), says("3"))
    assert ReactAgent(model, [add]).run("?").answer == "3"
    assert NOTE in model.heard[3][-1].text
    assert NOTE not in model.heard[2][-1].text


def test_an_empty_message_in_the_last_round_is_not_an_answer_unless_a_summary_is_asked_for() -> None:
    assert ReactAgent(Script(says("")), [add], max_rounds=1).run("?").stop_reason == "empty"
    summary = ReactAgent(Script(says(""), says("3")), [add], max_rounds=1, force_summarize=True).run("?")
    assert summary.answer == "3"
    both = ReactAgent(Script(says("")), [add], max_rounds=1, force_summarize=True).run("?")
    assert both.stop_reason == "empty"


@pytest.mark.parametrize("kind", [Literal["", "a"], str | None])
@pytest.mark.parametrize("empty", [says(""), says(None, reasoning="Nothing.")])
def test_an_empty_message_is_the_empty_text_if_that_is_of_the_type_of_the_answer(kind: Any, empty: Completion) -> None:
    result = ReactAgent(Script(empty), answer_type=kind).run("?")
    assert (result.answer, result.ok, result.usage.requests) == ("", True, 1)


def test_an_empty_message_is_not_an_answer_of_another_type() -> None:
    assert ReactAgent(Script(says("")), answer_type=int).run("?").stop_reason == "empty"
    assert ReactAgent(Script(says(""), says("3")), answer_type=int, answer_retries=0).run("?").answer == 3


def test_a_round_of_its_own_returns_what_the_model_wrote() -> None:
    model = Script(says(""))
    assert FunctionCall(model, [add])("?") == ""
    assert len(model.heard) == 1
    result = FunctionCall(Script(says(" ")), [add]).run("?")
    assert (result.stop_reason, result.ok, result.answer) == ("empty", False, " ")


def test_an_answer_that_the_limit_cut_off_before_its_first_word_is_not_asked_for_again() -> None:
    for options in ({}, {"answer_type": int}):
        result = ReactAgent(Script(says("", "length", reasoning="Let")), **options).run("?")  # type: ignore[arg-type]
        assert (result.stop_reason, result.usage.requests) == ("length", 1)


def test_the_steps_of_a_plan_and_its_solver_ask_again_too() -> None:
    model = Script(says("1. Think"), says(""), says("3"))
    assert PlanAndSolveAgent(model).run("?").answer == "3"
    replanned = Script(says("1. Think"), says(""), says(""), says("1. Think more"), says("3"))
    assert PlanAndSolveAgent(replanned).run("?").answer == "3"
    solver = Script(says(""), says("3"))
    assert ReWOOAgent(Script(says("No tool is needed.")), solver=solver).run("?").answer == "3"


def test_an_empty_plan_is_sent_back_with_its_problem_alone() -> None:
    model = Script(says(""), says("1. Think"), says("3"))
    assert PlanAndSolveAgent(model, [add]).run("?").answer == "3"
    assert model.heard[1][-1].text.startswith("This plan cannot be carried out:")
    assert NOTE not in model.heard[1][-1].text
    assert PlanAndSolveAgent(Script(says("")), [add]).run("?").stop_reason == "invalid_plan"


def test_a_conversation_takes_the_option_for_its_agent() -> None:
    model = Script(says(""), says(""), says("3"))
    assert Conversation(model, retry_empty=2).say("?").answer == "3"


def test_a_run_that_waits_for_approval_keeps_its_counts() -> None:
    tool = Tool.from_function(add, requires_approval=True)
    agent = ReactAgent(Script(calls(adds(1, 2)), says(""), says("3")), [tool])
    waiting = agent.run("?")
    key = b"0123456789abcdef"
    assert waiting.state is not None
    state = RunState.from_json(waiting.state.to_json(key=key), key=key)
    assert agent.resume(state, {"1": Approve()}).answer == "3"


# --- calls that are announced and missing ---------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_a_message_that_says_that_it_calls_and_does_not_is_an_error_of_the_model(way: Callable[..., Any]) -> None:
    for agent in (ReactAgent, FunctionCall):
        model = Script(says("I call add.", "tool_calls"))
        result = way(agent(model, [add]), "?")
        assert (result.stop_reason, type(result.error), result.usage) == ("model_error", ModelError, ONE)
        why = "test:script says that it makes a call, but its message has none; try again"
        assert str(result.error) == why


ANNOUNCED: list[tuple[Callable[..., Any], Reply]] = [
    (openai_wire.chat, openai_wire.chat_reply({"content": ""}, "tool_calls")),
    (openai_wire.chat, openai_wire.chat_reply({"content": "Hi", "tool_calls": []}, "function_call")),
    (anthropic_wire.model_at, anthropic_wire.answer({"type": "text", "text": "Hi"}, stop_reason="tool_use")),
]
STREAMED: list[tuple[Callable[..., Any], Reply]] = [
    (openai_wire.chat, stream_reply([openai_wire.chunk({"content": "Hi"}, "tool_calls"), openai_wire.DONE])),
    (
        anthropic_wire.model_at,
        anthropic_wire.stream(
            anthropic_wire.started(), anthropic_wire.texts(0, "Hi"), anthropic_wire.ended("tool_use")
        ),
    ),
]


@pytest.mark.parametrize(
    ("model", "reply", "streams"),
    [*((*each, False) for each in ANNOUNCED), *((*each, True) for each in STREAMED)],
)
def test_a_provider_that_announces_a_call_and_sends_none_is_an_error(
    model: Callable[..., Any], reply: Reply, streams: bool
) -> None:
    with ProviderServer(reply) as server, model(server) as asked:
        result = WAYS[2 if streams else 0](ReactAgent(asked, [add]), "?")
    assert result.stop_reason == "model_error"
    assert "but its message has none" in str(result.error)


# --- the former function_call ---------------------------------------------------------------------

FORMER = {"name": "add", "arguments": '{"a": 1, "b": 2}'}


def former_stream(*pieces: Any, more: dict[str, Any] | None = None) -> Reply:
    """Return a stream of a call in the former field."""
    events = [openai_wire.chunk({"function_call": piece, **(more or {})}) for piece in pieces]
    return stream_reply([*events, openai_wire.chunk(finish="function_call"), openai_wire.DONE])


@pytest.mark.parametrize(
    "reply",
    [
        openai_wire.chat_reply({"function_call": FORMER}, "function_call"),
        openai_wire.chat_reply({"function_call": FORMER}, "stop"),
        openai_wire.chat_reply({"function_call": FORMER, "tool_calls": [openai_wire.call()]}, "tool_calls"),
        former_stream({"name": "add", "arguments": ""}, {"arguments": '{"a": 1,'}, {"arguments": ' "b": 2}'}),
        former_stream({"name": "add"}, {"name": None, "arguments": '{"a": 1, "b": 2}'}),
        former_stream(FORMER, more={"tool_calls": [{"index": 0, **openai_wire.call()}]}),
    ],
)
def test_a_call_in_the_former_field_runs_once(reply: Reply) -> None:
    counting = Counting()
    streams = reply.headers["content-type"] == "text/event-stream"
    end = openai_wire.chat_stream("It is 3.") if streams else openai_wire.chat_reply({"content": "It is 3."})
    with ProviderServer(reply, end) as server, openai_wire.chat(server) as model:
        result = WAYS[2 if streams else 0](ReactAgent(model, [counting.add]), "1 + 2?")
    assert (result.answer, counting.ran) == ("It is 3.", 1)
    assert [each.value for each in result.tool_results] == [3]


@pytest.mark.parametrize("empty", [None, {}, {"name": None, "arguments": None}, {"name": "", "arguments": ""}])
def test_an_empty_former_field_is_no_call(empty: Any) -> None:
    with (
        ProviderServer(openai_wire.chat_reply({"content": "Hi", "function_call": empty})) as server,
        openai_wire.chat(server) as model,
    ):
        assert ReactAgent(model, [add]).run("?").answer == "Hi"


# --- refusals -------------------------------------------------------------------------------------

REFUSAL = {"type": "refusal", "refusal": "I cannot."}
REFUSED: list[tuple[Callable[..., Any], Reply]] = [
    (openai_wire.chat, openai_wire.chat_reply({"refusal": "I cannot."})),
    (openai_wire.chat, stream_reply([openai_wire.chunk({"refusal": "I cannot."}), openai_wire.chunk(finish="stop")])),
    (
        openai_wire.responses,
        json_reply(openai_wire.response([{**openai_wire.text_item(""), "content": [REFUSAL]}])),
    ),
    (anthropic_wire.model_at, anthropic_wire.answer({"type": "text", "text": "I cannot."}, stop_reason="refusal")),
]


@pytest.mark.parametrize(("model", "reply"), REFUSED)
@pytest.mark.parametrize("options", [{}, {"answer_type": int}])
def test_a_refusal_ends_a_run_as_a_filter_does(model: Callable[..., Any], reply: Reply, options: Any) -> None:
    streams = reply.headers["content-type"] == "text/event-stream"
    with ProviderServer(reply) as server, model(server) as asked:
        result = WAYS[2 if streams else 0](ReactAgent(asked, [add], **options), "?")
    assert (result.stop_reason, result.ok, result.usage.requests) == ("content_filter", False, 1)
    assert result.answer == (None if options else "I cannot.")


def test_a_function_says_with_a_choice_why_a_refusal_ended() -> None:
    refused = {"role": "assistant", "content": None, "refusal": "I cannot."}
    for reason, end in (("content_filter", "content_filter"), ("stop", "answered")):
        choice = {"message": refused, "finish_reason": reason}
        result = ReactAgent(lambda messages, choice=choice: choice).run("?")
        assert (result.stop_reason, result.answer) == (end, "I cannot.")


def test_a_message_with_a_refusal_runs_no_call() -> None:
    counting = Counting()
    message = Message(
        role="assistant", tool_calls=(ToolCall("add", '{"a": 1, "b": 2}', "1"), ToolCall("add", "{}", "2"))
    )
    refused = Completion(message=message, finish_reason="content_filter")
    assert ReactAgent(Script(refused), [counting.add]).run("?").stop_reason == "content_filter"
    assert counting.ran == 0
