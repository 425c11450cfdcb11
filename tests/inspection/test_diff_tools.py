"""What changed in tools, which tool is which, and the version that the changes ask for."""

from __future__ import annotations

from typing import Any

import pytest

from fcregistry import Context, Tool
from fcregistry._tools.indexed import record_of
from fcregistry._tools.record import ToolRecord
from fcregistry.inspection import Diff, DiffSource, diff_sources
from fcregistry.inspection._diff import (  # each rule is tried by itself, without packages
    Bump,
    judge,
    needed_bump,
    next_version,
    option_changes,
    pair_tools,
)
from fcregistry.inspection._diff_sources import Shipped  # each rule is tried by itself, without packages


def weather(location: str, unit: str = "celsius") -> dict[str, int]:
    """Return the weather."""
    return {}


def record(**changed: Any) -> ToolRecord:
    """Return what is known of a tool, with something else in it."""
    return {**record_of(Tool.from_function(weather)), **changed}  # type: ignore[typeddict-item]


def source(*tools: ToolRecord, version: str = "1.0", distribution: str = "acme") -> DiffSource:
    return DiffSource(
        name="a lock", kind="lock", shipped=(Shipped(distribution=distribution, version=version, tools=tools),)
    )


def compared(old: ToolRecord, new: ToolRecord) -> Diff:
    return diff_sources(source(old), source(new))


def described(old: ToolRecord, new: ToolRecord) -> list[str]:
    """Return each change as `verdict part path: message`."""
    return [f"{each.verdict} {each.part} {each.path}: {each.message}" for each in compared(old, new).changes]


def options(**given: Any) -> ToolRecord:
    return record(options=given)


def test_a_tool_that_is_the_same_has_not_changed() -> None:
    found = compared(record(), record())
    assert (found.verdict, found.changes, found.distributions[0].bump) == ("compatible", (), "none")


def test_arguments_and_results_are_judged_the_other_way_round() -> None:
    """What is taken may grow, and what is given may shrink."""
    wide: dict[str, Any] = {"type": "object", "properties": {"a": {"type": ["integer", "null"]}}}
    narrow: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "integer"}}}
    assert described(record(parameters=narrow), record(parameters=wide)) == [
        "compatible parameters $.a: accepts null now"
    ]
    assert described(record(parameters=wide), record(parameters=narrow)) == [
        "breaking parameters $.a: no longer accepts null"
    ]
    assert described(record(returns=narrow), record(returns=wide)) == ["breaking returns $.a: returns null now"]
    assert described(record(returns=wide), record(returns=narrow)) == ["compatible returns $.a: no longer returns null"]


def test_a_result_that_is_described_or_no_longer_is() -> None:
    assert described(record(returns=None), record()) == ["compatible returns $: is described now"]
    assert described(record(), record(returns=None)) == ["unknown returns $: is no longer described"]


def test_a_default_is_behaviour_that_no_schema_tells_of() -> None:
    """Of a result it is only said; and of a parameter that was required no call relied on it."""
    old, new = record_of(Tool.from_function(weather)), record()
    new["parameters"]["properties"]["unit"]["default"] = "kelvin"
    assert described(old, new) == ['unknown parameters $.unit: default was "celsius", is "kelvin"']
    new = record()
    new["parameters"]["properties"]["location"]["default"] = "Tokyo"
    new["parameters"]["required"] = []
    assert described(old, new) == [
        "compatible parameters $.location: is optional now",
        'compatible parameters $.location: default "Tokyo" is new',
    ]


def test_words_ask_for_a_patch() -> None:
    found = compared(record(), record(description="Return the weather there."))
    assert [each.message for each in found.changes] == [
        'description was "Return the weather.", is "Return the weather there."'
    ]
    assert (found.verdict, found.distributions[0].bump) == ("compatible", "patch")


def test_a_tool_that_cannot_be_defined_any_more_breaks() -> None:
    assert described(record(), record(problems=["no annotation"])) == [
        "breaking tool $: cannot be defined any more: no annotation"
    ]
    assert described(record(problems=["x"]), record()) == ["compatible tool $: can be defined now"]
    assert described(record(problems=["x"]), record(problems=["y"])) == []


def test_a_tool_that_cannot_be_defined_is_neither_new_nor_gone() -> None:
    """Nobody is offered it, and no lock has it."""
    broken = record(problems=["no annotation"])
    assert diff_sources(source(), source(broken)).changes == ()
    assert diff_sources(source(broken), source()).changes == ()


def test_what_a_context_asks_of_the_application_breaks_other_callers() -> None:
    def asks(context: Context[int], location: str) -> None:
        """Ask."""

    new = record_of(Tool.from_function(asks, name="weather"))
    assert new["deps"] == "int"
    assert described(record(deps=None), record(deps="int"))[0].startswith(
        "breaking tool $: asks for int from its application"
    )
    assert described(record(deps="int"), record(deps="str"))[0].startswith("breaking")
    assert described(record(deps="int"), record())[0].startswith("compatible")


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ({}, {"requires_env": ["KEY"]}, "breaking tool $: requires the environment variable KEY now, and is unavailable without it"),
        ({"requires_env": ["KEY"]}, {}, "compatible tool $: does not require the environment variable KEY any more"),
        ({}, {"requires_approval": True}, "breaking tool $: its calls need approval now, and are refused without an approver"),
        ({}, {"requires_approval": {"computed": "m.f"}}, "breaking tool $: some of its calls need approval now: m.f decides"),
        ({"requires_approval": True}, {"requires_approval": {"computed": "m.f"}}, "unknown tool $: some of its calls need approval now: m.f decides"),
        ({"requires_approval": True}, {}, "unknown tool $: its calls run without approval now"),
        ({"aliases": ["a"]}, {}, 'breaking tool $: is no longer called "a" too'),
        ({}, {"aliases": ["a"]}, 'compatible tool $: is called "a" too'),
        ({"tags": ["a"]}, {"tags": ["b"]}, 'unknown tool $: has no tag "a" any more, by which it may be selected'),
        ({"read_only": True}, {}, "unknown tool $: read_only true is gone"),
        ({}, {"read_only": True}, "compatible tool $: read_only true is new"),
        ({"destructive": False}, {"destructive": True}, "unknown tool $: destructive was false, is true"),
        ({}, {"deprecated": "use other"}, "compatible tool $: is deprecated now: use other"),
        ({"deprecated": True}, {}, "compatible tool $: is no longer deprecated"),
        ({"timeout": 5.0}, {"timeout": 2.0}, "unknown tool $: its time limit was 5 s, is 2 s"),
        ({"timeout": 5.0}, {}, "compatible tool $: its time limit was 5 s, is none"),
        ({}, {"isolation": "process"}, 'unknown tool $: isolation "process" is new'),
        ({}, {"examples": [{}]}, "compatible tool $: examples changed"),
        ({"title": "A"}, {"title": "B"}, "compatible tool $: title changed"),
    ],
)  # fmt: skip
def test_each_option_means_something_to_callers(old: dict[str, Any], new: dict[str, Any], line: str) -> None:
    assert described(options(**old), options(**new))[0] == line


def test_titles_and_examples_ask_for_a_patch_and_deprecation_for_a_minor_version() -> None:
    bumps = [each.bump for each in option_changes("a", {}, {"title": "A", "deprecated": True})]
    assert bumps == ["minor", "patch"]


def test_a_tool_that_is_gone_breaks_and_a_new_one_does_not() -> None:
    found = diff_sources(
        source(record(name="a", qualname="a", description="1")), source(record(name="b", qualname="b", description="2"))
    )
    assert [(each.verdict, each.tool, each.message) for each in found.changes] == [
        ("breaking", "acme:a", "is gone"),
        ("compatible", "acme:b", "is new"),
    ]


def test_a_tool_that_keeps_its_name_as_an_alias_was_renamed() -> None:
    found = compared(record(name="old"), record(name="new", options={"aliases": ["old"]}))
    assert [(each.verdict, each.tool, each.message) for each in found.changes] == [
        ("compatible", "acme:new", 'was called "old", and still answers to it as an alias'),
        ("compatible", "acme:new", 'is called "old" too'),
    ]


@pytest.mark.parametrize("other", [{"description": "Changed."}, {"qualname": "moved"}])
def test_a_tool_of_the_same_function_or_the_same_words_was_renamed(other: dict[str, str]) -> None:
    found = compared(record(name="old"), record(name="new", **other))
    assert found.changes[0].message == 'was called "old"; aliases="old" would keep that name'
    assert found.verdict == "breaking"


def test_two_tools_that_one_may_have_become_are_not_guessed() -> None:
    found = diff_sources(source(record(name="old")), source(record(name="a"), record(name="b")))
    assert [each.message for each in found.changes] == ["is new", "is new", "is gone"]


def test_many_tools_are_paired_by_looking_at_each_a_few_times() -> None:
    """Comparing each with each would take minutes."""
    tool = record()
    old, new = ([{**tool, "name": f"{letter}{n}"} for n in range(2_000)] for letter in "ab")
    pairing = pair_tools(old, new)  # type: ignore[arg-type]
    assert (pairing.removed, pairing.added) == (old, new)


def test_a_tool_with_the_names_of_two_old_ones_is_neither() -> None:
    old = [record(name=name, qualname=name, description=name) for name in ("a", "b")]
    pairing = pair_tools(old, [record(name="c", options={"aliases": ["a", "b"]})])
    assert (pairing.renamed, pairing.removed) == ([], old)


def test_a_tool_in_another_group_has_another_id() -> None:
    found = compared(record(), record(group="sky"))
    assert [(each.verdict, each.tool, each.message) for each in found.changes] == [
        ("breaking", "acme:sky.weather", 'was "weather", in another group: it does not answer to that id any more')
    ]


def test_distributions_compare_by_their_normalised_names() -> None:
    found = diff_sources(source(record(), distribution="Acme_Tools"), source(record(), distribution="acme-tools"))
    assert [(each.distribution, each.changes) for each in found.distributions] == [("acme-tools", ())]
    gone = diff_sources(source(record()), source(record(), distribution="other"))
    assert [(each.distribution, each.new_version) for each in gone.distributions] == [("acme", None), ("other", "1.0")]


@pytest.mark.parametrize(
    ("bump", "old", "least", "number"),
    [
        ("major", "1.2.3", "2.0.0", "major"),
        ("minor", "1.2.3", "1.3.0", "minor"),
        ("patch", "1.2", "1.2.1", "patch"),
        ("none", "1.2.3", None, "none"),
        ("major", "0.4.1", "0.5.0", "minor"),
        ("minor", "0.4.1", "0.4.2", "patch"),
        ("major", "1!2.0", "1!3.0.0", "major"),
        ("major", None, None, "major"),
        ("major", "nonsense", None, "major"),
    ],
)
def test_the_least_version_is_reported(bump: Bump, old: str | None, least: str | None, number: str) -> None:
    assert next_version(bump, old) == least
    assert needed_bump(bump, old) == number


@pytest.mark.parametrize(
    ("bump", "old", "new", "judgement"),
    [
        ("major", "1.2.3", "2.0", "enough"),
        ("major", "1.2.3", "1.9", "too small"),
        ("minor", "1.2.3", "1.3", "enough"),
        ("minor", "1.2.3", "1.2.4", "too small"),
        ("patch", "1.2.3", "1.2.3", "too small"),
        ("patch", "1.2.3", "1.2.3.post1", "enough"),
        ("patch", "1.2.3", "1.2.4", "enough"),
        ("none", "1.2.3", "1.2.3", "enough"),
        ("major", "0.1", "0.2", "enough"),
        ("major", "2.0rc1", "2.0", "enough"),
        ("major", "1.9", "2.0rc1", "enough"),
        ("patch", "1.2.3", "1.2.2", "backwards"),
        ("patch", "1!1.0", "2.0", "backwards"),
        ("major", None, "2.0", "untold"),
        ("major", "1.0", "latest", "untold"),
    ],
)
def test_a_version_is_judged_by_what_changed(bump: Bump, old: str | None, new: str | None, judgement: str) -> None:
    assert judge(bump, old, new) == judgement
