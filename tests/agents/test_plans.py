"""The steps in the text of a plan, however its planner numbers or lists them."""

from __future__ import annotations

from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcregistry import PlanAndSolveAgent
from fcregistry.agents import Planned

MARKS = ["1.", "1)", "(1)", "[1]", "1:", "1、", "1．", "Step 1:", "Step 1.", "STEP 1 -", "Step one:", "- **Step 1**:", "Task 1:"]  # fmt: skip  # noqa: RUF001  # as models write it
OTHERS = [
    ("a) {}", "b) {}"),
    ("A. {}", "B. {}"),
    ("I. {}", "II. {}"),
    ("1 - {}", "2 - {}"),
    ("一、{}", "二、{}"),
    ("（一）{}", "（二）{}"),  # noqa: RUF001  # as models write it
    ("第一步：{}", "第二步：{}"),  # noqa: RUF001  # as models write it
    ("步骤1：{}", "步骤2：{}"),  # noqa: RUF001  # as models write it
    ("① {}", "② {}"),
    ("- {}", "- {}"),
    ("* {}", "* {}"),
    ("• {}", "• {}"),
    ("**1. {}**", "**2. {}**"),
    ("**Step 1:** {}", "**Step 2:** {}"),
    ("**Step 1**: {}", "**Step 2**: {}"),
    ("### Step 1: {}", "### Step 2: {}"),
    ("1.{}", "2.{}"),
    ("  1. {}", "  2. {}"),
    ("Step 1\n{}", "Step 2\n{}"),
]
FORMS = [(f"{mark} {{}}", f"{mark.replace('1', '2').replace('one', 'two')} {{}}") for mark in MARKS] + OTHERS
each_form = pytest.mark.parametrize(("first", "second"), FORMS, ids=[first for first, _ in FORMS])


def steps_of(plan: str) -> tuple[str, ...]:
    """Return the steps that an agent sees in the text of a plan."""
    agent = PlanAndSolveAgent(lambda messages: plan, [], max_steps=100, max_replans=0)
    with closing(agent.stream("?")) as events:
        return next((event.steps for event in events if isinstance(event, Planned)), ())


@each_form
def test_steps_are_recognized_by_any_numbering_and_lose_it(first: str, second: str) -> None:
    plan = f"{first.format('Multiply 2 by 4')}\n{second.format('Add 20 to that')}"
    assert steps_of(plan) == ("Multiply 2 by 4", "Add 20 to that")


@each_form
def test_text_before_and_after_the_steps_is_not_a_step(first: str, second: str) -> None:
    steps = f"{first.format('Multiply')}\n\n{second.format('Add')}"
    opening, closing = "Here is the plan:\n\n", "\n\nWith this, the answer is found."

    assert steps_of(f"{opening}{steps}") == ("Multiply", "Add")
    if not first.startswith(("#", "**1. {}**")):  # what follows a heading belongs to it
        assert steps_of(f"{opening}{steps}{closing}") == ("Multiply", "Add")


def test_the_plan_of_a_worked_example_has_four_steps() -> None:
    plan = (
        "Plan:\n1. Identify the expression: 20 + (2 * 4)\n2. Multiply: 2 * 4 = 8\n3. Add: 20 + 8 = 28\n4. The answer is 28.\n\n"
        "Given these steps, the answer is 28. <END_OF_PLAN>"
    )
    assert steps_of(plan) == (
        "Identify the expression: 20 + (2 * 4)",
        "Multiply: 2 * 4 = 8",
        "Add: 20 + 8 = 28",
        "The answer is 28.",
    )


@pytest.mark.parametrize(
    "prose",
    [
        "Multiply 2 by 4, then add 20.",
        "I. think that 28 is right.",
        "20 - 3 is 17, which is the answer.",
        "1.5 litres of water are enough.",
        "Add 1.\nThat is all.",
        "10:30 is when the train leaves.",
    ],
)
def test_prose_is_one_step(prose: str) -> None:
    assert steps_of(prose) == (prose,)
    assert steps_of(f"**Plan:** {prose}") == (prose,)


def test_lines_within_a_step_belong_to_it() -> None:
    plan = "1. Look up both:\n   - Oslo\n   - Bergen\n   1. first one\n2. Add\nthem up\n\n   and round.\n"
    assert steps_of(plan) == (
        "Look up both:\n   - Oslo\n   - Bergen\n   1. first one",
        "Add\nthem up\n\n   and round.",
    )


def test_another_kind_of_list_within_a_step_belongs_to_it_even_without_indentation() -> None:
    assert steps_of("1. Look up\n- Oslo\n- Bergen\n2. Add\na) both") == ("Look up\n- Oslo\n- Bergen", "Add\na) both")


def test_a_paragraph_between_two_steps_belongs_to_the_first_one() -> None:
    assert steps_of("1. Find\n\nUse the search.\n\n2. Add") == ("Find\n\nUse the search.", "Add")


def test_lines_under_a_heading_belong_to_it() -> None:
    plan = "# Plan\n\n### Step 1: Find\n\nUse the search.\n\n### Step 2: Add\n\nUse the sum.\n"
    assert steps_of(plan) == ("Find\n\nUse the search.", "Add\n\nUse the sum.")
    assert steps_of("**1. Find**\n\nSearch.\n\n**2. Add**\n\nSum.") == ("Find\n\nSearch.", "Add\n\nSum.")


def test_bullets_before_a_numbered_list_are_not_steps() -> None:
    assert steps_of("- the goal: 28\n- the tools: two\n\n1. Multiply\n2. Add") == ("Multiply", "Add")


def test_emphasis_within_a_step_stays() -> None:
    assert steps_of("1. **Find** the *city*\n2. Add") == ("**Find** the *city*", "Add")


def test_a_fence_around_the_plan_is_not_part_of_it() -> None:
    assert steps_of("```\n1. Multiply\n2. Add\n```") == ("Multiply", "Add")
    assert steps_of("1. Run\n```\nf()\n```") == ("Run\n```\nf()\n```",)


@pytest.mark.parametrize(
    "end",
    [
        " <END_OF_PLAN>",
        "\n<END_OF_PLAN>",
        "\n\n<end_of_plan>.",
        "\n**END OF PLAN**",
        "\n--- End of the plan ---",
        "\n</plan>",
    ],
)
@pytest.mark.parametrize("after", ["", "\n", "\nNow I carry it out:\n3. Multiply"])
def test_the_mark_at_the_end_of_a_plan_and_text_after_it_are_in_no_step(end: str, after: str) -> None:
    assert steps_of(f"Plan:\n1. Multiply\n2. Add{end}{after}") == ("Multiply", "Add")
    assert steps_of(f"Multiply and add.{end}{after}") == ("Multiply and add.",)


def test_a_step_may_be_about_the_end_of_a_plan() -> None:
    assert steps_of("1. Write the end of plan A\n2. Put </plan> after it") == (
        "Write the end of plan A",
        "Put </plan> after it",
    )


@pytest.mark.parametrize("nothing", ["", "<END_OF_PLAN>", " \n\t", "1. ", "1.\n2.\n", "Plan:"])
def test_what_says_nothing_has_no_steps(nothing: str) -> None:
    assert steps_of(nothing) == ()


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="1I一a.)(-*# \n\t\r\x00\u2028\ud800٣²Step:Plan```é", max_size=60))
def test_any_text_has_steps_that_say_something(text: str) -> None:
    steps = steps_of(text)
    assert all(step.strip() for step in steps)
    assert len(steps) <= len(text.splitlines()) or not steps


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(alphabet="abc-1.)", min_size=1, max_size=8).map("do {}".format), min_size=1, max_size=12))
def test_a_plan_that_is_written_as_asked_for_is_read_as_it_was_meant(steps: list[str]) -> None:
    assert steps_of("\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))) == tuple(steps)


@pytest.mark.parametrize(
    "hostile",
    [
        "1.\n" * 30_000,
        " " * 100_000,
        "-  " * 50_000,
        "* " * 50_000,
        "step" + " " * 100_000,
        "**" * 50_000,
        "\n" * 100_000,
        "</plan>" + "-" * 100_000,
    ],
)
def test_time_grows_with_the_length_of_a_plan(hostile: str) -> None:
    """With a reader that goes back, each of these takes minutes."""
    assert len(steps_of(hostile)) <= 1
