"""One process with everything that it starts: begun, read, and killed as a whole."""

from __future__ import annotations

import contextlib
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import IO, Any, Final, Protocol

from fcregistry.errors import ToolError

from fcregistry_shell._output import Output

_GRACE: Final = 2.0
"""Seconds between the request to end and the end."""

_START: Final = 10.0
"""Seconds until the process that supervises a command must have answered that it runs."""

_BEAT: Final = 0.05
"""Seconds between two attempts to resume a process that does not answer."""

_SUPERVISOR: Final = Path(__file__).with_name("_supervisor.py")


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
        self._program = os.getpid()
        self._exit_code: int | None = None
        self._ended = threading.Event()
        start = _Supervised if sys.platform == "linux" else _Group
        try:
            self._command: _Command = start(
                list(words), folder, environment, subprocess.PIPE if stdin else subprocess.DEVNULL
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ToolError(f"the command could not be started: {reason}") from error
        self._process = self._command.process
        # At the end of the program; an interrupt may have come before any code could wait for the process
        self._at_exit = weakref.finalize(self, _end_at_exit, self._command, self._program)
        self._readers = [
            self._begin(self._read, self._process.stdout, self.stdout),
            self._begin(self._read, self._process.stderr, self.stderr),
        ]
        if stdin:
            self._begin(self._write, self._process.stdin, stdin)
        self._begin(self._watch)

    @property
    def exit_code(self) -> int | None:
        """The exit code; the negative number of a signal; None while the process runs."""
        return self._exit_code if self._ended.is_set() else None

    @property
    def is_own(self) -> bool:
        """Whether this program started it, and not the program of which this one is a fork."""
        return self._program == os.getpid()

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

    def _write(self, stream: IO[bytes], text: str) -> None:
        """Write `text` to `stream`, the process's standard input, and close it."""
        with contextlib.suppress(OSError, ValueError), stream:  # it may end without reading
            stream.write(text.encode("utf-8", "replace"))

    def _watch(self) -> None:
        """Wait for the process and its output, and end the processes that it left behind.

        Those could keep the streams open.
        """
        self._command.wait()
        for reader in self._readers:
            reader.join(_GRACE / 4)
        self.end()
        for reader in self._readers:
            reader.join(_GRACE / 4)
        self._exit_code = self._command.finish()
        self._at_exit.detach()
        self._ended.set()

    def ask_to_end(self) -> None:
        """Ask all processes of the command to end."""
        self._command.signal(force=False)

    def end(self) -> None:
        """Kill all processes of the command."""
        self._command.signal(force=True)

    def end_supervisor(self) -> None:
        """Kill all processes of the command, and the process that supervises them if it does not end then."""
        self._command.kill()


def kill_all(processes: Iterable[Process]) -> None:
    """End processes and all that they started, and wait until they are gone.

    A process that does not end when it is asked to is killed. Those that a fork of the program copied belong to the program alone.
    """
    running = [process for process in processes if process.is_own]
    for step in (Process.ask_to_end, Process.end, Process.end_supervisor):
        running = [process for process in running if not process.wait(0)]
        for process in running:
            step(process)
        end = monotonic() + _GRACE
        for process in running:
            process.wait(max(end - monotonic(), 0))


def _end_at_exit(command: _Command, program: int) -> None:
    """Kill the command and all that it started, and wait for it, if this is the `program` that started it."""
    if os.getpid() != program:  # a fork, which copied the finalizer
        return
    command.signal(force=True)
    try:
        command.process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        command.kill()


class _Command(Protocol):
    """A command that was started, and how it is ended. `process` has its streams."""

    process: subprocess.Popen[bytes]

    def wait(self) -> None:
        """Wait until the command itself has ended."""

    def signal(self, *, force: bool) -> None:
        """Ask the command and what it started to end; or kill them, if `force` is true."""

    def kill(self) -> None:
        """Kill them by all means, after `signal` did not end them."""

    def finish(self) -> int | None:
        """Wait until everything has ended, and return the command's exit code."""


class _Supervised:
    """A command of a process that ends everything that the command started: `_supervisor.py` says how.

    Raises:
        OSError: It cannot be started, or the process does not answer.
        ValueError: A word cannot be encoded.
    """

    def __init__(self, words: list[str], folder: str, environment: Mapping[str, str], stdin: int) -> None:
        variables = {os.fsencode(name): os.fsencode(value) for name, value in environment.items()}
        request = marshal.dumps(([os.fsencode(word) for word in words], os.fsencode(folder), variables))
        self._lock = threading.Lock()
        self._exit_code: int | None = None
        self._line, other = socket.socketpair()
        for end in (self._line, other):
            end.setblocking(True)  # whatever `socket.setdefaulttimeout` says
        self._answers = self._line.makefile("rb")
        try:
            self.process = self._start(other, stdin)
            problem = self._request(request)
        except BaseException:  # whatever is raised, nothing may go on: the end of the line ends it
            self._close()
            raise
        if problem:
            self._close()
            raise OSError(0, problem)

    def _start(self, other: socket.socket, stdin: int) -> subprocess.Popen[bytes]:
        """Start the process that supervises, which gets the `other` end of the line."""
        # Python's own libraries may be there; the other variables are nothing to a command
        environment = {name: value for name, value in os.environ.items() if name == "LD_LIBRARY_PATH"}
        with other:
            return subprocess.Popen(
                [_python(), "-I", "-S", str(_SUPERVISOR), str(other.fileno()), str(os.getpid())],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[other.fileno()],
                cwd="/",
                env=environment,
                start_new_session=True,
            )

    def _request(self, request: bytes) -> str:
        """Send the request, and return why the command does not run; nothing if it runs."""
        self._line.settimeout(_START)
        with contextlib.suppress(OSError):  # the process has ended, or does not read: found when its answer is read
            self._line.sendall(len(request).to_bytes(8, "big") + request)
        self._line.settimeout(None)
        if not (has_answered := self._await_answer()):
            self.kill()
        elif (answer := self._read()) == "\n":
            return ""
        with self.process:  # closes the streams
            pass
        if not has_answered:
            return f"its supervisor did not answer within {_START:g} seconds, and was killed"
        return answer.strip() or f"its supervisor ended with {self.process.returncode}"

    def _await_answer(self) -> bool:
        """Wait until there is an answer or the end of the answers; return whether there is one of them.

        The command may have stopped the process before it could answer.
        """
        poll, end = select.poll(), monotonic() + _START
        poll.register(self._line, select.POLLIN)
        while not poll.poll(_BEAT * 1000):
            if monotonic() > end:
                return False
            self._resume()
        return True

    def _resume(self) -> None:
        """Let the process go on if it is stopped: the command can send it SIGSTOP."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGCONT)

    def wait(self) -> None:
        answer = self._read()
        self._exit_code = int(answer) if answer else None

    def signal(self, *, force: bool) -> None:
        with self._lock, contextlib.suppress(OSError):  # everything has ended
            self._resume()
            self._line.send(b"k" if force else b"t", socket.MSG_DONTWAIT)

    def kill(self) -> None:
        from fcregistry_shell._supervisor import signal_all

        signal_all(self.process.pid, signal.SIGKILL)  # with them what stops the process again and again
        self.signal(force=True)
        try:
            self.process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            with self._lock:
                self.process.kill()

    def finish(self) -> int | None:
        with contextlib.suppress(ChildProcessError):  # reaped already
            os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        with self._lock:  # no signal is sent to a process that is reaped meanwhile
            self.process.wait()
        self._close()
        return self._exit_code

    def _read(self) -> str:
        """Return the next line of the process's answers; empty if it has ended."""
        try:
            return self._answers.readline().decode()
        except OSError:
            return ""

    def _close(self) -> None:
        """Close the socket, while no other thread writes to its descriptor."""
        with self._lock:
            self._answers.close()
            self._line.close()


class _Group:
    """A command in a process group of its own. What leaves the group is not ended.

    Raises:
        OSError: It cannot be started.
        ValueError: A word cannot be encoded.
    """

    def __init__(self, words: list[str], folder: str, environment: Mapping[str, str], stdin: int) -> None:
        options: dict[str, Any] = (
            {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
            if sys.platform == "win32"
            else {"start_new_session": True}
        )
        self.process = subprocess.Popen(
            words,
            cwd=folder,
            env=dict(environment),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )

    def wait(self) -> None:
        if hasattr(os, "waitid"):  # the number of the group is taken while the process is not reaped
            os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        else:
            self.process.wait()

    def signal(self, *, force: bool) -> None:
        if sys.platform == "win32":
            if self.process.poll() is None:
                words = ["taskkill", "/T", "/PID", str(self.process.pid), *(["/F"] if force else [])]
                subprocess.run(words, check=False, capture_output=True)
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            # The number is the group's: its leader is not reaped yet
            os.killpg(self.process.pid, signal.SIGKILL if force else signal.SIGTERM)

    def kill(self) -> None:
        self.signal(force=True)

    def finish(self) -> int | None:
        return self.process.wait()


def _python() -> str:
    """Return the path of the Python interpreter.

    Raises:
        OSError: It is not known.
    """
    from multiprocessing.spawn import get_executable  # the path that the application has set, or sys.executable

    path = os.fsdecode(get_executable() or "")
    if not path or (getattr(sys, "frozen", False) and path == sys.executable):
        raise OSError(
            0, "the path of Python is not known; the application can set it by multiprocessing.set_executable"
        )
    return path
