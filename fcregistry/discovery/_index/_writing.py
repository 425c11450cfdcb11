"""What is written into an index when plugins were described?"""

from __future__ import annotations

import json
import os
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

from fcregistry._tools.search import INSERT
from fcregistry.discovery._index._fingerprint import FAILED, MISSED, WRONG, surroundings
from fcregistry.discovery._index._lines import write_lines
from fcregistry.discovery._index._stored import write_stored

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable

    from fcregistry.discovery._finder import Places
    from fcregistry.discovery._found import FoundEntryPoint, FoundExtension
    from fcregistry.discovery._index._fingerprint import Stamp
    from fcregistry.discovery._index._made import Made
    from fcregistry.discovery._index._rows import Row

_HERE = "folder = ? AND info = ? AND kind = ? AND entry_point = ? AND value = ? AND mtime IS ? AND size IS ?"

_Entry: TypeAlias = "tuple[str, str, str, str, str, Stamp | None]"
"""Folder, info, kind, entry point, value, stamp: what makes an entry point the one that was described."""


def write(
    connection: sqlite3.Connection, places: Places, extensions: Iterable[FoundExtension], made: Collection[Made]
) -> None:
    """Write what lies in the folders of `sys.path`, and descriptions of plugins that were found there.

    What the file has is read once, and each table is written at once: one statement for each of thousands of tools takes longer.

    Args:
        connection: The index.
        places: What was found.
        extensions: Which extensions the descriptions were made with.
        made: The descriptions.
    """
    _forget_what_is_gone(connection)
    rows = _write_places(connection, places, [each.plugin for each in made])
    plugins = [rows[_entry(each.plugin)] for each in made]
    numbers = _write_files(connection, made)
    usual, after_failure = surroundings(extensions), surroundings(extensions, places)
    connection.executemany(
        "UPDATE entry_points SET described = ?, surroundings = ?, files = ?, failed = ?, about = ? WHERE id = ?",
        [
            (
                "" if each.record["dynamic"] else each.by,
                after_failure if _state(each) else usual,
                ",".join(map(str, sorted(numbers[file] for file in each.files.items()))),
                _state(each),
                json.dumps(each.record),
                row,
            )
            for row, each in zip(plugins, made, strict=True)
        ],
    )
    _drop_tools(connection, plugins)
    _write_tools(connection, [(plugin, row) for plugin, each in zip(plugins, made, strict=True) for row in each.rows])
    write_lines(connection)
    write_stored(connection)


def _state(made: Made) -> int:
    return (FAILED if made.record["failure"] is not None else 0) | (MISSED if made.missed else 0)


def text(path: str) -> str | bytes:
    """Return a path as SQLite takes it: as it is, or its bytes, where these are no text."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return os.fsencode(path)
    return path


def forget(connection: sqlite3.Connection, place: tuple[str, str, str, str, str, Stamp | None]) -> None:
    """Make the description of a plugin one that never holds, and remember that it was wrong."""
    stamp = place[5] or (None, None)
    connection.execute(
        f"UPDATE entry_points SET described = '', surroundings = {WRONG} WHERE {_HERE}",
        (text(place[0]), text(place[1]), *place[2:5], *stamp),
    )
    write_stored(connection)


def _forget_what_is_gone(connection: sqlite3.Connection) -> None:
    for (folder,) in connection.execute("SELECT folder FROM places").fetchall():
        if not os.path.isdir(folder):
            _drop(connection, _entries_in(connection, os.fsdecode(folder)).values())
            connection.execute("DELETE FROM places WHERE folder = ?", (folder,))
    used = {
        number
        for (files,) in connection.execute("SELECT files FROM entry_points")
        for number in json.loads(f"[{files}]")
    }
    everything = {number for (number,) in connection.execute("SELECT id FROM files")}
    connection.executemany("DELETE FROM files WHERE id = ?", [(number,) for number in sorted(everything - used)])


def _write_places(
    connection: sqlite3.Connection, places: Places, described: Iterable[FoundEntryPoint]
) -> dict[_Entry, int]:
    """Write which entry points there are, and drop those of these folders that are gone; return the row of each.

    Those that are described and lie in no folder are added: nobody could tell whether they are as they were.
    """
    connection.executemany(
        "INSERT OR REPLACE INTO places VALUES (?, ?, ?, ?)",
        [
            (text(folder), text("\n".join(place.names)), json.dumps(place.stamps), json.dumps(place.aside))
            for folder, place in places.items()
        ],
    )
    rows: dict[_Entry, int] = {}
    here = {_entry(each): each for place in places.values() for each in place.found}
    for folder in dict.fromkeys([*places, *(each.folder for each in described)]):
        rows |= _entries_in(connection, folder)
    gone = [row for entry, row in rows.items() if entry[0] in places and entry not in here]
    _drop(connection, gone)
    here |= {_entry(each): each for each in described}
    new = {entry: each for entry, each in here.items() if entry not in rows}
    numbers = count(_next(connection, "entry_points"))
    rows |= dict(zip(new, numbers, strict=False))
    connection.executemany(
        "INSERT INTO entry_points(id, folder, info, mtime, size, kind, distribution, version, entry_point, value) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                rows[entry],
                text(each.folder),
                text(each.info),
                *(each.stamp or (None, None)),
                entry[2],
                each.distribution,
                each.version,
                each.entry_point,
                each.value,
            )
            for entry, each in new.items()
        ],
    )
    return rows


def _entries_in(connection: sqlite3.Connection, folder: str) -> dict[_Entry, int]:
    query = "SELECT id, info, kind, entry_point, value, mtime, size FROM entry_points WHERE folder = ?"
    return {
        (folder, os.fsdecode(info), kind, entry_point, value, None if mtime is None else (mtime, size)): row
        for row, info, kind, entry_point, value, mtime, size in connection.execute(query, (text(folder),))
    }


def _entry(each: FoundEntryPoint) -> _Entry:
    return (each.folder, each.info, type(each).__name__, each.entry_point, each.value, each.stamp)


def _drop(connection: sqlite3.Connection, rows: Collection[int]) -> None:
    _drop_tools(connection, rows)
    connection.executemany("DELETE FROM entry_points WHERE id = ?", [(row,) for row in rows])


def _drop_tools(connection: sqlite3.Connection, plugins: Iterable[int]) -> None:
    tools = [
        tool
        for plugin in plugins
        for tool in connection.execute("SELECT id FROM tools WHERE plugin = ?", (plugin,)).fetchall()
    ]
    tables = [("records", "id"), ("tools", "id"), *([("words", "rowid")] if _searches(connection) else [])]
    for table, number in tables:
        connection.executemany(f"DELETE FROM {table} WHERE {number} = ?", tools)


def _write_files(connection: sqlite3.Connection, made: Iterable[Made]) -> dict[tuple[str, Stamp], int]:
    """Write what descriptions were made from; return the number of each file, as it was then."""
    numbers = {
        (os.fsdecode(path), (time, size)): number
        for number, path, time, size in connection.execute("SELECT id, path, mtime, size FROM files")
    }
    following = count(_next(connection, "files"))
    new = {file: next(following) for each in made for file in each.files.items() if file not in numbers}
    connection.executemany(
        "INSERT INTO files VALUES (?, ?, ?, ?)", [(number, text(path), *stamp) for (path, stamp), number in new.items()]
    )
    return numbers | new


def _write_tools(connection: sqlite3.Connection, tools: Iterable[tuple[int, Row]]) -> None:
    numbered = list(zip(count(_next(connection, "tools")), tools, strict=False))
    connection.executemany(
        "INSERT INTO tools VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (number, plugin, row.name, row.group, row.summary, row.options, row.flags)
            for number, (plugin, row) in numbered
        ],
    )
    connection.executemany("INSERT INTO records VALUES (?, ?)", [(number, row.record) for number, (_, row) in numbered])
    if _searches(connection):
        connection.executemany(INSERT, [(number, row.id, *row.words) for number, (_, row) in numbered if row.words])


def _next(connection: sqlite3.Connection, table: str) -> int:
    """Return the number of the row that comes after all others."""
    return int(connection.execute(f"SELECT coalesce(max(id), 0) + 1 FROM {table}").fetchone()[0])


def _searches(connection: sqlite3.Connection) -> bool:
    """Tell whether words are kept too: SQLite can be built without what that needs."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'words'").fetchone() is not None
