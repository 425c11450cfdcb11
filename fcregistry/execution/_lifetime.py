"""When may an executor be used, and what ends with it? From when it is made until its `with` block is left; then what only it has used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fcregistry.execution._elsewhere._places import Place


class Lifetime:
    """Whether an executor still takes calls.

    Args:
        places: What runs its calls in other processes, by the name of the tool.
    """

    __slots__ = ("_entered", "_leaves", "_left")

    def __init__(self, places: Mapping[str, Place]) -> None:
        self._entered = False
        self._left = False
        self._leaves = {place.leave for place in places.values() if place.leave is not None}

    def check(self) -> None:
        """See that it still takes calls.

        Raises:
            RuntimeError: Its `with` block was left.
        """
        if self._left:
            raise RuntimeError(
                "the with block of this executor was left: make calls inside of it, or make another executor"
            )

    def enter(self) -> None:
        """Begin its `with` block.

        Raises:
            RuntimeError: It was begun before.
        """
        if self._entered:
            raise RuntimeError("an executor has one with block: make another executor for the next")
        self._entered = True

    def leave(self, user: object) -> None:
        """End its `with` block, on this thread: that may wait for processes to end.

        Args:
            user: The executor, as what runs its calls knows it.
        """
        self._left = True
        for leave in self._leaves:
            leave(user)

    async def aleave(self, user: object) -> None:
        """End its `with` block, and let the running loop turn meanwhile; as `leave` otherwise."""
        self._left = True
        if self._leaves:
            from asyncio import to_thread  # there is a loop, so it is imported

            await to_thread(self.leave, user)
