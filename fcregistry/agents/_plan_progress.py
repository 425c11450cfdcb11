"""How far is a run that solves a plan step by step? JSON tells it, for another process that goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from fcregistry.models import Message

if TYPE_CHECKING:
    from typing import Self

STEP: Final = "Now carry out step {number} of the plan, and no other: {step}\n\n{end}"
NOT_LAST: Final = "Answer with its result."
LAST: Final = "It is the last step: answer the whole request with what is known then."
DONE: Final = "These steps are done:\n{results}\n\n"
FAILED: Final = "{done}Step {number} of the plan could not be done: {step}\nThe reason: {reason}\n\nWrite a plan for what is left to do, another way."


@dataclass(slots=True, kw_only=True)
class Progress:
    """How far a run is. It changes.

    Attributes:
        goal: The conversation that asks for something.
        said: All that was said, in order; the goal is its beginning.
        plan: The steps of the plan.
        place: Which of them is next, from 0.
        done: The steps that are done, of earlier plans too, each with its result.
        replans: How often the planner wrote a plan again.
        failure: Why the next step could not be done; None where a plan is not in doubt.
    """

    goal: tuple[Message, ...]
    said: list[Message] = field(default_factory=list)
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

    # What models are told

    def for_planner(self) -> list[Message]:
        """Return the conversation with the planner: the goal, and what became of the plan before."""
        if self.failure is None:
            return list(self.goal)
        told = FAILED.format(done=self._done(), number=self.place + 1, step=self.step, reason=self.failure)
        return [*self.goal, self._planned(), Message(role="user", content=told, continues=True)]

    def for_solver(self) -> list[Message]:
        """Return the conversation in which the next step is solved: the goal, the plan, and the results so far."""
        told = STEP.format(number=self.place + 1, step=self.step, end=LAST if self.is_last else NOT_LAST)
        return [*self.goal, self._planned(), Message(role="user", content=self._done() + told, continues=True)]

    def _planned(self) -> Message:
        lines = (f"{number}. {step}" for number, step in enumerate(self.plan, 1))
        return Message(role="assistant", content="\n".join(lines))

    def _done(self) -> str:
        return (
            DONE.format(results="\n".join(f"- {step}\n  Result: {result}" for step, result in self.done))
            if self.done
            else ""
        )

    # Keep

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object; a run that waits has a plan that is not in doubt."""
        return {
            "goal": len(self.goal),
            "said": [message.to_dict() for message in self.said],
            "plan": list(self.plan),
            "place": self.place,
            "done": [list(each) for each in self.done],
            "replans": self.replans,
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Self:
        """Return what `to_json` wrote."""
        said = list(map(Message.of, told["said"]))
        return cls(
            goal=tuple(said[: told["goal"]]),
            said=said,
            plan=tuple(told["plan"]),
            place=told["place"],
            done=[(step, result) for step, result in told["done"]],
            replans=told["replans"],
        )
