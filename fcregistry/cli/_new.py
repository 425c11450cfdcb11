"""The command `new`: starts a plugin package."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from fcregistry.cli._output import say
from fcregistry.packaging import create_plugin, install_steps, package_name


@click.command("new", short_help="Start a plugin package that is ready to publish.")
@click.argument("name")
@click.option("--path", type=click.Path(path_type=Path), help="The new folder; by default NAME, in the working folder.")
def command(name: str, path: Path | None) -> None:
    """Start a plugin package NAME that is ready to publish.

    It has one tool, a manifest, tests and a CI configuration. Nothing is overwritten: the folder must be new, or empty.
    """
    package = package_name(name)  # before it names a folder
    folder = path if path is not None else Path(name)
    written = create_plugin(name, folder)
    say(f"made {name} in {folder}:")
    for file in written:
        say(f"  {file}")
    say(_next(name, package, folder))


def _next(name: str, package: str, folder: Path) -> str:
    """Return the text that `new` ends with: the commands to run next, and where the tools are.

    Args:
        name: The name of the distribution.
        package: The name of its package.
        folder: The folder of the project; it is entered first unless it is the working folder.
    """
    enter = "" if folder.resolve() == Path.cwd().resolve() else f"  cd {shlex.quote(str(folder))}\n"
    prepare, _, install = install_steps()  # this environment has fcregistry
    return f"""
next:
{enter}  {prepare}
  {install}
  python -m pytest
  fcregistry call {name}:count_text --text 'one two three'

The tools are in src/{package}/tools.py. After a change there: fcregistry manifest build"""
