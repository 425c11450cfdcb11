"""What are the rules of a loop, how far is a conversation in it, and how may it end?"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fcregistry.models import Usage

if TYPE_CHECKING:
    from fcregistry.agents._answers import Answers
    from fcregistry.agents._expressing import Expressions
    from fcregistry.agents._result import Step, StopReason
    from fcregistry.agents._visible import VisibleTools
    from fcregistry.execution import PreparedCalls
    from fcregistry.models import Message, Model

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
    expressions: Expressions | None = None
    closed: str = ""


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
