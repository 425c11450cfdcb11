"""What is a description of a plugin that was made just now?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from fcregistry._tools.record import PluginRecord
    from fcregistry.discovery._found import FoundPlugin
    from fcregistry.discovery._index._fingerprint import Stamp
    from fcregistry.discovery._index._rows import Row


class Made(NamedTuple):
    """A description that was made just now.

    Attributes:
        plugin: Of which plugin.
        record: What it says of the plugin: `PluginRecord`, without the tools.
        rows: Its tools.
        files: What it was made from, with the time and size of each.
        by: Who made it; see `Description` in `_held.py`.
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
