"""The process that llama.cpp runs in, from the side of the process that uses it.

llama.cpp holds Python's lock while it loads a file, and may crash its process over a bad file. So it runs in a process of its own,
which can be killed at any time without harm to this one.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Any, Final
from weakref import WeakSet

from fcregistry.errors import ModelError

POLL_SECONDS: Final = 0.1
"""Seconds between two checks whether the caller still waits."""

_STOP_SECONDS: Final = 10.0
"""Seconds that a stopped answer may take to end, before the process is killed. It can stop between two tokens."""

_WORKER: Final = Path(__file__).with_name("_worker.py")

_running: Final[WeakSet[LlamaProcess]] = WeakSet()
_starting: Final = Lock()


class Stopped(Exception):
    """Raised if the caller has stopped waiting for the answer."""


class LlamaProcess:
    """A process with one model, used by one thread at a time.

    Args:
        path: The model's file.
        context: Tokens of a conversation and its answer together; 0 for as many as the model was trained with.
        threads: The number of threads.
        is_stopped: Returns whether the caller has stopped waiting; called while the file is loaded.

    Raises:
        ModelError: llama.cpp cannot load the file.
        Stopped: The caller has stopped waiting.
    """

    def __init__(self, path: Path, *, context: int, threads: int, is_stopped: Callable[[], bool]) -> None:
        self._path = path
        self._owner = os.getpid()
        self._asked = 0
        self._lines: SimpleQueue[str] = SimpleQueue()
        self._reader: Thread | None = None
        self.has_ended = False
        """Whether the process has ended."""
        # This process may exit while the other one starts. `_end_all` then waits for the lock; in a fork, it may stay locked.
        is_locked = _starting.acquire(timeout=_STOP_SECONDS)
        try:
            atexit.unregister(_end_all)
            atexit.register(_end_all)
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(_WORKER), *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
                env={**os.environ, "GGML_NO_BACKTRACE": "1"},  # its backtrace would start a debugger
                start_new_session=True,  # Ctrl-C is for this process only
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same, on Windows
            )
            _running.add(self)
        finally:
            if is_locked:
                _starting.release()
        reader = Thread(target=self._read, name="fcregistry-llama-reader", daemon=True)
        reader.start()
        self._reader = reader
        try:
            self._send({"path": str(path), "context": context, "threads": threads})
            self._wait_until_ready(is_stopped)
        except BaseException:  # an interrupt, too
            self.end()
            raise

    def answer(self, request: Mapping[str, Any], is_stopped: Callable[[], bool]) -> Iterator[dict[str, Any]]:
        """Yield the chunks of the answer to a request, or `{"refused": reason}`.

        If the iteration is not finished, the process is killed.

        Args:
            request: The completion request, with the `schema` of the answer, or None.
            is_stopped: Returns whether the caller has stopped waiting; called repeatedly.

        Raises:
            ModelError: The process crashed.
            Stopped: The caller has stopped waiting.
        """
        self._asked += 1
        self._send({**request, "id": self._asked})
        stopped_at: float | None = None
        is_done = False
        try:
            while not is_done:
                if stopped_at is None and is_stopped():
                    stopped_at = monotonic()
                    self._send({"stop": self._asked})
                if stopped_at is not None and monotonic() - stopped_at > _STOP_SECONDS:
                    raise Stopped
                reply = self._reply("answered")
                is_done = "done" in reply
                if stopped_at is None and reply and not is_done:
                    yield reply.get("chunk", reply)
        finally:
            if not is_done:
                self.end()
        if stopped_at is not None:
            raise Stopped

    def end(self) -> None:
        """Kill the process at once; does nothing in a fork of the process that started it."""
        self.has_ended = True
        if os.getpid() != self._owner:
            return
        self._process.kill()
        self._process.wait()
        if self._reader is not None:
            self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # unsent text cannot be written any more
                if stream is not None:
                    stream.close()

    def _wait_until_ready(self, is_stopped: Callable[[], bool]) -> None:
        """Wait until the file is loaded.

        Raise `ModelError` if it cannot be loaded, and `Stopped` if the caller has stopped waiting.
        """
        while not (reply := self._reply("loaded")):
            if is_stopped():
                raise Stopped
        if "failed" in reply:
            why = (
                reply["failed"]
                or "it is damaged, of an architecture that this version of xllamacpp does not know, or larger than the memory"
            )
            raise ModelError(
                f"llama.cpp cannot load {self._path}: {why}; download the file again, or pip install --upgrade xllamacpp"
            )

    def _reply(self, doing: str) -> dict[str, Any]:
        """Return the next reply of the process, or an empty one if no reply comes within `POLL_SECONDS`.

        Args:
            doing: What the process is doing, for the error.
        """
        try:
            line = self._lines.get(timeout=POLL_SECONDS)
        except Empty:
            return {}
        if line:
            reply: dict[str, Any] = json.loads(line)
            return reply
        was_ended = self.has_ended
        self.end()
        if was_ended:  # at the end of this process
            raise Stopped
        raise ModelError(
            f"llama.cpp crashed while it {doing} {'with ' if doing == 'answered' else ''}{self._path}"
            f" ({_exit_text(self._process.returncode)}): the file is damaged, malicious, or larger than the memory;"
            " download it again, from a source that you trust, or give LlamaModel a smaller context"
        )

    def _send(self, what: Mapping[str, Any]) -> None:
        """Send `what` to the process, as a line of JSON."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # it has ended, which the next reply reports
            self._process.stdin.write(json.dumps(what) + "\n")
            self._process.stdin.flush()

    def _read(self) -> None:
        """Put each line of the process into the queue, and an empty one at the end."""
        assert self._process.stdout is not None
        with suppress(OSError, ValueError):
            for line in self._process.stdout:
                self._lines.put(line)
        self._lines.put("")


def _exit_text(code: int) -> str:
    """Return the exit code `code` in words; a negative one is a signal."""
    return f"exit code {code}" if code >= 0 else f"signal {-code}, {signal.strsignal(-code)}"


def _end_all() -> None:
    """End all processes, and start no new ones."""
    _starting.acquire(timeout=_STOP_SECONDS)  # and keep it: nothing starts any more
    for process in list(_running):
        process.end()
