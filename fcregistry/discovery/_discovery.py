"""What became of each installed plugin in this process, and whose is a declaration?"""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from fcregistry._config import DISABLE, disabled_items
from fcregistry._selectors import Selector, Subject, normalized, parse_selector
from fcregistry.discovery._finder import FoundPlugin, find_plugins
from fcregistry.discovery._loader import load
from fcregistry.discovery._outcomes import DisabledPlugin, FailedPlugin, LoadedPlugin, LoadReport, Outcome
from fcregistry.errors import ConfigurationError, SelectorError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry._declarations import Declaration
    from fcregistry._ports import Owner

PluginKey = tuple[str, str]


class Discovery:
    """The installed plugins of a process: found once, each loaded at most once, asked for by the registry.

    No lock is held while a plugin is imported: two threads that load one plugin both wait for Python's own import lock, and the first
    outcome is kept.
    """

    def __init__(self) -> None:
        self._found: tuple[FoundPlugin, ...] | None = None
        self._by_module: dict[str, FoundPlugin] = {}
        self._outcomes: dict[PluginKey, LoadedPlugin | FailedPlugin] = {}
        self._loading = threading.local()

    @property
    def plugins(self) -> tuple[FoundPlugin, ...]:
        """The plugins that are installed, sorted by distribution and entry point."""
        if self._found is None:
            self.refresh()
        assert self._found is not None
        return self._found

    def refresh(self) -> None:
        """Look again at what is installed; what is loaded stays loaded."""
        found = find_plugins()
        claims: dict[str, list[FoundPlugin]] = {}
        for plugin in found:
            claims.setdefault(plugin.module, []).append(plugin)
        # Reading what a distribution holds costs time, so only where several name one module.
        self._by_module = {
            module: min(each, key=_claim) if len(each) > 1 else each[0] for module, each in claims.items()
        }
        # After the other: whoever sees the plugins sees whose each module is
        self._found = found

    def distributions(self) -> tuple[str, ...]:
        """Return the names of the distributions that ship plugins, sorted."""
        return tuple(dict.fromkeys(plugin.distribution for plugin in self.plugins))

    def owner(self, declaration: Declaration) -> FoundPlugin | None:
        """Return the plugin whose entry-point module the declaring module is, or lies below; the longest such; None: the application."""
        plugins = self.plugins
        if declaration.plugin is not None:
            return next((each for each in plugins if (each.distribution, each.entry_point) == declaration.plugin), None)
        module = declaration.module
        while module:
            if module in self._by_module:
                return self._by_module[module]
            module = module.rpartition(".")[0]
        return None

    def hidden(self, declaration: Declaration, owner: Owner | None) -> str | None:
        """Return why a declaration is not to be seen, or None."""
        if owner is not None:
            outcome = self._outcomes.get((owner.distribution, owner.entry_point))
            if isinstance(outcome, FailedPlugin):
                return f"its plugin {outcome.plugin.label} does not load ({outcome.reason})"
            if disabled := _disabled_plugin(owner.distribution, owner.entry_point, disabled_items()):
                return disabled
        return _disabled_tool(declaration, owner, disabled_items())

    def load(self, distribution: str | None = None) -> None:
        """Import the plugins of one distribution, or all; those that are loaded already, or being loaded by this thread, are passed over."""
        wanted = None if distribution is None else normalized(distribution)
        for plugin in self.plugins:
            if wanted is None or normalized(plugin.distribution) == wanted:
                self._load(plugin)

    def _load(self, plugin: FoundPlugin) -> None:
        key = (plugin.distribution, plugin.entry_point)
        under_way = self._loading.__dict__.setdefault("keys", set())
        if key in self._outcomes or key in under_way or _disabled_plugin(*key, disabled_items()):
            return
        under_way.add(key)
        try:
            outcome = load(plugin, lambda declaration: self.owner(declaration) is not None)
            if outcome is not None:
                self._outcomes.setdefault(key, outcome)
        finally:
            under_way.discard(key)

    def idle_settings(self, declarations: Iterable[Declaration]) -> tuple[str, ...]:
        """Return what `FCREGISTRY_DISABLE` names and is not there: a misspelt name disables nothing.

        Args:
            declarations: All there are; what disabled plugins would ship is not known.
        """
        plugins, selectors = _parsed(disabled_items())
        installed = {(normalized(each.distribution), each.entry_point) for each in self.plugins}
        idle = [f"{distribution}[{entry_point}]" for distribution, entry_point in plugins - installed]
        subjects = [_subject(each, self.owner(each)) for each in declarations]
        subjects += [Subject(name="*", group="*", distribution=each.distribution) for each in self.plugins]
        idle += [each.text for each in selectors if not any(map(each.matches, subjects))]
        return tuple(sorted(idle))

    def report(self) -> LoadReport:
        """Return what became of every plugin that was loaded, or is disabled."""
        outcomes: list[Outcome] = []
        for plugin in self.plugins:
            key = (plugin.distribution, plugin.entry_point)
            if key in self._outcomes:
                outcomes.append(self._outcomes[key])
            elif reason := _disabled_plugin(*key, disabled_items()):
                outcomes.append(DisabledPlugin(plugin=plugin, reason=reason))
        return LoadReport(
            loaded=tuple(each for each in outcomes if isinstance(each, LoadedPlugin)),
            failed=tuple(each for each in outcomes if isinstance(each, FailedPlugin)),
            disabled=tuple(each for each in outcomes if isinstance(each, DisabledPlugin)),
        )


def _claim(plugin: FoundPlugin) -> tuple[bool, bool]:
    """Order those that name one module by their claim to it: whose distribution holds its file, who names it rather than a part."""
    return (not plugin.holds_its_module, bool(plugin.attribute))


@lru_cache(maxsize=16)
def _parsed(items: tuple[str, ...]) -> tuple[frozenset[PluginKey], tuple[Selector, ...]]:
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


def _disabled_plugin(distribution: str, entry_point: str, items: tuple[str, ...]) -> str | None:
    if not items:
        return None
    plugins, selectors = _parsed(items)
    if (normalized(distribution), entry_point) in plugins:
        return f"{DISABLE} names {distribution}[{entry_point}]"
    reason = _all_but(selectors)
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


def _disabled_tool(declaration: Declaration, owner: Owner | None, items: tuple[str, ...]) -> str | None:
    if not items:
        return None
    subject = _subject(declaration, owner)
    selectors = _parsed(items)[1]
    reason = _all_but(selectors)
    for selector in selectors:
        if selector.matches(subject):
            reason = None if selector.excludes else f"{DISABLE} names {selector.text}"
    return reason


def _subject(declaration: Declaration, owner: Owner | None) -> Subject:
    return Subject(
        name=declaration.name,
        group=declaration.group,
        distribution=owner.distribution if owner else None,
        tags=frozenset(declaration.options.get("tags", ())),
    )


_current = Discovery()


def current() -> Discovery:
    """Return the process's discovery."""
    return _current


def load_plugins() -> LoadReport:
    """Import every installed plugin that is not disabled.

    What is installed is looked up anew, so this also finds what was installed since the process started. A plugin that fails is
    recorded, and takes no other with it.

    Returns:
        What became of each: `loaded`, `failed` (with reason and traceback) and `disabled`.

    Raises:
        ConfigurationError: `FCREGISTRY_DISABLE` cannot be read.
    """
    _current.refresh()
    _current.load()
    return _current.report()
