"""Makes the tools of a root."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from math import inf
from typing import Any

from fcregistry import Tool
from fcregistry.errors import DefinitionError
from fcregistry.execution import Toolset

from fcregistry_files._patch import Patching, deletes, paths_of
from fcregistry_files._protected import why_protected
from fcregistry_files._reading import Reading
from fcregistry_files._root import Root
from fcregistry_files._search import Searching
from fcregistry_files._trash import Trash
from fcregistry_files._workspace import Place, Workspace
from fcregistry_files._writing import Writing


def file_tools(
    root: str | os.PathLike[str] | Root,
    *,
    write: bool = False,
    trash: str | os.PathLike[str] | None = None,
    hard_links: bool = False,
    max_bytes: int = 10_000_000,
    max_characters: int = 50_000,
    search_seconds: float = 10.0,
) -> Toolset:
    """Return tools for the files below one folder.

    They are `read_file`, `list_directory`, `find_files`, `search_files` and `file_info`, and with `write=True` also `write_file`,
    `edit_file`, `apply_patch`, `move` and `delete`. No path that a model writes leaves the folder.

    Deletions, and `write_file` with overwrite=true, require approval. So does each change of a file that configures fcregistry or what
    an agent may do, such as `fcregistry.toml`, `.git` or `.mcp.json`, also where a policy allows everything.

    The tools remember which version of each file was read, and refuse to change a file that has changed since; so make new tools for
    each conversation.

    Args:
        root: The folder.
        write: Whether the tools may change files.
        trash: The folder to which `delete` moves files: on the same file system, outside of the root. By default, a folder
            beside the root. `Trash` restores from it.
        hard_links: Whether the tools may read and write files with several hard links. By default they refuse them, because the other
            names may be outside the root.
        max_bytes: The most bytes of a file that is read. Larger files can be moved and deleted, not read or edited.
        max_characters: The most characters of text that one call of `read_file` returns.
        search_seconds: How long one call of `find_files` or `search_files` may take.

    Raises:
        DefinitionError: A limit is not a number above 0.
        ConfigurationError: The trash cannot be used.
        OSError: The folder does not exist, or cannot be opened.
    """
    limits = {"max_bytes": max_bytes, "max_characters": max_characters}
    wrong = [
        f"{name}= takes a whole number above 0, not {value!r}" for name, value in limits.items() if not _is_count(value)
    ]
    if not _is_seconds(search_seconds):
        wrong.append(f"search_seconds= takes seconds, a finite number above 0, not {search_seconds!r}")
    if wrong:
        raise DefinitionError("file_tools cannot make tools:", wrong)
    folder = root if isinstance(root, Root) else Root(root, hard_links=hard_links)
    place = Place(folder, Trash(folder, trash) if write else None)
    workspace = Workspace(_Constant(place), max_bytes, max_characters, search_seconds)
    return Toolset([*reading_tools(workspace), *(writing_tools(workspace) if write else ())])


def reading_tools(workspace: Workspace, **options: Any) -> Iterator[Tool]:
    """Yield the tools that only read.

    Args:
        workspace: The workspace of the tools.
        **options: Further options of each tool.
    """
    reading, searching = Reading(workspace), Searching(workspace)
    functions: tuple[Callable[..., Any], ...] = (
        reading.read_file,
        reading.list_directory,
        reading.file_info,
        searching.find_files,
        searching.search_files,
    )
    for function in functions:
        yield Tool.from_function(
            function,
            tags=("files",),
            read_only=True,
            idempotent=True,
            open_world=False,
            reads=workspace.keys("path"),
            **options,
        )


def writing_tools(workspace: Workspace, **options: Any) -> Iterator[Tool]:
    """Yield the tools that change files.

    Args:
        workspace: The workspace of the tools.
        **options: Further options of each tool.
    """
    writing, patching = Writing(workspace), Patching(workspace)

    def always_ask(paths: Callable[[dict[str, Any]], list[str]]) -> Callable[[dict[str, Any]], str | None]:
        """Return a function that returns the reason why a call needs approval, or None.

        `paths` returns the paths that a call changes.
        """
        return lambda call: why_protected(workspace, paths(call))

    one_path = always_ask(lambda call: [call["path"]])
    rows: tuple[tuple[Callable[..., Any], dict[str, Any]], ...] = (
        (
            writing.write_file,
            {
                "writes": workspace.keys("path"),
                "destructive": True,
                "requires_approval": lambda call: call.get("overwrite", False),
                "always_ask": one_path,
            },
        ),
        (writing.edit_file, {"writes": workspace.keys("path"), "destructive": True, "always_ask": one_path}),
        (
            patching.apply_patch,
            {
                "writes": lambda call: [key for path in paths_of(call["patch"]) if (key := workspace.key(path))],
                "destructive": True,
                "requires_approval": lambda call: deletes(call["patch"]),
                "always_ask": always_ask(lambda call: paths_of(call["patch"])),
            },
        ),
        (
            writing.move,
            {
                "writes": workspace.keys("source", "target"),
                "destructive": False,
                "always_ask": always_ask(lambda call: [call["source"], call["target"]]),
            },
        ),
        (
            writing.delete,
            {
                "writes": workspace.keys("path"),
                "destructive": True,
                "requires_approval": True,
                "always_ask": one_path,
            },
        ),
    )
    for function, own in rows:
        yield Tool.from_function(function, tags=("files",), read_only=False, open_world=False, **own, **options)


class _Constant:
    """A function that returns one object; unlike a lambda, it can be pickled."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def __call__(self) -> Place:
        return self._place


def _is_count(value: object) -> bool:
    """Return whether `value` is a whole number above 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_seconds(value: object) -> bool:
    """Return whether `value` is a finite number above 0."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < inf
