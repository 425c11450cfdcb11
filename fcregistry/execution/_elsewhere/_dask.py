"""Has a worker of Dask begun this call before? Dask runs again what was on a worker that died, and no call of a tool is to run twice."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def begun(call: str) -> Iterator[bool]:
    """Keep on Dask's scheduler, while a call runs, that it does; elsewhere, do nothing.

    Args:
        call: The id of the call, which no other has.

    Yields:
        Whether it may run; False where another worker has begun it and is gone.
    """
    event = _event(call)
    if event is None:
        yield True
    elif event.is_set():
        yield False
    else:
        event.set()
        try:
            yield True
        finally:
            event.clear()  # the scheduler forgets an event that is not set


def _event(call: str) -> Any:  # Dask's, which has no types
    """Return the scheduler's event of a call, or None where this is no worker of Dask."""
    distributed: Any = sys.modules.get("distributed")  # a worker of Dask has it; nobody else need
    if distributed is None:
        return None
    try:
        distributed.get_worker()
    except ValueError:
        return None
    return distributed.Event(f"fcregistry-{call}")
