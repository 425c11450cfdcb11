"""Views of tools with another description: the same tool to policies, locks and the index."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from fcregistry import Executor, Registry, Tool
from fcregistry._tools.declaration import Declaration
from fcregistry._tools.indexed import record_of
from fcregistry._tools.search import search_tools
from fcregistry.agents import OnDemand, VisibleTools
from fcregistry.errors import DefinitionError, DuplicateToolError
from fcregistry.execution import Policy, Toolset
from fcregistry.prompts import ToolPrompt
from tests.discovery.index.logged import imported, install, tool

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site


def add(a: int, b: int = 1) -> int:
    """Add two numbers.

    In decimal.
    """
    return a + b


def subtract(a: int, b: int = 1) -> int:
    """Subtract one number from another."""
    return a - b


@dataclass
class Owner:
    distribution: str = "acme"
    project: str = "acme"
    version: str = "1.0"
    entry_point: str = "sums"


OPTIONS: dict[str, Any] = {"tags": ("sums",), "read_only": True, "aliases": ("plus",), "title": "Add"}
PLUGINS = Tool(Declaration(add, "add", "sums", __name__, OPTIONS), Owner())


@pytest.fixture
def tools() -> Toolset:
    return Toolset([PLUGINS, Tool.from_function(subtract)])


def test_a_view_changes_the_description_and_nothing_else() -> None:
    view = PLUGINS.described("Use this for sums.\n\nNot for strings.")
    assert (view.description, view.summary) == ("Use this for sums.\n\nNot for strings.", "Use this for sums.")
    assert (PLUGINS.description, PLUGINS.summary) == ("Add two numbers.\n\nIn decimal.", "Add two numbers.")
    same = ("id", "name", "declared_name", "group", "title", "options", "origin", "parameters", "returns", "function")
    for attribute in (*same, "signature", "schema_digest", "provenance", "definition_error", "missing_env"):
        assert getattr(view, attribute) == getattr(PLUGINS, attribute), attribute
    assert view.definition("openai")["function"]["description"] == view.description
    assert PLUGINS.definition("openai")["function"]["description"] == PLUGINS.description
    assert Executor([view]).call("add", a=2).value == 3


def test_views_of_views_keep_name_and_description() -> None:
    for view in (PLUGINS.described("Sums.").renamed("total"), PLUGINS.renamed("total").described("Sums.")):
        assert (view.name, view.description, view.id) == ("total", "Sums.", "acme:sums.add")
    assert PLUGINS.described("Sums.").described("Totals.").description == "Totals."
    assert PLUGINS.described("").description == ""


def test_a_view_is_shown_with_its_description() -> None:
    assert repr(PLUGINS.described("Sums.\n\nOnly.")) == "<Tool acme:sums.add, described as 'Sums.'>"
    assert repr(PLUGINS.renamed("total").described("x" * 99)).endswith(f"as total, described as '{'x' * 59}…'>")
    assert repr(PLUGINS) == "<Tool acme:sums.add>"


@pytest.mark.parametrize("text", [None, 5, b"Sums.", ["Sums."]])
def test_a_description_is_a_string(tools: Toolset, text: Any) -> None:
    with pytest.raises(DefinitionError, match=r"add cannot be described: a description is a string, not "):
        tools.described({"add": text})


def test_a_view_cannot_be_changed() -> None:
    view = PLUGINS.described("Sums.")
    with pytest.raises(AttributeError):
        view.description = "Totals."  # type: ignore[misc]
    assert copy.copy(view) is copy.deepcopy(view) is view


def test_a_toolset_is_described_by_wire_name(tools: Toolset) -> None:
    view = tools.renamed({"add": "total"}).described({"total": "Sums."})
    assert {name: each.description for name, each in view.items()} == {
        "subtract": "Subtract one number from another.",
        "total": "Sums.",
    }
    assert tools["add"].description == "Add two numbers.\n\nIn decimal."
    assert view["subtract"] is tools["subtract"]
    assert view.prefixed("my_")["my_total"].description == "Sums."
    assert view.filtered(lambda each: each.description == "Sums.")["total"] is view["total"]


def test_an_unknown_name_is_refused_with_the_nearest(tools: Toolset) -> None:
    with pytest.raises(KeyError) as caught:
        tools.described({"ad": "Sums.", "zzz": "Nothing."})
    assert caught.value.args[0] == "no tool ad, zzz to describe; did you mean add? there are add, subtract"
    with pytest.raises(KeyError, match=r"no tool ad to rename; did you mean add\? there are add, subtract"):
        tools.renamed({"ad": "total"})
    many = Toolset(Tool.from_function(add, name=f"add_{number:03}") for number in range(100))
    with pytest.raises(KeyError, match=r"no tool zzz to describe; there are add_000, .*, add_019, …'"):
        many.described({"zzz": "Nothing."})


def test_one_tool_with_two_descriptions_is_not_two_tools_of_one_name() -> None:
    with pytest.raises(DuplicateToolError, match=r"'add' is acme:sums\.add \(.*\) with two descriptions"):
        Executor([PLUGINS, PLUGINS.described("Sums.")])
    assert list(Toolset([PLUGINS.described("Sums."), PLUGINS.described("Sums.")])) == ["add"]
    assert list(Toolset([PLUGINS, PLUGINS.described("Sums.").renamed("total")])) == ["add", "total"]


@pytest.mark.parametrize("selector", ["acme:*", "acme:sums.add", "tag=sums", "group=sums", "read_only=true", "plus"])
def test_policies_see_the_tool_itself(selector: str) -> None:
    policy = Policy(deny=[selector], must_match=False)

    def verdict(given: Tool) -> str | None:
        error = Executor([given], policy=policy).call(given.name, a=1).error
        return error and error.code

    assert verdict(PLUGINS.described("Sums.")) == verdict(PLUGINS.renamed("total").described("Sums.")) == "denied"
    assert verdict(Tool.from_function(PLUGINS.function, description="Sums.")) is None  # the application's own


@pytest.mark.parametrize("setting", ['deny = ["acme:*"]', 'ask = ["tag=sums"]'])
def test_the_operators_configuration_sees_the_tool_itself(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, setting: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").touch()
    (tmp_path / "fcregistry.toml").write_text(setting)
    error = Executor([PLUGINS.described("Sums.")]).call("add", a=1).error
    assert error is not None
    assert error.code == ("denied" if setting.startswith("deny") else "approval_required")


def test_a_lock_applies_to_a_view_as_to_the_tool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The view runs while its plugin ships the locked tool, and not if the tool changes, even in its description only."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").touch()
    (tmp_path / "fcregistry.toml").write_text('mode = "locked"')

    def code(shipped: Tool) -> str | None:
        error = Executor([shipped.described("Sums.")]).call("add", a=1).error
        return error and error.code

    pin = {"group": "sums", "name": "add", "digest": record_of(PLUGINS)["digest"]}
    pins = {"acme": {"version": "1.0", "files": "", "tools": [pin]}}
    (tmp_path / "fcregistry.lock").write_text(json.dumps({"fcregistry_lock": 1, "distributions": pins}))
    assert code(PLUGINS) is None
    for changed in ({**OPTIONS, "description": "Sums."}, {**OPTIONS, "read_only": False}):
        assert code(Tool(Declaration(add, "add", "sums", __name__, changed), Owner())) == "denied"


def test_a_view_can_be_pickled() -> None:
    own = Registry()
    own.register(add)
    for view in (Tool.from_function(add).described("Sums.").renamed("total"), own.get("add").described("Sums.")):
        came = pickle.loads(pickle.dumps(view))
        assert (came.name, came.description, came.declared_name) == (view.name, "Sums.", "add")
        assert Executor([came]).call(came.name, a=1).value == 2


def test_models_prompts_and_search_read_the_views_description(tools: Toolset) -> None:
    view = tools.described({"add": "Reckon a grand total of invoices."})
    assert "Reckon a grand total" in str(ToolPrompt(view))
    assert [each.name for each in search_tools(view.values(), "invoices")] == ["add"]
    assert search_tools(tools.values(), "invoices") == ()
    assert str(Executor(view).describe("anthropic")).count("Reckon a grand total") == 1


def test_gateways_use_the_descriptions_of_their_tools_and_cannot_be_described_themselves() -> None:
    other = Toolset([PLUGINS]).described({"add": "Sums."})
    gateways = OnDemand(other, groups=["sums"])
    assert Executor(gateways).tools["add"].description == "Sums."
    VisibleTools(Executor(gateways))
    with pytest.raises(DefinitionError, match="rename, describe and filter tools before OnDemand is made of them"):
        VisibleTools(Executor(gateways.described({"add": "Totals."})))


# Of plugins that are described and not imported


def test_describing_imports_nothing_and_calling_one_plugin(site: Site) -> None:
    install(site, "acme")
    install(site, "other")
    site.cli("list")
    imported(site)
    answer = site.ask("""
        import pickle
        from fcregistry import Executor, registry
        from fcregistry.execution import Policy

        view = registry.select("acme:*", "other:*").described({"say_acme": "Say it."})
        told = view["say_acme"]
        facts = [told.description, told.summary, repr(told), told.id, told.origin.distribution, told.is_loaded]
        travelled = pickle.loads(pickle.dumps(told))
        facts += [travelled.description, travelled.id]
        before = [name for name in sys.modules if name.endswith("_tools") and "fcregistry" not in name]
        denied = Executor(view, policy=Policy(deny=["acme:*"])).call("say_acme").error.code
        answer = [facts, before, denied, Executor(view).call("say_acme").value, registry.get("say_acme").description]
    """)
    shown = "<Tool acme:say_acme, described as 'Say it.'>"
    facts = ["Say it.", "Say it.", shown, "acme:say_acme", "acme", False, "Say it.", "acme:say_acme"]
    assert answer == [facts, [], "denied", "say_acme", "Answer."]
    assert imported(site) == ["acme_tools"]


def test_a_view_of_a_tool_that_has_changed_since_its_description_is_not_run(site: Site) -> None:
    says = "import os\nTEXT = os.environ.get('ACME_TEXT', 'Answer.')\n"
    declared = "\n@fc_register(description=TEXT)\ndef say() -> str:\n    return 'said'\n"
    install(site, "acme", says + declared)
    site.cli("list")
    code = """
        from fcregistry import Executor, registry
        result = Executor(registry.select("say").described({"say": "Say it."})).call("say")
        answer = [result.value, result.error and [result.error.code, "schema_changed" in result.error.message]]
    """
    assert site.ask(code) == ["said", None]
    assert site.ask(code, env={"ACME_TEXT": "Say it."}) == [None, ["unavailable", True]]


def test_an_entry_point_may_name_a_view_under_another_name(site: Site) -> None:
    ships = "\nfrom fcregistry import registry\nTOOLS = [registry.get('{}').described('Say it.'){}]\n"
    install(site, "good", tool("say") + ships.format("say", ".renamed('tell')"))
    install(site, "bad", tool("shout") + ships.format("shout", ""))
    for name in ("good", "bad"):
        (points,) = site.folder.glob(f"{name}-*.dist-info/entry_points.txt")
        points.write_text(points.read_text().replace(f"{name}_tools", f"{name}_tools:TOOLS"))
    answer = site.ask("""
        from fcregistry import load_plugins, registry
        failed = [str(each.error) for each in load_plugins().failed]
        answer = [[each.id, each.description] for each in registry.find("good:*")], failed
    """)
    tools, failed = answer
    assert tools == [["good:say", "Answer."], ["good:tell", "Say it."]]
    assert len(failed) == 1
    assert (
        "bad[x]: shout is declared with a description of its own; say description=… where it is declared" in failed[0]
    )
