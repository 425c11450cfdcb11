"""The value of a `FromEnv` comes back in no answer, error or log, in whatever spelling the endpoint repeats it."""

from __future__ import annotations

import base64
import html
import json
import logging
import re
import traceback
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from fcregistry import Executor

from fcregistry_http import FromEnv, http_tool

SECRET = 'sk-A1/b+c=d"e&f\\g~h'
PASSWORD = "open sesame"
ASK = {"name": "ask", "arguments": {}}

SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "percent": quote,
    "percent with every sign": lambda text: quote(text, safe=""),
    "percent in small letters": lambda text: quote(text, safe="").replace("%2F", "%2f").replace("%2B", "%2b"),
    "query": quote_plus,
    "json": json.dumps,
    "json of other languages": lambda text: json.dumps(text).replace("&", "\\u0026").replace("/", "\\/"),
    "json in json": lambda text: json.dumps(json.dumps(text)),
    "html": html.escape,
    "repr": repr,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 for URLs": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "basic": lambda text: base64.b64encode(f"user:{text}".encode()).decode(),
    "basic of a longer name": lambda text: base64.b64encode(f"users:{text}:x".encode()).decode(),
    "percent twice": lambda text: quote(quote(text, safe=""), safe=""),
    "percent of json": lambda text: quote(json.dumps(text)),
    "json with every letter escaped": lambda text: "".join(f"\\u{ord(char):04x}" for char in text),
    "html of json": lambda text: html.escape(json.dumps(text)),
    "html twice": lambda text: html.escape(html.escape(text)),
    "html with every letter as a number": lambda text: "".join(f"&#{ord(char)};" for char in text),
    "html with every letter as a hex number": lambda text: "".join(f"&#x{ord(char):X};" for char in text),
    "hex": lambda text: text.encode().hex(),
    "hex in capitals": lambda text: text.encode().hex().upper(),
    "base64 twice": lambda text: base64.b64encode(base64.b64encode(text.encode())).decode(),
    "base64 in lines": lambda text: base64.encodebytes(b"x" * 40 + text.encode()).decode(),
    "base64 in lines of 64 as Windows ends them": lambda text: "\r\n".join(
        re.findall(".{1,64}", base64.b64encode(b"x" * 40 + text.encode()).decode())
    ),
    "percent of base64": lambda text: quote(base64.b64encode(f"me:{text}".encode()).decode(), safe=""),
}


def leaked(said: str, spelling: Callable[[str], str]) -> bool:
    """Tell whether anything longer than what base64 shares with its neighbours is left of the secret."""
    middle = spelling(SECRET)[8:-8] or spelling(SECRET)
    return SECRET in said or middle in said or "A1/b" in said


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACME_TOKEN", SECRET)


@pytest.fixture
def echo() -> Iterator[Callable[..., Any]]:
    """Asks a server whose answer is made of what it received: the status, headers and body that a test returns for it."""
    answers: list[Callable[[str], tuple[int, dict[str, str], bytes]]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            status, headers, body = answers[-1](self.headers["X-Key"])
            self.send_response(status, headers.pop("reason", None))
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()

    def ask(answer: Callable[[str], tuple[int, dict[str, str], bytes]], form: str = "{}", **more: Any) -> Any:
        answers.append(answer)
        tool = http_tool(
            "GET",
            f"http://127.0.0.1:{server.server_port}/",
            parameters={"type": "object", "properties": {}, "additionalProperties": False},
            name="ask",
            description="Ask.",
            headers={"X-Key": FromEnv("ACME_TOKEN", form)},
            **more,
        )
        return Executor([tool]).run(ASK)

    yield ask
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
def test_an_answer_repeats_no_secret_in_any_spelling(echo: Any, spelling: Callable[[str], str]) -> None:
    def text(key: str) -> tuple[int, dict[str, str], bytes]:
        return 200, {}, f"you sent {spelling(key)}, thanks".encode()

    result = echo(text)
    assert result.content.startswith("you sent ")
    assert result.content.endswith(", thanks")
    assert "…" in result.content
    assert not leaked(result.content, spelling)


def test_a_json_answer_repeats_no_secret(echo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(key: str) -> tuple[int, dict[str, str], bytes]:
        return 200, {}, json.dumps({"key": [key, 1], f"X-{key}": True, "other": "x"}).encode()

    assert echo(answer, returns="json").value == {"key": ["…", 1], "X-…": True, "other": "x"}
    monkeypatch.setenv("ACME_TOKEN", "12345678")
    numbers = echo(lambda key: (200, {}, b'{"id": 12345678, "pin": "12345678", "n": 7}'), returns="json")
    assert numbers.value == {"id": "…", "pin": "…", "n": 7}


def test_a_json_answer_that_escapes_each_letter_repeats_no_secret(echo: Any) -> None:
    """The parser reads what a search of the text might not find."""

    def answer(key: str) -> tuple[int, dict[str, str], bytes]:
        escaped = "".join(f"\\u{ord(char):04x}" for char in key)
        return 200, {}, f'{{"key": "{escaped}", "{escaped}": 1, "other": "x"}}'.encode()

    assert echo(answer, returns="json").value == {"key": "…", "…": 1, "other": "x"}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-16", "utf-32"])
@pytest.mark.parametrize("spelling", [str, json.dumps, lambda text: base64.b64encode(text.encode()).decode()])
def test_a_file_of_wide_characters_repeats_no_secret(echo: Any, encoding: str, spelling: Callable[[str], str]) -> None:
    def answer(key: str) -> tuple[int, dict[str, str], bytes]:
        return 200, {"Content-Type": f"text/plain; charset={encoding}"}, f"a {spelling(key)}, b".encode(encoding)

    (part,) = echo(answer, returns="content").parts
    assert part.data.decode(encoding).replace('"', "") == "a …, b"


def test_a_file_repeats_no_secret(echo: Any) -> None:
    answer = echo(
        lambda key: (200, {"Content-Type": "text/csv"}, b"a,b\n" + key.encode() + b",\xff\n"), returns="content"
    )
    (part,) = answer.parts
    assert part.data == "a,b\n…,".encode() + b"\xff\n"


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (500, {}, "no key {}"),
        (401, {"reason": "Not {}"}, ""),
        (302, {"Location": "https://elsewhere.example/?key={quoted}"}, ""),
        (302, {"Location": "https://elsewhere.example/{}"}, ""),
        (500, {}, "x" * 485 + "{}"),  # the text is cut where the secret is
        (200, {"Content-Type": "image/{quoted}"}, "no image"),
    ],
)
def test_an_error_repeats_no_secret(echo: Any, status: int, headers: dict[str, str], body: str) -> None:
    def answer(key: str) -> tuple[int, dict[str, str], bytes]:
        def fill(text: str) -> str:
            return text.replace("{}", key).replace("{quoted}", quote(key, safe=""))

        return status, {name: fill(value) for name, value in headers.items()}, fill(body).encode()

    result = echo(answer, max_bytes=500, **({"returns": "content"} if status == 200 else {}))
    assert not result.ok
    assert not leaked("".join(traceback.format_exception(result.error.exception)) + result.content, quote)
    assert "A1" not in result.content


def test_an_answer_that_is_not_json_leaves_no_secret_in_the_exceptions(echo: Any) -> None:
    result = echo(lambda key: (200, {}, f"<{key}>".encode()), returns="json")
    assert result.content.endswith("is not valid JSON: <…>")
    assert SECRET not in everything_of(result.error.exception)


def test_a_broken_answer_leaves_no_secret_in_the_exceptions(echo: Any) -> None:
    """The client's exception holds the request, and repeats the line that it cannot read."""
    result = echo(lambda key: (200, {f"bad header {key}": "x"}, b""))
    assert "cannot be read (RemoteProtocolError)" in result.content
    cause = result.error.exception.__cause__
    assert (type(cause).__name__, SECRET in str(cause)) == ("RemoteProtocolError", False)
    assert SECRET not in everything_of(result.error.exception)


def everything_of(error: BaseException | None) -> str:
    """Return the words and attributes of an exception and of those behind it, as far as they are reached without frames."""
    if error is None:
        return ""
    request = getattr(error, "_request", None)
    own = f"{error!r} {vars(error)!r} {getattr(request, 'headers', None) and list(request.headers.items())}"
    return own.replace("\\\\", "\\") + everything_of(error.__cause__) + everything_of(error.__context__)


def test_basic_authentication_hides_the_password_that_its_variable_encodes(
    echo: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACME_TOKEN", base64.b64encode(f"jane:{PASSWORD}".encode()).decode())
    result = echo(lambda key: (200, {}, f"jane, {PASSWORD} of {key} is wrong".encode()), "Basic {}")
    assert result.content == "jane, … of … is wrong"


@pytest.mark.parametrize(("value", "shown"), [("abc", "abc/1 abc, …"), ("abcd", "…/1 …, …")])
def test_a_value_of_fewer_than_four_characters_is_not_a_secret_by_itself(
    echo: Any, monkeypatch: pytest.MonkeyPatch, value: str, shown: str
) -> None:
    monkeypatch.setenv("ACME_TOKEN", value)
    result = echo(lambda key: (200, {}, f"{value}/1 {value}, {key}".encode()), "Bearer {}")
    assert result.content == shown or result.content == shown.replace(", …", ", Bearer …")


def test_logs_of_the_call_and_of_the_client_repeat_no_secret(echo: Any, caplog: pytest.LogCaptureFixture) -> None:
    """The client logs the headers of an answer, its reason phrase, and the URL."""
    caplog.set_level(logging.DEBUG)
    reply = {"reason": "Not {}", "Location": "/{}", "X-Echo": "{}"}

    def answer(key: str) -> tuple[int, dict[str, str], bytes]:
        return 302, {name: text.replace("{}", key) for name, text in reply.items()}, key.encode()

    assert not echo(answer).ok
    logged = "\n".join(map(logging.Formatter().format, caplog.records))
    assert "HTTP Request: GET" in logged
    assert "receive_response_headers.complete" in logged
    assert "fcregistry.calls" in {record.name for record in caplog.records}
    assert not leaked(logged, str)
    assert "b+c" not in logged


def test_logs_of_other_requests_stay_as_they_are(echo: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    echo(lambda key: (200, {}, b""))
    logging.getLogger("httpx2").info("not ours: %s", SECRET)
    assert f"not ours: {SECRET}" in caplog.messages
