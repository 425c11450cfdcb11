"""Calls as lines: labels, inputs that are JSON or text, and observations that the model invents."""

from __future__ import annotations

from typing import Any

import pytest

from fcregistry import ToolCall, dialects

REACT = dialects.get("react")
TEXT_TOOL = {
    "name": "search",
    "parameters": {
        "type": "object",
        "properties": {"query": {"type": "string"}, "n": {"type": "integer"}},
        "required": ["query"],
    },
}
NUMBER_TOOL = {"name": "square", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}}}
NO_TOOL = {"name": "now", "parameters": {"type": "object", "properties": {}}}
TWO_TOOL = {
    "name": "add",
    "parameters": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}},
}
TOOLS = [TEXT_TOOL, NUMBER_TOOL, NO_TOOL, TWO_TOOL]


def read(text: str, tools: Any = None) -> dialects.Parsed:
    """Return what a text says, after a look at it character by character."""
    parsed = REACT.parse(text, tools)
    stream = REACT.stream(tools)
    for character in text:
        stream.feed(character)
    assert stream.close() == parsed
    return parsed


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        (' {"a": 1}', {"a": 1}),
        ('{"a": 1}', {"a": 1}),
        ('\n\n{\n  "a": 1\n}\n', {"a": 1}),
        (" {'a': 1,} // so\n", {"a": 1}),
        (' ```json\n{"a": 1}\n```\n', {"a": 1}),
        (" ```\n{'a': 1}```", {"a": 1}),
        (' tool({"a": 1})\n', {"a": 1}),
        (" {}\n", {}),
        (" None\n", {}),
        ("\nObservation: x", {}),
        (" what is it\n", "what is it"),
        (" ```python\nprint(1)\nprint(2)\n```\n", "print(1)\nprint(2)"),
    ],
)
def test_an_input_is_json_or_text_for_the_executor(text: str, arguments: Any) -> None:
    assert read(f"Action: tool\nAction Input:{text}").tool_calls == (ToolCall("tool", arguments),)


@pytest.mark.parametrize(
    ("name", "text", "arguments"),
    [
        ("search", "rivers in Spain", {"query": "rivers in Spain"}),
        ("search", '"rivers in Spain"', {"query": "rivers in Spain"}),
        ("search", "'a' or 'b'", {"query": "'a' or 'b'"}),
        ("search", "42", {"query": "42"}),
        ("search", "", {"query": ""}),
        ("square", "42", {"x": 42}),
        ("square", "many", {"x": "many"}),
        ("now", "None", {}),
        ("now", "n/a", {}),
        ("add", "1 and 2", "1 and 2"),
        ("add", 'add({"a": 1, "b": 2})', {"a": 1, "b": 2}),
    ],
)
def test_a_line_of_text_is_the_value_of_the_one_parameter(name: str, text: str, arguments: Any) -> None:
    assert read(f"Action: {name}\nAction Input: {text}\nObservation:", TOOLS).tool_calls == (ToolCall(name, arguments),)


@pytest.mark.parametrize("line", ["add", " add ", "`add`", "**add**", "'add'", "add (adds two numbers)", "add(a, b)"])
def test_a_name_may_be_marked_and_explained(line: str) -> None:
    assert read(f"Action: {line}\nAction Input: {{}}\n").tool_calls == (ToolCall("add", {}),)


def test_a_name_may_be_of_any_letters_or_none_at_all() -> None:
    assert read("Action: 加法\n\nAction Input: {}\n").tool_calls == (ToolCall("加法", {}),)
    assert read("Action: look it up\nAction Input: {}\n").tool_calls == (ToolCall("look it up", {}),)


@pytest.mark.parametrize(
    "text",
    [
        "Action:",
        "Action: add",
        "Action: add\n",
        "Action: add\nAction Inp",
        'Action: add\nAction Input: {"a": 1',
        "Action: search\nAction Input:",
        "Action: search\nAction Input: ``",
        "Action:\nAction Input: rivers",
        "Action: search\nAction Input: ```\nrivers",
        "Action: go on\nand on",
        "The Action: add\nAction Input: {}\n",
    ],
)
def test_a_cut_off_action_or_other_text_is_content(text: str) -> None:
    parsed = read(text, TOOLS)
    assert parsed.tool_calls == ()
    assert parsed.content == text.strip()


def test_thoughts_end_where_the_next_label_begins() -> None:
    parsed = read("Thought: one\ntwo, an Action: too\nThought: three\nAnswer: four\nThe Thought: of it")
    assert parsed.reasoning == "one\ntwo, an Action: too\n\nthree"
    assert parsed.content == "four\nThe Thought: of it"


def test_only_a_label_is_left_out_of_an_answer() -> None:
    assert read("Final Answer: 4").content == "4"
    assert read("Final Answer is 4").content == "Final Answer is 4"
    assert read("My Answer: 4").content == "My Answer: 4"


def test_an_invented_observation_is_cut_off_with_all_after_it() -> None:
    parsed = read(
        'Action: now\nAction Input: {}\nObservation: noon\nThought: good\nAction: add\nAction Input: {"a": 1}\nFinal Answer: noon'
    )
    assert parsed == dialects.Parsed("", "", (ToolCall("now", {}),))


def test_words_after_an_input_stay() -> None:
    parsed = read("Action: add\nAction Input: {'a': 1}, along those lines.\nMore.")
    assert parsed.tool_calls == (ToolCall("add", {"a": 1}),)
    assert parsed.content == ", along those lines.\nMore."
    assert parsed.repairs


def test_a_name_that_does_not_fit_on_a_line_is_not_written() -> None:
    with pytest.raises(ValueError, match="cannot be written on the line"):
        REACT.render_calls([ToolCall("a\nb", {})])
    with pytest.raises(ValueError, match="cannot be written on the line"):
        REACT.render_calls([ToolCall("add (x)", {})])
