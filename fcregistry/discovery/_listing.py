"""Lines and names of tools for lists, search and completion.

If the index describes exactly the visible tools, they are read from it as rows, and no `Tool` is made: there may be thousands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry._registry import catalogue_of, registry
from fcregistry._tools.catalogue import listed_tools
from fcregistry._tools.declaration import listed_summary, local_name, log
from fcregistry._tools.described import Described
from fcregistry._tools.tool import distribution_of
from fcregistry.discovery._discovery import current
from fcregistry.discovery._index import has_environment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry._tools.catalogue import HiddenTool
    from fcregistry._tools.selectors import Owned
    from fcregistry.discovery._found import FoundPlugin
    from fcregistry.discovery._index import Index, ToolLine


def tool_lines(selectors: Iterable[str] = ()) -> tuple[list[ToolLine], list[HiddenTool]]:
    """Return a line for each tool that `selectors` name, sorted by name and distribution; and those that are hidden.

    Without selectors, the result has all tools. A hidden tool that a selector names exactly has a line.

    Raises:
        SelectorError: A selector is not valid.
        ToolNotFoundError: A selector that does not exclude tools matches nothing.
        AmbiguousToolError: Several tools have a plain name.
    """
    wanted = tuple(selectors)
    index = None if wanted else _complete_index()
    if index is not None and (lines := index.lines()) is not None:
        return lines
    shown, hidden = listed_tools(catalogue_of(registry), wanted)
    return sorted(map(_line, shown)), hidden


def searchable_texts() -> tuple[list[tuple[FoundPlugin, str, str]], list[HiddenTool]] | None:
    """Return (plugin, name with group, record as text) of each tool, sorted by name and distribution; and the hidden tools.

    The result is None if the index does not describe exactly the visible tools.
    """
    index = _complete_index()
    return None if index is None else index.texts()


def broken_tools() -> list[tuple[str | None, str]]:
    """Return distribution and canonical id of each tool that cannot be defined, sorted by id."""
    index = _complete_index()
    if index is None:
        return [(distribution_of(tool), tool.id) for tool in registry.broken()]
    found = [
        (plugin.distribution, f"{plugin.distribution}:{local_name(name, group)}")
        for plugin, name, group in index.broken()
    ]
    return sorted(found, key=lambda each: each[1])


def names_starting_with(beginning: str) -> set[str]:
    """Return the names of tools that begin with `beginning`.

    If `beginning` has a colon, the names have their distribution. The name of a tool has its group, unless it begins with `beginning` only
    without the group.
    """
    index = None if ":" in beginning else _complete_index()
    if index is None:
        lines, _ = tool_lines()
        found = {f"{owner}:{name}" if owner and ":" in beginning else name for name, owner, _ in lines}
    else:
        found = {
            local_name(name, group) for _, name, group, options in index.named(beginning) if has_environment(options)
        }
    names = {name if name.startswith(beginning) else _without_group(name) for name in found}
    return {name for name in names if name.startswith(beginning)}


def _without_group(name: str) -> str:
    """Return a name without its group, but with its distribution if it has one.

    For example, `acme:math.add` becomes `acme:add`.
    """
    owner, colon, local = name.rpartition(":")
    return owner + colon + local.rpartition(".")[2]


def _complete_index() -> Index | None:
    """Return the index if it describes exactly the visible tools, else None.

    It does if there is an index file, the configuration hides nothing, no plugin was imported in this process, there are no sources, and the
    program has declared no tool itself. Plugins are described first, if necessary.
    """
    discovery = current()
    discovery.describe_all()
    if (
        discovery.index.file is None
        or not discovery.permission().is_open
        or discovery.has_loaded
        or discovery.sources
        or any(True for _ in log)
    ):
        return None
    return discovery.index


def _line(owned: Owned) -> ToolLine:
    """Return (name with group, distribution or "", summary) of a tool, which is described or declared.

    The summary of a deprecated tool begins with `(deprecated)`.
    """
    declaration, owner = owned
    if isinstance(declaration, Described):
        summary, deprecated = (
            declaration.summary,
            declaration.may_have("deprecated") and declaration.options["deprecated"],
        )
    else:
        tool = catalogue_of(registry).tool(owned)
        summary, deprecated = tool.summary, tool.options.deprecated
    return owned.local_name, owner.distribution if owner else "", listed_summary(summary, bool(deprecated))
