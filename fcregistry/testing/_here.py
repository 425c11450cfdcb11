"""Whose source is the folder that pytest runs in? The plugins that are developed here are those to check."""

from __future__ import annotations

import json
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from fcregistry._tools.selectors import normalized
from fcregistry.discovery import current
from fcregistry.errors import FcregistryError


class NothingToCheckError(FcregistryError):
    """No tool is there to be checked; the message says what to do."""


def distributions_here(root: Path) -> tuple[str, ...]:
    """Return the distributions with plugins whose source this is; of several folders within one another, the nearest. All, if none is.

    A distribution's source is the folder it was installed from (direct_url.json, PEP 610), editable or not, and the folder whose
    pyproject.toml has its name.

    Args:
        root: pytest's root folder.

    Raises:
        NothingToCheckError: No plugin is installed, or the one whose source this is is not.
    """
    installed = current().distributions()
    project, ships_tools = _project_at(root)
    if ships_tools and normalized(project) not in map(normalized, installed):
        raise NothingToCheckError(
            f"{project} ships tools, says {root / 'pyproject.toml'}, and is not installed here: pip install -e {root}"
        )
    if not installed:
        raise NothingToCheckError(
            "no installed distribution ships tools; a plugin has an entry point in the group 'fcregistry', and is found once it is installed"
        )
    sources = {name: _source_of(name) for name in installed}
    inside = [
        name
        for name, source in sources.items()
        if normalized(name) == normalized(project) or (source is not None and source.is_relative_to(root))
    ]
    around = [(name, source) for name, source in sources.items() if source is not None and root.is_relative_to(source)]
    nearest = max((len(source.parts) for _, source in around), default=0)
    return tuple(inside or [name for name, source in around if len(source.parts) == nearest] or installed)


def _project_at(root: Path) -> tuple[str, bool]:
    """Return the name of the project in a folder, and whether it has entry points of ours; no name if there is none."""
    try:
        project: Any = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8")).get("project", {})
        return str(project.get("name", "")), "fcregistry" in project.get("entry-points", {})
    except (OSError, ValueError, AttributeError):  # none, or none that can be read: then what is installed says it
        return "", False


def _source_of(name: str) -> Path | None:
    """Return the folder that a distribution was installed from, if it was installed from a folder."""
    try:
        text = distribution(name).read_text("direct_url.json")
        recorded: Any = json.loads(text) if text else {}
    except (PackageNotFoundError, OSError, ValueError):
        return None
    if not isinstance(recorded, dict) or "dir_info" not in recorded:
        return None
    return Path(unquote(urlsplit(str(recorded.get("url", ""))).path)).resolve()
