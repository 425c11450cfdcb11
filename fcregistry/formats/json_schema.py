"""How is a tool described as plain JSON Schema? Source: JSON Schema 2020-12."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry.formats._core import Format, told

if TYPE_CHECKING:
    from fcregistry._tool import Tool


def describe(tool: Tool) -> dict[str, Any]:
    """Return the schema of the arguments, with the tool's name as its title."""
    head: dict[str, Any] = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": tool.name}
    if text := told(tool):
        head["description"] = text
    return {**head, **tool.parameters}


FORMAT = Format(name="json-schema", source="JSON Schema 2020-12", describe_one=describe)
