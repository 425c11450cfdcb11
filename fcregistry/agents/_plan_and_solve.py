"""How does an agent work that makes a plan first, and then carries it out step by step?

Source: Wang et al., "Plan-and-Solve Prompting"; the steps have tools here.

MERGED: How far is a run that solves a plan step by step? JSON tells it, for another process that goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from fcregistry.agents._agent import Agent
from fcregistry.agents._loop import AnswerWords, Loop, Talk, looped
from fcregistry.agents._messages import ids_in
from fcregistry.agents._planning import (
    PlanDraft,
    Plans,
    StepAnswers,
    checked_count,
    failure_of,
    following,
    given_up,
    joined,
    may_go_on,
    planned,
    seconds_since,
    steps_of,
)
from fcregistry.agents._react import checked_limit, expressions_of, result_of, talk_of
from fcregistry.agents._result import RunResult, Step, StepBegan, StepEnded
from fcregistry.agents._visible_tools import VisibleTools
from fcregistry.execution import Executor
from fcregistry.models import Message, resolve

if TYPE_CHECKING:
    from typing import Self, Unpack

    from fcregistry.agents._agent import AgentOptions
    from fcregistry.agents._effects import Course
    from fcregistry.agents._loop import End
    from fcregistry.agents._state import RunState
    from fcregistry.execution._settings import ToolLike
    from fcregistry.execution._suspended import Decision
    from fcregistry.models._resolve import ModelLike

# --- agents._plan_and_solve ---

PLANNER: Final = """\
Make a plan for what is asked for. Do not carry it out, and call nothing.

Write a numbered list with one step in each line: as few as will do, and at most {most}. One step is enough where nothing depends on anything else. \
The steps are carried out one after another, by somebody who knows what is asked for, the plan and the results of the steps before; the last one \
gives the answer.

{tools}"""
"""What the planner is told."""

WITH_TOOLS: Final = "These tools can be used:\n{tools}"
WITHOUT_TOOLS: Final = "There are no tools."

SOLVER: Final = """\
You carry out a plan, one step at a time, with the tools that you have. If a step cannot be done, answer with `FAILED:` and the reason, \
and nothing else."""
"""What the solver is told."""


class PlanAndSolveAgent(Agent):
    """Has a planner write steps, and solves each in a loop with tools that sees the goal, the plan and the results so far.

    The answer is that of the last step, which is asked for all that was asked for. So no further answer of the model is paid for, and a type of the
    answer is asked for where it is given. A step fails if its loop comes to no answer, or the model answers `FAILED: why`; then the planner plans
    again what is left. What a planner writes without numbers or bullets is one step.

    Args:
        llm: Solves the steps; as for every agent.
        tools: As for every agent.
        planner: The model that plans; by default, the same.
        max_steps: How many steps a plan may have. A longer one is sent back.
        max_retries: How often the model is asked at most for each step.
        max_replans: How often the planner may write a plan again, since a step failed or there was something wrong with the plan; 0 for never.
        max_tool_calls: How many calls may be carried out at most in the run; None for any number.
        calls: How the solver calls: `json` or `expression`, as for `ReactAgent`.
        context: The names that expressions may use, with their values. The planner is told which there are.
        allow: The functions that expressions may call beside tools, such as `{"np.array": np.array}`.
        return_last_tool_calls: Whether calling the agent returns the calls of the last round with their results, and not the answer.
        **options: As for every agent.

    Raises:
        ValueError: A limit is no such number, or `calls` is neither.
        TypeError: `context` or `allow` is no dict from names.
        ModelNotFoundError: There is no model of the name of the planner.
    """

    def __init__(
        self,
        llm: ModelLike,
        tools: ToolLike | Iterable[ToolLike] | Executor = (),
        *,
        planner: ModelLike | None = None,
        max_steps: int = 10,
        max_retries: int = 5,
        max_replans: int = 2,
        max_tool_calls: int | None = None,
        calls: Literal["json", "expression"] = "json",
        context: Mapping[str, Any] | None = None,
        allow: Mapping[str, Callable[..., Any]] | None = None,
        return_last_tool_calls: bool = False,
        **options: Unpack[AgentOptions],
    ) -> None:
        super().__init__(llm, tools, **options)
        self.planner = self.model if planner is None else resolve(planner)
        self._returns_calls = return_last_tool_calls
        self._max_steps = checked_limit("max_steps", max_steps)
        self._max_replans = checked_count("max_replans", max_replans)
        self._own_instructions = options.get("instructions", "")
        self._nothing_to_call = VisibleTools(Executor())
        step = Loop(
            model=self.model,
            answers=StepAnswers(AnswerWords()),
            instructions=joined(self._own_instructions, SOLVER),
            max_rounds=checked_limit("max_retries", max_retries),
            max_tool_calls=None if max_tool_calls is None else checked_limit("max_tool_calls", max_tool_calls),
            suspends=self._suspends,
            expressions=expressions_of(calls, context, allow),
        )
        self._step = step
        self._last_step = replace(
            step, answers=StepAnswers(self._answers), instructions=joined(SOLVER, self._instructions)
        )

    # The course of a run

    def _course(self, messages: Sequence[Message]) -> Course[RunResult]:
        visible = self._opened_by(messages)
        return (
            yield from self._pursued(
                PlanProgress(goal=tuple(messages), said=list(messages)), Talk(visible=visible, messages=[]), {}
            )
        )

    def _resumed(self, state: RunState, decisions: Mapping[str, Decision]) -> Course[RunResult]:
        talk = talk_of(state, self._opened_in(state))
        progress = PlanProgress.from_json(state.mind)
        talk.taken = ids_in(progress.said)
        return (yield from self._pursued(progress, talk, decisions))

    def _pursued(self, progress: PlanProgress, talk: Talk, decisions: Mapping[str, Decision]) -> Course[RunResult]:
        """Plan and solve until there is an answer, or none is to be had."""
        visible, end = talk.visible, None
        while end is None:
            if talk.prepared is None:
                if progress.place == len(progress.plan) or progress.failure is not None:
                    talk, end = yield from self._planned(progress, talk, visible)
                    if end is not None:
                        break
                talk = following(talk, visible, progress.for_solver(), ids_in(progress.said))
                yield StepBegan(index=progress.place, text=progress.step)
            loop = self._last_step if progress.is_last else self._step
            before = len(talk.steps)
            ended = yield from looped(loop, talk, decisions)
            end = yield from self._solved(progress, talk, ended, seconds_since(talk, before))
        return self._result(progress, talk, end)

    def _planned(self, progress: PlanProgress, talk: Talk, visible: VisibleTools) -> Course[tuple[Talk, End | None]]:
        """Have a plan made; return the conversation with the planner, and how the run ends, if it gives none."""
        plans = Plans(self._draft, self._max_replans)
        talk = following(talk, self._nothing_to_call, progress.for_planner(), ids_in(progress.said))
        talk.retries = progress.replans
        known = len(progress.goal) + (progress.failure is not None)
        end = yield from planned(self.planner, self._for_planner(visible), plans, talk, self._max_replans + 1)
        progress.said += talk.messages[known:]
        progress.replans = talk.retries
        if end.reason != "answered":
            return talk, end
        progress.plan, progress.place, progress.failure = end.answer.plan, 0, None
        return talk, None

    def _solved(self, progress: PlanProgress, talk: Talk, end: End, seconds: float) -> Course[End | None]:
        """Take down what came of a step; return how the run ends, if it does."""
        if end.reason == "approval":
            return end
        progress.said += talk.messages[len(progress.goal) + 1 :]
        failure = failure_of(end)
        told = talk.messages[-1].text if failure is None else failure
        yield StepEnded(index=progress.place, text=told, ok=failure is None)
        talk.steps.append(Step(kind="step", seconds=seconds, texts=(progress.step, told)))
        if failure is None:
            was_last = progress.is_last
            progress.done.append((progress.step, told))
            progress.place += 1
            return end if was_last else None
        if may_go_on(end) and progress.replans < self._max_replans:
            progress.replans += 1
            progress.failure = failure
            return None
        return given_up(progress.step, end)

    def _result(self, progress: PlanProgress, talk: Talk, end: End) -> RunResult:
        mind = progress.to_json() if talk.prepared is not None else None
        result = result_of(talk, end, type(self).__name__, mind)
        waiting = talk.messages[len(progress.goal) + 1 :] if talk.prepared is not None else ()
        return replace(result, messages=(*progress.said, *waiting))

    # What the planner is told, and says

    def _for_planner(self, visible: VisibleTools) -> str:
        lines = "\n".join(f"- {tool.name}: {tool.summary}".rstrip(": ") for tool in visible.tools.values())
        tools = WITH_TOOLS.format(tools=lines) if lines else WITHOUT_TOOLS
        if lines and self._step.expressions is not None:
            tools = "\n".join(filter(None, (tools, self._step.expressions.known())))
        return joined(self._own_instructions, PLANNER.format(most=self._max_steps, tools=tools))

    def _draft(self, text: str) -> PlanDraft:
        steps = steps_of(text)
        problems = []
        if not steps:
            problems = ["there is no step in it"]
        elif len(steps) > self._max_steps:
            problems = [f"it has {len(steps)} steps, and may have {self._max_steps}"]
        return PlanDraft(plan=steps, steps=steps, problems=tuple(problems), is_usable=False)


# --- agents._plan_progress ---

STEP: Final = "Now carry out step {number} of the plan, and no other: {step}\n\n{end}"
NOT_LAST: Final = "Answer with its result."
LAST: Final = "It is the last step: answer the whole request with what is known then."
DONE: Final = "These steps are done:\n{results}\n\n"
FAILED: Final = "{done}Step {number} of the plan could not be done: {step}\nThe reason: {reason}\n\nWrite a plan for what is left to do, another way."


@dataclass(slots=True, kw_only=True)
class PlanProgress:
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
