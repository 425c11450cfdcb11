"""How much of a result does a model read, and what is it told of the rest?

MERGED: How does what a tool returned or raised become a result?
MERGED: What does a model read of a value that a tool returned?
MERGED: Where is a text cut that is too long, so that what is left of it does not mislead?
MERGED: Where is the whole of a result kept that is too long for a model? In a file, under a name that is told from what is in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from json import loads
from typing import TYPE_CHECKING, Any

from fcregistry._base import forks as _forks
from fcregistry._base.call import CallError, ToolCall
from fcregistry._results.content import Content, Output, ToolOutput, text_of
from fcregistry._results.result import Notes, ToolResult
from fcregistry.execution._messages import misfit, tool_failed, unencodable
from fcregistry.execution._retry import with_attempts
from fcregistry.types import EncodingError, to_json_text

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._outcome import Outcome
    from fcregistry.execution._settings import Settings
    from fcregistry.execution._step import CallStep
    from fcregistry.types import Codec

# --- execution._writing._outcome ---


def finished(
    step: CallStep, outcome: Outcome | CallError, settings: Settings, notes: Notes | None = None
) -> ToolResult:
    """Encode what came of a call, and make the result of it.

    Args:
        step: The call.
        outcome: What came of it, or why it was not run.
        settings: What the executor was told.
        notes: What is to be said of how it came about.

    Raises:
        KeyboardInterrupt: The call was interrupted: that is the user's, and no result.
    """
    born = _forks.generation
    try:
        result = _result(step, outcome, settings, notes)
    except BaseException as error:
        if _forks.generation != born:
            _forks.end_child(error)
        raise
    if _forks.generation != born:  # what a value or an exception does while it is read is foreign code, too
        _forks.end_child()
    return result


def _result(step: CallStep, outcome: Outcome | CallError, settings: Settings, notes: Notes | None) -> ToolResult:
    if isinstance(outcome, CallError):
        return _failed(step, outcome, notes)
    tool = step.bound.tool
    value, exception, duration = outcome
    if isinstance(exception, KeyboardInterrupt):
        raise exception
    if exception is not None:
        error = tool_failed(tool, exception, settings.expose_errors)
        return _failed(step, with_attempts(error, 1 if notes is None else notes.attempts), notes, duration)
    try:
        made = output_of(value, step.bound.signature.returns)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # foreign code: encoding a value reads its properties, which may raise anything
        return _failed(step, unencodable(tool, error, settings.expose_errors), notes, duration)
    if step.bound.results is not None and isinstance(made, str):
        problems = step.bound.results.problems(made if isinstance(value, str) else loads(made))
        if problems:
            return _failed(step, misfit(tool, problems), notes, duration)
    if settings.limits is not None:
        made = settings.limits.applied(made, value)
    if isinstance(made, str):
        return ToolResult(step.call, value, None, made, tool, step.decoded, duration, step.repairs, None, notes)
    return ToolResult(
        step.call, made.value, None, made.content, tool, step.decoded, duration, step.repairs, made, notes
    )


def _failed(step: CallStep, error: CallError, notes: Notes | None, duration: float = 0.0) -> ToolResult:
    tool = step.bound.tool
    return ToolResult(step.call, None, error, error.text, tool, step.decoded, duration, step.repairs, None, notes)


def failed_result(
    call: ToolCall | None,
    error: CallError,
    tool: Tool | None = None,
    repairs: tuple[str, ...] = (),
    arguments: Mapping[str, Any] | None = None,
    duration: float = 0.0,
) -> ToolResult:
    """Return the result of a call that failed; the model reads the error's text."""
    return ToolResult(call, None, error, error.text, tool, arguments, duration, repairs)


# --- execution._writing._output ---


def output_of(value: Any, returns: Codec | None) -> str | Output:
    """Return the text for the model, or an `Output` where a tool returned more than that.

    A string is shown as it is. Anything else is JSON: by the return annotation where the value is of it, by its own type otherwise. What
    has no JSON form may be `Content`, a list with some in it, or a `ToolOutput`: that is looked for last, so that it costs others nothing.

    Args:
        value: What the tool returned.
        returns: The codec of its return annotation, if there is one.

    Raises:
        EncodingError: The value has no JSON form.
        Exception: Whatever the value's own code raises while it is read.
    """
    if isinstance(value, str):
        return str.__str__(value)
    try:
        if returns is not None and not returns.natural and returns.handles(value):
            return to_json_text(returns.encode(value))
        return to_json_text(value)
    except EncodingError as error:
        parts = _parts(value)
        if parts is None:
            raise _advised(error) from None
    return Output(value.value if isinstance(value, ToolOutput) else value, text_of(parts), parts)


def _parts(value: Any) -> tuple[Content, ...] | None:
    """Return the pieces of content that a value is; None if it is none."""
    if isinstance(value, ToolOutput):
        return value.content
    if isinstance(value, Content):
        return (value,)
    if isinstance(value, (list, tuple)) and any(isinstance(item, Content) for item in value):
        return tuple(map(_part, value))
    return None


def _part(item: Any) -> Content:
    """Return an item of a list of content: one itself, a text, or JSON, by the rule for values."""
    if isinstance(item, Content):
        return item
    try:
        return Content.text(item) if isinstance(item, str) else Content.json(item)
    except EncodingError as error:
        raise _advised(error) from None


def _advised(error: EncodingError) -> EncodingError:
    """Return an error that says what to do about content that stands where it cannot: inside of a value."""
    for cls in (Content, ToolOutput):
        if f" {cls.__module__}.{cls.__qualname__} " in str(error):
            return EncodingError(
                f"{cls.__name__} cannot stand inside of a value; return it by itself"
                + (", in a list, or in a ToolOutput" if cls is Content else "")
            )
    return error
