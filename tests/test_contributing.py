"""CONTRIBUTING.md sends nobody to a file that does not exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def is_there(path: str) -> bool:
    """Return whether a path of the repository, or of the package, exists; it may be a pattern."""
    return any(any(folder.glob(path.rstrip("/"))) for folder in (ROOT, ROOT / "fcregistry"))


def named_paths() -> list[str]:
    """Return the paths on the page; a file without a folder is in the folder named before it in its row."""
    paths: list[str] = []
    for row in PAGE.splitlines():
        folder = ""
        for name in re.findall(r"`([\w*./-]+)`", row):
            if "/" in name.rstrip("/"):
                paths.append(name)
                folder = name.rpartition("/")[0]
            elif name.endswith("/"):
                paths.append(name)
            elif row.startswith("|") and name.endswith(".py") and folder:
                paths.append(name if is_there(name) else f"{folder}/{name}")
    return paths


NAMED = named_paths()


@pytest.mark.parametrize("path", sorted(set(NAMED)))
def test_a_path_leads_somewhere(path: str) -> None:
    assert is_there(path) or "NAME" in path


def test_a_path_that_leads_nowhere_is_noticed() -> None:
    assert not is_there("types/_no_such_module.py")
    assert len(NAMED) > 100
