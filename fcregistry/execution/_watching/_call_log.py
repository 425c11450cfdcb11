"""What does the log say of a call? One record when it is done, on the logger `fcregistry.calls`; what was said in it only for debugging."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final

from fcregistry.errors import ToolError
from fcregistry.execution._reading._arguments import ArgumentsError, read_arguments
from fcregistry.execution._wording import scrub

if TYPE_CHECKING:
    from logging import Logger

    from fcregistry._base.call import CallError, ToolCall
    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._steps import Step

NAME: Final = "fcregistry.calls"
"""The logger's name."""

# What the module logging calls them; it is not imported for them.
DEBUG, INFO, WARNING = 10, 20, 30

RAISED_BY_TOOLS: Final = ("tool_failed", "unencodable_result")
"""The codes of failures whose exception is the tool's, and a developer's to mend."""

known: Logger | None = None
"""The logger, once it was looked up."""


def logger_for(level: int) -> Logger | None:
    """Return the logger if somebody listens at a level, or None.

    A program that has not imported `logging`, or has set up no handler, hears nothing: not even warnings on stderr, where Python
    would write them as the last resort. They are about what models write, which is no news to whoever asked for no log.
    """
    global known  # noqa: PLW0603  # looked up once: a program has one logger of a name
    logger = known
    if logger is None:
        logging = sys.modules.get("logging")
        # Another thread may be importing it: this is the last thing in it
        if logging is None or not hasattr(logging, "captureWarnings"):
            return None
        logger = known = logging.getLogger(NAME)
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
    facts = {**_facts(result.tool, result.call, ended), "fc_seconds": result.duration, "fc_repairs": result.repairs}
    name, level = _name_of(result), INFO if error is None else WARNING
    logger.log(level, "%s: %s (%.3f s)", name, ended, result.duration, exc_info=exception, extra=facts)
    if logger.isEnabledFor(DEBUG):
        given, content = _arguments_text(result.call, arguments), scrub(json.dumps(result.content))
        told = {**facts, "fc_arguments": given, "fc_content": content}
        exception = None if error is None or exception is not None else error.exception
        logger.debug("%s: arguments %s, content %s", name, given, content, exc_info=exception, extra=told)


def log_end(step: Step | None, error: BaseException) -> None:
    """Log that a call was ended before anything came of it: its task was cancelled, or the program interrupted.

    Args:
        step: The call, if it had begun to run.
        error: What ended it.
    """
    logger = logger_for(WARNING)
    if logger is not None:
        name, kind = "a call" if step is None else step.bound.tool.name, type(error).__name__
        facts = _facts(None if step is None else step.bound.tool, None if step is None else step.call, "cancelled")
        logger.warning("%s: ended by %s", name, kind, extra=facts)


def _facts(tool: Tool | None, call: ToolCall | None, code: str) -> dict[str, Any]:
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
