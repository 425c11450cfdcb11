"""The file of an index: creating, replacing and locking it, and reading it (`_index_writing.py` writes descriptions).

Many processes read and write it at once.

An SQLite file, since one file then serves listing, looking one tool up and ranked search, and each reads no more than it needs. A file is
never changed: a writer makes a new one beside it, from the newest, and renames it, so a reader sees one or the other. Writers wait for
each other.

What every process reads (the installed entry points, the files that descriptions depend on) and what lists need (a line for each tool) is
kept in pieces, one value for a whole table, since reading thousands of rows takes longer.

Another program of this user, or damage, may have put anything into the file. To read it takes time and memory in proportion to its size, which
is limited: a piece is text with separators, the file may have no other tables than these, and every statement has a limit of processor time
("Defense Against The Dark Arts" in the documentation of SQLite).
"""

from __future__ import annotations

import os
import sys
from binascii import crc32
from contextlib import closing, contextmanager, suppress
from functools import cache
from itertools import chain
from stat import S_ISREG
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

from fcregistry._base.forks import sqlite_lock
from fcregistry._tools.declaration import listed_summary, local_name
from fcregistry._tools.described import read_json
from fcregistry._tools.selectors import normalized
from fcregistry.discovery._finder import PathEntry
from fcregistry.discovery._found import KINDS, EntryPointRow, FoundEntryPoint
from fcregistry.errors import MissingDependencyError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Iterator

    from fcregistry.discovery._finder import Places
    from fcregistry.discovery._fingerprint import Stamp
    from fcregistry.discovery._identity import Aside

FORMAT: Final = 11
"""A part of the file's name: files that an older or newer fcregistry wrote are left alone."""

_WAIT: Final = 10.0
"""Most seconds to wait for other writers."""

_POLL: Final = 0.02
"""Seconds between two checks whether another process still writes."""

_TABLES: Final = """
CREATE TABLE pieces(name TEXT PRIMARY KEY, content BLOB NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE plugins(id INTEGER PRIMARY KEY, distribution TEXT NOT NULL, entry_point TEXT NOT NULL, about TEXT NOT NULL);
CREATE TABLE tools(
    id INTEGER PRIMARY KEY, plugin INTEGER NOT NULL, name TEXT NOT NULL, grp TEXT NOT NULL, summary TEXT NOT NULL,
    options TEXT NOT NULL, flags INTEGER NOT NULL
);
CREATE INDEX tools_of_plugin ON tools(plugin);
CREATE INDEX tools_of_name ON tools(name);
CREATE INDEX grouped_tools ON tools(grp) WHERE grp <> 'tool';
CREATE INDEX broken_tools ON tools(id) WHERE flags & 1;
CREATE TABLE records(id INTEGER PRIMARY KEY, record TEXT NOT NULL);
"""

Place: TypeAlias = "tuple[str, str, str, str, str, Stamp | None]"
"""Folder, info, kind, entry point, value, stamp: what identifies an entry point that was described."""

StoredLine: TypeAlias = "tuple[int, int, str, str, str]"
"""The rows of a tool and of its plugin, its name with its group, its summary as lists show it, and its `requires_env` as JSON.

The last one is empty if the tool requires no variable.
"""

_MOST_BYTES: Final = 256 * 2**20
"""The most bytes of a file to read: 5,000 tools take 7 megabytes."""

_MOST_OF_VALUE: Final = 8 * 2**20
"""The most bytes of a value: the lines of 5,000 tools take half a megabyte."""

_MOST_OF_ROWS: Final = 64 * 2**20
"""The most characters of all rows that a query may return, where each counts for 100 in addition."""

_ROWS_AT_ONCE: Final = 16
"""Rows that are read before they are counted; each of their values may have `_MOST_OF_VALUE`."""

_MOST_SECONDS: Final = 2.0
"""The most seconds of processor time for a statement; one that reads a table with 5,000 tools takes some milliseconds."""

_MOST_SECONDS_TO_WRITE: Final = 60.0
"""The most seconds of processor time to write a file."""

_STEPS: Final = 10_000
"""Steps of SQLite's virtual machine between two looks at the time."""


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

        Only a regular file is read, and only up to a size: opening a pipe would wait. If another user may write to the file or its folder,
        the file is not read: its content would count as that of the plugins.
        """
        try:
            folder, status = os.stat(os.path.dirname(self.path)), os.stat(self.path)
        except OSError:
            return None
        is_usable = S_ISREG(status.st_mode) and status.st_size <= _MOST_BYTES
        if not (is_usable and _is_private(folder) and _is_private(status)):
            return None
        return (status.st_mtime_ns, status.st_ino)

    def open(self) -> sqlite3.Connection:
        """Open the file for reading; it never changes.

        Raises:
            sqlite3.Error, ValueError: The file does not exist, or is damaged.
        """
        path = self.path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        connection = _connect(f"file:{path}?mode=ro&immutable=1")
        _check_tables(connection)
        return connection

    def discard(self, stamp: tuple[int, int] | None) -> None:
        """Remove the file, which turned out to be damaged, unless another file has replaced it.

        The file stays if this user cannot remove it.

        Args:
            stamp: The result of `stamp` for the damaged file.
        """
        with suppress(OSError):
            if stamp is not None and self.stamp() == stamp:
                os.remove(self.path)

    def change(self, write: Callable[[sqlite3.Connection], None]) -> None:
        """Replace the file with a changed copy.

        Args:
            write: Changes the copy; an empty index if there is no file, or if it is damaged.

        Raises:
            OSError, sqlite3.Error: The file cannot be written, or another process keeps it locked.
        """
        import sqlite3  # late in every function: not needed if nothing is installed

        folder, new = os.path.dirname(self.path), f"{self.path}.new"
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not _is_private(os.stat(folder)):
            raise PermissionError(f"others may write to {folder}, so it is not used")
        with self.locked():
            try:
                try:
                    self._write(new, write, is_copy=self.stamp() is not None)
                except (sqlite3.DatabaseError, ValueError):  # the newest is damaged: begin anew
                    self._write(new, write, is_copy=False)
                os.replace(new, self.path)
            finally:
                with suppress(FileNotFoundError):  # it was renamed
                    os.remove(new)

    def _write(self, new: str, write: Callable[[sqlite3.Connection], None], *, is_copy: bool) -> None:
        """Create or replace `new`: a copy of this file if `is_copy`, else an empty index; `write` changes it.

        A damaged copy raises `sqlite3.DatabaseError` or `ValueError`.
        """
        from shutil import copyfile

        with suppress(FileNotFoundError):  # else a writer was killed
            os.remove(new)
        os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        if is_copy:
            copyfile(self.path, new)
        with closing(_reader()(new, seconds=_MOST_SECONDS_TO_WRITE)) as connection:
            # Without a journal, which a process that is killed would leave: no reader sees the file before it is complete
            connection.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
            if is_copy:
                _check_tables(connection)
            else:
                make_tables(connection)
            with connection:
                write(connection)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Return a context in which no other process writes the file, and this process does not fork.

        Raises:
            sqlite3.Error: Another process has held the lock for too long, or the lock cannot be written.
        """
        import sqlite3
        from time import monotonic, sleep

        end = monotonic() + _WAIT
        while True:
            with (
                sqlite_lock,
                closing(
                    sqlite3.connect(f"{self.path}.lock", timeout=0, isolation_level=None, check_same_thread=False)
                ) as lock,
            ):
                try:
                    lock.execute("BEGIN EXCLUSIVE")
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or monotonic() >= end:
                        raise
                else:
                    yield
                    return
            sleep(_POLL)  # without `sqlite_lock`: other threads may search, and fork


def in_memory(newest: sqlite3.Connection | None) -> sqlite3.Connection:
    """Return an index in memory, for this process alone: a copy of `newest`, or empty if that is None."""
    made = _connect(":memory:")
    if newest is None:
        make_tables(made)
    else:
        newest.backup(made)
    return made


def _connect(uri: str) -> sqlite3.Connection:
    """Return a connection to the SQLite URI `uri` with limits (see `_reader`), which all threads may use."""
    return _reader()(uri, uri=True, check_same_thread=False)


@cache
def _reader() -> Callable[..., sqlite3.Connection]:
    """Return a class of connections that limit the time of each statement and the size of each value.

    A connection closes itself when no thread uses it any more: which thread is the last cannot be known before.
    """
    import sqlite3
    from time import thread_time

    class Reader(sqlite3.Connection):
        def __init__(self, *arguments: Any, seconds: float = _MOST_SECONDS, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self._seconds = seconds
            self._until = until = [thread_time() + seconds]  # without a reference to `self`, which would keep it alive
            self.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_OF_VALUE)
            self.set_progress_handler(lambda: thread_time() > until[0], _STEPS)

        def execute(self, *arguments: Any) -> sqlite3.Cursor:
            self._until[0] = thread_time() + self._seconds
            return super().execute(*arguments)

        def __del__(self) -> None:
            with sqlite_lock, suppress(sqlite3.Error):  # it was never open
                self.close()

    return Reader


def _check_tables(connection: sqlite3.Connection) -> None:
    """Check that a file has only the tables of an index.

    A view or a trigger could compute without end.

    Raises:
        sqlite3.Error, ValueError: The file has something else, or is damaged.
    """
    expected = {statement.strip() for statement in _TABLES.split(";")}
    for name, sql in connection.execute("SELECT name, sql FROM sqlite_master"):
        if sql is None:  # SQLite makes these itself
            is_own = str(name).startswith("sqlite_autoindex_")
        else:
            is_own = sql in expected or str(sql).startswith(
                ("CREATE VIRTUAL TABLE words USING fts5(", "CREATE TABLE 'words_")
            )
        if not is_own:
            raise ValueError(f"it has {str(name)[:80]!r}, which an index does not have")


def rows_of(connection: sqlite3.Connection, query: str, values: tuple[Any, ...], kinds: tuple[type, ...]) -> list[Any]:
    """Return the rows that a query finds, after a check of their types and of their total size.

    The size is counted since a damaged table may lead to one page of the file any number of times.

    Args:
        connection: The index.
        query: The query.
        values: The values of its parameters.
        kinds: The types of its columns.

    Raises:
        sqlite3.Error, ValueError: The file is damaged.
    """
    width, texts = len(kinds), [place for place, kind in enumerate(kinds) if kind is str]
    rows: list[Any] = []
    left, cursor = _MOST_OF_ROWS, connection.execute(query, values)
    while chunk := cursor.fetchmany(_ROWS_AT_ONCE):
        values = tuple(chain.from_iterable(chunk))
        if tuple(map(type, values)) != kinds * len(chunk):
            raise ValueError("a value in its tables has a wrong type")
        left -= 100 * len(chunk) + sum([sum(map(len, values[place::width])) for place in texts])
        if left < 0:
            raise ValueError("its tables have more rows than it has room for")
        rows += chunk
    return rows


def _is_private(status: os.stat_result) -> bool:
    """Return whether only this user and the administrator may write to a file or folder; True on Windows."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid in (os.getuid(), 0) and not status.st_mode & 0o022


def make_tables(connection: sqlite3.Connection) -> None:
    """Make the tables of an empty index."""
    from fcregistry._tools.search import create_table

    connection.executescript(_TABLES)
    with suppress(MissingDependencyError):  # this SQLite cannot search; a search reports it
        create_table(connection)
    with connection:
        write_stored(connection, {}, (), ())
        write_lines(connection, {})


# --- Pieces ---


def _write_piece(connection: sqlite3.Connection, name: str, rows: Iterable[tuple[list[int], list[str]]]) -> None:
    """Write a table as one value: the number of rows, the columns of numbers, then the texts, row by row.

    Args:
        connection: The index.
        name: The name of the piece.
        rows: The numbers and the texts of each row. No path or name has the separator of texts, and in a summary it is replaced.
    """
    table = list(rows)
    numbers = chain([len(table)], *zip(*(row for row, _ in table), strict=True))
    texts = [text.replace("\0", "\N{REPLACEMENT CHARACTER}") for _, row in table for text in row]
    # A time that does not fit in 8 bytes is never that of the file
    packed = b"".join([min(max(each, -(2**63)), 2**63 - 1).to_bytes(8, sys.byteorder, signed=True) for each in numbers])
    data = packed + "\0".join(texts).encode("utf-8", "surrogatepass")
    connection.execute("INSERT OR REPLACE INTO pieces VALUES (?, ?, ?)", (name, data, crc32(data)))


def _piece(
    connection: sqlite3.Connection, name: str, numbers: int, texts: int
) -> tuple[list[list[int]], list[list[str]]]:
    """Return the columns of numbers and of texts in a piece, after comparing its checksum.

    Args:
        connection: The index.
        name: The name of the piece.
        numbers: How many columns have numbers.
        texts: How many columns have texts.

    Raises:
        sqlite3.Error, ValueError: The file is damaged.
    """
    found = connection.execute("SELECT content, checksum FROM pieces WHERE name = ?", (name,)).fetchone()
    if found is not None and type(found[0]) is bytes and len(found[0]) >= 8 and crc32(found[0]) == found[1]:
        count = int.from_bytes(found[0][:8], sys.byteorder, signed=True)
        end = 8 + 8 * numbers * count
        text = found[0][max(end, 8) :].decode("utf-8", "surrogatepass")
        fields = text.split("\0") if count and texts else [text] if text else []
        if len(fields) == count * texts and 8 <= end <= len(found[0]):
            packed = memoryview(found[0])[8:end].cast("q")
            columns = [packed[count * column : count * (column + 1)].tolist() for column in range(numbers)]
            return columns, [fields[column::texts] for column in range(texts)]
    raise ValueError(f"its part {name!r} is damaged")


class Stored(NamedTuple):
    """The content of an index that every process reads, before the check which descriptions are valid.

    Attributes:
        places: The metadata in folders of `sys.path`, as they were.
        found: The entry points in these metadata, and described ones that are in no folder.
        files: The files that descriptions were made from: number, path, time (ns) and size (bytes) of each.
    """

    places: Places
    found: list[FoundEntryPoint]
    files: Collection[tuple[int, str, int, int]]


def place_of(each: FoundEntryPoint) -> Place:
    """Return what identifies the entry point `each` in an index."""
    return (each.folder, each.info, type(each).__name__, each.entry_point, each.value, each.stamp)


def stored_in(connection: sqlite3.Connection) -> Stored:
    """Return the part of an index that every process reads.

    Raises:
        sqlite3.Error, ValueError: The file is damaged.
    """
    found = list(_stored_entry_points(connection))
    by_folder: dict[str, list[FoundEntryPoint]] = {}
    for each in found:
        by_folder.setdefault(each.folder, []).append(each)
    aside: dict[str, list[Aside]] = {}
    for folder, *reason in zip(*_piece(connection, "aside", 0, 4)[1], strict=True):
        aside.setdefault(folder, []).append(cast("Aside", tuple(reason)))
    times, (names, projects) = _piece(connection, "names", 2, 2)
    stamps = _stamps(*times)
    here: Places = {}
    end = 0
    (lengths,), (paths,) = _piece(connection, "places", 1, 1)
    for path, length in zip(paths, lengths, strict=True):
        start, end = end, end + length
        mine, its = tuple(names[start:end]), tuple(stamps[start:end])
        # An entry point counts only with its metadata: while `names` and `stamps` hold, these exist
        there = dict(zip(mine, its, strict=True))
        known = tuple([each for each in by_folder.get(path, ()) if each.stamp and there.get(each.info) == each.stamp])
        here[path] = PathEntry(mine, tuple(projects[start:end]), known, its, tuple(aside.get(path, ())))
    (numbers, modified, sizes), (files,) = _piece(connection, "files", 3, 1)
    return Stored(here, found, list(zip(numbers, files, modified, sizes, strict=True)))


def _stored_entry_points(connection: sqlite3.Connection) -> Iterator[FoundEntryPoint]:
    """Yield the entry points in an index, each with its row as `cached`."""
    kinds = {kind.__name__: kind for kind in KINDS.values()}
    (*times, rows, around, states), (names, *texts, by, files) = _piece(connection, "entry points", 5, 9)
    columns = map(EntryPointRow, rows, by, around, files, states)
    for kind, stamp, cached, *row in zip(names, _stamps(*times), columns, *texts, strict=True):
        distribution, version, entry_point, value, folder, info = row
        each = kinds[kind](distribution, version, entry_point, value, folder, info, stamp)
        each.cached = cached
        yield each


def _stamps(times: list[int], sizes: list[int]) -> list[Stamp | None]:
    """Return (time in ns, size) of each file in an index, in order; None where they are `_NO_STAMP`."""
    return [None if each == _NO_STAMP else each for each in zip(times, sizes, strict=True)]


_NO_STAMP: Final = (0, -1)
"""Written in place of a stamp that is None."""


def write_stored(
    connection: sqlite3.Connection,
    places: Places,
    entry_points: Iterable[tuple[FoundEntryPoint, EntryPointRow]],
    files: Collection[tuple[int, str, int, int]],
) -> None:
    """Write what `stored_in` reads: folders, entry points with their rows, and the files of descriptions."""
    _write_piece(
        connection,
        "entry points",
        (
            (
                [*(each.stamp or _NO_STAMP), number, around, state],
                [
                    *(type(each).__name__, each.distribution, each.version, each.entry_point, each.value),
                    *(each.folder, each.info, by, numbers),
                ],
            )
            for each, (number, by, around, numbers, state) in entry_points
        ),
    )
    _write_piece(connection, "files", (([number, time, size], [path]) for number, path, time, size in files))
    _write_piece(connection, "places", (([len(each.names)], [path]) for path, each in places.items()))
    _write_piece(connection, "aside", (([], [path, *reason]) for path, each in places.items() for reason in each.aside))
    names = chain.from_iterable(zip(each.names, each.projects, each.stamps, strict=True) for each in places.values())
    _write_piece(connection, "names", (([*(stamp or _NO_STAMP)], [name, project]) for name, project, stamp in names))


# --- Lines of tools ---


def lines_in(connection: sqlite3.Connection) -> tuple[bool, Iterable[StoredLine]]:
    """Return whether every tool has a key of its own, and the lines of all tools that can be defined.

    The lines are sorted by name and distribution.

    Raises:
        sqlite3.Error, ValueError: The file is damaged.
    """
    ((are_apart,),), _ = _piece(connection, "are apart", 1, 0)
    (tools, plugins), texts = _piece(connection, "lines", 2, 3)
    return bool(are_apart), zip(tools, plugins, *texts, strict=True)


def write_lines(connection: sqlite3.Connection, distributions: dict[int, str]) -> None:
    """Write what `lines_in` reads; `distributions` is row number of a plugin -> its distribution."""
    import json  # as above

    lines: list[tuple[int, int, str, str, str, str]] = []
    for name, group, tool, plugin, summary, options in connection.execute(
        "SELECT name, grp, id, plugin, summary, options FROM tools WHERE flags & 1 = 0"
    ):
        variables = read_json(options).get("requires_env") if '"requires_env"' in options else None
        shown, required = line_of_row(summary, options), json.dumps(variables) if variables else ""
        lines.append((tool, plugin, local_name(name, group), distributions[plugin], shown, required))
    lines.sort(key=lambda line: line[2:4])
    keys = {(local, normalized(distribution)) for _, _, local, distribution, _, _ in lines}
    _write_piece(connection, "are apart", [([len(keys) == len(lines)], [])])
    _write_piece(connection, "lines", (([tool, plugin], [local, *texts]) for tool, plugin, local, _, *texts in lines))


def line_of_row(summary: str, options: str) -> str:
    """Return a tool's summary as lists show it.

    Args:
        summary: The summary.
        options: The options of its declaration, as JSON text.
    """
    one_line = " ".join(summary.split()) if "\n" in summary else summary
    return listed_summary(one_line, '"deprecated"' in options and bool(read_json(options).get("deprecated")))
