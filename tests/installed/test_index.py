"""Commands know the tools of installed wheels without importing them, and see at once what pip installs, upgrades or removes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

CODE = """
import pathlib
with open(pathlib.Path(__file__).parents[2] / "imported", "a") as log:
    log.write("{version}\\n")
from fcregistry import fc_register


@fc_register
def measure(length: {kind}) -> str:
    "{words}"
    return f"{{length}} in {version}"
"""


def make_wheel(folder: Path, version: str, kind: str, words: str) -> Path:
    """Write a wheel of the distribution `acme-rule`."""
    info = f"acme_rule-{version}.dist-info"
    files = {
        "acme_rule/__init__.py": "",
        "acme_rule/tools.py": CODE.format(version=version, kind=kind, words=words),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: acme-rule\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: by-hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[fcregistry]\nrule = acme_rule.tools\n",
    }
    wheel = folder / f"acme_rule-{version}-py3-none-any.whl"
    with ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in (*files, f"{info}/RECORD")))
    return wheel


class Folder:
    """A folder that pip installs into, beside what is installed."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.site = home / "site"
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(self.site),
            "PYTHONSAFEPATH": "1",
            "FCREGISTRY_CACHE_DIR": str(home / "cache"),
        }

    def install(self, version: str, kind: str, words: str) -> None:
        """Have pip install a version in place of the one that is there."""
        shutil.rmtree(self.site, ignore_errors=True)  # `--target` knows of no upgrade that removes what is old
        wheel = make_wheel(self.home, version, kind, words)
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-deps",
                "--no-index",
                "--target",
                self.site,
                wheel,
            ],
            check=True,
            timeout=120,
        )

    def run(self, *arguments: str) -> str:
        """Run a command, and return what it says."""
        words = [sys.executable, "-m", "fcregistry", *arguments]
        done = subprocess.run(words, cwd=self.home, env=self.environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0
        assert re.fullmatch(r"(\d+ tools are hidden \(see: fcregistry doctor\)\n)?", done.stderr)
        return done.stdout

    def tools(self) -> dict[str, Any]:
        """Return every tool that is listed, by id."""
        return {each["id"]: each for each in json.loads(self.run("list", "--json"))}

    def imported(self) -> list[str]:
        """Return the versions that were imported since this was asked last."""
        log = self.home / "imported"
        names = log.read_text().split() if log.exists() else []
        log.unlink(missing_ok=True)
        return names


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """An empty one."""
    return Folder(tmp_path)


def test_the_next_command_sees_what_pip_has_installed(folder: Folder) -> None:
    """An installation, an upgrade, a downgrade, a removal: each version is imported once to be described, and to be called."""
    before = folder.tools()
    for version, kind, words in (("1.0", "int", "Old."), ("2.0", "float", "New."), ("1.0", "int", "Old.")):
        folder.install(version, kind, words)
        tool = folder.tools()["acme-rule:measure"]
        assert (tool["version"], tool["description"]) == (version, words)
        assert tool["parameters"]["properties"]["length"]["type"] == {"int": "integer", "float": "number"}[kind]
        assert folder.tools().keys() == {*before, "acme-rule:measure"}
        assert words in folder.run("show", "measure")
        assert folder.imported() == [version]
        assert json.loads(folder.run("call", "measure", "--length", "3")).endswith(f"in {version}")
        assert folder.imported() == [version]
    shutil.rmtree(folder.site)
    assert folder.tools() == before


def test_our_own_plugins_are_listed_without_being_imported(folder: Folder) -> None:
    """Once they are described, Python imports none of their modules."""
    listed = folder.run("list")
    assert "get_current_weather" in listed
    words = [sys.executable, "-X", "importtime", "-m", "fcregistry", "list"]
    done = subprocess.run(words, cwd=folder.home, env=folder.environment, capture_output=True, text=True, timeout=120)
    modules = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert done.stdout == listed
    assert "fcregistry" in modules
    assert not [name for name in modules if name.startswith(("fcregistry_", "numpy", "pydantic", "jsonschema"))]
