"""Approval of calls: policies, the question to an approver, and what the answer means.

The operator names tools by selectors in a policy, and the configuration overrides the policy.

Approval fails closed: only True or `Approve` lets a call run. An error, a timeout or any other answer is a denial. Approvers that are plain
functions are asked one question at a time, since two prompts at once on one terminal cannot be answered.
"""

from __future__ import annotations

import inspect
from _thread import allocate_lock
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from fcregistry._base.call import CallError, ToolCall
from fcregistry._base.forks import after_fork
from fcregistry._base.source import callback_problem
from fcregistry._config.policy import trust
from fcregistry._results.result import Approval, ToolResult
from fcregistry._tools.selectors import Selector, SelectorSubject, did_you_mean, nearest, parse_selectors
from fcregistry._tools.tool import subject, subject_with_all_names
from fcregistry.errors import AmbiguousToolError, ConfigurationError, SelectorError, ToolNotFoundError
from fcregistry.execution import _call_errors as call_errors
from fcregistry.execution._arguments import copy_json
from fcregistry.execution._invoke import GivenUp, Invocation, Job, Outcome, WaitFor
from fcregistry.execution._result import failed_result

if TYPE_CHECKING:
    from fcregistry._base.call import CancellationToken
    from fcregistry._config.policy import Trust
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._call_errors import Exposure
    from fcregistry.execution._invoke import Effects
    from fcregistry.execution._step import CallStep


# --- Decisions ---


@dataclass(frozen=True, slots=True)
class Approve:
    """The decision that a call may run.

    Args:
        arguments: Arguments to use in place of the model's: a JSON object, which the executor validates, too. None keeps the model's.

    Raises:
        TypeError: The arguments are not a mapping.
    """

    arguments: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.arguments is not None and not isinstance(self.arguments, Mapping):
            raise TypeError(
                f"arguments of Approve must be a dict of all arguments of the call, or None, not {self.arguments!r}"
            )


@dataclass(frozen=True, slots=True)
class Deny:
    """The decision that a call may not run.

    Args:
        reason: The reason, which the model reads.

    Raises:
        TypeError: The reason is not a string.
    """

    reason: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.reason, str):
            raise TypeError(f"the reason of Deny must be a string, not {self.reason!r}")


Answer: TypeAlias = "bool | Approve | Deny"

Approver: TypeAlias = "Callable[[Tool, ToolCall], Answer | Awaitable[Answer]]"


def decision_of(name: str, answer: object) -> CallError | Approve | None:
    """Return the decision that the answer of an approver means.

    Args:
        name: The tool's name, for the error.
        answer: The answer.

    Returns:
        None if the call may run as it is, an `Approve` if it may run with other arguments, or the error if it is denied.
    """
    if answer is True:
        return None
    if isinstance(answer, Approve):
        return None if answer.arguments is None else answer
    return call_errors.denied(name, answer.reason if isinstance(answer, Deny) else "")


def approval_of(answer: CallError | Approve | None, rule: str, by: str | None = None) -> Approval:
    """Return the record of a decision, for the developer.

    Args:
        answer: The decision, as `decision_of` returns it.
        rule: The reason the call needed approval.
        by: The name of the approver, if it is known.
    """
    return Approval(approved=not isinstance(answer, CallError), rule=rule, edited=isinstance(answer, Approve), by=by)


def apply_edit(
    step: CallStep, decision: Approve, prepare: Callable[[ToolCall], CallStep | ToolResult]
) -> CallStep | ToolResult:
    """Return a call with the arguments that its approver gave in place of the model's, validated again.

    If these arguments are not valid, return the failed result.

    Args:
        step: The call as it was.
        decision: The decision with the arguments.
        prepare: Reads, validates and decodes a call.
    """
    again = prepare(ToolCall(step.call.name, decision.arguments, step.call.id))
    if not isinstance(again, ToolResult) or again.error is None:
        return again
    if again.error.code in ("invalid_arguments", "malformed_call"):
        error = call_errors.invalid_edit(step.bound.tool.name, again.error.problems, again.error.message)
        return failed_result(again.call, error, step.bound.tool)
    return again


# --- Policies ---

Verdict: TypeAlias = Literal["allow", "ask", "deny", "tool"]

_LISTS: Final = ("allow", "ask", "deny")
"""The lists of a policy; each overrides those before it."""

_VERDICTS: Final = ("tool", *_LISTS)


class Ruling(NamedTuple):
    """The verdict of a policy or the configuration about one tool.

    Attributes:
        verdict: `allow`, `ask` or `deny`; with `tool`, the options of the tool's author decide.
        rule: The selector that the verdict comes from; empty for the default.
        reason: The rule of the configuration that the verdict comes from, in words; empty if it comes from a policy.
    """

    verdict: Verdict
    rule: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Which calls run, which need approval and which are denied.

    `deny` overrides `ask`, and `ask` overrides `allow`. Each is a list of selectors, applied in order: a selector after `!` removes tools that
    earlier selectors chose. Selectors match a renamed tool by its old and by its new name.

    Args:
        allow: Tools that run without approval, even if their author declared `requires_approval`. What the option `always_ask` of a tool is
            about needs approval all the same.
        ask: Tools of which every call needs approval.
        deny: Tools that never run.
        default: What applies to all other tools: `tool` for what their authors declared, or `allow`, `ask` or `deny`.
        must_match: Whether making an executor fails if a selector matches none of its tools, since a misspelt selector protects nothing.
            Give False for a policy that executors of different tools share. A hint such as `destructive=true` may always match nothing.

    Raises:
        SelectorError: An item of a list is not a selector.
        ValueError: `default` is none of these words.
    """

    allow: Sequence[str] = ()
    ask: Sequence[str] = ()
    deny: Sequence[str] = ()
    default: Verdict = "tool"
    must_match: bool = True
    _rules: tuple[tuple[Verdict, tuple[Selector, ...]], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.default not in _VERDICTS:
            raise ValueError(f"the default of a policy must be one of {', '.join(_VERDICTS)}, not {self.default!r}")
        rules: list[tuple[Verdict, tuple[Selector, ...]]] = []
        for verdict in _LISTS:
            selectors = _parse_texts(verdict, getattr(self, verdict))
            texts = tuple(("!" if each.excludes else "") + each.text for each in selectors)
            object.__setattr__(self, verdict, texts)  # the caller's list may change
            rules.append((verdict, selectors))
        object.__setattr__(self, "_rules", tuple(rules))

    def rulings(self, tools: Iterable[Tool]) -> dict[str, Ruling]:
        """Return a ruling for each of some tools, by wire name.

        Args:
            tools: The tools.

        Raises:
            ToolNotFoundError: A selector that must match a tool matches none.
            AmbiguousToolError: A selector is a plain name that several tools have.
        """
        known = _PolicyTools(tools)
        decided = dict.fromkeys(known.names, Ruling(self.default))
        for verdict, selectors in self._rules:
            for name, rule in self._chosen(selectors, known).items():
                decided[name] = Ruling(verdict, rule)
        return decided

    def _chosen(self, selectors: tuple[Selector, ...], known: _PolicyTools) -> dict[str, str]:
        """Return the wire names that one list of the policy matches, each with the text of its last match.

        If the first selector begins with `!`, the list begins with all tools, each with that text. Each `!` selector
        removes its matches.

        Raises:
            ToolNotFoundError: `must_match` is set, and a selector other than a hint matches no tool.
            AmbiguousToolError: A selector is a plain name that several tools have.
        """
        chosen: dict[str, str] = {}
        if selectors and selectors[0].excludes:
            chosen = dict.fromkeys(known.names, f"!{selectors[0].text}")
        for selector in selectors:
            matched = known.matches(selector)
            if not matched and self.must_match and selector.hint is None:
                raise known.not_found(selector)
            for name in matched:
                if selector.excludes:
                    chosen.pop(name, None)
                else:
                    chosen[name] = selector.text
        return chosen


def _parse_texts(verdict: Verdict, texts: Sequence[str]) -> tuple[Selector, ...]:
    """Return `texts` parsed as selectors; `verdict` is the name of the policy's list, for the error.

    Raises:
        SelectorError: A text is not a selector, or `texts` is not a list.
    """
    try:
        return parse_selectors(texts)
    except SelectorError as error:
        raise SelectorError(f"{verdict} of a policy: {error}") from None
    except TypeError:
        raise SelectorError(f"{verdict} of a policy: give selectors as a list, not {texts!r}") from None


class _PolicyTools:
    """The tools that a policy is about, with the names that selectors can match.

    Attributes:
        names: The wire names.
    """

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._subjects = {name: _subjects(tool) for name, tool in self._tools.items()}
        self.names = list(self._tools)

    def matches(self, selector: Selector) -> list[str]:
        """Return the wire names of the tools that a selector matches.

        Raises:
            AmbiguousToolError: The selector is a plain name that several tools have.
        """
        for each in filter(None, (selector, selector.in_any_group())):
            found = [name for name, about in self._subjects.items() if any(map(each.matches, about))]
            if found:
                break
        if selector.is_exact and not found:
            found = [
                name
                for name, tool in self._tools.items()
                if any(selector.matches(self._subjects[name][0]._replace(name=alias)) for alias in tool.options.aliases)
            ]
        if selector.is_exact and len(found) > 1:
            several = [self._tools[name] for name in found]
            ids = tuple(sorted(t.id if ":" in t.id else f"{t.group}.{t.declared_name}" for t in several))
            raise AmbiguousToolError(
                f"the policy names {selector.text!r}, which may be any of {', '.join(ids)}; name one of these",
                candidates=ids,
            )
        return found

    def not_found(self, selector: Selector) -> ToolNotFoundError:
        """Return the error for a selector that matches no tool."""
        is_plain = not {":", "."} & set(selector.text)
        near = nearest(selector.text, sorted(tool.name if is_plain else tool.id for tool in self._tools.values()))
        return ToolNotFoundError(
            f"the policy names {selector.text!r}, and no tool of the executor answers to that{did_you_mean(near)} "
            "(must_match=False, for a policy that executors of different tools share)",
            name=selector.text,
            candidates=near,
        )


def _subjects(tool: Tool) -> tuple[SelectorSubject, ...]:
    """Return a subject with assumed hints for a tool's declared name, and one for another wire name."""
    about = subject(tool).with_assumed_hints()
    return (about,) if tool.name == tool.declared_name else (about, about._replace(name=tool.name))


# --- The configuration, which comes before any policy ---


def apply_configuration(operator: Trust, rulings: Mapping[str, Ruling], tools: Iterable[Tool]) -> Mapping[str, Ruling]:
    """Return the rulings of a policy, by wire name, with the changes that the configuration makes.

    Args:
        operator: The rules of the configuration.
        rulings: The rulings of the policy.
        tools: The tools.
    """
    if operator.is_open:
        return rulings
    decided = dict(rulings)
    for tool in tools:
        ruling = _configured_ruling(operator, tool)
        if ruling is not None and (ruling.verdict == "deny" or decided.get(tool.name, ruling).verdict != "deny"):
            decided[tool.name] = ruling
    return decided


def _configured_ruling(operator: Trust, tool: Tool) -> Ruling | None:
    """Return the configuration's ruling about a tool: `deny` (also by a lock), `ask`, or None without one."""
    about = subject_with_all_names(tool)
    reason = operator.tool_refusal(about, given=True, entry_point=tool.origin.entry_point)
    if not reason and about.distribution is not None and operator.locks:
        from fcregistry._tools.indexed import record_of  # only where tools are locked

        reason = operator.record_refusal(about.distribution, record_of(tool))
    if reason:
        return Ruling("deny", reason=reason)
    if reason := operator.asks(about):
        return Ruling("ask", reason=reason)
    return None


# --- Which calls need approval ---

_AUTHOR_DECIDES: Final = Ruling("tool")

_DENY_UNKNOWN: Final = Ruling("deny")

_CONFIGURATION_UNREADABLE: Final = Ruling(
    "deny", reason="the configuration cannot be read, so it is not known what it forbids"
)

CONFIGURATION_SECONDS: Final = 0.5
"""Seconds for which the configuration is not read again: asking the system for each file takes longer than a call does."""


class ApprovalRules:
    """Decides which calls of one executor may run, which not, and which need approval.

    Args:
        tools: The executor's tools.
        policy: The operator's policy; without one, the tools' own `requires_approval` decides.
        approve: The approver: a function of the tool and the call, or a coroutine function.
        timeout: Seconds within which the approver has to answer; None for any time.
        expose: What a model reads if an author's function raises an exception.

    Raises:
        TypeError: `approve` cannot be called with a tool and a call, or `policy` is not a policy.
        ValueError: The timeout is not a finite number above 0.
        ToolNotFoundError: The policy names a tool that does not exist.
        AmbiguousToolError: The policy uses a plain name that several tools have.
        ConfigurationError: The configuration, which comes before the policy, cannot be read.

    Attributes:
        rulings: The ruling about each tool, by wire name.
        fresh_until: The time, by `perf_counter`, from which `renew` reads the configuration again.
    """

    __slots__ = (
        "_by_policy",
        "_default_ruling",
        "_expose",
        "_operator",
        "_tools",
        "approve",
        "approves_on_loop",
        "fresh_until",
        "rulings",
        "timeout",
        "turns",
    )

    def __init__(
        self,
        tools: Iterable[Tool] = (),
        policy: Policy | None = None,
        approve: Approver | None = None,
        timeout: float | None = None,
        expose: Exposure = "all",
    ) -> None:
        if approve is not None and not callable(approve):
            raise TypeError(f"approve must be a function of the tool and the call, not {approve!r}")
        if approve is not None and (problem := callback_problem(approve, "tool", "call")):
            raise TypeError(f"approve {problem}")
        if policy is not None and not isinstance(policy, Policy):
            raise TypeError(f"policy must be a Policy, not {policy!r}")
        if timeout is not None and not (type(timeout) in (int, float) and 0 < timeout < float("inf")):
            raise ValueError(f"approve_timeout must be a number of seconds above 0, not {timeout!r}")
        self.approve: Approver | None = approve
        self.timeout: float | None = timeout
        self.approves_on_loop: bool = approve is not None and _is_async(approve)
        self._expose: Exposure = expose
        self._tools = tuple(tools)
        self._by_policy = {} if policy is None else policy.rulings(self._tools)
        self._default_ruling = _AUTHOR_DECIDES if policy is None else _DENY_UNKNOWN
        self._operator: Trust | None = trust()
        self.rulings: Mapping[str, Ruling] = apply_configuration(self._operator, self._by_policy, self._tools)
        self.fresh_until: float = perf_counter() + CONFIGURATION_SECONDS
        self.turns: AskingTurns = AskingTurns()

    def renew(self) -> bool:
        """Read the configuration again if that is due, and return whether it has changed.

        Every tool is denied while the configuration cannot be read.
        """
        if (now := perf_counter()) < self.fresh_until:
            return False
        self.fresh_until = now + CONFIGURATION_SECONDS
        before = self._operator
        try:
            self._operator = trust()
            if self._operator is before:
                return False
            self.rulings = apply_configuration(self._operator, self._by_policy, self._tools)
        except ConfigurationError:
            self._operator = None
            self.rulings = dict.fromkeys((tool.name for tool in self._tools), _CONFIGURATION_UNREADABLE)
            if before is not None:
                from logging import getLogger  # only on the way to an error

                getLogger("fcregistry").exception("the configuration cannot be read; every call is denied")
        return True

    def always_allows(self, tool: Tool) -> bool:
        """Return whether no call of a tool ever needs approval or is denied."""
        verdict = self._ruling(tool).verdict
        if tool.options.always_ask is not None:
            return False
        return verdict == "allow" or (verdict == "tool" and tool.options.requires_approval is False)

    def forbids(self, tool: Tool) -> CallError | None:
        """Return the error for a tool of which no call may run, approved or not; None if calls may run."""
        ruling = self._ruling(tool)
        return _denied_by_rule(tool, ruling) if ruling.verdict == "deny" else None

    def check(self, step: CallStep, *, pending: bool = False) -> CallError | ApprovalQuestion | None:
        """Return the error for a call that may not run, None if it may, or the question to its approver.

        Without an approver, a call that needs approval may not run.

        Args:
            step: The call.
            pending: Whether some of its arguments are not known yet.
        """
        question = self.check_rules(step, pending=pending)
        if isinstance(question, ApprovalQuestion) and self.approve is None:
            reason = question.reason if question.always else ""
            return call_errors.approval_required(step.bound.tool.name, reason)
        return question

    def check_rules(self, step: CallStep, *, pending: bool = False) -> CallError | ApprovalQuestion | None:
        """Return the same as `check`, also with the question if there is no approver yet."""
        tool = step.bound.tool
        ruling = self._ruling(tool)
        if ruling.verdict == "deny":
            return _denied_by_rule(tool, ruling)
        if (always := tool.options.always_ask) is not None and (
            question := self._question_of_author(always, step, pending, always=True)
        ) is not None:
            return question
        if ruling.verdict == "allow":
            return None
        if ruling.verdict == "ask":
            return ApprovalQuestion(_reason_to_ask(ruling))
        needs = tool.options.requires_approval
        if callable(needs):
            return self._question_of_author(needs, step, pending)
        return ApprovalQuestion("the tool requires approval") if needs else None

    def _ruling(self, tool: Tool) -> Ruling:
        """Return the ruling about a tool's wire name, or the default if the executor has no such tool."""
        return self.rulings.get(tool.name, self._default_ruling)

    def _question_of_author(
        self, predicate: Callable[[Mapping[str, Any]], object], step: CallStep, pending: bool, *, always: bool = False
    ) -> CallError | ApprovalQuestion | None:
        """Return the question for the approver, None if `predicate` answers no, or an error if it raises.

        With `pending`, some arguments of the call are not known yet: the question is asked without calling the function. With `always`, the
        option is `always_ask`, and a string that the function returns is the question's reason.
        """
        if pending:
            return ApprovalQuestion(_NOT_KNOWN_YET, always)
        option = "always_ask" if always else "requires_approval"
        try:
            answer = _call_predicate(predicate, step, option)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  # foreign code: approval is needed unless a predicate returns that it is not
            return call_errors.predicate_failed(step.bound.tool, option, error, self._expose)
        reason = answer if always and isinstance(answer, str) else _SUCH_ARGUMENTS
        return ApprovalQuestion(reason, always) if answer else None


def _denied_by_rule(tool: Tool, ruling: Ruling) -> CallError:
    """Return the error for a call that `ruling` denies, with its reason, or `not_allowed` if it has none."""
    return call_errors.denied(tool.name, ruling.reason) if ruling.reason else call_errors.not_allowed(tool.name)


def _reason_to_ask(ruling: Ruling) -> str:
    """Return the reason of `ruling`, an `ask`; if it has none, a phrase with its rule or `every call`."""
    if ruling.reason:
        return ruling.reason
    return f"the policy asks about {ruling.rule}" if ruling.rule else "the policy asks about every call"


_NOT_KNOWN_YET: Final = "the tool may require approval, which depends on results that are not known yet"
_SUCH_ARGUMENTS: Final = "the tool requires approval of such arguments"


def _call_predicate(predicate: Callable[[Mapping[str, Any]], object], step: CallStep, option: str) -> object:
    """Return the answer, of any type, of `predicate` to the decoded arguments of a call.

    The predicate gets a copy: whatever it changes, the tool runs with the arguments that were validated.

    Raises:
        TypeError: The answer is awaitable; the message names `option`.
        BaseException: Whatever the predicate raises.
    """
    answer = predicate(step.bound.signature.binding.decode(copy_json(step.arguments)))
    if inspect.iscoroutine(answer):
        answer.close()  # it will not be awaited
    if inspect.isawaitable(answer):
        raise TypeError(f"{option} must be a plain function of the arguments, not a coroutine function")
    return answer


def _is_async(function: object) -> bool:
    """Return whether a callable is a coroutine function, or an object with such a `__call__`."""
    called = getattr(function, "__call__", None)  # noqa: B004  # of an object of a class of its own
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called)


# --- Asking ---


class ApprovalQuestion(NamedTuple):
    """The question to an approver whether a call may run.

    Attributes:
        reason: The reason the call needs approval.
        always: Whether it needs approval whatever a policy allows.
    """

    reason: str
    always: bool = False


def ask_approver(
    rules: ApprovalRules, step: CallStep, cancellation: CancellationToken | None, *, pending: bool = False
) -> Effects[tuple[CallError | Approve | None, Approval | None]]:
    """Ask the approver about a call, if it needs approval.

    A coroutine function is awaited. A plain function may block: it runs on the waiting thread, or on one of its own if that thread must not
    be blocked or there is a time limit, and is asked one question at a time. The time counts from when it is asked.

    Args:
        rules: The rules of the executor, with its approver.
        step: The call. The approver gets a copy of its validated arguments.
        cancellation: The token that ends the waiting.
        pending: Whether some of the arguments are not known yet.

    Returns:
        The decision, as `decision_of` returns it, and its record, or None if no approver was asked.
    """
    question = None if step.bound.needs_no_approval else rules.check(step, pending=pending)
    if not isinstance(question, ApprovalQuestion):
        return question, None
    assert rules.approve is not None
    tool, shown = step.bound.tool, ToolCall(step.call.name, copy_json(step.arguments), step.call.id)
    if rules.approves_on_loop:
        outcome = yield Job("loop", Invocation(rules.approve, (tool, shown), {}), rules.timeout, cancellation)
    else:
        turn = rules.turns.take()
        work = Invocation(rules.turns.holding(rules.approve), (tool, shown), {})
        try:
            outcome = TURN_REACHED if turn is None else (yield WaitFor(turn, None, cancellation))
            if outcome.exception is None:
                outcome = yield Job("thread", work, rules.timeout, cancellation)
        finally:
            if turn is not None:
                rules.turns.leave(turn)
    decision = _decision_in(outcome, tool)
    return decision, approval_of(decision, question.reason)


def _decision_in(outcome: Outcome, tool: Tool) -> CallError | Approve | None:
    """Return the decision in an approver's outcome: None to run the call, new arguments, or a denial.

    It is also a denial if the approver raised an exception or did not answer in time, or the call was cancelled.

    Raises:
        KeyboardInterrupt: The user interrupted the program instead of answering.
    """
    error = outcome.exception
    if error is None:
        if not isinstance(outcome.value, (bool, Approve, Deny)):
            return call_errors.not_a_decision(tool.name, outcome.value)
        return decision_of(tool.name, outcome.value)
    if isinstance(error, KeyboardInterrupt):
        raise error
    if not isinstance(error, GivenUp):
        return call_errors.approval_failed(tool.name, error)
    if error.why == "cancelled":
        return call_errors.cancelled_before(tool, error.reason)
    return call_errors.unanswered(tool.name, error.seconds or 0)


# --- Turns ---

Turn: TypeAlias = "Future[Outcome]"
"""A future that is done when its owner has the turn."""

TURN_REACHED: Final = Outcome(None, None, 0.0)
"""The result of a turn's future."""

_HELD: ContextVar[tuple[AskingTurns, ...]] = ContextVar("fcregistry_turns", default=())
"""The queues in which the running code has the turn: code that it calls must not wait for that turn."""


class AskingTurns:
    """A queue in which threads and tasks wait for their turn. The first in the queue has the turn.

    Thread-safe. A forked process starts with an empty queue: the code that has the turn, or waits for it, is in the parent.
    """

    __slots__ = ("__weakref__", "_lock", "_turns")

    def __init__(self) -> None:
        self._reset()
        after_fork(self, AskingTurns._reset)

    def _reset(self) -> None:
        """Set an empty queue and a new lock."""
        self._lock = allocate_lock()
        self._turns: deque[Turn] = deque()  # the first is done, the others wait

    def take(self) -> Turn | None:
        """Enter the queue and return a turn, which the caller must `leave`; None if it has the turn already."""
        if self in _HELD.get():
            return None
        turn: Turn = Future()
        with self._lock:
            self._turns.append(turn)
            if len(self._turns) == 1:
                turn.set_result(TURN_REACHED)
        return turn

    def leave(self, turn: Turn) -> None:
        """End a turn, or stop waiting for it."""
        with self._lock:
            if turn in self._turns:  # it is not if it was taken before a fork
                self._turns.remove(turn)
            while self._turns:
                first = self._turns[0]
                if first.done() and not first.cancelled():
                    return
                if first.set_running_or_notify_cancel():
                    first.set_result(TURN_REACHED)
                    return
                self._turns.popleft()

    def holding(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that calls `function` as code that has the turn."""

        def run(*arguments: Any) -> Any:
            """Return `function(*arguments)`; meanwhile, code in the same context does not wait for this turn."""
            token = _HELD.set((*_HELD.get(), self))
            try:
                return function(*arguments)
            finally:
                _HELD.reset(token)

        return run
