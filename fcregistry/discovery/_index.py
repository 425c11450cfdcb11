"""What is known of installed plugins' tools without importing them?

Split by question: `_made.py` says what a description is, `_file.py` keeps descriptions in a file (`_writing.py` writes it, `_stored.py` reads it,
`_rows.py` is what stands there of a tool), `_index.py` tells what of that still holds here and now, `_fingerprint.py` what a description was made
from. `_building.py` has plugins described by processes of their own (`_process.py`, and `_worker.py` inside), which watch what an import reads
(`_tracking.py`) and changes (`_changes.py`); `_describing.py` is the description itself, also of what a program has imported.

MERGED: How is the file of an index read, which others may replace at any time, and what is done where it is damaged?
MERGED: Which descriptions of installed plugins hold, here and now?
MERGED: What do the descriptions say that hold, and how do new ones come to be kept?
MERGED: What is known of a plugin without importing it, and of all plugins since somebody looked?
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fcregistry._base.forks import sqlite_lock
from fcregistry._tools.indexed import Described
from fcregistry.discovery._finder import Places, find_entry_points, scan_path
from fcregistry.discovery._fingerprint import FAILED, WRONG, changed, surroundings
from fcregistry.discovery._found import FoundEntryPoint, FoundExtension, FoundPlugin, PluginKey
from fcregistry.discovery._index_store import LINES, Line, Stored, lines_of, place_of, stored_in

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Iterator

    from fcregistry._tools.record import ToolRecord
    from fcregistry._tools.tool import Tool
    from fcregistry.discovery._describe import FreshDescription
    from fcregistry.discovery._index_store import IndexFile

# --- discovery._index._reading ---


class IndexReader:
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


# --- discovery._index._holding ---

_NOT_TO_TRY = ("watching", "waiting")
"""Who described a plugin that a program better does not import for the sake of another's name."""


class Holding(IndexReader):
    """The descriptions of a process's plugins, as far as they hold.

    Args:
        file: Where they are kept.
        exact: Whether only those count whose makers know which files they were made from: what a command believes.

    Attributes:
        is_outdated: Whether the file says something else of what is installed than there is, so that all of that was read anew.
    """

    def __init__(self, file: IndexFile, *, exact: bool = False) -> None:
        super().__init__(file)
        self._exact = exact
        self.is_outdated = False
        self._places: Places = {}
        self._extensions: tuple[FoundExtension, ...] = ()
        self._held = Held({}, None)
        self._own: set[Any] = set()  # what was described for this very process, and holds for it whatever changes

    def look(self) -> tuple[FoundEntryPoint, ...]:
        """Find out what is installed, and which descriptions hold.

        Returns:
            Every entry point of ours, sorted by distribution and name.
        """
        stored = self._read()
        self._places = scan_path(stored.places)
        self.is_outdated = any(
            each.found and each is not stored.places.get(path) for path, each in self._places.items()
        )
        found = find_entry_points(self._places)
        self._extensions = tuple(each for each in found if isinstance(each, FoundExtension))
        self._take(self._holding(found, stored) if stored.found else {})
        return found

    def _take(self, descriptions: dict[int, Description]) -> None:
        self._held = Held(descriptions, self._connection)

    def descriptions(self) -> dict[PluginKey, Description]:
        """Return the descriptions that hold, by plugin."""
        return self._held.by_key

    def description(self, key: PluginKey) -> Description | None:
        """Return the description of a plugin, if there is one that holds."""
        return self._held.by_key.get(key)

    def was_wrong(self, plugin: FoundPlugin) -> bool:
        """Tell whether what was described of a plugin last, as it is now, turned out to be something else."""
        return plugin.kept is not None and plugin.kept[2] == WRONG

    def knows_failure(self, plugin: FoundPlugin) -> bool:
        """Tell whether it is written down that a plugin, as it is now, did not load."""
        return plugin.kept is not None and bool(plugin.kept[1]) and bool(plugin.kept[4] & FAILED)

    def failed(self) -> set[PluginKey]:
        """Return the plugins that are known not to load."""
        return {key for key, each in self._held.by_key.items() if each.failed}

    def _read(self) -> Stored:
        self._open()
        if self._connection is None:
            return Stored({}, {}, [])
        try:
            with sqlite_lock:
                return stored_in(self._connection)
        except Exception as error:  # sqlite3.Error, and whatever a damaged file makes of text and numbers  # noqa: BLE001
            self._give_up(error)
            return Stored({}, {}, [])

    def _holding(self, found: Iterable[FoundEntryPoint], stored: Stored) -> dict[int, Description]:
        usual, after_failure = surroundings(self._extensions), None
        different = changed(stored.files)
        holding: dict[int, Description] = {}
        for each in found:
            kept = each.kept or stored.rows.get(place_of(each))
            if kept is None or not isinstance(each, FoundPlugin):
                continue
            row, by, around, files, state = kept
            failed = state & FAILED
            if self._own and place_of(each) in self._own:
                holding[row] = Description(row, each, by or "worker", bool(failed), self)
            if not by:
                continue
            if state and after_failure is None:
                after_failure = surroundings(self._extensions, self._places)
            is_same = around == (after_failure if state else usual)
            if not is_same or (by == "program" if self._exact else failed and by not in _NOT_TO_TRY):
                continue  # a program can try by itself what failed in another environment, but for what ends processes
            if not different or different.isdisjoint(map(int, filter(None, files.split(",")))):
                holding[row] = Description(row, each, by, bool(failed), self)
        return holding

    def about(self, row: int) -> dict[str, Any]:
        """Return what `PluginRecord` says of a plugin, its tools apart."""
        for (text,) in self._select(self._held.connection, "SELECT about FROM entry_points WHERE id = ?", row):
            about: dict[str, Any] = json.loads(text)
            return about
        return {"failure": "the index is damaged", "advice": "run the command again", "detail": "", "seconds": 0.0}

    def _nothing_holds(self) -> None:
        self._take({})


# --- discovery._index._index ---

_TOOLS = "SELECT id, plugin, name, grp, summary, options, flags FROM tools"

_BROKEN = "SELECT plugin, name, grp FROM tools WHERE flags & 1"
_NAMED = (  # by an index each: somebody waits for a name to be completed
    "SELECT plugin, name, grp, options FROM tools WHERE flags & 1 = 0 AND grp = 'tool' AND name GLOB ? UNION ALL "
    "SELECT plugin, name, grp, options FROM tools WHERE flags & 1 = 0 AND grp <> 'tool' AND grp || '.' || name GLOB ?"
)


class Index(Holding):
    """The descriptions of a process's plugins; see `Holding`."""

    def _ask(self, query: str, *values: object) -> tuple[Held, list[Any]]:
        """Return rows of the file, and what holds of them; where it is damaged, of the one that is made in its place."""
        held, told = self._held, len(self.remarks)
        found = self._select(held.connection, query, *values)
        if len(self.remarks) > told:
            self.renew()
            held = self._held
            found = self._select(held.connection, query, *values)
        return held, found

    def _make_anew(self, error: Exception) -> None:
        """Have the file made anew, which turned out to be damaged."""
        self._give_up(error)
        self.renew()

    def described(self, name: str | None = None) -> Iterator[tuple[Described, FoundPlugin]]:
        """Yield the described tools and their plugins: of that name, or all, sorted by plugin."""
        held = self._held
        if held.everything is None and name is not None:
            return self._made(f"{_TOOLS} WHERE name = ? ORDER BY id", name)
        if held.everything is None:
            held.everything = tuple(self._made(f"{_TOOLS} ORDER BY id"))
        everything = held.everything
        return iter(everything) if name is None else (each for each in everything if each[0].name == name)

    def aliased(self, name: str) -> Iterator[tuple[Described, FoundPlugin]]:
        """Yield the described tools that have that alias, with their plugins."""
        for each in self._made(f"{_TOOLS} WHERE instr(options, '\"aliases\"') ORDER BY id"):
            if name in each[0].options.get("aliases", ()):
                yield each

    def _made(self, query: str, *values: object) -> Iterator[tuple[Described, FoundPlugin]]:
        held, found = self._ask(query, *values)
        rows, descriptions = held.rows, held.descriptions
        for number, plugin, *rest in found:
            description = descriptions.get(plugin)
            if description is None:
                continue
            made = rows.get(number)
            if made is None:
                ships = description.plugin
                made = rows.setdefault(
                    number, (Described((ships.distribution, ships.entry_point), number, *rest), ships)
                )
            yield made

    def ranked(self, words: str, others: Iterable[Tool]) -> Iterator[Tool | tuple[Described, FoundPlugin]]:
        """Yield what has to do with some words, best first: of the described tools, and of others.

        Raises:
            MissingDependencyError: This SQLite cannot search.
        """
        import sqlite3  # there already: the index is open

        from fcregistry._tools.search import rank_with_index, search_tools

        tools = tuple(others)
        for _ in range(2):  # see `lines`
            connection = self._held.connection
            if connection is None:
                break
            try:
                everything = rank_with_index(connection, tools, words)
            except sqlite3.Error as error:  # and not what is wrong with one of the others
                self._make_anew(error)
            else:
                for found in everything:
                    yield from self._made(f"{_TOOLS} WHERE id = ?", found) if isinstance(found, int) else (found,)
                return
        yield from search_tools(tools, words, len(tools))

    def lines(self) -> list[Line]:
        """Return the lines of the described tools that can be defined, in the order of `registry.find`; nothing is made of them."""
        for _ in range(2):  # once more, if the file had to be made anew
            held, found = self._ask(LINES)
            try:
                return lines_of(found[0], held.plugins()) if found else []
            except ValueError as error:  # the columns are not of one length
                self._make_anew(error)
        return []

    def broken(self) -> list[tuple[FoundPlugin, str, str]]:
        """Return plugin, name and group of each described tool that cannot be defined."""
        return self._told(_BROKEN)

    def named(self, beginning: str) -> list[tuple[FoundPlugin, str, str, str]]:
        """Return plugin, name, group and options (as text) of each of these whose name, with its group, begins so."""
        pattern = "".join(f"[{each}]" if each in "[*?" else each for each in beginning) + "*"
        return self._told(_NAMED, pattern, pattern)

    def texts(self) -> list[tuple[Line, str]]:
        """Return the lines of these tools, each with the tool's record (as text)."""
        for _ in range(2):  # see `lines`
            lines, held = self.lines(), self._held
            now, found = self._ask("SELECT CAST(id AS TEXT), record FROM records")
            records = dict(found)
            try:
                if now is held:
                    return [(line, records[line[0]]) for line in lines]
            except KeyError as error:  # there is no record of a tool
                self._make_anew(error)
        return []

    def _told(self, query: str, *values: object) -> list[Any]:
        held, found = self._ask(query, *values)
        plugins = held.plugins()
        return [(plugins[row], *rest) for row, *rest in found if row in plugins]

    def handed_out(self) -> tuple[tuple[Described, FoundPlugin], ...]:
        """Return the described tools that somebody has asked for so far, with their plugins."""
        return tuple(self._held.rows.values())

    def record(self, described: Described) -> ToolRecord | None:
        """Return all that is known of a described tool; None where that is nothing any more."""
        if (record := self._record(described)) is not None:
            return record
        # In the file that took the place of the one that it was read from
        for other, _ in self.described(described.name):
            if (other.plugin, other.group) == (described.plugin, described.group):
                return self._record(other)
        return None

    def _record(self, described: Described) -> ToolRecord | None:
        """Return what the file says in the row of a tool, if that is still this tool's."""
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

    # Write

    def keep(self, made: Collection[FreshDescription]) -> None:
        """Keep descriptions, for this process and, where the file can be written, for all that follow."""
        import sqlite3

        from fcregistry.discovery._index_store import write

        def change(connection: sqlite3.Connection) -> None:
            write(connection, self._places, self._extensions, made)

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
        """Have a plugin described anew by whoever looks next."""
        import sqlite3

        from fcregistry.discovery._index_store import forget

        self._own.discard(place_of(plugin))
        try:
            self._file.change(lambda connection: forget(connection, place_of(plugin)))
        except (OSError, sqlite3.Error) as error:
            self.remarks.append(f"the index {self._file.path} cannot be written: {error}")
        self._take({row: each for row, each in self._held.descriptions.items() if each.plugin != plugin})


# --- discovery._index._held ---


class Description:
    """What is known of a plugin without importing it. Immutable by convention, and made for each plugin at every start.

    Attributes:
        row: Where the index keeps it.
        plugin: The plugin.
        by: Who described it: a `worker` process, the `program` that imported it, its own `manifest`; where it ended the process
            that imported it, who was `watching`; where it took too long, who was `waiting`.
        failed: Whether it does not load.
        source: The index.
    """

    __slots__ = ("by", "failed", "plugin", "row", "source")

    def __init__(self, row: int, plugin: FoundPlugin, by: str, failed: bool, source: Holding) -> None:
        self.row = row
        self.plugin = plugin
        self.by = by
        self.failed = failed
        self.source = source

    @property
    def record(self) -> dict[str, Any]:
        """What `PluginRecord` says, its tools apart."""
        return self.source.about(self.row)


class Held:
    """The descriptions that hold since somebody looked, and what was made of them: one object, since threads may look at once.

    Attributes:
        descriptions: By row.
        connection: The file that has these rows.
        by_key: By plugin.
        rows: The tools that were made, by row.
        everything: All tools, once somebody has asked for them.
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
