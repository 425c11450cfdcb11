"""Reading text as it comes: what is passed on or held back, and thoughts that the prompt opened."""

from __future__ import annotations

from typing import Any

import pytest

from fcregistry import Tool, ToolCall, dialects
from fcregistry.errors import DefinitionError, DialectNotFoundError

HERMES = dialects.get("hermes")
CALL = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'


@pytest.mark.parametrize(
    "text", ["a\n\n\n{x", "{x Action: f", "{x #```[1]", "{1: 2} [x", "[TOOL_CALLS]", "{x}\n\n\n{ {"]
)
@pytest.mark.parametrize("name", ["json", "llama3", "xlam", "pythonic", "react-json"])
def test_a_bracket_that_opens_no_call_is_content_as_it_was_written(name: str, text: str) -> None:
    stream = dialects.get(name).stream()
    for character in text:
        stream.feed(character)
    assert stream.close() == dialects.get(name).parse(text)
    if text != "[TOOL_CALLS]":  # a mark of xLAM's
        assert stream.close().content == text


def test_words_are_passed_on_at_once() -> None:
    stream = HERMES.stream()
    assert [stream.feed(piece).content for piece in ("Hello", " there", ", ", "you")] == [
        "Hello",
        " there",
        ",",
        " you",
    ]
    assert stream.close().content == "Hello there, you"
    assert not stream.rest


def test_what_may_begin_a_call_is_held_back() -> None:
    stream = HERMES.stream()
    assert stream.feed("a <tool").content == "a"
    assert stream.feed("box>").content == " <toolbox>"
    assert stream.feed(" and <").content == " and"
    assert stream.close().content == "a <toolbox> and <"
    assert stream.rest.content == " <"


def test_a_call_is_returned_when_it_is_complete() -> None:
    stream = HERMES.stream()
    said = [stream.feed(character) for character in CALL]
    assert [len(each.tool_calls) for each in said].count(1) == 1
    assert len(stream.close().tool_calls) == 1


def test_thoughts_are_passed_on_as_they_come() -> None:
    stream = HERMES.stream()
    assert stream.feed("<think>Let me").reasoning == "Let me"
    assert stream.feed(" see</think>Done").reasoning == " see"
    assert stream.close().content == "Done"


def test_text_before_the_end_of_thoughts_was_thought_and_makes_no_call() -> None:
    parsed = HERMES.parse(f"I could write {CALL}.\n</think>\nNo need.")
    assert parsed.reasoning == f"I could write {CALL}."
    assert parsed.content == "No need."
    assert parsed.tool_calls == ()


NESTING = {
    "one in another": f"<think>a <think>b</think> {CALL}</think>No.",
    "two in another": f"<think>a <think>b <think>c</think></think> {CALL}</think>No.",
    "one behind another": f"<think>a <think>b</think><think>c</think> {CALL}</think>No.",
    "a second end": f"<think>a</think> {CALL}</think>No.",
    "a second end and none of a beginning": f"a</think> {CALL}</think>No.",
    "a third end": f"a</think> {CALL}</think> {CALL}</think>No.",
}


@pytest.mark.parametrize("text", NESTING.values(), ids=NESTING)
@pytest.mark.parametrize("name", ["hermes", "auto"])
def test_a_call_before_the_last_end_of_thoughts_is_not_made(name: str, text: str) -> None:
    dialect = dialects.get(name)
    parsed = dialect.parse(text)
    assert (parsed.content, parsed.tool_calls) == ("No.", ())
    assert CALL in parsed.reasoning
    stream = dialect.stream()
    for character in text:
        stream.feed(character)
    assert stream.close() == parsed
    assert dialect.parse(f"{text} {CALL}").tool_calls != ()


def test_a_call_in_thoughts_is_not_made() -> None:
    parsed = HERMES.parse(f"<think>{CALL}</think>Done")
    assert parsed.tool_calls == ()
    assert parsed.reasoning == CALL


def test_a_closed_text_takes_no_more() -> None:
    stream = HERMES.stream()
    assert stream.close() == stream.close() == dialects.Parsed()
    with pytest.raises(ValueError, match="closed"):
        stream.feed("x")


def test_space_around_a_call_becomes_one_empty_line() -> None:
    assert HERMES.parse(f"  A.\n\n{CALL}\n\n{CALL}\n\nB.\n").content == "A.\n\nB."
    assert HERMES.parse(f"A {CALL} B").content == "A  B"
    assert HERMES.parse("A\n\n\n\nB").content == "A\n\n\n\nB"


def test_space_after_a_call_is_the_same_however_it_is_cut() -> None:
    stream = HERMES.stream()
    said = [stream.feed(piece).content for piece in ("A", CALL, "\n\n\n\nB")]
    assert said == ["A", "", "\n\nB"]
    assert stream.close().content == HERMES.parse(f"A{CALL}\n\n\n\nB").content == "A\n\nB"


def test_space_after_words_that_follow_a_call_stays_however_it_is_cut() -> None:
    stream = HERMES.stream()
    said = [stream.feed(piece).content for piece in ("A", CALL, "B", "\n\n\n\n", "C")]
    assert said == ["A", "", "B", "", "\n\n\n\nC"]
    assert stream.close().content == HERMES.parse(f"A{CALL}B\n\n\n\nC").content == "AB\n\n\n\nC"


def test_parsed_has_a_short_repr_and_a_truth_value() -> None:
    parsed = HERMES.parse(f"Hi{CALL}")
    assert repr(parsed) == "Parsed(content='Hi', tool_calls=(ToolCall('f', {}),))"
    assert parsed
    assert not dialects.Parsed()
    assert parsed != "Hi"


def test_an_unknown_dialect_raises_with_the_known_names() -> None:
    with pytest.raises(
        DialectNotFoundError, match=r"no dialect 'hermse'; did you mean hermes or muse\? the dialects are auto, apertus"
    ):
        dialects.get("hermse")
    with pytest.raises(TypeError, match="what a model wrote is text, not None"):
        dialects.get("hermes").parse(None)  # type: ignore[arg-type]


# --- types of bare text ---------------------------------------------------------------------------


def read(parameter: str, text: str, tools: Any = None) -> object:
    """Return the value of an argument of `f` that a model wrote as bare text."""
    call = f"<tool_call>\n<function=f>\n<parameter={parameter}>\n{text}\n</parameter>\n</function>\n</tool_call>"
    (made,) = dialects.get("qwen3-coder").parse(call, tools).tool_calls
    assert isinstance(made.arguments, dict)
    return made.arguments[parameter]


def typed(schema: object, text: str) -> object:
    shape = {
        "name": "f",
        "parameters": {"type": "object", "properties": {"x": schema}, "$defs": {"N": {"type": "integer"}}},
    }
    return read("x", text, [shape])


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "string"}, "42", "42"),
        ({"type": "integer"}, " 42\n", 42),
        ({"type": "integer"}, "4.0", 4.0),
        ({"type": "integer"}, "4.5", "4.5"),
        ({"type": "integer"}, "4 apples", "4 apples"),
        ({"type": "number"}, "4", 4),
        ({"type": "boolean"}, "True", True),
        ({"type": "boolean"}, "yes", "yes"),
        ({"type": "object"}, "{'k': 1}", {"k": 1}),
        ({"type": "object"}, '{"k": 1, "k": 2}', '{"k": 1, "k": 2}'),
        ({"type": "array"}, '["a"]', ["a"]),
        ({"type": ["integer", "null"]}, "null", None),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "null", None),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "7", 7),
        ({"enum": [1, 2]}, "2", 2),
        ({"const": True}, "true", True),
        ({"$ref": "#/$defs/N"}, "3", 3),
        ({"$ref": "#/$defs/M"}, "3", "3"),
        ({"allOf": [{"type": "integer"}, {"minimum": 1}]}, "3", 3),
        ({"properties": {}}, "{}", {}),
        ({"items": {}}, "[1]", [1]),
        ({}, "3", "3"),
        (True, "3", "3"),
    ],
)
def test_text_takes_the_type_of_its_place(schema: object, text: str, value: object) -> None:
    found = typed(schema, text)
    assert found == value
    assert type(found) is type(value)


def test_references_in_a_circle_give_no_type() -> None:
    shape = {
        "name": "f",
        "parameters": {"properties": {"x": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"$ref": "#/$defs/A"}}},
    }
    assert read("x", "3", [shape]) == "3"


def test_an_unknown_parameter_stays_text() -> None:
    assert read("x", "3") == "3"
    tools = [{"function": {"name": "f", "parameters": {"additionalProperties": {"type": "integer"}}}}]
    assert read("y", "3", tools) == 3


def test_a_tool_whose_schema_fails_does_not_affect_others() -> None:
    def f(n: int) -> int:
        """Return it."""
        return n

    def g(n: Tool) -> None:
        """Take what no schema tells."""

    tools = [Tool.from_function(f), Tool.from_function(g)]
    with pytest.raises(DefinitionError):
        _ = tools[1].parameters
    text = "<tool_call><function=f><parameter=n>1</parameter></function></tool_call>"
    assert dialects.get("qwen3-coder").parse(text, tools).tool_calls == (ToolCall("f", {"n": 1}),)


def test_types_come_from_the_schemas_of_tools() -> None:
    def f(n: int) -> int:
        """Return it."""
        return n

    assert read("n", "3", [Tool.from_function(f)]) == 3
