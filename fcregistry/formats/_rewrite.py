"""The transformation of a schema to one that a provider accepts, and the keywords that it leaves out.

There is one transformation for all providers: their profiles contain the differences. A keyword that a profile lacks is removed, added to the
description as far as words can express it, and recorded. A schema that cannot be expressed at all is a problem, and all problems of a schema are
raised together.

The top of the schema is made plain first. `Rewriter` then rewrites one subschema after the other, references included, in the steps of `_STEPS`.
"""

from __future__ import annotations

import re
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.wording import json_path
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
from fcregistry.formats._profile import excesses

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fcregistry.formats._profile import OnRecursion, Profile


class UnsupportedSchemaError(Exception):
    """Raised for a schema that cannot be expressed in the keywords that a provider accepts.

    Attributes:
        problems: Everything that cannot be expressed, with its path and the fix.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def transform(
    schema: dict[str, Any], profile: Profile, recursion: OnRecursion
) -> tuple[dict[str, Any], tuple[Dropped, ...]]:
    """Return `schema` as a provider accepts it, and the keywords that this leaves out.

    Args:
        schema: The JSON Schema of the parameters, of any draft.
        profile: The schemas that the provider accepts.
        recursion: Whether to refuse a schema that refers to itself, or to cut it off, if the provider does not accept that.

    Raises:
        UnsupportedSchemaError: No schema that the provider accepts expresses it.
    """
    written, dropped = with_plain_top(schema, profile)
    problems = _name_problems(written, profile)
    if profile.keywords is not None:
        rewriter = Rewriter(written, profile, cuts=recursion == "cut")
        written = rewriter.rewrite()
        dropped += tuple(rewriter.dropped)
        problems += rewriter.problems
        problems = problems or excesses(written, profile)
    if problems:
        raise UnsupportedSchemaError(*dict.fromkeys(problems))
    return written, dropped


def _name_problems(schema: dict[str, Any], profile: Profile) -> list[str]:
    """Return a message for each name of a parameter in `schema` that `profile` refuses; may be empty."""
    if profile.names is None:
        return []
    wrong = [name for name in schema.get("properties", ()) if not re.fullmatch(profile.names, name)]
    return [
        f"{json_path(('properties', name))}: {profile.provider} takes names of {profile.names_rule}; rename it"
        for name in wrong
    ]


# --- The top of the schema ---

JOINING: Final = ("$ref", "allOf")
"""The keywords that apply other schemas, too."""


def with_plain_top(schema: dict[str, Any], profile: Profile) -> tuple[dict[str, Any], tuple[Dropped, ...]]:
    """Return `schema` with a top that a provider accepts, and the keywords that this leaves out.

    Schemas made from signatures have a plain top; external ones may combine several. Joined schemas become one; alternatives become one object
    with the properties of all, which requires what all require.

    Args:
        schema: The schema of the parameters.
        profile: The schemas that the provider accepts.
    """
    refused = profile.top_without
    if not refused & schema.keys():
        return schema, ()
    references = References(schema)
    plain, is_all = _merge_composition(schema, references)
    lost: dict[str, Any] = {} if is_all else {keyword: schema[keyword] for keyword in JOINING if keyword in schema}
    for keyword in [each for each in plain if each in refused]:
        lost[keyword] = plain.pop(keyword)
        if keyword in ("anyOf", "oneOf"):
            branches = [each for each in lost[keyword] if isinstance(each, dict)]
            _add_branches(plain, [_merge_composition(each, references)[0] for each in branches])
    if description := add_keywords_text(plain.get("description"), lost):
        plain["description"] = description
    reason = f"{profile.provider} takes a plain object at the top"
    return plain, tuple(
        Dropped(path="$", keyword=keyword, value=value, reason=reason) for keyword, value in lost.items()
    )


def _merge_composition(schema: dict[str, Any], references: References) -> tuple[dict[str, Any], bool]:
    """Return `schema` merged with what its `$ref` and `allOf` apply, and whether that is exact.

    The result is an object with `properties`. If it is not exact, it accepts all values that these schemas accept together, and possibly more.
    """
    first, *others = composed_schemas(schema, references, [])
    whole = {"type": "object", "properties": {}, **first}
    together = merge(whole, others)
    if together is not None:
        return together, True
    properties, required = dict(whole["properties"]), dict.fromkeys(whole.get("required", ()))
    for other in (each for each in others if isinstance(each, dict)):
        properties = other.get("properties", {}) | properties
        required |= dict.fromkeys(other.get("required", ()))
    whole.pop("additionalProperties", None)
    return {**whole, "properties": properties, "required": list(required)}, False


def composed_schemas(schema: Any, references: References, seen: list[Any]) -> Iterator[Any]:
    """Yield `schema` without `$ref` and `allOf`, and then the schemas that these apply.

    A reference that leads nowhere yields False, the schema that accepts nothing. Schemas in `seen` are skipped.
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


def _add_branches(schema: dict[str, Any], branches: list[dict[str, Any]]) -> None:
    """Add to `schema` the properties of all `branches`, which are alternatives, changing `schema` itself.

    A property that branches describe differently accepts what any of them accepts. What all branches require is required. If `schema` is closed,
    it gets no further properties; if all branches are closed, it becomes closed.
    """
    properties = dict(schema["properties"])
    if schema.get("additionalProperties", True) is not False:
        names = dict.fromkeys(name for branch in branches for name in branch["properties"] if name not in properties)
        for name in names:
            given = (branch["properties"][name] for branch in branches if name in branch["properties"])
            properties[name] = _any_of(without_duplicates(given))
    schema["properties"] = properties
    required = [set(branch.get("required", ())) for branch in branches]
    wanted = [*schema.get("required", ()), *sorted(set.intersection(*required) if required else ())]
    if wanted:
        schema["required"] = list(dict.fromkeys(wanted))
    if branches and all(branch.get("additionalProperties") is False for branch in branches):
        schema["additionalProperties"] = False


def _any_of(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the schema that accepts what any of `schemas` accepts: the only one itself, else an `anyOf`."""
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


# --- Every subschema ---

_MOST_SCHEMAS: Final = 100_000
"""The most schemas in one rewritten schema: where targets replace references, they may multiply."""


class Rewriter:
    """Rewrites the schema of a tool's parameters.

    Args:
        root: The schema.
        profile: The schemas that the provider accepts; not all of JSON Schema.
        cuts: Whether a recursive reference that the provider does not accept is cut off, rather than refused.

    Attributes:
        dropped: What has been left out so far.
        problems: What could not be expressed so far.
    """

    def __init__(self, root: dict[str, Any], profile: Profile, *, cuts: bool) -> None:
        self.dropped: list[Dropped] = []
        self.problems: list[str] = []
        self._profile = profile
        self._provider = profile.provider
        self._keywords = profile.keywords or frozenset()
        self._references = References(root)
        self._root = root
        self._cuts = cuts
        self._defs: dict[str, dict[str, Any]] = {}
        self._open: list[Place] = []
        self._count = 0
        self._recursive: frozenset[Place] = frozenset()
        if profile.recursion != "free":
            self._recursive = self._references.recursive_places(required_only=profile.recursion == "optional")

    def rewrite(self) -> dict[str, Any]:
        """Return the rewritten schema of the parameters, with the definitions that it needs."""
        written = self._write({"type": "object", "properties": {}, **self._root}, ())
        if written is None:
            self._add_problem((), "no call of it is possible once it is cut off; describe it without strict")
            return {}
        return {**written, "$defs": dict(sorted(self._defs.items()))} if self._defs else written

    def _write(self, schema: Any, path: Place) -> dict[str, Any] | None:
        """Return `schema`, the subschema at `path`, rewritten, or None if no value is valid.

        Problems and dropped keywords are recorded.

        Raises:
            UnsupportedSchemaError: There are too many schemas, with references followed.
        """
        self._count += 1
        if self._count > _MOST_SCHEMAS:
            raise UnsupportedSchemaError(
                f"$: is too large: with its references followed it has more than {_MOST_SCHEMAS:,} schemas"
            )
        if schema is False:
            return None
        given = upgrade_keywords(schema) if isinstance(schema, dict) else {}
        if "$ref" not in given and "allOf" in given and "allOf" not in self._keywords:
            given = self._merge_all_of(given, path)
        if "$ref" in given:
            return self._write_reference(given, path)
        node = Node(given, path)
        if not all(step(self, node) for step in _STEPS):
            return None
        self._drop_unknown(node)
        if self._profile.closed and not {"type", "anyOf", "enum"} & node.schema.keys():
            self._add_problem(
                path,
                f"any JSON value is allowed here, and {self._provider} needs a type; give it one, or describe the tool without strict",
            )
        description = add_keywords_text(node.schema.get("description"), node.lost)
        return {**node.schema, "description": description} if description else node.schema

    def _drop(self, node: Node, keyword: str, reason: str = "has no such keyword") -> None:
        """Remove `keyword` from the schema of `node`, keep it in `node.lost`, and record it as dropped.

        A default of None is only removed. `reason` is the rest of a sentence that begins with the provider.
        """
        value = node.schema.pop(keyword)
        if keyword == "default" and value is None:  # nothing is lost: the model may send null, or nothing
            return
        node.lost[keyword] = value
        self._record(node.path, keyword, value, f"{self._provider} {reason}")

    def _record(self, path: Place, keyword: str, value: object, reason: str) -> None:
        """Add to `dropped` that `keyword` with `value` at `path` was left out for `reason`."""
        self.dropped.append(Dropped(path=json_path(path), keyword=keyword, value=value, reason=reason))

    def _add_problem(self, path: Place, message: str) -> None:
        """Add to `problems` that the provider accepts no schema for the one at `path`; `message` says why."""
        self.problems.append(f"{json_path(path)}: {message}")

    def _drop_unknown(self, node: Node) -> None:
        """Drop the keywords, formats and patterns of `node` that the provider does not accept.

        A number that is too great is lowered to the greatest that the provider accepts.
        """
        schema, profile = node.schema, self._profile
        for keyword in [each for each in schema if each not in self._keywords]:
            self._drop(node, keyword)
        if profile.formats is not None and "format" in schema and schema["format"] not in profile.formats:
            self._drop(node, "format", "has no such format")
        if profile.pattern_without and re.search(profile.pattern_without, schema.get("pattern", "")):
            self._drop(node, "pattern", "has only simple patterns")
        for keyword, highest in profile.highest.items():
            if schema.get(keyword, highest) > highest:
                self._drop(node, keyword, f"has nothing beyond {highest}")
                schema[keyword] = highest

    # References

    def _write_reference(self, schema: dict[str, Any], path: Place) -> dict[str, Any] | None:
        """Return `schema` with its `$ref`, or with the target instead; None if no value is valid.

        The definition of a reference that stays is added to `_defs`. A reference that leads nowhere is recorded as a problem, and
        gives the schema of `null`.
        """
        place = self._references.place(schema["$ref"])
        if place is None:
            self._add_problem(
                path, f"the reference {schema['$ref']!r} leads nowhere within the schema; put its target into $defs"
            )
            return {"type": "null"}
        beside = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
        if place in self._recursive:
            return self._write_recurring(schema["$ref"], beside, place, path)
        if beside and self._profile.references == "bare":  # the reference can stay if no known keyword is left
            self._drop_unknown(Node(beside, path))
        if beside and place not in self._open:
            return self._write_target(place, beside, path)
        name = self._references.name(place)
        if name not in self._defs:
            self._defs[name] = {}  # reserved before it is written: it may refer to itself
            self._defs[name] = self._write(self._references.at(place), place or ("$defs", name)) or {}
        return {"$ref": f"#/$defs/{name}"}

    def _write_recurring(
        self, reference: object, beside: dict[str, Any], place: Place, path: Place
    ) -> dict[str, Any] | None:
        """Return the schema for a `reference` to `place`, which refers to itself and is not accepted so.

        It is the rewritten target, or, within the target, a schema of its type alone, or None if every schema needs a type. If nothing may be
        cut off, a problem is recorded, and the result is the schema of `null`.

        Args:
            reference: The value of the `$ref`.
            beside: The other keywords of its schema.
            place: The place of the target.
            path: The place of the reference.
        """
        name = self._references.name(place)
        if not self._cuts:
            where = " where a value is required" if self._profile.recursion == "optional" else ""
            self._add_problem(
                path,
                f"{name} refers to itself, which {self._provider} does not take{where}; "
                'cut it off with recursion="cut", or describe the tool in another format or without strict',
            )
            return {"type": "null"}
        if place not in self._open:
            return self._write_target(place, beside, path)
        self._record(path, "$ref", reference, f"{name} refers to itself, and is cut off here")
        if self._profile.closed:
            return None
        kind = self._references.at(place).get("type")
        return {"type": kind} if isinstance(kind, str) else {}

    def _write_target(self, place: Place, beside: dict[str, Any], path: Place) -> dict[str, Any] | None:
        """Return the rewritten schema at `place`, merged with the keywords `beside` its reference, at `path`.

        Return None if no value is valid. If both cannot be merged, a problem is recorded, and any value is accepted.
        """
        target = self._references.at(place)
        together = merge(upgrade_keywords(beside), [target]) if beside and isinstance(target, dict) else target
        if together is None:
            name = self._references.name(place)
            self._add_problem(path, f"it cannot be joined with {name}; write both as one schema")
        self._open.append(place)
        written = self._write(together, path)
        self._open.pop()
        return written

    def _merge_all_of(self, schema: dict[str, Any], path: Place) -> dict[str, Any]:
        """Return `schema` with its `allOf` merged; if that is not possible, `schema` itself without `allOf`.

        The `allOf` is then recorded as dropped, and also as a problem if every schema must have a type.
        """
        first, *others = composed_schemas(schema, self._references, [])
        result = merge(first, others)
        if result is not None:
            return upgrade_keywords(result)
        if self._profile.closed:
            self._add_problem(
                path, f"the schemas of allOf cannot be joined for {self._provider}; write them as one schema"
            )
        self._record(path, "allOf", schema.pop("allOf"), f"{self._provider} has no such keyword")
        return schema

    # Types, enums, bounds and unions

    def _infer_type(self, node: Node) -> bool:
        """Add the type that a constant, an enum, an object or an array implies; always return True.

        Do nothing if the provider does not require a type, the schema has one, or nothing implies it.
        """
        schema = node.schema
        if not self._profile.closed or {"type", "anyOf", "oneOf"} & schema.keys():
            return True
        kinds = _types_of([schema["const"]] if "const" in schema else schema.get("enum", ()))
        if not kinds and ("properties" in schema or isinstance(schema.get("additionalProperties"), dict)):
            kinds = ["object"]
        elif not kinds and ("items" in schema or "prefixItems" in schema):
            kinds = ["array"]
        if kinds:
            schema["type"] = kinds[0] if len(kinds) == 1 else kinds
        return True

    def _write_choices(self, node: Node) -> bool:
        """Write a constant as an enum, and unsupported enum values as their types; always return True.

        A constant stays if the provider has `const`. An enum with objects or arrays is dropped; it is a problem if every schema must have a type. An
        empty text that the provider refuses is left out from among other texts.
        """
        schema = node.schema
        if "const" in schema and "const" not in self._keywords:
            schema["enum"] = [schema.pop("const")]
        values = schema.get("enum", ())
        kinds = set(map(_kind_of, values))
        if "" in values and not self._accepts_choice("") and any(isinstance(value, str) and value for value in values):
            values = schema["enum"] = [value for value in values if value != ""]
            node.lost["also allowed"] = ""
            self._record(node.path, "enum", [""], f"{self._provider} has no choice of an empty text")
        if kinds & {"array", "object"}:
            if self._profile.closed:
                self._add_problem(
                    node.path, f"{self._provider} has no choices of objects and arrays; give their type instead"
                )
            self._drop(node, "enum", "has no choices of objects and arrays")
        elif not all(map(self._accepts_choice, values)):
            self._write_choices_as_types(node)
        return True

    def _accepts_choice(self, value: object) -> bool:
        """Return whether the provider accepts `value` among the values of an enum."""
        return _kind_of(value) in self._profile.choices and (value != "" or self._profile.empty_choices)

    def _write_choices_as_types(self, node: Node) -> None:
        """Write the enum values of `node` that the provider does not accept as their types.

        This is exact for `null`, and for `true` with `false`. For only one of `true` and `false`, for an empty text, and for an enum beside `anyOf`,
        the enum is recorded as dropped.
        """
        schema = node.schema
        values = schema.pop("enum")
        others = [value for value in values if not self._accepts_choice(value)]
        if (
            {value for value in others if isinstance(value, bool)} in ({True}, {False})
            or "" in others
            or "anyOf" in schema
        ):
            node.lost["enum"] = values
            has = (
                "choices of strings and numbers, and none of an empty text"
                if "" in others
                else "choices of strings and numbers"
            )
            self._record(node.path, "enum", values, f"{self._provider} has only {has}")
        alternatives: list[dict[str, Any]] = [{"type": kind} for kind in _types_of(others)]
        if choices := [value for value in values if self._accepts_choice(value)]:
            kinds = _types_of(choices)
            alternatives.insert(0, {"type": kinds[0] if len(kinds) == 1 else kinds, "enum": choices})
        if "anyOf" not in schema:
            schema.pop("type", None)
            schema |= _any_of(alternatives)

    def _write_bounds(self, node: Node) -> bool:
        """Write exclusive bounds as inclusive bounds, if the provider has only these; always return True.

        This is exact for integers; for other numbers, the exclusive bound is recorded as dropped.
        """
        schema = node.schema
        for exclusive, inclusive in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if exclusive not in schema or exclusive in self._keywords or inclusive not in self._keywords:
                continue
            limit = schema[exclusive]
            if schema.get("type") == "integer":
                limit = floor(limit) + 1 if inclusive == "minimum" else ceil(limit) - 1
                del schema[exclusive]
            else:
                self._drop(node, exclusive)
            narrower = max if inclusive == "minimum" else min
            schema[inclusive] = narrower(schema.get(inclusive, limit), limit)
        return True

    def _write_unions(self, node: Node) -> bool:
        """Rewrite the alternatives of a union; return False if no value is valid for any of them, else True.

        Alternatives without a valid value are removed, and equal ones become one. A single one replaces the union if it can. `oneOf` becomes
        `anyOf`, recorded as dropped, if the provider has no `oneOf`.
        """
        schema = node.schema
        if "oneOf" in schema and "oneOf" not in self._keywords and "anyOf" not in schema:
            schema["anyOf"] = schema.pop("oneOf")
            reason = f"{self._provider} has no such keyword: it is written as anyOf"
            self._record(node.path, "oneOf", schema["anyOf"], reason)
        for keyword in ("anyOf", "oneOf"):
            if keyword not in schema or keyword not in self._keywords:
                continue
            written = [self._write(each, (*node.path, keyword, at)) for at, each in enumerate(schema[keyword])]
            branches = schema[keyword] = without_duplicates(each for each in written if each is not None)
            if not branches:
                return False
            beside = branches[0].keys() & schema.keys()
            if len(branches) == 1 and "$ref" not in branches[0] and beside <= {"description", "title"}:
                del schema[keyword]
                schema = node.schema = {**branches[0], **schema}
        return True

    # Objects

    def _write_object(self, node: Node) -> bool:
        """Rewrite the properties of an object; return False if a required one cannot have a value, else True.

        Optional properties that cannot have a value are removed; the others also accept null if the profile requires all. A schema of
        another type is left as it is.
        """
        schema, profile = node.schema, self._profile
        has_others = isinstance(schema.get("additionalProperties"), dict)
        if not (node.is_a("object") or "properties" in schema or has_others):
            return True
        if profile.closed:
            self._close_object(node)
        required = schema.get("required", ())
        written: dict[str, Any] = {}
        for name, inner in schema.get("properties", {}).items():
            each = self._write(inner, (*node.path, "properties", name))
            if each is None:
                if name in required:
                    return False
                continue
            wants_null = profile.complete and name not in required and not accepts_null(inner, self._references)
            written[name] = make_nullable(each) if wants_null else each
        if "properties" in schema or profile.closed:
            schema["properties"] = written
        self._write_required(node, written)
        others = schema.get("additionalProperties")
        if isinstance(others, dict) and "additionalProperties" in self._keywords:
            of_others = self._write(others, (*node.path, "additionalProperties"))
            schema["additionalProperties"] = False if of_others is None else of_others
        return True

    def _close_object(self, node: Node) -> None:
        """Forbid all names in the object of `node` but the listed ones.

        If the schema allows others explicitly, or lists none, a problem is recorded; if it only does not forbid them, they are recorded as dropped.
        """
        schema = node.schema
        is_closed = schema.get("additionalProperties") is False
        if schema.get("unevaluatedProperties") is False:
            del schema["unevaluatedProperties"]
            is_closed = True
        is_open = not is_closed and ("additionalProperties" in schema or "properties" not in schema)
        if schema.pop("patternProperties", None) or is_open:
            self._add_problem(
                node.path,
                f"any name is allowed here, as with dict[str, …] or **kwargs, and {self._provider} needs each listed; "
                "list them in a dataclass or TypedDict, take a list of names with values, or describe the tool without strict",
            )
        elif not is_closed:
            self._record(node.path, "additionalProperties", True, f"{self._provider} takes only names that are listed")
        schema["additionalProperties"] = False

    def _write_required(self, node: Node, written: dict[str, Any]) -> None:
        """Rewrite the required names of `node`, whose rewritten properties are `written`.

        All properties are required if the profile says so. A required name without a property is a problem, or recorded as dropped.
        """
        required = node.schema.get("required", ())
        if self._profile.complete:
            node.schema["required"] = list(written)
        elif required:
            node.schema["required"] = [name for name in required if name in written]
        unlisted = [name for name in required if name not in written]
        if unlisted and self._profile.closed:
            names = ", ".join(map(repr, unlisted))
            self._add_problem(node.path, f"{names} is required, and not among its properties; add it")
        elif unlisted:
            self._record(node.path, "required", unlisted, f"{self._provider} takes only names that are listed")

    # Arrays

    def _write_array(self, node: Node) -> bool:
        """Rewrite the items of an array; return False if it requires an item without a valid value, else True.

        If no item can have a value, the array must be empty. A schema of another type is left as it is.
        """
        schema = node.schema
        if not node.is_a("array") and "items" not in schema and "prefixItems" not in schema:
            return True
        if schema.get("prefixItems"):
            return self._write_tuple(node)
        schema.pop("prefixItems", None)
        if "items" not in schema and not self._profile.closed:
            return True
        items = schema.pop("items", True)
        written = None if schema.get("maxItems") == 0 else self._write(items, (*node.path, "items"))
        if written is not None:
            schema["items"] = written
        elif schema.get("minItems", 0) > 0:
            return False
        else:  # the array is always empty
            schema["maxItems"] = 0
            if self._profile.closed:
                schema["items"] = {"type": "null"}  # an array needs a schema for its items
        return True

    def _write_tuple(self, node: Node) -> bool:
        """Rewrite the items of a tuple; return False if one of its first items cannot have a value, else True.

        If the provider has no `prefixItems`, each item may be of any of the types; `prefixItems` is recorded as dropped if there are several.
        """
        schema, path = node.schema, node.path
        first: list[Any] = schema["prefixItems"]
        written = [self._write(each, (*path, "prefixItems", place)) for place, each in enumerate(first)]
        items = [each for each in written if each is not None]
        if len(items) < len(first):
            return False
        rest = self._write_rest(node, len(first))
        if "prefixItems" in self._keywords:
            schema["prefixItems"] = items
            if rest is not None:
                schema["items"] = rest
            return True
        sorts = without_duplicates([*items, *([] if rest is None else [rest])])
        if len(sorts) > 1:
            self._drop(node, "prefixItems", "has no such keyword: each item may be of any of its types")
        schema.pop("prefixItems", None)
        schema["items"] = _any_of(sorts)
        return True

    def _write_rest(self, node: Node, length: int) -> dict[str, Any] | None:
        """Return the rewritten schema of the items after the first `length` ones of a tuple.

        Return None if any items may follow, or if none may: then the tuple gets a greatest length. None may follow, either, if the provider
        needs a type for every item and the schema has none for them; that is recorded.
        """
        schema = node.schema
        rest = schema.pop("items", True)
        ends = rest is False or schema.get("maxItems", length + 1) <= length
        if rest is True or rest == {}:
            if not self._profile.closed:
                return None
            if not ends:
                self._record(node.path, "items", True, f"{self._provider} needs a type for every item")
            ends = True
        written = None if ends else self._write(rest, (*node.path, "items"))
        if written is None:
            schema["maxItems"] = min(schema.get("maxItems", length), length)
        return written


_STEPS: Final = (
    Rewriter._infer_type,
    Rewriter._write_choices,
    Rewriter._write_bounds,
    Rewriter._write_unions,
    Rewriter._write_object,
    Rewriter._write_array,
)
"""The steps for one schema, in order; each returns False if no value is valid."""

_TYPES: Final = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def _types_of(values: Iterable[object]) -> list[str]:
    """Return the JSON types of `values`, each once, in the order in which they occur."""
    return list(dict.fromkeys(_TYPES.get(type(value), "null") for value in values))


def _kind_of(value: object) -> str:
    """Return the type of the JSON value `value`: as in JSON Schema, but `number` for integers, too."""
    return "number" if type(value) is int else _TYPES.get(type(value), "null")
