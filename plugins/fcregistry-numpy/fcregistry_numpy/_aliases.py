"""Aliases of PEP 695 in annotations. NumPy writes some of its types as aliases of PEP 695, on the Pythons that have these."""

from __future__ import annotations

from typing import Any, get_args, get_origin


def unaliased(annotation: Any) -> Any:
    """Return what an alias stands for; any other annotation as it is."""
    origin = get_origin(annotation)
    if hasattr(origin, "__value__"):  # before the next: an alias of something has the attributes of the bare one
        return unaliased(origin.__value__[get_args(annotation)])
    return unaliased(annotation.__value__) if hasattr(annotation, "__value__") else annotation
