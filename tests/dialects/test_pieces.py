"""Texts in pieces: the same content, whole or character by character, and no copy for each piece."""

from __future__ import annotations

import random
from typing import Any

import pytest

from fcregistry import ToolCall, dialects
from fcregistry.dialects._json_text import Shapes  # laws of the parts that every dialect reads text with
from fcregistry.dialects._source import TextMarks, TextSource  # laws of the parts that every dialect reads text with

TOOLS = [{"name": "f", "parameters": {"properties": {"n": {"type": "integer"}, "o": {"type": "object"}}}}]
QWEN = (
    "<parameter=a>x</parameter>",
    "\n<parameter=n>\n1\n</parameter>\n",
    "<parameter=o>{}</parameter> ",
    "</function>",
    "</tool_call>",
)
PARTS = {
    "hermes": (
        "<tool_call>",
        "",
        (
            '{"name": "f", "arguments": {"a": "x}"}}',
            '\n{"name": "f", "arguments": {"n": 1, "o": [{}]}}\n',
            '[{"name": "f", "arguments": {}}]',
            "{'name': 'f', 'arguments': {/* } */}, }",
            "</tool_call>",
            "</tool_call",
            ",",
            '"',
            "{",
            "}",
            "<tool_call>",
        ),
    ),
    "deepseek-v3": (
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜>",
        "",
        (
            'f\n```json\n{"a": "x}"}\n```',
            '\nf\n```json\n{"n": 1}```',
            'f\n``` {"o": {}}\n```\n',
            "{}",
            " ```json\n",
            "<｜tool▁call▁end｜>",
            "<｜tool▁call▁begin｜>g<｜tool▁sep｜>",
            "f",
            "\n",
        ),
    ),
    "qwen3-coder": (
        "<tool_call><function=f>",
        "",
        (*QWEN, *QWEN, "<parameter='a'>", "<parameter= a >", "</parameter>", "<", "x", "<tool_call>"),
    ),
    "deepseek-v3.2": (
        '<｜DSML｜function_calls><｜DSML｜invoke name="f">',
        "",
        (
            '<｜DSML｜parameter name="a">x</｜DSML｜parameter>',
            '<｜DSML｜parameter name="n" string="true">1</｜DSML｜parameter>',
            '<｜DSML｜parameter name="n" string="false">1</｜DSML｜parameter>\n',
            "<｜DSML｜parameter name='o' >{}</｜DSML｜parameter>",
            '<｜DSML｜parameter name="a" name="n">',
            '<｜DSML｜parameter\nname="a">x</｜DSML｜parameter>',
            "</｜DSML｜parameter>",
            "</｜DSML｜invoke>",
            "</｜DSML｜function_calls>",
            "<",
            "x",
        ),
    ),
    "glm-4.5": (
        "<tool_call>f",
        "",
        (
            "<arg_key>a</arg_key><arg_value>x</arg_value>",
            "\n<arg_key>n</arg_key>\\n<arg_value>1</arg_value>\n",
            "<arg_key> o </arg_key><arg_value>{}</arg_value>",
            "<arg_key>a\nb</arg_key><arg_value>x</arg_value>",
            "<arg_value>",
            "</arg_value>",
            "</tool_call>",
            "\\n",
            "<",
            "x",
        ),
    ),
    "pythonic": (
        "[f(",
        ", ",
        (
            "a='x'",
            'b="it\'s (ok)"',
            "c='say \"x\"'",
            "d='it\\'s'",
            'e="\\\\"',
            "g=[1, None]",
            "h={'k': True}",
            "True_x=None",
            "i='True'",
            "j=1",
            "'x'",
            "k='a' \"b\"",
            "o='\1\\'(\2'",
            "l=r'a'",
            "m='''a'''",
            ")",
            ")]",
        ),
    ),
    "gemma4": (
        "<|tool_call>call:f{",
        ",",
        (
            "a:1",
            'b:<|"|>x, {y}:<|"|>',
            "c:{d:true,e:[null]}",
            " g.h : 2 ",
            '<|"|>i<|"|>:1',
            "j k:1",
            "l:x",
            'm:"x"',
            "n:01",
            "}",
            "}<tool_call|>",
        ),
    ),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_whole_text_has_the_same_content_as_its_characters(name: str) -> None:
    dialect, chance, calling = dialects.get(name), random.Random(1), 0
    opening, between, parts = PARTS[name]
    for _ in range(250):
        inside = between.join(chance.choices(parts, k=chance.randint(1, 5)))
        text = f"{opening}{inside}{chance.choice(('', parts[-1], parts[-3]))}"
        stream = dialect.stream(TOOLS)
        for character in text:
            stream.feed(character)
        whole = dialect.parse(text, TOOLS)
        assert stream.close() == whole
        assert [repr(call) for call in stream.close().tool_calls] == [repr(call) for call in whole.tool_calls]
        calling += bool(whole.tool_calls)
    assert calling > 20


TOKENS = ('"', "'", "\\", "{", "}", "[", "]", ",", ":", " ", "\n", "/", "//", "/*", "*/", "#", "a", "1", "(", '"a": ')
VALUE = '{"name": "f", "arguments": {"a": [1, "}", {\'b\': "\\""}], /* ] */ c: [[true], "]"] # }\n}}'


def test_a_json_value_ends_at_the_same_bracket_however_the_text_is_cut() -> None:
    chance = random.Random(1)
    dialect = dialects.get("json")
    calls = 0
    for _ in range(1500):
        cut = chance.randint(1, len(VALUE))
        text = f"{VALUE[:cut]}{''.join(chance.choices(TOKENS, k=chance.randint(0, 4)))}{VALUE[cut:]} and more {{"
        whole = dialect.parse(text)
        for longest in (1, 6):
            stream = dialect.stream()
            place = 0
            while place < len(text):
                size = chance.randint(1, longest)
                stream.feed(text[place : place + size])
                place += size
            assert stream.close() == whole
        calls += bool(whole.tool_calls)
    assert 200 < calls < 1400


def test_text_in_brackets_that_is_not_json_is_passed_on_at_once() -> None:
    stream = dialects.get("json").stream()
    assert [stream.feed(piece).content for piece in ("So {see", " (this", ")")] == ["So", " {see (this", ")"]


def test_a_mark_cannot_be_empty_or_part_of_another() -> None:
    with pytest.raises(ValueError, match="part of another"):
        TextMarks("<a>", "a")
    with pytest.raises(ValueError, match="empty"):
        TextMarks("")


@pytest.mark.parametrize("name", dialects.names())
def test_text_that_was_read_is_not_copied_with_each_piece(name: str) -> None:
    dialect = dialects.get(name)
    text = dialect.render_calls([ToolCall("echo", {"text": "a, 'b' " * 500})])
    stream = dialect.stream()
    longest = 0
    for character in text:
        stream.feed(character)
        longest = max(longest, len(stream._source.text))
    assert len(stream.close().tool_calls) == 1
    assert longest < 100


class Copied(str):
    """Text that counts how much of it is copied."""

    __slots__ = ()
    characters = 0

    def __getitem__(self, place: Any) -> str:
        piece = super().__getitem__(place)
        Copied.characters += len(piece)
        return piece


def closed(source: TextSource) -> bool:
    """Return whether a mark comes next, which is then taken."""
    with pytest.raises(StopIteration) as stopped:
        next(source.close("<a>"))
    return bool(stopped.value.value)


def test_marks_that_close_copy_nothing_of_what_follows() -> None:
    source = TextSource(Shapes(None))
    source.text, source.ended = Copied("<a>" * 100), True
    Copied.characters = 0
    assert all(closed(source) for _ in range(99))
    source.place -= 1
    assert not any(closed(source) for _ in range(99))
    assert Copied.characters < 2 * len(source.text)
