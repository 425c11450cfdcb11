"""An index that another program has written to: it makes nothing run, and what it says wrongly is found."""

from __future__ import annotations

import json
import os
import sqlite3
from binascii import crc32
from contextlib import closing
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from tests.discovery.index.logged import imported, install, tool

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Site

ADD = """
import os
from fcregistry._base.paths import cache_folder
from fcregistry._tools.record import plugin_record
from fcregistry.discovery import FoundExtension, FoundPlugin, scan_path
from fcregistry.discovery._describe import FreshDescription
from fcregistry.discovery._index_store import IndexFile, index_path, stored_in
from fcregistry.discovery._index_writing import write_descriptions

distribution, info, kind = sys.argv[1:]
(folder, place), *_ = scan_path().items()
stamp = dict(zip(place.names, place.stamps)).get(info, (1, 1))
kinds = {"numpy": FoundExtension}
forged = kinds.get(kind, FoundPlugin)(distribution, "1.0", kind, "forged_tools", folder, info, stamp)

def write(connection):
    places = stored_in(connection).places
    places[folder] = places[folder]._replace(found=(*places[folder].found, forged))
    with_tool = [FreshDescription.of(forged, plugin_record(), [answer], {}, "worker")] if kind == "described" else []
    write_descriptions(connection, places, (), with_tool)

(record,) = json.loads(os.environ["LISTED"])
answer = {name: value for name, value in record.items() if name not in ("id", "distribution", "version", "entry_point")}
answer["name"] = "forged_tool"
IndexFile(index_path(cache_folder())).change(write)
"""
"""Adds an entry point to the index: of a distribution, with that folder of metadata, described or not."""


@pytest.fixture
def one(site: Site) -> Site:
    """A plugin that is described, a distribution without plugins, and a module that no entry point names."""
    install(site, "acme")
    site.install("plain", "[console_scripts]\nplain = forged_tools:main\n")
    site.write(
        {"forged_tools.py": "open('ran', 'w').close()\nfrom fcregistry import fc_register\n" + tool("forged_tool")}
    )
    assert site.cli("list").returncode == 0
    return site


def add(site: Site, distribution: str, info: str, kind: str) -> None:
    """Add an entry point to the index, and see that the index stays valid."""
    done = site.run(
        "-c", f"import json, sys\n{ADD}", distribution, info, kind, env={"LISTED": site.cli("list", "--json").stdout}
    )
    assert done.returncode == 0, done.stderr
    imported(site)


COMMANDS = (["list"], ["show", "forged_tool"], ["search", "forged"], ["call", "forged_tool"], ["plugins"], ["doctor"])


@pytest.mark.parametrize("kind", ["new", "described"])
def test_a_distribution_that_only_the_index_has_is_neither_imported_nor_listed(one: Site, kind: str) -> None:
    add(one, "ghost", "ghost-1.0.dist-info", kind)
    for command in COMMANDS:
        done = one.cli(*command)
        assert "ghost" not in done.stdout or command == ["doctor"], command
        assert not (one.folder / "ran").exists(), command
    assert "problem: ghost[" in done.stdout
    code = "from fcregistry import registry\nanswer = [[tool.id for tool in registry.find()], len(load())]"
    loading = "from fcregistry import load_plugins\ndef load():\n    return load_plugins().loaded\n"
    assert one.ask(loading + code) == [["acme:say_acme"], 1]
    assert not (one.folder / "ran").exists()


@pytest.mark.parametrize("kind", ["new", "described", "numpy"])
def test_an_entry_point_that_no_metadata_name_is_not_imported(one: Site, kind: str) -> None:
    """The folder that the index names is that of a real distribution; doctor reads it again."""
    if kind == "numpy":  # an extension, which a type needs
        uses = install(
            one, "other", "import numpy\n\n@fc_register\ndef total(of: numpy.float64) -> float:\n    return 1.0\n"
        )
    add(one, "plain", "plain-1.0.dist-info", kind)
    if kind == "numpy":  # a worker is to import it again
        uses.write_text(f"{uses.read_text()}\n")
    for command in COMMANDS:
        done = one.cli(*command)
        assert not (one.folder / "ran").exists(), command
    folder = one.folder / "plain-1.0.dist-info"
    assert f"problem: plain[{kind}]: the index " in done.stdout
    assert f" named this entry point, unlike the metadata in {folder}\n" in done.stdout
    for command in COMMANDS:  # the index is right again
        assert "plain" not in one.cli(*command).stdout
    loaded = one.ask("from fcregistry import load_plugins\nanswer = [each.plugin.label for each in load_plugins()]")
    assert "plain" not in str(loaded)
    assert not (one.folder / "ran").exists()


# --- A file that takes time or memory without end ---

COUNTING = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"

SCHEMES = {
    "a view that never ends": f"""
        ALTER TABLE pieces RENAME TO other;
        CREATE VIEW pieces AS {COUNTING} 'x' AS name, x'' AS content, i AS checksum FROM n;
    """,
    "a view of tools that never ends": f"""
        DROP TABLE tools;
        CREATE VIEW tools AS {COUNTING} i AS id, 1 AS plugin, 'x' AS name, 'x' AS grp, '' AS summary, '' AS options, 0 AS flags FROM n;
    """,
    "a trigger that never ends": f"""
        CREATE TRIGGER slow AFTER INSERT ON pieces BEGIN INSERT INTO records {COUNTING} i + 1000000, 'x' FROM n; END;
    """,
    "a table that computes": "CREATE TABLE more(a, b GENERATED ALWAYS AS (zeroblob(2000000000)) VIRTUAL);",
    "a view of nothing": "CREATE VIEW harmless AS SELECT 1;",
}


def listed(site: Site) -> dict[str, str]:
    """Return the description of each tool that a command lists, in a process that may use 1 GB of addresses."""
    limited = """
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
    from fcregistry.cli import main
    main(["list", "--json"])
    """
    done = site.run("-c", dedent(limited))
    assert (done.returncode, done.stderr) == (0, "")
    return {each["id"]: each["description"] for each in json.loads(done.stdout)}


def index_of(site: Site) -> Path:
    (index,) = (site.folder.parent / "cache").glob("*.sqlite")
    return index


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_file_with_other_tables_than_an_index_is_made_anew(one: Site, scheme: str) -> None:
    imported(one)
    with closing(sqlite3.connect(index_of(one))) as connection:
        connection.executescript(SCHEMES[scheme])
    assert listed(one) == {"acme:say_acme": "Answer."}
    assert imported(one) == ["acme_tools"]
    assert listed(one) == {"acme:say_acme": "Answer."}
    assert imported(one) == []


def _long_piece(index: Path) -> None:
    _write(index, "UPDATE pieces SET content = zeroblob(200000000) WHERE name = 'lines'")


def _many_fields(index: Path) -> None:
    data = b"\0" * 6_000_000
    _write(index, "UPDATE pieces SET content = ?, checksum = ? WHERE name = 'files'", data, crc32(data))


def _marshalled(index: Path) -> None:
    """A list that claims to have two thousand million items, in each of which is another."""
    data = b"[\xff\xff\xff\x7f" * 100
    _write(index, "UPDATE pieces SET content = ?, checksum = ?", data, crc32(data))


def _sparse(index: Path) -> None:
    os.truncate(index, 2**40)


def _endless_table(index: Path) -> None:
    """Pages of the table of tools that lead to one page again and again: more rows than can be counted."""
    with closing(sqlite3.connect(index)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'tools'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    content = bytearray(index.read_bytes())
    leaf = bytes(content[(root - 1) * size : root * size])
    count = len(content) // size

    def interior(child: int) -> bytes:
        cells, header = (size - 12) // 7, 12
        start = size - cells * 5
        pointers = b"".join((start + 5 * each).to_bytes(2, "big") for each in range(cells))
        head = b"\x05\0\0" + cells.to_bytes(2, "big") + start.to_bytes(2, "big") + b"\0" + child.to_bytes(4, "big")
        page = bytearray(size)
        page[:header], page[header : header + len(pointers)] = head, pointers
        page[start:] = (child.to_bytes(4, "big") + b"\x01") * cells
        return bytes(page)

    content[(root - 1) * size : root * size] = interior(count + 1)
    for number in range(4):
        content += interior(count + 2 + number)
    content += leaf
    content[28:32] = (len(content) // size).to_bytes(4, "big")
    index.write_bytes(content)


def _write(index: Path, query: str, *values: object) -> None:
    with closing(sqlite3.connect(index)) as connection, connection:
        connection.execute(query, values)


@pytest.mark.parametrize("damage", [_long_piece, _many_fields, _marshalled, _sparse, _endless_table])
def test_a_file_that_takes_more_time_or_memory_than_its_size_is_made_anew(
    one: Site, damage: Callable[[Path], None]
) -> None:
    """Each command answers as before, with little memory; what it computes is limited, so that it ends."""
    imported(one)
    damage(index_of(one))
    assert listed(one) == {"acme:say_acme": "Answer."}
    code = "from fcregistry import registry\nanswer = [tool.description for tool in registry.find()]"
    assert one.ask(code) == ["Answer."]
    assert one.cli("show", "nothing").returncode == 2
    assert set(imported(one)) == {"acme_tools"}
    assert index_of(one).stat().st_size < 10**6


@pytest.mark.parametrize("record", ["[" * 5_000_000, "{}", "5", '{"name": "say_acme"', '{"description": 5}'])
def test_a_record_that_is_none_is_made_anew(one: Site, record: str) -> None:
    imported(one)
    _write(index_of(one), "UPDATE records SET record = ?", record)
    done = one.cli("show", "say_acme", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["description"] == "Answer."
    assert imported(one) == ["acme_tools"]


@pytest.mark.parametrize("options", ["[" * 100_000, "{", "5"])
def test_options_that_are_none_are_those_of_the_record(one: Site, options: str) -> None:
    _write(index_of(one), "UPDATE tools SET options = ?", options)
    for command in (["list", "say_*"], ["show", "say_acme"], ["call", "say_acme"], ["list", "tag=x"]):
        done = one.cli(*command)
        assert ("Traceback" in done.stderr, "say_acme" in done.stdout) == (False, command[1] != "tag=x"), command
    assert "problem: acme:say_acme: the index " in one.cli("doctor").stdout
    assert one.cli("doctor").stdout == "All is well.\n"


def test_what_lists_show_is_compared_by_doctor(one: Site) -> None:
    """A line of a list, or the summary of a tool, says something else than the tool's record."""
    with closing(sqlite3.connect(index_of(one))) as connection, connection:
        ((lines,),) = connection.execute("SELECT content FROM pieces WHERE name = 'lines'")
        lines = lines.replace(b"Answer.", b"Delete.")
        connection.execute("UPDATE pieces SET content = ?, checksum = ? WHERE name = 'lines'", (lines, crc32(lines)))
    assert "Delete." in one.cli("list").stdout
    for summary in ("", "UPDATE tools SET summary = 'Erase.'"):
        if summary:
            _write(index_of(one), summary)
        found = [each["message"] for each in json.loads(one.cli("doctor", "say_acme", "--json").stdout)]
        what = "its summary, options or flags" if summary else "its line in lists"
        assert found == [f"the index {index_of(one)} described it otherwise than its package: {what}"]
        assert "Answer." in one.cli("list").stdout
