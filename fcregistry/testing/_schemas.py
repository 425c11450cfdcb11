"""A JSON Schema with references followed and conjunctions joined, and the depth of its values.

Joined keywords may be narrower or wider than the schema if they cannot be joined exactly. Code that generates values from them filters by a
validator of the original part, which `SchemaReader.validator_of` returns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias

from fcregistry._schema.document import References, walk_schemas
from fcregistry._schema.joining import join, types_of
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
        self._references = References(self.schema)
        self._validator = Validator(self.schema, STRING_FORMATS)
        self._parts_in_use: list[Node] = []
        self._flat: dict[int, tuple[Node, Flat]] = {}

    def target(self, reference: object) -> Node:
        """Return the target of a reference; `True`, which accepts any value, if it is elsewhere."""
        found = self._references.target(reference)
        return True if found is None else found

    def validator_of(self, node: Node) -> Callable[[Any], bool]:
        """Return a function that returns whether a part of this document accepts a value.

        The part may also be a schema made of several parts.
        """
        self._parts_in_use.append(node)  # the validator knows parts by their ids, which no other object must get
        return lambda value: self._validator.accepts_part(node, value)

    def height(self, node: Node) -> float:
        """Return the least number of references that a value of `node` needs; infinity if it would never end."""
        return self._height(node, self._heights)

    @cached_property
    def _heights(self) -> dict[str, float]:
        """Reference -> the height of its target, infinity if no value would ever end.

        It is a fixed point that is approached from infinity.
        """
        found = {each["$ref"] for _, each in walk_schemas(self.schema) if isinstance(each.get("$ref"), str)}
        known = dict.fromkeys(sorted(found), math.inf)
        changed = True
        while changed:
            again = {each: self._height(self.target(each), known) for each in known}
            changed, known = again != known, again
        return known

    def _height(self, node: Node, known: Mapping[str, float]) -> float:
        """Return the height of `node`: the least depth of nested references that a value of it needs.

        It is infinity if no value is possible, as for False, and 0 for True and for what is not a schema.

        Args:
            node: A part of the schema.
            known: Reference -> the height of its target. The target of a reference that it lacks counts as 0.
        """
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
        """Return the height of the values of `node` that are of the type `kind`; `known` is as in `_height`.

        It is 0 for types other than `object` and `array`; of these, only required properties and items count.
        """
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
                keywords, _ = join(keywords, part)
            self._flat[id(node)] = (node, Flat(keywords, len(parts) < 2, bool(followed)))
        return self._flat[id(node)][1]

    def _parts(self, node: Node, above: tuple[str, ...], followed: set[str]) -> Iterator[dict[str, Any]]:
        """Yield the schemas whose conjunction `node` is, without `$ref` and `allOf`.

        Keywords that only describe are left out, and `const` becomes an `enum`. True has no parts; False has one that accepts nothing.

        Args:
            node: A part of the schema.
            above: The references that lead to it, which are not followed again.
            followed: The references that were followed; more are added.
        """
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


def _as_enum(own: dict[str, Any]) -> dict[str, Any]:
    """Return keywords with an `enum` of one value in place of `const`; `own` itself without `const`."""
    if "const" not in own:
        return own
    return {**{key: value for key, value in own.items() if key != "const"}, "enum": [own["const"]]}


# --- Keywords ---

TYPES: Final = ("null", "boolean", "integer", "number", "string", "array", "object")
DESCRIBING: Final = frozenset({
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "discriminator", "$comment",
    "$schema", "$id", "id", "$anchor", "$defs", "definitions", "$vocabulary", "contentEncoding", "contentMediaType",
})  # fmt: skip
"""Keywords that no value can violate."""


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


def item_schemas(node: Mapping[str, Any]) -> tuple[list[Node], Node]:
    """Return the schemas of the first items, and the schema of all other items, by any draft."""
    items = node.get("items", True)
    if isinstance(items, list):
        return items, node.get("additionalItems", True)
    return list(node.get("prefixItems", ())), items
