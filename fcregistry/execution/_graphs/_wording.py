"""What does a model read of an expression that did not run, or of a call in it?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry._base.call import CallError, Problem
from fcregistry.errors import PluginError
from fcregistry.execution._wording import not_to_be_had

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fcregistry._results.result import ToolResult
    from fcregistry.expressions import ExpressionError


def unreadable(error: ExpressionError | PluginError) -> CallError:
    """Word an expression that is no call, or one of a tool that is not to be had."""
    if isinstance(error, PluginError):
        return not_to_be_had(error)
    problems = tuple(
        Problem(each.path, f"{each.message} (line {each.line}, column {each.column})") for each in error.problems
    )
    return CallError(error.code, "the expression is no call that can be made; nothing was run:", problems)


def without_result(name: str, inner: ToolResult) -> CallError:
    """Word a call that needs the result of one that failed."""
    return _because(
        f"{name} was not run, since it needs the result of {_name(inner)}, which failed: {_text(inner)}", inner
    )


def beside_refused(name: str, refused: Sequence[ToolResult]) -> CallError:
    """Word a call of an expression of which others were refused before anything ran."""
    said = f"{name} was not run, since nothing of an expression runs before all of it may, and"
    if len(refused) == 1:
        return _because(f"{said} {_name(refused[0])} may not: {_text(refused[0])}", refused[0])
    lines = [f"- {_name(each)}: {_text(each)}" for each in refused]
    return _because("\n".join([f"{said} these may not:", *lines]), refused[0])


def _name(result: ToolResult) -> str:
    return "another call" if result.call is None else result.call.name


def _text(result: ToolResult) -> str:
    return "" if result.error is None else result.error.text


def _because(message: str, inner: ToolResult) -> CallError:
    error = inner.error
    if error is None:
        return CallError("malformed_call", message)
    return CallError(
        error.code, message, retryable=error.retryable, retry_after=error.retry_after, exception=error.exception
    )
