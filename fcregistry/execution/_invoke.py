"""How is a bound tool called, whatever sort of function it is? The one step of the pipeline that has a sync and an async form."""

from __future__ import annotations

import inspect
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry._functions import Kind


_PLAIN: Final = frozenset({str, int, float, bool, dict, list, type(None)})
"""Types of values that nothing has to be awaited or collected of."""


class Outcome(NamedTuple):
    """What calling a function gave: its value or what it raised, and the seconds it took."""

    value: Any
    exception: BaseException | None
    duration: float


class Invocation(NamedTuple):
    """A function with its arguments, ready to be called."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    kind: Kind


def invoke(invocation: Invocation) -> Outcome:
    """Call a function and wait for it; what needs an event loop runs on the background one."""
    if invocation.kind in ("async", "async generator"):
        return _on_loop(invocation)
    outcome = _called(invocation)
    return _on_loop(_rest(outcome)) if _needs_loop(outcome.value) else outcome


def _called(invocation: Invocation) -> Outcome:
    """Call a plain function; a generator is collected, and what has to be awaited is left to the caller."""
    function, args, kwargs, _ = invocation
    start = perf_counter()
    try:
        value = function(*args, **kwargs)
        if type(value) not in _PLAIN and inspect.isgenerator(value):
            value = list(value)
    except BaseException as error:  # noqa: BLE001  # foreign code: whatever a tool raises is what came of it
        return Outcome(None, error, perf_counter() - start)
    return Outcome(value, None, perf_counter() - start)


def _needs_loop(value: object) -> bool:
    """Tell whether a value is one that a plain function around an async one returns."""
    return type(value) not in _PLAIN and (inspect.isawaitable(value) or inspect.isasyncgen(value))


def _rest(outcome: Outcome) -> Invocation:
    return Invocation(lambda: outcome.value, (), {}, "async")


def _on_loop(invocation: Invocation) -> Outcome:
    from fcregistry.execution._loop import background  # asyncio is 38 ms, which sync tools need not pay

    outcome: Outcome = background.run(lambda: ainvoke(invocation))
    return outcome


async def ainvoke(invocation: Invocation) -> Outcome:
    """Call a function on the running loop and await it."""
    from asyncio import CancelledError, current_task

    function, args, kwargs, _ = invocation
    start = perf_counter()
    try:
        value = function(*args, **kwargs)
        if inspect.isasyncgen(value):
            value = [item async for item in value]
        elif inspect.isawaitable(value):
            value = await value
        elif inspect.isgenerator(value):
            value = list(value)
    except BaseException as error:  # foreign code: whatever a tool raises is what came of it
        task = current_task()
        if isinstance(error, CancelledError) and task is not None and task.cancelling():
            raise  # it is we who are being cancelled, not something inside the tool
        return Outcome(None, error, perf_counter() - start)
    return Outcome(value, None, perf_counter() - start)


async def ainvoke_on_thread(invocation: Invocation) -> Outcome:
    """Call a blocking function on a thread, and await it."""
    from asyncio import wrap_future

    from fcregistry.execution._threads import threads

    outcome = await wrap_future(threads.submit(lambda: _called(invocation)))
    return await ainvoke(_rest(outcome)) if _needs_loop(outcome.value) else outcome
