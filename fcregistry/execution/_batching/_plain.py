"""How does a batch run on a loop when nothing is special about any of its calls? Each the short way, and none is prepared before another begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fcregistry._base.call import ToolCall
from fcregistry.errors import PluginError
from fcregistry.execution._batching._batches import Interrupt, Seat, gathered, uninterrupted
from fcregistry.execution._effects import adrive
from fcregistry.execution._run import run_of
from fcregistry.execution._short import read_if_call
from fcregistry.execution._watching._observation import unwatched

if TYPE_CHECKING:
    from asyncio import Semaphore
    from collections.abc import Iterable

    from fcregistry._results.result import ToolResult
    from fcregistry.execution._pipeline import Pipeline
    from fcregistry.execution._short import AsyncShortWay


class PlainCall(NamedTuple):
    """A call of a batch, with the short way that its tool has."""

    call: ToolCall
    way: AsyncShortWay


def plain_calls(pipeline: Pipeline, calls: Iterable[object]) -> list[PlainCall] | None:
    """Return calls with their short ways; None if one of them has none, or touches what another may touch."""
    plain: list[PlainCall] = []
    for given in calls:
        call = given if type(given) is ToolCall and type(given.name) is str else read_if_call(given)
        try:
            bound = None if call is None else pipeline.bound(call.name)
        except PluginError:
            return None
        way = None if call is None else pipeline.short_async.get(call.name)
        if call is None or bound is None or way is None or bound.touches:
            return None
        plain.append(PlainCall(call, way))
    return plain


async def arun_plain(pipeline: Pipeline, calls: list[PlainCall]) -> list[ToolResult]:
    """Carry out such calls at the same time on the running loop."""
    from asyncio import Semaphore  # there is a loop, so it is imported

    most = pipeline.settings.max_concurrency
    slots = Semaphore(most) if len(calls) > most else None
    return uninterrupted(await gathered(_short(pipeline, each, place, slots) for place, each in enumerate(calls)))


async def _short(pipeline: Pipeline, plain: PlainCall, place: int, slots: Semaphore | None) -> ToolResult | Interrupt:
    """Carry out a call, the whole way where it turns out that something is special about it."""
    call, way = plain
    try:
        if slots is None:
            result = await way(call)
        else:
            async with slots:
                result = await way(call)
        if result is None:
            return await _whole(pipeline, call, place, slots)
    except (KeyboardInterrupt, SystemExit) as interrupt:
        return interrupt  # raised out of a task, it would end the loop for everybody
    if result.error is not None:
        unwatched(result)
    return result


async def _whole(pipeline: Pipeline, call: ToolCall, place: int, slots: Semaphore | None) -> ToolResult:
    seat = Seat(None, place, slots)
    try:
        return await adrive(pipeline.course(call, run_of(None, ()), seat))
    finally:
        seat.leave()
