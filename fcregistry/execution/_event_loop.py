"""On which event loop does an async tool run when its caller has none? On one background loop per process.

A loop for each call would break clients that are kept between calls: they belong to the loop that they were made on.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from contextlib import suppress
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.forks import after_fork
from fcregistry.execution._threads import DETACHED, LOOP_THREAD, NoThreadError, blocking_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from concurrent.futures import Future

_TURN: Final = 0.05
"""Seconds within which a loop that is not blocked takes up what it is given."""

_LAST: Final = 0.5
"""Seconds that what runs on the loop has at the end of the process, to put in order what it has open."""


class BackgroundLoop:
    """An event loop on a daemon thread, started at the first call."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._ends = False

    def _running(self) -> asyncio.AbstractEventLoop:
        after_fork(self, BackgroundLoop._begin)  # a child has no thread for it
        with self._lock:
            if self._loop is None or self._thread is None or not self._thread.is_alive():
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_turn, args=(self._loop,), name=LOOP_THREAD, daemon=True)
                try:
                    self._thread.start()
                except RuntimeError as error:
                    self._loop.close()
                    self._loop = self._thread = None
                    raise NoThreadError("the system has no more threads") from error
                atexit.unregister(self.end)
                atexit.register(self.end)
            return self._loop

    def end(self) -> None:
        """Cancel what runs on the loop, and give it a moment to end: the process ends, and takes the loop's thread with it."""
        loop, thread = self._loop, self._thread
        if loop is None or thread is None or not thread.is_alive():
            return
        self._ends = True  # whoever waits on a daemon thread ends with the process too, and is told nothing
        ended = threading.Event()

        def begin() -> None:
            loop.create_task(_ended(loop)).add_done_callback(lambda _: ended.set())

        with suppress(RuntimeError):  # it was replaced, and has ended
            loop.call_soon_threadsafe(begin)
            ended.wait(_LAST)
        self._ends = False  # what else is done at the end may make calls

    def submit(self, make: Callable[[], Coroutine[Any, Any, Any]]) -> Future[Any]:
        """Run a coroutine in a copy of the caller's context, and return its future.

        Args:
            make: Makes the coroutine.

        Raises:
            NoThreadError: There is no thread for it.
        """
        if threading.current_thread() is self._thread or DETACHED.get():
            # An async tool that calls an executor, and whatever that calls: waiting for this loop would be for ever.
            return blocking_threads.submit(lambda: _run_detached(make))
        from concurrent.futures import Future

        future: Future[Any] = Future()
        loop, context = self._running(), copy_context()

        def start() -> None:
            if future.cancelled():  # given up before it began
                return
            task = loop.create_task(_guarded(make), context=context)
            task.add_done_callback(lambda done: _pass_on(done, None if self._ends else future))
            future.add_done_callback(lambda _: loop.call_soon_threadsafe(task.cancel))

        try:
            loop.call_soon_threadsafe(start)
        except RuntimeError:  # it was replaced meanwhile, and has ended
            return self.submit(make)
        return future

    def replace_if_stuck(self) -> None:
        """See whether the loop still turns; if a coroutine blocks it, let the next call have another, and end this one when it can."""
        with self._lock:
            loop = self._loop
        if loop is None:
            return
        turns = threading.Event()
        with suppress(RuntimeError):  # somebody else has replaced it, and it has ended
            loop.call_soon_threadsafe(turns.set)
        if not turns.wait(_TURN):
            with self._lock:
                if self._loop is not loop:
                    return
                self._loop = self._thread = None
            blocking_threads.count(busy=True)
            loop.call_soon_threadsafe(lambda: loop.create_task(_retired(loop)))

    def run(self, make: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Run a coroutine and wait for its result; an interrupt while waiting cancels it."""
        future = self.submit(make)
        try:
            return future.result()
        except BaseException:  # whatever ends the waiting ends the call too
            future.cancel()
            raise


def _turn(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it is stopped."""
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _ended(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel the tasks of a loop, and wait until they are done."""
    if others := asyncio.all_tasks(loop) - {asyncio.current_task()}:
        for task in others:
            task.cancel()
        await asyncio.wait(others)


async def _retired(loop: asyncio.AbstractEventLoop) -> None:
    """End a loop that was replaced, once what runs on it is done."""
    blocking_threads.count(busy=False)
    while others := asyncio.all_tasks(loop) - {asyncio.current_task()}:
        await asyncio.wait(others)
    loop.stop()


def _run_detached(make: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    DETACHED.set(True)  # in the copy of the context that this thread was given
    return asyncio.run(make())


async def _guarded(make: Callable[[], Coroutine[Any, Any, Any]]) -> tuple[Any, BaseException | None]:
    """Carry out of a task, as a value, what would end the loop for everybody if it were raised there."""
    try:
        return await make(), None
    except (KeyboardInterrupt, SystemExit) as interrupt:
        return None, interrupt


def _pass_on(task: asyncio.Task[Any], future: Future[Any] | None) -> None:
    if future is None or future.done():  # nobody waits any more
        if not task.cancelled():
            task.exception()  # seen, so asyncio does not log it
        return
    if task.cancelled():
        future.cancel()
    elif (error := task.exception()) is not None:
        future.set_exception(error)
    else:
        value, interrupt = task.result()
        if interrupt is None:
            future.set_result(value)
        else:
            future.set_exception(interrupt)


background_loop = BackgroundLoop()
"""The process's background loop."""
