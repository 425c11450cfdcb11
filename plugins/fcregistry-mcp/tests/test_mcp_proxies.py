"""Which requests over HTTP go through the proxy that the environment names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from fcregistry_mcp import McpError, McpServer

KEY = "Bearer hush-hush"


@contextmanager
def refusing_server() -> Iterator[tuple[int, list[tuple[str, str | None]]]]:
    """Yield the port of a server that refuses every request, and the targets and `Authorization` headers that it receives."""
    received: list[tuple[str, str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            received.append((self.path, self.headers["Authorization"]))
            self.send_response(403)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *words: object) -> None:
            """Write no log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_port, received
        finally:
            server.shutdown()
            thread.join()


def open_and_fail(url: str) -> None:
    with pytest.raises(McpError, match="HTTP 403"):
        McpServer.http(url, headers={"Authorization": KEY}).open()


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, str | None]]]:
    """What a proxy receives that the environment names for every request."""
    for name in ("no_proxy", "NO_PROXY", "https_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with refusing_server() as (port, received):
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
        yield received


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "localhost", "LOCALHOST", "0.0.0.0"])
def test_requests_to_this_machine_never_go_through_a_proxy(host: str, proxy: list[tuple[str, str | None]]) -> None:
    with refusing_server() as (port, received):
        open_and_fail(f"http://{host}:{port}/mcp")
    assert {*received} == {("/mcp", KEY)}
    assert proxy == []


def test_requests_to_other_machines_go_through_the_proxy(proxy: list[tuple[str, str | None]]) -> None:
    open_and_fail("http://tools.test/mcp")
    assert {*proxy} == {("http://tools.test/mcp", KEY)}
