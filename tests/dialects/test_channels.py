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


@pytest.mark.parametrize(
    "header",
    [
        "<|channel|>commentary to={}",
        "<|start|>assistant to={}",
        "<|channel|>analysis to={}",
        "<|channel|>final to={} json",
        "<|channel|>commentary to={}<|message|>",
        "<|channel|>commentary to={} <|constrain|>json<|message|>\n",
    ],
)
def test_a_recipient_without_a_body_is_called_only_if_it_is_a_tool(header: str) -> None:
    for name in ("user", "all"):
        text = f"{header.format(name)}<|call|>"
        parsed = read(text)
        assert parsed.tool_calls == ()
        assert parsed.content.startswith(header.format(name).strip())
        assert dialects.get("auto").parse(text).tool_calls == ()
    called = dialects.Parsed(tool_calls=(ToolCall("f", {}),))
    assert read(f"{header.format('functions.f')}<|call|>") == called
    text, tools = f"{header.format('f')}<|call|>", [{"name": "f"}]
    for each in (HARMONY, dialects.get("auto")):
        assert each.parse(text, tools) == called
        stream = each.stream(tools)
        for character in text:
            stream.feed(character)
        assert stream.close() == called


def test_the_rest_of_a_prompt_s_header_names_a_tool() -> None:
    assert read("to=functions.f<|call|>").tool_calls == (ToolCall("f", {}),)


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


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("harmony", "<|channel|>final<|message|>Two.<|end|><|start|>assistant<|channel|>"),
        ("harmony", "<|channel|>final<|message|>Two.<|end|><|start|>assistant<|channel|>analysis"),
        ("harmony", "<|channel|>final<|message|>Two.<|end|><|start|>assistant"),
        ("harmony", "<|channel|>final<|message|>Two.<|end|><|start|>"),
        ("harmony", "<|channel|><|start|>assistant<|channel|>final<|message|>Two."),
        ("harmony", "<|channel|>analysis<|end|><|start|>assistant<|channel|>final<|message|>Two."),
        ("harmony", "<|start|><|start|>assistant<|channel|>final<|message|>Two."),
        ("harmony", "<|channel|>final<|message|><|message|>Two.<|return|>"),
        ("harmony", "<|channel|>final <|message|>Two.<|return|>"),
        ("harmony", "<|channel|>final <|constrain|>json<|message|><|message|>Two.<|return|>"),
        ("harmony", "<|start|>assistant<|message|>Two.<|end|>"),
        ("muse", " to=user<|message|>Two.<|eom|><|start|>assistant"),
        ("muse", " to=user<|message|>Two.<|eom|><|start|>"),
        ("muse", "to=user<|message|><|message|>Two.<|eot|>"),
        ("muse", " to=user<|message|>Two.<|end_of_text|>"),
        ("muse", "<|start|>assistant<|start|>assistant to=user<|message|>Two.<|eot|>"),
        ("inkling", "<|message_model|><|message_model|><|content_text|>Two.<|end_message|>"),
        ("inkling", "<|content_text|>Two.<|end_message|><|message_model|>"),
        ("inkling", "<|message_model|><|end_message|><|message_model|><|content_text|><|content_text|>Two."),
        ("command-r", "<|START_RESPONSE|><|START_RESPONSE|>Two.<|END_RESPONSE|><|END_TEXT|>"),
        ("command-r", "<|START_RESPONSE|>Two.<|END_OF_TURN_TOKEN|>"),
        ("kimi-k3", "<|open|>response<|sep|>Two.<|end_of_msg|>"),
    ],
)
@pytest.mark.parametrize("is_known", [True, False], ids=["named", "auto"])
def test_no_mark_of_a_message_is_content(name: str, text: str, is_known: bool) -> None:
    dialect = dialects.get(name if is_known else "auto")
    assert dialect.parse(text) == dialects.Parsed("Two.")
    stream = dialect.stream()
    passed_on = "".join(stream.feed(character).content for character in text)
    assert stream.close() == dialects.Parsed("Two.")
    assert passed_on + stream.rest.content == "Two."


def test_an_answer_ends_with_the_mark_that_ends_the_text() -> None:
    assert dialects.get("granite").parse("<response><response>Two.<|end_of_text|>") == dialects.Parsed("Two.")


def test_thoughts_end_where_the_header_of_analysis_has_a_mark_or_space_too_much() -> None:
    assert read("<|channel|>analysis <|message|><|message|>One.<|end|>") == dialects.Parsed("", "One.")


def test_a_call_after_a_message_mark_that_is_written_twice_is_a_call() -> None:
    assert read("<|channel|>commentary to=f<|message|><|message|>{}<|call|>").tool_calls == (ToolCall("f", {}),)


@pytest.mark.parametrize("space", ["", " "])
def test_auto_passes_on_no_recipient_of_a_message(space: str) -> None:
    text = f'{space}to=f<|message|><atem:function_calls>\n<atem:invoke name="f">\n</atem:invoke>\n</atem:function_calls><|eot|>'
    stream = dialects.get("auto").stream()
    assert not any(stream.feed(character) for character in text)
    assert stream.close() == dialects.Parsed("", "", (ToolCall("f", {}),))


def test_auto_reads_an_answer_of_muse_without_its_recipient() -> None:
    text = "to=self<|message|>One.<|eom|><|start|>assistant to=user<|message|>Two.<|eot|>"
    assert dialects.get("auto").parse(text) == dialects.Parsed("Two.", "One.")


def test_a_text_in_an_unknown_channel_is_content_as_it_was_written() -> None:
    assert read("<|channel|>memory<|message|>One.").content == "<|channel|>memory<|message|>One."


@pytest.mark.parametrize(("name", "end"), [("command-r", "<|END_THINKING|>"), ("minicpm", "</think>")])
def test_text_before_the_end_of_thoughts_was_thought(name: str, end: str) -> None:
    assert dialects.get(name).parse(f"One.{end}Two.") == dialects.Parsed("Two.", "One.")


def test_text_without_channels_is_content() -> None:
    assert read("Hello <there>.") == dialects.Parsed("Hello <there>.")


@pytest.mark.parametrize("name", ["a b", "", "functions.f", "f<|message|>"])
def test_a_name_that_cannot_be_a_recipient_is_not_written(name: str) -> None:
    with pytest.raises(ValueError, match=r"cannot be written as a recipient|would not be read again"):
        HARMONY.render_calls([ToolCall(name, {})])
