"""Who may have something against a call that is valid? The hooks that were named, the policy, and whoever is asked for approval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry._base.call import CallError, ToolCall
from fcregistry._results.result import Notes, ToolResult
from fcregistry.execution._approving._asking import Ask
from fcregistry.execution._approving._decisions import Approval, Approve
from fcregistry.execution._approving._questions import Question, edited
from fcregistry.execution._approving._refusals import changed_after_approval
from fcregistry.execution._steps import Step
from fcregistry.execution._writing._outcome import failure, finished

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry._base.call import CancellationToken
    from fcregistry.execution._approving._approval import Gate
    from fcregistry.execution._effects import Course
    from fcregistry.execution._settings import Settings


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
        step: Step,
        settings: Settings,
        gate: Gate,
        prepare: Callable[[object], Step | ToolResult],
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
            return failure(step.call, again.error, tool, step.repairs) if again.error is not None else again
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
        if not isinstance(judged, Question):
            return None if judged is None else self._refused(judged)
        answer: CallError | Approve | None = yield Ask(judged, cancellation)
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
