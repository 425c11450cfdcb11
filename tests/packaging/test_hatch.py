"""Builds by hatchling with the manifest hook: real builds of a package whose dependencies are not installed."""

from __future__ import annotations

import hashlib
import json
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.conftest import Site

PROJECT = """
[build-system]
requires = ["hatchling", "fcregistry"]
build-backend = "hatchling.build"

[project]
name = "acme-sky"
version = "1.0"
dependencies = ["a-package-that-is-not-there"]

[project.entry-points.fcregistry]
sky = "acme_sky"

[tool.hatch.build.targets.wheel]
only-include = ["acme_sky.py"]

[tool.hatch.build.targets.sdist]
only-include = ["acme_sky.py"]

[tool.hatch.build.hooks.fcregistry]
"""
CODE = "import a_package_that_is_not_there\n"


def write(folder: Path, code: str = CODE) -> None:
    """Write the project, with a manifest of some code."""
    plugin = {"entry_point": "sky", "value": "acme_sky", "dynamic": False, "tools": []}
    told = {"format": 1, "distribution": "acme-sky", "plugins": [plugin]}
    told["sources"] = {"acme_sky.py": hashlib.sha256(code.encode()).hexdigest()}
    (folder / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    (folder / "acme_sky.py").write_text(CODE, encoding="utf-8")
    (folder / "acme_sky.fcregistry.json").write_text(json.dumps(told), encoding="utf-8")


def test_a_manifest_gets_into_wheel_and_source_distribution(site: Site, tmp_path: Path) -> None:
    """No pattern must include it. The plugin is not imported: its dependencies are not installed."""
    folder = tmp_path / "project"
    folder.mkdir()
    write(folder)
    done = site.run("-m", "hatchling", "build", cwd=folder)
    assert done.returncode == 0, done.stderr
    with tarfile.open(next((folder / "dist").glob("*.tar.gz"))) as archive:
        assert "acme_sky-1.0/acme_sky.fcregistry.json" in archive.getnames()
    with zipfile.ZipFile(next((folder / "dist").glob("*.whl"))) as wheel:
        wheel.extractall(tmp_path / "installed")
    site.path.insert(0, tmp_path / "installed")
    shown = site.cli("manifest", "show", "acme-sky", "--json")
    assert (shown.returncode, shown.stderr) == (0, "")  # not 0 where there is none, or the code is another
    assert [each["plugin"] for each in json.loads(shown.stdout)] == ["acme-sky[sky]"]


def test_a_manifest_that_is_older_than_the_code_ends_the_build(site: Site, tmp_path: Path) -> None:
    """The message names the command to run; nothing is built."""
    write(tmp_path, code="other\n")
    done = site.run("-m", "hatchling", "build", "-t", "wheel", cwd=tmp_path)
    assert done.returncode == 1
    path = tmp_path / "acme_sky.fcregistry.json"
    assert done.stderr == (
        f"{path}: the manifest is older than the code: acme_sky.py changed; "
        "run in the project's folder: fcregistry manifest build\n"
    )
    assert not list((tmp_path / "dist").glob("*"))
