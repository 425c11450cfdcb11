"""Prepared calls: validated calls that have not run yet.

An executor resumes them, in this process or in another one.

As JSON text, prepared calls are signed with a message authentication code (RFC 2104, HMAC with SHA-256) of the payload. The payload is not parsed
before the signature is verified. For a call that has failed already, the text contains the result for the model, but neither the arguments that
the model wrote nor the exception.
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
from fcregistry._base.invisible import escape
from fcregistry._base.wording import seconds_text
from fcregistry._results.content import Content, Output
from fcregistry._results.result import Approval, ToolResult, returned_content
from fcregistry._tools.selectors import HINTS
from fcregistry.errors import ApprovalError
from fcregistry.execution._approval import ApprovalQuestion, Approve, Deny, apply_edit, approval_of, decision_of
from fcregistry.execution._arguments import exact_text
from fcregistry.execution._call_errors import schema_changed, tool_removed, undecided
from fcregistry.execution._result import failed_result
from fcregistry.types import codec_of, to_json_text

if TYPE_CHECKING:
    from typing import Self

    from fcregistry._tools.tool import Tool
    from fcregistry.execution._approval import ApprovalRules
    from fcregistry.execution._step import CallStep


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingCall:
    """A call that waits for approval, with everything that an approver needs to see.

    Attributes:
        id: The key of the call in `decisions`: the provider's id, or another name if the call has no id or an earlier call has the same.
        name: The tool's name, as the model wrote it.
        tool: The tool's canonical id.
        title: The tool's name for people, if it has one.
        description: What the tool does, in one line.
        arguments: A copy of the validated arguments, a JSON object.
        reason: The reason the call needs approval.
        hints: The hints that the tool's author set, among `read_only`, `destructive`, `idempotent` and `open_world`.
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
        """Return this call as a JSON object, for a user interface.

        Its texts are exact: a user interface has to show characters that nobody sees, as `str` of this call does.
        """
        return asdict(self)

    def __hash__(self) -> int:
        # Without it, a dict with a waiting call as a key, and not its id, could not be made, and `resume` could not say what is wrong.
        return hash(self.id)

    def __str__(self) -> str:
        r"""The tool, all of the arguments as JSON, and the reason; invisible characters are written out."""
        return escape(f"{self.tool} {json.dumps(self.arguments, ensure_ascii=False, default=str)}\n  {self.reason}")


class PreparedCalls:
    """A model's calls that an executor has read and validated, but not run.

    `Executor.prepare` makes them, and `Executor.resume` runs them.

    Args:
        calls: The calls, in the order of the model's message.
        id: The id of these calls; by default, a new one.
        made: When they were prepared, in seconds since 1970 (UTC); by default, now.
    """

    __slots__ = ("_calls", "_id", "_is_resumed", "_lock", "_made")

    def __init__(self, calls: Iterable[CheckedCall], id: str | None = None, made: float | None = None) -> None:
        self._calls = tuple(calls)
        self._id = os.urandom(16).hex() if id is None else id
        self._made = time.time() if made is None else made
        self._lock = allocate_lock()
        self._is_resumed = False

    @property
    def id(self) -> str:
        """The id of these calls. It stays the same after `to_json` and `from_json`.

        An application that records the ids of the calls that it has resumed can refuse to run them twice.
        """
        return self._id

    @property
    def made(self) -> float:
        """When the calls were prepared, in seconds since 1970 (UTC)."""
        return self._made

    @property
    def waiting(self) -> tuple[WaitingCall, ...]:
        """The calls that wait for an approver's decision, in the order of the model's message."""
        found = (each.waiting for each in self._calls if isinstance(each, ValidCall))
        return tuple(each for each in found if each is not None)

    def to_json(self, *, key: bytes) -> str:
        """Return these calls as signed JSON text, for a process that resumes them later.

        For a call that has failed already, the text contains the error for the model. If a hook replaced that error with a result, the text
        contains the value of the result as JSON, or null if the value has no JSON form.

        Args:
            key: At least 16 secret bytes, known only to the processes that prepare and resume the calls. The text is signed, not encrypted:
                anyone who has the text can read it.

        Raises:
            TypeError: The key is not bytes.
            ApprovalError: The key is too short.
        """
        valid = codec_of(ValidCall)
        calls = [valid.encode(each) if isinstance(each, ValidCall) else _result_json(each) for each in self._calls]
        return sign_state({"id": self._id, "made": self._made, "calls": calls}, key)

    @classmethod
    def from_json(cls, text: str, *, key: bytes, max_age: float | None = None) -> Self:
        """Return the calls that `to_json` wrote.

        Args:
            text: The text that `to_json` returned.
            key: The key with which `to_json` signed the text.
            max_age: How many seconds ago the calls may have been prepared at most; None for any age. If it is given, calls with a date more
                than a minute in the future are refused too, because their age is not known.

        Raises:
            TypeError: The text is not a str, the key is not bytes, or `max_age` is not a number.
            ValueError: `max_age` is negative, or NaN.
            ApprovalError: `to_json` did not write the text, it was signed with another key, it has changed since, or it is too old.
        """
        return cls._read(text, key, max_age, "prepare them again")

    @classmethod
    def _read(cls, text: str, key: bytes, max_age: float | None, advice: str) -> Self:
        """Return the calls that `to_json` wrote, like `from_json`; `advice` says what to do if they are too old."""
        payload = verify_state(text, key)
        if max_age is not None:
            _check_age(payload.get("made"), max_age, advice)
        valid = codec_of(ValidCall)
        calls = [valid.decode(each) if "tool" in each else _result_of(each) for each in payload["calls"]]
        return cls(calls, payload["id"], payload["made"])

    def _mark_resumed(self) -> None:
        """Record that the calls are being resumed, which is possible once.

        Raises:
            ApprovalError: The calls were resumed before.
        """
        with self._lock:
            if self._is_resumed:
                raise ApprovalError(f"the prepared calls {self._id} were resumed already; prepare the calls again")
            self._is_resumed = True

    def __len__(self) -> int:
        return len(self._calls)

    def __repr__(self) -> str:
        return f"<PreparedCalls {self._id}: {len(self)} calls, {len(self.waiting)} waiting>"


_CLOCKS_DIFFER: Final = 60.0
"""Seconds that the clock of the machine that prepared the calls may be ahead of this machine's clock."""


def read_waiting_calls(text: str, key: bytes, max_age: float | None) -> PreparedCalls:
    """Return the calls of a run that waits, like `PreparedCalls.from_json`; errors say what to do about a run.

    Args:
        text: The text that `to_json` returned.
        key: The key with which `to_json` signed the text.
        max_age: How many seconds ago the calls may have been prepared at most; None for any age.

    Raises:
        TypeError, ValueError, ApprovalError: As `PreparedCalls.from_json` raises them.
    """
    advice = "to continue without them, leave out max_age and call resume with Deny(…) for each of the waiting calls"
    return PreparedCalls._read(text, key, max_age, advice)


def is_resumed(prepared: PreparedCalls) -> bool:
    """Return whether prepared calls were resumed, or are being resumed."""
    return prepared._is_resumed


def _check_age(made: object, max_age: object, advice: str) -> None:
    """Check that calls are at most `max_age` seconds old; the caller leaves this out if `max_age` is None.

    Args:
        made: When they were prepared, in seconds since 1970 (UTC); any JSON value.
        max_age: The limit, in seconds.
        advice: What to do if they are older.

    Raises:
        TypeError: `max_age` is not a number; None is not one, either.
        ValueError: `max_age` is negative, or NaN.
        ApprovalError: The calls are older, `made` is not a number, or it is over 60 seconds in the future.
    """
    if isinstance(max_age, bool) or not isinstance(max_age, (int, float)):
        raise TypeError(f"max_age must be a number of seconds, or None for any age, not {type(max_age).__name__}")
    if not max_age >= 0:  # NaN, too: no age is greater
        raise ValueError(f"max_age must be at least 0 seconds, or None for any age, not {max_age!r}")
    if isinstance(made, bool) or not isinstance(made, (int, float)):
        raise ApprovalError(f"these calls do not say when they were prepared; {advice}")
    age = time.time() - made
    if age > max_age:
        raise ApprovalError(
            f"these calls were prepared {seconds_text(age, '.0f')} ago, but max_age is {seconds_text(max_age)}; {advice}"
        )
    if not age >= -_CLOCKS_DIFFER:
        raise ApprovalError(
            f"these calls are dated {seconds_text(-age, '.0f')} in the future, so their age is not known; "
            f"compare the clocks of the machines; {advice}"
        )


# --- The calls in a PreparedCalls object ---


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidCall:
    """A valid call, which runs when the calls are resumed, unless an approver denies it.

    Attributes:
        key: The key of the call in `decisions`, unique among these calls.
        name: The tool's name, as the model wrote it.
        id: The provider's id.
        arguments: The validated arguments as JSON text. The tool runs with exactly the arguments that the approver saw.
        tool: The tool's canonical id.
        schema_digest: The digest of the schema of the tool's parameters.
        repairs: The repairs that the executor made in the model's arguments.
        reason: The reason the call needs approval; None if it needs none.
        title: The tool's name for people.
        description: What the tool does, in one line.
        hints: The hints that the tool's author set.
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
        """The call with the validated arguments."""
        return ToolCall(self.name, self.arguments, self.id)

    @property
    def waiting(self) -> WaitingCall | None:
        """The call as an approver sees it; None if the call does not wait for a decision."""
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


CheckedCall: TypeAlias = "ValidCall | ToolResult"
"""A valid call, or the result of a call that is not going to run. A hook may have replaced its error with a result of its own."""


def _result_json(result: ToolResult) -> dict[str, Any]:
    """Return a result as a JSON object: its call's name and id, error, content, parts, value and repairs.

    A value without a JSON form is null.
    """
    call, error = result.call, result.error
    return {
        "call": None if call is None else [call.name, call.id],
        "error": None if error is None else error.to_json(),
        "content": result.content,
        "parts": [part.to_block() for part in returned_content(result)],
        "value": _json_or_none(result.value),
        "repairs": list(result.repairs),
    }


def _result_of(given: Mapping[str, Any]) -> ToolResult:
    """Return the result that `_result_json` wrote; its call, if any, has no arguments."""
    call = None if given["call"] is None else ToolCall(given["call"][0], None, given["call"][1])
    parts = tuple(map(Content.from_block, given["parts"]))
    value, content = given["value"], given["content"]
    output = Output(value, content, parts) if parts else None
    error = None
    if given["error"] is not None:
        problems = tuple(Problem(**each) for each in given["error"].get("problems", ()))
        error = CallError(**{**given["error"], "problems": problems})
    return ToolResult(call, value, error, content, repairs=tuple(given["repairs"]), output=output)


def _json_or_none(value: object) -> Any:
    """Return a value as JSON data (dicts, lists, …), or None if it has no JSON form or reading it fails."""
    try:
        return json.loads(to_json_text(value))
    except Exception:  # noqa: BLE001  # foreign code: reading a value may raise anything; the text for the model is written anyway
        return None


# --- Suspending: calls are validated, and the rules decide which need approval ---


def suspend_calls(steps: Iterable[CallStep | ToolResult], rules: ApprovalRules) -> PreparedCalls:
    """Decide which calls need approval, and return them all as prepared calls. Nothing runs.

    Args:
        steps: The validated calls, and the results of the calls that are not valid.
        rules: The rules that decide. They do not ask an approver.
    """
    given = list(steps)
    keys = distinct_keys([None if step.call is None else step.call.id for step in given])
    return PreparedCalls(_checked_call(key, step, rules) for key, step in zip(keys, given, strict=True))


def _checked_call(key: str, step: CallStep | ToolResult, rules: ApprovalRules) -> CheckedCall:
    """Return a valid call as a `ValidCall`, or its failed result.

    Its `reason` says why it needs approval; None if it does not. The call fails if it was not valid, the rules deny
    it, or a number has too many digits.

    Args:
        key: The id under which the call waits.
        step: The prepared call, or its failed result.
        rules: The executor's rules.
    """
    if isinstance(step, ToolResult):
        return step
    verdict = rules.check_rules(step)
    tool = step.bound.tool
    try:
        arguments = exact_text(step.arguments)
    except ValueError:
        verdict = CallError("malformed_call", "the arguments contain a number that has too many digits to be written")
    if isinstance(verdict, CallError):
        return failed_result(step.call, verdict, tool, step.repairs, step.decoded)
    hints = {hint: value for hint in HINTS if (value := getattr(tool.options, hint)) is not None}
    return ValidCall(
        key=key,
        name=step.call.name,
        id=step.call.id,
        arguments=arguments,
        tool=tool.id,
        schema_digest=tool.schema_digest,
        repairs=step.repairs,
        reason=None if verdict is None else verdict.reason,
        title=tool.title,
        description=tool.summary,
        hints=hints,
    )


def distinct_keys(ids: list[str | None]) -> list[str]:
    """Return a unique key for each of `ids`: the id, or another name if it is missing or repeated."""
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
    """A prepared call after the decision about it.

    Attributes:
        step: The call to run, without asking an approver again; or the result, if the call is not to run.
        approval: The approver's decision, if there was one.
        seen: Whether `step` is a result that the hooks have checked when the calls were prepared.
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
    """Apply decisions to prepared calls; return the calls that may run, and the results of the others.

    Args:
        prepared: The calls.
        decisions: The decisions about the waiting calls, by id.
        by: The name of the approver.
        rules: The rules. They decide again about the calls that needed no approval when they were prepared.
        find: Returns the tool with a name, or None.
        prepare: Reads, validates and decodes a call.

    Raises:
        ApprovalError: A decision is about a call that does not wait for one, or the calls were resumed before.
        TypeError: A decision is not `Approve(…)`, `Deny(…)` or a bool.
    """
    _check_decisions(prepared, decisions)
    prepared._mark_resumed()

    def refused(call: ValidCall, error: CallError) -> ToolResult:
        return failed_result(call.call, error, find(call.name), call.repairs)

    def step_of(call: ValidCall) -> CallStep | ToolResult:
        """Return a call, prepared again; a failed result if that fails, or its tool is gone or changed."""
        tool = find(call.name)
        if tool is None:
            return refused(call, tool_removed(call.name))
        if (tool.id, tool.schema_digest) != (call.tool, call.schema_digest):
            return refused(call, schema_changed(call.name))
        if error := rules.forbids(tool):
            return refused(call, error)
        step = prepare(call.call)
        return step if isinstance(step, ToolResult) else step._replace(repairs=call.repairs)

    def resume(call: CheckedCall) -> ResumedCall:
        """Return a call that may run, or its failed result, `seen` if it failed before; log a decision."""
        if isinstance(call, ToolResult):
            return ResumedCall(call, seen=True)
        if call.reason is None:
            step = step_of(call)
            verdict = None if isinstance(step, ToolResult) else rules.check_rules(step)  # which may have changed
            error = undecided(call.name) if isinstance(verdict, ApprovalQuestion) else verdict
            return ResumedCall(step if error is None else refused(call, error))
        if (decision := decisions.get(call.key)) is None:
            return ResumedCall(refused(call, undecided(call.name)))
        approval = approval_of(answer := decision_of(call.name, decision), call.reason, by)
        _log(call, approval, decision)
        step = refused(call, answer) if isinstance(answer, CallError) else step_of(call)
        if isinstance(answer, Approve) and not isinstance(step, ToolResult):
            step = apply_edit(step, answer, prepare)
        return ResumedCall(step, approval)

    return [resume(each) for each in prepared._calls]


def _check_decisions(prepared: object, decisions: object) -> None:
    """Check that each of `decisions` is about a waiting call of `prepared`, by its id, and a decision.

    Raises:
        ApprovalError: A decision is about another call.
        TypeError: A decision is not `Approve(…)`, `Deny(…)` or a bool, `prepared` is not `PreparedCalls`, or `decisions` is not a mapping.
    """
    if not isinstance(prepared, PreparedCalls):
        raise TypeError(
            f"resume takes the PreparedCalls that prepare or from_json returned, not {type(prepared).__name__}"
        )
    if not isinstance(decisions, Mapping):
        raise TypeError(
            f"decisions must be a dict such as {{'call_1': Approve()}}, by the ids of waiting calls, not {type(decisions).__name__}"
        )
    waiting = dict.fromkeys(each.id for each in prepared.waiting)
    for key, decision in decisions.items():
        if isinstance(key, WaitingCall):
            raise TypeError(
                f"decisions are by the ids of waiting calls: {{{key.id!r}: {decision!r}}}, not by the calls"
            )
        if key not in waiting:
            known = f"the waiting calls are {', '.join(map(repr, waiting))}" if waiting else "no call waits for one"
            raise ApprovalError(f"no call {key!r} waits for a decision; {known}")
        if not isinstance(decision, (Approve, Deny, bool)):
            raise TypeError(f"the decision about {key!r} must be Approve(…), Deny(…), True or False, not {decision!r}")


def _log(call: ValidCall, approval: Approval, decision: Decision) -> None:
    """Log the decision about a call at level INFO on `fcregistry.approvals`, if `logging` is imported."""
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
                **asdict(approval),
                "reason": decision.reason if isinstance(decision, Deny) else None,
            }
        },
    )


# --- Signing ---

PREPARED_CALLS: Final = "fcregistry prepared calls, 1"

RUN_STATE: Final = "fcregistry run state, 1"
"""The formats of signed text. The signature covers the format, so a signed run state is not accepted as prepared calls, or the reverse."""

_SHORTEST: Final = 16
"""The least bytes of a key."""


def sign_state(payload: dict[str, Any], key: bytes, format: str = PREPARED_CALLS) -> str:
    """Return JSON text with a JSON object and its signature.

    The same object and key always give the same text.

    Args:
        payload: The object.
        key: At least 16 secret bytes.
        format: The format of the object: `PREPARED_CALLS` or `RUN_STATE`.

    Raises:
        TypeError: The key is not bytes.
        ApprovalError: The key is too short.
    """
    _check_key(key)
    text = json.dumps(payload, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return json.dumps({"format": format, "payload": text, "signature": _signature(text, key, format)})


def verify_state(text: str, key: bytes, format: str = PREPARED_CALLS) -> dict[str, Any]:
    """Verify the signature of a text that `sign_state` wrote, and return the object.

    Args:
        text: The text.
        key: The key with which it was signed.
        format: The format of the object.

    Raises:
        TypeError: The text is not a str, or the key is not bytes.
        ApprovalError: `sign_state` did not write the text in this format, it was signed with another key, it has changed since, or the key
            is too short.
    """
    _check_key(key)
    if not isinstance(text, str):
        raise TypeError(f"from_json takes the text that to_json returned, not {type(text).__name__}")
    what = "prepared calls" if format == PREPARED_CALLS else "states of runs"
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        given = None
    match given:
        case {"format": written} if written != format:
            raise ApprovalError(
                f"these {what} have the format {str(written)[:60]!r}, but this version of fcregistry reads {format!r}; "
                "prepare the calls again"
            )
        case {"format": _, "payload": str(signed), "signature": str(signature)}:
            pass
        case _:
            raise ApprovalError(
                f"this is not the text of {what}: pass the text that to_json returned, whole and unchanged"
            )
    import hmac  # OpenSSL, which most processes need not load

    if not hmac.compare_digest(_bytes(signature), _bytes(_signature(signed, key, format))):
        raise ApprovalError(f"these {what} were signed with another key, or changed since; nothing was run")
    payload: dict[str, Any] = json.loads(signed)
    return payload


def _signature(text: str, key: bytes, format: str) -> str:
    """Return the HMAC-SHA-256, with `key`, of the name `format`, a line feed and `text`, in hexadecimal."""
    import hmac  # OpenSSL, which most processes need not load

    return hmac.digest(key, _bytes(f"{format}\n{text}"), "sha256").hex()


def _bytes(text: str) -> bytes:
    """Return `text` in UTF-8; half a surrogate pair is encoded, too, and raises no error."""
    return text.encode("utf-8", "surrogatepass")  # a text that was changed may have half a surrogate pair


def _check_key(key: bytes) -> None:
    """Check that a key is bytes, at least 16 of them.

    Raises:
        TypeError: It is not bytes.
        ApprovalError: It is too short.
    """
    if not isinstance(key, bytes):
        raise TypeError(f"the key must be bytes, such as secrets.token_bytes(32), not {type(key).__name__}")
    if len(key) < _SHORTEST:
        raise ApprovalError(
            f"the key has {len(key)} bytes and could be guessed: use at least {_SHORTEST}, such as secrets.token_bytes(32)"
        )
