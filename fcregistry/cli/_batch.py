"""How are many calls run: JSON lines in, JSON lines out?"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import IO, Any

import click

from fcregistry._calls import CallError, ToolCall, ToolResult
from fcregistry._registry import registry
from fcregistry._tool import Tool
from fcregistry.errors import FcregistryError
from fcregistry.execution import Executor
from fcregistry.formats import MalformedCallError, read_call

_AT_ONCE = 1000


def run_batch(path: str | None, more: tuple[str, ...], approve: Any) -> int:
    """Run the calls of a file or of standard input; a line that fails takes no other with it.

    Returns:
        0 if every call went well, otherwise 1.
    """
    if more:
        raise click.UsageError(f"--batch takes one file of calls, and nothing after it: {' '.join(more)}")
    well = True
    with _opened(path) as stream:
        lines = (line for line in stream if line.strip())
        while some := list(islice(lines, _AT_ONCE)):
            for result in _run_some(some, approve):
                well = well and result.ok
                click.echo(json.dumps(result.to_json(), ensure_ascii=False))
    return 0 if well else 1


def _opened(path: str | None) -> IO[bytes]:
    if path is None or path == "-":
        return sys.stdin.buffer
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise click.UsageError(f"cannot read {path}: {error.strerror}") from error


def _run_some(lines: list[bytes], approve: Any) -> Iterator[ToolResult]:
    """Run some lines concurrently, and yield their results in order."""
    tools: dict[str, Tool] = {}
    read = [_read(line, tools) for line in lines]
    calls = [each for each in read if isinstance(each, ToolCall)]
    results = iter(Executor(list(tools.values()), approve=approve).run_all(calls))
    for each in read:
        yield each if isinstance(each, ToolResult) else next(results)


def _read(line: bytes, tools: dict[str, Tool]) -> ToolCall | ToolResult:
    """Return the call of a line, and add its tool to those that the batch needs; a result where it cannot be one."""
    try:
        call = read_call(json.loads(line))
    except (ValueError, RecursionError) as error:
        identity = error.id if isinstance(error, MalformedCallError) else None
        return _failure(None if identity is None else ToolCall("", None, identity), "malformed_call", str(error))
    try:
        tool = registry.get(call.name)
        tool.signature  # noqa: B018  # what cannot be defined fails its own call, not the batch
    except FcregistryError as error:
        return _failure(call, "unknown_tool", str(error))
    if tools.setdefault(tool.name, tool)._definition is not tool._definition:
        return _failure(call, "unknown_tool", f"{call.name}: another tool of this batch has the name {tool.name!r} too")
    return ToolCall(tool.name, call.arguments, call.id)


def _failure(call: ToolCall | None, code: str, message: str) -> ToolResult:
    error = CallError(code, message)
    return ToolResult(call, error=error, content=error.text)
