"""A server's standard error: all lines are logged, and an error shows the last ones."""

from __future__ import annotations

import os
from collections import deque
from logging import getLogger
from threading import Thread
from typing import IO, Final

from fcregistry.execution import Secrets

_LINES: Final = 20
LONGEST: Final = 500
"""Characters of a line that are logged."""
_LONGEST_READ: Final = 65_536
"""Characters of a line that are read at once, so that secrets are found whole before the line is cut."""
_SECONDS: Final = 1.0
"""Seconds to wait for the last lines of a process that has ended; one of its children may keep the pipe open."""


class LastLines:
    """Reads what a process writes to its standard error, and keeps the last lines.

    Args:
        server: The server's name.
        secrets: Secrets that are replaced before a line is kept or logged.

    Attributes:
        pipe: The file that the process gets as its standard error.
    """

    def __init__(self, server: str, secrets: Secrets) -> None:
        reading, writing = os.pipe()
        self.pipe: IO[str] = os.fdopen(writing, "w", encoding="utf-8")
        self._secrets = secrets
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._thread = Thread(target=self._read, args=(reading, server), name=f"stderr of {server}", daemon=True)
        self._thread.start()

    def _read(self, reading: int, server: str) -> None:
        """Log and keep each line of the pipe `reading`, without secrets, until it is closed."""
        log = getLogger("fcregistry_mcp")
        with os.fdopen(reading, encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
            while line := stream.readline(_LONGEST_READ):
                text = self._secrets.hide(printable(line.rstrip()))[:LONGEST]
                if text:
                    self.add(text)
                    log.info("%s: %s", server, text)

    def add(self, line: str) -> None:
        """Add a line that may explain a failure."""
        if not self._lines or self._lines[-1] != line:
            self._lines.append(line)

    def close(self) -> None:
        """Close this process's end of the pipe; what the server still writes is read."""
        self.pipe.close()

    def last(self) -> str:
        """Return the last lines as an addition to a message; empty if there are none."""
        self.close()
        self._thread.join(_SECONDS)
        lines = list(self._lines)
        return f"; its last lines: {' / '.join(lines[-3:])}" if lines else ""


def printable(text: str) -> str:
    """Return `text` without the characters that change what a terminal shows."""
    return "".join(char for char in text if char.isprintable() or char == "\t")
