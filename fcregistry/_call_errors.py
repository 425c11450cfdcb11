"""Why did a tool call fail?"""

from __future__ import annotations

from fcregistry._pickling import picklable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from fcregistry._calls import Problem

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
