"""How each format describes a tool: golden texts of what is sent to providers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import yaml

import fcregistry
from fcregistry import Executor, Tool, formats
from fcregistry._base.install import install_command
from fcregistry.errors import DefinitionError, FcregistryError, FormatNotFoundError


@dataclass
class Stop:
    """A stop."""

    name: str
    minutes: int = 5


@dataclass
class Node:
    value: int
    below: list[Node] = field(default_factory=list)


def plan(
    goal: Annotated[str, "Where to."],
    stops: list[Stop],
    mode: Literal["bus", "tram"] = "bus",
    day: date | None = None,
    *labels: str,
    **limits: float,
) -> Stop:
    """Plan a journey.

    Over several stops.

    Args:
        stops: Where to halt,
            in order.
        mode: What with.
    """
    return stops[0]


def nothing():  # type: ignore[no-untyped-def]
    pass


PLAN = Tool.from_function(plan, title="Planner", read_only=True, destructive=False)
NOTHING = Tool.from_function(nothing)
OLD = Tool.from_function(nothing, name="old", description="Did it.", deprecated="use new")

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "goal": {"type": "string", "description": "Where to."},
        "stops": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "minutes": {"type": "integer", "default": 5}},
                "required": ["name"],
                "additionalProperties": False,
            },
            "description": "Where to halt,\nin order.",
        },
        "mode": {"type": "string", "enum": ["bus", "tram"], "description": "What with.", "default": "bus"},
        "day": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": None},
        "labels": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["goal", "stops"],
    "additionalProperties": {"type": "number"},
}
EMPTY = {"type": "object", "properties": {}, "additionalProperties": False}
TEXT = "Plan a journey.\n\nOver several stops."


def test_the_parameters_are_the_same_in_every_format() -> None:
    assert PLAN.parameters == PARAMETERS
    assert list(PLAN.parameters["properties"]) == list(PARAMETERS["properties"])


def test_openai() -> None:
    assert PLAN.definition("openai") == {
        "type": "function",
        "function": {"name": "plan", "description": TEXT, "parameters": PARAMETERS},
    }
    assert NOTHING.definition("openai") == {"type": "function", "function": {"name": "nothing", "parameters": EMPTY}}


def test_openai_responses() -> None:
    assert PLAN.definition("openai-responses") == {
        "type": "function",
        "name": "plan",
        "description": TEXT,
        "parameters": PARAMETERS,
        "strict": False,
    }
    assert NOTHING.definition("openai-responses") == {
        "type": "function",
        "name": "nothing",
        "parameters": EMPTY,
        "strict": False,
    }


def test_anthropic() -> None:
    assert PLAN.definition("anthropic") == {"name": "plan", "description": TEXT, "input_schema": PARAMETERS}
    assert NOTHING.definition("anthropic") == {"name": "nothing", "input_schema": EMPTY}


def test_bedrock() -> None:
    assert PLAN.definition("bedrock") == {
        "toolSpec": {"name": "plan", "description": TEXT, "inputSchema": {"json": PARAMETERS}}
    }
    assert NOTHING.definition("bedrock") == {"toolSpec": {"name": "nothing", "inputSchema": {"json": EMPTY}}}


def test_gemini() -> None:
    parameters = PLAN.definition("gemini")["parametersJsonSchema"]

    assert parameters["required"] == PARAMETERS["required"]
    assert parameters["additionalProperties"] == {"type": "number"}
    assert parameters["properties"] == {
        **PARAMETERS["properties"],
        "stops": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "minutes": {"type": "integer", "description": "(default: 5)"},
                },
                "required": ["name"],
                "additionalProperties": False,
            },
            "description": "Where to halt,\nin order.",
        },
        "mode": {"type": "string", "enum": ["bus", "tram"], "description": 'What with. (default: "bus")'},
        "day": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
    }
    assert PLAN.definition("gemini")["description"] == TEXT


def test_gemini_has_no_schema_of_nothing_and_always_a_description() -> None:
    assert NOTHING.definition("gemini") == {"name": "nothing", "description": "nothing"}
    titled = Tool.from_function(nothing, title="Do nothing")
    assert titled.definition("gemini") == {"name": "nothing", "description": "Do nothing"}

    def anything(**given: str) -> None: ...

    described = Tool.from_function(anything).definition("gemini")
    assert described["parametersJsonSchema"] == {
        "type": "object",
        "properties": {},
        "additionalProperties": {"type": "string"},
    }


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "integer", "exclusiveMinimum": 3}, {"type": "integer", "minimum": 4}),
        ({"type": "integer", "exclusiveMinimum": 3.5, "minimum": 6}, {"type": "integer", "minimum": 6}),
        ({"type": "integer", "exclusiveMaximum": 3}, {"type": "integer", "maximum": 2}),
        (
            {"type": "number", "exclusiveMaximum": 3, "maximum": 9},
            {"type": "number", "maximum": 3, "description": "(exclusiveMaximum: 3)"},
        ),
        ({"const": "a"}, {"enum": ["a"]}),
        ({"const": None}, {"type": "null"}),
        ({"enum": [True, False]}, {"type": "boolean"}),
        ({"enum": [True]}, {"type": "boolean", "description": "(enum: [true])"}),
        (
            {"type": ["string", "null"], "enum": ["a", 1, None]},
            {"anyOf": [{"type": ["string", "integer"], "enum": ["a", 1]}, {"type": "null"}]},
        ),
        ({"type": "object", "enum": [{"x": 1}]}, {"type": "object", "description": '(enum: [{"x": 1}])'}),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, {"oneOf": [{"type": "string"}, {"type": "integer"}]}),
        (
            {"type": "object", "properties": {"b": False}, "required": ["c"]},
            {"type": "object", "properties": {}, "required": []},
        ),
        ({"allOf": [{"not": {}}, {"not": {"const": 1}}], "type": "string"}, {"type": "string"}),
        (
            {"additionalProperties": {"type": "string", "minLength": 1}},
            {"additionalProperties": {"type": "string", "description": "(minLength: 1)"}},
        ),
        ({"type": "array", "items": False}, {"type": "array", "maxItems": 0}),
        (
            {"type": "array", "prefixItems": [{"type": "string"}], "items": False},
            {"type": "array", "prefixItems": [{"type": "string"}], "maxItems": 1},
        ),
    ],
)
def test_gemini_says_in_its_own_way_what_it_has_no_keyword_for(schema: dict[str, Any], said: dict[str, Any]) -> None:
    def anything(**given: Any) -> None: ...

    tool = Tool.from_function(anything, parameters={"properties": {"a": schema}})
    assert tool.definition("gemini")["parametersJsonSchema"]["properties"]["a"] == said


def test_mcp() -> None:
    assert PLAN.definition("mcp") == {
        "name": "plan",
        "title": "Planner",
        "description": TEXT,
        "inputSchema": PARAMETERS,
        "outputSchema": PLAN.returns,
        "annotations": {"readOnlyHint": True, "destructiveHint": False},
    }
    assert NOTHING.definition("mcp") == {"name": "nothing", "inputSchema": EMPTY}


def test_mcp_has_no_output_schema_for_what_is_not_a_object() -> None:
    def count() -> int:
        return 1

    assert "outputSchema" not in Tool.from_function(count).definition("mcp")


def test_the_output_schema_of_a_record_that_refers_to_itself_is_an_object_too() -> None:
    def root() -> Node:
        return Node(1)

    schema = Tool.from_function(root).definition("mcp")["outputSchema"]
    assert (schema["type"], list(schema["properties"]), list(schema["$defs"])) == (
        "object",
        ["value", "below"],
        ["Node"],
    )


def test_json_schema() -> None:
    assert PLAN.definition("json-schema") == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "plan",
        "description": TEXT,
        **PARAMETERS,
    }
    assert "description" not in NOTHING.definition("json-schema")


def test_text() -> None:
    assert PLAN.definition("text") == (
        'plan(goal: string, stops: {name: string, minutes: integer = 5}[], mode: "bus" | "tram" = "bus", day: string(date) | null = null, '
        "labels?: string[], …: number)\n"
        "  Plan a journey.\n"
        "\n"
        "  Over several stops.\n"
        "  - goal: Where to.\n"
        "  - stops: Where to halt, in order.\n"
        "  - mode: What with."
    )
    assert NOTHING.definition("text") == "nothing()"


def test_text_says_once_what_is_meant_by_a_name() -> None:
    def grow(tree: Node) -> None:
        """Grow a tree."""

    assert Tool.from_function(grow).definition("text") == (
        "grow(tree: Node)\n  Grow a tree.\n  Node = {value: integer, below?: Node[]}"
    )


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (True, "any"),
        (False, "never"),
        ({}, "any"),
        ({"type": ["string", "null"]}, "string | null"),
        ({"type": "array"}, "any[]"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, '("a" | "b")[]'),
        ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]}, "[integer, string]"),
        ({"type": "object"}, "object"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "{[name]: integer}"),
        ({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}, "{a: integer}"),
        ({"type": "object", "properties": {"a": {"type": "integer"}}}, "{a?: integer}"),
        ({"const": "é"}, '"é"'),
        ({"oneOf": [{"type": "integer"}, {"$ref": "#/$defs/Node"}]}, "integer | Node"),
        ({"type": "string", "format": "uuid"}, "string(uuid)"),
    ],
)
def test_the_text_of_a_schema(schema: Any, text: str) -> None:
    from fcregistry._schema.document import show_type

    assert show_type(schema) == text


def test_the_text_of_a_external_schema_without_properties() -> None:
    def anything(**given: Any) -> None: ...

    assert Tool.from_function(anything, parameters={}).definition("text") == "anything(…: any)"


def test_yaml() -> None:
    text = PLAN.definition("yaml")

    assert yaml.safe_load(text) == {"name": "plan", "description": TEXT, "parameters": PARAMETERS}
    assert NOTHING.definition("yaml") == (
        "name: nothing\nparameters:\n  type: object\n  properties: {}\n  additionalProperties: false\n"
    )
    assert "!!python" not in text


EVERY_FORMAT = """
import json
from dataclasses import dataclass
from typing import Annotated, Literal
from annotated_types import Gt, Len
from fcregistry import Tool, formats

@dataclass
class Tree:
    name: Annotated[str, Len(1, 9)]
    tags: set[Literal["x", "y", "z"]]
    children: "list[Tree]"
    size: Annotated[float, Gt(0)] = 1

def plant(tree: Tree, mode: Literal["a", 1, True, None] = "a", pair: tuple[int, str] = (1, "b")) -> Tree:
    "Plant."

def either(**given): ...

foreign = {"anyOf": [{"properties": {"a": {}, "b": {}}, "required": ["b", "a"]}, {"properties": {"c": {}}, "required": ["a", "b"]}]}
tools = [Tool.from_function(plant), Tool.from_function(either, parameters=foreign)]
for name in formats.names():
    for strict in (False, True)[: 1 + bool(formats.get(name).strict_profile)]:
        for tool in tools[: 1 + (not strict)]:
            definition = tool.definition(name, strict=strict, recursion="cut")
            print(name, strict, json.dumps(definition), definition.dropped)
"""


def test_every_definition_is_byte_identical_whatever_the_hash_seed() -> None:
    package = str(Path(fcregistry.__file__).parent.parent)
    environment = {**os.environ, "PYTHONPATH": package}
    outputs = {
        subprocess.run(
            [sys.executable, "-c", EVERY_FORMAT],
            env={**environment, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(outputs) == 1
    assert outputs.pop().count("\n") == 4 + 2 * len(formats.names())


WITHOUT_YAML = """
import sys
sys.modules["yaml"] = None  # so that Python does not find it
from fcregistry import Tool
from fcregistry.errors import MissingDependencyError
tool = Tool.from_function(lambda: None, name="tool")
print(tool.definition("openai")["function"]["name"])
try:
    tool.definition("yaml")
except MissingDependencyError as error:
    print(isinstance(error, ImportError), error)
"""


def test_yaml_without_its_package_says_what_to_install() -> None:
    ran = subprocess.run([sys.executable, "-c", WITHOUT_YAML], capture_output=True, text=True, timeout=60)

    assert (ran.stdout, ran.stderr) == (
        f"tool\nTrue the format 'yaml' needs PyYAML: {install_command('fcregistry[yaml]')}\n",
        "",
    )


@pytest.mark.parametrize("name", formats.names())
def test_a_deprecated_tool_says_so_in_every_format(name: str) -> None:
    described = OLD.definition(name)
    text = described if isinstance(described, str) else json.dumps(described)

    assert "Deprecated: use new" in text
    assert "Did it." in text
    plain = Tool.from_function(nothing, deprecated=True).definition(name)
    assert "Deprecated." in (plain if isinstance(plain, str) else json.dumps(plain))


@pytest.mark.parametrize(
    ("name", "joined"),
    [
        ("openai", list),
        ("openai-responses", list),
        ("anthropic", list),
        ("json-schema", list),
        ("mcp", lambda tools: {"tools": list(tools)}),
        ("bedrock", list),
        ("gemini", lambda tools: [{"functionDeclarations": list(tools)}]),
        ("python", "\n\n\n".join),
        ("text", "\n\n".join),
        ("yaml", "---\n".join),
    ],
)
def test_several_tools_are_described_in_the_order_given(name: str, joined: Any) -> None:
    assert formats.get(name).describe([PLAN, NOTHING]) == joined([PLAN.definition(name), NOTHING.definition(name)])


def test_nothing_is_described_as_nothing() -> None:
    described = {name: formats.get(name).describe([]) for name in formats.names()}
    texts = dict.fromkeys(("python", "text", "typescript", "yaml"), "")
    assert described == {**{name: [] for name in formats.names()}, "mcp": {"tools": []}, **texts}


@pytest.mark.parametrize("name", formats.names())
def test_what_is_described_is_a_copy_and_the_same_each_time(name: str) -> None:
    first = PLAN.definition(name)
    before = json.dumps(first)
    if isinstance(first, dict):
        first.clear()

    assert json.dumps(PLAN.definition(name)) == before


@pytest.mark.parametrize("name", formats.names())
def test_every_format_names_itself_and_its_source(name: str) -> None:
    assert formats.get(name).name == name
    assert formats.get(name).source


@pytest.mark.parametrize("name", ["", "OpenAI", "gpt", "json"])
def test_an_unknown_format_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(FormatNotFoundError) as caught:
        formats.get(name)
    assert str(caught.value) == (
        f"there is no format {name!r}; the formats are anthropic, bedrock, gemini, json-schema, mcp, openai, openai-responses, "
        "python, text, typescript, yaml"
    )
    assert isinstance(caught.value, FcregistryError)
    assert isinstance(caught.value, LookupError)


def test_the_formats_are_these() -> None:
    assert formats.names() == (
        *("anthropic", "bedrock", "gemini", "json-schema", "mcp", "openai", "openai-responses"),
        *("python", "text", "typescript", "yaml"),
    )


@pytest.mark.parametrize("name", formats.names())
@pytest.mark.parametrize("given", [plan, "plan", {"name": "plan"}])
def test_the_error_for_a_value_that_is_not_a_tool_says_how_to_make_one(name: str, given: Any) -> None:
    with pytest.raises(TypeError, match=r" is not a Tool: Tool\.from_function\(…\) makes one of a function"):
        formats.get(name).describe([given])


def look(word: str, limit: Literal[1, 2]) -> Any:
    """Look a word up.

    Args:
        word: The word.
        limit: How many meanings.
    """


@pytest.mark.parametrize("shape", ["anthropic", "mcp", "openai", "openai-responses", "bedrock"])
@pytest.mark.parametrize("name", sorted({*formats.names()} - {"python"}))  # whose signature has a result
def test_a_definition_as_a_dict_is_described_like_its_tool(shape: str, name: str) -> None:
    tool = Tool.from_function(look)
    definition = json.loads(json.dumps(tool.definition(shape)))  # a plain dict, as a program writes it by hand
    assert formats.get(name).describe([definition]) == formats.get(name).describe([tool])


def test_a_strict_definition_is_described_strictly_where_that_is_possible() -> None:
    definition: Any = json.loads(json.dumps(Tool.from_function(look).definition("openai", strict=True)))

    assert formats.get("openai").describe([definition]) == [definition]
    assert formats.get("anthropic").describe([definition])[0]["strict"] is True
    assert "strict" not in formats.get("mcp").describe([definition])["tools"][0]


def test_an_executor_refuses_a_definition() -> None:
    definition: Any = Tool.from_function(look).definition("openai")
    with pytest.raises(
        DefinitionError, match=r"is not a tool: .*a definition can be described to a model, but not called"
    ):
        Executor([definition])
