"""A pool of worker processes that describe plugins. A plugin that hangs or crashes ends one worker, and another one starts.

`_worker.py` is the program of a worker. It gets the request for the next plugin while it is still busy with the one before, so that it
never waits. Its answers come in the order of the requests.
"""

from __future__ import annotations

import json
import os
import sys
from collections import deque
from contextlib import suppress
from functools import partial
from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from fcregistry._config.lock import locks_are_lifted
from fcregistry._config.settings import IMPORT_SECONDS_VARIABLE
from fcregistry._tools.record import plugin_record
from fcregistry.discovery._describe import FreshDescription, IndexRow
from fcregistry.discovery._found import FoundPlugin, is_in_metadata

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fcregistry.discovery._found import FoundEntryPoint

IMPORT_SECONDS: Final = 20.0
"""Seconds that a plugin may take to be imported and described, by default."""

_START_SECONDS: Final = 20.0
"""Seconds in which a process has to be ready for its first plugin, in addition to those of that plugin."""

_DUMP_SECONDS: Final = 0.5
"""Seconds in which a process that is ended because it hangs may write where it hangs."""

_POLL: Final = 0.1
"""Seconds between two checks whether a plugin takes too long."""

_MOST_WORKERS: Final = 4
_WORTH_A_WORKER: Final = 8
"""Plugins whose descriptions take about as long as starting a worker."""

_MOST_REQUESTS: Final = 2
"""Requests that a process has at a time: one that it is busy with, and one so that it need not wait."""

_MOST_OUTPUT: Final = 4_000
"""The most bytes of a process's last output to report."""

_PROGRAM: Final = """
import sys
sys.path[:] = sys.argv[1:]
del sys.argv[1:]
from fcregistry.discovery._worker import main
main()
"""


_FIELDS: Final = ("distribution", "version", "entry_point", "value", "folder", "info", "stamp")
"""What a worker needs of an entry point."""


def describe_in_workers(
    plugins: Sequence[FoundPlugin],
    installed: Sequence[FoundEntryPoint],
    *,
    seconds: float,
    on_described: Callable[[FreshDescription], None] = lambda made: None,
    path: Sequence[str] = (),
    ignore_rules: bool = False,
) -> list[FreshDescription]:
    """Describe plugins in worker processes.

    Args:
        plugins: The plugins to describe.
        installed: All installed entry points, so that a worker knows the owner of each module.
        seconds: How long each plugin may take.
        on_described: Called with each description when it is made.
        path: The `sys.path` of the workers, if it is not that of this process. They write no byte code then.
        ignore_rules: Whether plugins are imported whatever the configuration allows.

    Returns:
        The descriptions, sorted by plugin: what each plugin ships, or why it cannot be described.

    Raises:
        KeyboardInterrupt: The user has interrupted this process or, as it started, a worker.
    """
    setup = {"installed": _fields(installed), "without_locks": locks_are_lifted(), "ignore_rules": ignore_rules}
    command = [sys.executable, "-P", *_flags(), *(["-B"] if path else []), "-c", _PROGRAM, *(path or sys.path)]
    waiting, done, errors = deque(plugins), list[FreshDescription](), list[BaseException]()
    count = max(1, min(os.cpu_count() or 1, _MOST_WORKERS, len(plugins) // _WORTH_A_WORKER))
    workers = [_Worker(waiting, partial(_Process, command, setup, seconds)) for _ in range(count)]

    def work(worker: _Worker) -> None:
        try:
            for made in worker.describe():
                done.append(made)
                on_described(made)
        except BaseException as error:  # noqa: BLE001  # raised again by the thread that asked
            errors.append(error)
        finally:
            worker.end()

    _run_to_end([Thread(target=work, args=(worker,), daemon=True) for worker in workers], workers)
    if errors:
        raise errors[0]
    return sorted(done, key=lambda made: (made.plugin.project, made.plugin.entry_point))


def _run_to_end(threads: Sequence[Thread], workers: Sequence[_Worker]) -> None:
    """Run `threads` until all have ended, and end the process of each worker whose plugin takes too long.

    At the end, after an interrupt too, all workers are ended.
    """
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(_POLL)
                for worker in workers:
                    worker.end_if_late()
    finally:
        for worker in workers:  # after an interrupt
            worker.end()


def _fields(installed: Sequence[FoundEntryPoint]) -> list[dict[str, Any]]:
    """Return the kind and the `_FIELDS` of each installed entry point, as a worker needs them.

    A worker may import extensions and commands, so those that are only in the index, and not in metadata, are left out.
    """
    return [
        {"kind": type(each).__name__, **{name: getattr(each, name) for name in _FIELDS}}
        for each in installed
        if isinstance(each, FoundPlugin) or each.cached is None or is_in_metadata(each)
    ]


class _Worker:
    """Describes plugins in one process after the other: a plugin may end a process, or change its state.

    Args:
        waiting: The plugins to describe; other workers take from this queue too.
        start: Starts a process.
    """

    def __init__(self, waiting: deque[FoundPlugin], start: Callable[[], _Process]) -> None:
        self._waiting = waiting
        self._start = start
        self._process: _Process | None = None
        self._is_over = False
        self._starting = Lock()

    def describe(self) -> Iterator[FreshDescription]:
        """Yield the descriptions of plugins when they are made, until no plugin is waiting."""
        requested: deque[FoundPlugin] = deque()
        while True:
            new = list(requested) if self._process is None or self._process.has_ended else []
            while self._waiting and len(requested) < _MOST_REQUESTS:
                with suppress(IndexError):  # another worker took the last one
                    requested.append(self._waiting.popleft())
                    new.append(requested[-1])
            if not requested or (process := self._running()) is None:
                return
            for plugin in new:
                process.ask(plugin)
            made = self._description(requested[0], process)
            if self._is_over:  # an interrupt ended the process, and not the plugin
                return
            if made is not None:
                requested.popleft()
                yield made

    def _running(self) -> _Process | None:
        """Return the process of this worker; None if this worker has ended.

        If the process has ended, or there is none yet, a new one is started.
        """
        with self._starting:
            if self._is_over:
                return None
            if self._process is not None and self._process.has_ended:
                self._process.end()  # closes what it wrote
                self._process = None
            if self._process is None:
                self._process = self._start()
            return self._process

    @staticmethod
    def _description(plugin: FoundPlugin, process: _Process) -> FreshDescription | None:
        """Wait for the answer to the oldest request to `process`, and return the description of `plugin`.

        It describes a failure if the plugin does not load, or has ended the process. The result is None if the plugin failed after the process had
        described others and not by taking too long: then it must be tried again, in a process that has imported no other plugin.

        Args:
            plugin: The plugin of that request.
            process: The process.
        """
        others_before = process.described > 0
        answer = process.answer()
        if (answer is None or answer["record"]["failure"] is not None) and others_before and not process.is_late:
            return None
        if answer is None:
            return process.failure(plugin)
        files = {path: (time, size) for path, (time, size) in answer["files"].items()}
        return FreshDescription(
            plugin, answer["record"], [IndexRow(*each) for each in answer["rows"]], files, "worker", answer["missed"]
        )

    def end_if_late(self) -> None:
        """End the process of this worker if a plugin takes too long."""
        if (process := self._process) is not None:
            process.end_if_late()

    def end(self) -> None:
        """End this worker, and its process if there is one."""
        with self._starting:
            self._is_over = True
        if self._process is not None:
            self._process.end()


class _Process:
    """A process that describes plugins, from its start to its end.

    Args:
        command: The command that starts it.
        setup: The first message to it.
        seconds: How long each plugin may take.

    Attributes:
        described: How many plugins it has described.
        is_late: Whether it was ended because a plugin took too long.
        has_ended: Whether it has ended.
    """

    def __init__(self, command: list[str], setup: dict[str, Any], seconds: float) -> None:
        import subprocess  # not needed if all plugins are described
        from tempfile import TemporaryFile

        self.described = 0
        self.is_late = False
        self.has_ended = False
        self._seconds = seconds
        self._is_ready = False
        self._deadline = monotonic() + _START_SECONDS + seconds
        self._lock = Lock()  # of the deadline
        self._errors = TemporaryFile()  # noqa: SIM115  # for what it writes when it crashes
        self._errors_before = 0  # bytes of that from before the plugin that it is busy with
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            encoding="utf-8",
            start_new_session=True,  # so that an interrupt of this process does not reach its plugins
        )
        self._send(setup)

    def ask(self, plugin: FoundPlugin) -> None:
        """Request the description of a plugin, after those that were requested before."""
        self._send(plugin.key)

    def answer(self) -> dict[str, Any] | None:
        """Return the answer to the oldest request, or None if that plugin ended the process or hung.

        Raises:
            KeyboardInterrupt: An interrupt ended the process before it had a session of its own.
        """
        import signal

        assert self._process.stdout is not None
        try:
            if not self._is_ready:
                self._is_ready = bool(self._process.stdout.readline())
                self._restart_clock()
            line = self._process.stdout.readline()
            answer = json.loads(line) if line.endswith("\n") else None
        except (OSError, ValueError):  # it has ended, or a plugin has written to the stream of answers
            answer = None
        if not isinstance(answer, dict) or "last" not in answer:  # a plugin may have written JSON
            self._reap()
            if not self._is_ready and self._process.wait() == -signal.SIGINT:  # so no plugin was imported
                raise KeyboardInterrupt
            return None
        self._restart_clock()
        self.described += 1
        if self.is_late or answer["last"]:
            self.end()
        self._errors_before = answer["written"]
        return answer

    def failure(self, plugin: FoundPlugin) -> FreshDescription:
        """Return the description of a plugin that ended this process, or for which it had to be ended."""
        advice = f"{plugin.how_to_fix}, or set FCREGISTRY_DISABLE={plugin.label}"
        if self.is_late:
            from fcregistry._base.wording import seconds_text  # only for a plugin that does not load

            what = f"importing it takes longer than {seconds_text(self._seconds)}"
            advice += f"; {IMPORT_SECONDS_VARIABLE} gives it more time"
        else:
            what = f"it ends the process that imports it, with {self._exit_text()}"
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(self._errors_before, size - _MOST_OUTPUT))
        detail = self._errors.read().decode("utf-8", "backslashreplace")
        seconds = self._seconds if self.is_late else 0.0
        record = plugin_record(seconds=seconds, failure=what, detail=detail, advice=advice)
        return FreshDescription.of(plugin, record, (), _files_of(plugin), "waiting" if self.is_late else "watching")

    def end_if_late(self) -> None:
        """End the process if a plugin takes too long.

        Before that, Python's faulthandler writes the stacks of all threads to its stderr.
        """
        import signal
        import subprocess

        with self._lock:
            if self.has_ended or self.is_late or monotonic() < self._deadline:
                return
            self.is_late = True
        if os.name == "posix":
            with suppress(OSError, subprocess.TimeoutExpired):  # it has ended, or ignores the signal
                self._process.send_signal(signal.SIGABRT)
                self._process.wait(_DUMP_SECONDS)
        self._kill()

    def end(self) -> None:
        """End the process, if it is still running, and the processes that its plugins have started."""
        if not self.has_ended:
            self.has_ended = True
            self._kill()
            self._close()
            self._process.wait()
        self._errors.close()

    def _send(self, message: Any) -> None:
        """Write `message` to the process as a line of JSON; do nothing if it has ended."""
        assert self._process.stdin is not None
        with suppress(OSError):  # it has ended, which shows when its answer is read
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()

    def _restart_clock(self) -> None:
        """Set the deadline of the process to its full time (the seconds for one plugin) from now."""
        with self._lock:
            self._deadline = monotonic() + self._seconds

    def _reap(self) -> None:
        """Wait for the process, which has closed its streams, and kill the processes that it has left behind.

        If it goes on for the time of one plugin, it counts as late, and is killed.
        """
        import subprocess

        self.has_ended = True
        self._close()
        if not self.is_late:
            try:
                self._process.wait(self._seconds)
            except subprocess.TimeoutExpired:  # a plugin has closed the streams, and the process goes on
                self.is_late = True
        self._kill()
        self._process.wait()

    def _exit_text(self) -> str:
        """Wait for the process, and return how it ended: `code 1` or `signal SIGSEGV`, for example."""
        import signal

        code = self._process.wait()
        if code >= 0:
            return f"code {code}"
        try:
            return f"signal {signal.Signals(-code).name}"
        except ValueError:
            return f"signal {-code}"

    def _kill(self) -> None:
        """Kill the process and, on POSIX, the processes in its session; do nothing if they have ended."""
        import signal

        with suppress(OSError):  # it has ended
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    def _close(self) -> None:
        """Close the streams to and from the process; an error of that is ignored."""
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with suppress(OSError):  # a last message could not be sent
                stream.close()


def _files_of(plugin: FoundPlugin) -> dict[str, tuple[int, int]]:
    """Return the files of a plugin's module and of the packages above it that exist, with their stamps.

    They replace the files that its import reads, which are unknown. Only one folder counts: the plugin's
    own if it has any of them, else the first on `sys.path` that has any; the result is empty if none has.
    """
    from fcregistry.discovery._finder import stamp_of

    parts = plugin.module.split(".")
    stems = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    for folder in (plugin.folder, *sys.path):
        paths = [f"{folder}/{stem}{end}" for stem in stems for end in ("/__init__.py", ".py")]
        if found := {path: stamp for path in paths if (stamp := stamp_of(path)) is not None}:
            return found
    return {}


def _flags() -> list[str]:
    """Return the options for Python that make a worker find the same modules, with docstrings or without.

    They are those options of this process, and one that turns the faulthandler on.
    """
    flags = sys.flags
    chosen = [
        ("-I", flags.isolated),
        ("-E", flags.ignore_environment),
        ("-s", flags.no_user_site),
        ("-S", flags.no_site),
        (f"-{'O' * flags.optimize}", flags.optimize),  # removes docstrings
    ]
    return [option for option, is_set in chosen if is_set] + ["-X", "faulthandler"]
