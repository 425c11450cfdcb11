"""The loaded model files: one server for a file and its settings, until it is closed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fcregistry_llama._headers import check_header
from fcregistry_llama._process import POLL_SECONDS, LlamaProcess, Stopped
from fcregistry_llama._rendering import Renderer


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading:
    """A file, and the settings to load it with.

    Attributes:
        path: The GGUF file.
        context: The most tokens of a conversation and its answer together; 0 for as many as the model was trained with.
        threads: The number of threads.
    """

    path: Path
    context: int
    threads: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A loaded model.

    Attributes:
        renderer: Renders its prompts.
        process: The process that runs it.
    """

    renderer: Renderer
    process: LlamaProcess


class Server:
    """One model, loaded for the first request. Requests take turns.

    Args:
        loading: The file, and the settings to load it with.
    """

    def __init__(self, loading: Loading) -> None:
        self._loading = loading
        self._turn = threading.Lock()
        self._loaded: Loaded | None = None
        self._is_closed = False

    @contextmanager
    def turn(self, is_stopped: Callable[[], bool]) -> Iterator[Loaded]:
        """Yield the model, for exclusive use.

        Args:
            is_stopped: Returns whether the caller has stopped waiting; called repeatedly while the model is busy or being loaded.

        Raises:
            ModelError: The file cannot be loaded.
            ModelNotFoundError: There is no such file, or it is not a GGUF file.
            Stopped: The caller has stopped waiting.
        """
        while not self._turn.acquire(timeout=POLL_SECONDS):
            if is_stopped():
                raise Stopped
        try:
            if self._loaded is None or self._loaded.process.has_ended:
                self._loaded = None
                self._loaded = self._load(is_stopped)
            yield self._loaded
        finally:
            self._turn.release()
            if self._is_closed:
                self.close()

    def close(self) -> None:
        """Free the model's memory, once the answer in progress has ended."""
        self._is_closed = True
        if self._turn.acquire(blocking=False):  # otherwise `turn` closes it at its end
            try:
                if self._loaded is not None:
                    self._loaded.process.end()
                self._loaded = None
            finally:
                self._turn.release()

    def _load(self, is_stopped: Callable[[], bool]) -> Loaded:
        """Check the file, start a process with it, and return the loaded model."""
        path = self._loading.path
        renderer = Renderer(path, check_header(path))
        process = LlamaProcess(
            path, context=self._loading.context, threads=self._loading.threads, is_stopped=is_stopped
        )
        return Loaded(renderer=renderer, process=process)


_servers: Final[dict[tuple[int, Loading], Server]] = {}


def physical_cores() -> int:
    """Return how many cores this process may use.

    On Linux, two threads that share a core count as one.
    """
    try:
        places = [Path(f"/sys/devices/system/cpu/cpu{cpu}/topology") for cpu in os.sched_getaffinity(0)]
        return len({(place / "thread_siblings_list").read_text(encoding="ascii") for place in places})
    except (OSError, AttributeError):
        return os.cpu_count() or 1


def server(loading: Loading) -> Server:
    """Return the server of the model `loading`, which loads the model for the first request."""
    # One atomic step instead of a lock, which a fork might inherit locked. The process id is in the key so that forks load their own.
    return _servers.setdefault((os.getpid(), loading), Server(loading))


def release(loading: Loading) -> None:
    """Free the memory of the model `loading`, once the answer in progress has ended."""
    if (found := _servers.pop((os.getpid(), loading), None)) is not None:
        found.close()
