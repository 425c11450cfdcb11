"""What an entry point may name beside a module, and the errors for anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Site

MODULE = """
from typing import NamedTuple

from fcregistry import Registry, Tool, fc_register

def plain(a: int) -> int:
    "Plain."
    return a

def other(a: int) -> int:
    "Other."
    return a

@fc_register("deco", tags=("marked",))
def decorated(a: int) -> int:
    "Decorated."
    return a

TOOL = Tool.from_function(plain, name="made", tags=("mine",))
LIST = [plain, Tool.from_function(other, name="renamed"), [other]]
TUPLE = (plain,)
own = Registry()
own.register(plain)
own.register(other)
TOOLSET = own.select()
RENAMED = [Tool.from_function(decorated, name="second_name")]
EMPTY = []
TWICE = [plain, Tool.from_function(other, name="plain")]
NUMBER = 5
TEXT = "plain"
NOTHING = None
UNNAMED = lambda a: a
LISTED_NUMBER = [plain, 7]
EXTERNAL = [type("Tool", (), {"__module__": "llm.models"})()]

class Anything:
    def __call__(self, *args, **kwargs):
        return args

class Pair(NamedTuple):
    first: object

UNDESCRIBED = Anything()
PAIR = Pair(plain)

class Things:
    @staticmethod
    def inside(a: int) -> int:
        "Inside."
        return a
"""

TOOLS = """
from fcregistry import load_plugins, registry
report = load_plugins()
report.raise_failures()
answer = [[tool.id, tool.origin.entry_point, list(tool.options.tags)] for tool in registry.everything()]
"""

SHIPS = {
    "plain": [["acme:plain", "x", []]],
    "Things.inside": [["acme:inside", "x", []]],
    "TOOL": [["acme:made", "x", ["mine"]]],
    "LIST": [["acme:other", "x", []], ["acme:plain", "x", []], ["acme:renamed", "x", []]],
    "TUPLE": [["acme:plain", "x", []]],
    "TOOLSET": [["acme:other", "x", []], ["acme:plain", "x", []]],
    "RENAMED": [["acme:second_name", "x", []]],
    "decorated": [],
    "EMPTY": [],
}
"""What the entry point names -> the tools it ships, beside the decorated one, which the module ships anyway."""


@pytest.mark.parametrize("attribute", SHIPS)
def test_an_entry_point_may_name_functions_and_tools(site: Site, attribute: str) -> None:
    """A function, a Tool, a Toolset, or a list of these; what is decorated as well is registered once, as decorated."""
    site.install("acme", {"x": f"acme_tools:{attribute}"}, {"acme_tools.py": MODULE})
    assert site.ask(TOOLS) == sorted([["acme:deco.decorated", "x", ["marked"]], *SHIPS[attribute]])


REFUSED = {
    "NUMBER": "PluginError: acme[x]: NUMBER is of the kind int; an entry point names a module, a function, a Tool, or a list of these",
    "TEXT": "PluginError: acme[x]: TEXT is of the kind str; an entry point names",
    "NOTHING": "PluginError: acme[x]: NOTHING is of the kind NoneType; an entry point names",
    "Things": "PluginError: acme[x]: Things is of the kind class; an entry point names",
    "LISTED_NUMBER": "PluginError: acme[x]: LISTED_NUMBER[1] is of the kind int; an entry point names",
    "EXTERNAL": "PluginError: acme[x]: EXTERNAL[0]: Tool is a tool of llm, not a function: give the function that it was made of",
    "UNDESCRIBED": "PluginError: acme[x]: UNDESCRIBED: <acme_tools.Anything object> cannot be a tool: it is an Anything, whose __call__",
    "PAIR": "PluginError: acme[x]: PAIR is of the kind Pair; an entry point names",
    "UNNAMED": "PluginError: acme[x]: UNNAMED cannot be a tool: '<lambda>' is not a tool name",
    "missing": "PluginError: acme[x] names acme_tools:missing, and there is no 'missing' in acme_tools",
    "Things.missing": "PluginError: acme[x] names acme_tools:Things.missing, and there is no 'missing' in acme_tools",
    "TWICE": "DuplicateToolError: tool.plain is registered already by acme_tools.plain",
}


@pytest.fixture(scope="module")
def refused(make_site: Callable[[], Site]) -> dict[str, str]:
    """The reason of each plugin that names something else."""
    reasons = {}
    for attribute in REFUSED:
        site = make_site()
        site.install("acme", {"x": f"acme_tools:{attribute}"}, {"acme_tools.py": MODULE})
        reasons[attribute] = site.ask(
            "from fcregistry import load_plugins\nanswer = [each.reason for each in load_plugins().failed]"
        )
    return reasons


@pytest.mark.parametrize("attribute", REFUSED)
def test_an_object_that_is_not_a_tool_fails_the_plugin_and_the_error_says_what_it_is(
    refused: dict[str, str], attribute: str
) -> None:
    """The plugin, the place in it, what stands there, and what may stand there."""
    (reason,) = refused[attribute]
    assert reason.startswith(REFUSED[attribute])


def test_a_module_behind_a_colon_is_named_without_one(site: Site) -> None:
    """The message has what to write instead."""
    site.install(
        "acme", {"x": "acme_pkg:tools"}, {"acme_pkg/__init__.py": "from acme_pkg import tools", "acme_pkg/tools.py": ""}
    )
    answer = site.ask("from fcregistry import load_plugins\nanswer = [each.reason for each in load_plugins().failed]")
    assert answer == ["PluginError: acme[x]: tools is a module; its entry point names it as 'acme_pkg.tools'"]


def test_a_decorated_function_that_an_entry_point_names_belongs_to_the_plugin_whatever_its_module(site: Site) -> None:
    """The module that declares it lies beside the entry point's, which alone would make it the application's."""
    site.install(
        "acme",
        {"x": "acme_pkg.plugin:TOOLS"},
        {
            "acme_pkg/plugin.py": "from acme_pkg.impl import add\nTOOLS = [add]",
            "acme_pkg/impl.py": "from fcregistry import fc_register\n\n@fc_register\ndef add(a: int) -> int:\n    return a\n",
        },
    )
    assert site.ask(TOOLS) == [["acme:add", "x", []]]


def test_another_plugins_function_stays_that_plugins(site: Site) -> None:
    """Naming it in an entry point takes nothing away from the plugin that declares it."""
    site.install(
        "owner",
        {"x": "owner_tools"},
        {
            "owner_tools.py": "from fcregistry import fc_register\n\n@fc_register\ndef add(a: int) -> int:\n    return a\n"
        },
    )
    site.install(
        "borrower", {"x": "borrower_tools:TOOLS"}, {"borrower_tools.py": "from owner_tools import add\nTOOLS = [add]"}
    )
    assert site.ask(TOOLS) == [["owner:add", "x", []]]


def test_a_listed_tool_keeps_the_local_types_it_was_declared_with(site: Site) -> None:
    """A string annotation that names a local of the function that made the tool; under a second name too."""
    site.install(
        "acme",
        {"x": "acme_tools:TOOLS"},
        {
            "acme_tools.py": """
                from __future__ import annotations
                from fcregistry import fc_register, registry

                def make():
                    from typing import Literal
                    Unit = Literal["c", "f"]

                    @fc_register
                    def add(unit: Unit) -> str:
                        return unit

                make()
                TOOLS = [registry.get("add").renamed("second")]
            """
        },
    )
    answer = site.ask(
        """
        from fcregistry import registry
        answer = [registry.get(name).parameters["properties"]["unit"]["enum"] for name in ("add", "second")]
        """
    )
    assert answer == [["c", "f"], ["c", "f"]]
