"""The processes that convert pages: started when they are needed, kept, and killed when the time of a call is over.

Neither `multiprocessing` nor a pool that is built on it, such as pebble or loky, fits here: their processes import the program's main
module, which a script without `if __name__ == "__main__"` does not survive. anyio's (`to_process`) do so, too, and look for their own code
in the working folder first, where a model may write.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import re
import subprocess
import sys
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from io import BufferedReader, BufferedWriter
from pathlib import Path
from threading import Condition, Thread
from time import monotonic
from typing import Any, Final, cast

from fcregistry.errors import ToolError

from fcregistry_web._access import quote

_MOST_PROCESSES: Final = 2
"""Each may take `_MEMORY`. Further pages wait for one of them, within their own time."""
_MEMORY: Final = 384 * 2**20
"""Bytes that a process may have, where the system can limit that."""
_MEMORY_PER_BYTE: Final = 80
"""Bytes for each byte that a page may have, if that is more than `_MEMORY`. A page of short words in many elements takes 60."""
_TURN: Final = 1.0
"""Seconds after which a page gives way to a page that waits, and begins again later."""
_SECONDS_PER_BYTE: Final = 5e-6
"""A smaller page may go before a larger one that came earlier: by five seconds for each megabyte."""
_PRECEDENCE_SECONDS: Final = 10.0
"""Seconds in which a new page may go before one that gave way."""
_GRACE: Final = 1.0
"""Seconds after which a process ends by itself that should have been killed."""
_LONGEST_CHARACTER: Final = 12
"""Bytes of JSON in ASCII."""
_LONGEST_REST: Final = 20_000
"""Bytes of an answer without its text."""
_PROGRAM: Final = "import sys; sys.path += sys.argv[1:]; from fcregistry_web._page_worker import main; main()"
_WINDOWS: Final = ("CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A body of HTML or of text, and which part of its text is wanted.

    Attributes:
        data: The body.
        url: Its URL, for messages and for its relative links.
        charset: The charset that the header names.
        form: The form of the text of HTML, as for `fetch_url`; None for a body of text.
        start: The character at which the part begins.
        most: The most characters of the part.
        most_bytes: The most bytes that a page may have.
    """

    data: bytes
    url: str
    charset: str | None
    form: str | None
    start: int
    most: int
    most_bytes: int


@dataclass(frozen=True, slots=True)
class PageText:
    """A part of the text of a page.

    Attributes:
        title: The title of the page.
        text: The part.
        end: The character at which it ends.
        total: How many characters the whole text has.
    """

    title: str
    text: str
    end: int
    total: int


async def convert(page: Page, until: float) -> PageText:
    """Return a part of the text of a page, which another process converts.

    Args:
        page: The page.
        until: When its time is over, as the running event loop counts. Then the process is killed.

    Raises:
        ToolError: It takes too much time or memory, or cannot be converted; the message says why.
    """
    job = _Job(page, monotonic() + max(until - asyncio.get_running_loop().time(), 0))
    answer = asyncio.wrap_future(job.answer)
    try:
        _pool.submit(job)
        async with asyncio.timeout_at(until):
            while not (await asyncio.wait([answer], timeout=_TURN / 4))[0]:
                _pool.make_room_for(job)
        return answer.result()
    except TimeoutError:
        if job.turns:
            why = "could not be converted in time: it is too complex, or made to be; try another page"
            raise ToolError(f"{quote(page.url)} was read, but {why}") from None
        raise ToolError(
            f"{quote(page.url)} was read, but other pages took all of its time; try again", retryable=True
        ) from None
    finally:
        _pool.stop(job)


@dataclass(eq=False, slots=True)
class _Job:
    """A page to convert, until it is converted or given up.

    Attributes:
        page: The page.
        until: When its time is over, as `monotonic` counts.
        order: Of the pages that wait, the one with the lowest number is next.
        answer: A part of its text, or why there is none.
        turns: How often a process has begun to convert it.
        since: When the last one began.
    """

    page: Page
    until: float
    order: float = field(init=False)
    answer: Future[PageText] = field(default_factory=Future)
    turns: int = 0
    since: float = 0.0

    def __post_init__(self) -> None:
        self.order = monotonic() + len(self.page.data) * _SECONDS_PER_BYTE

    def settle(self, outcome: PageText | ToolError) -> None:
        """Set `outcome` as the answer, if the caller still waits."""
        if not self.answer.set_running_or_notify_cancel():
            return
        if isinstance(outcome, ToolError):
            self.answer.set_exception(outcome)
        else:
            self.answer.set_result(outcome)


class _Pool:
    """The processes of this program, each with a thread that waits for its answers.

    Thread-safe. A forked program has processes of its own.
    """

    def __init__(self) -> None:
        self._is_registered = False
        self._begin()

    def _begin(self) -> None:
        """Begin without processes, threads and pages."""
        self._changed = Condition()
        self._waiting: list[_Job] = []
        self._running: dict[_Job, _Process | None] = {}  # None while the process starts
        self._processes: list[_Process] = []
        self._threads = 0
        self._idle = 0
        self._is_over = False

    def submit(self, job: _Job) -> None:
        """Add a page to those that wait to be converted, and start a thread for it if need be.

        Raises:
            ToolError: The system has no more threads.
        """
        if not self._is_registered:
            self._is_registered = True
            atexit.register(self._end)
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=self._forget)
        with self._changed:
            self._waiting.append(job)
            self._changed.notify()
            if len(self._waiting) <= self._idle or self._threads == _MOST_PROCESSES:
                return
            self._threads += 1
        try:
            Thread(target=self._work, name="fcregistry-web-page", daemon=True).start()
        except RuntimeError as error:
            with self._changed:
                self._threads -= 1
            raise _cannot_start(str(error)) from error

    def make_room_for(self, job: _Job) -> None:
        """If the page `job` waits for its first turn, take a process from a page whose turn is over."""
        with self._changed:
            if job not in self._waiting or job.turns:
                return
            enough = monotonic() - _TURN
            if late := [each for each, process in self._running.items() if process and each.since <= enough]:
                longest = min(late, key=lambda each: each.since)
                self._take(longest)
                longest.order = monotonic() + _PRECEDENCE_SECONDS
                self._waiting.append(longest)

    def stop(self, job: _Job) -> None:
        """Give up the page `job`, unless it is converted."""
        with self._changed:
            if job in self._waiting:
                self._waiting.remove(job)
            self._take(job)
        job.answer.cancel()

    def _take(self, job: _Job) -> None:
        """Take the page `job` from its process, which is killed; do nothing if no process has the page."""
        if process := self._running.pop(job, None):
            process.kill()

    def _work(self) -> None:
        """Convert pages, one after the other, in a process that is started again when it has ended."""
        process: _Process | None = None
        while (job := self._next()) is not None:
            try:
                if process is None or not process.is_alive:
                    process = self._replace(process)
            except OSError as error:
                process = None
                self._settle(job, None, _cannot_start(error.strerror or str(error)))
                continue
            with self._changed:
                if job not in self._running:  # its caller waits no longer
                    continue
                job.since = float("inf")
                self._running[job] = process
            self._settle(job, process, self._outcome(job, process))

    def _next(self) -> _Job | None:
        """Wait for a page, and return it; None at the end of the program."""
        with self._changed:
            self._idle += 1
            while not self._waiting and not self._is_over:
                self._changed.wait()
            self._idle -= 1
            if self._is_over:
                return None
            job = min(self._waiting, key=lambda each: each.order)
            self._waiting.remove(job)
            self._running[job] = None
            return job

    def _replace(self, process: _Process | None) -> _Process:
        """Return a new process in place of `process`, which has ended, or is None."""
        if process is not None:
            process.end()
            self._processes.remove(process)
        new = _Process()
        self._processes.append(new)
        return new

    def _outcome(self, job: _Job, process: _Process) -> PageText | ToolError:
        """Return the text to which `process` converts the page, or the reason why it cannot, as an error."""
        page = job.page
        request = {name: getattr(page, name) for name in ("url", "charset", "form", "start", "most")}
        request["memory"] = max(_MEMORY, page.most_bytes * _MEMORY_PER_BYTE)
        request["seconds"] = max(job.until - monotonic(), 0) + _GRACE
        try:
            process.send(request, page.data)
            answer = process.read(page.most)
            job.since = monotonic()
            job.turns += 1
            answer = answer or process.read(page.most)  # an empty one comes when the page begins
            error = answer.pop("error", None)
            if error or answer.pop("is_worn"):
                process.end()
            if not error:
                return PageText(**answer)
        except (OSError, EOFError, LookupError, TypeError):  # it has ended, or was made to answer something else
            code = process.end()
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            return ToolError(
                f"{quote(page.url)} ended the process that converts it, with {how}: it is damaged, or made to do that"
            )
        if error == "memory":
            return ToolError(
                f"{quote(page.url)} was read, but needs too much memory to be converted: it is too complex, or made to be"
            )
        return ToolError(f"{quote(page.url)} was read, but cannot be converted: {error}")

    def _settle(self, job: _Job, process: _Process | None, outcome: PageText | ToolError) -> None:
        """Set `outcome` as the answer of the page `job`, if the page was not taken from `process`."""
        with self._changed:
            if job not in self._running or self._running[job] is not process:
                return
            del self._running[job]
        job.settle(outcome)

    def _end(self) -> None:
        """End all threads and processes, at the end of the program."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
        for process in list(self._processes):
            process.kill()

    def _forget(self) -> None:
        """Forget the processes of the parent, in a forked program."""
        for process in self._processes:
            process.forget()
        self._begin()


class _Process:
    """One process, from its start to its end.

    Raises:
        OSError: It cannot be started.
    """

    def __init__(self) -> None:
        python = _python()
        self._process = subprocess.Popen(
            [python, "-I", *(["-B"] if sys.dont_write_bytecode else []), "-c", _PROGRAM, *_folders()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=Path(python).parent,
            start_new_session=True,  # so that an interrupt of the program does not reach it
            creationflags=sum(getattr(subprocess, name, 0) for name in _WINDOWS),  # the same, on Windows
        )
        self._is_killed = False
        self._requests = cast(BufferedWriter, self._process.stdin)
        self._answers = cast(BufferedReader, self._process.stdout)

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended, and is not about to."""
        return not self._is_killed and self._process.poll() is None

    def send(self, request: dict[str, Any], data: bytes) -> None:
        """Send `request`, and the body `data`.

        Raises:
            OSError: The process has ended.
        """
        self._requests.write(json.dumps({**request, "size": len(data)}).encode("ascii") + b"\n")
        self._requests.write(data)
        self._requests.flush()

    def read(self, most: int) -> dict[str, Any]:
        """Return the next answer.

        Args:
            most: The most characters of a text in it.

        Raises:
            EOFError: It has ended, or does not write an answer.
        """
        line = self._answers.readline(_LONGEST_CHARACTER * most + _LONGEST_REST)
        try:
            answer = json.loads(line) if line.endswith(b"\n") else None
        except ValueError:
            answer = None
        if isinstance(answer, dict):
            return answer
        raise EOFError

    def kill(self) -> None:
        """Kill the process. The thread that waits for its answer finds that it has ended."""
        self._is_killed = True
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


_pool: Final = _Pool()


def _cannot_start(reason: str) -> ToolError:
    """Return the error for a process that cannot be started."""
    return ToolError(f"the process that converts pages cannot be started: {reason}; try again later", retryable=True)


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


@cache
def _folders() -> list[str]:
    """Return the folders of this package and of all packages that it needs.

    Not all paths of this program: one of them may be a folder in which a model writes.
    """
    names, folders = ["fcregistry-web"], {str(Path(__file__).parent.parent): None}
    for name in names:
        with suppress(PackageNotFoundError):  # only needed elsewhere, or left out by an extra
            found = distribution(name)
            folders[str(found.locate_file(""))] = None
            words = (re.match(r"[\w.-]+", line) for line in found.requires or ())
            names += sorted({word[0] for word in words if word} - set(names))
    return list(folders)
