"""What was a description made from, and is that still as it was?"""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry.discovery._finder import Places
    from fcregistry.discovery._found import FoundExtension

FAILED = 1
"""A plugin does not load."""
MISSED = 2
"""A plugin has looked for a module that is not there: what it ships may change with anything that is installed."""

WRONG = -1
"""What stands for the surroundings of a description that turned out to be wrong."""

_CLOCK_STEP = 10_000_000
"""Nanoseconds by which the times of files may lag behind the clock."""

Stamp = tuple[int, int]
"""The time (ns) and size (bytes) of a file or folder."""


def changed(files: Iterable[tuple[int, str, int, int]]) -> set[int]:
    """Return the numbers of those files, given as (number, path, time, size), that are not as they were."""
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
    """Return the time and size of files and folders that are there.

    Args:
        paths: Which.
        since: When somebody began to read them (ns). What was changed after that may have been read before: its stamp never holds.
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
    """Return a number that another set of installed extensions, which read types, changes.

    Args:
        extensions: Those that are found.
        places: If given, any distribution that comes, goes or changes its version changes the number too: a plugin that does not load may then.
    """
    from binascii import crc32

    parts = [f"{each.label} {each.version} {each.value} {each.stamp}" for each in extensions]
    for path, place in (places or {}).items():
        parts += [path, *place.names]
    return crc32("\n".join(parts).encode("utf-8", "surrogateescape"))


def loaded_files() -> set[str]:
    """Return the files of all modules that this process has imported, Python's own, ours and the program's main file apart.

    What a description that is made here may depend on: more than it does, since nobody watched what imported what.
    """
    # Copied in one step: another thread may import meanwhile, which ends any other way of going through it with an error
    modules = [module for name, module in sys.modules.copy().items() if name != "__main__"]
    return {file for module in modules if (file := file_of(module))}


def file_of(module: object) -> str | None:
    """Return the file that a module was read from, if it is neither Python's own nor ours."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or file.startswith(_own()) or not os.path.isabs(file):
        return None
    return file


def is_foreign(path: str) -> bool:
    """Tell whether a file is neither Python's own nor ours."""
    return not path.startswith(_own())


@cache
def _own() -> tuple[str, ...]:
    """Return the beginnings of the paths of files that belong to Python or to us, and change with their versions alone."""
    from fcregistry import _version

    standard = os.path.dirname(os.__file__)
    here = {os.path.dirname(_version.__file__), os.path.dirname(os.path.realpath(_version.__file__))}
    names = os.listdir(standard) if os.path.isdir(standard) else []
    libraries = [f"{standard}/{name}" for name in names if name not in ("site-packages", "dist-packages")]
    return (*(f"{each}{os.sep}" for each in sorted(here)), *libraries)
