"""The command `call`: calls one tool and writes its result, or with `--batch` many, as JSON lines.

What runs a call is imported in functions: completing a tool's name does without it.
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import TYPE_CHECKING, Final

import click

from fcregistry._registry import registry
from fcregistry._tools.tool import Tool, definition_of
from fcregistry.cli._approval import approver, is_left_to_nobody, why_no_flag
from fcregistry.cli._output import (
    complain,
    program,
    read_json,
    remark,
    result_alone,
    say_json_text,
    say_result,
    text_of_result,
)
from fcregistry.cli._tools import (
    complete_tools,
    mention_doubtful_settings,
    only_in_an_application,
    timeout_option,
    tool_named,
)
from fcregistry.errors import FcregistryError, ToolError, ToolNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import IO

    from click.shell_completion import CompletionItem

    from fcregistry._base.call import CallError, ToolCall
    from fcregistry._results.content import Content
    from fcregistry._results.result import ToolResult
    from fcregistry.execution import Executor

EXIT_CODES: Final = {
    "malformed_call": 2,
    "unknown_tool": 2,
    "invalid_arguments": 2,
    "approval_required": 3,
    "timeout": 4,
}
"""Error code -> exit code; every other error exits with 1."""


class _Call(click.Command):
    """Completes the options of the called tool, which are plain words for click."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        name = ctx.params.get("name")
        if name is None or ctx.params.get("batch"):
            return super().shell_complete(ctx, incomplete)
        from fcregistry.cli._parameters import complete_words  # only completion comes here

        return complete_words(ctx, name, ctx.params["arguments"], incomplete)


def _complete_arguments(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Return the command's own completions (`shell_complete`) of a word after the tool's name."""
    return ctx.command.shell_complete(ctx, incomplete)


@click.command("call", cls=_Call, short_help="Call a tool.", context_settings={"allow_interspersed_args": False})
@click.argument("name", required=False, shell_complete=complete_tools)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, shell_complete=_complete_arguments)
@click.option("--json", "as_json", is_flag=True, help="Write the result as JSON, on a terminal too.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="Write the result to a file, or with - to standard output: bytes as they are.",
)
@click.option(
    "--yes",
    is_flag=True,
    help="Approve the call of a tool that requires approval, unless your own or the system's file asks about it.",
)
@timeout_option("The most time for a call, if the tool's own limit is not shorter.")
@click.option("-v", "--verbose", is_flag=True, help="Show the traceback of a tool that fails.")
@click.option(
    "--batch",
    is_flag=True,
    help="Read calls as JSON lines (from the file NAME, or standard input), write results as JSON lines.",
)
@click.pass_context
def command(
    ctx: click.Context,
    name: str | None,
    arguments: tuple[str, ...],
    as_json: bool,
    output: str | None,
    yes: bool,
    timeout: float | None,
    verbose: bool,
    batch: bool,
) -> None:
    """Call the tool NAME.

    Options of this command go before NAME, or after it if the tool has no option of that name.

    Give the tool's arguments as options (fcregistry call NAME --help lists them), as one JSON object, as '-' for a JSON object on standard
    input, or as '@FILE' for one in a file. Repeat the option of an array for each item, as in --n 1 --n 2.

    On a terminal, the result is written as text, or as indented JSON; in a pipe, as JSON on one line.

    Exits with 0 if the tool succeeded, 1 if it failed, 2 for wrong usage or invalid arguments, 3 if the call needs approval and there is
    no terminal to ask on, 4 if time ran out.
    """
    from pathlib import Path

    from fcregistry._base.call import ToolCall
    from fcregistry.cli._parameters import read_words

    if batch:
        if output is not None:
            raise click.UsageError("--batch writes to standard output: leave --output out")
        mention_doubtful_settings()
        ctx.exit(_run_batch(name, arguments, yes, timeout))
    if name is None:
        raise click.UsageError(f"name the tool to call; {program()} list shows the tools")
    tool = _tool_with_remark(name, arguments)
    given, later = read_words(ctx, name, tool, list(arguments))
    names = ("as_json", "output", "yes", "timeout", "verbose")
    as_json, output, yes, timeout, verbose = ({**ctx.params, **later}[each] for each in names)
    path = None if output is None else Path(output)
    if path is not None:
        _check_writable(path)
    if reason := only_in_an_application(tool):
        complain(reason)
        ctx.exit(1)
    with result_alone():  # stdout is for the result
        executor = _executor([tool], yes and not is_left_to_nobody(tool, given), timeout)
        result = _run(executor, ToolCall(tool.name, given))
    if result.error is None:
        _write(result, as_json, path)
        return
    complain(_as_options(result.error, tool) if isinstance(given, dict) else result.error.text.replace(_TO_MODEL, ""))
    if result.error.code in ("invalid_arguments", "malformed_call"):
        remark(f"({program()} call {name} --help lists the tool's options)")
    elif result.error.code == "approval_required":
        remark(_how_to_approve(tool, name, given))
    elif result.error.code == "tool_failed" and not isinstance(result.error.exception, ToolError):
        _show_traceback(result.error.exception, verbose or ctx.find_root().params["verbose"])
    ctx.exit(EXIT_CODES.get(result.error.code, 1))


def _executor(tools: list[Tool], yes: bool, seconds: float | None) -> Executor:
    """Return an executor.

    Args:
        tools: The tools that may be called.
        yes: Whether a flag approves calls.
        seconds: The most time for each call; None for no limit but the tool's own.
    """
    from fcregistry.execution import Executor, limit_seconds

    executor = Executor(tools, approve=approver(yes=yes))
    if seconds is not None:
        limit_seconds(executor, seconds)
    return executor


def _run(executor: Executor, call: ToolCall) -> ToolResult:
    """Run a call, and return its result; on a terminal, show its progress and its items until then."""
    if not sys.stderr.isatty():
        return executor.run(call)
    from fcregistry.cli._display import CallStatus
    from fcregistry.execution import run_listening

    with CallStatus(call.name) as status:
        return run_listening(executor, call, status.show)


def _tool_with_remark(name: str, arguments: tuple[str, ...] = ()) -> Tool:
    """Return the tool with the name `name`, after a remark about a doubtful setting, which may hide it.

    Raises:
        UsageError: The name is a pattern; or no tool has it, and `--batch` follows, which goes before a file's name.
        FcregistryError: No tool, or several tools, have this name.
    """
    try:
        tool = tool_named(name)
    except ToolNotFoundError:
        if "--batch" in arguments:
            raise click.UsageError(f"--batch goes before the file: {program()} call --batch {name}") from None
        mention_doubtful_settings()
        raise
    mention_doubtful_settings()
    return tool


def _how_to_approve(tool: Tool, name: str, arguments: object) -> str:
    """Return the remark, in parentheses, on how a user can approve a call.

    It names `--yes`, or says why no flag approves the call.

    Args:
        tool: The tool.
        name: The name by which the user called it.
        arguments: The arguments of the call.
    """
    if reason := why_no_flag(tool, arguments):
        return f"({reason}: no flag approves it; call it on a terminal, where you are asked)"
    return f"(to approve it: {program()} call --yes {name} …)"


_TO_MODEL: Final = ". Nothing was run; send the whole call again, shorter if need be"
"""What only a model can do about JSON that is cut off."""


def _as_options(error: CallError, tool: Tool) -> str:
    """Return the text of an error: its message, and a line for each problem.

    A problem of a parameter has the option, such as `--num-days`, in place of the path `$.num_days`, and `--item (.name)` in place of
    `$.item.name`; other paths stay.
    """
    from fcregistry.cli._parameters import flags_of

    flags = flags_of(tool.parameters)

    def place(path: str) -> str:
        name = re.split(r"[.\[]", path.removeprefix("$."), maxsplit=1)[0]
        rest = path.removeprefix(f"$.{name}")
        return path if name not in flags or rest == path else f"{flags[name]} ({rest})" if rest else flags[name]

    problems = [f"- {place(each.path)}: {each.message}" for each in error.problems]
    return "\n".join([error.message, *problems])


def _show_traceback(exception: BaseException | None, verbose: bool) -> None:
    """Write the traceback of `exception` to stderr if `verbose` and it is not None, else a hint.

    The first frames, those of fcregistry and Python, are left out, unless there are no others.
    """
    if verbose and exception is not None:
        from traceback import format_exception  # only on the way to an error

        frames = exception.__traceback__
        while frames is not None and _is_ours(frames.tb_frame.f_globals.get("__name__", "")):
            frames = frames.tb_next
        remark("".join(format_exception(type(exception), exception, frames or exception.__traceback__)).rstrip())
    else:
        remark("(call -v shows the traceback)")


def _is_ours(module: str) -> bool:
    """Return whether a module belongs to fcregistry or to Python, not to the author of a tool.

    Args:
        module: The dotted name of the module.
    """
    package = module.partition(".")[0]
    return package == "fcregistry" or package in sys.stdlib_module_names


def _check_writable(path: Path) -> None:
    """Check before the tool runs that the output file `path` can be written; `-` always can.

    Raises:
        UsageError: Its folder does not exist, or the file or folder is not writable.
    """
    if str(path) == "-":
        return
    if not path.parent.is_dir():
        raise click.UsageError(f"--output: there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise click.UsageError(f"--output: {path} cannot be written")


def _write(result: ToolResult, as_json: bool, output: Path | None) -> None:
    """Write a result to the file `output` (`-` is stdout): its bytes if it has any, else its text.

    Without `output`, it is written to stdout as JSON, if `as_json` or if stdout is not a terminal, else as text. Bytes without text are not
    written to a terminal: a remark on stderr gives their size.
    """
    data = _bytes(result)
    if output is not None:
        _write_bytes((_text(result) + "\n").encode("utf-8", "backslashreplace") if data is None else data, output)
    elif as_json or not sys.stdout.isatty():
        say_json_text(_json(result))
    elif data is not None and not _parts(result):
        remark(f"{len(data)} bytes; --output FILE writes them to a file")
    else:
        say_result(_text(result))
        if data is not None:
            remark("(--output FILE writes it to a file)")


def _parts(result: ToolResult) -> tuple[Content, ...]:
    """Return the pieces of content that the tool returned; none if it returned a value, or failed."""
    from fcregistry._results.result import returned_content  # the help of a tool does without results

    return returned_content(result)


def _bytes(result: ToolResult) -> bytes | None:
    """Return the bytes of a result that is bytes, or has one part, an image, a sound or a file.

    The result is None for any other result, for example one with several parts.
    """
    if parts := _parts(result):
        return parts[0].data if len(parts) == 1 and parts[0].is_media else None
    return bytes(result.value) if isinstance(result.value, (bytes, bytearray)) else None


def _json(result: ToolResult) -> str:
    """Return a result as JSON text for a program: its value, or its content blocks if it has parts."""
    if parts := _parts(result):
        return json.dumps([part.to_block() for part in parts], ensure_ascii=False)
    return json.dumps(result.value, ensure_ascii=False) if type(result.value) is str else result.content


def _write_bytes(content: bytes, path: Path) -> None:
    """Write bytes to a file, or to stdout if `path` is `-`.

    Raises:
        ClickException: They cannot be written.
    """
    try:
        if str(path) == "-":
            sys.stdout.buffer.write(content)
        else:
            path.write_bytes(content)
    except OSError as error:
        message = f"the tool ran, but its result cannot be written to {path}: {error.strerror}"
        raise click.ClickException(message) from error


def _text(result: ToolResult) -> str:
    """Return a result for a person: a string or the text of its parts, else its value as indented JSON."""
    if type(result.value) is str or _parts(result):
        return text_of_result(result)
    return json.dumps(json.loads(result.content), indent=2, ensure_ascii=False)


# --- Many calls ---

_CHUNK: Final = 1 << 16
"""The most bytes to read before the calls in them run."""


def _run_batch(path: str | None, more: tuple[str, ...], yes: bool, seconds: float | None) -> int:
    """Run the calls of a file or of standard input; a line that fails does not affect the others.

    Each result is written to stdout as a line of JSON, in the order of the calls.

    Args:
        path: The file; None or `-` for standard input.
        more: The words after it, which are wrong here.
        yes: Whether `--yes` approves the calls.
        seconds: The most time for each call; None for no limit but its tool's own.

    Returns:
        0 if every call succeeded, otherwise 1.

    Raises:
        UsageError: There are words in `more`, or the file cannot be read.
    """
    if more:
        raise click.UsageError(f"--batch takes one file of calls, and no arguments after it: {' '.join(more)}")
    ok = True
    with _open(path) as stream:
        for lines in _whole_lines(stream):
            with result_alone():  # stdout is for results
                results = _run_lines(lines, yes, seconds)
            for result in results:
                ok = ok and result.ok
                say_json_text(json.dumps(result.to_json(), ensure_ascii=False))
    return 0 if ok else 1


def _whole_lines(stream: IO[bytes]) -> Iterator[list[tuple[int, bytes]]]:
    """Yield a list of the whole lines that have arrived, each as (number, bytes), until the stream ends.

    It waits only if nothing has arrived. Numbers begin with 1. Lines without content are counted and left out, so that a list may be empty.
    """
    number, rest = 0, b""
    while chunk := stream.read1(_CHUNK):  # type: ignore[attr-defined]  # the bytes that have arrived, without waiting for all
        *lines, rest = (rest + chunk).split(b"\n")
        yield [(number + place, line) for place, line in enumerate(lines, 1) if line.strip()]
        number += len(lines)
    if rest.strip():
        yield [(number + 1, rest)]


def _open(path: str | None) -> IO[bytes]:
    """Return the file of calls, open for reading bytes; standard input if `path` is None or `-`.

    Raises:
        UsageError: The file cannot be opened.
    """
    if path is None or path == "-":
        return sys.stdin.buffer
    from pathlib import Path  # see the top

    try:
        return Path(path).open("rb")
    except OSError as error:
        raise click.UsageError(f"cannot read {path}: {error.strerror}") from error


def _run_lines(lines: list[tuple[int, bytes]], yes: bool, seconds: float | None) -> list[ToolResult]:
    """Run the calls in `lines` concurrently, and return their results, failed ones too, in order.

    An executor has one tool of each name, and one approver. So if two plugins ship a tool of one name, a second executor has the second tool,
    and tools that `--yes` does not approve have other executors. Executors run one after the other.

    Args:
        lines: The lines, each with its number.
        yes: Whether `--yes` approves the calls.
        seconds: The most time for each call; None for no limit but its tool's own.
    """
    tools: dict[tuple[str, bool], list[Tool]] = {}
    calls: dict[tuple[int, bool], list[ToolCall]] = {}
    found: list[ToolResult | tuple[tuple[int, bool], Tool, ToolCall]] = []
    for number, line in lines:
        read = _read(number, line)
        if not isinstance(read, tuple):
            found.append(read)
            continue
        tool, call = read
        approved = yes and not is_left_to_nobody(tool, call.arguments)
        candidates = tools.setdefault((tool.name, approved), [])
        if tool not in candidates:
            candidates.append(tool)
        place = (candidates.index(tool), approved)
        calls.setdefault(place, []).append(call)
        found.append((place, tool, call))
    results = {}
    for (number, approved), some in calls.items():
        here = [each[number] for (_, one), each in tools.items() if one is approved and number < len(each)]
        results[number, approved] = iter(_executor(here, approved, seconds).run_all(some))
    return [_with_reason(next(results[each[0]]), *each[1:]) if isinstance(each, tuple) else each for each in found]


def _with_reason(result: ToolResult, tool: Tool, call: ToolCall) -> ToolResult:
    """Return the result of a call; if it failed for lack of approval, with the reason that no flag approves it, if any."""
    from fcregistry._base.call import CallError  # see the top
    from fcregistry._results.result import ToolResult

    error = result.error
    if error is None or error.code != "approval_required":
        return result
    reason = why_no_flag(tool, call.arguments)
    if reason is None or reason in error.message:
        return result
    error = CallError(error.code, f"{error.message} ({reason}: no flag approves it)")
    return ToolResult(result.call, error=error, content=error.text)


def _read(number: int, line: bytes) -> tuple[Tool, ToolCall] | ToolResult:
    """Return the tool and the call in a line, or a failed result if the call cannot be run.

    The code of the error is `malformed_call` if the line is not a call in JSON, `unknown_tool` if there is no such tool or it cannot be defined, and
    `unavailable` if it needs an application.

    Args:
        number: The number of the line, for messages.
        line: The line.
    """
    from fcregistry._base.call import CallError, ToolCall
    from fcregistry._results.result import ToolResult
    from fcregistry.formats import MalformedCallError, read_call

    def failure(call: ToolCall | None, code: str, message: str) -> ToolResult:
        error = CallError(code, message)
        return ToolResult(call, error=error, content=error.text)

    try:
        call = read_call(read_json(line.decode("utf-8-sig").strip()))
    except MalformedCallError as error:
        failed = None if error.id is None else ToolCall("", None, error.id)
        return failure(failed, "malformed_call", f"line {number}: {error}")
    except ValueError as error:
        return failure(None, "malformed_call", f"line {number} is not valid JSON: {error}")
    try:
        tool = registry.get(call.name)
        definition_of(tool).define()  # a tool that cannot be defined fails its own call, not the batch
    except FcregistryError as error:
        return failure(call, "unknown_tool", str(error))
    if reason := only_in_an_application(tool):
        return failure(call, "unavailable", reason)
    return tool, ToolCall(tool.name, call.arguments, call.id)
