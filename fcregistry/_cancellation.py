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
    """Something that is cancelled once, and tells whoever asks or waits. Thread-safe.

    An application passes one to a call to be able to stop it. A tool finds its own in `context.cancellation`: it asks now and then, waits on it
    instead of sleeping, or has it close what it holds.

        token = CancellationToken()
        executor.run(call, cancellation=token)   # from another thread: token.cancel()
    """

    __slots__ = ("__weakref__", "_callbacks", "_cancelled", "_lock", "_reason")

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._cancelled = False
        self._reason = ""
        self._callbacks: list[Callable[[], object]] = []

    @property
    def cancelled(self) -> bool:
        """Whether it was cancelled."""
        return self._cancelled

    @property
    def reason(self) -> str:
        """Why, as `cancel` was told."""
        return self._reason

    def cancel(self, reason: str = "") -> None:
        """Cancel, and run what waits for it; later calls change nothing.

        Args:
            reason: Why, for whoever asks.
        """
        with self._lock:
            if self._cancelled:
                return
            self._reason = reason
            self._cancelled = True
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:  # without the lock: they may ask this very token
            _run(callback)

    def on_cancel(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Have a function called when this is cancelled; at once, if it is already.

        Args:
            callback: Called once, on the thread that cancels. What it raises is logged.

        Returns:
            A function that takes it back.
        """
        with self._lock:
            if not self._cancelled:
                self._callbacks.append(callback)
                return lambda: self._forget(callback)
        _run(callback)
        return _nothing

    def _forget(self, callback: Callable[[], object]) -> None:
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

    def check(self) -> None:
        """Do nothing, or end a tool that was cancelled.

        Raises:
            CallCancelledError: It was cancelled.
        """
        if self._cancelled:
            raise CallCancelledError(self._reason)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it is cancelled: what a blocking tool does in place of `time.sleep`.

        Args:
            seconds: How long at most; None for ever.

        Returns:
            Whether it was cancelled.
        """
        if not self._cancelled:
            released = allocate_lock()
            released.acquire()
            take_back = self.on_cancel(released.release)
            try:
                released.acquire(timeout=-1 if seconds is None else min(max(seconds, 0.0), _LONGEST))
            finally:
                take_back()
        return self._cancelled

    def __repr__(self) -> str:
        state = f"cancelled: {self._reason}" if self._reason else "cancelled" if self._cancelled else "not cancelled"
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
