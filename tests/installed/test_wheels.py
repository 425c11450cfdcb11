"""What we ship works: the wheels of the package and of every plugin, in an environment that holds nothing else.

Run by ``nox -s installed``. Commands run as a user runs them: a real process, in a folder that is not the checkout.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Callable
from importlib.metadata import entry_points, metadata, version
from pathlib import Path
from typing import TypeAlias

import pytest

import fcregistry
from fcregistry._base.install import install_command

Run: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]

CHECKOUT = Path(__file__).resolve().parents[2]
INSTALLED = Path(fcregistry.__file__).resolve().parent
PLUGINS = sorted(path.parent.name for path in CHECKOUT.glob("plugins/*/pyproject.toml"))
MAKERS = ("fcregistry-http", "fcregistry-mcp")
"""Those that have no tools of their own."""

COMMAND = Path(sysconfig.get_path("scripts")) / "fcregistry"
HIDDEN = r"\d+ tools are hidden \(see: fcregistry doctor\)\n"
"""Tools of plugins that are installed, and not configured."""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function that runs a program in an empty folder."""

    def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL
        )

    return run


def test_the_wheel_is_tested_and_not_the_checkout() -> None:
    """Everything below would be worthless otherwise."""
    assert not INSTALLED.is_relative_to(CHECKOUT / "fcregistry")
    assert INSTALLED.is_relative_to(Path(sys.prefix).resolve())


@pytest.mark.parametrize("plugin", PLUGINS)
def test_every_plugin_of_the_repository_is_installed(plugin: str) -> None:
    """Each is a distribution with the entry points that it declares; one that declares none makes tools of something else."""
    assert version(plugin)
    project = tomllib.loads((CHECKOUT / "plugins" / plugin / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    installed = {
        group: {entry.name for entry in entry_points(group=group) if entry.dist and entry.dist.name == plugin}
        for group in ("fcregistry", "fcregistry.extensions")
    }
    declared = {group: set(project.get("entry-points", {}).get(group, {})) for group in installed}
    assert installed == declared
    assert any(declared.values()) or plugin in MAKERS


@pytest.mark.parametrize("name", ["fcregistry", *PLUGINS])
def test_the_metadata_name_the_pages_of_the_project(name: str) -> None:
    """Package indexes and pip show them; each plugin's documentation is its own README."""
    urls = dict(line.split(", ") for line in metadata(name).get_all("Project-URL", []))
    assert sorted(urls) == ["Changelog", "Documentation", "Homepage", "Source"]
    assert all(url.startswith("https://") for url in urls.values())
    for url in (urls["Documentation"], urls["Changelog"]):
        assert (CHECKOUT / url.partition("/blob/main/")[2]).is_file(), "the repository has this file"


def test_type_checkers_read_our_types() -> None:
    """The marker file of PEP 561 is in the wheel."""
    assert (INSTALLED / "py.typed").is_file()


def test_the_wheel_holds_the_package_and_nothing_else() -> None:
    """No tests, no documents and no plugins of ours end up in somebody's site-packages."""
    record = (INSTALLED.parent / f"fcregistry-{fcregistry.__version__}.dist-info" / "RECORD").read_text(
        encoding="utf-8"
    )
    folders = {line.split("/", 1)[0] for line in record.splitlines() if not line.startswith("..")}
    assert folders == {"fcregistry", f"fcregistry-{fcregistry.__version__}.dist-info"}


def test_the_versions_agree() -> None:
    """The package and its metadata say the same."""
    assert fcregistry.__version__ == version("fcregistry")


def test_the_command_writes_its_version(run: Run) -> None:
    done = run(COMMAND, "--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert fcregistry.__version__ in done.stdout


def test_installed_tools_are_listed(run: Run) -> None:
    """Nothing is configured: that a plugin is installed is enough."""
    done = run(COMMAND, "list")
    assert done.returncode == 0
    assert re.fullmatch(HIDDEN, done.stderr)
    assert "get_current_weather" in done.stdout


def test_an_installed_tool_is_called(run: Run) -> None:
    """The result goes to a pipe, so it is JSON."""
    done = run(COMMAND, "call", "get_current_weather", "--location", "San Francisco, CA", "--unit", "celsius")
    assert (done.returncode, done.stderr) == (0, "")
    weather = json.loads(done.stdout)
    assert "San Francisco" in json.dumps(weather)
    assert "celsius" in json.dumps(weather)


def test_an_installed_extension_reads_the_types_of_its_library(run: Run) -> None:
    """Nothing imports it but the schema that needs it."""
    code = "import numpy; from fcregistry.types import schema_of; print(schema_of(numpy.int8))"
    done = run(sys.executable, "-c", code)
    assert (done.stdout, done.stderr) == ("{'type': 'integer', 'minimum': -128, 'maximum': 127}\n", "")


def test_the_package_is_a_program_too(run: Run) -> None:
    """``python -m fcregistry`` is the command, for this very interpreter."""
    done = run(sys.executable, "-m", "fcregistry", "list", "--json")
    assert done.returncode == 0
    assert re.fullmatch(HIDDEN, done.stderr)
    assert "get_current_weather" in json.dumps(json.loads(done.stdout))


def test_a_wrong_call_says_what_is_allowed(run: Run) -> None:
    """A schema violation ends with the documented status and names the parameter."""
    done = run(COMMAND, "call", "get_current_weather", '{"location": "Tokyo", "unit": "kelvin"}')
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(r"unit.*(celsius|fahrenheit)", done.stderr, re.DOTALL)


def test_a_reader_who_leaves_early_sees_no_traceback(tmp_path: Path) -> None:
    """``fcregistry list | head -1``: the pipe closes, and that is no error to talk about."""
    line = f"'{COMMAND}' list | head -n 1"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.stdout.count("\n") == 1
    assert re.fullmatch(HIDDEN, done.stderr)


def test_pytest_finds_the_rules_for_tools_and_says_what_they_need(run: Run) -> None:
    """The plugin of pytest is in the wheel; what it needs beside is an extra, and not installed here."""
    done = run(sys.executable, "-m", "pytest", "--fcregistry")
    assert done.returncode == 4
    command = install_command("fcregistry[testing]")
    assert f"ERROR: --fcregistry needs Hypothesis: {command}" in done.stderr
