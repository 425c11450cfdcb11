"""What the tests ask. A real server, in a process of its own."""

from __future__ import annotations

import json
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:  # pytest imports this file also where the package is not installed, and its tests are passed over
    from fcregistry_mcp import McpServer

SERVER = Path(__file__).with_name("notes_server.py")

# A run in the background of a shell ignores interrupts, and so would the processes that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


LONG = 30
"""Seconds that nothing here takes, if it works."""


def until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so, or fail."""
    waiting = threading.Event()
    for _ in range(LONG * 100):
        if is_so():
            return
        waiting.wait(0.01)
    raise AssertionError("it never was so")


def free_port() -> int:
    """Return a port of this machine that no program uses."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def is_reachable(port: int) -> bool:
    """Return whether a program accepts connections to a port of this machine."""
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


class Notes:
    """Makes servers, and tells what they were asked."""

    def __init__(self, log: Path) -> None:
        self.log = log

    def server(self, name: str = "notes", **settings: Any) -> McpServer:
        from fcregistry_mcp import McpServer

        env = {"NOTES_LOG": str(self.log), **settings.pop("env", {})}
        return McpServer.stdio(sys.executable, str(SERVER), name=name, env=env, **settings)

    def asked(self) -> list[Any]:
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path / "asked")


@pytest.fixture(scope="module")
def server() -> Iterator[McpServer]:
    """A server that several tests ask, and none ends."""
    from fcregistry_mcp import McpServer

    with McpServer.stdio(sys.executable, str(SERVER), name="notes") as opened:
        yield opened
