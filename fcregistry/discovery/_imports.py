"""The outcomes of importing plugins in one process."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fcregistry.discovery._installed import is_being_imported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from types import FrameType

    from fcregistry._tools.declaration import Declaration
    from fcregistry.discovery._found import FoundPlugin, PluginKey
    from fcregistry.discovery._report import FailedPlugin, LoadedPlugin


class Imports:
    """The outcomes of importing plugins in this process.

    Each plugin is imported at most once. No lock is held meanwhile: two threads that load one plugin both wait for Python's own import
    lock, and the first outcome counts.

    Args:
        is_owned: Returns whether some plugin ships a declaration.

    Attributes:
        are_allowed: Whether described tools may import their plugins.
    """

    def __init__(self, is_owned: Callable[[Declaration], bool]) -> None:
        self.are_allowed: bool = True
        self._is_owned = is_owned
        self._outcomes: dict[PluginKey, LoadedPlugin | FailedPlugin] = {}
        self._by_thread = threading.local()

    @property
    def outcomes(self) -> Mapping[PluginKey, LoadedPlugin | FailedPlugin]:
        """The outcome of each plugin that this process has imported, or tried to."""
        return self._outcomes

    @property
    def under_way(self) -> set[PluginKey]:
        """The plugins that this thread is importing."""
        found: set[PluginKey] = self._by_thread.__dict__.setdefault("keys", set())
        return found

    @property
    def loaded(self) -> dict[PluginKey, FoundPlugin]:
        """The plugins that were imported, by key, each as it was installed at that time."""
        return {key: each.plugin for key, each in self._outcomes.items() if not _has_failed(each)}

    def failure(self, key: PluginKey) -> FailedPlugin | None:
        """Return the outcome of the plugin `key` if it could not be imported, else None."""
        outcome = self._outcomes.get(key)
        return outcome if outcome is not None and _has_failed(outcome) else None  # type: ignore[return-value]

    def is_due(self, key: PluginKey) -> bool:
        """Return whether the plugin `key` has no outcome yet, and this thread is not importing it."""
        return key not in self._outcomes and key not in self.under_way

    def load(self, plugin: FoundPlugin) -> bool:
        """Import a plugin that is due, and return whether that has an outcome, success or failure.

        It has none if this thread is already importing the module of the plugin.
        """
        from fcregistry.discovery._loader import load_plugin

        self.under_way.add(plugin.key)
        try:
            outcome = load_plugin(plugin, self._is_owned)
            if outcome is not None:
                self.keep(outcome)
        finally:
            self.under_way.discard(plugin.key)
        return outcome is not None

    def keep(self, outcome: LoadedPlugin | FailedPlugin) -> None:
        """Record `outcome` as that of its plugin, unless the plugin has one already."""
        self._outcomes.setdefault(outcome.plugin.key, outcome)

    def refuse(self, plugin: FoundPlugin, reason: str, advice: str) -> None:
        """Count a plugin as failed without importing it.

        Args:
            plugin: The plugin.
            reason: The reason that it is not imported.
            advice: What the user can do about that.
        """
        from fcregistry.discovery._report import FailedPlugin
        from fcregistry.errors import PluginError

        error = PluginError(reason)
        self.keep(FailedPlugin(plugin=plugin, seconds=0.0, error=error, traceback="", recorded=(reason, advice)))

    @contextmanager
    def forbidden(self) -> Iterator[None]:
        """Keep described tools from importing their plugins inside the block."""
        before, self.are_allowed = self.are_allowed, False
        try:
            yield
        finally:
            self.are_allowed = before

    def forget(self, plugins: Iterable[FoundPlugin]) -> None:
        """In a forked process, count plugins as failed whose imports other threads had begun.

        Args:
            plugins: The installed plugins.
        """
        self.are_allowed = True
        for plugin in plugins:
            if plugin.key not in self._outcomes and _is_left_half_imported(plugin.module):
                reason = f"another thread was importing {plugin.module} when this process was forked"
                advice = (
                    "call load_plugins() before the program forks, or start processes in another way, such as spawn"
                )
                self.refuse(plugin, reason, advice)


def _has_failed(outcome: LoadedPlugin | FailedPlugin) -> bool:
    """Return whether `outcome` is a `FailedPlugin`."""
    return hasattr(outcome, "error")  # without importing its class


def _is_left_half_imported(module: str) -> bool:
    """Return whether another thread of the parent was importing `module` when this process was forked.

    This process does not have that thread, and Python would wait for it forever. False if this thread itself is importing the module.
    """
    if not is_being_imported(module):
        return False
    frame: FrameType | None = sys._getframe()
    while frame is not None:  # or this thread itself is importing it
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == module:
            return False
        frame = frame.f_back
    return True
