"""`FunctionCall`: one round of a model and its calls; or only the calls, in an application's own loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from string import Formatter
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias, cast

from fcregistry import formats
from fcregistry._base.source import callback_problem
from fcregistry.agents._agent import Agent, Query
from fcregistry.agents._effects import arun_to_end, run_to_end
from fcregistry.agents._loop import Loop, ask_model, result_of, resume_calls, run_or_refuse_calls
from fcregistry.agents._run import Control, End
from fcregistry.formats import format_of_call, read_calls, read_field, with_cut_calls
from fcregistry.models import Message, Model, arguments_text, call_as_chat_json, check_is_message

if TYPE_CHECKING:
    from typing import Unpack

    from fcregistry._base.call import ToolCall
    from fcregistry._registry import Registry
    from fcregistry._results.result import ToolResult
    from fcregistry.agents._run import Chat, RunOptions, RunResult
    from fcregistry.agents._visible_tools import VisibleTools
    from fcregistry.execution import Approver, Decision, Effects, Executor, ToolLike
    from fcregistry.models import ModelLike


class FunctionCall(Agent["str | dict[str, Any]"]):
    """Runs one round: asks the model once, and runs the calls that the model makes.

    Calling the agent returns the message of the round. `run`, `stream` and their asynchronous forms return a result with that message as its
    `answer`; its `stop_reason` is `stop_tool` if calls ran.

    Use it directly, or in one `with` or `async with` block. The block enters and leaves the executor that the agent made; if you pass an
    executor, enter and leave it yourself.

    (In AutoGen, `FunctionCall` is the record of one call. Here, as in LazyLLM, it runs calls.)

    Args:
        llm: The model: a name such as `"openai:gpt-5"`, a `Model`, or a function from messages to a message or a text. None if the application
            owns its loop, and only `execute` is used.
        tools: The tools that the model may call: names, selectors, functions, `Tool`s, toolsets, or lists of these; or an `Executor`, which
            has options of its own. If they are an `OnDemand`, the model sees only the tools that are visible in its
            conversation.
        instructions: The system message before every conversation.
        registry: The `Registry` where names of tools are looked up; the process's by default.
        approve: Decides about calls that need approval: a function, or a coroutine function, of the tool and the call that returns
            `Approve()`, `Deny("why")` or a bool. Without it, `run` stops at such calls, and `resume` continues it; calling refuses them.
        deps: Objects that tools can receive as `context.deps`; or a class, if every run passes an object of it.
        summary: What a round with calls returns instead of the message: one line for each call. A template, such as
            `"Tool {tool_name} called with {arguments} -> {result}"`, or a function of a call and its result.

    Raises:
        ToolNotFoundError: A name that no tool has.
        AmbiguousToolError: A name that several tools have.
        DuplicateToolError: Two tools of one name.
        DefinitionError: Something cannot be a tool.
        ModelNotFoundError: There is no model of that name.
        TypeError: `llm` is not a model, `summary` is neither text nor callable, or `registry`, `approve` or `deps` was given with an executor.
        ValueError: The template has an unknown placeholder.
    """

    def __init__(
        self,
        llm: ModelLike | None = None,
        tools: ToolLike | Iterable[ToolLike] | Executor = (),
        *,
        instructions: str = "",
        registry: Registry | None = None,
        approve: Approver | None = None,
        deps: Sequence[Any] = (),
        summary: Summary | None = None,
    ) -> None:
        model = _NoModel() if llm is None else llm
        self._summarize = None if summary is None else _summarizer(summary)
        super().__init__(model, tools, instructions=instructions, registry=registry, approve=approve, deps=deps)
        self._loop = replace(self._loop, max_rounds=2)  # the second one is the application's

    def __call__(self, query: Query, **options: Unpack[RunOptions]) -> str | dict[str, Any]:
        """Run one round.

        Args:
            query: A question, a message, or a conversation. It may contain what a round returned: the model is given its results.
            **options: `cancellation`, a `CancellationToken` that ends the round when it is cancelled; `time_budget`, the seconds that it may take;
                `deps`, what the contexts of tools can have in this round, before the `deps` of the agent.

        Returns:
            The model's text if it chose no tool. Otherwise its message in OpenAI's shape, `role`, `content` and `tool_calls`, with
            `tool_calls_results`: the content of each result, in the order of the calls; or the `summary` that was asked for.

        Raises:
            TypeError: There is no model, or it returned neither a message nor a text.
            UnfinishedRunError: The round was stopped before the model answered.
            Exception: Whatever the model raises.
        """
        control = Control(**options)
        return _returned_value(run_to_end(self._unsuspended_round(query, control), control))

    async def acall(self, query: Query, **options: Unpack[RunOptions]) -> str | dict[str, Any]:
        """Like `__call__`, on the running event loop."""
        control = Control(**options)
        return _returned_value(await arun_to_end(self._unsuspended_round(query, control), control))

    def _steps(self, chat: Chat, stored: Mapping[str, Any], decisions: Mapping[str, Decision]) -> Effects[RunResult]:
        """Return the coroutine of one round, whose result is the `RunResult`; `stored` is not used."""
        return self._round(chat, self._loop, decisions)

    def _unsuspended_round(self, query: Query, control: Control) -> Effects[RunResult]:
        """Return the coroutine of a new round that never waits for decisions.

        Without an approver, calls that need approval are refused.
        """
        return self._round(self._new_chat(query, control), replace(self._loop, suspends=False), {})

    def _round(self, chat: Chat, rules: Loop, decisions: Mapping[str, Decision]) -> Effects[RunResult]:
        """Ask the model and run its calls, or resume the calls that wait; return the result of the round.

        A coroutine; see `Effects`. The answer is the text of a message without calls, or what `_answer_of_round` returns.
        """
        if chat.prepared is None:
            completion = yield from ask_model(rules, chat)
            if isinstance(completion, End):
                return result_of(chat, completion, type(self).__name__)
            has_calls = bool(completion.message.tool_calls)
            end = (
                (yield from run_or_refuse_calls(rules, chat, completion))
                if has_calls
                else rules.answers.end(chat, completion)
            )
        else:
            end = yield from resume_calls(rules, chat, decisions)
        if end is None:
            end = End(reason="stop_tool", answer=self._answer_of_round(chat))
        elif end.reason == "content_filter" and chat.steps[-1].results:
            end = replace(end, answer=self._answer_of_round(chat))
        elif end.reason == "empty":  # the round has ended, and the caller judges the text of the model
            end = replace(end, answer=chat.messages[-1].text)
        return result_of(chat, end, type(self).__name__)

    def _answer_of_round(self, chat: Chat) -> str | dict[str, Any]:
        """Return the answer of a round with calls.

        It is the model's message as a dict with the results in it, or the text of the summaries, one line for each call, if the caller wants
        summaries.
        """
        message = next(each for each in reversed(chat.messages) if each.role == "assistant")
        results = chat.results
        if self._summarize is None:
            return _with_results(message, results)
        return "\n".join(map(self._summarize, message.tool_calls, results))

    def visible(self, history: Iterable[object] = ()) -> VisibleTools:
        """Return the tools that the model sees in a conversation: all of them, if none are behind gateways.

        Args:
            history: The messages so far.
        """
        visible = self._all_tools.fresh()
        visible.restore(history)
        return visible

    def execute(self, message: object, history: Sequence[object] = ()) -> list[dict[str, Any]]:
        """Run the calls of a model's message: for an application that owns its loop.

        If the limit of tokens cut the message off, its last call does not run. A bare message cannot tell: of OpenAI's chat, pass the choice
        (`response.choices[0]`); of other providers, the whole response.

        Args:
            message: An assistant message of OpenAI's, Anthropic's, Gemini's or Bedrock's, as a dict or an SDK object; the response, or for OpenAI's
                chat the choice, in which it is; or a list of calls.
            history: The messages before `message`, with or without `message` at the end. They determine which tools behind gateways are open.

        Returns:
            The messages to append to the conversation, in the shape of the message; none if it has no calls.

        Raises:
            TypeError: It is not a message, but a whole chat completion, a list of messages or a text, for example.
        """
        calls, visible = self._calls_and_tools(message, history)
        return _report(calls, visible.run_all(with_cut_calls(message, calls))) if calls else []

    async def aexecute(self, message: object, history: Sequence[object] = ()) -> list[dict[str, Any]]:
        """Like `execute`, on the running event loop."""
        calls, visible = self._calls_and_tools(message, history)
        return _report(calls, await visible.arun_all(with_cut_calls(message, calls))) if calls else []

    def _calls_and_tools(self, message: object, history: Sequence[object]) -> tuple[list[Any], VisibleTools]:
        """Return the calls of `message` as they are written, and the tools that are visible after `history`.

        `history` may end with `message` itself, which is then not read as a part of it. Raise `TypeError` if `message` is not a message.
        """
        if isinstance(message, (str, bytes, bytearray)):
            raise TypeError(_NOT_A_TEXT)
        check_is_message(message)
        if isinstance(message, (list, tuple)) and any(map(_is_message, message)):
            raise TypeError("pass one message, such as messages[-1], not a list of messages")
        is_at_end = bool(history) and history[-1] in (message, read_field(message, "message"))
        return read_calls(message), self.visible(history[:-1] if is_at_end else history)

    def __repr__(self) -> str:
        return f"<FunctionCall with {', '.join(self.executor.tools) or 'no tools'}>"


_NOT_A_TEXT: Final = (
    "pass the model's message as a dict or an object, not as a text: json.loads(…) if it is JSON; if the model writes its "
    "calls in its text, the calls that fcregistry.dialects reads"
)


def _is_message(value: object) -> bool:
    """Return whether `value`, an item of a list of calls, is a message of a provider or of LangChain."""
    return any(read_field(value, name) is not None for name in ("role", "tool_calls"))


class _NoModel(Model):
    """Replaces a missing model; asking it raises `TypeError`."""

    name = "none"

    async def acomplete(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("there is no model: give llm=…, or use execute(message) with a message of your own model's")


def _returned_value(result: RunResult[str | dict[str, Any]]) -> str | dict[str, Any]:
    """Return the answer of a round; also one that a limit of tokens, or a filter, has cut off.

    Raises:
        UnfinishedRunError: The round was cancelled or ran out of time before the model answered.
        Exception: The exception of `result`, such as the one that the model raised.
    """
    if result.error is not None:
        raise result.error
    stopped = result.stop_reason in ("cancelled", "time_budget")
    return result.unwrap() if stopped else cast("str | dict[str, Any]", result.answer)


def _with_results(message: Message, results: Sequence[ToolResult]) -> dict[str, Any]:
    """Return `message`, which a model wrote, as a dict in the shape of OpenAI's chat.

    Its field `tool_calls_results` lists the texts of `results`, those of its calls. Its content is text, or None.
    """
    return {
        "role": "assistant",
        "content": None if message.content is None else message.text,
        "tool_calls": [call_as_chat_json(call) for call in message.tool_calls],
        "tool_calls_results": [result.content for result in results],
    }


def _report(calls: list[Any], results: list[ToolResult]) -> list[dict[str, Any]]:
    """Return messages with `results`, in the provider's format in which all of `calls` are written.

    If the calls have several formats, or an unknown one, or there are none, it is the format of OpenAI's chat.
    """
    shapes = {format_of_call(call) for call in calls}
    report = formats.get((shapes.pop() if len(shapes) == 1 else None) or "openai").report
    assert report is not None
    return report(results)


# --- Summaries of calls ---

Summary: TypeAlias = "str | Callable[[ToolCall, ToolResult], str]"
"""A template, or a function of a call and its result."""

_PLACEHOLDERS: Final = ("tool_name", "arguments", "result")


def _summarizer(summary: Summary) -> Callable[[ToolCall, ToolResult], str]:
    """Return a function that returns the summary, a text, of a call and its result.

    Args:
        summary: A function, or a template with `{tool_name}`, `{arguments}` (JSON text) and `{result}`; `{{` and `}}` are braces.

    Raises:
        TypeError: It is neither text nor callable, or cannot be called with a call and its result. The returned function raises it, too,
            if `summary` returns something other than text.
        ValueError: The template has another placeholder, or a stray brace.
    """
    if isinstance(summary, str):
        _check_template(summary)
        template = summary
        return lambda call, result: template.format(
            tool_name=call.name, arguments=arguments_text(call), result=result.content
        )
    if not callable(summary):
        raise TypeError(f"summary takes a template or a function of a call and its result, not {summary!r:.80}")
    if problem := callback_problem(summary, "call", "result"):
        raise TypeError(f"summary {problem}")
    function = summary

    def summarize(call: ToolCall, result: ToolResult) -> str:
        """Return what the caller's function returns; raise `TypeError` if that is not text."""
        text = function(call, result)
        if not isinstance(text, str):
            raise TypeError(f"the function given as summary returns text, not {text!r:.80}")
        return text

    return summarize


def _check_template(template: str) -> None:
    """Raise `ValueError` if `template` has a stray brace or a placeholder that is not allowed.

    Placeholders other than those of `_PLACEHOLDERS` are not allowed, nor is a format or a conversion in one.
    """
    try:
        pieces = list(Formatter().parse(template))
    except ValueError as error:
        raise ValueError(f"the template {template!r:.80} cannot be read: {error}; write {{{{ for a brace") from None
    for _, name, form, conversion in pieces:
        if name is not None and (name not in _PLACEHOLDERS or form or conversion):
            known = ", ".join(f"{{{each}}}" for each in _PLACEHOLDERS)
            raise ValueError(f"the template {template!r:.80} has a placeholder that is none of {known}: {name!r:.40}")
