"""What the tests ask: real servers on loopback, and a stub of DNS whose answers a test sets."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

Reply: TypeAlias = tuple[int, dict[str, str], bytes]
Replies: TypeAlias = dict[str, "Reply | Callable[[BaseHTTPRequestHandler], Reply]"]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        server: Any = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        server.asked.append((self.command, self.path, dict(self.headers.items()), body))
        found = server.replies.get(self.path.partition("?")[0], (404, {"Content-Type": "text/html"}, b"<p>not here"))
        status, headers, data = found(self) if callable(found) else found
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Length" not in headers and "Transfer-Encoding" not in headers:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        try:
            self.wfile.write(data)
        except OSError:
            self.close_connection = True  # the client has read enough

    do_GET = do_POST = answer  # noqa: N815  # the names that the base class looks for

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Server(ThreadingHTTPServer):
    """Answers as `replies` says, and notes what it is asked."""

    daemon_threads = True

    def __init__(self, replies: Replies, address: str = "127.0.0.1") -> None:
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, 0), Handler)
        self.replies = replies
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients of these tests leave in the middle."""

    def __enter__(self) -> Server:
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, *about: object) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class Dns:
    """Replaces the system's resolver. A name has lists of addresses, one for each time that it is resolved; the last one stays."""

    def __init__(self) -> None:
        self.names: dict[str, list[list[str]]] = {}
        self.resolved: list[str] = []
        self._system = socket.getaddrinfo

    def getaddrinfo(self, host: Any, port: Any, *args: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        answers = self.names.get(name)
        if answers is None:
            if not self._is_number(name):
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            return self._system(host, port, *args, **options)
        self.resolved.append(name)
        addresses = answers.pop(0) if len(answers) > 1 else answers[0]
        return [entry for address in addresses for entry in self._system(address, port, *args, **options)]

    def _is_number(self, name: str) -> bool:
        """Return whether the system resolves a name without DNS."""
        try:
            return ":" in name or name == "localhost" or bool(socket.inet_aton(name))
        except OSError:
            return False


def html(text: str, **headers: str) -> Reply:
    return 200, {"Content-Type": "text/html; charset=utf-8", **headers}, text.encode()


def gzipped(data: bytes, media_type: str = "text/plain") -> Reply:
    return 200, {"Content-Type": media_type, "Content-Encoding": "gzip"}, gzip.compress(data)
