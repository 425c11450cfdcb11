"""How does a model call that writes expressions? What it says is read as calls, and what comes of them is told in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Literal

from fcregistry._base.call import ToolCall
from fcregistry.agents._effects import Carry, Express
from fcregistry.agents._result import Calling, Returned, Step
from fcregistry.errors import PluginError
from fcregistry.execution._graph import call_nodes, unreadable_expression
from fcregistry.expressions import ExpressionError, parse_calls, prompt
from fcregistry.expressions._guard import CutOff, last_fenced_block, parse_call_nodes, strip_fence
from fcregistry.expressions._names import tools_by_name
from fcregistry.expressions._render import describe_names
from fcregistry.expressions._scope import ExpressionScope
from fcregistry.models import Message

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool
    from fcregistry.agents._effects import Course
    from fcregistry.agents._loop import Talk
    from fcregistry.agents._visible_tools import VisibleTools
    from fcregistry.execution import Content
    from fcregistry.execution._graph import CallNode

_BEGINS: Final = re.compile(r"\[?\s*[^\W\d][\w.]*\(")

_NAMES: Final = re.compile(r"(?:#[^\n]*+\n\s*+)*+(?:[^\W\d]\w*+\s*+=\s*+|await\s++)?[\[(]?\s*+(?P<name>[^\W\d]\w*+)\(")
"""How else code begins that calls a tool: behind a comment, in parentheses, or given to a name or waited for, which is refused then."""

_CALLED: Final = re.compile(r"[^\W\d]\w*(?=\()")
_HEADING: Final = "The results of the calls, in order:"
_MOST_HIDDEN: Final = 20
"""Of so many tools that are not visible yet is told how they will be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expressions:
    """How expressions are read.

    Attributes:
        context: The names that they may use, with their values.
        allow: The functions that they may call beside tools, such as `{"np.array": np.array}`.
    """

    context: Mapping[str, Any] = field(default_factory=dict)
    allow: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, context: Mapping[str, Any] | None, allow: Mapping[str, Callable[..., Any]] | None) -> Self:
        """Return what a caller gave.

        Raises:
            TypeError: Something of it cannot be.
        """
        scope = ExpressionScope.of((), context, allow)
        return cls(context=scope.context, allow=scope.allow)

    def known(self) -> str:
        """Return what anybody is told of the names that expressions may use; empty where there are none."""
        return describe_names(self.context, self.allow)

    def instructions(self, tools: Sequence[Tool]) -> str:
        """Return what a model is told of tools."""
        return prompt(tools, context=self.context, allow=self.allow) if tools else ""

    def carried(
        self, talk: Talk, text: str, refusal: Callable[[Sequence[ToolCall]], str]
    ) -> Course[Literal["answer", "carried", "refused"]]:
        """Carry out the calls that a text makes, and tell the model what came of them.

        Args:
            talk: The conversation, whose last message is the text.
            text: What the model said.
            refusal: Says why calls may not run; nothing where they may.

        Returns:
            What the text was: an answer in words, calls that were carried out, or that were told to be wrong, or calls that were refused.
        """
        tools = talk.visible.offered()
        code = expression_in(text, tools)
        if code is None:
            return "answer"
        try:
            nodes = call_nodes(parse_calls(code, tools=tools, context=self.context, allow=self.allow))
        except (ExpressionError, PluginError) as error:
            told = "\n".join([unreadable_expression(error).text, *_not_yet(talk.visible, code)])
            talk.messages.append(Message(role="user", content=told, continues=True))
            talk.steps.append(Step(kind="tools"))
            return "carried"
        if why := refusal([node.call for node in nodes]):
            talk.messages.append(Message(role="user", content=f"Nothing was run: {why}.", continues=True))
            return "refused"
        began = perf_counter()
        for node in nodes:
            yield Calling(call=node.call)
        results: list[ToolResult] = yield _to_do(talk.visible, nodes)
        talk.visible.note(results)
        for result in results:
            yield Returned(result=result)
        talk.messages.append(Message(role="user", content=_told(nodes, results), continues=True))
        talk.steps.append(Step(kind="tools", seconds=perf_counter() - began, results=tuple(results)))
        talk.calls += len(results)
        return "carried"


def _to_do(visible: VisibleTools, nodes: Sequence[CallNode]) -> Carry | Express:
    """Return what is to be done about calls; a single one is followed, as it is where a model calls as its provider has it."""
    if len(nodes) == 1:
        return Carry(visible=visible, calls=(nodes[0].call,), suspends=False)
    return Express(visible=visible, nodes=tuple(nodes))


def expression_in(text: str, tools: Iterable[Tool] = ()) -> str | None:
    """Return the expression that a text is, in a code fence or bare, whole or cut off; None for one that is an answer in words.

    Words may stand before a code fence at the end of the text which calls a tool. What stands before words was called in an earlier message.

    Args:
        text: What a model said.
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
    """Tell whether code begins with the call of a tool, in any of the ways that models write one."""
    found = _NAMES.match(code)
    return found is not None and found["name"] in tools_by_name(tools)


def _not_yet(visible: VisibleTools, code: str) -> list[str]:
    """Return what is said of tools that code calls, and that stand behind gateways."""
    hidden = [
        name
        for name in dict.fromkeys(_CALLED.findall(code))
        if name in visible.executor.tools and name not in visible.tools
    ]
    refusals = [visible.refusal(ToolCall(name)) for name in hidden[:_MOST_HIDDEN]]
    return [f"- {each.content}" for each in refusals if each is not None]


def _told(nodes: Sequence[CallNode], results: Sequence[ToolResult]) -> str | tuple[Content, ...]:
    """Tell of the results that were asked for; those of calls within calls are in these."""
    outermost = [(node.call.name, each) for node, each in zip(nodes, results, strict=True) if node.is_outermost]
    lines = [f"{name}:" if _is_shown(each) else f"{name}: {each.content}" for name, each in outermost]
    if not any(_is_shown(each) for _, each in outermost):
        return "\n".join([_HEADING, *lines])
    from fcregistry.execution import Content  # for results with parts alone

    parts: list[Content] = [Content.text(_HEADING)]
    for (_, each), line in zip(outermost, lines, strict=True):
        parts += [Content.text(line), *(each.parts if _is_shown(each) else ())]
    return tuple(parts)


def _is_shown(result: ToolResult) -> bool:
    """Tell whether a result has parts that no text can stand for."""
    return any(part.kind != "text" for part in result.parts)
