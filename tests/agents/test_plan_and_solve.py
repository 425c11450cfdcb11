"""A PlanAndSolveAgent plans, solves step by step, and plans again where a step fails."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from fcregistry import PlanAndSolveAgent, Registry, Tool, ToolCall
from fcregistry.agents import (
    Calling,
    Finished,
    OnDemand,
    Planned,
    Planning,
    Returned,
    RunResult,
    RunState,
    StepBegan,
    StepEnded,
)
from fcregistry.errors import UnfinishedRunError
from fcregistry.execution import Approve, CancellationToken, Deny
from fcregistry.models import Message

from ..models.openai_wire import call as wire_call  # noqa: TID252  # the tests are no package
from ..models.openai_wire import chat, chat_reply  # noqa: TID252
from ..models.provider_server import ProviderServer  # noqa: TID252
from .scripts import WAYS, Script, add, adds, aran, calls, check_history, ran, says

KEY = b"k" * 16
PLAN = says("Here is the plan:\n1) Multiply 2 by 4\n2) Add 20 to that\n\nThat is all.")


def multiply(a: int, b: int) -> int:
    """Multiply two numbers."""
    return a * b


def multiplies(a: int, b: int, id: str = "1") -> ToolCall:
    return ToolCall("multiply", {"a": a, "b": b}, id)


def agent(model: Any, **options: Any) -> PlanAndSolveAgent:
    return PlanAndSolveAgent(model, [add, multiply], **options)


def worked() -> Script:
    """A model that plans two steps and solves them."""
    return Script(PLAN, calls(multiplies(2, 4)), says("8"), calls(adds(20, 8)), says("It is 28."))


def texts(messages: tuple[Message, ...]) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in messages]


# --- plan and solve -------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_a_plan_is_solved_step_by_step_and_the_last_step_answers(way: Callable[..., RunResult]) -> None:
    result = way(agent(worked()), "What is 20+(2*4)?")
    assert result.ok
    assert result.answer == "It is 28."
    assert [each.value for each in result.tool_results] == [8, 28]
    assert result.usage.requests == 5
    assert [step.kind for step in result.steps] == ["model", "plan", *["model", "tools", "model", "step"] * 2]
    assert [step.texts for step in result.steps if step.texts] == [
        ("Multiply 2 by 4", "Add 20 to that"),
        ("Multiply 2 by 4", "8"),
        ("Add 20 to that", "It is 28."),
    ]


def test_the_planner_reads_about_the_tools_and_is_offered_none() -> None:
    model = worked()
    agent(model, instructions="Speak of euros.").run("What is 20+(2*4)?")
    assert model.offered == [[], *[["add", "multiply"]] * 4]
    told = model.heard[0][0].text
    assert told.startswith("Speak of euros.\n\nMake a plan")
    assert "at most 10" in told
    assert told.endswith("These tools can be used:\n- add: Add two numbers.\n- multiply: Multiply two numbers.")
    assert model.heard[1][0].text.startswith("Speak of euros.\n\nYou carry out a plan")


def test_each_step_sees_the_goal_the_plan_and_the_results_so_far_and_nothing_else() -> None:
    model = worked()
    agent(model).run("What is 20+(2*4)?")
    plan = ("assistant", "1. Multiply 2 by 4\n2. Add 20 to that")
    first, second = texts(model.heard[1])[1:], texts(model.heard[3])[1:]
    assert first == [
        ("user", "What is 20+(2*4)?"),
        plan,
        ("user", "Now carry out step 1 of the plan, and no other: Multiply 2 by 4\n\nAnswer with its result."),
    ]
    assert second[:2] == first[:2]
    assert second[2][1] == (
        "These steps are done:\n- Multiply 2 by 4\n  Result: 8\n\nNow carry out step 2 of the plan, and no other: Add 20 to that\n\n"
        "It is the last step: answer the whole request with what is known then."
    )


def test_planner_and_solver_may_be_different_models() -> None:
    planner, solver = Script(PLAN), Script(says("8"), says("28"))
    result = agent(solver, planner=planner).run("?")
    assert result.answer == "28"
    assert (len(planner.heard), len(solver.heard)) == (1, 2)
    assert result.usage.requests == 3


def test_prose_is_solved_as_one_step() -> None:
    model = Script(says("Just add the two."), says("28"))
    assert agent(model).run("?").answer == "28"
    assert "step 1 of the plan, and no other: Just add the two." in model.heard[1][-1].text


@pytest.mark.parametrize(("said", "answer_type"), [("0", int), ("false", bool), ("[]", list[int])])
def test_a_falsy_answer_is_an_answer(said: str, answer_type: Any) -> None:
    result = agent(Script(says("1. Do it"), says(said)), answer_type=answer_type).run("?")
    assert result.ok
    assert not result.answer
    assert type(result.answer) is type(answer_type())


def test_only_the_last_step_is_asked_for_the_type_of_the_answer() -> None:
    model = Script(PLAN, says("eight"), says("28 it is"), says("28"))
    result = agent(model, answer_type=int, answer_retries=1).run("?")
    assert result.answer == 28
    assert ["JSON" in heard[0].text for heard in model.heard] == [False, False, True, True]


def test_the_conversation_can_be_passed_back() -> None:
    model = worked()
    result = agent(model).run("What is 20+(2*4)?")
    check_history(result.messages)
    assert [message.role for message in result.messages] == [
        *["user", "assistant"],
        *["user", "assistant", "tool", "assistant"] * 2,
    ]
    assert [call.id for message in result.messages for call in message.tool_calls] == ["1", "call_1"]

    again = Script(says("1. Recall"), says("28, as I said."))
    assert agent(again).run([*result.messages, "Again?"]).answer == "28, as I said."
    assert again.heard[0][1:-1] == result.messages


def test_the_calls_of_the_last_round_can_be_returned_instead() -> None:
    (call,) = agent(worked(), return_last_tool_calls=True)("?")
    assert call["function"]["name"] == "add"
    assert call["tool_call_result"] == "28"


def test_a_prefixed_tool_that_fails_goes_by_its_own_name_in_events_and_in_the_history() -> None:
    def fail() -> None:
        raise ValueError("no")

    registry = Registry()
    registry.register(fail)
    model = Script(says("1. Try"), calls(ToolCall("my_fail", {}, "1")), says("It failed."))
    events = list(PlanAndSolveAgent(model, registry.select("fail").prefixed("my_")).stream("?"))
    (called,) = [event.call.name for event in events if isinstance(event, Calling)]
    (returned,) = [event.result for event in events if isinstance(event, Returned)]
    assert called == "my_fail"
    assert (returned.ok, returned.call.name if returned.call else "") == (False, "my_fail")
    last = events[-1]
    assert isinstance(last, Finished)
    assert [message.name for message in last.result.messages if message.role == "tool"] == ["my_fail"]


# --- events ---------------------------------------------------------------------------------------


def test_the_event_of_a_plan_precedes_its_steps_and_that_of_a_step_its_calls() -> None:
    kinds = (Planning, Planned, StepBegan, Calling, Returned, StepEnded, Finished)
    told = [event for event in agent(worked()).stream("?") if isinstance(event, kinds)]
    assert [type(event) for event in told] == [
        Planning,
        Planned,
        *[StepBegan, Calling, Returned, StepEnded] * 2,
        Finished,
    ]
    assert told[1] == Planned(steps=("Multiply 2 by 4", "Add 20 to that"))
    assert told[2] == StepBegan(index=0, text="Multiply 2 by 4")
    assert told[9] == StepEnded(index=1, text="It is 28.")


def test_the_plan_can_be_seen_before_its_first_step_is_solved() -> None:
    seen = threading.Event()

    def solver(messages: list[dict[str, Any]]) -> str:
        assert seen.wait(20)
        return "done"

    for event in agent(solver, planner=Script(PLAN)).stream("?"):
        if isinstance(event, Planned):
            seen.set()
    assert isinstance(event, Finished)
    assert event.result.answer == "done"


# --- steps that fail ------------------------------------------------------------------------------


def test_a_step_that_the_model_says_cannot_be_done_is_planned_anew() -> None:
    model = Script(PLAN, says("8"), says("**FAILED:** there is no adding"), says("1. Count up from 8"), says("28"))
    events = list(agent(model).stream("What is 20+(2*4)?"))
    last = events[-1]
    assert isinstance(last, Finished)
    assert last.result.answer == "28"
    assert [event for event in events if isinstance(event, StepEnded)] == [
        StepEnded(index=0, text="8"),
        StepEnded(index=1, text="there is no adding", ok=False),
        StepEnded(index=0, text="28"),
    ]
    assert [event.steps for event in events if isinstance(event, Planned)][1:] == [("Count up from 8",)]
    replanning = texts(model.heard[3])
    assert replanning[2] == ("assistant", "1. Multiply 2 by 4\n2. Add 20 to that")
    assert replanning[3][1] == (
        "These steps are done:\n- Multiply 2 by 4\n  Result: 8\n\nStep 2 of the plan could not be done: Add 20 to that\n"
        "The reason: there is no adding\n\nWrite a plan for what is left to do, another way."
    )
    assert "Result: 8" in model.heard[4][-1].text
    check_history(last.result.messages)


@pytest.mark.parametrize(
    ("failing", "reason"),
    [
        ([calls(adds(1, 2)), calls(adds(1, 3))], "the model was still calling tools in the last round"),
        ([says("It is", "length")], "the model's answer is cut off"),
        ([says("It is", "content_filter")], "the provider's filter has stopped the model"),
        ([says("FAILED: no")], "no"),
        ([says("FAILED:")], "no reason was given"),
    ],
)
def test_a_step_without_a_result_is_planned_anew(failing: list[Any], reason: str) -> None:
    model = Script(says("1. Try"), *failing, says("1. Try otherwise"), says("done"))
    result = agent(model, max_rounds=2).run("?")
    assert result.answer == "done"
    assert f"The reason: {reason}" in model.heard[len(failing) + 1][-1].text
    check_history(result.messages)


def test_an_answer_of_the_wrong_type_is_planned_anew() -> None:
    model = Script(says("1. Try"), says("many"), says("1. Count"), says("5"))
    assert agent(model, answer_type=int, answer_retries=0).run("?").answer == 5


@pytest.mark.parametrize(
    ("failing", "reason"),
    [
        (says("FAILED: no"), "step_failed"),
        (calls(adds(1, 2)), "max_rounds"),
        (says("It is", "length"), "length"),
    ],
)
def test_planning_anew_has_an_end_and_its_reason_a_name(failing: Any, reason: str) -> None:
    planner, solver = Script(says("1. Try")), Script(failing)
    asked = agent(solver, planner=planner, max_replans=2, max_rounds=1)
    result = asked.run("?")
    assert result.stop_reason == reason
    assert result.answer is None
    assert len(planner.heard) == len(solver.heard) == 3
    check_history(result.messages)


def test_a_plan_that_was_sent_back_counts_as_planned_again() -> None:
    model = Script(says(""), says("1. Try"), says("FAILED: no"))
    assert agent(model, max_replans=1).run("?").stop_reason == "step_failed"
    assert len(model.heard) == 3


def test_unwrap_says_why_the_last_step_failed() -> None:
    model = Script(says("1. Try"), says("FAILED: the shop is closed"))
    with pytest.raises(UnfinishedRunError, match=r"could not be done: 'Try' could not be done: the shop is closed$"):
        agent(model, max_replans=0)("?")


def test_no_plan_is_made_again_if_the_run_cannot_continue() -> None:
    result = agent(Script(says("1. Try"), calls(adds(1, 2)), calls(adds(1, 3), adds(1, 4))), max_tool_calls=2).run("?")
    assert result.stop_reason == "max_tool_calls"
    assert [each.ok for each in result.tool_results] == [True, True, False]


# --- plans that are none --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "problem"),
    [("", "there is no step in it"), ("1. a\n2. b\n3. c", "it has 3 steps, and may have 2")],
)
def test_a_text_that_is_not_a_plan_is_sent_back(said: str, problem: str) -> None:
    model = Script(says(said), says("1. Do it"), says("done"))
    assert agent(model, max_steps=2).run("?").answer == "done"
    assert model.heard[1][-1].text.startswith(f"This plan cannot be carried out:\n- {problem}\n")


def test_a_planner_that_writes_no_plan_ends_the_run() -> None:
    model = Script(says(""))
    result = agent(model, max_replans=1).run("?")
    assert result.stop_reason == "invalid_plan"
    assert str(result.error) == "there is no step in it"
    assert len(model.heard) == 2


def test_a_plan_that_is_cut_off_is_not_carried_out() -> None:
    model = Script(says("1. Delete\n2. Rest", "length"))
    assert agent(model).run("?").stop_reason == "length"
    assert len(model.heard) == 1


def test_a_planner_that_calls_reads_that_it_cannot() -> None:
    model = Script(calls(adds(1, 2)), says("1. Add"), says("3"))
    result = agent(model).run("?")
    assert result.answer == "3"
    told = "the call was not run: nothing can be called while the plan is made; write the plan as text"
    assert [each.content for each in result.tool_results if each.error] == [told]


# --- what ends a run ------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("said", [[RuntimeError("offline")], [PLAN, RuntimeError("offline")]])
def test_a_model_that_fails_is_a_result_in_every_way(way: Callable[..., RunResult], said: list[Any]) -> None:
    result = way(agent(Script(*said)), "?")
    assert result.stop_reason == "model_error"
    assert str(result.error) == "offline"
    assert result.usage.requests == len(said) - 1


@pytest.mark.parametrize("way", [ran, aran])
def test_a_cancelled_run_ends_before_the_next_step(way: Callable[..., RunResult]) -> None:
    token = CancellationToken()

    def stop() -> str:
        token.cancel()
        return "stopped"

    model = Script(PLAN, calls(ToolCall("stop", {}, "1")), says("8"))
    assert way(PlanAndSolveAgent(model, [stop]), "?", cancellation=token).stop_reason == "cancelled"
    assert len(model.heard) == 2


@pytest.mark.parametrize(
    ("limit", "value", "kind"),
    [("max_steps", 0, "above 0"), ("max_rounds", True, "above 0"), ("max_replans", -1, "of 0 or more")],
)
def test_a_limit_is_a_number(limit: str, value: Any, kind: str) -> None:
    with pytest.raises(ValueError, match=rf"^{limit} takes a whole number {kind}, not {value}$"):
        agent(Script(PLAN), **{limit: value})


# --- approval -------------------------------------------------------------------------------------


def test_a_run_waits_within_a_step_and_goes_on_in_another_process() -> None:
    guarded = [multiply, Tool.from_function(add, requires_approval=True)]
    waiting = PlanAndSolveAgent(worked(), guarded).run("What is 20+(2*4)?")
    assert waiting.stop_reason == "approval"
    (pending,) = waiting.pending
    assert pending.arguments == {"a": 20, "b": 8}
    assert waiting.state is not None
    text = waiting.state.to_json(key=KEY)

    model = Script(says("It is 28."))
    other = PlanAndSolveAgent(model, guarded)
    result = other.resume(RunState.from_json(text, key=KEY), {pending.id: Approve()})
    assert result.answer == "It is 28."
    assert result.usage.requests == 5
    written = [message.to_dict() for message in result.messages]
    assert written[:-2] == [message.replaced(suspended=False).to_dict() for message in waiting.messages]
    check_history(result.messages)


def test_a_call_that_waits_has_the_same_id_everywhere() -> None:
    plan = says("1. a\n2. b\n3. c")
    model = Script(
        plan, calls(multiplies(2, 4)), says("8"), calls(adds(20, 8)), calls(adds(1, 1)), says("28"), says(".")
    )
    asked = PlanAndSolveAgent(model, [multiply, Tool.from_function(add, requires_approval=True)])
    waiting, ids = asked.run("?"), []
    while waiting.state is not None:
        (pending,) = waiting.pending
        assert [call.id for call in waiting.messages[-1].tool_calls] == [pending.id]
        ids.append(pending.id)
        state = RunState.from_json(waiting.state.to_json(key=KEY), key=KEY)
        waiting = asked.resume(state, {pending.id: Approve()})
    assert waiting.answer == "."
    assert [call.id for message in waiting.messages for call in message.tool_calls] == ["1", *ids]
    check_history(waiting.messages)


def test_a_run_that_is_taken_up_knows_the_whole_goal_and_all_that_is_done() -> None:
    plan = says("1. Multiply\n2. Add\n3. Tell")
    model = Script(plan, says("8"), calls(adds(20, 8)), says("28"), says("It is 28."))
    asked = PlanAndSolveAgent(model, [Tool.from_function(add, requires_approval=True)])
    waiting = asked.run(["Hello.", Message(role="assistant", content="Hello."), "What is 20+(2*4)?"])
    assert waiting.state is not None
    state = RunState.from_json(waiting.state.to_json(key=KEY), key=KEY)
    result = asked.resume(state, {"1": Approve()})
    check_history(result.messages)
    last = model.heard[-1]
    assert texts(last)[1:4] == [("user", "Hello."), ("assistant", "Hello."), ("user", "What is 20+(2*4)?")]
    assert last[-1].text.startswith("These steps are done:\n- Multiply\n  Result: 8\n- Add\n  Result: 28\n\n")


def test_the_model_reads_that_a_call_was_denied_and_may_plan_again() -> None:
    guarded = Tool.from_function(add, requires_approval=True)
    model = Script(says("1. Add"), calls(adds(1, 2)), says("FAILED: denied"), says("1. Guess"), says("3"))
    asked = PlanAndSolveAgent(model, [guarded])
    waiting = asked.run("?")
    assert waiting.state is not None
    result = asked.resume(waiting.state, {waiting.pending[0].id: Deny("not today")})
    assert result.answer == "3"
    assert "not today" in result.tool_results[0].content


def test_a_run_that_is_taken_up_knows_how_often_it_was_planned_again() -> None:
    model = Script(says("1. Try"), says("FAILED: no"), says("1. Add"), calls(adds(1, 2)), says("FAILED: no"))
    asked = PlanAndSolveAgent(model, [Tool.from_function(add, requires_approval=True)], max_replans=1)
    waiting = asked.run("?")
    assert waiting.state is not None
    state = RunState.from_json(waiting.state.to_json(key=KEY), key=KEY)
    assert asked.resume(state, {"1": Approve()}).stop_reason == "step_failed"
    assert len(model.heard) == 5


# --- many tools -----------------------------------------------------------------------------------


def test_what_a_conversation_has_opened_is_open_for_the_planner_and_the_solver() -> None:
    loaded = ToolCall("load_tools", {"names": ["multiply"]}, "1")
    before = [
        Message(role="user", content="Get ready."),
        Message(role="assistant", tool_calls=(loaded,)),
        Message(role="tool", content="multiply can be called", tool_call_id="1", name="load_tools"),
    ]
    model = Script(says("1. Multiply"), says("8"))
    assert PlanAndSolveAgent(model, OnDemand([add, multiply])).run([*before, "2*4?"]).answer == "8"
    assert "- multiply: Multiply two numbers." in model.heard[0][0].text
    assert "- add:" not in model.heard[0][0].text
    assert "multiply" in model.offered[1]


# --- over the wire --------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [ran, aran])
def test_a_provider_is_asked_for_a_plan_and_then_for_each_step(way: Callable[..., RunResult]) -> None:
    replies = [
        chat_reply({"content": "1. Multiply\n2. Add"}),
        chat_reply({"content": None, "tool_calls": [wire_call("multiply", '{"a": 2, "b": 4}')]}, "tool_calls"),
        chat_reply({"content": "8"}),
        chat_reply({"content": None, "tool_calls": [wire_call("add", '{"a": 20, "b": 8}')]}, "tool_calls"),
        chat_reply({"content": "28"}),
    ]
    with ProviderServer(*replies) as server:
        result = way(agent(chat(server)), "What is 20+(2*4)?")
        asked = [request.json for request in server.requests]
    assert result.answer == "28"
    assert "tools" not in asked[0]
    assert [tool["function"]["name"] for tool in asked[1]["tools"]] == ["add", "multiply"]
    assert [message["role"] for message in asked[4]["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "tool",
    ]
