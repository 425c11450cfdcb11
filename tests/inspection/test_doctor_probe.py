"""What `doctor --probe` prints. It imports each plugin in a process of its own, whatever is known of it, and says how long that took."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.conftest import Site

TOOL = "from fcregistry import fc_register\n\n@fc_register\ndef {name}() -> str:\n    return ''\n"


def probe(site: Site, *words: str, **env: str) -> tuple[int, list[tuple[str, str, str]]]:
    """Return the status, and kind, subject and message of what is found; of times, that they are there."""
    done = site.cli("doctor", "--probe", "--json", *words, env=env)
    assert "Traceback" not in done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    told = [
        (each["kind"], each["subject"], re.sub(r"\d+\.\d\d seconds", "N seconds", each["message"])) for each in found
    ]
    return done.returncode, told


@pytest.fixture
def installed(site: Site) -> Site:
    """A site with a plugin that is fine, and one that is so only while a variable is set; both described."""
    site.install("fine", {"x": "fine_tools"}, {"fine_tools.py": TOOL.format(name="one") + TOOL.format(name="two")})
    moody = "import os\nassert 'MOOD' in os.environ\n" + TOOL.format(name="sing")
    site.install("moody", {"x": "moody_tools"}, {"moody_tools.py": moody})
    assert site.cli("list", env={"MOOD": "good"}).stderr == ""
    return site


def test_what_is_known_of_a_plugin_is_not_believed(installed: Site) -> None:
    """Its description holds, and it does not load now: that is a problem, with how long each took; the rest of the findings follow."""
    fine, moody = ("note", "fine[x]", "was imported in N seconds, and ships 2 tools"), "moody[x]"
    assert installed.cli("doctor").stdout.startswith("problem: moody[x]: does not load: AssertionError\n")
    assert probe(installed) == (
        1,
        [
            ("problem", moody, "does not load: AssertionError"),
            fine,
            ("note", moody, "was tried for N seconds, and does not load"),
        ],
    )
    assert probe(installed, MOOD="good") == (0, [fine, ("note", moody, "was imported in N seconds, and ships 1 tool")])
    assert "sing" in installed.cli("list").stdout, "a failed try takes nothing away that is known"


@pytest.mark.parametrize(
    ("name", "subjects"),
    [
        ("fine", ["fine[x]"]),
        ("two", ["fine[x]"]),
        ("fine:two", ["fine[x]"]),
        ("sing", ["moody[x]", "moody[x]"]),
        ("nowhere", ["moody[x]", "nowhere", "fine[x]", "moody[x]"]),
    ],
)
def test_a_name_chooses_what_is_tried(installed: Site, name: str, subjects: list[str]) -> None:
    """A distribution's plugins, or the one that ships a tool; all, where nobody knows whose it is."""
    assert [subject for _, subject, _ in probe(installed, name)[1]] == subjects


def test_the_time_limit_is_that_of_the_command(site: Site) -> None:
    """One that takes longer is ended, and what others say is not touched; the limit goes with --probe only."""
    site.install("hangs", {"x": "hangs_tools"}, {"hangs_tools.py": "import threading\nthreading.Event().wait()\n"})
    site.install("fine", {"x": "fine_tools"}, {"fine_tools.py": TOOL.format(name="one")})
    env = {"FCREGISTRY_IMPORT_SECONDS": "1"}
    status, found = probe(site, "--seconds", "4.5", **env)
    assert status == 1
    assert ("problem", "hangs[x]", "does not load: importing it takes longer than 4.5 seconds") in found
    assert ("note", "fine[x]", "was imported in N seconds, and ships 1 tool") in found
    for words in (["doctor", "--seconds", "3"], ["doctor", "--probe", "--seconds", "0"]):
        wrong = site.cli(*words, env=env)
        assert (wrong.returncode, wrong.stdout) == (2, "")


def test_a_plugin_that_is_disabled_is_not_tried(installed: Site) -> None:
    """Somebody asked for it not to be imported."""
    status, found = probe(installed, FCREGISTRY_DISABLE="moody[x]")
    assert (status, [each[:2] for each in found]) == (0, [("note", "fine[x]"), ("note", "moody[x]")])
    assert found[1][2].startswith("is not loaded: ")


def test_what_loads_again_is_known_again(installed: Site) -> None:
    """A try that succeeds renews what is known, for every command that follows."""
    (installed.folder / "moody_tools.py").write_text(
        "import os\nassert 'MOOD' in os.environ\n" + TOOL.format(name="hum")
    )
    assert "did not load: moody[x]" in installed.cli("list").stderr
    assert probe(installed, "moody", MOOD="good")[0] == 0
    assert "hum" in installed.cli("list").stdout
