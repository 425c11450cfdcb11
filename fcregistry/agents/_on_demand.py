"""Tools on demand: `OnDemand`, and the gateways, tools that make others visible when a model calls them.

A gateway stores nothing: what a call of it opens follows from its arguments. So the calls in a conversation's history say what is open in it, and
no conversation opens anything in another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, TypedDict

from annotated_types import Interval, Len

from fcregistry._base import slots
from fcregistry._base.call import CallError
from fcregistry._tools.availability import available_near
from fcregistry._tools.search import ToolSearch
from fcregistry._tools.selectors import did_you_mean, nearest
from fcregistry._tools.tool import Tool, Toolset, definition_of, is_same_tool, owner_of
from fcregistry.errors import DefinitionError, GroupNotFoundError, ToolError
from fcregistry.execution import toolset_of

if TYPE_CHECKING:
    from fcregistry._registry import Registry
    from fcregistry._tools.options import ToolOptions
    from fcregistry.execution import ToolLike


class OnDemand(Toolset):
    """Many tools, of which a model at first sees only gateways: tools that make others visible.

    It is an immutable toolset of the gateways and the tools, which several conversations can share. Pass it to an `Executor` or an agent. The
    gateways are ordinary tools: policies, approvals, hooks and logs know them by their names.

        FunctionCall(llm, tools=OnDemand(["acme-*:*"]))                         # search_tools and load_tools
        FunctionCall(llm, tools=OnDemand(["acme-*:*"], groups=["search"]))      # get_search_methods, and the tools outside search
        FunctionCall(llm, tools=OnDemand("*", activate={"mail": "(?i)mail|inbox"}))  # get_mail_methods, until a question has such a word

    Args:
        tools: The tools that a model can make visible: names, selectors, functions, `Tool`s, toolsets, or lists of these. A model cannot find
            or load any other tool.
        groups: Names or patterns of groups that are hidden at first. For each, the model sees one gateway, `get_GROUP_methods`, which makes the
            group's tools visible, with those of the groups in it. If a group in it is hidden, too, its gateway becomes visible instead.
        search: Whether the other tools are hidden until the model finds and loads them with `search_tools` and `load_tools`, which reach the
            hidden groups as well. By default, True without `groups` and `activate`, and False with them.
        activate: Names or patterns of groups -> a regular expression. The groups are hidden at first, as those of `groups` are, and become visible
            before the first request if the expression matches anywhere in the text of a message of the user.
        shown: The tools that are always visible.
        registry: Where names are looked up; the process's by default.

    Raises:
        GroupNotFoundError: None of the tools is in a group of that name.
        ToolNotFoundError: A name that no tool has.
        AmbiguousToolError: A name that several tools have.
        DefinitionError: Something cannot be a tool, or a regular expression cannot be used.
        DuplicateToolError: Two of the tools have one name, or one has the name of a gateway.
    """

    __slots__ = ("_gateways", "_map")

    def __init__(
        self,
        tools: ToolLike | Iterable[ToolLike],
        *,
        groups: Iterable[str] = (),
        search: bool | None = None,
        activate: Mapping[str, str] = MappingProxyType({}),
        shown: ToolLike | Iterable[ToolLike] = (),
        registry: Registry | None = None,
    ) -> None:
        always = toolset_of(shown, registry)
        offered = toolset_of([tools, always], registry)
        there = {tool.group for tool in offered.values()}
        patterns = _patterns_of(activate, there)
        lazy = lazy_groups(groups, there).union(patterns)
        self._map = GatewayMap(offered, lazy, not lazy if search is None else search, set(always), patterns)
        gateways = gateways_of(self._map)
        super().__init__([*offered.values(), *gateways])
        self._gateways = Toolset(gateways)

    @property
    def tools(self) -> Toolset:
        """All the tools, without the gateways."""
        return self._map.tools

    @property
    def gateways(self) -> Toolset:
        """The gateways."""
        return self._gateways

    def __repr__(self) -> str:
        names = ", ".join(self.gateways) or "no gateways"
        return f"<OnDemand {len(self.tools)} tools behind {names}>"


# --- Gateways ---

SEARCH: Final = "search_tools"
LOAD: Final = "load_tools"
_MAX_NAMES: Final = 50
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
    """The base of the functions of gateways.

    Args:
        gateway_map: Which tools are behind which gateway.
    """

    def __init__(self, gateway_map: GatewayMap) -> None:
        self.gateway_map = gateway_map

    def opens(self, arguments: Mapping[str, Any]) -> Opened:
        """Return the groups and tools that a call with the decoded `arguments` opens, if it succeeds."""
        return Opened()


class GroupGateway(Gateway):
    """Opens the tools of one lazy group.

    Args:
        gateway_map: Which tools are behind which gateway.
        group: The group.
    """

    def __init__(self, gateway_map: GatewayMap, group: str) -> None:
        super().__init__(gateway_map)
        self.group = group

    def opens(self, arguments: Mapping[str, Any]) -> Opened:
        """Return the group, and the lazy groups around it."""
        return self.gateway_map.opened_by(self.group)

    def __call__(self) -> str:
        """Show the tools of a group."""
        lines = [
            f"- {tool.name}: {tool.summary}" for tool in self.gateway_map.behind(self.group) if not tool.unavailable
        ]
        lines += [
            f"- {gateway_name(group)}: {_group_description(group)}"
            for group in self.gateway_map.inner(self.group)
            if not self.gateway_map.is_empty(group)
        ]
        head = f'Activated Toolkit "{self.group}".'
        return (
            "\n".join([f"{head} These {_FROM_NOW_ON}:", *lines])
            if lines
            else f"{head} None of its tools is available here."
        )


class SearchGateway(Gateway):
    """Finds tools by words. It opens nothing: what is found has to be loaded."""

    def __init__(self, gateway_map: GatewayMap) -> None:
        super().__init__(gateway_map)
        self._search = ToolSearch(gateway_map.tools.values())

    def __call__(self, query: str, limit: Annotated[int, Interval(ge=1, le=_MAX_NAMES)] = 10) -> list[FoundTool]:
        """Find tools by words, among more tools than you see.

        Look here for those that the task needs, then load them with load_tools.

        Args:
            query: What the tool should do, in a few words.
            limit: How many tools to return at most.

        Returns:
            Names and summaries, best first; none if no tool has to do with these words: try others.
        """
        return [FoundTool(name=tool.name, summary=tool.summary) for tool in self._search.best(query, limit)]


class LoadGateway(Gateway):
    """Opens tools by name."""

    def opens(self, arguments: Mapping[str, Any]) -> Opened:
        """Return the tools that the argument `names` names, as far as they are available."""
        return Opened(tools=frozenset(tool.name for tool in self._available(arguments["names"])[0]))

    def __call__(self, names: Annotated[list[str], Len(1, _MAX_NAMES)]) -> str:
        """Load tools that search_tools found, so that you can call them from your next message on.

        Args:
            names: Their names.
        """
        loaded, unknown = self._available(names)
        tools = self.gateway_map.tools
        problems = [
            f"{name} is not available here"
            if name in tools
            else f"there is no tool {name!r}{did_you_mean(tuple(islice(available_near(name, tools), 3)))}"
            for name in unknown
        ]
        if not loaded:
            raise ToolError("nothing was loaded: " + "; ".join(problems))
        return "\n".join(
            [f"{', '.join(tool.name for tool in loaded)} {_FROM_NOW_ON}.", *(f"But {each}" for each in problems)]
        )

    def _available(self, names: list[str]) -> tuple[list[Tool], list[str]]:
        """Return the available tools among `names`, and the names without such a tool, each once and in order."""
        loaded, unknown = [], []
        for name in dict.fromkeys(names):
            tool = self.gateway_map.tools.get(name)
            if tool is None or tool.unavailable:
                unknown.append(name)
            else:
                loaded.append(tool)
        return loaded, unknown


def gateway_name(group: str) -> str:
    """Return the wire name of the gateway of `group`."""
    return f"get_{group.replace('.', '_')}_methods"


def gateways_of(gateway_map: GatewayMap) -> list[Tool]:
    """Return the gateways of `gateway_map` as tools.

    Raises:
        DefinitionError: The name of a group is too long for the name of its gateway.
    """
    made = [
        _gateway_tool(GroupGateway(gateway_map, group), gateway_name(group), _group_description(group))
        for group in sorted(gateway_map.lazy)
    ]
    if gateway_map.searched:
        made += [_gateway_tool(SearchGateway(gateway_map), SEARCH), _gateway_tool(LoadGateway(gateway_map), LOAD)]
    return made


def _gateway_tool(gateway: Callable[..., object], name: str, description: str = "") -> Tool:
    """Return the tool `name` that calls `gateway`; an empty `description` means its docstring."""
    options: ToolOptions = {"name": name, "read_only": True, "idempotent": True, "open_world": False}
    if description:
        options["description"] = description
    return Tool.from_function(gateway, **options)


def gateway_of(tool: Tool) -> Gateway | None:
    """Return the gateway that `tool` calls, or None if it is not the tool of a gateway."""
    if owner_of(tool) is not None:  # a plugin's tool, which is not imported only for this
        return None
    function: object = tool.function
    return function if isinstance(function, Gateway) else None


def gateway_map_of(tools: Toolset) -> GatewayMap | None:
    """Return the map of the gateways among `tools`, or None if there are no gateways.

    Raises:
        DefinitionError: There are several maps, or a tool behind a gateway is missing or has another name.
    """
    found = {id(each.gateway_map): each.gateway_map for each in map(gateway_of, tools.values()) if each is not None}
    if len(found) > 1:
        raise DefinitionError("an executor takes one OnDemand: make one of the tools of all")
    for gateway_map in found.values():
        missing = [
            name for name, tool in gateway_map.tools.items() if name not in tools or not is_same_tool(tools[name], tool)
        ]
        if missing:
            raise DefinitionError(
                f"the executor lacks tools that the gateways of its OnDemand open: {', '.join(missing[:5])}; rename, describe and "
                "filter tools before OnDemand is made of them"
            )
        return gateway_map
    return None


def not_visible_error(tool: Tool, gateway_map: GatewayMap, opened: Opened) -> CallError:
    """Return the error of a call to `tool`, which is behind a gateway, or a gateway that was called."""
    gateway = gateway_of(tool)
    group = gateway.group if isinstance(gateway, GroupGateway) else tool.group
    closed = gateway_map.outermost_closed(group, opened)
    if gateway is not None and closed is None:
        return CallError("unknown_tool", f"{tool.name} was called before: the tools of {group} can be called now")
    way = f"{LOAD} with its name" if closed is None else gateway_name(closed)
    message = f"{tool.name} cannot be called yet: call {way} first, and {tool.name} in a message after that"
    return CallError("unknown_tool", message)


def _group_description(group: str) -> str:
    """Return the description, for the model, of the gateway that opens `group`."""
    return f"Show the tools of the group {group}, so that they can be called from the next message on."


# --- The tools behind gateways ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The lazy groups and tools that a conversation has opened.

    Attributes:
        groups: Lazy groups.
        tools: Wire names of single tools.
    """

    groups: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()

    def __or__(self, other: Opened) -> Opened:
        return Opened(groups=self.groups | other.groups, tools=self.tools | other.tools)


class GatewayMap:
    """Which tools are behind which gateway. Frozen.

    Args:
        tools: All tools, without the gateways.
        lazy: The lazy groups.
        searched: Whether tools in no lazy group are behind the search.
        shown: The wire names of tools that are always visible.
        patterns: Lazy groups -> regular expressions; a group is opened by a question that one of its expressions matches.
    """

    __slots__ = ("_always", "_behind", "_inner", "lazy", "patterns", "searched", "tools")

    def __init__(
        self,
        tools: Toolset,
        lazy: Set[str] = frozenset(),
        searched: bool = False,
        shown: Set[str] = frozenset(),
        patterns: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        self.tools = tools
        self.lazy = frozenset(lazy)
        self.searched = searched
        self.patterns = dict(patterns)
        self._always = set(shown)
        self._behind: dict[str, list[str]] = {group: [] for group in lazy}
        for name, tool in tools.items():
            if enclosing := self.enclosing(tool.group):
                self._behind[enclosing[-1]].append(name)
            elif not searched:
                self._always.add(name)
        self._inner: dict[str, list[str]] = {}
        for group in sorted(lazy):
            self._inner.setdefault(next(iter(self.enclosing(group)[-2:-1]), ""), []).append(group)

    def enclosing(self, group: str) -> tuple[str, ...]:
        """Return the lazy groups that `group` is in, itself included, outermost first."""
        return tuple(name for name in _group_path(group) if name in self.lazy)

    def behind(self, group: str) -> tuple[Tool, ...]:
        """Return the tools that the gateway of `group` opens: all but those of lazy groups in it."""
        return tuple(self.tools[name] for name in self._behind[group])

    def inner(self, group: str = "") -> Sequence[str]:
        """Return the lazy groups directly in the lazy group `group`, or in no group if it is empty."""
        return self._inner.get(group, ())

    def may_be_empty(self, group: str) -> bool:
        """Return whether there may be times at which no tool in the lazy group `group` is available."""
        return all(map(may_be_hidden, self.behind(group))) and all(map(self.may_be_empty, self.inner(group)))

    def is_empty(self, group: str) -> bool:
        """Return whether no tool in the lazy group `group` is available here now."""
        return all(tool.unavailable for tool in self.behind(group)) and all(map(self.is_empty, self.inner(group)))

    def groups_in_question(self, texts: Sequence[str]) -> list[str]:
        """Return the lazy groups that one of `texts`, those of the user, opens."""
        return [
            group
            for group, patterns in self.patterns.items()
            if any(matches(text) for matches in map(slots.pattern_matcher, patterns) for text in texts)
        ]

    def opened_by(self, group: str) -> Opened:
        """Return what opening `group` opens: the group and the lazy groups around it.

        Raises:
            GroupNotFoundError: `group` is not a lazy group of this map.
        """
        if group not in self.lazy:
            raise GroupNotFoundError(
                f"there is no lazy group {group!r}{did_you_mean(nearest(group, sorted(self.lazy)))}"
            )
        return Opened(groups=frozenset(self.enclosing(group)))

    def known(self, opened: Opened) -> Opened:
        """Return the part of `opened` that this map has: tools and groups may be missing by now."""
        groups = {enclosing for group in opened.groups & self.lazy for enclosing in self.enclosing(group)}
        return Opened(groups=frozenset(groups), tools=opened.tools & set(self.tools))

    def visible(self, opened: Opened) -> set[str]:
        """Return the wire names of the tools that are visible once `opened` is open."""
        return self._always.union(opened.tools, *(self._behind[group] for group in opened.groups))

    def closed(self, opened: Opened) -> list[str]:
        """Return the lazy groups with visible gateways: not in `opened`, but the groups around them are."""
        reached = [group for outer in ("", *opened.groups) for group in self.inner(outer)]
        return [group for group in reached if group not in opened.groups]

    def outermost_closed(self, group: str, opened: Opened) -> str | None:
        """Return the outermost lazy group around or equal to `group` that is not in `opened`, or None."""
        return next((name for name in self.enclosing(group) if name not in opened.groups), None)


def lazy_groups(patterns: Iterable[str], groups: Set[str]) -> frozenset[str]:
    """Return the groups that `patterns` name.

    Args:
        patterns: Names of groups, or globs over them.
        groups: The groups of tools; the groups above them count too.

    Raises:
        GroupNotFoundError: A pattern names no group.
        TypeError: The patterns are one string, or not strings.
    """
    if isinstance(patterns, str):
        raise TypeError(f"give groups as a list, as in groups=[{patterns!r}]")
    there = sorted({name for group in groups for name in _group_path(group)})
    named: set[str] = set()
    for pattern in patterns:
        if not isinstance(pattern, str):
            raise TypeError(f"groups are given by names, or patterns of names, not {pattern!r:.80}")
        found = [group for group in there if fnmatchcase(group, pattern)]
        if not found:
            near = did_you_mean(nearest(pattern, there))
            raise GroupNotFoundError(f"none of the tools is in a group {pattern!r}{near}")
        named.update(found)
    return frozenset(named)


def _patterns_of(activate: Mapping[str, str], groups: Set[str]) -> dict[str, list[str]]:
    """Return the regular expressions of each group that a name or pattern in `activate` names.

    Args:
        activate: Names of groups, or globs over them -> a regular expression.
        groups: The groups of tools; the groups above them count too.

    Raises:
        DefinitionError: An expression is not supported, or matches every text.
        GroupNotFoundError: A pattern names no group.
        TypeError: `activate` is not a mapping of texts to texts.
    """
    if not isinstance(activate, Mapping):
        raise TypeError(f'activate is a dict such as {{"mail": "(?i)mail|inbox"}}, not {activate!r:.80}')
    patterns: dict[str, list[str]] = {}
    for name, pattern in activate.items():
        if not isinstance(pattern, str):
            raise TypeError(f"activate[{name!r:.80}] is a regular expression as text, not {pattern!r:.80}")
        try:
            matches_all = slots.pattern_matcher(pattern)("")
        except ValueError as error:
            raise DefinitionError(f"activate[{name!r:.80}]: {error}") from None
        if matches_all:
            raise DefinitionError(
                f"activate[{name!r:.80}]: {pattern!r:.80} matches every question, since it matches the empty text; "
                "pass the tools of the group as shown=… if they are always visible"
            )
        for group in sorted(lazy_groups([name], groups)):
            patterns.setdefault(group, []).append(pattern)
    return patterns


def may_be_hidden(tool: Tool) -> bool:
    """Return whether a tool has the option `requires_env` or `available`."""
    return not _HIDING.isdisjoint(definition_of(tool).declaration.options)


_HIDING: Final = frozenset({"requires_env", "available"})


def _group_path(group: str) -> list[str]:
    """Return `a`, `a.b` and `a.b.c` for the `group` `a.b.c`: the groups that it is in, and itself, last."""
    segments = group.split(".")
    return [".".join(segments[: end + 1]) for end in range(len(segments))]
