"""What one process knows of its installed plugins: their tools and the outcomes of imports.

`current()` returns the `Discovery` of the process. Modules that only a failure or an import needs (`_report`, `_loader`, `_describe`) are
imported inside functions: a program whose plugins are all described never needs them.
"""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from fcregistry._base.forks import after_fork
from fcregistry._base.paths import cache_folder
from fcregistry._tools.selectors import normalized
from fcregistry.discovery._extensions import Extensions
from fcregistry.discovery._finder import stamp_of
from fcregistry.discovery._found import (
    FoundEntryPoint,
    FoundExtension,
    FoundPlugin,
    PluginKey,
    distribution_version,
    is_in_metadata,
)
from fcregistry.discovery._index import Index
from fcregistry.discovery._index_store import IndexFile, index_path
from fcregistry.discovery._permission import Permission

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from types import FrameType

    from fcregistry._tools.declaration import Declaration, Owner
    from fcregistry._tools.described import Described
    from fcregistry._tools.record import ToolRecord
    from fcregistry._tools.tool import Tool
    from fcregistry.discovery._describe import FreshDescription
    from fcregistry.discovery._report import FailedPlugin, LoadedPlugin, LoadReport, Outcome

    Describe = Callable[[Sequence[FoundPlugin], Sequence[FoundEntryPoint], Callable[[FreshDescription], None]], None]


class Discovery:
    """The installed plugins and extensions of a process.

    They are found once, then described or imported when a caller needs what they ship.

    Each plugin is imported at most once. No lock is held meanwhile: two threads that load one plugin both wait for Python's own import
    lock, and the first outcome counts.

    Attributes:
        index: The descriptions of plugins that are not imported.
        describe: Describes plugins in other processes, as commands do; None if they are imported in this process, as programs do.
        extensions: What the installed extensions provide; each is loaded when it is needed.
    """

    def __init__(self) -> None:
        self.index: Index = Index(None)
        self.describe: Describe | None = None
        self.extensions: Extensions = Extensions(lambda: self.found_extensions)
        self._found: tuple[FoundEntryPoint, ...] | None = None
        self._plugins: tuple[FoundPlugin, ...] = ()
        self._extensions_found: tuple[FoundExtension, ...] = ()
        self._by_key: dict[PluginKey, FoundPlugin] = {}
        self._claims: dict[str, list[FoundPlugin]] = {}  # module -> the plugins that name it
        self._owners: dict[str, FoundPlugin] = {}  # of those modules that were looked up
        self._outcomes: dict[PluginKey, LoadedPlugin | FailedPlugin] = {}
        self._first: dict[str, FoundEntryPoint] = {}  # by distribution, as the process found it first
        self._imports = True
        self._looking = threading.Lock()
        self._describing = threading.Lock()
        self._loading = threading.local()

    # --- What is installed ---

    @property
    def plugins(self) -> tuple[FoundPlugin, ...]:
        """The installed plugins, sorted by distribution and entry point."""
        self._look_if_needed()
        return self._plugins

    @property
    def found_extensions(self) -> tuple[FoundExtension, ...]:
        """The installed extensions, sorted by distribution and entry point."""
        self._look_if_needed()
        return self._extensions_found

    def distributions(self) -> tuple[str, ...]:
        """Return the names of the distributions that ship plugins, sorted."""
        return tuple(dict.fromkeys(plugin.distribution for plugin in self.plugins))

    def owner(self, declaration: Declaration) -> FoundPlugin | None:
        """Return the plugin that ships a declaration, or None for the application.

        The nearest module, or package above it, that an entry point names decides.
        """
        self._look_if_needed()
        if declaration.plugin is not None:
            return self._by_key.get(declaration.plugin)
        return self.whose(declaration.module)

    def whose(self, module: str) -> FoundPlugin | None:
        """Return the plugin that owns the declarations of a module, or None for the application."""
        owners, claims = self._owners, self._claims  # in this order, so that no new dict gets an old owner
        while module:
            if module in claims:
                if module not in owners:
                    owners[module] = _owner(module, claims)
                return owners[module]
            module = module.rpartition(".")[0]
        return None

    def refresh(self, *, anew: bool = False) -> None:
        """Look again at what is installed; what is loaded stays loaded.

        Args:
            anew: Whether to read all metadata, also of distributions that the index knows.
        """
        if self.index.file is None and (folder := cache_folder()) is not None and _has_sqlite():
            self.index = Index(IndexFile(index_path(folder)), exact=self.describe is not None, renew=self._know_again)
        self.adopt(self.index.look(anew=anew))

    def adopt(self, found: tuple[FoundEntryPoint, ...]) -> None:
        """Use these entry points as what is installed; a loaded plugin keeps the one that it was loaded from.

        Its code stays what it was, even if its distribution is replaced or removed: so do its version and its owner.
        """
        loaded = {key: each.plugin for key, each in self._outcomes.items() if _is_loaded(each)}
        if loaded:
            others = (each for each in found if not isinstance(each, FoundPlugin) or each.key not in loaded)
            found = tuple(sorted((*others, *loaded.values()), key=lambda each: (each.project, each.entry_point)))
        after_fork(self, type(self)._forget)
        plugins = tuple(each for each in found if isinstance(each, FoundPlugin))
        claims: dict[str, list[FoundPlugin]] = {}
        for plugin in plugins:
            claims.setdefault(plugin.module, []).append(plugin)
        self._claims = claims
        self._owners = {}
        self._by_key = {each.key: each for each in plugins}
        self._plugins = plugins
        self._extensions_found = tuple(each for each in found if isinstance(each, FoundExtension))
        for each in found:
            self._first.setdefault(each.project, each)
        self._found = found  # last: a thread that sees it may rely on the others

    def _look_if_needed(self) -> None:
        if self._found is None:
            after_fork(self, type(self)._forget)
            with self._looking:
                if self._found is None:  # nor has another thread looked meanwhile
                    self.refresh()

    def _forget(self) -> None:
        """Reset what a forked process cannot use.

        These are locks that a thread of the parent may hold, the connection of the index, and half-done imports.
        """
        self._looking, self._describing = threading.Lock(), threading.Lock()
        self._imports = True
        self.index, self._found = Index(None), None
        for plugin in self._plugins:
            if plugin.key not in self._outcomes and _is_left_half_imported(plugin.module):
                what = f"another thread was importing {plugin.module} when this process was forked"
                advice = (
                    "call load_plugins() before the program forks, or start processes in another way, such as spawn"
                )
                self._outcomes[plugin.key] = _refused(plugin, what, advice)

    # --- Importing plugins ---

    @property
    def has_loaded(self) -> bool:
        """Whether this process has imported a plugin, or tried to."""
        return bool(self._outcomes)

    def load(self, distribution: str | None = None) -> None:
        """Import the plugins of one distribution, or all.

        Those that are loaded already, or that this thread is loading, are skipped.
        """
        wanted = None if distribution is None else normalized(distribution)
        for plugin in self.plugins:
            if wanted is None or plugin.project == wanted:
                self._load(plugin)

    def _load(self, plugin: FoundPlugin) -> bool:
        """Import a plugin unless it is loaded or must not be; return whether it was imported now."""
        key = plugin.key
        under_way = self._loading.__dict__.setdefault("keys", set())
        if key in self._outcomes or key in under_way or Permission().to_import(plugin):
            return False
        refused = self._failure(key, by="watching")  # it ends each process that imports it
        if change := _change(self._first[plugin.project], plugin):
            refused = _refused(plugin, change, f"restart this process: it then sees {plugin.distribution} as it is now")
        if refused is not None:
            self._outcomes.setdefault(key, refused)
            return False  # the failure is this process's alone and is not written to the index
        from fcregistry.discovery._loader import load_plugin

        under_way.add(key)
        try:
            outcome = load_plugin(plugin, lambda declaration: self.owner(declaration) is not None)
            if outcome is not None:
                self._outcomes.setdefault(key, outcome)
                self._replace_described(plugin)
        finally:
            under_way.discard(key)
        return outcome is not None

    def _replace_described(self, plugin: FoundPlugin) -> None:
        """Give the described tools that callers hold the declarations of the plugin, which is imported now."""
        from fcregistry._tools.tool import definition_of  # as above
        from fcregistry.errors import FcregistryError

        for described, owner in self.index.handed_out():
            if owner == plugin and described.tool is not None:
                with suppress(FcregistryError):  # a call of the tool reports it
                    definition_of(described.tool).define()  # takes its declaration over

    def _load_imported(self) -> None:
        """Count plugins as loaded whose modules the program has imported itself: their tools are declared."""
        self._look_if_needed()
        for module in sorted(self._claims.keys() & sys.modules.keys()):
            if getattr(getattr(sys.modules.get(module), "__spec__", None), "_initializing", False):
                continue  # another thread is importing it; there is no need to wait
            for plugin in self._plugins:
                if plugin.module == module and plugin.key not in self._outcomes:
                    self._load(plugin)

    def _failure(self, key: PluginKey, by: str | None = None) -> FailedPlugin | None:
        """Return why a plugin does not load, as this process or the index knows, or None.

        Args:
            key: The plugin.
            by: The maker of the description that counts, if not any.
        """
        if (outcome := self._outcomes.get(key)) is not None:
            return None if _is_loaded(outcome) else outcome  # type: ignore[return-value]
        description = self.index.descriptions().get(key)
        if description is None or not description.failed or by not in (None, description.by):
            return None
        from fcregistry.discovery._report import FailedPlugin

        return FailedPlugin.of_record(description.plugin, description.record)

    # --- Having plugins described ---

    def know(self, distribution: str | None = None) -> None:
        """Describe or import the plugins of one distribution, or all, that are not known yet.

        Failures are recorded, not raised.
        """
        self._load_imported()
        unknown = self._describe_by_manifests(self._unknown(distribution))
        if not unknown:
            if self.index.is_outdated:
                self.index.keep(())
            return
        if self.describe is None or self.index.file is None:
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

    def know_anew(self, distributions: Collection[str] = ()) -> dict[PluginKey, FreshDescription]:
        """Describe plugins again, whatever the index and manifests say; those that this process has imported are skipped.

        A command has worker processes import them, a program imports them itself.

        Args:
            distributions: The distributions whose plugins are described; by default all.

        Returns:
            The descriptions that worker processes made. The index keeps them, but a caller that must not trust the index uses these.
        """
        self.refresh(anew=True)
        self._load_imported()
        wanted, permission = {normalized(each) for each in distributions}, Permission()
        plugins = [
            each for each in self.plugins if each.key not in self._outcomes and (not wanted or each.project in wanted)
        ]
        plugins = [each for each in plugins if permission.to_import(each) is None]
        if self.describe is None or self.index.file is None:
            self._import_and_describe(plugins)
            return {}
        with self._describing:
            done: list[FreshDescription] = []
            try:
                if plugins:
                    self.describe(plugins, self._found or (), done.append)
            finally:  # after an interrupt too
                known = self.index.descriptions().keys() - self.index.failed()
                # One that fails only here, where a variable is not set, stays described for others
                self.index.keep(
                    [each for each in done if each.record["failure"] is None or each.plugin.key not in known]
                )
            self.refresh()
        return {each.plugin.key: each for each in done}

    def _know_again(self) -> None:
        """Describe again all plugins that were described: the index has turned out to be damaged."""
        self.refresh()
        self.know()

    def _unknown(self, distribution: str | None) -> list[FoundPlugin]:
        plugins = self.plugins
        known = self.index.descriptions()
        if distribution is not None and self.describe is None:
            # The caller names the distribution, so a plugin that was too slow to be described is imported without a time limit
            known = {key: each for key, each in known.items() if each.by != "waiting"}
        missing = self._by_key.keys() - known.keys() - self._outcomes.keys() - self._loading.__dict__.get("keys", set())
        if not missing:
            return []
        wanted = None if distribution is None else normalized(distribution)
        asked = [each for each in plugins if each.key in missing and wanted in (None, each.project)]
        permission = Permission()
        allowed = (each for each in asked if permission.to_import(each) is None)
        return [each for each in allowed if each.cached is None or is_in_metadata(each)]

    def _describe_by_manifests(self, unknown: list[FoundPlugin]) -> list[FoundPlugin]:
        """Describe plugins by their manifests, if these are as new as the code; return the others."""
        if self.index.file is None or not unknown:
            return unknown
        from fcregistry.discovery._describe import describe_by_manifests

        made = describe_by_manifests(each for each in unknown if each.cached is None or not each.cached.was_refuted)
        if not made:
            return unknown
        self.index.keep(made)
        self.refresh()
        described = {each.plugin.key for each in made}
        return [each for each in unknown if each.key not in described]

    def _import_and_describe(self, plugins: Iterable[FoundPlugin]) -> None:
        """Import plugins in this process, and store what they ship for the next one."""
        from time import time_ns

        since = time_ns()
        loaded = [each for each in plugins if self._load(each)]
        new = [each for each in loaded if self._failure(each.key) is None or not _has_stored_failure(each)]
        if self.index.file is None or not new:
            return
        from fcregistry.discovery._describe import describe_imported

        made = describe_imported([self._outcomes[each.key] for each in new], self.owner, since)
        self.index.keep([each for each in made if not each.record["dynamic"]])

    # --- Described tools ---

    def described(self, name: str | None = None) -> Iterator[tuple[Described, FoundPlugin]]:
        """Yield the visible tools that are described and whose plugins are not imported: of that name, or all."""
        self._look_if_needed()
        return self._visible(self.index.described(name))

    def aliased(self, name: str) -> Iterator[tuple[Described, FoundPlugin]]:
        """Yield those of these tools that have that alias."""
        self._look_if_needed()
        return self._visible(self.index.aliased(name))

    def _visible(self, described: Iterable[tuple[Described, FoundPlugin]]) -> Iterator[tuple[Described, FoundPlugin]]:
        self._load_imported()
        permission, outcomes, failed = Permission(), self._outcomes, self.index.failed()
        for each in described:
            key = each[1].key
            if key not in outcomes and key not in failed and (permission.is_open or not permission.to_see(*each)):
                yield each

    def ranked(self, words: str, made: Iterable[Tool]) -> Iterator[Tool | tuple[Described, FoundPlugin]]:
        """Yield the tools that some words match, of these and of the visible described ones, best first."""
        for found in self.index.ranked(words, made):
            if isinstance(found, tuple):
                yield from self._visible([found])
            else:
                yield found

    def record(self, described: Described) -> ToolRecord:
        """Return the record of a described tool.

        Raises:
            PluginError: The index turned out to be damaged, and the tool's plugin does not load.
        """
        self._look_if_needed()
        record = self.index.record(described)
        if record is None:
            from fcregistry._tools.definition import wanted_strictness
            from fcregistry._tools.indexed import record_of
            from fcregistry._tools.tool import Tool

            real = self.real(described)
            record = record_of(Tool(real, self.owner(real), strict=wanted_strictness(real.module)))
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
        if plugin.key not in self._outcomes:  # disabled since, or being imported by this thread
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
        """Keep plugins from being imported inside the block: what needs an import raises `PluginError`."""
        before, self._imports = self._imports, False
        try:
            yield
        finally:
            self._imports = before

    def forget(self, described: Described) -> None:
        """Discard the description of a described tool's plugin, so that the plugin is described again."""
        assert described.plugin is not None
        plugin = self._by_key.get(described.plugin)
        if plugin is None:
            return
        known = self.index.descriptions().get(plugin.key)
        if known is not None and known.by == "manifest":
            from logging import getLogger  # only on the way to an error

            getLogger("fcregistry").warning(
                "the manifest of %s is wrong about %s; tell its authors", plugin, described.name
            )
        self.index.forget(plugin)

    # --- What the configuration hides, and what failed ---

    def permission(self) -> Permission:
        """Return what the configuration allows now."""
        return Permission()

    def hidden(self, declaration: Declaration, owner: Owner | None, permission: Permission | None = None) -> str | None:
        """Return why a declaration must not be seen, or None."""
        plugin = None if owner is None else self._by_key.get((owner.distribution, owner.entry_point))
        if plugin is not None and (failed := self._failure(plugin.key)) is not None:
            return f"its plugin {failed.plugin.label} does not load ({failed.reason})"
        asked = permission if isinstance(permission, Permission) else Permission()
        return asked.to_see(declaration, plugin)

    def why_hidden(self, name: str) -> str | None:
        """Return why a described tool of a plain name exists and must not be seen, or None."""
        self._look_if_needed()
        pairs = (*self.index.described(name), *self.index.aliased(name))
        reasons = (self.hidden(*each) for each in pairs if each[1].key not in self._outcomes)
        return next(filter(None, reasons), None)

    def why_refused(self, distribution: str) -> str | None:
        """Return why a plugin of a distribution must not be imported or does not load, or None.

        The tools of such a plugin are unknown.
        """
        permission, wanted = Permission(), normalized(distribution)
        for each in self.plugins:
            if each.project != wanted:
                continue
            if reason := permission.to_import(each):
                return reason
            if (failed := self._failure(each.key)) is not None:
                return f"its plugin {each.label} does not load ({failed.reason})"
        return None

    def failing(self) -> list[FoundPlugin]:
        """Return the plugins that are known not to load, sorted."""
        self._look_if_needed()
        known = self.index.failed()
        for key in self._outcomes:
            (known.add if self._failure(key) is not None else known.discard)(key)
        found = [self._by_key[key] for key in known if key in self._by_key]
        return sorted(found, key=lambda each: (each.project, each.entry_point))

    def report(self) -> LoadReport:
        """Return the outcome of every plugin that was loaded or described, or is disabled."""
        from dataclasses import replace

        from fcregistry.discovery._report import DescribedPlugin, DisabledPlugin, FailedPlugin, LoadedPlugin, LoadReport

        found: list[Outcome] = []
        plugins, permission = self.plugins, Permission()
        known = self.index.descriptions()
        for plugin in plugins:
            if (outcome := self._outcomes.get(plugin.key)) is not None:
                if isinstance(outcome, LoadedPlugin):
                    outcome = replace(outcome, outdated=_change(self._first[plugin.project], plugin))
                found.append(outcome)
            elif (reason := permission.to_know(plugin)) or (
                plugin.key not in known and (reason := permission.to_import(plugin))
            ):
                found.append(DisabledPlugin(plugin=plugin, reason=reason))
            elif (description := known.get(plugin.key)) is not None:
                record = description.record
                found.append(
                    FailedPlugin.of_record(plugin, record)
                    if description.failed
                    else DescribedPlugin(plugin=plugin, seconds=record["seconds"], by=description.by)
                )
        return LoadReport.of(found)


def _has_sqlite() -> bool:
    """Return whether this Python was built with SQLite.

    Without it there is no index, and plugins are imported each time.
    """
    try:
        import sqlite3  # noqa: F401  # not wasted: the index is read next
    except ImportError:
        return False
    return True


def _has_stored_failure(plugin: FoundPlugin) -> bool:
    """Return whether the index says that the installed version of a plugin did not load."""
    return plugin.cached is not None and bool(plugin.cached.by) and plugin.cached.failed


def _is_loaded(outcome: LoadedPlugin | FailedPlugin) -> bool:
    return not hasattr(outcome, "error")  # without importing its class


# --- The owner of a module ---


def _owner(module: str, claims: Mapping[str, list[FoundPlugin]]) -> FoundPlugin:
    """Return the plugin that owns a module.

    That is one that names the module, unless the distribution of a plugin that names a package around it holds its file.

    Args:
        module: The module.
        claims: Module -> the plugins whose entry points name it, for all modules.
    """
    naming = claims[module]
    rivals, around = naming, module.rpartition(".")[0]
    while around:
        if around in claims:
            rivals = [*rivals, *claims[around]]
        around = around.rpartition(".")[0]
    if len(rivals) == 1 or (len(naming) == 1 and all(each.project == naming[0].project for each in rivals)):
        return naming[0]
    # The files of a distribution are slow to read, so only if there are several plugins
    return min(rivals, key=lambda plugin: _claim(plugin, module))


def _claim(plugin: FoundPlugin, module: str) -> tuple[int, int, bool]:
    """Return the sort key of a plugin's claim to a module.

    First comes a plugin whose distribution holds the file, then one that names the nearest module, as a whole.
    """
    return (_CLAIM_OF_HOLDER[plugin.holds(module)], -len(plugin.module), bool(plugin.attribute))


_CLAIM_OF_HOLDER: Final = {True: 0, None: 1, False: 2}

# --- Modules that a fork left half imported ---


def _is_left_half_imported(module: str) -> bool:
    """Return whether a fork has interrupted the import of a module by another thread.

    This process does not have that thread, and Python would wait for it forever.
    """
    if not getattr(getattr(sys.modules.get(module), "__spec__", None), "_initializing", False):
        return False
    frame: FrameType | None = sys._getframe()
    while frame is not None:  # or this thread itself is importing it
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == module:
            return False
        frame = frame.f_back
    return True


def _refused(plugin: FoundPlugin, reason: str, advice: str) -> FailedPlugin:
    """Return the outcome of a plugin that this process does not import."""
    from fcregistry.discovery._report import FailedPlugin
    from fcregistry.errors import PluginError

    error = PluginError(reason)
    return FailedPlugin(plugin=plugin, seconds=0.0, error=error, traceback="", recorded=(reason, advice))


# --- Distributions that were replaced while the process runs ---


def _change(first: FoundEntryPoint, plugin: FoundEntryPoint) -> str | None:
    """Return how a plugin's distribution has changed since this process found it, or None.

    An installer writes the metadata of a distribution anew whenever it replaces the code, so the metadata are compared: their folder,
    which names the version, and the time and size of `entry_points.txt`. Metadata that are in no folder, such as those in an archive,
    are never reported as changed.

    Args:
        first: An entry point of the distribution, as the process found it first.
        plugin: The entry point as it was found last, if it is about to be imported; as it was loaded, if it is loaded.
    """
    same = (first.folder, first.info, first.stamp) == (plugin.folder, plugin.info, plugin.stamp)
    if not first.folder or (same and stamp_of(f"{first.folder}/{first.info}/entry_points.txt") == first.stamp):
        return None
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        now = distribution_version(distribution(first.distribution))
    except PackageNotFoundError:
        what = "uninstalled"
    else:
        what = "reinstalled" if now == first.version else f"replaced by {now}"
    return f"{first.distribution} {first.version} was {what} while this process was running; restart it"


# --- The discovery of this process ---

_current = Discovery()


def current() -> Discovery:
    """Return the process's discovery."""
    return _current


def load_plugins() -> LoadReport:
    """Import every installed plugin that the configuration allows.

    Installed plugins are looked up again, so this also finds those that were installed since the process started. A plugin that fails is
    recorded and does not affect the others. A loaded plugin keeps its code: if its distribution was replaced since, its origin names the old
    version, and a warning is logged.

    Returns:
        The outcomes: `loaded`, `failed` (with reason and traceback) and `disabled` plugins. A plugin that is known to end the process that
        imports it counts as failed, and is not imported.

    Raises:
        ConfigurationError: The configuration cannot be read.
    """
    _current.refresh()
    _current.load()
    report = _current.report()
    for each in report.loaded:
        if each.outdated is not None:
            from logging import getLogger  # only if something has changed

            getLogger("fcregistry").warning("%s runs the code of before: %s", each.plugin.label, each.outdated)
    return report
