"""A JSON Schema document whose references are followed, and the proof that one schema accepts all that another does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from fcregistry._schema.containment import accepts_all_of
from fcregistry._schema.drafts import ENFORCED, NEWEST, Draft, SchemaError, declared_draft
from fcregistry._schema.engine_rs import is_installed, is_schema_or_none, knows_format
from fcregistry.types import STRING_FORMATS

Schema = dict[str, Any] | bool

_HOLDERS: Final = ("$defs", "definitions")
_BASES: Final = frozenset(
    {"$anchor", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveAnchor", "$recursiveRef", "$schema", "id"}
)
_LONGEST_CHAIN: Final = 50


class SchemaDocument:
    """One schema, as a whole.

    Args:
        schema: The schema.

    Attributes:
        draft: The draft that it is written in; None if fcregistry does not read that draft.
        is_plain: Whether its references are paths from its top, so that this module can follow them.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema: dict[str, Any] = dict(schema)
        try:
            self.draft: Draft | None = declared_draft(self.schema) or NEWEST
        except SchemaError:
            self.draft = None
        top = {name: value for name, value in self.schema.items() if name != "$schema"}
        self.is_plain = self.draft is not None and not any(map(_has_base, _objects(top)))
        self._targets: dict[str, Any] = {}
        self._holders = {name: self.schema[name] for name in _HOLDERS if isinstance(self.schema.get(name), dict)}

    def resolved(self, schema: Any) -> Schema | None:
        """Return a part of the schema with the reference at its top followed; None if it cannot be followed."""
        for _ in range(_LONGEST_CHAIN):
            if isinstance(schema, bool):
                return schema
            if not isinstance(schema, dict):
                return None
            if "$ref" not in schema:
                return schema
            schema = self._with_target(schema)
        return None

    def _with_target(self, schema: dict[str, Any]) -> Any:
        """Return the target of a reference, joined with the keywords beside it if the draft regards them."""
        target = self.target(schema["$ref"])
        assert self.draft is not None
        if self.draft.ref_stands_alone:
            return target
        if not isinstance(target, dict):
            return target if enforced(schema).keys() <= {"$ref"} else None
        beside = {name: value for name, value in schema.items() if name != "$ref" and name not in _HOLDERS}
        if any(name in target and name in ENFORCED for name in beside):
            return None  # both have the keyword, and only a validator joins the two
        return {**target, **beside}

    @property
    def is_schema(self) -> bool:
        """Whether it is a schema by the meta-schema of its draft; False if that is not known."""
        return self._is_valid(self.schema)

    def target(self, reference: object) -> Any:
        """Return the schema that a reference leads to; None if that is not a schema, or not in this document."""
        if not isinstance(reference, str):
            return None
        if reference not in self._targets:
            found = self._look_up(reference)
            is_schema = isinstance(found, bool) or (isinstance(found, dict) and self._is_valid(found))
            self._targets[reference] = found if is_schema else None
        return self._targets[reference]

    def _is_valid(self, schema: dict[str, Any]) -> bool:
        return self.draft is not None and is_schema_or_none(schema, self.draft) is True

    def _look_up(self, reference: str) -> Any:
        if not (reference == "#" or reference.startswith("#/")) or "%" in reference:
            return None
        found: Any = self.schema
        for part in reference.split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, dict) or name not in found:
                return None
            found = found[name]
        return found

    def reached(self, part: Any) -> dict[str, Any]:
        """Return every reference that can be reached from a part of the schema, with its target."""
        found: dict[str, Any] = {}
        waiting = [part]
        while waiting:
            for each in _objects(waiting.pop()):
                reference = each.get("$ref")
                if isinstance(reference, str) and reference not in found:
                    found[reference] = self.target(reference)
                    waiting.append(found[reference])
        return found

    def alone(self, part: Schema) -> Schema | None:
        """Return a part as a document of its own; None if its references would then lead elsewhere."""
        if isinstance(part, bool) or part is self.schema:
            return part
        if not all(
            reference.startswith(tuple(f"#/{name}/" for name in self._holders)) for reference in self.reached(part)
        ):
            return None
        return {**part, **self._holders}


def same(old: SchemaDocument, old_part: Any, new: SchemaDocument, new_part: Any) -> bool:
    """Return whether two parts are the same JSON, with all that their references lead to."""
    if json_text(old_part) != json_text(new_part) or old.draft is not new.draft:
        return False
    return old is new or json_text(old.reached(old_part)) == json_text(new.reached(new_part))


def covers(wider: SchemaDocument, wide: Schema, narrower: SchemaDocument, narrow: Schema) -> bool | None:
    """Return whether one part accepts all that another part accepts; None if nothing is proven."""
    if wide is True or wide == {} or narrow is False:
        return True
    if wider.draft is None or wider.draft is not narrower.draft or not (wider.is_plain and narrower.is_plain):
        return None
    wide_alone, narrow_alone = wider.alone(wide), narrower.alone(narrow)
    if wide_alone is None or narrow_alone is None:
        return None
    if ways(wide, wider.target) > MOST or ways(narrow, narrower.target) > MOST:
        return None
    return accepts_all_of(wide_alone, narrow_alone, wider.draft, STRING_FORMATS)


def json_text(value: Any) -> str:
    """Return the canonical text of a JSON value."""
    return json.dumps(value, sort_keys=True)


def enforced(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the constraints of a schema, without the keywords that only describe."""
    return {name: value for name, value in schema.items() if name in ENFORCED and not _constrains_nothing(name, value)}


def _constrains_nothing(keyword: str, value: Any) -> bool:
    if keyword == "format":
        return not (value in STRING_FORMATS or (isinstance(value, str) and _is_format(value)))
    return keyword in ("contentEncoding", "contentMediaType")


@lru_cache(maxsize=512)
def _is_format(name: str) -> bool:
    return not is_installed() or knows_format(name, NEWEST)


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every JSON object in a value."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            yield each
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each


def _has_base(schema: dict[str, Any]) -> bool:
    """Return whether a schema has a base, an anchor or a draft of its own."""
    return any(isinstance(schema.get(name), (str, bool)) for name in _BASES)


# --- How many ways there are to be valid ---

MOST: Final = 1000
"""More ways are neither counted nor examined: a stranger's schema may have any number, and the proof would not end."""

_BY_NAME: Final = ("properties", "patternProperties", "dependentSchemas")
_PARTS: Final = ("prefixItems", "items", "additionalProperties", "contains", "propertyNames")
_TOGETHER: Final = ("allOf", "if", "then", "else", "not")
_EITHER: Final = ("anyOf", "oneOf")


def ways(schema: Any, target: Callable[[object], Any]) -> int:
    """Return about how many ways there are to be valid by a schema; `MOST` + 1 if there are more.

    A proof that one schema accepts all that another accepts looks at each of them.

    Args:
        schema: The schema.
        target: Returns the schema that a reference leads to.
    """
    known: dict[int, int] = {}

    def of(one: Any) -> int:
        if not isinstance(one, dict):
            return 1
        if id(one) not in known:
            known[id(one)] = 1  # for a schema that contains itself
            known[id(one)] = counted(one)
        return known[id(one)]

    def counted(one: dict[str, Any]) -> int:
        found = 1 + sum(of(part) for name in _PARTS for part in _listed(one.get(name)))
        found += sum(of(part) for name in _BY_NAME for part in _named(one.get(name)))
        joined = [part for name in _TOGETHER for part in _listed(one.get(name))]
        if "$ref" in one:
            joined.append(target(one["$ref"]))
        for part in joined:
            found = min(found * of(part), MOST + 1)
        for name in _EITHER:
            if name in one:
                found *= sum(map(of, _listed(one[name]))) or 1
        return min(found, MOST + 1)

    return of(schema)


def _listed(value: Any) -> list[Any]:
    """Return the schemas of a keyword that has one schema or a list of them."""
    return value if isinstance(value, list) else [value] if isinstance(value, dict) else []


def _named(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else []
