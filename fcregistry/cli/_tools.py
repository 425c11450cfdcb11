"""What do several commands do with tools: complete their names, tell them as JSON, and say what is not shown?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import Any

import click

from fcregistry._registry import registry
from fcregistry._tools.selectors import normalized, parse_selector, parse_selectors
from fcregistry._tools.tool import Tool
from fcregistry.cli._output import remark
from fcregistry.discovery import current
from fcregistry.discovery._listing import broken, names
from fcregistry.errors import SelectorError, ToolNotFoundError


def complete_tools(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names that begin with what was typed: plain ones, canonical ones once there is a colon."""
    from fcregistry.cli._describing import describe_while_typing

    describe_while_typing()  # a completion is asked for before any command runs
    return sorted(names(incomplete))


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
    from fcregistry._tools.record import record_of  # what makes and checks records, which a list does not need

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
    ids = [each for distribution, each in broken() if _is_wanted(distribution, wanted)]
    if ids:
        remark(f"{counted(ids, 'tool')} cannot be defined: {', '.join(ids)} (see: fcregistry doctor)")


def mention_failed_plugins(selectors: Iterable[str] = ()) -> None:
    """Say on stderr that plugins failed, or are not used, and who explains it; those of other distributions than asked for apart."""
    wanted = _distributions(selectors)
    labels = [each.label for each in current().failing() if _is_wanted(each.distribution, wanted)]
    if labels:
        remark(f"{counted(labels, 'plugin')} did not load: {', '.join(labels)} (see: fcregistry doctor)")
    if not current().permission().is_open:
        from fcregistry.cli._unused import mention_unused  # only where something is configured

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
    from fcregistry._tools.record import record_of  # see `tool_json`

    deps = record_of(tool)["deps"]
    if deps is None:
        return None
    return f"{tool.name} asks for {deps}, which only an application has: it cannot be called here"
