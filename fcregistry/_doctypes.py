"""Which type does a docstring name? Looked up in a table, never evaluated."""

from __future__ import annotations

import ast
import typing
from typing import Any, Final, TypeGuard

_NONE = type(None)
_NAMES: Final[dict[str, Any]] = {
    "any": Any,
    "object": dict[str, Any],
    "none": _NONE,
    "null": _NONE,
    "str": str,
    "string": str,
    "int": int,
    "integer": int,
    "float": float,
    "number": float,
    "bool": bool,
    "boolean": bool,
    "bytes": bytes,
    "list": list,
    "array": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "dict": dict,
    "List": list,
    "Tuple": tuple,
    "Set": set,
    "Dict": dict,
    "Sequence": list,
    "Iterable": list,
    "Mapping": dict,
    "Any": Any,
    "None": _NONE,
}
# How many types stand in the brackets of each; a tuple has as many as it likes.
_GENERIC: Final = {
    **dict.fromkeys(("list", "List", "array", "set", "Set", "frozenset", "Sequence", "Iterable"), 1),
    **dict.fromkeys(("dict", "Dict", "Mapping"), 2),
}
_LONGEST = 400


def type_named(text: str) -> Any | None:
    """Return the type that a docstring's text names, or None if it names no known one.

    Known are the built-in types by their Python and JSON names, and `list[…]`, `dict[…]`, `Optional[…]`, `Union[…]`, `Literal[…]`,
    `X | Y`, `X or Y` and `{'a', 'b'}` (numpydoc's choices) of known ones; "optional" and "default …" after a comma say nothing of the type.
    """
    text = text.strip()
    for marker in (", optional", ", default", ",optional"):
        text = text.split(marker, 1)[0]
    if not text or len(text) > _LONGEST or "\\" in text:  # Python warns of some backslashes as soon as it reads them
        return None
    try:
        return _read(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, _UnknownName, RecursionError, MemoryError, TypeError):
        return None


class _UnknownName(Exception):
    """The text holds something else than known names."""


def _read(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and node.value is None:
        return _NONE
    if isinstance(node, ast.Name) and node.id in _NAMES:
        return _NAMES[node.id]
    if _is_of_typing(node):
        return _read(ast.Name(node.attr))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return typing.Union[_read(node.left), _read(node.right)]  # noqa: UP007  # None | None is no expression
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        return typing.Union[tuple(_read(part) for part in node.values)]  # noqa: UP007  # of as many as there are
    if isinstance(node, ast.Set):
        return _choice(node.elts)
    if isinstance(node, ast.Subscript) and (isinstance(node.value, ast.Name) or _is_of_typing(node.value)):
        return _subscript(node)
    raise _UnknownName


def _is_of_typing(node: ast.expr) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("typing", "t")


def _subscript(node: ast.Subscript) -> Any:
    name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Literal":
        return _choice(parts)
    if name == "Optional" and len(parts) == 1:
        return typing.Optional[_read(node.slice)]  # noqa: UP045  # None | None is no expression
    if name in ("Union", "union"):
        return typing.Union[tuple(_read(part) for part in parts)]  # noqa: UP007  # of as many as there are
    if name in ("tuple", "Tuple"):
        return _tuple(parts)
    if len(parts) == _GENERIC.get(name):
        return _NAMES[name][tuple(_read(part) for part in parts)]
    raise _UnknownName


def _tuple(parts: list[ast.expr]) -> Any:
    if len(parts) == 2 and _is_ellipsis(parts[1]):
        return tuple[_read(parts[0]), ...]  # type: ignore[misc]  # read here, not when this is type-checked
    return tuple[tuple(_read(part) for part in parts)]  # type: ignore[misc]


def _choice(parts: list[ast.expr]) -> Any:
    if not parts:
        raise _UnknownName
    return typing.Literal[tuple(_constant(part) for part in parts)]


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def _constant(node: ast.expr) -> str | int | bool | None:
    """Return a value that a Literal may have."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | None):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        number = node.operand.value
        if isinstance(number, int) and not isinstance(number, bool):
            return -number
    raise _UnknownName
