"""A property that is made once for each object, without the lock that `functools.cached_property` takes on Python 3.11.

That lock is one for all objects of a class. A thread that holds it while the process is forked would stop the child for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

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
