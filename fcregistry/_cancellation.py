"""How is a call told to stop?"""

from __future__ import annotations

import sys
from _thread import allocate_lock

from fcregistry.errors import CallCancelledError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class CancellationToken:
    """Something that is cancelled once, and tells whoever asks or waits. Thread-safe, also for a signal handler.

    An application passes one to a call to be able to stop it. A tool finds its own in `context.cancellation`: it asks now and then, waits on it
    instead of sleeping, or has it close what it holds.

        token = CancellationToken()
        executor.run(call, cancellation=token)   # from another thread: token.cancel()
    """

    __slots__ = ("__weakref__", "_callbacks", "_reasons")

    # No lock: a signal handler that cancels runs between any two steps of the very thread that would hold it. Each step is one operation
    # of a list or a dict instead: the first reason stands, and whoever takes a callback out runs it.
    def __init__(self) -> None:
        self._reasons: list[str] = []  # of whoever cancelled; empty until somebody does
        self._callbacks: dict[object, Callable[[], object]] = {}

    @property
    def cancelled(self) -> bool:
        """Whether it was cancelled."""
        return bool(self._reasons)

    @property
    def reason(self) -> str:
        """Why, as `cancel` was told."""
        return self._reasons[0] if self._reasons else ""

    def cancel(self, reason: str = "") -> None:
        """Cancel, and run what waits for it; later calls change nothing.

        Args:
            reason: Why, for whoever asks.
        """
        if self._reasons:
            return
        self._reasons.append(reason)
        for key in list(self._callbacks):
            self._tell(key)

    def on_cancel(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Have a function called when this is cancelled; at once, if it is already.

        Args:
            callback: Called once, on the thread that cancels. What it raises is logged.

        Returns:
            A function that takes it back.
        """
        key = object()
        self._callbacks[key] = callback
        if self._reasons:  # looked at only now: who cancels before this line may not have seen the callback
            self._tell(key)
        return lambda: self._forget(key)

    def _tell(self, key: object) -> None:
        callback = self._callbacks.pop(key, None)
        if callback is not None:
            _run(callback)

    def _forget(self, key: object) -> None:
        self._callbacks.pop(key, None)

    def check(self) -> None:
        """Do nothing, or end a tool that was cancelled.

        Raises:
            CallCancelledError: It was cancelled.
        """
        if self._reasons:
            raise CallCancelledError(self._reasons[0])

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it is cancelled: what a blocking tool does in place of `time.sleep`.

        Args:
            seconds: How long at most; None for ever.

        Returns:
            Whether it was cancelled.
        """
        if not self._reasons:
            released = allocate_lock()
            released.acquire()
            take_back = self.on_cancel(released.release)
            try:
                released.acquire(timeout=-1 if seconds is None else min(max(seconds, 0.0), _LONGEST))
            finally:
                take_back()
        return self.cancelled

    def __repr__(self) -> str:
        state = f"cancelled: {self.reason}" if self.reason else "cancelled" if self._reasons else "not cancelled"
        return f"<CancellationToken {state}>"


def linked(parent: CancellationToken | None) -> tuple[CancellationToken, Callable[[], None]]:
    """Return a token that is cancelled with another, and what ends that: a token that lives long is not to remember every call."""
    token = CancellationToken()
    if parent is None:
        return token, _nothing
    return token, parent.on_cancel(lambda: token.cancel(parent.reason))


def _nothing() -> None:
    """Do nothing."""


_LONGEST = 1e8
"""Seconds that every platform's locks can wait."""


def _run(callback: Callable[[], Any]) -> None:
    try:
        callback()
    except Exception:  # foreign code: one that fails keeps no other from being told  # noqa: BLE001
        logging = sys.modules.get("logging")  # where nobody imported it, nobody reads its records
        if logging is not None:
            logging.getLogger("fcregistry").exception("a callback of a CancellationToken failed")
