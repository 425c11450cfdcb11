"""How does a call run that nobody has anything against? In its turn, out of the cache, and again if it may."""

from __future__ import annotations

from contextlib import nullcontext
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from fcregistry._base.call import CancellationToken, linked
from fcregistry._results.result import Notes, ToolResult
from fcregistry.execution._calling._invoke import Invocation, Outcome
from fcregistry.execution._calling._lanes import Job
from fcregistry.execution._calling._waiting import GivenUp
from fcregistry.execution._effects import Course, Invoke, Pause
from fcregistry.execution._repeating._caching import Slot
from fcregistry.execution._run import Run, deps_for
from fcregistry.execution._wording import cancelled_before
from fcregistry.execution._writing._outcome import finished

if TYPE_CHECKING:
    from fcregistry.execution._approving._decisions import Approval
    from fcregistry.execution._batching._batches import Seat
    from fcregistry.execution._settings import Settings
    from fcregistry.execution._steps import Step
    from fcregistry.execution._watching._observation import Watch


class Circumstances(NamedTuple):
    """What goes with a call while it runs.

    Attributes:
        run: What its caller gave along.
        seat: Its place in a batch.
        watch: Whoever watches it.
        approval: How it was approved.
    """

    run: Run
    seat: Seat | None = None
    watch: Watch | None = None
    approval: Approval | None = None


def running(step: Step, settings: Settings, around: Circumstances) -> Course[ToolResult]:
    """Return the course of a call that may run, to its result."""
    run, seat, watch, approval = around
    if seat is not None:
        yield seat.entering(step)
    if (not_run := cancelled(step, run, settings)) is not None:
        return not_run
    slot = None if step.bound.cache is None else Slot.of(step, step.bound.cache)
    if slot is not None and (known := slot.outcome()) is not None:
        return finished(step, known, settings, Notes(cached=True, approval=approval))
    if watch is not None:
        watch.started(step)
    outcome, attempts = yield from _attempts(step, settings, run, watch)
    notes = None if attempts == 1 and approval is None else Notes(attempts, approval=approval)
    result = finished(step, outcome, settings, notes)
    if slot is not None and result.error is None:
        slot.keep(outcome)
    return result


def cancelled(step: Step, run: Run, settings: Settings) -> ToolResult | None:
    """Return the result of a call that was cancelled before it began; None if it was not."""
    if run.cancellation is None or not run.cancellation.cancelled:
        return None
    return finished(step, cancelled_before(step.bound.tool, run.cancellation.reason), settings)


def _attempts(step: Step, settings: Settings, run: Run, watch: Watch | None) -> Course[tuple[Outcome, int]]:
    """Return the course of calling a tool, and of calling it again where that may help; ends with the last outcome, and how many there were."""
    retry, seconds, start, attempts = settings.retry, step.bound.timeout, perf_counter(), 1
    left = seconds
    while True:
        outcome = yield from _attempt(step, settings, run, watch, left)
        if retry is None or outcome.exception is None or (run.channel is not None and run.channel.has_given):
            return outcome, attempts
        left = None if seconds is None else seconds - (perf_counter() - start)
        wait = retry.wait_before(attempts + 1, outcome, step.bound.tool, left)
        if wait is None:
            return outcome, attempts
        yield Pause(wait, run.cancellation)
        if run.cancellation is not None and run.cancellation.cancelled:
            return Outcome(None, GivenUp("cancelled", reason=run.cancellation.reason), outcome.duration), attempts
        left = None if left is None else max(left - wait, 0.001)
        attempts += 1


def _attempt(step: Step, settings: Settings, run: Run, watch: Watch | None, seconds: float | None) -> Course[Outcome]:
    """Return the course of calling a tool once; its token is cancelled when nobody waits for it any more."""
    bound = step.bound
    outcome: Outcome
    is_here = bound.place is None and bound.signature.context is None
    if is_here and seconds is None and run.cancellation is None and run.channel is None:
        with nullcontext() if watch is None else watch.running():
            args, kwargs = bound.signature.binding.bind(step.decoded)
            outcome = yield Invoke(Job(bound.lane, Invocation(bound.tool.function, args, kwargs)))
        return outcome
    token, release = linked(run.cancellation)
    try:
        with nullcontext() if watch is None else watch.running():
            outcome = yield Invoke(_job(step, settings, run, token, seconds))
    except BaseException:  # an interrupt, or the task is cancelled: the tool is told
        token.cancel("the caller is gone")
        raise
    finally:
        release()
    if isinstance(outcome.exception, GivenUp):
        token.cancel(outcome.exception.reason or "its time is up")
    return outcome


def _job(step: Step, settings: Settings, run: Run, token: CancellationToken, seconds: float | None) -> Job:
    bound, channel, place = step.bound, run.channel, step.bound.place
    if place is not None:
        invocation = Invocation(bound.tool.function, (), {})
        return Job(
            "elsewhere",
            invocation,
            None if place.keeps_time else seconds,
            run.cancellation,
            lambda: place.submit(bound.tool, step.arguments, seconds),
        )
    context = None
    if bound.signature.context is not None:
        from fcregistry._results.context import Context  # typing's generics, which most tools never need

        report = None if channel is None else channel.report
        deps = deps_for(bound.tool, run, settings.deps)
        context = Context(deps, call=step.call, tool=bound.tool, cancellation=token, report=report)
    args, kwargs = bound.signature.binding.bind(step.decoded, context)
    shown = None if settings.hooks is not None else channel  # hooks see results, and no item goes out past them
    return Job(bound.lane, Invocation(bound.tool.function, args, kwargs, token, shown), seconds, run.cancellation)
