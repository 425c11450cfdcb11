"""Calls that a model writes as Python expressions: reading them in its text, and running them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Literal

from fcregistry._base.call import ToolCall
from fcregistry._results.content import parts_for_model
from fcregistry.agents._effects import Calling, EmitEvent, Returned, RunNodes
from fcregistry.agents._loop import results_of
from fcregistry.errors import PluginError
from fcregistry.execution import call_nodes, pipeline_of, unreadable_expression
from fcregistry.expressions import (
    CutOff,
    ExpressionError,
    ExpressionScope,
    describe_names,
    last_fenced_block,
    parse_call_nodes,
    parse_calls,
    prompt,
    strip_fence,
    tools_by_name,
)
from fcregistry.models import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool
    from fcregistry.agents._loop import Loop
    from fcregistry.agents._run import Chat
    from fcregistry.agents._visible_tools import VisibleTools
    from fcregistry.execution import CallNode, Content, Effects

_BEGINS: Final = re.compile(r"\[?\s*[^\W\d][\w.]*\(")

_NAMES: Final = re.compile(r"(?:#[^\n]*+\n\s*+)*+(?:[^\W\d]\w*+\s*+=\s*+|await\s++)?[\[(]?\s*+(?P<name>[^\W\d]\w*+)\(")
"""Other beginnings of code that calls a tool: after a comment, in parentheses, or in an assignment or an `await`, which are refused later."""

_CALLED: Final = re.compile(r"[^\W\d]\w*(?=\()")
_HEADING: Final = "The results of the calls, in order:"
_MAX_HINTS: Final = 20
"""The number of hidden tools for which a hint says how they become visible."""


class Expressions:
    """The names and functions that expressions may use. It runs the calls in a model's text.

    Args:
        context: The names that expressions may use, with their values.
        allow: The functions that they may call in addition to tools, such as `{"np.array": np.array}`.

    Raises:
        TypeError: `context` or `allow` is not a dict from names, or an allowed value is not a function.
    """

    def __init__(self, context: Mapping[str, Any] | None, allow: Mapping[str, Callable[..., Any]] | None) -> None:
        scope = ExpressionScope((), context, allow)
        self.context, self.allow = scope.context, scope.allow

    def described_names(self) -> str:
        """Return a description of the names that expressions may use; empty if there are none."""
        return describe_names(self.context, self.allow)

    def instructions(self, tools: Sequence[Tool]) -> str:
        """Return the instructions by which a model calls `tools`; empty if there are no tools."""
        return prompt(tools, context=self.context, allow=self.allow) if tools else ""

    def run(
        self, loop: Loop, chat: Chat, text: str, refusal: Callable[[Sequence[ToolCall]], str]
    ) -> Effects[Literal["answer", "ran", "refused"]]:
        """Run the calls that a text makes, and append their results to the conversation.

        Args:
            loop: The rules.
            chat: The conversation, whose last message is the text.
            text: The text of the model.
            refusal: Returns the reason why calls may not run, or an empty text if they may.

        Returns:
            `answer` for text without calls; `ran` for calls that ran, or could not be read and were sent back; `refused` for calls that may not run.
        """
        tools = _bound_tools(loop, chat)
        code = expression_in(text, tools)
        if code is None:
            return "answer"
        try:
            nodes = call_nodes(parse_calls(code, tools=tools, context=self.context, allow=self.allow))
        except (ExpressionError, PluginError) as error:
            problems = "\n".join(
                [
                    unreadable_expression(error).text,
                    *([] if chat.visible is None else _gateway_hints(chat.visible, code)),
                ]
            )
            chat.messages.append(Message(role="user", content=problems, continues=True))
            chat.record(())
            return "ran"
        if why := refusal([node.call for node in nodes]):
            chat.messages.append(Message(role="user", content=f"Nothing was run: {why}.", continues=True))
            return "refused"
        began = perf_counter()
        for node in nodes:
            yield EmitEvent(chat.control, Calling(call=node.call))
        if len(nodes) == 1:  # its progress is streamed, as in a model's own calls
            results = yield from results_of(loop, chat, [nodes[0].call])
        else:
            results = yield RunNodes(chat.control, loop.executor, nodes)
            if chat.visible is not None:
                chat.visible.note(results)
        chat.control.kept.note(results)
        for result in results:
            yield EmitEvent(chat.control, Returned(result=result))
        chat.messages.append(Message(role="user", content=_results_content(nodes, results), continues=True))
        chat.record(results, perf_counter() - began)
        return "ran"


def _bound_tools(loop: Loop, chat: Chat) -> tuple[Tool, ...]:
    """Return the tools that the model sees in `chat`, and those that are not available now, whose calls say so."""
    tools = loop.offered if chat.visible is None else None
    if tools is None:
        tools = tuple((loop.executor.tools if chat.visible is None else chat.visible._visible).values())
    return (*tools, *pipeline_of(loop.executor).unlisted.values()) if chat.control.kept else tools


def expression_in(text: str, tools: Iterable[Tool] = ()) -> str | None:
    """Return the expression with calls in `text`, or None if `text` is an answer in words.

    The expression may be cut off.

    The expression is the whole text, with or without a code fence; or the code fence at the end of the text, if it calls a tool. Code with words
    after it is from an earlier message.

    Args:
        text: The text of a model.
        tools: The tools that it may call.
    """
    code = strip_fence(text)
    if _BEGINS.match(code) is None:
        code = next((each for each in (code, last_fenced_block(text)) if _calls_one_of(tools, each)), "")
    try:
        parse_call_nodes(code)
    except CutOff:
        return code
    except ExpressionError:
        return code if code.endswith((")", "]")) else None
    return code


def _calls_one_of(tools: Iterable[Tool], code: str) -> bool:
    """Return whether `code` begins with the call of one of `tools`, in any form that models write.

    The call may come after comments, in parentheses or a list, or in an assignment or `await`.
    """
    found = _NAMES.match(code)
    return found is not None and found["name"] in tools_by_name(tools)


def _gateway_hints(visible: VisibleTools, code: str) -> list[str]:
    """Return lines that say how to open the tools behind gateways that `code` calls.

    There is one for each tool that is not visible, up to `_MAX_HINTS`; the list is empty if there is none.
    """
    hidden = [
        name
        for name in dict.fromkeys(_CALLED.findall(code))
        if name in visible.executor.tools and name not in visible.tools
    ]
    refusals = [visible.refusal(ToolCall(name)) for name in hidden[:_MAX_HINTS]]
    return [f"- {each.content}" for each in refusals if each is not None]


def _results_content(nodes: Sequence[CallNode], results: Sequence[ToolResult]) -> str | tuple[Content, ...]:
    """Return the results of the outermost calls of `nodes` as the content of a message.

    `results` has a result for each node. The content is a text, or a tuple of parts if a result has parts other than text. Results of calls in
    the arguments of other calls are left out.
    """
    outermost = [(node.call.name, each) for node, each in zip(nodes, results, strict=True) if node.is_outermost]
    lines = [f"{name}:" if _has_other_parts(each) else f"{name}: {each.content}" for name, each in outermost]
    if not any(_has_other_parts(each) for _, each in outermost):
        return "\n".join([_HEADING, *lines])
    from fcregistry.execution import Content  # only for results with parts

    parts: list[Content] = [Content.text(_HEADING)]
    for (_, each), line in zip(outermost, lines, strict=True):
        parts += [Content.text(line), *(parts_for_model(each.parts) if _has_other_parts(each) else ())]
    return tuple(parts)


def _has_other_parts(result: ToolResult) -> bool:
    """Return whether a model gets at least one part of `result` that is not text, such as an image."""
    return any(part.kind != "text" for part in parts_for_model(result.parts))
