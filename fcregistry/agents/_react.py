"""`ReactAgent`, which calls tools and reads their results until it can answer.

Source: Yao et al., "ReAct: Synergizing Reasoning and Acting in Language Models".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, overload

from fcregistry.agents._agent import Agent, RoundOptions, rounds_limit
from fcregistry.agents._loop import result_of, run_loop
from fcregistry.agents._run import AnswerT_co, checked_limit

if TYPE_CHECKING:
    from typing import Unpack

    from fcregistry.agents._agent import AgentOptions, AgentTools
    from fcregistry.agents._expressions import Expressions
    from fcregistry.agents._loop import MoreRounds
    from fcregistry.agents._run import Chat, RunResult
    from fcregistry.execution import Decision, Effects, Executor
    from fcregistry.models import ModelLike


class ExpressionOptions(RoundOptions, total=False):
    """The options of agents whose models may write calls as expressions, which `ReactAgent` describes."""

    max_tool_calls: int | None
    calls: Literal["json", "expression"]
    context: Mapping[str, Any] | None
    allow: Mapping[str, Callable[..., Any]] | None


class ReactOptions(ExpressionOptions, total=False):
    """The options that `ReactAgent` describes."""

    stop_tools: Collection[str]
    force_summarize: bool
    on_max_rounds: MoreRounds | None


class ReactAgent(Agent[AnswerT_co]):
    """Asks the model, runs its calls, and asks again with the results, until it answers without a call.

    When one or two rounds are left, the last result that the model reads ends with a note that says so.

    Args:
        llm: The model: a name such as `"openai:gpt-5"`, a `Model`, or a function from messages to a message or a text.
        tools: The tools that the model may call: names, selectors, functions, `Tool`s, toolsets, or lists of these; or an `Executor`, which
            has options of its own.
        max_rounds: How often the agent may ask the model; 5 by default.
        max_tool_calls: How many calls may run at most; None for any number.
        max_repeats: How often in a row a round may repeat the calls and results of the one before; 0 for never, None for any number. In each
            case, the model reads that it repeats itself.
        stop_tools: Names of tools whose result is the answer, as soon as one succeeds.
        force_summarize: Whether the agent asks the model for an answer without tools when no rounds are left.
        on_max_rounds: A function that the agent calls when no rounds are left. It receives the number of rounds so far, and returns how many more
            are allowed, or None.
        calls: How the model writes calls: `json`, the provider's own form, or `expression`, calls as Python expressions, which may be nested.
            Calls written as expressions never wait for a decision: without `approve`, the agent refuses those that need approval.
        context: The names that expressions may use, with their values.
        allow: The functions that expressions may call in addition to tools, such as `{"np.array": np.array}`.
        return_last_tool_calls: Whether calling the agent returns the calls of the last round with their results, and not the answer.
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
        ValueError: A limit is not a whole number above 0, or `calls` is neither.
        TypeError: `context` or `allow` is not a dict from names.
        ToolNotFoundError: One of `stop_tools` is not among the tools.
    """

    @overload
    def __init__(
        self: ReactAgent[str], llm: ModelLike, tools: AgentTools = ..., **options: Unpack[ReactOptions]
    ) -> None: ...
    @overload
    def __init__(
        self, llm: ModelLike, tools: AgentTools = ..., *, answer_type: type[AnswerT_co], **options: Unpack[ReactOptions]
    ) -> None: ...
    @overload
    def __init__(
        self: ReactAgent[Any],
        llm: ModelLike,
        tools: AgentTools = ...,
        *,
        answer_type: Any = ...,
        return_last_tool_calls: bool = ...,
        **options: Unpack[ReactOptions],
    ) -> None: ...
    def __init__(
        self,
        llm: ModelLike,
        tools: AgentTools = (),
        *,
        max_rounds: int | None = None,
        max_tool_calls: int | None = None,
        max_repeats: int | None = None,
        stop_tools: Collection[str] = (),
        force_summarize: bool = False,
        on_max_rounds: MoreRounds | None = None,
        calls: Literal["json", "expression"] = "json",
        context: Mapping[str, Any] | None = None,
        allow: Mapping[str, Callable[..., Any]] | None = None,
        return_last_tool_calls: bool = False,
        max_retries: int | None = None,
        answer_type: Any = str,
        **options: Unpack[AgentOptions],
    ) -> None:
        super().__init__(llm, tools, answer_type=answer_type, **options)
        self._returns_calls = return_last_tool_calls
        self._loop = replace(
            self._loop,
            max_rounds=rounds_limit(max_rounds, max_retries),
            max_tool_calls=None if max_tool_calls is None else checked_limit("max_tool_calls", max_tool_calls),
            max_repeats=None if max_repeats is None else checked_limit("max_repeats", max_repeats, 0),
            stop_tools=_known_tools(self.executor, stop_tools),
            summarizes=force_summarize,
            more_rounds=on_max_rounds,
            expressions=expressions_of(calls, context, allow),
        )

    def _steps(
        self, chat: Chat, stored: Mapping[str, Any], decisions: Mapping[str, Decision]
    ) -> Effects[RunResult[AnswerT_co]]:
        """Run the loop until there is an answer, or a reason why there is none; return the result of the run.

        A coroutine; see `Effects`. The arguments are those of `Agent._steps`; `stored` is not used.
        """
        return result_of(chat, (yield from run_loop(self._loop, chat, decisions)), type(self).__name__)


def expressions_of(
    calls: str, context: Mapping[str, Any] | None, allow: Mapping[str, Callable[..., Any]] | None
) -> Expressions | None:
    """Return the runner of calls that a model writes as expressions, or None if `calls` is `json`.

    Raises:
        ValueError: `calls` is neither `json` nor `expression`, or `context` or `allow` is given without expressions.
        TypeError: `context` or `allow` is not a dict from names, or an allowed value is not a function.
    """
    if calls == "expression":
        from fcregistry.agents._expressions import Expressions  # with Python's parser, for expressions alone

        return Expressions(context, allow)
    if calls != "json":
        raise ValueError(f"calls is 'json' or 'expression', not {calls!r:.50}")
    if context or allow:
        raise ValueError("context and allow are for expressions: give calls='expression' with them")
    return None


def _known_tools(executor: Executor, names: Collection[str]) -> frozenset[str]:
    """Return the set of `names`, a collection of names of tools of `executor`, or a single name.

    Raises:
        ToolNotFoundError: A name is not among the tools.
    """
    from fcregistry.errors import ToolNotFoundError  # on the way to an error

    names = (names,) if isinstance(names, str) else names
    for name in names:
        if name not in executor.tools:
            there = ", ".join(executor.tools) or "it has none"
            raise ToolNotFoundError(f"there is no tool {name!r} among those of the agent: {there}", name=name)
    return frozenset(names)
