"""Logs and traces of calls. If a program has set up neither, a call pays for a single check.

A trace has a span `execute_tool NAME` for each call, as OpenTelemetry's semantic conventions have it: "Semantic conventions for generative AI
tool execution" (status: development), and "Recording errors". OpenTelemetry is not imported here: a program that traces has imported it.

The log has one record for each call that is done, on the logger `fcregistry.calls`; arguments and content only at level DEBUG.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager, nullcontext, suppress
from sys import modules
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.json import ArgumentsError
from fcregistry._version import __version__
from fcregistry.errors import ToolError
from fcregistry.execution._arguments import read_arguments
from fcregistry.execution._call_errors import scrub

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from logging import Logger

    from opentelemetry.trace import Span, Tracer

    from fcregistry._base.call import CallError, ToolCall
    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._step import CallStep


class Watch:
    """Traces and logs one call. An error in the tracing or logging does not reach the call.

    Args:
        tracer: Makes the call's span; None if the program does not trace.
    """

    __slots__ = ("_captures", "_span", "_step", "_tracer")

    def __init__(self, tracer: Tracer | None) -> None:
        self._tracer = tracer
        self._captures = tracer is not None and os.environ.get(CAPTURE, "").lower() in _ON_SPANS
        self._span: Span | None = None
        self._step: CallStep | None = None

    def start(self, step: CallStep) -> None:
        """Begin the span of a call that is about to run.

        It is not called for a call that is refused, or whose result is cached.
        """
        self._step = step
        with _isolated():
            self._start_span(step.bound.tool, step.call)

    def attempt(self) -> AbstractContextManager[object]:
        """Return a context manager for one attempt; spans that the tool makes are children of the call's."""
        if self._span is None:
            return nullcontext()
        context: AbstractContextManager[object] = modules["opentelemetry.trace"].use_span(
            self._span, record_exception=False, set_status_on_exception=False
        )
        return context

    def finish(self, result: ToolResult) -> None:
        """Log the result and end the span; for a call that did not run, a span is started and ended at once."""
        with _isolated():
            if self._span is None and result.tool is not None:
                self._start_span(result.tool, result.call)
            if self._span is not None:
                self._end_span(self._span, result)
        with _isolated():
            log_result(result, None if self._step is None else self._step.arguments)

    def abandon(self, error: BaseException) -> None:
        """Log that the call has no result, because of `error`, and end the span.

        The call's task was cancelled, or the program was interrupted.
        """
        with _isolated():
            if self._span is not None:
                _set_error(self._span, _type_name(error), None)
                self._span.end()
        with _isolated():
            log_end(self._step, error)

    def _start_span(self, tool: Tool, call: ToolCall | None) -> None:
        """Start the span of a call, with its attributes; do nothing if the program does not trace.

        The arguments are among them only if content is captured.
        """
        if self._tracer is None:
            return
        facts = _span_attributes(tool, None if call is None else call.id)
        if self._captures and self._step is not None:
            facts["gen_ai.tool.call.arguments"] = json.dumps(self._step.arguments)
        kind = modules["opentelemetry.trace"].SpanKind.INTERNAL
        self._span = self._tracer.start_span(f"execute_tool {tool.name}", kind=kind, attributes=facts)

    def _end_span(self, span: Span, result: ToolResult) -> None:
        """Set the attributes of a result on the span, and end it.

        They are the number of repairs and, for a failed call, its code, status and exception; otherwise the content,
        if it is captured.
        """
        if span.is_recording():
            span.set_attribute("fcregistry.call.repairs", len(result.repairs))
            if (error := result.error) is not None:
                span.set_attribute("fcregistry.call.code", error.code)
                raised, by_tool = error.exception, error.code in RAISED_BY_TOOLS
                if raised is not None:
                    span.record_exception(raised)
                # If the tool did not run, the message may repeat what a model wrote, and the code says enough.
                kind = _type_name(raised) if by_tool and raised is not None else error.code
                _set_error(span, kind, error.message if by_tool else None)
            elif self._captures:
                span.set_attribute("gen_ai.tool.call.result", result.content)
        span.end()


def new_watch() -> Watch | None:
    """Return a watch for a call that begins now, or None if the program neither traces nor logs calls.

    Failed calls are logged without a watch, too: see `log_failure`.
    """
    if "opentelemetry.trace" not in modules:  # as in most programs; first and inline, since every call pays for it
        logger = cached_logger
        if logger is not None and not logger.isEnabledFor(INFO):
            return None
    tracer = tracing()
    if tracer is None and logger_for(INFO) is None:
        return None
    return Watch(tracer)


def log_failure(result: ToolResult) -> None:
    """Log a failed call that has no watch, if the log takes warnings."""
    if logger_for(WARNING) is not None:
        with _isolated():
            log_result(result, None)


@contextmanager
def _isolated() -> Iterator[None]:
    """Log an `Exception` of the block, such as of a log handler, with its traceback; do not raise it."""
    try:
        yield
    except Exception:  # foreign code: whatever it raises, the call goes on
        from logging import getLogger  # only on the way to an error

        with suppress(Exception):  # logging itself may fail
            getLogger("fcregistry").exception("a call could not be logged or traced")


# --- The log: one record for each call, on the logger `fcregistry.calls` ---

LOGGER_NAME: Final = "fcregistry.calls"
"""The logger's name."""

# What the module logging calls them; it is not imported for them.
DEBUG, INFO, WARNING = 10, 20, 30

RAISED_BY_TOOLS: Final = ("tool_failed", "unencodable_result")
"""The codes of failures whose exception is the tool's, for a developer to fix."""

cached_logger: Logger | None = None
"""The logger; None before it is first looked up."""


def logger_for(level: int) -> Logger | None:
    """Return the logger if it has a handler and is enabled for `level`, or None.

    A program that has not imported `logging`, or has set up no handler, gets no records: not even warnings on stderr, where Python would
    write them as the last resort. Such a program has not asked for a log.
    """
    global cached_logger  # noqa: PLW0603  # looked up once: a program has one logger of a name
    logger = cached_logger
    if logger is None:
        logging = modules.get("logging")
        # Another thread may be importing `logging`: this function is the last that the module defines
        if logging is None or not hasattr(logging, "captureWarnings"):
            return None
        logger = cached_logger = logging.getLogger(LOGGER_NAME)
    return logger if logger.hasHandlers() and logger.isEnabledFor(level) else None


def log_result(result: ToolResult, arguments: dict[str, Any] | None) -> None:
    """Log the result of a call: INFO if it succeeded, WARNING if not.

    An unexpected exception is logged with its traceback.

    Args:
        result: The result.
        arguments: The validated arguments as JSON, if they are valid.
    """
    error = result.error
    logger = logger_for(INFO if error is None else WARNING)
    if logger is None:
        return
    ended = "ok" if error is None else error.code
    exception = None if error is None else _unexpected_exception(error)
    facts = {
        **_log_fields(result.tool, result.call, ended),
        "fc_seconds": result.duration,
        "fc_repairs": result.repairs,
    }
    name, level = _name_of(result), INFO if error is None else WARNING
    logger.log(level, "%s: %s (%.3f s)", name, ended, result.duration, exc_info=exception, extra=facts)
    if logger.isEnabledFor(DEBUG):
        given, content = _arguments_text(result.call, arguments), scrub(json.dumps(result.content))
        details = {**facts, "fc_arguments": given, "fc_content": content}
        exception = None if error is None or exception is not None else error.exception
        logger.debug("%s: arguments %s, content %s", name, given, content, exc_info=exception, extra=details)


def log_end(step: CallStep | None, error: BaseException) -> None:
    """Log that a call has no result: its task was cancelled, or the program interrupted.

    Args:
        step: The call, if it has begun to run.
        error: What ended it.
    """
    logger = logger_for(WARNING)
    if logger is not None:
        tool, call = (None, None) if step is None else (step.bound.tool, step.call)
        name, facts = "a call" if tool is None else tool.name, _log_fields(tool, call, "cancelled")
        logger.warning("%s: ended by %s", name, type(error).__name__, extra=facts)


def _log_fields(tool: Tool | None, call: ToolCall | None, code: str) -> dict[str, Any]:
    """Return the fields of a call for a structured log, with the prefix `fc_`; None where it has no value.

    `code` is the error code, or how the call ended without an error.
    """
    provenance = None if tool is None else tool.provenance
    return {
        "fc_tool": getattr(provenance, "id", None),
        "fc_call_id": None if call is None else call.id,
        "fc_code": code,
        **{f"fc_{name}": getattr(provenance, name, None) for name in ("distribution", "version", "schema_digest")},
    }


def _name_of(result: ToolResult) -> str:
    """Return the called tool's name; without a tool, `a malformed call` or `the unknown tool "…"`."""
    if result.tool is not None:
        return result.tool.name
    return "a malformed call" if result.call is None else f"the unknown tool {json.dumps(result.call.name[:64])}"


def _unexpected_exception(error: CallError) -> BaseException | None:
    """Return the exception that a tool raised and whose traceback a developer needs, or None.

    None if the call failed for another reason, or with a `ToolError`, which a tool raises to refuse a call.
    """
    if error.code not in RAISED_BY_TOOLS or isinstance(error.exception, ToolError):
        return None
    return error.exception


def _arguments_text(call: ToolCall | None, arguments: dict[str, Any] | None) -> str:
    """Return a call's arguments as a line of JSON, cut and scrubbed.

    Arguments that are text are shown as a JSON string, unread; of others that cannot be read, the error is shown in brackets.

    Args:
        call: The call; None if there is none.
        arguments: The validated arguments; None if they are not valid. Then the call's own arguments are shown.
    """
    if arguments is None:
        given = None if call is None else call.arguments
        if isinstance(given, str):
            return scrub(json.dumps(given))
        try:
            arguments = read_arguments(given)[0]
        except ArgumentsError as error:
            return f"({error})"
    return scrub(json.dumps(arguments))


# --- Tracing: one span for each call ---

CAPTURE: Final = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""OpenTelemetry's own variable by which a user opts in to arguments and results on spans."""

_ON_SPANS: Final = ("true", "span_only", "span_and_event")

_cached_tracer: tuple[Any, Tracer | None] = (None, None)
"""The tracer provider that was asked last, and its tracer: making a tracer takes longer than a call."""


def tracing() -> Tracer | None:
    """Return the tracer of this process, or None if the program has not set up tracing."""
    trace: Any = modules.get("opentelemetry.trace")
    if trace is None:
        return None
    global _cached_tracer  # noqa: PLW0603  # cached: making a tracer takes longer than a call
    # Without a provider, the public function reads the environment at every call; the private name does not.
    if getattr(trace, "_TRACER_PROVIDER", trace) is None and _cached_tracer[0] is not None:
        return None
    if not hasattr(trace, "__all__"):  # the last name in the module: another thread may be importing it
        return None
    provider = trace.get_tracer_provider()
    if provider is not _cached_tracer[0]:
        none = type(provider) in (trace.ProxyTracerProvider, trace.NoOpTracerProvider)
        _cached_tracer = (provider, None if none else provider.get_tracer("fcregistry", __version__))
    return _cached_tracer[1]


def _set_error(span: Span, kind: str, message: str | None) -> None:
    """Give a span the attribute `error.type`, `kind`, and the status of an error with `message`, if any."""
    trace = modules["opentelemetry.trace"]
    span.set_attribute("error.type", kind)
    span.set_status(trace.Status(trace.StatusCode.ERROR, message))


def _span_attributes(tool: Tool, call_id: str | None) -> dict[str, Any]:
    """Return the attributes of a call's span by name; those whose value is None are left out."""
    provenance = tool.provenance
    facts = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool.name,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.description": tool.description or None,
        "gen_ai.tool.call.id": call_id,
        "fcregistry.tool.id": provenance.id,
        "fcregistry.tool.distribution": provenance.distribution,
        "fcregistry.tool.version": provenance.version,
        "fcregistry.tool.schema_digest": provenance.schema_digest,
    }
    return {name: value for name, value in facts.items() if value is not None}


def _type_name(error: BaseException) -> str:
    """Return the qualified name of an exception's class, with its module unless that is `builtins`."""
    cls = type(error)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
