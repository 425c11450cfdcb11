"""How models that answer in text write tool calls, and how a prompt shows them tools.

`get("hermes")` gives a `Dialect`.

A new family of models is one row in `_families_json`, `_families_tags` or `_families_text`, its name in `_table`, one golden case in its
test, and one row of the page "Dialects". A new syntax belongs to the module `_syntax_…` that it resembles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._lazy import lazy_names

if TYPE_CHECKING:
    from fcregistry.dialects._auto import detect
    from fcregistry.dialects._chat_formats import ChatFormat, chat_format, chat_format_names
    from fcregistry.dialects._chat_formats import break_markers as break_markers
    from fcregistry.dialects._chat_formats import break_markers_in as break_markers_in
    from fcregistry.dialects._chat_template import ChatTemplate, GGUFHeader
    from fcregistry.dialects._chat_template import render_template as render_template
    from fcregistry.dialects._dialect import Dialect, DialectStream
    from fcregistry.dialects._json_text import value_by_schema as value_by_schema
    from fcregistry.dialects._lookup import for_model, for_template, get
    from fcregistry.dialects._parsed import Parsed
    from fcregistry.dialects._table import names

__all__ = [
    "ChatFormat",
    "ChatTemplate",
    "Dialect",
    "DialectStream",
    "GGUFHeader",
    "Parsed",
    "chat_format",
    "chat_format_names",
    "detect",
    "for_model",
    "for_template",
    "get",
    "names",
]

_MODULES: Final = {
    "._auto": ("detect",),
    "._chat_formats": ("ChatFormat", "break_markers", "break_markers_in", "chat_format", "chat_format_names"),
    "._chat_template": ("ChatTemplate", "GGUFHeader", "render_template"),
    "._dialect": ("Dialect", "DialectStream"),
    "._json_text": ("value_by_schema",),
    "._lookup": ("for_model", "for_template", "get"),
    "._parsed": ("Parsed",),
    "._table": ("names",),
}
"""Module, imported on first use -> its names for users and, if they are not in `__all__`, for other rooms."""

lazy_names(globals(), _MODULES)
