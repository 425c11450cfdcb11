"""What do several schemas say together, said in one? For providers that do not know `allOf`.

MERGED: Which keywords of a schema does a text leave out, and how are they told in words?
MERGED: What is a tool once it is rendered in a format? A plain JSON object or text, which also knows what it leaves unsaid.
MERGED: Does a schema accept `null`, and how is it said that one does?
MERGED: What is a schema while it is being rewritten?
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.messages import json_path
from fcregistry._schema.document import Place, show_type, subschemas

if TYPE_CHECKING:
    from fcregistry._schema.document import References

# --- formats._merge ---

_OUTER: Final = frozenset({"title", "description", "default", "examples", "deprecated"})
"""Keywords that inform: the schema around others knows better than they."""

_LOWER: Final = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_UPPER: Final = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})


def merged(schema: dict[str, Any], others: list[Any]) -> dict[str, Any] | None:
    """Return one schema that accepts what a schema and others all accept; None where no single one is known to.

    Args:
        schema: The schema around the others; where both inform, it wins.
        others: Schemas without references.
    """
    result: dict[str, Any] | None = dict(schema)
    for other in others:
        if other is True:
            continue
        if not isinstance(other, dict) or result is None or _closes(result, other) or _closes(other, result):
            return None
        result = _both(result, other)
    return result


def _closes(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Tell whether one schema forbids names that the other knows."""
    return one.get("additionalProperties", True) not in (True, {}) and bool(
        set(other.get("properties", ())) - set(one.get("properties", ()))
    )


def _both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any] | None:
    result = dict(one)
    for keyword, value in other.items():
        if keyword not in result:
            result[keyword] = value
        elif keyword in _OUTER or result[keyword] == value:
            continue
        else:
            result[keyword] = _combined(keyword, result[keyword], value)
            if result[keyword] is None:
                return None
    return result


def _combined(keyword: str, one: Any, other: Any) -> Any:
    """Return the value that says what two values of a keyword say; None if there is none."""
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
        return _shared_types(one, other)
    if keyword == "additionalProperties":
        return False if False in (one, other) else None
    return None


def _shared_types(one: str | list[str], other: str | list[str]) -> Any:
    ones, others = ([kind] if isinstance(kind, str) else kind for kind in (one, other))
    shared = [kind for kind in ones if kind in others or (kind == "integer" and "number" in others)]
    shared += [kind for kind in others if kind == "integer" and "number" in ones and kind not in shared]
    return (shared[0] if len(shared) == 1 else shared) or None


# --- formats._unsaid ---

_LONGEST = 100
_NOT_TOLD: Final = frozenset(
    {
        *("additionalProperties", "unevaluatedProperties", "oneOf", "false", "$ref", "required", "discriminator"),
        *("title", "examples", "deprecated", "readOnly", "writeOnly", "contentSchema", "example"),
    }
)
_OF_DOCUMENTS: Final = frozenset({"$schema", "$id", "$anchor", "$comment", "$defs", "definitions"})


def unsaid(schema: dict[str, Any], said: Collection[str]) -> tuple[Dropped, ...]:
    """Return the keywords of a schema and of all inside it that are not among those that a text shows."""
    return tuple(
        Dropped(path=json_path(place), keyword=keyword, value=value, reason="the text does not show it")
        for place, each in _all(schema)
        for keyword, value in lost_keywords(each, said).items()
    )


def lost_keywords(schema: Mapping[str, Any], said: Collection[str]) -> dict[str, Any]:
    """Return the keywords of one schema that are not among those that are said, and do not follow from those."""
    return {
        keyword: value
        for keyword, value in schema.items()
        if keyword not in said and keyword not in _OF_DOCUMENTS and not _follows(keyword, schema)
    }


def _all(schema: dict[str, Any]) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield a schema and all inside it, outermost first, in the order they are written."""
    defs = {("$defs", name): each for name, each in schema.get("$defs", {}).items()}
    waiting: list[tuple[Place, Any]] = [*reversed(defs.items()), ((), schema)]
    while waiting:
        place, each = waiting.pop()
        if isinstance(each, dict):
            yield place, each
            waiting += [((*place, *inner), held) for inner, held in reversed(list(subschemas(each)))]


def _follows(keyword: str, schema: Mapping[str, Any]) -> bool:
    """Tell whether a keyword says what others say already: how many items a tuple has."""
    if keyword not in ("minItems", "maxItems") or schema.get("items") is not False:
        return False
    return bool(schema[keyword] == len(schema.get("prefixItems", ())))


def in_words(left_out: Mapping[str, Any]) -> str:
    """Return what keywords say, for a description: `minimum: 1, pattern: "[a-z]"`; nothing for those that inform people."""
    said = []
    for keyword, value in left_out.items():
        if keyword == "prefixItems":
            said.append(f"items in this order: {', '.join(map(show_type, value))}")
        elif keyword not in _NOT_TOLD:
            text = json.dumps(value, ensure_ascii=False)
            said += [f"{keyword}: {text}"] if len(text) <= _LONGEST else []
    return ", ".join(said)


def told_besides(description: object, left_out: Mapping[str, Any]) -> str:
    """Return a description with what keywords say after it."""
    text, words = str(description or ""), in_words(left_out)
    return f"{text} ({words})".strip() if words else text


# --- formats._definition ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """Something that a tool's schema says, and that its rendered definition does not say, or says less of.

    Calls are validated against the tool's own schema all the same.

    Attributes:
        path: Where in the schema of the parameters, as a JSON path: `$.properties.age`.
        keyword: The keyword of JSON Schema.
        value: The keyword's value.
        reason: Why it is not said.
    """

    path: str
    keyword: str
    value: Any
    reason: str

    def __str__(self) -> str:
        from fcregistry._base.messages import show  # not needed to describe a tool

        return f"{self.path}: {self.keyword} {show(self.value)}: {self.reason}"


class Definition(dict[str, Any]):
    """A tool in a format of JSON: a plain dict to whoever sends or compares it.

    Attributes:
        dropped: What the provider is not told, in the order of the schema.
    """

    __slots__ = ("dropped",)

    dropped: tuple[Dropped, ...]

    def __init__(self, rendered: Mapping[str, Any], dropped: tuple[Dropped, ...] = ()) -> None:
        super().__init__(rendered)
        self.dropped = dropped


class TextDefinition(str):
    """A tool in a format of text: a plain str to whoever puts it into a prompt.

    Attributes:
        dropped: What the text does not tell, in the order of the schema.
    """

    __slots__ = ("dropped",)

    dropped: tuple[Dropped, ...]

    def __new__(cls, rendered: str, dropped: tuple[Dropped, ...] = ()) -> TextDefinition:
        """Make one of its text and what that leaves out."""
        made = super().__new__(cls, rendered)
        made.dropped = dropped
        return made


# --- formats._nulls ---

_SCALARS: Final = frozenset({"string", "integer", "number", "boolean"})
_INFORMING: Final = ("title", "description", "deprecated")


def accepts_null(schema: Any, references: References, seen: frozenset[Place] = frozenset()) -> bool:
    """Tell whether a schema accepts `null`; a reference that leads nowhere might.

    Args:
        schema: A schema, rewritten or not.
        references: Those of the whole it belongs to.
        seen: The places of references that have been followed.
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


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that accepts `null` beside what a schema accepts that does not."""
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


# --- formats._node ---


@dataclass(slots=True)
class Node:
    """A schema while it is rewritten.

    Attributes:
        schema: What is written so far.
        path: Where it stands in the original.
        lost: What was taken out of it, for its description.
    """

    schema: dict[str, Any]
    path: Place
    lost: dict[str, Any] = field(default_factory=dict)

    def is_a(self, kind: str) -> bool:
        """Tell whether the schema names a JSON type among those it takes."""
        named = self.schema.get("type")
        return named == kind or (isinstance(named, list) and kind in named)


def distinct(schemas: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return schemas without those that are the same as JSON, in which true is not 1."""
    return list({json.dumps(schema, sort_keys=True): schema for schema in schemas}.values())
