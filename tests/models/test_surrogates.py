r"""Halves of characters: a model may write one, `"\ud83d"` in JSON, and no request could carry it back."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcregistry import Tool
from fcregistry.agents import Conversation, ReactAgent
from fcregistry.errors import ModelError
from fcregistry.execution import Content
from fcregistry.models import CallableModel, Completion, Delta, Message, Model, TextModel, ToolCallDelta

from . import anthropic_wire, openai_wire
from .provider_server import ProviderServer, Reply, event, json_reply, stream_reply

HALF = "\ud83d"
GRIN = "\U0001f600"
FIRST, SECOND = "\ud83d", "\ude00"
"""The halves of GRIN."""


def note(text: str) -> str:
    """Keep a text."""
    return text


def listing() -> str:
    """Name a file whose name is not UTF-8."""
    return "a\udcff.txt"


ARGUMENTS = json.dumps({"text": f"a{HALF}b"})
CALL = {"type": "tool_use", "id": f"t{HALF}", "name": "note", "input": {"text": f"a{HALF}b"}}
THOUGHT = {"type": "thinking", "thinking": f"hm{HALF}", "signature": "c2ln"}


def completion_call(arguments: str) -> dict[str, Any]:
    """Return what OpenAI's chat says when it calls."""
    said = {"content": f"see{HALF}", "reasoning_content": f"hm{HALF}"}
    return {**said, "tool_calls": [openai_wire.call("note", arguments, f"c{HALF}")]}


def chat_pieces() -> list[str]:
    """Return the same, streamed."""
    call = openai_wire.call("note", "", f"c{HALF}")
    more = {"index": 0, "function": {"arguments": f'{{"text": "a{HALF}b"}}'}}
    deltas = [
        {"reasoning_content": f"hm{HALF}"},
        {"content": f"see{HALF}"},
        {"tool_calls": [{"index": 0, **call}]},
        {"tool_calls": [more]},
    ]
    return [*map(openai_wire.chunk, deltas), openai_wire.chunk(finish="tool_calls"), openai_wire.DONE]


def response_with_call() -> dict[str, Any]:
    """Return a response that thinks, says something and calls."""
    thought = openai_wire.thought_item(summary=[{"type": "summary_text", "text": f"hm{HALF}"}])
    call = openai_wire.call_item("note", f'{{"text": "a{HALF}b"}}', f"c{HALF}")
    return openai_wire.response([thought, openai_wire.text_item(f"see{HALF}"), call])


def response_pieces(whole: dict[str, Any], *texts: str) -> list[str]:
    """Return a response, streamed."""
    said = [openai_wire.happened("response.output_text.delta", delta=text) for text in texts]
    return [*said, openai_wire.happened("response.completed", response=whole)]


def message_pieces() -> list[str]:
    """Return what Anthropic's models say when they call, streamed."""
    blocks = [
        *anthropic_wire.block(0, {**THOUGHT, "thinking": ""}, {"type": "thinking_delta", "thinking": f"hm{HALF}"}),
        *anthropic_wire.texts(1, f"see{HALF}"),
        *anthropic_wire.use(2, f"t{HALF}", '{"text": "a\\ud8', f'3d{HALF}b"}}', name="note"),
    ]
    return [anthropic_wire.started(), *blocks, *anthropic_wire.ended("tool_use")]


CALLS: dict[str, tuple[Callable[..., Model], Callable[[], Reply]]] = {
    "openai": (openai_wire.chat, lambda: openai_wire.chat_reply(completion_call(f'{{"text": "a{HALF}b"}}'))),
    "openai, escaped in the arguments": (openai_wire.chat, lambda: openai_wire.chat_reply(completion_call(ARGUMENTS))),
    "openai, streamed": (openai_wire.chat, lambda: stream_reply(chat_pieces())),
    "openai-responses": (openai_wire.responses, lambda: json_reply(response_with_call())),
    "openai-responses, streamed": (
        openai_wire.responses,
        lambda: stream_reply(response_pieces(response_with_call(), f"see{HALF}")),
    ),
    "anthropic": (
        anthropic_wire.model_at,
        lambda: anthropic_wire.answer(THOUGHT, {"type": "text", "text": f"see{HALF}"}, CALL, stop_reason="tool_use"),
    ),
    "anthropic, streamed": (anthropic_wire.model_at, lambda: stream_reply(message_pieces())),
}


@pytest.mark.parametrize("sent", CALLS)
def test_what_a_model_wrote_can_be_sent_back(sent: str) -> None:
    made, reply = CALLS[sent]
    with ProviderServer(reply()) as server:
        model = made(server)
        *deltas, completion = model.stream("Hi") if sent.endswith("streamed") else [model.complete("Hi")]
        assert isinstance(completion, Completion)
        conversation = [Message(role="user", content="Hi"), completion.message]
        conversation.append(Message(role="tool", content=HALF, tool_call_id=completion.message.tool_calls[0].id))
        if sent.endswith("streamed"):
            list(model.stream(conversation))
        else:
            model.complete(conversation)
        assert "see\ufffd" in server.requests[1].body.decode() + json.dumps(server.requests[1].json, ensure_ascii=False)
        assert "\\\\ud83d" in server.requests[1].body.decode()  # the tool's
    assert (completion.message.text, completion.message.reasoning) == ("see\ufffd", "hm\ufffd")
    assert "".join(each.content for each in deltas if isinstance(each, Delta)) in ("", "see\ufffd")
    json.dumps([completion.message.to_dict(), dict(completion.details)], ensure_ascii=False).encode()


@pytest.mark.parametrize("halves", [1, 2])
@pytest.mark.parametrize("api", ["openai", "openai-responses", "anthropic"])
def test_a_character_that_a_stream_has_cut_in_two_is_whole(api: str, halves: int) -> None:
    pieces = ["a", FIRST, f"{SECOND}b", HALF, *([SECOND] if halves == 2 else [])]
    text = f"a{GRIN}b" + (GRIN if halves == 2 else "\ufffd")
    replies = {
        "openai": stream_reply(openai_wire.said(*pieces)),
        "openai-responses": stream_reply(
            response_pieces(openai_wire.response([openai_wire.text_item("".join(pieces))]), *pieces)
        ),
        "anthropic": stream_reply(
            [anthropic_wire.started(), *anthropic_wire.texts(0, *pieces), *anthropic_wire.ended()]
        ),
    }
    models: dict[str, Callable[..., Model]] = {
        "openai": openai_wire.chat,
        "openai-responses": openai_wire.responses,
        "anthropic": anthropic_wire.model_at,
    }
    with ProviderServer(replies[api]) as server:
        *deltas, completion = models[api](server).stream("Hi")
    assert isinstance(completion, Completion)
    assert completion.message.text == text
    told = [each.content for each in deltas if isinstance(each, Delta)]
    assert "".join(told) == text
    assert all(each.encode() for each in told)


def test_arguments_that_a_stream_has_cut_in_two_are_whole() -> None:
    begun = openai_wire.call("note", f'{{"text": "{FIRST}')
    rest = {"index": 0, "function": {"arguments": f'{SECOND}"}}'}}
    pieces = [{"tool_calls": [{"index": 0, **begun}]}, {"tool_calls": [rest]}]
    reply = stream_reply([*map(openai_wire.chunk, pieces), openai_wire.chunk(finish="tool_calls"), openai_wire.DONE])
    with ProviderServer(reply) as server:
        *deltas, completion = openai_wire.chat(server).stream("Hi")
    assert isinstance(completion, Completion)
    assert completion.message.tool_calls[0].arguments == f'{{"text": "{GRIN}"}}'
    told = [each.tool_calls[0].arguments for each in deltas if isinstance(each, Delta) and each.tool_calls]
    assert "".join(told) == f'{{"text": "{GRIN}"}}'

    uses = anthropic_wire.use(0, "t1", f'{{"text": "{FIRST}', f'{SECOND}"}}')
    with ProviderServer(stream_reply([anthropic_wire.started(), *uses, *anthropic_wire.ended("tool_use")])) as server:
        *_, completion = anthropic_wire.model_at(server).stream("Hi")
    assert isinstance(completion, Completion)
    assert completion.message.native["anthropic"][0]["input"] == {"text": GRIN}


def test_what_a_user_wrote_is_not_changed() -> None:
    with ProviderServer(Reply()) as server, pytest.raises(ModelError, match="a surrogate without its pair; replace it"):
        openai_wire.chat(server).complete(f"a{HALF}")
    assert Message(role="user", content=HALF).text == HALF


def test_a_text_model_may_write_half_a_character() -> None:
    prompts: list[str] = []

    def whole(prompt: str) -> str:
        prompts.append(prompt)
        call = '<tool_call>\n{"name": "note", "arguments": {"text": "\\ud83d"}}\n</tool_call>'
        return "done" if len(prompts) > 1 else f"see{HALF}\n{call}"

    result = ReactAgent(TextModel(whole, "hermes"), [Tool.from_function(note)]).run("Hi")

    assert result.answer == "done"
    assert "see\ufffd" in prompts[1]
    prompts[1].encode()

    def pieces(prompt: str) -> Iterator[str]:
        yield from (FIRST, SECOND, HALF)

    *deltas, completion = TextModel(pieces).stream("Hi")
    assert isinstance(completion, Completion)
    assert completion.message.text == f"{GRIN}\ufffd"
    assert "".join(each.content for each in deltas if isinstance(each, Delta)) == f"{GRIN}\ufffd"


def test_a_function_may_write_half_a_character() -> None:
    seen: list[Any] = []

    def whole(messages: list[dict[str, Any]]) -> Any:
        seen.append(messages)
        function = {"name": "note", "arguments": {"text": HALF}}
        call = {"id": "1", "type": "function", "function": function, "more": HALF}
        return "done" if len(seen) > 1 else {"role": "assistant", "content": HALF, "tool_calls": [call]}

    result = ReactAgent(CallableModel(whole), [Tool.from_function(note)]).run("Hi")
    assert result.answer == "done"
    json.dumps(seen[1], ensure_ascii=False).encode()
    json.dumps(result.to_json(), ensure_ascii=False).encode()

    def pieces(messages: list[dict[str, Any]]) -> Iterator[Any]:
        yield FIRST
        yield Delta(content=SECOND, reasoning=FIRST)
        yield Delta(tool_calls=(ToolCallDelta(index=0, name="note", arguments=f'{{"text": "{FIRST}'),))
        yield Delta(tool_calls=(ToolCallDelta(index=0, arguments=f'{SECOND}"}}'),))

    *deltas, completion = CallableModel(pieces).stream("Hi")
    assert isinstance(completion, Completion)
    assert (completion.message.text, completion.message.reasoning) == (GRIN, "\ufffd")
    assert completion.message.tool_calls[0].arguments == f'{{"text": "{GRIN}"}}'
    assert pickle.loads(pickle.dumps(deltas)) == deltas
    assert "".join(each.reasoning for each in deltas if isinstance(each, Delta)) == "\ufffd"


def test_a_conversation_with_half_a_character_can_be_kept_as_a_file(tmp_path: Path) -> None:
    conversation = Conversation(lambda messages: f"see{HALF}")
    conversation.say("Hi")
    (tmp_path / "kept.json").write_text(conversation.to_json(), encoding="utf-8")
    assert "see\ufffd" in (tmp_path / "kept.json").read_text(encoding="utf-8")


def test_surrogates_in_a_tools_text_are_escaped() -> None:
    seen: list[Any] = []

    def model(messages: list[dict[str, Any]]) -> Any:
        seen.append(messages)
        call = {"id": "1", "type": "function", "function": {"name": "listing", "arguments": "{}"}}
        return "done" if len(seen) > 1 else {"role": "assistant", "content": None, "tool_calls": [call]}

    ReactAgent(model, [Tool.from_function(listing)]).run("Hi")
    assert seen[1][-1]["content"].startswith("a\\udcff.txt")
    for message in (
        Message(role="tool", content=(Content.text(HALF),)),
        Message(role="user", content=HALF, continues=True),
        Message(role="user", content=(Content.text(HALF),), continues=True),
    ):
        assert message.text == "\\ud83d"


def test_a_value_without_surrogates_is_the_same_object() -> None:
    native = {"x": [{"y": GRIN, "z": (1, None)}]}
    message = Message(role="assistant", content=GRIN, native=native)
    assert message.native is native
    assert message.content is GRIN


@given(st.lists(st.text(alphabet=[FIRST, SECOND, "a", "é", GRIN]), max_size=8))
def test_pieces_add_up_to_the_whole(pieces: list[str]) -> None:
    def model(messages: Any) -> Iterator[Delta]:
        for piece in pieces:
            yield Delta(content=piece)

    *deltas, completion = CallableModel(model).stream("?")
    whole = "".join(pieces).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert "".join(each.content for each in deltas if isinstance(each, Delta)) == whole
    assert isinstance(completion, Completion)
    assert completion.message.text == whole


def test_an_error_of_a_provider_can_be_shown() -> None:
    told = event({"error": {"message": HALF}})
    with ProviderServer(stream_reply([told])) as server, pytest.raises(ModelError) as raised:
        list(openai_wire.chat(server).stream("Hi"))
    str(raised.value).encode()
