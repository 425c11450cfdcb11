"""Formats of no provider: a short text and YAML, both for prompts, and plain JSON Schema.

The short text is a signature, the description and the parameters:

get_current_weather(location: string, unit: "fahrenheit" | "celsius" = "fahrenheit")
  Get the current weather in a given location.
  - location: The city and state, e.g. San Francisco, CA.
  - unit: The temperature unit to use.

Sources: JSON Schema 2020-12; YAML 1.1, as PyYAML writes it (needs the extra `fcregistry[yaml]`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.yaml import write_yaml
from fcregistry._schema.document import show_parameter, show_type
from fcregistry.formats._format import Format
from fcregistry.formats._node import TextDefinition, list_dropped
from fcregistry.formats._profile import COMPOSITION, Profile

if TYPE_CHECKING:
    from fcregistry.formats._format import RenderInput


# --- Short text ---


_SHOWN: Final = frozenset(
    {
        *("type", "enum", "const", "anyOf", "oneOf", "properties", "required", "items", "prefixItems"),
        *("additionalProperties", "format", "default", "description", "title", "$ref"),
    }
)


def render_text(rendering: RenderInput) -> TextDefinition:
    """Return the text of one tool."""
    schema = rendering.parameters
    properties: dict[str, Any] = schema["properties"]
    shown = [show_parameter(name, each, name in schema.get("required", ())) for name, each in properties.items()]
    extra = schema.get("additionalProperties", True)
    if extra is not False:
        shown.append(f"…: {show_type(extra if isinstance(extra, dict) else {})}")
    lines = [f"{rendering.name}({', '.join(shown)})"]
    lines += [f"  {line}".rstrip() for line in rendering.text.splitlines()]
    for name, each in properties.items():
        text = each.get("description", "") if isinstance(each, dict) else ""
        if text := " ".join(str(text).split()):
            lines.append(f"  - {name}: {text}")
    lines += [f"  {name} = {show_type(each)}" for name, each in schema.get("$defs", {}).items()]
    return TextDefinition("\n".join(lines), list_dropped(schema, _SHOWN))


TEXT = Format(
    name="text",
    source="fcregistry's own",
    render=render_text,
    join="\n\n".join,
    profile=Profile(provider="the text", top_without=COMPOSITION),
)


# --- YAML ---


def render_yaml(rendering: RenderInput) -> TextDefinition:
    """Return the name, description and parameters of a tool as a YAML document.

    Raises:
        MissingDependencyError: PyYAML is not installed.
    """
    return TextDefinition(write_yaml(rendering.named("parameters"), "the format 'yaml'"))


YAML = Format(name="yaml", source="YAML 1.1", render=render_yaml, join="---\n".join)


# --- JSON Schema ---


def render_json_schema(rendering: RenderInput) -> dict[str, Any]:
    """Return the schema of the arguments, with the tool's name as its title."""
    head: dict[str, Any] = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": rendering.name}
    if rendering.text:
        head["description"] = rendering.text
    return {**head, **rendering.parameters}


JSON_SCHEMA = Format(name="json-schema", source="JSON Schema 2020-12", render=render_json_schema)
