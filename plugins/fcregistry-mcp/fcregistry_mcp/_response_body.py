"""Limits how much of a server's answer over HTTP is read.

Source: WHATWG HTML, "Server-sent events": an empty line ends an event.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

import httpx2

MOST_BYTES: Final = 16_000_000
"""The most bytes of an answer or, of a stream of events, of one event."""

PLAIN: Final = {"Accept-Encoding": "identity"}
"""Asks for answers that are not compressed: a few compressed bytes can become very many."""


class LimitedBody(httpx2.AsyncByteStream):
    """The body of a response, which fails if it is too long or compressed.

    Args:
        response: The response, whose body was not read.
    """

    def __init__(self, response: httpx2.Response) -> None:
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        self._stream = response.stream
        self._is_compressed = response.headers.get("content-encoding", "identity") != "identity"
        self._is_events = response.headers.get("content-type", "").startswith("text/event-stream")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._is_compressed:
            raise httpx2.ReadError("the server compresses its answer, which it was asked not to do")
        size, tail = 0, b""
        async for chunk in self._stream:
            tail = (tail[-3:] + chunk).replace(b"\r\n", b"\n")
            if self._is_events and b"\n\n" in tail:
                size = len(tail) - tail.rindex(b"\n\n")
            else:
                size += len(chunk)
            if size > MOST_BYTES:
                raise httpx2.ReadError(f"the answer of the server has more than {MOST_BYTES} bytes")
            yield chunk

    async def aclose(self) -> None:
        """Close the connection."""
        await self._stream.aclose()
