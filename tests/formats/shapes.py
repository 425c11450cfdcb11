"""Strategies of a tool's schemas, rich in what strict modes rewrite, and of arguments for them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NAMES = ("a", "b", "c")
DEFS: dict[str, Any] = {
    "Chain": {
        "type": "object",
        "properties": {"value": {"type": "integer"}, "next": {"$ref": "#/$defs/Chain"}},
        "required": ["value"],
        "additionalProperties": False,
    },
    "Tree": {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "below": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
            "note": {"type": "string"},
        },
        "required": ["name", "below"],
        "additionalProperties": False,
    },
    "Point": {
        "type": "object",
        "properties": {"x": {"type": "number"}, "label": {"type": "string", "default": "here"}},
        "required": ["x"],
        "additionalProperties": False,
    },
}

leaves: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {"type": "string"},
        {"type": "string", "minLength": 1, "maxLength": 3},
        {"type": "string", "format": "date"},
        {"type": "string", "format": "decimal", "description": "An amount."},
        {"type": "integer"},
        {"type": "integer", "minimum": 1, "exclusiveMaximum": 9},
        {"type": "number", "multipleOf": 0.5},
        {"type": "boolean"},
        {"type": "null"},
        {"type": ["string", "null"]},
        {"type": "string", "enum": ["x", "y"]},
        {"enum": ["x", 1, True, None]},
        {"const": "x"},
        {"const": None},
        *({"$ref": f"#/$defs/{name}"} for name in DEFS),
        {"$ref": "#/$defs/Point", "description": "Where."},
    ]
)


def object_of(inner: list[dict[str, Any]], needed: list[bool]) -> dict[str, Any]:
    """Return the schema of an object that lists its names."""
    properties = dict(zip(NAMES, inner, strict=False))
    required = [name for name, is_needed in zip(properties, needed, strict=False) if is_needed]
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def objects(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Return schemas of objects with a few properties, some of which may be left out."""
    return st.builds(object_of, st.lists(inner, max_size=3), st.lists(st.booleans(), min_size=3, max_size=3))


def _compose(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.one_of(
        objects(inner),
        objects(inner),
        inner.map(lambda item: {"type": "array", "items": item}),
        inner.map(lambda item: {"type": "array", "items": item, "minItems": 2}),
        st.lists(inner, max_size=2).map(
            lambda items: (
                {"type": "array", "prefixItems": items, "items": False, "minItems": len(items), "maxItems": len(items)}
                if items
                else {"type": "array", "items": False, "maxItems": 0}
            )
        ),
        st.lists(inner, min_size=2, max_size=3).map(lambda branches: {"anyOf": branches}),
    )


shapes = st.recursive(leaves, _compose, max_leaves=6)
parameters = objects(shapes).map(lambda schema: {**schema, "$defs": DEFS})
"""Schemas of parameters that every strict mode can say, but that some refer to themselves."""


def values(schema: dict[str, Any], depth: int = 0) -> st.SearchStrategy[Any]:
    """Return values that a schema of these accepts."""
    if "$ref" in schema:
        return st.deferred(lambda: values(DEFS[schema["$ref"].rpartition("/")[2]], depth + 1))
    if "anyOf" in schema:
        return st.one_of([values(each, depth) for each in schema["anyOf"]])
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum", [schema.get("const")]))
    kind = schema["type"]
    if isinstance(kind, list):
        return st.one_of([values({**schema, "type": each}, depth) for each in kind])
    if kind == "object":
        listed = {name: values(each, depth) for name, each in schema["properties"].items()}
        needed = {name: each for name, each in listed.items() if name in schema.get("required", ())}
        optional = {name: each for name, each in listed.items() if name not in needed and depth < 3}
        return st.fixed_dictionaries(needed, optional=optional)
    if kind == "array":
        if "prefixItems" in schema:
            return st.tuples(*(values(each, depth) for each in schema["prefixItems"])).map(list)
        if schema["items"] is False or (depth > 2 and not schema.get("minItems")):
            return st.just([])
        return st.lists(values(schema["items"], depth), min_size=schema.get("minItems", 0), max_size=3)
    return _scalars(kind, schema)


def _scalars(kind: str, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    if schema.get("format") == "date":
        return st.dates().map(str)
    if schema.get("format") == "decimal":
        return st.integers(-9, 9).map(str)
    if kind == "integer":
        return st.integers(schema.get("minimum", -5), schema.get("exclusiveMaximum", 10) - 1)
    return {
        "string": st.text("xyz", min_size=schema.get("minLength", 0), max_size=schema.get("maxLength", 2)),
        "number": st.integers(-4, 4).map(lambda number: number * schema.get("multipleOf", 0.25)),
        "boolean": st.booleans(),
        "null": st.none(),
    }[kind]
