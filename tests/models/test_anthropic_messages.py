"""Requests and answers of Anthropic's messages API, over real HTTP, with the real SDK."""

from __future__ import annotations

import pytest

from fcregistry import Tool, ToolCall
from fcregistry.errors import ModelError
from fcregistry.models import AnthropicMessages, Message, Usage

from .anthropic_wire import TEXT, answer, ended, model_at, started, stream, texts
from .provider_server import ProviderServer

CALL = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Tokyo"}}


def weather(city: str) -> str:
    """Tell the weather in a city."""
    return city


WEATHER = Tool.from_function(weather)
DESCRIBED = {
    "name": "weather",
    "description": "Tell the weather in a city.",
    "input_schema": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    },
}


def test_a_question_is_answered() -> None:
    with ProviderServer(answer(TEXT)) as server:
        completion = model_at(server).complete("Does it rain?")

    (request,) = server.requests
    assert (request.path, request.headers["anthropic-version"][:2]) == ("/v1/messages", "20")
    assert "sk-ant-test" in (request.headers.get("x-api-key") or request.headers["authorization"])
    assert request.json == {
        "model": "claude-test",
        "max_tokens": 8192,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Does it rain?"}]}],
    }
    assert completion.message == Message(role="assistant", content="It rains.", native={"anthropic": [TEXT]})
    assert (completion.finish_reason, completion.model) == ("stop", "claude-test-1")
    assert completion.usage == Usage(input_tokens=60, output_tokens=7, cached_tokens=30, requests=1)
    assert completion.details == {"id": "msg_1", "stop_reason": "end_turn"}


def test_tools_are_offered_and_calls_and_thoughts_are_read() -> None:
    thought = {"type": "thinking", "thinking": "Tokyo, then.", "signature": "c2lnbmVk"}
    hidden = {"type": "redacted_thinking", "data": "c2VjcmV0"}
    usage = {"input_tokens": 1, "output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4}}
    with ProviderServer(answer(thought, hidden, TEXT, CALL, stop_reason="tool_use", usage=usage)) as server:
        completion = model_at(server).complete([{"role": "system", "content": "Be brief."}, "Tokyo?"], [WEATHER])

    request = server.requests[0].json
    assert (request["system"], request["tools"]) == ("Be brief.", [DESCRIBED])
    assert "tool_choice" not in request
    assert completion.message.tool_calls == (ToolCall("weather", {"city": "Tokyo"}, "toolu_1"),)
    assert (completion.message.reasoning, completion.finish_reason) == ("Tokyo, then.", "tool_calls")
    assert completion.message.native["anthropic"] == [thought, hidden, TEXT, CALL]
    assert completion.usage.reasoning_tokens == 4


@pytest.mark.parametrize(
    ("choice", "sent"),
    [("required", {"type": "any"}), ("none", {"type": "none"}), ("weather", {"type": "tool", "name": "weather"})],
)
def test_the_choice_of_tools_is_sent(choice: str, sent: dict[str, str]) -> None:
    with ProviderServer(answer(TEXT)) as server:
        model_at(server).complete("Hi", [WEATHER], tool_choice=choice)

    assert server.requests[0].json["tool_choice"] == sent


def test_without_tools_no_choice_is_sent_and_none_can_be_required() -> None:
    with ProviderServer(answer(TEXT)) as server:
        model_at(server).complete("Hi", tool_choice="none")
        with pytest.raises(ValueError, match=r"tool_choice is 'required'; .*: there is none$"):
            model_at(server).complete("Hi", tool_choice="required")

    (request,) = server.requests
    assert "tool_choice" not in request.json


def test_the_choice_of_a_tool_that_is_not_offered_is_refused_before_it_is_sent() -> None:
    with ProviderServer() as server:
        model = model_at(server, settings={"tools": [{"type": "bash_20250124", "name": "bash"}]})
        with pytest.raises(ValueError, match=r"tool_choice is 'wether'; it must be .* that is offered: weather, bash$"):
            model.complete("Hi", [WEATHER], tool_choice="wether")


@pytest.mark.parametrize("stop_reason", ["end_turn", "tool_use"])
def test_calls_are_the_finish_reason_also_if_the_server_says_otherwise(stop_reason: str) -> None:
    with ProviderServer(answer(CALL, stop_reason=stop_reason)) as server:
        assert model_at(server).complete("Hi", [WEATHER]).finish_reason == "tool_calls"


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "content_filter"),
        ("pause_turn", "other"),
        ("something_new", "other"),
        (None, "other"),
    ],
)
def test_the_finish_reason_keeps_the_providers_word_in_details(reason: str | None, finish: str) -> None:
    with ProviderServer(answer(TEXT, stop_reason=reason)) as server:
        completion = model_at(server).complete("Hi")

    assert completion.finish_reason == finish
    assert completion.details.get("stop_reason") == reason


def test_the_providers_own_tools_are_offered_and_their_blocks_are_sent_back() -> None:
    search = {"type": "web_search_20250305", "name": "web_search"}
    asked = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "rain"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"type": "web_search_result"}]}
    before = {"type": "text", "text": "I look."}
    with ProviderServer(answer(before, asked, found, TEXT, stop_reason="pause_turn")) as server:
        model = model_at(server, settings={"tools": [search]})
        completion = model.complete("Rain?", [WEATHER])
        model.complete(["Rain?", completion.message])

    first, second = (request.json for request in server.requests)
    assert (first["tools"], second["tools"]) == ([DESCRIBED, search], [search])
    assert (completion.message.tool_calls, completion.message.content) == ((), "I look.\n\nIt rains.")
    assert second["messages"][1] == {"role": "assistant", "content": [before, asked, found, TEXT]}


def test_a_text_with_citations_comes_in_blocks_and_runs_on() -> None:
    cited = {"type": "text", "text": "rains", "citations": [{"type": "char_location", "cited_text": "rain"}]}
    with ProviderServer(answer({"type": "text", "text": "It "}, cited, {"type": "text", "text": "."})) as server:
        assert model_at(server).complete("Hi").message.content == "It rains."


def test_settings_are_sent_as_they_are_and_the_conversation_has_precedence() -> None:
    settings = {"temperature": 0.5, "thinking": {"type": "adaptive"}, "system": "Never sent.", "max_tokens": 100}
    with ProviderServer(answer(TEXT)) as server:
        model_at(server, settings=settings, max_tokens=50).complete([{"role": "system", "content": "Be brief."}, "Hi"])

    request = server.requests[0].json
    assert (request["temperature"], request["thinking"]) == (0.5, {"type": "adaptive"})
    assert (request["system"], request["max_tokens"]) == ("Be brief.", 100)
    assert settings["max_tokens"] == 100


@pytest.mark.parametrize("name", ["messages", "model", "stream"])
def test_fields_that_every_request_sets_are_not_settings(name: str) -> None:
    with pytest.raises(ValueError, match=f"^settings of anthropic:c cannot have {name}: every request sets its own$"):
        AnthropicMessages("c", settings={name: [], "temperature": 1})


def test_settings_of_the_sdk_are_not_sent() -> None:
    settings = {
        "timeout": 20,
        "extra_headers": {"anthropic-beta": "a-beta"},
        "extra_query": {"beta": "true"},
        "extra_body": {"n": 1},
    }
    with ProviderServer(answer(TEXT)) as server:
        model_at(server, settings=settings).complete("Hi")

    (request,) = server.requests
    assert sorted(request.json) == ["max_tokens", "messages", "model", "n"]
    assert (request.headers["anthropic-beta"], request.path) == ("a-beta", "/v1/messages?beta=true")


def test_a_call_that_a_limit_may_have_cut_is_text_that_no_executor_completes() -> None:
    whole, cut = {**CALL, "id": "toolu_0"}, {**CALL, "input": {"city": "Tok"}}
    with ProviderServer(answer(whole, cut, stop_reason="max_tokens"), answer(TEXT)) as server:
        model = model_at(server)
        message = model.complete("Tokyo?", [WEATHER]).message
        model.complete(["Tokyo?", message])

    assert [call.arguments for call in message.tool_calls] == [{"city": "Tokyo"}, '{"city": "Tok"']
    sent = server.requests[1].json["messages"][1]["content"]
    assert [block["input"] for block in sent] == [{"city": "Tokyo"}, {"INVALID_JSON": '{"city": "Tok"'}]


def test_a_call_without_arguments_that_a_limit_may_have_cut_is_not_run_without_them() -> None:
    with ProviderServer(answer({**CALL, "input": {}}, stop_reason="max_tokens")) as server:
        (call,) = model_at(server).complete("Tokyo?", [WEATHER]).message.tool_calls

    assert call.arguments == "{"


def test_a_long_answer_is_streamed_by_itself() -> None:
    with ProviderServer(stream(started(), texts(0, "It ", "rains."), ended())) as server:
        completion = model_at(server, max_tokens=64_000).complete("Hi")

    assert (server.requests[0].json["stream"], completion.message.content) == (True, "It rains.")


@pytest.mark.parametrize("given", ["not JSON", "[]", '{"type": "message"}', '{"type": "message", "content": ["text"]}'])
def test_an_answer_without_a_message_is_a_model_error(given: str) -> None:
    reply = answer(TEXT)
    reply = type(reply)(headers=reply.headers, pieces=[given])
    with (
        ProviderServer(reply) as server,
        pytest.raises(ModelError, match="sent an answer that cannot be read") as raised,
    ):
        model_at(server).complete("Hi")

    assert raised.value.retryable is False


def test_a_malformed_call_is_kept_for_the_executor_to_answer() -> None:
    with ProviderServer(answer({**CALL, "name": ""}, CALL, stop_reason="tool_use")) as server:
        broken, whole = model_at(server).complete("Hi", [WEATHER]).message.tool_calls

    assert (broken.name, broken.id) == ("", "toolu_1")
    assert whole.arguments == {"city": "Tokyo"}
