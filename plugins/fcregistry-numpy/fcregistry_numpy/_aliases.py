"""Aliases of PEP 695 in annotations, as NumPy has them where Python knows them."""

from __future__ import annotations

from typing import Any, get_args, get_origin


def resolve_alias(annotation: Any) -> Any:
    """Return the annotation to which the alias `annotation` refers; any other annotation unchanged."""
    origin = get_origin(annotation)
    if hasattr(origin, "__value__"):  # first, since an alias with arguments has the attributes of the bare alias, too
        return resolve_alias(origin.__value__[get_args(annotation)])
    return resolve_alias(annotation.__value__) if hasattr(annotation, "__value__") else annotation
