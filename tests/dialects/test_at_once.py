"""Is what is read at once, because it is all there and as it usually is, what is read of it step by step?"""

from __future__ import annotations

import gc
import random
import weakref
from typing import Any

import pytest

from fcregistry import Tool, ToolCall, dialects
from fcregistry.dialects import _syntax_python as _python
from fcregistry.dialects._json_text import Shapes
from fcregistry.dialects._parsed import TrimmedText
from fcregistry.dialects._source import MOST_FAILURES, TextSource, after_space
from fcregistry.dialects._syntax_braces import braces_at_once
from fcregistry.dialects._syntax_python import arguments_at_once
from fcregistry.dialects._syntax_tags import Ending
from fcregistry.errors import DefinitionError

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
def test_a_text_that_is_all_there_says_what_it_says_character_by_character(name: str) -> None:
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


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        (")", {}),
        ("a=1, b=-1.5, )", {"a": 1, "b": -1.5}),
        ("a='it\\'s (ok)', b='say \"x\"')", {"a": "it's (ok)", "b": 'say "x"'}),
        ('a="it\'s (ok)", b="say \\"x\\"")', {"a": "it's (ok)", "b": 'say "x"'}),
        ("a={'k': [True, False, None], 'None': 'True'})", {"a": {"k": [True, False, None], "None": "True"}}),
        ("a='\\\\', b='\\n')", {"a": "\\", "b": "\n"}),
        ("a='x', b=\"y\")", None),
        ("a=g(1))", None),
        ("None=None)", None),
        ("a=\\'True\")", None),
        ("a=1, a=1)", None),
        ("a='\1\\n')", None),
        ("1)", None),
        ("a='x'", None),
    ],
)
def test_arguments_that_json_writes_alike_are_taken_at_once_and_no_others(
    text: str, arguments: dict[str, Any] | None
) -> None:
    source = TextSource(Shapes(None))
    source.add(f"{text} and more)")
    assert arguments_at_once(source) == arguments
    assert source.place == (0 if arguments is None else len(text))


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("{}", {}),
        ("{a:~x, {y}: z~,b : [1,{c.d:null}]}", {"a": "x, {y}: z", "b": [1, {"c.d": None}]}),
        ("{~a b~:1}", {"a b": 1}),
        ("{a b:1}", None),
        ("{a:x}", None),
        ("{a:1,a:2}", None),
        ('{a:"x"}', None),
    ],
)
def test_arguments_in_braces_that_quotes_make_json_are_taken_at_once_and_no_others(
    text: str, arguments: dict[str, Any] | None
) -> None:
    source = TextSource(Shapes(None))
    source.add(f"{text} ! more")
    assert braces_at_once(source, "~", "!") == arguments
    assert source.place == (0 if arguments is None else len(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("<v>a < b</v>\n<v>", "a < b"),
        ("<v></v></call>", ""),
        ("<v>a</v>b</v><v>", None),
        ("<v>a</call></v><v>", None),
        ("<v>a</v>", None),
    ],
)
def test_a_value_is_taken_at_once_where_the_first_mark_ends_it(text: str, value: str | None) -> None:
    ending = Ending("</v>", "<v>", ("<call>", "</call>"), ("<v>", "</call>"), ("<call>",))
    found = ending.behind("<v>").match(text)
    assert (found[1] if found else None) == value


def test_a_text_is_tried_a_few_times_in_vain_and_not_again() -> None:
    source = TextSource(Shapes(None))
    source.add("1)")
    for _ in range(MOST_FAILURES + 1):
        assert arguments_at_once(source) is None
    source.text = "a=1)"
    assert arguments_at_once(source) is None


def test_words_are_handed_on_at_once_as_they_would_be_step_by_step() -> None:
    chance = random.Random(1)
    for _ in range(300):
        at_once, steps = TrimmedText(), TrimmedText()
        for _ in range(chance.randint(1, 8)):
            step = chance.choice(("cut", "break_off", "add", "a", " b", "c\n", "\n", " ", "\n\n\n", ""))
            for trimmed in (at_once, steps):
                if step in ("cut", "break_off"):
                    getattr(trimmed, step)()
                elif step == "add":
                    trimmed.add("d ")
            if step not in ("cut", "break_off", "add"):
                steps.add(step)
                assert at_once.add_and_take(step) == steps.take_new()
        assert (at_once.take_new(), at_once.text()) == (steps.take_new(), steps.text())


# --- what is not looked at, or copied, again and again --------------------------------------------


class Copied(str):
    """Text that tells how much of it is copied."""

    __slots__ = ()
    characters = 0

    def __getitem__(self, place: Any) -> str:
        piece = super().__getitem__(place)
        Copied.characters += len(piece)
        return piece


def closed(source: TextSource) -> bool:
    """Tell whether a mark comes next, which is then taken."""
    with pytest.raises(StopIteration) as told:
        next(source.close("<a>"))
    return bool(told.value.value)


def test_marks_that_close_copy_nothing_of_what_follows() -> None:
    source = TextSource(Shapes(None))
    source.text, source.ended = Copied("<a>" * 100), True
    Copied.characters = 0
    assert all(closed(source) for _ in range(99))
    source.place -= 1
    assert not any(closed(source) for _ in range(99))
    assert Copied.characters < 2 * len(source.text)


def test_a_tool_without_a_schema_costs_no_other_one() -> None:
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


def test_a_schema_is_read_once_and_not_kept_longer_than_its_tool() -> None:
    def f(n: int) -> int:
        """Return it."""
        return n

    tool = Tool.from_function(f)
    assert Shapes([tool]).of("f") is Shapes([tool]).of("f")
    gone = weakref.ref(tool)
    del tool
    gc.collect()
    assert gone() is None


def test_what_a_model_names_is_not_kept_with_the_types_of_a_tool() -> None:
    def f(n: int) -> int:
        """Return it."""
        return n

    tool = Tool.from_function(f)
    shape = Shapes([tool])._shape("f")
    assert [shape.value(name, "1") for name in ("n", "m", "o")] == [1, "1", "1"]
    assert Shapes([tool])._shape("f") is shape
    assert set(shape._kinds) == {"n"}


@pytest.mark.parametrize(
    ("text", "taken"),
    [(" \n</a>", 6), ("</ab>x", 5), ("</a", 0), ("x</a>", 0), (" ", 0)],
)
def test_what_closes_is_taken_at_once_where_it_is_there(text: str, taken: int) -> None:
    source = TextSource(Shapes(None))
    source.add(text)
    found = source.at_once(after_space("</a>", "</ab>"))
    assert (found is not None, source.place) == (bool(taken), taken)


@pytest.mark.parametrize(
    ("name", "steps"),
    [("hermes", ("space", "is_next", "take")), ("deepseek-v3", ("until", "space", "is_next")), ("pythonic", ("take",))],
)
def test_a_call_that_is_all_there_is_read_without_steps(
    name: str, steps: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    dialect, call = dialects.get(name), ToolCall("f", {"a": "x", "b": [1]})
    text = dialect.render_calls([call])
    for step in steps:
        monkeypatch.setattr(TextSource, step, None)
    assert dialect.parse(text).tool_calls == (call,)


def test_a_call_of_python_that_comes_in_pieces_is_read_at_once_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_python, "take_tokens", None)
    stream = dialects.get("pythonic").stream()
    for character in "[f(a='x', b=[1], c={'k': [2]})]":
        stream.feed(character)
    assert stream.close().tool_calls == (ToolCall("f", {"a": "x", "b": [1], "c": {"k": [2]}}),)
