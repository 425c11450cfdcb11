"""What is a model told, so that it calls tools by expressions?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from fcregistry import formats
from fcregistry.errors import DefinitionError
from fcregistry.expressions._problems import ExpressionError
from fcregistry.expressions._scope import Allowed, Context, Scope
from fcregistry.expressions._tree import calls_in

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.expressions._tools import Tools

TEMPLATE: Final = """\
You can call these tools:

{tools}

To call tools, answer with nothing but a list of Python calls, such as
{examples}
The arguments are literals, lists, dicts, and types with their fields; numbers may be computed, and texts joined with +.
A call may stand in the arguments of another. Nothing else of Python is allowed: no variables of your own, attributes,
subscripts, comprehensions, conditions or f-strings.{names}
To answer without a tool, write your answer as plain text."""
"""What `prompt` returns, with places for the tools, the examples and the names."""


def prompt(
    tools: Tools,
    *,
    examples: Iterable[str] = (),
    context: Context | None = None,
    allow: Allowed | None = None,
    format: str = "python",
) -> str:
    """Return what tells a model of tools, and how to call them by expressions.

    Args:
        tools: As for `parse_call`.
        examples: Expressions, such as `render` writes them; without any, one is made up of the tools' names.
        context: As for `parse_call`; a model is told the names, and of values their types.
        allow: As for `parse_call`; a model is told the names.
        format: How the tools are described: the name of a format of text.

    Raises:
        FormatNotFoundError: There is no such format.
        DefinitionError: A tool cannot be said in it.
        ExpressionError: An example is no expression.
        TypeError: It is no format of text, or `tools`, `context` or `allow` cannot be.
    """
    scope = Scope.of(tools, context, allow)
    called = scope.tools.called
    described = formats.get(format).describe([_under(name, each) for name, each in called.items()])
    if not isinstance(described, str):
        raise TypeError(f"the format {format!r} is none of text; take python, typescript, text or yaml")
    given = list(examples)
    for example in given:
        _check(example)
    known = names_known(scope.context, scope.allow)
    return TEMPLATE.format(
        tools=described,
        examples="\n".join(given or [_made_up(list(called))]),
        names=f"\n{known}" if known else "",
    )


def _under(name: str, tool: Tool) -> Tool:
    """Return a tool as it is described: under the name by which it is called."""
    if name == tool.name:
        return tool
    try:
        return tool.renamed(name)
    except DefinitionError:  # too long for a tool: then the format writes it in its own way, which is read too
        return tool


def _check(example: str) -> None:
    """See that an example can be read.

    Raises:
        ExpressionError: It cannot.
    """
    try:
        calls_in(example)
    except ExpressionError as error:
        error.add_note(f"in the example {example!r:.100}")
        raise


def _made_up(names: list[str]) -> str:
    return f"[{', '.join(f'{name}(…)' for name in names[:2])}]" if names else "[]"


def names_known(context: Context, allow: Allowed) -> str:
    """Return what is said of the names that an expression may use; empty where there are none."""
    said = [
        f"{name} ({'a type' if isinstance(value, type) else _type(value)})" for name, value in sorted(context.items())
    ]
    said += [f"{name}(…)" for name in sorted(allow)]
    return f"These names are known: {', '.join(said)}." if said else ""


def _type(value: Any) -> str:
    return type(value).__name__
