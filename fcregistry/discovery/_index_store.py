"""The file of an index: creating, replacing and locking it, writing descriptions, reading them.

Many processes read and write it at once.

An SQLite file, since one file then serves listing, looking one tool up and ranked search, and each reads no more than it needs. A file is
never changed: a writer makes a new one beside it, from the newest, and renames it, so a reader sees one or the other. Writers wait for
each other.
"""

from __future__ import annotations

import json
import marshal
import os
import sys
from _thread import get_ident
from binascii import crc32
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from stat import S_ISREG
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._base.cached import cached_attribute
from fcregistry._base.forks import sqlite_lock
from fcregistry._tools.declaration import local_name
from fcregistry._tools.search import INSERT
from fcregistry.discovery._finder import PathEntry
from fcregistry.discovery._fingerprint import FAILED, MISSED, WRONG, surroundings
from fcregistry.discovery._found import KINDS, FoundEntryPoint
from fcregistry.errors import MissingDependencyError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from fcregistry.discovery._describe import FreshDescription, IndexRow
    from fcregistry.discovery._finder import Places
    from fcregistry.discovery._fingerprint import Stamp
    from fcregistry.discovery._found import FoundExtension, FoundPlugin

FORMAT: Final = 4
"""A part of the file's name: files that an older or newer fcregistry wrote are left alone."""

_POLL: Final = 0.02
"""Seconds between two checks whether another process still writes."""

_NEW: Final = ".new"
"""The ending of the name of a file that is being written."""

_JOURNAL: Final = "-journal"
"""The ending that SQLite adds to a file's name for the journal that it keeps while it changes the file."""

_ABANDONED: Final = 24 * 3600.0
"""Seconds after which no writer still writes its file."""

_TABLES: Final = """
CREATE TABLE places(folder TEXT PRIMARY KEY, names TEXT NOT NULL, stamps TEXT NOT NULL, aside TEXT NOT NULL);
CREATE TABLE entry_points(
    id INTEGER PRIMARY KEY, folder TEXT NOT NULL, info TEXT NOT NULL, mtime INTEGER, size INTEGER, kind TEXT NOT NULL,
    distribution TEXT NOT NULL, version TEXT NOT NULL, entry_point TEXT NOT NULL, value TEXT NOT NULL,
    described TEXT NOT NULL DEFAULT '', surroundings INTEGER NOT NULL DEFAULT 0, files TEXT NOT NULL DEFAULT '',
    failed INTEGER NOT NULL DEFAULT 0, about TEXT NOT NULL DEFAULT ''
);
CREATE TABLE files(id INTEGER PRIMARY KEY, path TEXT NOT NULL, mtime INTEGER NOT NULL, size INTEGER NOT NULL, UNIQUE(path, mtime, size));
CREATE TABLE tools(
    id INTEGER PRIMARY KEY, plugin INTEGER NOT NULL, name TEXT NOT NULL, grp TEXT NOT NULL, summary TEXT NOT NULL,
    options TEXT NOT NULL, flags INTEGER NOT NULL
);
CREATE INDEX tools_of_plugin ON tools(plugin);
CREATE INDEX tools_of_name ON tools(name);
CREATE INDEX grouped_tools ON tools(grp) WHERE grp <> 'tool';
CREATE INDEX broken_tools ON tools(id) WHERE flags & 1;
CREATE TABLE records(id INTEGER PRIMARY KEY, record TEXT NOT NULL);
CREATE TABLE lines(tools TEXT NOT NULL, plugins TEXT NOT NULL, names TEXT NOT NULL, summaries TEXT NOT NULL, options TEXT NOT NULL);
CREATE TABLE stored(said BLOB NOT NULL, checksum INTEGER NOT NULL);
"""

_NO_JOURNAL: Final = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
"""For a file that no reader sees before it is complete: without a journal, which a process that is killed would leave."""


def index_path(folder: str) -> str:
    """Return the path of the index in a cache folder.

    Each environment, Python and version of fcregistry has its own.
    """
    from fcregistry._version import __version__

    environment = f"{sys.prefix}\0{sys.hexversion}\0{sys.flags.optimize}\0{__version__}"
    return f"{folder}/index-{FORMAT}-{sys.implementation.cache_tag}-{crc32(environment.encode('utf-8', 'replace')):08x}.sqlite"


class IndexFile:
    """The file that descriptions are kept in.

    Args:
        path: Its path; the file need not exist yet.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def stamp(self) -> tuple[int, int] | None:
        """Return what distinguishes the file from its successor, or None if no file may be read.

        Only a regular file is read: opening a pipe would wait. A file that another user may write to, or whose folder is, is not read:
        its content would count as that of the plugins.
        """
        try:
            folder, status = os.stat(os.path.dirname(self.path)), os.stat(self.path)
        except OSError:
            return None
        if not (_is_ours(folder) and _is_ours(status) and S_ISREG(status.st_mode)):
            return None
        return (status.st_mtime_ns, status.st_ino)

    def open(self) -> sqlite3.Connection:
        """Open it for reading; it does not change.

        Raises:
            sqlite3.Error: It does not exist, or is damaged.
        """
        import sqlite3  # late in every function: not needed if nothing is installed

        path = self.path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        uri = f"file:{path}?mode=ro&immutable=1"
        return sqlite3.connect(uri, uri=True, check_same_thread=False, factory=_reader())

    def discard(self, stamp: tuple[int, int] | None) -> None:
        """Remove the file, which turned out to be damaged, unless another has replaced it.

        It stays if this user cannot remove it.
        """
        with suppress(OSError):
            if stamp is not None and self.stamp() == stamp:
                os.remove(self.path)

    def change(self, write: Callable[[sqlite3.Connection], None]) -> None:
        """Write a file that replaces it, made from the newest.

        Args:
            write: Changes the new file.

        Raises:
            OSError, sqlite3.Error: It cannot be written.
        """
        import sqlite3

        folder = os.path.dirname(self.path)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not _is_ours(os.stat(folder)):
            raise PermissionError(f"others may write to {folder}, so nothing there is believed")
        with self.locked(10.0) as alone:
            if alone:
                self._clear()
            aside = f"{self.path}.{os.getpid()}-{get_ident()}{_NEW}"
            try:
                try:
                    self._copy(aside)
                    self._write(aside, write)
                except sqlite3.DatabaseError:  # the newest is damaged: begin anew
                    self._make(aside)
                    self._write(aside, write)
                os.replace(aside, self.path)
            finally:
                for each in (aside, f"{aside}{_JOURNAL}"):
                    if os.path.exists(each):
                        os.remove(each)

    def _clear(self) -> None:
        """Remove the files that killed writers have left; only the holder of the lock does that.

        A writer that waited for the lock for too long writes without it: its file stays as long as its process exists. Of another
        environment's index, whose lock this process does not hold, only old files are removed.
        """
        folder, name = os.path.split(self.path)
        for each in os.listdir(folder):
            written = each.removesuffix(_JOURNAL)
            index, _, writer = written.removesuffix(_NEW).rpartition(".")
            if written.endswith(_NEW) and index.startswith("index-") and index.endswith(".sqlite"):
                with suppress(OSError):
                    if (index == name and _has_ended(writer)) or _is_abandoned(f"{folder}/{each}"):
                        os.remove(f"{folder}/{each}")

    def _copy(self, aside: str) -> None:
        if self.stamp() is None:
            self._make(aside)
            return
        from shutil import copyfile

        copyfile(self.path, aside)
        os.chmod(aside, 0o600)

    @staticmethod
    def _make(aside: str) -> None:
        import sqlite3

        if os.path.exists(aside):
            os.remove(aside)
        os.close(os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with _closing(sqlite3.connect(aside)) as made:
            made.executescript(_NO_JOURNAL)
            _make_tables(made)

    @staticmethod
    def _write(aside: str, write: Callable[[sqlite3.Connection], None]) -> None:
        import sqlite3

        with _closing(sqlite3.connect(aside)) as connection:
            connection.executescript(_NO_JOURNAL)
            with connection:
                write(connection)

    def in_memory(self, newest: sqlite3.Connection | None) -> sqlite3.Connection:
        """Return an index for this process alone, with the newest content, if no file can be written."""
        import sqlite3

        made = sqlite3.connect(":memory:", check_same_thread=False, factory=_reader())
        if newest is None:
            _make_tables(made)
        else:
            newest.backup(made)
        return made

    @contextmanager
    def locked(self, seconds: float) -> Iterator[bool]:
        """Keep other processes from writing inside the block, and yield whether that was possible.

        Forks of this process wait.

        After that many seconds, or if no lock can be written, the block runs without the lock.
        """
        from time import monotonic, sleep

        end = monotonic() + seconds
        while True:
            with sqlite_lock:
                lock, is_busy = self._lock()
                if not is_busy or monotonic() >= end:
                    try:
                        yield lock is not None
                    finally:
                        if lock is not None:
                            lock.close()
                    return
            sleep(_POLL)  # without `sqlite_lock`: other threads may search, and fork

    def _lock(self) -> tuple[sqlite3.Connection | None, bool]:
        """Return a connection that keeps other processes from writing, or None.

        The second value says whether another process holds one.
        """
        import sqlite3

        lock = None
        try:
            lock = sqlite3.connect(f"{self.path}.lock", timeout=0, isolation_level=None, check_same_thread=False)
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if lock is not None:
                lock.close()
            return None, getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
        return lock, False


@cache
def _reader() -> type[sqlite3.Connection]:
    """Return a class of connections that close when their last reader is gone.

    Which of several threads that is cannot be known before.
    """
    import sqlite3

    class Reader(sqlite3.Connection):
        def __del__(self) -> None:
            with sqlite_lock, suppress(sqlite3.Error):  # it was never open
                self.close()

    return Reader


def _has_ended(writer: str) -> bool:
    """Return whether the process of a writer, `PID-THREAD`, is known to have ended."""
    process = writer.partition("-")[0]
    if os.name != "posix" or not (process.isascii() and process.isdecimal()):  # on Windows, signal 0 would end it
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # it is another user's
        return False
    return False


def _is_abandoned(path: str) -> bool:
    from time import time

    return time() - os.stat(path).st_mtime > _ABANDONED


def _is_ours(status: os.stat_result) -> bool:
    """Return whether only this user and the administrator may write to a file or folder."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid in (os.getuid(), 0) and not status.st_mode & 0o022


def _make_tables(connection: sqlite3.Connection) -> None:
    from fcregistry._tools.search import create_table

    connection.executescript(_TABLES)
    try:
        create_table(connection)
    except MissingDependencyError:  # this SQLite cannot search; a search reports it
        return


@contextmanager
def _closing(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    try:
        yield connection
    finally:
        connection.close()


# --- Writing descriptions ---

_HERE = "folder = ? AND info = ? AND kind = ? AND entry_point = ? AND value = ? AND mtime IS ? AND size IS ?"

Place: TypeAlias = "tuple[str, str, str, str, str, Stamp | None]"
"""Folder, info, kind, entry point, value, stamp: what identifies an entry point that was described."""


def write_descriptions(
    connection: sqlite3.Connection,
    places: Places,
    extensions: Iterable[FoundExtension],
    made: Collection[FreshDescription],
) -> None:
    """Write the entry points in the folders of `sys.path`, and descriptions of plugins among them.

    The file is read once, and each table is written at once: one statement for each of thousands of tools takes longer.

    Args:
        connection: The index.
        places: The folders of `sys.path`.
        extensions: The extensions with which the descriptions were made.
        made: The descriptions.
    """
    _forget_what_is_gone(connection)
    rows = _write_places(connection, places, [each.plugin for each in made])
    plugins = [rows[place_of(each.plugin)] for each in made]
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


def _state(made: FreshDescription) -> int:
    return (FAILED if made.record["failure"] is not None else 0) | (MISSED if made.missed else 0)


def path_text(path: str) -> str | bytes:
    """Return a path as SQLite stores it: the text, or the bytes if they cannot be encoded as UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return os.fsencode(path)
    return path


def forget_description(connection: sqlite3.Connection, place: Place) -> None:
    """Change the description of a plugin into one that never holds, and note that it was wrong."""
    stamp = place[5] or (None, None)
    connection.execute(
        f"UPDATE entry_points SET described = '', surroundings = {WRONG} WHERE {_HERE}",
        (path_text(place[0]), path_text(place[1]), *place[2:5], *stamp),
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
) -> dict[Place, int]:
    """Write the entry points of some folders, and drop those that are gone; return the row of each.

    Described entry points that are in no folder are added: whether they have changed cannot be seen there.
    """
    connection.executemany(
        "INSERT OR REPLACE INTO places VALUES (?, ?, ?, ?)",
        [
            (path_text(folder), path_text("\n".join(place.names)), json.dumps(place.stamps), json.dumps(place.aside))
            for folder, place in places.items()
        ],
    )
    rows: dict[Place, int] = {}
    here = {place_of(each): each for place in places.values() for each in place.found}
    for folder in dict.fromkeys([*places, *(each.folder for each in described)]):
        rows |= _entries_in(connection, folder)
    gone = [row for entry, row in rows.items() if entry[0] in places and entry not in here]
    _drop(connection, gone)
    here |= {place_of(each): each for each in described}
    new = {entry: each for entry, each in here.items() if entry not in rows}
    numbers = count(_next(connection, "entry_points"))
    rows |= dict(zip(new, numbers, strict=False))
    connection.executemany(
        "INSERT INTO entry_points(id, folder, info, mtime, size, kind, distribution, version, entry_point, value) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                rows[entry],
                path_text(each.folder),
                path_text(each.info),
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


def _entries_in(connection: sqlite3.Connection, folder: str) -> dict[Place, int]:
    query = "SELECT id, info, kind, entry_point, value, mtime, size FROM entry_points WHERE folder = ?"
    return {
        (folder, os.fsdecode(info), kind, entry_point, value, None if mtime is None else (mtime, size)): row
        for row, info, kind, entry_point, value, mtime, size in connection.execute(query, (path_text(folder),))
    }


def _drop(connection: sqlite3.Connection, rows: Collection[int]) -> None:
    _drop_tools(connection, rows)
    connection.executemany("DELETE FROM entry_points WHERE id = ?", [(row,) for row in rows])


def _drop_tools(connection: sqlite3.Connection, plugins: Iterable[int]) -> None:
    tools = [
        tool
        for plugin in plugins
        for tool in connection.execute("SELECT id FROM tools WHERE plugin = ?", (plugin,)).fetchall()
    ]
    tables = [("records", "id"), ("tools", "id"), *([("words", "rowid")] if _has_words(connection) else [])]
    for table, number in tables:
        connection.executemany(f"DELETE FROM {table} WHERE {number} = ?", tools)


def _write_files(connection: sqlite3.Connection, made: Iterable[FreshDescription]) -> dict[tuple[str, Stamp], int]:
    """Write the files that descriptions were made from; return the number of each, as it was then."""
    numbers = {
        (os.fsdecode(path), (time, size)): number
        for number, path, time, size in connection.execute("SELECT id, path, mtime, size FROM files")
    }
    following = count(_next(connection, "files"))
    new = {file: next(following) for each in made for file in each.files.items() if file not in numbers}
    connection.executemany(
        "INSERT INTO files VALUES (?, ?, ?, ?)",
        [(number, path_text(path), *stamp) for (path, stamp), number in new.items()],
    )
    return numbers | new


def _write_tools(connection: sqlite3.Connection, tools: Iterable[tuple[int, IndexRow]]) -> None:
    numbered = list(zip(count(_next(connection, "tools")), tools, strict=False))
    connection.executemany(
        "INSERT INTO tools VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (number, plugin, row.name, row.group, row.summary, row.options, row.flags)
            for number, (plugin, row) in numbered
        ],
    )
    connection.executemany("INSERT INTO records VALUES (?, ?)", [(number, row.record) for number, (_, row) in numbered])
    if _has_words(connection):
        connection.executemany(INSERT, [(number, row.id, *row.words) for number, (_, row) in numbered if row.words])


def _next(connection: sqlite3.Connection, table: str) -> int:
    """Return the number that follows the greatest row number of a table."""
    return int(connection.execute(f"SELECT coalesce(max(id), 0) + 1 FROM {table}").fetchone()[0])


def _has_words(connection: sqlite3.Connection) -> bool:
    """Return whether the index has words for search: SQLite can be built without the module for it."""
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'words'").fetchone() is not None


# --- What every process reads when it starts, in one piece ---


class Stored:
    """The content of the file that every process reads; whether its descriptions hold is not checked yet.

    Attributes:
        places: The folders of `sys.path` with metadata, as they were.
        found: The entry points in them, by folder.
        files: The files that descriptions were made from: number, path, time (ns) and size (bytes) of each.
    """

    def __init__(
        self, places: Places, found: dict[str, list[FoundEntryPoint]], files: list[tuple[int, str, int, int]]
    ) -> None:
        self.places = places
        self.found = found
        self.files = files

    @cached_attribute
    def rows(self) -> dict[Any, tuple[int, str, int, str, int] | None]:
        """The columns of each entry point, for those that were read again from their folder."""
        return {place_of(each): each.cached for everything in self.found.values() for each in everything}


def place_of(each: FoundEntryPoint) -> Place:
    """Return what identifies an entry point in an index."""
    return (each.folder, each.info, type(each).__name__, each.entry_point, each.value, each.stamp)


def write_stored(connection: sqlite3.Connection) -> None:
    """Write what every process reads once more, in one piece.

    Reading thousands of rows takes twice as long.
    """
    entry_points = []
    for *names, folder, info, mtime, size, row, by, around, files, state in connection.execute(
        "SELECT kind, distribution, version, entry_point, value, folder, info, mtime, size, "
        "id, described, surroundings, files, failed FROM entry_points ORDER BY id"
    ):
        stamp = None if mtime is None else (mtime, size)
        entry_points.append((*names, os.fsdecode(folder), os.fsdecode(info), stamp, (row, by, around, files, state)))
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
    """Return the content that `write_stored` wrote.

    Its checksum is compared before it is unpacked; the file's name has Python's version.

    Raises:
        sqlite3.Error, ValueError: The file is damaged.
    """
    for said, checksum in connection.execute("SELECT said, checksum FROM stored"):
        if crc32(said) == checksum:
            return _unpacked(*marshal.loads(said))
    raise ValueError("what it says is not what was written")


def _unpacked(entry_points: list[Any], places: list[Any], files: list[Any]) -> Stored:
    found: dict[str, list[FoundEntryPoint]] = {}
    kinds = {kind.__name__: kind for kind in KINDS.values()}
    for kind, distribution, version, name, value, folder, info, stamp, cached in entry_points:
        each = kinds[kind](distribution, version, name, value, folder, info, stamp)
        each.cached = cached
        found.setdefault(folder, []).append(each)
    here = {path: PathEntry(names, tuple(found.get(path, ())), stamps, aside) for path, names, stamps, aside in places}
    return Stored(here, found, files)


# --- Lines of all tools, ready for lists: in order, by columns, so that nothing is made or sorted of thousands of rows ---

LINES: Final = "SELECT tools, plugins, names, summaries, options FROM lines"
"""Selects the one row that has all lines: a text for each column, whose lines are the cells."""

_REQUIRES: Final = '"requires_env"'
_DEPRECATED: Final = '"deprecated"'

Line: TypeAlias = "tuple[str, FoundPlugin, str, str, str]"
"""The row of a tool, its plugin, its name with its group, its summary, and its options (as text), if a list depends on them."""


def write_lines(connection: sqlite3.Connection) -> None:
    """Write the lines of all tools that can be defined, in the order of `registry.find`."""
    lines = sorted(
        (name, f"{distribution}:{local_name(name, group)}", local_name(name, group), str(tool), str(plugin), *rest)
        for name, group, distribution, tool, plugin, *rest in connection.execute(
            "SELECT name, grp, distribution, tools.id, plugin, summary, options FROM tools "
            "JOIN entry_points ON entry_points.id = tools.plugin WHERE flags & 1 = 0"
        )
    )
    columns = (
        [tool for _, _, _, tool, _, _, _ in lines],
        [plugin for _, _, _, _, plugin, _, _ in lines],
        [local for _, _, local, _, _, _, _ in lines],
        [" ".join(summary.split()) if "\n" in summary else summary for *_, summary, _ in lines],
        [options if _REQUIRES in options or _DEPRECATED in options else "" for *_, options in lines],
    )
    connection.execute("DELETE FROM lines")
    connection.execute("INSERT INTO lines VALUES (?, ?, ?, ?, ?)", ["\n".join(each) for each in columns])


def lines_of(columns: tuple[str, str, str, str, str], plugins: Mapping[int, FoundPlugin]) -> list[Line]:
    """Return the lines of the tools of some plugins, given by row, from the columns that `LINES` selects.

    Raises:
        ValueError: The columns are not of one length.
    """
    tools, rows, names, summaries, options = (each.split("\n") for each in columns)
    owners = {str(row): plugin for row, plugin in plugins.items()}
    found = zip(tools, map(owners.get, rows), names, summaries, options, strict=True)
    return [line for line in found if line[1] is not None]  # type: ignore[misc]  # which mypy does not narrow


def has_environment(options: str) -> bool:
    """Return whether the variables that a tool requires are set, from its options as text."""
    if _REQUIRES not in options:
        return True
    required = json.loads(options).get("requires_env", ())
    return all(os.environ.get(name) for name in ([required] if isinstance(required, str) else required))


def is_deprecated(options: str) -> bool:
    """Return whether a tool is marked as deprecated, from its options as text."""
    return _DEPRECATED in options and bool(json.loads(options).get("deprecated"))
