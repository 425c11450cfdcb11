"""Conjunctions: the keywords of several schemas as those of one, for readers that know no `allOf`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final


def merge(schema: dict[str, Any], others: list[Any]) -> dict[str, Any] | None:
    """Return a schema for what `schema` and `others` all accept; None if their keywords cannot be joined.

    Args:
        schema: The schema around the others; its annotations win.
        others: Schemas without references.
    """
    result = schema
    for other in others:
        if other is True:
            continue
        if not isinstance(other, dict):
            return None
        result, is_exact = join(result, other)
        if not is_exact or result.get("enum") == [] or result.get("type") == []:
            return None
    return dict(result)


def join(one: dict[str, Any], other: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return the keywords of two schemas together, and whether that is exact.

    It is exact if it accepts what both schemas accept, no more and no less. Of two values of a keyword that cannot be joined, the value of
    `one` remains.
    """
    result = dict(one)
    is_exact = not (_is_narrowed(one, other) or _is_narrowed(other, one))
    for keyword, value in other.items():
        if keyword not in result:
            result[keyword] = value
        elif keyword in _ANNOTATIONS or _is_same(result[keyword], value):
            continue
        elif keyword in _JOINED:
            result[keyword] = _JOINED[keyword](result[keyword], value)
        else:
            is_exact = False
    return result, is_exact


def _is_narrowed(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether `additionalProperties` or `items` of `one` would apply to fewer parts beside `other`.

    They would if `other` has a property, pattern or position that `one` lacks. They do not count if they accept everything.
    """
    for keyword, neighbours in _BESIDE.items():
        if one.get(keyword, True) not in (True, {}):
            for neighbour in neighbours:
                own, added = one.get(neighbour, ()), other.get(neighbour, ())
                if set(added) - set(own) if isinstance(added, dict) else len(added) > len(own):
                    return True
    return False


_BESIDE: Final = {"additionalProperties": ("properties", "patternProperties"), "items": ("prefixItems",)}
"""Keyword -> the keywords beside it, to whose parts of a value it does not apply."""


def _is_same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal: 1 and 1.0 are, 1 and true are not."""
    if one is other:
        return True
    from fcregistry.types import are_equal  # only where two schemas have the same keyword

    return are_equal(one, other)


def types_of(given: Any) -> list[str]:
    """Return the types that a `type` keyword names; an empty list if it is missing."""
    if given is None:
        return []
    return [given] if isinstance(given, str) else list(given)


# --- Keywords ---


def _join_types(one: Any, other: Any) -> Any:
    """Return the `type` that both `type` values allow: one name, or a list of several or none.

    An integer and a number have integer in common.
    """
    ones, others = types_of(one), types_of(other)
    shared = [kind for kind in ones if kind in others or (kind == "integer" and "number" in others)]
    shared += [kind for kind in others if kind == "integer" and "number" in ones and kind not in shared]
    return shared[0] if len(shared) == 1 else shared


def _join_choices(one: list[Any], other: list[Any]) -> list[Any]:
    """Return the values of `one`, an `enum`, that are also in `other`."""
    return [value for value in one if any(_is_same(value, each) for each in other)]


def _join_by_name(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return the schemas of both by name; a name that both have gets a schema for both."""
    shared = {name: _join_schemas(one[name], other[name]) for name in one if name in other}
    return {**one, **other, **shared}


def _join_schemas(one: Any, other: Any) -> Any:
    """Return a schema for what two schemas accept: `one` if they are equal, or else their `allOf`."""
    return one if _is_same(one, other) else {"allOf": [one, other]}


_ANNOTATIONS: Final = frozenset({"title", "description", "default", "examples", "deprecated"})
"""Annotations: those of the first schema win."""

_JOINED: Final[dict[str, Callable[[Any, Any], Any]]] = {
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
    **dict.fromkeys(("properties", "patternProperties"), _join_by_name),
    **dict.fromkeys(("items", "propertyNames"), _join_schemas),
    "additionalProperties": lambda one, other: False if one is False or other is False else _join_schemas(one, other),
    "allOf": lambda one, other: [*one, *other],
    "anyOf": lambda one, other: [_join_schemas(first, second) for first in one for second in other],
    "enum": _join_choices,
    "required": lambda one, other: list(dict.fromkeys([*one, *other])),
    "type": _join_types,
}
"""Keyword -> the value that means what two values mean together."""
