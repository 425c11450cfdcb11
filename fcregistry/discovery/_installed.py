"""What is installed: the plugins and extensions that a process found, and the plugin that owns each module."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Final, NamedTuple

from fcregistry._base.forks import after_fork
from fcregistry._tools.selectors import normalized
from fcregistry.discovery._finder import stamp_of
from fcregistry.discovery._found import (
    FoundCommand,
    FoundEntryPoint,
    FoundExtension,
    FoundPlugin,
    PluginKey,
    distribution_version,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fcregistry._tools.declaration import Declaration


class Installed:
    """The installed plugins and extensions of a process, which are found at the first use.

    The lock lets one thread at a time find them, so that the others do not repeat its work.

    Args:
        find: Finds what is installed, and passes it to `replace_found`.
    """

    def __init__(self, find: Callable[[], None]) -> None:
        self._find = find
        self._last = _NOTHING
        self._is_found = False
        self._first: dict[str, FoundEntryPoint] = {}  # distribution -> one of its entry points, as it was found first
        self._finding = threading.Lock()

    @property
    def everything(self) -> tuple[FoundEntryPoint, ...]:
        """The installed entry points, sorted by distribution and name."""
        return self._found().everything

    @property
    def plugins(self) -> tuple[FoundPlugin, ...]:
        """The installed plugins, sorted by distribution and entry point."""
        return self._found().plugins

    @property
    def extensions(self) -> tuple[FoundExtension, ...]:
        """The installed extensions, sorted by distribution and entry point."""
        return self._found().extensions

    @property
    def commands(self) -> tuple[FoundCommand, ...]:
        """The installed commands, sorted by distribution and entry point."""
        return tuple(each for each in self.everything if isinstance(each, FoundCommand))

    @property
    def by_key(self) -> Mapping[PluginKey, FoundPlugin]:
        """The installed plugins by the names of their distribution and entry point."""
        return self._found().by_key

    def of(self, distribution: str | None) -> Iterator[FoundPlugin]:
        """Yield the plugins of one distribution, or all.

        Args:
            distribution: The name of the distribution, in any spelling; None for all plugins.
        """
        project = None if distribution is None else normalized(distribution)
        return (each for each in self.plugins if project in (None, each.project))

    def distributions(self) -> tuple[str, ...]:
        """Return the names of the distributions that ship plugins, sorted."""
        return tuple(dict.fromkeys(plugin.distribution for plugin in self.plugins))

    def imported(self) -> Iterator[FoundPlugin]:
        """Yield the plugins whose modules are in `sys.modules`, except those that are being imported."""
        claims = self._found().claims
        for module in sorted(claims.keys() & sys.modules.keys()):
            if not is_being_imported(module):
                yield from claims[module]

    def owner(self, declaration: Declaration) -> FoundPlugin | None:
        """Return the plugin that ships `declaration`, or None if the application does."""
        if declaration.plugin is not None:
            return self.by_key.get(declaration.plugin)
        return self.owner_of_module(declaration.module)

    def owner_of_module(self, module: str) -> FoundPlugin | None:
        """Return the plugin that ships the declarations of a module, or None for the application.

        The nearest module, or package above it, that an entry point names decides.

        Args:
            module: The name of the module.
        """
        found = self._found()
        while module:
            if module in found.claims:
                if module not in found.owners:
                    found.owners[module] = _owner(module, found.claims)
                return found.owners[module]
            module = module.rpartition(".")[0]
        return None

    def change(self, plugin: FoundPlugin) -> str | None:
        """Return how a plugin's distribution has changed since this process found it, or None if it has not."""
        return _distribution_change(self._first[plugin.project], plugin)

    def replace_found(self, found: Iterable[FoundEntryPoint], loaded: Mapping[PluginKey, FoundPlugin]) -> None:
        """Use `found` as the installed entry points, except that loaded plugins stay as they are.

        Args:
            found: The entry points, sorted by distribution and name.
            loaded: The loaded plugins, each as it was when it was imported. Even if its distribution was replaced or removed, the process
                keeps its code, and so its version and its owner.
        """
        if loaded:
            others = (each for each in found if not isinstance(each, FoundPlugin) or each.key not in loaded)
            found = sorted((*others, *loaded.values()), key=lambda each: (each.project, each.entry_point))
        after_fork(self, Installed._forget)
        self._last = last = _Found.of(found)
        for each in last.everything:
            self._first.setdefault(each.project, each)
        self._is_found = True

    def ensure_found(self) -> None:
        """Find what is installed, unless it was found before."""
        if not self._is_found:
            after_fork(self, Installed._forget)
            with self._finding:
                if not self._is_found:  # nor has another thread done it meanwhile
                    self._find()

    def _found(self) -> _Found:
        """Return what is installed, as one `_Found`; find it first if that was not done before."""
        self.ensure_found()
        return self._last

    def _forget(self) -> None:
        """Reset the state in a forked process: a new lock, since a thread of the parent may hold the old one.

        What is installed is found again at the next use; until then, `found_last` has what the parent found.
        """
        self._finding = threading.Lock()
        self._is_found = False

    @property
    def found_last(self) -> tuple[FoundPlugin, ...]:
        """The plugins that were found last, also in the process that this one was forked from."""
        return self._last.plugins


class _Found(NamedTuple):
    """What was found at one time, in one object: a thread never sees parts of two states.

    Attributes:
        everything: The entry points.
        plugins: The plugins among them.
        extensions: The extensions among them.
        by_key: The plugins by key.
        claims: Module -> the plugins that name it.
        owners: Module -> its owner, for the modules in `claims` that were looked up so far.
    """

    everything: tuple[FoundEntryPoint, ...]
    plugins: tuple[FoundPlugin, ...]
    extensions: tuple[FoundExtension, ...]
    by_key: dict[PluginKey, FoundPlugin]
    claims: dict[str, list[FoundPlugin]]
    owners: dict[str, FoundPlugin]

    @classmethod
    def of(cls, found: Iterable[FoundEntryPoint]) -> _Found:
        """Return what `found` consists of; no owner is looked up yet."""
        everything = tuple(found)
        plugins = tuple(each for each in everything if isinstance(each, FoundPlugin))
        extensions = tuple(each for each in everything if isinstance(each, FoundExtension))
        claims: dict[str, list[FoundPlugin]] = {}
        for plugin in plugins:
            claims.setdefault(plugin.module, []).append(plugin)
        return cls(everything, plugins, extensions, {each.key: each for each in plugins}, claims, {})


_NOTHING: Final = _Found.of(())


def is_being_imported(module: str) -> bool:
    """Return whether an import of a module has begun and not ended, in any thread."""
    return bool(getattr(getattr(sys.modules.get(module), "__spec__", None), "_initializing", False))


# --- The owner of a module ---


def _owner(module: str, claims: Mapping[str, list[FoundPlugin]]) -> FoundPlugin:
    """Return the plugin that owns a module.

    Of the plugins whose entry points name the module or a package above it, it is the one with the least `_claim_key`.

    Args:
        module: The module, which some entry point names.
        claims: Module -> the plugins whose entry points name it, for all modules.
    """
    naming = claims[module]
    candidates, around = naming, module.rpartition(".")[0]
    while around:
        if around in claims:
            candidates = [*candidates, *claims[around]]
        around = around.rpartition(".")[0]
    if len(candidates) == 1 or (len(naming) == 1 and all(each.project == naming[0].project for each in candidates)):
        return naming[0]
    # The files of a distribution are slow to read, so only if there are several plugins
    return min(candidates, key=lambda plugin: _claim_key(plugin, module))


def _claim_key(plugin: FoundPlugin, module: str) -> tuple[int, int, bool]:
    """Return the sort key of a plugin that may own the module `module`; the least key wins.

    It compares first whether the plugin's distribution holds the file of `module` (yes, unknown, no), then the module that the plugin names (the
    longest name first), then whether it names no object in that (yes, no).
    """
    return (_ORDER_OF_HOLDERS[plugin.holds(module)], -len(plugin.module), bool(plugin.attribute))


_ORDER_OF_HOLDERS: Final = {True: 0, None: 1, False: 2}
"""The result of `FoundEntryPoint.holds` -> its place in the order of plugins."""


# --- Distributions that were replaced while the process runs ---


def _distribution_change(first: FoundEntryPoint, plugin: FoundEntryPoint) -> str | None:
    """Return a sentence on how a plugin's distribution has changed since this process found it, or None.

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
