"""Which parameter of a function is filled in by the executor, and not by a model? The one that is annotated with `Context`."""

from __future__ import annotations

import sys
from types import UnionType
from typing import TYPE_CHECKING, Any, NamedTuple, Union, get_args, get_origin

from fcregistry._functions import EMPTY, POSITIONAL_ONLY, STAR, STAR_STAR, RawParameter

if TYPE_CHECKING:
    from collections.abc import Callable


class ContextParameter(NamedTuple):
    """The parameter that takes the context of a call.

    Attributes:
        name: Its name.
        kind: How it is passed.
        place: Its place among all parameters.
        deps: The type that the context's `deps` is to be of, or None if it asks for none.
    """

    name: str
    kind: Any
    place: int
    deps: Any


def context_parameter(
    raw: list[RawParameter], resolve: Callable[[Any], Any], problems: list[str]
) -> ContextParameter | None:
    """Return the parameter that takes the context, or None if there is none.

    Args:
        raw: All parameters.
        resolve: Returns an annotation with types for its texts; may raise anything.
        problems: Takes what cannot be.
    """
    module = sys.modules.get("fcregistry._results.context")
    if module is None:  # an author who annotates with it has imported it
        return None
    found = [
        (place, each, deps)
        for place, each in enumerate(raw)
        if each.annotation is not EMPTY and (deps := _deps_of(each.annotation, module.Context, resolve)) is not _NONE
    ]
    if not found:
        return None
    place, parameter, deps = found[0]
    if len(found) > 1:
        problems.append(f"{', '.join(repr(each.name) for _, each, _ in found)} are all a Context; take one")
    if parameter.kind in (STAR, STAR_STAR):
        problems.append(f"parameter {parameter.name!r}: a Context is one parameter, not several")
    elif parameter.kind is not POSITIONAL_ONLY and raw[-1].kind is STAR_STAR:
        problems.append(
            f"parameter {parameter.name!r}: beside **{raw[-1].name} a model could write it; make it positional-only: "
            f"put it first, and a / after it"
        )
    return ContextParameter(parameter.name, parameter.kind, place, deps)


_NONE: Any = object()


def _deps_of(annotation: Any, context: type, resolve: Callable[[Any], Any]) -> Any:
    """Return the type of `deps` that an annotation asks for, None for any, and `_NONE` if it is no context."""
    if isinstance(annotation, str):
        if "Context" not in annotation:  # an alias of it in a text is the author's to write as a type
            return _NONE
        try:
            annotation = resolve(annotation)
        except Exception:  # noqa: BLE001  # evaluating an author's annotation may raise anything: reading it will say what
            return _NONE
    if annotation is context:
        return None
    origin = get_origin(annotation)
    if origin is context:
        asked = get_args(annotation)[0]
        return None if asked in (Any, None, type(None)) else asked
    if origin in (Union, UnionType):  # `Context | None`, which can be called without one too
        members = [each for each in get_args(annotation) if each is not type(None)]
        if len(members) == 1:
            return _deps_of(members[0], context, resolve)
    return _NONE
