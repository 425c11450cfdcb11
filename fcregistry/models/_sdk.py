"""What providers' clients share: errors in words, limits of HTTP answers, and a client for each loop.

The SDKs of OpenAI and Anthropic name their exceptions alike, and HTTPX names its own, so they are told apart by these names: neither an SDK nor an
HTTP library is imported here. An exception of an SDK holds the request, and with it the key and the conversation; what is raised refers to none.

The SDKs send through a client of HTTPX, or of its successor httpx2. The client's event hooks see each response before its body is read and before a
redirect is followed, whoever made the client, so the limits are one hook. They apply to the requests of our models alone: other requests of the
same client are not limited.

Sources: OpenAI guide "Error codes"; Anthropic API reference, "Errors"; RFC 9110, 10.2.3 (`Retry-After`); RFC 1952 (gzip).
"""

from __future__ import annotations

import asyncio
import re
import weakref
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Generic, TypeVar

from fcregistry.errors import ModelError, said_by
from fcregistry.models._messages import join_surrogates

# --- Errors ---

_MAX_TEXT: Final = 500
"""Characters of a provider's text that are kept."""

_MAX_CAUSES: Final = 5
"""The number of causes of an exception that are named."""

_MIN_SECRET: Final = 8
"""Characters. A shorter text is not a key: it is a word for a server that checks none, and occurs within other words."""

_URL = re.compile(r"""(?<![a-z0-9+.-])[a-z0-9+.-]++://[^\s"'<>)\]]+""", re.IGNORECASE)
_KEY = re.compile(r"\b(?:sk|pk|rk|gsk|hf|xai|org|proj)[-_](?=[\w*-]*[\d*])[\w*-]{4,}|\bAIza[\w-]{10,}|(?<=Bearer )\S+")
"""Keys of OpenAI, Anthropic, Groq, Hugging Face, xAI and Google, also where a provider has starred most of one."""

_STATUSES: Final[Mapping[int, tuple[str, str]]] = {
    400: ("refuses the request", "change what it names"),
    401: ("does not accept the key", "set {variable} to a key of that provider, or give api_key"),
    402: ("wants to be paid first", "look at the account of the key in {variable}"),
    403: ("does not allow that with this key", "look at what the key in {variable} may use, and from where"),
    404: ("does not know it", "look at the model's name, {model!r}, and where base_url leads"),
    408: ("waited too long for the request", "try again"),
    409: ("has another request in the way", "try again"),
    413: ("takes no request of that size", "send fewer messages, or smaller images and files"),
    422: ("cannot work with the request", "change what it names"),
    429: ("takes no more requests for now", "try again {later}, and ask less often"),
    500: ("has failed", "try again {later}"),
    502: ("cannot be reached behind its gateway", "try again {later}"),
    503: ("is not available now", "try again {later}"),
    504: ("did not answer its gateway in time", "try again {later}"),
    529: ("is overloaded", "try again {later}"),
}
"""HTTP status -> what the provider does, and what to do about it."""

_RETRYABLE: Final = frozenset({408, 409, 429})
"""Beside all of 500 and above."""

_NO_CREDIT_CODES: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
"""Codes of a 429 that waiting does not end."""

_PASSING_CODES: Final = frozenset(
    {
        *("server_error", "internal_server_error", "internal_error", "api_error"),
        *("overloaded_error", "overloaded", "service_unavailable"),
        *("rate_limit_error", "rate_limit_exceeded", "timeout_error", "timeout"),
    }
)
"""Types and codes of errors without a status that may pass."""


def model_error(
    error: BaseException, *, model: str, provider: str, variable: str, secrets: Iterable[str | None] = ()
) -> ModelError:
    """Return the error for an exception of an SDK, with a description of that exception as its cause.

    The exception itself holds the request, and with it the key and the conversation: raise the error outside the handler of the exception, since
    it would refer to it otherwise.

    Args:
        error: The exception of the SDK, or of the HTTP library under it.
        model: The name of the model at its provider: `gpt-5`.
        provider: The prefix of the model: `openai`.
        variable: The environment variable that holds the key.
        secrets: Texts that must not be shown: the key, from any source.
    """
    if isinstance(error, RefusedAnswerError):
        return error.error
    hidden = [each.strip() for each in secrets if each and len(each.strip()) >= _MIN_SECRET]
    if isinstance(error, ModelError):  # its text may quote a secret; so may its traceback
        for secret in hidden:
            error.args = (str(error).replace(secret, "…"),)
        return error.with_traceback(None)
    worded = _model_error(error, f"{provider}:{model}", model, variable, hidden)
    worded.__cause__ = SdkError(_described(error, hidden))
    return worded


class SdkError(Exception):
    """The description of an SDK's exception, without secrets: types, status, id of the request, texts."""


def _model_error(error: BaseException, full_name: str, model: str, variable: str, hidden: Sequence[str]) -> ModelError:
    kinds = _kinds(error)
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 400:
        return _status_error(
            error, status, _error_text(error, hidden), full_name=full_name, model=model, variable=variable
        )
    if kinds & {"APITimeoutError", "TimeoutException", "TimeoutError"}:
        return ModelError(
            f"{full_name} did not answer in time: try again, or give a client with a longer timeout", retryable=True
        )
    if kinds & {"APIConnectionError", "TransportError", "RequestError", "OSError"}:
        return _connection_error(error, full_name, variable)
    if "APIError" in kinds and "APIResponseValidationError" not in kinds:
        return error_in_answer(getattr(error, "body", None) or said_by(error), full_name, hidden)
    if "UnicodeEncodeError" in kinds:
        return ModelError(
            f"{full_name} cannot be asked: the conversation holds text that is no Unicode, a surrogate without its pair; "
            "replace it, as text.encode('utf-8', 'replace') does"
        )
    if "RecursionError" in kinds:
        return unreadable_answer(full_name, "its JSON is nested too deeply")
    if kinds & {"ValueError", "APIResponseValidationError"}:  # invalid JSON and invalid UTF-8 among them
        return unreadable_answer(full_name, _error_text(error, hidden))
    return ModelError(f"{full_name} cannot be asked: {type(error).__name__}: {_error_text(error, hidden)}")


def unreadable_answer(full_name: str, why: str) -> ModelError:
    """Return the error for an answer that is not in the provider's shape.

    Args:
        full_name: The name of the model with its provider: `openai:gpt-5`.
        why: What is wrong with the answer.
    """
    return ModelError(f"{full_name} answered what cannot be read: {why}; look where base_url leads")


def incomplete_answer(full_name: str, *, has_begun: bool = True) -> ModelError:
    """Return the error for an answer that ends without its last event.

    Args:
        full_name: The name of the model with its provider: `openai:gpt-5`.
        has_begun: Whether a piece of it came: a page, or an answer that is not streamed, is not a piece.
    """
    hint = (
        "" if has_begun else ", or look where base_url leads, and whether that server streams: not a piece of it came"
    )
    return ModelError(f"{full_name}: the answer broke off before it was complete; try again{hint}", retryable=True)


def error_in_answer(body: object, full_name: str, secrets: Iterable[str] = ()) -> ModelError:
    """Return the error that a provider sends in place of an answer, or in its middle, after the status.

    Args:
        body: The error, as the provider writes it.
        full_name: The name of the model with its provider.
        secrets: Texts that must not be shown.
    """
    codes = _codes(body)
    passing = bool(codes & _PASSING_CODES) or any(
        code in _RETRYABLE or code >= 500 for code in map(_code_number, codes)
    )
    advice = "try again" if passing else "the same request would fail again"
    text = bounded_text(_message(body) or "it does not say why", secrets)
    return ModelError(f"{full_name} failed while it answered: {text}; {advice}", retryable=passing)


def _status_error(
    error: BaseException, status: int, text: str, *, full_name: str, model: str, variable: str
) -> ModelError:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    wait = _retry_after(headers)
    what, advice = _STATUSES.get(status) or _STATUSES[500 if status >= 500 else 400]
    retryable = status in _RETRYABLE or status >= 500
    if _codes(getattr(error, "body", None)) & _NO_CREDIT_CODES:
        retryable, what, advice = False, "has no credit left for this key", _STATUSES[402][1]
    if (advised := headers.get("x-should-retry")) in ("true", "false"):  # a header of both providers
        retryable = advised == "true"
    later = "later" if wait is None else f"in {wait:g} s"
    advice = advice.format(variable=variable, model=model, later=later)
    return ModelError(
        f"{full_name}: the provider {what} (HTTP {status}){f': {text}' if text else ''}; {advice}",
        status=status,
        retryable=retryable,
        retry_after=wait if retryable else None,
    )


def _connection_error(error: BaseException, full_name: str, variable: str) -> ModelError:
    """Return the error for a connection that could not be made, or broke: its causes say which."""
    kinds = set[str]().union(*map(_kinds, _causes(error)))
    if kinds & {"ReadError", "RemoteProtocolError", "ConnectionResetError"}:
        return incomplete_answer(full_name)
    if kinds & {"LocalProtocolError", "UnsupportedProtocol"}:
        return ModelError(
            f"{full_name} cannot be asked: base_url does not begin with http or https, or the key of {variable} has a line end in it"
        )
    return ModelError(
        f"{full_name}: the provider cannot be reached; look at base_url, at the network, and whether the server runs",
        retryable=True,
    )


def _described(error: BaseException, hidden: Sequence[str]) -> str:
    """Describe an exception of an SDK, and those that it comes from."""
    status, request = getattr(error, "status_code", None), getattr(error, "request_id", None)
    facts = [
        f"HTTP {status}" if isinstance(status, int) else "",
        f"request {request}" if isinstance(request, str) else "",
    ]
    # Texts of HTTP libraries may quote the header with the key, in any escaping; the system's own errors do not know headers.
    texts = [_error_text(error, hidden) if isinstance(status, int) else ""]
    texts += [bounded_text(said_by(each), hidden) for each in _causes(error) if isinstance(each, OSError)]
    kinds = [f"{type(each).__module__.partition('.')[0]}.{type(each).__name__}" for each in _causes(error)]
    described = "; ".join(filter(None, [" from ".join(kinds[:_MAX_CAUSES]), *facts, *texts[:_MAX_CAUSES]]))
    return bounded_text(described, hidden)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _kinds(error: BaseException) -> set[str]:
    return {each.__name__ for each in type(error).__mro__}


def _codes(body: object) -> set[str]:
    """Return the types and codes of an error, in any of their places."""
    places = [body, body.get("error")] if isinstance(body, Mapping) else []
    found = [place.get(name) for place in places if isinstance(place, Mapping) for name in ("type", "code")]
    return {str(code) for code in found if isinstance(code, (str, int))}


def _code_number(code: str) -> int:
    return int(code) if code.isdecimal() else 0


def _error_text(error: BaseException, secrets: Iterable[str]) -> str:
    """Return the text of an exception: the provider's own, if it has some."""
    has_status = hasattr(error, "status_code")  # without a text of the provider, its own is only the status
    return bounded_text(_message(getattr(error, "body", None)) or ("" if has_status else said_by(error)), secrets)


def _message(body: object) -> str:
    """Return the text in the body of an error, in the shapes that servers write; empty for a page of HTML."""
    found: Any = body
    for name in ("error", "message", "detail"):
        if isinstance(found, Mapping) and found.get(name):
            found = found[name]
    if isinstance(found, str):
        return "" if found.lstrip().startswith("<") else found
    return repr(found) if isinstance(found, (list, Mapping)) and found else ""


def bounded_text(text: str, secrets: Iterable[str]) -> str:
    """Return a text of a provider on one line, without URLs and keys."""
    # Late: it comes with the wording of results, and only errors need it here
    from fcregistry.execution import scrub

    secrets = [each for each in secrets if len(each) >= _MIN_SECRET]
    text = " ".join(_KEY.sub("…", _URL.sub("…", scrub(join_surrogates(text), secrets))).split()).rstrip(".;: ")
    return text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}…"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait, which a reply gives in milliseconds as OpenAI does, in seconds, or as a date."""
    milliseconds, given = _seconds(headers.get("retry-after-ms")), headers.get("retry-after")
    if milliseconds is not None:
        return milliseconds / 1000
    return _seconds(given) if _seconds(given) is not None else _until(given)


def _seconds(text: str | None) -> float | None:
    try:
        seconds = float(text or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _until(date: str | None) -> float | None:
    """Return the seconds until an HTTP date, or 0 if it is over; None if it is not a date."""
    from email.utils import parsedate_to_datetime  # only for replies with a date
    from time import time

    try:
        return max(0.0, parsedate_to_datetime(date or "").timestamp() - time())
    except (ValueError, OverflowError):
        return None


# --- Limits of answers, and of redirects ---

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


class RefusedAnswerError(BaseException):
    """An answer that is not read any further.

    It is not an `Exception`: the SDKs take one for a failed connection, and ask again.

    Attributes:
        error: The error for the caller.
    """

    def __init__(self, error: ModelError) -> None:
        super().__init__(str(error))
        self.error = error


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
    answer: int = MAX_ANSWER_BYTES
    secrets: Sequence[str] = field(default=(), repr=False)
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
    try:
        here, there = response.url, response.url.join(response.headers["location"])
    except Exception:  # exceptions of any HTTP library for an invalid URL  # noqa: BLE001
        there = None
    else:
        if (here.scheme, here.host, here.port) == (there.scheme, there.host, there.port):
            if len(limits.redirects) < _MAX_REDIRECTS:
                return
            raise RefusedAnswerError(
                ModelError(
                    f"{limits.full_name}: the provider redirects in a circle, or more than {_MAX_REDIRECTS} times (HTTP {response.status_code}); "
                    "look where base_url leads",
                    status=response.status_code,
                )
            )
    where = "what is not a URL"
    if there is not None:
        port = f" port {there.port}" if there.port else ""
        where = f"another server, {there.scheme} at {there.host}{port}"
    raise RefusedAnswerError(
        ModelError(
            f"{limits.full_name}: the provider redirects to {bounded_text(where, limits.secrets)} (HTTP {response.status_code}); the conversation is "
            "not sent there: if that server is meant, set base_url to it",
            status=response.status_code,
        )
    )


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
        self._between = b""  # the first byte of a member of gzip, where a piece ends with it
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
        """Yield the content of gzip: any number of members (RFC 1952, 2.2); anything after them is not read."""
        if self._decoder is None:
            yield raw
            return
        while True:
            if self._decoder.eof:
                raw = self._next_member(raw)
                if not raw:
                    yield b""
                    return
            try:
                piece = self._decoder.decompress(raw, _PIECE_BYTES)
            except zlib.error:
                self._end("is said to be gzip and is not; look where base_url leads")
                return
            yield piece
            raw = self._decoder.unused_data if self._decoder.eof else self._decoder.unconsumed_tail
            if not (raw or len(piece) == _PIECE_BYTES):
                return

    def _next_member(self, raw: bytes) -> bytes:
        """Start the next member of gzip, if one follows; return its beginning."""
        raw = self._between + raw
        self._between = b""
        if raw == _GZIP_MAGIC[:1]:
            self._between = raw
            return b""
        if self._is_over or not raw.startswith(_GZIP_MAGIC):
            self._is_over = self._is_over or bool(raw)
            return b""
        self._decoder = zlib.decompressobj(zlib.MAX_WBITS | 16)
        return raw

    def _end(self, what: str) -> None:
        """Refuse an answer; the rest of an error, whose status says enough, is left out."""
        self.is_cut = True
        if self._is_answer:
            raise RefusedAnswerError(ModelError(f"{self._limits.full_name}: the answer {what}"))


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


# --- A client for each event loop: its connections belong to the loop on which they were made ---

T = TypeVar("T")


class PerLoop(Generic[T]):
    """Keeps a client for every event loop, and closes it when the loop ends, or this object is freed.

    A client is held by an asynchronous generator that waits at its `yield`: a loop closes those that began on it before it ends, as
    `asyncio.run` does, and one that is dropped is closed on its loop.

    Args:
        make: Makes a client.
        close: Closes a client of `make`; without it, none is closed. It must not refer to the owner of this object, which would never be freed.
    """

    def __init__(self, make: Callable[[], T], close: Callable[[T], Awaitable[object]] | None = None) -> None:
        self._make = make
        self._close = close
        self._held: dict[asyncio.AbstractEventLoop, tuple[T, AsyncGenerator[T]]] = {}
        # Held from outside, so that clients are still whole when this object is garbage: a collector that finds connections and generators
        # together finalises them in any order, and a connection that comes first is found open.
        weakref.finalize(self, self._held.clear).atexit = False

    async def get(self) -> T:
        """Return the client of the running loop, which is made at the first call."""
        loop = asyncio.get_running_loop()
        held = self._held.get(loop)
        if held is None:
            for other in [each for each in list(self._held) if each.is_closed()]:
                self._held.pop(other, None)
            holder = _hold_client(self._make(), self._close)
            held = self._held[loop] = (await anext(holder), holder)
        return held[0]


async def _hold_client(client: T, close: Callable[[T], Awaitable[object]] | None) -> AsyncGenerator[T]:
    try:
        yield client
    finally:
        if close is not None:
            await close(client)


async def close_client(client: Any) -> None:
    """Close a client of an SDK."""
    await client.close()
