"""Cached calls: which tools can be cached, the key of a call, and the place of its result in a cache."""

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
"""What a cache returns that has no value; no tool can return it."""


def check_caches(tools: Iterable[Tool]) -> None:
    """Check that each tool that asks for it can be cached.

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
            "the deps of its Context are not part of its arguments, so one caller would get another's result; "
            "drop cache, or the type of deps"
        )
    return None


def cache_problem(given: object) -> str | None:
    """Return why something is not a cache, or None if it is one."""
    if not isinstance(given, Cache) or isinstance(given, type):
        return "has no methods get(key, default) and set(key, value)"
    if any(inspect.iscoroutinefunction(method) for method in (given.get, given.set)):
        return "has coroutine functions get and set, and a cache needs plain functions"
    return None


class CacheSlot:
    """The place of one call's result in a cache.

    It is made before the call runs, since a tool may change its arguments.
    """

    __slots__ = ("_cache", "_key", "_tool")

    def __init__(self, cache: Cache, key: str, tool: Tool) -> None:
        self._cache = cache
        self._key = key
        self._tool = tool

    @classmethod
    def of(cls, step: CallStep, cache: Cache) -> CacheSlot | None:
        """Return the place of a call's result, or None if its arguments cannot be a key."""
        try:
            return cls(cache, cache_key(step), step.bound.tool)
        except ValueError:  # a number of more digits than Python writes
            return None

    def outcome(self) -> Outcome | None:
        """Return what an equal call returned, or None if the cache does not have it."""
        try:
            value = self._cache.get(self._key, _MISSING)
        except Exception as error:  # noqa: BLE001  # foreign code: a cache that fails makes a call slower, not wrong
            _log("the cache of %s could not be read; the call was run", self._tool, error)
            return None
        return None if value is _MISSING else Outcome(value, None, 0.0)

    def store(self, outcome: Outcome) -> None:
        """Store what the call returned; a failure is not stored."""
        if outcome.exception is not None:
            return
        try:
            self._cache.set(self._key, outcome.value)
        except Exception as error:  # noqa: BLE001  # foreign code: a cache that fails makes a call slower, not wrong
            _log("the result of %s could not be cached", self._tool, error)


def cache_key(step: CallStep) -> str:
    """Return the key of a call: the tool's id, and the SHA-256 of all that may make its result another.

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
    """Yield the numbers in a JSON value as they were written, in the order of the JSON text.

    `json` would round them.
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
