"""How is a tool call carried out?

One pipeline for sync and async, `_prepare` → `_verdict` → invoke → `_finish`; only the invoke step has two forms. A model's mistakes
and a tool's failures are values: nothing that a model can write makes a method here raise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from fcregistry import formats
from fcregistry._calls import CallError, Problem, ToolCall, ToolResult
from fcregistry._tool import Tool
from fcregistry.execution._arguments import ArgumentsError, read_arguments
from fcregistry.execution._invoke import Invocation, Outcome, ainvoke, ainvoke_on_thread, invoke
from fcregistry.execution._tools import ToolLike, toolset_of
from fcregistry.execution._wording import (
    approval_required,
    denied,
    invalid_arguments,
    refused,
    tool_failed,
    unavailable,
    unknown_tool,
)
from fcregistry.formats._reading import MalformedCallError, read_call
from fcregistry.types import EncodingError, Refusal, to_json_text

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from fcregistry._registry import Registry
    from fcregistry._signature import Signature
    from fcregistry._toolset import Toolset
    from fcregistry._validation import Engine, Validator

    Approve = Callable[[Tool, ToolCall], bool | Awaitable[bool]]


class _Bound(NamedTuple):
    """A tool with what each of its calls needs, looked up once."""

    tool: Tool
    signature: Signature
    validator: Validator
    needs_env: bool
    needs_approval: bool | Callable[[Mapping[str, Any]], bool]


class _Step(NamedTuple):
    """A call that is valid: decoded, and not run yet."""

    call: ToolCall
    bound: _Bound
    arguments: dict[str, Any]
    decoded: dict[str, Any]
    repairs: tuple[str, ...]


class Executor:
    """Runs tool calls: validates each against its tool's JSON Schema, decodes it into typed Python values, and calls the function.

    Args:
        tools: What may be called: names, selectors, functions, `Tool`s, toolsets, or lists of these.
        registry: Where names are looked up; the process's by default.
        approve: Asked before a tool that requires approval, with the tool and the validated call; may be a coroutine function.
            Without it, such calls are refused.
        max_concurrency: How many calls of one batch run at the same time.
        validator: `jsonschema-rs`, or `jsonschema` to do without the gate.

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
    ) -> None:
        if max_concurrency < 1:
            raise ValueError(f"max_concurrency is at least 1, not {max_concurrency}")
        self._tools = toolset_of(tools, registry)
        self._approve = approve
        self._max_concurrency = max_concurrency
        self._engine: Engine = validator
        self._bound: dict[str, _Bound] = {}

    @property
    def tools(self) -> Toolset:
        """The tools that may be called, by wire name."""
        return self._tools

    def describe(self, format: str = "openai") -> Any:
        """Return the tools as a format describes them: what to send to a provider.

        Raises:
            FormatNotFoundError: There is no such format.
        """
        return formats.get(format).describe(self._tools.values())

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
        verdict = self._verdict(step)
        if verdict is not None and not isinstance(verdict, CallError):
            verdict = _settled(step, _wait_for(verdict))
        return self._finish(step, verdict or invoke(_invocation(step)))

    async def arun(self, call: object) -> ToolResult:
        """Carry out one call without blocking the running loop: async tools on it, blocking ones on a thread.

        Args:
            call: As for `run`.
        """
        step = self._prepare(call)
        if isinstance(step, ToolResult):
            return step
        verdict = self._verdict(step)
        if verdict is not None and not isinstance(verdict, CallError):
            verdict = _settled(step, await _asked(verdict))
        if verdict is not None:
            return self._finish(step, verdict)
        sync = step.bound.signature.kind in ("sync", "generator")
        on_thread = sync and step.bound.tool.options.blocking is True
        return self._finish(step, await (ainvoke_on_thread if on_thread else ainvoke)(_invocation(step)))

    def run_all(self, calls: Iterable[object]) -> list[ToolResult]:
        """Carry out calls concurrently, and wait for all; one that fails takes no other with it.

        Args:
            calls: Each as for `run`.

        Returns:
            Their results, in the order of the calls.
        """
        given = list(calls)
        if len(given) < 2:
            return [self.run(call) for call in given]
        from fcregistry.execution._loop import background  # asyncio is 38 ms, which a single call need not pay

        here = [place for place, call in enumerate(given) if self._wants_caller(call)]
        elsewhere = [place for place in range(len(given)) if place not in set(here)]
        future = background.submit(lambda: self.arun_all([given[place] for place in elsewhere]))
        try:
            results = {place: self.run(given[place]) for place in here}
            results |= zip(elsewhere, future.result(), strict=True)
        except BaseException:
            future.cancel()
            raise
        return [results[place] for place in range(len(given))]

    async def arun_all(self, calls: Iterable[object]) -> list[ToolResult]:
        """Carry out calls concurrently on the running loop; as `run_all` otherwise."""
        import asyncio

        slots = asyncio.Semaphore(self._max_concurrency)

        async def limited(call: object) -> ToolResult:
            async with slots:
                return await self.arun(call)

        return list(await asyncio.gather(*map(limited, calls)))

    def call(self, name: str, /, **arguments: Any) -> ToolResult:
        """Call a tool from Python, by wire name, with Python values: they take the same way as a model's.

        Args:
            name: The wire name.
            **arguments: By parameter name; a `*args` parameter takes a list.
        """
        tool = self._tools.get(name)
        if tool is None:
            return self.run(ToolCall(name, {}))
        encoded: dict[str, Any] = {}
        for parameter, value in arguments.items():
            try:
                encoded[parameter] = tool.signature.encode_argument(parameter, value)
            except EncodingError as error:
                error_of = invalid_arguments(name, (Problem(f"$.{parameter}", str(error)),))
                return _failure(ToolCall(name), error_of, tool)
        return self.run(ToolCall(name, encoded))

    def __repr__(self) -> str:
        return f"<Executor of {', '.join(self._tools) or 'no tools'}>"

    # The pipeline

    def _prepare(self, given: object) -> _Step | ToolResult:
        """Read, look up, parse, validate and decode a call; a result if any of it fails."""
        try:
            call = read_call(given)
        except MalformedCallError as error:
            read = None if error.id is None else ToolCall("", None, error.id)
            return _failure(read, CallError("malformed_call", str(error)))
        bound = self._bound.get(call.name) or self._bind(call.name)
        if bound is None:
            return _failure(call, unknown_tool(call.name, self._tools))
        tool, signature, validator, needs_env, _ = bound
        if needs_env and tool.missing_env:
            return _failure(call, unavailable(tool), tool)
        try:
            arguments, repairs = read_arguments(call.arguments)
            if not validator.is_valid(arguments):
                return _failure(call, invalid_arguments(tool.name, validator.problems(arguments)), tool, repairs)
            decoded = signature.decode(arguments)
        except ArgumentsError as error:
            return _failure(call, CallError("malformed_call", str(error)), tool)
        except Refusal as refusal:
            return _failure(call, refused(tool.name, refusal), tool)
        except RecursionError:
            problem = Problem("$", "is nested too deeply")
            return _failure(call, invalid_arguments(tool.name, (problem,)), tool)
        return _Step(call, bound, arguments, decoded, repairs)

    def _bind(self, name: str) -> _Bound | None:
        tool = self._tools.get(name)
        if tool is None:
            return None
        options = tool.options
        made = _Bound(
            tool,
            tool.signature,
            tool.validator(self._engine),
            bool(options.requires_env),
            options.requires_approval,
        )
        self._bound[name] = made
        return made

    def _verdict(self, step: _Step) -> CallError | Awaitable[bool] | None:
        """Return why a call may not run, None if it may, or an awaitable where that is still being asked. Fails closed."""
        needs = step.bound.needs_approval
        if needs is False:
            return None
        name = step.bound.tool.name
        try:
            if callable(needs) and not needs(dict(step.decoded)):
                return None
            if self._approve is None:
                return approval_required(name)
            # A copy: what was validated is what runs, whatever the callback does with what it is shown.
            answer = self._approve(
                step.bound.tool, ToolCall(step.call.name, read_arguments(step.arguments)[0], step.call.id)
            )
        except Exception as error:  # foreign code: a predicate or callback that fails has not said yes  # noqa: BLE001
            return _not_approved(name, error)
        return answer if hasattr(answer, "__await__") else _settled(step, answer)

    def _wants_caller(self, call: object) -> bool:
        try:
            tool = self._tools.get(read_call(call).name)
        except MalformedCallError:
            return False
        return tool is not None and tool.options.blocking == "caller"

    def _finish(self, step: _Step, outcome: Outcome | CallError) -> ToolResult:
        """Encode what came of a call, and make the result of it."""
        tool = step.bound.tool
        if isinstance(outcome, CallError):
            return _failure(step.call, outcome, tool, step.repairs, step.decoded)
        value, exception, duration = outcome
        if exception is not None:
            error = tool_failed(tool, exception)
            return _failure(step.call, error, tool, step.repairs, step.decoded, duration)
        try:
            content = value if type(value) is str else _encode(value, step.bound.signature)
        except EncodingError as unencodable:
            error = CallError(
                "unencodable_result",
                f"{tool.name} ran, but its result cannot be shown: {unencodable}",
                exception=unencodable,
            )
            return _failure(step.call, error, tool, step.repairs, step.decoded, duration)
        return ToolResult(step.call, value, None, content, tool, step.decoded, duration, step.repairs)


def _invocation(step: _Step) -> Invocation:
    args, kwargs = step.bound.signature.bind(step.decoded)
    return Invocation(step.bound.tool.function, args, kwargs, step.bound.signature.kind)


def _encode(value: Any, signature: Signature) -> str:
    """Return the JSON text of a result: by the return annotation where the value is of it, by its own type otherwise."""
    returns = signature.returns
    if returns is not None and not returns.natural and returns.handles(value):
        try:
            value = returns.encode(value)
        except EncodingError:
            raise
        except (TypeError, ValueError, RecursionError) as error:
            raise EncodingError(str(error)) from error
    return to_json_text(value)


def _failure(
    call: ToolCall | None,
    error: CallError,
    tool: Tool | None = None,
    repairs: tuple[str, ...] = (),
    arguments: Mapping[str, Any] | None = None,
    duration: float = 0.0,
) -> ToolResult:
    return ToolResult(call, None, error, error.text, tool, arguments, duration, repairs)


def _settled(step: _Step, answer: object) -> CallError | None:
    """Return None for a plain yes, and a denial for everything else."""
    if isinstance(answer, CallError):
        return answer
    return None if answer is True else denied(step.bound.tool.name)


async def _asked(answer: Awaitable[bool]) -> object:
    try:
        return await answer
    except Exception as error:  # foreign code: a callback that fails has not said yes  # noqa: BLE001
        return _not_approved("the tool", error)


def _wait_for(answer: Awaitable[bool]) -> object:
    from fcregistry.execution._loop import background

    return background.run(lambda: _asked(answer))


def _not_approved(name: str, error: Exception) -> CallError:
    return CallError("denied", f"{name} was not run: asking for its approval failed", exception=error)
