"""What the tests ask. A real server, in a process of its own."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:  # pytest imports this file also where the package is not installed, and its tests are passed over
    from fcregistry_mcp import McpServer

SERVER = Path(__file__).with_name("notes_server.py")

# A run in the background of a shell ignores interrupts, and so would the processes that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


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
