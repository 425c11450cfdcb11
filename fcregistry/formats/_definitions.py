"""Tools from definitions: a dict in the shape of a provider, as programs write it by hand or other libraries give it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool


STRICT: Final = "fcregistry.strict"
"""The key of `meta` for a definition with `strict`: formats with a strict mode describe its tool in it."""

_WRAPPERS: Final = ("function", "toolSpec")
"""The keys under which OpenAI's chat and Bedrock put a definition."""

_PARAMETERS: Final = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema")
"""The names that formats give to the schema of the arguments."""


def tools_of(tools: Iterable[Tool | Mapping[str, Any]]) -> list[Tool]:
    """Return tools and definitions as tools.

    Raises:
        TypeError: One is neither a tool nor a definition.
        DefinitionError: A definition cannot be a tool's.
    """
    return [tool_of(each) for each in tools]


def tool_of(given: Tool | Mapping[str, Any]) -> Tool:
    """Return a tool itself, or a tool that can be described and not called for a definition.

    Args:
        given: A tool; or a definition in the shape of OpenAI (both APIs), Anthropic, Bedrock, MCP, or one function of Gemini.

    Raises:
        TypeError: It is neither.
        DefinitionError: The name or schema cannot be a tool's.
    """
    from fcregistry._base.source import external_tool_hint  # reading calls and reporting results needs none of these
    from fcregistry._tools.tool import Tool

    if isinstance(given, Tool):
        return given
    body: Any = given
    if isinstance(given, Mapping):
        body = next((given[key] for key in _WRAPPERS if isinstance(given.get(key), Mapping)), given)
    if not isinstance(body, Mapping) or "name" not in body or not body.keys() & {*_PARAMETERS, "description"}:
        hint = external_tool_hint(given) or (
            ": Tool.from_function(…) makes one of a function, registry.get(…) returns one by its name, "
            "and a definition as a dict has a name and parameters"
        )
        raise TypeError(f"{given!r:.80} is not a Tool{hint}")
    schema = next((body[key] for key in _PARAMETERS if body.get(key) is not None), None)
    if isinstance(schema, Mapping) and isinstance(schema.get("json"), Mapping):  # Bedrock's
        schema = schema["json"]
    return Tool.from_function(
        _refuse_call,
        name=body["name"],
        description=body.get("description") or "",
        parameters={"type": "object", "properties": {}} if schema is None else schema,
        meta={STRICT: body.get("strict") is True},
    )


def _refuse_call(**arguments: Any) -> NoReturn:
    raise TypeError("a definition can be described to a model, and not called: it has no function")
