"""JSON Schema read at one place: references followed, conjunctions joined, and how deep its values must be.

Joined keywords may be narrower or wider than the schema if they cannot be joined exactly. Code that generates values from them filters by a
validator of the original part, which `SchemaReader.validator_of` returns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import unquote

from fcregistry._schema.drafts import SchemaError
from fcregistry._schema.validator import Validator
from fcregistry.types import STRING_FORMATS

Node: TypeAlias = Any
"""A schema as parsed from JSON: an object or a boolean, and in an external schema whatever its author wrote."""


class Flat(NamedTuple):
    """A part of a schema with its references followed and its conjunctions joined.

    Attributes:
        keywords: Its keywords.
        is_exact: Whether these mean the same as the part: nothing had to be joined.
        follows: Whether a reference was followed.
    """

    keywords: dict[str, Any]
    is_exact: bool
    follows: bool


class SchemaReader:
    """One JSON Schema: the targets of its references, and validators of its parts.

    Args:
        schema: The schema of an object, such as a tool's parameters.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = dict(schema)
        self._validators: dict[int, tuple[Node, Callable[[Any], bool]]] = {}
        self._flat: dict[int, tuple[Node, Flat]] = {}

    def target(self, reference: str) -> Node:
        """Return the target of a reference; `True`, which accepts any value, if it is elsewhere."""
        found: Any = self.schema
        if not reference.startswith("#"):
            return True
        if not reference.startswith("#/"):
            return found if reference == "#" else next(_anchored(self.schema, reference[1:]), True)
        for part in unquote(reference[1:]).split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and key.isdigit() and int(key) < len(found):
                found = found[int(key)]
            elif isinstance(found, dict) and key in found:
                found = found[key]
            else:
                return True
        return found if isinstance(found, (dict, bool)) else True

    def validator_of(self, node: Node) -> Callable[[Any], bool]:
        """Return a function that returns whether a value is valid by a part of this document."""
        if id(node) not in self._validators:
            self._validators[id(node)] = (
                node,
                self._validator_of(node),
            )  # with the node, so that no other object gets its id
        return self._validators[id(node)][1]

    def _validator_of(self, node: Node) -> Callable[[Any], bool]:
        part: dict[str, Any] = {"allOf": [self._relocated(node)]}
        if references(node):
            part["$defs"] = {"document": self._relocated_whole}
        if "$schema" in self.schema:
            part["$schema"] = self.schema["$schema"]
        validator = Validator(part, STRING_FORMATS, "jsonschema")
        try:
            validator.compile()
        except SchemaError:
            return lambda value: (
                True
            )  # references by `$id` lead nowhere here; the whole arguments are validated at the end
        return validator.is_valid

    @cached_property
    def _relocated_whole(self) -> Node:
        return {
            key: self._relocated(value) for key, value in self.schema.items() if key not in ("$schema", "$id", "id")
        }

    def _relocated(self, node: Node) -> Node:
        """Return a part whose references lead to the same places after the whole was moved to `$defs`."""
        if isinstance(node, dict):
            moved = {key: self._relocated(value) for key, value in node.items()}
            reference = node.get("$ref")
            if isinstance(reference, str) and reference.startswith("#"):
                moved["$ref"] = f"#/$defs/document{reference[1:]}"
            return moved
        return [self._relocated(each) for each in node] if isinstance(node, list) else node

    def height(self, node: Node) -> float:
        """Return the least number of references that a value needs; infinity if it would never end."""
        return self._height(node, self._heights)

    @cached_property
    def _heights(self) -> dict[str, float]:
        """Reference -> the height of its target: a fixed point that is approached from infinity."""
        known = dict.fromkeys(sorted(references(self.schema)), math.inf)
        changed = True
        while changed:
            again = {each: self._height(self.target(each), known) for each in known}
            changed, known = again != known, again
        return known

    def _height(self, node: Node, known: Mapping[str, float]) -> float:
        if not isinstance(node, dict):
            return math.inf if node is False else 0
        heights = [0.0]
        if "$ref" in node:
            heights.append(1 + known.get(node["$ref"], 0))
        heights += [self._height(each, known) for each in node.get("allOf", ())]
        for keyword in ("anyOf", "oneOf"):
            if keyword in node:
                heights.append(min((self._height(each, known) for each in node[keyword]), default=math.inf))
        if "enum" not in node and "const" not in node:
            heights.append(min(self._height_of_type(each, node, known) for each in types_of(node.get("type")) or TYPES))
        return max(heights)

    def _height_of_type(self, kind: str, node: dict[str, Any], known: Mapping[str, float]) -> float:
        if kind == "object":
            properties = node.get("properties", {})
            inner = [properties.get(each, node.get("additionalProperties", True)) for each in node.get("required", ())]
        elif kind == "array":
            least = int(node.get("minItems", 0))
            first, rest = item_schemas(node)
            inner = [*first[:least], *([rest] if least > len(first) else [])]
        else:
            return 0
        return max((self._height(each, known) for each in inner), default=0)

    def flat(self, node: Node) -> Flat:
        """Return a part with its `$ref` and `allOf` joined."""
        if id(node) not in self._flat:
            followed: set[str] = set()
            parts = list(self._parts(node, (), followed))
            keywords: dict[str, Any] = {}
            for part in parts:
                keywords = joined(keywords, part)
            self._flat[id(node)] = (node, Flat(keywords, len(parts) < 2, bool(followed)))
        return self._flat[id(node)][1]

    def _parts(self, node: Node, above: tuple[str, ...], followed: set[str]) -> Iterator[dict[str, Any]]:
        if not isinstance(node, dict):
            if node is False:
                yield {"enum": []}
            return
        own = {key: value for key, value in node.items() if key not in DESCRIBING and key not in ("$ref", "allOf")}
        if own:
            yield _as_enum(own)
        reference = node.get("$ref")
        if isinstance(reference, str) and reference not in above:
            followed.add(reference)
            yield from self._parts(self.target(reference), (*above, reference), followed)
        for each in node.get("allOf", ()):
            yield from self._parts(each, above, followed)


def _anchored(node: Node, name: str) -> Iterator[Node]:
    """Yield the parts of a schema that have an anchor."""
    if isinstance(node, dict):
        if node.get("$anchor") == name:
            yield node
        for each in node.values():
            yield from _anchored(each, name)
    elif isinstance(node, list):
        for each in node:
            yield from _anchored(each, name)


def _as_enum(own: dict[str, Any]) -> dict[str, Any]:
    if "const" not in own:
        return own
    return {**{key: value for key, value in own.items() if key != "const"}, "enum": [own["const"]]}


def references(node: Node) -> set[str]:
    """Return every reference in a schema."""
    found = set()
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            found.add(node["$ref"])
        found.update(*map(references, node.values()))
    elif isinstance(node, list):
        found.update(*map(references, node))
    return found


# --- Keywords ---

TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")
DESCRIBING: Final = frozenset({
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "discriminator", "$comment",
    "$schema", "$id", "id", "$anchor", "$defs", "definitions", "$vocabulary", "contentEncoding", "contentMediaType",
})  # fmt: skip
"""Keywords that no value can break."""


def json_identity(value: Any) -> object:
    """Return a key that only equal JSON values share: `1` and `1.0` are equal, `true` is neither."""
    if isinstance(value, dict):
        return ("object", frozenset((name, json_identity(each)) for name, each in value.items()))
    if isinstance(value, list):
        return ("array", tuple(map(json_identity, value)))
    return (type(value) is bool, value)


def is_same_json(first: Any, second: Any) -> bool:
    """Return whether two JSON values are equal by JSON Schema."""
    return json_identity(first) == json_identity(second)


def constants(node: Node) -> Iterable[Any]:
    """Yield every scalar in a schema and the names of its properties, to try values around them."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("properties", "$defs", "definitions") and isinstance(value, dict):
                yield from value
            if key not in ("description", "title", "$ref", "$schema", "type", "format"):
                yield from constants(value)
    elif isinstance(node, list):
        for each in node:
            yield from constants(each)
    elif node is not None and not isinstance(node, bool):
        yield node


def types_of(given: Any) -> list[str]:
    """Return the types that a `type` keyword names; an empty list if it is missing."""
    if given is None:
        return []
    return [given] if isinstance(given, str) else list(given)


def item_schemas(node: Mapping[str, Any]) -> tuple[list[Node], Node]:
    """Return the schemas of the first items, and that of all others; of 2020-12 or earlier drafts."""
    items = node.get("items", True)
    if isinstance(items, list):
        return items, node.get("additionalItems", True)
    return list(node.get("prefixItems", ())), items


def _joined_maps(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: {"allOf": [first[name], second[name]]} if name in first and name in second else {**first, **second}[name]
        for name in {**first, **second}
    }


def _joined_types(first: Any, second: Any) -> list[str]:
    pairs = [(one, other) for one in types_of(first) for other in types_of(second)]
    both = [
        "integer" if {one, other} == {"integer", "number"} else one
        for one, other in pairs
        if one == other or {one, other} == {"integer", "number"}
    ]
    return list(dict.fromkeys(both))


_JOINED: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "minimum": max, "exclusiveMinimum": max, "minLength": max, "minItems": max, "minProperties": max,
    "maximum": min, "exclusiveMaximum": min, "maxLength": min, "maxItems": min, "maxProperties": min,
    "required": lambda first, second: list(dict.fromkeys([*first, *second])),
    "enum": lambda first, second: [each for each in first if any(is_same_json(each, other) for other in second)],
    "type": _joined_types,
    "properties": _joined_maps,
    "patternProperties": _joined_maps,
    "items": lambda first, second: {"allOf": [first, second]},
    "propertyNames": lambda first, second: {"allOf": [first, second]},
    "additionalProperties": lambda first, second: False if False in (first, second) else {"allOf": [first, second]},
    "anyOf": lambda first, second: [{"allOf": [one, other]} for one in first for other in second],
    "allOf": lambda first, second: [*first, *second],
}  # fmt: skip


def joined(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords of both schemas; of two values that cannot be joined, the first."""
    both = dict(first)
    for keyword, value in second.items():
        if keyword in both and keyword in _JOINED:
            both[keyword] = _JOINED[keyword](both[keyword], value)
        else:
            both.setdefault(keyword, value)
    return both
