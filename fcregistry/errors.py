"""Every exception that fcregistry raises.

All of them derive from `FcregistryError`; each also derives from the built-in exception that fits, so that code that does
not know fcregistry catches what it expects:

    FcregistryError
    ├── DefinitionError (TypeError)           a function, option or name that cannot be a tool
    ├── DuplicateToolError (ValueError)       two tools of one name where only one can have it
    ├── ToolNotFoundError (KeyError)          no tool of that name
    ├── GroupNotFoundError (KeyError)         no group of that name
    ├── AmbiguousToolError (LookupError)      several tools have that name
    ├── SelectorError (ValueError)            a selector that cannot be read
    ├── FormatNotFoundError (KeyError)        no format of that name
    ├── DialectNotFoundError (KeyError)       no dialect of that name
    ├── ChatTemplateError (ValueError)        a chat template, or a conversation for it, that cannot be rendered
    ├── ModelNotFoundError (LookupError)      no model of that name
    ├── ModelError (RuntimeError)             a model that gives no answer
    ├── PluginError (ImportError)             a plugin that does not load
    │   └── ToolChangedError                  a tool that is not, or no longer, what was described or pinned
    ├── ConfigurationError (ValueError)       a setting that cannot be read
    ├── MissingDependencyError (ImportError)  an optional package that is not installed
    ├── ApprovalError (ValueError)            prepared calls, or decisions about them, that cannot be used
    ├── UnfinishedRunError (RuntimeError)     a run of an agent that gave no answer
    ├── ToolCallError (RuntimeError)          a failed result that was unwrapped
    ├── DroppedResultError (LookupError)      the value of a result that a run no longer has
    ├── CallCancelledError (RuntimeError)     raised *in* a tool that checks whether it was cancelled
    └── ToolError (Exception)                 raised *by* a tool: its message is meant for the model

    DefinitionWarning (UserWarning)           a tool that works, but whose schema could say more

These are the programmer's mistakes, and they raise. A model's mistakes and a tool's failures are values: see `ToolResult`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    class FailedCall(Protocol):
        """The error of a result: a `fcregistry.execution.CallError`, which is above this module."""

        code: str
        message: str
        problems: Any
        retryable: bool
        exception: BaseException | None

        @property
        def text(self) -> str: ...

    class UnfinishedRun(Protocol):
        """The result of an agent's run: a `fcregistry.agents.RunResult`, which is above this module."""

        @property
        def stop_reason(self) -> Any: ...
        @property
        def error(self) -> BaseException | None: ...
        @property
        def messages(self) -> Sequence[Any]: ...
        @property
        def steps(self) -> Sequence[Any]: ...
        @property
        def usage(self) -> Any: ...
        @property
        def pending(self) -> Any: ...
        @property
        def state(self) -> Any: ...


__all__ = [
    "AmbiguousToolError",
    "ApprovalError",
    "CallCancelledError",
    "ChatTemplateError",
    "ConfigurationError",
    "DefinitionError",
    "DefinitionWarning",
    "DialectNotFoundError",
    "DuplicateToolError",
    "FcregistryError",
    "FormatNotFoundError",
    "GroupNotFoundError",
    "MissingDependencyError",
    "ModelError",
    "ModelNotFoundError",
    "PluginError",
    "SelectorError",
    "ToolCallError",
    "ToolChangedError",
    "ToolError",
    "ToolNotFoundError",
    "UnfinishedRunError",
]


class FcregistryError(Exception):
    """The base of every exception that fcregistry raises."""

    def __str__(self) -> str:
        # KeyError would show the repr of its message: quotes around it, and escaped line ends.
        return Exception.__str__(self)


class DefinitionError(FcregistryError, TypeError):
    """A function, option or name that cannot be a tool.

    Args:
        message: The definition that is wrong. The text of the error has the problems below it, a line each.
        problems: Everything that is wrong with the definition, in the order of its parameters.

    Attributes:
        problems: Everything that is wrong with the definition, in the order of its parameters.
    """

    def __init__(self, message: str, problems: Sequence[str] = ()) -> None:
        # Without the addresses of objects: they differ in each run, and help nobody.
        if " at 0x" in f"{message}{problems}":
            from re import sub  # rarely needed

            message, *problems = (sub(r" at 0x[0-9a-fA-F]+", "", each) for each in (message, *problems))
        super().__init__("\n".join([message, *(f"  - {problem}" for problem in problems)]))
        self.problems: tuple[str, ...] = tuple(problems)


class DuplicateToolError(FcregistryError, ValueError):
    """Two tools have one name where only one can have it; the message names both origins."""


class ToolNotFoundError(FcregistryError, KeyError):
    """No tool has that name; the message names the nearest ones.

    Args:
        message: The name that was asked for, and the nearest ones.
        name: The name that was asked for.
        candidates: The nearest names that exist, best first.
        reason: Why a tool of that name is hidden; empty if none is known.

    Attributes:
        name: The name that was asked for.
        candidates: The nearest names that exist, best first.
        reason: Why a tool of that name is hidden; empty if none is known.
    """

    def __init__(self, message: str, *, name: str = "", candidates: tuple[str, ...] = (), reason: str = "") -> None:
        super().__init__(message)
        self.name = name
        self.candidates = candidates
        self.reason = reason


class GroupNotFoundError(FcregistryError, KeyError):
    """No group has that name; the message names the nearest ones."""


class AmbiguousToolError(FcregistryError, LookupError):
    """Several tools have one name.

    Args:
        message: The name, and the ids of the tools that have it.
        candidates: The ids that are not ambiguous, sorted.

    Attributes:
        candidates: The ids that are not ambiguous, sorted.
    """

    def __init__(self, message: str, *, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


class SelectorError(FcregistryError, ValueError):
    """A selector that cannot be read, or an object that is not a selector."""


class FormatNotFoundError(FcregistryError, KeyError):
    """No format has that name; the message lists the names that exist."""


class DialectNotFoundError(FcregistryError, KeyError):
    """No dialect has that name; the message lists the names that exist."""


class ChatTemplateError(FcregistryError, ValueError):
    """A chat template that cannot be read or rendered, or a conversation that it cannot write.

    Chat formats raise it too, for a conversation that they cannot write.

    Args:
        message: What is wrong with the template or the conversation.
        line: The line of the template, from 1, if it is known.

    Attributes:
        line: The line of the template, from 1, if it is known.
    """

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class ModelNotFoundError(FcregistryError, LookupError):
    """No model has that name; the message lists the names that exist, and says what to install."""


class ModelError(FcregistryError, RuntimeError):
    """A model that gives no answer: its provider refuses, cannot be reached, or breaks off.

    Args:
        message: What the provider did, and what to do about it.
        status: The HTTP status that the provider answered with, if it answered.
        retryable: Whether the same request may succeed later.
        retry_after: Seconds to wait before that, if the provider says.

    Attributes:
        status: The HTTP status that the provider answered with, if it answered.
        retryable: Whether the same request may succeed later.
        retry_after: Seconds to wait before that, if the provider says.
    """

    def __init__(
        self, message: str, *, status: int | None = None, retryable: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retryable = retryable
        self.retry_after = retry_after


class PluginError(FcregistryError, ImportError):
    """A plugin that does not load, or that ships something that is not a tool."""


class ToolChangedError(PluginError):
    """A tool that differs from its description in the index, or from the lock; it does not run.

    The index describes a tool before its plugin is imported; the lock pins its description.
    """


class ConfigurationError(FcregistryError, ValueError):
    """A setting cannot be read. The message names the setting and says where it was set."""


class MissingDependencyError(FcregistryError, ImportError):
    """An optional package that is not installed; the message says what to install."""


class ApprovalError(FcregistryError, ValueError):
    """Prepared calls that cannot be continued, or a decision that is about none of them.

    Such calls were changed, signed with another key, are too old, or were continued before.
    """


class UnfinishedRunError(FcregistryError, RuntimeError):
    """A run of an agent that ended without the answer that was asked for.

    Args:
        result: The result of the run.

    Attributes:
        result: The result of the run, with the reason; and with the state to resume it, if calls wait for a decision.
    """

    def __init__(self, result: UnfinishedRun) -> None:
        super().__init__(str(result))
        self.result = result

    def __reduce__(self) -> tuple[type, tuple[UnfinishedRun]]:
        return type(self), (self.result,)


class DroppedResultError(FcregistryError, LookupError):
    """A run no longer has the value, or the whole content, of a result that was cut.

    See `max_kept_bytes` of `Executor`.
    """


class ToolCallError(FcregistryError, RuntimeError):
    """A failed `ToolResult` that was unwrapped; the tool's own exception is its cause.

    Args:
        error: The error of the result.

    Attributes:
        error: The error of the result.
    """

    def __init__(self, error: FailedCall) -> None:
        super().__init__(error.text)
        self.error = error

    def __reduce__(self) -> tuple[type, tuple[FailedCall]]:
        return type(self), (self.error,)


class CallCancelledError(FcregistryError, RuntimeError):
    """Raised by `CancellationToken.check`, and by a request of a model whose token is cancelled.

    It ends the tool in which it is raised; the result of the call says that it was cancelled.

    Args:
        reason: The reason that the caller gave; empty if none.

    Attributes:
        reason: The reason that the caller gave; empty if none.
    """

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason or "the call was cancelled")
        self.reason = reason


class ToolError(FcregistryError):
    """Raised by a tool to tell the model, in its own words, why it failed.

    Any other exception works too, and is shown with its type before its message; the message of a `ToolError` is shown as it is.

    Args:
        message: The reason, for the model.
        retryable: Whether the same call may succeed later.
        retry_after: Seconds to wait before that, if the tool knows.

    Attributes:
        retryable: Whether the same call may succeed later.
        retry_after: Seconds to wait before that, if the tool knows.
    """

    def __init__(self, message: str, *, retryable: bool = False, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.retry_after = retry_after


def exception_message(exception: BaseException) -> str:
    """Return the text of an exception; empty if its `__str__`, which is external code, raises."""
    try:
        return str(exception)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  # its type is known all the same
        return ""


class DefinitionWarning(UserWarning):
    """A tool that works, but whose schema could say more, such as a description."""
