"""One client for each event loop, which is closed when it is no longer needed."""

from __future__ import annotations

import asyncio
import gc
import weakref
from itertools import count

from fcregistry.models._connection import PerLoop  # laws of what is kept for each event loop, without a client

WAIT = 20


class Client:
    """Something that is closed."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.closed_on: asyncio.AbstractEventLoop | None = None
        self.closed = asyncio.Event()

    async def close(self) -> None:
        """Close it, which takes a turn of the loop."""
        await asyncio.sleep(0)
        self.closed_on = asyncio.get_running_loop()
        self.closed.set()


def clients(made: list[Client]) -> PerLoop[Client]:
    """Return a keeper of clients that are remembered."""
    numbers = count()

    def make() -> Client:
        made.append(Client(next(numbers)))
        return made[-1]

    return PerLoop(make, Client.close)


def test_a_loop_has_one_client_and_ends_it() -> None:
    made: list[Client] = []
    kept = clients(made)

    async def ask() -> asyncio.AbstractEventLoop:
        got = await asyncio.gather(*(kept.get() for _ in range(5)))
        assert len(set(got)) == 1
        assert not got[0].closed.is_set()
        return asyncio.get_running_loop()

    loops = [asyncio.run(ask()), asyncio.run(ask())]
    assert [client.closed_on for client in made] == loops


def test_an_unreferenced_client_is_closed_on_its_loop_also_by_the_garbage_collector() -> None:
    made: list[Client] = []

    async def ask(in_a_circle: bool) -> None:
        kept = [clients(made)]
        client = await kept[0].get()
        if in_a_circle:
            kept.append(kept)  # type: ignore[arg-type]
        del kept
        gc.collect()
        await asyncio.wait_for(client.closed.wait(), WAIT)
        assert client.closed_on is asyncio.get_running_loop()

    for in_a_circle in (False, True):
        asyncio.run(ask(in_a_circle))
    assert len(made) == 2


def test_a_loop_that_has_ended_holds_nothing_any_more() -> None:
    kept = PerLoop(lambda: Client(0))

    async def ask() -> weakref.ref[Client]:
        return weakref.ref(await kept.get())

    first, second = asyncio.run(ask()), asyncio.run(ask())
    gc.collect()
    assert first() is None
    assert second() is not None


def test_the_users_own_client_is_not_closed() -> None:
    async def ask() -> Client:
        client = Client(0)
        assert await PerLoop(lambda: client).get() is client
        return client

    assert asyncio.run(ask()).closed_on is None


def test_a_client_that_cannot_be_made_is_tried_again() -> None:
    tries = count()

    def make() -> int:
        return 1 // next(tries)  # the first time, nothing can be made

    async def ask() -> int:
        kept = PerLoop(make)
        try:
            await kept.get()
        except ZeroDivisionError:
            return await kept.get()
        return 0

    assert asyncio.run(ask()) == 1
