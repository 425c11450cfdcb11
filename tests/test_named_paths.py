"""CONTRIBUTING.md and the page about the architecture send nobody to a file that does not exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ("CONTRIBUTING.md", "docs/explanation/architecture.md")


def is_there(path: str) -> bool:
    """Return whether a path of the repository, or of the package, exists; it may be a pattern."""
    return any(any(folder.glob(path.rstrip("/"))) for folder in (ROOT, ROOT / "fcregistry"))


def named_paths(page: str) -> list[str]:
    """Return the paths on a page; a file without a folder is in the folder named before it in its row or paragraph."""
    paths: list[str] = []
    for block in re.split(r"\n(?=\||\n)", (ROOT / page).read_text(encoding="utf-8")):
        folder = ""
        for name in re.findall(r"`([\w*./-]+)`", block):
            if (ROOT / "plugins" / name).is_dir() and "/" not in name:
                folder = f"plugins/{name}/{name.replace('-', '_')}"
            elif "/" in name.rstrip("/"):
                paths.append(name)
                folder = name.rpartition("/")[0]
            elif name.endswith("/"):
                paths.append(name)
            elif name.endswith(".py") and folder:
                paths.append(name if is_there(name) else f"{folder}/{name}")
    return paths


NAMED = {page: named_paths(page) for page in PAGES}


@pytest.mark.parametrize(("page", "path"), [(page, path) for page in PAGES for path in sorted(set(NAMED[page]))])
def test_a_path_leads_somewhere(page: str, path: str) -> None:
    assert is_there(path) or "NAME" in path


def test_a_path_that_leads_nowhere_is_noticed() -> None:
    assert not is_there("types/_no_such_module.py")
    assert all(len(paths) > 50 for paths in NAMED.values())
