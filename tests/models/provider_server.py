"""The server that clients of providers talk to in tests: a real HTTP server on loopback that gives scripted replies and remembers the requests.

It knows no provider: a test scripts what one would answer.

    with ProviderServer(json_reply({"id": "1"}), stream_reply([event({"n": 1}), event("[DONE]")])) as server:
        …                       # a client with base_url=server.url
        server.requests[0].json
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

Piece: TypeAlias = "str | bytes | threading.Event"
"""What is sent next; or something to wait for, so that a test can look at what has come until then."""

WAIT = 20
"""Seconds after which the server does not wait any longer for a test to go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a client asked.

    Attributes:
        method: `POST`.
        path: With its query.
        headers: By their names in lower case.
        body: As it came.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """What the body says."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the server answers.

    Attributes:
        status: The HTTP status.
        headers: Beside those that HTTP needs.
        pieces: The body, each piece sent by itself.
        cut: Whether the connection breaks after the last piece, before the body is at its end.
        silent: Whether nothing at all is answered, until the server ends.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: Iterable[Piece] = ()
    cut: bool = False
    silent: bool = False


def json_reply(value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    """Return a reply of JSON."""
    return Reply(
        status=status, headers={"content-type": "application/json", **(headers or {})}, pieces=[json.dumps(value)]
    )


def stream_reply(pieces: Iterable[Piece], *, cut: bool = False, headers: Mapping[str, str] | None = None) -> Reply:
    """Return a reply of server-sent events, or of what else its pieces are."""
    return Reply(headers={"content-type": "text/event-stream", **(headers or {})}, pieces=list(pieces), cut=cut)


def event(data: object, name: str | None = None) -> str:
    """Return a server-sent event: text as it is, anything else as JSON."""
    text = data if isinstance(data, str) else json.dumps(data)
    lines = [*([f"event: {name}"] if name else []), f"data: {text}"]
    return "\n".join(lines) + "\n\n"


class ProviderServer:
    """A server on a port of its own, as a context manager.

    Args:
        replies: What it answers, in this order; the last one again and again.
        certificate: The file with the certificate and the key with which it speaks TLS; by default it does not.

    Attributes:
        replies: What it has not answered yet.
        requests: What it was asked, in order.
        broken: Set once a client has gone before its reply was at its end.
    """

    def __init__(self, *replies: Reply, certificate: Path | None = None) -> None:
        self.replies = list(replies)
        self._lock = threading.Lock()
        self._connections: set[socket.socket] = set()
        self._ended = threading.Event()
        self.requests: list[Request] = []
        self.broken = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._http.daemon_threads = False  # so that closing it waits for them
        self._scheme = "http"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._http.socket = context.wrap_socket(self._http.socket, server_side=True)
            self._scheme = "https"
        # It looks every 2 ms whether it shall end; the half second of the standard library would be paid by every test.
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.002,), name="provider-server")

    @property
    def url(self) -> str:
        """Where it listens, without a slash at the end."""
        return f"{self._scheme}://127.0.0.1:{self._http.server_port}"

    @property
    def connections(self) -> int:
        """How many clients are connected now."""
        return len(self._connections)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._ended.set()
        self._http.shutdown()
        self._thread.join()
        for connection in list(self._connections):
            _break(connection)
        self._http.server_close()

    def answer_to(self, request: Request) -> Reply:
        """Remember a request, and return what is answered."""
        with self._lock:
            self.requests.append(request)
            return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    def connected(self, connection: socket.socket, *, is_open: bool) -> None:
        """Count a connection, or no longer."""
        (self._connections.add if is_open else self._connections.discard)(connection)

    def wait(self, gate: threading.Event | None = None) -> None:
        """Wait until a test goes on, or for the end."""
        (gate or self._ended).wait(WAIT)


def _break(connection: socket.socket) -> None:
    with suppress(OSError):  # the client was quicker
        connection.shutdown(socket.SHUT_RDWR)


def _handler_for(server: ProviderServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = (
            True  # it would keep small pieces back until the client has acknowledged the one before
        )

        def setup(self) -> None:
            super().setup()
            server.connected(self.connection, is_open=True)

        def finish(self) -> None:
            server.connected(self.connection, is_open=False)
            super().finish()

        def handle(self) -> None:
            with suppress(OSError):  # the client has gone
                super().handle()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = server.answer_to(Request(method=self.command, path=self.path, headers=headers, body=body))
            if reply.silent:
                server.wait()
                self.close_connection = True
                return
            self.send_response(reply.status)
            for name, value in {**reply.headers, "transfer-encoding": "chunked"}.items():
                self.send_header(name, value)
            try:
                self.end_headers()
                self._send(reply)
            except OSError:
                server.broken.set()
                raise

        do_GET = do_POST  # noqa: N815  # the name that the standard library looks for

        def _send(self, reply: Reply) -> None:
            for piece in reply.pieces:
                if isinstance(piece, threading.Event):
                    server.wait(piece)
                    continue
                chunk = piece.encode() if isinstance(piece, str) else piece
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))  # RFC 9112, 7.1
                self.wfile.flush()
            if reply.cut:
                self.close_connection = True
            else:
                self.wfile.write(b"0\r\n\r\n")

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing on standard error."""

    return Handler
