"""The process that llama.cpp runs in, seen from the one that asks it.

llama.cpp holds Python's lock while it loads a file, and ends its process over a file that it did not expect. So it has a process of its own,
which can be ended at any time, and takes nothing with it.
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
from threading import Thread
from time import monotonic
from typing import Any, Final
from weakref import WeakSet

from fcregistry.errors import ModelError

A_MOMENT: Final = 0.1
"""Seconds after which somebody who waits sees whether anybody still waits for them."""

_PATIENCE: Final = 10.0
"""Seconds that an answer which was stopped has to end, before the process is ended. It stops between two tokens."""

_WORKER: Final = Path(__file__).with_name("_worker.py")

_running: Final[WeakSet[LlamaProcess]] = WeakSet()


class Stopped(Exception):
    """Nobody waits for the answer any more."""


class LlamaProcess:
    """A process with one model. One thread asks it at a time.

    Args:
        path: The model's file.
        context: Tokens of a conversation and its answer together; 0 for as many as the model was trained with.
        threads: Threads that compute; None for as many as llama.cpp takes.
        is_stopped: Asked while the file is loaded whether anybody still waits.

    Raises:
        ModelError: llama.cpp cannot load the file.
        Stopped: Nobody waits any more.
    """

    def __init__(self, path: Path, *, context: int, threads: int | None, is_stopped: Callable[[], bool]) -> None:
        self._path = path
        self._owner = os.getpid()
        self._asked = 0
        self._lines: SimpleQueue[str] = SimpleQueue()
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_WORKER), *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env={**os.environ, "GGML_NO_BACKTRACE": "1"},  # for which it would start a debugger
            start_new_session=True,  # an interrupt of the terminal is for this process
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same, on Windows
        )
        self.has_ended = False
        """Whether it can be asked no more."""
        self._reader = Thread(target=self._read, name="fcregistry-llama-reader", daemon=True)
        self._reader.start()
        if not _running:
            atexit.unregister(_end_all)
            atexit.register(_end_all)
        _running.add(self)
        try:
            self._say({"path": str(path), "context": context, "threads": threads})
            self._wait_until_ready(is_stopped)
        except BaseException:  # whatever ends the start, an interrupt too, ends the process
            self.end()
            raise

    def answer(self, request: Mapping[str, Any], is_stopped: Callable[[], bool]) -> Iterator[dict[str, Any]]:
        """Yield the chunks of the answer to a request, or `{"refused": reason}`. If it is not iterated to its end, the process is ended.

        Args:
            request: The request of a completion, with the `schema` that the answer is held to, or None.
            is_stopped: Asked again and again whether anybody still waits.

        Raises:
            ModelError: The process crashed.
            Stopped: Nobody waits any more.
        """
        self._asked += 1
        self._say({**request, "id": self._asked})
        stopped_at: float | None = None
        is_done = False
        try:
            while not is_done:
                if stopped_at is None and is_stopped():
                    stopped_at = monotonic()
                    self._say({"stop": self._asked})
                if stopped_at is not None and monotonic() - stopped_at > _PATIENCE:
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
        """End it at once. In a process that was forked from the one that started it, it is left alone."""
        self.has_ended = True
        if os.getpid() != self._owner:
            return
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):  # what was to be said last
                if stream is not None:
                    stream.close()

    def _wait_until_ready(self, is_stopped: Callable[[], bool]) -> None:
        while not (reply := self._reply("loaded")):
            if is_stopped():
                raise Stopped
        if "failed" in reply:
            why = (
                reply["failed"]
                or "it is damaged, of a kind that this xllamacpp does not know, or larger than the memory"
            )
            raise ModelError(
                f"llama.cpp cannot load {self._path}: {why}; fetch the file again, or pip install --upgrade xllamacpp"
            )

    def _reply(self, doing: str) -> dict[str, Any]:
        """Return what the process says next; nothing if that takes more than a moment.

        Args:
            doing: What it does meanwhile, for the error.
        """
        try:
            line = self._lines.get(timeout=A_MOMENT)
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
            f" ({_how_it_ended(self._process.returncode)}): the file is damaged, made to do harm, or larger than the memory;"
            " fetch it again, from a source that you trust, or give LlamaModel a smaller context"
        )

    def _say(self, what: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # it has ended, which shows when it is to reply
            self._process.stdin.write(json.dumps(what) + "\n")
            self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with suppress(OSError, ValueError):
            for line in self._process.stdout:
                self._lines.put(line)
        self._lines.put("")


def _how_it_ended(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code}, {signal.strsignal(-code)}"


def _end_all() -> None:
    for process in list(_running):
        process.end()
