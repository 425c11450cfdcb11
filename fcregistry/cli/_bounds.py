"""What does the schema of a parameter ask of a value besides its type, in the words with which a call would be refused?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from fcregistry._base.messages import demand

_BOUNDS: Final = (
    *("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "pattern", "minItems", "maxItems", "minProperties", "maxProperties"),
)


def plain(schema: Any, root: Mapping[str, Any]) -> dict[str, Any]:
    """Return a parameter's schema with its reference followed, and without the null of an optional one."""
    found = _object(schema)
    for _ in range(10):
        if "$ref" in found:
            target = root.get("$defs", {}).get(str(found["$ref"]).rpartition("/")[2])
            found = {**_object(target), **{key: value for key, value in found.items() if key != "$ref"}}
        elif len(others := [each for each in found.get("anyOf", ()) if each != {"type": "null"}]) == 1:
            found = {**_object(others[0]), **{key: value for key, value in found.items() if key != "anyOf"}}
        else:
            break
    return as_text(found)


def _object(schema: Any) -> dict[str, Any]:
    """Return a schema as an object: one that is `true`, or `false`, says nothing of a type."""
    return dict(schema) if isinstance(schema, Mapping) else {}


def as_text(schema: dict[str, Any]) -> dict[str, Any]:
    """Take a decimal number, which may be a number or a text, for the text that was typed: a float would lose digits."""
    if schema.get("format") == "decimal" and isinstance(schema.get("type"), list):
        return {**schema, "type": "string"}
    return schema


def bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a parameter's schema asks of a value, and of each item of an array; nothing of what lies deeper."""
    for keyword in _BOUNDS:
        if keyword in schema:
            yield _briefly(keyword, schema[keyword])
    if schema.get("uniqueItems") is True:
        yield _briefly("uniqueItems", True)
    if isinstance(items := schema.get("items"), Mapping):
        yield from (f"each {each}" for each in bounds(items) if "items" not in items)


def _briefly(keyword: str, limit: Any) -> str:
    return demand(keyword, limit).removeprefix("must be ").removeprefix("must have ")
