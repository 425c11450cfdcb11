"""The results and events of agents' runs.

`RunResult` is the end of a run; events tell what happens until then. Each has `to_json`, for a program that listens elsewhere, such as a page in a
browser; its `type` is the name of the event.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """The result of a run.

    Attributes:
        answer: Text, or a value of the agent's `answer_type`. None if there is no answer; a falsy value may be one, and `stop_reason` says so.
        stop_reason: Why the run ended.
        steps: The steps, in order; of a resumed run, since it was resumed.
        messages: The conversation, without instructions: pass it to `run`, with more messages, to continue it.
        usage: The tokens of all models together.
        error: The exception, if the model gave no answer.
        pending: The calls that wait for a decision.
        state: The state for `resume`, if calls wait.
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
        """The calls of the last round with calls, with their results.

        Each has `id`, `type`, `function`, and `tool_call_result`, the text for the model.
        """
        from fcregistry.models import call_as_chat_json  # the shape of OpenAI's chat

        last = next((step.results for step in reversed(self.steps) if step.results), ())
        return [{**call_as_chat_json(_call(result)), "tool_call_result": result.content} for result in last]

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
        return str(self.answer) if self.ok else STOP_REASON_TEXTS[self.stop_reason]


def _call(result: ToolResult) -> ToolCall:
    from fcregistry._base.call import ToolCall  # a call that could not be read at all has none

    return result.call or ToolCall("")


# --- Events, in the order of a run ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """The next piece of the model's thinking."""

    text: str

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "thinking", "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """The next piece of the model's text. Only the `Finished` at the end says which text is the answer."""

    text: str

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "text", "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Calling:
    """The model has made a call, which will run or be refused."""

    call: ToolCall

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "calling", "call": _written(self.call)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressed:
    """A tool has reported progress, or yielded a part of its result."""

    call: ToolCall
    progress: Progress | Partial

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object.

        Raises:
            EncodingError: A yielded value has no JSON form.
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
    """A planner begins a plan: the model's text is a draft of it until `Planned`."""

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "planning"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan is ready: its steps, in words."""

    steps: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "planned", "steps": list(self.steps)}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepBegan:
    """A step of the plan begins.

    Attributes:
        index: Its index, from 0.
        text: The step in words.
    """

    index: int
    text: str

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "step_began", "index": self.index, "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEnded:
    """A step of the plan ends.

    Attributes:
        index: Its index, from 0.
        text: Its result, or its failure.
        ok: Whether it succeeded.
    """

    index: int
    text: str
    ok: bool = True

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object."""
        return {"type": "step_ended", "index": self.index, "text": self.text, "ok": self.ok}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The run is over, or waits for a decision. The last event."""

    result: RunResult

    def to_json(self) -> dict[str, Any]:
        """This event as a JSON object.

        Raises:
            EncodingError: The answer is of the agent's `answer_type`, and has no JSON form.
        """
        return {"type": "finished", "result": self.result.to_json()}


def _written(call: ToolCall) -> dict[str, Any]:
    """Return a call as a JSON object, with its arguments as text: as the model wrote it, if it wrote text."""
    from fcregistry.models import arguments_text  # only for writing events

    return {"id": call.id, "name": call.name, "arguments": arguments_text(call)}


Event: TypeAlias = (
    "Thinking | Text | Calling | Progressed | Returned | Planning | Planned | StepBegan | StepEnded | Finished"
)
