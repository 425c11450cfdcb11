"""Writing descriptions of plugins to an index, and forgetting them."""

from __future__ import annotations

import os
from itertools import count
from typing import TYPE_CHECKING

from fcregistry._tools.described import read_json
from fcregistry.discovery._fingerprint import surroundings
from fcregistry.discovery._found import FAILED, MISSED, REFUTED, EntryPointRow, FoundEntryPoint
from fcregistry.discovery._index_store import place_of, rows_of, stored_in, write_lines, write_stored

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable

    from fcregistry.discovery._describe import FreshDescription
    from fcregistry.discovery._finder import Places
    from fcregistry.discovery._fingerprint import Stamp
    from fcregistry.discovery._found import FoundExtension, PluginKey
    from fcregistry.discovery._index_store import Place, Stored


def write_descriptions(
    connection: sqlite3.Connection,
    places: Places,
    extensions: Iterable[FoundExtension],
    made: Collection[FreshDescription],
) -> None:
    """Write the entry points in the folders of `sys.path`, and descriptions of plugins among them.

    Each table is written at once: one statement for each of thousands of tools takes longer.

    Args:
        connection: The index.
        places: The folders of `sys.path`.
        extensions: The extensions with which the descriptions were made.
        made: The descriptions.
    """
    stored = stored_in(connection)
    folders = {path: each for path, each in stored.places.items() if os.path.isdir(path)} | places
    described = _still_installed(made, places)
    before = {place_of(each): each for each in stored.found}
    entry_points = _entry_points_left(before, described, places, folders)
    numbers = _number_files(stored, made)
    rows = _number_rows(entry_points, stored)
    usual, after_failure = surroundings(extensions), surroundings(extensions, places)
    for place, each in described.items():
        row = _row_of_description(each, rows[place].row, numbers)
        rows[place] = row._replace(surroundings=after_failure if row.state else usual)
    described = {place: _with_tools_before(connection, each) for place, each in described.items()}
    _delete_plugins(connection, _obsolete_rows(before, entry_points, described))
    _write_tools(connection, [(rows[place].row, each) for place, each in described.items()])
    files = _files_used(numbers, rows.values())
    write_stored(connection, folders, ((each, rows[place]) for place, each in entry_points.items()), files)
    write_lines(connection, {rows[place].row: each.distribution for place, each in entry_points.items()})


def _with_tools_before(connection: sqlite3.Connection, made: FreshDescription) -> FreshDescription:
    """Return `made`; if its plugin failed, with the names of the tools that the index has for the plugin."""
    if made.record["failure"] is None:
        return made
    return made._replace(record={**made.record, "before": tools_before(connection, made.plugin.key)})


def tools_before(connection: sqlite3.Connection, plugin: PluginKey) -> list[str]:
    """Return the names of the tools that an index has for a plugin, or had before it failed, sorted.

    Args:
        connection: The index.
        plugin: The plugin; its description need not be valid any more.

    Raises:
        sqlite3.Error, ValueError: The file is damaged.
    """
    query = (
        "SELECT name FROM tools JOIN plugins ON plugins.id = tools.plugin WHERE distribution = ? AND entry_point = ?"
    )
    names = {name for (name,) in rows_of(connection, query, plugin, (str,))}
    for (about,) in rows_of(
        connection, "SELECT about FROM plugins WHERE distribution = ? AND entry_point = ?", plugin, (str,)
    ):
        names.update(map(str, read_json(about).get("before", ())))
    return sorted(names)


def _still_installed(made: Iterable[FreshDescription], places: Places) -> dict[Place, FreshDescription]:
    """Return, by place, those of `made` whose plugins `places` has, or whose folders it does not have."""
    here = {place_of(each) for place in places.values() for each in place.found}
    by_place = {place_of(each.plugin): each for each in made}
    return {place: each for place, each in by_place.items() if place in here or each.plugin.folder not in places}


def _entry_points_left(
    before: dict[Place, FoundEntryPoint],
    described: dict[Place, FreshDescription],
    places: Places,
    folders: Collection[str],
) -> dict[Place, FoundEntryPoint]:
    """Return the entry points that the index has from now on, by place.

    Args:
        before: The entry points that it had.
        described: The new descriptions.
        places: The metadata in the folders of `sys.path`.
        folders: All folders that the index has from now on: those of programs with another `sys.path` are kept while they exist.
    """
    left = {place_of(each): each for place in places.values() for each in place.found}
    kept = {
        place: each
        for place, each in before.items()
        if place in left or (each.folder not in places and (not each.folder or each.folder in folders))
    }
    return left | {place: each.plugin for place, each in described.items()} | kept


def _number_files(stored: Stored, made: Iterable[FreshDescription]) -> dict[tuple[str, Stamp], int]:
    """Return the numbers of the files in an index, and new ones for those of `made`, by (path, stamp)."""
    numbers = {(path, (time, size)): number for number, path, time, size in stored.files}
    following = count(1 + max(numbers.values(), default=0))
    for file in (file for each in made for file in each.files.items()):
        if file not in numbers:
            numbers[file] = next(following)
    return numbers


def _number_rows(entry_points: dict[Place, FoundEntryPoint], stored: Stored) -> dict[Place, EntryPointRow]:
    """Return the row of each of `entry_points`, by place: that in the index `stored`, or a new one."""
    rows = {place_of(each): each.cached for each in stored.found if each.cached is not None}
    following = count(1 + max((each.row for each in rows.values()), default=0))
    return {place: rows.get(place) or EntryPointRow(next(following)) for place in entry_points}


def _row_of_description(made: FreshDescription, row: int, numbers: dict[tuple[str, Stamp], int]) -> EntryPointRow:
    """Return the row of a plugin that was described, with 0 for the digest of its surroundings.

    Args:
        made: The description; if it is dynamic, the maker in the row is empty, so that it is never valid.
        row: The number of the row.
        numbers: The numbers of files, as `_number_files` returns them.
    """
    state = (FAILED if made.record["failure"] is not None else 0) | (MISSED if made.missed else 0)
    files = " ".join(map(str, sorted(numbers[file] for file in made.files.items())))
    return EntryPointRow(row, "" if made.record["dynamic"] else made.by, 0, files, state)


def _obsolete_rows(
    before: dict[Place, FoundEntryPoint], left: Collection[Place], described: Collection[Place]
) -> list[int]:
    """Return the row numbers of the entry points in `before` that are `described` again or not `left`."""
    gone = (each.cached for place, each in before.items() if place in described or place not in left)
    return [cached.row for cached in gone if cached is not None]


def _files_used(
    numbers: dict[tuple[str, Stamp], int], rows: Iterable[EntryPointRow]
) -> list[tuple[int, str, int, int]]:
    """Return the files that `rows` depend on: number, path, time (ns) and size (bytes) of each."""
    used = {number for each in rows for number in each.file_numbers}
    return [(number, path, *stamp) for (path, stamp), number in numbers.items() if number in used]


def forget_descriptions(connection: sqlite3.Connection, forgotten: Collection[Place]) -> None:
    """Mark the descriptions of `forgotten` as wrong, so that they are never valid again."""
    places, found, files = stored_in(connection)
    for each in found:
        if each.cached is not None and place_of(each) in forgotten:
            each.cached = each.cached._replace(by="", surroundings=REFUTED)
    write_stored(connection, places, ((each, each.cached) for each in found if each.cached is not None), files)


def _delete_plugins(connection: sqlite3.Connection, plugins: Collection[int]) -> None:
    """Delete the plugins with these row numbers, and their tools, from an index."""
    tools = "(SELECT id FROM tools WHERE plugin = ?)"
    words = [f"DELETE FROM words WHERE rowid IN {tools}"] if _has_words(connection) else []
    for statement in (
        *words,
        f"DELETE FROM records WHERE id IN {tools}",
        "DELETE FROM tools WHERE plugin = ?",
        "DELETE FROM plugins WHERE id = ?",
    ):
        connection.executemany(statement, [(plugin,) for plugin in plugins])


def _write_tools(connection: sqlite3.Connection, described: Collection[tuple[int, FreshDescription]]) -> None:
    """Write described plugins, each with its row number, and their tools."""
    import json  # lists of tools do without it

    connection.executemany(
        "INSERT INTO plugins VALUES (?, ?, ?, ?)",
        [(number, *each.plugin.key, json.dumps(each.record)) for number, each in described],
    )
    ((last,),) = connection.execute("SELECT coalesce(max(id), 0) FROM tools")
    numbered = list(
        zip(count(last + 1), ((plugin, row) for plugin, each in described for row in each.rows), strict=False)
    )
    connection.executemany(
        "INSERT INTO tools VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (number, plugin, row.name, row.group, row.summary, row.options, row.flags)
            for number, (plugin, row) in numbered
        ],
    )
    connection.executemany("INSERT INTO records VALUES (?, ?)", [(number, row.record) for number, (_, row) in numbered])
    if _has_words(connection):
        from fcregistry._tools.search import INSERT  # readers do without it

        connection.executemany(INSERT, [(number, row.id, *row.words) for number, (_, row) in numbered if row.words])


def _has_words(connection: sqlite3.Connection) -> bool:
    """Return whether the index has a table for search: SQLite can be built without the module for it."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'words'").fetchone() is not None
