"""The folders of configuration and cache on each platform.

Commands ask for them at every start, and importing platformdirs takes a third of the time of a small command. On Linux and other Unixes the
folders are those of the XDG Base Directory Specification, on macOS those of Apple's File System Programming Guide (but where an XDG variable
is set, that one counts). On other platforms platformdirs returns them. Nothing here reads the disk.
"""

# ruff: noqa: PTH100, PTH111, PTH117, PTH118, PTH120
# pathlib takes longer to import than all of this module

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from platformdirs.api import PlatformDirsABC

NAME: Final = "fcregistry"
"""The name of this package's folder in each of them."""

CACHE_DIR: Final = "FCREGISTRY_CACHE_DIR"
"""The variable that names another cache folder."""

_IS_MAC: Final = sys.platform == "darwin"
_IS_UNIX: Final = os.name == "posix"


def cache_folder() -> str | None:
    """Return the cache folder, which need not exist; None if the user has no home folder.

    `FCREGISTRY_CACHE_DIR` names another one; a relative path in it starts at the working folder.
    """
    if given := os.environ.get(CACHE_DIR):
        return os.path.abspath(os.path.expanduser(given))
    if not _IS_UNIX:
        return _platformdirs().user_cache_dir
    return _folder_of_user("XDG_CACHE_HOME", "~/Library/Caches" if _IS_MAC else "~/.cache")


def user_folder() -> str | None:
    """Return the folder of the user's configuration, which need not exist; None without a home folder."""
    if not _IS_UNIX:
        return _platformdirs().user_config_dir
    return _folder_of_user("XDG_CONFIG_HOME", "~/Library/Application Support" if _IS_MAC else "~/.config")


def system_folder() -> str:
    """Return the folder of the configuration of all users, which need not exist.

    No variable moves it, not even `XDG_CONFIG_DIRS`: users cannot undo what the operator of a machine configures.
    """
    if not _IS_UNIX:
        return _platformdirs().site_config_dir
    return f"{'/Library/Application Support' if _IS_MAC else '/etc/xdg'}/{NAME}"


def home_folder() -> str | None:
    """Return the user's home folder, or None if the user has none."""
    home = os.path.expanduser("~")
    return home if os.path.isabs(home) else None


def _folder_of_user(variable: str, usual: str) -> str | None:
    """Return the path of fcregistry's folder in a folder of the user; None if the user has no home folder.

    The folder need not exist.

    Args:
        variable: The environment variable that names the user's folder.
        usual: The user's folder if the variable has no absolute path; may begin with `~`.
    """
    folder = os.environ.get(variable, "")
    if not os.path.isabs(folder):  # the specification says to ignore a relative path
        folder = os.path.expanduser(usual)
    return f"{folder.rstrip('/')}/{NAME}" if os.path.isabs(folder) else None


def _platformdirs() -> PlatformDirsABC:
    """Return the object of the package platformdirs that knows fcregistry's folders on this system."""
    from platformdirs import PlatformDirs  # takes 11 ms, and Unix does not need it

    return PlatformDirs(NAME, appauthor=False)


def path_beside(file: str, path: str) -> str:
    """Return the absolute form of a path that is written in a file.

    A relative path starts at the file's folder, and `~` is the home folder.
    """
    return os.path.normpath(os.path.join(os.path.dirname(file), os.path.expanduser(path)))
