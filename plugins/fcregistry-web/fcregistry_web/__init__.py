"""Tools that fetch web pages, search the web, and download files.

tools = web_tools(search=Brave(), root="downloads")
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from fcregistry_web._access import WebAccess
    from fcregistry_web._download import Download, download_tool
    from fcregistry_web._fetch import fetch_tool
    from fcregistry_web._search import Brave, DuckDuckGo, SearchProvider, SearchResult, SearXNG, Tavily, search_tool
    from fcregistry_web._toolset import web_tools

__all__ = [
    "Brave",
    "Download",
    "DuckDuckGo",
    "SearXNG",
    "SearchProvider",
    "SearchResult",
    "Tavily",
    "WebAccess",
    "download_tool",
    "fetch_tool",
    "search_tool",
    "web_tools",
]

_HOMES = {
    **dict.fromkeys(("Download", "download_tool"), "_download"),
    **dict.fromkeys(
        ("Brave", "DuckDuckGo", "SearXNG", "SearchProvider", "SearchResult", "Tavily", "search_tool"), "_search"
    ),
    "WebAccess": "_access",
    "fetch_tool": "_fetch",
    "web_tools": "_toolset",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # not before a name is used

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
