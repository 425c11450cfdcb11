"""A run of `ask` over pauses for decisions, and with a slow screen."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import pytest

from fcregistry import Tool
from fcregistry.agents import Agent, Event, Finished, ReactAgent, RunResult, Step
from fcregistry.cli._ask import run_agent  # the screen and its clock are those of the test
from fcregistry.cli._ask_screen import Screen, TimedModel, Timeline  # the screen and its clock are those of the test
from fcregistry.models import CallableModel, Completion, Message


class Waits:
    """An agent that waits once for a decision, and keeps the time that it was given."""

    def __init__(self) -> None:
        self.budgets: list[float] = []

    async def astream(self, question: str, *, time_budget: float, **_: object) -> AsyncIterator[Event]:
        """Wait."""
        self.budgets.append(time_budget)
        state: Any = "where it waits"
        yield Finished(result=RunResult(answer=None, stop_reason="approval", steps=(Step(kind="model"),), state=state))

    async def aresume_stream(self, state: str, decisions: object, *, time_budget: float, **_: object) -> Any:
        """Answer."""
        self.budgets.append(time_budget)
        yield Finished(result=RunResult(answer=state, steps=(Step(kind="tools"),)))


@pytest.mark.parametrize("seconds", [1000.0, 1e-9])
def test_a_part_of_a_run_has_the_time_that_those_before_it_left(seconds: float) -> None:
    """If that is none, it has so little that it is told so; and what came of all parts is one run."""
    agent: Any = Waits()
    result = run_agent(agent, "Go", seconds, Screen("a:b", streams=False), lambda calls: {}, Timeline())

    first, second = agent.budgets
    assert first == seconds
    assert 999.0 < second < 1000.0 if seconds > 1 else second == 0.001
    assert (result.answer, [step.kind for step in result.steps]) == ("where it waits", ["model", "tools"])


class Slow(Screen):
    """A screen that shows nothing before the model was asked a second time."""

    def __init__(self, asked_again: threading.Event) -> None:
        super().__init__("a:b", streams=False)
        self._asked_again = asked_again

    def show(self, event: Event) -> None:
        """Wait."""
        assert self._asked_again.wait(60)


def lookup() -> str:
    """Look it up."""
    return "found"


def test_the_timeline_is_right_however_slow_the_screen_is() -> None:
    asked_again = threading.Event()

    def answer(messages: Sequence[Any]) -> Iterator[str | Completion]:
        if messages[-1]["role"] == "tool":
            asked_again.set()
            yield "It is found."
            return
        yield "I look it up."
        function = {"name": "lookup", "arguments": "{}"}
        call = {"id": "1", "type": "function", "function": function}
        yield Completion(message=Message.of({"role": "assistant", "content": "I look it up.", "tool_calls": [call]}))

    timeline = Timeline()
    agent: Agent = ReactAgent(TimedModel(CallableModel(answer, "script:a"), timeline), [Tool.from_function(lookup)])
    result = run_agent(agent, "Look it up", None, Slow(asked_again), lambda calls: {}, timeline)

    assert result.answer == "It is found."
    assert [line.split("  ")[-1] for line in timeline.lines()][1:-1] == ["script:a", "lookup", "script:a"]
