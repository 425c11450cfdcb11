"""Where does a call run: on its caller's thread, on one of its own, on an event loop, or elsewhere? The one step with a sync and an async form.

MERGED: How long does anybody wait for a call? Until it is done, until its time is up, or until it is cancelled.
MERGED: How is a function called, whatever sort of function it is?
"""

from __future__ import annotations

import inspect
from time import perf_counter
from types import CoroutineType, GeneratorType, coroutine
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

from fcregistry._base import forks as _forks
from fcregistry.errors import CallCancelledError
from fcregistry.execution._outcome import GivenUp, ItemChannel, Outcome
from fcregistry.execution._threads import NoThreadError, blocking_threads, running_loop

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task
    from asyncio import Future as LoopFuture
    from collections.abc import Callable, Coroutine, Generator
    from concurrent.futures import Future

    from fcregistry._base.call import CancellationToken
    from fcregistry._tools.parameters import Kind

# --- execution._calling._lanes ---

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
        future = blocking_threads.submit(lambda: invoke(invocation), waited_for=True)
        return wait_for(future, seconds, cancellation, blocking_threads.abandon)
    except NoThreadError as error:
        return Outcome(None, error, 0.0)


def _abandon(future: Future[Any]) -> None:
    future.cancel()


def _on_loop_within(invocation: Invocation, seconds: float | None, cancellation: CancellationToken | None) -> Outcome:
    from fcregistry.execution._event_loop import background_loop  # asyncio is 38 ms, which sync tools need not pay

    def give_up(future: Future[Outcome]) -> None:
        future.cancel()
        background_loop.replace_if_stuck()

    return wait_for(background_loop.submit(lambda: ainvoke(invocation)), seconds, cancellation, give_up)


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


# --- execution._calling._waiting ---


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

# --- execution._calling._invoke ---

T = TypeVar("T")

PLAIN: Final = frozenset({str, int, float, bool, dict, list, type(None)})
"""Types of values that nothing has to be awaited or collected of."""


class Invocation(NamedTuple):
    """A function with its arguments, ready to be called.

    Attributes:
        function: The function.
        args: Its positional arguments.
        kwargs: Its keyword arguments.
        cancellation: Ends a generator between two of its items.
        channel: Takes the items of a generator as they come.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    cancellation: CancellationToken | None = None
    channel: ItemChannel | None = None


def invoke(invocation: Invocation) -> Outcome:
    """Call a plain function; a generator is collected, and what has to be awaited runs on the background loop."""
    outcome = called(invocation)
    if not needs_loop(outcome.value):
        return outcome
    rest = on_loop(rest_of(invocation, outcome))
    if isinstance(rest.exception, NoThreadError) and inspect.iscoroutine(outcome.value):
        outcome.value.close()  # nobody will await it
    return rest


def called(invocation: Invocation) -> Outcome:
    """Call a plain function; a generator is collected, and what has to be awaited is left to the caller."""
    start, born = perf_counter(), _forks.generation
    try:
        value = invocation.function(*invocation.args, **invocation.kwargs)
        if type(value) not in PLAIN and inspect.isgenerator(value):
            value = _collected(value, invocation)
    except BaseException as error:  # noqa: BLE001  # foreign code: whatever a tool raises is what came of it
        if _forks.generation != born:
            _forks.end_child(error)
        return Outcome(None, error, perf_counter() - start)
    if _forks.generation != born:
        _forks.end_child()
    return Outcome(value, None, perf_counter() - start)


def needs_loop(value: object) -> bool:
    """Tell whether a value is one that a plain function around an async one returns."""
    try:
        return type(value) not in PLAIN and (inspect.isawaitable(value) or inspect.isasyncgen(value))
    except Exception:  # noqa: BLE001  # foreign code: what cannot even say its class is not awaited
        return False


def rest_of(invocation: Invocation, outcome: Outcome) -> Invocation:
    """Return what is left to be done with what a plain function around an async one returned."""
    return invocation._replace(function=lambda: outcome.value, args=(), kwargs={})


def on_loop(invocation: Invocation) -> Outcome:
    """Call an async function on the background loop, and wait for it."""
    from fcregistry.execution._event_loop import background_loop  # asyncio is 38 ms, which sync tools need not pay

    try:
        outcome: Outcome = background_loop.run(lambda: ainvoke(invocation))
    except NoThreadError as error:
        return Outcome(None, error, 0.0)
    return outcome


async def ainvoke(invocation: Invocation) -> Outcome:
    """Call a function on the running loop and await it."""
    start, born = perf_counter(), _forks.generation
    try:
        value = invocation.function(*invocation.args, **invocation.kwargs)
        if type(value) in PLAIN:
            pass
        elif inspect.isawaitable(value):
            value = await stepped(value, born)
        elif inspect.isasyncgen(value):
            value = await _acollected(value, invocation)
        elif inspect.isgenerator(value):
            value = _collected(value, invocation)
    except BaseException as error:  # foreign code: whatever a tool raises is what came of it
        if _forks.generation != born:
            _forks.end_child(error)
        if is_cancellation(error):
            raise
        return Outcome(None, error, perf_counter() - start)
    if _forks.generation != born:
        _forks.end_child()
    return Outcome(value, None, perf_counter() - start)


@coroutine
def stepped(work: Any, born: int) -> Generator[Any, Any, Any]:
    """Await something, and end a child that it forks where that would go on to the event loop: the loop is its parent's.

    Args:
        work: What a tool returned.
        born: `_forks.generation` when the tool was called.
    """
    steps: Any
    send: Callable[[Any], Any]
    if type(work) is CoroutineType:  # nearly always, and the rest takes a third of what awaiting does
        steps, send = work, work.send
    else:
        steps = work if isinstance(work, GeneratorType) else work.__await__()
        send = steps.send if hasattr(steps, "send") else lambda _: next(steps)
    resume, given = send, None
    while True:
        try:
            asked = resume(given)
        except StopIteration as done:
            return done.value
        if _forks.generation != born:
            _forks.end_child()
        try:
            resume, given = send, (yield asked)
        except GeneratorExit:
            if hasattr(steps, "close"):
                steps.close()
            raise
        except BaseException as error:  # a cancellation, say: it is for the tool
            if not hasattr(steps, "throw"):
                raise
            resume, given = steps.throw, error


def is_cancellation(error: BaseException) -> bool:
    """Tell whether it is the running task that is being cancelled, and not something inside the tool."""
    from asyncio import CancelledError, current_task

    if not isinstance(error, CancelledError):
        return False
    task = current_task()
    return task is not None and task.cancelling() > 0


async def ainvoke_on_thread(invocation: Invocation) -> Outcome:
    """Call a blocking function on a thread, and await it."""
    outcome: Outcome = await awaited(blocking_threads.submit(lambda: called(invocation)))
    return await ainvoke(rest_of(invocation, outcome)) if needs_loop(outcome.value) else outcome


async def awaited(future: Future[T]) -> T:
    """Await what runs on a thread; whoever stops awaiting it abandons the thread."""
    from asyncio import CancelledError, wrap_future

    try:
        return await wrap_future(future, loop=running_loop())
    except CancelledError:
        blocking_threads.abandon(future)
        raise


def _collected(items: Any, invocation: Invocation) -> list[Any]:
    """Return what a generator yields; it is told to end where the call is cancelled."""
    collected, born = [], _forks.generation
    try:
        for item in items:
            if _forks.generation != born:
                _forks.end_child()
            collected.append(item)
            if invocation.channel is not None:
                invocation.channel.put(item)
            _check(invocation)
    finally:
        items.close()
    return collected


async def _acollected(items: Any, invocation: Invocation) -> list[Any]:
    collected, born = [], _forks.generation
    try:
        while True:
            try:
                item = await stepped(anext(items), born)
            except StopAsyncIteration:
                break
            if _forks.generation != born:
                _forks.end_child()
            collected.append(item)
            if invocation.channel is not None:
                await invocation.channel.aput(item)
            _check(invocation)
    finally:
        await items.aclose()
    return collected


def _check(invocation: Invocation) -> None:
    """End a generator whose call was cancelled.

    Raises:
        CallCancelledError: It was.
    """
    token = invocation.cancellation
    if token is not None and token.cancelled:
        raise CallCancelledError(token.reason)
