"""What became of each installed plugin in this process, what is known of those that are not imported, and whose is a declaration?"""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from fcregistry._catalogue import subject_of
from fcregistry._folders import cache_folder
from fcregistry._selectors import normalized
from fcregistry.discovery._extensions import Extensions
from fcregistry.discovery._found import FoundEntryPoint, FoundExtension, FoundPlugin
from fcregistry.discovery._index._file import IndexFile, index_path
from fcregistry.discovery._index._index import Index
from fcregistry.discovery._permission import Permission
from fcregistry.discovery._upgrades import Upgrades

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fcregistry import _ports
    from fcregistry._declarations import Declaration
    from fcregistry._described import Described
    from fcregistry._ports import Owner
    from fcregistry._records import ToolRecord
    from fcregistry._tool import Tool
    from fcregistry.discovery._index._made import Made
    from fcregistry.discovery._outcomes import FailedPlugin, LoadedPlugin, LoadReport, Outcome

    PluginKey = tuple[str, str]
    Describe = Callable[[Sequence[FoundPlugin], Sequence[FoundEntryPoint], Callable[[Made], None]], None]


class Discovery:
    """The installed plugins of a process: found once, each described or loaded at most once, asked for by the registry.

    No lock is held while a plugin is imported: two threads that load one plugin both wait for Python's own import lock, and the first
    outcome is kept.

    Attributes:
        extensions: What the installed extensions provide; each is loaded when something asks for that.
        index: What is known of plugins that are not imported; None where it is not to be used.
        describe: Describes plugins elsewhere; None where they are imported here, as programs do.
    """

    def __init__(self) -> None:
        self.extensions = Extensions(lambda: self.found_extensions)
        self.index: Index | None = None
        self.describe: Describe | None = None
        self._found: tuple[FoundEntryPoint, ...] | None = None
        self._plugins: tuple[FoundPlugin, ...] = ()
        self._extensions_found: tuple[FoundExtension, ...] = ()
        self._by_key: dict[PluginKey, FoundPlugin] = {}
        self._by_module: dict[str, FoundPlugin] = {}
        self._modules: frozenset[str] = frozenset()
        self._outcomes: dict[PluginKey, LoadedPlugin | FailedPlugin] = {}
        self._upgrades = Upgrades()
        self._loading = threading.local()
        self._imports = True
        self._describing = threading.Lock()
        self._looking = threading.Lock()

    # Found

    @property
    def plugins(self) -> tuple[FoundPlugin, ...]:
        """The plugins that are installed, sorted by distribution and entry point."""
        self._look_if_needed()
        return self._plugins

    @property
    def found_extensions(self) -> tuple[FoundExtension, ...]:
        """The extensions that are installed, sorted by distribution and entry point."""
        self._look_if_needed()
        return self._extensions_found

    def _look_if_needed(self) -> None:
        """Find out what is installed, unless that was done."""
        if self._found is None:
            with self._looking:
                if self._found is None:  # nor by another thread meanwhile
                    self.refresh()

    def refresh(self) -> None:
        """Look again at what is installed; what is loaded stays loaded."""
        if self.index is None and (folder := cache_folder()) is not None:
            index = Index(IndexFile(index_path(folder)), exact=self.describe is not None)
            index.renew = self._renew
            self.index = index
        if self.index is not None:
            self.adopt(self.index.look())
        else:
            from fcregistry.discovery._finder import find_entry_points, places

            self.adopt(find_entry_points(places()))

    def _renew(self) -> None:
        """Have all described again that was: the index has turned out to be damaged."""
        self.refresh()
        self.know()

    def adopt(self, found: tuple[FoundEntryPoint, ...]) -> None:
        """Take these for what is installed."""
        plugins = tuple(each for each in found if isinstance(each, FoundPlugin))
        claims: dict[str, list[FoundPlugin]] = {}
        for plugin in plugins:
            claims.setdefault(plugin.module, []).append(plugin)
        # Reading what a distribution holds costs time, so only where several name one module.
        self._by_module = {
            module: min(each, key=_claim) if len(each) > 1 else each[0] for module, each in claims.items()
        }
        self._by_key = {each.key: each for each in plugins}
        self._modules = frozenset(claims)
        self._plugins = plugins
        self._extensions_found = tuple(each for each in found if isinstance(each, FoundExtension))
        self._upgrades.see(found)
        self._found = found  # after the others: whoever sees it sees whose each module is

    def distributions(self) -> tuple[str, ...]:
        """Return the names of the distributions that ship plugins, sorted."""
        return tuple(dict.fromkeys(plugin.distribution for plugin in self.plugins))

    def owner(self, declaration: Declaration) -> FoundPlugin | None:
        """Return the plugin whose entry-point module the declaring module is, or lies below; the longest such; None: the application."""
        self._look_if_needed()
        if declaration.plugin is not None:
            return self._by_key.get(declaration.plugin)
        module = declaration.module
        while module:
            if module in self._by_module:
                return self._by_module[module]
            module = module.rpartition(".")[0]
        return None

    def hidden(
        self, declaration: Declaration, owner: Owner | None, permission: _ports.Permission | None = None
    ) -> str | None:
        """Return why a declaration is not to be seen, or None."""
        plugin = None if owner is None else self._by_key.get((owner.distribution, owner.entry_point))
        if plugin is not None and (failed := self._failure(plugin.key)) is not None:
            return f"its plugin {failed.plugin.label} does not load ({failed.reason})"
        asked = permission if isinstance(permission, Permission) else Permission()
        return asked.to_see(declaration, plugin)

    def permission(self) -> Permission:
        """Return what the configuration says now."""
        return Permission()

    def _failure(self, key: PluginKey) -> FailedPlugin | None:
        """Return why a plugin does not load, as this process or the index knows, or None."""
        from fcregistry.discovery._outcomes import FailedPlugin

        outcome = self._outcomes.get(key)
        if outcome is not None:
            return outcome if isinstance(outcome, FailedPlugin) else None
        description = None if self.index is None else self.index.description(key)
        if description is None or not description.failed:
            return None
        return FailedPlugin.of_record(description.plugin, description.record)

    # Described

    def know(self, distribution: str | None = None) -> None:
        """Have the tools known of the plugins of one distribution, or of all; failures are recorded, not raised."""
        self._take_up()
        unknown = self._told_by_manifests(self._unknown(distribution))
        if not unknown:
            return
        if self.describe is None or self.index is None:
            self._import_and_describe(unknown)
            return
        with self._describing:
            unknown = self._unknown(distribution)
            if unknown:
                done: list[Made] = []
                try:
                    self.describe(unknown, self._found or (), done.append)
                finally:  # after an interrupt too
                    self.index.keep(done)
                self.refresh()

    def _take_up(self) -> None:
        """Count plugins as loaded whose modules somebody has imported by other ways: their tools are declared."""
        self._look_if_needed()
        for module in sorted(self._modules & sys.modules.keys()):
            if getattr(getattr(sys.modules.get(module), "__spec__", None), "_initializing", False):
                continue  # somebody is at it, whom nobody need wait for
            for plugin in self._plugins:
                if plugin.module == module and plugin.key not in self._outcomes:
                    self._load(plugin)

    def _unknown(self, distribution: str | None) -> list[FoundPlugin]:
        plugins = self.plugins
        known = {} if self.index is None else self.index.descriptions()
        if (
            distribution is not None and self.describe is None
        ):  # asked for by name, a slow one has all the time it takes
            known = {key: each for key, each in known.items() if each.by != "waiting"}
        missing = self._by_key.keys() - known.keys() - self._outcomes.keys() - self._loading.__dict__.get("keys", set())
        if not missing:
            return []
        wanted = None if distribution is None else normalized(distribution)
        asked = [each for each in plugins if each.key in missing and wanted in (None, each.project)]
        permission = Permission()
        return [each for each in asked if permission.to_import(each) is None]

    def _told_by_manifests(self, unknown: list[FoundPlugin]) -> list[FoundPlugin]:
        """Take the word of packages that say what they ship, where it is as new as their code; return the others."""
        if self.index is None or not unknown:
            return unknown
        from fcregistry.discovery._index._describing import told_by_manifests

        index = self.index
        made = told_by_manifests(each for each in unknown if not index.was_wrong(each))
        if not made:
            return unknown
        self.index.keep(made)
        self.refresh()
        told = {each.plugin.key for each in made}
        return [each for each in unknown if each.key not in told]

    def _import_and_describe(self, plugins: Iterable[FoundPlugin]) -> None:
        """Import plugins here, and keep what they turn out to ship for the next process."""
        from time import time_ns

        since = time_ns()
        loaded = [each for each in plugins if self._load(each)]
        if self.index is None or not loaded:
            return
        from fcregistry.discovery._index._describing import made_here

        self.index.keep(made_here([self._outcomes[each.key] for each in loaded], self.owner, since))

    def described(self, name: str | None = None) -> Iterator[tuple[Described, FoundPlugin]]:
        """Yield the tools that are described and whose plugins are not imported: of that name, or all; without what is hidden."""
        self._look_if_needed()
        return iter(()) if self.index is None else self._seen(self.index.described(name))

    def aliased(self, name: str) -> Iterator[tuple[Described, FoundPlugin]]:
        """Yield the tools among these that have that alias."""
        self._look_if_needed()
        return iter(()) if self.index is None else self._seen(self.index.aliased(name))

    def _seen(self, described: Iterable[tuple[Described, FoundPlugin]]) -> Iterator[tuple[Described, FoundPlugin]]:
        self._take_up()
        permission, outcomes = Permission(), self._outcomes
        assert self.index is not None
        failed = self.index.failed()
        for each in described:
            key = each[1].key
            if key not in outcomes and key not in failed and (permission.is_open or not permission.to_see(*each)):
                yield each

    def ranked(self, words: str, made: list[Tool]) -> Iterator[Tool | tuple[Described, FoundPlugin]]:
        """Yield what has to do with some words, best first: of these tools, and of those that are described and may be seen."""
        if self.index is None:
            from fcregistry._search._tools import search_tools

            yield from search_tools(made, words, len(made))
            return
        for found in self.index.ranked(words, made):
            if isinstance(found, tuple):
                yield from self._seen([found])
            else:
                yield found

    def why_hidden(self, name: str) -> str | None:
        """Return why a described tool of a plain name is there and not to be seen, or None."""
        if self.index is None:
            return None
        pairs = (*self.index.described(name), *self.index.aliased(name))
        reasons = (self.hidden(*each) for each in pairs if each[1].key not in self._outcomes)
        return next(filter(None, reasons), None)

    def why_refused(self, distribution: str) -> str | None:
        """Return why a plugin of a distribution is not to be described, so that nobody knows its tools, or None."""
        permission, wanted = Permission(), normalized(distribution)
        return next(filter(None, (permission.to_import(each) for each in self.plugins if each.project == wanted)), None)

    def record(self, described: Described) -> ToolRecord:
        """Return all that is known of a described tool.

        Raises:
            PluginError: The index turned out to be damaged, and its plugin does not load.
        """
        record = None if self.index is None else self.index.record(described)
        if record is None:
            from fcregistry._definition import asks_for_strictness
            from fcregistry._records import record_of
            from fcregistry._tool import Tool

            real = self.real(described)
            record = record_of(Tool(real, self.owner(real), strict=asks_for_strictness(real.module)))
        return record

    def real(self, described: Described) -> Declaration:
        """Import the plugin of a described tool, and return its declaration.

        Raises:
            PluginError: The plugin does not load, or declares no such tool.
        """
        from fcregistry._declarations import log
        from fcregistry.errors import PluginError, ToolChangedError

        assert described.plugin is not None
        plugin = self._by_key.get(described.plugin)
        if plugin is None:
            name, entry_point = described.plugin
            raise PluginError(f"{name}[{entry_point}] was uninstalled while this process was running; restart it")
        if not self._imports:
            raise PluginError(f"{described.name} is described, and nothing is to be imported here")
        self._load(plugin)
        if plugin.key not in self._outcomes:  # disabled meanwhile, or being imported by this very thread
            reason = Permission().to_import(plugin) or "it is being imported just now"
            raise PluginError(f"{described.name} cannot be called, since {plugin.label} is not imported: {reason}")
        if (failed := self._failure(plugin.key)) is not None:
            raise PluginError(f"{plugin.label} does not load: {failed.reason}") from failed.error
        declared = [
            each for each in log.named(described.name) if each.group == described.group and self.owner(each) == plugin
        ]
        if not declared:
            self.forget(described)
            raise ToolChangedError(
                f"{plugin.label} does not ship {described.name} any more, as it was described (schema_changed)"
            )
        return declared[-1]

    @contextmanager
    def without_imports(self) -> Iterator[None]:
        """Keep the plugins of described tools from being imported for them meanwhile: whatever needs that raises `PluginError`."""
        before, self._imports = self._imports, False
        try:
            yield
        finally:
            self._imports = before

    def forget(self, described: Described) -> None:
        """Have the plugin of a described tool described anew by whoever looks next."""
        assert described.plugin is not None
        plugin = self._by_key.get(described.plugin)
        if self.index is None or plugin is None:
            return
        known = self.index.description(plugin.key)
        if known is not None and known.by == "manifest":
            from logging import getLogger  # only on the way to an error

            getLogger("fcregistry").warning(
                "the manifest of %s is wrong about %s; tell its authors", plugin, described.name
            )
        self.index.forget(plugin)

    # Loaded

    @property
    def has_loaded(self) -> bool:
        """Whether this process has imported a plugin, or tried to."""
        return bool(self._outcomes)

    def _would_end_us(self, plugin: FoundPlugin) -> FailedPlugin | None:
        """Return what is known of a plugin that ends whatever process imports it; None of any other."""
        description = None if self.index is None else self.index.description(plugin.key)
        if description is None or not description.failed or description.by != "watching":
            return None
        from fcregistry.discovery._outcomes import FailedPlugin  # not needed where nothing is wrong

        return FailedPlugin.of_record(plugin, description.record)

    def _hand_over(self, plugin: FoundPlugin) -> None:
        """Have the tools of a plugin that somebody has by their descriptions be those that it turned out to ship."""
        from fcregistry.errors import FcregistryError

        for described, owner in () if self.index is None else self.index.handed_out():
            if owner == plugin and described.tool is not None:
                with suppress(FcregistryError):  # who calls it is told
                    described.tool.signature  # noqa: B018  # takes its declaration over

    def load(self, distribution: str | None = None) -> None:
        """Import the plugins of one distribution, or all; those that are loaded already, or being loaded by this thread, are passed over."""
        wanted = None if distribution is None else normalized(distribution)
        for plugin in self.plugins:
            if wanted is None or plugin.project == wanted:
                self._load(plugin)

    def _load(self, plugin: FoundPlugin) -> bool:
        """Import a plugin, unless that was done or is not to be; tell whether it was done now."""
        key = plugin.key
        under_way = self._loading.__dict__.setdefault("keys", set())
        if key in self._outcomes or key in under_way or Permission().to_import(plugin):
            return False
        refused = self._upgrades.refusal(plugin) or self._would_end_us(plugin)
        if refused is not None:
            self._outcomes.setdefault(key, refused)
            return False  # nobody else is to be told that it does not load
        from fcregistry.discovery._loader import load  # not needed where everything is described

        under_way.add(key)
        try:
            outcome = load(plugin, lambda declaration: self.owner(declaration) is not None)
            if outcome is not None:
                self._outcomes.setdefault(key, outcome)
                self._hand_over(plugin)
        finally:
            under_way.discard(key)
        return outcome is not None

    def idle_settings(self, declarations: Iterable[Declaration]) -> tuple[tuple[str, str], ...]:
        """Return what the configuration names and is not there, after the setting that does: a misspelt name closes nothing.

        Args:
            declarations: All there are; what disabled plugins would ship is not known.
        """
        subjects = [subject_of(each, self.owner(each)) for each in declarations]
        return Permission().idle(subjects, (*self.plugins, *self.found_extensions))

    def failing(self) -> list[FoundPlugin]:
        """Return the plugins that are known not to load, sorted."""
        known = set() if self.index is None else self.index.failed()
        for key in self._outcomes:
            (known.add if self._failure(key) is not None else known.discard)(key)
        found = [self._by_key[key] for key in known if key in self._by_key]
        return sorted(found, key=lambda each: (each.project, each.entry_point))

    def report(self) -> LoadReport:
        """Return what became of every plugin that was loaded or described, or is disabled."""
        from fcregistry.discovery._outcomes import LoadReport

        outcomes = list(self._told())
        return LoadReport(
            **{
                name: tuple(each for kind, each in outcomes if kind == name)
                for name in ("loaded", "described", "failed", "disabled")
            }  # type: ignore[arg-type]
        )

    def _told(self) -> Iterator[tuple[str, Outcome]]:
        from fcregistry.discovery._outcomes import DescribedPlugin, DisabledPlugin, FailedPlugin

        plugins, permission = self.plugins, Permission()
        known = {} if self.index is None else self.index.descriptions()
        for plugin in plugins:
            if (outcome := self._outcomes.get(plugin.key)) is not None:
                yield ("failed" if isinstance(outcome, FailedPlugin) else "loaded"), outcome
            elif (reason := permission.to_know(plugin)) or (
                plugin.key not in known and (reason := permission.to_import(plugin))
            ):
                yield "disabled", DisabledPlugin(plugin=plugin, reason=reason)
            elif (description := known.get(plugin.key)) is not None:
                if description.failed:
                    yield "failed", FailedPlugin.of_record(plugin, description.record)
                else:
                    seconds = description.record["seconds"]
                    yield "described", DescribedPlugin(plugin=plugin, seconds=seconds, by=description.by)


def _claim(plugin: FoundPlugin) -> tuple[bool, bool]:
    """Order those that name one module by their claim to it: whose distribution holds its file, who names it rather than a part."""
    return (not plugin.holds_its_module, bool(plugin.attribute))


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
