"""Which tools do not run in this process, and what runs their calls?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from concurrent.futures import Future

    from fcregistry._tools.tool import Tool
    from fcregistry.execution._calling._invoke import Outcome

Submit: TypeAlias = "Callable[[Tool, Mapping[str, Any], float | None], Future[Outcome]]"
"""Has a tool run with valid JSON arguments and the seconds that it may take, and returns what will come of it; cancelling that ends it."""


class Place(NamedTuple):
    """What runs the calls of a tool.

    Attributes:
        submit: Hands a call over.
        keeps_time: Whether it ends a call whose time is up by itself, and counts from when the tool begins; then nobody else need.
        leave: Told who calls no more tools; None where that is of no consequence, as for a pool, which stays its owner's.
    """

    submit: Submit
    keeps_time: bool
    leave: Callable[[object], None] | None = None


def places(
    tools: Iterable[Tool], pool: object = None, user: object = None, *, any_version: bool = False
) -> dict[str, Place]:
    """Return what runs the calls of each tool that does not run in this process, by wire name.

    A tool that is declared with `isolation="process"` runs on a worker that can be killed, whatever the pool: nothing else keeps that promise.

    Args:
        tools: What an executor offers.
        pool: The `concurrent.futures.Executor` that it was given, for all other tools; None: they run here.
        user: The executor; what it alone has used ends when that is told so, or gone. None: somebody who is always there.
        any_version: Whether a worker that has another version of a tool may run it.

    Raises:
        TypeError: The pool is something else.
        DefinitionError: Some of the tools cannot run in another process; names each, and what to do.
        MissingDependencyError: A tool asks for isolation, and pebble is not installed.
    """
    offered = tuple(tools)
    isolated = [tool for tool in offered if tool.options.isolation == "process"]
    found: dict[str, Place] = {}
    if isolated:
        from fcregistry.execution._elsewhere._isolation import (
            workers,  # with pools and their like, which few programs need
        )

        workers.expect(isolated, user)
        submit = partial(workers.submit, any_version=True) if any_version else workers.submit
        place = Place(submit, keeps_time=True, leave=workers.leave)
        found = dict.fromkeys((tool.name for tool in isolated), place)
    if pool is not None:
        from fcregistry.execution._elsewhere._portable import check_can_travel
        from fcregistry.execution._elsewhere._remote import Remote

        remote = Remote(pool, any_version=any_version)
        others = [tool for tool in offered if tool.name not in found]
        check_can_travel(others, "pool=…")
        found |= dict.fromkeys((tool.name for tool in others), Place(remote.submit, keeps_time=False))
    return found
