"""Calls with names in braces: bare values, strings between marks, and what is malformed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcregistry import Tool, ToolCall, dialects

QUOTES = {"gemma4": '<|"|>', "functiongemma": "<escape>"}
MARKS = {
    "gemma4": ("<|tool_call>", "<tool_call|>"),
    "functiongemma": ("<start_function_call>", "<end_function_call>"),
}
NAMES = sorted(QUOTES)


def read(name: str, inside: str) -> dialects.Parsed:
    """Return the content of a section, which is the same character by character; `~` stands for the quotes."""
    opens, closes = MARKS[name]
    text = f"{opens}{inside}{closes}".replace("~", QUOTES[name])
    parsed = dialects.get(name).parse(text)
    stream = dialects.get(name).stream()
    for character in text:
        stream.feed(character)
    assert stream.close() == parsed
    if not parsed.tool_calls:
        assert parsed.content == text
    return parsed


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("inside", "arguments"),
    [
        ("", {}),
        (" ", {}),
        ("a:1", {"a": 1}),
        ("a:-1.5,b:2e3", {"a": -1.5, "b": 2000.0}),
        ("a:true,b:false,c:null,d:None", {"a": True, "b": False, "c": None, "d": None}),
        ("a:~~", {"a": ""}),
        ("a:~ {x}, [y]: \n'z' \"~", {"a": " {x}, [y]: \n'z' \""}),
        ("a:[1,~b~,[],{c:~d~}]", {"a": [1, "b", [], {"c": "d"}]}),
        ("a:{b:{c:[true]}},d:1", {"a": {"b": {"c": [True]}}, "d": 1}),
        ("\n a: 1,\n b: ~x~,\n", {"a": 1, "b": "x"}),
        ("~a b~:1,~~:2", {"a b": 1, "": 2}),
        ("a-b.c:celsius,d:http://x/y", {"a-b.c": "celsius", "d": "http://x/y"}),
        ("a:007,b:1.2.3", {"a": 7, "b": "1.2.3"}),
    ],
)
def test_members_have_bare_names_and_strings_between_marks(name: str, inside: str, arguments: dict[str, Any]) -> None:
    assert read(name, f"call:f{{{inside}}}").tool_calls == (ToolCall("f", arguments),)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "inside",
    [
        "",
        "f{}",
        "call:{}",
        "call:f",
        "call:f{",
        "call:f{a:1",
        "call:f{a:[1}",
        "call:f{a:1]}",
        "call:f{a}",
        "call:f{a:}",
        "call:f{:1}",
        "call:f{a:1,a:2}",
        "call:f{a:~x}",
        "call:f{a:~x~y}",
        "call:f{a:1 b:~x~}",
        "call:f{a:1,,b:2}",
        "call:f{a:1e999}",
        "call:f{a:" + "9" * 5000 + "}",
        "call:f{a:" + "[" * 200 + "]" * 200 + "}",
    ],
)
def test_malformed_text_is_content(name: str, inside: str) -> None:
    assert read(name, inside).tool_calls == ()


@pytest.mark.parametrize("name", NAMES)
def test_a_malformed_call_does_not_affect_others(name: str) -> None:
    opens, closes = MARKS[name]
    for bad in (f"{opens}call:f{{a:1{closes}", f"{opens}call:f{{a:[1", f"{opens}call:f{{a:1]}}{closes}"):
        parsed = dialects.get(name).parse(f"{bad} then {opens}call:g{{}}{closes}")
        assert parsed.tool_calls == (ToolCall("g", {}),)
        assert parsed.content.startswith(bad)


@pytest.mark.parametrize("name", NAMES)
def test_calls_may_follow_in_one_section_and_need_no_closing_mark(name: str) -> None:
    opens, _ = MARKS[name]
    assert read(name, "call:f{a:1} call:g{}").tool_calls == (ToolCall("f", {"a": 1}), ToolCall("g", {}))
    assert dialects.get(name).parse(f"{opens}call:f{{a:1}}").tool_calls == (ToolCall("f", {"a": 1}),)


@pytest.mark.parametrize("name", NAMES)
def test_a_response_that_the_model_invents_is_left_out(name: str) -> None:
    invented = dialects.get(name).render_result("f", "42")
    assert dialects.get(name).parse(f"One.{invented}").content == "One."


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("name", NAMES)
@given(value=JSON)
@settings(max_examples=40, deadline=None)
def test_any_value_is_written_and_read_again(name: str, value: Any) -> None:
    dialect = dialects.get(name)
    calls = (ToolCall("f", {"a": value, "b c": [value]}),)
    assert dialect.parse(dialect.render_calls(calls)).tool_calls == calls


@pytest.mark.parametrize("name", NAMES)
def test_a_call_that_cannot_be_written_raises(name: str) -> None:
    dialect = dialects.get(name)
    deep: list[Any] = []
    for _ in range(200):
        deep = [deep]
    for call in (
        ToolCall("f", {"a": f"x{QUOTES[name]}"}),
        ToolCall("f", {f"x{QUOTES[name]}": 1}),
        ToolCall("a b", {}),
        ToolCall("f", {"a": float("nan")}),
        ToolCall("f", {"a": object()}),
        ToolCall("f", {"a": deep}),
    ):
        with pytest.raises(ValueError, match=r"cannot|not a JSON value|too deeply"):
            dialect.render_calls([call])


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_is_shown_with_types_in_capitals_and_its_strings_cannot_end_early(name: str) -> None:
    def tag(kind: str, type: int | None = None) -> str:
        """Tag it.

        Args:
            kind: A kind of <escape> or <|"|>.
        """
        return kind

    text = dialects.get(name).render([Tool.from_function(tag)]).replace(QUOTES[name], "~")
    assert "declaration:tag{description:~Tag it.~,parameters:{properties:{kind:{description:~A kind of " in text
    assert text.count("~") % 2 == 0
    assert QUOTES[name].replace("<", "< ") in text
    assert ",type:~STRING~}" in text
    assert "type:{anyOf:[{type:~INTEGER~},{type:~NULL~}]" in text
    assert "required:[~kind~],type:~OBJECT~}}" in text


@pytest.mark.parametrize("name", NAMES)
def test_values_in_a_schema_are_not_types(name: str) -> None:
    examples = [{"type": 5}, {"type": "small"}]
    schema = {"type": "object", "properties": {"a": {"type": "object", "examples": examples}}}
    tool = Tool.from_function(lambda a: a, name="tag", description="Tag it.", parameters=schema)
    text = dialects.get(name).render([tool]).replace(QUOTES[name], "~")
    assert "examples:[{type:5},{type:~small~}]" in text


def test_quotes_of_json_do_not_mark_strings() -> None:
    text = '<|tool_call>call:f{a:"x",b:1}<tool_call|>'
    stream = dialects.get("gemma4").stream()
    for character in text:
        stream.feed(character)
    assert stream.close() == dialects.get("gemma4").parse(text)
    assert stream.close().tool_calls == (ToolCall("f", {"a": '"x"', "b": 1}),)
