"""Which result is found again? That of an equal call: the same tool of the same version, and the same arguments.

MERGED: Where are results kept that need not be computed again? In memory, or in a cache of your own.
"""

from __future__ import annotations

import inspect
import json
from _thread import allocate_lock
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from fcregistry._base.forks import after_fork
from fcregistry._base.json import ExactFloat
from fcregistry.errors import DefinitionError
from fcregistry.execution._invoke import Outcome

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._step import Step

# --- execution._repeating._caching ---

_NOTHING: Final = object()
"""What a cache returns that has no value: no tool can return it."""


def check_caches(tools: Iterable[Tool]) -> None:
    """See that each tool's results can be kept where it says.

    Raises:
        DefinitionError: Some cannot; names each tool, why, and what to do.
    """
    problems = [f"{tool.name}: {problem}" for tool in tools if (problem := _problem(tool))]
    if problems:
        raise DefinitionError("the results of these tools cannot be cached:", tuple(problems))


def _problem(tool: Tool) -> str | None:
    given = tool.options.cache
    if given is None or given is False:
        return None
    if given is not True and (wrong := cache_problem(given)):
        return f"cache={given!r:.80} {wrong}; give True, or a cache"
    if tool._definition.asks_for_deps:
        return (
            "what its Context has as deps is no part of its arguments, so one caller would be given another's result; "
            "drop cache, or the type of deps"
        )
    return None


def cache_problem(given: object) -> str | None:
    """Return why something is no cache, or None for one."""
    if not isinstance(given, Cache) or isinstance(given, type):
        return "has no methods get(key, default) and set(key, value)"
    if any(inspect.iscoroutinefunction(method) for method in (given.get, given.set)):
        return "has coroutine functions for methods, and a cache has plain ones"
    return None


def cache_of(tool: Tool, own: Cache) -> Cache | None:
    """Return the cache for a tool's results, or None if they are not kept.

    Args:
        tool: The tool.
        own: The executor's, which `cache=True` means: what tools return may depend on who runs them, so it is not the process's.
    """
    given = tool.options.cache
    if given is None or given is False:
        return None
    if given is True:
        return own
    assert isinstance(given, Cache)  # see check_caches
    return given


class Slot:
    """The place of one call's result in a cache. Made before the call runs, for a tool may change the arguments that it is given."""

    __slots__ = ("_cache", "_key", "_tool")

    def __init__(self, cache: Cache, key: str, tool: Tool) -> None:
        self._cache = cache
        self._key = key
        self._tool = tool

    @classmethod
    def of(cls, step: Step, cache: Cache) -> Slot | None:
        """Return the place of a call's result, or None if its arguments cannot be a key."""
        try:
            return cls(cache, cache_key(step), step.bound.tool)
        except ValueError:  # a number of more digits than Python writes
            return None

    def outcome(self) -> Outcome | None:
        """Return what an equal call returned, or None if that is not known."""
        try:
            value = self._cache.get(self._key, _NOTHING)
        except Exception as error:  # noqa: BLE001  # foreign code: a cache that fails makes a call slower, and no worse
            _log("the cache of %s could not be read; the call was run", self._tool, error)
            return None
        return None if value is _NOTHING else Outcome(value, None, 0.0)

    def keep(self, outcome: Outcome) -> None:
        """Keep what the call returned; a failure is not kept."""
        if outcome.exception is not None:
            return
        try:
            self._cache.set(self._key, outcome.value)
        except Exception as error:  # noqa: BLE001  # foreign code, likewise
            _log("the result of %s could not be cached", self._tool, error)


def cache_key(step: Step) -> str:
    """Return the key of a call: the tool's id, and the SHA-256 of what tells it from calls that may end otherwise.

    These are the tool's wire name, distribution's version, module, qualified name and schema, and the arguments as JSON with sorted
    names.

    Raises:
        ValueError: The arguments hold a number of more digits than Python writes.
    """
    from hashlib import sha256  # OpenSSL, which most processes need not load

    tool = step.bound.tool
    origin = tool.origin
    which = [tool.name, origin.version, origin.module, origin.qualname, tool.schema_digest]
    digits = list(_digits(step.arguments)) if step.bound.exact else []
    text = json.dumps([which, step.arguments, digits], sort_keys=True, separators=(",", ":"))
    return f"{tool.id}:{sha256(text.encode()).hexdigest()}"


def _digits(value: Any) -> Iterator[str]:
    """Yield the numbers in a JSON value as they are written, which `json` would round, in the order in which it is written."""
    if isinstance(value, ExactFloat):
        yield value.text
    elif isinstance(value, dict):
        for name in sorted(value):
            yield from _digits(value[name])
    elif isinstance(value, list):
        for item in value:
            yield from _digits(item)


def _log(message: str, tool: Tool, error: Exception) -> None:
    from logging import getLogger  # only on the way to an error

    getLogger("fcregistry").warning(message, tool.name, exc_info=error)


# --- execution._repeating._caches ---


@runtime_checkable
class Cache(Protocol):
    """What keeps values by key. Both methods are plain functions that return soon, and may be called by several threads at once."""

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or the default where there is none.

        Args:
            key: The key: at most some 200 ASCII characters.
            default: What to return where there is no value.
        """

    def set(self, key: str, value: Any) -> object:
        """Keep a value, in place of the one that the key had; what is returned is not looked at.

        Args:
            key: The key.
            value: The value, as `get` is to return it.
        """


class MemoryCache:
    """A cache in this process's memory. The values used longest ago make room for new ones. Thread-safe.

    What is kept is a copy, and what is given out is another: nobody who changes a value changes what others are given.

    Args:
        max_entries: How many values are kept at most.

    Raises:
        ValueError: `max_entries` is below 1.
    """

    def __init__(self, max_entries: int = 1024) -> None:
        if max_entries < 1:
            raise ValueError(f"max_entries is at least 1, not {max_entries!r}")
        self._max_entries = max_entries
        self._entries: OrderedDict[str, Any] = OrderedDict()
        self._lock = allocate_lock()
        after_fork(self, MemoryCache._renew_lock)

    def get(self, key: str, default: Any = None) -> Any:
        """Return a copy of the value of a key, or the default itself where there is none.

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
        """Keep a copy of a value, in place of the one that the key had.

        Args:
            key: The key.
            value: The value.

        Raises:
            TypeError: It cannot be copied; then nothing is kept under the key.
        """
        try:
            copied = deepcopy(value)
        except Exception as error:  # foreign code: how a value is copied is up to its class
            with self._lock:
                self._entries.pop(key, None)
            kind = f"{type(value).__module__}.{type(value).__qualname__}"
            raise TypeError(f"a value of type {kind} cannot be kept, because it cannot be copied: {error}") from error
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
