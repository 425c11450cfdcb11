"""What is an agent? A model and tools, and a way of working with them. This is what all of them have in common.

MERGED: What can be said of every agent, and of a conversation with one?
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from fcregistry.agents._loop import AnswerWords, Typed
from fcregistry.agents._messages import conversation_of
from fcregistry.agents._result import Finished
from fcregistry.agents._runner import Control, Resumption, adrive, astream, drive
from fcregistry.agents._state import check_state
from fcregistry.agents._visible_tools import VisibleTools
from fcregistry.errors import UnfinishedRunError
from fcregistry.execution import Executor
from fcregistry.models import resolve, stream_sync

if TYPE_CHECKING:
    from typing import Self, Unpack

    from fcregistry._registry import Registry
    from fcregistry.agents._effects import Course
    from fcregistry.agents._loop import Answers
    from fcregistry.agents._messages import CountTokens
    from fcregistry.agents._result import Event, RunResult
    from fcregistry.agents._runner import ResumeOptions, RunOptions
    from fcregistry.agents._state import RunState
    from fcregistry.execution import Approver, Decision, ToolLike
    from fcregistry.models import Message, MessageLike, ModelLike

# --- agents._agent ---

Query: TypeAlias = "MessageLike | Iterable[MessageLike]"
"""A question, a message, or a conversation."""


class Agent(ABC):
    """What all agents have in common: how they are made, asked, followed, stopped and taken up again.

    It can be used as it is, or in one `with` or `async with` block, which enters and leaves its executor; one that it was given stays its
    owner's. One agent may be asked by several threads and tasks at once: a run keeps nothing in it.

    Args:
        llm: A model, its name (`"openai:…"`), or a callable from messages to a message or a text.
        tools: What the model may call, as for `Executor`; or an `Executor`, made with whatever else there is to say.
        instructions: What the model is told before every conversation.
        answer_type: The type of the answer; a text by default. What the model says is read as one, and sent back if it is none.
        answer_retries: How often the model may try again to answer with that type.
        registry: Where names are looked up; the process's by default.
        approve: As for `Executor`. Without it, a run ends where somebody has to decide about calls, and `resume` takes it up.
        deps: What the context of tools can have, as for `Executor`.

    Raises:
        ToolNotFoundError, AmbiguousToolError, DuplicateToolError, DefinitionError: As for `Executor`.
        ModelNotFoundError: There is no model of that name.
        TypeError: `llm` is no model, or an executor was given beside what it is made with.
    """

    _returns_calls = False

    def __init__(
        self,
        llm: ModelLike,
        tools: ToolLike | Iterable[ToolLike] | Executor = (),
        *,
        instructions: str = "",
        answer_type: Any = str,
        answer_retries: int = 2,
        registry: Registry | None = None,
        approve: Approver | None = None,
        deps: Sequence[Any] = (),
    ) -> None:
        if isinstance(tools, Executor) and (registry is not None or approve is not None or deps):
            raise TypeError("registry, approve and deps are for the executor: give them where it is made")
        self.model = resolve(llm)
        self._is_given = isinstance(tools, Executor)
        self.executor = (
            tools if isinstance(tools, Executor) else Executor(tools, registry=registry, approve=approve, deps=deps)
        )
        self._suspends = self.executor._pipeline.rules.approve is None
        self._nothing_opened = VisibleTools(self.executor)
        self._answers = _answers(answer_type, answer_retries)
        self._instructions = "\n\n".join(filter(None, (instructions, self._answers.instructions)))

    # What each agent does

    @abstractmethod
    def _course(self, messages: Sequence[Message]) -> Course[RunResult]:
        """Return the course of a run that begins with some messages."""

    @abstractmethod
    def _resumed(self, state: RunState, decisions: Mapping[str, Decision]) -> Course[RunResult]:
        """Return the course of a run that goes on."""

    def _messages(self, query: Query) -> tuple[Message, ...]:
        """Return the messages of a query; what `FunctionCall` returned may be among them."""
        return conversation_of(query, self.model)

    # Ask

    def __call__(self, query: Query, **options: Unpack[RunOptions]) -> Any:
        """Return the answer to a question; with `return_last_tool_calls`, where an agent has it, the calls of the last round.

        Args:
            query: A question, a message, or a conversation.
            **options: As for `run`.

        Returns:
            The answer, or the `last_tool_calls` of the result.

        Raises:
            UnfinishedRunError: There is no answer; says why, and has the whole result.
        """
        result = self.run(query, **options)
        answer = answer_of(result)
        return result.last_tool_calls if self._returns_calls else answer

    def run(self, query: Query, **options: Unpack[RunOptions]) -> RunResult:
        """Answer a question, and wait for it. Whatever a model or a tool does is in the result, and raises nothing.

        Args:
            query: A question, a message, or a conversation: the `messages` of an earlier result, and what comes after them.
            **options: `cancellation`, a `CancellationToken` that ends the run when it is cancelled; `time_budget`, the seconds that it may take;
                `deps`, what the context of tools can have in this run, before what the agent has.

        Raises:
            TypeError, ValueError: The query is no conversation, or the time is none.
        """
        return drive(self._course(self._messages(query)), Control(**options))

    async def arun(self, query: Query, **options: Unpack[RunOptions]) -> RunResult:
        """Answer a question on the running loop; as `run` otherwise."""
        return await adrive(self._course(self._messages(query)), Control(**options))

    def stream(self, query: Query, **options: Unpack[RunOptions]) -> Generator[Event, None, None]:
        """Answer a question, and yield what happens as it does; a `Finished` comes last. Whoever stops listening cancels the run.

        The arguments and errors are those of `run`. The run takes place on a background loop.
        """
        course, control = self._course(self._messages(query)), Control(**options)
        return stream_sync(lambda: astream(course, control, _finished))

    def astream(self, query: Query, **options: Unpack[RunOptions]) -> AsyncGenerator[Event, None]:
        """Answer a question on the running loop, and yield what happens as it does; as `stream` otherwise."""
        return astream(self._course(self._messages(query)), Control(**options), _finished)

    # Take up

    def resume(
        self, state: RunState, decisions: Mapping[str, Decision] | None = None, **options: Unpack[ResumeOptions]
    ) -> RunResult:
        """Go on with a run that waits for decisions.

        Args:
            state: The `state` of its result; from another process, what `RunState.from_json` gives.
            decisions: `Approve()` or `Deny("why")` of the calls that wait, by the id that `pending` gives. One without a decision is refused.
            **options: As for `run`, for what is left of the run; and `by`, who decided, for the developer.

        Raises:
            TypeError: The state is none: the result is not of a run that waits.
            ApprovalError: A decision about a call that does not wait for one, the run was taken up before, or it is another agent's.
        """
        self._check_own(state)
        return drive(self._resumed(state, decisions or {}), Resumption(**options))

    async def aresume(
        self, state: RunState, decisions: Mapping[str, Decision] | None = None, **options: Unpack[ResumeOptions]
    ) -> RunResult:
        """Go on with a run on the running loop; as `resume` otherwise."""
        self._check_own(state)
        return await adrive(self._resumed(state, decisions or {}), Resumption(**options))

    def resume_stream(
        self, state: RunState, decisions: Mapping[str, Decision] | None = None, **options: Unpack[ResumeOptions]
    ) -> Generator[Event, None, None]:
        """Go on with a run, and yield what happens as it does; as `resume` and `stream` otherwise."""
        self._check_own(state)
        course, control = self._resumed(state, decisions or {}), Resumption(**options)
        return stream_sync(lambda: astream(course, control, _finished))

    def aresume_stream(
        self, state: RunState, decisions: Mapping[str, Decision] | None = None, **options: Unpack[ResumeOptions]
    ) -> AsyncGenerator[Event, None]:
        """Go on with a run on the running loop, and yield what happens as it does; as `resume` and `stream` otherwise."""
        self._check_own(state)
        return astream(self._resumed(state, decisions or {}), Resumption(**options), _finished)

    def _check_own(self, state: RunState) -> None:
        check_state(state, type(self).__name__)

    # What the model sees

    def _opened_by(self, messages: Iterable[Message]) -> VisibleTools:
        """Return the tools that the model sees in a run: those behind gateways that its conversation has opened among them."""
        visible = self._nothing_opened.fresh()
        visible.restore(message.to_dict() for message in messages)
        return visible

    def _opened_in(self, state: RunState) -> VisibleTools:
        """Return the tools that the model sees in a run that is taken up."""
        return self._nothing_opened.from_json(self.executor, state.opened)

    # Enter and leave

    def __enter__(self) -> Self:
        if not self._is_given:
            self.executor.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        if not self._is_given:
            self.executor.__exit__(*raised)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, *raised: object) -> None:
        if not self._is_given:
            await self.executor.__aexit__(*raised)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.model.name} with {', '.join(self.executor.tools) or 'no tools'}>"


def answer_of(result: RunResult) -> Any:
    """Return the answer of a run.

    Raises:
        UnfinishedRunError: There is none.
    """
    if not result.ok:
        raise UnfinishedRunError(result) from result.error
    return result.answer


def _finished(result: RunResult) -> Event:
    return Finished(result=result)


def _answers(answer_type: Any, retries: int) -> Answers:
    if answer_type is str:
        return AnswerWords()
    from fcregistry.prompts import OutputFormat  # heavy, and for answers of a type alone

    return Typed(OutputFormat(answer_type), retries)


# --- agents._options ---


class AgentOptions(TypedDict, total=False):
    """The options of every agent; `Agent` says what each is."""

    instructions: str
    answer_type: Any
    answer_retries: int
    registry: Registry | None
    approve: Approver | None
    deps: Sequence[Any]


class ConversationOptions(AgentOptions, total=False):
    """What can be said of a conversation that is taken up again; `Conversation` says what each is."""

    max_tool_calls: int | None
    max_retries: int | None
    max_messages: int | None
    max_tokens: int | None
    count_tokens: CountTokens
