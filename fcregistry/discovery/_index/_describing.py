"""What does a plugin ship that this process has imported?"""

from __future__ import annotations

import warnings
from itertools import filterfalse
from typing import TYPE_CHECKING

from fcregistry._registry import registry
from fcregistry._tools.declaration import log
from fcregistry._tools.definition import says_of_itself
from fcregistry._tools.names import Owned
from fcregistry._tools.record import PluginRecord, record_of
from fcregistry.discovery._index._fingerprint import loaded_files, stamps
from fcregistry.discovery._index._made import Made
from fcregistry.discovery._outcomes import FailedPlugin
from fcregistry.errors import DefinitionWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fcregistry._ports import Owner
    from fcregistry._tools.declaration import Declaration
    from fcregistry.discovery._found import FoundPlugin
    from fcregistry.discovery._outcomes import LoadedPlugin

DYNAMIC = "FCREGISTRY_DYNAMIC"
"""A module, or a package above it, that sets this to True has tools that depend on the environment: they are asked for each time."""


class Ships:
    """Tells which declarations are whose, as more and more plugins are imported.

    Args:
        owner: Returns the plugin that ships a declaration.
    """

    def __init__(self, owner: Callable[[Declaration], Owner | None]) -> None:
        self._owner = owner
        self._seen: set[Declaration] = set()
        self._by_plugin: dict[tuple[str, str], list[Declaration]] = {}

    def of(self, plugin: FoundPlugin) -> list[Declaration]:
        """Return what a plugin has declared so far."""
        new = list(filterfalse(self._seen.__contains__, log))
        self._seen.update(new)
        for declaration in new:
            if (owner := self._owner(declaration)) is not None:
                key = (owner.distribution, owner.entry_point)
                self._by_plugin.setdefault(key, []).append(declaration)
        return self._by_plugin.get(plugin.key, [])


def describe(outcome: LoadedPlugin | FailedPlugin, declared: Iterable[Declaration]) -> PluginRecord:
    """Return what is known of a plugin that was imported, and of what it declared: before it failed, if it did."""
    plugin = outcome.plugin
    tools = [registry._catalogue.tool(Owned(each, plugin)) for each in declared]
    failed = outcome if isinstance(outcome, FailedPlugin) else None
    with warnings.catch_warnings():  # lint says them to the author; a program that lists tools is not told
        warnings.simplefilter("ignore", DefinitionWarning)
        records = [record_of(tool) for tool in tools]
    return PluginRecord(
        entry_point=plugin.entry_point,
        value=plugin.value,
        tools=sorted(records, key=lambda record: (record["group"], record["name"])),
        dynamic=says_of_itself(plugin.module, DYNAMIC),
        seconds=round(outcome.seconds, 4),
        printed=False,
        changes=[],
        failure=failed.reason if failed else None,
        detail=failed.traceback if failed else "",
        advice=failed.advice if failed else "",
    )


def made_here(
    outcomes: Iterable[LoadedPlugin | FailedPlugin], owner: Callable[[Declaration], Owner | None], since: int
) -> list[Made]:
    """Describe plugins that this process has imported, for the next ones.

    Args:
        outcomes: What became of them.
        owner: Returns the plugin that ships a declaration.
        since: When they began to be imported (ns).
    """
    ships, files = Ships(owner), stamps(loaded_files(), since)
    return [Made.of(each.plugin, describe(each, ships.of(each.plugin)), files, "program") for each in outcomes]


def told_by_manifests(plugins: Iterable[FoundPlugin]) -> list[Made]:
    """Return what those plugins ship that say so in a manifest, as far as that is as new as their code; nothing is imported."""
    from time import time_ns

    from fcregistry.discovery._manifests import Manifest, manifest_of

    since, made = time_ns(), []
    for plugin in plugins:
        told = manifest_of(plugin)
        if isinstance(told, Manifest) and not told.is_stale and not told.record["dynamic"]:
            files = stamps(map(str, (told.path, *told.sources)), since)
            made.append(Made.of(plugin, told.record, files, "manifest"))
    return made
