"""How are the types, choices and alternatives of a schema said to a provider that knows fewer ways to say them?

MERGED: How is an object said to a provider that wants every name listed, or every listed name given?
MERGED: How is an array said to a provider that knows only arrays of one sort of items?
MERGED: How is an exclusive bound said to a provider that knows inclusive ones alone?
MERGED: How is one schema after the other rewritten by a profile, references included?
"""

from __future__ import annotations

import re
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.messages import json_path
from fcregistry._schema.document import Place, References
from fcregistry._schema.drafts import upgrade_keywords
from fcregistry.formats._node import Dropped, Node, accepts_null, distinct, merged, nullable, told_besides

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry.formats._profile import Profile

# --- formats._choices ---

_TYPES: Final = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def infer_type(rewriter: Rewriter, node: Node) -> bool:
    """Give a choice, an object or an array that does not name its type the one that is meant, where one is wanted."""
    schema = node.schema
    if not rewriter.profile.closed or {"type", "anyOf", "oneOf"} & set(schema):
        return True
    values = [schema["const"]] if "const" in schema else schema.get("enum", ())
    kinds = list(dict.fromkeys(_type_of(value) for value in values))
    if not kinds and "properties" in schema:
        kinds = ["object"]
    elif not kinds and ("items" in schema or "prefixItems" in schema):
        kinds = ["array"]
    if kinds:
        schema["type"] = kinds[0] if len(kinds) == 1 else kinds
    return True


def write_choices(rewriter: Rewriter, node: Node) -> bool:
    """Say a constant as a choice of one, and choices that the provider has none of by their types."""
    schema, profile = node.schema, rewriter.profile
    if "const" in schema and "const" not in rewriter.keywords:
        _rename(schema, "const", "enum", [schema["const"]])
    kinds = {kind_of(value) for value in schema.get("enum", ())}
    if kinds & {"array", "object"}:
        if profile.closed:
            rewriter.problem(
                node.path, f"{profile.taker} has no choices of objects and arrays; give their type instead"
            )
        rewriter.drop(node, "enum", f"{profile.taker} has no choices of objects and arrays")
    elif not kinds <= profile.choices:
        _write_types(rewriter, node)
    return True


def _write_types(rewriter: Rewriter, node: Node) -> None:
    """Say those choices by their types that can be said in no other way: `null`, and both of `true` and `false`."""
    schema, allowed = node.schema, rewriter.profile.choices
    values = schema["enum"]
    others = [value for value in values if kind_of(value) not in allowed]
    if {value for value in others if isinstance(value, bool)} in ({True}, {False}) or "anyOf" in schema:
        node.lost["enum"] = values
        rewriter.record(node.path, "enum", values, f"{rewriter.profile.taker} has only choices of strings and numbers")
    alternatives: list[dict[str, Any]] = [{"type": kind} for kind in dict.fromkeys(map(_type_of, others))]
    if choices := [value for value in values if kind_of(value) in allowed]:
        kinds = list(dict.fromkeys(map(_type_of, choices)))
        alternatives.insert(0, {"type": kinds[0] if len(kinds) == 1 else kinds, "enum": choices})
    del schema["enum"]
    if "anyOf" not in schema:
        schema.pop("type", None)
        schema |= alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}


def write_branches(rewriter: Rewriter, node: Node) -> bool:
    """Rewrite the alternatives of a union; False where none of them has a value."""
    schema = node.schema
    if "oneOf" in schema and "oneOf" not in rewriter.keywords and "anyOf" not in schema:
        rewriter.record(
            node.path, "oneOf", schema["oneOf"], f"{rewriter.profile.taker} has no such keyword: it is said as anyOf"
        )
        _rename(schema, "oneOf", "anyOf", schema["oneOf"])
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema and keyword in rewriter.keywords and not _write_union(rewriter, node, keyword):
            return False
    return True


def _write_union(rewriter: Rewriter, node: Node, keyword: str) -> bool:
    schema = node.schema
    written = [rewriter.write(each, (*node.path, keyword, place)) for place, each in enumerate(schema[keyword])]
    branches = distinct(each for each in written if each is not None)
    schema[keyword] = branches
    if len(branches) == 1 and "$ref" not in branches[0] and set(branches[0]) & set(schema) <= {"description", "title"}:
        del schema[keyword]
        node.schema = {**branches[0], **schema}
    return bool(branches)


def _type_of(value: object) -> str:
    return _TYPES.get(type(value), "null")


def kind_of(value: object) -> str:
    """Return the kind of a JSON value: its type, which is `number` for integers too."""
    return "number" if type(value) is int else _type_of(value)


def _rename(schema: dict[str, Any], old: str, new: str, value: Any) -> None:
    """Put another keyword into the place of one."""
    items = [(new, value) if keyword == old else (keyword, held) for keyword, held in schema.items()]
    schema.clear()
    schema.update(items)


# --- formats._objects ---


def write_object(rewriter: Rewriter, node: Node) -> bool:
    """Rewrite the properties of an object; False where it needs one that no value can stand for."""
    if not node.is_a("object") and "properties" not in node.schema:
        return True
    schema, profile = node.schema, rewriter.profile
    if profile.closed:
        _close(rewriter, node)
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
        written[name] = nullable(each) if wants_null else each
    if "properties" in schema or profile.closed:
        schema["properties"] = written
    _require(rewriter, node, written)
    _write_others(rewriter, node)
    return True


def _close(rewriter: Rewriter, node: Node) -> None:
    """Forbid all names but those that are listed; a problem where others are asked for."""
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
            f"any name may stand here, as with dict[str, …] or **kwargs, and {taker} wants each listed; "
            "list them in a dataclass or TypedDict, take a list of names with values, or do without strict",
        )
    elif others is not False:
        rewriter.record(node.path, "additionalProperties", True, f"{taker} takes only names that are listed")
    schema.pop("patternProperties", None)
    schema["additionalProperties"] = False


def _require(rewriter: Rewriter, node: Node, written: dict[str, Any]) -> None:
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


def _write_others(rewriter: Rewriter, node: Node) -> None:
    """Rewrite the schema of names that are not listed, where the provider knows such."""
    others = node.schema.get("additionalProperties")
    if isinstance(others, dict) and "additionalProperties" in rewriter.keywords:
        written = rewriter.write(others, (*node.path, "additionalProperties"))
        node.schema["additionalProperties"] = False if written is None else written


# --- formats._arrays ---


def write_array(rewriter: Rewriter, node: Node) -> bool:
    """Rewrite the items of an array; False where it needs one that no value can stand for."""
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
            return _leave_empty(rewriter, node)
        schema["items"] = written
    return True


def _leave_empty(rewriter: Rewriter, node: Node) -> bool:
    """Say an array that can hold nothing; False where it must hold something."""
    if node.schema.get("minItems", 0) > 0:
        return False
    node.schema["maxItems"] = 0
    if rewriter.profile.closed:
        node.schema["items"] = {"type": "null"}  # an array must say something of its items
    else:
        del node.schema["items"]
    return True


def _write_tuple(rewriter: Rewriter, node: Node) -> bool:
    schema, path = node.schema, node.path
    first: list[Any] = schema["prefixItems"]
    written = [rewriter.write(each, (*path, "prefixItems", place)) for place, each in enumerate(first)]
    sayable = [each for each in written if each is not None]
    if len(sayable) < len(first):
        return False
    rest = _write_rest(rewriter, node, len(first))
    if "prefixItems" in rewriter.keywords:
        schema["prefixItems"] = sayable
        if rest is not None:
            schema["items"] = rest
        return True
    sorts = distinct([*sayable, *([] if rest is None else [rest])])
    if len(sorts) > 1:
        rewriter.drop(
            node, "prefixItems", f"{rewriter.profile.taker} has no such keyword: each item may be of any of its types"
        )
    schema.pop("prefixItems", None)
    schema["items"] = sorts[0] if len(sorts) == 1 else {"anyOf": sorts}
    return True


def _write_rest(rewriter: Rewriter, node: Node, length: int) -> dict[str, Any] | None:
    """Rewrite what may follow the first items of a tuple; None if nothing may, and then its length is bounded."""
    schema, path = node.schema, node.path
    rest = schema.pop("items", True)
    ends = rest is False or schema.get("maxItems", length + 1) <= length
    if rest is True or rest == {}:
        if not rewriter.profile.closed:
            return None
        if not ends:
            rewriter.record(path, "items", True, f"{rewriter.profile.taker} wants a type for every item")
        ends = True
    written = None if ends else rewriter.write(rest, (*path, "items"))
    if written is None:
        schema["maxItems"] = min(schema.get("maxItems", length), length)
    return written


# --- formats._numbers ---


def write_bounds(rewriter: Rewriter, node: Node) -> bool:
    """Say exclusive bounds as inclusive ones: exactly for integers, and recorded as a little less for other numbers."""
    _write(rewriter, node, "exclusiveMinimum", "minimum", lambda limit: floor(limit) + 1, max)
    _write(rewriter, node, "exclusiveMaximum", "maximum", lambda limit: ceil(limit) - 1, min)
    return True


def _write(
    rewriter: Rewriter,
    node: Node,
    exclusive: str,
    inclusive: str,
    next_integer: Callable[[float], int],
    narrower: Callable[[float, float], float],
) -> None:
    schema = node.schema
    if exclusive not in schema or exclusive in rewriter.keywords or inclusive not in rewriter.keywords:
        return
    limit = schema[exclusive]
    if schema.get("type") == "integer":
        limit = next_integer(limit)
        del schema[exclusive]
    else:
        rewriter.drop(node, exclusive)
    schema[inclusive] = narrower(schema.get(inclusive, limit), limit)


# --- formats._rewriter ---

_MOST_SCHEMAS: Final = 100_000
"""How many schemas one rewritten schema may have: where references are replaced by what they name, they may multiply."""

_STEPS: Final = (infer_type, write_choices, write_bounds, write_branches, write_object, write_array)
"""What is done to a schema, in this order; each returns False where no value can stand."""


class Unsayable(Exception):
    """A schema that cannot be said to a provider.

    Attributes:
        problems: Everything that cannot be said, with its path and what to do.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class Rewriter:
    """Rewrites the schema of a tool's parameters.

    Args:
        root: The schema.
        profile: What the provider takes; not all of JSON Schema.
        cuts: Whether a reference that leads back to itself is cut off, where the provider does not take it, rather than refused.

    Attributes:
        keywords: The keywords that the provider knows.
        references: The references of the schema.
        dropped: What is left unsaid so far.
        problems: What cannot be said so far.
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
        self._inside: list[Place] = []
        self._count = 0
        self._refused: frozenset[Place] = frozenset()
        if profile.recursion != "free":
            self._refused = self.references.recursive_places(required_only=profile.recursion == "optional")

    def whole(self) -> dict[str, Any]:
        """Rewrite the schema of the parameters, with the definitions that it needs."""
        written = self.write({"type": "object", "properties": {}, **self._root}, ())
        if written is None:
            self.problem((), "no call of it is possible once it is cut off; describe it without strict")
            return {}
        return {**written, "$defs": dict(sorted(self._defs.items()))} if self._defs else written

    def write(self, schema: Any, path: Place) -> dict[str, Any] | None:
        """Rewrite a schema; None where no value can stand."""
        self._count += 1
        if self._count > _MOST_SCHEMAS:
            raise Unsayable(f"$: is too large: with its references followed it has more than {_MOST_SCHEMAS:,} schemas")
        if schema is False:
            return None
        given = upgrade_keywords(schema) if isinstance(schema, dict) else {}
        if "$ref" not in given and "allOf" in given and "allOf" not in self.keywords:
            given = self._in_one(given, path)
        if "$ref" in given:
            return self._write_reference(given, path)
        node = Node(given, path)
        if not all(step(self, node) for step in _STEPS):
            return None
        self._take_out_unknown(node)
        if self.profile.closed and not {"type", "anyOf", "enum"} & set(node.schema):
            self.problem(
                path,
                f"any JSON value may stand here, and {self.profile.taker} wants a type; give it one, or do without strict",
            )
        description = told_besides(node.schema.get("description"), node.lost)
        return {**node.schema, "description": description} if description else node.schema

    def drop(self, node: Node, keyword: str, reason: str | None = None) -> None:
        """Take a keyword out of a schema, and record it."""
        value = node.schema.pop(keyword)
        if keyword == "default" and value is None:  # nothing is lost: the model may say null, or leave it out
            return
        node.lost[keyword] = value
        self.record(node.path, keyword, value, reason or f"{self.profile.taker} has no such keyword")

    def record(self, path: Place, keyword: str, value: object, reason: str) -> None:
        """Record something that is left unsaid."""
        self.dropped.append(Dropped(path=json_path(path), keyword=keyword, value=value, reason=reason))

    def problem(self, path: Place, message: str) -> None:
        """Record something that cannot be said."""
        self.problems.append(f"{json_path(path)}: {message}")

    def _take_out_unknown(self, node: Node) -> None:
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
        """Write a `$ref` as it is, or in its place what it names; either way only what is referred to gets into `$defs`."""
        place = self.references.place(schema["$ref"])
        if place is None:
            self.problem(
                path, f"the reference {schema['$ref']!r} leads nowhere within the schema; put what it names into $defs"
            )
            return {"type": "null"}
        beside = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
        if place in self._refused:
            return self._write_recurring(schema, place, path)
        if beside and self.profile.references == "bare":
            beside = self._only_known(beside, path)
        if beside and place not in self._inside:
            return self._write_instead(place, beside, path)
        name = self.references.name(place)
        if name not in self._defs:
            self._defs[name] = {}  # taken before it is written: it may refer to itself
            self._defs[name] = self.write(self.references.at(place), place or ("$defs", name)) or {}
        return {"$ref": f"#/$defs/{name}"}

    def _only_known(self, beside: dict[str, Any], path: Place) -> dict[str, Any]:
        """Take out what stands beside a reference in vain, so that the reference may stay if nothing else does."""
        node = Node(dict(beside), path)
        self._take_out_unknown(node)
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
        if place not in self._inside:
            beside = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
            return self._write_instead(place, beside, path)
        self.record(path, "$ref", schema["$ref"], f"{name} refers to itself, and is cut off here")
        if self.profile.closed:
            return None
        kind = self.references.at(place).get("type")
        return {"type": kind} if isinstance(kind, str) else {}

    def _write_instead(self, place: Place, beside: dict[str, Any], path: Place) -> dict[str, Any] | None:
        """Write what a reference names in its place, with what stands beside it."""
        target = self.references.at(place)
        self._inside.append(place)
        try:
            together = merged(upgrade_keywords(beside), [target]) if beside and isinstance(target, dict) else target
            if together is None:
                self.problem(
                    path,
                    f"it cannot be said in one with what {self.references.name(place)} says; write it as one schema",
                )
            return self.write(together, path)
        finally:
            self._inside.pop()

    def _in_one(self, schema: dict[str, Any], path: Place) -> dict[str, Any]:
        """Say `allOf` without it; a problem, or left unsaid, where no single schema says the same."""
        others = schema.pop("allOf")
        result = None if "$ref" in schema else merged(schema, [self._followed(each) for each in others])
        if result is not None:
            return upgrade_keywords(result)
        if self.profile.closed:
            self.problem(
                path, f"what allOf says together cannot be said to {self.profile.taker}; write it as one schema"
            )
        self.record(path, "allOf", others, f"{self.profile.taker} has no such keyword")
        return schema

    def _followed(self, schema: Any) -> Any:
        """Return a schema with its own reference followed; False, which merges with nothing, where it leads in a circle."""
        for _ in range(len(self._root) + 100):
            if not isinstance(schema, dict) or "$ref" not in schema:
                break
            place = self.references.place(schema["$ref"])
            if place is None:
                return False
            target = self.references.at(place)
            beside = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
            schema = {**target, **beside} if isinstance(target, dict) else target
        else:
            return False
        if isinstance(schema, dict) and "allOf" in schema:
            rest = {keyword: value for keyword, value in schema.items() if keyword != "allOf"}
            return merged(rest, [self._followed(each) for each in schema["allOf"]]) or False
        return schema
