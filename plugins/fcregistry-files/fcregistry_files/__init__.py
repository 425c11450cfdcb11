"""Tools that read, search, write and delete files below one folder.

tools = file_tools("data", write=True)
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from fcregistry_files._root import Root
    from fcregistry_files._toolset import file_tools
    from fcregistry_files._trash import Deleted, Trash

__all__ = ["Deleted", "Root", "Trash", "file_tools"]

_HOMES = {"Deleted": "_trash", "Root": "_root", "Trash": "_trash", "file_tools": "_toolset"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # not before a name is used

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
