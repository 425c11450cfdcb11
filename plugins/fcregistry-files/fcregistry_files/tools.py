"""Which tools this distribution ships: those for the folder that the environment names.

| variable | meaning |
|---|---|
| `FCREGISTRY_FILES_ROOT` | the folder, as an absolute path; without it, no tool is available |
| `FCREGISTRY_FILES_WRITE` | `1` makes the tools available that change files |
| `FCREGISTRY_FILES_TRASH` | the folder for deleted files, as an absolute path; by default, one beside the root |
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Final

from fcregistry.errors import ConfigurationError

from fcregistry_files._root import Root
from fcregistry_files._toolset import reading_tools, writing_tools
from fcregistry_files._trash import Trash
from fcregistry_files._workspace import Place, Workspace

__all__ = ["TOOLS"]

_ROOT: Final = "FCREGISTRY_FILES_ROOT"
_WRITE: Final = "FCREGISTRY_FILES_WRITE"
_TRASH: Final = "FCREGISTRY_FILES_TRASH"


def _place() -> Place:
    """Return the folder and the trash that the environment names."""
    return _open_place(os.environ.get(_ROOT, ""), os.environ.get(_TRASH), _may_write())


@lru_cache(maxsize=1)
def _open_place(root: str, trash: str | None, write: bool) -> Place:
    """Return the open folder `root`, with its trash if `write` is true.

    Raise `ConfigurationError` if it cannot be used.
    """
    for variable, path in ((_ROOT, root), (_TRASH, trash)):
        if path is not None and not Path(path).is_absolute():
            raise ConfigurationError(f"{variable} must be an absolute path")
    try:
        folder = Root(root)
    except OSError as error:
        raise ConfigurationError(f"{_ROOT} does not name a folder that can be opened: {error.strerror}") from error
    return Place(folder, Trash(folder, trash) if write else None)


def _may_write() -> bool:
    """Return whether the environment allows tools that change files."""
    return os.environ.get(_WRITE) == "1"


_WORKSPACE: Final = Workspace(_place)

TOOLS: Final = [
    *reading_tools(_WORKSPACE, requires_env=[_ROOT]),
    *writing_tools(_WORKSPACE, requires_env=[_ROOT, _WRITE], available=_may_write),
]
"""The tools of the entry point."""
