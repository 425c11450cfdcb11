"""Requests and answers of OpenAI's responses API."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from fcregistry import Executor, Tool, ToolCall
from fcregistry.errors import ModelError
from fcregistry.execution import Content
from fcregistry.models import Completion, Delta, Message, ToolCallDelta, Usage

from .openai_wire import call, call_item, happened, response, responses, text_item, thought_item
from .provider_server import ProviderServer, json_reply, stream_reply


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


ADD = Tool.from_function(add)
THOUGHT = [thought_item(), call_item()]


def asked(conversation: Any, tools: Any = (), tool_choice: str = "auto", **options: Any) -> dict[str, Any]:
    """Return the request that a server gets."""
    with ProviderServer(json_reply(response([text_item("Hello!")]))) as server:
        responses(server, **options).complete(conversation, tools, tool_choice=tool_choice)
        return server.requests[0].json


def answer(output: list[Any], **more: Any) -> Completion:
    """Return the completion that is made of an output."""
    with ProviderServer(json_reply(response(output, **more))) as server:
        return responses(server).complete("Hi")


def streamed(*events: Any, cut: bool = False) -> list[Delta | Completion]:
    """Return what is made of the events that a server sends."""
    with ProviderServer(stream_reply(events, cut=cut)) as server:
        return list(responses(server).stream("Hi"))


# --- what is sent ---------------------------------------------------------------------------------


def test_a_conversation_becomes_items() -> None:
    conversation = [
        {"role": "system", "content": "Be brief."},
        "What is 1 + 2?",
        {"role": "assistant", "content": None, "tool_calls": [call()]},
        Message.of_result(Executor([ADD]).run(call())),
        {"role": "assistant", "content": "3"},
    ]
    assert asked(conversation) == {
        "model": "gpt-5",
        "input": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "What is 1 + 2?"},
            {"type": "function_call", "call_id": "call_a", "name": "add", "arguments": '{"a": 1, "b": 2}'},
            {"type": "function_call_output", "call_id": "call_a", "output": "3"},
            {"role": "assistant", "content": "3"},
        ],
    }


def test_tools_and_choices_are_written_as_the_api_takes_them() -> None:
    request = asked("Hi", [ADD], "add")
    assert request["tools"] == [
        {
            "type": "function",
            "name": "add",
            "description": "Add two numbers.",
            "parameters": ADD.parameters,
            "strict": False,
        }
    ]
    assert request["tool_choice"] == {"type": "function", "name": "add"}
    assert asked("Hi", [ADD], "required")["tool_choice"] == "required"


def test_the_models_thinking_is_sent_back_unchanged() -> None:
    message = answer(THOUGHT).message
    given = asked([message, {"role": "tool", "tool_call_id": "call_a", "content": "3"}])["input"]
    summary = [{"type": "summary_text", "text": "One and two."}]
    assert given == [
        {"type": "reasoning", "id": "rs_1", "summary": summary},  # without its nulls
        call_item(),
        {"type": "function_call_output", "call_id": "call_a", "output": "3"},
    ]


def test_a_conversation_that_was_written_down_and_read_is_the_same() -> None:
    message = answer(THOUGHT).message
    assert asked([Message.of(message.to_dict())]) == asked([message])


def test_where_the_provider_keeps_nothing_only_thoughts_that_it_can_read_go_back_and_no_ids() -> None:
    message = answer([thought_item(), thought_item(encrypted_content="x"), call_item()]).message
    before = deepcopy(message)
    request = asked([message], settings={"store": False, "include": ["reasoning.encrypted_content"]})
    assert (request["store"], request["include"]) == (False, ["reasoning.encrypted_content"])
    thought, called = request["input"]
    assert (thought["type"], thought["encrypted_content"], "id" in thought) == ("reasoning", "x", False)
    assert (called["call_id"], "id" in called) == ("call_a", False)
    assert message == before


def test_a_changed_message_is_sent_as_it_is_now() -> None:
    message = answer([thought_item(), text_item("Hello!")]).message
    assert asked([message.replaced(content="Bye!")])["input"] == [{"role": "assistant", "content": "Bye!"}]
    called = answer(THOUGHT).message.replaced(tool_calls=(ToolCall("add", '{"a": 2}', "call_a"),))
    told = {"type": "function_call", "call_id": "call_a", "name": "add", "arguments": '{"a": 2}'}
    assert asked([called])["input"] == [told]


@pytest.mark.parametrize("name", ["", "a" * 300, "functions.add"])
def test_a_name_that_the_api_does_not_take_is_made_one_also_where_the_provider_wrote_it(name: str) -> None:
    (item,) = asked([answer([call_item(name)]).message])["input"]
    (told,) = asked([Message(role="assistant", tool_calls=(ToolCall(name, "{}", "call_a"),))])["input"]
    assert item["id"] == "fc_call_a"
    assert item["name"] == told["name"] == (name.replace(".", "_")[:64] or "_")


def test_content_other_than_text_is_sent_as_parts_or_named_in_words() -> None:
    parts = (
        Content.text("See:"),
        Content.image(b"\x89PNG\r\n\x1a\n"),
        Content.file(b"%PDF-1.7", name="a.pdf"),
        Content.link("https://example.com/cat.png", media_type="image/png"),
        Content.audio(b"OggS", media_type="audio/ogg"),
    )
    (user, result) = asked(
        [Message(role="user", content=parts), Message(role="tool", tool_call_id="x", content=parts[:2])]
    )["input"]
    assert [part["type"] for part in user["content"]] == [
        *("input_text", "input_image", "input_file", "input_image", "input_text")
    ]
    assert user["content"][4]["text"] == "[audio: audio/ogg, 4 bytes]"
    assert [part["type"] for part in result["output"]] == ["input_text", "input_image"]


# --- what is read ---------------------------------------------------------------------------------


def test_an_answer_with_thoughts_text_and_calls() -> None:
    completion = answer([thought_item(), text_item("I add."), call_item(), call_item("sub", "{", "call_b")])
    message = completion.message
    assert (message.content, message.reasoning) == ("I add.", "One and two.")
    assert [(each.name, each.arguments, each.id) for each in message.tool_calls] == [
        ("add", '{"a": 1, "b": 2}', "call_a"),
        ("sub", "{", "call_b"),
    ]
    assert completion.finish_reason == "tool_calls"
    assert completion.usage == Usage(
        input_tokens=328, output_tokens=52, cached_tokens=100, reasoning_tokens=40, requests=1
    )
    assert completion.model == "gpt-5-2025-08-07"
    assert completion.details == {"id": "resp_1", "status": "completed"}


@pytest.mark.parametrize(
    ("reason", "finish"), [("max_output_tokens", "length"), ("content_filter", "content_filter"), ("new", "other")]
)
def test_an_answer_that_was_cut_short_says_why(reason: str, finish: str) -> None:
    completion = answer(
        [text_item("He"), call_item(arguments="{")], status="incomplete", incomplete_details={"reason": reason}
    )
    assert completion.finish_reason == finish
    assert completion.details["reason"] == reason


def test_a_refusal_is_text_and_is_marked_in_details() -> None:
    completion = answer([{**text_item(""), "content": [{"type": "refusal", "refusal": "I cannot."}]}])
    assert (completion.message.text, completion.details["refusal"]) == ("I cannot.", "I cannot.")


def test_calls_of_the_providers_own_tools_are_kept_but_not_run() -> None:
    search = {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {"type": "search", "query": "x"},
    }
    message = answer([search, text_item("Found.")]).message
    assert message.tool_calls == ()
    assert asked([message])["input"][0] == search


@pytest.mark.parametrize("body", [{}, [], "hello", 5, {"output": None}, {"object": "response", "output": "text"}])
def test_an_answer_in_another_shape_is_a_model_error(body: object) -> None:
    with (
        ProviderServer(json_reply(body)) as server,
        pytest.raises(
            ModelError,
            match=r"^openai-responses:gpt-5 sent an answer that cannot be read: (it is not a JSON object:|the output of the answer is) ",
        ),
    ):
        responses(server).complete("Hi")


def test_a_failed_response_is_a_model_error() -> None:
    error = {"code": "server_error", "message": "The model failed to generate a response."}
    with pytest.raises(ModelError) as raised:
        answer([], status="failed", error=error)
    assert str(raised.value) == (
        "openai-responses:gpt-5 failed while it answered: The model failed to generate a response; try again"
    )
    assert raised.value.retryable
    with pytest.raises(ModelError, match="it does not say why; the same request would fail again"):
        answer([], status="cancelled")


# --- what comes piece by piece --------------------------------------------------------------------


def test_text_thoughts_and_calls_come_as_they_are_written_and_the_completion_last() -> None:
    items = [thought_item(), text_item("I add."), call_item()]
    begun = {**call_item(arguments=""), "status": "in_progress"}
    *deltas, completion = streamed(
        happened("response.created", response=response([], "in_progress")),
        happened("response.output_item.added", output_index=0, item={"type": "reasoning", "id": "rs_1", "summary": []}),
        happened("response.reasoning_summary_text.delta", output_index=0, delta="One and two."),
        happened("response.output_item.done", output_index=0, item=items[0]),
        happened("response.output_text.delta", output_index=1, delta="I "),
        happened("response.output_text.delta", output_index=1, delta="add."),
        happened("response.output_item.added", output_index=2, item=begun),
        happened("response.function_call_arguments.delta", output_index=2, delta='{"a": 1,'),
        happened("response.function_call_arguments.delta", output_index=2, delta=' "b": 2}'),
        happened("response.something.new", delta=3),
        happened("response.completed", response=response(items)),
    )
    assert deltas == [
        Delta(reasoning="One and two."),
        Delta(content="I "),
        Delta(content="add."),
        Delta(tool_calls=(ToolCallDelta(index=0, id="call_a", name="add"),)),
        Delta(tool_calls=(ToolCallDelta(index=0, arguments='{"a": 1,'),)),
        Delta(tool_calls=(ToolCallDelta(index=0, arguments=' "b": 2}'),)),
    ]
    assert completion == answer(items)


def test_output_that_the_last_event_leaves_out_is_taken_from_earlier_events() -> None:
    *_, completion = streamed(
        happened("response.output_item.done", output_index=0, item=text_item("Hello!")),
        happened("response.completed", response=response([])),
    )
    assert isinstance(completion, Completion)
    assert completion.message.text == "Hello!"


def test_a_streamed_answer_that_was_cut_short_says_why() -> None:
    cut = response([text_item("He")], "incomplete", incomplete_details={"reason": "max_output_tokens"})
    (completion,) = streamed(happened("response.incomplete", response=cut))
    assert isinstance(completion, Completion)
    assert completion.finish_reason == "length"


@pytest.mark.parametrize(
    "event",
    [
        happened("error", code="server_error", message="It broke.", param=None),
        happened("error", error={"type": "server_error", "message": "It broke."}),
        happened(
            "response.failed", response=response([], "failed", error={"code": "server_error", "message": "It broke."})
        ),
    ],
)
def test_an_error_in_the_middle_is_a_model_error(event: str) -> None:
    with pytest.raises(ModelError, match=r"failed while it answered: It broke; try again$") as raised:
        streamed(happened("response.output_text.delta", delta="He"), event)
    assert raised.value.retryable


def test_a_stream_without_any_event_may_be_no_stream() -> None:
    with pytest.raises(ModelError, match=r"broke off .*; try again, or check base_url, .* no part of the answer"):
        streamed()


@pytest.mark.parametrize("cut", [True, False])
def test_a_stream_without_its_last_event_is_broken_off(cut: bool) -> None:
    with pytest.raises(ModelError, match="the answer broke off before it was complete; try again") as raised:
        streamed(happened("response.output_text.delta", delta="He"), cut=cut)
    assert raised.value.retryable


@pytest.mark.parametrize(
    "malformed",
    [
        'data: {"type": "response.\n\n',
        "data: 5\n\n",
        'data: {"delta": "x"}\n\n',
        happened("response.output_text.delta", delta=["x"]),
        happened("response.function_call_arguments.delta", output_index=0, delta=None),
        happened("response.function_call_arguments.delta", output_index={}, delta="x"),
        happened("response.output_item.added", output_index=[0], item={"type": "function_call", "name": "f"}),
        happened("response.completed"),
        happened("response.completed", response=[]),
    ],
)
def test_a_malformed_event_is_a_model_error(malformed: str) -> None:
    with pytest.raises(ModelError, match=r"^openai-responses:gpt-5 sent an answer that cannot be read: "):
        streamed(malformed, happened("response.completed", response=response([text_item("x")])))
