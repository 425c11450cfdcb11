"""An index that another program has written to: it makes nothing run, and what it says wrongly is found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.discovery.index.logged import imported, install, tool

if TYPE_CHECKING:
    from tests.conftest import Site

ADD = """
import os
from fcregistry._base.paths import cache_folder
from fcregistry._tools.record import plugin_record
from fcregistry.discovery import FoundExtension, FoundPlugin, scan_path
from fcregistry.discovery._describe import FreshDescription
from fcregistry.discovery._index_store import IndexFile, index_path, stored_in, write_descriptions

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
