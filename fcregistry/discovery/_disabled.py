"""What does `FCREGISTRY_DISABLE` take away? Plugins, extensions and tools."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from fcregistry._config import DISABLE
from fcregistry._selectors import Selector, Subject, normalized, parse_selector
from fcregistry.errors import ConfigurationError, SelectorError

PluginKey = tuple[str, str]
"""Distribution and entry point."""


@lru_cache(maxsize=16)
def parsed(items: tuple[str, ...]) -> tuple[frozenset[PluginKey], tuple[Selector, ...]]:
    """Read what a setting names: plugins as `distribution[entry point]`, everything else selectors."""
    plugins, selectors = set(), []
    for item in items:
        distribution, bracket, entry_point = item.partition("[")
        if bracket and entry_point.endswith("]") and ":" not in item and "*" not in item:
            plugins.add((normalized(distribution), entry_point[:-1]))
            continue
        try:
            selectors.append(parse_selector(item))
        except SelectorError as error:
            raise ConfigurationError(f"{DISABLE}: {error}") from error
    return frozenset(plugins), tuple(selectors)


def disabled_plugin(distribution: str, entry_point: str, items: tuple[str, ...]) -> str | None:
    """Return what says that a plugin is not to be imported, or None."""
    if not items:
        return None
    plugins, selectors = parsed(items)
    if (normalized(distribution), entry_point) in plugins:
        return f"{DISABLE} names {distribution}[{entry_point}]"
    return _whole(distribution, selectors, _all_but(selectors))


def disabled_extension(distribution: str, entry_point: str, items: tuple[str, ...]) -> str | None:
    """Return what says that an extension is not to be loaded, or None.

    It ships no tools, and those that are left may need it: so only what names it, or all of its own distribution, takes it away.
    """
    if not items:
        return None
    extensions, selectors = parsed(items)
    if (normalized(distribution), entry_point) in extensions:
        return f"{DISABLE} names {distribution}[{entry_point}]"
    return _whole(distribution, tuple(each for each in selectors if each.distribution is not None), None)


def disabled_tool(subject: Subject, items: tuple[str, ...]) -> str | None:
    """Return what says that a tool is not to be seen, or None."""
    selectors = parsed(items)[1]
    reason = _all_but(selectors)
    for selector in selectors:
        if selector.matches(subject):
            reason = None if selector.excludes else f"{DISABLE} names {selector.text}"
    return reason


def _whole(distribution: str, selectors: tuple[Selector, ...], reason: str | None) -> str | None:
    """Return which of the selectors takes all of a distribution away, in the end; at the start, `reason` does."""
    anything = Subject(name="*", group="*", distribution=distribution)
    for selector in selectors:  # a tool that is excepted further on has its plugin loaded
        named = selector if selector.distribution is None else replace(selector, name="*", group=None)
        if selector.excludes and (selector.distribution is None or named.matches(anything)):
            reason = None
        elif not selector.excludes and selector.name == "*" and selector.group is None and selector.matches(anything):
            reason = f"{DISABLE} names {selector.text}"
    return reason


def _all_but(selectors: tuple[Selector, ...]) -> str | None:
    """Return why everything is disabled from the start, which an exception in the first place means, or None."""
    if not selectors or not selectors[0].excludes:
        return None
    return f"{DISABLE} names everything but {', '.join(each.text for each in selectors if each.excludes)}"
