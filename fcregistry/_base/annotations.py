"""The annotations and the signature of a function or class, even if some cannot be evaluated.

From Python 3.14 on, annotations are evaluated when they are asked for (PEP 649, PEP 749), all of one function or class at once, and an exception
that one of them raises is raised then. Here such an annotation of a function becomes an `Unresolved`, and the others keep their values.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from inspect import Signature
    from typing import Any


class Unresolved:
    """An annotation that cannot be evaluated; its `repr` is that of its text.

    Attributes:
        text: The annotation as its author wrote it.
        error: The exception that evaluating it raises.
    """

    def __init__(self, text: str, error: Exception) -> None:
        self.text = text
        self.error = error

    def __repr__(self) -> str:
        return repr(self.text)


def annotations_of(owner: Any) -> dict[str, Any]:
    """Return the annotations of a function or class.

    Each annotation of a function that cannot be evaluated becomes an `Unresolved`.

    Raises:
        Exception: Evaluating the annotations of a class raises it, or those of a function that cannot be evaluated one by one.
    """
    try:
        return getattr(owner, "__annotations__", None) or {}
    except Exception:  # an author's annotation may raise anything, and Python 3.14 evaluates all of an owner at once
        if sys.version_info >= (3, 14) and not isinstance(owner, type) and hasattr(owner, "__annotate__"):
            return _evaluate_each(owner, owner.__annotate__)
        raise


def _evaluate_each(function: Any, annotate: Any) -> dict[str, Any]:
    from annotationlib import Format, get_annotations  # type: ignore[import-not-found]  # new in Python 3.14

    texts = get_annotations(function, format=Format.STRING)
    values = get_annotations(function, format=Format.FORWARDREF)  # a missing name may be deep inside a value
    names = _names_visible_to(annotate)
    return {
        name: value if isinstance(value, str) else _unresolved(texts[name], names) or value  # a text stays a text
        for name, value in values.items()
    }


def _names_visible_to(annotate: Any) -> dict[str, Any]:
    """Return the names of the module, and of the functions and the class around annotations."""
    names: dict[str, Any] = {}
    for name, cell in zip(annotate.__code__.co_freevars, annotate.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # it is not defined yet
            continue
    return {**annotate.__globals__, **names, **names.get("__classdict__", {})}


def _unresolved(text: str, names: dict[str, Any]) -> Unresolved | None:
    """Return the error of an annotation, or None if it can be evaluated."""
    try:
        eval(text, names)  # noqa: S307  # the author's own annotation, as Python evaluates it
    except SyntaxError:  # a part of it has no source text, such as a lambda: its value is used
        return None
    except Exception as error:  # noqa: BLE001  # an author's annotation may raise anything
        return Unresolved(text, error)
    return None


def signature_of(function: Callable[..., Any]) -> Signature:
    """Return the signature that `inspect.signature` returns, even if annotations cannot be evaluated.

    Raises:
        TypeError: The object cannot be called.
        ValueError: Python does not know the signature.
    """
    import inspect  # takes 11 ms, and reading annotations does not need it

    if sys.version_info >= (3, 14):
        return inspect.signature(function, annotation_format=inspect.Format.FORWARDREF)
    return inspect.signature(function)
