"""The error of a server that cannot be used, and the reasons in its message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from fcregistry.errors import FcregistryError
from fcregistry.execution import Secrets
from mcp import MCPError

_MOST_CHARACTERS: Final = 500


class McpError(FcregistryError, ConnectionError):
    """A server cannot be started or reached, is not open, or sends an answer that is not valid.

    Args:
        message: What went wrong.
        server: The name of the server.

    Attributes:
        server: The name of the server.
    """

    def __init__(self, message: str, *, server: str = "") -> None:
        super().__init__(message)
        self.server = server


def reason_of(error: BaseException, secrets: Secrets) -> str:
    """Return the reason for `error` as one line, without `secrets`."""
    cause = cause_of(error)
    lines = (
        line for line in str(cause).splitlines() if "errors.pydantic.dev" not in line
    )  # links to pydantic's documentation do not help here
    text = secrets.hide(" ".join(" ".join(lines).split()))
    if not text:
        return type(cause).__name__
    return cut(text if isinstance(cause, (OSError, MCPError)) else f"{type(cause).__name__}: {text}")


def cause_of(error: BaseException) -> BaseException:
    """Return the first exception with a message in `error`, a group, or `error` itself."""
    leaves = list(_leaves(error))
    return next((each for each in leaves if str(each)), leaves[0])


def cut(text: str) -> str:
    """Return `text`, which a server wrote, for a message: cut if it is long."""
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions in `error` that are not groups."""
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error
