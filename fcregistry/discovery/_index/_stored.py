"""What says the file of an index, before anybody has looked whether it holds?"""

from __future__ import annotations

import json
import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fcregistry.discovery._finder import Place, Places
from fcregistry.discovery._found import KINDS, FoundEntryPoint

if TYPE_CHECKING:
    import sqlite3

    from fcregistry.discovery._index._fingerprint import Stamp


class Stored:
    """What the file says, before anybody has looked whether it holds."""

    def __init__(self, places: dict[str, Place], found: dict[str, list[FoundEntryPoint]]) -> None:
        self.places = places
        self.found = found

    @cached_property
    def rows(self) -> dict[Any, tuple[int, str, int, str, int] | None]:
        """What is kept of each entry point, for those that were read again from their folder."""
        return {place_of(each): each.kept for everything in self.found.values() for each in everything}


def place_of(each: FoundEntryPoint) -> tuple[str, str, str, str, str, Stamp | None]:
    return (each.folder, each.info, type(each).__name__, each.entry_point, each.value, each.stamp)


def stored_in(connection: sqlite3.Connection) -> Stored:
    found: dict[str, list[FoundEntryPoint]] = {}
    kinds = {kind.__name__: kind for kind in KINDS.values()}
    for kind, distribution, version, name, value, lies_in, its, mtime, size, *kept in connection.execute(
        "SELECT kind, distribution, version, entry_point, value, folder, info, mtime, size, "
        "id, described, surroundings, files, failed FROM entry_points ORDER BY id"
    ):
        folder, info = (lies_in, its) if type(lies_in) is type(its) is str else (os.fsdecode(lies_in), os.fsdecode(its))
        stamp = None if mtime is None else (mtime, size)
        each = kinds[kind](distribution, version, name, value, folder, info, stamp)
        each.kept = tuple(kept)
        found.setdefault(folder, []).append(each)
    here: Places = {}
    for place, names, stamps in connection.execute("SELECT folder, names, stamps FROM places"):
        path = os.fsdecode(place)
        as_read = tuple([None if each is None else (each[0], each[1]) for each in json.loads(stamps)])
        here[path] = Place(tuple(os.fsdecode(names).split("\n")), tuple(found.get(path, ())), as_read)
    return Stored(here, found)
