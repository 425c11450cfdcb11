"""Approval on the command line: the user's answer, and what flags may answer in place of it.

No flag answers what the user's or the system's file asks about, or what a tool's option `always_ask` is about: a program that calls commands,
such as an agent with a shell, passes any flag.
"""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING

from fcregistry._config.policy import trust
from fcregistry._tools.tool import subject_with_all_names
from fcregistry.cli._output import can_ask, confirm

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._tools.tool import Tool
    from fcregistry.execution import Approver


def why_no_flag(tool: Tool, arguments: object) -> str | None:
    """Return the reason that no flag approves a call of a tool, or None if a flag may approve it.

    Args:
        tool: The tool.
        arguments: The arguments of the call, as JSON; they may be wrong.

    Raises:
        ConfigurationError: The configuration cannot be read.
    """
    rules = trust()
    reason = None if rules.is_open else rules.asks_user(subject_with_all_names(tool))
    return reason or _why_always_asked(tool, arguments)


def _why_always_asked(tool: Tool, arguments: object) -> str | None:
    """Return the reason by which the tool's option `always_ask` requires approval of a call.

    The result is None if the tool has no such option, if `arguments` is not a dict, or if the option's function requires none. If that function or
    the decoding of the arguments fails, the result says that the need is not known.
    """
    always = tool.options.always_ask
    if always is None or not isinstance(arguments, dict):
        return None
    try:
        return always(tool.signature.binding.decode(deepcopy(arguments)))
    except Exception:  # noqa: BLE001  # foreign code, and arguments that may be wrong: then the call fails, and no flag matters
        return "it is not known whether its arguments need approval"


def is_left_to_nobody(tool: Tool, arguments: object) -> bool:
    """Return whether only the user may approve a call of `tool`, and the user cannot be asked."""
    return not can_ask() and why_no_flag(tool, arguments) is not None


def approver(*, yes: bool) -> Approver | None:
    """Return the approver of calls; None if there is no flag, and no user to ask.

    The flag approves the calls that a flag may approve; the user is asked about the others.

    Args:
        yes: Whether there is a flag that approves.
    """
    if yes:
        return lambda tool, call: why_no_flag(tool, call.arguments) is None or (can_ask() and _ask(tool, call))
    return _ask if can_ask() else None


def _ask(tool: Tool, call: ToolCall) -> bool:
    """Ask the user on stderr whether to run a call, and return whether the answer is yes."""
    reason = _why_always_asked(tool, call.arguments)
    why = "" if reason is None else f": {reason}"
    return confirm(f"{tool.id} requires approval{why}. Call it with {json.dumps(call.arguments, ensure_ascii=False)}?")
