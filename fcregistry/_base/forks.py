"""What a forked process renews: locks, threads and connections; the lock around SQLite; and a cached property without a lock.

A fork copies only the thread that forks. A lock that another thread holds at that moment is never released in the child. Nothing happens on
import: the functions for Python's fork hooks are registered when the first object has to be renewed.
"""

from __future__ import annotations

import os
import sys
from _thread import RLock, get_ident
from _weakref import ref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from functools import cached_property
    from typing import Any, Final, NoReturn, TypeVar

    T = TypeVar("T")
    cached_attribute = cached_property
else:

    class cached_attribute:  # noqa: N801  # used as a decorator, like `property`
        """A property whose value is stored in the object's ``__dict__`` on first use.

        Two threads may both compute it at the same time; the first result is stored. `functools.cached_property` of Python 3.11 takes a lock
        that all objects of a class share: if a thread holds it while the process forks, the child waits for it for ever.

        Args:
            compute: The method that returns the value.
        """

        def __init__(self, compute):
            self._compute = compute
            self.__doc__ = compute.__doc__

        def __get__(self, instance, owner):
            if instance is None:
                return self
            return instance.__dict__.setdefault(self._compute.__name__, self._compute(instance))


generation = 0
"""Number of forks between this process and the one that called `count_forks`: if it has changed, the code runs in a child."""

_FORK_WAIT: Final = 5.0
"""Most seconds that a fork waits for SQLite: reached only if the thread that uses SQLite waits for the thread that forks."""

_renewals: Final[dict[int, tuple[Callable[[], Any], Callable[[Any], object]]]] = {}
_is_registered = False


class _SqliteLock:
    """The lock of the thread that reads, writes, opens or closes a SQLite database.

    A fork waits for it. SQLite has locks of its own that all connections of a process share. No code can renew those in a child, so no
    thread may hold them when another one forks.
    """

    def __init__(self) -> None:
        self._lock = RLock()  # reentrant: a finalizer may close a connection at any time
        self._depth = 0
        self._forking: set[int] = set()  # the threads that fork, and hold the lock

    def __enter__(self) -> None:
        self._lock.acquire()
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        self._lock.release()

    def before_fork(self) -> None:
        """Wait for the lock, and hold it during the fork."""
        if self._lock.acquire(timeout=_FORK_WAIT):
            self._forking.add(get_ident())

    def after_fork_in_parent(self) -> None:
        """Release the lock in the parent."""
        if get_ident() in self._forking:
            self._forking.remove(get_ident())
            self._lock.release()

    def renew(self) -> None:
        """Renew the lock in the child; the thread that forked holds it if it held it before."""
        depth = self._depth if get_ident() in self._forking else 0
        self.__init__()  # type: ignore[misc]
        for _ in range(depth):
            self.__enter__()


sqlite_lock: Final = _SqliteLock()


def after_fork(owner: T, renew: Callable[[T], object]) -> None:
    """Have ``renew(owner)`` called in each process forked from this one, while the owner exists.

    Args:
        owner: The object to renew, held by a weak reference. Registering it again replaces the function.
        renew: Replaces its locks, and forgets its threads and connections. It must not wait for anything.
    """
    count_forks()
    key = id(owner)
    _renewals[key] = (ref(owner, lambda _: _renewals.pop(key, None)), renew)


def count_forks() -> None:
    """Count forks from now on: ``generation`` differs in each process that is forked from this one."""
    global _is_registered  # noqa: PLW0603  # there is one process
    if not _is_registered:
        _is_registered = True
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=sqlite_lock.before_fork,
                after_in_parent=sqlite_lock.after_fork_in_parent,
                after_in_child=_renew_in_child,
            )


def _renew_in_child() -> None:
    """Count the fork in `generation`, and renew what a forked process has to make again.

    That is the SQLite lock, and each registered owner that still exists, whose function `renew` is called with it.
    """
    global generation  # noqa: PLW0603
    generation += 1
    sqlite_lock.renew()
    for reference, renew in tuple(_renewals.values()):
        owner = reference()
        if owner is not None:
            renew(owner)


def end_if_forked(generation_before: int, error: BaseException | None = None) -> None:
    """End this process if it was forked since ``generation`` was ``generation_before``; see `end_child`.

    Args:
        generation_before: The generation before external code ran.
        error: The exception that the external code raised.
    """
    if generation != generation_before:
        end_child(error)


def end_child(error: BaseException | None = None) -> NoReturn:
    """End this process, a child that external code has forked and returned from.

    Only the parent continues. Exit handlers do not run, and buffers are not flushed: they are copies of the parent's.

    Args:
        error: The exception that the external code raised. It is printed, unless it is one that ends a process.
    """
    status = 0
    try:
        if isinstance(error, SystemExit) and (error.code is None or isinstance(error.code, int)):
            status = error.code or 0
        elif isinstance(error, KeyboardInterrupt):
            status = 130
        elif error is not None:
            status = 1
            sys.excepthook(type(error), error, error.__traceback__)
    finally:
        os._exit(status & 0xFF)
