"""Output and exit codes of `fcregistry diff`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ..recorded import install  # noqa: TID252  # the tests are no package

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Site

OLD = '''
from typing import Literal

from fcregistry import fc_register


@fc_register
def get_weather(location: str, unit: Literal["celsius", "kelvin"] = "celsius") -> dict[str, float]:
    """Return the weather."""
    return {}


@fc_register
def forecast(days: int) -> str:
    """Return the forecast."""
    return ""
'''
NEW = '''
from typing import Literal

from fcregistry import fc_register


@fc_register
def get_weather(location: str, unit: Literal["celsius"] = "celsius") -> dict[str, float | None]:
    """Return the weather.\x1b[2J"""
    return {}


@fc_register(requires_env="ACME_KEY")
def forecast(days: int | None = None) -> str:
    """Return the forecast."""
    return ""
'''
LOCK = """
from fcregistry import registry, load_plugins
from fcregistry._tools.indexed import record_of
load_plugins()
tools = [record_of(tool) for tool in registry.find("acme:*")]
pin = {"version": "1.0", "files": "0", "tools": tools}
answer = {"fcregistry_lock": 1, "distributions": {"acme": pin, "gone": {**pin, "tools": []}}}
"""
LINES = """\
breaking    acme:forecast: requires the environment variable ACME_KEY now, and is unavailable without it
compatible  acme:forecast $.days: is optional now
compatible  acme:forecast $.days: default null is new
compatible  acme:forecast $.days: accepts null now
breaking    acme:get_weather $.unit: no longer accepts "kelvin"
breaking    acme:get_weather returns $.*: returns null now
compatible  acme:get_weather: description was "Return the weather.", is "Return the weather.\\u001b[2J"
acme 1.0 -> 1.1: 3 breaking, 4 compatible; this asks for a major version, at least 2.0.0: 1.1 is too small
"""


@pytest.fixture(scope="module")
def upgraded(make_site: Callable[[], Site]) -> Site:
    """A folder with a distribution, and beside it the lock of the version before."""
    site = make_site()
    folder = site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": OLD})
    written = json.dumps(site.ask(LOCK))
    for each in folder.iterdir():
        each.unlink()
    folder.rmdir()
    install(site, "acme", {"x": "acme_tools"}, {"acme_tools.py": NEW}, version="1.1")
    (site.folder / "fcregistry.lock").write_text(written, encoding="utf-8")
    (site.folder / "same.lock").write_text(written, encoding="utf-8")
    (site.folder / "empty.lock").write_text('{"fcregistry_lock": 1, "distributions": {}}', encoding="utf-8")
    return site


def test_each_change_is_a_line_and_the_version_is_judged_in_the_last(upgraded: Site) -> None:
    """Sorted by tool, what breaks first; a terminal obeys nothing of it."""
    done = upgraded.cli("diff", "fcregistry.lock", "acme")
    assert (done.stdout, done.stderr, done.returncode) == (LINES, "", 1)


def test_a_distribution_alone_is_compared_with_the_lock_of_the_folder(upgraded: Site) -> None:
    assert upgraded.cli("diff", "acme").stdout == LINES


def test_a_lock_alone_is_compared_with_what_is_installed(upgraded: Site) -> None:
    """All of it: what is pinned and not installed is gone."""
    done = upgraded.cli("diff", "fcregistry.lock")
    assert done.stdout == f"{LINES}gone 1.0 -> ?: nothing changed\n"


def test_hidden_tools_are_compared_and_what_must_not_be_imported_is_refused(upgraded: Site) -> None:
    """The tools are installed, and callers elsewhere have them."""
    settings = {"FCREGISTRY_DENY": "forecast", "FCREGISTRY_DISABLE": "get_weather"}
    assert upgraded.cli("diff", "fcregistry.lock", "acme", env=settings).stdout == LINES
    done = upgraded.cli("diff", "fcregistry.lock", env={"FCREGISTRY_DENY": "acme:*"})
    assert (done.returncode, done.stderr) == (
        2,
        "Error: acme is installed, and must not be imported: FCREGISTRY_DENY names acme:*\n",
    )


@pytest.mark.parametrize("arguments", [("fcregistry.lock",), ("acme",)])
def test_an_upgrade_that_is_not_locked_is_not_imported_in_the_mode_locked(
    make_site: Callable[[], Site], arguments: tuple[str, ...]
) -> None:
    site = make_site()
    install(site, "acme", {"x": "acme_tools"}, {"acme_tools.py": OLD})
    assert site.cli("lock").returncode == 0
    for file in site.folder.glob("acme-1.0.dist-info/*"):
        file.unlink()
    (site.folder / "acme-1.0.dist-info").rmdir()
    spy = f"open({str(site.folder / 'imported')!r}, 'w').close()\n{NEW}"
    install(site, "acme", {"x": "acme_tools"}, {"acme_tools.py": spy}, version="1.1")
    done = site.cli("diff", *arguments, env={"FCREGISTRY_MODE": "locked"})
    assert done.returncode == 2
    assert "Error: acme is installed, and must not be imported: FCREGISTRY_MODE=locked, and " in done.stderr
    assert not (site.folder / "imported").exists()
    assert site.cli("diff", *arguments).returncode == 1
    assert (site.folder / "imported").exists()


@pytest.mark.parametrize(
    ("fail_on", "new", "code"),
    [("version", "acme", 1), ("any", "same.lock", 0)],
)
def test_the_exit_code_is_for_continuous_integration(upgraded: Site, fail_on: str, new: str, code: int) -> None:
    assert upgraded.cli("diff", "fcregistry.lock", new, "--fail-on", fail_on).returncode == code


def test_as_json_it_says_the_same(upgraded: Site) -> None:
    done = upgraded.cli("diff", "fcregistry.lock", "acme", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["verdict"] == "breaking"
    (acme,) = found["distributions"]
    assert (acme["bump"], acme["suggested"], acme["judgement"]) == ("major", "2.0.0", "too small")
    assert acme["changes"][0] == {
        "verdict": "breaking",
        "tool": "acme:forecast",
        "part": "tool",
        "path": "$",
        "message": "requires the environment variable ACME_KEY now, and is unavailable without it",
        "bump": "major",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("acmee",), "there is no file 'acmee', and no installed distribution that ships tools; did you mean 'acme'?"),
        (("empty.lock", "acme"), "empty.lock does not have acme to compare: it has nothing"),
        (("acme_tools.py",), "acme_tools.py is not a lock, manifest or wheel: it is neither JSON nor a zip file"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_wrong_usage(upgraded: Site, arguments: tuple[str, ...], message: str) -> None:
    done = upgraded.cli("diff", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_a_distribution_without_anything_to_compare_it_with_says_so(site: Site) -> None:
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": OLD})
    done = site.cli("diff", "acme")
    assert done.returncode == 2
    assert "there is no fcregistry.lock in this folder to compare acme with: give both" in done.stderr
