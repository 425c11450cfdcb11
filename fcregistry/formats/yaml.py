"""How is a tool described in YAML, for prompts? Source: YAML 1.1, as PyYAML writes it. Needs the extra `fcregistry[yaml]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry.errors import MissingDependencyError
from fcregistry.formats._core import Format
from fcregistry.formats._definition import TextDefinition

if TYPE_CHECKING:
    from fcregistry.formats._core import Rendering


def render(rendering: Rendering) -> TextDefinition:
    """Return name, description and parameters as a YAML document.

    Raises:
        MissingDependencyError: PyYAML is not installed.
    """
    try:
        import yaml  # an extra
    except ImportError as error:
        raise MissingDependencyError("the format 'yaml' needs PyYAML: pip install 'fcregistry[yaml]'") from error
    described: dict[str, Any] = {"name": rendering.name}
    if rendering.text:
        described["description"] = rendering.text
    described["parameters"] = rendering.parameters
    return TextDefinition(yaml.safe_dump(described, sort_keys=False, allow_unicode=True, width=1000))


FORMAT = Format(name="yaml", source="YAML 1.1", render=render, join="---\n".join)
