"""The error of a server that cannot be used, the reasons in its message, and a server's texts without what people do not see."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from fcregistry.errors import FcregistryError
from fcregistry.execution import Secrets
from mcp import MCPError
from mcp.types import CONNECTION_CLOSED, PARSE_ERROR
from pydantic import ValidationError

from fcregistry_mcp._stderr import printable

_MOST_CHARACTERS: Final = 500
_JOINED: Final = r"[^\x00-\x7f\u200c\u200d\ufe0f]"
"""Characters between which a joiner, or after which a variation selector, may be part of a word or of an emoji."""
_INVISIBLE: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164"
    r"\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    rf"|(?<!{_JOINED})[\u200c\u200d\ufe0f]|[\u200c\u200d](?!{_JOINED})"
)
"""Characters that a model reads but a person does not see: controls except tab and line end, direction marks, tags, those without width.

Source: Unicode Character Database, the property `Default_Ignorable_Code_Point` and the general category `Cf`.
"""
_CLOSED: Final = (
    "Connection closed"  # the SDK's message; its code alone would not do, since servers use it for errors of their own
)
UNREADABLE: Final = "unreadable message"
_SDK_UNREADABLE: Final = ("Failed to parse JSON response", "Failed to parse SSE message")
"""The beginnings of the SDK's errors about answers over HTTP; their code alone would not do, since servers use it, too."""


class McpError(FcregistryError, ConnectionError):
    """A server cannot be started or reached, is not open, or sends an answer that is not valid.

    Args:
        message: What went wrong.
        server: The name of the server.

    Attributes:
        server: The name of the server.
    """

    __module__ = "fcregistry_mcp"  # tracebacks show the public name

    def __init__(self, message: str, *, server: str = "") -> None:
        super().__init__(message)
        self.server = server


def reason_of(error: BaseException, secrets: Secrets) -> str:
    """Return the reason for `error` as one line, without `secrets`."""
    cause = cause_of(error)
    if isinstance(cause, MCPError) and cause.message.startswith(UNREADABLE):
        return cut(secrets.hide(cause.message))
    lines = (
        line for line in str(cause).splitlines() if "errors.pydantic.dev" not in line
    )  # links to pydantic's documentation do not help here
    text = printable(secrets.hide(" ".join(" ".join(lines).split())))
    if not text:
        return type(cause).__name__
    if is_unreadable(cause):
        return cut(f"{UNREADABLE}: {text}")
    return cut(text if isinstance(cause, (OSError, MCPError)) else f"{type(cause).__name__}: {text}")


def request_failure(error: Exception, server: str, secrets: Secrets, what: str = "the call") -> str:
    """Return the message about a request that has no answer: the server is gone, refuses it, or its answer is not valid.

    Args:
        error: The exception that the request raised.
        server: The server's name.
        secrets: Secrets that are hidden in the message.
        what: The request, in words.
    """
    if isinstance(error, McpError):
        return str(error)
    if is_unreadable(error):
        return f"the MCP server {server} sends an {reason_of(error, secrets)}"
    if not isinstance(error, MCPError):
        return f"the MCP server {server} gives no answer: {reason_of(error, secrets)}"
    if error.code == CONNECTION_CLOSED and error.message == _CLOSED:
        return f"the MCP server {server} has closed the connection"
    return f"the MCP server {server} refuses {what}: {cut(secrets.hide(error.message))}"


def unsendable(value: Any) -> str:
    """Return the reason why `value` cannot be sent as JSON, or an empty text if it can.

    The SDK would end the session over it, for all other requests.
    """
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return "a text has half of a surrogate pair, or a number is too long"
    return ""


def is_unreadable(error: BaseException) -> bool:
    """Return whether `error` says that a server's message is not one of the protocol.

    An error that the server itself reports, with whatever code, is none.
    """
    cause = cause_of(error)
    if isinstance(cause, MCPError):
        return cause.code == PARSE_ERROR and cause.message.startswith((UNREADABLE, *_SDK_UNREADABLE))
    return isinstance(cause, ValidationError)


def cause_of(error: BaseException) -> BaseException:
    """Return the first exception with a message in `error`, a group, or `error` itself."""
    leaves = list(_leaves(error))
    return next((each for each in leaves if str(each)), leaves[0])


def cut(text: str) -> str:
    """Return `text`, which a server wrote, for a message or the log: one line, printable, and cut if it is long."""
    text = printable(" ".join(text.split()))
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions in `error` that are not groups."""
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error


def without_invisible(text: str, most: int) -> str:
    """Return `text`, which a server wrote, without invisible characters, and cut after `most`.

    An approver could not see these characters.
    """
    return _INVISIBLE.sub("", text)[:most]
