"""The installed plugins of a process: their tools, described or imported, and what the configuration hides.

`current()` returns the `Discovery` of the process. Modules that only a failure or an import needs (`_report`, `_loader`, `_describe`) are
imported inside functions: a program whose plugins are all described never needs them.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING

from fcregistry._base.forks import after_fork, cached_attribute
from fcregistry._base.paths import cache_folder
from fcregistry._tools.selectors import normalized
from fcregistry.discovery._found import (
    FoundCommand,
    FoundEntryPoint,
    FoundExtension,
    FoundPlugin,
    PluginKey,
    is_in_metadata,
)
from fcregistry.discovery._imports import Imports
from fcregistry.discovery._index import Index
from fcregistry.discovery._index_store import IndexFile, index_path
from fcregistry.discovery._installed import Installed
from fcregistry.discovery._permission import Permission

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from fcregistry._tools.declaration import Declaration, Owner
    from fcregistry._tools.described import Described
    from fcregistry._tools.record import ToolRecord
    from fcregistry._tools.tool import Tool
    from fcregistry.discovery._commands import Commands
    from fcregistry.discovery._describe import FreshDescription
    from fcregistry.discovery._extensions import Extensions
    from fcregistry.discovery._report import FailedPlugin, LoadReport, Outcome
    from fcregistry.discovery._sources import KnownSource, Shipper, Source, SourceOwner

    Describe = Callable[[Sequence[FoundPlugin], Sequence[FoundEntryPoint], Callable[[FreshDescription], None]], None]


class Discovery:
    """The tools of the installed plugins: those that were imported, and the descriptions of the others.

    Plugins are found once, then described or imported when a caller needs what they ship. The lock lets one thread at a time have plugins
    described, so that each is described once.

    Attributes:
        installed: The installed plugins and extensions.
        imports: The outcomes of the plugins that were imported.
        sources: The tool sources, which ship tools as plugins do, by key.
        index: The descriptions of plugins that are not imported.
        describe: Describes plugins in other processes, as commands do; None if they are imported in this process, as programs do.
    """

    def __init__(self) -> None:
        self.index: Index = Index(None)
        self.describe: Describe | None = None
        self.installed: Installed = Installed(self.refresh)
        self.imports: Imports = Imports(lambda declaration: self.owner(declaration) is not None)
        self.sources: dict[PluginKey, KnownSource] = {}
        self._describing = threading.Lock()

    # --- What is installed ---

    @cached_attribute
    def extensions(self) -> Extensions:
        """What the installed extensions provide; each is loaded when it is needed."""
        from fcregistry.discovery._extensions import Extensions  # lists of tools need none

        return Extensions(lambda: self.found_extensions)

    @cached_attribute
    def commands(self) -> Commands:
        """The commands that installed packages add to the command line."""
        from fcregistry.discovery._commands import Commands  # programs need none

        return Commands(lambda: self.found_commands)

    @property
    def plugins(self) -> tuple[FoundPlugin, ...]:
        """The installed plugins, sorted by distribution and entry point."""
        return self.installed.plugins

    @property
    def found_extensions(self) -> tuple[FoundExtension, ...]:
        """The installed extensions, sorted by distribution and entry point."""
        return self.installed.extensions

    def entry_points_and_sources(self) -> list[FoundEntryPoint | SourceOwner]:
        """Return the installed plugins, extensions and commands, and the sources."""
        sources = (known.owner for _, known in sorted(self.sources.items()))
        return [*self.plugins, *self.found_extensions, *self.found_commands, *sources]

    @property
    def found_commands(self) -> tuple[FoundCommand, ...]:
        """The installed commands, sorted by distribution and entry point."""
        return self.installed.commands

    def add_source(self, source: Source) -> None:
        """Use the tools that `source` describes without being opened; replace those of before."""
        from fcregistry.discovery._sources import KnownSource  # most processes have no source

        known = KnownSource.of(source)
        self.sources[known.owner.key] = known

    def distributions(self) -> tuple[str, ...]:
        """Return the names of the distributions that ship plugins, sorted."""
        return self.installed.distributions()

    def owner(self, declaration: Declaration) -> FoundPlugin | None:
        """Return the plugin that ships `declaration`, or None if the application does."""
        return self.installed.owner(declaration)

    def refresh(self, *, anew: bool = False) -> None:
        """Find what is installed now; what is loaded stays loaded.

        Args:
            anew: Whether to read all metadata again, also those that the index has.
        """
        if self.index.file is None and (folder := cache_folder()) is not None and _has_sqlite():
            self.index = Index(IndexFile(index_path(folder)), exact=self.describe is not None, renew=self._renew_index)
        self.replace_found(self.index.look(anew=anew))

    def replace_found(self, found: tuple[FoundEntryPoint, ...]) -> None:
        """Use `found` as the installed entry points; what is loaded stays loaded.

        Args:
            found: The entry points, sorted by distribution and name.
        """
        after_fork(self, Discovery._forget)
        self.installed.replace_found(found, self.imports.loaded)

    def _forget(self) -> None:
        """Reset what a forked process cannot use: the index, half-done imports, and the lock.

        A thread of the parent may hold the lock.
        """
        self._describing = threading.Lock()
        self.index = Index(None)
        self.imports.forget(self.installed.found_last)

    # --- Importing plugins ---

    @property
    def has_loaded(self) -> bool:
        """Whether this process has imported a plugin, or tried to."""
        return bool(self.imports.outcomes)

    def load(self, distribution: str | None = None) -> None:
        """Import the plugins that are not loaded yet, and that this thread is not loading.

        Args:
            distribution: The distribution whose plugins are imported; None for all plugins.
        """
        for plugin in self.installed.of(distribution):
            self._load(plugin)

    def _load(self, plugin: FoundPlugin) -> bool:
        """Try to import `plugin`; return whether that was tried now, with success or failure.

        False without an import if the plugin has an outcome already, if this thread is importing it, or if the configuration forbids it. Also
        False if its distribution has changed since it was found, or if the index says that it ends the process: it then counts as failed, in
        this process only.
        """
        if not self.imports.is_due(plugin.key) or Permission().to_import(plugin):
            return False
        if change := self.installed.change(plugin):
            advice = f"restart this process: it then sees {plugin.distribution} as it is now"
            self.imports.refuse(plugin, change, advice)
            return False
        if (failed := self._described_failure(plugin.key, by="watching")) is not None:  # it ends each process
            self.imports.keep(failed)
            return False
        is_new = self.imports.load(plugin)
        if is_new:
            self._replace_described(plugin)
        return is_new

    def _replace_described(self, plugin: FoundPlugin) -> None:
        """Have the tools of `plugin` that were made from descriptions use its declarations.

        The plugin was imported just now. A tool that cannot be defined is left as it is, without an error.
        """
        from fcregistry._tools.tool import definition_of  # as above
        from fcregistry.errors import FcregistryError

        for described, owner in self.index.made_tools():
            if owner == plugin and described.tool is not None:
                with suppress(FcregistryError):  # a call of the tool reports it
                    definition_of(described.tool).define()  # takes its declaration over

    def _load_imported(self) -> None:
        """Load the plugins whose modules the program has imported itself: their tools are declared already."""
        for plugin in self.installed.imported():
            if plugin.key not in self.imports.outcomes:
                self._load(plugin)

    def _failure(self, key: PluginKey) -> FailedPlugin | None:
        """Return the failure of a plugin; None if it is not known to fail.

        If this process has tried to import it, only that outcome counts, otherwise the description in the index.

        Args:
            key: The plugin.
        """
        return self.imports.failure(key) if key in self.imports.outcomes else self._described_failure(key)

    def _described_failure(self, key: PluginKey, by: str | None = None) -> FailedPlugin | None:
        """Return the failure that the valid description of a plugin in the index reports.

        The result is None if there is no such description, it reports no failure, or it is not by the maker `by`.

        Args:
            key: The plugin.
            by: The maker of the description, such as `watching`; None for any maker.
        """
        description = self.index.descriptions().get(key)
        if description is None or not description.failed or by not in (None, description.by):
            return None
        from fcregistry.discovery._report import FailedPlugin

        return FailedPlugin.of_record(description.plugin, description.record)

    # --- Having plugins described ---

    def describe_all(self, distribution: str | None = None) -> None:
        """Describe or import each plugin that is neither described nor imported yet.

        Failures are recorded, not raised.

        Args:
            distribution: The distribution of the plugins; None for all plugins.
        """
        self._load_imported()
        undescribed = self._describe_by_manifests(self._undescribed(distribution))
        if not undescribed:
            if self.index.is_outdated:
                self.index.keep(())
        elif (describe := self._describe_elsewhere) is None:
            self._import_and_describe(undescribed)
        else:
            with self._describing:
                if undescribed := self._undescribed(
                    distribution
                ):  # another thread may have had them described meanwhile
                    self._run(describe, undescribed)

    @property
    def is_incomplete(self) -> bool:
        """Whether a plugin that may be imported is neither described nor imported yet."""
        return bool(self._undescribed(None))

    def describe_again(self, distributions: Collection[str] = ()) -> dict[PluginKey, FreshDescription]:
        """Describe plugins again, whatever the index and manifests say, unless this process has imported them.

        A command has worker processes import the plugins, a program imports them itself.

        Args:
            distributions: The distributions whose plugins are described; by default all.

        Returns:
            The descriptions that worker processes made, by plugin. The index keeps them, but a caller that must not trust the index uses these.
        """
        self.refresh(anew=True)
        self._load_imported()
        wanted = {normalized(each) for each in distributions}
        asked = (each for each in self.plugins if not wanted or each.project in wanted)
        plugins = _importable(each for each in asked if each.key not in self.imports.outcomes)
        if (describe := self._describe_elsewhere) is None:
            self._import_and_describe(plugins)
            return {}
        with self._describing:
            made = self._run(describe, plugins, self._is_kept)
        return {each.plugin.key: each for each in made}

    def _renew_index(self) -> None:
        """Find what is installed again, and describe the plugins anew: the index has turned out to be damaged."""
        self.refresh()
        self.describe_all()

    @property
    def _describe_elsewhere(self) -> Describe | None:
        """The function that describes plugins in other processes; None if this process has to import plugins.

        That is so if `describe` is not set, as in a program, or if there is no index file to store descriptions in.
        """
        return None if self.index.file is None else self.describe

    def _run(
        self,
        describe: Describe,
        plugins: Sequence[FoundPlugin],
        is_kept: Callable[[FreshDescription], bool] = lambda made: True,
    ) -> list[FreshDescription]:
        """Have plugins described in other processes, save the descriptions, and return all of them.

        Descriptions that `is_kept` rejects are returned too. If `describe` raises an exception, those made so far are saved, and it passes through.

        Args:
            describe: Describes the plugins; not called if there are none.
            plugins: The plugins.
            is_kept: Returns whether the index keeps a description; by default it keeps all.
        """
        done: list[FreshDescription] = []
        try:
            if plugins:
                describe(plugins, self.installed.everything, done.append)
        finally:  # after an interrupt too
            self.index.keep(list(filter(is_kept, done)))
        self.refresh()
        return done

    def _is_kept(self, made: FreshDescription) -> bool:
        """Return whether the index keeps `made`: not a failure in place of a plugin that loads.

        A plugin that fails only here, for example because a variable is not set, stays described for other processes.
        """
        before = self.index.descriptions().get(made.plugin.key)
        return made.record["failure"] is None or before is None or before.failed

    def _undescribed(self, distribution: str | None) -> list[FoundPlugin]:
        """Return the plugins that may be imported, and are neither described nor imported.

        A plugin whose import failed in this process, or is under way in this thread, counts as imported. Plugins that only the index names, and no
        metadata, are left out.

        Args:
            distribution: The distribution of the plugins; None for all plugins. If it is given and `describe` is not set, as in a program, plugins
                that were described as too slow count as not described.
        """
        by_key, known = self.installed.by_key, self.index.descriptions()
        if distribution is not None and self.describe is None:
            # The caller names the distribution, so a plugin that was too slow to be described is imported without a time limit
            known = {key: each for key, each in known.items() if each.by != "waiting"}
        missing = by_key.keys() - known.keys() - self.imports.outcomes.keys() - self.imports.under_way
        if not missing:
            return []
        plugins = _importable(each for each in self.installed.of(distribution) if each.key in missing)
        return [each for each in plugins if each.cached is None or is_in_metadata(each)]

    def _describe_by_manifests(self, undescribed: list[FoundPlugin]) -> list[FoundPlugin]:
        """Describe plugins by their up-to-date manifests; return those of `undescribed` that are left.

        The index stores the descriptions. A plugin is left if it has no such manifest, or if a description of it turned out to be wrong; without an
        index file, all are.
        """
        if self.index.file is None or not undescribed:
            return undescribed
        from fcregistry.discovery._describe import describe_by_manifests

        made = describe_by_manifests(each for each in undescribed if each.cached is None or not each.cached.was_refuted)
        if not made:
            return undescribed
        self.index.keep(made)
        self.refresh()
        described = {each.plugin.key for each in made}
        return [each for each in undescribed if each.key not in described]

    def _import_and_describe(self, plugins: Iterable[FoundPlugin]) -> None:
        """Import `plugins` in this process, and store descriptions of them in the index for later processes.

        Nothing is stored of plugins that `_load` did not try, whose failure is stored already, or whose tools depend on the environment.
        """
        from time import time_ns

        since = time_ns()
        loaded = [each for each in plugins if self._load(each)]
        new = [each for each in loaded if self._failure(each.key) is None or not _has_stored_failure(each)]
        if self.index.file is None or not new:
            return
        from fcregistry.discovery._describe import describe_imported

        made = describe_imported([self.imports.outcomes[each.key] for each in new], self.owner, since)
        self.index.keep([each for each in made if not each.record["dynamic"]])

    # --- Described tools ---

    def described(self, name: str | None = None) -> Iterator[tuple[Described, Shipper]]:
        """Yield the visible described tools whose plugins are not imported, each with its owner.

        Args:
            name: The name of the tools, without their group; None for all tools.
        """
        self._load_imported()
        return self._visible(self.all_described(name))

    def aliased(self, name: str) -> Iterator[tuple[Described, Shipper]]:
        """Yield, with their owners, the tools that `described` yields and that have the alias `name`."""
        self._load_imported()
        return self._visible(self._all_aliased(name))

    def all_described(self, name: str | None = None) -> Iterator[tuple[Described, Shipper]]:
        """Yield the tools that the index or a source describes, hidden ones included, each with its owner.

        Args:
            name: The name of the tools, without their group; None for all tools.
        """
        yield from self.index.described(name)
        yield from (each for each in self._described_by_sources() if name in (None, each[0].name))

    def _all_aliased(self, name: str) -> Iterator[tuple[Described, Shipper]]:
        """Yield the described tools with the alias `name`, each with its owner.

        They are those of the index and of the sources, hidden ones included.
        """
        yield from self.index.aliased(name)
        yield from (each for each in self._described_by_sources() if name in each[0].options.get("aliases", ()))

    def _described_by_sources(self) -> Iterator[tuple[Described, SourceOwner]]:
        """Yield the tools of all sources, as these describe them without being opened, each with its owner."""
        return chain.from_iterable(known.described() for known in tuple(self.sources.values()))

    def _visible(self, described: Iterable[tuple[Described, Shipper]]) -> Iterator[tuple[Described, Shipper]]:
        """Yield those of `described` that the configuration allows to see.

        Tools of plugins that this process has tried to import, or whose descriptions report a failure, are left out.
        """
        permission, outcomes, failed = Permission(), self.imports.outcomes, self.index.failed()
        for each in described:
            key = each[1].key
            if key not in outcomes and key not in failed and (permission.is_open or not permission.to_see(*each)):
                yield each

    def ranked(self, words: str, made: Iterable[Tool]) -> Iterator[Tool | tuple[Described, Shipper]]:
        """Yield the tools that match `words`, best first: those in `made`, and the visible described tools."""
        for found in self.index.ranked(words, made):
            if isinstance(found, tuple):
                self._load_imported()
                yield from self._visible([found])
            else:
                yield found

    def record(self, described: Described) -> ToolRecord:
        """Return the record of `described`; import its plugin if the index does not have the record any more.

        Raises:
            PluginError: The plugin had to be imported, and does not load.
        """
        if (known := self._source_of(described)) is not None:
            return known.records[described.row]
        self.installed.ensure_found()
        record = self.index.record(described)
        if record is None:
            from fcregistry._tools.definition import wanted_strictness
            from fcregistry._tools.indexed import record_of
            from fcregistry._tools.tool import Tool

            declared = self.resolved(described)
            record = record_of(Tool(declared, self.owner(declared), strict=wanted_strictness(declared.module)))
        return record

    def resolved(self, described: Described) -> Declaration:
        """Import the plugin of a described tool, or open its source, and return the declaration of the tool.

        Raises:
            PluginError: The plugin does not load, or the source cannot be opened.
            ToolChangedError: The plugin or the source does not have the tool any more.
        """
        from fcregistry._tools.declaration import log
        from fcregistry.errors import ToolChangedError

        if (known := self._source_of(described)) is not None:
            self._check_opening(known.owner, described)
            try:
                return known.resolved(described)
            except ToolChangedError:
                self.forget(described)
                raise
        plugin = self._imported_for(described)
        named = (each for each in log.named(described.name) if each.group == described.group)
        declared = [each for each in named if self.owner(each) == plugin]
        if not declared:
            self.forget(described)
            raise ToolChangedError(
                f"{plugin.label} does not ship {described.name} any more, as it was described (schema_changed)"
            )
        return declared[-1]

    def _source_of(self, described: Described) -> KnownSource | None:
        """Return the source of a described tool; None if a plugin ships the tool, or the source is unknown."""
        return None if described.plugin is None else self.sources.get(described.plugin)

    def _check_opening(self, source: SourceOwner, described: Described) -> None:
        """Check that a source may be opened for a described tool.

        Raises:
            PluginError: The configuration forbids it, or this code runs inside `without_imports`.
        """
        from fcregistry.errors import PluginError

        reason = Permission().to_describe(source) if self.imports.are_allowed else "nothing is to be opened here"
        if reason is not None:
            raise PluginError(f"{described.name} cannot be called, since {source.label} is not opened: {reason}")

    def _imported_for(self, described: Described) -> FoundPlugin:
        """Import the plugin of a described tool, unless it is imported already, and return the plugin.

        Raises:
            PluginError: The plugin does not load, must not be imported, was uninstalled, or is being imported by this thread.
        """
        from fcregistry.errors import PluginError

        assert described.plugin is not None
        plugin = self.installed.by_key.get(described.plugin)
        if plugin is None:
            name, entry_point = described.plugin
            raise PluginError(f"{name}[{entry_point}] was uninstalled while this process was running; restart it")
        if not self.imports.are_allowed:
            raise PluginError(f"{described.name} is described, and nothing is to be imported here")
        self._load(plugin)
        if plugin.key not in self.imports.outcomes:  # disabled since, or being imported by this thread
            reason = Permission().to_import(plugin) or "it is being imported just now"
            raise PluginError(f"{described.name} cannot be called, since {plugin.label} is not imported: {reason}")
        if (failed := self.imports.failure(plugin.key)) is not None:
            raise PluginError(f"{plugin.label} does not load: {failed.reason}") from failed.error
        return plugin

    def without_imports(self) -> AbstractContextManager[None]:
        """Return a context that allows no import of a plugin: what needs one raises `PluginError`."""
        return self.imports.forbidden()

    def forget(self, described: Described) -> None:
        """Discard the description of a described tool's plugin or source, so that it is described again."""
        if (known := self._source_of(described)) is not None:
            self.add_source(known.source)
            return
        assert described.plugin is not None
        plugin = self.installed.by_key.get(described.plugin)
        if plugin is None:
            return
        description = self.index.descriptions().get(plugin.key)
        if description is not None and description.by == "manifest":
            from logging import getLogger  # only on the way to an error

            getLogger("fcregistry").warning(
                "the manifest of %s is wrong about %s: %s", plugin, described.name, plugin.how_to_fix
            )
        self.index.forget(plugin)

    # --- What the configuration hides, and what failed ---

    def permission(self) -> Permission:
        """Return what the configuration allows now."""
        return Permission()

    def hidden(self, declaration: Declaration, owner: Owner | None, permission: Permission | None = None) -> str | None:
        """Return the reason that a tool must not be seen, or None if it may be seen.

        Args:
            declaration: The declaration of the tool, or the described tool.
            owner: The owner of the tool; None for the application.
            permission: What the configuration allows; by default, it is read again.
        """
        asked = permission if isinstance(permission, Permission) else Permission()
        key = None if owner is None else (owner.distribution, owner.entry_point)
        if key in self.sources:
            return asked.to_see(declaration, self.sources[key].owner)
        plugin = None if key is None else self.installed.by_key.get(key)
        return self._why_failed(plugin) or asked.to_see(declaration, plugin)

    def _why_failed(self, plugin: FoundPlugin | None) -> str | None:
        """Return the reason that no tool of `plugin` can be used, or None if it is None or not known to fail."""
        failed = None if plugin is None else self._failure(plugin.key)
        return None if failed is None else f"its plugin {failed.plugin.label} does not load ({failed.reason})"

    def why_hidden(self, name: str) -> str | None:
        """Return the reason that a described tool of the plain name `name` is hidden; None if none is.

        A tool that a plugin shipped before it failed counts as hidden, too.
        """
        self.installed.ensure_found()
        pairs = (*self.all_described(name), *self._all_aliased(name))
        reasons = (self.hidden(*each) for each in pairs if each[1].key not in self.imports.outcomes)
        failing = (each for each in self._failing() if name in self.index.tools_before(each.key))
        lost = (self.permission().to_describe(each) or self._why_failed(each) for each in failing)
        return next(filter(None, chain(reasons, lost)), None)

    def why_refused(self, distribution: str) -> str | None:
        """Return the reason that a plugin of `distribution` must not be imported or does not load, or None.

        The tools of such a plugin are unknown. None means that all its plugins may be imported, and none is known to fail.
        """
        permission = Permission()
        for each in self.installed.of(distribution):
            if reason := permission.to_import(each) or self._why_failed(each):
                return reason
        return None

    def failing(self) -> list[FoundPlugin]:
        """Return the plugins that are known not to load, sorted; without those that the configuration forbids now."""
        permission, outcomes = Permission(), self.imports.outcomes
        return [each for each in self._failing() if each.key in outcomes or permission.to_describe(each) is None]

    def _failing(self) -> list[FoundPlugin]:
        """Return the plugins that are known not to load, sorted."""
        outcomes = self.imports.outcomes
        failed = self.index.failed() - outcomes.keys() | {key for key in outcomes if self.imports.failure(key)}
        return [each for each in self.plugins if each.key in failed]

    def report(self) -> LoadReport:
        """Return the outcome of every plugin that was loaded or described, or is disabled."""
        from fcregistry.discovery._report import LoadReport

        permission = Permission()
        return LoadReport.of(list(filter(None, (self._outcome(plugin, permission) for plugin in self.plugins))))

    def _outcome(self, plugin: FoundPlugin, permission: Permission) -> Outcome | None:
        """Return the outcome of `plugin`: of its import in this process, or of its description.

        If it was not imported here, the result is a `DisabledPlugin` if the plugin must not be described, or is not described and must not be
        imported; else a `FailedPlugin` or `DescribedPlugin` if it is described; else None.
        """
        from dataclasses import replace

        from fcregistry.discovery._report import DescribedPlugin, DisabledPlugin, FailedPlugin, LoadedPlugin

        if (outcome := self.imports.outcomes.get(plugin.key)) is not None:
            if isinstance(outcome, LoadedPlugin):
                return replace(outcome, outdated=self.installed.change(plugin))
            return outcome
        description = self.index.descriptions().get(plugin.key)
        reason = permission.to_describe(plugin)
        if reason is None and description is None:
            reason = permission.to_import(plugin)
        if reason is not None:
            return DisabledPlugin(plugin=plugin, reason=reason)
        if description is None:
            return None
        record = description.record
        if description.failed:
            return FailedPlugin.of_record(plugin, record)
        return DescribedPlugin(plugin=plugin, seconds=record["seconds"], by=description.by)


def _has_sqlite() -> bool:
    """Return whether this Python was built with SQLite.

    Without it there is no index, and plugins are imported each time.
    """
    try:
        import sqlite3  # noqa: F401  # not wasted: the index is read next
    except ImportError:
        return False
    return True


def _importable(plugins: Iterable[FoundPlugin]) -> list[FoundPlugin]:
    """Return those of `plugins` that the configuration allows to import, in their order."""
    permission = Permission()
    return [each for each in plugins if permission.to_import(each) is None]


def _has_stored_failure(plugin: FoundPlugin) -> bool:
    """Return whether the index describes the installed version of a plugin as a failure.

    The description need not be valid any more.
    """
    return plugin.cached is not None and bool(plugin.cached.by) and plugin.cached.failed


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
