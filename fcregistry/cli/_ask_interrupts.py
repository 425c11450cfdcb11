"""What does Ctrl-C do to a run? It is cancelled, as a program cancels one; whatever does not end then is left behind."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer, get_ident
from typing import TYPE_CHECKING, Final

from fcregistry.execution import CancellationToken

if TYPE_CHECKING:
    from types import FrameType

_PATIENCE: Final = 1.0
"""Seconds that a run has to end by itself."""


@contextmanager
def cancelled_by_interrupt() -> Iterator[CancellationToken]:
    """Return a token that the first interrupt cancels; the next one, or some time, raises.

    A process that exits while its other threads still work may be aborted by the system: Python stops them wherever they are. So a run
    that can end does so first.

    Raises:
        KeyboardInterrupt: It was interrupted, and has not ended by itself.
    """
    token = CancellationToken()
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # ignored, as in the background of a shell
        yield token
        return
    patience = Timer(_PATIENCE, _interrupt, (get_ident(),))
    patience.daemon = True

    def interrupt(number: int, frame: FrameType | None) -> None:
        if token.cancelled:
            raise KeyboardInterrupt
        token.cancel("interrupted")
        patience.start()

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield token
    finally:
        patience.cancel()
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if token.cancelled:
        raise KeyboardInterrupt


def _interrupt(thread: int) -> None:
    """Interrupt a thread, also one that waits for a lock: a signal to any other would not wake it."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(thread, signal.SIGINT)
    else:  # on Windows
        signal.raise_signal(signal.SIGINT)
