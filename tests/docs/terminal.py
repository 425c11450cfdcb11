"""What does a command print on a reader's terminal? Programs say less, or something else, when they see a pipe."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import termios
import time
from pathlib import Path

ROWS, COLUMNS = 24, 80


def run(command: list[str], *, cwd: Path, env: dict[str, str], seconds: float) -> tuple[int, str]:
    """Run a program whose both outputs are a terminal and whose input is empty; return its status and what it printed.

    Raises:
        TimeoutError: It takes longer than this; it and all that it started are ended.
    """
    terminal, outputs = pty.openpty()
    termios.tcsetwinsize(outputs, (ROWS, COLUMNS))
    process = subprocess.Popen(
        command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=outputs, stderr=outputs, start_new_session=True
    )
    os.close(outputs)
    try:
        printed = read(terminal, time.monotonic() + seconds)
        lines = printed.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
        return process.wait(), "\n".join(map(overwritten, lines))
    finally:
        os.close(terminal)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def overwritten(line: str) -> str:
    """Return what a terminal shows of a line that is written several times, from its beginning."""
    shown = ""
    for part in line.split("\r"):
        shown = part + shown[len(part) :]
    return shown


def read(terminal: int, deadline: float) -> bytes:
    """Read until nobody can write any more."""
    printed = b""
    while select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))[0]:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # EIO: how Linux says that the other end is closed
            return printed
        if not chunk:
            return printed
        printed += chunk
    raise TimeoutError(printed.decode("utf-8", "replace"))
