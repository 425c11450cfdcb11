"""Every exception that fcregistry raises.

All of them derive from `FcregistryError`; each also derives from the built-in exception that fits, so that code that knows
nothing of fcregistry catches what it expects:

    FcregistryError
    ├── DefinitionError (TypeError)           a function, option or name that cannot be a tool
    ├── DuplicateToolError (ValueError)       two tools of one name where only one can be
    ├── ToolNotFoundError (KeyError)          no tool of that name
    ├── GroupNotFoundError (KeyError)         no group of that name
    ├── AmbiguousToolError (LookupError)      several tools answer to that name
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
    ├── ApprovalError (ValueError)            prepared calls, or decisions about them, that cannot be taken up
    ├── UnfinishedRunError (RuntimeError)     a run of an agent that gave no answer
    ├── ToolCallError (RuntimeError)          a failed result that was unwrapped
    ├── CallCancelledError (RuntimeError)     raised *in* a tool that was cancelled and asked whether it was
    └── ToolError (Exception)                 raised *by* a tool: its message is meant for the model

    DefinitionWarning (UserWarning)           a tool that works, but says less than its author could say

These are the programmer's mistakes, and they raise. A model's mistakes and a tool's failures are values: see `ToolResult`.

A little longer than other files, since all of them stand here.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    class FailedCall(Protocol):
        """The error of a result: a `fcregistry.execution.CallError`, which is above this module."""

        @property
        def code(self) -> str: ...
        @property
        def message(self) -> str: ...
        @property
        def text(self) -> str: ...
        @property
        def problems(self) -> Sequence[Any]: ...
        @property
        def retryable(self) -> bool: ...
        @property
        def exception(self) -> BaseException | None: ...

    class UnfinishedRun(Protocol):
        """What an agent's run gave: a `fcregistry.agents.RunResult`, which is above this module."""

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

    Attributes:
        problems: Everything that is wrong with the one definition, in the order of its parameters.
    """

    def __init__(self, message: str, problems: Sequence[str] = ()) -> None:
        """Join the message and its problems, a line each, without the addresses of objects: they say nothing, and are others in each run."""
        if " at 0x" in f"{message}{problems}":
            from re import sub  # rarely needed

            message, *problems = (sub(r" at 0x[0-9a-fA-F]+", "", each) for each in (message, *problems))
        super().__init__("\n".join([message, *(f"  - {problem}" for problem in problems)]))
        self.problems = tuple(problems)


class DuplicateToolError(FcregistryError, ValueError):
    """Two tools have one name where only one can have it; the message names both origins."""


class ToolNotFoundError(FcregistryError, KeyError):
    """No tool has that name; the message names the nearest ones.

    Attributes:
        name: The name that was asked for.
        candidates: The nearest names that exist, best first.
    """

    def __init__(self, message: str, *, name: str = "", candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.name = name
        self.candidates = candidates


class GroupNotFoundError(FcregistryError, KeyError):
    """No group has that name; the message names the nearest ones."""


class AmbiguousToolError(FcregistryError, LookupError):
    """Several tools answer to a name.

    Attributes:
        candidates: The ids that are not ambiguous, sorted.
    """

    def __init__(self, message: str, *, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


class SelectorError(FcregistryError, ValueError):
    """A selector that cannot be read, or that is not a selector at all."""


class FormatNotFoundError(FcregistryError, KeyError):
    """No format has that name; the message lists the names there are."""


class DialectNotFoundError(FcregistryError, KeyError):
    """No dialect has that name; the message lists the names there are."""


class ChatTemplateError(FcregistryError, ValueError):
    """A chat template that cannot be read or rendered, or a conversation that it or a chat format cannot write.

    Attributes:
        line: The line of the template, from 1, where that is known.
    """

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class ModelNotFoundError(FcregistryError, LookupError):
    """No model can be had by that name; the message says which names there are, and what to install."""


class ModelError(FcregistryError, RuntimeError):
    """A model that gives no answer: its provider refuses, cannot be reached, or breaks off.

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
    """A plugin that does not load, or that ships something that is no tool."""


class ToolChangedError(PluginError):
    """A tool that is not what it was described as before its plugin was imported, or not what a lock pins; it does not run."""


class ConfigurationError(FcregistryError, ValueError):
    """A setting that cannot be read; the message names the setting and where it was set."""


class MissingDependencyError(FcregistryError, ImportError):
    """An optional package that is not installed; the message says what to install."""


class ApprovalError(FcregistryError, ValueError):
    """Prepared calls that cannot be taken up: changed, signed with another key, too old, taken up before; or a decision about none of them."""


class UnfinishedRunError(FcregistryError, RuntimeError):
    """A run of an agent that gave no answer, where an answer was asked for.

    Attributes:
        result: What came of it, with the reason, and with what resumes it, where calls wait for a decision.
    """

    def __init__(self, result: UnfinishedRun) -> None:
        said = f": {result.error}" if result.error is not None else ""
        super().__init__(f"there is no answer: {result}{said}")
        self.result = result

    def __reduce__(self) -> tuple[type, tuple[UnfinishedRun]]:
        return type(self), (self.result,)


class ToolCallError(FcregistryError, RuntimeError):
    """A failed `ToolResult` that was unwrapped; the tool's own exception is its cause.

    Attributes:
        error: What the result says of the failure.
    """

    def __init__(self, error: FailedCall) -> None:
        super().__init__(error.text)
        self.error = error

    def __reduce__(self) -> tuple[type, tuple[FailedCall]]:
        return type(self), (self.error,)


class CallCancelledError(FcregistryError, RuntimeError):
    """Raised inside a tool by `CancellationToken.check`: the call was cancelled, and its result says so.

    Attributes:
        reason: What the one who cancelled said; empty if nothing.
    """

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason or "the call was cancelled")
        self.reason = reason


class ToolError(FcregistryError):
    """Raised by a tool to say to the model, in its own words, why it could not do what was asked.

    Any other exception works too, and is shown with its type before its message; the message of a `ToolError` is shown as it is.

    Attributes:
        retryable: Whether the same call may succeed later.
        retry_after: Seconds to wait before that, if the tool knows.
    """

    def __init__(self, message: str, *, retryable: bool = False, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.retry_after = retry_after


def said_by(exception: BaseException) -> str:
    """Return what an exception says, or nothing if it cannot say it: its `__str__` is foreign code too."""
    try:
        return str(exception)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  # an exception that cannot say itself still has a type
        return ""


class DefinitionWarning(UserWarning):
    """A tool that works, but whose schema says less than its author could say."""
