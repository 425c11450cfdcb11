"""Output of `fcregistry plugins`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from .test_terminal import on_terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Site

TOOLS = "from fcregistry import fc_register\n@fc_register\ndef one() -> str: ...\n@fc_register\ndef two(a: object()) -> str: ...\n"


@pytest.fixture(scope="module")
def mixed(make_site: Callable[[], Site]) -> Site:
    """A plugin of each state."""
    site = make_site()
    site.install("Zeta", {"z": "zeta_tools"}, {"zeta_tools.py": TOOLS}, version="3.0")
    site.install(
        "acme",
        {"b": "acme_b", "a": "acme_a:TOOLS"},
        {"acme_b.py": "", "acme_a.py": "print('noise')\n1 / 0"},
        version="1.2",
    )
    site.install("evil", {"e": "evil_tools"}, {"evil_tools.py": "raise ValueError('\\x1b[2Jred\\nline')"})
    return site


def test_plugins_has_a_line_for_each(mixed: Site) -> None:
    """Distribution, version, entry point, number of tools, what became of it, and how long its import took; below, why some are not used."""
    done = mixed.cli("plugins", env={"FCREGISTRY_DISABLE": "zeta:*"})
    assert (done.returncode, done.stderr) == (0, "")  # what a plugin prints is nobody's business here
    head, *lines = done.stdout.splitlines()
    assert head.split() == ["DISTRIBUTION", "VERSION", "ENTRY", "POINT", "TOOLS", "STATE", "IMPORT", "TIME"]
    cells = [line.split() for line in lines[:4]]
    assert [row[:5] for row in cells] == [
        ["acme", "1.2", "a", "0", "failed"],
        ["acme", "1.2", "b", "0", "described"],
        ["evil", "1.0", "e", "0", "failed"],
        ["Zeta", "3.0", "z", "0", "disabled"],
    ]
    assert [row[6:] for row in cells] == [["ms"], ["ms"], ["ms"], []]
    assert lines[4:] == [
        "acme[a]: ZeroDivisionError: division by zero",
        "evil[e]: ValueError: �[2Jred line",
        "Zeta[z]: FCREGISTRY_DISABLE names zeta:*",
    ]


def test_no_reason_is_cut_where_a_terminal_ends(mixed: Site) -> None:
    """As the lines of the tables are, where a long name would leave nothing of it."""
    status, shown = on_terminal(mixed, "plugins", env={"COLUMNS": "30", "FCREGISTRY_DISABLE": "zeta:*"})

    assert status == 0
    assert "VERSION  ENTRY …\n" in shown
    assert "acme[a]: ZeroDivisionError: division by zero\n" in shown
    assert "Zeta[z]: FCREGISTRY_DISABLE names zeta:*\n" in shown


def test_plugins_json_says_the_same_to_programs(mixed: Site) -> None:
    """Broken tools count; seconds are numbers, or null where nothing was imported."""
    done = mixed.cli("plugins", "--json")
    rows = json.loads(done.stdout)
    assert [
        (row["distribution"], row["entry_point"], row["module"], row["tools"], row["state"], row["reason"])
        for row in rows
    ] == [
        ("acme", "a", "acme_a:TOOLS", 0, "failed", "ZeroDivisionError: division by zero"),
        ("acme", "b", "acme_b", 0, "described", None),
        ("evil", "e", "evil_tools", 0, "failed", "ValueError: \x1b[2Jred line"),
        ("Zeta", "z", "zeta_tools", 2, "described", None),
    ]
    assert all(0 <= row["import_seconds"] < 60 for row in rows)
    (disabled,) = [
        row
        for row in json.loads(mixed.cli("plugins", "--json", env={"FCREGISTRY_DISABLE": "zeta[z]"}).stdout)
        if row["state"] == "disabled"
    ]
    assert (disabled["import_seconds"], disabled["reason"]) == (None, "FCREGISTRY_DISABLE names Zeta[z]")


def test_extensions_come_after_the_plugins_and_are_not_loaded(make_site: Callable[[], Site]) -> None:
    """Without plugins they come alone; a disabled one says why."""
    site = make_site()
    hook = "print('noise')\nfrom fcregistry import hookimpl\n@hookimpl\ndef fc_register_types(types): ...\n"
    site.install(
        "acme", {"shapes": "acme_shapes"}, {"acme_shapes.py": hook}, version="1.2", group="fcregistry.extensions"
    )
    alone = site.cli("plugins")
    assert (alone.stdout, alone.stderr) == (
        "DISTRIBUTION  VERSION  EXTENSION  STATE\nacme          1.2      shapes     installed\n",
        "",
    )
    site.install("zeta", {"z": "zeta_tools"}, {"zeta_tools.py": TOOLS})
    both = site.cli("plugins", env={"FCREGISTRY_DISABLE": "acme[shapes]"}).stdout
    plugins, extensions = both.split("\n\n")
    assert plugins.splitlines()[1].split()[:5] == ["zeta", "1.0", "z", "2", "described"]
    assert extensions.splitlines()[1].split() == ["acme", "1.2", "shapes", "disabled"]
    assert extensions.splitlines()[2] == "acme[shapes]: FCREGISTRY_DISABLE names acme[shapes]"
    rows = json.loads(site.cli("plugins", "--json").stdout)
    assert [(row["kind"], row["distribution"]) for row in rows] == [("plugin", "zeta"), ("extension", "acme")]
    assert rows[1] == {
        "kind": "extension",
        "distribution": "acme",
        "version": "1.2",
        "entry_point": "shapes",
        "module": "acme_shapes",
        "tools": None,
        "state": "installed",
        "import_seconds": None,
        "reason": None,
    }


def test_what_became_of_an_extension_that_a_module_needed_on_import(make_site: Callable[[], Site]) -> None:
    """A module that makes a schema when it is imported has its extension loaded, or failed, by then."""
    site = make_site()
    site.install("shapes", files={"shapes.py": "class Shape: ...\nclass Solid: ...\n"})
    tools = """
        from fcregistry import Tool, fc_register
        import shapes, solids

        def draw(shape: shapes.Shape): ...
        def turn(solid: solids.Solid): ...

        broken = [Tool.from_function(each).definition_error for each in (draw, turn)]
        """
    site.write({"zeta_tools.py": tools})
    site.install("solids", files={"solids.py": "class Solid: ...\n"})
    hook = "from fcregistry import hookimpl\n@hookimpl\ndef fc_register_types(types): ...\n"
    site.install(
        "acme",
        {"shapes": "acme_shapes", "solids": "acme_solids"},
        {"acme_shapes.py": hook, "acme_solids.py": "1 / 0"},
        group="fcregistry.extensions",
    )
    rows = json.loads(site.cli("-m", "zeta_tools", "plugins", "--json").stdout)
    assert [(row["entry_point"], row["state"], row["reason"]) for row in rows] == [
        ("shapes", "loaded", None),
        ("solids", "failed", "ZeroDivisionError: division by zero"),
    ]
