"""`ReWOOAgent`, which plans all calls at once, runs them, and then answers from the evidence.

Source: Xu et al., "ReWOO: Decoupling Reasoning from Observations for Efficient Augmented Language Models".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, overload

from fcregistry import formats
from fcregistry._base.call import ToolCall
from fcregistry._results.content import Content
from fcregistry._tools.search import ToolSearch
from fcregistry._tools.tool import Toolset
from fcregistry.agents._agent import Agent, RoundOptions, rounds_limit
from fcregistry.agents._effects import EmitEvent, StepBegan, StepEnded
from fcregistry.agents._history import free_id, ids_in
from fcregistry.agents._loop import join_paragraphs, make_plan, result_of, resume_calls, run_calls, run_loop
from fcregistry.agents._on_demand import Opened, gateway_of
from fcregistry.agents._rewoo_plan import Evidence, EvidenceStep, read_plan, with_evidence
from fcregistry.agents._run import AnswerT_co, Step, checked_limit
from fcregistry.models import Message, resolve
from fcregistry.types import codec_of

if TYPE_CHECKING:
    from typing import Unpack

    from fcregistry._tools.tool import Tool
    from fcregistry.agents._agent import AgentOptions, AgentTools
    from fcregistry.agents._run import Chat, End, RunResult
    from fcregistry.execution import Decision, Effects
    from fcregistry.models import Model, ModelLike

_PLANNER: Final = """\
Plan which tools have to be called to answer what is asked for. Do not answer it, and call nothing.

For each call, write two lines: why it is made, and the call with its arguments as a JSON object. `#E1`, `#E2` and so on are the results of the \
calls; use them in the arguments of others. Where a text is nothing but `#E1`, the tool is given the very value.

Plan: Look up how many people live in Oslo.
#E1 = population[{{"city": "Oslo"}}]
Plan: Half of them.
#E2 = multiply[{{"a": "#E1", "b": 0.5}}]

Write at most {most} calls; calls that do not need one another run at the same time. If no tool is needed, write `Plan: answer`.

{tools}"""
"""The instructions of the planner. The tools in the example are not the user's."""

_WITH_TOOLS: Final = "Only these tools can be called:\n\n{tools}"
_WITHOUT_TOOLS: Final = "There are no tools."

_SOLVER: Final = """\
Answer what is asked for, with the evidence that was gathered for it. Evidence may be wrong, irrelevant, or report a failure; if it does not \
suffice, say what is missing."""
"""The instructions of the solver."""

_NO_CALLS: Final = "all calls of the plan were made; answer from the evidence"
"""The result of a call that a solver makes."""


_MAX_FOUND: Final = 20
"""How many tools behind gateways a planner sees at most."""


class ReWOOOptions(RoundOptions, total=False):
    """The options that `ReWOOAgent` describes."""

    planner: ModelLike | None
    solver: ModelLike | None
    max_steps: int
    max_replans: int


class ReWOOAgent(Agent[AnswerT_co]):
    """Has a planner write all calls at once, runs them, and has a solver answer from the evidence.

    The calls may refer to the results of others.

    The agent asks a model only twice, whatever the number of tools and calls, unless it sends a plan or an answer back. Calls that do not need
    one another run at the same time. A call that fails does not end the run: its failure is the evidence. If the planner writes no call, the
    solver answers without evidence.

    The agent sends a plan back if it has an unknown tool, an unknown reference, a cycle, too many calls, or a call that cannot be read. If the
    next plans have problems, too, the agent carries out as much of the last plan as it can. The run ends if the last plan has a cycle, two
    calls of one name, too many calls, or no call that can be read.

    Of tools behind the gateways of `OnDemand`, the planner sees those that match the question.

    Args:
        llm: The model that plans and solves: a name such as `"openai:gpt-5"`, a `Model`, or a function from messages to a message or a text.
        tools: The tools that the model may call: names, selectors, functions, `Tool`s, toolsets, or lists of these; or an `Executor`, which
            has options of its own.
        planner: The model that plans; by default, the same.
        solver: The model that answers; by default, the same.
        max_steps: How many calls a plan may have.
        max_rounds: How often the agent asks the solver; 5 by default. It asks again only if an answer has the wrong type.
        max_repeats: How often in a row the solver may repeat calls, which do not run; 0 for never, None for any number.
        max_replans: How often the planner may write a plan with problems again; 0 for never.
        return_last_tool_calls: Whether calling the agent returns the last calls that ran together with their results, and not the answer.
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
        ValueError: A limit is not a whole number that it may be.
        ModelNotFoundError: There is no model of the name of the planner or the solver.
    """

    @overload
    def __init__(
        self: ReWOOAgent[str], llm: ModelLike, tools: AgentTools = ..., **options: Unpack[ReWOOOptions]
    ) -> None: ...
    @overload
    def __init__(
        self, llm: ModelLike, tools: AgentTools = ..., *, answer_type: type[AnswerT_co], **options: Unpack[ReWOOOptions]
    ) -> None: ...
    @overload
    def __init__(
        self: ReWOOAgent[Any],
        llm: ModelLike,
        tools: AgentTools = ...,
        *,
        answer_type: Any = ...,
        return_last_tool_calls: bool = ...,
        **options: Unpack[ReWOOOptions],
    ) -> None: ...
    def __init__(
        self,
        llm: ModelLike,
        tools: AgentTools = (),
        *,
        planner: ModelLike | None = None,
        solver: ModelLike | None = None,
        max_steps: int = 20,
        max_rounds: int | None = None,
        max_repeats: int | None = None,
        max_replans: int = 2,
        return_last_tool_calls: bool = False,
        max_retries: int | None = None,
        answer_type: Any = str,
        **options: Unpack[AgentOptions],
    ) -> None:
        super().__init__(llm, tools, answer_type=answer_type, **options)
        self.planner: Model = self.model if planner is None else resolve(planner)
        self.solver: Model = self.model if solver is None else resolve(solver)
        self._returns_calls = return_last_tool_calls
        self._max_steps = checked_limit("max_steps", max_steps)
        self._max_replans = checked_limit("max_replans", max_replans, 0)
        self._own_instructions = options.get("instructions", "")
        gateway_map = self._all_tools._map
        self._search = None if gateway_map is None else ToolSearch(gateway_map.tools.values())
        self._solver_loop = replace(
            self._loop,
            model=self.solver,
            instructions=join_paragraphs(_SOLVER, self._instructions),
            max_rounds=rounds_limit(max_rounds, max_retries),
            max_repeats=None if max_repeats is None else checked_limit("max_repeats", max_repeats, 0),
        )

    def _steps(
        self, chat: Chat, stored: Mapping[str, Any], decisions: Mapping[str, Decision]
    ) -> Effects[RunResult[AnswerT_co]]:
        """Plan the steps, run them, and answer from their evidence; return the result of the run.

        A coroutine; see `Effects`. A resumed run continues with its steps; a run without a plan ends. The arguments are those of
        `Agent._steps`.
        """
        if chat.prepared is not None:
            return (yield from self._gather(codec_of(EvidenceProgress).decode(stored), chat, decisions))
        goal, visible = len(chat.messages), chat.visible
        if self._search is not None and visible is not None:  # a planner cannot call gateways
            questions = (message.text for message in chat.messages if message.role == "user" and not message.continues)
            found = self._search.best("\n".join(questions), _MAX_FOUND)
            visible._open(visible._opened | Opened(tools=frozenset(tool.name for tool in found)))
        tools = Toolset(tool for tool in self._loop.offered_tools(chat) if gateway_of(tool) is None)
        chat = chat.next(chat.messages)
        end = yield from make_plan(
            self._loop,
            self.planner,
            self._planner_instructions(tools),
            lambda text: read_plan(text, tools, self._max_steps),
            chat,
            self._max_replans,
        )
        chat = chat.next(chat.messages, visible)
        if end.reason != "answered":
            return result_of(chat, end, type(self).__name__)
        return (yield from self._gather(EvidenceProgress(goal=goal, steps=end.answer.plan), chat, {}))

    def _gather(
        self, progress: EvidenceProgress, chat: Chat, decisions: Mapping[str, Decision]
    ) -> Effects[RunResult[AnswerT_co]]:
        """Run the steps and ask the solver for the answer; return the result of the run.

        Steps whose references have evidence run together. A run in which calls wait ends with its state. A coroutine; see `Effects`.
        """
        while steps := progress.next_steps():
            if chat.prepared is not None:
                end = yield from resume_calls(self._solver_loop, chat, decisions)
            else:
                end = yield from self._run_steps(progress, chat, steps)
            if end is not None:
                return result_of(chat, end, type(self).__name__, codec_of(EvidenceProgress).encode(progress))
            for step, result in zip(steps, chat.results, strict=True):
                evidence = progress.evidence[step.name] = Evidence.of(result)
                ended = StepEnded(index=progress.steps.index(step), text=evidence.text, ok=evidence.ok)
                yield EmitEvent(chat.control, ended)
                chat.steps.append(Step(kind="step", seconds=result.duration, texts=(step.text, evidence.text)))
        return (yield from self._solve(progress, chat))

    def _run_steps(self, progress: EvidenceProgress, chat: Chat, steps: Sequence[EvidenceStep]) -> Effects[End | None]:
        """Run the calls of `steps` together; return the end of the run, or None if it continues.

        A run whose calls wait for approval has an end, too. A coroutine; see `Effects`.
        """
        for step in steps:
            yield EmitEvent(chat.control, StepBegan(index=progress.steps.index(step), text=step.text))
        calls = progress.calls(steps, self._loop.offered_tools(chat), ids_in(chat.messages))
        chat.messages.append(Message(role="assistant", tool_calls=tuple(calls)))
        return (yield from run_calls(self._solver_loop, chat, calls))

    def _solve(self, progress: EvidenceProgress, chat: Chat) -> Effects[RunResult[AnswerT_co]]:
        """Ask the solver, which has no tools, for the answer, and return the result of the run.

        The result has the messages of the whole run. A coroutine; see `Effects`.
        """
        evidence = progress.for_solver(chat.messages)
        solving = chat.next([*chat.messages[: progress.goal], evidence])
        solving.history = chat.messages  # so that calls of the solver, which are refused, get ids of their own
        end = yield from run_loop(replace(self._solver_loop, offered=(), no_calls_reason=_NO_CALLS), solving)
        solving.messages = [*chat.messages, *solving.messages[progress.goal :]]
        return result_of(solving, end, type(self).__name__)

    def _planner_instructions(self, tools: Toolset) -> str:
        """Return the system message for the planner, with the descriptions of `tools`, if there are any."""
        described = formats.get("text").describe(tools.values())
        tool_lines = _WITH_TOOLS.format(tools=described) if tools else _WITHOUT_TOOLS
        return join_paragraphs(self._own_instructions, _PLANNER.format(most=self._max_steps, tools=tool_lines))


# --- The progress of a run ---

_EVIDENCE: Final = "This is the plan, with its evidence:\n\n{plan}\n\nNow answer what was asked for."
_NO_EVIDENCE: Final = "No tool is needed. Now answer what was asked for."


@dataclass(slots=True, kw_only=True)
class EvidenceProgress:
    """The progress of a run. It changes.

    Attributes:
        goal: The number of messages that the run began with.
        steps: The steps of the plan.
        evidence: The results of the steps that are done, by their names.
    """

    goal: int
    steps: tuple[EvidenceStep, ...]
    evidence: dict[str, Evidence] = field(default_factory=dict)

    def next_steps(self) -> list[EvidenceStep]:
        """Return the steps that can run now, in the order of the plan; an empty list at the end.

        A step does not wait for a reference to a step that does not exist.
        """
        names = {step.name for step in self.steps}
        waiting = names - self.evidence.keys()
        return [step for step in self.steps if step.name in waiting and waiting.isdisjoint(step.needs)]

    def calls(self, steps: Sequence[EvidenceStep], tools: Iterable[Tool], used: dict[str, None]) -> list[ToolCall]:
        """Return the calls of `steps`, with evidence in place of references.

        Args:
            steps: The steps.
            tools: The tools.
            used: The ids of the other calls of the conversation.
        """
        values = {name: each.value for name, each in self.evidence.items()}
        known = {tool.name: tool for tool in tools}
        calls = []
        for step in steps:
            tool = known.get(step.tool)
            arguments = with_evidence(step.arguments, values, {} if tool is None else tool.parameters)
            calls.append(ToolCall(step.tool, arguments, free_id(step.name.removeprefix("#"), used)))
        return calls

    def for_solver(self, messages: Sequence[Message]) -> Message:
        """Return the message to the solver: the plan with its evidence, and parts such as images.

        Args:
            messages: The conversation so far, which ends with the results of the steps.
        """
        if not self.steps:
            return Message(role="user", content=_NO_EVIDENCE, continues=True)
        text = _EVIDENCE.format(plan="\n\n".join(map(self._step_with_evidence, self.steps)))
        results = [message for message in messages if message.role == "tool"][-len(self.steps) :]
        parts: list[Content] = []
        for name, message in zip(self.evidence, results, strict=True):  # evidence has the order of the results
            if isinstance(message.content, tuple):
                parts += [Content.text(f"{name}:"), *message.content]
        return Message(role="user", content=(Content.text(text), *parts) if parts else text, continues=True)

    def _step_with_evidence(self, step: EvidenceStep) -> str:
        """Return `step` and its evidence as text for the solver; raise `KeyError` if it has no evidence yet."""
        thought = f"Plan: {step.thought}\n" if step.thought else ""
        return f"{thought}{step.name} = {step.call}\nEvidence: {self.evidence[step.name].text}"
