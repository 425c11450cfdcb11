"""How does OpenAI's chat completions API describe tools, calls and results?

Sources: OpenAI API reference, "Chat Completions", where a tool's message holds text only; OpenAI guides "Function calling" and "Structured model
outputs". Spoken by many others too (vLLM, Ollama, llama.cpp, …).

Without strict mode any JSON Schema of an object may be sent; what must not stand at its top is told by the API's own error message. In
strict mode every property is required and every object closed; what the guide does not list as supported (`oneOf`, `prefixItems`,
`uniqueItems`, `minLength`, `default`, …) makes the request fail, so it is not sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats._format import Format
from fcregistry.formats._parts import call_id
from fcregistry.formats._profile import PUT_TOGETHER, Profile, SchemaLimits
from fcregistry.formats._read import parse_message

if TYPE_CHECKING:
    from fcregistry._results.result import ToolResult
    from fcregistry.formats._format import RenderInput

_TOP_WITHOUT: Final = PUT_TOGETHER | {"enum", "const", "not"}

LOOSE: Final = Profile(taker="OpenAI", top_without=_TOP_WITHOUT)

STRICT: Final = Profile(
    taker="OpenAI's strict mode",
    keywords=frozenset(
        {
            *("type", "enum", "anyOf", "$ref", "title", "description"),
            *("properties", "required", "additionalProperties"),
            *("items", "minItems", "maxItems"),
            *("pattern", "format"),
            *("multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        }
    ),
    formats=frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}),
    references="bare",
    recursion="free",
    closed=True,
    complete=True,
    top_without=_TOP_WITHOUT,
    limits=SchemaLimits(properties=5000, depth=10, choices=1000, characters=120_000),
)
"""Guide "Structured model outputs", section "Supported schemas"."""


def render(rendering: RenderInput) -> dict[str, Any]:
    """Return `{"type": "function", "function": {name, description, parameters, strict}}`."""
    function: dict[str, Any] = {"name": rendering.name}
    if rendering.text:
        function["description"] = rendering.text
    function["parameters"] = rendering.parameters
    if rendering.strict:
        function["strict"] = True
    return {"type": "function", "function": function}


def report(results: Sequence[ToolResult]) -> list[dict[str, Any]]:
    """Return a message of the role `tool` for each result: its text, in which what is no text is named."""
    return [{"role": "tool", "tool_call_id": call_id(result), "content": result.content} for result in results]


FORMAT = Format(
    name="openai",
    source="OpenAI API reference, chat completions",
    render=render,
    profile=LOOSE,
    strict_profile=STRICT,
    parse=parse_message,
    report=report,
)
