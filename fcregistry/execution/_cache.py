"""Caches of results: the protocol, a cache in memory, the check of which tools can be cached, and cached calls."""

from __future__ import annotations

import inspect
import json
from _thread import allocate_lock
from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from fcregistry._base.forks import after_fork
from fcregistry._base.source import callback_problem
from fcregistry._tools.tool import definition_of
from fcregistry.errors import DefinitionError
from fcregistry.execution._arguments import exact_text
from fcregistry.execution._invoke import Outcome

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool


@runtime_checkable
class Cache(Protocol):
    """Stores values by key.

    Both methods are plain functions that return soon, and may be called by several threads at once.
    """

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or the default if there is none.

        Args:
            key: The key: at most some 200 ASCII characters.
            default: What to return if the key has no value.
        """

    def set(self, key: str, value: Any) -> object:
        """Store a value in place of the key's old one; what this returns is ignored.

        Args:
            key: The key.
            value: The value, as `get` is to return it.
        """


class MemoryCache:
    """A cache in this process's memory. Thread-safe.

    If it is full, it removes the values that were not used for the longest time. It stores a copy and returns another
    copy: a caller that changes a value does not change what others get.

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
            default: What to return if the key has no value.
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
        return True  # an empty cache is a cache, too

    def __repr__(self) -> str:
        return f"<MemoryCache: {len(self)} of {self._max_entries} entries>"

    def _renew_lock(self) -> None:
        """Set a new lock, for a forked child."""
        self._lock = allocate_lock()


# --- Cached calls ---

_MISSING: Final = object()
"""The default that `Cache.get` returns if the cache has no value for a key; no tool can return it."""


def check_caches(tools: Iterable[Tool]) -> None:
    """Check that the results of each tool with the option `cache` can be cached.

    Raises:
        DefinitionError: The results of some tools cannot be cached; the message names each tool, the reason, and what to do.
    """
    problems = [f"{tool.name}: {problem}" for tool in tools if (problem := _caching_problem(tool))]
    if problems:
        raise DefinitionError("the results of these tools cannot be cached:", tuple(problems))


def _caching_problem(tool: Tool) -> str | None:
    """Return the reason a tool's results cannot be cached, or None if they can be, or need not.

    They cannot be if the option is not a cache, or the tool asks for `deps`.
    """
    given = tool.options.cache
    if given is None or given is False:
        return None
    if given is not True and (wrong := cache_problem(given)):
        return f"cache={given!r:.80} {wrong}; pass True, or a cache"
    if definition_of(tool).asks_for_deps:
        return (
            "the deps of its Context are not part of its arguments, so one caller would get another's result; "
            "remove `cache`, or the type of deps"
        )
    return None


def cache_problem(given: object) -> str | None:
    """Return the reason an object is not a cache, as a predicate, or None if it is a cache."""
    # Not `isinstance` with the protocol, which sees computed attributes on Python 3.11 alone
    methods = {name: getattr(given, name, None) for name in ("get", "set")}
    if isinstance(given, type) or not all(map(callable, methods.values())):
        return "has no methods get(key, default) and set(key, value)"
    if any(map(inspect.iscoroutinefunction, methods.values())):
        return "has coroutine functions get and set, and a cache needs plain functions"
    for name, arguments in (("get", ("key", "default")), ("set", ("key", "value"))):
        if problem := callback_problem(methods[name], *arguments):
            return f"has a method {name} that {problem}"
    return None


class CacheSlot:
    """Reads and stores the result of one call in a cache, under the key of the call.

    Make it before the call runs: the key depends on the arguments, which the tool may change.

    Args:
        cache: The cache.
        tool: The tool that is called.
        arguments: The validated arguments.
        exact: Whether their numbers keep all digits.
    """

    __slots__ = ("_cache", "_key", "_tool")

    def __init__(self, cache: Cache, tool: Tool, arguments: dict[str, Any], exact: bool) -> None:
        self._cache = cache
        self._tool = tool
        self._key: str | None = None
        with suppress(ValueError):  # an integer with more digits than Python converts to text: the call is not cached
            self._key = _cache_key(tool, arguments, exact)

    def outcome(self) -> Outcome | None:
        """Return the cached outcome of an equal call, or None if the cache has none or cannot be read."""
        if self._key is None:
            return None
        try:
            value = self._cache.get(self._key, _MISSING)
        except Exception as error:  # noqa: BLE001  # foreign code: a cache that fails makes a call slower, not wrong
            _log("the cache of %s could not be read; the call was run", self._tool, error)
            return None
        return None if value is _MISSING else Outcome(value, None, 0.0)

    def store(self, outcome: Outcome) -> None:
        """Store the value of `outcome`, unless the call failed. An error of the cache is only logged."""
        if self._key is None or outcome.exception is not None:
            return
        try:
            self._cache.set(self._key, outcome.value)
        except Exception as error:  # noqa: BLE001  # foreign code: a cache that fails makes a call slower, not wrong
            _log("the result of %s could not be cached", self._tool, error)


def _cache_key(tool: Tool, arguments: dict[str, Any], exact: bool) -> str:
    """Return the key of a call: the tool's id, `:`, and a SHA-256 in hexadecimal.

    Hashed are the tool's wire name, the version of its distribution, its module, qualified name and schema digest, and
    the arguments as JSON with sorted names; with `exact`, also with all digits of their numbers.

    Raises:
        ValueError: The arguments contain an integer with more digits than Python converts to text.
    """
    from hashlib import sha256  # OpenSSL, which most processes need not load

    origin = tool.origin
    which = [tool.name, origin.version, origin.module, origin.qualname, tool.schema_digest]
    digits = [exact_text(arguments, sort=True)] if exact else []  # `json.dumps` rounds exact numbers
    text = json.dumps([which, arguments, digits], sort_keys=True, separators=(",", ":"))
    return f"{tool.id}:{sha256(text.encode()).hexdigest()}"


def _log(message: str, tool: Tool, error: Exception) -> None:
    """Log the warning `message` about a tool on the logger `fcregistry`, with the traceback of `error`."""
    from logging import getLogger  # only on the way to an error

    getLogger("fcregistry").warning(message, tool.name, exc_info=error)
