"""Which formats are there?"""

from __future__ import annotations

from typing import Final

from fcregistry.errors import FormatNotFoundError
from fcregistry.formats import anthropic, json_schema, mcp, openai, text, yaml
from fcregistry.formats._core import Format

_FORMATS: Final[dict[str, Format]] = {
    each.FORMAT.name: each.FORMAT for each in (anthropic, json_schema, mcp, openai, text, yaml)
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
