"""Which tools are looked at, and which stand beside them?"""

from __future__ import annotations

from collections.abc import Iterable

from fcregistry._registry import Registry, registry
from fcregistry._tools.names import by_key, did_you_mean, nearest, standing
from fcregistry._tools.selectors import Selector, parse_selectors, subject
from fcregistry._tools.tool import Tool
from fcregistry.errors import DuplicateToolError, ToolNotFoundError


def tools_to_lint(*selectors: str, source: Registry = registry) -> tuple[Tool, ...]:
    """Return the tools that selectors name, also those that cannot be defined or are hidden; without any, all there are.

    Args:
        *selectors: As for `registry.find`; what they may name is imported.
        source: The registry to look in.

    Raises:
        SelectorError: One is no selector.
        ToolNotFoundError: One, an excluding one apart, matches nothing.
        AmbiguousToolError: A plain name that several tools have.
    """
    parsed = parse_selectors(selectors)
    source._catalogue.load_for(parsed)
    chosen: dict[Tool, None] = {}
    if not parsed or parsed[0].excludes:
        chosen = dict.fromkeys(_everything(source))
    for selector in parsed:
        if selector.excludes:
            chosen = {tool: None for tool in chosen if not selector.matches(subject(tool))}
        else:
            chosen.update(dict.fromkeys(_matching(selector, source)))
    return tuple(chosen)


def _everything(source: Registry) -> list[Tool]:
    """Return every tool that stands: rivals of one name all, but not what another took the place of."""
    catalogue = source._catalogue
    rivalries = by_key(catalogue.visible()).values()
    return [catalogue.tool(each) for rivals in rivalries for each in standing(rivals)]


def _matching(selector: Selector, source: Registry) -> list[Tool]:
    if selector.is_exact:
        try:
            return [source.get(selector.text)]
        except DuplicateToolError:  # several of one name: what is to be shown
            pass
    found = [tool for tool in _everything(source) if selector.matches(subject(tool))]
    if not found:
        near = did_you_mean(nearest(selector.text, sorted({tool.declared_name for tool in _everything(source)})))
        raise ToolNotFoundError(f"the selector {selector.text!r} matches no tool{near}", name=selector.text)
    return found


def tools_beside(tools: Iterable[Tool], source: Registry = registry) -> tuple[Tool, ...]:
    """Return all tools of the owners of these: what their names are compared with, whatever else happens to be loaded.

    Args:
        tools: The tools that are looked at.
        source: The registry they are from.
    """
    looked_at = list(tools)
    owners = {tool.origin.distribution for tool in looked_at}
    others = [tool for tool in _everything(source) if tool.origin.distribution in owners]
    return tuple(dict.fromkeys([*looked_at, *others]))
