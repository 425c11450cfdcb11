"""Does the page for authors of plugins list what there is?"""

from __future__ import annotations

import re

import pytest

from fcregistry.testing import _pytest_plugin
from fcregistry.testing._rules import ALONE, LOADS, RULES

from .conftest import ROOT

PAGE = (ROOT / "docs" / "how-to" / "test-a-plugin.md").read_text(encoding="utf-8")


def test_every_rule_has_a_row_in_its_order() -> None:
    """Those of plugins and names first, as they are tried."""
    rows = re.findall(r"^\| `([a-z][a-z-]+)` \|", PAGE, re.MULTILINE)
    assert rows == [LOADS, ALONE, *(rule.name for rule in RULES)]


def test_every_option_has_a_row() -> None:
    parser = pytest.Parser(_ispytest=True)
    _pytest_plugin.pytest_addoption(parser)
    (group,) = (each for each in parser._groups if each.name == "fcregistry")
    options = [name for option in group.options for name in option.names()]
    assert re.findall(r"^\| `(--[a-z-]+)", PAGE, re.MULTILINE) == options
