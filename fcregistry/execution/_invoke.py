"""Running one call: where its function runs, how it is called, and how long anything waits for it.

The pipeline is a coroutine: it yields the effects that it needs, such as a `Job` or a `Pause`, and is sent what each returned. So there is one
pipeline and two drivers, `drive` and `adrive`; only effects have a sync and an async form.

A tool may fork. The child ends where the tool's function returns or next awaits something, and never gets to the parent's event loop or
to the caller's code: whatever runs code of a tool compares `_forks.generation` before and after (`end_if_forked`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future
from time import perf_counter
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
    """An operation that a coroutine yields and that its driver executes."""

    def now(self) -> Any:
        """Execute the operation on this thread, and return its value."""

    async def later(self) -> Any:
        """Like `now`, without blocking the running event loop."""


Effects: TypeAlias = Generator[Effect, Any, T]
"""A coroutine: it yields effects, is sent what each returned, and ends with a value."""


def drive(coroutine: Effects[T]) -> T:
    """Run a coroutine to its end on this thread, and return its value."""
    try:
        effect = next(coroutine)
        while True:
            try:
                done = effect.now()
            except BaseException as error:  # noqa: BLE001  # an interrupt: the coroutine cleans up
                effect = coroutine.throw(error)
            else:
                effect = coroutine.send(done)
    except StopIteration as end:
        value: T = end.value
        return value


async def adrive(coroutine: Effects[T]) -> T:
    """Like `drive`, on the running event loop."""
    try:
        effect = next(coroutine)
        while True:
            try:
                done = await effect.later()
            except BaseException as error:  # noqa: BLE001  # the task is cancelled: the coroutine cleans up
                effect = coroutine.throw(error)
            else:
                effect = coroutine.send(done)
    except StopIteration as end:
        value: T = end.value
        return value


class WaitFor(NamedTuple):
    """An effect that waits for a future of an outcome, and returns the outcome.

    Attributes:
        future: The future, or a function that begins the work and returns it. It is cancelled if the waiting ends first.
        seconds: The longest time to wait; None for no limit.
        cancellation: Ends the wait when it is cancelled.
    """

    future: Future[Outcome] | Callable[[], Future[Outcome]]
    seconds: float | None
    cancellation: CancellationToken | None

    def now(self) -> Outcome:
        """Wait on this thread, and return the outcome."""
        return wait_for(self._begun(), self.seconds, self.cancellation, Future.cancel)

    async def later(self) -> Outcome:
        """Like `now`, without blocking the running event loop."""
        return await await_within(self._awaited(), self.seconds, self.cancellation)

    async def _awaited(self) -> Outcome:
        """Begin the work if need be, await the future on the running loop, and return its outcome.

        Raises:
            BaseException: The exception of the future, or the cancellation of the task.
        """
        from asyncio import wrap_future  # there is a loop, so it is imported

        return await wrap_future(self._begun())

    def _begun(self) -> Future[Outcome]:
        """Return the future; if it is still a function, call that to begin the work, and return its future."""
        return self.future if isinstance(self.future, Future) else self.future()


# --- One call ---


class Outcome(NamedTuple):
    """The value that a function returned, or the exception that it raised, and the seconds that it took."""

    value: Any
    exception: BaseException | None
    duration: float


class GivenUp(Exception):
    """A call has reached its time limit, or was cancelled, and its caller no longer waits for it.

    Attributes:
        why: `timeout` or `cancelled`.
        seconds: The time limit of the call, in seconds.
        reason: The reason for the cancellation, as the caller gave it.
        stopped: Whether the tool has stopped; otherwise it may still be running.
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
    """Takes the items and the progress of a streamed call before it ends."""

    nulls: bool

    @property
    def has_given(self) -> bool: ...
    def put(self, item: object) -> None: ...
    async def aput(self, item: object) -> None: ...
    def report(self, progress: float, message: str) -> object: ...


Submit: TypeAlias = "Callable[[Tool, Mapping[str, Any], float | None], Future[Outcome]]"
"""Runs a tool with valid JSON arguments, within some seconds, and returns a future of the outcome; cancelling that ends the call."""


class RemoteRunner(NamedTuple):
    """Runs the calls of a tool in another process.

    Attributes:
        submit: Sends a call to the other process.
        keeps_time: Whether it ends a call at its time limit by itself, counted from when the tool begins.
        leave: The function to call with an executor that makes no more calls; None for a pool, which its owner shuts down.
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
        cancellation: The token that stops a generator between two of its items.
        channel: Takes the items of a generator as it yields them.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    cancellation: CancellationToken | None = None
    channel: ItemChannel | None = None


Dispatch: TypeAlias = Literal["caller", "thread", "inline", "loop", "remote"]
"""`caller`: always the caller's thread; `thread`: may block; `inline`: does not block; `loop`: is async; `remote`: another process."""


def dispatch_of(kind: Kind, blocking: bool | str) -> Dispatch:
    """Return where a function runs in this process, by its kind and the option `blocking`."""
    if kind in ("async", "async generator"):
        return "loop"
    return "caller" if blocking == "caller" else "thread" if blocking else "inline"


class Job(NamedTuple):
    """An effect that runs a function and returns its outcome.

    It is the one step of a call that has a sync and an async form.

    Attributes:
        dispatch: Where it runs.
        invocation: The function with its arguments.
        seconds: How long it may take; None for any time.
        cancellation: Ends the wait when it is cancelled.
    """

    dispatch: Dispatch
    invocation: Invocation
    seconds: float | None = None
    cancellation: CancellationToken | None = None

    def now(self) -> Outcome:
        """Run the function, and wait for it on this thread."""
        dispatch, invocation, seconds, cancellation = self
        may_wait = seconds is None and cancellation is None
        if may_wait and dispatch == "loop":
            return run_on_background_loop(invocation)
        if may_wait or dispatch == "caller":
            return invoke(invocation)
        try:
            if dispatch == "loop":
                on_loop: Future[Outcome] = background_loop.submit(lambda: ainvoke(invocation))
                return wait_for(on_loop, seconds, cancellation, background_loop.give_up)
            future = blocking_threads.submit(lambda: invoke(invocation), waited_for=True)
            return wait_for(future, seconds, cancellation, blocking_threads.abandon)
        except NoThreadError as error:
            return Outcome(None, error, 0.0)

    async def later(self) -> Outcome:
        """Like `now`, without blocking the running event loop."""
        dispatch, invocation, seconds, cancellation = self
        work = ainvoke_on_thread(invocation) if dispatch == "thread" else ainvoke(invocation)
        return await await_within(work, seconds, cancellation)


# --- Calling a function, whatever kind of function it is ---

PLAIN_TYPES: Final = frozenset({str, int, float, bool, dict, list, type(None)})
"""Types whose values need neither awaiting nor collecting."""


def invoke(invocation: Invocation) -> Outcome:
    """Call a plain function and return its outcome.

    If it returns a generator, its items are collected into a list; an awaitable runs on the background loop.
    """
    outcome = call_function(invocation)
    if not needs_loop(outcome.value):
        return outcome
    rest = run_on_background_loop(remaining_work(invocation, outcome))
    if isinstance(rest.exception, NoThreadError) and inspect.iscoroutine(outcome.value):
        outcome.value.close()  # it will not be awaited
    return rest


def call_function(invocation: Invocation) -> Outcome:
    """Call a plain function and return its outcome.

    If it returns a generator, its items are collected into a list; an awaitable is not awaited.
    """
    start, generation_before = perf_counter(), _forks.generation
    try:
        value = invocation.function(*invocation.args, **invocation.kwargs)
        if type(value) not in PLAIN_TYPES and inspect.isgenerator(value):
            value = _collect(value, invocation)
    except BaseException as error:  # noqa: BLE001  # foreign code: whatever a tool raises is its outcome
        _forks.end_if_forked(generation_before, error)
        return Outcome(None, error, perf_counter() - start)
    _forks.end_if_forked(generation_before)
    return Outcome(value, None, perf_counter() - start)


def needs_loop(value: object) -> bool:
    """Return whether a value that a plain function returned must be awaited or iterated on an event loop."""
    try:
        return type(value) not in PLAIN_TYPES and (inspect.isawaitable(value) or inspect.isasyncgen(value))
    except Exception:  # noqa: BLE001  # foreign code: a value that does not tell its class is not awaited
        return False


def remaining_work(invocation: Invocation, outcome: Outcome) -> Invocation:
    """Return the invocation that awaits the value in `outcome`, which a plain function returned."""
    return invocation._replace(function=lambda: outcome.value, args=(), kwargs={})


def run_on_background_loop(invocation: Invocation) -> Outcome:
    """Call an async function on the background loop, wait for it, and return its outcome."""
    try:
        outcome: Outcome = background_loop.run(lambda: ainvoke(invocation))
    except NoThreadError as error:
        return Outcome(None, error, 0.0)
    return outcome


async def ainvoke(invocation: Invocation) -> Outcome:
    """Like `invoke`, on the running event loop; what the function returns is awaited."""
    start, generation_before = perf_counter(), _forks.generation
    try:
        value = invocation.function(*invocation.args, **invocation.kwargs)
        if type(value) in PLAIN_TYPES:
            pass
        elif inspect.isawaitable(value):
            value = await await_in_parent(value, generation_before)
        elif inspect.isasyncgen(value):
            value = await _acollect(value, invocation)
        elif inspect.isgenerator(value):
            value = _collect(value, invocation)
    except BaseException as error:  # foreign code: whatever a tool raises is its outcome
        _forks.end_if_forked(generation_before, error)
        if is_cancellation(error):
            raise
        return Outcome(None, error, perf_counter() - start)
    _forks.end_if_forked(generation_before)
    return Outcome(value, None, perf_counter() - start)


async def ainvoke_on_thread(invocation: Invocation) -> Outcome:
    """Call a blocking function on a thread, await it, and return its outcome."""
    try:
        outcome: Outcome = await await_future(blocking_threads.submit(lambda: call_function(invocation)))
    except NoThreadError as error:
        return Outcome(None, error, 0.0)
    return await ainvoke(remaining_work(invocation, outcome)) if needs_loop(outcome.value) else outcome


async def await_future(future: Future[T]) -> T:
    """Await a function on a thread, and return its value; if the task is cancelled, abandon the thread."""
    from asyncio import CancelledError, wrap_future

    try:
        return await wrap_future(future, loop=running_loop())
    except CancelledError:
        blocking_threads.abandon(future)
        raise


@coroutine
def await_in_parent(work: Any, generation_before: int) -> Generator[Any, Any, Any]:
    """Await `work`, and return its value; end a process that it forks.

    The forked process ends before it gets to the event loop, which is the parent's.

    Args:
        work: The awaitable that a tool returned.
        generation_before: `_forks.generation` when the tool was called.
    """
    steps: Any
    send: Callable[[Any], Any]
    if type(work) is CoroutineType:  # nearly always; this costs a third of the general case
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
        _forks.end_if_forked(generation_before)
        try:
            resume, given = send, (yield asked)
        except GeneratorExit:
            if hasattr(steps, "close"):
                steps.close()
            raise
        except BaseException as error:  # such as a cancellation, which the tool is to see
            if not hasattr(steps, "throw"):
                raise
            resume, given = steps.throw, error


def is_cancellation(error: BaseException) -> bool:
    """Return whether the running task is being cancelled, and not something inside the tool."""
    from asyncio import CancelledError, current_task

    if not isinstance(error, CancelledError):
        return False
    task = current_task()
    return task is not None and task.cancelling() > 0


def _collect(items: Any, invocation: Invocation) -> list[Any]:
    """Return all items of a generator as a list; put each into the call's channel, if it has one.

    The generator is closed in any case. In a process that the generator has forked, the process is ended.

    Raises:
        CallCancelledError: The call was cancelled; checked after each item.
        BaseException: Whatever the generator raises.
    """
    collected, generation_before = [], _forks.generation
    try:
        for item in items:
            _forks.end_if_forked(generation_before)
            collected.append(item)
            if invocation.channel is not None:
                invocation.channel.put(item)
            _check_cancelled(invocation)
    finally:
        items.close()
    return collected


async def _acollect(items: Any, invocation: Invocation) -> list[Any]:
    """Return all items of an async generator as a list, like `_collect`."""
    collected, generation_before = [], _forks.generation
    try:
        while True:
            try:
                item = await await_in_parent(anext(items), generation_before)
            except StopAsyncIteration:
                break
            _forks.end_if_forked(generation_before)
            collected.append(item)
            if invocation.channel is not None:
                await invocation.channel.aput(item)
            _check_cancelled(invocation)
    finally:
        await items.aclose()
    return collected


def _check_cancelled(invocation: Invocation) -> None:
    """Check that the call was not cancelled; a call without a token never is.

    Raises:
        CallCancelledError: It was cancelled; the exception has the token's reason.
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
    """Wait on the calling thread for the outcome of a call, and return it.

    If the wait ends before the call does, the outcome is a `GivenUp`.

    Args:
        future: The future of the call.
        seconds: The longest time to wait; None for no limit.
        cancellation: Ends the wait when it is cancelled.
        give_up: Called with the future if the wait ends before the call does.
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
    """Return the outcome in a done future, or one with its exception; `GivenUp` if it was cancelled.

    Args:
        future: The future.
        start: When the wait began, by `perf_counter`, for the duration.
        cancellation: The token that has the reason, if it was cancelled.

    Raises:
        KeyboardInterrupt: The future has this exception.
    """
    from concurrent.futures import CancelledError

    try:
        return future.result()
    except CancelledError:  # by the pool that runs it
        return _given_up_outcome(False, None, cancellation, start)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # foreign code: a pool may raise anything
        return Outcome(None, error, perf_counter() - start)


def _given_up_outcome(
    timed_out: bool, seconds: float | None, cancellation: CancellationToken | None, start: float
) -> Outcome:
    """Return an outcome whose exception is `GivenUp`: `timeout` after `seconds`, or else `cancelled`.

    Args:
        timed_out: Whether the call timed out.
        seconds: The time limit.
        cancellation: The token that has the reason, if it was cancelled.
        start: When the wait began, by `perf_counter`, for the duration.
    """
    if timed_out:
        return Outcome(None, GivenUp("timeout", seconds), perf_counter() - start)
    reason = "" if cancellation is None else cancellation.reason
    return Outcome(None, GivenUp("cancelled", None, reason), perf_counter() - start)


async def await_within(
    work: Coroutine[Any, Any, Outcome], seconds: float | None, cancellation: CancellationToken | None
) -> Outcome:
    """Await a call on the running loop, and return its outcome; it is a `GivenUp` if the wait ends before.

    The wait ends even if the call ignores its cancellation.

    Args:
        work: The call.
        seconds: The longest time to wait; None for no limit.
        cancellation: Ends the wait when it is cancelled.
    """
    if seconds is None and cancellation is None:
        return await work
    import asyncio

    try:
        loop = running_loop()
    except RuntimeError:
        work.close()
        raise
    start = perf_counter()
    task: Task[Outcome] = loop.create_task(work)
    cancelled: LoopFuture[None] = loop.create_future()
    take_back = None
    if cancellation is not None:
        take_back = cancellation.on_cancel(lambda: _settle_from_any_thread(loop, cancelled))
    try:
        await asyncio.wait((task, cancelled), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        _abandon_task(task)
        raise
    finally:
        if take_back is not None:
            take_back()
    if task.done() and not task.cancelled():
        return task.result()
    _abandon_task(task)
    return _given_up_outcome(not cancelled.done() and not task.cancelled(), seconds, cancellation, start)


def _settle_from_any_thread(loop: AbstractEventLoop, cancelled: LoopFuture[None]) -> None:
    """Give the future `cancelled` of `loop` the result None, unless it is done or the loop is closed."""

    def settle() -> None:
        if not cancelled.done():
            cancelled.set_result(None)

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:  # the loop has ended, and nothing waits any more
        return


_ABANDONED_TASKS: set[Task[Outcome]] = set()
"""The tasks that nothing waits for and that have not ended."""


def _abandon_task(task: Task[Outcome]) -> None:
    """Cancel a task that nothing waits for, without waiting for its end."""
    _ABANDONED_TASKS.add(task)
    task.add_done_callback(_forget_task)
    task.cancel()


def _forget_task(task: Task[Outcome]) -> None:
    """Drop the reference to an ended abandoned task; retrieve its exception, so that it is not logged."""
    _ABANDONED_TASKS.discard(task)
    if not task.cancelled():
        task.exception()
