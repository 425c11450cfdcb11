"""Limits of a provider's HTTP answers: their size, their number of JSON values, and where redirects lead.

The SDKs send through a client of HTTPX, or of its successor httpx2. The client's event hooks see each response before its body is read and before a
redirect is followed, whether the user or fcregistry made the client, so the limits are one hook. They apply only to the requests of fcregistry's
models: other requests of the same client are not limited.

Source: RFC 1952 (gzip).
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, NoReturn

from fcregistry.errors import ModelError
from fcregistry.models._provider_errors import RefusedAnswerError, bounded_text

MAX_ANSWER_BYTES: Final = 64 * 2**20
"""Of one answer, decoded. The longest answers of today take 45 MiB as a stream: 128,000 tokens, with an event of some 350 bytes each."""

MAX_ERROR_BYTES: Final = 2**20
"""Of the body of a reply that is not an answer. The rest is not read, since only its beginning is shown."""

_BYTES_PER_VALUE: Final = 32
"""A JSON document may have one comma in so many bytes of the limit: 64 MiB of `{},{},…` were read to 3.3 GB of objects."""

_MIN_VALUES: Final = 100_000
"""Commas that a document may have in any case: some 15 MB of objects."""

_HEADERS: Final = {"Accept-Encoding": "gzip"}
"""Sent with each request. Other encodings are not decoded in bounded pieces by every version of the HTTP libraries."""

_NOT_READ_ON: Final = "and is not read on; where such answers are to be expected, give a higher max_answer_bytes"

_MAX_REDIRECTS: Final = 5
"""That one request follows, all of them on the same server."""

_GZIP_MAGIC: Final = b"\x1f\x8b"
"""The beginning of each member of gzip."""

_PIECE_BYTES: Final = 2**18
"""Bytes that are decoded at a time: a bomb is seen before it takes more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """The limits of one request.

    Attributes:
        full_name: The name of the model with its provider, for errors.
        answer: The most bytes of an answer.
        secrets: Texts that must not be shown.
        redirects: The statuses of the redirects that were followed one after the other. A hook is called before a response has its history.
    """

    full_name: str
    answer: int
    secrets: Sequence[str] = field(repr=False)
    redirects: list[int] = field(default_factory=list)


_LIMITS: ContextVar[HttpLimits | None] = ContextVar("fcregistry_http_limits", default=None)


def checked_size(size: object) -> int:
    """Return a limit in bytes.

    Raises:
        ValueError: It is not a whole number above 0.
    """
    if type(size) is not int or size < 1:
        raise ValueError(f"max_answer_bytes takes a whole number above 0, not {size!r:.80}")
    return size


def limit_responses(http: Any) -> Any:
    """Add the hook with the limits to a client of HTTPX, unless it has the hook, and return the client."""
    hooks = getattr(http, "event_hooks", None)  # without them, it is not a client of HTTPX, but a stand-in
    if isinstance(hooks, dict) and _limit not in (responses := hooks.setdefault("response", [])):
        responses.append(_limit)
    return http


async def send(
    create: Callable[..., Awaitable[Any]], client: Any, request: Mapping[str, Any], limits: HttpLimits
) -> Any:
    """Send a request, and return the SDK's object for the response, whose body may be read later.

    Args:
        create: The SDK's function that sends it.
        client: The SDK's client, which has one of HTTPX.
        request: Its arguments.
        limits: The limits of the response.

    Raises:
        RefusedAnswerError: The response exceeds them.
    """
    limit_responses(getattr(client, "_client", None))
    headers = {**_HEADERS, **(request.get("extra_headers") or {})}
    token = _LIMITS.set(limits)
    try:
        return await create(**{**request, "extra_headers": headers})
    finally:
        _LIMITS.reset(token)


async def _limit(response: Any) -> None:
    """Refuse a redirect to another origin, and limit the body of any other response."""
    limits = _LIMITS.get()
    if limits is None:
        return
    if response.has_redirect_location:
        _check_redirect(response, limits)
        limits.redirects.append(response.status_code)
    else:
        limits.redirects.clear()
    body = _Body(response, limits)
    base = next(each for each in type(response.stream).__mro__ if each.__name__ == "AsyncByteStream")
    response.stream = _stream_class(base)(response.stream, body)
    response.headers.pop("content-encoding", None)  # it is decoded here, and only once


def _check_redirect(response: Any, limits: HttpLimits) -> None:
    """Refuse a redirect to another origin, which would receive the conversation, and maybe the key.

    Redirects within the origin are refused after a few.
    """
    where = "what is not a URL"
    try:
        here, there = response.url, response.url.join(response.headers["location"])
    except Exception:  # exceptions of any HTTP library for an invalid URL  # noqa: BLE001
        pass
    else:
        if (here.scheme, here.host, here.port) == (there.scheme, there.host, there.port):
            if len(limits.redirects) < _MAX_REDIRECTS:
                return
            _refuse(
                limits,
                f"the provider redirects in a circle, or more than {_MAX_REDIRECTS} times (HTTP {response.status_code}); look where base_url leads",
                response.status_code,
            )
        port = f" port {there.port}" if there.port else ""
        where = f"another server, {there.scheme} at {there.host}{port}"
    _refuse(
        limits,
        f"the provider redirects to {bounded_text(where, limits.secrets)} (HTTP {response.status_code}); the conversation is not sent there: "
        "if that server is meant, set base_url to it",
        response.status_code,
    )


def _refuse(limits: HttpLimits, why: str, status: int | None = None) -> NoReturn:
    raise RefusedAnswerError(ModelError(f"{limits.full_name}: {why}", status=status))


class _Body:
    """Decodes a body, and counts its bytes and values."""

    def __init__(self, response: Any, limits: HttpLimits) -> None:
        self._limits = limits
        self._is_answer = response.status_code < 300
        self._left = limits.answer if self._is_answer else MAX_ERROR_BYTES
        self._left_raw = self._left  # empty blocks and what follows the end decode to nothing, and may never end
        self._most_values = max(_MIN_VALUES, limits.answer // _BYTES_PER_VALUE)
        self._values = 0
        self._is_stream = response.headers.get("content-type", "").startswith("text/event-stream")
        self.is_cut = False
        """Whether the rest of an error is not read."""
        values = response.headers.get("content-encoding", "").lower().split(",")
        encodings = [each.strip() for each in values if each.strip() not in ("", "identity")]
        if encodings not in ([], ["gzip"], ["x-gzip"]):
            self._end(
                f"is encoded as {', '.join(encodings)!r:.80}, though only gzip was asked for; look where base_url leads"
            )
        self._decoder = zlib.decompressobj(zlib.MAX_WBITS | 16) if encodings else None
        self._unread = b""  # the first byte of a member of gzip, where a part of the body ends with it
        self._is_over = False  # what follows the last member has begun

    def pieces(self, raw: bytes) -> Iterator[bytes]:
        """Yield the decoded form of a part of the body, up to the limit.

        Raises:
            RefusedAnswerError: The answer exceeds it.
        """
        if self.is_cut:
            return
        self._left_raw -= len(raw)
        for piece in self._decoded(raw):
            if len(piece) > self._left or self._left_raw < 0:
                if not self._is_answer:
                    yield piece[: self._left]
                self._end(f"is longer than {self._limits.answer:,} bytes, {_NOT_READ_ON}")
                return
            self._left -= len(piece)
            self._count_values(piece)
            yield piece

    def _count_values(self, piece: bytes) -> None:
        """Refuse a document of so many values that their objects would take far more than its bytes.

        In a stream, each line has its own.
        """
        first, *rest = piece.split(b"\n") if self._is_stream else [piece]
        counts = [self._values + first.count(b","), *(each.count(b",") for each in rest)]
        self._values = counts[-1]
        if self._is_answer and max(counts) > self._most_values:
            self._end(f"holds more than {self._most_values:,} values, {_NOT_READ_ON}")

    def _decoded(self, raw: bytes) -> Iterator[bytes]:
        """Yield the content of gzip: any number of members (RFC 1952, 2.2); what follows them becomes nothing."""
        if self._decoder is None:
            yield raw
            return
        raw, self._unread = self._unread + raw, b""
        piece = b""
        while raw or (len(piece) == _PIECE_BYTES and not self._decoder.eof):  # a whole piece: it may hold more
            if self._decoder.eof:
                if raw == _GZIP_MAGIC[:1] and not self._is_over:
                    self._unread = raw
                    return
                if self._is_over or not raw.startswith(_GZIP_MAGIC):
                    self._is_over = True
                    yield b""
                    return
                self._decoder = zlib.decompressobj(zlib.MAX_WBITS | 16)
            try:
                piece = self._decoder.decompress(raw, _PIECE_BYTES)
            except zlib.error:
                self._end("is said to be gzip and is not; look where base_url leads")
                return
            yield piece
            raw = self._decoder.unused_data if self._decoder.eof else self._decoder.unconsumed_tail

    def _end(self, what: str) -> None:
        """Refuse an answer; the rest of an error, whose status says enough, is left out."""
        self.is_cut = True
        if self._is_answer:
            _refuse(self._limits, f"the answer {what}")


class _LimitedStream:
    """The body of a response, in place of the HTTP library's own."""

    def __init__(self, stream: Any, body: _Body) -> None:
        self._stream = stream
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = aiter(self._stream)
        try:
            async for raw in received:
                for piece in filter(None, self._body.pieces(raw)):
                    yield piece
                if self._body.is_cut:
                    return
        finally:  # left to the garbage collector, it could be ended while it still runs
            if hasattr(received, "aclose"):
                await received.aclose()

    async def aclose(self) -> None:
        await self._stream.aclose()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@cache
def _stream_class(base: type) -> type:
    """Return a class of limited streams with the HTTP library's base class, which the library checks for."""
    return type("LimitedStream", (_LimitedStream, base), {})
