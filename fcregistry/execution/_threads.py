"""On which thread does a blocking tool run? On a daemon thread of ours.

The standard pools join their threads when the process exits, so one tool that hangs would hold the exit for as long as it hangs.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import Future
from contextvars import copy_context
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_IDLE = 32


class DaemonThreads:
    """Threads that are started as they are needed, kept while idle, and never joined."""

    def __init__(self) -> None:
        self._idle: list[SimpleQueue[Any]] = []
        self._lock = threading.Lock()

    def submit(self, function: Callable[[], Any]) -> Future[Any]:
        """Run a function on a thread, in a copy of the caller's context, and return its future."""
        future: Future[Any] = Future()
        job = (future, copy_context(), function)
        with self._lock:
            inbox = self._idle.pop() if self._idle else None
        if inbox is None:
            inbox = SimpleQueue()
            threading.Thread(target=self._work, args=(inbox,), name="fcregistry-tool", daemon=True).start()
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


threads = DaemonThreads()
"""The process's threads for blocking tools."""


def _forget() -> None:
    threads.__init__()  # type: ignore[misc]  # after a fork the threads are gone, and the lock may be held by one of them


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
