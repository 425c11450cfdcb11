"""The tool `web_search`, and the providers that it asks.

Sources: SearXNG's search API, Brave's Web Search API, Tavily's search endpoint, and the package ddgs.
"""

from __future__ import annotations

import asyncio
import html
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, Protocol, TypeAlias

import httpx2
from annotated_types import Interval, Len
from fcregistry import Tool
from fcregistry.errors import DefinitionError, MissingDependencyError, ToolError
from fcregistry.execution import Secrets, tls_problem

from fcregistry_web._access import is_host
from fcregistry_web._http import certificates
from fcregistry_web._pages import clean

TimeRange: TypeAlias = Literal["day", "week", "month", "year"]

_MOST_BYTES: Final = 4_000_000
_MOST_RESULTS: Final = 20
_LONGEST_TEXT: Final = 4_000
"""Of a longer text of a result only the beginning is read. A number in it is shorter than those that Python refuses to read."""
_LONGEST_SNIPPET: Final = 1_000
_LONGEST_TITLE: Final = 300
_LONGEST_URL: Final = 4_000
_LONGEST_DATE: Final = 100
_SHOWN: Final = 300
_RETRYABLE: Final = (429, 500, 502, 503, 504)
_LOGGERS: Final = ("httpx2", *(f"httpcore2.{part}" for part in ("connection", "http11", "http2", "proxy", "socks")))
_TAG: Final = re.compile(r"<[^<>]{1,200}>")


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One page that a search found.

    Attributes:
        title: The title of the page.
        url: Its URL, for fetch_url.
        snippet: A few sentences of it.
        published: When it was published, as the provider says; absent if it does not say.
    """

    title: str
    url: str
    snippet: str
    published: str | None = None


class SearchProvider(Protocol):
    """Where `web_search` looks: one of this package, or a class of your own.

    Attributes:
        requires_env: The environment variables that it needs.
    """

    @property
    def requires_env(self) -> tuple[str, ...]: ...

    async def search(self, query: str, count: int, time_range: TimeRange | None) -> list[SearchResult]:
        """Return what a query finds, best first.

        Args:
            query: The query.
            count: How many results are wanted. More are cut off.
            time_range: How old results may be; None for any age.

        Raises:
            ToolError: The provider did not answer; the message says why, without a key.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SearXNG:
    """A SearXNG server, whose `settings.yml` has `json` under `search: formats:`.

    Attributes:
        url: Its URL, such as `http://localhost:8888`. It may be on a private network: you chose it. If it is empty, it is read from
            the environment variable `SEARXNG_URL` at each search.
    """

    url: str = ""

    def __post_init__(self) -> None:
        if self.url:
            _base(self.url)

    @property
    def requires_env(self) -> tuple[str, ...]:
        """The environment variables that it needs."""
        return () if self.url else ("SEARXNG_URL",)

    async def search(self, query: str, count: int, time_range: TimeRange | None) -> list[SearchResult]:
        """Return what a query finds, best first; see `SearchProvider`."""
        base = _base(self.url or os.environ.get("SEARXNG_URL", ""))
        params = {"q": query, "format": "json", **({"time_range": time_range} if time_range else {})}
        try:
            answer = await _ask("SearXNG", httpx2.Request("GET", f"{base}/search", params=params), Secrets())
        except ToolError as error:
            if "answers 403" in str(error):
                hint = "the operator must add json to search.formats in its settings.yml"
                raise ToolError(f"{error}; {hint}") from None
            raise
        results = _results("SearXNG", answer, ("results",), "content", "publishedDate")
        unresponsive = [
            " ".join(map(str, each)) for each in _as_list(answer.get("unresponsive_engines")) if isinstance(each, list)
        ]
        if not results and unresponsive:
            raise ToolError(
                f"the search engines did not answer: {_cut(', '.join(unresponsive), _SHOWN)}", retryable=True
            )
        return results


@dataclass(frozen=True, slots=True, kw_only=True)
class Brave:
    """Brave's Web Search API.

    Attributes:
        key_env: The environment variable that contains the key.
        url: The URL of the API.
    """

    key_env: str = "BRAVE_API_KEY"
    url: str = "https://api.search.brave.com/res/v1/web/search"

    @property
    def requires_env(self) -> tuple[str, ...]:
        """The environment variables that it needs."""
        return (self.key_env,)

    async def search(self, query: str, count: int, time_range: TimeRange | None) -> list[SearchResult]:
        """Return what a query finds, best first; see `SearchProvider`."""
        key = _key(self.key_env)
        params = {"q": query, "count": str(min(count, 20)), "text_decorations": "false"}
        if time_range:
            params["freshness"] = f"p{time_range[0]}"
        headers = {"X-Subscription-Token": key, "Accept": "application/json"}
        request = httpx2.Request("GET", self.url, params=params, headers=headers)
        answer = await _ask("Brave", request, Secrets(key))
        return _results("Brave", answer, ("web", "results"), "description", "page_age")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tavily:
    """Tavily's search API.

    Attributes:
        key_env: The environment variable that contains the key.
        url: The URL of the API.
    """

    key_env: str = "TAVILY_API_KEY"
    url: str = "https://api.tavily.com/search"

    @property
    def requires_env(self) -> tuple[str, ...]:
        """The environment variables that it needs."""
        return (self.key_env,)

    async def search(self, query: str, count: int, time_range: TimeRange | None) -> list[SearchResult]:
        """Return what a query finds, best first; see `SearchProvider`."""
        key = _key(self.key_env)
        body = {"query": query, "max_results": min(count, 20), **({"time_range": time_range} if time_range else {})}
        request = httpx2.Request("POST", self.url, json=body, headers={"Authorization": f"Bearer {key}"})
        answer = await _ask("Tavily", request, Secrets(key, f"Bearer {key}"))
        return _results("Tavily", answer, ("results",), "content", "published_date")


@dataclass(frozen=True, slots=True, kw_only=True)
class DuckDuckGo:
    """Search engines without a key, through the package ddgs, which reads their pages.

    It needs the extra: `pip install 'fcregistry-web[ddgs]'`.

    Attributes:
        region: The region of the results, such as `us-en`.
        timeout: Seconds that one of its requests may take.
    """

    region: str = "us-en"
    timeout: int = 10

    @property
    def requires_env(self) -> tuple[str, ...]:
        """The environment variables that it needs: none."""
        return ()

    async def search(self, query: str, count: int, time_range: TimeRange | None) -> list[SearchResult]:
        """Return what a query finds, best first; see `SearchProvider`."""
        found = await asyncio.to_thread(self._search, query, count, time_range)
        return _results("ddgs", {"results": found}, ("results",), "body", "date", url="href")

    def _search(self, query: str, count: int, time_range: TimeRange | None) -> Any:
        """Return what ddgs finds for `query`, on this thread; an empty list if it finds nothing."""
        try:
            from ddgs import DDGS  # type: ignore[import-not-found, unused-ignore]  # with the first search
            from ddgs.exceptions import DDGSException  # type: ignore[import-not-found, unused-ignore]
        except ImportError as error:
            hint = "DuckDuckGo needs ddgs, which is not installed: pip install 'fcregistry-web[ddgs]'"
            raise MissingDependencyError(hint) from error
        try:
            limit = time_range[0] if time_range else None
            return DDGS(timeout=self.timeout).text(query, region=self.region, timelimit=limit, max_results=count)
        except DDGSException as error:
            if "no results" in str(error).lower():
                return []
            raise ToolError(f"the search failed: {_cut(str(error), _SHOWN)}", retryable=True) from None


def search_tool(provider: SearchProvider, *, timeout: float = 20.0, **options: Any) -> Tool:
    """Return the tool `web_search`, which searches the web with a provider.

    Args:
        provider: Where it looks: `SearXNG`, `Brave`, `Tavily`, `DuckDuckGo`, or an object of your own.
        timeout: Seconds that a search may take.
        **options: Further options of the tool, as `fc_register` takes them.

    Raises:
        DefinitionError: An argument is not valid.
    """
    if not callable(getattr(provider, "search", None)) or isinstance(provider, type):
        raise DefinitionError(
            f"search_tool takes a provider, such as SearXNG(url='http://localhost:8888'), not {provider!r}"
        )
    hints = {
        "title": "Search the web",
        "tags": ("web",),
        "read_only": True,
        "idempotent": True,
        "open_world": True,
        "reads": (),
    }
    if required := list(getattr(provider, "requires_env", ())):
        hints["requires_env"] = required
    return Tool.from_function(_WebSearch(provider), name="web_search", **{**hints, "timeout": timeout, **options})


@dataclass(frozen=True, slots=True)
class _WebSearch:
    """The function of the tool: a picklable object, so that other processes can run the tool."""

    provider: SearchProvider

    def __repr__(self) -> str:
        return "web_search"

    async def __call__(
        self,
        query: Annotated[str, Len(1, 400)],
        max_results: Annotated[int, Interval(ge=1, le=_MOST_RESULTS)] = 5,
        time_range: TimeRange | None = None,
    ) -> list[SearchResult]:
        """Search the web, and return the titles, URLs and a few sentences of the pages found.

        Args:
            query: What to search for.
            max_results: How many results are wanted.
            time_range: Only pages of the last day, week, month or year.
        """
        if not query.strip():
            raise ToolError("query is empty; write what to search for")
        found = await self.provider.search(query.strip(), max_results, time_range)
        return found[:max_results]


async def _ask(name: str, request: httpx2.Request, secrets: Secrets) -> dict[str, Any]:
    """Send `request` to the provider `name`, and return the JSON object of its answer, without `secrets`.

    Raises:
        ToolError: The answer is an error, or not an object. The message shows no secret.
    """
    try:
        with secrets.hide_in_logs(*_LOGGERS):
            async with httpx2.AsyncClient(verify=certificates(), timeout=None, trust_env=False) as client:
                response = await client.send(request, stream=True)
                data = bytearray()
                async for piece in response.aiter_bytes():
                    data += piece
                    if len(data) > _MOST_BYTES:
                        raise ToolError(f"{name} answers with more than {_MOST_BYTES} bytes")
                await response.aclose()
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        is_connected = not isinstance(error, httpx2.ConnectError)
        if not is_connected and (problem := tls_problem(error)):
            failure = ToolError(f"{name}: {problem}")
        else:
            problem = "did not answer properly" if is_connected else "cannot be reached"
            failure = ToolError(f"{name} {problem} ({type(error).__name__})", retryable=True)
    else:
        return await asyncio.to_thread(_object, name, response, bytes(data), secrets)  # a long answer takes seconds
    raise failure  # outside of the `except`: the client's exception holds the request, and the key in it


def _object(name: str, response: httpx2.Response, data: bytes, secrets: Secrets) -> dict[str, Any]:
    """Return the JSON object in `data`, the body of the answer of the provider `name`, without `secrets`.

    Raises:
        ToolError: The answer is an error, or not an object.
    """
    text = secrets.hide(data.decode("utf-8", "replace"))
    if not response.is_success:
        is_retryable = response.status_code in _RETRYABLE
        wait = response.headers.get("retry-after", "").strip()
        seconds = min(float(wait), 86_400.0) if is_retryable and wait.isascii() and wait.isdecimal() else None
        status = f"{name} answers {response.status_code} {secrets.hide(response.reason_phrase)}".rstrip()
        raise ToolError(f"{status}: {_cut(_plain(text), _SHOWN)}", retryable=is_retryable, retry_after=seconds)
    try:
        value = secrets.hide_in_json(json.loads(data))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ToolError(f"{name} answers with something other than a JSON object: {_cut(_plain(text), _SHOWN)}")
    return value


def _results(
    name: str, answer: Mapping[str, Any], place: tuple[str, ...], snippet: str, published: str, url: str = "url"
) -> list[SearchResult]:
    """Return the first results in `answer`, without those that have no URL of the web.

    Args:
        name: The provider, for messages.
        answer: The answer.
        place: The keys that lead to the list of results.
        snippet: The key of a result's text.
        published: The key of its date.
        url: The key of its URL.

    Raises:
        ToolError: There is something other than a list at `place`.
    """
    found: Any = answer
    for key in place:
        found = found.get(key) if isinstance(found, Mapping) else None
    if found is None:  # Brave leaves `web` out if it found nothing
        return []
    if not isinstance(found, list):
        raise ToolError(f"{name} answers in a form that is not known: {'.'.join(place)} is not a list")
    results: dict[str, SearchResult] = {}
    for each in found:
        where = each.get(url) if isinstance(each, Mapping) else None
        if isinstance(where, str) and where.lower().startswith(("https://", "http://")) and len(where) <= _LONGEST_URL:
            title, text, date = (each.get(key) for key in ("title", snippet, published))
            results.setdefault(
                where,
                SearchResult(
                    title=_cut(_plain(title), _LONGEST_TITLE),
                    url=where,
                    snippet=_cut(_plain(text), _LONGEST_SNIPPET),
                    published=_cut(_plain(date), _LONGEST_DATE) or None,
                ),
            )
            if len(results) == _MOST_RESULTS:
                break
    return list(results.values())


def _as_list(value: object) -> list[Any]:
    """Return `value` if it is a list, else an empty list."""
    return value if isinstance(value, list) else []


def _plain(text: object) -> str:
    """Return `text` on one line, without HTML; empty if it is not text.

    Some providers put HTML around words.
    """
    if not isinstance(text, str):
        return ""
    return " ".join(clean(html.unescape(_TAG.sub("", text[:_LONGEST_TEXT]))).split())


def _cut(text: str, most: int) -> str:
    """Return `text`, cut if it has more than `most` characters."""
    return text if len(text) <= most else f"{text[:most]}…"


def _key(variable: str) -> str:
    """Return the key in the environment variable `variable`; raise `ToolError` if it is not a valid key."""
    key = os.environ.get(variable, "").strip()
    if not key.isascii() or not key.isprintable():
        raise ToolError(
            f"the environment variable {variable} does not contain a key: it has characters that no key has"
        )
    return key


def _base(url: str) -> str:
    """Return `url`, that of a SearXNG server, without a slash or `/search` at its end.

    Raises:
        DefinitionError: It is not a URL of the web.
    """
    try:
        parts = httpx2.URL(url)
    except httpx2.InvalidURL:
        parts = httpx2.URL("")
    host = parts.raw_host.decode("ascii").lower()
    if parts.scheme not in ("http", "https") or not is_host(host) or parts.query or parts.userinfo:
        raise DefinitionError("the URL of SearXNG must be like http://localhost:8888, without a query or a password")
    return url.rstrip("/").removesuffix("/search")
