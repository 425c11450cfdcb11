"""Which plugins are installed, and whose is a declaration?"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from fcregistry._base.forks import after_fork
from fcregistry._base.paths import cache_folder
from fcregistry.discovery._found import FoundEntryPoint, FoundExtension, FoundPlugin, PluginKey
from fcregistry.discovery._index._file import IndexFile, index_path
from fcregistry.discovery._index._index import Index
from fcregistry.discovery._upgrades import Upgrades

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from fcregistry._tools.declaration import Declaration
    from fcregistry.discovery._index._made import Made

    Describe = Callable[[Sequence[FoundPlugin], Sequence[FoundEntryPoint], Callable[[Made], None]], None]


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
            from fcregistry.discovery._finder import find_entry_points, places

            self.adopt(find_entry_points(places()))

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
