"""How does a model call that writes expressions? What it says is read as calls, and what comes of them is told in words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, Literal

from fcregistry.agents._effects import Express
from fcregistry.agents._events import Calling, Returned
from fcregistry.agents._result import Step
from fcregistry.errors import PluginError
from fcregistry.execution._graphs._nodes import nodes_of
from fcregistry.execution._graphs._wording import unreadable
from fcregistry.expressions import ExpressionError, parse_calls, prompt
from fcregistry.expressions._fences import unfenced
from fcregistry.expressions._text import CutOff
from fcregistry.expressions._tree import calls_in
from fcregistry.models import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry._results import ToolResult
    from fcregistry._tool import Tool
    from fcregistry.agents._effects import Course
    from fcregistry.agents._rules import Talk
    from fcregistry.execution._graphs._nodes import Node

_BEGINS: Final = re.compile(r"\[?\s*[^\W\d][\w.]*\(")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expressions:
    """How expressions are read.

    Attributes:
        context: The names that they may use, with their values.
        allow: The functions that they may call beside tools, such as `{"np.array": np.array}`.
    """

    context: Mapping[str, Any] = field(default_factory=dict)
    allow: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    def instructions(self, tools: Sequence[Tool]) -> str:
        """Return what a model is told of tools."""
        return prompt(tools, context=self.context, allow=self.allow) if tools else ""

    def carried(self, talk: Talk, text: str, most: int | None) -> Course[Literal["answer", "carried", "too many"]]:
        """Carry out the calls that a text makes, and tell the model what came of them.

        Args:
            talk: The conversation, whose last message is the text.
            text: What the model said.
            most: How many calls there may be; None for any number.

        Returns:
            What the text was: an answer in words, calls that were carried out, or that were told to be wrong, or more calls than there may be.
        """
        code = expression_in(text)
        if code is None:
            return "answer"
        try:
            nodes = nodes_of(parse_calls(code, tools=talk.visible.offered(), context=self.context, allow=self.allow))
        except (ExpressionError, PluginError) as error:
            talk.messages.append(Message(role="user", content=unreadable(error).text))
            talk.steps.append(Step(kind="tools"))
            return "carried"
        if most is not None and len(nodes) > most:
            talk.messages.append(
                Message(role="user", content=f"Nothing was run: {len(nodes)} calls, and {most} are left.")
            )
            return "too many"
        began = perf_counter()
        for node in nodes:
            yield Calling(call=node.call)
        results: list[ToolResult] = yield Express(visible=talk.visible, nodes=tuple(nodes))
        talk.visible.note(results)
        for result in results:
            yield Returned(result=result)
        talk.messages.append(Message(role="user", content=_told(nodes, results)))
        talk.steps.append(Step(kind="tools", seconds=perf_counter() - began, results=tuple(results)))
        talk.calls += len(results)
        return "carried"


def expression_in(text: str) -> str | None:
    """Return the expression that a text is, in a code fence or bare, whole or cut off; None for one that is an answer in words."""
    code = unfenced(text)
    if _BEGINS.match(code) is None:
        return None
    try:
        calls_in(code)
    except CutOff:
        return code
    except ExpressionError:
        return code if code.endswith((")", "]")) else None
    return code


def _told(nodes: Sequence[Node], results: Sequence[ToolResult]) -> str:
    """Tell of the results that were asked for; those of calls within calls are in these."""
    lines = [
        f"{node.call.name}: {result.content}" for node, result in zip(nodes, results, strict=True) if node.is_outermost
    ]
    return "\n".join(["The calls were carried out. Their results, in order:", *lines])
