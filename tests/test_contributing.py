"""CONTRIBUTING.md sends nobody to a file that does not exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAMED = re.findall(r"`([\w*./-]+/[\w*.-]*)`", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
"""All that is written there as a path, with a folder in it."""


def is_there(path: str) -> bool:
    """Return whether a path of the repository, or of the package, exists; it may be a pattern."""
    return any(any(folder.glob(path.rstrip("/"))) for folder in (ROOT, ROOT / "fcregistry"))


@pytest.mark.parametrize("path", sorted(set(NAMED)))
def test_a_path_leads_somewhere(path: str) -> None:
    assert is_there(path) or "NAME" in path


def test_a_path_that_leads_nowhere_is_noticed() -> None:
    assert not is_there("types/_no_such_module.py")
    assert len(NAMED) > 100
