"""What is wrong with plugins, as importing them has shown?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from fcregistry.discovery import FoundPlugin, current
from fcregistry.discovery._manifest import place_of
from fcregistry.discovery._permission import Permission
from fcregistry.inspection._doctor._accounts import Account
from fcregistry.inspection._doctor._finding import Finding, not_loaded, note, problem

SLOW: Final = 1.0
"""Seconds above which the import of a plugin is slow: whoever calls a tool of it waits that long."""

_LINE: Final = re.compile(r'^[ |]*File "([^"\n]+)", line (\d+)', re.MULTILINE)
_CRASHED: Final = "\nCurrent thread "
"""What faulthandler writes before the lines of the thread that crashed, the latest first."""


def plugin_findings(accounts: Iterable[Account]) -> Iterator[Finding]:
    """Yield what is wrong with plugins that were imported, or could not be."""
    for each in accounts:
        if each.failure:
            place = own_line(each.plugin, each.detail)
            yield problem(
                each.plugin.label,
                f"does not load: {each.failure}",
                each.advice,
                place=place,
                detail=_stable(each.detail),
            )
        else:
            yield from _loaded(each)


def _loaded(each: Account) -> Iterator[Finding]:
    plugin = each.plugin
    holder = current().whose(plugin.module)
    if not each.ships and holder is not None and holder.project != plugin.project:
        yield problem(
            plugin.label,
            f"ships no tools: {plugin.module}, which it names, is {holder.distribution}'s, and so are the tools in it",
            f"it takes nothing from {holder.distribution}: report this to the authors of {plugin.distribution}, or uninstall it",
        )
    elif not each.ships:
        yield problem(
            plugin.label,
            f"ships no tools: importing {plugin.value} declares none",
            f"modules below {plugin.module} are not imported by themselves: name the one with the tools in the entry point",
        )
    if each.outdated:
        yield problem(
            plugin.label,
            f"runs the code of {plugin.version}, as it was imported: {each.outdated}",
            f"restart this process: it then runs {plugin.distribution} as it is now",
        )
    if each.changes:
        yield problem(
            plugin.label,
            f"changes what others in its process rely on, when it is imported: {'; '.join(each.changes)}",
            f"that belongs into a function which its users call: report this to the authors of {plugin.distribution}",
        )
    if each.printed:
        yield note(
            plugin.label,
            "prints when it is imported",
            f"standard output is for answers: report this to the authors of {plugin.distribution}",
        )
    if each.seconds > SLOW:
        yield note(
            plugin.label,
            f"takes {each.seconds:.1f} seconds to import",
            f"the first call of a tool of it waits for that; python -X importtime -c 'import {plugin.module}' shows what takes so long",
        )


def disabled_findings() -> Iterator[Finding]:
    """Yield the plugins that are not to be imported: because somebody said so, or because they are not what was locked."""
    permission, report = Permission(), current().report()
    refused = {each.plugin.key: each.reason for each in report.disabled}
    described = {each.plugin.key for each in report.described}
    for plugin in current().plugins:
        reason = refused.get(plugin.key)
        if reason is not None and reason == permission.to_trust(plugin):
            yield problem(plugin.label, f"is not loaded: {reason}", "until then none of its tools can be used")
        elif reason is not None and permission.to_know(plugin) is not None:
            yield not_loaded(plugin.label, reason)
        elif reason or (plugin.key in described and (reason := permission.to_import(plugin))):
            advice = "until then it is not imported, and none of its tools can be called"
            yield problem(plugin.label, f"is not loaded: {reason}", advice)


def own_line(plugin: FoundPlugin, detail: str) -> str:
    """Return the line of a plugin's own code where it failed, `file:line`; empty where there is none.

    Args:
        plugin: What was found.
        detail: A traceback as Python writes it, or what its faulthandler says of a crash.
    """
    place = place_of(plugin)
    if place is None:
        return ""
    _, crashed, last = detail.rpartition(_CRASHED)
    lines = _LINE.findall(last)
    for file, line in lines if crashed else reversed(lines):
        if place.name_of(Path(file)) is not None:
            return f"{file}:{line}"
    return ""


def _stable(detail: str) -> str:
    """Return a detail without what differs from one process to the next: the numbers of threads."""
    return re.sub(r"\b0x[0-9a-f]{6,}\b", "0x…", detail)
