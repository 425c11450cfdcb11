"""Which plugins are installed, and whose is a declaration?

MERGED: Is a plugin still the one that this process found first? What was installed anew since is not imported under an old description.
MERGED: What became of each plugin that this process has imported?
MERGED: What is known of plugins that are not imported, and what is imported for the sake of it?
MERGED: What does a process know of its installed plugins and extensions, what of it may be seen, and what became of each?
"""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from fcregistry._base.forks import after_fork
from fcregistry._base.paths import cache_folder
from fcregistry._tools.selectors import normalized, subject_of
from fcregistry.discovery._extensions import Extensions
from fcregistry.discovery._found import FoundEntryPoint, FoundExtension, FoundPlugin, PluginKey
from fcregistry.discovery._index import Index
from fcregistry.discovery._index_store import IndexFile, index_path
from fcregistry.discovery._permission import Permission

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import FrameType

    from fcregistry._tools.declaration import Declaration, Owner
    from fcregistry._tools.indexed import Described
    from fcregistry._tools.record import ToolRecord
    from fcregistry._tools.tool import Tool
    from fcregistry.discovery._describe import FreshDescription
    from fcregistry.discovery._report import FailedPlugin, LoadedPlugin, LoadReport, Outcome

    Describe = Callable[[Sequence[FoundPlugin], Sequence[FoundEntryPoint], Callable[[FreshDescription], None]], None]

# --- discovery._installed ---


class Installed:
    """The plugins that are installed, found once.

    Attributes:
        index: What is known of plugins that are not imported; None where it is not to be used.
        describe: Describes plugins elsewhere; None where they are imported here, as programs do.
    """

    def __init__(self) -> None:
        self.index: Index | None = None
        self.describe: Describe | None = None
        self._found: tuple[FoundEntryPoint, ...] | None = None
        self._plugins: tuple[FoundPlugin, ...] = ()
        self._extensions_found: tuple[FoundExtension, ...] = ()
        self._by_key: dict[PluginKey, FoundPlugin] = {}
        self._by_module: dict[str, FoundPlugin] = {}
        self._modules: frozenset[str] = frozenset()
        self._upgrades = Upgrades()
        self._looking = threading.Lock()
        self._renew: Callable[[], None] = lambda: None  # what is done where the index turns out to be damaged

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
            after_fork(self, type(self)._forget)
            with self._looking:
                if self._found is None:  # nor by another thread meanwhile
                    self.refresh()

    def _forget(self) -> None:
        """Look again in a forked process, which has no threads that hold the lock, and is not to use the connection of the index."""
        self._looking = threading.Lock()
        self.index = self._found = None

    def refresh(self) -> None:
        """Look again at what is installed; what is loaded stays loaded."""
        if self.index is None and (folder := cache_folder()) is not None and _has_sqlite():
            index = Index(IndexFile(index_path(folder)), exact=self.describe is not None)
            index.renew = self._renew
            self.index = index
        if self.index is not None:
            self.adopt(self.index.look())
        else:
            from fcregistry.discovery._finder import find_entry_points, scan_path

            self.adopt(find_entry_points(scan_path()))

    def adopt(self, found: tuple[FoundEntryPoint, ...]) -> None:
        """Take these for what is installed."""
        after_fork(self, type(self)._forget)
        plugins = tuple(each for each in found if isinstance(each, FoundPlugin))
        claims: dict[str, list[FoundPlugin]] = {}
        for plugin in plugins:
            claims.setdefault(plugin.module, []).append(plugin)
        self._by_module = {module: _owner(module, each, claims) for module, each in claims.items()}
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
        return self.whose(declaration.module)

    def whose(self, module: str) -> FoundPlugin | None:
        """Return the plugin that has what a module declares, or None for the application."""
        while module:
            if module in self._by_module:
                return self._by_module[module]
            module = module.rpartition(".")[0]
        return None


def _has_sqlite() -> bool:
    """Tell whether this Python was built with SQLite, which an index is kept in; without it, plugins are imported each time."""
    try:
        import sqlite3  # noqa: F401  # whoever looks for plugins reads the index next
    except ImportError:
        return False
    return True


def _owner(module: str, naming: list[FoundPlugin], claims: Mapping[str, list[FoundPlugin]]) -> FoundPlugin:
    """Return whose a module is that some plugins name: theirs, unless another's, who name a package around it, that hold its file."""
    rivals, around = naming, module.rpartition(".")[0]
    while around:
        if around in claims:
            rivals = [*rivals, *claims[around]]
        around = around.rpartition(".")[0]
    if len(rivals) == 1 or (len(naming) == 1 and all(each.project == naming[0].project for each in rivals)):
        return naming[0]
    # Reading what a distribution holds costs time, so only where there are several.
    return min(rivals, key=lambda plugin: _claim(plugin, module))


def _claim(plugin: FoundPlugin, module: str) -> tuple[int, int, bool]:
    """Order plugins by their claim to a module: whose distribution holds its file, who names the nearest, and that rather than a part."""
    return (_HOLDING[plugin.holds(module)], -len(plugin.module), bool(plugin.attribute))


_HOLDING: Final = {True: 0, None: 1, False: 2}

# --- discovery._upgrades ---


class Upgrades:
    """What was installed when a process first looked, by distribution; what is installed only later counts from when it is seen."""

    def __init__(self) -> None:
        self._first: dict[str, FoundEntryPoint] = {}

    def see(self, found: Iterable[FoundEntryPoint]) -> None:
        """Note what is installed, as far as its distribution was not seen before."""
        first = self._first
        for each in found:
            first.setdefault(each.project, each)

    def change(self, plugin: FoundEntryPoint) -> str | None:
        """Return what happened to a plugin's distribution since this process first found it, and that a restart is due; None if nothing did.

        An installer writes the metadata of a distribution anew whenever it replaces the code, so the metadata is looked at: its folder, which
        names the version, and the time and size of `entry_points.txt`. What lies in no folder, as in an archive, cannot be told.

        Args:
            plugin: What was found: last, where it is to be imported; then, where it was.
        """
        first = self._first.get(plugin.project, plugin)
        if not first.folder or _is_as_it_was(first, plugin):
            return None
        return f"{_what_happened(first)} while this process was running; restart it"

    def refusal(self, plugin: FoundPlugin) -> FailedPlugin | None:
        """Return why a plugin is not to be imported any more in this process, or None.

        Args:
            plugin: What is to be imported, as it was found last.
        """
        what = self.change(plugin)
        if what is None:
            return None
        from fcregistry.discovery._report import FailedPlugin  # not needed where nothing is wrong
        from fcregistry.errors import PluginError

        advice = f"restart this process: it then sees {plugin.distribution} as it is now"
        error = PluginError(what)
        return FailedPlugin(plugin=plugin, seconds=0.0, error=error, traceback="", recorded=(what, advice))


def _is_as_it_was(first: FoundEntryPoint, plugin: FoundEntryPoint) -> bool:
    from fcregistry.discovery._finder import stamp_of  # there already: it has found the plugin

    same = (first.folder, first.info, first.stamp) == (plugin.folder, plugin.info, plugin.stamp)
    return same and stamp_of(f"{first.folder}/{first.info}/entry_points.txt") == first.stamp


def _what_happened(first: FoundEntryPoint) -> str:
    """Word the difference between what was found first and what is there now."""
    from importlib.metadata import PackageNotFoundError, distribution

    from fcregistry.discovery._found import distribution_version

    was = f"{first.distribution} {first.version}"
    try:
        now = distribution_version(distribution(first.distribution))
    except PackageNotFoundError:
        return f"{was} was uninstalled"
    return f"{was} was installed anew" if now == first.version else f"{was} was replaced by {now}"


# --- discovery._imported ---


def _is_loaded(outcome: LoadedPlugin | FailedPlugin) -> bool:
    return not hasattr(outcome, "error")  # its class need not be imported for that


class Imported(Installed):
    """The installed plugins, each imported at most once.

    No lock is held while a plugin is imported: two threads that load one plugin both wait for Python's own import lock, and the first
    outcome is kept.
    """

    def __init__(self) -> None:
        super().__init__()
        self._outcomes: dict[PluginKey, LoadedPlugin | FailedPlugin] = {}
        self._loading = threading.local()

    def adopt(self, found: tuple[FoundEntryPoint, ...]) -> None:
        """Take these for what is installed; of a plugin that is loaded, what it was loaded from.

        Its code stays what it was, whatever is installed in its place, or is not there any more: so does its version, and whose it is.
        """
        loaded = {key: each.plugin for key, each in self._outcomes.items() if _is_loaded(each)}
        others = (each for each in found if not isinstance(each, FoundPlugin) or each.key not in loaded)
        super().adopt(tuple(sorted((*others, *loaded.values()), key=lambda each: (each.project, each.entry_point))))

    def outdated(self, plugin: FoundPlugin) -> str | None:
        """Return what happened to the distribution of a plugin that is loaded, so that this process runs old code; None if nothing did."""
        return self._upgrades.change(plugin)

    def _forget(self) -> None:
        super()._forget()
        for plugin in self._plugins:
            if plugin.key not in self._outcomes and _is_left_half_imported(plugin.module):
                self._outcomes[plugin.key] = _half_imported(plugin)

    @property
    def has_loaded(self) -> bool:
        """Whether this process has imported a plugin, or tried to."""
        return bool(self._outcomes)

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
        from fcregistry.discovery._loader import load_plugin  # not needed where everything is described

        under_way.add(key)
        try:
            outcome = load_plugin(plugin, lambda declaration: self.owner(declaration) is not None)
            if outcome is not None:
                self._outcomes.setdefault(key, outcome)
                self._hand_over(plugin)
        finally:
            under_way.discard(key)
        return outcome is not None

    def _would_end_us(self, plugin: FoundPlugin) -> FailedPlugin | None:
        """Return what is known of a plugin that ends whatever process imports it; None of any other."""
        description = None if self.index is None else self.index.description(plugin.key)
        if description is None or not description.failed or description.by != "watching":
            return None
        from fcregistry.discovery._report import FailedPlugin  # not needed where nothing is wrong

        return FailedPlugin.of_record(plugin, description.record)

    def _hand_over(self, plugin: FoundPlugin) -> None:
        """Have the tools of a plugin that somebody has by their descriptions be those that it turned out to ship."""
        from fcregistry.errors import FcregistryError

        for described, owner in () if self.index is None else self.index.handed_out():
            if owner == plugin and described.tool is not None:
                with suppress(FcregistryError):  # who calls it is told
                    described.tool.signature  # noqa: B018  # takes its declaration over

    def _take_up(self) -> None:
        """Count plugins as loaded whose modules somebody has imported by other ways: their tools are declared."""
        self._look_if_needed()
        for module in sorted(self._modules & sys.modules.keys()):
            if getattr(getattr(sys.modules.get(module), "__spec__", None), "_initializing", False):
                continue  # somebody is at it, whom nobody need wait for
            for plugin in self._plugins:
                if plugin.module == module and plugin.key not in self._outcomes:
                    self._load(plugin)

    def _failure(self, key: PluginKey) -> FailedPlugin | None:
        """Return why a plugin does not load, as this process or the index knows, or None."""
        from fcregistry.discovery._report import FailedPlugin

        outcome = self._outcomes.get(key)
        if outcome is not None:
            return outcome if isinstance(outcome, FailedPlugin) else None
        description = None if self.index is None else self.index.description(key)
        if description is None or not description.failed:
            return None
        return FailedPlugin.of_record(description.plugin, description.record)


def _is_left_half_imported(module: str) -> bool:
    """Return whether a thread that this forked process does not have was importing a module: Python waits for it for ever."""
    if not getattr(getattr(sys.modules.get(module), "__spec__", None), "_initializing", False):
        return False
    frame: FrameType | None = sys._getframe()
    while frame is not None:  # or it is this thread that is importing it
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == module:
            return False
        frame = frame.f_back
    return True


def _half_imported(plugin: FoundPlugin) -> FailedPlugin:
    from fcregistry.discovery._report import FailedPlugin
    from fcregistry.errors import PluginError

    what = f"another thread was importing {plugin.module} when this process was forked"
    advice = "call load_plugins() before the program forks, or start processes in another way, such as spawn"
    return FailedPlugin(plugin=plugin, seconds=0.0, error=PluginError(what), traceback="", recorded=(what, advice))


# --- discovery._known ---


class Known(Imported):
    """The installed plugins, each described or imported when somebody asks for what it ships."""

    def __init__(self) -> None:
        super().__init__()
        self._imports = True
        self._describing = threading.Lock()
        self._renew = self._know_again

    def _forget(self) -> None:
        super()._forget()
        self._describing = threading.Lock()
        self._imports = True

    def _know_again(self) -> None:
        """Have all described again that was: the index has turned out to be damaged."""
        self.refresh()
        self.know()

    def know(self, distribution: str | None = None) -> None:
        """Have the tools known of the plugins of one distribution, or of all; failures are recorded, not raised."""
        self._take_up()
        unknown = self._told_by_manifests(self._unknown(distribution))
        if not unknown:
            if self.index is not None and self.index.is_outdated:
                self.index.keep(())
            return
        if self.describe is None or self.index is None:
            self._import_and_describe(unknown)
            return
        with self._describing:
            unknown = self._unknown(distribution)
            if unknown:
                done: list[FreshDescription] = []
                try:
                    self.describe(unknown, self._found or (), done.append)
                finally:  # after an interrupt too
                    self.index.keep(done)
                self.refresh()

    def _unknown(self, distribution: str | None) -> list[FoundPlugin]:
        plugins = self.plugins
        known = {} if self.index is None else self.index.descriptions()
        if distribution is not None and self.describe is None:
            # Asked for by name, a slow one has all the time it takes
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
        from fcregistry.discovery._describe import told_by_manifests

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
        index = self.index
        if index is None:
            return
        loaded = [each for each in loaded if self._failure(each.key) is None or not index.knows_failure(each)]
        if not loaded:
            return  # nothing that the next process would not find out as well
        from fcregistry.discovery._describe import made_here

        made = made_here([self._outcomes[each.key] for each in loaded], self.owner, since)
        index.keep([each for each in made if not each.record["dynamic"]])

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
            from fcregistry._tools.search import search_tools

            yield from search_tools(made, words, len(made))
            return
        for found in self.index.ranked(words, made):
            if isinstance(found, tuple):
                yield from self._seen([found])
            else:
                yield found

    def record(self, described: Described) -> ToolRecord:
        """Return all that is known of a described tool.

        Raises:
            PluginError: The index turned out to be damaged, and its plugin does not load.
        """
        self._look_if_needed()
        record = None if self.index is None else self.index.record(described)
        if record is None:
            from fcregistry._tools.definition import wants_strictness
            from fcregistry._tools.indexed import record_of
            from fcregistry._tools.tool import Tool

            real = self.real(described)
            record = record_of(Tool(real, self.owner(real), strict=wants_strictness(real.module)))
        return record

    def real(self, described: Described) -> Declaration:
        """Import the plugin of a described tool, and return its declaration.

        Raises:
            PluginError: The plugin does not load, or declares no such tool.
        """
        from fcregistry._tools.declaration import log
        from fcregistry.errors import PluginError, ToolChangedError

        assert described.plugin is not None
        self._look_if_needed()
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


# --- discovery._discovery ---


class Discovery(Known):
    """The installed plugins and extensions of a process, asked for by the registry.

    Attributes:
        extensions: What the installed extensions provide; each is loaded when something asks for that.
    """

    def __init__(self) -> None:
        super().__init__()
        self.extensions = Extensions(lambda: self.found_extensions)

    def hidden(self, declaration: Declaration, owner: Owner | None, permission: Permission | None = None) -> str | None:
        """Return why a declaration is not to be seen, or None."""
        plugin = None if owner is None else self._by_key.get((owner.distribution, owner.entry_point))
        if plugin is not None and (failed := self._failure(plugin.key)) is not None:
            return f"its plugin {failed.plugin.label} does not load ({failed.reason})"
        asked = permission if isinstance(permission, Permission) else Permission()
        return asked.to_see(declaration, plugin)

    def permission(self) -> Permission:
        """Return what the configuration says now."""
        return Permission()

    def why_hidden(self, name: str) -> str | None:
        """Return why a described tool of a plain name is there and not to be seen, or None."""
        self._look_if_needed()
        if self.index is None:
            return None
        pairs = (*self.index.described(name), *self.index.aliased(name))
        reasons = (self.hidden(*each) for each in pairs if each[1].key not in self._outcomes)
        return next(filter(None, reasons), None)

    def why_refused(self, distribution: str) -> str | None:
        """Return why nobody knows the tools of a distribution's plugin, which is not to be imported or does not load, or None."""
        permission, wanted = Permission(), normalized(distribution)
        for each in self.plugins:
            if each.project != wanted:
                continue
            if reason := permission.to_import(each):
                return reason
            if (failed := self._failure(each.key)) is not None:
                return f"its plugin {each.label} does not load ({failed.reason})"
        return None

    def idle_settings(self, declarations: Iterable[Declaration]) -> tuple[tuple[str, str], ...]:
        """Return what the configuration names and is not there, after the setting that does: a misspelt name closes nothing.

        Args:
            declarations: All there are; what disabled plugins would ship is not known.
        """
        subjects = [subject_of(each, self.owner(each)) for each in declarations]
        return Permission().idle(subjects, (*self.plugins, *self.found_extensions))

    def failing(self) -> list[FoundPlugin]:
        """Return the plugins that are known not to load, sorted."""
        self._look_if_needed()
        known = set() if self.index is None else self.index.failed()
        for key in self._outcomes:
            (known.add if self._failure(key) is not None else known.discard)(key)
        found = [self._by_key[key] for key in known if key in self._by_key]
        return sorted(found, key=lambda each: (each.project, each.entry_point))

    def report(self) -> LoadReport:
        """Return what became of every plugin that was loaded or described, or is disabled."""
        from fcregistry.discovery._report import LoadReport

        return LoadReport.of(self._told())

    def _told(self) -> Iterator[Outcome]:
        from dataclasses import replace

        from fcregistry.discovery._report import DescribedPlugin, DisabledPlugin, FailedPlugin, LoadedPlugin

        plugins, permission = self.plugins, Permission()
        known = {} if self.index is None else self.index.descriptions()
        for plugin in plugins:
            if (outcome := self._outcomes.get(plugin.key)) is not None:
                if isinstance(outcome, LoadedPlugin):
                    outcome = replace(outcome, outdated=self.outdated(plugin))
                yield outcome
            elif (reason := permission.to_know(plugin)) or (
                plugin.key not in known and (reason := permission.to_import(plugin))
            ):
                yield DisabledPlugin(plugin=plugin, reason=reason)
            elif (description := known.get(plugin.key)) is not None:
                if description.failed:
                    yield FailedPlugin.of_record(plugin, description.record)
                else:
                    seconds = description.record["seconds"]
                    yield DescribedPlugin(plugin=plugin, seconds=seconds, by=description.by)


_current = Discovery()


def current() -> Discovery:
    """Return the process's discovery."""
    return _current


def load_plugins() -> LoadReport:
    """Import every installed plugin that the configuration allows.

    What is installed is looked up anew, so this also finds what was installed since the process started. A plugin that fails is
    recorded, and takes no other with it. One that is loaded stays what it was: where its distribution was replaced since, its origin names
    the old version, and a warning is logged.

    Returns:
        What became of each: `loaded`, `failed` (with reason and traceback) and `disabled`. One that is known to end the process that
        imports it has failed, and is not imported.

    Raises:
        ConfigurationError: The configuration cannot be read.
    """
    _current.refresh()
    _current.load()
    report = _current.report()
    for each in report.loaded:
        if each.outdated is not None:
            from logging import getLogger  # only where something has changed

            getLogger("fcregistry").warning("%s runs the code of before: %s", each.plugin.label, each.outdated)
    return report
