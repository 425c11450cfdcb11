"""Which type does a tool's schema give a parameter? For syntaxes that write every value as bare text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from weakref import WeakKeyDictionary

from fcregistry.dialects._json_text import FAILED, Refused, read_value

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool

ToolShape: TypeAlias = "Tool | Mapping[str, Any]"
"""A tool, or its definition: `{"name", "parameters"}`, or as OpenAI's chat writes it."""


class Shapes:
    """The schemas of the tools that may be called, by name; each read where it is asked for, as there may be many tools.

    Args:
        tools: The tools or their definitions; None where they are not known.
    """

    __slots__ = ("_by_name", "_shapes", "_tools")

    def __init__(self, tools: Iterable[ToolShape] | None) -> None:
        self._tools = tools
        self._by_name: dict[str, ToolShape] | None = None
        self._shapes: dict[str, _Shape] = {}

    @property
    def are_known(self) -> bool:
        """Whether anybody said what may be called."""
        return self._tools is not None

    def __contains__(self, name: str) -> bool:
        return name in self._named()

    def of(self, name: str) -> Mapping[str, Any]:
        """Return the schema of a tool's parameters; an empty one of a tool that is not known."""
        return self._shape(name).schema

    def value(self, tool: str, parameter: str, text: str) -> Any:
        """Return the value that a parameter's text stands for: as its schema says, and the text itself without one."""
        return self._shape(tool).value(parameter, text)

    def _shape(self, name: str) -> _Shape:
        shape = self._shapes.get(name)
        if shape is None:
            tool = self._named().get(name)
            shape = self._shapes[name] = _UNKNOWN if tool is None else _shape_of(tool)
        return shape

    def _named(self) -> dict[str, ToolShape]:
        if self._by_name is None:
            self._by_name = {_name_of(tool): tool for tool in self._tools or ()}
        return self._by_name


def _name_of(tool: ToolShape) -> str:
    if not isinstance(tool, Mapping):
        return tool.name
    return str(tool.get("function", tool).get("name", ""))


class _Shape:
    """The types of a tool's parameters.

    Args:
        schema: The schema of all of them.
    """

    __slots__ = ("_kinds", "schema")

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self.schema = schema
        self._kinds: dict[str, set[str]] = {}

    def value(self, parameter: str, text: str) -> Any:
        """Return the value that a parameter's text stands for."""
        kinds = self._kinds.get(parameter)
        if kinds is None:
            kinds = self._kinds_of(parameter)
        return _meant(text, kinds) if kinds else text

    def _kinds_of(self, parameter: str) -> set[str]:
        """Return the types that a parameter's text may be meant as; none where it is the text itself."""
        properties = self.schema.get("properties")
        if (
            not isinstance(properties, _MAPPINGS) or parameter not in properties
        ):  # the name is the model's: not to be kept
            return _kinds_of_text(self.schema.get("additionalProperties"), self.schema)
        kinds = self._kinds[parameter] = _kinds_of_text(properties[parameter], self.schema)
        return kinds


def _shape_of(tool: ToolShape) -> _Shape:
    if not isinstance(tool, Mapping):
        shape = _SHAPES.get(tool)
        if shape is None:
            shape = _SHAPES[tool] = _Shape(tool.parameters)
        return shape
    inner = tool.get("function", tool)
    given = next((inner[key] for key in ("parameters", "input_schema", "inputSchema") if key in inner), None)
    return _Shape(given) if isinstance(given, Mapping) else _UNKNOWN


_SHAPES: Final[WeakKeyDictionary[Tool, _Shape]] = WeakKeyDictionary()
"""The shapes of tools that were asked for: a tool makes a copy of its schema each time, and never changes."""
_UNKNOWN: Final = _Shape({})


def typed(text: str, schema: Any, root: Mapping[str, Any]) -> Any:
    """Return what a text stands for in a place of a schema.

    Where a string may stand and nothing else, or nothing is known, it is the text itself. Otherwise it is the JSON value that it holds, or would
    but for slips (Python's literals, single quotes), if one of that type may stand there; else the text, which validation then refuses.

    Args:
        text: The text.
        schema: The schema of the place.
        root: The whole schema, which references in it lead into.
    """
    return _meant(text, _kinds_of_text(schema, root))


def _kinds_of_text(schema: Any, root: Mapping[str, Any]) -> set[str]:
    """Return the types that a text in a place may be meant as; none where it is the text itself."""
    kinds = _kinds(schema, root, 0)
    return set() if kinds == _STRING_ALONE else kinds


def _meant(text: str, kinds: set[str]) -> Any:
    if not kinds:
        return text
    value = read_value(text.strip(), [])
    if value is FAILED or type(value) is Refused:
        return text
    kind = _KINDS.get(type(value), "null")
    if kind in kinds or (kind == "integer" and "number" in kinds):
        return value
    if kind == "number" and "integer" in kinds and value.is_integer():
        return value  # 1.0 is an integer of JSON Schema
    return text


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
