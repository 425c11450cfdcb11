"""Which tools do not run in this process, and what runs their calls?

MERGED: What is a worker process that can be killed? A pool of one, of pebble's: how it is made and ended, and what it says of a call.
MERGED: How does a tool run in a process that can be killed? `isolation="process"`: in one of a few worker processes that are kept.

Each worker is a pool of its own, so that ending a call ends nobody else's. A worker is started when a call needs one and all others are
busy, takes one call at a time, and ends with this process, or when nobody is left who calls them.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import WeakSet

from fcregistry._base.forks import after_fork
from fcregistry.errors import MissingDependencyError
from fcregistry.execution._messages import worker_error
from fcregistry.execution._outcome import GivenUp, Outcome, RemoteRunner
from fcregistry.execution._remote import outcome_of, request_for, said, settle
from fcregistry.execution._wire import check_can_travel
from fcregistry.execution._worker import run_here, start_worker

if TYPE_CHECKING:
    from pebble import ProcessPool

    from fcregistry._tools.tool import Tool

# --- execution._elsewhere._places ---


def remote_runners(
    tools: Iterable[Tool], pool: object = None, user: object = None, *, any_version: bool = False
) -> dict[str, RemoteRunner]:
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
    found: dict[str, RemoteRunner] = {}
    if isolated:
        workers.expect(isolated, user)
        submit = partial(workers.submit, any_version=True) if any_version else workers.submit
        place = RemoteRunner(submit, keeps_time=True, leave=workers.leave)
        found = dict.fromkeys((tool.name for tool in isolated), place)
    if pool is not None:
        from fcregistry.execution._remote import Remote
        from fcregistry.execution._wire import check_can_travel

        remote = Remote(pool, any_version=any_version)
        others = [tool for tool in offered if tool.name not in found]
        check_can_travel(others, "pool=…")
        found |= dict.fromkeys((tool.name for tool in others), RemoteRunner(remote.submit, keeps_time=False))
    return found


# --- execution._elsewhere._killable ---


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


# --- execution._elsewhere._isolation ---

MOST_WORKERS: Final = 4
"""Worker processes at a time, where the machine has as many processors; never fewer than two."""


class _Call(NamedTuple):
    """A call that waits for a worker, or runs on one."""

    tool: Tool
    request: str
    timeout: float | None
    future: Future[Outcome]

    def settle(self, reason: str, cause: BaseException | None = None) -> None:
        """Answer that there is no result."""
        detail = "" if cause is None else said(cause)
        settle(self.future, Outcome(None, worker_error(self.tool, reason, detail, cause), 0.0))


class ProcessWorkers:
    """Worker processes for tools that are declared with `isolation="process"`.

    Args:
        most: How many there may be; by default as many as there are processors, from 2 to 4.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most or max(2, min(MOST_WORKERS, os.cpu_count() or 1))
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._expected: list[str] = []
        self._idle: list[ProcessPool] = []
        self._busy: dict[_Call, ProcessPool | None] = {}  # None: its worker is being made
        self._waiting: deque[_Call] = deque()
        self._users: WeakSet[object] = WeakSet()
        self._keeps = True
        self._closed = False

    def _forget(self) -> None:
        """Begin anew in a forked process: the workers are the parent's."""
        self._begin()
        forget_workers()

    def expect(self, tools: Iterable[Tool], user: object = None) -> None:
        """Make ready for calls of tools: workers that start from now on load their plugins before the first call.

        Args:
            tools: The tools.
            user: Who is going to call them: as long as it is there, and has not said `leave`, idle workers are kept. None: somebody who is
                always there.

        Raises:
            MissingDependencyError: pebble is not installed.
            DefinitionError: Some of the tools cannot run in another process; names each, and what to do.
        """
        from importlib.util import find_spec  # of a top-level name it imports nothing

        wanted = tuple(tools)
        after_fork(self, ProcessWorkers._forget)
        check_can_travel(wanted, 'isolation="process"')
        if wanted and find_spec("pebble") is None:
            raise MissingDependencyError(
                f'the tool {wanted[0].name} is declared with isolation="process", which needs pebble: '
                "pip install 'fcregistry[isolation]'"
            )
        with self._lock:
            self._keeps = True
            if wanted:
                self._users.add(self if user is None else user)
            self._expected += [tool.id for tool in wanted if tool.id not in self._expected]

    def submit(
        self, tool: Tool, arguments: Mapping[str, Any], timeout: float | None = None, *, any_version: bool = False
    ) -> Future[Outcome]:
        """Have a tool run.

        Args:
            tool: One that `expect` let through.
            arguments: A valid JSON object.
            timeout: Seconds from when a worker takes the call; then the worker is killed. None: for ever.
            any_version: Whether it may run where a worker finds another version of it than this process has.

        Returns:
            What comes of it; the death of a worker is an outcome too. Cancelling it kills the worker that runs it.

        Raises:
            RuntimeError: This is itself a worker that is starting: the program's main module makes calls when it is imported.
        """
        refuse_while_starting()
        after_fork(self, ProcessWorkers._forget)
        call = _Call(tool, "", timeout, Future())
        try:
            call = call._replace(request=request_for(tool, arguments, any_version=any_version).to_text())
        except Exception as error:  # noqa: BLE001  # what cannot be sent has an outcome like any call
            call.settle("no_worker", error)
            return call.future
        with self._lock:
            closed = self._closed
            if not closed:
                self._waiting.append(call)
        if closed:
            call.settle("closed")
        self._start()
        return call.future

    def leave(self, user: object) -> None:
        """Say that somebody calls no more tools: once all have, workers end as soon as they are idle. Waits for those that are now."""
        with self._lock:
            self._users.discard(user)
            self._keeps = bool(self._users)
            idle = [] if self._keeps else self._idle[:]
            if idle:
                self._idle.clear()
        end(*idle)

    def close(self) -> None:
        """Kill the workers; calls that run or wait are answered as cancelled, and so is every later one."""
        import atexit

        with self._lock:
            self._closed = True
            workers = [*self._idle, *filter(None, self._busy.values())]
            calls = [*self._busy, *self._waiting]
            for each in (self._idle, self._busy, self._waiting):
                each.clear()
        atexit.unregister(self.close)
        end(*workers)
        for call in calls:
            call.settle("closed")

    # How calls get workers

    def _start(self) -> None:
        """Give waiting calls to workers, as long as there are both."""
        while (taken := self._taken()) is not None:
            call, worker = taken
            if worker is not None:
                self._hand_over(call, worker)
            else:  # a process is not started in a moment, and this may be the thread of an event loop
                threading.Thread(
                    target=self._hand_to_new, args=(call,), name="fcregistry-worker-start", daemon=True
                ).start()

    def _taken(self) -> tuple[_Call, ProcessPool | None] | None:
        """Take a call, and an idle worker if there is one; calls that were cancelled while they waited are never begun."""
        with self._lock:
            while self._waiting and len(self._busy) < self._most:
                call = self._waiting.popleft()
                if call.future.cancelled():
                    call.future.set_running_or_notify_cancel()
                    continue
                self._busy[call] = self._idle_worker()
                return call, self._busy[call]
        return None

    def _idle_worker(self) -> ProcessPool | None:
        while self._idle:
            worker = self._idle.pop()
            if worker.active:
                return worker
            end_later(worker)  # it died while nobody called it
        return None

    def _hand_to_new(self, call: _Call) -> None:
        try:
            worker = new_worker(self._expected, self.close)
        except Exception as error:  # noqa: BLE001  # foreign code: what comes of importing a package
            self._failed(call, error)
        else:
            self._hand_over(call, worker)

    def _hand_over(self, call: _Call, worker: ProcessPool) -> None:
        with self._lock:
            closed = call not in self._busy
            if not closed:
                self._busy[call] = worker
        if closed:
            return
        if call.future.cancelled():  # while its worker was being made
            call.future.set_running_or_notify_cancel()
            if self._freed(call, keep=False):
                self._start()
            return
        try:
            answer = worker.schedule(run_here, args=[call.request], timeout=call.timeout)
        except Exception as error:  # noqa: BLE001  # no process can be started here, for want of memory say
            self._failed(call, error)
        else:
            answer.add_done_callback(partial(self._answered, call))
            call.future.add_done_callback(partial(_pass_on, answer))

    def _failed(self, call: _Call, error: Exception) -> None:
        if self._freed(call, keep=False):
            call.settle("no_worker", error)
            self._start()

    def _answered(self, call: _Call, answer: Future[str]) -> None:
        """Free a worker, and settle its call."""
        # After a call that was cancelled, its worker is about to be killed, and must not be given another
        if self._freed(call, keep=not answer.cancelled()):
            settle(call.future, outcome_from(answer, call.tool, call.timeout))
            self._start()

    def _freed(self, call: _Call, *, keep: bool) -> bool:
        """Take a call off its worker, and keep that for the next one, or end it; False if it was taken off before."""
        with self._lock:
            if call not in self._busy:
                return False
            worker = self._busy.pop(call)
            if keep and worker is not None and (self._keeps or self._waiting):
                self._idle.append(worker)
                return True
        if worker is not None:
            end_later(worker)
        return True


def _pass_on(answer: Future[str], given_up: Future[Outcome]) -> None:
    if given_up.cancelled():
        answer.cancel()


workers = ProcessWorkers()
"""The process's workers."""
