"""How does an agent come to an answer with tools? Ask the model, carry out the calls that it makes, and ask again until it makes none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from fcregistry._calls import ToolCall
from fcregistry._results import CallError, ToolResult
from fcregistry.agents._effects import Ask, Carry, Failed, Resume, Stopped
from fcregistry.agents._events import Calling, Returned
from fcregistry.agents._result import Step
from fcregistry.execution import PreparedCalls
from fcregistry.execution._watching._observation import unwatched
from fcregistry.execution._writing._outcome import failure
from fcregistry.models import Completion, Message, Usage

if TYPE_CHECKING:
    from fcregistry.agents._answers import Answers
    from fcregistry.agents._effects import Course
    from fcregistry.agents._result import StopReason
    from fcregistry.agents._visible import VisibleTools
    from fcregistry.execution._approving._resuming import Decision
    from fcregistry.models import Model

MoreRounds = Callable[[int], int | None]
"""Is told how many rounds there were, and returns how many more there may be; nothing for none."""

SUMMARIZE: Final = (
    "There are no rounds left, and no tool can be called any more. Answer now, as well as you can, from what you know so far, "
    "and say what is missing."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """The rules of a loop.

    Attributes:
        model: Who is asked.
        instructions: What the model is told before the conversation; empty for nothing.
        max_rounds: How often the model is asked at most.
        max_tool_calls: How many calls may be carried out at most; None for any number.
        stop_tools: The tools whose result is the answer.
        summarizes: Whether the model is asked for an answer without tools, once there are no rounds left.
        more_rounds: Who is asked for more rounds when there are none left.
        suspends: Whether the run ends for a while where somebody has to decide about a call.
        answers: What an answer is.
    """

    model: Model
    answers: Answers
    instructions: str = ""
    max_rounds: int = 5
    max_tool_calls: int | None = None
    stop_tools: frozenset[str] = frozenset()
    summarizes: bool = False
    more_rounds: MoreRounds | None = None
    suspends: bool = True


@dataclass(slots=True, kw_only=True)
class Talk:
    """A conversation in a loop, as far as it is. It changes.

    Attributes:
        visible: The tools that the model sees.
        messages: What was said.
        rounds: How often the model was asked.
        extra: Rounds that were added to what the rules give.
        calls: How many calls were carried out.
        usage: What the model took.
        steps: What was done.
        prepared: Calls that wait.
        retries: How often an answer was of the wrong type.
    """

    visible: VisibleTools
    messages: list[Message]
    rounds: int = 0
    extra: int = 0
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    steps: list[Step] = field(default_factory=list)
    prepared: PreparedCalls | None = None
    retries: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a loop ended.

    Attributes:
        reason: Why.
        answer: The answer, if there is one.
        error: What was raised, if the model gave none.
    """

    reason: StopReason
    answer: Any = None
    error: BaseException | None = None


def looped(loop: Loop, talk: Talk, decisions: Mapping[str, Decision] | None = None) -> Course[End]:
    """Carry a conversation on until there is an answer, or none is to be had.

    Args:
        loop: The rules.
        talk: The conversation; what is said and done is added to it.
        decisions: What was decided about the calls that wait in it.
    """
    if talk.prepared is not None:
        end = yield from _taken_up(loop, talk, decisions or {})
        if end is not None:
            return end
    while _has_rounds(loop, talk):
        completion = yield from asked(loop, talk)
        if isinstance(completion, End):
            return completion
        calls = completion.message.tool_calls
        end = (yield from _carried(loop, talk, calls)) if calls else loop.answers.end(talk, completion)
        if end is not None:
            return end
    return (yield from _summarized(loop, talk)) if loop.summarizes else End(reason="max_rounds")


def asked(loop: Loop, talk: Talk, *, last: bool = False) -> Course[Completion | End]:
    """Ask the model, and take down what it said; return that, or how the loop ends because it said nothing.

    Args:
        loop: The rules.
        talk: The conversation.
        last: Whether it is to answer without calling.
    """
    began = perf_counter()
    tools = tuple(talk.visible.tools.values())
    said = yield Ask(
        model=loop.model, messages=_shown(loop, talk), tools=tools, tool_choice="none" if last and tools else "auto"
    )
    if isinstance(said, Failed):
        return End(reason="model_error", error=said.error)
    if isinstance(said, Stopped):
        return End(reason=said.reason)  # type: ignore[arg-type]  # one of ours
    talk.rounds += 1
    message = _with_ids(said.message, talk)
    completion: Completion = said if message is said.message else replace(said, message=message)
    talk.messages.append(message)
    talk.usage += said.usage
    seconds = perf_counter() - began
    talk.steps.append(
        Step(kind="model", seconds=seconds, message=message, model=said.model or loop.model.name, usage=said.usage)
    )
    return completion


# --- calls ----------------------------------------------------------------------------------------


def _carried(loop: Loop, talk: Talk, calls: Sequence[ToolCall]) -> Course[End | None]:
    """Carry out the calls of a message; return how the loop ends, if it does."""
    if not _is_read(loop, talk):
        return (yield from _told(loop, talk, [_refused(call, "there are no rounds left") for call in calls], 0.0))
    allowed = _allowed(loop, talk, calls)
    began = perf_counter()
    for call in calls[:allowed]:
        yield Calling(call=call)
    results = yield Carry(visible=talk.visible, calls=tuple(calls[:allowed]), suspends=loop.suspends)
    if isinstance(results, PreparedCalls):
        talk.prepared = results
        return End(reason="approval")
    return (yield from _told(loop, talk, [*results, *_beyond(calls[allowed:])], perf_counter() - began))


def _taken_up(loop: Loop, talk: Talk, decisions: Mapping[str, Decision]) -> Course[End | None]:
    """Carry out the calls that waited, once somebody has decided."""
    assert talk.prepared is not None
    calls = talk.messages[-1].tool_calls
    allowed = _allowed(loop, talk, calls)
    refused = {place: result for place, call in enumerate(calls[:allowed]) if (result := talk.visible.refusal(call))}
    began = perf_counter()
    ran = iter((yield Resume(visible=talk.visible, prepared=talk.prepared, decisions=decisions)))
    talk.prepared = None
    results = [refused[place] if place in refused else next(ran) for place in range(len(calls[:allowed]))]
    return (yield from _told(loop, talk, [*results, *_beyond(calls[allowed:])], perf_counter() - began))


def _told(loop: Loop, talk: Talk, results: list[ToolResult], seconds: float) -> Course[End | None]:
    """Tell the model of results; return how the loop ends, if it does."""
    calls = talk.messages[-1].tool_calls
    for call, result in zip(calls, results, strict=True):
        yield Returned(result=result)
        talk.messages.append(Message.of_result(result, call.id).replaced(tool_call_id=call.id))
    talk.steps.append(Step(kind="tools", seconds=seconds, results=tuple(results)))
    talk.calls += len(results)
    if loop.max_tool_calls is not None and talk.calls > loop.max_tool_calls:
        return End(reason="max_tool_calls")
    final = next((each for each in results if each.ok and each.call and each.call.name in loop.stop_tools), None)
    return None if final is None else End(reason="stop_tool", answer=final.content)


def _allowed(loop: Loop, talk: Talk, calls: Sequence[ToolCall]) -> int:
    """Return how many of the calls of a message may be carried out."""
    return len(calls) if loop.max_tool_calls is None else max(loop.max_tool_calls - talk.calls, 0)


def _beyond(calls: Sequence[ToolCall]) -> list[ToolResult]:
    return [_refused(call, "there are no calls left") for call in calls]


def _refused(call: ToolCall, why: str) -> ToolResult:
    result = failure(call, CallError("unavailable", f"the call was not run: {why}"))
    unwatched(result)
    return result


# --- the last rounds ------------------------------------------------------------------------------


def _has_rounds(loop: Loop, talk: Talk) -> bool:
    """Tell whether the model may be asked again; who may give more rounds is asked for them."""
    if talk.rounds < loop.max_rounds + talk.extra:
        return True
    more = None if loop.more_rounds is None else loop.more_rounds(talk.rounds)
    talk.extra += max(more or 0, 0)
    return talk.rounds < loop.max_rounds + talk.extra


def _is_read(loop: Loop, talk: Talk) -> bool:
    """Tell whether somebody will read the results of the calls that were just made: otherwise they are not to be carried out."""
    return talk.rounds < loop.max_rounds + talk.extra or loop.summarizes or loop.more_rounds is not None


def _summarized(loop: Loop, talk: Talk) -> Course[End]:
    """Ask for an answer without tools."""
    talk.messages.append(Message(role="user", content=SUMMARIZE))
    completion = yield from asked(loop, talk, last=True)
    if isinstance(completion, End):
        return completion
    if completion.message.tool_calls:
        yield from _told(
            loop,
            talk,
            [_refused(call, "no tool can be called any more") for call in completion.message.tool_calls],
            0.0,
        )
        return End(reason="max_rounds")
    return loop.answers.end(talk, completion) or End(reason="invalid_answer")


# --- what the model is shown ----------------------------------------------------------------------


def _shown(loop: Loop, talk: Talk) -> tuple[Message, ...]:
    """Return the request: the instructions, the conversation, and how many rounds are left, at the end of the last result."""
    messages = list(talk.messages)
    left = loop.max_rounds + talk.extra - talk.rounds
    last = messages[-1] if messages else None
    if talk.rounds and left > 0 and last is not None and last.role == "tool":
        messages[-1] = last.replaced(content=_noted(last, f"Tool-call rounds left: {left}."))
    if loop.instructions:
        messages.insert(0, Message(role="system", content=loop.instructions))
    return tuple(messages)


def _noted(message: Message, note: str) -> Any:
    from fcregistry.execution import Content  # only for results with parts

    if isinstance(message.content, tuple):
        return (*message.content, Content.text(note))
    return f"{message.content or ''}\n\n{note}"


def _with_ids(message: Message, talk: Talk) -> Message:
    """Return a message whose calls can be told apart by their ids: those that have none get one."""
    calls = message.tool_calls
    if not calls:
        return message
    known = {call.id for each in talk.messages for call in each.tool_calls}
    given: list[ToolCall] = []
    for call in calls:
        identity = call.id
        if not identity or identity in known:
            identity = next(
                name for place in range(1, len(known) + len(calls) + 2) if (name := f"call_{place}") not in known
            )
        known.add(identity)
        given.append(call if identity == call.id else ToolCall(call.name, call.arguments, identity))
    return message.replaced(tool_calls=tuple(given)) if given != list(calls) else message
