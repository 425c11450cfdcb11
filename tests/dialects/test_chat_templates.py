"""Models' own chat templates, rendered as Hugging Face Transformers renders them."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
from typing import Any

import jinja2
import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment

from fcregistry._base.install import install_command
from fcregistry.dialects import ChatTemplate
from fcregistry.errors import ChatTemplateError, MissingDependencyError

TOOL = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Add <b>two</b> numbers & more: é.",
        "parameters": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}},
    },
}
CALLS = [{"id": "c1", "type": "function", "function": {"name": "add", "arguments": {"a": 1, "b": [2, None]}}}]
TALK = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "  1 + 2?  "},
    {"role": "assistant", "content": "", "tool_calls": CALLS},
    {"role": "tool", "content": "3", "tool_call_id": "c1", "name": "add"},
    {"role": "assistant", "content": "<think>\nhm\n</think>\n\n3"},
    {"role": "user", "content": "Thanks"},
]

# What templates in use do, each by a template of its own.
TEMPLATES = {
    "a loop over messages": """
        {%- for message in messages %}
            {{- '<|im_start|>' + message['role'] + '\\n' + message.content + '<|im_end|>\\n' }}
        {%- endfor %}
        {%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}""",
    "the system message taken out": """
        {{- bos_token }}
        {%- if messages[0]['role'] == 'system' %}
            {%- set system_message = messages[0]['content'] | trim %}
            {%- set messages = messages[1:] %}
        {%- else %}
            {%- set system_message = 'none' %}
        {%- endif %}
        {{- system_message ~ '|' ~ messages | length }}
        {%- for m in messages if m.role != 'tool' %}{{ loop.index0 }}{{ m.role }}{{ ',' if not loop.last }}{% endfor %}""",
    "tools, indented": """
        {%- if tools %}
            {%- for tool in tools %}{{ tool | tojson(indent=4) }}{{ '\\n' }}{% endfor %}
            {{- tools | map(attribute='function') | map(attribute='name') | join(', ') }}
            {{- tools | tojson }}
        {%- endif %}""",
    "arguments as an object": """
        {%- for m in messages if m.tool_calls is defined and m.tool_calls %}
            {%- for call in m.tool_calls %}
                {%- if call.function %}{% set call = call.function %}{% endif %}
                {{- call.name }}
                {%- for name, value in call.arguments | items %}
                    {{- '<parameter=' ~ name ~ '>' }}{{ value if value is string else value | tojson }}
                {%- endfor %}
                {{- call.arguments.items() | list | length }}{{ call['arguments'] | tojson | safe }}
            {%- endfor %}
        {%- endfor %}""",
    "a namespace that looks back": """
        {%- set ns = namespace(last=messages | length - 1, open=true) %}
        {%- for message in messages[::-1] %}
            {%- set index = (messages | length - 1) - loop.index0 %}
            {%- if ns.open and message.role == 'user' and message.content is string %}
                {%- set ns.open = false %}{% set ns.last = index %}
            {%- endif %}
        {%- endfor %}
        {{- ns.last }}""",
    "a macro": """
        {%- macro shown(value, depth=0) -%}
            {%- if value is mapping -%}
                {%- for key in value | sort %}{{ '  ' * depth }}{{ key }}: {{ shown(value[key], depth + 1) }}{% endfor -%}
            {%- elif value is iterable and value is not string -%}
                [{% for each in value %}{{ shown(each, depth) }}{% if not loop.last %}, {% endif %}{% endfor %}]
            {%- else -%}{{ value }}
{% endif -%}
        {%- endmacro -%}
        {{ shown(messages[2].tool_calls) }}""",
    "methods of texts": """
        {%- for message in messages %}
            {%- set content = message.content %}
            {%- if '</think>' in content %}
                {%- set thought = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
                {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
                {{- '(' + thought + ')' }}
            {%- endif %}
            {{- content.strip().replace('+', 'plus').upper() }}{{ message.get('name', '-') }}
            {{- 'T' if content.startswith('T') else 'f' }}{{ '%s/%d' | format('x', 3) }}{{ '{}-{:>3}'.format('a', 1) }}
        {%- endfor %}""",
    "neighbours in a loop, break and continue": """
        {%- for message in messages %}
            {%- if message.role == 'system' %}{% continue %}{% endif %}
            {%- if loop.previtem and loop.previtem.role == 'tool' %}{{ 'after' }}{% endif %}
            {%- if loop.nextitem is defined and loop.nextitem.role == 'tool' %}{{ 'before' }}{% endif %}
            {%- if loop.index > 4 %}{% break %}{% endif %}
            {{- loop.revindex }}{{ loop.length }}
        {%- endfor %}""",
    "what the model said": """
        {%- for message in messages %}
            {%- if message.role == 'assistant' %}{% generation %}{{ message.content }}!{% endgeneration %}{% endif %}
        {%- endfor %}""",
    "filters and tests": """
        {{- messages | selectattr('role', 'equalto', 'user') | map(attribute='content') | map('trim') | join(';') }}
        {{- messages | rejectattr('role', 'in', ['user', 'tool']) | list | length }}
        {{- (messages | first).role }}{{ (messages | last).role }}{{ none_such | default('d') }}{{ [3, 1] | sort | first }}
        {{- {'b': 1, 'a': 2} | dictsort | string }}{{ 'ab' | capitalize }}{{ 3 is odd }}{{ none is none }}
        {%- if messages | length % 2 == 0 and (messages[0].role == 'user') != (0 % 2 == 0) %}{{ 'odd' }}{% endif %}
        {{- range(3) | list }}{{ 7 // 2 }}{{ 2 ** 3 }}{{ [1] + [2] }}{{ messages[-1]['content'][:3] }}{{ unknown }}""",
    "spaces of blocks": "{% if true %}\n  a\n  {% endif %}\n  {# c #}\nb\n{% set x %}\n y {{ 1 }}\n{% endset %}{{ x }}",
}


def reference(source: str, **given: Any) -> str:
    """Render as the documentation of Transformers says that it does: trimmed blocks, JSON without HTML, loop controls."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.filters["tojson"] = lambda value, indent=None: json.dumps(value, ensure_ascii=False, indent=indent)
    plain = source.replace("{% generation %}", "").replace("{% endgeneration %}", "")
    return environment.from_string(plain).render(**given)


@pytest.mark.parametrize("title", TEMPLATES)
@pytest.mark.parametrize("generation_prompt", [True, False])
def test_a_template_is_rendered_as_transformers_does(title: str, generation_prompt: bool) -> None:
    source = TEMPLATES[title]
    template = ChatTemplate(source, bos_token="<s>", eos_token="</s>")
    tools = [TOOL] if template.takes_tools else []
    given = {"messages": TALK, "tools": tools or None, "bos_token": "<s>", "eos_token": "</s>"}
    assert template.render(TALK, tools, generation_prompt=generation_prompt) == reference(
        source, **given, add_generation_prompt=generation_prompt
    )


def test_json_is_written_without_escapes_of_html() -> None:
    assert "Add <b>two</b> numbers & more: é." in ChatTemplate("{{ tools[0] | tojson }}").render([], [TOOL])


def test_arguments_that_are_json_text_are_given_as_an_object_and_nothing_is_changed() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": {"b": 1}}'}}
    talk = [{"role": "assistant", "content": None, "tool_calls": [call]}]
    before = copy.deepcopy(talk)
    source = "{{ messages[0].tool_calls[0].function.arguments.a.b }}{{ messages[0].content }}"
    assert ChatTemplate(source).render(talk) == "1"
    assert talk == before


@pytest.mark.parametrize("text", ["{'a': 1", "[1]", "7"])
def test_arguments_that_are_not_an_object_stay_text(text: str) -> None:
    talk = [{"role": "assistant", "tool_calls": [{"function": {"name": "add", "arguments": text}}]}]
    assert ChatTemplate("{{ messages[0].tool_calls[0].function.arguments }}").render(talk) == text


def test_arguments_that_are_nested_too_deep_stay_text() -> None:
    text = '{"a":' * 600 + "1" + "}" * 600
    talk = [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": text}}]}]
    assert ChatTemplate("{{ messages[0].tool_calls[0].function.arguments }}").render(talk) == text


def test_reasoning_is_given_by_the_name_that_templates_know() -> None:
    talk = [{"role": "assistant", "content": "3", "reasoning": "1 + 2"}]
    assert ChatTemplate("{{ messages[0].reasoning_content }}").render(talk) == "1 + 2"


def test_images_stay_parts_for_templates_that_place_them() -> None:
    parts = [{"type": "image_url", "image_url": {"url": "data:"}}, {"type": "text", "text": "What is it?"}]
    source = "{% for part in messages[0].content %}{{ part.type }} {% endfor %}"
    assert ChatTemplate(source).render([{"role": "user", "content": parts}]) == "image_url text "


def test_the_day_is_known() -> None:
    written = ChatTemplate("{{ strftime_now('%d %b %Y') | length }}{{ strftime_now('%Y') }}").render([])
    assert written.startswith("1120")


def test_variables_are_known() -> None:
    source = "{% if enable_thinking is defined and not enable_thinking %}no{% else %}yes{% endif %}"
    assert ChatTemplate(source).render([]) == "yes"
    assert ChatTemplate(source, variables={"enable_thinking": False}).render([]) == "no"


def test_a_template_that_names_tools_takes_them() -> None:
    assert ChatTemplate("{% if tools %}{{ tools[0].function.name }}{% endif %}").takes_tools
    assert not ChatTemplate("{{ messages }} tools").takes_tools


def test_a_bare_description_of_a_tool_is_given_as_a_function() -> None:
    assert ChatTemplate("{{ tools[0].function.name }}").render([], [TOOL["function"]]) == "add"


def test_tools_are_not_left_out_silently() -> None:
    with pytest.raises(ChatTemplateError, match="shows no tools: let a dialect write them"):
        ChatTemplate("{{ messages }}").render([], [TOOL])


# --- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "said", "line"),
    [
        ("a\n{% if x %}", "cannot be read: Unexpected end of template.", 2),
        ("\n\n{{ x | no_such }}", "cannot be read: No filter named 'no_such'. (line 3 of the template)", 3),
        ("\n{{ raise_exception('Roles must alternate') }}", "cannot be rendered: Roles must alternate (line 2 of", 2),
        ("{% macro m() %}\n{{ none + 1 }}{% endmacro %}\n{{ m() }}", "cannot be rendered: unsupported operand", 2),
        ("\n{{ messages[7].content }}", "cannot be rendered: list object has no element 7 (line 2 of the template)", 2),
        ("{{ " + "(" * 5000, "cannot be read: it is nested too deep", None),
    ],
)
def test_an_error_says_what_is_wrong_and_in_which_line(source: str, said: str, line: int | None) -> None:
    with pytest.raises(ChatTemplateError) as caught:
        ChatTemplate(source).render([])
    assert said in str(caught.value)
    assert caught.value.line == line


def test_a_template_that_is_too_long_is_not_read() -> None:
    with pytest.raises(ChatTemplateError, match="has 100001 characters; at most 100000 are read"):
        ChatTemplate("a" * 100_001)


def test_without_jinja_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "fcregistry.dialects._chat_sandbox", raising=False)
    monkeypatch.setitem(sys.modules, "jinja2", None)
    command = re.escape(install_command("fcregistry[templates]"))
    with pytest.raises(MissingDependencyError, match=f"Jinja templates need Jinja2: {command}"):
        ChatTemplate("{{ messages }}")


def test_the_class_can_be_imported_without_jinja() -> None:
    code = "import sys; sys.modules['jinja2'] = None; from fcregistry.dialects import ChatTemplate"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_the_installed_jinja_has_a_sandbox_without_known_holes() -> None:
    """Older ones let templates out by the filter `attr` and by indirect `str.format`."""
    assert tuple(map(int, jinja2.__version__.split(".")[:3])) >= (3, 1, 6)
