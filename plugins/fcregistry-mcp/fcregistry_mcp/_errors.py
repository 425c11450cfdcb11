"""Errors of a server that cannot be reached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from fcregistry.errors import FcregistryError
from fcregistry.execution import Secrets
from mcp import MCPError

_MOST_CHARACTERS: Final = 500


class McpError(FcregistryError, ConnectionError):
    """A server that cannot be started or reached, that answers what is no answer, or that is asked before it is open.

    Attributes:
        server: What the server is called here.
    """

    def __init__(self, message: str, *, server: str = "") -> None:
        super().__init__(message)
        self.server = server


def reason_of(error: BaseException, secrets: Secrets) -> str:
    """Return what went wrong, as one line without what is secret."""
    each = cause_of(error)
    lines = (line for line in str(each).splitlines() if "errors.pydantic.dev" not in line)  # a link helps nobody here
    said = secrets.hide(" ".join(" ".join(lines).split()))
    if not said:
        return type(each).__name__
    return cut(said if isinstance(each, (OSError, MCPError)) else f"{type(each).__name__}: {said}")


def cause_of(error: BaseException) -> BaseException:
    """Return what was raised first of all: of a group of exceptions, the first that says something."""
    leaves = list(_leaves(error))
    return next((each for each in leaves if str(each)), leaves[0])


def cut(text: str) -> str:
    """Return a stranger's text, bounded."""
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error
