"""On which thread does a blocking tool run? On a daemon thread of ours.

The standard pools join their threads when the process exits, so one tool that hangs would hold the exit for as long as it hangs.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from contextvars import ContextVar, copy_context
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.forks import after_fork

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import Callable

_MOST_IDLE = 128

MOST_ABANDONED: Final = 64
"""Threads of calls that were given up and have not returned: beyond so many, no call gets a thread."""


LOOP_THREAD: Final = "fcregistry-loop"
"""The name of the thread of the background loop."""

DETACHED: Final[ContextVar[bool]] = ContextVar("fcregistry_detached", default=False)
"""Whether the background loop itself is waiting for what runs here, so that nothing from here may wait for it in turn."""


class NoThreadError(RuntimeError):
    """No thread is to be had: too many calls that were given up have not returned, or the system has no more."""


class DaemonThreads:
    """Threads that are started as they are needed, kept while idle, and never joined.

    A thread cannot be stopped. One whose function nobody waits for any more is abandoned: another takes its place, and those that are
    still busy are counted.
    """

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._idle: list[SimpleQueue[Any]] = []
        self._lock = threading.Lock()
        self._abandoned = 0

    @property
    def abandoned(self) -> int:
        """How many threads are busy with what nobody waits for."""
        return self._abandoned

    def abandon(self, future: Future[Any]) -> None:
        """Stop waiting for a function: it is not begun, if it has not been yet; otherwise its thread counts until it returns."""
        if future.cancel() or future.done():
            return
        with self._lock:
            self._abandoned += 1
        future.add_done_callback(self._returned)

    def count(self, busy: bool) -> None:
        """Count a thread of somebody else that is busy with what nobody waits for, or is no longer."""
        after_fork(self, DaemonThreads._begin)  # a child has none of the threads
        with self._lock:
            self._abandoned += 1 if busy else -1

    def _returned(self, _: Future[Any]) -> None:
        self.count(busy=False)

    def submit(self, function: Callable[[], Any], *, waited_for: bool = False) -> Future[Any]:
        """Run a function on a thread, in a copy of the caller's context, and return its future.

        Args:
            function: The function.
            waited_for: Whether the calling thread does nothing but wait for it.

        Raises:
            NoThreadError: So many functions that nobody waits for have not returned that one more thread would be one too many, or the
                system has no more.
        """
        after_fork(self, DaemonThreads._begin)
        if self._abandoned >= MOST_ABANDONED:
            raise NoThreadError(f"{self._abandoned} calls that were given up still hold their threads")
        future: Future[Any] = Future()
        context = copy_context()
        if waited_for and threading.current_thread().name == LOOP_THREAD:
            context.run(DETACHED.set, True)
        job = (future, context, function)
        with self._lock:
            inbox = self._idle.pop() if self._idle else None
        if inbox is None:
            inbox = SimpleQueue()
            try:
                threading.Thread(target=self._work, args=(inbox,), name="fcregistry-tool", daemon=True).start()
            except RuntimeError as error:
                raise NoThreadError("the system has no more threads") from error
        inbox.put(job)
        return future

    def _work(self, inbox: SimpleQueue[Any]) -> None:
        while True:
            future, context, function = inbox.get()
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(context.run(function))
                except BaseException as error:  # a tool may raise anything; whoever waits for the future is told  # noqa: BLE001
                    future.set_exception(error)
            del future, context, function
            with self._lock:
                if len(self._idle) >= _MOST_IDLE:
                    return
                self._idle.append(inbox)


blocking_threads = DaemonThreads()
"""The process's threads for blocking tools."""


def running_loop() -> AbstractEventLoop:
    """Return the running event loop.

    Raises:
        RuntimeError: None of asyncio's runs here; says what to do from trio.
    """
    from asyncio import get_running_loop  # there is a loop, so it is imported

    try:
        return get_running_loop()
    except RuntimeError:
        raise RuntimeError(
            "no event loop of asyncio is running here: use run instead of arun, or await this from asyncio; "
            "from trio, trio.to_thread.run_sync(executor.run, call)"
        ) from None
