"""What do the keywords of JSON Schema say: one by one, and two of a kind made one?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

Node: TypeAlias = Any
"""A schema as parsed from JSON: an object or a boolean, and in a foreign one whatever its author wrote."""

TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")
DESCRIBING: Final = frozenset({
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "discriminator", "$comment",
    "$schema", "$id", "id", "$anchor", "$defs", "definitions", "$vocabulary", "contentEncoding", "contentMediaType",
})  # fmt: skip
"""Keywords that say nothing of which values there are."""


def json_identity(value: Any) -> object:
    """Return what is equal for equal JSON values and no others: `1` and `1.0` are one, `true` is neither."""
    if isinstance(value, dict):
        return ("object", frozenset((name, json_identity(each)) for name, each in value.items()))
    if isinstance(value, list):
        return ("array", tuple(map(json_identity, value)))
    return (type(value) is bool, value)


def is_same_json(first: Any, second: Any) -> bool:
    """Tell whether two JSON values are equal, as JSON Schema compares them."""
    return json_identity(first) == json_identity(second)


def constants(node: Node) -> Iterable[Any]:
    """Yield every scalar that stands in a schema as the value of a keyword or in a list: the limits that values are tried around."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("properties", "$defs", "definitions") and isinstance(value, dict):
                yield from value
            if key not in ("description", "title", "$ref", "$schema", "type", "format"):
                yield from constants(value)
    elif isinstance(node, list):
        for each in node:
            yield from constants(each)
    elif node is not None and not isinstance(node, bool):
        yield node


def types_of(given: Any) -> list[str]:
    """Return the types that a `type` keyword names; nothing where it is missing."""
    if given is None:
        return []
    return [given] if isinstance(given, str) else list(given)


def item_schemas(node: Mapping[str, Any]) -> tuple[list[Node], Node]:
    """Return the schemas of the first items, and that of all further ones: as 2020-12 writes them, and as the drafts before it did."""
    items = node.get("items", True)
    if isinstance(items, list):
        return items, node.get("additionalItems", True)
    return list(node.get("prefixItems", ())), items


# --- two made one ---


def _joined_maps(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: {"allOf": [first[name], second[name]]} if name in first and name in second else {**first, **second}[name]
        for name in {**first, **second}
    }


def _joined_types(first: Any, second: Any) -> list[str]:
    pairs = [(one, other) for one in types_of(first) for other in types_of(second)]
    both = [
        "integer" if {one, other} == {"integer", "number"} else one
        for one, other in pairs
        if one == other or {one, other} == {"integer", "number"}
    ]
    return list(dict.fromkeys(both))


_JOINED: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "minimum": max, "exclusiveMinimum": max, "minLength": max, "minItems": max, "minProperties": max,
    "maximum": min, "exclusiveMaximum": min, "maxLength": min, "maxItems": min, "maxProperties": min,
    "required": lambda first, second: list(dict.fromkeys([*first, *second])),
    "enum": lambda first, second: [each for each in first if any(is_same_json(each, other) for other in second)],
    "type": _joined_types,
    "properties": _joined_maps,
    "patternProperties": _joined_maps,
    "items": lambda first, second: {"allOf": [first, second]},
    "propertyNames": lambda first, second: {"allOf": [first, second]},
    "additionalProperties": lambda first, second: False if False in (first, second) else {"allOf": [first, second]},
    "anyOf": lambda first, second: [{"allOf": [one, other]} for one in first for other in second],
    "allOf": lambda first, second: [*first, *second],
}  # fmt: skip


def joined(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords of both; of two that cannot be joined, the first."""
    both = dict(first)
    for keyword, value in second.items():
        if keyword in both and keyword in _JOINED:
            both[keyword] = _JOINED[keyword](both[keyword], value)
        else:
            both.setdefault(keyword, value)
    return both
