"""Definitions, and the operations on schemas that rendering them needs: keywords as text, and `null`."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.wording import json_path
from fcregistry._schema.document import Place, show_type, walk_schemas

if TYPE_CHECKING:
    from fcregistry._schema.document import References


# --- Rendered definitions ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A keyword of a tool's schema that its rendered definition lacks, or expresses only in part.

    Calls are validated against the tool's own schema all the same. It may also be a field of a definition that was given as a dict.

    Attributes:
        path: Where in the schema of the parameters, as a JSON path: `$.properties.age`; `definition` for a field of one.
        keyword: The keyword of JSON Schema, or the name of the field.
        value: The keyword's value.
        reason: Why it was dropped.
    """

    path: str
    keyword: str
    value: Any
    reason: str

    def __str__(self) -> str:
        from fcregistry._base.wording import show  # not needed to describe a tool

        return f"{self.path}: {self.keyword} {show(self.value)}: {self.reason}"


class Definition(dict[str, Any]):
    """A tool in a JSON format: a dict like any other, with one more attribute.

    Args:
        rendered: The definition as the provider expects it.
        dropped: What it leaves out of the schema.

    Attributes:
        dropped: What the definition leaves out of the schema, in the order of the schema.
    """

    __slots__ = ("dropped",)

    dropped: tuple[Dropped, ...]

    def __init__(self, rendered: Mapping[str, Any], dropped: tuple[Dropped, ...] = ()) -> None:
        super().__init__(rendered)
        self.dropped = dropped


class TextDefinition(str):
    """A tool in a text format: a str like any other, with one more attribute.

    Args:
        rendered: The text.
        dropped: What it leaves out of the schema.

    Attributes:
        dropped: What the text leaves out of the schema, in the order of the schema.
    """

    __slots__ = ("dropped",)

    dropped: tuple[Dropped, ...]

    def __new__(cls, rendered: str, dropped: tuple[Dropped, ...] = ()) -> TextDefinition:
        """Make a definition from its text and what that leaves out."""
        made = super().__new__(cls, rendered)
        made.dropped = dropped
        return made


# --- Schemas that are rewritten ---


@dataclass(slots=True)
class Node:
    """A schema while it is rewritten.

    Attributes:
        schema: The result so far.
        path: Its place in the original.
        lost: The keywords taken out of it, which are added to its description.
    """

    schema: dict[str, Any]
    path: Place
    lost: dict[str, Any] = field(default_factory=dict)

    def is_a(self, kind: str) -> bool:
        """Return whether the schema has the JSON type `kind` among its types."""
        named = self.schema.get("type")
        return named == kind or (isinstance(named, list) and kind in named)


def without_duplicates(schemas: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return `schemas` without duplicates, compared as JSON, in which true is not 1."""
    return list({json.dumps(schema, sort_keys=True): schema for schema in schemas}.values())


# --- Keywords that a definition does not show ---


def list_dropped(schema: dict[str, Any], shown: Collection[str]) -> tuple[Dropped, ...]:
    """Return the keywords of `schema` and of all schemas in it that a text does not show.

    Args:
        schema: The schema.
        shown: The keywords that the text shows.
    """
    return tuple(
        Dropped(path=json_path(place), keyword=keyword, value=value, reason="the text does not show it")
        for place, each in walk_schemas(schema)
        for keyword, value in unshown_keywords(each, shown).items()
    )


def unshown_keywords(schema: Mapping[str, Any], shown: Collection[str]) -> dict[str, Any]:
    """Return the keywords of `schema` itself that are not in `shown`, and not implied by others."""
    return {
        keyword: value
        for keyword, value in schema.items()
        if keyword not in shown and keyword not in _IDENTIFYING and not _is_implied(keyword, schema)
    }


def _is_implied(keyword: str, schema: Mapping[str, Any]) -> bool:
    """Return whether other keywords of `schema` imply `keyword`.

    Only `minItems` and `maxItems` of a tuple are implied: if no further items are allowed, and the value is the tuple's length.
    """
    if keyword not in ("minItems", "maxItems") or schema.get("items") is not False:
        return False
    return bool(schema[keyword] == len(schema.get("prefixItems", ())))


def keywords_text(left_out: Mapping[str, Any]) -> str:
    """Return the keywords `left_out` as text for a description, such as `minimum: 1, pattern: "[a-z]"`.

    Annotations, and keywords with long values, are left out.
    """
    parts = []
    for keyword, value in left_out.items():
        if keyword == "prefixItems":
            parts.append(f"items in this order: {', '.join(map(show_type, value))}")
        elif keyword not in _NOT_IN_TEXT:
            text = json.dumps(value, ensure_ascii=False)
            parts += [f"{keyword}: {text}"] if len(text) <= _LONGEST else []
    return ", ".join(parts)


def add_keywords_text(description: object, left_out: Mapping[str, Any]) -> str:
    """Return `description` followed by the keywords `left_out` as text in brackets."""
    text, words = str(description or ""), keywords_text(left_out)
    return f"{text} ({words})".strip() if words else text


_LONGEST = 100
_NOT_IN_TEXT: Final = frozenset(
    {
        *("additionalProperties", "unevaluatedProperties", "oneOf", "false", "$ref", "required", "discriminator"),
        *("title", "examples", "deprecated", "readOnly", "writeOnly", "contentSchema", "example"),
    }
)
_IDENTIFYING: Final = frozenset({"$schema", "$id", "$anchor", "$comment", "$defs", "definitions"})


# --- null ---


def accepts_null(schema: Any, references: References, seen: frozenset[Place] = frozenset()) -> bool:
    """Return whether `schema` accepts `null`; a reference that leads nowhere accepts it.

    Args:
        schema: A schema, rewritten or not.
        references: The references of the whole schema.
        seen: The targets of references that have been followed.
    """
    if not isinstance(schema, dict):
        return schema is not False
    kind = schema.get("type", "null")
    if kind != "null" and "null" not in (kind if isinstance(kind, list) else ()):
        return False
    if ("enum" in schema and None not in schema["enum"]) or schema.get("const") is not None:
        return False
    if "$ref" in schema:
        place = references.place(schema["$ref"])
        if (
            place is not None
            and place not in seen
            and not accepts_null(references.at(place), references, seen | {place})
        ):
            return False
    for keyword, enough in (("anyOf", any), ("oneOf", any), ("allOf", all)):
        if keyword in schema and not enough(accepts_null(each, references, seen) for each in schema[keyword]):
            return False
    return True


def make_nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Return `schema`, which does not accept `null`, changed so that it does."""
    if "anyOf" in schema and "type" not in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    kind = schema.get("type")
    if (isinstance(kind, str) and kind in _SCALARS) or (isinstance(kind, list) and set(kind) <= _SCALARS):
        written = {**schema, "type": [kind, "null"] if isinstance(kind, str) else [*kind, "null"]}
        if "enum" in written:
            written["enum"] = [*written["enum"], None]
        return written
    informing: dict[str, Any] = {keyword: schema[keyword] for keyword in _INFORMING if keyword in schema}
    plain = {keyword: value for keyword, value in schema.items() if keyword not in informing}
    return {"anyOf": [plain, {"type": "null"}], **informing}


_SCALARS: Final = frozenset({"string", "integer", "number", "boolean"})
_INFORMING: Final = ("title", "description", "deprecated")
