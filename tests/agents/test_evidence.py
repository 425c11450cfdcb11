"""References in a plan, and the evidence that replaces them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcregistry import Executor, ReWOOAgent, Tool, ToolCall, ToolResult, hookimpl
from fcregistry.agents import StepEnded
from fcregistry.execution import Content, ToolOutput


def giving(value: Any) -> Tool:
    """Return a tool that returns a value."""

    def give() -> Any:
        """Give a value."""
        return value

    return Tool.from_function(give)


def substituted(value: Any, values: dict[str, Any]) -> Any:
    """Return what a tool is given where a plan says one value, and earlier steps made others."""
    taken: list[Any] = []

    def take(value: Any) -> None:
        """Take a value."""
        taken.append(value)

    makers = {name: giving(made).renamed(f"make_{name[2:]}") for name, made in values.items()}
    lines = [f"{name} = {tool.name}[]" for name, tool in makers.items()]
    plan = "\n".join([*lines, f"#E9999 = take[{json.dumps({'value': value})}]"])
    ReWOOAgent(lambda messages: plan, [take, *makers.values()], max_replans=0).run("?")
    (got,) = taken
    return got


@pytest.mark.parametrize(
    ("value", "values", "wanted"),
    [
        ({"b": "#E1"}, {"#E1": 68}, {"b": 68}),
        ({"b": " #E1 "}, {"#E1": 68}, {"b": 68}),
        ("#E2", {"#E2": [1, 2]}, [1, 2]),
        ("Use #E1 now", {"#E1": {"ok": True}}, 'Use {"ok": true} now'),
        ("#E10 and #E1", {"#E1": "one", "#E10": "ten"}, "ten and one"),
        ("#E10", {"#E1": "one"}, "#E10"),
        ("#E1, #E1's", {"#E1": "one"}, "one, one's"),
        (["#E3", {"k": ["#E1"]}], {"#E1": 1}, ["#E3", {"k": [1]}]),
        ("#E1", {"#E1": "#E2", "#E2": 5}, "#E2"),
        ({"#E1": 1}, {"#E1": "x"}, {"#E1": 1}),
        (5, {"#E1": 1}, 5),
        ("#E12345 is a colour", {"#E1": 1, "#E12": 2, "#E1234": 3}, "#E12345 is a colour"),
        ("#E1st", {"#E1": 1}, "#E1st"),
        *(("#E1", {"#E1": falsy}, falsy) for falsy in (0, False, "", [], {}, None)),
        *(
            ("<#E1>", {"#E1": falsy}, text)
            for falsy, text in ((0, "<0>"), (False, "<false>"), ("", "<>"), (None, "<null>"))
        ),
    ],
)
def test_a_reference_gives_the_value_if_it_is_all_there_is_and_its_text_otherwise(
    value: Any, values: dict[str, Any], wanted: Any
) -> None:
    got = substituted(value, values)
    assert got == wanted
    assert type(got) is type(wanted)


def test_references_are_found_at_any_depth_but_not_in_names() -> None:
    asked: list[str] = []

    def model(messages: list[dict[str, Any]]) -> str:
        asked.append(messages[-1]["content"])
        return '#E1 = give[{"#E9": ["#E2 of #E10", {"deep": "#E3"}], "n": 3}]'

    ReWOOAgent(model, [giving(1)], max_replans=1).run("?")
    assert [name for name in ("#E2", "#E3", "#E9", "#E10") if f"refers to {name}," in asked[1]] == [
        "#E2",
        "#E3",
        "#E10",
    ]


@given(st.integers(0, 9998), st.integers(0, 9998))
def test_a_reference_is_never_found_in_another(one: int, other: int) -> None:
    text = f"#E{one}"
    assert substituted(f"<{text}>", {f"#E{other}": "x"}) == ("<x>" if one == other else f"<{text}>")


# --- what came of a call --------------------------------------------------------------------------


@dataclass
class Evidence:
    """What a step made: what other tools are given, what the solver is told, and whether it went well."""

    value: Any
    text: str
    ok: bool


def evidence_of(function: Any, **settings: Any) -> Evidence:
    taken: list[Any] = []

    def take(value: Any) -> None:
        """Take a value."""
        taken.append(value)

    plan = f'#E1 = {function.__name__}[]\n#E2 = take[{{"value": "#E1"}}]'
    events = ReWOOAgent(lambda messages: plan, Executor([function, take], **settings)).stream("?")
    ended = next(event for event in list(events) if isinstance(event, StepEnded))
    return Evidence(*taken, ended.text, ended.ok)


def test_evidence_is_the_json_value_of_a_result() -> None:
    def day() -> dict[str, Any]:
        return {"on": date(2026, 3, 1), "also": (1, 2)}

    evidence = evidence_of(day)
    assert evidence.value == {"on": "2026-03-01", "also": [1, 2]}
    assert evidence.text == '{"on": "2026-03-01", "also": [1, 2]}'
    assert evidence.ok


@pytest.mark.parametrize("returned", ["68", "[1]", "null", "", "not JSON"])
def test_a_text_stays_a_text(returned: str) -> None:
    def text() -> str:
        return returned

    assert evidence_of(text).value == returned


@pytest.mark.parametrize("returned", [0, False, [], None, 1.5])
def test_a_falsy_value_is_a_value(returned: Any) -> None:
    def value() -> Any:
        return returned

    assert evidence_of(value).value == returned


def test_a_failure_is_evidence_with_what_it_says() -> None:
    def broken() -> int:
        raise ValueError("no such city")

    evidence = evidence_of(broken)
    assert not evidence.ok
    assert evidence.value == evidence.text
    assert "no such city" in evidence.text


def test_of_content_the_evidence_is_its_text() -> None:
    def picture() -> Any:
        return [Content.text("a map"), Content.image(b"\x89PNG\r\n\x1a\n", media_type="image/png")]

    assert evidence_of(picture).value.startswith("a map")


def test_the_value_for_the_program_alone_goes_to_no_other_tool() -> None:
    def reserved() -> Any:
        return ToolOutput(value={"secret": 1}, content="42 rows")

    assert evidence_of(reserved).value == "42 rows"


def test_what_is_cut_for_the_model_is_whole_for_other_tools() -> None:
    def numbers() -> list[int]:
        return list(range(500))

    evidence = evidence_of(numbers, max_characters=300)
    assert evidence.value == list(range(500))
    assert len(evidence.text) <= 300


def test_a_value_that_is_not_json_any_more_is_text() -> None:
    def number() -> int:
        return 5

    @hookimpl
    def fc_after_call(call: ToolCall, result: ToolResult) -> ToolResult | None:
        return result.with_content("five (5") if call.name == "number" else None

    assert evidence_of(number, hooks=[fc_after_call]).value == "five (5"
