"""Printed text sent to stderr, for programs whose stdout is reserved for answers."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from fcregistry._base.forks import after_fork


class _PrintsToStderr:
    """Redirects stdout to stderr while any thread is inside.

    `contextlib.redirect_stdout` would leave stdout redirected for good if two threads overlap: the second takes the redirection of the
    first for the original.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside: list[int] = []  # thread ids, each once for each time it has entered
        self._stdout: TextIO | None = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        after_fork(self, _PrintsToStderr._renew)
        thread = threading.get_ident()
        with self._lock:
            if not self._inside:
                self._stdout, sys.stdout = sys.stdout, sys.stderr
            self._inside.append(thread)
        try:
            yield
        finally:
            with self._lock:
                self._leave(thread)

    def _leave(self, thread: int) -> None:
        """Remove one entry of `thread`, and restore `sys.stdout` if no thread is inside any more."""
        self._inside.remove(thread)
        if not self._inside:
            sys.stdout, self._stdout = self._stdout, None

    def _renew(self) -> None:
        """Make a new lock, and remove the entries of threads that this forked process does not have."""
        self._lock = threading.Lock()
        for thread in [each for each in self._inside if each != threading.get_ident()]:
            self._leave(thread)


prints_to_stderr = _PrintsToStderr()
