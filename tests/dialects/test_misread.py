"""Texts that models write differently from what their publications show: each is read whole, and character by character."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fcregistry import ToolCall, dialects

SEARCH = [{"name": "search", "parameters": {"properties": {"q": {"type": "string"}}, "required": ["q"]}}]
F = [{"name": "f", "parameters": {"properties": {"a": {"type": "integer"}, "b": {"type": "string"}, "c": {}}}}]


def read(name: str, text: str, tools: Any = None) -> dialects.Parsed:
    """Return the content of a text, which is the same if it comes in single characters."""
    dialect = dialects.get(name)
    parsed = dialect.parse(text, tools)
    stream = dialect.stream(tools)
    for character in text:
        stream.feed(character)
    assert stream.close() == parsed
    return parsed


def calls(name: str, text: str, tools: Any = None) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in read(name, text, tools).tool_calls]


@pytest.mark.parametrize(
    "text",
    [
        ' to=functions.f<|channel|>commentary <|constrain|>json<|message|>{"a": 1}<|call|>',
        'to=functions.f<|channel|>commentary json<|message|>{"a": 1}<|call|>',
        ' to=functions.f<|channel|>analysis<|message|>{"a": 1}',
    ],
)
def test_a_harmony_text_continues_the_start_of_the_message_in_the_prompt(text: str) -> None:
    assert calls("harmony", text) == [("f", {"a": 1})]
    assert calls("auto", text) == [("f", {"a": 1})]
    assert read("harmony", text).content == ""


def test_a_recipient_within_a_harmony_text_is_content() -> None:
    text = "<|channel|>final<|message|>Write to=functions.f<|message|>{}<|end|>"
    assert calls("harmony", text) == []


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Action: search\nAction Input: a\nb\n\nc\nObservation: x", "a\nb\n\nc"),
        ("Action: search\nAction Input: def f():\n    return 1\nThought: y", "def f():\n    return 1"),
        ("Action: search\nAction Input: a", "a"),
        ("Action: search\nAction Input: a\n", "a"),
        ("Action:\nsearch\nAction Input: a\nObservation:", "a"),
        ('Action:\n  search\nAction Input: {"q": "a"}', "a"),
    ],
)
def test_a_react_input_ends_at_the_next_label_or_with_the_answer(text: str, query: str) -> None:
    assert calls("react", text, SEARCH) == [("search", {"q": query})]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("<parameter=a>\n1\n<parameter=b>\n2\n</parameter>\n", {"a": 1, "b": "2"}),
        ("<parameter=a>\n1\n<parameter=b>\n2\n<parameter=c>\n3\n</parameter>\n", {"a": 1, "b": "2", "c": "3"}),
        (
            "<parameter=a>\n1\n<parameter=b>\n2\n</parameter>\n<parameter=c>\n3\n</parameter>\n",
            {"a": 1, "b": "2", "c": "3"},
        ),
        (
            "<parameter=b>\nx\n</parameter>\n<parameter=a>\n1\n<parameter=c>\n3\n</parameter>\n",
            {"a": 1, "b": "x", "c": "3"},
        ),
    ],
)
def test_a_parameter_without_a_closing_tag_ends_where_the_next_one_begins(text: str, arguments: Any) -> None:
    whole = f"<tool_call>\n<function=f>\n{text}</function>\n</tool_call>\nDone."
    parsed = read("qwen3-coder", whole, F)
    assert [(call.name, call.arguments) for call in parsed.tool_calls] == [("f", arguments)]
    assert parsed.content == "Done."
    assert any("closing tag of a parameter was missing" in repair for repair in parsed.repairs)
    one_line = (
        text.replace("\n", "")
        .replace("<parameter=", '<parameter name="')
        .replace(">", '">')
        .replace('/parameter"', "/parameter")
    )
    whole = f'<minimax:tool_call><invoke name="f">{one_line}</invoke></minimax:tool_call>'
    assert calls("minimax-m2", whole, F) == [("f", arguments)]


@pytest.mark.parametrize(
    "text",
    [
        "<parameter=b>\nuse <parameter=c> and\n</parameter>\n",
        "<parameter=b>\n1\n<parameter=other>\n2\n</parameter>\n",
        "<parameter=a>\n1\n<parameter=b>\n2\n</parameter>\nmore",
        "<parameter=a>\n1\n<parameter=b>\n2\n",
    ],
)
def test_a_parameter_that_may_be_part_of_a_value_makes_no_call(text: str) -> None:
    whole = f"<tool_call>\n<function=f>\n{text}</function>\n</tool_call>"
    assert calls("qwen3-coder", whole, F) == []
    assert read("qwen3-coder", whole, F).content == whole


@pytest.mark.parametrize(
    ("text", "value"), [("x\n", "x\n"), ("\nx", "\nx"), ("\nx\n", "x"), ("\nx\n\n", "x\n"), ("\n", "\n"), ("", "")]
)
def test_line_ends_around_a_value_of_seed_oss_count_only_together(text: str, value: str) -> None:
    whole = f"<seed:tool_call>\n<function=f>\n<parameter=b>{text}</parameter>\n</function>\n</seed:tool_call>"
    assert calls("seed-oss", whole) == [("f", {"b": value})]


def test_each_mark_of_mistral_opens_calls() -> None:
    one, two = '[{"name": "f", "arguments": {}}]', '[{"name": "g", "arguments": {}}]'
    for between in ("", "\n", " "):
        parsed = read("mistral", f"[TOOL_CALLS]{one}{between}[TOOL_CALLS]{two}")
        assert [call.name for call in parsed.tool_calls] == ["f", "g"]
        assert parsed.content == ""
    assert calls("mistral", "[TOOL_CALLS] [TOOL_CALLS]f[ARGS]{}") == [("f", {})]
    assert read("mistral", "[TOOL_CALLS] [TOOL_CALLS]f[ARGS]{}").content == ""


@pytest.mark.parametrize(
    ("name", "opens", "closes"),
    [("mistral", "[TOOL_CALLS]", ""), ("hermes", "<tool_call>", "</tool_call>"), ("granite", "<|tool_call|>", "")],
)
@pytest.mark.parametrize("bad", ['{"nam": "g"}', "3", '{"name": ""}'])
def test_an_item_that_is_not_a_call_does_not_affect_the_other_calls(
    name: str, opens: str, closes: str, bad: str
) -> None:
    parsed = read(name, f'{opens}[{{"name": "f", "arguments": {{}}}}, {bad}]{closes}')
    assert [call.name for call in parsed.tool_calls] == ["f"]
    assert parsed.repairs == ("an item in the list of calls is not a call: it was left out",)
    alone = f"{opens}[{bad}]{closes}"
    assert read(name, alone) == dialects.Parsed(alone)


def test_a_section_of_kimi_ends_thoughts_that_were_not_closed() -> None:
    call = "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>"
    text = f"<think>hm<|tool_calls_section_begin|>{call}<|tool_calls_section_end|>"
    for name in ("kimi-k2", "auto"):
        parsed = read(name, text)
        assert (parsed.reasoning, [each.name for each in parsed.tool_calls]) == ("hm", ["f"])
        closed = read(name, f"{text}</think>Done.")
        assert (closed.content, closed.tool_calls) == ("Done.", ())


@pytest.mark.parametrize("between", [";", "; ", " ; ", " ;\n"])
def test_a_semicolon_between_calls_of_llama_is_not_content(between: str) -> None:
    text = f'{{"name": "f", "parameters": {{}}}}{between}{{"name": "g", "parameters": {{}}}}'
    assert calls("llama3", text) == [("f", {}), ("g", {})]
    assert read("llama3", text).content == ""
    assert read("llama3", text + " ; so").content == "; so"


@pytest.mark.parametrize("begins", ["<|CHATBOT_TOKEN|>", "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"])
def test_the_tokens_that_begin_a_turn_of_command_r_are_left_out(begins: str) -> None:
    for name in ("command-r", "auto"):
        assert read(name, f"{begins}<|START_RESPONSE|>Hi<|END_RESPONSE|>") == dialects.Parsed("Hi")


def test_a_call_of_gemma_needs_no_word_before_the_colon() -> None:
    assert calls("gemma4", '<|tool_call>:f{a:<|"|>x<|"|>}<tool_call|>') == [("f", {"a": "x"})]
    assert calls("functiongemma", "<start_function_call>:f{a:1}<end_function_call>") == [("f", {"a": 1})]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("✿FUNCTION✿: f\n✿RESULT✿", ["f"]),
        ("✿FUNCTION✿: f\n✿ARGS✿:\n✿RESULT✿", ["f"]),
        ("✿FUNCTION✿: f\n✿FUNCTION✿: g\n✿ARGS✿: {}", ["f", "g"]),
        ("✿FUNCTION✿: f", []),
        ("✿FUNCTION✿: f\n", []),
    ],
)
def test_a_flower_call_may_have_no_arguments_if_another_mark_follows(text: str, names: list[str]) -> None:
    assert calls("qwen-flower", text) == [(name, {}) for name in names]


def test_two_elements_of_one_name_are_recorded() -> None:
    text = "<tool>f</tool><tool_input><b>1</b><b>2</b></tool_input>"
    parsed = read("langchain-xml", text, F)
    assert [(call.name, call.arguments) for call in parsed.tool_calls] == [("f", {"b": "2"})]
    assert parsed.repairs == ("the parameter 'b' was given twice: the last one is taken",)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("<city>Oslo", {"city": "<city>Oslo"}),
        ("Oslo", {"city": "Oslo"}),
        ('{"city": "Oslo"}', {"city": "Oslo"}),
    ],
)
def test_an_input_of_langchain_may_end_with_the_answer(text: str, arguments: Any) -> None:
    tools = [{"name": "f", "parameters": {"properties": {"city": {"type": "string"}}}}]
    assert calls("langchain-xml", f"<tool>f</tool><tool_input>{text}</tool_input>", tools) == [("f", arguments)]
    cut_off = [] if text[0] == "<" else [("f", arguments)]
    assert calls("langchain-xml", f"<tool>f</tool><tool_input>{text}", tools) == cut_off


@pytest.mark.parametrize("answer", ["It is 4.", "{}", "Action: f"])
def test_a_final_answer_of_react_with_json_is_content(answer: str) -> None:
    text = f'{{"action": "Final Answer", "action_input": {json.dumps(answer)}}}'
    for name in ("react-json", "auto"):
        for shown in (text, f"```json\n{text}\n```", f"Action:\n```\n{text}\n```"):
            assert read(name, shown) == dialects.Parsed(answer)


def test_a_text_that_begins_with_a_header_of_muse_has_no_mark_in_its_content() -> None:
    call = '<atem:function_calls><atem:invoke name="f"></atem:invoke></atem:function_calls>'
    for name in ("muse", "auto"):
        assert read(name, f" to=f<|message|>{call}<|eot|>") == dialects.Parsed("", "", (ToolCall("f", {}),))


def test_all_arguments_of_kimi_may_be_one_object() -> None:
    opens, closes = '<|open|>json type="object"<|sep|>', "<|close|>json<|sep|>"
    text = f'<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|>{opens}{{"a": 1}}{closes}<|close|>call<|sep|><|close|>tools<|sep|>'
    assert read("kimi-k3", text) == dialects.Parsed("", "", (ToolCall("f", {"a": 1}),))
    assert calls("kimi-k3", text.replace(closes, "")) == []


def test_names_of_kimi_escape_quotes_and_ampersands_and_values_do_not() -> None:
    names = ("a&b", 'Say "&quot;"')
    for name in names:
        call = ToolCall(name, {name: "R&amp;D", "n": 1})
        text = dialects.get("kimi-k3").render_calls([call])
        assert read("kimi-k3", text) == dialects.Parsed("", "", (call,))
    assert 'tool="a&amp;b"' in dialects.get("kimi-k3").render_calls([ToolCall(names[0], {})])


@pytest.mark.parametrize("space", ["", "Ġ"])
def test_a_tag_of_minicpm_may_have_lost_the_space_before_the_name(space: str) -> None:
    quoted = f'<function{space}name="g"><param{space}name="x">1</param></function>'
    text = f'<function{space}name="f"><param{space}name="a">{quoted}</param><param{space}name="b">2</param></function>'
    assert calls("minicpm5", text) == [("f", {"a": quoted, "b": "2"})]
    for cut in range(len(text)):
        assert calls("minicpm5", text[:cut]) == []
    for other in ("<functional>", f'<functions{space}x="f"></function>', f'<function{space}id="f"></function>'):
        assert calls("minicpm5", other) == []


@pytest.mark.parametrize("tools", [None, [{"name": "f", "parameters": {"properties": {"a": {}, "b": {}}}}]])
def test_a_tag_with_a_token_ends_a_parameter_without_a_closing_tag(tools: Any) -> None:
    opens = '<｜DSML｜parameter name="{}" string="true">'
    section = '<｜DSML｜tool_calls><｜DSML｜invoke name="f">{}</｜DSML｜invoke></｜DSML｜tool_calls>'
    closes = "</｜DSML｜parameter>"
    a, b = opens.format("a"), opens.format("b")
    for value in ("x ", "x <y> "):
        text = section.format(f"{a}{value}{b}2{closes}")
        assert calls("deepseek-v3.2", text, tools) == [("f", {"a": value, "b": "2"})]
        for cut in range(text.index("</｜DSML｜invoke>") + 1):
            assert calls("deepseek-v3.2", text[:cut], tools) == []
    whole = f"see {b}2{closes} there"
    assert calls("deepseek-v3.2", section.format(f"{a}{whole}{closes}"), tools) == [("f", {"a": whole})]
    unknown = section.format(f"{a}x {opens.format('c')}2{closes}")
    assert calls("deepseek-v3.2", unknown, [{"name": "f", "parameters": {"properties": {"a": {}}}}]) == []


def test_elements_of_one_name_are_the_items_of_an_array() -> None:
    mark = "]<]minimax[>["
    tags = "".join(f"{mark}<tag>{each}{mark}</tag>" for each in "ab")
    text = f'{mark}<tool_call>{mark}<invoke name="f">{mark}<o>{tags}{mark}<n>1{mark}</n>{mark}</o>{mark}</invoke>{mark}</tool_call>'
    assert calls("minimax-m3", text) == [("f", {"o": {"tag": ["a", "b"], "n": "1"}})]


@pytest.mark.parametrize(
    ("type", "text", "value"),
    [("float", "3.5", 3.5), ("int", "3", 3), ("bool", "true", True), ("dict", '{"a": 1}', {"a": 1}), ("str", "3", "3")],
)
def test_a_schema_may_name_the_types_of_python(type: str, text: str, value: Any) -> None:
    tools = [{"name": "f", "parameters": {"properties": {"x": {"type": type}}}}]
    call = f"<tool_call>\n<function=f>\n<parameter=x>\n{text}\n</parameter>\n</function>\n</tool_call>"
    assert calls("qwen3-coder", call, tools) == [("f", {"x": value})]


def test_elements_take_their_types_from_references_and_unions() -> None:
    mark = "]<]minimax[>["
    place = {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Row"}}, {"type": "null"}]}
    schema = {
        "properties": {"rows": place},
        "$defs": {"Row": {"type": "object", "properties": {"n": {"type": "integer"}, "item": {"type": "string"}}}},
    }
    row = f"{mark}<item>{mark}<n>1{mark}</n>{mark}<item>2{mark}</item>{mark}</item>"
    text = (
        f'{mark}<tool_call>{mark}<invoke name="f">{mark}<rows>{row}{row}{mark}</rows>{mark}</invoke>{mark}</tool_call>'
    )
    tools = [{"name": "f", "parameters": schema}]
    assert calls("minimax-m3", text, tools) == [("f", {"rows": [{"n": 1, "item": "2"}] * 2})]
