"""How does the course of an agent become a run? Plain and asynchronous code do what it asks for; the course itself is the same."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import aclosing
from threading import Timer
from typing import TYPE_CHECKING, Any, Final, TypeVar

from fcregistry._cancellation import linked
from fcregistry.agents._effects import Ask, Carry, Failed, Resume, Stopped
from fcregistry.agents._events import Progressed, Text, Thinking
from fcregistry.execution._calling._loop import background
from fcregistry.models import Completion, Delta

if TYPE_CHECKING:
    from fcregistry._cancellation import CancellationToken
    from fcregistry._results import ToolResult
    from fcregistry.agents._effects import Course
    from fcregistry.agents._events import Event
    from fcregistry.execution import PreparedCalls

T = TypeVar("T")

_TIME_IS_OVER: Final = "the time budget of the run is used up"


class Control:
    """What ends a run before it ends by itself, and what its tools are given. Enter it for as long as the run lasts.

    Args:
        cancellation: The caller's token, if any.
        time_budget: Seconds that the run may take; None for any.
        deps: What the context of tools can have.
    """

    __slots__ = ("_release", "_timer", "deps", "is_bounded", "token")

    def __init__(
        self, cancellation: CancellationToken | None = None, time_budget: float | None = None, deps: Sequence[Any] = ()
    ) -> None:
        if time_budget is not None and not (type(time_budget) in (int, float) and time_budget > 0):
            raise ValueError(f"time_budget takes seconds: a number above 0, not {time_budget!r}")
        self.deps = deps
        self.is_bounded = cancellation is not None or time_budget is not None
        self.token, self._release = linked(cancellation)
        self._timer = None if time_budget is None else Timer(time_budget, self.token.cancel, (_TIME_IS_OVER,))

    def __enter__(self) -> Control:
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._release()
        if self._timer is not None:
            self._timer.cancel()

    @property
    def stopped(self) -> Stopped | None:
        """Why the run is to end, if it is."""
        if not self.token.cancelled:
            return None
        return Stopped(reason="time_budget" if self.token.reason == _TIME_IS_OVER else "cancelled")

    def passed_on(self) -> dict[str, Any]:
        """Return what an executor is told."""
        told: dict[str, Any] = {"deps": self.deps} if self.deps else {}
        return {**told, "cancellation": self.token} if self.is_bounded else told


# --- plain code -----------------------------------------------------------------------------------


def drive(course: Course[T], control: Control) -> T:
    """Run a course to its end, and return what it returns."""
    answer: Any = None
    with control:
        try:
            while True:
                answer = _perform(course.send(answer), control)
        except StopIteration as done:
            value: T = done.value
            return value


def _perform(effect: Any, control: Control) -> Any:
    if isinstance(effect, Ask):
        return control.stopped or _asked(effect, control)
    if isinstance(effect, Carry):
        waiting = _suspended(effect)
        return effect.visible.run_all(effect.calls, **control.passed_on()) if waiting is None else waiting
    if isinstance(effect, Resume):
        results = effect.visible.executor.resume(effect.prepared, effect.decisions, **control.passed_on())
        effect.visible.note(results)
        return results
    return None  # an event, which nobody listens to


def _asked(ask: Ask, control: Control) -> Completion | Failed | Stopped:
    try:
        if not control.is_bounded:
            return ask.model.complete(ask.messages, ask.tools, tool_choice=ask.tool_choice)
        future = background.submit(lambda: ask.model.acomplete(ask.messages, ask.tools, tool_choice=ask.tool_choice))
        release = control.token.on_cancel(future.cancel)
        try:
            completion: Completion = future.result()
        except BaseException:
            future.cancel()
            raise
        finally:
            release()
    except CancelledError:
        return control.stopped or Stopped(reason="cancelled")
    except Exception as error:  # noqa: BLE001  # foreign code: whatever a model raises is why it gave no answer
        return control.stopped or Failed(error=error)
    return completion


def _suspended(carry: Carry) -> PreparedCalls | None:
    """Return the calls of a message, where somebody has to decide about one before any of them runs."""
    if not carry.suspends:
        return None
    executor = carry.visible.executor
    named = (executor.tools.get(call.name) for call in carry.calls)
    if all(tool is None or executor._pipeline.gate.is_open(tool) for tool in named):
        return None
    prepared = executor.prepare([call for call in carry.calls if carry.visible.refusal(call) is None])
    return prepared if prepared.waiting else None


# --- coroutines -----------------------------------------------------------------------------------


async def adrive(course: Course[T], control: Control) -> T:
    """Run a course to its end on the running loop, and return what it returns."""
    answer: Any = None
    with control:
        try:
            while True:
                answer = await _aperform(course.send(answer), control)
        except StopIteration as done:
            value: T = done.value
            return value


async def _aperform(effect: Any, control: Control) -> Any:
    if isinstance(effect, Ask):
        return control.stopped or await _aasked(effect, control)
    if isinstance(effect, (Carry, Resume)):
        return await _acarried(effect, control)
    return None


async def _acarried(effect: Carry | Resume, control: Control) -> Any:
    if isinstance(effect, Resume):
        results = await effect.visible.executor.aresume(effect.prepared, effect.decisions, **control.passed_on())
        effect.visible.note(results)
        return results
    waiting = _suspended(effect)
    return await effect.visible.arun_all(effect.calls, **control.passed_on()) if waiting is None else waiting


async def _aasked(ask: Ask, control: Control) -> Completion | Failed | Stopped:
    asking = asyncio.ensure_future(ask.model.acomplete(ask.messages, ask.tools, tool_choice=ask.tool_choice))
    release = control.token.on_cancel(_canceller(asking)) if control.is_bounded else None
    try:
        return await asking
    except asyncio.CancelledError:
        if control.stopped is None:  # it is this task that was cancelled
            asking.cancel()
            raise
        return control.stopped
    except Exception as error:  # noqa: BLE001  # foreign code: whatever a model raises is why it gave no answer
        return control.stopped or Failed(error=error)
    finally:
        if release is not None:
            release()


def _canceller(task: asyncio.Future[Any]) -> Callable[[], object]:
    loop = asyncio.get_running_loop()
    return lambda: loop.call_soon_threadsafe(task.cancel)


# --- events as they happen ------------------------------------------------------------------------


async def astream(course: Course[T], control: Control, end: Callable[[T], Event]) -> AsyncIterator[Event]:
    """Run a course on the running loop, and yield what happens; what it returns comes last, as an event."""
    answer: Any = None
    with control:
        while True:
            try:
                effect = course.send(answer)
            except StopIteration as done:
                yield end(done.value)
                return
            answer = None
            if isinstance(effect, Ask):
                answer = control.stopped
                if answer is None:
                    async with aclosing(_listening(effect, control)) as pieces:
                        async for piece in pieces:
                            if isinstance(piece, (Thinking, Text)):
                                yield piece
                            else:
                                answer = piece
            elif isinstance(effect, Carry) and len(effect.calls) == 1:
                async with aclosing(_following(effect, control)) as happening:
                    async for each in happening:
                        if isinstance(each, Progressed):
                            yield each
                        else:
                            answer = each
            elif isinstance(effect, (Carry, Resume)):
                answer = await _acarried(effect, control)
            else:
                yield effect


async def _listening(ask: Ask, control: Control) -> AsyncGenerator[Any, None]:
    """Yield what a model says as it says it, and at last what an `Ask` gives."""
    said: asyncio.Queue[Any] = asyncio.Queue()

    async def pump() -> None:
        try:
            async with aclosing(_pieces(ask)) as pieces:
                async for piece in pieces:
                    said.put_nowait(piece)
        except asyncio.CancelledError:
            said.put_nowait(control.stopped or Stopped(reason="cancelled"))
            raise
        except Exception as error:  # noqa: BLE001  # foreign code: whatever a model raises is why it gave no answer
            said.put_nowait(control.stopped or Failed(error=error))
        else:
            said.put_nowait(Failed(error=RuntimeError(f"{ask.model.name} ended without a completion")))

    pumping = asyncio.ensure_future(pump())
    release = control.token.on_cancel(_canceller(pumping))
    try:
        while True:
            piece = await said.get()
            if isinstance(piece, Delta):
                if piece.reasoning:
                    yield Thinking(text=piece.reasoning)
                if piece.content and not ask.quiet:
                    yield Text(text=piece.content)
                continue
            yield piece
            return
    finally:
        release()
        pumping.cancel()


def _pieces(ask: Ask) -> Any:
    return ask.model.astream(ask.messages, ask.tools, tool_choice=ask.tool_choice)


async def _following(carry: Carry, control: Control) -> AsyncGenerator[Any, None]:
    """Yield how far the one call of a message is, and at last what a `Carry` gives."""
    (call,) = carry.calls
    waiting = _suspended(carry)
    refused = carry.visible.refusal(call)
    if waiting is not None or refused is not None:
        yield waiting or await carry.visible.arun_all(carry.calls)
        return
    results: list[ToolResult] = []
    async with aclosing(_events(carry, control)) as happening:
        async for each in happening:
            if hasattr(each, "ok"):
                results.append(each)
            else:
                yield Progressed(call=call, progress=each)
    carry.visible.note(results)
    yield results


def _events(carry: Carry, control: Control) -> Any:
    return carry.visible.executor.astream(carry.calls[0], **control.passed_on())
