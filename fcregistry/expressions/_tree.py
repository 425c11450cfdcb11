"""How does text become the nodes of the calls in it? By Python's parser, which runs nothing."""

from __future__ import annotations

import ast
from typing import Final

from fcregistry.expressions._problems import ExpressionError, ExpressionProblem
from fcregistry.expressions._source import Source
from fcregistry.expressions._text import source_of

_CONSTRUCTS: Final[dict[type[ast.AST], str]] = {
    ast.Attribute: "an attribute",
    ast.Subscript: "a subscript",
    ast.Slice: "a slice",
    ast.Compare: "a comparison",
    ast.NamedExpr: "an assignment",
    ast.Assign: "an assignment",
    ast.AugAssign: "an assignment",
    ast.Starred: "unpacking here",
    ast.MatMult: "the operator @",
    ast.Invert: "the operator ~",
    ast.JoinedStr: "an f-string",
    ast.Name: "a name",
    ast.Constant: "a value",
    ast.BinOp: "arithmetic",
    ast.UnaryOp: "arithmetic",
    ast.List: "a list",
    ast.Tuple: "a tuple",
    ast.Set: "a set",
    ast.Dict: "a dict",
    ast.Call: "a call",
}
"""What a node is called; what stands not here is called by its class."""


def construct(node: ast.AST) -> str:
    """Return what a node is called, for a message."""
    return _CONSTRUCTS.get(type(node), f"`{type(node).__name__}`")


def calls_in(text: str) -> tuple[list[ast.expr], Source]:
    """Return the expressions of a text, and the text as it was parsed: those of a list, or one after the other.

    Raises:
        ExpressionError: It is no Python, or there is a statement in it.
    """
    source = source_of(text)
    try:
        body = ast.parse(source.text).body
    except SyntaxError as error:
        line, column = source.place(error.lineno or 1, 0)
        if error.offset and error.text is not None:
            column = source.place(line, len(error.text[: error.offset - 1].encode("utf-8", "replace")))[1]
        raise _refused(f"this is no Python: {error.msg[:200]}", line, column) from None
    except (ValueError, RecursionError, MemoryError) as error:  # what the scan has not foreseen
        raise _refused(f"the expression cannot be read: {type(error).__name__}", 1, 1) from None
    if not body:
        raise _refused("there is no call in it; write one, f(a=1)", 1, 1)
    found: list[ast.expr] = []
    for node in body:
        if not isinstance(node, ast.Expr):
            raise _refused(
                f"{construct(node)} is not allowed; write a call, f(a=1)", *source.place(node.lineno, node.col_offset)
            )
        found.append(node.value)
    if len(found) == 1 and isinstance(found[0], (ast.List, ast.Tuple)):
        found = list(found[0].elts)
    return found, source


def _refused(message: str, line: int, column: int) -> ExpressionError:
    return ExpressionError([ExpressionProblem(code="malformed_call", message=message, line=line, column=column)])


def dotted(node: ast.expr) -> str | None:
    """Return the name that a node is, with dots: `a`, `a.b`; None for anything else. What it names is not looked at."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(names)])
