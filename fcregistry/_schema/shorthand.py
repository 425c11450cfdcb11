"""How is a JSON Schema shown as a short type, the way TypeScript writes them?"""

from __future__ import annotations

import json
from typing import Any


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


def show_parameter(name: str, schema: Any, required: bool) -> str:
    """Return a property with its type, its default, and a mark if it may be left out."""
    mark = "" if required else "?"
    if isinstance(schema, dict) and "default" in schema:
        return f"{name}: {show_type(schema)} = {json.dumps(schema['default'], ensure_ascii=False)}"
    return f"{name}{mark}: {show_type(schema)}"


def _array(schema: dict[str, Any]) -> str:
    if "prefixItems" in schema:
        return f"[{', '.join(show_type(each) for each in schema['prefixItems'])}]"
    inner = show_type(schema.get("items", {}))
    return f"({inner})[]" if " | " in inner else f"{inner}[]"


def _object(schema: dict[str, Any]) -> str:
    required = schema.get("required", ())
    fields = [show_parameter(name, each, name in required) for name, each in schema.get("properties", {}).items()]
    extra = schema.get("additionalProperties")
    if isinstance(extra, dict) and extra:
        fields.append(f"[name]: {show_type(extra)}")
    return f"{{{', '.join(fields)}}}" if fields else "object"
