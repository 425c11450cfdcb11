"""How are descriptions kept in a file that many processes read and write?

An SQLite file, since one file then serves listing, looking one tool up and ranked search, and each reads no more than it needs. It is never
changed: a writer makes a new one aside, from the newest, and renames it, so a reader sees one or the other. Writers wait for each other.
"""

from __future__ import annotations

import os
import sys
from _thread import get_ident
from contextlib import contextmanager, suppress
from functools import cache
from stat import S_ISREG
from typing import TYPE_CHECKING, Final

from fcregistry._base.forks import sqlite_lock
from fcregistry.errors import MissingDependencyError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

FORMAT: Final = 4
"""Another number makes another file: what an older or newer fcregistry wrote is left alone."""

_POLL: Final = 0.02
"""Seconds between two looks whether another process still writes."""

_NEW: Final = ".new"
"""How the name of a file ends that is being written."""

_JOURNAL: Final = "-journal"
"""What SQLite adds to a name for the file that it keeps while it changes another."""

_ABANDONED: Final = 24 * 3600.0
"""Seconds after which no writer is at work on its file any more, whatever its process is."""

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

_UNSEEN: Final = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
"""For a file that nobody sees before it is done: it has no journal, which a process that is killed would leave."""


def index_path(folder: str) -> str:
    """Return where the index of this environment lies in a cache folder: one for each environment, Python and version of ours."""
    from binascii import crc32

    from fcregistry._version import __version__

    environment = f"{sys.prefix}\0{sys.hexversion}\0{sys.flags.optimize}\0{__version__}"
    return f"{folder}/index-{FORMAT}-{sys.implementation.cache_tag}-{crc32(environment.encode('utf-8', 'replace')):08x}.sqlite"


class IndexFile:
    """The file that descriptions are kept in.

    Args:
        path: Where it lies, or is to lie.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def stamp(self) -> tuple[int, int] | None:
        """Return what tells one file from the next that takes its place, or None where there is none of ours.

        What is no file is not waited for, as one would for a pipe.
        A file, or a folder, that somebody else may write to is not read: its word would be taken for that of the plugins.
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
            sqlite3.Error: There is none, or it is damaged.
        """
        import sqlite3  # not needed where nothing is installed

        path = self.path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        uri = f"file:{path}?mode=ro&immutable=1"
        return sqlite3.connect(uri, uri=True, check_same_thread=False, factory=_reader())

    def discard(self, stamp: tuple[int, int] | None) -> None:
        """Remove the file, which turned out to be damaged, unless another has taken its place; who cannot, does without it."""
        with suppress(OSError):
            if stamp is not None and self.stamp() == stamp:
                os.remove(self.path)

    def change(self, write: Callable[[sqlite3.Connection], None]) -> None:
        """Write a file in its place, made from the newest.

        Args:
            write: Changes the new one.

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
        """Remove what writers that were killed have left aside; only who holds the lock does that.

        A writer that waited for the lock for too long writes without it: while its process is there, its file is left. Of another
        environment's index, whose lock is not held, only what is old is removed.
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
            made.executescript(_UNSEEN)
            _make_tables(made)

    @staticmethod
    def _write(aside: str, write: Callable[[sqlite3.Connection], None]) -> None:
        import sqlite3

        with _closing(sqlite3.connect(aside)) as connection:
            connection.executescript(_UNSEEN)
            with connection:
                write(connection)

    def in_memory(self, newest: sqlite3.Connection | None) -> sqlite3.Connection:
        """Return an index that this process alone has, with what the newest says: where none can be written."""
        import sqlite3

        made = sqlite3.connect(":memory:", check_same_thread=False, factory=_reader())
        if newest is None:
            _make_tables(made)
        else:
            newest.backup(made)
        return made

    @contextmanager
    def locked(self, seconds: float) -> Iterator[bool]:
        """Keep other processes from writing meanwhile, and yield whether that was possible; forks of this one wait.

        After that many seconds, or where nothing can be written, go on all the same.
        """
        from time import monotonic, sleep  # there is something to write

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
            sleep(_POLL)  # without the lock: other threads may search, and fork

    def _lock(self) -> tuple[sqlite3.Connection | None, bool]:
        """Return a connection that keeps other processes from writing, or None; and whether another process has one."""
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
    """Return a type of connections that are closed with their last reader: nobody knows before which of several threads that is."""
    import sqlite3

    class Reader(sqlite3.Connection):
        def __del__(self) -> None:
            with sqlite_lock, suppress(sqlite3.Error):  # it was never open
                self.close()

    return Reader


def _has_ended(writer: str) -> bool:
    """Tell whether the process of a writer, `PID-THREAD`, is known not to be there."""
    process = writer.partition("-")[0]
    if os.name != "posix" or not (process.isascii() and process.isdecimal()):  # elsewhere, signal 0 would end it
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # it is somebody else's
        return False
    return False


def _is_abandoned(path: str) -> bool:
    from time import time

    return time() - os.stat(path).st_mtime > _ABANDONED


def _is_ours(status: os.stat_result) -> bool:
    """Tell whether nobody but this user, and the administrator, may write to a file or folder."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid in (os.getuid(), 0) and not status.st_mode & 0o022


def _make_tables(connection: sqlite3.Connection) -> None:
    from fcregistry._tools.search import create

    connection.executescript(_TABLES)
    try:
        create(connection)
    except MissingDependencyError:  # whoever searches is told
        return


@contextmanager
def _closing(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    try:
        yield connection
    finally:
        connection.close()
