"""Texts whose dialect is not known: which one is found, and what is passed on before that."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest

from fcregistry import ToolCall, dialects
from fcregistry.dialects import detect

from .goldens import Golden, goldens

AUTO = dialects.get("auto")
CASES = [(name, case) for name, cases in sorted(goldens().items()) for case in cases]
CALLING = [(name, case) for name, case in CASES if case.calls and name not in ("glm-4", "functionary")]


def outlines(calls: Iterable[tuple[str, Any]]) -> list[tuple[str, list[str]]]:
    """Return the names in calls: how texts are trimmed and escaped differs between families that share a syntax."""
    return [(name, sorted(arguments)) for name, arguments in calls]


@pytest.mark.parametrize(("name", "case"), CALLING, ids=[f"{name}-{place}" for place, (name, _) in enumerate(CALLING)])
def test_auto_reads_the_calls_of_every_published_text(name: str, case: Golden) -> None:
    """Families may share a syntax: then the calls are the same."""
    found = detect(case.text, case.tools)
    assert found is not None
    calls = found.parse(case.text, case.tools).tool_calls
    assert outlines((call.name, call.arguments) for call in calls) == outlines(case.calls)
    if found.name == name:
        assert [(call.name, call.arguments) for call in calls] == [
            (call, dict(arguments)) for call, arguments in case.calls
        ]
    assert AUTO.parse(case.text, case.tools).tool_calls == calls


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('<tool_call>{"name": "f", "arguments": {}}</tool_call>', "hermes"),
        ("<|tool_call_start|>[f(a=1)]<|tool_call_end|>", "lfm2"),
        ("<|thought_start|>hm<|thought_end|><|tool_call_start|>f(a=1)<|tool_call_end|>", "minicpm"),
        ("<function_calls>\nf(a=1)\n</function_calls>", "olmo3"),
        ("<|channel|>commentary to=functions.f<|message|>{}<|call|>", "harmony"),
        ('<|tool_call>call:f{a:<|"|>x<|"|>}<tool_call|>', "gemma4"),
        ("Thought: hm\nAction: f\nAction Input: {}", "react"),
        ('{"name": "f", "arguments": {}}', "json"),
        ('I call [f(a="{")].', "pythonic"),
        ('<|python_tag|>{"name": "f", "parameters": {}}', "llama3"),
        ('[TOOL_CALLS] [{"name": "f", "arguments": {}}]', "mistral"),
        ('<tool_call>["name"]</tool_call> but [f(a=1)]', "pythonic"),
    ],
)
def test_the_dialect_with_the_most_specific_marks_is_found(text: str, name: str) -> None:
    found = detect(text)
    assert found is not None
    assert found.name == name
    assert AUTO.detect(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hello.",
        "See [1] and {x}.",
        '<tool_call>{"name": "f", "argum',
        "Action: go home",
        "```python\nprint(1)\n```",
    ],
)
def test_a_text_without_a_call_has_no_dialect_and_is_content(text: str) -> None:
    assert detect(text) is None
    assert not AUTO.detect(text)
    assert AUTO.parse(text) == dialects.Parsed(text)


def test_a_text_without_a_call_in_channels_is_read_as_channels() -> None:
    text = "<|channel|>analysis<|message|>Easy.<|end|><|start|>assistant<|channel|>final<|message|>Four.<|return|>"
    assert AUTO.parse(text) == dialects.Parsed("Four.", "Easy.")


@pytest.mark.parametrize(("name", "case"), CASES, ids=[f"{name}-{place}" for place, (name, _) in enumerate(CASES)])
def test_a_text_has_the_same_content_however_it_is_cut(name: str, case: Golden) -> None:
    whole = AUTO.parse(case.text, case.tools)
    for seed in range(3):
        chance, stream, new, place = random.Random(seed), AUTO.stream(case.tools), [], 0
        while place < len(case.text):
            size = chance.randint(1, chance.choice((1, 4, 30)))
            new.append(stream.feed(case.text[place : place + size]))
            place += size
        assert stream.close() == whole
        assert stream.close() == whole
        passed_on = "".join(each.content for each in [*new, stream.rest])
        assert passed_on.endswith(whole.content)
        opens, closes = dialects.get(name).thinks or ("", "</")
        begins = case.text.split("<think>")[0]
        if "</" not in begins and (
            closes not in begins or opens in begins
        ):  # no thoughts that were opened in the prompt
            assert passed_on == whole.content
    with pytest.raises(ValueError, match="was closed"):
        stream.feed("x")


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Oslo is cold.", "Oslo is cold."),
        ("Oslo", "Oslo"),
        ('f<|content_invoke_tool_json|>{"name": "f", "args": {}}<|end_message|>', ""),
    ],
)
def test_the_first_word_may_be_the_recipient_of_a_message(text: str, content: str) -> None:
    stream = AUTO.stream()
    new = [stream.feed(character).content for character in text]
    parsed = stream.close()
    assert "".join([*new, stream.rest.content]) == parsed.content == content
    assert bool(parsed.tool_calls) == (not content)


def test_words_are_passed_on_up_to_the_first_mark_of_any_dialect() -> None:
    stream = AUTO.stream()
    assert stream.feed("Let me look. ") == dialects.Parsed("Let me look.")
    assert stream.feed("It is 1 <") == dialects.Parsed(" It is 1")
    assert stream.feed(" 2") == dialects.Parsed(" < 2")
    assert stream.feed(".<tool_c") == dialects.Parsed(".")
    assert stream.feed('all>{"name": "f", "arguments": {}}</tool_call>') == dialects.Parsed()
    assert stream.close() == dialects.Parsed("Let me look. It is 1 < 2.", "", (ToolCall("f", {}),))
    assert stream.rest == dialects.Parsed("", "", (ToolCall("f", {}),))


def test_auto_shows_tools_and_writes_calls_as_json_does() -> None:
    call = ToolCall("f", {"a": 1})
    assert AUTO.render_calls([call]) == dialects.get("json").render_calls([call])
    assert AUTO.render_result("f", "1") == dialects.get("json").render_result("f", "1")
    assert AUTO.parse(AUTO.render_calls([call])).tool_calls == (call,)
    assert AUTO.name == "auto"
    assert dialects.get("auto") is AUTO


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Cold.<|im_end|>", "Cold."),
        ("Cold.</s>", "Cold."),
        ("Cold. <|eot_id|>\n<|endoftext|>\n", "Cold."),
        ("<think>Two.</think>Cold.<end_of_turn>", "Cold."),
        ("<|im_end|>", ""),
        ("The token <|im_end|> ends a turn.", "The token <|im_end|> ends a turn."),
        ('<tool_call>{"name": "f", "arg</s>', '<tool_call>{"name": "f", "arg'),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 100])
def test_stop_tokens_at_the_end_of_a_text_of_an_unknown_dialect_are_not_content(
    text: str, content: str, size: int
) -> None:
    assert AUTO.parse(text).content == content
    stream = AUTO.stream()
    parts = [stream.feed(text[place : place + size]).content for place in range(0, len(text), size)]
    assert stream.close().content == content
    assert "".join([*parts, stream.rest.content]) == content


@pytest.mark.parametrize(
    "text",
    [
        "```\ncode\n```\n",
        "```f``` ",
        "~~~\ncode\n~~~\n",
        "```json\n[1, 2]\n```\n",
        "Action: think\n",
    ],
)
def test_code_and_labels_without_a_call_hide_no_call_after_them(text: str) -> None:
    call = '\n<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    parsed = AUTO.parse(text * 3 + call)
    assert [each.name for each in parsed.tool_calls] == ["f"]
    assert parsed.content == (text * 3).strip()


def test_a_fence_is_not_closed_by_a_shorter_one_or_within_a_line() -> None:
    call = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    assert not AUTO.parse(f"````\na\n```\n{call}\n````").tool_calls
    assert not AUTO.parse(f"```\na ```\n{call}\n```").tool_calls
    assert not AUTO.parse(f"~~~\na\n```\n{call}\n~~~").tool_calls


def test_a_label_alone_is_left_out_if_the_text_is_in_the_dialect_that_has_it() -> None:
    action = '```json\n{"action": "f", "action_input": {}}\n```'
    parsed = AUTO.parse(f"Action: hm\nwords\nAction:\n{action}")
    assert [each.name for each in parsed.tool_calls] == ["f"]
    assert parsed.content == "hm\nwords"
