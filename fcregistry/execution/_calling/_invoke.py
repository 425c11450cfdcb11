"""How is a function called, whatever sort of function it is?"""

from __future__ import annotations

import inspect
from time import perf_counter
from types import CoroutineType, GeneratorType, coroutine
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from fcregistry._base import forks as _forks
from fcregistry.errors import CallCancelledError
from fcregistry.execution._calling._threads import NoThreadError, running_loop, threads

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from concurrent.futures import Future

    from fcregistry._base.call import CancellationToken
    from fcregistry.execution._channel import Channel


T = TypeVar("T")

PLAIN: Final = frozenset({str, int, float, bool, dict, list, type(None)})
"""Types of values that nothing has to be awaited or collected of."""


class Outcome(NamedTuple):
    """What calling a function gave: its value or what it raised, and the seconds it took."""

    value: Any
    exception: BaseException | None
    duration: float


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
    channel: Channel | None = None


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
    from fcregistry.execution._calling._loop import background  # asyncio is 38 ms, which sync tools need not pay

    try:
        outcome: Outcome = background.run(lambda: ainvoke(invocation))
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
    outcome: Outcome = await awaited(threads.submit(lambda: called(invocation)))
    return await ainvoke(rest_of(invocation, outcome)) if needs_loop(outcome.value) else outcome


async def awaited(future: Future[T]) -> T:
    """Await what runs on a thread; whoever stops awaiting it abandons the thread."""
    from asyncio import CancelledError, wrap_future

    try:
        return await wrap_future(future, loop=running_loop())
    except CancelledError:
        threads.abandon(future)
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
