"""How does an agent come to an answer with tools? Ask the model, carry out the calls that it makes, and ask again until it makes none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final

from fcregistry._results.result import ToolResult
from fcregistry.agents._answers import answered_by
from fcregistry.agents._effects import Ask, Carry, Failed, Resume, Stopped
from fcregistry.agents._events import Calling
from fcregistry.agents._requests import shown, with_ids
from fcregistry.agents._result import Step
from fcregistry.agents._rules import End, Loop, Talk
from fcregistry.agents._telling import beyond, refused, told
from fcregistry.execution import PreparedCalls
from fcregistry.models import Completion, Message

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry.agents._effects import Course
    from fcregistry.execution._suspended import Decision

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
    said = yield Ask(
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
