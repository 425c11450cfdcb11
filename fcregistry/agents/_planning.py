"""How a planner makes a plan: asking for one, reading its steps, and sending it back.

`make_plan` asks until a plan can be carried out, or has been sent back often enough. The parts below it: `steps_of` reads the steps of a plan in
words, and `StepAnswers` notices that a step has failed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry.agents._effects import Tell
from fcregistry.agents._events import Planned, Planning
from fcregistry.agents._loop import run_loop
from fcregistry.agents._run import End, Step, end_text
from fcregistry.models import Message

if TYPE_CHECKING:
    from fcregistry.agents._loop import Answers, Loop
    from fcregistry.agents._run import Chat
    from fcregistry.execution import Effects
    from fcregistry.models import Completion, Model

_NO_CALLS: Final = "nothing can be called while the plan is made; write the plan as text"
"""The result of a call that a planner makes."""

_WRONG: Final = "This plan cannot be carried out:\n{problems}\n\nWrite the whole plan again, without these mistakes."


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

    def __init__(self, read: Callable[[str], PlanDraft], retries: int) -> None:
        self._read = read
        self._retries = retries

    def end(self, chat: Chat, completion: Completion) -> End | None:
        """Return how planning ends; None if the planner has to try again."""
        if completion.finish_reason in ("length", "content_filter"):  # a plan that is cut off is not carried out
            return End(reason=completion.finish_reason)
        draft = self._read(completion.message.text)
        if not draft.problems:
            return End(reason="answered", answer=draft)
        if chat.retries < self._retries:
            chat.retries += 1
            wrong = _WRONG.format(problems="\n".join(f"- {problem}" for problem in draft.problems))
            chat.messages.append(Message(role="user", content=wrong, continues=True))
            return None
        if draft.is_usable:
            return End(reason="answered", answer=draft)
        return End(reason="invalid_plan", error=ValueError("; ".join(draft.problems)))


def make_plan(loop: Loop, model: Model, instructions: str, plans: Plans, chat: Chat, rounds: int) -> Effects[End]:
    """Ask a planner until there is a plan, or a reason why there is none; the answer is a `PlanDraft`.

    Args:
        loop: The rules of the agent.
        model: The planner.
        instructions: The system message.
        plans: Reads its answers.
        chat: The conversation, without tools.
        rounds: How often it is asked at most.
    """
    planning = replace(
        loop,
        model=model,
        answers=plans,
        offered=(),
        instructions=instructions,
        max_rounds=rounds,
        no_calls_reason=_NO_CALLS,
    )
    before = len(chat.steps)
    yield Tell(chat.control, Planning())
    end = yield from run_loop(planning, chat)
    if end.reason == "invalid_answer":  # there were no rounds left to try again
        return replace(end, reason="invalid_plan")
    if end.reason == "answered":
        draft: PlanDraft = end.answer
        yield Tell(chat.control, Planned(steps=draft.steps))
        chat.steps.append(Step(kind="plan", seconds=seconds_since(chat, before), texts=draft.steps))
    return end


def seconds_since(chat: Chat, before: int) -> float:
    """Return the seconds spent since step ``before``."""
    return sum(step.seconds for step in chat.steps[before:])


def join_paragraphs(*texts: str) -> str:
    """Return one text with texts as its paragraphs."""
    return "\n\n".join(filter(None, texts))


# --- The steps of a plan in words ---
#
# The steps are what the text numbers, or lists; a text that does neither is one step. The steps have the mark that comes first in the table below and
# is indented least, so that a list within a step stays in it. What comes before the first step, and a
# paragraph after the last one, belong to no step.

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
    """The beginning of a step, perhaps."""

    line: int
    kind: str
    indent: int
    text: str
    is_title: bool


def steps_of(text: str) -> tuple[str, ...]:
    """Return the steps of a plan, without their marks; none if the text is empty.

    Args:
        text: The text of a planner.
    """
    text = _END.split(text, maxsplit=1)[0]
    lines = text.expandtabs(4).splitlines()
    marks = _steps_among([mark for number, line in enumerate(lines) if (mark := _mark(number, line))])
    if not marks:
        prose = _LABEL.sub("", text, count=1).strip()
        return (prose,) if prose else ()
    ends = [mark.line for mark in marks[1:]]
    steps = [_step_text(mark, lines[mark.line + 1 : end]) for mark, end in zip(marks, ends, strict=False)]
    last = marks[-1]
    rest = lines[last.line + 1 :]
    steps.append(_step_text(last, rest if last.is_title else _without_closing(rest, last.indent)))
    return tuple(filter(None, steps))


def _mark(number: int, line: str) -> _Mark | None:
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
    """Return the marks that begin steps: those of the surest kind, indented least."""
    for kind in _MARKS:
        found = [mark for mark in marks if mark.kind == kind]
        least = min((mark.indent for mark in found), default=0)
        found = [mark for mark in found if mark.indent <= least + 1]
        if found and (len(found) > 1 or kind not in _NOT_ALONE):
            return found
    return []


def _step_text(mark: _Mark, lines: list[str]) -> str:
    step = "\n".join([mark.text, *(line.rstrip() for line in lines)]).strip()
    if step.count(_FENCE) % 2:  # the end of a fence around the plan
        step = step.removesuffix(_FENCE).rstrip()
    return step


def _without_closing(lines: list[str], indent: int) -> list[str]:
    """Return the lines of the last step, up to a paragraph that is indented no more than the step."""
    for number, line in enumerate(lines):
        after_blank = number > 0 and not lines[number - 1].strip()
        if after_blank and line.strip() and len(line) - len(line.lstrip()) <= indent and not _LINE.match(line):
            return lines[:number]
    return lines


# --- Failed steps ---

_FAILED: Final = re.compile(r"[\s*_`]*FAILED[*_`]*:[\s*_`]*(.*)", re.DOTALL)

REPLANNED: Final = frozenset({"answered", "max_rounds", "length", "content_filter", "invalid_answer"})
"""Ends of a failed step's loop after which another plan may help: not if the run is over, or there is no model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failure:
    """The answer of a step that could not be done."""

    reason: str


class StepAnswers:
    """Takes `FAILED: why` for a failure, and anything else as other `Answers` do."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers

    def end(self, chat: Chat, completion: Completion) -> End | None:
        found = _FAILED.match(completion.message.text)
        if found is None:
            return self._answers.end(chat, completion)
        return End(reason="answered", answer=_Failure(reason=found[1].strip() or "no reason was given"))


def failure_of(end: End) -> str | None:
    """Return why a step has no result; None if it has one."""
    if isinstance(end.answer, _Failure):
        return end.answer.reason
    if end.reason == "answered":
        return None
    return end_text(end.reason, end.error)


def end_of_failed_step(step: str, end: End) -> End:
    """Return how a run ends if a step fails and no other plan is made."""
    if not isinstance(end.answer, _Failure):
        return replace(end, answer=None)
    return End(reason="step_failed", error=RuntimeError(f"{step!r:.200} could not be done: {end.answer.reason}"))
