"""A run of an agent: its options, its conversation, its state while it waits, and its result."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from threading import TIMEOUT_MAX, Event, Timer, get_ident
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeAlias, TypedDict, cast

from typing_extensions import TypeVar

from fcregistry._base.call import CancellationToken, ToolCall, linked_token
from fcregistry.agents._history import ids_in
from fcregistry.agents._pairing import PairedHistory, pair_results
from fcregistry.errors import ApprovalError, FcregistryError, UnfinishedRunError, exception_message
from fcregistry.execution import RUN_STATE, KeptResults, calls_context, read_waiting_calls, sign_state, verify_state
from fcregistry.models import CallIds, Message, Usage
from fcregistry.types import to_json

if TYPE_CHECKING:
    from typing import Self

    from fcregistry._results.result import ToolResult
    from fcregistry.agents._visible_tools import VisibleTools
    from fcregistry.execution import CallsContext, PreparedCalls, WaitingCall

AnswerT_co = TypeVar("AnswerT_co", covariant=True, default=Any)
"""The type of an agent's answers."""

# --- Why a run ends ---

StopReason: TypeAlias = Literal[
    "answered",
    "stop_tool",
    "length",
    "content_filter",
    "empty",
    "max_rounds",
    "max_tool_calls",
    "repeated",
    "time_budget",
    "cancelled",
    "approval",
    "invalid_answer",
    "invalid_plan",
    "step_failed",
    "model_error",
]
"""Why a run ended."""

STOP_REASON_TEXTS: Final[dict[StopReason, str]] = {
    "answered": "the model has answered",
    "stop_tool": "a tool was called whose result is the answer",
    "length": "the model's answer is cut off: it has reached its limit of tokens",
    "content_filter": "the provider's filter has stopped the model",
    "empty": "the model's message had neither text nor calls",
    "max_rounds": "the model was still calling tools in the last round that it was given",
    "max_tool_calls": "the model made more calls than it may",
    "repeated": "the model made the same calls with the same results more often in a row than it may",
    "time_budget": "the time budget was used up",
    "cancelled": "the run was cancelled",
    "approval": "calls wait for a decision",
    "invalid_answer": "the model's answer was not of the type that was asked for",
    "invalid_plan": "the planner gave no plan that can be carried out",
    "step_failed": "a step of the plan could not be done",
    "model_error": "the model gave no answer",
}
"""Each reason in words."""

_WITH_ANSWER: Final = frozenset({"answered", "stop_tool"})


def end_text(reason: StopReason, error: BaseException | None) -> str:
    """Return the reason why a run or a step ended, in words, with the text of `error`, if any."""
    if error is None:
        return STOP_REASON_TEXTS[reason]
    message = exception_message(error)
    if reason in ("invalid_answer", "length"):  # the text is worded for the model
        from fcregistry.prompts import problems_in  # heavy, and loaded by what read the answer

        message = problems_in(message)
        return f"{STOP_REASON_TEXTS[reason]}:{chr(10) if message.startswith('- ') else ' '}{message}"
    if reason == "model_error" and not isinstance(error, FcregistryError):  # of a function, such as a `KeyError`: 'x'
        message = f"{type(error).__name__}: {message}".removesuffix(": ")
    return f"{STOP_REASON_TEXTS[reason]}: {message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a loop ended.

    Attributes:
        reason: Why.
        answer: The answer, if there is one.
        error: The exception, if the model gave no answer, or what is wrong with its answer.
    """

    reason: StopReason
    answer: Any = None
    error: BaseException | None = None


# --- What ends a run early, and the options of its calls ---


class RunOptions(TypedDict, total=False):
    """The options of one run.

    Attributes:
        cancellation: Ends the run when it is cancelled.
        time_budget: The seconds that the run may take; None for no limit.
        deps: Objects that tools can receive as `context.deps` in this run.
    """

    cancellation: CancellationToken | None
    time_budget: float | None
    deps: Sequence[Any]


class ResumeOptions(RunOptions, total=False):
    """The options for the rest of a run that waited for decisions.

    Attributes:
        by: The name of the approver who decided about the waiting calls, which logs and `ToolResult.approval` show and the model never reads.
    """

    by: str | None


_LONGEST_END: Final = 10.0
"""Seconds that the caller of a streamed run waits for its end after its cancellation."""

_TIME_BUDGET_USED: Final = "the time budget of the run is used up"


class Control:
    """Ends a run when its caller cancels it, or when its time is over.

    Enter it for as long as the run lasts.

    Args:
        cancellation: The caller's token, if any.
        time_budget: The seconds that the run may take; None for no limit.
        deps: Objects that tools can receive as `context.deps`.

    Attributes:
        events: The queue of a streamed run; None if the run is not streamed.
        by: The name of the approver who decided about calls that waited; None if it is not known.
        kept: The results of the run of which the model saw only a part.
        is_bounded: Whether the caller or the time may end the run.
        token: Cancelled when the run has to end.
        interrupt: The exception that interrupts the run, such as a KeyboardInterrupt; None if there is none.
        result: The result of the run, once it has ended, also if it was interrupted.

    Raises:
        TypeError: A value is of another type, or there is another option.
        ValueError: The time is not a number above 0.
    """

    def __init__(
        self,
        cancellation: CancellationToken | None = None,
        time_budget: float | None = None,
        deps: Sequence[Any] = (),
        **others: object,
    ) -> None:
        if others:
            raise TypeError(f"a run takes cancellation, time_budget and deps, not {' or '.join(sorted(others))}")
        if time_budget is not None and not (type(time_budget) in (int, float) and time_budget > 0):
            raise ValueError(f"time_budget takes seconds: a number above 0, not {time_budget!r}")
        calls_context(cancellation, deps)  # raises for wrong values before the model is asked
        self.deps: Sequence[Any] = deps
        self.kept: KeptResults = KeptResults()
        self.by: str | None = None
        self.events: asyncio.Queue[Any] | None = None
        self.is_bounded: bool = cancellation is not None or time_budget is not None
        self.token: CancellationToken = CancellationToken()
        self.interrupt: BaseException | None = None
        self.result: RunResult[Any] | None = None
        self._thread: int | None = None
        self._ended = Event()
        self._cancellation = cancellation
        self._time_budget = time_budget
        self._release: Callable[[], None] | None = None
        self._timer: Timer | None = None

    @classmethod
    def of_resumed(cls, by: str | None = None, **options: Any) -> Self:
        """Return the control of the rest of a run that waited for decisions.

        Args:
            by: The name of the approver; None if it is not known.
            **options: The options of the run.

        Raises:
            TypeError: `by` is not text, or an option is of another type.
            ValueError: The time is not a number above 0.
        """
        if not (by is None or isinstance(by, str)):
            raise TypeError(f"by takes who decided, as text, not {by!r:.80}")
        control = cls(**options)
        control.by = by
        return control

    def __enter__(self) -> Self:
        self._thread = get_ident()
        self.token, self._release = linked_token(self._cancellation)
        if self._time_budget is not None:
            self._timer = Timer(min(self._time_budget, TIMEOUT_MAX), self.token.cancel, (_TIME_BUDGET_USED,))
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._release is not None:
            self._release()
        if self._timer is not None:
            self._timer.cancel()
        self._ended.set()

    def wait_for_end(self) -> None:
        """Wait until a run that was cancelled has ended; not for ever, since a model or a tool may block its event loop."""
        if self._thread not in (None, get_ident()):  # it began, on another thread
            self._ended.wait(_LONGEST_END)

    @property
    def stopped(self) -> End | None:
        """The end of the run if it has to end now, or None while it may continue."""
        if not self.token.cancelled:
            return None
        return End(reason="time_budget" if self.token.reason == _TIME_BUDGET_USED else "cancelled")

    @property
    def calls_context(self) -> CallsContext:
        """The token and the dependencies, as an executor's pipeline expects them."""
        return calls_context(self.token if self.is_bounded else None, self.kept.with_deps(self.deps))

    def executor_options(self) -> dict[str, Any]:
        """Return the token and the dependencies as keyword arguments for the methods of an executor."""
        deps = self.kept.with_deps(self.deps)
        options: dict[str, Any] = {"deps": deps} if deps else {}
        return {**options, "cancellation": self.token} if self.is_bounded else options


def checked_limit(name: str, value: object, least: int = 1) -> int:
    """Return `value`, the value of the option `name`, which is a limit.

    Raises:
        ValueError: It is not a whole number of at least `least`.
    """
    if type(value) is not int or value < least:
        raise ValueError(f"{name} takes a whole number {'above 0' if least else 'of 0 or more'}, not {value!r}")
    return value


# --- The state of a run ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that was done in a run.

    Attributes:
        kind: `model` for a request to a model, `tools` for calls, `plan` for a new plan, `step` for a step of a plan.
        seconds: How long it took.
        message: The model's message, after a request.
        results: The results of the calls, if there were any.
        texts: The steps of a new plan; for a step of a plan, the step and its result.
        model: The name of the model that answered.
        usage: The tokens of the request.
    """

    kind: Literal["model", "tools", "plan", "step"]
    seconds: float = 0.0
    message: Message | None = None
    results: tuple[ToolResult, ...] = ()
    texts: tuple[str, ...] = ()
    model: str = ""
    usage: Usage = field(default_factory=Usage)

    def to_json(self) -> dict[str, Any]:
        """This step as a JSON object, without empty fields."""
        written: dict[str, Any] = {"kind": self.kind, "seconds": round(self.seconds, 6)}
        if self.message is not None:
            written |= {"model": self.model, "message": self.message.to_dict(), "usage": asdict(self.usage)}
        if self.results:
            written["results"] = [{**each.to_json(), "seconds": round(each.duration, 6)} for each in self.results]
        if self.texts:
            written["texts"] = list(self.texts)
        return written


@dataclass(slots=True, kw_only=True)
class Chat:
    """The conversation of a loop with its model, and what the run has used. It changes.

    Attributes:
        messages: The conversation.
        control: Ends the run, and has the options of its calls.
        visible: The tools that the model sees, if some are behind gateways; None if it sees all tools of the loop.
        rounds: How often the model was asked.
        extra: Rounds that were added to `max_rounds`.
        retries: How often an answer was of the wrong type.
        empty: How many messages in a row, up to the last one, had neither text nor calls.
        cut_off: How many messages in a row, up to the last one, the limit of tokens cut off.
        calls: How many calls have a result.
        repeats: How many rounds in a row, up to the last one with calls, have the calls and results of the round before.
        results_round: In which round, from 1, the calls of `results` were made.
        results: The results of the last calls. Those in `steps` may be without their values; see `KeptResults.retain`.
        usage: The tokens of all models together.
        prepared: The calls that wait for approval.
        steps: What was done since the run began or was resumed.
        history: All messages of a run that has several conversations, before this conversation. Its calls get other ids than theirs.
        paired: What is sent in place of the messages that there were at the first request; None before it.
        ids: The ids of the calls of `history` and of the first messages; None before they were asked for.
        ids_read: How many messages these are.
        last_digest: The digest of the last results before another process resumed the run; see `digest_of_round`.
    """

    messages: list[Message]
    control: Control = field(default_factory=Control)
    visible: VisibleTools | None = None
    rounds: int = 0
    extra: int = 0
    retries: int = 0
    empty: int = 0
    cut_off: int = 0
    calls: int = 0
    repeats: int = 0
    results_round: int = 0
    results: tuple[ToolResult, ...] = ()
    usage: Usage = field(default_factory=Usage)
    prepared: PreparedCalls | None = None
    steps: list[Step] = field(default_factory=list)
    history: list[Message] = field(default_factory=list)
    paired: PairedHistory | None = None
    ids: CallIds | None = None
    ids_read: int = 0
    last_digest: str = ""

    def as_sent(self) -> list[Message]:
        """Return the conversation as it is sent: each call has one result, right after its message.

        The messages that there are at the first request are checked once; what the loop appends is paired.

        Raises:
            ApprovalError: A call without a result is one of a suspended run.
        """
        if self.paired is None:
            self.paired = pair_results(self.messages)
        return [*self.paired.messages, *self.messages[self.paired.replaced :]]

    def suspend(self, prepared: PreparedCalls) -> None:
        """Record that the calls of the last message wait for decisions.

        Args:
            prepared: The calls.
        """
        self.prepared = prepared
        self.messages[-1] = self.messages[-1].replaced(suspended=True)

    def end_suspension(self) -> None:
        """Record that the calls of the last message have run, or were refused: they no longer wait for decisions."""
        self.prepared = None
        self.messages[-1] = self.messages[-1].replaced(suspended=False)

    def call_ids(self) -> CallIds:
        """Return the ids of the calls of the run so far, and of those in what is sent.

        Only the messages that are new since the last call are looked at.
        """
        if self.ids is None:
            self.ids = CallIds(ids_in([*self.history, *(self.paired.messages if self.paired else ())]))
        self.ids.add(ids_in(self.messages[self.ids_read :]))
        self.ids_read = len(self.messages)
        return self.ids

    def record(self, results: Sequence[ToolResult], seconds: float = 0.0) -> None:
        """Record the results of calls as a step, once they were reported to the caller of the run.

        Args:
            results: The results.
            seconds: How long they took.
        """
        is_next = self.rounds == self.results_round + 1
        self.repeats = self.repeats + 1 if is_next and self._are_repeated(results) else 0
        self.results, self.results_round = tuple(results), self.rounds
        self.steps.append(Step(kind="tools", seconds=seconds, results=self.control.kept.retain(results)))
        self.calls += len(results)

    def _are_repeated(self, results: Sequence[ToolResult]) -> bool:
        """Return whether `results`, and their calls, equal the last ones; not if there are none."""
        if self.results:
            return len(results) == len(self.results) and all(map(_are_equal, results, self.results))
        return bool(results and self.last_digest) and digest_of_round(results) == self.last_digest

    def next(self, messages: Sequence[Message], visible: VisibleTools | None = None) -> Chat:
        """Return another conversation of the same run, which continues its counts.

        Args:
            messages: The messages that it begins with.
            visible: The tools that the model sees in it.
        """
        return Chat(
            messages=list(messages),
            control=self.control,
            visible=visible,
            calls=self.calls,
            usage=self.usage,
            steps=self.steps,
            history=self.history,
        )


_COUNTS: Final = ("rounds", "extra", "retries", "empty", "cut_off", "calls", "repeats", "results_round")


def _are_equal(one: ToolResult, other: ToolResult) -> bool:
    """Return whether two results, and their calls, are equal for a model."""
    return (one.ok, _call_text(one), one.blocks) == (other.ok, _call_text(other), other.blocks)


def _call_text(result: ToolResult) -> str:
    """Return the call of `result` without its id, as JSON text that is the same for equal arguments.

    Arguments that cannot be read, or are nested too deeply, are compared as they were written.
    """
    from fcregistry.models import arguments_text  # of a call that may be malformed

    call = result.call or ToolCall("")
    text = arguments_text(call)
    with suppress(ValueError, RecursionError):
        return json.dumps([call.name, json.loads(text)], sort_keys=True)
    return json.dumps([call.name, text])


def digest_of_round(results: Sequence[ToolResult]) -> str:
    """Return the SHA-256 of results and their calls, in hexadecimal: equal ones have equal digests."""
    from hashlib import sha256  # the state of a run is signed, too

    texts = [[each.ok, _call_text(each), *each.blocks] for each in results]
    return sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """A run that waits for decisions. `agent.resume` continues it, once.

    Attributes:
        agent: The class of the agent whose run it is.
        chat: The conversation in which calls wait, with the counts of the run.
        progress: More data that the agent needs to continue, such as its plan, as a JSON value.
        opened: The tools behind gateways that the conversation has opened.
        kept: The results that `read_result` can read, by their ids.
    """

    agent: str
    chat: Chat
    progress: Mapping[str, Any] = field(default_factory=dict)
    opened: Mapping[str, Any] = field(default_factory=dict)
    kept: KeptResults | Mapping[str, str] = field(default_factory=dict)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation in which calls wait."""
        return tuple(self.chat.messages)

    @property
    def prepared(self) -> PreparedCalls:
        """The calls that wait."""
        assert self.chat.prepared is not None
        return self.chat.prepared

    def resumed(self, control: Control, visible: VisibleTools | None) -> Chat:
        """Return the conversation in which calls wait, for a run that continues.

        Args:
            control: Ends what is left of the run.
            visible: The tools that the model sees, if some are behind gateways.
        """
        for identity, text in self.kept.items():
            control.kept.add(identity, text)
        chat = self.chat  # it is not changed, since the caller has it
        messages, history = list(chat.messages), list(chat.history)
        return replace(
            chat, messages=messages, history=history, control=control, visible=visible, steps=[], ids=None, ids_read=0
        )

    def to_json(self, *, key: bytes) -> str:
        """Return signed JSON text, for a process that resumes the run later.

        Args:
            key: At least 16 bytes that only the processes know that run and resume. The text is signed, not encrypted.

        Raises:
            TypeError: The key is not bytes.
            ApprovalError: The key is too short.
        """
        written = {
            "agent": self.agent,
            "messages": [message.to_dict() for message in self.messages],
            "history": [message.to_dict() for message in self.chat.history],
            "prepared": self.prepared.to_json(key=key),
            **{name: getattr(self.chat, name) for name in _COUNTS},
            "last_digest": digest_of_round(self.chat.results) if self.chat.results else self.chat.last_digest,
            "usage": to_json(self.chat.usage),
            "opened": dict(self.opened),
            "kept": dict(self.kept.items()),
            "progress": dict(self.progress),
        }
        return sign_state(written, key, RUN_STATE)

    @classmethod
    def from_json(cls, text: str, *, key: bytes, max_age: float | None = None) -> Self:
        """Return the state that `to_json` wrote.

        Args:
            text: The text.
            key: The key that it was signed with.
            max_age: The seconds that may have passed since; None for no limit.

        Raises:
            TypeError: The text is not a string, or the key not bytes.
            ApprovalError: `to_json` did not write the text, it was signed with another key or changed since, or is too old.
        """
        written = verify_state(text, key, RUN_STATE)
        chat = Chat(
            messages=list(map(Message.of, written["messages"])),
            history=list(map(Message.of, written["history"])),
            prepared=read_waiting_calls(written["prepared"], key, max_age),
            usage=Usage(**written["usage"]),
            last_digest=written.get("last_digest", ""),
            **{name: written.get(name, 0) for name in _COUNTS},
        )
        others = {name: written[name] for name in ("agent", "progress", "opened", "kept")}
        return cls(chat=chat, **others)

    def __repr__(self) -> str:
        return f"<RunState of a {self.agent}, waiting calls={len(self.prepared.waiting)}>"


def check_state(state: object, agent: str) -> None:
    """Check that an agent can resume a run.

    Args:
        state: The state of the run.
        agent: The class of the agent.

    Raises:
        TypeError: `state` is not a `RunState`: the `state` of a result whose calls do not wait is None.
        ApprovalError: `state` is that of another agent's run.
    """
    if not isinstance(state, RunState):
        raise TypeError(f"state is what a result has whose stop_reason is 'approval', not {state!r:.80}")
    if state.agent != agent:
        raise ApprovalError(f"this is the state of a {state.agent}, which a {agent} cannot resume")


# --- The result of a run ---


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult(Generic[AnswerT_co]):
    """The result of a run. Printed, it is the answer, or the reason why there is none.

    Attributes:
        answer: Text, or a value of the agent's `answer_type`. None if there is no answer. A value such as `0`, or `""` where that is of
            the type, may be an answer: look at `ok`.
        stop_reason: Why the run ended.
        steps: The steps, in order; of a resumed run, since it was resumed.
        messages: The conversation, without instructions: pass it to `run`, with more messages, to continue it.
        usage: The tokens of all models together.
        error: The exception, if the model gave no answer.
        pending: The calls that wait for a decision.
        state: The state for `resume`, if calls wait.
    """

    answer: AnswerT_co | None = None
    stop_reason: StopReason = "answered"
    steps: tuple[Step, ...] = ()
    messages: tuple[Message, ...] = ()
    usage: Usage = field(default_factory=Usage)
    error: BaseException | None = None
    pending: tuple[WaitingCall, ...] = ()
    state: RunState | None = None

    @property
    def ok(self) -> bool:
        """Whether there is an answer."""
        return self.stop_reason in _WITH_ANSWER

    @property
    def tool_results(self) -> tuple[ToolResult, ...]:
        """The results of all calls, in order.

        A result that was cut for the model may be without its value: see `ToolResult.dropped`.
        """
        return tuple(result for step in self.steps for result in step.results)

    @property
    def last_tool_calls(self) -> list[dict[str, Any]]:
        """The calls of the last round with calls, with their results.

        Each has `id`, `type`, `function`, and `tool_call_result`, the text for the model.
        """
        from fcregistry.models import call_as_chat_json  # the shape of OpenAI's chat

        last = next((step.results for step in reversed(self.steps) if step.results), ())
        return [
            {**call_as_chat_json(result.call or ToolCall("")), "tool_call_result": result.content} for result in last
        ]

    def unwrap(self) -> AnswerT_co:
        """Return the answer.

        Raises:
            UnfinishedRunError: There is none; the error says why, and its cause is `error`.
        """
        if not self.ok:
            raise UnfinishedRunError(self) from self.error
        return cast("AnswerT_co", self.answer)

    def to_json(self) -> dict[str, Any]:
        """This result as a JSON object, as `fcregistry ask --json` writes it.

        `state` is not in it, since it has to be signed.

        Raises:
            EncodingError: The answer is of the agent's `answer_type`, and has no JSON form.
        """
        from fcregistry.types import to_json  # heavy, and only for typed answers

        return {
            "answer": self.answer if self.answer is None or type(self.answer) is str else to_json(self.answer),
            "stop_reason": self.stop_reason,
            "error": None if self.error is None else f"{type(self.error).__name__}: {self.error}",
            "steps": [step.to_json() for step in self.steps],
            "messages": [message.to_dict() for message in self.messages],
            "usage": asdict(self.usage),
            "pending": [call.to_json() for call in self.pending],
        }

    def __str__(self) -> str:
        return str(self.answer) if self.ok else end_text(self.stop_reason, self.error)

    def __repr__(self) -> str:
        outcome = repr(self.answer) if self.ok else exception_message(self.error) if self.error else ""
        what = f": {' '.join(outcome.split()):.100}" if outcome else ""
        return f"<RunResult {self.stop_reason}, requests={self.usage.requests}{what}>"
