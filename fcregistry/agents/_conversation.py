"""How does one talk with an agent over several turns? It is told what was said before, as much of it as there is room for.

MERGED: What was said in a conversation so far, who may go on with it, and how is it kept?
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping
from contextlib import aclosing, closing, contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.forks import after_fork
from fcregistry.agents._agent import Agent
from fcregistry.agents._messages import conversation_of, estimated_tokens, shortened
from fcregistry.agents._react import ReactAgent, checked_limit
from fcregistry.agents._result import Finished
from fcregistry.agents._state import RunState
from fcregistry.errors import ApprovalError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self, Unpack

    from fcregistry.agents._agent import AgentOptions, ConversationOptions
    from fcregistry.agents._messages import CountTokens
    from fcregistry.agents._result import Event, RunResult
    from fcregistry.agents._runner import ResumeOptions, RunOptions
    from fcregistry.execution import Executor, WaitingCall
    from fcregistry.execution._settings import ToolLike
    from fcregistry.execution._suspended import Decision
    from fcregistry.models import Message, MessageLike
    from fcregistry.models._resolve import ModelLike

# --- agents._conversation ---


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


# --- agents._transcript ---

_FORMAT: Final = 1
"""The version of what `to_json` writes."""


class Transcript:
    """What was said in a conversation, and the turn of it that waits for decisions, if one does. One turn at a time writes it.

    Args:
        messages: What was said before.

    Attributes:
        messages: What was said so far, without what was forgotten.
    """

    __slots__ = ("__weakref__", "_state", "_turn", "messages")

    def __init__(self, messages: tuple[Message, ...]) -> None:
        self.messages = messages
        self._state: RunState | None = None
        self._begin()
        after_fork(self, Transcript._begin)

    def _begin(self) -> None:
        self._turn = Lock()  # another one in a forked process, which has no thread whose turn lasts

    @property
    def pending(self) -> tuple[WaitingCall, ...]:
        """The calls that wait for somebody's decision."""
        return () if self._state is None else self._state.prepared.waiting

    # Turns

    @contextmanager
    def new_turn(self) -> Iterator[None]:
        """Keep others out while a turn lasts that begins now.

        Raises:
            ApprovalError: Calls of the turn before wait for a decision.
            RuntimeError: Another turn lasts.
        """
        with self._one_turn():
            if self._state is not None:
                waiting = ", ".join(repr(call.id) for call in self.pending)
                raise ApprovalError(f"calls of this conversation wait for a decision: {waiting}; resume the turn first")
            yield

    @contextmanager
    def waiting_turn(self) -> Iterator[RunState]:
        """Keep others out while a turn goes on that waited.

        Raises:
            ApprovalError: No call waits.
            RuntimeError: Another turn lasts.
        """
        with self._one_turn():
            if self._state is None:
                raise ApprovalError("no call of this conversation waits for a decision")
            yield self._state

    @contextmanager
    def _one_turn(self) -> Iterator[None]:
        turn = self._turn
        if not turn.acquire(blocking=False):
            raise RuntimeError("another turn of this conversation lasts: wait for its end, or have a conversation each")
        try:
            self._settle()
            yield
        finally:
            self._settle()
            turn.release()

    def _settle(self) -> None:
        """Forget calls that wait no longer, of whose results nothing was heard: somebody else resumed them, or they were left."""
        if self._state is not None and self._state.prepared._taken:
            self._state = None
            self.messages = self.messages[:-1]  # which makes these calls

    def heard(self, result: RunResult) -> RunResult:
        """Take up what came of a turn, and return it."""
        self.messages = result.messages
        self._state = result.state
        return result

    def listened(self, event: Event) -> Event:
        """Take up what came of a turn where an event says so, and return the event."""
        if isinstance(event, Finished):
            self.heard(event.result)
        return event

    # JSON

    def to_json(self, key: bytes | None) -> str:
        """Return it as JSON text, with the calls that wait, signed.

        Raises:
            ApprovalError: Calls wait, and there is no key, or one that is too short.
        """
        told: dict[str, Any] = {"version": _FORMAT, "messages": [message.to_dict() for message in self.messages]}
        if self._state is not None:
            if key is None:
                raise ApprovalError("calls wait for a decision: give the key=… to sign them with, or resume first")
            told["state"] = self._state.to_json(key=key)
        return json.dumps(told, ensure_ascii=False)

    def wait_again(self, state: str, key: bytes | None, max_age: float | None) -> None:
        """Have the turn wait that waited when the transcript was written.

        Raises:
            ApprovalError: There is no key; or as for `RunState.from_json`.
        """
        if key is None:
            raise ApprovalError("calls of this conversation wait for a decision: give the key=… they are signed with")
        self._state = RunState.from_json(state, key=key, max_age=max_age)


def read_transcript(text: str) -> dict[str, Any]:
    """Return what a text of `to_json` says: `messages`, and the `state` of the turn that waits, if one does.

    Raises:
        ValueError: It is none.
    """
    try:
        told = json.loads(text)
    except RecursionError:
        told = None
    if not isinstance(told, dict) or told.get("version") != _FORMAT or not isinstance(told.get("messages"), list):
        raise ValueError(f"this is no conversation as to_json writes it, of version {_FORMAT}")
    return told
