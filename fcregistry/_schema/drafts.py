"""The drafts of JSON Schema from 4 to 2020-12: their keywords, and the draft of a schema.

Source: the meta-schemas of drafts 4 to 2020-12, and what they list under `properties`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A draft of JSON Schema.

    Attributes:
        name: Its usual name, such as `2020-12`.
        uri: Its URI, the value of `$schema`.
        engine: The class name of its validator, the same in `jsonschema` and `jsonschema-rs`.
        keywords: The keywords that it enforces. All others only describe.
    """

    name: str
    uri: str
    engine: str
    keywords: frozenset[str]

    @property
    def ref_stands_alone(self) -> bool:
        """Whether keywords beside a `$ref` are ignored (draft 7 core, 8.3, and before)."""
        return "dependentSchemas" not in self.keywords


_DRAFT_4 = frozenset({
    "$ref", "additionalItems", "additionalProperties", "allOf", "anyOf", "dependencies", "enum", "exclusiveMaximum",
    "exclusiveMinimum", "format", "items", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength",
    "minProperties", "minimum", "multipleOf", "not", "oneOf", "pattern", "patternProperties", "properties", "required",
    "type", "uniqueItems",
})  # fmt: skip
_DRAFT_6 = _DRAFT_4 | {"const", "contains", "propertyNames"}
_DRAFT_7 = _DRAFT_6 | {"if", "then", "else"}
# The last two drafts dropped `dependencies`, but their meta-schemas keep it, and both engines enforce it.
_DRAFT_2019 = _DRAFT_7 | {
    "$recursiveRef", "dependentRequired", "dependentSchemas", "maxContains", "minContains", "unevaluatedItems",
    "unevaluatedProperties",
}  # fmt: skip
_DRAFT_2020 = _DRAFT_2019 - {"$recursiveRef", "additionalItems"} | {"$dynamicRef", "prefixItems"}


def _make_draft(name: str, uri: str, keywords: frozenset[str]) -> Draft:
    """Return the draft `name`, such as `2020-12`, with the class name of its validator."""
    return Draft(name=name, uri=uri, engine=f"Draft{name.replace('-', '')}Validator", keywords=keywords)


DRAFTS: Final = (
    _make_draft("2020-12", "https://json-schema.org/draft/2020-12/schema", _DRAFT_2020),
    _make_draft("2019-09", "https://json-schema.org/draft/2019-09/schema", _DRAFT_2019),
    _make_draft("7", "http://json-schema.org/draft-07/schema#", _DRAFT_7),
    _make_draft("6", "http://json-schema.org/draft-06/schema#", _DRAFT_6),
    _make_draft("4", "http://json-schema.org/draft-04/schema#", _DRAFT_4),
)
"""The supported drafts, newest first."""

NEWEST: Final = DRAFTS[0]
ENFORCED: Final = frozenset().union(*(draft.keywords for draft in DRAFTS))
"""The keywords that any draft enforces."""


def declared_draft(schema: Mapping[str, Any]) -> Draft | None:
    """Return the draft that `$schema` names; None if it is missing or names an unknown draft.

    Raises:
        SchemaError: It names a draft before 4, or is not a string.
    """
    uri = schema.get("$schema")
    if uri is None:
        return None
    if not isinstance(uri, str):
        raise SchemaError('"$schema" must be a string, the URI of a draft of JSON Schema')
    if _TOO_OLD.fullmatch(_bare_uri(uri)):
        raise SchemaError(f'"$schema" is "{uri}", and drafts before 4 are not read: write the schema in a later one')
    return _BY_URI.get(_bare_uri(uri))


def own_draft(schema: Any) -> Draft | None:
    """Return the draft that a subschema names; None if it names none, or an unknown one.

    Raises:
        SchemaError: It names a draft before 4.
    """
    if isinstance(schema, dict) and isinstance(schema.get("$schema"), str):
        return declared_draft(schema)
    return None


def _bare_uri(uri: str) -> str:
    """Return a URI without `http://` or `https://` at its start, and without `#` at its end."""
    return uri.removeprefix("https://").removeprefix("http://").removesuffix("#")


_BY_URI: Final = {_bare_uri(draft.uri): draft for draft in DRAFTS} | {"json-schema.org/schema": NEWEST}
_TOO_OLD: Final = re.compile(r"json-schema\.org/draft-0[0-3]/(hyper-)?schema")


def split_by_draft(schema: dict[str, Any], draft: Draft) -> Iterator[tuple[dict[str, Any], Draft]]:
    """Yield a schema with its draft, and the subschemas that name a draft of their own, with theirs.

    Each comes without the subschemas that are yielded by themselves. A bundle of schemas has several drafts.
    """
    if not any(map(_has_embedded, schema.values())):
        yield schema, draft
        return
    embedded: list[dict[str, Any]] = []
    yield {name: _without_embedded(value, embedded) for name, value in schema.items()}, draft
    for each in embedded:
        yield from split_by_draft(each, own_draft(each) or draft)


def _has_embedded(value: Any) -> bool:
    """Return whether a schema with a `$schema` of its own is in `value`, or is `value` itself."""
    if isinstance(value, dict):
        return isinstance(value.get("$schema"), str) or any(map(_has_embedded, value.values()))
    return isinstance(value, list) and any(map(_has_embedded, value))


def _without_embedded(value: Any, embedded: list[dict[str, Any]]) -> Any:
    """Return `value` with `{}` in place of each schema in it that has a `$schema`.

    These schemas are appended to `embedded`.
    """
    if isinstance(value, list):
        return [_without_embedded(item, embedded) for item in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("$schema"), str):
        embedded.append(value)
        return {}
    return {name: _without_embedded(item, embedded) for name, item in value.items()}


def enforced_keywords(schema: dict[str, Any], draft: Draft) -> dict[str, Any]:
    """Return the keywords of a schema that its draft enforces, as draft 2020-12 writes them; the schema itself if it has no others.

    Only the schema itself is rewritten, not its subschemas. In drafts in which `$ref` stands alone, keywords beside it are left out.
    """
    if draft.ref_stands_alone and "$ref" in schema:
        schema = {"$ref": schema["$ref"]}
    if _REWRITTEN.isdisjoint(schema) and draft.keywords.issuperset(schema) and not isinstance(schema.get("type"), list):
        return schema
    return upgrade_keywords({keyword: limit for keyword, limit in schema.items() if keyword in draft.keywords})


def upgrade_keywords(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a schema with the keywords of draft 2020-12.

    Keywords that only identify it are left out.

    Only the schema itself is rewritten, not its subschemas. Source: JSON Schema, "Migrating from older drafts".
    """
    written = {
        keyword: value
        for keyword, value in schema.items()
        if keyword not in _IDENTIFYING or (keyword == "id" and not isinstance(value, str))
    }
    _upgrade_tuple(written)
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        was_flag = isinstance(written.get(exclusive), bool)  # draft 4
        if was_flag and written.pop(exclusive) and bound in written:
            written[exclusive] = written.pop(bound)
    kind = written.get("type")
    if isinstance(kind, list) and len(kind) == 1:
        written["type"] = kind[0]
    return written


def _upgrade_tuple(schema: dict[str, Any]) -> None:
    """Replace a list in `items`, and `additionalItems`, in `schema` itself by `prefixItems` and `items`.

    If `items` is not a list, `additionalItems` is only removed.
    """
    if isinstance(schema.get("items"), list):
        schema["prefixItems"] = schema.pop("items")
        if "additionalItems" in schema:
            schema["items"] = schema["additionalItems"]
    schema.pop("additionalItems", None)


_IDENTIFYING: Final = frozenset(
    {"$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$vocabulary", "$comment", "$defs", "definitions"}
)
"""Keywords that identify a schema or hold definitions, and assert nothing."""


_REWRITTEN: Final = _IDENTIFYING | {"additionalItems", "exclusiveMaximum", "exclusiveMinimum", "items"}
"""Keywords that `upgrade_keywords` may rewrite, beside `type`, or leaves out."""


class SchemaError(ValueError):
    """A schema that cannot be used for validation; the message says why."""


class PatternError(SchemaError):
    """A pattern that the linear-time engine does not support."""
