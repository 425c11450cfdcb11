"""How is one schema after the other rewritten by a profile, references included?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.messages import json_path
from fcregistry._schema.document import Place, References
from fcregistry._schema.drafts import modern
from fcregistry.formats._arrays import write_array
from fcregistry.formats._choices import infer_type, write_branches, write_choices
from fcregistry.formats._definition import Dropped
from fcregistry.formats._merge import merged
from fcregistry.formats._node import Node
from fcregistry.formats._numbers import write_bounds
from fcregistry.formats._objects import write_object
from fcregistry.formats._unsaid import told_besides

if TYPE_CHECKING:
    from fcregistry.formats._profile import Profile

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
            self._refused = self.references.recurring(required_only=profile.recursion == "optional")

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
        given = modern(schema) if isinstance(schema, dict) else {}
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
            together = merged(modern(beside), [target]) if beside and isinstance(target, dict) else target
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
            return modern(result)
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
