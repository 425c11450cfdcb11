"""Merges the parts of `allOf` into one schema, for decoders that do not read `allOf`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

_HIGHEST: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_LOWEST: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")


def merge(given: Mapping[str, Any], found: Callable[[str], Any]) -> dict[str, Any]:
    """Return the schema `given` without `allOf`: its parts and its other keywords, merged.

    If keywords cannot be merged, such as two patterns, the first is kept: the result is validated anyway.

    Args:
        given: The schema.
        found: Returns the target of a `$ref` in a part.
    """
    whole: dict[str, Any] = {}
    for part in _parts(given, found, frozenset()):
        for keyword, value in part.items():
            whole[keyword] = _merged_keyword(keyword, whole[keyword], value) if keyword in whole else value
    return whole


def _parts(given: Any, found: Callable[[str], Any], seen: frozenset[str]) -> list[Mapping[str, Any]]:
    """Return the parts of the schema `given`: its own keywords, and those of its `allOf` and `$ref`.

    `found` returns the target of a reference. References in `seen` are not followed again.
    """
    if not isinstance(given, Mapping):
        return []
    parts: list[Mapping[str, Any]] = [
        {keyword: value for keyword, value in given.items() if keyword not in ("allOf", "$ref")}
    ]
    for each in given.get("allOf", ()):
        parts += _parts(each, found, seen)
    reference = given.get("$ref")
    if isinstance(reference, str) and reference not in seen:
        parts += _parts(found(reference), found, seen | {reference})
    return parts


def _merged_keyword(keyword: str, one: Any, other: Any) -> Any:
    """Return the value of `keyword` in the merge of two schemas that have it.

    Their values are `one` and `other`.
    """
    if keyword == "properties":
        return {**one, **{name: _all_of(one[name], each) if name in one else each for name, each in other.items()}}
    if keyword == "required":
        return [*one, *(name for name in other if name not in one)]
    if keyword == "enum":
        return [value for value in one if value in other]
    if keyword in _HIGHEST:
        return max(one, other)
    if keyword in _LOWEST:
        return min(one, other)
    return one


def _all_of(one: Any, other: Any) -> Any:
    """Return the schema of values that both `one` and `other` accept."""
    return one if one == other else {"allOf": [one, other]}
