"""The option `call --batch`: reads calls as JSON lines and writes results as JSON lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import click

from fcregistry._base.call import CallError, ToolCall
from fcregistry._registry import registry
from fcregistry._results.result import ToolResult
from fcregistry._tools.tool import Tool
from fcregistry.cli._output import read_json, result_alone, say_json_text
from fcregistry.cli._tools import only_in_an_application
from fcregistry.errors import FcregistryError
from fcregistry.execution import Approver, Executor
from fcregistry.formats import MalformedCallError, read_call

_CHUNK = 1 << 16
"""The most bytes to read before the calls in them run."""


def run_batch(path: str | None, more: tuple[str, ...], approve: Approver | None) -> int:
    """Run the calls of a file or of standard input; a line that fails does not affect the others.

    Args:
        path: The file; None or `-` for standard input.
        more: The words after it, which are wrong here.
        approve: The approver of the calls; None if there is no user to ask.

    Returns:
        0 if every call succeeded, otherwise 1.
    """
    if more:
        raise click.UsageError(f"--batch takes one file of calls, and no arguments after it: {' '.join(more)}")
    ok = True
    with _open(path) as stream:
        for lines in _whole_lines(stream):
            with result_alone():  # stdout is for results
                results = _run_some(lines, approve)
            for result in results:
                ok = ok and result.ok
                say_json_text(json.dumps(result.to_json(), ensure_ascii=False))
    return 0 if ok else 1


def _whole_lines(stream: IO[bytes]) -> Iterator[list[tuple[int, bytes]]]:
    """Yield the lines that have arrived, numbered; a caller may wait for results between lines."""
    number, rest = 0, b""
    while chunk := stream.read1(_CHUNK):  # type: ignore[attr-defined]  # the bytes that have arrived, without waiting for all
        *lines, rest = (rest + chunk).split(b"\n")
        yield [(number + place, line) for place, line in enumerate(lines, 1) if line.strip()]
        number += len(lines)
    if rest.strip():
        yield [(number + 1, rest)]


def _open(path: str | None) -> IO[bytes]:
    if path is None or path == "-":
        return sys.stdin.buffer
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise click.UsageError(f"cannot read {path}: {error.strerror}") from error


def _run_some(lines: list[tuple[int, bytes]], approve: Approver | None) -> list[ToolResult]:
    """Run some lines concurrently, and return their results in order."""
    batches: list[_Batch] = []
    read = [_read(number, line, batches) for number, line in lines]
    results = [iter(Executor(list(each.tools.values()), approve=approve).run_all(each.calls)) for each in batches]
    return [each if isinstance(each, ToolResult) else next(results[each]) for each in read]


class _Batch:
    """Calls that one executor can run: no two tools of one wire name."""

    def __init__(self) -> None:
        self.tools: dict[str, Tool] = {}
        self.calls: list[ToolCall] = []


def _read(number: int, line: bytes, batches: list[_Batch]) -> int | ToolResult:
    """Add a line's call to the first batch that takes it; return its index, or a wrong line's result."""
    try:
        call = read_call(read_json(line.decode("utf-8-sig").strip()))
    except MalformedCallError as error:
        failed = None if error.id is None else ToolCall("", None, error.id)
        return _failure(failed, "malformed_call", f"line {number}: {error}")
    except ValueError as error:
        return _failure(None, "malformed_call", f"line {number} is not valid JSON: {error}")
    try:
        tool = registry.get(call.name)
        tool.signature  # noqa: B018  # a tool that cannot be defined fails its own call, not the batch
    except FcregistryError as error:
        return _failure(call, "unknown_tool", str(error))
    if reason := only_in_an_application(tool):
        return _failure(call, "unavailable", reason)
    batches.append(_Batch())  # an empty batch takes any call
    place, batch = next(
        (place, each)
        for place, each in enumerate(batches)
        if each.tools.setdefault(tool.name, tool)._definition is tool._definition
    )
    batch.calls.append(ToolCall(tool.name, call.arguments, call.id))
    if not batches[-1].calls:
        batches.pop()
    return place


def _failure(call: ToolCall | None, code: str, message: str) -> ToolResult:
    error = CallError(code, message)
    return ToolResult(call, error=error, content=error.text)
