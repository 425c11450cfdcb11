"""Prompts with tools, prompts that are refused, and the calls in an answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from fcregistry import Executor, Registry, Tool, ToolCall
from fcregistry.errors import DefinitionError, FormatNotFoundError, ToolNotFoundError
from fcregistry.formats import MalformedCallError
from fcregistry.prompts import OutputError, OutputFormat, ToolPrompt, calls_of


@dataclass
class Point:
    x: int
    y: int


def add_points(p1: Point, p2: Point) -> Point:
    """Add two points, for $5 or ${tools}."""
    return Point(p1.x + p2.x, p1.y + p2.y)


def multiply(a: int, b: int) -> int:
    """Multiply two numbers."""
    return a * b


ADD = Tool.from_function(add_points)
MULTIPLY = Tool.from_function(multiply)
EXAMPLE = ADD.make_call(p1=Point(x=1, y=2), p2=Point(x=3, y=4))
MULTIPLY_SCHEMA = (
    '{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, '
    '"required": ["a", "b"], "additionalProperties": false}'
)


@dataclass
class Step:
    """What to do next.

    Attributes:
        name: The tool.
        arguments: Its arguments, by name.
        thought: Why.
    """

    name: str
    arguments: dict[str, Any]
    thought: str = ""


def test_the_prompt_shows_tools_the_way_to_call_them_and_nothing_else() -> None:
    assert str(ToolPrompt(multiply)) == (
        "You can call these tools:\n\n"
        f'{{"name": "multiply", "description": "Multiply two numbers.", "parameters": {MULTIPLY_SCHEMA}}}\n\n'
        "To call tools, write a JSON array of calls in a code block, and nothing else. "
        "Each call has the name of the tool and its arguments:\n\n"
        "```json\n"
        '[{"name": "the name of the tool", "arguments": {"the name of a parameter": "its value"}}]\n'
        "```\n\n"
        "Always write an array, also for one call. "
        "Call only tools that are listed, and only where one is needed. Otherwise answer in plain text."
    )


def test_one_call_at_a_time_is_asked_for_without_an_array() -> None:
    text = str(ToolPrompt([ADD], many=False, examples=[EXAMPLE]))
    assert "Call one tool at a time" in text
    assert "array" not in text.partition("To call a tool")[2]
    assert text.endswith(
        "For example:\n\n"
        '```json\n{"name": "add_points", "arguments": {"p1": {"x": 1, "y": 2}, "p2": {"x": 3, "y": 4}}}\n```'
    )


def test_examples_are_made_of_python_calls_alone_or_together() -> None:
    text = str(
        ToolPrompt([ADD, MULTIPLY], examples=[EXAMPLE, [MULTIPLY.make_call(2, 3), MULTIPLY.make_call(a=4, b=5)]])
    )
    assert text.endswith(
        "For example:\n\n"
        '```json\n[{"name": "add_points", "arguments": {"p1": {"x": 1, "y": 2}, "p2": {"x": 3, "y": 4}}}]\n```\n\n'
        '```json\n[{"name": "multiply", "arguments": {"a": 2, "b": 3}}, {"name": "multiply", "arguments": {"a": 4, "b": 5}}]\n```'
    )


def test_an_example_may_have_its_arguments_as_text_or_none() -> None:
    def now() -> str:
        """Tell the time."""
        return "12:00"

    text = str(ToolPrompt([MULTIPLY, now], examples=[ToolCall("multiply", '{"a": 1, "b": 2}'), ToolCall("now")]))
    assert '[{"name": "multiply", "arguments": {"a": 1, "b": 2}}]' in text
    assert '[{"name": "now", "arguments": {}}]' in text


@pytest.mark.parametrize(
    "format_name", ["yaml", "text", "typescript", "python", "openai", "anthropic", "json-schema", "mcp"]
)
def test_tools_are_described_in_any_format(format_name: str) -> None:
    shown = str(ToolPrompt([MULTIPLY, ADD], format=format_name, template="<$tools>"))
    definitions = [tool.definition(format_name) for tool in (ADD, MULTIPLY)]
    for each in definitions:
        assert (each if isinstance(each, str) else json.dumps(each, ensure_ascii=False)).strip() in shown
    assert shown.startswith("<")
    assert not shown.endswith("\n>")


def test_formats_that_send_one_object_are_shown_as_that_object() -> None:
    shown = str(ToolPrompt([MULTIPLY, ADD], format="gemini", template="$tools"))
    assert [json.loads(line) for line in shown.splitlines()]


def test_variables_show_names_and_types_and_values_only_where_that_is_asked_for() -> None:
    variables = {"x": 2, "api_key": "sk-very-secret", "here": Point(1, 2), "long": "a" * 600}
    text = str(ToolPrompt(multiply, context=variables, shown=("x", "here", "long")))
    assert (
        "These variables are known:\n\n"
        "- api_key: str\n"
        '- here: Point = {"x": 1, "y": 2}\n'
        f'- long: str = "{"a" * 499}… (602 characters)\n'
        "- x: int = 2\n"
    ) in text
    assert "secret" not in text


def test_the_prompt_is_the_same_whatever_the_order_of_tools_and_variables() -> None:
    first = ToolPrompt([ADD, MULTIPLY], context={"a": 1, "b": 2.0}, shown=["a", "b"])
    second = ToolPrompt([multiply, add_points], context={"b": 2.0, "a": 1}, shown={"b", "a"})
    assert str(first) == str(second) == str(first)


def test_tools_are_found_as_an_executor_finds_them() -> None:
    registry = Registry()
    registry.register(multiply, group="maths")
    prompt = ToolPrompt("maths.*", registry=registry)
    assert list(prompt.tools) == ["multiply"]
    assert repr(prompt) == "<ToolPrompt multiply>"
    with pytest.raises(ToolNotFoundError, match="divide"):
        ToolPrompt("divide", registry=registry)


def test_a_template_can_be_replaced_and_have_placeholders_of_its_own() -> None:
    template = "$persona\n<TOOLS>\n$tools\n</TOOLS>\n<CONTEXT>\n${context}\n</CONTEXT>\nUSD: $$"
    prompt = ToolPrompt(
        multiply, format="text", context={"x": 1}, template=template, texts={"persona": "You are $tools. ${context}"}
    )
    assert str(prompt) == (
        "You are $tools. ${context}\n"
        "<TOOLS>\nmultiply(a: integer, b: integer)\n  Multiply two numbers.\n</TOOLS>\n"
        "<CONTEXT>\n- x: int\n</CONTEXT>\nUSD: $"
    )
    assert prompt.template == template


def test_the_own_template_is_a_place_to_begin_with() -> None:
    prompt = ToolPrompt(ADD, context={"x": 1}, examples=[EXAMPLE])
    again = ToolPrompt(ADD, context={"x": 1}, examples=[EXAMPLE], template=prompt.template)
    assert str(again) == str(prompt)


LOOP = """\
You are {{ role }}.
{% for tool in tools %}
{{ loop.index }}. {{ tool.name }}: {{ tool.summary }}
{%- for name, schema in tool.parameters.properties.items() %} [{{ name }}: {{ schema.type }}]{% endfor %}

{{ tool.text }}
{% endfor %}
{% if context %}
Known: {{ context }}
{% endif %}
{% if examples %}
For example: {{ examples }}
{% endif %}"""


def test_a_jinja_template_loops_over_tools_and_has_conditions() -> None:
    def price(amount: int) -> str:
        """Price it at $5, {{ 7 * 7 }} or {% raw %}."""
        return ""

    tools, texts = [multiply, price], {"role": "a calculator, not {{ tools }}"}
    first = "You are a calculator, not {{ tools }}.\n1. multiply: Multiply two numbers. [a: integer] [b: integer]\n"
    second = "2. price: Price it at $5, {{ 7 * 7 }} or {% raw %}. [amount: integer]\n"
    prompt = ToolPrompt(tools, format="text", template=LOOP, texts=texts, jinja=True)
    assert str(prompt) == (
        f"{first}multiply(a: integer, b: integer)\n  Multiply two numbers.\n"
        f"{second}price(amount: integer)\n  Price it at $5, {{{{ 7 * 7 }}}} or {{% raw %}}.\n"
    )
    assert prompt.template == LOOP
    known = ToolPrompt(tools, format="text", template=LOOP, texts=texts, context={"x": 1}, jinja=True)
    assert str(known) == f"{prompt}Known: - x: int\n"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            {"template": "{{ tools }}\n{{ tool }}"},
            "it cannot be rendered: 'tool' is undefined (line 2 of the template)",
        ),
        (
            {"template": "{% if tol %}{% endif %}{{ tools }}"},
            "it cannot be rendered: 'tol' is undefined (line 1 of the template)",
        ),
        ({"template": "{% for tool in tools %}"}, "it cannot be read: Unexpected end of template."),
        ({"template": "no tools"}, "{{ tools }} is missing: its text would not be shown"),
        ({"template": "{{ tools }}", "texts": {"mine": "x"}}, "{{ mine }} is missing: its text would not be shown"),
        (
            {"template": "{{ tools.__class__.__mro__ }}"},
            "it cannot be rendered: access to attribute '__class__' of 'list' object is unsafe.",
        ),
        (
            {"template": "{% for a in range(10000) %}{% for b in range(10000) %}{{ tools }}{% endfor %}{% endfor %}"},
            "it was stopped: it works or writes far more than its input needs. Nothing was rendered; use a template that you trust",
        ),
        ({}, "with jinja=True, pass the text of a template, not None"),
    ],
)
def test_a_wrong_jinja_template_is_refused(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        ToolPrompt([multiply], jinja=True, **arguments)
    assert problem in str(caught.value)


def test_a_dollar_sign_in_a_tools_description_is_not_a_placeholder() -> None:
    assert "Add two points, for $5 or ${tools}." in str(ToolPrompt(ADD))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"template": "$tools $tool"}, "$tool is not known; here there are $tools"),
        ({"template": "no tools"}, "$tools is missing: its text would not be shown"),
        ({"template": "$tools\n\n$context"}, "$context is not known; here there are $tools"),
        ({"template": "$tools", "context": {"x": 1}}, "$context is missing: its text would not be shown"),
        ({"template": "$tools", "examples": [EXAMPLE]}, "$examples is missing: its text would not be shown"),
        (
            {"template": "$tools", "output": OutputFormat(int)},
            "$output is missing: its text would not be shown",
        ),
        ({"template": "\n$tools for $5"}, "line 2: a $ that does not begin a placeholder; write $$ for a dollar sign"),
        ({"texts": {"tools": "x"}}, "$tools is reserved; choose another name"),
        ({"texts": {"mine": 3}}, "the value of $mine must be a string, not 3"),
        ({"texts": {"mine": "x"}}, "$mine is missing: its text would not be shown"),
        ({"shown": ["x"]}, "shown names 'x', but there is no such variable"),
        ({"context": {"x": 1}, "shown": "y"}, "shown names 'y', but there is no such variable"),
        (
            {"context": {"x": object()}, "shown": "x"},
            "the value of 'x' cannot be shown: a value of type builtins.object has no JSON form",
        ),
        (
            {"examples": [ToolCall("divide", {})]},
            "'divide' is not a tool of the prompt; its tools are add_points, multiply",
        ),
        ({"examples": ["multiply(2, 3)"]}, "'multiply(2, 3)' is not a ToolCall: tool.make_call(…) makes one"),
        ({"examples": [[{"name": "multiply"}]]}, "{'name': 'multiply'} is not a ToolCall: tool.make_call(…) makes one"),
        ({"examples": [ToolCall("multiply", {"a": 1})]}, "multiply: $.b: is required"),
        ({"examples": [ToolCall("multiply", {"a": "1", "b": 2})]}, 'multiply: $.a: must be an integer, not "1"'),
        ({"examples": [[EXAMPLE, EXAMPLE]], "many": False}, "with many=False, each example must be one call"),
        (
            {"examples": [EXAMPLE], "output": OutputFormat(int)},
            "with an output, pass the examples to it: OutputFormat(…, examples=[…])",
        ),
    ],
)
def test_wrong_arguments_raise_when_the_prompt_is_made(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        ToolPrompt([ADD, MULTIPLY], **arguments)
    assert said in caught.value.problems


def test_arguments_of_an_example_that_are_not_json_are_refused() -> None:
    with pytest.raises(DefinitionError, match="multiply: the arguments are cut off"):
        ToolPrompt(MULTIPLY, examples=[ToolCall("multiply", '{"a": 1')])


def test_an_unknown_format_is_refused_with_those_there_are() -> None:
    with pytest.raises(
        FormatNotFoundError, match=r"there is no format 'xml'; the formats of a prompt are anthropic, .*, json, "
    ):
        ToolPrompt(MULTIPLY, format="xml")


def test_an_example_of_a_wrong_type_raises_where_it_is_made() -> None:
    with pytest.raises(TypeError, match="add_points cannot take 3 as the value of 'p2'"):
        ADD.make_call(p1=Point(1, 2), p2=3)


def test_output_must_be_an_output_format_not_a_type() -> None:
    with pytest.raises(
        TypeError, match=r"output must be an OutputFormat, such as OutputFormat\(int\), not <class 'int'>"
    ):
        ToolPrompt(MULTIPLY, output=int)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "reader", [ToolPrompt(MULTIPLY), ToolPrompt(MULTIPLY, output=OutputFormat(int)), OutputFormat(int)]
)
def test_none_is_not_an_answer(reader: Any) -> None:
    with pytest.raises(TypeError, match="an answer is the text that a model wrote, not None"):
        reader.parse(None)


# --- the answer -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (
            '```json\n[{"name": "multiply", "arguments": {"a": 2, "b": 3}}]\n```',
            (ToolCall("multiply", {"a": 2, "b": 3}),),
        ),
        ('{"name": "multiply", "arguments": {"a": 2, "b": 3}}', (ToolCall("multiply", {"a": 2, "b": 3}),)),
        ("It is six.", ()),
        ('[{"name": "multiply", "arguments": {"a": 2', ()),
    ],
)
def test_calls_are_read_as_the_dialect_json_reads_them(text: str, calls: tuple[ToolCall, ...]) -> None:
    parsed = ToolPrompt(MULTIPLY).parse(text)
    read = [
        (call.name, json.loads(call.arguments) if isinstance(call.arguments, str) else call.arguments)
        for call in parsed.tool_calls
    ]
    assert read == [(call.name, call.arguments) for call in calls]
    assert bool(parsed.content) == (not calls)


def test_calls_are_read_of_a_typed_answer() -> None:
    prompt = ToolPrompt(MULTIPLY, output=OutputFormat(list[Step], exclude=("thought",)))
    parsed = prompt.parse('So:\n{"name": "multiply", "arguments": {"a": 2, "b": 3}}')
    assert parsed.tool_calls == (ToolCall("multiply", {"a": 2, "b": 3}),)
    assert parsed.content == ""
    assert parsed.repairs == ("the answer was one item where an array is due: taken as an array of it",)
    assert str(prompt).endswith("Always write an array, also for one item.")
    with pytest.raises(ValueError, match=r"\$\[0\]\.arguments: is required"):
        prompt.parse('[{"name": "multiply"}]')


def test_a_typed_answer_without_calls_is_content() -> None:
    @dataclass
    class Answer:
        text: str

    prompt = ToolPrompt(MULTIPLY, output=OutputFormat(list[Step] | Answer))
    parsed = prompt.parse(' {"text": "Six."}\n')
    assert (parsed.content, parsed.tool_calls) == ('{"text": "Six."}', ())


def test_calls_are_those_with_a_name_and_arguments() -> None:
    call = ToolCall("a", {"x": 1})
    assert calls_of(Step("a", {"x": 1}, "hm")) == (call,)
    assert calls_of({"name": "a", "arguments": {"x": 1}, "thought": "hm"}) == (call,)
    assert calls_of([Step("a", {"x": 1}), "done", call]) == (call, call)
    assert calls_of("done") == ()
    assert calls_of(None) == ()


@dataclass
class Function:
    """A call.

    Attributes:
        name: The tool.
        thought: Why.
        args: Positional arguments.
        kwargs: Its arguments, by name.
    """

    name: str
    thought: str | None = None
    args: list[Any] | None = field(default_factory=list)
    kwargs: dict[str, Any] | None = field(default_factory=dict)


FUNCTION = OutputFormat(list[Function], exclude=("thought", "args"), arguments_field="kwargs")


def test_the_field_of_the_arguments_may_be_named() -> None:
    prompt = ToolPrompt(MULTIPLY, output=FUNCTION)
    call = ToolCall("multiply", {"a": 2, "b": 3})
    assert prompt.parse('[{"name": "multiply", "kwargs": {"a": 2, "b": 3}}]').tool_calls == (call,)
    value = FUNCTION.parse('[{"name": "multiply", "kwargs": {"a": 2, "b": 3}}]')
    assert calls_of(value, arguments_field="kwargs") == (call,)
    assert Executor([multiply]).run_all(calls_of(value, arguments_field="kwargs"))[0].value == 6
    assert calls_of(Function("multiply", kwargs=None, thought="hm"), arguments_field="kwargs")[0].arguments is None
    assert (FUNCTION.arguments_field, OutputFormat(int).arguments_field) == ("kwargs", None)


def test_positional_arguments_are_refused_in_words_for_the_model() -> None:
    output = OutputFormat(Function, arguments_field="kwargs")
    with pytest.raises(OutputError) as caught:
        ToolPrompt(MULTIPLY, output=output).parse('{"name": "multiply", "args": [2], "kwargs": {"b": 3}}')
    assert str(caught.value) == (
        "Your answer is not of the form that was asked for:\n"
        "- $: the call of 'multiply' has \"kwargs\", and 'args' is not read: "
        'write {"name": …, "kwargs": {…}}\n'
        "Write all of it again."
    )


BOTH = ("args", "kwargs")


@pytest.mark.parametrize(
    ("value", "field_name"),
    [
        (Function("multiply", args=[2, 3]), "args"),
        ({"name": "multiply", "args": [2, 3]}, "args"),
        ({"function": {"name": "multiply", "parameters": (2, 3)}}, "parameters"),
        (Function("multiply", args=[2, 3]), BOTH),
        (Function("multiply", args=[2, 3], kwargs=None), BOTH),
        (Function("multiply", args=[2], kwargs={"b": 3}), BOTH),
        (Function("multiply", kwargs={"a": 2, "b": 3}), BOTH),
        (Function("multiply", args=None, kwargs={"a": 2, "b": 3}), BOTH),
    ],
)
def test_arguments_by_position_have_the_names_of_the_parameters(value: object, field_name: Any) -> None:
    for tools in (MULTIPLY, multiply, [multiply]):
        (call,) = calls_of(value, arguments_field=field_name, tools=tools)
        assert call == ToolCall("multiply", {"a": 2, "b": 3})


def test_an_answer_may_have_arguments_by_position_and_by_name() -> None:
    output = OutputFormat(list[Function], exclude=["thought"], arguments_field=BOTH)
    prompt = ToolPrompt(MULTIPLY, output=output)
    answer = '[{"name": "multiply", "args": [2], "kwargs": {"b": 3}}, {"name": "multiply", "args": [2, 3]}]'
    assert prompt.parse(answer).tool_calls == (ToolCall("multiply", {"a": 2, "b": 3}),) * 2
    assert output.arguments_field == BOTH
    with pytest.raises(DefinitionError, match="arguments_field: there is no field 'positional'"):
        OutputFormat(list[Function], arguments_field=("positional", "kwargs"))


@pytest.mark.parametrize(
    ("value", "tools", "problem"),
    [
        (Function("multiply", args=[2]), (), "the tools are not known: pass them to calls_of as tools=…"),
        (Function("divide", args=[2]), True, "there is no tool 'divide'; the tools are multiply"),
        (Function("multiply", args=[2, 3, 4]), True, "it has 3, and the parameters by position are a, b"),
        (Function("multiply", args=[2], kwargs={"a": 3}), True, "'a' is given by position and by name"),
    ],
)
def test_arguments_by_position_that_do_not_fit_are_refused(value: Function, tools: Any, problem: str) -> None:
    with pytest.raises(MalformedCallError) as caught:
        calls_of(value, arguments_field=BOTH, tools=[multiply] if tools else ())
    name = value.name
    assert str(caught.value) == f"the arguments by position of the call of {name!r} cannot be read: {problem}"


def delete(path: str, *, force: bool = False) -> str:
    return f"{path} {force}"


def gather(first: int, /, *rest: int, last: int = 0) -> list[int]:
    return [first, *rest, last]


def count_down() -> None: ...


ANYTHING = Tool.from_function(
    lambda **values: values, name="anything", parameters={"properties": {"x": {"type": "integer"}, "y": {}}}
)


@pytest.mark.parametrize(
    ("tool", "args", "kwargs", "arguments"),
    [
        (delete, ["/x"], {"force": True}, {"path": "/x", "force": True}),
        (gather, [1, 2, 3], {}, {"first": 1, "rest": [2, 3]}),
        (gather, [1], {"last": 3}, {"first": 1, "last": 3}),
        (gather, [1], {"rest": [2]}, {"first": 1, "rest": [2]}),
        (ANYTHING, [1, 2], {}, {"x": 1, "y": 2}),
    ],
)
def test_arguments_by_position_fill_the_parameters_that_python_fills(
    tool: Any, args: list[Any], kwargs: dict[str, Any], arguments: dict[str, Any]
) -> None:
    name = getattr(tool, "name", None) or tool.__name__
    (call,) = calls_of(Function(name, args=args, kwargs=kwargs), arguments_field=BOTH, tools=[tool])
    assert call == ToolCall(name, arguments)
    assert Executor([tool]).run(call).ok


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (Function("delete", args=["/x", True]), "it has 2, and the parameters by position are path"),
        (Function("count_down", args=[1]), "it has 1, and the parameters by position are none"),
        (Function("gather", args=[1, 2], kwargs={"rest": [3]}), "'rest' is given by position and by name"),
    ],
)
def test_arguments_by_position_never_fill_other_parameters(value: Function, problem: str) -> None:
    with pytest.raises(MalformedCallError) as caught:
        calls_of(value, arguments_field=BOTH, tools=[delete, gather, count_down])
    assert str(caught.value).endswith(problem)


def test_the_error_for_arguments_by_position_names_few_tools_and_no_hidden_one() -> None:
    hidden = Tool.from_function(multiply, name="secret", available=lambda: False)
    many = [Tool.from_function(multiply, name=f"tool_{at:02}") for at in range(30)]
    with pytest.raises(MalformedCallError) as caught:
        calls_of(Function("divide", args=[2]), arguments_field=BOTH, tools=[hidden, *many])
    assert "secret" not in str(caught.value)
    assert str(caught.value).endswith(", tool_19, … (30 tools)")


def test_a_list_of_tools_is_read_once_for_all_calls() -> None:
    values = [Function("multiply", args=[2, 3])] * 3
    assert len(calls_of(values, arguments_field=BOTH, tools=iter([multiply]))) == 3


@pytest.mark.parametrize("field_name", [None, "kwargs", ("kwargs", "named")])
def test_a_list_of_arguments_in_another_field_is_refused(field_name: Any) -> None:
    with pytest.raises(MalformedCallError, match="multiply"):
        calls_of(Function("multiply", args=[2, 3]), arguments_field=field_name, tools=[multiply])


@pytest.mark.parametrize(
    "value",
    [
        Function("multiply", kwargs={"a": 2}),
        Function("multiply", args=[2, 3]),
        {"name": "multiply", "parameters": {"a": 2}},
        {"name": "multiply", "arguments": [2, 3]},
    ],
)
def test_calls_whose_arguments_cannot_be_read_raise(value: object) -> None:
    for each in (value, [Step("multiply", {}), value]):
        with pytest.raises(MalformedCallError, match="multiply"):
            calls_of(each)


def test_a_record_with_a_name_and_no_arguments_is_not_a_call() -> None:
    assert calls_of([Point(1, 2), {"name": "Ada", "age": 36}, Person("Ada", 36)]) == ()


@dataclass
class Person:
    name: str
    age: int


@pytest.mark.parametrize(("excluded", "field_name"), [((), "kwarg"), (("kwargs",), "kwargs")])
def test_a_field_of_arguments_that_is_not_there_is_refused_at_once(excluded: tuple[str, ...], field_name: str) -> None:
    with pytest.raises(
        DefinitionError, match=f"arguments_field: there is no field '{field_name}'; the fields there are"
    ):
        OutputFormat(list[Function] | Person, exclude=excluded, arguments_field=field_name)
