"""A process that builds and tests plugins. In a process that sees hatchling, pytest, and fcregistry with its entry points, as an install has them."""

from __future__ import annotations

import sysconfig
import tomllib
from pathlib import Path
from typing import Any

import pytest

import fcregistry

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def dependencies(dependencies: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that a build and a test run have."""
    folder = tmp_path_factory.mktemp("with_entry_points")
    library = Path(sysconfig.get_path("purelib"))
    beside = [each for name in ("_pytest", "_hypothesis*") for each in library.glob(name)]
    for each in (*dependencies.iterdir(), *beside):
        (folder / each.name).symlink_to(each)
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    info = folder / f"fcregistry-{fcregistry.__version__}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: fcregistry\nVersion: {fcregistry.__version__}\n")
    (info / "entry_points.txt").write_text("\n".join(lines))
    return folder
