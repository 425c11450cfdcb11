"""What does a trace say of a call? A span `execute_tool NAME`, as OpenTelemetry's semantic conventions have it.

Source: "Semantic conventions for generative AI tool execution" of OpenTelemetry (status: development), and "Recording errors".

OpenTelemetry is not imported here: a program that traces has imported it, and any other pays nothing.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any, Final

from fcregistry._version import __version__
from fcregistry.execution._watching._call_log import RAISED_BY_TOOLS

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import ModuleType

    from opentelemetry.trace import Span, Tracer

    from fcregistry._base.call import CallError
    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._steps import Step

CAPTURE: Final = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""OpenTelemetry's own variable by which a user opts in to arguments and results on spans."""

_ON_SPANS: Final = ("true", "span_only", "span_and_event")

_known: tuple[Any, Tracer | None] = (None, None)
"""The provider that was asked last, and its tracer: making one takes longer than a call."""


def tracing() -> Tracer | None:
    """Return the tracer of this process, or None where the program has not set up tracing."""
    trace = sys.modules.get("opentelemetry.trace")
    return None if trace is None else _tracer_of(trace)


def _tracer_of(trace: ModuleType) -> Tracer | None:
    global _known  # noqa: PLW0603  # see there
    # The private name spares a look at the environment at every call where there is no provider; without it, that look is taken.
    if getattr(trace, "_TRACER_PROVIDER", trace) is None and _known[0] is not None:
        return None
    if not hasattr(trace, "__all__"):  # the last thing in it: another thread may be importing it
        return None
    provider = trace.get_tracer_provider()
    if provider is not _known[0]:
        none = type(provider) in (trace.ProxyTracerProvider, trace.NoOpTracerProvider)
        _known = (provider, None if none else provider.get_tracer("fcregistry", __version__))
    return _known[1]


class CallSpan:
    """The span of one call.

    Args:
        tracer: Makes it.
        tool: The tool that is called.
        call_id: The provider's id of the call.
        step: The call, if it came to be valid.
    """

    __slots__ = ("_captures", "_span", "_trace")

    def __init__(self, tracer: Tracer, tool: Tool, call_id: str | None, step: Step | None = None) -> None:
        self._trace: ModuleType = sys.modules["opentelemetry.trace"]
        self._captures = os.environ.get(CAPTURE, "").lower() in _ON_SPANS
        facts = _facts(tool, call_id)
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

    def finished(self, result: ToolResult) -> None:
        """End it with what came of the call."""
        if self._span.is_recording():
            self._span.set_attribute("fcregistry.call.repairs", len(result.repairs))
            if result.error is not None:
                self._failed(result.error)
            elif self._captures:
                self._span.set_attribute("gen_ai.tool.call.result", result.content)
        self._span.end()

    def abandoned(self, error: BaseException) -> None:
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


def _facts(tool: Tool, call_id: str | None) -> dict[str, Any]:
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
