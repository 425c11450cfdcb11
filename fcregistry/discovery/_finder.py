"""Finding installed plugins and extensions in the metadata of distributions, without importing them.

The loaders of pluggy and setuptools are not used: one broken distribution would hide all others, and of two entry points of one name the
second would be lost. A folder of `sys.path` whose metadata have not changed since they were read last is not read again.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from fcregistry._config.settings import working_folder
from fcregistry.discovery._found import (
    GROUP,
    FoundEntryPoint,
    FoundExtension,
    FoundPlugin,
    editable_folder,
    entry_points_of,
    project_name,
    unreadable_reason,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fcregistry.discovery._identity import Aside

UNREADABLE: Final = "unreadable"
"""The reason in `PathEntry.aside` for metadata that name plugins in an `entry_points.txt` that cannot be read."""

_SUFFIXES: Final = (".dist-info", ".egg-info")


class PathEntry(NamedTuple):
    """The metadata of distributions in a folder of `sys.path`.

    Attributes:
        names: The folders of metadata in it, sorted.
        projects: The project name that each of `names` gives its distribution (see `project_name`).
        found: The entry points of fcregistry's groups that they have.
        stamps: The time (ns) and size (bytes) of the `entry_points.txt` of each of `names`; None if there is none.
        aside: Folders of metadata that are not used, here or elsewhere, because of the names and RECORD files here, or since they cannot be read.
    """

    names: tuple[str, ...]
    projects: tuple[str, ...]
    found: tuple[FoundEntryPoint, ...]
    stamps: tuple[tuple[int, int] | None, ...]
    aside: tuple[Aside, ...] = ()


Places: TypeAlias = dict[str, PathEntry]
"""Path of a folder -> the metadata in it, in the order of `sys.path`."""


def find_plugins() -> tuple[FoundPlugin, ...]:
    """Return every entry point of the group `fcregistry`, sorted by distribution and name.

    Nothing is imported.
    """
    return tuple(each for each in find_entry_points(scan_path()) if isinstance(each, FoundPlugin))


def find_extensions() -> tuple[FoundExtension, ...]:
    """Return every entry point of the group `fcregistry.extensions`, sorted by distribution and name.

    Nothing is imported.
    """
    return tuple(each for each in find_entry_points(scan_path()) if isinstance(each, FoundExtension))


def find_entry_points(places: Places) -> tuple[FoundEntryPoint, ...]:
    """Return every entry point of fcregistry's groups, sorted by distribution and name.

    Of two copies of one distribution on `sys.path`, the first counts, as for imports, even if it ships no plugins. Ignored are metadata that
    cannot be read, metadata with the name of another distribution (see `impostor_entry_points`), two copies in one folder, and metadata
    that were installed with another distribution (see `unused_entry_points`). The metadata that a build has left in the project of an
    editable install hide nothing (see `_left_by_builds`).

    Args:
        places: The folders of `sys.path`.
    """
    found: list[FoundEntryPoint] = []
    owners: dict[str, tuple[str, str]] = {}  # distribution -> the copy of it that counts
    hidden: set[str] = set()  # by earlier entries of `sys.path`
    builds = _left_by_builds(places)
    ignored = {
        id(each) for each in (*impostor_entry_points(places), *(each for each, _ in unused_entry_points(places)))
    }
    for path, place in places.items():
        for each in place.found:
            copy = (path, each.info)
            if id(each) in ignored or copy in builds:
                continue
            if each.project not in hidden and owners.setdefault(each.project, copy) == copy:
                found.append(each)
        hidden.update(_projects_of(path, place, builds))
    found += [
        each
        for each in _outside_folders()
        if owners.setdefault(each.project, ("", each.distribution)) == ("", each.distribution)
    ]
    return tuple(sorted(found, key=lambda each: (each.project, each.entry_point)))


def _projects_of(path: str, place: PathEntry, builds: set[tuple[str, str]]) -> tuple[str, ...]:
    """Return the names of the projects that have metadata in a folder, without the metadata in `builds`.

    The names are normalized, and in the order of `place.names`; a name occurs as often as there is metadata of it.

    Args:
        path: The path of the folder.
        place: The metadata in it.
        builds: The metadata that builds have left, see `_left_by_builds`.
    """
    if not builds:  # nearly always
        return place.projects
    named = zip(place.names, place.projects, strict=True)
    return tuple(project for name, project in named if (path, name) not in builds)


def _left_by_builds(places: Places) -> set[tuple[str, str]]:
    """Return the `*.egg-info` folders in editable projects, as (entry of `sys.path`, name).

    setuptools writes such a folder beside the code. If the folder of the code is on `sys.path`, its `*.egg-info` comes before the installed
    `*.dist-info`, has the same content, and no RECORD. It counts only if that `*.dist-info` has entry points of fcregistry's groups.
    """
    eggs = [(path, name) for path, place in places.items() for name in place.names if name.endswith(".egg-info")]
    builds: set[tuple[str, str]] = set()
    if not eggs:  # nearly always
        return builds
    installed = {
        each.project: each for place in places.values() for each in place.found if each.info.endswith(".dist-info")
    }
    for path, name in eggs:
        found = installed.get(project_name(path, name))
        if found is not None and not os.path.exists(f"{path}/{name}/RECORD") and _is_in_project(path, found):
            builds.add((path, name))
    return builds


def _is_in_project(path: str, found: FoundEntryPoint) -> bool:
    """Return whether the folder `path` is the source folder of the distribution of `found`, or inside it.

    False if that distribution is not installed in editable mode, or its metadata cannot be read.
    """
    try:
        project = editable_folder(found.source)
    except (OSError, ValueError):  # its metadata cannot be read
        return False
    return bool(project) and f"{os.path.realpath(path)}/".startswith(f"{os.path.realpath(str(project)).rstrip('/')}/")


def impostor_entry_points(places: Places) -> tuple[FoundEntryPoint, ...]:
    """Return the entry points whose metadata give the name of another folder than their own.

    Installers and `importlib.metadata` know a distribution by the name of its folder, so that other folder owns the name, and what the
    configuration allows for it.

    Args:
        places: The folders of `sys.path`.
    """
    owned: set[str] = set()
    misnamed: list[FoundEntryPoint] = []
    for place in places.values():
        owned.update(place.projects)
        by_folder = dict(zip(place.names, place.projects, strict=True))
        misnamed += [each for each in place.found if by_folder[each.info] != each.project]
    return tuple(each for each in misnamed if each.project in owned and each.info.lower() != "egg-info")


def unused_entry_points(places: Places) -> tuple[tuple[FoundEntryPoint, Aside], ...]:
    """Return the entry points whose metadata are not used, each with the reason.

    For `TWIN` these are both copies, for `CARRIED` the one that was installed with another distribution.

    Args:
        places: The folders of `sys.path`.
    """
    # In lower case, since a file system may ignore case, and RECORD may spell a folder either way
    aside = [each for place in places.values() for each in place.aside]
    if not aside:  # most often; but setuptools brings a dozen of such folders
        return ()
    reasons = {os.path.realpath(each[1]).lower(): each for each in aside}
    # Names are compared first, as they are written and as links lead: to resolve the paths of a thousand plugins takes 10 ms
    names = {os.path.basename(path).lower() for each in aside for path in (each[1], os.path.realpath(each[1]))}
    found = [each for place in places.values() for each in place.found if each.info.lower() in names]
    reasoned = ((each, reasons.get(os.path.realpath(f"{each.folder}/{each.info}").lower())) for each in found)
    return tuple((each, reason) for each, reason in reasoned if reason is not None)


def projects_left_out(places: Places) -> list[str]:
    """Return the names of the distributions whose metadata name plugins that are not used, sorted.

    They are installed twice in one folder, another distribution installed their metadata, or `entry_points.txt` cannot be read.

    Args:
        places: The folders of `sys.path`.
    """
    unreadable = {path for place in places.values() for kind, path, _ in place.aside if kind == UNREADABLE}
    unread = {project_name(*os.path.split(path)) or os.path.basename(path) for path in unreadable}
    return sorted(unread | {found.project for found, _ in unused_entry_points(places)})


def scan_path(known: Mapping[str, PathEntry] | None = None) -> Places:
    """Return the metadata in the folders of `sys.path`; folders without metadata are left out.

    Args:
        known: The result of an earlier call; folders that have not changed since are taken from it.
    """
    here: Places = {}
    known = known or {}
    for entry in sys.path:
        path = entry or working_folder()
        if path is None or path in here:
            continue
        names = _metadata_names(path)
        if not names:
            continue
        here[path] = _read_if_changed(path, names, known.get(path))
    changed = [path for path, place in here.items() if place is not known.get(path)]
    if changed and any(place.found for place in here.values()):
        from fcregistry.discovery._identity import set_aside  # not needed if nothing has changed

        for path in changed:
            place = here[path]
            here[path] = place._replace(aside=(*place.aside, *set_aside(path, place.names, place.found)))
    return here


def _metadata_names(path: str) -> tuple[str, ...]:
    """Return the sorted names of the folders `*.dist-info` and `*.egg-info` in the folder `path`.

    In a folder `*.egg`, `EGG-INFO` counts too. The result is empty if the folder cannot be read.
    """
    try:
        everything = os.listdir(path)
    except (OSError, ValueError):  # not a folder, or not readable
        return ()
    own = "egg-info" if path.lower().endswith(".egg") else ""
    return tuple(sorted(name for name in everything if name.endswith(_SUFFIXES) or (own and name.lower() == own)))


def _read_if_changed(path: str, names: tuple[str, ...], place: PathEntry | None) -> PathEntry:
    """Return the metadata in a folder: `place` if they have not changed, else as they are now.

    They have changed if the `names` have, or the time or size of an `entry_points.txt`.

    Args:
        path: The path of the folder.
        names: The folders of metadata in it.
        place: The metadata as they were read before; None if they were not.
    """
    if place is not None and place.names == names and place.stamps == _stamps(path, names):
        return place
    return _read(path, names)


def _stamps(path: str, names: Iterable[str]) -> tuple[tuple[int, int] | None, ...]:
    """Return the stamp of `entry_points.txt` in each of the folders `names` below `path`, in order.

    See `stamp_of`; it is None if there is no such file.
    """
    return tuple([stamp_of(f"{path}/{name}/entry_points.txt") for name in names])


def stamp_of(path: str) -> tuple[int, int] | None:
    """Return the time (ns) and size (bytes) of a file or folder, or None if it does not exist."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return (status.st_mtime_ns, status.st_size)


def _read(path: str, names: tuple[str, ...]) -> PathEntry:
    """Read the metadata in the folders `names` below the folder `path`, and return them."""
    stamps = _stamps(path, names)
    found: list[FoundEntryPoint] = []
    aside: list[Aside] = []
    for name, stamp in zip(names, stamps, strict=True):
        if (
            stamp is not None
        ):  # most distributions have no entry points; metadata in a single file are of ancient installers
            entry_points, reason = _read_one(path, name, stamp)
            found += entry_points
            aside += [(UNREADABLE, f"{path}/{name}", reason)] if reason else []
    projects = tuple(project_name(path, name) for name in names)
    return PathEntry(names, projects, tuple(found), stamps, tuple(aside))


def _read_one(path: str, info: str, stamp: tuple[int, int]) -> tuple[tuple[FoundEntryPoint, ...], str]:
    """Return the entry points of fcregistry's groups in one folder of metadata.

    The second value is the reason that they cannot be read, or empty if there are none to read.

    Args:
        path: The entry of `sys.path`.
        info: The name of the folder of metadata in it.
        stamp: The stamp of its `entry_points.txt`.
    """
    from importlib.metadata import Distribution  # slow to import, and not needed if nothing has changed
    from pathlib import Path

    source = Distribution.at(Path(path) / info)
    found = entry_points_of(source, path, info, stamp)
    if found:
        return found, ""
    with suppress(OSError), open(f"{path}/{info}/entry_points.txt", "rb") as file:
        if GROUP.encode() in file.read():
            return (), unreadable_reason(source)
    return (), ""


def _outside_folders() -> Iterator[FoundEntryPoint]:
    """Yield the entry points of fcregistry's groups whose distributions are not in a folder of `sys.path`.

    These distributions are in archives on `sys.path`, or other packages' importers find them.
    """
    archives = [entry for entry in sys.path if entry.endswith((".zip", ".whl", ".egg")) and os.path.isfile(entry)]
    finders = [each for each in sys.meta_path if _finds_distributions(each)]
    if not archives and not finders:
        return
    from importlib.metadata import DistributionFinder, MetadataPathFinder

    context = DistributionFinder.Context(path=archives)
    sources = [*MetadataPathFinder.find_distributions(context)] if archives else []
    for finder in finders:
        sources += finder.find_distributions(DistributionFinder.Context())  # type: ignore[attr-defined]
    for source in sources:
        yield from entry_points_of(source)


def _finds_distributions(importer: object) -> bool:
    """Return whether `importer` has a method `find_distributions`, and is not one of Python's own.

    Python's own importer looks into the folders of `sys.path`.
    """
    return hasattr(importer, "find_distributions") and getattr(importer, "__module__", "").partition(".")[0] not in (
        "importlib",
        "_frozen_importlib_external",
        "_frozen_importlib",
    )
