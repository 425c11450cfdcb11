"""JSON Schemas as types of a programming language.

The languages are in their own files; this file walks the schema. Keywords that no type expresses become a comment on their parameter or field;
elsewhere they are recorded as dropped.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Final

from fcregistry._base.wording import json_path
from fcregistry._schema.document import Place, References
from fcregistry._schema.drafts import upgrade_keywords
from fcregistry._schema.joining import merge
from fcregistry.formats._node import Dropped, keywords_text, unshown_keywords


class TypeWriter(ABC):
    """Writes the types of one schema; a subclass for each language defines how types are written.

    Args:
        schema: The schema, with its definitions.

    Attributes:
        dropped: The keywords that neither a type nor a comment expresses.
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
        """Return the type that has only the JSON value `value`."""

    @abstractmethod
    def union(self, types: list[str]) -> str:
        """Return the union of `types`."""

    @abstractmethod
    def array(self, item: str) -> str:
        """Return the type of an array of any length, with items of the type `item`."""

    @abstractmethod
    def tuple(self, items: list[str], rest: str | None) -> str:
        """Return the type of an array of `items`, followed by items of the type `rest`, unless that is None."""

    @abstractmethod
    def mapping(self, value: str) -> str:
        """Return the type of an object with any names, and values of the type `value`."""

    @abstractmethod
    def record(self, schema: dict[str, Any], place: Place) -> str:
        """Return the type of an object with known names, whose `schema` is at `place`."""

    @abstractmethod
    def named(self, place: Place) -> str:
        """Return the name of the type of the schema at `place`, to which a reference leads."""

    def type_of(self, schema: Any, place: Place, *, commented: bool = False) -> str:
        """Return `schema` as a type.

        Args:
            schema: The schema.
            place: Its place.
            commented: Whether a comment beside the type shows the keywords that it does not express.
        """
        alternatives = list(dict.fromkeys(self._alternatives(schema, place, commented)))
        return self.union(alternatives) if len(alternatives) > 1 else alternatives[0]

    def comment(self, schema: Any) -> str:
        """Return the keywords of `schema` that its type does not express, as text for a comment."""
        return keywords_text(unshown_keywords(schema, _SHOWN)) if isinstance(schema, dict) else ""

    def record_all_lost(self, schema: dict[str, Any], place: Place) -> None:
        """Record the keywords of `schema` that its type does not express, for a `place` without a comment."""
        for keyword, value in unshown_keywords(schema, _SHOWN).items():
            self.record_lost(place, keyword, value)

    def record_lost(self, place: Place, keyword: str, value: object) -> None:
        """Record that `keyword` with `value` at `place` is left out."""
        reason = f"no type of {self.language} expresses it"
        self.dropped.append(Dropped(path=json_path(place), keyword=keyword, value=value, reason=reason))

    def _alternatives(self, given: Any, place: Place, commented: bool) -> list[str]:
        """Return the alternatives of the type of the schema `given`, none of them a union.

        Unless `commented` is true, keywords that no type expresses are recorded as dropped. Duplicates are not removed.
        """
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
            together = merge(rest, schema["allOf"])
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
        """Return the type of `schema` for values of the JSON type `kind`, or of any value if `kind` is None."""
        if kind is None:
            return self.anything
        if kind == "array":
            return self._array(schema, place)
        if kind == "object":
            return self._object(schema, place)
        return self.scalars[kind]

    def _array(self, schema: dict[str, Any], place: Place) -> str:
        """Return the type of the arrays that `schema` accepts: an array of one item type, or a tuple."""
        rest = schema.get("items", True)
        if "prefixItems" not in schema and rest is not False:
            return self.array(self.type_of(rest, (*place, "items")))
        first = schema.get("prefixItems", [])
        ends = rest is False or schema.get("maxItems") == len(first)
        items = [self.type_of(each, (*place, "prefixItems", at)) for at, each in enumerate(first)]
        return self.tuple(items, None if ends else self.type_of(rest, (*place, "items")))

    def _object(self, schema: dict[str, Any], place: Place) -> str:
        """Return the type of the objects that `schema` accepts: a record, or a mapping.

        It is a record if the schema lists names, or allows no others.
        """
        others = schema.get("additionalProperties", True)
        if schema.get("properties") or others is False:
            return self.record(schema, place)
        return self.mapping(self.type_of(others, (*place, "additionalProperties")))


def merge_definitions(schema: dict[str, Any], other: dict[str, Any]) -> dict[str, Any] | None:
    """Return `schema` with the definitions of `other`, too, or None if two of one name differ."""
    first, second = schema.get("$defs", {}), other.get("$defs", {})
    if any(first[name] != second[name] for name in first if name in second):
        return None
    return {**schema, "$defs": {**first, **second}}


_SHOWN: Final = frozenset(
    {
        *("type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "properties", "required"),
        *("items", "prefixItems", "additionalProperties", "description", "title", "default"),
    }
)
