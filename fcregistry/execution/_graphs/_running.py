"""How do the calls of expressions run? Each as soon as it has the results that it needs; those that need nothing of each other, at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry._base.call import CallError, Problem, ToolCall
from fcregistry._base.messages import json_path
from fcregistry._results.result import ToolResult
from fcregistry.execution._approving._resuming import Resumed
from fcregistry.execution._batching._batches import Seat, gathered, uninterrupted
from fcregistry.execution._batching._line import Line
from fcregistry.execution._batching._resources import accesses
from fcregistry.execution._effects import adrive, drive
from fcregistry.execution._graphs._authorising import Authorised, authorised
from fcregistry.execution._graphs._wording import without_result
from fcregistry.execution._run import deps_for
from fcregistry.execution._steps import Step
from fcregistry.execution._wording import invalid_arguments
from fcregistry.execution._writing._outcome import failure
from fcregistry.expressions._encode import encoded
from fcregistry.expressions._nodes import filled
from fcregistry.types import EncodingError

if TYPE_CHECKING:
    from asyncio import Semaphore
    from collections.abc import Iterable
    from concurrent.futures import Future
    from typing import Any

    from fcregistry.execution._batching._batches import Interrupt
    from fcregistry.execution._graphs._nodes import Node
    from fcregistry.execution._pipeline import Pipeline
    from fcregistry.execution._run import Run


def run_nodes(pipeline: Pipeline, nodes: list[Node], run: Run) -> list[ToolResult]:
    """Carry out the calls of expressions, and wait for all: those that want their caller's thread on this one, the others elsewhere.

    Returns:
        The results of all calls, in their order.
    """
    row = Row(pipeline, nodes, drive(authorised(pipeline, nodes, run)), run)
    if all(place - 1 in node.needs.values() for place, node in enumerate(nodes) if place):
        return [row.run_here(place) for place in range(len(nodes))]  # each needs the one before it
    # And asyncio, which calls that run one after the other need not pay for
    from fcregistry.execution._calling._loop import background

    here = [place for place in range(len(nodes)) if row.wants_caller(place)]
    elsewhere = sorted({*range(len(nodes))}.difference(here))
    future = background.submit(lambda: row.run_there(elsewhere))
    try:
        results = {place: row.run_here(place) for place in here}
        results |= zip(elsewhere, uninterrupted(future.result()), strict=True)
    except BaseException:  # whatever ends the waiting ends the calls too
        future.cancel()
        raise
    return [results[place] for place in range(len(nodes))]


async def arun_nodes(pipeline: Pipeline, nodes: list[Node], run: Run) -> list[ToolResult]:
    """Carry out the calls of expressions on the running loop; as `run_nodes` otherwise."""
    row = Row(pipeline, nodes, await adrive(authorised(pipeline, nodes, run)), run)
    return uninterrupted(await row.run_there(range(len(nodes))))


class Row:
    """The calls of expressions while they run. A call waits for earlier ones only, so some call can always run.

    Args:
        pipeline: Carries out calls.
        nodes: The calls.
        settled: Which of them may run, and the results of the others.
        run: What their caller gave along.

    Raises:
        DefinitionError: A tool cannot have what it depends on; nothing has run.
    """

    def __init__(self, pipeline: Pipeline, nodes: list[Node], settled: list[Authorised | ToolResult], run: Run) -> None:
        from concurrent.futures import Future  # which imports logging: only for calls that wait for each other

        self._pipeline = pipeline
        self._nodes = nodes
        self._settled = settled
        self._run = run
        for each in settled:
            if isinstance(each, Authorised):
                deps_for(each.step.bound.tool, run, pipeline.settings.deps)
        self._line = _line_of(settled)
        self._ends: list[Future[ToolResult]] = [Future() for _ in nodes]
        for end in self._ends:
            end.set_running_or_notify_cancel()  # who gives up waiting for it does not cancel it for the others

    def wants_caller(self, place: int) -> bool:
        """Tell whether a call has to run on the thread that makes it."""
        call = self._settled[place]
        return isinstance(call, Authorised) and call.step.bound.lane == "caller"

    def run_here(self, place: int) -> ToolResult:
        """Carry out a call on this thread, once it has what it needs."""
        seat = Seat(self._line, place)
        try:
            for need in self._nodes[place].needs.values():
                self._ends[need].result()
            result = drive(self._pipeline.course(self._given(place), self._run, seat))
            self._ends[place].set_result(result)
        finally:
            self._leave(place, seat)
        return result

    async def run_there(self, places: Iterable[int]) -> list[ToolResult | Interrupt]:
        """Carry out calls on the running loop, each once it has what it needs."""
        from asyncio import Semaphore  # there is a loop, so it is imported

        slots = Semaphore(self._pipeline.settings.max_concurrency)
        return await gathered(self._run_seated(place, slots) for place in places)

    async def _run_seated(self, place: int, slots: Semaphore) -> ToolResult | Interrupt:
        from asyncio import wrap_future  # likewise

        seat = Seat(self._line, place, slots)
        try:
            for need in self._nodes[place].needs.values():
                await wrap_future(self._ends[need])
            result = await adrive(self._pipeline.course(self._given(place), self._run, seat))
            self._ends[place].set_result(result)
        except (KeyboardInterrupt, SystemExit) as interrupt:
            return interrupt  # raised out of a task, it would end the loop for everybody
        finally:
            self._leave(place, seat)
        return result

    def _leave(self, place: int, seat: Seat) -> None:
        seat.leave()
        if not self._ends[place].done():  # interrupted: nobody is to wait for it for ever
            call = self._nodes[place].call
            self._ends[place].set_result(failure(call, CallError("cancelled", f"{call.name} was interrupted")))

    def _given(self, place: int) -> Step | ToolResult | Resumed:
        """Return a call as it is to run, with the results that it needs in their places, or why it does not."""
        call, node = self._settled[place], self._nodes[place]
        if isinstance(call, ToolResult):
            return call
        step: Step | ToolResult = call.step
        if call.references:
            inner = {call_id: self._ends[need].result() for call_id, need in node.needs.items()}
            step = _with_results(self._pipeline, call, inner)
        if call.approval is None:
            return step
        return step.with_approval(call.approval) if isinstance(step, ToolResult) else Resumed(step, call.approval)


def _with_results(pipeline: Pipeline, call: Authorised, results: dict[str, ToolResult]) -> Step | ToolResult:
    """Return a call with the results of others in their places: each written by the codec of its place, all of it validated."""
    step = call.step
    name, tool = step.call.name, step.bound.tool
    values: dict[tuple[str | int, ...], Any] = {}
    for each in call.references:
        result = results[each.call]
        if not result.ok:
            return failure(step.call, without_result(name, result), tool, step.repairs)
        try:
            values[each.path] = encoded(result.value, each.codec)
        except EncodingError as error:
            inner = "the inner call" if result.call is None else result.call.name
            problem = Problem(json_path(each.path), f"the result of {inner} cannot stand here: {error}")
            return failure(step.call, invalid_arguments(name, (problem,)), tool, step.repairs)
    ready = pipeline.prepare(ToolCall(name, filled(step.arguments, values), step.call.id), is_ours=True)
    return ready if isinstance(ready, ToolResult) else ready._replace(repairs=step.repairs + ready.repairs)


def _line_of(settled: list[Authorised | ToolResult]) -> Line | None:
    """Return the order of calls that touch the same; what one touches that needs results is known when it has them."""
    known = [each.step if isinstance(each, Authorised) and not each.references else None for each in settled]
    touched = [None if step is None else accesses(step) for step in known]
    later = any(isinstance(each, Authorised) and each.references and each.step.bound.touches for each in settled)
    return Line(touched, known) if later or any(each is not None for each in touched) else None
