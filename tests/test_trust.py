"""Whether a plugin may be imported, a tool may be used, and a call needs approval. Every layer is asked, and a lower one only tightens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcregistry._config.policy import OPEN, Trust, trust
from fcregistry._config.settings import read_layer
from fcregistry._tools.selectors import SelectorSubject

if TYPE_CHECKING:
    from pathlib import Path

FORECAST = SelectorSubject(
    name="forecast", group="tool", distribution="Acme_Weather", tags=frozenset({"read"}), read_only=True
)
DELETE = SelectorSubject(
    name="delete_all", group="admin", distribution="acme-weather", aliases=("rm",), destructive=True
)
LOOK = SelectorSubject(name="look", group="tool", distribution="other", tags=frozenset({"read"}))
OWN = SelectorSubject(name="own", group="tool", distribution=None)
TOOLS = (FORECAST, DELETE, LOOK, OWN)
PLUGINS = (("acme-weather", "weather"), ("acme-weather", "admin"), ("other", "o"))


def layers(*tables: Mapping[str, Any]) -> Trust:
    """Return the rules of several files together, the highest first: `/1`, `/2`, …"""
    return Trust(tuple(read_layer(table, f"/{number}", "") for number, table in enumerate(tables, 1)))


def seen(operator: Trust) -> list[str]:
    return [tool.name for tool in TOOLS if operator.tool_refusal(tool) is None]


def imported(operator: Trust) -> list[str]:
    return [
        entry_point for name, entry_point in PLUGINS if operator.refusal(name, entry_point, ships_tools=True) is None
    ]


EVERYTHING = ["forecast", "delete_all", "look", "own"]
EVERY_PLUGIN = ["weather", "admin", "o"]

CASES: dict[str, tuple[list[dict[str, Any]], list[str], list[str]]] = {
    # name: (the files, tools that are left, plugins that may be imported)
    "nothing": ([], EVERYTHING, EVERY_PLUGIN),
    "empty": ([{}], EVERYTHING, EVERY_PLUGIN),
    "deny a tool": ([{"deny": ["acme-weather:forecast"]}], EVERYTHING[1:], EVERY_PLUGIN),
    "deny an alias": ([{"deny": ["r?"]}], ["forecast", "look", "own"], EVERY_PLUGIN),
    "deny in any group": ([{"deny": ["acme-weather:delete_all"]}], ["forecast", "look", "own"], EVERY_PLUGIN),
    "deny an alias in any group": ([{"deny": ["acme-weather:rm"]}], ["forecast", "look", "own"], EVERY_PLUGIN),
    "deny in the default group": ([{"deny": ["acme-weather:tool.delete_all"]}], EVERYTHING, EVERY_PLUGIN),
    "an exception in the default group": ([{"deny": ["acme-weather:*", "!acme-weather:delete_all"]}], ["look", "own"], EVERY_PLUGIN),
    "disable an alias": ([{"disable": ["rm"]}], EVERYTHING, EVERY_PLUGIN),
    "deny one's own": ([{"deny": ["own"]}], EVERYTHING[:-1], EVERY_PLUGIN),
    "deny a hint": ([{"deny": ["destructive=true"]}], ["forecast", "look", "own"], EVERY_PLUGIN),
    "deny a plugin": ([{"deny": ["Acme.Weather[admin]"]}], EVERYTHING, ["weather", "o"]),
    "disable a plugin": ([{"disable": ["other[o]"]}], EVERYTHING, ["weather", "admin"]),
    "deny a distribution": ([{"deny": ["acme-*:*"]}], ["look", "own"], ["o"]),
    "deny all but": ([{"deny": ["!other:*"]}], ["look"], ["o"]),
    "deny with an exception": ([{"deny": ["acme-weather:*", "!acme-weather:forecast"]}], ["forecast", "look", "own"], EVERY_PLUGIN),
    "an exception below": ([{"deny": ["acme-weather:*"]}, {"deny": ["!acme-weather:*"]}], [], []),
    "denials add up": ([{"deny": ["look"]}, {"disable": ["forecast"]}], ["delete_all", "own"], EVERY_PLUGIN),
    "allow a tool": ([{"allow": ["look"]}], ["look", "own"], EVERY_PLUGIN),
    "allow a distribution": ([{"allow": ["acme-weather:*"]}], ["forecast", "delete_all", "own"], ["weather", "admin"]),
    "allow all but": ([{"allow": ["!other:*"]}], ["forecast", "delete_all", "own"], ["weather", "admin"]),
    "allow nothing": ([{"allow": []}], ["own"], []),
    "allow intersects": ([{"allow": ["acme-weather:*"]}, {"allow": ["tag=read"]}], ["forecast", "own"], ["weather", "admin"]),
    "allow widens nothing": ([{"allow": ["look"]}, {"allow": ["*"]}], ["look", "own"], EVERY_PLUGIN),
    "allow in the default group": ([{"allow": ["acme-weather:delete_all"]}], ["own"], ["weather", "admin"]),
    "allow no alias": ([{"allow": ["rm"]}], ["own"], EVERY_PLUGIN),
    "mode without a list": ([{"mode": "allow"}], EVERYTHING, []),
    "mode with a list": ([{"mode": "allow", "allow": ["other:look"]}], ["look", "own"], ["o"]),
    "mode with names alone": ([{"mode": "allow", "allow": ["look"]}], ["look", "own"], []),
    "mode with any": ([{"mode": "allow", "allow": ["*:*", "!acme-weather:*"]}], ["look", "own"], ["o"]),
    "mode, then a list": ([{"mode": "allow"}, {"allow": ["other:*"]}], ["look", "own"], []),
    "a list, then the mode": ([{"allow": ["other:*"]}, {"mode": "allow"}], ["look", "own"], ["o"]),
    "a list, then mode and tools": ([{"allow": ["other:*"]}, {"mode": "allow", "allow": ["look"]}], ["look", "own"], ["o"]),
    "mode, then open": ([{"mode": "allow"}, {"mode": "open"}], EVERYTHING, []),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_layers_allow_the_expected_tools_and_plugins(name: str) -> None:
    """Tools and plugins are checked separately: the tools of a plugin that is not imported are not known."""
    files, tools, plugins = CASES[name]
    operator = layers(*files)
    assert (seen(operator), imported(operator)) == (tools, plugins)


@pytest.mark.parametrize(
    ("table", "refusal"),
    [
        ({"deny": ["admin.*"]}, "deny in /1 names admin.*"),
        ({"disable": ["!look"]}, "disable in /1 names everything but look"),
        ({"allow": ["look"]}, "allow in /1 does not name it"),
    ],
)
def test_the_refusal_of_a_tool_names_its_source(table: dict[str, Any], refusal: str) -> None:
    assert layers(table).tool_refusal(DELETE) == refusal


@pytest.mark.parametrize(
    ("table", "refusal"),
    [
        ({"deny": ["acme-weather[weather]"]}, "deny in /1 names acme-weather[weather]"),
        ({"deny": ["acme-weather:*"]}, "deny in /1 names acme-weather:*"),
        ({"allow": ["other:*"]}, "allow in /1 names nothing of acme-weather"),
        (
            {"mode": "allow", "allow": ["*"]},
            'mode = "allow" in /1, and no allow there or above names acme-weather: allow = ["acme-weather:*"] does',
        ),
    ],
)
def test_the_refusal_of_a_plugin_names_its_source(table: dict[str, Any], refusal: str) -> None:
    assert layers(table).refusal("acme-weather", "weather", ships_tools=True) == refusal


@pytest.mark.parametrize(
    ("table", "refused"),
    [
        ({"deny": ["*"]}, False),
        ({"deny": ["!own"]}, False),
        ({"deny": ["acme-weather:*"]}, True),
        ({"disable": ["acme-weather[weather]"]}, True),
        ({"allow": ["other:*"]}, False),
        ({"mode": "allow", "allow": ["other:*"]}, True),
        ({"mode": "allow", "allow": ["acme-weather:*"]}, False),
    ],
)
def test_an_extension_is_refused_only_by_its_own_name(table: dict[str, Any], refused: bool) -> None:
    """It ships no tools: lists of tools do not apply to it, and other tools may need it."""
    assert (layers(table).refusal("acme-weather", "weather", ships_tools=False) is not None) is refused


def test_disable_does_not_apply_to_a_tool_that_the_program_passes() -> None:
    """`disable` lists what is not offered, and `deny` what does not run."""
    assert layers({"disable": ["own"]}).tool_refusal(OWN, given=True) is None
    assert layers({"deny": ["own"]}).tool_refusal(OWN, given=True) == "deny in /1 names own"


def test_the_ask_of_each_layer_counts_and_is_named() -> None:
    """Aliases count too.

    An exception counts only within its own list, and not for aliases, which authors choose.
    """
    operator = layers({"ask": ["destructive=true", "!rm"]}, {"ask": ["look"]}, {"ask": ["*", "!look"]})
    assert operator.asks(DELETE) == "ask in /1 names destructive=true"
    assert operator.asks(LOOK) == "ask in /2 names look"
    assert operator.asks(OWN) == "ask in /3 names *"
    assert layers({"ask": ["rm"]}).asks(DELETE) == "ask in /1 names rm"
    assert layers({"ask": ["rm"]}).asks(LOOK) is None
    assert layers({"ask": ["acme-weather:delete_all"]}).asks(DELETE) == "ask in /1 names acme-weather:delete_all"


def test_the_configuration_assumes_the_hints_that_a_tool_lacks() -> None:
    silent = SelectorSubject(name="silent", group="tool", distribution=None, assume_hints="mcp")
    reading = silent._replace(assume_hints="mcp-read-only")
    operator = layers({"deny": ["destructive=true"], "ask": ["open_world=true"]})
    assert operator.tool_refusal(silent, given=True) == "deny in /1 names destructive=true"
    assert operator.tool_refusal(reading, given=True) is None
    assert operator.asks(reading) == "ask in /1 names open_world=true"
    assert operator.unmatched_items([silent], []) == ()


def test_only_a_person_approves_what_the_ask_of_user_or_system_names() -> None:
    origins = ("system", "user", "project", "named", "variables")
    for origin in origins:
        operator = Trust((read_layer({"ask": ["rm"]}, "/1", "", origin),))
        reason = "ask in /1 names rm" if origin in ("system", "user") else None
        assert (operator.asks(DELETE), operator.asks_user(DELETE)) == ("ask in /1 names rm", reason)
        assert operator.asks_user(LOOK) is None


def test_the_higher_layers_precedence_comes_first() -> None:
    operator = layers({"precedence": ["Other"]}, {"precedence": ["acme_weather", "other"]})
    assert operator.preferred(["acme-weather", "other"]) == "other"
    assert operator.preferred(["Acme.Weather", "third"]) == "Acme.Weather"
    assert operator.preferred(["third", "fourth"]) is None


@pytest.mark.parametrize(
    ("modes", "strictest"),
    [([], "open"), (["open"], "open"), (["allow", "open"], "allow"), (["open", "locked", "allow"], "locked")],
)
def test_the_strictest_mode_counts(modes: list[str], strictest: str) -> None:
    assert layers(*({"mode": mode} for mode in modes)).mode == strictest


def test_items_that_name_nothing_are_reported() -> None:
    """A misspelt name protects nothing."""
    operator = layers(
        {"deny": ["forcast", "other[p]", "look"], "ask": ["acme-weather:*"]}, {"allow": ["acme-wether:*", "*"]}
    )
    assert operator.unmatched_items(TOOLS, PLUGINS) == (
        ("allow in /2", "acme-wether:*", "allow"),
        ("deny in /1", "forcast", "deny"),
        ("deny in /1", "other[p]", "deny"),
    )


def test_an_item_that_forbids_a_tool_by_its_alias_or_in_any_group_names_something() -> None:
    operator = layers({"deny": ["rm"], "ask": ["acme-weather:delete_all"], "allow": ["acme-weather:delete_all"]})
    assert operator.unmatched_items(TOOLS, PLUGINS) == (("allow in /1", "acme-weather:delete_all", "allow"),)


def test_nothing_is_refused_if_nothing_is_configured() -> None:
    assert (OPEN.is_open, OPEN.mode, seen(OPEN), imported(OPEN)) == (True, "open", EVERYTHING, EVERY_PLUGIN)
    assert (OPEN.asks(DELETE), OPEN.preferred(["other"]), OPEN.record_refusal("other", {})) == (None, None, None)


def test_the_same_configuration_gives_the_same_object(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is made again when a file changes, and not for each call."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr("fcregistry._config.files.SETTLED", 0)  # a change counts at once
    (tmp_path / ".git").touch()
    path = tmp_path / "fcregistry" / "fcregistry.toml"
    path.parent.mkdir()
    path.write_text('deny = ["own"]')
    assert trust() is trust()
    assert trust().tool_refusal(OWN) == f"deny in {path} names own"
    path.write_text('deny = ["look"]')
    assert trust().tool_refusal(OWN) is None


SELECTORS = st.sampled_from(
    [
        "forecast",
        "delete_*",
        "rm",
        "*",
        "*:*",
        "acme-weather:*",
        "acme-*:*",
        "other:*",
        "other:look",
        "tag=read",
        "admin.*",
        "group=admin",
        "destructive=true",
        "own",
    ]
).flatmap(lambda text: st.sampled_from([text, f"!{text}"]))
LISTS = st.lists(SELECTORS, max_size=3)
WITH_PLUGINS = st.lists(st.one_of(SELECTORS, st.just("acme-weather[admin]")), max_size=3)
TABLES = st.fixed_dictionaries(
    {},
    optional={
        "mode": st.sampled_from(["open", "allow"]),
        "allow": LISTS,
        "ask": LISTS,
        "deny": WITH_PLUGINS,
        "disable": WITH_PLUGINS,
    },
)


@given(tables=st.lists(TABLES, max_size=3), lower=TABLES)
def test_a_lower_layer_only_tightens(tables: list[dict[str, Any]], lower: dict[str, Any]) -> None:
    """A cloned repository or a variable can neither allow what was refused, nor lift an approval."""
    before, after = layers(*tables), layers(*tables, lower)
    assert set(seen(after)) <= set(seen(before))
    assert set(imported(after)) <= set(imported(before))
    for tool in TOOLS:
        assert before.asks(tool) is None or after.asks(tool) == before.asks(tool)
    for plugin in PLUGINS:
        assert (
            before.refusal(*plugin, ships_tools=False) is None or after.refusal(*plugin, ships_tools=False) is not None
        )


@given(tables=st.lists(TABLES, max_size=3))
def test_a_plugin_is_refused_only_with_all_of_its_tools(tables: list[dict[str, Any]]) -> None:
    """A refused plugin has no tool that the lists allow, unless the mode or a list names the plugin."""
    open_tables = [{**table, "mode": "open"} for table in tables]
    named = [item for table in tables for key in ("deny", "disable") for item in table.get(key, ()) if "[" in item]
    operator = layers(*open_tables)
    for name, entry_point in PLUGINS:
        if operator.refusal(name, entry_point, ships_tools=True) is not None and not named:
            assert not [tool for tool in TOOLS if tool.distribution == name and operator.tool_refusal(tool) is None]
