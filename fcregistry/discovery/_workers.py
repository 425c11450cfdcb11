"""How are plugins described without importing them here? By worker processes, of which a plugin that hangs or crashes costs one.

MERGED: What is one process that describes plugins, seen from the one that asks it?

It is asked for a plugin while it is still busy with the one before, so that it never waits for us; its answers come in that order.
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
    from typing import IO

    from fcregistry.discovery._found import FoundEntryPoint, FoundPlugin

# --- discovery._index._building ---

IMPORT_SECONDS_VARIABLE: Final = "FCREGISTRY_IMPORT_SECONDS"
"""The variable that says how long a plugin may take."""

IMPORT_SECONDS: Final = 20.0
"""How long a plugin may take to be imported and described, where nothing else is said."""

_MOST_WORKERS: Final = 4
_WORTH_A_WORKER: Final = 8
"""Plugins that take as long as a worker takes to start, or longer."""

_AHEAD: Final = 2
"""Plugins that a process is asked for at a time: one that it is busy with, and one so that it need not wait for us."""


def describe_in_workers(
    plugins: Sequence[FoundPlugin],
    installed: Sequence[FoundEntryPoint],
    *,
    seconds: float,
    told: Callable[[FreshDescription], None] = lambda made: None,
) -> list[FreshDescription]:
    """Describe plugins in worker processes.

    Args:
        plugins: Which.
        installed: All that is installed, so that each knows what is its own.
        seconds: How long each may take.
        told: Is told of each as it is done.

    Returns:
        What each ships, or why it cannot be told.
    """
    from queue import SimpleQueue
    from threading import Thread

    waiting: SimpleQueue[FoundPlugin] = SimpleQueue()
    for plugin in plugins:
        waiting.put(plugin)
    done: list[FreshDescription] = []
    wrong: list[BaseException] = []
    lifted = locks_are_lifted()  # which the threads would not see
    workers = [_Worker(waiting, installed, seconds, without_locks=lifted) for _ in range(_how_many(len(plugins)))]

    def work(worker: _Worker) -> None:
        try:
            for made in worker.describe():
                done.append(made)
                told(made)
        except BaseException as error:  # noqa: BLE001  # raised again by the thread that asked
            wrong.append(error)
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
    if wrong:
        raise wrong[0]
    return sorted(done, key=lambda made: (made.plugin.project, made.plugin.entry_point))


def _how_many(plugins: int) -> int:
    return max(1, min(os.cpu_count() or 1, _MOST_WORKERS, plugins // _WORTH_A_WORKER))


class _Worker:
    """Has plugins described in a process, and in a new one after a plugin has ended that, or left something behind in it.

    Args:
        waiting: Which plugins; others take from it too.
        installed: All that is installed.
        seconds: How long each may take.
        without_locks: Whether locks are left aside.
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
            if self._is_over:  # what ended the process is an interrupt, and not the plugin
                return
            if made is not None:
                self._asked.popleft()
                yield made

    def _ask(self) -> bool:
        """Ask for as many plugins as there are to be asked for at a time; tell whether there are any."""
        from queue import Empty

        if self._is_over:
            return False
        if self._process is not None and self._process.has_ended:
            self._process.end()
            self._process = None
        new = list(self._asked) if self._process is None else []
        while len(self._asked) < _AHEAD:
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
        """Return the description of a plugin; None if it is to be made once more, in a process that no other was imported in before."""
        process = self._process
        assert process is not None
        others_before = process.described > 0
        answer = process.answer()
        failed = answer is None or answer["record"]["failure"] is not None
        if failed and others_before and not process.is_late:
            return None
        if answer is None:
            return _failed(plugin, process, self._seconds)
        files = {path: (time, size) for path, (time, size) in answer["files"].items()}
        return FreshDescription(
            plugin, answer["record"], [IndexRow(*each) for each in answer["rows"]], files, "worker", answer["missed"]
        )

    def end(self) -> None:
        """End the process, if there is one."""
        self._is_over = True
        if self._process is not None:
            self._process.end()


def _failed(plugin: FoundPlugin, process: WorkerProcess, seconds: float) -> FreshDescription:
    """Return the description of a plugin that ended its process, or had to be ended."""
    advice = f"report this to the authors of {plugin.distribution}, or set FCREGISTRY_DISABLE={plugin.label}"
    if process.is_late:
        what = f"importing it takes longer than {seconds:g} second{'' if seconds == 1 else 's'}"
        advice += f"; {IMPORT_SECONDS_VARIABLE} gives it more time"
    else:
        what = f"it ends the process that imports it, with {_worded(process.code)}"
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
    return FreshDescription.of(plugin, record, _own_files(plugin), "waiting" if process.is_late else "watching")


def _worded(code: int) -> str:
    if code >= 0:
        return f"code {code}"
    import signal

    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def _own_files(plugin: FoundPlugin) -> dict[str, tuple[int, int]]:
    """Return the files of a plugin that could not say which it reads: those of its module, as far as they lie in a folder."""
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


# --- discovery._index._process ---

_MOST_WORDS: Final = 4_000
"""Bytes of what a process said last that are kept."""

_A_MOMENT: Final = 0.5
"""Seconds that it has to say where it hangs."""

_NEVER: Final = float("inf")

_TO_START: Final = 20.0
"""Seconds that a process has before it is ready for its first plugin: none of these are that plugin's."""

_START: Final = """
import sys
sys.path[:] = sys.argv[1:]
del sys.argv[1:]
from fcregistry.discovery._worker import main
main()
"""


class WorkerProcess:
    """A process that describes plugins, from its start to its end; the next plugins need a new one.

    Args:
        installed: All that is installed, so that it knows what is whose.
        seconds: How long each plugin may take.
        without_locks: Whether locks are left aside, as where one is made.

    Attributes:
        described: How many plugins it has described.
        is_late: Whether it was ended since one took too long.
        has_ended: Whether it is there no more.
        code: What it ended with, once it has.
    """

    def __init__(self, installed: Sequence[FoundEntryPoint], seconds: float, *, without_locks: bool = False) -> None:
        import subprocess  # not needed where all are described
        from tempfile import TemporaryFile

        self.described = 0
        self.is_late = False
        self.has_ended = False
        self.code = 0
        self._seconds = seconds
        self._errors = TemporaryFile()  # noqa: SIM115  # what it says when it crashes
        self._said = 0  # bytes of that before the plugin that it is busy with
        self._asked = 0
        self._is_ready = False
        self._deadline = _NEVER
        self._lock = Lock()
        self._over = Event()
        self._process = subprocess.Popen(
            [sys.executable, "-P", *_flags(), "-c", _START, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            encoding="utf-8",
            start_new_session=True,  # an interrupt of ours is none of its plugins'
        )
        self._say({"installed": [_told(each) for each in installed], "without_locks": without_locks})
        Thread(target=self._watch, daemon=True).start()

    def ask(self, plugin: FoundPlugin) -> None:
        """Have a plugin described, after those that it was asked for before."""
        with self._lock:
            self._asked += 1
            if self._asked == 1:
                self._deadline = monotonic() + self._seconds + (0.0 if self._is_ready else _TO_START)
        self._say(plugin.key)

    def answer(self) -> dict[str, Any] | None:
        """Return what it says of the plugin that it was asked for first, or None where it has ended over it, or had to be."""
        assert self._process.stdout is not None
        try:
            if not self._is_ready:
                self._wait_until_ready()
            line = self._process.stdout.readline()
            answer = json.loads(line) if line.endswith("\n") else None
        except (OSError, ValueError):  # it has ended, or a plugin has written where only answers belong
            answer = None
        if not isinstance(answer, dict) or "last" not in answer:  # which may be JSON all the same
            answer = None
        with self._lock:
            self._asked -= 1
            self._deadline = monotonic() + self._seconds if self._asked else _NEVER
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
        """Return what it has written to its standard error about the plugin that it has ended over."""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(self._said, size - _MOST_WORDS))
        return self._errors.read().decode("utf-8", "backslashreplace")

    def end(self) -> None:
        """End it, if it is still there, with what its plugins have started."""
        self._over.set()
        if not self.has_ended:
            self.has_ended = True
            self._kill()
            self._close()
            self._process.wait()
        self._errors.close()

    def _say(self, what: Any) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # it has ended, which shows when it is to answer
            self._process.stdin.write(json.dumps(what) + "\n")
            self._process.stdin.flush()

    def _watch(self) -> None:
        """Kill it where a plugin takes too long; the time runs anew with each answer."""
        while not self._over.wait(min(max(self._deadline - monotonic(), 0.0), self._seconds)):
            with self._lock:
                if monotonic() >= self._deadline:
                    self.is_late, self._deadline = True, _NEVER
                    self._have_it_say_where()
                    self._kill()

    def _have_it_say_where(self) -> None:
        """Have Python's faulthandler write to its stderr which lines its threads are at, which ends it."""
        import signal
        import subprocess

        if os.name == "posix":
            with suppress(OSError, subprocess.TimeoutExpired):  # it has ended, or does not listen
                self._process.send_signal(signal.SIGABRT)
                self._process.wait(_A_MOMENT)

    def _reap(self) -> None:
        import subprocess

        self.has_ended = True
        self._close()
        if not self.is_late:
            try:
                self.code = self._process.wait(self._seconds)
            except subprocess.TimeoutExpired:  # a plugin has closed its streams, and it stays
                self.is_late = True
        self._kill()  # or what it has left behind
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
            _close(stream)


def _close(stream: IO[str] | None) -> None:
    with suppress(OSError):  # it was not told the last of what was to be said
        if stream is not None:
            stream.close()


def _told(each: FoundEntryPoint) -> dict[str, Any]:
    names = ("distribution", "version", "entry_point", "value", "folder", "info", "stamp")
    return {"kind": type(each).__name__, **{name: getattr(each, name) for name in names}}


def _flags() -> list[str]:
    """Return the options of Python that decide what it finds, and what that says of itself."""
    flags = sys.flags
    chosen = [
        ("-I", flags.isolated),
        ("-E", flags.ignore_environment),
        ("-s", flags.no_user_site),
        ("-S", flags.no_site),
    ]
    optimize = [f"-{'O' * flags.optimize}"] if flags.optimize else []  # which decides whether there are docstrings
    return [option for option, is_set in chosen if is_set] + optimize + ["-X", "faulthandler"]
