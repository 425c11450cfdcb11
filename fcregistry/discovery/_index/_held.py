"""What is known of a plugin without importing it, and of all plugins since somebody looked?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlite3

    from fcregistry._tools.indexed import Described
    from fcregistry.discovery._found import FoundPlugin
    from fcregistry.discovery._index._holding import Holding


class Description:
    """What is known of a plugin without importing it. Immutable by convention, and made for each plugin at every start.

    Attributes:
        row: Where the index keeps it.
        plugin: The plugin.
        by: Who described it: a `worker` process, the `program` that imported it, its own `manifest`; where it ended the process
            that imported it, who was `watching`; where it took too long, who was `waiting`.
        failed: Whether it does not load.
        source: The index.
    """

    __slots__ = ("by", "failed", "plugin", "row", "source")

    def __init__(self, row: int, plugin: FoundPlugin, by: str, failed: bool, source: Holding) -> None:
        self.row = row
        self.plugin = plugin
        self.by = by
        self.failed = failed
        self.source = source

    @property
    def record(self) -> dict[str, Any]:
        """What `PluginRecord` says, its tools apart."""
        return self.source.about(self.row)


class Held:
    """The descriptions that hold since somebody looked, and what was made of them: one object, since threads may look at once.

    Attributes:
        descriptions: By row.
        connection: The file that has these rows.
        by_key: By plugin.
        rows: The tools that were made, by row.
        everything: All tools, once somebody has asked for them.
    """

    __slots__ = ("by_key", "connection", "descriptions", "everything", "rows")

    def __init__(self, descriptions: dict[int, Description], connection: sqlite3.Connection | None) -> None:
        self.descriptions = descriptions
        self.connection = connection
        self.by_key = {each.plugin.key: each for each in descriptions.values()}
        self.rows: dict[int, tuple[Described, FoundPlugin]] = {}
        self.everything: tuple[tuple[Described, FoundPlugin], ...] | None = None

    def plugins(self) -> dict[int, FoundPlugin]:
        """Return the plugins that load, by row."""
        return {row: each.plugin for row, each in self.descriptions.items() if not each.failed}
