"""What does a model read when a call fails? Golden tests hold every text here."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from fcregistry._base.call import CallError, Problem
from fcregistry._base.messages import json_path
from fcregistry._base.secrets import Secrets
from fcregistry._tools.names import nearest
from fcregistry.errors import CallCancelledError, ToolError, said_by
from fcregistry.execution._calling._threads import NoThreadError
from fcregistry.execution._calling._waiting import GivenUp
from fcregistry.execution._elsewhere._remote_errors import RemoteError, WorkerError
from fcregistry.execution._raised import told_by
from fcregistry.types import EncodingError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry._tools.tool import Tool
    from fcregistry.errors import PluginError
    from fcregistry.execution._settings import Exposure
    from fcregistry.types import Refusal

_MOST_CHARACTERS: Final = 2000
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-Z\\-_]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,16}\b")
# What pydantic writes after each of its errors: a link that helps no model
_FURTHER = re.compile(r"\n[ \t]*+For further information visit \w++://errors\.pydantic\.dev/\S++")
# Up to the end of the word, so that no character is read twice; what begins with a host and a path has no credentials before them
_IN_URL = re.compile(r"""://(?![\w-]++(?:\.[\w-]++)++[/?#])((?:[^\s"'<>]++|["'](?![\s,:;)}\]]|$))++)""")


def unknown_tool(name: str, names: Iterable[str]) -> CallError:
    """Word a call of a tool that there is not."""
    shown = name if len(name) <= 64 else f"{name[:64]}…"
    known = sorted(names)
    close = nearest(name[:200], known)
    if close:
        return CallError("unknown_tool", f"there is no tool {shown!r}; did you mean {close[0]!r}?")
    if not known:
        return CallError("unknown_tool", f"there is no tool {shown!r}; there are none")
    listed = ", ".join(known[:20]) + (f", … ({len(known)} tools)" if len(known) > 20 else "")
    return CallError("unknown_tool", f"there is no tool {shown!r}; the tools are {listed}")


def invalid_arguments(name: str, problems: tuple[Problem, ...]) -> CallError:
    """Word arguments that the schema does not accept."""
    return CallError("invalid_arguments", f"the arguments of {name} are not valid; it was not run:", problems)


def refused(tool: Tool, refusal: Refusal, expose: Exposure = "all") -> CallError:
    """Word arguments that the schema accepts and their types do not; where something else was raised, its words only if all are for the model."""
    reserved = expose == "tool-errors" and refusal.__cause__ is not None
    reason = "cannot be decoded" if reserved else scrub(refusal.reason, _secrets(tool))
    return invalid_arguments(tool.name, (Problem(json_path(refusal.path), reason),))


def unavailable(tool: Tool) -> CallError:
    """Word a tool whose environment is not set."""
    missing = ", ".join(tool.missing_env)
    return CallError("unavailable", f"{tool.name} is not available here: the environment variable {missing} is not set")


def not_to_be_had(error: PluginError) -> CallError:
    """Word a tool whose plugin does not load, or ships something else than it was described as."""
    return CallError("unavailable", f"the tool is not available: {scrub(str(error))}", exception=error)


def approval_required(name: str) -> CallError:
    """Word a tool that needs approval where nobody can be asked."""
    return CallError("approval_required", f"{name} requires approval, and nobody is there to give it; it was not run")


def denied(name: str) -> CallError:
    """Word a tool whose call was not approved."""
    return CallError("denied", f"the call of {name} was denied; it was not run")


def approval_failed(name: str, error: BaseException) -> CallError:
    """Word a call whose approval could not be asked for; the developer finds the reason in the log."""
    from logging import getLogger  # only on the way to an error

    getLogger("fcregistry").error("approval of %s could not be asked for", name, exc_info=error)
    return CallError("denied", f"{name} was not run: asking for its approval failed", exception=error)


def unencodable(tool: Tool, error: BaseException, expose: Exposure = "all") -> CallError:
    """Word a result that has no JSON form, or that cannot be asked for what it holds.

    Args:
        tool: The tool.
        error: What was raised; of anything but an `EncodingError`, the words are its author's.
        expose: Whether a model reads these.
    """
    if expose == "tool-errors" and not isinstance(error, EncodingError):
        return CallError("unencodable_result", f"{tool.name} ran, but its result cannot be shown", exception=error)
    reason = scrub(said_by(error), _secrets(tool))
    if not isinstance(error, EncodingError):
        reason = f"{type(error).__name__}: {reason}" if reason else type(error).__name__
    return CallError(
        "unencodable_result", f"{tool.name} ran, but its result cannot be shown: {reason}", exception=error
    )


def misfit(tool: Tool, problems: Iterable[Problem]) -> CallError:
    """Word a result that is not what its tool's return schema promises."""
    said = "; ".join(f"{problem.path} {problem.message}" for problem in problems)
    reason = scrub(said, _secrets(tool))
    return CallError("unencodable_result", f"{tool.name} ran, but its result is not what it promises: {reason}")


def cancelled_before(tool: Tool, reason: str) -> CallError:
    """Word a call that was cancelled before it began."""
    return CallError("cancelled", f"the call of {tool.name} was cancelled{_because(tool, reason)}; it was not run")


def given_up(tool: Tool, end: GivenUp) -> CallError:
    """Word a call that nobody waits for any more: its time was up, or it was cancelled."""
    if end.why == "cancelled":
        message = f"{tool.name} was cancelled before it was done{_because(tool, end.reason)}"
        return CallError("cancelled", message, exception=end)
    again = bool(tool.options.idempotent or tool.options.read_only)
    now = "it was stopped" if end.stopped else "it may still be running"
    message = f"{tool.name} did not answer within {end.seconds:g} second{'' if end.seconds == 1 else 's'}; {now}"
    return CallError("timeout", message, retryable=again, exception=end)


def not_checked(name: str, end: GivenUp) -> CallError:
    """Word a call whose arguments took longer to check than it may take, or that was cancelled meanwhile."""
    if end.why == "cancelled":
        return CallError("cancelled", f"the call of {name} was cancelled; it was not run")
    seconds = f"{end.seconds:g} second{'' if end.seconds == 1 else 's'}"
    message = f"the arguments of {name} could not be checked within {seconds}; it was not run. Send less at once"
    return CallError("timeout", message, exception=end)


def no_thread(error: Exception) -> CallError:
    """Word a call that no thread can take now."""
    return CallError("unavailable", f"the call cannot run now: {error}", retryable=True, exception=error)


def _because(tool: Tool, reason: str) -> str:
    return f" ({scrub(reason, _secrets(tool))})" if reason else ""


def tool_failed(tool: Tool, exception: BaseException, expose: Exposure = "all") -> CallError:
    """Word what a tool raised: a `ToolError` in its own words, anything else by type and message, both scrubbed and bounded.

    Args:
        tool: The tool.
        exception: What it raised, or what says that nobody waited for it.
        expose: Whether a model reads what is no `ToolError`.
    """
    if isinstance(exception, GivenUp):
        return given_up(tool, exception)
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
    said = scrub(told_by(exception), _secrets(tool))
    if from_tool and isinstance(exception, (ToolError, RemoteError)):
        return CallError(
            "tool_failed",
            said or f"{tool.name} failed",
            retryable=exception.retryable,
            retry_after=exception.retry_after,
            exception=exception,
        )
    return CallError("tool_failed", f"{kind}: {said}" if said else kind, exception=exception)


def _secrets(tool: Tool) -> tuple[str, ...]:
    return tuple(os.environ.get(name, "") for name in tool.options.requires_env)


def scrub(text: str, secrets: Iterable[str] = ()) -> str:
    """Return a text without terminal codes, memory addresses, links to pydantic's pages, credentials in URLs and given secrets, bounded."""
    text = _FURTHER.sub("", _plain(text))
    text = Secrets(*map(_plain, secrets)).hide(text)
    text = _IN_URL.sub(_without_credentials, _ADDRESS.sub("0x…", text)).strip()
    if len(text) <= _MOST_CHARACTERS:
        return text
    return f"{text[:_MOST_CHARACTERS]}… ({len(text) - _MOST_CHARACTERS} more characters)"


def _without_credentials(url: re.Match[str]) -> str:
    before, at, after = url[1].rpartition("@")  # the last one: a password may hold others
    return f"://…@{after}" if before and at else url[0]


def _plain(text: str) -> str:
    return _CONTROL.sub("", _ANSI.sub("", text))
