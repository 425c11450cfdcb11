"""What the tests ask: real servers on loopback, and a stub of DNS."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for the modules that are no tests

from web_servers import Dns, Replies, Server


@pytest.fixture
def dns(monkeypatch: pytest.MonkeyPatch) -> Dns:
    stub = Dns()
    monkeypatch.setattr(socket, "getaddrinfo", stub.getaddrinfo)
    return stub


@pytest.fixture
def replies() -> Replies:
    return {}


@pytest.fixture
def server(replies: Replies) -> Iterator[Server]:
    with Server(replies) as running:
        yield running
