"""Requests and answers of OpenAI's chat completions API."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from fcregistry import Executor, Tool
from fcregistry.errors import ModelError
from fcregistry.execution import Content
from fcregistry.models import Message, Usage, messages_of

from .openai_wire import call, chat, chat_reply
from .provider_server import ProviderServer, json_reply

PNG = b"\x89PNG\r\n\x1a\n"


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


ADD = Tool.from_function(add)


def sent(conversation: Any, **options: Any) -> list[dict[str, Any]]:
    """Return the messages that a server gets of a conversation."""
    with ProviderServer(chat_reply()) as server:
        chat(server, **options).complete(conversation)
        return server.requests[0].json["messages"]


def answer(message: dict[str, Any], finish: str | None = "stop", **more: Any) -> Any:
    """Return the completion that is made of a server's message."""
    with ProviderServer(chat_reply(message, finish, **more)) as server:
        return chat(server).complete("Hi")


# --- what is sent ---------------------------------------------------------------------------------


def test_a_request_has_the_model_the_conversation_and_nothing_that_was_not_asked_for() -> None:
    with ProviderServer(chat_reply()) as server:
        chat(server).complete([{"role": "developer", "content": "Be brief."}, "Hi"])
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer sk-test-1234567890abcdef"
    assert request.json == {
        "model": "gpt-5",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
    }


def test_tools_are_described_as_the_format_does() -> None:
    with ProviderServer(chat_reply()) as server:
        chat(server).complete("Hi", [ADD])
    request = server.requests[0].json
    assert request["tools"][0]["function"]["name"] == "add"
    assert request["tools"][0]["function"]["parameters"] == ADD.parameters


@pytest.mark.parametrize(
    ("choice", "written"),
    [
        ("auto", "auto"),
        ("required", "required"),
        ("none", "none"),
        ("add", {"type": "function", "function": {"name": "add"}}),
    ],
)
def test_tool_choice_is_written_as_the_api_takes_it(choice: str, written: object) -> None:
    with ProviderServer(chat_reply()) as server:
        chat(server).complete("Hi", [ADD], tool_choice=choice)
    assert server.requests[0].json["tool_choice"] == written


def test_without_tools_no_choice_is_sent_and_none_can_be_required() -> None:
    with ProviderServer(chat_reply()) as server:
        chat(server).complete("Hi", tool_choice="none")
        with pytest.raises(ValueError, match=r"'required'; .* that is offered: there is none"):
            chat(server).complete("Hi", tool_choice="required")
        with pytest.raises(ValueError, match=r"tool_choice is 'multiply'; it must be .* that is offered: add"):
            chat(server).complete("Hi", [ADD], tool_choice="multiply")
    assert [request.json.keys() for request in server.requests] == [{"model", "messages"}]


def test_a_message_that_only_calls_goes_back_with_null_content_and_its_results_beside_it() -> None:
    conversation = messages_of(
        [
            "What is 1 + 2?",
            {"role": "assistant", "content": "", "tool_calls": [call()]},
            Message.of_result(Executor([ADD]).run(call())),
        ]
    )
    assert sent(conversation)[1:] == [
        {"role": "assistant", "content": None, "tool_calls": [call()]},
        {"role": "tool", "tool_call_id": "call_a", "content": "3"},
    ]


def test_a_formatted_message_keeps_calls_and_thoughts_loses_index_and_is_not_changed() -> None:
    message = {
        "role": "assistant",
        "content": "Let me add.",
        "reasoning_content": "They want a sum.",
        "tool_calls": [{"index": 0, **call()}],
    }
    before = deepcopy(message)
    assert sent([message]) == [
        {
            "role": "assistant",
            "content": "Let me add.",
            "reasoning_content": "They want a sum.",
            "tool_calls": [call()],
        }
    ]
    assert message == before


def test_thoughts_go_back_under_the_name_they_came_by_and_only_before_calls() -> None:
    thinking = answer({"content": None, "reasoning": "A sum.", "tool_calls": [call()]}, "tool_calls").message
    done = answer({"content": "3", "reasoning": "I have it."}).message
    assert thinking.reasoning == "A sum."
    first, second = sent([thinking, done])
    assert first["reasoning"] == "A sum."
    assert second == {"role": "assistant", "content": "3"}


def test_thoughts_of_another_provider_are_not_sent() -> None:
    message = Message(
        role="assistant",
        reasoning="Hm.",
        tool_calls=messages_of([{"role": "assistant", "content": None, "tool_calls": [call()]}])[0].tool_calls,
        native={"anthropic": [{"type": "thinking", "thinking": "Hm.", "signature": "x"}]},
    )
    assert sent([message]) == [{"role": "assistant", "content": None, "tool_calls": [call()]}]


def test_the_providers_own_fields_of_a_call_are_sent_back() -> None:
    signature = {"google": {"thought_signature": "c2ln"}}
    message = answer({"tool_calls": [{**call(), "extra_content": signature}]}, "tool_calls").message
    assert sent([message])[0]["tool_calls"] == [{**call(), "extra_content": signature}]
    assert sent([Message.of(message.to_dict())])[0]["tool_calls"] == [{**call(), "extra_content": signature}]


def test_content_other_than_text_is_sent_as_parts_or_named_in_words() -> None:
    conversation = Message(
        role="user",
        content=(
            Content.text("See:"),
            Content.image(PNG),
            Content.audio(b"RIFF0000WAVEfmt ", media_type="audio/wav"),
            Content.file(b"%PDF-1.7", name="a.pdf"),
            Content.link("https://example.com/cat.png", media_type="image/png"),
            Content.audio(b"OggS", media_type="audio/ogg"),
        ),
    )
    parts = sent([conversation])[0]["content"]
    assert [part["type"] for part in parts] == ["text", "image_url", "input_audio", "file", "image_url", "text"]
    assert parts[1]["image_url"]["url"].startswith("data:image/png;base64,")
    assert parts[4]["image_url"]["url"] == "https://example.com/cat.png"
    assert parts[5]["text"] == "[audio: audio/ogg, 4 bytes]"


def test_an_image_that_is_elsewhere_is_sent_as_it_came() -> None:
    image = {"type": "image_url", "image_url": {"url": "https://example.com/cat"}}
    assert sent([{"role": "user", "content": [{"type": "text", "text": "See:"}, image]}])[0]["content"][1] == image


def test_results_that_are_not_text_are_described_because_the_api_accepts_only_text() -> None:
    result = Message(role="tool", tool_call_id="call_a", content=(Content.text("The chart:"), Content.image(PNG)))
    (written,) = sent([result])
    assert written["content"] == "The chart:\n[image: image/png, 8 bytes]"


def test_calls_and_results_without_ids_get_matching_ones() -> None:
    conversation = [
        {"role": "assistant", "content": None, "tool_calls": [call(id=""), call("sub", id=""), call(id="call_1")]},
        {"role": "tool", "name": "sub", "content": "-1"},
        {"role": "tool", "content": "3"},
        {"role": "tool", "tool_call_id": "call_1", "content": "3"},
        {"role": "assistant", "content": None, "tool_calls": [call(id="")]},
        {"role": "tool", "content": "again"},
        {"role": "tool", "content": "of nothing"},
    ]
    written = sent(conversation)
    assert [each["id"] for each in written[0]["tool_calls"]] == ["call_2", "call_3", "call_1"]
    results = {each["content"]: each["tool_call_id"] for each in written if each["role"] == "tool"}
    assert results == {"-1": "call_3", "3": "call_1", "again": "call_4", "of nothing": "call_5"}
    assert written[2]["tool_call_id"] == "call_2"


def test_a_call_that_no_tool_can_be_named_like_is_sent_back_as_the_api_takes_names() -> None:
    message = {"role": "assistant", "content": None, "tool_calls": [call("web search!", None), call("", "")]}
    first, second = (each["function"] for each in sent([message])[0]["tool_calls"])
    assert first == {"name": "web_search_", "arguments": "{}"}
    assert second["name"] == "_"


# --- what is read ---------------------------------------------------------------------------------


def test_an_answer_in_text() -> None:
    completion = answer({"content": "Hello!"})
    assert completion.message == Message(role="assistant", content="Hello!")
    assert completion.finish_reason == "stop"
    assert completion.model == "gpt-5-2025-08-07"
    assert completion.details == {"id": "chatcmpl-123", "finish_reason": "stop"}
    assert completion.usage == Usage(
        input_tokens=82, output_tokens=17, cached_tokens=64, reasoning_tokens=5, requests=1
    )


def test_calls_are_read_in_order_and_a_malformed_one_is_kept_for_the_executor() -> None:
    written = [call(), {"id": "call_b", "type": "function"}, call("sub", '{"a": 1', "call_c")]
    completion = answer({"tool_calls": written}, "tool_calls")
    assert [(each.name, each.id) for each in completion.message.tool_calls] == [
        ("add", "call_a"),
        ("", "call_b"),
        ("sub", "call_c"),
    ]
    assert completion.message.tool_calls[2].arguments == '{"a": 1'
    results = Executor([ADD]).run_all(completion.message.tool_calls)
    assert [result.ok for result in results] == [True, False, False]


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("content_filter", "content_filter"),
        ("function_call", "tool_calls"),
        ("model_length", "length"),
        (None, "stop"),
        ("error", "other"),
    ],
)
def test_the_providers_word_for_why_it_stopped_is_mapped_and_kept(word: str | None, reason: str) -> None:
    completion = answer({"content": "Hi"}, word)
    assert completion.finish_reason == reason
    assert completion.details.get("finish_reason") == word


def test_calls_are_the_finish_reason_unless_the_answer_was_cut() -> None:
    assert answer({"tool_calls": [call()]}, "stop").finish_reason == "tool_calls"
    assert answer({"tool_calls": [call()]}, "length").finish_reason == "length"


def test_a_refusal_is_text_and_is_marked_in_details() -> None:
    completion = answer({"refusal": "I cannot help with that."})
    assert completion.message.text == "I cannot help with that."
    assert completion.details["refusal"] == "I cannot help with that."


def test_content_in_parts_is_read_with_its_thoughts() -> None:
    content = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "A sum."}]},
        {"type": "text", "text": "It is "},
        {"type": "text", "text": "3."},
    ]
    message = answer({"content": content}).message
    assert (message.content, message.reasoning) == ("It is 3.", "A sum.")


def test_missing_or_malformed_usage_is_not_an_error() -> None:
    assert answer({"content": "Hi"}, usage=None).usage == Usage(requests=1)
    deepseek = {"prompt_tokens": 10, "completion_tokens": None, "prompt_cache_hit_tokens": 4}
    assert answer({"content": "Hi"}, usage=deepseek).usage == Usage(input_tokens=10, cached_tokens=4, requests=1)


@pytest.mark.parametrize(
    "body", [{}, {"choices": []}, {"choices": None}, {"choices": [{"message": None}]}, {"choices": [3]}, [], "hello", 5]
)
def test_an_answer_in_another_shape_is_a_model_error(body: object) -> None:
    with (
        ProviderServer(json_reply(body)) as server,
        pytest.raises(
            ModelError,
            match=r"^openai:gpt-5 sent an answer that cannot be read: .*; check that base_url is the provider's API$",
        ),
    ):
        chat(server).complete("Hi")


def test_an_error_with_status_200_is_a_model_error() -> None:
    error = {"code": 429, "message": "Rate limit exceeded: free-models-per-day"}
    with ProviderServer(json_reply({"error": error})) as server, pytest.raises(ModelError) as raised:
        chat(server).complete("Hi")
    assert raised.value.retryable
    assert (
        str(raised.value)
        == "openai:gpt-5 failed while it answered: Rate limit exceeded: free-models-per-day; try again"
    )
