"""The commands as click has them: its runner runs them in process."""

from __future__ import annotations

import click

from fcregistry.cli._main import COMMANDS, cli  # no public name gives a command: `main` ends as a process does

__all__ = ["COMMANDS", "command"]


def command(name: str) -> click.Command:
    """Return a command."""
    found = cli.get_command(click.Context(cli), name)
    assert found is not None
    return found
