"""The page for authors of plugins lists all rules and options."""

from __future__ import annotations

import re

from .conftest import ROOT, Project
from .rules import ALONE, LOADS, RULES

PAGE = (ROOT / "docs" / "how-to" / "test-a-plugin.md").read_text(encoding="utf-8")


def test_every_rule_has_a_row_in_its_order() -> None:
    """The rules of plugins and names come first, as in a run."""
    rows = re.findall(r"^\| `([a-z][a-z-]+)` \|", PAGE, re.MULTILINE)
    assert rows == [LOADS, ALONE, *RULES]


def test_every_option_has_a_row(project: Project) -> None:
    options = re.findall(r"^  (--fcregistry[a-z-]*)", project.pytest("--help").text, re.MULTILINE)
    assert options
    assert re.findall(r"^\| `(--[a-z-]+)", PAGE, re.MULTILINE) == options
