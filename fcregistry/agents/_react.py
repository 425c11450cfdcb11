"""How does an agent work that thinks, acts and observes, until it can answer?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from fcregistry.agents._agent import Agent
from fcregistry.agents._loop import End, Loop, Talk, looped
from fcregistry.agents._result import RunResult
from fcregistry.agents._state import RunState

if TYPE_CHECKING:
    from typing import Unpack

    from fcregistry.agents._agent import AgentOptions
    from fcregistry.agents._effects import Course
    from fcregistry.agents._expressions import Expressions
    from fcregistry.agents._loop import MoreRounds
    from fcregistry.agents._visible_tools import VisibleTools
    from fcregistry.execution import Executor
    from fcregistry.execution._settings import ToolLike
    from fcregistry.execution._suspended import Decision
    from fcregistry.models import Message
    from fcregistry.models._resolve import ModelLike


class ReactAgent(Agent):
    """Asks the model, carries out the calls that it makes, tells it their results, and asks again, until it answers without a call.

    From the second round on, the last result ends with a notice of how many rounds are left.

    Args:
        llm: As for every agent.
        tools: As for every agent.
        max_retries: How often the model is asked at most.
        max_tool_calls: How many calls may be carried out at most; None for any number.
        stop_tools: Names of tools whose result is the answer, as soon as one succeeds.
        force_summarize: Whether the model is asked for an answer without tools, once there are no rounds left.
        on_max_retries: Is told how many rounds there were, when there are none left, and returns how many more there may be; nothing for none.
        calls: How the model calls: `json`, as its provider has it, or `expression`: it writes calls as Python does, also calls within calls. Then
            nobody is waited for: calls that need approval, and have nobody to ask, are refused.
        context: The names that expressions may use, with their values.
        allow: The functions that expressions may call beside tools, such as `{"np.array": np.array}`.
        return_last_tool_calls: Whether calling the agent returns the calls of the last round with their results, and not the answer.
        **options: As for every agent.

    Raises:
        ValueError: A limit is no number of rounds or calls, or `calls` is neither.
        TypeError: `context` or `allow` is no dict from names.
        ToolNotFoundError: One of `stop_tools` is not there.
    """

    def __init__(
        self,
        llm: ModelLike,
        tools: ToolLike | Iterable[ToolLike] | Executor = (),
        *,
        max_retries: int = 5,
        max_tool_calls: int | None = None,
        stop_tools: Collection[str] = (),
        force_summarize: bool = False,
        on_max_retries: MoreRounds | None = None,
        calls: Literal["json", "expression"] = "json",
        context: Mapping[str, Any] | None = None,
        allow: Mapping[str, Callable[..., Any]] | None = None,
        return_last_tool_calls: bool = False,
        **options: Unpack[AgentOptions],
    ) -> None:
        super().__init__(llm, tools, **options)
        self._returns_calls = return_last_tool_calls
        self._loop = Loop(
            model=self.model,
            answers=self._answers,
            instructions=self._instructions,
            max_rounds=checked_limit("max_retries", max_retries),
            max_tool_calls=None if max_tool_calls is None else checked_limit("max_tool_calls", max_tool_calls),
            stop_tools=known_tools(self.executor, stop_tools),
            summarizes=force_summarize,
            more_rounds=on_max_retries,
            suspends=self._suspends,
            expressions=expressions_of(calls, context, allow),
        )

    def _course(self, messages: Sequence[Message]) -> Course[RunResult]:
        visible = self._opened_by(messages)
        talk = Talk(visible=visible, messages=list(messages))
        return self._result(talk, (yield from looped(self._loop, talk)))

    def _resumed(self, state: RunState, decisions: Mapping[str, Decision]) -> Course[RunResult]:
        talk = talk_of(state, self._opened_in(state))
        return self._result(talk, (yield from looped(self._loop, talk, decisions)))

    def _result(self, talk: Talk, end: End) -> RunResult:
        return result_of(talk, end, type(self).__name__)


def expressions_of(
    calls: str, context: Mapping[str, Any] | None, allow: Mapping[str, Callable[..., Any]] | None
) -> Expressions | None:
    """Return how calls are read that a model writes as Python does; None where it calls as its provider has it.

    Raises:
        ValueError: `calls` is neither, or there is something for expressions where there are none.
        TypeError: `context` or `allow` is no dict from names, or what is allowed is no function.
    """
    if calls == "expression":
        from fcregistry.agents._expressions import Expressions  # with Python's parser, for expressions alone

        return Expressions.of(context, allow)
    if calls != "json":
        raise ValueError(f"calls is 'json' or 'expression', not {calls!r:.50}")
    if context or allow:
        raise ValueError("context and allow are for expressions: give calls='expression' with them")
    return None


def talk_of(state: RunState, visible: VisibleTools) -> Talk:
    """Return the conversation of a state."""
    return Talk(
        visible=visible,
        messages=list(state.messages),
        rounds=state.rounds,
        extra=state.extra,
        retries=state.retries,
        calls=state.calls,
        usage=state.usage,
        prepared=state.prepared,
    )


def result_of(talk: Talk, end: End, agent: str, mind: Mapping[str, Any] | None = None) -> RunResult:
    """Return the result of a run that is one loop, or that waits in one."""
    state = None
    if talk.prepared is not None:
        state = RunState(
            agent=agent,
            messages=tuple(talk.messages),
            prepared=talk.prepared,
            rounds=talk.rounds,
            extra=talk.extra,
            retries=talk.retries,
            calls=talk.calls,
            usage=talk.usage,
            opened=talk.visible.to_json(),
            mind=mind or {},
        )
    return RunResult(
        answer=end.answer,
        stop_reason=end.reason,
        steps=tuple(talk.steps),
        messages=tuple(talk.messages),
        usage=talk.usage,
        error=end.error,
        pending=() if state is None else state.prepared.waiting,
        state=state,
    )


def checked_limit(name: str, value: object) -> int:
    """Return a limit.

    Raises:
        ValueError: It is no number above 0.
    """
    if type(value) is not int or value < 1:
        raise ValueError(f"{name} takes a whole number above 0, not {value!r}")
    return value


def known_tools(executor: Executor, names: Collection[str]) -> frozenset[str]:
    """Return names of tools, of which one alone may stand without a list.

    Raises:
        ToolNotFoundError: There is no tool of one of them.
    """
    from fcregistry.errors import ToolNotFoundError  # on the way to an error

    names = (names,) if isinstance(names, str) else names
    for name in names:
        if name not in executor.tools:
            there = ", ".join(executor.tools) or "it has none"
            raise ToolNotFoundError(f"there is no tool {name!r} among those of the agent: {there}", name=name)
    return frozenset(names)
