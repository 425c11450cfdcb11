"""How is the file of an index read, which others may replace at any time, and what is done where it is damaged?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry._base.forks import sqlite_lock

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from fcregistry.discovery._index._file import IndexFile


class Reading:
    """The file of an index, as one process reads it.

    Args:
        file: Where the descriptions are kept.

    Attributes:
        remarks: What went wrong with the file, a sentence each: none of it keeps anybody from their tools.
        renew: Has everything described anew that was, where the file turns out to be damaged after some of it was read.
    """

    def __init__(self, file: IndexFile) -> None:
        self._file = file
        self.remarks: list[str] = []
        self.renew: Callable[[], None] = lambda: None
        self._connection: sqlite3.Connection | None = None
        self._stamp: tuple[int, int] | None = None

    def _open(self) -> None:
        stamp = self._file.stamp()
        if stamp is None or stamp == self._stamp:
            return
        try:
            with sqlite_lock:
                self._connection = self._file.open()
        except Exception as error:  # sqlite3.Error, whatever the file is  # noqa: BLE001
            self._give_up(error)
        else:
            self._stamp = stamp

    def _give_up(self, error: Exception) -> None:
        self.remarks.append(f"the index {self._file.path} cannot be read, and is made anew: {error}")
        self._file.discard(self._stamp)
        self._connection = self._stamp = None
        self._nothing_holds()

    def _nothing_holds(self) -> None:
        """Forget what was read of the file, which turned out to be damaged."""

    def _select(self, connection: sqlite3.Connection | None, query: str, *values: object) -> list[Any]:
        if connection is None:
            return []
        try:
            with sqlite_lock:  # also since many builds of SQLite take one thread at a time
                return connection.execute(query, values).fetchall()
        except Exception as error:  # sqlite3.Error, and text that is none  # noqa: BLE001
            self._give_up(error)
            return []
