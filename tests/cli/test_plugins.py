"""What does `fcregistry plugins` tell an operator?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

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
    """Distribution, version, entry point, number of tools, what became of it, how long its import took, and why it failed."""
    done = mixed.cli("plugins", env={"FCREGISTRY_DISABLE": "zeta:*"})
    assert (done.returncode, done.stderr) == (0, "noise\n")
    head, *lines = done.stdout.splitlines()
    assert head.split() == ["DISTRIBUTION", "VERSION", "ENTRY", "POINT", "TOOLS", "STATE", "IMPORT", "TIME", "REASON"]
    cells = [line.split() for line in lines]
    assert [row[:5] for row in cells] == [
        ["acme", "1.2", "a", "0", "failed"],
        ["acme", "1.2", "b", "0", "loaded"],
        ["evil", "1.0", "e", "0", "failed"],
        ["Zeta", "3.0", "z", "0", "disabled"],
    ]
    assert cells[0][6:] == ["ms", "ZeroDivisionError:", "division", "by", "zero"]
    assert cells[2][6:] == ["ms", "ValueError:", "�[2Jred", "line"]
    assert cells[3][5:] == ["FCREGISTRY_DISABLE", "names", "zeta:*"]


def test_plugins_json_says_the_same_to_programs(mixed: Site) -> None:
    """Broken tools count; seconds are numbers, or null where nothing was imported."""
    done = mixed.cli("plugins", "--json")
    rows = json.loads(done.stdout)
    assert [
        (row["distribution"], row["entry_point"], row["module"], row["tools"], row["state"], row["reason"])
        for row in rows
    ] == [
        ("acme", "a", "acme_a:TOOLS", 0, "failed", "ZeroDivisionError: division by zero"),
        ("acme", "b", "acme_b", 0, "loaded", None),
        ("evil", "e", "evil_tools", 0, "failed", "ValueError: \x1b[2Jred line"),
        ("Zeta", "z", "zeta_tools", 2, "loaded", None),
    ]
    assert all(0 <= row["import_seconds"] < 60 for row in rows)
    (disabled,) = [
        row
        for row in json.loads(mixed.cli("plugins", "--json", env={"FCREGISTRY_DISABLE": "zeta[z]"}).stdout)
        if row["state"] == "disabled"
    ]
    assert (disabled["import_seconds"], disabled["reason"]) == (None, "FCREGISTRY_DISABLE names Zeta[z]")
