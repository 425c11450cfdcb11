"""Which tools may a model call? What a choice leaves of them, for a model that can only be shown tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fcregistry._tools.tool import Tool
    from fcregistry.models._model import ToolChoice


def offered(tools: Sequence[Tool], tool_choice: ToolChoice) -> Sequence[Tool]:
    """Return the tools that may be called: none of them for `none`, one for a name.

    Raises:
        ValueError: The choice is the name of none of them.
    """
    if tool_choice in ("auto", "required"):
        return tools
    chosen = [tool for tool in tools if tool.name == tool_choice]
    if not chosen and tool_choice != "none":
        names = ", ".join(tool.name for tool in tools) or "none"
        raise ValueError(
            f"tool_choice is auto, required, none or the name of a tool, not {tool_choice!r}; the tools are {names}"
        )
    return chosen
