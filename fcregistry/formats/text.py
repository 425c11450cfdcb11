"""How is a tool described in a prompt, in few words? A signature, its description and its parameters.

get_current_weather(location: string, unit: "fahrenheit" | "celsius" = "fahrenheit")
  Get the current weather in a given location.
  - location: The city and state, e.g. San Francisco, CA.
  - unit: The temperature unit to use.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fcregistry.formats._core import Format, told

if TYPE_CHECKING:
    from fcregistry._tool import Tool


def describe(tool: Tool) -> str:
    """Return the text of one tool."""
    schema = tool.parameters
    defs = schema.get("$defs", {})
    properties: dict[str, Any] = schema["properties"]
    shown = [_parameter(name, each, name in schema.get("required", ())) for name, each in properties.items()]
    extra = schema.get("additionalProperties", True)
    if extra is not False:
        shown.append(f"…: {show_type(extra if isinstance(extra, dict) else {})}")
    lines = [f"{tool.name}({', '.join(shown)})"]
    lines += [f"  {line}".rstrip() for line in told(tool).splitlines()]
    for name, each in properties.items():
        if text := " ".join(str(each.get("description", "")).split()):
            lines.append(f"  - {name}: {text}")
    lines += [f"  {name} = {show_type(each)}" for name, each in defs.items()]
    return "\n".join(lines)


def _parameter(name: str, schema: dict[str, Any], required: bool) -> str:
    mark = "" if required else "?"
    if "default" in schema:
        return f"{name}: {show_type(schema)} = {json.dumps(schema['default'], ensure_ascii=False)}"
    return f"{name}{mark}: {show_type(schema)}"


def show_type(schema: Any) -> str:
    """Return a JSON Schema as a short type, the way TypeScript writes them."""
    if not isinstance(schema, dict):
        return "any" if schema else "never"
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "enum" in schema:
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return " | ".join(show_type(each) for each in schema[keyword])
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(kind)
    if kind == "array":
        return _array(schema)
    if kind == "object":
        return _object(schema)
    return f"{kind}({schema['format']})" if kind == "string" and "format" in schema else str(kind or "any")


def _array(schema: dict[str, Any]) -> str:
    if "prefixItems" in schema:
        return f"[{', '.join(show_type(each) for each in schema['prefixItems'])}]"
    inner = show_type(schema.get("items", {}))
    return f"({inner})[]" if " | " in inner else f"{inner}[]"


def _object(schema: dict[str, Any]) -> str:
    required = schema.get("required", ())
    fields = [_parameter(name, each, name in required) for name, each in schema.get("properties", {}).items()]
    extra = schema.get("additionalProperties")
    if isinstance(extra, dict) and extra:
        fields.append(f"[name]: {show_type(extra)}")
    return f"{{{', '.join(fields)}}}" if fields else "object"


FORMAT = Format(name="text", source="fcregistry's own", describe_one=describe, join="\n\n".join)
