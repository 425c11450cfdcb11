"""The schema that constrains a model's arguments, in the keywords that decoders know.

A decoder works token by token and cannot look ahead, so a small model fills an unbounded text or array until it reaches its token limit. In
this schema, each has a limit. Keywords that no decoder knows (`uniqueItems`, `not`, `contains`, `if`, ...) are left out, so the caller must
validate the arguments against the tool's own schema.

Source: JSON Schema Core and Validation, 2020-12; llama.cpp, "GBNF Guide"; llguidance, "JSON schema".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fcregistry_llama._bounds import BOUNDS, USUAL_LIMITS, Limits, Schema, anything, number, text
from fcregistry_llama._merging import merge

MOST_DEPTH: Final = 3
"""How many levels deep a schema may refer to itself."""

_SCALARS: Final = ("string", "number", "boolean", "null")
_ABOUT: Final = {
    "object": frozenset(
        {"properties", "required", "additionalProperties", "propertyNames", "minProperties", "maxProperties"}
    ),
    "array": frozenset({"items", "prefixItems", "minItems", "maxItems"}),
    "string": frozenset({"minLength", "maxLength", "pattern", "format"}),
    "number": frozenset({*BOUNDS, "multipleOf"}),
}
"""Type -> the keywords that constrain its values."""

_SAID: Final = frozenset({"type", "enum", "const", "anyOf", "oneOf", "allOf"}).union(*_ABOUT.values())
"""The keywords that are read here; a decoder has no use for others, such as `title`."""

_NAMES: Final = "^[A-Za-z][A-Za-z0-9_ -]{0,23}$"
"""The property names that a model may write if the schema does not list any."""

_LAYOUT: Final = {"x-guidance": {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}}
"""Makes llguidance write JSON on one line. Other decoders ignore it."""


def choice_schema(names: Sequence[str]) -> Schema:
    """Return the schema of a JSON string that is one of `names`."""
    return {**_LAYOUT, "type": "string", "enum": [*names]}


def arguments_schema(parameters: Mapping[str, Any], limits: Limits = USUAL_LIMITS) -> Schema:
    """Return the schema of the arguments that a model may write.

    Args:
        parameters: The schema of the tool's parameters.
        limits: The limits of what the model may write.

    Returns:
        A schema whose values are valid against the given one, as far as decoders know its keywords. If no finite value is valid, because an
        object must contain another of its kind, the schema of any object.
    """
    written = value_schema(parameters, parameters, limits)
    if written is None or written.get("type", "object") != "object":
        return {**_LAYOUT, "type": "object"}
    return written


def value_schema(schema: Any, root: Mapping[str, Any], limits: Limits = USUAL_LIMITS) -> Schema | None:
    """Return the schema of a value that a model may write, such as one argument; None if no finite value is valid.

    Args:
        schema: The schema of the value.
        root: The schema in which references are resolved, such as that of a tool's parameters.
        limits: The limits of what the model may write.
    """
    writer = _Bounded(root, limits)
    written = writer.schema(schema, {})
    return written and {**_LAYOUT, **written, **({"$defs": writer.named} if writer.named else {})}


def is_empty(schema: Schema) -> bool:
    """Return whether `{}` is the only value of `schema`, that of arguments."""
    return schema.get("additionalProperties") is False and not (schema["properties"] or schema.get("patternProperties"))


class _Bounded:
    """Writes the bounded form of a schema and of all that it refers to.

    Args:
        root: The whole schema, in which references are resolved.
        limits: The limits of what the model may write.
    """

    def __init__(self, root: Mapping[str, Any], limits: Limits) -> None:
        self._root = root
        self._limits = limits
        self._names: dict[tuple[str, int], str | None] = {}
        self.named: dict[str, Schema] = {}

    def schema(self, given: Any, depths: Mapping[str, int]) -> Schema | None:
        """Return the bounded form of a schema, or None if no finite value is valid against it.

        Args:
            given: The schema.
            depths: Reference -> how often it was followed on the way here.
        """
        if given is False:
            return None
        if not isinstance(given, Mapping):
            return anything()
        if "allOf" in given:
            return self.schema(merge(given, self._found), depths)
        if "$ref" in given:
            return self._reference(given, depths)
        for keyword in ("anyOf", "oneOf"):
            if keyword in given:
                return self._one_of(given, keyword, depths)
        if "const" in given or "enum" in given:
            return {"enum": [given["const"]] if "const" in given else list(given["enum"])}
        return self._by_type(given, depths)

    def _found(self, reference: str) -> Any:
        """Return the target of a reference; `True` (any value) if it is not in this schema."""
        found: Any = self._root
        if not reference.startswith("#"):
            return True
        for step in reference[1:].split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            found = found.get(key, True) if isinstance(found, Mapping) else True
        return found

    def _reference(self, given: Mapping[str, Any], depths: Mapping[str, int]) -> Schema | None:
        """Return the bounded form of `given`, which has a `$ref`, or None if no finite value is valid."""
        reference = given["$ref"]
        depth = depths.get(reference, 0)
        if depth > MOST_DEPTH:
            return None
        beside = {keyword: value for keyword, value in given.items() if keyword != "$ref" and keyword in _SAID}
        if beside:
            return self.schema(
                merge({"allOf": [self._found(reference), beside]}, self._found), {**depths, reference: depth + 1}
            )
        key = (reference, depth)
        if key not in self._names:
            name = str(
                len(self._names)
            )  # numbered: two references may end alike, or contain characters that need escapes
            self._names[key] = None
            written = self.schema(self._found(reference), {**depths, reference: depth + 1})
            if written is not None:
                self.named[name] = written
                self._names[key] = name
        found = self._names[key]
        return None if found is None else {"$ref": f"#/$defs/{found}"}

    def _one_of(self, given: Mapping[str, Any], keyword: str, depths: Mapping[str, int]) -> Schema | None:
        """Return the bounded form of a union whose alternatives are under `keyword`.

        Return None if no finite value is valid.
        """
        beside = {each: value for each, value in given.items() if each != keyword and each in _SAID}
        choices = [
            self.schema(merge({"allOf": [each, beside]}, self._found) if beside else each, depths)
            for each in given[keyword]
        ]
        ending = [each for each in choices if each is not None]
        return {"anyOf": ending} if ending else None

    def _by_type(self, given: Mapping[str, Any], depths: Mapping[str, int]) -> Schema | None:
        """Return the bounded form of a schema by its type or types; None if no finite value is valid."""
        types = given.get("type", _implied_types(given))
        if not isinstance(types, str):
            return self._one_of({"anyOf": [{**given, "type": each} for each in types]}, "anyOf", depths)
        if types == "object":
            return self._object(given, depths)
        if types == "array":
            return self._array(given, depths)
        if types == "string":
            return text(given, self._limits)
        return number(given, types) if types in ("integer", "number") else {"type": types}

    def _object(self, given: Mapping[str, Any], depths: Mapping[str, int]) -> Schema | None:
        """Return the bounded form of an object's schema, or None if no finite value is valid.

        Names that are not listed are allowed only if no name is listed.
        """
        others = given.get("additionalProperties", True)
        required = list(given.get("required", ()))
        listed = {
            **given.get("properties", {}),
            **{each: others for each in required if each not in given.get("properties", {})},
        }
        properties = {name: self.schema(each, depths) for name, each in listed.items()}
        if any(properties[name] is None for name in required):
            return None
        written: Schema = {
            "type": "object",
            "properties": {name: each for name, each in properties.items() if each is not None},
            "required": required,
            "additionalProperties": False,
        }
        if not listed and (value := self.schema(others, depths)) is not None:
            written |= self._named_freely(given, value)
        return written

    def _named_freely(self, given: Mapping[str, Any], value: Schema) -> Schema:
        """Return the keywords for the properties of `given`, an object's schema that lists no names.

        The schema of the properties is `value`. Without a pattern of the names that decoders can read, there are no properties.
        """
        names = given.get("propertyNames", {})
        written = text(names, self._limits) if isinstance(names, Mapping) else {}
        if "format" in written or "enum" in names:
            return {}
        least, most = given.get("minProperties", 0), given.get("maxProperties", self._limits.properties)
        limit = {} if most is None else {"maxProperties": max(most, least)}
        return {"patternProperties": {written.get("pattern", _NAMES): value}, "minProperties": least, **limit}

    def _array(self, given: Mapping[str, Any], depths: Mapping[str, int]) -> Schema | None:
        """Return the bounded form of an array's schema, or None if no finite value is valid."""
        fixed = [self.schema(each, depths) for each in given.get("prefixItems", ())]
        rest = self.schema(given.get("items", True), depths)
        least = given.get("minItems", 0)
        most = min(given.get("maxItems", max(self._limits.items, least)), _room(fixed, rest))
        if least > most:
            return None
        written: Schema = {"type": "array", "minItems": least, "maxItems": most}
        if fixed:
            written["prefixItems"] = fixed[:most]
        return {**written, "items": False if rest is None else rest}


def _room(fixed: Sequence[Schema | None], rest: Schema | None) -> float:
    """Return the most items of an array whose first items have the schemas `fixed`, and the others `rest`.

    A schema is None if no finite value is valid.
    """
    if None in fixed:
        return fixed.index(None)
    return len(fixed) if rest is None else float("inf")


def _implied_types(given: Mapping[str, Any]) -> str | tuple[str, ...]:
    """Return the type or types of the values that `given`, a schema without `type`, describes."""
    for type_, keywords in _ABOUT.items():
        if not keywords.isdisjoint(given):
            return type_
    return _SCALARS
