"""How is a tool call carried out?

One pipeline for sync and async: prepare (read, look up, parse, validate, decode), verdict, invoke, finish; only the invoke step has two
forms. A model's mistakes and a tool's failures are values: nothing that a model can write makes a method here raise.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fcregistry import formats
from fcregistry._calls import Problem, ToolCall
from fcregistry._results import CallError, ToolResult
from fcregistry.execution._approval import Approve, asked, verdict, wait_for
from fcregistry.execution._arguments import ArgumentsError, read_arguments
from fcregistry.execution._batches import listed, uninterrupted
from fcregistry.execution._invoke import ainvoke, ainvoke_on_thread, invoke
from fcregistry.execution._names import ToolFinder
from fcregistry.execution._outcome import failure, finished
from fcregistry.execution._repairs import repaired
from fcregistry.execution._steps import Bound, Step
from fcregistry.execution._tools import ToolLike, toolset_of
from fcregistry.execution._wording import invalid_arguments, refused, unavailable, unknown_tool
from fcregistry.formats import MalformedCallError, read_call
from fcregistry.types import EncodingError, Refusal

if TYPE_CHECKING:
    from fcregistry._registry import Registry
    from fcregistry._toolset import Toolset
    from fcregistry._validation import Engine
    from fcregistry.formats._transform import OnRecursion


class Executor:
    """Runs tool calls: validates each against its tool's JSON Schema, decodes it into typed Python values, and calls the function.

    Args:
        tools: What may be called: names, selectors, functions, `Tool`s, toolsets, or lists of these.
        registry: Where names are looked up; the process's by default.
        approve: Asked before a tool that requires approval, with the tool and the validated call; may be a coroutine function.
            Without it, such calls are refused.
        max_concurrency: How many calls of one batch run at the same time.
        validator: `jsonschema-rs`, or `jsonschema` to do without the gate.
        check_results: Whether a result that does not fit its tool's return schema is an error. Without it, such a result is
            written by its own type.

    Raises:
        ToolNotFoundError: A name that no tool has.
        AmbiguousToolError: A name that several have.
        DuplicateToolError: Two tools of one wire name.
        DefinitionError: Something that cannot be a tool.
    """

    def __init__(
        self,
        tools: ToolLike | Iterable[ToolLike] = (),
        *,
        registry: Registry | None = None,
        approve: Approve | None = None,
        max_concurrency: int = 64,
        validator: Engine = "jsonschema-rs",
        check_results: bool = False,
    ) -> None:
        if max_concurrency < 1:
            raise ValueError(f"max_concurrency is at least 1, not {max_concurrency}")
        if approve is not None and not callable(approve):
            raise TypeError(f"approve is a function of the tool and the call, not {approve!r}")
        self._tools = toolset_of(tools, registry)
        self._find = ToolFinder(self._tools).find
        self._approve = approve
        self._max_concurrency = max_concurrency
        self._engine: Engine = validator
        self._check_results = check_results
        self._bound: dict[str, Bound] = {}

    @property
    def tools(self) -> Toolset:
        """The tools that may be called, by wire name."""
        return self._tools

    def describe(self, format: str = "openai", *, strict: bool = False, recursion: OnRecursion = "refuse") -> Any:
        """Return the tools as a format describes them: what to send to a provider.

        Args:
            format: The format's name.
            strict: As for `Tool.definition`.
            recursion: As for `Tool.definition`.

        Raises:
            FormatNotFoundError: There is no such format.
            DefinitionError: It has no strict mode, a tool cannot be said in it, or they are too many for one request.
        """
        return formats.get(format).describe(self._tools.values(), strict=strict, recursion=recursion)

    def run(self, call: object) -> ToolResult:
        """Carry out one call, and wait for it.

        Args:
            call: A `ToolCall`, `{"name": …, "arguments": …}`, or a call in the shape of a provider, as a dict or an SDK object.

        Returns:
            What came of it, whatever the call was.
        """
        step = self._prepare(call)
        if isinstance(step, ToolResult):
            return step
        against = verdict(step, self._approve)
        if against is not None and not isinstance(against, CallError):
            against = wait_for(step, against)
        return finished(step, against or invoke(step.invocation()))

    async def arun(self, call: object) -> ToolResult:
        """Carry out one call without blocking the running loop: async tools on it, blocking ones on a thread.

        Args:
            call: As for `run`.
        """
        step = self._prepare(call)
        if isinstance(step, ToolResult):
            return step
        against = verdict(step, self._approve)
        if against is not None and not isinstance(against, CallError):
            against = await asked(step, against)
        if against is not None:
            return finished(step, against)
        call_it = ainvoke_on_thread if step.needs_thread else ainvoke
        return finished(step, await call_it(step.invocation()))

    def run_all(self, calls: Iterable[object]) -> list[ToolResult]:
        """Carry out calls concurrently, and wait for all; one that fails takes no other with it.

        Args:
            calls: Each as for `run`.

        Returns:
            Their results, in the order of the calls.

        Raises:
            TypeError: `calls` is one call, and not a list of them.
        """
        given = listed(calls)
        if len(given) < 2:
            return [self.run(call) for call in given]
        from fcregistry.execution._loop import background  # asyncio is 38 ms, which a single call need not pay

        here = [place for place, call in enumerate(given) if self._wants_caller(call)]
        elsewhere = [place for place in range(len(given)) if place not in set(here)]
        future = background.submit(lambda: self._gather([given[place] for place in elsewhere]))
        try:
            results = {place: self.run(given[place]) for place in here}
            results |= zip(elsewhere, uninterrupted(future.result()), strict=True)
        except BaseException:  # whatever ends the waiting ends the calls too
            future.cancel()
            raise
        return [results[place] for place in range(len(given))]

    async def arun_all(self, calls: Iterable[object]) -> list[ToolResult]:
        """Carry out calls concurrently on the running loop; as `run_all` otherwise."""
        return uninterrupted(await self._gather(listed(calls)))

    async def _gather(self, calls: list[object]) -> list[ToolResult | KeyboardInterrupt]:
        import asyncio

        slots = asyncio.Semaphore(self._max_concurrency)

        async def limited(call: object) -> ToolResult | KeyboardInterrupt:
            async with slots:
                try:
                    return await self.arun(call)
                except KeyboardInterrupt as interrupt:  # raised out of a task, it would end the loop for everybody
                    return interrupt

        return list(await asyncio.gather(*map(limited, calls)))

    def call(self, name: str, /, **arguments: Any) -> ToolResult:
        """Call a tool from Python, by wire name, with Python values: they take the same way as a model's.

        Args:
            name: The wire name.
            **arguments: By parameter name; a `*args` parameter takes a list.
        """
        tool = self._find(name)
        if tool is None:
            return self.run(ToolCall(name, {}))
        encoded: dict[str, Any] = {}
        for parameter, value in arguments.items():
            try:
                encoded[parameter] = tool.signature.binding.encode_argument(parameter, value)
            except EncodingError as error:
                error_of = invalid_arguments(name, (Problem(f"$.{parameter}", str(error)),))
                return failure(ToolCall(name), error_of, tool)
        return self.run(ToolCall(name, encoded))

    def __repr__(self) -> str:
        return f"<Executor of {', '.join(self._tools) or 'no tools'}>"

    # The pipeline

    def _prepare(self, given: object) -> Step | ToolResult:
        """Read, look up, parse, validate and decode a call; a result if any of it fails."""
        try:
            call = read_call(given)
        except MalformedCallError as error:
            read = ToolCall(error.name, None, error.id) if error.name or error.id is not None else None
            tool = self._find(error.name)
            if error.name and tool is None:
                return failure(read, unknown_tool(error.name, self._tools))
            return failure(read, CallError("malformed_call", str(error)), tool)
        bound = self._bound.get(call.name) or self._bind(call.name)
        if bound is None:
            return failure(call, unknown_tool(call.name, self._tools))
        tool, signature, validator, needs_env, _, exact, _ = bound
        if needs_env and tool.missing_env:
            return failure(call, unavailable(tool), tool)
        try:
            arguments, repairs = read_arguments(call.arguments, exact)
            if not validator.is_valid(arguments):
                arguments, more, problems = repaired(arguments, tool, validator)
                repairs += more
                if problems:
                    return failure(call, invalid_arguments(tool.name, problems), tool, repairs)
            decoded = signature.binding.decode(arguments)
        except ArgumentsError as error:
            return failure(call, CallError("malformed_call", str(error)), tool)
        except Refusal as refusal:
            return failure(call, refused(tool, refusal), tool)
        except RecursionError:
            problem = Problem("$", "is nested too deeply")
            return failure(call, invalid_arguments(tool.name, (problem,)), tool)
        return Step(call, bound, arguments, decoded, repairs)

    def _bind(self, name: str) -> Bound | None:
        tool = self._find(name)
        if tool is None:
            return None
        return self._bound.setdefault(name, Bound.of(tool, self._engine, self._check_results))

    def _wants_caller(self, call: object) -> bool:
        try:
            tool = self._find(read_call(call).name)
        except MalformedCallError:
            return False
        return tool is not None and tool.options.blocking == "caller"
