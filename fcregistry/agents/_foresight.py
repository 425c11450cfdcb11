"""Which tools does a planner see that cannot open gateways? Those that are visible, and those behind gateways that have to do with the goal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._tools.search import ToolSearch
from fcregistry._tools.tool import Toolset
from fcregistry.agents._arrangement import Opened
from fcregistry.agents._gateways import gateway_of

if TYPE_CHECKING:
    from fcregistry.agents._visible import VisibleTools

MOST_FOUND: Final = 20
"""How many tools behind gateways a planner sees at most."""


class Foresight:
    """Finds tools behind the gateways of one agent; what it searches is kept from run to run.

    Args:
        visible: A conversation with the agent's executor.
    """

    def __init__(self, visible: VisibleTools) -> None:
        arrangement = visible._arrangement
        self._search = None if arrangement is None else ToolSearch(arrangement.tools.values())

    def open(self, visible: VisibleTools, goal: str) -> None:
        """Open what has to do with a goal, in one conversation.

        Raises:
            MissingDependencyError: There are gateways, and this Python's SQLite was built without FTS5.
        """
        if self._search is not None:
            found = self._search.best(goal, MOST_FOUND)
            visible._open(visible._opened | Opened(tools=frozenset(tool.name for tool in found)))


def callable_tools(visible: VisibleTools) -> Toolset:
    """Return the visible tools that do something other than to show more tools."""
    return Toolset(tool for tool in visible.tools.values() if gateway_of(tool) is None)
