"""How does a planner come to a plan that can be carried out? It is told what is wrong with its draft, and writes another, so often and no more.

MERGED: Which steps does the text of a plan have? What it numbers, or lists; a text that does neither is one step.

The marks are told from one another, so that a list within a step stays in it: the steps are what has the mark that stands first in the table
below and is indented least. What comes before the first step, and a paragraph after the last one, belong to none.
MERGED: When has a step of a plan failed? When its loop comes to no answer, or the model says so: `FAILED: why`.
MERGED: Which tools does a planner see that cannot open gateways? Those that are visible, and those behind gateways that have to do with the goal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._tools.search import ToolSearch
from fcregistry._tools.tool import Toolset
from fcregistry.agents._effects import Course
from fcregistry.agents._gateways import Opened, gateway_of
from fcregistry.agents._loop import End, Loop, Talk, looped
from fcregistry.agents._result import STOP_REASON_TEXTS, Planned, Planning, Step
from fcregistry.models import Message

if TYPE_CHECKING:
    from fcregistry.agents._loop import Answers
    from fcregistry.agents._visible_tools import VisibleTools
    from fcregistry.models import Completion, Model

# --- agents._planning ---

CLOSED: Final = "nothing can be called while the plan is made; write the plan as text"
"""What a planner is told that calls."""

WRONG: Final = "This plan cannot be carried out:\n{problems}\n\nWrite the whole plan again, without these mistakes."


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanDraft:
    """What a planner wrote.

    Attributes:
        plan: The plan.
        steps: Its steps in words.
        problems: What is wrong with it, for the planner.
        is_usable: Whether it can be carried out all the same.
    """

    plan: Any
    steps: tuple[str, ...]
    problems: tuple[str, ...] = ()
    is_usable: bool = True


class Plans:
    """Takes what a planner says for a plan, as other answers are taken; one with problems is sent back. The answer is a `PlanDraft`.

    Args:
        read: Reads a plan.
        retries: How often the planner may try again.
    """

    instructions = ""

    def __init__(self, read: Callable[[str], PlanDraft], retries: int) -> None:
        self._read = read
        self._retries = retries

    def end(self, talk: Talk, completion: Completion) -> End | None:
        """Return how planning ends, or None if the planner is to try again."""
        if completion.finish_reason in ("length", "content_filter"):  # what is cut off is not carried out
            return End(reason=completion.finish_reason)
        draft = self._read(completion.message.text)
        if not draft.problems:
            return End(reason="answered", answer=draft)
        if talk.retries < self._retries:
            talk.retries += 1
            told = WRONG.format(problems="\n".join(_listed(draft.problems)))
            talk.messages.append(Message(role="user", content=told, continues=True))
            return None
        if draft.is_usable:
            return End(reason="answered", answer=draft)
        return End(reason="invalid_plan", error=ValueError("; ".join(draft.problems)))


def planned(model: Model, instructions: str, plans: Plans, talk: Talk, rounds: int) -> Course[End]:
    """Ask a planner until there is a plan, or none is to be had; the answer is a `PlanDraft`.

    Args:
        model: The planner.
        instructions: What it is told before the conversation.
        plans: Reads what it says.
        talk: The conversation, without tools.
        rounds: How often it is asked at most.
    """
    loop = Loop(model=model, answers=plans, instructions=instructions, max_rounds=rounds, closed=CLOSED)
    before = len(talk.steps)
    yield Planning()
    end = yield from looped(loop, talk)
    if end.reason == "invalid_answer":  # there were no rounds left to try again
        return replace(end, reason="invalid_plan")
    if end.reason == "answered":
        draft: PlanDraft = end.answer
        yield Planned(steps=draft.steps)
        talk.steps.append(Step(kind="plan", seconds=seconds_since(talk, before), texts=draft.steps))
    return end


def seconds_since(talk: Talk, before: int) -> float:
    """Return how long took what was done since a run had so many steps."""
    return sum(step.seconds for step in talk.steps[before:])


def following(talk: Talk, visible: VisibleTools, messages: Sequence[Message], taken: Collection[str] = ()) -> Talk:
    """Return another conversation of the same run, which goes on counting what the run took.

    Args:
        talk: The one before.
        visible: The tools that the model sees in it.
        messages: What it begins with.
        taken: The ids of calls elsewhere in the run.
    """
    return Talk(
        visible=visible, messages=list(messages), calls=talk.calls, usage=talk.usage, steps=talk.steps, taken=taken
    )


def _listed(problems: Sequence[str]) -> list[str]:
    return [f"- {problem}" for problem in problems]


def joined(*texts: str) -> str:
    """Return texts as paragraphs of one."""
    return "\n\n".join(filter(None, texts))


def checked_count(name: str, value: object) -> int:
    """Return a number of times.

    Raises:
        ValueError: It is no number of 0 or more.
    """
    if type(value) is not int or value < 0:
        raise ValueError(f"{name} takes a whole number of 0 or more, not {value!r}")
    return value


# --- agents._plans ---

_CHINESE: Final = "[一二三四五六七八九十百]{1,4}"
_STOPS: Final = ".):、．："  # noqa: RUF001  # what stands after a number, in Chinese too
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
"""What marks steps only where several lines have it: a sentence may begin with `I.`, and a sum with `20 - 3`."""

_LINE: Final = re.compile(
    r"(?P<indent>\s*)(?:[-+*•]\s+)?(?P<heading>#{1,6}\s+)?(?P<bold>\*\*|__)?"
    rf"(?:{'|'.join(f'(?P<{kind}>{mark})' for kind, mark in _MARKS.items())})"
    r"\s*(?P<text>.*)",
    re.IGNORECASE | re.DOTALL,
)
_LABEL: Final = re.compile(r"(?:[*_#\s]*plan[*_\s]*[:：][*_\s]*)?", re.IGNORECASE)  # noqa: RUF001  # as above
_FENCE: Final = "```"


class _Mark(NamedTuple):
    """The beginning of a step, perhaps."""

    line: int
    kind: str
    indent: int
    text: str
    is_title: bool


def steps_of(text: str) -> tuple[str, ...]:
    """Return the steps of a plan, without their marks; none if it says nothing.

    Args:
        text: What a planner wrote.
    """
    lines = text.expandtabs(4).splitlines()
    marks = _steps_among([mark for number, line in enumerate(lines) if (mark := _mark(number, line))])
    if not marks:
        prose = _LABEL.sub("", text, count=1).strip()
        return (prose,) if prose else ()
    ends = [mark.line for mark in marks[1:]]
    steps = [_joined(mark, lines[mark.line + 1 : end]) for mark, end in zip(marks, ends, strict=False)]
    last = marks[-1]
    rest = lines[last.line + 1 :]
    steps.append(_joined(last, rest if last.is_title else _without_closing(rest, last.indent)))
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
    """Return the marks that begin steps: of the surest kind there is, and indented least."""
    for kind in _MARKS:
        found = [mark for mark in marks if mark.kind == kind]
        least = min((mark.indent for mark in found), default=0)
        found = [mark for mark in found if mark.indent <= least + 1]
        if found and (len(found) > 1 or kind not in _NOT_ALONE):
            return found
    return []


def _joined(mark: _Mark, lines: list[str]) -> str:
    step = "\n".join([mark.text, *(line.rstrip() for line in lines)]).strip()
    if step.count(_FENCE) % 2:  # the end of a fence around the plan
        step = step.removesuffix(_FENCE).rstrip()
    return step


def _without_closing(lines: list[str], indent: int) -> list[str]:
    """Return the lines of the last step: up to the first paragraph that is indented no more than the step itself."""
    for number, line in enumerate(lines):
        after_blank = number > 0 and not lines[number - 1].strip()
        if after_blank and line.strip() and len(line) - len(line.lstrip()) <= indent and not _LINE.match(line):
            return lines[:number]
    return lines


# --- agents._step_answers ---

_FAILED: Final = re.compile(r"[\s*_`]*FAILED[*_`]*:[\s*_`]*(.*)", re.DOTALL)

_OF_THE_STEP: Final = frozenset({"answered", "max_rounds", "length", "content_filter", "invalid_answer"})
"""How a loop ends of a step that has failed, where another plan may help: not if the run is over, or there is no model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failure:
    """Stands for the answer of a step that could not be done."""

    reason: str


class StepAnswers:
    """Takes `FAILED: why` for the end of a step, whatever else its answer has to be."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self.instructions = answers.instructions

    def end(self, talk: Talk, completion: Completion) -> End | None:
        found = _FAILED.match(completion.message.text)
        if found is None:
            return self._answers.end(talk, completion)
        return End(reason="answered", answer=_Failure(reason=found[1].strip() or "no reason was given"))


def failure_of(end: End) -> str | None:
    """Return why a step has no result; None where it has one."""
    if isinstance(end.answer, _Failure):
        return end.answer.reason
    if end.reason == "answered":
        return None
    return f"{STOP_REASON_TEXTS[end.reason]}: {end.error}" if end.error is not None else STOP_REASON_TEXTS[end.reason]


def given_up(step: str, end: End) -> End:
    """Return how a run ends in which a step fails, and no other plan is made."""
    if not isinstance(end.answer, _Failure):
        return replace(end, answer=None)
    return End(reason="step_failed", error=RuntimeError(f"{step!r:.200} could not be done: {end.answer.reason}"))


def may_go_on(end: End) -> bool:
    """Tell whether another plan may help where a step ended like this."""
    return end.reason in _OF_THE_STEP


# --- agents._foresight ---

MOST_FOUND: Final = 20
"""How many tools behind gateways a planner sees at most."""


class Foresight:
    """Finds tools behind the gateways of one agent; what it searches is kept from run to run.

    Args:
        visible: A conversation with the agent's executor.
    """

    def __init__(self, visible: VisibleTools) -> None:
        arrangement = visible._arrangement
        self._search = None if arrangement is None else ToolSearch(arrangement.tools.values())

    def open(self, visible: VisibleTools, goal: str) -> None:
        """Open what has to do with a goal, in one conversation.

        Raises:
            MissingDependencyError: There are gateways, and this Python's SQLite was built without FTS5.
        """
        if self._search is not None:
            found = self._search.best(goal, MOST_FOUND)
            visible._open(visible._opened | Opened(tools=frozenset(tool.name for tool in found)))


def callable_tools(visible: VisibleTools) -> Toolset:
    """Return the visible tools that do something other than to show more tools."""
    return Toolset(tool for tool in visible.tools.values() if gateway_of(tool) is None)
