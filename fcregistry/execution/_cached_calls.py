"""Cached calls: which tools can be cached, the cache key of a call, and reading and storing its result."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.json import ExactFloat
from fcregistry.errors import DefinitionError
from fcregistry.execution._cache import Cache
from fcregistry.execution._invoke import Outcome

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._step import CallStep


_MISSING: Final = object()
"""The default that `Cache.get` returns if the cache has no value for a key; no tool can return it."""


def check_caches(tools: Iterable[Tool]) -> None:
    """Check that the results of each tool with the option `cache` can be cached.

    Raises:
        DefinitionError: The results of some tools cannot be cached; the message names each tool, the reason, and what to do.
    """
    problems = [f"{tool.name}: {problem}" for tool in tools if (problem := _problem(tool))]
    if problems:
        raise DefinitionError("the results of these tools cannot be cached:", tuple(problems))


def _problem(tool: Tool) -> str | None:
    given = tool.options.cache
    if given is None or given is False:
        return None
    if given is not True and (wrong := cache_problem(given)):
        return f"cache={given!r:.80} {wrong}; pass True, or a cache"
    if tool._definition.asks_for_deps:
        return (
            "the deps of its Context are not part of its arguments, so one caller would get another's result; "
            "remove `cache`, or the type of deps"
        )
    return None


def cache_problem(given: object) -> str | None:
    """Return why an object is not a cache, or None if it is one."""
    if not isinstance(given, Cache) or isinstance(given, type):
        return "has no methods get(key, default) and set(key, value)"
    if any(inspect.iscoroutinefunction(method) for method in (given.get, given.set)):
        return "has coroutine functions get and set, and a cache needs plain functions"
    return None


class CacheSlot:
    """Reads and stores the result of one call in a cache, under the key of the call.

    Make it before the call runs: the key depends on the arguments, which the tool may change.
    """

    __slots__ = ("_cache", "_key", "_tool")

    def __init__(self, cache: Cache, key: str, tool: Tool) -> None:
        self._cache = cache
        self._key = key
        self._tool = tool

    @classmethod
    def of(cls, step: CallStep, cache: Cache) -> CacheSlot | None:
        """Return the slot for a call; None if no key can be made, since an integer has too many digits."""
        try:
            return cls(cache, cache_key(step), step.bound.tool)
        except ValueError:  # an integer with more digits than Python converts to text
            return None

    def outcome(self) -> Outcome | None:
        """Return the cached outcome of an equal call, or None if the cache has none."""
        try:
            value = self._cache.get(self._key, _MISSING)
        except Exception as error:  # noqa: BLE001  # foreign code: a cache that fails makes a call slower, not wrong
            _log("the cache of %s could not be read; the call was run", self._tool, error)
            return None
        return None if value is _MISSING else Outcome(value, None, 0.0)

    def store(self, outcome: Outcome) -> None:
        """Store what the call returned, unless it failed."""
        if outcome.exception is not None:
            return
        try:
            self._cache.set(self._key, outcome.value)
        except Exception as error:  # noqa: BLE001  # foreign code: a cache that fails makes a call slower, not wrong
            _log("the result of %s could not be cached", self._tool, error)


def cache_key(step: CallStep) -> str:
    """Return the key of a call: the tool's id, and the SHA-256 of everything that identifies the call.

    That is the tool's wire name, the version of its distribution, its module, qualified name and schema, and the arguments as JSON with
    sorted names.

    Raises:
        ValueError: The arguments contain an integer with more digits than Python converts to text.
    """
    from hashlib import sha256  # OpenSSL, which most processes need not load

    tool = step.bound.tool
    origin = tool.origin
    which = [tool.name, origin.version, origin.module, origin.qualname, tool.schema_digest]
    digits = list(_digits(step.arguments)) if step.bound.exact else []
    text = json.dumps([which, step.arguments, digits], sort_keys=True, separators=(",", ":"))
    return f"{tool.id}:{sha256(text.encode()).hexdigest()}"


def _digits(value: Any) -> Iterator[str]:
    """Yield the original text of each `ExactFloat` in a JSON value, in the order of the JSON text.

    `json.dumps` would round these numbers.
    """
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
