"""How do commands come to know what plugins ship? Processes of their own import them, so that one that hangs or crashes costs only itself."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from fcregistry.cli._output import remark
from fcregistry.discovery import current

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fcregistry.discovery._describe import Made
    from fcregistry.discovery._found import FoundEntryPoint, FoundPlugin

WORTH_A_BAR: Final = 10
"""Plugins that take long enough for somebody to wonder."""

_PATIENCE: Final = 2.0
"""Seconds after which somebody wonders."""

_FEW: Final = 20
_SECONDS_WHILE_TYPING: Final = 2.0


def describe_in_workers() -> None:
    """Have plugins that are not described yet described by worker processes."""
    current().describe = _describe


def say_what_was_wrong() -> None:
    """Say on stderr what was wrong with the index."""
    index = current().index
    for each in dict.fromkeys(index.remarks if index is not None else ()):  # which was tried for each plugin
        remark(each)


def describe_while_typing() -> None:
    """Have few of them described, and quickly, and let the others be: somebody waits for the name to be completed."""
    current().describe = _describe_few


def _describe(
    plugins: Sequence[FoundPlugin], installed: Sequence[FoundEntryPoint], told: Callable[[Made], None]
) -> None:
    from fcregistry.discovery._workers import described_by_workers  # not needed where all are described

    seconds = seconds_for_a_plugin()
    if not sys.stderr.isatty():
        described_by_workers(plugins, installed, seconds=seconds, told=told)
        return
    if len(plugins) < WORTH_A_BAR:
        with _said_if_slow(plugins, told) as told_too:
            described_by_workers(plugins, installed, seconds=seconds, told=told_too)
        return
    with click.progressbar(length=len(plugins), label="Looking into new plugins", file=sys.stderr) as bar:

        def told_and_shown(made: Made) -> None:
            told(made)
            bar.update(1)

        described_by_workers(plugins, installed, seconds=seconds, told=told_and_shown)


@contextmanager
def _said_if_slow(plugins: Sequence[FoundPlugin], told: Callable[[Made], None]) -> Iterator[Callable[[Made], None]]:
    """Say which plugins are still being imported, once somebody has waited for a while and sees nothing."""
    from threading import Timer

    left = {each.key: each.label for each in plugins}

    def told_too(made: Made) -> None:
        left.pop(made.plugin.key, None)
        told(made)

    # A tuple, since others are told of meanwhile
    timer = Timer(_PATIENCE, lambda: remark(f"Looking into new plugins: {', '.join(tuple(left.values()))} …"))
    timer.daemon = True
    timer.start()
    try:
        yield told_too
    finally:
        timer.cancel()


def _describe_few(
    plugins: Sequence[FoundPlugin], installed: Sequence[FoundEntryPoint], told: Callable[[Made], None]
) -> None:
    from fcregistry.discovery._workers import described_by_workers  # not needed where all are described

    if len(plugins) > _FEW:
        return

    def told_if_in_time(made: Made) -> None:
        if made.record["failure"] is None:  # others have more time, and say what is wrong
            told(made)

    described_by_workers(plugins, installed, seconds=_SECONDS_WHILE_TYPING, told=told_if_in_time)


def seconds_for_a_plugin() -> float:
    """Return how long a plugin may take, as the environment says."""
    from fcregistry.discovery._workers import SECONDS, SECONDS_VARIABLE
    from fcregistry.errors import ConfigurationError

    text = os.environ.get(SECONDS_VARIABLE, "")
    try:
        seconds = float(text) if text else SECONDS
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 86_400:
        raise ConfigurationError(f"{SECONDS_VARIABLE} is a number of seconds above 0, not {text!r}")
    return seconds
