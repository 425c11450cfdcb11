"""A cached property without the lock that `functools.cached_property` takes on Python 3.11.

That lock is shared by all objects of a class. If a thread holds it while the process forks, the child waits for it for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class cached_attribute(Generic[T]):  # noqa: N801  # used as a decorator, like `property`
    """A property whose value is stored in the object's ``__dict__`` on first use.

    Two threads may both compute it at the same time; the first result is stored.

    Args:
        compute: The method that returns the value.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> cached_attribute[T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> cached_attribute[T] | T:
        if instance is None:
            return self
        value: T = instance.__dict__.setdefault(self._name, self._compute(instance))
        return value
