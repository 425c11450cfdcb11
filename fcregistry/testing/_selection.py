"""Which tools does `pytest --fcregistry` check, and which plugins with them?"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from fcregistry._registry import registry
from fcregistry._tools.names import by_key, clash_text, standing
from fcregistry._tools.selectors import Selector, normalized, parse_selectors, subject
from fcregistry._tools.tool import Tool
from fcregistry.discovery import FoundPlugin, LoadedPlugin, current
from fcregistry.errors import ToolNotFoundError


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is checked.

    Attributes:
        plugins: The plugins, sorted by distribution and entry point.
        tools: The tools, sorted by id, those that cannot be defined among them.
        clashes: Id of a tool -> that two declarations claim it, worded.
    """

    plugins: tuple[FoundPlugin, ...]
    tools: tuple[Tool, ...]
    clashes: dict[str, str]


def select(distributions: Iterable[str], selectors: tuple[str, ...]) -> Selection:
    """Import the plugins, and return what of them is to be checked.

    Args:
        distributions: The distributions to check where there are no selectors.
        selectors: Selectors of tools.

    Raises:
        SelectorError: One is no selector.
        ToolNotFoundError: One, an excluding one apart, matches nothing.
    """
    parsed = parse_selectors(selectors)
    plugins = _named_plugins(parsed) if parsed else _plugins_of(distributions)
    for name in _to_load(parsed, plugins):
        current().load(name)
    known, clashes = _known()
    owners = {each.distribution for each in plugins}
    chosen = _matching(known, parsed) if parsed else [tool for tool in known if tool.origin.distribution in owners]
    return Selection(plugins=plugins, tools=tuple(sorted(chosen, key=lambda tool: tool.id)), clashes=clashes)


def _known() -> tuple[list[Tool], dict[str, str]]:
    """Return every tool that is declared, whether it can be defined or not, one an id; and which ids are claimed twice."""
    catalogue = registry._catalogue
    tools, clashes = [], {}
    for rivals in by_key(catalogue.visible()).values():
        left = standing(rivals)
        tool = catalogue.tool(left[0])
        tools.append(tool)
        if len(left) > 1:
            clashes[tool.id] = clash_text(rivals)
    return tools, clashes


def _plugins_of(distributions: Iterable[str]) -> tuple[FoundPlugin, ...]:
    wanted = set(map(normalized, distributions))
    return tuple(each for each in current().plugins if normalized(each.distribution) in wanted)


def _named_plugins(selectors: Iterable[Selector]) -> tuple[FoundPlugin, ...]:
    """Return the plugins whose distribution a selector names: that they load is asked too."""
    wanted = [each.distribution for each in selectors if each.distribution is not None and not each.excludes]
    patterns = [Selector(text="", distribution=each, name="*") for each in wanted]
    return tuple(
        plugin
        for plugin in current().plugins
        if any(pattern._distribution_matches(plugin.distribution) for pattern in patterns)
    )


def _to_load(selectors: tuple[Selector, ...], plugins: tuple[FoundPlugin, ...]) -> tuple[str | None, ...]:
    """Return the distributions to import; None for all."""
    wanted = [each for each in selectors if not each.excludes]
    if selectors and (not wanted or any(each.distribution is None for each in wanted)):
        return (None,)
    return tuple(dict.fromkeys(each.distribution for each in plugins))


def _matching(known: Iterable[Tool], selectors: tuple[Selector, ...]) -> list[Tool]:
    """Return the tools that selectors name, also those that patterns pass over elsewhere: what cannot be defined is a failure here."""
    subjects = {tool: subject(tool) for tool in known}
    chosen: dict[Tool, None] = dict.fromkeys(subjects if selectors[0].excludes else ())
    for selector in selectors:
        found = [tool for tool, about in subjects.items() if selector.matches(about)]
        if selector.excludes:
            chosen = dict.fromkeys(tool for tool in chosen if tool not in found)
        elif found or _is_told_otherwise(selector):
            chosen.update(dict.fromkeys(found))
        elif selector.is_exact:
            chosen[registry.get(selector.text)] = None  # an alias; of no tool, it raises and says why
        else:
            raise ToolNotFoundError(f"the selector {selector.text!r} matches no tool", name=selector.text)
    return list(chosen)


def _is_told_otherwise(selector: Selector) -> bool:
    """Tell whether a selector names the distribution of a plugin that failed or is disabled: then its own item says so."""
    absent = [each.plugin for each in current().report() if not isinstance(each, LoadedPlugin)]
    return selector.distribution is not None and any(
        selector._distribution_matches(each.distribution) for each in absent
    )


def read_selectors(given: Iterable[str]) -> tuple[str, ...]:
    """Return the selectors of the command line, where commas and spaces separate them."""
    return tuple(each for text in given for each in re.split(r"[,\s]+", text) if each)
