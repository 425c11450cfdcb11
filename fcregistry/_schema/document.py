"""JSON Schema documents: the schemas in them, references, whether they are well-formed, and a short form for display.

`References` knows only `$ref` and `$anchor` inside one document. References that a validator follows are those of `references.py`.

Source: JSON Schema 2020-12 and before, core and the meta-schemas.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from fcregistry._base.messages import json_path

Place: TypeAlias = tuple[str | int, ...]
"""A place in a schema: the names and positions that lead there from the top."""


def subschemas(schema: dict[str, Any]) -> Iterator[tuple[Place, Any]]:
    """Yield the schemas directly inside a schema with their places, except those of `$defs`: these count only where a reference leads to them."""
    for keyword in _MAPS:
        held = schema.get(keyword)
        if isinstance(held, dict):
            yield from (((keyword, name), inner) for name, inner in held.items())
    for keyword in _LISTS:
        held = schema.get(keyword)
        if isinstance(held, list):
            yield from (((keyword, place), inner) for place, inner in enumerate(held))
    for keyword in _SINGLES:
        held = schema.get(keyword)
        if isinstance(held, list):  # `items` before draft 2020-12
            yield from (((keyword, place), inner) for place, inner in enumerate(held))
        elif isinstance(held, (dict, bool)):
            yield (keyword,), held


_MAPS: Final = ("properties", "patternProperties", "dependentSchemas")
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLES: Final = (
    "items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else",
    "unevaluatedItems", "unevaluatedProperties", "contentSchema", "additionalItems",
)  # fmt: skip


# --- References inside a document ---


class References:
    """The references of one schema, which never leave it.

    Args:
        root: The whole schema.
    """

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._names: dict[Place, str] = {}
        self._anchors: dict[str, Place] | None = None

    def place(self, reference: object) -> Place | None:
        """Return the place that a `$ref` names, or None if it is remote or leads nowhere."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            return None
        fragment = reference[1:]
        if "%" in fragment:
            from urllib.parse import unquote  # rarely needed, and 3 ms

            fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            return self._anchor_places().get(fragment)
        segments = tuple(part.replace("~1", "/").replace("~0", "~") for part in fragment.split("/")[1:])
        found = self._walk(segments)
        return found if found is not None and isinstance(self.at(found), (dict, bool)) else None

    def at(self, place: Place) -> Any:
        """Return the value at a place."""
        value: Any = self._root
        for segment in place:
            value = value[segment]
        return value

    def name(self, place: Place) -> str:
        """Return a name in `$defs` for the schema at a place: its last segment, with `_` added while another place has that name."""
        if place not in self._names:
            name = str(place[-1]) if place else "root"
            while name in self._names.values():
                name += "_"
            self._names[place] = name
        return self._names[place]

    def recursive_places(self, *, required_only: bool = False) -> frozenset[Place]:
        """Return the places that refer to themselves, directly or by way of others.

        Args:
            required_only: Whether to skip references below a property that is not required.
        """
        edges: dict[Place, list[Place]] = {}
        waiting: list[Place] = [()]
        while waiting:
            place = waiting.pop()
            if place not in edges:
                edges[place] = list(self._targets(self.at(place), required_only))
                waiting += self._targets(self.at(place), False)
        return _places_on_cycles(edges)

    def _targets(self, schema: Any, required_only: bool) -> Iterator[Place]:
        """Yield the places that a schema refers to."""
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

    def _walk(self, segments: tuple[str, ...]) -> Place | None:
        value: Any = self._root
        walked: list[str | int] = []
        for segment in segments:
            key: str | int = (
                int(segment) if isinstance(value, list) and segment.isdecimal() and len(segment) < 10 else segment
            )
            try:
                value = value[key]
            except (KeyError, IndexError, TypeError):
                return None
            walked.append(key)
        return tuple(walked)

    def _anchor_places(self) -> dict[str, Place]:
        if self._anchors is None:
            self._anchors = {}
            waiting: list[tuple[Place, Any]] = [((), self._root)]
            while waiting:
                place, schema = waiting.pop()
                if isinstance(schema, dict):
                    anchor = schema.get("$anchor")
                    if isinstance(anchor, str):
                        self._anchors.setdefault(anchor, place)
                    waiting += [((*place, *inner), each) for inner, each in subschemas(schema)]
                    waiting += [((*place, "$defs", name), each) for name, each in _defs(schema).items()]
        return self._anchors


def _defs(schema: dict[str, Any]) -> dict[str, Any]:
    held = schema.get("$defs")
    return held if isinstance(held, dict) else {}


def _places_on_cycles(edges: dict[Place, list[Place]]) -> frozenset[Place]:
    """Return the nodes of a graph that lie on a cycle: Tarjan's strongly connected components, without recursion."""
    order: dict[Place, int] = {}
    low: dict[Place, int] = {}
    stack: list[Place] = []
    stacked: set[Place] = set()
    found: set[Place] = set()
    for start, targets in edges.items():
        work = [(start, iter(targets))] if start not in order else []
        while work:
            node, following = work[-1]
            if node not in order:
                order[node] = low[node] = len(order)
                stack.append(node)
                stacked.add(node)
            for target in following:
                if target not in order:
                    work.append((target, iter(edges[target])))
                    break
                if target in stacked:
                    low[node] = min(low[node], order[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    found.update(_take_component(node, stack, stacked, edges))
    return frozenset(found)


def _take_component(
    node: Place, stack: list[Place], stacked: set[Place], edges: dict[Place, list[Place]]
) -> list[Place]:
    """Take the component of a node off the stack; nothing if it is one node that does not refer to itself."""
    component: list[Place] = []
    while node not in component[-1:]:
        component.append(stack.pop())
        stacked.discard(component[-1])
    return component if len(component) > 1 or node in edges[node] else []


# --- Well-formed schemas ---


def check_tool_schemas(parameters: dict[str, Any], returns: dict[str, Any] | None, *, is_defined: bool) -> None:
    """Check the schemas of a tool that an external record describes: code that shows or compares them relies on their form.

    Args:
        parameters: The schema of the arguments.
        returns: The schema of the result, or None.
        is_defined: Whether the tool can be defined. One that cannot has no parameters.

    Raises:
        ValueError: A schema is malformed. The message continues the words "what it says of the tool".
    """
    for field, schema in (("parameters", parameters), ("returns", returns or {})):
        if (place := malformed_place(schema)) is not None:
            raise ValueError(f"cannot be used: {field} is no JSON Schema: {place} holds what it cannot")
    if is_defined and not (parameters.get("type") == "object" and "properties" in parameters):
        raise ValueError("cannot be used: parameters is no schema of an object with properties")


def malformed_place(schema: object) -> str | None:
    """Return the JSON path of the first keyword whose value is of a wrong kind, or None.

    Only kinds are checked, and those of every draft are accepted: records are read so often that the meta-schema would cost too much.

    Args:
        schema: A JSON value of any depth.
    """
    waiting: list[tuple[object, _Steps]] = [(schema, None)]
    while waiting:
        value, path = waiting.pop()
        if type(value) is dict:
            for keyword, held in value.items():
                if keyword in _KEYWORD_CHECKS and not _KEYWORD_CHECKS[keyword](held):
                    return _path_text((path, keyword))
                waiting.extend(_held_schemas(keyword, held, (path, keyword)))
        elif type(value) is not bool:
            return _path_text(path)
    return None


_Steps: TypeAlias = "tuple[_Steps, str | int] | None"
"""A path as a linked list, last step first: a tuple of all steps would be copied at each."""


def _held_schemas(keyword: str, held: Any, path: _Steps) -> Iterator[tuple[object, _Steps]]:
    """Yield the schemas in the value of a keyword, with their paths."""
    if keyword in _SCHEMAS_BY_NAME:
        for name, each in held.items():
            if type(each) is not list:  # of `dependencies`, names
                yield each, (path, name)
    elif keyword in _SCHEMA_LISTS or (keyword == "items" and type(held) is list):  # as it was before 2020-12
        for place, each in enumerate(held):
            yield each, (path, place)
    elif keyword in _SINGLE_SCHEMAS:
        yield held, path


def _path_text(path: _Steps) -> str:
    steps: list[str | int] = []
    while path is not None:
        path, step = path
        steps.append(step)
    return json_path(reversed(steps))


def _is_text(value: object) -> bool:
    return type(value) is str


def _is_number(value: object) -> bool:
    return type(value) in (int, float)


def _is_limit(value: object) -> bool:
    return _is_number(value) or type(value) is bool  # the exclusive ones of draft 4


def _is_list(value: object) -> bool:
    return type(value) is list


def _is_object(value: object) -> bool:
    return type(value) is dict


def _are_names(value: object) -> bool:
    return type(value) is list and all(map(_is_text, value))


def _is_type(value: object) -> bool:
    return _is_text(value) or _are_names(value)


_SCHEMAS_BY_NAME: Final = frozenset(
    {"properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"}
)

_SCHEMA_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})

_SINGLE_SCHEMAS: Final = frozenset(
    {
        *("items", "additionalItems", "unevaluatedItems", "contains"),
        *("additionalProperties", "unevaluatedProperties", "propertyNames"),
        *("not", "if", "then", "else"),
    }
)

_KEYWORD_CHECKS: Final[dict[str, Callable[[object], bool]]] = {
    **dict.fromkeys(("title", "description", "format", "pattern", "$ref", "$dynamicRef", "$schema"), _is_text),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), _is_number),
    **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum"), _is_limit),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _is_number),
    **dict.fromkeys(("minProperties", "maxProperties", "minContains", "maxContains"), _is_number),
    **dict.fromkeys((*_SCHEMA_LISTS, "enum"), _is_list),
    **dict.fromkeys((*_SCHEMAS_BY_NAME, "dependentRequired"), _is_object),
    "required": _are_names,
    "type": _is_type,
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
    if "prefixItems" in schema:
        return f"[{', '.join(show_type(each) for each in schema['prefixItems'])}]"
    inner = show_type(schema.get("items", {}))
    return f"({inner})[]" if " | " in inner else f"{inner}[]"


def _show_object(schema: dict[str, Any]) -> str:
    required = schema.get("required", ())
    fields = [show_parameter(name, each, name in required) for name, each in schema.get("properties", {}).items()]
    extra = schema.get("additionalProperties")
    if isinstance(extra, dict) and extra:
        fields.append(f"[name]: {show_type(extra)}")
    return f"{{{', '.join(fields)}}}" if fields else "object"
