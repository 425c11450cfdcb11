"""How does the text of a model run? It is read, and its calls are carried out; what is wrong with it is a result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

from fcregistry._results.result import ToolResult
from fcregistry.errors import PluginError
from fcregistry.execution._batching._batches import arun_together, run_together
from fcregistry.execution._graphs._nodes import Parsed, checked, nodes_of
from fcregistry.execution._graphs._running import arun_nodes, run_nodes
from fcregistry.execution._graphs._wording import unreadable
from fcregistry.execution._loading import Load
from fcregistry.execution._writing._outcome import failure
from fcregistry.expressions import CallGraph, ExpressionError, parse_call, parse_calls
from fcregistry.expressions._names import spellings

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool, Toolset
    from fcregistry.execution._graphs._nodes import Node
    from fcregistry.execution._pipeline import Pipeline
    from fcregistry.execution._run import Run
    from fcregistry.expressions._parse import Allowed, Context

Expressions: TypeAlias = "str | Iterable[Parsed]"


class Reading:
    """What is to be read, and by what.

    Args:
        pipeline: Carries out calls.
        given: The text, or what was read before.
        context: As for `parse_call`.
        allow: As for `parse_call`.
        one: Whether it is to be one call.
    """

    def __init__(
        self, pipeline: Pipeline, given: Expressions, context: Context | None, allow: Allowed | None, *, one: bool
    ) -> None:
        self._pipeline = pipeline
        self._given = given
        self._context = context
        self._allow = allow
        self._one = one

    def run(self, run: Run) -> list[ToolResult]:
        """Read it, carry it out, and wait for it."""
        parsed = self._parsed()
        if isinstance(parsed, ToolResult):
            return [parsed]
        if not any(isinstance(each, CallGraph) for each in parsed):
            return run_together(self._pipeline, self._pipeline.prepared(parsed, run), run)
        nodes = nodes_of(parsed)
        return _outermost(nodes, run_nodes(self._pipeline, nodes, run))

    async def arun(self, run: Run) -> list[ToolResult]:
        """Read it, and carry it out on the running loop."""
        if self._pipeline.loads and isinstance(self._given, str):
            await Load([tool for tool in self._pipeline.tools.values() if self._names(tool)]).later()
        parsed = self._parsed()
        if isinstance(parsed, ToolResult):
            return [parsed]
        if not any(isinstance(each, CallGraph) for each in parsed):
            return await arun_together(self._pipeline, await self._pipeline.aprepared(parsed, run), run)
        nodes = nodes_of(parsed)
        return _outermost(nodes, await arun_nodes(self._pipeline, nodes, run))

    def _names(self, tool: Tool) -> bool:
        """Tell whether the text may name a tool that is not imported yet."""
        return not tool.is_loaded and any(name in self._given for name in spellings(tool))

    def _parsed(self) -> list[Parsed] | ToolResult:
        """Return what was read, or what is wrong with it.

        Raises:
            TypeError: What was given is no text, and nothing that was read.
        """
        if not isinstance(self._given, str):
            return checked(self._given)
        read = self._read_one if self._one else parse_calls
        try:
            return read(self._given, tools=self._pipeline.tools, context=self._context, allow=self._allow)
        except (ExpressionError, PluginError) as error:
            return failure(None, unreadable(error))

    @staticmethod
    def _read_one(text: str, *, tools: Toolset, context: Context | None, allow: Allowed | None) -> list[Parsed]:
        return [parse_call(text, tools=tools, context=context, allow=allow)]


def _outermost(nodes: list[Node], results: list[ToolResult]) -> list[ToolResult]:
    return [result for node, result in zip(nodes, results, strict=True) if node.is_outermost]
