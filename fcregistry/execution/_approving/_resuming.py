"""What is left to be done of prepared calls, once somebody has decided?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from fcregistry._base.call import CallError
from fcregistry._results.result import ToolResult
from fcregistry.errors import ApprovalError
from fcregistry.execution._approving._decisions import Approval, Approve, Deny
from fcregistry.execution._approving._prepared import AnsweredCall, Asked, PreparedCalls, ValidCall
from fcregistry.execution._approving._questions import edited, settled
from fcregistry.execution._approving._refusals import gone, schema_changed, undecided
from fcregistry.execution._writing._outcome import failure

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._approving._approval import Gate
    from fcregistry.execution._steps import Step

Decision: TypeAlias = "Approve | Deny | bool"


class Resumed(NamedTuple):
    """A call of a batch that is resumed.

    Attributes:
        step: What is to run, without being asked about again; or the result, where nothing is.
        approval: What was decided, where something was.
        seen: Whether it is a result that the hooks have seen when the calls were prepared.
    """

    step: Step | ToolResult
    approval: Approval | None = None
    seen: bool = False


def resumed(
    prepared: PreparedCalls,
    decisions: Mapping[str, Decision],
    *,
    by: str | None,
    gate: Gate,
    find: Callable[[str], Tool | None],
    prepare: Callable[[object], Step | ToolResult],
) -> list[Resumed]:
    """Return what is left to be done of prepared calls, in their order.

    Args:
        prepared: The calls.
        decisions: Of the waiting ones, by id.
        by: Who decided.
        gate: Says what is denied today, and asks about calls that nobody was asked about.
        find: Finds a tool by the name that a model called it.
        prepare: Reads, validates and decodes a call.

    Raises:
        ApprovalError: A decision about a call that does not wait for one, or the calls were resumed before. Nothing is to run then.
        TypeError: A decision that is none.
    """
    if not isinstance(prepared, PreparedCalls):
        raise TypeError(f"resume takes PreparedCalls, as from_json returns them, not {type(prepared).__name__}")
    if not isinstance(decisions, Mapping):
        raise TypeError(f"decisions are a dict from the ids of waiting calls, not {type(decisions).__name__}")
    check_decisions(prepared, decisions)
    prepared._take()
    resuming = _Resuming(decisions, by, gate, find, prepare)
    return [resuming.resume(each) for each in prepared._calls]


def check_decisions(prepared: PreparedCalls, decisions: Mapping[str, Decision]) -> None:
    """Raise for decisions that are about nothing.

    Raises:
        ApprovalError: About a call that does not wait for one.
        TypeError: One is no decision.
    """
    keys = {each.key for each in prepared._calls}
    waiting = dict.fromkeys(each.id for each in prepared.waiting)
    known = f"those that wait for one are {', '.join(map(repr, waiting))}" if waiting else "none waits for one"
    for key, decision in decisions.items():
        if key not in keys:
            raise ApprovalError(f"a decision is about the call {key!r}, which is none of these; {known}")
        if key not in waiting:
            raise ApprovalError(f"the call {key!r} does not wait for a decision; {known}")
        if not isinstance(decision, (Approve, Deny, bool)):
            raise TypeError(f"the decision about {key!r} is Approve(…) or Deny(…), not {decision!r}")


class _Resuming:
    """Takes up the calls of one batch."""

    def __init__(
        self,
        decisions: Mapping[str, Decision],
        by: str | None,
        gate: Gate,
        find: Callable[[str], Tool | None],
        prepare: Callable[[object], Step | ToolResult],
    ) -> None:
        self._decisions = decisions
        self._by = by
        self._gate = gate
        self._find = find
        self._prepare = prepare

    def resume(self, call: ValidCall | AnsweredCall) -> Resumed:
        if isinstance(call, AnsweredCall):
            return Resumed(call.result, seen=True)
        if call.asked is None:
            return Resumed(self._unasked(call))
        decision = self._decisions.get(call.key)
        if decision is None:
            return Resumed(self._refused(call, undecided(call.name), self._find(call.name)))
        answer = settled(call.name, decision)
        approval = self._approval(call, call.asked, answer)
        _log(call, approval, decision)
        if isinstance(answer, CallError):
            return Resumed(self._refused(call, answer, self._find(call.name)), approval)
        step = self._step(call)
        if answer is not None and not isinstance(step, ToolResult):
            step = edited(step, answer, self._prepare)
        return Resumed(step, approval)

    def _approval(self, call: ValidCall, asked: Asked, answer: CallError | Approve | None) -> Approval:
        approved = not isinstance(answer, CallError)
        return Approval(approved=approved, rule=asked.reason, edited=isinstance(answer, Approve), by=self._by)

    def _unasked(self, call: ValidCall) -> Step | ToolResult:
        """Return what is left of a call that nobody had to be asked about: today, it may be otherwise."""
        step = self._step(call)
        if isinstance(step, ToolResult):
            return step
        judgement = self._gate.weigh(step)
        if judgement is None:
            return step
        error = judgement if isinstance(judgement, CallError) else undecided(call.name)
        return self._refused(call, error, step.bound.tool)

    def _step(self, call: ValidCall) -> Step | ToolResult:
        """Return a call as it was prepared, if its tool is still the same and not denied."""
        tool = self._find(call.name)
        if tool is None:
            return self._refused(call, gone(call.name))
        if (tool.id, tool.schema_digest) != (call.tool, call.schema_digest):
            return self._refused(call, schema_changed(call.name), tool)
        if error := self._gate.forbids(tool):
            return self._refused(call, error, tool)
        step = self._prepare(call.call)
        return step if isinstance(step, ToolResult) else step._replace(repairs=call.repairs)

    @staticmethod
    def _refused(call: ValidCall, error: CallError, tool: Tool | None = None) -> ToolResult:
        return failure(call.call, error, tool, call.repairs)


def _log(call: ValidCall, approval: Approval, decision: Decision) -> None:
    logging = sys.modules.get("logging")  # where nobody imported it, nobody reads its records
    if logging is None:
        return
    logging.getLogger("fcregistry.approvals").info(
        "%s was %s by %r",
        call.tool,
        "approved" if approval.approved else "denied",
        approval.by,
        extra={
            "fcregistry": {
                "tool": call.tool,
                "call_id": call.id,
                "approved": approval.approved,
                "edited": approval.edited,
                "by": approval.by,
                "rule": approval.rule,
                "reason": decision.reason if isinstance(decision, Deny) else None,
            }
        },
    )
