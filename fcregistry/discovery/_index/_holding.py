"""Which descriptions of installed plugins hold, here and now?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fcregistry._base.forks import sqlite_lock
from fcregistry.discovery._finder import Places, find_entry_points, places
from fcregistry.discovery._found import FoundEntryPoint, FoundExtension, FoundPlugin, PluginKey
from fcregistry.discovery._index._fingerprint import FAILED, WRONG, changed, surroundings
from fcregistry.discovery._index._held import Description, Held
from fcregistry.discovery._index._reading import Reading
from fcregistry.discovery._index._stored import Stored, place_of, stored_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry.discovery._index._file import IndexFile

_NOT_TO_TRY = ("watching", "waiting")
"""Who described a plugin that a program better does not import for the sake of another's name."""


class Holding(Reading):
    """The descriptions of a process's plugins, as far as they hold.

    Args:
        file: Where they are kept.
        exact: Whether only those count whose makers know which files they were made from: what a command believes.

    Attributes:
        is_outdated: Whether the file says something else of what is installed than there is, so that all of that was read anew.
    """

    def __init__(self, file: IndexFile, *, exact: bool = False) -> None:
        super().__init__(file)
        self._exact = exact
        self.is_outdated = False
        self._places: Places = {}
        self._extensions: tuple[FoundExtension, ...] = ()
        self._held = Held({}, None)
        self._own: set[Any] = set()  # what was described for this very process, and holds for it whatever changes

    def look(self) -> tuple[FoundEntryPoint, ...]:
        """Find out what is installed, and which descriptions hold.

        Returns:
            Every entry point of ours, sorted by distribution and name.
        """
        stored = self._read()
        self._places = places(stored.places)
        self.is_outdated = any(
            each.found and each is not stored.places.get(path) for path, each in self._places.items()
        )
        found = find_entry_points(self._places)
        self._extensions = tuple(each for each in found if isinstance(each, FoundExtension))
        self._take(self._holding(found, stored) if stored.found else {})
        return found

    def _take(self, descriptions: dict[int, Description]) -> None:
        self._held = Held(descriptions, self._connection)

    def descriptions(self) -> dict[PluginKey, Description]:
        """Return the descriptions that hold, by plugin."""
        return self._held.by_key

    def description(self, key: PluginKey) -> Description | None:
        """Return the description of a plugin, if there is one that holds."""
        return self._held.by_key.get(key)

    def was_wrong(self, plugin: FoundPlugin) -> bool:
        """Tell whether what was described of a plugin last, as it is now, turned out to be something else."""
        return plugin.kept is not None and plugin.kept[2] == WRONG

    def knows_failure(self, plugin: FoundPlugin) -> bool:
        """Tell whether it is written down that a plugin, as it is now, did not load."""
        return plugin.kept is not None and bool(plugin.kept[1]) and bool(plugin.kept[4] & FAILED)

    def failed(self) -> set[PluginKey]:
        """Return the plugins that are known not to load."""
        return {key for key, each in self._held.by_key.items() if each.failed}

    def _read(self) -> Stored:
        self._open()
        if self._connection is None:
            return Stored({}, {}, [])
        try:
            with sqlite_lock:
                return stored_in(self._connection)
        except Exception as error:  # sqlite3.Error, and whatever a damaged file makes of text and numbers  # noqa: BLE001
            self._give_up(error)
            return Stored({}, {}, [])

    def _holding(self, found: Iterable[FoundEntryPoint], stored: Stored) -> dict[int, Description]:
        usual, after_failure = surroundings(self._extensions), None
        different = changed(stored.files)
        holding: dict[int, Description] = {}
        for each in found:
            kept = each.kept or stored.rows.get(place_of(each))
            if kept is None or not isinstance(each, FoundPlugin):
                continue
            row, by, around, files, state = kept
            failed = state & FAILED
            if self._own and place_of(each) in self._own:
                holding[row] = Description(row, each, by or "worker", bool(failed), self)
            if not by:
                continue
            if state and after_failure is None:
                after_failure = surroundings(self._extensions, self._places)
            is_same = around == (after_failure if state else usual)
            if not is_same or (by == "program" if self._exact else failed and by not in _NOT_TO_TRY):
                continue  # a program can try by itself what failed in another environment, but for what ends processes
            if not different or different.isdisjoint(map(int, filter(None, files.split(",")))):
                holding[row] = Description(row, each, by, bool(failed), self)
        return holding

    def about(self, row: int) -> dict[str, Any]:
        """Return what `PluginRecord` says of a plugin, its tools apart."""
        for (text,) in self._select(self._held.connection, "SELECT about FROM entry_points WHERE id = ?", row):
            about: dict[str, Any] = json.loads(text)
            return about
        return {"failure": "the index is damaged", "advice": "run the command again", "detail": "", "seconds": 0.0}

    def _nothing_holds(self) -> None:
        self._take({})
