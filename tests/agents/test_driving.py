"""Runs that end early: cancelled, out of time, or without a listener."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from typing import Any

import pytest

from fcregistry import Context, ReactAgent, Tool, ToolCall
from fcregistry.agents import Finished, Planned, Planning, Progressed, Returned, RunResult, StepBegan, StepEnded, Text
from fcregistry.execution import CancellationToken
from fcregistry.models import Completion, Delta, Message, Model, ToolChoice

from .scripts import WAYS, Script, add, adds, aran, astreamed, calls, check_history, ran, says, streamed

LONG = 30
"""Seconds that nothing here takes, if it works."""


class Waits(Model):
    """A model that waits until it is cancelled.

    Attributes:
        asked: Set once it was asked.
        ended: Set once it was cancelled, and has cleaned up.
    """

    name = "test:waits"

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.ended = threading.Event()

    async def acomplete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> Completion:
        self.asked.set()
        try:
            await asyncio.sleep(LONG)
        finally:
            self.ended.set()
        raise AssertionError("not reached")


def cancelled_once(event: threading.Event, token: CancellationToken) -> threading.Thread:
    """Cancel as soon as something has happened."""

    def wait() -> None:
        event.wait(LONG)
        token.cancel("enough")

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


# --- while a model is asked -----------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_a_run_is_cancelled_while_its_model_thinks(way: Callable[..., RunResult]) -> None:
    model, token = Waits(), CancellationToken()
    canceller = cancelled_once(model.asked, token)

    result = way(ReactAgent(model, [add]), "?", cancellation=token)
    assert (result.stop_reason, result.answer, result.error) == ("cancelled", None, None)
    assert model.ended.wait(LONG)
    canceller.join()


@pytest.mark.parametrize("way", WAYS)
def test_a_run_ends_when_its_time_is_over(way: Callable[..., RunResult]) -> None:
    model = Waits()

    result = way(ReactAgent(model, [add]), "?", time_budget=0.1)
    assert result.stop_reason == "time_budget"
    assert not model.asked.is_set() or model.ended.wait(
        LONG
    )  # on a busy machine, the time ends before the model is asked


@pytest.mark.parametrize("way", WAYS)
def test_a_function_that_does_not_return_is_not_waited_for(way: Callable[..., RunResult]) -> None:
    done = threading.Event()
    try:
        result = way(ReactAgent(lambda messages: str(done.wait(LONG)), [add]), "?", time_budget=0.02)
        assert result.stop_reason == "time_budget"
    finally:
        done.set()


@pytest.mark.parametrize("way", WAYS)
def test_a_run_that_was_cancelled_before_asks_nobody(way: Callable[..., RunResult]) -> None:
    model, token = Script(says("never heard")), CancellationToken()
    token.cancel()

    assert way(ReactAgent(model, [add]), "?", cancellation=token).stop_reason == "cancelled"
    assert model.heard == []


@pytest.mark.parametrize("way", WAYS)
def test_a_model_that_cancels_itself_ends_the_run_and_not_its_caller(way: Callable[..., RunResult]) -> None:
    class GivesUp(Waits):
        async def acomplete(
            self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
        ) -> Completion:
            raise asyncio.CancelledError

    def gives_up(messages: object) -> str:
        raise asyncio.CancelledError

    for model in (GivesUp(), gives_up):
        assert way(ReactAgent(model, [add]), "?").stop_reason == "cancelled"
        assert way(ReactAgent(model, [add]), "?", time_budget=LONG).stop_reason == "cancelled"


# --- while a tool runs ----------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("how_many", [1, 2])
def test_a_run_is_cancelled_while_its_tools_run(how_many: int, way: Callable[..., RunResult]) -> None:
    begun, token = threading.Event(), CancellationToken()

    def slow(context: Context, /) -> str:
        begun.set()
        context.cancellation.wait(LONG)
        context.cancellation.check()
        return "late"

    made = [adds(1, 2, str(n)) for n in range(how_many)]
    model = Script(calls(*(ToolCall("slow", "{}", each.id) for each in made)), says("never heard"))
    canceller = cancelled_once(begun, token)

    result = way(ReactAgent(model, [slow]), "?", cancellation=token)
    assert result.stop_reason == "cancelled"
    assert len(model.heard) == 1
    assert [each.error.code for each in result.tool_results if each.error] == ["cancelled"] * how_many
    check_history(result.messages)
    canceller.join()


@pytest.mark.parametrize("way", WAYS)
def test_the_time_is_over_while_a_tool_runs(way: Callable[..., RunResult]) -> None:
    def slow(context: Context, /) -> str:
        context.cancellation.wait(LONG)
        return "late"

    model = Script(calls(ToolCall("slow", "{}", "1")), says("never heard"))
    result = way(ReactAgent(model, [slow]), "?", time_budget=0.02)
    assert result.stop_reason == "time_budget"
    check_history(result.messages)


# --- the caller's own end -------------------------------------------------------------------------


def test_cancelling_the_task_cancels_the_model_and_raises() -> None:
    model = Waits()

    async def main() -> None:
        task = asyncio.ensure_future(ReactAgent(model, [add]).arun("?"))
        while not model.asked.is_set():
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert model.ended.is_set()

    asyncio.run(main())


def test_cancelling_the_task_cancels_it_and_gives_no_result() -> None:
    """Both at once: who cancelled the task waits for it to end as one that was cancelled."""
    model, token = Waits(), CancellationToken()

    async def main() -> None:
        task = asyncio.ensure_future(ReactAgent(model, [add]).arun("?", cancellation=token))
        while not model.asked.is_set():
            await asyncio.sleep(0)
        token.cancel()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_who_stops_listening_ends_the_model_before_the_loop_goes_on() -> None:
    model = Endless()

    async def main() -> None:
        async with aclosing(ReactAgent(model, [add]).astream("?")) as events:
            async for event in events:
                assert event == Text(text="more")
                break
        assert model.ended.is_set()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())


class Endless(Waits):
    """A model that goes on talking."""

    async def astream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
    ) -> AsyncIterator[Delta | Completion]:
        try:
            while True:
                yield Delta(content="more")
                await asyncio.sleep(0)
        finally:
            self.ended.set()


def test_who_stops_listening_in_plain_code_ends_the_model() -> None:
    model = Endless()
    events: Any = ReactAgent(model, [add]).stream("?")

    assert next(events) == Text(text="more")
    events.close()
    assert model.ended.wait(LONG)


def test_who_stops_listening_ends_the_tool() -> None:
    ended = threading.Event()

    def counts(context: Context, /) -> str:
        context.progress(0.5)
        context.cancellation.wait(LONG)
        ended.set()
        return "late"

    events: Any = ReactAgent(Script(calls(ToolCall("counts", "{}", "1"))), [counts]).stream("?")
    assert any(isinstance(event, Progressed) for event in events)
    events.close()
    assert ended.wait(LONG)


def test_a_model_that_has_answered_is_left_to_end_by_itself() -> None:
    """Its connection can be kept then: a stream that is cancelled is closed."""
    how: list[str] = []

    class Cleans(Waits):
        async def astream(
            self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
        ) -> AsyncIterator[Delta | Completion]:
            try:
                yield says("5")
                await asyncio.sleep(0)
                how.append("whole")
            except BaseException as error:  # a cancellation, or the end of the generator
                how.append(type(error).__name__)
                raise

    assert streamed(ReactAgent(Cleans(), [add]), "?").answer == "5"
    assert astreamed(ReactAgent(Cleans(), [add]), "?").answer == "5"
    assert how == ["whole", "whole"]


def test_a_stream_without_a_completion_is_a_failure_that_names_the_model() -> None:
    class Silent(Waits):
        async def astream(
            self, messages: Sequence[Message], tools: Sequence[Tool] = (), *, tool_choice: ToolChoice = "auto"
        ) -> AsyncIterator[Delta | Completion]:
            yield Delta(content="Well")

    result = streamed(ReactAgent(Silent(), [add]), "?")
    assert (result.stop_reason, str(result.error)) == ("model_error", "test:waits ended without a completion")


def test_an_interrupt_in_a_model_is_the_callers() -> None:
    def interrupted(messages: Any) -> str:
        raise KeyboardInterrupt

    for way in (ran, streamed):
        with pytest.raises(KeyboardInterrupt):
            way(ReactAgent(interrupted, [add]), "?")


def test_an_interrupt_in_a_tool_is_the_callers() -> None:
    def interrupted() -> str:
        raise KeyboardInterrupt

    model = Script(calls(ToolCall("interrupted", "{}", "1")))
    for way in (ran, streamed):
        with pytest.raises(KeyboardInterrupt):
            way(ReactAgent(model, [interrupted]), "?")


# --- what is left behind --------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_a_long_lived_token_does_not_keep_runs(way: Callable[..., RunResult]) -> None:
    token = CancellationToken()
    agent = ReactAgent(Script(calls(adds(1, 2)), says("3")), [add])

    way(agent, "?", cancellation=token, time_budget=LONG)
    assert not token._callbacks
    agent.stream("?", cancellation=token)  # of which nobody asks for an event
    gc.collect()
    assert not token._callbacks


@pytest.mark.parametrize("way", WAYS)
def test_no_timer_is_left(way: Callable[..., RunResult]) -> None:
    before = threading.active_count()
    agent = ReactAgent(Script(says("3")), [add])
    for _ in range(3):
        way(agent, "?", time_budget=LONG)
    deadline = time.monotonic() + LONG
    while sum(isinstance(thread, threading.Timer) for thread in threading.enumerate()) and time.monotonic() < deadline:
        time.sleep(0.001)
    assert threading.active_count() <= before + 2  # one of our loop, one of our pool


@pytest.mark.parametrize("budget", [0, -1, "5", True, float("nan")])
def test_an_invalid_time_budget_is_refused_before_the_model_is_asked(budget: Any) -> None:
    model = Script(says("5"))
    agent = ReactAgent(model, [add])
    for ask in (agent.run, agent.stream, agent.astream):
        with pytest.raises(ValueError, match="time_budget takes seconds: a number above 0, not "):
            ask("?", time_budget=budget)  # type: ignore[operator]
    assert model.heard == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"cancellation": "stop"}, "cancellation must be a CancellationToken, not 'stop'"),
        ({"deps": "session"}, "deps must be a list of objects"),
        ({"timeout": 5}, "a run takes cancellation, time_budget and deps, not timeout"),
    ],
)
def test_an_unknown_option_of_a_run_is_refused_before_the_model_is_asked(options: Any, said: str) -> None:
    model = Script(says("5"))
    agent = ReactAgent(model, [add])
    for ask in (agent.run, agent.stream, agent.astream, agent):
        with pytest.raises(TypeError, match=said):
            ask("?", **options)
    assert model.heard == []


def test_a_time_that_never_comes_is_a_time() -> None:
    for way in (ran, aran):
        assert way(ReactAgent(Script(says("5")), [add]), "?", time_budget=float("inf")).answer == "5"


# --- what is told as it happens -------------------------------------------------------------------


def test_an_event_is_yielded_before_the_next_thing_happens() -> None:
    """A call is announced before it runs, and its progress before it returns."""
    told: list[str] = []
    go_on = threading.Event()

    def slow(context: Context, /) -> str:
        context.progress(0.5, message="half")
        go_on.wait(LONG)
        told.append("ran")
        return "done"

    model = Script(calls(ToolCall("slow", "{}", "1")), says("ok"))
    for event in ReactAgent(model, [slow]).stream("?"):
        told.append(type(event).__name__)
        if isinstance(event, Progressed):
            assert event.call.name == "slow"
            go_on.set()
    assert told == ["Calling", "Progressed", "ran", "Returned", "Text", "Finished"]


def test_several_calls_are_reported_with_their_results_in_order() -> None:
    model = Script(calls(adds(1, 2), adds(3, 4, "2")), says("ok"))
    events = list(ReactAgent(model, [add]).stream("?"))

    assert [event.result.content for event in events if isinstance(event, Returned)] == ["3", "7"]
    assert isinstance(events[-1], Finished)


# --- as JSON ----------------------------------------------------------------------------------------------


def test_every_event_is_written_as_a_json_object_that_says_what_it_is() -> None:
    def count(to: int, context: Context) -> Iterator[str]:
        context.progress(0.5, "half")
        yield "one"

    model = Script(calls(ToolCall("count", '{"to": 1}', "c1"), text="Look."), says("Counted.", reasoning="Easy."))
    told = [event.to_json() for event in ReactAgent(model, [count]).stream("Count.")]

    call = {"id": "c1", "name": "count", "arguments": '{"to": 1}'}
    assert json.loads(json.dumps(told)) == told
    assert told[:-1] == [
        {"type": "text", "text": "Look."},
        {"type": "calling", "call": call},
        {"type": "progressed", "call": call, "progress": {"fraction": 0.5, "message": "half"}},
        {"type": "progressed", "call": call, "progress": {"content": "one"}},
        {"type": "returned", "result": {"ok": True, "id": "c1", "name": "count", "content": '["one"]'}},
        {"type": "text", "text": "Counted."},
        {"type": "thinking", "text": "Easy."},
    ]
    assert (told[-1]["type"], told[-1]["result"]["answer"]) == ("finished", "Counted.")


def test_the_events_of_a_plan_are_written_too() -> None:
    events = [Planning(), Planned(steps=("a",)), StepBegan(index=0, text="a"), StepEnded(index=0, text="no", ok=False)]

    assert [event.to_json() for event in events] == [
        {"type": "planning"},
        {"type": "planned", "steps": ["a"]},
        {"type": "step_began", "index": 0, "text": "a"},
        {"type": "step_ended", "index": 0, "text": "no", "ok": False},
    ]
