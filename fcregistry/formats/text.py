"""How is a tool described in a prompt, in few words? A signature, its description and its parameters.

get_current_weather(location: string, unit: "fahrenheit" | "celsius" = "fahrenheit")
  Get the current weather in a given location.
  - location: The city and state, e.g. San Francisco, CA.
  - unit: The temperature unit to use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fcregistry._schema.document import show_parameter, show_type
from fcregistry.formats._format import Format
from fcregistry.formats._node import TextDefinition, unsaid
from fcregistry.formats._profile import PUT_TOGETHER, Profile

if TYPE_CHECKING:
    from fcregistry.formats._format import RenderInput

__all__ = ["FORMAT", "render", "show_type"]

_SHOWN: Final = frozenset(
    {
        *("type", "enum", "const", "anyOf", "oneOf", "properties", "required", "items", "prefixItems"),
        *("additionalProperties", "format", "default", "description", "title", "$ref"),
    }
)


def render(rendering: RenderInput) -> TextDefinition:
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
    return TextDefinition("\n".join(lines), unsaid(schema, _SHOWN))


FORMAT = Format(
    name="text",
    source="fcregistry's own",
    render=render,
    join="\n\n".join,
    profile=Profile(taker="the text", top_without=PUT_TOGETHER),
)
