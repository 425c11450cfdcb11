"""Errors of calls, with the texts that a model reads. Golden tests contain every text."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from fcregistry._base.call import CallError, Problem
from fcregistry._base.secrets import Secrets
from fcregistry._base.wording import json_path, seconds_text
from fcregistry._tools.availability import available_list, available_near
from fcregistry.errors import CallCancelledError, ToolChangedError, ToolError, exception_message
from fcregistry.execution._invoke import GivenUp
from fcregistry.execution._threads import NoThreadError
from fcregistry.types import EncodingError, NotFiniteError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fcregistry._tools.tool import Tool
    from fcregistry.errors import PluginError
    from fcregistry.execution._wire import WireException, WireRefusal
    from fcregistry.types import Refusal

Exposure: TypeAlias = Literal["all", "tool-errors"]
"""Which exceptions of tools a model reads: all, or only those that are a `ToolError`."""


# --- Calls that cannot run ---


def unknown_tool(name: str, tools: Mapping[str, Tool]) -> CallError:
    """Return the error for a call of a tool that does not exist, with the names of those of `tools` that are available here.

    It asks few of the functions that decide whether a tool is available.
    """
    shown = name if len(name) <= 64 else f"{name[:64]}…"
    if close := next(available_near(name[:200], tools), None):
        return CallError("unknown_tool", f"there is no tool {shown!r}; did you mean {close!r}?")
    if listed := available_list(tools):
        return CallError("unknown_tool", f"there is no tool {shown!r}; the tools are {listed}")
    return CallError("unknown_tool", f"there is no tool {shown!r}; no tools are available")


def invalid_arguments(name: str, problems: tuple[Problem, ...]) -> CallError:
    """Return the error for arguments that the schema does not accept."""
    return CallError("invalid_arguments", f"the arguments of {name} are not valid; it was not run:", problems)


def undecodable_arguments(tool: Tool, refusal: Refusal, expose: Exposure = "all") -> CallError:
    """Return the error for arguments that the schema accepts, but a parameter's type refuses.

    If `refusal` has another exception as its cause, that message is left out unless `expose` is "all".
    """
    reserved = expose == "tool-errors" and refusal.__cause__ is not None
    reason = "cannot be decoded" if reserved else scrub(refusal.reason, secrets_of(tool))
    return invalid_arguments(tool.name, (Problem(json_path(refusal.path), reason),))


def environment_not_set(tool: Tool, reason: str, expose: Exposure = "all") -> CallError:
    """Return the error for a tool that is not available here because of `reason`.

    What its `available` function returned or raised is logged and left out unless `expose` is "all".
    """
    text = scrub(reason, secrets_of(tool))
    if tool.missing_env:
        return CallError("unavailable", f"{tool.name} is not available here: the environment variable {text}")
    if expose == "all":
        return CallError("unavailable", f"{tool.name} is not available here: {text}")
    from logging import getLogger  # only on the way to an error

    getLogger("fcregistry").warning("%s is not available here: %s", tool.name, text)
    return CallError("unavailable", f"{tool.name} is not available here")


def plugin_unavailable(error: PluginError) -> CallError:
    """Return the error for a tool whose plugin cannot be loaded, or that differs from its description."""
    return CallError("unavailable", f"the tool is not available: {scrub(str(error))}", exception=error)


def cancelled_before(tool: Tool, reason: str) -> CallError:
    """Return the error for a call that was cancelled before it began."""
    return CallError(
        "cancelled", f"the call of {tool.name} was cancelled{_reason_in_brackets(tool, reason)}; it was not run"
    )


def not_checked(name: str, end: GivenUp) -> CallError:
    """Return the error for a call that timed out, or was cancelled, while its arguments were validated."""
    if end.why == "cancelled":
        return CallError("cancelled", f"the call of {name} was cancelled; it was not run")
    within = seconds_text(end.seconds or 0)
    message = f"the arguments of {name} could not be checked within {within}; it was not run. Send less at once"
    return CallError("timeout", message, exception=end)


def no_thread(error: Exception) -> CallError:
    """Return the error for a call that cannot run because no thread is available."""
    return CallError("unavailable", f"the call cannot run now: {error}", retryable=True, exception=error)


# --- Approval ---


def approval_required(name: str, reason: str = "") -> CallError:
    """Return the error for a tool that requires approval, if the executor has no approver.

    Args:
        name: The tool.
        reason: The reason it requires approval, if no policy can change that.
    """
    text = f"{name} requires approval, and there is no approver; it was not run"
    return CallError("approval_required", f"{text}: {reason}" if reason else text)


def approval_failed(name: str, error: BaseException) -> CallError:
    """Log the exception that an approver raised; return the error for the call."""
    from logging import getLogger  # only on the way to an error

    getLogger("fcregistry").error("the approver of %s failed, so the call was denied", name, exc_info=error)
    return CallError("denied", f"{name} was not run: its approver failed", exception=error)


def predicate_failed(tool: Tool, option: str, error: BaseException, expose: Exposure = "all") -> CallError:
    """Log the exception that an author's check raised; return the error for the call.

    Args:
        tool: The tool.
        option: The option whose function raised it, `requires_approval` or `always_ask`.
        error: The exception.
        expose: Whether a model reads the messages of all exceptions, or only of `ToolError`s.
    """
    from logging import getLogger  # only on the way to an error

    text = scrub(exception_text(error), secrets_of(tool))
    raised = with_type(error, text)
    name = f"{option}=… of {tool.name}"
    getLogger("fcregistry").error("%s raised %s, so the call was denied", name, raised, exc_info=error)
    if expose == "all":
        reason = f": {option}=… of the tool raised {raised}"
    elif isinstance(error, ToolError):
        reason = f": {text}" if text else ""
    else:
        reason = f": {option}=… of the tool failed"
    return CallError("denied", f"{tool.name} was not run{reason}", exception=error)


def not_a_decision(name: str, answer: object) -> CallError:
    """Log that an approver returned something other than a decision; return the error for the call."""
    from logging import getLogger  # only on the way to an error

    why = f"the approver of {name} returned {type(answer).__name__}, not Approve(…), Deny(…), True or False, so the call was denied"
    getLogger("fcregistry").error("%s", why)
    return CallError("denied", f"the call of {name} was denied; it was not run", exception=TypeError(why))


def not_allowed(name: str) -> CallError:
    """Return the error for a tool that the policy denies."""
    return CallError("denied", f"{name} is not allowed here; it was not run")


def denied(name: str, reason: str = "") -> CallError:
    """Return the error for a call that the approver or the operator denied, with the reason if given."""
    text = scrub(reason)
    return CallError("denied", f"the call of {name} was denied; it was not run" + (f": {text}" if text else ""))


def unanswered(name: str, seconds: float) -> CallError:
    """Return the error for a call that was not approved in time."""
    return CallError(
        "denied",
        f"{name} was not run: it requires approval, and the approver did not answer within {seconds_text(seconds)}",
    )


def undecided(name: str) -> CallError:
    """Return the error for a call that needs approval, if no approver has decided about it."""
    return CallError("approval_required", f"{name} requires approval, which was not given; it was not run")


def invalid_edit(name: str, problems: tuple[Problem, ...], message: str) -> CallError:
    """Return the error for a call that an approver approved with other arguments, which are not valid.

    Args:
        name: The tool.
        problems: The problems of these arguments; may be empty.
        message: What is wrong with them, if there are no problems.
    """
    if not problems:
        return CallError("invalid_arguments", f"{name} was approved with other arguments; it was not run: {message}")
    text = f"{name} was approved with other arguments, which are not valid; it was not run:"
    return CallError("invalid_arguments", text, problems)


def changed_after_approval(name: str) -> CallError:
    """Return the error for a call whose arguments a hook changed after they were approved."""
    return CallError("denied", f"{name} was not run: its arguments would differ from those that were approved")


def tool_removed(name: str) -> CallError:
    """Return the error for a tool that no longer exists."""
    return CallError("unavailable", f"{name} no longer exists; it was not run")


def schema_changed(name: str) -> CallError:
    """Return the error for a tool that has changed since the call was made."""
    return CallError(
        "unavailable",
        f"{name} has changed since the call was made; it was not run. Look at its parameters, and call it again",
    )


# --- Errors in other words ---


def reworded(error: CallError, message: str, problems: tuple[Problem, ...] = ()) -> CallError:
    """Return `error` with another message and other problems."""
    again, after, exception = error.retryable, error.retry_after, error.exception
    return CallError(error.code, message, problems, retryable=again, retry_after=after, exception=exception)


def with_attempts(error: CallError, attempts: int) -> CallError:
    """Return `error`, or one that also says how often the call was tried if that is more than once.

    A model that reads it does not repeat the call at once.
    """
    return error if attempts == 1 else reworded(error, f"{error.message} (tried {attempts} times)", error.problems)


# --- Tools that failed ---


def tool_failed(tool: Tool, exception: BaseException, expose: Exposure = "all") -> CallError:
    """Return the error for an exception that a tool raised, with a text that `scrub` has cleaned.

    The text is the message of a `ToolError`, and the type and message of any other exception.

    Args:
        tool: The tool.
        exception: The exception that it raised, or a `GivenUp`.
        expose: Whether a model reads the messages of all exceptions, or only of `ToolError`s.
    """
    if isinstance(exception, GivenUp):
        return given_up(tool, exception)
    if isinstance(exception, ToolChangedError):  # of a server: it found out when the call was sent
        return plugin_unavailable(exception)
    if isinstance(exception, NoThreadError):
        return CallError("unavailable", f"{tool.name} cannot run now: {exception}", retryable=True, exception=exception)
    if isinstance(exception, CallCancelledError):
        return given_up(tool, GivenUp("cancelled", reason=exception.reason))
    if isinstance(exception, WorkerError):
        return exception.error_reserved if expose == "tool-errors" else exception.error
    kind = exception.type_name if isinstance(exception, RemoteError) else type(exception).__name__
    from_tool = exception.is_tool_error if isinstance(exception, RemoteError) else isinstance(exception, ToolError)
    if kind == "CancelledError":  # asyncio's, which is not imported here for its name alone
        return CallError("cancelled", f"{tool.name} was cancelled before it was done", exception=exception)
    if expose == "tool-errors" and not from_tool:
        return CallError("tool_failed", f"{tool.name} failed", exception=exception)
    text = scrub(exception_text(exception), secrets_of(tool))
    if from_tool and isinstance(exception, (ToolError, RemoteError)):
        return CallError(
            "tool_failed",
            text or f"{tool.name} failed",
            retryable=exception.retryable,
            retry_after=exception.retry_after,
            exception=exception,
        )
    return CallError("tool_failed", f"{kind}: {text}" if text else kind, exception=exception)


_PACKAGE: Final = f"{os.path.dirname(os.path.dirname(__file__))}{os.sep}"  # noqa: PTH120  # the beginning of what `co_filename` is


def explain_to_author(tool: Tool, exception: BaseException) -> None:
    """Remove fcregistry's frames from the traceback of `exception`; add a note if an option would help.

    The note names `blocking="caller"`, for an error of sqlite3 about threads. Developers read both; the model does not.
    """
    frames = exception.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename.startswith(_PACKAGE):
        frames = frames.tb_next
    if frames is not None:
        BaseException.with_traceback(exception, frames)
    if type(exception).__module__ != "sqlite3" or tool.options.blocking == "caller":
        return
    if "created in a thread" in str(exception):
        exception.add_note(
            f'declare {tool.name} with blocking="caller": it then runs on the thread that makes the call, where the '
            "connection has to be made"
        )


def given_up(tool: Tool, end: GivenUp) -> CallError:
    """Return the error for a call whose caller no longer waits: it timed out or was cancelled."""
    if end.why == "cancelled":
        message = f"{tool.name} was cancelled before it was done{_reason_in_brackets(tool, end.reason)}"
        return CallError("cancelled", message, exception=end)
    again = bool(tool.options.idempotent or tool.options.read_only)
    now = "it was stopped" if end.stopped else "it may still be running"
    message = f"{tool.name} did not answer within {seconds_text(end.seconds or 0)}; {now}"
    return CallError("timeout", message, retryable=again, exception=end)


def unencodable(tool: Tool, error: BaseException, expose: Exposure = "all") -> CallError:
    """Return the error for a result that has no JSON form, or that cannot be read.

    Args:
        tool: The tool.
        error: The exception that encoding the result raised.
        expose: Whether a model reads its message, if it is not an `EncodingError`.
    """
    if expose == "tool-errors" and not isinstance(error, EncodingError):
        return CallError("unencodable_result", f"{tool.name} ran, but its result cannot be shown", exception=error)
    reason = scrub(exception_message(error), secrets_of(tool))
    if not isinstance(error, EncodingError):
        reason = with_type(error, reason)
    elif isinstance(error, NotFiniteError):
        reason += '; with on_nan="null" for the tool or the executor, it is written as null'
    return CallError(
        "unencodable_result", f"{tool.name} ran, but its result cannot be shown: {reason}", exception=error
    )


def result_mismatch(tool: Tool, problems: Iterable[Problem]) -> CallError:
    """Return the error for a result that does not match its tool's return schema."""
    text = "; ".join(f"{problem.path} {problem.message}" for problem in problems)
    reason = scrub(text, secrets_of(tool))
    return CallError(
        "unencodable_result", f"{tool.name} ran, but its result does not match its return schema: {reason}"
    )


def _reason_in_brackets(tool: Tool, reason: str) -> str:
    """Return ` (reason)`, with a space before it and without the tool's secrets; empty without a reason."""
    return f" ({scrub(reason, secrets_of(tool))})" if reason else ""


def secrets_of(tool: Tool) -> tuple[str, ...]:
    """Return the values of the environment variables that a tool requires, in this process."""
    return tuple(os.environ.get(name, "") for name in tool.options.variables)


# --- Calls in other processes ---


class RemoteError(Exception):
    """Takes the place of an exception that a tool raised in another process; notes have the traceback.

    Attributes:
        type_name: The name of the exception's class.
        is_tool_error: Whether the exception was a `ToolError`, whose message is for the model.
        retryable: The `retryable` of a `ToolError`; False for any other exception.
        retry_after: The `retry_after` of a `ToolError`; None for any other exception.
        remote_traceback: The traceback there, as text.
    """

    def __init__(self, raised: WireException) -> None:
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
    """Says why another process did not run a call, or why the result did not arrive.

    The exception's own message is for developers.

    Attributes:
        error: The error for the model.
        error_reserved: The same error without the message of an exception.
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
        self._arguments = code, message, detail, problems, reserved
        self.error = CallError(code, message, problems, exception=self)
        self.error_reserved = self.error if reserved is None else CallError(code, *reserved, exception=self)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), self._arguments


REASONS: Final = {
    "no_tool": ("unavailable", "is not available: the worker does not have this tool"),
    "schema_changed": (
        "unavailable",
        "is not available: the worker has this tool with other parameters (schema_changed)",
    ),
    "version_changed": (
        "unavailable",
        "is not available: the worker has another version of this tool (version_changed)",
    ),
    "missing_env": (
        "unavailable",
        "is not available: the worker lacks what it requires, such as an environment variable",
    ),
    "busy": ("unavailable", "is not available: too many earlier calls are still running on the worker"),
    "no_worker": ("unavailable", "is not available: the call could not be sent to a worker; it was not run"),
    "died": ("tool_failed", "was not finished: the worker that ran it died; it may have done part of its work"),
    "lost": ("tool_failed", "returned no result: its worker failed; it may have done its work"),
    "not_written": ("tool_failed", "ran, but the files that it made could not be written here"),
    "cancelled": ("cancelled", "was cancelled before it was done"),
    "closed": ("cancelled", "was cancelled before it was done: its worker was closed"),
}
"""Reason -> the code of the failed call, and what a model reads after the tool's name."""


def worker_error(tool: Tool, reason: str, detail: str = "", cause: BaseException | None = None) -> WorkerError:
    """Return the error that says why a call in another process has no result.

    Args:
        tool: The tool that was called.
        reason: A row of `REASONS`.
        detail: Details for developers.
        cause: The exception that the pool raised; kept as the ``__cause__`` of the error, for logs.
    """
    code, sentence = REASONS[reason]
    error = WorkerError(code, f"{tool.name} {sentence}", detail)
    error.__cause__ = cause
    return error


def worker_refusal(tool: Tool, refused: WireRefusal) -> WorkerError:
    """Return the error for a call that a worker refused, with the problems of the arguments or the result."""
    if refused.reason == "invalid_arguments":
        problems = tuple(Problem(path, message) for path, message in refused.problems)
        message = f"the arguments of {tool.name} are not valid where it runs; it was not run:"
        unexposed = tuple(Problem(path, "cannot be decoded") for path, _ in refused.problems)
        reserved = (message, unexposed) if refused.reserved else None
        return WorkerError("invalid_arguments", message, problems=problems, reserved=reserved)
    if refused.reason == "unencodable":
        message = f"{tool.name} ran, but its result cannot be shown"
        reserved = (message, ()) if refused.reserved else None
        return WorkerError("unencodable_result", f"{message}: {refused.detail}", reserved=reserved)
    return worker_error(tool, refused.reason, refused.detail)


# --- The text of an exception ---

_MOST_INNER: Final = 5

_STATUS_NAMES: Final = ("status_code", "status")


def exception_text(exception: BaseException) -> str:
    """Return the message of an exception, followed by its HTTP status if it has one.

    The text of an exception group contains the messages of its exceptions (PEP 654). The text of a `ToolError` is only its message.
    """
    text = exception_message(exception)
    if isinstance(exception, ToolError):
        return text
    if isinstance(exception, BaseExceptionGroup):
        inner = list(_exceptions_in(exception))
        more = f"; and {len(inner) - _MOST_INNER} more" if len(inner) > _MOST_INNER else ""
        return f"{text}: {'; '.join(map(_typed_text, inner[:_MOST_INNER]))}{more}"
    status = _http_status(exception)
    if status is None or str(status) in text:
        return text
    return f"{text} (HTTP {status})" if text else f"HTTP {status}"


def _exceptions_in(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    """Yield the exceptions in a group and, in their place, those in groups within it; never a group."""
    waiting: list[BaseException] = [group]
    while waiting:
        each = waiting.pop()
        if isinstance(each, BaseExceptionGroup):
            waiting += reversed(each.exceptions)
        else:
            yield each


def _typed_text(exception: BaseException) -> str:
    """Return `Type: text` for an exception, or `Type` without a text; for a `ToolError`, the text if any."""
    text = exception_text(exception)
    if isinstance(exception, ToolError) and text:
        return text
    return with_type(exception, text)


def with_type(exception: BaseException, text: str) -> str:
    """Return `Type: text`, or the name of the exception's type alone if `text` is empty."""
    return f"{type(exception).__name__}: {text}" if text else type(exception).__name__


def _http_status(exception: BaseException) -> int | None:
    """Return the HTTP status, 400 to 599, of an exception or else of its `response`; None without one."""
    for holder in (exception, _attribute(exception, "response")):
        for name in _STATUS_NAMES:
            status = _attribute(holder, name)
            if isinstance(status, int) and 400 <= status <= 599:
                return int(status)
    return None


def _attribute(value: object, name: str) -> Any:
    """Return the attribute `name` of a value, or None if there is none or reading it fails."""
    try:
        return getattr(value, name, None)
    except Exception:  # noqa: BLE001  # a property of a foreign exception may raise anything
        return None


# --- Scrubbing ---

_MOST_CHARACTERS: Final = 2000

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-Z\\-_]")

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,16}\b")

# What pydantic writes after each of its errors: a link that helps no model
_FURTHER = re.compile(r"\n[ \t]*+For further information visit \w++://errors\.pydantic\.dev/\S++")

# Up to the end of the word, so that no character is read twice; a URL that begins with a host and a path has no credentials
_IN_URL = re.compile(r"""://(?![\w-]++(?:\.[\w-]++)++[/?#])((?:[^\s"'<>]++|["'](?![\s,:;)}\]]|$))++)""")


def scrub(text: str, secrets: Iterable[str] = ()) -> str:
    """Return `text` as a model may read it, cut to 2,000 characters.

    Terminal codes, memory addresses, links to pydantic's pages, credentials in URLs, and `secrets` are removed.
    """
    text = _FURTHER.sub("", _without_control_codes(text))
    text = Secrets(*map(_without_control_codes, secrets)).hide(text)
    text = _IN_URL.sub(_without_credentials, _ADDRESS.sub("0x…", text)).strip()
    if len(text) <= _MOST_CHARACTERS:
        return text
    return f"{text[:_MOST_CHARACTERS]}… ({len(text) - _MOST_CHARACTERS} more characters)"


def _without_credentials(url: re.Match[str]) -> str:
    """Return the text of `url` with `…` for what is between `://` and its last `@`, if anything is."""
    before, at, after = url[1].rpartition("@")  # the last `@`: a password may contain others
    return f"://…@{after}" if before and at else url[0]


def _without_control_codes(text: str) -> str:
    """Return `text` without ANSI sequences and control characters; tabs and line feeds stay."""
    return _CONTROL.sub("", _ANSI.sub("", text))
