"""Gemini's format.

Sources: Gemini API reference, "FunctionDeclaration", "FunctionCall", "FunctionResponse" and "FunctionResponsePart"; Gemini API guides "Function
calling" (section "Multimodal function responses") and "Structured outputs", and the field `responseJsonSchema` of the reference, which lists the
JSON Schema that is supported.

Parameters are sent as `parametersJsonSchema`, not as `parameters`. The latter is a subset of OpenAPI 3.0: a request with any other keyword
(`$ref`, `const`, `exclusiveMinimum`, …) is refused, an enum has only strings, and there are no tuples. The former is JSON Schema; Google's own SDK
recommends it, and the API ignores keywords that it does not know. They are left out here, and added to the description.

Images and documents of a result are sent as `parts` of its `functionResponse`, which models accept from Gemini 3 on; its text names them. In the
JSON beside them, `{"$ref": "NAME"}` refers to a part, and the API refuses any other value of `$ref`, so a result with such a name is sent as text.

A function without parameters has no schema. Every function has a description: the title or name if the tool has none. Definitions have no strict
mode: the mode `VALIDATED` of `functionCallingConfig` applies to a whole request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from fcregistry._results.content import parts_for_model
from fcregistry.formats._finish import parse_message
from fcregistry.formats._format import Alphabet, Format, base64_of, json_value_of
from fcregistry.formats._profile import COMPOSITION, Profile

if TYPE_CHECKING:
    from fcregistry._results.content import Content
    from fcregistry._results.result import ToolResult
    from fcregistry.formats._format import RenderInput


PROFILE: Final = Profile(
    provider="Gemini",
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
    top_without=COMPOSITION,
    choices=frozenset({"string", "number"}),
    empty_choices=False,
)
"""Reference, `responseJsonSchema`; guide "Structured outputs", section "JSON Schema support". The API's error message refuses empty choices."""

NAMES: Final = Alphabet(first="[A-Za-z_]", rest="[A-Za-z0-9_-]", longest=64)
"""Reference, "FunctionDeclaration". Dots and colons are allowed too, but not everywhere; some versions allow 128 characters."""


def render(rendering: RenderInput) -> dict[str, Any]:
    """Return `{name, description, parametersJsonSchema}`; without a schema if there are no parameters."""
    described: dict[str, Any] = {
        "name": rendering.name,
        "description": rendering.text or rendering.tool.title or rendering.tool.name,
    }
    schema = rendering.parameters
    if schema["properties"] or schema.get("additionalProperties", True) is not False:
        described["parametersJsonSchema"] = schema
    return described


def join(functions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the value of a request's `tools`: a list of one tool with all `functions`.

    The list is empty without functions.
    """
    return [{"functionDeclarations": functions}] if functions else []


def report(results: Sequence[ToolResult]) -> list[dict[str, Any]]:
    """Return one user content with a `functionResponse` part for each result; nothing for no results."""
    parts = [{"functionResponse": _response(result)} for result in results]
    return [{"role": "user", "parts": parts}] if parts else []


def _response(result: ToolResult) -> dict[str, Any]:
    """Return `result` as a `functionResponse`, with its images and PDF files as `parts`.

    It has the id of the call if there is one, and an empty name if the call is not known. A failure has `error` in place of `output`.
    """
    call = result.call
    identity = {"id": call.id} if call is not None and call.id is not None else {}
    name = call.name if call is not None else ""
    response = {"output": _output(result)} if result.ok else {"error": result.content}
    media = [
        {"inlineData": {"mimeType": part.media_type, "data": base64_of(part)}}
        for part in filter(_is_supported, parts_for_model(result.parts))
    ]
    return {**identity, "name": name, "response": response, **({"parts": media} if media else {})}


def _output(result: ToolResult) -> Any:
    """Return the JSON value of `result`, or its text if the value has the name `$ref`, at any depth."""
    value = json_value_of(result, whole=False)
    rest = [value]
    while rest:
        each = rest.pop()
        if isinstance(each, dict):
            if "$ref" in each:
                return result.content
            rest += each.values()
        elif isinstance(each, list):
            rest += each
    return value


MEDIA: Final = frozenset({"image/png", "image/jpeg", "image/webp", "application/pdf"})
"""Guide "Function calling", section "Multimodal function responses". Text is part of the response itself."""


def _is_supported(part: Content) -> bool:
    """Return whether `part` is an image or file that Gemini accepts beside the text of a response."""
    return part.kind in ("image", "file") and part.media_type in MEDIA


FIELDS: Final = frozenset({"behavior", "response", "responseJsonSchema"})
"""Reference, "FunctionDeclaration"."""

FORMAT = Format(
    name="gemini",
    source="Gemini API reference, function calling",
    render=render,
    join=join,
    profile=PROFILE,
    alphabet=NAMES,
    fields=FIELDS,
    parse=parse_message,
    report=report,
)
