"""What an index stores for every start and for lists is what was written, or the index counts as damaged."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from fcregistry._tools.described import BROKEN, DEPS
from fcregistry.discovery import FoundExtension, FoundPlugin, FreshDescription
from fcregistry.discovery._describe import IndexRow  # the store alone, with rows of the test
from fcregistry.discovery._finder import PathEntry, find_entry_points  # the store alone, with rows of the test
from fcregistry.discovery._found import MISSED  # the store alone, with rows of the test
from fcregistry.discovery._index import _BROKEN, _NAMED  # the store alone, with rows of the test
from fcregistry.discovery._index_store import (  # the store alone, with rows of the test
    lines_in,
    make_tables,
    place_of,
    stored_in,
)
from fcregistry.discovery._index_writing import forget_descriptions, write_descriptions  # as above

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STAMP = (1_700_000_000_000_000_001, 40)
ASIDE = (("carried", "/site-\udcff/a-1.dist-info", "/site-\udcff/c-1.dist-info"),)
FOLDER = "/site-\udcff"
"""A folder whose name is not valid UTF-8."""


def plugin(name: str, folder: str = FOLDER) -> FoundPlugin:
    return FoundPlugin(name, "1", "x", f"{name}.tools", folder, f"{name}-1.dist-info", STAMP)


ACME, ZOO = plugin("acme"), plugin("zoo")
EXTENSION = FoundExtension("b", "?", "y", "b:z")
NAMES = ("acme-1.dist-info", "c-1.dist-info", "zoo-1.dist-info")
PLACES = {FOLDER: PathEntry(NAMES, ("acme", "c", "zoo"), (ACME, ZOO), (STAMP, None, STAMP), ASIDE)}

TOOLS = (
    (ZOO, "walk", "tool", "Walk.", '{"requires_env": ["ZOO_KEY"]}', 0),
    (ZOO, "feed", "tool", "Feed  them.", '{"tags": ["deprecated", "requires_env"]}', 0),
    (ZOO, "count", "animals", "Count\nthem.", '{"deprecated": true}', 0),
    (ZOO, "wrong", "tool", "Wrong.", "", BROKEN),
    (ACME, "feed", "tool", "Feed me.", "", DEPS),
)


def description(found: FoundPlugin | FoundExtension, *, missed: bool = False) -> FreshDescription:
    rows = [IndexRow(*tool, "{}", "", ("a", "b", "c")) for owner, *tool in TOOLS if owner is found]  # type: ignore[arg-type]
    record: dict[str, Any] = {"failure": None, "dynamic": False}
    files = {f"/site/{found.distribution}.py": (7, 8)}
    return FreshDescription(found, record, rows, files, "worker", missed)  # type: ignore[arg-type]


@pytest.fixture
def index() -> Iterator[sqlite3.Connection]:
    """Two plugins in a folder, one of them described twice, and an extension in no folder."""
    with closing(sqlite3.connect(":memory:")) as connection:
        make_tables(connection)
        write_descriptions(connection, PLACES, (), [description(ZOO)])
        write_descriptions(connection, PLACES, (), [description(ZOO), description(ACME, missed=True)])
        yield connection


def test_every_process_reads_what_was_written(index: sqlite3.Connection) -> None:
    stored = stored_in(index)
    first, second = stored.found
    assert {repr(first), repr(second)} == {"<FoundPlugin acme[x] 1: acme.tools>", "<FoundPlugin zoo[x] 1: zoo.tools>"}
    acme = next(each for each in stored.found if each == ACME)
    assert (acme.folder, acme.info, acme.stamp) == (FOLDER, "acme-1.dist-info", STAMP)
    assert acme.cached is not None
    files = acme.cached.files
    assert (acme.cached.by, acme.cached.state) == ("worker", MISSED)
    assert [each[1:] for each in stored.files if str(each[0]) in files.split()] == [("/site/acme.py", 7, 8)]
    names, projects, found, stamps, aside = stored.places[FOLDER]
    assert (names, projects, set(found), stamps, aside) == (
        NAMES,
        ("acme", "c", "zoo"),
        {ACME, ZOO},
        (STAMP, None, STAMP),
        ASIDE,
    )


def test_an_entry_point_in_no_folder_is_stored(index: sqlite3.Connection) -> None:
    write_descriptions(index, PLACES, (), [description(EXTENSION)])
    (extension,) = [each for each in stored_in(index).found if isinstance(each, FoundExtension)]
    assert repr(extension) == "<FoundExtension b[y] ?: b:z>"
    assert extension.stamp is None


def test_a_plugin_that_is_uninstalled_leaves_nothing(index: sqlite3.Connection) -> None:
    place = PLACES[FOLDER]._replace(found=(ACME,))
    write_descriptions(index, {FOLDER: place}, (), ())
    assert [each.distribution for each in stored_in(index).found] == ["acme"]
    assert [path for _, path, _, _ in stored_in(index).files] == ["/site/acme.py"]
    for table in ("plugins", "tools", "records", "words"):
        assert index.execute(f"SELECT count(*) FROM {table}").fetchone() == (1,)


def test_what_another_environment_installed_is_kept_while_its_folder_exists(
    index: sqlite3.Connection, tmp_path: Path
) -> None:
    there = plugin("there", str(tmp_path / "site"))
    (tmp_path / "site").mkdir()
    place = PathEntry(("there-1.dist-info",), ("there",), (there,), (STAMP,))
    write_descriptions(index, {there.folder: place}, (), [description(there)])
    write_descriptions(index, PLACES, (), ())
    assert {each.distribution for each in stored_in(index).found} == {"acme", "zoo", "there"}
    (tmp_path / "site").rmdir()
    write_descriptions(index, PLACES, (), ())
    assert {each.distribution for each in stored_in(index).found} == {"acme", "zoo"}


def test_a_forgotten_description_is_wrong_for_all_later_processes(index: sqlite3.Connection) -> None:
    forget_descriptions(index, {place_of(ACME)})
    cached = {each.distribution: each.cached for each in stored_in(index).found if each.cached is not None}
    assert (cached["acme"].by, cached["acme"].was_refuted) == ("", True)
    assert cached["zoo"].by == "worker"


@pytest.mark.parametrize("change", ["UPDATE pieces SET content = X'00'", "DELETE FROM pieces"])
def test_a_wrong_byte_or_a_missing_piece_is_damage(index: sqlite3.Connection, change: str) -> None:
    index.execute(change)
    for read in (stored_in, lines_in):
        with pytest.raises(ValueError, match="is damaged"):
            read(index)


def test_tools_that_can_be_defined_have_lines_sorted_by_name_and_distribution(index: sqlite3.Connection) -> None:
    """A summary is one line, as lists show it; the variables that a tool requires are there too."""
    owners = {each.cached.row: each for each in stored_in(index).found if each.cached is not None}
    are_apart, lines = lines_in(index)
    assert are_apart
    assert [(owners[owner], *rest) for _, owner, *rest in lines] == [
        (ZOO, "animals.count", "(deprecated) Count them.", ""),
        (ACME, "feed", "Feed me.", ""),
        (ZOO, "feed", "Feed  them.", ""),
        (ZOO, "walk", "Walk.", '["ZOO_KEY"]'),
    ]


@pytest.mark.parametrize(("distribution", "entry_point"), [("Zoo", "x"), ("zoo", "y")])
def test_lines_say_whether_two_tools_have_one_key(
    index: sqlite3.Connection, distribution: str, entry_point: str
) -> None:
    """They are of two entry points of one distribution, however its name is spelled."""
    again = FoundPlugin(distribution, "1", entry_point, "zoo.tools", "/elsewhere", "zoo-1.dist-info", STAMP)
    write_descriptions(index, PLACES, (), [description(ZOO)._replace(plugin=again)])
    are_apart, _ = lines_in(index)
    assert not are_apart


def test_a_plugin_that_was_uninstalled_while_it_was_described_is_not_stored(index: sqlite3.Connection) -> None:
    write_descriptions(index, PLACES, (), [description(plugin("gone"))])
    assert {each.distribution for each in stored_in(index).found} == {"acme", "zoo"}
    found = find_entry_points(stored_in(index).places)
    assert [each.distribution for each in found] == ["acme", "zoo"]


@pytest.mark.parametrize("query", [_BROKEN, _NAMED])
def test_queries_for_single_tools_use_an_index_of_the_table(index: sqlite3.Connection, query: str) -> None:
    """Among thousands of tools, a few that are broken, or whose names begin so, are found by an index."""
    plan = [line for *_, line in index.execute(f"EXPLAIN QUERY PLAN {query}", ("get_*",) * query.count("?"))]
    reads = [line for line in plan if "tools" in line]
    assert reads
    assert all("USING INDEX" in line for line in reads), plan
