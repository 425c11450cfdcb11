"""When does a call of a batch begin? When those that it waits for are done. For calls on threads and on event loops alike."""

from __future__ import annotations

from _thread import allocate_lock
from typing import TYPE_CHECKING

from fcregistry.execution._batching._order import waits_for
from fcregistry.execution._batching._resources import accesses
from fcregistry.execution._steps import Step

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future

    from fcregistry.execution._batching._resources import Accesses


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
            steps: For each call its `Step`, or anything else for one that will not run.
        """
        touched = [accesses(step) if isinstance(step, Step) else None for step in steps]
        return None if all(each is None for each in touched) else cls(touched, steps)

    def touched(self, place: int, step: Step) -> Accesses | None:
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
