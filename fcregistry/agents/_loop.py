"""The loop of an agent: ask the model, run its calls, and ask again until it makes no calls.

`run_loop` is the whole loop; `ask_model`, `run_or_refuse_calls` and `resume_calls` are its steps, which agents of one round or of a plan
use alone. `Loop` has the rules, `Chat` the changing state, and `End` says how the loop ended. `Answers` judges a message without calls.
`make_plan` is the loop with a planner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from fcregistry._base.call import CallError, ToolCall, UnreadArguments
from fcregistry._results.result import ToolResult
from fcregistry.agents._answers import TypedAnswers
from fcregistry.agents._effects import AskModel, Calling, EmitEvent, Planned, Planning, Returned, RunCalls
from fcregistry.agents._history import with_note
from fcregistry.agents._run import STOP_REASON_TEXTS, Chat, End, RunResult, RunState, Step
from fcregistry.agents._visible_tools import without_refused
from fcregistry.errors import ModelError
from fcregistry.execution import PreparedCalls, failed_result, log_failure, pipeline_of
from fcregistry.models import Completion, Message

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.agents._answers import Answers
    from fcregistry.execution import Decision, Effects, Executor
    from fcregistry.models import Model

SUMMARIZE: Final = (
    "There are no rounds left, and no tool can be called any more. Answer now, as well as you can, from what you know so far, "
    "and say what is missing."
)

_REPEATED: Final = "These are the same calls with the same results as in the round before. Do something else, or answer with what you know."
"""The note for a model that repeats its calls."""

_EMPTY_MESSAGE: Final = "Your last message was empty: answer, or call a tool."
"""The note for a model that is asked again, since its message had neither text nor calls."""

_ANNOUNCED_ROUNDS: Final = 2
"""The number of rounds left from which on the model reads how many there are."""


def run_loop(loop: Loop, chat: Chat, decisions: Mapping[str, Decision] | None = None) -> Effects[End]:
    """Continue a conversation until there is an answer, or a reason why there is none; return the end.

    Args:
        loop: The rules.
        chat: The conversation; messages and steps are added to it.
        decisions: The decisions about the calls that wait in it.
    """
    if chat.prepared is not None:
        end = yield from resume_calls(loop, chat, decisions or {})
        if end is not None:
            return end
    calls: Sequence[ToolCall] = next(
        (each.tool_calls for each in reversed(chat.messages) if each.role == "assistant"), ()
    )
    while _has_rounds(loop, chat):
        completion = yield from ask_model(loop, chat)
        if isinstance(completion, End):
            return completion
        calls = completion.message.tool_calls
        take = run_or_refuse_calls if calls else _judge_answer
        end = yield from take(loop, chat, completion)
        if end is not None and end.reason == "empty" and chat.empty <= loop.retry_empty:
            chat.messages.pop()  # many providers refuse an empty message
        elif end is not None:
            return end
    if loop.summarizes:
        return (yield from _ask_for_summary(loop, chat))
    if chat.empty:
        return End(reason="empty")
    if calls or not chat.rounds:
        return End(reason="max_rounds")
    return End(
        reason="invalid_answer", error=ValueError(chat.messages[-1].text)
    )  # the last message says what is wrong with the answer


def ask_model(loop: Loop, chat: Chat, *, last: bool = False) -> Effects[Completion | End]:
    """Ask the model, and append its message; return its completion, or the end of the loop.

    Args:
        loop: The rules.
        chat: The conversation.
        last: Whether the model has to answer without calling.
    """
    start = perf_counter()
    tools = () if loop.expressions else loop.offered_tools(chat)
    choice = "none" if last and tools else "auto"
    schema = None if loop.expressions and not last else loop.answers.schema  # expressions are in the text, too
    outcome: Completion | End = yield AskModel(
        chat.control, loop.model, _request_messages(loop, chat), tools, choice, schema
    )
    if isinstance(outcome, End):
        return outcome
    chat.rounds += 1
    message = _with_unique_ids(outcome.message, chat)
    completion: Completion = outcome if message is outcome.message else replace(outcome, message=message)
    chat.cut_off = chat.cut_off + 1 if completion.finish_reason == "length" else 0
    chat.empty = 0 if message.tool_calls or message.text.strip() else chat.empty + 1
    chat.usage += completion.usage
    seconds = perf_counter() - start
    model = completion.model or loop.model.name
    chat.steps.append(Step(kind="model", seconds=seconds, message=message, model=model, usage=completion.usage))
    if completion.finish_reason == "tool_calls" and not message.tool_calls:
        why = f"{loop.model.name} says that it makes a call, but its message has none; try again"
        return End(reason="model_error", error=ModelError(why, retryable=True))
    chat.messages.append(message)
    return completion


def run_or_refuse_calls(loop: Loop, chat: Chat, completion: Completion) -> Effects[End | None]:
    """Run the calls of the model's message, or refuse them if the run ends with it.

    The run continues after a message that the limit of tokens cut off, since the model may write less the next time; it ends after the second such
    message in a row.

    Args:
        loop: The rules.
        chat: The conversation.
        completion: The message, which makes calls.

    Returns:
        The end of the loop, or None if the loop continues.
    """
    calls = completion.message.tool_calls
    reason = _reason_to_end(chat, completion)
    if reason is None:
        return (yield from run_calls(loop, chat, calls))
    yield from append_results(chat, [_cut_off_result(loop, call, STOP_REASON_TEXTS[reason]) for call in calls], 0.0)
    return End(reason=reason)


def _reason_to_end(chat: Chat, completion: Completion) -> Literal["length", "content_filter"] | None:
    """Return the reason to end the run after a message that a filter or a limit has cut off.

    Return None if the run continues, as after the first of several messages in a row that the limit of tokens cut off.
    """
    if completion.finish_reason == "content_filter":
        return "content_filter"
    return "length" if chat.cut_off > 1 else None


def _cut_off_result(loop: Loop, call: ToolCall, why: str) -> ToolResult:
    """Return the failed result of `call`, which is in a message that ends the run, and log it.

    It says why the call cannot be read, or for a call that can be read, `why` the run ends.
    """
    if not isinstance(call.arguments, UnreadArguments):
        return _refused_result(loop, call, why)
    result = failed_result(
        call, CallError("malformed_call", call.arguments.reason), pipeline_of(loop.executor).find(call.name)
    )
    log_failure(result)
    return result


def run_calls(loop: Loop, chat: Chat, calls: Sequence[ToolCall]) -> Effects[End | None]:
    """Run the calls of the last message, and append their results.

    Args:
        loop: The rules.
        chat: The conversation.
        calls: The calls.

    Returns:
        The end of the loop, or None if the loop continues.
    """
    why = loop.no_calls_reason or ("" if _results_are_read(loop, chat, calls) else "there are no rounds left")
    if why:
        yield from append_results(chat, [_refused_result(loop, call, why) for call in calls], 0.0)
        return _end_after(loop, chat, ())
    allowed = calls[: _calls_left(loop, chat)]
    start = perf_counter()
    for call in allowed:
        yield EmitEvent(chat.control, Calling(call=call))
    prepared = _prepare_for_approver(loop, chat, allowed)
    if prepared is not None and prepared.waiting:
        chat.suspend(prepared)
        return End(reason="approval")
    # Calls that need no decision are resumed at once: hooks are not asked twice.
    results = yield from results_of(loop, chat, allowed, prepared)
    return (yield from _append_all_results(loop, chat, results, calls[len(allowed) :], perf_counter() - start))


def resume_calls(loop: Loop, chat: Chat, decisions: Mapping[str, Decision]) -> Effects[End | None]:
    """Run the calls that waited for decisions, and append their results.

    Args:
        loop: The rules.
        chat: The conversation, whose last message makes the calls.
        decisions: The decisions, by the ids of the calls.

    Returns:
        The end of the loop, or None if the loop continues.
    """
    calls = chat.messages[-1].tool_calls
    allowed = calls[: _calls_left(loop, chat)]
    start = perf_counter()
    results = yield from results_of(loop, chat, allowed, chat.prepared, decisions)
    chat.end_suspension()
    return (yield from _append_all_results(loop, chat, results, calls[len(allowed) :], perf_counter() - start))


def results_of(
    loop: Loop,
    chat: Chat,
    calls: Sequence[ToolCall],
    prepared: PreparedCalls | None = None,
    decisions: Mapping[str, Decision] | None = None,
) -> Effects[list[ToolResult]]:
    """Run `calls`, and return their results.

    Calls of tools that are not visible are refused, and gateways open the tools behind them.

    Args:
        loop: The rules.
        chat: The conversation.
        calls: The calls.
        prepared: The same calls without those that are refused, if they were prepared.
        decisions: The decisions about prepared calls.
    """
    executor, visible = loop.executor, chat.visible
    if visible is None:
        results: list[ToolResult] = yield RunCalls(chat.control, executor, calls, prepared, decisions)
        return results
    refused = visible._refusals(calls)
    ran = yield RunCalls(chat.control, executor, without_refused(calls, refused), prepared, decisions)
    return visible._merge_results(refused, ran, len(calls))


def _prepare_for_approver(loop: Loop, chat: Chat, calls: Sequence[ToolCall]) -> PreparedCalls | None:
    """Return `calls` prepared, without refused ones, if one of them may need an approver's decision.

    Return None if the calls can run at once, or if the run does not wait for decisions.
    """
    executor = loop.executor
    pipeline = pipeline_of(executor)
    if not loop.suspends or all(pipeline.always_allows(call.name) for call in calls):
        return None
    return executor.prepare([call for call in calls if chat.visible is None or chat.visible.refusal(call) is None])


def append_results(chat: Chat, results: Sequence[ToolResult], seconds: float) -> Effects[None]:
    """Append the results of the last calls, each as its own message, and record them as a step.

    Args:
        chat: The conversation, whose last message makes the calls.
        results: The results, in the order of the calls.
        seconds: How long they took.
    """
    calls = chat.messages[-1].tool_calls
    chat.control.kept.note(results)
    for call, result in zip(calls, results, strict=True):
        yield EmitEvent(chat.control, Returned(result=result))
        message = Message.of_result(result, call.id)
        chat.messages.append(message if message.tool_call_id == call.id else message.replaced(tool_call_id=call.id))
    chat.record(results, seconds)


def _append_all_results(
    loop: Loop, chat: Chat, results: Sequence[ToolResult], beyond: Sequence[ToolCall], seconds: float
) -> Effects[End | None]:
    """Append `results`, and refusals of the calls `beyond` the limit; return the end of the loop, or None.

    A coroutine; see `Effects`. `seconds` is how long the calls took.
    """
    refused = [_refused_result(loop, call, "there are no calls left") for call in beyond]
    yield from append_results(chat, [*results, *refused], seconds)
    return _end_after(loop, chat, results)


def _end_after(loop: Loop, chat: Chat, results: Sequence[ToolResult]) -> End | None:
    """Return the end of the loop after `results`, or None if the loop continues.

    It ends after too many calls, with the first result of a stop tool that is not an error, or after too many repeated rounds.
    """
    if loop.max_tool_calls is not None and chat.calls > loop.max_tool_calls:
        return End(reason="max_tool_calls")
    final = next((each for each in results if each.ok and each.tool and each.tool.name in loop.stop_tools), None)
    if final is None:
        is_over = loop.max_repeats is not None and chat.repeats > loop.max_repeats
        return End(reason="repeated") if is_over else None
    if isinstance(loop.answers, TypedAnswers):
        return loop.answers.end_with(final)
    return End(reason="stop_tool", answer=final.content)


def _refused_result(loop: Loop, call: ToolCall, why: str) -> ToolResult:
    """Return the failed result of `call`, which is not run for the reason `why`, and log it."""
    error = CallError("unavailable", f"the call was not run: {why}")
    result = failed_result(call, error, pipeline_of(loop.executor).find(call.name))
    log_failure(result)
    return result


def _judge_answer(loop: Loop, chat: Chat, completion: Completion) -> Effects[End | None]:
    """Judge the message of `completion`, which has no calls, or run the expressions in its text.

    Return the end of the loop, or None if the loop continues. A coroutine; see `Effects`.
    """
    if loop.expressions is None:
        return loop.answers.end(chat, completion)
    if _reason_to_end(chat, completion) is not None:
        return loop.answers.end(chat, completion)
    outcome = yield from loop.expressions.run(loop, chat, completion.message.text, partial(_refusal_reason, loop, chat))
    if outcome == "answer":
        return loop.answers.end(chat, completion)
    if outcome == "ran" and (end := _end_after(loop, chat, chat.results)) is not None:
        return end
    if not _results_are_read(loop, chat, ()):
        return End(reason="max_rounds")
    return End(reason="max_tool_calls") if outcome == "refused" and not chat.cut_off else None


def _refusal_reason(loop: Loop, chat: Chat, calls: Sequence[ToolCall]) -> str:
    """Return the reason why none of `calls`, those of a message, may run, or an empty text if they may."""
    if chat.cut_off:  # the last call may be incomplete, and others may need its result
        return "the message is cut off by the limit of tokens; send it again, shorter"
    if not _results_are_read(loop, chat, calls):
        return "there are no rounds left"
    left = _calls_left(loop, chat)
    if left is None or len(calls) <= left:
        return ""
    return f"the message makes {len(calls)} calls, and {left} may still be made" if left else "there are no calls left"


def _calls_left(loop: Loop, chat: Chat) -> int | None:
    """Return how many more calls may run, at least 0, or None for any number."""
    return None if loop.max_tool_calls is None else max(loop.max_tool_calls - chat.calls, 0)


# --- Rounds ---


def _rounds_left(loop: Loop, chat: Chat) -> int:
    """Return how often the model may still be asked; 0 or less if no more."""
    return loop.max_rounds + chat.extra - chat.rounds


def _has_rounds(loop: Loop, chat: Chat) -> bool:
    """Return whether the model may be asked again; if not, `more_rounds` is called, and may add rounds.

    Raises:
        TypeError: `more_rounds` returned neither a whole number nor None.
    """
    if _rounds_left(loop, chat) <= 0 and (more := _more_rounds(loop, chat)):
        if type(more) is not int:
            raise TypeError(f"on_max_rounds returns a whole number of rounds, or None for none, not {more!r:.50}")
        chat.extra += max(more, 0)
    return _rounds_left(loop, chat) > 0


def _more_rounds(loop: Loop, chat: Chat) -> int | None:
    """Return what `more_rounds` returns; None if there is no such function, or if the run is, or is being, interrupted."""
    if loop.more_rounds is None or chat.control.interrupt is not None:
        return None
    try:
        return loop.more_rounds(chat.rounds)
    except (KeyboardInterrupt, SystemExit) as interrupt:  # it may ask a user
        chat.control.interrupt = interrupt
        return None


def _results_are_read(loop: Loop, chat: Chat, calls: Sequence[ToolCall]) -> bool:
    """Return whether the results of `calls` would be read, by the model or as the answer.

    False if no rounds are left, none can be added, no summary follows, and no call is of a stop tool. Then the calls do not run.
    """
    if _rounds_left(loop, chat) > 0 or loop.summarizes or loop.more_rounds is not None:
        return True
    find = pipeline_of(loop.executor).find
    return any((tool := find(call.name)) is not None and tool.name in loop.stop_tools for call in calls)


def _ask_for_summary(loop: Loop, chat: Chat) -> Effects[End]:
    """Ask the model for an answer without tools, and return the end of the loop.

    Calls that it makes nevertheless are refused, and the end is `max_rounds`. A coroutine; see `Effects`.
    """
    chat.messages.append(Message(role="user", content=SUMMARIZE, continues=True))
    completion = yield from ask_model(loop, chat, last=True)
    if isinstance(completion, End):
        return completion
    if calls := completion.message.tool_calls:
        refused = [_refused_result(loop, call, "no tool can be called any more") for call in calls]
        yield from append_results(chat, refused, 0.0)
        return End(reason="max_rounds")
    return loop.answers.end(chat, completion) or End(reason="invalid_answer")


# --- The messages of a request and of its answer ---


def _request_messages(loop: Loop, chat: Chat) -> tuple[Message, ...]:
    """Return the messages of a request: the instructions, if any, and the conversation.

    The last message gets notes; see `_notes`. `chat` does not change.
    """
    messages = chat.as_sent()
    for note in _notes(loop, chat, messages[-1]) if messages else ():
        messages[-1] = with_note(messages[-1], note)
    instructions = loop.instructions
    if loop.expressions is not None:
        syntax = loop.expressions.instructions(loop.offered_tools(chat))
        instructions = "\n\n".join(filter(None, (instructions, syntax)))
    if instructions:
        messages.insert(0, Message(role="system", content=instructions))
    return tuple(messages)


def _notes(loop: Loop, chat: Chat, last: Message) -> list[str]:
    """Return the notes for the model after `last`, the last message of a request.

    There is one if the model's last message was empty. If `last` has results, there are others if they repeat those of the round before, or few
    rounds are left.
    """
    notes = [_EMPTY_MESSAGE] if chat.empty and last.role != "assistant" else []
    # Results of expressions are in a message of the user
    if last.role == "tool" or (last.role == "user" and bool(chat.steps) and chat.steps[-1].kind == "tools"):
        left = _rounds_left(loop, chat)
        notes += [_REPEATED] if chat.repeats else []
        notes += [f"Tool-call rounds left: {left}."] if chat.rounds and 0 < left <= _ANNOUNCED_ROUNDS else []
    return notes


def _with_unique_ids(message: Message, chat: Chat) -> Message:
    """Return `message` with a unique id for each call, or `message` itself if all are unique.

    If an id changes, `native` is dropped, since it has the old ids.
    """
    if not message.tool_calls:
        return message
    calls = tuple(map(chat.call_ids().with_id, message.tool_calls))
    if all(new is old for new, old in zip(calls, message.tool_calls, strict=True)):
        return message
    return message.replaced(tool_calls=calls, native={})  # the provider's own form has the other ids


# --- The rules, the state and the end of a loop ---

MoreRounds = Callable[[int], int | None]
"""Takes the number of rounds so far, and returns how many more there may be, or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """The rules of a loop.

    Attributes:
        model: The model.
        answers: What counts as an answer.
        executor: Runs the calls.
        offered: The tools that the model sees if none are behind gateways; None if the environment decides which these are.
        instructions: The system message before the conversation; empty for none.
        max_rounds: How often the agent may ask the model.
        max_tool_calls: How many calls may run at most; None for any number.
        max_repeats: How often in a row a round may repeat the one before; None for any number.
        stop_tools: The tools whose result is the answer.
        summarizes: Whether the model is asked for an answer without tools, once there are no rounds left.
        more_rounds: Asked for more rounds when there are none left.
        retry_empty: How often the model is asked again in a row, if its message has neither text nor calls.
        suspends: Whether the run waits if an approver has to decide about a call.
        expressions: Runs calls that the model writes as expressions; None if it calls in the provider's own form.
        no_calls_reason: Why no call runs; empty if the tools that the model sees can be called.
    """

    model: Model
    answers: Answers
    executor: Executor
    offered: tuple[Tool, ...] | None = ()
    instructions: str = ""
    max_rounds: int = 5
    max_tool_calls: int | None = None
    max_repeats: int | None = None
    stop_tools: frozenset[str] = frozenset()
    summarizes: bool = False
    more_rounds: MoreRounds | None = None
    retry_empty: int = 1
    suspends: bool = True
    expressions: ExpressionRunner | None = None
    no_calls_reason: str = ""

    def offered_tools(self, chat: Chat) -> tuple[Tool, ...]:
        """Return the tools that the model sees in `chat`, without those whose environment is not set.

        Once a result of the run is kept, `read_result` is one of the tools.
        """
        tools = self._tools_of(chat)
        return (*tools, *pipeline_of(self.executor).unlisted.values()) if tools and chat.control.kept else tools

    def _tools_of(self, chat: Chat) -> tuple[Tool, ...]:
        """Return the available tools that the model is offered in `chat`, without `read_result`."""
        if chat.visible is not None:
            return chat.visible.offered()
        if self.offered is not None:
            return self.offered
        return tuple(tool for tool in self.executor.tools.values() if not tool.unavailable)


class ExpressionRunner(Protocol):
    """Runs the calls that a model writes as expressions; see `Expressions`."""

    def described_names(self) -> str: ...

    def instructions(self, tools: Sequence[Tool]) -> str: ...

    def run(
        self, loop: Loop, chat: Chat, text: str, refusal: Callable[[Sequence[ToolCall]], str]
    ) -> Effects[Literal["answer", "ran", "refused"]]: ...


def result_of(chat: Chat, end: End, agent: str, progress: Mapping[str, Any] | None = None) -> RunResult:
    """Return the result of a run that is one loop, or that waits in one.

    Args:
        chat: The state of the loop.
        end: How it ended.
        agent: The class of the agent, which alone can resume it.
        progress: More data that the agent needs to continue, such as its plan, as a JSON value.
    """
    state = None
    if chat.prepared is not None:
        opened = {} if chat.visible is None else chat.visible.to_json()
        state = RunState(agent=agent, chat=chat, progress=progress or {}, opened=opened, kept=chat.control.kept)
    return RunResult(
        answer=end.answer,
        stop_reason=end.reason,
        steps=tuple(chat.steps),
        messages=tuple(chat.messages),
        usage=chat.usage,
        error=end.error,
        pending=() if state is None else state.prepared.waiting,
        state=state,
    )


# --- Plans ---

_NO_CALLS: Final = "nothing can be called while the plan is made; write the plan as text"
"""The result of a call that a planner makes."""

_WRONG_PLAN: Final = (
    "This plan cannot be carried out:\n{problems}\n\nWrite the whole plan again, without these mistakes."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanDraft:
    """A plan as a planner wrote it.

    Attributes:
        plan: The plan.
        steps: Its steps in words.
        problems: What is wrong with it, for the planner.
        is_usable: Whether it can be carried out in spite of its problems.
    """

    plan: Any = ()
    steps: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    is_usable: bool = True


class Plans:
    """The `Answers` of a planner: a plan with problems is sent back. The answer is a `PlanDraft`.

    Args:
        read: Reads a plan.
        retries: How often the planner may try again.
    """

    schema: None = None

    def __init__(self, read: Callable[[str], PlanDraft], retries: int) -> None:
        self._read = read
        self._retries = retries

    def end(self, chat: Chat, completion: Completion) -> End | None:
        """Return the end of planning, or None if the planner has to try again."""
        if completion.finish_reason in ("length", "content_filter"):  # a plan that is cut off is not carried out
            return End(reason=completion.finish_reason)
        draft = self._read(completion.message.text)
        if draft.problems and chat.retries < self._retries:
            chat.retries += 1
            chat.empty = 0  # an empty plan is sent back as any other with problems
            wrong = _WRONG_PLAN.format(problems="\n".join(f"- {problem}" for problem in draft.problems))
            chat.messages.append(Message(role="user", content=wrong, continues=True))
            return None
        if draft.problems and not draft.is_usable:
            return End(reason="invalid_plan", error=ValueError("; ".join(draft.problems)))
        return End(reason="answered", answer=draft)


def make_plan(
    loop: Loop, model: Model, instructions: str, read: Callable[[str], PlanDraft], chat: Chat, replans: int
) -> Effects[End]:
    """Ask a planner until there is a plan, or a reason why there is none; the answer is a `PlanDraft`.

    Args:
        loop: The rules of the agent.
        model: The planner.
        instructions: The system message.
        read: Reads a plan.
        chat: The conversation, without tools.
        replans: How often the planner may try again.
    """
    planning = replace(
        loop,
        model=model,
        answers=Plans(read, replans),
        offered=(),
        instructions=instructions,
        max_rounds=replans + 1,
        no_calls_reason=_NO_CALLS,
    )
    before = len(chat.steps)
    yield EmitEvent(chat.control, Planning())
    end = yield from run_loop(planning, chat)
    if end.reason == "invalid_answer":  # there were no rounds left to try again
        return replace(end, reason="invalid_plan")
    if end.reason == "answered":
        draft: PlanDraft = end.answer
        yield EmitEvent(chat.control, Planned(steps=draft.steps))
        chat.steps.append(Step(kind="plan", seconds=seconds_since(chat, before), texts=draft.steps))
    return end


def seconds_since(chat: Chat, before: int) -> float:
    """Return the seconds spent since step ``before``."""
    return sum(step.seconds for step in chat.steps[before:])


def join_paragraphs(*texts: str) -> str:
    """Return one text with `texts` as its paragraphs, without empty ones."""
    return "\n\n".join(filter(None, texts))
