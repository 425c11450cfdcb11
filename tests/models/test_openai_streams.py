"""Streamed answers of OpenAI's chat completions API, also those that break off."""

from __future__ import annotations

import asyncio
import threading
from contextlib import aclosing
from typing import Any

import pytest

from fcregistry import Executor, Tool
from fcregistry.errors import ModelError
from fcregistry.models import Completion, Delta, Message, Usage

from .openai_wire import DONE, USED, call, chat, chat_reply, chat_stream, chunk, said
from .provider_server import WAIT, ProviderServer, event, json_reply, stream_reply


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


ADD = Tool.from_function(add)


def streamed(*pieces: Any, cut: bool = False) -> list[Delta | Completion]:
    """Return what is made of the events that a server sends."""
    with ProviderServer(stream_reply(pieces, cut=cut)) as server:
        return list(chat(server).stream("Hi"))


def piece(*calls: dict[str, Any]) -> str:
    """Return an event with pieces of calls."""
    return chunk({"tool_calls": list(calls)})


def test_text_comes_as_it_is_written_and_the_completion_last() -> None:
    *deltas, completion = streamed(*said("Hel", "lo", "!"))
    assert deltas == [Delta(content="Hel"), Delta(content="lo"), Delta(content="!")]
    assert isinstance(completion, Completion)
    assert completion.message == Message(role="assistant", content="Hello!")
    assert completion.usage == Usage(
        input_tokens=82, output_tokens=17, cached_tokens=64, reasoning_tokens=5, requests=1
    )
    assert (completion.finish_reason, completion.model) == ("stop", "gpt-5-2025-08-07")


def test_a_piece_is_yielded_before_the_next_one_is_written() -> None:
    gate = threading.Event()
    with ProviderServer(
        stream_reply([chunk({"content": "one"}), gate, chunk({"content": "two"}, "stop"), DONE])
    ) as server:
        pieces = chat(server).stream("Hi")
        assert next(pieces) == Delta(content="one")
        assert not gate.is_set()
        gate.set()
        assert next(pieces) == Delta(content="two")
        assert isinstance(next(pieces), Completion)


def test_a_streamed_request_asks_for_usage() -> None:
    with ProviderServer(chat_stream("Hi")) as server:
        list(chat(server).stream("Hi", [ADD]))
    request = server.requests[0].json
    assert request["stream"] is True
    assert request["stream_options"] == {"include_usage": True}
    assert request["tool_choice"] == "auto"


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (422, "body.stream_options.include_usage: Extra inputs are not permitted"),
        (400, "Unknown field: stream_options"),
    ],
)
def test_a_server_that_refuses_to_tell_usage_is_asked_without_and_not_again(status: int, message: str) -> None:
    with ProviderServer(json_reply({"error": {"message": message}}, status), chat_stream("Hello")) as server:
        model = chat(server)
        for _ in range(2):
            *_, completion = model.stream("Hi")
            assert isinstance(completion, Completion)
            assert completion.message.text == "Hello"
    assert ["stream_options" in request.json for request in server.requests] == [True, False, False]


def test_the_users_stream_options_are_sent_and_their_refusal_is_raised() -> None:
    refused = json_reply({"error": {"message": "Unknown field: stream_options"}}, 400)
    with ProviderServer(refused) as server, pytest.raises(ModelError, match="Unknown field: stream_options"):
        list(chat(server, settings={"stream_options": {"include_usage": False}}).stream("Hi"))
    assert [request.json["stream_options"] for request in server.requests] == [{"include_usage": False}]


def test_calls_are_put_together_in_order_and_run() -> None:
    *deltas, completion = streamed(
        chunk({"role": "assistant", "content": None}),
        piece({"index": 0, **call(arguments="")}),
        piece({"index": 0, "function": {"arguments": '{"a": 1, '}}),
        piece({"index": 1, **call(arguments='{"a": 1, ', id="call_b")}),
        piece({"index": 0, "function": {"arguments": '"b": 2}'}}),
        piece({"index": 1, "function": {"arguments": '"b": 3}'}}),
        chunk(finish="tool_calls"),
        USED,
        DONE,
    )
    assert isinstance(completion, Completion)
    results = Executor([ADD]).run_all(completion.message.tool_calls)
    assert [(result.call.id, result.value) for result in results if result.call] == [("call_a", 3), ("call_b", 4)]
    assert completion.finish_reason == "tool_calls"
    assert completion.message.content is None
    shown: dict[int, str] = {}
    for each in deltas:
        for delta in each.tool_calls if isinstance(each, Delta) else ():
            shown[delta.index] = shown.get(delta.index, "") + delta.arguments
    assert shown == {0: '{"a": 1, "b": 2}', 1: '{"a": 1, "b": 3}'}


def test_whole_calls_with_one_index_are_several_and_keep_the_providers_fields() -> None:
    *_, completion = streamed(
        piece({"index": 0, "extra_content": {"n": 1}, **call(id="x")}),
        piece({"index": 0, **call("sub", "{}", "y")}),
        chunk(finish="stop"),
        DONE,
    )
    assert isinstance(completion, Completion)
    assert [each.name for each in completion.message.tool_calls] == ["add", "sub"]
    assert completion.finish_reason == "tool_calls"
    assert completion.message.native == {"openai": {"calls": {"x": {"extra_content": {"n": 1}}}}}


def test_the_providers_own_fields_may_come_in_several_pieces_of_a_call() -> None:
    *_, completion = streamed(
        piece({"index": 0, "first": 1, **call(id="x", arguments="")}),
        piece({"index": 0, "second": 2, "function": {"arguments": "{}"}}),
        chunk(finish="tool_calls"),
        DONE,
    )
    assert isinstance(completion, Completion)
    assert completion.message.native == {"openai": {"calls": {"x": {"first": 1, "second": 2}}}}


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_thoughts_are_streamed_apart_from_text_and_kept_under_their_name(name: str) -> None:
    *deltas, completion = streamed(
        chunk({"role": "assistant", "content": None, name: "One "}),
        chunk({name: "and two."}),
        chunk({"content": "3", name: None}, "stop"),
        DONE,
    )
    assert deltas == [Delta(reasoning="One "), Delta(reasoning="and two."), Delta(content="3")]
    assert isinstance(completion, Completion)
    assert completion.message == Message(
        role="assistant", content="3", reasoning="One and two.", native={"openai": {name: "One and two."}}
    )


def test_a_refusal_is_streamed_as_text() -> None:
    *deltas, completion = streamed(chunk({"refusal": "I "}), chunk({"refusal": "cannot."}, "content_filter"), DONE)
    assert deltas == [Delta(content="I "), Delta(content="cannot.")]
    assert isinstance(completion, Completion)
    assert (completion.message.text, completion.finish_reason) == ("I cannot.", "content_filter")
    assert completion.details["refusal"] == "I cannot."


def test_arguments_that_the_limit_of_tokens_cuts_stay_text_and_are_not_run() -> None:
    *_, completion = streamed(piece({"index": 0, **call(arguments='{"a": 1, "b": ')}), chunk(finish="length"), DONE)
    assert isinstance(completion, Completion)
    (cut,) = completion.message.tool_calls
    assert (cut.arguments, completion.finish_reason) == ('{"a": 1, "b": ', "length")
    assert not Executor([ADD]).run(cut).ok


@pytest.mark.parametrize(
    "written",
    [
        {"function": {"name": "ping", "parameters": {"x": 5}}},
        {"function": {"name": "ping", "arguments": "", "kwargs": {"x": 5}}},
        {"function": {"name": "ping", "arguments": [5]}},
        {"function": {"name": "ping"}, "arguments": {"x": 5}},
    ],
)
def test_streamed_arguments_in_an_unknown_field_are_not_ignored(written: dict[str, Any]) -> None:
    def ping(x: int = 1) -> str:
        """Answer."""
        return f"pong {x}"

    *_, completion = streamed(
        piece({"index": 0, "id": "1", "type": "function", **written}), chunk(finish="tool_calls"), DONE
    )
    assert isinstance(completion, Completion)
    (result,) = Executor([ping]).run_all(completion.message.tool_calls)
    assert (result.error and result.error.code, result.call and result.call.id) == ("malformed_call", "1")


def test_other_choices_than_the_first_are_left_alone() -> None:
    other = {"index": 1, "delta": {"content": "Bye"}, "finish_reason": "stop"}
    *deltas, _ = streamed(chunk({"content": "Hi"}), chunk(choices=[other]), chunk(finish="stop"), DONE)
    assert deltas == [Delta(content="Hi")]


def test_characters_that_are_cut_between_packets_are_whole() -> None:
    wire = chunk({"content": "TEXT"}).replace("TEXT", "Grüße, 世界 🌍").encode()
    *deltas, _ = streamed(*(wire[at : at + 1] for at in range(len(wire))), chunk(finish="stop"), DONE)
    assert deltas == [Delta(content="Grüße, 世界 🌍")]


# --- what does not come to its end ----------------------------------------------------------------


@pytest.mark.parametrize("after", [[chunk({"content": "He"})], [chunk({"content": "He"}), 'data: {"id": "chatc'], []])
def test_a_broken_connection_raises_after_the_pieces_and_gives_no_completion(after: list[str]) -> None:
    told: list[Delta | Completion] = []
    with ProviderServer(stream_reply(after, cut=True)) as server, pytest.raises(ModelError) as raised:
        told.extend(chat(server).stream("Hi"))  # which keeps what came before the error
    assert told == [Delta(content="He")] * bool(after)
    assert str(raised.value) == "openai:gpt-5: the answer broke off before it was complete; try again"
    assert (raised.value.retryable, raised.value.status) == (True, None)


@pytest.mark.parametrize("after", [said("He", end=()), said("He", end=(DONE,)), [], [": keep-alive\n\n", DONE]])
def test_a_stream_that_ends_without_saying_why_is_broken_off(after: list[str]) -> None:
    with pytest.raises(ModelError, match="the answer broke off before it was complete") as raised:
        streamed(*after)
    assert raised.value.retryable


@pytest.mark.parametrize(
    "malformed",
    [
        'data: {"id": "chatcmpl-123", "choices": [\n\n',
        "data: hello\n\n",
        b"data: \xff\xfe\n\n",
        event([1]),
        event(5),
        chunk("text"),
        chunk(["text"]),
        chunk({"tool_calls": ["add"]}),
        chunk({"tool_calls": 5}),
    ],
)
def test_a_malformed_piece_is_a_model_error(malformed: str) -> None:
    with pytest.raises(ModelError, match=r"^openai:gpt-5 sent an answer that cannot be read: "):
        streamed(chunk({"content": "He"}), malformed, chunk(finish="stop"), DONE)


@pytest.mark.parametrize(
    "odd",
    [
        event({}),
        chunk(choices=None),
        chunk(choices=[None]),
        chunk({"content": None, "tool_calls": None, "role": None}),
        chunk({"content": 5, "reasoning": {"a": 1}, "refusal": []}),
        chunk({"tool_calls": [{"index": "0", "id": 3, "function": None}]}),
        chunk(usage={"prompt_tokens": "many", "prompt_tokens_details": 3}),
        chunk(choices=[{"index": 0, "finish_reason": None}]),
        "event: ping\ndata: {}\n\n",
        ": OPENROUTER PROCESSING\n\n",
    ],
)
def test_a_piece_of_an_unknown_kind_is_ignored(odd: str) -> None:
    *deltas, completion = streamed(chunk({"content": "He"}), odd, chunk({"content": "y"}, "stop"), DONE)
    assert deltas == [Delta(content="He"), Delta(content="y")]
    assert isinstance(completion, Completion)
    assert completion.message == Message(role="assistant", content="Hey")


@pytest.mark.parametrize(
    ("error", "retryable"),
    [
        ({"message": "The server had an error", "type": "server_error", "code": None}, True),
        ({"message": "Provider disconnected", "code": 502}, True),
        ({"message": "Input is too long", "type": "invalid_request_error"}, False),
    ],
)
def test_an_error_in_the_middle_is_a_model_error(error: dict[str, Any], retryable: bool) -> None:
    with pytest.raises(ModelError) as raised:
        streamed(chunk({"content": "He"}), event({"error": error}), DONE)
    assert str(raised.value).startswith(f"openai:gpt-5 failed while it answered: {error['message']}; ")
    assert raised.value.retryable is retryable


def test_a_server_that_does_not_stream_is_distinguished_from_one_that_answers() -> None:
    with ProviderServer(chat_reply()) as server, pytest.raises(ModelError) as raised:
        list(chat(server).stream("Hi"))
    assert str(raised.value).endswith(
        "try again, or check base_url, and whether that server can stream: it sent no part of the answer"
    )


def test_closing_the_stream_closes_the_connection() -> None:
    gate = threading.Event()
    with ProviderServer(stream_reply([chunk({"content": "one"}), gate, *[chunk({"content": "more"})] * 100])) as server:

        async def listen() -> bool:
            async with aclosing(chat(server).astream([Message(role="user", content="Hi")])) as pieces:
                assert await anext(pieces) == Delta(content="one")
            gate.set()
            return await asyncio.to_thread(server.broken.wait, WAIT)

        assert asyncio.run(listen())
