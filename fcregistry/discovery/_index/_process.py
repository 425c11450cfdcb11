"""What is one process that describes plugins, seen from the one that asks it?

It is asked for a plugin while it is still busy with the one before, so that it never waits for us; its answers come in that order.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import IO

    from fcregistry.discovery._found import FoundEntryPoint, FoundPlugin

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
from fcregistry.discovery._index._worker import main
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
