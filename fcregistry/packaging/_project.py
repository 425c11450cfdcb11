"""The distribution that a packaging command works on.

That is an installed one, or the project in the working folder.
"""

from __future__ import annotations

import os
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fcregistry.discovery import GROUP
from fcregistry.errors import FcregistryError


class PackagingError(FcregistryError):
    """A project or a manifest is not valid for packaging; the message says where, and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildTarget:
    """A distribution, and the path on which it is found.

    Attributes:
        distribution: Its name.
        path: The value of `sys.path` with which it is found and can be imported.
        folder: The project's folder; None for an installed distribution that was named.
    """

    distribution: str
    path: tuple[str, ...]
    folder: Path | None


@contextmanager
def target_distribution(distribution: str | None, folder: Path) -> Iterator[BuildTarget]:
    """Return the context of the distribution to work on.

    A project is found as its pyproject.toml describes it now, whatever is installed of it: as long as the block lasts, a folder of
    metadata, as an installer would write it, comes before all others.

    Args:
        distribution: The name of an installed one, or None for the project in the folder.
        folder: The working folder.

    Raises:
        PackagingError: No distribution is named, and the folder has no pyproject.toml with a name.
    """
    here = tuple(each or str(Path.cwd()) for each in sys.path)
    if distribution is not None:
        yield BuildTarget(distribution=distribution, path=here, folder=None)
        return
    project = _project_in(folder)
    name = project["name"]
    entry_points = project.get("entry-points", {}).get(GROUP)
    if not entry_points:  # setuptools may have them elsewhere: then the installed metadata count
        yield BuildTarget(distribution=name, path=here, folder=folder)
        return
    with tempfile.TemporaryDirectory(prefix="fcregistry-") as metadata:
        _write_metadata(Path(metadata), project, entry_points)
        code = [str(each) for each in (folder / "src", folder) if each.is_dir()]
        yield BuildTarget(distribution=name, path=(metadata, *code, *here), folder=folder)


@contextmanager
def search_path(path: tuple[str, ...]) -> Iterator[None]:
    """Replace `sys.path` of this process inside the block."""
    before = list(sys.path)
    sys.path[:] = path
    try:
        yield
    finally:
        sys.path[:] = before


def _project_in(folder: Path) -> dict[str, Any]:
    path = folder / "pyproject.toml"
    advice = "run this in the folder of a plugin's project, or name an installed distribution"
    try:
        project: Any = tomllib.loads(path.read_text(encoding="utf-8")).get("project")
    except FileNotFoundError:
        raise PackagingError(f"there is no pyproject.toml in {folder}: {advice}") from None
    except (OSError, ValueError) as error:
        raise PackagingError(f"{path} cannot be read: {error}") from error
    if not isinstance(project, dict) or not isinstance(project.get("name"), str):
        raise PackagingError(f"{path} has no [project] with a name: {advice}")
    entry_points = project.get("entry-points", {})
    if not isinstance(entry_points, dict) or not isinstance(entry_points.get(GROUP, {}), dict):
        raise PackagingError(f"{path}: [project.entry-points.{GROUP}] must be a table")
    return project


def _write_metadata(folder: Path, project: dict[str, Any], entry_points: dict[str, Any]) -> None:
    version = str(project.get("version", "0"))
    info = folder / f"{project['name'].replace('-', '_')}-{version.replace(os.sep, '_')}.dist-info"
    info.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    lines = [f"[{GROUP}]", *(f"{name} = {value}" for name, value in entry_points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
