"""`PlanAndSolveAgent`, which makes a plan first, and then solves it step by step.

Source: Wang et al., "Plan-and-Solve Prompting"; the steps have tools here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, overload

from fcregistry.agents._agent import Agent, rounds_limit
from fcregistry.agents._answers import TextAnswers
from fcregistry.agents._effects import EmitEvent, StepBegan, StepEnded
from fcregistry.agents._loop import (
    PlanDraft,
    join_paragraphs,
    make_plan,
    result_of,
    run_loop,
    seconds_since,
)
from fcregistry.agents._react import ExpressionOptions, expressions_of
from fcregistry.agents._run import AnswerT_co, End, Step, checked_limit, end_text
from fcregistry.models import Message, resolve
from fcregistry.types import codec_of

if TYPE_CHECKING:
    from typing import Unpack

    from fcregistry._tools.tool import Tool
    from fcregistry.agents._agent import AgentOptions, AgentTools
    from fcregistry.agents._answers import Answers
    from fcregistry.agents._run import Chat, RunResult
    from fcregistry.execution import Decision, Effects
    from fcregistry.models import Completion, Model, ModelLike

_PLANNER: Final = """\
Make a plan for what is asked for. Do not carry it out, and call nothing.

Write a numbered list with one step in each line: as few as will do, and at most {most}. One step is enough where nothing depends on anything else. \
The steps are carried out one after another, by a model that knows what is asked for, the plan and the results of the steps before; the last one \
gives the answer.

{tools}"""
"""The instructions of the planner."""

_WITH_TOOLS: Final = "These tools can be used:\n{tools}"
_WITHOUT_TOOLS: Final = "There are no tools."

_SOLVER: Final = """\
You carry out a plan, one step at a time, with the tools that you have. If a step cannot be done, answer with `FAILED:` and the reason, \
and nothing else."""
"""The instructions of the solver."""


class PlanOptions(ExpressionOptions, total=False):
    """The options that `PlanAndSolveAgent` describes."""

    planner: ModelLike | None
    max_steps: int
    max_replans: int


class PlanAndSolveAgent(Agent[AnswerT_co]):
    """Has a planner write steps, and solves each in a loop with tools.

    The loop of a step sees the goal, the plan and the results so far.

    The answer of the last step is the agent's answer, so the agent needs no further request. `answer_type` applies to the last step. A step
    fails if its loop ends without an answer, or the model answers `FAILED: why`. Then the planner writes a new plan for the rest of the task.
    A plan without numbers or bullets is one step.

    Args:
        llm: The model that solves the steps: a name such as `"openai:gpt-5"`, a `Model`, or a function from messages to a message or a text.
        tools: The tools that the model may call: names, selectors, functions, `Tool`s, toolsets, or lists of these; or an `Executor`, which
            has options of its own.
        planner: The model that plans; by default, the same.
        max_steps: How many steps a plan may have. A longer one is sent back.
        max_rounds: How often the agent may ask the model for each step; 5 by default.
        max_replans: How often the planner may write a plan again, after a failed step or a plan with problems; 0 for never.
        max_tool_calls: How many calls may run at most; None for any number.
        max_repeats: How often in a row a round may repeat the calls and results of the one before; 0 for never, None for any number. In each
            case, the model reads that it repeats itself.
        calls: How the solver writes calls: `json`, the provider's own form, or `expression`, calls as Python expressions, which may be nested.
        context: The names that expressions may use, with their values. The planner sees their names.
        allow: The functions that expressions may call in addition to tools, such as `{"np.array": np.array}`.
        return_last_tool_calls: Whether calling the agent returns the calls of the last round with their results, and not the answer.
        max_retries: Another name of `max_rounds`, which LazyLLM's agents have.
        answer_type: The type of the answer; text by default. An answer that is not of the type is sent back to the model.
        **options: The options of every agent, by keyword. They are the following.
        instructions: The system message before every conversation.
        answer_retries: How often the model may try again to answer with that type.
        retry_empty: How often the agent asks again in a row, if the message of the model has neither text nor calls.
        registry: The `Registry` where names of tools are looked up; the process's by default.
        approve: Decides about calls that need approval: a function, or a coroutine function, of the tool and the call that returns
            `Approve()`, `Deny("why")` or a bool. Without it, a run stops at such calls, and `resume` continues it.
        deps: Objects that tools can receive as `context.deps`; or a class, if every run passes an object of it.

    Raises:
        ValueError: A limit is not a whole number that it may be, or `calls` is neither.
        TypeError: `context` or `allow` is not a dict from names.
        ModelNotFoundError: There is no model of the name of the planner.
    """

    @overload
    def __init__(
        self: PlanAndSolveAgent[str], llm: ModelLike, tools: AgentTools = ..., **options: Unpack[PlanOptions]
    ) -> None: ...
    @overload
    def __init__(
        self, llm: ModelLike, tools: AgentTools = ..., *, answer_type: type[AnswerT_co], **options: Unpack[PlanOptions]
    ) -> None: ...
    @overload
    def __init__(
        self: PlanAndSolveAgent[Any],
        llm: ModelLike,
        tools: AgentTools = ...,
        *,
        answer_type: Any = ...,
        return_last_tool_calls: bool = ...,
        **options: Unpack[PlanOptions],
    ) -> None: ...
    def __init__(
        self,
        llm: ModelLike,
        tools: AgentTools = (),
        *,
        planner: ModelLike | None = None,
        max_steps: int = 10,
        max_rounds: int | None = None,
        max_replans: int = 2,
        max_tool_calls: int | None = None,
        max_repeats: int | None = None,
        calls: Literal["json", "expression"] = "json",
        context: Mapping[str, Any] | None = None,
        allow: Mapping[str, Callable[..., Any]] | None = None,
        return_last_tool_calls: bool = False,
        max_retries: int | None = None,
        answer_type: Any = str,
        **options: Unpack[AgentOptions],
    ) -> None:
        super().__init__(llm, tools, answer_type=answer_type, **options)
        self.planner: Model = self.model if planner is None else resolve(planner)
        self._returns_calls = return_last_tool_calls
        self._max_steps = checked_limit("max_steps", max_steps)
        self._max_replans = checked_limit("max_replans", max_replans, 0)
        self._own_instructions = options.get("instructions", "")
        step = replace(
            self._loop,
            answers=StepAnswers(TextAnswers()),
            instructions=join_paragraphs(self._own_instructions, _SOLVER),
            max_rounds=rounds_limit(max_rounds, max_retries),
            max_tool_calls=None if max_tool_calls is None else checked_limit("max_tool_calls", max_tool_calls),
            max_repeats=None if max_repeats is None else checked_limit("max_repeats", max_repeats, 0),
            expressions=expressions_of(calls, context, allow),
        )
        self._step = step
        self._last_step = replace(
            step, answers=StepAnswers(self._answers), instructions=join_paragraphs(_SOLVER, self._instructions)
        )

    def _steps(
        self, chat: Chat, stored: Mapping[str, Any], decisions: Mapping[str, Decision]
    ) -> Effects[RunResult[AnswerT_co]]:
        """Plan and solve until there is an answer, or a reason why there is none; return the result.

        A coroutine; see `Effects`. The arguments are those of `Agent._steps`.
        """
        if chat.prepared is None:
            progress = PlanProgress(goal=len(chat.messages))
            chat.history = list(chat.messages)
        else:
            progress = codec_of(PlanProgress).decode(stored)
        visible, end = chat.visible, None
        while end is None:
            if chat.prepared is None:
                if progress.place == len(progress.plan) or progress.failure is not None:
                    tools = self._step.offered_tools(chat)
                    chat, end = yield from self._plan(progress, chat, tools)
                    if end is not None:
                        break
                chat = chat.next(progress.for_solver(chat), visible)
                yield EmitEvent(chat.control, StepBegan(index=progress.place, text=progress.step))
            loop = self._last_step if progress.is_last else self._step
            before = len(chat.steps)
            ended = yield from run_loop(loop, chat, decisions)
            end = yield from self._record_step(progress, chat, ended, seconds_since(chat, before))
        return self._result(progress, chat, end)

    def _plan(self, progress: PlanProgress, chat: Chat, tools: Sequence[Tool]) -> Effects[tuple[Chat, End | None]]:
        """Ask the planner for a plan with `tools`, and put it into `progress`.

        Return the conversation with the planner, and the end of the run if there is no plan, or None. A coroutine; see `Effects`.
        """
        chat = chat.next(progress.for_planner(chat))
        chat.retries = progress.replans
        known = progress.goal + (progress.failure is not None)
        instructions = self._planner_instructions(tools)
        end = yield from make_plan(self._loop, self.planner, instructions, self._draft, chat, self._max_replans)
        chat.history += chat.messages[known:]
        progress.replans = chat.retries
        if end.reason != "answered":
            return chat, end
        progress.plan, progress.place, progress.failure = end.answer.plan, 0, None
        return chat, None

    def _record_step(self, progress: PlanProgress, chat: Chat, end: End, seconds: float) -> Effects[End | None]:
        """Record the end of a step in `progress`; return the end of the run, or None if it continues.

        The run ends with the last step, when a call waits for approval, and after a failure that no other plan may follow. `seconds` is how
        long the step took. A coroutine; see `Effects`.
        """
        if end.reason == "approval":
            return end
        chat.history += chat.messages[progress.goal + 1 :]
        failure = failure_of(end)
        outcome = chat.messages[-1].text if failure is None else failure
        yield EmitEvent(chat.control, StepEnded(index=progress.place, text=outcome, ok=failure is None))
        chat.steps.append(Step(kind="step", seconds=seconds, texts=(progress.step, outcome)))
        if failure is None:
            was_last = progress.is_last
            progress.done.append((progress.step, outcome))
            progress.place += 1
            return end if was_last else None
        if end.reason in REPLANNED and progress.replans < self._max_replans:
            progress.replans += 1
            progress.failure = failure
            return None
        error = end.error
        if end.reason == "step_failed":
            error = RuntimeError(f"{progress.step!r:.200} could not be done: {failure}")
        return replace(end, answer=None, error=error)

    def _result(self, progress: PlanProgress, chat: Chat, end: End) -> RunResult[AnswerT_co]:
        """Return the result of the run that ended with `end`, with its state if calls wait for approval.

        Its messages are those of all conversations of the run.
        """
        waits = chat.prepared is not None
        stored = codec_of(PlanProgress).encode(progress) if waits else None
        waiting = chat.messages[progress.goal + 1 :] if waits else ()
        return replace(result_of(chat, end, type(self).__name__, stored), messages=(*chat.history, *waiting))

    def _planner_instructions(self, offered: Sequence[Tool]) -> str:
        """Return the system message for the planner, with the names and summaries of the tools `offered`.

        If there are expressions, it also describes the names that they may use.
        """
        lines = "\n".join(f"- {tool.name}: {tool.summary}".rstrip(": ") for tool in offered)
        tools = _WITH_TOOLS.format(tools=lines) if lines else _WITHOUT_TOOLS
        if lines and self._step.expressions is not None:
            tools = "\n".join(filter(None, (tools, self._step.expressions.described_names())))
        return join_paragraphs(self._own_instructions, _PLANNER.format(most=self._max_steps, tools=tools))

    def _draft(self, text: str) -> PlanDraft:
        """Return the plan in `text` as a `PlanDraft`, with a problem if it has no steps, or too many."""
        steps = steps_of(text)
        problem = "" if steps else "there is no step in it"
        if len(steps) > self._max_steps:
            problem = f"it has {len(steps)} steps, and may have {self._max_steps}"
        return PlanDraft(plan=steps, steps=steps, problems=(problem,) if problem else (), is_usable=False)


# --- The progress of a run ---

_STEP: Final = "Now carry out step {number} of the plan, and no other: {step}\n\n{end}"
_NOT_LAST: Final = "Answer with its result."
_LAST: Final = "It is the last step: answer the whole request with what is known then."
_DONE: Final = "These steps are done:\n{results}\n\n"
_FAILED: Final = (
    "{done}Step {number} of the plan could not be done: {step}\nThe reason: {reason}\n\n"
    "Write a plan for what is left to do, another way."
)


@dataclass(slots=True, kw_only=True)
class PlanProgress:
    """The progress of a run. It changes.

    Attributes:
        goal: The number of messages that the run began with.
        plan: The steps of the plan.
        place: The index of the next step.
        done: The steps that are done, of earlier plans too, each with its result.
        replans: How often the planner wrote a plan again.
        failure: Why the next step could not be done; None if it did not fail.
    """

    goal: int
    plan: tuple[str, ...] = ()
    place: int = 0
    done: list[tuple[str, str]] = field(default_factory=list)
    replans: int = 0
    failure: str | None = None

    @property
    def step(self) -> str:
        """The next step."""
        return self.plan[self.place]

    @property
    def is_last(self) -> bool:
        """Whether the next step is the last one."""
        return self.place == len(self.plan) - 1

    def for_planner(self, chat: Chat) -> list[Message]:
        """Return the conversation with the planner: the goal, and how the previous plan failed."""
        goal = chat.history[: self.goal]
        if self.failure is None:
            return goal
        text = _FAILED.format(done=self._done_steps(), number=self.place + 1, step=self.step, reason=self.failure)
        return [*goal, self._plan_message(), Message(role="user", content=text, continues=True)]

    def for_solver(self, chat: Chat) -> list[Message]:
        """Return the conversation for the next step: the goal, the plan, and the results so far."""
        text = _STEP.format(number=self.place + 1, step=self.step, end=_LAST if self.is_last else _NOT_LAST)
        return [
            *chat.history[: self.goal],
            self._plan_message(),
            Message(role="user", content=self._done_steps() + text, continues=True),
        ]

    def _plan_message(self) -> Message:
        """Return the plan as a message of the role `assistant`, with its steps as numbered lines."""
        lines = (f"{number}. {step}" for number, step in enumerate(self.plan, 1))
        return Message(role="assistant", content="\n".join(lines))

    def _done_steps(self) -> str:
        """Return a paragraph with the steps that are done and their results; an empty text if there are none."""
        results = "\n".join(f"- {step}\n  Result: {result}" for step, result in self.done)
        return _DONE.format(results=results) if results else ""


# --- The steps of a plan in words ---
#
# The steps are the items that the text numbers or lists; a text without such items is one step. The steps have the mark that comes first in the
# table below and is indented least, so that a list within a step stays in it. The text before the first step, and a paragraph after the last one,
# belong to no step.

_CHINESE: Final = "[一二三四五六七八九十百]{1,4}"
_STOPS: Final = ".):、．："  # noqa: RUF001  # follow a number, in Chinese too
_WORDS: Final = "step|task|phase|schritt|étape|etape|paso|passo|etapa|шаг|步骤|第"
_COUNTED: Final = "one|two|three|four|five|six|seven|eight|nine|ten"

_MARKS: Final = {
    "step": rf"(?:{_WORDS})\s*(?:\d{{1,3}}|{_CHINESE}|{_COUNTED})\s*步?(?:\s*[{_STOPS},，–—-]|(?=[\s*_])|$)",  # noqa: RUF001  # as above
    "number": rf"(?:[(\[（]\s*\d{{1,3}}\s*[)\]）]|\d{{1,3}}\s?[{_STOPS}](?!\d))",  # noqa: RUF001  # as above
    "chinese": rf"(?:[(（]\s*{_CHINESE}\s*[)）]|{_CHINESE}\s?[{_STOPS}，])",  # noqa: RUF001  # as above
    "circled": "[①-⑳]",
    "bullet": r"(?:[-+•–—‣◦]|\*(?!\*))(?=\s)",  # noqa: RUF001  # what models write for bullets
    "letter": r"\(?(?:[A-Z]|[IVX]{2,5})[.)](?=\s)",
    "dashed": r"\d{1,3}\s+[-–—](?=\s)",  # noqa: RUF001  # as above
}
"""How steps are marked, the surest first."""

_NOT_ALONE: Final = frozenset({"letter", "dashed"})
"""Marks that count only if several lines have them: a sentence may begin with `I.`, and a sum with `20 - 3`."""

_LINE: Final = re.compile(
    r"(?P<indent>\s*)(?:[-+*•]\s+)?(?P<heading>#{1,6}\s+)?(?P<bold>\*\*|__)?"
    rf"(?:{'|'.join(f'(?P<{kind}>{mark})' for kind, mark in _MARKS.items())})"
    r"\s*(?P<text>.*)",
    re.IGNORECASE | re.DOTALL,
)
_LABEL: Final = re.compile(r"(?:[*_#\s]*plan[*_\s]*[:：][*_\s]*)?", re.IGNORECASE)  # noqa: RUF001  # as above
_END: Final = re.compile(
    r"(?:<END_OF_PLAN>|</plan>)[^\w\n]*$|^[^\w\n]*END[ _]OF[ _](?:THE[ _])?PLAN[^\w\n]*$", re.IGNORECASE | re.MULTILINE
)
"""The mark that some models write after a plan, as they are asked to elsewhere (LangChain)."""

_FENCE: Final = "```"


class _Mark(NamedTuple):
    """A mark at the beginning of a line, which may begin a step."""

    line: int
    kind: str
    indent: int
    text: str
    is_title: bool


def steps_of(text: str) -> tuple[str, ...]:
    """Return the steps of the plan in `text`, without their marks; an empty tuple if the text is empty.

    Args:
        text: The text of a planner.
    """
    text = _END.split(text, maxsplit=1)[0]
    lines = text.expandtabs(4).splitlines()
    marks = _steps_among([mark for number, line in enumerate(lines) if (mark := _mark(number, line))])
    if not marks:
        prose = _LABEL.sub("", text, count=1).strip()
        return (prose,) if prose else ()
    ends = [*(mark.line for mark in marks[1:]), len(lines)]
    bodies = [lines[mark.line + 1 : end] for mark, end in zip(marks, ends, strict=True)]
    if not marks[-1].is_title:
        bodies[-1] = _without_closing(bodies[-1], marks[-1].indent)
    return tuple(filter(None, map(_step_text, marks, bodies)))


def _mark(number: int, line: str) -> _Mark | None:
    """Return the `_Mark` at the beginning of `line`, such as `1.` or `Step 1:`, or None if it has none.

    `number` is the index of the line.
    """
    found = _LINE.match(line)
    if found is None or found.lastgroup is None:
        return None
    kind = next(kind for kind in _MARKS if found[kind])
    text = found["text"].strip()
    is_title = bool(found["heading"])
    if found["bold"]:
        is_title = is_title or text.endswith(found["bold"])
        text = text.replace(found["bold"], "", 1).lstrip(f"{_STOPS}–—- ").rstrip()  # noqa: RUF001  # as above
    return _Mark(number, kind, len(found["indent"]), text, is_title)


def _steps_among(marks: list[_Mark]) -> list[_Mark]:
    """Return those of `marks` that begin steps; an empty list if none does.

    They are of the first kind in `_MARKS` that occurs, and not indented further than the least of that kind, plus one. A kind in `_NOT_ALONE`
    counts only if there are several such marks.
    """
    for kind in _MARKS:
        found = [mark for mark in marks if mark.kind == kind]
        least = min((mark.indent for mark in found), default=0)
        found = [mark for mark in found if mark.indent <= least + 1]
        if found and (len(found) > 1 or kind not in _NOT_ALONE):
            return found
    return []


def _step_text(mark: _Mark, lines: list[str]) -> str:
    """Return the text of the step that begins with `mark` and continues on `lines`; may be empty.

    White space around it, and the end of a fence around the plan, are removed.
    """
    step = "\n".join([mark.text, *(line.rstrip() for line in lines)]).strip()
    if step.count(_FENCE) % 2:  # the end of a fence around the plan
        step = step.removesuffix(_FENCE).rstrip()
    return step


def _without_closing(lines: list[str], indent: int) -> list[str]:
    """Return `lines`, those of the last step, without the prose that follows the plan.

    The prose begins at the first line after a blank one that is indented no more than `indent`, and has no mark of a step. Without such a line,
    return all of `lines`.
    """
    for number, line in enumerate(lines):
        after_blank = number > 0 and not lines[number - 1].strip()
        if after_blank and line.strip() and len(line) - len(line.lstrip()) <= indent and not _LINE.match(line):
            return lines[:number]
    return lines


# --- Failed steps ---

_FAILURE: Final = re.compile(r"[\s*_`]*FAILED[*_`]*:[\s*_`]*(.*)", re.DOTALL)

REPLANNED: Final = frozenset({"step_failed", "max_rounds", "length", "content_filter", "empty", "invalid_answer"})
"""Ends of a failed step's loop after which another plan may help: not if the run is over, or there is no model."""


class StepAnswers:
    """Reads `FAILED: why` as a failure for that reason, and other texts as the other `Answers` do.

    The schema of the answer does not constrain the model: it could not write a failure.
    """

    schema: Mapping[str, Any] | None = None

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    def end(self, chat: Chat, completion: Completion) -> End | None:
        """Return the end of a failed step, or what the other `Answers` return."""
        found = _FAILURE.match(completion.message.text)
        if found is None:
            return self._answers.end(chat, completion)
        return End(reason="step_failed", answer=found[1].strip() or "no reason was given")


def failure_of(end: End) -> str | None:
    """Return the reason why the step with the end `end` has no result, or None if it has one."""
    if end.reason == "answered":
        return None
    return end.answer if end.reason == "step_failed" else end_text(end.reason, end.error)
