"""Who watches a call? Whoever has set up logging or tracing; where nobody has, a call pays for the question alone."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from sys import modules
from typing import TYPE_CHECKING

from fcregistry.execution._watching import _call_log
from fcregistry.execution._watching._call_log import INFO, WARNING, log_end, log_result, logger_for
from fcregistry.execution._watching._spans import CallSpan, tracing

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from opentelemetry.trace import Tracer

    from fcregistry._results.result import ToolResult
    from fcregistry.execution._steps import Step


class Watch:
    """Sees one call, from its start to what came of it. Nothing that goes wrong while watching reaches the call.

    Args:
        tracer: Makes its span, where the program traces.
    """

    __slots__ = ("_span", "_step", "_tracer")

    def __init__(self, tracer: Tracer | None) -> None:
        self._tracer = tracer
        self._span: CallSpan | None = None
        self._step: Step | None = None

    def started(self, step: Step) -> None:
        """See that a call is about to run, for the first time; not one that is refused, or answered without the tool."""
        self._step = step
        if self._tracer is not None:
            with _apart:
                self._span = CallSpan(self._tracer, step.bound.tool, step.call.id, step)

    def running(self) -> AbstractContextManager[object]:
        """Return what to hold around each attempt: whatever the tool itself traces stands below the call's span."""
        return nullcontext() if self._span is None else self._span.current()

    def finished(self, result: ToolResult) -> None:
        """See what came of it; also of one that never ran, whose span has no length."""
        with _apart:
            if self._span is None and self._tracer is not None and result.tool is not None:
                call_id = None if result.call is None else result.call.id
                self._span = CallSpan(self._tracer, result.tool, call_id)
            if self._span is not None:
                self._span.finished(result)
        with _apart:
            log_result(result, None if self._step is None else self._step.arguments)

    def abandoned(self, error: BaseException) -> None:
        """See that nothing comes of it: its task was cancelled, or the program interrupted."""
        with _apart:
            if self._span is not None:
                self._span.abandoned(error)
        with _apart:
            log_end(self._step, error)


def watching() -> Watch | None:
    """Return what watches a call that begins now, or None if nobody does.

    What failed is watched in any case: see `unwatched`.
    """
    if "opentelemetry.trace" not in modules:  # what most programs say, asked first and in line: every call pays for it
        logger = _call_log.known
        if logger is not None and not logger.isEnabledFor(INFO):
            return None
    tracer = tracing()
    if tracer is None and logger_for(INFO) is None:
        return None
    return Watch(tracer)


def unwatched(result: ToolResult) -> None:
    """See a call that failed, where nobody watches those that go well: a log that has warnings only."""
    if logger_for(WARNING) is not None:
        with _apart:
            log_result(result, None)


class _Apart:
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


_apart = _Apart()
