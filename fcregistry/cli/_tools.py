"""What do several commands do with tools: complete their names, tell them as JSON, and say what is not shown?"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

import click

from fcregistry._records import record_of
from fcregistry._registry import registry
from fcregistry._selectors import normalized, parse_selector, parse_selectors
from fcregistry._tool import Tool
from fcregistry.cli._output import remark
from fcregistry.discovery import current
from fcregistry.discovery._listing import broken, names


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
    owner = tool._owner
    return {
        "id": tool.id,
        "distribution": owner.distribution if owner else None,
        "version": owner.version if owner else None,
        "entry_point": owner.entry_point if owner else None,
        **record_of(tool),
    }


def mention_what_is_missing(selectors: Iterable[str] = ()) -> None:
    """Say on stderr that plugins failed or are not used, or tools are broken, and who explains it.

    Args:
        selectors: What was asked for; where all of that is of some distributions, the others are not spoken of.
    """
    wanted = _distributions(selectors)
    mention_failed_plugins(selectors)
    ids = [each for distribution, each in broken() if _is_wanted(distribution, wanted)]
    if ids:
        remark(f"{_counted(ids, 'tool')} cannot be defined: {', '.join(ids)} (see: fcregistry doctor)")


def mention_failed_plugins(selectors: Iterable[str] = ()) -> None:
    """Say on stderr that plugins failed, or are not used, and who explains it; those of other distributions than asked for apart."""
    wanted = _distributions(selectors)
    labels = [each.label for each in current().failing() if _is_wanted(each.distribution, wanted)]
    if labels:
        remark(f"{_counted(labels, 'plugin')} did not load: {', '.join(labels)} (see: fcregistry doctor)")
    permission = current().permission()
    if permission.is_open:
        return
    refused = [each for each in current().report().disabled if _is_wanted(each.plugin.distribution, wanted)]
    nothing_left = wanted is None and _nothing_is_left()
    if wanted is None and not nothing_left:  # whoever disables a plugin knows that it is; that a lock refuses one is news
        refused = [each for each in refused if _is_refused_by_a_lock(each.plugin)]
    if refused:
        _mention_unused([each.plugin.label for each in refused], "plugin", refused[0].reason)
    if nothing_left:
        seen = ((tool.id, permission.to_see(tool._definition.declaration, plugin)) for plugin, tool in shipped())
        hidden = {each: reason for each, reason in seen if reason}
        if hidden and not refused:
            _mention_unused(list(hidden), "tool", next(iter(hidden.values())))


def mention_why_missing(error: ToolNotFoundError) -> None:
    """Say on stderr what keeps plugins of a distribution from being used, where an error is about a tool of it and says nothing of that."""
    try:
        is_of_one = error.name is not None and parse_selector(error.name).distribution is not None
    except SelectorError:
        return
    if is_of_one and error.name is not None and not any(each.reason in str(error) for each in current().report()):
        mention_failed_plugins([error.name])


def _mention_unused(names: list[str], noun: str, reason: str) -> None:
    """Say which plugins or tools the configuration closes, by the first few, and what closes the first of them."""
    shown = ", ".join(names[:_FEW]) + (", …" if len(names) > _FEW else "")
    remark(f"{_counted(names, noun)} not used: {shown} (see: fcregistry doctor): {reason}")


def _counted(names: list[str], noun: str) -> str:
    return f"{len(names)} {noun}{'' if len(names) == 1 else 's'}"


def _nothing_is_left() -> bool:
    return next(iter(current().described()), None) is None and not registry._catalogue.seen(log)


def _is_refused_by_a_lock(plugin: FoundPlugin) -> bool:
    with without_locks():
        return current().permission().to_know(plugin) is None


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
    deps = record_of(tool)["deps"]
    if deps is None:
        return None
    return f"{tool.name} asks for {deps}, which only an application has: it cannot be called here"
