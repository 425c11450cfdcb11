"""Which calls a policy allows, asks about and denies, and the errors for names that match nothing."""

from __future__ import annotations

import asyncio
import pickle
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcregistry import Executor, Registry, Tool, ToolCall
from fcregistry.errors import AmbiguousToolError, SelectorError, ToolNotFoundError
from fcregistry.execution import Policy

if TYPE_CHECKING:
    from tests.conftest import Site


def named(name: str, **options: Any) -> Tool:
    """Return a tool of a name that returns it."""

    def tool() -> str:
        """Say who it is."""
        return name

    return Tool.from_function(tool, name=name, **options)


READ = named("read_file", read_only=True, tags=("files",))
WRITE = named("write_file", read_only=False, destructive=True, tags=("files",))
ASK = named("ask_web", open_world=True)
WIPE = named("wipe_disk", requires_approval=True, destructive=True)
TOOLS = [READ, WRITE, ASK, WIPE]
ALL = [tool.name for tool in TOOLS]


def verdicts(policy: Policy, tools: Sequence[Tool] = TOOLS) -> dict[str, str]:
    """Return the verdict of a policy about each tool, by name."""
    return {name: ruling.verdict for name, ruling in policy.rulings(tools).items()}


def policy_of(verdict: str, selectors: Any, must_match: bool = True) -> Policy:
    """Return a policy with one list."""
    given: dict[str, Any] = {verdict: selectors, "must_match": must_match}
    return Policy(**given)


# --- what it says ---------------------------------------------------------------------------------


@pytest.mark.parametrize("default", ["tool", "allow", "ask", "deny"])
def test_tools_that_no_selector_matches_have_the_default(default: Any) -> None:
    assert verdicts(Policy(default=default)) == dict.fromkeys(ALL, default)


@pytest.mark.parametrize(
    ("selectors", "names"),
    [
        (["read_file"], ["read_file"]),
        (["*_file"], ["read_file", "write_file"]),
        (["tag=files"], ["read_file", "write_file"]),
        (["group=tool"], ALL),
        (["read_only=true"], ["read_file"]),
        (["read_only=false"], ["write_file"]),
        (["read_only=unset"], ["ask_web", "wipe_disk"]),
        (["destructive=true"], ["write_file", "wipe_disk"]),
        (["open_world=true", "read_file"], ["read_file", "ask_web"]),
        (["*", "!*_file"], ["ask_web", "wipe_disk"]),
        (["!*_file"], ["ask_web", "wipe_disk"]),
        (["!read_only=true"], ["write_file", "ask_web", "wipe_disk"]),
        (["destructive=true", "!wipe_disk"], ["write_file"]),
        (["*_file", "!tag=files", "read_file"], ["read_file"]),
    ],
)
@pytest.mark.parametrize("verdict", ["allow", "ask", "deny"])
def test_selectors_are_read_as_everywhere(verdict: Any, selectors: list[str], names: list[str]) -> None:
    policy = policy_of(verdict, selectors)
    assert [name for name, said in verdicts(policy).items() if said == verdict] == names


ASSUMED = [
    # the hints of a tool, and whether a policy sees it as destructive and as open-world
    ({"assume_hints": "mcp"}, True, True),
    ({"assume_hints": "mcp", "read_only": True}, False, True),
    ({"assume_hints": "mcp", "read_only": False}, True, True),
    ({"assume_hints": "mcp", "destructive": False, "open_world": False}, False, False),
    ({"assume_hints": "mcp", "read_only": True, "destructive": True}, True, True),
    ({"assume_hints": "mcp-read-only"}, False, True),
    ({"assume_hints": "mcp-read-only", "destructive": True, "open_world": False}, True, False),
    ({}, None, None),
]


@pytest.mark.parametrize(("options", "destructive", "open_world"), ASSUMED)
def test_a_policy_assumes_the_hints_that_a_tool_lacks(
    options: dict[str, Any], destructive: bool | None, open_world: bool | None
) -> None:
    tool = Tool.from_function(len, parameters={"type": "object"}, **options)
    for view in (tool, tool.renamed("u").described("Other."), pickle.loads(pickle.dumps(tool))):
        for hint, value in (("destructive", destructive), ("open_world", open_world)):
            word = {True: "true", False: "false", None: "unset"}[value]
            for each in ("true", "false", "unset"):
                expected = "deny" if each == word else "tool"
                assert verdicts(Policy(deny=[f"{hint}={each}"]), [view]) == {view.name: expected}
        assert verdicts(Policy(deny=["read_only=true"]), [view])[view.name] == (
            "deny" if options.get("read_only") else "tool"
        )


def test_selecting_goes_by_what_is_written() -> None:
    shelf = Registry()
    shelf.register(lambda: None, "silent", description="Say nothing.", assume_hints="mcp")
    assert list(shelf.select("destructive=unset", "open_world=unset")) == ["silent"]
    with pytest.raises(ToolNotFoundError):
        shelf.find("destructive=true")


def test_a_tool_that_is_registered_again_keeps_what_is_assumed() -> None:
    shelf = Registry()
    shelf.register(named("silent", assume_hints="mcp"))
    assert verdicts(Policy(deny=["destructive=true"]), [shelf.get("silent")]) == {"silent": "deny"}


def test_deny_overrides_ask_and_ask_overrides_allow() -> None:
    policy = Policy(allow=["*"], ask=["*_file"], deny=["write_file"], default="deny")
    assert verdicts(policy) == {"read_file": "ask", "write_file": "deny", "ask_web": "allow", "wipe_disk": "allow"}


RULES = ["*", "*_file", "tag=files", "destructive=true", "read_only=unset", "wipe_disk", "!read_file", "!*"]


@given(
    st.lists(st.sampled_from(RULES), max_size=3),
    st.lists(st.sampled_from(RULES), max_size=3),
    st.lists(st.sampled_from(RULES), max_size=3),
    st.sampled_from(["tool", "allow", "ask", "deny"]),
)
def test_every_verdict_is_the_strictest_that_some_list_gives(
    allow: list[str], ask: list[str], deny: list[str], default: Any
) -> None:
    """Each list alone shows which tools it names; together, deny overrides ask, ask overrides allow, and all override the default."""

    def names(selectors: list[str]) -> set[str]:
        alone = verdicts(Policy(ask=selectors, default="tool"))
        return {name for name, said in alone.items() if said == "ask"}

    together = verdicts(Policy(allow=allow, ask=ask, deny=deny, default=default))
    for name in ALL:
        expected = (
            "deny"
            if name in names(deny)
            else "ask"
            if name in names(ask)
            else "allow"
            if name in names(allow)
            else default
        )
        assert together[name] == expected


def test_a_ruling_names_the_selector_that_decides() -> None:
    rulings = Policy(deny=["*", "!*_file", "destructive=true"], ask=["!wipe_disk"]).rulings(TOOLS)
    assert rulings == {
        "read_file": ("ask", "!wipe_disk", ""),
        "write_file": ("deny", "destructive=true", ""),
        "ask_web": ("deny", "*", ""),
        "wipe_disk": ("deny", "destructive=true", ""),
    }


def test_a_distribution_a_group_and_an_id_are_named_as_in_a_selection() -> None:
    shelf = Registry()
    for group in ("tool", "web"):
        shelf.register(lambda: None, f"find_{group}", group=group, description="Find.")
    tools = list(shelf.select("*").values())

    assert verdicts(Policy(deny=["web.*"]), tools) == {"find_tool": "tool", "find_web": "deny"}
    assert verdicts(Policy(deny=["web.find_web"]), tools) == {"find_tool": "tool", "find_web": "deny"}
    assert verdicts(Policy(deny=["acme:*"], must_match=False), tools) == {"find_tool": "tool", "find_web": "tool"}


WEATHER = """
    from fcregistry import fc_register

    @fc_register
    def get_weather() -> str:
        "Tell the weather."

    @fc_register
    def set_weather() -> str:
        "Make the weather."
"""
SHIPPED = """
    from fcregistry import Executor, registry
    from fcregistry.errors import ToolNotFoundError
    from fcregistry.execution import Policy

    policy = Policy(ask=["acme.weather:*", "!acme-weather:get_*"], deny=["other:find"], default="allow")
    executor = Executor(registry.select("*"), policy=policy)
    results = [executor.call(name) for name in ("get_weather", "set_weather", "find")]
    answer = [result.error and result.error.code for result in results]
    try:
        Executor(registry.select("*"), policy=Policy(deny=["acme:find"]))
    except ToolNotFoundError as error:
        answer.append(str(error))
"""


def test_a_policy_matches_the_distribution_that_ships_a_tool(site: Site) -> None:
    site.install("Acme_Weather", {"tools": "acme_weather"}, {"acme_weather.py": WEATHER})
    find = 'from fcregistry import fc_register\n\n@fc_register\ndef find() -> None:\n    "Find."\n'
    site.install("other", {"tools": "other_tools"}, {"other_tools.py": find})
    *codes, message = site.ask(SHIPPED)
    assert codes == [None, "approval_required", "denied"]
    assert re.search(r"the policy names 'acme:find', .* did you mean", message)


def test_selectors_match_a_renamed_tool_by_both_names() -> None:
    renamed = [READ, WRITE.renamed("save")]
    for name in ("write_file", "save"):
        assert verdicts(Policy(deny=[name]), renamed) == {"read_file": "tool", "save": "deny"}


def test_a_selector_matches_an_alias_if_no_tool_has_that_name() -> None:
    tools = [named("erase", aliases=("rm", "read_file")), READ]
    assert verdicts(Policy(deny=["rm"]), tools) == {"erase": "deny", "read_file": "tool"}
    assert verdicts(Policy(deny=["read_file"]), tools) == {"erase": "tool", "read_file": "deny"}


# --- what it names in vain ------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", ["allow", "ask", "deny"])
@pytest.mark.parametrize("selector", ["wipe_disc", "wipe_disc*", "acme:*", "tag=disks", "group=disks", "!wipe_disc"])
def test_a_selector_that_names_no_tool_of_the_executor_is_refused_when_it_is_made(verdict: Any, selector: str) -> None:
    """A misspelt rule protects nothing, which would go unnoticed."""
    policy = policy_of(verdict, ["*", selector])
    with pytest.raises(ToolNotFoundError, match="and no tool of the executor answers to that"):
        Executor(TOOLS, policy=policy)
    assert Executor(TOOLS, policy=policy_of(verdict, ["*", selector], must_match=False)).tools


def test_the_error_has_the_nearest_names_and_the_fix() -> None:
    with pytest.raises(ToolNotFoundError) as caught:
        Policy(deny=["wipe_disc"]).rulings(TOOLS)
    assert str(caught.value) == (
        "the policy names 'wipe_disc', and no tool of the executor answers to that; did you mean 'wipe_disk'? "
        "(must_match=False, for a policy that executors of different tools share)"
    )
    assert caught.value.candidates == ("wipe_disk",)


def test_a_hint_may_match_nothing() -> None:
    assert verdicts(Policy(deny=["idempotent=true"])) == dict.fromkeys(ALL, "tool")


def test_a_name_that_several_tools_have_is_refused() -> None:
    tools = [named("find"), named("search").renamed("lookup"), named("lookup").renamed("look")]
    with pytest.raises(AmbiguousToolError) as caught:
        Policy(allow=["lookup"], must_match=False).rulings(tools)
    assert (
        str(caught.value)
        == "the policy names 'lookup', which may be any of tool.lookup, tool.search; name one of these"
    )


@pytest.mark.parametrize("verdict", ["allow", "ask", "deny"])
@pytest.mark.parametrize(
    ("selectors", "message"),
    [
        (["a b"], "of a policy: 'a b' is not a selector: write a tool's name"),
        ("delete_*", "of a policy: give selectors as a list, not as the one string 'delete_*'"),
        (["destructive=yes"], "of a policy: 'destructive=yes' is not a selector: destructive is true, false or unset"),
        ([None], "of a policy: None is not a selector"),
        (7, "of a policy: give selectors as a list, not 7"),
    ],
)
def test_a_text_that_is_not_a_selector_is_refused_when_the_policy_is_made(
    verdict: Any, selectors: Any, message: str
) -> None:
    with pytest.raises(SelectorError) as caught:
        policy_of(verdict, selectors)
    assert f"{verdict} {message}" in str(caught.value)


def test_an_unknown_default_is_refused() -> None:
    with pytest.raises(ValueError, match="the default of a policy must be one of tool, allow, ask, deny, not 'maybe'"):
        Policy(default="maybe")  # type: ignore[arg-type]


def test_a_policy_does_not_change_with_the_list_that_it_was_made_of() -> None:
    denied = ["wipe_disk"]
    policy = Policy(deny=denied)
    denied.clear()
    assert policy == Policy(deny=("wipe_disk",))
    assert verdicts(policy)["wipe_disk"] == "deny"


def test_a_value_that_is_not_a_policy_is_refused() -> None:
    with pytest.raises(TypeError, match=r"policy must be a Policy, not \['wipe_disk'\]"):
        Executor(TOOLS, policy=["wipe_disk"])  # type: ignore[arg-type]


# --- what becomes of calls ------------------------------------------------------------------------


def codes(executor: Executor) -> dict[str, list[str]]:
    """Return the code of a call of every tool, by each method of the executor."""
    calls = [ToolCall(name) for name in ALL]
    each = [executor.run(call) for call in calls]
    told = {result.call.name: [result.error.code if result.error else "ok"] for result in each if result.call}
    for results in (executor.run_all(calls), asyncio.run(executor.arun_all(calls))):
        for result in results:
            assert result.call is not None
            told[result.call.name].append(result.error.code if result.error else "ok")
    return told


def test_the_policy_applies_to_every_way_of_calling() -> None:
    asked: list[str] = []

    def approve(tool: Tool, call: ToolCall) -> bool:
        asked.append(tool.name)
        return tool.name == "read_file"

    policy = Policy(deny=["ask_web"], ask=["*_file"], allow=["wipe_disk"])
    assert codes(Executor(TOOLS, policy=policy, approve=approve)) == {
        "read_file": ["ok"] * 3,
        "write_file": ["denied"] * 3,
        "ask_web": ["denied"] * 3,
        "wipe_disk": ["ok"] * 3,  # the operator trusts it, whatever its author says
    }
    assert sorted(asked) == ["read_file"] * 3 + ["write_file"] * 3


def test_without_an_approver_calls_that_the_policy_asks_about_are_refused() -> None:
    assert codes(Executor(TOOLS, policy=Policy(default="ask"))) == dict.fromkeys(ALL, ["approval_required"] * 3)


def test_for_a_denied_tool_the_approver_is_not_asked_and_the_model_reads_the_denial() -> None:
    def approve(tool: Tool, call: ToolCall) -> bool:
        raise AssertionError("nobody is to be asked")

    result = Executor(TOOLS, policy=Policy(deny=["wipe_disk"]), approve=approve).run({"name": "wipe_disk"})
    assert result.error is not None
    assert result.error.code == "denied"
