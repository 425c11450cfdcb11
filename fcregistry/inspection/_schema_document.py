"""What stands at one place of a schema, with its references followed?

MERGED: About how many ways are there to be valid by a schema? A proof that one takes what another takes looks at each of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from fcregistry._schema.containment import accepts_all_of
from fcregistry._schema.drafts import ENFORCED, NEWEST, Draft, SchemaError, declared_draft
from fcregistry._schema.engine_rs import is_installed, is_schema_or_none, knows_format
from fcregistry.types import STRING_FORMATS

# --- inspection._diff._documents ---

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
        draft: The draft that it is written in; None if that is none that is read.
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
        """Return a part of the schema with the reference at its top followed; None where that cannot be done."""
        for _ in range(_LONGEST_CHAIN):
            if isinstance(schema, bool):
                return schema
            if not isinstance(schema, dict):
                return None
            if "$ref" not in schema:
                return schema
            schema = self._followed(schema)
        return None

    def _followed(self, schema: dict[str, Any]) -> Any:
        """Return what a schema with a reference says: what it leads to, and what stands beside it where the draft looks at that."""
        target = self.target(schema["$ref"])
        assert self.draft is not None
        if self.draft.ref_stands_alone:
            return target
        if not isinstance(target, dict):
            return target if enforced(schema).keys() <= {"$ref"} else None
        beside = {name: value for name, value in schema.items() if name != "$ref" and name not in _HOLDERS}
        if any(name in target and name in ENFORCED for name in beside):
            return None  # both say something, and only a validator joins them
        return {**target, **beside}

    @property
    def is_schema(self) -> bool:
        """Whether it is a schema by the meta-schema of its draft; False where that cannot be told."""
        return self._takes(self.schema)

    def target(self, reference: object) -> Any:
        """Return the schema that a reference leads to; None where that is none, or not in this document."""
        if not isinstance(reference, str):
            return None
        if reference not in self._targets:
            found = self._found(reference)
            is_schema = isinstance(found, bool) or (isinstance(found, dict) and self._takes(found))
            self._targets[reference] = found if is_schema else None
        return self._targets[reference]

    def _takes(self, schema: dict[str, Any]) -> bool:
        return self.draft is not None and is_schema_or_none(schema, self.draft) is True

    def _found(self, reference: str) -> Any:
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
        """Return every reference that can be followed from a part of the schema, with what it leads to."""
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
        """Return a part as a document of its own; None where its references would lead elsewhere then."""
        if isinstance(part, bool) or part is self.schema:
            return part
        if not all(
            reference.startswith(tuple(f"#/{name}/" for name in self._holders)) for reference in self.reached(part)
        ):
            return None
        return {**part, **self._holders}


def enforced(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a schema asks for, without what only describes."""
    return {name: value for name, value in schema.items() if name in ENFORCED and not _says_nothing(name, value)}


def _says_nothing(keyword: str, value: Any) -> bool:
    if keyword == "format":
        return not (value in STRING_FORMATS or (isinstance(value, str) and _is_format(value)))
    return keyword in ("contentEncoding", "contentMediaType")


@lru_cache(maxsize=512)
def _is_format(name: str) -> bool:
    return not is_installed() or knows_format(name, NEWEST)


def covers(wider: SchemaDocument, wide: Schema, narrower: SchemaDocument, narrow: Schema) -> bool | None:
    """Tell whether a part of one document takes everything that a part of another takes; None if that cannot be told."""
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


def same(old: SchemaDocument, old_part: Any, new: SchemaDocument, new_part: Any) -> bool:
    """Tell whether two parts are the same JSON, and so is all that their references lead to."""
    if json_text(old_part) != json_text(new_part) or old.draft is not new.draft:
        return False
    return old is new or json_text(old.reached(old_part)) == json_text(new.reached(new_part))


def json_text(value: Any) -> str:
    """Return the one text of a JSON value."""
    return json.dumps(value, sort_keys=True)


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
    """Tell whether references cannot be followed by their text alone from or to a schema: it has a base, an anchor or a draft of its own."""
    return any(isinstance(schema.get(name), (str, bool)) for name in _BASES)


# --- inspection._diff._ways ---

MOST: Final = 1000
"""More are not counted, nor looked at: strangers' schemas may have any number, and the proof would not end."""

_BY_NAME: Final = ("properties", "patternProperties", "dependentSchemas")
_PARTS: Final = ("prefixItems", "items", "additionalProperties", "contains", "propertyNames")
_TOGETHER: Final = ("allOf", "if", "then", "else", "not")
_EITHER: Final = ("anyOf", "oneOf")


def ways(schema: Any, target: Callable[[object], Any]) -> int:
    """Return about how many ways there are, with the parts that each of them asks about; `MOST` + 1 for all above.

    Args:
        schema: The schema.
        target: Returns what a reference leads to.
    """
    known: dict[int, int] = {}

    def of(one: Any) -> int:
        if not isinstance(one, dict):
            return 1
        if id(one) not in known:
            known[id(one)] = 1  # where it holds itself
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
    """Return the schemas of a keyword that has one or a list of them."""
    return value if isinstance(value, list) else [value] if isinstance(value, dict) else []


def _named(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else []
