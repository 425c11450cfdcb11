"""Who decides about a call that requires approval? Whoever said so on the command line, or sits at the terminal."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from fcregistry._registry import registry
from fcregistry.cli._ask_words import waiting
from fcregistry.cli._output import remark

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._tools.tool import Tool
    from fcregistry.cli._ask_screen import Screen
    from fcregistry.execution import Approve, Deny, WaitingCall


class Deciding:
    """Decides about the calls of one run. What somebody answers holds for the one call, and is not remembered.

    Args:
        approved: Selectors of tools whose calls are approved.

    Raises:
        SelectorError, ToolNotFoundError, AmbiguousToolError: As for `registry.find`.
    """

    def __init__(self, approved: Sequence[str]) -> None:
        self._approved = {tool.id for tool in registry.find(*approved)} if approved else set()

    def approves(self, tool: Tool, call: ToolCall) -> bool:
        """Tell whether a call was approved beforehand, for a run that does not wait."""
        return tool.id in self._approved

    def decide(self, calls: Sequence[WaitingCall], screen: Screen) -> Mapping[str, Approve | Deny] | None:
        """Return a decision about every call; None if there is nobody to ask about one of them.

        Raises:
            KeyboardInterrupt: Whoever was asked has left.
        """
        open_ones = [call for call in calls if call.tool not in self._approved]
        if open_ones and not (sys.stdin.isatty() and sys.stderr.isatty()):
            return None
        with screen.paused():
            return {call.id: self._decision(call) for call in calls}

    def _decision(self, call: WaitingCall) -> Approve | Deny:
        from fcregistry.execution import Approve, Deny  # loaded by the run that waits

        if call.tool in self._approved:
            return Approve()
        return Approve() if _asked(call) else Deny("the user does not want this call")


def _asked(call: WaitingCall) -> bool:
    """Ask about one call."""
    _forget_what_was_typed()
    remark(waiting(call))
    try:
        return click.confirm("Call it?", err=True)
    except click.Abort as walked_away:  # Ctrl-C or the end of input: no answer, so not a denial either
        raise KeyboardInterrupt from walked_away


def _forget_what_was_typed() -> None:
    """Forget what was typed before there was a question: it is no answer to it."""
    try:
        import termios
    except ImportError:  # on Windows
        return
    with suppress(termios.error):
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
