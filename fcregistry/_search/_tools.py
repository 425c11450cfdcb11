"""Which of some tools have to do with some words? The ranking of the table, over tools in memory."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from fcregistry._base.forks import after_fork, sqlite_lock
from fcregistry._declarations import DEFAULT_GROUP
from fcregistry._search._ranking import INSERT, create, ranked, text_fields
from fcregistry.errors import MissingDependencyError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from fcregistry._records import ToolRecord
    from fcregistry._tool import Tool


def fields_of_record(record: ToolRecord, distribution: str = "") -> tuple[str, str, str]:
    """Return what the table holds of a tool that is known by its record.

    Args:
        record: The tool.
        distribution: The distribution that ships it.
    """
    options = record["options"]
    return text_fields(
        record["name"],
        record["description"],
        record["parameters"],
        group="" if record["group"] == DEFAULT_GROUP else record["group"],
        more=(options.get("title") or "", *options.get("aliases", ()), *options.get("tags", ()), distribution),
    )


def fields_of_tool(tool: Tool) -> tuple[str, str, str]:
    """Return what the table holds of a tool."""
    options = tool.options
    return text_fields(
        tool.declared_name if tool.name == tool.declared_name else f"{tool.name} {tool.declared_name}",
        tool.description,
        tool.parameters,
        group="" if tool.group == DEFAULT_GROUP else tool.group,
        more=(options.title or "", *options.aliases, *options.tags, tool.origin.distribution or ""),
    )


class ToolSearch:
    """Finds tools by words; what they are made of is read at the first search, and kept. Threads may share it.

    Args:
        tools: The tools; what cannot be defined is passed over.
    """

    __slots__ = ("__weakref__", "_table", "_tools")

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = tuple(tools)
        self._table: sqlite3.Connection | None = None
        after_fork(self, ToolSearch._forget)

    def _forget(self) -> None:
        self._table = None  # SQLite says not to use a connection in a forked process

    def best(self, words: str, limit: int) -> tuple[Tool, ...]:
        """Return the tools that have to do with words, best first; equal ones by canonical id. None whose environment is not set.

        Args:
            words: Any text.
            limit: How many tools at most.

        Raises:
            MissingDependencyError: This Python's SQLite was built without FTS5.
        """
        self._fill()
        with sqlite_lock:
            assert self._table is not None
            found = (self._tools[row] for row, _ in ranked(self._table, words))
            return tuple(islice((tool for tool in found if not tool.missing_env), limit))

    def _fill(self) -> None:
        """Make the table, unless that was done; foreign code may describe the tools, so no lock is held meanwhile."""
        if self._table is not None:
            return
        from weakref import finalize

        try:
            import sqlite3  # 3 ms, which only a search needs
        except ImportError as error:
            raise MissingDependencyError(
                "tools cannot be searched here: this Python was built without SQLite; use one that has it"
            ) from error
        rows = list(self._rows())
        with sqlite_lock:
            table = sqlite3.connect(":memory:", check_same_thread=False)
            finalize(self, _close, table)  # Python 3.13 warns of one that is left open
            create(table)
            table.executemany(INSERT, rows)
            self._table = table  # in place of the same, if another thread has made it meanwhile

    def _rows(self) -> Iterator[tuple[int, str, str, str, str]]:
        for row, tool in enumerate(self._tools):
            if tool.definition_error is None:
                yield (row, tool.id, *fields_of_tool(tool))


def _close(table: sqlite3.Connection) -> None:
    with sqlite_lock:
        table.close()


def search_tools(tools: Iterable[Tool], words: str, limit: int = 10) -> tuple[Tool, ...]:
    """Return those of some tools that have to do with words, best first; see `ToolSearch.best`."""
    return ToolSearch(tools).best(words, limit)


def ranked_with(index: sqlite3.Connection, others: Iterable[Tool], words: str) -> list[int | Tool]:
    """Return what has to do with words, best first: the row ids of tools that an index holds, and tools that it does not hold.

    Where there are such tools, they are ranked in a copy of the index in memory, since BM25 compares only what stands in one table.

    Args:
        index: A connection to the index.
        others: The tools that it does not hold: the application's own, and those of plugins that change with the environment.
        words: Any text.
    """
    added = [tool for tool in others if tool.definition_error is None]
    if not added:
        with sqlite_lock:
            return [row for row, _ in ranked(index, words)]
    import sqlite3  # there already: somebody opened the index

    # Before the lock is taken: foreign code may describe the tools
    rows = [(-1 - place, tool.id, *fields_of_tool(tool)) for place, tool in enumerate(added)]
    with sqlite_lock:
        both = sqlite3.connect(":memory:")
        try:
            index.commit()  # a backup would wait for ever for what this connection has begun
            index.backup(both)
            both.executemany(INSERT, rows)
            return [row if row >= 0 else added[-1 - row] for row, _ in ranked(both, words)]
        finally:
            both.close()
