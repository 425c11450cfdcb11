"""The transports of a server over HTTP: streamable HTTP, and the older HTTP with server-sent events (SSE).

Source: Model Context Protocol specification, "Base protocol: Transports", section "Backwards Compatibility".
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack
from ipaddress import ip_address
from socket import inet_aton
from typing import Any, Final

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from fcregistry_mcp._connection import Transport
from fcregistry_mcp._response_body import PLAIN, LimitedBody
from fcregistry_mcp._stderr import LastLines

_READING: Final = httpx2.Timeout(30.0, read=300.0)  # a server may hold a stream open while it works
_OLD: Final = (404, 405)
"""The statuses with which a server that has only SSE refuses to be posted to at its URL."""


class HttpTransports:
    """Makes the transports of a server over HTTP.

    Args:
        url: The server's URL.
        headers: Headers that are sent with each request.
    """

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url = url
        self._headers = headers
        self._posted = 0

    async def streamable(self, stack: AsyncExitStack, stderr: LastLines) -> Transport:
        """Return the transport over streamable HTTP, with limited bodies."""
        self._posted = 0
        client = await stack.enter_async_context(self._client(stderr))
        return streamable_http_client(self._url, http_client=client)

    async def sse(self, stack: AsyncExitStack, stderr: LastLines) -> Transport:
        """Return the transport over SSE, with limited bodies."""
        return sse_client(self._url, httpx_client_factory=lambda *_, **__: self._client(stderr))

    async def fallback(self, stack: AsyncExitStack, stderr: LastLines) -> Transport | None:
        """Return the transport over SSE if the server refused streamable HTTP as one that has only SSE does; else None."""
        return await self.sse(stack, stderr) if self._posted in _OLD else None

    def _client(self, stderr: LastLines) -> httpx2.AsyncClient:
        """Return an HTTP client for the server; the statuses of its errors are added to `stderr`."""

        async def limit_body(response: httpx2.Response) -> None:
            """Limit the body of `response`, and note its status."""
            response.stream = LimitedBody(response)
            if response.request.method == "POST":
                self._posted = response.status_code
            if response.is_error:  # the SDK's own error does not have the status
                stderr.note("answered", f"HTTP {response.status_code}")

        hooks: dict[str, list[Any]] = {"response": [limit_body]}
        return httpx2.AsyncClient(
            headers={**PLAIN, **self._headers},
            timeout=_READING,
            event_hooks=hooks,
            # A client that is given its transport uses no proxies; otherwise those of the environment.
            transport=httpx2.AsyncHTTPTransport() if _is_loopback(httpx2.URL(self._url).host) else None,
        )


def _is_loopback(host: str) -> bool:
    """Return whether `host` is this machine: `localhost` (RFC 6761), or an address, in any spelling.

    0.0.0.0 and `::` lead to this machine, too. Other names are not looked up.
    """
    name = host.lower().removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(inet_aton(host) if ":" not in host else host)  # `127.1` is an address, too
    except (OSError, ValueError):
        return False
    inner = getattr(address, "ipv4_mapped", None) or address
    return bool(inner.is_loopback or inner.is_unspecified)
