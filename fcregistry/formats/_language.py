"""How is a JSON Schema written as a type of a programming language?

What differs between languages is in their own files; here is the way through a schema, and what becomes of keywords that no type says:
those of a parameter or field are told in a comment, others are recorded as unsaid.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Final

from fcregistry._base.messages import json_path
from fcregistry._schema.document import Place, References
from fcregistry._schema.drafts import upgrade_keywords
from fcregistry.formats._node import Dropped, in_words, lost_keywords, merged

_SHOWN: Final = frozenset(
    {
        *("type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "properties", "required"),
        *("items", "prefixItems", "additionalProperties", "description", "title", "default"),
    }
)


def with_definitions(schema: dict[str, Any], other: dict[str, Any]) -> dict[str, Any] | None:
    """Return a schema with the definitions of another beside its own; None where two of one name differ."""
    ours, theirs = schema.get("$defs", {}), other.get("$defs", {})
    if any(ours[name] != theirs[name] for name in ours if name in theirs):
        return None
    return {**schema, "$defs": {**ours, **theirs}}


class TypeWriter(ABC):
    """Writes the types of one schema; a language says how each is spelt.

    Args:
        schema: The schema, with its definitions.

    Attributes:
        dropped: What neither type nor comment says.
    """

    language: str
    scalars: dict[str, str]
    anything: str
    nothing: str

    def __init__(self, schema: dict[str, Any]) -> None:
        self.references = References(schema)
        self.dropped: list[Dropped] = []

    @abstractmethod
    def literal(self, value: Any) -> str:
        """Spell a JSON value as a type that has it alone."""

    @abstractmethod
    def union(self, types: list[str]) -> str:
        """Spell a type of which every value is of one of these."""

    @abstractmethod
    def array(self, item: str) -> str:
        """Spell an array of any length."""

    @abstractmethod
    def tuple(self, items: list[str], rest: str | None) -> str:
        """Spell an array that begins with these items, and goes on with others or ends."""

    @abstractmethod
    def mapping(self, value: str) -> str:
        """Spell an object of any names."""

    @abstractmethod
    def record(self, schema: dict[str, Any], place: Place) -> str:
        """Spell an object of known names."""

    @abstractmethod
    def named(self, place: Place) -> str:
        """Spell what a reference names."""

    def type_of(self, schema: Any, place: Place, *, commented: bool = False) -> str:
        """Return a schema as a type.

        Args:
            schema: The schema.
            place: Where it stands.
            commented: Whether a comment beside it tells what the type does not.
        """
        alternatives = list(dict.fromkeys(self._alternatives(schema, place, commented)))
        return self.union(alternatives) if len(alternatives) > 1 else alternatives[0]

    def comment(self, schema: Any) -> str:
        """Return what a comment has to tell of a parameter or field beside its description."""
        return in_words(lost_keywords(schema, _SHOWN)) if isinstance(schema, dict) else ""

    def record_all_lost(self, schema: dict[str, Any], place: Place) -> None:
        """Record what the type of a schema does not say, where no comment does either."""
        for keyword, value in lost_keywords(schema, _SHOWN).items():
            self.record_lost(place, keyword, value)

    def record_lost(self, place: Place, keyword: str, value: object) -> None:
        """Record something that is left unsaid."""
        reason = f"no type of {self.language} says it"
        self.dropped.append(Dropped(path=json_path(place), keyword=keyword, value=value, reason=reason))

    def _alternatives(self, given: Any, place: Place, commented: bool) -> list[str]:
        """Return the types of which a value may be, none of them a union itself."""
        if not isinstance(given, dict):
            return [self.nothing if given is False else self.anything]
        schema = upgrade_keywords(given)
        if not commented:
            self.record_all_lost(schema, place)
        if "$ref" in schema:
            target = self.references.place(schema["$ref"])
            return [self.anything if target is None else self.named(target)]
        if "const" in schema or "enum" in schema:
            return [self.literal(value) for value in ([schema["const"]] if "const" in schema else schema["enum"])]
        for keyword in ("anyOf", "oneOf"):
            if schema.get(keyword):
                branches = [
                    self._alternatives(each, (*place, keyword, at), False) for at, each in enumerate(schema[keyword])
                ]
                return [each for branch in branches for each in branch]
        if "allOf" in schema:
            rest = {keyword: value for keyword, value in schema.items() if keyword != "allOf"}
            together = merged(rest, schema["allOf"])
            if together is None or "$ref" in together:
                self.record_lost(place, "allOf", schema["allOf"])
                return [self.anything]
            return self._alternatives(together, place, commented=True)
        kinds = schema.get("type") or ("object" if "properties" in schema else "array" if "items" in schema else None)
        return [
            self._of_kind(kind, schema, place)
            for kind in ([kinds] if isinstance(kinds, str) or kinds is None else kinds)
        ]

    def _of_kind(self, kind: str | None, schema: dict[str, Any], place: Place) -> str:
        if kind is None:
            return self.anything
        if kind == "array":
            return self._array(schema, place)
        if kind == "object":
            return self._object(schema, place)
        return self.scalars[kind]

    def _array(self, schema: dict[str, Any], place: Place) -> str:
        rest = schema.get("items", True)
        if "prefixItems" not in schema and rest is not False:
            return self.array(self.type_of(rest, (*place, "items")))
        first = schema.get("prefixItems", [])
        ends = rest is False or schema.get("maxItems") == len(first)
        items = [self.type_of(each, (*place, "prefixItems", at)) for at, each in enumerate(first)]
        return self.tuple(items, None if ends else self.type_of(rest, (*place, "items")))

    def _object(self, schema: dict[str, Any], place: Place) -> str:
        others = schema.get("additionalProperties", True)
        if schema.get("properties") or others is False:
            return self.record(schema, place)
        return self.mapping(self.type_of(others, (*place, "additionalProperties")))
