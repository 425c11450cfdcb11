"""A stream that several threads use at once says so."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from fcregistry import dialects

WAIT = 20


class Held(str):
    """A piece of text that waits while a stream adds it to the text before it."""

    __slots__ = ("added", "released")

    def __new__(cls, text: str) -> Held:
        made = super().__new__(cls, text)
        made.added, made.released = threading.Event(), threading.Event()
        return made

    def __radd__(self, before: str) -> str:
        self.added.set()
        assert self.released.wait(WAIT)
        return before + str(self)


USES: dict[str, Callable[[Any], Any]] = {
    "feed": lambda stream: stream.feed("b"),
    "close": lambda stream: stream.close(),
}


@pytest.mark.parametrize("dialect", ["hermes", "auto"])
@pytest.mark.parametrize("use", USES)
def test_a_stream_that_two_threads_use_says_so_and_can_be_used_on(dialect: str, use: str) -> None:
    stream, held = dialects.get(dialect).stream(), Held("a")
    with ThreadPoolExecutor(1) as pool:
        feeding = pool.submit(stream.feed, held)
        try:
            assert held.added.wait(WAIT)
            with pytest.raises(
                RuntimeError,
                match=r"^another thread is using this stream: feed each text on one thread, to a stream of its own, or use a lock$",
            ):
                USES[use](stream)
        finally:
            held.released.set()
        feeding.result(WAIT)
    stream.feed("c")
    assert stream.close().content == "ac"
