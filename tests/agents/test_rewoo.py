"""A ReWOOAgent plans once, gathers the evidence, and answers from it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from fcregistry import Registry, ReWOOAgent, Tool, ToolCall
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
from fcregistry.execution import Approve, CancellationToken, Content, Deny
from fcregistry.models import Message

from ..models.openai_wire import chat, chat_reply  # noqa: TID252  # the tests are no package
from ..models.provider_server import ProviderServer  # noqa: TID252
from .scripts import WAYS, Script, add, adds, aran, calls, check_history, ran, says

KEY = b"k" * 16
TEXT = 'Plan: multiply\n#E1 = multiply[{"a": 2, "b": 4}]\nPlan: add 20 to that\n#E2 = add[{"a": 20, "b": "#E1"}]'
PLAN = says(TEXT)


def multiply(a: int, b: int) -> int:
    """Multiply two numbers."""
    return a * b


def search(query: str) -> str:
    """Look something up."""
    return f"<{query}>"


def nothing() -> None:
    """Do nothing."""


def fail() -> None:
    """Fail."""
    raise ValueError("the shop is closed")


def agent(model: Any, **options: Any) -> ReWOOAgent:
    return ReWOOAgent(model, [add, multiply, search, nothing, fail], **options)


def evidence(model: Script) -> str:
    """Return what the solver was told last."""
    return model.heard[-1][-1].text


# --- plan, gather, answer -------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_evidence_is_gathered_as_planned_and_answered_from(way: Callable[..., RunResult]) -> None:
    model = Script(PLAN, says("It is 28."))
    result = way(agent(model), "What is 20+(2*4)?")
    assert result.ok
    assert result.answer == "It is 28."
    assert [each.value for each in result.tool_results] == [8, 28]
    assert result.usage.requests == len(model.heard) == 2
    assert [step.kind for step in result.steps] == ["model", "plan", "tools", "step", "tools", "step", "model"]
    assert evidence(model) == (
        'This is the plan, with its evidence:\n\nPlan: multiply\n#E1 = multiply[{"a": 2, "b": 4}]\nEvidence: 8\n\n'
        'Plan: add 20 to that\n#E2 = add[{"a": 20, "b": "#E1"}]\nEvidence: 28\n\nNow answer what was asked for.'
    )


def test_a_plan_costs_one_question_whatever_the_number_of_tools() -> None:
    tools = [Tool.from_function(search, name=f"search_{number}") for number in range(300)]
    plan = says("\n".join(f"#E{number} = search_{number}[x]" for number in range(20)))
    planner, solver = Script(plan), Script(says("done"))
    result = ReWOOAgent(solver, tools, planner=planner).run("?")
    assert result.answer == "done"
    assert len(result.tool_results) == 20
    assert (len(planner.heard), len(solver.heard)) == (1, 1)


def test_planner_and_solver_may_be_different_models_and_are_offered_no_tools() -> None:
    planner, solver = Script(PLAN), Script(says("28"))
    result = agent(RuntimeError, planner=planner, solver=solver, instructions="Be brief.").run("?")
    assert result.answer == "28"
    assert planner.offered == solver.offered == [[]]
    told = planner.heard[0][0].text
    assert told.startswith("Be brief.\n\nPlan which tools")
    assert "multiply(a: integer, b: integer)\n  Multiply two numbers." in told
    assert solver.heard[0][0].text.startswith("Answer what is asked for")
    assert solver.heard[0][0].text.endswith("\n\nBe brief.")


def test_a_reference_that_is_a_whole_argument_keeps_its_type_and_one_in_a_text_gives_its_text() -> None:
    given: list[Any] = []

    def make() -> dict[str, Any]:
        return {"ok": True}

    def take(value: Any, text: str) -> None:
        given.append((value, text))

    plan = says('#E1 = make[]\n#E2 = take[{"value": {"inner": ["#E1"]}, "text": "it is #E1"}]')
    assert ReWOOAgent(Script(plan, says("done")), [make, take]).run("?").ok
    assert given == [({"inner": [{"ok": True}]}, 'it is {"ok": true}')]


def test_the_first_reference_never_touches_the_tenth() -> None:
    plan = says("#E1 = search[one]\n#E10 = search[ten]\n#E11 = search[#E10 and #E1]")
    result = agent(Script(plan, says("done"))).run("?")
    assert result.tool_results[2].content == "<<ten> and <one>>"


def test_a_value_for_a_tool_that_takes_text_is_its_text() -> None:
    plan = says("#E1 = multiply[2, 4]\n#E2 = search[#E1]")
    assert agent(Script(plan, says("done"))).run("?").tool_results[1].content == "<8>"


@pytest.mark.parametrize("way", [ran, aran])
def test_steps_that_do_not_need_one_another_run_at_the_same_time(way: Callable[..., RunResult]) -> None:
    together = threading.Barrier(3)

    def meet(name: str) -> str:
        together.wait(20)
        return name

    plan = says("#E1 = meet[a]\n#E2 = search[#E1 and #E3]\n#E3 = meet[b]\n#E4 = meet[c]")
    result = way(ReWOOAgent(Script(plan, says("done")), [meet, search]), "?")
    assert [each.content for each in result.tool_results] == ["a", "b", "c", "<a and b>"]


def test_the_levels_of_a_plan_run_one_after_another_each_in_the_order_of_the_plan() -> None:
    plan = says("#E3 = search[#E1]\n#E1 = search[a]\n#E2 = search[b]\n#E4 = search[#E3 #E2]")
    result = agent(Script(plan, says("done"))).run("?")
    assert [[each.content for each in step.results] for step in result.steps if step.results] == [
        ["<a>", "<b>"],
        ["<<a>>"],
        ["<<<a>> <b>>"],
    ]


@pytest.mark.parametrize("plan", ["Plan: answer", "It is 28.", ""])
def test_without_steps_the_solver_answers_without_evidence(plan: str) -> None:
    model = Script(says(plan), says("28"))
    result = agent(model).run("?")
    assert result.answer == "28"
    assert evidence(model) == "No tool is needed. Now answer what was asked for."


@pytest.mark.parametrize(("said", "answer_type"), [("0", int), ("false", bool), ("[]", list[int])])
def test_a_falsy_answer_is_an_answer(said: str, answer_type: Any) -> None:
    result = agent(Script(PLAN, says(said)), answer_type=answer_type).run("?")
    assert result.ok
    assert not result.answer
    assert type(result.answer) is type(answer_type())


def test_falsy_evidence_is_evidence() -> None:
    model = Script(says("#E1 = nothing[]\n#E2 = multiply[0, 5]\n#E3 = add[1, #E2]"), says("done"))
    result = agent(model).run("?")
    assert result.tool_results[2].value == 1
    assert "#E1 = nothing[]\nEvidence: null\n" in evidence(model)


def test_an_answer_of_the_wrong_type_is_sent_back() -> None:
    model = Script(PLAN, says("many"), says("28"))
    assert agent(model, answer_type=int).run("?").answer == 28
    assert agent(Script(PLAN, says("many")), answer_type=int, max_rounds=1).run("?").stop_reason == "invalid_answer"


def test_the_conversation_can_be_passed_back() -> None:
    result = agent(Script(PLAN, says("It is 28."))).run("What is 20+(2*4)?")
    check_history(result.messages)
    roles = ["user", "assistant", "assistant", "tool", "assistant", "tool", "user", "assistant"]
    assert [message.role for message in result.messages] == roles
    assert [call.id for message in result.messages for call in message.tool_calls] == ["E1", "E2"]

    again = agent(Script(PLAN, says("Still 28."))).run([*result.messages, "And now?"])
    check_history(again.messages)
    assert again.messages[:8] == result.messages
    assert [call.id for message in again.messages for call in message.tool_calls] == ["E1", "E2", "E1_2", "E2_2"]


def test_the_calls_that_ran_last_can_be_returned_instead() -> None:
    (call,) = agent(Script(PLAN, says("28")), return_last_tool_calls=True)("?")
    assert call["function"] == {"name": "add", "arguments": '{"a": 20, "b": 8}'}
    assert call["tool_call_result"] == "28"


# --- steps that fail ------------------------------------------------------------------------------


def test_the_text_of_a_failure_is_the_evidence() -> None:
    model = Script(says("#E1 = fail[]\n#E2 = search[why #E1]"), says("It is closed."))
    events = list(agent(model).stream("?"))
    assert [event.ok for event in events if isinstance(event, StepEnded)] == [False, True]
    assert "#E1 = fail[]\nEvidence: ValueError: the shop is closed\n" in evidence(model)
    assert "<why ValueError: the shop is closed>" in evidence(model)
    last = events[-1]
    assert isinstance(last, Finished)
    assert last.result.answer == "It is closed."


def test_a_prefixed_tool_that_fails_goes_by_its_own_name_in_events_and_in_the_history() -> None:
    registry = Registry()
    registry.register(fail)
    model = Script(says("#E1 = my_fail[]"), says("It failed."))
    events = list(ReWOOAgent(model, registry.select("fail").prefixed("my_")).stream("?"))
    assert [event.call.name for event in events if isinstance(event, Calling)] == ["my_fail"]
    last = events[-1]
    assert isinstance(last, Finished)
    assert [message.name for message in last.result.messages if message.role == "tool"] == ["my_fail"]


# --- plans with something wrong -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        ("#E1 = serach[x]", "#E1 = serach: there is no tool 'serach'; did you mean 'search'?"),
        ("#E1 = search[#E7]", "#E1 refers to #E7, which no step makes; there are #E1"),
        ("#E1 = search[#E2]\n#E2 = search[#E1]", "#E1 waits for #E2 waits for #E1: such steps can never run"),
        ("#E1 = nothing[]\n#E2 = nothing[]\n#E3 = nothing[]", "the plan has more than 2 steps; write fewer"),
    ],
)
def test_a_planner_reads_what_is_wrong_and_may_try_again(plan: str, told: str) -> None:
    model = Script(says(plan), PLAN, says("28"))
    result = agent(model, max_steps=2).run("?")
    assert result.answer == "28"
    assert model.heard[1][-1].text == (
        f"This plan cannot be carried out:\n- {told}\n\nWrite the whole plan again, without these mistakes."
    )
    check_history(result.messages)


def test_a_plan_that_stays_wrong_is_carried_out_as_far_as_it_can_be() -> None:
    plan = says('#E1 = serach[x]\n#E2 = search[ok]\n#E3 = search[#E9]\n#E4 = add[1]\n#E5 = search[{"query": "cut')
    model = Script(plan, plan, says("done"))
    result = agent(model, max_replans=1).run("?")
    assert result.answer == "done"
    assert [each.error.code if each.error else each.content for each in result.tool_results] == [
        *["unknown_tool", "<ok>", "<#E9>", "malformed_call", "malformed_call"],
    ]


def test_what_a_tool_returned_is_never_run_as_the_arguments_of_a_call_that_is_cut_off() -> None:
    def page() -> dict[str, Any]:
        return {"query": "what the page says"}

    result = ReWOOAgent(
        Script(says("#E1 = page[]\n#E2 = search[#E1"), says("done")), [page, search], max_replans=0
    ).run("?")
    assert [each.error and each.error.code for each in result.tool_results] == [None, "malformed_call"]


def test_a_plan_that_can_never_be_carried_out_ends_the_run() -> None:
    model = Script(says("#E1 = search[#E1]"))
    result = agent(model, max_replans=2).run("?")
    assert result.stop_reason == "invalid_plan"
    assert str(result.error) == "#E1 waits for #E1: such steps can never run"
    assert len(model.heard) == 3
    assert result.answer is None


def test_a_plan_that_is_cut_off_is_not_carried_out() -> None:
    result = agent(Script(says(TEXT, "length"))).run("?")
    assert result.stop_reason == "length"
    assert result.tool_results == ()


def test_a_planner_that_calls_reads_that_it_cannot() -> None:
    model = Script(calls(adds(1, 2)), PLAN, says("28"))
    result = agent(model).run("?")
    assert result.answer == "28"
    told = "the call was not run: nothing can be called while the plan is made; write the plan as text"
    assert result.tool_results[0].content == told  # and not that there are no tools: it is to plan with them
    assert result.tool_results[0].error is not None


def test_a_solver_that_goes_on_calling_ends_the_run() -> None:
    result = agent(Script(PLAN, calls(adds(1, 2))), max_rounds=2).run("?")
    assert result.stop_reason == "max_rounds"
    assert result.messages[-1].text == "the call was not run: all calls of the plan were made; answer from the evidence"
    check_history(result.messages)


def test_the_solver_sees_images_among_the_evidence_also_in_another_process() -> None:
    def photo(of: str) -> Content:
        """Take a photo."""
        return Content.image(b"\x89PNG\r\n\x1a\n")

    guarded = Tool.from_function(search, requires_approval=True)
    model = Script(calls(adds(1, 2)), says("#E1 = search[a]\n#E2 = photo[#E1]\n#E3 = add[1, 2]"), says("a cat"))
    waiting = ReWOOAgent(model, [photo, guarded, add]).run("?")
    assert waiting.state is not None
    state = RunState.from_json(waiting.state.to_json(key=KEY), key=KEY)
    result = ReWOOAgent(model, [photo, guarded, add]).resume(state, {waiting.pending[0].id: Approve()})
    assert result.answer == "a cat"
    told = model.heard[-1][-1].content
    assert isinstance(told, tuple)
    assert [part.kind for part in told] == ["text", "text", "image"]
    assert told[1].plain == "#E2:"


# --- events, and what ends a run ------------------------------------------------------------------


def test_the_event_of_a_plan_precedes_its_steps_and_steps_that_run_together_begin_together() -> None:
    plan = says("Plan: both\n#E1 = search[a]\n#E2 = search[b]\nPlan: then\n#E3 = search[#E1]")
    kinds = (Planning, Planned, StepBegan, Calling, Returned, StepEnded, Finished)
    told = [event for event in agent(Script(plan, says("done"))).stream("?") if isinstance(event, kinds)]
    assert [type(event) for event in told] == [
        *[Planning, Planned, StepBegan, StepBegan, Calling, Calling, Returned, Returned, StepEnded, StepEnded],
        *[StepBegan, Calling, Returned, StepEnded, Finished],
    ]
    assert told[1] == Planned(steps=("both\n#E1 = search[a]", "#E2 = search[b]", "then\n#E3 = search[#E1]"))
    assert told[10] == StepBegan(index=2, text="then\n#E3 = search[#E1]")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("said", [[RuntimeError("offline")], [PLAN, RuntimeError("offline")]])
def test_a_model_that_fails_is_a_result_in_every_way(way: Callable[..., RunResult], said: list[Any]) -> None:
    result = way(agent(Script(*said)), "?")
    assert result.stop_reason == "model_error"
    assert str(result.error) == "offline"
    assert len(result.tool_results) == (2 if len(said) == 2 else 0)


@pytest.mark.parametrize("way", [ran, aran])
def test_a_cancelled_run_ends_without_an_answer(way: Callable[..., RunResult]) -> None:
    token = CancellationToken()

    def stop() -> str:
        token.cancel()
        return "stopped"

    model = Script(says("#E1 = stop[]\n#E2 = search[#E1]"), says("28"))
    assert way(ReWOOAgent(model, [stop, search]), "?", cancellation=token).stop_reason == "cancelled"
    assert len(model.heard) == 1


@pytest.mark.parametrize("limit", ["max_steps", "max_rounds", "max_replans"])
def test_a_limit_is_a_number(limit: str) -> None:
    with pytest.raises(ValueError, match=rf"^{limit} takes a whole number .*, not -1$"):
        agent(Script(PLAN), **{limit: -1})


# --- approval -------------------------------------------------------------------------------------


def test_a_run_waits_before_any_call_of_a_level_runs_and_goes_on_in_another_process() -> None:
    ran: list[str] = []

    def note(what: str) -> str:
        ran.append(what)
        return what

    def pay(amount: int) -> str:
        ran.append(f"paid {amount}")
        return "paid"

    tools = [note, multiply, Tool.from_function(pay, requires_approval=True)]
    plan = says("#E1 = multiply[2, 4]\n#E2 = note[first]\n#E3 = pay[#E1]\n#E4 = note[#E1!]\n#E5 = note[then #E3]")
    waiting = ReWOOAgent(Script(plan), tools).run("?")
    assert waiting.stop_reason == "approval"
    assert ran == ["first"]
    (pending,) = waiting.pending
    assert (pending.id, pending.arguments) == ("E3", {"amount": 8})
    assert waiting.state is not None
    text = waiting.state.to_json(key=KEY)

    model = Script(says("done"))
    result = ReWOOAgent(model, tools).resume(RunState.from_json(text, key=KEY), {"E3": Approve()})
    assert result.answer == "done"
    assert ran[0] == "first"
    assert sorted(ran[1:3]) == ["8!", "paid 8"]
    assert ran[3] == "then paid"
    assert "#E1 = multiply[2, 4]\nEvidence: 8\n" in evidence(model)
    assert result.usage.requests == 2
    check_history(result.messages)


def test_a_denied_call_is_evidence() -> None:
    model = Script(says("#E1 = add[1, 2]"), says("not done"))
    asked = ReWOOAgent(model, [Tool.from_function(add, requires_approval=True)])
    waiting = asked.run("?")
    assert waiting.state is not None
    assert asked.resume(waiting.state, {"E1": Deny("not today")}).answer == "not done"
    assert "not today" in evidence(model)


# --- many tools -----------------------------------------------------------------------------------


def test_of_thousands_of_tools_the_planner_sees_those_that_have_to_do_with_the_question() -> None:
    tools = [Tool.from_function(nothing, name=f"other_{number}", description="Paint.") for number in range(1000)]
    model = Script(says("#E1 = multiply[2, 4]"), says("8"))
    result = ReWOOAgent(model, OnDemand([multiply, *tools])).run("Multiply two numbers: 2 and 4")
    assert result.tool_results[0].value == 8
    told = model.heard[0][0].text
    assert "multiply(a: integer, b: integer)" in told
    assert "other_1" not in told
    assert "search_tools" not in told


def test_what_a_conversation_has_opened_is_shown_to_the_planner_whatever_the_question() -> None:
    loaded = ToolCall("load_tools", {"names": ["multiply"]}, "1")
    before = [
        Message(role="user", content="Get ready."),
        Message(role="assistant", tool_calls=(loaded,)),
        Message(role="tool", content="multiply can be called", tool_call_id="1", name="load_tools"),
    ]
    model = Script(says("#E1 = multiply[2, 4]"), says("8"))
    result = ReWOOAgent(model, OnDemand([add, multiply])).run([*before, "?"])
    assert result.tool_results[0].value == 8
    assert "multiply(a: integer, b: integer)" in model.heard[0][0].text
    assert "add(" not in model.heard[0][0].text


def test_what_was_opened_for_the_plan_is_open_when_a_run_is_taken_up() -> None:
    tools = OnDemand([Tool.from_function(add, requires_approval=True), multiply])
    model = Script(says("#E1 = add[1, 2]\n#E2 = multiply[2, #E1]"), says("6"))
    waiting = ReWOOAgent(model, tools).run("add two numbers and multiply two numbers")
    assert waiting.state is not None
    state = RunState.from_json(waiting.state.to_json(key=KEY), key=KEY)
    result = ReWOOAgent(model, tools).resume(state, {"E1": Approve()})
    assert [each.value for each in result.tool_results] == [3, 6]


# --- over the wire --------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [ran, aran])
def test_a_provider_is_asked_twice(way: Callable[..., RunResult]) -> None:
    with ProviderServer(chat_reply({"content": TEXT}), chat_reply({"content": "28"})) as server:
        result = way(agent(chat(server)), "What is 20+(2*4)?")
        asked = [request.json for request in server.requests]
    assert result.answer == "28"
    assert [[message["role"] for message in each["messages"]] for each in asked] == [
        ["system", "user"],
        ["system", "user", "user"],
    ]
    assert all("tools" not in each for each in asked)
