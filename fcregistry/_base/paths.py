"""In which folders are configuration and the cache? The platform's own, told without platformdirs where that is a line.

Commands ask for them at every start, and importing platformdirs costs a third of what a small command takes. On Linux and the other
Unixes the folders are those of the XDG Base Directory Specification, on macOS those of Apple's File System Programming Guide (where the
variables of the former are set, those). Elsewhere platformdirs knows them. Nothing here looks at the disk.
"""

# ruff: noqa: PTH100, PTH111, PTH117, PTH118, PTH120
# since pathlib takes longer to import than all of this

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from platformdirs.api import PlatformDirsABC

NAME: Final = "fcregistry"
"""The folder of ours in each of them."""

CACHE_DIR: Final = "FCREGISTRY_CACHE_DIR"
"""The variable that names another folder for what can be made anew."""

_IS_MAC: Final = sys.platform == "darwin"
_IS_UNIX: Final = os.name == "posix"


def cache_folder() -> str | None:
    """Return the folder for what can be made anew, which need not exist; None where the user has no home.

    `FCREGISTRY_CACHE_DIR` names another one; a relative path there is one from the working folder.
    """
    if given := os.environ.get(CACHE_DIR):
        return os.path.abspath(os.path.expanduser(given))
    if not _IS_UNIX:
        return _platformdirs().user_cache_dir
    return _of_user("XDG_CACHE_HOME", "~/Library/Caches" if _IS_MAC else "~/.cache")


def user_folder() -> str | None:
    """Return the folder of the user's configuration, which need not exist; None where the user has no home."""
    if not _IS_UNIX:
        return _platformdirs().user_config_dir
    return _of_user("XDG_CONFIG_HOME", "~/Library/Application Support" if _IS_MAC else "~/.config")


def system_folder() -> str:
    """Return the folder of the configuration of all users, which need not exist.

    No variable moves it, not `XDG_CONFIG_DIRS` either: what the operator of a machine says is not taken back by its users.
    """
    if not _IS_UNIX:
        return _platformdirs().site_config_dir
    return f"{'/Library/Application Support' if _IS_MAC else '/etc/xdg'}/{NAME}"


def home_folder() -> str | None:
    """Return the user's home folder, or None."""
    home = os.path.expanduser("~")
    return home if os.path.isabs(home) else None


def _of_user(variable: str, usual: str) -> str | None:
    folder = os.environ.get(variable, "")
    if not os.path.isabs(folder):  # a relative path is to be ignored, says the specification
        folder = os.path.expanduser(usual)
    return f"{folder.rstrip('/')}/{NAME}" if os.path.isabs(folder) else None


def _platformdirs() -> PlatformDirsABC:
    from platformdirs import PlatformDirs  # 11 ms, which Unix does without

    return PlatformDirs(NAME, appauthor=False)


def beside(file: str, path: str) -> str:
    """Return a path as one that stands in a file means it: from the file's folder, `~` as the home folder."""
    return os.path.normpath(os.path.join(os.path.dirname(file), os.path.expanduser(path)))
