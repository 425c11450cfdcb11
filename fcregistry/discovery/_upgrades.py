"""Is a plugin still the one that this process found first? What was installed anew since is not imported under an old description."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry.discovery._found import FoundEntryPoint, FoundPlugin
    from fcregistry.discovery._outcomes import FailedPlugin


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
        from fcregistry.discovery._outcomes import FailedPlugin  # not needed where nothing is wrong
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

    from fcregistry.discovery._metadata import distribution_version

    was = f"{first.distribution} {first.version}"
    try:
        now = distribution_version(distribution(first.distribution))
    except PackageNotFoundError:
        return f"{was} was uninstalled"
    return f"{was} was installed anew" if now == first.version else f"{was} was replaced by {now}"
