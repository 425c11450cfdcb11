"""What became of each installed plugin in this process, and whose is a declaration?"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from fcregistry._config import disabled_items
from fcregistry._selectors import Subject, normalized
from fcregistry.discovery._disabled import disabled_plugin, disabled_tool, parsed
from fcregistry.discovery._extensions import Extensions
from fcregistry.discovery._finder import FoundExtension, FoundPlugin, find_entry_points
from fcregistry.discovery._loader import load
from fcregistry.discovery._outcomes import DisabledPlugin, FailedPlugin, LoadedPlugin, LoadReport, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry._declarations import Declaration
    from fcregistry._ports import Owner
    from fcregistry.discovery._disabled import PluginKey


class Discovery:
    """The installed plugins of a process: found once, each loaded at most once, asked for by the registry.

    No lock is held while a plugin is imported: two threads that load one plugin both wait for Python's own import lock, and the first
    outcome is kept.

    Attributes:
        extensions: What the installed extensions provide; each is loaded when something asks for that.
    """

    def __init__(self) -> None:
        self.extensions = Extensions(lambda: self.found_extensions)
        self._found: tuple[FoundPlugin, ...] | None = None
        self._found_extensions: tuple[FoundExtension, ...] = ()
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

    @property
    def found_extensions(self) -> tuple[FoundExtension, ...]:
        """The extensions that are installed, sorted by distribution and entry point."""
        if self._found is None:
            self.refresh()
        return self._found_extensions

    def refresh(self) -> None:
        """Look again at what is installed; what is loaded stays loaded."""
        entry_points = find_entry_points()
        found = tuple(each for each in entry_points if isinstance(each, FoundPlugin))
        claims: dict[str, list[FoundPlugin]] = {}
        for plugin in found:
            claims.setdefault(plugin.module, []).append(plugin)
        # Reading what a distribution holds costs time, so only where several name one module.
        self._by_module = {
            module: min(each, key=_claim) if len(each) > 1 else each[0] for module, each in claims.items()
        }
        self._found_extensions = tuple(each for each in entry_points if isinstance(each, FoundExtension))
        # After the others: whoever sees the plugins sees whose each module is
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
            if disabled := disabled_plugin(owner.distribution, owner.entry_point, disabled_items()):
                return disabled
        items = disabled_items()
        return disabled_tool(_subject(declaration, owner), items) if items else None

    def load(self, distribution: str | None = None) -> None:
        """Import the plugins of one distribution, or all; those that are loaded already, or being loaded by this thread, are passed over."""
        wanted = None if distribution is None else normalized(distribution)
        for plugin in self.plugins:
            if wanted is None or normalized(plugin.distribution) == wanted:
                self._load(plugin)

    def _load(self, plugin: FoundPlugin) -> None:
        key = (plugin.distribution, plugin.entry_point)
        under_way = self._loading.__dict__.setdefault("keys", set())
        if key in self._outcomes or key in under_way or disabled_plugin(*key, disabled_items()):
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
        plugins, selectors = parsed(disabled_items())
        entry_points = (*self.plugins, *self.found_extensions)
        installed = {(normalized(each.distribution), each.entry_point) for each in entry_points}
        idle = [f"{distribution}[{entry_point}]" for distribution, entry_point in plugins - installed]
        subjects = [_subject(each, self.owner(each)) for each in declarations]
        subjects += [Subject(name="*", group="*", distribution=each.distribution) for each in entry_points]
        idle += [each.text for each in selectors if not any(map(each.matches, subjects))]
        return tuple(sorted(idle))

    def report(self) -> LoadReport:
        """Return what became of every plugin that was loaded, or is disabled."""
        outcomes: list[Outcome] = []
        for plugin in self.plugins:
            key = (plugin.distribution, plugin.entry_point)
            if key in self._outcomes:
                outcomes.append(self._outcomes[key])
            elif reason := disabled_plugin(*key, disabled_items()):
                outcomes.append(DisabledPlugin(plugin=plugin, reason=reason))
        return LoadReport(
            loaded=tuple(each for each in outcomes if isinstance(each, LoadedPlugin)),
            failed=tuple(each for each in outcomes if isinstance(each, FailedPlugin)),
            disabled=tuple(each for each in outcomes if isinstance(each, DisabledPlugin)),
        )


def _claim(plugin: FoundPlugin) -> tuple[bool, bool]:
    """Order those that name one module by their claim to it: whose distribution holds its file, who names it rather than a part."""
    return (not plugin.holds_its_module, bool(plugin.attribute))


def _subject(declaration: Declaration, owner: Owner | None) -> Subject:
    options = declaration.options
    return Subject(
        name=declaration.name,
        group=declaration.group,
        distribution=owner.distribution if owner else None,
        tags=frozenset(options.get("tags", ())),
        read_only=options.get("read_only"),
        destructive=options.get("destructive"),
        idempotent=options.get("idempotent"),
        open_world=options.get("open_world"),
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
