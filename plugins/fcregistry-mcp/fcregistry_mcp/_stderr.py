"""What an error shows of a server: the last lines of its standard error, all of which are logged, and what else it sent."""

from __future__ import annotations

import os
from collections import deque
from logging import getLogger
from threading import Thread
from typing import IO, Final

from fcregistry.execution import Secrets

_LINES: Final = 20
_SHOWN: Final = 3
LONGEST: Final = 500
"""Characters of a line that are logged."""
_LONGEST_READ: Final = 65_536
"""Characters of a line that are read at once, so that secrets are found whole before the line is cut."""
_SECONDS: Final = 1.0
"""Seconds to wait for the last lines of a process that has ended; one of its children may keep the pipe open."""


class LastLines:
    """Reads what a process writes to its standard error, and keeps the last lines and other notes for an error.

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
        self._notes: dict[str, list[str]] = {}
        self._thread = Thread(target=self._read, args=(reading, server), name=f"stderr of {server}", daemon=True)
        self._thread.start()

    def _read(self, reading: int, server: str) -> None:
        """Log and keep each line of the pipe `reading`, without secrets, until it is closed."""
        log = getLogger("fcregistry_mcp")
        with os.fdopen(reading, encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
            while line := stream.readline(_LONGEST_READ):
                text = self._secrets.hide(printable(line.rstrip()))[:LONGEST]
                if text:
                    self._lines.append(text)
                    log.info("%s: %s", server, text)

    def note(self, what: str, detail: str) -> None:
        """Note what else may explain a failure; of each kind, the first few are kept.

        Args:
            what: The kind, as words after "it": `answered`.
            detail: What it was.
        """
        details = self._notes.setdefault(what, [])
        if len(details) < _SHOWN and detail not in details:
            details.append(detail)

    def close(self) -> None:
        """Close this process's end of the pipe; what the server still writes is read."""
        self.pipe.close()

    def last(self) -> str:
        """Return the notes and the last lines as an addition to a message; empty if there are none."""
        self.close()
        self._thread.join(_SECONDS)
        notes = "".join(f"; it {what} {' / '.join(details)}" for what, details in self._notes.items())
        lines = list(self._lines)[-_SHOWN:]
        return f"{notes}; its last lines: {' / '.join(lines)}" if lines else notes


def printable(text: str) -> str:
    """Return `text` without the characters that change what a terminal shows."""
    return "".join(char for char in text if char.isprintable() or char == "\t")
