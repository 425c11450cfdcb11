"""Wire formats of providers: how tools are described, calls read and results reported.

`get(name)` returns a `Format`; `names()` lists them. A new format is a file in this folder, a row in the table below, a test, and a row of
the page "Formats".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._lazy import lazy_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry.formats._finish import CUT_OFF as CUT_OFF
    from fcregistry.formats._finish import FinishReason as FinishReason
    from fcregistry.formats._finish import advice_on_message as advice_on_message
    from fcregistry.formats._finish import cut_off_call as cut_off_call
    from fcregistry.formats._finish import cut_off_calls as cut_off_calls
    from fcregistry.formats._finish import finish_reason as finish_reason
    from fcregistry.formats._finish import finish_reason_in as finish_reason_in
    from fcregistry.formats._finish import with_cut_calls as with_cut_calls
    from fcregistry.formats._format import Format
    from fcregistry.formats._format import RenderInput as RenderInput
    from fcregistry.formats._format import base64_of as base64_of
    from fcregistry.formats._format import data_url as data_url
    from fcregistry.formats._format import json_value_of as json_value_of
    from fcregistry.formats._format import tool_description as tool_description
    from fcregistry.formats._format import tools_of as tools_of
    from fcregistry.formats._node import Definition, Dropped, TextDefinition
    from fcregistry.formats._profile import OnRecursion as OnRecursion
    from fcregistry.formats._read import MalformedCallError, read_call, read_calls
    from fcregistry.formats._read import format_of_call as format_of_call
    from fcregistry.formats._read import has_field as has_field
    from fcregistry.formats._read import is_like_arguments as is_like_arguments
    from fcregistry.formats._read import read_field as read_field

__all__ = [
    "Definition",
    "Dropped",
    "Format",
    "MalformedCallError",
    "TextDefinition",
    "get",
    "names",
    "read_call",
    "read_calls",
]

# --- The table of formats ---

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
        from fcregistry.errors import FormatNotFoundError  # on the way to an error

        raise FormatNotFoundError(f"there is no format {name!r}; the formats are {', '.join(names())}")
    from importlib import import_module  # not needed before a format is

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


# --- Other names ---

_MODULES: Final = {
    "._finish": (
        *("CUT_OFF", "FinishReason", "finish_reason", "finish_reason_in"),
        *("advice_on_message", "cut_off_call", "cut_off_calls", "with_cut_calls"),
    ),
    "._format": ("Format", "RenderInput", "base64_of", "data_url", "json_value_of", "tool_description", "tools_of"),
    "._node": ("Definition", "Dropped", "TextDefinition"),
    "._profile": ("OnRecursion",),
    "._read": (
        *("MalformedCallError", "read_call", "read_calls"),
        *("format_of_call", "has_field", "is_like_arguments", "read_field"),
    ),
}
"""Module, imported on first use -> its names for users and, if they are not in `__all__`, for other rooms."""

lazy_names(globals(), _MODULES)
