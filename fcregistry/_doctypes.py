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
_GENERIC: Final = {
    "list",
    "List",
    "array",
    "tuple",
    "Tuple",
    "set",
    "Set",
    "frozenset",
    "dict",
    "Dict",
    "Sequence",
    "Iterable",
    "Mapping",
}
_LONGEST = 400


def type_named(text: str) -> Any | None:
    """Return the type that a docstring's text names, or None if it names no known one.

    Known are the built-in types by their Python and JSON names, and `list[…]`, `dict[…]`, `Optional[…]`, `Union[…]`, `Literal[…]` and
    `X | Y` of known ones; "optional" and "default …" after a comma say nothing of the type.
    """
    text = text.strip()
    for marker in (", optional", ", default", ",optional"):
        text = text.split(marker, 1)[0]
    if not text or len(text) > _LONGEST:
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
    if isinstance(node, ast.Subscript) and (isinstance(node.value, ast.Name) or _is_of_typing(node.value)):
        return _subscript(node)
    raise _UnknownName


def _is_of_typing(node: ast.expr) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("typing", "t")


def _subscript(node: ast.Subscript) -> Any:
    name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Literal":
        return typing.Literal[tuple(_constant(part) for part in parts)]
    if name == "Optional":
        return typing.Optional[_read(node.slice)]  # noqa: UP045  # None | None is no expression
    if name in ("Union", "union"):
        return typing.Union[tuple(_read(part) for part in parts)]  # noqa: UP007  # of as many as there are
    if name in _GENERIC:
        return _NAMES[name][tuple(... if _is_ellipsis(part) else _read(part) for part in parts)]
    raise _UnknownName


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def _constant(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return -node.operand.value  # type: ignore[operator]  # a TypeError for what has no sign: not a known type
    raise _UnknownName
