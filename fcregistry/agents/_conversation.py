"""`Conversation`: several turns with an agent, which receives earlier messages up to a limit."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Generator, Iterable, Iterator, Mapping
from contextlib import aclosing, closing, contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Generic, TypedDict, TypeVar, overload

from fcregistry._base.forks import after_fork
from fcregistry._base.source import callback_problem
from fcregistry._tools.selectors import did_you_mean, nearest
from fcregistry.agents._agent import Agent, RoundOptions
from fcregistry.agents._effects import arun_to_end, astream, run_to_end
from fcregistry.agents._history import conversation_of, estimate_tokens, shorten
from fcregistry.agents._pairing import LoggedHistory, pair_results
from fcregistry.agents._react import ReactAgent, ReactOptions
from fcregistry.agents._run import AnswerT_co, Control, RunState, checked_limit
from fcregistry.errors import ApprovalError
from fcregistry.execution import is_resumed
from fcregistry.models import derived, stream_sync

if TYPE_CHECKING:
    from typing import Unpack

    from fcregistry.agents._agent import AgentOptions, AgentTools
    from fcregistry.agents._effects import Event
    from fcregistry.agents._history import CountTokens
    from fcregistry.agents._run import ResumeOptions, RunOptions, RunResult
    from fcregistry.execution import Decision, WaitingCall
    from fcregistry.models import Message, MessageLike, ModelLike


AnswerT = TypeVar("AnswerT")


class HistoryOptions(TypedDict, total=False):
    """The options of a conversation with an agent, which `Conversation` describes."""

    max_messages: int | None
    max_tokens: int | None
    count_tokens: CountTokens


class ConversationOptions(HistoryOptions, RoundOptions, total=False):
    """The options of a conversation with a model, which `Conversation` describes."""

    max_tool_calls: int | None


class Conversation(Generic[AnswerT_co]):
    """An agent, and the messages exchanged with it so far.

    A turn is a message of the user and everything that the agent does until it answers. When a turn ends, its messages become part of the
    history, also if an interrupt, the cancellation of the task or the end of its stream ends it: a call that has no result then gets one that
    says that the call was cancelled. A turn that another exception ends leaves no messages.

    Only one thread or task can use a conversation at a time: beginning a turn during another one raises `RuntimeError`. Its agent can be used
    elsewhere at the same time.

    Args:
        agent: An agent. Or a model, for which the conversation makes a `ReactAgent`: a name such as `"openai:gpt-5"`, a `Model`, or a
            function.
        tools: The tools that the model may call: names, selectors, functions, `Tool`s, toolsets, or lists of these; or an `Executor`, which
            has options of its own.
        max_tool_calls: How many calls may run in one turn at most; None for any number.
        max_rounds: How often the agent may ask the model in one turn; the default is that of `ReactAgent`.
        max_repeats: How often in a row a round may repeat the calls and results of the one before; None for any number.
        max_retries: Another name of `max_rounds`, for code that was written for LazyLLM.
        max_messages: How many messages the agent receives at most at the beginning of a turn; None for any number. The conversation drops the
            oldest turns first, and never the latest one.
        max_tokens: How many tokens these messages may have; None for any number.
        count_tokens: Returns how many tokens a message has; by default, an estimate from its length.
        messages: Earlier messages, with which the conversation begins.
        **options: The options of every agent, by keyword: the following.
        instructions: The system message at the beginning of the conversation.
        answer_type: The type of the answer; text by default. An answer that is not of the type is sent back to the model.
        answer_retries: How often the model may try again to answer with that type.
        retry_empty: How often the agent asks again in a row, if the message of the model has neither text nor calls.
        registry: The `Registry` where names of tools are looked up; the process's by default.
        approve: Decides about calls that need approval: a function or coroutine function that receives the tool and the call, and returns
            `Approve()`, `Deny("why")` or a bool. Without it, a turn stops at such calls, and `resume` continues it.
        deps: Objects that tools can receive as `context.deps`; or a class, if every turn passes an object of that class.

    Raises:
        TypeError: The caller passed an agent together with options of an agent, or `agent` is not a model.
        ValueError: A limit is not a whole number above 0.
    """

    @overload
    def __init__(
        self, agent: Agent[AnswerT_co], *, messages: Iterable[MessageLike] = ..., **options: Unpack[HistoryOptions]
    ) -> None: ...
    @overload
    def __init__(
        self: Conversation[str],
        agent: ModelLike,
        tools: AgentTools = ...,
        *,
        messages: Iterable[MessageLike] = ...,
        **options: Unpack[ConversationOptions],
    ) -> None: ...
    @overload
    def __init__(
        self,
        agent: ModelLike,
        tools: AgentTools = ...,
        *,
        answer_type: type[AnswerT_co],
        messages: Iterable[MessageLike] = ...,
        **options: Unpack[ConversationOptions],
    ) -> None: ...
    @overload
    def __init__(
        self: Conversation[Any],
        agent: Agent | ModelLike,
        tools: AgentTools = ...,
        *,
        answer_type: Any = ...,
        messages: Iterable[MessageLike] = ...,
        **options: Unpack[ConversationOptions],
    ) -> None: ...
    def __init__(
        self,
        agent: Agent | ModelLike,
        tools: AgentTools = (),
        *,
        max_tool_calls: int | None = None,
        max_rounds: int | None = None,
        max_repeats: int | None = None,
        max_retries: int | None = None,
        answer_type: Any = str,
        max_messages: int | None = None,
        max_tokens: int | None = None,
        count_tokens: CountTokens = estimate_tokens,
        messages: Iterable[MessageLike] = (),
        **options: Unpack[AgentOptions],
    ) -> None:
        limits = {"max_tool_calls": max_tool_calls, "max_rounds": max_rounds, "max_repeats": max_repeats}
        limits["max_retries"] = max_retries
        given = {name: value for name, value in limits.items() if value is not None} | options
        if answer_type is not str:
            given["answer_type"] = answer_type
        self.agent: Agent[AnswerT_co] = _agent_from(agent, tools, given)
        self._max_messages = None if max_messages is None else checked_limit("max_messages", max_messages)
        self._max_tokens = None if max_tokens is None else checked_limit("max_tokens", max_tokens)
        if problem := callback_problem(count_tokens, "message"):
            raise TypeError(f"count_tokens {problem}")
        key = object()  # each message is counted once, and not in each turn
        self._count_tokens: CountTokens = lambda message: derived(message, key, count_tokens)
        self._messages = conversation_of(tuple(messages), self.agent.model)
        self._state: RunState | None = None
        self._is_logged = False
        self._renew_lock()
        after_fork(self, Conversation._renew_lock)

    def _renew_lock(self) -> None:
        """Replace the lock `_turn` by a new one; also in a forked process, in which no thread holds it."""
        self._turn = Lock()

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages so far, without those that the conversation dropped because of its limits."""
        return self._messages

    @property
    def pending(self) -> tuple[WaitingCall, ...]:
        """The calls that wait for an approver's decision.

        Pass the decisions to `resume`, which continues the turn.
        """
        return () if self._state is None else self._state.prepared.waiting

    @property
    def pending_id(self) -> str | None:
        """The id of the calls that wait for a decision together; None if no call waits.

        It stays the same after `to_json` and `from_json`: record it in the application's own storage, and resume a turn only once.
        """
        return None if self._state is None else self._state.prepared.id

    def say(self, text: MessageLike, **options: Unpack[RunOptions]) -> RunResult[AnswerT_co]:
        """Begin a turn, and wait for the answer.

        Args:
            text: The text or message of the user.
            **options: `cancellation`, a `CancellationToken` that ends the turn when it is cancelled; `time_budget`, the seconds that it
                may take; `deps`, objects that tools receive as `context.deps` in this turn, in preference to the `deps` of the agent.

        Returns:
            The result of the turn. Its `messages` are those of the whole conversation, without those that the conversation dropped.

        Raises:
            ApprovalError: Calls of the previous turn wait for a decision.
            RuntimeError: Another turn of this conversation has not ended.
            TypeError, ValueError: `text` is not a message, or an option is not valid.
        """
        control = Control(**options)
        with self._one_turn(control):
            return run_to_end(self.agent._new_run(self._messages_with(text), control), control)

    async def asay(self, text: MessageLike, **options: Unpack[RunOptions]) -> RunResult[AnswerT_co]:
        """Like `say`, on the running event loop."""
        control = Control(**options)
        with self._one_turn(control):
            return await arun_to_end(self.agent._new_run(self._messages_with(text), control), control)

    def stream(self, text: MessageLike, **options: Unpack[RunOptions]) -> Generator[Event[AnswerT_co], None, None]:
        """Begin a turn, and yield events as they happen, `Finished` last.

        The turn begins when the first event is asked for. Closing the generator before the end cancels the turn.

        Args:
            text: The text or message of the user.
            **options: `cancellation`, a `CancellationToken` that ends the turn when it is cancelled; `time_budget`, the seconds that it
                may take; `deps`, objects that tools receive as `context.deps` in this turn, in preference to the `deps` of the agent.

        Raises:
            ApprovalError: Calls of the previous turn wait for a decision.
            RuntimeError: Another turn of this conversation has not ended.
            TypeError, ValueError: `text` is not a message, or an option is not valid.
        """
        control = Control(**options)
        with self._one_turn(control):
            run = self.agent._new_run(self._messages_with(text), control)
            with closing(stream_sync(lambda: astream(run, control))) as events:
                yield from events

    async def astream(
        self, text: MessageLike, **options: Unpack[RunOptions]
    ) -> AsyncGenerator[Event[AnswerT_co], None]:
        """Like `stream`, on the running event loop."""
        control = Control(**options)
        with self._one_turn(control):
            run = self.agent._new_run(self._messages_with(text), control)
            async with aclosing(astream(run, control)) as events:
                async for event in events:
                    yield event

    def resume(
        self, decisions: Mapping[str, Decision] | None = None, **options: Unpack[ResumeOptions]
    ) -> RunResult[AnswerT_co]:
        """Continue a turn that waits for decisions, and wait for the answer.

        Args:
            decisions: `Approve()`, `Deny("why")` or a bool for each waiting call, by the id in `pending`. A call without a decision is
                refused.
            **options: `cancellation`, `time_budget` and `deps`, which `say` describes, for the rest of the turn; and `by`, the name of the
                approver, which logs and `ToolResult.approval` show and the model never reads.

        Raises:
            ApprovalError: No call waits, or a decision names a call that does not wait.
            RuntimeError: Another turn of this conversation has not ended.
        """
        control = Control.of_resumed(**options)
        with self._one_turn(control):
            return run_to_end(self.agent._resumed_run(self._waiting_state(), decisions, control), control)

    async def aresume(
        self, decisions: Mapping[str, Decision] | None = None, **options: Unpack[ResumeOptions]
    ) -> RunResult[AnswerT_co]:
        """Like `resume`, on the running event loop."""
        control = Control.of_resumed(**options)
        with self._one_turn(control):
            return await arun_to_end(self.agent._resumed_run(self._waiting_state(), decisions, control), control)

    def resume_stream(
        self, decisions: Mapping[str, Decision] | None = None, **options: Unpack[ResumeOptions]
    ) -> Generator[Event[AnswerT_co], None, None]:
        """Continue a turn that waits for decisions, and yield events as they happen, `Finished` last.

        Args:
            decisions: `Approve()`, `Deny("why")` or a bool for each waiting call, by the id in `pending`. A call without a decision is
                refused.
            **options: `cancellation`, `time_budget` and `deps`, which `say` describes, for the rest of the turn; and `by`, the name of the
                approver, which logs and `ToolResult.approval` show and the model never reads.

        Raises:
            ApprovalError: No call waits, or a decision names a call that does not wait.
            RuntimeError: Another turn of this conversation has not ended.
        """
        control = Control.of_resumed(**options)
        with self._one_turn(control):
            run = self.agent._resumed_run(self._waiting_state(), decisions, control)
            with closing(stream_sync(lambda: astream(run, control))) as events:
                yield from events

    async def aresume_stream(
        self, decisions: Mapping[str, Decision] | None = None, **options: Unpack[ResumeOptions]
    ) -> AsyncGenerator[Event[AnswerT_co], None]:
        """Like `resume_stream`, on the running event loop."""
        control = Control.of_resumed(**options)
        with self._one_turn(control):
            run = self.agent._resumed_run(self._waiting_state(), decisions, control)
            async with aclosing(astream(run, control)) as events:
                async for event in events:
                    yield event

    def to_json(self, *, key: bytes | None = None) -> str:
        """Return the conversation as JSON text, which `from_json` reads.

        Args:
            key: The key that signs the state of waiting calls: at least 16 secret bytes. Needed only if calls wait for a decision.

        Raises:
            ApprovalError: Calls wait for a decision, and the key is missing or too short.
        """
        written: dict[str, Any] = {"version": _FORMAT, "messages": [message.to_dict() for message in self.messages]}
        if self._state is not None:
            if key is None:
                raise ApprovalError(
                    "this conversation has calls that still need approval: pass key=… to sign their state, or decide on them first with resume"
                )
            written["state"] = self._state.to_json(key=key)
        return json.dumps(written, ensure_ascii=False)

    @overload
    @classmethod
    def from_json(  # type: ignore[overload-overlap]  # an agent can be called, like a function that is a model
        cls,
        text: str,
        agent: Agent[AnswerT],
        *,
        key: bytes | None = ...,
        max_age: float | None = ...,
        **options: Unpack[HistoryOptions],
    ) -> Conversation[AnswerT]: ...
    @overload
    @classmethod
    def from_json(
        cls,
        text: str,
        agent: ModelLike,
        tools: AgentTools = ...,
        *,
        key: bytes | None = ...,
        max_age: float | None = ...,
        **options: Unpack[ConversationOptions],
    ) -> Conversation[str]: ...
    @overload
    @classmethod
    def from_json(
        cls,
        text: str,
        agent: ModelLike,
        tools: AgentTools = ...,
        *,
        key: bytes | None = ...,
        max_age: float | None = ...,
        answer_type: type[AnswerT],
        **options: Unpack[ConversationOptions],
    ) -> Conversation[AnswerT]: ...
    @overload
    @classmethod
    def from_json(
        cls,
        text: str,
        agent: Agent | ModelLike,
        tools: AgentTools = ...,
        *,
        key: bytes | None = ...,
        max_age: float | None = ...,
        answer_type: Any = ...,
        **options: Unpack[ConversationOptions],
    ) -> Conversation[Any]: ...
    @classmethod
    def from_json(
        cls,
        text: str,
        agent: Agent | ModelLike,
        tools: AgentTools = (),
        *,
        key: bytes | None = None,
        max_age: float | None = None,
        answer_type: Any = str,
        **options: Unpack[ConversationOptions],
    ) -> Conversation[Any]:
        """Return the conversation that `to_json` wrote.

        Args:
            text: The text. Only the waiting calls in it are signed, not the messages: accept it only from a source that may write the history.
            agent: The agent or model, as for `Conversation`.
            tools: The tools of a model, as for `Conversation`.
            key: The key with which `to_json` signed the waiting calls.
            max_age: How many seconds old the waiting calls may be; None for no limit.
            answer_type: The type of the answers of a model, as for `Conversation`.
            **options: The other options of `Conversation`.

        Raises:
            TypeError: `text` is not text.
            ValueError: `to_json` did not write the text.
            ApprovalError: The text contains waiting calls, and the key is missing, they were signed with another key, they changed since, or
                they are too old.
        """
        if not isinstance(text, (str, bytes, bytearray)):
            raise TypeError(f"from_json takes the text that to_json returned, not {type(text).__name__}")
        try:
            written = json.loads(text)
        except (ValueError, RecursionError):
            written = None
        is_known = isinstance(written, dict) and written.get("version") == _FORMAT
        if not is_known or not isinstance(written.get("messages"), list):
            raise ValueError(
                f"this is not the text of a conversation: pass the text that Conversation.to_json (format {_FORMAT}) returned, "
                "whole and unchanged"
            ) from None
        conversation = cls(agent, tools, messages=written["messages"], answer_type=answer_type, **options)
        if (state := written.get("state")) is not None:
            if key is None:
                raise ApprovalError(
                    "this conversation has calls that still need approval: pass the key=… that their state was signed with"
                )
            conversation._state = RunState.from_json(state, key=key, max_age=max_age)
        return conversation

    def __repr__(self) -> str:
        return f"<Conversation of {len(self.messages)} messages with {self.agent!r}>"

    def _messages_with(self, text: MessageLike) -> list[Message]:
        """Return the messages of a new turn: those so far and `text`, shortened to the limits.

        They are not stored yet. If they have to be repaired, the agent logs it in the first turn in which that is so.

        Raises:
            ApprovalError: Calls of the previous turn, or of messages that the conversation began with, wait for a decision.
            TypeError, ValueError: `text` cannot be read as a message.
        """
        if self._state is not None:
            waiting = ", ".join(repr(call.id) for call in self.pending)
            raise ApprovalError(f"calls of this conversation wait for a decision: {waiting}; resume the turn first")
        new = conversation_of((text,), self.agent.model)
        messages = shorten([*self.messages, *new], self._max_messages, self._max_tokens, self._count_tokens)
        if self._is_logged:
            return LoggedHistory(messages)
        self._is_logged = bool(pair_results(messages).repairs)
        return messages

    def _waiting_state(self) -> RunState:
        """Return the `RunState` of the calls that wait; raise `ApprovalError` if no call waits."""
        if self._state is None:
            raise ApprovalError("no call of this conversation waits for a decision")
        return self._state

    @contextmanager
    def _one_turn(self, control: Control) -> Iterator[None]:
        """Prevent other turns of this conversation in the `with` block, and store the result of the turn at its end.

        Waiting calls that were resumed elsewhere are dropped at the beginning and at the end.

        Args:
            control: Controls the turn.

        Raises:
            RuntimeError: Another turn has not ended.
        """
        turn = self._turn
        if not turn.acquire(blocking=False):
            raise RuntimeError(
                "another turn of this conversation has not ended: wait for it, or use another conversation"
            )
        try:
            self._forget_resumed_calls()
            yield
        finally:
            control.wait_for_end()  # of a stream that was left
            if control.result is not None:
                self._messages, self._state = control.result.messages, control.result.state
            self._forget_resumed_calls()
            turn.release()

    def _forget_resumed_calls(self) -> None:
        """Drop the state of waiting calls that were resumed elsewhere, or whose turn was abandoned.

        The model's message that makes the calls is dropped, too, since their results are not known here. Do nothing if there are no such calls.
        """
        if self._state is not None and is_resumed(self._state.prepared):
            self._state = None
            self._messages = self._messages[:-1]  # the model's message with these calls


def _agent_from(given: Agent | ModelLike, tools: AgentTools, options: Mapping[str, Any]) -> Agent:
    """Return `given` if it is an agent, or a new `ReactAgent` with `tools` and `options` if it is a model.

    Raises:
        TypeError: The caller passed an agent together with tools or options, or there is no such option.
    """
    known = {
        *ConversationOptions.__optional_keys__,
        *ReactOptions.__optional_keys__,
        "tools",
        "messages",
        "answer_type",
    }
    for name in options:
        if name not in known | {"return_last_tool_calls"}:
            raise TypeError(f"Conversation() has no argument {name!r}{did_you_mean(nearest(name, known))}")
    if not isinstance(given, Agent):
        return ReactAgent(given, tools, **options)
    if beside := [*(() if tools == () else ("tools",)), *options]:
        raise TypeError(
            f"pass {', '.join(beside)} to {type(given).__name__}(…), which makes the agent, not to the conversation"
        )
    return given


_FORMAT: Final = 1
"""The version of the JSON that `to_json` writes."""
