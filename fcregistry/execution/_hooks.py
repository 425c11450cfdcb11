"""Hooks, which run before and after every call and can change or deny it.

If a hook before a call fails, the executor refuses the call. If a hook after a call fails, the executor does not return the result.

Each hook receives copies. A hook that changes its copy does not change the validated arguments with which the tool runs.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fcregistry._base.call import CallError, ToolCall
from fcregistry._results.result import ToolResult
from fcregistry.execution._approval import Deny
from fcregistry.execution._arguments import copy_json, exact_text, read_arguments
from fcregistry.execution._call_errors import denied, scrub
from fcregistry.execution._result import failed_result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fcregistry._tools.tool import Tool
    from fcregistry.errors import PluginError


@dataclass(frozen=True, slots=True, kw_only=True)
class CallHook:
    """The hooks of one extension, or of one object that the application passed.

    Attributes:
        label: The name of the extension or object, for logs.
        before: The function to call before each call; None if there is none.
        after: The function to call after each call; None if there is none.
    """

    label: str
    before: Callable[[Tool, ToolCall], object] | None = None
    after: Callable[[Tool, ToolCall, ToolResult], object] | None = None


class HookChain:
    """The hooks of an executor.

    Before a call, the hooks run in the given order; after a call, in the reverse order. With the hooks `a` and `b`, the order is
    `a.before`, `b.before`, the call, `b.after`, `a.after`.

    Args:
        hooks: The hooks, in order.
    """

    __slots__ = ("_after", "_before")

    def __init__(self, hooks: Sequence[CallHook]) -> None:
        self._before = tuple((hook.label, hook.before) for hook in hooks if hook.before is not None)
        self._after = tuple((hook.label, hook.after) for hook in reversed(hooks) if hook.after is not None)

    def before(self, tool: Tool, call: ToolCall) -> ToolCall | CallError | None:
        """Run the hooks before a call.

        Each receives the call with the changes of the earlier ones. If one denies the call, the others do not run.

        Args:
            tool: The tool.
            call: The call.

        Returns:
            The changed call, the error if a hook denied the call or failed, or None if no hook changed the call.
        """
        text = None
        given = call
        for label, hook in self._before:
            try:
                answer = hook(tool, _copy_call(given))
                if isinstance(answer, Deny):
                    return denied(tool.name, answer.reason)
                if answer is not None:
                    text = _changed_arguments(call, answer)
                    given = ToolCall(call.name, read_arguments(text, exact=True)[0], call.id)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001  # foreign code: whatever a hook raises, it has not let the call through
                _log("the hook %s failed before a call of %s, which was refused", label, tool.name, error)
                return CallError("denied", f"{tool.name} was not run: a check before it failed", exception=error)
        return None if text is None else ToolCall(call.name, text, call.id)

    def after(self, tool: Tool, call: ToolCall, result: ToolResult) -> ToolResult:
        """Run the hooks after a call, each with the result that the previous one returned.

        Args:
            tool: The tool.
            call: The call.
            result: The result of the call.
        """
        for label, hook in self._after:
            try:
                answer = hook(tool, _copy_call(call), result)
                if isinstance(answer, Deny):
                    why = scrub(answer.reason)
                    result = _without_value(tool, result, f"its result is withheld{f': {why}' if why else ''}")
                elif answer is not None:
                    result = _checked_result(result, answer)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001  # foreign code: whatever a hook raises, it has not let the result through
                _log("the hook %s failed after a call of %s, whose result was withheld", label, tool.name, error)
                result = _without_value(tool, result, "its result is withheld: a check after it failed", error)
        return result


class ClosedHooks:
    """Refuses every call, because the configuration requires a hook that does not load.

    Args:
        error: The error that says which hook does not load, and why.
    """

    __slots__ = ("_error",)

    def __init__(self, error: PluginError) -> None:
        self._error = error

    def before(self, tool: Tool, call: ToolCall) -> CallError:
        """Refuse every call."""
        text = f"{tool.name} was not run: a hook that must check every call cannot be loaded"
        return CallError("unavailable", text, exception=self._error)

    def after(self, tool: Tool, call: ToolCall, result: ToolResult) -> ToolResult:
        """Return the refusal unchanged."""
        return result


# --- Answers of hooks ---


def _copy_call(call: ToolCall) -> ToolCall:
    """Return a copy of a call with deep copies of its arguments; arguments that are text are parsed.

    Raises:
        ArgumentsError: The text is not a JSON object.
    """
    given = call.arguments
    return ToolCall(call.name, read_arguments(given, True)[0] if isinstance(given, str) else copy_json(given), call.id)


def _changed_arguments(call: ToolCall, answer: object) -> str:
    """Return the arguments of `answer`, a hook's call, as JSON text; a text is returned unchecked.

    Raises:
        TypeError: `answer` is not a `ToolCall`, or calls another tool.
        ValueError: Its arguments are not a JSON object.
    """
    if not isinstance(answer, ToolCall):
        raise TypeError(f"fc_before_call must return None, a ToolCall or Deny('why'), not {_kind(answer)}")
    if answer.name != call.name:
        raise TypeError(f"fc_before_call may change the arguments, not the tool: it must return a call of {call.name}")
    given = answer.arguments
    if isinstance(given, str):
        return given
    return exact_text(given if isinstance(given, dict) else read_arguments(given)[0])


def _checked_result(result: ToolResult, answer: object) -> ToolResult:
    """Return `answer` unchanged if it is a result of the same call and tool as `result`.

    Raises:
        TypeError: It is not, or one of them has no call.
    """
    if not isinstance(answer, ToolResult):
        raise TypeError(f"fc_after_call must return None, a ToolResult or Deny('why'), not {_kind(answer)}")
    before, after = result.call, answer.call
    if (
        before is None
        or after is None
        or (after.name, after.id) != (before.name, before.id)
        or answer.tool is not result.tool
    ):
        raise TypeError(
            "fc_after_call must return a result of the same call and tool: do not change result.call and result.tool"
        )
    return answer


def _kind(answer: object) -> str:
    """Return the type's name of what a hook returned; for a coroutine, which is closed, a phrase."""
    if inspect.iscoroutine(answer):
        answer.close()  # or Python would warn later that it was never awaited
        return "a coroutine: hooks must be plain functions"
    return type(answer).__name__


# --- What a model reads ---


def _without_value(tool: Tool, result: ToolResult, text: str, exception: BaseException | None = None) -> ToolResult:
    """Return a failed result without the value and message of `result`; its error ends with `text`.

    If the tool failed, the new error keeps its code and retry facts; otherwise the code is `unencodable_result`.
    """
    old = result.error
    if old is None:
        error = CallError("unencodable_result", f"{tool.name} ran, but {text}", exception=exception)
    else:
        message = f"{tool.name} was not carried out ({old.code}); {text}"
        error = CallError(old.code, message, retryable=old.retryable, retry_after=old.retry_after, exception=exception)
    return failed_result(result.call, error, tool, result.repairs, result.arguments, result.duration)


def _log(message: str, label: str, name: str, error: BaseException) -> None:
    """Log an error on the logger `fcregistry`, with the traceback of `error`.

    Args:
        message: The message, with a `%s` for each of `label` and `name`.
        label: The hook.
        name: The tool.
        error: What the hook raised.
    """
    from logging import getLogger  # only on the way to an error

    getLogger("fcregistry").error(message, label, name, exc_info=error)
