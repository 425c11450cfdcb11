"""Which locks hold?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from fcregistry._config import project_lock

if TYPE_CHECKING:
    from fcregistry._config._layer import Layer
    from fcregistry._trust._lock import Lock

_lifted: ContextVar[bool] = ContextVar("lifted", default=False)


@contextmanager
def without_locks() -> Iterator[None]:
    """Leave locks aside inside: what a lock is made from, or compared with, has to be looked at first. All else holds."""
    token = _lifted.set(True)
    try:
        yield
    finally:
        _lifted.reset(token)


def locks_are_lifted() -> bool:
    """Return whether the caller is inside of `without_locks`."""
    return _lifted.get()


def locks_of(layers: Iterable[Layer]) -> tuple[tuple[str, Lock], ...]:
    """Return the lock of each layer that asks for the mode `locked`, with what does.

    A file means its own lock. A variable means the project's, and asks for nothing where a file has asked.
    """
    asking = [layer for layer in layers if layer.mode == "locked"]
    if not asking or _lifted.get():
        return ()
    from fcregistry._trust._lock import read_lock  # with JSON, which only a lock needs

    files = [layer for layer in asking if layer.path]
    return tuple((layer.mode_said, read_lock(layer.lock or project_lock())) for layer in files or asking)
