"""The known chat formats: a conversation as the pages of their models show it."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcregistry.dialects import ChatFormat, chat_format, chat_format_names
from fcregistry.errors import ChatTemplateError, DialectNotFoundError

TALK = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello."},
    {"role": "user", "content": "Bye"},
]
CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}

WRITTEN = {
    "plain": "System: Be brief.\n\nUser: Hi\n\nAssistant: Hello.\n\nUser: Bye\n\nAssistant:",
    "chatml": (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
        "<|im_start|>assistant\nHello.<|im_end|>\n<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n"
    ),
    "llama2": "<s>[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\nHi [/INST] Hello. </s><s>[INST] Bye [/INST]",
    "llama3": (
        "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\nHello.<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\nBye<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n"
    ),
    "mistral": "<s>[INST] Be brief.\n\nHi[/INST] Hello.</s>[INST] Bye[/INST]",
    "mistral-v7": "<s>[SYSTEM_PROMPT]Be brief.[/SYSTEM_PROMPT][INST]Hi[/INST]Hello.</s>[INST]Bye[/INST]",
    "gemma": (
        "<bos><start_of_turn>user\nBe brief.\n\nHi<end_of_turn>\n<start_of_turn>model\nHello.<end_of_turn>\n"
        "<start_of_turn>user\nBye<end_of_turn>\n<start_of_turn>model\n"
    ),
    "phi3": "<|system|>\nBe brief.<|end|>\n<|user|>\nHi<|end|>\n<|assistant|>\nHello.<|end|>\n<|user|>\nBye<|end|>\n<|assistant|>\n",
    "zephyr": "<|system|>\nBe brief.</s>\n<|user|>\nHi</s>\n<|assistant|>\nHello.</s>\n<|user|>\nBye</s>\n<|assistant|>\n",
    "vicuna": "Be brief. USER: Hi ASSISTANT: Hello.</s>USER: Bye ASSISTANT:",
    "alpaca": "Be brief.\n\n### Instruction:\nHi\n\n### Response:\nHello.\n\n### Instruction:\nBye\n\n### Response:\n",
    "deepseek": (
        "<｜begin▁of▁sentence｜>Be brief.<｜User｜>Hi<｜Assistant｜>Hello.<｜end▁of▁sentence｜><｜User｜>Bye<｜Assistant｜>"
    ),
    "command-r": (
        "<BOS_TOKEN><|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>Be brief.<|END_OF_TURN_TOKEN|>"
        "<|START_OF_TURN_TOKEN|><|USER_TOKEN|>Hi<|END_OF_TURN_TOKEN|>"
        "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>Hello.<|END_OF_TURN_TOKEN|>"
        "<|START_OF_TURN_TOKEN|><|USER_TOKEN|>Bye<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"
    ),
    "granite": (
        "<|start_of_role|>system<|end_of_role|>Be brief.<|end_of_text|>\n"
        "<|start_of_role|>user<|end_of_role|>Hi<|end_of_text|>\n"
        "<|start_of_role|>assistant<|end_of_role|>Hello.<|end_of_text|>\n"
        "<|start_of_role|>user<|end_of_role|>Bye<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>"
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_conversation_is_written_as_the_models_page_shows_it(name: str) -> None:
    assert chat_format(name).render(TALK) == WRITTEN[name]


@pytest.mark.parametrize("name", chat_format_names())
def test_every_format_says_where_it_is_from_and_where_an_answer_ends(name: str) -> None:
    row = chat_format(name)
    assert row.name == name
    assert row.source
    assert row.stops
    assert not row.takes_tools


@pytest.mark.parametrize("name", chat_format_names())
def test_without_a_generation_prompt_the_text_ends_after_the_last_message(name: str) -> None:
    row = chat_format(name)
    assert row.render(TALK, generation_prompt=False) + row.prompt == row.render(TALK)


@pytest.mark.parametrize("name", chat_format_names())
@settings(max_examples=40)
@given(said=st.text(max_size=20), start=st.integers(0, 9), end=st.integers(0, 9), twice=st.booleans())
def test_no_message_can_forge_a_marker_of_its_format(name: str, said: str, start: int, end: int, twice: bool) -> None:
    """Whatever is around a marker, and however markers overlap, the text has as many as it has turns."""
    row = chat_format(name)
    markers = row.markers
    first, second = markers[start % len(markers)], markers[end % len(markers)]
    forged = f"{said}{first[:-1] if twice else ''}{first}{said}{second}{second[1:]}"
    innocent = row.render([{"role": "user", "content": "x"}])
    written = row.render([{"role": "user", "content": forged}])
    assert {marker: written.count(marker) for marker in markers} == {
        marker: innocent.count(marker) for marker in markers
    }


def test_a_broken_marker_can_still_be_read() -> None:
    written = chat_format("chatml").render([{"role": "user", "content": "what is <|im_end|>?"}])
    assert written.startswith("<|im_start|>user\nwhat is <|im_end| >?<|im_end|>\n")


def test_a_text_without_markers_stays_as_it_is() -> None:
    text = "a < b | c > d [x] </p> {% if %} {{ y }} \\ \u200b"
    assert text in chat_format("chatml").render([{"role": "user", "content": text}])


def test_calls_follow_the_content_as_json_and_results_have_a_turn_of_their_own() -> None:
    talk = [
        {"role": "assistant", "content": "Let me see.", "tool_calls": [CALL, CALL]},
        {"role": "tool", "content": "3", "tool_call_id": "c1"},
    ]
    line = '{"name": "add", "arguments": {"a": 1}}'
    assert chat_format("llama3").render(talk, generation_prompt=False) == (
        "<|begin_of_text|><|start_header_id|>assistant<|end_header_id|>\n\n"
        f"Let me see.\n{line}\n{line}<|eot_id|>"
        "<|start_header_id|>ipython<|end_header_id|>\n\n3<|eot_id|>"
    )


def test_a_message_that_only_calls_has_no_empty_line() -> None:
    talk = [{"role": "assistant", "content": None, "tool_calls": [CALL]}]
    assert "\n\n{" not in chat_format("chatml").render(talk)


def test_a_last_system_message_becomes_one_of_the_user() -> None:
    talk = [{"role": "system", "content": "Be brief."}]
    assert chat_format("gemma").render(talk, generation_prompt=False) == (
        "<bos><start_of_turn>user\nBe brief.<end_of_turn>\n"
    )


def test_developer_and_model_are_other_names_of_roles() -> None:
    talk = [{"role": "developer", "content": "a"}, {"role": "model", "content": "b"}]
    assert chat_format("plain").render(talk, generation_prompt=False) == "System: a\n\nAssistant: b\n\n"


def test_parts_of_text_are_joined() -> None:
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert "User: a\nb\n" in chat_format("plain").render([{"role": "user", "content": parts}])


def test_messages_are_not_changed() -> None:
    talk: list[dict[str, Any]] = [{"role": "assistant", "content": None, "tool_calls": [CALL]}]
    before = json.dumps(talk)
    chat_format("chatml").render(talk)
    assert json.dumps(talk) == before


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([{"role": "robot", "content": "x"}], "$[0].role: must be system, user, assistant or tool, not 'robot'"),
        ([{"content": "x"}], "$[0]: a message must be a dict with a role, such as {'role': 'user', 'content': 'Hi'}"),
        ("Hi", "$[0]: a message must be a dict with a role, such as {'role': 'user', 'content': 'Hi'}"),
        (
            [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}],
            "$[0].content: a chat format writes text only; give images to the model's own template",
        ),
        ([{"role": "user", "content": "x", "more": {1}}], "$[0].more: must be JSON data, not set"),
    ],
)
def test_a_call_that_cannot_be_written_raises(messages: Any, said: str) -> None:
    with pytest.raises(ChatTemplateError) as caught:
        chat_format("chatml").render(messages)
    assert str(caught.value) == said


def test_tools_are_not_left_out_silently() -> None:
    with pytest.raises(ChatTemplateError, match="has no place for tools: have a dialect write them"):
        chat_format("chatml").render(TALK, [{"type": "function", "function": {"name": "add"}}])


def test_an_unknown_format_is_refused_with_the_nearest() -> None:
    with pytest.raises(DialectNotFoundError) as caught:
        chat_format("chat-ml")
    assert str(caught.value).startswith(
        "there is no chat format 'chat-ml'; did you mean chatml? the chat formats are alpaca, "
    )


def test_a_format_can_be_made_from_another() -> None:
    row = dataclasses.replace(chat_format("chatml"), name="mine", user=("<|me|>", "<|/me|>"))
    assert isinstance(row, ChatFormat)
    assert row.render([{"role": "user", "content": "<|me|>"}], generation_prompt=False) == "<|me|><|me| ><|/me|>"
