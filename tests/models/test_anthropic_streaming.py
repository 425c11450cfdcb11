"""Streamed answers of Anthropic's messages API, over real HTTP, with the real SDK."""

from __future__ import annotations

import pytest

from fcregistry import Executor, Tool, ToolCall
from fcregistry.models import Completion, Delta, Message, ToolCallDelta, Usage

from .anthropic_wire import answer, block, ended, event_of, model_at, started, stream, texts, use
from .provider_server import ProviderServer, Reply


def weather(city: str) -> str:
    """Tell the weather in a city."""
    return f"{city}: rain"


WEATHER = Tool.from_function(weather)


def streamed(reply: Reply) -> tuple[list[Delta], Completion]:
    """Return what a model says when it is answered so."""
    with ProviderServer(reply) as server:
        *deltas, completion = model_at(server).stream("Hi", [WEATHER])
    assert server.requests[0].json["stream"] is True
    assert isinstance(completion, Completion)
    return [delta for delta in deltas if isinstance(delta, Delta)], completion


def test_a_text_comes_in_pieces_and_whole_at_the_end() -> None:
    deltas, completion = streamed(
        stream(
            started(),
            event_of("ping"),
            texts(0, "It ", "", "rains."),
            ended(input_tokens=11, cache_read_input_tokens=None),
        )
    )

    assert deltas == [Delta(content="It "), Delta(content="rains.")]
    assert completion.message == Message(
        role="assistant", content="It rains.", native={"anthropic": [{"type": "text", "text": "It rains."}]}
    )
    assert (completion.finish_reason, completion.model) == ("stop", "claude-test-1")
    assert completion.usage == Usage(input_tokens=61, output_tokens=7, cached_tokens=30, requests=1)
    assert completion.details == {"id": "msg_1", "stop_reason": "end_turn"}


def test_several_calls_come_in_pieces_and_are_run_as_they_were_written() -> None:
    calls = [*use(1, "toolu_1", "", '{"city": ', '"Tok', 'yo"}'), *use(2, "toolu_2", '{"city": "Paris"}')]
    deltas, completion = streamed(stream(started(), texts(0, "I look."), calls, ended("tool_use")))

    assert [piece for delta in deltas for piece in delta.tool_calls] == [
        ToolCallDelta(index=0, id="toolu_1", name="weather"),
        ToolCallDelta(index=0, arguments='{"city": '),
        ToolCallDelta(index=0, arguments='"Tok'),
        ToolCallDelta(index=0, arguments='yo"}'),
        ToolCallDelta(index=1, id="toolu_2", name="weather"),
        ToolCallDelta(index=1, arguments='{"city": "Paris"}'),
    ]
    assert completion.message.tool_calls == (
        ToolCall("weather", '{"city": "Tokyo"}', "toolu_1"),
        ToolCall("weather", '{"city": "Paris"}', "toolu_2"),
    )
    assert [block["input"] for block in completion.message.native["anthropic"][1:]] == [
        {"city": "Tokyo"},
        {"city": "Paris"},
    ]
    results = Executor([WEATHER]).run_all(completion.message.tool_calls)
    assert [result.content for result in results] == ["Tokyo: rain", "Paris: rain"]


def test_blocks_may_come_interleaved_and_out_of_order() -> None:
    first, second = use(0, "toolu_1", '{"city": ', '"Tokyo"}'), use(1, "toolu_2", '{"city": ', '"Paris"}')
    mixed = [second[0], first[0], first[1], second[1], second[2], first[2], second[3], first[3]]

    _, completion = streamed(stream(started(), mixed, ended("tool_use")))

    assert [call.arguments for call in completion.message.tool_calls] == ['{"city": "Tokyo"}', '{"city": "Paris"}']


def test_a_call_without_arguments_has_none() -> None:
    _, completion = streamed(stream(started(), use(0, "toolu_1", ""), ended("tool_use")))

    assert completion.message.tool_calls == (ToolCall("weather", {}, "toolu_1"),)


def test_thoughts_and_their_signatures_are_put_together_and_sent_back() -> None:
    begun = {"type": "thinking", "thinking": "", "signature": ""}
    pieces = [{"type": "thinking_delta", "thinking": each} for each in ("Let me ", "see.")]
    thought = block(0, begun, *pieces, {"type": "signature_delta", "signature": "c2lnbmVk"})
    hidden = block(1, {"type": "redacted_thinking", "data": "c2VjcmV0"})
    again = block(
        2, begun, {"type": "thinking_delta", "thinking": "Rain."}, {"type": "signature_delta", "signature": "YWdhaW4="}
    )
    reply = stream(started(), thought, hidden, again, texts(3, "It rains."), ended())
    with ProviderServer(reply, answer()) as server:
        model = model_at(server)
        *deltas, completion = model.stream("Hi")
        assert isinstance(completion, Completion)
        model.complete(["Hi", completion.message])

    assert [delta.reasoning for delta in deltas if isinstance(delta, Delta)] == ["Let me ", "see.", "\n\nRain.", ""]
    assert completion.message.reasoning == "Let me see.\n\nRain."
    assert server.requests[1].json["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "Let me see.", "signature": "c2lnbmVk"},
        {"type": "redacted_thinking", "data": "c2VjcmV0"},
        {"type": "thinking", "thinking": "Rain.", "signature": "YWdhaW4="},
        {"type": "text", "text": "It rains."},
    ]


def test_uses_of_the_providers_tools_are_not_calls_and_citations_are_kept() -> None:
    citation = {
        "type": "web_search_result_location",
        "url": "https://example.com",
        "title": "Rain",
        "cited_text": "rain",
    }
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    searched = use(1, "srvtoolu_1", '{"query": ', '"rain"}', name="web_search", kind="server_tool_use")
    said = {"type": "text_delta", "text": "It rains."}
    cited = block(
        3, {"type": "text", "text": "", "citations": []}, {"type": "citations_delta", "citation": citation}, said
    )

    deltas, completion = streamed(
        stream(started(), texts(0, "I look."), searched, block(2, found), cited, texts(4, " Still."), ended())
    )

    assert [delta.content for delta in deltas] == ["I look.", "\n\nIt rains.", " Still."]
    assert (completion.message.content, completion.message.tool_calls) == ("I look.\n\nIt rains. Still.", ())
    assert completion.message.native["anthropic"][1:4] == [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "rain"}},
        found,
        {"type": "text", "text": "It rains.", "citations": [citation]},
    ]


@pytest.mark.parametrize("pieces", [["", '{"city": ', '"Tok'], [""], []])
def test_a_call_that_the_limit_cuts_stays_text_and_is_not_run(pieces: list[str]) -> None:
    _, completion = streamed(stream(started(), use(0, "toolu_1", *pieces), ended("max_tokens")))

    (call,) = completion.message.tool_calls
    result = Executor([WEATHER]).run(call)
    assert (completion.finish_reason, call.arguments) == ("length", "".join(pieces) or "{")
    assert result.error is not None
    assert (result.error.code, "cut off" in result.content) == ("malformed_call", True)


def test_a_call_that_was_whole_before_the_limit_is_run_if_another_follows() -> None:
    whole = '{"city": "Tokyo"}'
    _, completion = streamed(stream(started(), use(0, "toolu_1", whole), use(1, "toolu_2", whole), ended("max_tokens")))

    first, last = Executor([WEATHER]).run_all(completion.message.tool_calls)
    assert (first.content, last.error and last.error.code) == ("Tokyo: rain", "malformed_call")


def test_unknown_events_and_blocks_are_kept() -> None:
    new = block(0, {"type": "hologram", "cube": [1]}, {"type": "hologram_delta", "cube": [2]})

    deltas, completion = streamed(
        stream(started(), event_of("weather_report", wind=3), new, texts(1, "Hi"), ended("new_reason"))
    )

    assert deltas == [Delta(content="Hi")]
    assert completion.message.native["anthropic"][0] == {"type": "hologram", "cube": [1]}
    assert (completion.finish_reason, completion.details["stop_reason"]) == ("other", "new_reason")


def test_a_connection_that_breaks_after_the_last_event_has_lost_nothing() -> None:
    _, completion = streamed(stream(started(), texts(0, "It rains."), ended(), cut=True))

    assert completion.message.content == "It rains."
