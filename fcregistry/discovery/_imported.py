"""What became of each plugin that this process has imported?"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from fcregistry._tools.selectors import normalized
from fcregistry.discovery._found import FoundPlugin, PluginKey
from fcregistry.discovery._installed import Installed
from fcregistry.discovery._permission import Permission

if TYPE_CHECKING:
    from types import FrameType

    from fcregistry.discovery._found import FoundEntryPoint
    from fcregistry.discovery._outcomes import FailedPlugin, LoadedPlugin


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
        from fcregistry.discovery._outcomes import FailedPlugin

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
    from fcregistry.discovery._outcomes import FailedPlugin
    from fcregistry.errors import PluginError

    what = f"another thread was importing {plugin.module} when this process was forked"
    advice = "call load_plugins() before the program forks, or start processes in another way, such as spawn"
    return FailedPlugin(plugin=plugin, seconds=0.0, error=PluginError(what), traceback="", recorded=(what, advice))
