"""The hooks that an extension may implement. Each has a test here, named after it, and a row on the page of plugins."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pluggy
import pytest

import fcregistry
from fcregistry.discovery import _hookspecs  # every hook specification is compared with its page

if TYPE_CHECKING:
    from tests.conftest import Site

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "plugins.md"
HOOKS = _hookspecs.hook_names()


def test_the_hooks_are_specs_of_pluggy() -> None:
    """The list that messages and tests go by misses none."""
    manager = pluggy.PluginManager(_hookspecs.PROJECT)
    manager.add_hookspecs(_hookspecs)
    assert tuple(sorted(vars(manager.hook))) == HOOKS
    assert HOOKS


@pytest.mark.parametrize("hook", HOOKS)
def test_each_hook_has_a_name_a_docstring_and_a_test(hook: str) -> None:
    """A hook that nothing needs, or that nobody described, does not get in."""
    assert hook.startswith("fc_")
    assert inspect.getdoc(getattr(_hookspecs, hook))
    assert [name for name in globals() if name.startswith(f"test_hook_{hook}")]


@pytest.mark.parametrize("hook", HOOKS)
def test_each_hook_has_a_row_on_the_page_of_plugins_with_its_arguments(hook: str) -> None:
    arguments = ", ".join(inspect.signature(getattr(_hookspecs, hook)).parameters)
    rows = re.findall(r"^\| `(fc_[^`]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows.count(f"{hook}({arguments})") == 1


def test_the_page_of_plugins_has_no_other_hooks() -> None:
    rows = re.findall(r"^\| `(fc_\w+)\(", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert tuple(sorted(rows)) == HOOKS


def test_an_implementation_is_marked_and_stays_what_it_is() -> None:
    """`hookimpl` is pluggy's marker of our project: the function can be called and tested."""

    @fcregistry.hookimpl
    def fc_register_types(types: list[int]) -> None:
        types.append(1)

    types: list[int] = []
    fc_register_types(types)
    assert types == [1]
    assert fcregistry.hookimpl.project_name == "fcregistry"


def test_hook_fc_register_types_is_given_a_collector_of_families(site: Site) -> None:
    """It is called for the one module that its entry point is named after, and what it adds is asked in that order."""
    code = """
from fcregistry import hookimpl
from fcregistry.types import Codec, TypeReader

class Text(Codec):
    kinds = frozenset({"string"})

    def __init__(self, letter):
        self.letter = letter

    def schema(self, writer):
        return {"type": "string", "pattern": f"^{self.letter}"}

def first(annotation, reader):
    assert isinstance(reader, TypeReader)
    return Text("a") if annotation.__name__ == "A" else None

def second(annotation, reader):
    return Text("z")

@hookimpl
def fc_register_types(types):
    types.add(first)
    types.add(second)
    print(type(types).__name__, [each.__name__ for each in types])
"""
    site.install("letters", files={"letters.py": "class A: ...\nclass B: ...\n"})
    site.install(
        "acme",
        {"letters": "acme_letters", "others": "acme_others"},
        {"acme_letters.py": code},
        group="fcregistry.extensions",
    )
    done = site.run(
        "-c",
        "import sys, letters\nfrom fcregistry.types import schema_of\n"
        "print(schema_of(letters.A)['pattern'], schema_of(letters.B)['pattern'], 'acme_others' in sys.modules)",
    )
    assert (done.stdout, done.stderr) == ("^a ^z False\n", "TypeFamilies ['first', 'second']\n")


def test_hook_fc_resolve_model_gets_the_name_after_the_prefix(site: Site) -> None:
    """It is called for the prefix that its entry point is named after, each time, and no other extension is loaded."""
    code = """
from fcregistry import hookimpl
from fcregistry.models import CallableModel

@hookimpl
def fc_resolve_model(name):
    print(f"asked for {name}")
    return CallableModel(lambda messages: name.upper()) if name != "nothing" else None
"""
    site.install(
        "acme",
        {"loud": "acme_loud", "others": "acme_others"},
        {"acme_loud.py": code},
        group="fcregistry.extensions",
    )
    done = site.run(
        "-c",
        """
import sys
from fcregistry.errors import ModelNotFoundError
from fcregistry.models import resolve

for name in ("loud:a", "loud:b:c", "loud:a"):
    print(resolve(name).complete("?").message.content)
try:
    resolve("loud:nothing")
except ModelNotFoundError as error:
    print(error, "acme_others" in sys.modules)
""",
    )
    told = [
        *("asked for a", "A", "asked for b:c", "B:C", "asked for a", "A", "asked for nothing"),
        "the extension acme[loud] has no model 'nothing'; its documentation says which it has False",
    ]
    assert (done.stdout.splitlines(), done.stderr) == (told, "")


CALLS = """
from fcregistry import Executor, ToolCall

def greet(name: str, loud: bool = False) -> str:
    return f"Hello {name}"

"""


def test_hook_fc_before_call_is_given_the_tool_and_the_call(site: Site) -> None:
    """It is asked of calls that are valid, may change arguments, which are validated in their turn, and may deny the call."""
    code = """
from fcregistry import Tool, ToolCall, hookimpl
from fcregistry.execution import Deny

@hookimpl
def fc_before_call(tool, call):
    assert isinstance(tool, Tool) and isinstance(call, ToolCall)
    print(tool.name, call.name, call.arguments, call.id)
    answers = {"Ann": ToolCall(call.name, {"name": "Bob"}), "Bob": None, "Eve": Deny("Eve is out")}
    return answers.get(call.arguments["name"], ToolCall(call.name, {"name": 1}))
"""
    site.install("acme", {"guard": "acme_guard"}, {"acme_guard.py": code}, group="fcregistry.extensions")
    done = site.run(
        "-c",
        CALLS
        + """
executor = Executor([greet], hooks=["guard"])
for name in ("Ann", "Bob", "Eve", "Pat", 5):
    result = executor.run(ToolCall("greet", {"name": name}, name))
    print(result.content if result.ok or "Eve" in result.content else result.error.problems)
""",
    )
    told = [
        "greet greet {'name': 'Ann'} Ann",
        "Hello Bob",
        "greet greet {'name': 'Bob'} Bob",
        "Hello Bob",
        "greet greet {'name': 'Eve'} Eve",
        "the call of greet was denied; it was not run: Eve is out",
        "greet greet {'name': 'Pat'} Pat",
        "(Problem(path='$.name', message='must be a string, not 1'),)",
        "(Problem(path='$.name', message='must be a string, not 5'),)",
    ]
    assert (done.stdout.splitlines(), done.stderr) == (told, "")


def test_hook_fc_after_call_gets_the_result_of_the_call(site: Site) -> None:
    """Of every call that the hooks before it saw: also of one that was denied, or that failed."""
    code = """
from fcregistry import Tool, ToolCall, ToolResult, hookimpl
from fcregistry.execution import Deny

@hookimpl
def fc_before_call(call):
    return Deny() if call.arguments["name"] == "Eve" else None

@hookimpl
def fc_after_call(tool, call, result):
    assert isinstance(tool, Tool) and isinstance(call, ToolCall) and isinstance(result, ToolResult)
    print(tool.name, call.arguments, "ok" if result.ok else result.error.code)
    if result.ok:
        return Deny("not today") if call.arguments["name"] == "Ann" else result.with_content("Hello …")
"""
    site.install("acme", {"guard": "acme_guard"}, {"acme_guard.py": code}, group="fcregistry.extensions")
    done = site.run(
        "-c",
        CALLS
        + """
executor = Executor([greet], hooks=["guard"])
for name in ("Ann", "Bob", "Eve", 5):
    print(executor.run(ToolCall("greet", {"name": name}, name)).content)
""",
    )
    told = [
        "greet {'name': 'Ann'} ok",
        "greet ran, but its result is withheld: not today",
        "greet {'name': 'Bob'} ok",
        "Hello …",
        "greet {'name': 'Eve'} denied",
        "the call of greet was denied; it was not run",
        "the arguments of greet are not valid; it was not run:",
        "- $.name: must be a string, not 5",
    ]
    assert (done.stdout.splitlines(), done.stderr) == (told, "")
