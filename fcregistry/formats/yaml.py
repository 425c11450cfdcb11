"""How is a tool described in YAML, for prompts? Source: YAML 1.1, as PyYAML writes it. Needs the extra `fcregistry[yaml]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry._base.yaml import write_yaml
from fcregistry.formats._format import Format
from fcregistry.formats._node import TextDefinition

if TYPE_CHECKING:
    from fcregistry.formats._format import RenderInput


def render(rendering: RenderInput) -> TextDefinition:
    """Return name, description and parameters as a YAML document.

    Raises:
        MissingDependencyError: PyYAML is not installed.
    """
    described: dict[str, Any] = {"name": rendering.name}
    if rendering.text:
        described["description"] = rendering.text
    described["parameters"] = rendering.parameters
    return TextDefinition(write_yaml(described, "the format 'yaml'"))


FORMAT = Format(name="yaml", source="YAML 1.1", render=render, join="---\n".join)
