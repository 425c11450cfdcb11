"""The pipeline: the steps that turn a call, as the model wrote it, into a `ToolResult`.

The call is read, its tool looked up, its arguments parsed, validated and decoded; hooks and approvers are asked; then it runs, and its
outcome becomes a result. A model's mistakes and a tool's failures are values: nothing that a model can write makes a function here raise.

A function that returns `Effects` is a generator. One of two drivers runs it, with or without an event loop; see `_invoke.py`.
"""

from __future__ import annotations

from concurrent.futures import Future
from contextlib import nullcontext, suppress
from time import perf_counter
from typing import TYPE_CHECKING

from fcregistry._base.call import CallError, CancellationToken, Problem, ToolCall, linked_token
from fcregistry._base.json import ArgumentsError
from fcregistry._results.result import Approval, Notes, ToolResult
from fcregistry._schema.violations import MOST_STEPS, TooManyStepsError
from fcregistry._tools.availability import has_check
from fcregistry._tools.tool import definition_of
from fcregistry.errors import DefinitionError, PluginError
from fcregistry.execution import _call_errors as call_errors
from fcregistry.execution._approval import Approve, apply_edit, ask_approver
from fcregistry.execution._arguments import TooLongError, read_arguments, repair_arguments
from fcregistry.execution._cache import CacheSlot
from fcregistry.execution._fast_path import (
    AsyncFastPath,
    FastPath,
    allows_fast_path,
    async_fast_path,
    fast_path,
    read_if_call,
)
from fcregistry.execution._invoke import Effects, GivenUp, Invocation, Job, Outcome, WaitFor
from fcregistry.execution._observability import log_failure, new_watch
from fcregistry.execution._result import failed_result, make_result
from fcregistry.execution._settings import CallsContext, deps_for
from fcregistry.execution._step import QUICK_STEPS, Bound, CallStep
from fcregistry.execution._suspended import ResumedCall, resume_calls, suspend_calls
from fcregistry.execution._threads import NoThreadError
from fcregistry.formats import MalformedCallError, advice_on_message, read_call, wire_names
from fcregistry.types import Refusal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from fcregistry._tools.tool import Tool, Toolset
    from fcregistry.execution._approval import ApprovalRules
    from fcregistry.execution._batch_order import BatchTurn
    from fcregistry.execution._observability import Watch
    from fcregistry.execution._settings import Settings
    from fcregistry.execution._suspended import Decision, PreparedCalls


class Pipeline:
    """Runs calls of the tools of one toolset.

    Args:
        tools: The tools that may be called.
        settings: The executor's settings.
        rules: Decides which calls need approval.
        unlisted: Tools that can be called, but that the executor does not list.

    Attributes:
        unlisted: Tools that can be called, but that the executor does not list.
        fast_paths: Name that a tool was called by -> its fast path, if it has one.
        async_fast_paths: The same for calls from an event loop.
        has_unloaded_tools: Whether the plugin of some tool was not imported yet when the executor was made.
        longest: The most seconds that a call may take, whatever its tool's limit is; None for any time.
    """

    def __init__(self, tools: Toolset, settings: Settings, rules: ApprovalRules, unlisted: Toolset) -> None:
        self.tools = tools
        self.unlisted = unlisted
        self.settings = settings
        self.rules = rules
        self.has_unloaded_tools: bool = any(not tool.is_loaded for tool in tools.values())
        self.longest: float | None = None
        self._bound: dict[str, Bound] = {}
        self._by_wire_name: dict[str, str] | None = None
        self.fast_paths: dict[str, FastPath] = {}
        self.async_fast_paths: dict[str, AsyncFastPath] = {}

    def run_call(self, given: object, context: CallsContext, turn: BatchTurn | None = None) -> Effects[ToolResult]:
        """Run a call, and return its result, whatever the model wrote.

        Args:
            given: A call in any shape; or what `prepare` or `resume` returned for a call.
            context: The caller's cancellation token, `deps` and channel.
            turn: The turn of the call, if it is one of a batch.
        """
        if self.has_unloaded_tools and (tools := self.tools_to_load((given,))):
            yield from load_plugins(tools)
        watch = new_watch()
        if watch is None:
            result = yield from self._run_call(given, context, turn, None)
            if result.error is not None:
                log_failure(result)
            return result
        try:
            result = yield from self._run_call(given, context, turn, watch)
        except BaseException as error:  # an interrupt, or the task is cancelled
            watch.abandon(error)
            raise
        watch.finish(result)
        return result

    def _run_call(
        self, given: object, context: CallsContext, turn: BatchTurn | None, watch: Watch | None
    ) -> Effects[ToolResult]:
        """Run a call like `run_call`, and return its result.

        A coroutine of effects, see `Effect`.

        Args:
            given: The call in any shape, prepared, or resumed.
            context: The options of the caller.
            turn: The turn of the call, if it is one of a batch.
            watch: Traces and logs the call; None if the program does neither.
        """
        if not isinstance(given, ResumedCall):
            given = yield from self.prepare_off_loop(given, context)
        checks = self._checks_of(given)
        if isinstance(checks, ToolResult):
            return checks
        if (result := _cancelled_result(checks.step, context, self.settings)) is not None:
            return result
        result = checks.ask_hooks()
        if result is None:
            result = yield from checks.ask_approver(context.cancellation)
        if result is None:
            result = yield from _run_step(checks.step, self.settings, context, turn, watch, checks.approval)
        return checks.finish(result)

    # --- Preparing: read, look up, parse, validate, decode ---

    def find(self, name: str) -> Tool | None:
        """Return the tool called `name`, by itself or in a provider's format, or None if there is none."""
        tool = self.tools.get(name) or self.unlisted.get(name)
        if tool is not None:
            return tool
        if self._by_wire_name is None:
            self._by_wire_name = wire_names(self.tools)
        return self.tools.get(self._by_wire_name.get(name, ""))

    @property
    def suspends(self) -> bool:
        """Whether calls that need approval wait for decisions from elsewhere: the executor has no approver."""
        return self.rules.approve is None

    def always_allows(self, name: str) -> bool:
        """Return whether no call of a tool is ever denied or needs approval; True for a name that no tool has."""
        tool = self.find(name)
        return tool is None or self.rules.always_allows(tool)

    def bound(self, name: str) -> Bound | None:
        """Return the tool called `name`, ready to be called, or None if there is none.

        Raises:
            PluginError: The tool's plugin cannot be loaded, or the loaded tool differs from its description.
        """
        self._renew_rules()
        known = self._bound.get(name)
        if known is not None:
            return known
        tool = self.find(name)
        if tool is None:
            return None
        rulings = self.rules.rulings
        bound = Bound.of(tool, self.settings, self.rules.always_allows(tool))
        if self.longest is not None:
            bound = bound._replace(timeout=min(self.longest, bound.timeout or self.longest))
        bound = self._bound.setdefault(name, bound)
        # A slow validator would hold up the loop, and validate wrong arguments twice.
        if allows_fast_path(bound, self.settings) and bound.validator.is_fast:
            if bound.dispatch != "loop":
                self.fast_paths[name] = fast_path(bound, self.settings, self.rules)
            if bound.signature.kind != "async generator":  # which is not awaited, but collected
                self.async_fast_paths[name] = async_fast_path(bound, self.settings, self.rules)
        if self.rules.rulings is not rulings:  # another thread has renewed them meanwhile
            self._forget_bound()
        return bound

    def _renew_rules(self) -> None:
        """Read the configuration again if due; if it has changed, forget the bound tools and fast paths."""
        if self.rules.renew():
            self._forget_bound()

    def _forget_bound(self) -> None:
        """Forget all bound tools and fast paths; they are made again at the next calls."""
        for each in (self._bound, self.fast_paths, self.async_fast_paths):
            each.clear()

    def prepare(
        self, given: object, *, from_application: bool = False, pending: Collection[str] = ()
    ) -> CallStep | ToolResult:
        """Read a call, look up its tool, and parse, validate and decode its arguments.

        Args:
            given: The call.
            from_application: Whether the application wrote the arguments, and not a model: then they may have any length.
            pending: The JSON paths of placeholders for results of other calls. The rest of the arguments is validated, and nothing is decoded.

        Returns:
            The call, ready to run; a failed result if one of these steps fails.
        """
        longest = None if from_application else self.settings.max_argument_characters
        try:
            return self._prepare(read_call(given), longest, MOST_STEPS, pending)
        except MalformedCallError as error:
            return self._malformed(error, given)

    def prepare_off_loop(self, given: object, context: CallsContext) -> Effects[CallStep | ToolResult]:
        """Prepare a call without blocking the event loop.

        If the arguments are long, or take many steps to validate, a thread prepares the call, within the tool's time limit. It also prepares
        a call of an unknown tool, if functions must be asked which tools are available.
        """
        if isinstance(given, (CallStep, ToolResult)):
            return given
        try:
            call = read_call(given)
        except MalformedCallError as error:
            if not error.name or self.find(error.name) is not None or not self._asks_checks():
                return self._malformed(error, given)
            return (yield from self._prepare_on_thread(ToolCall(error.name, None, error.id), context, given))
        if self.settings.engine == "jsonschema-rs":
            try:
                return self._prepare(call, self.settings.quick_length, QUICK_STEPS)
            except (TooLongError, TooManyStepsError):
                pass
        return (yield from self._prepare_on_thread(call, context, call))

    def _asks_checks(self) -> bool:
        """Return whether functions of tools must be asked which tools are available."""
        return any(map(has_check, self.tools.values()))

    def _prepare_on_thread(
        self, call: ToolCall, context: CallsContext, given: object
    ) -> Effects[CallStep | ToolResult]:
        """Return a call prepared on a thread, or a failed result; a coroutine of effects, see `Effect`.

        The time that this takes is subtracted from the tool's time limit. A failed result, too, if the time is up, the
        call is cancelled, or no thread is available.

        Args:
            call: The call, or its name and id if it is malformed.
            context: The caller's cancellation token.
            given: The call to prepare, as it is or as it was read.

        Raises:
            BaseException: Any other exception of `prepare`.
        """
        bound = self._bound.get(call.name)
        seconds, start = bound.timeout if bound else self.longest or self.settings.timeout, perf_counter()
        job = Job("thread", Invocation(self.prepare, (given,), {}), seconds, context.cancellation)
        outcome: Outcome = yield job
        if isinstance(outcome.exception, GivenUp):
            return failed_result(call, call_errors.not_checked(call.name, outcome.exception), self.find(call.name))
        if isinstance(outcome.exception, NoThreadError):
            return failed_result(call, call_errors.no_thread(outcome.exception), self.find(call.name))
        if outcome.exception is not None:
            raise outcome.exception
        prepared: CallStep | ToolResult = outcome.value
        if isinstance(prepared, ToolResult) or prepared.bound.timeout is None:
            return prepared
        left = max(round(prepared.bound.timeout - (perf_counter() - start), 3), 0.001)
        return prepared._replace(bound=prepared.bound._replace(timeout=left))

    def _prepare(
        self, call: ToolCall, longest: int | None, most_steps: int, pending: Collection[str] = ()
    ) -> CallStep | ToolResult:
        """Return a call with validated and decoded arguments, or a failed result that says what is wrong.

        With `pending`, problems that a result may still solve are ignored, and nothing is decoded.

        Args:
            call: The call.
            longest: How many characters the arguments may have; None for any number.
            most_steps: How many steps the search for errors in the arguments may take.
            pending: The JSON paths of placeholders for results of other calls.

        Raises:
            TooLongError: `most_steps` is less than `MOST_STEPS`, and the arguments are longer than `longest`.
            TooManyStepsError: `most_steps` is less than `MOST_STEPS`, and the search takes more steps, or the validator is not fast;
                or the tool is unknown, and functions must be asked which tools are available.
        """
        try:
            bound = self.bound(call.name)
        except PluginError as error:
            return failed_result(call, call_errors.plugin_unavailable(error), self.find(call.name))
        if bound is None:
            if most_steps < MOST_STEPS and self._asks_checks():
                raise TooManyStepsError
            return failed_result(call, call_errors.unknown_tool(call.name, self.tools))
        tool, signature, validator = bound.tool, bound.signature, bound.validator
        if bound.needs_env and (reason := tool.unavailable):
            hidden = call_errors.environment_not_set(tool, reason, self.settings.expose_errors)
            return failed_result(call, hidden, tool)
        try:
            arguments, repairs = read_arguments(call.arguments, bound.exact, self.settings.repairs, longest)
            if most_steps < MOST_STEPS and not validator.is_fast:
                raise TooManyStepsError
            if not validator.is_valid(arguments):
                arguments, more, problems = repair_arguments(
                    arguments, tool, validator, self.settings.repairs, most_steps
                )
                repairs += more
                if problems := tuple(each for each in problems if not _is_pending(each.path, pending)):
                    return failed_result(call, call_errors.invalid_arguments(tool.name, problems), tool, repairs)
            decoded = {} if pending else signature.binding.decode(arguments)
        except ArgumentsError as error:
            if isinstance(error, TooLongError) and most_steps < MOST_STEPS:
                raise
            return failed_result(call, CallError("malformed_call", str(error)), tool)
        except Refusal as refusal:
            return failed_result(
                call, call_errors.undecodable_arguments(tool, refusal, self.settings.expose_errors), tool
            )
        except RecursionError:
            problem = Problem("$", "is nested too deeply")
            return failed_result(call, call_errors.invalid_arguments(tool.name, (problem,)), tool)
        return CallStep(call, bound, arguments, decoded, repairs)

    def _malformed(self, error: MalformedCallError, given: object) -> ToolResult:
        """Return the failed result of a call that cannot be read, with the name and id that `error` has.

        If `given`, the call, is a message or a whole response, the error says what to pass in its place. The code is
        `unknown_tool` if no tool has its name, and `malformed_call` otherwise. Without name and id, there is no call.
        """
        call = ToolCall(error.name, None, error.id) if error.name or error.id is not None else None
        tool = self.find(error.name)
        if error.name and tool is None:
            return failed_result(call, call_errors.unknown_tool(error.name, self.tools))
        message = None if error.name else advice_on_message(given)
        return failed_result(call, CallError("malformed_call", message or str(error)), tool)

    def tools_to_load(self, calls: Iterable[object]) -> list[Tool]:
        """Return the tools of `calls` whose plugins are not imported yet, each once."""
        names = dict.fromkeys(call.name for given in calls if (call := read_if_call(given)) is not None)
        tools = [tool for name in names if (tool := self.find(name)) is not None]
        return [tool for tool in tools if not tool.is_loaded]

    # --- Hooks and approval ---

    def _checks_of(self, given: object) -> CallChecks | ToolResult:
        """Return the checks of a call, which is prepared first if need be, or its result if it must not run.

        The result of a resumed call that has not been seen yet passes the hooks after the call, and has its approval.
        """
        was_decided = isinstance(given, ResumedCall)
        step, approval = (given.step, given.approval) if isinstance(given, ResumedCall) else (given, None)
        if not isinstance(step, (CallStep, ToolResult)):
            step = self.prepare(step)
        if isinstance(step, CallStep):
            return CallChecks(step, self, approval, was_decided)
        if not isinstance(given, ResumedCall) or given.seen:
            return step
        result, hooks = step if approval is None else step.with_approval(approval), self.settings.hooks
        if hooks is None or result.tool is None or result.call is None:
            return result
        return hooks.after(result.tool, result.call, result)

    def suspend(self, calls: Iterable[object]) -> PreparedCalls:
        """Prepare calls, ask the hooks about them, and return them as `PreparedCalls`.

        The hooks are asked now, so that an approver sees the arguments that the tools will get.
        """
        return suspend_calls(map(self._prepare_and_ask_hooks, calls), self.rules)

    def _prepare_and_ask_hooks(self, given: object) -> CallStep | ToolResult:
        """Return a call, prepared and with the changes of the hooks, or its failed result if it must not run.

        It must not run if it is not valid, a hook denies it, or the rules deny it; they are asked here only if there
        are hooks.
        """
        checks = self._checks_of(given)
        if isinstance(checks, ToolResult):
            return checks
        result = checks.ask_hooks()
        if result is not None:
            return checks.finish(result)
        if self.settings.hooks is not None:
            verdict = self.rules.check_rules(checks.step)
            if isinstance(verdict, CallError):
                return checks.finish(checks.refusal(verdict))
        return checks.step

    def resume(self, prepared: PreparedCalls, decisions: Mapping[str, Decision], by: str | None) -> list[ResumedCall]:
        """Apply an approver's decisions to prepared calls, and return the calls for `run_call`.

        Raises:
            ApprovalError: A decision is about a call that does not wait for one, or the calls were resumed before.
            TypeError: A decision, or `prepared`, does not have the right type.
        """
        self._renew_rules()
        return resume_calls(prepared, decisions, by=by, rules=self.rules, find=self.find, prepare=self.prepare)


def _is_pending(path: str, pending: Collection[str]) -> bool:
    """Return whether `path` is, contains or is inside one of the paths `pending` of placeholders."""
    return any(
        path == "$"
        or path == place
        or path.startswith((f"{place}.", f"{place}["))
        or place.startswith((f"{path}.", f"{path}["))
        for place in pending
    )


class CallChecks:
    """Asks hooks and approvers about one call. If they change the arguments, these are validated again.

    Args:
        step: The call.
        pipeline: Has the executor's settings and rules, and validates changed arguments.
        approval: The record of the approver's decision, if there is one already.
        was_decided: Whether there was a decision about the call before, so that no approver is asked.

    Attributes:
        step: The call, with the changes that hooks and the approver made.
        approval: How it was approved or denied; None if no approver was asked.
    """

    __slots__ = ("_call", "_pipeline", "_was_decided", "approval", "step")

    def __init__(self, step: CallStep, pipeline: Pipeline, approval: Approval | None, was_decided: bool) -> None:
        self.step = step
        self.approval = approval
        self._pipeline = pipeline
        self._was_decided = was_decided
        self._call: ToolCall | None = None

    def ask_hooks(self) -> ToolResult | None:
        """Ask the hooks that run before a call.

        If a hook changes the arguments after an approver has approved them, the call is refused.

        Returns:
            The failed result, if a hook denies the call or makes its arguments invalid; None if the call may run.
        """
        hooks, step = self._pipeline.settings.hooks, self.step
        if hooks is None:
            return None
        tool = step.bound.tool
        self._call = ToolCall(step.call.name, step.arguments, step.call.id)
        answer = hooks.before(tool, self._call)
        if answer is None:
            return None
        if isinstance(answer, CallError):
            return self.refusal(answer)
        again = self._pipeline.prepare(answer)
        if isinstance(again, ToolResult):
            return failed_result(step.call, again.error, tool, step.repairs) if again.error is not None else again
        if self._was_decided and again.arguments != step.arguments:
            return self.refusal(call_errors.changed_after_approval(tool.name))
        self._call = answer
        self.step = again._replace(call=step.call, repairs=step.repairs + again.repairs)
        return None

    def ask_approver(self, cancellation: CancellationToken | None) -> Effects[ToolResult | None]:
        """Ask an approver if the call needs approval.

        Returns:
            A failed result if the call is refused; None if it may run.
        """
        if self._was_decided or self.step.bound.needs_no_approval:
            return None
        answer, self.approval = yield from ask_approver(self._pipeline.rules, self.step, cancellation)
        self._was_decided = self.approval is not None
        if not isinstance(answer, Approve):
            return None if answer is None else self.refusal(answer)
        again = apply_edit(self.step, answer, self._pipeline.prepare)
        if isinstance(again, ToolResult):
            return again if self.approval is None else again.with_approval(self.approval)
        self.step = again._replace(call=self.step.call)
        return self.ask_hooks()  # the hooks have not seen the approver's arguments

    def finish(self, result: ToolResult) -> ToolResult:
        """Return the result of the hooks after the call, or `result` if none were asked before the call."""
        hooks = self._pipeline.settings.hooks
        if hooks is None or self._call is None:
            return result
        return hooks.after(self.step.bound.tool, self._call, result)

    def refusal(self, error: CallError) -> ToolResult:
        """Return the failed result of the call, which is refused because of `error`."""
        notes = None if self.approval is None else Notes(approval=self.approval)
        return make_result(self.step, error, self._pipeline.settings, notes)


# --- Running a call: its turn in a batch, the cache, retries ---


def _run_step(
    step: CallStep,
    settings: Settings,
    context: CallsContext,
    turn: BatchTurn | None,
    watch: Watch | None,
    approval: Approval | None,
) -> Effects[ToolResult]:
    """Run an allowed call in its turn, or take its result from the cache, and return the result.

    A coroutine of effects, see `Effect`. A call that was cancelled meanwhile is not run. A result that has not failed
    is cached if the tool has a cache.

    Args:
        step: The call.
        settings: The executor's settings.
        context: The options of the caller.
        turn: The turn of the call, if it is one of a batch.
        watch: Traces and logs the call, if the program does so.
        approval: How the call was approved; None if no approver was asked.
    """
    if turn is not None:
        yield turn.of(step)
    if (not_run := _cancelled_result(step, context, settings)) is not None:
        return not_run
    bound = step.bound
    slot = None if bound.cache is None else CacheSlot(bound.cache, bound.tool, step.arguments, bound.exact)
    if slot is not None and (known := slot.outcome()) is not None:
        return make_result(step, known, settings, Notes(cached=True, approval=approval))
    if watch is not None:
        watch.start(step)
    outcome, attempts = yield from _attempts(step, settings, context, watch)
    notes = None if attempts == 1 and approval is None else Notes(attempts, approval=approval)
    result = make_result(step, outcome, settings, notes)
    if slot is not None and result.error is None:
        slot.store(outcome)
    return result


def _cancelled_result(step: CallStep, context: CallsContext, settings: Settings) -> ToolResult | None:
    """Return the failed result of a call if its caller has cancelled it before it began; else None."""
    if context.cancellation is None or not context.cancellation.cancelled:
        return None
    return make_result(step, call_errors.cancelled_before(step.bound.tool, context.cancellation.reason), settings)


def _attempts(
    step: CallStep, settings: Settings, context: CallsContext, watch: Watch | None
) -> Effects[tuple[Outcome, int]]:
    """Call a tool, and again as the executor's `retry` says; a coroutine of effects, see `Effect`.

    There is no further attempt after an item was streamed, or if the time limit of all attempts would pass.

    Returns:
        The last outcome, `GivenUp` if the call was cancelled between attempts, and the number of attempts.
    """
    retry, seconds, start, attempts = settings.retry, step.bound.timeout, perf_counter(), 1
    cancellation, channel = context.cancellation, context.channel
    left = seconds
    while True:
        outcome = yield from _attempt(step, settings, context, watch, left)
        if retry is None or outcome.exception is None or (channel is not None and channel.has_given):
            return outcome, attempts
        left = None if seconds is None else seconds - (perf_counter() - start)
        wait = retry.wait_before(attempts + 1, outcome, step.bound.tool, left)
        if wait is None:
            return outcome, attempts
        yield WaitFor(Future(), wait, cancellation)  # nothing settles the future
        if cancellation is not None and cancellation.cancelled:
            return Outcome(None, GivenUp("cancelled", reason=cancellation.reason), outcome.duration), attempts
        left = None if left is None else max(left - wait, 0.001)
        attempts += 1


def _attempt(
    step: CallStep, settings: Settings, context: CallsContext, watch: Watch | None, seconds: float | None
) -> Effects[Outcome]:
    """Call a tool once, for at most `seconds` (None: any time), and return the outcome.

    A coroutine of effects, see `Effect`. If the time is up, or the caller cancels the call or is interrupted, the
    token in the tool's context is cancelled.
    """
    bound = step.bound
    outcome: Outcome
    is_plain = bound.runner is None and bound.signature.context is None
    if is_plain and seconds is None and context.cancellation is None and context.channel is None:
        with nullcontext() if watch is None else watch.attempt():
            args, kwargs = bound.signature.binding.bind(step.decoded)
            outcome = yield Job(bound.dispatch, Invocation(bound.tool.function, args, kwargs))
        return outcome
    token, release = linked_token(context.cancellation)
    try:
        with nullcontext() if watch is None else watch.attempt():
            outcome = yield _job(step, settings, context, token, seconds)
    except BaseException:  # an interrupt, or the task is cancelled
        token.cancel("the caller is gone")
        raise
    finally:
        release()
    if isinstance(outcome.exception, GivenUp):
        token.cancel(outcome.exception.reason or "its time is up")
    return outcome


def _job(
    step: CallStep, settings: Settings, context: CallsContext, token: CancellationToken, seconds: float | None
) -> Job | WaitFor:
    """Return the effect that calls a tool: a `Job` here, or a `WaitFor` if it runs in another process.

    Args:
        step: The call.
        settings: The executor's settings.
        context: The options of the caller.
        token: The token for the tool's context.
        seconds: How long the call may take; None for any time.
    """
    bound, channel, runner = step.bound, context.channel, step.bound.runner
    if runner is not None:
        longest = None if runner.keeps_time else seconds
        return WaitFor(lambda: runner.submit(bound.tool, step.arguments, seconds), longest, context.cancellation)
    tool_context = None
    if bound.signature.context is not None:
        from fcregistry._results.context import Context  # typing's generics, which most tools never need

        report = None if channel is None else channel.report
        deps = deps_for(bound.tool, context, settings.deps)
        tool_context = Context(deps, call=step.call, tool=bound.tool, cancellation=token, report=report)
    args, kwargs = bound.signature.binding.bind(step.decoded, tool_context)
    if channel is not None:
        channel.nulls = bound.nulls
    items = None if settings.hooks is not None else channel  # hooks check results, and no item may go out unchecked
    return Job(
        bound.dispatch, Invocation(bound.tool.function, args, kwargs, token, items), seconds, context.cancellation
    )


def load_plugins(tools: list[Tool]) -> Effects[None]:
    """Import the plugins of described tools before their first call, without blocking the event loop.

    Errors are ignored, since the call itself reports them.
    """
    outcome: Outcome = yield Job("thread", Invocation(_import_plugins, (tools,), {}))
    if isinstance(outcome.exception, KeyboardInterrupt):
        raise outcome.exception


def _import_plugins(tools: list[Tool]) -> None:
    """Import the plugins of `tools`; ignore a `PluginError` or `DefinitionError`."""
    for tool in tools:
        with suppress(PluginError, DefinitionError):
            definition_of(tool).define()
