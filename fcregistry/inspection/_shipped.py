"""The tools of installed plugins, including those that the configuration hides.

Locks, comparisons of versions and manifests are about packages: they are the same whatever is configured here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fcregistry._registry import registry
from fcregistry._tools.declaration import local_name, log
from fcregistry._tools.selectors import Owned, by_key, in_effect, normalized
from fcregistry._tools.tool import Tool
from fcregistry.discovery import FoundPlugin, current


def shipped_tools() -> tuple[tuple[FoundPlugin, Tool], ...]:
    """Return the known tools of the plugins that load, each with its plugin, sorted by id.

    Tools that cannot be defined, and rivals of one name, are among them. Imports nothing.
    """
    tools = [(plugin, registry._catalogue.tool(owned)) for plugin, owned in _declared()]
    return tuple(sorted(tools, key=lambda each: each[1].id))


def shipped_by(distribution: str) -> tuple[Tool, ...]:
    """Return the known tools of one distribution, without those that another declaration replaced."""
    wanted = normalized(distribution)
    rivalries = by_key(owned for plugin, owned in _declared() if plugin.project == wanted).values()
    tools = (registry._catalogue.tool(each) for rivals in rivalries for each in in_effect(rivals))
    return tuple(sorted(tools, key=lambda tool: tool.id))


def tools_of_plugin(distribution: str, entry_point: str) -> tuple[Tool, ...]:
    """Return the tools of one plugin, including those that cannot be defined, sorted by id."""
    owner = (distribution, entry_point)
    owned = ((tool, tool._owner) for tool in registry.everything())
    return tuple(
        tool for tool, plugin in owned if plugin is not None and (plugin.distribution, plugin.entry_point) == owner
    )


def _declared() -> list[tuple[FoundPlugin, Owned]]:
    """Return what was declared in this process, and what is only described in the index."""
    discovery = current()
    failing = set(discovery.failing())
    owned = ((discovery.owner(each), each) for each in log)
    made = [(plugin, Owned(each, plugin)) for plugin, each in owned if plugin is not None and plugin not in failing]
    known = discovery.index.described()
    without = failing | {each.plugin for each in discovery.report().loaded}
    described = [(plugin, Owned(each, plugin)) for each, plugin in known if plugin not in without]
    keys = {(plugin, each.key) for plugin, each in made}
    return made + [each for each in described if (each[0], each[1].key) not in keys]


def tool_id(distribution: str, record: Mapping[str, Any]) -> str:
    """Return the canonical id of the tool of a record."""
    return f"{distribution}:{local_name(record['name'], record['group'])}"
