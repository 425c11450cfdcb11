"""How is a run followed to its end? Its events are shown as they come, and where calls wait for a decision, it is taken up with one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final, TypeAlias

from fcregistry.agents._result import Finished
from fcregistry.cli._ask_interrupts import cancelled_by_interrupt
from fcregistry.models._model import stream_plainly

if TYPE_CHECKING:
    from fcregistry.agents import Agent, Event, RunResult, Step
    from fcregistry.cli._ask_deciding import Deciding
    from fcregistry.cli._ask_screen import Screen
    from fcregistry.cli._ask_timeline import Timeline

Begin: TypeAlias = "Callable[..., AsyncIterator[Event]]"
"""Begins a run, or takes one up: is given `time_budget` and `cancellation`."""

_LEAST: Final = 0.001
"""Seconds of a run that has none left, which is then told so."""


def followed(
    agent: Agent, question: str, seconds: float | None, screen: Screen, deciding: Deciding, timeline: Timeline
) -> RunResult:
    """Ask an agent, and return what came of it: with the steps of all of its parts, where it had to wait.

    Args:
        agent: Who is asked.
        question: What.
        seconds: How long it may take, the time apart in which a person decides; None for any time.
        screen: Shows what happens.
        deciding: Decides about calls that wait.
        timeline: Takes down what happens when.

    Raises:
        KeyboardInterrupt: Somebody interrupted it, or left a question without an answer.
    """
    left = seconds
    steps: tuple[Step, ...] = ()
    begin: Begin = partial(agent.astream, question)
    while True:
        began = perf_counter()
        result = _shown(begin, left, screen, timeline)
        steps += result.steps
        if result.state is None:
            break
        if left is not None:
            left = max(left - (perf_counter() - began), _LEAST)
        with timeline.waiting():
            decisions = deciding.decide(result.pending, screen)
        if decisions is None:
            break
        begin = partial(agent.aresume_stream, result.state, decisions)
    return replace(result, steps=steps)


def _shown(begin: Begin, seconds: float | None, screen: Screen, timeline: Timeline) -> RunResult:
    """Show what happens until the run ends, or waits."""
    with cancelled_by_interrupt() as token:
        for event in stream_plainly(lambda: timeline.noted(begin(time_budget=seconds, cancellation=token))):
            screen.show(event)
            if isinstance(event, Finished):
                result = event.result
    return result
