"""Templates of strangers that try to leave the conversation, to fill the memory, or never to end."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from fcregistry.dialects import ChatTemplate
from fcregistry.dialects import _chat_sandbox as _meter  # a limit is lowered, so that a small template reaches it
from fcregistry.errors import ChatTemplateError

HI = [{"role": "user", "content": "Hi"}]
LONG = "{% set long = 'a' * 99999 %}"
MANY = "{% set many = range(2000) | list %}"
OFTEN = "{% for i in range(2000) %}"
END = "{% endfor %}"
STOPPED = "was stopped: it works or writes far more than its input needs"


def again(change: str, first: str = "'aaaaaaaa'") -> str:
    """Return a template that changes a value sixty times."""
    return f"{{% set n = namespace(x={first}) %}}{{% for i in range(60) %}}{{% set n.x = {change} %}}{{% endfor %}}{{{{ n.x }}}}"


GREEDY = {
    "a text repeated": "{{ 'a' * 10**9 }}",
    "a list repeated": "{{ 10**9 * [1] }}",
    "a power": "{{ (10**9999) ** 9999 }}",
    "squares": again("n.x * n.x", "7"),
    "a text put to itself": again("n.x ~ n.x"),
    "a text added to itself": again("n.x + n.x"),
    "a list in itself twice": again("[n.x, n.x]"),
    "a tuple in itself twice": again("(n.x, n.x)"),
    "a dict in itself twice": again("{'a': n.x, 'b': n.x}"),
    "views in a dict twice": again("{'a': n.x.items(), 'b': n.x.values()}", "{}"),
    "a safe text padded": "{{ ('a' | safe).ljust(10**9) }}",
    "a dict called": again("dict(a=n.x, b=n.x)"),
    "JSON of JSON": again("n.x | tojson", "'\"'"),
    "a block that shows itself twice": "{% set x %}aaaaaaaa{% endset %}" + "{% set x %}{{ x }}{{ x }}{% endset %}" * 60,
    "a filter block": "{% filter replace('a', 'aaaaaaaaaaaaaaaa') %}" * 20 + "a" + "{% endfilter %}" * 20,
    "text written in a loop": OFTEN + "a" * 9999 + END,
    "text written in a block": "{% set x %}" + OFTEN + "a" * 9999 + END + "{% endset %}",
    "text written in a macro": "{% macro m() %}" + OFTEN + "a" * 9999 + END + "{% endmacro %}{% if m() %}{% endif %}",
    "a value written in a loop": LONG + OFTEN + "{{ long }}" + END,
    "a tuple as a name": again("(n.x, n.x)").removesuffix("{{ n.x }}") + "{% set x = {n.x: 1} %}",
    "a text padded": "{{ 'a'.ljust(10**9) }}",
    "a text padded by a name": "{{ 'a' | center(width=10**9) }}",
    "a number padded": "{{ '%1000000000d' % 1 }}",
    "a number padded by an argument": "{{ '%*d' | format(10**9, 1) }}",
    "a number padded in braces": "{{ '{:1000000000}'.format(1) }}",
    "a number padded by a field": "{{ '{:{}}'.format(1, 10**9) }}",
    "wide fields": "{{ ('{0:999}' * 9999).format(1) }}",
    "wide numbers": "{{ ('%(a)999d' * 9999) % {'a': 1} }}",
    "a value placed often": "{{ ('%(a)s' * 9999) % {'a': 'x' * 9999} }}",
    "a field placed often": "{{ ('{0}' * 9999).format('x' * 9999) }}",
    "a text replaced": LONG + "{{ long | replace('a', long) }}",
    "nothing replaced": LONG + "{{ long.replace('', long) }}",
    "a text joined": LONG + "{{ long.join(long) }}",
    "a list joined": LONG + "{{ range(99999) | map('string') | join(d=long) }}",
    "lines indented": LONG + "{{ ('\\n' * 99999) | indent(long, true, true) }}",
    "JSON indented": "{{ range(9999) | list | tojson(indent=9999) }}",
    "JSON separated": LONG + "{{ range(9999) | list | tojson(separators=[long, ':']) }}",
    "batches filled up": "{{ [1] | batch(10**9, 'x') | list }}",
    "lists added up": "{{ ([[1] * 999] * 999) | sum(start=[]) }}",
}

ENDLESS = {
    "loops in loops": "{% set r = range(300) %}" + "{% for i in r %}" * 3 + END * 3,
    "a macro that calls itself twice": (
        "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}"
    ),
    "a loop that calls itself twice": (
        "{% for x in [1, 2] recursive %}{% if loop.depth < 60 %}{{ loop([1, 2]) }}{% endif %}{% endfor %}"
    ),
    "callers in callers": (
        "{% macro m() %}{{ caller() }}{{ caller() }}{% endmacro %}" + "{% call m() %}" * 18 + "x" + "{% endcall %}" * 18
    ),
    "sums": OFTEN + "{% if range(9999) | sum %}{% endif %}" + END,
    "searches": MANY + OFTEN + "{% if 'x' in many %}{% endif %}" + END,
    "tests": MANY + "{{ many | reject('in', many) | first }}",
    "comparisons": LONG + "{% set other = long ~ 'b' %}" + OFTEN + "{% if long < other %}{% endif %}" + END,
    "slices": LONG + OFTEN + "{% set x = long[1:] %}" + END,
    "searches from the right": LONG + "{% set x = (long * 2).rfind('ab' + long) %}",
    "parts from the right": LONG + "{% set x = (long * 2).rsplit('ab' + long) %}",
    "stripping": LONG + "{% set x = long.strip('b' * 99999) %}",
    "trimming": LONG + "{% set x = long | trim('b' * 99999) %}",
    "numbers of many digits": "{% set x = ('f' * 9999) | int(0, 16) %}",
    "divisions": "{% set x = ('f' * 4900) | int(0, 16) %}{% set y = x // 3 ** 5000 %}"
    + OFTEN
    + "{% set z = x // y %}"
    + END,
    "paths": "{% set n = namespace() %}{% set n.x = n %}{{ [n] | map(attribute='x" + ".x" * 9999 + "') | list }}",
    "long loops": OFTEN + "{% if loop.first %}{% endif %}" * 100 + END,
    "long macros": "{% macro m() %}"
    + "{% if tools.x %}{% endif %}" * 50
    + "{% endmacro %}"
    + OFTEN
    + "{{ m() }}"
    + END,
    "many parameters": "{% macro m("
    + ", ".join(f"a{n}" for n in range(100))
    + ") %}{% endmacro %}"
    + OFTEN
    + "{% set x = m() %}"
    + END,
    "methods": LONG + OFTEN + "{% set x = long.find('b') %}" + END,
    "filters": LONG + OFTEN + "{% set x = long | wordcount %}" + END,
    "names": "{% set t = (range(999) | list, 1) %}" + OFTEN + "{% set x = {}[t] %}" + END,
    "cycles": "{% set c = cycler('a') %}{% set r = range(300) %}" + "{% for i in r %}" * 2 + "{{ c.next() }}" + END * 2,
}


@pytest.mark.parametrize("title", [*GREEDY, *ENDLESS])
def test_a_template_is_stopped_when_it_works_or_writes_too_much(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_meter, "_BASE", 200_000)  # a fifth, so that it is stopped sooner
    template = ChatTemplate({**GREEDY, **ENDLESS}[title])
    with pytest.raises(ChatTemplateError, match=STOPPED):
        template.render(HI)


@pytest.mark.parametrize(
    "source",
    ["{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "{% block a %}{{ self.a() }}{% endblock %}"],
)
def test_endless_recursion_is_an_error_of_the_template(source: str) -> None:
    with pytest.raises(ChatTemplateError, match="it is nested too deep"):
        ChatTemplate(source).render(HI)


LAZY = (
    "{% set n = namespace(x=['a']) %}{% for i in range(5000) %}{% set n.x = n.x | CHANGE %}{% endfor %}{{ n.x | list }}"
)
DEEP = {
    "a macro in itself": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "a macro by its name": "{% macro m(f) %}{{ f(f) }}{% endmacro %}{{ m(m) }}",
    "a macro in a default": "{% macro m(a=caller) %}{{ n() }}{% endmacro %}{% macro n() %}{{ m() }}{% endmacro %}{{ n() }}",
    "macros of macros": (
        "{% set n = namespace(x=1) %}{% for i in range(3000) %}{% macro m(f=n.x) %}{{ f() }}{% endmacro %}"
        "{% set n.x = m %}{% endfor %}{{ n.x() }}"
    ),
    "a caller": (
        "{% macro m() %}{{ caller() }}{% endmacro %}{% macro n() %}{% call m() %}{{ n() }}{% endcall %}{% endmacro %}{{ n() }}"
    ),
    "a filter block": "{% macro m() %}{% filter upper %}{{ m() }}{% endfilter %}{% endmacro %}{{ m() }}",
    "a block set": "{% macro m() %}{% set x %}{{ m() }}{% endset %}{% endmacro %}{{ m() }}",
    "a loop": "{% for x in [[1]] recursive %}{{ loop([[1]]) }}{% endfor %}",
    "a block": "{% block a %}{{ self.a() }}{% endblock %}",
    "brackets": "{{ " + "(" * 30_000 + "1" + ")" * 30_000 + " }}",
    "lists": "{{ " + "[" * 30_000 + "]" * 30_000 + " }}",
    "dicts": "{{ " + "{'a':" * 10_000 + "1" + "}" * 10_000 + " }}",
    "lookups in lookups": "{{ x" + "[x" * 20_000 + "]" * 20_000 + " }}",
    "lookups after lookups": "{{ x" + ".a" * 30_000 + " }}",
    "calls": "{{ x" + "()" * 30_000 + " }}",
    "filters": "{{ x" + "|trim" * 15_000 + " }}",
    "negations": "{{ " + "not " * 20_000 + "1 }}",
    "signs": "{{ " + "-" * 30_000 + "1 }}",
    "sums": "{{ 1" + "+1" * 40_000 + " }}",
    "powers": "{{ 1" + "**1" * 30_000 + " }}",
    "conditions": "{{ 1" + " if 1 else 1" * 8_000 + " }}",
    "conjunctions": "{{ 1" + " and 1" * 15_000 + " }}",
    "loops": "{% for a in b %}" * 3_000 + "{% endfor %}" * 3_000,
    "macros": "{% macro a() %}" * 3_000 + "{% endmacro %}" * 3_000,
    "sets": "{% set x %}" * 3_000 + "{% endset %}" * 3_000,
}
IN_A_PROCESS = """
import json, resource, sys

sys.setrecursionlimit(10**6)  # as some programs do: Python's own limit does not help then
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
from fcregistry.dialects import ChatTemplate
from fcregistry.errors import ChatTemplateError

for source in json.load(sys.stdin):
    try:
        said = ChatTemplate(source).render([{"role": "user", "content": "Hi"}])
    except ChatTemplateError as error:
        said = str(error)
    print(said, flush=True)
"""


def in_a_process(sources: list[str]) -> list[str]:
    """Render templates, one after the other, where memory is short and recursion is not limited; return what is said of each."""
    pytest.importorskip("resource", reason="limits memory as POSIX does")
    done = subprocess.run(
        [sys.executable, "-c", IN_A_PROCESS],
        input=json.dumps(sources),
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, (list(DEEP)[done.stdout.count("\n") :][:1], done.stderr[-500:])
    return done.stdout.splitlines()


def test_what_is_nested_too_deep_is_an_error_whatever_python_allows() -> None:
    said = dict(zip(DEEP, in_a_process(list(DEEP.values())), strict=True))
    assert {title: text for title, text in said.items() if "it is nested too deep" not in text} == {}


def test_huge_repetitions_take_no_memory() -> None:
    said = dict(zip(GREEDY, in_a_process(list(GREEDY.values())), strict=True))
    assert {title: text for title, text in said.items() if STOPPED not in text} == {}


@pytest.mark.parametrize("change", ["map('string')", "select", "unique"])
def test_nested_iterators_are_run_at_once(change: str) -> None:
    assert ChatTemplate(LAZY.replace("CHANGE", change)).render(HI).strip("[]'") == "a"


@pytest.mark.parametrize("source", ["{{ 1" + "<1" * 30_000 + " }}", "{{ 1" + "~1" * 40_000 + " }}"])
def test_a_template_with_more_parts_than_any_model_has_is_not_compiled(source: str) -> None:
    with pytest.raises(ChatTemplateError, match="cannot be read: it has more than 30000 parts"):
        ChatTemplate(source)


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ messages.append(1) }}",
        "{{ messages[0].update({'role': 'system'}) }}",
        "{{ 'a'.translate({97: 'b'}) }}",
        "{{ 'a'.encode() }}",
        "{{ (5).to_bytes(9, 'big') }}",
        "{{ ('<!-- -->' | safe).striptags() }}",
        "{{ ('a' | safe).translate({97: 'b'}) }}",
        "{{ lipsum() }}",
        "{% include 'secrets' %}",
        "{% import 'secrets' as s %}",
        "{{ '{0.__class__.__mro__}'.format('') }}",
    ],
)
def test_a_template_that_reaches_further_is_refused(source: str) -> None:
    with pytest.raises(ChatTemplateError, match="the chat template cannot be rendered: "):
        ChatTemplate(source).render(HI)


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''['__class__'] }}",
        "{{ raise_exception.__globals__ }}",
        "{{ self._TemplateReference__context }}",
        "{{ cycler.__init__ }}",
        "{{ ['']|map(attribute='__class__')|list }}",
        "{{ messages.__class__ }}",
    ],
)
def test_internals_of_python_cannot_be_reached(source: str) -> None:
    assert ChatTemplate(source).render(HI) in ("", "[Undefined]")


def test_a_namespace_is_shown_without_its_content() -> None:
    """It may hold itself, or one that holds it twice, and so on."""
    twice = "{% set n = namespace(x=1) %}{% set n.x = namespace(a=n.x, b=n.x) %}{{ n.x ~ [n.x] }}{{ n.x.a }}"
    assert ChatTemplate(twice).render(HI) == "<Namespace>[<Namespace>]1"
    with pytest.raises(ChatTemplateError, match="cannot be rendered: <Namespace>"):
        ChatTemplate("{% set n = namespace() %}{% set n.x = n %}{{ raise_exception(n) }}").render(HI)


def test_texts_that_are_marked_as_safe_have_the_methods_of_texts() -> None:
    assert ChatTemplate("{{ (' a<b ' | safe).strip().replace('a', 'c') }}").render(HI) == "c<b"


@pytest.mark.parametrize("name", ["attr", "random", "pprint", "urlize", "xmlattr"])
def test_filters_that_no_chat_needs_are_not_known(name: str) -> None:
    with pytest.raises(ChatTemplateError, match=f"cannot be read: No filter named '{name}'"):
        ChatTemplate(f"{{{{ messages | {name} }}}}")


def test_a_long_conversation_has_a_budget_to_match() -> None:
    """What counts is how much a template does beyond what it was given."""
    talk = [{"role": "user", "content": "a " * 200_000}, {"role": "assistant", "content": "b"}] * 20
    source = (
        "{% for m in messages %}{% if m.content != '' and '<think>' not in m.content %}"
        "{{ m.role + ': ' + m.content | trim + '\\n' }}{% endif %}{% endfor %}"
    )
    written = ChatTemplate(source).render(talk)
    assert len(written) > 8 * _meter._BASE / 1.1
    assert written.count("user: a a") == 20


def test_many_tools_and_messages_stay_within_the_budget() -> None:
    tools = [{"name": f"tool_{n}", "parameters": {"enum": [str(i) for i in range(50)]}} for n in range(200)]
    talk = [{"role": "user", "content": f"question {n}"} for n in range(2000)]
    source = (
        "{% for t in tools %}{{ t | tojson(indent=2) }}{% endfor %}"
        "{% for m in messages %}{% if m.role in ['user', 'tool'] and loop.index0 % 2 == 0 %}{{ m.content }}{% endif %}{% endfor %}"
    )
    assert ChatTemplate(source).render(talk, tools).endswith("question 1998")
