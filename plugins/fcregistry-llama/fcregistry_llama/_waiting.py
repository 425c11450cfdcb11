"""Follows a computation from an event loop: it runs on a thread of its own, and stops when the listener stops."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from typing import TypeVar

T = TypeVar("T")


async def followed(work: Callable[[Callable[[T], None], Callable[[], bool]], None]) -> AsyncGenerator[T, None]:
    """Yield what a computation tells, as it tells it; what it raises is raised.

    Args:
        work: The computation. It is given what takes its pieces, and what says whether to stop.
    """
    loop = asyncio.get_running_loop()
    told: asyncio.Queue[T | _Ended] = asyncio.Queue()
    stopped = threading.Event()

    def tell(piece: T | _Ended) -> None:
        try:
            loop.call_soon_threadsafe(told.put_nowait, piece)
        except RuntimeError:  # the loop is closed: nobody listens
            stopped.set()

    def run() -> None:
        error: BaseException | None = None
        try:
            work(tell, stopped.is_set)
        except BaseException as raised:  # noqa: BLE001  # it is raised where it is waited for
            error = raised
        tell(_Ended(error))

    threading.Thread(target=run, name="fcregistry-llama", daemon=True).start()
    try:
        while not isinstance(piece := await told.get(), _Ended):
            yield piece
        if piece.error is not None:
            raise piece.error
    finally:
        stopped.set()


class _Ended:
    def __init__(self, error: BaseException | None) -> None:
        self.error = error
