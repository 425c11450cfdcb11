"""Tools on demand: `OnDemand`, the gateways that open tools, and `VisibleTools`, the tools that a model sees in one conversation.

What an executor may call is fixed when it is made. What is visible is the state of a conversation, and grows with the gateways that the model
calls. Only described tools can be called, so a tool behind a gateway is refused until a message after the gateway's.

A gateway stores nothing: what a call of it opens follows from its arguments. So the calls in a conversation's history say what is open in it, and
no conversation opens anything in another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Final, TypedDict, TypeVar

from annotated_types import Interval, Len

from fcregistry import formats
from fcregistry._base.call import CallError
from fcregistry._results.result import ToolResult
from fcregistry._tools.search import ToolSearch
from fcregistry._tools.selectors import did_you_mean, nearest
from fcregistry._tools.tool import Tool, Toolset, definition_of, is_same_tool, owner_of
from fcregistry.agents._history import calls_of
from fcregistry.errors import DefinitionError, GroupNotFoundError, ToolError
from fcregistry.execution import (
    KeptResults,
    failed_result,
    kept_results_of,
    list_calls,
    log_failure,
    pipeline_of,
    toolset_of,
    unknown_tool,
)
from fcregistry.formats import MalformedCallError, read_call
from fcregistry.types import codec_of

if TYPE_CHECKING:
    from typing import Self

    from fcregistry._base.call import CancellationToken
    from fcregistry._registry import Registry
    from fcregistry._tools.options import ToolOptions
    from fcregistry.execution import Executor, ToolLike
    from fcregistry.formats import OnRecursion

T = TypeVar("T")


class OnDemand(Toolset):
    """Many tools, of which a model at first sees only gateways: tools that make others visible.

    It is an immutable toolset of the gateways and the tools, which several conversations can share. Pass it to an `Executor` or an agent. The
    gateways are ordinary tools: policies, approvals, hooks and logs know them by their names.

        FunctionCall(llm, tools=OnDemand(["acme-*:*"]))                         # search_tools and load_tools
        FunctionCall(llm, tools=OnDemand(["acme-*:*"], groups=["search"]))      # get_search_methods, and the tools outside search

    Args:
        tools: The tools that a model can make visible: names, selectors, functions, `Tool`s, toolsets, or lists of these. A model cannot find
            or load any other tool.
        groups: Names or patterns of groups that are hidden at first. For each, the model sees one gateway, `get_GROUP_methods`, which makes the
            group's tools visible, with those of the groups in it. If a group in it is hidden, too, its gateway becomes visible instead.
        search: Whether the other tools are hidden until the model finds and loads them with `search_tools` and `load_tools`, which reach the
            hidden groups as well. By default, True without `groups`, and False with them.
        shown: The tools that are always visible.
        registry: Where names are looked up; the process's by default.

    Raises:
        GroupNotFoundError: None of the tools is in a group of that name.
        ToolNotFoundError: A name that no tool has.
        AmbiguousToolError: A name that several tools have.
        DefinitionError: Something cannot be a tool.
        DuplicateToolError: Two of the tools have one name, or one has the name of a gateway.
    """

    __slots__ = ("_gateways", "_map")

    def __init__(
        self,
        tools: ToolLike | Iterable[ToolLike],
        *,
        groups: Iterable[str] = (),
        search: bool | None = None,
        shown: ToolLike | Iterable[ToolLike] = (),
        registry: Registry | None = None,
    ) -> None:
        always = toolset_of(shown, registry)
        offered = toolset_of([tools, always], registry)
        lazy = lazy_groups(groups, {tool.group for tool in offered.values()})
        self._map = GatewayMap(offered, lazy, not lazy if search is None else search, set(always))
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
            f"- {gateway_name(group)}: {_group_description(group)}" for group in self.gateway_map.inner(self.group)
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
        there = [tool.name for tool in tools.values() if unknown and not tool.unavailable]
        problems = [
            f"{name} is not available here"
            if name in tools
            else f"there is no tool {name!r}{did_you_mean(nearest(name, there))}"
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
    """

    __slots__ = ("_always", "_behind", "_inner", "lazy", "searched", "tools")

    def __init__(
        self, tools: Toolset, lazy: Set[str] = frozenset(), searched: bool = False, shown: Set[str] = frozenset()
    ) -> None:
        self.tools = tools
        self.lazy = frozenset(lazy)
        self.searched = searched
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


def _group_path(group: str) -> list[str]:
    """Return `a`, `a.b` and `a.b.c` for the `group` `a.b.c`: the groups that it is in, and itself, last."""
    segments = group.split(".")
    return [".".join(segments[: end + 1]) for end in range(len(segments))]


# --- The tools of one conversation ---


class VisibleTools:
    """The tools that a model sees in one conversation.

    These are all tools of the executor, except those that gateways hide.

    Each conversation has its own object, which several threads must not use at the same time. A model can only make tools of the executor
    visible.

    If the executor has `keep=True` or a folder, the model also sees `read_result` once a result was cut.

    Args:
        executor: Runs the calls. If it was made with `OnDemand`, a new conversation sees its gateways.

    Raises:
        DefinitionError: The executor has gateways of several `OnDemand`, or gateways without the tools behind them.
    """

    __slots__ = ("_always_visible", "_kept", "_map", "_offered", "_opened", "_visible", "executor")

    def __init__(self, executor: Executor) -> None:
        self.executor: Executor = executor
        self._kept: KeptResults = kept_results_of(executor)
        self._map = gateway_map_of(executor.tools)
        self._always_visible: list[
            str
        ] = []  # the tools that no gateway opens: other tools, and the gateways of the search
        if self._map is not None:
            others = {name: tool for name, tool in executor.tools.items() if name not in self._map.tools}
            gateways = {name for name, tool in others.items() if isinstance(gateway_of(tool), GroupGateway)}
            self._always_visible = [name for name in others if name not in gateways]
        self._show(Opened())

    def fresh(self) -> Self:
        """Return the tools of another conversation with the same executor, in which no gateway was called."""
        other = copy(self)
        other._kept = kept_results_of(self.executor)
        other._show(Opened())
        return other

    @property
    def tools(self) -> Toolset:
        """The visible tools, by wire name; without those whose environment is not set."""
        more = pipeline_of(self.executor).unlisted.values() if self._kept else ()
        return Toolset([*(tool for tool in self._visible.values() if not tool.unavailable), *more])

    @property
    def has_gateways(self) -> bool:
        """Whether the executor has gateways. If it has none, all tools are always visible."""
        return self._map is not None

    def offered(self) -> tuple[Tool, ...]:
        """Return the visible tools without `read_result`, cached for agents: there may be thousands of tools."""
        if self._offered is not None:
            return self._offered
        return tuple(tool for tool in self._visible.values() if not tool.unavailable)

    def describe(self, format: str = "openai", *, strict: bool = False, recursion: OnRecursion = "refuse") -> Any:
        """Return the visible tools as a format describes them, to send with the next message.

        Args:
            format: The format's name.
            strict: Whether schemas are in the provider's strict form.
            recursion: What to do about recursive schemas in formats that have none.

        Raises:
            FormatNotFoundError: There is no such format.
            DefinitionError: The format has no strict mode, or cannot describe a tool.
        """
        return formats.get(format).describe(self.tools.values(), strict=strict, recursion=recursion)

    def run_all(
        self, calls: Iterable[object], *, cancellation: CancellationToken | None = None, deps: Sequence[Any] = ()
    ) -> list[ToolResult]:
        """Run the calls of one message, as `Executor.run_all` does; calls of tools that are not visible fail.

        Args:
            calls: The calls, in the shape of any provider.
            cancellation: Cancels the calls that have not ended.
            deps: Objects that tools can receive as `context.deps`.

        Returns:
            The results, in the order of the calls. Tools that gateways among them opened can be called from the next message on.
        """
        given = list_calls(calls)
        refused = self._refusals(given)
        ran = self.executor.run_all(
            without_refused(given, refused), cancellation=cancellation, deps=self._kept.with_deps(deps)
        )
        return self._merge_results(refused, ran, len(given))

    async def arun_all(
        self, calls: Iterable[object], *, cancellation: CancellationToken | None = None, deps: Sequence[Any] = ()
    ) -> list[ToolResult]:
        """Like `run_all`, on the running event loop."""
        given = list_calls(calls)
        refused = self._refusals(given)
        ran = await self.executor.arun_all(
            without_refused(given, refused), cancellation=cancellation, deps=self._kept.with_deps(deps)
        )
        return self._merge_results(refused, ran, len(given))

    def refusal(self, call: object) -> ToolResult | None:
        """Return the failed result of a call that cannot be made in this message, or None.

        None means that the executor may run it.

        For callers of the executor's other methods, such as `prepare` and `stream`. Pass the results to `note` then.

        Args:
            call: The call, in the shape of any provider.
        """
        if self._map is None:
            return None
        try:
            read = read_call(call)
        except MalformedCallError:
            return None  # the executor says what is wrong with it
        tool = pipeline_of(self.executor).find(read.name)
        if tool is not None and (tool.name in self._visible or tool.name in pipeline_of(self.executor).unlisted):
            return None
        error = (
            unknown_tool(read.name, self.tools) if tool is None else not_visible_error(tool, self._map, self._opened)
        )
        return failed_result(read, error)

    def note(self, results: Iterable[ToolResult]) -> None:
        """Make the tools visible whose gateways were called in one message, and keep results that were cut.

        A call that failed makes no tool visible.

        Args:
            results: The results of all calls of the message.
        """
        opened, results = self._opened, list(results)
        self._kept.note(results)
        for result in results:
            gateway = None if result.tool is None else gateway_of(result.tool)
            if result.ok and gateway is not None and result.arguments is not None:
                opened |= gateway.opens(result.arguments)
        self._open(opened)

    def activate(self, *groups: str) -> None:
        """Make hidden groups, and the groups that contain them, visible without a call of the model.

        Args:
            *groups: The names of the groups.

        Raises:
            GroupNotFoundError: A name is not that of a group that was hidden at first.
        """
        gateway_map = self._map or GatewayMap(Toolset())
        for group in groups:
            self._open(self._opened | gateway_map.opened_by(group))

    def restore(self, messages: Iterable[object]) -> None:
        """Make the tools visible whose gateways were called in a history.

        Only valid calls in messages of the model count, and no text. A history does not say whether an approver denied a call: if gateways
        need approval, store `to_json()` instead.

        Args:
            messages: The messages, in the shape of any provider, as dicts or SDK objects.
        """
        if self._map is not None:
            self._open(self._opened | _opened_in_history(messages, self.executor))

    def to_json(self) -> dict[str, list[str]]:
        """Return the opened groups and tools, as a JSON object; results that were cut are not in it."""
        opened: dict[str, list[str]] = codec_of(Opened).encode(self._opened)
        return opened

    @classmethod
    def from_json(cls, executor: Executor, state: Mapping[str, Any]) -> Self:
        """Return the tools of a conversation, as `to_json` wrote them, as far as the executor has them.

        Args:
            executor: Runs the calls.
            state: What `to_json` returned.

        Raises:
            ValueError: `to_json` did not write it.
        """
        codec, visible = codec_of(Opened), cls(executor)
        if not codec.accepts(state):
            raise ValueError(f'state is what to_json returned, {{"groups": […], "tools": […]}}, not {state!r:.80}')
        if visible._map is not None:
            visible._open(visible._map.known(codec.decode(state)))
        return visible

    def __repr__(self) -> str:
        return f"<VisibleTools {', '.join(self.tools) or 'none'} of {len(self.executor.tools)}>"

    def _show(self, opened: Opened) -> None:
        """Store `opened`, and make the tools visible that are then open, or all if none is behind a gateway.

        Gateways of closed groups and always visible tools are among them. Other tools are not looked at: they may be many.
        """
        tools, gateway_map = self.executor.tools, self._map
        self._opened = opened
        self._visible: Mapping[str, Tool] = tools
        if gateway_map is not None:
            gateways = map(gateway_name, gateway_map.closed(opened))
            names = gateway_map.visible(opened).union(self._always_visible, gateways)
            self._visible = {name: tools[name] for name in names if name in tools}
        self._offered = _stable_order(self._visible)

    def _open(self, opened: Opened) -> None:
        """Make the tools visible that are open with `opened`; do nothing if that is the state already."""
        if opened != self._opened:
            self._show(opened)

    def _refusals(self, calls: Sequence[object]) -> dict[int, ToolResult]:
        """Return the failed results of those of `calls` that are refused, by their positions, and log them."""
        refused = {index: result for index, call in enumerate(calls) if (result := self.refusal(call)) is not None}
        for result in refused.values():
            log_failure(result)
        return refused

    def _merge_results(
        self, refused: Mapping[int, ToolResult], ran: Iterable[ToolResult], count: int
    ) -> list[ToolResult]:
        """Return the results of `count` calls, in the order of the calls, and pass them to `note`.

        `refused` has those of refused calls by their positions; `ran` has those of the others, in order.
        """
        others = iter(ran)
        results = [refused[index] if index in refused else next(others) for index in range(count)]
        self.note(results)
        return results


def _stable_order(visible: Mapping[str, Tool]) -> tuple[Tool, ...] | None:
    """Return the tools sorted by name, or None if one has the option `requires_env` or `available`."""
    tools = tuple(Toolset(visible.values()).values())
    return (
        None
        if any({"requires_env", "available"} & definition_of(tool).declaration.options.keys() for tool in tools)
        else tools
    )


def without_refused(calls: Sequence[T], refused: Mapping[int, ToolResult]) -> list[T]:
    """Return `calls` without those whose positions are in `refused`."""
    return [call for index, call in enumerate(calls) if index not in refused]


def _opened_in_history(messages: Iterable[object], executor: Executor) -> Opened:
    """Return what the calls of gateways in `messages` opened; calls that are not valid now open nothing."""
    opened, pipeline = Opened(), pipeline_of(executor)
    for call in chain.from_iterable(map(calls_of, messages)):
        try:
            tool = pipeline.find(read_call(call).name)
        except MalformedCallError:
            continue
        gateway = None if tool is None else gateway_of(tool)
        if tool is not None and gateway is not None and not pipeline.rules.forbids(tool):
            step = pipeline.prepare(call)
            if not isinstance(step, ToolResult):
                opened |= gateway.opens(step.decoded)
    return opened
