"""Hooks before and after every call: they see it, change it or stop it.

A hook that fails lets nothing through.

Each hook is given copies: what was validated is what runs, whatever a hook does with what it is shown.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fcregistry._base.call import CallError, ToolCall
from fcregistry._results.result import ToolResult
from fcregistry.execution._approval import Deny
from fcregistry.execution._arguments import read_arguments
from fcregistry.execution._messages import denied_because, scrub
from fcregistry.execution._result import failed_result
from fcregistry.execution._step import copy_json, exact_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fcregistry._tools.tool import Tool
    from fcregistry.errors import PluginError


@dataclass(frozen=True, slots=True, kw_only=True)
class CallHook:
    """The hooks of one extension or one object.

    Attributes:
        label: Its name in logs.
        before: Called before each call, if it is there.
        after: Called after each call, if it is there.
    """

    label: str
    before: Callable[[Tool, ToolCall], object] | None = None
    after: Callable[[Tool, ToolCall, ToolResult], object] | None = None


class HookChain:
    """Hooks in their order: before a call the first one is called first, after it the last one.

    Args:
        hooks: The hooks.
    """

    __slots__ = ("_after", "_before")

    def __init__(self, hooks: Sequence[CallHook]) -> None:
        self._before = tuple((hook.label, hook.before) for hook in hooks if hook.before is not None)
        self._after = tuple((hook.label, hook.after) for hook in reversed(hooks) if hook.after is not None)

    def before(self, tool: Tool, call: ToolCall) -> ToolCall | CallError | None:
        """Call each hook with the call as those before it left it; the first that denies it ends that."""
        text = None
        given = call
        for label, hook in self._before:
            try:
                answer = hook(tool, _copy_call(given))
                if isinstance(answer, Deny):
                    return denied_because(tool.name, answer.reason)
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
        """Call each hook with the result as those before it left it."""
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
    """Refuses every call, because a hook that has to check every call does not load.

    Args:
        error: Says which one, and why.
    """

    __slots__ = ("_error",)

    def __init__(self, error: PluginError) -> None:
        self._error = error

    def before(self, tool: Tool, call: ToolCall) -> CallError:
        """Refuse every call."""
        text = f"{tool.name} is not available here: the hook that checks every call does not load; it was not run"
        return CallError("unavailable", text, exception=self._error)

    def after(self, tool: Tool, call: ToolCall, result: ToolResult) -> ToolResult:
        """Leave the refusal as it is."""
        return result


# --- What a hook returned ---


def _copy_call(call: ToolCall) -> ToolCall:
    given = call.arguments
    return ToolCall(call.name, read_arguments(given, True)[0] if isinstance(given, str) else copy_json(given), call.id)


def _changed_arguments(call: ToolCall, answer: object) -> str:
    """Return the arguments that a hook put in place of a call's, as JSON text.

    The hook has no reference to the text.

    Raises:
        TypeError: It is not a call of the same tool.
        ValueError: Its arguments are not a JSON object.
    """
    if not isinstance(answer, ToolCall):
        raise TypeError(f"fc_before_call returns None, a ToolCall or Deny('why'), not {_kind(answer)}")
    if answer.name != call.name:
        raise TypeError(
            f"fc_before_call changes arguments, not the tool: it was given {call.name}, and returned another"
        )
    given = answer.arguments
    if isinstance(given, str):
        return given
    return exact_text(given if isinstance(given, dict) else read_arguments(given)[0])


def _checked_result(result: ToolResult, answer: object) -> ToolResult:
    if not isinstance(answer, ToolResult):
        raise TypeError(f"fc_after_call returns None, a ToolResult or Deny('why'), not {_kind(answer)}")
    before, after = result.call, answer.call
    if (
        before is None
        or after is None
        or (after.name, after.id) != (before.name, before.id)
        or answer.tool is not result.tool
    ):
        raise TypeError("fc_after_call returns a result of the same call and tool: keep result.call and result.tool")
    return answer


def _kind(answer: object) -> str:
    if inspect.iscoroutine(answer):
        answer.close()  # or Python would warn later that it was never awaited
        return "a coroutine: hooks are plain functions"
    return type(answer).__name__


# --- What a model reads ---


def _without_value(tool: Tool, result: ToolResult, text: str, exception: BaseException | None = None) -> ToolResult:
    """Return a result without what the tool returned, or why it failed, but with the code of that failure."""
    old = result.error
    if old is None:
        error = CallError("unencodable_result", f"{tool.name} ran, but {text}", exception=exception)
    else:
        message = f"{tool.name} was not carried out ({old.code}); {text}"
        error = CallError(old.code, message, retryable=old.retryable, retry_after=old.retry_after, exception=exception)
    return failed_result(result.call, error, tool, result.repairs, result.arguments, result.duration)


def _log(message: str, label: str, name: str, error: BaseException) -> None:
    from logging import getLogger  # only on the way to an error

    getLogger("fcregistry").error(message, label, name, exc_info=error)
