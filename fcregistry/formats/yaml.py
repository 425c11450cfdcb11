"""How is a tool described in YAML, for prompts? Source: YAML 1.1, as PyYAML writes it. Needs the extra `fcregistry[yaml]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry.errors import MissingDependencyError
from fcregistry.formats._core import Format, told

if TYPE_CHECKING:
    from fcregistry._tool import Tool


def describe(tool: Tool) -> str:
    """Return name, description and parameters as a YAML document.

    Raises:
        MissingDependencyError: PyYAML is not installed.
    """
    try:
        import yaml  # an extra
    except ImportError as error:
        raise MissingDependencyError("the format 'yaml' needs PyYAML: pip install 'fcregistry[yaml]'") from error
    described: dict[str, Any] = {"name": tool.name}
    if text := told(tool):
        described["description"] = text
    dumped: str = yaml.safe_dump(
        {**described, "parameters": tool.parameters}, sort_keys=False, allow_unicode=True, width=1000
    )
    return dumped


FORMAT = Format(name="yaml", source="YAML 1.1", describe_one=describe, join="---\n".join)
