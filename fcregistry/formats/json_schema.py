"""How is a tool described as plain JSON Schema? Source: JSON Schema 2020-12."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry.formats._format import Format

if TYPE_CHECKING:
    from fcregistry.formats._format import RenderInput


def render(rendering: RenderInput) -> dict[str, Any]:
    """Return the schema of the arguments, with the tool's name as its title."""
    head: dict[str, Any] = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": rendering.name}
    if rendering.text:
        head["description"] = rendering.text
    return {**head, **rendering.parameters}


FORMAT = Format(name="json-schema", source="JSON Schema 2020-12", render=render)
