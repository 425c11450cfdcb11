"""The index: stored descriptions of installed plugins and their tools, for use without an import.

A description is valid until something that it was made from changes (`_fingerprint.py`). The index is a file (`_index_store.py`), which other
processes may replace at any time. If it is damaged, fcregistry removes it and describes the plugins again.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

from fcregistry._base.forks import sqlite_lock
from fcregistry._tools.catalogue import HiddenTool
from fcregistry._tools.described import Described, read_json
from fcregistry._tools.options import missing_variables, not_set_text
from fcregistry.discovery._finder import Places, find_entry_points, projects_left_out, scan_path
from fcregistry.discovery._fingerprint import changed, surroundings
from fcregistry.discovery._found import FoundEntryPoint, FoundExtension, FoundPlugin, PluginKey
from fcregistry.discovery._index_store import (
    IndexFile,
    Stored,
    in_memory,
    lines_in,
    place_of,
    rows_of,
    stored_in,
)
from fcregistry.discovery._index_writing import forget_descriptions, tools_before, write_descriptions
from fcregistry.discovery._permission import Permission
from fcregistry.errors import ConfigurationError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Iterator
    from typing import TypeVar

    from fcregistry._tools.record import PluginRecord, ToolRecord
    from fcregistry._tools.search import ToolSearch
    from fcregistry._tools.tool import Tool
    from fcregistry.discovery._describe import FreshDescription
    from fcregistry.discovery._found import EntryPointRow

    T = TypeVar("T")

ToolLine: TypeAlias = "tuple[str, str, str]"
"""A tool's name with its group, its distribution (empty: the application), and its summary, which says whether the tool is deprecated."""

StoredRow: TypeAlias = "tuple[str, str, str, str, int, str]"
"""A tool's name, group, summary, options, flags and record: the first fields of `IndexRow`, as the file has them."""

_ROWS = "SELECT plugin, name, grp, summary, options, flags, record FROM tools JOIN records ON records.id = tools.id ORDER BY tools.id"
_TOOLS = "SELECT id, plugin, name, grp, summary, options, flags FROM tools"
_TOOLS_KINDS = (int, int, str, str, str, str, int)
_BROKEN = "SELECT plugin, name, grp FROM tools WHERE flags & 1"
_NAMED = (  # two queries, so that each uses an index of the table: completion has to be quick
    "SELECT plugin, name, grp, options FROM tools WHERE flags & 1 = 0 AND name GLOB ? UNION "
    "SELECT plugin, name, grp, options FROM tools WHERE flags & 1 = 0 AND grp <> 'tool' AND grp || '.' || name GLOB ?"
)
_RECORD = (
    "SELECT name, grp, distribution, entry_point, record FROM tools JOIN records ON records.id = tools.id "
    "JOIN plugins ON plugins.id = tools.plugin WHERE tools.id = ?"
)

_ENDS_PROCESSES: Final = ("watching", "waiting")
"""The values of `Description.by` for plugins whose import ended the process, or took too long."""


class Description:
    """A valid description of a plugin, as the index has it.

    Treat it as immutable. Each process makes its own at the start.

    Attributes:
        row: The plugin's row in the index.
        plugin: The plugin.
        by: What made the description: `worker`, a worker process that imported the plugin; `program`, a program that imported it; `manifest`,
            the plugin's own manifest; `watching`, a parent process that saw the import end its worker; or `waiting`, a parent process whose
            worker took too long.
        failed: Whether the plugin does not load.
        index: The index.
    """

    __slots__ = ("by", "failed", "index", "plugin", "row")

    def __init__(self, row: int, plugin: FoundPlugin, by: str, failed: bool, index: Index) -> None:
        self.row = row
        self.plugin = plugin
        self.by = by
        self.failed = failed
        self.index = index

    @property
    def record(self) -> PluginRecord:
        """The record of the plugin's import, such as the failure and the seconds that it took."""
        return self.index.about(self.row)


class _Snapshot(NamedTuple):
    """The descriptions that were valid when `Index.look` was last called, and the tools made from them.

    All are in one object, so that a thread never sees one part from before and another part from after a call of `look`.

    Attributes:
        connection: The connection to the file with these rows.
        by_row: The descriptions by row.
        by_key: The descriptions by plugin.
        tools: The tools made so far, by row, each with its plugin.
    """

    connection: sqlite3.Connection | None
    by_row: dict[int, Description]
    by_key: dict[PluginKey, Description]
    tools: dict[int, tuple[Described, FoundPlugin]]


_NOTHING: Final = _Snapshot(None, {}, {}, {})


class Index:
    """The valid descriptions of the plugins that a process finds.

    Args:
        file: The file with the descriptions; None if the process has no such file, and therefore no descriptions.
        exact: Whether to ignore descriptions that a program made, because a program does not record every file that an import reads.
            Commands do this.
        renew: Describes the plugins again. The index calls it if it finds the file damaged after it has read a part of it.

    Attributes:
        file: The file with the descriptions, or None.
        remarks: The problems with the file, one sentence each. None of them makes a tool unavailable.
        forged: The entry points that only the file has, or only metadata that have not changed since the file was written. Only `look` with
            `anew` finds them.
        is_outdated: Whether the installed entry points differ from those in the file, so that fcregistry read their metadata again.
    """

    def __init__(
        self, file: IndexFile | None, *, exact: bool = False, renew: Callable[[], None] = lambda: None
    ) -> None:
        self.file = file
        self.remarks: list[str] = []
        self.forged: tuple[FoundEntryPoint, ...] = ()
        self.is_outdated: bool = False
        self._exact = exact
        self._renew = renew
        self._connection: sqlite3.Connection | None = None
        self._stamp: tuple[int, int] | None = None
        self._places: Places = {}
        self._extensions: tuple[FoundExtension, ...] = ()
        self._snapshot = _NOTHING
        self._everything: tuple[_Snapshot, tuple[tuple[Described, FoundPlugin], ...]] | None = None
        # Plugins that were described for this process: for it, these descriptions stay valid whatever changes
        self._own: set[Any] = set()
        self._search: tuple[object, ToolSearch] | None = None  # the last one among other tools and the index

    # --- Which descriptions are valid ---

    def look(self, *, anew: bool = False) -> tuple[FoundEntryPoint, ...]:
        """Find out which plugins are installed, and which descriptions are valid.

        Args:
            anew: Whether to read all metadata, also of folders that have not changed since the file was written.

        Returns:
            Every entry point of fcregistry's groups, sorted by distribution and name.
        """
        stored = self._read_stored()
        self._places = scan_path({} if anew else stored.places)
        self.is_outdated = self.file is not None and any(
            each.found and each is not stored.places.get(path) for path, each in self._places.items()
        )
        if anew:
            self.forged = tuple(_altered_entry_points(stored, self._places))
        found = find_entry_points(self._places)
        self._extensions = tuple(each for each in found if isinstance(each, FoundExtension))
        self._use_descriptions(self._valid(found, stored) if stored.found else [])
        return found

    def reread(self) -> Index:
        """Return a new index with the descriptions in the file that a command would find valid now."""
        index = Index(self.file, exact=True)
        index.look()
        return index

    def _read_stored(self) -> Stored:
        """Return the content of the index: of its file, or of the one in memory if that could not be written.

        A new file is opened; if it was removed, the one opened last still counts. The content is empty if there is none, or if it is damaged:
        then the file is removed, as `_discard_damaged` does.
        """
        stamp = None if self.file is None else self.file.stamp()
        try:
            with sqlite_lock:
                if self.file is not None and stamp is not None and stamp != self._stamp:
                    self._connection = self.file.open()
                    self._stamp = stamp
                if self._connection is not None:
                    return stored_in(self._connection)
        except Exception as error:  # sqlite3.Error, and what the text and numbers of a damaged file raise  # noqa: BLE001
            self._stamp = stamp
            self._discard_damaged(error)
        return Stored({}, [], ())

    def _valid(self, found: Iterable[FoundEntryPoint], stored: Stored) -> Iterator[Description]:
        """Yield the valid descriptions of the plugins in `found` that the configuration accepts.

        One that this process has made is always valid; for the others, see `_check`.

        Args:
            found: The installed entry points.
            stored: The content of the file.
        """
        is_valid, own, accepts = self._check(changed(stored.files)), self._own, _acceptance(stored)
        for plugin, cached in _rows_of_plugins(found, stored):
            if own and place_of(plugin) in own:
                description = Description(cached.row, plugin, cached.by or "worker", cached.failed, self)
            elif cached.by and is_valid(cached):
                description = Description(cached.row, plugin, cached.by, cached.failed, self)
            else:
                continue
            if accepts is None or cached.failed or accepts(plugin, cached):
                yield description

    def _check(self, changed_files: set[int]) -> Callable[[EntryPointRow], bool]:
        """Return a function that returns whether the description in a row is valid.

        It is not if the extensions or files that it depends on have changed. An exact index also rejects descriptions that programs made, and
        any other index those of failures, unless the plugin ends or blocks the process.

        Args:
            changed_files: The numbers of the files that have changed since descriptions were made from them.
        """
        usual = surroundings(self._extensions)
        after_failure = cache(lambda: surroundings(self._extensions, self._places))

        def is_valid(cached: EntryPointRow) -> bool:
            _, by, around, files, state = cached
            if around != (after_failure() if state else usual):
                return False
            # A program itself tries a plugin that failed in another environment, unless that ends processes
            if by == "program" if self._exact else cached.failed and by not in _ENDS_PROCESSES:
                return False
            return not changed_files or changed_files.isdisjoint(map(int, files.split()))

        return is_valid

    def _use_descriptions(self, descriptions: Iterable[Description]) -> None:
        """Use `descriptions` as the only valid ones from now on; tools made from earlier ones are forgotten."""
        by_row = {each.row: each for each in descriptions}
        by_key = {each.plugin.key: each for each in by_row.values()}
        self._snapshot = _Snapshot(self._connection, by_row, by_key, {})

    def descriptions(self) -> dict[PluginKey, Description]:
        """Return the valid descriptions by plugin."""
        return self._snapshot.by_key

    def failed(self) -> set[PluginKey]:
        """Return the keys of the plugins whose descriptions say that they do not load."""
        return {key for key, each in self._snapshot.by_key.items() if each.failed}

    def about(self, row: int) -> PluginRecord:
        """Return the record of the import of a plugin; a record of a failure if the file is damaged.

        Args:
            row: The plugin's row.
        """
        from fcregistry._tools.record import plugin_record  # lists do without it

        query = "SELECT about FROM plugins WHERE id = ?"
        damaged = plugin_record(failure="the index is damaged", advice="run the command again")

        def read(_: _Snapshot, connection: sqlite3.Connection) -> PluginRecord:
            record: PluginRecord = read_json(*connection.execute(query, (row,)).fetchone())
            if type(record) is not dict or record.keys() != damaged.keys():
                raise ValueError("the record of a plugin is damaged")
            return record

        return self._ask(read, damaged)[1]

    def projects_left_out(self) -> list[str]:
        """Return the names of the distributions whose metadata name plugins that are not used, sorted."""
        return projects_left_out(self._places)

    def tools_before(self, plugin: PluginKey) -> list[str]:
        """Return the names of the tools that the index has for a plugin, or had before it failed, sorted.

        Args:
            plugin: The plugin; its description need not be valid any more.
        """
        no_names: list[str] = []
        return self._ask(lambda _, connection: tools_before(connection, plugin), no_names)[1]

    # --- Described tools ---

    def described(self, name: str | None = None) -> Iterator[tuple[Described, FoundPlugin]]:
        """Yield the described tools, or those with the name `name`, each with its plugin, sorted by plugin."""
        if self._everything is None or self._everything[0] is not self._snapshot:
            if name is not None:
                return iter(self._tools(f"{_TOOLS} WHERE name = ? ORDER BY id", name))
            everything = tuple(self._tools(f"{_TOOLS} ORDER BY id"))
            self._everything = (self._snapshot, everything)
            return iter(everything)
        return (each for each in self._everything[1] if name is None or each[0].name == name)

    def aliased(self, name: str) -> Iterator[tuple[Described, FoundPlugin]]:
        """Yield the described tools that have an alias, each with its plugin.

        Args:
            name: The alias.
        """
        for each in self._tools(f"{_TOOLS} WHERE instr(options, '\"aliases\"') ORDER BY id"):
            if name in each[0].options.get("aliases", ()):
                yield each

    def _tools(self, query: str, *values: object) -> list[tuple[Described, FoundPlugin]]:
        """Return the described tools that a query finds, each with its plugin; a tool is made once.

        Tools of plugins without a valid description are left out; the result is empty if there is no file.

        Args:
            query: A query for the columns of `_TOOLS`.
            values: The values of its parameters.
        """
        snapshot, found = self._rows(query, values, _TOOLS_KINDS)
        tools, by_row, made = snapshot.tools, snapshot.by_row, []
        for number, row, *rest in found:
            if (description := by_row.get(row)) is not None:
                tool = tools.get(number)
                if tool is None:
                    plugin = description.plugin
                    tool = tools.setdefault(number, (Described(plugin.key, number, *rest), plugin))
                made.append(tool)
        return made

    def made_tools(self) -> tuple[tuple[Described, FoundPlugin], ...]:
        """Return the described tools that this index has made so far, each with its plugin."""
        return tuple(self._snapshot.tools.values())

    def ranked(self, words: str, others: Iterable[Tool]) -> Iterator[Tool | tuple[Described, FoundPlugin]]:
        """Yield the tools that match `words`, best first: described tools, each with its plugin, and `others`.

        Args:
            words: The words to search for.
            others: The tools to search in addition to the described ones.

        Raises:
            MissingDependencyError: The installed SQLite has no full-text search.
        """
        from fcregistry._tools.search import ToolSearch, rank_rows, search_tools

        tools = tuple(others)
        for _ in range(2):  # see `_ask`
            if (connection := self._snapshot.connection) is None:
                break
            import sqlite3  # imported already: the index is open

            try:
                everything: Iterable[int | Tool]
                if tools:
                    asked = (connection, connection.total_changes, tools)
                    search = self._search  # read once: another thread may search among other tools
                    if search is None or search[0] != asked:
                        search = self._search = (asked, ToolSearch(tools, connection))
                    everything = search[1].ranked(words)
                else:
                    with sqlite_lock:
                        everything = [row for row, _ in rank_rows(connection, words)]
            except sqlite3.Error as error:  # and not an exception of one of the other tools
                self._discard_damaged(error)
                self._renew()
            else:
                for found in everything:
                    yield from self._tools(f"{_TOOLS} WHERE id = ?", found) if isinstance(found, int) else (found,)
                return
        yield from search_tools(tools, words, len(tools))

    def record(self, described: Described) -> ToolRecord | None:
        """Return the record of `described`, or None if the index no longer has that tool."""
        if (record := self._record(described, described.row)) is not None:
            return record
        # Perhaps in another row of the file that replaced the one that the tool was read from
        others = (each.row for each, _ in self.described(described.name) if each.group == described.group)
        return next(filter(None, (self._record(described, row) for row in others)), None)

    def _record(self, described: Described, row: int) -> ToolRecord | None:
        """Return the record of `described` from the row `row` of the table of tools.

        The result is None if the row does not exist or is of another tool. If the file is damaged, the new one is read (see `_ask`).
        """

        def read(_: _Snapshot, connection: sqlite3.Connection) -> ToolRecord | None:
            for name, group, *plugin, text in connection.execute(_RECORD, (row,)):
                if (name, group, tuple(plugin)) == (described.name, described.group, described.plugin):
                    return _checked_record(read_json(text))
            return None

        return self._ask(read, None)[1]

    # --- Rows for lists, which need no objects ---

    def lines(self) -> tuple[list[ToolLine], list[HiddenTool]] | None:
        """Return a line for each described tool that can be listed, sorted by name and distribution; and the hidden tools.

        The result is None if two tools have one key, since then at most one of them counts.
        """

        def read(snapshot: _Snapshot, connection: sqlite3.Connection) -> tuple[list[ToolLine], list[HiddenTool]] | None:
            are_apart, lines = lines_in(connection)
            plugins, hidden = _loading(snapshot), list[HiddenTool]()
            found = [  # one pass: there may be thousands
                (name, plugins[row].distribution, summary)
                for _, row, name, summary, variables in lines
                if row in plugins and not (variables and _lacks(variables, name, hidden))
            ]
            return (found, hidden) if are_apart else None

        no_lines: tuple[list[ToolLine], list[HiddenTool]] | None = ([], [])
        return self._ask(read, no_lines)[1]

    def texts(self) -> tuple[list[tuple[FoundPlugin, str, str]], list[HiddenTool]] | None:
        """Return the tools of `lines` as texts, in the same order, and the hidden tools; None if `lines` returns None.

        Each is (plugin, name with group, record as JSON text).
        """

        def read(
            snapshot: _Snapshot, connection: sqlite3.Connection
        ) -> tuple[list[tuple[FoundPlugin, str, str]], list[HiddenTool]] | None:
            are_apart, lines = lines_in(connection)
            plugins, hidden = _loading(snapshot), list[HiddenTool]()
            records = dict(rows_of(connection, "SELECT id, record FROM records", (), (int, str)))
            found = [
                (plugins[row], name, records[tool])
                for tool, row, name, _, variables in lines
                if row in plugins and not (variables and _lacks(variables, name, hidden))
            ]
            return (found, hidden) if are_apart else None

        no_texts: tuple[list[tuple[FoundPlugin, str, str]], list[HiddenTool]] | None = ([], [])
        return self._ask(read, no_texts)[1]

    def rows(self) -> dict[PluginKey, list[StoredRow]]:
        """Return the rows of the tools of each described plugin that loads, by plugin.

        They are for a comparison with new descriptions.
        """
        rows: dict[PluginKey, list[StoredRow]] = {}
        for plugin, *row in self._with_plugins(_ROWS, (), (int, str, str, str, str, int, str)):
            rows.setdefault(plugin.key, []).append(cast("StoredRow", tuple(row)))
        return rows

    def broken(self) -> list[tuple[FoundPlugin, str, str]]:
        """Return the plugin, name and group of each described tool that cannot be defined."""
        return self._with_plugins(_BROKEN, (), (int, str, str))

    def named(self, beginning: str) -> list[tuple[FoundPlugin, str, str, str]]:
        """Return plugin, name, group and JSON text of the options of each tool that begins with `beginning`.

        Args:
            beginning: The beginning of a name, which may have its group.
        """
        pattern = "".join(f"[{each}]" if each in "[*?" else each for each in beginning) + "*"
        return self._with_plugins(_NAMED, (pattern, pattern), (int, str, str, str))

    def _with_plugins(self, query: str, values: tuple[object, ...], kinds: tuple[type, ...]) -> list[Any]:
        """Return the rows that a query finds, with the plugin in place of its row number in the first column.

        Rows of plugins that fail to load, or that have no valid description, are left out.

        Args:
            query: The query, whose first column is the row number of a plugin.
            values: The values of its parameters.
            kinds: The types of its columns.
        """
        snapshot, found = self._rows(query, values, kinds)
        plugins = _loading(snapshot)
        return [(plugins[row], *rest) for row, *rest in found if row in plugins]

    # --- Writing ---

    def keep(self, made: Collection[FreshDescription]) -> None:
        """Use new descriptions in this process, and save them in the index file for later processes.

        If the file cannot be written, only this process has them.

        Args:
            made: The descriptions.
        """

        def change(connection: sqlite3.Connection) -> None:
            write_descriptions(connection, self._places, self._extensions, made)

        self.is_outdated = False
        self._own.update(place_of(each.plugin) for each in made)
        if not self._change_file(change):
            with sqlite_lock:
                self._connection = in_memory(self._connection)
                with self._connection:
                    change(self._connection)
            self._stamp = self.file.stamp() if self.file is not None else None

    def forget(self, *plugins: FoundPlugin) -> None:
        """Discard the descriptions of `plugins` in this process and, if possible, in the file."""
        if not plugins:
            return
        places = set(map(place_of, plugins))
        self._own -= places
        self._change_file(lambda connection: forget_descriptions(connection, places))
        self._use_descriptions([each for each in self._snapshot.by_row.values() if each.plugin not in plugins])

    def _change_file(self, change: Callable[[sqlite3.Connection], None]) -> bool:
        """Replace the file with a copy that `change` has changed, and return whether that was done.

        False if there is no file, or if it cannot be written, which is added to `remarks`.
        """
        if self.file is None:
            return False
        import sqlite3

        try:
            self.file.change(change)
        except (OSError, sqlite3.Error) as error:
            self.remarks.append(f"the index {self.file.path} cannot be written: {error}")
            return False
        return True

    # --- Reading the file, which may be damaged ---

    def _rows(self, query: str, values: tuple[object, ...], kinds: tuple[type, ...]) -> tuple[_Snapshot, list[Any]]:
        """Return the valid descriptions, and the rows that a query finds in their file (see `rows_of`).

        There are no rows if there is no file, or if the new one that replaces a damaged file is damaged too.
        """
        return self._ask(lambda _, connection: rows_of(connection, query, values, kinds), [])

    def _ask(self, read: Callable[[_Snapshot, sqlite3.Connection], T], empty: T) -> tuple[_Snapshot, T]:
        """Return the snapshot of valid descriptions, and the result of `read` for it and its file.

        If the file is damaged, the index removes it, has the plugins described again, and reads the new file.

        Args:
            read: Reads from the file; any exception of it means that the file is damaged.
            empty: Returned in place of the result if there is no file, or if the new file is damaged too.
        """
        for _ in range(2):
            snapshot = self._snapshot
            if snapshot.connection is None:
                break
            try:
                with sqlite_lock:  # many builds of SQLite also allow only one thread at a time
                    return snapshot, read(snapshot, snapshot.connection)
            except Exception as error:  # sqlite3.Error, and what the text and numbers of a damaged file raise  # noqa: BLE001
                self._discard_damaged(error)
                self._renew()
        return self._snapshot, empty

    def _discard_damaged(self, error: Exception) -> None:
        """Remove the file if possible, say so in `remarks`, and forget all descriptions.

        Args:
            error: How the file is damaged.
        """
        if self.file is not None:
            self.remarks.append(f"the index {self.file.path} was damaged, so fcregistry makes a new one: {error}")
            self.file.discard(self._stamp)
        self._connection = self._stamp = None
        self._use_descriptions([])


def _rows_of_plugins(found: Iterable[FoundEntryPoint], stored: Stored) -> Iterator[tuple[FoundPlugin, EntryPointRow]]:
    """Yield the plugins in `found` that have a row in the file, each with its row.

    Extensions and commands are left out.

    Args:
        found: The installed entry points.
        stored: The content of the file.
    """
    rows: dict[Any, EntryPointRow | None] = {}
    for each in found:
        cached = each.cached
        if cached is None:  # it was read again from its folder, in which another distribution has changed
            rows = rows or {place_of(other): other.cached for other in stored.found}
            cached = rows.get(place_of(each))
        if cached is not None and isinstance(each, FoundPlugin):
            yield each, cached


def _acceptance(stored: Stored) -> Callable[[FoundPlugin, EntryPointRow], bool] | None:
    """Return a function that tells whether the configuration accepts the description in a row.

    Return None if it accepts all.

    Args:
        stored: The content of the file.
    """
    try:
        permission = Permission()
    except ConfigurationError:  # what uses the descriptions reads the configuration, too, and reports it
        return None
    if permission.is_open:
        return None
    paths = {number: path for number, path, *_ in stored.files}
    return lambda plugin, cached: permission.accepts_description(
        plugin, (paths[int(number)] for number in cached.files.split() if int(number) in paths)
    )


def _checked_record(record: Any) -> ToolRecord:
    """Return `record` if it has the fields that showing a tool and comparing it with its code need.

    Its summary is made from its description again, since no digest covers it.

    Raises:
        ValueError: A field is missing, or has another type.
    """
    if type(record) is not dict or any(not isinstance(record.get(name, ...), kind) for name, kind in _FIELDS.items()):
        raise ValueError("the record of a tool is damaged")
    from fcregistry._tools.definition import first_paragraph  # lists do without it

    record["summary"] = first_paragraph(record["description"])
    return cast("ToolRecord", record)


_FIELDS: Final[dict[str, tuple[type, ...]]] = {
    **dict.fromkeys(("name", "group", "summary", "description", "module", "qualname", "digest"), (str,)),
    **dict.fromkeys(("parameters", "options"), (dict,)),
    **dict.fromkeys(("deps", "file"), (str, type(None))),
    "returns": (dict, type(None)),
    "line": (int, type(None)),
}
"""Field of a tool's record -> the types of its values."""


def _altered_entry_points(stored: Stored, places: Places) -> Iterator[FoundEntryPoint]:
    """Yield the entry points that only the file or only the metadata have, in folders that seem unchanged.

    These are the folders that have the same names and stamps in both; entry points in other folders are left out.

    Args:
        stored: The content of the file.
        places: The metadata in the folders of `sys.path`, which were read again.
    """
    in_file: dict[str, set[FoundEntryPoint]] = {}
    for each in stored.found:
        in_file.setdefault(each.folder, set()).add(each)
    for path, place in places.items():
        before = stored.places.get(path)
        if before is not None and (before.names, before.stamps) == (place.names, place.stamps):
            yield from in_file.get(path, set()).symmetric_difference(place.found)


def _loading(snapshot: _Snapshot) -> dict[int, FoundPlugin]:
    """Return, by row number, the plugins whose valid description does not say that they fail to load."""
    return {row: each.plugin for row, each in snapshot.by_row.items() if not each.failed}


def _lacks(variables: str, name: str, hidden: list[HiddenTool]) -> bool:
    """Return whether some of the `variables` that a tool requires are not set; if so, add the tool to `hidden`.

    Args:
        variables: The option `requires_env` of the tool, as JSON text.
        name: The name of the tool, with its group.
        hidden: The hidden tools.
    """
    if missing := missing_variables(read_json(variables)):
        hidden.append(HiddenTool(name, not_set_text(missing)))
    return bool(missing)


def has_environment(options: str) -> bool:
    """Return whether all variables that a tool requires are set.

    Args:
        options: The options of the tool, as JSON text.
    """
    return '"requires_env"' not in options or not missing_variables(read_json(options).get("requires_env"))
