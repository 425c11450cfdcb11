"""What does a process know of its installed plugins and extensions, what of it may be seen, and what became of each?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry._tools.selectors import normalized, subject_of
from fcregistry.discovery._extensions import Extensions
from fcregistry.discovery._found import FoundPlugin
from fcregistry.discovery._known import Known
from fcregistry.discovery._permission import Permission

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fcregistry import _ports
    from fcregistry._ports import Owner
    from fcregistry._tools.declaration import Declaration
    from fcregistry.discovery._outcomes import LoadReport, Outcome


class Discovery(Known):
    """The installed plugins and extensions of a process, asked for by the registry.

    Attributes:
        extensions: What the installed extensions provide; each is loaded when something asks for that.
    """

    def __init__(self) -> None:
        super().__init__()
        self.extensions = Extensions(lambda: self.found_extensions)

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
        from fcregistry.discovery._outcomes import LoadReport

        return LoadReport.of(self._told())

    def _told(self) -> Iterator[Outcome]:
        from dataclasses import replace

        from fcregistry.discovery._outcomes import DescribedPlugin, DisabledPlugin, FailedPlugin, LoadedPlugin

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
