"""Each format sends only what its provider accepts. The rules are written down here again, from the providers' pages.

Nothing is read from the profiles, so a wrong value there is found here. docs/reference/formats.md has the same rules with their sources.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, NotRequired, TypedDict
from uuid import UUID

import annotated_types as at
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from fcregistry import Tool, formats
from fcregistry.errors import DefinitionError

from ..properties.samples import Sample, samples  # noqa: TID252  # the tests are no package
from .shapes import parameters


@dataclass
class Node:
    value: int
    below: list[Node] = field(default_factory=list)
    next: Node | None = None


@dataclass
class Link:
    to: Link | None


@dataclass
class Stop:
    name: Annotated[str, at.Len(1, 40), "What it is called."]
    minutes: Annotated[int, at.Ge(0), at.Lt(60)] = 5
    tags: frozenset[str] = frozenset()


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Options(TypedDict):
    depth: Annotated[float, at.Gt(0)]
    verbose: NotRequired[bool]


class Shape(enum.Enum):
    ROUND = "round"


def records(stops: list[Stop], home: Stop, options: Options | None = None, level: Level = Level.LOW) -> Stop: ...  # type: ignore[empty-body]
def texts(
    day: date, at: datetime, price: Decimal, key: UUID, data: bytes, wait: timedelta = timedelta(0)
) -> None: ...  # fmt: skip
def choices(
    mode: Literal["a", "b"], mixed: Literal["a", 1, True, None], yes: Literal[True], one: Shape, none: None = None
) -> None: ...
def tuples(
    point: tuple[float, float], pair: tuple[int, str] | None, nothing: tuple[()], many: tuple[int, ...] = ()
) -> None: ...
def constrained(
    n: Annotated[int, at.Gt(3), at.Le(9), at.MultipleOf(2)], r: Annotated[float, at.Gt(0)], l: Annotated[list[int], at.Len(2, 5)] = []  # noqa: B006, E741
) -> None: ...  # fmt: skip
def recursive(tree: Node | None = None) -> None: ...
def chained(link: Link) -> None: ...
def free(anything: Any, by_name: dict[str, int], listed: list, *rest: int, **others: float) -> None: ...  # type: ignore[type-arg]
def nothing() -> None: ...


TOOLS = [
    Tool.from_function(each)
    for each in (records, texts, choices, tuples, constrained, recursive, chained, free, nothing)
]
FOREIGN: list[dict[str, Any]] = [
    {},
    {"type": "object", "properties": {}},
    {"properties": {"a": {"oneOf": [{"type": "string"}, {"type": "integer"}]}}},
    {"properties": {"a": {"allOf": [{"type": "string", "minLength": 1}, {"pattern": "^a"}], "description": "A."}}},
    {"properties": {"a": {"type": "array", "items": [{"type": "string"}], "additionalItems": False}}},
    {"properties": {"a": {"$ref": "#/definitions/A", "title": "T"}}, "definitions": {"A": {"type": "string", "format": "uri"}}},
    {"properties": {"a": {"type": "integer", "minimum": 1, "exclusiveMinimum": True}}, "$schema": "http://json-schema.org/draft-04/schema#"},
    {"properties": {"a": {"not": {"type": "null"}, "type": ["string", "null"]}, "b": {"const": 3}}, "required": ["a"]},
    {"properties": {"a": {"type": "string", "pattern": "^(?=x)\\w{2,2000}$"}, "b": {"type": "object", "patternProperties": {"^x": {}}}}},
    {"properties": {"a": {"type": "array", "minItems": 3, "contains": {"type": "integer"}, "items": {"type": "number"}}}},
]  # fmt: skip

_SCALARS = {"string", "integer", "number", "boolean", "null"}
_STRICT = {
    "type",
    "enum",
    "anyOf",
    "$ref",
    "title",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "items",
}
RULES: dict[tuple[str, bool], dict[str, Any]] = {
    ("openai", True): {  # OpenAI guide "Structured model outputs", "Supported schemas"
        "keywords": _STRICT | {"minItems", "maxItems", "pattern", "format", "multipleOf", "minimum", "maximum"}
        | {"exclusiveMinimum", "exclusiveMaximum"},
        "formats": {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"},
        "closed": True, "all_required": True, "recursion": True,
    },
    ("anthropic", True): {  # Claude guide "Structured outputs", "JSON Schema limitations"
        "keywords": _STRICT | {"const", "default", "minItems", "pattern", "format"},
        "formats": {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"},
        "closed": True, "all_required": False, "recursion": False, "most_min_items": 1, "pattern_has_not": ["(?=", "(?!", "(?<", "\\b", "\\1"],
    },
    ("bedrock", True): {  # Amazon Bedrock user guide, "Get validated JSON results from models"
        "keywords": _STRICT | {"const", "minItems", "format"},
        "formats": {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"},
        "closed": True, "all_required": False, "recursion": False, "most_min_items": 1,
    },
    ("gemini", False): {  # Gemini API reference, "responseJsonSchema"; guide "Structured outputs"
        "keywords": (_STRICT | {"format", "oneOf", "prefixItems", "minItems", "maxItems", "minimum", "maximum"}),
        "formats": {"date-time", "date", "time"},
        "closed": False, "all_required": False, "recursion": "optional", "enum_of": (str, int, float),
    },
}  # fmt: skip
RULES["openai-responses", True] = RULES["openai", True]


def schema_in(definition: Any) -> dict[str, Any]:
    """Return the schema of the parameters in a definition of whichever format."""
    body = definition.get("function") or definition.get("toolSpec") or definition
    for name in ("parameters", "input_schema", "parametersJsonSchema", "inputSchema"):
        if name in body:
            return body[name].get("json", body[name])  # type: ignore[no-any-return]
    return {"type": "object", "properties": {}, "additionalProperties": False, "required": []}


def within(schema: Any, path: str = "$") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a schema and all inside it, each with its place."""
    assert isinstance(schema, dict), f"{path} is {schema!r}"
    yield path, schema
    for keyword in ("properties", "$defs"):
        for name, inner in schema.get(keyword, {}).items():
            yield from within(inner, f"{path}.{keyword}.{name}")
    for keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for at_, inner in enumerate(schema.get(keyword, ())):
            yield from within(inner, f"{path}.{keyword}[{at_}]")
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield from within(schema[keyword], f"{path}.{keyword}")


def offences(root: dict[str, Any], rules: dict[str, Any]) -> list[str]:
    """Return what a schema has that the rules forbid."""
    found = [] if root.get("type") == "object" else ["$: the top must be an object"]
    for path, schema in within(root):
        keywords = set(schema) - ({"$defs"} if path == "$" else set())
        found += [f"{path}: {keyword}" for keyword in keywords - rules["keywords"]]
        if schema.get("format", next(iter(rules["formats"]))) not in rules["formats"]:
            found.append(f"{path}: format {schema['format']}")
        if "$ref" in schema and (
            len(schema) > 1 or schema["$ref"].removeprefix("#/$defs/") not in root.get("$defs", {})
        ):
            found.append(f"{path}: $ref with company, or to nothing")
        if not all(
            isinstance(value, rules.get("enum_of", object)) and value is not True for value in schema.get("enum", ())
        ) and ("enum_of" in rules):
            found.append(f"{path}: enum {schema['enum']}")
        found += _shape_offences(path, schema, rules)
    return found + _recursion_offences(root, rules)


def _shape_offences(path: str, schema: dict[str, Any], rules: dict[str, Any]) -> Iterator[str]:
    properties, required = set(schema.get("properties", ())), schema.get("required", [])
    if set(required) - properties or len(set(required)) < len(required):
        yield f"{path}: requires what it does not list"
    kinds = schema.get("type", [])
    if rules["closed"]:
        if (
            "object" in (kinds if isinstance(kinds, list) else [kinds])
            and schema.get("additionalProperties") is not False
        ):
            yield f"{path}: is open"
        if not {"type", "anyOf", "$ref", "enum"} & set(schema):
            yield f"{path}: has no type"
        if kinds == "array" and "items" not in schema:
            yield f"{path}: has no items"
        if any(isinstance(value, (list, dict)) for value in schema.get("enum", ())):
            yield f"{path}: enum of objects"
    if rules["all_required"] and "properties" in schema and set(required) != properties:
        yield f"{path}: not all required"
    if schema.get("minItems", 0) > rules.get("most_min_items", 10**9):
        yield f"{path}: minItems {schema['minItems']}"
    if any(part in schema.get("pattern", "") for part in rules.get("pattern_has_not", ())):
        yield f"{path}: pattern {schema['pattern']}"


def _recursion_offences(root: dict[str, Any], rules: dict[str, Any]) -> list[str]:
    """Return the definitions that refer to themselves in a way that is not allowed, told by following every path."""
    if rules["recursion"] is True:
        return []
    only_required = rules["recursion"] == "optional"
    defs = root.get("$defs", {})

    def follow(schema: dict[str, Any], seen: tuple[str, ...]) -> Iterator[str]:
        if "$ref" in schema:
            name = schema["$ref"].removeprefix("#/$defs/")
            if name in seen:
                yield f"{name} refers to itself"
            else:
                yield from follow(defs[name], (*seen, name))
        for name, inner in schema.get("properties", {}).items():
            if not only_required or name in schema.get("required", ()):
                yield from follow(inner, seen)
        for keyword in ("anyOf", "oneOf", "prefixItems"):
            for inner in schema.get(keyword, ()):
                yield from follow(inner, seen)
        for keyword in ("items", "additionalProperties"):
            if isinstance(schema.get(keyword), dict):
                yield from follow(schema[keyword], seen)

    return [each for name, schema in defs.items() for each in follow(schema, (name,))] + list(follow(root, ()))


def definitions(tool: Tool, format_name: str, strict: bool) -> Iterator[Any]:
    """Yield how a tool is described, whatever is done with types that refer to themselves; nothing where it cannot be."""
    for recursion in ("refuse", "cut"):
        try:
            yield tool.definition(format_name, strict=strict, recursion=recursion)
        except DefinitionError:
            continue


def take(**given: Any) -> None: ...


foreign_tools = [Tool.from_function(take, parameters=schema) for schema in FOREIGN]
NAMED_RULES = [pytest.param(*key, rules, id=f"{key[0]}{'-strict' * key[1]}") for key, rules in RULES.items()]


@pytest.mark.parametrize(("format_name", "strict", "rules"), NAMED_RULES)
@pytest.mark.parametrize(
    "tool", [*TOOLS, *foreign_tools], ids=[each.name for each in TOOLS] + [str(at_) for at_ in range(len(FOREIGN))]
)
def test_what_is_sent_breaks_none_of_the_providers_rules(
    tool: Tool, format_name: str, strict: bool, rules: dict[str, Any]
) -> None:
    for definition in definitions(tool, format_name, strict):
        assert offences(schema_in(definition), rules) == []


@pytest.mark.parametrize(("format_name", "strict", "rules"), NAMED_RULES)
def test_most_tools_can_be_described(format_name: str, strict: bool, rules: dict[str, Any]) -> None:
    """The test above would pass for a format that refuses everything."""
    said = [tool.name for tool in TOOLS if list(definitions(tool, format_name, strict))]
    assert set(said) >= {tool.name for tool in TOOLS} - ({"free"} if strict else set())


def typed_tool(sample: Sample, other: Sample) -> Tool:
    def given_types(one, two=...):  # type: ignore[no-untyped-def]
        pass

    given_types.__annotations__ = {"one": sample.annotation, "two": other.annotation}
    return Tool.from_function(given_types)


tools = st.one_of(
    st.builds(typed_tool, samples, samples),
    parameters.map(lambda schema: Tool.from_function(take, parameters=schema)),
)
UNTIMED = settings(
    deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


@given(tools)
@settings(UNTIMED, max_examples=150)
def test_no_tool_at_all_breaks_a_rule(tool: Tool) -> None:
    note(str(tool.parameters))
    for (format_name, strict), rules in RULES.items():
        for definition in definitions(tool, format_name, strict):
            note(f"{format_name} {definition}")
            assert offences(schema_in(definition), rules) == []


@given(tools)
@settings(UNTIMED, max_examples=60)
def test_every_schema_that_is_sent_is_json_schema_and_the_same_each_time(tool: Tool) -> None:
    for name in ("anthropic", "bedrock", "gemini", "mcp", "openai", "openai-responses", "json-schema"):
        for strict in (False, True)[: 1 + (formats.get(name).strict_profile is not None)]:
            for definition, again in zip(definitions(tool, name, strict), definitions(tool, name, strict), strict=True):
                schema = definition if name == "json-schema" else schema_in(definition)
                Draft202012Validator.check_schema(schema)
                assert json.dumps(definition) == json.dumps(again)


@pytest.mark.parametrize("tool", TOOLS, ids=[each.name for each in TOOLS])
@pytest.mark.parametrize("format_name", ["openai", "openai-responses", "anthropic", "bedrock", "mcp"])
def test_without_strict_a_schema_is_sent_as_it_is(tool: Tool, format_name: str) -> None:
    definition = tool.definition(format_name)
    assert schema_in(definition) == tool.parameters
    assert definition.dropped == ()


def test_the_checker_sees_what_it_looks_for() -> None:
    rules = RULES["anthropic", True]
    bad = {
        "type": "object",
        "properties": {
            "a": {"type": "object", "properties": {}},
            "b": {"type": "integer", "minimum": 1},
            "c": {"type": "string", "format": "decimal"},
            "d": {"$ref": "#/$defs/D", "description": "d"},
            "e": {"type": "array", "items": {}, "minItems": 2},
        },
        "required": ["z"],
        "additionalProperties": False,
        "$defs": {"D": {"anyOf": [{"$ref": "#/$defs/D"}, {"type": "null"}]}},
    }
    assert sorted(set(offences(bad, rules))) == [
        "$.properties.a: is open",
        "$.properties.b: minimum",
        "$.properties.c: format decimal",
        "$.properties.d: $ref with company, or to nothing",
        "$.properties.e.items: has no type",
        "$.properties.e: minItems 2",
        "$: requires what it does not list",
        "D refers to itself",
    ]
    assert "$: not all required" in offences(
        {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False},
        RULES["openai", True],
    )
