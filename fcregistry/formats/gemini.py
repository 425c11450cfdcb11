"""How does the Gemini API describe tools, calls and results?

Sources: Gemini API reference, "FunctionDeclaration", "FunctionCall", "FunctionResponse" and "FunctionResponsePart"; Gemini API guides "Function
calling" (section "Multimodal function responses") and "Structured outputs", and the field `responseJsonSchema` of the reference, which lists the
JSON Schema that is supported.

Parameters are said in `parametersJsonSchema`, not in `parameters`. The latter is a message of its own, a part of OpenAPI 3.0: a request with
any other keyword (`$ref`, `const`, `exclusiveMinimum`, …) is refused, an enum has only strings, and there are no tuples. The former is JSON
Schema; Google's own SDK recommends it, and keywords it does not know are sent in vain rather than refused. They are left out here, and told
in the description.

Images and documents of a result stand in the `parts` of its `functionResponse`, which models take from Gemini 3 on; the text of it names them.

A function without parameters has no schema. Every function has a description; one without gets its title or name. There is no strict mode in
a definition: whether calls are held to the schemas is said once for a whole request, by the mode `VALIDATED` of `functionCallingConfig`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats._format import Alphabet, Format
from fcregistry.formats._parts import base64_of, json_of
from fcregistry.formats._profile import PUT_TOGETHER, Profile
from fcregistry.formats._read import parse_message

if TYPE_CHECKING:
    from fcregistry._results.content import Content
    from fcregistry._results.result import ToolResult
    from fcregistry.formats._format import RenderInput

PROFILE: Final = Profile(
    taker="Gemini",
    keywords=frozenset(
        {
            *("type", "format", "title", "description", "enum", "anyOf", "oneOf", "$ref"),
            *("properties", "required", "additionalProperties"),
            *("items", "prefixItems", "minItems", "maxItems"),
            *("minimum", "maximum"),
        }
    ),
    formats=frozenset({"date-time", "date", "time"}),
    references="bare",
    recursion="optional",
    top_without=PUT_TOGETHER,
    choices=frozenset({"string", "number"}),
)
"""Reference, `responseJsonSchema`; guide "Structured outputs", section "JSON Schema support"."""

NAMES: Final = Alphabet(first="[A-Za-z_]", rest="[A-Za-z0-9_-]", longest=64)
"""Reference, "FunctionDeclaration". Dots and colons are allowed too, but not everywhere; some versions allow 128 characters."""


def render(rendering: RenderInput) -> dict[str, Any]:
    """Return `{name, description, parametersJsonSchema}`, without a schema where there are no parameters."""
    described: dict[str, Any] = {
        "name": rendering.name,
        "description": rendering.text or rendering.tool.title or rendering.tool.name,
    }
    schema = rendering.parameters
    if schema["properties"] or schema.get("additionalProperties", True) is not False:
        described["parametersJsonSchema"] = schema
    return described


def join(functions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the value of a request's `tools`: one tool with all functions."""
    return [{"functionDeclarations": functions}] if functions else []


def report(results: Sequence[ToolResult]) -> list[dict[str, Any]]:
    """Return one user content with a `functionResponse` part for each result; nothing for no results."""
    parts = [{"functionResponse": _response(result)} for result in results]
    return [{"role": "user", "parts": parts}] if parts else []


def _response(result: ToolResult) -> dict[str, Any]:
    call = result.call
    identity = {"id": call.id} if call is not None and call.id is not None else {}
    name = call.name if call is not None else ""
    response = {"output": _output(result)} if result.ok else {"error": result.content}
    media = [
        {"inlineData": {"mimeType": part.media_type, "data": base64_of(part)}} for part in filter(_taken, result.parts)
    ]
    return {**identity, "name": name, "response": response, **({"parts": media} if media else {})}


def _output(result: ToolResult) -> Any:
    """Return what a tool returned as JSON: its content is the text of that, unless it returned a text or content, or it was cut."""
    return result.content if isinstance(result.value, str) or result.parts else json_of(result.content)


MEDIA: Final = frozenset({"image/png", "image/jpeg", "image/webp", "application/pdf"})
"""Guide "Function calling", section "Multimodal function responses". What is text stands in the response itself."""


def _taken(part: Content) -> bool:
    return part.kind in ("image", "file") and part.media_type in MEDIA


FORMAT = Format(
    name="gemini",
    source="Gemini API reference, function calling",
    render=render,
    join=join,
    profile=PROFILE,
    alphabet=NAMES,
    parse=parse_message,
    report=report,
)
