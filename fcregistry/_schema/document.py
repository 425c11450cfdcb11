"""JSON Schema documents: the schemas in them, their references, their form and a short text.

Source: JSON Schema 2020-12 and before, core and the meta-schemas.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from fcregistry._base.forks import cached_attribute
from fcregistry._base.wording import json_path

Place: TypeAlias = tuple[str | int, ...]
"""A place in a schema: the names and positions that lead there from the top."""


# --- The schemas in a schema ---


DEFINITIONS: Final = ("$defs", "definitions")

SCHEMAS_BY_NAME: Final = frozenset({
    "properties", "patternProperties", "dependentSchemas", "dependencies", *DEFINITIONS,
})  # fmt: skip
"""The keywords whose value is an object of schemas."""

SCHEMA_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
"""The keywords whose value is a list of schemas."""

SINGLE_SCHEMAS: Final = frozenset({
    "items", "additionalItems", "unevaluatedItems", "contains", "additionalProperties", "unevaluatedProperties",
    "propertyNames", "not", "if", "then", "else", "contentSchema",
})  # fmt: skip
"""The keywords whose value is a schema. `items` was a list of schemas too before draft 2020-12."""


def schemas_of_keyword(keyword: str, value: Any) -> Iterator[tuple[Place, Any]]:
    """Yield the schemas in the value of a keyword, each with its place.

    The place is the keyword, and the schema's name or position in the value.
    """
    if isinstance(value, dict) and keyword in SCHEMAS_BY_NAME:
        for name, inner in value.items():
            if not (keyword == "dependencies" and isinstance(inner, list)):  # a list of names
                yield (keyword, name), inner
    elif isinstance(value, list) and (keyword in SCHEMA_LISTS or keyword == "items"):
        for at, inner in enumerate(value):
            yield (keyword, at), inner
    elif keyword in SINGLE_SCHEMAS:
        yield (keyword,), value


def subschemas(schema: dict[str, Any]) -> Iterator[tuple[Place, Any]]:
    """Yield each schema directly inside a schema, with its place in it, except definitions.

    A schema in `$defs` or `definitions` has an effect only where a reference leads to it.
    """
    for keyword, value in schema.items():
        if keyword not in DEFINITIONS:
            yield from schemas_of_keyword(keyword, value)


def walk_schemas(schema: Any) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield a schema and all schemas inside it with their places.

    The outermost comes first, definitions last; otherwise they come in their order.
    """
    waiting: list[tuple[Place, Any]] = [((), schema)]
    while waiting:
        place, each = waiting.pop()
        if isinstance(each, dict):
            yield place, each
            keywords = sorted(each, key=DEFINITIONS.__contains__)
            inner = [found for keyword in keywords for found in schemas_of_keyword(keyword, each[keyword])]
            waiting += [((*place, *step), one) for step, one in reversed(inner)]


# --- References inside a document ---


class Target(NamedTuple):
    """The target of a reference.

    Attributes:
        contents: The schema.
        resolver: The resolver for its own references.
    """

    contents: Any
    resolver: Any


class References:
    """The references of one schema that lead to a place or an anchor in it.

    `referencing` resolves those that leave it, or that depend on a base URI; see `references.py`.

    Args:
        root: The whole schema.
    """

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._names: dict[Place, str] = {}
        self._targets: dict[str, Target] = {}

    def place(self, reference: object) -> Place | None:
        """Return the place of the schema that a `$ref` leads to; None if no schema in this document is there."""
        found = self._find(reference) if isinstance(reference, str) else None
        return found if found is not None and isinstance(self.at(found), (dict, bool)) else None

    def at(self, place: Place) -> Any:
        """Return the value at a place."""
        value: Any = self._root
        for segment in place:
            value = value[segment]
        return value

    def target(self, reference: object) -> Any:
        """Return the schema that a `$ref` leads to; None if no schema in this document is there."""
        place = self.place(reference)
        return None if place is None else self.at(place)

    def lookup(self, reference: str) -> Target:
        """Return the target of a reference, as a resolver of `referencing` does.

        Raises:
            LookupError: There is no such place in the schema.
        """
        if reference not in self._targets:
            place = self._find(reference)
            if place is None:
                raise LookupError(reference)
            self._targets[reference] = Target(self.at(place), self)
        return self._targets[reference]

    def name(self, place: Place) -> str:
        """Return a name in `$defs` for the schema at `place`, always the same.

        It is the last segment, with `_` added while another place has that name.
        """
        if place not in self._names:
            name = str(place[-1]) if place else "root"
            while name in self._names.values():
                name += "_"
            self._names[place] = name
        return self._names[place]

    def recursive_places(self, *, required_only: bool = False) -> frozenset[Place]:
        """Return the places of schemas that refer to themselves, directly or through other schemas.

        Args:
            required_only: Whether to skip references below a property that is not required.
        """
        edges: dict[Place, list[Place]] = {}
        waiting: list[Place] = [()]
        while waiting:
            place = waiting.pop()
            if place not in edges:
                edges[place] = list(self._targets_of(self.at(place), required_only))
                waiting += self._targets_of(self.at(place), False)
        return frozenset(place for place in edges if place in _reachable(place, edges))

    def _targets_of(self, schema: Any, required_only: bool) -> Iterator[Place]:
        """Yield the places that the references in a schema lead to, at any depth, except in definitions.

        References that leave the document are skipped; a place comes once for each reference to it.

        Args:
            schema: The schema.
            required_only: Whether to skip references below a property that is not required.
        """
        waiting = [schema]
        while waiting:
            each = waiting.pop()
            if not isinstance(each, dict):
                continue
            target = self.place(each.get("$ref"))
            if target is not None:
                yield target
            required = each.get("required", ()) if required_only else ()
            waiting += [
                inner
                for place, inner in subschemas(each)
                if not (required_only and place[0] == "properties" and place[1] not in required)
            ]

    def _find(self, reference: str) -> Place | None:
        """Return the place that a reference names by path or anchor, whether a schema is there or not.

        None if it leaves the document, or names no place in it.
        """
        if not reference.startswith("#"):
            return None
        fragment = reference[1:]
        if "%" in fragment:
            from urllib.parse import unquote  # rarely needed, and 3 ms

            fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            return self._anchors.get(fragment)
        value: Any = self._root
        walked: list[str | int] = []
        for part in fragment.split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            is_position = isinstance(value, list) and name.isdecimal() and len(name) < 10
            try:
                walked.append(int(name) if is_position else name)
                value = value[walked[-1]]
            except (KeyError, IndexError, TypeError):
                return None
        return tuple(walked)

    @cached_attribute
    def _anchors(self) -> dict[str, Place]:
        """Anchor -> the place of the first schema that has it."""
        found: dict[str, Place] = {}
        for place, schema in walk_schemas(self._root):
            if isinstance(anchor := schema.get("$anchor"), str):
                found.setdefault(anchor, place)
        return found


def _reachable(start: Place, edges: dict[Place, list[Place]]) -> set[Place]:
    """Return the places that `start` refers to, in one or more steps; `start` only if it is one of them.

    Args:
        start: A place.
        edges: Place -> the places that it refers to.
    """
    found: set[Place] = set()
    waiting = [*edges[start]]
    while waiting:
        place = waiting.pop()
        if place not in found:
            found.add(place)
            waiting += edges[place]
    return found


# --- Well-formed schemas ---


def check_tool_schemas(parameters: dict[str, Any], returns: dict[str, Any] | None, *, is_defined: bool) -> None:
    """Check the form of the schemas of a tool that an external record describes.

    Code that shows or compares them relies on it.

    Args:
        parameters: The schema of the arguments.
        returns: The schema of the result, or None.
        is_defined: Whether the tool can be defined. One that cannot has no parameters.

    Raises:
        ValueError: A schema is malformed. The message continues the words "its description of the tool".
    """
    for field, schema in (("parameters", parameters), ("returns", returns or {})):
        if (place := malformed_place(schema)) is not None:
            raise ValueError(f"cannot be used: {field} is not a JSON Schema: the value at {place} is of a wrong kind")
    if is_defined and not (parameters.get("type") == "object" and "properties" in parameters):
        raise ValueError("cannot be used: parameters is not the schema of an object with properties")


def malformed_place(schema: object) -> str | None:
    """Return the JSON path of the first keyword whose value is of a wrong kind; None if there is none.

    Only kinds are checked, and those of every draft are accepted: records are read so often that the meta-schema would cost too much.

    Args:
        schema: A JSON value of any depth.
    """
    waiting: list[tuple[object, _Steps]] = [(schema, None)]
    while waiting:
        value, path = waiting.pop()
        if type(value) is dict:
            for keyword, held in value.items():
                if _is_malformed(keyword, held):
                    return _path_text((path, (keyword,)))
                waiting.extend((inner, (path, step)) for step, inner in schemas_of_keyword(keyword, held))
        elif type(value) is not bool:
            return _path_text(path)
    return None


_Steps: TypeAlias = "tuple[_Steps, Place] | None"
"""A path as a linked list, last steps first: a tuple of all steps would be copied at each."""


def _path_text(path: _Steps) -> str:
    """Return a path, a linked list with the last steps first, as text, such as `$.items.type`."""
    steps: list[str | int] = []
    while path is not None:
        path, place = path
        steps += reversed(place)
    return json_path(reversed(steps))


def _is_malformed(keyword: str, value: Any) -> bool:
    """Return whether `value` is of a wrong kind for `keyword`; False for unknown keywords.

    A list in `required` or `type` must hold strings only.
    """
    if keyword not in _KINDS:
        return False
    are_names = keyword in ("required", "type") and type(value) is list
    return type(value) not in _KINDS[keyword] or (are_names and not all(type(each) is str for each in value))


_KINDS: Final[dict[str, tuple[type, ...]]] = {
    **dict.fromkeys(("title", "description", "format", "pattern", "$ref", "$dynamicRef", "$schema"), (str,)),
    **dict.fromkeys(
        ("minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems"), (int, float)
    ),
    **dict.fromkeys(("minProperties", "maxProperties", "minContains", "maxContains"), (int, float)),
    **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum"), (int, float, bool)),  # booleans in draft 4
    **dict.fromkeys((*SCHEMA_LISTS, "enum", "required"), (list,)),
    **dict.fromkeys((*SCHEMAS_BY_NAME, "dependentRequired"), (dict,)),
    "type": (str, list),
}


# --- Short form ---


def show_type(schema: Any) -> str:
    """Return a JSON Schema as a short type, the way TypeScript writes them."""
    if not isinstance(schema, dict):
        return "any" if schema else "never"
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "enum" in schema:
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return " | ".join(show_type(each) for each in schema[keyword])
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(kind)
    if kind == "array":
        return _show_array(schema)
    if kind == "object":
        return _show_object(schema)
    return f"{kind}({schema['format']})" if kind == "string" and "format" in schema else str(kind or "any")


def show_parameter(name: str, schema: Any, required: bool) -> str:
    """Return a property with its type, its default, and a mark if it may be left out."""
    mark = "" if required else "?"
    if isinstance(schema, dict) and "default" in schema:
        return f"{name}: {show_type(schema)} = {json.dumps(schema['default'], ensure_ascii=False)}"
    return f"{name}{mark}: {show_type(schema)}"


def _show_array(schema: dict[str, Any]) -> str:
    """Return an array schema as `T[]` or `(A | B)[]`, or as `[A, B]` with `prefixItems`."""
    if "prefixItems" in schema:
        return f"[{', '.join(show_type(each) for each in schema['prefixItems'])}]"
    inner = show_type(schema.get("items", {}))
    return f"({inner})[]" if " | " in inner else f"{inner}[]"


def _show_object(schema: dict[str, Any]) -> str:
    """Return an object schema as `{name: T, other?: T, [name]: T}`, or `object` if it has no such part."""
    required = schema.get("required", ())
    fields = [show_parameter(name, each, name in required) for name, each in schema.get("properties", {}).items()]
    extra = schema.get("additionalProperties")
    if isinstance(extra, dict) and extra:
        fields.append(f"[name]: {show_type(extra)}")
    return f"{{{', '.join(fields)}}}" if fields else "object"
