"""The command `fcregistry-mcp`. It serves tools that are installed, or in a module, to one program."""

from __future__ import annotations

import importlib
import sys
from contextlib import redirect_stdout

import click
from fcregistry import Executor
from fcregistry.errors import FcregistryError
from fcregistry.execution import Policy

_EVERYTHING = "'*' for all of them"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("selectors", nargs=-1, metavar="SELECTOR...")
@click.option(
    "-m", "--module", "modules", multiple=True, metavar="MODULE", help="Import a module first; its tools are there too."
)
@click.option(
    "--allow",
    multiple=True,
    metavar="SELECTOR",
    help="Tools that run though they require approval: where the program that calls them asks whoever sits before it.",
)
@click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="How long a call may take."
)
@click.version_option(package_name="fcregistry-mcp")
def main(selectors: tuple[str, ...], modules: tuple[str, ...], allow: tuple[str, ...], timeout: float | None) -> None:
    """Serve tools over the Model Context Protocol, on the standard streams.

    A SELECTOR names them as everywhere in fcregistry: get_weather, 'acme-weather:*', tag=read, '!delete_*'.
    A tool that requires approval does not run, unless --allow names it.
    """
    if not selectors:
        raise click.UsageError(f"say which tools are served, such as 'acme-weather:*'; {_EVERYTHING}")
    with redirect_stdout(sys.stderr):  # the output is the protocol's, and a module may print when it is imported
        for module in modules:
            _import(module)
        try:
            executor = Executor(selectors, policy=Policy(allow=allow) if allow else None, timeout=timeout)
        except FcregistryError as error:
            raise click.UsageError(str(error)) from error

    try:
        _serve(executor)
    except KeyboardInterrupt:
        sys.exit(130)


def _serve(executor: Executor) -> None:
    from fcregistry_mcp._serving import serve  # heavy, and for nothing where the words are wrong

    try:
        with executor:
            serve(executor)
    except* BrokenPipeError:  # whoever read the answers is gone, and so is what there was to do
        sys.unraisablehook = (
            _but_for_pipes  # what the SDK had still to write is tried again, and complained of, at the end
        )


def _but_for_pipes(unraisable: sys.UnraisableHookArgs) -> None:
    if not isinstance(unraisable.exc_value, BrokenPipeError):
        sys.__unraisablehook__(unraisable)


def _import(module: str) -> None:
    if "" not in sys.path:
        sys.path.append("")  # after what is installed: a file here is not to stand for a module of an installed package
    try:
        importlib.import_module(module)
    except Exception as error:  # foreign code: importing a module may raise anything
        raise click.UsageError(f"the module {module!r} does not import: {type(error).__name__}: {error}") from error
