"""Where does go what foreign code prints, when stdout is for answers? To stderr."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO


class _PrintsToStderr:
    """Sends what is printed to stderr while any thread is inside.

    `contextlib.redirect_stdout` would leave stdout redirected for good where two threads overlap: the second takes the first one's
    redirection for the original.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._stdout: TextIO | None = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            if self._inside == 0:
                self._stdout, sys.stdout = sys.stdout, sys.stderr
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if self._inside == 0:
                    sys.stdout, self._stdout = self._stdout, None


prints_to_stderr = _PrintsToStderr()
