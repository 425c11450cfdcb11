"""The effects of an agent's run: asking a model, running calls, and telling the caller what happens by events.

An agent describes a run as a coroutine of effects, which `drive` and `adrive` of `fcregistry.execution` run to its end. A streamed run is the same
coroutine in its own task, whose events come through a queue: the run continues when its caller asks for the next event. Each event has `to_json`, for
a program that listens elsewhere, such as a page in a browser.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import aclosing, suppress
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar, cast

from fcregistry._base.call import CallError, ToolCall
from fcregistry._results.result import ToolResult
from fcregistry.agents._run import AnswerT_co, End
from fcregistry.execution import (
    adrive,
    background_loop,
    drive,
    failed_result,
    finished_results,
    log_failure,
    open_pipeline,
    pipeline_of,
    run_nodes,
)
from fcregistry.models import Completion, Delta, arguments_text, checked_completion

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.agents._run import Control, RunResult
    from fcregistry.execution import CallNode, Decision, Effects, Executor, Partial, PreparedCalls, Progress
    from fcregistry.models import Message, Model, ToolChoice

T = TypeVar("T")

# --- The events of a streamed run, in the order of a run ---


class _Event:
    """The base of all events."""

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object; its `type` is the name of the event.

        Raises:
            EncodingError: A tool yielded, or the agent answered with, a value that has no JSON form.
        """
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(self).__name__).lower()
        return {"type": name} | {field.name: _field_as_json(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]  # each event is a dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking(_Event):
    """The next piece of the model's thinking.

    Attributes:
        text: The piece.
    """

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(_Event):
    """The next piece of the model's text. Only the `Finished` at the end says which text is the answer.

    Attributes:
        text: The piece.
    """

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Calling(_Event):
    """The model has made a call, which will run or be refused.

    Attributes:
        call: The call.
    """

    call: ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressed(_Event):
    """A tool has reported progress, or yielded a part of its result.

    Attributes:
        call: The call of the tool.
        progress: The progress, or the part.
    """

    call: ToolCall
    progress: Progress | Partial


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned(_Event):
    """A call has its result.

    Attributes:
        result: The result.
    """

    result: ToolResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning(_Event):
    """A planner begins a plan: the model's text is a draft of it until `Planned`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned(_Event):
    """A plan is ready.

    Attributes:
        steps: The steps of the plan, in words.
    """

    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepBegan(_Event):
    """A step of the plan begins.

    Attributes:
        index: Its index, from 0.
        text: The step in words.
    """

    index: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEnded(_Event):
    """A step of the plan ends.

    Attributes:
        index: Its index, from 0.
        text: Its result, or its failure.
        ok: Whether it succeeded.
    """

    index: int
    text: str
    ok: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished(_Event, Generic[AnswerT_co]):
    """The run is over, or waits for a decision. The last event.

    Attributes:
        result: The result of the run.
    """

    result: RunResult[AnswerT_co]


def _field_as_json(value: Any) -> Any:
    """Return `value`, the value of a field of an event, as JSON.

    A call becomes an object with its id, its name and the text of its arguments, a tuple a list, and an object with `to_json` what that
    returns; any other value is returned itself.
    """
    if isinstance(value, ToolCall):
        return {"id": value.id, "name": value.name, "arguments": arguments_text(value)}
    if isinstance(value, tuple):
        return list(value)
    return value.to_json() if hasattr(value, "to_json") else value


Event: TypeAlias = "Thinking | Text | Calling | Progressed | Returned | Planning | Planned | StepBegan | StepEnded | Finished[AnswerT_co]"


# --- Running to the end ---


def run_to_end(run: Effects[RunResult[AnswerT_co]], control: Control) -> RunResult[AnswerT_co]:
    """Run an agent's coroutine on this thread, and return its result."""
    with control:
        return drive(_recorded(run, control))


async def arun_to_end(run: Effects[RunResult[AnswerT_co]], control: Control) -> RunResult[AnswerT_co]:
    """Like `run_to_end`, on the running event loop."""
    with control:
        return await adrive(_recorded(run, control))


def _recorded(run: Effects[RunResult[AnswerT_co]], control: Control) -> Effects[RunResult[AnswerT_co]]:
    """Run an agent's coroutine, and store its result in `control`; a coroutine, see `Effects`.

    An interrupt, such as a KeyboardInterrupt or the cancellation of the task, ends the run as a cancelled token does: it does nothing more, and
    its result has the messages, in which every call has a result. Then the interrupt is raised.
    """
    done: Any = None
    try:
        while True:
            effect = cast("AgentEffect", run.send(done))
            if control.interrupt is not None:
                done = effect.interrupted(None)
                continue
            try:
                done = yield effect
            except Exception:  # the caller's mistake, or a fault
                run.close()
                raise
            except BaseException as interrupt:  # noqa: BLE001  # raised below
                control.interrupt = interrupt
                done = effect.interrupted(interrupt)
    except StopIteration as end:
        control.result = end.value
    if control.interrupt is not None:
        raise control.interrupt
    return cast("RunResult[AnswerT_co]", control.result)


async def astream(run: Effects[RunResult[AnswerT_co]], control: Control) -> AsyncGenerator[Event[AnswerT_co], None]:
    """Run an agent's coroutine on the running loop, and yield its events; the last one is `Finished`."""
    events: asyncio.Queue[Any] = asyncio.Queue()
    control.events = events
    with control:
        task = asyncio.ensure_future(_catch_interrupt(adrive(_recorded(run, control))))
        task.add_done_callback(events.put_nowait)
        try:
            while (event := await events.get()) is not task:
                yield event
                events.task_done()
        finally:
            task.cancel()
            await asyncio.wait([task])  # until the model has cleaned up
            if not task.cancelled():
                task.exception()  # retrieved, so asyncio does not log it
    yield Finished(result=_raise_interrupt(task.result()))


async def _catch_interrupt(work: Awaitable[T]) -> T | KeyboardInterrupt | SystemExit:
    """Return what `work` returns; a `KeyboardInterrupt` or `SystemExit` is returned, not raised.

    An interrupt that is raised in a task ends the event loop, and with it all other tasks. Other exceptions are raised.
    """
    try:
        return await work
    except (KeyboardInterrupt, SystemExit) as interrupt:
        return interrupt


def _raise_interrupt(outcome: T | KeyboardInterrupt | SystemExit) -> T:
    """Return `outcome`, or raise it if it is a `KeyboardInterrupt` or `SystemExit`."""
    if isinstance(outcome, (KeyboardInterrupt, SystemExit)):
        raise outcome
    return outcome


# --- The effects of a run ---


AgentEffect: TypeAlias = "EmitEvent | AskModel | RunCalls | RunNodes"
"""An effect of an agent's coroutine. Its `interrupted` returns the outcome in a run that is interrupted.

It takes what ended the effect, or None if the run was interrupted before the effect began.
"""


class EmitEvent(NamedTuple):
    """Tell the caller of a streamed run what happens: an effect.

    The run goes on when the caller asks for the next event.
    """

    control: Control
    event: Event

    def now(self) -> None:
        """Do nothing: a run on this thread has no listener."""

    async def later(self) -> None:
        """Put the event into the queue, if there is one, and wait until the listener has taken it."""
        if self.control.events is not None:
            self.control.events.put_nowait(self.event)
            await self.control.events.join()

    def interrupted(self, interrupt: BaseException | None) -> None:
        """Do nothing: nothing listens any more."""


class AskModel(NamedTuple):
    """Ask a model: an effect. The outcome is its `Completion`, or the `End` of the run.

    Attributes:
        control: Ends the request.
        model: The model.
        messages: The conversation.
        tools: The tools that the model may call.
        tool_choice: Whether it may, must or must not call.
        answer_schema: The JSON Schema of an answer without calls; None for any text.
    """

    control: Control
    model: Model
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    tool_choice: ToolChoice = "auto"
    answer_schema: Mapping[str, Any] | None = None

    def now(self) -> Completion | End:
        """Ask the model, and wait for the answer on this thread."""
        if (stopped := self.control.stopped) is not None:
            return stopped
        try:
            if self.control.is_bounded:
                return checked_completion(self._ask_on_background_loop(), self.model.name)
            answer = self._answering_model().complete(self.messages, self.tools, tool_choice=self.tool_choice)
            return checked_completion(answer, self.model.name)
        except (Exception, CancelledError, asyncio.CancelledError) as error:  # noqa: BLE001  # foreign code: a model may raise anything
            return self._end_after(error)

    async def later(self) -> Completion | End:
        """Ask the model on the running loop; the pieces of the answer become events, if the run is streamed."""
        if (stopped := self.control.stopped) is not None:
            return stopped
        asking = self._stream() if self.control.events is not None else self._complete()
        try:
            if not self.control.is_bounded:
                return checked_completion(await asking, self.model.name)
            task = asyncio.ensure_future(_catch_interrupt(asking))
            release = self.control.token.on_cancel(_canceller(task))
            try:
                return checked_completion(_raise_interrupt(await task), self.model.name)
            finally:
                release()
        except (Exception, asyncio.CancelledError) as error:  # foreign code: a model may raise anything
            # The running task is cancelled, and not only the request that it waits for
            if isinstance(error, asyncio.CancelledError) and cast("Any", asyncio.current_task()).cancelling() > 0:
                raise
            return self._end_after(error)

    def interrupted(self, interrupt: BaseException | None) -> End:
        """Return the end of the run."""
        return End(reason="cancelled")

    def _end_after(self, error: BaseException) -> End:
        """Return the end of a run whose model raised `error`, which may be a cancellation.

        If the run was stopped, it is the end for that reason; else its reason is `cancelled` or `model_error`.
        """
        if isinstance(error, (CancelledError, asyncio.CancelledError)):
            return self.control.stopped or End(reason="cancelled")
        return self.control.stopped or End(reason="model_error", error=error)

    def _answering_model(self) -> Model:
        """Return the model, constrained to the schema of the answer if there is one; its exceptions pass through."""
        return self.model if self.answer_schema is None else self.model.with_answer_schema(self.answer_schema)

    def _ask_on_background_loop(self) -> object:
        """Ask the model on the background loop, wait on this thread, and return its answer.

        If the run is cancelled, or the wait is interrupted, the request is cancelled. The model's exception is raised.
        """
        future = background_loop.submit(self._complete)
        release = self.control.token.on_cancel(future.cancel)
        try:
            return future.result()
        except BaseException:  # an interrupt while waiting ends the request too
            future.cancel()
            raise
        finally:
            release()

    async def _complete(self) -> object:
        """Return what the model's `acomplete` returns for the request; its exceptions pass through."""
        return await self._answering_model().acomplete(self.messages, self.tools, tool_choice=self.tool_choice)

    async def _stream(self) -> object:
        """Ask the model for a streamed answer, put its pieces into the queue, and return its completion.

        One task reads all pieces, since the clients of providers cannot be continued in another task. An exception of the model is ignored
        after the completion, and raised before it; without a completion, raise `RuntimeError`.
        """
        completion = None
        pieces = self._answering_model().astream(self.messages, self.tools, tool_choice=self.tool_choice)
        try:
            async for piece in pieces:
                if isinstance(piece, Delta):
                    self._emit_piece(piece)
                else:
                    completion = checked_completion(piece, self.model.name)
        except Exception:  # foreign code: a model may raise anything, and what it raises after its answer is ignored
            if completion is None:
                raise
        finally:
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()
        if completion is None:
            raise RuntimeError(f"{self.model.name} ended without a completion")
        return completion

    def _emit_piece(self, piece: Delta) -> None:
        """Put `piece` into the queue as the events `Thinking` and `Text`, without waiting.

        Either is left out if it would be empty. A slow caller must not delay the provider.
        """
        assert self.control.events is not None
        if piece.reasoning:
            self.control.events.put_nowait(Thinking(text=piece.reasoning))
        if piece.content:
            self.control.events.put_nowait(Text(text=piece.content))


def _canceller(task: asyncio.Future[Any]) -> Callable[[], None]:
    """Return a function without arguments that cancels `task`, of the running loop, from any thread."""
    loop = asyncio.get_running_loop()

    def cancel() -> None:
        """Cancel the task on its loop; do nothing if the loop has ended."""
        with suppress(RuntimeError):  # the loop has ended meanwhile, and the task with it
            loop.call_soon_threadsafe(task.cancel)

    return cancel


class RunCalls(NamedTuple):
    """Run the calls of one message: an effect. The outcome is their results, in order.

    Attributes:
        control: Ends them.
        executor: Runs them.
        calls: The calls; of prepared calls, only their number matters.
        prepared: The same calls, if they were prepared.
        decisions: The decisions about prepared calls.
    """

    control: Control
    executor: Executor
    calls: Sequence[ToolCall]
    prepared: PreparedCalls | None = None
    decisions: Mapping[str, Decision] | None = None

    def now(self) -> list[ToolResult]:
        """Run the calls, and wait for the results on this thread."""
        options = self.control.executor_options()
        if self.prepared is not None:
            return self.executor.resume(self.prepared, self.decisions, by=self.control.by, **options)
        if len(self.calls) == 1:  # which may take the executor's fast path
            return [self.executor.run(self.calls[0], **options)]
        return self.executor.run_all(self.calls, **options)

    async def later(self) -> list[ToolResult]:
        """Run the calls on the running loop.

        The progress of a single call becomes events, if the run is streamed.
        """
        options = self.control.executor_options()
        if self.prepared is not None:
            return await self.executor.aresume(self.prepared, self.decisions, by=self.control.by, **options)
        if self.control.events is None or len(self.calls) != 1:
            return await self.executor.arun_all(self.calls, **options)
        results: list[ToolResult] = []
        async with aclosing(self.executor.astream(self.calls[0], **options)) as progress:
            async for each in progress:
                if isinstance(each, ToolResult):
                    results.append(each)
                else:
                    await EmitEvent(self.control, Progressed(call=self.calls[0], progress=each)).later()
        return results

    def interrupted(self, interrupt: BaseException | None) -> list[ToolResult]:
        """Return the results of the calls that had finished, and failed results of the others."""
        return _interrupted_results(self.executor, self.calls, interrupt)


class RunNodes(NamedTuple):
    """Run the calls of expressions: an effect. The outcome is their results, in order.

    Attributes:
        control: Ends them.
        executor: Runs them.
        nodes: The calls, with the places of the results that they need.
    """

    control: Control
    executor: Executor
    nodes: list[CallNode]

    def now(self) -> list[ToolResult]:
        """Run the calls, and wait for the results on this thread."""
        return drive(run_nodes(open_pipeline(self.executor), self.nodes, self.control.calls_context))

    async def later(self) -> list[ToolResult]:
        """Run the calls on the running loop."""
        return await adrive(run_nodes(open_pipeline(self.executor), self.nodes, self.control.calls_context))

    def interrupted(self, interrupt: BaseException | None) -> list[ToolResult]:
        """Return the results of the calls that had finished, and failed results of the others."""
        return _interrupted_results(self.executor, [node.call for node in self.nodes], interrupt)


def _interrupted_results(
    executor: Executor, calls: Sequence[ToolCall], interrupt: BaseException | None
) -> list[ToolResult]:
    """Return the results of `calls`: of those that had finished, their own, and of the others, that they were cancelled.

    `interrupt` ended the calls; None if none of them has begun.
    """
    # The interrupt of a single call may have passed through a batch of the tool's own.
    known = finished_results(interrupt) if interrupt is not None and len(calls) > 1 else {}
    why = "it was not run" if interrupt is None else "its result is not known"
    results = []
    for place, call in enumerate(calls):
        if place not in known:
            error = CallError("cancelled", f"the call of {call.name} was cancelled; {why}")
            known[place] = failed_result(call, error, pipeline_of(executor).find(call.name))
            log_failure(known[place])
        results.append(known[place])
    return results
