"""What went wrong with a call that another process was to run, and what does a model read of it?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import CallError, Problem

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._elsewhere._travel import Raised, Refused


class RemoteError(Exception):
    """What a tool raised in another process; its traceback there is a note of this exception.

    Attributes:
        type_name: The name of the class that the exception had.
        is_tool_error: Whether that was a `ToolError`, whose message is meant for the model.
        retryable: As that `ToolError` had it; False for anything else.
        retry_after: Likewise; None for anything else.
        remote_traceback: Where it was raised, as text.
    """

    def __init__(self, raised: Raised) -> None:
        super().__init__(raised.message)
        self._raised = raised
        self.type_name = raised.type_name
        self.is_tool_error = raised.is_tool_error
        self.retryable = raised.retryable
        self.retry_after = raised.retry_after
        self.remote_traceback = raised.traceback
        if raised.traceback:
            self.add_note(f"in the worker:\n{raised.traceback}")

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), (self._raised,)


class WorkerError(Exception):
    """Why a call was not run in another process, or its result did not arrive; what it says is for developers.

    Attributes:
        error: The same for the model.
        error_reserved: Likewise, without the words of an exception that nobody wrote for a model.
    """

    def __init__(
        self,
        code: str,
        message: str,
        detail: str = "",
        problems: tuple[Problem, ...] = (),
        reserved: tuple[str, tuple[Problem, ...]] | None = None,
    ) -> None:
        super().__init__(f"{message}: {detail}" if detail else message)
        self._told = code, message, detail, problems, reserved
        self.error = CallError(code, message, problems, exception=self)
        self.error_reserved = self.error if reserved is None else CallError(code, *reserved, exception=self)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), self._told


REASONS: Final = {
    "no_tool": ("unavailable", "is not available: the worker that was to run it does not have it"),
    "schema_changed": (
        "unavailable",
        "is not available: the worker that was to run it has it with other arguments (schema_changed)",
    ),
    "version_changed": (
        "unavailable",
        "is not available: the worker that was to run it has another version of it (version_changed)",
    ),
    "missing_env": ("unavailable", "is not available: the worker that was to run it lacks an environment variable"),
    "busy": ("unavailable", "is not available: too many earlier calls still hold the worker that was to run it"),
    "no_worker": ("unavailable", "is not available: the call could not be handed to a worker; it was not run"),
    "died": ("tool_failed", "was not finished: the worker that ran it died; it may have done part of its work"),
    "lost": ("tool_failed", "gave no result: its worker failed; it may have done its work"),
    "cancelled": ("cancelled", "was cancelled before it was done"),
    "closed": ("cancelled", "was cancelled before it was done: its worker was closed"),
}
"""Why there is no result -> the code of the failed call, and what a model reads after the tool's name."""


def worker_error(tool: Tool, reason: str, detail: str = "", cause: BaseException | None = None) -> WorkerError:
    """Word why there is no result.

    Args:
        tool: The tool that was called.
        reason: A row of `REASONS`.
        detail: What more is known, for developers.
        cause: What the pool raised; kept as the ``__cause__`` of the error, for logs.
    """
    code, sentence = REASONS[reason]
    error = WorkerError(code, f"{tool.name} {sentence}", detail)
    error.__cause__ = cause
    return error


def refusal_of(tool: Tool, refused: Refused) -> WorkerError:
    """Word why a worker refused a call; of arguments, and of a result, the model reads what is wrong with them."""
    if refused.reason == "invalid_arguments":
        problems = tuple(Problem(path, message) for path, message in refused.problems)
        message = f"the arguments of {tool.name} are not valid where it runs; it was not run:"
        untold = tuple(Problem(path, "cannot be decoded") for path, _ in refused.problems)
        reserved = (message, untold) if refused.reserved else None
        return WorkerError("invalid_arguments", message, problems=problems, reserved=reserved)
    if refused.reason == "unencodable":
        message = f"{tool.name} ran, but its result cannot be shown"
        reserved = (message, ()) if refused.reserved else None
        return WorkerError("unencodable_result", f"{message}: {refused.detail}", reserved=reserved)
    return worker_error(tool, refused.reason, refused.detail)
