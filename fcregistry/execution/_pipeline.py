"""Which way does a call take? Read, look up, parse, validate, decode; approve; run; encode.

A model's mistakes and a tool's failures are values: nothing that a model can write makes anything here raise.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from fcregistry._base.call import CallError, Problem, ToolCall
from fcregistry._results.result import ToolResult
from fcregistry._schema.violations import MOST_STEPS, TooManyStepsError
from fcregistry.errors import PluginError
from fcregistry.execution._approving._preparing import prepared_of
from fcregistry.execution._approving._resuming import Resumed, resumed
from fcregistry.execution._calling._invoke import Invocation, Outcome
from fcregistry.execution._calling._lanes import Job
from fcregistry.execution._calling._threads import NoThreadError
from fcregistry.execution._calling._waiting import GivenUp
from fcregistry.execution._effects import Invoke, adrive, drive
from fcregistry.execution._loading import Load, to_load
from fcregistry.execution._names import ToolFinder
from fcregistry.execution._passage import Passage
from fcregistry.execution._reading._arguments import ArgumentsError, TooLongError, read_arguments
from fcregistry.execution._reading._repairs import repaired
from fcregistry.execution._running import Circumstances, cancelled, running
from fcregistry.execution._short import AsyncShortWay, ShortWay, may_be_short, short_way, short_way_on_a_loop
from fcregistry.execution._steps import QUICK_STEPS, Bound, Step
from fcregistry.execution._watching._observation import unwatched, watching
from fcregistry.execution._wording import (
    invalid_arguments,
    no_thread,
    not_checked,
    not_to_be_had,
    refused,
    unavailable,
    unknown_tool,
)
from fcregistry.execution._writing._outcome import failure
from fcregistry.formats import MalformedCallError, read_call
from fcregistry.types import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fcregistry._tools.tool import Tool, Toolset
    from fcregistry.execution._approving._approval import Gate
    from fcregistry.execution._approving._prepared import PreparedCalls
    from fcregistry.execution._approving._resuming import Decision
    from fcregistry.execution._batching._batches import Seat
    from fcregistry.execution._effects import Course
    from fcregistry.execution._run import Run
    from fcregistry.execution._settings import Settings
    from fcregistry.execution._watching._observation import Watch


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

    def prepare(self, given: object, *, is_ours: bool = False) -> Step | ToolResult:
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

    def preparing(self, given: object, run: Run) -> Course[Step | ToolResult]:
        """Prepare a call: one whose arguments are long, or hard to judge, on a thread where a loop waits, and within its time."""
        if isinstance(given, (Step, ToolResult)):
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

    def _preparing_elsewhere(self, call: ToolCall, run: Run) -> Course[Step | ToolResult]:
        bound = self._bound.get(call.name)
        seconds, start = bound.timeout if bound else self.settings.timeout, perf_counter()
        outcome: Outcome = yield Invoke(Job("thread", Invocation(self.prepare, (call,), {}), seconds, run.cancellation))
        if isinstance(outcome.exception, GivenUp):
            return failure(call, not_checked(call.name, outcome.exception), self.find(call.name))
        if isinstance(outcome.exception, NoThreadError):
            return failure(call, no_thread(outcome.exception), self.find(call.name))
        if outcome.exception is not None:
            raise outcome.exception
        prepared: Step | ToolResult = outcome.value
        if isinstance(prepared, ToolResult) or prepared.bound.timeout is None:
            return prepared
        left = max(round(prepared.bound.timeout - (perf_counter() - start), 3), 0.001)
        return prepared._replace(bound=prepared.bound._replace(timeout=left))

    def _prepared(self, call: ToolCall, longest: int | None, most_steps: int) -> Step | ToolResult:
        """Prepare a call.

        Raises:
            TooLongError: With fewer steps than `MOST_STEPS`, for arguments that are longer.
            TooManyStepsError: Likewise, if finding out what is wrong with them takes more.
        """
        try:
            bound = self._bound.get(call.name) or self.bound(call.name)
        except PluginError as error:
            return failure(call, not_to_be_had(error), self.find(call.name))
        if bound is None:
            return failure(call, unknown_tool(call.name, self.tools))
        tool, signature, validator = bound.tool, bound.signature, bound.validator
        if bound.needs_env and tool.missing_env:
            return failure(call, unavailable(tool), tool)
        try:
            arguments, repairs = read_arguments(call.arguments, bound.exact, self.settings.repairs, longest)
            if most_steps < MOST_STEPS and not validator.is_fast:
                raise TooManyStepsError
            if not validator.is_valid(arguments):
                arguments, more, problems = repaired(arguments, tool, validator, self.settings.repairs, most_steps)
                repairs += more
                if problems:
                    return failure(call, invalid_arguments(tool.name, problems), tool, repairs)
            decoded = signature.binding.decode(arguments)
        except ArgumentsError as error:
            if isinstance(error, TooLongError) and most_steps < MOST_STEPS:
                raise
            return failure(call, CallError("malformed_call", str(error)), tool)
        except Refusal as refusal:
            return failure(call, refused(tool, refusal, self.settings.expose_errors), tool)
        except RecursionError:
            problem = Problem("$", "is nested too deeply")
            return failure(call, invalid_arguments(tool.name, (problem,)), tool)
        return Step(call, bound, arguments, decoded, repairs)

    def to_load(self, calls: Iterable[object]) -> list[Tool]:
        """Return the tools among those that calls name whose plugins are not imported yet."""
        return to_load(calls, self.find)

    def _refused(self, call: ToolCall, bound: Bound, arguments: dict[str, Any]) -> ToolResult | None:
        """Return the result of a call whose arguments are not valid; None if they can be repaired.

        Raises:
            TooManyStepsError: Finding out what is wrong with them takes long.
        """
        _, repairs, problems = repaired(arguments, bound.tool, bound.validator, self.settings.repairs, QUICK_STEPS)
        return failure(call, invalid_arguments(bound.tool.name, problems), bound.tool, repairs) if problems else None

    def _malformed(self, error: MalformedCallError) -> ToolResult:
        call = ToolCall(error.name, None, error.id) if error.name or error.id is not None else None
        tool = self.find(error.name)
        if error.name and tool is None:
            return failure(call, unknown_tool(error.name, self.tools))
        return failure(call, CallError("malformed_call", str(error)), tool)

    def course(self, given: object, run: Run, seat: Seat | None = None) -> Course[ToolResult]:
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
                unwatched(result)
            return result
        try:
            result = yield from self._judged(given, run, seat, watch)
        except BaseException as error:  # an interrupt, or the task is cancelled: whoever watches is told
            watch.abandoned(error)
            raise
        watch.finished(result)
        return result

    def _judged(self, given: object, run: Run, seat: Seat | None, watch: Watch | None) -> Course[ToolResult]:
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
        if not isinstance(step, (Step, ToolResult)):
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

    def prepared(self, calls: Iterable[object], run: Run) -> list[Step | ToolResult]:
        """Prepare calls, in their order."""
        return [drive(self.preparing(call, run)) for call in calls]

    async def aprepared(self, calls: Iterable[object], run: Run) -> list[Step | ToolResult]:
        """Prepare calls, in their order, without holding up the running loop."""
        return [await adrive(self.preparing(call, run)) for call in calls]

    def suspended(self, calls: Iterable[object]) -> PreparedCalls:
        """Prepare and judge calls, and keep them for later, as the hooks leave them: whoever approves sees what is going to run."""
        return prepared_of(map(self._after_hooks, calls), self.gate)

    def _after_hooks(self, given: object) -> Step | ToolResult:
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
    def step_of(given: Step | ToolResult | Resumed) -> Step | ToolResult:
        """Return the call of one that was prepared, or its result where there is none."""
        return given.step if isinstance(given, Resumed) else given

    def wants_caller(self, given: object) -> bool:
        """Tell whether a call has to run on the thread that makes it."""
        step = given.step if isinstance(given, Resumed) else given
        return isinstance(step, Step) and step.bound.lane == "caller"
