"""May a call run? What the policy and the tool's author say, and whom to ask: fails closed, for only a plain yes is one."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._base.call import CallError, ToolCall
from fcregistry.execution._approving._configured import with_configured
from fcregistry.execution._approving._decisions import Approve, Deny
from fcregistry.execution._approving._policy import Policy, Ruling
from fcregistry.execution._approving._questions import Question
from fcregistry.execution._approving._refusals import denied_because, not_allowed
from fcregistry.execution._approving._turns import Turns
from fcregistry.execution._reading._digits import copied
from fcregistry.execution._wording import approval_failed, approval_required

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._steps import Step

Answer: TypeAlias = "bool | Approve | Deny"
Approver: TypeAlias = "Callable[[Tool, ToolCall], Answer | Awaitable[Answer]]"

_BY_AUTHOR: Final = Ruling("tool")
_UNKNOWN: Final = Ruling("deny")


class Gate:
    """Judges the calls of one executor.

    Args:
        tools: The executor's tools.
        policy: What the operator says; without it, the tools' own `requires_approval` decides.
        approve: Whom to ask: a function of the tool and the call, or a coroutine function.
        timeout: Seconds within which it has to answer; None for ever.

    Raises:
        TypeError: `approve` cannot be called, or `policy` is none.
        ValueError: The timeout is no time.
        ToolNotFoundError: The policy names a tool that is not there.
        AmbiguousToolError: It names one by a name that several have.
        ConfigurationError: The configuration, which stands above the policy, cannot be read.
    """

    __slots__ = ("_otherwise", "_rulings", "approve", "approves_on_loop", "timeout", "turns")

    def __init__(
        self,
        tools: Iterable[Tool] = (),
        policy: Policy | None = None,
        approve: Approver | None = None,
        timeout: float | None = None,
    ) -> None:
        if approve is not None and not callable(approve):
            raise TypeError(f"approve is a function of the tool and the call, not {approve!r}")
        if policy is not None and not isinstance(policy, Policy):
            raise TypeError(f"policy is a Policy, not {policy!r}")
        if timeout is not None and not (type(timeout) in (int, float) and 0 < timeout < float("inf")):
            raise ValueError(f"approve_timeout takes seconds: a finite number above 0, not {timeout!r}")
        self.approve = approve
        self.timeout = timeout
        self.approves_on_loop = approve is not None and _is_async(approve)
        everything = tuple(tools)
        self._rulings = with_configured({} if policy is None else policy.rulings(everything), everything)
        self._otherwise = _BY_AUTHOR if policy is None else _UNKNOWN
        self.turns = Turns()

    def is_open(self, tool: Tool) -> bool:
        """Tell whether no call of a tool is ever held up here: then nobody has to judge them."""
        verdict = self._ruling(tool).verdict
        return verdict == "allow" or (verdict == "tool" and tool.options.requires_approval is False)

    def forbids(self, tool: Tool) -> CallError | None:
        """Return why no call of a tool may run, whoever approves of it; None if some may."""
        ruling = self._ruling(tool)
        return _denied(tool, ruling) if ruling.verdict == "deny" else None

    def judge(self, step: Step) -> CallError | Question | None:
        """Return why a call may not run, None if it may, or the question that has to be put for it."""
        question = self.weigh(step)
        if isinstance(question, Question) and self.approve is None:
            return approval_required(step.bound.tool.name)
        return question

    def weigh(self, step: Step) -> CallError | Question | None:
        """Return the same, also where there is nobody here to be asked: somebody elsewhere may be."""
        tool = step.bound.tool
        ruling = self._ruling(tool)
        if ruling.verdict == "allow":
            return None
        if ruling.verdict == "deny":
            return _denied(tool, ruling)
        if ruling.verdict == "ask":
            return Question(self, step, _why_asked(ruling))
        return self._by_author(step)

    def _ruling(self, tool: Tool) -> Ruling:
        return self._rulings.get(tool.name, self._otherwise)

    def _by_author(self, step: Step) -> CallError | Question | None:
        needs = step.bound.tool.options.requires_approval
        if needs is False:
            return None
        if not callable(needs):
            return Question(self, step, "the tool requires approval")
        try:
            if not _holds(needs, step):
                return None
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  # foreign code: a predicate that raises has not said that nobody need be asked
            return approval_failed(step.bound.tool.name, error)
        return Question(self, step, "the tool requires approval of such arguments")


def _denied(tool: Tool, ruling: Ruling) -> CallError:
    return denied_because(tool.name, ruling.said) if ruling.said else not_allowed(tool.name)


def _why_asked(ruling: Ruling) -> str:
    if ruling.said:
        return ruling.said
    return f"the policy asks about {ruling.rule}" if ruling.rule else "the policy asks about every call"


def _holds(predicate: Callable[[Mapping[str, Any]], object], step: Step) -> bool:
    """Ask a predicate of the arguments; of a copy: what was validated is what runs, whatever it does with what it is shown.

    Raises:
        BaseException: Whatever it raises.
    """
    answer = predicate(step.bound.signature.binding.decode(copied(step.arguments)))
    if inspect.iscoroutine(answer):
        answer.close()  # nobody will await it
    if inspect.isawaitable(answer):
        raise TypeError("requires_approval is a plain function of the arguments, and no coroutine function")
    return bool(answer)


def _is_async(function: object) -> bool:
    """Tell whether calling something gives what has to be awaited."""
    called = getattr(function, "__call__", None)  # noqa: B004  # of an object of a class of its own
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)
