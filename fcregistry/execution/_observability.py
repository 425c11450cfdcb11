"""Who watches a call? Whoever has set up logging or tracing; where nobody has, a call pays for the question alone.

MERGED: What does a trace say of a call? A span `execute_tool NAME`, as OpenTelemetry's semantic conventions have it.

Source: "Semantic conventions for generative AI tool execution" of OpenTelemetry (status: development), and "Recording errors".

OpenTelemetry is not imported here: a program that traces has imported it, and any other pays nothing.
MERGED: What does the log say of a call? One record when it is done, on the logger `fcregistry.calls`; what was said in it only for debugging.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import nullcontext, suppress
from sys import modules
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.json import ArgumentsError
from fcregistry._version import __version__
from fcregistry.errors import ToolError
from fcregistry.execution._arguments import read_arguments
from fcregistry.execution._messages import scrub

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from logging import Logger
    from types import ModuleType

    from opentelemetry.trace import Span, Tracer

    from fcregistry._base.call import CallError, ToolCall
    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._step import CallStep

# --- execution._watching._observation ---


class Watch:
    """Sees one call, from its start to what came of it. Nothing that goes wrong while watching reaches the call.

    Args:
        tracer: Makes its span, where the program traces.
    """

    __slots__ = ("_span", "_step", "_tracer")

    def __init__(self, tracer: Tracer | None) -> None:
        self._tracer = tracer
        self._span: CallSpan | None = None
        self._step: CallStep | None = None

    def start(self, step: CallStep) -> None:
        """See that a call is about to run, for the first time; not one that is refused, or answered without the tool."""
        self._step = step
        if self._tracer is not None:
            with _isolated:
                self._span = CallSpan(self._tracer, step.bound.tool, step.call.id, step)

    def attempt(self) -> AbstractContextManager[object]:
        """Return what to hold around each attempt: whatever the tool itself traces stands below the call's span."""
        return nullcontext() if self._span is None else self._span.current()

    def finish(self, result: ToolResult) -> None:
        """See what came of it; also of one that never ran, whose span has no length."""
        with _isolated:
            if self._span is None and self._tracer is not None and result.tool is not None:
                call_id = None if result.call is None else result.call.id
                self._span = CallSpan(self._tracer, result.tool, call_id)
            if self._span is not None:
                self._span.finish(result)
        with _isolated:
            log_result(result, None if self._step is None else self._step.arguments)

    def abandon(self, error: BaseException) -> None:
        """See that nothing comes of it: its task was cancelled, or the program interrupted."""
        with _isolated:
            if self._span is not None:
                self._span.abandon(error)
        with _isolated:
            log_end(self._step, error)


def new_watch() -> Watch | None:
    """Return what watches a call that begins now, or None if nobody does.

    What failed is watched in any case: see `log_failure`.
    """
    if "opentelemetry.trace" not in modules:  # what most programs say, asked first and in line: every call pays for it
        logger = cached_logger
        if logger is not None and not logger.isEnabledFor(INFO):
            return None
    tracer = tracing()
    if tracer is None and logger_for(INFO) is None:
        return None
    return Watch(tracer)


def log_failure(result: ToolResult) -> None:
    """See a call that failed, where nobody watches those that go well: a log that has warnings only."""
    if logger_for(WARNING) is not None:
        with _isolated:
            log_result(result, None)


class _Isolation:
    """Keeps what goes wrong in handlers and exporters away from the call: they are foreign code, and only watch it."""

    def __enter__(self) -> None:
        """Let something be watched."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: object) -> bool:
        if not isinstance(error, Exception):
            return False
        from logging import getLogger  # only on the way to an error

        with suppress(Exception):  # it may be the log that fails
            getLogger("fcregistry").error("a call could not be watched", exc_info=error)
        return True


_isolated = _Isolation()

# --- execution._watching._spans ---

CAPTURE: Final = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""OpenTelemetry's own variable by which a user opts in to arguments and results on spans."""

_ON_SPANS: Final = ("true", "span_only", "span_and_event")

_cached_tracer: tuple[Any, Tracer | None] = (None, None)
"""The provider that was asked last, and its tracer: making one takes longer than a call."""


def tracing() -> Tracer | None:
    """Return the tracer of this process, or None where the program has not set up tracing."""
    trace = sys.modules.get("opentelemetry.trace")
    return None if trace is None else _tracer_of(trace)


def _tracer_of(trace: ModuleType) -> Tracer | None:
    global _cached_tracer  # noqa: PLW0603  # see there
    # The private name spares a look at the environment at every call where there is no provider; without it, that look is taken.
    if getattr(trace, "_TRACER_PROVIDER", trace) is None and _cached_tracer[0] is not None:
        return None
    if not hasattr(trace, "__all__"):  # the last thing in it: another thread may be importing it
        return None
    provider = trace.get_tracer_provider()
    if provider is not _cached_tracer[0]:
        none = type(provider) in (trace.ProxyTracerProvider, trace.NoOpTracerProvider)
        _cached_tracer = (provider, None if none else provider.get_tracer("fcregistry", __version__))
    return _cached_tracer[1]


class CallSpan:
    """The span of one call.

    Args:
        tracer: Makes it.
        tool: The tool that is called.
        call_id: The provider's id of the call.
        step: The call, if it came to be valid.
    """

    __slots__ = ("_captures", "_span", "_trace")

    def __init__(self, tracer: Tracer, tool: Tool, call_id: str | None, step: CallStep | None = None) -> None:
        self._trace: ModuleType = sys.modules["opentelemetry.trace"]
        self._captures = os.environ.get(CAPTURE, "").lower() in _ON_SPANS
        facts = _span_attributes(tool, call_id)
        if self._captures and step is not None:
            facts["gen_ai.tool.call.arguments"] = json.dumps(step.arguments)
        self._span: Span = tracer.start_span(
            f"execute_tool {tool.name}", kind=self._trace.SpanKind.INTERNAL, attributes=facts
        )

    def current(self) -> AbstractContextManager[object]:
        """Return what makes it the current span while the tool runs, so that spans of the tool's own stand below it."""
        context: AbstractContextManager[object] = self._trace.use_span(
            self._span, record_exception=False, set_status_on_exception=False
        )
        return context

    def finish(self, result: ToolResult) -> None:
        """End it with what came of the call."""
        if self._span.is_recording():
            self._span.set_attribute("fcregistry.call.repairs", len(result.repairs))
            if result.error is not None:
                self._failed(result.error)
            elif self._captures:
                self._span.set_attribute("gen_ai.tool.call.result", result.content)
        self._span.end()

    def abandon(self, error: BaseException) -> None:
        """End it where nothing came of the call."""
        self._span.set_attribute("error.type", _type_name(error))
        self._span.set_status(self._trace.Status(self._trace.StatusCode.ERROR))
        self._span.end()

    def _failed(self, error: CallError) -> None:
        self._span.set_attribute("fcregistry.call.code", error.code)
        raised, by_tool = error.exception, error.code in RAISED_BY_TOOLS
        if raised is not None:
            self._span.record_exception(raised)
        kind = _type_name(raised) if by_tool and raised is not None else error.code
        self._span.set_attribute("error.type", kind)
        # Where the tool did not run, the words may repeat what a model wrote, and the code says enough.
        self._span.set_status(self._trace.Status(self._trace.StatusCode.ERROR, error.message if by_tool else None))


def _span_attributes(tool: Tool, call_id: str | None) -> dict[str, Any]:
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
    cls = type(error)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


# --- execution._watching._call_log ---

LOGGER_NAME: Final = "fcregistry.calls"
"""The logger's name."""

# What the module logging calls them; it is not imported for them.
DEBUG, INFO, WARNING = 10, 20, 30

RAISED_BY_TOOLS: Final = ("tool_failed", "unencodable_result")
"""The codes of failures whose exception is the tool's, and a developer's to mend."""

cached_logger: Logger | None = None
"""The logger, once it was looked up."""


def logger_for(level: int) -> Logger | None:
    """Return the logger if somebody listens at a level, or None.

    A program that has not imported `logging`, or has set up no handler, hears nothing: not even warnings on stderr, where Python
    would write them as the last resort. They are about what models write, which is no news to whoever asked for no log.
    """
    global cached_logger  # noqa: PLW0603  # looked up once: a program has one logger of a name
    logger = cached_logger
    if logger is None:
        logging = sys.modules.get("logging")
        # Another thread may be importing it: this is the last thing in it
        if logging is None or not hasattr(logging, "captureWarnings"):
            return None
        logger = cached_logger = logging.getLogger(LOGGER_NAME)
    return logger if logger.hasHandlers() and logger.isEnabledFor(level) else None


def log_result(result: ToolResult, arguments: dict[str, Any] | None) -> None:
    """Log what came of a call: INFO if it went well, WARNING if not, with the traceback of what a tool raised unexpectedly.

    Args:
        result: What came of it.
        arguments: The validated arguments as JSON, if it came to that.
    """
    error = result.error
    logger = logger_for(INFO if error is None else WARNING)
    if logger is None:
        return
    ended = "ok" if error is None else error.code
    exception = None if error is None else _unexpected(error)
    facts = {
        **_log_fields(result.tool, result.call, ended),
        "fc_seconds": result.duration,
        "fc_repairs": result.repairs,
    }
    name, level = _name_of(result), INFO if error is None else WARNING
    logger.log(level, "%s: %s (%.3f s)", name, ended, result.duration, exc_info=exception, extra=facts)
    if logger.isEnabledFor(DEBUG):
        given, content = _arguments_text(result.call, arguments), scrub(json.dumps(result.content))
        told = {**facts, "fc_arguments": given, "fc_content": content}
        exception = None if error is None or exception is not None else error.exception
        logger.debug("%s: arguments %s, content %s", name, given, content, exc_info=exception, extra=told)


def log_end(step: CallStep | None, error: BaseException) -> None:
    """Log that a call was ended before anything came of it: its task was cancelled, or the program interrupted.

    Args:
        step: The call, if it had begun to run.
        error: What ended it.
    """
    logger = logger_for(WARNING)
    if logger is not None:
        name, kind = "a call" if step is None else step.bound.tool.name, type(error).__name__
        facts = _log_fields(None if step is None else step.bound.tool, None if step is None else step.call, "cancelled")
        logger.warning("%s: ended by %s", name, kind, extra=facts)


def _log_fields(tool: Tool | None, call: ToolCall | None, code: str) -> dict[str, Any]:
    """Return what a structured log keeps of a call; the names begin like those of our hooks, so that they clash with nobody's."""
    provenance = None if tool is None else tool.provenance
    return {
        "fc_tool": None if provenance is None else provenance.id,
        "fc_call_id": None if call is None else call.id,
        "fc_code": code,
        "fc_distribution": None if provenance is None else provenance.distribution,
        "fc_version": None if provenance is None else provenance.version,
        "fc_schema_digest": None if provenance is None else provenance.schema_digest,
    }


def _name_of(result: ToolResult) -> str:
    if result.tool is not None:
        return result.tool.name
    return "what is no call" if result.call is None else f"the unknown tool {json.dumps(result.call.name[:64])}"


def _unexpected(error: CallError) -> BaseException | None:
    """Return the exception that a developer wants the traceback of: not what a tool raised to say no."""
    if error.code not in RAISED_BY_TOOLS or isinstance(error.exception, ToolError):
        return None
    return error.exception


def _arguments_text(call: ToolCall | None, arguments: dict[str, Any] | None) -> str:
    """Return the arguments as one line of bounded text: as JSON where they are some, and as they were written where not."""
    if arguments is None:
        given = None if call is None else call.arguments
        if isinstance(given, str):
            return scrub(json.dumps(given))
        try:
            arguments = read_arguments(given)[0]
        except ArgumentsError as error:
            return f"({error})"
    return scrub(json.dumps(arguments))
