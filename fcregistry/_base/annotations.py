"""Which annotations has a function or a class, where some of them cannot be evaluated?

From Python 3.14 on, annotations are evaluated when they are asked for (PEP 649, PEP 749), all of one function or class at once, and whatever
one of them raises is raised then. Here one of a function that fails stands for itself, and the others are had.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from inspect import Signature
    from typing import Any


class Unresolved:
    """An annotation that cannot be evaluated, shown as the text that its author wrote.

    Attributes:
        text: That text.
        error: What evaluating it raises.
    """

    def __init__(self, text: str, error: Exception) -> None:
        self.text = text
        self.error = error

    def __repr__(self) -> str:
        return repr(self.text)


def annotations_of(owner: Any) -> dict[str, Any]:
    """Return the annotations of a function or a class, with an `Unresolved` for each of a function's that cannot be evaluated.

    Raises:
        Exception: Whatever evaluating those of a class raises, or those of a function that cannot be told apart.
    """
    try:
        return getattr(owner, "__annotations__", None) or {}
    except Exception:  # an author's annotation may raise anything, and Python 3.14 evaluates all of an owner at once
        if sys.version_info >= (3, 14) and not isinstance(owner, type) and hasattr(owner, "__annotate__"):
            return _one_by_one(owner, owner.__annotate__)
        raise


def _one_by_one(function: Any, annotate: Any) -> dict[str, Any]:
    from annotationlib import Format, get_annotations  # type: ignore[import-not-found]  # there from Python 3.14 on

    texts = get_annotations(function, format=Format.STRING)
    values = get_annotations(function, format=Format.FORWARDREF)  # what stands for a missing name may lie deep in there
    names = _names_seen_by(annotate)
    return {
        name: value if isinstance(value, str) else _failed(texts[name], names) or value  # what was a text stays one
        for name, value in values.items()
    }


def _names_seen_by(annotate: Any) -> dict[str, Any]:
    """Return what annotations may name: of the module, and of the functions and the class around them."""
    names: dict[str, Any] = {}
    for name, cell in zip(annotate.__code__.co_freevars, annotate.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # not defined yet
            continue
    return {**annotate.__globals__, **names, **names.get("__classdict__", {})}


def _failed(text: str, names: dict[str, Any]) -> Unresolved | None:
    try:
        eval(text, names)  # noqa: S307  # the author's own annotation, as Python evaluates it, alone
    except SyntaxError:  # something in it has no text, such as a lambda: what it was evaluated to must do
        return None
    except Exception as error:  # noqa: BLE001  # an author's annotation may raise anything
        return Unresolved(text, error)
    return None


def signature_of(function: Callable[..., Any]) -> Signature:
    """Return what `inspect.signature` does, also where annotations cannot be evaluated.

    Raises:
        TypeError: It is nothing that can be called.
        ValueError: Python does not know its signature.
    """
    import inspect  # 11 ms, which reading annotations does not need

    if sys.version_info >= (3, 14):
        return inspect.signature(function, annotation_format=inspect.Format.FORWARDREF)
    return inspect.signature(function)
