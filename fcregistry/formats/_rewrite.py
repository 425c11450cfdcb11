"""Rewriting a schema by a provider's profile: one subschema after the other, references included.

Each step for a subschema is a function that changes a `Node`: types, enums, bounds, unions, objects, arrays.
"""

from __future__ import annotations

import re
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.messages import json_path
from fcregistry._schema.document import Place, References
from fcregistry._schema.drafts import upgrade_keywords
from fcregistry._schema.joining import merge
from fcregistry.formats._node import (
    Dropped,
    Node,
    accepts_null,
    add_keywords_text,
    make_nullable,
    without_duplicates,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fcregistry.formats._profile import Profile


class UnsupportedSchemaError(Exception):
    """A schema that cannot be expressed in what a provider accepts.

    Attributes:
        problems: Everything that cannot be expressed, with its path and the fix.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


_MOST_SCHEMAS: Final = 100_000
"""The most schemas in one rewritten schema: where targets replace references, they may multiply."""


class Rewriter:
    """Rewrites the schema of a tool's parameters.

    Args:
        root: The schema.
        profile: The schemas that the provider accepts; not all of JSON Schema.
        cuts: Whether a recursive reference that the provider does not accept is cut off, rather than refused.

    Attributes:
        keywords: The keywords that the provider accepts.
        references: The references of the schema.
        dropped: What has been left out so far.
        problems: What could not be expressed so far.
    """

    def __init__(self, root: dict[str, Any], profile: Profile, *, cuts: bool) -> None:
        self.profile = profile
        self.keywords = profile.keywords or frozenset()
        self.references = References(root)
        self.dropped: list[Dropped] = []
        self.problems: list[str] = []
        self._root = root
        self._cuts = cuts
        self._defs: dict[str, dict[str, Any]] = {}
        self._open: list[Place] = []
        self._count = 0
        self._recursive: frozenset[Place] = frozenset()
        if profile.recursion != "free":
            self._recursive = self.references.recursive_places(required_only=profile.recursion == "optional")

    def rewrite(self) -> dict[str, Any]:
        """Rewrite the schema of the parameters, with the definitions that it needs."""
        written = self.write({"type": "object", "properties": {}, **self._root}, ())
        if written is None:
            self.problem((), "no call of it is possible once it is cut off; describe it without strict")
            return {}
        return {**written, "$defs": dict(sorted(self._defs.items()))} if self._defs else written

    def write(self, schema: Any, path: Place) -> dict[str, Any] | None:
        """Rewrite a schema; None if no value is valid."""
        self._count += 1
        if self._count > _MOST_SCHEMAS:
            raise UnsupportedSchemaError(
                f"$: is too large: with its references followed it has more than {_MOST_SCHEMAS:,} schemas"
            )
        if schema is False:
            return None
        given = upgrade_keywords(schema) if isinstance(schema, dict) else {}
        if "$ref" not in given and "allOf" in given and "allOf" not in self.keywords:
            given = self._merge_all_of(given, path)
        if "$ref" in given:
            return self._write_reference(given, path)
        node = Node(given, path)
        if not all(step(self, node) for step in _STEPS):
            return None
        self._drop_unknown(node)
        if self.profile.closed and not {"type", "anyOf", "enum"} & set(node.schema):
            self.problem(
                path,
                f"any JSON value is allowed here, and {self.profile.taker} needs a type; give it one, or describe the tool without strict",
            )
        description = add_keywords_text(node.schema.get("description"), node.lost)
        return {**node.schema, "description": description} if description else node.schema

    def drop(self, node: Node, keyword: str, reason: str | None = None) -> None:
        """Take a keyword out of a schema, and record it."""
        value = node.schema.pop(keyword)
        if keyword == "default" and value is None:  # nothing is lost: the model may send null, or nothing
            return
        node.lost[keyword] = value
        self.record(node.path, keyword, value, reason or f"{self.profile.taker} has no such keyword")

    def record(self, path: Place, keyword: str, value: object, reason: str) -> None:
        """Record a keyword that is left out."""
        self.dropped.append(Dropped(path=json_path(path), keyword=keyword, value=value, reason=reason))

    def problem(self, path: Place, message: str) -> None:
        """Record something that cannot be expressed."""
        self.problems.append(f"{json_path(path)}: {message}")

    def _drop_unknown(self, node: Node) -> None:
        schema, profile = node.schema, self.profile
        for keyword in [each for each in schema if each not in self.keywords]:
            self.drop(node, keyword)
        if profile.formats is not None and schema.get("format", next(iter(profile.formats))) not in profile.formats:
            self.drop(node, "format", f"{profile.taker} has no such format")
        if profile.pattern_without and re.search(profile.pattern_without, schema.get("pattern", "")):
            self.drop(node, "pattern", f"{profile.taker} has only simple patterns")
        for keyword, highest in profile.highest.items():
            if schema.get(keyword, highest) > highest:
                self.drop(node, keyword, f"{profile.taker} has nothing beyond {highest}")
                schema[keyword] = highest

    # References

    def _write_reference(self, schema: dict[str, Any], path: Place) -> dict[str, Any] | None:
        """Write a `$ref` as it is, or its target instead of it.

        `$defs` gets only definitions that are referred to.
        """
        place = self.references.place(schema["$ref"])
        if place is None:
            self.problem(
                path, f"the reference {schema['$ref']!r} leads nowhere within the schema; put its target into $defs"
            )
            return {"type": "null"}
        beside = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
        if place in self._recursive:
            return self._write_recurring(schema, place, path)
        if beside and self.profile.references == "bare":
            beside = self._without_unknown(beside, path)
        if beside and place not in self._open:
            return self._write_target(place, beside, path)
        name = self.references.name(place)
        if name not in self._defs:
            self._defs[name] = {}  # reserved before it is written: it may refer to itself
            self._defs[name] = self.write(self.references.at(place), place or ("$defs", name)) or {}
        return {"$ref": f"#/$defs/{name}"}

    def _without_unknown(self, beside: dict[str, Any], path: Place) -> dict[str, Any]:
        """Drop unknown keywords beside a reference: it can stay if none is left."""
        node = Node(dict(beside), path)
        self._drop_unknown(node)
        return node.schema

    def _write_recurring(self, schema: dict[str, Any], place: Place, path: Place) -> dict[str, Any] | None:
        name = self.references.name(place)
        if not self._cuts:
            where = " where a value is required" if self.profile.recursion == "optional" else ""
            self.problem(
                path,
                f"{name} refers to itself, which {self.profile.taker} does not take{where}; "
                'cut it off with recursion="cut", or describe the tool in another format or without strict',
            )
            return {"type": "null"}
        if place not in self._open:
            beside = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
            return self._write_target(place, beside, path)
        self.record(path, "$ref", schema["$ref"], f"{name} refers to itself, and is cut off here")
        if self.profile.closed:
            return None
        kind = self.references.at(place).get("type")
        return {"type": kind} if isinstance(kind, str) else {}

    def _write_target(self, place: Place, beside: dict[str, Any], path: Place) -> dict[str, Any] | None:
        """Write the target of a reference instead of it, merged with the keywords beside it."""
        target = self.references.at(place)
        self._open.append(place)
        try:
            together = merge(upgrade_keywords(beside), [target]) if beside and isinstance(target, dict) else target
            if together is None:
                self.problem(
                    path,
                    f"it cannot be joined with {self.references.name(place)}; write both as one schema",
                )
            return self.write(together, path)
        finally:
            self._open.pop()

    def _merge_all_of(self, schema: dict[str, Any], path: Place) -> dict[str, Any]:
        """Merge `allOf` into one schema; if that is not possible, it is a problem or recorded as left out."""
        first, *others = composed_schemas(schema, self.references, [])
        result = merge(first, others)
        if result is not None:
            return upgrade_keywords(result)
        if self.profile.closed:
            self.problem(
                path, f"the schemas of allOf cannot be joined for {self.profile.taker}; write them as one schema"
            )
        self.record(path, "allOf", schema.pop("allOf"), f"{self.profile.taker} has no such keyword")
        return schema


JOINING: Final = ("$ref", "allOf")
"""The keywords that apply other schemas, too."""


def composed_schemas(schema: Any, references: References, seen: list[Any]) -> Iterator[Any]:
    """Yield a schema without `$ref` and `allOf`, and then the schemas that these apply.

    A reference that leads nowhere yields False, the schema that accepts nothing.
    """
    if not isinstance(schema, dict):
        yield schema
    if not isinstance(schema, dict) or any(schema is each for each in seen):
        return
    own = upgrade_keywords(schema) if seen else schema  # without the keywords that identify the others
    seen.append(schema)
    yield {keyword: value for keyword, value in own.items() if keyword not in JOINING}
    if "$ref" in schema:
        place = references.place(schema["$ref"])
        yield from (False,) if place is None else composed_schemas(references.at(place), references, seen)
    for each in schema.get("allOf", ()):
        yield from composed_schemas(each, references, seen)


# --- Types, enums and unions ---


def _infer_type(rewriter: Rewriter, node: Node) -> bool:
    """Add the type that an enum, an object or an array implies, if the provider requires a type."""
    schema = node.schema
    if not rewriter.profile.closed or {"type", "anyOf", "oneOf"} & set(schema):
        return True
    values = [schema["const"]] if "const" in schema else schema.get("enum", ())
    kinds = list(dict.fromkeys(_type_of(value) for value in values))
    if not kinds and ("properties" in schema or isinstance(schema.get("additionalProperties"), dict)):
        kinds = ["object"]
    elif not kinds and ("items" in schema or "prefixItems" in schema):
        kinds = ["array"]
    if kinds:
        schema["type"] = kinds[0] if len(kinds) == 1 else kinds
    return True


def _write_choices(rewriter: Rewriter, node: Node) -> bool:
    """Write a constant as an enum of one value, and unsupported enum values as their types."""
    schema, profile = node.schema, rewriter.profile
    if "const" in schema and "const" not in rewriter.keywords:
        _replace_keyword(schema, "const", "enum", [schema["const"]])
    kinds = {_kind_of(value) for value in schema.get("enum", ())}
    if kinds & {"array", "object"}:
        if profile.closed:
            rewriter.problem(
                node.path, f"{profile.taker} has no choices of objects and arrays; give their type instead"
            )
        rewriter.drop(node, "enum", f"{profile.taker} has no choices of objects and arrays")
    elif not kinds <= profile.choices:
        _write_choices_as_types(rewriter, node)
    return True


def _write_choices_as_types(rewriter: Rewriter, node: Node) -> None:
    """Write the enum values that the provider does not accept as their types.

    That is exact for `null`, and for `true` with `false`.
    """
    schema, allowed = node.schema, rewriter.profile.choices
    values = schema["enum"]
    others = [value for value in values if _kind_of(value) not in allowed]
    if {value for value in others if isinstance(value, bool)} in ({True}, {False}) or "anyOf" in schema:
        node.lost["enum"] = values
        rewriter.record(node.path, "enum", values, f"{rewriter.profile.taker} has only choices of strings and numbers")
    alternatives: list[dict[str, Any]] = [{"type": kind} for kind in dict.fromkeys(map(_type_of, others))]
    if choices := [value for value in values if _kind_of(value) in allowed]:
        kinds = list(dict.fromkeys(map(_type_of, choices)))
        alternatives.insert(0, {"type": kinds[0] if len(kinds) == 1 else kinds, "enum": choices})
    del schema["enum"]
    if "anyOf" not in schema:
        schema.pop("type", None)
        schema |= alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}


def _write_branches(rewriter: Rewriter, node: Node) -> bool:
    """Rewrite the alternatives of a union; False if no alternative has a value."""
    schema = node.schema
    if "oneOf" in schema and "oneOf" not in rewriter.keywords and "anyOf" not in schema:
        rewriter.record(
            node.path, "oneOf", schema["oneOf"], f"{rewriter.profile.taker} has no such keyword: it is written as anyOf"
        )
        _replace_keyword(schema, "oneOf", "anyOf", schema["oneOf"])
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema and keyword in rewriter.keywords and not _write_union(rewriter, node, keyword):
            return False
    return True


def _write_union(rewriter: Rewriter, node: Node, keyword: str) -> bool:
    schema = node.schema
    written = [rewriter.write(each, (*node.path, keyword, place)) for place, each in enumerate(schema[keyword])]
    branches = without_duplicates(each for each in written if each is not None)
    schema[keyword] = branches
    if len(branches) == 1 and "$ref" not in branches[0] and set(branches[0]) & set(schema) <= {"description", "title"}:
        del schema[keyword]
        node.schema = {**branches[0], **schema}
    return bool(branches)


def _type_of(value: object) -> str:
    return _TYPES.get(type(value), "null")


def _kind_of(value: object) -> str:
    """Return the type of a JSON value, which is `number` for integers too."""
    return "number" if type(value) is int else _type_of(value)


def _replace_keyword(schema: dict[str, Any], old: str, new: str, value: Any) -> None:
    """Replace a keyword by another, in the same position."""
    items = [(new, value) if keyword == old else (keyword, held) for keyword, held in schema.items()]
    schema.clear()
    schema.update(items)


_TYPES: Final = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


# --- Bounds ---


def _write_bounds(rewriter: Rewriter, node: Node) -> bool:
    """Write exclusive bounds as inclusive ones.

    That is exact for integers; for other numbers it is recorded as dropped.
    """
    schema = node.schema
    for exclusive, inclusive in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if exclusive not in schema or exclusive in rewriter.keywords or inclusive not in rewriter.keywords:
            continue
        limit = schema[exclusive]
        if schema.get("type") == "integer":
            limit = floor(limit) + 1 if inclusive == "minimum" else ceil(limit) - 1
            del schema[exclusive]
        else:
            rewriter.drop(node, exclusive)
        narrower = max if inclusive == "minimum" else min
        schema[inclusive] = narrower(schema.get(inclusive, limit), limit)
    return True


# --- Objects ---


def _write_object(rewriter: Rewriter, node: Node) -> bool:
    """Rewrite the properties of an object; False if it requires one that can have no value."""
    has_others = isinstance(node.schema.get("additionalProperties"), dict)
    if not (node.is_a("object") or "properties" in node.schema or has_others):
        return True
    schema, profile = node.schema, rewriter.profile
    if profile.closed:
        _close_object(rewriter, node)
    properties: dict[str, Any] = schema.get("properties", {})
    required = schema.get("required", ())
    written: dict[str, Any] = {}
    for name, inner in properties.items():
        each = rewriter.write(inner, (*node.path, "properties", name))
        if each is None:
            if name in required:
                return False
            continue
        wants_null = profile.complete and name not in required and not accepts_null(inner, rewriter.references)
        written[name] = make_nullable(each) if wants_null else each
    if "properties" in schema or profile.closed:
        schema["properties"] = written
    _write_required(rewriter, node, written)
    _write_additional_properties(rewriter, node)
    return True


def _close_object(rewriter: Rewriter, node: Node) -> None:
    """Forbid all names but the listed ones; a problem if the schema allows others explicitly."""
    schema, taker = node.schema, rewriter.profile.taker
    others = schema.get("additionalProperties", True)
    free = (
        isinstance(others, dict) or ("additionalProperties" in schema and others is True) or "properties" not in schema
    )
    if others is not False and schema.get("unevaluatedProperties") is False:
        free = bool(schema.get("patternProperties"))
        del schema["unevaluatedProperties"]
    elif schema.get("patternProperties") or (others is not False and free):
        rewriter.problem(
            node.path,
            f"any name is allowed here, as with dict[str, …] or **kwargs, and {taker} needs each listed; "
            "list them in a dataclass or TypedDict, take a list of names with values, or describe the tool without strict",
        )
    elif others is not False:
        rewriter.record(node.path, "additionalProperties", True, f"{taker} takes only names that are listed")
    schema.pop("patternProperties", None)
    schema["additionalProperties"] = False


def _write_required(rewriter: Rewriter, node: Node, written: dict[str, Any]) -> None:
    schema = node.schema
    required = schema.get("required", ())
    if rewriter.profile.complete:
        schema["required"] = list(written)
    elif required:
        schema["required"] = [name for name in required if name in written]
    if unlisted := [name for name in required if name not in written]:
        if rewriter.profile.closed:
            rewriter.problem(
                node.path, f"{', '.join(map(repr, unlisted))} is required, and not among its properties; add it"
            )
        else:
            rewriter.record(
                node.path, "required", unlisted, f"{rewriter.profile.taker} takes only names that are listed"
            )


def _write_additional_properties(rewriter: Rewriter, node: Node) -> None:
    """Rewrite the schema of names that are not listed, if the provider accepts such."""
    others = node.schema.get("additionalProperties")
    if isinstance(others, dict) and "additionalProperties" in rewriter.keywords:
        written = rewriter.write(others, (*node.path, "additionalProperties"))
        node.schema["additionalProperties"] = False if written is None else written


# --- Arrays ---


def _write_array(rewriter: Rewriter, node: Node) -> bool:
    """Rewrite the items of an array; False if it requires one that can have no value."""
    schema = node.schema
    if not node.is_a("array") and "items" not in schema and "prefixItems" not in schema:
        return True
    if schema.get("prefixItems"):
        return _write_tuple(rewriter, node)
    schema.pop("prefixItems", None)
    if "items" in schema or rewriter.profile.closed:
        items = schema.get("items", True)
        written = None if schema.get("maxItems") == 0 else rewriter.write(items, (*node.path, "items"))
        if written is None:
            return _write_empty_array(rewriter, node)
        schema["items"] = written
    return True


def _write_empty_array(rewriter: Rewriter, node: Node) -> bool:
    """Write an array that is always empty; False if it must not be empty."""
    if node.schema.get("minItems", 0) > 0:
        return False
    node.schema["maxItems"] = 0
    if rewriter.profile.closed:
        node.schema["items"] = {"type": "null"}  # an array needs a schema for its items
    else:
        del node.schema["items"]
    return True


def _write_tuple(rewriter: Rewriter, node: Node) -> bool:
    schema, path = node.schema, node.path
    first: list[Any] = schema["prefixItems"]
    written = [rewriter.write(each, (*path, "prefixItems", place)) for place, each in enumerate(first)]
    items = [each for each in written if each is not None]
    if len(items) < len(first):
        return False
    rest = _write_rest(rewriter, node, len(first))
    if "prefixItems" in rewriter.keywords:
        schema["prefixItems"] = items
        if rest is not None:
            schema["items"] = rest
        return True
    sorts = without_duplicates([*items, *([] if rest is None else [rest])])
    if len(sorts) > 1:
        rewriter.drop(
            node, "prefixItems", f"{rewriter.profile.taker} has no such keyword: each item may be of any of its types"
        )
    schema.pop("prefixItems", None)
    schema["items"] = sorts[0] if len(sorts) == 1 else {"anyOf": sorts}
    return True


def _write_rest(rewriter: Rewriter, node: Node, length: int) -> dict[str, Any] | None:
    """Rewrite the schema of the items after the first ones of a tuple; None if there may be none.

    Then the tuple gets a greatest length.
    """
    schema, path = node.schema, node.path
    rest = schema.pop("items", True)
    ends = rest is False or schema.get("maxItems", length + 1) <= length
    if rest is True or rest == {}:
        if not rewriter.profile.closed:
            return None
        if not ends:
            rewriter.record(path, "items", True, f"{rewriter.profile.taker} needs a type for every item")
        ends = True
    written = None if ends else rewriter.write(rest, (*path, "items"))
    if written is None:
        schema["maxItems"] = min(schema.get("maxItems", length), length)
    return written


_STEPS: Final = (_infer_type, _write_choices, _write_bounds, _write_branches, _write_object, _write_array)
"""The steps for one schema, in order; each returns False if no value is valid."""
