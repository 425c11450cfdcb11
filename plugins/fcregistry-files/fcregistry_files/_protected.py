"""The files that configure fcregistry, or what an agent may do: each change of one needs approval."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from fcregistry.errors import ConfigurationError, ToolError

from fcregistry_files._folder import Folder, kind_of
from fcregistry_files._paths import MOST_NAMES, fold, quote, split_path
from fcregistry_files._root import Root
from fcregistry_files._workspace import Workspace

_FCREGISTRY: Final = ("fcregistry.toml", "fcregistry.lock", "pyproject.toml", "sources.json", ".agents")
_REPOSITORY: Final = (".git",)
"""A repository ends the search for a project's rules, has settings and hooks that run programs, and has what can undo a change."""
_PROGRAMS: Final = {
    "Aider": (".aider.conf.yml",),
    "Claude Code, Claude Desktop": (".claude", ".claude.json", "claude_desktop_config.json"),
    "Cline, Roo Code": ("cline_mcp_settings.json", ".cline", ".roo", "mcp_settings.json"),
    "Codex": (".codex",),
    "Continue": (".continue",),
    "Cursor": (".cursor",),
    "Gemini CLI, Qwen Code": (".gemini", ".qwen"),
    "GitHub Copilot": (".copilot", ".github", "mcp-config.json"),
    "Junie": (".junie",),
    "Kiro, Amazon Q": (".kiro", ".amazonq"),
    "opencode": (".opencode", "opencode.json", "opencode.jsonc"),
    "several programs": (".mcp.json", "mcp.json"),
    "VS Code": (".vscode",),
    "Windsurf": (".windsurf", ".codeium", "mcp_config.json"),
    "Zed": (".zed",),
}
"""The files and folders of programs that run agents, with their servers, hooks and permissions."""

PROTECTED: Final = frozenset((*_FCREGISTRY, *_REPOSITORY, *(name for names in _PROGRAMS.values() for name in names)))
"""The names, of files or folders, anywhere below the root. Instructions for models, such as `AGENTS.md`, allow nothing."""

_SHORT: Final = frozenset(name.lstrip(".").split(".")[0][:6] for name in PROTECTED)
_MOST_ENTRIES: Final = 10_000


def is_protected(name: str) -> bool:
    """Return whether a name is protected, in any spelling that a file system may take for it.

    That is another case or Unicode form, dots or spaces at the end, or the short name that Windows and FAT give it.

    Args:
        name: The name of a file or folder.
    """
    plain = fold(name).rstrip(" .")
    short = re.fullmatch(r"([^~]+)~[0-9]+(?:\.[^.]*)?", plain)
    return plain in PROTECTED or (short is not None and short[1].lstrip(".") in _SHORT)


def why_protected(workspace: Workspace, paths: Iterable[str]) -> str | None:
    """Return the reason why a change of `paths` needs approval, or None if it needs none.

    Args:
        workspace: The workspace of the tools.
        paths: The paths, which need not exist. Everything in a folder changes with it.
    """
    for path in paths:
        try:
            names = split_path(path)
            for count, name in enumerate(names, 1):
                if is_protected(name):
                    return _reason(names[:count])
            found = _protected_below(workspace.root, names)
        except (ToolError, ConfigurationError):
            continue  # nothing has the path, or it cannot be used: then the call fails, and changes nothing
        if found is not None:
            return found
    return None


def _reason(names: Sequence[str]) -> str:
    """Return the reason why a change of the path with `names` needs approval."""
    return f"{quote('/'.join(names))} configures what an agent may do, and each change of it needs approval"


def _protected_below(root: Root, names: tuple[str, ...]) -> str | None:
    """Return a reason if the path with `names` is a folder that may contain a protected name.

    Return None for any other path.

    Raises:
        ToolError: The path does not exist, or cannot be used.
    """
    path = "/".join(names)
    with root.parent(path) as (above, name):
        if kind_of(above.stat(name)) != "folder":
            return None
        try:
            with above.folder(name) as folder:
                return _protected_in(folder, names, iter(range(_MOST_ENTRIES)))
        except (OSError, ToolError, StopIteration):
            return f"{quote(path)} may contain files that configure what an agent may do: it is too large, or cannot be read"


def _protected_in(folder: Folder, names: tuple[str, ...], left: Iterator[int]) -> str | None:
    """Return a reason if `folder`, or a folder in it, contains a protected name, else None.

    Args:
        folder: The open folder.
        names: The names of its path.
        left: Has an item for each entry that may still be looked at.

    Raises:
        StopIteration: It contains more entries than `left`, or more folders in each other than a path has.
        OSError: It cannot be read.
        ToolError: It has changed meanwhile.
    """
    if len(names) > MOST_NAMES:
        raise StopIteration
    for name in folder.names():
        next(left)
        if is_protected(name):
            return _reason((*names, name))
        if kind_of(folder.stat(name)) == "folder":
            with folder.folder(name) as below:
                found = _protected_in(below, (*names, name), left)
            if found is not None:
                return found
    return None
