"""How does a batch run on a loop when nothing is special about any of its calls? Each the short way, and none is prepared before another begins.

MERGED: How are many calls carried out at the same time, and none of them at the cost of another?
MERGED: When does a call of a batch begin? When those that it waits for are done. For calls on threads and on event loops alike.
MERGED: Which calls of a batch wait for which? A call waits for the earlier ones that touch what it touches, where one of the two changes it.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from fcregistry._base.call import ToolCall
from fcregistry._results.result import ToolResult
from fcregistry.errors import PluginError
from fcregistry.execution._effects import adrive, drive
from fcregistry.execution._fast_path import read_if_call
from fcregistry.execution._observability import log_failure
from fcregistry.execution._resources import accesses
from fcregistry.execution._settings import calls_context, deps_for
from fcregistry.execution._step import CallStep
from fcregistry.execution._threads import running_loop

if TYPE_CHECKING:
    from asyncio import Semaphore
    from collections.abc import Coroutine, Iterator
    from concurrent.futures import Future

    from fcregistry.execution._fast_path import AsyncShortWay
    from fcregistry.execution._pipeline import Pipeline
    from fcregistry.execution._resources import Accesses, KeyPath
    from fcregistry.execution._settings import CallsContext
    from fcregistry.execution._suspended import Resumed

# --- execution._batching._plain ---


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
        log_failure(result)
    return result


async def _whole(pipeline: Pipeline, call: ToolCall, place: int, slots: Semaphore | None) -> ToolResult:
    seat = Seat(None, place, slots)
    try:
        return await adrive(pipeline.course(call, calls_context(None, ()), seat))
    finally:
        seat.leave()


# --- execution._batching._batches ---


def list_calls(calls: Iterable[object]) -> list[object]:
    """Return calls as a list.

    Raises:
        TypeError: It is one call, and not several.
    """
    if isinstance(calls, (Mapping, str, ToolCall)) or not isinstance(calls, Iterable):
        raise TypeError(f"give a list of calls, or use run for one, not {type(calls).__name__}")
    return list(calls)


class Seat:
    """The place of a call in a batch: it waits for those that touch what it touches, and then for room.

    Args:
        line: The order of the batch, if its calls have one.
        place: The call's place in it.
        slots: How many calls run at the same time; None on their caller's own thread.
    """

    __slots__ = ("_holds", "_line", "_place", "_slots")

    def __init__(self, line: Line | None, place: int, slots: Semaphore | None = None) -> None:
        self._line = line
        self._place = place
        self._slots = slots
        self._holds = False

    def entering(self, step: CallStep) -> _Entering:
        """Return what has to be done before a call begins."""
        return _Entering(self, None if self._line is None else self._line.touched(self._place, step))

    def enter_now(self, touched: Accesses | None) -> None:
        """Wait on this thread until the call may begin."""
        if self._line is not None:
            Enter(self._line, self._place, touched).now()

    async def enter_later(self, touched: Accesses | None) -> None:
        """Wait on the running loop until the call may begin."""
        if self._line is not None:
            await Enter(self._line, self._place, touched).later()
        if self._slots is not None:
            await self._slots.acquire()
            self._holds = True

    def leave(self) -> None:
        """Say that the call is done, or that it will never begin."""
        if self._holds and self._slots is not None:
            self._slots.release()
        if self._line is not None:
            self._line.leave(self._place)


class _Entering:
    """Take a seat: an effect of the pipeline."""

    __slots__ = ("_seat", "_touched")

    def __init__(self, seat: Seat, touched: Accesses | None) -> None:
        self._seat = seat
        self._touched = touched

    def now(self) -> None:
        self._seat.enter_now(self._touched)

    async def later(self) -> None:
        await self._seat.enter_later(self._touched)


Prepared = Sequence["CallStep | ToolResult | Resumed"]
Interrupt = KeyboardInterrupt | SystemExit


def run_together(pipeline: Pipeline, calls: Prepared, run: CallsContext) -> list[ToolResult]:
    """Carry out calls at the same time, and wait for all: those that want their caller's thread on this one, the others elsewhere."""
    if len(calls) < 2:
        return [drive(pipeline.course(call, run)) for call in calls]
    from fcregistry.execution._event_loop import background_loop  # asyncio is 38 ms, which a single call need not pay

    line = _line_of(pipeline, calls, run)
    here = [place for place, call in enumerate(calls) if pipeline.wants_caller(call)]
    elsewhere = sorted({*range(len(calls))}.difference(here))
    future = background_loop.submit(lambda: _seated(pipeline, calls, elsewhere, run, line))
    try:
        results = {place: _run_here(pipeline, calls[place], run, Seat(line, place)) for place in here}
        results |= zip(elsewhere, uninterrupted(future.result()), strict=True)
    except BaseException:  # whatever ends the waiting ends the calls too
        future.cancel()
        raise
    return [results[place] for place in range(len(calls))]


def _line_of(pipeline: Pipeline, calls: Prepared, run: CallsContext) -> Line | None:
    """Return the order of a batch, once it is sure that its tools can have what they depend on.

    Raises:
        DefinitionError: One cannot; nothing has run.
    """
    steps = [pipeline.step_of(call) for call in calls]
    for step in steps:
        if not isinstance(step, ToolResult):
            deps_for(step.bound.tool, run, pipeline.settings.deps)
    return Line.of(steps)


def _run_here(pipeline: Pipeline, call: CallStep | ToolResult | Resumed, run: CallsContext, seat: Seat) -> ToolResult:
    try:
        return drive(pipeline.course(call, run, seat))
    finally:
        seat.leave()


async def arun_together(pipeline: Pipeline, calls: Prepared, run: CallsContext) -> list[ToolResult]:
    """Carry out calls at the same time on the running loop."""
    line = _line_of(pipeline, calls, run)
    return uninterrupted(await _seated(pipeline, calls, range(len(calls)), run, line))


async def _seated(
    pipeline: Pipeline, calls: Prepared, places: Iterable[int], run: CallsContext, line: Line | None
) -> list[ToolResult | Interrupt]:
    from asyncio import Semaphore

    slots = Semaphore(pipeline.settings.max_concurrency)

    async def seated(place: int) -> ToolResult | Interrupt:
        seat = Seat(line, place, slots)
        try:
            return await adrive(pipeline.course(calls[place], run, seat))
        except (KeyboardInterrupt, SystemExit) as interrupt:
            return interrupt  # raised out of a task, it would end the loop for everybody
        finally:
            seat.leave()

    return await gathered(map(seated, places))


async def gathered(works: Iterable[Coroutine[Any, Any, ToolResult | Interrupt]]) -> list[ToolResult | Interrupt]:
    """Await calls at the same time on the running loop; when the waiting ends before they do, they are cancelled.

    Raises:
        RuntimeError: There is no loop of asyncio.
    """
    import asyncio

    loop = running_loop()
    tasks = [loop.create_task(work) for work in works]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:  # whatever ends the waiting ends the calls too
        for task in tasks:
            task.cancel()
        raise


def uninterrupted(results: Iterable[ToolResult | Interrupt]) -> list[ToolResult]:
    """Return the results, or raise the interrupt that is among them."""
    checked = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        checked.append(result)
    return checked


# --- execution._batching._line ---


class Line:
    """The calls of one batch. Each enters it before it begins, and leaves it when it is done or will never begin. Thread-safe.

    Args:
        batch: What each call touches, in the order of the calls; None for one that says nothing of it, or that is no call.
        steps: The calls.
    """

    def __init__(self, batch: Sequence[Accesses | None], steps: Sequence[object] = ()) -> None:
        from concurrent.futures import Future  # which imports logging: only for a batch whose calls touch something

        self._touched = batch
        self._steps = steps
        self._before = waits_for(self._touched)
        self._ends: list[Future[None]] = [Future() for _ in self._touched]
        for end in self._ends:
            end.set_running_or_notify_cancel()  # who gives up waiting for it does not cancel it for the others
        self._begun: set[int] = set()
        self._changed: list[int] = []
        self._lock = allocate_lock()

    @classmethod
    def of(cls, steps: Sequence[object]) -> Line | None:
        """Return the line of a batch, or None where no tool in it says what it touches, so that nobody waits.

        Args:
            steps: For each call its `CallStep`, or anything else for one that will not run.
        """
        touched = [accesses(step) if isinstance(step, CallStep) else None for step in steps]
        return None if all(each is None for each in touched) else cls(touched, steps)

    def touched(self, place: int, step: CallStep) -> Accesses | None:
        """Return what a call touches: as it was told when the line was made, unless the call has become another since."""
        return self._touched[place] if step is self._steps[place] else accesses(step)

    def enter(self, place: int, touched: Accesses | None) -> tuple[Future[None], ...]:
        """Return what a call has to wait for; then it asks again, until that is nothing, and it has begun.

        A call that touches something else than was said when the line was made (whoever approved it changed its arguments) has no
        place in the order any more: it waits for those that have begun, and all others wait for it.

        Args:
            place: The call's place in the batch.
            touched: What it touches.
        """
        with self._lock:
            if touched != self._touched[place] and place not in self._changed:
                self._changed.append(place)
            pending = tuple(self._ends[each] for each in self._others(place) if not self._ends[each].done())
            if not pending:
                self._begun.add(place)
            return pending

    def _others(self, place: int) -> list[int]:
        if place not in self._changed:
            return [*self._before[place], *self._changed]
        return [*self._begun, *self._changed[: self._changed.index(place)]]

    def leave(self, place: int) -> None:
        """Say that a call is done, or that it will never begin."""
        with self._lock:
            self._begun.discard(place)
            end, left = self._ends[place], self._ends[place].done()
        if not left:
            end.set_result(None)


class Enter:
    """Wait until a call may begin: something that has to be done outside of the pipeline.

    Args:
        line: The line of its batch.
        place: Its place there.
        touched: What it touches.
    """

    __slots__ = ("_line", "_place", "_touched")

    def __init__(self, line: Line, place: int, touched: Accesses | None) -> None:
        self._line = line
        self._place = place
        self._touched = touched

    def now(self) -> None:
        """Wait on this thread."""
        while pending := self._line.enter(self._place, self._touched):
            for end in pending:
                end.result()

    async def later(self) -> None:
        """Wait on the running loop."""
        from asyncio import wrap_future  # there is a loop, so it is imported

        while pending := self._line.enter(self._place, self._touched):
            for end in pending:
                if not end.done():
                    await wrap_future(end)


# --- execution._batching._order ---


def waits_for(batch: Iterable[Accesses | None]) -> list[tuple[int, ...]]:
    """Return, for each call of a batch, the places of the earlier calls that have to end before it begins.

    Two calls conflict where one of them writes a key, and the other reads or writes that key, one above it or one below it; a call
    that is exclusive conflicts with every other. Calls that conflict run in their order. The calls that are waited for all
    conflict with the one that waits; those that are waited for anyway, by one of these, may be left out.

    Args:
        batch: What each call touches; None for one that says nothing of it.
    """
    order = _Order()
    return [order.add(call, touched) for call, touched in enumerate(batch)]


class _Node:
    """A key that was touched, since the last write of it or of one above it.

    Attributes:
        writer: The last call that wrote it, or -1.
        readers: The calls that read it since.
        below: The keys just below it, by name.
    """

    __slots__ = ("below", "readers", "writer")

    def __init__(self) -> None:
        self.writer = -1
        self.readers: list[int] = []
        self.below: dict[str, _Node] = {}


class _Order:
    """The calls so far. Whoever comes later is only shown those that are not waited for by one that it waits for itself."""

    def __init__(self) -> None:
        self._root = _Node()
        self._last_alone: tuple[int, ...] = ()
        self._since: list[int] = []

    def add(self, call: int, touched: Accesses | None) -> tuple[int, ...]:
        """Put a call at the end, and return those that it waits for."""
        if touched is not None and touched.exclusive:
            waited = tuple(self._since) or self._last_alone
            self._root, self._last_alone, self._since = _Node(), (call,), []
            return waited
        self._since.append(call)
        if touched is None:
            return self._last_alone
        waited = tuple(sorted(self._conflicting(touched))) or self._last_alone
        for path in touched.reads:
            self._at(path).readers.append(call)
        for path in touched.writes:
            node = self._at(path)
            # All below was waited for just now, so whoever waits for this call need not look there.
            node.writer, node.readers, node.below = call, [], {}
        return waited

    def _conflicting(self, touched: Accesses) -> set[int]:
        found: set[int] = set()
        for path in touched.reads:
            found.update(self._met(path, writes=False))
        for path in touched.writes:
            found.update(self._met(path, writes=True))
        return found

    def _met(self, path: KeyPath, *, writes: bool) -> Iterator[int]:
        """Yield the calls that one conflicts with which reads or writes a key."""
        way = [self._root]
        for name in path:
            node = way[-1].below.get(name)
            if node is None:
                break
            way.append(node)
        last = max(node.writer for node in way)  # it has waited for all that was on this way before it
        if last >= 0:
            yield last
        if writes:
            for node in way:
                yield from _after(last, node.readers)
        if len(way) > len(path):
            yield from _inside(way[-1], readers=writes)

    def _at(self, path: KeyPath) -> _Node:
        node = self._root
        for name in path:
            below = node.below.get(name)
            if below is None:
                below = node.below[name] = _Node()
            node = below
        return node


def _after(call: int, readers: list[int]) -> Iterator[int]:
    for reader in reversed(readers):
        if reader < call:
            return
        yield reader


def _inside(above: _Node, *, readers: bool) -> Iterator[int]:
    """Yield the writers of all keys below one, and their readers if asked for."""
    left = list(above.below.values())
    while left:
        node = left.pop()
        if node.writer >= 0:
            yield node.writer
        if readers:
            yield from node.readers
        left.extend(node.below.values())
