"""What the tests ask. A real server on loopback, on a thread."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

PNG = b"\x89PNG\r\n\x1a\n" + bytes(16)

ANSWERS: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/500": (500, {}, b"the engine is broken"),
    "/429": (429, {"Retry-After": "7"}, b""),
    "/503": (503, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, b""),
    "/504": (504, {}, b""),
    "/away": (302, {"Location": "http://elsewhere.example/secret"}, b""),
    "/same": (304, {}, b""),
    "/broken": (503, {}, b"x" * 5000),
    "/mark": (200, {}, b"\xef\xbb\xbf[1]"),
    "/large": (200, {}, b"x" * 5000),
    "/latin": (200, {"Content-Type": "text/plain; charset=iso-8859-1"}, "grün".encode("latin-1")),
    "/odd": (200, {"Content-Type": "text/plain; charset=nobody-knows"}, "grün".encode()),
    "/long": (200, {"Content-Type": f'text/plain; a="{";" * 1_000}"; charset=koi8-r'}, "grün".encode()),
    "/puny": (200, {"Content-Type": "text/plain; charset=punycode"}, b"a-" + b"a" * 900_000),
    "/nan": (200, {}, b'{"a": NaN}'),
    "/never": (429, {"Retry-After": "9" * 400}, b""),
    "/nothing": (204, {}, b""),
    "/image": (200, {"Content-Type": "image/png"}, PNG),
    "/liar": (200, {"Content-Type": "image/png"}, b"no image"),
    "/file": (200, {"Content-Type": "application/zip"}, b"PK\x03\x04"),
    "/words": (200, {}, b"<html>"),
}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        server: Any = self.server
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        asked = {
            "method": self.command,
            "path": parts.path,
            "query": parse_qsl(parts.query, keep_blank_values=True),
            "body": json.loads(body) if body else None,
            "key": self.headers.get("X-Key"),
        }
        server.asked.append(asked)
        if parts.path == "/wait":
            server.begun.set()
            self.connection.settimeout(30)
            if self.rfile.read(1) == b"":  # the client has closed the connection
                server.closed.set()
            self.close_connection = True
            return
        status, headers, data = ANSWERS.get(parts.path, (200, {}, b""))
        if parts.path not in ANSWERS:
            given = {**dict(asked["query"]), **(asked["body"] or {})}
            words = f"Received: {given.get('query')} with value {given.get('value')}"
            data = json.dumps({"result": words, **asked} if parts.path == "/json" else asked).encode()
            if parts.path == "/test":
                data = words.encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815  # the names that the base class looks for

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Server(ThreadingHTTPServer):
    """Notes what it is asked."""

    daemon_threads = True

    def __init__(self, certificate: Path | None = None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.scheme = "http" if certificate is None else "https"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.asked: list[dict[str, Any]] = []
        self.begun = threading.Event()
        self.closed = threading.Event()

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.server_port}"

    def __enter__(self) -> Server:
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()
        return self

    def __exit__(self, *about: object) -> None:
        self.shutdown()
        self.thread.join()
        self.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running
