"""JSON in a model's text, and the types that tools' schemas give to bare text.

Anything that JSON cannot have, even with the slips that are corrected, ends the search for the bracket that closes a value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from weakref import WeakKeyDictionary

from fcregistry._base.call import ToolCall
from fcregistry._base.json import (
    MAX_DEPTH,
    SLIPS,
    STRICT_DECODER,
    ArgumentsError,
    NotJsonError,
    read_lenient_json,
)
from fcregistry.dialects._brackets import Notation, take_balanced

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.dialects._source import Reading, TextSource

# --- JSON in a text ---

FAILED: Final = object()
"""Marks that there is no value: None is a value of JSON."""


def json_value(source: TextSource, opening: str = "{[") -> Reading[Any]:
    """Take the JSON object or array that comes next, after white space, and return it.

    Return `FAILED` if none does, or it is cut off.

    JSON that is refused for what it holds is a `RefusedText`. The slips that were corrected are added to `source.repairs`.

    Args:
        source: The text.
        opening: The brackets that it may begin with: `{`, `[` or both.
    """
    yield from source.space()
    if not (yield from source.is_next(*opening)):
        return FAILED
    text = yield from take_balanced(source, _JSON)
    return FAILED if text is None else read_value(text, source.repairs)


def _may_follow(mark: str, outside: str) -> bool:
    """Return whether a value or a comment may begin after text outside strings.

    In "[don't" and "[see http://" none does: these are prose.
    """
    if mark in ("/*", "//", "#"):
        return outside[-1:].isspace() or outside[-1:] == "," or (not outside and mark != "#")
    return mark != "(" and outside.rstrip()[-1:] in _BEFORE_VALUES


_BEFORE_VALUES: Final = frozenset(("", ",", ":"))
_STRING: Final = r""""(?>[^"\\]+|\\.)*+"|'(?>[^'\\]+|\\.)*+'"""
_JSON: Final = Notation(
    usual=re.compile(rf"((?:(?>[\w\s$.+\-]*+[:,])*+\s*+(?:{_STRING}))*+)([\w\s$.+\-:,]*+)", re.DOTALL),
    plain=re.compile(r"()([\w\s$.+\-:,]*+)"),
    strings={'"': '"', "'": "'", "//": "\n", "/*": "*/", "#": "\n"},
    may_follow=_may_follow,
    is_strict=True,
)


def read_value(text: str, repairs: list[str]) -> Any:
    """Return the value of text that is JSON apart from slips; `FAILED` for any other."""
    try:
        value, end = STRICT_DECODER.raw_decode(text)
        if end == len(text) and text.count("{") + text.count("[") <= MAX_DEPTH:
            return value
    except (ValueError, RecursionError):
        pass  # the reader of slips gives a more exact reason
    try:
        value, slips = read_lenient_json(text, False, SLIPS, "a call")
    except NotJsonError:
        return FAILED
    except ArgumentsError:
        return RefusedText(text)
    repairs += slips
    return value


class RefusedText:
    """JSON that is refused for what it holds, as the executor tells the model.

    It has a name twice, a number that is not finite, or too many levels.

    Args:
        text: The text of an object or an array.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    @property
    def text(self) -> str:
        """The text."""
        return self._text

    def calls(self, names: tuple[str, ...], arguments: tuple[str, ...]) -> list[ToolCall] | None:
        """Return the calls in it, one or an array of them, with their arguments as text.

        Return None if anything in it is not a call.

        Args:
            names: The possible keys of the tool's name.
            arguments: The possible keys of the arguments.
        """
        try:
            value = json.loads(self._text, object_pairs_hook=_Pairs)
        except (ValueError, RecursionError):
            return None
        calls = [_call_of_pairs(each, names, arguments) for each in ([value] if isinstance(value, _Pairs) else value)]
        return None if None in calls else [call for call in calls if call is not None]


def _call_of_pairs(pairs: object, names: tuple[str, ...], arguments: tuple[str, ...]) -> ToolCall | None:
    members = dict(pairs) if isinstance(pairs, _Pairs) else {}
    name = next((members[key] for key in names if key in members), None)
    held = next((members[key] for key in arguments if key in members), None)
    return ToolCall(name, _json_of_pairs(held)) if isinstance(name, str) and name and held is not None else None


class _Pairs(list[tuple[str, Any]]):
    """The members of an object, including several of one name."""


def _json_of_pairs(value: Any) -> str:
    if isinstance(value, _Pairs):
        return "{" + ", ".join(f"{json.dumps(name)}: {_json_of_pairs(item)}" for name, item in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_json_of_pairs, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


# --- The types of bare text ---

ToolShape: TypeAlias = "Tool | Mapping[str, Any]"
"""A tool, or its definition: `{"name", "parameters"}`, or as OpenAI's chat writes it."""


class Shapes:
    """The schemas of the tools that may be called, by name.

    A schema is read when it is asked for, since there may be many tools.

    Args:
        tools: The tools or their definitions; None if they are not known.
    """

    __slots__ = ("_by_name", "_shapes", "_tools")

    def __init__(self, tools: Iterable[ToolShape] | None) -> None:
        self._tools = tools
        self._by_name: dict[str, ToolShape] | None = None
        self._shapes: dict[str, _Shape] = {}

    @property
    def are_known(self) -> bool:
        """Whether the caller gave the tools."""
        return self._tools is not None

    def __contains__(self, name: str) -> bool:
        return name in self._tools_by_name()

    def of(self, name: str) -> Mapping[str, Any]:
        """Return the schema of a tool's parameters; an empty one for an unknown tool."""
        return self._shape(name).schema

    def value(self, tool: str, parameter: str, text: str) -> Any:
        """Return the value of a parameter's text: by its schema, or the text itself without one."""
        return self._shape(tool).value(parameter, text)

    def _shape(self, name: str) -> _Shape:
        shape = self._shapes.get(name)
        if shape is None:
            tool = self._tools_by_name().get(name)
            shape = self._shapes[name] = _UNKNOWN if tool is None else _shape_of(tool)
        return shape

    def _tools_by_name(self) -> dict[str, ToolShape]:
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
        """Return the value of a parameter's text."""
        kinds = self._kinds.get(parameter)
        if kinds is None:
            kinds = self._kinds_of(parameter)
        return _typed_value(text, kinds) if kinds else text

    def _kinds_of(self, parameter: str) -> set[str]:
        """Return the types that a parameter's text may have; none if the value is the text itself."""
        properties = self.schema.get("properties")
        if not isinstance(properties, _MAPPINGS) or parameter not in properties:
            # The model made this name up: it is not cached.
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
"""The shapes of tools that were asked for: a tool copies its schema each time, and never changes."""
_UNKNOWN: Final = _Shape({})


def value_by_schema(text: str, schema: Any, root: Mapping[str, Any]) -> Any:
    """Return the value of a text at a place of a schema.

    It is the text itself if only a string is allowed there, or nothing is known. Otherwise it is the JSON value of the text, with slips
    corrected (Python's literals, single quotes), if its type is allowed there; else the text, which validation then refuses.

    Args:
        text: The text.
        schema: The schema of the place.
        root: The whole schema, into which references lead.
    """
    return _typed_value(text, _kinds_of_text(schema, root))


def _kinds_of_text(schema: Any, root: Mapping[str, Any]) -> set[str]:
    """Return the types that a text at a place may have; none if the value is the text itself."""
    kinds = _kinds(schema, root, 0)
    return set() if kinds == _STRING_ALONE else kinds


def _typed_value(text: str, kinds: set[str]) -> Any:
    if not kinds:
        return text
    value = read_value(text.strip(), [])
    if value is FAILED or type(value) is RefusedText:
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
"""Mappings: most are dicts, which are recognized faster."""


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "null")


_DEEPEST: Final = 8
"""The references and unions that are followed to find a type; anything deeper may be of any type."""


def _kinds(schema: Any, root: Mapping[str, Any], depth: int) -> set[str]:
    """Return the JSON types that are allowed at a place; none if they are not known."""
    if not isinstance(schema, _MAPPINGS) or depth > _DEEPEST:
        return set()
    given = schema.get("type")
    if isinstance(given, str):
        return {given}
    if isinstance(given, list):
        return {each for each in given if isinstance(each, str)}
    if isinstance(schema.get("$ref"), str):
        return _kinds(_resolve_reference(schema["$ref"], root), root, depth + 1)
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


def _resolve_reference(reference: str, root: Mapping[str, Any]) -> Any:
    """Return the target of a reference within a schema; None if it leads elsewhere."""
    place: Any = root
    for step in reference.removeprefix("#").split("/")[1:] if reference.startswith("#") else [None]:
        name = None if step is None else step.replace("~1", "/").replace("~0", "~")
        if not isinstance(place, Mapping) or name not in place:
            return None
        place = place[name]
    return place
