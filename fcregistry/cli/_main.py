"""Which commands are there, and what does the process exit with?

0    fine
1    the tool failed; or doctor found something
2    wrong usage, an unknown tool, or invalid arguments
3    the tool needs approval, and there is nobody to ask
4    the tool did not answer in time
130  interrupted
141  the reader of the output went away
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from fcregistry._version import __version__
from fcregistry.cli._output import complain
from fcregistry.errors import FcregistryError

COMMANDS: Final = ("call", "doctor", "groups", "list", "plugins", "show")
"""One row a command: the module `_NAME` in this folder, which holds it as `command`."""

INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141


class _Commands(click.Group):
    """Imports a command when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"fcregistry.cli._{cmd_name}").command
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="fcregistry")
@click.option(
    "-m", "--module", "modules", multiple=True, metavar="MODULE", help="Import a module first; its tools are there too."
)
def cli(modules: tuple[str, ...]) -> None:
    """List, inspect and call the tools that installed packages ship."""
    if modules:
        sys.path.insert(0, str(Path.cwd()))
        for module in modules:
            _import(module)


def _import(module: str) -> None:
    try:
        importlib.import_module(module)
    except Exception as error:  # the user's own code: whatever it raises on import, say where and stop
        raise click.UsageError(f"the module {module!r} does not import: {type(error).__name__}: {error}") from error


def main(args: list[str] | None = None) -> NoReturn:
    """Run a command and exit with its code."""
    sys.exit(_run(args))


def _run(args: list[str] | None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # text from strangers may hold what the terminal's encoding has not
            stream.reconfigure(errors="backslashreplace")
    try:
        code: Any = cli.main(args, prog_name="fcregistry", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        return _show(error)
    except (click.Abort, KeyboardInterrupt):
        complain("interrupted")
        return INTERRUPTED
    except FcregistryError as error:
        complain(str(error))
        return 2
    except BrokenPipeError:
        return _gone()
    except SystemExit as done:  # click's own answer to a closed pipe
        return _gone() if done.code == 1 else int(done.code or 0)
    return code if isinstance(code, int) else 0


def _show(error: click.ClickException) -> int:
    if isinstance(error, click.UsageError) and error.ctx is not None:
        click.echo(error.ctx.get_usage(), err=True)
    complain(error.format_message())
    return error.exit_code


def _gone() -> int:
    """Keep the interpreter from complaining, when it exits, that nobody reads its output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return BROKEN_PIPE
