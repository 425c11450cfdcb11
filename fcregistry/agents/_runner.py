"""Runs an agent's coroutine, sync, async or streamed, and ends it at the caller's word.

An agent describes a run as a generator-based coroutine (`AgentCoroutine`): it yields what it wants done, `AskModel` or a set of calls, or an event,
and is sent the outcome. The coroutine is the same for plain and asynchronous callers; only this module has two forms of everything.

The pieces of a streamed answer are read in one task, since the clients of providers cannot be continued in another one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import aclosing, closing, suppress
from dataclasses import dataclass, field
from threading import TIMEOUT_MAX, Timer
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypedDict, TypeVar, cast

from fcregistry._base.call import CancellationToken, linked_token
from fcregistry._results.result import ToolResult
from fcregistry.agents._result import Finished, Progressed, Text, Thinking
from fcregistry.execution import PreparedCalls, background_loop, calls_context
from fcregistry.models import Completion, Delta, checked_completion

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self, Unpack

    from fcregistry._base.call import ToolCall
    from fcregistry._tools.tool import Tool
    from fcregistry.agents._result import Event, RunResult
    from fcregistry.agents._visible_tools import VisibleTools
    from fcregistry.execution import CallNode, CallsContext, Decision
    from fcregistry.models import Message, Model, ToolChoice

T = TypeVar("T")


def drive(run: AgentCoroutine[T], control: Control) -> T:
    """Run a coroutine to its end, and return what it returns."""
    outcome: Any = None
    with control, closing(run):
        while not isinstance(effect := _advance(run, outcome), _Done):
            outcome = _perform(effect, control)
    return cast("T", effect.value)


async def adrive(run: AgentCoroutine[T], control: Control) -> T:
    """Run a coroutine to its end on the running loop, and return what it returns."""
    outcome: Any = None
    with control, closing(run):
        while not isinstance(effect := _advance(run, outcome), _Done):
            outcome = await _aperform(effect, control)
    return cast("T", effect.value)


async def astream(run: AgentCoroutine[RunResult], control: Control) -> AsyncGenerator[Event, None]:
    """Run a coroutine on the running loop, and yield its events; the last one is `Finished`."""
    outcome: Any = None
    with control, closing(run):
        while not isinstance(effect := _advance(run, outcome), _Done):
            outcome = None
            if not isinstance(effect, (AskModel, RunCalls, RunExpressions, ResumeCalls)):
                yield effect
                continue
            pieces = _stream_model(effect, control) if isinstance(effect, AskModel) else _stream_calls(effect, control)
            async with aclosing(pieces):
                async for each in pieces:
                    if isinstance(each, _Outcome):
                        outcome = each.value
                    else:
                        yield each
    yield Finished(result=effect.value)


@dataclass(frozen=True, slots=True)
class _Done:
    """What a coroutine has returned."""

    value: Any


def _advance(run: AgentCoroutine[T], outcome: Any) -> Any:
    """Send a coroutine the outcome of its last effect; return the next effect, or `_Done`."""
    try:
        return run.send(outcome)
    except StopIteration as done:
        return _Done(done.value)


# --- What a coroutine yields, and what it is sent ---

AgentCoroutine: TypeAlias = Generator[Any, Any, T]
"""Yields effects, is sent the outcome of each (None for an event), and returns a T."""

Effect: TypeAlias = "AskModel | RunCalls | ResumeCalls | RunExpressions | Event"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskModel:
    """Ask a model. The outcome is its `Completion`, a `ModelFailed` or a `RunStopped`."""

    model: Model
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    tool_choice: ToolChoice = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCalls:
    """Run calls. The outcome is their results, in order; or `PreparedCalls`, if an approver has to decide.

    Attributes:
        suspends: Whether calls wait for an approver; if not, calls that need approval are refused by the executor.
    """

    visible: VisibleTools
    calls: tuple[ToolCall, ...]
    suspends: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeCalls:
    """Run calls that waited for approval. The outcome is the results of all calls, in their order.

    Attributes:
        calls: The calls of the message that may run: the prepared ones, and between them those of tools that are not visible.
    """

    visible: VisibleTools
    calls: tuple[ToolCall, ...]
    prepared: PreparedCalls
    decisions: Mapping[str, Decision] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunExpressions:
    """Run the calls of expressions. The outcome is the results, in order; no call waits for an approver."""

    visible: VisibleTools
    nodes: tuple[CallNode, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFailed:
    """The outcome of asking a model that gave no answer.

    Attributes:
        error: What was raised.
    """

    error: Exception


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStopped:
    """The outcome of asking a model when the run has to end.

    Attributes:
        reason: Why.
    """

    reason: str


# --- Sync ---


def _perform(effect: Any, control: Control) -> Any:
    """Do what a coroutine asks for, and return the outcome; an event has none."""
    if isinstance(effect, AskModel):
        return control.stopped or _ask(effect, control)
    if isinstance(effect, (RunCalls, ResumeCalls)):
        return _run_calls(effect, control)
    if isinstance(effect, RunExpressions):
        from fcregistry.execution import run_nodes  # for expressions alone

        return run_nodes(effect.visible.executor._open_pipeline(), list(effect.nodes), control.calls_context)
    return None


def _ask(ask: AskModel, control: Control) -> Completion | ModelFailed | RunStopped:
    try:
        if control.is_bounded:
            answer = _ask_on_background_loop(ask, control)
        else:
            answer = ask.model.complete(ask.messages, ask.tools, tool_choice=ask.tool_choice)
        return checked_completion(answer, ask.model.name)
    except (CancelledError, asyncio.CancelledError):  # of the request, by the run's end; or by the model itself
        return control.stopped or RunStopped(reason="cancelled")
    except Exception as error:  # noqa: BLE001  # foreign code: whatever a model raises is why it gave no answer
        return control.stopped or ModelFailed(error=error)


def _ask_on_background_loop(ask: AskModel, control: Control) -> object:
    """Ask a model where a run that ends can abandon the request."""
    future = background_loop.submit(lambda: ask.model.acomplete(ask.messages, ask.tools, tool_choice=ask.tool_choice))
    release = control.token.on_cancel(future.cancel)
    try:
        return future.result()
    except BaseException:  # an interrupt while waiting ends the request too
        future.cancel()
        raise
    finally:
        release()


def _run_calls(effect: RunCalls | ResumeCalls, control: Control) -> Any:
    todo = _with_approval(effect)
    visible = effect.visible
    if isinstance(todo, RunCalls):
        return visible.run_all(todo.calls, **control.executor_options())
    if isinstance(todo, PreparedCalls):
        return todo
    refused = visible._refusals(todo.calls)
    ran = visible.executor.resume(todo.prepared, todo.decisions, by=control.by, **control.executor_options())
    return visible._merge_results(refused, ran, len(todo.calls))


def _with_approval(effect: RunCalls | ResumeCalls) -> RunCalls | ResumeCalls | PreparedCalls:
    """Return what can run now; or the prepared calls, if an approver has to decide about one first."""
    if isinstance(effect, ResumeCalls) or not effect.suspends:
        return effect
    visible, pipeline = effect.visible, effect.visible.executor._pipeline
    tools = (pipeline.find(call.name) for call in effect.calls)
    if all(tool is None or pipeline.gate.is_open(tool) for tool in tools):
        return effect
    prepared = visible.executor.prepare([call for call in effect.calls if visible.refusal(call) is None])
    # Calls that need no decision are resumed at once: hooks are not asked twice.
    return prepared if prepared.waiting else ResumeCalls(visible=visible, calls=effect.calls, prepared=prepared)


# --- Async ---


async def _aperform(effect: Any, control: Control) -> Any:
    """Do what a coroutine asks for on the running loop; as `_perform` otherwise."""
    if isinstance(effect, AskModel):
        return control.stopped or await _aask(effect, control)
    if isinstance(effect, (RunCalls, ResumeCalls)):
        return await _arun_calls(effect, control)
    if isinstance(effect, RunExpressions):
        return await _arun_expressions(effect, control)
    return None


async def _aask(ask: AskModel, control: Control) -> Completion | ModelFailed | RunStopped:
    try:
        asking = ask.model.acomplete(ask.messages, ask.tools, tool_choice=ask.tool_choice)
        if not control.is_bounded:
            return checked_completion(await asking, ask.model.name)
        task = asyncio.ensure_future(asking)
        release = control.token.on_cancel(_canceller(task))
        try:
            return checked_completion(await task, ask.model.name)
        finally:
            release()
    except asyncio.CancelledError:
        # The running task is cancelled, and not only what it waits for
        if (task_here := asyncio.current_task()) is not None and task_here.cancelling() > 0:
            raise
        return control.stopped or RunStopped(reason="cancelled")
    except Exception as error:  # noqa: BLE001  # foreign code: whatever a model raises is why it gave no answer
        return control.stopped or ModelFailed(error=error)


async def _arun_calls(effect: RunCalls | ResumeCalls, control: Control) -> Any:
    todo = _with_approval(effect)
    visible = effect.visible
    if isinstance(todo, RunCalls):
        return await visible.arun_all(todo.calls, **control.executor_options())
    if isinstance(todo, PreparedCalls):
        return todo
    refused = visible._refusals(todo.calls)
    ran = await visible.executor.aresume(todo.prepared, todo.decisions, by=control.by, **control.executor_options())
    return visible._merge_results(refused, ran, len(todo.calls))


async def _arun_expressions(effect: RunExpressions, control: Control) -> Any:
    from fcregistry.execution import arun_nodes  # for expressions alone

    return await arun_nodes(effect.visible.executor._open_pipeline(), list(effect.nodes), control.calls_context)


def _canceller(task: asyncio.Future[Any]) -> Callable[[], None]:
    """Return a function that cancels a task of the running loop from any thread."""
    loop = asyncio.get_running_loop()

    def cancel() -> None:
        with suppress(RuntimeError):  # the loop has ended meanwhile, and the task with it
            loop.call_soon_threadsafe(task.cancel)

    return cancel


# --- Streamed ---


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The outcome of an effect, after its events."""

    value: Any


async def _stream_model(ask: AskModel, control: Control) -> AsyncGenerator[Event | _Outcome, None]:
    """Ask a model, and yield the pieces of its answer as events, then the outcome.

    The end of the run cancels the task that reads them.
    """
    if (stopped := control.stopped) is not None:
        yield _Outcome(stopped)
        return
    pieces: asyncio.Queue[Any] = asyncio.Queue()
    reading = asyncio.ensure_future(_forward_pieces(ask, pieces.put_nowait))
    reading.add_done_callback(pieces.put_nowait)
    release = control.token.on_cancel(_canceller(reading))
    completion = None
    try:
        while (piece := await pieces.get()) is not reading:
            if isinstance(piece, Completion):
                completion = piece
            else:
                for event in _piece_events(piece):
                    yield event
        yield _Outcome(completion or _why_no_completion(ask, reading, control))
    finally:
        release()
        reading.cancel()
        await asyncio.wait([reading])  # until the model has cleaned up
        if not reading.cancelled():
            reading.exception()  # retrieved, so asyncio does not log it


async def _forward_pieces(ask: AskModel, put: Callable[[Delta | Completion], None]) -> BaseException | None:
    """Pass on the pieces of a model's answer, and return an interrupt of it, if there was one.

    Raised in a task, an interrupt would end the loop for everybody.
    """
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


def _piece_events(piece: Delta) -> Iterator[Event]:
    if piece.reasoning:
        yield Thinking(text=piece.reasoning)
    if piece.content:
        yield Text(text=piece.content)


def _why_no_completion(
    ask: AskModel, reading: asyncio.Future[BaseException | None], control: Control
) -> ModelFailed | RunStopped:
    if reading.cancelled():
        return control.stopped or RunStopped(reason="cancelled")
    error = reading.exception()
    if error is None and (interrupt := reading.result()) is not None:
        raise interrupt
    if error is None:
        error = RuntimeError(f"{ask.model.name} ended without a completion")
    if not isinstance(error, Exception):
        raise error
    return control.stopped or ModelFailed(error=error)


async def _stream_calls(
    effect: RunCalls | RunExpressions | ResumeCalls, control: Control
) -> AsyncGenerator[Event | _Outcome, None]:
    """Run calls, and yield the outcome; a message's only call yields its progress before."""
    if isinstance(effect, RunExpressions):
        yield _Outcome(await _arun_expressions(effect, control))
        return
    todo = _with_approval(effect)
    if not isinstance(todo, RunCalls) or len(todo.calls) != 1 or todo.visible.refusal(todo.calls[0]) is not None:
        yield _Outcome(await _arun_calls(todo, control) if isinstance(todo, (RunCalls, ResumeCalls)) else todo)
        return
    (call,) = todo.calls
    results: list[ToolResult] = []
    async with aclosing(todo.visible.executor.astream(call, **control.executor_options())) as progress:
        async for each in progress:
            if isinstance(each, ToolResult):
                results.append(each)
            else:
                yield Progressed(call=call, progress=each)
    todo.visible.note(results)
    yield _Outcome(results)


# --- What ends a run early, and the options of its calls ---


class RunOptions(TypedDict, total=False):
    """The options of one run.

    Attributes:
        cancellation: Ends the run when it is cancelled.
        time_budget: The seconds that the run may take; None for no limit.
        deps: What the context of tools provides in this run.
    """

    cancellation: CancellationToken | None
    time_budget: float | None
    deps: Sequence[Any]


class ResumeOptions(RunOptions, total=False):
    """The options of what is left of a run.

    Attributes:
        by: Who decided about the calls that waited, for the developer.
    """

    by: str | None


_TIME_BUDGET_USED: Final = "the time budget of the run is used up"


class Control:
    """Ends a run when its caller cancels it, or when its time is over.

    Enter it for as long as the run lasts.

    Args:
        cancellation: The caller's token, if any.
        time_budget: The seconds that the run may take; None for no limit.
        deps: What the context of tools provides.

    Raises:
        TypeError: A value is of another type, or there is another option.
        ValueError: The time is not a number above 0.
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
        calls_context(cancellation, deps)  # raises for wrong ones before the model is asked
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
            self._timer = Timer(min(self._time_budget, TIMEOUT_MAX), self.token.cancel, (_TIME_BUDGET_USED,))
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._release is not None:
            self._release()
        if self._timer is not None:
            self._timer.cancel()

    @property
    def stopped(self) -> RunStopped | None:
        """Why the run has to end; None while it may go on."""
        if not self.token.cancelled:
            return None
        return RunStopped(reason="time_budget" if self.token.reason == _TIME_BUDGET_USED else "cancelled")

    @property
    def calls_context(self) -> CallsContext:
        """The token and the dependencies, as an executor's pipeline takes them."""
        return calls_context(self.token if self.is_bounded else None, self.deps)

    def executor_options(self) -> dict[str, Any]:
        """Return the token and the dependencies, as the methods of an executor take them."""
        options: dict[str, Any] = {"deps": self.deps} if self.deps else {}
        return {**options, "cancellation": self.token} if self.is_bounded else options


class ResumeControl(Control):
    """Ends what is left of a run that waited for decisions, and knows who decided.

    Args:
        by: Who decided; None if that is not known.
        **options: The options of `Control`.

    Raises:
        TypeError: `by` is not text, or as `Control` raises it.
        ValueError: As `Control` raises it.
    """

    __slots__ = ()

    def __init__(self, by: str | None = None, **options: Unpack[RunOptions]) -> None:
        super().__init__(**options)
        if not (by is None or isinstance(by, str)):
            raise TypeError(f"by takes who decided, as text, not {by!r:.80}")
        self.by = by
