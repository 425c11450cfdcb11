"""How does plain code ask a model, which answers in coroutines? On the process's background loop, in a copy of the caller's context."""

from __future__ import annotations

import asyncio
import queue
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, TypeVar, cast

from fcregistry.execution._event_loop import background

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Generator

T = TypeVar("T")


def run_plainly(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine, and wait for what it returns; an interrupt while waiting cancels it.

    Args:
        make: Makes the coroutine.
    """
    return cast("T", background.run(make))


def stream_plainly(make: Callable[[], AsyncIterator[T]]) -> Generator[T, None, None]:
    """Yield what an asynchronous iterator yields; whoever stops listening cancels it.

    One task carries the whole iteration, since clients of providers do not bear to be taken up by another.

    Args:
        make: Makes the iterator.
    """
    said: queue.SimpleQueue[tuple[bool, Any]] = queue.SimpleQueue()

    async def pump() -> None:
        async with aclosing(cast("Any", make())) as pieces:
            async for piece in pieces:
                said.put((True, piece))
                await asyncio.sleep(0)  # an iterator that never waits would hold the loop, and could not be stopped

    pumping = background.submit(pump)
    pumping.add_done_callback(lambda _: said.put((False, None)))
    try:
        while (told := said.get())[0]:
            yield told[1]
        pumping.result()
    finally:
        pumping.cancel()
