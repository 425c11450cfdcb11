"""What does a caller give along with a call, beside the call?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._base.call import CancellationToken
from fcregistry.errors import DefinitionError
from fcregistry.types._codec import show_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fcregistry._tools.tool import Tool
    from fcregistry.execution._channel import Channel


class Run(NamedTuple):
    """What is the same for all calls that are made together.

    Attributes:
        cancellation: Ends them.
        deps: What their contexts can have, before what the executor has.
        channel: Takes what a streamed call has to say.
    """

    cancellation: CancellationToken | None = None
    deps: tuple[Any, ...] = ()
    channel: Channel | None = None


NOTHING: Final = Run()


def run_of(cancellation: CancellationToken | None, deps: Sequence[Any]) -> Run:
    """Return what a caller gave.

    Raises:
        TypeError: It is something else.
    """
    if cancellation is not None and not isinstance(cancellation, CancellationToken):
        raise TypeError(f"cancellation is a CancellationToken, not {cancellation!r}")
    return NOTHING if cancellation is None and not deps else Run(cancellation, deps_of(deps))


def deps_of(given: Any) -> tuple[Any, ...]:
    """Return what contexts can have, as it was given.

    Raises:
        TypeError: It is no list.
    """
    if not isinstance(given, (list, tuple)):
        raise TypeError(f"deps takes a list of objects, as in deps=[{type(given).__name__}(…)], not {given!r:.80}")
    return tuple(given)


def check_deps(tools: Iterable[Tool], deps: Sequence[Any]) -> None:
    """See that every tool whose context asks for something can have it: from an object, or from a class that stands for one.

    Raises:
        DefinitionError: Some cannot; names each, and what it asks for.
    """
    missing = []
    for tool in tools:
        if not tool._definition.asks_for_deps:  # without importing its plugin
            continue
        context = tool.signature.context
        if context is not None and context.deps is not None and not _could_have(context.deps, deps):
            missing.append(f"{tool.name} asks for {show_type(context.deps)}")
    if missing:
        raise DefinitionError(
            "deps=… lacks what the contexts of these tools ask for; give such an object, or its class if every call brings one:",
            tuple(missing),
        )


def _could_have(asked: Any, deps: Sequence[Any]) -> bool:
    return any(_is(each, asked) or (isinstance(each, type) and _is_class(each, asked)) for each in deps)


def deps_for(tool: Tool, run: Run, deps: Sequence[Any]) -> Any:
    """Return what a tool's context has as `deps`.

    An object of the very class goes before one of a class that derives from it, and what the call brings before what the executor has.

    Raises:
        DefinitionError: There is none, though the executor was told that each call brings one.
    """
    context = tool.signature.context
    if context is None or context.deps is None:
        return None
    given = [
        each for each in (*run.deps, *deps) if _is(each, context.deps) and not _stands_for_another(each, context.deps)
    ]
    exact = [each for each in given if type(each) is context.deps]
    for each in (*exact, *given):
        return each
    raise DefinitionError(f"{tool.name} asks for {show_type(context.deps)}: give one in deps=[…]")


def _stands_for_another(given: Any, asked: Any) -> bool:
    """Tell a class that stands for one of its objects: it may have the members of a protocol itself."""
    return isinstance(given, type) and getattr(asked, "__origin__", asked) is not type


def _is(value: Any, asked: Any) -> bool:
    try:
        return isinstance(value, getattr(asked, "__origin__", asked))
    except TypeError:  # a Protocol that is not runtime-checkable, or no class at all
        return False


def _is_class(cls: type, asked: Any) -> bool:
    try:
        return issubclass(cls, getattr(asked, "__origin__", asked))
    except TypeError:
        return False
