"""The settings of an executor, such as retries, the options of a caller, and the toolset of what an executor is given."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol, TypeAlias

from fcregistry._base.call import CancellationToken
from fcregistry._base.source import callback_problem, external_tool_problem, is_model, list_hint
from fcregistry._registry import Group, Registry, group_tools_to_bind, tools_to_bind
from fcregistry._registry import registry as process_registry
from fcregistry._tools.declaration import MARK, Declaration
from fcregistry._tools.decorator import marked_methods
from fcregistry._tools.tool import Tool, Toolset, definition_of
from fcregistry.errors import CallCancelledError, DefinitionError, ToolError
from fcregistry.execution._call_errors import RemoteError
from fcregistry.execution._invoke import GivenUp
from fcregistry.types import show_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fcregistry._base.call import CallError, ToolCall
    from fcregistry._results.result import ToolResult
    from fcregistry._schema.validator import Engine
    from fcregistry.execution._cache import Cache
    from fcregistry.execution._call_errors import Exposure
    from fcregistry.execution._invoke import ItemChannel, Outcome, RemoteRunner
    from fcregistry.execution._limits import ResultLimits


# --- Retries ---

Transient: TypeAlias = "type[Exception] | tuple[type[Exception], ...] | Callable[[Exception], bool]"
"""Which failures may be transient: exceptions of these types, or those for which a function returns True."""

_TRANSIENT: Final = (TimeoutError, ConnectionError)
"""Exceptions that are transient, whatever the tool is."""

_MOST_DOUBLINGS: Final = 99
"""The number of failures after which the wait no longer grows: it is `max_delay` long before, and a float overflows long after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """When a call that failed is tried again.

    A call is tried again only if the tool's author declared it `idempotent` or `read_only`, and the failure may be transient: a
    `ToolError` that is `retryable`, a `TimeoutError`, a `ConnectionError`, and what `on` adds.

    The wait before the second attempt is a random one of up to `initial_delay` seconds; before each further one it is up to twice as
    long, and never longer than `max_delay`: "full jitter", as in "Exponential Backoff And Jitter" (AWS Architecture Blog). If a
    tool raises `ToolError` with `retry_after`, the executor waits that long; if it is more than `max_delay`, it does not try again.

    Args:
        attempts: The most attempts, including the first.
        initial_delay: The longest wait before the second attempt, in seconds.
        max_delay: The longest wait of all, in seconds.
        on: More exceptions after which a call is tried again: a type, a tuple of types, or a function that takes the exception and returns
            whether it may be transient.

    Raises:
        ValueError: A number is out of its range.
        TypeError: `on` is none of these.
    """

    attempts: int = 3
    initial_delay: float = 0.2
    max_delay: float = 5.0
    on: Transient = ()

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"attempts must be at least 1, not {self.attempts!r}")
        if not 0 <= self.initial_delay <= self.max_delay < float("inf"):
            raise ValueError(
                "initial_delay and max_delay must be finite seconds, and the first must not be above the second: "
                f"not {self.initial_delay!r} and {self.max_delay!r}"
            )
        if not _is_transient_option(self.on):
            raise TypeError(
                f"on must be a type of exceptions, a tuple of them, or a plain function of an exception, not {self.on!r}"
            )
        if not isinstance(self.on, (type, tuple)) and (problem := callback_problem(self.on, "exception")):
            raise TypeError(f"on {problem}")

    def wait_before(self, attempt: int, outcome: Outcome, tool: Tool, left: float | None = None) -> float | None:
        """Return the seconds to wait before another attempt, or None if the call is not to be tried again.

        Args:
            attempt: The number of the next attempt: 2 after the first.
            outcome: The outcome of the attempt before.
            tool: The tool.
            left: Seconds that are left for the call; None for any time.
        """
        error = outcome.exception
        if attempt > self.attempts or not isinstance(error, Exception):
            return None
        may_be_repeated = tool.options.idempotent is True or tool.options.read_only is True
        if not may_be_repeated or not self._may_be_transient(error, tool):
            return None
        longest = min(self.max_delay, self.initial_delay * 2.0 ** min(attempt - 2, _MOST_DOUBLINGS))
        from random import uniform  # 3 ms, only on the way to another attempt

        wait = uniform(0, longest)
        asked = getattr(error, "retry_after", None) if isinstance(error, (ToolError, RemoteError)) else None
        if isinstance(asked, (int, float)) and asked >= 0:
            if asked > self.max_delay:
                return None
            wait = max(wait, asked)
        return None if left is not None and wait >= left else wait

    def _may_be_transient(self, error: Exception, tool: Tool) -> bool:
        """Return whether a tool's exception may be transient, by its type or by `on`, types or a function.

        A `GivenUp` or `CallCancelledError` never is. If the function `on` fails, a warning is logged, and the answer
        is False.
        """
        if isinstance(error, (GivenUp, CallCancelledError)):  # the time is up, or the caller no longer wants the result
            return False
        if _is_transient(error):
            return True
        on = self.on
        if isinstance(on, (type, tuple)):
            return isinstance(error, on) or _is_remote(error, on if isinstance(on, tuple) else (on,))
        try:
            return bool(on(error))
        except Exception as failure:  # foreign code: without an answer, the failure is not taken as transient
            from logging import getLogger  # only on the way to an error

            message = "the function on=… of Retry failed for %s, so the call was not tried again"
            getLogger("fcregistry").warning(message, tool.name, exc_info=failure)
            return False


def _is_transient_option(on: object) -> bool:
    """Return whether `on` is a subclass of Exception, a tuple of such, or a callable that is not async."""
    if isinstance(on, (type, tuple)):
        types = on if isinstance(on, tuple) else (on,)
        return all(isinstance(each, type) and issubclass(each, Exception) for each in types)
    return callable(on) and not inspect.iscoroutinefunction(on)


def _is_transient(error: Exception) -> bool:
    """Return whether `error`, also a remote one, is a retryable `ToolError` or of a `_TRANSIENT` type."""
    if isinstance(error, ToolError) or (isinstance(error, RemoteError) and error.is_tool_error):
        return error.retryable is True
    return isinstance(error, _TRANSIENT) or _is_remote(error, _TRANSIENT)


def _is_remote(error: Exception, types: tuple[type[Exception], ...]) -> bool:
    """Return whether an exception is a `RemoteError` whose class was one of `types`, by its name alone.

    A builtin subclass of one counts, too. Any other exception is not remote.
    """
    if not isinstance(error, RemoteError):
        return False
    raised = getattr(builtins, error.type_name, None)
    if isinstance(raised, type) and issubclass(raised, types):
        return True
    return error.type_name in {each.__name__ for each in types}


# --- The executor ---


class CallHooks(Protocol):
    """The hooks that the pipeline calls before and after each valid call."""

    def before(self, tool: Tool, call: ToolCall) -> ToolCall | CallError | None:
        """Return None to run the call as it is, the changed call, or the error of a call that may not run.

        The arguments of a changed call are JSON text that is not validated yet.
        """

    def after(self, tool: Tool, call: ToolCall, result: ToolResult) -> ToolResult:
        """Return the result that the caller gets."""


_QUICK_LENGTH: Final = 20_000
"""The most characters of arguments that are read on the caller's thread or loop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """An executor's settings; `Executor` describes each.

    Raises:
        TypeError, ValueError: A setting is not valid.
    """

    engine: Engine
    check_results: bool
    timeout: float | None
    max_concurrency: int
    expose_errors: Exposure
    on_nan: Literal["refuse", "null"]
    deps: tuple[Any, ...]
    repairs: frozenset[str]
    max_argument_characters: int | None
    limits: ResultLimits | None
    cache: Cache
    retry: Retry | None
    hooks: CallHooks | None
    remote_runners: Mapping[str, RemoteRunner]

    def __post_init__(self) -> None:
        if type(self.max_concurrency) is not int or self.max_concurrency < 1:
            raise ValueError(f"max_concurrency must be a whole number of at least 1, not {self.max_concurrency!r}")
        longest = self.max_argument_characters
        if longest is not None and (type(longest) is not int or longest < 1):
            raise ValueError(f"max_argument_characters must be a whole number of at least 1, or None, not {longest!r}")
        if self.timeout is not None and not (type(self.timeout) in (int, float) and 0 < self.timeout < float("inf")):
            raise ValueError(f"timeout must be a number of seconds above 0, or None, not {self.timeout!r}")
        if self.expose_errors not in ("all", "tool-errors"):
            raise ValueError(f'expose_errors must be "all" or "tool-errors", not {self.expose_errors!r}')
        if self.on_nan not in ("refuse", "null"):
            raise ValueError(f'on_nan must be "refuse" or "null", not {self.on_nan!r}')
        if self.engine not in ("jsonschema-rs", "jsonschema"):
            raise ValueError(f'validator must be "jsonschema-rs" or "jsonschema", not {self.engine!r}')
        if not isinstance(self.check_results, bool):
            raise TypeError(f"check_results must be a bool, not {self.check_results!r}")
        if self.retry is not None and not isinstance(self.retry, Retry):
            raise TypeError(f"retry must be a Retry, such as Retry(attempts=3), not {self.retry!r}")

    @property
    def quick_length(self) -> int:
        """The most characters of arguments that are read on the caller's thread or loop.

        Reading longer arguments could block an event loop for too long.
        """
        longest = self.max_argument_characters
        return _QUICK_LENGTH if longest is None else min(longest, _QUICK_LENGTH)

    def writes_null(self, tool: Tool | None) -> bool:
        """Return whether null is written for numbers that are not finite in results of `tool`."""
        return ((None if tool is None else tool.options.on_nan) or self.on_nan) == "null"

    @property
    def is_plain(self) -> bool:
        """Whether no setting asks for more than the fast path does."""
        return self.limits is None and self.retry is None and self.hooks is None


# --- The caller's context ---


class CallsContext(NamedTuple):
    """The options of a caller for all calls that it makes together.

    Attributes:
        cancellation: The token that ends the calls.
        deps: The objects that tools can receive as `context.deps`; they are preferred to the executor's.
        channel: Takes the events of a streamed call.
    """

    cancellation: CancellationToken | None = None
    deps: tuple[Any, ...] = ()
    channel: ItemChannel | None = None


NO_CONTEXT: Final = CallsContext()


def calls_context(cancellation: CancellationToken | None, deps: Sequence[Any]) -> CallsContext:
    """Return the options of a caller as one value.

    Raises:
        TypeError: The cancellation is not a token, or `deps` is not a list.
    """
    if cancellation is not None and not isinstance(cancellation, CancellationToken):
        raise TypeError(f"cancellation must be a CancellationToken, not {cancellation!r}")
    return NO_CONTEXT if cancellation is None and not deps else CallsContext(cancellation, deps_of(deps))


def deps_of(given: Any) -> tuple[Any, ...]:
    """Return `deps` as a tuple.

    Raises:
        TypeError: It is not a list or tuple.
    """
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"deps must be a list of objects, as in deps=[{type(given).__name__}(…)], not {given!r:.80}")
    return tuple(given)


def check_deps(tools: Iterable[Tool], deps: Sequence[Any]) -> None:
    """Check that `deps` has, for each tool whose context asks for an object, the object or its class.

    If it has the class, the caller passes the object with every call.

    Raises:
        DefinitionError: An object is missing; the message names each tool, and the type that it asks for.
    """
    missing = []
    for tool in tools:
        if not definition_of(tool).asks_for_deps:  # without importing its plugin
            continue
        context = tool.signature.context
        if context is not None and context.deps is not None and not _provides(deps, context.deps):
            missing.append(f"{tool.name} asks for {show_type(context.deps)}")
    if missing:
        raise DefinitionError(
            "these tools need objects that are missing from deps=[…]; add each object, or its class if you pass the object with every call:",
            tuple(missing),
        )


def deps_for(tool: Tool, run: CallsContext, deps: Sequence[Any]) -> Any:
    """Return the object that a tool's context has as `deps`, or None if it asks for none.

    An object of exactly the class is preferred to one of a derived class, and the caller's objects to the executor's.

    Args:
        tool: The tool.
        run: The options of the caller.
        deps: The `deps` of the executor.

    Raises:
        DefinitionError: There is no such object: the executor has its class, so each call must bring one.
    """
    context = tool.signature.context
    if context is None or context.deps is None:
        return None
    given = [
        each
        for each in (*run.deps, *deps)
        if _passes(isinstance, each, context.deps) and not _is_placeholder_class(each, context.deps)
    ]
    exact = [each for each in given if type(each) is context.deps]
    for each in (*exact, *given):
        return each
    raise DefinitionError(f"{tool.name} asks for {show_type(context.deps)}: give one in deps=[…]")


def _provides(deps: Sequence[Any], asked: Any) -> bool:
    """Return whether `deps` has an instance of the type `asked`, or a class that is a subclass of it."""
    return any(
        _passes(isinstance, each, asked) or (isinstance(each, type) and _passes(issubclass, each, asked))
        for each in deps
    )


def _is_placeholder_class(given: Any, asked: Any) -> bool:
    """Return whether `given` is a class where an object is asked for: `asked` is not `type` or `type[…]`.

    Such a class may itself look like an instance of a protocol.
    """
    return isinstance(given, type) and getattr(asked, "__origin__", asked) is not type


def _passes(test: Callable[[Any, Any], bool], value: Any, asked: Any) -> bool:
    """Return `test(value, asked)` for `isinstance` or `issubclass`; False if it raises TypeError.

    Of a generic type such as `list[int]`, the class is tested.
    """
    try:
        return test(value, getattr(asked, "__origin__", asked))
    except TypeError:  # a Protocol that is not runtime-checkable, or not a class
        return False


# --- Tools ---

ToolLike: TypeAlias = "str | Tool | Toolset | Callable[..., Any]"


def toolset_of(tools: ToolLike | Iterable[Any], registry: Registry | None = None) -> Toolset:
    """Return the toolset of names, selectors, functions, tools, toolsets, groups, and lists of these.

    The strings among them are selectors of one selection, in their order. Patterns and groups have tools that are not available here, too. A
    function that was declared means the tool it was declared as.

    Args:
        tools: What the application gave.
        registry: The registry in which names are looked up; the process's by default.

    Raises:
        DefinitionError: An element is none of these, or a tool cannot be defined.
        ToolNotFoundError: A name or selector matches nothing.
        AmbiguousToolError: Several tools have a name.
        DuplicateToolError: Two tools have one wire name.
        TypeError: `registry` is not a registry.
    """
    source = process_registry if registry is None else registry
    if not isinstance(source, Registry):
        raise TypeError(f"registry must be a Registry, not {source!r}")
    selectors: list[str] = []
    made: list[Tool] = []
    functions: dict[int, Tool] = {}  # a function that is given twice is one tool
    for element in _flatten(tools, 0):
        if isinstance(element, str):
            selectors.append(element)
        elif isinstance(element, Tool):
            made.append(element)
        elif isinstance(element, Toolset):
            made.extend(element.values())
        elif problem := external_tool_problem(element):
            raise DefinitionError(problem)
        elif callable(element) and not isinstance(element, type):
            made.append(functions.setdefault(id(element), _tool_of(element, source)))
        else:
            raise DefinitionError(
                f"{element!r:.200} is not a tool: give a name, a selector, a function, a Tool or a toolset{_hint(element)}"
            )
    if selectors:
        made.extend(tools_to_bind(source, selectors, {tool.name for tool in made}))
    for tool in made:
        if (error := tool.definition_error) is not None:  # raised now, and not at the first call
            raise error
    return Toolset(made)


def _hint(element: object) -> str:
    """Return the end of an error, `; …`, that says what to give in place of `element`; may be empty."""
    if isinstance(element, type) or marked_methods(element):
        return "; register an instance's methods with register_object"
    if isinstance(element, Mapping) and not element.keys().isdisjoint(("name", "function", "toolSpec")):
        return "; a definition can be described to a model, but not called: give the function, with parameters=…"
    return list_hint(element)


def _tool_of(function: Callable[..., Any], source: Registry) -> Tool:
    """Return the tool that a function was declared as, with its author's options, or else a new tool.

    Declarations are looked up in the registry `source`, then in the process's registry, then in the mark of a method.

    Raises:
        DefinitionError: The function cannot be a tool.
    """
    for registry in (source, process_registry):
        tool = registry.tool_of(function)
        if tool is not None:
            return tool
    marks = getattr(function, MARK, None)  # of a method that was decorated in its class; a proxy has every attribute
    for mark in marks if isinstance(marks, tuple) else ():
        return Tool(Declaration(function, mark.name, mark.group, mark.module, mark.options, mark.locals))
    return Tool.from_function(function)


def _flatten(tools: Any, depth: int) -> Iterable[Any]:
    """Yield the elements of nested lists and groups, down to a depth of 20; yield anything else itself.

    Strings, tools, mappings, callables, models and toolsets of other libraries are not taken apart; `depth` is that of
    `tools`.
    """
    if isinstance(tools, Group):
        yield from group_tools_to_bind(tools)
        return
    # A mapping is not a list of its keys, a model not one of its fields, and another library's toolset not one of what it yields.
    is_one = isinstance(tools, (str, Tool, Mapping)) or callable(tools) or not isinstance(tools, Iterable) or depth > 20
    if is_one or is_model(tools) or external_tool_problem(tools):
        yield tools
        return
    for element in tools:
        yield from _flatten(element, depth + 1)
