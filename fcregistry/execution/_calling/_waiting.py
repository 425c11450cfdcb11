"""How long does anybody wait for a call? Until it is done, until its time is up, or until it is cancelled."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

from fcregistry.execution._calling._invoke import Outcome
from fcregistry.execution._calling._threads import running_loop

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task
    from asyncio import Future as LoopFuture
    from collections.abc import Callable, Coroutine
    from concurrent.futures import Future

    from fcregistry._base.call import CancellationToken


class GivenUp(Exception):
    """Nobody waits for a call any more.

    Attributes:
        why: Whether its time was up, or it was cancelled.
        seconds: The time that it had.
        reason: What the one who cancelled said.
        stopped: Whether it has come to an end.
    """

    def __init__(
        self,
        why: Literal["timeout", "cancelled"],
        seconds: float | None = None,
        reason: str = "",
        *,
        stopped: bool = False,
    ) -> None:
        super().__init__(why)
        self.why = why
        self.seconds = seconds
        self.reason = reason
        self.stopped = stopped


def wait_for(
    future: Future[Outcome],
    seconds: float | None,
    cancellation: CancellationToken | None,
    give_up: Callable[[Future[Outcome]], object],
) -> Outcome:
    """Wait on the calling thread for what a future gives.

    Args:
        future: Of the call.
        seconds: How long at most; None for ever.
        cancellation: Ends the waiting too.
        give_up: Told when the waiting ends before the call does.
    """
    from queue import Empty, SimpleQueue

    start = perf_counter()
    ends: SimpleQueue[str] = SimpleQueue()
    future.add_done_callback(lambda _: ends.put("done"))
    take_back = None if cancellation is None else cancellation.on_cancel(lambda: ends.put("cancelled"))
    try:
        how = ends.get(timeout=None if seconds is None else min(seconds, _LONGEST))
    except Empty:
        how = "timeout"
    except BaseException:  # an interrupt ends the waiting, and the call with it
        give_up(future)
        raise
    finally:
        if take_back is not None:
            take_back()
    if how == "done" or future.done():
        return _outcome_of(future, start, cancellation)
    give_up(future)
    return _given_up(how == "timeout", seconds, cancellation, start)


def _outcome_of(future: Future[Outcome], start: float, cancellation: CancellationToken | None) -> Outcome:
    from concurrent.futures import CancelledError

    try:
        return future.result()
    except CancelledError:  # by whoever runs it
        return _given_up(False, None, cancellation, start)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # foreign code: what runs calls elsewhere may raise anything
        return Outcome(None, error, perf_counter() - start)


def _given_up(timed_out: bool, seconds: float | None, cancellation: CancellationToken | None, start: float) -> Outcome:
    if timed_out:
        return Outcome(None, GivenUp("timeout", seconds), perf_counter() - start)
    reason = "" if cancellation is None else cancellation.reason
    return Outcome(None, GivenUp("cancelled", None, reason), perf_counter() - start)


async def within(
    work: Coroutine[Any, Any, Outcome], seconds: float | None, cancellation: CancellationToken | None
) -> Outcome:
    """Await a call on the running loop, no longer than it may take: the answer comes in time, also from one that will not be cancelled.

    Args:
        work: The call.
        seconds: How long at most; None for ever.
        cancellation: Ends the waiting too.
    """
    import asyncio

    try:
        loop = running_loop()
    except RuntimeError:
        work.close()
        raise
    start = perf_counter()
    task: Task[Outcome] = loop.create_task(work)
    called_off: LoopFuture[None] = loop.create_future()
    take_back = None
    if cancellation is not None:
        take_back = cancellation.on_cancel(lambda: _tell(loop, called_off))
    try:
        await asyncio.wait((task, called_off), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        _leave(task)
        raise
    finally:
        if take_back is not None:
            take_back()
    if task.done() and not task.cancelled():
        return task.result()
    _leave(task)
    return _given_up(not called_off.done() and not task.cancelled(), seconds, cancellation, start)


def _tell(loop: AbstractEventLoop, called_off: LoopFuture[None]) -> None:
    def settle() -> None:
        if not called_off.done():
            called_off.set_result(None)

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:  # the loop has ended, and nobody waits any more
        return


def _leave(task: Task[Outcome]) -> None:
    """Cancel a task and let it go; the loop alone would forget it, and complain of what it raises."""
    _LEFT.add(task)
    task.add_done_callback(_forget)
    task.cancel()


def _forget(task: Task[Outcome]) -> None:
    _LEFT.discard(task)
    if not task.cancelled():
        task.exception()


_LEFT: set[Task[Outcome]] = set()
"""Tasks that nobody waits for, until they end."""

_LONGEST = 1e8
"""Seconds that every platform's locks can wait."""
