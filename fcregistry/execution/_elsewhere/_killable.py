"""What is a worker process that can be killed? A pool of one, of pebble's: how it is made and ended, and what it says of a call."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Any

from fcregistry.execution._calling._invoke import Outcome
from fcregistry.execution._calling._waiting import GivenUp
from fcregistry.execution._elsewhere._remote import outcome_of
from fcregistry.execution._elsewhere._remote_errors import worker_error
from fcregistry.execution._elsewhere._worker_start import start_worker

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from pebble import ProcessPool

    from fcregistry._tools.tool import Tool


def new_worker(expected: list[str], at_exit: Callable[[], None]) -> ProcessPool:
    """Return a worker that starts with its first call.

    Args:
        expected: The canonical ids of tools whose plugins it loads first; what is added later, a replacement of it loads too.
        at_exit: Ends it with this process.
    """
    import atexit
    from multiprocessing import get_context

    from pebble import ProcessPool  # an extra, and 90 ms

    # After pebble has registered its own, so that ours runs before it: no worker is replaced while the process ends
    atexit.unregister(at_exit)
    atexit.register(at_exit)
    # Not forked: this process has threads, and may hold locks that a copy of it would wait for
    return ProcessPool(max_workers=1, initializer=start_worker, initargs=(expected,), context=get_context("spawn"))


def end(*workers: ProcessPool) -> None:
    """Kill workers, and wait until they are gone."""
    for worker in workers:
        worker.stop()  # type: ignore[no-untyped-call]  # pebble's
    for worker in workers:
        worker.join()


def end_later(worker: ProcessPool) -> None:
    """Kill a worker, and wait for nothing: this may be one of its pool's own threads."""
    threading.Thread(target=end, args=(worker,), name="fcregistry-worker-end", daemon=True).start()


def forget_workers() -> None:
    """Have this process, which was forked, leave its parent's workers alone when it exits: multiprocessing takes them for its own."""
    process: Any = sys.modules.get("multiprocessing.process")
    children: set[Any] = getattr(process, "_children", set())
    for worker in [each for each in children if each._parent_pid != os.getpid()]:
        children.discard(worker)


def outcome_from(answer: Future[str], tool: Tool, timeout: float | None) -> Outcome:
    """Return what came of a call: in pebble's own ways of saying that a worker ended, and in those that all pools have in common.

    Args:
        answer: A future of pebble's that is done.
        tool: The tool that was called.
        timeout: The seconds that it had.
    """
    from pebble import ProcessExpired

    error = None if answer.cancelled() else answer.exception()
    if isinstance(error, TimeoutError):
        return Outcome(None, GivenUp("timeout", timeout, stopped=True), timeout or 0.0)
    if isinstance(error, ProcessExpired):
        return Outcome(None, worker_error(tool, "died", _how_it_ended(error.exitcode), error), 0.0)
    return outcome_of(answer, tool)


def _how_it_ended(code: int) -> str:
    from signal import strsignal

    return f"exit code {code}" if code >= 0 else f"signal {-code} ({strsignal(-code)})"


def refuse_while_starting() -> None:
    """See that no call is made by a worker that is importing the program's main module.

    Raises:
        RuntimeError: One is; says what to do.
    """
    from multiprocessing import current_process

    if getattr(current_process(), "_inheriting", False):
        raise RuntimeError(
            "a worker process imports the program's main module, which calls a tool while it is imported; "
            'put what the program does under: if __name__ == "__main__":'
        )
