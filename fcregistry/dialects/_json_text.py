"""JSON in a model's text, and the types that tools' schemas give to bare text.

Anything that JSON cannot have, even with the slips that are corrected, ends the search for the bracket that closes a value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._base.call import ToolCall
from fcregistry._base.json import (
    MAX_DEPTH,
    SLIPS,
    STRICT_DECODER,
    ArgumentsError,
    NotJsonError,
    read_lenient_json,
)
from fcregistry._schema.document import References
from fcregistry.dialects._brackets import Notation, take_balanced

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.dialects._source import Reading, TextSource

# --- JSON in a text ---

FAILED: Final = object()
"""Marks that there is no value: None is a value of JSON."""


def json_value(source: TextSource, opening: str = "{[") -> Reading[Any]:
    """Take the JSON object or array that comes next, after white space, and return its value.

    Return `FAILED` if neither comes next, or it is malformed or cut off.

    JSON that is refused for what it holds is a `RefusedText`. The slips that were corrected are added to `source.repairs`.

    Args:
        source: The text.
        opening: The brackets that it may begin with: `{`, `[` or both.
    """
    bracket = source.text[source.place : source.place + 1]
    if not bracket or bracket not in opening:  # else the usual case, without generators
        yield from source.space()
        if not (yield from source.is_next(*opening)):
            return FAILED
    begin, repairs = source.place, list[str]()
    if source.value[0] == begin and source.ended:
        _, source.place, value, repairs = source.value
    else:
        text = yield from take_balanced(source, _JSON)
        value = FAILED if text is None else read_value(text, repairs)
        if source.ended:
            source.value = begin, source.place, value, repairs
    source.repairs += repairs
    return value


def _may_follow(mark: str, outside: str) -> bool:
    """Return whether a value or comment may begin with `mark` after `outside`, text outside strings.

    A comment may directly follow white space or a comma. A value may follow a comma or a colon, with white space between or not, or white space
    alone. If `outside` is empty, all but `#` may come; a round bracket never may. So the apostrophe in "[don't" and the slashes in "[see http://"
    begin neither: these texts are prose.
    """
    if not outside:
        return mark not in ("#", "(")
    if mark in ("/*", "//", "#"):
        return outside[-1:].isspace() or outside[-1:] == ","
    return mark != "(" and outside.rstrip()[-1:] in _BEFORE_VALUES


_BEFORE_VALUES: Final = frozenset((",", ":", ""))  # the last one: white space alone
_STRING: Final = r""""(?>[^"\\]+|\\.)*+"|'(?>[^'\\]+|\\.)*+'"""
_PLAIN: Final = r"[\w\s$.+\-:,]"
_BEFORE_VALUE: Final = r"(?>[\w\s$.+\-]*+[:,])*+\s*+"
_FLAT: Final = rf"(?:{_BEFORE_VALUE}(?:{_STRING}))*+{_PLAIN}*+"
"""The text between brackets that contain no further bracket."""
_JSON: Final = Notation(
    usual=re.compile(rf"((?:{_BEFORE_VALUE}(?:{_STRING}|\{{{_FLAT}\}}|\[{_FLAT}\]))*+)({_PLAIN}*+)", re.DOTALL),
    deepest=re.compile(rf"((?:{_BEFORE_VALUE}(?:{_STRING}))*+)({_PLAIN}*+)", re.DOTALL),
    plain=re.compile(rf"()({_PLAIN}*+)"),
    strings={'"': '"', "'": "'", "//": "\n", "/*": "*/", "#": "\n"},
    may_follow=_may_follow,
    is_strict=True,
    between=rf"{_BEFORE_VALUE}(?:(?://[^\n]*+\n|/\*(?:[^*]|\*(?!/))*+\*/){_BEFORE_VALUE})*+",
)

_UNBEGUN: Final = rf"""(?!(?:[\w\s$.+\-]*+[,:])*+\s*+["'{{\[]|{_PLAIN}*+(?:(?<=[\s,{{\[])/(?:[/*]|\Z)|(?<=[\s,])#|\Z)){_PLAIN}*+[}}\]]?"""
"""The text after a bracket, if no string and no other bracket follows in JSON."""
_NO_VALUE: Final = r"""(?:(?<=[\w$.+\-])(?=["'{\[])|(?=[^\w\s$.+\-:,"'{}\[\]/#]))"""
"""The place of a character that can follow in no JSON, where a value could begin."""
_BROKEN: Final = rf"(?:{_BEFORE_VALUE}(?:{_STRING}|[{{\[])){{0,16}}+{_PLAIN}*+{_NO_VALUE}"
"""The text after a bracket up to such a place, if it is near, and no bracket is closed before it.

It must be nearer than a reader may give up because of too many levels. Else the same text would be searched again and again.
"""


def other_json(*names: str, takes_bare_names: bool = False) -> str:
    """Return the pattern of what `json_value` reads after a bracket, if it certainly contains no call.

    This is a value without any of the names of members that a call has, up to two levels deep, or text that cannot begin JSON.

    Args:
        *names: The names.
        takes_bare_names: Whether an object with one text, which may be the tool's name, is a call.
    """
    text = r"""(?:"[^"\\]*+"|'[^'\\]*+')"""
    lone = "" if takes_bare_names else rf"|(?<=\{{)\s*+{text}\s*+:\s*+{text}\s*+\}}"
    keys = "|".join(names)
    string = rf"""(?:"(?!(?:{keys})")[^"\\]*+"|'(?!(?:{keys})')[^'\\]*+')"""
    before = rf"(?:(?!\s*+(?:{keys})\s*+:)[\w\s$.+\-]*+[,:])*+\s*+"
    flat = rf"(?:{before}{string})*+{_PLAIN}*+"
    inside = rf"(?:{before}(?:{string}|\{{{flat}\}}|\[{flat}\]))*+{_PLAIN}*+"
    return rf"""(?:{_UNBEGUN}|(?<=\{{){inside}\}}|(?<=\[){inside}\]|{_BROKEN}{lone})"""


def other_after_mark(*names: str) -> str:
    """Return the pattern of text after a mark that is surely neither JSON with a call nor an empty array.

    Args:
        *names: The names of members that a call has.
    """
    return rf"(?:\s*+(?![{{\[]|\Z)|{other_json_after_mark(*names)})"


def other_json_after_mark(*names: str) -> str:
    """Return the pattern of JSON after a mark that is surely neither a call nor an empty array.

    Args:
        *names: The names of members that a call has.
    """
    return rf"\s*+(?!\[[\s,]*+\])[{{\[]{other_json(*names, takes_bare_names=True)}"


LANGUAGE: Final = r"[\w+\-]*+"
"""The pattern of the language that a code fence names."""


def read_value(text: str, repairs: list[str]) -> Any:
    """Return the value of `text` if it is JSON apart from slips, which are added to `repairs`.

    Return a `RefusedText` if it is JSON that is refused for its content, and `FAILED` if it is not JSON.
    """
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


@dataclass(frozen=True, slots=True)
class RefusedText:
    """JSON that is refused for its content.

    A name occurs twice, a number is not finite, or there are too many levels.

    Attributes:
        text: The text of an object or an array.
    """

    text: str

    def calls(self, names: tuple[str, ...], arguments: tuple[str, ...]) -> list[ToolCall] | None:
        """Return the calls in the text, or None if anything in it is not a call.

        Their arguments are text, which the executor refuses.

        Args:
            names: The possible keys of the tool's name.
            arguments: The possible keys of the arguments.
        """
        try:
            value = json.loads(self.text, object_pairs_hook=_Pairs)
        except (ValueError, RecursionError):
            return None
        calls = [_call_of_pairs(each, names, arguments) for each in ([value] if isinstance(value, _Pairs) else value)]
        return None if None in calls else [call for call in calls if call is not None]


def _call_of_pairs(pairs: object, names: tuple[str, ...], arguments: tuple[str, ...]) -> ToolCall | None:
    """Return the call that an object with the members `pairs` represents, with its arguments as JSON text.

    Of several members of one name, the last counts. Return None if `pairs` is not a `_Pairs`, its name is missing, empty or not text, or its
    arguments are missing or null.

    Args:
        pairs: The members.
        names: The possible keys of the tool's name, the preferred first.
        arguments: The possible keys of the arguments, the preferred first.
    """
    members = dict(pairs) if isinstance(pairs, _Pairs) else {}
    name = next((members[key] for key in names if key in members), None)
    given = next((members[key] for key in arguments if key in members), None)
    return ToolCall(name, _json_of_pairs(given)) if isinstance(name, str) and name and given is not None else None


class _Pairs(list[tuple[str, Any]]):
    """The members of an object, including several of one name."""


def _json_of_pairs(value: Any) -> str:
    """Return `value` as JSON text, in which an object has all its members, including several of one name."""
    if isinstance(value, _Pairs):
        return "{" + ", ".join(f"{json.dumps(name)}: {_json_of_pairs(item)}" for name, item in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_json_of_pairs, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return the JSON value `value` with `change` applied to all its texts, and to the names of members."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(name): map_texts(each, change) for name, each in value.items()}
    return [map_texts(each, change) for each in value] if isinstance(value, (list, tuple)) else value


# --- The types of bare text ---

ToolShape: TypeAlias = "Tool | Mapping[str, Any]"
"""A tool, or its definition: `{"name", "parameters"}`, or as OpenAI's chat writes it."""


class Shapes:
    """The schemas of the tools that may be called, by name.

    A schema is read at its first use, since there may be many tools.

    Args:
        tools: The tools or their definitions; None if they are not known.
    """

    __slots__ = ("_by_name", "_schemas", "are_known")

    def __init__(self, tools: Iterable[ToolShape] | None) -> None:
        self.are_known: Final = tools is not None
        """Whether the caller gave the tools."""
        self._by_name: Final = {_name_of(tool): tool for tool in tools or ()}
        self._schemas: Final[dict[str, Mapping[str, Any]]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def of(self, name: str) -> Mapping[str, Any]:
        """Return the schema of the parameters of the tool `name`, or an empty schema for an unknown tool."""
        if name not in self._by_name:
            return {}
        if name not in self._schemas:
            self._schemas[name] = _schema_of(self._by_name[name])
        return self._schemas[name]

    def resolve(self, written: str, others: Iterable[str], repairs: list[str]) -> str:
        """Return the name of the tool that a model calls `written`.

        That is `written` itself, unless no tool has this name, and exactly one of `others` is a tool; then `repairs` gets a sentence.

        Args:
            written: The name in the text.
            others: The names of tools that may be written so.
            repairs: The repairs of the text.
        """
        found = set() if written in self._by_name else self._by_name.keys() & set(others)
        if len(found) != 1:
            return written
        (name,) = found
        repairs.append(f"there is no tool {written!r}: it is read as {name!r}")
        return name

    def value(self, tool: str, parameter: str, text: str) -> Any:
        """Return the value that `text` has for `parameter` of `tool`, by the tool's schema.

        Without a schema, return `text` itself.
        """
        schema = self.of(tool)
        properties = schema.get("properties")
        place = schema.get("additionalProperties")
        if isinstance(properties, Mapping):
            place = properties.get(parameter, place)
        return value_by_schema(text, place, schema)

    def unwrapped(self, tool: str, arguments: dict[str, Any], repairs: list[str]) -> dict[str, Any]:
        """Return the `arguments` of a call of `tool`, without the object that some models wrap them in.

        They are wrapped if the call has one argument, the tool has no parameter of that name, and the argument is an object of the tool's
        parameters only; then `repairs` gets a sentence. Other arguments are returned unchanged.
        """
        wrapper = next(iter(arguments)) if len(arguments) == 1 else ""
        known = self.of(tool).get("properties") if wrapper in _WRAPPERS else None
        if not isinstance(known, Mapping) or wrapper in known:
            return arguments
        inner = arguments[wrapper]
        if isinstance(inner, str):
            inner = read_value(inner.strip(), [])
        if not isinstance(inner, dict) or not inner or not inner.keys() <= known.keys():
            return arguments
        repairs.append(f"the parameter {wrapper!r}, which the tool does not have, held the arguments: they are taken")
        return inner


_WRAPPERS: Final = frozenset({"arguments", "input", "parameters", "properties"})


def _name_of(tool: ToolShape) -> str:
    """Return the name of `tool`, a tool or its definition; an empty text if the definition has none."""
    if not isinstance(tool, Mapping):
        return tool.name
    return str(tool.get("function", tool).get("name", ""))


def _schema_of(tool: ToolShape) -> Mapping[str, Any]:
    """Return the schema of the parameters of `tool`, a tool or its definition.

    Return an empty schema if the definition has none that is a mapping.
    """
    if not isinstance(tool, Mapping):
        return tool.parameters
    inner = tool.get("function", tool)
    given = next((inner[key] for key in ("parameters", "input_schema", "inputSchema") if key in inner), None)
    return given if isinstance(given, Mapping) else {}


def value_by_schema(text: str, schema: Any, root: Mapping[str, Any]) -> Any:
    """Return the value of `text` at a place where `schema` holds.

    It is `text` itself if `schema` allows only strings, or is not known. Otherwise it is the JSON value of `text`, with slips corrected
    (Python's literals, single quotes, escaped quotes), if `schema` allows its type; else `text`, which validation then refuses.

    Args:
        text: The text.
        schema: The schema of the place.
        root: The whole schema, for references.
    """
    kinds = kinds_of(schema, root)
    if not kinds or kinds == {"string"}:
        return text
    value = read_value(text.strip(), [])
    if value is FAILED and '\\"' in text and not kinds & {"string", "null"}:
        value = _read_escaped(text.strip())
    if value is FAILED or type(value) is RefusedText:
        return text
    kind = _kind(value)
    if kind in kinds or (kind == "integer" and "number" in kinds):
        return value
    if kind == "number" and "integer" in kinds and value.is_integer():
        return value  # 1.0 is an integer of JSON Schema
    return text


def _read_escaped(text: str) -> Any:
    r"""Return the value of `text` if it is JSON with escaped quotes, as in `[{\"id\": 1}]`; else `FAILED`.

    Return a `RefusedText` if the JSON is refused for its content.
    """
    try:
        return read_value(json.loads(f'"{text}"'), [])
    except ValueError:
        return FAILED


_KINDS: Final = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}


def _kind(value: object) -> str:
    """Return the name of the JSON type of `value`; "null" for any value of no JSON type."""
    return _KINDS.get(type(value), "null")


_TYPE_NAMES: Final = {
    "str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array", "tuple": "array", "dict": "object",
}  # fmt: skip
"""Names of types that definitions of tools use in place of JSON Schema's."""

_DEEPEST: Final = 8
"""The references and unions that are followed to find a type; anything deeper may be of any type."""


def kinds_of(schema: Any, root: Mapping[str, Any], depth: int = 0) -> set[str]:
    """Return the names of the JSON types that `schema` allows, or an empty set if they are not known."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return set()
    given = schema.get("type")
    if isinstance(given, str):
        return {_TYPE_NAMES.get(given, given)}
    if isinstance(given, list):
        return {_TYPE_NAMES.get(each, each) for each in given if isinstance(each, str)}
    if isinstance(schema.get("$ref"), str):
        return kinds_of(References(dict(root)).target(schema["$ref"]), root, depth + 1)
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return {_kind(each) for each in schema["enum"]}
    if "const" in schema:
        return {_kind(schema["const"])}
    for key in ("anyOf", "oneOf", "allOf"):
        if isinstance(schema.get(key), list):
            kinds = [kinds_of(each, root, depth + 1) for each in schema[key]]
            known = [each for each in kinds if each]
            if key != "allOf" and len(known) < len(kinds):
                return set()
            return set().union(*known)
    return {"object"} if "properties" in schema else {"array"} if "items" in schema else set()


def schema_of_kind(schema: Any, root: Mapping[str, Any], kind: str, depth: int = 0) -> Mapping[str, Any]:
    """Return the part of `schema` for values of the JSON type `kind`, with references and unions resolved.

    It is empty if no such part is known.
    """
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return {}
    if isinstance(schema.get("$ref"), str):
        return schema_of_kind(References(dict(root)).target(schema["$ref"]), root, kind, depth + 1)
    for key in ("anyOf", "oneOf", "allOf"):
        for each in schema[key] if isinstance(schema.get(key), list) else ():
            if kind in kinds_of(each, root):
                return schema_of_kind(each, root, kind, depth + 1)
    return schema
