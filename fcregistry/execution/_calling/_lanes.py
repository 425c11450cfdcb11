"""Where does a call run: on its caller's thread, on one of its own, on an event loop, or elsewhere? The one step with a sync and an async form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from fcregistry.execution._calling._invoke import Invocation, Outcome, ainvoke, ainvoke_on_thread, invoke, on_loop
from fcregistry.execution._calling._threads import NoThreadError, threads
from fcregistry.execution._calling._waiting import wait_for, within

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from fcregistry._base.call import CancellationToken
    from fcregistry._tools.parameters import Kind

Lane: TypeAlias = Literal["caller", "thread", "inline", "loop", "elsewhere"]
"""`caller`: always the caller's thread; `thread`: may block; `inline`: does not block; `loop`: is async; `elsewhere`: another process."""


class Job(NamedTuple):
    """A call that is to run.

    Attributes:
        lane: Where.
        invocation: The function with its arguments.
        seconds: How long it may take; None for ever.
        cancellation: Ends it.
        submit: Has it run elsewhere.
    """

    lane: Lane
    invocation: Invocation
    seconds: float | None = None
    cancellation: CancellationToken | None = None
    submit: Callable[[], Future[Outcome]] | None = None


def lane_of(kind: Kind, blocking: bool | str) -> Lane:
    """Return where a function of this process runs."""
    if kind in ("async", "async generator"):
        return "loop"
    return "caller" if blocking == "caller" else "thread" if blocking else "inline"


def run_now(job: Job) -> Outcome:
    """Run a call, and wait for it on this thread."""
    lane, invocation, seconds, cancellation, submit = job
    if submit is not None:
        return wait_for(submit(), seconds, cancellation, _abandon)
    patient = seconds is None and cancellation is None
    if patient and lane == "loop":
        return on_loop(invocation)
    if patient or lane == "caller":
        return invoke(invocation)
    try:
        if lane == "loop":
            return _on_loop_within(invocation, seconds, cancellation)
        future = threads.submit(lambda: invoke(invocation), waited_for=True)
        return wait_for(future, seconds, cancellation, threads.abandon)
    except NoThreadError as error:
        return Outcome(None, error, 0.0)


def _abandon(future: Future[Any]) -> None:
    future.cancel()


def _on_loop_within(invocation: Invocation, seconds: float | None, cancellation: CancellationToken | None) -> Outcome:
    from fcregistry.execution._calling._loop import background  # asyncio is 38 ms, which sync tools need not pay

    def give_up(future: Future[Outcome]) -> None:
        future.cancel()
        background.replace_if_stuck()

    return wait_for(background.submit(lambda: ainvoke(invocation)), seconds, cancellation, give_up)


async def run_later(job: Job) -> Outcome:
    """Run a call without holding up the running event loop."""
    lane, invocation, seconds, cancellation, submit = job
    if submit is not None:
        work = _elsewhere(submit)
    elif lane == "thread":
        work = _on_thread(invocation)
    elif seconds is None and cancellation is None:
        return await ainvoke(invocation)
    else:
        work = ainvoke(invocation)
    if seconds is None and cancellation is None:
        return await work
    return await within(work, seconds, cancellation)


async def _on_thread(invocation: Invocation) -> Outcome:
    try:
        return await ainvoke_on_thread(invocation)
    except NoThreadError as error:
        return Outcome(None, error, 0.0)


async def _elsewhere(submit: Callable[[], Future[Outcome]]) -> Outcome:
    from asyncio import wrap_future

    return await wrap_future(submit())
