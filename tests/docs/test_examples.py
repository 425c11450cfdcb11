"""Do the documents tell the truth? Every example in README.md and docs/ runs; how is told in ``reader.py``."""

from __future__ import annotations

from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from . import environments
from .documents import ROOT, blocks, documents
from .reader import reading

each_document = pytest.mark.parametrize(
    "document", [pytest.param(path, id=str(path.relative_to(ROOT))) for path in documents()]
)


@each_document
def test_every_example_of_a_document_runs(document: Path, tmp_path: Path) -> None:
    """A reader who follows a document from top to bottom gets what it shows."""
    kind = environments.kind_of(document.read_text(encoding="utf-8"))
    with reading(environments.make(kind, tmp_path)) as reader:
        for block in blocks(document):
            reader.check(block)


@each_document
def test_no_example_hides_outside_a_fence(document: Path) -> None:
    """Indented code is not seen by the runner, so there is none."""
    tokens = MarkdownIt().parse(document.read_text(encoding="utf-8"))
    indented = [token.map[0] + 1 for token in tokens if token.type == "code_block" and token.map]
    assert not indented, f"put the code at these lines into a fence with a language: {indented}"


@each_document
def test_the_runner_sees_every_fence(document: Path) -> None:
    """Two parsers that share no code find the same fences, with the same languages."""
    tokens = MarkdownIt().parse(document.read_text(encoding="utf-8"))
    assert [block.language for block in blocks(document)] == [token.info for token in tokens if token.type == "fence"]


def test_the_readmes_test_command_is_the_one_that_ci_runs() -> None:
    """A run within a run would test nothing more, so what CI runs is held against what the README says."""
    readme, script = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", ".ci/run"))
    assert "python -m pip install nox uv && nox -s tests" in readme
    assert "\npython -m pip install --quiet nox uv\n" in script
    assert "\nnox -s tests || failed=1\n" in script
