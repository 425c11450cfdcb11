"""Which client of an SDK does a request go through? One for each event loop: its connections belong to the loop that they were made on."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class PerLoop(Generic[T]):
    """Keeps a client for every event loop that asks for one, and closes it when the loop ends, or when nobody keeps this any more.

    A client is held by an asynchronous generator that waits at its `yield`: a loop closes those that began on it before it ends, as
    `asyncio.run` does, and one that is dropped is closed on its loop.

    Args:
        make: Makes a client.
        close: Closes one that this has made; nothing is closed without it. It may not hold whoever keeps this, who would stay for ever.
    """

    def __init__(self, make: Callable[[], T], close: Callable[[T], Awaitable[object]] | None = None) -> None:
        self._make = make
        self._close = close
        self._held: dict[asyncio.AbstractEventLoop, tuple[T, AsyncGenerator[T]]] = {}
        # Held from outside, so that clients are still whole when what keeps them is garbage: a collector that finds connections and
        # generators in one heap finalises them in any order, and a connection that comes first is found open.
        weakref.finalize(self, self._held.clear).atexit = False

    async def get(self) -> T:
        """Return the client of the running loop; it is made at the first time."""
        loop = asyncio.get_running_loop()
        held = self._held.get(loop)
        if held is None:
            for other in [each for each in list(self._held) if each.is_closed()]:
                self._held.pop(other, None)
            holder = _hold(self._make(), self._close)
            held = self._held[loop] = (await anext(holder), holder)
        return held[0]


async def _hold(client: T, close: Callable[[T], Awaitable[object]] | None) -> AsyncGenerator[T]:
    try:
        yield client
    finally:
        if close is not None:
            await close(client)
