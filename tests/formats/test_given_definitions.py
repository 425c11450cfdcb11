"""Definitions that are given as dicts: which of their fields each format keeps, checked against the types of the official SDKs."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import Any, get_type_hints

import pytest

from fcregistry import Tool, formats

from ..models import anthropic_wire, openai_wire  # noqa: TID252
from ..models.provider_server import ProviderServer, json_reply  # noqa: TID252

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
EXTRAS: dict[str, Any] = {
    "cache_control": {"type": "ephemeral", "ttl": "1h"},
    "defer_loading": True,
    "allowed_callers": ["direct"],
    "eager_input_streaming": True,
    "input_examples": [{"city": "Oslo"}],
    "output_schema": {"type": "string"},
    "async": True,
    "title": "The weather",
    "outputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True},
    "icons": [{"src": "https://example.com/sun.png"}],
    "execution": {"taskSupport": "optional"},
    "_meta": {"com.example/team": "weather"},
    "behavior": "NON_BLOCKING",
    "response": {"type": "STRING"},
    "responseJsonSchema": {"type": "string"},
    "colour": "blue",
}
KEPT: dict[str, set[str]] = {
    "anthropic": {"cache_control", "defer_loading", "allowed_callers", "eager_input_streaming", "input_examples"},
    "openai": set(),
    "openai-responses": {"allowed_callers", "async", "defer_loading", "output_schema"},
    "bedrock": set(),
    "gemini": {"behavior", "response", "responseJsonSchema"},
    "mcp": {"title", "outputSchema", "annotations", "icons", "execution", "_meta"},
}
BASIC = {"name": "weather", "description": "Tell the weather."}
SHAPES: dict[str, dict[str, Any]] = {
    "anthropic": {**BASIC, "input_schema": SCHEMA, **EXTRAS, "type": "custom"},
    "openai": {"type": "function", "function": {**BASIC, "parameters": SCHEMA, **EXTRAS}},
    "openai, fields around": {"type": "function", "function": {**BASIC, "parameters": SCHEMA}, **EXTRAS},
    "openai-responses": {"type": "function", **BASIC, "parameters": SCHEMA, **EXTRAS},
    "bedrock": {"toolSpec": {**BASIC, "inputSchema": {"json": SCHEMA}, **EXTRAS}},
    "gemini": {**BASIC, "parametersJsonSchema": SCHEMA, **EXTRAS},
    "gemini, of the SDK": {**BASIC, "parameters_json_schema": SCHEMA, **EXTRAS},
    "mcp": {**BASIC, "inputSchema": SCHEMA, **EXTRAS},
}


def function() -> None:
    """Do nothing."""


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", KEPT)
def test_a_format_keeps_the_fields_that_it_knows_and_lists_the_others_as_dropped(shape: str, name: str) -> None:
    definition = formats.get(name).describe_one(SHAPES[shape])
    plain = formats.get(name).describe_one({**BASIC, "parameters": SCHEMA})
    assert definition == {**plain, **{field: EXTRAS[field] for field in EXTRAS if field in KEPT[name]}}
    assert {each.keyword: each.value for each in definition.dropped if each.path == "definition"} == {
        field: value for field, value in EXTRAS.items() if field not in KEPT[name]
    }


@pytest.mark.parametrize("name", [name for name in formats.names() if name not in KEPT])
def test_formats_without_such_fields_list_them_all(name: str) -> None:
    definition = formats.get(name).describe_one(SHAPES["anthropic"])
    assert {each.keyword for each in definition.dropped if each.path == "definition"} == set(EXTRAS)
    assert "ephemeral" not in str(definition)


def test_a_dropped_field_says_which_format_lacks_it() -> None:
    given = {**BASIC, "input_schema": SCHEMA, "cache_control": {"type": "ephemeral"}, "strict": True}
    assert [str(each) for each in formats.get("gemini").describe_one(given).dropped] == [
        'definition: cache_control {"type": "ephemeral"}: the format \'gemini\' has no such field',
        "definition: strict true: the format 'gemini' has no such field",
    ]
    assert (
        formats.get("anthropic").describe_one(given).dropped
        == formats.get("anthropic").describe_one({**given, "cache_control": None}).dropped
    )


def test_fields_that_are_none_and_kinds_of_every_definition_are_not_dropped() -> None:
    given = {**BASIC, "input_schema": SCHEMA, "cache_control": None, "type": "custom", "strict": False}
    assert formats.get("openai").describe_one(given).dropped == ()


def test_a_tool_of_a_function_has_no_such_fields() -> None:
    for name, fields in KEPT.items():
        assert not fields & Tool.from_function(function).definition(name).keys()


def test_a_definition_that_changes_later_does_not_change_what_was_described() -> None:
    given = {**BASIC, "input_schema": SCHEMA, "cache_control": {"type": "ephemeral"}}
    definition = formats.get("anthropic").describe_one(given)
    given["cache_control"]["type"] = "changed"  # type: ignore[index]
    assert definition["cache_control"] == {"type": "ephemeral"}


@pytest.mark.parametrize("name", KEPT)
def test_a_field_whose_value_is_not_json_is_dropped(name: str) -> None:
    circle: list[Any] = []
    circle.append(circle)
    odd = {"lock": Lock(), "cache_control": {"type": [Lock()]}, "title": circle, "execution": {1: "a"}}
    definition = formats.get(name).describe_one({**BASIC, "input_schema": SCHEMA, **odd, "colour": ("blue",)})
    assert definition == formats.get(name).describe_one({**BASIC, "input_schema": SCHEMA})
    dropped = [str(each) for each in definition.dropped if each.path == "definition"]
    assert 'definition: cache_control "dict": its value is not JSON' in dropped
    assert [each.keyword for each in definition.dropped if each.reason == "its value is not JSON"] == list(odd)
    assert f'definition: colour ["blue"]: the format {name!r} has no such field' in dropped


# --- the SDKs' types ------------------------------------------------------------------------------


def _sdk_fields(name: str) -> Iterable[str]:
    """Return the fields of a definition in an official SDK."""
    if name == "anthropic":
        from anthropic.types import ToolParam

        return get_type_hints(ToolParam)
    if name == "openai-responses":
        from openai.types.responses import FunctionToolParam

        return get_type_hints(FunctionToolParam)
    if name == "mcp":
        types = pytest.importorskip("mcp.types")
        return {field.alias or attribute for attribute, field in types.Tool.model_fields.items()}
    types = pytest.importorskip("google.genai.types")
    fields = types.FunctionDeclaration.model_fields
    return {field.serialization_alias or field.alias or attribute for attribute, field in fields.items()}


@pytest.mark.parametrize("name", ["anthropic", "openai-responses", "mcp", "gemini"])
def test_the_sdk_knows_every_field_that_is_sent(name: str) -> None:
    sent = formats.get(name).describe_one(SHAPES["anthropic"])
    assert KEPT[name] <= sent.keys()
    assert sent.keys() <= set(_sdk_fields(name))


def test_chat_completions_get_only_the_fields_that_the_sdk_knows() -> None:
    from openai.types.chat import ChatCompletionFunctionToolParam
    from openai.types.shared_params import FunctionDefinition

    sent = formats.get("openai").describe_one(SHAPES["openai, fields around"])
    assert sent.keys() <= get_type_hints(ChatCompletionFunctionToolParam).keys()
    assert sent["function"].keys() <= get_type_hints(FunctionDefinition).keys()


# --- requests -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["anthropic", "openai", "openai-responses"])
def test_a_model_sends_the_fields_that_its_provider_knows(name: str) -> None:
    response = openai_wire.response([openai_wire.text_item("Fine.")])
    model, reply = {
        "anthropic": (anthropic_wire.model_at, anthropic_wire.answer(anthropic_wire.TEXT)),
        "openai": (openai_wire.chat, openai_wire.chat_reply()),
        "openai-responses": (openai_wire.responses, json_reply(response)),
    }[name]
    with ProviderServer(reply) as server:
        model(server).complete("Oslo?", [SHAPES["anthropic"]])
    (sent,) = server.requests[0].json["tools"]
    assert sent == formats.get(name).describe_one(SHAPES["anthropic"])
    assert KEPT[name] <= sent.keys()
