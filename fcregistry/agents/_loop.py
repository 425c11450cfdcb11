"""How does an agent come to an answer with tools? Ask the model, carry out the calls that it makes, and ask again until it makes none.

MERGED: What is a model shown of a conversation, and how is what it says taken down? With the rounds that are left, and with ids that can be told apart.
MERGED: How is a model told of the results of its calls? Each in a message right after the calls; of those that were not carried out, why not.
MERGED: What are the rules of a loop, how far is a conversation in it, and how may it end?
MERGED: When is what a model says the answer? When it makes no call, and what it says is of the type that was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from fcregistry._base.call import CallError, ToolCall
from fcregistry._results.result import ToolResult
from fcregistry._tools.tool import Tool
from fcregistry.agents._effects import AskModel, Carry, Failed, Resume, Stopped
from fcregistry.agents._messages import ids_in
from fcregistry.agents._result import Calling, Returned, Step
from fcregistry.agents._rewoo_plan import Evidence
from fcregistry.execution import PreparedCalls
from fcregistry.execution._observability import log_failure
from fcregistry.execution._result import failed_result
from fcregistry.models import Completion, Message, Usage
from fcregistry.types import to_json_text

if TYPE_CHECKING:
    from fcregistry.agents._effects import Course
    from fcregistry.agents._result import StopReason
    from fcregistry.agents._visible_tools import VisibleTools
    from fcregistry.execution import Content
    from fcregistry.execution._suspended import Decision
    from fcregistry.models import Model
    from fcregistry.prompts import OutputFormat

# --- agents._loop ---

SUMMARIZE: Final = (
    "There are no rounds left, and no tool can be called any more. Answer now, as well as you can, from what you know so far, "
    "and say what is missing."
)


def looped(loop: Loop, talk: Talk, decisions: Mapping[str, Decision] | None = None) -> Course[End]:
    """Carry a conversation on until there is an answer, or none is to be had.

    Args:
        loop: The rules.
        talk: The conversation; what is said and done is added to it.
        decisions: What was decided about the calls that wait in it.
    """
    if talk.prepared is not None:
        end = yield from taken_up(loop, talk, decisions or {})
        if end is not None:
            return end
    calls: Sequence[ToolCall] = _last_calls(talk)
    while _has_rounds(loop, talk):
        completion = yield from asked(loop, talk)
        if isinstance(completion, End):
            return completion
        calls = completion.message.tool_calls
        end = (yield from carried(loop, talk, calls)) if calls else (yield from _said(loop, talk, completion))
        if end is not None:
            return end
    if loop.summarizes:
        return (yield from _summarized(loop, talk))
    return End(reason="max_rounds") if calls or not talk.rounds else _invalid(talk)


def asked(loop: Loop, talk: Talk, *, last: bool = False) -> Course[Completion | End]:
    """Ask the model, and take down what it said; return that, or how the loop ends because it said nothing.

    Args:
        loop: The rules.
        talk: The conversation.
        last: Whether it is to answer without calling.
    """
    began = perf_counter()
    tools = () if loop.expressions else talk.visible.offered()
    said = yield AskModel(
        model=loop.model, messages=shown(loop, talk), tools=tools, tool_choice="none" if last and tools else "auto"
    )
    if isinstance(said, Failed):
        return End(reason="model_error", error=said.error)
    if isinstance(said, Stopped):
        return End(reason=said.reason)  # type: ignore[arg-type]  # one of ours
    talk.rounds += 1
    message = with_ids(said.message, talk)
    completion: Completion = said if message is said.message else replace(said, message=message)
    talk.messages.append(message)
    talk.usage += said.usage
    seconds = perf_counter() - began
    talk.steps.append(
        Step(kind="model", seconds=seconds, message=message, model=said.model or loop.model.name, usage=said.usage)
    )
    return completion


def _said(loop: Loop, talk: Talk, completion: Completion) -> Course[End | None]:
    """Take what the model says without a call for its answer, unless it writes calls in its text; return how the loop ends, if it does."""
    if loop.expressions is None:
        return loop.answers.end(talk, completion)
    came = yield from loop.expressions.carried(talk, completion.message.text, partial(_refusal, loop, talk))
    if came == "answer":
        return loop.answers.end(talk, completion)
    if came == "carried" and (end := _ended(loop, talk, talk.steps[-1].results)) is not None:
        return end
    if not _is_read(loop, talk, ()):
        return End(reason="max_rounds")
    return End(reason="max_tool_calls") if came == "refused" else None


def _refusal(loop: Loop, talk: Talk, calls: Sequence[ToolCall]) -> str:
    """Return why the calls of a message may not run at all; empty where they may."""
    if not _is_read(loop, talk, calls):
        return "there are no rounds left"
    left = _allowed(loop, talk)
    if left is None or len(calls) <= left:
        return ""
    return f"the message makes {len(calls)} calls, and {left} may still be made" if left else "there are no calls left"


# --- calls ----------------------------------------------------------------------------------------


def carried(loop: Loop, talk: Talk, calls: Sequence[ToolCall]) -> Course[End | None]:
    """Carry out the calls of the last message, and take down their results; return how the loop ends, if it does.

    Args:
        loop: The rules.
        talk: The conversation.
        calls: The calls.
    """
    why = loop.closed or ("" if _is_read(loop, talk, calls) else "there are no rounds left")
    if why:
        yield from told(talk, [refused(call, why) for call in calls], 0.0)
        return _ended(loop, talk, ())
    allowed = tuple(calls[: _allowed(loop, talk)])
    began = perf_counter()
    for call in allowed:
        yield Calling(call=call)
    results = yield Carry(visible=talk.visible, calls=allowed, suspends=loop.suspends)
    if isinstance(results, PreparedCalls):
        talk.prepared = results
        return End(reason="approval")
    yield from told(talk, [*results, *beyond(calls[len(allowed) :])], perf_counter() - began)
    return _ended(loop, talk, results)


def taken_up(loop: Loop, talk: Talk, decisions: Mapping[str, Decision]) -> Course[End | None]:
    """Carry out the calls that waited, once somebody has decided; return how the loop ends, if it does.

    Args:
        loop: The rules.
        talk: The conversation, whose last message makes the calls.
        decisions: What was decided, by the ids of the calls.
    """
    assert talk.prepared is not None
    calls = talk.messages[-1].tool_calls
    allowed = calls[: _allowed(loop, talk)]
    began = perf_counter()
    results = yield Resume(visible=talk.visible, calls=allowed, prepared=talk.prepared, decisions=decisions)
    talk.prepared = None
    yield from told(talk, [*results, *beyond(calls[len(allowed) :])], perf_counter() - began)
    return _ended(loop, talk, results)


def _ended(loop: Loop, talk: Talk, results: Sequence[ToolResult]) -> End | None:
    """Return how the loop ends after some results, if it does."""
    if loop.max_tool_calls is not None and talk.calls > loop.max_tool_calls:
        return End(reason="max_tool_calls")
    final = next((each for each in results if each.ok and each.tool and each.tool.name in loop.stop_tools), None)
    return None if final is None else answered_by(final, loop.answers)


def _allowed(loop: Loop, talk: Talk) -> int | None:
    """Return how many calls may still be carried out; None for any number."""
    return None if loop.max_tool_calls is None else max(loop.max_tool_calls - talk.calls, 0)


# --- the last rounds ------------------------------------------------------------------------------


def _has_rounds(loop: Loop, talk: Talk) -> bool:
    """Tell whether the model may be asked again; who may give more rounds is asked for them."""
    if talk.rounds < loop.max_rounds + talk.extra:
        return True
    talk.extra += 0 if loop.more_rounds is None else _checked(loop.more_rounds(talk.rounds))
    return talk.rounds < loop.max_rounds + talk.extra


def _checked(more: object) -> int:
    """Return how many more rounds there may be.

    Raises:
        TypeError: It is no whole number.
    """
    if not more:
        return 0
    if type(more) is not int:
        raise TypeError(f"on_max_retries returns a whole number of rounds, or None for none, not {more!r:.50}")
    return max(more, 0)


def _is_read(loop: Loop, talk: Talk, calls: Sequence[ToolCall]) -> bool:
    """Tell whether somebody will read the results of the calls that were just made: otherwise they are not to be carried out."""
    if talk.rounds < loop.max_rounds + talk.extra or loop.summarizes or loop.more_rounds is not None:
        return True
    find = talk.visible.executor._pipeline.find
    return any((tool := find(call.name)) is not None and tool.name in loop.stop_tools for call in calls)


def _last_calls(talk: Talk) -> Sequence[ToolCall]:
    """Return the calls that the model made when it was last asked."""
    return next((message.tool_calls for message in reversed(talk.messages) if message.role == "assistant"), ())


def _invalid(talk: Talk) -> End:
    """Return the end of a loop whose last answer was sent back, with what was wrong with it."""
    return End(reason="invalid_answer", error=ValueError(talk.messages[-1].text))


def _summarized(loop: Loop, talk: Talk) -> Course[End]:
    """Ask for an answer without tools."""
    talk.messages.append(Message(role="user", content=SUMMARIZE, continues=True))
    completion = yield from asked(loop, talk, last=True)
    if isinstance(completion, End):
        return completion
    if calls := completion.message.tool_calls:
        yield from told(talk, [refused(call, "no tool can be called any more") for call in calls], 0.0)
        return End(reason="max_rounds")
    return loop.answers.end(talk, completion) or End(reason="invalid_answer")


# --- agents._requests ---


def shown(loop: Loop, talk: Talk) -> tuple[Message, ...]:
    """Return the request: the instructions, the conversation, and how many rounds are left, at the end of the last result."""
    messages = list(talk.messages)
    left = loop.max_rounds + talk.extra - talk.rounds
    last = messages[-1] if messages else None
    if talk.rounds and left > 0 and last is not None and _tells_results(last, talk):
        messages[-1] = last.replaced(content=_noted(last, f"Tool-call rounds left: {left}."))
    told = loop.instructions
    if loop.expressions is not None:
        told = "\n\n".join(filter(None, (told, loop.expressions.instructions(talk.visible.offered()))))
    if told:
        messages.insert(0, Message(role="system", content=told))
    return tuple(messages)


def _tells_results(last: Message, talk: Talk) -> bool:
    """Tell whether the last message says what came of calls; of expressions, the user says it."""
    return last.role == "tool" or (last.role == "user" and bool(talk.steps) and talk.steps[-1].kind == "tools")


def _noted(message: Message, note: str) -> str | tuple[Content, ...]:
    from fcregistry.execution import Content  # only for results with parts

    if isinstance(message.content, tuple):
        return (*message.content, Content.text(note))
    return f"{message.content or ''}\n\n{note}"


def with_ids(message: Message, talk: Talk) -> Message:
    """Return a message whose calls can be told apart by their ids: one that has none, or another's, gets one."""
    known = {*talk.taken, *ids_in(talk.messages)} if message.tool_calls else set()
    free = (name for place in count(1) if (name := f"call_{place}") not in known)
    given: list[ToolCall] = []
    for call in message.tool_calls:
        own = call.id if call.id and call.id not in known else next(free)
        known.add(own)
        given.append(call if own == call.id else ToolCall(call.name, call.arguments, own))
    if all(new is old for new, old in zip(given, message.tool_calls, strict=True)):
        return message
    return message.replaced(tool_calls=tuple(given), native={})  # what the provider wrote has the other ids


# --- agents._telling ---


def told(talk: Talk, results: Sequence[ToolResult], seconds: float) -> Course[None]:
    """Tell the model of the results of its last calls, each in a message of its own, and take them down.

    Args:
        talk: The conversation, whose last message makes the calls.
        results: What came of them, in their order.
        seconds: How long they took.
    """
    calls = talk.messages[-1].tool_calls
    for call, result in zip(calls, results, strict=True):
        yield Returned(result=result)
        message = Message.of_result(result, call.id)
        talk.messages.append(message if message.tool_call_id == call.id else message.replaced(tool_call_id=call.id))
    talk.steps.append(Step(kind="tools", seconds=seconds, results=tuple(results)))
    talk.calls += len(results)


def beyond(calls: Sequence[ToolCall]) -> list[ToolResult]:
    """Return the results of calls that are more than there may be."""
    return [refused(call, "there are no calls left") for call in calls]


def refused(call: ToolCall, why: str) -> ToolResult:
    """Return the result of a call that is not carried out."""
    result = failed_result(call, CallError("unavailable", f"the call was not run: {why}"))
    log_failure(result)
    return result


# --- agents._rules ---

MoreRounds = Callable[[int], int | None]
"""Is told how many rounds there were, and returns how many more there may be; nothing for none."""


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
        expressions: How calls are read that the model writes as Python does; None where it calls as its provider has it.
        closed: Why nothing can be called; empty where the tools that the model sees can be.
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
    expressions: ExpressionStep | None = None
    closed: str = ""


class ExpressionStep(Protocol):
    """Runs the calls that a model writes as expressions; see `Expressions`."""

    def known(self) -> str: ...

    def instructions(self, tools: Sequence[Tool]) -> str: ...

    def carried(
        self, talk: Talk, text: str, refusal: Callable[[Sequence[ToolCall]], str]
    ) -> Course[Literal["answer", "carried", "refused"]]: ...


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
        taken: The ids of calls elsewhere in the run, which no call in it gets.
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
    taken: Collection[str] = ()


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


# --- agents._answers ---


class Answers(Protocol):
    """Takes what a model says without calling for the end of a loop."""

    @property
    def instructions(self) -> str:
        """What the model is told of the answer; nothing for one in words."""

    def end(self, talk: Talk, completion: Completion) -> End | None:
        """Return how the loop ends, or None if the model is to try again: `talk` has then what it is told."""


class AnswerWords:
    """Answers in words: whatever the model says, if only nothing."""

    instructions = ""

    def end(self, talk: Talk, completion: Completion) -> End:
        return End(reason=_reason(completion), answer=completion.message.text)


class Typed:
    """Answers of a type. What cannot be read as one is sent back with its problems.

    Args:
        output: Reads them.
        retries: How often the model may try again.

    Raises:
        ValueError: That is no number of times.
    """

    def __init__(self, output: OutputFormat[Any], retries: int) -> None:
        if type(retries) is not int or retries < 0:
            raise ValueError(f"answer_retries takes a whole number of 0 or more, not {retries!r}")
        self._output = output
        self._retries = retries
        self.instructions = output.instructions()

    def of(self, result: ToolResult) -> End:
        """Return how a loop ends in which the result of a tool is the answer."""
        reading = self._output.read(to_json_text(Evidence.of(result).value))
        if reading.ok:
            return End(reason="stop_tool", answer=reading.value)
        return End(reason="invalid_answer", error=reading.error)

    def end(self, talk: Talk, completion: Completion) -> End | None:
        reading = self._output.read(completion.message.text)
        if reading.ok:
            return End(reason="answered", answer=reading.value)
        if talk.retries >= self._retries:
            return End(reason="invalid_answer", error=reading.error)
        talk.retries += 1
        talk.messages.append(Message(role="user", content=str(reading.error), continues=True))
        return None


def answered_by(result: ToolResult, answers: Answers) -> End:
    """Return how a loop ends in which the result of a tool is the answer: as text, or as a value of the type that was asked for.

    Args:
        result: What came of the call.
        answers: What an answer is.
    """
    return answers.of(result) if isinstance(answers, Typed) else End(reason="stop_tool", answer=result.content)


def _reason(completion: Completion) -> StopReason:
    if completion.finish_reason in ("length", "content_filter"):
        return completion.finish_reason
    return "answered"
