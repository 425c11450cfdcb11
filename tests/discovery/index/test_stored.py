"""Is what everybody reads at a start what stands in the tables, and nothing else?"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from fcregistry.discovery._fingerprint import WRONG
from fcregistry.discovery._index import _BROKEN, _NAMED
from fcregistry.discovery._index_store import _TABLES, forget_description, place_of, stored_in, write_stored

if TYPE_CHECKING:
    from collections.abc import Iterator

STAMP = (1_700_000_000_000_000_001, 40)
ASIDE = (("carried", "/site-\udcff/a-1.dist-info", "/site-\udcff/c-1.dist-info"),)
NO_TEXT = b"/site-\xff"
"""A folder whose name is no text."""


@pytest.fixture
def index() -> Iterator[sqlite3.Connection]:
    """A plugin in a folder, beside a distribution without entry points; an extension in no folder; and a file."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_TABLES)
        columns = "folder, info, mtime, size, kind, distribution, version, entry_point, value, described, surroundings, files, failed"
        connection.executemany(
            f"INSERT INTO entry_points({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (NO_TEXT, "a-1.dist-info", *STAMP, "FoundPlugin", "a", "1", "x", "a.tools", "worker", 5, "1", 2),
                ("", "", None, None, "FoundExtension", "b", "?", "y", "b:z", "", 0, "", 0),
            ],
        )
        stamps, aside = json.dumps([STAMP, None]), json.dumps(ASIDE)
        connection.execute(
            "INSERT INTO places VALUES (?, 'a-1.dist-info\nc-1.dist-info', ?, ?)", (NO_TEXT, stamps, aside)
        )
        connection.execute("INSERT INTO files VALUES (1, '/site/a.py', 7, 8)")
        for _ in range(2):  # what was written before is replaced
            write_stored(connection)
        yield connection


def test_what_is_stored_is_what_the_tables_have(index: sqlite3.Connection) -> None:
    """Entry points with what is kept of them, places with those that lie there, and files."""
    stored, folder = stored_in(index), "/site-\udcff"
    (plugin,), (extension,) = stored.found[folder], stored.found[""]
    assert repr(plugin) == "<FoundPlugin a[x] 1: a.tools>"
    assert (plugin.folder, plugin.info, plugin.stamp) == (folder, "a-1.dist-info", STAMP)
    assert plugin.cached == (1, "worker", 5, "1", 2)
    assert repr(extension) == "<FoundExtension b[y] ?: b:z>"
    assert (extension.stamp, extension.cached) == (None, (2, "", 0, "", 0))
    assert stored.places == {folder: (("a-1.dist-info", "c-1.dist-info"), (plugin,), (STAMP, None), ASIDE)}
    assert stored.files == [(1, "/site/a.py", 7, 8)]


def test_what_is_forgotten_is_forgotten_by_all_that_follow(index: sqlite3.Connection) -> None:
    """Not in the table alone."""
    (plugin,) = stored_in(index).found["/site-\udcff"]
    forget_description(index, place_of(plugin))
    (now,) = stored_in(index).found["/site-\udcff"]
    assert now.cached == (1, "", WRONG, "1", 2)


def test_one_wrong_byte_is_damage(index: sqlite3.Connection) -> None:
    """Also one that leaves something that can be read: the module of another plugin, or the time of another file."""
    ((said,),) = index.execute("SELECT said FROM stored")
    index.execute("UPDATE stored SET said = ?", (said.replace(b"a.tools", b"b.tools"),))
    with pytest.raises(ValueError, match="not what was written"):
        stored_in(index)


def test_an_index_that_says_nothing_is_damaged(index: sqlite3.Connection) -> None:
    """Whoever writes one writes this too."""
    index.execute("DELETE FROM stored")
    with pytest.raises(ValueError, match="not what was written"):
        stored_in(index)


@pytest.mark.parametrize("query", [_BROKEN, _NAMED])
def test_what_each_command_asks_reads_no_table_whole(index: sqlite3.Connection, query: str) -> None:
    """Among thousands of tools, a few that are broken, or whose names begin so, are found by an index."""
    plan = [line for *_, line in index.execute(f"EXPLAIN QUERY PLAN {query}", ("get_*",) * query.count("?"))]
    reads = [line for line in plan if "tools" in line]
    assert reads
    assert all("USING INDEX" in line for line in reads), plan
