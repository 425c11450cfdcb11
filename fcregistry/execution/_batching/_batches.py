"""How are many calls carried out at the same time, and none of them at the cost of another?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fcregistry._base.call import ToolCall
from fcregistry._results.result import ToolResult
from fcregistry.execution._batching._line import Enter, Line
from fcregistry.execution._calling._threads import running_loop
from fcregistry.execution._effects import adrive, drive
from fcregistry.execution._run import deps_for

if TYPE_CHECKING:
    from asyncio import Semaphore
    from collections.abc import Coroutine

    from fcregistry.execution._approving._resuming import Resumed
    from fcregistry.execution._batching._resources import Accesses
    from fcregistry.execution._pipeline import Pipeline
    from fcregistry.execution._run import Run
    from fcregistry.execution._steps import Step


def listed(calls: Iterable[object]) -> list[object]:
    """Return calls as a list.

    Raises:
        TypeError: It is one call, and not several.
    """
    if isinstance(calls, (Mapping, str, ToolCall)) or not isinstance(calls, Iterable):
        raise TypeError(f"give a list of calls, or use run for one, not {type(calls).__name__}")
    return list(calls)


class Seat:
    """The place of a call in a batch: it waits for those that touch what it touches, and then for room.

    Args:
        line: The order of the batch, if its calls have one.
        place: The call's place in it.
        slots: How many calls run at the same time; None on their caller's own thread.
    """

    __slots__ = ("_holds", "_line", "_place", "_slots")

    def __init__(self, line: Line | None, place: int, slots: Semaphore | None = None) -> None:
        self._line = line
        self._place = place
        self._slots = slots
        self._holds = False

    def entering(self, step: Step) -> _Entering:
        """Return what has to be done before a call begins."""
        return _Entering(self, None if self._line is None else self._line.touched(self._place, step))

    def enter_now(self, touched: Accesses | None) -> None:
        """Wait on this thread until the call may begin."""
        if self._line is not None:
            Enter(self._line, self._place, touched).now()

    async def enter_later(self, touched: Accesses | None) -> None:
        """Wait on the running loop until the call may begin."""
        if self._line is not None:
            await Enter(self._line, self._place, touched).later()
        if self._slots is not None:
            await self._slots.acquire()
            self._holds = True

    def leave(self) -> None:
        """Say that the call is done, or that it will never begin."""
        if self._holds and self._slots is not None:
            self._slots.release()
        if self._line is not None:
            self._line.leave(self._place)


class _Entering:
    """Take a seat: an effect of the pipeline."""

    __slots__ = ("_seat", "_touched")

    def __init__(self, seat: Seat, touched: Accesses | None) -> None:
        self._seat = seat
        self._touched = touched

    def now(self) -> None:
        self._seat.enter_now(self._touched)

    async def later(self) -> None:
        await self._seat.enter_later(self._touched)


Prepared = Sequence["Step | ToolResult | Resumed"]
Interrupt = KeyboardInterrupt | SystemExit


def run_together(pipeline: Pipeline, calls: Prepared, run: Run) -> list[ToolResult]:
    """Carry out calls at the same time, and wait for all: those that want their caller's thread on this one, the others elsewhere."""
    if len(calls) < 2:
        return [drive(pipeline.course(call, run)) for call in calls]
    from fcregistry.execution._calling._loop import background  # asyncio is 38 ms, which a single call need not pay

    line = _line_of(pipeline, calls, run)
    here = [place for place, call in enumerate(calls) if pipeline.wants_caller(call)]
    elsewhere = sorted({*range(len(calls))}.difference(here))
    future = background.submit(lambda: _seated(pipeline, calls, elsewhere, run, line))
    try:
        results = {place: _run_here(pipeline, calls[place], run, Seat(line, place)) for place in here}
        results |= zip(elsewhere, uninterrupted(future.result()), strict=True)
    except BaseException:  # whatever ends the waiting ends the calls too
        future.cancel()
        raise
    return [results[place] for place in range(len(calls))]


def _line_of(pipeline: Pipeline, calls: Prepared, run: Run) -> Line | None:
    """Return the order of a batch, once it is sure that its tools can have what they depend on.

    Raises:
        DefinitionError: One cannot; nothing has run.
    """
    steps = [pipeline.step_of(call) for call in calls]
    for step in steps:
        if not isinstance(step, ToolResult):
            deps_for(step.bound.tool, run, pipeline.settings.deps)
    return Line.of(steps)


def _run_here(pipeline: Pipeline, call: Step | ToolResult | Resumed, run: Run, seat: Seat) -> ToolResult:
    try:
        return drive(pipeline.course(call, run, seat))
    finally:
        seat.leave()


async def arun_together(pipeline: Pipeline, calls: Prepared, run: Run) -> list[ToolResult]:
    """Carry out calls at the same time on the running loop."""
    line = _line_of(pipeline, calls, run)
    return uninterrupted(await _seated(pipeline, calls, range(len(calls)), run, line))


async def _seated(
    pipeline: Pipeline, calls: Prepared, places: Iterable[int], run: Run, line: Line | None
) -> list[ToolResult | Interrupt]:
    from asyncio import Semaphore

    slots = Semaphore(pipeline.settings.max_concurrency)

    async def seated(place: int) -> ToolResult | Interrupt:
        seat = Seat(line, place, slots)
        try:
            return await adrive(pipeline.course(calls[place], run, seat))
        except (KeyboardInterrupt, SystemExit) as interrupt:
            return interrupt  # raised out of a task, it would end the loop for everybody
        finally:
            seat.leave()

    return await gathered(map(seated, places))


async def gathered(works: Iterable[Coroutine[Any, Any, ToolResult | Interrupt]]) -> list[ToolResult | Interrupt]:
    """Await calls at the same time on the running loop; when the waiting ends before they do, they are cancelled.

    Raises:
        RuntimeError: There is no loop of asyncio.
    """
    import asyncio

    loop = running_loop()
    tasks = [loop.create_task(work) for work in works]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:  # whatever ends the waiting ends the calls too
        for task in tasks:
            task.cancel()
        raise


def uninterrupted(results: Iterable[ToolResult | Interrupt]) -> list[ToolResult]:
    """Return the results, or raise the interrupt that is among them."""
    checked = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        checked.append(result)
    return checked
