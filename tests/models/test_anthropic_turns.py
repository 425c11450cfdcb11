"""Conversations written as turns of Anthropic's messages API."""

from __future__ import annotations

from typing import Any

import pytest

from fcregistry import ToolCall
from fcregistry.execution import Content
from fcregistry.models import Message, messages_of

from .anthropic_wire import TEXT, answer, model_at
from .provider_server import ProviderServer, Reply

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452")
THOUGHT = {"type": "thinking", "thinking": "Tokyo, then.", "signature": "c2lnbmVk"}


def text(said: str) -> dict[str, str]:
    return {"type": "text", "text": said}


def use(id: str, name: str = "weather", **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


def asks(*calls: ToolCall, content: str | None = None) -> Message:
    return Message(role="assistant", content=content, tool_calls=calls)


def answers(id: str | None, content: str) -> Message:
    return Message(role="tool", tool_call_id=id, content=content)


def written(*blocks: dict[str, Any], stop_reason: str = "tool_use") -> Message:
    """Return the message that the API answers with these blocks."""
    return asked(answer(*blocks, stop_reason=stop_reason), "?")[0]


def asked(reply: Reply, conversation: Any) -> tuple[Message, dict[str, Any]]:
    """Return what the API answers to a conversation, and what it is sent."""
    with ProviderServer(reply) as server:
        message = model_at(server).complete(conversation).message
        return message, server.requests[0].json


def turns_of(conversation: Any) -> list[dict[str, Any]]:
    """Return the turns that the API is sent."""
    turns: list[dict[str, Any]] = asked(answer(TEXT), conversation)[1]["messages"]
    return turns


def test_all_system_messages_become_the_system_prompt() -> None:
    conversation = messages_of(
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
            {"role": "developer", "content": "Now answer in French."},
            {"role": "system", "content": " "},
            {"role": "user", "content": "Bonjour"},
        ]
    )

    _, sent = asked(answer(TEXT), conversation)

    assert sent["system"] == "Be brief.\n\nNow answer in French."
    assert sent["messages"] == [{"role": "user", "content": [text("Hi"), text("Bonjour")]}]


def test_neighbours_of_one_role_are_one_turn() -> None:
    conversation = messages_of(
        ["One", "Two", {"role": "assistant", "content": "Yes"}, {"role": "assistant", "content": "?"}, "Three"]
    )

    assert turns_of(conversation) == [
        {"role": "user", "content": [text("One"), text("Two")]},
        {"role": "assistant", "content": [text("Yes"), text("?")]},
        {"role": "user", "content": [text("Three")]},
    ]


def test_texts_without_words_are_left_out() -> None:
    conversation = messages_of(
        [
            "One",
            {"role": "assistant", "content": ""},
            {"role": "user", "content": [{"type": "text", "text": " \n"}, "Two"]},
        ]
    )

    assert turns_of(conversation) == [{"role": "user", "content": [text("One"), text("Two")]}]


def test_results_come_first_in_the_order_of_the_calls() -> None:
    conversation = [
        asks(
            ToolCall("weather", {"city": "Tokyo"}, "a"),
            ToolCall("weather", '{"city": "Paris"}', "b"),
            content="I look.",
        ),
        Message(role="user", content="Hurry!"),
        answers("b", "rain"),
        Message(role="tool", tool_call_id="a", content="no such city", is_error=True),
    ]

    assert turns_of(conversation) == [
        {"role": "assistant", "content": [text("I look."), use("a", city="Tokyo"), use("b", city="Paris")]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": [text("no such city")], "is_error": True},
                {"type": "tool_result", "tool_use_id": "b", "content": [text("rain")]},
                text("Hurry!"),
            ],
        },
    ]


def test_a_result_without_words_has_no_content() -> None:
    _, results = turns_of([asks(ToolCall("stop", {}, "a")), answers("a", "")])

    assert results["content"] == [{"type": "tool_result", "tool_use_id": "a"}]


def test_ids_that_the_api_does_not_take_are_made_anew_for_calls_and_their_results() -> None:
    conversation = [
        asks(
            ToolCall("weather", {}, "functions.weather:0"), ToolCall("weather", {}), ToolCall("weather", {}, "kept-1")
        ),
        answers("functions.weather:0", "one"),
        answers(None, "two"),
        answers("kept-1", "three"),
    ]

    calls, results = turns_of(conversation)

    assert [block["id"] for block in calls["content"]] == ["call_1", "call_2", "kept-1"]
    assert [(block["tool_use_id"], block["content"][0]["text"]) for block in results["content"]] == [
        ("call_1", "one"),
        ("call_2", "two"),
        ("kept-1", "three"),
    ]


def test_calls_with_one_id_in_several_answers_are_distinguished() -> None:
    conversation = [
        asks(ToolCall("weather", {}, "call_2")),
        answers("call_2", "one"),
        asks(ToolCall("weather", {}, "call_2"), ToolCall("weather", {}, "call_2")),
        answers("call_2", "two"),
        answers("call_2", "three"),
    ]

    turns = turns_of(conversation)

    assert [block["id"] for turn in turns[::2] for block in turn["content"]] == ["call_2", "call_1", "call_3"]
    assert [block["tool_use_id"] for turn in turns[1::2] for block in turn["content"]] == ["call_2", "call_1", "call_3"]


@pytest.mark.parametrize(
    ("name", "sent"), [("", "_"), ("a" * 300, "a" * 64), ("functions.weather", "functions_weather")]
)
def test_a_name_that_the_api_refuses_is_changed(name: str, sent: str) -> None:
    conversation = [asks(ToolCall(name, {}, "a")), answers("a", "no such tool"), written(use("b", name))]

    turns = turns_of(conversation)

    assert (turns[0]["content"], turns[2]["content"]) == ([use("a", sent)], [use("b", sent)])


def test_arguments_that_are_not_a_json_object_are_shown_to_the_model_as_it_wrote_them() -> None:
    calls = [ToolCall("weather", raw, str(place)) for place, raw in enumerate(['{"city": "Tok', "[1]", "", None])]

    (turn,) = turns_of([asks(*calls)])

    assert [block["input"] for block in turn["content"]] == [
        {"INVALID_JSON": '{"city": "Tok'},
        {"INVALID_JSON": "[1]"},
        {},
        {},
    ]


def test_images_and_documents_of_a_user_are_blocks() -> None:
    parts = (
        Content.text("Look:"),
        Content.image(PNG),
        Content.file(b"%PDF-1.7", media_type="application/pdf", name="a.pdf"),
        Content.link("https://example.com/cat.png", media_type="image/png"),
        Content.link("https://example.com/a.pdf", media_type="application/pdf"),
        {"type": "image_url", "image_url": {"url": "https://example.com/dog"}},
    )

    (turn,) = turns_of([Message.of({"role": "user", "content": parts})])

    assert turn["content"] == [
        text("Look:"),
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgoAAAANSUhEUg=="}},
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjc="},
            "title": "a.pdf",
        },
        {"type": "image", "source": {"type": "url", "url": "https://example.com/cat.png"}},
        {"type": "document", "source": {"type": "url", "url": "https://example.com/a.pdf"}},
        {"type": "image", "source": {"type": "url", "url": "https://example.com/dog"}},
    ]


def test_content_that_the_api_does_not_take_is_named_in_words() -> None:
    sound = Content.audio(b"RIFF0000WAVE", media_type="audio/wav")

    (turn,) = turns_of(
        [Message(role="user", content=(sound, Content.link("ftp://example.com/a.png", media_type="image/png")))]
    )

    assert [block["text"] for block in turn["content"]] == [
        "[audio: audio/wav, 12 bytes]",
        "[link: a.png, ftp://example.com/a.png, image/png]",
    ]


def test_an_image_in_a_result_is_a_block_and_a_link_is_not_fetched() -> None:
    parts = (Content.image(PNG), Content.link("https://example.com/cat.png", media_type="image/png"))

    (turn,) = turns_of([Message(role="tool", tool_call_id="a", content=parts)])

    assert [block["type"] for block in turn["content"][0]["content"]] == ["image", "text"]


def test_a_result_that_tells_of_an_error_has_text_only() -> None:
    (turn,) = turns_of(
        [Message(role="tool", tool_call_id="a", content=(Content.text("broken"), Content.image(PNG)), is_error=True)]
    )

    assert turn["content"][0]["content"] == [text("broken\n[image: image/png, 16 bytes]")]


def test_the_providers_blocks_are_sent_back_unchanged() -> None:
    cited = {"type": "text", "text": "Rain.", "citations": [{"type": "char_location", "cited_text": "rain"}]}
    searched = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "Tokyo"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    blocks = [THOUGHT, searched, found, cited, {**use("toolu_1", city="Tokyo"), "caller": {"type": "direct"}}]

    turns = turns_of([written(*blocks), answers("toolu_1", "rain")])

    assert turns[0]["content"] == blocks
    assert turns[1]["content"][0]["tool_use_id"] == "toolu_1"


def test_a_message_survives_being_stored_as_json() -> None:
    message = written(THOUGHT, text(""), use("toolu_1", city="Tokyo"))

    (turn,) = turns_of([Message.of(message.to_dict())])

    assert turn["content"] == [THOUGHT, use("toolu_1", city="Tokyo")]


def test_a_changed_message_keeps_its_thoughts_and_sends_its_new_text() -> None:
    message = written(THOUGHT, text("I look."), use("toolu_1", city="Tokyo"), use("toolu_2", city="Paris"))
    changed = message.replaced(content="Let me see.", tool_calls=(ToolCall("weather", {"city": "Kyoto"}, "toolu_1"),))

    (turn,) = turns_of([changed])

    assert turn["content"] == [THOUGHT, text("Let me see."), use("toolu_1", city="Kyoto")]


def test_malformed_native_content_is_ignored() -> None:
    (turn,) = turns_of([Message(role="assistant", content="Hi", native={"anthropic": "Hi"})])

    assert turn["content"] == [text("Hi")]


def test_writing_a_conversation_does_not_change_it() -> None:
    message = written(THOUGHT, text("a"), stop_reason="end_turn")
    before = message.to_dict()

    turns_of([message, message, Message(role="assistant", content="b")])

    assert message.to_dict() == before
