"""How does the text of a model become calls? Read as Python writes calls; nothing is evaluated, and no tool runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry.expressions._graph import CallGraph
from fcregistry.expressions._problems import ExpressionError, ExpressionProblem
from fcregistry.expressions._reader import CallReader
from fcregistry.expressions._scope import Allowed, Context, Scope
from fcregistry.expressions._tree import calls_in

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry.expressions._tools import Tools

MOST_EXPRESSIONS = 100
"""How many calls may stand side by side in one text."""


def parse_call(
    text: str, *, tools: Tools, context: Context | None = None, allow: Allowed | None = None
) -> ToolCall | CallGraph:
    """Return the call of a text such as `add_points(p1=Point(x=1, y=2), p2=origin)`.

    The syntax is Python's. An argument is a literal, a list, tuple, set or dict, a number with arithmetic, texts joined by `+`, a name of the
    context, a type of the tool's parameters with its fields, the member of an Enum, a call of what is allowed, or a call of another tool.
    Everything else is refused. Each value is written as JSON by the type of its parameter; nothing of these types is made or run. The call is
    not validated: that is done when it is carried out.

    Args:
        text: The text; a code fence around it is left out.
        tools: The tools that it may call: Tools, functions or a toolset.
        context: What its names mean: values, which are only handed on, and types.
        allow: Functions and classes that it may call while it is read, by name, such as `{"np.array": numpy.array}`. They run in this process.

    Returns:
        A `ToolCall`; a `CallGraph` where calls of tools stand in its arguments.

    Raises:
        ExpressionError: It is no call of these tools; has everything that is wrong.
        PluginError: The plugin of a tool does not load.
        TypeError: The text is no text, or `tools`, `context` or `allow` cannot be.
    """
    calls = parse_calls(text, tools=tools, context=context, allow=allow)
    if len(calls) != 1:
        raise _several(len(calls))
    return calls[0]


def parse_calls(
    text: str, *, tools: Tools, context: Context | None = None, allow: Allowed | None = None
) -> list[ToolCall | CallGraph]:
    """Return the calls of a text: those of a list, `[f(a=1), g(b=2)]`, or one on each line. As `parse_call` otherwise; an empty list has none."""
    scope = Scope.of(tools, context, allow)
    nodes, source = calls_in(text)
    if len(nodes) > MOST_EXPRESSIONS:
        raise _refused(f"there are {len(nodes)} calls; {MOST_EXPRESSIONS} are allowed")
    problems: list[ExpressionProblem] = []
    calls: list[ToolCall | CallGraph] = []
    first = 1
    for node in nodes:
        found: list[ExpressionProblem] = []
        try:
            call = CallReader(scope, source, found, first).outermost(node)
        except ExpressionError as error:
            found = list(error.problems)
        except RecursionError:  # over a value of the context, which may hold itself; the text is flat
            line, column = source.place(node.lineno, node.col_offset)
            message = "a value that it names is nested too deeply"
            found.append(ExpressionProblem(code="invalid_arguments", message=message, line=line, column=column))
        else:
            calls += [] if call is None else [call]
            first += len(call.calls) if isinstance(call, CallGraph) else 0
        problems += found
    if problems:
        raise ExpressionError(problems)
    return calls


def _several(count: int) -> ExpressionError:
    return _refused(f"there are {count} calls; write one")


def _refused(message: str) -> ExpressionError:
    return ExpressionError([ExpressionProblem(code="malformed_call", message=message, line=1, column=1)])
