"""Which formats are there?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from fcregistry.errors import FormatNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry.formats._format import Format

_MODULES: Final = {
    "anthropic": "anthropic",
    "bedrock": "bedrock",
    "gemini": "gemini",
    "json-schema": "json_schema",
    "mcp": "mcp",
    "openai": "openai",
    "openai-responses": "openai_responses",
    "python": "python",
    "text": "text",
    "typescript": "typescript",
    "yaml": "yaml",
}
"""Format -> the module of this folder that has it, imported when it is asked for: most programs use one."""


def get(name: str) -> Format:
    """Return a format by name.

    Raises:
        FormatNotFoundError: There is none of that name.
    """
    if name not in _MODULES:
        raise FormatNotFoundError(f"there is no format {name!r}; the formats are {', '.join(names())}")
    found: Format = import_module(f"fcregistry.formats.{_MODULES[name]}").FORMAT
    return found


def names() -> tuple[str, ...]:
    """Return the names of all formats, sorted."""
    return tuple(sorted(_MODULES))


def wire_names(names_of_tools: Iterable[str]) -> dict[str, str]:
    """Return wire name -> name for the tools that some format calls by another name than ours."""
    from fcregistry.formats._format import alphabet_wire_names as of_alphabets  # needed only where a name is not ours

    alphabets = [alphabet for name in names() if (alphabet := get(name).alphabet) is not None]
    return of_alphabets(names_of_tools, alphabets)
