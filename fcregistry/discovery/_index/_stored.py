"""What says the file of an index, before anybody has looked whether it holds?"""

from __future__ import annotations

import json
import marshal
import os
from binascii import crc32
from typing import TYPE_CHECKING, Any

from fcregistry._base.forks import made_once
from fcregistry.discovery._finder import Place
from fcregistry.discovery._found import KINDS, FoundEntryPoint

if TYPE_CHECKING:
    import sqlite3

    from fcregistry.discovery._finder import Places
    from fcregistry.discovery._index._fingerprint import Stamp


class Stored:
    """What the file says, before anybody has looked whether it holds.

    Attributes:
        places: What lay in the folders of `sys.path`.
        found: The entry points there were, by folder.
        files: What descriptions were made from: number, path, time (ns) and size (bytes) of each.
    """

    def __init__(
        self, places: Places, found: dict[str, list[FoundEntryPoint]], files: list[tuple[int, str, int, int]]
    ) -> None:
        self.places = places
        self.found = found
        self.files = files

    @made_once
    def rows(self) -> dict[Any, tuple[int, str, int, str, int] | None]:
        """What is kept of each entry point, for those that were read again from their folder."""
        return {place_of(each): each.kept for everything in self.found.values() for each in everything}


def place_of(each: FoundEntryPoint) -> tuple[str, str, str, str, str, Stamp | None]:
    return (each.folder, each.info, type(each).__name__, each.entry_point, each.value, each.stamp)


def write_stored(connection: sqlite3.Connection) -> None:
    """Write once more, in one piece, what everybody reads who starts: rows by the thousand take twice as long."""
    entry_points = []
    for *told, folder, info, mtime, size, row, by, around, files, state in connection.execute(
        "SELECT kind, distribution, version, entry_point, value, folder, info, mtime, size, "
        "id, described, surroundings, files, failed FROM entry_points ORDER BY id"
    ):
        stamp = None if mtime is None else (mtime, size)
        entry_points.append((*told, os.fsdecode(folder), os.fsdecode(info), stamp, (row, by, around, files, state)))
    places = [
        (
            os.fsdecode(folder),
            tuple(os.fsdecode(names).split("\n")),
            tuple(each and tuple(each) for each in json.loads(stamps)),
            tuple(map(tuple, json.loads(aside))),
        )
        for folder, names, stamps, aside in connection.execute("SELECT folder, names, stamps, aside FROM places")
    ]
    read = connection.execute("SELECT id, path, mtime, size FROM files").fetchall()
    said = marshal.dumps((entry_points, places, read))
    connection.execute("DELETE FROM stored")
    connection.execute("INSERT INTO stored VALUES (?, ?)", (said, crc32(said)))


def stored_in(connection: sqlite3.Connection) -> Stored:
    """Return what a file says.

    Raises:
        sqlite3.Error, ValueError: It is damaged. What is as it was written can be unpacked: the name of the file has the version of Python.
    """
    for said, checksum in connection.execute("SELECT said, checksum FROM stored"):
        if crc32(said) == checksum:
            return _unpacked(*marshal.loads(said))
    raise ValueError("what it says is not what was written")


def _unpacked(entry_points: list[Any], places: list[Any], files: list[Any]) -> Stored:
    found: dict[str, list[FoundEntryPoint]] = {}
    kinds = {kind.__name__: kind for kind in KINDS.values()}
    for kind, distribution, version, name, value, folder, info, stamp, kept in entry_points:
        each = kinds[kind](distribution, version, name, value, folder, info, stamp)
        each.kept = kept
        found.setdefault(folder, []).append(each)
    here = {path: Place(names, tuple(found.get(path, ())), stamps, aside) for path, names, stamps, aside in places}
    return Stored(here, found, files)
