"""The commands `fcregistry-mcp` and `fcregistry mcp serve`, which serve installed tools, or those of a module, to one program."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout

import click
from fcregistry import Executor
from fcregistry.cli import import_modules
from fcregistry.errors import FcregistryError, MissingDependencyError
from fcregistry.execution import Policy


@click.command(
    short_help="Serve tools on the standard streams.", context_settings={"help_option_names": ["-h", "--help"]}
)
@click.argument("selectors", nargs=-1, metavar="SELECTOR...")
@click.option(
    "-m", "--module", "modules", multiple=True, metavar="MODULE", help="Import a module first, for its tools."
)
@click.option(
    "--allow",
    multiple=True,
    metavar="SELECTOR",
    help="Tools that run although they require approval. Use it if the calling program asks its user itself.",
)
@click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="How long a call may take."
)
@click.version_option(package_name="fcregistry-mcp")
def main(selectors: tuple[str, ...], modules: tuple[str, ...], allow: tuple[str, ...], timeout: float | None) -> None:
    """Serve tools over the Model Context Protocol, on the standard streams.

    A SELECTOR names tools, as everywhere in fcregistry: get_weather, 'acme-weather:*', tag=read, '!delete_*'.
    A tool that requires approval does not run, unless --allow names it.
    """
    if not selectors:
        raise click.UsageError("name the tools to serve, such as 'acme-weather:*'; '*' serves all of them")
    with redirect_stdout(sys.stderr):  # standard output carries the protocol, and plugins may print
        if modules:
            import_modules(modules)
        try:
            executor = Executor(selectors, policy=Policy(allow=allow) if allow else None, timeout=timeout)
        except FcregistryError as error:
            raise click.UsageError(str(error)) from error

    try:
        _serve(executor)
    except KeyboardInterrupt:
        sys.exit(130)


@click.group()
def mcp() -> None:
    """Serve tools over the Model Context Protocol (MCP)."""


mcp.add_command(main, "serve")


def _serve(executor: Executor) -> None:
    """Serve the tools of `executor` until the client closes the streams."""
    try:
        from fcregistry_mcp import serve  # heavy: not imported before the arguments are known to be right
    except MissingDependencyError as error:
        raise click.ClickException(str(error)) from error

    try:
        with executor:
            serve(executor)
    except* BrokenPipeError:  # the client is gone, so there is nothing left to do
        # At exit, the SDK's stream tries to write its rest again, which would print a warning.
        sys.unraisablehook = _ignore_broken_pipes


def _ignore_broken_pipes(unraisable: sys.UnraisableHookArgs) -> None:
    """Report an exception that cannot be raised, unless it is a `BrokenPipeError`: a hook of `sys`."""
    if not isinstance(unraisable.exc_value, BrokenPipeError):
        sys.__unraisablehook__(unraisable)
