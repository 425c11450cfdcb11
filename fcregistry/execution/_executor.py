"""What does an application run tool calls with?

Longer than other files, since it is what applications read: most of it says what an argument means.

MERGED: When may an executor be used, and what ends with it? From when it is made until its `with` block is left; then what only it has used.
MERGED: Which call is it that gives a tool these Python values?
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from fcregistry import formats
from fcregistry._base import slots
from fcregistry._base.call import Problem, ToolCall
from fcregistry._base.forks import count_forks
from fcregistry._base.json import MAX_REPAIRED_LENGTH
from fcregistry._results.result import ToolResult
from fcregistry.errors import PluginError
from fcregistry.execution._approval import Gate
from fcregistry.execution._arguments import allowed_repairs
from fcregistry.execution._batch import arun_plain, arun_together, list_calls, plain_calls, run_together
from fcregistry.execution._cache import MemoryCache
from fcregistry.execution._cached_calls import cache_problem, check_caches
from fcregistry.execution._effects import adrive, drive
from fcregistry.execution._fast_path import read_if_call
from fcregistry.execution._limits import limits_of
from fcregistry.execution._messages import invalid_arguments
from fcregistry.execution._observability import log_failure, watching
from fcregistry.execution._pipeline import Load, Pipeline
from fcregistry.execution._process import remote_runners
from fcregistry.execution._resources import check_keys
from fcregistry.execution._result import failed_result
from fcregistry.execution._settings import Settings, ToolLike, calls_context, check_deps, deps_of, toolset_of
from fcregistry.execution._streaming import astreamed, streamed
from fcregistry.types import EncodingError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Collection, Generator, Mapping, Sequence
    from os import PathLike
    from typing import Self

    from fcregistry._base.call import CancellationToken
    from fcregistry._registry import Registry
    from fcregistry._schema.validator import Engine
    from fcregistry._tools.tool import Tool, Toolset
    from fcregistry.execution._approval import Approver
    from fcregistry.execution._cache import Cache
    from fcregistry.execution._graph import ExpressionReading
    from fcregistry.execution._messages import Exposure
    from fcregistry.execution._outcome import RemoteRunner
    from fcregistry.execution._policy import Policy
    from fcregistry.execution._retry import Retry
    from fcregistry.execution._streaming import Event
    from fcregistry.execution._suspended import Decision, PreparedCalls
    from fcregistry.expressions import AllowedFunctions, CallGraph, ExpressionContext
    from fcregistry.formats import OnRecursion

# --- execution._executor ---


class Executor:
    """Runs tool calls: validates each against its tool's JSON Schema, decodes it into typed Python values, and calls the function.

    It can be used as it is, or in one `with` or `async with` block: then what only this executor used ends with the block, such as
    the worker processes of tools with `isolation="process"`, and any later call raises `RuntimeError`. What it was given, such as `pool`,
    stays its owner's; calls that others still wait for come to their end.

    Args:
        tools: What may be called: names, selectors, functions, `Tool`s, toolsets, or lists of these.
        registry: Where names are looked up; the process's by default.
        approve: Asked before a tool that requires approval, with the tool and the validated call; may be a coroutine function.
            Without it, such calls are refused.
        approve_timeout: Seconds within which it has to answer; None for ever. No answer is a denial.
        policy: Which calls are allowed, asked about, denied; without it, what the tools' authors say holds.
        hooks: Names of extensions, and modules, objects or functions marked with `hookimpl`: asked before and after every call.
        timeout: Seconds that a call may take of a tool that has no `timeout` of its own; None for ever.
        max_concurrency: How many calls of one batch run at the same time.
        retry: When a call that failed is tried again; None for never.
        cache: Keeps the results of tools with `cache=True`; a `MemoryCache` of its own by default.
        deps: What contexts can have: objects, and classes of which every call brings one.
        repairs: Which slips of models are repaired: all, none, or those of these names; see `REPAIRS`.
        max_argument_characters: How many characters the arguments of a model's call may have; longer ones are refused. None for any number.
        pool: A `concurrent.futures.Executor` that runs the calls, in threads, processes or on other machines. It stays yours.
        worker_versions: Whether a worker may run a tool of which it has another version than this process: with `same` such a call
            is `unavailable`; with `any` it runs, and a warning is logged.
        validator: `jsonschema-rs`, or `jsonschema` to do without the gate.
        check_results: Whether a result that does not fit its tool's return schema is an error. Without it, such a result is
            written by its own type.
        expose_errors: Whether a model reads what a tool raised: `all`, scrubbed and bounded, or `tool-errors`, which keeps everything but the
            message of a `ToolError` for the application.
        max_characters: How many characters of a result a model reads; what is longer is cut in the middle, and says so. None for all.
        max_bytes: How many bytes of images, sounds and files a model gets with a result. None for all.
        keep: A folder where the whole of what is cut is kept.

    Raises:
        ToolNotFoundError: A name that no tool has.
        AmbiguousToolError: A name that several have.
        DuplicateToolError: Two tools of one wire name.
        DefinitionError: Something that cannot be a tool, or one whose context asks for what `deps` lacks.
        TypeError, ValueError: One of the other arguments cannot be.
    """

    def __init__(
        self,
        tools: ToolLike | Iterable[ToolLike] = (),
        *,
        registry: Registry | None = None,
        approve: Approver | None = None,
        approve_timeout: float | None = None,
        policy: Policy | None = None,
        hooks: object = (),
        timeout: float | None = None,
        max_concurrency: int = 64,
        retry: Retry | None = None,
        cache: Cache | None = None,
        deps: Sequence[Any] = (),
        repairs: bool | Collection[str] = True,
        max_argument_characters: int | None = MAX_REPAIRED_LENGTH,
        pool: object = None,
        worker_versions: Literal["same", "any"] = "same",
        validator: Engine = "jsonschema-rs",
        check_results: bool = False,
        expose_errors: Exposure = "all",
        max_characters: int | None = None,
        max_bytes: int | None = None,
        keep: str | PathLike[str] | None = None,
    ) -> None:
        if problem := None if cache is None else cache_problem(cache):
            raise TypeError(f"cache={cache!r:.80} {problem}")
        count_forks()  # a child that a tool forks ends where the tool returns
        if worker_versions not in ("same", "any"):
            raise ValueError(f'worker_versions is "same" or "any", not {worker_versions!r}')
        toolset = toolset_of(tools, registry)
        settings = Settings(
            engine=validator,
            check_results=check_results,
            timeout=timeout,
            max_concurrency=max_concurrency,
            expose_errors=expose_errors,
            deps=deps_of(deps),
            repairs=allowed_repairs(repairs),
            max_argument_characters=max_argument_characters,
            limits=limits_of(max_characters, max_bytes, keep),
            cache=MemoryCache() if cache is None else cache,
            retry=retry,
            hooks=slots.call_hooks(hooks),
            places=remote_runners(toolset.values(), pool, self, any_version=worker_versions == "any"),
        )
        for check in (check_keys, check_caches):
            check(toolset.values())
        check_deps(toolset.values(), settings.deps)
        self._pipeline = Pipeline(toolset, settings, Gate(toolset.values(), policy, approve, approve_timeout))
        self._short, self._short_async = self._pipeline.short, self._pipeline.short_async
        self._lifetime = Lifetime(settings.places)

    @property
    def tools(self) -> Toolset:
        """The tools that may be called, by wire name."""
        return self._pipeline.tools

    def describe(self, format: str = "openai", *, strict: bool = False, recursion: OnRecursion = "refuse") -> Any:
        """Return the tools as a format describes them: what to send to a provider. One whose `requires_env` is not set is left out.

        Args:
            format: The format's name.
            strict: As for `Tool.definition`.
            recursion: As for `Tool.definition`.

        Raises:
            FormatNotFoundError: There is no such format.
            DefinitionError: It has no strict mode, a tool cannot be said in it, or they are too many for one request.
        """
        offered = [tool for tool in self.tools.values() if not tool.missing_env]
        return formats.get(format).describe(offered, strict=strict, recursion=recursion)

    def run(
        self, call: object, *, cancellation: CancellationToken | None = None, deps: Sequence[Any] = ()
    ) -> ToolResult:
        """Carry out one call, and wait for it.

        Args:
            call: A `ToolCall`, `{"name": …, "arguments": …}`, or a call in the shape of a provider, as a dict or an SDK object.
            cancellation: Ends it: a tool that has begun goes on unless it asks, but nobody waits for it.
            deps: What its context can have, before what the executor has.

        Returns:
            What came of it, whatever the call was.
        """
        if cancellation is None and not deps and watching() is None:
            read = call if type(call) is ToolCall and type(call._name) is str else read_if_call(call)
            if read is not None and (way := self._short.get(read._name)) is not None:
                result = way(read)
                if result is not None:
                    if result._error is not None:
                        log_failure(result)
                    return result
        return drive(self._open_pipeline().course(call, calls_context(cancellation, deps)))

    async def arun(
        self, call: object, *, cancellation: CancellationToken | None = None, deps: Sequence[Any] = ()
    ) -> ToolResult:
        """Carry out one call without blocking the running loop: async tools on it, blocking ones on a thread.

        Args:
            call: As for `run`.
            cancellation: As for `run`; cancelling the task does the same, and raises `CancelledError`.
            deps: As for `run`.
        """
        if cancellation is None and not deps and watching() is None:
            read = call if type(call) is ToolCall and type(call._name) is str else read_if_call(call)
            if read is not None and (way := self._short_async.get(read._name)) is not None:
                result = await way(read)
                if result is not None:
                    if result._error is not None:
                        log_failure(result)
                    return result
        return await adrive(self._open_pipeline().course(call, calls_context(cancellation, deps)))

    def run_all(
        self, calls: Iterable[object], *, cancellation: CancellationToken | None = None, deps: Sequence[Any] = ()
    ) -> list[ToolResult]:
        """Carry out calls concurrently, and wait for all; one that fails takes no other with it.

        Args:
            calls: Each as for `run`.
            cancellation: As for `run`, for all of them.
            deps: As for `run`, for all of them.

        Returns:
            Their results, in the order of the calls.

        Raises:
            TypeError: `calls` is one call, and not a list of them.
        """
        pipeline = self._open_pipeline()
        run = calls_context(cancellation, deps)
        return run_together(pipeline, pipeline.prepared(list_calls(calls), run), run)

    async def arun_all(
        self, calls: Iterable[object], *, cancellation: CancellationToken | None = None, deps: Sequence[Any] = ()
    ) -> list[ToolResult]:
        """Carry out calls concurrently on the running loop; as `run_all` otherwise."""
        pipeline, given = self._open_pipeline(), list_calls(calls)
        if pipeline.loads and (tools := pipeline.to_load(given)):
            await Load(tools).later()
        if cancellation is None and not deps and watching() is None:
            plain = plain_calls(pipeline, given)
            if plain is not None:
                return await arun_plain(pipeline, plain)
        run = calls_context(cancellation, deps)
        return await arun_together(pipeline, await pipeline.aprepared(given, run), run)

    def stream(
        self, call: object, *, cancellation: CancellationToken | None = None, deps: Sequence[Any] = ()
    ) -> Generator[Event, None, None]:
        """Carry out one call, and follow it.

        Args:
            call: As for `run`.
            cancellation: As for `run`.
            deps: As for `run`.

        Yields:
            `Progress`, as the tool reports it; `Partial`, for each item of a generator; and at last one `ToolResult`. Leaving the loop before
            that cancels the call.
        """
        return streamed(self._open_pipeline(), call, calls_context(cancellation, deps))

    def astream(
        self, call: object, *, cancellation: CancellationToken | None = None, deps: Sequence[Any] = ()
    ) -> AsyncGenerator[Event, None]:
        """Carry out one call on the running loop, and follow it; as `stream` otherwise."""
        return astreamed(self._open_pipeline(), call, calls_context(cancellation, deps))

    def prepare(self, calls: Iterable[object]) -> PreparedCalls:
        """Read, validate and judge calls, and run none: for an application that has to wait for somebody's decision, here or in another process.

        Args:
            calls: Each as for `run`.

        Returns:
            The calls, of which `waiting` says what is to be decided.

        Raises:
            TypeError: `calls` is one call, and not a list of them.
        """
        return self._open_pipeline().suspended(list_calls(calls))

    def resume(
        self,
        prepared: PreparedCalls,
        decisions: Mapping[str, Decision] | None = None,
        *,
        by: str | None = None,
        cancellation: CancellationToken | None = None,
        deps: Sequence[Any] = (),
    ) -> list[ToolResult]:
        """Carry out prepared calls: those that nobody has to decide about, and those that were approved.

        Args:
            prepared: The calls.
            decisions: `Approve()` or `Deny("why")` of those that wait, by the id that `waiting` gives.
            by: Who decided, for the developer.
            cancellation: As for `run`, for all of them.
            deps: As for `run`, for all of them.

        Returns:
            The results of all calls, in their order. One that waits and has no decision is refused.

        Raises:
            ApprovalError: A decision about a call that does not wait for one, or the calls were resumed before. Nothing has run then.
        """
        pipeline = self._open_pipeline()
        return run_together(
            pipeline, pipeline.resumed(prepared, decisions or {}, by), calls_context(cancellation, deps)
        )

    async def aresume(
        self,
        prepared: PreparedCalls,
        decisions: Mapping[str, Decision] | None = None,
        *,
        by: str | None = None,
        cancellation: CancellationToken | None = None,
        deps: Sequence[Any] = (),
    ) -> list[ToolResult]:
        """Carry out prepared calls on the running loop; as `resume` otherwise."""
        pipeline = self._open_pipeline()
        return await arun_together(
            pipeline, pipeline.resumed(prepared, decisions or {}, by), calls_context(cancellation, deps)
        )

    def call(self, name: str, /, **arguments: Any) -> ToolResult:
        """Call a tool from Python, by wire name, with Python values: they take the same way as a model's.

        Args:
            name: The wire name.
            **arguments: By parameter name; a `*args` parameter takes a list.
        """
        pipeline = self._open_pipeline()
        tool = pipeline.find(name)
        call = ToolCall(name, {}) if tool is None else call_with(tool, name, arguments)
        if isinstance(call, ToolResult):
            return call
        return drive(pipeline.course(pipeline.prepare(call, is_ours=True), calls_context(None, ())))

    def run_expression(
        self,
        expression: str | ToolCall | CallGraph,
        *,
        context: ExpressionContext | None = None,
        allow: AllowedFunctions | None = None,
        cancellation: CancellationToken | None = None,
        deps: Sequence[Any] = (),
    ) -> ToolResult:
        """Carry out a call that is written as Python writes it, such as `add(a=1, b=multiply(a=2, b=3))`, and wait for it.

        Nothing runs before all calls in it may, and whoever has to approve of one was asked. Those that need nothing of each other run at the
        same time.

        Args:
            expression: The text, or what `expressions.parse_call` returned.
            context: As for `parse_call`.
            allow: As for `parse_call`.
            cancellation: As for `run`, for all of the calls.
            deps: As for `run`, for all of the calls.

        Returns:
            What came of the outermost call; an error where the text is no call.
        """
        given = expression if isinstance(expression, str) else [expression]
        return self._reading(given, context, allow, one=True).run(calls_context(cancellation, deps))[0]

    async def arun_expression(
        self,
        expression: str | ToolCall | CallGraph,
        *,
        context: ExpressionContext | None = None,
        allow: AllowedFunctions | None = None,
        cancellation: CancellationToken | None = None,
        deps: Sequence[Any] = (),
    ) -> ToolResult:
        """Carry out a call that is written as Python writes it on the running loop; as `run_expression` otherwise."""
        given = expression if isinstance(expression, str) else [expression]
        return (await self._reading(given, context, allow, one=True).arun(calls_context(cancellation, deps)))[0]

    def run_expressions(
        self,
        expressions: str | Iterable[ToolCall | CallGraph],
        *,
        context: ExpressionContext | None = None,
        allow: AllowedFunctions | None = None,
        cancellation: CancellationToken | None = None,
        deps: Sequence[Any] = (),
    ) -> list[ToolResult]:
        """Carry out calls that are written as Python writes them: a list, `[f(a=1), g(b=2)]`, or one on each line; as `run_expression` otherwise.

        Returns:
            What came of each outermost call, in their order; one error where the text cannot be read, and nothing ran.
        """
        return self._reading(expressions, context, allow, one=False).run(calls_context(cancellation, deps))

    async def arun_expressions(
        self,
        expressions: str | Iterable[ToolCall | CallGraph],
        *,
        context: ExpressionContext | None = None,
        allow: AllowedFunctions | None = None,
        cancellation: CancellationToken | None = None,
        deps: Sequence[Any] = (),
    ) -> list[ToolResult]:
        """Carry out calls that are written as Python writes them on the running loop; as `run_expressions` otherwise."""
        return await self._reading(expressions, context, allow, one=False).arun(calls_context(cancellation, deps))

    def __enter__(self) -> Self:
        self._lifetime.enter()
        return self

    def __exit__(self, *_: object) -> None:
        self._short, self._short_async = {}, {}
        self._lifetime.leave(self)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        self._short, self._short_async = {}, {}
        await self._lifetime.aleave(self)

    def _reading(
        self,
        given: str | Iterable[ToolCall | CallGraph],
        context: ExpressionContext | None,
        allow: AllowedFunctions | None,
        *,
        one: bool,
    ) -> ExpressionReading:
        from fcregistry.execution._graph import ExpressionReading  # Python's parser: few executors read expressions

        return ExpressionReading(self._open_pipeline(), given, context, allow, one=one)

    def _open_pipeline(self) -> Pipeline:
        """Return what carries calls out; the short ways go past this, and are taken away when the executor is left."""
        self._lifetime.check()
        return self._pipeline

    def __repr__(self) -> str:
        return f"<Executor of {', '.join(self.tools) or 'no tools'}>"


# --- execution._lifetime ---


class Lifetime:
    """Whether an executor still takes calls.

    Args:
        places: What runs its calls in other processes, by the name of the tool.
    """

    __slots__ = ("_entered", "_leaves", "_left")

    def __init__(self, places: Mapping[str, RemoteRunner]) -> None:
        self._entered = False
        self._left = False
        self._leaves = {place.leave for place in places.values() if place.leave is not None}

    def check(self) -> None:
        """See that it still takes calls.

        Raises:
            RuntimeError: Its `with` block was left.
        """
        if self._left:
            raise RuntimeError(
                "the with block of this executor was left: make calls inside of it, or make another executor"
            )

    def enter(self) -> None:
        """Begin its `with` block.

        Raises:
            RuntimeError: It was begun before.
        """
        if self._entered:
            raise RuntimeError("an executor has one with block: make another executor for the next")
        self._entered = True

    def leave(self, user: object) -> None:
        """End its `with` block, on this thread: that may wait for processes to end.

        Args:
            user: The executor, as what runs its calls knows it.
        """
        self._left = True
        for leave in self._leaves:
            leave(user)

    async def aleave(self, user: object) -> None:
        """End its `with` block, and let the running loop turn meanwhile; as `leave` otherwise."""
        self._left = True
        if self._leaves:
            from asyncio import to_thread  # there is a loop, so it is imported

            await to_thread(self.leave, user)


# --- execution._reading._python_values ---


def call_with(tool: Tool, name: str, arguments: Mapping[str, Any]) -> ToolCall | ToolResult:
    """Return the call that a model would have written for Python values, or why there is none.

    Args:
        tool: The tool; the plugin of a described one is imported.
        name: What it is called by.
        arguments: The values, by parameter name; a `*args` parameter takes a list.
    """
    try:
        binding = tool.signature.binding
    except PluginError:
        return ToolCall(name, {})  # whose result says why
    encoded: dict[str, Any] = {}
    for parameter, value in arguments.items():
        try:
            encoded[parameter] = binding.encode_argument(parameter, value)
        except EncodingError as error:
            problem = Problem(f"$.{parameter}", str(error))
            return failed_result(ToolCall(name), invalid_arguments(name, (problem,)), tool)
    return ToolCall(name, encoded)
