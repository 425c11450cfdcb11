"""Which way does a call take? Read, look up, parse, validate, decode; approve; run; encode.

A model's mistakes and a tool's failures are values: nothing that a model can write makes anything here raise.

MERGED: How does a call run that nobody has anything against? In its turn, out of the cache, and again if it may.
MERGED: Who may have something against a call that is valid? The hooks that were named, the policy, and whoever is asked for approval.
MERGED: How is the plugin of a described tool imported for its first call, without holding up a running loop?
"""

from __future__ import annotations

from contextlib import nullcontext
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from fcregistry._base.call import CallError, CancellationToken, Problem, ToolCall, linked_token
from fcregistry._base.json import ArgumentsError
from fcregistry._results.result import Approval, Notes, ToolResult
from fcregistry._schema.violations import MOST_STEPS, TooManyStepsError
from fcregistry.errors import DefinitionError, PluginError
from fcregistry.execution._approval import ApprovalQuestion, Approve, AskApprover, edited
from fcregistry.execution._arguments import TooLongError, read_arguments, repaired
from fcregistry.execution._cached_calls import Slot
from fcregistry.execution._effects import Course, Effect, Invoke, Pause, adrive, drive
from fcregistry.execution._fast_path import (
    AsyncShortWay,
    ShortWay,
    may_be_short,
    read_if_call,
    short_way,
    short_way_on_a_loop,
)
from fcregistry.execution._invoke import Invocation, Job, awaited
from fcregistry.execution._messages import (
    cancelled_before,
    changed_after_approval,
    invalid_arguments,
    no_thread,
    not_checked,
    not_to_be_had,
    refused,
    unavailable,
    unknown_tool,
)
from fcregistry.execution._observability import log_failure, watching
from fcregistry.execution._outcome import GivenUp, Outcome
from fcregistry.execution._result import failed_result, finished
from fcregistry.execution._settings import CallsContext, ToolFinder, deps_for
from fcregistry.execution._step import QUICK_STEPS, Bound, CallStep
from fcregistry.execution._suspended import Resumed, prepared_of, resumed
from fcregistry.execution._threads import NoThreadError, blocking_threads
from fcregistry.formats import MalformedCallError, read_call
from fcregistry.types import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fcregistry._tools.tool import Tool, Toolset
    from fcregistry.execution._approval import Gate
    from fcregistry.execution._observability import Watch
    from fcregistry.execution._settings import Settings
    from fcregistry.execution._suspended import Decision, PreparedCalls


class BatchTurn(Protocol):
    """A call's turn in a batch: it waits for the calls before it, and for room."""

    def entering(self, step: CallStep) -> Effect: ...


# --- execution._pipeline ---


class Pipeline:
    """Carries out calls of one toolset.

    Args:
        tools: What may be called.
        settings: What the executor was told.
        gate: Knows who has to approve of which call.
    """

    def __init__(self, tools: Toolset, settings: Settings, gate: Gate) -> None:
        self.tools = tools
        self.settings = settings
        self.find = ToolFinder(tools).find
        self.gate = gate
        self.loads = any(not tool.is_loaded for tool in tools.values())
        self._bound: dict[str, Bound] = {}
        self.short: dict[str, ShortWay] = {}
        self.short_async: dict[str, AsyncShortWay] = {}

    def bound(self, name: str) -> Bound | None:
        """Return the tool of a name, ready to be called, or None.

        Raises:
            PluginError: Its plugin does not load, or ships something else than was described.
        """
        known = self._bound.get(name)
        if known is not None:
            return known
        tool = self.find(name)
        if tool is None:
            return None
        bound = self._bound.setdefault(name, Bound.of(tool, self.settings, self.gate.is_open(tool)))
        if may_be_short(bound, self.settings):
            if bound.lane != "loop":
                self.short[name] = short_way(bound, self.settings, self._refused)
            # An async generator is not awaited, but collected; and a slow validator would hold up the loop.
            if bound.signature.kind != "async generator" and bound.validator.is_fast:
                self.short_async[name] = short_way_on_a_loop(bound, self.settings, self._refused)
        return bound

    def prepare(self, given: object, *, is_ours: bool = False) -> CallStep | ToolResult:
        """Read, look up, parse, validate and decode a call; a result if any of it fails.

        Args:
            given: The call.
            is_ours: Whether its arguments are the application's own, and not a model's: they may have any length.
        """
        longest = None if is_ours else self.settings.max_argument_characters
        try:
            return self._prepared(read_call(given), longest, MOST_STEPS)
        except MalformedCallError as error:
            return self._malformed(error)

    def preparing(self, given: object, run: CallsContext) -> Course[CallStep | ToolResult]:
        """Prepare a call: one whose arguments are long, or hard to judge, on a thread where a loop waits, and within its time."""
        if isinstance(given, (CallStep, ToolResult)):
            return given
        try:
            call = read_call(given)
        except MalformedCallError as error:
            return self._malformed(error)
        if self.settings.engine == "jsonschema-rs":
            try:
                return self._prepared(call, self.settings.quick_length, QUICK_STEPS)
            except (TooLongError, TooManyStepsError):
                pass
        return (yield from self._preparing_elsewhere(call, run))

    def _preparing_elsewhere(self, call: ToolCall, run: CallsContext) -> Course[CallStep | ToolResult]:
        bound = self._bound.get(call.name)
        seconds, start = bound.timeout if bound else self.settings.timeout, perf_counter()
        outcome: Outcome = yield Invoke(Job("thread", Invocation(self.prepare, (call,), {}), seconds, run.cancellation))
        if isinstance(outcome.exception, GivenUp):
            return failed_result(call, not_checked(call.name, outcome.exception), self.find(call.name))
        if isinstance(outcome.exception, NoThreadError):
            return failed_result(call, no_thread(outcome.exception), self.find(call.name))
        if outcome.exception is not None:
            raise outcome.exception
        prepared: CallStep | ToolResult = outcome.value
        if isinstance(prepared, ToolResult) or prepared.bound.timeout is None:
            return prepared
        left = max(round(prepared.bound.timeout - (perf_counter() - start), 3), 0.001)
        return prepared._replace(bound=prepared.bound._replace(timeout=left))

    def _prepared(self, call: ToolCall, longest: int | None, most_steps: int) -> CallStep | ToolResult:
        """Prepare a call.

        Raises:
            TooLongError: With fewer steps than `MOST_STEPS`, for arguments that are longer.
            TooManyStepsError: Likewise, if finding out what is wrong with them takes more.
        """
        try:
            bound = self._bound.get(call.name) or self.bound(call.name)
        except PluginError as error:
            return failed_result(call, not_to_be_had(error), self.find(call.name))
        if bound is None:
            return failed_result(call, unknown_tool(call.name, self.tools))
        tool, signature, validator = bound.tool, bound.signature, bound.validator
        if bound.needs_env and tool.missing_env:
            return failed_result(call, unavailable(tool), tool)
        try:
            arguments, repairs = read_arguments(call.arguments, bound.exact, self.settings.repairs, longest)
            if most_steps < MOST_STEPS and not validator.is_fast:
                raise TooManyStepsError
            if not validator.is_valid(arguments):
                arguments, more, problems = repaired(arguments, tool, validator, self.settings.repairs, most_steps)
                repairs += more
                if problems:
                    return failed_result(call, invalid_arguments(tool.name, problems), tool, repairs)
            decoded = signature.binding.decode(arguments)
        except ArgumentsError as error:
            if isinstance(error, TooLongError) and most_steps < MOST_STEPS:
                raise
            return failed_result(call, CallError("malformed_call", str(error)), tool)
        except Refusal as refusal:
            return failed_result(call, refused(tool, refusal, self.settings.expose_errors), tool)
        except RecursionError:
            problem = Problem("$", "is nested too deeply")
            return failed_result(call, invalid_arguments(tool.name, (problem,)), tool)
        return CallStep(call, bound, arguments, decoded, repairs)

    def to_load(self, calls: Iterable[object]) -> list[Tool]:
        """Return the tools among those that calls name whose plugins are not imported yet."""
        return to_load(calls, self.find)

    def _refused(self, call: ToolCall, bound: Bound, arguments: dict[str, Any]) -> ToolResult | None:
        """Return the result of a call whose arguments are not valid; None if they can be repaired.

        Raises:
            TooManyStepsError: Finding out what is wrong with them takes long.
        """
        _, repairs, problems = repaired(arguments, bound.tool, bound.validator, self.settings.repairs, QUICK_STEPS)
        return (
            failed_result(call, invalid_arguments(bound.tool.name, problems), bound.tool, repairs) if problems else None
        )

    def _malformed(self, error: MalformedCallError) -> ToolResult:
        call = ToolCall(error.name, None, error.id) if error.name or error.id is not None else None
        tool = self.find(error.name)
        if error.name and tool is None:
            return failed_result(call, unknown_tool(error.name, self.tools))
        return failed_result(call, CallError("malformed_call", str(error)), tool)

    def course(self, given: object, run: CallsContext, seat: BatchTurn | None = None) -> Course[ToolResult]:
        """Return the course of a call, to its result.

        Args:
            given: A call in whichever shape; a step, or a result, of one that was prepared before.
            run: What its caller gave along.
            seat: Its place in a batch.
        """
        if self.loads and (tools := self.to_load((given,))):
            yield Load(tools)
        watch = watching()
        if watch is None:
            result = yield from self._judged(given, run, seat, None)
            if result.error is not None:
                log_failure(result)
            return result
        try:
            result = yield from self._judged(given, run, seat, watch)
        except BaseException as error:  # an interrupt, or the task is cancelled: whoever watches is told
            watch.abandoned(error)
            raise
        watch.finished(result)
        return result

    def _judged(
        self, given: object, run: CallsContext, seat: BatchTurn | None, watch: Watch | None
    ) -> Course[ToolResult]:
        """Return the course of a call past those who may have something against it."""
        if not isinstance(given, Resumed):
            given = yield from self.preparing(given, run)
        passage = self.passage(given)
        if isinstance(passage, ToolResult):
            return passage
        if (result := cancelled(passage.step, run, self.settings)) is not None:
            return result
        result = passage.ask_hooks()
        if result is None:
            result = yield from passage.ask_people(run.cancellation)
        if result is None:
            around = Circumstances(run, seat, watch, passage.approval)
            result = yield from running(passage.step, self.settings, around)
        return passage.end(result)

    def passage(self, given: object) -> Passage | ToolResult:
        """Return the way of a call past those who may have something against it; a result where it does not come to that."""
        decided = isinstance(given, Resumed)
        step, approval = (given.step, given.approval) if isinstance(given, Resumed) else (given, None)
        if not isinstance(step, (CallStep, ToolResult)):
            step = self.prepare(step)
        if isinstance(step, ToolResult):
            if not isinstance(given, Resumed) or given.seen:
                return step
            return self._shown(step if approval is None else step.with_approval(approval))
        return Passage(step, self.settings, self.gate, self.prepare, approval, decided)

    def _shown(self, result: ToolResult) -> ToolResult:
        """Return the result of a prepared call that does not run after all, as the hooks leave it."""
        hooks = self.settings.hooks
        if hooks is None or result.tool is None or result.call is None:
            return result
        return hooks.after(result.tool, result.call, result)

    def prepared(self, calls: Iterable[object], run: CallsContext) -> list[CallStep | ToolResult]:
        """Prepare calls, in their order."""
        return [drive(self.preparing(call, run)) for call in calls]

    async def aprepared(self, calls: Iterable[object], run: CallsContext) -> list[CallStep | ToolResult]:
        """Prepare calls, in their order, without holding up the running loop."""
        return [await adrive(self.preparing(call, run)) for call in calls]

    def suspended(self, calls: Iterable[object]) -> PreparedCalls:
        """Prepare and judge calls, and keep them for later, as the hooks leave them: whoever approves sees what is going to run."""
        return prepared_of(map(self._after_hooks, calls), self.gate)

    def _after_hooks(self, given: object) -> CallStep | ToolResult:
        passage = self.passage(given)
        if isinstance(passage, ToolResult):
            return passage
        result = passage.ask_hooks()
        if result is not None:
            return passage.end(result)
        if self.settings.hooks is not None:
            judged = self.gate.weigh(passage.step)
            if isinstance(judged, CallError):
                return passage.refuse(judged)
        return passage.step

    def resumed(self, prepared: PreparedCalls, decisions: Mapping[str, Decision], by: str | None) -> list[Resumed]:
        """Return what is left to be done of prepared calls, once somebody has decided.

        Raises:
            ApprovalError: As for `Executor.resume`.
            TypeError: Likewise.
        """
        return resumed(prepared, decisions, by=by, gate=self.gate, find=self.find, prepare=self.prepare)

    @staticmethod
    def step_of(given: CallStep | ToolResult | Resumed) -> CallStep | ToolResult:
        """Return the call of one that was prepared, or its result where there is none."""
        return given.step if isinstance(given, Resumed) else given

    def wants_caller(self, given: object) -> bool:
        """Tell whether a call has to run on the thread that makes it."""
        step = given.step if isinstance(given, Resumed) else given
        return isinstance(step, CallStep) and step.bound.lane == "caller"


# --- execution._running ---


class Circumstances(NamedTuple):
    """What goes with a call while it runs.

    Attributes:
        run: What its caller gave along.
        seat: Its place in a batch.
        watch: Whoever watches it.
        approval: How it was approved.
    """

    run: CallsContext
    seat: BatchTurn | None = None
    watch: Watch | None = None
    approval: Approval | None = None


def running(step: CallStep, settings: Settings, around: Circumstances) -> Course[ToolResult]:
    """Return the course of a call that may run, to its result."""
    run, seat, watch, approval = around
    if seat is not None:
        yield seat.entering(step)
    if (not_run := cancelled(step, run, settings)) is not None:
        return not_run
    slot = None if step.bound.cache is None else Slot.of(step, step.bound.cache)
    if slot is not None and (known := slot.outcome()) is not None:
        return finished(step, known, settings, Notes(cached=True, approval=approval))
    if watch is not None:
        watch.started(step)
    outcome, attempts = yield from _attempts(step, settings, run, watch)
    notes = None if attempts == 1 and approval is None else Notes(attempts, approval=approval)
    result = finished(step, outcome, settings, notes)
    if slot is not None and result.error is None:
        slot.keep(outcome)
    return result


def cancelled(step: CallStep, run: CallsContext, settings: Settings) -> ToolResult | None:
    """Return the result of a call that was cancelled before it began; None if it was not."""
    if run.cancellation is None or not run.cancellation.cancelled:
        return None
    return finished(step, cancelled_before(step.bound.tool, run.cancellation.reason), settings)


def _attempts(
    step: CallStep, settings: Settings, run: CallsContext, watch: Watch | None
) -> Course[tuple[Outcome, int]]:
    """Return the course of calling a tool, and of calling it again where that may help; ends with the last outcome, and how many there were."""
    retry, seconds, start, attempts = settings.retry, step.bound.timeout, perf_counter(), 1
    left = seconds
    while True:
        outcome = yield from _attempt(step, settings, run, watch, left)
        if retry is None or outcome.exception is None or (run.channel is not None and run.channel.has_given):
            return outcome, attempts
        left = None if seconds is None else seconds - (perf_counter() - start)
        wait = retry.wait_before(attempts + 1, outcome, step.bound.tool, left)
        if wait is None:
            return outcome, attempts
        yield Pause(wait, run.cancellation)
        if run.cancellation is not None and run.cancellation.cancelled:
            return Outcome(None, GivenUp("cancelled", reason=run.cancellation.reason), outcome.duration), attempts
        left = None if left is None else max(left - wait, 0.001)
        attempts += 1


def _attempt(
    step: CallStep, settings: Settings, run: CallsContext, watch: Watch | None, seconds: float | None
) -> Course[Outcome]:
    """Return the course of calling a tool once; its token is cancelled when nobody waits for it any more."""
    bound = step.bound
    outcome: Outcome
    is_here = bound.place is None and bound.signature.context is None
    if is_here and seconds is None and run.cancellation is None and run.channel is None:
        with nullcontext() if watch is None else watch.running():
            args, kwargs = bound.signature.binding.bind(step.decoded)
            outcome = yield Invoke(Job(bound.lane, Invocation(bound.tool.function, args, kwargs)))
        return outcome
    token, release = linked_token(run.cancellation)
    try:
        with nullcontext() if watch is None else watch.running():
            outcome = yield Invoke(_job(step, settings, run, token, seconds))
    except BaseException:  # an interrupt, or the task is cancelled: the tool is told
        token.cancel("the caller is gone")
        raise
    finally:
        release()
    if isinstance(outcome.exception, GivenUp):
        token.cancel(outcome.exception.reason or "its time is up")
    return outcome


def _job(step: CallStep, settings: Settings, run: CallsContext, token: CancellationToken, seconds: float | None) -> Job:
    bound, channel, place = step.bound, run.channel, step.bound.place
    if place is not None:
        invocation = Invocation(bound.tool.function, (), {})
        return Job(
            "elsewhere",
            invocation,
            None if place.keeps_time else seconds,
            run.cancellation,
            lambda: place.submit(bound.tool, step.arguments, seconds),
        )
    context = None
    if bound.signature.context is not None:
        from fcregistry._results.context import Context  # typing's generics, which most tools never need

        report = None if channel is None else channel.report
        deps = deps_for(bound.tool, run, settings.deps)
        context = Context(deps, call=step.call, tool=bound.tool, cancellation=token, report=report)
    args, kwargs = bound.signature.binding.bind(step.decoded, context)
    shown = None if settings.hooks is not None else channel  # hooks see results, and no item goes out past them
    return Job(bound.lane, Invocation(bound.tool.function, args, kwargs, token, shown), seconds, run.cancellation)


# --- execution._passage ---


class Passage:
    """The way of one call past all of them. Whatever they change is validated again.

    Args:
        step: The call.
        settings: What the executor was told.
        gate: Knows who has to approve.
        prepare: Reads, validates and decodes a call.
        approval: What was decided already; None where nobody was asked yet.
        decided: Whether nobody is to be asked again.

    Attributes:
        step: The call, as it now is.
        approval: How it was approved or denied; None where nobody was asked.
    """

    __slots__ = ("_call", "_decided", "_gate", "_prepare", "_settings", "approval", "step")

    def __init__(
        self,
        step: CallStep,
        settings: Settings,
        gate: Gate,
        prepare: Callable[[object], CallStep | ToolResult],
        approval: Approval | None = None,
        decided: bool = False,
    ) -> None:
        self.step = step
        self.approval = approval
        self._settings = settings
        self._gate = gate
        self._prepare = prepare
        self._decided = decided
        self._call: ToolCall | None = None

    def ask_hooks(self) -> ToolResult | None:
        """Ask the hooks, and return the result that they make of the call, or None if it goes on.

        What was decided stands: a hook that would change a call after that has it refused.
        """
        hooks, step = self._settings.hooks, self.step
        if hooks is None:
            return None
        tool = step.bound.tool
        self._call = ToolCall(step.call.name, step.arguments, step.call.id)
        said = hooks.before(tool, self._call)
        if said is None:
            return None
        if isinstance(said, CallError):
            return self._refused(said)
        again = self._prepare(said)
        if isinstance(again, ToolResult):
            return failed_result(step.call, again.error, tool, step.repairs) if again.error is not None else again
        if self._decided and again.arguments != step.arguments:
            return self._refused(changed_after_approval(tool.name))
        self._call = said
        self.step = again._replace(call=step.call, repairs=step.repairs + again.repairs)
        return None

    def ask_people(self, cancellation: CancellationToken | None) -> Course[ToolResult | None]:
        """Return the course of asking for approval; it ends with a result if that is not given, and with None if the call goes on."""
        step = self.step
        if self._decided or step.bound.is_open:
            return None
        judged = self._gate.judge(step)
        if not isinstance(judged, ApprovalQuestion):
            return None if judged is None else self._refused(judged)
        answer: CallError | Approve | None = yield AskApprover(judged, cancellation)
        approved = not isinstance(answer, CallError)
        self.approval = Approval(approved=approved, rule=judged.reason, edited=isinstance(answer, Approve))
        self._decided = True
        if isinstance(answer, CallError):
            return self._refused(answer)
        if isinstance(answer, Approve):
            again = edited(step, answer, self._prepare)
            if isinstance(again, ToolResult):
                return again.with_approval(self.approval)
            self.step = again._replace(call=step.call)
            return self.ask_hooks()  # they have not seen these arguments
        return None

    def refuse(self, error: CallError) -> ToolResult:
        """Return the result of a call that is not to run, as the hooks leave it."""
        return self.end(self._refused(error))

    def end(self, result: ToolResult) -> ToolResult:
        """Show the hooks what came of a call that they were asked about, and return what they leave of it."""
        hooks = self._settings.hooks
        if hooks is None or self._call is None:
            return result
        return hooks.after(self.step.bound.tool, self._call, result)

    def _refused(self, error: CallError) -> ToolResult:
        notes = None if self.approval is None else Notes(approval=self.approval)
        return finished(self.step, error, self._settings, notes)


# --- execution._loading ---


class Load:
    """Have the plugins of tools imported; what goes wrong with that, their calls say."""

    __slots__ = ("_tools",)

    def __init__(self, tools: list[Tool]) -> None:
        self._tools = tools

    def now(self) -> None:
        """Leave it to the call: it imports what it needs on this thread."""

    async def later(self) -> None:
        """Import them on a thread."""
        try:
            await awaited(blocking_threads.submit(self._load))
        except NoThreadError:
            return  # the call imports it, since nothing else can

    def _load(self) -> None:
        for tool in self._tools:
            try:
                tool.signature  # noqa: B018  # imports its plugin
            except (PluginError, DefinitionError):
                continue


def to_load(calls: Iterable[object], find: Callable[[str], Tool | None]) -> list[Tool]:
    """Return the tools among those that calls name whose plugins are not imported yet, each once."""
    named = {call.name: None for given in calls if (call := read_if_call(given)) is not None}
    tools = [tool for name in named if (tool := find(name)) is not None]
    return [tool for tool in tools if not tool.is_loaded]
