"""A JSON Schema document for comparison: its parts with references followed, in the keywords of draft 2020-12."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from fcregistry._schema.document import DEFINITIONS, References, walk_schemas
from fcregistry._schema.drafts import ENFORCED, NEWEST, Draft, SchemaError, declared_draft, upgrade_keywords
from fcregistry._schema.engine_py import is_schema
from fcregistry._schema.engine_rs import knows_format
from fcregistry._schema.validator import Validator
from fcregistry.types import STRING_FORMATS

Schema = dict[str, Any] | bool

_BASES: Final = frozenset(
    {"$anchor", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor", "$recursiveRef", "$schema", "id"}
)
_REWRITTEN: Final = frozenset({"additionalItems", "exclusiveMaximum", "exclusiveMinimum", "items", "prefixItems"})
"""The keywords that have another meaning or another name in the newest draft."""
_LONGEST_CHAIN: Final = 50


class SchemaDocument:
    """A schema as a whole, with the definitions that its parts refer to.

    Args:
        schema: The schema.

    Attributes:
        draft: The draft that it is written in; None if fcregistry does not read that draft.
        definitions: Its definitions, if every reference leads to one of them; otherwise None.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema: dict[str, Any] = dict(schema)
        try:
            self.draft: Draft | None = declared_draft(self.schema) or NEWEST
        except SchemaError:
            self.draft = None
        self._references = References(self.schema)
        self._targets: dict[str, Schema | None] = {}
        self._schemas = dict(walk_schemas(self.schema))
        references = [each["$ref"] for each in self._schemas.values() if isinstance(each.get("$ref"), str)]
        leads_there = all(place and place[0] in DEFINITIONS for place in map(self._references.place, references))
        definitions: dict[str, Any] = {name: self.schema[name] for name in DEFINITIONS if name in self.schema}
        self.definitions = definitions if leads_there else None

    @property
    def is_plain(self) -> bool:
        """Whether its draft is known and no part has a base, an anchor or a draft of its own."""
        bases = {place: each.keys() & _BASES for place, each in self._schemas.items()}
        return self.draft is not None and not any(
            found - ({"$schema"} if not place else set()) for place, found in bases.items()
        )

    @property
    def is_schema(self) -> bool:
        """Whether it is a schema by the meta-schema of its draft."""
        return self.draft is not None and is_schema(self.schema, self.draft)

    def resolved(self, part: Any) -> Schema | None:
        """Return a part of the schema with its references followed, or None if they lead nowhere.

        Constraints beside a reference become a part of an `allOf` with its target, and an `allOf` of one schema becomes that schema.
        """
        assert self.draft is not None
        for _ in range(_LONGEST_CHAIN):
            if not isinstance(part, dict):
                return part if isinstance(part, bool) else None
            if "$ref" in part:
                held = self._target(part["$ref"])
                beside = {name: value for name, value in part.items() if name != "$ref"}
                joined = [held, *beside.get("allOf", [])]
            elif len(joined := part.get("allOf", [])) == 1:
                held = joined[0]
                beside = {name: value for name, value in part.items() if name != "allOf"}
            else:
                return upgrade_keywords(part)
            if held is None:
                return None
            if "$ref" in part and self.draft.ref_stands_alone:
                part = held
            elif enforced(beside):
                return upgrade_keywords({**beside, "allOf": joined})
            else:
                part = {**held, **beside} if isinstance(held, dict) else held
        return None

    def _target(self, reference: Any) -> Schema | None:
        """Return the schema that `reference` leads to, cached; None if it is not a schema in this document."""
        if reference not in self._targets:
            place = self._references.place(reference)
            found = None if place is None else self._references.at(place)
            if isinstance(found, dict) and not (
                place in self._schemas and self.draft is not None and is_schema(found, self.draft)
            ):
                found = None  # an example, say, that a reference leads to
            self._targets[reference] = found
        return self._targets[reference]

    def checker(self, part: Any) -> Callable[[Any], bool] | None:
        """Return the function that validates values by a part.

        It is None if the part alone would not validate as it does in the whole document.
        """
        if isinstance(part, bool):
            return lambda value: part
        rewritten = (
            part.keys() & _REWRITTEN if self.draft is not NEWEST else ()
        )  # perhaps in the newest keywords already
        if self.definitions is None or self.draft is None or rewritten:
            return None
        return Validator({**part, **self.definitions, "$schema": self.draft.uri}, STRING_FORMATS).is_valid


def json_text(value: Any) -> str:
    """Return the canonical text of a JSON value."""
    return json.dumps(value, sort_keys=True)


def is_same(old: Any, new: Any) -> bool:
    """Return whether two values are the same JSON: for Python, 1 == True and 1 == 1.0."""
    return json_text(old) == json_text(new)


def enforced(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the constraints of a schema, without the keywords that only describe."""
    return {name: value for name, value in schema.items() if name in ENFORCED and not _constrains_nothing(name, value)}


def _constrains_nothing(keyword: str, value: Any) -> bool:
    """Return whether `keyword` with `value` does not constrain values, although some draft enforces it.

    Such are a `format` that is not known, `contentEncoding` and `contentMediaType`.
    """
    if keyword == "format":
        return not (value in STRING_FORMATS or _is_format(value))
    return keyword in ("contentEncoding", "contentMediaType")


@lru_cache(maxsize=512)
def _is_format(name: str) -> bool:
    """Return whether the newest draft has the format `name`."""
    return knows_format(name, NEWEST)
