"""Where does the code of an entry point stand, and where its manifest? Asked of folders; nothing is imported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from fcregistry.discovery._found import FoundPlugin

FILE: Final = "fcregistry.json"
"""The name of a manifest in a package; that of a module without a package is `MODULE.fcregistry.json`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a package stands; or a module that is in none.

    Attributes:
        folder: The folder that its name is relative to, as an entry of `sys.path` is.
        parts: Its dotted name, split; several parts only where namespace packages stand above it.
        is_package: Whether it is a package rather than a module.
    """

    folder: Path
    parts: tuple[str, ...]
    is_package: bool

    @property
    def manifest(self) -> Path:
        """Where its manifest stands."""
        stem = self.folder.joinpath(*self.parts)
        return stem / FILE if self.is_package else stem.with_name(f"{stem.name}.{FILE}")

    def name_of(self, path: Path) -> str | None:
        """Return a file's path relative to the folder, with slashes, if it is the module or lies in the package, else None."""
        stem = self.folder.resolve().joinpath(*self.parts)
        path = path.resolve()
        inside = path.is_relative_to(stem) if self.is_package else path == stem.with_name(f"{stem.name}.py")
        return path.relative_to(self.folder.resolve()).as_posix() if inside else None


def place_of(found: FoundPlugin) -> Place | None:
    """Return where the code of an entry point stands; None where that is no folder of Python files.

    In a regular install that is beside the distribution's metadata. An editable one has it elsewhere, and Python's own finders are asked
    where: for the topmost package only, because to find a module in a package they would import the package.
    """
    parts = found.module.split(".")
    beside = place_in(Path(found.folder), parts) if found.folder else None
    if beside is not None:
        return beside
    return next((place for folder in _folders_of(parts[0]) if (place := place_in(folder, parts)) is not None), None)


def place_in(folder: Path, parts: Sequence[str]) -> Place | None:
    """Return where the topmost package or module stands, below a folder, that a dotted name leads through; None if it is not there."""
    for length, name in enumerate(parts, start=1):
        path = folder.joinpath(*parts[:length])
        above = tuple(parts[:length])
        if (path / "__init__.py").is_file():
            return Place(folder=folder, parts=above, is_package=True)
        if path.with_name(f"{name}.py").is_file():
            return Place(folder=folder, parts=above, is_package=False)
        if not path.is_dir():
            return None
    return None  # namespace packages all the way: nothing that an import would run


def _folders_of(name: str) -> Iterator[Path]:
    """Yield the folders that a top-level package or module stands in."""
    try:
        spec = find_spec(name)
    except Exception:  # foreign code: a finder of somebody's, which may raise anything, only fails to find  # noqa: BLE001
        return
    if spec is None:
        return
    if spec.submodule_search_locations is not None:
        yield from (Path(each).parent for each in spec.submodule_search_locations)
    elif spec.has_location and spec.origin is not None:
        yield Path(spec.origin).parent
