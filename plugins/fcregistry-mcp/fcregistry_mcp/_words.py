"""What a server writes to its standard error. Its last lines are kept to say why it failed; all go to the log."""

from __future__ import annotations

import os
from collections import deque
from logging import getLogger
from threading import Thread
from typing import IO, Final

from fcregistry.execution import Secrets

_LINES: Final = 20
_LONGEST: Final = 500
_LONGEST_READ: Final = 65_536
"""Characters of a line that are read at once: what is secret is found whole before the line is cut."""
_SECONDS: Final = 1.0
"""How long one waits for the last words of a process that has ended; a child of it may hold the pipe open."""


class LastWords:
    """Takes what a process writes to its standard error.

    Args:
        server: What the server is called.
        secrets: What is not kept, nor logged.

    Attributes:
        pipe: What the process is given for it.
    """

    def __init__(self, server: str, secrets: Secrets) -> None:
        reading, writing = os.pipe()
        self.pipe: IO[str] = os.fdopen(writing, "w", encoding="utf-8")
        self._secrets = secrets
        self._lines: deque[str] = deque(maxlen=_LINES)
        self._thread = Thread(target=self._read, args=(reading, server), name=f"stderr of {server}", daemon=True)
        self._thread.start()

    def _read(self, reading: int, server: str) -> None:
        log = getLogger("fcregistry_mcp")
        with os.fdopen(reading, encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
            while line := stream.readline(_LONGEST_READ):
                said = "".join(char for char in line.rstrip() if char.isprintable() or char == "\t")
                said = self._secrets.hide(said)[:_LONGEST]
                if said:
                    self.add(said)
                    log.info("%s: %s", server, said)

    def add(self, line: str) -> None:
        """Take a line that says why it may fail."""
        if not self._lines or self._lines[-1] != line:
            self._lines.append(line)

    def close(self) -> None:
        """Close our end of the pipe; what the process has still to say is read on."""
        self.pipe.close()

    def said(self) -> str:
        """Return the last lines as a text that can be added to a message; empty if there are none."""
        self.close()
        self._thread.join(_SECONDS)
        lines = list(self._lines)
        return f"; its last words: {' / '.join(lines[-3:])}" if lines else ""
