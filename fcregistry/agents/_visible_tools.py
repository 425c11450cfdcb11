"""What of an executor's tools does a model see in one conversation?

What an executor may call is fixed when it is made. What of it is visible is the state of a conversation: it grows with the gateways that the
model calls. Only what was described can be called, so what stands behind a gateway is refused until a message after the gateway's.

MERGED: What did the gateways open that were called in a history?
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fcregistry import formats
from fcregistry._results.result import ToolResult
from fcregistry._tools.tool import Toolset
from fcregistry.agents._gateways import (
    Arrangement,
    GroupGateway,
    Opened,
    arrangement_of,
    gateway_name,
    gateway_of,
    not_yet,
    opened_by,
)
from fcregistry.agents._messages import calls_of
from fcregistry.execution import ToolFinder, failed_result, list_calls, log_failure, unknown_tool
from fcregistry.formats import MalformedCallError, read_call

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from fcregistry._base.call import CancellationToken
    from fcregistry._tools.tool import Tool
    from fcregistry.execution import Executor
    from fcregistry.formats import OnRecursion

# --- agents._visible ---


class VisibleTools:
    """The tools that a model sees in one conversation: all of an executor's, or those that are no longer, or never were, behind gateways.

    One conversation has one; it is not for several threads at once. What a model writes can only make visible what the executor was given.

    Args:
        executor: Runs the calls. Where it was made with `OnDemand`, its gateways are what a new conversation sees.

    Raises:
        DefinitionError: The executor has gateways of several `OnDemand`, or some without the tools behind them.
    """

    __slots__ = ("_arrangement", "_at_first", "_beside", "_find", "_opened", "_steady", "_visible", "executor")

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self._find = ToolFinder(executor.tools).find
        self._arrangement = arrangement_of(executor.tools)
        self._beside = self._beside_gateways()
        self._opened = Opened()
        self._visible = self._at_first = self._seen()
        self._steady = _steady(self._visible)

    def fresh(self) -> Self:
        """Return another conversation with the same executor, in which nothing has been opened."""
        other = object.__new__(type(self))
        for name in VisibleTools.__slots__:
            setattr(other, name, getattr(self, name))
        other._opened, other._visible = Opened(), self._at_first
        if self._visible is not self._at_first:
            other._steady = _steady(self._at_first)
        return other

    # See

    @property
    def tools(self) -> Toolset:
        """The tools that are visible now, by wire name; without those whose environment is not set."""
        return Toolset(tool for tool in self._visible.values() if not tool.missing_env)

    def offered(self) -> tuple[Tool, ...]:
        """Return the same in their order, for who asks in every round: there may be thousands, and they seldom change."""
        return tuple(self.tools.values()) if self._steady is None else self._steady

    def describe(self, format: str = "openai", *, strict: bool = False, recursion: OnRecursion = "refuse") -> Any:
        """Return the visible tools as a format describes them: what to send to a provider with the next message.

        Args:
            format: The format's name.
            strict: As for `Tool.definition`.
            recursion: As for `Tool.definition`.

        Raises:
            FormatNotFoundError: There is no such format.
            DefinitionError: As for `Executor.describe`.
        """
        return formats.get(format).describe(self.tools.values(), strict=strict, recursion=recursion)

    # Call

    def run_all(
        self, calls: Iterable[object], *, cancellation: CancellationToken | None = None, deps: Sequence[Any] = ()
    ) -> list[ToolResult]:
        """Carry out the calls of one message, as `Executor.run_all` does; those of tools that are not visible fail.

        Args:
            calls: As for `Executor.run_all`.
            cancellation: As for `Executor.run_all`.
            deps: As for `Executor.run_all`.

        Returns:
            Their results, in the order of the calls. What the gateways among them opened can be called from the next message on.
        """
        given = list_calls(calls)
        refused = self._refused(given)
        ran = self.executor.run_all(_without(given, refused), cancellation=cancellation, deps=deps)
        return self._together(refused, ran, len(given))

    async def arun_all(
        self, calls: Iterable[object], *, cancellation: CancellationToken | None = None, deps: Sequence[Any] = ()
    ) -> list[ToolResult]:
        """Carry out the calls of one message on the running loop; as `run_all` otherwise."""
        given = list_calls(calls)
        refused = self._refused(given)
        ran = await self.executor.arun_all(_without(given, refused), cancellation=cancellation, deps=deps)
        return self._together(refused, ran, len(given))

    def refusal(self, call: object) -> ToolResult | None:
        """Return why a call cannot be made in this message, as its result; None for one that the executor may be given.

        For whoever calls the executor's other methods: `prepare`, `stream`. Give `note` the results then.

        Args:
            call: As for `Executor.run`.
        """
        if self._arrangement is None:
            return None
        try:
            read = read_call(call)
        except MalformedCallError:
            return None  # the executor says what is wrong with it
        tool = self._find(read.name)
        if tool is not None and tool.name in self._visible:
            return None
        error = unknown_tool(read.name, self.tools) if tool is None else not_yet(tool, self._arrangement, self._opened)
        return failed_result(read, error)

    def note(self, results: Iterable[ToolResult]) -> None:
        """Take up what the gateways among the calls of one message opened; all that failed, or was no gateway's, opens nothing."""
        opened = self._opened
        for result in results:
            if result.ok and result.tool is not None and result.arguments is not None:
                opened |= opened_by(result.tool, result.arguments)
        self._open(opened)

    # Keep

    def activate(self, *groups: str) -> None:
        """Open lazy groups without being asked, and those around them: a rule of the application's, say, that the question mentions invoices.

        Args:
            *groups: Their names.

        Raises:
            GroupNotFoundError: One is no lazy group here.
        """
        arrangement = self._arrangement or Arrangement(Toolset())
        for group in groups:
            self._open(self._opened | arrangement.opening(group))

    def restore(self, messages: Iterable[object]) -> None:
        """Open what the gateways that were called in a history opened.

        Only calls count that stand where a model's message has its calls, and that are valid; whatever a text says opens nothing. Whether
        somebody had denied one is not in a history: where gateways need approval, keep `to_json()` instead.

        Args:
            messages: The messages, in the shape of any provider, as dicts or SDK objects.
        """
        if self._arrangement is not None:
            self._open(self._opened | opened_before(messages, self.executor, self._find))

    def to_json(self) -> dict[str, list[str]]:
        """Return what has been opened, as a JSON object."""
        return self._opened.to_json()

    @classmethod
    def from_json(cls, executor: Executor, state: Mapping[str, Any]) -> Self:
        """Return a conversation that goes on: with what `to_json` wrote, as far as the executor still has it.

        Args:
            executor: Runs the calls.
            state: What `to_json` returned.

        Raises:
            ValueError: It is something else.
        """
        visible, opened = cls(executor), Opened.from_json(state)
        if visible._arrangement is not None:
            visible._open(visible._arrangement.known(opened))
        return visible

    def __repr__(self) -> str:
        return f"<VisibleTools {', '.join(self.tools) or 'none'} of {len(self.executor.tools)}>"

    def _beside_gateways(self) -> list[str]:
        """Return the names of what no gateway shows, or ever hides: the executor's other tools, and the gateways of the search."""
        arrangement = self._arrangement
        if arrangement is None:
            return []
        others = {name: tool for name, tool in self.executor.tools.items() if name not in arrangement.tools}
        return [name for name, tool in others.items() if not isinstance(gateway_of(tool), GroupGateway)]

    def _seen(self) -> Mapping[str, Tool]:
        """Return what is visible, without looking at what is not: there may be thousands of that."""
        tools, arrangement = self.executor.tools, self._arrangement
        if arrangement is None:
            return tools
        gateways = map(gateway_name, arrangement.closed(self._opened))
        names = arrangement.visible(self._opened).union(self._beside, gateways)
        return {name: tools[name] for name in names if name in tools}

    def _open(self, opened: Opened) -> None:
        if opened != self._opened:
            self._opened = opened
            self._visible = self._seen()
            self._steady = _steady(self._visible)

    def _refused(self, calls: Sequence[object]) -> dict[int, ToolResult]:
        """Return the results of the calls that are refused, by their places."""
        refused = {place: result for place, call in enumerate(calls) if (result := self.refusal(call)) is not None}
        for result in refused.values():
            log_failure(result)
        return refused

    def _together(self, refused: Mapping[int, ToolResult], ran: Iterable[ToolResult], count: int) -> list[ToolResult]:
        others = iter(ran)
        results = [refused[place] if place in refused else next(others) for place in range(count)]
        self.note(results)
        return results


def _steady(visible: Mapping[str, Tool]) -> tuple[Tool, ...] | None:
    """Return tools in the order in which a model is told them; None where it depends on the environment which these are."""
    tools = tuple(Toolset(visible.values()).values())
    return None if any(tool._definition.declaration.options.get("requires_env") for tool in tools) else tools


def _without(calls: Sequence[object], refused: Mapping[int, ToolResult]) -> list[object]:
    return [call for place, call in enumerate(calls) if place not in refused]


# --- agents._reopening ---


def opened_before(messages: Iterable[object], executor: Executor, find: Callable[[str], Tool | None]) -> Opened:
    """Return what the calls in a history opened that are a gateway's, and could be made today.

    Args:
        messages: The messages, in the shape of any provider.
        executor: What would run the calls.
        find: Which tool of it a name means.
    """
    opened = Opened()
    for message in messages:
        for call in calls_of(message):
            opened |= _opened_by_call(call, executor, find)
    return opened


def _opened_by_call(call: object, executor: Executor, find: Callable[[str], Tool | None]) -> Opened:
    try:
        tool = find(read_call(call).name)
    except MalformedCallError:
        return Opened()
    if tool is None or gateway_of(tool) is None:
        return Opened()
    step = executor._pipeline.prepare(call)
    if isinstance(step, ToolResult) or executor._pipeline.rules.forbids(tool):
        return Opened()
    return opened_by(tool, step.decoded)
