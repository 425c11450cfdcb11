"""The processes that compile and search a model's patterns: started when they are needed, kept, and killed when the time is over.

Neither `multiprocessing` nor a pool that is built on it, such as pebble, fits here: their processes import the program's main
module, which a script without `if __name__ == "__main__"` does not survive, and they return the lines that were found before the end
of the time to no one.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BufferedReader, BufferedWriter
from pathlib import Path
from threading import BoundedSemaphore, Timer
from time import monotonic
from typing import Any, Final, cast

import regex
from fcregistry.errors import ToolError
from fcregistry.execution import CancellationToken

from fcregistry_files._paths import quote

_MOST_WORKERS: Final = 2
"""Each may take `MOST_MEMORY`. Further searches wait for one of them, within their own time."""
_GRACE: Final = 1.0
"""Seconds after which a process ends by itself that should have been killed."""
_PROGRAM: Final = "import sys; sys.path += sys.argv[1:]; from _pattern_worker import main; main()"
"""It imports the module from its own folder, without the package, which would import the tools."""

if sys.platform == "win32":
    _OPTIONS: Final[dict[str, Any]] = {
        "creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    }
else:
    _OPTIONS: Final[dict[str, Any]] = {"start_new_session": True}
"""An interrupt of the program must not reach the process."""


class SearchStoppedError(Exception):
    """Raised if a search was stopped before its end; the message says why."""


def late(seconds: float) -> SearchStoppedError:
    """Return the error of a search that took longer than `seconds`."""
    return SearchStoppedError(f"after {seconds:g} second{'' if seconds == 1 else 's'}")


class PatternSearch:
    """A pattern in a process that compiles and searches it. It is killed when the time is over.

    Args:
        worker: The process.
        seconds: How long the whole search may take, for messages.
        until: When the time is over, as `time.monotonic` counts.

    Attributes:
        is_timed_out: Whether the time is over.
    """

    def __init__(self, worker: _Worker, seconds: float, until: float) -> None:
        self._worker, self._seconds, self._until = worker, seconds, until
        self.is_timed_out = False

    def compile(self, pattern: str, *, ignore_case: bool) -> None:
        """Compile the pattern.

        Args:
            pattern: The pattern.
            ignore_case: Whether upper and lower case are the same.

        Raises:
            ToolError: It is not a regular expression.
            SearchStoppedError: It takes too much time or memory.
        """
        self._ask({"pattern": pattern, "ignore_case": ignore_case})
        error = self._read()["error"]
        self._worker.must_be_replaced = False
        if error is not None:
            raise ToolError(
                f"the pattern {quote(pattern)} is not a regular expression: {error}. A backslash makes a character plain."
            )

    def lines(self, texts: Sequence[bytes], most: int) -> Iterator[tuple[int, int, str] | int]:
        """Yield the lines of texts that match, as they are found, and the number of each text that is done.

        A line is the number of its text, from 0, its own number, from 1, and what to show of it.

        Args:
            texts: The texts, in UTF-8.
            most: After how many lines to stop.

        Raises:
            SearchStoppedError: The search takes too much time or memory.
        """
        self._ask({"sizes": [len(text) for text in texts], "most": most}, *texts)
        at = 0
        while not isinstance(answer := self._read(), dict):
            if isinstance(answer, int):
                at = answer + 1
                yield answer
            else:
                yield at, answer[0], answer[1]
        self._worker.must_be_replaced = answer["worn"]

    def stop(self) -> None:
        """End the search, because its time is over. This may be another thread."""
        self.is_timed_out = True
        self._worker.kill()

    def _ask(self, request: dict[str, Any], *texts: bytes) -> None:
        """Send `request` and `texts` to the process."""
        self._worker.must_be_replaced = True  # until its answer is read
        seconds = max(self._until - monotonic(), 0) + _GRACE
        with suppress(OSError):  # it has ended, which is found when its answer is read
            self._worker.send(json.dumps({**request, "seconds": seconds}).encode("ascii") + b"\n", *texts)

    def _read(self) -> Any:
        """Return the next line of the process's answer; raise `SearchStoppedError` if the process has ended."""
        line = self._worker.read()
        if not line.endswith(b"\n"):
            raise self._stopped()
        answer = json.loads(line)
        if isinstance(answer, dict) and "memory" in answer:
            raise SearchStoppedError("because the pattern needs too much memory")
        return answer

    def _stopped(self) -> SearchStoppedError:
        """Return the error that says why the process has ended."""
        code = self._worker.end()
        if self.is_timed_out:
            return late(self._seconds)
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return SearchStoppedError(f"because the process that searches has ended, with {how}")


class _Worker:
    """One process, from its start to its end.

    Raises:
        OSError: It cannot be started.

    Attributes:
        must_be_replaced: Whether it must not be used again.
    """

    def __init__(self) -> None:
        self.must_be_replaced = False
        # Not the paths of this program: one of them may be a folder in which a model writes
        folders = [str(Path(regex.__file__).parent.parent), str(Path(__file__).parent)]
        self._process = subprocess.Popen(
            [_python(), "-I", "-S", *(["-B"] if sys.dont_write_bytecode else []), "-c", _PROGRAM, *folders],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folders[0],
            **_OPTIONS,
        )
        self._requests = cast(BufferedWriter, self._process.stdin)
        self._answers = cast(BufferedReader, self._process.stdout)

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def send(self, *parts: bytes) -> None:
        """Send a request, which consists of `parts`.

        Raises:
            OSError: The process has ended.
        """
        for part in parts:
            self._requests.write(part)
        self._requests.flush()

    def read(self) -> bytes:
        """Return the next line of an answer, or less of it if the process has ended."""
        return self._answers.readline()

    def kill(self) -> None:
        """Kill the process. The thread that waits for its answer finds that it has ended."""
        self._process.kill()

    def end(self) -> int:
        """Kill the process, wait until it has ended, and return its exit code."""
        self._process.kill()
        code = self._process.wait()
        for stream in (self._requests, self._answers):
            with suppress(OSError):  # a request that it did not read
                stream.close()
        return code

    def forget(self) -> None:
        """Close the streams of a process that belongs to the parent of this one."""
        self._process.returncode = 0  # so that `subprocess` does not wait for it
        for stream in (self._requests, self._answers):
            stream.raw.close()  # without what is not sent yet: the parent sends it


class _Workers:
    """The processes of this program. Thread-safe; a forked program has its own."""

    def __init__(self) -> None:
        self._is_registered = False
        self._begin()

    def _begin(self) -> None:
        """Begin without processes."""
        self._turns = BoundedSemaphore(_MOST_WORKERS)
        self._idle: list[_Worker] = []
        self._all: list[_Worker] = []

    @contextmanager
    def one(self, seconds: float) -> Iterator[_Worker]:
        """Yield a process that no other thread uses. Afterwards it is kept, unless it must be replaced.

        Args:
            seconds: How long to wait for a process.

        Raises:
            ToolError: No process can be started, or other threads use all of them.
        """
        turns = self._turns
        if not turns.acquire(timeout=max(seconds, 0)):
            limit = f"{seconds:g} second{'' if seconds == 1 else 's'}"
            raise ToolError(f"other searches took all of the {limit}; try again", retryable=True)
        try:
            worker = self._take_idle() or self._start()
            try:
                yield worker
            finally:
                if worker.must_be_replaced:
                    self._end(worker)
                else:
                    self._idle.append(worker)
        finally:
            turns.release()

    def _take_idle(self) -> _Worker | None:
        """Take an idle process that still runs, and return it; None if there is none."""
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive:
                return worker
            self._end(worker)
        return None

    def _start(self) -> _Worker:
        """Return a new process; raise `ToolError` if it cannot be started."""
        if not self._is_registered:
            self._is_registered = True
            atexit.register(self._end_all)
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=self._forget_all)
        try:
            worker = _Worker()
        except OSError as error:
            reason = error.strerror or str(error)
            raise ToolError(
                f"the process that searches cannot be started: {reason}. Files can still be found and read.",
                retryable=True,
            ) from error
        self._all.append(worker)
        return worker

    def _end(self, worker: _Worker) -> None:
        """End the process `worker`, and forget it."""
        worker.end()
        self._all.remove(worker)

    def _end_all(self) -> None:
        """End all processes."""
        for worker in self._all:
            worker.end()

    def _forget_all(self) -> None:
        """Forget the processes of the parent, in a forked program."""
        for worker in self._all:
            worker.forget()
        self._begin()


_workers: Final = _Workers()


@contextmanager
def pattern_search(seconds: float, until: float, cancellation: CancellationToken) -> Iterator[PatternSearch]:
    """Yield a search in a process. The process is killed when the time is over, or the call is cancelled.

    Args:
        seconds: How long the whole search may take.
        until: When that time is over, as `time.monotonic` counts.
        cancellation: The cancellation of the call.

    Raises:
        ToolError: There is no process for the search.
    """
    with _workers.one(seconds) as worker:
        search = PatternSearch(worker, seconds, until)
        timer = Timer(max(until - monotonic(), 0), search.stop)
        timer.daemon = True
        timer.start()
        remove = cancellation.on_cancel(worker.kill)
        try:
            yield search
        finally:
            remove()
            timer.cancel()
            timer.join()  # so that it kills no later search
            # It may have been killed after its last answer
            worker.must_be_replaced |= search.is_timed_out or cancellation.cancelled


def _python() -> str:
    """Return the path of the Python interpreter.

    Raises:
        OSError: It is not known.
    """
    from multiprocessing.spawn import get_executable  # the path that the application has set, or sys.executable

    path = os.fsdecode(get_executable() or "")
    if not path or (getattr(sys, "frozen", False) and path == sys.executable):
        raise OSError("the path of Python is not known; the application can set it by multiprocessing.set_executable")
    return path
