"""Which tools show a model more tools?

A gateway answers, and keeps nothing: what a call of it opens follows from its arguments. So the calls in a conversation's history say what is
open in it, and no conversation opens anything in another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, TypedDict

from annotated_types import Interval, Len

from fcregistry._base.call import CallError
from fcregistry._tools.names import did_you_mean, nearest
from fcregistry._tools.search import ToolSearch
from fcregistry._tools.tool import Tool
from fcregistry.agents._arrangement import Arrangement, Opened
from fcregistry.errors import DefinitionError, ToolError

if TYPE_CHECKING:
    from fcregistry._tools.options import ToolOptions
    from fcregistry._tools.tool import Toolset

SEARCH: Final = "search_tools"
LOAD: Final = "load_tools"
_MOST: Final = 50
_FROM_NOW_ON: Final = "can be called from the next message on"


class FoundTool(TypedDict):
    """A tool that was found.

    Attributes:
        name: What load_tools takes.
        summary: What it does.
    """

    name: str
    summary: str


class Gateway:
    """Shows tools.

    Args:
        arrangement: What stands behind which gateway.
    """

    def __init__(self, arrangement: Arrangement) -> None:
        self.arrangement = arrangement

    def opens(self, arguments: Mapping[str, Any]) -> Opened:
        """Return what a call with these decoded arguments opens, if it succeeds."""
        raise TypeError(f"{type(self).__name__} does not say what it opens")


class GroupGateway(Gateway):
    """Shows the tools of one lazy group.

    Args:
        arrangement: What stands behind which gateway.
        group: The group.
    """

    def __init__(self, arrangement: Arrangement, group: str) -> None:
        super().__init__(arrangement)
        self.group = group

    def opens(self, arguments: Mapping[str, Any]) -> Opened:
        """Return the group, and those around it."""
        return self.arrangement.opening(self.group)

    def __call__(self) -> str:
        """Show the tools of a group."""
        lines = [
            f"- {tool.name}: {tool.summary}" for tool in self.arrangement.behind(self.group) if not tool.missing_env
        ]
        lines += [f"- {gateway_name(group)}: {_purpose(group)}" for group in self.arrangement.inner(self.group)]
        head = f'Activated Toolkit "{self.group}".'
        return (
            "\n".join([f"{head} These {_FROM_NOW_ON}:", *lines])
            if lines
            else f"{head} None of its tools is available here."
        )


class SearchGateway(Gateway):
    """Finds tools by words."""

    def __init__(self, arrangement: Arrangement) -> None:
        super().__init__(arrangement)
        self._search = ToolSearch(arrangement.tools.values())

    def opens(self, arguments: Mapping[str, Any]) -> Opened:
        """Return nothing: what is found has to be loaded."""
        return Opened()

    def __call__(self, query: str, limit: Annotated[int, Interval(ge=1, le=_MOST)] = 10) -> list[FoundTool]:
        """Find tools by words. There are more tools than you see: look here for those that the task needs, then load them with load_tools.

        Args:
            query: What the tool should do, in a few words.
            limit: How many tools to return at most.

        Returns:
            Names and summaries, best first; none if no tool has to do with these words: try others.
        """
        return [FoundTool(name=tool.name, summary=tool.summary) for tool in self._search.best(query, limit)]


class LoadGateway(Gateway):
    """Shows tools by name."""

    def opens(self, arguments: Mapping[str, Any]) -> Opened:
        """Return the named tools."""
        return Opened(tools=frozenset(tool.name for tool in self._named(arguments["names"])[0]))

    def __call__(self, names: Annotated[list[str], Len(1, _MOST)]) -> str:
        """Load tools that search_tools found, so that you can call them from your next message on.

        Args:
            names: Their names.
        """
        loaded, unknown = self._named(names)
        said = [f"there is no tool {name!r}{did_you_mean(nearest(name, self.arrangement.tools))}" for name in unknown]
        if not loaded:
            raise ToolError("nothing was loaded: " + "; ".join(said))
        return "\n".join(
            [f"{', '.join(tool.name for tool in loaded)} {_FROM_NOW_ON}.", *(f"But {each}" for each in said)]
        )

    def _named(self, names: list[str]) -> tuple[list[Tool], list[str]]:
        """Return the tools of some names that are available, and the other names; each once, in the order given."""
        loaded, unknown = [], []
        for name in dict.fromkeys(names):
            tool = self.arrangement.tools.get(name)
            if tool is None or tool.missing_env:
                unknown.append(name)
            else:
                loaded.append(tool)
        return loaded, unknown


def gateway_name(group: str) -> str:
    """Return the wire name of the gateway of a group."""
    return f"get_{group.replace('.', '_')}_methods"


def gateways_of(arrangement: Arrangement) -> list[Tool]:
    """Return the gateways of an arrangement.

    Raises:
        DefinitionError: A group's name is too long to make one.
    """
    made = [
        _tool(GroupGateway(arrangement, group), gateway_name(group), _purpose(group))
        for group in sorted(arrangement.lazy)
    ]
    if arrangement.searched:
        made += [_tool(SearchGateway(arrangement), SEARCH), _tool(LoadGateway(arrangement), LOAD)]
    return made


def gateway_of(tool: Tool) -> Gateway | None:
    """Return the gateway that a tool is, or None."""
    if tool._owner is not None:  # a plugin's, which is not imported for the question
        return None
    function: object = tool.function
    return function if isinstance(function, Gateway) else None


def opened_by(tool: Tool, arguments: Mapping[str, Any]) -> Opened:
    """Return what a call with these decoded arguments opened; nothing for a tool that is no gateway."""
    gateway = gateway_of(tool)
    return Opened() if gateway is None else gateway.opens(arguments)


def arrangement_of(tools: Toolset) -> Arrangement | None:
    """Return what stands behind the gateways among some tools; None where there are no gateways.

    Raises:
        DefinitionError: There are several, or some of what stands behind is missing, or has another name.
    """
    found = {id(each.arrangement): each.arrangement for each in map(gateway_of, tools.values()) if each is not None}
    if len(found) > 1:
        raise DefinitionError("an executor takes one OnDemand: make one of the tools of all")
    for arrangement in found.values():
        missing = [name for name, tool in arrangement.tools.items() if not _is_same(tools.get(name), tool)]
        if missing:
            raise DefinitionError(
                f"{', '.join(missing[:5])} stood behind the gateways of an OnDemand, and the executor lacks that: rename, describe and filter tools "
                "before OnDemand is made of them"
            )
        return arrangement
    return None


def _is_same(there: Tool | None, tool: Tool) -> bool:
    return there is not None and there._is_same_as(tool)


def not_yet(tool: Tool, arrangement: Arrangement, opened: Opened) -> CallError:
    """Word a call of a tool that is not visible yet, or of a gateway that is not any more."""
    gateway = gateway_of(tool)
    group = gateway.group if isinstance(gateway, GroupGateway) else tool.group
    closed = arrangement.closed_around(group, opened)
    if gateway is not None and closed is None:
        return CallError("unknown_tool", f"{tool.name} was called before: the tools of {group} can be called now")
    way = f"{LOAD} with its name" if closed is None else gateway_name(closed)
    message = f"{tool.name} cannot be called yet: call {way} first, and {tool.name} in a message after that"
    return CallError("unknown_tool", message)


def _tool(gateway: Callable[..., object], name: str, description: str = "") -> Tool:
    options: ToolOptions = {"name": name, "read_only": True, "idempotent": True, "open_world": False}
    if description:
        options["description"] = description
    return Tool.from_function(gateway, **options)


def _purpose(group: str) -> str:
    return f"Show the tools of the group {group}, so that they can be called from the next message on."
