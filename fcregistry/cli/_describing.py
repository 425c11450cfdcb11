"""How do commands come to know what plugins ship? Processes of their own import them, so that one that hangs or crashes costs only itself."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from fcregistry.cli._output import remark
from fcregistry.discovery import current

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fcregistry.discovery._found import FoundEntryPoint, FoundPlugin
    from fcregistry.discovery._index._index import Made

_WORTH_A_BAR = 10
"""Plugins that take long enough for somebody to wonder."""


def describe_in_workers() -> None:
    """Have plugins that are not described yet described by worker processes."""
    current().describe = _describe


def say_what_was_wrong() -> None:
    """Say on stderr what was wrong with the index."""
    index = current().index
    for each in index.remarks if index is not None else ():
        remark(each)


def _describe(plugins: Sequence[FoundPlugin], installed: Sequence[FoundEntryPoint]) -> list[Made]:
    from fcregistry.discovery._index._building import described_by_workers  # not needed where all are described

    seconds = _seconds()
    if len(plugins) < _WORTH_A_BAR or not sys.stderr.isatty():
        return described_by_workers(plugins, installed, seconds=seconds)
    with click.progressbar(length=len(plugins), label="Looking into new plugins", file=sys.stderr) as bar:

        def told(made: Made) -> None:
            bar.update(1)

        return described_by_workers(plugins, installed, seconds=seconds, told=told)


def _seconds() -> float:
    """Return how long a plugin may take, as the environment says."""
    from fcregistry.discovery._index._building import SECONDS, SECONDS_VARIABLE
    from fcregistry.errors import ConfigurationError

    text = os.environ.get(SECONDS_VARIABLE, "")
    try:
        seconds = float(text) if text else SECONDS
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 86_400:
        raise ConfigurationError(f"{SECONDS_VARIABLE} is a number of seconds above 0, not {text!r}")
    return seconds
