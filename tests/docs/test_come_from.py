"""The pages for users of other libraries: a row for each capability, and an example that runs for each row, or the reason why not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .documents import LANGUAGES, ROOT, blocks

HOW_TO = ROOT / "docs" / "how-to"
#: Page -> the number of rows in its table, and of those that say that something is not here yet. If you build it, change both.
PAGES = {
    "come-from-adalflow.md": (37, 1),
    "come-from-autogen.md": (22, 2),
    "come-from-lazyllm.md": (29, 1),
    "come-from-mlx.md": (24, 0),
}
NOT_YET = "not here yet"
LONGEST = 15
"""The most lines, without empty ones, of the example that a row leads to."""

TABLE = re.compile(r"^\| what you had \| where it is \|\n\|---\|---\|\n((?:\|.*\n)+)", re.MULTILINE)
DECISION = re.compile(r"\bNo, because .+? Instead: .+")
REFUSAL = re.compile(r"\bNo\b[:,]")
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")

each_page = pytest.mark.parametrize("name", PAGES)


def rows(name: str) -> list[tuple[str, str]]:
    """Return the rows of a page's table: what the other library has, and where it is."""
    table = TABLE.search((HOW_TO / name).read_text(encoding="utf-8"))
    assert table is not None
    had, where = zip(*(line.strip("| ").split(" | ") for line in table[1].splitlines()), strict=True)
    return list(zip(had, where, strict=True))


def section(page: Path, anchor: str) -> range:
    """Return the numbers of the lines of a section, those of the sections in it included; of the whole page without an anchor."""
    lines = page.read_text(encoding="utf-8").splitlines()
    if not anchor:
        return range(1, len(lines) + 1)
    code = {line for block in blocks(page) for line in range(block.line, block.line + block.source.count("\n"))}
    headings = [
        (number, *line.split(" ", 1)) for number, line in enumerate(lines, 1) if line[:1] == "#" and number not in code
    ]
    found = [(number, level) for number, level, title in headings if anchor_of(title) == anchor]
    assert found, f"{page.name} has no section #{anchor}"
    (start, level), *_ = found
    ends = (number for number, other, _ in headings if number > start and len(other) <= len(level))
    return range(start, next(ends, len(lines) + 1))


def anchor_of(title: str) -> str:
    """Return the anchor that GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def lengths(page: Path, target: str) -> list[int]:
    """Return the number of lines of each example that runs in the section, or on the page, that a link on `page` leads to."""
    path, _, anchor = target.partition("#")
    linked = (page.parent / path).resolve() if path else page
    lines = section(linked, anchor)
    runs = [block for block in blocks(linked) if LANGUAGES[block.language] in ("execute", "session", "commands")]
    return [lines_of(block.source) for block in runs if block.line in lines]


def lines_of(source: str) -> int:
    """Return how many lines are not empty."""
    return sum(not line.isspace() for line in source.splitlines(keepends=True))


@each_page
def test_each_capability_has_a_row(name: str) -> None:
    had = {had for had, _ in rows(name)}
    assert len(had) == PAGES[name][0]


@each_page
def test_rows_that_are_not_here_yet_are_counted(name: str) -> None:
    missing = [had for had, where in rows(name) if NOT_YET in where]
    assert len(missing) == PAGES[name][1], missing


@each_page
def test_each_row_leads_to_a_short_example_or_says_why_not(name: str) -> None:
    """A decision has its reason and what to use instead."""
    for had, where in rows(name):
        examples = [length for target in LINK.findall(where) for length in lengths(HOW_TO / name, target)]
        assert any(length <= LONGEST for length in examples) or DECISION.search(where) or NOT_YET in where, had
        assert len(REFUSAL.findall(where)) == len(DECISION.findall(where)), had


@each_page
def test_the_examples_of_a_page_are_short(name: str) -> None:
    assert max(lengths(HOW_TO / name, "")) <= LONGEST


def test_the_index_links_to_each_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert {f"how-to/{name}" for name in PAGES} <= set(LINK.findall(index))
