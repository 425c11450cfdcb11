"""How does what a tool returned or raised become a result?"""

from __future__ import annotations

from collections.abc import Mapping
from json import loads
from typing import TYPE_CHECKING, Any

from fcregistry._calls import ToolCall
from fcregistry._results import CallError, ToolResult
from fcregistry.execution._wording import misfit, tool_failed, unencodable
from fcregistry.types import to_json_text

if TYPE_CHECKING:
    from fcregistry._signature import Signature
    from fcregistry._tool import Tool
    from fcregistry.execution._invoke import Outcome
    from fcregistry.execution._steps import Step


def finished(step: Step, outcome: Outcome | CallError) -> ToolResult:
    """Encode what came of a call, and make the result of it.

    Raises:
        KeyboardInterrupt: The call was interrupted: that is the user's, and no result.
    """
    tool = step.bound.tool
    if isinstance(outcome, CallError):
        return failure(step.call, outcome, tool, step.repairs, step.decoded)
    value, exception, duration = outcome
    if isinstance(exception, KeyboardInterrupt):
        raise exception
    if exception is not None:
        return failure(step.call, tool_failed(tool, exception), tool, step.repairs, step.decoded, duration)
    try:
        content = str.__str__(value) if isinstance(value, str) else _content(value, step.bound.signature)
    except Exception as error:  # noqa: BLE001  # foreign code: encoding a value reads its properties, which may raise
        return failure(step.call, unencodable(tool, error), tool, step.repairs, step.decoded, duration)
    if step.bound.results is not None:
        problems = step.bound.results.problems(content if isinstance(value, str) else loads(content))
        if problems:
            return failure(step.call, misfit(tool, problems), tool, step.repairs, step.decoded, duration)
    return ToolResult(step.call, value, None, content, tool, step.decoded, duration, step.repairs)


def _content(value: Any, signature: Signature) -> str:
    """Return the JSON text of a result: by the return annotation where the value is of it, by its own type otherwise."""
    returns = signature.returns
    if returns is not None and not returns.natural and returns.handles(value):
        value = returns.encode(value)
    return to_json_text(value)


def failure(
    call: ToolCall | None,
    error: CallError,
    tool: Tool | None = None,
    repairs: tuple[str, ...] = (),
    arguments: Mapping[str, Any] | None = None,
    duration: float = 0.0,
) -> ToolResult:
    """Return the result of a call that failed; the model reads the error's text."""
    return ToolResult(call, None, error, error.text, tool, arguments, duration, repairs)
