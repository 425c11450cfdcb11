"""Texts in which a model made a slip: each is the one call that it is, or a call that the executor refuses."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from fcregistry import Executor, ReactAgent, Tool, ToolCall, dialects
from fcregistry.models import TextModel

S = {"type": "string"}


def tool(name: str, *parameters: str, **schemas: Any) -> dict[str, Any]:
    properties = {**dict.fromkeys(parameters, S), **schemas}
    return {"name": name, "parameters": {"type": "object", "properties": properties, "required": [*parameters]}}


class Slip(NamedTuple):
    """A text with a slip, its calls, its content, and the beginning of each repair."""

    dialect: str
    text: str
    calls: list[tuple[str, Any]]
    tools: list[dict[str, Any]] | None = None
    content: str = ""
    repairs: tuple[str, ...] = ()


def check(slip: Slip) -> None:
    """Read a text whole, in two pieces that are cut at each place, and in single characters."""
    dialect = dialects.get(slip.dialect)
    whole = dialect.parse(slip.text, slip.tools)
    assert [(call.name, call.arguments) for call in whole.tool_calls] == slip.calls
    assert whole.content == slip.content
    assert len(whole.repairs) == len(slip.repairs)
    assert all(found.startswith(known) for found, known in zip(whole.repairs, slip.repairs, strict=True))
    cuts = [[slip.text[:end], slip.text[end:]] for end in range(len(slip.text))]
    for pieces in [*cuts, [*slip.text]]:
        stream = dialect.stream(slip.tools)
        for piece in pieces:
            stream.feed(piece)
        assert stream.close() == whole, pieces
    auto = dialects.get("auto").parse(slip.text, slip.tools)
    assert (auto.tool_calls, auto.content) == (whole.tool_calls, whole.content)


# --- End marks that are written again -------------------------------------------------------------

WRITE = [tool("write_file", "path", "content")]
WRITTEN = [("write_file", {"path": "/a.txt", "content": "hi"})]
QWEN = (
    "Let me write.\n<tool_call>\n<function=write_file>\n<parameter=path>\n/a.txt\n</parameter>\n"
    "<parameter=content>\nhi\n</parameter>\n</function>\n</tool_call>"
)
MINIMAX = (
    '<minimax:tool_call>\n<invoke name="write_file">\n<parameter name="path">/a.txt</parameter>\n'
    '<parameter name="content">hi</parameter>\n</invoke>\n</minimax:tool_call>'
)
GLM = (
    "<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>/a.txt</arg_value>\n"
    "<arg_key>content</arg_key>\n<arg_value>hi</arg_value>\n</tool_call>"
)
CDATA = '<function name="write_file"><param name="path"><![CDATA[/a.txt]]></param><param name="content">hi</param></function>'
LEGACY = (
    "<function_calls><invoke><tool_name>write_file</tool_name><parameters><path>/a.txt</path><content>hi</content>"
    "</parameters></invoke></function_calls>"
)
M3 = "]<]minimax[>["
NESTED = (
    f'{M3}<tool_call>\n{M3}<invoke name="write_file">{M3}<path>/a.txt{M3}</path>{M3}<content>hi{M3}</content>'
    f"{M3}</invoke>\n{M3}</tool_call>"
)
AGAIN = {
    "qwen3-coder": (QWEN, "</parameter>", "Let me write."),
    "minimax-m2": (MINIMAX, "</parameter>", ""),
    "glm-4.5": (GLM, "</arg_value>", ""),
    "minicpm5": (CDATA, "</param>", ""),
    "claude-xml": (LEGACY, "</path>", ""),
    "minimax-m3": (NESTED, f"{M3}</path>", ""),
}


@pytest.mark.parametrize("between", ["", "\n"])
@pytest.mark.parametrize("tools", [None, WRITE])
@pytest.mark.parametrize("name", AGAIN)
def test_an_end_mark_that_is_written_again_is_no_part_of_the_value(name: str, tools: Any, between: str) -> None:
    text, mark, content = AGAIN[name]
    for times in (2, 3):
        again = text.replace(mark, between.join([mark] * times), 1)
        repair = f"{mark.removeprefix(M3)} was written more than once"
        check(Slip(name, again, WRITTEN, tools, content, (repair,)))
    every = text.replace(mark, f"{mark}{between}{mark}")
    check(Slip(name, every, WRITTEN, tools, content, (repair,)))


@pytest.mark.parametrize("name", ["qwen3-coder", "minimax-m2", "glm-4.5"])
def test_an_end_mark_after_a_blank_value_makes_the_call_malformed(name: str) -> None:
    """The value may be empty, or the mark itself."""
    text, mark, content = AGAIN[name]
    unclear = text.replace("/a.txt", "").replace(mark, f"{mark}\n{mark}", 1)
    (call,) = dialects.get(name).parse(unclear).tool_calls
    assert isinstance(call.arguments, str)
    check(Slip(name, unclear, [("write_file", call.arguments)], None, content))

    def write_file(path: str = "", content: str = "") -> str:
        """Write a file."""
        return "written"

    result = Executor([write_file]).run(call)
    assert result.error is not None
    assert (result.error.code, result.error.message) == (
        "malformed_call",
        f"the value of 'path' is unclear, because {mark} was written more than once; send the call again",
    )


def test_a_value_with_the_mark_elsewhere_is_about_the_mark() -> None:
    for value in (
        "</parameter></parameter>.</parameter>",
        "a </parameter> b</parameter>",
        "</parameter></parameter> b",
    ):
        check(
            Slip(
                "qwen3-coder",
                QWEN.replace("/a.txt", value),
                [("write_file", {"path": value, "content": "hi"})],
                None,
                "Let me write.",
            )
        )


def test_a_value_that_ends_with_its_end_mark_is_not_written() -> None:
    for value in ("a</parameter>", "</parameter>", "a</parameter>\n</parameter>"):
        with pytest.raises(ValueError, match="cannot be written as bare text"):
            dialects.get("qwen3-coder").render_calls([ToolCall("write_file", {"path": value})])


# --- Names ----------------------------------------------------------------------------------------

KIMI = "<|tool_calls_section_begin|><|tool_call_begin|>{}<|tool_call_argument_begin|>{{}}<|tool_call_end|><|tool_calls_section_end|>"
MUSE = '<atem:function_calls>\n<atem:invoke name="{}">\n</atem:invoke>\n</atem:function_calls>'


@pytest.mark.parametrize(
    ("text", "written", "tools", "name"),
    [
        (KIMI, "functions_write_log_1", ["write_log"], "write_log"),
        (KIMI, "functions_write_log:1", ["write_log"], "write_log"),
        (KIMI, "functions.write_log_1", ["write_log"], "write_log"),
        (KIMI, "functions_write_log", ["write_log"], "write_log"),
        (KIMI, "functions_write_log_1", ["write_log_1"], "write_log_1"),
        (KIMI, "functions_a_1_2", ["a_1", "b"], "a_1"),
        (MUSE, "time.now", ["now", "then"], "now"),
        (MUSE, "time.now", ["time_now"], "time_now"),
        (MUSE, "time.now", ["time-now"], "time-now"),
        (MUSE, "tools.time.now", ["now"], "now"),
    ],
)
def test_a_name_in_another_form_is_the_one_tool_that_it_may_be(
    text: str, written: str, tools: list[str], name: str
) -> None:
    dialect = "kimi-k2" if text is KIMI else "muse"
    shapes = [tool(each) for each in tools]
    check(Slip(dialect, text.format(written), [(name, {})], shapes, repairs=("there is no tool",)))


@pytest.mark.parametrize(
    ("text", "written", "tools", "name"),
    [
        (KIMI, "functions_write_log_1", ["write_log", "functions_write_log_1"], "functions_write_log_1"),
        (KIMI, "functions_write_log_1", ["write_log", "write_log_1"], "functions_write_log_1"),
        (KIMI, "functions_write_log_1", ["read_log"], "functions_write_log_1"),
        (KIMI, "functions_write_log_1", None, "functions_write_log_1"),
        (KIMI, "write_log_1", ["write_log"], "write_log_1"),
        (KIMI, "functions.write_log_1:0", ["write_log", "write_log_1"], "write_log_1"),
        (KIMI, "functions.write_log:1", ["write_log", "functions"], "write_log"),
        (MUSE, "time.now", ["now", "time.now"], "time.now"),
        (MUSE, "time.now", ["now", "time_now"], "time.now"),
        (MUSE, "time.now", ["then"], "time.now"),
        (MUSE, "time.now", None, "time.now"),
        (MUSE, "now.now", None, "now"),
    ],
)
def test_a_name_that_is_a_tool_or_may_be_several_stays(
    text: str, written: str, tools: list[str] | None, name: str
) -> None:
    dialect = "kimi-k2" if text is KIMI else "muse"
    shapes = None if tools is None else [tool(each) for each in tools]
    check(Slip(dialect, text.format(written), [(name, {})], shapes))


# --- Text beside elements -------------------------------------------------------------------------

NOTE = {"type": "object", "properties": {"n": {"type": "integer"}, "$text": S}, "additionalProperties": False}


def elements(inside: str) -> str:
    return f'{M3}<tool_call>\n{M3}<invoke name="f">{inside}{M3}</invoke>\n{M3}</tool_call>'


@pytest.mark.parametrize(
    ("inside", "arguments", "place"),
    [
        (f"{M3}<o>see{M3}<n>1{M3}</n>{M3}</o>", {"o": {"n": 1, "$text": "see"}}, "o"),
        (f"{M3}<o>{M3}<n>1{M3}</n> see\n{M3}</o>", {"o": {"n": 1, "$text": "see"}}, "o"),
        (f"{M3}<o>a {M3}<n>1{M3}</n>b{M3}</o>", {"o": {"n": 1, "$text": "a b"}}, "o"),
        (f"{M3}<o>{M3}<$text>x{M3}</$text>y{M3}</o>", {"o": {"$text": "x", "$$text": "y"}}, "o"),
        (f"{M3}<o>{M3}<p>x{M3}<q>1{M3}</q>{M3}</p>{M3}</o>", {"o": {"p": {"q": "1", "$text": "x"}}}, "p"),
        (f"{M3}<l>a{M3}<item>b{M3}</item>{M3}</l>", {"l": {"item": "b", "$text": "a"}}, "l"),
        (f"see{M3}<s>1{M3}</s>", {"s": "1", "$text": "see"}, "invoke"),
        (f"{M3}<s>1{M3}</s>see", {"s": "1", "$text": "see"}, "invoke"),
    ],
)
def test_text_beside_elements_is_a_member_of_its_own(inside: str, arguments: dict[str, Any], place: str) -> None:
    tools = [tool("f", o=NOTE, s=S, l={"type": "array", "items": S})]
    repair = f"the text beside the elements in {place!r} is read as an element '$"
    check(Slip("minimax-m3", elements(inside), [("f", arguments)], tools, repairs=(repair,)))


def test_text_beside_elements_never_runs_a_tool_without_it() -> None:
    def f(items: list[str] | None = None, s: str = "") -> str:
        """Return what was given."""
        return f"{items} {s}"

    made = Tool.from_function(f)
    for inside in (f"{M3}<items>a{M3}<item>b{M3}</item>{M3}</items>", f"a{M3}<s>b{M3}</s>"):
        (call,) = dialects.get("minimax-m3").parse(elements(inside), [made]).tool_calls
        result = Executor([made]).run(call)
        assert result.error is not None
        assert result.error.code == "invalid_arguments"


@pytest.mark.parametrize("inside", ["text", f"{M3}<o>1{M3}</p>", f"{M3}<o>1{M3}</o>x{M3}</o>", f"{M3}</o>"])
def test_other_text_within_a_call_is_content(inside: str) -> None:
    check(Slip("minimax-m3", elements(inside), [], content=elements(inside)))


# --- Names without arguments ----------------------------------------------------------------------

PLAMO = "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>f<|plamo:end_tool_name:plamo|>{}<|plamo:end_tool_request:plamo|>"
DEEPSEEK = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
FINISHED = [
    ("internlm2", "<|action_start|><|function|>f<|action_end|>"),
    ("internlm2", "<|action_start|><|plugin|>\nf\n<|action_end|>"),
    ("internlm2", "<|action_start|><|function|>f<|args|><|action_end|>"),
    ("llama3", "<function=f></function>"),
    ("llama3", "<function=f>\n</function>"),
    ("kimi-k2", "<|tool_call_begin|>functions.f:0<|tool_call_end|>"),
    ("kimi-k2", "<|tool_call_begin|>functions.f:0<|tool_call_argument_begin|> <|tool_call_end|>"),
    ("deepseek-v3", DEEPSEEK.format("function<｜tool▁sep｜>f")),
    ("deepseek-v3", DEEPSEEK.format("function<｜tool▁sep｜>f\n")),
    ("deepseek-v3", DEEPSEEK.format("function<｜tool▁sep｜>f\n```json\n\n```")),
    ("deepseek-v3.1", DEEPSEEK.format("f<｜tool▁sep｜>")),
    ("deepseek-v3.1", DEEPSEEK.format("f")),
    ("plamo3", PLAMO.format("")),
    ("plamo3", PLAMO.format("<|plamo:begin_tool_arguments:plamo|><|plamo:end_tool_arguments:plamo|>")),
    ("harmony", "<|channel|>commentary to=functions.f<|message|><|call|>"),
    ("harmony", "<|channel|>commentary to=functions.f <|constrain|>json<|call|>"),
]


@pytest.mark.parametrize(("name", "text"), FINISHED)
def test_a_name_with_an_end_mark_is_a_call_without_arguments(name: str, text: str) -> None:
    check(Slip(name, text, [("f", {})]))
    written = dialects.get(name).render_calls([ToolCall("g", {"a": 1})])
    both = dialects.get(name).parse(f"{text}\n{written}", [tool("g", a={"type": "integer"})])
    assert [(call.name, call.arguments) for call in both.tool_calls] == [("f", {}), ("g", {"a": 1})]
    for end in range(len(text)):
        assert dialects.get(name).parse(text[:end]).tool_calls in ((), dialects.get(name).parse(text).tool_calls)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("internlm2", "<|action_start|><|function|>f"),
        ("internlm2", "<|action_start|><|function|>f<|args|>"),
        ("internlm2", "<|action_start|><|function|>f<|action_en"),
        ("internlm2", "<|action_start|><|function|><|action_end|>"),
        ("internlm2", "<|action_start|><|function|>some words<|action_end|>"),
        ("internlm2", "<|action_start|><|interpreter|>f<|action_end|>"),
        ("llama3", "<function=f>"),
        ("llama3", "<function=f></b>"),
        ("kimi-k2", "<|tool_call_begin|>some words<|tool_call_end|>"),
        ("deepseek-v3.1", "<｜tool▁call▁begin｜>some words<｜tool▁call▁end｜>"),
        ("harmony", '<|channel|>commentary to=functions.f <|constrain|>json{"a": 1}<|call|>'),
    ],
)
def test_a_name_without_its_end_mark_or_other_words_make_no_call(name: str, text: str) -> None:
    assert dialects.get(name).parse(text) == dialects.Parsed(text)
    assert not dialects.get("auto").parse(text).tool_calls


def test_the_executor_says_which_arguments_a_call_without_any_needs() -> None:
    def f(a: int) -> int:
        """Return a number."""
        return a

    (call,) = dialects.get("internlm2").parse("<|action_start|><|function|>f<|action_end|>").tool_calls
    result = Executor([f]).run(call)
    assert result.error is not None
    assert result.error.code == "invalid_arguments"


# --- Actions --------------------------------------------------------------------------------------

CALCULATE = [tool("calculate", "expression")]
SUM = {"expression": "67.50 * 0.15"}
WRITE_CALL = '<tool_call>{"name": "write_file", "arguments": {}}</tool_call>'


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ('calculate(expression="67.50 * 0.15")', SUM),
        ("calculate('67.50 * 0.15')", SUM),
        ('`calculate(expression="67.50 * 0.15")`', SUM),
        ('**calculate(expression="67.50 * 0.15")**', SUM),
        ('calculate(**{"expression": "67.50 * 0.15"})', SUM),
        ("calculate()", {}),
        (
            'calculate(expression="f(x) # (\\n", n=[1, {"a": None}])',
            {"expression": "f(x) # (\n", "n": [1, {"a": None}]},
        ),
    ],
)
@pytest.mark.parametrize("tail", ["", "\n", "\nObservation: 10.125\nThought: It is 10.13", "\nThought: Now I wait."])
def test_an_action_may_be_a_call_as_python_writes_it(line: str, arguments: Any, tail: str) -> None:
    check(Slip("react", f"Action: {line}{tail}", [("calculate", arguments)], CALCULATE))
    check(Slip("react", f"Hm.\nAction:\n{line}{tail}", [("calculate", arguments)], CALCULATE, "Hm."))
    parsed = dialects.get("auto").parse(f"Thought: I need 15 %.\nAction: {line}{tail}", CALCULATE)
    assert [(call.name, call.arguments) for call in parsed.tool_calls] == [("calculate", arguments)]
    assert parsed.reasoning.startswith("I need 15 %.")


@pytest.mark.parametrize("line", ["TBD()", "TBD(a=1)", "**TBD()**", 'calculat(expression="1")'])
def test_a_line_with_an_unknown_name_is_text_in_auto_if_the_tools_are_known(line: str) -> None:
    action, name = f"Action: {line}", line.strip("*").partition("(")[0]
    called = 'Action: calculate(expression="67.50 * 0.15")'
    for text, calls, content in (
        (action, [], action),
        (f"{action}\nDone.", [], f"{action}\nDone."),
        (f"{action}\n{called}", ["calculate"], action),
        (f"{called}\n{action}", ["calculate"], action),
        (f"{action}\n{WRITE_CALL}", ["write_file"], action),
    ):
        parsed = dialects.get("auto").parse(text, [*CALCULATE, *WRITE])
        assert ([call.name for call in parsed.tool_calls], parsed.content) == (calls, content)
        stream = dialects.get("auto").stream([*CALCULATE, *WRITE])
        for character in text:
            stream.feed(character)
        assert stream.close() == parsed
    for dialect, tools in (("auto", None), ("react", CALCULATE)):
        assert [call.name for call in dialects.get(dialect).parse(action, tools).tool_calls] == [name]


def test_several_actions_as_python_writes_them_are_several_calls() -> None:
    text = 'Action: f(a=1)\nAction: g(b="x")\nAction: h\nAction Input: {}\nDone.'
    check(Slip("react", text, [("f", {"a": 1}), ("g", {"b": "x"}), ("h", {})], None, "Done."))


@pytest.mark.parametrize(
    "line",
    [
        "calculate(67.50 * x)",
        "calculate(expression=f(1))",
        "calculate(expression='a' for a in b)",
        "calculate('1', '2')",
        "calculate(tip)",
    ],
)
def test_an_action_whose_arguments_are_not_literals_is_malformed(line: str) -> None:
    check(Slip("react", f"Action: {line}", [("calculate", line.removeprefix("calculate"))], CALCULATE))
    check(Slip("react", f"Action: {line}\nDone.", [("calculate", line.removeprefix("calculate"))], CALCULATE, "Done."))
    for unknown in (None, [tool("other")]):
        check(Slip("react", f"Action: {line}\nDone.", [], unknown, f"Action: {line}\nDone."))

    def calculate(expression: str) -> float:
        """Return the value of an expression."""
        return 0.0

    (call,) = dialects.get("react").parse(f"Action: {line}", [Tool.from_function(calculate)]).tool_calls
    result = Executor([calculate]).run(call)
    assert result.error is not None
    assert result.error.code == "malformed_call"
    assert result.error.message == (
        "the arguments are not literals of Python on the line of the action; write the name alone on this line, "
        "and the arguments as a JSON object after 'Action Input:' on the next one"
    )


def test_an_action_that_goes_on_below_its_line_is_malformed() -> None:
    text = 'Action: calculate(\n  expression="1"\n)'
    check(Slip("react", text, [("calculate", "(")], CALCULATE, 'expression="1"\n)'))


@pytest.mark.parametrize(
    "text",
    [
        "Action: calculate(expression=",
        'Action: calculate(expression="67.50 * 0.15"',
        "Action: calculate(expression='a' and more",
        "Action: calculate(1) or not",
        "Action: calculate (1)",
        "Action: see (1)\nand on",
        "The Action: calculate(1)",
        "Action: (1)",
        "Action: print(x)\nis prose",
    ],
)
def test_other_lines_after_the_label_stay_text(text: str) -> None:
    check(Slip("react", text, [], CALCULATE, text))


@pytest.mark.parametrize("line", ["add(1, 2)", "add(a, b)", "`add(a=1)`", "add(it's (so)"])
def test_a_line_with_an_input_below_it_is_the_name(line: str) -> None:
    parsed = dialects.get("react").parse(f'Action: {line}\nAction Input: {{"a": 3}}')
    assert [call.arguments for call in parsed.tool_calls] == [{"a": 3}]
    assert dialects.get("auto").parse(f'Action: {line}\nAction Input: {{"a": 3}}') == parsed


FIRST, SECOND = '{"action": "f", "action_input": {"a": 1}}', '{"action": "g", "action_input": {"b": 2}}'
BOTH = [("f", {"a": 1}), ("g", {"b": 2})]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (f"Action: [{FIRST}, {SECOND}]", ""),
        (f"Action:\n[\n{FIRST},\n{SECOND}\n]\n", ""),
        (f"Action:\n```json\n{FIRST}\n```\nAction:\n```json\n{SECOND}\n```", ""),
        (f"Action:\n```json\n{FIRST}\n```\n\n```json\n{SECOND}\n```", ""),
        (f"Action: {FIRST}\n```\n{SECOND}\n```", ""),
        (f"```json\n{FIRST}\n```\nAction:\n```json\n{SECOND}\n```", ""),
        (f"```json\n{FIRST}\n```\nAction: {SECOND}", ""),
        (f"Action: f {FIRST}\nAction: g {SECOND}", "f \ng"),
        (f"Action: two calls: {FIRST} and {SECOND}", "two calls:  and"),
    ],
)
def test_auto_reads_all_actions_after_their_label(text: str, content: str) -> None:
    check(Slip("react-json", text, BOTH, None, content))
    if text.startswith("Action:"):  # where a thought ends
        check(Slip("react-json", f"Thought: Two calls.\n{text}", BOTH, None, content))


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{FIRST}\n```\nThat is an example.\nAction: {SECOND}",
        f"Like this:\n```json\n{FIRST}\n```\nAction: {SECOND}",
        f"Action: {SECOND}\nNot this:\n```json\n{FIRST}\n```",
        f"Action: {SECOND}\n~~~\n{FIRST}\n~~~",
        f"Action: see `{FIRST}`\nAction: {SECOND}",
        f"> Action: {FIRST}\n\nAction: {SECOND}",
        f"{SECOND}\n```json\n{FIRST}\n```",
    ],
)
def test_auto_leaves_a_quoted_action_beside_words_alone(text: str) -> None:
    assert [call.name for call in dialects.get("auto").parse(text).tool_calls] == ["g"]


LEFT_OUT = "an item in the list of calls is not a call"


@pytest.mark.parametrize("item", ["3", "null", '"text"', "{}", '{"x": 1}', '{"name": "g"}', "[]", '["f", {"a": 1}]'])
def test_an_item_of_an_array_that_is_not_an_action_is_left_out(item: str) -> None:
    for text, calls in (
        (f"[ {FIRST}, {item}]", BOTH[:1]),
        (f"[ {item} , {FIRST}\n]", BOTH[:1]),
        (f"[ {item}, {FIRST}, {item}, {item}, {SECOND}, {item},]", BOTH),
    ):
        check(Slip("react-json", f"Hm.\nAction: {text}", calls, content="Hm.", repairs=(LEFT_OUT,)))
    for text in (f"Action: [ {item} ]", f"Action: [ {item}, {item}", "Action: [{}]", "Action: [ ]"):
        check(Slip("react-json", text, [], content=text))


@pytest.mark.parametrize("item", ["and {", "'tis {", '"a {', "{} {", '{"x": 1'])
def test_an_array_ends_at_text_that_is_not_an_item(item: str) -> None:
    check(Slip("react-json", f"Action: [{FIRST}, {item}]", BOTH[:1], content=f", {item}]"))
    check(Slip("react-json", f"Action: [{FIRST} {item}]", BOTH[:1], content=f"{item}]"))


def test_an_answer_may_be_an_item_of_an_array() -> None:
    answer = '{"action": "Final Answer", "action_input": "Hi."}'
    check(Slip("react-json", f"Action: [{answer}]", [], content="Hi."))
    check(Slip("react-json", f"Action: [{answer}, {FIRST}, 3]", BOTH[:1], content="Hi.", repairs=(LEFT_OUT,)))


def test_a_label_alone_hides_no_call_of_another_dialect_on_its_line() -> None:
    call = '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'
    for text in (f"Action: {call}", f"Action: I call {call}", "Action: [f(a=1)]"):
        parsed = dialects.get("auto").parse(text)
        assert [(each.name, each.arguments) for each in parsed.tool_calls] == [("f", {"a": 1})]


@pytest.mark.parametrize("dialect", ["react", "auto"])
def test_an_agent_runs_an_action_as_python_writes_it(dialect: str) -> None:
    ran = []

    def calculate(expression: str) -> float:
        """Return the value of an expression."""
        ran.append(expression)
        return 10.125

    answers = [
        'Thought: I need 15 %.\nAction: calculate(expression="67.50 * 0.15")',
        "Final Answer: The tip is $10.13.",
    ]
    result = ReactAgent(TextModel(lambda prompt: answers.pop(0), dialect), [calculate]).run("What is 15 % of $67.50?")
    assert (ran, result.answer) == (["67.50 * 0.15"], "The tip is $10.13.")
