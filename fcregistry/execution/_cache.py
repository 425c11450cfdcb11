"""Caches for results of tools: the protocol, and one in memory."""

from __future__ import annotations

from _thread import allocate_lock
from collections import OrderedDict
from copy import deepcopy
from typing import Any, Protocol, runtime_checkable

from fcregistry._base.forks import after_fork


@runtime_checkable
class Cache(Protocol):
    """Stores values by key.

    Both methods are plain functions that return soon, and may be called by several threads at once.
    """

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or the default if there is none.

        Args:
            key: The key: at most some 200 ASCII characters.
            default: What to return where there is no value.
        """

    def set(self, key: str, value: Any) -> object:
        """Store a value in place of the key's old one; what this returns is ignored.

        Args:
            key: The key.
            value: The value, as `get` is to return it.
        """


class MemoryCache:
    """A cache in this process's memory. The values used longest ago make room for new ones. Thread-safe.

    It stores a copy and returns another copy: a caller that changes a value does not change what others get.

    Args:
        max_entries: The most values that it stores.

    Raises:
        ValueError: `max_entries` is below 1.
    """

    def __init__(self, max_entries: int = 1024) -> None:
        if max_entries < 1:
            raise ValueError(f"max_entries must be at least 1, not {max_entries!r}")
        self._max_entries = max_entries
        self._entries: OrderedDict[str, Any] = OrderedDict()
        self._lock = allocate_lock()
        after_fork(self, MemoryCache._renew_lock)

    def get(self, key: str, default: Any = None) -> Any:
        """Return a copy of the value of a key, or the default itself if there is none.

        Args:
            key: The key.
            default: What to return where there is no value.
        """
        with self._lock:
            if key not in self._entries:
                return default
            self._entries.move_to_end(key)
            value = self._entries[key]
        return deepcopy(value)

    def set(self, key: str, value: Any) -> None:
        """Store a copy of a value in place of the key's old one.

        Args:
            key: The key.
            value: The value.

        Raises:
            TypeError: It cannot be copied; then nothing is stored under the key.
        """
        try:
            copied = deepcopy(value)
        except Exception as error:  # foreign code: how a value is copied is up to its class
            with self._lock:
                self._entries.pop(key, None)
            kind = f"{type(value).__module__}.{type(value).__qualname__}"
            raise TypeError(f"a value of type {kind} cannot be cached, because it cannot be copied: {error}") from error
        with self._lock:
            self._entries[key] = copied
            self._entries.move_to_end(key)
            if len(self._entries) > self._max_entries:
                self._entries.popitem(last=False)

    def clear(self) -> None:
        """Forget all values."""
        with self._lock:
            self._entries.clear()

    def __len__(self) -> int:
        return len(self._entries)

    def __bool__(self) -> bool:
        return True  # an empty cache is one too

    def __repr__(self) -> str:
        return f"<MemoryCache: {len(self)} of {self._max_entries} entries>"

    def _renew_lock(self) -> None:
        self._lock = allocate_lock()
