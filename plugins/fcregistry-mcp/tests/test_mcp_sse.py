"""Servers that are reached over HTTP with server-sent events (SSE)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from fcregistry import Executor

from fcregistry_mcp import McpError, McpServer

from .conftest import SERVER, free_port, is_reachable, until

ADD = {"name": "add", "arguments": {"a": 1, "b": 2}}


@contextmanager
def sse_server(status: int) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Yield the process and the URL of a server over SSE that answers `status` to what is posted to its URL."""
    port = free_port()
    process = subprocess.Popen([sys.executable, str(SERVER), str(port), str(status)], stderr=subprocess.DEVNULL)
    try:
        until(lambda: is_reachable(port))
        yield process, f"http://127.0.0.1:{port}/mcp"
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("status", [404, 405])
def test_a_server_that_refuses_streamable_http_is_reached_over_sse(status: int) -> None:
    with sse_server(status) as (process, url), McpServer.http(url) as found, McpServer.sse(url, name="asked") as asked:
        assert Executor(found.tools()).run(ADD).value == {"total": 3}
        executor = Executor(asked.tools())
        assert executor.run(ADD).value == {"total": 3}
        process.kill()
        process.wait()
        lost = executor.run(ADD)
        assert (lost.error.code, lost.content[:20]) == ("tool_failed", "the MCP server asked")


def test_another_status_is_an_error_without_another_try() -> None:
    with sse_server(403) as (_, url), pytest.raises(McpError, match=r"it answered HTTP 403$"):
        McpServer.http(url).open()


def test_a_server_that_refuses_both_is_an_error_about_the_first() -> None:
    with sse_server(404) as (_, url):
        with pytest.raises(McpError, match=r"cannot be used: .*; it answered HTTP 404$"):
            McpServer.http(url.replace("mcp", "none")).open()
        with pytest.raises(McpError, match=r"cannot be used: .*; it answered HTTP 404$"):
            McpServer.sse(url.replace("mcp", "none")).open()


def test_a_url_that_is_not_http_is_refused() -> None:
    with pytest.raises(ValueError, match=r"takes an HTTP URL"):
        McpServer.sse("file:///etc/passwd")
