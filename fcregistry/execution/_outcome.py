"""What calling a function gives, and who calls it: the records that every step of a call shares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool


class Outcome(NamedTuple):
    """What calling a function gave: its value or what it raised, and the seconds it took."""

    value: Any
    exception: BaseException | None
    duration: float


class GivenUp(Exception):
    """Nobody waits for a call any more.

    Attributes:
        why: Whether its time was up, or it was cancelled.
        seconds: The time that it had.
        reason: What the one who cancelled said.
        stopped: Whether it has come to an end.
    """

    def __init__(
        self,
        why: Literal["timeout", "cancelled"],
        seconds: float | None = None,
        reason: str = "",
        *,
        stopped: bool = False,
    ) -> None:
        super().__init__(why)
        self.why = why
        self.seconds = seconds
        self.reason = reason
        self.stopped = stopped


class ItemChannel(Protocol):
    """Takes what a streamed call gives before it ends."""

    @property
    def has_given(self) -> bool: ...
    def put(self, item: object) -> None: ...
    async def aput(self, item: object) -> None: ...
    def report(self, progress: float, message: str) -> object: ...


Submit: TypeAlias = "Callable[[Tool, Mapping[str, Any], float | None], Future[Outcome]]"
"""Has a tool run with valid JSON arguments and the seconds that it may take, and returns what will come of it; cancelling that ends it."""


class RemoteRunner(NamedTuple):
    """What runs the calls of a tool.

    Attributes:
        submit: Hands a call over.
        keeps_time: Whether it ends a call whose time is up by itself, and counts from when the tool begins; then nobody else need.
        leave: Told who calls no more tools; None where that is of no consequence, as for a pool, which stays its owner's.
    """

    submit: Submit
    keeps_time: bool
    leave: Callable[[object], None] | None = None
