"""The files that a description was made from, and whether they have changed since."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry.discovery._finder import Places
    from fcregistry.discovery._found import FoundExtension

_CLOCK_STEP = 10_000_000
"""Nanoseconds by which the times of files may lag behind the clock."""

Stamp = tuple[int, int]
"""The time (ns) and size (bytes) of a file or folder."""


def changed(files: Iterable[tuple[int, str, int, int]]) -> set[int]:
    """Return the numbers of the files that have changed or do not exist.

    Args:
        files: The number, path, time (ns) and size (bytes) of each file.
    """
    different = set()
    status_of = os.stat
    for number, path, time, size in files:
        try:
            status = status_of(path)
        except (OSError, ValueError):
            different.add(number)
            continue
        if status.st_mtime_ns != time or status.st_size != size:
            different.add(number)
    return different


def stamps(paths: Iterable[str], since: int) -> dict[str, Stamp]:
    """Return the stamps of those of `paths` that exist, by path.

    Args:
        paths: The paths of files and folders.
        since: When reading them began (ns). A file that changed after that may have been read before the change: it gets a stamp that no
            file ever has.
    """
    found: dict[str, Stamp] = {}
    for path in paths:
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            continue
        is_settled = status.st_mtime_ns < since - _CLOCK_STEP
        found[path] = (status.st_mtime_ns if is_settled else -1, status.st_size)
    return found


def surroundings(extensions: Iterable[FoundExtension], places: Places | None = None) -> int:
    """Return a digest of the installed extensions, on whose types descriptions depend.

    Args:
        extensions: The installed extensions.
        places: If given, the digest also covers all installed distributions and their versions: a plugin that does not load may load if one
            of them changes.
    """
    from binascii import crc32

    parts = [f"{each.label} {each.version} {each.value} {each.stamp}" for each in extensions]
    for path, place in (places or {}).items():
        parts += [path, *place.names]
    return crc32("\n".join(parts).encode("utf-8", "surrogateescape"))


def loaded_files() -> set[str]:
    """Return the files of all imported modules, except Python's, fcregistry's and the main file.

    A description that is made in this process may depend on any of them: which it does depend on is unknown, since imports were not watched.
    """
    # Copied in one step: another thread may import meanwhile, which ends any other way of going through it with an error
    modules = [module for name, module in sys.modules.copy().items() if name != "__main__"]
    return {file for module in modules if (file := file_of(module))}


def file_of(module: object) -> str | None:
    """Return the file of `module`; None if it has none, or if that is Python's or fcregistry's."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or file.startswith(_own_paths()) or not os.path.isabs(file):
        return None
    return file


def is_external(path: str) -> bool:
    """Return whether a file is neither Python's own nor fcregistry's."""
    return not path.startswith(_own_paths())


@cache
def _own_paths() -> tuple[str, ...]:
    """Return the beginnings of the paths of Python's and fcregistry's files; the result is cached.

    Python's are all files and folders beside `os.py`, except site-packages and dist-packages.
    """
    from fcregistry import _version

    standard = os.path.dirname(os.__file__)
    here = {os.path.dirname(_version.__file__), os.path.dirname(os.path.realpath(_version.__file__))}
    names = os.listdir(standard) if os.path.isdir(standard) else []
    libraries = [f"{standard}/{name}" for name in names if name not in ("site-packages", "dist-packages")]
    return (*(f"{each}{os.sep}" for each in sorted(here)), *libraries)
