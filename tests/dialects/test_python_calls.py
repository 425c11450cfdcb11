"""Calls as Python writes them: which values are read, and what is refused; nothing is evaluated."""

from __future__ import annotations

import ast
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcregistry import ToolCall, dialects

PYTHONIC = dialects.get("pythonic")
SEARCH = {
    "name": "search",
    "parameters": {
        "type": "object",
        "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
    },
}


def calls_of(text: str, tools: Any = None, name: str = "pythonic") -> list[tuple[str, Any]]:
    """Return the calls of a text, after a look at it character by character."""
    dialect = dialects.get(name)
    parsed = dialect.parse(text, tools)
    stream = dialect.stream(tools)
    for character in text:
        stream.feed(character)
    assert stream.close() == parsed
    return [(call.name, call.arguments) for call in parsed.tool_calls]


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("'a'", "a"),
        ('"a\'b"', "a'b"),
        ("''", ""),
        ('""', ""),
        ("''''''", ""),
        ("'''it's \"so\"'''", 'it\'s "so"'),
        ('"""two\nlines"""', "two\nlines"),
        ("'a\nb'", "a\nb"),
        ("'a' 'b' \"c\"", "abc"),
        (r"'a\tb\n\\n\'\"'", "a\tb\n\\n'\""),
        (r"'\x41\u00e9\U0001F600\101\/\q'", "Aé😀A/\\q"),
        (r"'\ud83d\ude00'", "😀"),
        (r"r'a\nb'", "a\\nb"),
        ("1", 1),
        ("+1", 1),
        ("1_000", 1000),
        ("0x1F", 31),
        ("1.5", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("-1e+5", -1e5),
        ("1E-2", 0.01),
        ("True", True),
        ("false", False),
        ("null", None),
        ("[1, 'a', [None], ]", [1, "a", [None]]),
        ("(1, 2)", [1, 2]),
        ("(1,)", [1]),
        ("()", []),
        ("(1)", 1),
        ("{'a': {'b': (1, 2)}, \"c\": True,}", {"a": {"b": [1, 2]}, "c": True}),
        ('{"a": ["x", 1.5, null], "b": {}}', {"a": ["x", 1.5, None], "b": {}}),
    ],
)
def test_a_literal_is_read_as_its_value(value: str, read: Any) -> None:
    found = calls_of(f"[f(a={value}, b = 'x')]")
    assert found == [("f", {"a": read, "b": "x"})]
    assert type(found[0][1]["a"]) is type(read)


@pytest.mark.parametrize(
    "value",
    [
        "x",
        "x.y",
        "not True",
        "1 + 1",
        "-x",
        "--1",
        "007",
        "1j",
        "1e999",
        "9" * 5000,
        "b'a'",
        "f'{x}'",
        "g(1)",
        "[g(b=1)]",
        "__import__('os')",
        "{1, 2}",
        "{1: 2}",
        "{'a': 1, 'a': 2}",
        "{**{}}",
        "[x for x in (1, 2)]",
        "[1 2]",
        "[1, , 2]",
        "(1, 2",
        "lambda: 1",
        "*[1]",
        "don't",
        "",
        "[" * 200 + "]" * 200,
    ],
)
def test_anything_but_literals_is_content(value: str) -> None:
    for text in (f"[f(a={value})]", f"[f(a='x', b={value}, c='y')]", f"[g(a=1), f(a={value})]"):
        assert calls_of(text) == []
        assert PYTHONIC.parse(text).content == text


def test_a_malformed_list_does_not_affect_others() -> None:
    assert calls_of("[f(a={1, 2})] [g(b=1)]") == [("g", {"b": 1})]
    assert calls_of("[f(a=don't)]\n[g(b='x')]") == [("g", {"b": "x"})]
    assert calls_of("[f(a=1 + 1, b='[g(c=1)]')]") == []
    assert calls_of("[f(a=x if [g(b=1)] else y)]") == []
    assert calls_of("[f(a=1), 2] [[g(b=1)]]") == [("g", {"b": 1})]


@pytest.mark.parametrize(
    "text",
    ["[]", "[f]", "[f(]", "[f(a=1}]", "[f(a=1)", "[f(a=1),", "[f(a=1) g(b=2)]", "f(a=1)", "[f(a=1, a=2)]", "[ (1)]"],
)
def test_a_list_of_anything_but_calls_is_content(text: str) -> None:
    assert calls_of(text) == []
    assert PYTHONIC.parse(text).content == text


def test_names_keep_their_dots_and_lists_may_end_with_a_comma() -> None:
    assert calls_of("[functions.f(a=1), api.v1.get-it(),]") == [("functions.f", {"a": 1}), ("api.v1.get-it", {})]
    assert calls_of("[\n f(\n  a = 1,\n ),\n g( )\n]") == [("f", {"a": 1}), ("g", {})]


def test_arguments_without_a_name_take_those_of_the_schema_in_order() -> None:
    assert calls_of("[search('x', 3)]", [SEARCH]) == [("search", {"query": "x", "limit": 3})]
    assert calls_of("[search('x', limit=3)]", [SEARCH]) == [("search", {"query": "x", "limit": 3})]
    assert calls_of("[search(True)]", [SEARCH]) == [("search", {"query": True})]


@pytest.mark.parametrize(
    "call",
    [
        "search('x', 3, 4)",
        "search('x', query='y')",
        "search(query='x', 3)",
        "search(**{'query': 'x'}, query='y')",
        "search(**'x')",
    ],
)
def test_arguments_that_cannot_be_bound_make_no_call(call: str) -> None:
    assert calls_of(f"[{call}]", [SEARCH]) == []


def test_arguments_without_a_name_make_no_call_of_an_unknown_tool() -> None:
    assert calls_of("[search('x')]") == []
    assert calls_of("[search('x')]", [{"name": "other"}]) == []


def test_names_that_python_does_not_allow_are_written_as_a_dict() -> None:
    arguments = {"a b": 1, "from": "x", "": None, "é": [1.5]}
    text = PYTHONIC.render_calls([ToolCall("f", arguments)])
    assert text == "[f(from='x', é=[1.5], **{'a b': 1, '': None})]"
    assert calls_of(text) == [("f", arguments)]


@pytest.mark.parametrize(
    "call",
    [
        ToolCall("a b", {}),
        ToolCall("", {}),
        ToolCall("f(", {}),
        ToolCall("f", {"a": float("inf")}),
        ToolCall("f", {"a": object()}),
        ToolCall("f", "[1]"),
    ],
)
def test_a_call_that_cannot_be_written_raises(call: ToolCall) -> None:
    with pytest.raises(ValueError, match=r"cannot be written|not a JSON object"):
        PYTHONIC.render_calls([call])


def test_arguments_that_nest_too_deeply_are_not_written() -> None:
    value: list[Any] = []
    for _ in range(200):
        value = [value]
    with pytest.raises(ValueError, match="too deeply"):
        PYTHONIC.render_calls([ToolCall("f", {"a": value})])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(value=JSON)
@settings(max_examples=60, deadline=None)
def test_any_value_is_written_as_python_writes_it_and_read_again(value: Any) -> None:
    text = PYTHONIC.render_calls([ToolCall("f", {"a": value, "b": [value, "'"]})])
    (call,) = ast.parse(text, mode="eval").body.elts  # type: ignore[attr-defined]
    assert {each.arg: ast.literal_eval(each.value) for each in call.keywords} == {"a": value, "b": [value, "'"]}
    assert calls_of(text) == [("f", {"a": value, "b": [value, "'"]})]


def test_a_section_takes_a_list_rows_a_fence_and_json() -> None:
    expected = [("f", {"a": 1}), ("g", {"b": "x"})]
    for inside in (
        "[f(a=1), g(b='x')]",
        "f(a=1)\ng(b='x')",
        "f(a=1), g(b='x')",
        "f(a=1); g(b='x')",
        "\n```python\nf(a=1)\ng(b='x')\n```\n",
        "```\n[f(a=1), g(b='x')]\n```",
        '[{"name": "f", "arguments": {"a": 1}}, {"name": "g", "arguments": {"b": "x"}}]',
    ):
        for name, opens, closes in (
            ("lfm2", "<|tool_call_start|>", "<|tool_call_end|>"),
            ("olmo3", "<function_calls>", "</function_calls>"),
        ):
            text = f"before {opens}{inside}{closes} after"
            assert calls_of(text, name=name) == expected
            assert dialects.get(name).parse(text).content.split() == ["before", "after"]


def test_complete_calls_need_no_closing_mark_and_words_after_them_stay() -> None:
    assert calls_of("<function_calls>\nf(a=1)\ng(b=2)", name="olmo3") == [("f", {"a": 1}), ("g", {"b": 2})]
    assert calls_of("<function_calls>\nf(a=1)\ng(b=", name="olmo3") == [("f", {"a": 1})]
    parsed = dialects.get("olmo3").parse("<function_calls>f(a=1)\nThat was it.")
    assert (len(parsed.tool_calls), parsed.content) == (1, "That was it.")


def test_hostile_nesting_is_content_and_leaves_the_interpreter_alone() -> None:
    limit = sys.getrecursionlimit()
    for text in (
        "[f(a=" + "[" * 100_000,
        "[f(" * 50_000,
        "[f(a=" + "-" * 100_000,
        "[f(a=" + "(" * 90 + "1" + ")" * 90 + ")]",
        "[f(a=" + "'' " * 50_000 + ")]",
    ):
        assert len(PYTHONIC.parse(text).tool_calls) == (1 if text.endswith("]") else 0)
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        ("{'x': True, 'y': [None, 'None True', False]}", {"x": True, "y": [None, "None True", False]}),
        ('[True, "it\'s False"]', [True, "it's False"]),
        ("['\\\\', None]", ["\\", None]),
    ],
)
def test_constants_are_values_outside_strings_and_words_inside(arguments: str, read: object) -> None:
    assert calls_of(f"[f(a={arguments}, None_=1)]") == [("f", {"a": read, "None_": 1})]


def test_a_parameter_named_like_a_constant_keeps_its_name() -> None:
    assert calls_of("[f(None=1, a=[None])]") == [("f", {"None": 1, "a": [None]})]
