"""Tools that are hidden when an executor or agent is made: they are bound, and offered as soon as they are available."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from fcregistry import Executor, FunctionCall, ReactAgent, Registry, ToolCall
from fcregistry.agents import OnDemand, VisibleTools
from fcregistry.errors import DuplicateToolError, ToolNotFoundError
from fcregistry.prompts import ToolPrompt
from tests.agents.scripts import Script, calls, says

if TYPE_CHECKING:
    from tests.conftest import Site


def route(start: str = "here") -> str:
    """Find a way."""
    return f"from {start}"


def place() -> str:
    """Find a place."""
    return "there"


class Switch:
    """Is on or off, and counts how often it was asked."""

    def __init__(self, on: bool = False) -> None:
        self.on = on
        self.asked = 0

    def is_on(self) -> bool:
        self.asked += 1
        return self.on


def registry_with(switch: Switch) -> Registry:
    registry = Registry()
    registry.register(route, group="maps", tags=("way",), available=switch.is_on)
    registry.register(place)
    return registry


def names(executor: Executor) -> list[str]:
    return [each["function"]["name"] for each in executor.describe()]


@pytest.mark.parametrize("selectors", ["*", "maps.*", "tag=way", "group=maps", "!place", ["*", "!place"]])
def test_a_pattern_binds_a_tool_that_is_hidden_when_the_executor_is_made(selectors: str | list[str]) -> None:
    switch = Switch()
    executor = Executor(selectors, registry=registry_with(switch))
    assert "route" in executor.tools
    assert "route" not in names(executor)
    result = executor.run(ToolCall("route"))
    assert result.error is not None
    message = "route is not available here: its check is_on returned False"
    assert (result.error.code, result.error.message) == ("unavailable", message)

    switch.on = True
    assert "route" in names(executor)
    assert executor.run(ToolCall("route")).value == "from here"
    switch.on = False
    assert "route" not in names(executor)


def test_a_group_binds_its_hidden_tools() -> None:
    registry = registry_with(Switch())
    assert list(Executor(registry["maps"]).tools) == ["route"]
    assert list(Executor([registry["maps"], registry["tool"]]).tools) == ["place", "route"]
    assert list(Executor(Registry()["tool"]).tools) == []


def test_a_variable_that_is_set_later_shows_the_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ACME_KEY", raising=False)
    registry = Registry()
    registry.register(route, requires_env="ACME_KEY")
    executor = Executor("*", registry=registry)
    assert names(executor) == []
    monkeypatch.setenv("ACME_KEY", "secret")
    assert names(executor) == ["route"]
    assert executor.run(ToolCall("route")).ok


def test_lists_and_selections_leave_hidden_tools_out() -> None:
    registry = registry_with(Switch())
    assert list(registry.select("*")) == [tool.name for tool in registry.find("*")] == ["place"]
    with pytest.raises(ToolNotFoundError, match=r"the selector 'maps\.\*' matches no tool"):
        registry.select("maps.*")


def test_each_round_of_a_run_offers_the_tools_that_are_available_then() -> None:
    switch = Switch()

    def toggle() -> str:
        """Turn the maps on or off."""
        switch.on = not switch.on
        return "done"

    registry = registry_with(switch)
    registry.register(toggle)
    script = [ToolCall("toggle", "{}", "1"), ToolCall("route", "{}", "2"), ToolCall("toggle", "{}", "3")]
    model = Script(*map(calls, [*script, ToolCall("route", "{}", "4")]), says("Done."))
    agent = ReactAgent(model, "*", registry=registry)
    switch.asked = 0
    result = agent.run("Where?")
    without, all_of_them = ["place", "toggle"], ["place", "route", "toggle"]
    assert model.offered == [without, all_of_them, all_of_them, without, without]
    assert [each.error and each.error.code for each in result.tool_results] == [None, None, None, "unavailable"]
    requests, calls_of_route = 5, 2
    assert switch.asked == requests + calls_of_route


@pytest.mark.parametrize("tools", ["*", OnDemand])
def test_an_expression_that_calls_a_tool_which_has_become_hidden_is_told_so(tools: Any) -> None:
    switch = Switch(on=True)

    def turn_off() -> str:
        """Turn the maps off."""
        switch.on = False
        return "done"

    registry = registry_with(switch)
    registry.register(turn_off)
    model = Script(says("turn_off()"), says("route()"), says("rout()"), says("Done."))
    offered = "*" if tools == "*" else OnDemand("*", shown="*", registry=registry)
    result = ReactAgent(model, offered, registry=registry, calls="expression").run("Where?")
    assert [each.error and each.error.code for each in result.tool_results] == [None, "unavailable"]
    told = [messages[-1].text for messages in model.heard]
    assert told[2].endswith("route: route is not available here: its check is_on returned False")
    assert "there is no tool 'rout'" in told[3]
    assert "route" not in told[3]
    assert "route" not in model.heard[2][0].text  # the instructions of the request after it was turned off


def test_errors_and_prompts_for_models_do_not_name_a_hidden_tool() -> None:
    switch = Switch()
    registry = registry_with(switch)
    executor = Executor("*", registry=registry)
    assert executor.run(ToolCall("rout")).content == "there is no tool 'rout'; the tools are place"
    assert "route" not in str(ToolPrompt("*", registry=registry))
    (found,) = VisibleTools(Executor(OnDemand("*", registry=registry))).run_all([_load("route")])
    assert found.content == "nothing was loaded: route is not available here"
    (found,) = VisibleTools(Executor(OnDemand("*", registry=registry))).run_all([_load("routes")])
    assert found.content == "nothing was loaded: there is no tool 'routes'"
    switch.on = True
    assert executor.run(ToolCall("rout")).content == "there is no tool 'rout'; did you mean 'route'?"
    assert "route" in str(ToolPrompt("*", registry=registry))


def test_a_template_in_jinja_does_not_name_a_hidden_tool() -> None:
    switch = Switch()
    registry = registry_with(switch)
    template = "{% for tool in tools %}{{ tool.name }};{% endfor %}"
    assert str(ToolPrompt("*", jinja=True, template=template, registry=registry)) == "place;"
    switch.on = True
    assert str(ToolPrompt("*", jinja=True, template=template, registry=registry)) == "place;route;"


def many_checked(number: int = 100) -> tuple[Registry, list[int]]:
    """Return a registry of many tools with a function that says whether each is available, and the threads that ran it."""
    registry, threads = Registry(), []

    def check() -> bool:
        threads.append(threading.get_ident())
        return True

    for at in range(number):
        registry.register(place, f"tool_{at:03}", available=check)
    return registry, threads


def test_an_unknown_name_asks_few_of_the_tools_whether_they_are_available() -> None:
    registry, threads = many_checked()
    executor = Executor("*", registry=registry)
    threads.clear()
    assert executor.run(ToolCall("tool_0042")).content == "there is no tool 'tool_0042'; did you mean 'tool_042'?"
    assert len(threads) == 1
    threads.clear()
    listed = ", ".join(f"tool_{at:03}" for at in range(20))
    assert executor.run(ToolCall("zzz")).content == f"there is no tool 'zzz'; the tools are {listed}, …"
    assert len(threads) == 20
    threads.clear()
    (result,) = executor.run_expressions("zzz()")
    assert f"there is no tool 'zzz'; the tools are {listed}, …" in result.content
    assert len(threads) == 20
    threads.clear()
    (found,) = VisibleTools(Executor(OnDemand("*", registry=registry))).run_all([_load("tool_0042")])
    assert found.content.startswith("nothing was loaded: there is no tool 'tool_0042'; did you mean 'tool_042'")


@pytest.mark.parametrize("arguments", [{}, 5])
def test_unknown_names_do_not_ask_on_the_event_loop(arguments: Any) -> None:
    registry, threads = many_checked()
    executor = Executor("*", registry=registry)
    threads.clear()
    unknown = [{"name": f"zzz{at}", "arguments": arguments} for at in range(5)]
    results = asyncio.run(executor.arun_all(unknown))
    assert [each.error and each.error.code for each in results] == ["unknown_tool"] * 5
    assert threads
    assert threading.get_ident() not in threads


def _load(name: str) -> dict[str, Any]:
    return {"name": "load_tools", "arguments": {"names": [name]}}


# --- Names that several tools have ----------------------------------------------------------------


def two_ways(first: Switch, second: Switch) -> Registry:
    """Return a registry in which two tools of different groups have one name."""
    registry = Registry()
    registry.register(route, group="old", available=first.is_on)
    registry.register(place, "route", group="new", available=second.is_on)
    return registry


@pytest.mark.parametrize(("first", "value"), [(True, "from here"), (False, "there")])
def test_a_hidden_tool_gives_way_to_an_available_one_of_its_name(first: bool, value: str) -> None:
    executor = Executor("*", registry=two_ways(Switch(first), Switch(not first)))
    assert executor.run(ToolCall("route")).value == value


@pytest.mark.parametrize("more", [["new.route"], [place]])
def test_a_hidden_tool_gives_way_to_one_that_is_named(more: list[Any]) -> None:
    registry = two_ways(Switch(), Switch())
    if more == [place]:
        more = [registry.get("new.route")]
    assert Executor(["*", *more], registry=registry).tools["route"].group == "new"
    assert OnDemand("*", shown=more, registry=registry).tools["route"].group == "new"


def test_of_hidden_tools_of_one_name_none_is_bound() -> None:
    assert list(Executor("*", registry=two_ways(Switch(), Switch())).tools) == []


def test_available_tools_of_one_name_are_refused_as_ever() -> None:
    with pytest.raises(DuplicateToolError, match="two tools have one name: 'route'"):
        Executor("*", registry=two_ways(Switch(True), Switch(True)))


def test_in_expressions_a_hidden_tool_gives_way_to_an_available_one_of_its_alias() -> None:
    first, second = Switch(), Switch(on=True)
    registry = Registry()
    registry.register(route, aliases=["go"], available=first.is_on)
    registry.register(place, aliases=["go"], available=second.is_on)

    def outcome() -> Any:
        (result,) = Executor("*", registry=registry).run_expressions("go()")
        return result.value if result.error is None else result.error.code

    assert outcome() == "there"
    first.on, second.on = True, False
    assert outcome() == "from here"
    second.on = True
    assert outcome() == "unknown_tool"  # it means both


def test_in_expressions_the_alias_of_one_hidden_tool_names_it() -> None:
    registry = Registry()
    registry.register(route, aliases=["go"], available=Switch().is_on)
    (result,) = Executor("*", registry=registry).run_expressions("go()")
    assert result.error is not None
    assert (result.error.code, result.error.message.partition(":")[0]) == (
        "unavailable",
        "route is not available here",
    )


# --- Tools of plugins -----------------------------------------------------------------------------

MAPS = """
from fcregistry import fc_register

@fc_register("maps", requires_env="MAPS_KEY")
def find_route() -> str:
    "Find a way."
    return "route"
"""
OTHER = 'from fcregistry import fc_register\n@fc_register\ndef {name}() -> str:\n    "Do it."\n    return ""\n'


def test_a_plugin_s_hidden_tools_are_bound_and_failed_and_denied_plugins_are_not(site: Site) -> None:
    site.install("acme-maps", {"maps": "acme_maps"}, {"acme_maps.py": MAPS})
    site.install("acme-bad", {"bad": "acme_bad"}, {"acme_bad.py": OTHER.format(name="bad") + "1 / 0\n"})
    site.install("acme-denied", {"denied": "acme_denied"}, {"acme_denied.py": OTHER.format(name="denied")})
    code = """
    import os
    from fcregistry import Executor
    executor = Executor("*")
    def seen():
        result = executor.call("find_route")
        described = [each["function"]["name"] for each in executor.describe()]
        return [described, result.value if result.ok else result.error.code]
    answer = [list(executor.tools), seen()]
    os.environ["MAPS_KEY"] = "secret"
    answer += [seen()]
    """
    for _ in ("imported", "described by the index"):
        answer = site.ask(code, env={"FCREGISTRY_DENY": "acme-denied:*"})
        assert answer == [["find_route"], [[], "unavailable"], [["find_route"], "route"]]


def test_the_application_s_hidden_tool_comes_before_a_plugin_s_hidden_tool(site: Site) -> None:
    site.install("acme-maps", {"maps": "acme_maps"}, {"acme_maps.py": MAPS})
    code = """
    from fcregistry import Executor, fc_register
    @fc_register(requires_env="OWN_KEY")
    def find_route() -> str:
        "Find a way."
        return "own"
    answer = [Executor("*").tools["find_route"].id]
    """
    assert site.ask(code) == ["find_route"]
    assert site.ask(code, env={"MAPS_KEY": "x"}) == ["acme-maps:maps.find_route"]


@pytest.mark.parametrize("make", [FunctionCall, ReactAgent])
def test_an_agent_is_made_although_all_of_its_tools_are_hidden(make: Callable[..., Any]) -> None:
    switch, model = Switch(), Script(says("Done."))
    agent = make(model, "maps.*", registry=registry_with(switch))
    agent("Where?")
    switch.on = True
    agent("Where?")
    assert model.offered == [[], ["route"]]
