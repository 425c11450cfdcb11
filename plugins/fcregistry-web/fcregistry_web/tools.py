"""Which tools this distribution ships: those that the environment allows.

| variable | meaning |
|---|---|
| `FCREGISTRY_WEB` | `1` makes `fetch_url` available, and `download_file` if it has a folder |
| `FCREGISTRY_WEB_HOSTS` | the hosts that can be reached: `docs.python.org, *.wikipedia.org`; by default, all public ones |
| `FCREGISTRY_WEB_NETWORKS` | networks that can be reached although they are not public: `10.1.0.0/16, 127.0.0.1` |
| `FCREGISTRY_FILES_ROOT`, `FCREGISTRY_FILES_WRITE` | the folder of `download_file`; `1` to allow it |
| `SEARXNG_URL`, `BRAVE_API_KEY`, `TAVILY_API_KEY` | where `web_search` looks: the first one that is set |
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from fcregistry.errors import ConfigurationError, DefinitionError

from fcregistry_web._access import WebAccess
from fcregistry_web._download import LONGEST, download_tool_for
from fcregistry_web._fetch import fetch_tool_for
from fcregistry_web._search import Brave, SearchResult, SearXNG, Tavily, TimeRange, search_tool

if TYPE_CHECKING:
    from fcregistry_files import Root

__all__ = ["TOOLS"]

_ALLOWED: Final = "FCREGISTRY_WEB"
_HOSTS: Final = "FCREGISTRY_WEB_HOSTS"
_NETWORKS: Final = "FCREGISTRY_WEB_NETWORKS"
_ROOT: Final = "FCREGISTRY_FILES_ROOT"
_WRITE: Final = "FCREGISTRY_FILES_WRITE"
_PROVIDERS: Final = (SearXNG(), Brave(), Tavily())


@dataclass(frozen=True, slots=True)
class _FromEnvironment:
    """The first provider whose variables are set."""

    requires_env: Any = (tuple(name for provider in _PROVIDERS for name in provider.requires_env),)

    async def search(self, query: str, count: int, time_range: TimeRange | None) -> list[SearchResult]:
        """Return what the first provider whose variables are set finds; see `SearchProvider`."""
        for provider in _PROVIDERS:
            if all(os.environ.get(name) for name in provider.requires_env):
                return await provider.search(query, count, time_range)
        raise ConfigurationError("no search provider is configured: set SEARXNG_URL, BRAVE_API_KEY or TAVILY_API_KEY")


def _access() -> WebAccess:
    """Return the access that the environment allows."""
    return _read_access(os.environ.get(_HOSTS, ""), os.environ.get(_NETWORKS, ""))


def _patient_access() -> WebAccess:
    """Return the same access with the time limit of a download."""
    return replace(_access(), timeout=LONGEST)


@lru_cache(maxsize=1)
def _read_access(hosts: str, networks: str) -> WebAccess:
    """Return the access for the values of two variables; raise `ConfigurationError` if one is not valid."""
    try:
        return WebAccess(hosts=_split(hosts) if hosts else None, networks=_split(networks))
    except DefinitionError as error:
        raise ConfigurationError(f"{_HOSTS} or {_NETWORKS} is not valid: {error}") from None


def _split(text: str) -> list[str]:
    """Return the items of `text` between commas, without space around them and without empty ones."""
    return [item.strip() for item in text.split(",") if item.strip()]


def _root() -> Root:
    """Return the folder of downloads that the environment names."""
    return _open_root(os.environ.get(_ROOT, ""))


@lru_cache(maxsize=1)
def _open_root(path: str) -> Root:
    """Return the open folder `path`.

    Raise `ConfigurationError` if it cannot be opened, or fcregistry-files is not installed.
    """
    try:
        from fcregistry_files import Root

        return Root(path)
    except ImportError:
        raise ConfigurationError(
            "download_file needs fcregistry-files, which is not installed: pip install 'fcregistry-web[files]'"
        ) from None
    except OSError as error:
        raise ConfigurationError(f"{_ROOT} does not name a folder that can be opened: {error.strerror}") from None


def _may_fetch() -> bool:
    """Return whether the environment allows tools that reach the web."""
    return os.environ.get(_ALLOWED) == "1"


def _may_write() -> bool:
    """Return whether the environment allows downloads."""
    return _may_fetch() and os.environ.get(_WRITE) == "1"


TOOLS: Final = [
    fetch_tool_for(_access, requires_env=[_ALLOWED], available=_may_fetch),
    search_tool(_FromEnvironment()),
    download_tool_for(_root, _patient_access, requires_env=[_ALLOWED, _ROOT, _WRITE], available=_may_write),
]
"""The tools of the entry point."""
