"""Which formats are there?"""

from __future__ import annotations

from typing import Final

from fcregistry.errors import FormatNotFoundError
from fcregistry.formats._core import Format
from fcregistry.formats.anthropic import FORMAT as ANTHROPIC
from fcregistry.formats.json_schema import FORMAT as JSON_SCHEMA
from fcregistry.formats.mcp import FORMAT as MCP
from fcregistry.formats.openai import FORMAT as OPENAI
from fcregistry.formats.openai_responses import FORMAT as OPENAI_RESPONSES
from fcregistry.formats.text import FORMAT as TEXT
from fcregistry.formats.yaml import FORMAT as YAML

_FORMATS: Final[dict[str, Format]] = {
    each.name: each for each in (ANTHROPIC, JSON_SCHEMA, MCP, OPENAI, OPENAI_RESPONSES, TEXT, YAML)
}


def get(name: str) -> Format:
    """Return a format by name.

    Raises:
        FormatNotFoundError: There is none of that name.
    """
    if name not in _FORMATS:
        raise FormatNotFoundError(f"there is no format {name!r}; the formats are {', '.join(names())}")
    return _FORMATS[name]


def names() -> tuple[str, ...]:
    """Return the names of all formats, sorted."""
    return tuple(sorted(_FORMATS))
