"""Prepared calls: validated calls that have not run yet, and how they are resumed.

They are resumed here or in another process.

As JSON text they are signed with a message authentication code (RFC 2104, HMAC with SHA-256) over the characters of the payload, and nothing
of the payload is read before the signature is verified. The result of a call that is not going to run is sent without what stays in this
process: the arguments that the model wrote, and what was raised.
"""

from __future__ import annotations

import json
import os
import sys
import time
from _thread import allocate_lock
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from fcregistry._base.call import CallError, Problem, ToolCall
from fcregistry._results.content import Content, Output
from fcregistry._results.result import Approval, ToolResult
from fcregistry._tools.selectors import HINTS
from fcregistry.errors import ApprovalError
from fcregistry.execution._approval import ApprovalQuestion, Approve, Deny, apply_edit, approval_of, decision_of
from fcregistry.execution._messages import schema_changed, tool_removed, undecided
from fcregistry.execution._result import failed_result
from fcregistry.execution._step import exact_text
from fcregistry.types import codec_of, to_json_text

if TYPE_CHECKING:
    from typing import Self, TypeGuard

    from fcregistry._tools.tool import Tool
    from fcregistry.execution._approval import ApprovalRules
    from fcregistry.execution._step import CallStep


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingCall:
    """A call that waits for approval, with all that an approver needs to see.

    Attributes:
        id: The key of the call in `decisions`: the provider's id, or another name if an earlier call has the same id.
        name: The tool's name, as the model called it.
        tool: The tool's canonical id.
        title: The tool's name for people, if it has one.
        description: What the tool does, in a line.
        arguments: The arguments, validated: a JSON object. A copy.
        reason: Why it needs approval.
        hints: What the tool's author declared: `read_only`, `destructive`, `idempotent`, `open_world`, where set.
    """

    id: str
    name: str
    tool: str
    title: str | None
    description: str
    arguments: Mapping[str, Any]
    reason: str
    hints: Mapping[str, bool]

    def to_json(self) -> dict[str, Any]:
        """This call as a JSON object, for a user interface."""
        return asdict(self)


class PreparedCalls:
    """A model's calls that an executor has read and validated, but not run.

    `Executor.prepare` makes them, and `Executor.resume` runs them.

    Args:
        calls: The calls, in their order.
        id: The name of this batch; by default, a new one.
        made: When it was made, in seconds since 1970 (UTC); by default, now.
    """

    __slots__ = ("_calls", "_id", "_lock", "_made", "_taken")

    def __init__(self, calls: Iterable[JudgedCall], id: str | None = None, made: float | None = None) -> None:
        self._calls = tuple(calls)
        self._id = os.urandom(16).hex() if id is None else id
        self._made = time.time() if made is None else made
        self._lock = allocate_lock()
        self._taken = False

    @property
    def id(self) -> str:
        """The name of these calls, the same after a round trip as text.

        An application that stores it can refuse to run them twice.
        """
        return self._id

    @property
    def made(self) -> float:
        """When they were prepared, in seconds since 1970 (UTC)."""
        return self._made

    @property
    def waiting(self) -> tuple[WaitingCall, ...]:
        """The calls that wait for a decision, in their order."""
        found = (each.waiting for each in self._calls if isinstance(each, ValidCall))
        return tuple(each for each in found if each is not None)

    def to_json(self, *, key: bytes) -> str:
        """Return these calls as signed JSON text, for a process that resumes them later.

        For a call that has failed already, the text contains the error for the model. If a hook replaced that failure by a result, the value
        of the result is JSON after a round trip, or None if it has no JSON form.

        Args:
            key: At least 16 bytes that only the processes know that prepare and resume. The text is signed, not encrypted: anyone who has
                it can read it.

        Raises:
            TypeError: The key is not bytes.
            ApprovalError: It is too short.
        """
        valid = codec_of(ValidCall)
        calls = [valid.encode(each) if isinstance(each, ValidCall) else each.to_json() for each in self._calls]
        return sign_state({"id": self._id, "made": self._made, "calls": calls}, key)

    @classmethod
    def from_json(cls, text: str, *, key: bytes, max_age: float | None = None) -> Self:
        """Return the calls of a text of `to_json`.

        Args:
            text: The text.
            key: The key that it was signed with.
            max_age: The most seconds since the calls were prepared; None for any. Calls that are dated more than a minute in the future
                are refused too, since their age is not known.

        Raises:
            TypeError: The text is not a str, the key not bytes, or `max_age` not a number.
            ValueError: `max_age` is negative, or NaN.
            ApprovalError: It is not such a text, was signed with another key, changed since, or is too old.
        """
        payload = verify_state(text, key)
        if max_age is not None:
            _check_age(payload.get("made"), max_age)
        valid = codec_of(ValidCall)
        calls = [valid.decode(each) if "tool" in each else AnsweredCall.from_json(each) for each in payload["calls"]]
        return cls(calls, payload["id"], payload["made"])

    def _take(self) -> None:
        """Record that they are being resumed.

        Raises:
            ApprovalError: They were resumed before.
        """
        with self._lock:
            if self._taken:
                raise ApprovalError(f"the prepared calls {self._id} were resumed already; prepare the calls again")
            self._taken = True

    def __len__(self) -> int:
        return len(self._calls)

    def __repr__(self) -> str:
        return f"<PreparedCalls {self._id}: {len(self)} calls, {len(self.waiting)} waiting>"


_CLOCKS_DIFFER: Final = 60.0
"""Seconds that the clock of the machine that prepared calls may be ahead."""


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _check_age(made: object, max_age: object) -> None:
    """Check that calls are not too old.

    Raises:
        TypeError: `max_age` is not a number.
        ValueError: `max_age` is negative, or NaN.
        ApprovalError: They are too old, or their age is not known.
    """
    if not _is_number(max_age):
        raise TypeError(f"max_age takes seconds, or None for any age, not {type(max_age).__name__}")
    if not max_age >= 0:  # NaN, too: no age is greater
        raise ValueError(f"max_age takes seconds from 0 on, or None for any age, not {max_age!r}")
    if not _is_number(made):
        raise ApprovalError("these calls do not say when they were prepared; prepare them again")
    age = time.time() - made
    if age > max_age:
        raise ApprovalError(
            f"these calls were prepared {age:.0f} seconds ago, and may be {max_age:g} seconds old; prepare them again"
        )
    if not age >= -_CLOCKS_DIFFER:
        raise ApprovalError(
            f"these calls are dated {-age:.0f} seconds in the future, so their age is not known; "
            "compare the clocks of the machines, and prepare the calls again"
        )


# --- The calls, as they are kept ---


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidCall:
    """A call that may run, at once or once it is approved.

    Attributes:
        key: Names it among the other calls.
        name: The tool's name, as the model called it.
        id: The provider's id.
        arguments: JSON text of the validated arguments: what was approved is what runs.
        tool: The tool's canonical id.
        schema_digest: The digest of its parameters.
        repairs: What was repaired in the model's arguments.
        reason: Why it needs approval; None if it needs none.
        title: The tool's name for people.
        description: What the tool does, in a line.
        hints: What the tool's author declared.
    """

    key: str
    name: str
    id: str | None
    arguments: str
    tool: str
    schema_digest: str
    repairs: tuple[str, ...]
    reason: str | None
    title: str | None
    description: str
    hints: Mapping[str, bool]

    @property
    def call(self) -> ToolCall:
        """The call that is going to be made."""
        return ToolCall(self.name, self.arguments, self.id)

    @property
    def waiting(self) -> WaitingCall | None:
        """What an approver is shown; None if the call does not wait for a decision."""
        if self.reason is None:
            return None
        return WaitingCall(
            id=self.key,
            name=self.name,
            tool=self.tool,
            title=self.title,
            description=self.description,
            arguments=json.loads(self.arguments),
            reason=self.reason,
            hints=dict(self.hints),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredCall:
    """A call that does not run, whatever is decided.

    It failed, or a hook put a result in place of its failure.
    """

    key: str
    result: ToolResult

    def to_json(self) -> dict[str, Any]:
        """This call as a JSON object, without the model's arguments and what was raised.

        A hook may have made the result: then it may have no error, and a text and value of its own. A value without a JSON form is left out.
        """
        call, error = self.result.call, self.result.error
        return {
            "key": self.key,
            "call": None if call is None else [call.name, call.id],
            "error": None if error is None else error.to_json(),
            "content": self.result.content,
            "parts": [part.to_block() for part in self.result.parts],
            "value": _plain(self.result.value),
            "repairs": list(self.result.repairs),
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> AnsweredCall:
        """Return the call of an object of `to_json`."""
        call = None if given["call"] is None else ToolCall(given["call"][0], None, given["call"][1])
        parts = tuple(map(Content.from_block, given["parts"]))
        value, content = given["value"], given["content"]
        output = Output(value, content, parts) if parts else None
        error = None
        if given["error"] is not None:
            problems = tuple(Problem(**each) for each in given["error"].get("problems", ()))
            error = CallError(**{**given["error"], "problems": problems})
        result = ToolResult(call, value, error, content, repairs=tuple(given["repairs"]), output=output)
        return cls(key=given["key"], result=result)


JudgedCall: TypeAlias = "ValidCall | AnsweredCall"


def _plain(value: object) -> Any:
    try:
        return json.loads(to_json_text(value))
    except Exception:  # noqa: BLE001  # foreign code: reading a value may raise anything; the text for the model is there all the same
        return None


# --- Suspending: calls are judged, and what is validated of them is kept ---


def suspend_calls(steps: Iterable[CallStep | ToolResult], rules: ApprovalRules) -> PreparedCalls:
    """Judge calls, and keep them for later.

    Args:
        steps: The prepared calls, or the results of those that are not valid.
        rules: Judges them; no approver is asked.
    """
    given = list(steps)
    keys = distinct_keys([None if step.call is None else step.call.id for step in given])
    return PreparedCalls(_judge(key, step, rules) for key, step in zip(keys, given, strict=True))


def _judge(key: str, step: CallStep | ToolResult, rules: ApprovalRules) -> ValidCall | AnsweredCall:
    if isinstance(step, ToolResult):
        return AnsweredCall(key=key, result=step)
    judgement = rules.check_rules(step)
    tool = step.bound.tool
    try:
        arguments = exact_text(step.arguments)
    except ValueError:
        judgement = CallError("malformed_call", "the arguments contain a number that has too many digits to be written")
    if isinstance(judgement, CallError):
        return AnsweredCall(key=key, result=failed_result(step.call, judgement, tool, step.repairs, step.decoded))
    hints = {hint: value for hint in HINTS if (value := getattr(tool.options, hint)) is not None}
    return ValidCall(
        key=key,
        name=step.call.name,
        id=step.call.id,
        arguments=arguments,
        tool=tool.id,
        schema_digest=tool.schema_digest,
        repairs=step.repairs,
        reason=None if judgement is None else judgement.reason,
        title=tool.title,
        description=tool.summary,
        hints=hints,
    )


def distinct_keys(ids: list[str | None]) -> list[str]:
    """Return a distinct name for each of some calls: its id, unless an earlier call has the same."""
    taken = {each for each in ids if each}
    used: set[str] = set()
    keys: list[str] = []
    for place, given in enumerate(ids, 1):
        free = (name for n in count(place) if (name := f"{given or 'call'}-{n}") not in taken)
        key = given if given and given not in used else next(free)
        used.add(key)
        taken.add(key)
        keys.append(key)
    return keys


# --- Resuming ---

Decision: TypeAlias = "Approve | Deny | bool"


class ResumedCall(NamedTuple):
    """A prepared call that is resumed.

    Attributes:
        step: What is to run, without asking again; or the result, if nothing is to run.
        approval: The decision, if there was one.
        seen: Whether it is a result that the hooks saw when the calls were prepared.
    """

    step: CallStep | ToolResult
    approval: Approval | None = None
    seen: bool = False


def resume_calls(
    prepared: PreparedCalls,
    decisions: Mapping[str, Decision],
    *,
    by: str | None,
    rules: ApprovalRules,
    find: Callable[[str], Tool | None],
    prepare: Callable[[object], CallStep | ToolResult],
) -> list[ResumedCall]:
    """Return what is left to do for prepared calls, in their order.

    Args:
        prepared: The calls.
        decisions: Decisions about the calls that wait, by id.
        by: The name of the approver.
        rules: Decides again about calls that needed no approval when they were prepared.
        find: Returns the tool of a name.
        prepare: Reads, validates and decodes a call.

    Raises:
        ApprovalError: A decision is about a call that does not wait for one, or the calls were resumed before.
        TypeError: A decision is something else.
    """
    _check_decisions(prepared, decisions)
    prepared._take()

    def refused(call: ValidCall, error: CallError) -> ToolResult:
        return failed_result(call.call, error, find(call.name), call.repairs)

    def step_of(call: ValidCall) -> CallStep | ToolResult:
        tool = find(call.name)
        if tool is None:
            return refused(call, tool_removed(call.name))
        if (tool.id, tool.schema_digest) != (call.tool, call.schema_digest):
            return refused(call, schema_changed(call.name))
        if error := rules.forbids(tool):
            return refused(call, error)
        step = prepare(call.call)
        return step if isinstance(step, ToolResult) else step._replace(repairs=call.repairs)

    def resume(call: JudgedCall) -> ResumedCall:
        if isinstance(call, AnsweredCall):
            return ResumedCall(call.result, seen=True)
        if call.reason is None:
            step = step_of(call)
            verdict = None if isinstance(step, ToolResult) else rules.check_rules(step)  # which may have changed
            error = undecided(call.name) if isinstance(verdict, ApprovalQuestion) else verdict
            return ResumedCall(step if error is None else refused(call, error))
        if (decision := decisions.get(call.key)) is None:
            return ResumedCall(refused(call, undecided(call.name)))
        approval = approval_of(answer := decision_of(call.name, decision), call.reason, by)
        _log(call, approval, decision)
        if isinstance(answer, CallError):
            return ResumedCall(refused(call, answer), approval)
        step = step_of(call)
        if answer is not None and not isinstance(step, ToolResult):
            step = apply_edit(step, answer, prepare)
        return ResumedCall(step, approval)

    return [resume(each) for each in prepared._calls]


def _check_decisions(prepared: object, decisions: object) -> None:
    """Check that decisions are about calls that wait for them.

    Raises:
        ApprovalError: One is about another call.
        TypeError: One is not a decision, or `prepared` or `decisions` is something else.
    """
    if not isinstance(prepared, PreparedCalls):
        raise TypeError(f"resume takes PreparedCalls, as from_json returns them, not {type(prepared).__name__}")
    if not isinstance(decisions, Mapping):
        raise TypeError(f"decisions are a dict from the ids of waiting calls, not {type(decisions).__name__}")
    waiting = dict.fromkeys(each.id for each in prepared.waiting)
    for key, decision in decisions.items():
        if key not in waiting:
            known = f"those that wait for one are {', '.join(map(repr, waiting))}" if waiting else "none waits for one"
            raise ApprovalError(f"no call {key!r} waits for a decision; {known}")
        if not isinstance(decision, (Approve, Deny, bool)):
            raise TypeError(f"the decision about {key!r} is Approve(…) or Deny(…), not {decision!r}")


def _log(call: ValidCall, approval: Approval, decision: Decision) -> None:
    logging = sys.modules.get("logging")  # where it is not imported, nothing reads its records
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


# --- Signing ---

PREPARED_CALLS: Final = "fcregistry prepared calls, 1"

RUN_STATE: Final = "fcregistry run state, 1"
"""What may be signed. The format is part of what is signed, so that one cannot be passed off as the other."""

_SHORTEST: Final = 16


def sign_state(payload: dict[str, Any], key: bytes, format: str = PREPARED_CALLS) -> str:
    """Return JSON text with a JSON object and its signature; the same object and key give the same text.

    Args:
        payload: The object.
        key: At least 16 secret bytes.
        format: What the object is.

    Raises:
        TypeError: The key is not bytes.
        ApprovalError: It is too short.
    """
    _check_key(key)
    text = json.dumps(payload, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return json.dumps({"format": format, "payload": text, "signature": _signature(text, key, format)})


def verify_state(text: str, key: bytes, format: str = PREPARED_CALLS) -> dict[str, Any]:
    """Return the object of a text of `sign_state`.

    Raises:
        TypeError: The text is not a str, or the key not bytes.
        ApprovalError: It is not such a text, was signed with another key, or changed since; or the key is too short.
    """
    _check_key(key)
    if not isinstance(text, str):
        raise TypeError(f"{_what(format)} are the text that to_json gave, not {type(text).__name__}")
    payload_text, signature = _parts(text, format)
    import hmac  # OpenSSL, which most processes need not load

    if not hmac.compare_digest(_bytes(signature), _bytes(_signature(payload_text, key, format))):
        raise ApprovalError(f"these {_what(format)} were signed with another key, or changed since; nothing was run")
    payload: dict[str, Any] = json.loads(payload_text)
    return payload


def _what(format: str) -> str:
    return "prepared calls" if format == PREPARED_CALLS else "states of runs"


def _parts(text: str, format: str) -> tuple[str, str]:
    """Return the payload and the signature in a text.

    Raises:
        ApprovalError: It has none, or is written for another version.
    """
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        given = None
    match given:
        case {"format": written} if written != format:
            raise ApprovalError(
                f"these {_what(format)} are written as {str(written)[:60]!r}, and this version of fcregistry reads {format!r}; "
                "prepare the calls again"
            )
        case {"format": _, "payload": str(payload), "signature": str(signature)}:
            return payload, signature
    raise ApprovalError(f"this is not a text of {_what(format)}: give what to_json returned, whole and unchanged")


def _signature(text: str, key: bytes, format: str) -> str:
    import hmac  # OpenSSL, which most processes need not load

    return hmac.digest(key, _bytes(f"{format}\n{text}"), "sha256").hex()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # a text that was changed may have half a surrogate pair


def _check_key(key: bytes) -> None:
    if not isinstance(key, bytes):
        raise TypeError(f"the key is bytes, such as secrets.token_bytes(32), not {type(key).__name__}")
    if len(key) < _SHORTEST:
        raise ApprovalError(
            f"the key has {len(key)} bytes, which can be guessed: at least {_SHORTEST}, such as secrets.token_bytes(32)"
        )
