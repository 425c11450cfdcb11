"""What is a description of a plugin: one that is kept, and one that was made just now?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from fcregistry._records import PluginRecord
    from fcregistry.discovery._found import FoundPlugin
    from fcregistry.discovery._index._fingerprint import Stamp
    from fcregistry.discovery._index._index import Index
    from fcregistry.discovery._index._rows import Row


class Description(NamedTuple):
    """What is known of a plugin without importing it.

    Attributes:
        row: Where the index keeps it.
        plugin: The plugin.
        by: Who described it: a `worker` process, the `program` that imported it, its own `manifest`; where it ended the process
            that imported it, who was `watching`; where it took too long, who was `waiting`.
        failed: Whether it does not load.
        source: The index.
    """

    row: int
    plugin: FoundPlugin
    by: str
    failed: bool
    source: Index

    @property
    def record(self) -> dict[str, Any]:
        """What `PluginRecord` says, its tools apart."""
        return self.source.about(self.row)


class Made(NamedTuple):
    """A description that was made just now.

    Attributes:
        plugin: Of which plugin.
        record: What it says of the plugin: `PluginRecord`, without the tools.
        rows: Its tools.
        files: What it was made from, with the time and size of each.
        by: Who made it; see `Description`.
        missed: Whether importing it looked for a module that is not there.
    """

    plugin: FoundPlugin
    record: dict[str, Any]
    rows: list[Row]
    files: dict[str, Stamp]
    by: str
    missed: bool = False

    @classmethod
    def of(
        cls, plugin: FoundPlugin, record: PluginRecord, files: dict[str, Stamp], by: str, missed: bool = False
    ) -> Made:
        """Return the description that a record says."""
        from fcregistry.discovery._index._rows import row_of

        about = {name: value for name, value in record.items() if name not in ("tools", "entry_point", "value")}
        return cls(plugin, about, [row_of(tool, plugin.distribution) for tool in record["tools"]], files, by, missed)
