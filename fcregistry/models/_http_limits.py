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
"""The default limit of a decoded answer. Today's longest answers take 45 MiB as a stream: 128,000 tokens, each in an event of some 350 bytes."""

MAX_ERROR_BYTES: Final = 2**20
"""The limit of the body of an HTTP error. The rest is not read, because messages show only the beginning."""

_BYTES_PER_VALUE: Final = 32
"""The bytes of the limit for each comma that a JSON document may have. Without this, the parser made 3.3 GB of objects from 64 MiB of `{},{},…`."""

_MIN_VALUES: Final = 100_000
"""The number of commas that a document may have, however low the limit is: about 15 MB of objects."""

_HEADERS: Final = {"Accept-Encoding": "gzip"}
"""Headers of each request. Only gzip is allowed, because not every version of the HTTP libraries can decode other encodings in small pieces."""

_STOPPED_READING: Final = "so fcregistry stopped reading it; if you expect such answers, pass a higher max_answer_bytes"

_MAX_REDIRECTS: Final = 5
"""The number of redirects that one request follows; all must lead to the same server."""

_GZIP_MAGIC: Final = b"\x1f\x8b"
"""The first bytes of each gzip member."""

_PIECE_BYTES: Final = 2**18
"""The number of bytes to decode at a time, so that a decompression bomb is noticed before it uses more memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """The limits of one request.

    Attributes:
        full_name: The name of the model with its provider, for error messages.
        answer: The largest number of bytes that an answer may have.
        secrets: Texts that error messages must not contain.
        redirects: The HTTP statuses of the redirects that the request has followed so far.
    """

    full_name: str
    answer: int
    secrets: Sequence[str] = field(repr=False)
    redirects: list[int] = field(default_factory=list)


_LIMITS: ContextVar[HttpLimits | None] = ContextVar("fcregistry_http_limits", default=None)


def limit_responses(http: Any) -> Any:
    """Add the hook that limits responses to `http`, a client of HTTPX, and return the client.

    Nothing changes if the client has the hook already.
    """
    hooks = getattr(http, "event_hooks", None)  # without them, it is not a client of HTTPX, but a replacement
    if isinstance(hooks, dict) and _limit not in (responses := hooks.setdefault("response", [])):
        responses.append(_limit)
    return http


async def send(
    create: Callable[..., Awaitable[Any]], client: Any, request: Mapping[str, Any], limits: HttpLimits
) -> Any:
    """Send a request, and return the SDK's object for the response, whose body may be read later.

    Args:
        create: The SDK's function that sends the request.
        client: The SDK's client, which contains an HTTPX client.
        request: The arguments of that function.
        limits: The limits of the response.

    Raises:
        RefusedAnswerError: The response exceeds the limits.
    """
    limit_responses(getattr(client, "_client", None))
    headers = {**_HEADERS, **(request.get("extra_headers") or {})}
    token = _LIMITS.set(limits)
    try:
        return await create(**{**request, "extra_headers": headers})
    finally:
        _LIMITS.reset(token)


async def _limit(response: Any) -> None:
    """Refuse a redirect to another origin, and limit the body of `response`, as a hook of an HTTPX client.

    Without limits in `_LIMITS`, do nothing. Otherwise replace the stream of `response`, and remove its header Content-Encoding, since the new
    stream decodes. Raise `RefusedAnswerError` for such a redirect, too many redirects, or an answer whose encoding is not gzip.
    """
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
    """Raise `RefusedAnswerError` if `response` redirects to another origin, or once too often.

    The other server would receive the conversation and perhaps the API key. A location that is not a URL counts as another origin; redirects to
    the same origin are allowed `_MAX_REDIRECTS` times in a row.
    """
    try:
        here, there = response.url, response.url.join(response.headers["location"])
        is_same = (here.scheme, here.host, here.port) == (there.scheme, there.host, there.port)
        where = f"another server, {there.scheme} at {there.host}{f' port {there.port}' if there.port else ''}"
    except Exception:  # exceptions of any HTTP library for an invalid URL  # noqa: BLE001
        is_same, where = False, "a text that is not a URL"
    if is_same and len(limits.redirects) < _MAX_REDIRECTS:
        return
    status = f"(HTTP {response.status_code})"
    why = (
        f"the provider redirects in a circle, or more than {_MAX_REDIRECTS} times {status}; check base_url"
        if is_same
        else f"the provider redirects to {bounded_text(where, limits.secrets)} {status}; fcregistry does not send the conversation "
        "there: if you want to use that server, set base_url to its URL"
    )
    _refuse(limits, why, response.status_code)


def _refuse(limits: HttpLimits, why: str, status: int | None = None) -> NoReturn:
    """Raise `RefusedAnswerError` with a `ModelError` that has the reason `why` and the HTTP `status`.

    `status` is None for an answer that is refused because of its body.
    """
    raise RefusedAnswerError(ModelError(f"{limits.full_name}: {why}", status=status))


class _Body:
    """Decodes the body of a response, and counts its bytes and JSON values."""

    def __init__(self, response: Any, limits: HttpLimits) -> None:
        self._limits = limits
        self._is_answer = response.status_code < 300
        self._left = limits.answer if self._is_answer else MAX_ERROR_BYTES
        self._left_raw = self._left  # empty blocks and what follows the end decode to nothing, and may never end
        self._most_values = max(_MIN_VALUES, limits.answer // _BYTES_PER_VALUE)
        self._values = 0
        self._is_stream = response.headers.get("content-type", "").startswith("text/event-stream")
        self.is_cut = False
        """Whether reading has stopped: the rest of the body is ignored."""
        values = response.headers.get("content-encoding", "").lower().split(",")
        encodings = [each.strip() for each in values if each.strip() not in ("", "identity")]
        if encodings not in ([], ["gzip"], ["x-gzip"]):
            self._end(
                f"has the Content-Encoding {', '.join(encodings)!r:.80}, but fcregistry accepts only gzip; check that base_url is the provider's API"
            )
        self._decoder = zlib.decompressobj(zlib.MAX_WBITS | 16) if encodings else None
        self._unread = b""  # the first byte of a member of gzip, where a part of the body ends with it
        self._is_over = False  # what follows the last member has begun

    def pieces(self, raw: bytes) -> Iterator[bytes]:
        """Yield the decoded content of a part of the body, up to the limit.

        Args:
            raw: The part, as it was received.

        Raises:
            RefusedAnswerError: The answer exceeds the limit.
        """
        if self.is_cut:
            return
        self._left_raw -= len(raw)
        for piece in self._decoded(raw):
            if len(piece) > self._left or self._left_raw < 0:
                if not self._is_answer:
                    yield piece[: self._left]
                self._end(f"is longer than {self._limits.answer:,} bytes, {_STOPPED_READING}")
                return
            self._left -= len(piece)
            self._count_values(piece)
            yield piece

    def _count_values(self, piece: bytes) -> None:
        """Add the commas in `piece`, a decoded part of the body, to the count of values of its JSON document.

        In an event stream, each line is a document. If a document of an answer has more than `_most_values`, raise `RefusedAnswerError`: its
        objects would need far more memory than its text.
        """
        first, *rest = piece.split(b"\n") if self._is_stream else [piece]
        counts = [self._values + first.count(b","), *(each.count(b",") for each in rest)]
        self._values = counts[-1]
        if self._is_answer and max(counts) > self._most_values:
            self._end(f"contains more than {self._most_values:,} values, {_STOPPED_READING}")

    def _decoded(self, raw: bytes) -> Iterator[bytes]:
        """Yield the decoded pieces of `raw`, a part of a body of gzip members (RFC 1952, 2.2).

        If the body is not compressed, yield `raw` itself. The bytes after the last member are ignored: one empty piece is yielded for them. If
        the body is not gzip, call `_end`, which raises `RefusedAnswerError` for an answer, and yield nothing more for an HTTP error.
        """
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
                self._end(
                    "has the header Content-Encoding: gzip, but its body is not gzip; check that base_url is the provider's API"
                )
                return
            yield piece
            raw = self._decoder.unused_data if self._decoder.eof else self._decoder.unconsumed_tail

    def _end(self, what: str) -> None:
        """Stop reading, and raise `RefusedAnswerError` if the response is an answer.

        Of an HTTP error, the part that was read so far is enough: nothing is raised. `what` says what is wrong with the answer.
        """
        self.is_cut = True
        if self._is_answer:
            _refuse(self._limits, f"the answer {what}")


class _LimitedStream:
    """A response body that replaces the HTTP library's own, and applies the limits."""

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
    """Return a new subclass of `_LimitedStream` and of `base`, the HTTP library's class of bodies."""
    return type("LimitedStream", (_LimitedStream, base), {})
