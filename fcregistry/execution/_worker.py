"""The code that runs in a worker process when an executor runs calls in other processes.

The worker receives the tool's canonical id and the arguments as text, finds the tool, validates the arguments again, runs the tool, and returns
an answer as text.

The model cannot choose what runs in a worker: the id is always that of a tool that the executor offers. Before its first call, a worker process
loads the plugins, and makes sure that it can be stopped at once (`start_worker`). If a Dask worker dies, Dask runs its tasks again on another
worker; `mark_begun` prevents a second run of the same call.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from fcregistry._base import forks as _forks
from fcregistry._base.json import read_json
from fcregistry._registry import registry
from fcregistry._tools.tool import definition_of
from fcregistry.errors import FcregistryError, ToolError, exception_message
from fcregistry.execution._call_errors import (
    exception_text,
    explain_to_author,
    scrub,
    secrets_of,
    undecodable_arguments,
    with_type,
)
from fcregistry.execution._invoke import GivenUp, Invocation, Job, Outcome, dispatch_of
from fcregistry.execution._step import DigitsValidator
from fcregistry.execution._threads import NoThreadError
from fcregistry.execution._wire import (
    STOPPED,
    Answer,
    FileProblem,
    Request,
    StagedFiles,
    WireException,
    WireRefusal,
    WireReturn,
    answer_text,
    pack_value,
    staged_files,
)
from fcregistry.types import EncodingError, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fcregistry._base.call import Problem
    from fcregistry._tools.tool import Tool


_MOST_TRACEBACK = 20_000
"""The number of characters at the end of a traceback that a worker sends. The exception is at the end."""


def run_here(request: str) -> str:
    """Run a call in this worker process.

    Args:
        request: A `Request`, as text.

    Returns:
        An `Answer`, as text. If the tool raises an exception, even SystemExit, the answer contains it.

    Raises:
        ValueError: The request was written by another version of fcregistry.
    """
    _forks.count_forks()
    generation_before = _forks.generation
    answer = _answer_to(Request.read(request))
    _forks.end_if_forked(generation_before)  # the code of a type or a property is foreign, too
    return answer_text(answer)


def _answer_to(asked: Request) -> Answer:
    """Run the call of a request, with its files in a temporary folder here, and return the answer.

    The files' paths in the arguments become those in the folder; in the answer, they are again the caller's. A
    `WireReturn` also has the output files that exist. A `WireRefusal` says that the tool cannot be used here, as
    `_find_tool` and `_run` find, or that output files cannot be returned (`not_written`).
    """
    tool = _find_tool(asked)
    if isinstance(tool, WireRefusal):
        return tool
    if not asked.files:
        return _run(tool, asked, None)
    with staged_files(asked.files) as staged:
        answer = _run(tool, asked, staged)
        if isinstance(answer, WireReturn):
            value = staged.restored(answer.value, lambda path: json.dumps(path)[1:-1])
            try:
                return replace(answer, value=value, files=staged.returned())
            except FileProblem as problem:
                return WireRefusal(reason="not_written", detail=str(problem))
        if isinstance(answer, WireException):
            texts = staged.restored(answer.message), staged.restored(answer.traceback)
            return replace(answer, message=texts[0], traceback=texts[1])
        problems = tuple((path, staged.restored(message)) for path, message in answer.problems)
        return replace(answer, detail=staged.restored(answer.detail), problems=problems)


def _run(tool: Tool, asked: Request, staged: StagedFiles | None) -> Answer:
    """Run a tool with the arguments of a request, and return the answer, with the paths of this worker.

    It is a `WireReturn`, a `WireException` if the tool raised, or a `WireRefusal` if the arguments are not valid,
    another worker of Dask has begun the call and died, the time is up, no thread is free, or the value cannot be
    encoded.

    Args:
        tool: The tool.
        asked: The request.
        staged: The files of the call, whose paths replace those in the arguments; None if it has none.
    """
    invocation = _invocation(tool, asked, staged)
    if isinstance(invocation, WireRefusal):
        return invocation
    dispatch = dispatch_of(tool.signature.kind, True)
    with mark_begun(asked.call) as first:
        if not first:
            return WireRefusal(reason="died", detail="the Dask worker that had begun it died")
        return _answer(tool, Job(dispatch, invocation, seconds=asked.seconds).now())


def _find_tool(asked: Request) -> Tool | WireRefusal:
    """Return the tool of a request, imported, or a refusal if this process cannot run it.

    That is so if there is no such tool or it cannot be imported or defined, it has another schema digest, a variable it
    needs is missing, or its distribution has another version, unless the request allows any.
    """
    try:
        tool = registry.get(asked.tool)
        schema = tool.schema_digest
        definition_of(tool).define()  # imports the plugin, which knows whether the tool is available
    except FcregistryError as error:
        return WireRefusal(reason="no_tool", detail=str(error))
    if schema != asked.schema:
        here = f"{tool.origin.distribution} {tool.origin.version}"
        return WireRefusal(reason="schema_changed", detail=f"{here} is installed there; install one version everywhere")
    if unavailable := tool.unavailable:
        return WireRefusal(reason="missing_env", detail=f"{unavailable} there")
    if tool.origin.version != asked.version and not asked.any_version:
        detail = f"{tool.origin.distribution} {tool.origin.version} is installed there, and {asked.version} here; install one version everywhere"
        return WireRefusal(
            reason="version_changed", detail=f'{detail}, or make the executor with worker_versions="any"'
        )
    return tool


def _invocation(tool: Tool, asked: Request, staged: StagedFiles | None) -> Invocation | WireRefusal:
    """Return the tool's function with a request's decoded arguments, or a refusal if they are not valid.

    The paths of `staged` files in the arguments are replaced by those of this worker.
    """
    signature = tool.signature
    validator = DigitsValidator(tool.validator()) if signature.exact else tool.validator()
    values = read_json(asked.arguments, signature.exact)
    if problems := validator.problems(values):
        return _invalid(problems)
    if staged is not None:
        staged.replace_in(values, asked.file_parameters)
    try:
        decoded = signature.binding.decode(values)
    except Refusal as refusal:  # what no schema can say may differ here, such as whether a file exists
        # With a cause, a codec raised something else than a refusal
        return _invalid(undecodable_arguments(tool, refusal).problems, reserved=refusal.__cause__ is not None)
    args, kwargs = signature.binding.bind(decoded)
    return Invocation(tool.function, args, kwargs)


def _invalid(problems: Iterable[Problem], *, reserved: bool = False) -> WireRefusal:
    """Return the refusal `invalid_arguments` with the paths and messages of `problems`.

    Args:
        problems: The problems.
        reserved: Whether they come from an exception whose message a model must not read.
    """
    pairs = tuple((each.path, each.message) for each in problems)
    return WireRefusal(reason="invalid_arguments", problems=pairs, reserved=reserved)


def _answer(tool: Tool, outcome: Outcome) -> Answer:
    """Return the answer with the outcome of a tool: its value, its exception, or a refusal.

    The refusal is `timeout`, `busy` if no thread was free, or `unencodable` if the value has no JSON form or reading
    it fails.

    Raises:
        KeyboardInterrupt: Encoding the value raises it.
    """
    value, exception, seconds = outcome
    if isinstance(exception, GivenUp):
        return WireRefusal(reason="timeout", detail=STOPPED if exception.stopped else "")
    if isinstance(exception, NoThreadError):
        return WireRefusal(reason="busy", detail=str(exception))
    if exception is not None:
        return _raised(tool, exception, seconds)
    try:
        text, form = pack_value(value, tool.signature.returns)
        return WireReturn(value=text, form=form, seconds=seconds, version=tool.origin.version)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # foreign code: encoding a value reads its properties, which may raise anything
        text = scrub(exception_message(error), secrets_of(tool))
        reserved = not isinstance(error, EncodingError)
        return WireRefusal(reason="unencodable", detail=with_type(error, text) if reserved else text, reserved=reserved)


def _raised(tool: Tool, exception: BaseException, seconds: float) -> WireException:
    """Return the answer with a tool's exception, raised after `seconds`, its message without secrets.

    The traceback of the exception is shortened; see `explain_to_author`.
    """
    explain_to_author(tool, exception)
    refusal = exception if isinstance(exception, ToolError) else None
    after = None if refusal is None else refusal.retry_after
    return WireException(
        type_name=type(exception).__name__,
        message=scrub(exception_text(exception), secrets_of(tool)),
        is_tool_error=refusal is not None,
        retryable=refusal is not None and bool(refusal.retryable),
        retry_after=after if isinstance(after, (int, float)) else None,
        traceback=_traceback(exception),
        seconds=seconds,
        version=tool.origin.version,
    )


def _traceback(exception: BaseException) -> str:
    """Return the last `_MOST_TRACEBACK` characters of a traceback; empty if it cannot be formatted."""
    from traceback import format_exception  # only on the way to an error

    try:
        return "".join(format_exception(exception))[-_MOST_TRACEBACK:]
    except Exception:  # noqa: BLE001  # foreign code: an exception that cannot be shown is still reported
        return ""


_ENDED_BY_TOOL = 70
"""The exit code of a worker if a tool calls `os._exit(0)`. The call then has no answer, so the exit code must not be 0 (EX_SOFTWARE)."""


def start_worker(tools: Iterable[str]) -> None:
    """Prepare a worker process.

    Args:
        tools: The canonical ids of the tools that the executor may ask it to run.
    """
    # Python's own handlers wait for the next byte code, and a tool may be deep in C
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, name="fcregistry-parent", daemon=True).start()
    _report_exits()
    for tool in tools:
        try:
            registry.get(tool).validator().compile()
        except BaseException:  # noqa: BLE001  # foreign code: a plugin that does not load here is reported when it is called
            continue


def _end_with_parent() -> None:
    """Wait for the end of the parent process, then end this one at once; do nothing without a parent."""
    from multiprocessing import parent_process  # imported already: it has started this process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(_ENDED_BY_TOOL)


def _report_exits() -> None:
    """Replace `os._exit`, so that a tool that calls `os._exit(0)` ends this process with another code.

    After the exit code 0, the pool would continue to wait for the answer.
    """
    exit_now, worker = os._exit, os.getpid()

    def exit_worker(status: int) -> NoReturn:
        """Exit like `os._exit`; in this process, with the status `_ENDED_BY_TOOL` in place of 0."""
        exit_now(status or _ENDED_BY_TOOL if os.getpid() == worker else status)

    os._exit = exit_worker


@contextmanager
def mark_begun(call: str) -> Iterator[bool]:
    """Record on Dask's scheduler that a call is running, until it ends. Do nothing in other pools.

    Args:
        call: The unique id of the call.

    Yields:
        Whether the call may run. False if another worker began it, and died before the end.
    """
    event = _event(call)
    if event is None:
        yield True
    elif event.is_set():
        yield False
    else:
        event.set()
        try:
            yield True
        finally:
            event.clear()  # the scheduler drops an event that is not set


def _event(call: str) -> Any:  # Dask's, which has no types
    """Return the event of a call on Dask's scheduler; None if this process is not a Dask worker.

    Args:
        call: The unique id of the call.
    """
    distributed: Any = sys.modules.get("distributed")  # a worker of Dask has imported it
    if distributed is None:
        return None
    try:
        distributed.get_worker()
    except ValueError:
        return None
    return distributed.Event(f"fcregistry-{call}")
