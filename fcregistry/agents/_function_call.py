"""What is one round of function calling: the model speaks, and the calls it made are carried out?

MERGED: How is what came of a call told in a text of the application's own?
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from string import Formatter
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias, cast

from fcregistry import formats
from fcregistry.agents._agent import Agent, Query, answer_of
from fcregistry.agents._loop import End, Loop, Talk, asked, carried, taken_up
from fcregistry.agents._react import result_of, talk_of
from fcregistry.agents._runner import Control, adrive, drive
from fcregistry.formats._read import format_of_call, read_calls
from fcregistry.models import Message, Model
from fcregistry.models._callable import check_is_message
from fcregistry.models._messages import arguments_text, call_as_chat_json

if TYPE_CHECKING:
    from typing import Unpack

    from fcregistry._base.call import ToolCall
    from fcregistry._registry import Registry
    from fcregistry._results.result import ToolResult
    from fcregistry.agents._effects import Course
    from fcregistry.agents._result import RunResult
    from fcregistry.agents._runner import RunOptions
    from fcregistry.agents._state import RunState
    from fcregistry.agents._visible_tools import VisibleTools
    from fcregistry.execution import Executor
    from fcregistry.execution._approval import Approver
    from fcregistry.execution._settings import ToolLike
    from fcregistry.execution._suspended import Decision
    from fcregistry.models._resolve import ModelLike

# --- agents._function_call ---


class FunctionCall(Agent):
    """One round: the model, then the calls it made.

    Calling it gives the message that the round came to. `run`, `stream` and their asynchronous forms, as of every agent, give a result whose
    `answer` is the same; its `stop_reason` is `stop_tool` where calls were carried out.

    It can be used as it is, or in one `with` or `async with` block, which enters and leaves its executor; one that it was given stays
    its owner's.

    (AutoGen gives the record of one call this name. Here, as in LazyLLM, it is what carries calls out.)

    Args:
        llm: As for every agent. None where the application owns its loop, and only `execute` is used.
        tools: As for every agent. Of `OnDemand`, the model sees what the conversation that it is asked in has opened.
        instructions: As for every agent.
        registry: As for every agent.
        approve: As for `Executor`. Without it, `run` ends where somebody has to decide about calls, and `resume` takes it up; calling refuses
            them.
        deps: As for every agent.
        summary: What a round with calls comes to instead of its message: what is told of each call, one below the other. A template such as
            `"Tool {tool_name} called with {arguments} -> {result}"`, or a function of a call and its result.

    Raises:
        ToolNotFoundError, AmbiguousToolError, DuplicateToolError, DefinitionError: As for `Executor`.
        ModelNotFoundError: There is no model of that name.
        TypeError: `llm` is no model, `summary` cannot be, or an executor was given beside what it is made with.
        ValueError: The template has a placeholder that there is not.
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
        self._summarize = None if summary is None else summarizer(summary)
        super().__init__(model, tools, instructions=instructions, registry=registry, approve=approve, deps=deps)
        self._rules = Loop(
            model=self.model,
            answers=self._answers,
            instructions=self._instructions,
            max_rounds=2,  # the second one is the application's
            suspends=self._suspends,
        )

    def __call__(self, query: Query, **options: Unpack[RunOptions]) -> str | dict[str, Any]:
        """Run one round.

        Args:
            query: A question, a message, or a conversation. What a round returned can stand in it: its results are told to the model.
            **options: As for `run`.

        Returns:
            The model's text if it chose no tool. Otherwise its message in OpenAI's shape, `role`, `content` and `tool_calls`, with
            `tool_calls_results`: the content of each result, in the order of the calls; or the `summary` that was asked for.

        Raises:
            TypeError: There is no model, or it returned something else than a message or a text.
            UnfinishedRunError: The round was stopped before the model had answered.
            Exception: Whatever the model raises.
        """
        return _said(drive(self._unasking(query), Control(**options)))

    async def acall(self, query: Query, **options: Unpack[RunOptions]) -> str | dict[str, Any]:
        """Run one round on the running loop; as calling it otherwise."""
        return _said(await adrive(self._unasking(query), Control(**options)))

    # The round

    def _course(self, messages: Sequence[Message]) -> Course[RunResult]:
        return self._round(self._talk(messages), self._rules, None)

    def _resumed(self, state: RunState, decisions: Mapping[str, Decision]) -> Course[RunResult]:
        return self._round(talk_of(state, self._opened_in(state)), self._rules, decisions)

    def _unasking(self, query: Query) -> Course[RunResult]:
        """Return the course of a round that waits for nobody's decision: calls that need one, and have nobody to ask, are refused."""
        return self._round(self._talk(self._messages(query)), replace(self._rules, suspends=False), None)

    def _talk(self, messages: Sequence[Message]) -> Talk:
        return Talk(visible=self._opened_by(messages), messages=list(messages))

    def _round(self, talk: Talk, rules: Loop, decisions: Mapping[str, Decision] | None) -> Course[RunResult]:
        if decisions is None:
            completion = yield from asked(rules, talk)
            if isinstance(completion, End):
                return result_of(talk, completion, type(self).__name__)
            calls = completion.message.tool_calls
            end = (yield from carried(rules, talk, calls)) if calls else rules.answers.end(talk, completion)
        else:
            end = yield from taken_up(rules, talk, decisions)
        return result_of(talk, end or End(reason="stop_tool", answer=self._came_to(talk)), type(self).__name__)

    def _came_to(self, talk: Talk) -> str | dict[str, Any]:
        """Return what the calls of a round came to."""
        message = next(each for each in reversed(talk.messages) if each.role == "assistant")
        results = talk.steps[-1].results
        if self._summarize is None:
            return _with_results(message, results)
        return "\n".join(map(self._summarize, message.tool_calls, results))

    # An application's own loop

    def visible(self, history: Iterable[object] = ()) -> VisibleTools:
        """Return the tools that the model sees in a conversation: all of them, where none stand behind gateways.

        Args:
            history: The messages before.
        """
        visible = self._nothing_opened.fresh()
        visible.restore(history)
        return visible

    def execute(self, message: object, history: Sequence[object] = ()) -> list[dict[str, Any]]:
        """Carry out the calls of a model's message: for an application that owns its loop.

        Args:
            message: An assistant message of OpenAI's, Anthropic's, Gemini's or Bedrock's, as a dict or an SDK object, or a list of calls.
            history: The messages before it, with or without it at the end: where tools stand behind gateways, these say which are there.

        Returns:
            The messages to append to the conversation, in the shape that the message was in; none if it has no calls.

        Raises:
            TypeError: It is no message, but a whole response, say.
        """
        calls = _calls(message)
        return _reported(calls, self.visible(_before(history, message)).run_all(calls)) if calls else []

    async def aexecute(self, message: object, history: Sequence[object] = ()) -> list[dict[str, Any]]:
        """Carry out the calls of a model's message on the running loop; as `execute` otherwise."""
        calls = _calls(message)
        return _reported(calls, await self.visible(_before(history, message)).arun_all(calls)) if calls else []

    def __repr__(self) -> str:
        return f"<FunctionCall with {', '.join(self.executor.tools) or 'no tools'}>"


class _NoModel(Model):
    """What is asked where there is no model."""

    name = "none"

    async def acomplete(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("there is no model: give llm=…, or use execute(message) with a message of your own model's")


def _said(result: RunResult) -> str | dict[str, Any]:
    """Return what a round came to, whatever stopped the model; what the model raised is the caller's."""
    if result.error is not None:
        raise result.error
    stopped = result.stop_reason in ("cancelled", "time_budget")
    return cast("str | dict[str, Any]", answer_of(result) if stopped else result.answer)


def _with_results(message: Message, results: Sequence[ToolResult]) -> dict[str, Any]:
    """Return a model's message with the results of its calls."""
    return {
        "role": "assistant",
        "content": None if message.content is None else message.text,
        "tool_calls": [call_as_chat_json(call) for call in message.tool_calls],
        "tool_calls_results": [result.content for result in results],
    }


def _calls(message: object) -> list[Any]:
    check_is_message(message)
    return read_calls(message)


def _reported(calls: list[Any], results: list[ToolResult]) -> list[dict[str, Any]]:
    report = formats.get(_shape_of(calls)).report
    assert report is not None
    return report(results)


def _shape_of(calls: list[Any]) -> str:
    """Return the format that all the calls came in; OpenAI's chat where they differ or do not say."""
    shapes = {format_of_call(call) for call in calls}
    return (shapes.pop() if len(shapes) == 1 else None) or "openai"


def _before(history: Sequence[object], message: object) -> Sequence[object]:
    """Return what was said before a message, which may stand at the end."""
    return history[:-1] if history and _is_same(history[-1], message) else history


def _is_same(one: object, other: object) -> bool:
    try:
        return one is other or bool(one == other)
    except Exception:  # noqa: BLE001  # objects of an SDK: whatever they raise on ==, they are not the same
        return False


# --- agents._summary ---

Summary: TypeAlias = "str | Callable[[ToolCall, ToolResult], str]"
"""A template, or a function of a call and its result."""

_PLACEHOLDERS: Final = ("tool_name", "arguments", "result")


def summarizer(summary: Summary) -> Callable[[ToolCall, ToolResult], str]:
    """Return what tells of a call.

    Args:
        summary: A function, or a template with `{tool_name}`, `{arguments}` (JSON text) and `{result}`; `{{` and `}}` are braces.

    Raises:
        TypeError: It is neither.
        ValueError: The template has another placeholder, or a brace that is none.
    """
    if isinstance(summary, str):
        _check(summary)
        template = summary
        return lambda call, result: template.format(
            tool_name=call.name, arguments=arguments_text(call), result=result.content
        )
    if not callable(summary):
        raise TypeError(f"summary takes a template or a function of a call and its result, not {summary!r:.80}")
    tell = summary

    def told(call: ToolCall, result: ToolResult) -> str:
        said = tell(call, result)
        if not isinstance(said, str):
            raise TypeError(f"the function given as summary returns text, not {said!r:.80}")
        return said

    return told


def _check(template: str) -> None:
    try:
        pieces = list(Formatter().parse(template))
    except ValueError as error:
        raise ValueError(f"the template {template!r:.80} cannot be read: {error}; write {{{{ for a brace") from None
    for _, name, form, conversion in pieces:
        if name is not None and (name not in _PLACEHOLDERS or form or conversion):
            known = ", ".join(f"{{{each}}}" for each in _PLACEHOLDERS)
            raise ValueError(f"the template {template!r:.80} has a placeholder that is none of {known}: {name!r:.40}")
