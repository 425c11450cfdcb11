"""How far is a run that gathers the evidence of a ReWOO plan? JSON tells it, for another process that goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import ToolCall
from fcregistry._results.content import Content
from fcregistry.agents._evidence import Evidence
from fcregistry.agents._one_history import free_id
from fcregistry.agents._rewoo_arguments import with_evidence
from fcregistry.agents._rewoo_plans import EvidenceStep
from fcregistry.models import Message

if TYPE_CHECKING:
    from typing import Self

    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool

EVIDENCE: Final = "This is the plan, with the evidence that came of it:\n\n{plan}\n\nNow answer what was asked for."
NO_EVIDENCE: Final = "No tool is needed. Now answer what was asked for."


@dataclass(slots=True, kw_only=True)
class Gathering:
    """How far a run is. It changes.

    Attributes:
        goal: How many messages the conversation begins with that asks for something.
        steps: The steps of the plan.
        evidence: What came of those that are done, by their names.
    """

    goal: int
    steps: tuple[EvidenceStep, ...]
    evidence: dict[str, Evidence] = field(default_factory=dict)

    def next_steps(self) -> list[EvidenceStep]:
        """Return the steps that can run now, together, in the order of the plan; none once all are done.

        What a step refers to that no step makes is waited for by none.
        """
        names = {step.name for step in self.steps}
        waiting = names - self.evidence.keys()
        return [step for step in self.steps if step.name in waiting and waiting.isdisjoint(step.needs)]

    def place_of(self, step: EvidenceStep) -> int:
        """Return which step of the plan one is, from 0."""
        return self.steps.index(step)

    def calls(self, steps: Sequence[EvidenceStep], tools: Mapping[str, Tool], taken: dict[str, None]) -> list[ToolCall]:
        """Return the calls of steps, with evidence in place of references.

        Args:
            steps: The steps.
            tools: The tools.
            taken: The ids that other calls of the conversation have.
        """
        values = {name: each.value for name, each in self.evidence.items()}
        calls = []
        for step in steps:
            tool = tools.get(step.tool)
            arguments = with_evidence(step.arguments, values, {} if tool is None else tool.parameters)
            calls.append(ToolCall(step.tool, arguments, free_id(step.name.removeprefix("#"), taken)))
        return calls

    def took_in(self, step: EvidenceStep, result: ToolResult) -> Evidence:
        """Keep what came of a step, and return it."""
        evidence = self.evidence[step.name] = Evidence.of(result)
        return evidence

    def for_solver(self, said: Sequence[Message]) -> Message:
        """Return what the solver is told: the plan with its evidence, and what of that no text can stand for, such as images.

        Args:
            said: The conversation so far, which ends with the results of the steps.
        """
        if not self.steps:
            return Message(role="user", content=NO_EVIDENCE, continues=True)
        told = EVIDENCE.format(plan="\n\n".join(map(self._told, self.steps)))
        parts = self._parts([message for message in said if message.role == "tool"][-len(self.steps) :])
        return Message(role="user", content=(Content.text(told), *parts) if parts else told, continues=True)

    def _parts(self, results: Sequence[Message]) -> list[Content]:
        """Return the results that have parts, each after the name of its step: results and evidence came in one order."""
        parts: list[Content] = []
        for name, message in zip(self.evidence, results, strict=True):
            if isinstance(message.content, tuple):
                parts += [Content.text(f"{name}:"), *message.content]
        return parts

    def _told(self, step: EvidenceStep) -> str:
        thought = f"Plan: {step.thought}\n" if step.thought else ""
        return f"{thought}{step.name} = {step.call}\nEvidence: {self.evidence[step.name].text}"

    # Keep

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        evidence = {name: each.to_json() for name, each in self.evidence.items()}
        return {"goal": self.goal, "steps": list(map(asdict, self.steps)), "evidence": evidence}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Self:
        """Return what `to_json` wrote."""
        steps = tuple(EvidenceStep(**step) for step in told["steps"])
        return cls(
            goal=told["goal"],
            steps=steps,
            evidence={name: Evidence(**each) for name, each in told["evidence"].items()},
        )
