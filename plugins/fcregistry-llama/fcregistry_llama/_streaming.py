"""Runs a blocking computation on a thread for an event loop, and stops it with its reader."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from typing import TypeVar

T = TypeVar("T")


async def stream_from_thread(
    work: Callable[[Callable[[T], None], Callable[[], bool]], None],
) -> AsyncGenerator[T, None]:
    """Yield the pieces of a computation as they come, and raise its exception.

    Args:
        work: The computation. It gets a function that takes its pieces, and one that returns whether to stop.
    """
    loop = asyncio.get_running_loop()
    pieces: asyncio.Queue[T | _Ended] = asyncio.Queue()
    stopped = threading.Event()

    def emit(piece: T | _Ended) -> None:
        """Put `piece` into the queue of the loop; stop if the loop is closed."""
        try:
            loop.call_soon_threadsafe(pieces.put_nowait, piece)
        except RuntimeError:  # the loop is closed
            stopped.set()

    def run() -> None:
        """Run the computation, and emit its end with the exception that it raised, if any."""
        error: BaseException | None = None
        try:
            work(emit, stopped.is_set)
        except BaseException as raised:  # noqa: BLE001  # the loop raises it
            error = raised
        emit(_Ended(error))

    threading.Thread(target=run, name="fcregistry-llama", daemon=True).start()
    try:
        while not isinstance(piece := await pieces.get(), _Ended):
            yield piece
        if piece.error is not None:
            raise piece.error
    finally:
        stopped.set()


class _Ended:
    """The end of a computation, with the exception that it raised, or None."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error
