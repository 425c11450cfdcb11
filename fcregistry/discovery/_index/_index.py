"""What do the descriptions say that hold, and how do new ones come to be kept?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fcregistry._base.forks import sqlite_lock
from fcregistry._tools.indexed import Described
from fcregistry.discovery._index._held import Held
from fcregistry.discovery._index._holding import Holding
from fcregistry.discovery._index._lines import LINES, Line, lines_of
from fcregistry.discovery._index._stored import place_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator

    from fcregistry._tools.record import ToolRecord
    from fcregistry._tools.tool import Tool
    from fcregistry.discovery._found import FoundPlugin
    from fcregistry.discovery._index._made import Made

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

        from fcregistry._tools.search import ranked_with, search_tools

        tools = tuple(others)
        for _ in range(2):  # see `lines`
            connection = self._held.connection
            if connection is None:
                break
            try:
                everything = ranked_with(connection, tools, words)
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

    def keep(self, made: Collection[Made]) -> None:
        """Keep descriptions, for this process and, where the file can be written, for all that follow."""
        import sqlite3

        from fcregistry.discovery._index._writing import write

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

        from fcregistry.discovery._index._writing import forget

        self._own.discard(place_of(plugin))
        try:
            self._file.change(lambda connection: forget(connection, place_of(plugin)))
        except (OSError, sqlite3.Error) as error:
            self.remarks.append(f"the index {self._file.path} cannot be written: {error}")
        self._take({row: each for row, each in self._held.descriptions.items() if each.plugin != plugin})
