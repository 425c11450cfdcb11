"""What is there to list? Told from the index as it stands there, where it is all there is: thousands of tools, and nothing is made of them."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple

from fcregistry._declarations import local_name, log
from fcregistry._described import Described
from fcregistry._registry import registry
from fcregistry.discovery._discovery import current

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry._naming import Owned
    from fcregistry.discovery._found import FoundPlugin
    from fcregistry.discovery._index._index import Index


class Listed(NamedTuple):
    """One line of a list of tools.

    Attributes:
        name: The tool's name, for the order.
        id: Its canonical id.
        local_name: Its name with its group, without the default one.
        distribution: What ships it; None for the application.
        summary: The first paragraph of its description, as one line.
        is_deprecated: Whether it says so of itself.
    """

    name: str
    id: str
    local_name: str
    distribution: str | None
    summary: str
    is_deprecated: bool


def listed(selectors: Iterable[str] = ()) -> list[Listed]:
    """Return a line for each tool that selectors name, as `registry.find` has them; without any, for all there are.

    Raises:
        SelectorError: One is no selector.
        ToolNotFoundError: One, an excluding one apart, matches nothing.
        AmbiguousToolError: A plain name that several tools have.
    """
    wanted = tuple(selectors)
    index = None if wanted else _all_there_is()
    lines = None if index is None else _from(index)
    return [_of(owned) for owned, _ in registry._chosen(wanted)] if lines is None else lines


def texts() -> list[tuple[FoundPlugin, str, str]] | None:
    """Return each tool as its plugin, its name with its group, and its record, as text, in the order of `registry.find`.

    None where that takes more than reading.
    """
    index = _all_there_is()
    if index is None:
        return None
    rows = index.texts()
    keys = {(plugin.project, group, name) for plugin, name, group, _, _ in rows}
    if len(keys) < len(rows):
        return None
    lines = [
        (name, f"{plugin.distribution}:{local_name(name, group)}", place)
        for place, (plugin, name, group, options, _) in enumerate(rows)
        if _has_environment(options)
    ]
    return [(rows[place][0], local_name(*rows[place][1:3]), rows[place][4]) for _, _, place in sorted(lines)]


def broken() -> list[tuple[str | None, str]]:
    """Return distribution and canonical id of each tool that cannot be defined, sorted by id."""
    index = _all_there_is()
    if index is None:
        return [(tool._owner.distribution if tool._owner else None, tool.id) for tool in registry.broken()]
    told = [
        (plugin.distribution, f"{plugin.distribution}:{local_name(name, group)}")
        for plugin, name, group in index.broken()
    ]
    return sorted(told, key=lambda each: each[1])


def names(beginning: str) -> set[str]:
    """Return the names of tools that begin so: with their distribution once there is a colon."""
    index = None if ":" in beginning else _all_there_is()
    if index is None:
        lines = listed()
        found = {each.id if ":" in beginning else each.local_name for each in lines}
    else:
        found = {
            local_name(name, group) for _, name, group, options in index.named(beginning) if _has_environment(options)
        }
    return {name for name in found if name.startswith(beginning)}


def _all_there_is() -> Index | None:
    """Return the index, where all tools that may be seen are described in it, and all that are described may be seen."""
    discovery = current()
    discovery.know()
    if discovery.index is None or not discovery.permission().is_open or discovery.has_loaded or next(iter(log), None):
        return None
    return discovery.index


def _from(index: Index) -> list[Listed] | None:
    """Return a line for each described tool; None if two of them claim one key, of which one or none stands."""
    lines, keys = [], set()
    rows = index.listed()
    for plugin, name, group, summary, options in rows:
        local = local_name(name, group)
        keys.add((plugin.project, local))
        distribution = plugin.distribution
        if not options:
            lines.append(Listed(name, f"{distribution}:{local}", local, distribution, summary, False))
        elif _has_environment(options):
            deprecated = '"deprecated"' in options and bool(json.loads(options).get("deprecated"))
            lines.append(Listed(name, f"{distribution}:{local}", local, distribution, summary, deprecated))
    lines.sort()
    return lines if len(keys) == len(rows) else None


def _has_environment(options: str) -> bool:
    """Tell whether the variables are set that a tool requires."""
    if '"requires_env"' not in options:
        return True
    required = json.loads(options).get("requires_env", ())
    return all(os.environ.get(name) for name in ([required] if isinstance(required, str) else required))


def _of(owned: Owned) -> Listed:
    declaration, owner = owned
    if isinstance(declaration, Described):
        summary, deprecated = declaration.summary, declaration.says("deprecated") and declaration.options["deprecated"]
    else:
        tool = registry._catalogue.tool(owned)
        summary, deprecated = tool.summary, tool.options.deprecated
    return Listed(
        declaration.name, owned.id, owned.local_name, owner.distribution if owner else None, summary, bool(deprecated)
    )
