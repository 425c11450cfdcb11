"""How is a call told to stop?

MERGED: Why did a tool call fail?
MERGED: What is a tool call, and what may be wrong with its arguments?
"""

from __future__ import annotations

import sys
from _thread import allocate_lock

from fcregistry._base.pickling import picklable
from fcregistry.errors import CallCancelledError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Final

# --- _cancellation ---


class CancellationToken:
    """Something that is cancelled once, and tells whoever asks or waits. Thread-safe, also for a signal handler.

    An application passes one to a call to be able to stop it. A tool finds its own in `context.cancellation`: it asks now and then, waits on it
    instead of sleeping, or has it close what it holds.

        token = CancellationToken()
        executor.run(call, cancellation=token)   # from another thread: token.cancel()
    """

    __slots__ = ("__weakref__", "_callbacks", "_reasons")

    # No lock: a signal handler that cancels runs between any two steps of the very thread that would hold it. Each step is one operation
    # of a list or a dict instead: the first reason stands, and whoever takes a callback out runs it.
    def __init__(self) -> None:
        self._reasons: list[str] = []  # of whoever cancelled; empty until somebody does
        self._callbacks: dict[object, Callable[[], object]] = {}

    @property
    def cancelled(self) -> bool:
        """Whether it was cancelled."""
        return bool(self._reasons)

    @property
    def reason(self) -> str:
        """Why, as `cancel` was told."""
        return self._reasons[0] if self._reasons else ""

    def cancel(self, reason: str = "") -> None:
        """Cancel, and run what waits for it; later calls change nothing.

        Args:
            reason: Why, for whoever asks.
        """
        if self._reasons:
            return
        self._reasons.append(reason)
        for key in list(self._callbacks):
            self._tell(key)

    def on_cancel(self, callback: Callable[[], object]) -> Callable[[], None]:
        """Have a function called when this is cancelled; at once, if it is already.

        Args:
            callback: Called once, on the thread that cancels. What it raises is logged.

        Returns:
            A function that takes it back.
        """
        key = object()
        self._callbacks[key] = callback
        if self._reasons:  # looked at only now: who cancels before this line may not have seen the callback
            self._tell(key)
        return lambda: self._forget(key)

    def _tell(self, key: object) -> None:
        callback = self._callbacks.pop(key, None)
        if callback is not None:
            _run(callback)

    def _forget(self, key: object) -> None:
        self._callbacks.pop(key, None)

    def check(self) -> None:
        """Do nothing, or end a tool that was cancelled.

        Raises:
            CallCancelledError: It was cancelled.
        """
        if self._reasons:
            raise CallCancelledError(self._reasons[0])

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it is cancelled: what a blocking tool does in place of `time.sleep`.

        Args:
            seconds: How long at most; None for ever.

        Returns:
            Whether it was cancelled.
        """
        if not self._reasons:
            released = allocate_lock()
            released.acquire()
            take_back = self.on_cancel(released.release)
            try:
                released.acquire(timeout=-1 if seconds is None else min(max(seconds, 0.0), _LONGEST))
            finally:
                take_back()
        return self.cancelled

    def __repr__(self) -> str:
        state = f"cancelled: {self.reason}" if self.reason else "cancelled" if self._reasons else "not cancelled"
        return f"<CancellationToken {state}>"


def linked(parent: CancellationToken | None) -> tuple[CancellationToken, Callable[[], None]]:
    """Return a token that is cancelled with another, and what ends that: a token that lives long is not to remember every call."""
    token = CancellationToken()
    if parent is None:
        return token, _nothing
    return token, parent.on_cancel(lambda: token.cancel(parent.reason))


def _nothing() -> None:
    """Do nothing."""


_LONGEST = 1e8
"""Seconds that every platform's locks can wait."""


def _run(callback: Callable[[], Any]) -> None:
    try:
        callback()
    except Exception:  # foreign code: one that fails keeps no other from being told  # noqa: BLE001
        logging = sys.modules.get("logging")  # where nobody imported it, nobody reads its records
        if logging is not None:
            logging.getLogger("fcregistry").exception("a callback of a CancellationToken failed")


# --- _call_errors ---

# The codes of a failed call, with who can mend it. They are part of the public contract: docs/reference/errors.md.
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


class CallError:
    """Why a call failed: a value, worded for a model.

    Attributes:
        code: One of the documented codes, such as `invalid_arguments`.
        message: One sentence.
        problems: Everything that is wrong with the arguments, sorted by path.
        retryable: Whether the same call may succeed later.
        retry_after: Seconds to wait before that, if the tool said so.
        exception: What the tool raised, for logs; never shown to a model as it is.
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
        self.code = code
        self.message = message
        self.problems = problems
        self.retryable = retryable
        self.retry_after = retry_after
        self.exception = exception

    @property
    def text(self) -> str:
        """The message with its problems, a line each: what the model reads."""
        text = self.message
        for problem in self.problems:
            text += f"\n- {problem.path}: {problem.message}"
        return text

    def to_json(self) -> dict[str, Any]:
        """This error as a JSON object."""
        shown: dict[str, Any] = {"code": self.code, "message": self.message, "retryable": self.retryable}
        if self.problems:
            shown["problems"] = [{"path": problem.path, "message": problem.message} for problem in self.problems]
        if self.retry_after is not None:
            shown["retry_after"] = self.retry_after
        return shown

    def __reduce__(self) -> tuple[Any, ...]:
        told = (self.code, self.message, self.problems, self.retryable, self.retry_after)
        return _again, (*told, picklable(self.exception))

    def __repr__(self) -> str:
        return f"CallError({self.code!r}, {self.text!r})"


def _again(
    code: str, message: str, problems: tuple[Problem, ...], retryable: bool, later: float | None, raised: Any
) -> CallError:
    return CallError(code, message, problems, retryable=retryable, retry_after=later, exception=raised)


# --- _calls ---


class ToolCall:
    """What a model asks for: a tool's name, its arguments and the call's id. Immutable.

    Args:
        name: The wire name of the tool.
        arguments: A JSON object as a dict, or its text as the model wrote it; None stands for no arguments.
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

    __hash__ = None  # type: ignore[assignment]  # arguments are a dict

    def __repr__(self) -> str:
        identity = "" if self._id is None else f", id={self._id!r}"
        return f"ToolCall({self._name!r}, {self._arguments!r}{identity})"


class UnreadArguments(str):
    """JSON text that is not an object, in place of arguments that could not be read: a call that is kept must not run without them.

    Args:
        text: The text.
        reason: Why they could not be read, worded for a model.
    """

    __slots__ = ("reason",)

    reason: str

    def __new__(cls, text: str, reason: str) -> UnreadArguments:
        made = super().__new__(cls, text)
        made.reason = reason
        return made

    def __reduce__(self) -> tuple[type[UnreadArguments], tuple[str, str]]:
        return UnreadArguments, (str(self), self.reason)


class Problem:
    """One thing that is wrong with the arguments of a call. Immutable.

    Args:
        path: Where, as a JSON path: `$.items[2].qty`.
        message: What is wrong, worded for a model.
    """

    __slots__ = ("_message", "_path")

    def __init__(self, path: str, message: str) -> None:
        self._path = path
        self._message = message

    @property
    def path(self) -> str:
        """Where: a JSON path such as `$.items[2].qty`."""
        return self._path

    @property
    def message(self) -> str:
        """What is wrong, worded for a model."""
        return self._message

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return (self._path, self._message) == (other._path, other._message)

    def __hash__(self) -> int:
        return hash((self._path, self._message))

    def __str__(self) -> str:
        return f"{self._path}: {self._message}"

    def __repr__(self) -> str:
        return f"Problem(path={self._path!r}, message={self._message!r})"
