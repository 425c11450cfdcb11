"""The index: descriptions of installed plugins, so that their tools are known without importing them.

A description holds while everything it was made from is as it was (`_fingerprint.py`). The file that keeps them (`_index_store.py`) may be
replaced by other processes at any time, and may be damaged: then it is removed, and the plugins are described again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.forks import sqlite_lock
from fcregistry._tools.indexed import Described
from fcregistry.discovery._finder import Places, find_entry_points, scan_path
from fcregistry.discovery._fingerprint import FAILED, WRONG, changed, surroundings
from fcregistry.discovery._found import FoundEntryPoint, FoundExtension, FoundPlugin, PluginKey
from fcregistry.discovery._index_store import (
    LINES,
    Line,
    Stored,
    forget_description,
    lines_of,
    place_of,
    stored_in,
    write_descriptions,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Iterator

    from fcregistry._tools.record import ToolRecord
    from fcregistry._tools.tool import Tool
    from fcregistry.discovery._describe import FreshDescription
    from fcregistry.discovery._index_store import IndexFile

_TOOLS = "SELECT id, plugin, name, grp, summary, options, flags FROM tools"
_BROKEN = "SELECT plugin, name, grp FROM tools WHERE flags & 1"
_NAMED = (  # two queries, so that each uses an index of the table: completion has to be quick
    "SELECT plugin, name, grp, options FROM tools WHERE flags & 1 = 0 AND grp = 'tool' AND name GLOB ? UNION ALL "
    "SELECT plugin, name, grp, options FROM tools WHERE flags & 1 = 0 AND grp <> 'tool' AND grp || '.' || name GLOB ?"
)

_ENDS_PROCESSES: Final = ("watching", "waiting")
"""The values of `Description.by` for plugins that ended the process that imported them, or took too long."""


class Index:
    """The descriptions of a process's plugins that hold.

    Args:
        file: The file that keeps them.
        exact: Whether to use only descriptions whose makers know which files they were made from, as commands do.

    Attributes:
        remarks: The problems with the file, a sentence each; none of them hides a tool.
        renew: Describes all plugins again that were described; called if the file turns out to be damaged after a part of it was read.
        is_outdated: Whether the installed entry points differ from those in the file, so that their metadata were read again.
    """

    def __init__(self, file: IndexFile, *, exact: bool = False) -> None:
        self.remarks: list[str] = []
        self.renew: Callable[[], None] = lambda: None
        self.is_outdated = False
        self._file = file
        self._exact = exact
        self._connection: sqlite3.Connection | None = None
        self._stamp: tuple[int, int] | None = None
        self._places: Places = {}
        self._extensions: tuple[FoundExtension, ...] = ()
        self._held = Held({}, None)
        self._own: set[Any] = (
            set()
        )  # plugins that were described for this process: these descriptions hold for it whatever changes

    # --- Which descriptions hold ---

    def look(self) -> tuple[FoundEntryPoint, ...]:
        """Find out what is installed, and which descriptions hold.

        Returns:
            Every entry point of fcregistry's groups, sorted by distribution and name.
        """
        stored = self._read()
        self._places = scan_path(stored.places)
        self.is_outdated = any(
            each.found and each is not stored.places.get(path) for path, each in self._places.items()
        )
        found = find_entry_points(self._places)
        self._extensions = tuple(each for each in found if isinstance(each, FoundExtension))
        self._hold(self._holding(found, stored) if stored.found else {})
        return found

    def _holding(self, found: Iterable[FoundEntryPoint], stored: Stored) -> dict[int, Description]:
        usual, after_failure = surroundings(self._extensions), None
        different = changed(stored.files)
        holding: dict[int, Description] = {}
        for each in found:
            cached = each.cached or stored.rows.get(place_of(each))
            if cached is None or not isinstance(each, FoundPlugin):
                continue
            row, by, around, files, state = cached
            failed = state & FAILED
            if self._own and place_of(each) in self._own:
                holding[row] = Description(row, each, by or "worker", bool(failed), self)
            if not by:
                continue
            if state and after_failure is None:
                after_failure = surroundings(self._extensions, self._places)
            is_same = around == (after_failure if state else usual)
            if not is_same or (by == "program" if self._exact else failed and by not in _ENDS_PROCESSES):
                continue  # a program itself tries a plugin that failed in another environment, unless that ends processes
            if not different or different.isdisjoint(map(int, filter(None, files.split(",")))):
                holding[row] = Description(row, each, by, bool(failed), self)
        return holding

    def _hold(self, descriptions: dict[int, Description]) -> None:
        self._held = Held(descriptions, self._connection)

    def descriptions(self) -> dict[PluginKey, Description]:
        """Return the descriptions that hold, by plugin."""
        return self._held.by_key

    def description(self, key: PluginKey) -> Description | None:
        """Return the description of a plugin, if there is one that holds."""
        return self._held.by_key.get(key)

    def was_wrong(self, plugin: FoundPlugin) -> bool:
        """Return whether the last description of a plugin, as it is now, turned out to be wrong."""
        return plugin.cached is not None and plugin.cached[2] == WRONG

    def knows_failure(self, plugin: FoundPlugin) -> bool:
        """Return whether the file says that a plugin, as it is now, did not load."""
        return plugin.cached is not None and bool(plugin.cached[1]) and bool(plugin.cached[4] & FAILED)

    def failed(self) -> set[PluginKey]:
        """Return the plugins that are known not to load."""
        return {key for key, each in self._held.by_key.items() if each.failed}

    def about(self, row: int) -> dict[str, Any]:
        """Return the `PluginRecord` of a plugin, without its tools."""
        for (text,) in self._select(self._held.connection, "SELECT about FROM entry_points WHERE id = ?", row):
            about: dict[str, Any] = json.loads(text)
            return about
        return {"failure": "the index is damaged", "advice": "run the command again", "detail": "", "seconds": 0.0}

    # --- Described tools ---

    def described(self, name: str | None = None) -> Iterator[tuple[Described, FoundPlugin]]:
        """Yield the described tools and their plugins: of that name, or all, sorted by plugin."""
        held = self._held
        if held.everything is None and name is not None:
            return self._tools(f"{_TOOLS} WHERE name = ? ORDER BY id", name)
        if held.everything is None:
            held.everything = tuple(self._tools(f"{_TOOLS} ORDER BY id"))
        everything = held.everything
        return iter(everything) if name is None else (each for each in everything if each[0].name == name)

    def aliased(self, name: str) -> Iterator[tuple[Described, FoundPlugin]]:
        """Yield the described tools that have that alias, with their plugins."""
        for each in self._tools(f"{_TOOLS} WHERE instr(options, '\"aliases\"') ORDER BY id"):
            if name in each[0].options.get("aliases", ()):
                yield each

    def _tools(self, query: str, *values: object) -> Iterator[tuple[Described, FoundPlugin]]:
        held, found = self._ask(query, *values)
        rows, descriptions = held.rows, held.descriptions
        for number, plugin, *rest in found:
            description = descriptions.get(plugin)
            if description is None:
                continue
            made = rows.get(number)
            if made is None:
                shipper = description.plugin
                made = rows.setdefault(number, (Described(shipper.key, number, *rest), shipper))
            yield made

    def handed_out(self) -> tuple[tuple[Described, FoundPlugin], ...]:
        """Return the described tools that callers have got so far, with their plugins."""
        return tuple(self._held.rows.values())

    def ranked(self, words: str, others: Iterable[Tool]) -> Iterator[Tool | tuple[Described, FoundPlugin]]:
        """Yield the tools that some words match, best first: of the described tools, and of others.

        Raises:
            MissingDependencyError: This SQLite cannot search.
        """
        import sqlite3  # imported already: the index is open

        from fcregistry._tools.search import rank_with_index, search_tools

        tools = tuple(others)
        for _ in range(2):  # see `lines`
            connection = self._held.connection
            if connection is None:
                break
            try:
                everything = rank_with_index(connection, tools, words)
            except sqlite3.Error as error:  # and not an exception of one of the other tools
                self._make_anew(error)
            else:
                for found in everything:
                    yield from self._tools(f"{_TOOLS} WHERE id = ?", found) if isinstance(found, int) else (found,)
                return
        yield from search_tools(tools, words, len(tools))

    def record(self, described: Described) -> ToolRecord | None:
        """Return the record of a described tool; None if the index has none any more."""
        if (record := self._record(described)) is not None:
            return record
        # Perhaps in another row of the file that replaced the one that the tool was read from
        for other, _ in self.described(described.name):
            if (other.plugin, other.group) == (described.plugin, described.group):
                return self._record(other)
        return None

    def _record(self, described: Described) -> ToolRecord | None:
        """Return the record in the row of a tool, if that is still this tool's."""
        _, found = self._ask(
            "SELECT name, grp, distribution, entry_point, record FROM tools JOIN records ON records.id = tools.id "
            "JOIN entry_points ON entry_points.id = tools.plugin WHERE tools.id = ?",
            described.row,
        )
        for name, group, *plugin, text in found:
            if (name, group, tuple(plugin)) != (described.name, described.group, described.plugin):
                return None
            try:
                record: ToolRecord = json.loads(text)
            except ValueError as error:
                self._make_anew(error)
            else:
                return record
        return None

    # --- Rows for lists, of which no object is made ---

    def lines(self) -> list[Line]:
        """Return the lines of the described tools that can be defined, in the order of `registry.find`."""
        for _ in range(2):  # once more, if the file had to be made anew
            held, found = self._ask(LINES)
            try:
                return lines_of(found[0], held.plugins()) if found else []
            except ValueError as error:  # the columns are not of one length
                self._make_anew(error)
        return []

    def texts(self) -> list[tuple[Line, str]]:
        """Return the same lines, each with the tool's record (as text)."""
        for _ in range(2):  # see `lines`
            lines, held = self.lines(), self._held
            now, found = self._ask("SELECT CAST(id AS TEXT), record FROM records")
            records = dict(found)
            try:
                if now is held:
                    return [(line, records[line[0]]) for line in lines]
            except KeyError as error:  # a tool has no record
                self._make_anew(error)
        return []

    def broken(self) -> list[tuple[FoundPlugin, str, str]]:
        """Return plugin, name and group of each described tool that cannot be defined."""
        return self._rows(_BROKEN)

    def named(self, beginning: str) -> list[tuple[FoundPlugin, str, str, str]]:
        """Return plugin, name, group and options (as text) of each tool with that beginning of its name.

        A name is compared with its group, unless that is the default group.
        """
        pattern = "".join(f"[{each}]" if each in "[*?" else each for each in beginning) + "*"
        return self._rows(_NAMED, pattern, pattern)

    def _rows(self, query: str, *values: object) -> list[Any]:
        held, found = self._ask(query, *values)
        plugins = held.plugins()
        return [(plugins[row], *rest) for row, *rest in found if row in plugins]

    # --- Writing ---

    def keep(self, made: Collection[FreshDescription]) -> None:
        """Keep descriptions for this process and, if the file can be written, for all that follow."""
        import sqlite3

        def change(connection: sqlite3.Connection) -> None:
            write_descriptions(connection, self._places, self._extensions, made)

        self.is_outdated = False
        self._own.update(place_of(each.plugin) for each in made)
        try:
            self._file.change(change)
        except (OSError, sqlite3.Error) as error:
            self.remarks.append(f"the index {self._file.path} cannot be written: {error}")
            with sqlite_lock:
                self._connection = self._file.in_memory(self._connection)
                with self._connection:
                    change(self._connection)
            self._stamp = self._file.stamp()

    def forget(self, plugin: FoundPlugin) -> None:
        """Discard the description of a plugin, here and, if the file can be written, for all others."""
        import sqlite3

        self._own.discard(place_of(plugin))
        try:
            self._file.change(lambda connection: forget_description(connection, place_of(plugin)))
        except (OSError, sqlite3.Error) as error:
            self.remarks.append(f"the index {self._file.path} cannot be written: {error}")
        self._hold({row: each for row, each in self._held.descriptions.items() if each.plugin != plugin})

    # --- Reading the file, which may be damaged ---

    def _read(self) -> Stored:
        self._open()
        if self._connection is None:
            return Stored({}, {}, [])
        try:
            with sqlite_lock:
                return stored_in(self._connection)
        except Exception as error:  # sqlite3.Error, and what the text and numbers of a damaged file raise  # noqa: BLE001
            self._give_up(error)
            return Stored({}, {}, [])

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

    def _ask(self, query: str, *values: object) -> tuple[Held, list[Any]]:
        """Return the descriptions that hold, and rows of their file.

        If the file is damaged, the rows are those of the file that is made in its place.
        """
        held, known = self._held, len(self.remarks)
        found = self._select(held.connection, query, *values)
        if len(self.remarks) > known:
            self.renew()
            held = self._held
            found = self._select(held.connection, query, *values)
        return held, found

    def _select(self, connection: sqlite3.Connection | None, query: str, *values: object) -> list[Any]:
        if connection is None:
            return []
        try:
            with sqlite_lock:  # many builds of SQLite also allow only one thread at a time
                return connection.execute(query, values).fetchall()
        except Exception as error:  # sqlite3.Error, and text that cannot be decoded  # noqa: BLE001
            self._give_up(error)
            return []

    def _make_anew(self, error: Exception) -> None:
        """Remove the file, which turned out to be damaged, and have the plugins described again."""
        self._give_up(error)
        self.renew()

    def _give_up(self, error: Exception) -> None:
        self.remarks.append(f"the index {self._file.path} cannot be read, and is made anew: {error}")
        self._file.discard(self._stamp)
        self._connection = self._stamp = None
        self._hold({})


class Description:
    """A description of a plugin that holds.

    It is immutable by convention, and made for each plugin at every start.

    Attributes:
        row: The plugin's row in the index.
        plugin: The plugin.
        by: The maker: a `worker` process, the `program` that imported the plugin, or the plugin's own `manifest`. If importing it ended the
            process, the process that was `watching`; if it took too long, the one that was `waiting`.
        failed: Whether the plugin does not load.
        source: The index.
    """

    __slots__ = ("by", "failed", "plugin", "row", "source")

    def __init__(self, row: int, plugin: FoundPlugin, by: str, failed: bool, source: Index) -> None:
        self.row = row
        self.plugin = plugin
        self.by = by
        self.failed = failed
        self.source = source

    @property
    def record(self) -> dict[str, Any]:
        """The `PluginRecord`, without its tools."""
        return self.source.about(self.row)


class Held:
    """The descriptions that hold since the last look, and the tools that were made of them.

    They are one object, since several threads may look at once.

    Attributes:
        descriptions: By row.
        connection: The file that has these rows.
        by_key: By plugin.
        rows: The tools that were made, by row.
        everything: All tools, once a caller has asked for them.
    """

    __slots__ = ("by_key", "connection", "descriptions", "everything", "rows")

    def __init__(self, descriptions: dict[int, Description], connection: sqlite3.Connection | None) -> None:
        self.descriptions = descriptions
        self.connection = connection
        self.by_key = {each.plugin.key: each for each in descriptions.values()}
        self.rows: dict[int, tuple[Described, FoundPlugin]] = {}
        self.everything: tuple[tuple[Described, FoundPlugin], ...] | None = None

    def plugins(self) -> dict[int, FoundPlugin]:
        """Return the plugins that load, by row."""
        return {row: each.plugin for row, each in self.descriptions.items() if not each.failed}
