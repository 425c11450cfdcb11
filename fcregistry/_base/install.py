"""Where distributions were installed from, and the pip commands that error messages name.

A package index need not have fcregistry: people install it from a checkout or a wheel file, too. Installers record that in
`direct_url.json` (PEP 610), and the commands for extras and plugins name the same place.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import Distribution
    from pathlib import Path

_PROJECT: Final = "fcregistry"
_ACTIVE_IN_QUOTES: Final = frozenset('"$`\\!')  # what a POSIX shell expands between double quotes


class InstallSource(NamedTuple):
    """What a distribution was installed from, if that was no index.

    Attributes:
        path: The folder or file; empty if it is not on this machine, or in a repository.
        is_folder: Whether it is a folder.
        is_editable: Whether Python imports the folder itself, and not a copy.
    """

    path: str
    is_folder: bool
    is_editable: bool


def install_source(distribution: Distribution) -> InstallSource | None:
    """Return what a distribution was installed from, as its installer recorded it, or None.

    None means that it came from a package index, or that the record cannot be read.
    """
    from json import loads  # none of these is needed at each start
    from urllib.parse import unquote, urlsplit

    try:
        record = loads(distribution.read_text("direct_url.json") or "null")
        url, folder = urlsplit(record["url"]), record.get("dir_info")
        is_editable = folder is not None and folder.get("editable") is True
    except (OSError, ValueError, TypeError, KeyError, AttributeError):  # there is none, or it is damaged
        return None
    path = unquote(url.path) if url.scheme == "file" and "vcs_info" not in record else ""
    path = path[1:] if path[2:3] == ":" else path  # `/C:/project` on Windows
    return InstallSource(path, folder is not None, is_editable)


def own_source() -> InstallSource | None:
    """Return the folder or file that fcregistry was installed from, or None if it is not there any more."""
    from importlib.metadata import Distribution
    from pathlib import Path

    found = next(iter(Distribution.discover(name=_PROJECT)), None)
    source = None if found is None else install_source(found)
    return source if source is not None and source.path and Path(source.path).exists() else None


def install_command(requirement: str) -> str:
    """Return the command that installs an extra of fcregistry, or a distribution.

    Args:
        requirement: Such as `fcregistry[yaml]` or `fcregistry-llama`. If fcregistry was installed from a folder or wheel file that still
            exists, the command names that folder or file for an extra. It names a plugin's own folder or wheel file if that is there, too:
            `plugins/NAME` in the folder, or a wheel file of that name beside fcregistry's.
    """
    project, bracket, extras = requirement.partition("[")
    option, source = "", own_source()
    if source is not None and project == _PROJECT:
        option = "--editable " if source.is_editable else ""
        requirement = f"{source.path}{bracket}{extras}"
    elif source is not None and (beside := _plugin_beside(source, project)) is not None:
        requirement = str(beside)
    return f"pip install {option}{_quoted(requirement)}"


def _plugin_beside(source: InstallSource, project: str) -> Path | None:
    """Return the path of the plugin `project` beside fcregistry's source, or None if there is none.

    For a `source` that is a folder, it is the plugin's folder in `plugins`; for a wheel, the newest wheel of the plugin in the same folder.
    """
    from pathlib import Path

    place = Path(source.path)
    if source.is_folder:
        folder = place / "plugins" / project
        return folder if (folder / "pyproject.toml").is_file() else None
    stem = project.replace("-", "_")  # as the specification of wheels escapes names
    wheels = (each for each in place.parent.glob("*.whl") if each.name.partition("-")[0] == stem)
    return max(wheels, default=None, key=lambda each: each.stat().st_mtime)


def _quoted(text: str) -> str:
    """Return `text` as one word of a command line, in quotes only if it needs them.

    Double quotes are preferred, because cmd.exe knows no others.
    """
    import shlex  # only on the way to an error

    plain = shlex.quote(text)
    return plain if plain == text or (os.name == "posix" and set(text) & _ACTIVE_IN_QUOTES) else f'"{text}"'
