"""The table of commands, the commands that packages add, and the exit codes of the process.

0    success
1    the tool failed, or its call was denied; or doctor or lint found something; or the output could not be written; or a package's command
     does not load
2    wrong usage, an unknown tool, or invalid arguments; or a package's command that must not be used
3    the tool needs approval, and nobody can be asked
4    the tool did not answer in time
130  interrupted; in the first moments the process ends by the signal, which a shell reports as 130 too
141  the reader of the output closed it
"""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from contextlib import ExitStack, redirect_stderr, suppress
from io import FileIO
from typing import TYPE_CHECKING, Any, Final

import click
from click.exceptions import NoArgsIsHelpError

from fcregistry._version import __version__
from fcregistry.cli._output import begin_hints_with, clean, complain, program, remark
from fcregistry.errors import DefinitionWarning, FcregistryError, ToolNotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.shell_completion import CompletionItem

    from fcregistry.discovery import FoundCommand

COMMANDS: Final = {
    "ask": "Ask a model, which may call tools.",
    "call": "Call a tool.",
    "completion": "Write the script for completion in a shell.",
    "config": "Show the settings, and what sets them.",
    "diff": "Show what changed between two versions, and what that breaks.",
    "doctor": "Explain every failure and conflict.",
    "groups": "List the groups of tools.",
    "lint": "Find problems that models and providers have with tools.",
    "list": "List the installed tools.",
    "lock": "Pin the installed tools, and show what has changed since.",
    "manifest": "Write or show the manifests of a package.",
    "models": "List the prefixes of models, and what is downloaded.",
    "new": "Start a plugin package that is ready to publish.",
    "plugins": "List the installed plugins, extensions and commands.",
    "search": "Find tools by words.",
    "show": "Show a tool: its parameters, its options and its origin.",
}
"""Command -> what it is for, sorted. The module `_NAME` in this folder has the command as `command`."""

_COMPLETING: Final = "_FCREGISTRY_COMPLETE"
"""The variable by which a shell asks for completions: then nothing but these may be printed into its prompt."""

INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141


class _Commands(click.Group):
    """Imports a command when it is used: fcregistry's own, or that of an installed package."""

    def invoke(self, ctx: click.Context) -> None:
        super().invoke(ctx)  # a command sets an exit code by `ctx.exit`, and may return anything

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return _load_command_of_package(cmd_name)
        command: click.Command = importlib.import_module(f"fcregistry.cli._{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))
        try:
            found = _commands_of_packages()
        except FcregistryError as error:  # the configuration cannot be read; help is what the user needs then
            remark(f"the commands that packages ship are not listed: {error}")
            return
        if found:
            with formatter.section("Commands of packages"):
                formatter.write_dl([(name, clean(f"From {each.distribution}.")) for name, each in found.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        from click.shell_completion import CompletionItem  # loaded already: only completion comes here

        texts = dict(COMMANDS)
        with suppress(FcregistryError):  # the configuration cannot be read
            texts |= {name: f"From {each.distribution}." for name, each in _commands_of_packages().items()}
        named = [CompletionItem(name, help=text) for name, text in texts.items() if name.startswith(incomplete)]
        return named + click.Command.shell_complete(self, ctx, incomplete)  # the group's method imports all commands

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, *rest = args
        command = self.get_command(ctx, name)
        if command is None and not ctx.resilient_parsing:
            from fcregistry._tools.selectors import did_you_mean, nearest  # only on the way to an error

            known = [*COMMANDS, *_commands_of_packages()]
            instead = did_you_mean(nearest(name, known)) or f"; the commands are {', '.join(known)}"
            raise click.UsageError(f"there is no command {name!r}{instead}", ctx)
        return name if command else None, command, rest


def _commands_of_packages() -> dict[str, FoundCommand]:
    """Return the usable commands of packages, by the names that call them, without importing any."""
    from fcregistry import discovery  # fcregistry's own commands do without it

    return discovery.listed_commands(COMMANDS, lambda: discovery.current().found_commands)


def _load_command_of_package(name: str) -> click.Command | None:
    """Import and return the command of a package that `name` calls; None if no package has such a command.

    The plugins are described first, in worker processes.

    Raises:
        ClickException: The command does not load.
        PluginError: The command must not be imported, or several packages ship a command of this name.
    """
    from fcregistry.cli._tools import describe_in_workers
    from fcregistry.discovery import FailedEntryPoint, current, load_command

    describe_in_workers()  # before anything is looked up, since the command may use tools
    found = current().commands.get(name)
    if found is None:
        return None
    loaded = load_command(found)
    if isinstance(loaded, FailedEntryPoint):
        why = f"the command {found.id} does not load: {loaded.reason}; {loaded.advice} (fcregistry doctor -v shows the traceback)"
        raise click.ClickException(why)
    assert isinstance(loaded, click.Command)
    return loaded


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="fcregistry")
@click.option(
    "-m",
    "--module",
    "modules",
    multiple=True,
    metavar="MODULE",
    help="Import this module first, so that its tools are available.",
)
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Say more: what is wrong with the index of tools; with call, the traceback of a tool that fails.",
)
@click.pass_context
def cli(ctx: click.Context, modules: tuple[str, ...], verbose: bool) -> None:
    """List, inspect and call the tools that installed packages ship."""
    from fcregistry.cli._tools import describe_in_workers, import_modules, mention_index_problems  # --help needs none
    from fcregistry.discovery import current

    describe_in_workers()
    current().commands.built_in = COMMANDS
    begin_hints_with(modules)
    if verbose:
        ctx.call_on_close(mention_index_problems)
    if modules:
        import_modules(modules)


def run(args: list[str] | None, listen: Callable[[bool], object] = lambda on: None) -> int:
    """Run a command, and return the exit code of the process.

    Args:
        args: The words after the program's name; None for those of the process.
        listen: Called with True as soon as this function handles interrupts, and with False before it no longer does.
    """
    _repair_streams()
    _shorten_warnings()
    try:
        with ExitStack() as streams:
            if _COMPLETING in os.environ:  # what a plugin writes must not mix with the line that is completed
                nowhere = streams.enter_context(open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123
                streams.enter_context(redirect_stderr(nowhere))
            code = _run(args, listen)
        listen(False)
    except (KeyboardInterrupt, RuntimeError) as error:  # also while an error is explained
        # While a class is made, Python 3.11 wraps what `__set_name__` raises.
        if isinstance(error, RuntimeError) and not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        listen(False)
        complain("interrupted")
        return INTERRUPTED
    return code


def _run(args: list[str] | None, listen: Callable[[bool], object]) -> int:
    """Run a command, write its error to stderr if it fails, and return the exit code.

    Args:
        args: The words of the command line; None for those of the process.
        listen: Called with True when the command begins.
    """
    stdout = sys.stdout
    try:
        listen(True)
        code: Any = cli.main(args, prog_name="fcregistry", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        return _show(error)
    except click.Abort:
        complain("interrupted")
        return INTERRUPTED
    except FcregistryError as error:
        if _COMPLETING in os.environ:
            return 0
        complain(str(error).replace("`fcregistry ", f"`{program()} "))
        if isinstance(error, ToolNotFoundError):
            from fcregistry.cli._tools import mention_why_missing  # only on the way to an error

            mention_why_missing(error)
        return 2
    except OSError as error:
        what = "" if error.filename is None else f" {error.filename}"  # the output has no name
        complain(f"cannot read or write{what}: {error.strerror or error}")
        return _discard_output(1)
    except SystemExit as done:
        if sys.stdout is not stdout:  # click has replaced it, since nobody reads it any more
            return _discard_output(BROKEN_PIPE)
        if isinstance(done.code, str):
            remark(done.code)  # as Python does
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    return code if isinstance(code, int) else 0


def _shorten_warnings() -> None:
    """From now on, write warnings for plugin authors (`DefinitionWarning`) to stderr as one line each.

    The source line that Python shows is left out. Other warnings are shown as before.
    """
    python_shows = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *more: Any, **named: Any) -> None:
        if issubclass(category, DefinitionWarning):
            remark(f"Warning: {message}")
        else:
            python_shows(message, category, *more, **named)

    warnings.showwarning = show


def _repair_streams() -> None:
    """Replace closed standard streams (`>&-`) by the null device, for the whole process.

    The other output streams escape characters that they cannot encode, and get a buffer if they have none (`PYTHONUNBUFFERED`): without
    one, Python loses what a full disk or a closed pipe does not take of a text.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115  # for the whole process
        elif mode == "w" and hasattr(stream, "reconfigure"):
            if stream is getattr(sys, f"__{name}__") and isinstance(stream.buffer, FileIO):
                stream = open(stream.fileno(), "w", 1, stream.encoding, closefd=False)  # noqa: SIM115  # as above
                setattr(sys, name, stream)
            stream.reconfigure(errors="backslashreplace")


def _show(error: click.ClickException) -> int:
    """Write an error of click to stderr, after the usage if that was wrong; return its exit code."""
    if isinstance(error, NoArgsIsHelpError):
        remark(error.format_message())
    elif isinstance(error, click.NoSuchOption) and error.option_name in ("-m", "--module"):
        complain(f"{error.option_name} goes before the command: fcregistry {error.option_name} MODULE COMMAND …")
    elif isinstance(error, click.UsageError) and error.ctx is not None:
        remark(error.ctx.get_usage())
        complain(error.format_message())
    else:
        complain(error.format_message())
    return error.exit_code


def _discard_output(code: int) -> int:
    """Send further output to the null device, so that Python does not report a closed pipe; return `code`."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code
