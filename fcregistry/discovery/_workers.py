"""Worker processes that describe plugins, seen from the process that asks them.

A plugin that hangs or crashes costs one of them.

A worker gets the request for the next plugin while it is still busy with the one before, so that it never waits. Its answers come in the
order of the requests. `_worker.py` is what runs in it.
"""

from __future__ import annotations

import json
import os
import sys
from collections import deque
from contextlib import suppress
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from fcregistry._config.policy import locks_are_lifted
from fcregistry._tools.record import PluginRecord
from fcregistry.discovery._describe import FreshDescription, IndexRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from queue import SimpleQueue

    from fcregistry.discovery._found import FoundEntryPoint, FoundPlugin

IMPORT_SECONDS_VARIABLE: Final = "FCREGISTRY_IMPORT_SECONDS"
"""The environment variable with the seconds that a plugin may take."""

IMPORT_SECONDS: Final = 20.0
"""Seconds that a plugin may take to be imported and described, by default."""

_MOST_WORKERS: Final = 4
_WORTH_A_WORKER: Final = 8
"""Plugins whose descriptions take about as long as starting a worker."""

_MOST_REQUESTS: Final = 2
"""Requests that a process has at a time: one that it is busy with, and one so that it need not wait."""


def describe_in_workers(
    plugins: Sequence[FoundPlugin],
    installed: Sequence[FoundEntryPoint],
    *,
    seconds: float,
    told: Callable[[FreshDescription], None] = lambda made: None,
) -> list[FreshDescription]:
    """Describe plugins in worker processes.

    Args:
        plugins: The plugins to describe.
        installed: All installed entry points, so that a worker knows the owner of each module.
        seconds: How long each plugin may take.
        told: Called with each description when it is made.

    Returns:
        The descriptions: what each plugin ships, or why it cannot be described.
    """
    from queue import SimpleQueue

    waiting: SimpleQueue[FoundPlugin] = SimpleQueue()
    for plugin in plugins:
        waiting.put(plugin)
    done: list[FreshDescription] = []
    errors: list[BaseException] = []
    lifted = locks_are_lifted()  # a context variable, which the threads do not see
    count = max(1, min(os.cpu_count() or 1, _MOST_WORKERS, len(plugins) // _WORTH_A_WORKER))
    workers = [_Worker(waiting, installed, seconds, without_locks=lifted) for _ in range(count)]

    def work(worker: _Worker) -> None:
        try:
            for made in worker.describe():
                done.append(made)
                told(made)
        except BaseException as error:  # noqa: BLE001  # raised again by the thread that asked
            errors.append(error)
        finally:
            worker.end()

    threads = [Thread(target=work, args=(worker,), daemon=True) for worker in workers]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        for worker in workers:  # after an interrupt
            worker.end()
    if errors:
        raise errors[0]
    return sorted(done, key=lambda made: (made.plugin.project, made.plugin.entry_point))


class _Worker:
    """Describes plugins in one process, and in a new one after a plugin has ended or changed that.

    Args:
        waiting: The plugins; other workers take from it too.
        installed: All installed entry points.
        seconds: How long each plugin may take.
        without_locks: Whether locks are ignored.
    """

    def __init__(
        self,
        waiting: SimpleQueue[FoundPlugin],
        installed: Sequence[FoundEntryPoint],
        seconds: float,
        *,
        without_locks: bool,
    ) -> None:
        self._waiting = waiting
        self._installed = installed
        self._seconds = seconds
        self._without_locks = without_locks
        self._asked: deque[FoundPlugin] = deque()
        self._process: WorkerProcess | None = None
        self._is_over = False

    def describe(self) -> Iterator[FreshDescription]:
        """Yield the descriptions of plugins as they are done, until none is waiting."""
        while self._ask():
            made = self._answer(self._asked[0])
            if self._is_over:  # an interrupt ended the process, and not the plugin
                return
            if made is not None:
                self._asked.popleft()
                yield made

    def _ask(self) -> bool:
        """Fill the requests of the process, starting one if needed; return whether there are any."""
        from queue import Empty

        if self._is_over:
            return False
        if self._process is not None and self._process.has_ended:
            self._process.end()
            self._process = None
        new = list(self._asked) if self._process is None else []
        while len(self._asked) < _MOST_REQUESTS:
            try:
                new.append(self._waiting.get_nowait())
            except Empty:
                break
            self._asked.append(new[-1])
        if self._process is None and new:
            self._process = WorkerProcess(self._installed, self._seconds, without_locks=self._without_locks)
        for plugin in new:
            assert self._process is not None
            self._process.ask(plugin)
        return bool(self._asked)

    def _answer(self, plugin: FoundPlugin) -> FreshDescription | None:
        """Return the description of a plugin.

        The result is None if the plugin must be tried again, in a process that has imported no other.
        """
        process = self._process
        assert process is not None
        others_before = process.described > 0
        answer = process.answer()
        failed = answer is None or answer["record"]["failure"] is not None
        if failed and others_before and not process.is_late:
            return None
        if answer is None:
            return _failed_description(plugin, process, self._seconds)
        files = {path: (time, size) for path, (time, size) in answer["files"].items()}
        return FreshDescription(
            plugin, answer["record"], [IndexRow(*each) for each in answer["rows"]], files, "worker", answer["missed"]
        )

    def end(self) -> None:
        """End the process, if there is one."""
        self._is_over = True
        if self._process is not None:
            self._process.end()


def _failed_description(plugin: FoundPlugin, process: WorkerProcess, seconds: float) -> FreshDescription:
    """Return the description of a plugin that ended its process, or had to be ended."""
    advice = f"report this to the authors of {plugin.distribution}, or set FCREGISTRY_DISABLE={plugin.label}"
    if process.is_late:
        what = f"importing it takes longer than {seconds:g} second{'' if seconds == 1 else 's'}"
        advice += f"; {IMPORT_SECONDS_VARIABLE} gives it more time"
    else:
        what = f"it ends the process that imports it, with {_exit_text(process.code)}"
    record = PluginRecord(
        entry_point=plugin.entry_point,
        value=plugin.value,
        tools=[],
        dynamic=False,
        seconds=seconds if process.is_late else 0.0,
        printed=False,
        changes=[],
        failure=what,
        detail=process.last_words(),
        advice=advice,
    )
    return FreshDescription.of(plugin, record, _files_of(plugin), "waiting" if process.is_late else "watching")


def _exit_text(code: int) -> str:
    if code >= 0:
        return f"code {code}"
    import signal

    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def _files_of(plugin: FoundPlugin) -> dict[str, tuple[int, int]]:
    """Return the files of a plugin's module and the packages above it.

    They replace the files that it reads, which are unknown.
    """
    from fcregistry.discovery._finder import stamp_of

    parts = plugin.module.split(".")
    found: dict[str, tuple[int, int]] = {}
    for folder in (plugin.folder, *sys.path):
        for end in range(1, len(parts) + 1):
            stem = "/".join([folder, *parts[:end]])
            for path in (f"{stem}/__init__.py", f"{stem}.py"):
                if (stamp := stamp_of(path)) is not None:
                    found[path] = stamp
        if found:
            break
    return found


# --- One process ---

_MOST_OUTPUT: Final = 4_000
"""The most bytes of a process's last output to report."""

_DUMP_SECONDS: Final = 0.5
"""Seconds in which a process may write where it hangs."""

_NO_DEADLINE: Final = float("inf")

_START_SECONDS: Final = 20.0
"""Seconds in which a process has to be ready for its first plugin, in addition to those of that plugin."""

_PROGRAM: Final = """
import sys
sys.path[:] = sys.argv[1:]
del sys.argv[1:]
from fcregistry.discovery._worker import main
main()
"""


class WorkerProcess:
    """A process that describes plugins, from its start to its end; the next plugins need a new one.

    Args:
        installed: All installed entry points, so that it knows the owner of each module.
        seconds: How long each plugin may take.
        without_locks: Whether locks are ignored, as while one is written.

    Attributes:
        described: How many plugins it has described.
        is_late: Whether it was ended because a plugin took too long.
        has_ended: Whether it has ended.
        code: Its exit code, once it has ended.
    """

    def __init__(self, installed: Sequence[FoundEntryPoint], seconds: float, *, without_locks: bool = False) -> None:
        import subprocess  # not needed if all plugins are described
        from tempfile import TemporaryFile

        self.described = 0
        self.is_late = False
        self.has_ended = False
        self.code = 0
        self._seconds = seconds
        self._errors = TemporaryFile()  # noqa: SIM115  # for what it writes when it crashes
        self._said = 0  # bytes of that from before the plugin that it is busy with
        self._asked = 0
        self._is_ready = False
        self._deadline = _NO_DEADLINE
        self._lock = Lock()
        self._over = Event()
        self._process = subprocess.Popen(
            [sys.executable, "-P", *_flags(), "-c", _PROGRAM, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            encoding="utf-8",
            start_new_session=True,  # so that an interrupt of this process does not reach its plugins
        )
        self._send({"installed": [_as_json(each) for each in installed], "without_locks": without_locks})
        Thread(target=self._watch, daemon=True).start()

    def ask(self, plugin: FoundPlugin) -> None:
        """Request the description of a plugin, after those that were requested before."""
        with self._lock:
            self._asked += 1
            if self._asked == 1:
                self._deadline = monotonic() + self._seconds + (0.0 if self._is_ready else _START_SECONDS)
        self._send(plugin.key)

    def answer(self) -> dict[str, Any] | None:
        """Return the answer to the oldest request, or None if that plugin ended the process or hung."""
        assert self._process.stdout is not None
        try:
            if not self._is_ready:
                self._wait_until_ready()
            line = self._process.stdout.readline()
            answer = json.loads(line) if line.endswith("\n") else None
        except (OSError, ValueError):  # it has ended, or a plugin has written to the stream of answers
            answer = None
        if not isinstance(answer, dict) or "last" not in answer:  # a plugin may have written JSON
            answer = None
        with self._lock:
            self._asked -= 1
            self._deadline = monotonic() + self._seconds if self._asked else _NO_DEADLINE
        if answer is None:
            self._reap()
        elif self.is_late or answer["last"]:
            self.end()
        else:
            self._said = answer["said"]
        self.described += 1
        return answer

    def _wait_until_ready(self) -> None:
        assert self._process.stdout is not None
        self._process.stdout.readline()
        self._is_ready = True
        with self._lock:
            self._deadline = monotonic() + self._seconds

    def last_words(self) -> str:
        """Return what it has written to its standard error during the plugin that ended it."""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(self._said, size - _MOST_OUTPUT))
        return self._errors.read().decode("utf-8", "backslashreplace")

    def end(self) -> None:
        """End it, if it is still running, with the processes that its plugins have started."""
        self._over.set()
        if not self.has_ended:
            self.has_ended = True
            self._kill()
            self._close()
            self._process.wait()
        self._errors.close()

    def _send(self, message: Any) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # it has ended, which shows when its answer is read
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()

    def _watch(self) -> None:
        """Kill it if a plugin takes too long; the time starts again with each answer."""
        while not self._over.wait(min(max(self._deadline - monotonic(), 0.0), self._seconds)):
            with self._lock:
                if monotonic() >= self._deadline:
                    self.is_late, self._deadline = True, _NO_DEADLINE
                    self._dump_threads()
                    self._kill()

    def _dump_threads(self) -> None:
        """Make Python's faulthandler write the stacks of all threads to its stderr, which ends it."""
        import signal
        import subprocess

        if os.name == "posix":
            with suppress(OSError, subprocess.TimeoutExpired):  # it has ended, or ignores the signal
                self._process.send_signal(signal.SIGABRT)
                self._process.wait(_DUMP_SECONDS)

    def _reap(self) -> None:
        import subprocess

        self.has_ended = True
        self._close()
        if not self.is_late:
            try:
                self.code = self._process.wait(self._seconds)
            except subprocess.TimeoutExpired:  # a plugin has closed the streams, and the process goes on
                self.is_late = True
        self._kill()  # also processes that it has left behind
        self.code = self._process.wait()
        self._over.set()

    def _kill(self) -> None:
        import signal

        with suppress(OSError):  # it has ended
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def _close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with suppress(OSError):  # a last message could not be sent
                stream.close()


def _as_json(each: FoundEntryPoint) -> dict[str, Any]:
    names = ("distribution", "version", "entry_point", "value", "folder", "info", "stamp")
    return {"kind": type(each).__name__, **{name: getattr(each, name) for name in names}}


def _flags() -> list[str]:
    """Return the options of Python that decide which modules it finds, and whether these have docstrings."""
    flags = sys.flags
    chosen = [
        ("-I", flags.isolated),
        ("-E", flags.ignore_environment),
        ("-s", flags.no_user_site),
        ("-S", flags.no_site),
    ]
    optimize = [f"-{'O' * flags.optimize}"] if flags.optimize else []  # removes docstrings
    return [option for option, is_set in chosen if is_set] + optimize + ["-X", "faulthandler"]
