"""The pip commands that error messages name, for extras and plugins that are not installed.

A package index need not have fcregistry: people install it from a checkout or a wheel file, too. pip records where a distribution came from
(PEP 610, `direct_url.json`), and the commands name the same place.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

_PROJECT: Final = "fcregistry"
_ACTIVE_IN_QUOTES: Final = frozenset('"$`\\!')  # what a POSIX shell expands between double quotes


class LocalSource(NamedTuple):
    """The folder or wheel file that fcregistry was installed from, and whether the installation is editable."""

    path: Path
    is_editable: bool


def install_command(requirement: str) -> str:
    """Return the command that installs an extra of fcregistry, or a distribution.

    Args:
        requirement: Such as `fcregistry[yaml]` or `fcregistry-llama`. If fcregistry was installed from a folder or wheel file that still
            exists, the command names that folder or file for an extra. It names a plugin's own folder or wheel file if that is there, too:
            `plugins/NAME` in the folder, or a wheel file of that name beside fcregistry's.
    """
    project, bracket, extras = requirement.partition("[")
    option, source = "", local_source()
    if source is not None and project == _PROJECT:
        option = "--editable " if source.is_editable else ""
        requirement = f"{source.path}{bracket}{extras}"
    elif source is not None and (beside := _plugin_beside(source.path, project)) is not None:
        requirement = str(beside)
    return f"pip install {option}{_quoted(requirement)}"


def local_source() -> LocalSource | None:
    """Return what fcregistry was installed from; None if that was an index or another machine, or is not there any more."""
    import json  # all of these are needed only on the way to an error
    from importlib.metadata import PackageNotFoundError, distribution
    from pathlib import Path
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        record = json.loads(distribution(_PROJECT).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return None
    url = urlsplit(record.get("url", ""))
    path = Path(url2pathname(url.path))
    if url.scheme != "file" or "vcs_info" in record or not path.exists():
        return None
    return LocalSource(path, record.get("dir_info", {}).get("editable", False))


def _plugin_beside(source: Path, project: str) -> Path | None:
    if source.is_dir():
        folder = source / "plugins" / project
        return folder if (folder / "pyproject.toml").is_file() else None
    stem = project.replace("-", "_")  # as the specification of wheels escapes names
    wheels = (each for each in source.parent.glob("*.whl") if each.name.partition("-")[0] == stem)
    return max(wheels, default=None, key=lambda each: each.stat().st_mtime)


def _quoted(text: str) -> str:
    """Return a text as one word of a command line, in double quotes where possible: cmd.exe knows no others."""
    import shlex  # only on the way to an error

    plain = shlex.quote(text)
    return plain if plain == text or (os.name == "posix" and set(text) & _ACTIVE_IN_QUOTES) else f'"{text}"'
