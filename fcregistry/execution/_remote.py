"""Calls that run in other processes: on worker processes, or on an executor's pool.

A tool with `isolation="process"` runs on a worker process of this one. Each worker is a pebble pool of its own, so that ending a call ends
no other call. A worker is started when a call needs one and all others are busy, takes one call at a time, and ends with this process,
or when no executor is left that calls it.

All other tools run on the executor's pool, if it has one, such as a `ProcessPoolExecutor` or Dask's.

What is sent is in `_wire.py`, and what a worker does with it in `_worker.py`.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import WeakSet

from fcregistry._base.forks import after_fork
from fcregistry._base.install import install_command
from fcregistry.errors import DefinitionError, MissingDependencyError, exception_message
from fcregistry.execution._arguments import exact_text
from fcregistry.execution._call_errors import RemoteError, with_type, worker_error, worker_refusal
from fcregistry.execution._invoke import GivenUp, Outcome, RemoteRunner
from fcregistry.execution._wire import (
    STOPPED,
    FileProblem,
    FileRoot,
    Request,
    WireException,
    WireRefusal,
    WireReturn,
    check_portable,
    pack_files,
    read_answer,
    unpack_files,
    unpack_value,
)
from fcregistry.execution._worker import run_here, start_worker

if TYPE_CHECKING:
    from os import PathLike

    from pebble import ProcessPool

    from fcregistry._tools.tool import Tool


def remote_runners(
    tools: Iterable[Tool],
    pool: object = None,
    user: object = None,
    *,
    any_version: bool = False,
    file_root: str | PathLike[str] | None = None,
) -> dict[str, RemoteRunner]:
    """Return the runners of the tools that do not run in this process, by wire name.

    A tool that is declared with `isolation="process"` runs on a worker process, also if there is a pool: only workers can be killed.

    Args:
        tools: The executor's tools.
        pool: The `concurrent.futures.Executor` that it was given, for all other tools; None if they run here.
        user: The executor: workers that only it uses end when it leaves, or is garbage-collected. With None, idle workers always stay.
        any_version: Whether a worker that has another version of a tool may run it.
        file_root: The folder below which the files of calls on the pool lie.

    Raises:
        TypeError: The pool is not a `concurrent.futures.Executor`.
        NotADirectoryError: `file_root` is not a folder.
        DefinitionError: Some of the tools cannot run in another process; the message names each, and what to do.
        MissingDependencyError: A tool asks for isolation, and pebble is not installed.
    """
    given = tuple(tools)
    isolated = [tool for tool in given if tool.options.isolation == "process"]
    found: dict[str, RemoteRunner] = {}
    if isolated:
        workers.expect(isolated, user)
        submit = partial(workers.submit, any_version=any_version)
        runner = RemoteRunner(submit, keeps_time=True, leave=workers.leave)
        found = dict.fromkeys((tool.name for tool in isolated), runner)
    if pool is not None:
        root = None if file_root is None else FileRoot(file_root)
        pool_runner = PoolRunner(pool, any_version=any_version, root=root)
        others = [tool for tool in given if tool.name not in found]
        check_portable(others, "pool=…")
        with_files = [tool.name for tool in others if tool.options.input_files or tool.options.output_files]
        if with_files and pool_runner.is_elsewhere and root is None:
            raise DefinitionError(
                "pool=… may run calls on other machines; give file_root=…, the folder of the files of these tools:",
                tuple(with_files),
            )
        found |= dict.fromkeys((tool.name for tool in others), RemoteRunner(pool_runner.submit, keeps_time=False))
    return found


# --- Calls on a pool ---


class PoolRunner:
    """Runs calls on a pool. It never shuts the pool down: that is up to the pool's owner.

    Args:
        pool: Anything with the interface of `concurrent.futures.Executor`.
        any_version: Whether a worker that has another version of a tool may run it.
        root: Where the files of calls lie; None if no tool has files.

    Attributes:
        is_elsewhere: Whether its workers may be on other machines, which do not have the files of this machine.

    Raises:
        TypeError: The pool does not have that interface.
    """

    def __init__(self, pool: object, *, any_version: bool = False, root: FileRoot | None = None) -> None:
        from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor  # not needed without a pool

        if not isinstance(pool, Executor):
            hint = "; give client.get_executor()" if hasattr(pool, "get_executor") else ""
            raise TypeError(
                f"pool must be a concurrent.futures.Executor, such as a ProcessPoolExecutor, not {pool!r}{hint}"
            )
        self._pool = pool
        self._any_version = any_version
        self._root = root
        self.is_elsewhere: bool = not isinstance(pool, (ThreadPoolExecutor, ProcessPoolExecutor))

    def submit(self, tool: Tool, arguments: Mapping[str, Any], timeout: float | None = None) -> Future[Outcome]:
        """Run a tool.

        Args:
            tool: A tool that `check_portable` accepts.
            arguments: A valid JSON object.
            timeout: Seconds that the worker gives the tool, without the time that the pool takes; None for any time.

        Returns:
            A future of the outcome, also if the pool or a worker fails. Cancelling it cancels a call that has not begun.
        """
        future: Future[Outcome] = Future()
        if self.is_elsewhere and (tool.options.input_files or tool.options.output_files):
            # This may be the thread of an event loop, which reading files would hold up
            threading.Thread(
                target=self._submit, args=(future, tool, arguments, timeout), name="fcregistry-files", daemon=True
            ).start()
        else:
            self._submit(future, tool, arguments, timeout)
        return future

    def _submit(self, future: Future[Outcome], tool: Tool, arguments: Mapping[str, Any], timeout: float | None) -> None:
        """Send a call to the pool; `future` gets the outcome when the pool answers or the sending fails.

        If a file cannot be sent, the outcome is `invalid_arguments`; if the pool refuses the call, `no_worker`.
        Cancelling `future` cancels the call on the pool.
        """
        root = self._root if self.is_elsewhere else None
        try:
            request = request_for(tool, arguments, timeout, any_version=self._any_version, root=root)
            answer = self._pool.submit(run_here, request.to_text())
        except FileProblem as problem:
            refused = WireRefusal(reason="invalid_arguments", problems=(("$", str(problem)),))
            settle(future, Outcome(None, worker_refusal(tool, refused), 0.0))
            return
        except Exception as error:  # noqa: BLE001  # foreign code: a pool that is broken or shut down may raise anything
            settle(future, _failed(tool, "no_worker", error))
            return
        # Emptied when the call has ended: while a future of Dask's is referenced, its result stays on a worker
        running = [answer]

        def settle_future(done: Future[str]) -> None:
            """Give `future` the outcome in the worker's answer."""
            running.clear()
            settle(future, outcome_of(done, tool, timeout, root))

        def cancel_answer(_: Future[Outcome]) -> None:
            """Cancel the call on the pool if it has not ended."""
            for each in tuple(running):
                each.cancel()

        future.add_done_callback(cancel_answer)
        answer.add_done_callback(settle_future)


def request_for(
    tool: Tool,
    arguments: Mapping[str, Any],
    timeout: float | None = None,
    *,
    any_version: bool = False,
    root: FileRoot | None = None,
) -> Request:
    """Return the request for a call.

    Args:
        tool: The tool.
        arguments: A valid JSON object.
        timeout: Seconds that the worker gives the tool; None for any time.
        any_version: Whether a worker that has another version may run it.
        root: The folder of the files that are sent with the call; None to send none.

    Raises:
        FileProblem: A file cannot be sent.
    """
    from uuid import uuid4  # 3 ms, which calls that stay here need not pay

    text = exact_text(arguments) if tool.signature.exact else json.dumps(arguments)
    return Request(
        tool=tool.id,
        schema=tool.schema_digest,
        arguments=text,
        call=uuid4().hex,
        version=tool.origin.version,
        any_version=any_version,
        seconds=timeout,
        files={} if root is None else pack_files(tool, arguments, root),
        file_parameters=() if root is None else (*tool.options.input_files, *tool.options.output_files),
    )


def settle(future: Future[Outcome], outcome: Outcome) -> None:
    """Give a future its outcome, unless it was cancelled."""
    if future.set_running_or_notify_cancel():
        future.set_result(outcome)


def _failed(tool: Tool, reason: str, cause: BaseException | None = None) -> Outcome:
    """Return an outcome whose exception, a `WorkerError`, says why a call has no result.

    Args:
        tool: The tool that was called.
        reason: A key of `REASONS`.
        cause: The exception that caused it, for developers.
    """
    detail = "" if cause is None else with_type(cause, exception_message(cause))
    return Outcome(None, worker_error(tool, reason, detail, cause), 0.0)


def outcome_of(answer: Future[str], tool: Tool, timeout: float | None = None, root: FileRoot | None = None) -> Outcome:
    """Return the outcome in a worker's answer, or one with the error that says why there is none.

    Args:
        answer: A future of the answer, which is done.
        tool: The tool that was called.
        timeout: The seconds that it was given.
        root: The folder in which its output files are written.
    """
    try:
        return _outcome_in(answer.result(), tool, timeout, root)
    except FileProblem as problem:
        return Outcome(None, worker_error(tool, "not_written", str(problem), problem), 0.0)
    except KeyboardInterrupt as error:  # the user's, wherever it was raised
        return Outcome(None, error, 0.0)
    except CancelledError:
        return _failed(tool, "cancelled")
    except BaseException as error:  # noqa: BLE001  # foreign code: a pool may raise anything, SystemExit of a worker too, and answer anything
        return _failed(tool, "died" if isinstance(error, BrokenExecutor) else "lost", _without_own_frame(error))


def _without_own_frame(error: BaseException) -> BaseException:
    """Return `error` itself, with the first frame of its traceback, which caught it, removed.

    That frame refers to the pool's future, and so to its result.
    """
    if error.__traceback__ is not None:
        error.__traceback__ = error.__traceback__.tb_next
    return error


def _outcome_in(answer: str, tool: Tool, timeout: float | None, root: FileRoot | None) -> Outcome:
    """Return the outcome in the text of a worker's answer, and write its output files below `root`.

    A tool's exception becomes a `RemoteError`, a refusal a `WorkerError`, and a timeout a `GivenUp`. Another version
    of the tool is logged.

    Args:
        answer: The text.
        tool: The tool that was called.
        timeout: The seconds that it was given.
        root: The folder of the output files; None to write none.

    Raises:
        FileProblem: A file cannot be written.
        Exception: The text is not an answer.
    """
    answered = read_answer(answer)
    if isinstance(answered, (WireException, WireReturn)) and answered.version != tool.origin.version:
        _warn_of_version(tool, answered.version)
    if isinstance(answered, WireException):
        return Outcome(None, RemoteError(answered), answered.seconds)
    if isinstance(answered, WireRefusal):
        if answered.reason == "timeout":
            return Outcome(None, GivenUp("timeout", timeout, stopped=answered.detail == STOPPED), timeout or 0.0)
        return Outcome(None, worker_refusal(tool, answered), 0.0)
    if answered.files and root is not None:
        unpack_files(answered.files, root)
    return Outcome(unpack_value(answered.value, answered.form, tool.signature.returns), None, answered.seconds)


_warned: set[tuple[str | None, str | None, str | None]] = set()
"""The distributions and versions, here and on the worker, that the log has a warning about."""


def _warn_of_version(tool: Tool, there: str | None) -> None:
    """Log a warning that workers have the version `there` of a tool's distribution, once for each version."""
    versions = (tool.origin.distribution, tool.origin.version, there)
    if versions not in _warned:
        _warned.add(versions)
        from logging import getLogger  # only where versions differ

        getLogger("fcregistry").warning("tools of %s %s run on workers that have version %s", *versions)


# --- Calls on worker processes ---

MOST_WORKERS: Final = 4
"""The most worker processes at a time. There are no more than processors, but at least two may be started."""


class _Call(NamedTuple):
    """A call that waits for a worker, or runs on one."""

    tool: Tool
    request: str
    timeout: float | None
    future: Future[Outcome]


class ProcessWorkers:
    """Worker processes for tools that are declared with `isolation="process"`.

    A thread waits for each call that runs, so there are as many threads as busy workers.

    Args:
        most: How many there may be; by default as many as there are processors, from 2 to 4.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most or max(2, min(MOST_WORKERS, os.cpu_count() or 1))
        self._begin()

    def _begin(self) -> None:
        """Set the state of a new object, without workers and calls; used again in a forked child."""
        self._lock = threading.Lock()
        self._expected: list[str] = []
        self._idle: list[ProcessPool] = []
        self._busy: dict[_Call, ProcessPool | None] = {}  # None: its worker is being made
        self._waiting: deque[_Call] = deque()
        self._threads = 0
        self._users: WeakSet[object] = WeakSet()
        self._keeps = True
        self._closed = False

    def _forget(self) -> None:
        """Drop all workers and calls in a forked process, without ending them: they are its parent's."""
        self._begin()
        forget_workers()

    def expect(self, tools: Iterable[Tool], user: object = None) -> None:
        """Prepare for calls of tools: workers that start from now on load their plugins before the first call.

        Args:
            tools: The tools.
            user: The executor that is going to call them. Until it leaves, or is garbage-collected, idle workers stay. None means a user
                that never leaves.

        Raises:
            MissingDependencyError: pebble is not installed.
            DefinitionError: Some of the tools cannot run in another process; the message names each, and what to do.
        """
        from importlib.util import find_spec  # of a top-level name it imports nothing

        wanted = tuple(tools)
        after_fork(self, ProcessWorkers._forget)
        check_portable(wanted, 'isolation="process"')
        if wanted and find_spec("pebble") is None:
            raise MissingDependencyError(
                f'the tool {wanted[0].name} is declared with isolation="process", which needs pebble: '
                f"{install_command('fcregistry[isolation]')}"
            )
        with self._lock:
            self._keeps = True
            if wanted:
                self._users.add(self if user is None else user)
            self._expected += [tool.id for tool in wanted if tool.id not in self._expected]

    def submit(
        self, tool: Tool, arguments: Mapping[str, Any], timeout: float | None = None, *, any_version: bool = False
    ) -> Future[Outcome]:
        """Run a tool.

        Args:
            tool: A tool that was given to `expect`.
            arguments: A valid JSON object.
            timeout: Seconds from when a worker takes the call; then the worker is killed. None for any time.
            any_version: Whether a worker that has another version of the tool than this process may run it.

        Returns:
            A future of the outcome, also if the worker dies. Cancelling it kills the worker that runs the call.

        Raises:
            RuntimeError: This process is a worker that is starting: the program's main module makes calls when it is imported.
        """
        refuse_while_starting()
        after_fork(self, ProcessWorkers._forget)
        call = _Call(tool, "", timeout, Future())
        try:
            call = call._replace(request=request_for(tool, arguments, any_version=any_version).to_text())
        except Exception as error:  # noqa: BLE001  # a call that cannot be sent has an outcome like any call
            settle(call.future, _failed(call.tool, "no_worker", error))
            return call.future
        with self._lock:
            closed, needs_thread = self._closed, self._threads < self._most
            if not closed:
                self._waiting.append(call)
                self._threads += needs_thread
        if closed:
            settle(call.future, _failed(call.tool, "closed"))
        elif needs_thread:  # not here: starting a process takes long, and this may be the thread of an event loop
            threading.Thread(target=self._run_calls, name="fcregistry-worker", daemon=True).start()
        return call.future

    def leave(self, user: object) -> None:
        """Record that a user makes no more calls.

        After the last user, workers end as soon as they are idle; this method waits until those that are idle now have ended.
        """
        with self._lock:
            self._users.discard(user)
            self._keeps = bool(self._users)
            idle = [] if self._keeps else self._idle[:]
            if idle:
                self._idle.clear()
        stop_workers(*idle)

    def close(self) -> None:
        """Kill the workers. Calls that run or wait, and all later calls, are cancelled."""
        import atexit

        with self._lock:
            self._closed = True
            workers = [*self._idle, *filter(None, self._busy.values())]
            calls = [*self._busy, *self._waiting]
            for each in (self._idle, self._busy, self._waiting):
                each.clear()
        atexit.unregister(self.close)
        stop_workers(*workers)
        for call in calls:
            settle(call.future, _failed(call.tool, "closed"))

    def _run_calls(self) -> None:
        """Run waiting calls on this thread, one after the other, until none waits, and settle their futures.

        Futures that `close` has settled are left. The worker of a cancelled call is killed, not used again.
        """
        while (call := self._next()) is not None:
            try:
                answer = self._answer_to(call)
                outcome = (
                    _failed(call.tool, "cancelled")
                    if answer is None
                    else pebble_outcome(answer, call.tool, call.timeout)
                )
            except Exception as error:  # noqa: BLE001  # foreign code, such as a process that cannot start for lack of memory
                answer, outcome = None, _failed(call.tool, "no_worker", error)
            # After a call that was cancelled, its worker is about to be killed, and must not be given another
            if self._free(call, keep=answer is not None and not answer.cancelled()):
                settle(call.future, outcome)

    def _next(self) -> _Call | None:
        """Return the next waiting call, recorded as busy with an idle worker or None; None if no call waits.

        Calls that were cancelled while they waited are dropped. With None, the calling thread is counted as ended.
        """
        with self._lock:
            while self._waiting:
                call = self._waiting.popleft()
                if not call.future.cancelled():
                    self._busy[call] = self._idle_worker()
                    return call
                call.future.set_running_or_notify_cancel()
            self._threads -= 1
        return None

    def _answer_to(self, call: _Call) -> Future[str] | None:
        """Run a call on a worker, wait for its end, and return the future of the answer, which is done.

        The worker is the idle one that the call was given, or a new one. The future may be cancelled, or have an
        exception. Return None if the call was cancelled, or the workers closed, before it began.

        Raises:
            Exception: No worker can be started, or it refuses the call.
        """
        worker = self._busy.get(call) or new_worker(self._expected, self.close)
        with self._lock:
            if call not in self._busy:
                return None
            self._busy[call] = worker
        if call.future.cancelled():
            return None
        answer = worker.schedule(run_here, args=[call.request], timeout=call.timeout)
        done = threading.Event()
        answer.add_done_callback(lambda _: done.set())
        call.future.add_done_callback(partial(_cancel_answer, answer))
        done.wait()
        return answer

    def _idle_worker(self) -> ProcessPool | None:
        """Take a living worker from the idle ones and return it, or None if there is none; kill dead ones."""
        while self._idle:
            worker = self._idle.pop()
            if worker.active:
                return worker
            stop_later(worker)  # it died while it was idle
        return None

    def _free(self, call: _Call, *, keep: bool) -> bool:
        """Free the worker of a call that has ended; return False if `close` has freed it already, else True.

        With `keep`, the worker stays idle if a call waits or workers are kept for users; otherwise it is killed on
        another thread.
        """
        with self._lock:
            if call not in self._busy:
                return False
            worker = self._busy.pop(call)
            if worker is None:
                return True
            if keep and (self._keeps or self._waiting):
                self._idle.append(worker)
                return True
        stop_later(worker)
        return True


def _cancel_answer(answer: Future[str], outcome: Future[Outcome]) -> None:
    """Cancel `answer`, the worker's future, if the call's future `outcome` was cancelled."""
    if outcome.cancelled():
        answer.cancel()


workers = ProcessWorkers()
"""The process's workers."""


# --- One worker: a pool of pebble ---


def new_worker(expected: list[str], at_exit: Callable[[], None]) -> ProcessPool:
    """Return a worker that starts with its first call.

    Args:
        expected: The canonical ids of tools whose plugins it loads first. If the worker is replaced, the new one loads those added since, too.
        at_exit: The function to call at the end of this process, which ends the worker.
    """
    import atexit
    from multiprocessing import get_context

    from pebble import ProcessPool  # an extra, and 90 ms

    # Registered after pebble's own handler, so that it runs first: no worker is replaced while the process ends
    atexit.unregister(at_exit)
    atexit.register(at_exit)
    # Not forked: this process has threads, whose locks a copy of it would wait for
    return ProcessPool(max_workers=1, initializer=start_worker, initargs=(expected,), context=get_context("spawn"))


def stop_workers(*workers: ProcessPool) -> None:
    """Kill workers, and wait until they are gone."""
    for worker in workers:
        worker.stop()  # type: ignore[no-untyped-call]  # pebble's
    for worker in workers:
        worker.join()


def stop_later(worker: ProcessPool) -> None:
    """Kill a worker on another thread: the current thread may be its pool's, which cannot wait for it."""
    threading.Thread(target=stop_workers, args=(worker,), name="fcregistry-worker-end", daemon=True).start()


def forget_workers() -> None:
    """Remove the parent's workers from multiprocessing's records in this forked process.

    Otherwise this process would end them when it exits.
    """
    process: Any = sys.modules.get("multiprocessing.process")
    children: set[Any] = getattr(process, "_children", set())
    for worker in [each for each in children if each._parent_pid != os.getpid()]:
        children.discard(worker)


def pebble_outcome(answer: Future[str], tool: Tool, timeout: float | None) -> Outcome:
    """Return the outcome of a call on a worker, also if the worker died or was killed at the time limit.

    Args:
        answer: A future of pebble's that is done.
        tool: The tool that was called.
        timeout: The seconds that it was given.
    """
    from pebble import ProcessExpired

    error = None if answer.cancelled() else answer.exception()
    if isinstance(error, TimeoutError):
        return Outcome(None, GivenUp("timeout", timeout, stopped=True), timeout or 0.0)
    if isinstance(error, ProcessExpired):
        return Outcome(None, worker_error(tool, "died", _how_it_ended(error.exitcode), error), 0.0)
    return outcome_of(answer, tool)


def _how_it_ended(code: int) -> str:
    """Return `exit code 1` for the exit code of a process, or `signal 9 (Killed)` for a negative code."""
    from signal import strsignal

    return f"exit code {code}" if code >= 0 else f"signal {-code} ({strsignal(-code)})"


def refuse_while_starting() -> None:
    """Refuse calls in a worker process that is still importing the program's main module.

    Raises:
        RuntimeError: This process is such a worker; the message says what to do.
    """
    from multiprocessing import current_process

    if getattr(current_process(), "_inheriting", False):
        raise RuntimeError(
            "a worker process imports the program's main module, which calls a tool while it is imported; "
            'put what the program does under: if __name__ == "__main__":'
        )
