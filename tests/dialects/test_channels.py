"""Calls as messages into channels: where the recipient may be, and the other channels."""

from __future__ import annotations

import pytest

from fcregistry import ToolCall, dialects

HARMONY = dialects.get("harmony")


def read(text: str) -> dialects.Parsed:
    """Return what a text says, after a look at it character by character."""
    parsed = HARMONY.parse(text)
    stream = HARMONY.stream()
    for character in text:
        stream.feed(character)
    assert stream.close() == parsed
    return parsed


@pytest.mark.parametrize(
    "header",
    [
        "<|channel|>commentary to=functions.f <|constrain|>json<|message|>",
        "<|channel|>commentary to=functions.f<|constrain|>json<|message|>",
        "<|channel|>commentary to=functions.f<|message|>",
        "<|channel|>commentary to=functions.f code<|message|>",
        "<|channel|>commentary to=f <|message|>",
        "<|channel|>analysis to=functions.f <|constrain|>json<|message|>",
        "<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>",
        "<|start|>assistant to=functions.f<|channel|>commentary <|constrain|>json<|message|>",
        "<|start|>assistant to=functions.f<|channel|>commentary<|message|>",
    ],
)
@pytest.mark.parametrize("end", ["<|call|>", "<|end|>", ""])
def test_the_recipient_is_before_or_after_the_channel(header: str, end: str) -> None:
    assert read(f'{header}{{"a": "<|call|>"}}{end}') == dialects.Parsed("", "", (ToolCall("f", {"a": "<|call|>"}),))


def test_only_the_namespace_of_functions_is_left_out_of_a_name() -> None:
    text = '<|channel|>commentary to=browser.search<|message|>{"query": "x"}<|call|>'
    assert read(text).tool_calls == (ToolCall("browser.search", {"query": "x"}),)


@pytest.mark.parametrize(
    "text",
    [
        "<|channel|>commentary to=functions.f",
        "<|channel|>commentary to=functions.f <|constrain|>json<|message|>",
        '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": 1',
        "<|channel|>analysis to=python code<|message|>print(1)",
        "<|channel|>commentary to= <|message|>{}",
        "<|start|>user",
    ],
)
def test_a_message_that_is_cut_off_or_not_an_object_is_content(text: str) -> None:
    assert read(text) == dialects.Parsed(text.strip())


def test_a_header_that_is_cut_off_does_not_affect_other_calls() -> None:
    parsed = read(
        "<|channel|>commentary to=functions.f<|end|><|channel|>commentary to=functions.g<|message|>{}<|call|>"
    )
    assert parsed.tool_calls == (ToolCall("g", {}),)


def test_analysis_is_thought_and_the_other_channels_are_content() -> None:
    parsed = read(
        "<|channel|>analysis<|message|>One.<|end|><|start|>assistant<|channel|>commentary<|message|>Two.<|end|>"
        "<|start|>assistant<|channel|>analysis<|message|>Three.<|end|><|start|>assistant"
        '<|channel|>final <|constrain|>json<|message|>{"four": 4}<|return|>'
    )
    assert parsed.reasoning == "One.\n\nThree."
    assert "Two." in parsed.content
    assert parsed.content.endswith('{"four": 4}')


def test_a_message_that_does_not_end_is_ended_by_the_next() -> None:
    parsed = read("<|channel|>analysis<|message|>One.<|start|>assistant<|channel|>final<|message|>Two.")
    assert parsed == dialects.Parsed("Two.", "One.")


@pytest.mark.parametrize("begins", ["<|channel|>", "<|channel|>analysis", "<|channel|>final "])
@pytest.mark.parametrize("name", ["harmony", "auto"])
def test_a_channel_that_is_written_twice_is_left_out(begins: str, name: str) -> None:
    text = (
        f"{begins}<|channel|>analysis<|message|>One.<|end|><|start|>assistant{begins}<|channel|>final<|message|>Two.<|end|>"
        f'<|start|>assistant{begins}<|channel|>commentary to=functions.f <|constrain|>json<|message|>{{"a": 1}}<|call|>'
    )
    stream = dialects.get(name).stream()
    for character in text:
        stream.feed(character)
    assert stream.close() == dialects.get(name).parse(text)
    assert stream.close() == dialects.Parsed("Two.", "One.", (ToolCall("f", {"a": 1}),))


def test_text_without_channels_is_content() -> None:
    assert read("Hello <there>.") == dialects.Parsed("Hello <there>.")


@pytest.mark.parametrize("name", ["a b", "", "functions.f", "f<|message|>"])
def test_a_name_that_cannot_be_a_recipient_is_not_written(name: str) -> None:
    with pytest.raises(ValueError, match=r"cannot be written as a recipient|would not be read again"):
        HARMONY.render_calls([ToolCall(name, {})])
