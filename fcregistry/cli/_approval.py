"""Approval on the command line: the user's answer, and what flags may answer in place of it.

No flag answers what the user's or the system's file asks about: a program that calls commands, such as an agent with a shell, passes any flag.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fcregistry._config.policy import trust
from fcregistry._tools.tool import subject_with_all_names
from fcregistry.cli._output import can_ask, confirm

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._tools.tool import Tool
    from fcregistry.execution import Approver


def why_no_flag(tool: Tool) -> str | None:
    """Return why no flag approves the calls of a tool, or None if one may.

    Raises:
        ConfigurationError: The configuration cannot be read.
    """
    rules = trust()
    return None if rules.is_open else rules.asks_user(subject_with_all_names(tool))


def is_left_to_nobody(tool: Tool) -> bool:
    """Return whether only the user may approve the calls of a tool, and cannot be asked."""
    return not can_ask() and why_no_flag(tool) is not None


def approver(*, yes: bool) -> Approver | None:
    """Return the approver of calls: a flag where one may approve, otherwise the user; None if there is neither.

    Args:
        yes: Whether there is a flag that approves.
    """
    if yes:
        return lambda tool, call: why_no_flag(tool) is None or (can_ask() and _ask(tool, call))
    return _ask if can_ask() else None


def _ask(tool: Tool, call: ToolCall) -> bool:
    return confirm(f"{tool.id} requires approval. Call it with {json.dumps(call.arguments, ensure_ascii=False)}?")
