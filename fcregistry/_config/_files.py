"""Which configuration files are there, and what do they say?

Where there is none, all that happens is that the system is asked for each: this runs at the start of every command.
"""

# ruff: noqa: PTH109, PTH116, PTH118, PTH120, PTH123
# since pathlib takes longer to import than all of this
from __future__ import annotations

import os
from functools import lru_cache
from stat import S_ISCHR, S_ISFIFO
from typing import TYPE_CHECKING, Final

from fcregistry._base.paths import home_folder, system_folder, user_folder
from fcregistry.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from fcregistry._config._layer import Layer

FILE: Final = "fcregistry.toml"
PYPROJECT: Final = "pyproject.toml"
LOCK: Final = "fcregistry.lock"


def system_layer() -> Layer | None:
    """Return what the file for all users says, or None if there is none.

    Raises:
        ConfigurationError: It cannot be read.
    """
    path = f"{system_folder()}/{FILE}"
    try:
        return _read(path)
    except OSError as error:  # the operator's word stands also where nobody may look at it
        raise ConfigurationError(f"{path} cannot be looked for: {error.strerror}") from error


def user_layer() -> Layer | None:
    """Return what the user's file says, or None if there is none.

    Raises:
        ConfigurationError: It cannot be read.
    """
    folder = user_folder()
    return None if folder is None else _read_if_reachable(f"{folder}/{FILE}")


def named_layer(path: str, said: str) -> Layer:
    """Return what a file says that somebody named.

    Raises:
        ConfigurationError: It is not there, or cannot be read.
    """
    layer = _read_if_reachable(os.path.join(_working_folder() or "", path))
    if layer is None:
        raise ConfigurationError(f"{said} names {path}, which is not there; correct or unset it")
    return layer


def project_layer() -> Layer | None:
    """Return what the project's file says, which is the nearest one, or None if there is none.

    It is looked for from the working folder upwards, as far as the root of a repository or the home folder. A pyproject.toml without
    `[tool.fcregistry]` is passed over.

    Raises:
        ConfigurationError: It cannot be read, or there are two in one folder.
    """
    for folder in _project_folders():
        if (layer := _of_folder(folder)) is not None:
            return layer
    return None


def nearest_lock() -> str:
    """Return the path of the nearest lock, looked for as the project's file is; of one in the working folder, where there is none."""
    locks = (f"{folder}{LOCK}" for folder in _project_folders())
    return next(filter(_is_there, locks), None) or os.path.join(_working_folder() or "", LOCK)


def _project_folders() -> Iterator[str]:
    """Yield the folders that may be a project's, the nearest first, each with a slash at its end."""
    working = _working_folder()
    if working is None:
        return
    home = home_folder()
    while True:
        folder = working if working.endswith(os.sep) else working + os.sep
        yield folder
        above = os.path.dirname(working)
        if above == working or working == home or _is_there(folder + ".git"):
            return
        working = above


def _of_folder(folder: str) -> Layer | None:
    own = _read_if_reachable(folder + FILE, of_strangers=True)
    shared = _read_if_reachable(folder + PYPROJECT, of_strangers=True)
    if own is not None and shared is not None:
        raise ConfigurationError(
            f"{folder} has both {FILE} and [tool.fcregistry] in {PYPROJECT}; keep one of them, so that all of it is read"
        )
    return own or shared


def _working_folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return None


def _is_there(path: str) -> bool:
    return os.access(path, os.F_OK)  # which takes a third of the time of an exception


def _read_if_reachable(path: str, *, of_strangers: bool = False) -> Layer | None:
    """Return what a file says; None also where we are kept out of its folder, as services are kept out of homes."""
    try:
        return _read(path, of_strangers=of_strangers) if _is_there(path) else None
    except OSError:
        return None


def _read(path: str, *, of_strangers: bool = False) -> Layer | None:
    """Return what a file says, or None if it is not there.

    Raises:
        OSError: Whether it is there cannot be told.
        ConfigurationError: It cannot be read.
    """
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if of_strangers and (S_ISCHR(found.st_mode) or S_ISFIFO(found.st_mode)):  # a link to what never ends
        raise ConfigurationError(f"{path} is no regular file")
    return _parsed(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=64)
def _parsed(path: str, _modified: int, _size: int) -> Layer | None:
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    in_project = path.endswith(PYPROJECT)
    if in_project and b"fcregistry" not in content:
        return None  # and nobody pays for TOML
    from fcregistry._config._keys import layer_of  # only where there is a file

    table = _toml(content, path)
    if in_project:
        tools = table.get("tool")
        table = tools.get("fcregistry") if isinstance(tools, dict) else None
        if table is None:
            return None
        if not isinstance(table, dict):
            raise ConfigurationError(f"tool.fcregistry in {path} is a table, [tool.fcregistry], not {table!r}")
    return layer_of(table, path, "tool.fcregistry." if in_project else "")


def _toml(content: bytes, path: str) -> Any:
    import tomllib  # only where there is a file

    try:
        return tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path} is no TOML: {error}; mend it, for what it says cannot be known") from error
