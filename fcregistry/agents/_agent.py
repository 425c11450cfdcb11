"""`Agent`, the base of all agents: making one, asking it, following, stopping and resuming its runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, Never, TypeAlias, TypedDict, cast

from fcregistry._tools.selectors import arguments_of, unknown_argument
from fcregistry.agents._answers import TextAnswers, TypedAnswers
from fcregistry.agents._effects import arun_to_end, astream, run_to_end
from fcregistry.agents._history import conversation_of
from fcregistry.agents._loop import Loop
from fcregistry.agents._pairing import LoggedHistory, pair_results
from fcregistry.agents._run import AnswerT_co, Chat, Control, RunOptions, check_state, checked_limit
from fcregistry.agents._visible_tools import VisibleTools
from fcregistry.execution import Executor, kept_results_of, pipeline_of
from fcregistry.models import resolve, stream_sync

if TYPE_CHECKING:
    from typing import Self, Unpack

    from fcregistry._registry import Registry
    from fcregistry.agents._effects import Event
    from fcregistry.agents._run import ResumeOptions, RunResult, RunState
    from fcregistry.execution import Approver, Decision, Effects, ToolLike
    from fcregistry.models import MessageLike, Model, ModelLike

Query: TypeAlias = "MessageLike | Iterable[MessageLike]"
"""A question, a message, or a conversation."""

AgentTools: TypeAlias = "ToolLike | Iterable[ToolLike] | Executor"
"""What an agent takes as its tools."""


class Agent(ABC, Generic[AnswerT_co]):
    """A model, tools, and a way of working with them: the base of all agents.

    `Agent[Note]` is an agent whose answers are of the type `Note`.

    Use it directly, or in one `with` or `async with` block. The block enters and leaves the executor that the agent made; if you pass an
    executor, enter and leave it yourself. Several threads and tasks can use one agent at the same time, because a run stores nothing in the
    agent.

    Args:
        llm: The model: a name such as `"openai:gpt-5"`, a `Model`, or a function from messages to a message or a text.
        tools: The tools that the model may call: names, selectors, functions, `Tool`s, toolsets, or lists of these; or an `Executor`, which
            has options of its own.
        instructions: The system message before every conversation.
        answer_type: The type of the answer; text by default. An answer that is not of the type is sent back to the model.
        answer_retries: How often the model may try again to answer with that type.
        retry_empty: How often the agent asks again in a row, if the message of the model has neither text nor calls.
        registry: The `Registry` where names of tools are looked up; the process's by default.
        approve: Decides about calls that need approval: a function, or a coroutine function, of the tool and the call that returns
            `Approve()`, `Deny("why")` or a bool. Without it, a run stops at such calls, and `resume` continues it.
        deps: Objects that tools can receive as `context.deps`; or a class, if every run passes an object of it.

    Raises:
        ToolNotFoundError: A name that no tool has.
        AmbiguousToolError: A name that several tools have.
        DuplicateToolError: Two tools of one name.
        DefinitionError: Something cannot be a tool.
        ModelNotFoundError: There is no model of that name.
        TypeError: `llm` is not a model, an argument has another name, or `registry`, `approve` or `deps` was given with an executor.
    """

    _returns_calls = False

    def __init__(
        self,
        llm: ModelLike,
        tools: AgentTools = (),
        *,
        instructions: str = "",
        answer_type: Any = str,
        answer_retries: int = 2,
        retry_empty: int = 1,
        registry: Registry | None = None,
        approve: Approver | None = None,
        deps: Sequence[Any] = (),
        **_unknown: Never,
    ) -> None:
        if _unknown:
            raise TypeError(_unknown_argument(type(self), next(iter(_unknown))))
        if isinstance(tools, Executor) and (registry is not None or approve is not None or deps):
            raise TypeError("registry, approve and deps are for the executor: give them where it is made")
        self.model: Model = resolve(llm)
        self._executor_is_given = isinstance(tools, Executor)
        self.executor: Executor = (
            tools if isinstance(tools, Executor) else Executor(tools, registry=registry, approve=approve, deps=deps)
        )
        self._all_tools = VisibleTools(self.executor)
        self._has_gateways = self._all_tools.has_gateways
        self._answers = _answers_of_type(answer_type, answer_retries)
        self._instructions = "\n\n".join(filter(None, (instructions, self._answers.instructions)))
        self._loop = Loop(
            model=self.model,
            answers=self._answers,
            executor=self.executor,
            offered=self._all_tools._offered,
            instructions=self._instructions,
            retry_empty=checked_limit("retry_empty", retry_empty, 0),
            suspends=pipeline_of(self.executor).suspends,
        )

    @abstractmethod
    def _steps(
        self, chat: Chat, stored: Mapping[str, Any], decisions: Mapping[str, Decision]
    ) -> Effects[RunResult[AnswerT_co]]:
        """Return the coroutine of a run, whose result is the `RunResult`; see `Effects`.

        Args:
            chat: The conversation; in a resumed run, calls wait in it.
            stored: For a resumed run, the `progress` of its state.
            decisions: The decisions about the calls that wait, by the ids of the calls.
        """

    def _new_chat(self, query: Query, control: Control) -> Chat:
        """Return the conversation that `query` begins, a new `Chat` whose run `control` controls.

        Messages that `FunctionCall` returned may be in it. The gateways that they called are open in it.

        Raises:
            ApprovalError: A call without a result is one of a suspended run.
            TypeError, ValueError: As `conversation_of` raises them.
        """
        messages = conversation_of(query, self.model)
        paired = pair_results(messages)
        if not isinstance(query, LoggedHistory):
            paired.log(self.model.name)
        control.kept = kept_results_of(self.executor)
        visible = None
        if self._has_gateways:  # earlier messages may have opened tools behind them
            visible = self._all_tools.fresh()
            visible.restore(message.to_dict() for message in messages)
            visible._kept = control.kept
        return Chat(messages=list(messages), control=control, visible=visible, paired=paired)

    def _new_run(self, query: Query, control: Control) -> Effects[RunResult[AnswerT_co]]:
        """Return the coroutine of the run that `query` begins, which has not started yet."""
        return self._steps(self._new_chat(query, control), {}, {})

    def _resumed_run(
        self, state: RunState, decisions: Mapping[str, Decision] | None, control: Control
    ) -> Effects[RunResult[AnswerT_co]]:
        """Return the coroutine of the rest of the run whose state is `state`.

        `decisions` are those about the calls that wait, by their ids; None counts as none.

        Raises:
            TypeError: `state` is not a `RunState`.
            ApprovalError: It is the state of another agent's run.
        """
        check_state(state, type(self).__name__)
        control.kept = kept_results_of(self.executor)
        visible = VisibleTools.from_json(self.executor, state.opened) if self._has_gateways else None
        return self._steps(state.resumed(control, visible), state.progress, decisions or {})

    def __call__(self, query: Query, **options: Unpack[RunOptions]) -> AnswerT_co:
        """Return the answer to a question; with `return_last_tool_calls`, the calls of the last round.

        Args:
            query: A question, a message, or a conversation.
            **options: `cancellation`, a `CancellationToken` that ends the run when it is cancelled; `time_budget`, the seconds that it may take;
                `deps`, what the context of tools provides in this run, before the `deps` of the agent.

        Returns:
            The answer, or the `last_tool_calls` of the result.

        Raises:
            UnfinishedRunError: There is no answer; the error says why, and has the whole result.
        """
        result = self.run(query, **options)
        answer = result.unwrap()
        return cast("AnswerT_co", result.last_tool_calls) if self._returns_calls else answer

    def run(self, query: Query, **options: Unpack[RunOptions]) -> RunResult[AnswerT_co]:
        """Answer a question, and wait for the answer.

        Failures of models and tools are in the result; they do not raise.

        Args:
            query: A question, a message, or a conversation: the `messages` of an earlier result, and more after them.
            **options: `cancellation`, a `CancellationToken` that ends the run when it is cancelled; `time_budget`, the seconds that it may take;
                `deps`, what the context of tools provides in this run, before the `deps` of the agent.

        Raises:
            TypeError, ValueError: The query is not a conversation, or an option is not valid.
        """
        control = Control(**options)
        return run_to_end(self._new_run(query, control), control)

    async def arun(self, query: Query, **options: Unpack[RunOptions]) -> RunResult[AnswerT_co]:
        """Like `run`, on the running event loop."""
        control = Control(**options)
        return await arun_to_end(self._new_run(query, control), control)

    def stream(self, query: Query, **options: Unpack[RunOptions]) -> Generator[Event[AnswerT_co], None, None]:
        """Answer a question, and yield events as they happen, `Finished` last.

        Closing the generator cancels the run. The run takes place on a background loop.

        Args:
            query: A question, a message, or a conversation: the `messages` of an earlier result, and more after them.
            **options: `cancellation`, a `CancellationToken` that ends the run when it is cancelled; `time_budget`, the seconds that it may take;
                `deps`, what the context of tools provides in this run, before the `deps` of the agent.

        Raises:
            TypeError, ValueError: The query is not a conversation, or an option is not valid.
        """
        control = Control(**options)
        run = self._new_run(query, control)
        return stream_sync(lambda: astream(run, control))

    def astream(self, query: Query, **options: Unpack[RunOptions]) -> AsyncGenerator[Event[AnswerT_co], None]:
        """Like `stream`, on the running event loop."""
        control = Control(**options)
        return astream(self._new_run(query, control), control)

    def resume(
        self, state: RunState, decisions: Mapping[str, Decision] | None = None, **options: Unpack[ResumeOptions]
    ) -> RunResult[AnswerT_co]:
        """Continue a run that waits for decisions.

        Args:
            state: The `state` of its result; in another process, the state that `RunState.from_json` returns.
            decisions: `Approve()`, `Deny("why")` or a bool for each waiting call, by the id in `pending`. A call without a decision is
                refused.
            **options: `cancellation`, `time_budget` and `deps`, which `run` describes, for the rest of the run; and `by`, the name of the
                approver, which logs and `ToolResult.approval` show and the model never reads.

        Raises:
            TypeError: The state is not a `RunState`, for example because the run does not wait for a decision.
            ApprovalError: A decision names a call that does not wait, the run was resumed before, or it is a run of another agent.
        """
        control = Control.of_resumed(**options)
        return run_to_end(self._resumed_run(state, decisions, control), control)

    async def aresume(
        self, state: RunState, decisions: Mapping[str, Decision] | None = None, **options: Unpack[ResumeOptions]
    ) -> RunResult[AnswerT_co]:
        """Like `resume`, on the running event loop."""
        control = Control.of_resumed(**options)
        return await arun_to_end(self._resumed_run(state, decisions, control), control)

    def resume_stream(
        self, state: RunState, decisions: Mapping[str, Decision] | None = None, **options: Unpack[ResumeOptions]
    ) -> Generator[Event[AnswerT_co], None, None]:
        """Continue a run, and yield events as they happen, `Finished` last.

        Closing the generator cancels the run. The run takes place on a background loop.

        Args:
            state: The `state` of its result; in another process, the state that `RunState.from_json` returns.
            decisions: `Approve()`, `Deny("why")` or a bool for each waiting call, by the id in `pending`. A call without a decision is
                refused.
            **options: `cancellation`, `time_budget` and `deps`, which `run` describes, for the rest of the run; and `by`, the name of the
                approver, which logs and `ToolResult.approval` show and the model never reads.

        Raises:
            TypeError: The state is not a `RunState`, for example because the run does not wait for a decision.
            ApprovalError: A decision names a call that does not wait, the run was resumed before, or it is a run of another agent.
        """
        control = Control.of_resumed(**options)
        run = self._resumed_run(state, decisions, control)
        return stream_sync(lambda: astream(run, control))

    def aresume_stream(
        self, state: RunState, decisions: Mapping[str, Decision] | None = None, **options: Unpack[ResumeOptions]
    ) -> AsyncGenerator[Event[AnswerT_co], None]:
        """Like `resume_stream`, on the running event loop."""
        control = Control.of_resumed(**options)
        return astream(self._resumed_run(state, decisions, control), control)

    def __enter__(self) -> Self:
        if not self._executor_is_given:
            self.executor.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        if not self._executor_is_given:
            self.executor.__exit__(*raised)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, *raised: object) -> None:
        if not self._executor_is_given:
            await self.executor.__aexit__(*raised)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.model.name} with {', '.join(self.executor.tools) or 'no tools'}>"


def _answers_of_type(answer_type: Any, retries: int) -> TextAnswers | TypedAnswers:
    """Return the `Answers` for `answer_type`: `TextAnswers` for `str`, else `TypedAnswers`.

    `TypedAnswers` let the model try again `retries` times. Raise what `OutputFormat` raises for a type that it cannot read.
    """
    if answer_type is str:
        return TextAnswers()
    from fcregistry.prompts import OutputFormat  # heavy, and only for typed answers

    return TypedAnswers(OutputFormat(answer_type), retries)


def _unknown_argument(agent: type[Agent[Any]], name: str) -> str:
    """Return the message of the error for the argument `name`, which the class `agent` does not have.

    It says where to give it, if it is an argument of something else, or suggests arguments with similar names.
    """
    if name in _SYNONYMS:
        return f"{agent.__name__}() has no argument {name!r}; did you mean {_SYNONYMS[name]!r}?"
    places = []
    if name in RunOptions.__annotations__:
        places += [f"give it to run: agent.run(query, {name}=…)"]
    if name in arguments_of(Executor):
        places += [f"give it to the executor: {agent.__name__}(llm, Executor(tools, {name}=…))"]
    if name == "timeout":
        places += ["for a whole run, agent.run(query, time_budget=…)"]
    return (
        f"{agent.__name__}() has no argument {name!r}; {'; '.join(places)}" if places else unknown_argument(agent, name)
    )


_SYNONYMS: Final = {
    **dict.fromkeys(("model", "client"), "llm"),
    **dict.fromkeys(("system_prompt", "system", "prompt", "system_message"), "instructions"),
    **dict.fromkeys(("output_type", "result_type", "response_format", "response_model"), "answer_type"),
    **dict.fromkeys(("max_steps", "max_iterations", "max_turns"), "max_rounds"),
}
"""Names that other libraries use -> the argument of an agent."""


_DEFAULT_ROUNDS: Final = 5


def rounds_limit(max_rounds: int | None, max_retries: int | None) -> int:
    """Return how often the agent may ask the model: `max_rounds`, or `max_retries`; 5 by default.

    Raises:
        ValueError: The number is not a whole number above 0.
        TypeError: Both are given.
    """
    if max_rounds is not None and max_retries is not None:
        raise TypeError("max_retries is another name of max_rounds: give one of them")
    if max_retries is not None:
        return checked_limit("max_retries", max_retries)
    return _DEFAULT_ROUNDS if max_rounds is None else checked_limit("max_rounds", max_rounds)


class AgentOptions(TypedDict, total=False):
    """The options of every agent except `answer_type`, which `Agent` describes."""

    instructions: str
    answer_retries: int
    retry_empty: int
    registry: Registry | None
    approve: Approver | None
    deps: Sequence[Any]


class RoundOptions(AgentOptions, total=False):
    """The options of agents that limit their rounds, which `ReactAgent` describes."""

    max_rounds: int | None
    max_repeats: int | None
    max_retries: int | None
