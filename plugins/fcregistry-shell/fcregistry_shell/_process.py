"""One process with everything that it starts: begun, read, and killed as a whole."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import uuid
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import IO, Final

from fcregistry.errors import ToolError

from fcregistry_shell._output import Output

MARK: Final = "FCREGISTRY_SHELL_CALL"
"""The variable that marks all processes of a call, even those that left its process group."""

_GRACE: Final = 2.0
"""Seconds between the request to end and the end."""

_IS_WINDOWS: Final = sys.platform == "win32"


class Process:
    """A process in a group of its own, whose output is read on threads.

    Args:
        words: The command; the first word is the path of the program.
        folder: The working folder.
        environment: All its variables.
        most: The most characters to keep of each stream.
        stdin: What it reads; nothing if it is empty.
        on_line: Called with each new line of output.

    Raises:
        ToolError: The process cannot be started.
    """

    def __init__(
        self,
        words: Sequence[str],
        folder: str,
        environment: Mapping[str, str],
        most: int,
        stdin: str = "",
        on_line: Callable[[str], object] | None = None,
    ) -> None:
        self.stdout: Output = Output(most, on_line)
        self.stderr: Output = Output(most, on_line)
        self._mark = uuid.uuid4().hex
        self._ended = threading.Event()
        options: dict[str, object] = (
            {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
            if _IS_WINDOWS
            else {"start_new_session": True}
        )
        try:
            self._process = subprocess.Popen(  # type: ignore[call-overload]  # the options differ by system
                list(words),
                cwd=folder,
                env={**environment, MARK: self._mark},
                stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                **options,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ToolError(f"the command could not be started: {reason}") from error
        # At the end of the program; an interrupt may have come before any code could wait for the process
        self._at_exit = weakref.finalize(self, _end_at_exit, self._process, self._mark)
        self._readers = [
            self._begin(self._read, self._process.stdout, self.stdout),
            self._begin(self._read, self._process.stderr, self.stderr),
        ]
        if stdin:
            self._begin(self._write, stdin)
        self._begin(self._watch)

    @property
    def exit_code(self) -> int | None:
        """The exit code; the negative number of a signal; None while the process runs."""
        return self._process.returncode if self._ended.is_set() else None

    def wait(self, seconds: float | None) -> bool:
        """Wait until the process has ended and its output is read; return whether it has."""
        return self._ended.wait(seconds)

    def kill(self) -> None:
        """End the process and all that it started, and wait until they are gone."""
        kill_all([self])

    # --- Inside ---

    def _begin(self, work: Callable[..., None], *given: object) -> threading.Thread:
        """Start a thread that calls `work` with the arguments `given`, and return it."""
        thread = threading.Thread(target=work, args=given, name="fcregistry-shell", daemon=True)
        thread.start()
        return thread

    def _read(self, stream: IO[bytes], output: Output) -> None:
        """Add all bytes of `stream` to `output`, until the stream ends."""
        with contextlib.suppress(OSError, ValueError), stream:
            while data := os.read(stream.fileno(), 65_536):
                output.add(data)
        output.add(b"", final=True)

    def _write(self, text: str) -> None:
        """Write `text` to the process's standard input, and close it."""
        stream = self._process.stdin
        with contextlib.suppress(OSError, ValueError), stream:  # it may end without reading
            stream.write(text.encode("utf-8", "replace"))

    def _watch(self) -> None:
        """Wait for the process and its output, and end the processes that it left behind.

        Those could keep the streams open.
        """
        if hasattr(os, "waitid"):  # the number of the group is taken while the process is not reaped
            os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        else:
            self._process.wait()
        for reader in self._readers:
            reader.join(_GRACE / 4)
        self.signal(force=True)
        for reader in self._readers:
            reader.join(_GRACE / 4)
        self._process.wait()
        self._at_exit.detach()
        self._ended.set()

    def signal(self, *, force: bool) -> None:
        """Ask all processes of the command to end, or end them.

        Args:
            force: Whether they are ended, and not asked.
        """
        _end_group(self._process, self._mark, force=force)


def kill_all(processes: Iterable[Process]) -> None:
    """End processes and all that they started, and wait until they are gone.

    A process that does not end when it is asked to is killed.
    """
    for force in (False, True):
        running = [process for process in processes if not process.wait(0)]
        for process in running:
            process.signal(force=force)
        end = monotonic() + _GRACE
        for process in running:
            process.wait(max(end - monotonic(), 0))


def _end_group(process: subprocess.Popen[bytes], mark: str, *, force: bool) -> None:
    """Ask the process's group, and the processes with `mark`, to end; or kill them, if `force` is true."""
    if _IS_WINDOWS:
        if process.poll() is None:
            words = ["taskkill", "/T", "/PID", str(process.pid), *(["/F"] if force else [])]
            subprocess.run(words, check=False, capture_output=True)
        return
    number = signal.SIGKILL if force else signal.SIGTERM
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)  # the number is the group's: its leader is not reaped yet
    for _ in range(_ROUNDS if force else 1):  # one that forks meanwhile is found in the next round
        if not _signal_marked(mark, number):
            break


def _end_at_exit(process: subprocess.Popen[bytes], mark: str) -> None:
    """Kill the process and all that it started, and wait for it."""
    _end_group(process, mark, force=True)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)


_ROUNDS: Final = 20


def _signal_marked(mark: str, number: int) -> bool:
    """Send the signal `number` to the processes with `mark` in their environment.

    Return whether there are any.

    Only Linux shows the environment of a process, in `/proc`. A process that cleared its environment is not found.
    """
    wanted, found = f"{MARK}={mark}".encode(), False
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), number)
                found = True
    return found
