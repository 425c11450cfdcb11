"""What do installed plugins declare, whatever the configuration hides of it?

A lock, a comparison of versions and a manifest are about packages: what is said of them is the same for everybody.
"""

from __future__ import annotations

from fcregistry._registry import registry
from fcregistry._tools.declaration import log
from fcregistry._tools.names import Owned, by_key, standing
from fcregistry._tools.selectors import normalized
from fcregistry._tools.tool import Tool
from fcregistry.discovery import FoundPlugin, current


def shipped() -> tuple[tuple[FoundPlugin, Tool], ...]:
    """Return what the plugins that load declare, as far as it is known, sorted by id: tools that cannot be defined, and rivals of one name too.

    Imports nothing.
    """
    made = [(plugin, registry._catalogue.tool(owned)) for plugin, owned in _declared()]
    return tuple(sorted(made, key=lambda each: each[1].id))


def shipped_by(distribution: str) -> tuple[Tool, ...]:
    """Return what the plugins of one distribution declare, likewise, without what another declaration took the place of."""
    wanted = normalized(distribution)
    rivalries = by_key(owned for plugin, owned in _declared() if plugin.project == wanted).values()
    tools = (registry._catalogue.tool(each) for rivals in rivalries for each in standing(rivals))
    return tuple(sorted(tools, key=lambda tool: tool.id))


def _declared() -> list[tuple[FoundPlugin, Owned]]:
    """Return the declarations that were made, and of those that are described the rest."""
    discovery = current()
    failing = set(discovery.failing())
    owned = ((discovery.owner(each), each) for each in log)
    made = [(plugin, Owned(each, plugin)) for plugin, each in owned if plugin is not None and plugin not in failing]
    known = () if discovery.index is None else discovery.index.described()
    without = failing | {each.plugin for each in discovery.report().loaded}
    described = [(plugin, Owned(each, plugin)) for each, plugin in known if plugin not in without]
    keys = {(plugin, each.key) for plugin, each in made}
    return made + [each for each in described if (each[0], each[1].key) not in keys]
