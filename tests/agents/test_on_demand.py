"""The gateways that are made of tools, and what they return."""

from __future__ import annotations

from typing import Any

import pytest

from fcregistry import Executor, FunctionCall, Registry, Tool
from fcregistry.agents import OnDemand, VisibleTools
from fcregistry.errors import DefinitionError, DuplicateToolError, GroupNotFoundError, ToolNotFoundError


def alpha(x: int = 0) -> str:
    """Do the first thing.

    With more to say.
    """
    return f"alpha {x}"


def beta() -> str:
    """Do the second thing."""
    return "beta"


def leaf() -> str:
    """Do the innermost thing."""
    return "leaf"


def plain() -> str:
    """Do a plain thing."""
    return "plain"


@pytest.fixture
def registry() -> Registry:
    made = Registry()
    made.register(alpha, group="grp")
    made.register(beta, group="grp")
    made.register(leaf, group="grp.inner")
    made.register(plain)
    return made


def called(executor: Executor, name: str, **arguments: Any) -> str:
    return executor.run({"name": name, "arguments": arguments}).content


# --- lazy groups ----------------------------------------------------------------------------------


def test_a_lazy_group_has_a_gateway_that_lists_its_tools(registry: Registry) -> None:
    on_demand = OnDemand("*", groups=["grp"], registry=registry)
    assert list(on_demand.gateways) == ["get_grp_methods"]
    assert list(on_demand.tools) == ["alpha", "beta", "leaf", "plain"]
    assert called(Executor(on_demand), "get_grp_methods") == (
        'Activated Toolkit "grp". These can be called from the next message on:\n'
        "- alpha: Do the first thing.\n"
        "- beta: Do the second thing.\n"
        "- leaf: Do the innermost thing."
    )


def test_a_lazy_group_in_another_has_a_gateway_of_its_own(registry: Registry) -> None:
    on_demand = OnDemand("*", groups=["grp", "grp.inner"], registry=registry)
    assert list(on_demand.gateways) == ["get_grp_inner_methods", "get_grp_methods"]
    executor = Executor(on_demand)
    assert called(executor, "get_grp_methods").splitlines()[1:] == [
        "- alpha: Do the first thing.",
        "- beta: Do the second thing.",
        "- get_grp_inner_methods: Show the tools of the group grp.inner, so that they can be called from the next message on.",
    ]
    assert called(executor, "get_grp_inner_methods").splitlines()[1:] == ["- leaf: Do the innermost thing."]


def test_groups_are_named_by_globs_too_and_those_above_are_there(registry: Registry) -> None:
    deep = Registry()
    deep.register(leaf, group="a.b.c")
    assert list(OnDemand("*", groups=["a"], registry=deep).gateways) == ["get_a_methods"]
    assert list(OnDemand("*", groups=["a*"], registry=deep).gateways) == [
        "get_a_b_c_methods",
        "get_a_b_methods",
        "get_a_methods",
    ]
    assert list(OnDemand("*", groups=["*"], registry=registry).gateways) == [
        "get_grp_inner_methods",
        "get_grp_methods",
        "get_tool_methods",
    ]


def test_a_group_that_no_tool_is_in_is_an_error(registry: Registry) -> None:
    with pytest.raises(GroupNotFoundError, match=r"none of the tools is in a group 'gpr'; did you mean 'grp'\?"):
        OnDemand("*", groups=["gpr"], registry=registry)
    with pytest.raises(TypeError, match=r"give groups as a list, as in groups=\['grp'\]"):
        OnDemand("*", groups="grp", registry=registry)
    with pytest.raises(TypeError, match="groups are given by names, or patterns of names, not 3"):
        OnDemand("*", groups=[3], registry=registry)  # type: ignore[list-item]


def test_a_group_whose_tools_are_hidden_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Registry()
    registry.register(alpha, group="grp", requires_env="ACME_KEY")
    executor = Executor(OnDemand("alpha", groups=["grp"], registry=registry))
    assert called(executor, "get_grp_methods") == 'Activated Toolkit "grp". None of its tools is available here.'
    monkeypatch.setenv("ACME_KEY", "x")
    assert "- alpha: " in called(executor, "get_grp_methods")


def test_a_hidden_tool_is_neither_found_nor_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Registry()
    registry.register(alpha, requires_env="ACME_KEY")
    executor = Executor(OnDemand("alpha", registry=registry))
    assert called(executor, "search_tools", query="alpha") == "[]"
    assert called(executor, "load_tools", names=["alpha"]).startswith("nothing was loaded")
    monkeypatch.setenv("ACME_KEY", "x")
    assert '"alpha"' in called(executor, "search_tools", query="alpha")
    assert called(executor, "load_tools", names=["alpha"]).startswith("alpha can be called")


# --- search and load ------------------------------------------------------------------------------


def test_without_groups_the_gateways_search_and_load(registry: Registry) -> None:
    on_demand = OnDemand("*", registry=registry)
    assert list(on_demand.gateways) == ["load_tools", "search_tools"]
    executor = Executor(on_demand)
    assert executor.call("search_tools", query="innermost thing", limit=1).value == [
        {"name": "leaf", "summary": "Do the innermost thing."}
    ]
    assert called(executor, "search_tools", query="🎉") == "[]"
    assert called(executor, "load_tools", names=["leaf", "beta", "leaf"]) == (
        "leaf, beta can be called from the next message on."
    )


def test_loading_says_which_names_there_are_not(registry: Registry) -> None:
    executor = Executor(OnDemand("*", registry=registry))
    assert called(executor, "load_tools", names=["leaf", "alhpa"]) == (
        "leaf can be called from the next message on.\nBut there is no tool 'alhpa'; did you mean 'alpha'?"
    )
    failed = executor.run({"name": "load_tools", "arguments": {"names": ["x"]}})
    assert failed.error is not None
    assert failed.content == "nothing was loaded: there is no tool 'x'"


@pytest.mark.parametrize(
    ("name", "arguments", "path"),
    [
        ("search_tools", {"query": "x", "limit": 51}, "$.limit"),
        ("search_tools", {"query": "x", "limit": 0}, "$.limit"),
        ("search_tools", {"query": None}, "$.query"),
        ("load_tools", {"names": []}, "$.names"),
        ("load_tools", {"names": ["x"] * 51}, "$.names"),
        ("get_grp_methods", {"x": 1}, "$.x"),
    ],
)
def test_a_gateway_takes_only_what_its_schema_says(
    registry: Registry, name: str, arguments: dict[str, Any], path: str
) -> None:
    result = Executor(OnDemand("*", groups=["grp"], search=True, registry=registry)).run(
        {"name": name, "arguments": arguments}
    )
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    assert [problem.path for problem in result.error.problems] == [path]


def test_nothing_beyond_the_given_tools_is_found_or_loaded(registry: Registry) -> None:
    executor = Executor(OnDemand(["grp.*"], registry=registry))
    assert called(executor, "search_tools", query="plain") == "[]"
    assert called(executor, "load_tools", names=["plain"]).startswith("nothing was loaded")


# --- beside others --------------------------------------------------------------------------------


def test_shown_tools_are_among_the_tools(registry: Registry) -> None:
    on_demand = OnDemand("grp.*", shown=["plain", beta], registry=registry)
    assert list(on_demand.tools) == ["alpha", "beta", "leaf", "plain"]
    assert list(VisibleTools(Executor(on_demand)).tools) == ["beta", "load_tools", "plain", "search_tools"]


def test_other_tools_of_the_executor_are_visible(registry: Registry) -> None:
    executor = Executor([OnDemand("grp.*", registry=registry), plain])
    assert list(VisibleTools(executor).tools) == ["load_tools", "plain", "search_tools"]


def test_a_tool_that_has_the_name_of_a_gateway_is_an_error(registry: Registry) -> None:
    registry.register(plain, "search_tools")
    with pytest.raises(
        DuplicateToolError,
        match=r"'search_tools' is search_tools \(.*\) and search_tools \(.*SearchGateway.*\)\. Leave",
    ):
        OnDemand("*", registry=registry)
    registry.register(leaf, "other", group="grp_inner")
    with pytest.raises(
        DuplicateToolError,
        match=r"'get_grp_inner_methods' is get_grp_inner_methods \(.*GroupGateway.*\) and get_grp_inner_methods",
    ):
        OnDemand("*", groups=["grp*"], registry=registry)


def test_unknown_tools_are_an_error_as_for_an_executor(registry: Registry) -> None:
    with pytest.raises(ToolNotFoundError, match="there is no tool 'nix'"):
        OnDemand("nix", registry=registry)


def test_an_executor_takes_one_and_all_of_it(registry: Registry) -> None:
    """What was filtered or renamed afterwards would be found, and could not be called."""
    groups = OnDemand("grp.*", groups=["grp"], registry=registry)
    with pytest.raises(DefinitionError, match="an executor takes one OnDemand"):
        FunctionCall(tools=[groups, OnDemand("plain", registry=registry)])
    left = [tool for tool in groups.values() if tool.name != "alpha"]
    with pytest.raises(
        DefinitionError, match="the executor lacks tools that the gateways of its OnDemand open: alpha;"
    ):
        VisibleTools(Executor(left))
    renamed = [tool.renamed(f"x_{tool.name}") for tool in groups.values()]
    with pytest.raises(DefinitionError, match="open: alpha, beta, leaf;"):
        VisibleTools(Executor(renamed))


def test_tools_are_renamed_before(registry: Registry) -> None:
    """A prefix keeps tools of one name apart; groups are those that they were registered in."""
    on_demand = OnDemand(registry.select("grp.*").prefixed("grp_"), groups=["grp"])
    executor = Executor(on_demand)
    visible = VisibleTools(executor)
    visible.run_all([{"name": "get_grp_methods"}])
    assert list(visible.tools) == ["grp_alpha", "grp_beta", "grp_leaf"]
    assert visible.run_all([{"name": "grp_alpha", "arguments": {"x": 3}}])[0].value == "alpha 3"


def test_gateways_are_described_as_tools_are(registry: Registry) -> None:
    for tool in OnDemand("*", groups=["grp"], search=True, registry=registry).gateways.values():
        assert isinstance(tool, Tool)
        assert tool.description
        assert tool.options.read_only
        for name in ("openai", "anthropic", "gemini", "bedrock"):
            tool.definition(name)


def test_it_shows_what_it_is(registry: Registry) -> None:
    assert repr(OnDemand("*", registry=registry)) == "<OnDemand 4 tools behind load_tools, search_tools>"
