"""How does an agent work that plans all calls at once, carries them out, and then answers from what came of them?

Source: Xu et al., "ReWOO: Decoupling Reasoning from Observations for Efficient Augmented Language Models".

MERGED: How far is a run that gathers the evidence of a ReWOO plan? JSON tells it, for another process that goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from fcregistry import formats
from fcregistry._base.call import ToolCall
from fcregistry._results.content import Content
from fcregistry.agents._agent import Agent
from fcregistry.agents._loop import End, Loop, Talk, carried, looped, taken_up
from fcregistry.agents._messages import continued, free_id, ids_in
from fcregistry.agents._planning import (
    Foresight,
    PlanDraft,
    Plans,
    callable_tools,
    checked_count,
    following,
    joined,
    planned,
)
from fcregistry.agents._react import checked_limit, result_of, talk_of
from fcregistry.agents._result import RunResult, Step, StepBegan, StepEnded
from fcregistry.agents._rewoo_plan import Evidence, EvidenceStep, blueprint_of, with_evidence
from fcregistry.agents._visible_tools import VisibleTools
from fcregistry.execution import Executor
from fcregistry.models import Message, resolve

if TYPE_CHECKING:
    from typing import Self, Unpack

    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool, Toolset
    from fcregistry.agents._agent import AgentOptions
    from fcregistry.agents._effects import Course
    from fcregistry.agents._state import RunState
    from fcregistry.execution._settings import ToolLike
    from fcregistry.execution._suspended import Decision
    from fcregistry.models._resolve import ModelLike

# --- agents._rewoo ---

PLANNER: Final = """\
Plan which tools have to be called to answer what is asked for. Do not answer it, and call nothing.

For each call, write two lines: why it is made, and the call with its arguments as a JSON object. `#E1`, `#E2` and so on stand for what comes of the \
calls; use them in the arguments of others. Where a text is nothing but `#E1`, the tool is given the very value.

Plan: Look up how many people live in Oslo.
#E1 = population[{{"city": "Oslo"}}]
Plan: Half of them.
#E2 = multiply[{{"a": "#E1", "b": 0.5}}]

Write at most {most} calls; calls that do not need one another run at the same time. If no tool is needed, write `Plan: answer`.

{tools}"""
"""What the planner is told. The tools in the example are not the user's."""

WITH_TOOLS: Final = "Only these tools can be called:\n\n{tools}"
WITHOUT_TOOLS: Final = "There are no tools."

SOLVER: Final = """\
Answer what is asked for, with the evidence that was gathered for it. Evidence may be wrong, beside the point, or tell of a failure; if it does not \
suffice, say what is missing."""
"""What the solver is told."""

CLOSED: Final = "all calls of the plan were made; answer from the evidence"
"""What a solver is told that calls."""


class ReWOOAgent(Agent):
    """Has a planner write all calls at once, which refer to what comes of others, carries them out, and has a solver answer from the evidence.

    That takes two answers of a model, however many tools there are and however many calls are made. Calls that do not need one another run at the
    same time. A call that fails does not end the run: its failure is the evidence. Where the planner writes no call, the solver answers without
    evidence.

    A plan with an unknown tool, an unknown reference, a cycle, too many calls, or a call that cannot be read is sent back. If the planner does no
    better, the plan is carried out as far as it can be; one with a cycle, with two calls of one name, with too many calls, or with none that can be
    read ends the run.

    Of tools behind the gateways of `OnDemand`, the planner sees those that have to do with the question.

    Args:
        llm: As for every agent. It plans and solves, unless others do.
        tools: As for every agent.
        planner: The model that plans.
        solver: The model that answers.
        max_steps: How many calls a plan may have.
        max_retries: How often the solver is asked at most: once, unless its answer is not of the type that was asked for.
        max_replans: How often the planner may write a plan again that has something wrong with it; 0 for never.
        return_last_tool_calls: Whether calling the agent returns the last calls that ran together with their results, and not the answer.
        **options: As for every agent.

    Raises:
        ValueError: A limit is no such number.
        ModelNotFoundError: There is no model of the name of the planner or the solver.
    """

    def __init__(
        self,
        llm: ModelLike,
        tools: ToolLike | Iterable[ToolLike] | Executor = (),
        *,
        planner: ModelLike | None = None,
        solver: ModelLike | None = None,
        max_steps: int = 20,
        max_retries: int = 5,
        max_replans: int = 2,
        return_last_tool_calls: bool = False,
        **options: Unpack[AgentOptions],
    ) -> None:
        super().__init__(llm, tools, **options)
        self.planner = self.model if planner is None else resolve(planner)
        self.solver = self.model if solver is None else resolve(solver)
        self._returns_calls = return_last_tool_calls
        self._max_steps = checked_limit("max_steps", max_steps)
        self._max_replans = checked_count("max_replans", max_replans)
        self._own_instructions = options.get("instructions", "")
        self._nothing_to_call = VisibleTools(Executor())
        self._foresight = Foresight(self._nothing_opened)
        self._solving = Loop(
            model=self.solver,
            answers=self._answers,
            instructions=joined(SOLVER, self._instructions),
            max_rounds=checked_limit("max_retries", max_retries),
            suspends=self._suspends,
        )

    # The course of a run

    def _course(self, messages: Sequence[Message]) -> Course[RunResult]:
        visible = self._opened_by(messages)
        asked = (message.text for message in messages if message.role == "user" and not message.continues)
        self._foresight.open(visible, "\n".join(asked))
        tools = callable_tools(visible)
        talk = Talk(visible=self._nothing_to_call, messages=list(messages))
        plans = Plans(lambda text: self._draft(text, tools), self._max_replans)
        end = yield from planned(self.planner, self._for_planner(tools), plans, talk, self._max_replans + 1)
        talk = following(talk, visible, talk.messages)
        if end.reason != "answered":
            return self._result(talk, end)
        return (yield from self._gathered(Gathering(goal=len(messages), steps=end.answer.plan), talk, {}))

    def _resumed(self, state: RunState, decisions: Mapping[str, Decision]) -> Course[RunResult]:
        talk = talk_of(state, self._opened_in(state))
        return (yield from self._gathered(Gathering.from_json(state.mind), talk, decisions))

    def _gathered(self, gathering: Gathering, talk: Talk, decisions: Mapping[str, Decision]) -> Course[RunResult]:
        """Carry out the steps, as many at a time as can run, and have the question answered."""
        while steps := gathering.next_steps():
            if talk.prepared is not None:
                end = yield from taken_up(self._solving, talk, decisions)
            else:
                end = yield from self._carried(gathering, talk, steps)
            if end is not None:
                return self._result(talk, end, gathering.to_json())
            for step, result in zip(steps, talk.steps[-1].results, strict=True):
                evidence = gathering.took_in(step, result)
                yield StepEnded(index=gathering.place_of(step), text=evidence.text, ok=evidence.ok)
                talk.steps.append(Step(kind="step", seconds=result.duration, texts=(step.text, evidence.text)))
        return (yield from self._solved(gathering, talk))

    def _carried(self, gathering: Gathering, talk: Talk, steps: Sequence[EvidenceStep]) -> Course[End | None]:
        """Carry out steps that can run together; return how the run ends, or waits."""
        for step in steps:
            yield StepBegan(index=gathering.place_of(step), text=step.text)
        calls = gathering.calls(steps, talk.visible.tools, ids_in(talk.messages))
        talk.messages.append(Message(role="assistant", tool_calls=tuple(calls)))
        return (yield from carried(self._solving, talk, calls))

    def _solved(self, gathering: Gathering, talk: Talk) -> Course[RunResult]:
        """Have the question answered."""
        told = gathering.for_solver(talk.messages)
        solving = following(talk, self._nothing_to_call, [*talk.messages[: gathering.goal], told])
        end = yield from looped(replace(self._solving, closed=CLOSED), solving)
        solving.messages = continued(talk.messages, solving.messages[gathering.goal :])
        return self._result(solving, end)

    def _result(self, talk: Talk, end: End, mind: Mapping[str, Any] | None = None) -> RunResult:
        return result_of(talk, end, type(self).__name__, mind)

    # What the planner is told, and says

    def _for_planner(self, tools: Toolset) -> str:
        described = formats.get("text").describe(tools.values())
        told = WITH_TOOLS.format(tools=described) if tools else WITHOUT_TOOLS
        return joined(self._own_instructions, PLANNER.format(most=self._max_steps, tools=told))

    def _draft(self, text: str, tools: Toolset) -> PlanDraft:
        found = blueprint_of(text, tools, self._max_steps)
        words = tuple(step.text for step in found.steps)
        return PlanDraft(plan=found.steps, steps=words, problems=found.problems, is_usable=found.is_usable)


# --- agents._rewoo_progress ---

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
