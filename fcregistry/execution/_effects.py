"""What does the pipeline ask of the outside, and how is that done with a loop and without?

The pipeline is a generator: it yields what it needs done, and is sent what came of it. So there is one pipeline, and two drivers.
"""

from __future__ import annotations

from collections.abc import Awaitable, Generator
from time import sleep
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from fcregistry.execution._invoke import Job, run_later, run_now, within
from fcregistry.execution._outcome import Outcome

if TYPE_CHECKING:
    from fcregistry._base.call import CancellationToken

T = TypeVar("T")


class Effect(Protocol):
    """Something that has to be done outside of the pipeline."""

    def now(self) -> Any:
        """Do it, and wait for it on this thread."""

    async def later(self) -> Any:
        """Do it without holding up the running event loop."""


Course: TypeAlias = Generator[Effect, Any, T]
"""A course of things to be done, that ends with a value."""


class Invoke:
    """Have a call run."""

    __slots__ = ("_job",)

    def __init__(self, job: Job) -> None:
        self._job = job

    def now(self) -> Outcome:
        return run_now(self._job)

    async def later(self) -> Outcome:
        return await run_later(self._job)


class Pause:
    """Wait, before a call is tried again; a call that is cancelled does not wait any longer."""

    __slots__ = ("_cancellation", "_seconds")

    def __init__(self, seconds: float, cancellation: CancellationToken | None) -> None:
        self._seconds = seconds
        self._cancellation = cancellation

    def now(self) -> None:
        if self._cancellation is None:
            sleep(self._seconds)
        else:
            self._cancellation.wait(self._seconds)

    async def later(self) -> None:
        import asyncio  # there is a loop, so it is imported

        await within(_awaited(asyncio.sleep(self._seconds)), None, self._cancellation)


async def _awaited(sleeping: Awaitable[None]) -> Outcome:
    await sleeping
    return Outcome(None, None, 0.0)


def drive(course: Course[T]) -> T:
    """Take a course to its end, and wait for each thing that has to be done."""
    try:
        effect = next(course)
        while True:
            try:
                done = effect.now()
            except BaseException as error:  # noqa: BLE001  # an interrupt, which the course may have something to put in order for
                effect = course.throw(error)
            else:
                effect = course.send(done)
    except StopIteration as end:
        value: T = end.value
        return value


async def adrive(course: Course[T]) -> T:
    """Take a course to its end, and await each thing that has to be done."""
    try:
        effect = next(course)
        while True:
            try:
                done = await effect.later()
            except BaseException as error:  # noqa: BLE001  # the task is cancelled, likewise
                effect = course.throw(error)
            else:
                effect = course.send(done)
    except StopIteration as end:
        value: T = end.value
        return value
