"""`VisibleTools`, the tools that a model sees in one conversation.

What an executor may call is fixed when it is made. What is visible is the state of a conversation, and grows with the gateways that the model
calls. Only described tools can be called, so a tool behind a gateway is refused until a message after the gateway's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from fcregistry import formats
from fcregistry._results.result import ToolResult
from fcregistry._tools.tool import Tool, Toolset
from fcregistry.agents._history import calls_of, question_of
from fcregistry.agents._on_demand import (
    GatewayMap,
    GroupGateway,
    Opened,
    gateway_map_of,
    gateway_name,
    gateway_of,
    may_be_hidden,
    not_visible_error,
)
from fcregistry.execution import (
    KeptResults,
    failed_result,
    kept_results_of,
    list_calls,
    log_failure,
    pipeline_of,
    unknown_tool,
)
from fcregistry.formats import MalformedCallError, read_call
from fcregistry.types import codec_of

if TYPE_CHECKING:
    from typing import Self

    from fcregistry._base.call import CancellationToken
    from fcregistry.execution import Executor
    from fcregistry.formats import OnRecursion

T = TypeVar("T")


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

    __slots__ = ("_always_visible", "_kept", "_map", "_maybe_empty", "_offered", "_opened", "_visible", "executor")

    def __init__(self, executor: Executor) -> None:
        self.executor: Executor = executor
        self._kept: KeptResults = kept_results_of(executor)
        self._map = gateway_map_of(executor.tools)
        self._maybe_empty: Mapping[str, str] = {}  # the visible gateways that may show no tool -> their groups
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
        """The visible tools, by wire name; without those that are not available here now."""
        more = pipeline_of(self.executor).unlisted.values() if self._kept else ()
        return Toolset([*self._available(), *more])

    @property
    def has_gateways(self) -> bool:
        """Whether the executor has gateways. If it has none, all tools are always visible."""
        return self._map is not None

    def offered(self) -> tuple[Tool, ...]:
        """Return the visible tools without `read_result`, cached for agents: there may be thousands of tools."""
        return tuple(self._available()) if self._offered is None else self._offered

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
        """Make the tools visible whose gateways were called in a history, or whose groups a question in it activates.

        Only valid calls in messages of the model count, and the texts of the user's messages for groups with `OnDemand(activate=)`. A history
        does not say whether an approver denied a call: if gateways need approval, store `to_json()` instead.

        Args:
            messages: The messages, in the shape of any provider, as dicts or SDK objects.
        """
        if self._map is not None:
            given = list(messages)
            self._open(self._opened | _opened_in_history(given, self.executor) | self._opened_by_questions(given))

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
            self._visible = {name: tools[name] for name in sorted(names) if name in tools}
            self._maybe_empty = {
                gateway_name(group): group for group in gateway_map.closed(opened) if gateway_map.may_be_empty(group)
            }
        is_stable = not self._maybe_empty and not any(map(may_be_hidden, self._visible.values()))
        self._offered = tuple(self._visible.values()) if is_stable else None

    def _available(self) -> Iterator[Tool]:
        """Yield the visible tools that are available here now, sorted, without gateways that would show no tool."""
        for name, tool in self._visible.items():
            group = self._maybe_empty.get(name)
            if not (tool.unavailable if group is None or self._map is None else self._map.is_empty(group)):
                yield tool

    def _opened_by_questions(self, messages: Sequence[object]) -> Opened:
        """Return the groups that the user's texts in `messages` open, without those whose gateways the configuration denies."""
        opened = Opened()
        if self._map is None or not self._map.patterns:
            return opened
        rules, tools = pipeline_of(self.executor).rules, self.executor.tools
        for group in self._map.groups_in_question(list(filter(None, map(question_of, messages)))):
            path = self._map.opened_by(group)
            gateways = [tools[name] for name in map(gateway_name, path.groups) if name in tools]
            if not any(map(rules.forbids, gateways)):
                opened |= path
        return opened

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


def without_refused(calls: Sequence[T], refused: Mapping[int, ToolResult]) -> list[T]:
    """Return `calls` without those whose positions are in `refused`."""
    return [call for index, call in enumerate(calls) if index not in refused]


def _opened_in_history(messages: Sequence[object], executor: Executor) -> Opened:
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
