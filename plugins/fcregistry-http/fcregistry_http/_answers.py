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
"""How the body is returned: as text, as the value of its JSON, or as an image, a sound or a file."""

IDEMPOTENT: Final = ("GET", "PUT", "DELETE")
_RETRYABLE: Final = (429, 503)
_RETRYABLE_IF_IDEMPOTENT: Final = (408, 502, 504)
_MOST_SHOWN: Final = 500
_LONGEST_TYPE: Final = 1_000
_LONGEST_WAIT: Final = 86_400.0
_NO_CHARSETS: Final = ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape")
"""Python codecs that are not HTTP charsets. Decoding with some of them takes quadratic time."""


def value_of(response: Response, data: bytes, returns: Returns, host: str, secrets: Secrets) -> Any:
    """Return the value of a response, with its secrets replaced.

    Args:
        response: The response, without its body.
        data: The body.
        returns: How the body is returned.
        host: The host, for messages.
        secrets: The secrets that were sent with the request.

    Raises:
        ToolError: The status is not a success, or the body cannot be returned this way.
    """
    if not response.is_success:
        raise _status_error(response, data, host, secrets)
    if returns == "content":
        return _content(response, data, secrets)
    text = _text(response, data)
    hidden = secrets.hide(text)
    if returns == "text":
        return hidden
    if not data:
        return None
    try:
        value = json.loads(text.removeprefix("\ufeff"), parse_constant=_refuse_constant)
        return secrets.hide_in_json(value)  # again: the JSON may spell a secret with escapes
    except (ValueError, RecursionError):
        failure = ToolError(f"the answer of {host} is not valid JSON: {_cut(hidden)}")
    raise failure  # outside of the `except`: the parser's exception holds the whole text


def _refuse_constant(name: str) -> None:
    """Raise `ValueError` for `name`, one of NaN and the infinities, which JSON does not have."""
    raise ValueError(f"{name} is not a JSON number")


def _status_error(response: Response, data: bytes, host: str, secrets: Secrets) -> ToolError:
    """Return the error for a response whose status is not a success, with the text of its body `data`."""
    status = response.status_code
    summary = f"{host} answers {status} {_cut(secrets.hide(response.reason_phrase))}".rstrip()
    if response.has_redirect_location:
        where = _cut(secrets.hide(response.headers.get("location", "")))
        return ToolError(f"{summary}: it redirects to {where}, and redirects are not followed")
    text = secrets.hide(_text(response, data)).strip()
    is_retryable = status in _RETRYABLE or (
        status in _RETRYABLE_IF_IDEMPOTENT and response.request.method in IDEMPOTENT
    )
    return ToolError(
        f"{summary}: {_cut(text)}" if text else summary,
        retryable=is_retryable,
        retry_after=_seconds(response.headers.get("retry-after")) if is_retryable else None,
    )


def _text(response: Response, data: bytes) -> str:
    """Return the body `data` as text, in the charset that the header names, or in UTF-8."""
    is_short = len(response.headers.get("content-type", "")) <= _LONGEST_TYPE  # reading it takes quadratic time
    try:
        encoding = codecs.lookup((is_short and response.charset_encoding) or "utf-8").name
        return data.decode("utf-8" if encoding in _NO_CHARSETS else encoding, "replace")
    except (LookupError, UnicodeError):  # an unknown codec, or one that does not decode to text
        return data.decode("utf-8", "replace")


def _content(response: Response, data: bytes, secrets: Secrets) -> Content | str:
    """Return the body `data` as content of the type that the header names.

    Raise `ToolError` if it is of another type.
    """
    data = secrets.hide_in_bytes(data)
    stated = secrets.hide(response.headers.get("content-type", "")).partition(";")[0].strip()
    media_type = stated or "application/octet-stream"
    kind = media_type.partition("/")[0]
    try:
        if kind == "image":
            return Content.image(data)
        if kind == "audio":
            return Content.audio(data, media_type=media_type)
        return Content.file(data, media_type=media_type)
    except ValueError as error:  # the body is not of the type that its header names
        raise ToolError(f"the answer is not {media_type}, as its header says: {error}") from error


def _seconds(header: str | None) -> float | None:
    """Return the seconds that a `Retry-After` header asks for, at most a day.

    Return None if the header is missing or not valid.
    """
    if header is None:
        return None
    try:
        seconds = float(header) if header.strip().isdecimal() else _until(parsedate_to_datetime(header))
    except (ValueError, OverflowError):
        return None
    return min(max(seconds, 0.0), _LONGEST_WAIT)


def _until(date: datetime) -> float:
    """Return the seconds from now until `date`."""
    return (date.astimezone(UTC) - datetime.now(UTC)).total_seconds()


def _cut(text: str) -> str:
    """Return `text`, cut if it is too long for a message."""
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
