"""Which model files are loaded: each once for the same settings, from its first use until it is closed or this process ends."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fcregistry_llama._headers import checked_header
from fcregistry_llama._process import A_MOMENT, LlamaProcess, Stopped
from fcregistry_llama._rendering import Renderer


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading:
    """What is loaded, and how.

    Attributes:
        path: The GGUF file.
        context: Tokens of a conversation and its answer together; 0 for as many as the model was trained with.
        threads: Threads that compute; None for as many as llama.cpp takes.
    """

    path: Path
    context: int
    threads: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A model that can be asked.

    Attributes:
        renderer: Writes what it reads.
        process: Runs it.
    """

    renderer: Renderer
    process: LlamaProcess


class Server:
    """One model, loaded when it is first asked; who asks it waits for their turn.

    Args:
        loading: What is loaded, and how.
    """

    def __init__(self, loading: Loading) -> None:
        self._loading = loading
        self._turn = threading.Lock()
        self._loaded: Loaded | None = None
        self._is_closed = False

    @contextmanager
    def turn(self, is_stopped: Callable[[], bool]) -> Iterator[Loaded]:
        """Give a model that nobody else asks meanwhile.

        Args:
            is_stopped: Asked again and again, while it is busy or loaded, whether anybody still waits.

        Raises:
            ModelError: The file cannot be loaded.
            ModelNotFoundError: There is no such file, or it is not a GGUF file.
            Stopped: Nobody waits any more.
        """
        while not self._turn.acquire(timeout=A_MOMENT):
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
        """Let go of the model's memory, once the answer under way has ended."""
        self._is_closed = True
        if self._turn.acquire(blocking=False):  # else, who has it closes it
            try:
                if self._loaded is not None:
                    self._loaded.process.end()
                self._loaded = None
            finally:
                self._turn.release()

    def _load(self, is_stopped: Callable[[], bool]) -> Loaded:
        path = self._loading.path
        renderer = Renderer(path, checked_header(path))
        process = LlamaProcess(
            path, context=self._loading.context, threads=self._loading.threads, is_stopped=is_stopped
        )
        return Loaded(renderer=renderer, process=process)


_servers: Final[dict[tuple[int, Loading], Server]] = {}


def server(loading: Loading) -> Server:
    """Return the server of a model, which loads it when it is asked."""
    # One step, so that no lock is needed, which a forked process might find taken. The process is part of the key for the same reason.
    return _servers.setdefault((os.getpid(), loading), Server(loading))


def release(loading: Loading) -> None:
    """Let go of a model: its memory is free once the answer under way has ended."""
    if (found := _servers.pop((os.getpid(), loading), None)) is not None:
        found.close()
