"""A model that repeats its calls, with the same results, reads so; with `max_repeats`, the run ends."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from fcregistry import PlanAndSolveAgent, ReactAgent, ReWOOAgent, ToolCall
from fcregistry.agents import Conversation, RunResult, RunState
from fcregistry.errors import UnfinishedRunError
from fcregistry.execution import Approve, Content, Executor, Policy

from .scripts import WAYS, Counting, Script, add, adds, calls, says

NOTE = "These are the same calls with the same results as in the round before. Do something else, or answer with what you know."

KEY = b"a key of this test"


def noted(model: Script) -> list[bool]:
    """Return whether the last message of each request says that the model repeats itself."""
    return [NOTE in heard[-1].text for heard in model.heard]


@pytest.mark.parametrize("way", WAYS)
def test_the_model_reads_from_the_second_equal_round_on_that_it_repeats_itself(way: Callable[..., RunResult]) -> None:
    model = Script(*[calls(adds(1, 2, str(number))) for number in range(4)], calls(adds(1, 3, "x")), says("4"))

    result = way(ReactAgent(model, [add], max_rounds=10), "?")
    assert (result.answer, noted(model)) == ("4", [False, False, True, True, True, False])
    assert NOTE not in "".join(message.text for message in result.messages)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("most", "ran"), [(0, 2), (1, 3), (3, 5)])
def test_a_run_ends_after_more_repeats_than_there_may_be(way: Callable[..., RunResult], most: int, ran: int) -> None:
    model, counting = Script(calls(adds(1, 2))), Counting()

    result = way(ReactAgent(model, [counting.add], max_rounds=50, max_repeats=most), "?")
    assert (result.stop_reason, result.ok, result.answer) == ("repeated", False, None)
    assert (counting.ran, len(model.heard)) == (ran, ran)
    assert [message.text for message in result.messages if message.role == "tool"] == ["3"] * ran
    assert str(result) == "the model made the same calls with the same results more often in a row than it may"
    with pytest.raises(UnfinishedRunError, match="more often in a row than it may"):
        result.unwrap()


def test_there_is_no_limit_by_default() -> None:
    assert ReactAgent(Script(calls(adds(1, 2))), [add], max_rounds=30).run("?").stop_reason == "max_rounds"


def test_the_order_and_space_of_arguments_do_not_matter_but_their_values_do() -> None:
    model = Script(
        calls(ToolCall("add", '{"a": 1, "b": 2}', "1")), calls(ToolCall("add", '{ "b":2,"a":1}', "1")), says("3")
    )
    assert ReactAgent(model, [add]).run("?").answer == "3"
    assert noted(model) == [False, False, True]

    def truth(value: Any) -> str:
        """Return a text."""
        return "known"

    other = Script(
        calls(ToolCall("truth", '{"value": 1}', "1")), calls(ToolCall("truth", '{"value": true}', "1")), says("3")
    )
    ReactAgent(other, [truth]).run("?")
    assert noted(other) == [False, False, False]


def test_another_result_or_another_call_beside_it_is_no_repeat() -> None:
    counting = iter(range(100))

    def count() -> int:
        """Count."""
        return next(counting)

    model = Script(calls(ToolCall("count", "{}", "1")))
    assert ReactAgent(model, [count], max_rounds=6, max_repeats=0).run("?").stop_reason == "max_rounds"
    assert not any(noted(model))

    more = Script(calls(adds(1, 2)), calls(adds(1, 2), adds(1, 2, "2")), calls(adds(1, 2)), says("3"))
    assert ReactAgent(more, [add], max_repeats=0).run("?").answer == "3"


def test_results_that_differ_in_an_image_alone_are_different() -> None:
    shots = iter([b"\x89PNG\r\n\x1a\n1", b"\x89PNG\r\n\x1a\n2", b"\x89PNG\r\n\x1a\n2"])

    def screenshot() -> Content:
        """Take a screenshot."""
        return Content.image(next(shots))

    model = Script(*[calls(ToolCall("screenshot", "{}", "1"))] * 3, says("Done."))
    ReactAgent(model, [screenshot]).run("?")
    assert noted(model) == [False, False, False, True]


@pytest.mark.parametrize("way", WAYS)
def test_calls_with_arguments_of_any_depth_are_compared(way: Callable[..., RunResult]) -> None:
    def keep(x: list[Any]) -> str:
        """Keep a list."""
        return "kept"

    deep = [f'{{"x": {"[" * depth}{"]" * depth}}}' for depth in range(820, 1000, 30)]
    twice = [calls(ToolCall("keep", text, f"{at}{again}")) for at, text in enumerate(deep) for again in "ab"]
    model = Script(*twice, says("Done."))
    assert way(ReactAgent(model, [keep], max_rounds=100), "?").answer == "Done."
    assert noted(model) == [False, *[False, True] * len(deep)]


def test_a_run_without_repeats_takes_no_digest_of_its_results(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[bytes] = []

    def counted(data: bytes = b"", sha256: Any = hashlib.sha256) -> Any:
        taken.append(data)
        return sha256(data)

    monkeypatch.setattr(hashlib, "sha256", counted)
    model = Script(calls(adds(1, 2)), calls(adds(1, 3)), says("4"))
    assert ReactAgent(model, [add]).run("?").answer == "4"
    assert taken == []


def test_failures_repeat_too_and_a_round_without_calls_between_ends_the_row() -> None:
    model = Script(
        calls(ToolCall("none", "{}", "1")),
        calls(ToolCall("none", "{}", "1")),
        says("no number"),
        calls(ToolCall("none", "{}", "1")),
        says("4"),
    )
    result = ReactAgent(model, [add], answer_type=int, max_rounds=9, max_repeats=1).run("?")
    assert (result.answer, noted(model)) == (4, [False, False, True, False, False])


def test_calls_as_expressions_repeat_too() -> None:
    for code in ("add(1, 2)", "[add(1, 2), add(3, 4)]", "add(add(1, 2), 3)"):
        model = Script(says(code))
        run = ReactAgent(model, [add], calls="expression", max_rounds=20, max_repeats=1).run("?")
        assert (run.stop_reason, noted(model)) == ("repeated", [False, False, True]), code


def test_the_solver_of_a_plan_and_a_conversation_have_the_limit_too() -> None:
    planner = Script(says("1. Add."))
    solver = Script(calls(adds(1, 2)))
    run = PlanAndSolveAgent(solver, [add], planner=planner, max_rounds=20, max_repeats=1).run("?")
    assert (run.stop_reason, len(run.tool_results)) == ("repeated", 3)

    solver = Script(calls(adds(1, 2)))
    rewoo = ReWOOAgent(solver, [add], planner=Script(says("Plan: answer")), max_rounds=20, max_repeats=0)
    assert (rewoo.run("?").stop_reason, len(solver.heard)) == ("repeated", 2)

    conversation = Conversation(Script(calls(adds(1, 2))), [add], max_rounds=20, max_repeats=0)
    assert [conversation.say("?").stop_reason for _ in range(2)] == ["repeated", "repeated"]


def test_a_run_that_is_resumed_in_another_process_goes_on_counting() -> None:
    executor = Executor([add], policy=Policy(ask=["add"]))
    agent = ReactAgent(Script(calls(adds(1, 2))), executor, max_rounds=50, max_repeats=2)
    run, resumed = agent.run("?"), 0
    while run.state is not None:
        state = RunState.from_json(run.state.to_json(key=KEY), key=KEY)
        run, resumed = agent.resume(state, {call.id: Approve() for call in state.prepared.waiting}), resumed + 1
    assert (run.stop_reason, resumed) == ("repeated", 4)


@pytest.mark.parametrize("limit", [-1, 1.5, True, "1"])
def test_a_limit_that_is_not_valid_is_refused(limit: Any) -> None:
    for make in (ReactAgent, PlanAndSolveAgent, ReWOOAgent):
        with pytest.raises(ValueError, match="max_repeats takes a whole number of 0 or more"):
            make(Script(says("?")), [add], max_repeats=limit)
