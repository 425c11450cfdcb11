"""Batches: calls that run at the same time, none of them at the cost of another.

A batch in which every call can take the fast path takes it, and no call is prepared before another begins. Any other batch is prepared
first; then each call of it runs through the pipeline in its turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from fcregistry._base.call import ToolCall
from fcregistry._results.result import ToolResult
from fcregistry.errors import PluginError
from fcregistry.execution._batch_order import BatchOrder, BatchTurn
from fcregistry.execution._fast_path import read_if_call
from fcregistry.execution._invoke import adrive, drive
from fcregistry.execution._observability import log_failure
from fcregistry.execution._settings import calls_context, deps_for
from fcregistry.execution._threads import background_loop, running_loop

if TYPE_CHECKING:
    from asyncio import Semaphore
    from collections.abc import Coroutine

    from fcregistry.execution._fast_path import AsyncFastPath
    from fcregistry.execution._pipeline import Pipeline
    from fcregistry.execution._settings import CallsContext
    from fcregistry.execution._step import CallStep
    from fcregistry.execution._suspended import ResumedCall

PreparedBatch = Sequence["CallStep | ToolResult | ResumedCall"]
Interrupt = KeyboardInterrupt | SystemExit


def list_calls(calls: Iterable[object]) -> list[object]:
    """Return calls as a list.

    Raises:
        TypeError: It is one call, and not several.
    """
    if isinstance(calls, (Mapping, str, ToolCall)) or not isinstance(calls, Iterable):
        raise TypeError(f"give a list of calls, or use run for one, not {type(calls).__name__}")
    return list(calls)


def run_together(pipeline: Pipeline, calls: PreparedBatch, context: CallsContext) -> list[ToolResult]:
    """Run calls at the same time, and wait for all.

    Calls that need their caller's thread run on this one, one after the other; the others on the background loop and on threads.
    """
    if len(calls) < 2:
        return [drive(pipeline.run_call(call, context)) for call in calls]
    order = _order_of(pipeline, calls, context)
    here = [place for place, call in enumerate(calls) if pipeline.needs_caller_thread(call)]
    elsewhere = sorted({*range(len(calls))}.difference(here))
    future = background_loop.submit(lambda: _run_on_loop(pipeline, calls, elsewhere, context, order))
    try:
        results: dict[int, ToolResult] = {}
        for place in here:
            with BatchTurn(order, place) as turn:
                results[place] = drive(pipeline.run_call(calls[place], context, turn))
        results |= zip(elsewhere, raise_interrupt(future.result()), strict=True)
    except BaseException:  # whatever ends the waiting ends the calls too
        future.cancel()
        raise
    return [results[place] for place in range(len(calls))]


async def arun_together(pipeline: Pipeline, calls: PreparedBatch, context: CallsContext) -> list[ToolResult]:
    """Run calls at the same time on the running loop."""
    order = _order_of(pipeline, calls, context)
    return raise_interrupt(await _run_on_loop(pipeline, calls, range(len(calls)), context, order))


async def _run_on_loop(
    pipeline: Pipeline, calls: PreparedBatch, places: Iterable[int], context: CallsContext, order: BatchOrder | None
) -> list[ToolResult | Interrupt]:
    from asyncio import Semaphore

    slots = Semaphore(pipeline.settings.max_concurrency)

    async def run_in_turn(place: int) -> ToolResult | Interrupt:
        with BatchTurn(order, place, slots) as turn:
            try:
                return await adrive(pipeline.run_call(calls[place], context, turn))
            except (KeyboardInterrupt, SystemExit) as interrupt:
                return interrupt  # raised out of a task, it would end the loop for every call

    return await gather_calls(map(run_in_turn, places))


def _order_of(pipeline: Pipeline, calls: PreparedBatch, context: CallsContext) -> BatchOrder | None:
    """Return the order of a batch, once it is certain that `deps` has what its tools ask for.

    Raises:
        DefinitionError: It lacks something; nothing has run.
    """
    steps = [pipeline.step_of(call) for call in calls]
    for step in steps:
        if not isinstance(step, ToolResult):
            deps_for(step.bound.tool, context, pipeline.settings.deps)
    return BatchOrder.of(steps)


async def gather_calls(runs: Iterable[Coroutine[Any, Any, ToolResult | Interrupt]]) -> list[ToolResult | Interrupt]:
    """Await calls at the same time on the running loop; if the waiting ends before they do, they are cancelled.

    Raises:
        RuntimeError: No event loop of asyncio is running.
    """
    import asyncio

    loop = running_loop()
    tasks = [loop.create_task(each) for each in runs]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:  # whatever ends the waiting ends the calls too
        for task in tasks:
            task.cancel()
        raise


def raise_interrupt(results: Iterable[ToolResult | Interrupt]) -> list[ToolResult]:
    """Return the results, or raise the interrupt that one of the calls gave."""
    checked = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        checked.append(result)
    return checked


# --- Batches that can take the fast path ---


class FastCall(NamedTuple):
    """A call of a batch, with the fast path of its tool."""

    call: ToolCall
    run: AsyncFastPath


def fast_calls(pipeline: Pipeline, calls: Iterable[object]) -> list[FastCall] | None:
    """Return calls with their fast paths; None if one of them has none, or says what it touches."""
    found: list[FastCall] = []
    for given in calls:
        call = given if type(given) is ToolCall and type(given.name) is str else read_if_call(given)
        if call is None:
            return None
        try:
            bound = pipeline.bound(call.name)
        except PluginError:
            return None
        path = pipeline.async_fast_paths.get(call.name)
        if bound is None or path is None or bound.touches:
            return None
        found.append(FastCall(call, path))
    return found


async def arun_fast(pipeline: Pipeline, calls: list[FastCall]) -> list[ToolResult]:
    """Run such calls at the same time on the running loop."""
    from asyncio import Semaphore  # there is a loop, so it is imported

    most = pipeline.settings.max_concurrency
    slots = Semaphore(most) if len(calls) > most else None
    return raise_interrupt(
        await gather_calls(_run_fast(pipeline, each, place, slots) for place, each in enumerate(calls))
    )


async def _run_fast(pipeline: Pipeline, fast: FastCall, place: int, slots: Semaphore | None) -> ToolResult | Interrupt:
    """Run a call on its fast path, and through the pipeline if that gives up."""
    call = fast.call
    try:
        if slots is None:
            result = await fast.run(call)
        else:
            async with slots:
                result = await fast.run(call)
        if result is None:
            with BatchTurn(None, place, slots) as turn:
                return await adrive(pipeline.run_call(call, calls_context(None, ()), turn))
    except (KeyboardInterrupt, SystemExit) as interrupt:
        return interrupt  # raised out of a task, it would end the loop for every call
    if result.error is not None:
        log_failure(result)
    return result
