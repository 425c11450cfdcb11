"""Tool calls, what is wrong with one, why it failed, and how it is cancelled.

`CallError` and the records that contain it travel between processes by pickle: a part that pickle cannot carry is left out (`picklable`).
"""

from __future__ import annotations

import sys
from _thread import allocate_lock
from typing import NamedTuple

from fcregistry.errors import CallCancelledError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, ClassVar, Final, TypeVar

    T = TypeVar("T")


class ToolCall:
    """A model's request to run a tool: the tool's name, the arguments and the call's id. Immutable.

    Args:
        name: The wire name of the tool.
        arguments: A JSON object as a dict, or its text as the model wrote it; None means no arguments.
        id: The id that the provider gave the call, if it gave one.
    """

    __slots__ = ("_arguments", "_id", "_name")

    def __init__(self, name: str, arguments: Mapping[str, Any] | str | None = None, id: str | None = None) -> None:
        self._name = name
        self._arguments = arguments
        self._id = id

    @property
    def name(self) -> str:
        """The wire name of the tool."""
        return self._name

    @property
    def arguments(self) -> Mapping[str, Any] | str | None:
        """The arguments as they came: a mapping, JSON text, or None."""
        return self._arguments

    @property
    def id(self) -> str | None:
        """The provider's id of the call."""
        return self._id

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolCall):
            return NotImplemented
        return (self._name, self._arguments, self._id) == (other._name, other._arguments, other._id)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # arguments are a dict

    def __repr__(self) -> str:
        identity = "" if self._id is None else f", id={self._id!r}"
        return f"ToolCall({self._name!r}, {self._arguments!r}{identity})"


class UnreadArguments(str):
    """Text in place of arguments that could not be read as a JSON object, or that may be cut off.

    It keeps the call from running without its arguments, also where only the text is stored.

    Args:
        text: The text.
        reason: Why the call does not run, worded for a model.
    """

    __slots__ = ("reason",)

    reason: str

    def __new__(cls, text: str, reason: str) -> UnreadArguments:
        made = super().__new__(cls, text)
        made.reason = reason
        return made

    def __reduce__(self) -> tuple[type[UnreadArguments], tuple[str, str]]:
        return UnreadArguments, (str(self), self.reason)


def cut_off_text(why: str = "") -> str:
    """Return the text that tells a model that its call is cut off, and was not run.

    Args:
        why: The finish reason of the message, if it is known.
    """
    if why == "content_filter":
        return "the call was not run: it is cut off by the provider's filter"
    return f"the call was not run: it is cut off{' by the limit of tokens' if why == 'length' else ''}; send it again, shorter"


class Problem(NamedTuple):
    """One thing that is wrong with the arguments of a call. Immutable.

    Attributes:
        path: Where, as a JSON path: `$.items[2].qty`.
        message: What is wrong, worded for a model.
    """

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


ERROR_CODES: Final = (
    "malformed_call",
    "unknown_tool",
    "invalid_arguments",
    "approval_required",
    "denied",
    "unavailable",
    "timeout",
    "cancelled",
    "tool_failed",
    "unencodable_result",
)
"""The codes of a failed call. They are part of the public contract: the page "Errors" of the documentation says who can fix what."""


class CallError:
    """Why a call failed: a value, worded for a model.

    Attributes:
        code: One of the documented codes, such as `invalid_arguments`.
        message: One sentence.
        problems: Everything that is wrong with the arguments, sorted by path.
        retryable: Whether the same call may succeed later.
        retry_after: Seconds to wait before that, if the tool names them.
        exception: The exception that the tool raised, for logs; a model never reads it.
    """

    __slots__ = ("code", "exception", "message", "problems", "retry_after", "retryable")

    def __init__(
        self,
        code: str,
        message: str,
        problems: tuple[Problem, ...] = (),
        *,
        retryable: bool = False,
        retry_after: float | None = None,
        exception: BaseException | None = None,
    ) -> None:
        self.code: str = code
        self.message: str = message
        self.problems: tuple[Problem, ...] = problems
        self.retryable: bool = retryable
        self.retry_after: float | None = retry_after
        self.exception: BaseException | None = exception

    @property
    def text(self) -> str:
        """The message with its problems, a line each: what the model reads."""
        text = self.message
        for problem in self.problems:
            text += f"\n- {problem.path}: {problem.message}"
        return text

    def to_json(self) -> dict[str, Any]:
        """This error as a JSON object."""
        written: dict[str, Any] = {"code": self.code, "message": self.message, "retryable": self.retryable}
        if self.problems:
            written["problems"] = [{"path": problem.path, "message": problem.message} for problem in self.problems]
        if self.retry_after is not None:
            written["retry_after"] = self.retry_after
        return written

    def __reduce__(self) -> tuple[Any, ...]:
        exception = picklable(self.exception)
        more = {"retryable": self.retryable, "retry_after": self.retry_after, "exception": exception}
        return CallError, (self.code, self.message, self.problems), (None, more)

    def __repr__(self) -> str:
        return f"CallError({self.code!r}, {self.text!r})"


def picklable(value: T) -> T | None:
    """Return `value` if pickle can write it and read it again, or None if not.

    Pickle cannot find a function that is defined inside another function, and cannot make many exceptions again from their arguments.
    """
    import pickle  # few processes need it

    try:
        pickle.loads(pickle.dumps(value))
    except Exception:  # noqa: BLE001  # the value's own code runs: it may raise anything
        return None
    return value


# --- Cancellation ---


class CancellationToken:
    """A token that is cancelled once, and that other code checks or waits for.

    It is safe to use from threads and signal handlers. An application passes one to a call to be able to stop it. A tool finds its own in
    `context.cancellation`: it checks it now and then, waits on it instead of sleeping, or registers a function that closes what it has open.

        token = CancellationToken()
        executor.run(call, cancellation=token)   # from another thread: token.cancel()
    """

    __slots__ = ("__weakref__", "_callbacks", "_reasons")

    # No lock: a signal handler that cancels may run between any two steps of the thread that holds the lock. Each step is one operation
    # of a list or a dict instead: the first reason counts, and the code that takes out a callback runs it.
    def __init__(self) -> None:
        self._reasons: list[str] = []  # empty until it is cancelled; the first one counts
        self._callbacks: dict[object, Callable[[], object]] = {}

    @property
    def cancelled(self) -> bool:
        """Whether it is cancelled."""
        return bool(self._reasons)

    @property
    def reason(self) -> str:
        """The reason that was given to `cancel`; empty if none was."""
        return self._reasons[0] if self._reasons else ""

    def cancel(self, reason: str = "") -> None:
        """Cancel, and run the registered functions; later calls change nothing.

        Args:
            reason: Why, for `reason` and for the error that `check` raises.
        """
        if self._reasons:
            return
        self._reasons.append(reason)
        for key in list(self._callbacks):
            self._notify(key)

    def on_cancel(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Register a function to call when this token is cancelled, or call it at once if it already is.

        Args:
            callback: Called once, on the thread that cancels. An exception that it raises is logged.

        Returns:
            A function that removes the callback.
        """
        key = object()
        self._callbacks[key] = callback
        if self._reasons:  # checked only now: code that cancels before this line may not have seen the callback
            self._notify(key)
        return lambda: self._remove(key)

    def _notify(self, key: object) -> None:
        """Remove and call the callback of `key`, and log what it raises; do nothing if it was removed before.

        It is logged with its traceback as an error of the logger `fcregistry`, if the program has imported `logging`. Interrupts are raised.
        """
        callback = self._callbacks.pop(key, None)
        if callback is None:
            return
        try:
            callback()
        except Exception:  # the caller's code may raise anything, and the other callbacks must run  # noqa: BLE001
            logging = sys.modules.get("logging")  # if no code has imported it, no code reads its records
            if logging is not None:
                logging.getLogger("fcregistry").exception("a callback of a CancellationToken failed")

    def _remove(self, key: object) -> None:
        """Remove the callback of `key`; do nothing if it is not registered any more."""
        self._callbacks.pop(key, None)

    def check(self) -> None:
        """End a tool that was cancelled; do nothing otherwise.

        Raises:
            CallCancelledError: The token is cancelled.
        """
        if self._reasons:
            raise CallCancelledError(self._reasons[0])

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until this token is cancelled. A blocking tool calls this in place of `time.sleep`.

        Args:
            seconds: How long to wait at most; None for ever.

        Returns:
            Whether it is cancelled.
        """
        if not self._reasons:
            released = allocate_lock()
            released.acquire()
            remove = self.on_cancel(released.release)
            try:
                released.acquire(timeout=-1 if seconds is None else min(max(seconds, 0.0), _MAX_WAIT))
            finally:
                remove()
        return self.cancelled

    def __repr__(self) -> str:
        state = f"cancelled: {self.reason}" if self.reason else "cancelled" if self._reasons else "not cancelled"
        return f"<CancellationToken {state}>"


_MAX_WAIT = 1e8
"""Seconds that a lock can wait on every platform."""


def linked_token(parent: CancellationToken | None) -> tuple[CancellationToken, Callable[[], None]]:
    """Return a token that is cancelled when `parent` is, and a function that ends this link.

    Without a parent, the token is cancelled only by its own `cancel`. A caller that uses `parent` for many calls ends each link after its
    call: otherwise `parent` would keep a callback for every call.
    """
    token = CancellationToken()
    if parent is None:
        return token, lambda: None
    return token, parent.on_cancel(lambda: token.cancel(parent.reason))
