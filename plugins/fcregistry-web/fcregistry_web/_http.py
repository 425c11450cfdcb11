"""GET requests that reach only what a `WebAccess` allows.

Each host, also that of a redirect, is resolved once. Its addresses are checked, and the connection goes to one of exactly these.
TLS and the `Host` header keep the name. Source: RFC 9110 (redirects, encodings, `Retry-After`).
"""

from __future__ import annotations

import ssl
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Final

import httpx2
from fcregistry.errors import ToolError
from fcregistry.execution import tls_problem

from fcregistry_web._access import WebAccess, quote

_REDIRECTS: Final = (301, 302, 303, 307, 308)
_RETRYABLE: Final = (408, 429, 500, 502, 503, 504)
_LONGEST_WAIT: Final = 86_400.0
_MOST_ADDRESSES: Final = 4
_CONNECT_SECONDS: Final = 10.0
_LONGEST_TYPE: Final = 1_000
_PIECE: Final = 65_536
_GZIP: Final = 31  # zlib's number for "with a gzip header"


@dataclass(frozen=True, slots=True)
class Answer:
    """A response without its body.

    Attributes:
        url: The URL that answered, after redirects.
        response: The response.
    """

    url: httpx2.URL
    response: httpx2.Response

    @property
    def media_type(self) -> str:
        """The media type that the header names, in lower case, without parameters; may be empty."""
        return self.response.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def charset(self) -> str | None:
        """The charset that the header names, or None if it names none.

        It is None for a long header, too: reading it takes quadratic time.
        """
        is_short = len(self.response.headers.get("content-type", "")) <= _LONGEST_TYPE
        return self.response.charset_encoding if is_short else None

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the body, decompressed, in pieces of at most 64 KiB.

        So the caller notices when a small answer becomes a large one.

        Raises:
            ToolError: The body is compressed in a way that was not asked for, or is not complete.
        """
        encoding = self.response.headers.get("content-encoding", "identity").strip().lower()
        if encoding in ("identity", ""):
            async for raw in self.response.aiter_raw():
                yield raw
            return
        if encoding not in ("gzip", "x-gzip"):
            raise ToolError(f"{self.url.host} compressed its answer with {quote(encoding)}, which was not asked for")
        unpacker = zlib.decompressobj(_GZIP)
        async for raw in self.response.aiter_raw():
            rest = raw
            while rest:
                if unpacker.eof:  # a gzip file may have several members
                    unpacker = zlib.decompressobj(_GZIP)
                yield unpacker.decompress(rest, _PIECE)
                rest = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
        if not unpacker.eof:
            raise ToolError(f"the answer of {self.url.host} is not complete", retryable=True)

    async def read(self, most: int) -> tuple[bytes, bool]:
        """Return the first bytes of the body, and whether there are more.

        Args:
            most: How many bytes.
        """
        data = bytearray()
        async for piece in self.pieces():
            data += piece
            if len(data) > most:
                return bytes(data[:most]), True
        return bytes(data), False

    def status_error(self, text: str) -> ToolError:
        """Return the error for a status that is not a success.

        Args:
            text: What the body says.
        """
        response = self.response
        message = f"{self.url.host} answers {response.status_code} {response.reason_phrase}".rstrip()
        is_retryable = response.status_code in _RETRYABLE
        wait = response.headers.get("retry-after", "").strip()
        seconds = min(float(wait), _LONGEST_WAIT) if wait.isascii() and wait.isdecimal() else None
        return ToolError(
            f"{message}: {text}" if text else message,
            retryable=is_retryable,
            retry_after=seconds if is_retryable else None,
        )


@asynccontextmanager
async def get(access: WebAccess, url: str, accept: str) -> AsyncIterator[Answer]:
    """Request a URL, follow its redirects, and yield the answer, whose body is not read yet.

    The answer may have any status. The limit of time is the caller's to set.

    Args:
        access: What may be reached.
        url: The URL.
        accept: The `Accept` header.

    Raises:
        ToolError: The URL cannot be requested or does not answer; the message says why.
    """
    headers = {"User-Agent": access.user_agent, "Accept": accept, "Accept-Encoding": "gzip"}
    place = access.check_url(url)
    try:
        transport = _PinnedTransport(access)
        async with httpx2.AsyncClient(transport=transport, timeout=None, trust_env=False) as client:
            for count in range(access.max_redirects + 1):
                with _explain_redirect(url if count else None, place):
                    request = client.build_request("GET", place, headers=headers)
                    response = await client.send(request, stream=True, follow_redirects=False)
                try:
                    where = response.headers.get("location", "")
                    if response.status_code not in _REDIRECTS or not where:
                        yield Answer(place, response)
                        return
                finally:
                    await response.aclose()
                with _explain_redirect(url, where):
                    place = access.check_url(_join(place, where))
    except (httpx2.HTTPError, zlib.error) as error:
        raise _failure(place.host, error) from None
    raise ToolError(
        f"{quote(url)} redirects more than {access.max_redirects} times; the last URL was {quote(str(place))}"
    )


@contextmanager
def _explain_redirect(start: str | None, place: object) -> Iterator[None]:
    """Add to a `ToolError` that `start` redirected to `place`; `start` is None without a redirect."""
    try:
        yield
    except ToolError as error:
        if start is None:
            raise
        message = f"{quote(start)} redirects to {quote(str(place))}: {error}"
        raise ToolError(message, retryable=error.retryable) from None


def _join(place: httpx2.URL, where: str) -> str:
    """Return the URL `where`, which may be relative to `place`, as an absolute URL.

    If it is not valid, return it unchanged.
    """
    try:
        return str(place.join(where))
    except (httpx2.InvalidURL, ValueError):
        return where  # `check_url` explains what is wrong with it


def _failure(host: str, error: Exception) -> ToolError:
    """Return the error for a request to `host` that the client's exception `error` ended."""
    if isinstance(error, httpx2.ConnectError) and (problem := tls_problem(error)):
        return ToolError(f"{host}: {problem}")
    if isinstance(error, (httpx2.ConnectError, httpx2.ConnectTimeout)):
        return ToolError(f"{host} cannot be reached", retryable=True)
    return ToolError(f"the answer of {host} cannot be read ({type(error).__name__})", retryable=True)


class _PinnedTransport(httpx2.AsyncBaseTransport):
    """Connects to a checked address of the host.

    No connection is used twice: two names may have one address.
    """

    def __init__(self, access: WebAccess) -> None:
        self._access = access
        limits = httpx2.Limits(max_keepalive_connections=0)
        self._inner = httpx2.AsyncHTTPTransport(verify=certificates(), limits=limits, trust_env=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send `request` to one of the checked addresses of its host, and return the response."""
        addresses = await self._access.addresses(request.url)
        name = request.url.raw_host.decode("ascii").rstrip(".")  # certificates name no root
        extensions = {**request.extensions, "sni_hostname": name, "timeout": {"connect": _CONNECT_SECONDS}}
        for address in addresses[:_MOST_ADDRESSES]:
            url = request.url.copy_with(host=str(address))
            pinned = httpx2.Request(
                request.method, url, headers=request.headers, stream=request.stream, extensions=extensions
            )
            try:
                return await self._inner.handle_async_request(pinned)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                last = error
        raise last

    async def aclose(self) -> None:
        await self._inner.aclose()


@cache
def certificates() -> ssl.SSLContext:
    """Return the certificates of the system, or those that `SSL_CERT_FILE` or `SSL_CERT_DIR` names.

    They are cached, since reading them takes time. Raise `ToolError` if they cannot be read.
    """
    try:
        return httpx2.create_ssl_context()
    except OSError as error:
        raise ToolError(tls_problem(error) or f"the certificates to trust cannot be read: {error.strerror}") from error
