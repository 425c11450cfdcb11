"""What is asked of whoever approves of a call, and what does an answer come to? Only a plain yes is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fcregistry._base.call import CallError, ToolCall
from fcregistry._results.result import ToolResult
from fcregistry.execution._approving._decisions import Approve, Deny
from fcregistry.execution._approving._refusals import denied_because, edited_badly, unanswered
from fcregistry.execution._calling._waiting import GivenUp
from fcregistry.execution._reading._digits import copied
from fcregistry.execution._wording import approval_failed, cancelled_before, denied
from fcregistry.execution._writing._outcome import failure

if TYPE_CHECKING:
    from fcregistry.execution._approving._approval import Gate
    from fcregistry.execution._approving._turns import Turns
    from fcregistry.execution._calling._invoke import Outcome
    from fcregistry.execution._steps import Step


class Question:
    """May this call run? Asking is done by `_asking.Ask`; here stands what is asked, and what an answer comes to.

    Attributes:
        step: The call.
        call: What is shown of it: its arguments are validated, and a copy.
        reason: Why it is asked.
    """

    __slots__ = ("_gate", "call", "reason", "step")

    def __init__(self, gate: Gate, step: Step, reason: str) -> None:
        self._gate = gate
        self.step = step
        self.reason = reason
        self.call = ToolCall(step.call.name, copied(step.arguments), step.call.id)

    @property
    def on_loop(self) -> bool:
        """Whether it is put to a coroutine function, which is awaited; a plain function may block, and is asked one question at a time."""
        return self._gate.approves_on_loop

    @property
    def timeout(self) -> float | None:
        """Seconds within which an answer has to come; None for ever."""
        return self._gate.timeout

    @property
    def turns(self) -> Turns:
        """Whose turn it is to ask."""
        return self._gate.turns

    def put(self) -> Any:
        """Ask, and return what was answered, or an awaitable of it: foreign code, which may raise anything.

        Raises:
            TypeError: There is nobody to ask.
        """
        if self._gate.approve is None:
            raise TypeError("there is nobody to ask")
        return self._gate.approve(self.step.bound.tool, self.call)

    def settle(self, answer: object) -> CallError | Approve | None:
        """Return None for a plain yes, a yes with other arguments, or the denial that everything else is."""
        return settled(self.step.bound.tool.name, answer)

    def answered(self, outcome: Outcome) -> CallError | Approve | None:
        """Return what asking came to: as `settle`, and a denial where nobody answered in time, or whoever was asked raised something.

        Raises:
            KeyboardInterrupt: Whoever was asked interrupted the program: that is no answer.
        """
        error = outcome.exception
        if error is None:
            return self.settle(outcome.value)
        if isinstance(error, KeyboardInterrupt):
            raise error
        tool = self.step.bound.tool
        if not isinstance(error, GivenUp):
            return approval_failed(tool.name, error)
        if error.why == "cancelled":
            return cancelled_before(tool, error.reason)
        return unanswered(tool.name, error.seconds or 0)


def settled(name: str, answer: object) -> CallError | Approve | None:
    """Return what an answer about a call of a tool comes to: None for a plain yes, a yes with other arguments, or a denial."""
    if answer is True:
        return None
    if isinstance(answer, Approve):
        return None if answer.arguments is None else answer
    return denied_because(name, answer.reason) if isinstance(answer, Deny) else denied(name)


def edited(step: Step, decision: Approve, prepare: Callable[[ToolCall], Step | ToolResult]) -> Step | ToolResult:
    """Return a call with the arguments that its approver put in place of the model's: validated again, and not asked about again.

    Args:
        step: The call as it was.
        decision: Has the arguments.
        prepare: Reads, validates and decodes a call.
    """
    again = prepare(ToolCall(step.call.name, decision.arguments, step.call.id))
    if not isinstance(again, ToolResult) or again.error is None:
        return again
    if again.error.code in ("invalid_arguments", "malformed_call"):
        error = edited_badly(step.bound.tool.name, again.error.problems, again.error.message)
        return failure(again.call, error, step.bound.tool)
    return again
