"""The daemon threads and the background event loop on which tools run.

A blocking tool runs on a daemon thread of this module: the standard pools join their threads when the process exits, so one tool that hangs
would delay the exit for as long as it hangs.

If the caller of an async tool has no event loop, the tool runs on a background loop, one per process. With a new loop for each call, a client
that a tool keeps for several calls would not work: such clients can be used only on the loop on which they were made.

asyncio takes 38 ms to import, so it is imported when the background loop starts.
"""

from __future__ import annotations

import atexit
import threading
from concurrent.futures import Future
from contextlib import suppress
from contextvars import ContextVar, copy_context
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.forks import after_fork

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine


class NoThreadError(RuntimeError):
    """No thread is available.

    Too many calls that timed out or were cancelled still occupy their threads, or the system has no more threads.
    """


def running_loop() -> asyncio.AbstractEventLoop:
    """Return the running event loop.

    Raises:
        RuntimeError: No event loop of asyncio is running here. The message says what to do instead, also in trio.
    """
    from asyncio import get_running_loop  # there is a loop, so it is imported

    try:
        return get_running_loop()
    except RuntimeError:
        raise RuntimeError(
            "no event loop of asyncio is running here: use run instead of arun, or await this from asyncio; "
            "from trio, trio.to_thread.run_sync(executor.run, call)"
        ) from None


# --- Threads ---

_MOST_IDLE = 128
"""The most idle threads that are kept."""

MOST_ABANDONED: Final = 64
"""The number of threads occupied by timed-out or cancelled calls at which no new call gets a thread."""

_LOOP_THREAD: Final = "fcregistry-loop"
"""The name of the thread of the background loop."""

_DETACHED: Final[ContextVar[bool]] = ContextVar("fcregistry_detached", default=False)
"""Whether a task on the background loop waits for the running code, which must then not wait for the loop: neither would ever end."""


class DaemonThreads:
    """A pool that starts threads when it needs them, reuses idle ones, and never joins them.

    A thread cannot be stopped. When a caller stops waiting for a function, the pool abandons its thread: other functions use other threads, and
    the pool counts the abandoned threads until their functions return.
    """

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        """Set the state of a new pool, without threads; used again in a forked child, which has none."""
        self._idle: list[SimpleQueue[Any]] = []
        self._lock = threading.Lock()
        self._abandoned = 0

    @property
    def abandoned(self) -> int:
        """The number of abandoned threads whose functions have not returned."""
        return self._abandoned

    def abandon(self, future: Future[Any]) -> None:
        """Stop waiting for a function.

        If the function has begun, its thread counts as abandoned until the function returns. Otherwise it never begins.

        Args:
            future: The future that `submit` returned.
        """
        if future.cancel() or future.done():
            return
        with self._lock:
            self._abandoned += 1
        future.add_done_callback(lambda _: self.count(busy=False))

    def count(self, busy: bool) -> None:
        """Count one abandoned thread more, or one less.

        Args:
            busy: Whether a thread was abandoned (one more), or the function of an abandoned thread has returned (one less). The pool need not
                have started the thread: the one of a blocked background loop counts too.
        """
        after_fork(self, DaemonThreads._reset)  # a child has none of the threads
        with self._lock:
            self._abandoned += 1 if busy else -1

    def submit(self, function: Callable[[], Any], *, waited_for: bool = False) -> Future[Any]:
        """Run a function on a thread, in a copy of the caller's context, and return its future.

        Args:
            function: The function.
            waited_for: Whether the calling thread does nothing but wait for the function.

        Raises:
            NoThreadError: Too many abandoned functions have not returned, or the system has no more threads.
        """
        after_fork(self, DaemonThreads._reset)
        if self._abandoned >= MOST_ABANDONED:
            raise NoThreadError(f"{self._abandoned} calls that timed out or were cancelled still occupy their threads")
        future: Future[Any] = Future()
        context = copy_context()
        if waited_for and threading.current_thread().name == _LOOP_THREAD:
            context.run(_DETACHED.set, True)
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
        """Run the functions that arrive in `inbox`, and settle their futures, until enough threads are idle.

        Each item is a future, a context and a function. A function whose future was cancelled does not run.
        """
        while True:
            future, context, function = inbox.get()
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(context.run(function))
                except BaseException as error:  # noqa: BLE001  # a tool may raise anything: it goes to the future
                    future.set_exception(error)
            del future, context, function
            with self._lock:
                if len(self._idle) >= _MOST_IDLE:
                    return
                self._idle.append(inbox)


blocking_threads: DaemonThreads = DaemonThreads()
"""The threads on which this process runs blocking tools."""


# --- The background loop ---

_RESPONSE_SECONDS: Final = 0.05
"""Seconds after which a loop that has not run a callback counts as blocked."""

_EXIT_SECONDS: Final = 0.5
"""Seconds for tasks on the loop to clean up when the process exits."""


class BackgroundLoop:
    """An event loop on a daemon thread, started at the first call."""

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        """Set the state of a new object, without a loop; used again in a forked child, which has none."""
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._is_ending = False

    def _started_loop(self) -> asyncio.AbstractEventLoop:
        """Return the loop on the daemon thread; start a new one, which ends at exit, if none runs.

        Raises:
            NoThreadError: No thread is available.
        """
        after_fork(self, BackgroundLoop._reset)  # a child has no thread for it
        with self._lock:
            if self._loop is None or self._thread is None or not self._thread.is_alive():
                from asyncio import new_event_loop

                self._loop = new_event_loop()
                self._thread = threading.Thread(target=_run_loop, args=(self._loop,), name=_LOOP_THREAD, daemon=True)
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
        """Cancel the tasks on the loop, and wait up to half a second for them to clean up.

        Python calls this when the process exits (`atexit`). It does not stop the loop: its daemon thread ends with the process.
        """
        loop, thread = self._loop, self._thread
        if loop is None or thread is None or not thread.is_alive():
            return
        self._is_ending = True  # code that waits on a daemon thread ends with the process, too, and needs no answer
        ended = threading.Event()

        def begin() -> None:
            """Begin to cancel all tasks of the loop, on its thread; set `ended` when they are done."""
            loop.create_task(_end_tasks(loop)).add_done_callback(lambda _: ended.set())

        with suppress(RuntimeError):  # the loop was replaced, and has ended
            loop.call_soon_threadsafe(begin)
            ended.wait(_EXIT_SECONDS)
        self._is_ending = False  # other exit handlers may make calls

    def submit(self, make: Callable[[], Coroutine[Any, Any, Any]]) -> Future[Any]:
        """Run a coroutine in a copy of the caller's context, and return its future.

        Args:
            make: Makes the coroutine.

        Raises:
            NoThreadError: No thread is available for the loop.
        """
        if threading.current_thread() is self._thread or _DETACHED.get():
            # An async tool calls an executor, on this loop or on a thread that the loop waits for: waiting for the loop would never end
            return blocking_threads.submit(lambda: _run_detached(make))
        future: Future[Any] = Future()
        loop, context = self._started_loop(), copy_context()

        def start() -> None:
            """Begin the coroutine as a task, on the thread of the loop, unless `future` was cancelled.

            The task's outcome goes to `future`; cancelling `future` cancels the task.
            """
            if future.cancelled():  # before it began
                return
            task = loop.create_task(_catch_interrupt(make), context=context)
            task.add_done_callback(lambda done: _copy_outcome(done, None if self._is_ending else future))
            future.add_done_callback(lambda _: loop.call_soon_threadsafe(task.cancel))

        try:
            loop.call_soon_threadsafe(start)
        except RuntimeError:  # the loop was replaced meanwhile, and has ended
            return self.submit(make)
        return future

    def give_up(self, future: Future[Any]) -> None:
        """Cancel a coroutine, and replace the loop if the coroutine blocks it.

        The old loop stops when its tasks are done.

        Args:
            future: The future that `submit` returned.
        """
        future.cancel()
        with self._lock:
            loop = self._loop
        if loop is None:
            return
        responded = threading.Event()
        with suppress(RuntimeError):  # another thread has replaced the loop, and it has ended
            loop.call_soon_threadsafe(responded.set)
        if not responded.wait(_RESPONSE_SECONDS):
            with self._lock:
                if self._loop is not loop:
                    return
                self._loop = self._thread = None
            blocking_threads.count(busy=True)
            loop.call_soon_threadsafe(lambda: loop.create_task(_stop_when_idle(loop)))

    def run(self, make: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Run a coroutine and wait for its result. An interrupt, such as Ctrl+C, cancels the coroutine.

        Args:
            make: Makes the coroutine.
        """
        future = self.submit(make)
        try:
            return future.result()
        except BaseException:  # whatever ends the waiting ends the call too
            future.cancel()
            raise


background_loop: BackgroundLoop = BackgroundLoop()
"""The background loop of this process."""


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop on this thread until it is stopped, and close it."""
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _end_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel all other tasks of `loop`, on which this runs, and wait until they are done."""
    import asyncio

    if others := asyncio.all_tasks(loop) - {asyncio.current_task()}:
        for task in others:
            task.cancel()
        await asyncio.wait(others)


async def _stop_when_idle(loop: asyncio.AbstractEventLoop) -> None:
    """Count this loop's thread as free again, wait until all other tasks of `loop` are done, and stop it."""
    import asyncio

    blocking_threads.count(busy=False)
    while others := asyncio.all_tasks(loop) - {asyncio.current_task()}:
        await asyncio.wait(others)
    loop.stop()


def _run_detached(make: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Run the coroutine that `make` returns on a new loop on this thread; return its value or raise."""
    from asyncio import run

    _DETACHED.set(True)  # in the copy of the context that this thread was given
    return run(make())


async def _catch_interrupt(make: Callable[[], Coroutine[Any, Any, Any]]) -> tuple[Any, BaseException | None]:
    """Return the value of the coroutine that `make` returns and None, or None and its interrupt.

    An interrupt is a KeyboardInterrupt or SystemExit: raised by a task, it would end the loop for every call. Other
    exceptions are raised.
    """
    try:
        return await make(), None
    except (KeyboardInterrupt, SystemExit) as interrupt:
        return None, interrupt


def _copy_outcome(task: asyncio.Task[Any], future: Future[Any] | None) -> None:
    """Give `future` the outcome of a finished task of `_catch_interrupt`.

    That is its value, exception, interrupt or cancellation. If `future` is None or done, the task's exception is
    retrieved, so that it is not logged.
    """
    if future is None or future.done():  # nothing waits any more
        if not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not log it
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
