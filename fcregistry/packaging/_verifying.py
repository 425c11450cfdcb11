"""Do the manifests among the files that are about to be built fit the sources beside them? Nothing is imported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from fcregistry._tools.selectors import normalized
from fcregistry.discovery._manifest import ManifestContent, Place, changed_sources, place_in, read_manifest
from fcregistry.packaging._errors import PackagingError

_BUILD = "run in the project's folder: fcregistry manifest build"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedManifest:
    """A manifest that fits.

    Attributes:
        path: Where it stands.
        name: What it is to be called in the archive, with slashes.
    """

    path: Path
    name: str


def verify(
    distribution: str, entry_points: Mapping[str, str], files: Mapping[str, Path]
) -> tuple[VerifiedManifest, ...]:
    """Return the manifests that a distribution needs, sorted by path.

    Args:
        distribution: Its name.
        entry_points: Name -> value, of the group `fcregistry`.
        files: What is about to be built: name in the archive, with slashes -> file.

    Raises:
        PackagingError: There are no entry points; or a manifest is missing, is older than the code, or tells of others. The
            message says what to run.
    """
    if not entry_points:
        raise PackagingError(
            f"{distribution} has no plugins: there is no [project.entry-points.fcregistry], so no manifest"
        )
    plugins: dict[Path, tuple[Place, str, dict[str, str]]] = {}
    for entry_point, value in sorted(entry_points.items()):
        place, name = _place(entry_point, value, files)
        plugins.setdefault(place.manifest, (place, name, {}))[2][entry_point] = value
    for path, (place, _, values) in plugins.items():
        if problem := _problem(path, place.folder, distribution, values):
            raise PackagingError(f"{path}: {problem}; {_BUILD}")
    return tuple(VerifiedManifest(path=path, name=name) for path, (_, name, _) in sorted(plugins.items()))


def _place(entry_point: str, value: str, files: Mapping[str, Path]) -> tuple[Place, str]:
    """Return where an entry point's code stands, and its manifest's name in the archive."""
    parts = value.partition(":")[0].strip().split(".")
    for name, path in sorted(_beginnings(parts, files), key=lambda each: (len(PurePosixPath(each[0]).parts), each[0])):
        depth = len(PurePosixPath(_tail(name, parts)).parts)
        place = place_in(path.parents[depth - 1], parts)
        if place is not None:
            above = PurePosixPath(name).parents[depth - 1]
            return place, str(above / place.manifest.relative_to(place.folder).as_posix())
    raise PackagingError(
        f'no file of {parts[0]}, which the entry point {entry_point} = "{value}" names, is to be built'
    )


def _beginnings(parts: list[str], files: Mapping[str, Path]) -> Iterable[tuple[str, Path]]:
    return ((name, path) for name, path in files.items() if _tail(name, parts))


def _tail(name: str, parts: list[str]) -> str:
    """Return the end of a file's name that is the package or module, or one above it; nothing if none is."""
    for length in range(1, len(parts) + 1):
        stem = "/".join(parts[:length])
        for tail in (f"{stem}/__init__.py", f"{stem}.py"):
            if f"/{name}".endswith(f"/{tail}"):
                return tail
    return ""


def _problem(path: Path, folder: Path, distribution: str, entry_points: Mapping[str, str]) -> str | None:
    try:
        content = read_manifest(path)
    except FileNotFoundError:
        return "the manifest is missing"
    except (OSError, ValueError) as error:
        return f"the manifest cannot be read: {error}"
    if normalized(content["distribution"]) != normalized(distribution):
        return f"the manifest tells what {content['distribution']} ships, not {distribution}"
    if (told := _told(content)) != dict(entry_points):
        return f"the manifest tells of the entry points {_shown(told)}, and the project has {_shown(entry_points)}"
    if changed := changed_sources(folder, content["sources"]):
        return f"the manifest is older than the code: {', '.join(changed)} changed"
    return None


def _told(content: ManifestContent) -> dict[str, str]:
    return {each["entry_point"]: each["value"] for each in content["plugins"]}


def _shown(entry_points: Mapping[str, str]) -> str:
    return ", ".join(f'{name} = "{value}"' for name, value in sorted(entry_points.items())) or "(none)"
