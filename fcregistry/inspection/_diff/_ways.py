"""About how many ways are there to be valid by a schema? A proof that one takes what another takes looks at each of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

MOST: Final = 1000
"""More are not counted, nor looked at: strangers' schemas may have any number, and the proof would not end."""

_BY_NAME: Final = ("properties", "patternProperties", "dependentSchemas")
_PARTS: Final = ("prefixItems", "items", "additionalProperties", "contains", "propertyNames")
_TOGETHER: Final = ("allOf", "if", "then", "else", "not")
_EITHER: Final = ("anyOf", "oneOf")


def ways(schema: Any, target: Callable[[object], Any]) -> int:
    """Return about how many ways there are, with the parts that each of them asks about; `MOST` + 1 for all above.

    Args:
        schema: The schema.
        target: Returns what a reference leads to.
    """
    known: dict[int, int] = {}

    def of(one: Any) -> int:
        if not isinstance(one, dict):
            return 1
        if id(one) not in known:
            known[id(one)] = 1  # where it holds itself
            known[id(one)] = counted(one)
        return known[id(one)]

    def counted(one: dict[str, Any]) -> int:
        found = 1 + sum(of(part) for name in _PARTS for part in _listed(one.get(name)))
        found += sum(of(part) for name in _BY_NAME for part in _named(one.get(name)))
        joined = [part for name in _TOGETHER for part in _listed(one.get(name))]
        if "$ref" in one:
            joined.append(target(one["$ref"]))
        for part in joined:
            found = min(found * of(part), MOST + 1)
        for name in _EITHER:
            if name in one:
                found *= sum(map(of, _listed(one[name]))) or 1
        return min(found, MOST + 1)

    return of(schema)


def _listed(value: Any) -> list[Any]:
    """Return the schemas of a keyword that has one or a list of them."""
    return value if isinstance(value, list) else [value] if isinstance(value, dict) else []


def _named(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else []
