"""What does a model read when a call fails? Golden tests hold every text here."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from fcregistry._calls import Problem
from fcregistry._problems import json_path
from fcregistry._results import CallError
from fcregistry.errors import ToolError, said_by
from fcregistry.types import EncodingError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry._tool import Tool
    from fcregistry.types import Refusal

_MOST_CHARACTERS: Final = 2000
_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[@-Z\\-_]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,16}\b")
_CREDENTIALS = re.compile(r"(?<=://)[^/\s@]{1,200}@")


def unknown_tool(name: str, names: Iterable[str]) -> CallError:
    """Word a call of a tool that there is not."""
    from difflib import get_close_matches  # only on the way to an error

    shown = name if len(name) <= 64 else f"{name[:64]}…"
    known = sorted(names)
    close = get_close_matches(name[:200], known, n=1)
    if close:
        return CallError("unknown_tool", f"there is no tool {shown!r}; did you mean {close[0]!r}?")
    if not known:
        return CallError("unknown_tool", f"there is no tool {shown!r}; there are none")
    listed = ", ".join(known[:20]) + (f", … ({len(known)} tools)" if len(known) > 20 else "")
    return CallError("unknown_tool", f"there is no tool {shown!r}; the tools are {listed}")


def invalid_arguments(name: str, problems: tuple[Problem, ...]) -> CallError:
    """Word arguments that the schema does not accept."""
    return CallError("invalid_arguments", f"the arguments of {name} are not valid; it was not run:", problems)


def refused(tool: Tool, refusal: Refusal) -> CallError:
    """Word arguments that the schema accepts and their types do not."""
    return invalid_arguments(tool.name, (Problem(json_path(refusal.path), scrub(refusal.reason, _secrets(tool))),))


def unavailable(tool: Tool) -> CallError:
    """Word a tool whose environment is not set."""
    missing = ", ".join(tool.missing_env)
    return CallError("unavailable", f"{tool.name} is not available here: the environment variable {missing} is not set")


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


def unencodable(tool: Tool, error: Exception) -> CallError:
    """Word a result that has no JSON form, or that cannot be asked for what it holds."""
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


def tool_failed(tool: Tool, exception: BaseException) -> CallError:
    """Word what a tool raised: a `ToolError` in its own words, anything else by type and message, both scrubbed and bounded."""
    if type(exception).__name__ == "CancelledError":  # asyncio's, which is not imported here for its name alone
        return CallError("cancelled", f"{tool.name} was cancelled before it was done", exception=exception)
    said = scrub(said_by(exception), _secrets(tool))
    if isinstance(exception, ToolError):
        return CallError(
            "tool_failed",
            said or f"{tool.name} failed",
            retryable=exception.retryable,
            retry_after=exception.retry_after,
            exception=exception,
        )
    kind = type(exception).__name__
    return CallError("tool_failed", f"{kind}: {said}" if said else kind, exception=exception)


def _secrets(tool: Tool) -> tuple[str, ...]:
    return tuple(os.environ.get(name, "") for name in tool.options.requires_env)


def scrub(text: str, secrets: Iterable[str] = ()) -> str:
    """Return a text without terminal codes, memory addresses, credentials in URLs and given secrets, bounded."""
    text = _plain(text)
    for secret in map(_plain, secrets):
        if secret:
            text = text.replace(secret, "…")
    text = _CREDENTIALS.sub("…@", _ADDRESS.sub("0x…", text)).strip()
    if len(text) <= _MOST_CHARACTERS:
        return text
    return f"{text[:_MOST_CHARACTERS]}… ({len(text) - _MOST_CHARACTERS} more characters)"


def _plain(text: str) -> str:
    return _CONTROL.sub("", _ANSI.sub("", text))
