"""What is left of a type when some of its fields are not to be written? Its schema and its values without them."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def schema_without(schema: dict[str, Any], paths: Sequence[str], problems: list[str]) -> dict[str, Any]:
    """Return a schema without some fields. A field of a record that recurs is left out wherever the record stands.

    Args:
        schema: The schema of a record, or of a list or a union of records.
        paths: The fields: a name, or `outer.inner`.
        problems: Takes what cannot be left out, and why.
    """
    left = deepcopy(schema)
    for path in paths:
        *outer, name = path.split(".")
        records = list(_records(left, left))
        for segment in outer:
            inner = [record["properties"][segment] for record in records if segment in record["properties"]]
            records = [record for each in inner for record in _records(each, left)]
        holders = [record for record in records if name in record["properties"]]
        if not holders:
            problems.append(_no_field(records, path, "exclude"))
        for record in holders:
            if name in record.get("required", ()):
                problems.append(f"exclude: the field {path!r} has no default, so that no value can be made without it")
            del record["properties"][name]
    return left


def check_has_field(schema: dict[str, Any], name: str, option: str, problems: list[str]) -> None:
    """Add a problem if no record of a schema has a field.

    Args:
        schema: The schema of a record, or of a list or a union of records.
        name: The field.
        option: The option that names it.
        problems: Takes the problem.
    """
    records = list(_records(schema, schema))
    if not any(name in record["properties"] for record in records):
        problems.append(_no_field(records, name, option))


def _no_field(records: Sequence[dict[str, Any]], name: str, option: str) -> str:
    known = sorted({field for record in records for field in record["properties"]})
    there = f"the fields there are {', '.join(known)}" if known else "there are no fields"
    return f"{option}: there is no field {name!r}; {there}"


def value_without(value: Any, whole: dict[str, Any], left: dict[str, Any]) -> Any:
    """Return a JSON value without the fields that were left out of its schema.

    Args:
        value: A value of the whole schema.
        whole: The schema.
        left: What `schema_without` has left of it.
    """
    return _pruned(value, (whole, whole), (left, left))


def _pruned(value: Any, whole: tuple[Any, Any], left: tuple[Any, Any]) -> Any:
    """Return a part of a value without fields.

    Args:
        value: The part.
        whole: Its schema, and the one in which that stands.
        left: What is left of both.
    """
    (schema, root), (rest, rest_root) = whole, left
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        return _pruned(value, (root["$defs"][name], root), (rest_root["$defs"][name], rest_root))
    for keyword in ("anyOf", "oneOf"):
        for one, other in zip(schema.get(keyword, ()), rest.get(keyword, ()), strict=True):
            value = _pruned(value, (one, root), (other, rest_root))
    if isinstance(value, list):
        return [_pruned(item, (one, root), (other, rest_root)) for item, one, other in _items(value, schema, rest)]
    if not isinstance(value, dict) or "properties" not in schema:
        return value
    known, kept = schema["properties"], rest["properties"]
    return {
        name: _pruned(item, (known[name], root), (kept[name], rest_root)) if name in kept else item
        for name, item in value.items()
        if name in kept or name not in known
    }


def _items(value: list[Any], schema: dict[str, Any], rest: dict[str, Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the items of an array, each with its schema and what is left of that."""
    first, first_left = schema.get("prefixItems", ()), rest.get("prefixItems", ())
    others = (schema.get("items"), rest.get("items"))
    for place, item in enumerate(value):
        one, other = (first[place], first_left[place]) if place < len(first) else others
        yield item, one if isinstance(one, dict) else {}, other if isinstance(other, dict) else {}


def _records(schema: Any, root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the outermost records in a schema: through lists, unions and references, and not through other records."""
    seen: list[int] = []
    stack = [schema]
    while stack:
        each = stack.pop()
        if not isinstance(each, dict) or id(each) in seen:
            continue
        seen.append(id(each))
        if "properties" in each:
            yield each
            continue
        if reference := each.get("$ref"):
            stack.append(root["$defs"][reference.rpartition("/")[2]])
        inner = [each.get("items"), *each.get("prefixItems", ()), *each.get("anyOf", ()), *each.get("oneOf", ())]
        stack += inner[::-1]
