"""What several commands do with tools: describe plugins, look up and complete names, and remark what is missing.

Worker processes import plugins to describe them, so that a plugin that hangs or crashes stops only its own process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

import click

from fcregistry._registry import registry
from fcregistry._tools.declaration import log
from fcregistry._tools.selectors import normalized, parse_selector, parse_selectors
from fcregistry._tools.tool import Tool
from fcregistry.cli._output import counted, remark
from fcregistry.discovery import FoundPlugin, broken_tools, current, names_starting_with
from fcregistry.errors import SelectorError, ToolNotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fcregistry.discovery import FoundEntryPoint, FreshDescription


# --- One tool ---


def complete_tools(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names that begin with the typed text: plain names, or canonical ids once it has a colon."""
    describe_while_typing()  # the shell asks for completions before any command runs
    return sorted(names_starting_with(incomplete))


def tool_named(name: str) -> Tool:
    """Return the tool of a name.

    Raises:
        UsageError: It is a pattern.
        FcregistryError: No tool, or several tools, have this name.
    """
    check_name(name)
    return registry.get(name)


def check_name(name: str) -> None:
    """Check that a text can be the name of one tool.

    Raises:
        UsageError: It is a pattern.
        SelectorError: It is not a valid selector.
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
    """Return a tool as JSON: its id, the plugin that ships it, and its record."""
    from fcregistry._tools.indexed import record_of  # makes and checks records, which a list does not need

    owner = tool._owner
    return {
        "id": tool.id,
        "distribution": owner.distribution if owner else None,
        "version": owner.version if owner else None,
        "entry_point": owner.entry_point if owner else None,
        **record_of(tool),
    }


def only_in_an_application(tool: Tool) -> str | None:
    """Return why a tool cannot be called from the command line, or None if it can."""
    from fcregistry._tools.indexed import record_of  # see `tool_json`

    deps = record_of(tool)["deps"]
    if deps is None:
        return None
    return f"{tool.name} asks for {deps}, which only an application has: it cannot be called here"


# --- What is missing ---


def mention_what_is_missing(selectors: Iterable[str] = ()) -> None:
    """Write to stderr which plugins are not used and which tools are broken.

    Args:
        selectors: The selectors of the command; if all of them name distributions, other distributions are ignored.
    """
    wanted = _named_distributions(selectors)
    mention_failed_plugins(selectors)
    ids = [each for distribution, each in broken_tools() if _is_wanted(distribution, wanted)]
    if ids:
        remark(f"{counted(len(ids), 'tool')} cannot be defined: {', '.join(ids)} (see: fcregistry doctor)")


def mention_failed_plugins(selectors: Iterable[str] = ()) -> None:
    """Write to stderr which plugins failed or are not used; `doctor` explains it.

    Args:
        selectors: The selectors of the command; if all of them name distributions, other distributions are ignored.
    """
    wanted = _named_distributions(selectors)
    labels = [each.label for each in current().failing() if _is_wanted(each.distribution, wanted)]
    if labels:
        remark(f"{counted(len(labels), 'plugin')} did not load: {', '.join(labels)} (see: fcregistry doctor)")
    if not current().permission().is_open:
        _mention_unused(lambda distribution: _is_wanted(distribution, wanted), by_name=wanted is not None)


def mention_why_missing(error: ToolNotFoundError) -> None:
    """Write to stderr why a distribution's plugins are not used, if an error does not say it."""
    with suppress(SelectorError):
        is_of_one = parse_selector(error.name).distribution is not None
        if is_of_one and not any(reason in str(error) for reason in _reasons()):
            mention_failed_plugins([error.name])


def _reasons() -> Iterator[str]:
    report = current().report()
    yield from (each.reason for each in report.failed)
    yield from (each.reason for each in report.disabled)


def _named_distributions(selectors: Iterable[str]) -> list[str] | None:
    """Return the patterns of the distributions that selectors name; None if one names none."""
    named = [each.distribution for each in parse_selectors(selectors) if not each.excludes]
    return [each for each in named if each is not None] if named and None not in named else None


def _is_wanted(distribution: str | None, wanted: list[str] | None) -> bool:
    return wanted is None or (
        distribution is not None and any(fnmatchcase(normalized(distribution), each) for each in wanted)
    )


def no_tools_text() -> str:
    """Return the message for an environment without usable tools."""
    if current().plugins:
        return "There are no tools that can be used here."
    return "There are no tools: install a package that ships some, or name a module of yours with -m MODULE."


# --- Plugins and tools that the configuration disables ---

_MOST_NAMES: Final = 3
"""The most names to show: doctor shows them all."""


def _mention_unused(is_wanted: Callable[[str], bool], *, by_name: bool) -> None:
    """Write to stderr which plugins are not used, or which tools are hidden, and by which setting.

    A user who disables a plugin knows it. It is news that a lock refuses one, or that nothing is left at all.

    Args:
        is_wanted: Returns whether a distribution concerns the command.
        by_name: Whether the command names the distribution: then every reason is worth a remark.
    """
    refused = [each for each in current().report().disabled if is_wanted(each.plugin.distribution)]
    is_empty = not by_name and _nothing_is_left()
    if not by_name and not is_empty:
        refused = [each for each in refused if _is_refused_by_a_lock(each.plugin)]
    if refused:
        _remark_unused("plugin", [each.plugin.label for each in refused], refused[0].reason)
    elif is_empty and (hidden := _hidden_tools()):
        _remark_unused("tool", list(hidden), next(iter(hidden.values())))


def _remark_unused(noun: str, names: list[str], reason: str) -> None:
    """Write to stderr how many there are, the first few, and the reason of the first one."""
    shown = ", ".join(names[:_MOST_NAMES]) + (", …" if len(names) > _MOST_NAMES else "")
    be = "is" if len(names) == 1 else "are"
    remark(f"{counted(len(names), noun)} {be} not used: {shown} (see: fcregistry doctor). {reason}")


def _nothing_is_left() -> bool:
    return next(iter(current().described()), None) is None and not registry._catalogue.seen(log)


def _is_refused_by_a_lock(plugin: FoundPlugin) -> bool:
    from fcregistry._config.policy import without_locks  # only where something is configured

    with without_locks():
        return current().permission().to_know(plugin) is None


def _hidden_tools() -> dict[str, str]:
    """Return the ids of the tools that the configuration hides, with the reasons."""
    from fcregistry.inspection import shipped_tools  # only where something is configured

    permission = current().permission()
    found = ((tool.id, permission.to_see(tool._definition.declaration, plugin)) for plugin, tool in shipped_tools())
    return {each: reason for each, reason in found if reason}


# --- Describing plugins ---

WORTH_A_BAR: Final = 10
"""The least number of plugins for a progress bar."""

_PATIENCE: Final = 2.0
"""Seconds of silence before a remark says what is going on."""

_MOST_WHILE_TYPING: Final = 20
_SECONDS_WHILE_TYPING: Final = 2.0
"""The limits for a completion, for which a user waits: how many plugins are described, and how long each may take."""


def describe_in_workers() -> None:
    """Have worker processes describe the plugins that are not described yet."""
    current().describe = _describe


def mention_index_problems() -> None:
    """Write to stderr what was wrong with the index."""
    index = current().index
    for each in dict.fromkeys(
        index.remarks if index is not None else ()
    ):  # once each: the index is tried for each plugin
        remark(each)


def describe_while_typing() -> None:
    """Have worker processes describe new plugins, if they are few and quick."""
    current().describe = _describe_few


def _describe(
    plugins: Sequence[FoundPlugin],
    installed: Sequence[FoundEntryPoint],
    on_described: Callable[[FreshDescription], None],
) -> None:
    from fcregistry.discovery import describe_in_workers  # not needed if all are described

    seconds = seconds_for_a_plugin()
    if not sys.stderr.isatty():
        describe_in_workers(plugins, installed, seconds=seconds, on_described=on_described)
        return
    if len(plugins) < WORTH_A_BAR:
        with _remark_if_slow(plugins, on_described) as keep:
            describe_in_workers(plugins, installed, seconds=seconds, on_described=keep)
        return
    with click.progressbar(length=len(plugins), label="Looking into new plugins", file=sys.stderr) as bar:

        def keep_and_advance(made: FreshDescription) -> None:
            on_described(made)
            bar.update(1)

        describe_in_workers(plugins, installed, seconds=seconds, on_described=keep_and_advance)


@contextmanager
def _remark_if_slow(
    plugins: Sequence[FoundPlugin], on_described: Callable[[FreshDescription], None]
) -> Iterator[Callable[[FreshDescription], None]]:
    """Write to stderr which plugins are still being imported, if that takes long."""
    from threading import Timer

    left = {each.key: each.label for each in plugins}

    def keep(made: FreshDescription) -> None:
        left.pop(made.plugin.key, None)
        on_described(made)

    # A tuple, since `keep` removes plugins meanwhile
    timer = Timer(_PATIENCE, lambda: remark(f"Looking into new plugins: {', '.join(tuple(left.values()))} …"))
    timer.daemon = True
    timer.start()
    try:
        yield keep
    finally:
        timer.cancel()


def _describe_few(
    plugins: Sequence[FoundPlugin],
    installed: Sequence[FoundEntryPoint],
    on_described: Callable[[FreshDescription], None],
) -> None:
    from fcregistry.discovery import describe_in_workers  # not needed if all are described

    if len(plugins) > _MOST_WHILE_TYPING:
        return

    def keep_if_described(made: FreshDescription) -> None:
        if made.record["failure"] is None:  # a plugin that was too slow has more time in another command
            on_described(made)

    describe_in_workers(plugins, installed, seconds=_SECONDS_WHILE_TYPING, on_described=keep_if_described)


def seconds_for_a_plugin() -> float:
    """Return the time limit for importing a plugin, which the environment may set."""
    from fcregistry.discovery import IMPORT_SECONDS, IMPORT_SECONDS_VARIABLE
    from fcregistry.errors import ConfigurationError

    text = os.environ.get(IMPORT_SECONDS_VARIABLE, "")
    try:
        seconds = float(text) if text else IMPORT_SECONDS
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 86_400:
        raise ConfigurationError(f"{IMPORT_SECONDS_VARIABLE} is a number of seconds above 0, not {text!r}")
    return seconds
