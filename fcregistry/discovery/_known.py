"""What is known of plugins that are not imported, and what is imported for the sake of it?"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fcregistry._tools.selectors import normalized
from fcregistry.discovery._found import FoundPlugin
from fcregistry.discovery._imported import Imported
from fcregistry.discovery._permission import Permission

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fcregistry._tools.declaration import Declaration
    from fcregistry._tools.indexed import Described
    from fcregistry._tools.record import ToolRecord
    from fcregistry._tools.tool import Tool
    from fcregistry.discovery._index._made import Made


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
                done: list[Made] = []
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
        index = self.index
        if index is None:
            return
        loaded = [each for each in loaded if self._failure(each.key) is None or not index.knows_failure(each)]
        if not loaded:
            return  # nothing that the next process would not find out as well
        from fcregistry.discovery._index._describing import made_here

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
            from fcregistry._tools.definition import asks_for_strictness
            from fcregistry._tools.record import record_of
            from fcregistry._tools.tool import Tool

            real = self.real(described)
            record = record_of(Tool(real, self.owner(real), strict=asks_for_strictness(real.module)))
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
