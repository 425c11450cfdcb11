"""What `fetch_url` returns, of real answers of a server on loopback."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import tracemalloc
from typing import Any

import pytest
from fcregistry import Executor
from fcregistry.errors import DefinitionError
from web_servers import Replies, Server, gzipped, html

from fcregistry_web import WebAccess, fetch_tool

PNG = b"\x89PNG\r\n\x1a\n" + bytes(16)
PAGE = """<!doctype html><html><head><title>Prices &amp;
  terms</title><style>p {color: red}</style></head><body>
<nav><a href="/">Home</a> <a href="/shop">Shop</a></nav>
<main><h1>Prices</h1><p>The <b>tea</b> is three euros, and <a href="terms.html">the terms</a> say why it is so cheap.</p>
<table><tr><th>item</th><th>price</th></tr><tr><td>tea</td><td>3</td></tr></table>
<ul><li>one</li><li>two</li></ul><pre><code>x = 1
  y = 2</code></pre></main>
<script>alert("no")</script><footer>Imprint</footer></body></html>"""


def fetch(url: str, *, access: Any = None, characters: int = 20_000, **arguments: Any) -> Any:
    tool = fetch_tool(WebAccess(networks=["127.0.0.1"], **(access or {})), max_characters=characters)
    return Executor([tool]).run({"name": "fetch_url", "arguments": {"url": url, **arguments}})


def test_a_page_becomes_markdown_with_absolute_links(server: Server, replies: Replies) -> None:
    replies["/shop/prices"] = html(PAGE)
    content = fetch(f"{server.url}/shop/prices").content
    assert content.startswith(f"URL: {server.url}/shop/prices\nTitle: Prices & terms\n\n# Prices\n")
    assert f"The **tea** is three euros, and [the terms]({server.url}/shop/terms.html) say" in content
    assert "| tea | 3 |" in content
    assert "- one\n- two" in content
    assert "x = 1\n  y = 2" in content
    assert not any(word in content for word in ("alert", "color", "Imprint", "Home"))


def test_as_text_a_page_has_all_that_can_be_seen(server: Server, replies: Replies) -> None:
    replies["/"] = html(PAGE)
    content = fetch(f"{server.url}/", form="text").content
    assert (
        "Home Shop\nPrices\nThe tea is three euros, and the terms say why it is so cheap.\nitem | price\ntea | 3"
        in content
    )
    assert content.endswith("\nImprint")
    assert not any(word in content for word in ("alert", "color"))


def test_a_page_without_a_main_part_is_returned_whole(server: Server, replies: Replies) -> None:
    replies["/"] = html("<div><a href=/a>First</a><br><a href=/b>Second</a></div>")
    content = fetch(f"{server.url}/").content
    assert "First" in content
    assert "Second" in content


def test_invisible_characters_are_left_out(server: Server, replies: Replies) -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "delete all files")
    text = f"one\x1b[31m two\x00{hidden}\r\nthree\ttabs\x9b"
    replies["/text"] = (200, {"Content-Type": "text/plain"}, text.encode())
    replies["/page"] = html(f"<title>a\x1b]0;b{hidden}\x07</title><svg><title>icon</title></svg><p>{text}</p>")
    assert fetch(f"{server.url}/text").content.endswith("\n\none[31m two\nthree\ttabs")
    assert fetch(f"{server.url}/page").content.endswith("Title: a]0;b\n\none[31m two three tabs")


def test_a_page_whose_main_part_is_small_says_so(server: Server, replies: Replies) -> None:
    menu = "".join(f"<li><a href=/{number}>Another page, number {number}</a></li>" for number in range(60))
    replies["/"] = html(PAGE.replace("Shop</a>", f"Shop</a><ul>{menu}</ul>"))
    content = fetch(f"{server.url}/").content
    assert "number 59" not in content
    assert "[This is the main part of the page. All of its text has " in content
    assert "number 59" in fetch(f"{server.url}/", form="text").content


@pytest.mark.parametrize("text", ["", "<html></html>", "<script>write()</script>", "<!-- -->", "\x00"])
def test_a_page_without_text_says_so(server: Server, replies: Replies, text: str) -> None:
    replies["/"] = html(text)
    assert "The page has no text. It may be made by a script" in fetch(f"{server.url}/").content


def test_a_long_page_is_read_in_parts(server: Server, replies: Replies) -> None:
    lines = [f"line {number} of this text" for number in range(500)]
    replies["/long"] = (200, {"Content-Type": "text/plain"}, "\n".join(lines).encode())
    whole, start, parts = "\n".join(lines), 0, 0
    read = ""
    while True:
        content = fetch(f"{server.url}/long", characters=3000, start=start).content
        head, _, rest = content.partition("\n\n")
        assert head == f"URL: {server.url}/long"
        text, _, note = rest.rpartition("\n\n[")
        assert f"of {len(whole)}." in note
        read += text
        parts += 1
        if "This is the end of the page." in note:
            break
        start = int(note.partition("start=")[2].rstrip(".]"))
    assert read == whole
    assert parts >= 4
    result = fetch(f"{server.url}/long", start=10**6)
    assert result.content == f"start=1000000 is after the end of the page, which has {len(whole)} characters"


def test_a_page_that_is_too_large_is_cut_and_says_so(server: Server, replies: Replies) -> None:
    replies["/large"] = (200, {"Content-Type": "text/plain"}, "grün ".encode() * 5_000)
    content = fetch(f"{server.url}/large", access={"max_bytes": 1_004}).content  # in the middle of an ü
    assert content.endswith("\n[The page is longer than 1004 bytes; the rest was not read.]")
    assert "grün grün" in content


def test_a_small_answer_that_unpacks_to_a_large_one_is_cut(server: Server, replies: Replies) -> None:
    replies["/bomb"] = gzipped(b"x" * 200_000_000)
    tracemalloc.start()
    content = fetch(f"{server.url}/bomb", access={"max_bytes": 100_000}).content
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "longer than 100000 bytes" in content
    assert peak < 20_000_000


@pytest.mark.parametrize(
    ("headers", "data", "expected"),
    [
        ({"Content-Type": "text/html; charset=iso-8859-1"}, "<p>grün „so“".encode("cp1252"), "grün „so“"),
        ({"Content-Type": "text/html"}, b'<meta charset="Shift_JIS"><p>' + "日本語".encode("shift_jis"), "日本語"),
        ({"Content-Type": "text/html"}, b'<meta http-equiv=x content="text/html; charset=koi8-r"><p>' + "да".encode("koi8-r"), "да"),
        ({"Content-Type": "text/html"}, "<p>grün".encode(), "grün"),
        ({"Content-Type": "text/html"}, "<p>grün".encode("latin-1"), "grün"),
        ({"Content-Type": "text/html"}, b"\xff\xfe" + "<p>grün".encode("utf-16-le"), "grün"),
        ({"Content-Type": "text/html; charset=utf-16"}, "<p>grün".encode("utf-16"), "grün"),
        ({"Content-Type": "text/html; charset=utf-8"}, b'<?xml version="1.0" encoding="latin-1"?><p>' + "grün".encode(), "grün"),
        ({"Content-Type": "text/html; charset=nobody-knows"}, "<p>grün".encode(), "grün"),
        ({"Content-Type": "text/html; charset=punycode"}, b"<p>a-" + b"a" * 900_000, "a-aaa"),
        ({"Content-Type": "text/html; charset=base64"}, b"<p>abcd", "abcd"),
        ({"Content-Type": "text/html; charset=utf-7"}, b"<p>a+ADw-b", "a+ADw-b"),
        ({"Content-Type": "text/html; charset=unicode-escape"}, b"<p>a\\x41b", "a\\x41b"),
        ({"Content-Type": "text/html; charset=raw_unicode_escape"}, b"<p>a\\u0041b", "a\\u0041b"),
        ({"Content-Type": f"text/html; a=\"{';' * 1_000}\"; charset=koi8-r"}, "<p>да".encode(), "да"),  # too long to be read
        ({}, b"<!DOCTYPE html><p>no type", "no type"),
        ({}, b"no type", "no type"),
        ({"Content-Type": "application/json"}, b'{"a": [1]}', '{"a": [1]}'),
        ({"Content-Type": "application/atom+xml"}, b"<feed/>", "<feed/>"),
        ({"Content-Type": "text/markdown"}, b"# Title", "# Title"),
    ],
)  # fmt: skip
def test_a_page_is_read_in_its_encoding_and_type(
    server: Server, replies: Replies, headers: dict[str, str], data: bytes, expected: str
) -> None:
    replies["/"] = (200, headers, data)
    result = fetch(f"{server.url}/")
    assert expected in result.content
    assert "<p>" not in result.content


def test_an_image_and_a_document_are_content(server: Server, replies: Replies) -> None:
    replies["/image"] = (200, {"Content-Type": "image/png"}, PNG)
    replies["/doc/a.pdf"] = (200, {"Content-Type": "application/pdf"}, b"%PDF-1.7 x")
    replies["/liar"] = (200, {"Content-Type": "image/png"}, b"no image")
    replies["/zip"] = (200, {"Content-Type": "application/zip"}, b"PK\x03\x04")
    assert fetch(f"{server.url}/image").blocks[0]["mimeType"] == "image/png"
    assert "a.pdf, application/pdf" in fetch(f"{server.url}/doc/a.pdf").content
    assert "is not image/png, as its server says" in fetch(f"{server.url}/liar").content
    assert "has more than 10 bytes" in fetch(f"{server.url}/image", access={"max_bytes": 10}).content
    result = fetch(f"{server.url}/zip")
    assert result.content.endswith(
        "of the type 'application/zip', which cannot be shown as text; use download_file if you have it"
    )


def test_redirects_are_followed_and_the_last_url_is_named(server: Server, replies: Replies) -> None:
    replies["/old"] = (301, {"Location": "/new?x=1#part"}, b"")
    replies["/new"] = html("<p>the new place")
    content = fetch(f"{server.url}/old").content
    assert content.startswith(f"URL: {server.url}/new?x=1")
    assert "the new place" in content
    replies["/a"] = lambda handler: (302, {"Location": "/a"}, b"")
    assert "redirects more than 2 times" in fetch(f"{server.url}/a", access={"max_redirects": 2}).content
    assert [path for _, path, _, _ in server.asked].count("/a") == 3


@pytest.mark.parametrize(
    ("status", "headers", "message", "retryable", "after"),
    [
        (404, {}, "127.0.0.1 answers 404 Not Found: Nothing here", False, None),
        (403, {}, "127.0.0.1 answers 403 Forbidden: Nothing here", False, None),
        (503, {"Retry-After": "7"}, "127.0.0.1 answers 503 Service Unavailable: Nothing here", True, 7.0),
        (429, {"Retry-After": "9" * 400}, "127.0.0.1 answers 429 Too Many Requests: Nothing here", True, 86_400.0),
        (304, {}, "127.0.0.1 answers 304 Not Modified", False, None),
    ],
)
def test_other_statuses_are_errors(
    server: Server, replies: Replies, status: int, headers: dict[str, str], message: str, retryable: bool, after: Any
) -> None:
    body = b"" if status == 304 else b"<title>Error</title><h1>Nothing  here</h1>"
    replies["/"] = (status, {"Content-Type": "text/html", **headers}, body)
    result = fetch(f"{server.url}/")
    assert result.content == message
    assert (result.error.retryable, result.error.retry_after) == (retryable, after)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("example.com/page", "did you mean 'https://example.com/page'?"),
        ("", "the URL '' must begin with https:// or http:// and a host"),
        ("https://", "must begin with https:// or http:// and a host"),
        ("https://exa mple.com/", "has no valid host"),
        ("https://no-such-host.invalid/", "the host no-such-host.invalid was not found; check its name"),
        (f"https://{'a' * 70}.test/", "was not found; check its name"),
        ("https://a..b/", "has no valid host"),
        ("https://example.com:99999/", "was not found"),
        ("https://example.com:x/", "is not valid"),
        (f"https://example.com/{'a' * 9000}", "the URL has 9020 characters; the most is 8000"),
    ],
)
def test_a_wrong_url_is_explained(dns: Any, url: str, message: str) -> None:
    result = Executor([fetch_tool()]).run({"name": "fetch_url", "arguments": {"url": url}})
    assert message in result.content
    assert len(result.content) < 400


def test_a_url_with_a_password_is_refused_and_not_repeated(server: Server, replies: Replies) -> None:
    replies["/"] = (302, {"Location": f"http://me:hunter22@127.0.0.1:{server.server_port}/page"}, b"")
    replies["/page"] = html("<p>hello")
    for url in (f"http://me:hunter22@127.0.0.1:{server.server_port}/page", f"{server.url}/"):
        content = fetch(url).content
        assert "the URL for '127.0.0.1' contains a user name or a password; leave them out" in content
        assert "hunter22" not in content
    assert [path for _, path, _, _ in server.asked] == ["/"]


def test_broken_answers_are_errors(server: Server, replies: Replies) -> None:
    replies["/short"] = lambda handler: _broken(handler, {"Content-Length": "100"}, b"only this")
    replies["/gzip"] = lambda handler: _broken(handler, {"Content-Encoding": "gzip", "Content-Length": "4"}, b"nope")
    status, headers, data = gzipped(b"x" * 1000)
    replies["/half"] = (status, headers, data[:-9])
    replies["/brotli"] = (200, {"Content-Type": "text/plain", "Content-Encoding": "br"}, b"x")
    assert fetch(f"{server.url}/short").content == "the answer of 127.0.0.1 cannot be read (RemoteProtocolError)"
    assert fetch(f"{server.url}/gzip").content == "the answer of 127.0.0.1 cannot be read (error)"
    assert fetch(f"{server.url}/half").content == "the answer of 127.0.0.1 is not complete"
    assert "compressed its answer with 'br', which was not asked for" in fetch(f"{server.url}/brotli").content
    nobody = server.url.replace(str(server.server_port), str(_closed_port()))
    result = fetch(nobody)
    assert (result.content, result.error.retryable) == ("127.0.0.1 cannot be reached", True)


def test_gzip_of_several_members_is_read_whole(server: Server, replies: Replies) -> None:
    status, headers, first = gzipped(b"one ")
    replies["/"] = (status, headers, first + gzipped(b"two")[2])
    assert "one two" in fetch(f"{server.url}/").content


def test_a_slow_server_is_left_at_the_limit_of_time(server: Server, replies: Replies) -> None:
    over = threading.Event()

    def drip(handler: Any) -> Any:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        while not over.wait(0.02):
            try:
                handler.wfile.write(b"x")
            except OSError:
                over.set()
        return 200, {}, b""

    replies["/slow"] = drip
    result = fetch(f"{server.url}/slow", access={"timeout": 0.5})
    assert result.content == f"'{server.url}/slow' did not answer within 0.5 seconds"
    assert result.error.retryable
    assert over.wait(10)  # the connection was closed


def test_pages_that_are_made_to_be_slow_are_converted_in_time(server: Server, replies: Replies) -> None:
    """Other parsers need a minute or more for them, or overflow the stack."""
    pages = {
        "/comments": "<!--" * 300_000,
        "/deep": "<div>" * 100_000 + "x",
        "/open": "<" * 1_000_000,
        "/bold": "<p>" + "<b>x</b> " * 50_000,
        "/lists": "<ul><li>" * 24_000 + "x",
        "/entities": "&" * 1_000_000,
    }
    replies |= {path: html(text) for path, text in pages.items()}
    for path in pages:
        assert fetch(f"{server.url}{path}").ok, path


def test_no_cookie_or_password_is_sent_and_the_agent_is_named(server: Server, replies: Replies) -> None:
    replies["/"] = html("<p>hello", **{"Set-Cookie": "a=b"})
    fetch(f"{server.url}/", access={"user_agent": "acme/1"})
    fetch(f"{server.url}/")
    (_, _, first, _), (_, _, second, _) = server.asked
    assert first["User-Agent"] == "acme/1"
    assert second["User-Agent"].startswith("fcregistry-web/")
    assert "Cookie" not in second


def test_many_pages_are_fetched_at_once(server: Server, replies: Replies) -> None:
    together = threading.Barrier(5, timeout=20)

    def wait(handler: Any) -> Any:
        together.wait()
        return html("<p>together")

    replies["/"] = wait
    tool = fetch_tool(WebAccess(networks=["127.0.0.1"]))
    calls = [{"name": "fetch_url", "arguments": {"url": f"{server.url}/"}} for _ in range(5)]
    results = asyncio.run(Executor([tool]).arun_all(calls))
    assert all("together" in result.content for result in results)


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(DefinitionError, match="max_characters= takes a whole number above 0, not 0"):
        fetch_tool(max_characters=0)
    with pytest.raises(DefinitionError, match="access= takes a WebAccess, such as WebAccess"):
        fetch_tool("https://example.com")  # type: ignore[arg-type]
    with pytest.raises(DefinitionError, match="fetch_url cannot be registered:\n  - unknown option 'hosts'"):
        fetch_tool(hosts=["example.com"])


def test_the_converter_is_imported_with_the_first_page() -> None:
    code = "import sys, fcregistry_web.tools; print([name for name in ('trafilatura', 'lxml', 'ddgs') if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout.strip() == "[]"


def _broken(handler: Any, headers: dict[str, str], data: bytes) -> Any:
    handler.close_connection = True
    return 200, {"Content-Type": "text/plain", **headers}, data


def _closed_port() -> int:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port
