"""Definitions, and the operations on schemas that rendering them needs: merging, keywords as text, and `null`."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.messages import json_path
from fcregistry._schema.document import Place, show_type, subschemas

if TYPE_CHECKING:
    from fcregistry._schema.document import References


# --- Rendered definitions ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A keyword of a tool's schema that its rendered definition lacks, or expresses only in part.

    Calls are validated against the tool's own schema all the same.

    Attributes:
        path: Where in the schema of the parameters, as a JSON path: `$.properties.age`.
        keyword: The keyword of JSON Schema.
        value: The keyword's value.
        reason: Why it was dropped.
    """

    path: str
    keyword: str
    value: Any
    reason: str

    def __str__(self) -> str:
        from fcregistry._base.messages import show  # not needed to describe a tool

        return f"{self.path}: {self.keyword} {show(self.value)}: {self.reason}"


class Definition(dict[str, Any]):
    """A tool in a JSON format: a dict like any other, with one more attribute.

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
        """Return whether the schema names a JSON type among its types."""
        named = self.schema.get("type")
        return named == kind or (isinstance(named, list) and kind in named)


def without_duplicates(schemas: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return schemas without duplicates, compared as JSON, in which true is not 1."""
    return list({json.dumps(schema, sort_keys=True): schema for schema in schemas}.values())


# --- Several schemas as one: for providers without allOf ---


def merge(schema: dict[str, Any], others: list[Any]) -> dict[str, Any] | None:
    """Return one schema that accepts exactly what a schema and others all accept, or None if none is known.

    Args:
        schema: The schema around the others; its annotations win.
        others: Schemas without references.
    """
    result: dict[str, Any] | None = dict(schema)
    for other in others:
        if other is True:
            continue
        if not isinstance(other, dict) or result is None or _closes(result, other) or _closes(other, result):
            return None
        result = _merge_two(result, other)
    return result


def _closes(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether one schema forbids names that the other has."""
    return one.get("additionalProperties", True) not in (True, {}) and bool(
        set(other.get("properties", ())) - set(one.get("properties", ()))
    )


def _merge_two(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any] | None:
    result = dict(one)
    for keyword, value in other.items():
        if keyword not in result:
            result[keyword] = value
        elif keyword in _ANNOTATIONS or result[keyword] == value:
            continue
        else:
            result[keyword] = _combine_values(keyword, result[keyword], value)
            if result[keyword] is None:
                return None
    return result


def _combine_values(keyword: str, one: Any, other: Any) -> Any:
    """Return the value of a keyword that means what two values mean together; None if there is none."""
    if keyword in _LOWER:
        return max(one, other)
    if keyword in _UPPER:
        return min(one, other)
    if keyword == "required":
        return list(dict.fromkeys([*one, *other]))
    if keyword == "properties":
        shared = {
            name: {"allOf": [one[name], other[name]]} for name in one if name in other and one[name] != other[name]
        }
        return {**one, **other, **one, **shared}
    if keyword == "enum":
        return [value for value in one if any(value == each and type(value) is type(each) for each in other)] or None
    if keyword == "type":
        return _combine_types(one, other)
    if keyword == "additionalProperties":
        return False if False in (one, other) else None
    return None


def _combine_types(one: str | list[str], other: str | list[str]) -> Any:
    ones, others = ([kind] if isinstance(kind, str) else kind for kind in (one, other))
    shared = [kind for kind in ones if kind in others or (kind == "integer" and "number" in others)]
    shared += [kind for kind in others if kind == "integer" and "number" in ones and kind not in shared]
    return (shared[0] if len(shared) == 1 else shared) or None


_ANNOTATIONS: Final = frozenset({"title", "description", "default", "examples", "deprecated"})
"""Annotations: those of the schema around others win."""

_LOWER: Final = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_UPPER: Final = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})


# --- Keywords that a definition does not show ---


def list_dropped(schema: dict[str, Any], shown: Collection[str]) -> tuple[Dropped, ...]:
    """Return the keywords of a schema and of all inside it that a text does not show."""
    return tuple(
        Dropped(path=json_path(place), keyword=keyword, value=value, reason="the text does not show it")
        for place, each in _walk(schema)
        for keyword, value in unshown_keywords(each, shown).items()
    )


def unshown_keywords(schema: Mapping[str, Any], shown: Collection[str]) -> dict[str, Any]:
    """Return the keywords of one schema that are not among the shown ones, and not implied by them."""
    return {
        keyword: value
        for keyword, value in schema.items()
        if keyword not in shown and keyword not in _IDENTIFYING and not _is_implied(keyword, schema)
    }


def _walk(schema: dict[str, Any]) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield a schema and all inside it, outermost first, in the order of the schema."""
    defs = {("$defs", name): each for name, each in schema.get("$defs", {}).items()}
    waiting: list[tuple[Place, Any]] = [*reversed(defs.items()), ((), schema)]
    while waiting:
        place, each = waiting.pop()
        if isinstance(each, dict):
            yield place, each
            waiting += [((*place, *inner), held) for inner, held in reversed(list(subschemas(each)))]


def _is_implied(keyword: str, schema: Mapping[str, Any]) -> bool:
    """Return whether others imply a keyword: the number of items of a tuple."""
    if keyword not in ("minItems", "maxItems") or schema.get("items") is not False:
        return False
    return bool(schema[keyword] == len(schema.get("prefixItems", ())))


def keywords_text(left_out: Mapping[str, Any]) -> str:
    """Return keywords as text for a description, such as `minimum: 1, pattern: "[a-z]"`; annotations are left out."""
    parts = []
    for keyword, value in left_out.items():
        if keyword == "prefixItems":
            parts.append(f"items in this order: {', '.join(map(show_type, value))}")
        elif keyword not in _NOT_IN_TEXT:
            text = json.dumps(value, ensure_ascii=False)
            parts += [f"{keyword}: {text}"] if len(text) <= _LONGEST else []
    return ", ".join(parts)


def add_keywords_text(description: object, left_out: Mapping[str, Any]) -> str:
    """Return a description followed by keywords as text."""
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
    """Return whether a schema accepts `null`; True if a reference leads nowhere.

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
    """Return a schema that accepts `null` too, for one that does not."""
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
