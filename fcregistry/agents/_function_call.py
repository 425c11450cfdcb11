"""What is one round of function calling: the model speaks, and the calls it made are carried out?"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from fcregistry import formats
from fcregistry.agents._visible import VisibleTools
from fcregistry.execution import Executor
from fcregistry.formats._messages import read_calls, shape_of
from fcregistry.formats._reading import field, is_absent

if TYPE_CHECKING:
    from typing import Self

    from fcregistry._registry import Registry
    from fcregistry._results import ToolResult
    from fcregistry.execution._approving._approval import Approver
    from fcregistry.execution._tools import ToolLike

Message: TypeAlias = dict[str, Any]
Model: TypeAlias = Callable[..., Any]


class FunctionCall:
    """One round: the model, then the calls it made.

    It can be used as it is, or in one `with` or `async with` block, which enters and leaves its executor; one that it was given stays
    its owner's.

    (AutoGen gives the record of one call this name. Here, as in LazyLLM, it is what carries calls out.)

    Args:
        llm: A callable from messages to a message or a text. One that has a parameter `tools` is given the tools' definitions in
            OpenAI's shape by that name. None where the application owns its loop, and only `execute` is used.
        tools: What the model may call, as for `Executor`; or an `Executor`, made with whatever else there is to say. Of `OnDemand`, the model
            sees what the conversation that it is asked in has opened.
        registry: Where names are looked up; the process's by default.
        approve: As for `Executor`.

    Raises:
        ToolNotFoundError, AmbiguousToolError, DuplicateToolError, DefinitionError: As for `Executor`.
        TypeError: `llm` cannot be called, or an executor was given beside what it is made with.
    """

    def __init__(
        self,
        llm: Model | None = None,
        tools: ToolLike | Iterable[ToolLike] | Executor = (),
        *,
        registry: Registry | None = None,
        approve: Approver | None = None,
    ) -> None:
        if llm is not None and not callable(llm):
            raise TypeError(f"llm is a callable from messages to a message or text, not {llm!r}")
        if isinstance(tools, Executor) and (registry is not None or approve is not None):
            raise TypeError("registry and approve are for the executor: give them where it is made")
        self._is_given = isinstance(tools, Executor)
        self.executor = tools if isinstance(tools, Executor) else Executor(tools, registry=registry, approve=approve)
        self._nothing_opened = VisibleTools(self.executor)
        self._llm = llm
        self._takes_tools = llm is not None and _takes(llm, "tools")

    def __call__(self, query: str | Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> str | Message:
        """Run one round.

        Args:
            query: A question, a message, or a conversation.

        Returns:
            The model's text if it chose no tool. Otherwise its message in OpenAI's shape, `role`, `content` and `tool_calls`, with
            `tool_calls_results`: the content of each result, in the order of the calls.

        Raises:
            TypeError: There is no model, or it returned something else than a message or a text.
        """
        if self._llm is None:
            raise TypeError("there is no model: give llm=…, or use execute(message) with a message of your own model's")
        messages = _messages(query)
        visible = self.visible(messages)
        told = {"tools": visible.describe("openai")} if self._takes_tools else {}
        answer = self._llm(messages, **told)
        if inspect.iscoroutine(answer):
            answer.close()
            raise TypeError("the model is a coroutine function; a round waits for it, so give a plain one")
        if isinstance(answer, str):
            return answer
        content = _content(answer)
        calls = read_calls(answer)
        if not calls:
            if content is None and is_absent(field(answer, "role")) and is_absent(field(answer, "content")):
                _check_is_message(answer)
                raise TypeError(f"the model returned a {type(answer).__name__}, neither a text nor a message")
            return content or ""
        results = visible.run_all(calls)
        return {
            "role": "assistant",
            "content": content,
            "tool_calls": [_openai_call(call, result) for call, result in zip(calls, results, strict=True)],
            "tool_calls_results": [result.content for result in results],
        }

    def visible(self, history: Iterable[object] = ()) -> VisibleTools:
        """Return the tools that the model sees in a conversation: all of them, where none stand behind gateways.

        Args:
            history: The messages before.
        """
        visible = self._nothing_opened.fresh()
        visible.restore(history)
        return visible

    def execute(self, message: object, history: Sequence[object] = ()) -> list[Message]:
        """Carry out the calls of a model's message: for an application that owns its loop.

        Args:
            message: An assistant message of OpenAI's, Anthropic's, Gemini's or Bedrock's, as a dict or an SDK object, or a list of calls.
            history: The messages before it, with or without it at the end: where tools stand behind gateways, these say which are there.

        Returns:
            The messages to append to the conversation, in the shape that the message was in; none if it has no calls.

        Raises:
            TypeError: It is no message, but a whole response, say.
        """
        _check_is_message(message)
        calls = read_calls(message)
        if not calls:
            return []
        report = formats.get(_shape_of(calls)).report
        assert report is not None
        before = history[:-1] if history and _is_same(history[-1], message) else history
        return report(self.visible(before).run_all(calls))

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
        return f"<FunctionCall with {', '.join(self.executor.tools) or 'no tools'}>"


def _shape_of(calls: list[Any]) -> str:
    """Return the format that all the calls came in; OpenAI's chat where they differ or do not say."""
    shapes = {shape_of(call) for call in calls}
    return (shapes.pop() if len(shapes) == 1 else None) or "openai"


def _is_same(one: object, other: object) -> bool:
    try:
        return one is other or bool(one == other)
    except Exception:  # noqa: BLE001  # objects of an SDK: whatever they raise on ==, they are not the same
        return False


def _check_is_message(message: object) -> None:
    """Refuse what is no message: that it has no calls would be taken for the end of the conversation."""
    if isinstance(message, (str, list, tuple)) or any(not is_absent(field(message, name)) for name in _OF_MESSAGES):
        return
    hint = (
        "a whole response: give its message, response.choices[0].message"
        if not is_absent(field(message, "choices"))
        else ""
    )
    raise TypeError(f"the message is {hint or f'a {type(message).__name__}, not a message of a model'}")


_OF_MESSAGES = ("role", "content", "tool_calls", "output", "type", "parts", "candidates")


def _takes(function: Callable[..., Any], name: str) -> bool:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # a callable written in C: it is given messages alone
        return False
    return name in parameters or any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())


def _messages(query: str | Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> list[Message]:
    if isinstance(query, str):
        return [{"role": "user", "content": query}]
    if isinstance(query, Mapping):
        return [dict(query)]
    return [dict(message) for message in query]


def _content(message: object) -> str | None:
    content = field(message, "content")
    if isinstance(content, str):
        return content
    if isinstance(content, (list, tuple)):  # Anthropic's blocks
        texts = [field(block, "text") for block in content if field(block, "type") == "text"]
        return "".join(text for text in texts if isinstance(text, str))
    return None


def _openai_call(call: object, result: ToolResult) -> Message:
    """Return a call as OpenAI's messages hold it, whatever shape it came in."""
    read = result.call
    name, arguments, identity = ("", None, None) if read is None else (read.name, read.arguments, read.id)
    text = arguments if isinstance(arguments, str) else _json_text(arguments)
    return {"id": identity or "", "type": "function", "function": {"name": name, "arguments": text}}


def _json_text(arguments: Mapping[str, Any] | None) -> str:
    return json.dumps(dict(arguments or {}), ensure_ascii=False, default=str)
