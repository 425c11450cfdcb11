"""What FCREGISTRY_DISABLE takes away. Plugins, so that they are not imported, and tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Site

ASK = """
import fcregistry
from fcregistry import fc_register, registry

@fc_register
def own() -> str:
    return ""

report = fcregistry.load_plugins()
answer = [
    [tool.id for tool in registry.find()],
    sorted(name for name in sys.modules if name.endswith("_tools") and "fcregistry" not in name),
    {each.plugin.label: each.reason for each in report.disabled},
    report.ok,
]
"""


@pytest.fixture(scope="module")
def site(make_site: Callable[[], Site]) -> Site:
    """Two distributions, one of them with two plugins."""
    site = make_site()

    def module(*names: str) -> str:
        return "from fcregistry import fc_register\n" + "".join(
            f"@fc_register(tags=('tag_{name}',))\ndef {name}() -> str:\n    return ''\n" for name in names
        )

    site.install(
        "Acme_Maps",
        {"x": "acme_x_tools", "y": "acme_y_tools"},
        {"acme_x_tools.py": module("find", "route"), "acme_y_tools.py": module("zoom")},
    )
    site.install("beta", {"x": "beta_tools"}, {"beta_tools.py": module("look")})
    return site


ALL = ["Acme_Maps:find", "beta:look", "own", "Acme_Maps:route", "Acme_Maps:zoom"]
EVERY_MODULE = ["acme_x_tools", "acme_y_tools", "beta_tools"]

CASES = {
    # value: (tools that are left, modules that are imported, plugins that are disabled)
    "": (ALL, EVERY_MODULE, []),
    " , ": (ALL, EVERY_MODULE, []),
    "acme-maps[x]": (["beta:look", "own", "Acme_Maps:zoom"], ["acme_y_tools", "beta_tools"], ["Acme_Maps[x]"]),
    "ACME.Maps[y],beta[x]": (
        ["Acme_Maps:find", "own", "Acme_Maps:route"],
        ["acme_x_tools"],
        ["Acme_Maps[y]", "beta[x]"],
    ),
    "acme-maps:*": (["beta:look", "own"], ["beta_tools"], ["Acme_Maps[x]", "Acme_Maps[y]"]),
    "acme-*:*": (["beta:look", "own"], ["beta_tools"], ["Acme_Maps[x]", "Acme_Maps[y]"]),
    "*": ([], [], ["Acme_Maps[x]", "Acme_Maps[y]", "beta[x]"]),
    "acme-maps:find": (ALL[1:], EVERY_MODULE, []),
    "find look": (["own", "Acme_Maps:route", "Acme_Maps:zoom"], EVERY_MODULE, []),
    "*o*": (["Acme_Maps:find"], EVERY_MODULE, []),
    "tag=tag_zoom": (ALL[:-1], EVERY_MODULE, []),
    "group=tool": ([], EVERY_MODULE, []),
    "acme-maps:*,!acme-maps:route": (["beta:look", "own", "Acme_Maps:route"], EVERY_MODULE, []),
    "acme-maps:*,!beta:look": (["beta:look", "own"], ["beta_tools"], ["Acme_Maps[x]", "Acme_Maps[y]"]),
    "!acme-maps:route,acme-maps:*": ([], [], ["Acme_Maps[x]", "Acme_Maps[y]", "beta[x]"]),
    "!beta:*": (["beta:look"], ["beta_tools"], ["Acme_Maps[x]", "Acme_Maps[y]"]),
    "!beta:*,!own": (["beta:look", "own"], EVERY_MODULE, []),
    "nothing-of-that-name:*": (ALL, EVERY_MODULE, []),
}


@pytest.mark.parametrize("value", CASES)
def test_disabled_tools_are_missing_and_a_disabled_plugin_is_not_imported(site: Site, value: str) -> None:
    """The grammar is that of selectors, and `distribution[entry point]` names one plugin; names compare normalised."""
    tools, modules, disabled = CASES[value]
    answer = site.ask(ASK, env={"FCREGISTRY_DISABLE": value})
    assert sorted(answer[0]) == sorted(tools)
    assert answer[1] == modules
    assert list(answer[2]) == disabled
    assert answer[3] is True


def test_the_reason_names_the_variable_and_what_it_says(site: Site) -> None:
    """For a plugin in the report, for a tool in the error of a lookup, and to whoever calls it."""
    value = "acme-maps[x] zoom"
    reasons = site.ask(ASK, env={"FCREGISTRY_DISABLE": value})[2]
    assert reasons == {"Acme_Maps[x]": "FCREGISTRY_DISABLE names Acme_Maps[x]"}
    called = site.cli("call", "zoom", env={"FCREGISTRY_DISABLE": value})
    assert called.returncode == 2
    assert called.stderr.startswith("Error: there is no tool 'zoom': FCREGISTRY_DISABLE names zoom")
    excepted = site.ask(ASK, env={"FCREGISTRY_DISABLE": "!beta:*,!own2,beta:nothing"})[2]
    assert set(excepted.values()) <= {"FCREGISTRY_DISABLE names everything but beta:*, own2"}


@pytest.mark.parametrize("value", ["colour=red", "acme:", ":find", "!!find", "find,group="])
def test_an_invalid_value_is_an_error_that_names_the_variable(site: Site, value: str) -> None:
    """A typing error must not silently leave something enabled."""
    listed = site.cli("list", env={"FCREGISTRY_DISABLE": value})
    assert (listed.returncode, listed.stdout) == (2, "")
    assert listed.stderr.startswith("Error: FCREGISTRY_DISABLE: ")
    assert "is not a selector" in listed.stderr


def test_the_variable_is_read_at_each_use(site: Site) -> None:
    """An application may set it after the import, and unset it again."""
    answer = site.ask(
        """
        import os
        from fcregistry import registry
        answer = []
        for value in ("", "acme-maps:*", "beta[x]", ""):
            os.environ["FCREGISTRY_DISABLE"] = value
            answer.append([tool.id for tool in registry.find()])
        """
    )
    everything = [each for each in ALL if each != "own"]
    assert answer == [everything, ["beta:look"], [each for each in everything if "beta" not in each], everything]
