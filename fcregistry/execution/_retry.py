"""When a failed call is tried again.

The tool has to allow a second call, and the failure has to be one that may pass.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from fcregistry.errors import CallCancelledError, ToolError
from fcregistry.execution._invoke import GivenUp
from fcregistry.execution._messages import RemoteError

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._invoke import Outcome

Transient: TypeAlias = "type[Exception] | tuple[type[Exception], ...] | Callable[[Exception], bool]"
"""Which failures may be transient: exceptions of these types, or those of which a function says so."""

_TRANSIENT: Final = (TimeoutError, ConnectionError)
"""Exceptions that are transient, whatever the tool is."""

_MOST_DOUBLINGS: Final = 99
"""After how many failures the wait no longer grows: long before that it is `max_delay`, and long after it a float is infinite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """When a call that failed is tried again.

    A call is tried again only if the tool's author declared it `idempotent` or `read_only`, and the failure may be transient: a
    `ToolError` that is `retryable`, a `TimeoutError`, a `ConnectionError`, and what `on` adds.

    The wait before the second attempt is a random one of up to `initial_delay` seconds; before each further one it is up to twice as
    long, and never longer than `max_delay`: "full jitter", as in "Exponential Backoff And Jitter" (AWS Architecture Blog). A tool
    that says `retry_after` gets that time, if it is not above `max_delay`; if it is, the call is not tried again.

    Args:
        attempts: The most attempts, including the first.
        initial_delay: The longest wait before the second attempt, in seconds.
        max_delay: The longest wait of all, in seconds.
        on: More exceptions after which a call is tried again: a type, a tuple of types, or a function that takes the exception and returns
            whether it may be transient.

    Raises:
        ValueError: A number is out of its range.
        TypeError: `on` is something else.
    """

    attempts: int = 3
    initial_delay: float = 0.2
    max_delay: float = 5.0
    on: Transient = ()

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"attempts must be at least 1, not {self.attempts!r}")
        if not 0 <= self.initial_delay <= self.max_delay < float("inf"):
            raise ValueError(
                "initial_delay and max_delay must be finite seconds, and the first must not be above the second: "
                f"not {self.initial_delay!r} and {self.max_delay!r}"
            )
        if not _is_on(self.on):
            raise TypeError(
                f"on must be a type of exceptions, a tuple of them, or a plain function of an exception, not {self.on!r}"
            )

    def wait_before(self, attempt: int, outcome: Outcome, tool: Tool, left: float | None = None) -> float | None:
        """Return the seconds to wait before another attempt, or None if there is to be none.

        Args:
            attempt: Which attempt it would be: 2, after the first.
            outcome: What the one before it gave.
            tool: The tool.
            left: Seconds that are left for the call; None for any time.
        """
        error = outcome.exception
        if attempt > self.attempts or not isinstance(error, Exception):
            return None
        may_be_repeated = tool.options.idempotent is True or tool.options.read_only is True
        if not may_be_repeated or not self._may_be_transient(error, tool):
            return None
        longest = min(self.max_delay, self.initial_delay * 2.0 ** min(attempt - 2, _MOST_DOUBLINGS))
        from random import uniform  # 3 ms, only on the way to another attempt

        wait = uniform(0, longest)
        asked = _retry_after(error)
        if asked is not None:
            if asked > self.max_delay:
                return None
            wait = max(wait, asked)
        return None if left is not None and wait >= left else wait

    def _may_be_transient(self, error: Exception, tool: Tool) -> bool:
        if isinstance(error, (GivenUp, CallCancelledError)):  # the time is up, or the caller no longer wants the result
            return False
        if _is_transient(error):
            return True
        on = self.on
        if isinstance(on, (type, tuple)):
            return isinstance(error, on) or _is_remote(error, on if isinstance(on, tuple) else (on,))
        try:
            return bool(on(error))
        except Exception as failure:  # foreign code: without an answer, the failure is not taken as transient
            from logging import getLogger  # only on the way to an error

            message = "the function on=… of Retry failed for %s, so the call was not tried again"
            getLogger("fcregistry").warning(message, tool.name, exc_info=failure)
            return False


def _is_on(on: object) -> bool:
    if isinstance(on, (type, tuple)):
        types = on if isinstance(on, tuple) else (on,)
        return all(isinstance(each, type) and issubclass(each, Exception) for each in types)
    return callable(on) and not inspect.iscoroutinefunction(on)


def _is_transient(error: Exception) -> bool:
    if isinstance(error, ToolError) or (isinstance(error, RemoteError) and error.is_tool_error):
        return error.retryable is True
    return isinstance(error, _TRANSIENT) or _is_remote(error, _TRANSIENT)


def _is_remote(error: Exception, types: tuple[type[Exception], ...]) -> bool:
    """Return whether an exception of another process is of one of these types, judging by its name."""
    if not isinstance(error, RemoteError):
        return False
    raised = getattr(builtins, error.type_name, None)
    if isinstance(raised, type) and issubclass(raised, types):
        return True
    return error.type_name in {each.__name__ for each in types}


def _retry_after(error: Exception) -> float | None:
    """Return the seconds that a tool asks to wait, if they are a number of at least 0."""
    if not isinstance(error, (ToolError, RemoteError)):
        return None
    asked = error.retry_after
    return asked if isinstance(asked, (int, float)) and asked >= 0 else None
