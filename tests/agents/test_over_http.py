"""Agents over real HTTP, in two rounds: requests that providers accept, and answers as they write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fcregistry.agents import Conversation, FunctionCall, ReactAgent, RunResult

from ..models import anthropic_wire, openai_wire  # noqa: TID252  # the tests are no package
from ..models.provider_server import ProviderServer, Reply, stream_reply  # noqa: TID252
from .scripts import WAYS, add, astreamed, check_history, streamed

ARGUMENTS = '{"a": 1, "b": 2}'


def openai_replies(*, streams: bool) -> list[Reply]:
    """Return what OpenAI answers: two calls, and then a text."""
    made = [openai_wire.call("add", ARGUMENTS, "call_a"), openai_wire.call("no_such", "{", "call_b")]
    if not streams:
        return [
            openai_wire.chat_reply({"content": None, "tool_calls": made}, "tool_calls"),
            openai_wire.chat_reply({"content": "It is 3."}),
        ]
    pieces = [
        openai_wire.chunk({"role": "assistant", "content": None}),
        *(openai_wire.chunk({"tool_calls": [{"index": index, **call}]}) for index, call in enumerate(made)),
        openai_wire.chunk(finish="tool_calls"),
        openai_wire.USED,
        openai_wire.DONE,
    ]
    return [stream_reply(pieces), openai_wire.chat_stream("It is", " 3.")]


def anthropic_replies(*, streams: bool) -> list[Reply]:
    """Return what Anthropic answers: two calls, and then a text."""
    if not streams:
        made = [
            {"type": "tool_use", "id": "toolu_a", "name": "add", "input": {"a": 1, "b": 2}},
            {"type": "tool_use", "id": "toolu_b", "name": "no_such", "input": {}},
        ]
        return [
            anthropic_wire.answer(*made, stop_reason="tool_use"),
            anthropic_wire.answer({"type": "text", "text": "It is 3."}),
        ]
    begun, done = anthropic_wire.started(), anthropic_wire.ended
    return [
        anthropic_wire.stream(
            begun,
            anthropic_wire.use(0, "toolu_a", '{"a": 1,', ' "b": 2}', name="add"),
            anthropic_wire.use(1, "toolu_b", name="no_such"),
            done("tool_use"),
        ),
        anthropic_wire.stream(begun, anthropic_wire.texts(0, "It is", " 3."), done()),
    ]


PROVIDERS: dict[str, tuple[Callable[..., list[Reply]], Callable[[ProviderServer], Any]]] = {
    "openai": (openai_replies, openai_wire.chat),
    "anthropic": (anthropic_replies, anthropic_wire.model_at),
}


def roles(request: Any) -> list[str]:
    return [message["role"] for message in request["messages"]]


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("way", WAYS)
def test_two_rounds_with_a_provider(provider: str, way: Callable[..., RunResult]) -> None:
    replies, model = PROVIDERS[provider]
    with ProviderServer(*replies(streams=way in (streamed, astreamed))) as server:
        result = way(ReactAgent(model(server), [add], instructions="Be brief.", max_rounds=2), "1 + 2?")

        assert (result.answer, result.stop_reason, result.error) == ("It is 3.", "answered", None)
        assert [each.ok for each in result.tool_results] == [True, False]
        assert result.usage.requests == 2
        assert result.usage.output_tokens > 0
        check_history(result.messages)
        first, second = (request.json for request in server.requests)
    assert len(first["tools"]) == 1
    told = str(second["messages"])
    assert "3" in told
    assert "there is no tool" in told
    assert "Tool-call rounds left: 1." in told
    assert "left" not in str(first)
    if provider == "openai":
        assert roles(second) == ["system", "user", "assistant", "tool", "tool"]
        assert [each["tool_call_id"] for each in second["messages"][3:]] == ["call_a", "call_b"]
    else:
        assert roles(second) == ["user", "assistant", "user"]
        assert [each["tool_use_id"] for each in second["messages"][2]["content"]] == ["toolu_a", "toolu_b"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_one_round_is_handed_back_for_the_next(provider: str) -> None:
    replies, model = PROVIDERS[provider]
    with ProviderServer(*replies(streams=False)) as server:
        fc = FunctionCall(model(server), [add])
        said = fc("1 + 2?")
        assert said["tool_calls_results"][0] == "3"
        assert fc(["1 + 2?", said]) == "It is 3."
        assert roles(server.requests[1].json)[:2] == ["user", "assistant"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_conversation_goes_on_after_it_was_saved_with_what_the_provider_said(provider: str) -> None:
    replies, model = PROVIDERS[provider]
    with ProviderServer(*replies(streams=False)) as server:
        conversation = Conversation(model(server), [add])
        conversation.say("1 + 2?")
        again = Conversation.from_json(conversation.to_json(), model(server), [add])
        assert again.say("Sure?").answer == "It is 3."
        before, after = (request.json["messages"] for request in server.requests[1:])
    assert len(after) == len(before) + 2


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("way", WAYS)
def test_a_provider_that_fails_is_why_there_is_no_answer(provider: str, way: Callable[..., RunResult]) -> None:
    _, model = PROVIDERS[provider]
    with ProviderServer(Reply(status=500)) as server:
        result = way(ReactAgent(model(server), [add]), "?")
    assert result.stop_reason == "model_error"
    assert type(result.error).__name__ == "ModelError"


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("way", WAYS)
def test_a_provider_that_says_nothing_is_left_when_the_time_is_over(
    provider: str, way: Callable[..., RunResult]
) -> None:
    _, model = PROVIDERS[provider]
    with ProviderServer(Reply(silent=True)) as server:
        assert way(ReactAgent(model(server), [add]), "?", time_budget=0.1).stop_reason == "time_budget"
