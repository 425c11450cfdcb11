"""Batches: calls that run at the same time, and do not affect each other.

A batch in which every call can take the fast path takes it, and no call is prepared before another begins. Any other batch is prepared
first; then each call of it runs through the pipeline in its turn. The calls of expressions are a batch too, in which calls wait for the
results of others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, TypeAlias

from fcregistry._base.call import CallError, ToolCall
from fcregistry._results.result import ToolResult
from fcregistry.errors import PluginError
from fcregistry.execution._batch_order import BatchOrder, BatchTurn, accesses_of
from fcregistry.execution._fast_path import read_if_call
from fcregistry.execution._invoke import Outcome, WaitFor, adrive, drive
from fcregistry.execution._observability import log_failure
from fcregistry.execution._result import failed_result
from fcregistry.execution._settings import calls_context, deps_for
from fcregistry.execution._step import CallStep
from fcregistry.execution._suspended import ResumedCall
from fcregistry.execution._threads import background_loop, running_loop
from fcregistry.formats import advice_on_message

if TYPE_CHECKING:
    from asyncio import Semaphore
    from collections.abc import Coroutine

    from fcregistry.execution._fast_path import AsyncFastPath
    from fcregistry.execution._invoke import Effects
    from fcregistry.execution._pipeline import Pipeline
    from fcregistry.execution._settings import CallsContext

PreparedCall: TypeAlias = "CallStep | ToolResult | ResumedCall"
"""A valid call, or the result of an invalid one; in a `ResumedCall` together with the decision about it."""

MakeReady: TypeAlias = "Callable[[int, dict[int, ToolResult]], PreparedCall]"
"""Takes the place of a call, and place -> result for the calls whose results it needs; returns the call that can run."""

Interrupt = KeyboardInterrupt | SystemExit


def list_calls(calls: Iterable[object]) -> list[object]:
    """Return calls as a list.

    Raises:
        TypeError: `calls` is a message or a whole response, or a single call, or is not iterable.
    """
    if isinstance(calls, (list, tuple)):
        return list(calls)
    if advice := advice_on_message(calls):
        raise TypeError(advice)
    is_call = read_if_call(calls) is not None  # objects of an SDK are iterable: they yield their fields
    if is_call or isinstance(calls, (Mapping, str, bytes)) or not isinstance(calls, Iterable):
        raise TypeError(f"give a list of calls, or use run for one, not {type(calls).__name__}")
    return list(calls)


def run_batch(pipeline: Pipeline, calls: Iterable[object], context: CallsContext) -> Effects[list[ToolResult]]:
    """Prepare calls in their order, run them at the same time, and return their results in that order."""
    prepared: list[PreparedCall] = []
    for call in calls:
        prepared += [(yield from pipeline.prepare_off_loop(call, context))]
    results: list[ToolResult] = yield Batch(pipeline, prepared, context)
    return results


class Batch:
    """An effect that runs prepared calls at the same time, and returns their results in order.

    Args:
        pipeline: Runs each call.
        calls: The calls.
        context: The token and `deps` of their caller.
        needs: For each call, the places of the earlier calls whose results it needs; None if no call needs any.
        make_ready: Returns a call that can run, made of a call that needs results.

    Raises:
        DefinitionError: `deps` lacks an object that a tool asks for; nothing has run.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        calls: Sequence[PreparedCall],
        context: CallsContext,
        needs: Sequence[Collection[int]] | None = None,
        make_ready: MakeReady | None = None,
    ) -> None:
        self._pipeline = pipeline
        self._calls = calls
        self._context = context
        self._needs = [()] * len(calls) if needs is None else needs
        self._make_ready = make_ready
        self._finished: dict[int, ToolResult] = {}
        self._ends = [] if needs is None else [Future[Outcome]() for _ in calls]
        for end in self._ends:
            end.set_running_or_notify_cancel()  # so that a call that stops waiting does not cancel it for the others
        self._steps = [call.step if isinstance(call, ResumedCall) else call for call in calls]
        for step in self._steps:
            if isinstance(step, CallStep):
                deps_for(step.bound.tool, context, pipeline.settings.deps)
        self._order = self._new_order()

    def _new_order(self) -> BatchOrder | None:
        """Return a new order of the calls; None if no valid call has an option that orders calls.

        Such an option is `writes`, for example. If a call needs results of others, its accesses are known only when it
        has them.
        """
        if not any(isinstance(step, CallStep) and step.bound.touches for step in self._steps):
            return None
        known = [None if needs else step for step, needs in zip(self._steps, self._needs, strict=True)]
        return BatchOrder([accesses_of(step) if isinstance(step, CallStep) else None for step in known], known)

    def now(self) -> list[ToolResult]:
        """Run the calls, and wait for all.

        Calls that need their caller's thread run on the current thread, one after the other; all others run on the background loop and on
        threads.
        """
        places = range(len(self._calls))
        if all(place - 1 in self._needs[place] for place in places if place):
            with _finished_in_interrupt(self._finished):  # each call needs the result of the one before it
                return [drive(self._run(place, None)) for place in places]
        here = [place for place, step in enumerate(self._steps) if _needs_caller_thread(step)]
        elsewhere = sorted({*places}.difference(here))
        future = background_loop.submit(lambda: self._run_on_loop(elsewhere))
        with _finished_in_interrupt(self._finished):
            try:
                results = {place: drive(self._run(place, None)) for place in here}
                results |= zip(elsewhere, raise_interrupt(future.result()), strict=True)
            except BaseException:  # whatever ends the waiting ends the calls too
                future.cancel()
                raise
        return [results[place] for place in places]

    async def later(self) -> list[ToolResult]:
        """Run the calls on the running loop."""
        with _finished_in_interrupt(self._finished):
            return raise_interrupt(await self._run_on_loop(range(len(self._calls))))

    async def _run_on_loop(self, places: Iterable[int]) -> list[ToolResult | Interrupt]:
        """Run the calls with the indexes `places` on the running loop; return results or interrupts in order.

        At most `max_concurrency` calls run at the same time.
        """
        from asyncio import Semaphore  # there is a loop, so it is imported

        slots = Semaphore(self._pipeline.settings.max_concurrency)
        return await gather_calls(adrive(self._run(place, slots)) for place in places)

    def _run(self, place: int, slots: Semaphore | None) -> Effects[ToolResult]:
        """Run the call with the index `place` and return its result; a coroutine of effects, see `Effect`.

        It first waits for the results that the call needs, then for its turn. If it is interrupted, calls that wait
        for it get a failed result, and the exception is raised.
        """
        inner: dict[int, ToolResult] = {}
        with nullcontext() if self._order is None and slots is None else BatchTurn(self._order, place, slots) as turn:
            try:
                for need in self._needs[place]:
                    inner[need] = (yield WaitFor(self._ends[need], None, None)).value
                call = self._calls[place] if self._make_ready is None else self._make_ready(place, inner)
                result = yield from self._pipeline.run_call(call, self._context, turn)
            except BaseException:  # whatever ends the call: others must not wait for it for ever
                ended = self._steps[place].call or ToolCall("")
                error = CallError("cancelled", f"{ended.name} was interrupted")
                if self._ends:
                    self._ends[place].set_result(Outcome(failed_result(ended, error), None, 0.0))
                raise
            self._settle(place, result)
            return result

    def _settle(self, place: int, result: ToolResult) -> None:
        """Give `result` of the call with the index `place` to the calls that wait for it, if calls can."""
        self._finished[place] = result
        if self._ends:
            self._ends[place].set_result(Outcome(result, None, 0.0))


_FINISHED = "_fcregistry_finished_results"
"""The attribute of an exception that ended a batch with the results of the calls that had finished."""


@contextmanager
def _finished_in_interrupt(finished: dict[int, ToolResult]) -> Iterator[None]:
    """Store `finished`, results by the indexes of their calls, in an exception that ends the `with` block."""
    try:
        yield
    except BaseException as error:  # an interrupt, or the task is cancelled
        vars(error)[_FINISHED] = finished
        raise


def finished_results(error: BaseException) -> dict[int, ToolResult]:
    """Return the results of the calls that had finished when `error` ended their batch, by their indexes.

    Args:
        error: The exception that `run_all`, `arun_all` or another method that runs several calls raised.
    """
    finished: dict[int, ToolResult] = vars(error).get(_FINISHED, {})
    return finished


def _needs_caller_thread(step: CallStep | ToolResult) -> bool:
    """Return whether a call's tool must run on its caller's thread; False for a failed result."""
    return isinstance(step, CallStep) and step.bound.dispatch == "caller"


async def gather_calls(runs: Iterable[Coroutine[Any, Any, ToolResult]]) -> list[ToolResult | Interrupt]:
    """Await calls at the same time on the running loop, and return their results.

    A call that raised an interrupt has it in place of a result. If the waiting ends before the calls do, they are cancelled.

    Raises:
        RuntimeError: No event loop of asyncio is running.
    """
    import asyncio

    loop = running_loop()
    tasks = [loop.create_task(_catch_interrupt(each)) for each in runs]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:  # whatever ends the waiting ends the calls too
        for task in tasks:
            task.cancel()
        raise


async def _catch_interrupt(run: Coroutine[Any, Any, ToolResult]) -> ToolResult | Interrupt:
    """Return the result of the coroutine `run`, or the KeyboardInterrupt or SystemExit that it raised."""
    try:
        return await run
    except (KeyboardInterrupt, SystemExit) as interrupt:
        return interrupt  # raised out of a task, it would end the loop for every call


def raise_interrupt(results: Iterable[ToolResult | Interrupt]) -> list[ToolResult]:
    """Return `results`, or raise the first interrupt among them."""
    checked = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        checked.append(result)
    return checked


# --- Batches that can take the fast path ---


FastCall: TypeAlias = "tuple[ToolCall, AsyncFastPath]"
"""A call of a batch, with the fast path of its tool."""


def fast_calls(pipeline: Pipeline, calls: Iterable[object]) -> list[FastCall] | None:
    """Return calls with their fast paths; None if a call has none, or its tool declares accesses."""
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
        found.append((call, path))
    return found


async def arun_fast(pipeline: Pipeline, calls: list[FastCall]) -> list[ToolResult]:
    """Run calls with fast paths at the same time on the running loop, and return their results."""
    from asyncio import Semaphore  # there is a loop, so it is imported

    most = pipeline.settings.max_concurrency
    slots = Semaphore(most) if len(calls) > most else None
    finished: dict[int, ToolResult] = {}
    with _finished_in_interrupt(finished):
        return raise_interrupt(
            await gather_calls(_run_fast(pipeline, each, place, slots, finished) for place, each in enumerate(calls))
        )


async def _run_fast(
    pipeline: Pipeline, fast: FastCall, place: int, slots: Semaphore | None, finished: dict[int, ToolResult]
) -> ToolResult:
    """Return the result of a call from its fast path, or from the pipeline if the fast path returns None.

    The result is put into `finished`, too. A failed result of the fast path is logged.

    Args:
        pipeline: The pipeline.
        fast: The call and its fast path.
        place: The index of the call in its batch.
        slots: Limits how many calls run at the same time; None for no limit.
        finished: The results of the batch so far, by the indexes of their calls.
    """
    call, path = fast
    if slots is None:
        result = await path(call)
    else:
        async with slots:
            result = await path(call)
    if result is None:
        with BatchTurn(None, place, slots) as turn:
            result = await adrive(pipeline.run_call(call, calls_context(None, ()), turn))
    elif result.error is not None:
        log_failure(result)
    finished[place] = result
    return result
