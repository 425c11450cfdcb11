"""Which way is short enough for a call that nothing is special about? What the pipeline does for such a call, in one function.

Most calls are JSON text, valid as it stands, of a tool that needs no approval, no context and no time limit. For them the pipeline's care
would cost three times what the call itself does. A short way is made once for each tool that allows it. It gives up, before anything has
run, whenever a call is not of that sort; the pipeline then takes that from the beginning. A test holds that both give the same results.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import isgenerator
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

from fcregistry._base import forks as _forks
from fcregistry._base.call import ToolCall
from fcregistry._base.json import PLAIN_DECODER, has_unique_names
from fcregistry._results.result import ToolResult
from fcregistry.execution._invoke import (
    PLAIN,
    Invocation,
    ainvoke,
    awaited,
    invoke,
    is_cancellation,
    needs_loop,
    stepped,
)
from fcregistry.execution._outcome import Outcome
from fcregistry.execution._result import finished
from fcregistry.execution._step import CallStep
from fcregistry.execution._threads import NoThreadError, blocking_threads
from fcregistry.formats import MalformedCallError, read_call
from fcregistry.types import EncodingError, to_json_text

if TYPE_CHECKING:
    from fcregistry.execution._settings import Settings
    from fcregistry.execution._step import Bound

Read: TypeAlias = Callable[[ToolCall], "dict[str, Any] | ToolResult | None"]
Refuse: TypeAlias = "Callable[[ToolCall, Bound, dict[str, Any]], ToolResult | None]"
"""Makes the result of a call whose arguments are not valid, or gives up where they can be repaired."""

ShortWay: TypeAlias = Callable[[ToolCall], "ToolResult | None"]
AsyncShortWay: TypeAlias = Callable[[ToolCall], "Awaitable[ToolResult | None]"]

T = TypeVar("T")

_scan: Final = PLAIN_DECODER.scan_once  # type: ignore[attr-defined]  # what `decode` calls between two looks for white space
_DEEP: Final = 100
"""Characters of which arguments could be too deep."""


def read_if_call(given: object) -> ToolCall | None:
    """Return what is a call in whichever shape, or None: what is wrong with it, the pipeline says."""
    try:
        return read_call(given)
    except MalformedCallError:
        return None


def may_be_short(bound: Bound, settings: Settings) -> bool:
    """Tell whether nothing about a tool, or about the executor, asks for the pipeline's care."""
    return (
        bound.lane != "elsewhere"
        and bound.timeout is None
        and bound.is_open
        and bound.cache is None
        and not bound.needs_env
        and not bound.exact
        and bound.results is None
        and bound.signature.context is None
        and settings.is_plain
    )


def _reader(bound: Bound, settings: Settings, refuse: Refuse) -> Read:
    """Return what reads, validates and decodes the arguments of a call, says that they are not valid, or gives up with None."""
    is_valid = bound.validator.is_valid
    binding = bound.signature.binding
    decode = binding.decode
    as_it_is = binding.hands_through
    longest = settings.quick_length

    def read(call: ToolCall) -> dict[str, Any] | ToolResult | None:
        text = call._arguments
        if type(text) is not str or len(text) > longest:
            return None
        try:
            arguments, end = _scan(text, 0)
            if (
                end != len(text)
                or type(arguments) is not dict
                or (end > _DEEP and text.count("{") + text.count("[") > _DEEP)
                or not has_unique_names(text, arguments)
            ):
                return None
            if not is_valid(arguments):
                return refuse(call, bound, arguments)
            return arguments if as_it_is else decode(arguments)
        except (StopIteration, ValueError, RecursionError):  # no JSON
            return None
        except Exception:  # noqa: BLE001  # foreign code: what a type raises, the pipeline words; or there is a lot that is wrong
            return None

    return read


def short_way(bound: Bound, settings: Settings, refuse: Refuse) -> ShortWay:
    """Return the short way to call a plain function on the caller's thread."""
    return _plain_way(bound, settings, refuse, lambda step, rest: finished(step, invoke(rest), settings))


def short_way_on_a_loop(bound: Bound, settings: Settings, refuse: Refuse) -> AsyncShortWay:
    """Return the short way to call a function from a running loop, whatever sort of function it is."""
    if bound.lane == "loop":
        return _async_way(bound, settings, refuse)
    way = _plain_way(bound, settings, refuse, _Rest)

    async def inline(call: ToolCall) -> ToolResult | None:
        result = way(call)
        return await result.awaited(settings) if isinstance(result, _Rest) else result

    async def on_thread(call: ToolCall) -> ToolResult | None:
        try:
            future = blocking_threads.submit(lambda: way(call))
        except NoThreadError:
            return None  # the pipeline says so
        result = await awaited(future)
        return await result.awaited(settings) if isinstance(result, _Rest) else result

    return on_thread if bound.lane == "thread" else inline


class _Rest(NamedTuple):
    """A call whose function returned what has to be awaited: on the loop of whoever awaits the call."""

    step: CallStep
    rest: Invocation

    async def awaited(self, settings: Settings) -> ToolResult:
        return finished(self.step, await ainvoke(self.rest), settings)


def _async_way(bound: Bound, settings: Settings, refuse: Refuse) -> AsyncShortWay:
    """Return the short way to call an async function on the running loop."""
    read, tool, function = _reader(bound, settings, refuse), bound.tool, bound.tool.function
    bind, by_keyword = bound.signature.binding.bind, bound.signature.binding.by_keyword
    done = _ender(bound, settings)

    async def way(call: ToolCall) -> ToolResult | None:
        decoded = read(call)
        if decoded is None or isinstance(decoded, ToolResult):
            return decoded
        args, kwargs = ((), decoded) if by_keyword else bind(decoded)
        start, born = perf_counter(), _forks.generation
        try:
            value = await stepped(function(*args, **kwargs), born)
        except BaseException as error:  # foreign code: whatever a tool raises is what came of it
            if _forks.generation != born:
                _forks.end_child(error)
            if is_cancellation(error):
                raise
            return finished(_step(call, bound, decoded), Outcome(None, error, perf_counter() - start), settings)
        if _forks.generation != born:
            _forks.end_child()
        seconds = perf_counter() - start
        if type(value) is str:
            return ToolResult(call, value, None, value, tool, decoded, seconds)
        result = done(call, decoded, value, seconds)
        if _forks.generation != born:  # what a value does while it is encoded is foreign code, too
            _forks.end_child()
        return result

    return way


def _plain_way(
    bound: Bound, settings: Settings, refuse: Refuse, rest: Callable[[CallStep, Invocation], T]
) -> Callable[[ToolCall], ToolResult | T | None]:
    """Return the way of a plain function to its result; where something is left to be awaited, to what `rest` makes of that."""
    read, tool, function = _reader(bound, settings, refuse), bound.tool, bound.tool.function
    bind, by_keyword = bound.signature.binding.bind, bound.signature.binding.by_keyword
    done = _ender(bound, settings)

    def way(call: ToolCall) -> ToolResult | T | None:
        decoded = read(call)
        if decoded is None or isinstance(decoded, ToolResult):
            return decoded
        start, born = perf_counter(), _forks.generation
        try:
            if by_keyword:
                value = function(**decoded)
            else:
                args, kwargs = bind(decoded)
                value = function(*args, **kwargs)
            if type(value) not in PLAIN:
                if isgenerator(value):
                    value = list(value)
                elif needs_loop(value):
                    if _forks.generation != born:
                        _forks.end_child()
                    return rest(_step(call, bound, decoded), Invocation(lambda: value, (), {}))
        except BaseException as error:  # noqa: BLE001  # foreign code: whatever a tool raises is what came of it
            if _forks.generation != born:
                _forks.end_child(error)
            return finished(_step(call, bound, decoded), Outcome(None, error, perf_counter() - start), settings)
        if _forks.generation != born:
            _forks.end_child()
        seconds = perf_counter() - start
        if type(value) is str:
            return ToolResult(call, value, None, value, tool, decoded, seconds)
        result = done(call, decoded, value, seconds)
        if _forks.generation != born:  # what a value does while it is encoded is foreign code, too
            _forks.end_child()
        return result

    return way


def _step(call: ToolCall, bound: Bound, decoded: dict[str, Any]) -> CallStep:
    """Return a call that has run, as the making of its result wants it: without the JSON of its arguments."""
    return CallStep(call, bound, {}, decoded, ())


def _ender(bound: Bound, settings: Settings) -> Callable[[ToolCall, dict[str, Any], Any, float], ToolResult]:
    """Return what makes the result of a call that returned a value."""
    tool, returns = bound.tool, bound.signature.returns
    as_it_is = returns is None or returns.natural

    def done(call: ToolCall, decoded: dict[str, Any], value: Any, seconds: float) -> ToolResult:
        if as_it_is and type(value) in PLAIN:
            try:
                return ToolResult(call, value, None, to_json_text(value), tool, decoded, seconds)
            except EncodingError:  # to be worded
                pass
        return finished(_step(call, bound, decoded), Outcome(value, None, seconds), settings)

    return done
