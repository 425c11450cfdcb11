"""Results of calls: what a model reads of a value that a tool returned, or of an error."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from json import loads
from typing import TYPE_CHECKING, Any

from fcregistry._base import forks as _forks
from fcregistry._base.call import CallError, ToolCall
from fcregistry._results.content import Content, Output, ToolOutput, text_of
from fcregistry._results.result import Notes, ToolResult
from fcregistry.execution._call_errors import (
    explain_to_author,
    result_mismatch,
    tool_failed,
    unencodable,
    with_attempts,
)
from fcregistry.types import EncodingError, NotFiniteError, to_json_text, write_non_finite

if TYPE_CHECKING:
    from fcregistry._base.call import Problem
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._invoke import Outcome
    from fcregistry.execution._settings import Settings
    from fcregistry.execution._step import Bound, CallStep
    from fcregistry.types import Codec


def make_result(
    step: CallStep, outcome: Outcome | CallError, settings: Settings, notes: Notes | None = None
) -> ToolResult:
    """Return the result of a call: its encoded value, or the error for its exception.

    Args:
        step: The call.
        outcome: The outcome of running it, or the error that says why it was not run.
        settings: The executor's settings.
        notes: Attempts, caching and approval, for the developer.

    Raises:
        KeyboardInterrupt: The user interrupted the call.
    """
    generation_before = _forks.generation
    try:
        result = _make_result(step, outcome, settings, notes)
    except BaseException as error:  # a forked child must not run the parent's program, whatever is raised
        _forks.end_if_forked(generation_before, error)
        raise
    _forks.end_if_forked(generation_before)  # reading a value or an exception runs foreign code, too
    return result


def _make_result(step: CallStep, outcome: Outcome | CallError, settings: Settings, notes: Notes | None) -> ToolResult:
    """Return the result of a call, as `make_result` does, without the check for forks.

    The result has failed if the outcome is an error or has an exception, if the value cannot be encoded, or does not
    match the tool's schema of results. Otherwise its content is cut to the limits of `settings`.

    Raises:
        KeyboardInterrupt: The outcome has it, or encoding the value raises it.
    """
    if isinstance(outcome, CallError):
        return _failed(step, outcome, notes)
    tool = step.bound.tool
    value, exception, duration = outcome
    if isinstance(exception, KeyboardInterrupt):
        raise exception
    if exception is not None:
        explain_to_author(tool, exception)
        error = tool_failed(tool, exception, settings.expose_errors)
        return _failed(step, with_attempts(error, 1 if notes is None else notes.attempts), notes, duration)
    try:
        made = output_of(value, step.bound.signature.returns, nulls=step.bound.nulls)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # foreign code: encoding a value reads its properties, which may raise anything
        return _failed(step, unencodable(tool, error, settings.expose_errors), notes, duration)
    if step.bound.results is not None:
        try:
            problems = _result_problems(made, value, step.bound)
        except EncodingError as error:  # in the value beside the content
            return _failed(step, unencodable(tool, error, settings.expose_errors), notes, duration)
        if problems:
            return _failed(step, result_mismatch(tool, problems), notes, duration)
    if settings.limits is not None:
        made = settings.limits.apply(made, value)
    if isinstance(made, str):
        return ToolResult(step.call, value, None, made, tool, step.decoded, duration, step.repairs, None, notes)
    return ToolResult(
        step.call, made.value, None, made.content, tool, step.decoded, duration, step.repairs, made, notes
    )


def _result_problems(made: str | Output, value: Any, bound: Bound) -> tuple[Problem, ...]:
    """Return the problems of a result by the tool's schema of results.

    Content has no schema. An external schema describes the value beside the content, too.

    Args:
        made: The encoded result.
        value: The value that the tool returned.
        bound: The tool, with the validator of its results.

    Raises:
        EncodingError: The value beside the content has no JSON form.
    """
    assert bound.results is not None
    if isinstance(made, str):
        return bound.results.problems(made if isinstance(value, str) else loads(made))
    if bound.signature.returns is None and isinstance(value, ToolOutput):
        with write_non_finite("null") if bound.nulls else nullcontext():
            text = to_json_text(value.value)
        return bound.results.problems(loads(text))
    return ()


def _failed(step: CallStep, error: CallError, notes: Notes | None, duration: float = 0.0) -> ToolResult:
    """Return the failed result of a call, whose content is the text of `error`; `duration` is in seconds."""
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
    """Return the failed result of a call, prepared or not; the model reads the error's text."""
    return ToolResult(call, None, error, error.text, tool, arguments, duration, repairs)


# --- What a model reads of a value ---


def output_of(value: Any, returns: Codec | None, *, nulls: bool = False) -> str | Output:
    """Return the text for the model, or an `Output` if a tool returned content.

    A string is shown as it is. Any other value is encoded as JSON: by the return annotation if the value is of that type, by its own type
    otherwise. A value without a JSON form may be `Content`, a list with `Content` in it, or a `ToolOutput`; these are tried last, so that
    other values do not pay for them.

    Args:
        value: The value that the tool returned.
        returns: The codec of its return annotation, if there is one.
        nulls: Whether to write null for numbers that are not finite.

    Raises:
        EncodingError: The value has no JSON form.
        Exception: Whatever the value's own code raises while it is read.
    """
    try:
        return _output_of(value, returns)
    except NotFiniteError:
        if not nulls:
            raise
    with write_non_finite("null"):
        return _output_of(value, returns)


def _output_of(value: Any, returns: Codec | None) -> str | Output:
    """Return what `output_of` returns; it raises the same. `NotFiniteError` is one of its `EncodingError`s."""
    if isinstance(value, str):
        return str.__str__(value)
    try:
        if returns is not None and not returns.natural and returns.handles(value):
            return to_json_text(returns.encode(value))
        return to_json_text(value)
    except EncodingError as error:
        parts = _content_of(value)
        if parts is None:
            raise _with_advice(error) from None
    return Output(value.value if isinstance(value, ToolOutput) else value, text_of(parts), parts)


def _content_of(value: Any) -> tuple[Content, ...] | None:
    """Return the content of a `ToolOutput`, a `Content`, or a list or tuple with one; else None.

    Raises:
        EncodingError: Another item of the list has no JSON form.
    """
    if isinstance(value, ToolOutput):
        return value.content
    if isinstance(value, Content):
        return (value,)
    if isinstance(value, (list, tuple)) and any(isinstance(item, Content) for item in value):
        return tuple(map(_content_item, value))
    return None


def _content_item(item: Any) -> Content:
    """Return an item of a list with content as `Content`: itself, a text for a string, else JSON.

    Raises:
        EncodingError: The item has no JSON form.
    """
    if isinstance(item, Content):
        return item
    try:
        return Content.text(item) if isinstance(item, str) else Content.json(item)
    except EncodingError as error:
        raise _with_advice(error) from None


def _with_advice(error: EncodingError) -> EncodingError:
    """Return `error`, or one with advice if it is about a `Content` or `ToolOutput` inside of a value."""
    for cls in (Content, ToolOutput):
        if f" {cls.__module__}.{cls.__qualname__} " in str(error):
            return EncodingError(
                f"{cls.__name__} cannot be part of a value; return it by itself"
                + (", in a list, or in a ToolOutput" if cls is Content else "")
            )
    return error
