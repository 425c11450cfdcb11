"""How does a planner come to a plan that can be carried out? It is told what is wrong with its draft, and writes another, so often and no more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from fcregistry.agents._effects import Course
from fcregistry.agents._events import Planned, Planning
from fcregistry.agents._loop import looped
from fcregistry.agents._result import Step
from fcregistry.agents._rules import End, Loop, Talk
from fcregistry.models import Message

if TYPE_CHECKING:
    from fcregistry.agents._visible import VisibleTools
    from fcregistry.models import Completion, Model

CLOSED: Final = "nothing can be called while the plan is made; write the plan as text"
"""What a planner is told that calls."""

WRONG: Final = "This plan cannot be carried out:\n{problems}\n\nWrite the whole plan again, without these mistakes."


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
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
    """Takes what a planner says for a plan, as other answers are taken; one with problems is sent back. The answer is a `Draft`.

    Args:
        read: Reads a plan.
        retries: How often the planner may try again.
    """

    instructions = ""

    def __init__(self, read: Callable[[str], Draft], retries: int) -> None:
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
    """Ask a planner until there is a plan, or none is to be had; the answer is a `Draft`.

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
        draft: Draft = end.answer
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
