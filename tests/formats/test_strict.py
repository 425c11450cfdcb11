"""Strict modes: how a tool is described, what is left out, and what is refused."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import annotated_types as at
import pytest

from fcregistry import Executor, Tool, formats
from fcregistry.errors import DefinitionError
from fcregistry.formats import Definition, Dropped, TextDefinition


class Size(TypedDict):
    width: int
    unit: NotRequired[Literal["mm", "cm"]]


@dataclass
class Part:
    name: str
    sizes: list[Size] = field(default_factory=list)
    next: Part | None = None


def build(
    part: Part, count: Annotated[int, at.Ge(1)] = 1, note: str | None = None, near: tuple[float, float] = (0, 0)
) -> str:
    """Build it.

    Args:
        part: What to build.
    """
    return part.name


def take(**given: Any) -> None: ...


def strict(schema: dict[str, Any], format_name: str = "openai", **options: Any) -> Definition:
    definition = Tool.from_function(take, parameters=schema).definition(format_name, strict=True, **options)
    assert isinstance(definition, Definition)
    return definition


def parameters(schema: dict[str, Any], format_name: str = "openai", **options: Any) -> dict[str, Any]:
    definition = strict(schema, format_name, **options)
    return definition["function"]["parameters"] if format_name == "openai" else definition["input_schema"]  # type: ignore[no-any-return]


def one(schema: Any, **options: Any) -> dict[str, Any]:
    """Return how the schema of one required property is said."""
    written = parameters({"properties": {"a": schema}, "required": ["a"], "additionalProperties": False}, **options)
    return written["properties"]["a"]  # type: ignore[no-any-return]


def dropped(schema: Any, format_name: str = "openai") -> list[tuple[str, str]]:
    whole = {"properties": {"a": schema}, "required": ["a"], "additionalProperties": False}
    return [(each.path, each.keyword) for each in strict(whole, format_name).dropped]


NULL = {"type": "null"}
BUILT = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "sizes": {
            "anyOf": [
                {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "width": {"type": "integer"},
                            "unit": {"type": ["string", "null"], "enum": ["mm", "cm", None]},
                        },
                        "required": ["width", "unit"],
                        "additionalProperties": False,
                    },
                },
                NULL,
            ]
        },
        "next": {"anyOf": [{"$ref": "#/$defs/Part"}, NULL]},
    },
    "required": ["name", "sizes", "next"],
    "additionalProperties": False,
}


def test_openai_wants_every_property_and_null_for_those_that_may_be_left_out_at_every_level() -> None:
    definition = Tool.from_function(build).definition("openai", strict=True)

    assert definition == {
        "type": "function",
        "function": {
            "name": "build",
            "description": "Build it.",
            "parameters": {
                "type": "object",
                "properties": {
                    "part": {**BUILT, "description": "What to build."},
                    "count": {"type": ["integer", "null"], "minimum": 1, "description": "(default: 1)"},
                    "note": {"anyOf": [{"type": "string"}, NULL]},
                    "near": {
                        "anyOf": [{"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}, NULL],
                        "description": "(default: [0, 0])",
                    },
                },
                "required": ["part", "count", "note", "near"],
                "additionalProperties": False,
                "$defs": {"Part": BUILT},
            },
            "strict": True,
        },
    }


def test_what_is_left_out_is_reported_with_its_path_and_reason() -> None:
    definition = Tool.from_function(build).definition("openai", strict=True)

    assert [(each.path, each.keyword, each.value) for each in definition.dropped] == [
        ("$.properties.count", "default", 1),
        ("$.properties.near", "default", [0, 0]),
    ]
    assert str(definition.dropped[0]) == "$.properties.count: default 1: OpenAI's strict mode has no such keyword"
    assert isinstance(definition.dropped[0], Dropped)


def test_strict_is_where_each_provider_looks_for_it() -> None:
    def nothing() -> None: ...

    tool = Tool.from_function(nothing)
    empty = {"type": "object", "properties": {}, "additionalProperties": False}

    assert tool.definition("openai", strict=True)["function"] == {
        "name": "nothing",
        "parameters": {**empty, "required": []},
        "strict": True,
    }
    assert tool.definition("openai-responses", strict=True) == {
        "type": "function",
        "name": "nothing",
        "parameters": {**empty, "required": []},
        "strict": True,
    }
    assert tool.definition("anthropic", strict=True) == {"name": "nothing", "input_schema": empty, "strict": True}
    assert tool.definition("bedrock", strict=True) == {
        "toolSpec": {"name": "nothing", "inputSchema": {"json": empty}, "strict": True}
    }
    assert "strict" not in json.dumps([tool.definition(name) for name in ("openai", "anthropic", "bedrock")])


def test_what_is_optional_to_anthropic_stays_optional() -> None:
    definition = Tool.from_function(build).definition("anthropic", strict=True, recursion="cut")
    schema = definition["input_schema"]

    assert schema["required"] == ["part"]
    assert schema["properties"]["count"] == {"type": "integer", "default": 1, "description": "(minimum: 1)"}
    assert schema["properties"]["near"]["description"] == "(maxItems: 2, minItems: 2)"
    assert schema["properties"]["near"]["minItems"] == 1


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "string"}, {"type": ["string", "null"]}),
        ({"type": "string", "description": "D"}, {"type": ["string", "null"], "description": "D"}),
        ({"type": "string", "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"const": 3}, {"type": ["integer", "null"], "enum": [3, None]}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"type": ["string", "integer"]}, {"type": ["string", "integer", "null"]}),
        ({"enum": ["a", None]}, {"enum": ["a", None], "type": ["string", "null"]}),
        ({"const": None}, {"enum": [None], "type": "null"}),
        (NULL, NULL),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, {"anyOf": [{"type": "string"}, {"type": "integer"}, NULL]}),
        ({"anyOf": [{"type": "string"}, NULL]}, {"anyOf": [{"type": "string"}, NULL]}),
        ({"oneOf": [{"type": "string"}, NULL]}, {"anyOf": [{"type": "string"}, NULL]}),
        ({"anyOf": [{"type": "string"}, {"enum": ["a", None]}]}, {"anyOf": [{"type": "string"}, {"enum": ["a", None], "type": ["string", "null"]}]}),
        ({"$ref": "#/$defs/N"}, {"anyOf": [{"$ref": "#/$defs/N"}, NULL]}),
        ({"$ref": "#/$defs/Maybe"}, {"$ref": "#/$defs/Maybe"}),
        (
            {"type": "array", "items": {"type": "string"}, "title": "T"},
            {"anyOf": [{"type": "array", "items": {"type": "string"}}, NULL], "title": "T"},
        ),
    ],
)  # fmt: skip
def test_null_is_added_as_each_schema_needs_it_and_never_twice(schema: dict[str, Any], said: dict[str, Any]) -> None:
    defs = {
        "N": {
            "type": "object",
            "properties": {"x": {"type": "integer"}},
            "required": ["x"],
            "additionalProperties": False,
        },
        "Maybe": {"type": ["integer", "null"]},
    }
    written = parameters({"properties": {"a": schema}, "additionalProperties": False, "$defs": defs})

    assert written["properties"]["a"] == said
    assert written["required"] == ["a"]


@pytest.mark.parametrize(
    ("schema", "said", "unsaid"),
    [
        ({"type": "string", "minLength": 2}, {"type": "string", "description": "(minLength: 2)"}, ["minLength"]),
        (
            {"type": "string", "format": "decimal", "description": "D."},
            {"type": "string", "description": 'D. (format: "decimal")'},
            ["format"],
        ),
        ({"type": "string", "format": "date"}, {"type": "string", "format": "date"}, []),
        ({"type": "string", "examples": ["a"], "title": "T"}, {"type": "string", "title": "T"}, ["examples"]),
        ({"type": "string", "not": {"pattern": "x" * 99}}, {"type": "string"}, ["not"]),
        (
            {"type": "array", "items": {"type": "integer"}, "uniqueItems": True},
            {"type": "array", "items": {"type": "integer"}, "description": "(uniqueItems: true)"},
            ["uniqueItems"],
        ),
        (
            {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False, "minItems": 2},
            {
                "type": "array", "minItems": 2, "maxItems": 2, "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                "description": "(items in this order: integer, string)",
            },
            ["prefixItems"],
        ),
        (
            {"type": "array", "prefixItems": [{"type": "integer"}], "items": {"type": "integer"}},
            {"type": "array", "items": {"type": "integer"}},
            [],
        ),
        (
            {"type": "array", "prefixItems": [{"type": "integer"}]},
            {"type": "array", "items": {"type": "integer"}, "maxItems": 1},
            ["items"],
        ),
        ({"type": "array", "items": False, "maxItems": 0}, {"type": "array", "items": NULL, "maxItems": 0}, []),
        (
            {"oneOf": [{"type": "integer"}, {"type": "string"}]},
            {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            ["oneOf"],
        ),
        ({"anyOf": [{"type": "integer"}, False]}, {"type": "integer"}, []),
        ({"allOf": [{"type": "number", "minimum": 1}, {"type": "integer", "minimum": 3}]}, {"type": "integer", "minimum": 3}, []),
        (
            {"allOf": [{"$ref": "#/$defs/P"}, {"properties": {"y": {"type": "null"}}, "required": ["y"]}], "description": "D"},
            {
                "type": "object", "properties": {"x": {"type": "integer"}, "y": NULL}, "required": ["x", "y"],
                "additionalProperties": False, "description": "D",
            },
            ["additionalProperties"],
        ),
        (
            {"properties": {"x": {"type": "integer"}}, "required": ["x"]},
            {"properties": {"x": {"type": "integer"}}, "required": ["x"], "type": "object", "additionalProperties": False},
            ["additionalProperties"],
        ),
        ({"type": "string", "default": None, "$comment": "c"}, {"type": "string"}, []),
    ],
)  # fmt: skip
def test_a_keyword_that_openai_does_not_take_is_written_in_another_way_or_in_words(
    schema: dict[str, Any], said: dict[str, Any], unsaid: list[str]
) -> None:
    defs = {"P": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}}
    whole = {"properties": {"a": schema}, "required": ["a"], "additionalProperties": False, "$defs": defs}
    definition = strict(whole)

    assert definition["function"]["parameters"]["properties"]["a"] == said
    assert [each.keyword for each in definition.dropped] == unsaid
    assert {each.path for each in definition.dropped} <= {"$.properties.a"}


def test_a_schema_of_an_older_draft_is_written_in_the_newest() -> None:
    old = {
        "$schema": "http://json-schema.org/draft-04/schema#",
        "id": "here",
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1, "exclusiveMinimum": True},
            "pair": {
                "type": "array",
                "items": [{"$ref": "#/definitions/T"}, {"$ref": "#/definitions/T"}],
                "additionalItems": False,
            },
        },
        "required": ["n", "pair"],
        "additionalProperties": False,
        "definitions": {"T": {"type": "string"}},
    }
    assert parameters(old) == {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "exclusiveMinimum": 1},
            "pair": {"type": "array", "items": {"$ref": "#/$defs/T"}, "maxItems": 2},
        },
        "required": ["n", "pair"],
        "additionalProperties": False,
        "$defs": {"T": {"type": "string"}},
    }


def test_anthropics_patterns_are_simple() -> None:
    assert one({"type": "string", "pattern": "^[a-z]{2,3}$"}, format_name="anthropic")["pattern"] == "^[a-z]{2,3}$"
    assert dropped({"type": "string", "pattern": r"^(?=a)\w+$"}, "anthropic") == [("$.properties.a", "pattern")]
    assert dropped({"type": "string", "pattern": r"\bword\b"}, "anthropic") == [("$.properties.a", "pattern")]
    assert dropped({"type": "string", "pattern": "a{1,5000}"}, "anthropic") == [("$.properties.a", "pattern")]


def free(anything: Any, by_name: dict[str, int], listed: list, *, given: dict, **others: float) -> None: ...  # type: ignore[type-arg]


def test_all_that_cannot_be_expressed_is_refused_together_with_paths_and_what_to_do() -> None:
    with pytest.raises(DefinitionError) as caught:
        Tool.from_function(free).definition("openai", strict=True)

    provider = "OpenAI's strict mode"
    names = (
        f"any name is allowed here, as with dict[str, …] or **kwargs, and {provider} needs each listed; "
        "list them in a dataclass or TypedDict, take a list of names with values, or describe the tool without strict"
    )
    value = (
        f"any JSON value is allowed here, and {provider} needs a type; give it one, or describe the tool without strict"
    )
    assert str(caught.value).startswith(
        "the tool free cannot be described in the format 'openai' with strict=True:\n  - $: "
    )
    assert caught.value.problems == (
        f"$: {names}",
        f"$.properties.anything: {value}",
        f"$.properties.by_name: {names}",
        f"$.properties.listed.items: {value}",
        f"$.properties.given: {names}",
    )


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"type": "object"}, "any name is allowed here"),
        ({"type": "object", "properties": {}, "additionalProperties": True}, "any name is allowed here"),
        (
            {"type": "object", "properties": {}, "patternProperties": {"^x": {"type": "string"}}},
            "any name is allowed here",
        ),
        (
            {
                "type": "object",
                "properties": {},
                "patternProperties": {"^x": {"type": "string"}},
                "unevaluatedProperties": False,
            },
            "any name is allowed here",
        ),
        ({"type": ["object", "null"]}, "any name is allowed here"),
        ({"not": {"type": "null"}}, "any JSON value is allowed here"),
        (True, "any JSON value is allowed here"),
        ({"type": "array"}, "any JSON value is allowed here"),
        ({"enum": [{"x": 1}]}, "OpenAI's strict mode has no choices of objects and arrays; give their type instead"),
        (
            {"allOf": [{"type": "string", "pattern": "a"}, {"pattern": "b"}]},
            "the schemas of allOf cannot be joined for OpenAI's strict mode; write them as one schema",
        ),
        (
            {"type": "object", "properties": {}, "required": ["x"], "additionalProperties": False},
            "'x' is required, and not among its properties; add it",
        ),
    ],
)
def test_what_cannot_be_expressed_is_refused(schema: Any, problem: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        one(schema)
    assert caught.value.problems[0].startswith("$.properties.a")
    assert problem in caught.value.problems[0]


def test_several_tools_that_cannot_be_expressed_are_named_together() -> None:
    def other(values: dict[str, int]) -> None: ...

    with pytest.raises(DefinitionError) as caught:
        Executor([free, build, other]).describe("openai", strict=True)

    assert str(caught.value).startswith(
        "2 tools cannot be described:\n  - the tool free cannot be described in the format 'openai'"
    )
    assert [problem.partition(": ")[0] for problem in caught.value.problems] == [
        f"the tool {name} cannot be described in the format 'openai' with strict=True" for name in ("free", "other")
    ]
    with pytest.raises(DefinitionError, match=r"^the tool free cannot be described"):
        Executor([free, build]).describe("openai", strict=True)


def test_a_property_without_any_valid_value_is_left_out() -> None:
    schema = {
        "properties": {"a": {"anyOf": [False, False]}, "b": False, "c": {"type": "string"}},
        "additionalProperties": False,
    }
    assert parameters(schema)["required"] == ["c"]


def test_the_message_names_every_format_that_has_a_strict_mode() -> None:
    """The names are written beside the message, since the table of formats is above it."""
    with pytest.raises(DefinitionError, match="has no strict mode") as refused:
        formats.get("mcp").describe([], strict=True)
    named = str(refused.value).rpartition("these have one: ")[2].split(", ")
    assert named == [name for name in formats.names() if formats.get(name).strict_profile is not None]


def test_a_format_without_a_strict_mode_names_those_that_have_one() -> None:
    tool = Tool.from_function(build)
    for name in ("gemini", "json-schema", "mcp", "python", "text", "typescript", "yaml"):
        with pytest.raises(DefinitionError) as caught:
            tool.definition(name, strict=True)
        assert str(caught.value) == (
            f"the format {name!r} has no strict mode; these have one: anthropic, bedrock, openai, openai-responses"
        )


def test_recursion_is_one_of_two_words() -> None:
    with pytest.raises(ValueError, match="recursion is 'refuse' or 'cut', not 'inline'"):
        Tool.from_function(build).definition("openai", recursion="inline")  # type: ignore[arg-type]


def test_anthropic_takes_plain_names_of_parameters_alone() -> None:
    def greet(größe: int) -> None: ...  # noqa: PLC2401  # the point of it

    for options in ({}, {"strict": True}):
        with pytest.raises(DefinitionError) as caught:
            Tool.from_function(greet).definition("anthropic", **options)  # type: ignore[arg-type]
        assert 'letters, digits, "_", "." and "-", up to 64 characters; rename it' in str(caught.value)
        assert "größe" in str(caught.value)
    assert Tool.from_function(greet).definition("openai", strict=True)


def test_a_definition_is_a_plain_dict_and_a_plain_text_with_what_is_dropped() -> None:
    tool = Tool.from_function(build)
    definition, text = tool.definition("openai", strict=True), tool.definition("text")

    assert isinstance(definition, Definition)
    assert isinstance(text, TextDefinition)
    assert definition == dict(definition)
    assert text == str(text)
    assert json.loads(json.dumps({"tools": [definition], "prompt": text})) == {
        "tools": [dict(definition)],
        "prompt": str(text),
    }
    for copied in (copy.deepcopy(definition), pickle.loads(pickle.dumps(definition))):
        assert copied == definition
        assert copied.dropped == definition.dropped
    assert [each.keyword for each in text.dropped] == ["minimum"]
    assert tool.definition("mcp").dropped == ()


def test_an_executor_describes_its_tools_strictly() -> None:
    executor = Executor([build])
    (described,) = executor.describe("openai", strict=True)

    assert described == Tool.from_function(build).definition("openai", strict=True)
    assert described.dropped
    (cut,) = executor.describe("anthropic", strict=True, recursion="cut")
    assert cut["strict"]
    with pytest.raises(DefinitionError):
        executor.describe("anthropic", strict=True)
    with pytest.raises(DefinitionError):
        formats.get("text").describe([], strict=True)
