"""The reference has a row for each option, format, command, error code and type."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from fcregistry import errors, fc_register, formats
from fcregistry._base.call import ERROR_CODES
from fcregistry.inspection import LINT_RULES

from .cli.commands import COMMANDS

with pytest.raises(errors.DefinitionError) as no_option:
    fc_register("tool", nonexistent_param="value")
OPTIONS = str(no_option.value).partition("; the options are ")[2].split(", ")

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"


def rows(page: str) -> list[str]:
    """Return the first cell of every row of a page's tables, as it is written in code."""
    text = (REFERENCE / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `([^`]+)`", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("options", OPTIONS),
        ("formats", formats.names()),
        ("errors", ERROR_CODES),
        ("lint", tuple(LINT_RULES)),
    ],
)
def test_a_page_has_one_row_for_each_name(page: str, names: Sequence[str]) -> None:
    listed = rows(page)
    assert {name: listed.count(name) for name in names} == dict.fromkeys(names, 1)


def test_the_page_of_options_has_no_others() -> None:
    assert set(rows("options")) >= set(OPTIONS)
    assert [name for name in rows("options") if name not in OPTIONS] == []


def test_the_page_of_lint_rules_has_no_others_and_says_how_bad_each_is() -> None:
    text = (REFERENCE / "lint.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([^`]+)` \| (\w+) \|", text, re.MULTILINE)
    assert dict(listed) == {rule.id: rule.severity for rule in LINT_RULES.values()}


def test_each_command_has_a_heading() -> None:
    text = (REFERENCE / "commands.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert [command for command in COMMANDS if not any(command in heading for heading in headings)] == []


def test_each_exception_is_drawn_in_the_tree_of_the_page_and_of_the_module() -> None:
    text = (REFERENCE / "errors.md").read_text(encoding="utf-8")
    missing = [name for name in errors.__all__ if name not in text or name not in (errors.__doc__ or "")]
    assert missing == []
