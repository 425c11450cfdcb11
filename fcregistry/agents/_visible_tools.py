"""`VisibleTools`: the tools of an executor that a model sees in one conversation.

What an executor may call is fixed when it is made. What is visible is the state of a conversation, and grows with the gateways that the model
calls. Only described tools can be called, so a tool behind a gateway is refused until a message after the gateway's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from fcregistry import formats
from fcregistry._results.result import ToolResult
from fcregistry._tools.tool import Toolset
from fcregistry.agents._gateways import (
    GatewayMap,
    GroupGateway,
    Opened,
    gateway_map_of,
    gateway_name,
    gateway_of,
    not_visible_error,
    opened_by,
)
from fcregistry.agents._messages import calls_of
from fcregistry.execution import KeptResults, failed_result, list_calls, log_failure, unknown_tool
from fcregistry.formats import MalformedCallError, read_call
from fcregistry.types import codec_of

if TYPE_CHECKING:
    from typing import Self

    from fcregistry._base.call import CancellationToken
    from fcregistry._tools.tool import Tool
    from fcregistry.execution import Executor
    from fcregistry.formats import OnRecursion

T = TypeVar("T")


class VisibleTools:
    """The tools that a model sees in one conversation: all but those behind closed gateways.

    Each conversation has its own; it is not for several threads at once. A model can only open tools that the executor was given.

    If the executor has `keep=True` or a folder, the model also sees `read_result` once a result was cut.

    Args:
        executor: Runs the calls. If it was made with `OnDemand`, a new conversation sees its gateways.

    Raises:
        DefinitionError: The executor has gateways of several `OnDemand`, or gateways without the tools behind them.
    """

    __slots__ = ("_always_visible", "_kept", "_map", "_offered", "_opened", "_visible", "executor")

    def __init__(self, executor: Executor) -> None:
        self.executor: Executor = executor
        self._kept: KeptResults = KeptResults()
        self._map = gateway_map_of(executor.tools)
        self._always_visible = self._names_always_visible()
        self._show(Opened())

    def fresh(self) -> Self:
        """Return another conversation with the same executor, in which nothing has been opened."""
        other = copy(self)
        other._kept = KeptResults()
        other._show(Opened())
        return other

    @property
    def tools(self) -> Toolset:
        """The visible tools, by wire name; without those whose environment is not set."""
        more = self.executor._pipeline.unlisted.values() if self._kept else ()
        return Toolset([*(tool for tool in self._visible.values() if not tool.unavailable), *more])

    @property
    def has_gateways(self) -> bool:
        """Whether the executor has gateways: without, all tools are visible in every conversation."""
        return self._map is not None

    def offered(self) -> tuple[Tool, ...]:
        """Return the values of `tools`, cached for agents: there may be thousands, and they seldom change."""
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
        """Run the calls of one message on the running loop.

        Args:
            calls: The calls, in the shape of any provider.
            cancellation: Cancels the calls that have not ended.
            deps: Objects that tools can receive as `context.deps`.

        Returns:
            The results, in the order of the calls. Tools that gateways among them opened can be called from the next message on.
        """
        given = list_calls(calls)
        refused = self._refusals(given)
        ran = await self.executor.arun_all(
            without_refused(given, refused), cancellation=cancellation, deps=self._kept.with_deps(deps)
        )
        return self._merge_results(refused, ran, len(given))

    def refusal(self, call: object) -> ToolResult | None:
        """Return why a call cannot be made in this message, as its result; None if the executor may run it.

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
        tool = self.executor._pipeline.find(read.name)
        if tool is not None and (tool.name in self._visible or tool.name in self.executor._pipeline.unlisted):
            return None
        error = (
            unknown_tool(read.name, self.tools) if tool is None else not_visible_error(tool, self._map, self._opened)
        )
        return failed_result(read, error)

    def note(self, results: Iterable[ToolResult]) -> None:
        """Open what the gateways among the calls of one message opened, and keep results that were cut.

        Failed calls open nothing.

        Args:
            results: The results of all calls of the message.
        """
        opened, results = self._opened, list(results)
        self._kept.note(results)
        for result in results:
            if result.ok and result.tool is not None and result.arguments is not None:
                opened |= opened_by(result.tool, result.arguments)
        self._open(opened)

    def activate(self, *groups: str) -> None:
        """Open lazy groups, and those around them, by a rule of the application.

        Args:
            *groups: Their names.

        Raises:
            GroupNotFoundError: One is not a lazy group here.
        """
        gateway_map = self._map or GatewayMap(Toolset())
        for group in groups:
            self._open(self._opened | gateway_map.opening(group))

    def restore(self, messages: Iterable[object]) -> None:
        """Open what the gateways that were called in a history opened.

        Only valid calls in messages of the model count; text opens nothing. A history does not say whether an approver denied a call: if gateways
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

    def _names_always_visible(self) -> list[str]:
        """Return the names that no gateway opens: the executor's other tools, and the search's gateways."""
        gateway_map = self._map
        if gateway_map is None:
            return []
        others = {name: tool for name, tool in self.executor.tools.items() if name not in gateway_map.tools}
        return [name for name, tool in others.items() if not isinstance(gateway_of(tool), GroupGateway)]

    def _show(self, opened: Opened) -> None:
        """Make the tools visible that are open, without looking at the others: there may be thousands."""
        tools, gateway_map = self.executor.tools, self._map
        self._opened = opened
        self._visible: Mapping[str, Tool] = tools
        if gateway_map is not None:
            gateways = map(gateway_name, gateway_map.closed(opened))
            names = gateway_map.visible(opened).union(self._always_visible, gateways)
            self._visible = {name: tools[name] for name in names if name in tools}
        self._offered = _stable_order(self._visible)

    def _open(self, opened: Opened) -> None:
        if opened != self._opened:
            self._show(opened)

    def _refusals(self, calls: Sequence[object]) -> dict[int, ToolResult]:
        """Return the results of the calls that are refused, by their positions."""
        refused = {index: result for index, call in enumerate(calls) if (result := self.refusal(call)) is not None}
        for result in refused.values():
            log_failure(result)
        return refused

    def _merge_results(
        self, refused: Mapping[int, ToolResult], ran: Iterable[ToolResult], count: int
    ) -> list[ToolResult]:
        others = iter(ran)
        results = [refused[index] if index in refused else next(others) for index in range(count)]
        self.note(results)
        return results


def _stable_order(visible: Mapping[str, Tool]) -> tuple[Tool, ...] | None:
    """Return tools in the order in which a model is given them.

    Return None if the environment decides which these are.
    """
    tools = tuple(Toolset(visible.values()).values())
    return (
        None
        if any({"requires_env", "available"} & tool._definition.declaration.options.keys() for tool in tools)
        else tools
    )


def without_refused(calls: Sequence[T], refused: Mapping[int, ToolResult]) -> list[T]:
    """Return calls without those that are refused, which are given by their positions."""
    return [call for index, call in enumerate(calls) if index not in refused]


def _opened_in_history(messages: Iterable[object], executor: Executor) -> Opened:
    """Return what the gateway calls in a history opened, as far as they could be made today."""
    opened, pipeline = Opened(), executor._pipeline
    for call in chain.from_iterable(map(calls_of, messages)):
        try:
            tool = pipeline.find(read_call(call).name)
        except MalformedCallError:
            continue
        if tool is not None and gateway_of(tool) is not None and not pipeline.rules.forbids(tool):
            step = pipeline.prepare(call)
            if not isinstance(step, ToolResult):
                opened |= opened_by(tool, step.decoded)
    return opened
