"""The executor: what an application runs tool calls with.

This file is longer than others because applications read it: most of it says what an argument means.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Literal, Never

from fcregistry import formats
from fcregistry._base import slots
from fcregistry._base.call import Problem, ToolCall
from fcregistry._base.forks import count_forks
from fcregistry._base.json import MAX_REPAIRED_LENGTH
from fcregistry._results.result import ToolResult
from fcregistry._tools.selectors import unknown_argument
from fcregistry._tools.tool import Toolset
from fcregistry.errors import PluginError
from fcregistry.execution._approval import ApprovalRules
from fcregistry.execution._arguments import allowed_repairs
from fcregistry.execution._batch import Batch, arun_fast, fast_calls, list_calls, run_batch
from fcregistry.execution._batch_order import check_keys
from fcregistry.execution._cache import MemoryCache, cache_problem, check_caches
from fcregistry.execution._call_errors import invalid_arguments
from fcregistry.execution._fast_path import read_if_call
from fcregistry.execution._invoke import adrive, drive
from fcregistry.execution._observability import log_failure, new_watch
from fcregistry.execution._pipeline import Pipeline, load_plugins
from fcregistry.execution._remote import remote_runners
from fcregistry.execution._result import failed_result
from fcregistry.execution._settings import Settings, ToolLike, calls_context, check_deps, deps_of, toolset_of
from fcregistry.execution._streaming import Listener, astream_call, stream_call
from fcregistry.types import EncodingError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Collection, Generator, Mapping, Sequence
    from os import PathLike
    from typing import Self

    from fcregistry._base.call import CancellationToken
    from fcregistry._registry import Registry
    from fcregistry._schema.validator import Engine
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._approval import Approver, Policy
    from fcregistry.execution._cache import Cache
    from fcregistry.execution._call_errors import Exposure
    from fcregistry.execution._invoke import Effects
    from fcregistry.execution._limits import KeptResults, ResultLimits
    from fcregistry.execution._settings import CallsContext, Retry
    from fcregistry.execution._streaming import Event, Partial, Progress
    from fcregistry.execution._suspended import Decision, PreparedCalls
    from fcregistry.expressions import AllowedFunctions, CallGraph, ExpressionContext
    from fcregistry.formats import OnRecursion


_MAX_KEPT_BYTES: Final = 64 * 2**20
"""The default limit of what a run has in memory of results that were cut."""


class Executor:
    """Runs tool calls: validates each, decodes it into typed Python values, and calls the function.

    Each call is validated against its tool's JSON Schema before the function is called.

    Use it directly, or in one `with` or `async with` block. At the end of the block, the executor finishes the calls that are running, and
    ends the worker processes of tools with `isolation="process"` that no other executor uses. It does not shut down `pool`. Later calls
    raise `RuntimeError`.

    Cancelling the task of an async method ends the wait for its calls, as a cancelled token does, and raises `CancelledError`.

    Args:
        tools: The tools that may be called: names, selectors, functions, `Tool`s, toolsets, or lists of these. Patterns include tools that
            are not available here now.
        registry: The registry in which names are looked up; the process's by default.
        approve: The approver: a function, or a coroutine function, that takes the tool and the validated call, and returns True, False,
            `Approve(…)` or `Deny(…)`. The executor asks it before it runs a tool that requires approval. Without it, the executor refuses
            such calls.
        approve_timeout: Seconds that the approver has to answer; None for no limit. A call is denied if there is no answer in time.
        policy: Which calls run, which need approval and which are denied. Without it, the options of the tools' authors decide.
        hooks: Names of extensions, and modules, objects or functions marked with `hookimpl`. The executor calls them before and after
            every call.
        timeout: Seconds that a call may take if its tool has no `timeout` of its own; None for any time.
        max_concurrency: How many calls of one batch run at the same time.
        retry: When a failed call is tried again; None for never.
        cache: Stores the results of tools with `cache=True`; a `MemoryCache` of its own by default.
        deps: Objects that tools can read as `context.deps`, such as a connection to a database. Give a class in place of an object if the
            caller passes an instance of it with every call.
        repairs: Which mistakes in a model's arguments the executor repairs: True for all of `REPAIRS`, False for none, or some names.
            It repairs `missing-commas` only if that is named.
        max_argument_characters: The most characters that the arguments of a model's call may have; the executor refuses longer ones. None
            for no limit.
        pool: A `concurrent.futures.Executor` that runs the calls, in threads, processes or on other machines. The executor does not shut
            it down.
        worker_versions: What happens if a worker has another version of a tool's distribution than this process: with `"same"`, the call
            fails with the code `unavailable`; with `"any"`, it runs, and the executor logs a warning.
        file_root: The folder below which the files of calls lie that `pool` may run on other machines: the `input_files` and
            `output_files` of tools. No path that a model writes leads out of it.
        validator: The validator of arguments: `"jsonschema-rs"`, which is fast, or `"jsonschema"`.
        check_results: Whether a call fails if its result is not valid against the tool's return schema. If False, such a result is encoded
            by the type of the value.
        expose_errors: What a model reads if a tool raises an exception: with `"all"`, its type and message, shortened and without secrets;
            with `"tool-errors"`, only the message of a `ToolError`. The latter also leaves out why a tool's `available` hides it; the log
            says so.
        on_nan: What becomes of NaN and infinity in the result of a tool that has no `on_nan` of its own: with `"refuse"`, the call fails;
            with `"null"`, the model reads null in their place.
        max_characters: The most characters of a result that a model reads. The executor cuts a longer one in its middle, and says so there.
            None for no limit.
        max_bytes: The most bytes of images, sounds and files that a model gets with a result; a line of text replaces the others. None
            for no limit.
        keep: What happens to the whole of each result that the executor cuts: True keeps its text for the run of an agent, whose model can
            read it with the tool `read_result`; a folder stores it in a file, too, which stays after the run.
        max_kept_bytes: How much a run of an agent has in memory of the results that the executor cut. Beyond that, the texts for
            `read_result` are in temporary files, and `value` and `whole` of the run's results raise `DroppedResultError`. None for
            no limit.

    Raises:
        ToolNotFoundError: A name that no tool has.
        AmbiguousToolError: A name that several have.
        DuplicateToolError: Two tools of one wire name.
        DefinitionError: Something cannot be a tool, or a tool's context asks for what `deps` lacks.
        TypeError, ValueError: One of the other arguments is not valid.
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
        file_root: str | PathLike[str] | None = None,
        validator: Engine = "jsonschema-rs",
        check_results: bool = False,
        expose_errors: Exposure = "all",
        on_nan: Literal["refuse", "null"] = "refuse",
        max_characters: int | None = None,
        max_bytes: int | None = None,
        keep: str | PathLike[str] | bool | None = None,
        max_kept_bytes: int | None = _MAX_KEPT_BYTES,
        **_unknown: Never,
    ) -> None:
        _check_options(type(self), _unknown, cache, worker_versions)
        count_forks()  # a child that a tool forks ends where the tool returns
        toolset, limits = toolset_of(tools, registry), _limits_of(max_characters, max_bytes, keep, max_kept_bytes)
        unlisted = Toolset(() if limits is None else limits.readers)
        settings = Settings(
            engine=validator,
            check_results=check_results,
            timeout=timeout,
            max_concurrency=max_concurrency,
            expose_errors=expose_errors,
            on_nan=on_nan,
            deps=(*deps_of(deps), *(() if limits is None else limits.deps)),
            repairs=allowed_repairs(repairs),
            max_argument_characters=max_argument_characters,
            limits=limits,
            cache=MemoryCache() if cache is None else cache,
            retry=retry,
            hooks=slots.call_hooks(hooks),
            remote_runners=remote_runners(
                toolset.values(), pool, self, any_version=worker_versions == "any", file_root=file_root
            ),
        )
        for check in (check_keys, check_caches):
            check(toolset.values())
        check_deps(toolset.values(), settings.deps)
        called = Toolset([*toolset.values(), *unlisted.values()])
        rules = ApprovalRules(called.values(), policy, approve, approve_timeout, expose_errors)
        self._pipeline = Pipeline(toolset, settings, rules, unlisted)
        self._fast_paths, self._async_fast_paths = self._pipeline.fast_paths, self._pipeline.async_fast_paths
        self._was_entered = self._was_left = False
        self._leaves = {runner.leave for runner in settings.remote_runners.values() if runner.leave is not None}

    @property
    def tools(self) -> Toolset:
        """The tools that may be called, by wire name."""
        return self._pipeline.tools

    def describe(self, format: str = "openai", *, strict: bool = False, recursion: OnRecursion = "refuse") -> Any:
        """Return the tools as a format describes them, to send to a provider.

        A tool that is not available here now is left out: a variable of its `requires_env` is not set, or its `available` does not return True.

        Args:
            format: The format's name.
            strict: Whether to use the format's strict mode; see `Tool.definition`.
            recursion: What to do about recursive schemas; see `Tool.definition`.

        Raises:
            FormatNotFoundError: There is no such format.
            DefinitionError: It has no strict mode, it cannot describe a tool, or the tools are too many for one request.
        """
        offered = [tool for tool in self.tools.values() if not tool.unavailable]
        return formats.get(format).describe(offered, strict=strict, recursion=recursion)

    def run(
        self, call: object, *, cancellation: CancellationToken | None = None, deps: Sequence[Any] = ()
    ) -> ToolResult:
        """Run one call, and wait for it.

        Args:
            call: A `ToolCall`, `{"name": …, "arguments": …}`, or a call in the shape of a provider, as a dict or an SDK object.
            cancellation: A token. Cancelling it ends the wait for the result; a tool that is running goes on unless it checks the token.
            deps: Objects that the tool can receive as `context.deps`. They are preferred to the executor's own `deps`.

        Returns:
            The result, whatever the call was.
        """
        if cancellation is None and not deps and new_watch() is None:
            read = call if type(call) is ToolCall and type(call._name) is str else read_if_call(call)
            if read is not None and (path := self._fast_paths.get(read._name)) is not None:
                result = path(read)
                if result is not None:
                    if result._error is not None:
                        log_failure(result)
                    return result
        return drive(self._open_pipeline().run_call(call, calls_context(cancellation, deps)))

    async def arun(
        self, call: object, *, cancellation: CancellationToken | None = None, deps: Sequence[Any] = ()
    ) -> ToolResult:
        """Like `run`, on the running event loop. Async tools run on it, blocking tools on threads."""
        if cancellation is None and not deps and new_watch() is None:
            read = call if type(call) is ToolCall and type(call._name) is str else read_if_call(call)
            if read is not None and (path := self._async_fast_paths.get(read._name)) is not None:
                result = await path(read)
                if result is not None:
                    if result._error is not None:
                        log_failure(result)
                    return result
        return await adrive(self._open_pipeline().run_call(call, calls_context(cancellation, deps)))

    def run_all(
        self, calls: Iterable[object], *, cancellation: CancellationToken | None = None, deps: Sequence[Any] = ()
    ) -> list[ToolResult]:
        """Run calls concurrently, and wait for all; a call that fails does not affect the others.

        Args:
            calls: The calls, each in any shape that `run` takes.
            cancellation: Ends all of the calls.
            deps: Objects that tools can receive as `context.deps`. They are preferred to the executor's own `deps`.

        Returns:
            Their results, in the order of the calls.

        Raises:
            TypeError: `calls` is a single call, and not a list.
        """
        pipeline = self._open_pipeline()
        context = calls_context(cancellation, deps)
        return drive(run_batch(pipeline, list_calls(calls), context))

    async def arun_all(
        self, calls: Iterable[object], *, cancellation: CancellationToken | None = None, deps: Sequence[Any] = ()
    ) -> list[ToolResult]:
        """Like `run_all`, on the running event loop."""
        pipeline, given = self._open_pipeline(), list_calls(calls)
        if pipeline.has_unloaded_tools and (tools := pipeline.tools_to_load(given)):
            await adrive(load_plugins(tools))
        if cancellation is None and not deps and new_watch() is None:
            fast = fast_calls(pipeline, given)
            if fast is not None:
                return await arun_fast(pipeline, fast)
        context = calls_context(cancellation, deps)
        return await adrive(run_batch(pipeline, given, context))

    def stream(
        self, call: object, *, cancellation: CancellationToken | None = None, deps: Sequence[Any] = ()
    ) -> Generator[Event, None, None]:
        """Run one call, and yield its events.

        Args:
            call: The call, in any shape that `run` takes.
            cancellation: Ends the call.
            deps: Objects that the tool can receive as `context.deps`. They are preferred to the executor's own `deps`.

        Yields:
            `Progress`, as the tool reports it; `Partial`, for each item of a generator; and at last one `ToolResult`. Leaving the loop before
            that cancels the call.
        """
        return stream_call(self._open_pipeline(), call, calls_context(cancellation, deps))

    def astream(
        self, call: object, *, cancellation: CancellationToken | None = None, deps: Sequence[Any] = ()
    ) -> AsyncGenerator[Event, None]:
        """Like `stream`, on the running event loop."""
        return astream_call(self._open_pipeline(), call, calls_context(cancellation, deps))

    def prepare(self, calls: Iterable[object]) -> PreparedCalls:
        """Read and validate calls, find out which need approval, and run none.

        This is for an application that has to wait for an approver, here or in another process.

        Args:
            calls: The calls, each in any shape that `run` takes.

        Returns:
            The calls; `waiting` has those that need a decision.

        Raises:
            TypeError: `calls` is a single call, and not a list.
        """
        return self._open_pipeline().suspend(list_calls(calls))

    def resume(
        self,
        prepared: PreparedCalls,
        decisions: Mapping[str, Decision] | None = None,
        *,
        by: str | None = None,
        cancellation: CancellationToken | None = None,
        deps: Sequence[Any] = (),
    ) -> list[ToolResult]:
        """Run prepared calls: those that need no approval, and those that were approved.

        Args:
            prepared: The calls.
            decisions: `Approve()`, `Deny("why")` or a bool for each call that waits, by its id in `waiting`.
            by: Who decided, for logs.
            cancellation: Ends all of the calls.
            deps: Objects that tools can receive as `context.deps`. They are preferred to the executor's own `deps`.

        Returns:
            The results of all calls, in their order. A call that waits for approval is refused if there is no decision about it.

        Raises:
            ApprovalError: A decision is about a call that does not wait for one, or the calls were resumed before. No call was run.
        """
        pipeline = self._open_pipeline()
        calls = pipeline.resume(prepared, decisions or {}, by)
        return Batch(pipeline, calls, calls_context(cancellation, deps)).now()

    async def aresume(
        self,
        prepared: PreparedCalls,
        decisions: Mapping[str, Decision] | None = None,
        *,
        by: str | None = None,
        cancellation: CancellationToken | None = None,
        deps: Sequence[Any] = (),
    ) -> list[ToolResult]:
        """Like `resume`, on the running event loop."""
        pipeline = self._open_pipeline()
        calls = pipeline.resume(prepared, decisions or {}, by)
        return await Batch(pipeline, calls, calls_context(cancellation, deps)).later()

    def call(self, name: str, /, *_positional: Never, **arguments: Any) -> ToolResult:
        """Call a tool with Python values; they are encoded as JSON, and validated like a model's arguments.

        Args:
            name: The tool's wire name.
            **arguments: The arguments by parameter name; a list for a `*args` parameter.

        Raises:
            TypeError: The name is not a text, or an argument has no name.
        """
        pipeline = self._open_pipeline()
        if not isinstance(name, str):
            raise TypeError(
                'call takes the name of a tool, and its arguments by name, as in call("add", a=1, b=2), '
                f"not {type(name).__name__}; run takes a call that a model made"
            )
        tool = pipeline.find(name)
        if _positional:
            by_name = ", ".join(f"{each}=…" for each in (() if tool is None else tool.parameters["properties"]))
            raise TypeError(f'call takes arguments by name: call("{name}", {by_name or "parameter=…"})')
        call = ToolCall(name, {}) if tool is None else call_with(tool, name, arguments)
        if isinstance(call, ToolResult):
            return call
        return drive(pipeline.run_call(pipeline.prepare(call, from_application=True), calls_context(None, ())))

    def run_expression(
        self,
        expression: str | ToolCall | CallGraph,
        *,
        context: ExpressionContext | None = None,
        allow: AllowedFunctions | None = None,
        cancellation: CancellationToken | None = None,
        deps: Sequence[Any] = (),
    ) -> ToolResult:
        """Run a call that is written as a Python expression, and wait for it.

        An example is `add(a=1, b=multiply(a=2, b=3))`.

        No call runs before every call in the expression is valid, allowed and, where that is needed, approved. Calls that do not need each
        other's results run at the same time.

        Args:
            expression: The text, or what `expressions.parse_call` returned.
            context: The names and values that the text may use; see `expressions.parse_call`.
            allow: The functions that the text may call in addition to tools; see `expressions.parse_call`.
            cancellation: Ends all of the calls.
            deps: Objects that tools can receive as `context.deps`. They are preferred to the executor's own `deps`.

        Returns:
            The result of the outermost call; an error if the text is not a call.
        """
        given = expression if isinstance(expression, str) else [expression]
        return drive(self._expressions(given, context, allow, calls_context(cancellation, deps), one=True))[0]

    async def arun_expression(
        self,
        expression: str | ToolCall | CallGraph,
        *,
        context: ExpressionContext | None = None,
        allow: AllowedFunctions | None = None,
        cancellation: CancellationToken | None = None,
        deps: Sequence[Any] = (),
    ) -> ToolResult:
        """Like `run_expression`, on the running event loop."""
        given = expression if isinstance(expression, str) else [expression]
        return (await adrive(self._expressions(given, context, allow, calls_context(cancellation, deps), one=True)))[0]

    def run_expressions(
        self,
        expressions: str | Iterable[ToolCall | CallGraph],
        *,
        context: ExpressionContext | None = None,
        allow: AllowedFunctions | None = None,
        cancellation: CancellationToken | None = None,
        deps: Sequence[Any] = (),
    ) -> list[ToolResult]:
        """Run calls that are written as Python expressions, and wait for them.

        The text is a list, `[f(a=1), g(b=2)]`, or has one call on each line. Calls that do not need each
        other's results run at the same time.

        Args:
            expressions: The text, or a list of what `expressions.parse_call` returned.
            context: The names and values that the text may use; see `expressions.parse_call`.
            allow: The functions that the text may call in addition to tools; see `expressions.parse_call`.
            cancellation: Ends all of the calls.
            deps: Objects that tools can receive as `context.deps`. They are preferred to the executor's own `deps`.

        Returns:
            The result of each outermost call, in their order; one error if the text cannot be read, and nothing ran.
        """
        return drive(self._expressions(expressions, context, allow, calls_context(cancellation, deps), one=False))

    async def arun_expressions(
        self,
        expressions: str | Iterable[ToolCall | CallGraph],
        *,
        context: ExpressionContext | None = None,
        allow: AllowedFunctions | None = None,
        cancellation: CancellationToken | None = None,
        deps: Sequence[Any] = (),
    ) -> list[ToolResult]:
        """Like `run_expressions`, on the running event loop."""
        return await adrive(
            self._expressions(expressions, context, allow, calls_context(cancellation, deps), one=False)
        )

    def __enter__(self) -> Self:
        if self._was_entered:
            raise RuntimeError("an executor has one with block: make another executor for the next")
        self._was_entered = True
        return self

    def __exit__(self, *_: object) -> None:
        self._fast_paths, self._async_fast_paths = {}, {}
        self._was_left = True
        for leave in self._leaves:  # which may wait for processes to end
            leave(self)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        if not self._leaves:
            return self.__exit__()
        from asyncio import to_thread  # there is a loop, so it is imported

        self._fast_paths, self._async_fast_paths, self._was_left = {}, {}, True
        return await to_thread(self.__exit__)

    def _expressions(
        self,
        given: str | Iterable[ToolCall | CallGraph],
        context: ExpressionContext | None,
        allow: AllowedFunctions | None,
        calls: CallsContext,
        *,
        one: bool,
    ) -> Effects[list[ToolResult]]:
        """Return a coroutine of effects that runs expressions, and returns their results.

        See `run_expressions` in `_graph.py` for the arguments, and `Effect`.

        Raises:
            RuntimeError: The `with` block of the executor was left.
        """
        from fcregistry.execution._graph import run_expressions  # Python's parser: few executors read expressions

        return run_expressions(self._open_pipeline(), given, context, allow, calls, one=one)

    def _open_pipeline(self) -> Pipeline:
        """Return the pipeline of this executor.

        Raises:
            RuntimeError: The `with` block was left.
        """
        if self._was_left:
            raise RuntimeError(
                "the with block of this executor was left: make calls inside of it, or make another executor"
            )
        return self._pipeline

    def __repr__(self) -> str:
        return f"<Executor of {', '.join(self.tools) or 'no tools'}>"


def pipeline_of(executor: Executor) -> Pipeline:
    """Return the pipeline of an executor, for other rooms that ask it about tools and rules."""
    return executor._pipeline


def run_listening(executor: Executor, call: object, listen: Callable[[Progress | Partial], object]) -> ToolResult:
    """Run one call like `Executor.run`, and call a function with each event before its result.

    Unlike a streamed call, it runs where `run` would run it: an interrupt reaches the tool.

    Args:
        executor: The executor.
        call: The call, in any shape that `run` takes.
        listen: The function; the thread that it is called on is the tool's.
    """
    context = calls_context(None, ())._replace(channel=Listener(listen))
    return drive(executor._open_pipeline().run_call(call, context))


def limit_seconds(executor: Executor, seconds: float) -> None:
    """Set the most seconds for each call of an executor, also of a tool with a longer `timeout`.

    Args:
        executor: The executor, which has run no call yet.
        seconds: The seconds.
    """
    executor._pipeline.longest = seconds


def kept_results_of(executor: Executor) -> KeptResults:
    """Return a new `KeptResults` for a run, or a conversation, whose calls an executor runs."""
    from fcregistry.execution._limits import KeptResults  # with what few programs need

    limits = executor._pipeline.settings.limits
    return KeptResults(is_read=False) if limits is None else limits.kept_results()


def open_pipeline(executor: Executor) -> Pipeline:
    """Return the pipeline of an executor, to run calls.

    Raises:
        RuntimeError: The executor's `with` block was left.
    """
    return executor._open_pipeline()


def call_with(tool: Tool, name: str, arguments: Mapping[str, Any]) -> ToolCall | ToolResult:
    """Return the call that a model would write for Python values, or a failed result.

    It fails if a value has no JSON form.

    Args:
        tool: The tool, whose plugin is imported.
        name: The name by which it is called.
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


def _check_options(owner: type, unknown: Collection[str], cache: Cache | None, worker_versions: str) -> None:
    """Check options of an executor that nothing else checks.

    Args:
        owner: The class of the executor.
        unknown: The names of arguments that it does not have.
        cache: The cache, or None.
        worker_versions: The option.

    Raises:
        TypeError: An argument has another name, or the cache is not one.
        ValueError: `worker_versions` is none of its values.
    """
    if unknown:
        raise TypeError(unknown_argument(owner, next(iter(unknown))))
    if problem := None if cache is None else cache_problem(cache):
        raise TypeError(f"cache={cache!r:.80} {problem}")
    if worker_versions not in ("same", "any"):
        raise ValueError(f'worker_versions must be "same" or "any", not {worker_versions!r}')


def _limits_of(
    characters: int | None, media_bytes: int | None, keep: str | PathLike[str] | bool | None, kept_bytes: int | None
) -> ResultLimits | None:
    """Return the limits of results, or None if both limits are None and `keep` is false or None.

    Args:
        characters: How many characters of a result a model reads; None for any number.
        media_bytes: How many bytes of media; None for any number.
        keep: Where whole results are kept; see `ResultLimits`.
        kept_bytes: How many bytes of them a run has in memory; None for any number.
    """
    if characters is None and media_bytes is None and not keep:
        return None
    from fcregistry.execution._limits import ResultLimits  # few executors have limits

    return ResultLimits(characters=characters, media_bytes=media_bytes, keep=keep, kept_bytes=kept_bytes)
