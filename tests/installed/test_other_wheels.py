"""Wheels of other people beside ours: good ones, broken ones, and one that ships a name we ship.

The wheels are made here by hand, and installed by pip, as a user would.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

COMMAND = Path(sysconfig.get_path("scripts")) / "fcregistry"

GOOD = """
from fcregistry import fc_register


@fc_register
def get_current_weather(location: str) -> str:
    "Say that it rains."
    return f"rain in {location}"


@fc_register("acme.sums", tags=("sums",))
def add(a: int, b: int = 1) -> int:
    "Add two whole numbers."
    return a + b
"""


def make_wheel(folder: Path, name: str, code: str, *, points: str | None = None, requires: str = "") -> Path:
    """Write a wheel of one module, which its entry point names unless told otherwise."""
    module = name.replace("-", "_")
    info = f"{module}-1.0.dist-info"
    files = {
        f"{module}.py": code,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{requires}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: by-hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": points or f"[fcregistry]\ntools = {module}\n",
    }
    wheel = folder / f"{module}-1.0-py3-none-any.whl"
    with ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in (*files, f"{info}/RECORD")))
    return wheel


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the wheels."""
    folder = tmp_path_factory.mktemp("wheels")
    wheels = [
        make_wheel(folder, "acme-tools", GOOD),
        make_wheel(folder, "broken-exit", "raise SystemExit(1)"),
        make_wheel(
            folder, "broken-needs", "import not_installed_anywhere", requires="Requires-Dist: not-installed-anywhere\n"
        ),
        make_wheel(folder, "broken-gone", "", points="[fcregistry]\ntools = broken_gone.missing\n"),
        make_wheel(folder, "misspelt", GOOD, points="[fc_registry]\ntools = misspelt\n"),
    ]
    target = folder / "site"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--target", str(target), *map(str, wheels)], check=True, timeout=300)
    return target


def run(others: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the installed command with the wheels in sight."""
    return subprocess.run(
        [COMMAND, *words],
        env={**os.environ, "PYTHONPATH": str(others), **env},
        cwd=others.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


def read(others: Path, *words: str, **env: str) -> Any:
    """Return what the command writes as JSON."""
    done = run(others, *words, "--json", **env)
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout)


def test_the_tools_of_every_wheel_that_loads_are_there(others: Path) -> None:
    """Beside ours; the broken ones are mentioned once, and hide nothing."""
    listed = run(others, "list", "--json")
    ids = [tool["id"] for tool in json.loads(listed.stdout)]
    assert {
        "acme-tools:acme.sums.add",
        "acme-tools:get_current_weather",
        "fcregistry-weather:get_current_weather",
    } <= set(ids)
    failed = "broken-exit[tools], broken-gone[tools], broken-needs[tools]"
    failing, hidden = listed.stderr.splitlines()
    assert failing == f"3 plugins did not load: {failed} (see: fcregistry doctor)"
    assert hidden.endswith(" tools are hidden (see: fcregistry doctor)")
    assert listed.returncode == 0


def test_a_tool_of_another_wheel_is_called(others: Path) -> None:
    """By group and name; with options from its schema."""
    done = run(others, "call", "acme.sums.add", "--a", "2")
    assert (done.returncode, done.stdout) == (0, "3\n")


def test_a_name_that_two_wheels_ship_goes_by_its_id(others: Path) -> None:
    """The plain name names both; disabling one gives it back."""
    plain = run(others, "call", "get_current_weather", "--location", "Tokyo")
    assert plain.returncode == 2
    assert (
        "'get_current_weather' may be any of acme-tools:get_current_weather, fcregistry-weather:get_current_weather"
        in plain.stderr
    )
    assert run(others, "call", "acme-tools:get_current_weather", "--location", "Tokyo").stdout == '"rain in Tokyo"\n'
    ours = run(
        others,
        "call",
        "get_current_weather",
        "--location",
        "Tokyo",
        FCREGISTRY_DISABLE="acme-tools:get_current_weather",
    )
    assert ours.returncode == 0
    assert "sample" in ours.stdout


def test_plugins_and_doctor_explain_each_of_them(others: Path) -> None:
    """What loads, what does not and why, what to install, and what is misspelt."""
    states = {row["distribution"]: row["state"] for row in read(others, "plugins")}
    assert states == {
        "acme-tools": "described",
        "fcregistry-calculator": "described",
        "fcregistry-clock": "described",
        "fcregistry-files": "described",
        "fcregistry-llama": "installed",
        "fcregistry-mcp": "loaded",
        "fcregistry-numpy": "installed",
        "fcregistry-shell": "described",
        "fcregistry-weather": "described",
        "fcregistry-web": "described",
        "broken-exit": "failed",
        "broken-gone": "failed",
        "broken-needs": "failed",
    }
    findings = {each["subject"]: f"{each['message']}; {each['advice']}" for each in read(others, "doctor")}
    assert "SystemExit: 1" in findings["broken-exit[tools]"]
    assert "install the package with the module not_installed_anywhere" in findings["broken-needs[tools]"]
    assert 'names a module that does not exist: correct tools = "broken_gone.missing"' in findings["broken-gone[tools]"]
    assert "has entry points in the group 'fc_registry'" in findings["misspelt"]
    assert "is ambiguous" in findings["get_current_weather"]
    assert run(others, "doctor").returncode == 1


def test_doctor_finds_no_problem_with_the_plugins_of_the_project_alone(tmp_path: Path) -> None:
    """Doctor says nothing of what we ship, once the variables are set that some tools require."""
    files = {"FCREGISTRY_FILES_ROOT": str(tmp_path), "FCREGISTRY_FILES_WRITE": "1"}
    shell = {"FCREGISTRY_SHELL_CWD": str(tmp_path), "FCREGISTRY_SHELL_ALLOW": "ls"}
    done = run(tmp_path, "doctor", **files, **shell, FCREGISTRY_WEB="1", SEARXNG_URL="http://localhost:8888")
    assert (done.returncode, done.stdout, done.stderr) == (0, "All is well.\n", "")


def test_a_distribution_that_is_uninstalled_is_gone(others: Path, tmp_path: Path) -> None:
    """Nothing is remembered of it."""
    assert run(others, "show", "acme-tools:acme.sums.add").returncode == 0
    done = run(tmp_path, "show", "acme-tools:acme.sums.add")
    assert done.returncode == 2
    assert "there is no tool 'acme-tools:acme.sums.add'" in done.stderr
