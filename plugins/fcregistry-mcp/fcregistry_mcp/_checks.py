"""Checks of what a server is made with, when it is made: the SDK would report it when the server is opened, in its own words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def check_command(command: Any, arguments: tuple[Any, ...]) -> None:
    """Check the program of a server and its arguments.

    Raises:
        TypeError: One is not a text.
    """
    for each in (command, *arguments):
        if isinstance(each, (list, tuple)):
            raise TypeError(
                'McpServer.stdio takes the program and its arguments one by one, as in McpServer.stdio("python", "server.py"); '
                f"put a * before the {type(each).__name__}"
            )
        if not isinstance(each, str):
            raise TypeError(
                f"McpServer.stdio takes the program and its arguments as texts: write str(…) for {each!r:.80}"
            )


def check_texts(values: Any, what: str) -> None:
    """Check a mapping from names to texts. Messages show no values, which may be secrets.

    Args:
        values: The mapping, or None.
        what: The argument that it is.

    Raises:
        TypeError: It is not a mapping, or a name or value is not a text.
    """
    if values is None:
        return
    if not isinstance(values, Mapping):
        raise TypeError(f"{what} takes a mapping from names to texts, not {_kind(values)}")
    for name, value in values.items():
        if not isinstance(name, str):
            raise TypeError(f"{what} takes a mapping from names to texts, and a name is {name!r:.80}")
        if value is None:
            raise TypeError(
                f"{what} takes texts, and {name!r} is None: leave it out, or set the variable that it is read from"
            )
        if not isinstance(value, str):
            raise TypeError(f"{what} takes texts, and {name!r} is {_kind(value)}: write str(…)")


def check_timeout(timeout: Any) -> None:
    """Check the seconds that opening may take.

    Raises:
        TypeError: It is not a number.
        ValueError: It is not positive.
    """
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise TypeError(f"timeout takes a number of seconds, not {timeout!r:.80}")
    if not timeout > 0:
        raise ValueError(f"timeout takes a positive number of seconds, not {timeout!r}")


def _kind(value: object) -> str:
    """Return the type of `value`, for a message."""
    return f"a value of the type {type(value).__name__}"
