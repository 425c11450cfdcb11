"""Which type does a tool's schema give a parameter? For syntaxes that write every value as bare text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from weakref import WeakKeyDictionary

from fcregistry._json import SLIPS, ArgumentsError, read_text
from fcregistry._json._strict import MAX_DEPTH, STRICT_DECODER

if TYPE_CHECKING:
    from fcregistry._tool import Tool

ToolShape: TypeAlias = "Tool | Mapping[str, Any]"
"""A tool, or its definition: `{"name", "parameters"}`, or as OpenAI's chat writes it."""

_UNKNOWN: Final[Mapping[str, Any]] = {}


class Shapes:
    """The schemas of the tools that may be called, by name; each read where it is asked for, as there may be many tools.

    Args:
        tools: The tools or their definitions; None where they are not known.
    """

    __slots__ = ("_by_name", "_schemas", "_tools")

    def __init__(self, tools: Iterable[ToolShape] | None) -> None:
        self._tools = tools
        self._by_name: dict[str, ToolShape] | None = None
        self._schemas: dict[str, Mapping[str, Any]] = {}

    @property
    def are_known(self) -> bool:
        """Whether anybody said what may be called."""
        return self._tools is not None

    def __contains__(self, name: str) -> bool:
        return name in self._named()

    def of(self, name: str) -> Mapping[str, Any]:
        """Return the schema of a tool's parameters; an empty one of a tool that is not known."""
        schema = self._schemas.get(name)
        if schema is None and (tool := self._named().get(name)) is not None:
            schema = self._schemas[name] = _schema_of(tool)
        return _UNKNOWN if schema is None else schema

    def value(self, tool: str, parameter: str, text: str) -> Any:
        """Return the value that a parameter's text stands for: as its schema says, and the text itself without one."""
        schema = self.of(tool)
        return typed(text, _property(schema, parameter), schema)

    def _named(self) -> dict[str, ToolShape]:
        if self._by_name is None:
            self._by_name = {_name_of(tool): tool for tool in self._tools or ()}
        return self._by_name


def _name_of(tool: ToolShape) -> str:
    if not isinstance(tool, Mapping):
        return tool.name
    return str(tool.get("function", tool).get("name", ""))


def _schema_of(tool: ToolShape) -> Mapping[str, Any]:
    if not isinstance(tool, Mapping):
        schema = _SCHEMAS.get(tool)
        if schema is None:
            schema = _SCHEMAS[tool] = tool.parameters
        return schema
    inner = tool.get("function", tool)
    given = next((inner[key] for key in ("parameters", "input_schema", "inputSchema") if key in inner), None)
    return given if isinstance(given, Mapping) else _UNKNOWN


_SCHEMAS: Final[WeakKeyDictionary[Tool, Mapping[str, Any]]] = WeakKeyDictionary()
"""The schemas of tools that were asked for: a tool makes a copy each time, and never changes."""


def _property(schema: Mapping[str, Any], name: str) -> Any:
    properties = schema.get("properties")
    if isinstance(properties, _MAPPINGS) and name in properties:
        return properties[name]
    return schema.get("additionalProperties", _UNKNOWN)


def typed(text: str, schema: Any, root: Mapping[str, Any]) -> Any:
    """Return what a text stands for in a place of a schema.

    Where a string may stand and nothing else, or nothing is known, it is the text itself. Otherwise it is the JSON value that it holds, or would
    but for slips (Python's literals, single quotes), if one of that type may stand there; else the text, which validation then refuses.

    Args:
        text: The text.
        schema: The schema of the place.
        root: The whole schema, which references in it lead into.
    """
    kinds = _kinds(schema, root, 0)
    if not kinds or kinds == _STRING_ALONE:
        return text
    value = _read(text.strip())
    if value is _NONE:
        return text
    kind = _kind(value)
    if kind in kinds or (kind == "integer" and "number" in kinds):
        return value
    if kind == "number" and "integer" in kinds and value.is_integer():
        return value  # 1.0 is an integer of JSON Schema
    return text


def _read(text: str) -> Any:
    """Return the JSON value of a text without space around it, also of one with slips; `_NONE` of one that has none."""
    try:
        value, end = STRICT_DECODER.raw_decode(text)
        if end == len(text) and (type(value) in _SIMPLE or _is_shallow(text)):
            return value
    except (ValueError, RecursionError):
        pass  # which the reader of slips says more exactly
    try:
        return read_text(text, False, SLIPS, "the value")[0]
    except ArgumentsError:
        return _NONE


def _is_shallow(text: str) -> bool:
    return text.count("{") + text.count("[") <= MAX_DEPTH


_NONE: Final = object()
_SIMPLE: Final = frozenset({str, int, float, bool, type(None)})


_STRING_ALONE: Final = frozenset({"string"})
_KINDS: Final = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
_MAPPINGS: Final = (dict, Mapping)
"""Mappings: those that are dicts, as most are, are told faster."""


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "null")


_DEEPEST: Final = 8
"""References and unions that are followed to learn of a type; deeper ones are taken for anything."""


def _kinds(schema: Any, root: Mapping[str, Any], depth: int) -> set[str]:
    """Return the JSON types that may stand in a place; none where that is not known."""
    if not isinstance(schema, _MAPPINGS) or depth > _DEEPEST:
        return set()
    given = schema.get("type")
    if isinstance(given, str):
        return {given}
    if isinstance(given, list):
        return {each for each in given if isinstance(each, str)}
    if isinstance(schema.get("$ref"), str):
        return _kinds(_referred(schema["$ref"], root), root, depth + 1)
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return {_kind(each) for each in schema["enum"]}
    if "const" in schema:
        return {_kind(schema["const"])}
    for key in ("anyOf", "oneOf", "allOf"):
        if isinstance(schema.get(key), list):
            kinds = [_kinds(each, root, depth + 1) for each in schema[key]]
            known = [each for each in kinds if each]
            if key != "allOf" and len(known) < len(kinds):
                return set()
            return set().union(*known)
    return {"object"} if "properties" in schema else {"array"} if "items" in schema else set()


def _referred(reference: str, root: Mapping[str, Any]) -> Any:
    """Return what a reference within a schema leads to; nothing where it leads elsewhere."""
    place: Any = root
    for step in reference.removeprefix("#").split("/")[1:] if reference.startswith("#") else [None]:
        name = None if step is None else step.replace("~1", "/").replace("~0", "~")
        if not isinstance(place, Mapping) or name not in place:
            return None
        place = place[name]
    return place
