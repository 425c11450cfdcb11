"""Calls that are JSON objects: what is read, corrected, and left to the executor."""

from __future__ import annotations

import pytest

from fcregistry import Executor, ToolCall, dialects

HERMES = dialects.get("hermes")
JSON = dialects.get("json")


def calls(text: str, name: str = "hermes") -> list[ToolCall]:
    return list(dialects.get(name).parse(text).tool_calls)


def in_tags(text: str) -> str:
    return f"<tool_call>{text}</tool_call>"


def test_a_repeated_name_is_left_to_the_executor() -> None:
    (call,) = calls(in_tags('{"name": "f", "arguments": {"a": 1, "a": 2}}'))
    assert call == ToolCall("f", '{"a": 1, "a": 2}')

    def f(a: int) -> int:
        """Return it."""
        return a

    result = Executor([f]).run(call)
    assert result.error is not None
    assert result.error.code == "malformed_call"
    assert 'the name "a" occurs twice' in result.content


@pytest.mark.parametrize("number", ["NaN", "1e400", "-Infinity"])
def test_a_number_that_is_not_finite_is_left_to_the_executor(number: str) -> None:
    (call,) = calls(in_tags(f'{{"name": "f", "arguments": {{"a": {number}}}}}'))
    assert call.name == "f"
    assert isinstance(call.arguments, str)


def test_arguments_in_a_string_stay_text() -> None:
    assert calls(in_tags('{"name": "f", "arguments": "{\\"a\\": 1}"}')) == [ToolCall("f", '{"a": 1}')]


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ('{"name": "f"}', {}),
        ('{"name": "f", "arguments": null}', {}),
        ('{"name": "f", "arguments": {}}', {}),
        ('{"name": " f ", "parameters": {"a": 1}}', {"a": 1}),
        ('{"type": "function", "function": {"name": "f", "arguments": {"a": 1}}}', {"a": 1}),
        ("{'name': 'f', 'arguments': {'a': True,}}", {"a": True}),
        ('{"name": "f", "arguments": {"a": 1} /* the first */}', {"a": 1}),
    ],
)
def test_a_call_is_read(written: str, arguments: object) -> None:
    assert calls(in_tags(written)) == [ToolCall("f", arguments)]  # type: ignore[arg-type]


def test_corrections_are_reported() -> None:
    parsed = HERMES.parse(in_tags("{'name': 'f', 'arguments': {},}"))
    assert parsed.repairs == (
        "a call had single quotes that JSON does not know: taken as JSON writes them",
        "a call had trailing commas: left out",
    )
    assert HERMES.parse(in_tags("{'name': 1}")).repairs == ()


@pytest.mark.parametrize(
    "written",
    [
        '{"arguments": {}}',
        '{"name": 1, "arguments": {}}',
        '{"name": "", "arguments": {}}',
        '{"name": "f", "city": "Oslo"}',
        "[1]",
        "{}",
        "f(a=1)",
        '{"name": "f", "arguments": {"a": 1}',
    ],
)
def test_other_text_is_content_as_it_was_written(written: str) -> None:
    parsed = HERMES.parse(in_tags(written))
    assert parsed.tool_calls == ()
    assert parsed.content == in_tags(written)


def test_a_malformed_call_does_not_affect_others() -> None:
    parsed = HERMES.parse(in_tags("{oops") + "\n" + in_tags('{"name": "f", "arguments": {}}'))
    assert [call.name for call in parsed.tool_calls] == ["f"]
    assert parsed.content == in_tags("{oops")


def test_an_object_by_itself_is_a_call_only_with_arguments() -> None:
    assert JSON.parse('{"name": "Oslo"}').tool_calls == ()
    assert JSON.parse('{"name": "today", "arguments": {}}').tool_calls == (ToolCall("today", {}),)


def test_a_call_without_a_closing_mark_is_a_call_if_its_end_is_certain() -> None:
    assert calls('<tool_call>{"name": "f", "arguments": {}}') == [ToolCall("f", {})]
    assert HERMES.parse('<tool_call>{"name": "f", "arguments": {}}</tool_c').content == ""


def test_ids_are_kept() -> None:
    (call,) = calls('[TOOL_CALLS] [{"name": "f", "arguments": {}, "id": "abc"}]', "mistral")
    assert call.id == "abc"
    (call,) = calls("[TOOL_CALLS]f[CALL_ID]abc[ARGS]{}", "mistral")
    assert call.id == "abc"


def test_an_id_of_kimi_contains_the_name() -> None:
    text = "<|tool_call_begin|>functions.get_weather:3<|tool_call_argument_begin|>{}<|tool_call_end|>"
    (call,) = calls(text, "kimi-k2")
    assert (call.name, call.id) == ("get_weather", "functions.get_weather:3")
    assert "functions.get_weather:3<" in dialects.get("kimi-k2").render_calls([call])
    assert "functions.f:0<" in dialects.get("kimi-k2").render_calls([ToolCall("f", {}, "functions.get_weather:3")])


def test_arguments_as_text_that_is_not_an_object_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="not a JSON object"):
        HERMES.render_calls([ToolCall("f", "[1]")])
    assert (
        HERMES.render_calls([ToolCall("f", '{"a": 1}')])
        == '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
    )


def test_depth_is_bounded() -> None:
    deep = "[" * 5000 + "]" * 5000
    assert HERMES.parse(in_tags(f'{{"name": "f", "arguments": {{"a": {deep}}}}}')).tool_calls == ()


@pytest.mark.parametrize(
    "prose",
    [
        "[Note: I'll look it up]",
        "I [don't] know.",
        "{I'm sure}",
        "[#12] is done.",
        "See [http://example] first.",
        "[see",
        '[the "best" one',
    ],
)
def test_prose_in_brackets_does_not_hide_a_call_after_it(prose: str) -> None:
    """An apostrophe, a hash or slashes there open neither a string nor a comment, which would reach to the end."""
    parsed = JSON.parse(f'{prose}\n{{"name": "f", "arguments": {{}}}}')
    assert parsed.tool_calls == (ToolCall("f", {}),)
    assert parsed.content == prose


@pytest.mark.parametrize(
    ("name", "text", "left"),
    [
        ("hermes", '<tool_call>\n{"name": "f", "arguments": {}}\n{"name": "g", "argum', '{"name": "g", "argum'),
        (
            "hermes",
            '<tool_call>\n{"name": "f", "arguments": {}}\n{"name" oops}\n</tool_call>',
            '{"name" oops}\n</tool_call>',
        ),
        ("llama3", '{"name": "f", "parameters": {}}; {"name": "g"', '; {"name": "g"'),
    ],
)
def test_text_after_a_call_that_is_cut_off_or_malformed_is_content(name: str, text: str, left: str) -> None:
    dialect = dialects.get(name)
    stream = dialect.stream()
    for character in text:
        stream.feed(character)
    for parsed in (dialect.parse(text), stream.close()):
        assert parsed.tool_calls == (ToolCall("f", {}),)
        assert parsed.content == left


@pytest.mark.parametrize(("name", "marks"), [("jamba", ("<tool_calls>", "</tool_calls>")), ("json", ("", ""))])
def test_a_repeated_name_in_an_array_is_left_to_the_executor(name: str, marks: tuple[str, str]) -> None:
    text = '[{"name": "f", "arguments": {"a": 1, "a": 2}}, {"name": "g", "arguments": {"b": [{}]}}]'.join(marks)
    assert calls(text, name) == [ToolCall("f", '{"a": 1, "a": 2}'), ToolCall("g", '{"b": [{}]}')]


def test_a_refused_array_with_anything_but_calls_is_content() -> None:
    text = '<tool_calls>[{"name": "f", "arguments": {"a": 1, "a": 2}}, 3]</tool_calls>'
    assert dialects.get("jamba").parse(text).content == text


@pytest.mark.parametrize("depth", [98, 99, 100, 101, 102, 200, 960, 3000, 20_000])
@pytest.mark.parametrize("brackets", [("[", "]"), ('{"a": ', "}")], ids=["arrays", "objects"])
@pytest.mark.parametrize(
    ("name", "marks"), [("hermes", ("<tool_call>", "</tool_call>")), ("jamba", ("<tool_calls>[", "]</tool_calls>"))]
)
def test_a_value_of_any_depth_is_read_alike_whole_and_in_pieces(
    name: str, marks: tuple[str, str], brackets: tuple[str, str], depth: int
) -> None:
    """Deeper than the interpreter can walk, too: nothing is raised, and what is refused for its depth is refused however it comes."""
    nested = "1".join(bracket * depth for bracket in brackets)
    text = f'{{"name": "f", "arguments": {{"a": {nested}}}}}'.join(marks)
    dialect = dialects.get(name)
    stream = dialect.stream()
    for start in range(0, len(text), 7):
        stream.feed(text[start : start + 7])
    assert stream.close() == dialect.parse(text)


def test_a_word_before_an_object_is_a_call_of_glm_4_only_on_a_line_of_its_own() -> None:
    assert calls('f\n{"a": 1}', "glm-4") == [ToolCall("f", {"a": 1})]
    assert calls('f{"a": 1}', "glm-4") == calls('f {"a": 1}', "glm-4") == []


@pytest.mark.parametrize(
    "written",
    [
        '{"name": "f", "arguments": {}, "parameters": {"a": 2}}',
        '{"name": "f", "arguments": null, "parameters": {"a": 2}}',
        '{"name": "f", "parameters": {"a": 1}, "kwargs": {"a": 2}}',
        '{"name": "f", "arguments": {"a": 1}, "tool_input": {"a": 2}}',
        '{"function": {"name": "f"}, "arguments": {"a": 2}}',
        '{"function": {"name": "f", "arguments": {}}, "parameters": {"a": 2}}',
    ],
)
def test_a_call_with_two_sets_of_arguments_runs_with_neither(written: str) -> None:
    def f(a: int = 1) -> int:
        """Return it."""
        return a

    (call,) = calls(in_tags(written))
    result = Executor([f]).run(call)
    assert result.error is not None
    assert result.error.code == "malformed_call"


@pytest.mark.parametrize(
    "written",
    [
        '{"name": "f", "arguments": {"a": 2}, "parameters": {"a": 2}}',
        '{"name": "f", "arguments": {"a": 2}, "parameters": {}, "thought": "why"}',
        '{"function": {"name": "f", "arguments": {"a": 2}}, "arguments": {"a": 2}}',
    ],
)
def test_arguments_that_are_written_twice_are_read_once(written: str) -> None:
    assert calls(in_tags(written)) == [ToolCall("f", {"a": 2})]
