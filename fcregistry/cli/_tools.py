"""How do commands come to know what plugins ship? Processes of their own import them, so that one that hangs or crashes costs only itself.

MERGED: What does the configuration keep from being used, and when is that worth a remark?

Whoever disables a plugin knows that it is not there. That a lock refuses one is news, and so is that nothing is left at all.
MERGED: What do several commands do with tools: complete their names, tell them as JSON, and say what is not shown?
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

import click

from fcregistry._config.policy import without_locks
from fcregistry._registry import registry
from fcregistry._tools.declaration import log
from fcregistry._tools.selectors import normalized, parse_selector, parse_selectors
from fcregistry._tools.tool import Tool
from fcregistry.cli._output import remark
from fcregistry.discovery import FoundPlugin, current
from fcregistry.discovery._listing import broken_tools, names_starting_with
from fcregistry.errors import SelectorError, ToolNotFoundError
from fcregistry.inspection._lint_core import shipped_tools

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fcregistry.discovery._describe import FreshDescription
    from fcregistry.discovery._found import FoundEntryPoint

# --- cli._describing ---

WORTH_A_BAR: Final = 10
"""Plugins that take long enough for somebody to wonder."""

_PATIENCE: Final = 2.0
"""Seconds after which somebody wonders."""

_DESCRIBING_FEW: Final = 20
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
    plugins: Sequence[FoundPlugin], installed: Sequence[FoundEntryPoint], told: Callable[[FreshDescription], None]
) -> None:
    from fcregistry.discovery._workers import describe_in_workers  # not needed where all are described

    seconds = seconds_for_a_plugin()
    if not sys.stderr.isatty():
        describe_in_workers(plugins, installed, seconds=seconds, told=told)
        return
    if len(plugins) < WORTH_A_BAR:
        with _said_if_slow(plugins, told) as told_too:
            describe_in_workers(plugins, installed, seconds=seconds, told=told_too)
        return
    with click.progressbar(length=len(plugins), label="Looking into new plugins", file=sys.stderr) as bar:

        def told_and_shown(made: FreshDescription) -> None:
            told(made)
            bar.update(1)

        describe_in_workers(plugins, installed, seconds=seconds, told=told_and_shown)


@contextmanager
def _said_if_slow(
    plugins: Sequence[FoundPlugin], told: Callable[[FreshDescription], None]
) -> Iterator[Callable[[FreshDescription], None]]:
    """Say which plugins are still being imported, once somebody has waited for a while and sees nothing."""
    from threading import Timer

    left = {each.key: each.label for each in plugins}

    def told_too(made: FreshDescription) -> None:
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
    plugins: Sequence[FoundPlugin], installed: Sequence[FoundEntryPoint], told: Callable[[FreshDescription], None]
) -> None:
    from fcregistry.discovery._workers import describe_in_workers  # not needed where all are described

    if len(plugins) > _DESCRIBING_FEW:
        return

    def told_if_in_time(made: FreshDescription) -> None:
        if made.record["failure"] is None:  # others have more time, and say what is wrong
            told(made)

    describe_in_workers(plugins, installed, seconds=_SECONDS_WHILE_TYPING, told=told_if_in_time)


def seconds_for_a_plugin() -> float:
    """Return how long a plugin may take, as the environment says."""
    from fcregistry.discovery._workers import IMPORT_SECONDS, IMPORT_SECONDS_VARIABLE
    from fcregistry.errors import ConfigurationError

    text = os.environ.get(IMPORT_SECONDS_VARIABLE, "")
    try:
        seconds = float(text) if text else IMPORT_SECONDS
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 86_400:
        raise ConfigurationError(f"{IMPORT_SECONDS_VARIABLE} is a number of seconds above 0, not {text!r}")
    return seconds


# --- cli._unused ---

_UNUSED_FEW: Final = 3
"""Names that are shown: doctor has them all."""


def mention_unused(is_wanted: Callable[[str], bool], *, is_asked_for: bool) -> None:
    """Say on stderr which plugins are not used, or tools hidden, and what says so.

    Args:
        is_wanted: Tells whether a distribution is spoken of.
        is_asked_for: Whether somebody has asked for that distribution by its name, so that every reason is worth telling.
    """
    refused = [each for each in current().report().disabled if is_wanted(each.plugin.distribution)]
    is_empty = not is_asked_for and _nothing_is_left()
    if not is_asked_for and not is_empty:
        refused = [each for each in refused if _is_refused_by_a_lock(each.plugin)]
    if refused:
        _say("plugin", [each.plugin.label for each in refused], refused[0].reason)
    elif is_empty and (hidden := _hidden()):
        _say("tool", list(hidden), next(iter(hidden.values())))


def _say(noun: str, names: list[str], reason: str) -> None:
    """Say how many there are, the first few, and what closes the first of them."""
    shown = ", ".join(names[:_UNUSED_FEW]) + (", …" if len(names) > _UNUSED_FEW else "")
    be = "is" if len(names) == 1 else "are"
    remark(f"{counted(names, noun)} {be} not used: {shown} (see: fcregistry doctor). {reason}")


def _nothing_is_left() -> bool:
    return next(iter(current().described()), None) is None and not registry._catalogue.seen(log)


def _is_refused_by_a_lock(plugin: FoundPlugin) -> bool:
    with without_locks():
        return current().permission().to_know(plugin) is None


def _hidden() -> dict[str, str]:
    """Return the tools that the configuration hides, each with what says so."""
    permission = current().permission()
    found = ((tool.id, permission.to_see(tool._definition.declaration, plugin)) for plugin, tool in shipped_tools())
    return {each: reason for each, reason in found if reason}


# --- cli._tools ---


def complete_tools(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names that begin with what was typed: plain ones, canonical ones once there is a colon."""
    describe_while_typing()  # a completion is asked for before any command runs
    return sorted(names_starting_with(incomplete))


def tool_named(name: str) -> Tool:
    """Return the tool of a name.

    Raises:
        UsageError: It is a pattern.
        FcregistryError: It is no tool's name, or several tools'.
    """
    check_name(name)
    return registry.get(name)


def check_name(name: str) -> None:
    """Make sure that a text may name one tool.

    Raises:
        UsageError: It is a pattern.
        SelectorError: It is nothing at all.
    """
    selector = parse_selector(name)
    if selector.excludes or not selector.is_exact:
        raise click.UsageError(
            f"{name!r} is a pattern, and one tool is asked for; fcregistry list {name!r} shows which it names"
        )


def local_name(tool: Tool) -> str:
    """Return a tool's name with its group, without its distribution."""
    return tool.id.rpartition(":")[2]


def tool_json(tool: Tool) -> dict[str, Any]:
    """Return what is known of a tool as JSON: which it is and what ships it, and its record."""
    from fcregistry._tools.indexed import record_of  # what makes and checks records, which a list does not need

    owner = tool._owner
    return {
        "id": tool.id,
        "distribution": owner.distribution if owner else None,
        "version": owner.version if owner else None,
        "entry_point": owner.entry_point if owner else None,
        **record_of(tool),
    }


def there_are_none() -> str:
    """Return what is said where there is no tool at all: what to do, or that what is installed has none to be used."""
    if current().plugins:
        return "There are no tools that can be used here."
    return "There are no tools: install a package that ships some, or name a module of yours with -m MODULE."


def mention_what_is_missing(selectors: Iterable[str] = ()) -> None:
    """Say on stderr that plugins failed or are not used, or tools are broken, and who explains it.

    Args:
        selectors: What was asked for; where all of that is of some distributions, the others are not spoken of.
    """
    wanted = _distributions(selectors)
    mention_failed_plugins(selectors)
    ids = [each for distribution, each in broken_tools() if _is_wanted(distribution, wanted)]
    if ids:
        remark(f"{counted(ids, 'tool')} cannot be defined: {', '.join(ids)} (see: fcregistry doctor)")


def mention_failed_plugins(selectors: Iterable[str] = ()) -> None:
    """Say on stderr that plugins failed, or are not used, and who explains it; those of other distributions than asked for apart."""
    wanted = _distributions(selectors)
    labels = [each.label for each in current().failing() if _is_wanted(each.distribution, wanted)]
    if labels:
        remark(f"{counted(labels, 'plugin')} did not load: {', '.join(labels)} (see: fcregistry doctor)")
    if not current().permission().is_open:
        mention_unused(lambda distribution: _is_wanted(distribution, wanted), is_asked_for=wanted is not None)


def mention_why_missing(error: ToolNotFoundError) -> None:
    """Say on stderr what keeps plugins of a distribution from being used, where an error is about its tools and says nothing of that."""
    with suppress(SelectorError):
        is_of_one = parse_selector(error.name).distribution is not None
        if is_of_one and not any(reason in str(error) for reason in _reasons()):
            mention_failed_plugins([error.name])


def _reasons() -> Iterator[str]:
    report = current().report()
    yield from (each.reason for each in report.failed)
    yield from (each.reason for each in report.disabled)


def counted(names: Sized, noun: str) -> str:
    """Return how many there are, in words."""
    return f"{len(names)} {noun}{'' if len(names) == 1 else 's'}"


def _distributions(selectors: Iterable[str]) -> list[str] | None:
    """Return the patterns of the distributions that selectors name; None if one of them names any."""
    named = [each.distribution for each in parse_selectors(selectors) if not each.excludes]
    return [each for each in named if each is not None] if named and None not in named else None


def _is_wanted(distribution: str | None, wanted: list[str] | None) -> bool:
    return wanted is None or (
        distribution is not None and any(fnmatchcase(normalized(distribution), each) for each in wanted)
    )


def only_in_an_application(tool: Tool) -> str | None:
    """Return why a tool cannot be called from the command line, or None if it can."""
    from fcregistry._tools.indexed import record_of  # see `tool_json`

    deps = record_of(tool)["deps"]
    if deps is None:
        return None
    return f"{tool.name} asks for {deps}, which only an application has: it cannot be called here"
