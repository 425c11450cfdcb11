"""What `web_search` asks of each provider, and what it makes of the answers: servers on loopback that speak their formats."""

from __future__ import annotations

import json
import logging
import pickle
import sys
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from fcregistry import Executor
from fcregistry.errors import DefinitionError
from web_servers import Replies, Server, html

from fcregistry_web import Brave, DuckDuckGo, SearchResult, SearXNG, Tavily, search_tool

KEY = "sk-A1/b+c=dTheKey"

SEARXNG = {
    "query": "tea",
    "number_of_results": 0,
    "results": [
        {
            "url": "https://tea.example/",
            "title": "Tea",
            "content": "About tea &amp; more",
            "engine": "brave",
            "parsed_url": ["https", "tea.example", "/", "", "", ""],
            "template": "default.html",
            "engines": ["brave"],
            "positions": [1],
            "publishedDate": "2026-01-02T00:00:00",
            "score": 1.0,
            "category": "general",
        },
        {"url": "https://green.example/", "title": "Green tea", "content": "", "publishedDate": None},
        {"url": "https://tea.example/", "title": "the same again"},
        {"url": "javascript:alert(1)", "title": "no page"},
        {"title": "no URL"},
        "no result",
    ],
    "answers": [],
    "corrections": [],
    "infoboxes": [],
    "suggestions": [],
    "unresponsive_engines": [["google", "CAPTCHA"]],
}
BRAVE = {
    "type": "search",
    "query": {"original": "tea", "more_results_available": True},
    "web": {
        "type": "search",
        "results": [
            {
                "title": "Tea",
                "url": "https://tea.example/",
                "description": "About <strong>tea</strong> &amp; more",
                "page_age": "2026-01-02T00:00:00",
                "extra_snippets": ["more"],
                "language": "en",
            },
            {"title": "Green tea", "url": "https://green.example/", "description": ""},
        ],
    },
}
TAVILY = {
    "query": "tea",
    "follow_up_questions": None,
    "answer": None,
    "images": [],
    "results": [
        {"url": "https://tea.example/", "title": "Tea", "content": "About tea & more", "score": 0.9, "raw_content": None,
         "published_date": "2026-01-02T00:00:00"},
        {"url": "https://green.example/", "title": "Green tea", "content": "", "score": 0.5},
    ],
    "response_time": 0.7,
    "request_id": "1",
}  # fmt: skip
FOUND = [
    SearchResult("Tea", "https://tea.example/", "About tea & more", "2026-01-02T00:00:00"),
    SearchResult("Green tea", "https://green.example/", ""),
]


def json_of(value: Any, status: int = 200) -> Any:
    return status, {"Content-Type": "application/json"}, json.dumps(value).encode()


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", KEY)
    monkeypatch.setenv("TAVILY_API_KEY", KEY)
    monkeypatch.delenv("SEARXNG_URL", raising=False)


def provider(kind: str, server: Server) -> Any:
    url = f"{server.url}/search"
    return {"searxng": SearXNG(url=server.url), "brave": Brave(url=url), "tavily": Tavily(url=url)}[kind]


def search(provider: Any, **arguments: Any) -> Any:
    return Executor([search_tool(provider)]).run({"name": "web_search", "arguments": {"query": "tea", **arguments}})


@pytest.mark.parametrize(("kind", "answer"), [("searxng", SEARXNG), ("brave", BRAVE), ("tavily", TAVILY)])
def test_a_provider_answers_the_same_results(server: Server, replies: Replies, kind: str, answer: Any) -> None:
    replies["/search"] = json_of(answer)
    result = search(provider(kind, server))
    assert result.value == FOUND
    assert json.loads(result.content)[1]["url"] == "https://green.example/"
    assert search(provider(kind, server), max_results=1).value == FOUND[:1]


def test_searxng_is_asked_as_it_documents(server: Server, replies: Replies) -> None:
    replies["/search"] = json_of(SEARXNG)
    assert search(SearXNG(url=f"{server.url}/"), time_range="month", query=" a&b ü ").ok
    method, path, headers, _ = server.asked[0]
    assert method == "GET"
    assert parse_qs(urlsplit(path).query) == {"q": ["a&b ü"], "format": ["json"], "time_range": ["month"]}
    assert KEY not in str(headers)


def test_brave_is_asked_as_it_documents(server: Server, replies: Replies) -> None:
    replies["/search"] = json_of(BRAVE)
    assert search(provider("brave", server), time_range="week", max_results=7).ok
    method, path, headers, _ = server.asked[0]
    query = parse_qs(urlsplit(path).query)
    assert (method, query["q"], query["count"], query["freshness"]) == ("GET", ["tea"], ["7"], ["pw"])
    assert headers["X-Subscription-Token"] == KEY


def test_tavily_is_asked_as_it_documents(server: Server, replies: Replies) -> None:
    replies["/search"] = json_of(TAVILY)
    assert search(provider("tavily", server), time_range="year", max_results=20).ok
    method, _, headers, body = server.asked[0]
    assert (method, headers["Authorization"]) == ("POST", f"Bearer {KEY}")
    assert json.loads(body) == {"query": "tea", "max_results": 20, "time_range": "year"}


@pytest.mark.parametrize("kind", ["searxng", "brave", "tavily"])
@pytest.mark.parametrize(
    ("reply", "message", "retryable"),
    [
        (json_of({"detail": {"error": "no such key"}}, 401), 'answers 401 Unauthorized: {"detail": {"error": "no such key"}}', False),
        ((429, {"Retry-After": "3"}, b"slow down"), "answers 429 Too Many Requests: slow down", True),
        ((500, {}, b""), "answers 500 Internal Server Error:", True),
        ((302, {"Location": "http://127.0.0.1/"}, b""), "answers 302 Found", False),
        (html("<html><b>a page</b>"), "answers with something other than a JSON object: a page", False),
        (json_of([]), "answers with something other than a JSON object", False),
        ((200, {}, b'{"a": ' * 100_000), "answers with something other than a JSON object", False),
        (json_of({"results": {}, "web": {"results": "x"}}), "answers in a form that is not known", False),
        ((200, {}, b"x" * 5_000_000), "answers with more than 4000000 bytes", False),
    ],
)  # fmt: skip
def test_failures_are_explained(
    server: Server, replies: Replies, kind: str, reply: Any, message: str, retryable: bool
) -> None:
    replies["/search"] = reply
    result = search(provider(kind, server))
    assert message in result.content
    assert result.error.retryable is retryable
    assert len(result.content) < 500


@pytest.mark.parametrize("kind", ["brave", "tavily"])
@pytest.mark.parametrize("status", [200, 401, 500])
def test_no_key_comes_back(
    server: Server, replies: Replies, kind: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    """A provider that repeats it, in its results, its errors or its headers."""
    caplog.set_level(logging.DEBUG)
    repeated = f"{KEY} {quote(KEY, safe='')} Bearer {KEY}"
    results = [{"url": f"https://x.example/?k={KEY}", "title": repeated, "description": repeated, "content": repeated}]
    replies["/search"] = (
        status,
        {"X-Echo": KEY},
        json.dumps({"results": results, "web": {"results": results}, "error": repeated}).encode(),
    )
    result = search(provider(kind, server))
    everything = f"{result.content} {result.value!r} {result.error and result.error.exception!r} {caplog.text}"
    assert KEY not in everything
    assert quote(KEY, safe="") not in everything
    if status == 200:
        assert "…" in result.value[0].title


def test_the_error_of_a_provider_without_tls_says_so(server: Server) -> None:
    result = search(Brave(url=f"{server.url.replace('http:', 'https:')}/search"))
    assert result.content.startswith("Brave: the server does not speak TLS, ")
    assert not result.error.retryable


@pytest.mark.parametrize("kind", ["brave", "tavily"])
def test_a_broken_connection_shows_no_key(server: Server, replies: Replies, kind: str) -> None:
    asked = provider(kind, server)
    server.shutdown()
    server.socket.close()
    result = search(asked)
    assert "cannot be reached" in result.content
    assert result.error.retryable
    seen, error = [], result.error.exception
    while error is not None:
        seen.append(repr(error) + repr(getattr(error, "_request", "")))
        error = error.__cause__ or error.__context__
    assert KEY not in " ".join(seen)


def test_without_its_key_the_tool_is_not_available(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BRAVE_API_KEY")
    result = search(Brave())
    assert result.error.code == "unavailable"
    assert "BRAVE_API_KEY" in result.content
    monkeypatch.setenv("BRAVE_API_KEY", "grün\n")
    assert search(Brave()).content.startswith("the environment variable BRAVE_API_KEY does not contain a key")


def test_nothing_found_is_an_empty_list(server: Server, replies: Replies) -> None:
    replies["/search"] = json_of({"query": {"original": "x"}, "type": "search"})
    assert search(provider("brave", server)).value == []
    replies["/search"] = json_of({"results": []})
    assert search(provider("searxng", server)).value == []


def test_searxng_says_which_engines_did_not_answer(server: Server, replies: Replies) -> None:
    replies["/search"] = json_of({"results": [], "unresponsive_engines": [["google", "CAPTCHA"], ["bing", "timeout"]]})
    result = search(provider("searxng", server))
    assert result.content == "the search engines did not answer: google CAPTCHA, bing timeout"
    assert result.error.retryable


def test_searxng_without_json_says_what_to_change(server: Server, replies: Replies) -> None:
    replies["/search"] = (403, {}, b"Forbidden")
    content = search(provider("searxng", server)).content
    assert content.endswith("the operator must add json to search.formats in its settings.yml")


def test_the_url_of_searxng_may_be_in_the_environment(
    server: Server, replies: Replies, monkeypatch: pytest.MonkeyPatch
) -> None:
    replies["/search"] = json_of(SEARXNG)
    assert search(SearXNG()).error.code == "unavailable"
    monkeypatch.setenv("SEARXNG_URL", server.url)
    assert search(SearXNG()).value == FOUND


@pytest.mark.parametrize("url", ["localhost:8888", "ftp://x/", "http://u:p@x/", "http://x/?a=b", "http://[x"])
def test_a_wrong_url_is_refused_where_it_is_made(url: str) -> None:
    with pytest.raises(DefinitionError, match="the URL of SearXNG must be like http://localhost:8888"):
        SearXNG(url=url)


def test_wrong_calls_and_providers_are_refused(server: Server) -> None:
    assert "$.query" in search(provider("brave", server), query="").content
    assert search(provider("brave", server), query="  ").content == "query is empty; write what to search for"
    assert "$.max_results" in search(provider("brave", server), max_results=21).content
    assert server.asked == []
    for wrong in (Brave, "brave", None):
        with pytest.raises(DefinitionError, match="search_tool takes a provider, such as SearXNG"):
            search_tool(wrong)  # type: ignore[arg-type]


def test_a_provider_of_your_own_answers_searches() -> None:
    class Notes:
        requires_env = ()

        async def search(self, query: str, count: int, time_range: Any) -> list[SearchResult]:
            return [SearchResult(query, "https://notes.example/", "")] * 30

    assert search(Notes(), max_results=3).value == [SearchResult("tea", "https://notes.example/", "")] * 3


def test_long_snippets_are_cut(server: Server, replies: Replies) -> None:
    replies["/search"] = json_of(
        {"results": [{"url": "https://x.example/", "title": "t" * 900, "content": "c" * 9000}]}
    )
    (found,) = search(provider("tavily", server)).value
    assert (len(found.title), len(found.snippet)) == (301, 1001)


def test_texts_that_are_made_to_break_a_search_are_cut(server: Server, replies: Replies) -> None:
    """A number of a character may have 4,300 digits at most in Python, and each name of one is tried in 32 ways."""
    texts = {
        "https://a.example/": f"digits &#{'9' * 5_000};",
        "https://b.example/": "names " + f"&{'a' * 32}" * 100_000,
    }
    replies["/search"] = json_of({"results": [{"url": url, "title": title} for url, title in texts.items()]})
    digits, names = search(provider("tavily", server)).value
    assert digits.title.startswith("digits")
    assert names.title.startswith("names &aaa")


def test_other_processes_can_get_the_tools() -> None:
    for each in (SearXNG(url="http://localhost:8888"), Brave(), Tavily(), DuckDuckGo()):
        assert pickle.loads(pickle.dumps(each)) == each


# --- ddgs ---------------------------------------------------------------------------------------------


def test_without_ddgs_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ddgs", None)
    assert "pip install 'fcregistry-web[ddgs]'" in search(DuckDuckGo()).content


def test_ddgs_is_asked_and_its_errors_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in of ddgs, which asks public search engines; its names and keys are those of version 9."""

    class DDGSException(Exception):
        pass

    class DDGS:
        asked: Any = None
        answer: Any = ()

        def __init__(self, timeout: int) -> None: ...

        def text(self, query: str, **options: Any) -> Any:
            DDGS.asked = (query, options)
            if isinstance(DDGS.answer, Exception):
                raise DDGS.answer
            return DDGS.answer

    module, errors = ModuleType("ddgs"), ModuleType("ddgs.exceptions")
    vars(module).update(DDGS=DDGS)
    vars(errors).update(DDGSException=DDGSException)
    monkeypatch.setitem(sys.modules, "ddgs", module)
    monkeypatch.setitem(sys.modules, "ddgs.exceptions", errors)
    DDGS.answer = [{"title": "Tea", "href": "https://tea.example/", "body": "About tea"}]
    assert search(DuckDuckGo(), time_range="day").value == [SearchResult("Tea", "https://tea.example/", "About tea")]
    assert DDGS.asked == ("tea", {"region": "us-en", "timelimit": "d", "max_results": 5})
    DDGS.answer = DDGSException("No results found.")
    assert search(DuckDuckGo()).value == []
    DDGS.answer = DDGSException("202 Ratelimit")
    result = search(DuckDuckGo())
    assert (result.content, result.error.retryable) == ("the search failed: 202 Ratelimit", True)


def test_the_real_ddgs_has_what_is_used_of_it() -> None:
    ddgs = pytest.importorskip("ddgs")
    from ddgs.exceptions import DDGSException

    assert issubclass(DDGSException, Exception)
    assert callable(ddgs.DDGS(timeout=1).text)
