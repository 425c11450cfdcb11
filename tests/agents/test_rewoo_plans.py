"""The steps in the text of a ReWOO plan, and the problems that its planner reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcregistry import ReWOOAgent, Tool
from fcregistry.agents import RunResult


def search(query: str, within: str | None = None, limit: int | str = 5) -> str:
    """Search."""
    return query


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def total(values: list[int], note: str = "") -> int:
    """Sum."""
    return sum(values)


def now() -> str:
    """Tell the time."""
    return "noon"


def options(first: int = 1, second: int = 2) -> int:
    """Take what is given."""
    return first


TOOLS = {tool.name: tool for tool in map(Tool.from_function, (search, add, total, now, options))}


def tried(plan: str, tools: Mapping[str, Tool] = TOOLS, most: int = 20) -> tuple[RunResult, list[str]]:
    """Return what comes of a plan that its planner does not change, and what the planner is told to be wrong with it."""
    asked: list[str] = []

    def planner(messages: list[dict[str, Any]]) -> str:
        asked.append(messages[-1]["content"])
        return plan

    agent = ReWOOAgent(lambda messages: "done", tools.values(), planner=planner, max_steps=most, max_replans=1)
    result = agent.run("?")
    return result, [line.removeprefix("- ") for line in asked[-1].splitlines() if line.startswith("- ")]


def steps_of(result: RunResult) -> tuple[str, ...]:
    """Return the steps of the plan that was carried out."""
    return next((step.texts for step in result.steps if step.kind == "plan"), ())


def read(text: str, tools: Mapping[str, Tool] = TOOLS) -> list[tuple[str | None, str, Any]]:
    """Return the calls of a plan in which nothing is wrong."""
    result, problems = tried(text, tools)
    assert problems == []
    return calls_of(result)


def calls_of(result: RunResult) -> list[tuple[str | None, str, Any]]:
    """Return the calls that were made, by their ids."""
    made = [each.call for each in result.tool_results]
    return sorted((call.id, call.name, call.arguments) for call in made if call is not None)


def arguments(call: str) -> Any:
    """Return the arguments of a call that is all of a plan."""
    ((_, _, given),) = read(f"#E1 = {call}")
    return given


# --- steps ----------------------------------------------------------------------------------------


def test_a_plan_has_a_thought_and_a_call_for_each_evidence() -> None:
    plan = 'Sure.\n\nPlan: find the city\n#E1 = search[{"query": "capital"}]\nPlan: say more\nof it\n#E2 = search[{"query": "#E1"}]\n#E3 = now[]'
    assert steps_of(tried(plan)[0]) == (
        'find the city\n#E1 = search[{"query": "capital"}]',
        'say more\nof it\n#E2 = search[{"query": "#E1"}]',
        "#E3 = now[]",
    )


@pytest.mark.parametrize(
    "line",
    [
        '#E1 = search[{"query": "x"}]',
        '  #E1   =   search[{"query": "x"}]   ',
        '#E1=search({"query": "x"})',
        '#E1 = search[{\n  "query": "x"\n}]',
        '- #E1 = search[{"query": "x"}]',
        '**#E1** = `search`[{"query": "x"}]',
        '`#E1 = search[{"query": "x"}]`',
        '#E1: search[{"query": "x"}]',
        'Plan: look it up #E1 = search[{"query": "x"}] and go on.',
        '1. Plan: look it up\n   #E1 = search[{"query": "x"}]',
        "#E1 = search[{'query': 'x'}]",
        '#E1 = search[{"query": "x",}]',
        "#E1 = search[x]",
        '#E1 = search["x"]',
        "#E1 = search['x']",
        '#E1 = search[query="x"]',
        "#E1 = search(query=x)",
        "#E1 = search(query='x')",
    ],
)
def test_a_call_is_read_however_it_is_written(line: str) -> None:
    assert read(line) == [("E1", "search", {"query": "x"})]


def test_two_steps_may_be_on_one_line() -> None:
    assert read("#E1 = search[x] #E2 = now[]") == [("E1", "search", {"query": "x"}), ("E2", "now", {})]


@pytest.mark.parametrize("name", ["1st", "-", "7", "_x"])
def test_a_tool_may_have_any_name_that_tools_have(name: str) -> None:
    assert read(f"#E1 = {name}[]", {name: TOOLS["now"].renamed(name)}) == [("E1", name, {})]


@pytest.mark.parametrize(
    "plan", ["", "Plan: nothing to do here", "Paris is the capital of France.", "#E1 is nothing.", "If #E1 == 2, stop."]
)
def test_a_text_without_calls_is_a_plan_without_steps(plan: str) -> None:
    result, problems = tried(plan)
    assert (steps_of(result), problems) == ((), [])
    assert result.answer == "done"


# --- arguments ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ('total[{"values": [1, 2, 3], "note": "a ] in text"}]', {"values": [1, 2, 3], "note": "a ] in text"}),
        ('total({"values": [1], "note": "a ) in text :)"})', {"values": [1], "note": "a ) in text :)"}),
        (r'total[{"values": [], "note": "a \" and ]"}]', {"values": [], "note": 'a " and ]'}),
        ("total[{'values': [1], 'note': 'it]s'}]", {"values": [1], "note": "it]s"}),
        ("total[[1, [2]]]", {"values": [1, [2]]}),
        ("total[[]]", {"values": []}),
        ("search[What's the capital of China?]", {"query": "What's the capital of China?"}),
        ("search[the [old] one]", {"query": "the [old] one"}),
        ("search(the (old) one)", {"query": "the (old) one"}),
        ('search[say "]" twice]', {"query": 'say "]" twice'}),
        ('search[a 5" disk]', {"query": 'a 5" disk'}),
        ("search[a = b]", {"query": "a = b"}),
        ("search[one, two, three]", {"query": "one, two, three"}),
        ("search[query=Oslo, Norway]", {"query": "Oslo, Norway"}),
        ("search[query=Oslo, Norway, within='a, b', limit=2]", {"query": "Oslo, Norway", "within": "a, b", "limit": 2}),
        ("search[two\nlines]", {"query": "two\nlines"}),
        ("search[42]", {"query": "42"}),
        ("search[null]", {"query": "null"}),
        ('search["quo\\"ted"]', {"query": 'quo"ted'}),
        ("add[1, 2]", {"a": 1, "b": 2}),
        ("add(a=1, b=2)", {"a": 1, "b": 2}),
        ("total([1, 2], note)", {"values": [1, 2], "note": "note"}),
        ("total(values=[1, 2], note='a, b')", {"values": [1, 2], "note": "a, b"}),
        ("now[]", {}),
        ("now( )", {}),
        ("options[]", {}),
        ("options[5]", {"first": 5}),
        ("options[second=5]", {"second": 5}),
    ],
)
def test_arguments_are_json_or_text_that_the_schema_explains(call: str, wanted: Any) -> None:
    assert arguments(call) == wanted


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ('add[{"a": 20, "b": "#E2"}]', {"a": 20, "b": "noon"}),
        ('add[{"a": 20, "b": #E2}]', {"a": 20, "b": "noon"}),
        ("add[20, #E2]", {"a": 20, "b": "noon"}),
        ("add(a=20, b=#E2)", {"a": 20, "b": "noon"}),
        ("search[#E2]", {"query": "noon"}),
        ("search[more on #E2]", {"query": "more on noon"}),
        ("total[[#E2, 2]]", {"values": ["noon", 2]}),
        ('total[{"values": [], "note": "#E2, again"}]', {"values": [], "note": "noon, again"}),
        ("add[{'a': 20, 'b': '#E2'}]", {"a": 20, "b": "noon"}),
        ("total[{'values': [#E2], 'note': 'more on #E2'}]", {"values": ["noon"], "note": "more on noon"}),
        ("total(values=['#E2', #E2], note='x')", {"values": ["noon", "noon"], "note": "x"}),
    ],
)
def test_references_need_no_quotes(call: str, wanted: Any) -> None:
    assert read(f"#E2 = now[]\n#E1 = {call}")[0][2] == wanted


def test_the_arguments_of_an_unknown_tool_are_read_all_the_same() -> None:
    assert calls_of(tried('#E1 = f[{"x": 1}]')[0]) == [("E1", "f", {"x": 1})]


@pytest.mark.parametrize(
    ("given", "evidence", "wanted"),
    [
        ({"query": "#E1"}, {"a": 1}, {"query": '{"a": 1}'}),
        ({"query": "#E1"}, "text", {"query": "text"}),
        ({"query": 5}, 1, {"query": 5}),
        ({"query": "#E1"}, None, {"query": "null"}),
        ({"within": "#E1"}, 8, {"within": "8"}),
        ({"within": "#E1"}, None, {"within": None}),
        ({"limit": "#E1"}, 8, {"limit": 8}),
    ],
)
def test_a_tool_that_takes_nothing_but_text_is_given_the_text_of_a_value(
    given: Any, evidence: Any, wanted: Any
) -> None:
    give = Tool.from_function(lambda: evidence, name="give")
    _, (_, _, made) = read(f"#E1 = give[]\n#E2 = search[{json.dumps(given)}]", {"give": give, **TOOLS})
    assert made == wanted


# --- what is wrong with a plan --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ("#E1 = serach[x]", "#E1 = serach: there is no tool 'serach'; did you mean 'search'?"),
        ("#E1 = search[#E7]", "#E1 refers to #E7, which no step makes; there are #E1"),
        (
            "#E1 = add[7]",
            "#E1 = add: the arguments are not a JSON object, and it takes a, b: write them as a JSON object",
        ),
        ("#E1 = search[x", "#E1 = search: there is no ] that ends its arguments"),
        ("#E1 = add(a=1, a=2)", "#E1 = add: a is written twice: write them as a JSON object"),
        ("#E1 = now[]\n#E2 = now", "#E2 has no call that can be read: write #E2 = tool[arguments]"),
        ("#E1 = #E2 * 2\n#E2 = now[]", "#E1 has no call that can be read: write #E1 = tool[arguments]"),
        (
            "#E2 = now[]\nPlan: twice that\n**#E1** = 2 * #E2",
            "#E1 has no call that can be read: write #E1 = tool[arguments]",
        ),
        (
            "#E1 = now[x]",
            "#E1 = now: the arguments are not a JSON object, and it takes no arguments: write them as a JSON object",
        ),
    ],
)
def test_a_planner_reads_what_is_wrong_with_a_step_that_can_be_carried_out_nevertheless(plan: str, told: str) -> None:
    result, problems = tried(plan)
    assert problems == [told]
    assert (result.answer, bool(result.tool_results)) == ("done", True)


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ("#E1 = search[#E2]\n#E2 = search[#E1]", "#E1 waits for #E2 waits for #E1: such steps can never run"),
        ("#E1 = search[#E1]", "#E1 waits for #E1: such steps can never run"),
        ("#E1 = now[]\n#E1 = now[]", "two steps are called #E1; give each a number of its own"),
        ("#E1 = {}", "there is no step that can be read: write #E1 = tool[arguments]"),
        ("#e1 = now[]", "there is no step that can be read: write #E1 = tool[arguments]"),
        ("Plan: look\nE1 = now[]", "there is no step that can be read: write #E1 = tool[arguments]"),
        ("\n".join(f"#E{n} = now[]" for n in range(30)), "the plan has more than 20 steps; write fewer"),
    ],
)
def test_a_plan_that_can_never_be_carried_out_is_refused(plan: str, told: str) -> None:
    result, problems = tried(plan)
    assert problems == [told]
    assert (result.stop_reason, result.tool_results) == ("invalid_plan", ())


def test_all_problems_are_reported_at_once() -> None:
    assert len(tried("#E1 = no[{}]\n#E2 = add[7]\n#E3 = search[#E9]")[1]) == 3


@pytest.mark.parametrize("cut", ["x", '{"query": "x"', '{"query": "x"}'])
def test_arguments_that_are_cut_off_are_not_completed(cut: str) -> None:
    """A text is what an executor refuses to take for arguments."""
    assert calls_of(tried(f"#E1 = search[{cut}")[0]) == [("E1", "search", cut)]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from([*"[](){}\"'\\a,:\n1\x00\ud800", "#E1", "#E2", " = ", "search", "add", "Plan:"]), max_size=40
    )
)
def test_any_text_is_read(pieces: list[str]) -> None:
    result, problems = tried("".join(pieces), most=3)
    assert len(steps_of(result)) <= 3
    assert result.stop_reason == "answered" or (result.stop_reason == "invalid_plan" and problems)


@pytest.mark.parametrize(
    "hostile",
    [
        '#E1 = a["' * 10_000,
        "#E1 = a[" * 10_000,
        '#E1 = search["' + '\\"' * 50_000,
        '#E1 = total[{"values":' + "[" * 50_000,
        "#E1 = search[" + "'" * 50_000,
        "#E1 = " + " " * 50_000,
        "#E1 = " * 20_000,
        "Plan:\n" * 20_000,
        "#E1 = total[[" + "#E1, " * 20_000,
        "#E1 = add[x," + "a=," * 20_000 + "]",
    ],
)
def test_time_grows_with_the_length_of_a_plan(hostile: str) -> None:
    """With a reader that goes back, each of these takes minutes."""
    assert len(steps_of(tried(hostile)[0])) <= 20


@pytest.mark.parametrize(
    "text",
    ["#E1 = add[" + "'\\" * 100_000, '#E1 = add["' + '"\\' * 100_000, "#E1 = add[" + " " * 200_000, "\n" * 200_000 + "#E1 = now[]"],
    ids=["quotes that are escaped", "the others", "space", "blank lines"],
)  # fmt: skip
def test_a_plan_is_read_in_the_time_that_its_length_takes(text: str) -> None:
    """What grows with the square of it would take many minutes."""
    assert len(steps_of(tried(text)[0])) == 1
