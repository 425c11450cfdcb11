"""What does the configuration keep from being used, and when is that worth a remark?

Whoever disables a plugin knows that it is not there. That a lock refuses one is news, and so is that nothing is left at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from fcregistry._config.policy import without_locks
from fcregistry._registry import registry
from fcregistry._tools.declaration import log
from fcregistry.cli._output import remark
from fcregistry.cli._tools import counted
from fcregistry.discovery import FoundPlugin, current
from fcregistry.inspection._lint_core import shipped

_FEW: Final = 3
"""Names that are shown: doctor has them all."""


def mention_unused(is_wanted: Callable[[str], bool], *, is_asked_for: bool) -> None:
    """Say on stderr which plugins are not used, or tools hidden, and what says so.

    Args:
        is_wanted: Tells whether a distribution is spoken of.
        is_asked_for: Whether somebody has asked for that distribution by its name, so that every reason is worth telling.
    """
    refused = [each for each in current().report().disabled if is_wanted(each.plugin.distribution)]
    is_empty = not is_asked_for and _nothing_is_left()
    if not is_asked_for and not is_empty:
        refused = [each for each in refused if _is_refused_by_a_lock(each.plugin)]
    if refused:
        _say("plugin", [each.plugin.label for each in refused], refused[0].reason)
    elif is_empty and (hidden := _hidden()):
        _say("tool", list(hidden), next(iter(hidden.values())))


def _say(noun: str, names: list[str], reason: str) -> None:
    """Say how many there are, the first few, and what closes the first of them."""
    shown = ", ".join(names[:_FEW]) + (", …" if len(names) > _FEW else "")
    be = "is" if len(names) == 1 else "are"
    remark(f"{counted(names, noun)} {be} not used: {shown} (see: fcregistry doctor). {reason}")


def _nothing_is_left() -> bool:
    return next(iter(current().described()), None) is None and not registry._catalogue.seen(log)


def _is_refused_by_a_lock(plugin: FoundPlugin) -> bool:
    with without_locks():
        return current().permission().to_know(plugin) is None


def _hidden() -> dict[str, str]:
    """Return the tools that the configuration hides, each with what says so."""
    permission = current().permission()
    found = ((tool.id, permission.to_see(tool._definition.declaration, plugin)) for plugin, tool in shipped())
    return {each: reason for each, reason in found if reason}
