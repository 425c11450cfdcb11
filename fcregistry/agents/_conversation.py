"""How does one talk with an agent over several turns? It is told what was said before, as much of it as there is room for."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Iterable, Mapping
from contextlib import aclosing, closing
from typing import TYPE_CHECKING, Any

from fcregistry.agents._agent import Agent
from fcregistry.agents._history import conversation_of
from fcregistry.agents._react import ReactAgent, checked_limit
from fcregistry.agents._shortening import estimated_tokens, shortened
from fcregistry.agents._transcript import Transcript, read_transcript

if TYPE_CHECKING:
    from typing import Self, Unpack

    from fcregistry.agents._control import ResumeOptions, RunOptions
    from fcregistry.agents._events import Event
    from fcregistry.agents._options import AgentOptions, ConversationOptions
    from fcregistry.agents._result import RunResult
    from fcregistry.agents._shortening import CountTokens
    from fcregistry.execution import Executor, WaitingCall
    from fcregistry.execution._settings import ToolLike
    from fcregistry.execution._suspended import Decision
    from fcregistry.models import Message, MessageLike
    from fcregistry.models._resolve import ModelLike


class Conversation:
    """An agent, and what was said with it so far.

    A turn is what the user says and all that the agent does about it. However a turn ends, what was said and done in it is part of the history;
    a turn that was left before its end, by an exception or by who listened to it, is not.

    A conversation is for one thread or task at a time: a turn that begins while another one lasts raises `RuntimeError`. Others can use its agent
    meanwhile.

    Args:
        agent: An agent; or a model, as for every agent, of which a `ReactAgent` is made.
        tools: As for `ReactAgent`.
        max_tool_calls: How many calls may be carried out in one turn at most; None for any number.
        max_retries: How often the model is asked in one turn at most; as `ReactAgent` says by default.
        max_messages: How many messages the agent is told at the beginning of a turn at most; None for any number. The oldest turns are forgotten
            first, and the latest one never.
        max_tokens: How many tokens these may be; None for any number.
        count_tokens: Says how many tokens a message is; by default, an estimate from its length.
        messages: What was said before.
        **options: As for every agent.

    Raises:
        TypeError: An agent was given beside what it is made with; or as for `ReactAgent`.
        ValueError: A limit is no number above 0.
    """

    def __init__(
        self,
        agent: Agent | ModelLike,
        tools: ToolLike | Iterable[ToolLike] | Executor = (),
        *,
        max_tool_calls: int | None = None,
        max_retries: int | None = None,
        max_messages: int | None = None,
        max_tokens: int | None = None,
        count_tokens: CountTokens = estimated_tokens,
        messages: Iterable[MessageLike] = (),
        **options: Unpack[AgentOptions],
    ) -> None:
        limits = {"max_tool_calls": max_tool_calls, "max_retries": max_retries}
        told = {name: value for name, value in limits.items() if value is not None} | options
        self.agent = _agent(agent, tools, told)
        self._max_messages = None if max_messages is None else checked_limit("max_messages", max_messages)
        self._max_tokens = None if max_tokens is None else checked_limit("max_tokens", max_tokens)
        self._count_tokens = count_tokens
        self._transcript = Transcript(conversation_of(tuple(messages), self.agent.model))

    @property
    def messages(self) -> tuple[Message, ...]:
        """What was said so far, without what was forgotten."""
        return self._transcript.messages

    @property
    def pending(self) -> tuple[WaitingCall, ...]:
        """The calls that wait for somebody's decision: `resume` goes on with the turn."""
        return self._transcript.pending

    # Talk

    def say(self, text: MessageLike, **options: Unpack[RunOptions]) -> RunResult:
        """Say something, and wait for the answer.

        Args:
            text: What the user says: a text, or a message.
            **options: As for `Agent.run`, for this turn.

        Returns:
            What came of the turn. Its `messages` are the whole conversation, without what was forgotten.

        Raises:
            ApprovalError: Calls of the turn before wait for a decision.
            RuntimeError: Another turn of this conversation lasts.
            TypeError, ValueError: As for `Agent.run`.
        """
        with self._transcript.new_turn():
            return self._transcript.heard(self.agent.run(self._with(text), **options))

    async def asay(self, text: MessageLike, **options: Unpack[RunOptions]) -> RunResult:
        """Say something on the running loop; as `say` otherwise."""
        with self._transcript.new_turn():
            return self._transcript.heard(await self.agent.arun(self._with(text), **options))

    def stream(self, text: MessageLike, **options: Unpack[RunOptions]) -> Generator[Event, None, None]:
        """Say something, and yield what happens as it does; a `Finished` comes last. Whoever stops listening before cancels the turn.

        The turn begins with the first event that is asked for. The arguments and errors are those of `say`.
        """
        with self._transcript.new_turn(), closing(self.agent.stream(self._with(text), **options)) as events:
            yield from map(self._transcript.listened, events)

    async def astream(self, text: MessageLike, **options: Unpack[RunOptions]) -> AsyncGenerator[Event, None]:
        """Say something on the running loop, and yield what happens as it does; as `stream` otherwise."""
        with self._transcript.new_turn():
            async with aclosing(self.agent.astream(self._with(text), **options)) as events:
                async for event in events:
                    yield self._transcript.listened(event)

    # Take up

    def resume(self, decisions: Mapping[str, Decision] | None = None, **options: Unpack[ResumeOptions]) -> RunResult:
        """Go on with a turn that waits for decisions.

        Args:
            decisions: `Approve()` or `Deny("why")` of the calls that wait, by the id that `pending` gives. One without a decision is refused.
            **options: As for `Agent.resume`.

        Raises:
            ApprovalError: No call waits; or as for `Agent.resume`.
            RuntimeError: Another turn of this conversation lasts.
        """
        with self._transcript.waiting_turn() as state:
            return self._transcript.heard(self.agent.resume(state, decisions, **options))

    async def aresume(
        self, decisions: Mapping[str, Decision] | None = None, **options: Unpack[ResumeOptions]
    ) -> RunResult:
        """Go on with a turn on the running loop; as `resume` otherwise."""
        with self._transcript.waiting_turn() as state:
            return self._transcript.heard(await self.agent.aresume(state, decisions, **options))

    def resume_stream(
        self, decisions: Mapping[str, Decision] | None = None, **options: Unpack[ResumeOptions]
    ) -> Generator[Event, None, None]:
        """Go on with a turn, and yield what happens as it does; as `resume` and `stream` otherwise."""
        with (
            self._transcript.waiting_turn() as state,
            closing(self.agent.resume_stream(state, decisions, **options)) as events,
        ):
            yield from map(self._transcript.listened, events)

    async def aresume_stream(
        self, decisions: Mapping[str, Decision] | None = None, **options: Unpack[ResumeOptions]
    ) -> AsyncGenerator[Event, None]:
        """Go on with a turn on the running loop, and yield what happens as it does; as `resume` and `stream` otherwise."""
        with self._transcript.waiting_turn() as state:
            async with aclosing(self.agent.aresume_stream(state, decisions, **options)) as events:
                async for event in events:
                    yield self._transcript.listened(event)

    # Keep

    def to_json(self, *, key: bytes | None = None) -> str:
        """Return what was said, as JSON text, which `from_json` reads.

        Args:
            key: What `RunState.to_json` signs with, where calls wait for a decision.

        Raises:
            ApprovalError: Calls wait, and there is no key, or one that is too short.
        """
        return self._transcript.to_json(key)

    @classmethod
    def from_json(
        cls,
        text: str,
        agent: Agent | ModelLike,
        tools: ToolLike | Iterable[ToolLike] | Executor = (),
        *,
        key: bytes | None = None,
        max_age: float | None = None,
        **options: Unpack[ConversationOptions],
    ) -> Self:
        """Return a conversation that goes on with what `to_json` wrote.

        Args:
            text: What it wrote. Only waiting calls are signed: take it from nobody who is not to write the history.
            agent: As for the conversation itself.
            tools: As for the conversation itself.
            key: The key that waiting calls were signed with.
            max_age: Seconds that may have gone by since these were; None for any.
            **options: As for the conversation itself.

        Raises:
            ValueError: The text is something else.
            ApprovalError: Calls wait in it, and there is no key; or as for `RunState.from_json`.
        """
        told = read_transcript(text)
        made = cls(agent, tools, messages=told["messages"], **options)
        if (state := told.get("state")) is not None:
            made._transcript.wait_again(state, key, max_age)
        return made

    def __repr__(self) -> str:
        return f"<Conversation of {len(self.messages)} messages with {self.agent!r}>"

    def _with(self, text: MessageLike) -> list[Message]:
        """Return what the agent is told in a turn."""
        said = conversation_of((text,), self.agent.model)
        return shortened([*self.messages, *said], self._max_messages, self._max_tokens, self._count_tokens)


def _agent(given: Agent | ModelLike, tools: ToolLike | Iterable[ToolLike] | Executor, told: Mapping[str, Any]) -> Agent:
    """Return the agent that is meant.

    Raises:
        TypeError: It is one, and is to be made otherwise.
    """
    if not isinstance(given, Agent):
        return ReactAgent(given, tools, **told)
    if beside := [*(() if tools == () else ("tools",)), *told]:
        raise TypeError(f"{', '.join(beside)}: say that where the {type(given).__name__} is made")
    return given
