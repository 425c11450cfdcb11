"""What Gemini refuses with HTTP 400: an empty text among choices, and the name `$ref` in the JSON of a result."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from fcregistry import Executor, Tool, formats
from fcregistry.execution import Content, ToolOutput


def described(schema: dict[str, Any], name: str = "gemini") -> Any:
    """Return the definition of a tool whose parameter `a` has this schema."""

    def function(a: Any) -> None:
        """Do it."""

    parameters = {"type": "object", "properties": {"a": schema}, "additionalProperties": False}
    return Tool.from_function(function, parameters=parameters).definition(name)


def _refused_by_gemini(schema: Any) -> bool:
    """Return whether a schema has an empty text in an enum, or an empty enum, at any depth."""
    if isinstance(schema, dict):
        enum = schema.get("enum")
        return (enum is not None and (not enum or "" in enum)) or any(map(_refused_by_gemini, schema.values()))
    return isinstance(schema, list) and any(map(_refused_by_gemini, schema))


REWRITTEN: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"type": "string", "enum": ["", "a", "b"], "description": "The unit."},
        {"type": "string", "enum": ["a", "b"], "description": 'The unit. (also allowed: "")'},
    ),
    ({"const": ""}, {"type": "string", "description": '(enum: [""])'}),
    ({"type": "string", "enum": [""]}, {"type": "string", "description": '(enum: [""])'}),
    (
        {"enum": ["", "a", None]},
        {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}], "description": '(also allowed: "")'},
    ),
    (
        {"enum": ["", None]},
        {"anyOf": [{"type": "string"}, {"type": "null"}], "description": '(enum: ["", null])'},
    ),
    (
        {"enum": ["", 1, 2]},
        {
            "anyOf": [{"type": "integer", "enum": [1, 2]}, {"type": "string"}],
            "description": '(enum: ["", 1, 2])',
        },
    ),
    (
        {"type": "array", "items": {"type": "string", "enum": ["x", ""]}},
        {"type": "array", "items": {"type": "string", "enum": ["x"], "description": '(also allowed: "")'}},
    ),
    (
        {"anyOf": [{"type": "string", "enum": ["", "x"]}, {"type": "integer"}]},
        {"anyOf": [{"type": "string", "enum": ["x"], "description": '(also allowed: "")'}, {"type": "integer"}]},
    ),
]


@pytest.mark.parametrize(("given", "sent"), REWRITTEN)
def test_gemini_gets_no_empty_choice_and_the_description_says_it(given: dict[str, Any], sent: dict[str, Any]) -> None:
    definition = described(given)
    assert definition["parametersJsonSchema"]["properties"]["a"] == sent
    assert not _refused_by_gemini(definition)
    (dropped,) = definition.dropped
    assert dropped.keyword == "enum"
    assert "" in dropped.value
    assert "empty text" in dropped.reason


def test_the_dropped_choice_is_named_with_its_place() -> None:
    (dropped,) = described({"type": "string", "enum": ["", "a"]}).dropped
    assert str(dropped) == '$.properties.a: enum [""]: Gemini has no choice of an empty text'


@pytest.mark.parametrize("name", ["openai", "openai-responses", "anthropic", "bedrock", "mcp"])
def test_other_formats_keep_an_empty_choice(name: str) -> None:
    definition = described({"type": "string", "enum": ["", "a"]}, name)
    assert '"enum": ["", "a"]' in str(definition).replace("'", '"')
    assert definition.dropped == ()


def test_a_call_with_the_empty_text_is_valid_all_the_same() -> None:
    def order(size: Literal["", "large"] = "") -> str:
        """Order tea."""
        return f"ordered {size or 'any'}"

    executor = Executor([order])
    (declared,) = executor.describe("gemini")[0]["functionDeclarations"]
    assert declared["parametersJsonSchema"]["properties"]["size"]["enum"] == ["large"]
    assert executor.call("order", size="").value == "ordered any"


def reported(value: Any) -> Any:
    """Return the response that Gemini gets for a tool that returns this value."""

    def function() -> Any:
        """Return it."""
        return value

    (message,) = formats.get("gemini").report([Executor([function]).call("function")])
    return message["parts"][0]["functionResponse"]["response"]


@pytest.mark.parametrize(
    "value",
    [
        {"$ref": "#/$defs/City"},
        {"schema": {"properties": [{"items": {"$ref": "https://example.com/schema.json"}}]}},
        [[{"a": 1}, {"$ref": None}]],
    ],
)
def test_a_result_with_a_reference_in_its_json_is_sent_to_gemini_as_text(value: Any) -> None:
    import json

    response = reported(value)
    assert isinstance(response["output"], str)
    assert json.loads(response["output"]) == value


@pytest.mark.parametrize("value", [{"ref": "#/a"}, {"a": "$ref"}, "$ref", ["$ref"], {"$defs": {"a": [1, None]}}])
def test_other_results_are_sent_to_gemini_as_json(value: Any) -> None:
    assert reported(value) == {"output": value}


def test_the_text_of_content_beside_a_reference_is_sent_as_it_is() -> None:
    output = ToolOutput(value={"$ref": "x"}, content=[Content.text("see x")])
    assert reported(output) == {"output": "see x"}
