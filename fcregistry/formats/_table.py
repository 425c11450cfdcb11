"""The table of formats: name, module and attribute."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from fcregistry.errors import FormatNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry.formats._format import Format

_FORMATS: Final = {
    "anthropic": ("anthropic", "FORMAT"),
    "bedrock": ("bedrock", "FORMAT"),
    "gemini": ("gemini", "FORMAT"),
    "json-schema": ("text", "JSON_SCHEMA"),
    "mcp": ("mcp", "FORMAT"),
    "openai": ("openai", "CHAT"),
    "openai-responses": ("openai", "RESPONSES"),
    "python": ("python", "FORMAT"),
    "text": ("text", "TEXT"),
    "typescript": ("typescript", "FORMAT"),
    "yaml": ("text", "YAML"),
}
"""Format -> the module of this folder and its name there. A module is imported when one of its formats is used: most programs use one."""


def get(name: str) -> Format:
    """Return a format by name.

    Args:
        name: The name, one of `names()`.

    Raises:
        FormatNotFoundError: There is no format of that name.
    """
    if name not in _FORMATS:
        raise FormatNotFoundError(f"there is no format {name!r}; the formats are {', '.join(names())}")
    module, attribute = _FORMATS[name]
    found: Format = getattr(import_module(f"fcregistry.formats.{module}"), attribute)
    return found


def names() -> tuple[str, ...]:
    """Return the names of all formats, sorted."""
    return tuple(sorted(_FORMATS))


def wire_names(names_of_tools: Iterable[str]) -> dict[str, str]:
    """Return wire name -> name for the tools whose name some format has to change."""
    alphabets = [alphabet for name in names() if (alphabet := get(name).alphabet) is not None]
    listed = list(names_of_tools)
    found: dict[str, str] = {}
    for alphabet in alphabets:
        for name in listed:
            found.setdefault(alphabet.wire_name(name), name)
    return {wire: name for wire, name in found.items() if wire != name}
