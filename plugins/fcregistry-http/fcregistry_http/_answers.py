"""The value of a response, and which responses are failures.

Source: RFC 9110, sections 10.2.3 (Retry-After) and 15 (status codes).
"""

from __future__ import annotations

import codecs
import json
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, Literal, TypeAlias

from fcregistry.errors import ToolError
from fcregistry.execution import Content, Secrets
from httpx2 import Response

Returns: TypeAlias = Literal["text", "json", "content"]
"""What is made of the body: a text, the value that its JSON stands for, or an image, a sound or a file."""

IDEMPOTENT: Final = ("GET", "PUT", "DELETE")
_LATER: Final = (429, 503)
_PASSING: Final = (408, 502, 504)
_MOST_SHOWN: Final = 500
_LONGEST_WAIT: Final = 86_400.0
_NO_CHARSETS: Final = ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape")
"""Codecs that are no charsets of HTTP. Reading some of them takes a time that grows with the square of the length."""


def value_of(response: Response, data: bytes, returns: Returns, host: str, secrets: Secrets) -> Any:
    """Return what a response holds, without what is secret.

    Raises:
        ToolError: Its status is no success, or its body is not what it was to be.
    """
    if not response.is_success:
        raise _refusal(response, data, host, secrets)
    if returns == "content":
        return _content(response, data, secrets)
    text = _text(response, data)
    hidden = secrets.hide(text)
    if returns == "text":
        return hidden
    if not data:
        return None
    try:
        value = json.loads(text.removeprefix("\ufeff"), parse_constant=_no_number)
        return secrets.hide_in_json(value)  # always: the parser reads spellings of it that nothing else finds
    except (ValueError, RecursionError):
        failure = ToolError(f"{host} answers with what is no JSON: {_shown(hidden)}")
    raise failure  # outside of the `except`: the parser's own holds the whole text


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _refusal(response: Response, data: bytes, host: str, secrets: Secrets) -> ToolError:
    status = response.status_code
    said = f"{host} answers {status} {_shown(secrets.hide(response.reason_phrase))}".rstrip()
    if response.has_redirect_location:
        where = _shown(secrets.hide(response.headers.get("location", "")))
        return ToolError(f"{said}: it redirects to {where}, which is not followed")
    text = secrets.hide(_text(response, data)).strip()
    again = status in _LATER or (status in _PASSING and response.request.method in IDEMPOTENT)
    return ToolError(
        f"{said}: {_shown(text)}" if text else said,
        retryable=again,
        retry_after=_seconds(response.headers.get("retry-after")) if again else None,
    )


def _text(response: Response, data: bytes) -> str:
    try:
        encoding = codecs.lookup(response.charset_encoding or "utf-8").name
        return data.decode("utf-8" if encoding in _NO_CHARSETS else encoding, "replace")
    except (LookupError, UnicodeError):  # one that nobody knows, or that is none of texts
        return data.decode("utf-8", "replace")


def _content(response: Response, data: bytes, secrets: Secrets) -> Content | str:
    data = secrets.hide_in_bytes(data)
    given = secrets.hide(response.headers.get("content-type", "")).partition(";")[0].strip()
    media_type = given or "application/octet-stream"
    kind = media_type.partition("/")[0]
    try:
        if kind == "image":
            return Content.image(data)
        if kind == "audio":
            return Content.audio(data, media_type=media_type)
        return Content.file(data, media_type=media_type)
    except ValueError as error:  # it is not what its header says
        raise ToolError(f"the answer is no {media_type}: {error}") from error


def _seconds(said: str | None) -> float | None:
    """Return how long to wait by a `Retry-After`, seconds or a date; no longer than a day."""
    if said is None:
        return None
    try:
        seconds = float(said) if said.strip().isdecimal() else _until(parsedate_to_datetime(said))
    except (ValueError, OverflowError):
        return None
    return min(max(seconds, 0.0), _LONGEST_WAIT)


def _until(date: datetime) -> float:
    return (date.astimezone(UTC) - datetime.now(UTC)).total_seconds()


def _shown(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
