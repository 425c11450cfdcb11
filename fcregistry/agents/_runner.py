"""How does the course of an agent become a run? Plain and asynchronous code do what it asks for; the course itself is the same.

MERGED: How is followed what a course asks for? What the model says and how far a tool is are told as they come.
MERGED: How is done what a course asks for? By plain code and by coroutines, which give the same answers.
MERGED: What ends a run before it ends by itself, and what are its tools given?
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import aclosing, closing, suppress
from dataclasses import dataclass
from threading import TIMEOUT_MAX, Timer
from typing import TYPE_CHECKING, Any, Final, TypedDict, TypeVar, cast

from fcregistry._base.call import CancellationToken, linked_token
from fcregistry._results.result import ToolResult
from fcregistry.agents._effects import AskModel, Carry, Express, Failed, Resume, Stopped
from fcregistry.agents._result import Progressed, Text, Thinking
from fcregistry.execution import PreparedCalls, background_loop, calls_context
from fcregistry.models import Completion, Delta, checked_completion

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self, Unpack

    from fcregistry.agents._effects import Course
    from fcregistry.agents._result import Event
    from fcregistry.execution import CallsContext

# --- agents._driving ---

T = TypeVar("T")


def drive(course: Course[T], control: Control) -> T:
    """Run a course to its end, and return what it returns."""
    answer: Any = None
    with control, closing(course):
        while not isinstance(effect := _advanced(course, answer), _Done):
            answer = performed(effect, control)
    return cast("T", effect.value)


async def adrive(course: Course[T], control: Control) -> T:
    """Run a course to its end on the running loop, and return what it returns."""
    answer: Any = None
    with control, closing(course):
        while not isinstance(effect := _advanced(course, answer), _Done):
            answer = await aperformed(effect, control)
    return cast("T", effect.value)


async def astream(course: Course[T], control: Control, end: Callable[[T], Event]) -> AsyncGenerator[Event, None]:
    """Run a course on the running loop, and yield what happens; what it returns comes last, as an event."""
    answer: Any = None
    with control, closing(course):
        while not isinstance(effect := _advanced(course, answer), _Done):
            answer = None
            if not isinstance(effect, (AskModel, Carry, Express, Resume)):
                yield effect
                continue
            async with aclosing(happening(effect, control)) as following:
                async for each in following:
                    if isinstance(each, Came):
                        answer = each.value
                    else:
                        yield each
    yield end(effect.value)


@dataclass(frozen=True, slots=True)
class _Done:
    """What a course has returned."""

    value: Any


def _advanced(course: Course[T], answer: Any) -> Any:
    """Return what a course asks for next, once it was told what came of the last; or that it is done."""
    try:
        return course.send(answer)
    except StopIteration as done:
        return _Done(done.value)


# --- agents._following ---


@dataclass(frozen=True, slots=True)
class Came:
    """What came of what a course asked for."""

    value: Any


def happening(effect: AskModel | Carry | Express | Resume, control: Control) -> AsyncGenerator[Event | Came, None]:
    """Return what happens while something is done, and at last what came of it."""
    return _listened(effect, control) if isinstance(effect, AskModel) else _followed(effect, control)


# --- a model --------------------------------------------------------------------------------------


async def _listened(ask: AskModel, control: Control) -> AsyncGenerator[Event | Came, None]:
    """Ask a model, and yield what it says.

    One task carries all of it, which the end of the run cancels; clients of providers do not bear to be taken up by another.
    """
    if (stopped := control.stopped) is not None:
        yield Came(stopped)
        return
    said: asyncio.Queue[Any] = asyncio.Queue()
    asking = asyncio.ensure_future(_pumped(ask, said.put_nowait))
    asking.add_done_callback(said.put_nowait)
    release = control.token.on_cancel(canceller(asking))
    completion = None
    try:
        while (piece := await said.get()) is not asking:
            if isinstance(piece, Completion):
                completion = piece
            else:
                for event in _told(piece, ask):
                    yield event
        yield Came(completion or _missed(ask, asking, control))
    finally:
        release()
        await _ended(asking)


async def _pumped(ask: AskModel, put: Callable[[Delta | Completion], None]) -> BaseException | None:
    """Hand over what a model says; return an interrupt of it, which would end the loop for everybody if it were raised in a task."""
    pieces = ask.model.astream(ask.messages, ask.tools, tool_choice=ask.tool_choice)
    try:
        async for piece in pieces:
            put(piece if isinstance(piece, Delta) else checked_completion(piece, ask.model.name))
    except (KeyboardInterrupt, SystemExit) as interrupt:
        return interrupt
    finally:
        if isinstance(pieces, AsyncGenerator):
            await pieces.aclose()
    return None


def _told(piece: Delta, ask: AskModel) -> Iterator[Event]:
    if piece.reasoning:
        yield Thinking(text=piece.reasoning)
    if piece.content and not ask.quiet:
        yield Text(text=piece.content)


def _missed(ask: AskModel, asking: asyncio.Future[BaseException | None], control: Control) -> Failed | Stopped:
    """Return why a model that was asked gave no completion."""
    if asking.cancelled():
        return control.stopped or Stopped(reason="cancelled")
    error = asking.exception()
    if error is None and (interrupt := asking.result()) is not None:
        raise interrupt
    if error is None:
        error = RuntimeError(f"{ask.model.name} ended without a completion")
    if not isinstance(error, Exception):
        raise error
    return control.stopped or Failed(error=error)


async def _ended(task: asyncio.Future[Any]) -> None:
    """End a task, and wait until it has cleaned up."""
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled():
        task.exception()  # seen, so asyncio does not log it


# --- calls ----------------------------------------------------------------------------------------


async def _followed(effect: Carry | Express | Resume, control: Control) -> AsyncGenerator[Event | Came, None]:
    """Carry out calls, and yield how far the call of a message is that makes only one."""
    if isinstance(effect, Express):
        yield Came(await aexpressed(effect, control))
        return
    todo = ready(effect)
    if not isinstance(todo, Carry) or len(todo.calls) != 1 or todo.visible.refusal(todo.calls[0]) is not None:
        yield Came(await acarried(todo, control) if isinstance(todo, (Carry, Resume)) else todo)
        return
    (call,) = todo.calls
    results: list[ToolResult] = []
    async with aclosing(todo.visible.executor.astream(call, **control.passed_on())) as following:
        async for each in following:
            if isinstance(each, ToolResult):
                results.append(each)
            else:
                yield Progressed(call=call, progress=each)
    todo.visible.note(results)
    yield Came(results)


# --- agents._performing ---


def performed(effect: Any, control: Control) -> Any:
    """Do what a course asks for, and return what came of it."""
    if isinstance(effect, AskModel):
        return control.stopped or _asked(effect, control)
    if isinstance(effect, (Carry, Resume)):
        return _carried(effect, control)
    if isinstance(effect, Express):
        from fcregistry.execution import run_nodes  # for expressions alone

        return run_nodes(effect.visible.executor._open_pipeline(), list(effect.nodes), control.run)
    return None  # an event, which nobody listens to


def _asked(ask: AskModel, control: Control) -> Completion | Failed | Stopped:
    try:
        if not control.is_bounded:
            return _whole(ask, ask.model.complete(ask.messages, ask.tools, tool_choice=ask.tool_choice))
        return _whole(ask, _asked_until(ask, control))
    except (CancelledError, asyncio.CancelledError):  # of the request, by the run's end; or by the model itself
        return control.stopped or Stopped(reason="cancelled")
    except Exception as error:  # noqa: BLE001  # foreign code: whatever a model raises is why it gave no answer
        return control.stopped or Failed(error=error)


def _asked_until(ask: AskModel, control: Control) -> object:
    """Ask a model on the background loop, where a run that ends can leave it behind."""
    future = background_loop.submit(lambda: ask.model.acomplete(ask.messages, ask.tools, tool_choice=ask.tool_choice))
    release = control.token.on_cancel(future.cancel)
    try:
        return future.result()
    except BaseException:  # an interrupt while waiting ends the request too
        future.cancel()
        raise
    finally:
        release()


def _whole(ask: AskModel, said: object) -> Completion:
    """Return what a model said.

    Raises:
        TypeError: It is no completion.
    """
    return checked_completion(said, ask.model.name)


def _carried(effect: Carry | Resume, control: Control) -> Any:
    todo = ready(effect)
    visible = effect.visible
    if isinstance(todo, Carry):
        return visible.run_all(todo.calls, **control.passed_on())
    if isinstance(todo, PreparedCalls):
        return todo
    refused = visible._refused(todo.calls)
    ran = visible.executor.resume(todo.prepared, todo.decisions, by=control.by, **control.passed_on())
    return visible._together(refused, ran, len(todo.calls))


def ready(effect: Carry | Resume) -> Carry | Resume | PreparedCalls:
    """Return what can be carried out now; or calls, of which somebody has to decide about one before any of them runs."""
    if isinstance(effect, Resume) or not effect.suspends:
        return effect
    visible, pipeline = effect.visible, effect.visible.executor._pipeline
    meant = (pipeline.find(call.name) for call in effect.calls)
    if all(tool is None or pipeline.gate.is_open(tool) for tool in meant):
        return effect
    prepared = visible.executor.prepare([call for call in effect.calls if visible.refusal(call) is None])
    # What nobody has to decide about is taken up at once: hooks are not asked twice.
    return prepared if prepared.waiting else Resume(visible=visible, calls=effect.calls, prepared=prepared)


# --- coroutines -----------------------------------------------------------------------------------


async def aperformed(effect: Any, control: Control) -> Any:
    """Do what a course asks for on the running loop, and return what came of it."""
    if isinstance(effect, AskModel):
        return control.stopped or await _aasked(effect, control)
    if isinstance(effect, (Carry, Resume)):
        return await acarried(effect, control)
    if isinstance(effect, Express):
        return await aexpressed(effect, control)
    return None


async def aexpressed(effect: Express, control: Control) -> Any:
    """Carry out the calls of expressions on the running loop."""
    from fcregistry.execution import arun_nodes  # for expressions alone

    return await arun_nodes(effect.visible.executor._open_pipeline(), list(effect.nodes), control.run)


async def _aasked(ask: AskModel, control: Control) -> Completion | Failed | Stopped:
    try:
        asking = ask.model.acomplete(ask.messages, ask.tools, tool_choice=ask.tool_choice)
        if not control.is_bounded:
            return _whole(ask, await asking)
        task = asyncio.ensure_future(asking)
        release = control.token.on_cancel(canceller(task))
        try:
            return _whole(ask, await task)
        finally:
            release()
    except asyncio.CancelledError:
        if _is_cancelled():
            raise
        return control.stopped or Stopped(reason="cancelled")
    except Exception as error:  # noqa: BLE001  # foreign code: whatever a model raises is why it gave no answer
        return control.stopped or Failed(error=error)


async def acarried(effect: Carry | Resume, control: Control) -> Any:
    """Carry out calls on the running loop."""
    todo = ready(effect)
    visible = effect.visible
    if isinstance(todo, Carry):
        return await visible.arun_all(todo.calls, **control.passed_on())
    if isinstance(todo, PreparedCalls):
        return todo
    refused = visible._refused(todo.calls)
    ran = await visible.executor.aresume(todo.prepared, todo.decisions, by=control.by, **control.passed_on())
    return visible._together(refused, ran, len(todo.calls))


def canceller(task: asyncio.Future[Any]) -> Callable[[], None]:
    """Return what cancels a task of the running loop from any thread."""
    loop = asyncio.get_running_loop()

    def cancel() -> None:
        with suppress(RuntimeError):  # the loop has ended meanwhile, and the task with it
            loop.call_soon_threadsafe(task.cancel)

    return cancel


def _is_cancelled() -> bool:
    """Tell whether it is the running task that is to end, and not what it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


# --- agents._control ---


class RunOptions(TypedDict, total=False):
    """What can be said of one run.

    Attributes:
        cancellation: Ends the run when it is cancelled.
        time_budget: Seconds that the run may take; None for any.
        deps: What the context of tools can have in this run.
    """

    cancellation: CancellationToken | None
    time_budget: float | None
    deps: Sequence[Any]


class ResumeOptions(RunOptions, total=False):
    """What can be said of what is left of a run.

    Attributes:
        by: Who decided about the calls that waited, for the developer.
    """

    by: str | None


_TIME_IS_OVER: Final = "the time budget of the run is used up"


class Control:
    """Ends a run when its caller says so, or when its time is over. Enter it for as long as the run lasts.

    Args:
        cancellation: The caller's token, if any.
        time_budget: Seconds that the run may take; None for any.
        deps: What the context of tools can have.

    Raises:
        TypeError: One of the others is something else, or it is told anything more.
        ValueError: The time is none.
    """

    __slots__ = ("_cancellation", "_release", "_time_budget", "_timer", "by", "deps", "is_bounded", "token")

    def __init__(
        self,
        cancellation: CancellationToken | None = None,
        time_budget: float | None = None,
        deps: Sequence[Any] = (),
        **others: object,
    ) -> None:
        if others:
            raise TypeError(f"a run takes cancellation, time_budget and deps, and no {' or '.join(sorted(others))}")
        if time_budget is not None and not (type(time_budget) in (int, float) and time_budget > 0):
            raise ValueError(f"time_budget takes seconds: a number above 0, not {time_budget!r}")
        calls_context(cancellation, deps)  # which says what is wrong with them before anybody is asked
        self.deps = deps
        self.by: str | None = None
        self.is_bounded = cancellation is not None or time_budget is not None
        self.token = CancellationToken()
        self._cancellation = cancellation
        self._time_budget = time_budget
        self._release: Callable[[], None] | None = None
        self._timer: Timer | None = None

    def __enter__(self) -> Self:
        self.token, self._release = linked_token(self._cancellation)
        if self._time_budget is not None:
            self._timer = Timer(min(self._time_budget, TIMEOUT_MAX), self.token.cancel, (_TIME_IS_OVER,))
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._release is not None:
            self._release()
        if self._timer is not None:
            self._timer.cancel()

    @property
    def stopped(self) -> Stopped | None:
        """Why the run is to end, if it is."""
        if not self.token.cancelled:
            return None
        return Stopped(reason="time_budget" if self.token.reason == _TIME_IS_OVER else "cancelled")

    @property
    def run(self) -> CallsContext:
        """The same, as the pipeline of an executor is told."""
        return calls_context(self.token if self.is_bounded else None, self.deps)

    def passed_on(self) -> dict[str, Any]:
        """Return what an executor is told."""
        told: dict[str, Any] = {"deps": self.deps} if self.deps else {}
        return {**told, "cancellation": self.token} if self.is_bounded else told


class Resumption(Control):
    """Ends what is left of a run that waited for decisions, and knows who took them.

    Args:
        by: Who decided; None where that is not said.
        **options: As for `Control`.

    Raises:
        TypeError: It is no text; or as for `Control`.
    """

    __slots__ = ()

    def __init__(self, by: str | None = None, **options: Unpack[RunOptions]) -> None:
        super().__init__(**options)
        if not (by is None or isinstance(by, str)):
            raise TypeError(f"by takes who decided, as text, not {by!r:.80}")
        self.by = by
