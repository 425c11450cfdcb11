"""The fast path: what the pipeline does for a plain call, in one function.

Most calls are JSON text, valid as it is, of a tool that needs no approval, no context and no time limit. For them the pipeline's care
would cost three times what the call itself does. A fast path is made once for each tool that allows it. It gives up with None, before
anything has run, whenever a call is not plain; the pipeline then starts that call from the beginning. A test holds that both give the
same results.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import isgenerator
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from fcregistry._base import forks as _forks
from fcregistry._base.call import ToolCall
from fcregistry._base.forks import end_child, end_if_forked
from fcregistry._base.json import PLAIN_DECODER, has_unique_names
from fcregistry._results.result import ToolResult
from fcregistry.execution._arguments import repair_arguments
from fcregistry.execution._call_errors import invalid_arguments
from fcregistry.execution._invoke import (
    PLAIN_TYPES,
    Invocation,
    Outcome,
    ainvoke,
    await_future,
    await_in_parent,
    invoke,
    is_cancellation,
    needs_loop,
)
from fcregistry.execution._result import make_result
from fcregistry.execution._step import QUICK_STEPS, CallStep
from fcregistry.execution._threads import NoThreadError, blocking_threads
from fcregistry.formats import MalformedCallError, read_call
from fcregistry.types import EncodingError, to_json_text

if TYPE_CHECKING:
    from fcregistry.execution._approval import ApprovalRules
    from fcregistry.execution._settings import Settings
    from fcregistry.execution._step import Bound

ReadArguments: TypeAlias = Callable[[ToolCall], "dict[str, Any] | ToolResult | None"]
"""Reads, validates and decodes the arguments of a call; returns a result if they are not valid, and None to give up."""

FastPath: TypeAlias = Callable[[ToolCall], "ToolResult | None"]
AsyncFastPath: TypeAlias = Callable[[ToolCall], "Awaitable[ToolResult | None]"]

T = TypeVar("T")

_scan: Final = PLAIN_DECODER.scan_once  # type: ignore[attr-defined]  # what `decode` calls, without its search for white space
_MAY_BE_TOO_DEEP: Final = 100
"""Arguments of fewer characters cannot be nested too deeply."""


def read_if_call(given: object) -> ToolCall | None:
    """Return a call in any shape as a `ToolCall`; None if it is not a call, which the pipeline reports."""
    # The two usual shapes are read here, since every call pays for it: `read_call` takes six times as long.
    if type(given) is dict:
        call, identity = given, None
        if len(given) == 3 and type(identity := given.get("id")) is str and type(given.get("type")) is str:
            call = given.get("function", given)  # OpenAI's: an id, a type and the function
        if type(call) is dict and len(call) == 2:
            name, arguments = call.get("name"), call.get("arguments")
            if type(name) is str and type(arguments) is str:  # no tool has an empty name: the pipeline reports it
                return ToolCall(name, arguments, identity)
    return _read_other_shape(given)


def _read_other_shape(given: object) -> ToolCall | None:
    """Return a call in any shape that `read_call` reads as a `ToolCall`, or None if `given` is not a call."""
    try:
        return read_call(given)
    except MalformedCallError:
        return None


def allows_fast_path(bound: Bound, settings: Settings) -> bool:
    """Return whether calls of a tool may take the fast path: no option or setting asks for more."""
    return (
        bound.dispatch != "remote"
        and bound.timeout is None
        and bound.needs_no_approval
        and bound.cache is None
        and not bound.needs_env
        and not bound.exact
        and bound.results is None
        and bound.signature.context is None
        and settings.is_plain
    )


def _arguments_reader(bound: Bound, settings: Settings) -> ReadArguments:
    """Return a function that returns a call's decoded arguments, a failed result, or None to give up."""
    tool, name, validator, allowed = bound.tool, bound.tool.name, bound.validator, settings.repairs
    is_valid = validator.fastest_check()
    binding = bound.signature.binding
    decode = binding.decode
    needs_no_decoding = binding.needs_no_decoding
    longest = settings.quick_length

    def read(call: ToolCall) -> dict[str, Any] | ToolResult | None:
        """Return the decoded arguments of a call, a failed result if they are not valid, or None to give up.

        It gives up where the pipeline must decide: arguments that are not text, long, deep or not JSON, that have a
        name twice, are valid after repairs or take long to check, or whose decoding raises an exception.
        """
        text = call._arguments
        if type(text) is not str or len(text) > longest:
            return None
        try:
            arguments, end = _scan(text, 0)
            if (
                end != len(text)
                or type(arguments) is not dict
                or (end > _MAY_BE_TOO_DEEP and text.count("{") + text.count("[") > _MAY_BE_TOO_DEEP)
                or not (text.count(":") == len(arguments) or has_unique_names(text, arguments))  # the usual case first
            ):
                return None
            if not is_valid(arguments):
                _, repairs, problems = repair_arguments(arguments, tool, validator, allowed, QUICK_STEPS)
                if not problems:
                    return None
                error = invalid_arguments(name, problems)
                return ToolResult(call, None, error, error.text, tool, None, 0.0, repairs)
            return arguments if needs_no_decoding else decode(arguments)
        except (StopIteration, ValueError, RecursionError):  # not JSON
            return None
        except Exception:  # noqa: BLE001  # foreign code: a type raised something; or finding out what is wrong takes long
            return None

    return read


def fast_path(bound: Bound, settings: Settings, rules: ApprovalRules) -> FastPath:
    """Return the fast path for calls of a plain function on the caller's thread."""
    return _path_of_plain_function(bound, settings, rules, lambda step, work: make_result(step, invoke(work), settings))


def async_fast_path(bound: Bound, settings: Settings, rules: ApprovalRules) -> AsyncFastPath:
    """Return the fast path for calls from a running loop, whatever kind of function the tool is."""
    if bound.dispatch == "loop":
        return _path_of_async_function(bound, settings, rules)

    async def finish(step: CallStep, work: Invocation) -> ToolResult:
        """Await the awaitable that a plain function returned, on the loop, and return the call's result."""
        return make_result(step, await ainvoke(work), settings)

    path = _path_of_plain_function(bound, settings, rules, finish)

    async def inline(call: ToolCall) -> ToolResult | None:
        """Return the result of a call, run on the loop's own thread; None to give up before it has run."""
        result = path(call)
        return result if result is None or isinstance(result, ToolResult) else await result

    async def on_thread(call: ToolCall) -> ToolResult | None:
        """Return the result of a call, run on a thread; None to give up before it has run.

        An awaitable that the function returns is awaited on the loop.
        """
        try:
            future = blocking_threads.submit(lambda: path(call))
        except NoThreadError:
            return None  # the pipeline reports it
        result = await await_future(future)
        return result if result is None or isinstance(result, ToolResult) else await result

    return on_thread if bound.dispatch == "thread" else inline


def _path_of_async_function(bound: Bound, settings: Settings, rules: ApprovalRules) -> AsyncFastPath:
    """Return the fast path of an async function: it returns a call's result, or None to give up."""
    read, tool, function = _arguments_reader(bound, settings), bound.tool, bound.tool.function
    bind, by_keyword = bound.signature.binding.bind, bound.signature.binding.by_keyword
    result_of, finish = _result_makers(bound, settings)

    async def path(call: ToolCall) -> ToolResult | None:
        """Return the result of a call, failed ones included; None to give up before anything has run.

        Raises:
            BaseException: The cancellation of the task.
        """
        decoded = read(call)
        if not isinstance(decoded, dict):
            return decoded
        args, kwargs = ((), decoded) if by_keyword else bind(decoded)
        start, generation_before = perf_counter(), _forks.generation
        if start >= rules.fresh_until:
            return None  # the pipeline reads the configuration again
        try:
            value = await await_in_parent(function(*args, **kwargs), generation_before)
            if type(value) is str:
                result = ToolResult(call, value, None, value, tool, decoded, perf_counter() - start)
            else:
                result = result_of(call, decoded, value, perf_counter() - start, generation_before)
        except BaseException as error:  # foreign code: whatever a tool raises is its outcome
            end_if_forked(generation_before, error)
            if is_cancellation(error):
                raise
            return finish(call, decoded, Outcome(None, error, perf_counter() - start))
        if _forks.generation != generation_before:  # `end_if_forked`, whose call takes 2 % of this one
            end_child()
        return result

    return path


def _path_of_plain_function(
    bound: Bound, settings: Settings, rules: ApprovalRules, unfinished: Callable[[CallStep, Invocation], T]
) -> Callable[[ToolCall], ToolResult | T | None]:
    """Return the fast path of a plain function: it returns a call's result, or None to give up.

    If the function's value must be awaited, it returns `unfinished(step, work)`, where `work` returns that value. A
    generator is exhausted, and its items are the value.
    """
    read, tool, function = _arguments_reader(bound, settings), bound.tool, bound.tool.function
    bind, by_keyword = bound.signature.binding.bind, bound.signature.binding.by_keyword
    result_of, finish = _result_makers(bound, settings)

    def path(call: ToolCall) -> ToolResult | T | None:
        """Return the result of a call, or what `unfinished` returns; None to give up before anything has run."""
        decoded = read(call)
        if not isinstance(decoded, dict):
            return decoded
        start, generation_before = perf_counter(), _forks.generation
        if start >= rules.fresh_until:
            return None  # the pipeline reads the configuration again
        try:
            if by_keyword:
                value = function(**decoded)
            else:
                args, kwargs = bind(decoded)
                value = function(*args, **kwargs)
            if type(value) is str:
                result = ToolResult(call, value, None, value, tool, decoded, perf_counter() - start)
            else:
                if type(value) not in PLAIN_TYPES:
                    if isgenerator(value):
                        value = list(value)
                    elif needs_loop(value):
                        end_if_forked(generation_before)
                        return unfinished(_finished_step(call, bound, decoded), Invocation(lambda: value, (), {}))
                result = result_of(call, decoded, value, perf_counter() - start, generation_before)
        except BaseException as error:  # noqa: BLE001  # foreign code: whatever a tool raises is its outcome
            end_if_forked(generation_before, error)
            return finish(call, decoded, Outcome(None, error, perf_counter() - start))
        if _forks.generation != generation_before:  # `end_if_forked`, whose call takes 2 % of this one
            end_child()
        return result

    return path


def _finished_step(call: ToolCall, bound: Bound, decoded: dict[str, Any]) -> CallStep:
    """Return the step of a call that has run; its JSON arguments are `{}`, as `make_result` needs none."""
    return CallStep(call, bound, {}, decoded, ())


def _result_makers(
    bound: Bound, settings: Settings
) -> tuple[
    Callable[[ToolCall, dict[str, Any], Any, float, int], ToolResult],
    Callable[[ToolCall, dict[str, Any], Outcome], ToolResult],
]:
    """Return two functions that make a `ToolResult`: from a returned value, and from any `Outcome`."""
    tool, returns = bound.tool, bound.signature.returns
    is_natural = returns is None or returns.natural

    def finish(call: ToolCall, decoded: dict[str, Any], outcome: Outcome) -> ToolResult:
        """Return the result of any outcome, a failed one too, as the pipeline makes it."""
        return make_result(_finished_step(call, bound, decoded), outcome, settings)

    def result_of(
        call: ToolCall, decoded: dict[str, Any], value: Any, seconds: float, generation_before: int
    ) -> ToolResult:
        """Return the result of a value that is not a string; plain JSON is written here, the rest by `finish`."""
        if is_natural and type(value) in PLAIN_TYPES:
            try:
                return ToolResult(call, value, None, to_json_text(value), tool, decoded, seconds)
            except EncodingError:  # the pipeline's result says why
                pass
        end_if_forked(generation_before)
        return finish(call, decoded, Outcome(value, None, seconds))

    return result_of, finish
