"""What a forked process makes anew: locks that a thread may hold which the fork did not copy, and what belongs to such threads.

A fork copies the thread that forks, and no other. A lock that another thread holds at that moment is never released in the child.
Python's functions for this are called the first time that something has to be made anew, so importing this changes nothing.

MERGED: A property that is made once for each object, without the lock that `functools.cached_property` takes on Python 3.11.

That lock is one for all objects of a class. A thread that holds it while the process is forked would stop the child for ever.
"""

from __future__ import annotations

import os
import sys
from _thread import RLock, get_ident
from _weakref import ref
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Final, NoReturn

# --- _forks ---

generation = 0
"""How many forks lie between this process and the one that called `count_forks`: code that finds it changed runs in a child."""

_PATIENCE: Final = 5.0
"""Seconds that a fork waits for SQLite. It waits this long only if the thread that uses SQLite waits for the one that forks."""

_renewed: Final[dict[int, tuple[Callable[[], Any], Callable[[Any], object]]]] = {}
_is_registered = False


class _SqliteLock:
    """Held by the thread that uses SQLite: reads, writes, opens, closes. A fork waits for it.

    SQLite has locks of its own that all connections of a process share. Nothing can renew those in a child, so no thread may hold them
    when another one forks.
    """

    def __init__(self) -> None:
        self._lock = RLock()  # reentrant: a finalizer may close a connection at any time
        self._depth = 0
        self._forking: set[int] = set()  # the threads that fork, and have the lock

    def __enter__(self) -> None:
        self._lock.acquire()
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        self._lock.release()

    def wait(self) -> None:
        """Wait for the lock before a fork, and keep it."""
        if self._lock.acquire(timeout=_PATIENCE):
            self._forking.add(get_ident())

    def go_on(self) -> None:
        """Give the lock back in the parent."""
        if get_ident() in self._forking:
            self._forking.remove(get_ident())
            self._lock.release()

    def renew(self) -> None:
        """Give the lock back in the child: to the thread that forked, if it held it before."""
        depth = self._depth if get_ident() in self._forking else 0
        self.__init__()  # type: ignore[misc]
        for _ in range(depth):
            self.__enter__()


sqlite_lock: Final = _SqliteLock()


def after_fork(thing: T, renew: Callable[[T], object]) -> None:
    """Have ``renew(thing)`` called in each process that is forked from this one, as long as the thing exists.

    Args:
        thing: What to make anew. Registering it again replaces how.
        renew: Replaces its locks, and forgets threads and connections. It must not wait for anything.
    """
    count_forks()
    key = id(thing)
    _renewed[key] = (ref(thing, lambda _: _renewed.pop(key, None)), renew)


def count_forks() -> None:
    """See that ``generation`` changes in each process that is forked from this one."""
    global _is_registered  # noqa: PLW0603  # there is one process
    if not _is_registered:
        _is_registered = True
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=sqlite_lock.wait, after_in_parent=sqlite_lock.go_on, after_in_child=_in_child)


def _in_child() -> None:
    global generation  # noqa: PLW0603
    generation += 1
    sqlite_lock.renew()
    for reference, renew in tuple(_renewed.values()):
        thing = reference()
        if thing is not None:
            renew(thing)


def end_child(error: BaseException | None = None) -> NoReturn:
    """End this process, which foreign code has forked and then returned from: only its parent goes on.

    Exit handlers are not run, and buffers not flushed: they are copies of the parent's.

    Args:
        error: What the foreign code raised. It is printed, unless it only says how to end.
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


# --- _cached ---

T = TypeVar("T")


class made_once(Generic[T]):  # noqa: N801  # used as a decorator, like `property`
    """Keeps what a method returns in the object's ``__dict__``. Threads that ask at once may both make it; the first result is kept.

    Args:
        make: The method.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._name = make.__name__
        self.__doc__ = make.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> made_once[T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> made_once[T] | T:
        if instance is None:
            return self
        made: T = instance.__dict__.setdefault(self._name, self._make(instance))
        return made
