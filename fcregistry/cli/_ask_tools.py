"""Which tools may the model call? Those that are named, or the few that have to do with the question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from fcregistry._registry import registry
from fcregistry.cli._output import remark
from fcregistry.cli._tools import local_name, mention_failed_plugins, only_in_an_application

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.execution import Executor
    from fcregistry.execution._approval import Approver

FEW: Final = 5
"""How many tools are taken at most, where none is named."""


def executor_for(question: str, selectors: Sequence[str], approve: Approver | None = None) -> Executor:
    """Return what runs the calls of the model, and say on stderr which tools it has where nobody named them.

    Those that nobody named require approval also where their authors only say that they are destructive.

    Args:
        question: What they have to do with.
        selectors: What names them; nothing to search.
        approve: Who is asked about calls, if the run is not to wait for a decision.

    Raises:
        SelectorError, ToolNotFoundError, AmbiguousToolError, DuplicateToolError: As for `registry.select`.
        ConfigurationError: The configuration cannot be read.
    """
    # All that carries calls out, which completing a name does without
    from fcregistry.execution import Executor, Policy

    if selectors:
        mention_failed_plugins(selectors)
        return Executor(_usable(registry.select(*selectors).values(), says_so=True), approve=approve)
    return Executor(_found(question), policy=Policy(ask=["destructive=true"]), approve=approve)


def _found(question: str) -> list[Tool]:
    """Return the few tools that have to do with a question."""
    found: dict[str, Tool] = {}
    for tool in _usable(registry.search(question, limit=2 * FEW)):
        found.setdefault(tool.name, tool)  # of two plugins' tools of one name, the better one
    tools = list(found.values())[:FEW]
    names = ", ".join(map(local_name, tools))
    remark(f"Tools found for the question: {names}" if tools else "No tool has to do with the question.")
    mention_failed_plugins()
    return tools


def _usable(tools: Iterable[Tool], *, says_so: bool = False) -> list[Tool]:
    """Return those that can be called without an application."""
    usable = []
    for tool in tools:
        reason = only_in_an_application(tool)
        if reason is None:
            usable.append(tool)
        elif says_so:
            remark(reason)
    return usable
