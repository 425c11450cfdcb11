"""How is a tool called from the command line?"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import click

from fcregistry._calls import ToolCall, ToolResult
from fcregistry._registry import registry
from fcregistry._tool import Tool
from fcregistry.cli._batch import run_batch
from fcregistry.cli._output import clean, complain, is_terminal, remark
from fcregistry.cli._parameters import options_of, without_option
from fcregistry.cli._tools import complete_tools
from fcregistry.execution import Executor

EXIT_CODES: Final = {
    "malformed_call": 2,
    "unknown_tool": 2,
    "invalid_arguments": 2,
    "approval_required": 3,
    "timeout": 4,
}
"""The error codes that do not exit with 1."""


@click.command("call", context_settings={"allow_interspersed_args": False})
@click.argument("name", required=False, shell_complete=complete_tools)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option("--json", "as_json", is_flag=True, help="Write the result as JSON, on a terminal too.")
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write the result to a file: bytes as they are."
)
@click.option("--yes", is_flag=True, help="Approve the call of a tool that requires approval.")
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
    output: Path | None,
    yes: bool,
    batch: bool,
) -> None:
    """Call the tool NAME. What stands after NAME is the tool's own.

    The tool's arguments are options (fcregistry call NAME --help lists them), one JSON object, '-' for a JSON object on standard input, or
    '@FILE' for one in a file.

    Exits with 0 if all is well, 1 if the tool failed, 2 for wrong usage or invalid arguments, 3 if approval is needed and there is nobody
    to ask, 4 if time ran out.
    """
    if batch:
        ctx.exit(run_batch(name, arguments, _approver(yes)))
    if name is None:
        raise click.UsageError("name the tool to call; fcregistry list shows which there are")
    if output is not None:
        _check_writable(output)
    tool = registry.get(name)
    given = _arguments(ctx, name, tool, list(arguments))
    result = Executor([tool], approve=_approver(yes)).run(ToolCall(tool.name, given))
    if result.error is not None:
        complain(result.error.text)
        if result.error.code == "invalid_arguments":
            remark(f"(fcregistry call {name} --help lists the tool's options)")
        ctx.exit(EXIT_CODES.get(result.error.code, 1))
    _write(result, as_json, output)


def _approver(yes: bool) -> Any:
    if yes:
        return lambda tool, call: True
    if sys.stdin.isatty() and sys.stderr.isatty():
        return _ask
    return None


def _ask(tool: Tool, call: ToolCall) -> bool:
    shown = json.dumps(call.arguments, ensure_ascii=False)
    return click.confirm(clean(f"{tool.id} requires approval. Call it with {shown}?"), err=True)


def _arguments(ctx: click.Context, name: str, tool: Tool, words: list[str]) -> dict[str, Any] | str:
    """Return the arguments as a JSON object or its text: from options, from one JSON word, or both, options first."""
    parser = _tool_command(name, tool)
    # An underscore for a dash is as good: --num_days and --num-days.
    settings: dict[str, Any] = {
        "token_normalize_func": lambda token: token.replace("_", "-"),
        "help_option_names": ["-h", "--help"],
    }
    with parser.make_context(f"{ctx.command_path} {name}", words, **settings) as inner:
        values = dict(inner.params)
    text = _json_text(values.pop("json", None))
    extra = _extra(values.pop("arg", ()), ctx)
    options = {key: _listed(value) for key, value in values.items() if value is not None and value != ()}
    if text is None:
        return {**options, **extra}
    if not options and not extra:
        return text  # as it is: the executor reads it strictly
    try:
        base = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"the arguments are no JSON: {error}") from error
    if not isinstance(base, dict):
        raise click.UsageError("the arguments are no JSON object")
    return {**base, **options, **extra}


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _tool_command(name: str, tool: Tool) -> click.Command:
    text = tool.description
    parameters: list[click.Parameter] = [
        click.Argument(["json"], required=False, metavar="[JSON|-|@FILE]"),
        *options_of(tool),
        click.Option(["--arg", "arg"], multiple=True, metavar="NAME=JSON", help=_arg_help(tool)),
    ]
    return click.Command(
        name, params=parameters, help="\b\n" + clean(text).replace("\n\n", "\n\n\b\n") if text else None
    )


def _arg_help(tool: Tool) -> str:
    only = without_option(tool)
    return (
        f"Any argument by name; the only way to give {', '.join(map(clean, only))}."
        if only
        else "Any argument by name."
    )


def _json_text(word: str | None) -> str | None:
    if word is None:
        return None
    try:
        if word == "-":
            return sys.stdin.read()
        if word.startswith("@"):
            return Path(word[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"cannot read {'standard input' if word == '-' else word[1:]}: {error}") from error
    return word


def _extra(pairs: Iterable[str], ctx: click.Context) -> dict[str, Any]:
    extra = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise click.UsageError(f"--arg takes NAME=JSON, not {pair!r}")
        try:
            extra[name] = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise click.UsageError(
                f"--arg {name}: {text!r} is no JSON ({error}); a string needs its quotes: --arg '{name}=\"…\"'"
            ) from error
    return extra


def _check_writable(path: Path) -> None:
    """Say before the tool runs, rather than after, that its result could not be kept."""
    folder = path.parent
    if not folder.is_dir():
        raise click.UsageError(f"--output: there is no folder {folder}")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise click.UsageError(f"--output: {path} cannot be written")


def _write(result: ToolResult, as_json: bool, output: Path | None) -> None:
    value = result.value
    if output is not None:
        output.write_bytes(
            bytes(value)
            if isinstance(value, (bytes, bytearray))
            else (_text(result) + "\n").encode("utf-8", "backslashreplace")
        )
    elif isinstance(value, (bytes, bytearray)) and is_terminal() and not as_json:
        remark(f"{len(value)} bytes; --output FILE writes them to a file")
    elif as_json or not is_terminal():
        click.echo(json.dumps(value, ensure_ascii=False) if type(value) is str else result.content)
    else:
        click.echo(clean(_text(result)))


def _text(result: ToolResult) -> str:
    """Return a result as a person reads it: text as it is, JSON indented."""
    if type(result.value) is str:
        return result.content
    return json.dumps(json.loads(result.content), indent=2, ensure_ascii=False)
