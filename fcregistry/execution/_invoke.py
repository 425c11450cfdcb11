"""Running one call: where its function runs, how it is called, and how long anything waits for it.

The pipeline is a coroutine: it yields the effects that it needs, such as a `Job` or a `Pause`, and is sent what each returned. So there is one
pipeline and two drivers, `drive` and `adrive`; only effects have a sync and an async form.

A tool may fork. The child ends where the tool's function returns or next awaits something, and never gets to the parent's event loop or
to the caller's code: whatever runs code of a tool compares `_forks.generation` before and after.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Generator, Mapping
from concurrent.futures import Future
from time import perf_counter, sleep
from types import CoroutineType, GeneratorType, coroutine
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from fcregistry._base import forks as _forks
from fcregistry.errors import CallCancelledError
from fcregistry.execution._threads import NoThreadError, background_loop, blocking_threads, running_loop

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task
    from asyncio import Future as LoopFuture
    from collections.abc import Coroutine

    from fcregistry._base.call import CancellationToken
    from fcregistry._tools.parameters import Kind
    from fcregistry._tools.tool import Tool

T = TypeVar("T")


# --- Coroutines of effects, and their drivers ---


class Effect(Protocol):
    """Something that has to be done outside of the pipeline."""

    def now(self) -> Any:
        """Do it, and wait for it on this thread."""

    async def later(self) -> Any:
        """Do it without holding up the running event loop."""


Effects: TypeAlias = Generator[Effect, Any, T]
"""A course of things to be done, that ends with a value."""


def drive(course: Effects[T]) -> T:
    """Take a course to its end, and wait for each thing that has to be done."""
    try:
        effect = next(course)
        while True:
            try:
                done = effect.now()
            except BaseException as error:  # noqa: BLE001  # an interrupt, which the course may have something to put in order for
                effect = course.throw(error)
            else:
                effect = course.send(done)
    except StopIteration as end:
        value: T = end.value
        return value


async def adrive(course: Effects[T]) -> T:
    """Take a course to its end, and await each thing that has to be done."""
    try:
        effect = next(course)
        while True:
            try:
                done = await effect.later()
            except BaseException as error:  # noqa: BLE001  # the task is cancelled, likewise
                effect = course.throw(error)
            else:
                effect = course.send(done)
    except StopIteration as end:
        value: T = end.value
        return value


class Pause:
    """Wait, before a call is tried again; a call that is cancelled does not wait any longer."""

    __slots__ = ("_cancellation", "_seconds")

    def __init__(self, seconds: float, cancellation: CancellationToken | None) -> None:
        self._seconds = seconds
        self._cancellation = cancellation

    def now(self) -> None:
        if self._cancellation is None:
            sleep(self._seconds)
        else:
            self._cancellation.wait(self._seconds)

    async def later(self) -> None:
        import asyncio  # there is a loop, so it is imported

        await await_within(_awaited(asyncio.sleep(self._seconds)), None, self._cancellation)


async def _awaited(sleeping: Awaitable[None]) -> Outcome:
    await sleeping
    return Outcome(None, None, 0.0)


# --- One call ---


class Outcome(NamedTuple):
    """What calling a function gave: its value or what it raised, and the seconds it took."""

    value: Any
    exception: BaseException | None
    duration: float


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


class ItemChannel(Protocol):
    """Takes what a streamed call gives before it ends."""

    @property
    def has_given(self) -> bool: ...
    def put(self, item: object) -> None: ...
    async def aput(self, item: object) -> None: ...
    def report(self, progress: float, message: str) -> object: ...


Submit: TypeAlias = "Callable[[Tool, Mapping[str, Any], float | None], Future[Outcome]]"
"""Has a tool run with valid JSON arguments and the seconds that it may take, and returns what will come of it; cancelling that ends it."""


class RemoteRunner(NamedTuple):
    """What runs the calls of a tool.

    Attributes:
        submit: Hands a call over.
        keeps_time: Whether it ends a call whose time is up by itself, and counts from when the tool begins; then nobody else need.
        leave: Told who calls no more tools; None where that is of no consequence, as for a pool, which stays its owner's.
    """

    submit: Submit
    keeps_time: bool
    leave: Callable[[object], None] | None = None


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


Dispatch: TypeAlias = Literal["caller", "thread", "inline", "loop", "remote"]
"""`caller`: always the caller's thread; `thread`: may block; `inline`: does not block; `loop`: is async; `remote`: another process."""


def dispatch_of(kind: Kind, blocking: bool | str) -> Dispatch:
    """Return where a function of this process runs."""
    if kind in ("async", "async generator"):
        return "loop"
    return "caller" if blocking == "caller" else "thread" if blocking else "inline"


class Job(NamedTuple):
    """A call that is to run.

    Attributes:
        dispatch: Where.
        invocation: The function with its arguments.
        seconds: How long it may take; None for ever.
        cancellation: Ends it.
        submit: Has it run elsewhere.
    """

    dispatch: Dispatch
    invocation: Invocation
    seconds: float | None = None
    cancellation: CancellationToken | None = None
    submit: Callable[[], Future[Outcome]] | None = None

    def now(self) -> Outcome:
        """Run a call, and wait for it on this thread."""
        dispatch, invocation, seconds, cancellation, submit = self
        if submit is not None:
            return wait_for(submit(), seconds, cancellation, _abandon)
        patient = seconds is None and cancellation is None
        if patient and dispatch == "loop":
            return run_on_background_loop(invocation)
        if patient or dispatch == "caller":
            return invoke(invocation)
        try:
            if dispatch == "loop":
                return _run_on_background_loop_within(invocation, seconds, cancellation)
            future = blocking_threads.submit(lambda: invoke(invocation), waited_for=True)
            return wait_for(future, seconds, cancellation, blocking_threads.abandon)
        except NoThreadError as error:
            return Outcome(None, error, 0.0)

    async def later(self) -> Outcome:
        """Run a call without holding up the running event loop."""
        dispatch, invocation, seconds, cancellation, submit = self
        if submit is not None:
            work = _run_remotely(submit)
        elif dispatch == "thread":
            work = _on_thread(invocation)
        elif seconds is None and cancellation is None:
            return await ainvoke(invocation)
        else:
            work = ainvoke(invocation)
        if seconds is None and cancellation is None:
            return await work
        return await await_within(work, seconds, cancellation)


def _run_on_background_loop_within(
    invocation: Invocation, seconds: float | None, cancellation: CancellationToken | None
) -> Outcome:
    def give_up(future: Future[Outcome]) -> None:
        future.cancel()
        background_loop.replace_if_stuck()

    return wait_for(background_loop.submit(lambda: ainvoke(invocation)), seconds, cancellation, give_up)


async def _on_thread(invocation: Invocation) -> Outcome:
    try:
        return await ainvoke_on_thread(invocation)
    except NoThreadError as error:
        return Outcome(None, error, 0.0)


async def _run_remotely(submit: Callable[[], Future[Outcome]]) -> Outcome:
    from asyncio import wrap_future

    return await wrap_future(submit())


# --- Calling a function, whatever kind of function it is ---

PLAIN_TYPES: Final = frozenset({str, int, float, bool, dict, list, type(None)})
"""Types of values that nothing has to be awaited or collected of."""


def invoke(invocation: Invocation) -> Outcome:
    """Call a plain function; a generator is collected, and what has to be awaited runs on the background loop."""
    outcome = call_function(invocation)
    if not needs_loop(outcome.value):
        return outcome
    rest = run_on_background_loop(remaining_work(invocation, outcome))
    if isinstance(rest.exception, NoThreadError) and inspect.iscoroutine(outcome.value):
        outcome.value.close()  # nobody will await it
    return rest


def call_function(invocation: Invocation) -> Outcome:
    """Call a plain function; a generator is collected, and what has to be awaited is left to the caller."""
    start, born = perf_counter(), _forks.generation
    try:
        value = invocation.function(*invocation.args, **invocation.kwargs)
        if type(value) not in PLAIN_TYPES and inspect.isgenerator(value):
            value = _collect(value, invocation)
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
        return type(value) not in PLAIN_TYPES and (inspect.isawaitable(value) or inspect.isasyncgen(value))
    except Exception:  # noqa: BLE001  # foreign code: what cannot even say its class is not awaited
        return False


def remaining_work(invocation: Invocation, outcome: Outcome) -> Invocation:
    """Return what is left to be done with what a plain function around an async one returned."""
    return invocation._replace(function=lambda: outcome.value, args=(), kwargs={})


def run_on_background_loop(invocation: Invocation) -> Outcome:
    """Call an async function on the background loop, and wait for it."""
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
        if type(value) in PLAIN_TYPES:
            pass
        elif inspect.isawaitable(value):
            value = await await_in_parent(value, born)
        elif inspect.isasyncgen(value):
            value = await _acollect(value, invocation)
        elif inspect.isgenerator(value):
            value = _collect(value, invocation)
    except BaseException as error:  # foreign code: whatever a tool raises is what came of it
        if _forks.generation != born:
            _forks.end_child(error)
        if is_cancellation(error):
            raise
        return Outcome(None, error, perf_counter() - start)
    if _forks.generation != born:
        _forks.end_child()
    return Outcome(value, None, perf_counter() - start)


async def ainvoke_on_thread(invocation: Invocation) -> Outcome:
    """Call a blocking function on a thread, and await it."""
    outcome: Outcome = await await_future(blocking_threads.submit(lambda: call_function(invocation)))
    return await ainvoke(remaining_work(invocation, outcome)) if needs_loop(outcome.value) else outcome


async def await_future(future: Future[T]) -> T:
    """Await what runs on a thread; whoever stops awaiting it abandons the thread."""
    from asyncio import CancelledError, wrap_future

    try:
        return await wrap_future(future, loop=running_loop())
    except CancelledError:
        blocking_threads.abandon(future)
        raise


@coroutine
def await_in_parent(work: Any, born: int) -> Generator[Any, Any, Any]:
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


def _collect(items: Any, invocation: Invocation) -> list[Any]:
    """Return what a generator yields; it is told to end where the call is cancelled."""
    collected, born = [], _forks.generation
    try:
        for item in items:
            if _forks.generation != born:
                _forks.end_child()
            collected.append(item)
            if invocation.channel is not None:
                invocation.channel.put(item)
            _check_cancelled(invocation)
    finally:
        items.close()
    return collected


async def _acollect(items: Any, invocation: Invocation) -> list[Any]:
    collected, born = [], _forks.generation
    try:
        while True:
            try:
                item = await await_in_parent(anext(items), born)
            except StopAsyncIteration:
                break
            if _forks.generation != born:
                _forks.end_child()
            collected.append(item)
            if invocation.channel is not None:
                await invocation.channel.aput(item)
            _check_cancelled(invocation)
    finally:
        await items.aclose()
    return collected


def _check_cancelled(invocation: Invocation) -> None:
    """End a generator whose call was cancelled.

    Raises:
        CallCancelledError: It was.
    """
    token = invocation.cancellation
    if token is not None and token.cancelled:
        raise CallCancelledError(token.reason)


# --- Waiting: until a call is done, its time is up, or it is cancelled ---

_LONGEST_WAIT = 1e8
"""Seconds that every platform's locks can wait."""


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
        how = ends.get(timeout=None if seconds is None else min(seconds, _LONGEST_WAIT))
    except Empty:
        how = "timeout"
    except BaseException:  # an interrupt ends the waiting, and the call with it
        give_up(future)
        raise
    finally:
        if take_back is not None:
            take_back()
    if how == "done" or future.done():
        return _future_outcome(future, start, cancellation)
    give_up(future)
    return _given_up_outcome(how == "timeout", seconds, cancellation, start)


def _future_outcome(future: Future[Outcome], start: float, cancellation: CancellationToken | None) -> Outcome:
    from concurrent.futures import CancelledError

    try:
        return future.result()
    except CancelledError:  # by whoever runs it
        return _given_up_outcome(False, None, cancellation, start)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # foreign code: what runs calls elsewhere may raise anything
        return Outcome(None, error, perf_counter() - start)


def _given_up_outcome(
    timed_out: bool, seconds: float | None, cancellation: CancellationToken | None, start: float
) -> Outcome:
    if timed_out:
        return Outcome(None, GivenUp("timeout", seconds), perf_counter() - start)
    reason = "" if cancellation is None else cancellation.reason
    return Outcome(None, GivenUp("cancelled", None, reason), perf_counter() - start)


async def await_within(
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
        take_back = cancellation.on_cancel(lambda: _settle_from_any_thread(loop, called_off))
    try:
        await asyncio.wait((task, called_off), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        _abandon_task(task)
        raise
    finally:
        if take_back is not None:
            take_back()
    if task.done() and not task.cancelled():
        return task.result()
    _abandon_task(task)
    return _given_up_outcome(not called_off.done() and not task.cancelled(), seconds, cancellation, start)


def _settle_from_any_thread(loop: AbstractEventLoop, called_off: LoopFuture[None]) -> None:
    def settle() -> None:
        if not called_off.done():
            called_off.set_result(None)

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:  # the loop has ended, and nobody waits any more
        return


_ABANDONED_TASKS: set[Task[Outcome]] = set()
"""Tasks that nobody waits for, until they end."""


def _abandon_task(task: Task[Outcome]) -> None:
    """Cancel a task and let it go; the loop alone would forget it, and complain of what it raises."""
    _ABANDONED_TASKS.add(task)
    task.add_done_callback(_forget_task)
    task.cancel()


def _forget_task(task: Task[Outcome]) -> None:
    _ABANDONED_TASKS.discard(task)
    if not task.cancelled():
        task.exception()


def _abandon(future: Future[Any]) -> None:
    future.cancel()
