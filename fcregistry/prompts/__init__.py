"""Prompts that ask a model for calls or for an answer of a Python type, and the readers of its reply.

`ToolPrompt` is the text that shows a model its tools, for models whose provider has no wire format for them. `OutputFormat` asks for an
answer of a Python type and reads it. Both are made from templates that can be replaced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._lazy import lazy_names

if TYPE_CHECKING:
    from fcregistry.prompts._extract import OutputError, ParsedAnswer, calls_of
    from fcregistry.prompts._extract import problems_in as problems_in
    from fcregistry.prompts._output_format import OutputFormat
    from fcregistry.prompts._tool_prompt import ToolPrompt

__all__ = ["OutputError", "OutputFormat", "ParsedAnswer", "ToolPrompt", "calls_of"]

_MODULES: Final = {
    "._extract": ("OutputError", "ParsedAnswer", "calls_of", "problems_in"),
    "._output_format": ("OutputFormat",),
    "._tool_prompt": ("ToolPrompt",),
}
"""Module, imported on first use -> its names for users and, if they are not in `__all__`, for other rooms."""

lazy_names(globals(), _MODULES)
