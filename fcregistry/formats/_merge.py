"""What do several schemas say together, said in one? For providers that do not know `allOf`."""

from __future__ import annotations

from typing import Any, Final

_OUTER: Final = frozenset({"title", "description", "default", "examples", "deprecated"})
"""Keywords that inform: the schema around others knows better than they."""

_LOWER: Final = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_UPPER: Final = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})


def merged(schema: dict[str, Any], others: list[Any]) -> dict[str, Any] | None:
    """Return one schema that accepts what a schema and others all accept; None where no single one is known to.

    Args:
        schema: The schema around the others; where both inform, it wins.
        others: Schemas without references.
    """
    result: dict[str, Any] | None = dict(schema)
    for other in others:
        if other is True:
            continue
        if not isinstance(other, dict) or result is None or _closes(result, other) or _closes(other, result):
            return None
        result = _both(result, other)
    return result


def _closes(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Tell whether one schema forbids names that the other knows."""
    return one.get("additionalProperties", True) not in (True, {}) and bool(
        set(other.get("properties", ())) - set(one.get("properties", ()))
    )


def _both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any] | None:
    result = dict(one)
    for keyword, value in other.items():
        if keyword not in result:
            result[keyword] = value
        elif keyword in _OUTER or result[keyword] == value:
            continue
        else:
            result[keyword] = _combined(keyword, result[keyword], value)
            if result[keyword] is None:
                return None
    return result


def _combined(keyword: str, one: Any, other: Any) -> Any:
    """Return the value that says what two values of a keyword say; None if there is none."""
    if keyword in _LOWER:
        return max(one, other)
    if keyword in _UPPER:
        return min(one, other)
    if keyword == "required":
        return list(dict.fromkeys([*one, *other]))
    if keyword == "properties":
        shared = {
            name: {"allOf": [one[name], other[name]]} for name in one if name in other and one[name] != other[name]
        }
        return {**one, **other, **one, **shared}
    if keyword == "enum":
        return [value for value in one if any(value == each and type(value) is type(each) for each in other)] or None
    if keyword == "type":
        return _shared_types(one, other)
    if keyword == "additionalProperties":
        return False if False in (one, other) else None
    return None


def _shared_types(one: str | list[str], other: str | list[str]) -> Any:
    ones, others = ([kind] if isinstance(kind, str) else kind for kind in (one, other))
    shared = [kind for kind in ones if kind in others or (kind == "integer" and "number" in others)]
    shared += [kind for kind in others if kind == "integer" and "number" in ones and kind not in shared]
    return (shared[0] if len(shared) == 1 else shared) or None
