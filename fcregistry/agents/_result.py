"""What happens while an agent runs? Events, in the order in which they do.

`to_json` writes each for a program that listens elsewhere, a page in a browser say; its `type` is the name of the event.

MERGED: What came of a run of an agent? The answer, or why there is none; and what was said, called and used on the way.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from fcregistry.models import Usage

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._results.result import ToolResult
    from fcregistry.agents._state import RunState
    from fcregistry.execution import Partial, Progress, WaitingCall
    from fcregistry.models import Message

# --- agents._events ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """More of what the model thinks."""

    text: str

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "thinking", "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """More of what the model says. Only the `Finished` at the end tells which of it is the answer."""

    text: str

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "text", "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Calling:
    """The model has made a call, which is going to be carried out, or refused."""

    call: ToolCall

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "calling", "call": _written(self.call)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressed:
    """A tool says how far it is, or has yielded something."""

    call: ToolCall
    progress: Progress | Partial

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object.

        Raises:
            EncodingError: What the tool yielded has no JSON form.
        """
        return {"type": "progressed", "call": _written(self.call), "progress": self.progress.to_json()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """A call has its result."""

    result: ToolResult

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "returned", "result": self.result.to_json()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning:
    """A plan is being made, or another one: what the model says from now on is a draft of it, until it is `Planned`."""

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "planning"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """There is a plan, or a new one: its steps, in words."""

    steps: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "planned", "steps": list(self.steps)}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepBegan:
    """A step of the plan begins.

    Attributes:
        index: Which, from 0.
        text: What it is.
    """

    index: int
    text: str

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "step_began", "index": self.index, "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEnded:
    """A step of the plan is done.

    Attributes:
        index: Which, from 0.
        text: What came of it: its failure too.
        ok: Whether it went well.
    """

    index: int
    text: str
    ok: bool = True

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "step_ended", "index": self.index, "text": self.text, "ok": self.ok}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The run is over, or waits for somebody's decision. The last event."""

    result: RunResult

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object.

        Raises:
            EncodingError: The answer is of a type that was asked for, and has no JSON form.
        """
        return {"type": "finished", "result": self.result.to_json()}


def _written(call: ToolCall) -> dict[str, Any]:
    """Return a call as a JSON object, its arguments as text: as the model wrote it, where it wrote text."""
    from fcregistry.models._messages import arguments_text  # which only those need who write events

    return {"id": call.id, "name": call.name, "arguments": arguments_text(call)}


Event: TypeAlias = (
    "Thinking | Text | Calling | Progressed | Returned | Planning | Planned | StepBegan | StepEnded | Finished"
)

# --- agents._result ---

StopReason: TypeAlias = Literal[
    "answered",
    "stop_tool",
    "length",
    "content_filter",
    "max_rounds",
    "max_tool_calls",
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
    "max_rounds": "the model was still calling tools in the last round that it was given",
    "max_tool_calls": "the model made more calls than it may",
    "time_budget": "the time was over",
    "cancelled": "the run was cancelled",
    "approval": "calls wait for somebody's decision",
    "invalid_answer": "the model's answer was not of the type that was asked for",
    "invalid_plan": "the planner gave no plan that can be carried out",
    "step_failed": "a step of the plan could not be done",
    "model_error": "the model gave no answer",
}
"""Each reason in words."""

_WITH_ANSWER: Final = frozenset({"answered", "stop_tool"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that was done in a run.

    Attributes:
        kind: What it was: the model was asked, calls were carried out, a plan was made, or a step of a plan was solved.
        seconds: How long it took.
        message: What the model said, where it was asked.
        results: What came of the calls, where there were some.
        texts: The steps of a plan; or of a step solved, what it was and what came of it.
        model: What the model is called that was asked.
        usage: What that took.
    """

    kind: Literal["model", "tools", "plan", "step"]
    seconds: float = 0.0
    message: Message | None = None
    results: tuple[ToolResult, ...] = ()
    texts: tuple[str, ...] = ()
    model: str = ""
    usage: Usage = field(default_factory=Usage)

    def to_json(self) -> dict[str, Any]:
        """This step as a JSON object, without what says nothing."""
        written: dict[str, Any] = {"kind": self.kind, "seconds": round(self.seconds, 6)}
        if self.message is not None:
            written |= {"model": self.model, "message": self.message.to_dict(), "usage": asdict(self.usage)}
        if self.results:
            written["results"] = [{**each.to_json(), "seconds": round(each.duration, 6)} for each in self.results]
        if self.texts:
            written["texts"] = list(self.texts)
        return written


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What came of a run.

    Attributes:
        answer: What the model answered: a text, or a value of the type that was asked for. None where there is no answer; what is falsy may be
            one, and `stop_reason` says so.
        stop_reason: Why the run ended.
        steps: What was done, in order; of a run that was taken up, since then.
        messages: The conversation, without instructions: hand it back to go on with it.
        usage: What all models together took.
        error: What was raised, where the model gave no answer.
        pending: The calls that wait for somebody's decision.
        state: What `resume` takes up, where calls wait.
    """

    answer: Any = None
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
        """The results of all calls, in order."""
        return tuple(result for step in self.steps for result in step.results)

    @property
    def last_tool_calls(self) -> list[dict[str, Any]]:
        """The calls of the last round that had some: `id`, `type`, `function`, and `tool_call_result`, what the model was told of it."""
        from fcregistry.models._messages import call_as_chat_json  # the shape of OpenAI's chat

        last = next((step.results for step in reversed(self.steps) if step.results), ())
        return [{**call_as_chat_json(_call(result)), "tool_call_result": result.content} for result in last]

    def to_json(self) -> dict[str, Any]:
        """This result as a JSON object: what `fcregistry ask --json` writes. `state`, which is to be signed, is not in it.

        Raises:
            EncodingError: The answer is of a type that was asked for, and has no JSON form.
        """
        from fcregistry.types import to_json  # heavy, and for answers of a type alone

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
        return str(self.answer) if self.ok else STOP_REASON_TEXTS[self.stop_reason]


def _call(result: ToolResult) -> ToolCall:
    from fcregistry._base.call import ToolCall  # a call that could not be read at all has none

    return result.call or ToolCall("")
